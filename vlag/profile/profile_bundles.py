# SPDX-License-Identifier: GPL-2.0-only
"""Read a profiled boot from the bundles of its run and its build."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vlag import parsers
from vlag.bundle import sha256
from vlag.bundle_records import RunRecord
from vlag.errors import RefusedError, UsageError
from vlag.kernel import symbols, types
from vlag.lava.console import CACHES, DECISIONS, PROFILE
from vlag.lava.sampling import REPORT
from vlag.model import Observation
from vlag.profile import cache_boots, cache_counts, counts, decision_trace, sampled_functions
from vlag.profile.profiled_boots import Boot


def read_symbols(build: Path) -> symbols.Symbols:
    """Return the functions of the kernel of a build's folder.

    Raises UsageError if the build has kept none, RefusedError if they are not those that were
    built.
    """
    path = _kept(build, symbols.FILE, "functions")
    return symbols.read(path.read_bytes(), path=str(path))


def read_types(build: Path) -> types.Types:
    """Return the structures of the kernel of a build's folder; errors as `read_symbols`."""
    path = _kept(build, types.FILE, "structures")
    return types.read(path.read_bytes(), path=str(path))


def _kept(build: Path, name: str, what: str) -> Path:
    document = json.loads((build / "build.json").read_text(encoding="utf-8"))
    wanted = next((f["sha256"] for f in document["files"] if f["path"] == name), None)
    path = build / name
    if wanted is None:
        refuse_prebuilt(build, str(build))
    if wanted is None or not path.is_file():
        raise UsageError(
            f"{build} has no {name}: this kernel was built before its {what} were kept; build it"
            " again with `vlag build --fresh`"
        )
    if sha256(path) != wanted:
        raise RefusedError(f"these are not the {what} of the kernel that was built", path=path)
    return path


def refuse_prebuilt(build: Path, name: str) -> None:
    """Raise UsageError if the kernel of a build's folder is a prebuilt one, without functions."""
    path = build / "build.json"
    if path.is_file() and "prebuilt" in json.loads(path.read_text(encoding="utf-8"))["kernel"]:
        raise UsageError(
            f"{name} is a prebuilt kernel, whose package has no list of its functions; profile a"
            " kernel of a tree with sources"
        )


def read_boot(run: Path, build: Path, table: symbols.Symbols, tool: str) -> Boot:
    """Return the profile of a run's folder.

    `table` are the functions of its kernel, which `build` is the build's folder of, and `tool`
    the benchmark's parser.  Raises UsageError for a run that is no profile or did not end well,
    RefusedError if it booted another image, ParseError for damaged counts.
    """
    document: RunRecord = json.loads((run / "run.json").read_text(encoding="utf-8"))
    image = json.loads((build / "build.json").read_text(encoding="utf-8"))["image"]["sha256"]
    if document["image_sha256"] != image:
        raise RefusedError(f"this run booted another image than {build} has", path=run)
    if document.get("observes") != Observation.PROFILE:
        raise UsageError(f"{run} is no profile; make one with `vlag run --observe profile`")
    output = _output(run, document)
    path = _sent(run, PROFILE, "counted nothing", "counts")
    counted = counts.read(path.read_bytes(), path=str(path))
    operations = _operations(document, output, tool)
    profile = counts.by_function(counted, table, path=str(path))
    return Boot(
        seed=document["seed"],
        operations=operations,
        profile=profile,
        names=frozenset(f.name for f in table.functions),
    )


def read_decisions(run: Path) -> decision_trace.Trace:
    """Return the decisions of a run's folder.

    Raises UsageError for a run that wrote none down, ParseError for damaged ones.
    """
    document: RunRecord = json.loads((run / "run.json").read_text(encoding="utf-8"))
    if document.get("observes") != Observation.DECISIONS:
        raise UsageError(f"{run} has no decisions; make a run with `vlag run --observe decisions`")
    path = _sent(run, DECISIONS, "wrote none down", "does")
    return decision_trace.read(path.read_bytes(), path=str(path))


def read_caches(
    run: Path, table: symbols.Symbols, structures: types.Types, tool: str
) -> cache_boots.Boot:
    """Return what the caches of a run's folder did.

    `table` and `structures` are those of its kernel, `tool` the benchmark's parser.  Raises
    UsageError for a run that modelled none or did not end well, ParseError for damaged counts.
    """
    document: RunRecord = json.loads((run / "run.json").read_text(encoding="utf-8"))
    if document.get("observes") != Observation.CACHES:
        raise UsageError(f"{run} has no caches; make a run with `vlag run --observe caches`")
    output = _output(run, document)
    path = _sent(run, CACHES, "counted nothing", "counts")
    return cache_boots.boot(
        cache_counts.read(path.read_bytes(), path=str(path)), table, structures,
        seed=document["seed"],
        operations=_operations(document, output, tool),
        path=str(path),
    )  # fmt: skip


def read_sampled(run: Path, document: Mapping[str, Any], tool: str) -> sampled_functions.Boot:
    """Return the samples of a run's folder; `document` is its run.json, `tool` its parser.

    Raises UsageError for a run that sampled nothing or did not end well, ParseError for a
    damaged report.
    """
    if document.get("observes") != Observation.PERF:
        raise UsageError(f"{run} has no samples; make a run with `vlag run --observe perf`")
    output = _output(run, document)
    path = run / "raw" / REPORT
    if not path.is_file():
        raise UsageError(f"{run} has no {REPORT}: perf reported nothing")
    return sampled_functions.Boot(
        seed=document["seed"],
        operations=_operations(document, output, tool),
        sampled=sampled_functions.read(path.read_bytes(), path=str(path)),
    )


def _output(run: Path, document: Mapping[str, Any]) -> Path:
    """Return a run's raw output; UsageError if it did not end well."""
    if document["output"] is None:
        raise UsageError(f"{run}: {document['outcome']}: {document['reason']}")
    return run / str(document["output"])


def _sent(run: Path, name: str, nothing: str, what: str) -> Path:
    """Return a file that the emulator has sent; UsageError if it did `nothing`."""
    path = run / "raw" / name
    if not path.is_file():
        raise UsageError(
            f"{run} has no {name}: the emulator {nothing}; `make setup` installs what {what}"
        )
    return path


def _operations(document: Mapping[str, Any], output: Path, tool: str) -> int:
    parsed = parsers.parse(tool, output.read_bytes(), path=str(output), told=False)
    if parsed.operations is None:
        raise UsageError(
            f"{document['benchmark']} does not say how many operations it did, by which a profile"
            " is divided"
        )
    return parsed.operations
