"""The nightly on a farm: Buildbot, a real LAVA server with two virtual boards, PostgreSQL.

The kernels are those of the first night; the boots go through the server instead of
lava-run, told by LAVA's callback.  What the deterministic board prints must not depend on
who booted it.
"""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.lava_lab import running
from tests.night.clone import Night
from tests.night.farm import Farm, Line, prepare

pytestmark = pytest.mark.night

BOARDS = ("lab-sim2-1", "lab-sim2-2")
FAULTS = ("master", "worker", "scheduler", "dispatcher", "job", "database", "network", "stopped")


@pytest.fixture(scope="module")
def farm(night: Night, cluster: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    with (
        running(cluster, tmp_path_factory.mktemp("lava")) as lava,
        Line(int(lava.url.rsplit(":", 1)[1])) as line,
    ):
        made = prepare(night, lava, line, BOARDS, FAULTS)
        try:
            made.service.start()
            yield made
        finally:
            made.service.stop()
            clean(night, made)


def clean(night: Night, farm: Farm) -> None:
    """Make the clone what it was."""
    shutil.rmtree(farm.night.state)
    farm.service.toml.unlink()
    subprocess.run(["git", "-C", night.clone, "checkout", "--quiet", "."], check=True)
    for name in ("farm", *FAULTS):
        (night.clone / "lava-jobs" / "plans" / f"{name}.yaml").unlink()


@pytest.fixture(scope="module")
def nightly(farm: Farm) -> Farm:
    """The farm after its night."""
    farm.service.force_night()

    def done() -> bool:
        return any(b["complete"] for b in farm.service.builds("nightly"))

    farm.service.wait(done, 900)
    return farm


def test_a_night_runs_on_the_boards_of_the_lab(nightly: Farm) -> None:
    [build] = nightly.service.builds("nightly")
    assert build["results"] in (0, 1), build
    runs = nightly.rows("SELECT * FROM run ORDER BY id")
    assert len(runs) == 4  # two kernels, two seeds
    assert {r["outcome"] for r in runs} == {"complete"}
    assert {r["board"] for r in runs} <= set(BOARDS)
    assert {r["executor"]["lab"] for r in runs} == {"home"}
    samples = nightly.rows("SELECT count(*) AS n FROM sample")
    assert samples[0]["n"] >= 4
    report = Path(build["properties"]["report"]).read_text()
    assert "stress-ng-switch" in report


def test_each_boot_is_one_job(nightly: Farm) -> None:
    jobs = nightly.jobs()
    runs = nightly.rows("SELECT executor FROM run")
    assert sorted(j["id"] for j in jobs) == sorted(r["executor"]["job"] for r in runs)
    assert {j["health"] for j in jobs} == {"Complete"}


def test_the_lab_shows_the_result_itself(nightly: Farm) -> None:
    for job in nightly.jobs():
        results = {(r.suite, r.name): r.result for r in nightly.client.results(job["id"])}
        assert results["0_vlag", "benchmark"] == "pass", results
