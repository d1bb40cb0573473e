"""What the kernels of a board type must have, and who asks for it.

It must be built in, or be one of the board type's modules.  Nobody lists it: it follows from the
board's CPUs, its policy, the way it boots and sends its results, and the benchmarks that plans
run on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import evolve

from vlag.config.catalogue import Catalogue
from vlag.kernel.kconfig import Need
from vlag.model import BoardType

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


def of(board_type: BoardType, catalogue: Catalogue) -> tuple[Need, ...]:
    """Return what kernels of a board type need, each option once, by option."""
    found: dict[str, Need] = {}
    for need in (
        *_cpus(board_type), *_boot(board_type), *_policy(board_type),
        *_benchmarks(board_type, catalogue),
    ):  # fmt: skip
        found.setdefault(need.option, evolve(need, module=need.option in board_type.modules))
    return tuple(found[option] for option in sorted(found))


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
            for option in catalogue.benchmark(entry.benchmark).needs.kconfig:
                yield Need(option=option, reason=reason)
            for observation, types in entry.observe.items():
                if kind.name in types:
                    for option in observation.kconfig:
                        yield Need(option=option, reason=f"{reason} observing {observation}")
