# SPDX-License-Identifier: GPL-2.0-only
"""Build lanes: a commit in a configuration that no board boots, only for what the build says."""

from __future__ import annotations

import datetime
import json
import logging
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, define, frozen

from vlag import durable
from vlag.bundle import describe
from vlag.kernel import diagnostics
from vlag.kernel.build_log import BuildLog
from vlag.kernel.diagnostics import Finding
from vlag.kernel.git import GIT
from vlag.kernel.kconfig import options
from vlag.kernel.lane_kind import Lane
from vlag.kernel.tuxmake import (
    CACHED,
    COMPILE,
    MERGED,
    WITH_COMPILER,
    check_machine,
)
from vlag.kernel.tuxmake_build import chosen
from vlag.model import LaneOutcome, digest
from vlag.sandbox import Rules, Sandbox, results
from vlag.sandbox.results import OddResultError
from vlag.sandbox.space import remove

log = logging.getLogger(__name__)

#: File of a record, and the build's output beside it.
RECORD, LOG = "lane.json", "build.log"
#: Bytes of a log that are kept; what it says is read to its end.
LOG_BYTES = 4 << 20
#: Counts in the key of a record: another reading of the output is another record.
_READING = 1


@frozen(kw_only=True)
class Record:
    """What came of a lane for the files of a commit."""

    folder: Path
    document: Mapping[str, Any]
    reused: bool

    @property
    def outcome(self) -> LaneOutcome:
        """Return whether it was built."""
        return LaneOutcome(self.document["outcome"])

    @property
    def builds(self) -> bool:
        """Return whether it was built without an error."""
        return self.outcome is LaneOutcome.BUILDS

    @property
    def findings(self) -> list[Finding]:
        """Return the errors and warnings, in the order in which the build said them."""
        return [diagnostics.of_document(f) for f in self.document["findings"]]


def key(lane: Lane, files: str, toolchain: str) -> str:
    """Return what identifies a record: the commit's tree object, the lane and the compiler."""
    how = {"make": lane.make(), "cache": CACHED, "reading": _READING}
    return digest({"files": files, "lane": asdict(lane), "toolchain": toolchain, **how})[:16]


def read(folder: Path) -> Record | None:
    """Return a record, None if there is none, or only what a killed build left of it."""
    try:
        document = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        LaneOutcome(document["outcome"])
        return Record(folder=folder, document=document, reused=True)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def build(
    lane: Lane,
    *,
    source: Path,
    commit: str,
    folder: Path,
    toolchain: str,
    jobs: int,
    ccache: Path,
    rules: Rules,
) -> Record:
    """Build a lane of the commit that `source` has checked out, and write the record `folder`.

    A break is a result.  Raises InfrastructureError if the machine gave out, UsageError without
    a sandbox.
    """
    shutil.rmtree(folder, ignore_errors=True)  # left by a killed attempt
    objects = folder.with_name(f"{folder.name}.objects")
    remove(objects)
    folder.mkdir(parents=True)
    objects.mkdir()
    started = _now()
    with BuildLog(folder / LOG) as file:
        build_log = _Log(file, diagnostics.Reader(source))
        try:
            making = _Making(lane, source, objects, jobs, ccache, rules, build_log)
            log.info(f"lane {lane.name}: building {', '.join(lane.targets)} of {commit[:12]}")
            outcome, reason = making.outcome()
        finally:
            remove(objects)  # they may have filled the disk that the log is on
        build_log.end()
    document = {
        "schema": 1,
        "kind": "lane",
        "lane": lane.name,
        "commit": commit,
        "toolchain": toolchain,
        "outcome": outcome.value,
        "reason": reason,
        "findings": [diagnostics.document(f) for f in build_log.reader.findings()],
        "left_out": build_log.reader.left_out,
        "started_at": started,
        "finished_at": _now(),
        "files": [describe(folder, LOG)],
    }
    # Written last and atomically: its presence marks the record as complete.
    with durable.replacing(folder / RECORD) as draft:
        draft.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return Record(folder=folder, document=document, reused=False)


@define
class _Log:
    """The output of a build: read to its end, kept up to `LOG_BYTES`."""

    file: BuildLog
    reader: diagnostics.Reader
    last: str = "make printed nothing"
    kept: int = 0
    dropped: int = 0

    def line(self, text: str) -> None:
        if self.kept + len(text) <= LOG_BYTES:
            self.kept += len(text)
            self.file.write(text)
        else:
            self.dropped += 1
        self.last = text.strip() or self.last
        self.reader.line(text)

    def end(self) -> None:
        if self.dropped:
            self.file.write(f"{self.dropped} more lines are left out\n")


class _Making:
    def __init__(
        self,
        lane: Lane,
        source: Path,
        objects: Path,
        jobs: int,
        ccache: Path,
        rules: Rules,
        log: _Log,
    ):
        self._lane, self._source, self._objects, self._log = lane, source, objects, log
        ccache.mkdir(parents=True, exist_ok=True)
        self._sandbox = Sandbox(
            rules=rules,
            read=(source, COMPILE.parent),
            write=(objects, ccache),
            # Nothing of a lane is booted: no file needs the depend mode.
            environment={**CACHED, "CCACHE_DIR": str(ccache), "VLAG_COMPILE_PLAIN": "1"},
        )
        self._sandbox.prepare()
        self._make = [
            *WITH_COMPILER,
            # A file that breaks hides no other; the output of a file stays together.
            "make", "--keep-going", "--output-sync=target", f"--jobs={jobs}",
            "-C", str(source), f"O={objects}", *lane.make(),
        ]  # fmt: skip

    def outcome(self) -> tuple[LaneOutcome, str | None]:
        """Configure and build; return what came of it, and why if it is not built."""
        text, wrong = self._configured()
        if wrong is not None:
            return LaneOutcome.BREAKS, wrong
        if (why := self._lacking(options(text))) is not None:
            return LaneOutcome.NOT_APPLICABLE, why
        if (wrong := self._run([*self._make, *self._lane.targets])) is not None:
            return LaneOutcome.BREAKS, wrong
        return LaneOutcome.BUILDS, None

    def _configured(self) -> tuple[str, str | None]:
        """Make `.config`; return its text, and what is wrong."""
        base = chosen(self._lane.base, self._lane.arch, self._source)
        wanted = "\n".join(
            f"# {o} is not set" if v == "n" else f"{o}={v}" for o, v in self._lane.options.items()
        )
        merge = ["sh", "-c", f'{{ cat .config; printf "%s\\n" "$1"; }} >{MERGED}'
                 f" && mv {MERGED} .config", "sh", wanted]  # fmt: skip
        for argv, cwd in (
            ([*self._make, base], self._source),
            (merge, self._objects),
            ([*self._make, "olddefconfig"], self._source),
        ):
            if (wrong := self._run(argv, cwd)) is not None:
                return "", wrong
        try:
            return results.text(self._objects, ".config"), None
        except OddResultError as e:
            return "", str(e)

    def _lacking(self, got: Mapping[str, str]) -> str | None:
        """Return the sentence on an option without which this is not the lane."""
        for option, wanted in self._lane.needs.items():
            have = got.get(option, "n")
            if have == wanted:
                continue
            if not self._knows(option):
                return f"this kernel has no {option}"
            return f"{option} is {have} here, not {wanted}: this kernel does not allow it"
        return None

    def _knows(self, option: str) -> bool:
        name = option.removeprefix("CONFIG_")
        pattern = rf"^\s*(menu)?config {name}\s*$"
        search = ["grep", "--quiet", "-E", pattern, "--", "*Kconfig*"]
        command = [*GIT, "-C", str(self._source), *search]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0

    def _run(self, argv: Sequence[str], cwd: Path | None = None) -> str | None:
        """Run a command; return why it failed."""
        ended = self._sandbox.run(argv, cwd=cwd or self._source, line=self._log.line)
        if ended.stopped is not None:
            self._log.line(f"stopped: {ended.stopped}\n")
            return f"the build was stopped: {ended.stopped}"
        check_machine(ended)
        if ended.status == 0:
            return None
        errors = [f for f in self._log.reader.findings() if f.kind == diagnostics.ERROR]
        return errors[0].text if errors else diagnostics.clip(self._log.last)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
