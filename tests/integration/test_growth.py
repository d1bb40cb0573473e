# SPDX-License-Identifier: GPL-2.0-only
"""What a night reads does not grow with the nights on record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

# The fixtures `history`, `look` and `known` put nights on record and look at them.
from tests.integration.nightly_levels import BOOTS, SIM, history, known, look, rates
from vlag.compare import conditions
from vlag.compare.trends import Trends
from vlag.store import durations, histories, runs
from vlag.store.database import Connection

__all__ = ["history", "known", "look"]


def unread(conn: Connection) -> set[int]:
    """Return the runs of the branch whose documents the next night reads."""
    found = histories.along(conn, tree="debian", branch="topic", board_type=SIM, reach=400)
    boots = [run for of in found for run in of.runs]
    batches = histories.without_conditions(conn, boots, conditions.RULE)
    return {run for batch in batches for run in batch}


def test_a_night_reads_the_documents_of_its_own_boots_alone(
    conn: Connection, history: Callable[..., None], look: Callable[..., Trends]
) -> None:
    history([1.0] * 12 + [0.94] * 12)
    [change] = rates(look().new_changes)
    # What was read once is never read again: without their documents the runs say the same.
    conn.execute("UPDATE run SET document = '{}'")
    assert unread(conn) == set()
    history([0.94], first=24)
    assert len(unread(conn)) == BOOTS
    again = look()
    assert (again.new_changes, again.standing, again.withdrawn) == ((), 1, 0)
    assert change["effect"] == pytest.approx(-0.06, abs=0.01)
    # Negative control: where nothing was kept, the documents are asked for.
    conn.execute("DELETE FROM run_conditions")
    with pytest.raises(KeyError):
        look()


def test_another_rule_reads_all_again(
    conn: Connection,
    history: Callable[..., None],
    look: Callable[..., Trends],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    history([1.0] * 3)
    look()
    monkeypatch.setattr(conditions, "RULE", conditions.RULE + 1)
    assert len(unread(conn)) == 3 * BOOTS
    look()
    assert unread(conn) == set()


def test_what_is_kept_is_what_comparisons_hold_equal(
    conn: Connection, history: Callable[..., None], look: Callable[..., Trends]
) -> None:
    history([1.0])
    look()
    [run] = runs.by_id(conn, [1]).values()
    [kept] = (
        of
        for (of,) in conn.execute(
            "SELECT c.document FROM run_conditions x JOIN conditions c ON c.digest = x.conditions"
            " WHERE x.run = 1"
        )
    )
    for series in runs.time_series_by_id(conn, range(1, 10)).values():
        whole = {**conditions.of_tool(series), **kept["conditions"]}
        assert whole == conditions.of_time_series(run, series)
    assert kept["firmware"] == conditions.firmware(run.document)


def test_a_point_is_one_row_however_many_boots_it_has(
    conn: Connection, history: Callable[..., None], look: Callable[..., Trends]
) -> None:
    history([1.0] * 4)
    look()
    found = histories.along(conn, tree="debian", branch="topic", board_type=SIM, reach=400)
    boots = [run for of in found for run in of.runs]
    series, points = histories.points(conn, boots, by_day=False, by_board=False)
    of: dict[tuple[int, str], list[Any]] = {}
    for point in points:
        of.setdefault((point.series, point.statistic), []).append(point)
    assert series
    assert {len(line) for line in of.values()} == {4}
    assert {len(point.values) for point in points} == {BOOTS}


def test_the_newest_runs_say_how_long_the_next_take(
    conn: Connection, history: Callable[..., None], look: Callable[..., Trends]
) -> None:
    history([1.0] * 4)
    conn.execute("UPDATE run SET started_at = finished_at - interval '60 s', estimate_s = 20")
    conn.execute("UPDATE run SET estimate_s = 60 WHERE kernel = (SELECT max(kernel) FROM run)")
    assert durations.ratios(conn, BOOTS) == {SIM: 1.0}
    assert durations.recent(conn).ratios == {SIM: 3.0}
    [seconds] = durations.recent(conn).builds.values()
    assert len(seconds) == 4
    conn.execute("UPDATE run SET synthetic = true")
    assert durations.recent(conn).ratios == {}
