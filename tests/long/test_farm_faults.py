# SPDX-License-Identifier: GPL-2.0-only
"""Parts of a farm are killed while a job is on its board; nothing is lost, nothing twice."""

from collections.abc import Iterator

import pytest

from bench.evidence import table, write
from tests.night.clone import Night
from tests.night.farm import Farm, boot_killed, farming

pytestmark = pytest.mark.long

PLANS = ("worker", "scheduler", "dispatcher", "job", "database", "network", "stopped")


@pytest.fixture(scope="module")
def farm(night: Night, cluster: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    with farming(night, cluster, tmp_path_factory.mktemp("lava"), PLANS) as made:
        made.first_night()
        yield made


def test_the_worker_is_killed(farm: Farm) -> None:
    with boot_killed(farm, "worker") as job:
        farm.service.kill_worker()
    assert job["health"] == "Complete"


def test_the_database_is_killed(farm: Farm) -> None:
    with boot_killed(farm, "database") as job:
        farm.service.kill("postgres", "-D", str(farm.night.state))
    assert job["health"] == "Complete"


def test_the_labs_scheduler_is_killed(farm: Farm) -> None:
    with boot_killed(farm, "scheduler") as job:
        farm.lava.kill("scheduler")
        farm.lava.start("scheduler")
    assert job["health"] == "Complete"


def test_the_labs_worker_is_killed_and_its_job_goes_on(farm: Farm) -> None:
    with boot_killed(farm, "dispatcher") as job:
        farm.lava.kill("worker")
        farm.lava.start("worker")
    assert job["health"] == "Complete"


def test_the_labs_worker_is_killed_with_its_job(farm: Farm) -> None:
    """The lab's fault, not the kernel's: the boot is tried again, and stands once on record."""
    with boot_killed(farm, "job", jobs=2) as job:
        farm.lava.kill("worker", jobs=True)
        farm.lava.start("worker")
    assert job["health"] == "Incomplete"


def test_a_lab_out_of_reach_loses_nothing(farm: Farm) -> None:
    """The line is cut while the board works, and mended after the job has ended."""
    with boot_killed(farm, "network") as job:
        farm.line.sever()
        farm.service.wait(lambda: farm.client.job(job["id"]).state == "Finished", 240)
        farm.line.mend()
    assert job["health"] == "Complete"


def test_stopping_the_build_cancels_the_job(farm: Farm) -> None:
    last = max((j["id"] for j in farm.jobs()), default=0)
    farm.force("stopped")
    job = farm.wait_for_job(last, "Running")
    farm.stop_board_builds()
    farm.service.wait(lambda: farm.client.job(job["id"]).health == "Canceled", 60)
    assert not farm.rows("SELECT * FROM run WHERE plan = 'stopped'")


#: Plan of `boot_killed` -> what is done to it.
HARM = {
    "worker": "Buildbot's worker is killed; the service starts another one",
    "database": "PostgreSQL is killed",
    "scheduler": "LAVA's scheduler is killed and started again",
    "dispatcher": "LAVA's worker is killed and started again; its job goes on",
    "job": "LAVA's worker is killed together with its job",
    "network": "the line to LAVA is cut until the job has ended",
}


def test_the_evidence(farm: Farm) -> None:
    """Write down what was done to the farm and what came of it."""
    assert {plan for plan, *_ in farm.survived} == set(HARM)
    rows = [(HARM[plan], jobs, health, f"{s:.0f}") for plan, jobs, health, s in farm.survived]
    write(
        "farm-faults",
        "Parts of a farm killed while a job is on its board",
        "pytest -m long tests/long/test_farm_faults.py",
        ["boards: two deterministic virtual boards behind a real LAVA server"],
        [
            "Each row is one forced build of one boot. At the end the database held one complete",
            "run, that of the last job. Other tests cover a killed master and a build that a",
            "person stops.",
            "",
            *table(("what happens", "jobs", "the first one ended", "seconds until the verdict"),
                   rows),
        ],
    )  # fmt: skip
