# SPDX-License-Identifier: GPL-2.0-only
"""Who may control Buildbot over its API: few may start builds, nobody may end a worker."""

from __future__ import annotations

from pathlib import Path

import pytest
import requests

from tests.integration.guarded import FORCE, NEVER
from tests.integration.masters import Master, asked, control, master, signed_in, waiting
from tests.integration.websites import MAY, MAY_NOT
from tests.waiting import until
from vlag.buildbot import Web
from vlag.errors import InfrastructureError


def cancel(url: str, by: requests.Session | None = None) -> None:
    """Cancel the one build request that waits."""
    [request] = waiting(url)
    to = (f"buildrequests/{request['buildrequestid']}", "cancel")
    assert control(url, to, by).status_code == 200
    until(lambda: waiting(url) == [], lambda: f"still there: {waiting(url)}")


def test_named_people_start_and_cancel_builds_and_nobody_else_does(served_master: Master) -> None:
    url = served_master.url
    stranger, other, mine = requests.Session(), signed_in(url, MAY_NOT), signed_in(url, MAY)
    for refused in (stranger, other):
        assert control(url, FORCE, refused).status_code == 403
    assert waiting(url) == []
    assert control(url, FORCE, mine).status_code == 200
    [request] = waiting(url)
    for refused in (stranger, other):
        to = (f"buildrequests/{request['buildrequestid']}", "cancel")
        assert control(url, to, refused).status_code == 403
    assert waiting(url) == [request]
    cancel(url, mine)
    for method in ("stop", "rebuild"):
        # No build runs here: who may is told that there is none.
        for refused in (stranger, other):
            assert control(url, ("builds/1", method), refused).status_code == 403
        assert control(url, ("builds/1", method), mine).status_code != 403
    # Who is gone from the file has no session any more.
    people = served_master.folder / "people"
    known = people.read_text()
    try:
        people.write_text("")
        assert control(url, FORCE, mine).status_code == 403
    finally:
        people.write_text(known)


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


def test_the_service_itself_starts_a_night_by_its_token(
    served_master: Master, tmp_path: Path
) -> None:
    url = served_master.url
    port = int(url.rstrip("/").rpartition(":")[2])
    path = served_master.folder / "secrets" / "control"
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    guess = tmp_path / "guess"
    guess.write_text("guess\n")
    with pytest.raises(InfrastructureError, match="403"):  # no file, nothing fits
        Web(port, secret=guess).control("/forceschedulers/nightly-now", "force", reason="r")
    path.write_text("\n")
    assert control(url, FORCE, token="").status_code == 403
    path.write_text("token\n")
    with pytest.raises(InfrastructureError, match="403"):
        Web(port, secret=guess).control("/forceschedulers/nightly-now", "force", reason="r")
    assert waiting(url) == []
    Web(port, secret=path).control("/forceschedulers/nightly-now", "force", reason="r")
    assert len(waiting(url)) == 1
    with pytest.raises(InfrastructureError, match="403"):
        Web(port, secret=path).control("/workers/1", "kill")


def test_without_people_the_user_of_this_machine_starts_builds(open_master: Master) -> None:
    url = open_master.url
    assert waiting(url) == []
    assert control(url, FORCE).status_code == 200
    cancel(url)
    for to in NEVER:
        assert control(url, to).status_code == 403, to


def test_without_people_a_service_behind_a_proxy_starts_nothing(
    dsn: str, tmp_path: Path, buildbot_database: Path
) -> None:
    """An open port is another reason for the same (test_master_rights.py)."""
    proxy = "https://ci.example.org/"
    with master(dsn, tmp_path, buildbot_database, people=False, url=proxy) as found:
        for to in (FORCE, ("buildrequests/1", "cancel"), *NEVER):
            assert control(found.url, to).status_code == 403, to
        assert asked(found.url, "buildrequests") == []
