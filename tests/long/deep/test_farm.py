# SPDX-License-Identifier: GPL-2.0-only
"""The nightly on a farm: Buildbot, a real LAVA server with two virtual boards, PostgreSQL.

The kernels are those of the first night; the boots go through the server instead of
lava-run, told by LAVA's callback.  What the deterministic board prints must not depend on
who booted it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.night.clone import Night
from tests.night.farm import BOARDS, Farm, boot_killed, farming

pytestmark = pytest.mark.long

#: Plans of one boot each.
PLANS = ("master",)


@pytest.fixture(scope="module")
def farm(night: Night, cluster: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    with farming(night, cluster, tmp_path_factory.mktemp("lava"), PLANS) as made:
        yield made


@pytest.fixture(scope="module")
def nightly(farm: Farm) -> Farm:
    """The farm after its first night."""
    farm.first_night()
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
        results = {r.name: r for r in nightly.client.results(job["id"]) if r.suite == "vlag"}
        assert results["benchmark"].result == "pass"
        rate = results["bogo_ops_rate"]  # as LAVA spells it
        assert rate.units == "1/s"
        [run] = nightly.rows(
            "SELECT s.values FROM sample s JOIN run r ON r.id = s.run"
            " JOIN series x ON x.id = s.series"
            " WHERE r.executor->>'job' = %s AND metric = 'bogo-ops-rate'",
            str(job["id"]),
        )
        assert rate.measurement == run["values"][0]


def test_the_same_boot_without_a_server_gives_the_same_digits(nightly: Farm) -> None:
    """Down to the tool's raw output: who boots the deterministic board does not matter."""
    [run, *_] = nightly.rows("SELECT *, in_state(location) AS folder FROM run ORDER BY id")
    document = run["document"]
    folder = Path(run["folder"])
    with nightly.local_board("here-1"):
        here = nightly.vlag(
            "run", nightly.build_of(run), "--board", "here-1", "--benchmark", run["benchmark"],
            "--param", "duration_s=2", "--seed", run["seed"], "--timeout", 120,
        )  # fmt: skip
    assert here["run_key"] == document["run_key"]
    raw = Path(here["output"]).read_bytes()
    assert raw == (folder / document["output"]).read_bytes()
    # Negative control: another seed gives other digits.
    [other] = nightly.rows(
        "SELECT document FROM run WHERE kernel = %s AND seed <> %s", run["kernel"], run["seed"]
    )
    theirs = {f["path"]: f["sha256"] for f in other["document"]["files"]}
    mine = {f["path"]: f["sha256"] for f in document["files"]}
    assert mine[document["output"]] != theirs[document["output"]]


def test_each_board_is_checked_itself(nightly: Farm) -> None:
    """Every board boots the baseline, pinned; the second must repeat the first to the digit."""
    nightly.check_boards()
    checks = nightly.rows("SELECT board, finding FROM board_check ORDER BY run")
    assert {c["board"] for c in checks} == set(BOARDS)
    assert sorted(c["finding"] for c in checks) == ["equal", "first"]
    jobs = [j for j in nightly.jobs() if j["description"].split(": ")[1].startswith("cyclictest")]
    assert sorted(j["actual_device"] for j in jobs) == sorted(BOARDS)


def test_a_master_that_is_killed_finds_its_job_again(nightly: Farm) -> None:
    with boot_killed(nightly, "master") as job:
        nightly.service.kill_master()
    assert job["health"] == "Complete"
