# SPDX-License-Identifier: GPL-2.0-only
"""The catalogue: benchmarks, board types, plans and boards, read from their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from attrs import evolve, frozen

from vlag import ROOT
from vlag.config import (
    DEFAULT,
    Branch,
    Settings,
    ansible_hosts,
    board_facts,
    known_changes,
    path_metrics,
)
from vlag.config import plans as plan_files
from vlag.config.documents import read_named, read_yaml
from vlag.config.known_changes import KnownChange
from vlag.errors import UsageError
from vlag.model import (
    UNNAMED_OPERATION,
    Benchmark,
    Board,
    BoardType,
    Direction,
    GuestSystem,
    Metric,
    Needs,
    Plan,
    Versions,
)
from vlag.parsers import PARSERS
from vlag.profile.path_metric import PathMetric

#: Config fragments; its folder `variants` has a file for each build-time variant.
KCONFIG = ROOT / "workers" / "kconfig"

#: How the name of a plan for boards of hardware begins; the rest is that of one for virtual boards.
FARM = "farm-"

_T = TypeVar("_T")


@frozen(kw_only=True)
class Catalogue:
    """The benchmarks of this installation, and the boards that run them."""

    benchmarks: Mapping[str, Benchmark]
    board_types: Mapping[str, BoardType]
    plans: Mapping[str, Plan]
    boards: tuple[Board, ...]
    # Benchmark and architecture whose program is in no package and was not brought.
    absent: frozenset[tuple[str, str]] = frozenset()
    known_changes: tuple[KnownChange, ...] = ()  # of the scheduler, by design
    path_metrics: tuple[PathMetric, ...] = ()  # of a profile, in the order they are shown

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what a person should know of the files that it was read from."""
        return tuple(note for change in self.known_changes for note in change.notes)

    @property
    def headlines(self) -> frozenset[tuple[str, str]]:
        """Return benchmark and metric of those that are shown first."""
        every = self.benchmarks.values()
        return frozenset((b.name, m.name) for b in every for m in b.metrics if m.headline)

    def runs_on(self, benchmark: str, board_type: str) -> bool:
        """Return whether the board type's userland can have the benchmark's program."""
        return (benchmark, self.board_type(board_type).arch) not in self.absent

    def benchmarks_of(self, plan: str, board_type: str) -> int:
        """Return how many benchmarks a plan runs there, each once for its parameters.

        0 also where there is no such plan.
        """
        entries = self.plans[plan].entries if plan in self.plans else ()
        return len({
            e.number
            for e in entries
            if board_type in e.board_types and self.runs_on(e.benchmark, board_type)
        })  # fmt: skip

    def runs_something(self, plan: Plan, board_type: str) -> bool:
        """Return whether a plan has a benchmark that boards of the type can run."""
        return any(
            board_type in entry.board_types and self.runs_on(entry.benchmark, board_type)
            for entry in plan.entries
        )

    def benchmark(self, name: str) -> Benchmark:
        """Return a benchmark; UsageError lists the known names."""
        return _pick(self.benchmarks, name, "benchmark")

    def board_type(self, name: str) -> BoardType:
        """Return a board type; UsageError lists the known names."""
        return _pick(self.board_types, name, "board type")

    def types_of(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the board types that names of types and of classes mean, each once.

        A class means those of its types of which there is a board.  UsageError for a name
        that is neither, and for a class without a board.
        """
        here = {board.board_type for board in self.boards}
        ordered: dict[str, None] = {}
        for name in names:
            types = plan_files.types_of([name], self.board_types)
            if name not in self.board_types:
                types = tuple(t for t in types if t in here)
            if not types:
                raise UsageError(f"the inventory has no board of the class {name!r}")
            ordered.update(dict.fromkeys(types))
        return tuple(ordered)

    def plan(self, name: str) -> Plan:
        """Return a plan; UsageError lists the known names."""
        return _pick(self.plans, name, "plan")

    def board(self, name: str) -> Board:
        """Return a board; UsageError lists the known names."""
        return _pick({b.name: b for b in self.boards}, name, "board")

    def has_boards_here(self, board_type: str) -> bool:
        """Return whether this host runs boards of a type itself."""
        return any(b.board_type == board_type and b.lab is None for b in self.boards)

    def boards_here(self, board_type: str) -> list[Board]:
        """Return the boards of a type that this host runs itself; UsageError if there is none."""
        local = [b for b in self.boards if b.board_type == board_type and b.lab is None]
        if not local:
            raise UsageError(
                f"this host has no board of type {board_type}; boards of a lab are compared with"
                " `vlag compare`"
            )
        return local


def _pick(known: Mapping[str, _T], name: str, what: str) -> _T:
    try:
        return known[name]
    except KeyError:
        raise UsageError(f"no {what} {name!r}; there are: {', '.join(sorted(known))}") from None


def of(settings: Settings) -> Catalogue:
    """Read the catalogue with the list of boards that the settings name.

    Raises UsageError as `load`, and for a watched branch on boards, of a variant or by a plan
    that there are not, or by one that has nothing to run for it.
    """
    loaded = load(inventory=settings.inventory)
    for watched in (*settings.branches, *settings.weekly_only):
        try:
            variant_fragment(watched.variant)
        except UsageError as e:
            raise UsageError(f"{watched.where}.variant: {e}") from None
        try:
            loaded.types_of(watched.board_types)
        except UsageError as e:
            raise UsageError(f"{watched.where}.board_types: {e}") from None
    try:
        plan_files.types_of(settings.alerts.relevances, loaded.board_types)
    except UsageError as e:
        raise UsageError(f"{settings.path}: alerts.relevances: {e}") from None
    if settings.first is not None:
        try:
            loaded.types_of(settings.first.board_types)
            loaded.plan(settings.first.plan)
        except UsageError as e:
            raise UsageError(f"{settings.path}: first: {e}") from None
    absent = {
        (b.name, kind.arch)
        for b in loaded.benchmarks.values()
        for kind in loaded.board_types.values()
        if b.brought is not None and not (settings.programs / kind.arch / b.brought).is_file()
    }
    loaded = evolve(loaded, absent=frozenset(absent))
    for watched in (*settings.branches, *settings.weekly_only):
        _check_weekly(loaded, watched)
    for watched in settings.branches:
        _check_plans(loaded, watched)
    return loaded


def _check_weekly(catalogue: Catalogue, watched: Branch) -> None:
    """Refuse weekly plans that run nowhere; they may run on some of the board types only."""
    types = catalogue.types_of(watched.board_types)
    for i, name in enumerate(watched.weekly_plans):
        try:
            plan = catalogue.plan(name)
        except UsageError as e:
            raise UsageError(f"{watched.where}.weekly_plans.{i}: {e}") from None
        if not any(catalogue.runs_something(plan, t) for t in types):
            raise UsageError(
                f"{watched.where}.weekly_plans.{i}: {name} has nothing to run on any of"
                f" {', '.join(types)}; choose another plan, or take it out"
            )


def _check_plans(catalogue: Catalogue, watched: Branch) -> None:
    """Refuse a night that leaves out a board type, and a plan of pushes that runs nowhere.

    Pushes may run on some of the board types only: the night runs on all.
    """
    types = catalogue.types_of(watched.board_types)
    idle = {}
    for key, name in (("plan", watched.plan), ("commit_plan", watched.commit_plan)):
        try:
            plan = catalogue.plan(name)
        except UsageError as e:
            raise UsageError(f"{watched.where}.{key}: {e}") from None
        idle[key] = [t for t in types if not catalogue.runs_something(plan, t)]
    _check_class(catalogue, watched, types)
    if idle["plan"]:
        raise UsageError(
            f"{watched.where}.plan: {watched.plan} has nothing to run on"
            f" {', '.join(idle['plan'])}; add an entry for it, choose another plan, or take it out"
            " of board_types"
        )
    if types and len(idle["commit_plan"]) == len(types):
        raise UsageError(
            f"{watched.where}.commit_plan: {watched.commit_plan} has nothing to run on any of"
            f" {', '.join(types)}; choose another plan"
        )


def _check_class(catalogue: Catalogue, watched: Branch, types: Sequence[str]) -> None:
    """Refuse boards of hardware in plans for virtual boards, which have less for them.

    Of a plan for virtual boards there is another one for hardware, whose name begins with `FARM`.
    """
    night, push = FARM + watched.plan, FARM + watched.commit_plan
    if night not in catalogue.plans:
        return
    for name in types:
        has, farm = (
            [catalogue.benchmarks_of(plan, name) for plan in plans]
            for plans in ((watched.plan, watched.commit_plan), (night, push))
        )
        if farm[0] > has[0] or farm[1] > has[1] == 0:
            lines = [f'plan = "{night}"']
            if push in catalogue.plans:
                lines.append(f'commit_plan = "{push}"')
            raise UsageError(
                f"{watched.where}.board_types: {watched.plan} and {watched.commit_plan} are for"
                f" virtual boards, and have {has[0]} + {has[1]} benchmarks for {name}, where"
                f" {farm[0]} + {farm[1]} are made for it; take {name} out, and add a [[branches]]"
                f' for it with board_types = ["{name}"], {" and ".join(lines)}'
            )


def variant_fragment(variant: str) -> Path | None:
    """Return the config fragment of a build-time variant; UsageError for one that there is not."""
    there = {path.stem: path for path in sorted((KCONFIG / "variants").glob("*.config"))}
    if variant not in (DEFAULT, *there):
        raise UsageError(f"no variant {variant!r}; there are: {', '.join([DEFAULT, *there])}")
    return there.get(variant)


def load(root: Path = ROOT, *, inventory: Path | None = None) -> Catalogue:
    """Read `lava-jobs/` and the list of boards, `ansible/inventory/boards.yml`, under `root`.

    `inventory` replaces the list of boards.  Raises UsageError with file and key for
    anything missing, unknown or contradictory.
    """
    jobs = root / "lava-jobs"
    if not (jobs / "benchmarks").is_dir():
        raise UsageError(
            f"{jobs / 'benchmarks'}: missing, so this installation of vlag is not whole; install it"
            " again"
        )
    benchmarks = {
        path.parent.name: _benchmark(path)
        for path in sorted(jobs.glob("benchmarks/*/benchmark.yaml"))
    }
    board_types = load_board_types(root)
    plans = {
        path.stem: plan_files.read(path, benchmarks, board_types)
        for path in sorted(jobs.glob("plans/*.yaml"))
    }
    boards = read_boards(inventory or root / "ansible" / "inventory" / "boards.yml", board_types)
    return Catalogue(
        benchmarks=benchmarks,
        board_types=board_types,
        plans=plans,
        boards=boards,
        known_changes=known_changes.read(jobs / "known-changes.toml", benchmarks),
        path_metrics=path_metrics.read(jobs / "path-metrics.toml"),
    )


def load_board_types(root: Path = ROOT) -> dict[str, BoardType]:
    """Read `lava-jobs/devices/`; UsageError with file and key."""
    folder = root / "lava-jobs" / "devices"
    by_name = {path.stem: _board_type(path) for path in sorted(folder.glob("*.yaml"))}
    _check_partners(folder, by_name)
    for name in plan_files.classes(by_name).keys() & by_name.keys():
        owner = next(kind.name for kind in by_name.values() if name in kind.classes)
        raise UsageError(f"{folder / owner}.yaml: classes: {name!r} is a board type's name")
    return by_name


def _benchmark(path: Path) -> Benchmark:
    raw = read_named(path, "benchmark", path.parent.name)
    script = path.parent / "run.sh"
    if not script.is_file():
        raise UsageError(f"{script}: missing; a benchmark needs the script that the board runs")
    metrics = tuple(_metric(metric) for metric in raw["metrics"])
    if len({m.name for m in metrics}) != len(metrics):
        raise UsageError(f"{path}: metrics: a name is listed twice")
    _check_quantities(path, raw["tool"], metrics)
    _check_former_names(path, raw["tool"], metrics)
    _check_relevances(path, raw["parameters"], metrics)
    needs = raw.get("needs", {})
    return Benchmark(
        name=raw["benchmark"],
        summary=raw["summary"],
        tool=raw["tool"],
        argv={role: tuple(words) for role, words in raw["argv"].items()},
        parameters=raw["parameters"],
        output=raw["output"],
        metrics=metrics,
        virtual_s=raw["virtual_s"],
        script=script.read_bytes(),
        packages=tuple(raw["packages"]),
        needs=Needs(
            kconfig=tuple(needs.get("kconfig", ())),
            programs=tuple(needs.get("programs", ())),
            machines=needs.get("machines", 1),
            hardware=tuple(needs.get("hardware", ())),
            files=tuple(needs.get("files", ())),
        ),
        operation=raw.get("operation", UNNAMED_OPERATION),
        unproven=raw.get("unproven"),
        knobs=raw.get("knobs", {}),
        guest=_guest(path, raw["guest"]) if "guest" in raw else None,
    )


def _guest(path: Path, raw: Mapping[str, Any]) -> GuestSystem:
    script = path.parent / "guest-init.sh"
    if not script.is_file():
        raise UsageError(f"{script}: missing; guests need the script that is their first program")
    return GuestSystem(
        programs=tuple(raw["programs"]),
        packages=tuple(raw["packages"]),
        modules={option: tuple(names) for option, names in raw.get("modules", {}).items()},
        init=script.read_bytes(),
    )


def _metric(raw: Mapping[str, Any]) -> Metric:
    versions = tuple(
        Versions(first=v["from"], last=v["until"], why=v["why"]) for v in raw.get("versions", ())
    )
    return Metric(**{
        **raw, "direction": Direction(raw["direction"]), "versions": versions,
        "formerly": tuple(raw.get("formerly", ())),
    })  # fmt: skip


def _check_quantities(path: Path, tool: str, metrics: Sequence[Metric]) -> None:
    """Raise unless the tool's parser gives these metrics in these units and directions."""
    if tool not in PARSERS:
        raise UsageError(f"{path}: tool: no parser {tool!r}; there are: {', '.join(PARSERS)}")
    quantities = PARSERS[tool].QUANTITIES
    for i, metric in enumerate(metrics):
        given = quantities.get(metric.name)
        if given is None:
            raise UsageError(
                f"{path}: metrics.{i}.name: the parser of {tool} gives no {metric.name!r}; it gives"
                f" {', '.join(quantities)}"
            )
        if (metric.unit, metric.direction) != (given.unit, given.direction):
            raise UsageError(
                f"{path}: metrics.{i}: the parser gives {metric.name} in {given.unit},"
                f" {given.direction.value} is better"
            )


def _check_former_names(path: Path, tool: str, metrics: Sequence[Metric]) -> None:
    """Refuse a former name that is still a metric's own, or that two metrics claim."""
    names = {m.name for m in metrics}
    claimed: dict[str, str] = {}
    for i, metric in enumerate(metrics):
        for name in metric.formerly:
            key = f"{path}: metrics.{i}.formerly"
            if name in names:
                raise UsageError(f"{key}: {name!r} is a metric of this benchmark now")
            if name in PARSERS[tool].QUANTITIES:
                raise UsageError(
                    f"{key}: the parser of {tool} still gives {name!r}, so that {metric.name} is"
                    " another metric"
                )
            if name in claimed:
                raise UsageError(
                    f"{key}: {name!r} is a former name of {claimed[name]} and of {metric.name};"
                    " only one of them can have its history"
                )
            claimed[name] = metric.name


def _check_relevances(
    path: Path, parameters: Mapping[str, str | int], metrics: Sequence[Metric]
) -> None:
    for i, metric in enumerate(metrics):
        for name in metric.relevance_from:
            if not isinstance(parameters.get(name), int):
                numbers = ", ".join(k for k, v in parameters.items() if isinstance(v, int))
                raise UsageError(
                    f"{path}: metrics.{i}.relevance_from.{name}: is no parameter that is a"
                    f" number; these are: {numbers or 'none'}"
                )


def _extended(path: Path) -> dict[str, Any]:
    """Return a board type's keys, those of the board type that it extends included."""
    raw = read_named(path, "board_type", path.stem)
    name = raw.pop("extends", None)
    if name is None:
        return raw
    base = path.with_name(f"{name}.yaml")
    if not base.is_file():
        raise UsageError(f"{path}: extends: there is no {base.name} beside it")
    keys = read_yaml(base, "board-type.schema.json")
    if "extends" in keys:
        raise UsageError(f"{path}: extends: {name} extends another board type itself")
    for own in ("lava_type", "classes"):  # LAVA and plans tell them apart too
        keys.pop(own, None)
    return {**keys, **raw}


def _board_type(path: Path) -> BoardType:
    raw = _extended(path)
    for key, folder in (("template", "lava-jobs/devices"), ("job", "lava-jobs/boot")):
        if raw[key] is not None and not (ROOT / folder / raw[key]).is_file():
            raise UsageError(f"{path}: {key}: there is no {folder}/{raw[key]}")
    for fragment in raw["kconfig"]:
        if not (KCONFIG / fragment).is_file():
            raise UsageError(f"{path}: kconfig: there is no workers/kconfig/{fragment}")
    if any(line.split()[:2] == ["schedstats", "on"] for line in raw.get("policy", ())):
        raise UsageError(
            f"{path}: policy: schedstats on: scored boots have them off; write `observe:"
            " {schedstats: [...]}` into a plan's entry for an extra boot that counts them"
        )
    minimum = raw["emulator_minimum"]
    return BoardType(
        **{
            **{k: v for k, v in raw.items() if k not in ("board_type", "topology")},
            "name": raw["board_type"],
            "kconfig": tuple(raw["kconfig"]),
            "options": (*raw["options"], *raw["topology"]),
            "emulator_minimum": None if minimum is None else tuple(minimum),
            "hardware": tuple(raw.get("hardware", ())),
            "nodes": dict(raw.get("nodes", {})),
            "devices": {role: tuple(ids) for role, ids in raw.get("devices", {}).items()},
            "policy": tuple(raw.get("policy", ())),
            "modules": {o: tuple(names) for o, names in raw.get("modules", {}).items()},
            "classes": tuple(raw.get("classes", ())),
        }
    )


def _check_partners(folder: Path, board_types: Mapping[str, BoardType]) -> None:
    for board_type in board_types.values():
        if board_type.partner is not None and board_type.partner not in board_types:
            raise UsageError(
                f"{folder / board_type.name}.yaml: partner: no board type {board_type.partner!r}"
            )


def read_boards(path: Path, board_types: Mapping[str, BoardType]) -> tuple[Board, ...]:
    """Read an inventory; UsageError with file and key for an invalid board."""
    hosts = ansible_hosts.read([path]).of("boards")
    if not hosts:
        raise UsageError(f"{path}: needs all.children.boards.hosts.NAME.board_type for every board")
    for fault in board_facts.faults(hosts, board_types):
        raise UsageError(str(fault))
    return board_facts.boards(hosts)
