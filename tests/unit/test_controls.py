"""What controls around a kernel's runs say of a change, and the queue for the boards."""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np
import pytest
from attrs import frozen

from vlag.model import Board
from vlag.pipeline import queue
from vlag.pipeline.controls import Whose, drift
from vlag.pipeline.lanes import Lane
from vlag.pipeline.queue import Item, Queue

NOW = datetime.datetime(2026, 3, 1, 12, 0, tzinfo=datetime.UTC)


def boards(name: str, count: int) -> list[Board]:
    return [Board(name=f"{name}-{i}", board_type=name) for i in range(1, count + 1)]


def history(level: float = 4.0) -> list[float]:
    rng = np.random.default_rng(2)
    return [level * math.exp(0.004 * x) for x in rng.normal(size=30)]


@pytest.mark.parametrize(
    ("around", "change", "whose"),
    [
        ([4.0, 4.01, 3.99], 0.10, Whose.KERNEL),
        ([4.0, 4.01, 3.99], 0.001, Whose.NOBODY),
        ([4.4, 4.41, 4.39], 0.10, Whose.BOARD),
        ([4.4, 4.41, 4.39], 0.30, Whose.BOTH),
        ([4.4, 4.41, 4.39], 0.0, Whose.BOARD),
        ([3.6, 3.61, 3.59], 0.10, Whose.BOTH),  # the board got better, the kernel worse
    ],
)
def test_whose_a_change_is(around: list[float], change: float, whose: Whose) -> None:
    assert drift(history(), around, change, relevance=0.02).whose is whose


def test_the_kernel_is_blamed_for_what_the_board_does_not_explain_only() -> None:
    found = drift(history(), [4.4, 4.4], 0.10, relevance=0.02)
    assert found.sentence.startswith("the board drifted: most of 2 controls")
    assert "which leaves" in found.sentence
    stands = drift(history(), [4.0, 4.0], 0.10, relevance=0.02)
    assert stands.sentence.startswith("the board stands: 2 controls")


def test_too_few_controls_blame_nobody() -> None:
    found = drift(history()[:5], [4.4], 0.10, relevance=0.02)
    assert found.whose is Whose.UNKNOWN
    assert "5 earlier controls and 1 around the runs are too few" in found.sentence
    with pytest.raises(ValueError, match="above -1"):
        drift(history(), [4.0], -1.0, relevance=0.02)


def item(what: str, lane: Lane = Lane.NIGHT, **changes: Any) -> Item:
    values: dict[str, Any] = {
        "what": what,
        "board_type": "pi",
        "priority": lane.lava_priority,
        "submitted_at": NOW,
        "started_at": None,
        "estimate_s": 600.0,
    }
    return Item(**{**values, **changes})


def minutes(count: float) -> datetime.datetime:
    return NOW + datetime.timedelta(minutes=count)


def one(items: list[Item], count: int, ratio: float = 1.0, out: int = 0) -> Queue:
    every = boards("pi", count + out)
    [found] = queue.plan(items, every, every[:count], {"pi": ratio}, now=NOW)
    return found


def test_a_person_goes_first_then_confirmations_nights_and_commits() -> None:
    lanes = [Lane.PUSH, Lane.NIGHT, Lane.PERSON, Lane.CONFIRM]
    found = one([item(lane.value, lane) for lane in lanes], 1)
    order = [Lane.PERSON, Lane.CONFIRM, Lane.NIGHT, Lane.PUSH]
    assert [d.item.lane for d in found.waiting] == order
    assert [d.due_at for d in found.waiting] == [minutes(10 * i) for i in (1, 2, 3, 4)]


def test_of_equals_the_one_that_asked_first_goes_first() -> None:
    late, early = item("late"), item("early", submitted_at=minutes(-5))
    assert [d.item.what for d in one([late, early], 1).waiting] == ["early", "late"]


def test_waiting_runs_take_the_board_that_is_free_first() -> None:
    items = [
        item("running", started_at=minutes(-4)),
        item("overdue", started_at=minutes(-30)),
        *(item(f"waiting {i}") for i in range(3)),
    ]
    found = one(items, 2)
    assert [(d.item.what, d.due_at) for d in found.running] == [
        ("overdue", NOW), ("running", minutes(6)),
    ]  # fmt: skip
    assert [(d.starts_at, d.due_at) for d in found.waiting] == [
        (NOW, minutes(10)), (minutes(6), minutes(16)), (minutes(10), minutes(20)),
    ]  # fmt: skip
    assert found.free_at == minutes(20)


def test_estimates_are_corrected_by_what_runs_took() -> None:
    assert [d.due_at for d in one([item("a")], 1, ratio=1.5).waiting] == [minutes(15)]
    # Negative control: another type's ratio changes nothing.
    [found] = queue.plan([item("a")], boards("pi", 1), boards("pi", 1), {"sim": 9.0}, now=NOW)
    assert [d.due_at for d in found.waiting] == [minutes(10)]


def test_a_board_in_maintenance_takes_nothing_more() -> None:
    items = [item("a"), item("b", started_at=NOW)]
    none = one(items, 0, out=1)
    assert (none.boards, none.out, none.free_at) == (0, 1, None)
    assert [d.due_at for d in none.waiting] == [None]
    assert [d.due_at for d in none.running] == [minutes(10)]
    # Two run, one of their boards leaves: what waits gets the other when it is free.
    longer = item("c", started_at=NOW, estimate_s=1200.0)
    assert one([*items, longer], 1, out=1).waiting[0].starts_at == minutes(20)


def test_what_has_no_estimate_lasts_as_long_as_the_others() -> None:
    found = one([item("a"), item("b", estimate_s=None, submitted_at=minutes(1))], 1)
    assert [d.due_at for d in found.waiting] == [minutes(10), minutes(20)]
    alone = one([item("b", estimate_s=None)], 1)
    assert [d.due_at for d in alone.waiting] == [None]


@frozen(kw_only=True)
class Job:
    id: int
    state: str
    priority: int = 50
    board_type: str | None = "pi"
    submitted_at: datetime.datetime = NOW
    started_at: datetime.datetime | None = None


def test_a_lab_says_what_really_runs() -> None:
    ours = [
        item("on a board", started_at=minutes(-9), lab="home", jobs=("1",)),
        item("in the lab's queue", started_at=minutes(-8), lab="home", jobs=("2",)),
        item("of another lab", started_at=minutes(-7), lab="away", jobs=("2",)),
    ]
    jobs = [
        Job(id=1, state="Running", started_at=minutes(-2)),
        Job(id=2, state="Submitted"),
        Job(id=3, state="Submitted", priority=100, board_type="sim"),
        Job(id=4, state="Submitted", board_type=None),
    ]
    found = queue.with_lab(ours, "home", jobs)
    assert [i.started_at for i in found] == [minutes(-2), None, minutes(-7), None]
    assert (found[3].what, found[3].lane) == ("job 3 of lab home", Lane.PERSON)


def test_text_is_narrow_and_names_what_is_hidden() -> None:
    items = [item(f"baseline v6.6 cyclictest-hackbench seed {i} on a board type with a long name")
             for i in range(12)]  # fmt: skip
    found = [one([*items, item("running", started_at=NOW)], 1, out=1)]
    text = queue.text(found, 2, NOW)
    assert max(map(len, text.splitlines())) <= queue.WIDTH
    assert text.startswith("pi: 1 boards (1 more in maintenance), 1 running, 12 waiting\n")
    assert "  and 4 more, the last due" in text
    assert "2 kernels wait to be built" in text
    assert "12:20" in text
    far = queue.text([one([item("x", estimate_s=864000.0)], 1)], 0, NOW)
    assert "11 Mar 12:00" in far
    document = queue.document(found, 2, NOW)
    [kind_] = document["board_types"]
    assert len(kind_["waiting"]) == 12
    assert kind_["running"][0]["due_at"] == "2026-03-01T12:10:00+00:00"


def test_an_empty_farm_says_so() -> None:
    assert queue.text([], 0, NOW) == "no board, and nothing waits for one"
