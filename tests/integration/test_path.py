# SPDX-License-Identifier: GPL-2.0-only
"""Path length on record: with each profile, for the reader's role, in reports and on the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
from click.testing import CliRunner, Result

from tests.integration import profiled
from tests.integration.profiled import part_of, told
from tests.integration.webpages import read, text
from tests.integration.websites import application, visitor
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.profile.path import UNSEEN
from vlag.report import html, markdown, short
from vlag.report import text as whole
from vlag.report.data import comparison as data
from vlag.search import profiling as stage
from vlag.store import profiles
from vlag.store.database import Connection

SENTENCE = "Path: REGRESSION kernel/sched +4.01 %, kernel +2.39 %; 4 UNCHANGED, 1 INCONCLUSIVE."


def test_each_stored_profile_has_its_path_once(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    of = profiled.compared(conn, catalogue, tmp_path)
    profiled.store(conn, catalogue, of)
    profiled.store(conn, catalogue, of)
    found = conn.execute(
        "SELECT l.metric, l.unit, l.verdict::text, round(l.effect::numeric, 4)::float,"
        " cardinality(l.base_values), p.comparison FROM read_model.profile_path l"
        " JOIN read_model.profile p ON p.id = l.profile ORDER BY l.number"
    ).fetchall()
    assert [row[0] for row in found] == [m.name for m in catalogue.path_metrics]
    assert found[0] == ("kernel/sched", "instructions", "REGRESSION", 0.0401, 3, of.id)
    assert found[2][1:3] == ("calls", "UNCHANGED")
    # Each boot is kept: the levels are what the boots say.
    [(level, values, new, effect)] = conn.execute(
        "SELECT base_level, base_values, new_level, effect FROM read_model.profile_path"
        " WHERE metric = 'kernel'"
    ).fetchall()
    assert min(values) < level < max(values)
    assert new == pytest.approx(level * (1 + effect))
    # Other boots replace it, and what is read back is what was stored.
    [question] = stage.questions(conn, catalogue, of.id).asked
    [stored] = profiles.of(conn, question.comparison)
    assert len(stored.paths) == len(catalogue.path_metrics)
    assert stored.paths[0].verdict == "REGRESSION"


def test_the_reader_may_read_it_and_not_write_it(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    of = profiled.compared(conn, catalogue, tmp_path)
    profiled.store(conn, catalogue, of)
    with conn.transaction():
        conn.execute("SET LOCAL ROLE vlag_reader")
        rows = conn.execute("SELECT verdict FROM read_model.profile_path").fetchall()
        assert len(rows) == len(catalogue.path_metrics)
        with pytest.raises(psycopg.errors.InsufficientPrivilege), conn.transaction():
            conn.execute("SELECT verdict FROM public.profile_path")


def test_reports_json_and_the_page_show_it(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    of, found = told(conn, catalogue, tmp_path, "longer")
    [profile] = found["profile"]
    assert json.loads(json.dumps(profile)) == profile
    assert profile["path"][0]["metric"] == "kernel/sched"
    assert profile["path"][0]["verdict"] == "REGRESSION"
    assert profile["path_sentence"] == SENTENCE
    for every in (short.render(found), whole.render(found)):
        assert SENTENCE in " ".join(every.split())
    assert "REGRESSION kernel" in markdown.render(found)
    assert SENTENCE in html.render(found)
    page = text(read(visitor(application(dsn, tmp_path)), f"/compare?id={of.id}"))
    assert SENTENCE in page
    for every in (" ".join(whole.render(found).split()), html.render(found), page):
        assert f"{SENTENCE} {UNSEEN}" in every


def test_a_path_is_shown_where_no_function_is_sure_and_not_where_nothing_changed(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    of, _ = told(conn, catalogue, tmp_path, "longer")
    conn.execute("UPDATE profile_function SET certain = false")
    shown = short.render(data.report(conn, catalogue, of.id, tmp_path))
    assert "Path: REGRESSION kernel/sched" in " ".join(part_of(shown))
    # Negative control: neither the short report nor the whole one has it.
    conn.execute("UPDATE profile_path SET verdict = 'UNCHANGED'")
    found = data.report(conn, catalogue, of.id, tmp_path)
    assert part_of(short.render(found)) == []
    assert "Path:" not in whole.render(found)
    assert "Path: all 7 UNCHANGED." in text(
        read(visitor(application(dsn, tmp_path)), f"/compare?id={of.id}")
    )
    # A profile that an earlier version has stored has no path.
    conn.execute("DELETE FROM profile_path")
    found = data.report(conn, catalogue, of.id, tmp_path)
    assert (found["profile"][0]["path"], found["profile"][0]["path_sentence"]) == ([], "")
    page = read(visitor(application(dsn, tmp_path)), f"/compare?id={of.id}")
    assert "Path:" not in text(page)


def judged(
    monkeypatch: pytest.MonkeyPatch, catalogue: Catalogue, root: Path, new: str, *words: str
) -> Result:
    """Call `vlag path` for two builds whose boots are on record: no emulator boots here."""
    of = {"plain": profiled.BASE, new: profiled.NEW}
    built = {name: profiled.build(root, kernel, name) for name, kernel in of.items()}
    ran = {built[name]: profiled.runs(root, kernel, catalogue, name) for name, kernel in of.items()}

    def prepared(*, build: Path, seeds: Sequence[int], **_: object) -> list[SimpleNamespace]:
        return [SimpleNamespace(build=build) for _ in seeds]

    monkeypatch.setattr(stage, "prepared", prepared)
    monkeypatch.setattr(stage, "booted", lambda asked, *_: ran[asked[0].build][: len(asked)])
    asked = ("--benchmark", "stress-ng-switch", "--board", "sim2-1", *words)
    return CliRunner().invoke(main, ["path", *map(str, built.values()), *asked])


def test_the_command_prints_a_table_and_one_closing_sentence(
    monkeypatch: pytest.MonkeyPatch, catalogue: Catalogue, tmp_path: Path
) -> None:
    done = judged(monkeypatch, catalogue, tmp_path, "longer")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    row = ["kernel/sched", "4046.36", "4208.82", "+4.01", "%", "REGRESSION"]
    assert lines[1].split() == row
    assert "boots: 3 and 3" in lines
    assert " ".join(done.stdout.rpartition("\n\n")[2].split()) == SENTENCE


def test_the_command_answers_in_json_and_needs_three_boots(
    monkeypatch: pytest.MonkeyPatch, catalogue: Catalogue, tmp_path: Path
) -> None:
    """Negative control: the same counts of two boots decide nothing."""
    words = ("--seeds", "2", "--format", "json")
    found = json.loads(judged(monkeypatch, catalogue, tmp_path, "longer", *words).stdout)
    assert {m["verdict"] for m in found["metrics"]} == {"INCONCLUSIVE"}
    assert found["boots"] == [2, 2]
    assert "do not see caches" in found["unseen"]


def test_a_comment_changes_no_path(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> None:
    """Negative control."""
    _, found = told(conn, catalogue, tmp_path, "comment")
    assert found["profile"][0]["path_sentence"] == "Path: all 7 UNCHANGED."
    assert "Path:" not in short.render(found)
