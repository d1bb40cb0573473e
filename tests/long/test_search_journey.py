# SPDX-License-Identifier: GPL-2.0-only
"""From a push to the verified commit, toggle and function, with no command given.

Boards of two types of a real LAVA server boot it, and one of this host counts what it executes.
Master, database and LAVA's dispatcher are killed in the middle.  It is made twice: toggles take
most of its boots, and are tried the second time alone.  Negative control: then a merge of as many
commits is pushed, of which none costs anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from attrs import frozen

from bench import evidence
from bench import journey as page
from tests.long.loop_farm import RETRY, LoopFarm, loop_farm
from tests.long.loop_history import COST

pytestmark = pytest.mark.long

BOARDS = {"loop-a": ("a-1", "a-2"), "loop-b": ("b-1", "b-2")}
COUNTS = {"qemu-sim-2": ("sim2-1",)}
EVERY = [*BOARDS, *COUNTS]
#: Steps of the page, in their order.
STEPS = ("commit", "build", "first boot", "suspected", "confirmed", "alert opened", "profile",
         "toggles", "search", "commit")  # fmt: skip


@frozen(kw_only=True)
class Journey:
    """The farm after all of it."""

    farm: LoopFarm
    toggled: bool  # whether toggles were tried
    alerts: list[dict[str, Any]]  # when the search had ended
    jobs: list[dict[str, Any]]  # of LAVA, for the boots before the first kill
    planned: dict[tuple[str, int], str | None]  # the board of each seed of a plan by then
    quiet: str  # the merge of commits that cost nothing

    @property
    def commits(self) -> dict[str, str]:
        """Return the commits of the slow merge by what they do."""
        return self.farm.history.commits["topic"]

    @property
    def paragraph(self) -> str:
        """Return the first paragraph of the only alert."""
        [alert] = self.alerts
        return " ".join(alert["body"].partition("\n\n")[0].split())


@pytest.fixture(scope="module", params=[False, True], ids=["without-toggles", "with-toggles"])
def journey(
    request: pytest.FixtureRequest,
    cluster: str,
    tmp_path_factory: pytest.TempPathFactory,
    pytestconfig: pytest.Config,
) -> Iterator[Journey]:
    toggled = bool(request.param)
    automatic = ("profile", *(("toggles",) if toggled else ()), "bisect")
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    folder = tmp_path_factory.mktemp("journey")
    with (
        capture.global_and_fixture_disabled(),
        loop_farm(cluster, folder, BOARDS, COUNTS, automatic) as farm,
    ):
        farm.start()
        farm.say("the service is up")
        slow = farm.history.push_merge("topic", slow=True)
        farm.say("a merge is pushed, of which one commit costs 8 %")
        farm.wait(lambda: farm.ended("push", slow))
        farm.say("it has its verdict")
        farm.wait(lambda: farm.rows("SELECT 1 FROM alert"))
        farm.say("it has its alert")
        farm.wait(lambda: farm.builds("profile"))
        farm.say("the search for causes has begun by itself")
        jobs, planned = jobs_of(farm), farm.of_seeds()
        kill_everything(farm)
        farm.wait(lambda: farm.rows("SELECT 1 FROM bisection"))
        farm.say("the commit is found and verified")
        farm.wait(lambda: farm.ended("profile"))
        farm.say("all causes are told")
        alerts = farm.rows("SELECT * FROM alert")
        quiet = farm.history.push_merge("unchanged", slow=False)
        farm.wait(lambda: farm.ended("push", quiet))
        farm.say("a merge of commits that cost nothing has its verdict")
        yield Journey(
            farm=farm, toggled=toggled, alerts=alerts, jobs=jobs, planned=planned, quiet=quiet
        )  # fmt: skip


def jobs_of(farm: LoopFarm) -> list[dict[str, Any]]:
    """Return the boots on LAVA's boards so far, each with the device that LAVA gave its job."""
    booted = farm.rows(
        "SELECT board_type, board, seed, kernel, executor ->> 'job' AS job FROM run"
        " WHERE executor ->> 'program' = 'lava-server'"
    )
    return [
        {**row, "device": farm.lava.rest("GET", f"jobs/{row['job']}/")["actual_device"]}
        for row in booted
    ]


def kill_everything(farm: LoopFarm) -> None:
    """Kill each part during a boot of its own, database and dispatcher during the search.

    A kernel between both ends is built for the search alone.
    """
    farm.wait_for_boot()
    farm.kill_master()
    farm.say("the master was killed during a boot, and is back")
    between = [*farm.history.commits["topic"].values()]
    farm.wait(lambda: farm.rows("SELECT 1 FROM kernel WHERE commit = ANY(%s)", between))
    farm.say("the search has its first kernel in between")
    farm.wait_for_boot()
    farm.kill_database()
    farm.say("the database was killed during a boot, and is back")
    farm.wait_for_boot()
    farm.kill_dispatcher()
    farm.say("the dispatcher was killed with its boots, and is back")


def test_the_commit_is_found_and_verified(journey: Journey) -> None:
    """On each board type, as each is searched for itself; the first search went through LAVA."""
    found = journey.farm.rows("SELECT * FROM bisection ORDER BY id")
    assert [row["commits"] for row in found] == [[journey.commits["slow"]]] * len(EVERY)
    assert sorted(row["board_type"] for row in found) == sorted(EVERY)
    assert found[0]["board_type"] in BOARDS
    for row in found:
        # Each is the quotient of two means of a few boots that scatter.
        assert row["share"] == pytest.approx(1, abs=0.3), row["board_type"]
        assert row["recovered"] == pytest.approx(1, abs=0.3), row["board_type"]


def test_the_one_alert_names_it_on_every_board_type(journey: Journey) -> None:
    [alert] = journey.alerts
    assert alert["withdrawn_at"] is None
    assert journey.commits["slow"][:12] in journey.paragraph
    assert [name for name in EVERY if name not in journey.paragraph] == []
    # Negative control: no other commit of the merge is blamed.
    others = [sha for what, sha in journey.commits.items() if what != "slow"]
    assert [sha for sha in others if sha[:12] in alert["body"]] == []


def test_the_alert_names_the_toggle_that_takes_it_back(journey: Journey) -> None:
    """Negative control: where none was tried, it names none."""
    named = "What takes it back: DELAY_DEQUEUE accounts for" in journey.paragraph
    assert named == journey.toggled


def test_the_alert_names_the_function(journey: Journey) -> None:
    changed = journey.farm.rows("SELECT name, change FROM profile_function WHERE change <> 0")
    assert [row["name"] for row in changed] == ["dequeue_task"]
    assert changed[0]["change"] >= 4 * COST
    assert f"Function: dequeue_task, {changed[0]['change']:+.1f} " in journey.paragraph


def test_each_boot_was_on_the_board_that_its_seed_names(journey: Journey) -> None:
    """Those of plans, before anything was killed; LAVA itself says which board had the job."""
    planned = journey.planned
    assert set(planned.values()) == {b for of in BOARDS.values() for b in of}
    there = [job for job in journey.jobs if (job["board_type"], job["seed"]) in planned]
    assert len(there) == sum(2 * 10 for _ in BOARDS), "five boots of both kernels, and five again"
    wrong = [
        job for job in there
        if {planned[job["board_type"], job["seed"]]} != {job["board"], job["device"]}
    ]  # fmt: skip
    assert wrong == []
    # So both kernels were on each board, with the same seeds.
    seeds = {board: {j["seed"] for j in there if j["board"] == board} for board in planned.values()}
    for board, of_board in seeds.items():
        kernels = {(j["kernel"], j["seed"]) for j in there if j["board"] == board}
        assert len(kernels) == 2 * len(of_board) > 0, board


def test_nothing_was_booted_twice(journey: Journey) -> None:
    again = journey.farm.rows(
        "SELECT r.kernel, r.board_type, r.seed, r.knobs, count(*) FROM run r"
        " WHERE r.seed > 1000 GROUP BY 1, 2, 3, 4 HAVING count(*) > 1"
    )
    assert again == []


def test_the_page_has_the_times_of_each_step(journey: Journey) -> None:
    with journey.farm.connected() as conn:
        rows = list(page.rows(conn, journey.alerts[0]["id"]))
    at_s = [float(row[0]) for row in rows]
    assert at_s == sorted(at_s)
    names = [row[2] for row in rows]
    # Each step has its place after the one before it.
    steps = [name for name in STEPS if journey.toggled or name != "toggles"]
    places = [names.index(name) for name in steps[:-1]]
    places.append(len(names) - 1 - names[::-1].index(steps[-1]))
    assert all(before < after for before, after in pairwise(places)), names
    name = "with-toggles" if journey.toggled else "without-toggles"
    evidence.write(
        "search-journey-toggles" if journey.toggled else "search-journey",
        f"From a push to the verified commit{' and the toggle' if journey.toggled else ''}",
        f"pytest -q -m long tests/long/test_search_journey.py -k {name}",
        [
            f"LAVA's boards, all emulated on this machine: {', '.join(sum(BOARDS.values(), ()))}",
            f"boots on them until the first kill: {len(journey.jobs)}, each on its seed's board",
        ],
        [
            "A merge of ten commits is pushed to a service whose boards are those of a real LAVA",
            "server, and one of this host. One commit costs 8 %, one does not build and one hangs.",
            "Nobody gives a command. Master, database and LAVA's dispatcher are killed once each,",
            "during boots that look for the cause. All times are those of the database.",
            "",
            *evidence.table(page.HEAD, rows),
        ],
    )


def test_a_merge_that_costs_nothing_starts_no_search(journey: Journey) -> None:
    """Negative control."""
    judged = journey.farm.rows(
        "SELECT v.verdict FROM verdict v JOIN comparison c ON c.id = v.comparison"
        " JOIN kernel k ON k.id = c.new_kernel WHERE k.commit = %s",
        journey.quiet,
    )
    assert judged
    assert [row for row in judged if row["verdict"] == "REGRESSION"] == []
    # A build that the killed master left was begun again.
    assert len([b for b in journey.farm.builds("profile") if b["results"] != RETRY]) == 1
    assert len(journey.farm.rows("SELECT 1 FROM bisection")) == len(EVERY)
    assert len(journey.farm.rows("SELECT 1 FROM alert")) == len(journey.alerts)
