# SPDX-License-Identifier: GPL-2.0-only
"""Forecast of a night: its builds and runs, and how long they take."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, define, field, fields, frozen

from vlag.bundle import Bundle
from vlag.bundle_records import CompleteBuild, EmulatorRecord, KernelRecord, RunRecord
from vlag.config import Settings, workers
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import mirror
from vlag.kernel.images import describe as describe_image
from vlag.kernel.refs import is_pattern
from vlag.model import BoardType
from vlag.pipeline import boot, build_stage, night_cut
from vlag.pipeline.night_cut import KNOWN_HEAD, Part, Place, Work, sentence
from vlag.pipeline.night_plan import (
    Asked,
    Night,
    PlannedRun,
    is_first,
    plan_early,
    plan_night,
    planned_runs,
)
from vlag.store.durations import Durations

#: Assumed seconds of a kernel build until one was measured: a minimal configuration on two
#: CPUs, with an empty compiler cache and, for a commit that is also built with other
#: patches, with a filled one.  The forecast calls them guesses.
COLD_BUILD_S, WARM_BUILD_S = 300, 60

#: The same for a configuration with all of the architecture's usual drivers, as boards of a
#: farm have; another guess.
FULL_BUILD_S = 3000

#: Target of the minimal configuration.
_MINIMAL = "allnoconfig"

#: Assumed seconds to fetch and unpack a prebuilt kernel.
FETCH_S = 20

#: Without builds and runs on record nothing is measured.
NOTHING = Durations()
#: What the last night has left out, where it has left nothing out.
NONE_LEFT_OUT: Mapping[tuple[str, str], int] = {}


@frozen(kw_only=True)
class Forecast:
    """Size of a night, before it begins."""

    kernels_to_build: int
    kernels_reused: int
    runs_to_do: int
    runs_reused: int
    build_s: float  # one build
    measured: bool  # `build_s` is the mean of builds on record
    run_s: float  # all runs to do, one after the other
    slots: int  # runs side by side
    runs_of: Mapping[str, int] = field(factory=dict)  # key of a kernel -> its planned runs
    left_out: Sequence[str] = field(factory=list)  # benchmarks whose program no userland has
    # First round of rerun boots of both kernels for one suspicion, side by side on the boards of
    # its type alone: the mean over what the plans confirm; 0: nothing.
    suspicion_s: float = 0.0
    # Likewise all rounds of both kernels for one suspected mode, which the plans boot longest for;
    # 0: no plan has rounds of its own for modes.
    mode_s: float = 0.0
    # Of these kernels and runs, those of the self-proof, which comes after the report.
    proof_kernels: int = 0
    proof_runs: int = 0
    # Those of the first night's early report, which begins it.
    early_kernels: int = 0
    early_runs: int = 0
    # Board type -> seconds for which each of its boards is busy with the runs to do.
    busy_s: Mapping[str, float] = field(factory=dict)
    # Time by which the night must end, in the master's local time, and what it leaves out for that.
    end: str | None = None
    cut: Sequence[Part] = field(factory=list)

    @property
    def report_s(self) -> float:
        """Return the duration of the night until the report on the watched branches."""
        return self._lasting(
            self.kernels_to_build - self.proof_kernels, self.runs_to_do - self.proof_runs
        )

    @property
    def early_s(self) -> float:
        """Return the duration of the night until its early report; 0: it has none."""
        return self._lasting(self.early_kernels, self.early_runs)

    def _lasting(self, builds: int, runs: int) -> float:
        return builds * self.build_s + runs * self.each_run_s * self.boards_s / (self.run_s or 1)

    @property
    def each_run_s(self) -> float:
        """Return the mean duration of a run to do."""
        return self.run_s / self.runs_to_do if self.runs_to_do else 0.0

    @property
    def seconds(self) -> float:
        """Return the duration of the night: builds run alone, runs side by side."""
        return self.kernels_to_build * self.build_s + self.boards_s

    @property
    def boards_s(self) -> float:
        """Return the duration of all runs to do: the boards of one type may need longest."""
        return max(self.run_s / self.slots, *self.busy_s.values(), 0.0)

    def text(self, now: datetime.datetime) -> str:
        """Return a sentence with the end of the night and its work until then."""
        end = now.astimezone(datetime.UTC) + datetime.timedelta(seconds=self.seconds)
        minutes = max(1, round(self.seconds / 60))
        size = f"{self.kernels_to_build} kernels to build, {self.runs_to_do} runs"
        there = ""
        if self.kernels_reused or self.runs_reused:
            there = f"; {self.kernels_reused} kernels and {self.runs_reused} runs are there"
        guess = "" if self.measured or not self.kernels_to_build else ", a guess: no build yet"
        report = f", the report after {max(1, round(self.report_s / 60))} min"
        report = report if self.proof_kernels or self.proof_runs else ""
        early = f", a first report after {max(1, round(self.early_s / 60))} min"
        report = f"{early}{report}" if self.early_s else report
        last = max(self.busy_s, key=lambda name: self.busy_s[name], default="")
        slow = last and self.busy_s[last] > 1.01 * self.run_s / self.slots
        longest = f"; {last} needs longest, {round(self.busy_s[last] / 60)} min" if slow else ""
        more = max(1, round(self.suspicion_s / 60))
        suspicion = f"; each suspicion takes about {more} min more" if self.suspicion_s else ""
        longer = max(1, round(self.mode_s / 60))
        suspicion += f", one of a new mode up to {longer} min" if self.mode_s else ""
        return (
            f"expected until {end:%H:%M} UTC ({size}, {self.slots} side by side: "
            f"{minutes} min{longest}{report}{guess}{there}{suspicion})"
            + (f"; left out: {', '.join(self.left_out)}" if self.left_out else "")
            + (f". {cut}" if self.end and (cut := sentence(self.cut, self.end)) else "")
        )

    def document(self, now: datetime.datetime) -> dict[str, Any]:
        """Return the forecast as JSON."""
        return {
            "kernels_to_build": self.kernels_to_build,
            "kernels_reused": self.kernels_reused,
            "runs_to_do": self.runs_to_do,
            "runs_reused": self.runs_reused,
            "build_s": round(self.build_s, 1),
            "measured": self.measured,
            "run_s": round(self.run_s, 1),
            "slots": self.slots,
            "runs_of": dict(self.runs_of),
            "left_out": list(self.left_out),
            "suspicion_s": round(self.suspicion_s, 1),
            "mode_s": round(self.mode_s, 1),
            "proof_kernels": self.proof_kernels,
            "proof_runs": self.proof_runs,
            "early_kernels": self.early_kernels,
            "early_runs": self.early_runs,
            "busy_s": {name: round(s, 1) for name, s in self.busy_s.items()},
            "end": self.end,
            "cut": [asdict(part) for part in self.cut],
            "seconds": round(self.seconds),
            "text": self.text(now),
        }

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Forecast:
        """Return the forecast that `document` wrote, whatever else is with it."""
        known = {f.name: document[f.name] for f in fields(cls) if f.name in document}
        return cls(**{**known, "cut": [Part.of_document(part) for part in document.get("cut", ())]})


def forecast(
    settings: Settings,
    catalogue: Catalogue,
    *,
    measured: Durations = NOTHING,
    cpus: int | None = None,
    early: bool = True,
    seconds: float | None = None,
    left_out: Mapping[tuple[str, str], int] = NONE_LEFT_OUT,
) -> Forecast:
    """Look up which kernels and runs of a night exist, and add up the rest.

    Fetches trees that have a URL, and makes the boards' initramfs if its recipe is
    new, as the night itself would.  A kernel that is not built yet is assumed to
    need all of its runs.  A first night has an early report, but not without `early`.
    Work that nothing `measured` is like has assumed durations.

    A night that has so many `seconds` leaves comparisons out, but the first one none: nothing is
    measured yet.  `left_out` has, by name of a kernel and board type, how many nights have done so.
    """
    heads = _heads(settings)
    night = plan_night(settings, catalogue, heads)
    first = is_first(settings)
    part = plan_early(settings, catalogue, heads).kernels if early and first else ()
    lookup = _Lookup(settings=settings, catalogue=catalogue)
    tally = _tally(lookup, measured, night, part)
    used = {name for kernel in night.kernels for name in kernel.board_types}
    slots = _slots(settings, catalogue, used, cpus)
    at_once = {name: _slots(settings, catalogue, {name}, cpus) for name in used}
    suspicion_s = _mean([s / at_once[name] for (_, _, name), s in tally.rerun_s.items()], 0.0)
    cut: list[Part] = []
    if seconds is not None and not first:
        may = night_cut.parts(night, tally.values, left_out)
        cut = night_cut.choose(may, tally.work(catalogue, slots), seconds - suspicion_s)
        if cut:
            night = night_cut.without(night, {part.place for part in cut})
            tally = _tally(lookup, measured, night, part)
    return Forecast(
        kernels_to_build=len(tally.to_build),
        kernels_reused=len(tally.bundles) - len(tally.to_build),
        runs_to_do=tally.runs_to_do,
        runs_reused=tally.runs_reused,
        build_s=tally.build_s,
        measured=tally.build_is_measured,
        run_s=tally.boards.run_s,
        slots=slots,
        runs_of=tally.runs_of,
        left_out=_left_out(settings, catalogue, night),
        suspicion_s=suspicion_s,
        mode_s=max((s / at_once[name] for (_, _, name), s in tally.mode_s.items()), default=0.0),
        proof_kernels=len(tally.to_build - tally.for_report),
        proof_runs=tally.proof_runs,
        early_kernels=len(tally.to_build & {name for name, _, _ in tally.first_runs}),
        early_runs=tally.early_runs,
        busy_s=tally.boards.busy_s(catalogue),
        end=None if seconds is None or first else night_cut.end_of(settings),
        cut=cut,
    )


def _tally(lookup: _Lookup, measured: Durations, night: Night, early: Iterable[Asked]) -> _Tally:
    tally = _Tally(
        lookup=lookup,
        measured=measured,
        proof=night.proof,
        first_runs=set(lookup.runs_of(early)),
    )
    for kernel in night.kernels:
        tally.count(kernel)
    return tally


@define
class _BoardTime:
    """Seconds that boards need for the runs to do."""

    run_s: float = 0.0  # all runs, one after the other
    type_s: dict[str, float] = field(factory=dict)  # the same by board type

    def add(self, board_type: str, seconds: float) -> None:
        self.run_s += seconds
        self.type_s[board_type] = self.type_s.get(board_type, 0.0) + seconds

    def busy_s(self, catalogue: Catalogue) -> dict[str, float]:
        """Return for how long each board of a type is busy."""
        boards = Counter(board.board_type for board in catalogue.boards)
        return {name: s / max(1, boards[name]) for name, s in self.type_s.items()}


@define(kw_only=True)
class _Tally:
    """What a night has to do, kernel after kernel."""

    lookup: _Lookup
    measured: Durations
    proof: Collection[str]  # keys of the kernels of the self-proof
    first_runs: set[tuple[str, str, str]]  # of the early report, as in `counted`
    # Name of each build -> its bundle, None where it is still to be built.
    bundles: dict[str, Bundle[CompleteBuild] | None] = field(init=False, factory=dict)
    for_report: set[str] = field(init=False, factory=set)  # builds that the report needs
    # Seconds of each kernel to build, and whether such builds were measured.
    builds: dict[str, tuple[float, bool]] = field(init=False, factory=dict)
    build_of: dict[str, str] = field(init=False, factory=dict)  # key of a kernel -> its build
    # Seconds of the runs to do of each kernel on each board type.
    place_s: dict[Place, float] = field(init=False, factory=dict)
    entries: dict[Place, set[int]] = field(init=False, factory=dict)  # that are compared there
    cold: set[tuple[str, str]] = field(init=False, factory=set)  # tree and commit
    boards: _BoardTime = field(init=False, factory=_BoardTime)
    runs_to_do: int = field(init=False, default=0)
    runs_reused: int = field(init=False, default=0)
    proof_runs: int = field(init=False, default=0)
    early_runs: int = field(init=False, default=0)
    runs_of: dict[str, int] = field(init=False, factory=dict)  # key of a kernel -> planned runs
    # Plan, entry and board type -> seconds of its first round of rerun boots of both kernels.
    rerun_s: dict[tuple[str, int, str], float] = field(init=False, factory=dict)
    # The same of all rounds, where the entry has some for modes.
    mode_s: dict[tuple[str, int, str], float] = field(init=False, factory=dict)
    # Build, board type and entry of each run so far.
    counted: set[tuple[str, str, str]] = field(init=False, factory=set)

    def count(self, kernel: Asked) -> None:
        """Add a kernel of the night and its planned runs."""
        # Two names of one commit, or one kernel with other knobs, are one build.
        identity = _identity(self.lookup.settings, self.lookup.catalogue, kernel)
        build = _name(self.lookup.catalogue, kernel, identity)
        if build not in self.bundles:
            self._look_up_build(build, kernel, identity)
        self.build_of[kernel.key] = build
        self.place_s |= dict.fromkeys(((kernel.key, name) for name in kernel.board_types), 0.0)
        if kernel.key not in self.proof:
            self.for_report.add(build)
        planned = planned_runs(
            self.lookup.catalogue, kernel.plan, kernel.board_types, knobs=kernel.knobs
        )
        self.runs_of[kernel.key] = len(planned)
        for run in planned:
            self._count_run(build, kernel, run)

    def _look_up_build(self, build: str, kernel: Asked, identity: Mapping[str, Any] | None) -> None:
        settings = self.lookup.settings
        self.bundles[build] = _bundle(settings, build) if identity else None
        if self.bundles[build] is not None:
            return
        source = (kernel.tree, identity["commit"] if identity else kernel.ref)
        target = self.lookup.catalogue.board_type(kernel.board_types[0]).kconfig_target
        like = self.measured.builds.get(identity["kconfig"], ()) if identity else ()
        guess_s = _guess_s(target, cold=source not in self.cold)
        self.builds[build] = _mean(like, guess_s), bool(like)
        self.cold.add(source)

    def _count_run(self, build: str, kernel: Asked, run: PlannedRun) -> None:
        board_type = self.lookup.catalogue.board_type(run.board_type)
        entry = self.lookup.entry(run, kernel.knobs)
        seconds = self._run_s(run, board_type, entry)
        self.entries.setdefault((kernel.key, run.board_type), set()).add(run.entry.number)
        rerun = kernel.plan, run.entry.number, run.board_type
        for boots in run.entry.rounds[:1]:
            self.rerun_s[rerun] = 2 * boots * seconds
        for boots in run.entry.mode_rounds[-1:]:
            self.mode_s[rerun] = 2 * boots * seconds
        key = (build, run.board_type, entry.sha256)
        repeated = board_type.deterministic and key in self.counted
        self.counted.add(key)
        bundle = self.bundles[build]
        if repeated or (
            bundle and self.lookup.recorded(bundle, board_type, run, entry, kernel.knobs)
        ):
            self.runs_reused += 1
            return
        self.runs_to_do += 1
        self.proof_runs += kernel.key in self.proof
        self.early_runs += key in self.first_runs
        self.boards.add(run.board_type, seconds)
        self.place_s[kernel.key, run.board_type] += seconds

    @property
    def values(self) -> dict[Place, float]:
        """What the comparisons of each kernel tell on each board type."""
        return {
            place: len(entries) * (KNOWN_HEAD if self.bundles[self.build_of[place[0]]] else 1.0)
            for place, entries in self.entries.items()
        }

    def work(self, catalogue: Catalogue, slots: int) -> Work:
        """Return the builds and runs to do."""
        return Work(
            builds={build: seconds for build, (seconds, _) in self.builds.items()},
            build_of=self.build_of,
            runs=self.place_s,
            boards=Counter(board.board_type for board in catalogue.boards),
            slots=slots,
        )

    def _run_s(self, run: PlannedRun, board_type: BoardType, entry: boot.Entry) -> float:
        benchmark = self.lookup.catalogue.benchmark(run.entry.benchmark)
        ratio = self.measured.ratios.get(run.board_type, 1.0)
        return boot.estimate_s(benchmark, board_type, entry.values) * ratio

    @property
    def to_build(self) -> set[str]:
        """Builds that are not there yet."""
        return {name for name, bundle in self.bundles.items() if bundle is None}

    @property
    def build_s(self) -> float:
        return _mean([seconds for seconds, _ in self.builds.values()], COLD_BUILD_S)

    @property
    def build_is_measured(self) -> bool:
        if not self.builds:
            return bool(self.measured.builds)
        return all(measured for _, measured in self.builds.values())


def _heads(settings: Settings) -> dict[str, list[str]]:
    """Fetch trees that have a URL; return the branches of trees with a pattern of branches."""
    for tree in settings.trees.values():
        if tree.url is not None and settings.mirror(tree.name).exists():
            mirror.clone(settings.mirror(tree.name), tree.url, settings.watched(tree.name))
    trees = {b.tree for b in settings.branches if is_pattern(b.branch)}
    return {tree: mirror.heads(settings.mirror(tree)) for tree in trees}


def _guess_s(target: str, *, cold: bool) -> float:
    if target != _MINIMAL:
        return FULL_BUILD_S
    return COLD_BUILD_S if cold else WARM_BUILD_S


def _slots(
    settings: Settings, catalogue: Catalogue, used: Collection[str], cpus: int | None
) -> int:
    """Return how many runs go side by side: boards of a lab need no CPU of ours."""
    boards = [board for board in catalogue.boards if board.board_type in used]
    local = sum(board.lab is None for board in boards)
    return max(1, min(local, cpus or workers.all_slots(settings)) + len(boards) - local)


def of_prebuilt(
    settings: Settings,
    catalogue: Catalogue,
    runs_of: Mapping[str, tuple[str, Sequence[str]]],
) -> Forecast:
    """Estimate the runs of kernels that need no build, none of them on record.

    `runs_of` has plan and board types by the key of a kernel.
    """
    counts: dict[str, int] = {}
    used: set[str] = set()
    boards = _BoardTime()
    for key, (plan, board_types) in runs_of.items():
        planned = planned_runs(catalogue, plan, board_types)
        counts[key] = len(planned)
        used.update(board_types)
        for run in planned:
            known = catalogue.benchmark(run.entry.benchmark)
            values = boot.boot_entry(known, run.entry.parameters, run.seed, {}).values
            board_type = catalogue.board_type(run.board_type)
            boards.add(run.board_type, boot.estimate_s(known, board_type, values))
    return Forecast(
        kernels_to_build=len(runs_of),
        kernels_reused=0,
        runs_to_do=sum(counts.values()),
        runs_reused=0,
        build_s=FETCH_S,
        measured=False,
        run_s=boards.run_s,
        slots=_slots(settings, catalogue, used, None),
        runs_of=counts,
        busy_s=boards.busy_s(catalogue),
    )


def _left_out(settings: Settings, catalogue: Catalogue, night: Night) -> list[str]:
    """Return a phrase for each benchmark of a night that boards cannot run."""
    sentences = {
        (entry.benchmark, catalogue.board_type(name).arch)
        for kernel in night.kernels
        for entry in catalogue.plan(kernel.plan).entries
        for name in kernel.board_types
        if name in entry.board_types and not catalogue.runs_on(entry.benchmark, name)
    }
    return [
        f"{name} on {arch} (no {settings.programs / arch / program})"
        for name, arch in sorted(sentences)
        if (program := catalogue.benchmark(name).brought) is not None
    ]


def on_record(
    settings: Settings,
    catalogue: Catalogue,
    build: Path,
    planned: Sequence[PlannedRun],
    knobs: Mapping[str, str],
) -> list[tuple[PlannedRun, Bundle[RunRecord]]]:
    """Return those of a kernel's planned runs that already exist, with their bundles."""
    document = boot.read_build(build)
    folder = build if build.is_dir() else build.parent
    bundle = Bundle(folder=folder, document=document, reused=True)
    lookup = _Lookup(settings=settings, catalogue=catalogue)
    recorded = []
    for run in planned:
        board_type = catalogue.board_type(run.board_type)
        entry = lookup.entry(run, knobs)
        known = lookup.recorded(bundle, board_type, run, entry, knobs)
        if known is not None:
            recorded.append((run, known))
    return recorded


def _bundle(settings: Settings, digest: str) -> Bundle[CompleteBuild] | None:
    return build_stage.finished(settings.builds / digest[:16])


def _identity(settings: Settings, catalogue: Catalogue, asked: Asked) -> KernelRecord | None:
    """Return the kernel that `vlag build` would make, or None for an unknown ref."""
    repository = settings.mirror(asked.tree)
    if not repository.exists():
        return None
    try:
        commit = mirror.resolve(repository, asked.ref, branch=asked.branch == asked.ref)
    except UsageError:
        return None
    series = asked.series
    application = None if series is None else asked.application
    applied, patches = build_stage.select_patches(series, application)
    return build_stage.identify(
        catalogue.board_type(asked.board_types[0]),
        tree=asked.tree,
        branch=asked.ref,
        commit=commit,
        series=series,
        applied=applied,
        patches=patches,
        variant=asked.variant,
        image=describe_image(repository, commit.sha) if settings.trees[asked.tree].images else None,
    )


def _name(catalogue: Catalogue, asked: Asked, identity: Mapping[str, Any] | None) -> str:
    """Return a text that is equal for requests of one build, also of an unknown ref."""
    if identity:
        return str(identity["digest"])
    kind = catalogue.board_type(asked.board_types[0])
    source = (asked.tree, asked.ref, asked.series, asked.application, asked.variant)
    return str((*source, kind.arch, kind.kconfig_target, kind.kconfig))


@frozen(kw_only=True)
class _Lookup:
    """Finds runs on record; values that many runs share are computed once."""

    settings: Settings
    catalogue: Catalogue
    _entries: dict[str, boot.Entry] = field(factory=dict)
    _emulators: dict[str, EmulatorRecord | None] = field(factory=dict)
    # Benchmark and architecture -> SHA-256.
    _userlands: dict[tuple[str, str], str] = field(factory=dict)

    def entry(self, run: PlannedRun, knobs: Mapping[str, str]) -> boot.Entry:
        given = run.entry.parameters
        what = [run.entry.benchmark, dict(given), run.seed, dict(knobs), run.observes]
        key = json.dumps(what, sort_keys=True)
        if key not in self._entries:
            known = self.catalogue.benchmark(run.entry.benchmark)
            self._entries[key] = boot.boot_entry(
                known, given, run.seed, knobs, observes=run.observes
            )
        return self._entries[key]

    def runs_of(self, kernels: Iterable[Asked]) -> Iterator[tuple[str, str, str]]:
        """Yield kernel, board type and entry of each planned run of kernels."""
        for kernel in kernels:
            name = _name(self.catalogue, kernel, _identity(self.settings, self.catalogue, kernel))
            for run in planned_runs(
                self.catalogue,
                kernel.plan,
                kernel.board_types,
                benchmarks=kernel.benchmarks,
                knobs=kernel.knobs,
            ):
                yield name, run.board_type, self.entry(run, kernel.knobs).sha256

    def recorded(
        self,
        bundle: Bundle[CompleteBuild],
        board_type: BoardType,
        run: PlannedRun,
        entry: boot.Entry,
        knobs: Mapping[str, str],
    ) -> Bundle[RunRecord] | None:
        if not board_type.deterministic:
            return None
        if board_type.name not in self._emulators:
            self._emulators[board_type.name] = boot.emulator_of(board_type)
        program = (run.entry.benchmark, board_type.arch)
        if program not in self._userlands:
            known = self.catalogue.benchmark(run.entry.benchmark)
            made = boot.prepare_userland(self.settings, known, board_type.arch)
            self._userlands[program] = made.sha256
        key = boot.run_key(
            image_sha256=bundle.document["image"]["sha256"],
            userland_sha256=self._userlands[program],
            entry_sha256=entry.sha256,
            board_type=board_type,
            knobs=knobs,
            emulator=self._emulators[board_type.name],
            observes=run.observes,
        )
        return boot.recorded(self.settings.runs, key)


def _mean(measured: Sequence[float], otherwise: float) -> float:
    return sum(measured) / len(measured) if measured else otherwise
