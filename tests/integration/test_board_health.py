# SPDX-License-Identifier: GPL-2.0-only
"""A board that is not itself goes to maintenance, and its runs count in no comparison."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from tests.integration import bundles
from tests.integration.answers import stored, words
from vlag.alerts import outages
from vlag.cli.boards import boards as commands
from vlag.compare.kernels import StoredComparison, compare
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode, UsageError
from vlag.model import Board
from vlag.operate.farm import board_checks
from vlag.operate.farm.board_checks import Health
from vlag.pipeline.ingest import ingest
from vlag.stats.band import HISTORY_MINIMUM, RECENT
from vlag.store import boards, durations
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
FIRST_DAY = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
USUAL = 0.0  # us that a check's latencies stand off those of the raw file
FAR = 8.0


def at(day: float) -> datetime.datetime:
    return FIRST_DAY + datetime.timedelta(days=day)


def latencies(off: float) -> bytes:
    """A real output with all latencies `off` us later: parts of a bucket move on by one."""
    whole, part = divmod(off, 1)
    document = json.loads(bundles.cyclictest(int(whole)))
    for thread in document["thread"].values():
        counts: Counter[int] = Counter()
        for bucket, count in thread["histogram"].items():
            moved = round(part * count) if int(bucket) < thread["max"] else 0
            counts[int(bucket)] += count - moved
            counts[int(bucket) + 1] += moved
        thread["histogram"] = {str(k): v for k, v in sorted(counts.items()) if v}
    return json.dumps(document).encode()


class Farm:
    """Boards with runs, one run a time of day."""

    def __init__(self, conn: Connection, catalogue: Catalogue, folder: Path):
        hardware = tuple(Board(name=f"rpi5-{i}", board_type="rpi5") for i in (1, 2))
        self.catalogue = evolve(catalogue, boards=(*catalogue.boards, *hardware))
        self.conn = conn
        self.folder = folder
        self.count = 0
        for kernel in (BASE, NEW):
            built = bundles.build(folder / "builds" / kernel["digest"][:12], kernel)
            ingest(built, conn=conn, catalogue=catalogue)

    def run(self, board: str, day: float, kernel: dict[str, Any] = BASE, **changes: Any) -> Path:
        """Write the bundle of a run that began on a day, an hour long, and store it."""
        self.count += 1
        name = self.catalogue.board(board).board_type
        kind = self.catalogue.board_type(name)
        described = {
            **bundles.BOARD,
            "name": board,
            "board_type": name,
            "deterministic": kind.deterministic,
            "cpus": kind.cpus,
            "emulator": bundles.EMULATOR if kind.emulator else None,
        }
        folder = bundles.run(
            self.folder / "runs" / str(self.count),
            kernel,
            self.catalogue,
            **{
                "board": described,
                "benchmark": "cyclictest-idle",
                "started_at": at(day).isoformat(),
                "finished_at": at(day + 1 / 24).isoformat(),
                **changes,
            },
        )
        ingest(folder, conn=self.conn, catalogue=self.catalogue)
        return folder

    def check(
        self, day: float, off: float = USUAL, board: str = "rpi5-1", **changes: Any
    ) -> Health:
        changes = {"plan": "check", "raw": latencies(off), **changes}
        self.run(board, day, **changes)
        return board_checks.check(self.conn, self.catalogue, board)

    def settle(self, board: str = "rpi5-1") -> float:
        """Give a board its band; return the day after."""
        rng = np.random.default_rng(4)
        for day in range(HISTORY_MINIMUM):
            health = self.check(day, float(abs(rng.normal(0.3, 0.1))), board)
            assert health.good
            assert health.check.finding == "too little history"
        return float(HISTORY_MINIMUM)

    def compared(self) -> StoredComparison:
        return compare(
            conn=self.conn,
            catalogue=self.catalogue,
            base=KernelRef(text="linux-6.1"),
            new=KernelRef(text="linux-6.12"),
            board_type="rpi5",
            benchmarks={"stress-ng-switch"},
        )

    def take_out(self, then: datetime.datetime, name: str = "rpi5-1") -> None:
        board_checks.maintenance(
            self.conn, self.catalogue, name, reason="no answer", by="ada", now=then
        )

    def good(self, day: float, name: str = "rpi5-1", **options: Any) -> None:
        options = {"reason": "new fan", "by": "ada", **options}
        board_checks.good(self.conn, self.catalogue, name, now=at(day), **options)

    def doubted(self) -> dict[str, int]:
        return boards.doubted(self.conn)


@pytest.fixture
def farm(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Farm:
    return Farm(conn, catalogue, tmp_path)


def test_a_check_in_its_band_leaves_the_board_in_service(farm: Farm) -> None:
    day = farm.settle()
    health = farm.check(day, 0.3)
    assert health.good
    assert health.check.finding == "in band"
    assert health.sentence.startswith(f"rpi5-1 is good: run {health.check.run}: level 2")
    assert farm.doubted() == {}
    # The same again is not judged again.
    again = board_checks.check(farm.conn, farm.catalogue, "rpi5-1")
    assert (again.check, again.new, health.new) == (health.check, False, True)


def test_a_check_out_of_its_band_takes_the_board_and_its_runs_out(farm: Farm) -> None:
    day = farm.settle()
    farm.run("rpi5-1", day + 0.1)
    farm.run("rpi5-1", day + 0.2)
    farm.run("rpi5-2", day + 0.2)  # another board's
    health = farm.check(day + 0.5, FAR)
    assert health.check.finding == "level left"
    assert not health.good
    assert "rpi5-1 is in maintenance: " in health.sentence
    assert " us is above " in health.sentence
    # The two runs and the check; those before the last good check still count.
    assert farm.doubted() == {"rpi5-1": 3}
    # A run that is read in later does not count either.
    farm.run("rpi5-1", day + 0.7)
    assert farm.doubted() == {"rpi5-1": 4}
    [standing] = [
        s for s in board_checks.status(farm.conn, farm.catalogue, at(90)) if s.board == "rpi5-1"
    ]
    assert (standing.state, standing.doubted) == ("maintenance", 4)
    assert standing.by.startswith("check ")
    assert [b.name for b in board_checks.in_service(farm.conn, farm.catalogue)][-1] == "rpi5-2"


def test_noise_alone_takes_a_board_out(farm: Farm) -> None:
    day = farm.settle()
    document = json.loads(latencies(0.3))
    for thread in document["thread"].values():
        # A tenth of all samples is late, which the median does not see.
        for bucket, count in list(thread["histogram"].items()):
            late = count // 10
            thread["histogram"][bucket] = count - late
            thread["histogram"]["300"] = thread["histogram"].get("300", 0) + late
        thread["max"] = 300
    health = farm.check(day, raw=json.dumps(document).encode())
    assert health.check.finding == "noise left"
    assert not health.good


def test_a_check_that_panics_takes_a_board_out(farm: Farm) -> None:
    day = farm.settle()
    health = farm.check(day, raw=None, outcome="panic", reason="not syncing: oops")
    assert health.check.finding == "failed"
    assert not health.good
    assert "the baseline kernel ended with panic: not syncing: oops" in health.sentence


def test_a_board_comes_back_after_a_good_check_only(farm: Farm) -> None:
    day = farm.settle()
    farm.run("rpi5-1", day + 0.1)
    farm.check(day + 0.2, FAR)
    with pytest.raises(UsageError, match=r"rpi5-1 failed its last check \(run \d+: level .* again"):
        farm.good(day + 0.3)
    # In its band again: the board stays out until a person says so.
    health = farm.check(day + 0.4, 0.3)
    assert health.check.finding == "in band"
    assert not health.good
    farm.good(day + 0.5)
    after = farm.check(day + 0.6, 0.3)
    assert after.good
    assert after.check.finding == "in band"
    # What was run in between never counts; what follows does.
    assert farm.doubted() == {"rpi5-1": 3}
    farm.run("rpi5-1", day + 0.7)
    assert farm.doubted() == {"rpi5-1": 3}


def test_a_failed_check_is_no_part_of_the_band(farm: Farm) -> None:
    """However often it is repeated."""
    day = farm.settle()
    for i in range(20):
        assert farm.check(day + i, FAR).check.finding == "level left"


def test_a_repaired_board_has_a_new_band_where_a_person_says_so(farm: Farm) -> None:
    day = farm.settle()
    farm.check(day, FAR)
    farm.good(day + 0.3, new_band=True)
    for i in range(HISTORY_MINIMUM):
        health = farm.check(day + 1 + i, FAR)
        assert health.check.finding == "too little history"
    assert farm.check(day + 30, FAR).check.finding == "in band"
    # Its old level is now the odd one.
    assert farm.check(day + 31, USUAL).check.finding == "level left"


def test_without_it_the_old_band_stands(farm: Farm) -> None:
    """Negative control."""
    day = farm.settle()
    farm.check(day, FAR)
    farm.check(day + 0.2, 0.3)
    farm.good(day + 0.3)
    assert farm.check(day + 1, FAR).check.finding == "level left"


def test_a_check_that_was_wrong_puts_no_run_in_doubt(farm: Farm) -> None:
    day = farm.settle()
    farm.run("rpi5-1", day + 0.1)
    farm.check(day + 0.2, FAR)
    assert farm.doubted() == {"rpi5-1": 2}
    farm.check(day + 0.3, 0.3)
    farm.good(day + 0.4, trust_runs=True)
    assert farm.doubted() == {}


def test_a_second_failure_goes_back_to_where_the_board_was_called_good(farm: Farm) -> None:
    day = farm.settle()
    farm.check(day + 0.2, FAR)
    farm.good(day + 0.5, new_band=True, trust_runs=True)
    farm.run("rpi5-1", day + 0.3)  # before a person vouched for it
    farm.run("rpi5-1", day + 0.6)
    farm.check(day + 0.8, raw=None, outcome="hang", reason="silent")
    assert farm.doubted() == {"rpi5-1": 2}


def test_a_board_without_a_good_check_has_all_runs_in_doubt(farm: Farm) -> None:
    farm.run("rpi5-1", 0.1)
    farm.check(0.5, raw=None, outcome="hang", reason="silent")
    assert farm.doubted() == {"rpi5-1": 2}
    [doubt, _] = boards.doubts(farm.conn, range(100)).values()
    assert str(doubt).startswith("no good check vouches for it, and one failed: the baseline")


def moved(farm: Farm, tag: str) -> dict[str, Any]:
    """Return a kernel of a tag on the baseline's line, built."""
    kernel = bundles.kernel(tag)
    built = bundles.build(farm.folder / "builds" / kernel["digest"][:12], kernel)
    ingest(built, conn=farm.conn, catalogue=farm.catalogue)
    return kernel


def test_a_baseline_that_moves_on_in_its_line_keeps_the_band(farm: Farm) -> None:
    day, next_one = farm.settle(), moved(farm, "6.1.9")
    assert farm.check(day, 0.3, kernel=next_one).check.finding == "in band"
    for i in range(1, RECENT + 1):
        assert farm.check(day + i, 0.3, kernel=next_one).check.finding == "in band"
    # The board breaks later: nothing moved with it.
    health = farm.check(day + RECENT + 1, FAR, kernel=next_one)
    assert health.check.finding == "level left"
    assert not health.good
    assert "baseline has just moved" not in health.check.sentence


def test_a_step_at_the_move_is_said_and_takes_no_board_out(farm: Farm) -> None:
    day, next_one = farm.settle(), moved(farm, "6.1.9")
    health = farm.check(day, FAR, kernel=next_one)
    assert health.good
    assert health.check.finding == "too little history"
    said = "the baseline has just moved from debian/6.1.170-1-vlag to debian/6.1.9.170-1-vlag, and"
    assert said in health.check.sentence
    assert health.check.sentence.startswith("level ")
    # The board is held against its new level from then on.
    for i in range(1, HISTORY_MINIMUM):
        assert farm.check(day + i, FAR, kernel=next_one).check.finding == "too little history"
    day += HISTORY_MINIMUM
    assert farm.check(day, FAR, kernel=next_one).check.finding == "in band"
    assert farm.check(day + 1, USUAL, kernel=next_one).check.finding == "level left"


def test_another_kernel_or_parameter_is_another_band(farm: Farm) -> None:
    day = farm.settle()
    assert farm.check(day, FAR, kernel=NEW).check.finding == "too little history"
    given = {**farm.catalogue.benchmark("cyclictest-idle").parameters, "duration_s": 60}
    other = farm.check(day + 1, FAR, parameters=given)
    assert other.check.finding == "too little history"


def test_boards_of_one_type_have_bands_of_their_own(farm: Farm) -> None:
    day = farm.settle()
    assert farm.check(day, FAR, "rpi5-2").check.finding == "too little history"
    assert farm.check(day, FAR, "rpi5-1").check.finding == "level left"


def test_the_views_show_the_band_that_a_check_was_held_against(farm: Farm) -> None:
    health = farm.check(farm.settle())
    shown = farm.conn.execute(
        "SELECT level_low, level, level_high, noise, noise_high FROM read_model.board_check"
        " ORDER BY id DESC LIMIT 1"
    ).fetchone()
    assert health.check.band is not None
    assert shown is not None
    low, level, high, noise, most = shown
    assert low < level < high
    assert noise < most
    # One that had too little history was held against none.
    first = "SELECT level_low, level_high, noise_high FROM read_model.board_check ORDER BY id"
    assert farm.conn.execute(first).fetchone() == (None, None, None)


def test_a_board_that_drifts_is_named_and_leaves_the_judging(farm: Farm) -> None:
    """By 1 % a week, which a band of its newest checks follows; a steady one stays."""
    rng = np.random.default_rng(6)
    noise = rng.normal(2.0, 0.05, size=(2, 100))
    gone = None
    for day in range(100):
        farm.check(day, float(noise[0, day]), "rpi5-2")
        if gone is None:
            level = 22.0 * (1.01 ** (day / 7) - 1) + float(noise[1, day])
            gone = None if farm.check(day, level).good else day
    assert gone is not None
    assert 50 <= gone < 90
    farm.run("rpi5-1", gone + 0.2)
    assert farm.doubted() == {"rpi5-1": 2}
    states = {s.board: s for s in board_checks.status(farm.conn, farm.catalogue, at(90))}
    assert states["rpi5-1"].state == "maintenance"
    assert "ends a drift: the last 20 checks lie +" in states["rpi5-1"].reason
    assert states["rpi5-2"].state == "good"
    # A fresh reference takes it back; without one the old one stands.
    with pytest.raises(UsageError, match="or give --new-band"):
        farm.good(gone + 0.5)
    farm.good(gone + 0.5, new_band=True)
    assert farm.check(gone + 1, 22.0 * (1.01 ** (gone / 7) - 1) + 2.0).good


def test_comparisons_leave_doubtful_runs_out_and_say_so(farm: Farm) -> None:
    day = farm.settle()
    for i, kernel in enumerate((BASE, NEW) * 5):
        raw = bundles.stress_ng((0.8 if kernel is NEW else 1.0) + 0.001 * i)
        for board, start in (("rpi5-1", day), ("rpi5-2", 0)):
            farm.run(board, start + 0.05 * (i + 1), kernel, benchmark="stress-ng-switch",
                     raw=raw, seed=i)  # fmt: skip
    before = farm.compared()
    assert {v.n_base for v in before.verdicts} == {10}
    farm.run("rpi5-1", day + 0.7, NEW, benchmark="stress-ng-switch", raw=None, seed=99,
             outcome="panic", reason="oops")  # fmt: skip
    assert len(stored(farm.conn, farm.compared()).failed_runs) == 1
    farm.check(day + 0.9, FAR)
    after = farm.compared()
    assert after.new
    assert {(v.n_base, v.n_new) for v in after.verdicts} == {(5, 5)}
    assert words(after) == words(before)
    assert stored(farm.conn, after).failed_runs == []
    left = [n for n in stored(farm.conn, after).notes if "left out" in n]
    assert [n.split(":")[0] for n in left] == [
        "5 run(s) of the base on board rpi5-1 are left out",
        "6 run(s) of the new on board rpi5-1 are left out",
    ]
    assert "since its last good check, 2026-01-" in left[0]
    assert "it failed one: level " in left[0]
    # The board is good again, and the check was wrong: all runs count again.
    farm.check(day + 0.95, 0.3)
    farm.good(day + 0.99, trust_runs=True)
    assert {v.n_base for v in farm.compared().verdicts} == {10}


def sim(farm: Farm, day: float, board: str, raw: bytes | None, **changes: Any) -> Health:
    return farm.check(day, board=board, raw=raw, **changes)


def test_a_deterministic_board_must_give_the_same_digits(farm: Farm) -> None:
    first = sim(farm, 0, "sim2-1", latencies(0))
    assert first.check.finding == "first"
    same = sim(farm, 1, "sim2-2", latencies(0))
    assert same.check.finding == "equal"
    assert f"equal to run of record {first.check.run} to the last digit" in same.sentence
    farm.run("sim2-1", 1.5, benchmark="stress-ng-switch")
    # One sample in one bucket, which no band would see.
    other = json.loads(latencies(0))
    other["thread"]["0"]["histogram"]["20"] -= 1
    other["thread"]["0"]["histogram"]["21"] += 1
    odd = sim(farm, 2, "sim2-1", json.dumps(other).encode())
    assert odd.check.finding == "differs"
    assert not odd.good
    assert f"other digits than run of record {first.check.run} in latency" in odd.sentence
    assert farm.doubted() == {"sim2-1": 2}
    # sim2-2 is not blamed for it, and the odd run is no run of record.
    assert sim(farm, 3, "sim2-2", latencies(0)).check.finding == "equal"


def test_another_key_is_another_run_of_record(farm: Farm) -> None:
    """Negative control: another emulator may give other digits."""
    sim(farm, 0, "sim2-1", latencies(0))
    health = sim(farm, 1, "sim2-1", latencies(1), run_key=bundles.sha("another emulator"))
    assert health.check.finding == "first"


def test_a_run_in_doubt_is_no_run_of_record(farm: Farm) -> None:
    key = bundles.sha("another key")
    sim(farm, 0, "sim2-2", latencies(0))
    farm.run("sim2-2", 1, raw=latencies(0), run_key=key)
    sim(farm, 2, "sim2-2", latencies(1))
    assert sim(farm, 3, "sim2-1", latencies(1), run_key=key).check.finding == "first"


def test_an_ordinary_run_is_the_record_of_a_check(farm: Farm) -> None:
    farm.run("sim2-1", 0, raw=latencies(0))
    assert sim(farm, 1, "sim2-1", latencies(0)).check.finding == "equal"
    assert sim(farm, 2, "sim2-1", latencies(3)).check.finding == "differs"
    assert sim(farm, 3, "sim2-1", raw=None, outcome="hang", reason="x").check.finding == "differs"


def test_only_a_check_checks_a_board(farm: Farm) -> None:
    with pytest.raises(UsageError, match="rpi5-1 has no check on record: boot the baseline"):
        board_checks.check(farm.conn, farm.catalogue, "rpi5-1")
    with pytest.raises(UsageError, match="no board 'rpi6-1'; there are: "):
        board_checks.check(farm.conn, farm.catalogue, "rpi6-1")


def test_checks_are_judged_in_their_order_whenever_they_are_read(farm: Farm) -> None:
    """Three of them were read in before anybody asked; the middle one failed."""
    day = farm.settle()
    for i, off in enumerate((0.3, FAR, 0.3)):
        farm.run("rpi5-1", day + i, plan="check", raw=latencies(off))
    health = board_checks.check(farm.conn, farm.catalogue, "rpi5-1")
    assert health.check.finding == "in band"
    assert not health.good
    assert farm.doubted() == {"rpi5-1": 2}


def test_a_late_failure_counts_unless_the_board_was_called_good_since(farm: Farm) -> None:
    day = farm.settle()
    farm.run("rpi5-1", day, plan="check", raw=latencies(FAR))
    board_checks.maintenance(
        farm.conn, farm.catalogue, "rpi5-1", reason="fan", by="ada", now=at(day + 0.2)
    )
    farm.run("rpi5-2", day, plan="check", raw=None, outcome="hang", reason="silent")
    farm.good(day + 0.2, "rpi5-2", reason="cable")
    for name in ("rpi5-1", "rpi5-2"):
        board_checks.check(farm.conn, farm.catalogue, name)
    assert farm.doubted() == {"rpi5-1": 1}
    states = boards.states(farm.conn)
    assert (states["rpi5-1"].by, states["rpi5-2"].state) == ("ada", "good")


def test_ratios_are_medians_of_the_newest_runs(farm: Farm) -> None:
    for i, estimate in enumerate((3600.0, 1800.0, 900.0)):  # each took an hour
        farm.run("rpi5-1", i, estimate_s=estimate)
    assert durations.ratios(farm.conn, 50) == {"rpi5": 2.0}
    assert durations.ratios(farm.conn, 1) == {"rpi5": 4.0}


@pytest.fixture
def vlag(monkeypatch: pytest.MonkeyPatch, dsn: str, farm: Farm) -> Callable[..., Result]:
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    monkeypatch.setattr(catalogues, "of", lambda _settings: farm.catalogue)
    return lambda *arguments: CliRunner().invoke(commands, arguments)


def test_the_command_judges_a_bundle(vlag: Callable[..., Result], farm: Farm) -> None:
    good = farm.run("sim2-1", 0, plan="check", raw=latencies(0))
    bad = farm.run("sim2-1", 1, plan="check", raw=latencies(1))
    plain = farm.run("sim2-1", 2)
    found = vlag("check", str(good), "--format", "json")
    assert found.exit_code == ExitCode.REGRESSION, found.output
    assert json.loads(found.output)["finding"] == "first"  # of that run; the board failed later
    found = vlag("check", str(bad))
    assert found.exit_code == ExitCode.REGRESSION
    assert found.output.startswith("sim2-1 is in maintenance: run 2: other digits")
    found = vlag("check", str(plain))
    assert found.exit_code == ExitCode.USAGE
    assert "run 3 is of plan nightly, not of plan check" in found.output
    found = vlag("check", str(next((farm.folder / "builds").iterdir())))
    assert (found.exit_code, "a build bundle" in found.output) == (ExitCode.USAGE, True)


def test_the_command_for_people(vlag: Callable[..., Result], farm: Farm) -> None:
    assert vlag("check").exit_code == ExitCode.USAGE
    day = farm.settle()
    farm.check(day, 0.3)
    found = vlag("check", "--board", "rpi5-1")
    assert (found.exit_code, found.output[:15]) == (ExitCode.OK, "rpi5-1 is good:")

    found = vlag("maintenance", "rpi5-1", "--reason", "fan", "--by", "ada")
    assert (found.exit_code, found.output) == (ExitCode.OK, "rpi5-1 is in maintenance\n")
    again = vlag("maintenance", "rpi5-1", "--reason", "fan")
    assert again.exit_code == ExitCode.USAGE
    assert "UTC (ada: fan)" in again.output
    # A person's maintenance puts nothing in doubt.
    assert farm.doubted() == {}
    found = vlag("status")
    assert "rpi5-1 (rpi5): maintenance since " in found.output
    assert ", ada: fan\n" in found.output
    assert "  a shift by 3%: in " in found.output or "not seen" in found.output
    assert "rpi5-2 (rpi5): good\n  no run of plan check was judged" in found.output
    listed = json.loads(vlag("status", "--format", "json").output)["boards"]
    assert {s["board"]: s["state"] for s in listed}["rpi5-1"] == "maintenance"

    found = vlag("good", "rpi5-1", "--by", "ada")
    assert (found.exit_code, found.output) == (ExitCode.OK, "rpi5-1 is good\n")
    assert vlag("check", "--board", "rpi5-1").exit_code == ExitCode.OK
    assert vlag("good", "rpi7", "--by", "ada").exit_code == ExitCode.USAGE


@pytest.mark.parametrize(("gap", "named"), [(9, True), (16, False)])
def test_a_board_that_comes_and_goes_is_named(
    vlag: Callable[..., Result], farm: Farm, gap: int, named: bool
) -> None:
    """Three times out of service in 30 days; the days between them decide."""
    now = datetime.datetime.now(datetime.UTC)
    for days in (2 * gap, gap, 0):
        then = now - datetime.timedelta(days=days)
        farm.take_out(then)
        if days:
            farm.good((then - FIRST_DAY) / datetime.timedelta(days=1) + 0.5)
    sentence = "it left service 3 times in 30 days: repair it before it is called good again"
    shown = vlag("status").output
    assert (sentence in shown) is named, shown
    [alert] = outages.boards(farm.conn)
    assert (sentence in " ".join(alert.body.split()).lower()) is named, alert.body


def test_a_reason_that_is_renewed_is_one_outage(farm: Farm) -> None:
    """A board that fails a second check while it is out has left service once."""
    day = farm.settle()
    for later in range(3):
        farm.check(day + later, FAR)
    assert boards.outages(farm.conn, at(0)) == {"rpi5-1": 1}


def test_boots_that_failed_are_counted(vlag: Callable[..., Result], farm: Farm) -> None:
    today = (datetime.datetime.now(datetime.UTC) - FIRST_DAY) / datetime.timedelta(days=1)
    farm.run("rpi5-1", today - 1)
    farm.run("rpi5-1", today - 2, outcome="panic", reason="Kernel panic", raw=None)
    farm.run("rpi5-1", today - 40, outcome="panic", reason="Kernel panic", raw=None)
    assert "rpi5-1 (rpi5): good\n  1 of 2 boots in 30 days failed\n" in vlag("status").output


def test_a_board_that_never_ran_can_be_taken_out(vlag: Callable[..., Result], farm: Farm) -> None:
    assert vlag("maintenance", "rpi5-2", "--reason", "no power").exit_code == ExitCode.OK
    names = [b.name for b in board_checks.in_service(farm.conn, farm.catalogue)]
    assert "rpi5-1" in names
    assert "rpi5-2" not in names


def test_a_lab_that_refuses_leaves_a_board_as_it_was(farm: Farm) -> None:
    def refuse() -> None:
        raise UsageError("lab home does not know rpi5-1")

    def state() -> str | None:
        row = boards.states(farm.conn).get("rpi5-1")
        return None if row is None else row.state

    given: dict[str, Any] = {"reason": "fan", "by": "ada", "now": at(1)}
    with pytest.raises(UsageError, match="does not know"):
        board_checks.maintenance(farm.conn, farm.catalogue, "rpi5-1", in_lab=refuse, **given)
    assert state() in (None, "good")
    board_checks.maintenance(farm.conn, farm.catalogue, "rpi5-1", **given)
    assert state() == "maintenance"
    with pytest.raises(UsageError, match="does not know"):
        board_checks.good(farm.conn, farm.catalogue, "rpi5-1", in_lab=refuse, **given)
    assert state() == "maintenance"
    board_checks.good(farm.conn, farm.catalogue, "rpi5-1", **given)
    assert state() == "good"
