# SPDX-License-Identifier: GPL-2.0-only
"""A person's command waits for the pushes of a service, and for nothing else of it."""

from __future__ import annotations

from typing import Any, cast

from vlag import progress_log
from vlag.buildbot import Web
from vlag.errors import InfrastructureError
from vlag.operate.service.pushes import waiting


class Answers:
    """What a master answers: how many pushes run at each look; None: it has stopped."""

    def __init__(self, *pushes: int | None):
        self.pushes = list(pushes)

    def answers(self) -> bool:
        return bool(self.pushes)

    def get(self, path: str, **_query: Any) -> list[dict[str, Any]]:
        if path == "/builders":
            return [{"name": "nightly", "builderid": 1}, {"name": "push", "builderid": 2}]
        assert path == "/builders/2/builds"
        found = self.pushes.pop(0)
        if found is None:
            raise InfrastructureError("it does not answer")
        return [{}] * found


def waited(*pushes: int | None) -> tuple[list[str], Answers]:
    said: list[str] = []
    web = Answers(*pushes)
    with progress_log.diverted(said.append):
        waiting(cast(Web, web), 0)()
    return said, web


def test_a_push_comes_first() -> None:
    said, web = waited(1, 1, 0)
    assert said == ["the service tests a push, which comes first; waiting for its end"]
    assert web.pushes == []


def test_without_a_push_nothing_waits() -> None:
    assert waited(0)[0] == []


def test_a_service_that_stops_holds_nobody_up() -> None:
    assert len(waited(1, None)[0]) == 1
    assert waited()[0] == []
