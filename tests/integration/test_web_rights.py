"""Who may control Buildbot over its API: few may start builds, nobody may end a worker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import requests

from tests.integration.masters import master, signed_in
from tests.integration.websites import MAY, MAY_NOT
from vlag.buildbot import TOKEN, Web
from vlag.errors import InfrastructureError

FORCE = ("forceschedulers/nightly-now", "force")
#: What controls without starting or stopping a build.
NEVER = [
    ("workers/1", "kill"),
    ("workers/1", "pause"),
    ("workers/1", "unpause"),
    ("workers/1", "stop"),
    ("schedulers/1", "enable"),
    ("buildrequests/1", "set_priority"),
    ("masters/1", "anything"),
    ("nowhere", "anything"),
]


def control(
    url: str, to: tuple[str, str], by: requests.Session | None = None, token: str | None = None
) -> requests.Response:
    path, method = to
    parameters: dict[str, Any] = {"reason": "because", "enabled": False, "priority": 1}
    body = {"id": 1, "jsonrpc": "2.0", "method": method, "params": parameters}
    headers = {} if token is None else {TOKEN: token}
    sender = by or requests.Session()
    return sender.post(f"{url}api/v2/{path}", json=body, headers=headers, timeout=60)


def asked(url: str, path: str) -> list[dict[str, Any]]:
    answer = requests.get(f"{url}api/v2/{path}", timeout=60)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()[path]
    return found


def test_named_people_start_and_cancel_builds_and_nobody_else_does(
    url: str, tmp_path: Path
) -> None:
    stranger, other, mine = requests.Session(), signed_in(url, MAY_NOT), signed_in(url, MAY)
    for refused in (stranger, other):
        assert control(url, FORCE, refused).status_code == 403
    assert asked(url, "buildrequests") == []
    assert control(url, FORCE, mine).status_code == 200
    [request] = asked(url, "buildrequests")
    cancel = (f"buildrequests/{request['buildrequestid']}", "cancel")
    for refused in (stranger, other):
        assert control(url, cancel, refused).status_code == 403
    assert not asked(url, "buildrequests")[0]["complete"]
    assert control(url, cancel, mine).status_code == 200
    for method in ("stop", "rebuild"):
        # No build runs here: who may is told that there is none.
        for refused in (stranger, other):
            assert control(url, ("builds/1", method), refused).status_code == 403
        assert control(url, ("builds/1", method), mine).status_code != 403
    # Who is gone from the file has a session still, and no right.
    (tmp_path / "people").write_text("")
    assert control(url, FORCE, mine).status_code == 403


def test_nobody_controls_workers_and_all_else_over_the_web(url: str) -> None:
    for to in NEVER:
        for by in (requests.Session(), signed_in(url, MAY_NOT), signed_in(url, MAY)):
            assert control(url, to, by).status_code == 403, to
    [worker] = asked(url, "workers")
    assert not worker["paused"]
    assert all(s["enabled"] for s in asked(url, "schedulers"))


def test_everybody_reads(url: str) -> None:
    for path in ("workers", "builders", "forceschedulers", "masters"):
        assert asked(url, path), path
    assert requests.head(f"{url}api/v2/workers", timeout=60).status_code == 200


def test_the_service_itself_starts_a_night_by_its_token(url: str, tmp_path: Path) -> None:
    port = int(url.rstrip("/").rpartition(":")[2])
    path = tmp_path / "secrets" / "control"
    path.parent.mkdir(exist_ok=True)
    guess = tmp_path / "guess"
    guess.write_text("guess\n")
    with pytest.raises(InfrastructureError, match="403"):  # no file, nothing fits
        Web(port, secret=guess).control("/forceschedulers/nightly-now", "force", reason="r")
    path.write_text("\n")
    assert control(url, FORCE, token="").status_code == 403
    path.write_text("token\n")
    with pytest.raises(InfrastructureError, match="403"):
        Web(port, secret=guess).control("/forceschedulers/nightly-now", "force", reason="r")
    assert asked(url, "buildrequests") == []
    Web(port, secret=path).control("/forceschedulers/nightly-now", "force", reason="r")
    assert len(asked(url, "buildrequests")) == 1
    with pytest.raises(InfrastructureError, match="403"):
        Web(port, secret=path).control("/workers/1", "kill")


def test_without_people_the_user_of_this_machine_starts_builds(dsn: str, tmp_path: Path) -> None:
    with master(dsn, tmp_path, people=False) as url:
        assert control(url, FORCE).status_code == 200
        assert len(asked(url, "buildrequests")) == 1
        for to in NEVER:
            assert control(url, to).status_code == 403, to


@pytest.mark.parametrize(
    "reach",
    [{"listen": "0.0.0.0"}, {"url": "https://ci.example.org/"}],  # noqa: S104
    ids=["an open port", "a proxy"],
)
def test_without_people_a_service_that_others_reach_starts_nothing(
    dsn: str, tmp_path: Path, reach: dict[str, str]
) -> None:
    with master(dsn, tmp_path, people=False, **reach) as url:
        for to in (FORCE, ("buildrequests/1", "cancel"), *NEVER):
            assert control(url, to).status_code == 403, to
        assert asked(url, "buildrequests") == []
