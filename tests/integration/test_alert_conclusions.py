# SPDX-License-Identifier: GPL-2.0-only
"""An alert's first paragraph is a conclusion: prepared alerts, and each row that it rests on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.integration import bundles, nights, profiled
from tests.integration.alerting import BASE, BIG, SAME, SLOW, SLOWER, SMALL, Record, head
from tests.integration.searched import search
from tests.integration.webpages import links, read, text
from tests.integration.websites import application, visitor
from tests.repositories import WorkTree
from vlag import ROOT
from vlag.alerts import derive as alerting
from vlag.alerts.surroundings import Surroundings
from vlag.config.catalogue import Catalogue
from vlag.report.layout import WIDTH
from vlag.store.alerts import Alert
from vlag.store.database import Connection

#: The first paragraph below the name of each alert, for a person to judge.
GOLDEN = ROOT / "tests" / "data" / "alert_conclusions.txt"
ALL = Surroundings(searches=True, toggles=True, profiles=True)
BLIND = "qemu"
PATCHES = [{"name": f"{n}.patch", "sha256": bundles.sha(n)} for n in ("one", "two")]


@pytest.fixture
def record(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Record:
    return Record(conn=conn, catalogue=catalogue, folder=tmp_path)


def derived(record: Record, *ids: int, around: Surroundings = ALL) -> Alert:
    """Return the only alert of comparisons."""
    [alert] = alerting.derive(record.conn, record.catalogue, ids, around=around)
    return alert


def paragraph(alert: Alert) -> str:
    return alert.body.partition("\n\n")[0]


def paragraphs(page: str) -> str:
    """Return the conclusion on the page of an alert."""
    return page.partition('<div id="conclusion"')[2].partition("</div>")[0]


def running(alert: Alert) -> str:
    return " ".join(paragraph(alert).split())


def commit(record: Record, **changes: Any) -> int:
    """Compare a commit with its parent."""
    record.fill(head(1), SAME)
    record.fill(head(2, **changes), SLOW)
    return record.compare(head(1), head(2, **changes), "parent")


def one_commit(record: Record) -> Alert:
    return derived(record, commit(record))


def two_boards(record: Record) -> Alert:
    first = commit(record)
    record.fill(head(1), SAME, board_type=BIG)
    record.fill(head(2), SLOWER, board_type=BIG)
    return derived(record, first, record.compare(head(1), head(2), "parent", board_type=BIG))


def nothing_comes(record: Record) -> Alert:
    return derived(record, commit(record), around=Surroundings())


def branch(record: Record) -> int:
    record.fill(BASE, SAME)
    record.fill(head(2), SLOW)
    return record.compare(BASE, head(2), "baseline")


def against_the_baseline(record: Record) -> Alert:
    return derived(record, branch(record))


def searched(record: Record) -> Alert:
    id_ = branch(record)
    search(record, id_)
    return derived(record, id_)


def toggled(record: Record) -> Alert:
    id_ = branch(record)
    knobs = {"sched_features": "NO_DELAY_DEQUEUE"}
    record.fill(head(2), SAME, knobs=knobs)
    return derived(record, id_)


def profiled_branch(record: Record) -> Alert:
    of = profiled.compared(record.conn, record.catalogue, record.folder)
    profiled.store(record.conn, record.catalogue, of)
    return derived(record, of.id)


def without_a_pmu(record: Record) -> Alert:
    """Its boards neither count nor sample."""
    record.fill(head(1), SAME, board_type=BLIND)
    record.fill(head(2), SLOW, board_type=BLIND)
    return derived(record, record.compare(head(1), head(2), "parent", board_type=BLIND))


def beside_a_board_without_a_pmu(record: Record, *, stored: bool = True) -> Alert:
    """The same kernels on boards that neither count nor sample, and on one that counts."""
    of = profiled.compared(record.conn, record.catalogue, record.folder)
    if stored:
        profiled.store(record.conn, record.catalogue, of)
    record.fill(profiled.BASE, SAME, board_type=BLIND)
    record.fill(profiled.NEW, SLOWER, board_type=BLIND)
    other = record.compare(profiled.BASE, profiled.NEW, "baseline", board_type=BLIND)
    return derived(record, of.id, other)


def part_of_a_series(record: Record) -> Alert:
    """One patch of a series alone shows what all of them do, on another board as well."""
    whole = head(1, series="queue", application="full", patches=PATCHES)
    alone = head(1, series="queue", application="solo(2)", patches=PATCHES[1:])
    ids = []
    for board_type in (SMALL, BIG):
        record.fill(head(1), SAME, board_type=board_type)
        for of, factors in ((whole, SLOW), (alone, SLOWER)):
            record.fill(of, factors, board_type=board_type)
    record.compare(head(1), alone, None, board_type=SMALL)
    record.compare(head(1), alone, None, board_type=BIG)
    ids.append(record.compare(head(1), whole, "baseline"))
    return derived(record, *ids)


ALERTS: dict[str, Callable[[Record], Alert]] = {
    "a commit": one_commit,
    "a commit on two board types": two_boards,
    "a commit, and nothing looks for the rest": nothing_comes,
    "a branch against its baseline": against_the_baseline,
    "a branch whose commit was searched": searched,
    "a branch with a toggle that takes it back": toggled,
    "a branch with a profile": profiled_branch,
    "a commit on boards without a PMU": without_a_pmu,
    "a branch with a profile, and boards without a PMU": beside_a_board_without_a_pmu,
    "a series of which one patch is to blame": part_of_a_series,
}


def golden() -> dict[str, str]:
    blocks = GOLDEN.read_text(encoding="utf-8").strip().split("\n\n")
    return {name: rest for name, _, rest in (b.partition("\n") for b in blocks)}


@pytest.mark.parametrize("name", list(ALERTS))
def test_the_first_paragraph_is_a_conclusion(record: Record, name: str) -> None:
    said = paragraph(ALERTS[name](record))
    assert max(map(len, said.splitlines())) <= WIDTH
    assert said == golden()[name]


def test_without_a_row_the_paragraph_does_not_say_it(record: Record) -> None:
    """Negative control: each clause goes with its row."""
    id_ = branch(record)
    search(record, id_)
    assert "Since: " in running(derived(record, id_))
    record.conn.execute("DELETE FROM bisection_comparison")
    said = running(derived(record, id_))
    assert "Since: " not in said
    assert "Not known yet: its commit, what takes it back and the function" in said


def test_a_board_that_counts_beside_one_without_a_pmu_will_tell_the_function(
    record: Record,
) -> None:
    """Though it is not worst there."""
    said = running(beside_a_board_without_a_pmu(record, stored=False))
    assert "worse on 2 board types: qemu 20.0 %, qemu-sim-2 10.0 %" in said
    assert "Not known yet: its commit, what takes it back and the function;" in said
    assert "PMU" not in said


def test_a_search_that_no_revert_verifies_leaves_that_open(record: Record) -> None:
    id_ = branch(record)
    search(record, id_, recovered=None)
    assert "Not known yet: what takes it back" in running(derived(record, id_))


def test_the_author_and_the_diff_are_gits(record: Record, tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree")
    sha = tree.commit("sched: change it")
    mirrors = {"debian": tree.folder / ".git"}
    address = "https://git.test/c/{commit}?h=long-enough-to-be-wider-than-the-text-is"
    around = evolve(ALL, mirrors=mirrors, pages={"debian": address})
    author = around.author("debian", sha)
    assert author is not None
    said = paragraph(derived(record, commit(record, commit=sha), around=around))
    assert f" by {author}, compared with its parent." in " ".join(said.split())
    # An address stays whole, however wide it is.
    assert f"  {address.format(commit=sha)}" in said.splitlines()
    here = nights.settings(tmp_path)
    own = Surroundings.of(here).diff("debian", sha)
    assert own is not None
    assert own.startswith(here.url)
    assert own.endswith(f"commit?tree=debian&commit={sha}")
    # Negative control: of a commit that the mirror lacks nobody knows an author.
    assert around.author("debian", "1" * 40) is None


def test_the_page_begins_with_it(record: Record, dsn: str, tmp_path: Path) -> None:
    alert = part_of_a_series(record)
    page = text(read(visitor(application(dsn, tmp_path)), f"/alert?id={alert.id}"))
    assert running(alert) in page
    assert page.index("shows it alone") < page.index("Evidence")
    # What is found stands where a cause is looked for, and nothing says that nobody has looked.
    cause = page[page.index("Cause ") : page.index("As it was sent")]
    assert f"Suspect patch solo(2) of queue shows it alone, on {SMALL} and {BIG}" in cause
    assert "Suspect commit" not in cause


def test_without_a_part_to_blame_nobody_has_looked(
    record: Record, dsn: str, tmp_path: Path
) -> None:
    """Negative control: the branch alone is worse, and no part of a series was compared."""
    alert = derived(record, branch(record))
    page = text(read(visitor(application(dsn, tmp_path)), f"/alert?id={alert.id}"))
    assert "Suspect commit not looked for yet" in page
    assert "Suspect patch" not in page


def test_the_page_links_the_commits_that_it_names(record: Record, dsn: str, tmp_path: Path) -> None:
    """In the sentences, without their address as a line of its own."""
    tree = WorkTree(tmp_path / "tree")
    sha = tree.commit("sched: change it")
    here = nights.settings(tmp_path)
    alert = derived(record, commit(record, commit=sha), around=Surroundings.of(here))
    address = f"/commit?tree=debian&commit={sha[:12]}"
    whole = Surroundings.of(here).diff("debian", sha)
    assert whole is not None
    assert whole in paragraph(alert)
    with_tree = visitor(application(dsn, tmp_path, mirrors={"debian": tree.folder / ".git"}))
    said = paragraphs(read(with_tree, f"/alert?id={alert.id}"))
    assert address in links(said)
    assert whole not in text(said)
    assert read(with_tree, address)
    # Negative control: without commits of that tree there is nothing to lead to but the address.
    without = visitor(application(dsn, tmp_path))
    said = paragraphs(read(without, f"/alert?id={alert.id}"))
    assert address not in links(said)
    assert whole in links(said)
