# SPDX-License-Identifier: GPL-2.0-only
"""Why a figure changed: in reports, on pages and in alerts; nowhere if no function is sure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration import profiled
from tests.integration.planted import planted
from tests.integration.profiled import part_of, told
from tests.integration.webpages import read, text
from tests.integration.websites import application, visitor
from tests.unit.pages import Page
from vlag.alerts import derive as alerting
from vlag.config.catalogue import Catalogue
from vlag.report import html, markdown, short, why
from vlag.report import text as whole
from vlag.report.data import comparison as data
from vlag.report.data.explanations import function_of
from vlag.store.database import Connection

FUNCTION = "pick_task_fair, +160.4 instructions a switch (stress-ng-switch)"


def test_a_report_says_why_in_ten_lines(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    of, found = told(conn, catalogue, tmp_path, "longer")
    assert json.loads(json.dumps(found["profile"])) == found["profile"]
    [profile] = found["profile"]
    base, new = profile["instructions"]["kernel"]
    changes = sum(f["change"] for f in profile["functions"]) + profile["others"]["change"]
    assert changes == pytest.approx(new - base)
    assert function_of(conn, of.id) == FUNCTION
    lines = part_of(short.render(found))
    assert 2 < len(lines) <= why.LINES
    assert "pick_task_fair                            78.8 ->     239.2  +160.4" in lines[-1]
    assert "+2.39 % = +166.4 instructions a switch" in " ".join(lines)
    assert max(map(len, lines)) <= 75
    for every in (whole.render(found), markdown.render(found)):
        assert "pick" in every[every.index("+166.4 instructions") :]


def test_a_rerun_has_the_why_of_its_screen(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    of, found = told(conn, catalogue, tmp_path, "longer")
    with planted(conn):
        conn.execute("UPDATE comparison SET plan = 'nightly', stage = 'screen'")
        other, rerun = (
            row[0]
            for digit, plan in (("e", "another"), ("f", "nightly"))
            for row in conn.execute(
                "INSERT INTO comparison (inputs, base_kernel, new_kernel, board_type, base_knobs,"
                " new_knobs, factors, failed_builds, failed_runs, notes, role, plan, stage, round)"
                " SELECT %s, base_kernel, new_kernel, board_type, base_knobs, new_knobs, factors,"
                " failed_builds, failed_runs, notes, role, %s, 'confirm', 1"
                " FROM comparison WHERE id = %s RETURNING id",
                (digit * 64, plan, of.id),
            )
        )
    again = data.report(conn, catalogue, rerun, tmp_path)
    assert again["profile"] == found["profile"]
    # Negative control: the rerun of another plan is none of that screen.
    assert data.report(conn, catalogue, other, tmp_path)["profile"] == []


def test_many_profiles_stay_within_the_part(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    _, found = told(conn, catalogue, tmp_path, "longer")
    many = {**found, "profile": found["profile"] * 9}
    lines = part_of(short.render(many))
    assert len(lines) == why.LINES
    assert lines[-1].strip().startswith("and ")
    assert lines[-1].endswith(" more benchmarks")


def test_the_page_and_the_html_report_draw_it(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    of, found = told(conn, catalogue, tmp_path, "longer")
    page = read(visitor(application(dsn, tmp_path)), f"/compare?id={of.id}")
    drawn = page[page.index('<h2 id="why">') :]
    assert "+2.39 % = +166.4 instructions a switch" in text(drawn)
    for made in (drawn, html.render(found)):
        assert ">pick_task_fair</text>" in made
        assert "other functions</text>" in made
        assert ">all of the kernel</text>" in made
        assert ">more, not sure</text>" in made
    Page(html.render(found))
    assert "Decisions of the scheduler" in drawn
    assert "wake-ups" in drawn


def test_an_alert_names_the_function(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    of = profiled.compared(conn, catalogue, tmp_path)
    [before] = alerting.derive(conn, catalogue, [of.id])
    assert "Function:" not in before.body
    site = visitor(application(dsn, tmp_path))
    assert "Function not looked for yet" in text(read(site, f"/alert?id={before.id}"))
    profiled.store(conn, catalogue, of)
    assert f"Function {FUNCTION}" in text(read(site, f"/alert?id={before.id}"))
    # The next derivation writes it into the text, which is no news.
    [after] = alerting.derive(conn, catalogue, [of.id])
    assert after.id == before.id
    assert f"Function: {FUNCTION}" in " ".join(after.body.split())
    assert conn.execute("SELECT count(*) FROM alert_event").fetchone() == (1,)


def test_a_path_that_is_the_same_is_not_said_to_be_why(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    """Negative control: a patch that changes a comment names no function anywhere."""
    of, found = told(conn, catalogue, tmp_path, "comment")
    assert found["profile"][0]["sentence"].endswith("boots of one kernel do.")
    assert function_of(conn, of.id) is None
    assert part_of(short.render(found)) == []
    assert "Why" not in whole.render(found)
    assert "all of the kernel" not in html.render(found)
    page = read(visitor(application(dsn, tmp_path)), f"/compare?id={of.id}")
    assert "no function differs by more than boots of one kernel do" in text(page)
    assert "all of the kernel" not in page
    [alert] = alerting.derive(conn, catalogue, [of.id])
    assert "Function:" not in alert.body


def decided(conn: Connection, *, certain: bool) -> str:
    """Have the stored profile name one decision instead of a function; return its sentence."""
    said = "no function's path explains it, but decisions differ: migrations 0.1 -> 0.4 a switch."
    row = {"what": "migrations", "base": 0.1, "new": 0.4, "certain": certain}
    gone = {"what": "ticks", "base": None, "new": 0.2, "certain": False}
    conn.execute("UPDATE profile_function SET certain = false")
    conn.execute("UPDATE profile_path SET verdict = 'UNCHANGED'")
    conn.execute(
        "UPDATE profile SET sentence = %s, decisions = %s", (said, json.dumps([row, gone]))
    )
    return said


def test_a_decision_is_shown_where_no_function_is_sure(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    opened = "<details open>\n<summary>Decisions of the scheduler</summary>"
    of, _ = told(conn, catalogue, tmp_path, "longer")
    said = decided(conn, certain=True)
    found = data.report(conn, catalogue, of.id, tmp_path)
    lines = part_of(short.render(found))
    assert lines[-1].split() == ["migrations", "0.100", "->", "0.400", "times"]
    assert said in " ".join(whole.render(found).split())
    made = html.render(found)
    Page(made)
    assert "migrations</th>" in made
    assert "all of the kernel" not in made
    page = read(visitor(application(dsn, tmp_path)), f"/compare?id={of.id}")
    assert opened in page
    assert "ticks not countable 0.2000" in text(page)
    # Negative control: the same figures, which boots of one kernel differ by as well.
    decided(conn, certain=False)
    found = data.report(conn, catalogue, of.id, tmp_path)
    assert part_of(short.render(found)) == []
    assert "migrations" not in html.render(found)
    page = read(visitor(application(dsn, tmp_path)), f"/compare?id={of.id}")
    assert opened not in page
    assert opened.replace(" open", "") in page


def test_without_a_profile_there_is_no_why(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    """Negative control."""
    of = profiled.compared(conn, catalogue, tmp_path)
    found = data.report(conn, catalogue, of.id, tmp_path)
    assert found["profile"] == []
    assert part_of(short.render(found)) == []
    assert 'id="why"' not in read(visitor(application(dsn, tmp_path)), f"/compare?id={of.id}")
    # A report that an earlier version has stored has no such key.
    del found["profile"]
    assert part_of(short.render(found)) == []
