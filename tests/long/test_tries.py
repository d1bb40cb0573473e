# SPDX-License-Identifier: GPL-2.0-only
"""Patches sent on the pages of a real service: built, booted, compared, and their faults said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from tests.integration.masters import signed_in, write_people
from tests.integration.webpages import text
from tests.integration.websites import MAY
from tests.night.clone import BRANCHES, Night, shared_night, write_settings
from tests.night.service import WEB, Service, report_of, serving
from vlag import ROOT
from vlag.buildbot import PAGES

pytestmark = pytest.mark.long

URL = WEB.removesuffix("api/v2")
PATCHES = ROOT / "kernel-patches" / "known-regressions"
#: A build of few objects and ten boots, on a machine that does other things as well.
DEADLINE_S = 3600


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with shared_night() as night:
        toml = write_settings(night.clone, "tries.toml", BRANCHES)
        toml.write_text(toml.read_text() + write_people(night.clone))
        with serving(night, toml) as running:
            yield running


def mail(patch: str, old: str = "", new: str = "") -> bytes:
    """Return a shipped patch as a mailbox of one mail, with one change of its text."""
    body = (PATCHES / patch).read_text().replace(old, new)
    day = "Date: Mon, 2 Mar 2026 10:00:00 +0000"
    return f"From {'1' * 40} Mon Sep 17 00:00:00 2001\n{day}\n{body}\n".encode()


def sent(mbox: bytes) -> str:
    """Send a series as a person does, and return the address of its page."""
    person = signed_in(URL, MAY)
    page = f"{URL}{PAGES}tries"
    found = re.search(r'name="token" value="(\w+)"', person.get(page, timeout=60).text)
    assert found is not None
    form = {"base": "debian/linux-6.12", "plan": "commit", "board_type": "qemu-sim-2"}
    answer = person.post(
        page, data={**form, "token": found[1]}, files={"mbox": mbox}, timeout=60,
        headers={"Origin": URL.rstrip("/")}, allow_redirects=False,
    )  # fmt: skip
    assert answer.status_code == 303, text(answer.text)
    return f"{page.removesuffix('tries')}try?{answer.headers['Location'].split('?')[1]}"


def ended(service: Service, page: str) -> str:
    """Wait until a try has ended, and return what its page says to anybody."""

    def said() -> str | None:
        shown = requests.get(page, timeout=60).text
        return None if "data-from" in shown.split("<main")[1] else text(shown)

    return str(service.wait(said, DEADLINE_S))


def newest(service: Service) -> dict[str, Any]:
    return dict(service.builds("try")[-1]["properties"])


def test_a_series_that_costs_something(service: Service) -> None:
    page = ended(service, sent(mail("02-pick-path.patch")))
    [comparison, *_] = newest(service)["comparisons"]
    night: Night = service.night
    verdicts = report_of(night, comparison)["rows"]
    worse = [v for v in verdicts if v["verdict"] == "REGRESSION"]
    assert worse, verdicts
    assert "stress-ng-switch" in page
    assert "REGRESSION" in page or "worse" in page


def test_a_series_that_does_not_apply(service: Service) -> None:
    page = ended(
        service, sent(mail("02-pick-path.patch", "pick_eevdf(cfs_rq);", "pick_none(cfs_rq);"))
    )
    assert "It failed: " in page
    assert "kernel/sched/fair.c" in page


def test_a_series_that_does_not_build(service: Service) -> None:
    page = ended(service, sent(mail("02-pick-path.patch", "barrier();", "no_such_call();")))
    assert "It failed: " in page
    assert "build failed" in page
