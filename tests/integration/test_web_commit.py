# SPDX-License-Identifier: GPL-2.0-only
"""The page of a commit: from the mirror, with the functions that a profile names."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.integration import profiled
from tests.integration.planted import planted
from tests.integration.webpages import links, read, text
from tests.integration.websites import ODD, application, visitor
from tests.repositories import WorkTree
from vlag.config.catalogue import Catalogue
from vlag.store.database import Connection

OLD = "\tstruct task *pick_task_fair(struct rq *rq)\n\treturn pick_next(rq);\n"
NEW = OLD.replace("pick_next(rq)", "pick_next(rq, 1)")


@pytest.fixture
def tree(tmp_path: Path) -> WorkTree:
    made = WorkTree(tmp_path / "tree")
    made.commit("begin", **{"kernel/sched/fair.c": OLD})
    made.commit(ODD, **{"kernel/sched/fair.c": NEW, ODD.replace("/", "%"): "x\n"})
    return made


@pytest.fixture
def site(dsn: str, tmp_path: Path, tree: WorkTree) -> FlaskClient:
    mirrors = {"debian": tree.folder / ".git"}
    return visitor(application(dsn, tmp_path / "state", mirrors=mirrors))


def address(commit: str, of: str = "debian") -> str:
    return f"/commit?tree={of}&commit={commit}"


def test_a_commit_of_the_mirror(tree: WorkTree, site: FlaskClient) -> None:
    head, before = tree.git("rev-parse", "HEAD"), tree.git("rev-parse", "HEAD^")
    page = read(site, address(head))
    assert address(before) in links(page)
    assert "<script>alert" not in page
    shown = text(page)
    assert f"{ODD} Commit {head} of debian" in shown
    assert "- return pick_next(rq);" in shown
    assert "+ return pick_next(rq , 1 );" in shown
    assert "No comparison of a kernel of this commit is on record." in shown
    assert "<mark>" not in page
    # By its first digits as well, and the first commit of all.
    assert read(site, address(head[:7])) == page
    assert "+\treturn pick_next(rq);" in read(site, address(before))


def test_functions_of_a_profile_are_marked_and_its_comparison_is_named(
    conn: Connection, catalogue: Catalogue, tmp_path: Path, tree: WorkTree, site: FlaskClient
) -> None:
    made, _ = profiled.told(conn, catalogue, tmp_path, "longer")
    head = tree.git("rev-parse", "HEAD")
    with planted(conn):
        conn.execute("UPDATE kernel SET commit = %s WHERE commit = %s",
                     (head, profiled.NEW["commit"]))  # fmt: skip
    page = read(site, address(head))
    assert f"/compare?id={made.id}" in links(page)
    assert "struct task *<mark>pick_task_fair</mark>(struct rq *rq)" in page
    assert "<mark>pick_next</mark>" not in page
    # Wherever the commit is shown, its page is one click away.
    assert address(head) in links(read(site, f"/compare?id={made.id}"))


def test_a_commit_that_the_mirror_lacks(
    conn: Connection, catalogue: Catalogue, tmp_path: Path, tree: WorkTree, site: FlaskClient
) -> None:
    profiled.told(conn, catalogue, tmp_path, "longer")
    shown = text(read(site, address(profiled.NEW["commit"])))
    assert profiled.NEW["subject"] in shown
    assert "The mirror of debian on this machine has no such commit." in shown
    for asked, sentence in (
        (address("0" * 40), "There is no commit 000000000000 of tree debian here."),
        (address("0" * 40, "other"), "The settings name no tree other with commits."),
    ):
        assert sentence in text(read(site, asked, 404))
    for wrong in (address("main"), address("--all"), address("abc"), "/commit?tree=debian"):
        assert site.get(wrong).status_code == 400
    # A branch that looks like the id of a commit is none.
    tree.git("branch", "feedface")
    read(site, address("feedface"), 404)
    # A mirror that cannot be read.
    (tree.folder / ".git" / "HEAD").unlink()
    shown = text(read(site, address(profiled.NEW["commit"])))
    assert "The mirror of debian cannot be read now: git cannot look for" in shown
