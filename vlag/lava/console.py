"""Read what a board printed: markers, files with checksums, and signs of ill health.

The protocol is described at the top of `lava-jobs/boot/init.sh`, the script
that speaks it.  Pure: lines in, facts out.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import hashlib
import re
import zlib
from collections.abc import Mapping, Sequence

from attrs import evolve, field, frozen

from vlag.lava import health as signs
from vlag.lava.health import HealthLine

_MARK = re.compile(r"@vlag:(\w+) ?(.*)$")
# Marker -> what goes on from there.
_PHASES = {"start": "setup", "run": "benchmark", "status": "after"}


@frozen(kw_only=True)
class Console:
    """All that a console tells."""

    started: bool  # the kernel came up and our init ran
    done: bool  # everything was printed
    status: int | None  # exit status of the benchmark's script
    files: dict[str, bytes] = field(repr=False)
    damaged: tuple[str, ...]  # sentences: a file whose checksum does not fit, or is cut off
    knobs: dict[str, str]  # knob -> value that was read back
    knobs_failed: dict[str, str]  # knob -> value found instead
    health: tuple[HealthLine, ...]

    @property
    def panic(self) -> HealthLine | None:
        """Return the panic's first line, if there was one."""
        return next((h for h in self.health if h.kind == "panic"), None)


def read(lines: Sequence[str]) -> Console:
    """Read a console, line by line, without line ends."""
    started = done = False
    status: int | None = None
    files: dict[str, bytes] = {}
    damaged: list[str] = []
    knobs: dict[str, str] = {}
    knobs_failed: dict[str, str] = {}
    splats = signs.Splats()
    phase = "boot"
    run_marked = False
    announced: tuple[str, int, str] | None = None  # name, bytes, sha256
    chunks: list[str] = []
    for number, line in enumerate(lines, 1):
        mark = _MARK.search(line)
        if mark is None:
            splats.line(number, line, phase)
            continue
        splats.marker()
        word, rest = mark.groups()
        words = rest.split()
        phase = _PHASES.get(word, phase)
        run_marked |= word == "run"
        if word == "start":
            started = True
        elif word == "done":
            done = True
        elif word == "status" and len(words) == 1 and words[0].isdigit():
            status = int(words[0])
        elif word == "knob" and len(words) >= 2:
            value = rest.split(maxsplit=2)[2] if len(words) > 2 else ""
            (knobs if words[1] == "ok" else knobs_failed)[words[0]] = value
        elif word == "file" and len(words) == 3 and words[1].isdigit():
            announced, chunks = (words[0], int(words[1]), words[2]), []
        elif word == "data":
            chunks.append(rest.strip())
        elif word == "eof" and announced is not None:
            data = _unpack(chunks)
            name, size, sha256 = announced
            if data is None or len(data) != size or hashlib.sha256(data).hexdigest() != sha256:
                damaged.append(
                    f"console line {number}: {name} does not have the checksum it was sent with"
                )
            else:
                files[name] = data
            announced = None
    if announced is not None:
        damaged.append(f"the console ends in the middle of {announced[0]}")
    return Console(
        started=started,
        done=done,
        status=status,
        files=files,
        damaged=tuple(damaged),
        knobs=knobs,
        knobs_failed=knobs_failed,
        health=_health(splats.found, files, run_marked=run_marked),
    )


def _health(
    found: Sequence[HealthLine], files: Mapping[str, bytes], *, run_marked: bool
) -> tuple[HealthLine, ...]:
    if not run_marked:
        # Boards that do not say when the benchmark begins: a doubtful line counts as its.
        found = [evolve(h, phase="benchmark") if h.phase == "setup" else h for h in found]
    before, after = (
        environment(files.get(name, b"")).get("/proc/sys/kernel/tainted")
        for name in ("environment.txt", "environment-after.txt")
    )
    alarms = [h for h in found if h.phase != "boot"]
    return (*found, *signs.taint(before, after, alarms))


def _unpack(chunks: Sequence[str]) -> bytes | None:
    try:
        return gzip.decompress(base64.b64decode("".join(chunks), validate=True))
    except (binascii.Error, OSError, EOFError, zlib.error):
        return None


def environment(data: bytes) -> dict[str, str]:
    """Return what `environment.sh` printed: a section's name or a file's path -> its text.

    Text is "unreadable: REASON" for what the board could not read.
    """
    found: dict[str, list[str]] = {}
    section = None
    for line in data.decode("utf-8", errors="replace").splitlines():
        path, colon, text = line.partition(":")
        if line.startswith("== "):
            section = line[3:].strip()
        elif colon and path.startswith("/"):
            found.setdefault(path, []).append(text)
        elif section is not None and line.strip():
            found.setdefault(section, []).append(line)
    return {name: "\n".join(text) for name, text in found.items()}
