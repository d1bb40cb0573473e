# SPDX-License-Identifier: GPL-2.0-only
"""Histories along a branch: change points that come and go, and what the last nights ask for."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.integration import bundles
from tests.integration.bundles import latencies
from tests.integration.nightly_levels import BOOTS, PLAIN, SIM, history, known, look, rates
from vlag.compare.kernels import compare
from vlag.compare.trends import Trends
from vlag.config.catalogue import Catalogue
from vlag.model import Plan
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

__all__ = ["history", "known", "look"]  # fixtures


def test_a_step_is_found_once_and_stands(
    conn: Connection, history: Callable[..., None], look: Callable[..., Trends]
) -> None:
    history([1.0] * 12 + [0.94] * 12)
    first = look()
    [change] = rates(first.new_changes)
    assert change["effect"] == pytest.approx(-0.06, abs=0.01)
    assert (change["cause"], change["branch"]) == ("kernel", "topic")
    [(kernel, before)] = conn.execute(
        "SELECT k.branch, b.commit FROM change_point c JOIN kernel k ON k.id = c.kernel"
        " JOIN kernel b ON b.id = c.before_kernel JOIN series s ON s.id = c.series"
        " WHERE s.metric = 'bogo-ops-rate'"
    ).fetchall()
    assert (kernel, before) == ("topic", bundles.kernel("topic.11")["commit"])
    again = look()
    assert (again.new_changes, again.standing, again.withdrawn) == ((), first.standing, 0)


def test_a_latency_that_rises_from_0_is_a_step(
    conn: Connection, known: Catalogue, tmp_path: Path, look: Callable[..., Trends]
) -> None:
    name = "cyclictest-hackbench"
    [entry] = known.plans["nightly"].entries
    plan = Plan(name="nightly", entries=(evolve(entry, benchmark=name),))
    known.plans["nightly"] = plan  # type: ignore[index] # this test's own catalogue
    for i, late in enumerate([0] * 12 + [40] * 12):
        of = bundles.kernel(f"topic.{i}", branch="topic")
        ended = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(days=i)
        paths = [bundles.build(tmp_path / str(i), of)]
        for seed in range(1, BOOTS + 1):
            paths.append(
                bundles.run(tmp_path / f"{i}-{seed}", of, known, benchmark=name, seed=seed,
                            raw=latencies({str(late + seed % 2 * (late > 0)): 20000}),
                            finished_at=ended.isoformat())
            )  # fmt: skip
        bundles.store(conn, known, paths)
    found = {c["statistic"]: c for c in look().new_changes}
    assert found["p50"]["effect"] > 10


def test_a_quiet_history_shows_nothing(
    history: Callable[..., None], look: Callable[..., Trends]
) -> None:
    history([1.0] * 24)
    quiet = look()
    assert (quiet.new_changes, quiet.standing, quiet.drifts, quiet.schedule) == ((), 0, (), ())
    assert quiet.histories == 1  # of the rate; the time per switch is the rate once more


def test_a_drift_is_named_and_stores_no_change_point(
    history: Callable[..., None], look: Callable[..., Trends]
) -> None:
    history([1.004**i for i in range(28)])
    seen = look()
    assert (seen.new_changes, seen.standing) == ((), 0)
    [drift] = rates(seen.drifts)
    assert (drift["branch"], drift["board_type"], drift["points"]) == ("topic", SIM, 28)
    assert drift["slope"] == pytest.approx(0.004, abs=0.0005)
    assert drift["low"] < drift["slope"] < drift["high"]
    assert drift["effect"] == pytest.approx(1.004**27 - 1, abs=0.02)


def test_levels_that_alternate_are_bimodal_and_no_steps(
    history: Callable[..., None], look: Callable[..., Trends]
) -> None:
    runs = (4, 3, 5, 2, 4, 3, 3)
    history([level for n, run in enumerate(runs) for level in [1.0 + 0.2 * (n % 2)] * run])
    seen = look()
    assert (seen.new_changes, seen.standing) == ((), 0)
    [found] = rates(seen.bimodal)
    assert (found["branch"], found["points"], found["switches"]) == ("topic", 24, 6)
    assert found["high"] / found["low"] == pytest.approx(1.2, abs=0.02)
    assert found["share_high"] == pytest.approx(8 / 24)


def test_a_level_that_stays_is_a_step_and_not_bimodal(
    history: Callable[..., None], look: Callable[..., Trends]
) -> None:
    """Negative control: the same two levels."""
    history([1.0] * 12 + [1.2] * 12)
    seen = look()
    assert len(rates(seen.new_changes)) == 1
    assert seen.bimodal == ()


def test_zeros_are_points_of_a_history(
    conn: Connection, history: Callable[..., None], look: Callable[..., Trends]
) -> None:
    history([1.0] * 24)
    assert look().new_changes == ()
    # A tool whose figure may be 0 printed nothing else for twelve nights.
    conn.execute(
        "UPDATE run_value x SET value = 0 FROM series s, run r WHERE s.id = x.series"
        " AND s.metric = 'bogo-ops-rate' AND r.id = x.run AND r.finished_at < '2026-01-13'"
    )
    [change] = rates(look().new_changes)
    assert change["effect"] > 10


@pytest.mark.parametrize(
    ("other", "steps"),
    [
        ({"userland": {"sha256": bundles.sha("libc"), "packages": bundles.PACKAGES}}, False),
        ({"environment": {"/sys/class/dmi/id/bios_version": "2.0"}}, False),
        ({"environment": {"/proc/version": "Linux version 2"}}, True),  # the kernel itself
    ],
)
def test_a_change_of_conditions_is_no_step(
    history: Callable[..., None],
    look: Callable[..., Trends],
    other: dict[str, Any],
    steps: bool,
) -> None:
    history([1.0] * 12)
    history([0.94] * 12, first=12, **other)
    assert (look().standing > 0) == steps


def test_a_level_that_moves_while_the_kernel_stays_is_no_change_point(
    conn: Connection, history: Callable[..., None], look: Callable[..., Trends]
) -> None:
    """Nothing that was pushed did it."""
    history([1.0] * 12 + [0.94] * 12, board=PLAIN, same=True)
    shown = look(PLAIN)
    assert shown.histories > 0
    assert (shown.new_changes, shown.standing) == ((), 0)
    assert conn.execute("SELECT count(*) FROM change_point").fetchone() == (0,)


def test_what_later_nights_remove_is_withdrawn(
    conn: Connection, history: Callable[..., None], look: Callable[..., Trends]
) -> None:
    history([1.0] * 12 + [0.94] * 6)
    assert rates(look().new_changes)
    history([1.0] * 14, first=18)
    later = look()
    assert later.withdrawn > 0
    assert later.standing == 0
    gone = conn.execute("SELECT count(*) FROM change_point WHERE withdrawn_at IS NOT NULL")
    assert gone.fetchone() == (later.withdrawn,)


def test_what_the_baseline_shows_too_is_the_boards(
    conn: Connection,
    known: Catalogue,
    history: Callable[..., None],
    look: Callable[..., Trends],
) -> None:
    levels = [1.0] * 12 + [0.94] * 12
    history(levels, board=PLAIN)
    history([1.0] * 24, branch="v6.1", board=PLAIN, same=True)
    head = KernelRef(text=bundles.kernel("topic.23")["digest"])
    compare(
        conn=conn, catalogue=known, base=KernelRef(text="v6.1"), new=head, board_type=PLAIN
    )  # fmt: skip
    assert {c["cause"] for c in rates(look(PLAIN).new_changes)} == {"kernel"}
    conn.execute("DELETE FROM change_point")
    of = "run IN (SELECT r.id FROM run r JOIN kernel k ON k.id = r.kernel WHERE k.branch = 'v6.1')"
    for table in ("sample", "run_value"):
        conn.execute(f"DELETE FROM {table} WHERE {of}")  # noqa: S608 - constants
    conn.execute("DELETE FROM run WHERE kernel IN (SELECT id FROM kernel WHERE branch = 'v6.1')")
    # The board got slower that night, whatever was booted on it.
    history(levels, branch="v6.1", board=PLAIN, same=True, plan="again")
    assert {c["cause"] for c in rates(look(PLAIN).new_changes)} == {"board"}


def test_the_last_nights_ask_for_boots_and_tell_nobody(
    conn: Connection, known: Catalogue, history: Callable[..., None], look: Callable[..., Trends]
) -> None:
    history([1.0] * 20 + [0.93] * 2)
    seen = look()
    assert rates(seen.new_changes) == []
    [pair] = seen.schedule
    assert (pair["board_type"], pair["plan"]) == (SIM, "nightly")
    assert pair["suspects"] == pair["proof"] == ["stress-ng-switch"]
    # A night by chance on the same side may be taken for the first one.
    before = {bundles.kernel(f"topic.{i}", branch="topic")["digest"] for i in (18, 19)}
    assert pair["base"]["kernel"] in before
    assert pair["new"]["kernel"] == bundles.kernel("topic.21", branch="topic")["digest"]
    assert Path(str(pair["new"]["bundle"])).is_dir()
    stands = "SELECT DISTINCT stand::text, raised_by FROM read_model.decided"
    assert conn.execute(stands).fetchall() == [("open", None)]
    # A night that is cut off before the rerun boots asks again; after them it does not.
    assert look().schedule == seen.schedule
    sides = (KernelRef(text=pair[side]["kernel"]) for side in ("base", "new"))
    rerun = compare(
        conn=conn, catalogue=known, base=next(sides), new=next(sides), board_type=SIM
    )  # fmt: skip
    conn.execute(
        "INSERT INTO decision (suspicion, stand, boots, decided_by)"
        " SELECT id, 'refuted', 5, %s FROM suspicion",
        (rerun.id,),
    )
    assert look().schedule == ()


def test_a_faster_last_night_asks_for_nothing(
    history: Callable[..., None], look: Callable[..., Trends]
) -> None:
    history([1.0] * 20 + [1.07] * 2)
    assert look().schedule == ()
