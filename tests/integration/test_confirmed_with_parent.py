# SPDX-License-Identifier: GPL-2.0-only
"""A branch's comparison stays suspected while its commit's own with the parent is confirmed."""

from __future__ import annotations

from email import message_from_bytes, policy
from pathlib import Path

from tests.integration import bundles
from tests.integration.nights import Nights, settings
from tests.integration.verdict_rows import Record
from tests.integration.webpages import read
from tests.integration.websites import application, visitor
from tests.made import figure
from vlag.cli.status import _branches
from vlag.config.catalogue import Catalogue
from vlag.report import forms, grid, overview, read_model
from vlag.report.data import matrices
from vlag.report.data.branch_state import state as branch_state
from vlag.report.data.comparison import report
from vlag.store import comparisons, kernels, messages, suspicions
from vlag.store.database import Connection

BRANCH = "debian/linux-6.12"
NEW = bundles.kernel("6.12")


def mail(conn: Connection) -> str:
    """Return the newest mail's text."""
    found = message_from_bytes(messages.latest(conn, 1)[-1].body, policy=policy.default)
    body = found.get_body(("plain",))
    assert body is not None
    return " ".join(body.get_content().split())


def everywhere(conn: Connection, dsn: str, nights: Nights, screen: int) -> dict[str, str]:
    """Return what each place says of a comparison, on one line."""
    state = nights.folder / "state"
    data = report(conn, nights.catalogue, screen, state)
    branch = branch_state(conn, nights.catalogue, BRANCH)
    site = visitor(application(dsn, state))
    newest = [c for c in read_model.overview(conn)["comparisons"] if c["id"] == screen]
    status = _branches(overview.states(overview.lines(newest)), 20)
    said = {
        "page": read(site, f"/compare?id={screen}"),
        "matrix's page": read(site, f"/matrix?comparisons={screen}"),
        "matrix": grid.text(matrices.matrix(conn, nights.catalogue, [str(screen)])),
        "branch's page": read(site, f"/branch?branch={BRANCH}&board=qemu-sim-2"),
        "report": forms.render(data, "text"),
        "Markdown": forms.render(data, "markdown"),
        "HTML": forms.render(data, "html"),
        "branch's report": forms.render(branch, "text"),
        "status": "\n".join(status),
    }
    return {"mail": mail(conn)} | {name: " ".join(text.split()) for name, text in said.items()}


def test_each_place_says_which_comparison_confirms_it(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    nights = Nights(conn=conn, catalogue=catalogue, folder=tmp_path, settings=settings(tmp_path))
    screen = nights.compare("2", 0.9, stage="screen", boots=2)
    parent = nights.compare("2", 0.9, stage="screen", boots=2, role="parent", tag="parent")
    nights.tell([screen, parent])
    # Negative control: the parent's is no more than suspected itself.
    for place, said in everywhere(conn, dsn, nights, screen).items():
        assert "confirmed against" not in said, place
    nights.compare("2", 0.9, stage="confirm", boots=2, role="parent", tag="parent")
    nights.tell([screen, parent])
    [row] = read_model.by_ids(conn, [screen])
    assert (row["verdict"], row["confirmed_by"]) == ("SUSPECTED", parent)
    sentence = f"confirmed against its parent by comparison {parent}"
    said_at = everywhere(conn, dsn, nights, screen)
    assert [place for place, said in said_at.items() if sentence not in said] == []
    # Once its own rerun has decided, there is nothing to add.
    nights.compare("2", 0.9, stage="confirm", boots=2)
    [row] = read_model.by_ids(conn, [screen])
    assert (row["verdict"], row["confirmed_by"]) == ("REGRESSION", None)


def test_the_page_of_a_rerun_is_that_of_its_screen(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    nights = Nights(conn=conn, catalogue=catalogue, folder=tmp_path, settings=settings(tmp_path))
    screen = nights.compare("2", 0.9, stage="screen", boots=2)
    other = nights.compare("3", 0.9, stage="screen", boots=2)
    rerun = nights.compare("2", 0.9, stage="confirm", boots=2)
    site = visitor(application(dsn, tmp_path / "state"))
    answer = site.get(f"/compare?id={rerun}")
    assert (answer.status_code, answer.location) == (302, f"/compare?id={screen}")
    assert "REGRESSION" in read(site, f"/compare?id={screen}")
    # Negative control: other comparisons have pages of their own, and what is not there none.
    assert f"id={other}" in read(site, f"/compare?id={other}")
    read(site, f"/compare?id={rerun + 1}", 404)


#: Metric -> effect against the parent, a hint, what a rerun against the parent made of it.
AGAINST_PARENT: dict[str, tuple[float, bool, str]] = {
    "same": (-0.02, False, "confirmed"),
    "other-way": (0.02, False, "confirmed"),
    "refuted": (-0.02, False, "refuted"),
    "undecided": (-0.02, False, "undecided"),
    "hint": (-0.02, True, "confirmed"),
}


def confirmed(record: Record, role: str | None, board: str = "qemu-sim-2") -> set[str]:
    """Return the figures that a comparison with another base, so decided, confirms."""
    conn, parent = record.conn, kernels.id_of(record.conn, bundles.kernel("6.11"))
    given = {"base_kernel": parent, "role": role, "board_type": board}
    rows = [
        figure(m, "REGRESSION" if effect < 0 else "IMPROVEMENT", effect, hint=hint, suspect=True)
        for m, (effect, hint, _) in AGAINST_PARENT.items()
    ]
    screen = record.compare(NEW, rows, **given)
    suspicions.raise_(conn, screen, comparisons.verdicts(conn, screen.id or 0))
    rerun = record.compare(NEW, rows, stage="confirm", round=1, **given)
    by_metric = {row.metric: row for row in rows}
    for s in suspicions.of(conn, screen):
        stand = AGAINST_PARENT[s.metric][2]
        suspicions.decide(conn, s, by_metric[s.metric], rerun, stand=stand)
    found = conn.execute(
        "SELECT s.metric, s.confirmed_by FROM read_model.suspicion s"
        " WHERE s.base_kernel <> %s AND s.confirmed_by IS NOT NULL",
        (parent,),
    ).fetchall()
    assert {by for _, by in found} <= {screen.id}
    return {metric for metric, _ in found}


def suspected(conn: Connection, catalogue: Catalogue, folder: Path) -> Record:
    """Return a record with all figures worse than the baseline, in first boots."""
    record = Record(conn, catalogue, folder)
    rows = [
        figure(m, "REGRESSION", -0.02, suspect=True, confirmable=True)
        for m in (*AGAINST_PARENT, "not-measured")
    ]
    screen = record.compare(NEW, rows)
    suspicions.raise_(conn, screen, comparisons.verdicts(conn, screen.id or 0))
    return record


def test_only_the_same_change_against_the_parent_confirms(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    assert confirmed(suspected(conn, catalogue, tmp_path), "parent") == {"same"}


def test_another_base_than_the_parent_confirms_nothing(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    assert confirmed(suspected(conn, catalogue, tmp_path), None) == set()
