# SPDX-License-Identifier: GPL-2.0-only
"""What a board type's kernels must have built in follows from the catalogue."""

import pytest
from attrs import evolve

from vlag.config import catalogue, kernel_needs
from vlag.kernel.kconfig import Need, unmet
from vlag.model import BoardType, Observation

CATALOGUE = catalogue.load()
BIG = CATALOGUE.board_type("x86-480")


def reasons(kind: BoardType, known: catalogue.Catalogue = CATALOGUE) -> dict[str, str]:
    return {need.wanted: need.reason for need in kernel_needs.of_board_type(kind, known)}


def config(needs: tuple[Need, ...]) -> dict[str, str]:
    return {n.option: "y" if n.least is None else str(n.least) for n in needs}


def test_many_cpus_need_numbers_for_them() -> None:
    found = reasons(BIG)
    assert found["CONFIG_NR_CPUS >= 480"] == "x86-480 with its 480 CPUs"
    assert "CONFIG_X86_X2APIC=y" in found
    few = reasons(evolve(BIG, cpus=255))
    assert "CONFIG_NR_CPUS >= 255" in few
    assert "CONFIG_X86_X2APIC=y" not in few
    assert "CONFIG_X86_X2APIC=y" not in reasons(evolve(BIG, arch="arm64"))


def test_a_policy_needs_what_it_sets() -> None:
    bare = evolve(BIG, policy=())
    assert "CONFIG_CPU_FREQ=y" not in reasons(bare)
    asked = reasons(evolve(BIG, policy=("governor schedutil",)))
    assert asked["CONFIG_CPU_FREQ_GOV_SCHEDUTIL=y"] == 'the policy "governor schedutil" of x86-480'
    # What is switched off may as well not be there.
    off = evolve(BIG, policy=("schedstats off", "autogroup off"))
    assert reasons(off) == reasons(bare)
    assert "CONFIG_SCHEDSTATS=y" in reasons(evolve(BIG, policy=("schedstats on",)))
    assert "CONFIG_TRANSPARENT_HUGEPAGE=y" in reasons(evolve(BIG, policy=("thp madvise",)))
    assert reasons(evolve(BIG, policy=("thp never",))) == reasons(bare)


def test_benchmarks_need_what_the_catalogue_says() -> None:
    assert reasons(BIG)["CONFIG_CPUMASK_OFFSTACK=y"] == "c2c-ffmpeg of plan s2"
    without = evolve(CATALOGUE, plans={k: p for k, p in CATALOGUE.plans.items() if k != "s2"})
    assert "CONFIG_CPUMASK_OFFSTACK=y" not in reasons(BIG, without)


def test_what_extra_boots_observe_needs_its_options() -> None:
    observing = [
        (name, entry, word)
        for name, plan in CATALOGUE.plans.items()
        for entry in plan.entries
        for word, types in entry.observe.items()
        if word is Observation.SCHEDSTATS and "qemu-sim-2" in types
    ]
    assert observing
    found = reasons(CATALOGUE.board_type("qemu-sim-2"))
    assert set(observing[0][2].kconfig) <= {wanted.removesuffix("=y") for wanted in found}


@pytest.mark.parametrize("name", sorted(CATALOGUE.board_types))
def test_each_need_is_missed_when_it_is_dropped(name: str) -> None:
    needs = kernel_needs.of_board_type(CATALOGUE.board_type(name), CATALOGUE)
    whole = config(needs)
    assert needs
    assert unmet(needs, whole) == []
    for need in needs:
        dropped = {k: v for k, v in whole.items() if k != need.option}
        assert unmet(needs, dropped) == [need]
        assert need.refusal(dropped) == f"{need.reason} needs {need.wanted}, the kernel made it n"


@pytest.mark.parametrize(
    ("value", "met"), [("480", True), ("512", True), ("479", False), ("y", False), ("n", False)]
)
def test_a_number_must_be_large_enough(value: str, met: bool) -> None:
    need = Need(option="CONFIG_NR_CPUS", reason="it", least=480)
    assert need.met({"CONFIG_NR_CPUS": value}) is met


def test_a_module_is_not_built_in() -> None:
    need = Need(option="CONFIG_KVM", reason="the policy")
    config = {"CONFIG_KVM": "m"}
    assert unmet([need], config) == [need]
    assert need.refusal(config) == "the policy needs CONFIG_KVM=y, the kernel made it m"


def test_roles_of_devices_follow_from_policy_and_hardware() -> None:
    small = CATALOGUE.board_type("rb5")
    asked = kernel_needs.roles(small)
    assert {name for name, role in asked.items() if role.must} == {
        "network", "temperature", "frequency",
    }  # fmt: skip
    assert asked["network"].pattern == "usb@a8*"
    bare = kernel_needs.roles(evolve(small, policy=(), hardware=(), nodes={}))
    assert not any(role.must or role.pattern for role in bare.values())
    for word in ("optional", "described"):
        lenient = evolve(small, policy=(f"temperature_max_mC 60000 {word}",))
        assert not kernel_needs.roles(lenient)["temperature"].must
