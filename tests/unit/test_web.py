# SPDX-License-Identifier: GPL-2.0-only
"""One answer of Buildbot's that is lost does not end the service; a dead master does."""

import pytest

from tests.http_stand_in import Answer, served
from vlag import buildbot
from vlag.errors import InfrastructureError

GOOD = b'{"builds": [{"buildid": 1}]}'


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buildbot, "_PAUSES_S", (0, 0))


def test_an_answer_that_is_garbled_is_asked_for_again() -> None:
    bodies = iter([b"\x1f\x8b garbled", b"not JSON", GOOD])
    with served(lambda _: Answer(body=next(bodies))) as server:
        assert buildbot.Web(server.port).get("/builds") == [{"buildid": 1}]
        assert len(server.requests) == 3


def test_one_that_stays_garbled_is_told() -> None:
    """Negative control: patience has an end."""
    bodies = iter([b"garbled"] * 3 + [GOOD])
    with (
        served(lambda _: Answer(body=next(bodies))) as server,
        pytest.raises(InfrastructureError, match="GET /builds"),
    ):
        buildbot.Web(server.port).get("/builds")
