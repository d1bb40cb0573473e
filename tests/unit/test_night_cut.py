# SPDX-License-Identifier: GPL-2.0-only
"""A night that must end in time: what it leaves out, and that everything has its turn."""

from __future__ import annotations

import datetime
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import asdict, evolve
from buildbot.process.properties import Properties
from twisted.internet import defer

from master import night_steps
from vlag import ROOT, config
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.pipeline import night_cut
from vlag.pipeline.forecast import Forecast
from vlag.pipeline.night_cut import Part, Place, Work, choose, parts, without
from vlag.pipeline.night_plan import Night, plan_night

HOUR = 3600.0
#: Hours of the runs of each kernel on each board type; `base` is the baseline.
RUNS = {
    ("base", "a"): 1.0, ("base", "b"): 1.0,
    ("x", "a"): 1.0, ("x", "b"): 2.0, ("y", "a"): 1.0, ("z", "b"): 1.0,
}  # fmt: skip


def work(runs: Mapping[Place, float] = RUNS, **builds: float) -> Work:
    """Return a night of hours, on one board of each type."""
    return Work(
        builds={name: s * HOUR for name, s in builds.items()},
        build_of={key: key for key, _ in runs},
        runs={place: s * HOUR for place, s in runs.items()},
        boards={"a": 1, "b": 1},
        slots=2,
    )


def part(key: str, board_type: str, value: float = 1.0, nights: int = 0) -> Part:
    return Part(
        key=key, name=key, branch=f"t/{key}", label=key, board_type=board_type, value=value,
        nights=nights,
    )  # fmt: skip


MAY = [part("x", "a"), part("x", "b"), part("y", "a"), part("z", "b")]


def left(may: list[Part], hours: float, night: Work) -> list[Place]:
    return [p.place for p in choose(may, night, hours * HOUR)]


def test_a_night_that_fits_leaves_nothing_out() -> None:
    assert work().seconds(()) == 4 * HOUR
    assert left(MAY, 4, work()) == []


def test_what_tells_least_for_its_minutes_is_left_out() -> None:
    # Board b is busy longest: x takes twice as long there as z, and tells as much.
    assert left(MAY, 3, work()) == [("x", "b")]
    # The other way round once it tells four times as much.
    telling = [evolve(p, value=4.0) if p.place == ("x", "b") else p for p in MAY]
    assert left(telling, 3, work()) == [("z", "b")]
    [out] = choose(MAY, work(), 3 * HOUR)
    assert out.minutes == 60  # by which the night is longer with it
    assert out.words == "x on b (about 60 min)"


def test_a_build_counts_once_for_all_board_types_of_its_kernel() -> None:
    night = work(x=2, y=1, z=1)
    assert night.seconds(()) == 8 * HOUR
    assert night.seconds([("x", "a")]) == 8 * HOUR  # board b needs longest, and x is built for it
    assert night.seconds([("x", "a"), ("x", "b")]) == 4 * HOUR
    assert {key for key, _ in left(MAY, 4, night)} == {"x"}


def test_what_waited_longest_comes_first_and_nothing_starves() -> None:
    """Nights with room for one of three branches, and one that no night has room for."""
    runs = {("base", "a"): 1.0, ("x", "a"): 2.0, ("y", "a"): 2.0, ("z", "a"): 2.0}
    nights: dict[str, int] = {}
    ran: Counter[str] = Counter()
    for _ in range(9):
        values = {"x": 9, "y": 2, "z": 1}
        may = [part(k, "a", value=v, nights=nights.get(k, 0)) for k, v in values.items()]
        out = {p.key: p.nights + 1 for p in choose(may, work(runs), 3 * HOUR)}
        assert len(out) == 2
        nights = out
        ran.update(k for k in "xyz" if k not in out)
    assert ran == {"x": 3, "y": 3, "z": 3}
    # Negative control: by value alone the first one runs each night.
    alike = [part(k, "a", value=v) for k, v in (("x", 9), ("y", 2), ("z", 1))]
    assert left(alike, 3, work(runs)) == [("y", "a"), ("z", "a")]


def test_what_no_night_has_room_for_has_its_turn_after_a_week() -> None:
    runs = {("base", "a"): 1.0, ("x", "a"): 1.0, ("huge", "a"): 9.0}
    for waited in range(night_cut.PATIENCE):
        may = [part("x", "a"), part("huge", "a", nights=waited)]
        assert left(may, 3, work(runs)) == [("huge", "a")]
    may = [part("x", "a"), part("huge", "a", nights=night_cut.PATIENCE)]
    assert left(may, 3, work(runs)) == [("x", "a")]


def test_one_comparison_runs_where_there_is_room_for_none() -> None:
    assert len(left(MAY, 0, work())) == len(MAY) - 1
    assert left([], 0, work()) == []


# A night of the shipped settings.


@pytest.fixture(scope="module")
def known() -> Catalogue:
    return catalogues.load()


@pytest.fixture
def night(known: Catalogue) -> Night:
    shipped = config.load(ROOT / "vlag.toml")
    types = ("qemu-sim-2", "qemu-sim-4")
    branch = evolve(shipped.branches[0], board_types=types)
    other = evolve(branch, branch="linux-6.1", baseline="debian/6.1.*")
    return plan_night(evolve(shipped, branches=(branch, other, shipped.branches[1])), known, {})


def test_baselines_and_the_self_proof_are_no_parts(night: Night) -> None:
    found = parts(night, {}, {})
    assert {(p.branch, p.board_type) for p in found} == {
        (f"debian/{name}", board)
        for name in ("linux-6.12", "linux-6.1")
        for board in ("qemu-sim-2", "qemu-sim-4")
    }
    bases = {pair.base.key for pair in night.pairs}
    assert not {p.key for p in found} & (bases | night.proof)
    assert len(night.proof) > 1


def test_a_part_is_found_again_on_fewer_board_types(night: Night) -> None:
    first = parts(night, {}, {})[0]
    shorter = without(night, {first.place})
    again = parts(shorter, {}, {(p.name, p.board_type): 2 for p in parts(night, {}, {})})
    assert {p.nights for p in again} == {2}
    assert first.place not in {p.place for p in again}
    assert (first.name, "qemu-sim-4") in {(p.name, p.board_type) for p in again}


def test_requests_follow_the_forecast(night: Night) -> None:
    requests = night_steps.night_requests(night)
    out = parts(night, {}, {})
    shorter = night_steps.night_requests(without(night, {out[0].place}))
    [changed] = [r for r in shorter if r["key"] not in {q["key"] for q in requests}]
    assert (changed["ref"], changed["board_types"]) == ("linux-6.12", ["qemu-sim-4"])
    by_key = {r["key"]: r for r in shorter}
    assert set(changed["compared_with"]) <= by_key.keys()
    assert [by_key[k]["board_types"] for k in changed["compared_with"]] == [
        ["qemu-sim-2", "qemu-sim-4"]
    ]
    # Without any of its board types the kernel is not built.
    of_branch = {p.place for p in out if p.branch == "debian/linux-6.12"}
    gone = night_steps.night_requests(without(night, of_branch))
    assert len(gone) == len(requests) - 1
    assert "linux-6.12" not in {r["ref"] for r in gone if r["series"] is None}


def test_a_night_asks_for_what_its_forecast_has_kept() -> None:
    shipped = config.load(ROOT / "vlag.toml")
    known = catalogues.of(shipped)
    made = night_steps._NightBuild(shipped, known)
    [out, *_] = parts(plan_night(shipped, known, {}), {}, {})

    def asked(properties: Properties) -> set[tuple[str, str]]:
        requests: list[Any] = []
        defer.ensureDeferred(made._requests(properties)).addCallback(requests.extend)
        return {(r["ref"], board) for r in requests for board in r["board_types"]}

    whole = asked(Properties())
    assert ("linux-6.12", out.board_type) in whole
    without_it = asked(of_forecast(end="08:00", cut=[asdict(out)]))
    assert whole - without_it == {("linux-6.12", out.board_type)}
    assert asked(of_forecast(end="08:00", cut=[])) == whole
    # The week's plans are whole.
    week = of_forecast(cut=[])
    week.setProperty("weekly", True, "test")
    assert asked(week) == set()


def of_forecast(**keys: Any) -> Properties:
    properties = Properties()
    properties.setProperty("forecast", keys, "test")
    return properties


def test_the_report_says_what_is_left_out_and_why() -> None:
    out = [asdict(evolve(part("linux-6.12", "altra"), minutes=95, nights=1))]
    assert night_steps.cut_notes(of_forecast(end="08:00", cut=out)) == [
        "Left out, so that the night ends by 08:00: linux-6.12 on altra (about 95 min, for night 2"
        " in a row). The next night has them first."
    ]
    for nothing in (of_forecast(end="08:00", cut=[]), of_forecast(), Properties()):
        assert night_steps.cut_notes(nothing) == []


def test_the_forecast_says_it_too() -> None:
    whole = Forecast(
        kernels_to_build=1, kernels_reused=0, runs_to_do=9, runs_reused=0, build_s=60,
        measured=True, run_s=60, slots=1,
    )  # fmt: skip
    cut = evolve(whole, end="08:00", cut=[evolve(part("x", "altra"), minutes=95)])
    now = datetime.datetime(2026, 5, 1, 2, 0, tzinfo=datetime.UTC)
    assert cut.text(now).endswith(
        ". Left out, so that the night ends by 08:00: x on altra (about 95 min)."
        " The next night has them first."
    )
    assert Forecast.of_document(cut.document(now)) == cut
    assert "Left out" not in whole.text(now)


# The settings, and the clock.


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("now", "hours"),
    [
        ("01:30", 6.5),  # as it begins
        ("05:00", 3.0),  # begun anew
        ("12:00", 6.5),  # asked by day: of the next night
        ("01:00", 6.5),
    ],
)
def test_a_night_has_the_time_that_is_left(now: str, hours: float, utc: None) -> None:
    shipped = evolve(config.load(ROOT / "vlag.toml"), nightly_end=datetime.time(8))
    at = datetime.datetime.fromisoformat(f"2026-05-04T{now}:01+00:00")
    left_s = night_cut.left_s(shipped, at)
    assert left_s == pytest.approx(hours * HOUR, abs=1)
    assert night_cut.left_s(shipped.of_week(), at) is None
    assert night_cut.left_s(config.load(ROOT / "vlag.toml"), at) is None


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("end_hour = 1\nend_minute = 30", "nightly.end_hour: the night would end as it begins"),
        ("end_minute = 30", "nightly.end_minute: of which hour? Add end_hour"),
        ("end_hour = 24", "nightly.end_hour: 24 is greater than the maximum of 23"),
    ],
)
def test_an_end_that_is_none_is_refused(tmp_path: Path, keys: str, said: str) -> None:
    path = tmp_path / "vlag.toml"
    text = (ROOT / "vlag.toml").read_text()
    path.write_text(text.replace("minute = 30\n", f"minute = 30\n{keys}\n", 1))
    with pytest.raises(UsageError, match=said.replace("?", r"\?")):
        config.load(path)
    path.write_text(text.replace("minute = 30\n", "minute = 30\nend_hour = 8\n", 1))
    assert config.load(path).nightly_end == datetime.time(8)
