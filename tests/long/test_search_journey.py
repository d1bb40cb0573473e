# SPDX-License-Identifier: GPL-2.0-only
"""From a push to the verified commit, by boards of a real LAVA server, with no command given.

Once master, database and LAVA's dispatcher are killed in the middle of the search; once the toggles
are tried as well, without kills.  Negative control: then a merge of as many commits is pushed, of
which none costs anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from attrs import frozen

from tests.long.loop_farm import RETRY, LoopFarm, loop_farm

pytestmark = pytest.mark.long

BOARDS = {"loop-a": ("a-1", "a-2")}


@frozen(kw_only=True)
class Journey:
    """The farm after all of it."""

    farm: LoopFarm
    toggled: bool  # whether toggles were tried
    alerts: list[dict[str, Any]]  # when the search had ended
    quiet: str  # the merge of commits that cost nothing

    @property
    def commits(self) -> dict[str, str]:
        """Return the commits of the slow merge by what they do."""
        return self.farm.history.commits["topic"]


@pytest.fixture(scope="module", params=["killed", "toggled"])
def journey(
    request: pytest.FixtureRequest,
    cluster: str,
    tmp_path_factory: pytest.TempPathFactory,
    pytestconfig: pytest.Config,
) -> Iterator[Journey]:
    toggled = request.param == "toggled"
    automatic = ("bisect", "toggles") if toggled else ("bisect",)
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    folder = tmp_path_factory.mktemp("journey")
    with (
        capture.global_and_fixture_disabled(),
        loop_farm(cluster, folder, BOARDS, automatic=automatic) as farm,
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
        farm.say("the search has begun by itself")
        if not toggled:
            kill_everything(farm)
        farm.wait(lambda: farm.rows("SELECT 1 FROM bisection"))
        farm.say("the commit is found and verified")
        farm.wait(lambda: farm.ended("profile"))
        farm.say("the search has told the alert")
        alerts = farm.rows("SELECT * FROM alert")
        quiet = farm.history.push_merge("unchanged", slow=False)
        farm.wait(lambda: farm.ended("push", quiet))
        farm.say("a merge of commits that cost nothing has its verdict")
        yield Journey(farm=farm, toggled=toggled, alerts=alerts, quiet=quiet)


def kill_everything(farm: LoopFarm) -> None:
    """Kill each part during a boot of its own."""
    farm.wait_for_boot()
    farm.kill_master()
    farm.say("the master was killed during a boot, and is back")
    farm.wait_for_boot()
    farm.kill_database()
    farm.say("the database was killed during a boot, and is back")
    farm.wait_for_boot()
    farm.kill_dispatcher()
    farm.say("the dispatcher was killed with its boots, and is back")


def test_the_commit_is_found_and_verified(journey: Journey) -> None:
    [found] = journey.farm.rows("SELECT * FROM bisection")
    assert found["commits"] == [journey.commits["slow"]]
    # Each is the quotient of two means of a few boots that scatter.
    assert found["share"] == pytest.approx(1, abs=0.3)
    assert found["recovered"] == pytest.approx(1, abs=0.3)


def test_the_one_alert_names_it(journey: Journey) -> None:
    [alert] = journey.alerts
    assert alert["withdrawn_at"] is None
    assert journey.commits["slow"][:12] in alert["body"]
    # Negative control: no other commit of the merge is blamed.
    others = [sha for what, sha in journey.commits.items() if what != "slow"]
    assert [sha for sha in others if sha[:12] in alert["body"]] == []


def test_the_alert_names_the_toggle_that_was_tried(journey: Journey) -> None:
    """Negative control: where none was tried, it names none."""
    [alert] = journey.alerts
    paragraph = " ".join(alert["body"].partition("\n\n")[0].split())
    named = "What takes it back: DELAY_DEQUEUE accounts for" in paragraph
    assert named == journey.toggled


def test_nothing_was_booted_twice(journey: Journey) -> None:
    again = journey.farm.rows(
        "SELECT r.kernel, r.seed, r.knobs, count(*) FROM run r"
        " WHERE r.seed > 1000 GROUP BY 1, 2, 3 HAVING count(*) > 1"
    )
    assert again == []


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
    assert len(journey.farm.rows("SELECT 1 FROM bisection")) == 1
    assert len(journey.farm.rows("SELECT 1 FROM alert")) == len(journey.alerts)
