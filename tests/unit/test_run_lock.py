"""Two that ask for one run at the same time: the second waits for the first."""

import threading
from pathlib import Path

from vlag.pipeline.run import _alone


def test_the_second_waits_and_is_told(tmp_path: Path) -> None:
    said: list[str] = []
    order: list[str] = []
    waiting = threading.Event()

    def say(text: str) -> None:
        said.append(text)
        waiting.set()

    def second() -> None:
        with _alone(tmp_path / "key", say):
            order.append("second")

    with _alone(tmp_path / "key", said.append):
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(10)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]
    assert said == ["the same run is under way; waiting for its end"]


def test_other_runs_do_not_wait(tmp_path: Path) -> None:
    """Negative control."""
    said: list[str] = []
    with _alone(tmp_path / "one", said.append), _alone(tmp_path / "two", said.append):
        assert not said
