# SPDX-License-Identifier: GPL-2.0-only
"""What takes a loss back, searched by itself once a branch has the figure again."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

from tests.integration.hardware_story import MAIL
from tests.integration.search_lab import Lab
from tests.integration.webpages import read, text
from tests.integration.websites import application, visitor
from tests.repositories import WorkTree
from vlag import config
from vlag.cli.bisect import document
from vlag.compare.boots import reader
from vlag.kernel.fixes import touching
from vlag.notifications import night_end
from vlag.report import named_causes, read_model, short
from vlag.report.data import comparison as data
from vlag.search import fix_searches
from vlag.search.fix_searches import FixQuestion
from vlag.search.recorded import Missing, Question
from vlag.store import bisections, comparisons, kernels, messages
from vlag.store import fix_searches as stored
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection
from vlag.store.profiles import Changed

CULPRIT, FIX = 2, 6


def lab_of(
    conn: Connection, dsn: str, catalogue: Any, folder: Path, **more: Any
) -> tuple[Lab, int, int]:
    """Return a branch whose second commit costs a tenth, with two of its heads compared."""
    lab = Lab(conn=conn, dsn=dsn, catalogue=catalogue, folder=folder, **more)
    lab.prepare()
    early = lab.compared(0, 4)
    assert lab.search(early)["found"][str(early)]["commits"] == [lab.commits[CULPRIT]]
    late = lab.compared(0, 8)
    head = kernels.of_commits(conn, "tiny", [lab.commits[8]])[0]
    kernels.add_refs(conn, head.id, {"main": True})
    return lab, early, late


@pytest.mark.parametrize("mends", [{}, {FIX: CULPRIT}])
def test_what_takes_a_loss_back_is_found_and_told(
    conn: Connection, dsn: str, catalogue: Any, tmp_path: Path, mends: Mapping[int, int]
) -> None:
    levels = {0: 1.0, CULPRIT: 0.9, FIX: 1.0}
    lab, early, late = lab_of(conn, dsn, catalogue, tmp_path, levels=levels, mends=mends)
    built = len(lab.asked)
    answer = lab.search(late)
    assert answer["fixed"] == {str(early): [lab.commits[FIX]]}
    if mends:  # what says so comes first, with its parent
        assert lab.asked[built : built + 2] == [lab.commits[FIX], lab.commits[FIX - 1]]
    says = ", which says so itself" if mends else ""
    said = f'fixed by {lab.commits[FIX][:12]} ("sched: change {FIX}") on main{says}'
    report: Any = data.report(conn, catalogue, early, tmp_path)
    assert report["suspects"]["commit"].endswith(f"; {said} (stress-ng-switch)")
    report["trailers"] = []
    assert said in " ".join(short.render(report).split())
    client = visitor(application(dsn, tmp_path))
    assert said in text(read(client, f"/compare?id={early}"))
    # It is on record: nothing is asked again, also of the command.
    booted = lab.booted
    assert lab.command(late)["fixed"] == {}
    assert (lab.booted, lab.next(late)["boots"]) == (booted, [])


def test_a_loss_that_is_there_still_starts_no_search(
    conn: Connection, dsn: str, catalogue: Any, tmp_path: Path
) -> None:
    """Negative control: nobody has searched, so nothing is claimed."""
    lab, early, late = lab_of(
        conn, dsn, catalogue, tmp_path, levels={0: 1.0, CULPRIT: 0.9, FIX: 0.93}
    )
    booted = lab.booted
    answer = lab.next(late)
    assert (answer["builds"], answer["boots"], answer["fixed"]) == ([], [], {})
    assert lab.booted == booted
    assert "fix" not in (read_model.since_of(conn, [early]) or "")


def test_no_fix_is_said_where_boots_show_none(
    conn: Connection, dsn: str, catalogue: Any, tmp_path: Path
) -> None:
    """Negative control: asked about a head that has the loss still."""
    lab, early, _late = lab_of(conn, dsn, catalogue, tmp_path, levels={0: 1.0, CULPRIT: 0.9})
    settings = config.load(tmp_path / "vlag.toml")
    [row] = bisections.of_boards(conn, lab.board_type)
    comparison = comparisons.by_id(conn, early)
    assert comparison is not None
    assert row.id is not None
    ends = [kernels.of_commits(conn, "tiny", [lab.commits[n]])[0] for n in (CULPRIT, 8)]
    changed = Changed(
        benchmark=row.benchmark, parameters=row.parameters, metric=row.metric,
        statistic=row.statistic, verdict="REGRESSION", effect=row.effect,
    )  # fmt: skip
    question = Question(
        comparison=comparison, changed=changed, good=ends[0], bad=ends[1], between=6
    )
    fix = FixQuestion(bisection=row.id, branch="main", question=question, recovered=1.0)

    def of(asked: Comparison, figure: Changed) -> Any:
        subject = figure.benchmark, figure.parameters, figure.metric, figure.statistic
        return reader(conn, catalogue, asked, subject)

    for _ in range(10):
        try:
            found = fix_searches.search(conn, settings, catalogue, fix, of, document)
            break
        except Missing as missing:
            lab.make({"builds": missing.builds, "boots": missing.boots})
    assert (found.commits, found.document) == ((), None)
    assert "do not surely differ" in (found.why or "")
    stored.put(conn, found)
    since = read_model.since_of(conn, [early]) or ""
    assert since.endswith("; no fix among the 6 commits after it on main (stress-ng-switch)")


#: A tree that has the commits of the other one, as a stable tree has a release's.
STABLE = """
[trees.stable]
url = "{url}"
[[branches]]
tree = "stable"
branch = "main"
baseline = "v1"
board_types = ["qemu-sim-2"]
plan = "nightly"
"""


@pytest.mark.parametrize("holds", [True, False])
def test_branches_of_other_trees_are_searched_where_they_have_the_culprit(
    conn: Connection, dsn: str, catalogue: Any, tmp_path: Path, holds: bool
) -> None:
    """Negative control: a tree that never had it says nothing of it."""
    lab = Lab(
        conn=conn, dsn=dsn, catalogue=catalogue, folder=tmp_path,
        levels={0: 1.0, CULPRIT: 0.9, FIX: 1.0}, more=STABLE.format(url=tmp_path / "tiny"),
    )  # fmt: skip
    lab.prepare()
    early = lab.compared(0, 4)
    assert lab.search(early)["found"][str(early)]["commits"] == [lab.commits[CULPRIT]]
    copy = lab.mirror.with_name("stable.git")
    subprocess.run(["git", "clone", "--quiet", "--mirror", tmp_path / "tiny", copy], check=True)
    lab.tree = "stable"
    lab.asked.clear()
    head = 8 if holds else 1
    late = lab.compared(0, head)
    of = kernels.of_commits(conn, "stable", [lab.commits[head]])[0]
    kernels.add_refs(conn, of.id, {"main": True})
    booted = lab.booted
    answer = lab.search(late)
    since = read_model.since_of(conn, [early]) or ""
    if holds:
        assert answer["fixed"] == {str(early): [lab.commits[FIX]]}
        assert f'fixed by {lab.commits[FIX][:12]} ("sched: change {FIX}") on stable/main' in since
        # The culprit's boots are those of the other tree.
        assert not {*lab.asked[2:]} & {*lab.commits[: CULPRIT + 1], lab.commits[8]}
        return
    assert (answer["fixed"], lab.booted) == ({}, booted)
    assert "fix" not in since


def test_the_fix_of_an_alert_is_told_once(
    conn: Connection, dsn: str, catalogue: Any, tmp_path: Path
) -> None:
    """The search ends after the night whose head has the figure again; the next mail says so."""
    lab = Lab(
        conn=conn, dsn=dsn, catalogue=catalogue, folder=tmp_path, more=MAIL,
        levels={0: 1.0, CULPRIT: 0.9, FIX: 1.0},
    )  # fmt: skip
    lab.prepare()

    def told(*ids: int) -> str:
        now = datetime.now(UTC)
        ended = night_end.EndedNight(key=f"{now}", started=now, comparisons=ids)
        settings = config.load(tmp_path / "vlag.toml")
        night_end.tell(conn, catalogue, settings, ended)
        mail = message_from_bytes(messages.latest(conn, 1)[-1].body, policy=default)
        assert isinstance(mail, EmailMessage)
        words = next(p for p in mail.iter_parts() if p.get_content_type() == "text/plain")
        threads.append(str(mail["References"]))
        return " ".join(words.get_content().split())

    threads: list[str] = []
    ids = {}
    for head in (4, 8):
        ids[head] = lab.compared(0, head)
        of = kernels.of_commits(conn, "tiny", [lab.commits[head]])[0]
        kernels.add_refs(conn, of.id, {"main": True})
        if head == 4:
            assert "New alert 1: " in told(ids[4])
            assert lab.search(ids[4])["found"]
    gone = told(ids[8])
    assert "Withdrawn 1: " in gone
    assert "fixed by" not in gone
    assert lab.search(ids[8])["fixed"] == {str(ids[4]): [lab.commits[FIX]]}
    said = f'; fixed by {lab.commits[FIX][:12]} ("sched: change {FIX}") on main)'
    assert said in told(ids[8])
    assert threads[0] == threads[-1]
    # A second night says nothing more.
    last = told(ids[8])
    assert "Withdrawn" not in last
    assert "fixed by" not in last


@pytest.mark.parametrize(
    ("more", "news"),
    [
        ('; fixed by 0123456789ab ("x") on stable/main', ["its fix"]),
        ("; fixed by one of 0123456789ab, 1123456789ab in v6.13: skipped", ["its fix"]),
        ("; no fix among the 6 commits after it on main", []),
    ],
)
def test_a_fix_is_news_of_an_open_alert(more: str, news: list[str]) -> None:
    before = 'x is worse. Since: abcdefabcdef ("; fixed by 999999999999"), bisected in 3 steps'
    assert named_causes.found(f"{before}{more} (stress-ng-switch).", before) == news


def test_commits_that_touch_a_function_are_candidates(tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree")
    gap = "\n\n\n\n\n"
    pick = f"static int pick(int a)\n{{\n\tint b = a;\n{gap}\treturn b;\n}}\n\n"
    fair = f"{pick}int other(void)\n{{\n{gap}\treturn 1;\n}}\n"
    base = tree.commit("base", fair=fair)
    fair = fair.replace("return b", "return b + 1")
    inside = tree.commit("inside", fair=fair)
    named = tree.commit("named", core="\tx = pick(3);\n")
    tree.commit("other", fair=fair.replace("return 1", "return 2"))
    last = tree.commit("longer name", core="\tx = pick(3);\n\ty = pick_next(3);\n")
    mirror = tree.folder / ".git"
    assert touching(mirror, base, last, ["pick"], ["fair", "core"]) == [inside, named]
    assert touching(mirror, base, last, ["pick"], ["core"]) == [named]
    # Negative control.
    assert touching(mirror, base, last, ["nothing"], ["fair", "core"]) == []
