# SPDX-License-Identifier: GPL-2.0-only
"""Ingest bundles into the database: check each, then store it in one transaction."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg
from attrs import frozen

from vlag import durable, model, parsers
from vlag.bundle import describe, is_final, refs, sights, unscored
from vlag.config.catalogue import Catalogue
from vlag.config.documents import fault
from vlag.errors import AwayError, RefusedError, UsageError, blame, is_away
from vlag.model import Benchmark, BoardType, Histogram, Outcome, Sample
from vlag.store import branch_order, builds, kernels, removals, renames, run_values, runs
from vlag.store.branch_order import Sight
from vlag.store.database import Connection, transact

#: What the environment of a report's run calls the metrics that its tool prints and the report
#: does not give: their names with commas.
NOT_IN_REPORT = "not in the report"

# PostgreSQL has no text with a zero byte or half a surrogate pair.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


@frozen(kw_only=True)
class Ingested:
    """The result for one bundle."""

    path: Path  # build.json or run.json
    kind: str  # "build" or "run"
    id: int  # row of `build` or `run`
    digest: str  # of the bundle
    outcome: Outcome
    new: bool  # False: it was on record already, and nothing changed

    def __str__(self) -> str:
        """Return it as one line."""
        what = "stored" if self.new else "already there"
        return f"{self.path}: {self.kind} {self.id}, {self.outcome.value}: {what}"


def ingest(
    path: Path, *, conn: Connection, catalogue: Catalogue, built: Path | None = None
) -> Ingested:
    """Store one bundle: a folder with build.json or run.json, or that file.

    `built` is the folder of builds: a run's own are stored first if none of its image is:
    what a person has built and booted by hand is stored when a run of it is used again.

    All or nothing, and again where others win a deadlock; the same bundle again adds nothing but
    names that its kernel was asked for by since, even if two processes ingest it at once.  A
    failed kernel is stored with its outcome and reason and without numbers.

    Raises RefusedError with file and key for an invalid bundle, UsageError if there
    is no bundle.  It never changes the bundle's files.
    """
    path = _document_path(path)
    document = _read(path)
    folder = path.parent.resolve()
    _check_files(path, folder, document)
    _sync(path, document)
    digest = model.digest(document)
    kind = "build" if path.name == "build.json" else "run"
    if kind == "run" and built is not None:
        _store_its_builds(conn, document, catalogue, built)

    def store() -> tuple[int, bool]:
        if kind == "build":
            return _store_build(conn, path, document, digest)
        return _store_run(conn, path, document, digest, catalogue)

    try:
        id_, new = transact(conn, store)
    except (psycopg.DataError, psycopg.errors.CheckViolation) as e:
        message = str(e).splitlines()[0]
        raise RefusedError(f"a value does not fit the database ({message})", path=path) from e
    outcome = Outcome(document["outcome"])
    return Ingested(path=path, kind=kind, id=id_, digest=digest, outcome=outcome, new=new)


def ingest_all(
    paths: Iterable[Path], *, conn: Connection, catalogue: Catalogue, built: Path | None = None
) -> Iterator[Ingested | RefusedError]:
    """Store every bundle at or below `paths`, builds before runs; `built` as in `ingest`.

    Yields one result per bundle; for a refused one it yields the error and goes on
    with the others.  Raises UsageError if a path holds no bundle.
    """
    paths_: list[Path] = []
    for path in paths:
        below = sorted(p for n in ("build.json", "run.json") for p in path.glob(f"**/{n}"))
        # A bundle that is still being written will be moved to its final folder.
        below = [p for p in below if is_final(p.parent)]
        if path.is_dir() and not below:
            raise UsageError(f"{path}: no build.json or run.json at or below it")
        paths_ += below if path.is_dir() else [path]
    for path in sorted(dict.fromkeys(paths_), key=lambda p: p.name != "build.json"):
        try:
            yield ingest(path, conn=conn, catalogue=catalogue, built=built)
        except RefusedError as e:
            yield e


def _document_path(path: Path) -> Path:
    if path.is_dir():
        there = [path / n for n in ("build.json", "run.json") if (path / n).is_file()]
        if len(there) != 1:
            what = "both build.json and run.json" if there else "no build.json or run.json"
            raise UsageError(f"{path}: holds {what}; name one bundle")
        return there[0]
    if path.name not in ("build.json", "run.json"):
        raise UsageError(f"{path}: not a bundle; it is a folder with build.json or run.json")
    return path


def _read(path: Path) -> dict[str, Any]:
    def constant(name: str) -> None:
        raise RefusedError(f"not valid JSON: {name} is not a number", path=path)

    try:
        document = json.loads(path.read_text(encoding="utf-8"), parse_constant=constant)
    except OSError as e:
        raise blame(e, f"{path}: cannot be read ({e.strerror})") from e
    except json.JSONDecodeError as e:
        raise RefusedError(f"not valid JSON: {e.msg}", path=path, line=e.lineno) from e
    except (UnicodeDecodeError, RecursionError) as e:
        raise RefusedError(f"not valid JSON: {e}", path=path) from e
    wrong = fault(document, path.name.replace(".json", ".schema.json"))
    if wrong:
        raise RefusedError(wrong, path=path)
    for key, text in _texts(document, ""):
        if _UNSTORABLE.search(text):
            raise RefusedError(f"{key}: holds a character that cannot be stored", path=path)
    return dict(document)


def _texts(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield f"{key}.{name}".lstrip("."), name
            yield from _texts(inner, f"{key}.{name}".lstrip("."))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from _texts(inner, f"{key}.{i}")


def _check_files(path: Path, folder: Path, document: Mapping[str, Any]) -> None:
    listed = [*document["files"], *(document.get(k) for k in ("image", "config"))]
    seen: dict[str, Mapping[str, Any]] = {}
    for entry in listed:
        if entry is None or seen.get(entry["path"]) == entry:
            continue
        if entry["path"] in seen:
            raise RefusedError(f"files: {entry['path']} is listed twice, differently", path=path)
        seen[entry["path"]] = entry
        _check_file(path, folder, entry)
    output = document.get("output")
    if output is not None and output not in seen:
        raise RefusedError(f"output: {output} is not listed in files", path=path)


def _sync(path: Path, document: Mapping[str, Any]) -> None:
    """Write a bundle to the disk: a row must not outlive the files that it names."""
    named = (*document["files"], document.get("image"), document.get("config"))
    try:
        files = {path, *(path.parent / entry["path"] for entry in named if entry is not None)}
        for file in sorted(files):
            durable.sync(file)
        for one in {file.parent: file for file in files}.values():
            durable.sync_name(one)  # the folders are the same for all files of a folder
    except OSError as e:
        raise blame(e, f"{path}: cannot be written to the disk ({e.strerror})") from e


def _check_file(path: Path, folder: Path, entry: Mapping[str, Any]) -> None:
    name = entry["path"]
    remedy = "the raw file is kept, re-run or restore it"
    file = (folder / name).resolve()
    if not file.is_relative_to(folder):
        raise RefusedError(f"{name} leads out of the bundle to {file}", path=path)
    try:
        if not file.is_file():
            raise RefusedError(f"{name} is missing; restore it or run again", path=path)
        actual = describe(folder, name)
    except OSError as e:
        if is_away(e):  # the machine's fault, and the runs of a build would be refused with it
            raise AwayError(f"{file}: cannot be read ({e.strerror})") from e
        raise RefusedError(f"{name} cannot be read ({e.strerror})", path=path) from e
    if actual["bytes"] != entry["bytes"]:
        raise RefusedError(
            f"size of {name} does not match {path.name}: {actual['bytes']} bytes, not"
            f" {entry['bytes']}; {remedy}",
            path=path,
        )
    if actual["sha256"] != entry["sha256"]:
        raise RefusedError(
            f"checksum of {name} does not match {path.name}: {actual['sha256'][:12]}…, not"
            f" {entry['sha256'][:12]}…; {remedy}",
            path=path,
        )


def _store_build(
    conn: Connection, path: Path, document: Mapping[str, Any], digest: str
) -> tuple[int, bool]:
    kernel = _kernel(conn, path, document)
    location = str(path.parent.resolve())
    kernels.add_refs(conn, kernel, refs(path.parent))
    identity = document["kernel"]
    for seen in sights(path.parent):
        branch_order.put(conn, identity["tree"], identity["commit"], Sight.of(seen))
    id_ = builds.insert(conn, kernel_id=kernel, document=document, digest=digest, location=location)
    if id_ is not None:
        return id_, True
    there = _known(builds.id_of(conn, digest))
    removals.undo(conn, "build", there, location)
    return there, False


def _store_run(
    conn: Connection,
    path: Path,
    document: Mapping[str, Any],
    digest: str,
    catalogue: Catalogue,
) -> tuple[int, bool]:
    renames.apply(conn, catalogue.benchmarks.values())
    there = runs.id_of(conn, digest)
    if there is not None:
        # What vlag gc has removed may come back: from a backup, or from another machine.
        removals.undo(conn, "run", there, str(path.parent.resolve()))
        return there, False
    benchmark = catalogue.benchmarks.get(document["benchmark"])
    if benchmark is None:
        raise RefusedError(
            f"benchmark: the catalogue has no {document['benchmark']!r}; it has"
            f" {', '.join(sorted(catalogue.benchmarks))}",
            path=path,
        )
    board_type = _board_type(path, document, catalogue)
    kernel = _kernel(conn, path, document)
    _check_build(conn, path, document, kernel)
    figures_: list[tuple[runs.TimeSeries, Sample | Histogram]] = []
    version = None
    if document["outcome"] == Outcome.COMPLETE.value:
        version, figures_ = figures(path, document, benchmark, board_type)
    runs.add_board(conn, name=document["board"]["name"], board_type=board_type)
    location = str(path.parent.resolve())
    id_ = runs.insert(
        conn,
        kernel_id=kernel,
        document=document,
        tool_version=version,
        digest=digest,
        location=location,
    )
    if id_ is None:  # another process was faster
        return _known(runs.id_of(conn, digest)), False
    runs.insert_figures(conn, id_, figures_)
    if document.get("observes") is None:
        runs.mark_suspect(conn, id_, unscored(document))
    run_values.put(conn, [id_])
    return id_, True


def _known(id_: int | None) -> int:
    assert id_ is not None  # noqa: S101 - the conflict on its digest shows that it exists
    return id_


def _kernel(conn: Connection, path: Path, document: Mapping[str, Any]) -> int:
    try:
        return kernels.id_of(conn, document["kernel"])
    except RefusedError as e:
        raise RefusedError(f"kernel: {e}", path=path) from e


def _store_its_builds(
    conn: Connection, document: Mapping[str, Any], catalogue: Catalogue, built: Path
) -> None:
    digest = document["kernel"]["digest"]
    kernel = kernels.by_digest(conn, digest)
    made = builds.of_kernels(conn, [kernel.id]) if kernel is not None else []
    if document["image_sha256"] not in {b.image_sha256 for b in made}:
        for path in sorted((built / digest[:16]).glob("*/build.json")):
            if is_final(path.parent):
                ingest(path, conn=conn, catalogue=catalogue)


def _check_build(conn: Connection, path: Path, document: Mapping[str, Any], kernel: int) -> None:
    """Refuse a run of an image without a build on record: its numbers could not be traced."""
    if document["synthetic"]:
        return
    made = [b for b in builds.of_kernels(conn, [kernel]) if b.image_sha256 is not None]
    digest = document["kernel"]["digest"][:12]
    if not made:
        raise RefusedError(
            f"kernel: {digest} has no build on record; ingest its build.json first", path=path
        )
    wanted = (document["image_sha256"], document["config_sha256"], document["release"])
    if not any((b.image_sha256, b.config_sha256, b.release) == wanted for b in made):
        raise RefusedError(
            f"image_sha256, config_sha256 and release are those of no build of kernel {digest};"
            " the board ran another kernel, or a build.json is missing",
            path=path,
        )


def _board_type(path: Path, document: Mapping[str, Any], catalogue: Catalogue) -> BoardType:
    board = document["board"]
    board_type = catalogue.board_types.get(board["board_type"])
    if board_type is None:
        raise RefusedError(
            f"board.board_type: the catalogue has no {board['board_type']!r}; it has"
            f" {', '.join(sorted(catalogue.board_types))}",
            path=path,
        )
    for key in ("deterministic", "cpus"):
        if board[key] != getattr(board_type, key):
            raise RefusedError(
                f"board.{key}: is {board[key]}, but the catalogue says"
                f" {getattr(board_type, key)} of {board_type.name}",
                path=path,
            )
    return board_type


def figures(
    path: Path, document: Mapping[str, Any], benchmark: Benchmark, board_type: BoardType
) -> tuple[str, list[tuple[runs.TimeSeries, Sample | Histogram]]]:
    """Read a run's raw file; return the tool's version and the value of each declared metric.

    `path` is that of run.json.  Raises RefusedError where the parser or the catalogue refuses it.
    """
    entry = f"lava-jobs/benchmarks/{benchmark.name}/benchmark.yaml"
    unknown = set(document["parameters"]) ^ set(benchmark.parameters)
    if unknown:
        raise RefusedError(
            f"parameters: {', '.join(sorted(unknown))} must be both here and in {entry}",
            path=path,
        )
    raw = path.parent / document["output"]
    data = raw.read_bytes()
    parsed = parsers.parse(benchmark.tool, data, path=str(raw), told=False)
    parsed_figures: list[Sample | Histogram] = [*parsed.samples, *parsed.histograms]
    names = [f.metric for f in parsed_figures]
    for name in names:
        if names.count(name) > 1:
            raise RefusedError(f"metric {name!r} is given twice", path=raw)
        if benchmark.metric(name) is None:
            raise RefusedError(
                f"metric {name!r} is not declared in {entry}: a metric with no declared unit"
                " and direction is refused",
                path=raw,
            )
    version = parsed.tool_version or _package_version(path, document, benchmark)
    by_name = {f.metric: f for f in parsed_figures}
    unsaid = _unsaid(document)
    listed: list[tuple[runs.TimeSeries, Sample | Histogram]] = []
    for metric in benchmark.metrics:
        f = by_name.get(metric.name)
        if metric.name in unsaid or (f is None and metric.optional):
            continue
        if f is None:
            raise RefusedError(f"metric {metric.name!r} of {entry} is not in the output", path=raw)
        if isinstance(f, Histogram) != metric.histogram:
            shape = "a histogram" if metric.histogram else "single numbers"
            raise RefusedError(f"metric {metric.name!r} should be {shape} ({entry})", path=raw)
        series = runs.time_series_of(
            benchmark=benchmark,
            parameters=document["parameters"],
            metric=metric,
            tool_version=metric.series_version(version),
            defaults=parsed.defaults,
            board_type=board_type.name,
        )
        listed.append((series, f))
    return version, listed


def _unsaid(document: Mapping[str, Any]) -> set[str]:
    """Return metrics that stand in the text of a report's run and not in the report.

    Nobody measured them: they are not stored, so that nothing compares them.
    """
    listed = document["environment"].get(NOT_IN_REPORT) if document["synthetic"] else None
    return set(listed.split(", ")) if listed else set()


#: Characters of a digest that is a version: "sha256:" and twelve.
_DIGEST = 19


def _package_version(path: Path, document: Mapping[str, Any], benchmark: Benchmark) -> str:
    """Return the upstream part of the tool's package version: '0.15.06' of '0.15.06-2'."""
    # The tool's own package is the first; a tool without a package uses its name, under which the
    # commit of a recipe stands.  What somebody has put there by hand is known by its digest alone.
    packages = document["userland"]["packages"]
    package = benchmark.packages[0] if benchmark.packages else benchmark.tool
    version = packages.get(package)
    digest = packages.get(f"programs/{benchmark.brought}")
    if version is None and digest is not None:
        return str(digest).replace(" ", ":")[:_DIGEST]
    if version is None:
        raise RefusedError(
            f"userland.packages.{package}: missing, and the output of {benchmark.tool} does not"
            " say its version",
            path=path,
        )
    upstream: str = version.split(":", 1)[-1].rsplit("-", 1)[0]
    return upstream
