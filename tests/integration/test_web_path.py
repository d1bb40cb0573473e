# SPDX-License-Identifier: GPL-2.0-only
"""The page of what commits execute: 0 where nothing changed, a step where something did."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.integration.counted_history import HISTORY, Tree
from tests.integration.webpages import links, read, table, text
from tests.integration.websites import ODD, application, visitor
from vlag.config.catalogue import Catalogue
from vlag.store.database import Connection

ADDRESS = "/path?branch=debian/main"


@pytest.fixture
def tree(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Tree:
    made = Tree(conn, catalogue, tmp_path)
    for number, name in enumerate(HISTORY):
        made.counted(made.commit(f"sched/fair: number {number} {ODD}"), name)
    return made


@pytest.fixture
def site(dsn: str, tmp_path: Path, tree: Tree) -> FlaskClient:
    mirrors = {"debian": tree.work.folder / ".git"}
    return visitor(application(dsn, tmp_path / "web", mirrors=mirrors))


def test_each_commit_has_its_change_and_nothing_is_0(tree: Tree, site: FlaskClient) -> None:
    page = read(site, ADDRESS)
    head, *rows = table(page, "what each commit changes")
    assert head[:2] == ["Commit", "kernel/sched a switch"]
    # The newest first: taken back, the same again, longer, a comment.
    assert [row[2] for row in rows][1::2] == ["0", "0"]
    assert rows[0][2].startswith(("-", "\N{MINUS SIGN}"))
    assert rows[2][2].startswith("+")
    assert "pick_task_fair +" in rows[2][3]
    shown = text(page)
    assert f"longer by 1.00 % or more is {tree.commits[2][:12]}" in shown
    assert "<script>alert" not in page
    assert page.count("step worse") == page.count("step better") == 1
    # To the commit and back, to the branch and back.
    commit = f"/commit?tree=debian&commit={tree.commits[2]}"
    assert commit in links(page)
    assert any(x.startswith("/path?branch=debian") for x in links(read(site, commit)))
    branch = "/branch?branch=debian/main"
    assert any(x.startswith("/path?branch=debian") for x in links(read(site, branch)))


def test_any_function_is_asked_about(tree: Tree, site: FlaskClient) -> None:
    _, *rows = table(read(site, f"{ADDRESS}&metric=pick_task_fair"), "what each commit changes")
    assert float(rows[2][2].strip("+ %")) > 50
    for wrong in ("metric=pock", "board=rpi5", "benchmark=hackbench-pipe"):
        answer = site.get(f"{ADDRESS}&{wrong}")
        assert answer.status_code in (400, 404), wrong
    assert "pock: no kernel has this function" in text(site.get(f"{ADDRESS}&metric=pock").text)
    assert "there are: stress-ng-switch on qemu-sim-2" in text(
        site.get(f"{ADDRESS}&board=rpi5").text
    )
    assert site.get("/path?branch=debian/nowhere").status_code == 404


def test_a_branch_without_counts_says_what_counts_them(
    tree: Tree, site: FlaskClient, conn: Connection
) -> None:
    """Negative control: neither its page nor that of a commit leads there."""
    conn.execute("DELETE FROM path_point")
    assert "No commit of this branch was counted yet." in text(read(site, ADDRESS))
    for url in ("/branch?branch=debian/main", f"/commit?tree=debian&commit={tree.commits[2]}"):
        assert not any(x.startswith("/path") for x in links(read(site, url)))
