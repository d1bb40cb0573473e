# SPDX-License-Identifier: GPL-2.0-only
"""All data of one run."""

# ruff: noqa: S608 - Grafana inserts the values of its variables, quoted by `sqlstring`

from __future__ import annotations

from typing import Any

from dashboards import names
from dashboards.layout import Row, build
from dashboards.links import Link, page, to_compare
from dashboards.parts import Column, Words, hidden, moment, one, percent, rows
from dashboards.postgresql import number, text
from dashboards.variables import choice

_EMPTY = "no such run: select another, or start one with `make run`"
_RUN = number("run")
_OTHER = number("baseline")
#: Address of a file of the run, without the file's name.
_RAW = f"{text(names.WEB)} || 'raw?run=' || r.id || '&file='"
#: Characters of a file in a cell; the page of the run shows the whole file.
_CELL = 400


def dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    return build(
        uid=names.RUN,
        title="Run",
        description="One boot of one kernel on one board, and how to reproduce it",
        start="now-180d",
        variables=[
            choice(
                "run",
                "Run",
                """
SELECT concat_ws(' ', r.id, r.benchmark, 'on', r.board, 'seed', r.seed,
  'observing ' || r.observes) AS __text,
  r.id::text AS __value
FROM read_model.run r
ORDER BY r.id DESC LIMIT 500
""",
                description="the newest 500; a link can select any run",
            ),
            choice(
                "baseline",
                "Against run",
                f"""
WITH this AS MATERIALIZED (
  SELECT r.id, r.kernel, r.board_type, r.benchmark, r.parameters, r.seed, r.observes, r.synthetic
  FROM read_model.run r WHERE r.id = {_RUN}
),
-- Kernels, board type and benchmark as values, so that only their runs are read.
others AS MATERIALIZED (
  SELECT o.id, o.kernel, o.seed, o.kernel = t.kernel AS own,
    o.seed IS DISTINCT FROM t.seed AS another_seed
  FROM this t JOIN read_model.run o ON o.parameters = t.parameters AND o.synthetic = t.synthetic
    AND o.id <> t.id AND o.observes IS NOT DISTINCT FROM t.observes
  WHERE o.board_type = (SELECT t.board_type FROM this t)
    AND o.benchmark = (SELECT t.benchmark FROM this t)
    AND o.kernel = ANY (ARRAY(
      SELECT t.kernel FROM this t
      UNION
      SELECT c.base_kernel FROM this t JOIN read_model.comparison c ON c.new_kernel = t.kernel
        AND c.board_type = t.board_type))
  ORDER BY own, another_seed, o.id DESC LIMIT 100
)
SELECT concat_ws(' ', o.id, k.name, 'seed', o.seed) AS __text, o.id::text AS __value
FROM others o JOIN read_model.kernel k ON k.id = o.kernel
ORDER BY o.own, o.another_seed, o.id DESC
""",
                description="runs of kernels that were compared with this run's kernel, the same"
                " seed first",
            ),
        ],
        content=[
            Row(height=4, panels=[(6, _outcome()), (6, _alarms()), (6, _took()), (6, _counts())]),
            Row(height=15, panels=[(12, _facts()), (12, _files())]),
            Row(height=10, panels=[(12, _values()), (12, _health())]),
            Row(height=12, panels=[(24, _differences())]),
            Row(height=10, panels=[(24, _used())]),
        ],
    )


def _outcome() -> Any:
    return one(
        Words(
            title="Outcome",
            question="Did this boot give a result?",
            sentence="The boot is complete.",
            description="complete, or the kind of kernel failure, which is also a result.",
            empty=_EMPTY,
        ),
        f"SELECT r.outcome FROM read_model.run r WHERE r.id = {_RUN}",
        link=page("The run's page", "run?id=${run}"),
    )


def _alarms() -> Any:
    return one(
        Words(
            title="Kernel alarms",
            question="Did the kernel complain?",
            sentence="The console has two kernel alarms.",
            description="Number of kernel alarms on the console: WARN, BUG, lockdep, stall, taint.",
            empty=_EMPTY,
        ),
        f"SELECT r.alarms FROM read_model.run r WHERE r.id = {_RUN}",
        alarm=True,
    )


def _took() -> Any:
    return one(
        Words(
            title="Duration",
            question="How long did the boot take?",
            sentence="It took 14 seconds.",
            description="Host time from the start of the job to its end.",
            empty=_EMPTY,
        ),
        f"SELECT r.took_s AS took FROM read_model.run r WHERE r.id = {_RUN}",
        unit="s",
    )


def _counts() -> Any:
    return one(
        Words(
            title="Used in comparisons",
            question="Does this boot count?",
            sentence="It counts.",
            description="yes, or the reason why comparisons exclude this run.",
            empty=_EMPTY,
        ),
        f"SELECT coalesce('no, it observes ' || r.observes, r.left_out, 'yes') AS counts"
        f" FROM read_model.run r WHERE r.id = {_RUN}",
    )


def _facts() -> Any:
    return rows(
        Words(
            title="Run ${run}",
            question="What exactly ran, and how can I repeat it?",
            sentence="It is 6.12.117 with seed 3 on qemu-sim-2-1, and the command is there.",
            description="Kernel, board, benchmark and environment.  `reproduce` is the command that"
            " repeats the run; `limits` lists what this board cannot measure.",
            empty=_EMPTY,
        ),
        f"""
SELECT f.name AS fact, f.value
FROM read_model.run r JOIN read_model.kernel k ON k.id = r.kernel
CROSS JOIN LATERAL (VALUES
  ('kernel', k.name),
  ('branch', (SELECT string_agg(f.branch_name, ', ' ORDER BY f.number)
              FROM read_model.kernel_branch f WHERE f.kernel = k.id)),
  ('first asked for as', k.ref),
  ('commit', k.commit),
  ('subject', k.subject),
  ('board', r.board || ' of type ' || r.board_type),
  ('limits', r.limits),
  ('benchmark', concat_ws(' ', r.benchmark, r.parameters)),
  ('tool version', r.tool_version),
  ('plan', r.plan),
  ('seed', r.seed::text),
  ('knobs', r.knobs),
  ('outcome', concat_ws(': ', r.outcome, r.reason)),
  ('emulator', concat_ws(' ', r.emulator, r.emulator_version)),
  ('started', to_char(r.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC'),
  ('finished', to_char(r.finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC'),
  ('image', r.image_sha256),
  ('configuration', r.config_sha256),
  ('bundle', r.location),
  ('reproduce', r.reproduce),
  ('synthetic', CASE WHEN r.synthetic THEN 'yes: drawn around the figures of a report' END)
) AS f(name, value)
WHERE r.id = {_RUN} AND f.value <> ''
""",
        Column(name="fact", width=150),
        Column(name="value", width=570),
    )


def _files() -> Any:
    return rows(
        Words(
            title="Raw files, job and build",
            question="Where is the raw output?",
            sentence="Raw output and console are one click away.",
            description="Sources of all numbers of this run.  A LAVA job has its own page on the"
            " LAVA server.",
            empty=_EMPTY,
        ),
        f"""
SELECT f.what, f.path, f.url
FROM read_model.run r
CROSS JOIN LATERAL (VALUES
  ('raw output', r.output, {_RAW} || r.output),
  ('console', 'console.log', {_RAW} || 'console.log'),
  ('job definition', 'job.yaml', {_RAW} || 'job.yaml'),
  ('the run as data', 'run.json', {_RAW} || 'run.json'),
  ('LAVA job', r.lab || ' ' || r.job, {text(names.LAVA)} || 'scheduler/job/' || r.job)
) AS f(what, path, url)
WHERE r.id = {_RUN} AND f.path IS NOT NULL
""",
        Column(name="path", link=Link(title="The file or job", url="${__data.fields.url}")),
        Column(name="what", width=130),
        *hidden("url"),
    )


def _values() -> Any:
    return rows(
        Words(
            title="Values of this run and of run ${baseline}",
            question="How far are the numbers of this boot from those of the other one?",
            sentence="The rate is 2 % below that of the other boot.",
            description="One value per statistic and boot.  Two boots prove nothing: see the"
            " dashboard Compare for verdicts.",
            empty="no values: the run failed before the measurement",
        ),
        f"""
SELECT s.name AS metric, v.statistic, v.value, o.value AS "other run", s.unit,
  v.value / nullif(o.value, 0) - 1 AS change,
  CASE s.direction WHEN 'lower' THEN 1 ELSE -1 END * (v.value / nullif(o.value, 0) - 1)
    AS worsening,
  s.parameters, s.direction || ' is better' AS good
FROM read_model.run_value v JOIN read_model.series s ON s.id = v.series
LEFT JOIN read_model.run_value o ON o.run = {_OTHER} AND o.series = v.series
  AND o.statistic = v.statistic
WHERE v.run = {_RUN}
ORDER BY s.name, s.parameters, v.statistic
""",
        Column(name="metric", width=210),
        Column(name="parameters", width=240),
        Column(name="statistic", width=85),
        Column(name="value", width=90),
        Column(name="other run", width=90),
        percent("change", width=80),
        percent("worsening", width=95, sign=True),
        Column(name="unit", width=70),
        Column(name="good", header="direction", width=130),
    )


def _health() -> Any:
    return rows(
        Words(
            title="Kernel alarms on the console",
            question="What did the kernel complain about?",
            sentence="A lockdep report in the setup phase, at line 412.",
            description="Warnings, oopses, lockdep reports, stalls and taints, with the line in"
            " console.log.",
            empty="no kernel alarms",
        ),
        f"""
SELECT h.line, h.phase, h.kind, h.text
FROM read_model.run_health h WHERE h.run = {_RUN}
ORDER BY h.number
""",
        Column(name="line", width=70),
        Column(name="phase", width=100),
        Column(name="kind", width=100),
        Column(name="text", width=450, link=page("The console", "raw?run=${run}&file=console.log")),
    )


def _differences() -> Any:
    return rows(
        Words(
            title="Environment: differences from run ${baseline}",
            question="What differed around the two boots?",
            sentence="Only /proc/version and the counters differ.",
            description="Environment files and sections that differ between the two runs; the"
            f" first {_CELL} characters.  Times and counters always differ.",
            empty="no differences, or no run to compare with",
        ),
        f"""
SELECT coalesce(n.name, o.name) AS what, left(o.value, {_CELL}) AS "other run",
  left(n.value, {_CELL}) AS "this run"
FROM (SELECT e.name, e.value FROM read_model.run_environment e WHERE e.run = {_RUN}) n
FULL JOIN (SELECT e.name, e.value FROM read_model.run_environment e WHERE e.run = {_OTHER}) o
  ON o.name = n.name
WHERE n.value IS DISTINCT FROM o.value AND {_OTHER} IS NOT NULL
ORDER BY 1
""",
        Column(name="what", width=345),
        Column(name="other run", width=570),
        Column(name="this run", width=570),
    )


def _used() -> Any:
    return rows(
        Words(
            title="Comparisons of this kernel",
            question="What did comparisons of this kernel find?",
            sentence="The newest comparison of this kernel is a regression.",
            description="Newest first, on the board type of this run.",
            empty="no comparisons of this kernel on this board type",
        ),
        f"""
WITH newest AS MATERIALIZED (
  SELECT c.id FROM read_model.run r JOIN read_model.comparison c ON c.board_type = r.board_type
    AND (c.new_kernel = r.kernel OR c.base_kernel = r.kernel)
  WHERE r.id = {_RUN} ORDER BY c.id DESC LIMIT 50
)
SELECT s.verdict, s.base, s.new, s.at, s.id AS comparison, s.base_kernel, s.new_kernel,
  s.board_type
FROM newest JOIN read_model.comparison_summary s USING (id)
ORDER BY s.id DESC
""",
        Column(name="verdict", verdict=True, width=150, link=to_compare()),
        Column(name="base", width=200),
        Column(name="new", width=260, link=to_compare()),
        moment("at", header="compared"),
        *hidden("base_kernel", "new_kernel", "board_type"),
    )
