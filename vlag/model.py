# SPDX-License-Identifier: GPL-2.0-only
"""The terms of the service as types; `docs/glossary.md` explains them.

Nothing here reads a clock, a file, a network or a database.
"""

from __future__ import annotations

import enum
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from attrs import Factory, cmp_using, field, frozen

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


#: A whole id of a commit, as an expression: git has repositories with SHA-1 and with SHA-256.
COMMIT_ID: Final = "(?:[0-9a-f]{64}|[0-9a-f]{40})"

#: The beginning of one, as people and git shorten them.
COMMIT_PREFIX: Final = "[0-9a-f]{7,64}"


def is_commit_id(text: str) -> bool:
    """Return whether a text is a whole id of a commit, which git itself never takes for a name."""
    return re.fullmatch(COMMIT_ID, text) is not None


class Direction(enum.Enum):
    """Which way a metric gets better; declared in the catalogue, never guessed."""

    HIGHER = "higher"
    LOWER = "lower"


class Outcome(enum.Enum):
    """Outcome of a build or a run.  All but COMPLETE are failures of the kernel."""

    COMPLETE = "complete"
    PATCH_FAILED = "patch_failed"  # a build: the series does not apply
    BUILD_FAILED = "build_failed"  # a build: the compiler or the configuration failed
    PANIC = "panic"  # a run: the kernel panicked
    HANG = "hang"  # a run: the console went silent until the time-out
    BENCHMARK_FAILED = "benchmark_failed"  # a run: it booted, the benchmark did not end well


#: Steps of LAVA's priorities from a purpose to the next.
_STEP = 15


class Purpose(enum.StrEnum):
    """Purpose of a boot, in ascending order of priority on a board."""

    EXPLAIN = "explain"  # why a figure changed; nobody waits for it
    TRY = "try"  # somebody's patches, sent on the pages; after all that is watched
    PUSH = "push"  # a commit of a watched branch
    NIGHT = "night"
    CONFIRM = "confirm"  # a rerun of what is suspected
    PERSON = "person"  # somebody waits for it

    @property
    def rank(self) -> int:
        """Return the priority among boots that wait for a board; the highest goes first."""
        return list(Purpose).index(self)

    @property
    def lava_priority(self) -> int:
        """Return the priority of a LAVA job, 0 to 100.

        Other users of a lab have low 0, medium 50 and high 100: ours are in between.
        """
        return 10 + _STEP * self.rank

    def lava_priority_of(self, seed: int) -> int:
        """Return the priority of a LAVA job of a plan's boot.

        Low seeds go first, so that the kernels that wait for a board take turns on it; none gets
        as low as the purpose below.
        """
        planned = self not in (Purpose.EXPLAIN, Purpose.PERSON)
        return self.lava_priority - (min(max(seed - 1, 0), _STEP - 1) if planned else 0)

    @classmethod
    def of_priority(cls, priority: int) -> Purpose:
        """Return the purpose of a LAVA job of ours, or one with a similar priority."""
        return next((x for x in cls if x.lava_priority >= priority), cls.PERSON)


class LaneOutcome(enum.StrEnum):
    """What came of a build lane."""

    BUILDS = "builds"
    BREAKS = "breaks"
    NOT_APPLICABLE = "not_applicable"  # the tree lacks an option that makes the lane


class TryState(enum.StrEnum):
    """What became of a series that somebody has sent on the pages."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"  # it does not apply, build or boot, or was stopped; the reason says which


class Observation(enum.StrEnum):
    """What an extra boot of a kernel observes.

    Observing changes what is measured, so such a boot is never scored.
    """

    SCHEDSTATS = "schedstats"
    PROFILE = "profile"  # what is executed, by function, on a deterministic board
    # Each switch, wake-up and pick of the scheduler, on a deterministic board.
    DECISIONS = "decisions"
    # What a model of caches says of each access to memory, on a deterministic board.
    CACHES = "caches"
    PERF = "perf"  # where the CPUs spend their cycles, by function, sampled by a board's PMU
    TIMERLAT = "timerlat"  # who blocked the worst wake-ups of a thread that a timer wakes

    @property
    def from_outside(self) -> bool:
        """Return whether a deterministic board's emulator observes, and the guest does not."""
        return self in {Observation.PROFILE, Observation.DECISIONS, Observation.CACHES}

    @property
    def kconfig(self) -> tuple[str, ...]:
        """Return the options that the kernel needs."""
        options = {
            Observation.SCHEDSTATS: ("CONFIG_SCHEDSTATS",),
            Observation.PERF: ("CONFIG_PERF_EVENTS", "CONFIG_KALLSYMS"),
            Observation.TIMERLAT: ("CONFIG_TIMERLAT_TRACER",),
        }
        return options.get(self, ())

    @property
    def hardware(self) -> tuple[str, ...]:
        """Return what the board needs beyond CPUs, memory and a console, as in `Needs`."""
        return ("pmu",) if self is Observation.PERF else ()

    @property
    def packages(self) -> tuple[str, ...]:
        """Return the packages that the boot's userland has beside the benchmark's.

        One of `NAME/backports` is from the backports of the userland's release.
        """
        # The release's own rtla, 6.1, stops at a wake-up and does not say who blocked it.
        packages = {
            Observation.SCHEDSTATS: ("linux-perf",),
            Observation.PERF: ("linux-perf",),
            Observation.TIMERLAT: ("rtla/backports",),
        }
        return packages.get(self, ())

    @property
    def programs(self) -> tuple[str, ...]:
        """Return their programs that the boot runs."""
        programs = {
            Observation.SCHEDSTATS: ("perf",),
            Observation.PERF: ("perf",),
            Observation.TIMERLAT: ("rtla",),
        }
        return programs.get(self, ())


class Verdict(enum.Enum):
    """Verdict of one comparison of one statistic of one time series."""

    REGRESSION = "REGRESSION"
    IMPROVEMENT = "IMPROVEMENT"
    UNCHANGED = "UNCHANGED"
    MARGINAL = "MARGINAL"  # certain, and about as large as what matters
    INCONCLUSIVE = "INCONCLUSIVE"
    NOT_COMPARABLE = "NOT_COMPARABLE"


#: Verdicts, as rows have them, that say a change: proven, and large enough to matter.
FLAGS: Final = (Verdict.REGRESSION.value, Verdict.IMPROVEMENT.value)
#: Those that say a change at all.
CHANGES: Final = (*FLAGS, Verdict.MARGINAL.value)
#: Those that answer nothing.
UNDECIDED: Final = (Verdict.INCONCLUSIVE.value, Verdict.NOT_COMPARABLE.value)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


@frozen(kw_only=True)
class Versions:
    """Versions of a tool within which a metric means one thing."""

    first: str
    last: str  # the last one known to agree
    why: str  # what these versions measure and others do not

    def hold(self, version: str) -> bool:
        """Return whether the range holds the version."""
        return _numbers(self.first) <= _numbers(version) <= _numbers(self.last)


#: Smallest share of a kernel's boots in a new mode that matters, where a metric declares no other.
RELEVANT_SHARE = 0.05


@frozen(kw_only=True)
class Metric:
    """One measured quantity of a benchmark, as its catalogue entry declares it."""

    name: str
    unit: str  # as in "1/s", "ns", "us"
    direction: Direction
    relevance: float  # smallest relative change that matters, 0.01 = 1 %
    resolution: float  # smallest step the tool can print, in `unit`
    histogram: bool = False  # the tool gives a distribution, not single numbers
    cross_cpu: bool = False  # on a virtual board with one host thread: a hint, no proof
    headline: bool = False  # shown first, and to LAVA as a result
    optional: bool = False  # True: outputs without it are whole too
    compared: bool = True  # False: stored and shown, with no verdict of its own
    relevance_deterministic: float | None = None  # on boards that count instructions, if another
    # Smallest share of a kernel's boots in a new mode that matters.  Printed where it is declared.
    relevant_share: float = field(default=RELEVANT_SHARE, repr=False)
    # Parameters from whose values on `relevance` holds.  Not printed: it changes no verdict.
    relevance_from: Mapping[str, int] = field(factory=dict, repr=False, hash=False)
    versions: tuple[Versions, ...] = ()
    # Names that it had before; what is on record under them is renamed.
    formerly: tuple[str, ...] = field(default=(), repr=False)

    def relevance_on(self, board_type: BoardType) -> float:
        """Return the smallest relative change that matters on a type of board."""
        if board_type.deterministic and self.relevance_deterministic is not None:
            return self.relevance_deterministic
        return self.relevance

    def too_little(self, parameters: Mapping[str, str | int]) -> dict[str, int]:
        """Return the parameters that are less than `relevance` holds from, each with that value."""
        return {
            name: least
            for name, least in self.relevance_from.items()
            if name in parameters
            and (not isinstance(value := parameters[name], int) or value < least)
        }

    def series_version(self, version: str) -> str:
        """Return the name of the tool's version in the time series: "0.15.06+" for a range.

        A version outside all ranges names itself.  A range is named by its first
        version, so that a later one may join it.
        """
        held = self._range(version)
        return version if held is None else f"{held.first}+"

    def meaning(self, series_version: str) -> str | None:
        """Return how these versions differ from others, if the catalogue has a note."""
        held = self._range(series_version)
        return None if held is None else held.why

    def _range(self, version: str) -> Versions | None:
        return next((v for v in self.versions if v.hold(version)), None)


@frozen(kw_only=True)
class Needs:
    """Requirements of a benchmark beyond the common initramfs."""

    kconfig: tuple[str, ...] = ()  # kernel options that must be set
    programs: tuple[str, ...] = ()  # programs the script calls, beside the first words of argv
    machines: int = 1
    hardware: tuple[str, ...] = ()  # what a plain virtual board lacks
    files: tuple[str, ...] = ()  # paths in its packages, which the initramfs has beside programs

    def lacking(self, board_type: BoardType) -> tuple[str, ...]:
        """Return what of it a board type does not have; the kernel's options are not looked at."""
        machines = 1 if board_type.partner is None else 2
        return (
            *([f"{self.machines} machines"] if self.machines > machines else ()),
            *(h for h in self.hardware if h not in board_type.hardware),
        )


@frozen(kw_only=True)
class GuestSystem:
    """What the guests have that a benchmark starts on its board: two virtual machines, say.

    Their kernel is the board's (`guest_kernel` of the inventory) and never the one under test.
    """

    programs: tuple[str, ...]  # which their initramfs has beside busybox
    packages: tuple[str, ...] = ()  # Debian packages that have them; none: somebody brings them
    # Options of their kernel -> the modules that they load where the option is one.
    modules: Mapping[str, tuple[str, ...]] = field(factory=dict, hash=False)
    init: bytes = field(default=b"", repr=False)  # script, their first program


#: Word for one of what a tool counts, where the catalogue entry names none.
UNNAMED_OPERATION = "operation"

#: Seconds of a deterministic board's clock for what is read before and after a benchmark, which
#: takes 3 to 4; and how many times its own duration a benchmark may take.
GUEST_LEAST_S, GUEST_TIMES = 30, 10


@frozen(kw_only=True)
class Benchmark:
    """One tool with one argv template: a folder of `lava-jobs/benchmarks/`."""

    name: str
    summary: str
    tool: str  # the parser's name in `vlag.parsers`
    argv: Mapping[str, tuple[str, ...]]  # program's role -> argv template; "main" is measured
    parameters: Mapping[str, str | int]  # defaults; a run may override each
    output: str  # raw file that the parser reads
    metrics: tuple[Metric, ...]
    virtual_s: int  # seconds the benchmark takes on the board's own clock
    script: bytes = field(repr=False)  # script on the board; it only runs the tool and prints
    packages: tuple[str, ...]  # Debian packages of the userland, that of the tool first
    needs: Needs = Needs()
    operation: str = UNNAMED_OPERATION  # one of what the tool counts, as in "message"
    unproven: str | None = None  # why the parser has no real capture
    knobs: Mapping[str, str] = field(factory=dict)  # set in every run; values are templates
    guest: GuestSystem | None = None  # None: it starts no virtual machine

    @property
    def programs(self) -> set[str]:
        """Return every program that a board's initramfs must have for it."""
        return {words[0] for words in self.argv.values()} | set(self.needs.programs)

    @property
    def brought(self) -> str | None:
        """Return the program of it that no package has, so that somebody must bring it."""
        if not self.packages:
            return self.argv["main"][0]
        if self.guest is not None and not self.guest.packages:
            return self.guest.programs[0]
        return None

    def own_s(self, values: Mapping[str, object]) -> float:
        """Return the seconds that it takes with these values, on the board's own clock."""
        return float(str(values.get("duration_s", self.virtual_s)))

    def guest_timeout_s(self, values: Mapping[str, object]) -> int:
        """Return its time-out on a board that repeats exactly, in seconds of the board's clock."""
        return math.ceil(GUEST_LEAST_S + GUEST_TIMES * self.own_s(values))

    def metric(self, name: str) -> Metric | None:
        """Return the declared metric of that name, or that once had it, or None."""
        return next((m for m in self.metrics if name in (m.name, *m.formerly)), None)


#: How many times its expected host time a boot may take whose limit is on the board's own clock.
HOST_TIMES = 6


@frozen(kw_only=True)
class BoardType:
    """A kind of board: everything that must be equal for two numbers to be compared."""

    name: str
    arch: str  # as the kernel's ARCH
    deterministic: bool
    cpus: int
    # device template in `lava-jobs/devices/` for a worker host; None: only a lab boots it
    template: str | None
    job: str | None  # job template in `lava-jobs/boot/`; None: only takes in results from elsewhere
    kconfig_target: str  # make target below the fragments; of `a|b` the first that the tree has
    kconfig: tuple[str, ...]  # fragments in `workers/kconfig/`, in order
    cmdline: str  # kernel command line of every boot
    options: tuple[str, ...]  # emulator options; part of the identity
    emulator: str | None  # program whose version is part of the identity
    emulator_minimum: tuple[int, ...] | None
    limits: str | None  # shown with all results of this board
    boot_timeout_s: int
    seconds_per_virtual_s: float  # host seconds a second of the board's clock takes
    boot_s: int  # host seconds from power to the benchmark
    hardware: tuple[str, ...] = ()  # beyond CPUs, memory and a console, as in `Needs`
    # LAVA's device type; another name than ours only where LAVA has one of that name
    lava_type: str = field(default=Factory(lambda self: self.name, takes_self=True))
    dtb: str | None = None  # device tree in the kernel's build, under `arch/ARCH/boot/dts/`
    # Role of devices -> pattern of their nodes' names, where the device tree names none for it.
    nodes: Mapping[str, str] = field(factory=dict, hash=False)
    # Role of devices -> those that no device tree names, as `vlag.kernel.device_ids` has them.
    devices: Mapping[str, tuple[str, ...]] = field(factory=dict, hash=False)
    policy: tuple[str, ...] = ()  # lines for `lava-jobs/boot/prepare.sh`; none: left as it boots
    # Options that its kernels may have as modules -> the modules that it loads for each, in order.
    modules: Mapping[str, tuple[str, ...]] = field(factory=dict, hash=False)
    partner: str | None = None  # board type of the load generator beside each of its boards
    classes: tuple[str, ...] = ()  # by which plans and the settings name it

    @property
    def virtual(self) -> bool:
        """Return whether a program on LAVA's dispatcher emulates the board."""
        return self.emulator is not None

    @property
    def command(self) -> str | None:
        """Return the program that starts the emulator; `lava-jobs/lockstep` has the reason."""
        return f"lockstep-{self.emulator}" if self.deterministic else self.emulator

    @property
    def samples(self) -> bool:
        """Return whether its boards sample cycles, instead of counting what they execute."""
        return not self.deterministic and set(Observation.PERF.hardware) <= set(self.hardware)

    def brings(self, observes: Observation | None) -> Observation | None:
        """Return the observation whose programs a boot has; None: only those of a scored one.

        A deterministic board counts its events from outside, and keeps what it measured so far.
        """
        counts = observes is Observation.SCHEDSTATS
        return None if counts and self.deterministic else observes

    def limit_s(self, timeout_s: int) -> int:
        """Return the seconds from power to end after which a board hangs.

        They are the host's, or the board's own where it repeats exactly.
        """
        return self.boot_timeout_s + timeout_s

    def host_limit_s(self, timeout_s: int) -> int:
        """Return the host seconds from power to end after which a boot is given up."""
        limit_s = self.limit_s(timeout_s)
        if not self.deterministic:
            return limit_s
        return math.ceil(HOST_TIMES * self.seconds_per_virtual_s * limit_s)


@frozen(kw_only=True)
class Board:
    """One board of a type; the list is `ansible/inventory/`."""

    name: str
    board_type: str
    lab: str | None = None  # LAVA server that schedules it; None: a worker host boots it
    worker: str | None = None  # that host; None: the first one that boots boards
    facts: Mapping[str, Any] = field(factory=dict)  # the inventory's other keys


@frozen(kw_only=True)
class PlanEntry:
    """One line of a plan: a benchmark with parameters on board types, once a seed."""

    benchmark: str
    parameters: Mapping[str, str | int]
    board_types: tuple[str, ...]
    seeds: int  # boots 1..seeds
    # Seconds from the start marker to the end marker: the host's, or the board's own where it
    # repeats exactly.
    timeout_s: int
    # Boots of a rerun a side, in all, after each round that confirms a suspicion: seeds+1 and on.
    rounds: tuple[int, ...] = ()
    # The same after each further round, which only a suspicion of a new mode gets.
    mode_rounds: tuple[int, ...] = ()
    number: int = 0  # of the entry in the plan's file that asks for it
    # What extra boots of a kernel observe, and the board types that boot one; not scored.
    observe: Mapping[Observation, tuple[str, ...]] = field(factory=dict)
    knobs: Mapping[str, str] = field(factory=dict)  # of the boots of both kernels
    # Further ones of the new kernel; its base boots an entry that is alike but for these.
    new_knobs: Mapping[str, str] = field(factory=dict)

    @property
    def all_knobs(self) -> dict[str, str]:
        """Knobs of the boots of the new kernel."""
        return {**self.knobs, **self.new_knobs}

    @property
    def all_rounds(self) -> tuple[int, ...]:
        """Boots of a rerun a side after each round, those for a new mode among them."""
        return *self.rounds, *self.mode_rounds


@frozen(kw_only=True)
class Plan:
    """A named list of entries: a file of `lava-jobs/plans/`."""

    name: str
    entries: tuple[PlanEntry, ...]

    def entries_on(self, board_type: str, knobs: Mapping[str, str]) -> tuple[PlanEntry, ...]:
        """Return what a kernel with these knobs boots on a board type.

        Those are the entries with the same knobs. Knobs that no entry has are of a patch, or a
        person's: then it is the entries without any.
        """
        there = [e for e in self.entries if board_type in e.board_types]
        own = tuple(e for e in there if e.all_knobs == dict(knobs))
        return own or tuple(e for e in there if not e.all_knobs)


@frozen(kw_only=True)
class Sample:
    """Numbers of one metric from one run, in the order the tool gave them."""

    metric: str
    values: tuple[float, ...]
    instances: tuple[str, ...]  # one label a value; "" where the tool gives one figure
    absent: tuple[str, ...] = ()  # instances that the tool looked for and reports as absent


def _counts(rows: Sequence[Sequence[int]] | npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return a read-only table."""
    import numpy as np  # noqa: PLC0415 - most commands have no table of counts

    table = np.asarray(rows, dtype=np.int64).reshape(len(rows), -1)
    table.setflags(write=False)
    return table


def _equal(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> bool:
    import numpy as np  # noqa: PLC0415 - as above

    return np.array_equal(one, other)


@frozen(kw_only=True)
class Histogram:
    """A distribution as the tool counted it: one row of counts an instance (thread).

    `counts[i, j]` samples of instance i fell into the bucket that begins at
    `bounds[j]`; `overflow[i]` samples lay beyond the last bucket the tool keeps.
    """

    metric: str
    bounds: tuple[int, ...]  # ascending, only buckets that any instance hit
    # shape (instances, bounds); any nested sequence is taken
    counts: npt.NDArray[np.int64] = field(converter=_counts, eq=cmp_using(_equal))
    overflow: tuple[int, ...]
    limit: int  # first value that counts as overflow
    maximum: tuple[float, ...]  # largest value seen, an instance
    instances: tuple[str, ...]
    expected: int | None = None  # samples the parameters ask for, all instances
    # Distance of an instance's cycles in the unit of `bounds`, where the tool skips the
    # cycles that are due while it still waits for an earlier one; None: it does not, or
    # nothing says so.
    interval: int | None = None

    @property
    def achieved(self) -> int:
        """Number of samples that the tool took, overflows included."""
        return int(self.counts.sum()) + sum(self.overflow)


@frozen(kw_only=True)
class Quantity:
    """A tool's metric: its unit, and which way it gets better."""

    unit: str  # as in "1/s", "ns", "us"
    direction: Direction


@frozen(kw_only=True)
class ParsedOutput:
    """The content of one raw file."""

    tool: str
    benchmark: str  # name of what the tool ran, as in "stress-ng pipe"
    tool_version: str | None  # None where the output has none
    defaults: Mapping[str, str]  # effective settings that change a metric's meaning
    samples: tuple[Sample, ...]
    histograms: tuple[Histogram, ...]
    operations: int | None = None  # how many the tool did; None: its output does not say
    # How the tool was run, as far as its output says, beside `defaults`; no part of a time series.
    settings: Mapping[str, str] = field(factory=dict)
    notes: tuple[str, ...] = ()  # what a reader must know of the output as it is, as phrases


def canonical_json(value: Any) -> bytes:
    """Return the one JSON text of `value`: sorted keys, no spaces, UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest(value: Any) -> str:
    """Return the SHA-256 of `value`'s canonical JSON as 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def time_series_key(
    *,
    benchmark: str,
    parameters: Mapping[str, str | int],
    metric: str,
    unit: str,
    tool: str,
    tool_version: str,
    defaults: Mapping[str, str],
    board_type: str,
) -> str:
    """Return the digest that identifies a time series; only equal digests can be compared."""
    return digest(
        {
            "benchmark": benchmark,
            "parameters": dict(parameters),
            "metric": metric,
            "unit": unit,
            "tool": tool,
            "tool_version": tool_version,
            "defaults": dict(defaults),
            "board_type": board_type,
        }
    )
