# SPDX-License-Identifier: GPL-2.0-only
"""`vlag status`: one screen, from a real database, with and without a service."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from click.testing import CliRunner, Result

from tests.conftest import fresh_database
from tests.integration import webpages
from tests.integration.buildbots import Start, ask_for_run, start
from tests.integration.websites import Filled, Template, application, visitor
from tests.waiting import until
from vlag import ROOT
from vlag.cli import status
from vlag.cli.main import main
from vlag.operate.service.live import Live
from vlag.store import database, nights
from vlag.store.database import Connection
from vlag.store.nights import AtBaseline, Night, NightBranch

__all__ = ["start"]

#: Nothing listens at the port of nobody.
URL = "http://127.0.0.1:1/"
SILENT = f"Now: the service does not answer at {URL}"

#: 300 branches on 50 board types: one verdict for each, by turns.
MANY = """
INSERT INTO board_type (name, arch, deterministic, cpus, limits)
  SELECT 'board-type-number-' || b, 'x86_64', false, 4, 'none' FROM generate_series(1, 50) b;
INSERT INTO kernel (digest, tree, branch, commit, describe, subject, committed_at, series,
    application, variant, arch, kconfig, patches)
  SELECT lpad(k::text, 64, '0'), 'stable', 'a-rather-long-name-of-a-branch-' || k,
    lpad(k::text, 40, '0'), 'v6', 'it', now(), NULL, 'none', 'default', 'x86_64',
    repeat('0', 64), '[]'
  FROM generate_series(0, 300) k;
INSERT INTO kernel_ref (kernel, tree, name, is_branch)
  SELECT id, tree, branch, branch <> 'a-rather-long-name-of-a-branch-0' FROM kernel;
INSERT INTO comparison (inputs, base_kernel, new_kernel, board_type, base_knobs, new_knobs,
    factors, failed_builds, failed_runs, notes, role)
  SELECT md5(b.name || ' ' || k.id) || repeat('0', 32), o.id, k.id, b.name, '{}', '{}', '{}',
    '{}', '{}', '{}', 'baseline'
  FROM kernel k, kernel o, board_type b
  WHERE k.id <> o.id AND o.branch = 'a-rather-long-name-of-a-branch-0';
INSERT INTO verdict (comparison, benchmark, parameters, metric, statistic, unit, direction,
    effect, n_base, n_new, verdict, reason, hint, base_runs, new_runs, confirmable)
  SELECT id, 'stress-ng-switch', '{}', 'ops', 'median', '1/s', 'higher', -0.001 * (id % 500),
    5, 5, (ARRAY['UNCHANGED', 'REGRESSION', 'NOT_COMPARABLE'])[1 + id % 3]::verdict_kind,
    'because', false, '{}', '{}', false
  FROM comparison;
INSERT INTO alert (key, kind, tree, branch, new_kernel, throughput, title, body, opened_at, owner)
  SELECT lpad(n::text, 64, '0'), 'regression', 'stable', 'x', (SELECT min(id) FROM kernel),
    0.001 * n, 'it is worse by ' || n || E' per mille \\x1b[31m' || repeat('and more ', 20), 'it',
    now() - n * interval '1 hour', CASE WHEN n % 2 = 0 THEN 'somebody-with-a-long-name' END
  FROM generate_series(1, 120) n;
"""


@pytest.fixture(scope="module")
def record(cluster: str, branch_template: Template) -> Iterator[tuple[str, Connection]]:
    dsn = fresh_database(cluster, branch_template.database)
    with database.connect(dsn) as conn:
        # The template may be an hour old.
        conn.execute("UPDATE alert SET opened_at = now()")
        yield dsn, conn


@pytest.fixture(scope="module")
def filled(branch_template: Template) -> Filled:
    return branch_template.filled


@pytest.fixture(scope="module")
def many(cluster: str, template: str) -> str:
    dsn = fresh_database(cluster, template)
    with database.connect(dsn) as conn:
        conn.execute(MANY)
    return dsn


@pytest.fixture
def vlag(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Call `vlag status` on a database, where no service answers."""
    shipped = (ROOT / "vlag.toml").read_text(encoding="utf-8")
    settings = tmp_path / "vlag.toml"
    settings.write_text(shipped.replace("web = 8010", "web = 1"), encoding="utf-8")
    monkeypatch.setenv("VLAG_SETTINGS", str(settings))

    def call(dsn: str, *words: str, lines: int = 60) -> Result:
        monkeypatch.setenv("VLAG_DATABASE", dsn)
        monkeypatch.setenv("LINES", str(lines))
        return CliRunner().invoke(main, ["status", *words])

    return call


def screen(done: Result) -> list[str]:
    assert done.exit_code == 0, done.output
    return done.stdout.splitlines()


def parted(lines: list[str]) -> tuple[str, list[str]]:
    """Return the sentence that heads a screen, and the lines below it."""
    end = lines.index("")
    return " ".join(" ".join(lines[:end]).split()), lines[end + 1 :]


def test_the_screen_has_all_parts(
    record: tuple[str, Connection], filled: Filled, vlag: Callable[..., Result]
) -> None:
    said, lines = parted(screen(vlag(record[0])))
    assert said.startswith(f"Yes: {filled.branch} is worse than its baseline, by 12.0 % on qemu")
    assert lines[0] == "Branches by board type, worst first: 1 branch on 1 board type"
    at = (
        record[1]
        .execute(
            "SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') FROM read_model.comparison"
            " WHERE id = %s",
            (filled.baseline,),
        )
        .fetchone()
    )
    assert at is not None
    assert lines[1] == f"R {filled.branch} qemu-sim-2 {at[0]} baseline REGRESSION 12.0 % worse"
    assert lines[2] == "Tried by hand, counted for no branch: 1 comparison"
    assert lines[4] == "Open alerts: 1, 1 without an owner"
    assert lines[5].split()[:4] == [str(filled.alert), "0", "min", "-"]
    assert lines[7] == "Last night: ended 2026-03-05 09:00 UTC, after 8 h 0 min"
    assert lines[8] == "  2 pairs of kernels compared: 1 REGRESSION, 1 UNCHANGED"
    assert lines[9].startswith("  missing: the boots of <script>")
    assert lines[-1] == SILENT
    assert max(map(len, lines)) <= 80


def test_json_has_what_the_screen_has(
    record: tuple[str, Connection], filled: Filled, vlag: Callable[..., Result]
) -> None:
    done = vlag(record[0], "--format", "json")
    found = json.loads(done.stdout)
    [state] = found["branches"]
    assert (state["branch"], state["board_type"]) == (filled.branch, "qemu-sim-2")
    assert [(c["id"], c["role"], c["verdict"]) for c in state["comparisons"]] == [
        (filled.baseline, "baseline", "REGRESSION"),
        (filled.parent, "parent", "REGRESSION"),
    ]
    assert [a["id"] for a in found["alerts"]] == [filled.alert]
    assert found["conclusion"]["answer"] == "Yes"
    assert found["conclusion"]["doubt"] is None
    assert found["night"]["verdicts"] == {"REGRESSION": 1, "UNCHANGED": 1}
    assert found["service"] == {"url": URL, "answers": False, "now": None}


def test_an_alert_that_is_closed_or_muted_is_not_open(
    cluster: str, template: str, vlag: Callable[..., Result]
) -> None:
    dsn = fresh_database(cluster, template)
    with database.connect(dsn) as conn:
        conn.execute(MANY)
        conn.execute(
            "UPDATE alert SET triage = 'fixed' WHERE id = (SELECT max(id) FROM alert);"
            " UPDATE alert SET muted_until = now() + interval '1 day' WHERE title LIKE '%by 119 %'"
        )
    lines = screen(vlag(dsn))
    head = lines.index("Open alerts: 119, 60 without an owner, 1 muted")
    # The worst ones; what is muted comes last, and what is closed not at all.
    assert [line.split()[0] for line in lines[head + 1 : head + 6]] == [
        "118", "117", "116", "115", "114",
    ]  # fmt: skip
    assert lines[head + 1].split()[1:4] == ["4", "d", "some...-name"]
    assert lines[head + 6] == "and 114 more: `vlag alerts`"


@pytest.mark.parametrize(("terminal", "most"), [(10, 24), (25, 24), (36, 35), (200, 40)])
def test_a_screen_stays_a_screen(
    many: str, vlag: Callable[..., Result], terminal: int, most: int
) -> None:
    lines = screen(vlag(many, lines=terminal))
    assert len(lines) == most
    assert max(map(len, lines)) <= 80
    assert all(line.isprintable() for line in lines)
    shown = [line for line in lines if line.startswith("R ")]
    # The end of a long name tells it from others.
    assert len({line[:45] for line in shown}) > 1
    rest = next(line for line in lines if "NOT_COMPARABLE" in line)
    counts = [int(w.replace(",", "")) for w in rest.split() if w[0].isdigit()]
    assert counts[0] == 300 * 50 - len(shown) == sum(counts[1:])
    said, below = parted(lines)
    assert said.startswith("Yes: 100 of 300 branches are worse than their baselines, most of all ")
    assert below[0].endswith(": 300 branches on 50 board types")
    losses = [line.split("REGRESSION ")[1] for line in shown]
    assert losses == sorted(losses, reverse=True)


def test_what_runs_is_on_the_screen(
    record: tuple[str, Connection], filled: Filled, vlag: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    now = datetime.datetime.now(datetime.UTC)
    due = now + datetime.timedelta(hours=19)
    end = now + datetime.timedelta(minutes=30)
    night = Live(
        due=due, what="The night", now=tuple(f"building {n}" for n in range(9)), done=12,
        runs=280, course="12 of 280 runs, about 30 min left", until=end, next="seed 7",
    )  # fmt: skip
    said: list[Any] = []
    for live in (night, Live(due=due)):
        monkeypatch.setattr(status, "_present", lambda _settings, live=live: live)
        said.append(screen(vlag(record[0])))
    part = said[0][said[0].index("") :][-5:]
    assert part == [
        f"Now: the night runs, 12 of 280 runs, about 30 min left, until {end:%H:%M} UTC",
        "  building 0",
        "  building 1",
        "  and 7 more",
        "Next: seed 7",
    ]
    assert said[1][-2:] == [
        "Now: nothing runs",
        f"Next: the next night begins {due:%Y-%m-%d %H:%M} UTC, in 19 h",
    ]


def test_a_real_master_is_asked(start: Start, dsn: str, vlag: Callable[..., Result]) -> None:
    web = start()
    settings = Path(os.environ["VLAG_SETTINGS"])
    port = web._root.split(":")[2].split("/")[0]
    settings.write_text(settings.read_text().replace("web = 1\n", f"web = {port}\n"))
    assert screen(vlag(dsn))[-2] == "Now: nothing runs"
    for seed in (1, 2):
        ask_for_run(web, f"linux-6.12 seed {seed}", "night")
    until(lambda: web.get("/builds", complete="false"))
    assert screen(vlag(dsn))[-2:] == ["Now: a build runs", "Next: linux-6.12 seed 2"]


def test_an_empty_database_says_what_will_appear(dsn: str, vlag: Callable[..., Result]) -> None:
    lines = screen(vlag(dsn))
    assert "Nothing has been compared yet. Here each branch gets a line" in " ".join(lines)
    assert "Open alerts: none" in lines
    assert "Last night: none has ended yet" in lines
    assert lines[-1] == SILENT
    document = json.loads(vlag(dsn, "--format", "json").stdout)
    assert (document["branches"], document["alerts"], document["night"]) == ([], [], None)


def test_no_database_is_one_sentence(vlag: Callable[..., Result]) -> None:
    done = vlag("host=127.0.0.1 port=1 user=vlag dbname=vlag")
    assert done.exit_code == 75
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith("vlag: cannot use database vlag at 127.0.0.1:1 (")


def test_a_head_that_is_its_own_baseline_is_said_with_the_last_night(
    dsn: str, vlag: Callable[..., Result], tmp_path: Path
) -> None:
    level = [
        AtBaseline(branch="debian/linux-6.12", board_type=f"b{n}", baseline="debian/v6.12")
        for n in range(4)
    ]
    started = datetime.datetime(2026, 3, 5, 1, tzinfo=datetime.UTC)
    branch: NightBranch = {
        "tree": "debian", "branch": "linux-6.12", "board_types": [],
        "at_baseline": [
            {"branch": "linux-6.12", "board_type": a.board_type, "baseline": a.baseline}
            for a in level
        ],
        "left_out": [{"branch": "linux-6.12", "name": "n", "board_type": "b9", "nights": 1}],
    }  # fmt: skip
    night = Night(
        key="n", started_at=started, finished_at=started, multiple_testing=None, comparisons=[],
        branches=[branch], missing=[], notes=[], url=None, report=None,
    )  # fmt: skip
    with database.connect(dsn) as conn:
        nights.insert(conn, night)
    lines = screen(vlag(dsn))
    at = lines.index("Last night: ended 2026-03-05 01:00 UTC, after 0 s")
    assert lines[at + 2].startswith(
        "  debian/linux-6.12 on b0: nothing to compare yet, its head is"
    )
    assert lines[at + 4] == "  and 2 more are their own baseline"
    assert lines[at + 5] == "  left out to end in time: debian/linux-6.12 on b9"
    document = json.loads(vlag(dsn, "--format", "json").stdout)
    assert document["night"]["at_baseline"] == [attrs.asdict(a) for a in level]
    assert document["night"]["left_out"] == [
        {"branch": "debian/linux-6.12", "name": "n", "board_type": "b9", "nights": 1}
    ]
    page = webpages.text(visitor(application(dsn, tmp_path)).get("/").get_data(as_text=True))
    assert all(a.sentence in " ".join(page.split()) for a in level)
