# SPDX-License-Identifier: GPL-2.0-only
"""Read what a board printed: markers, files with checksums, and kernel alarms.

The protocol is described at the top of `lava-jobs/boot/init.sh`, the script
that speaks it.  Pure: lines in, facts out.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import re
import zlib
from collections.abc import Mapping, Sequence

from attrs import evolve, field, frozen

from vlag.lava import kernel_alarms as signs
from vlag.lava.kernel_alarms import HealthLine

#: Name of the file that a profile's lines become; `vlag.parsers.profile` reads it.
PROFILE = "profile.txt"
#: Likewise of the decisions that a kernel took; `vlag.profile.decision_trace` reads it.
DECISIONS = "decisions.txt"
#: Likewise of what caches did; `vlag.profile.cache_counts` reads it.
CACHES = "caches.txt"
#: The first word of their lines, and of the lines between the first and the last -> the file.
_FROM_OUTSIDE = {
    "profile": PROFILE, "counts": PROFILE, "decisions": DECISIONS, "decided": DECISIONS,
    "caches": CACHES, "cached": CACHES,
}  # fmt: skip

#: Whatever follows the word, it matches: no line is looked at twice.
_MARK = re.compile(r"@vlag:(\w+) ?(.*)", re.DOTALL)
# Marker -> the phase that it begins.
_PHASES = {"start": "setup", "run": "benchmark", "status": "after"}
# Name, bytes, SHA-256, and how many times it went through gzip (older boards: once).
_FILE = re.compile(r"(\S+) +(\d+) +(\S+)(?: +([12]))?", re.ASCII)
#: The same rule as the artifact store's; a run's raw files get these names.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,199}")
#: Most bytes of one unpacked file, as in the artifact store, and of all files of a run.
MOST_FILE_BYTES = 512 << 20
MOST_RUN_BYTES = 1 << 30
#: Most digits of a number that is read; Python itself refuses 4,300.
_MOST_DIGITS = 18
#: Most characters of a line that bears a file or a fact.
MOST_LINE = 1 << 20


@frozen(kw_only=True)
class Console:
    """The content of a console."""

    started: bool  # the kernel came up and our init ran
    done: bool  # everything was printed
    status: int | None  # exit status of the benchmark's script
    files: dict[str, bytes] = field(repr=False)
    damaged: tuple[str, ...]  # sentences: a file whose checksum does not fit, or is cut off
    knobs: dict[str, str]  # knob -> value that was read back
    knobs_failed: dict[str, str]  # knob -> value found instead
    health: tuple[HealthLine, ...]
    uploaded: dict[str, tuple[int, str]] = field(factory=dict)  # name -> bytes, SHA-256
    metrics: dict[str, tuple[float, str]] = field(factory=dict)  # headline's name -> value, unit
    throttled: tuple[str, ...] = ()  # how the board was slower than asked while measuring
    hot: str | None = None  # the board did not cool down in the time allowed

    @property
    def panic(self) -> HealthLine | None:
        """Return the panic's first line, if there was one."""
        return next((h for h in self.health if h.kind == "panic"), None)


def read(lines: Sequence[str]) -> Console:
    """Read a console, line by line, without line ends."""
    reader = _Reader()
    for number, line in enumerate(lines, 1):
        reader.line(number, line)
    return reader.end()


class _Reader:
    """State while reading."""

    def __init__(self) -> None:
        self.seen: set[str] = set()  # markers
        self.status: int | None = None
        self.files: dict[str, bytes] = {}
        self.damaged: list[str] = []
        self.knobs: dict[str, str] = {}
        self.knobs_failed: dict[str, str] = {}
        self.uploaded: dict[str, tuple[int, str]] = {}
        self.metrics: dict[str, tuple[float, str]] = {}
        self.throttled: list[str] = []
        self.hot: str | None = None
        self._splats = signs.Splats()
        self._phase = "boot"
        self._announced: tuple[str, int, str, int] | None = None  # name, bytes, sha256, times gzip
        self._chunks: list[str] = []
        self._held = 0  # characters of data lines since the last file
        self._headless = False  # such a file has been listed as damaged
        self._outside: dict[str, list[str]] = {}  # what the emulator prints, by its file

    def line(self, number: int, line: str) -> None:
        """Take one line."""
        mark = _MARK.search(line)
        if mark is None:
            self._splats.line(number, line, self._phase)
            return
        self._splats.marker()
        word, rest = mark.groups()
        if word != "data" and len(line) > MOST_LINE:
            self.damaged.append(f"console line {number}: has {len(line)} characters")
            return
        self.seen.add(word)
        self._phase = _PHASES.get(word, self._phase)
        if word in _FROM_OUTSIDE:
            self._observed(number, word, rest.strip())
        elif word in {"file", "data", "eof"}:
            self._file(number, word, rest.strip())
        elif word == "throttled":
            self.throttled.append(rest.strip())
        elif word == "hot":
            self.hot = rest.strip()
        else:
            self._fact(word, rest.split(), rest)

    def _fact(self, word: str, words: Sequence[str], rest: str) -> None:
        match [word, *words]:
            case ["status", status] if _is_number(status):
                self.status = int(status)
            case ["knob", name, verdict, *_]:
                value = rest.split(maxsplit=2)[2] if len(words) > 2 else ""
                (self.knobs if verdict == "ok" else self.knobs_failed)[name] = value
            case ["uploaded", name, size, sha256]:
                self._uploaded(name, size, sha256)
            case ["metric", name, _, value, unit]:
                with contextlib.suppress(ValueError):
                    self.metrics[name] = (float(value), unit)

    def _uploaded(self, name: str, size: str, sha256: str) -> None:
        if not _NAME.fullmatch(name):
            self.damaged.append(f"the board uploaded a file with the odd name {name[:80]!r}")
        elif not _is_number(size) or int(size) > MOST_FILE_BYTES:
            self.damaged.append(f"the board uploaded {name} with the odd size {size[:40]!r}")
        else:
            self.uploaded[name] = (int(size), sha256)

    def _file(self, number: int, word: str, rest: str) -> None:
        if self._announced is None and word != "file" and not self._headless:
            self._headless = True  # reported once, not for each of its lines
            self.damaged.append(f"console line {number}: {word} of a file that was not announced")
        if word == "data":
            self._held += len(rest)
            if self._held <= _packed_most(MOST_FILE_BYTES) * 2:
                self._chunks.append(rest)
            return
        announced, self._announced = self._announced, None
        self._held = 0
        if word == "file":
            self._headless = False
            if announced is not None:
                self.damaged.append(f"console line {number}: {announced[0]} was cut off before it")
            if head := _FILE.fullmatch(rest):
                self._announce(number, head[1], head[2], head[3], int(head[4] or 1))
            self._chunks = []
        elif announced is not None:
            name, size, sha256, times = announced
            data = _unpack(self._chunks, size, times)
            if data is None or len(data) != size or hashlib.sha256(data).hexdigest() != sha256:
                self.damaged.append(
                    f"console line {number}: {name} does not have the checksum it was sent with"
                )
            else:
                self.files[name] = data

    def _observed(self, number: int, word: str, rest: str) -> None:
        """Take a line that the emulator, not the guest, has printed."""
        name, lines = _FROM_OUTSIDE[word], self._outside.get(_FROM_OUTSIDE[word])
        match [word, *rest.split(maxsplit=1)]:
            case ["profile" | "decisions" | "caches", "begin", head]:
                self._outside[name] = [head]
            case ["counts" | "decided" | "cached", *_] if lines is not None:
                lines.append(rest)
            case ["profile" | "decisions" | "caches", "end", tail] if lines is not None:
                self.files[name] = "\n".join([*lines, tail, ""]).encode()
                del self._outside[name]
            case _:
                self.damaged.append(f"console line {number}: {word} where no {name} began")

    def _announce(self, number: int, name: str, size: str, sha256: str, times: int) -> None:
        room = MOST_RUN_BYTES - sum(map(len, self.files.values()))
        if not _NAME.fullmatch(name):
            self.damaged.append(f"console line {number}: a file with the odd name {name[:80]!r}")
        elif not _is_number(size) or int(size) > min(MOST_FILE_BYTES, room):
            self.damaged.append(
                f"console line {number}: {name} is announced with {size[:40]} bytes, more than a"
                " console may bring"
            )
        else:
            self._announced = (name, int(size), sha256, times)
            return
        self._headless = True  # its data lines need no sentence of their own

    def end(self) -> Console:
        """Return the content of the whole console."""
        for name in self._outside:
            self.damaged.append(f"the console ends in the middle of {name}")
        if self._announced is not None:
            self.damaged.append(f"the console ends in the middle of {self._announced[0]}")
        return Console(
            started="start" in self.seen,
            done="done" in self.seen,
            status=self.status,
            files=self.files,
            damaged=tuple(self.damaged),
            knobs=self.knobs,
            knobs_failed=self.knobs_failed,
            health=_health(self._splats.health_lines, self.files, run_marked="run" in self.seen),
            uploaded=self.uploaded,
            metrics=self.metrics,
            throttled=tuple(self.throttled),
            hot=self.hot,
        )


def join(heard: Console, received: Mapping[str, bytes]) -> Console:
    """Return a console with the files that were uploaded, and the taints that they show.

    `received` has been checked against `heard.uploaded`.
    """
    files = {**heard.files, **received}
    spoken = [h for h in heard.health if h.line]
    return evolve(heard, files=files, health=_health(spoken, files, run_marked=True))


def _health(
    lines: Sequence[HealthLine], files: Mapping[str, bytes], *, run_marked: bool
) -> tuple[HealthLine, ...]:
    if not run_marked:
        # Boards that print no start of the benchmark: count a doubtful line as the benchmark's.
        lines = [evolve(h, phase="benchmark") if h.phase == "setup" else h for h in lines]
    before, after = (
        environment(files.get(name, b"")).get("/proc/sys/kernel/tainted")
        for name in ("environment.txt", "environment-after.txt")
    )
    alarms = [h for h in lines if h.phase != "boot"]
    return (*lines, *signs.taint(before, after, alarms))


def _unpack(chunks: Sequence[str], size: int, times: int) -> bytes | None:
    """Return a file of `size` bytes, or None if it is damaged."""
    try:
        data = base64.b64decode("".join(chunks), validate=True)
        for rest in reversed(range(times)):
            # Read no more than announced: a damaged stream may claim any length.
            most = size if rest == 0 else _packed_most(size)
            unpack = zlib.decompressobj(wbits=31)
            data = unpack.decompress(data, most + 1)
            if not unpack.eof:
                return None
    except (ValueError, zlib.error):  # base64 raises ValueError for characters beyond ASCII
        return None
    return data


def _is_number(text: str) -> bool:
    """Return whether a word is a number that any reader can hold."""
    return text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS


def _packed_most(size: int) -> int:
    """Return the most bytes that gzip makes of `size`: its stored blocks and its frame."""
    return size + size // 1000 + 1024


def environment(data: bytes) -> dict[str, str]:
    """Return what `environment.sh` printed: a section's name or a file's path -> its text.

    Text is "unreadable: REASON" for what the board could not read.
    """
    sections: dict[str, list[str]] = {}
    section = None
    for line in data.decode("utf-8", errors="replace").splitlines():
        path, colon, text = line.partition(":")
        if line.startswith("== "):
            section = line[3:].strip()
        elif colon and path.startswith("/"):
            sections.setdefault(path, []).append(text)
        elif section is not None and line.strip():
            sections.setdefault(section, []).append(line)
    return {name: "\n".join(text) for name, text in sections.items()}
