# SPDX-License-Identifier: GPL-2.0-only
"""Raw output that is kept is read again: by a mended parser, say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner

from tests.integration import bundles
from tests.integration.alerting import BASE, SAME, Record, head
from tests.integration.nights import settings
from vlag import parsers
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.errors import ParseError
from vlag.model import ParsedOutput
from vlag.pipeline.ingest import ingest
from vlag.pipeline.reread import Reread, reread
from vlag.report import read_model
from vlag.store import runs
from vlag.store.database import Connection

HEAD = head(1)


@pytest.fixture
def record(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Record:
    """Two kernels with five boots each, compared."""
    made = Record(conn=conn, catalogue=catalogue, folder=tmp_path)
    made.fill(BASE, SAME)
    made.fill(HEAD, SAME)
    made.compare(BASE, HEAD, "baseline")
    return made


def mend(monkeypatch: pytest.MonkeyPatch, factor: float) -> None:
    """Let the parser of stress-ng say that rates were so much higher."""
    real = parsers.parse

    def parse(tool: str, data: bytes, *, path: str, told: bool) -> ParsedOutput:
        found = real(tool, data, path=path)
        return evolve(found, samples=tuple(
            evolve(s, values=tuple(factor * v for v in s.values))
            if s.metric == "bogo-ops-rate" else s for s in found.samples
        ))  # fmt: skip

    monkeypatch.setattr(parsers, "parse", parse)


def again(record: Record, ids: list[int] | None = None) -> list[Reread]:
    every = runs.complete(record.conn)
    return list(reread(record.conn, record.catalogue, every if ids is None else ids))


def state(conn: Connection) -> list[object]:
    """Return all that is on record of figures and verdicts."""
    return [
        conn.execute(f"SELECT x::text FROM {table} x ORDER BY 1").fetchall()  # noqa: S608
        for table in ("run", "sample", "histogram", "run_value", "verdict", "comparison")
    ]


def of_stress_ng(conn: Connection) -> list[int]:
    rows = conn.execute("SELECT id FROM run WHERE benchmark = 'stress-ng-switch' ORDER BY id")
    return [row[0] for row in rows]


def shown(conn: Connection) -> dict[str, float]:
    """Return what the page of the first run shows."""
    found = read_model.run(conn, of_stress_ng(conn)[0])
    assert found is not None
    return {v["metric"]: v["value"] for v in found["values"]}


def test_nothing_has_changed(record: Record) -> None:
    """Negative control: the same parser says the same, histograms included."""
    before = state(record.conn)
    found = again(record)
    assert len(found) == len(runs.complete(record.conn)) > 0
    assert not any(one.changes or one.left for one in found)
    assert state(record.conn) == before
    assert str(found[0]) == f"run {found[0].run}: its figures are what they were"


def test_a_mended_parser_replaces_figures(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    conn = record.conn
    said = conn.execute("SELECT x::text FROM verdict x ORDER BY id").fetchall()
    before = shown(conn)
    mend(monkeypatch, 2.0)
    found = [one for one in again(record) if one.changes]
    assert [one.run for one in found] == of_stress_ng(conn)
    assert all(one.comparisons == (1,) for one in found)
    assert str(found[0]).startswith(f"run {found[0].run}: bogo-ops-rate ")
    after = shown(conn)
    assert {name: after[name] / before[name] for name in before} == {
        name: pytest.approx(2.0 if "bogo-ops-rate" in name else 1.0) for name in before
    }
    # What was said stays; who compares again compares the new figures.
    assert conn.execute("SELECT x::text FROM verdict x ORDER BY id").fetchall() == said
    assert record.compare(BASE, HEAD, "baseline") == 2
    [old, new] = conn.execute(
        "SELECT base_value FROM verdict WHERE metric = 'bogo-ops-rate' ORDER BY id"
    ).fetchall()
    assert new[0] == pytest.approx(2 * old[0])
    # Again, it is what it was.
    assert not any(one.changes for one in again(record))
    assert record.compare(BASE, HEAD, "baseline") == 2


def test_a_run_whose_raw_output_is_gone_is_left(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    conn = record.conn
    first, second, third = of_stress_ng(conn)[:3]
    places = runs.by_id(conn, [first, second, third])
    for id_, data in ((first, None), (second, b"other")):
        raw = Path(places[id_].location) / places[id_].output
        raw.unlink() if data is None else raw.write_bytes(data)
    before = conn.execute("SELECT x::text FROM sample x WHERE run = %s", (first,)).fetchall()
    mend(monkeypatch, 2.0)
    by_run = {one.run: one for one in again(record)}
    assert str(by_run[first]).startswith(
        f"run {first}: left as it is: its raw output is gone ({places[first].location}/"
    )
    assert "is not the file that was ingested; restore it" in str(by_run[second])
    assert by_run[third].changes
    assert conn.execute("SELECT x::text FROM sample x WHERE run = %s", (first,)).fetchall() == (
        before
    )


def test_a_parser_that_refuses_leaves_a_run_as_it_is(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(record.conn)

    def refuse(_tool: str, _data: bytes, *, path: str, told: bool) -> ParsedOutput:
        raise ParseError("this layout is not known", path=path, line=3)

    monkeypatch.setattr(parsers, "parse", refuse)
    found = again(record)
    assert all(one.refused and "this layout is not known" in str(one) for one in found)
    assert state(record.conn) == before


def test_a_run_that_measured_nothing(record: Record) -> None:
    folder = record.folder / "panic"
    path = bundles.run(folder, HEAD, record.catalogue, seed=9, outcome="panic", reason="Oops")
    id_ = ingest(path, conn=record.conn, catalogue=record.catalogue).id
    [one] = again(record, [id_])
    assert str(one) == f"run {id_}: left as it is: it measured nothing (panic)"
    assert id_ not in runs.complete(record.conn)


def test_the_command(
    record: Record, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(tmp_path)
    monkeypatch.setenv("VLAG_SETTINGS", str(tmp_path / "vlag.toml"))
    monkeypatch.setenv("VLAG_DATABASE", dsn)

    def vlag(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["ingest", *words])
        return done.exit_code, done.output

    id_ = of_stress_ng(record.conn)[0]
    mend(monkeypatch, 3.0)
    code, text = vlag("--again", str(id_))
    assert code == 0
    assert f"run {id_}: bogo-ops-rate " in text
    assert "1 runs changed, 0 as they were, 0 left as they are" in text
    assert "comparisons of figures that have changed: 1; compare their kernels again" in text
    code, text = vlag("--again", "--since", "2030-01-01", "--format", "json")
    assert json.loads(text) == {"changed": [], "comparisons": [], "left": [], "read": 0}
    code, text = vlag("--again", "--all", "--format", "json")
    assert len(json.loads(text)["changed"]) == len(of_stress_ng(record.conn)) - 1
    for words, said in (
        (["--again"], "--again needs numbers of runs, --all, or --since DATE: one of them"),
        (["--again", "7", "--all"], "one of them"),
        (["--again", "seven"], "seven: not the number of a run"),
        (["--again", "99999"], "there is no run 99999 on record"),
        (["--all"], "--all belongs to --again"),
        ([], "name a bundle, or a folder of bundles"),
    ):
        code, text = vlag(*words)
        assert code == 2, text
        assert said in text
