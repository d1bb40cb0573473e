# SPDX-License-Identifier: GPL-2.0-only
"""What a benchmark needs and a board or kernel lacks is said before anything is booted."""

from pathlib import Path

import pytest
from attrs import evolve

from vlag.config import kernel_needs
from vlag.config.catalogue import load
from vlag.errors import UsageError
from vlag.model import Needs
from vlag.pipeline.run import _tools_word

CATALOGUE = load()
SWITCH = CATALOGUE.benchmark("stress-ng-switch")
SIM = CATALOGUE.board_type("qemu-sim-2")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config"
    path.write_text("CONFIG_SMP=y\n# CONFIG_KPROBE_EVENTS is not set\nCONFIG_NET=m\n")
    return path


def test_what_is_there_is_enough(config: Path) -> None:
    kernel_needs.check_boot(SWITCH, SIM, config)
    needs = Needs(kconfig=("CONFIG_SMP",), hardware=("pmu",))
    kernel_needs.check_boot(
        evolve(SWITCH, needs=needs), evolve(SIM, hardware=("pmu", "kvm")), config
    )


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        (
            Needs(machines=2),
            "stress-ng-switch needs 2 machines, which board type qemu-sim-2 does not have",
        ),
        (
            Needs(hardware=("pmu", "kvm")),
            "stress-ng-switch needs pmu, kvm, which board type qemu-sim-2 does not have",
        ),
        (Needs(kconfig=("CONFIG_SMP", "CONFIG_KPROBE_EVENTS")), "needs CONFIG_KPROBE_EVENTS, "),
        (Needs(kconfig=("CONFIG_NET",)), "needs CONFIG_NET, "),  # no board loads modules
        (Needs(kconfig=("CONFIG_SM",)), "needs CONFIG_SM, "),
    ],
)
def test_what_lacks_is_named(config: Path, needs: Needs, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        kernel_needs.check_boot(evolve(SWITCH, needs=needs), SIM, config)
    assert said in str(refused.value)


def test_a_failed_run_says_what_the_tool_says() -> None:
    raw = b"stress-ng: error: [1] No stress workers invoked (one or more were unsupported)\n"
    assert _tools_word(SWITCH, raw).startswith("; stress-ng.txt:1: stress-ng skipped the stressor")
    capture = Path(__file__).parents[1] / "data" / "raw" / "stress-ng-switch-0.15.06.txt"
    assert _tools_word(SWITCH, capture.read_bytes()) == ""


def test_shipped_needs_are_met_by_the_boards_that_plans_name() -> None:
    for plan in CATALOGUE.plans.values():
        for entry in plan.entries:
            for name in entry.board_types:
                board, needs = (
                    CATALOGUE.board_type(name),
                    CATALOGUE.benchmark(entry.benchmark).needs,
                )
                assert set(needs.hardware) <= set(board.hardware), (plan.name, entry.benchmark)
