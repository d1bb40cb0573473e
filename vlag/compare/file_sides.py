# SPDX-License-Identifier: GPL-2.0-only
"""Sides of a comparison from files on disk: run bundles, or raw output of a tool.

No database, settings or network.  A file is one boot, whatever it holds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag import parsers
from vlag.bundle import describe, is_final, unscored
from vlag.bundle_records import RunRecord
from vlag.compare import conditions
from vlag.compare.declared import Figures
from vlag.config.catalogue import Catalogue
from vlag.config.documents import fault
from vlag.errors import RefusedError, UsageError
from vlag.model import Histogram, Metric, Outcome, Sample

_BUNDLE = "run.json"
# Values of a file from which on two boots do not agree in all of them by chance.
_VALUES_TELLING = 3


@frozen(kw_only=True)
class Boot:
    """What one file says."""

    name: str  # the path as the user gave it
    tool: str
    benchmark: str  # what was run: the catalogue's name of a bundle, else the parser's words
    version: str | None  # of the tool; None where the output does not say
    figures: Figures
    defaults: Mapping[str, Any]  # of the tool, as its output gives them
    settings: Mapping[str, str]  # how the tool was run, as far as its output says
    notes: Sequence[str]  # what a reader must know of the output as it is
    content: str  # SHA-256 of the raw output
    run: RunRecord | None = None  # run.json; None for a raw file

    @property
    def failed(self) -> bool:
        """Return whether the kernel failed, so that there are no figures."""
        return self.run is not None and self.run["outcome"] != Outcome.COMPLETE.value

    def conditions(self, metric: Metric) -> dict[str, str]:
        """Return all that must be equal in files whose values of a metric are compared."""
        version = self.version
        known = conditions.conditions(
            self.run,
            tool=self.tool,
            tool_version=conditions.VERSION_UNKNOWN if version is None
            else metric.series_version(version),
            unit=metric.unit,
            direction=metric.direction.value,
            defaults=self.defaults,
        )  # fmt: skip
        if self.run is None:
            return {**known, **self.settings}
        return {**conditions.selection(self.run), **known}


def sides(
    base: Sequence[Path],
    new: Sequence[Path],
    *,
    catalogue: Catalogue,
    tool: str | None = None,
    equal_files: bool = False,
) -> tuple[list[Boot], list[Boot]]:
    """Read the files of both sides, in the order given.

    Each path is a run bundle (a folder with run.json, or that file), a folder of such
    bundles, or the raw output of a tool.  `tool` says whose raw output it is (None:
    recognised).  `equal_files` takes files with equal content for boots of their own.

    Raises UsageError for a path that is none of these, a side without files, a file that
    is named twice or is a copy of another one, for files of two kinds, tools or benchmarks
    and for bundles of two kernels on a side; RefusedError for a bundle that is not whole or
    not scored;
    ParseError for output that cannot be read.
    """
    by_side = {"base": _expand("base", base), "new": _expand("new", new)}
    _check_twice(by_side)
    read = {
        side: [
            _bundle(path, catalogue) if path.name == _BUNDLE else _raw(path, tool) for path in paths
        ]
        for side, paths in by_side.items()
    }
    _check_alike([*read["base"], *read["new"]])
    for side, boots in read.items():
        _check_one_kernel(side, boots)
    if not equal_files:
        _check_copies([*read["base"], *read["new"]])
    return read["base"], read["new"]


def _expand(side: str, paths: Sequence[Path]) -> list[Path]:
    """Return raw files and run.json files; UsageError where there is nothing to read."""
    if not paths:
        raise UsageError(f"{side} has no file; write BASE... -- NEW...")
    files: list[Path] = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: no such file")
        if not path.is_dir():
            files.append(path)
            continue
        # A bundle that is still being written will be moved: its files are not there to stay.
        below = sorted(p for p in path.glob(f"**/{_BUNDLE}") if is_final(p.parent))
        if not below:
            raise UsageError(
                f"{path}: no {_BUNDLE} at or below this folder; name run bundles or raw files"
            )
        files += below
    return files


def _check_twice(by_side: Mapping[str, Sequence[Path]]) -> None:
    seen: dict[tuple[int, int], str] = {}
    for side, paths in by_side.items():
        for path in paths:
            stat = path.stat()
            key = (stat.st_dev, stat.st_ino)
            if key in seen:
                where = f"twice in {side}" if seen[key] == side else "on both sides"
                raise UsageError(f"{path}: stands {where}; a file is one boot of one kernel")
            seen[key] = side


def _check_copies(boots: Sequence[Boot]) -> None:
    """Refuse copies; on a deterministic board the seed says which runs are one boot."""
    counted = [
        b for b in boots if b.run is None or not (b.failed or b.run["board"]["deterministic"])
    ]
    for i, boot in enumerate(counted):
        for other in counted[:i]:
            same = boot.content == other.content
            if same or (_telling(boot.figures) and boot.figures == other.figures):
                what = "content" if same else "figures"
                raise UsageError(
                    f"{boot.name}: has the very {what} of {other.name}, and a copy is no boot of"
                    " its own; leave it out, or give --equal-files if both are boots whose tool"
                    " prints few digits"
                )


def _telling(figures: Figures) -> bool:
    values = sum(len(f.values) for f in figures.values() if isinstance(f, Sample))
    return values >= _VALUES_TELLING or any(isinstance(f, Histogram) for f in figures.values())


def _check_alike(boots: Sequence[Boot]) -> None:
    """Refuse files that no comparison can be made of."""
    first = boots[0]
    for boot in boots[1:]:
        for what, one, other in (
            ("kind of file", _kind(first), _kind(boot)),
            ("tool", first.tool, boot.tool),
            ("benchmark", first.benchmark, boot.benchmark),
        ):
            if one != other:
                raise UsageError(
                    f"{boot.name}: another {what} than {first.name}: {other}, not {one}"
                )


def _kind(boot: Boot) -> str:
    return "raw output" if boot.run is None else "run bundle"


def _check_one_kernel(side: str, boots: Sequence[Boot]) -> None:
    ran = [(b, b.run) for b in boots if b.run is not None]
    for boot, run in ran[1:]:
        first, its = ran[0]
        for what, one, other in (
            ("kernel", its["kernel"]["digest"][:12], run["kernel"]["digest"][:12]),
            ("set of knobs", its["knobs"], run["knobs"]),
        ):
            if one != other:
                raise UsageError(
                    f"{boot.name}: another {what} than {first.name} ({other}, not {one}); all of"
                    f" {side} must be boots of one kernel"
                )


def _raw(path: Path, tool: str | None) -> Boot:
    """Read a tool's raw output."""
    data = path.read_bytes()
    if tool is not None and tool not in parsers.PARSERS:
        known = ", ".join(sorted(parsers.PARSERS))
        raise UsageError(f"--tool {tool}: there is no such parser; known are: {known}")
    parsed = parsers.parse(tool or parsers.recognise(data, path=str(path)), data, path=str(path))
    figures: list[Sample | Histogram] = [*parsed.samples, *parsed.histograms]
    return Boot(
        name=str(path),
        tool=parsed.tool,
        benchmark=parsed.benchmark,
        version=parsed.tool_version,
        figures={f.metric: f for f in figures},
        defaults=parsed.defaults,
        settings=parsed.settings,
        notes=parsed.notes,
        content=hashlib.sha256(data).hexdigest(),
    )


def _bundle(path: Path, catalogue: Catalogue) -> Boot:
    """Read a run's document and, where it is complete, its raw output."""
    run = _document(path)
    if (why := unscored(run)) is not None:
        raise RefusedError(f"{why}; name a scored boot", path=path)
    entry = catalogue.benchmarks.get(run["benchmark"])
    if entry is None:
        raise RefusedError(
            f"benchmark: the catalogue has no {run['benchmark']!r}; it has"
            f" {', '.join(sorted(catalogue.benchmarks))}",
            path=path,
        )
    # A package's "0.15.06-2" is the upstream version 0.15.06.
    package = entry.packages[0] if entry.packages else entry.tool
    version = run["userland"]["packages"].get(package)
    version = version and version.split(":", 1)[-1].rsplit("-", 1)[0]
    figures: Figures = {}
    defaults: Mapping[str, Any] = {}
    content = ""
    if run["outcome"] == Outcome.COMPLETE.value:
        output = _output(path, run)
        raw = _raw(output, entry.tool)
        figures, content, defaults = raw.figures, raw.content, raw.defaults
        version = raw.version or version
    return Boot(
        name=str(path),
        tool=entry.tool,
        benchmark=entry.name,
        version=version,
        figures=figures,
        defaults=defaults,
        settings={},  # run.json has the parameters
        notes=(),
        content=content,
        run=run,
    )


def _document(path: Path) -> RunRecord:
    try:
        document = json.loads(path.read_bytes())
    except json.JSONDecodeError as e:
        raise RefusedError(f"not valid JSON: {e.msg}", path=path, line=e.lineno) from e
    except (UnicodeDecodeError, RecursionError) as e:
        raise RefusedError(f"not valid JSON: {e}", path=path) from e
    wrong = fault(document, "run.schema.json")
    if wrong:
        raise RefusedError(wrong, path=path)
    run: RunRecord = document
    return run


def _output(path: Path, run: RunRecord) -> Path:
    """Return the raw file; RefusedError unless it is the one that the run wrote."""
    folder, name = path.parent.resolve(), str(run["output"])
    listed = next((f for f in run["files"] if f["path"] == name), None)
    if listed is None:
        raise RefusedError(f"output: {name} is not listed in files", path=path)
    if not (folder / name).resolve().is_relative_to(folder):
        raise RefusedError(f"{name} leads out of the bundle", path=path)
    if not (folder / name).is_file():
        raise RefusedError(f"{name} is missing; restore it or run again", path=path)
    if describe(folder, name) != listed:
        raise RefusedError(f"{name} is not the file that {path.name} says", path=path)
    return path.parent / name
