# SPDX-License-Identifier: GPL-2.0-only
"""The pages over a real database: what is on record there, and who visits."""

from __future__ import annotations

import datetime
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from attrs import asdict, frozen
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.serving import make_server

from tests.conftest import fresh_database
from tests.integration import bundles, templates
from tests.integration.alerting import BASE, SAME, SLOW, Record, head
from vlag.alerts.derive import derive
from vlag.buildbot import UI
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.model import Plan, PlanEntry
from vlag.store import database, lane_results, nights, views
from vlag.store.database import Connection
from vlag.store.nights import Night
from vlag.web.access import Visitor
from vlag.web.app import create
from vlag.web.installation import Site

URL = "http://127.0.0.1:8010/"
CHROMIUM = "/usr/bin/chromium"
CATALOGUE = catalogues.load()
LAB = "https://lava.example.org"
MAY, MAY_NOT = "ada", "bob"
#: A name that git takes, with everything in it that a page could stumble over.
LONG = "users/" + "a-branch-of-somebody-with-time-" * 6 + "<b onclick=x>'\"&amp;%20{{7*7}}"
ODD = "<script>alert(1)</script> \"quoted\" & 'more' {{7*7}}"


#: A mail that is a patch, with markup in its subject.
MAIL = """From 0000000000000000000000000000000000000001 Mon Sep 17 00:00:00 2001
From: A <a@example.org>
Date: Mon, 2 Mar 2026 10:00:00 +0000
Subject: [PATCH] sched: <b>faster</b>

Why.

---
 a | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/a b/a
index 1..2 100644
--- a/a
+++ b/a
@@ -1 +1 @@
-one
+two
--
2.39.5

"""

#: Five boots to see something, five more to confirm it.
PLAN = Plan(
    name="nightly",
    entries=tuple(
        PlanEntry(
            benchmark=name, parameters={}, board_types=("qemu-sim-2",),
            seeds=5, rounds=(5, 10), timeout_s=60,
        )
        for name in ("stress-ng-switch", "cyclictest-hackbench")
    ),
)  # fmt: skip


@frozen(kw_only=True)
class Filled:
    """What `fill` has put on record."""

    branch: str  # TREE/BRANCH
    baseline: int  # the comparison of the last head with the baseline: a regression
    parent: int  # of the last head with the one before it
    patched: int  # of the first head with a patch, with the first head
    failed: int  # of a head whose boots panic
    alert: int
    night: int


def fill(
    conn: Connection, catalogue: Catalogue, folder: Path, branch: str = "linux-6.12"
) -> Filled:
    """Put a branch on record that gets worse with its third commit, and a night."""
    record = Record(conn=conn, catalogue=catalogue, folder=folder)
    words = {"branch": branch, "subject": ODD}
    heads = [head(n, **words) for n in (2, 3, 4)]
    patch = {"name": "0001-odd.patch", "sha256": "5" * 64}
    patched = head(2, **words, series="fair-fixes", application="solo(1)", patches=[patch])
    broken = head(1, **words)
    before = {"cmdline": "ro quiet", "same": "1"}
    record.fill(BASE, SAME * 2, shifts=(0, 1, 0, 1, 0), environment=before)
    # Without latencies: that cell of the matrix was not run.
    record.fill(patched, SAME * 2)
    for of, factors, shift in zip(heads, (SAME * 2, SAME * 2, SLOW * 2), (0, 0, 90), strict=True):
        record.fill(
            of, factors, shifts=[shift + s for s in (0, 1, 0, 1, 0)],
            environment={**before, "cmdline": f"ro {ODD}"},
            health=[{"kind": "warning", "text": ODD, "line": 1, "phase": "benchmark"}],
            executor={"program": "lava-server", "lab": "east", "job": "77"},
        )  # fmt: skip
    paths = [bundles.build(folder / "broken-build", broken)]
    for seed in (1, 2, 3):
        paths.append(
            bundles.run(
                folder / f"broken-{seed}", broken, catalogue, seed=seed,
                outcome="panic", reason=f"Kernel panic - not syncing: {ODD}",
            )
        )  # fmt: skip
    bundles.store(conn, catalogue, paths)

    def compared(base: Any, new: Any, role: str | None, stage: Any = "screen") -> int:
        return record.compare(base, new, role, plan=PLAN, stage=stage)

    failed = compared(BASE, broken, "baseline")
    first = compared(BASE, heads[0], "baseline")
    with_patch = compared(heads[0], patched, None)
    parent = compared(heads[1], heads[2], "parent")
    baseline = compared(BASE, heads[2], "baseline")
    fresh = [
        compared(base, heads[2], role, "confirm")
        for base, role in ((heads[1], "parent"), (BASE, "baseline"))
    ]
    lane_results.put(conn, tree="debian", subject=ODD, parent="0" * 40, commit=heads[2]["commit"],
              lanes=[lane("up", "breaks", ODD), lane("clang", "builds", None)])  # fmt: skip
    (folder / "reports").mkdir()
    (folder / "reports" / "night.txt").write_text("REPORT of the night\n")
    night, _ = nights.insert(
        conn,
        Night(
            key="1", started_at=at(1), finished_at=at(9), multiple_testing=None,
            comparisons=[first, baseline],
            branches=[{"tree": "debian", "branch": branch, "board_types": ["qemu-sim-2"]}],
            missing=[f"the boots of {ODD} did not run: the board was away"], notes=[ODD],
            url=f"{URL}{UI}#/builders/1/builds/2", report="reports/night.txt",
        ),
    )  # fmt: skip
    told = record.derive(baseline, parent, *fresh)
    alert = next(a.id for a in told if a.kind == "regression")
    return Filled(
        branch=f"debian/{branch}", baseline=baseline, parent=parent, patched=with_patch,
        failed=failed, alert=alert, night=night,
    )  # fmt: skip


@frozen(kw_only=True)
class Template:
    """A database that `fill` has filled, to make others of, and the state folder beside it."""

    database: str
    filled: Filled
    state: Path  # for reading only: all processes have it


def make_template(
    cluster: str, template: str, catalogue: Catalogue, shared: Path, branch: str
) -> Template:
    """Fill a database once for all processes, whose folder `shared` is."""
    state = shared / f"filled-{hashlib.sha256(branch.encode()).hexdigest()[:12]}"
    said = state / "filled.json"

    def fill_once(dsn: str) -> None:
        state.mkdir()
        with database.connect(dsn) as conn:
            said.write_text(json.dumps(asdict(fill(conn, catalogue, state, branch))))

    name = templates.make(cluster, template, state.with_suffix(".dump"), fill_once)
    return Template(database=name, filled=Filled(**json.loads(said.read_text())), state=state)


@frozen(kw_only=True)
class Place:
    """A database with what `fill` puts on record, and its state folder, for reading only."""

    dsn: str
    filled: Filled
    state: Path


def place_of(cluster: str, of: Template) -> Place:
    """Return a copy of a template's database."""
    dsn = fresh_database(cluster, of.database)
    return Place(dsn=dsn, filled=of.filled, state=of.state)


def lane(name: str, outcome: str, reason: str | None) -> dict[str, Any]:
    """Return a build lane with a finding."""
    finding = {
        "kind": "error" if reason else "warning", "file": "kernel/sched/fair.c", "line": 12,
        "message": ODD, "count": 1, "is_new": True,
    }  # fmt: skip
    return {
        "lane": name, "outcome": outcome, "reason": reason, "is_new": outcome != "builds",
        "warnings": 1, "unjudged": None, "toolchain": "gcc 12", "record": "/var/lanes/1",
        "findings": [finding],
    }  # fmt: skip


def at(hour: int) -> datetime.datetime:
    return datetime.datetime(2026, 3, 5, hour, tzinfo=datetime.UTC)


def application(dsn: str, state: Path, **changes: Any) -> Flask:
    """Return the pages over a database; the cookie `who` says who visits."""
    made = {
        "reader_dsn": database.as_user(dsn, views.READER),
        "writer_dsn": dsn,
        "state": state,
        "url": URL,
        "catalogue": CATALOGUE,
        "derive": lambda conn, comparisons: derive(conn, CATALOGUE, comparisons),
        "triage": (MAY,),
        "labs": {"east": LAB},
        **changes,
    }

    def identify(cookies: Any) -> Visitor | None:
        name = cookies.get("who")
        return Visitor(name=name, session=cookies.get("session", "one")) if name else None

    return create(Site(**made), identify)


def visitor(app: Flask, name: str | None = None, session: str = "one") -> FlaskClient:
    client = app.test_client()
    if name is not None:
        client.set_cookie("who", name)
        client.set_cookie("session", session)
    return client


def pages_of(filled: Filled, conn: Connection) -> list[str]:
    """Return the address of every page, with real data on each."""
    run = conn.execute(
        "SELECT new_runs[1], series_new, statistic FROM read_model.verdict WHERE comparison = %s"
        " AND series_new IS NOT NULL ORDER BY id",
        (filled.baseline,),
    ).fetchone()
    broken = conn.execute(
        "SELECT run FROM read_model.failure WHERE comparison = %s", (filled.failed,)
    ).fetchone()
    kernels = conn.execute(
        "SELECT c.base_kernel, c.new_kernel, k.commit FROM read_model.comparison c"
        " JOIN read_model.kernel k ON k.id = c.new_kernel WHERE c.id = %s",
        (filled.parent,),
    ).fetchone()
    assert run is not None
    assert broken is not None
    assert kernels is not None
    branch = quote(filled.branch, safe="")
    return [
        "/",
        "/index.html",
        "/branch",
        f"/branch?branch={branch}",
        f"/branch?branch={branch}&board=qemu-sim-2&series={run[1]}&statistic={run[2]}",
        f"/compare?id={filled.baseline}",
        f"/compare?id={filled.failed}",
        f"/compare?base={kernels[0]}&new={kernels[1]}",
        f"/commit?tree=debian&commit={kernels[2]}",
        f"/latency?id={filled.baseline}",
        f"/latency?id={filled.patched}",
        f"/run?id={run[0]}",
        f"/run?id={broken[0]}",
        "/choose",
        f"/choose?base=linux-6.1&new={branch}",
        f"/choose?base={branch}&new=linux-6.1&board=qemu-sim-2",
        "/across",
        f"/across?kernels=linux-6.1,{branch}",
        "/matrix",
        f"/matrix?branch={branch}",
        "/proof",
        "/boards",
        "/queue",
        "/tries",
        "/rehearsal",
        "/live",
        "/alerts",
        "/alerts?all=1",
        f"/alerts?branch={branch}",
        f"/alert?id={filled.alert}",
        "/nowhere",
    ]


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """Serve the pages on a free port of this machine; yield their address."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
