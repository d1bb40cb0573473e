# SPDX-License-Identifier: GPL-2.0-only
"""A failed build, a panic at boot and a hang are results on record, and the night goes on.

The service of the first night is started again, on the same state, with three more
branches to watch.  In the middle of it the master is killed without a warning.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from attrs import frozen

from tests.night.clone import Night, branch, write_settings
from tests.night.service import Service, edited, push, rows

pytestmark = pytest.mark.long

#: What is added to the end of init/main.c.
FAULTS = {
    "fault-build": "this is not C\n",
    "fault-panic": """
static int __init vlag_fault(void)
{
	panic("vlag test: a panic at boot");
}
late_initcall(vlag_fault);
""",
    "fault-hang": """
static int __init vlag_fault(void)
{
	for (;;)
		cpu_relax();
	return 0;
}
late_initcall(vlag_fault);
""",
}
#: Short time-outs; the good kernels' runs are those of the first night.
PLAN = """
plan: faults
entries:
  - benchmark: stress-ng-switch
    board_types: [qemu-sim-2]
    seeds: 5
    timeout_s: 20
"""


@frozen(kw_only=True)
class SecondNight:
    """What it left."""

    report: str
    runs: list[dict[str, Any]]  # rows of the database
    builds: list[dict[str, Any]]


@pytest.fixture(scope="module")
def second(night: Night, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecondNight]:
    """Run a night over the good branch and the faulty ones; kill the master in its middle."""
    folder = tmp_path_factory.mktemp("faults")
    for name, code in FAULTS.items():
        push(night, name, [(f"init: add a {name}", edited("init/main.c", "", code))], folder)
    (night.clone / "lava-jobs/plans/faults.yaml").write_text(PLAN)
    branches = "".join(branch(name, plan="faults") for name in (*FAULTS, "linux-6.12"))
    # Branches that are new to the poller would be built a second time by it.
    toml = write_settings(night.clone, "faults.toml", branches, poll_interval_s=86400)
    before = night.report_files()
    service = Service(night, toml)
    service.start()
    try:
        service.force_night()
        bad = night.state / "builds"
        # In the middle: one of the night's kernels is on record, the next is being built.
        known = len(list(bad.glob("*/*/build.json")))
        service.wait(lambda: len(list(bad.glob("*/*/build.json"))) > known)
        service.wait(lambda: list(bad.glob("*/*.objects")))
        service.kill_master()
        service.wait(lambda: night.report_files() - before)
        [report] = night.report_files() - before
        yield SecondNight(
            report=report.read_text(),
            runs=rows(night, "SELECT r.*, k.branch FROM run r JOIN kernel k ON k.id = r.kernel"),
            builds=rows(
                night, "SELECT b.*, k.subject FROM build b JOIN kernel k ON k.id = b.kernel"
            ),
        )
    finally:
        service.stop()


def documents(night: Night, pattern: str, fault: str) -> list[dict[str, Any]]:
    """Return what is on disk of the commit that adds a fault."""
    found = [json.loads(p.read_text()) for p in (night.state).glob(pattern)]
    return [d for d in found if d["kernel"]["subject"] == f"init: add a {fault}"]


# The poller sees the new branches too, so that a kernel may be tried a second time while
# these tests look: what holds of one attempt holds of each.


def flat(report: str) -> str:
    """Undo the report's line breaks."""
    return re.sub(r"\s+", " ", report)


def test_a_failed_build_is_a_result(night: Night, second: SecondNight) -> None:
    builds = documents(night, "builds/*/*/build.json", "fault-build")
    assert builds
    for build in builds:
        assert build["outcome"] == "build_failed"
        assert re.match(r"init/main\.c:\d+:\d+: error: ", build["reason"])
        assert build["reason"] in flat(second.report)


def test_a_panic_at_boot_is_a_result_and_gates_the_rest(night: Night, second: SecondNight) -> None:
    runs = documents(night, "runs/*/*/run.json", "fault-panic")
    assert {r["seed"] for r in runs} == {1}
    for run in runs:
        assert run["outcome"] == "panic"
        assert "vlag test: a panic at boot" in run["reason"]
        assert [h["kind"] for h in run["health"]] == ["panic"]
    assert "vlag test: a panic at boot" in flat(second.report)


def test_a_hang_is_a_result_and_gates_the_rest(night: Night, second: SecondNight) -> None:
    runs = documents(night, "runs/*/*/run.json", "fault-hang")
    assert {r["seed"] for r in runs} == {1}
    for run in runs:
        assert run["outcome"] == "hang"
        assert "while booting" in run["reason"]
    assert "hang: no end within" in flat(second.report)


def test_the_night_went_on(second: SecondNight) -> None:
    """The report is made from the database: what stands in it is on record."""
    assert re.search(r"stress-ng-switch bogo-ops-rate", second.report)
    assert "6.12." in second.report


def test_nothing_is_lost_and_nothing_twice(night: Night, second: SecondNight) -> None:
    """Over two nights, a clean restart between them and a master killed in the second."""
    complete = [r for r in second.runs if r["outcome"] == "complete"]
    keys = [r["run_key"] for r in complete]
    assert len(keys) == len(set(keys))
    # What is whole on disk is on record, and nothing else.
    on_disk = {
        json.loads(path.read_text())["run_key"]
        for path in night.state.glob("runs/*/*/run.json")
        if path.parent.suffix != ".partial"
    }
    assert on_disk == {r["run_key"] for r in second.runs}
    # Every seed of the good kernel, which the report counts.
    seeds = {r["seed"] for r in complete if r["benchmark"] == "stress-ng-switch"}
    assert seeds >= {1, 2, 3, 4, 5}
    assert "5 + 5" in second.report
    # A kernel that is whole is built once; one that the kill cut off left no build.
    for name in ("fault-panic", "fault-hang"):
        outcomes = [b["outcome"] for b in second.builds if b["subject"] == f"init: add a {name}"]
        assert outcomes == ["complete"]
