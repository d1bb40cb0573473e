# SPDX-License-Identifier: GPL-2.0-only
"""The order of a branch is that of its pushes: no date of a commit counts, and a reset does."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import define
from click.testing import CliRunner

from tests.integration import bundles, tiny_tree
from tests.integration.alerting import BASE, SAME, SLOW, Record
from tests.repositories import WorkTree, git
from vlag import config
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.kernel.tuxmake_build import ENVIRONMENT, toolchain
from vlag.pipeline.ingest import ingest
from vlag.report import read_model
from vlag.store import branch_order, kernels
from vlag.store.branch_order import Sight
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

FUTURE = "2099-01-01T00:00:00Z"


@define(kw_only=True)
class Service:
    """A remote branch, and what a night does with its head."""

    conn: Connection
    catalogue: Catalogue
    record: Record
    tree: WorkTree
    date: Callable[[str], None]

    def push(self, text: str, date: str = "2026-03-01T00:00:00Z", branch: str = "main") -> str:
        self.date(date)
        commit = self.tree.commit(text, text=text)
        self.tree.git("push", "--quiet", "--force", "origin", f"HEAD:{branch}")
        return commit

    def build(self, ref: str, *more: str) -> dict[str, Any]:
        """Build as a night does; the kernel is made up, what is seen of the branch is not."""
        words = ["build", "--tree", "tiny", "--board-type", "qemu-sim-2", "--format", "json"]
        done = CliRunner().invoke(main, [*words, "--ref", ref, *more])
        assert done.exit_code in (ExitCode.OK, ExitCode.KERNEL_FAILED), done.output
        folder = Path(json.loads(done.stdout)["bundle"])
        kernel = dict(json.loads((folder / "build.json").read_text())["kernel"])
        complete = folder.parent / "20990101T000000Z-complete"
        if not complete.exists():
            bundles.build(complete, kernel, environment=ENVIRONMENT, toolchain=toolchain("x86_64"))
        ingest(complete, conn=self.conn, catalogue=self.catalogue)
        return kernel

    def night(self, factors: Sequence[float], ref: str = "main", *more: str) -> int:
        kernel = self.build(ref, *more)
        self.record.fill(kernel, factors)
        made = self.record.compare(BASE, kernel, "baseline")
        self.record.derive(made)
        return made

    def meant(self) -> str:
        """Return the commit that a person means by the branch."""
        return kernels.resolve(self.conn, KernelRef(text="main")).commit

    def shown(self) -> list[int]:
        """Return what is shown of the branch: by the view, and by its page's query."""
        [latest] = self.conn.execute(
            "SELECT comparison FROM read_model.newest WHERE head_of = 'tiny/main'"
        ).fetchall()
        state = read_model.branch(self.conn, "tiny", "main")
        return [latest[0], *(c["id"] for c in state["comparisons"])]


@pytest.fixture
def service(
    conn: Connection, catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Service:
    monkeypatch.setenv("VLAG_SETTINGS", str(tiny_tree.write(tmp_path, "v1")))
    config.load().mirror("tiny").parent.mkdir(parents=True)
    git(tmp_path, "clone", "--quiet", "tiny.git", "work")
    record = Record(conn=conn, catalogue=catalogue, folder=tmp_path)
    record.fill(BASE, SAME)

    def date(text: str) -> None:
        monkeypatch.setenv("GIT_COMMITTER_DATE", text)

    return Service(conn=conn, catalogue=catalogue, record=record, date=date,
        tree=WorkTree(tmp_path / "work"),
    )  # fmt: skip


def test_a_commit_of_the_future_hides_no_later_one(service: Service) -> None:
    service.push("two", date=FUTURE)
    service.night(SAME)
    service.push("three")
    lost = service.night(SLOW)
    assert service.shown() == [lost, lost]
    [alert] = service.record.standing()
    assert service.record.alert(alert)["title"].startswith("tiny/main on ")
    # It is healed by the next one, whatever its date.
    service.push("four", date="1999-01-01T00:00:00Z")
    healed = service.night(SAME)
    assert service.shown() == [healed, healed]
    assert service.record.standing() == []
    found = service.conn.execute(
        "SELECT k.subject FROM read_model.kernel_branch f JOIN kernel k ON k.id = f.kernel"
        " WHERE f.branch_name = 'tiny/main' ORDER BY f.place"
    ).fetchall()
    assert [row[0] for row in found] == ["two", "three", "four"]


def test_a_branch_that_is_reset_shows_what_it_has_now(service: Service) -> None:
    good_head = service.push("two")
    good = service.night(SAME)
    service.push("three")
    bad_head = service.push("four")
    bad = service.night(SLOW)
    assert service.shown() == [bad, bad]
    assert service.record.standing()
    service.tree.git("reset", "--quiet", "--hard", "HEAD~2")
    service.tree.git("push", "--quiet", "--force", "origin", "HEAD:main")
    assert service.meant() == bad_head
    assert service.night(SAME) == good, "nothing of it is measured again"
    assert service.meant() == good_head
    assert service.shown() == [good, good]
    assert service.record.standing() == []
    # It moves on from there, and what it was before does not come back.
    service.push("five")
    five = service.night(SAME)
    assert service.shown() == [five, five]


def test_an_old_commit_that_a_person_asks_for_is_no_head(service: Service) -> None:
    commits = [service.push(text) for text in ("two", "three", "four")]
    newest = service.night(SAME)
    asked = service.night(SLOW, commits[0], "--branch", "main")
    assert asked != newest
    assert service.shown() == [newest, newest]
    # Negative control: of a branch where it is the newest that was built, it is shown.
    service.tree.git("push", "--quiet", "--force", "origin", "HEAD:other")
    service.night(SLOW, commits[0], "--branch", "other")
    [row] = service.conn.execute(
        "SELECT comparison FROM read_model.newest WHERE head_of = 'tiny/other'"
    ).fetchall()
    assert row[0] == asked


@pytest.mark.parametrize(("name", "goes_on"), [("later", True), ("before", False)])
def test_a_renamed_branch_goes_on_where_only_the_head_of_a_push_is_built(
    service: Service, name: str, *, goes_on: bool
) -> None:
    service.push("of another branch", branch="before")
    service.build("before")
    service.push("two")
    service.build("main")
    for text in ("three", "four"):
        service.push(text, branch=name)
    service.build(name)
    now = branch_order.continued(service.conn, "tiny", "main")
    assert now == (name if goes_on else None)


# What is put on record, without git.

START = datetime(2026, 3, 1, tzinfo=UTC)


def seen(
    head: str, number: int, hours: float, own: int | None = None, rewritten: float | None = None
) -> Sight:
    return Sight(
        branch="b", head=head * 40, head_number=number, number=own,
        rewritten_at=None if rewritten is None else START + timedelta(hours=rewritten),
        looked_at=START + timedelta(hours=hours),
    )  # fmt: skip


def order(conn: Connection) -> str:
    rows = conn.execute(
        "SELECT commit FROM branch_commit WHERE branch = 'b' ORDER BY line, number"
    ).fetchall()
    return "".join(row[0][0] for row in rows)


@pytest.mark.parametrize(
    ("question", "index"),
    [("kernel WHERE subject = 'x'", "kernel_subject"),
     ("branch_commit WHERE commit = 'x'", "branch_commit_commit")],
)  # fmt: skip
def test_what_a_commit_is_called_now_is_found_by_an_index(
    conn: Connection, question: str, index: str
) -> None:
    conn.execute("SET enable_seqscan = off")
    plan = conn.execute(f"EXPLAIN SELECT FROM {question}").fetchall()
    assert index in str(plan)


@pytest.mark.parametrize(
    ("sights", "expected"),
    [
        # commit, head, number of the head, hours, number of the commit, rewritten
        pytest.param([("a", "a", 1, 1), ("b", "b", 2, 2), ("c", "c", 3, 3)], "abc", id="moves on"),
        pytest.param(
            [("c", "c", 3, 1), ("a", "c", 3, 2, 1), ("b", "c", 3, 2, 2)],
            "abc",
            id="a push of three",
        ),
        pytest.param([("b", "b", 2, 1), ("c", "c", 3, 2), ("b", "b", 2, 3)], "cb", id="reset"),
        pytest.param([("b", "b", 2, 1), ("c", "c", 2, 2), ("d", "d", 3, 3)], "bcd", id="amended"),
        # The rewritten branch is longer: only its mirror knows.
        pytest.param(
            [("d", "d", 9, 1), ("a", "a", 10, 2, None, 1.5), ("b", "a", 10, 3, 4, 1.5)],
            "dba",
            id="rebased",
        ),
        pytest.param(
            [("a", "a", 1, 1), ("c", "c", 3, 3), ("b", "b", 2, 2)], "abc", id="a build comes late"
        ),
        pytest.param(
            [("a", "a", 1, 1), ("b", "b", 2, 2), ("a", "a", 1, 1)], "ab", id="ingested again"
        ),
        # A host a day ahead looked at b.
        pytest.param(
            [("b", "b", 2, 25), ("c", "c", 3, 2), ("d", "d", 4, 3)], "bcd", id="a clock ahead"
        ),
        pytest.param(
            [("b", "b", 2, 1), ("x", "b", 2, 2, None)], "b", id="not a commit of the branch"
        ),
    ],
)
def test_a_sight_places_commits(
    conn: Connection, sights: list[tuple[Any, ...]], expected: str
) -> None:
    for commit, head, number, hours, *more in sights:
        branch_order.put(conn, "t", commit * 40, seen(head, number, hours, *more))
    assert order(conn) == expected
