# SPDX-License-Identifier: GPL-2.0-only
"""Two that want one thing at the same time: the second waits for the first, or gives up."""

import threading
from pathlib import Path

import pytest

from vlag.errors import UsageError
from vlag.lock import hold


def test_the_second_waits_and_is_told(tmp_path: Path) -> None:
    said: list[str] = []
    order: list[str] = []
    waiting = threading.Event()

    def busy() -> None:
        said.append("busy")
        waiting.set()

    def second() -> None:
        with hold(tmp_path / "new" / "lock", busy):
            order.append("second")

    with hold(tmp_path / "new" / "lock", busy):
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(10)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]
    assert said == ["busy"]


def test_other_runs_do_not_wait(tmp_path: Path) -> None:
    """Negative control."""
    said: list[str] = []
    with (
        hold(tmp_path / "one", lambda: said.append("one")),
        hold(tmp_path / "two", lambda: said.append("two")),
    ):
        assert not said


def test_whoever_will_not_wait_raises(tmp_path: Path) -> None:
    def refuse() -> None:
        raise UsageError("already there")

    with (
        hold(tmp_path / "lock", refuse),
        pytest.raises(UsageError, match="already there"),
        hold(tmp_path / "lock", refuse),
    ):
        raise AssertionError("both hold it")
    with hold(tmp_path / "lock", refuse):
        pass  # the first has let go
