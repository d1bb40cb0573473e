# SPDX-License-Identifier: GPL-2.0-only
"""Build lanes on record: what is stored, and what reports and pages make of it."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from click.testing import CliRunner

from tests.conftest import fresh_database
from tests.integration.sched_tree import BROKEN, CORE, WARNED, Tree
from tests.integration.websites import ODD, Filled, Template, application, lane, visitor
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.model import LaneOutcome
from vlag.report import html, markdown, read_model, short
from vlag.report.data import branch_state
from vlag.report.data.comparison import night, report
from vlag.store import database, lane_results
from vlag.store.database import Connection


@pytest.fixture(scope="module")
def dsn_filled(cluster: str, branch_template: Template) -> tuple[str, Filled]:
    return fresh_database(cluster, branch_template.database), branch_template.filled


def test_what_the_command_finds_is_stored_once(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, dsn: str, conn: Connection
) -> None:
    tree = Tree(tmp_path)
    monkeypatch.setenv("VLAG_SETTINGS", str(tree.settings))
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    bad = tree.commit("Break it", **{"kernel/sched/core.c": BROKEN})
    argv = ["lanes", "--ref", bad, "--lane", "up", "--lane", "lazy"]
    stored = "SELECT lane, outcome::text, is_new FROM lane_build ORDER BY lane"
    assert CliRunner().invoke(main, argv).exit_code == 20
    assert conn.execute(stored).fetchall() == []  # only if it is asked for
    for _ in range(2):
        assert CliRunner().invoke(main, [*argv, "--store"]).exit_code == 20
        assert conn.execute(stored).fetchall() == [
            ("lazy", "not_applicable", False), ("up", "breaks", True),
        ]  # fmt: skip
        [finding] = conn.execute("SELECT kind, file, line FROM lane_finding").fetchall()
        assert finding == ("error", "kernel/sched/core.c", 7)
    warned = tree.commit("Warn", **{"kernel/sched/core.c": WARNED})
    mended = tree.commit("Mend", **{"kernel/sched/core.c": CORE})
    for ref in (warned, mended):
        words = ["lanes", "--ref", ref, "--lane", "up", "--store"]
        assert CliRunner().invoke(main, words).exit_code == 0
    told = conn.execute(
        "SELECT commit, outcome, new_warnings, unjudged IS NULL FROM read_model.lane"
        " WHERE lane = 'up' ORDER BY id"
    ).fetchall()
    # The parent of the second one breaks: whether it had the warning nobody knows.
    assert told == [
        (bad, "breaks", 0, True), (warned, "builds", 0, False), (mended, "builds", 0, True),
    ]  # fmt: skip


def test_words_of_the_table_are_those_of_the_code(conn: Connection) -> None:
    sql = "SELECT enum_range(NULL::lane_outcome_kind)::text[]"
    assert conn.execute(sql).fetchone() == ([w.value for w in LaneOutcome],)


def test_a_report_tells_of_what_breaks(
    dsn_filled: tuple[str, Filled], catalogue: Catalogue, tmp_path: Any
) -> None:
    dsn, filled = dsn_filled
    with database.connect(dsn) as conn:
        data = report(conn, catalogue, filled.baseline, tmp_path)
        [up, clang] = data["lanes"]
        assert (up["lane"], clang["lane"], clang["new_warnings"]) == ("up", "clang", 1)
        whole = night(conn, catalogue, [filled.baseline, filled.parent], tmp_path)
        # Once in a night, although both comparisons are of its commit.
        assert [of["lane"] for of in whole["lanes"]] == ["up", "clang"]
        assert [c["lanes"] for c in whole["comparisons"]] == [[], []]
        other = report(conn, catalogue, filled.failed, tmp_path)
        assert other["lanes"] == []  # of another commit, and none since
        state = branch_state.state(conn, catalogue, filled.branch)
        assert [of["lane"] for of in state["lanes"]] == ["up", "clang"]
    for of in (data, whole):
        text = short.render(of)
        assert "Build lanes" in text
        assert "up: breaks: kernel/sched/fair.c:12:" in " ".join(text.split())
        assert "build lane: " in markdown.render(of)
        assert "Build lanes" in html.render(of)
        assert "<script>" not in html.render(of)
    assert "Build lanes" not in short.render(other)


def test_a_quiet_lane_is_in_no_report(
    dsn_filled: tuple[str, Filled], catalogue: Catalogue, tmp_path: Any
) -> None:
    """Negative control: without the finding the report says nothing, and the page all is well."""
    dsn, filled = dsn_filled
    with database.connect(dsn) as own:
        first, *_ = read_model.lanes_told(own, [filled.baseline])
        tree, commit, parent = first["tree"], first["commit"], first["parent"]
        put = functools.partial(
            lane_results.put, own, tree=tree, commit=commit, parent=parent, subject=ODD
        )
        quiet = {**lane("up", "builds", None), "findings": [], "warnings": 0}
        try:
            put(lanes=[quiet, {**quiet, "lane": "clang"}])
            assert report(own, catalogue, filled.baseline, tmp_path)["lanes"] == []
        finally:
            put(lanes=[lane("up", "breaks", ODD), lane("clang", "builds", None)])


@pytest.mark.parametrize(("before", "told"), [("1 hour", 2), ("2 days", 0)])
def test_a_report_tells_of_other_commits_since_the_last_night(
    before: str, told: int, dsn_filled: tuple[str, Filled]
) -> None:
    dsn, filled = dsn_filled
    move = "UPDATE lane_build SET built_at = built_at %s %%s::interval"
    with database.connect(dsn) as conn:
        conn.execute(move % "-", (before,))
        found = read_model.lanes_told(conn, [filled.failed])
        assert len(found) == told
        assert len(read_model.lanes_told(conn, [filled.baseline])) == 2  # its own commit's
        conn.execute(move % "+", (before,))


def test_the_page_of_a_branch_lists_them(dsn_filled: tuple[str, Filled], tmp_path: Any) -> None:
    dsn, filled = dsn_filled
    page = visitor(application(dsn, tmp_path)).get(f"/branch?branch={filled.branch}").text
    assert 'id="lanes"' in page
    assert "up: breaks: kernel/sched/fair.c:12: error: &lt;script&gt;" in page
    assert "clang: 1 new warning in kernel/sched/fair.c" in page
