# SPDX-License-Identifier: GPL-2.0-only
"""What several masters tell each other, through a real PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from master.multimaster import bus
from tests.waiting import DEADLINE_S, until

Heard = list[tuple[tuple[str, ...], Any]]


@pytest.fixture
def join(dsn: str) -> Iterator[Callable[[str | None], tuple[bus.PostgresMQ, Heard]]]:
    """Return a function that makes a master's queue, and the list of what it hears."""
    made: list[bus.PostgresMQ] = []
    one = threading.Lock()

    def call(function: Callable[..., object], *arguments: object) -> None:
        with one:  # Buildbot's reactor too calls one after the other
            function(*arguments)

    def make(kind: str | None = None) -> tuple[bus.PostgresMQ, Heard]:
        queue = bus.PostgresMQ()
        queue.dsn = dsn
        queue.parent = SimpleNamespace(
            master=SimpleNamespace(reactor=SimpleNamespace(callFromThread=call))
        )
        queue.running = 1
        heard: Heard = []
        queue.startConsuming(lambda key, data: heard.append((key, data)), (kind, None, None))
        queue.open()
        made.append(queue)
        return queue, heard

    yield make
    for queue in made:
        queue.close()


def test_every_master_hears_every_message_once_and_in_order(join: Any) -> None:
    (one, by_one), (two, by_two) = join(), join()
    for i in range(50):
        one.produce(("builds", str(i), "new"), {"buildid": i})
    two.produce(("builds", "99", "finished"), {"results": None})
    until(lambda: len(by_one) == 51 and len(by_two) == 51, lambda: f"{len(by_one)}, {len(by_two)}")
    numbers = [key[1] for key, _ in by_two if key[2] == "new"]
    assert numbers == [str(i) for i in range(50)]
    assert by_one[-1] == (("builds", "99", "finished"), {"results": None})


def test_who_listens_for_something_else_hears_nothing(join: Any) -> None:
    (one, _), (_, builds), (_, steps) = join(), join("builds"), join("steps")
    one.produce(("builds", "1", "new"), {})
    one.produce(("steps", "1", "new"), {})
    one.produce(("builds", "2", "new"), {})
    until(lambda: steps and len(builds) > 1, lambda: f"{len(steps)}, {len(builds)} messages came")
    assert [key[:2] for key, _ in builds] == [("builds", "1"), ("builds", "2")]
    assert [key[0] for key, _ in steps] == ["steps"]


def test_a_message_of_a_megabyte(join: Any) -> None:
    (one, _), (_, heard) = join(), join()
    text = "ü\0\\" * 300_000
    one.produce(("logs", "1", "append"), {"text": text})
    until(lambda: heard, lambda: "no message came")
    assert heard[0][1] == {"text": text}


def test_nothing_is_lost_while_the_database_throws_everybody_out(join: Any, dsn: str) -> None:
    (one, _), (_, heard) = join(), join()
    thrown = 0
    with psycopg.connect(dsn, autocommit=True) as conn:
        until(
            lambda: (
                conn.execute(
                    "SELECT FROM pg_stat_activity"
                    " WHERE application_name = 'vlag master bus' AND datname = current_database()"
                ).rowcount
            ),
            lambda: "no master listens",
        )
        for i in range(300):
            one.produce(("builds", str(i), "new"), {})
            if i % 10 == 0:
                row = conn.execute(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                    " WHERE application_name = 'vlag master bus' AND datname = current_database()"
                ).fetchone()
                assert row is not None
                thrown += row[0]
    until(lambda: len(heard) >= 300, lambda: f"{len(heard)} of 300 came")
    assert thrown > 0
    assert [int(key[1]) for key, _ in heard] == list(range(300))


def test_a_message_whose_receipt_was_lost_is_heard_once(join: Any) -> None:
    """Its writer cannot know that it is written, and writes it again."""
    (one, _), (_, heard) = join(), join()
    one.produce(("builds", "1", "new"), {})
    until(lambda: heard, lambda: "no message came")
    one._outgoing.put((0, ["builds", "1", "new"], "{}"))
    one.produce(("builds", "2", "new"), {})
    until(lambda: len(heard) > 1, lambda: "no second message came")
    assert [key[1] for key, _ in heard] == ["1", "2"]
    # Negative control: the same words under a number of their own are heard.
    one.produce(("builds", "2", "new"), {})
    until(lambda: len(heard) == 3, lambda: f"{len(heard)} of 3 came")


def test_what_was_said_before_a_master_came_is_not_for_it(join: Any) -> None:
    one, by_one = join()
    (two, by_two) = join()
    one.produce(("builds", "1", "new"), {})
    until(lambda: by_two, lambda: "no message came")
    _, late = join()
    two.produce(("builds", "2", "new"), {})
    until(lambda: late and len(by_one) > 1, lambda: f"{len(late)}, {len(by_one)} messages came")
    assert [key[1] for key, _ in late] == ["2"]
    assert [key[1] for key, _ in by_one] == ["1", "2"]


def test_a_master_that_ends_says_its_last_words(join: Any) -> None:
    (one, _), (_, heard) = join(), join()
    for i in range(100):
        one.produce(("builds", str(i), "finished"), {})
    one.close()
    until(lambda: len(heard) == 100, lambda: f"{len(heard)} of 100 came")


def test_a_master_that_was_away_too_long_ends(
    join: Any, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()
    queue, _ = join()
    queue.master.reactor.stop = stopped.set
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("NOTIFY bus")
        assert not stopped.is_set()
        monkeypatch.setattr(bus, "KEPT_S", -1)  # any time is too long
        conn.execute("NOTIFY bus")
        assert stopped.wait(DEADLINE_S)
