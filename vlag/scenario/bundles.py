# SPDX-License-Identifier: GPL-2.0-only
"""A scenario's figures as bundles: run.json and raw text, for the ordinary ingest."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from vlag import durable
from vlag.bundle import describe
from vlag.bundle_records import BoardRecord, KernelIdentity, KernelRecord, RunRecord
from vlag.config.catalogue import Catalogue
from vlag.errors import RefusedError, UsageError
from vlag.lava import render
from vlag.model import Benchmark, Plan, PlanEntry, canonical_json, digest
from vlag.pipeline.ingest import NOT_IN_REPORT, ingest_all
from vlag.scenario.data import DataSet, Figure, Keys, Scenario, Side
from vlag.scenario.draws import boots_of
from vlag.scenario.printers import PRINTERS
from vlag.scenario.raw_output import Boot
from vlag.store.database import Connection
from vlag.store.kernels import UNDATED

# Increment it whenever equal figures give other bundles: their kernels then differ.
_VERSION = 2
_UNKNOWN = "unknown"  # version of a tool that a report does not name
_COMMIT_DIGITS = 40


@frozen(kw_only=True)
class _Work:
    """A benchmark with parameters that was run on a side."""

    benchmark: Benchmark
    parameters: dict[str, str | int]  # all of them
    figures: dict[str, Figure]  # metric ->
    given: set[str]  # metrics that these figures give
    key: str  # of the measure that was read first

    @property
    def boots(self) -> int:
        """Boots that the report has of it."""
        return max(figure.boots for figure in self.figures.values())


def mean_of(metric: str) -> str:
    """Return what a run's environment calls the mean of a distribution that is not given."""
    return f"mean {metric}"


def kernel(data_set: DataSet, side: Side, catalogue: Catalogue) -> KernelRecord:
    """Return the identity of a side's kernel, as `kernel.schema.json` describes it.

    A report has no digest of a configuration: the set's text replaces it, so that kernels
    of two sets are two kernels.  Missing digits of a commit are 0; without a commit the
    kernel's own name replaces it.
    """
    words = side.kernel
    alone = side.application == "none"
    commit = words.get("commit") or digest([words["tree"], words["describe"]])[:_COMMIT_DIGITS]
    identity: KernelIdentity = {
        "tree": words["tree"],
        "commit": commit.ljust(_COMMIT_DIGITS, "0"),
        "series": None if alone else words.get("series"),
        "application": side.application,
        "variant": words.get("variant", "default"),
        "arch": catalogue.board_type(data_set.board_type).arch,
        "kconfig": digest([_VERSION, data_set.identity]),
    }
    return {
        **identity,
        "digest": digest(identity),
        "patches": [],
        # One boot is no state of a branch.
        "branch": words["describe"] if data_set.alone else words["branch"],
        "describe": words["describe"],
        "subject": words["subject"],
        "committed_at": f"{UNDATED:%Y-%m-%dT%H:%M:%SZ}",
    }


def enter(scenario: Scenario, catalogue: Catalogue, conn: Connection, folder: Path) -> list[int]:
    """Write the scenario's bundles below `folder` and ingest them; return the runs' ids.

    Existing bundles are neither written nor stored again.  Raises ContentError for figures
    without a possible text, RefusedError if the ingest refuses a bundle.
    """
    paths = [
        path
        for data_set in scenario.sets.values()
        for side in data_set.sides.values()
        for path in _write(scenario, data_set, side, catalogue, folder / scenario.name)
    ]
    ids = []
    for item in ingest_all(paths, conn=conn, catalogue=catalogue):
        if isinstance(item, RefusedError):
            raise item
        ids.append(item.id)
    return ids


def _works(scenario: Scenario, side: Side, catalogue: Catalogue) -> list[_Work]:
    works: dict[bytes, _Work] = {}
    for name, figure in side.figures.items():
        measure = scenario.measures[name]
        benchmark = catalogue.benchmark(measure.benchmark)
        parameters = render.parameters(benchmark, measure.parameters)
        work = works.setdefault(
            canonical_json([benchmark.name, parameters]),
            _Work(benchmark=benchmark, parameters=parameters, figures={}, given=set(), key=name),
        )
        work.figures[measure.metric] = figure
        if not figure.mean_alone:
            work.given.update(measure.given)
    return list(works.values())


def with_own(catalogue: Catalogue, scenario: Scenario) -> Catalogue:
    """Return the catalogue with the board types and the plan that only the report has.

    ContentError for one that the catalogue has too, and of an architecture that no board has.
    """
    types = dict(catalogue.board_types)
    for name, own in scenario.boards.items():
        if name in types:
            raise scenario.source.error(
                ("boards", name), "the catalogue has a board type of that name; choose another"
            )
        alike = next(
            (t for t in types.values() if t.arch == own.arch and not t.virtual and not t.partner),
            None,
        )
        if alike is None:
            known = sorted({t.arch for t in types.values() if not t.virtual})
            raise scenario.source.error(
                ("boards", name, "arch"), f"no board is of it; known are {', '.join(known)}"
            )
        types[name] = evolve(alike, name=name, lava_type=name, cpus=own.cpus, classes=())
    extended = evolve(catalogue, board_types=types)
    if scenario.planned:
        return extended
    plan = Plan(name=scenario.plan, entries=tuple(_entries(scenario, extended)))
    return evolve(extended, plans={**catalogue.plans, plan.name: plan})


def _entries(scenario: Scenario, catalogue: Catalogue) -> Iterator[PlanEntry]:
    """Yield what the report has run, with as many boots as it has of the side with the most."""
    seeds: dict[bytes, PlanEntry] = {}
    for data_set in scenario.sets.values():
        for side in data_set.sides.values():
            for work in _works(scenario, side, catalogue):
                key = canonical_json([data_set.board_type, work.benchmark.name, work.parameters])
                known = seeds.get(key)
                seeds[key] = PlanEntry(
                    benchmark=work.benchmark.name,
                    parameters=work.parameters,
                    board_types=(data_set.board_type,),
                    seeds=max(work.boots, known.seeds if known else 1),
                    timeout_s=0,
                )
    yield from seeds.values()


def check_boots(scenario: Scenario, catalogue: Catalogue) -> None:
    """Refuse figures that no plan runs, and unlike numbers of boots of one tool's text."""
    for data_set in scenario.sets.values():
        for side in () if data_set.alone else data_set.sides.values():
            keys = ("sets", data_set.name, "sides", side.name, "figures")
            for work in _works(scenario, side, catalogue):
                try:
                    _stages(scenario, data_set, work, catalogue)
                except UsageError as e:
                    raise scenario.source.error((*keys, work.key), str(e)) from None


def _stages(scenario: Scenario, data_set: DataSet, work: _Work, catalogue: Catalogue) -> list[int]:
    """Return how many boots its stages have: the plan's, or as many as the report has."""
    if not scenario.planned:
        if len({figure.boots for figure in work.figures.values()}) > 1:
            raise UsageError(
                f"{', '.join(work.figures)} are of the same runs of {work.benchmark.name}: give"
                " them the same count, each with its spread"
            )
        return [1 if data_set.alone else work.boots]
    for entry in catalogue.plan(scenario.plan).entries:
        full = {**work.benchmark.parameters, **entry.parameters}
        if (entry.benchmark, full) == (work.benchmark.name, work.parameters) and (
            data_set.board_type in entry.board_types
        ):
            return [1] if data_set.alone else [entry.seeds, *entry.rounds[:1]]
    raise UsageError(
        f"plan {scenario.plan} does not run {work.benchmark.name} with {work.parameters} on"
        f" {data_set.board_type}, which set {data_set.name} of scenario {scenario.name} has figures"
        " of"
    )


def _write(
    scenario: Scenario, data_set: DataSet, side: Side, catalogue: Catalogue, folder: Path
) -> Iterator[Path]:
    for work in _works(scenario, side, catalogue):
        stages = _stages(scenario, data_set, work, catalogue)
        columns = {}
        for metric, figure in work.figures.items():
            declared = work.benchmark.metric(metric)
            if declared is None:
                raise UsageError(f"{work.benchmark.name} has no metric {metric!r}")
            columns[metric] = boots_of(
                figure,
                listed=not scenario.planned and not data_set.alone,
                stages=stages,
                step=declared.resolution,
                seed=scenario.seed,
                words=(scenario.name, data_set.name, side.name, work.benchmark.name, metric),
            )
        for k in range(sum(stages)):
            values = {metric: column[k] for metric, column in columns.items()}
            run = _Run(
                scenario=scenario,
                data=data_set,
                side=side,
                work=work,
                catalogue=catalogue,
                seed=k + 1,
                values=values,
            )
            yield run.write(folder)


@frozen(kw_only=True)
class _Run:
    """One boot that figures are turned into."""

    scenario: Scenario
    data: DataSet
    side: Side
    work: _Work
    catalogue: Catalogue
    seed: int
    values: Mapping[str, Any]  # metric -> its figures

    def write(self, folder: Path) -> Path:
        """Write the run's bundle below `folder`, if it is missing, and return its own."""
        try:
            raw = self._raw()
        except UsageError as e:
            raise self.scenario.source.error(self._keys, str(e)) from None
        document = self._document(raw)
        path = folder / str(document["run_key"])[:24]
        if not (path / "run.json").is_file():
            _save(path, document, raw)
        return path

    @property
    def _keys(self) -> Keys:
        """Where the file has the figures; those of a set that is alone are in another one."""
        sides = () if self.data.alone else ("sides", self.side.name, "figures", self.work.key)
        return ("sets", self.data.name, *sides)

    @property
    def _packages(self) -> dict[str, str]:
        benchmark = self.work.benchmark
        names = benchmark.packages or (benchmark.tool,)
        return {name: self.data.packages.get(name, _UNKNOWN) for name in names}

    @property
    def _argv(self) -> dict[str, list[str]]:
        return render.argv(self.work.benchmark, self.work.parameters)

    def _raw(self) -> bytes:
        """Return what the tool would have printed."""
        benchmark = self.work.benchmark
        printer = PRINTERS.get(benchmark.name)
        if printer is None:
            raise UsageError(f"no text of {benchmark.name} can be made; there is no printer for it")
        boot = Boot(
            values=self.values,
            parameters=self.work.parameters,
            words=self._argv["main"],
            version=next(iter(self._packages.values())),
            cpus=self.catalogue.board_type(self.data.board_type).cpus,
        )
        return printer(boot)

    def _document(self, raw: bytes) -> RunRecord:
        """Return the run's run.json, its files not yet named."""
        scenario, benchmark, packages = self.scenario, self.work.benchmark, self._packages
        identity = kernel(self.data, self.side, self.catalogue)
        entry = digest([benchmark.name, self.work.parameters, self.seed, raw.decode()])
        at = f"{scenario.date}T00:00:00Z"
        return {
            "schema": 1,
            "kind": "run",
            "run_key": digest([identity["digest"], dict(self.side.knobs), entry]),
            "kernel": identity,
            "image_sha256": digest(["no image is at hand", identity["digest"]]),
            "config_sha256": digest(["no configuration is at hand", self.data.config]),
            "release": identity["describe"],
            "plan": scenario.plan,
            "benchmark": benchmark.name,
            "parameters": self.work.parameters,
            "argv": self._argv,
            "seed": self.seed,
            "knobs": dict(self.side.knobs),
            "board": self._board(),
            "userland": {"sha256": digest(packages), "packages": packages},
            "entry_sha256": entry,
            "executor": {"program": "report", "scenario": scenario.name, "set": self.data.name},
            "outcome": "complete",
            "reason": None,
            "started_at": at,
            "finished_at": at,
            "estimate_s": 0,
            "environment": self._environment(),
            "health": [],
            "output": f"raw/{benchmark.output}",
            "files": [],
            "reproduce": f"vlag scenario {scenario.name}",
            "synthetic": True,
        }

    def _board(self) -> BoardRecord:
        board_type = self.catalogue.board_type(self.data.board_type)
        return {
            "name": self.data.board,
            "board_type": self.data.board_type,
            "deterministic": board_type.deterministic,
            "cpus": board_type.cpus,
            "setup": digest([self.data.board, dict(self.data.environment)]),
            "emulator": None,
        }

    def _environment(self) -> dict[str, str]:
        alone = self.data.alone
        spread = "one boot" if alone else f"drawn around them, seed {self.scenario.seed}"
        means = {
            mean_of(metric): str(self.values[metric]["mean"])
            for metric, figure in self.work.figures.items()
            if figure.mean_alone
        }
        # The tool prints these as well: they follow from the others.
        others = sorted({m.name for m in self.work.benchmark.metrics} - self.work.given)
        return {
            **self.data.environment,
            "synthetic": f"figures of a field report, {spread}",
            "about": self.data.about,
            "config": self.data.config,
            **means,
            **({NOT_IN_REPORT: ", ".join(others)} if others else {}),
        }


def _save(path: Path, document: RunRecord, raw: bytes) -> None:
    """Write a bundle; an unfinished one has another name."""
    partial = path.with_name(f"{path.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    name = document["output"] or ""
    file = partial / name
    file.parent.mkdir(parents=True)
    file.write_bytes(raw)
    document["files"] = [describe(partial, name)]
    text = json.dumps(document, indent=1, sort_keys=True) + "\n"
    (partial / "run.json").write_text(text, encoding="utf-8")
    shutil.rmtree(path, ignore_errors=True)
    durable.place(partial, path)
