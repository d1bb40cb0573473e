# SPDX-License-Identifier: GPL-2.0-only
"""From a push to the verified commit, by boards of a real LAVA server, with no command given."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.long.loop_farm import LoopFarm, loop_farm

pytestmark = pytest.mark.long

BOARDS = {"loop-a": ("a-1", "a-2")}


@pytest.fixture(scope="module")
def journey(
    cluster: str, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[LoopFarm]:
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    folder = tmp_path_factory.mktemp("journey")
    with (
        capture.global_and_fixture_disabled(),
        loop_farm(cluster, folder, BOARDS) as farm,
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
        farm.wait(lambda: farm.rows("SELECT 1 FROM bisection"))
        farm.say("the commit is found and verified")
        farm.wait(lambda: farm.ended("profile"))
        farm.say("the search has told the alert")
        yield farm


def test_the_commit_is_found_and_verified(journey: LoopFarm) -> None:
    [found] = journey.rows("SELECT * FROM bisection")
    assert found["commits"] == [journey.history.commits["slow"]]
    # Each is the quotient of two means of a few boots that scatter.
    assert found["share"] == pytest.approx(1, abs=0.3)
    assert found["recovered"] == pytest.approx(1, abs=0.3)


def test_the_one_alert_names_it(journey: LoopFarm) -> None:
    [alert] = journey.rows("SELECT * FROM alert")
    assert alert["withdrawn_at"] is None
    assert journey.history.commits["slow"][:12] in alert["body"]
    # Negative control: no other commit of the merge is blamed.
    others = [sha for what, sha in journey.history.commits.items() if what != "slow"]
    assert [sha for sha in others if sha[:12] in alert["body"]] == []


def test_nothing_was_booted_twice(journey: LoopFarm) -> None:
    again = journey.rows(
        "SELECT r.kernel, r.seed, r.knobs, count(*) FROM run r"
        " WHERE r.seed > 1000 GROUP BY 1, 2, 3 HAVING count(*) > 1"
    )
    assert again == []
