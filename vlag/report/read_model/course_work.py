# SPDX-License-Identifier: GPL-2.0-only
"""What was built and booted for a regression, as steps of its course."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from datetime import datetime
from typing import TypedDict

from vlag.report.compared import counted, duration
from vlag.report.read_model.course_steps import Step, step
from vlag.report.read_model.rows import rows
from vlag.store.database import Connection


class _FirstRow(TypedDict):
    comparison: int
    new: str
    board_type: str
    built_at: datetime | None
    build_s: float | None
    booted_at: datetime | None
    boots: int
    boards: int


class _SearchRow(TypedDict):
    comparison: int
    benchmark: str
    board_type: str
    at: datetime
    kernels: int
    boots: int
    boards: int


class _TogglesRow(TypedDict):
    comparison: int
    benchmark: str
    board_type: str
    began: datetime
    ended: datetime
    boots: int
    settings: int


# Of the kernel that was compared first, on each board type; a head of later nights adds nothing.
_FIRST = """
SELECT c.id AS comparison, c.new, c.board_type, b.started_at AS built_at,
  date_part('epoch', b.finished_at - b.started_at) AS build_s, r.at AS booted_at, r.boots, r.boards
FROM read_model.comparison c
LEFT JOIN LATERAL (
  SELECT x.started_at, x.finished_at FROM read_model.kernel_build x
  WHERE x.kernel = c.new_kernel AND x.finished_at < c.at ORDER BY x.id LIMIT 1
) b ON true
CROSS JOIN LATERAL (
  SELECT min(x.started_at) AS at, count(*) AS boots, count(DISTINCT x.board) AS boards
  FROM read_model.run x
  WHERE x.kernel = c.new_kernel AND x.board_type = c.board_type AND x.plan IS NOT NULL
    AND x.observes IS NULL AND x.finished_at < c.at
) r
WHERE c.id = ANY(%(ids)s) AND NOT c.synthetic
  AND c.new_kernel = (SELECT f.new_kernel FROM read_model.comparison f
    WHERE f.id = ANY(%(ids)s) ORDER BY f.id LIMIT 1)
ORDER BY c.id
"""

# Of kernels between both ends, as those of the ends were booted before there was a search; several
# board types share the builds of one.
_SEARCHES = """
SELECT s.comparison, s.benchmark, s.board_type, x.at, x.kernels, x.boots, x.boards
FROM (
  SELECT DISTINCT ON (b.id) b.*, c.at AS compared_at
  FROM read_model.bisection b JOIN read_model.comparison c ON c.id = b.comparison
  WHERE b.comparison = ANY(%(ids)s) AND b.benchmark = ANY(%(benchmarks)s)
  ORDER BY b.id, b.comparison
) s
CROSS JOIN LATERAL (
  SELECT min(r.started_at) AS at, count(DISTINCT k.id) AS kernels, count(*) AS boots,
    count(DISTINCT r.board) AS boards
  FROM read_model.kernel k JOIN read_model.run r ON r.kernel = k.id
  WHERE k.tree = s.tree AND k.commit NOT IN (s.good, s.bad) AND k.commit IN (
      SELECT e ->> 'commit' FROM jsonb_array_elements(s.document -> 'steps') e)
    AND r.board_type = s.board_type AND r.benchmark = s.benchmark AND r.plan IS NULL
    AND r.observes IS NULL AND r.started_at > s.compared_at AND r.started_at < s.at
) x
WHERE x.at IS NOT NULL ORDER BY s.id
"""

_TOGGLES = """
SELECT c.id AS comparison, r.benchmark, c.board_type, min(r.started_at) AS began,
  max(r.finished_at) AS ended, count(*) AS boots, count(DISTINCT r.knobs) AS settings
FROM read_model.comparison c
JOIN read_model.run r ON r.kernel = c.new_kernel AND r.board_type = c.board_type
WHERE c.id = ANY(%(ids)s) AND r.benchmark = ANY(%(benchmarks)s) AND r.knobs <> c.new_knobs
  AND r.plan IS NULL AND r.observes IS NULL AND r.started_at > c.at
GROUP BY c.id, r.benchmark, c.board_type ORDER BY c.id, r.benchmark
"""


def work(conn: Connection, compared: Sequence[int], benchmarks: Set[str]) -> Iterator[Step]:
    """Yield when the kernel was built and booted first, a search began, and toggles were tried.

    `compared` are comparisons of first boots, `benchmarks` what got worse there.
    """
    built: set[datetime] = set()
    for f in rows(conn, _FirstRow, _FIRST, {"ids": list(compared)}):
        if f["built_at"] is not None and f["built_at"] not in built:
            built.add(f["built_at"])
            yield step(f["built_at"], "build", f"{f['new']}: built in {duration(f['build_s'])}")
        if f["booted_at"] is not None:
            words = f"{f['new']}: the first of {counted(f['boots'], 'boot')} on"
            words += f" {_boards(f['boards'], f['board_type'])}"
            yield step(f["booted_at"], "first boot", words, comparison=f["comparison"])
    values = {"ids": list(compared), "benchmarks": sorted(benchmarks)}
    for s in rows(conn, _SearchRow, _SEARCHES, values):
        words = f"{s['benchmark']}: the first of {counted(s['boots'], 'boot')} of"
        words += f" {counted(s['kernels'], 'kernel')} in between on"
        words += f" {_boards(s['boards'], s['board_type'])}"
        yield step(s["at"], "search", words, comparison=s["comparison"])
    for t in rows(conn, _TogglesRow, _TOGGLES, values):
        took = duration((t["ended"] - t["began"]).total_seconds())
        words = f"{t['benchmark']}: {counted(t['settings'], 'setting')} tried on"
        words += f" {t['board_type']} in {counted(t['boots'], 'boot')} within {took}"
        yield step(t["ended"], "toggles", words, comparison=t["comparison"])


def _boards(number: int, board_type: str) -> str:
    return f"{counted(number, 'board')} of type {board_type}"
