# SPDX-License-Identifier: GPL-2.0-only
"""What kernels must have, all of a board type or that of one boot, and who asks for it.

An option must be built in, or be one of the board type's modules.  Nobody lists them: they follow
from the board's CPUs, its policy, the way it boots and sends its results, and the benchmarks that
plans run on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import evolve

from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import kconfig
from vlag.kernel.boot_devices import ROLES, Role
from vlag.kernel.kconfig import Need
from vlag.model import Benchmark, BoardType, Observation

#: Highest number of CPUs that x86's interrupts reach without x2APIC.
_MOST_XAPIC_CPUS = 255

#: Action of a policy -> options; `{}` is the action's first word in capitals.  Actions that
#: only switch something off need nothing: a kernel without it has it off.
_POLICY: Mapping[str, tuple[str, ...]] = {
    "cpus": ("CONFIG_HOTPLUG_CPU",),
    "governor": ("CONFIG_CPU_FREQ", "CONFIG_CPU_FREQ_GOV_{}"),
    "frequency_khz": ("CONFIG_CPU_FREQ",),
    "cstate_latency_us": ("CONFIG_CPU_IDLE",),
    "temperature_max_mC": ("CONFIG_THERMAL",),
    "thp": ("CONFIG_TRANSPARENT_HUGEPAGE",),
    "schedstats": ("CONFIG_SCHEDSTATS",),
}

#: Hardware of a board type -> options of all boards with it; drivers are the board's own.
_HARDWARE: Mapping[str, tuple[str, ...]] = {
    "network": ("CONFIG_NETDEVICES", "CONFIG_INET"),
    "pmu": ("CONFIG_PERF_EVENTS",),
    "kvm": ("CONFIG_KVM",),
    "disk": ("CONFIG_BLOCK",),
}


def of_board_type(kind: BoardType, catalogue: Catalogue) -> tuple[Need, ...]:
    """Return what kernels of a board type need, each option once, by option."""
    needs: dict[str, Need] = {}
    for need in (*_cpus(kind), *_boot(kind), *_policy(kind), *_benchmarks(kind, catalogue)):
        needs.setdefault(need.option, _on(kind, need))
    return tuple(needs[option] for option in sorted(needs))


def roles(kind: BoardType) -> dict[str, Role]:
    """Return the roles of the devices by which a board boots, is measured and sends its results."""
    required = {name for name, _, *may_lack in map(str.split, kind.policy) if not may_lack}
    must = {
        "network": "network" in kind.hardware,
        "storage": "disk" in kind.hardware,
        "temperature": "temperature_max_mC" in required,
        "frequency": not required.isdisjoint(("governor", "frequency_khz")),
    }
    asked = {
        role: Role(kind.nodes.get(role), must.get(role, False), kind.devices.get(role, ()))
        for role in ROLES
    }
    # Boards boot from memory: only a benchmark on a disk needs one.
    storage = asked["storage"]
    if not (storage.must or storage.pattern or storage.ids):
        del asked["storage"]
    return asked


def of_boot(
    benchmark: Benchmark, kind: BoardType, observes: Observation | None = None
) -> tuple[Need, ...]:
    """Return what a benchmark, and an observation of it, need of a board type's kernel."""
    return tuple(_on(kind, need) for need in _benchmark(benchmark, observes, benchmark.name))


def check_boot(
    benchmark: Benchmark, kind: BoardType, config: Path, observes: Observation | None = None
) -> None:
    """Raise UsageError if the board type or the kernel of a `.config` lacks what a boot needs."""
    if observes is not None and observes.from_outside and not kind.deterministic:
        raise UsageError(
            f"only a deterministic board is profiled, which {kind.name} is not: its emulator"
            " counts what the guest executes"
        )
    for name in () if observes is None else observes.hardware:
        if name not in kind.hardware:
            raise UsageError(
                f"observing {observes} needs {name}, which board type {kind.name} does not have"
            )
    if lacking := benchmark.needs.lacking(kind):
        raise UsageError(
            f"{benchmark.name} needs {', '.join(lacking)}, which board type {kind.name}"
            " does not have"
        )
    if not (needs := of_boot(benchmark, kind, observes)):
        return
    if unmet := kconfig.unmet(needs, kconfig.options(config.read_text(encoding="utf-8"))):
        observing = "" if observes is None else f" observing {observes}"
        raise UsageError(
            f"{benchmark.name}{observing} needs {', '.join(need.option for need in unmet)}, which"
            f" {config} lacks; add it to a fragment of {kind.name} in workers/kconfig/ and build"
            " again"
        )


def _on(kind: BoardType, need: Need) -> Need:
    """Return a need of a board type, which may load a module for it."""
    return evolve(need, module=need.option in kind.modules)


def _cpus(kind: BoardType) -> Iterator[Need]:
    reason = f"{kind.name} with its {kind.cpus} CPUs"
    if kind.cpus > 1:
        yield Need(option="CONFIG_SMP", reason=reason)
        yield Need(option="CONFIG_NR_CPUS", reason=reason, least=kind.cpus)
    if kind.arch == "x86_64" and kind.cpus > _MOST_XAPIC_CPUS:
        for option in ("CONFIG_X86_X2APIC", "CONFIG_IRQ_REMAP"):
            yield Need(option=option, reason=reason)


def _boot(kind: BoardType) -> Iterator[Need]:
    reason = f"{kind.name}, which boots from memory,"
    for option in ("CONFIG_BLK_DEV_INITRD", "CONFIG_RD_ZSTD", "CONFIG_DEVTMPFS"):
        yield Need(option=option, reason=reason)
    for name in kind.hardware:
        for option in _HARDWARE.get(name, ()):
            yield Need(option=option, reason=f"{kind.name} with its hardware {name}")


def _policy(kind: BoardType) -> Iterator[Need]:
    for line in kind.policy:
        action, _, rest = line.partition(" ")
        value = rest.split()[0] if rest else ""
        if value in ("off", "never"):
            continue
        for option in _POLICY.get(action, ()):
            yield Need(
                option=option.format(value.upper()),
                reason=f'the policy "{line}" of {kind.name}',
            )


def _benchmarks(kind: BoardType, catalogue: Catalogue) -> Iterator[Need]:
    for name, plan in sorted(catalogue.plans.items()):
        for entry in plan.entries:
            if kind.name not in entry.board_types:
                continue
            reason = f"{entry.benchmark} of plan {name}"
            benchmark = catalogue.benchmark(entry.benchmark)
            yield from _benchmark(benchmark, None, reason)
            for observation, types in entry.observe.items():
                if kind.name in types:
                    yield from _observation(observation, reason)


def _benchmark(benchmark: Benchmark, observes: Observation | None, reason: str) -> Iterator[Need]:
    for option in benchmark.needs.kconfig:
        yield Need(option=option, reason=reason)
    if observes is not None:
        yield from _observation(observes, reason)


def _observation(observes: Observation, reason: str) -> Iterator[Need]:
    for option in observes.kconfig:
        yield Need(option=option, reason=f"{reason} observing {observes}")
