# SPDX-License-Identifier: GPL-2.0-only
"""Three hundred branches on fifty types of board: the pages stay short and can be searched."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Browser

from tests.conftest import fresh_database
from tests.integration.webpages import table, text
from tests.integration.websites import application, served, visitor
from vlag.store import database

#: As `_FILL` has them.
BRANCHES, NIGHTS = 300, 3
#: Of one page: what a browser draws in well under a second.
MOST_BYTES = 600_000
#: Kernel 1 is the baseline.  Branch 123 is worse on board 7 since the last night.
_FILL = b"""
SET session_replication_role = replica;
INSERT INTO board_type (name, arch, deterministic, cpus)
SELECT format('board-%s', to_char(i, 'FM00')), 'arm64', false, 4
FROM generate_series(1, 50) i;
INSERT INTO kernel (id, digest, tree, branch, commit, describe, subject, committed_at, series,
  application, variant, arch, kconfig, patches) OVERRIDING SYSTEM VALUE
SELECT i, encode(sha256(i::text::bytea), 'hex'), 'farm', name,
  left(md5(i::text) || md5(i::text), 40), 'v6.' || i, 'A commit',
  now() - interval '3 days', NULL, 'none', 'default', 'arm64', repeat('c', 64), '[]'
FROM generate_series(1, 301) i,
  LATERAL (SELECT format('topic-%s', to_char(i - 1, 'FM000')) AS name) n;
INSERT INTO kernel_ref (kernel, tree, name, is_branch)
SELECT id, tree, branch, id > 1 FROM kernel;
INSERT INTO comparison (inputs, base_kernel, new_kernel, board_type, base_knobs, new_knobs, factors,
  failed_builds, failed_runs, notes, created_at, plan, stage, role, scope)
SELECT encode(sha256(format('%s %s %s', k.id, b.name, n)::bytea), 'hex'), 1, k.id, b.name, '{}',
  '{}', '{}', '{}', '{}', '{}', date_trunc('day', now()) - n * interval '1 day',
  'nightly', 'screen', 'baseline', '[]'
FROM generate_series(2, 0, -1) n, kernel k, board_type b WHERE k.id > 1;
INSERT INTO verdict (comparison, benchmark, parameters, metric, statistic, unit, direction,
  base_value, new_value, effect, ci_low, ci_high, n_base, n_new, p, p_zero, verdict, reason, hint,
  base_runs, new_runs)
SELECT c.id, 'hackbench-pipe', '{}', 'time', 'median', 's', 'lower', 10, 10 * (1 + x.effect),
  x.effect, x.effect - 0.001, x.effect + 0.001, 5, 5, 0.001, 0.001,
  CASE WHEN x.effect > 0 THEN 'REGRESSION' ELSE 'UNCHANGED' END::verdict_kind, 'why', false,
  '{}', '{}'
FROM comparison c, LATERAL (SELECT CASE WHEN c.new_kernel = 124 AND c.board_type = 'board-07'
  AND c.created_at >= date_trunc('day', now()) THEN 0.2 ELSE 0 END::float AS effect) x;
INSERT INTO night (key, started_at, finished_at, comparisons, branches, missing, notes)
SELECT c.created_at::text, c.created_at - interval '8 hours', c.created_at, array_agg(c.id), '[]',
  '{}', '{}' FROM comparison c GROUP BY c.created_at ORDER BY c.created_at;
SET session_replication_role = origin;
ANALYZE;
"""
#: How far the head and the first column moved while the table scrolled both ways.
_SCROLL = """box => { box.scrollIntoView();
  const places = () => ['thead th', 'tbody th', 'tbody td']
    .map(s => box.querySelector(s).getBoundingClientRect()).map(b => [b.left, b.top]);
  const before = places(); box.scrollTo(400, 100); const after = places();
  return {moved: before.map((b, i) => [after[i][0] - b[0], after[i][1] - b[1]]),
    by: [box.scrollLeft, box.scrollTop]}; }"""


@pytest.fixture(scope="module")
def app(cluster: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Flask:
    dsn = fresh_database(cluster, template)
    with database.connect(dsn) as conn:
        conn.execute(_FILL)
    state: Path = tmp_path_factory.mktemp("farm")
    return application(dsn, state)


@pytest.mark.parametrize("url", ["/", "/branch"])
def test_the_worst_come_first_and_the_page_stays_short(app: Flask, url: str) -> None:
    answer = visitor(app).get(url)
    assert answer.status_code == 200
    assert len(answer.data) < MOST_BYTES
    page = answer.get_data(as_text=True)
    _head, *rows = table(page, "branches by board type" if url == "/" else "branches")
    assert rows[0][0].startswith("farm/topic-123")
    assert 5 < len(rows) < 30
    assert f"page 1 of {-(-BRANCHES // len(rows))}, {BRANCHES} branches in all" in text(page)
    # Each branch is on one of the pages.
    last = visitor(app).get(f"{url}?page={-(-BRANCHES // len(rows))}").get_data(as_text=True)
    assert f"farm/topic-{BRANCHES}" in last


def test_a_person_finds_one_branch_and_one_board(app: Flask) -> None:
    page = visitor(app).get("/?filter=topic-200&board=board-31").get_data(as_text=True)
    head, *rows = table(page, "branches by board type")
    assert head == ["Branch", "board-31"]
    [row] = rows
    assert row[0].startswith("farm/topic-200")
    assert row[1].startswith("UNCHANGED")
    assert row[1].split()[-NIGHTS:] == ["="] * NIGHTS
    worse = visitor(app).get("/?filter=topic-123&board=board-07").get_data(as_text=True)
    assert "REGRESSION 20.0 % worse" in text(worse)


@pytest.mark.parametrize("width", [420, 1280])
def test_head_and_branch_stay_in_sight(app: Flask, browser: Browser, width: int) -> None:
    with (
        served(app) as site,
        browser.new_context(viewport={"width": width, "height": 480}) as context,
    ):
        page = context.new_page()
        page.goto(site)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        region = page.get_by_role("region", name="branches by board type")
        found = region.evaluate(_SCROLL)
        assert found["by"] == [400, 100]
        corner, branch, cell = found["moved"]
        assert corner == pytest.approx([0, 0], abs=2)
        assert branch == pytest.approx([0, -100], abs=2)
        # Negative control: a cell moves both ways, and so does a head that is not pinned.
        assert cell == pytest.approx([-400, -100], abs=2)
        page.add_style_tag(content=".pinned th { position: static !important }")
        region.evaluate("box => box.scrollTo(0, 0)")
        assert region.evaluate(_SCROLL)["moved"][0] == pytest.approx([-400, -100], abs=2)
