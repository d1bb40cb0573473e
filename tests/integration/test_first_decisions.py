# SPDX-License-Identifier: GPL-2.0-only
"""Decisions of a confirmed regression that the service compares by itself, and where it tells."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import evolve
from click.testing import CliRunner
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

from tests.integration import bundles, profiled
from tests.integration.planted import planted
from tests.integration.websites import application
from vlag import config
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.kernel import types
from vlag.report import html, markdown, text
from vlag.report.data import comparison as data
from vlag.search import explain
from vlag.store.database import Connection

DATA = Path(__file__).parents[1] / "data"
RULE = "the new kernel answers a wake-up by an interrupt before it looks at the queue"


def with_types(root: Path) -> None:
    """Give the builds of both kernels their structures: what is planned only looks for the file."""
    for kernel in (profiled.BASE, profiled.NEW):
        [document] = (root / "builds" / kernel["digest"][:12]).rglob("build.json")
        entry = bundles.add(document.parent, types.FILE, gzip.compress(b"types"))
        files = json.loads(document.read_text())["files"]
        bundles.edit(document.parent, files=[*files, entry])


def booted(root: Path, catalogue: Catalogue, base: str, new: str) -> list[Path]:
    """Write boots of both kernels, seeds 1 to 3, with the begin of a real boot's decisions."""
    found = []
    for of, kind, name in ((profiled.BASE, "plain", base), (profiled.NEW, "longer", new)):
        for seed in (1, 2, 3):
            raw = (DATA / "profile" / kind / f"stress-ng-{seed}.txt").read_bytes()
            folder = root / "runs" / of["digest"][:12] / f"decisions-{seed}"
            bundles.run(folder, of, catalogue, raw=raw, seed=seed, observes="decisions", plan=None)
            packed = (DATA / "decisions" / f"{name}.txt.gz").read_bytes()
            entry = bundles.add(folder, "raw/decisions.txt", gzip.decompress(packed))
            files = json.loads((folder / "run.json").read_text())["files"]
            found.append(bundles.edit(folder, files=[*files, entry]))
    return found


def told(
    conn: Connection, dsn: str, catalogue: Catalogue, root: Path, boots: tuple[str, str]
) -> tuple[profiled.Compared, Mapping[str, Any]]:
    """Store a regression, its profile and its decisions, as the master has it done."""
    of = profiled.compared(conn, catalogue, root)
    with_types(root)
    counted = [*of.base, *of.new]
    # Functions are told while the decisions' boots are still to come, and not once more with them.
    for made, more, told_of in (
        (counted, ["--functions-only"], "stress-ng-switch"),
        ([*counted, *booted(root, catalogue, *boots)], [], "stress-ng-switch, decisions"),
    ):
        words = ["profile-runs", str(of.id), *map(str, made), *more, "--format", "json"]
        done = CliRunner().invoke(main, words, env={"VLAG_DATABASE": dsn})
        assert done.exit_code == 0, done.output
        said = json.loads(done.stdout)
        assert said["skipped"] == []
        assert set(said["sentences"]) == {told_of}
    return of, data.report(conn, catalogue, of.id, root)


def alert(conn: Connection) -> str:
    [(body,)] = conn.execute("SELECT body FROM alert").fetchall()
    return " ".join(body.split())


def test_a_confirmed_regression_asks_for_decisions_of_each_seed(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    of = profiled.compared(conn, catalogue, tmp_path)
    settings = config.load()
    # Negative control: a build that has not kept its structures has nothing to read.
    observed = [b["observes"] for b in explain.plan(conn, settings, catalogue, [of.id]).boots]
    assert observed == ["profile"] * 6
    with_types(tmp_path)
    asked = explain.plan(conn, settings, catalogue, [of.id])
    assert [b["observes"] for b in asked.boots] == ["profile"] * 6 + ["decisions"] * 6
    assert [(b["kernel"], b["seed"]) for b in asked.boots[6:]] == [
        (kernel["digest"], seed) for seed in (1, 2, 3) for kernel in (profiled.BASE, profiled.NEW)
    ]
    # The functions come first where the settings allow no more.
    few = evolve(settings, profile=evolve(settings.profile, boots=6))
    assert [b["observes"] for b in explain.plan(conn, few, catalogue, [of.id]).boots] == observed
    # Boots of fewer seeds than were asked for are not compared.
    made = booted(tmp_path, catalogue, "hackbench", "04-wakeup-preemption")
    answers, skipped = explain.collect_decisions(conn, catalogue, of.id, made[:-1])
    assert answers == {}
    assert skipped == ["stress-ng-switch: decisions of 2 of 3 seeds ended well with base and new"]
    # What is on record asks for nothing.
    explain.collect(conn, catalogue, of.id, [*of.base, *of.new])
    explain.collect_decisions(conn, catalogue, of.id, made)
    assert explain.plan(conn, settings, catalogue, [of.id]).boots == []


def test_the_decision_is_told_in_alert_report_and_page(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    boots = "hackbench", "04-wakeup-preemption"
    of, found = told(conn, dsn, catalogue, tmp_path, boots)
    [decided] = found["decided"]
    assert RULE in decided["sentence"]
    assert "With 3 of 3 seeds." in decided["sentence"]
    [rule] = [r for r in decided["told"]["rules"] if r["kind"] == "looks" and not r["base"][0]]
    assert (rule["seeds"], rule["base"][0]) == (3, 0)
    assert rule["new"][0] > 0.9 * rule["new"][1]
    assert "First decision that differs: the" in alert(conn)
    assert RULE in alert(conn)
    said = text.render(found)
    assert RULE in " ".join(said.split())
    assert RULE in " ".join(markdown.render(found).split())
    assert RULE in " ".join(html.render(found).split())
    page = application(dsn, tmp_path).test_client().get(f"/compare?id={of.id}")
    assert page.status_code == 200
    shown = " ".join(page.get_data(as_text=True).split())
    assert RULE in shown
    assert "what one kernel alone answers" in shown
    # All three draw who ran around it, and the page has it as a file.
    caption = "Who ran on each CPU around the first decision that differs, with seed 1"
    for drawn in (shown, " ".join(html.render(found).split())):
        assert caption in drawn
        assert "<desc" in drawn[drawn.index("Who ran on each CPU</title>") :]
        assert "base, CPU 0: " in drawn
        assert "new, CPU 1: " in drawn
    assert f"The page of comparison {of.id} has" in html.render(found)
    [href] = re.findall(r'href="(/timeline\?id=\d+)" download', shown)
    answer = application(dsn, tmp_path).test_client().get(href)
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=stress-ng-switch")
    packets = schema.Trace.FromString(answer.data).packet
    processes = [
        p.track_descriptor.process.process_name for p in packets
        if p.track_descriptor.HasField("process")
    ]  # fmt: skip
    assert processes == ["base: linux-6.1", "new: linux-6.12", "differences"]
    # A row of an earlier version has neither, and is told all the same.
    with planted(conn):
        conn.execute(
            "UPDATE decided_differently SET timeline = NULL, told = told #- '{seeds,0,around}'"
        )
    older = data.report(conn, catalogue, of.id, tmp_path)
    page = application(dsn, tmp_path).test_client().get(f"/compare?id={of.id}")
    for said in (page.get_data(as_text=True), html.render(older)):
        assert RULE in " ".join(said.split())
        assert "Who ran on each CPU</title>" not in said
        assert "for Perfetto" not in said
    assert application(dsn, tmp_path).test_client().get(href).status_code == 404


def test_that_no_decision_differs_is_told_as_well(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    """Negative control: the patch of a comment."""
    _, found = told(conn, dsn, catalogue, tmp_path, ("switch", "01-comment-only"))
    [decided] = found["decided"]
    assert decided["sentence"].startswith("No decision differs by its rule in 3 boots each.")
    assert decided["told"]["rules"] == []
    assert "No decision differs by its rule" in alert(conn)
    assert "First decision that differs" not in alert(conn)
