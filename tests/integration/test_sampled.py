# SPDX-License-Identifier: GPL-2.0-only
"""Samples of a board with a PMU: compared for a verdict, stored, and shown where it is."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner, Result
from psycopg.conninfo import make_conninfo

from tests.integration import bundles
from tests.integration.grafana import Reader
from tests.integration.profiled import SAMPLED_BOARD as BOARD
from tests.integration.profiled import sampled
from tests.integration.webpages import read, text
from tests.integration.websites import application, visitor
from vlag.cli.main import main
from vlag.compare.kernels import compare
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.model import Board
from vlag.pipeline import lab_boards, side_by_side
from vlag.pipeline.lab_boards import BoardPool
from vlag.report import html, markdown, short
from vlag.report import text as whole
from vlag.report.data import comparison as data
from vlag.report.document import SIDES
from vlag.store import comparisons, database, durations
from vlag.store import sampled as store
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef
from vlag.store.sampled import SampledRow
from vlag.store.views import READER

BASE, NEW = bundles.kernel("6.1", arch="arm64"), bundles.kernel("6.12", arch="arm64")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
WORSE = tuple(0.8 * f for f in SAME)


@pytest.fixture
def compared(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> int:
    """A REGRESSION on a Raspberry Pi 5."""
    paths = []
    for of, factors in ((BASE, SAME), (NEW, WORSE)):
        paths += bundles.side(tmp_path, of, catalogue, factors=factors, board=BOARD)
    bundles.store(conn, catalogue, paths)
    made = compare(
        conn=conn, catalogue=catalogue, board_type="rpi5",
        base=KernelRef(text="linux-6.1"), new=KernelRef(text="linux-6.12"), role="baseline",
    )  # fmt: skip
    return made.id


def profile(dsn: str, *words: object) -> Result:
    return CliRunner(env={"VLAG_DATABASE": dsn}).invoke(main, ["profile", *map(str, words)])


def test_the_samples_of_a_verdict_are_stored_and_shown(
    conn: Connection,
    dsn: str,
    catalogue: Catalogue,
    compared: int,
    tmp_path: Path,
) -> None:
    few = profile(dsn, "--comparison", compared)
    assert few.exit_code == 0, few.output
    assert "stress-ng-switch: 0 and 0 boots of base and new have samples, 3 each" in few.output
    bundles.store(conn, catalogue, sampled(tmp_path, BASE, catalogue, "base"))
    bundles.store(conn, catalogue, sampled(tmp_path, NEW, catalogue, "new"))
    made = profile(dsn, "--comparison", compared, "--format", "json")
    assert made.exit_code == 0, made.output
    [answer] = json.loads(made.stdout)["sampled"]
    assert answer["kernel"]["certain"]

    report = data.report(conn, catalogue, compared, tmp_path)
    [stored] = report["sampled"]
    assert stored["kernel"] == answer["kernel"]
    assert stored["functions"] == answer["functions"][:10]
    assert [len(stored["runs"][side]) for side in SIDES] == [3, 3]
    assert json.loads(json.dumps(stored)) == stored
    said = answer["sentence"]
    assert said.startswith("+104.33 % = +5259.3 cpu-clock a switch in the kernel: +683.2 in _raw")
    for shown in (whole.render(report), markdown.render(report), html.render(report)):
        plain = shown.replace("\\_", "_").replace("\\.", ".")  # Markdown's own marks
        assert said in " ".join(plain.split())
    assert "Why  (kernel cpu-clock a switch, sampled)" in short.render(report)
    page = read(visitor(application(dsn, tmp_path)), f"/compare?id={compared}")
    drawn = text(page[page.index('<h2 id="sampled">') :])
    assert said in drawn
    assert "finish_task_switch.isra.0" in drawn
    functions = conn.execute(
        "SELECT f.name, f.change, f.certain FROM read_model.sampled_profile p"
        " JOIN read_model.sampled_function f ON f.profile = p.id"
        " WHERE p.comparison = %s ORDER BY f.number",
        (compared,),
    ).fetchall()
    assert functions == [
        (f["name"], pytest.approx(f["change"]), f["certain"]) for f in answer["functions"]
    ]

    with database.connect(make_conninfo(dsn, user=READER)) as other:
        panel = Reader(other).panel("vlag-compare", "Why: functions by difference")
    assert [r["function"] for r in panel] == [f["name"] for f in answer["functions"][:20]]
    assert {r["what"] for r in panel} == {"cpu-clock"}
    # Asked again, the same boots leave one profile.
    assert profile(dsn, "--comparison", compared).exit_code == 0
    assert conn.execute("SELECT count(*) FROM sampled_profile").fetchone() == (1,)


def test_boots_that_are_missing_are_made_in_turns_on_boards_of_a_lab(
    conn: Connection, dsn: str, catalogue: Catalogue, compared: int, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    boards = tuple(Board(name=f"pi{n}", board_type="rpi5", lab="east") for n in (1, 2))
    farm = evolve(catalogue, boards=(*catalogue.boards, *boards))
    monkeypatch.setattr(catalogues, "of", lambda _settings: farm)
    monkeypatch.setattr(lab_boards, "pool", lambda *_: BoardPool(boards))
    made = {side: sampled(tmp_path, of, catalogue, side)
            for side, of in (("base", BASE), ("new", NEW))}  # fmt: skip
    asked: list[tuple[str, str, int]] = []

    def boot(
        kernel: Path, board: Board, *, seed: int, observes: str | None, request: str | None,
        **_: object,
    ) -> dict[str, object]:  # fmt: skip
        assert (observes, request) == ("perf", f"profile {compared}")
        of = json.loads((kernel / "build.json").read_text())["kernel"]
        side = "base" if of["digest"] == BASE["digest"] else "new"
        asked.append((side, board.name, seed))
        return {"outcome": "complete", "bundle": str(made[side][seed - 1])}

    monkeypatch.setattr(side_by_side, "boot", boot)
    done = profile(dsn, "--comparison", compared, "--format", "json")
    assert done.exit_code == 0, done.output
    [answer] = json.loads(done.stdout)["sampled"]
    assert answer["kernel"]["certain"]
    assert sorted(asked) == sorted(
        (side, f"pi{1 + seed % 2}", seed) for side in ("base", "new") for seed in (1, 2, 3)
    )
    # What is on record is not made again, and no verdict has these boots.
    assert profile(dsn, "--comparison", compared).exit_code == 0
    assert len(asked) == 6
    scored = conn.execute("SELECT base_runs || new_runs FROM verdict").fetchall()
    observing = {row[0] for row in conn.execute("SELECT id FROM run WHERE observes = 'perf'")}
    assert observing
    assert not any(observing & set(runs) for (runs,) in scored)


def test_samples_of_one_kernel_explain_nothing(
    conn: Connection,
    dsn: str,
    catalogue: Catalogue,
    compared: int,
    tmp_path: Path,
) -> None:
    """Negative control: both sides have the reports of one kernel."""
    bundles.store(conn, catalogue, sampled(tmp_path, BASE, catalogue, "base"))
    bundles.store(conn, catalogue, sampled(tmp_path, NEW, catalogue, "again"))
    made = profile(dsn, "--comparison", compared)
    assert made.exit_code == 0, made.output
    assert "no function differs by more than boots of one kernel do" in " ".join(
        made.output.split()
    )
    report = data.report(conn, catalogue, compared, tmp_path)
    assert len(report["sampled"]) == 1
    assert "cpu-clock" not in whole.render(report) + short.render(report) + html.render(report)


def test_what_cannot_be_sampled_is_said(
    conn: Connection,
    dsn: str,
    catalogue: Catalogue,
    compared: int,
    tmp_path: Path,
) -> None:
    refused = profile(dsn, "--comparison", compared, "--board", "sim2-1")
    assert refused.exit_code == 2
    assert "is of board type rpi5, whose boots `vlag run --observe perf` samples" in refused.output
    paths = [
        *sampled(tmp_path, BASE, catalogue, "base"),
        *sampled(tmp_path, NEW, catalogue, "new"),
    ]
    bundles.store(conn, catalogue, paths)
    report = paths[0] / "raw" / "perf-report.txt"
    report.write_bytes(report.read_bytes()[:2000])
    damaged = profile(dsn, "--comparison", compared)
    assert damaged.exit_code == 3
    assert "perf-report.txt" in damaged.output
    assert conn.execute("SELECT count(*) FROM sampled_profile").fetchone() == (0,)


def test_how_long_a_sampled_function_took_is_known(
    conn: Connection, dsn: str, catalogue: Catalogue, compared: int, tmp_path: Path
) -> None:
    for of, kind in ((BASE, "base"), (NEW, "new")):
        bundles.store(conn, catalogue, sampled(tmp_path, of, catalogue, kind))
    assert profile(dsn, "--comparison", compared).exit_code == 0
    # Negative control: one answer says nothing of the next.
    later = datetime.now(UTC) + timedelta(hours=1)
    assert durations.of_profile(conn, "rpi5", later) is None
    comparison = comparisons.by_id(conn, compared)
    assert comparison is not None
    runs = store.runs(conn, comparison, "base", benchmark="stress-ng-switch",
                      parameters=catalogue.benchmark("stress-ng-switch").parameters)  # fmt: skip
    for number in range(2):
        row = SampledRow(
            benchmark="stress-ng-switch", parameters={"instances": number},
            base_runs=[r.id for r in runs], new_runs=[r.id for r in runs], operation="switch",
            event="cycles", figures={}, sentence="",
        )  # fmt: skip
        store.put(conn, comparison, row)
    waited = durations.of_profile(conn, "rpi5", later)
    assert waited is not None
    assert (waited.answers, waited.longest < timedelta(hours=1)) == (3, True)
