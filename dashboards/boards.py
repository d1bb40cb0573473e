# SPDX-License-Identifier: GPL-2.0-only
"""Board checks, failures and utilization of the boards."""

# ruff: noqa: S608 - Grafana inserts the values of its variables, quoted by `sqlstring`

from __future__ import annotations

from typing import Any

from grafana_foundation_sdk.models import dashboard as model

from dashboards import names
from dashboards.layout import Note, Row, build
from dashboards.links import page, to_run
from dashboards.parts import Column, Words, bars_over_time, lines, moment, one, rows
from dashboards.postgresql import Format, Query, among
from dashboards.variables import choices
from vlag.report.colours import UNCHANGED, WORSE

_NO_BOARD = "no boards are recorded yet: a board is recorded with its first run"
_NO_CHECK = (
    "no board check in this time range: widen the range, or press `Check all boards now` in"
    " Buildbot; `[checks] hours` in vlag.toml names the hours of the checks"
)
_NO_RUN = "no runs in this time range: widen the range, or start a night with `make run`"

_BOARD = among("b.name", "board")
_BOARD_TYPE = Column(name="board_type", header="board type", width=120)

#: Newest boots per board to read: each has hundreds of environment records.
_LAST = 50


def dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    return build(
        uid=names.BOARDS,
        title="Board checks",
        description="Noise floor, board checks, failures and time used per board",
        start="now-30d",
        variables=[
            choices(
                "type",
                "Board type",
                "SELECT DISTINCT b.board_type FROM read_model.board b ORDER BY 1",
            ),
            choices(
                "board",
                "Board",
                f"""
SELECT b.name FROM read_model.board b WHERE {among("b.board_type", "type")} ORDER BY b.name
""",
            ),
        ],
        content=[
            Row(height=4, panels=[(6, p) for p in _numbers()]),
            Row(height=9, panels=[(24, _boards())]),
            Row(height=10, panels=[(12, _level()), (12, _noise())]),
            Row(height=9, panels=[(24, _checks())]),
            Row(height=9, panels=[(12, _time_used()), (12, _failures())]),
            Row(height=9, panels=[(12, _left_out()), (12, _estimates())]),
            Row(height=9, panels=[(12, _throttling()), (12, _queue())]),
        ],
        notes=[
            Note(
                name="Rejected board checks",
                colour=WORSE,
                sql=f"""
SELECT c.at AS time, c.board || ': ' || c.sentence AS text, c.finding AS tags
FROM read_model.board_check c
WHERE NOT c.accepted AND $__timeFilter(c.at) AND {among("c.board", "board")}
ORDER BY c.at
""",
            )
        ],
    )


def _numbers() -> list[Any]:
    return [
        one(
            Words(
                title="Out of service",
                question="Is every board at work?",
                sentence="One board is out of service.",
                description="Boards in maintenance: a board check was outside the band, or somebody"
                " took the board out of service.",
                empty=_NO_BOARD,
            ),
            f"SELECT count(*) AS boards FROM read_model.board b WHERE b.state <>"
            f" 'good' AND {_BOARD}",
            alarm=True,
            link=page("Boards", "boards"),
        ),
        one(
            Words(
                title="Runs",
                question="How many boots were there?",
                sentence="The boards did 812 boots in this month.",
                description="Boots that ended in the time range, with any outcome.",
                empty=_NO_RUN,
            ),
            f"""
SELECT count(*) AS runs FROM read_model.run r
WHERE $__timeFilter(r.finished_at) AND NOT r.synthetic AND {among("r.board", "board")}
""",
        ),
        one(
            Words(
                title="Incomplete runs",
                question="How many boots gave no result?",
                sentence="Four boots gave no result.",
                description="Boots without a complete result: kernel panics and hangs, and power,"
                " network or lab faults.",
                empty=_NO_RUN,
            ),
            f"""
SELECT count(*) AS runs FROM read_model.run r
WHERE r.outcome <> 'complete' AND $__timeFilter(r.finished_at) AND NOT r.synthetic
  AND {among("r.board", "board")}
""",
            alarm=True,
        ),
        one(
            Words(
                title="Excluded from comparisons",
                question="How many boots do not count?",
                sentence="Twelve boots do not count.",
                description="Runs on a suspect board, and runs with inconsistent data.  The table"
                " below gives the reason.",
                empty=_NO_RUN,
            ),
            f"""
SELECT count(DISTINCT r.run) AS runs FROM read_model.left_out r
WHERE $__timeFilter(r.finished_at) AND NOT r.synthetic AND {among("r.board", "board")}
""",
            alarm=True,
        ),
    ]


def _boards() -> Any:
    return rows(
        Words(
            title="Boards",
            question="Which board is in which state, and why?",
            sentence="rpi5-2 is in maintenance because its level left the band.",
            description="State and newest check of each board.  A deterministic board has no"
            " band: its checks must give identical values.  The board's page shows its queue.",
            empty=_NO_BOARD,
        ),
        f"""
SELECT b.name AS board, b.board_type, b.state, b.since, b.reason, b.by,
  b.last_finding AS "last finding", b.last_sentence AS "it says", b.last_checked AS checked,
  b.arch, b.cpus, b.deterministic, b.limits
FROM read_model.board b
WHERE {_BOARD}
ORDER BY b.state = 'good', b.board_type, b.name
""",
        Column(name="board", width=140, link=page("Boards", "boards")),
        _BOARD_TYPE,
        Column(name="state", width=110, words={"maintenance": WORSE}),
        moment("since"),
        Column(name="reason", width=260),
        Column(name="by", width=100),
        Column(name="last finding", width=120),
        Column(name="it says", width=350),
        moment("checked"),
        Column(name="arch", header="architecture", width=100),
        Column(name="cpus", header="CPUs", width=60),
        Column(name="deterministic", width=110),
        Column(name="limits", width=420),
    )


#: Checks of one board as far apart are joined by a line.
_TOGETHER_MS = 8 * 24 * 3600 * 1000


def _over_time(column: str, name: str) -> str:
    return f"""
SELECT c.at AS time, c.board || '{name}' AS metric, c.{column} AS value
FROM read_model.board_check c
WHERE c.{column} IS NOT NULL AND $__timeFilter(c.at) AND {among("c.board", "board")}
ORDER BY c.at, c.board
"""


def _banded(words: Words, value: str, *edges: tuple[str, str]) -> Any:
    queries = [Query(sql=_over_time(value, ""), format=Format.TIME_SERIES, ref="A")]
    queries += [
        Query(sql=_over_time(column, f", {name}"), format=Format.TIME_SERIES, ref=ref)
        for ref, (column, name) in zip("BC", edges, strict=False)
    ]
    # Boards are checked one after the other: at the time of one the others have no value.
    panel = lines(words, *queries).span_nulls(_TOGETHER_MS)
    for _, name in edges:
        panel = panel.override_by_regexp(
            f"/, {name}$/",
            [
                model.DynamicConfigValue("custom.lineStyle", {"fill": "dash", "dash": [6, 6]}),
                model.DynamicConfigValue("custom.showPoints", "never"),
                model.DynamicConfigValue("color", {"mode": "fixed", "fixedColor": UNCHANGED}),
            ],
        )
    return panel


def _level() -> Any:
    return _banded(
        Words(
            title="Level of the board checks, with the band of each board",
            question="Did a board get faster or slower by itself?",
            sentence="rpi5-2 fell below its band on Monday.",
            description="Median of the noise-floor benchmark on the baseline kernel.  A value"
            " outside the dashed band fails the check.  Deterministic boards have no level.",
            empty=_NO_CHECK,
        ),
        "level",
        ("level_low", "lowest good"),
        ("level_high", "highest good"),
    )


def _noise() -> Any:
    return _banded(
        Words(
            title="Noise of the board checks: P99 / median",
            question="Did a board become noisy?",
            sentence="All boards are below their dashed lines.",
            description="The board's own noise floor.  A value above the dashed line fails the"
            " check.  Deterministic boards have no noise.",
            empty=_NO_CHECK,
        ),
        "noise",
        ("noise_high", "highest good"),
    )


def _checks() -> Any:
    return rows(
        Words(
            title="Board checks, newest first",
            question="What did the last check of each board find?",
            sentence="The last checks of all boards were good.",
            description="Finding of each check, and whether it may become part of the band.",
            empty=_NO_CHECK,
        ),
        f"""
SELECT c.at, c.board, c.board_type, c.finding, c.accepted, c.level, c.noise,
  c.sentence AS "it says", c.run
FROM read_model.board_check c
WHERE $__timeFilter(c.at) AND {among("c.board", "board")}
ORDER BY c.at DESC, c.id DESC
LIMIT 500
""",
        moment("at", header="checked"),
        Column(name="board", width=140),
        _BOARD_TYPE,
        Column(name="finding", width=140),
        Column(name="accepted", width=90),
        Column(name="level", width=100),
        Column(name="noise", width=90),
        Column(name="it says", width=580),
        Column(name="run", width=80, link=to_run()),
    )


def _time_used() -> Any:
    return bars_over_time(
        Words(
            title="Time used per day",
            question="How busy is each board?",
            sentence="rpi5-1 works 20 hours a day, and the others half of that.",
            description="Host time of the boots that ended on a day, per board.  Parallel jobs can"
            " add up to more than 24 hours.",
            empty=_NO_RUN,
        ),
        f"""
SELECT date_bin('1 day', r.finished_at, 'epoch') AS time, r.board AS metric,
  sum(r.took_s) / 3600 AS value
FROM read_model.run r
WHERE $__timeFilter(r.finished_at) AND NOT r.synthetic AND {among("r.board", "board")}
GROUP BY 1, 2 ORDER BY 1, 2
""",
        unit="suffix:h",
    )


def _failures() -> Any:
    return bars_over_time(
        Words(
            title="Incomplete boots per day",
            question="On which day and board did boots fail?",
            sentence="rpi5-2 lost six boots on Monday to the network.",
            description="Boots by outcome.  A kernel failure (panic, hang) is a result.  A boot"
            " with an infrastructure fault is repeated.",
            empty="no incomplete boots in this time range",
        ),
        f"""
SELECT date_bin('1 day', r.finished_at, 'epoch') AS time, r.board || ' ' || r.outcome AS metric,
  count(*)::double precision AS value
FROM read_model.run r
WHERE r.outcome <> 'complete' AND $__timeFilter(r.finished_at) AND NOT r.synthetic
  AND {among("r.board", "board")}
GROUP BY 1, 2 ORDER BY 1, 2
""",
        unit="short",
    )


def _left_out() -> Any:
    panel = rows(
        Words(
            title="Excluded runs, with reasons",
            question="Why does a boot not count?",
            sentence="All excluded boots lie between the two checks of rpi5-2.",
            description="Runs on a suspect board, and runs with inconsistent data.  They stay in"
            " the database.",
            empty="no excluded runs in this time range",
        ),
        f"""
SELECT r.finished_at AS finished, r.board, r.run, r.why, r.benchmark
FROM read_model.left_out r
WHERE $__timeFilter(r.finished_at) AND NOT r.synthetic AND {among("r.board", "board")}
ORDER BY r.finished_at DESC, r.run DESC LIMIT 500
""",
        moment("finished"),
        Column(name="board", width=120),
        Column(name="run", width=70, link=to_run()),
        Column(name="why", width=390),
        Column(name="benchmark", width=160),
    )
    return panel


def _estimates() -> Any:
    panel = lines(
        Words(
            title="Boot time / estimate",
            question="Do boots take longer than the forecast says?",
            sentence="Boots of rpi5-1 take 1.5 times their estimate.",
            description="Duration of each boot relative to its estimate.  Values above 100 % make"
            " nights longer than the forecast.",
            empty=_NO_RUN,
        ),
        Query(
            sql=f"""
SELECT r.finished_at AS time, r.board AS metric, r.took_s / r.estimate_s AS value
FROM read_model.run r
WHERE r.estimate_s > 0 AND $__timeFilter(r.finished_at) AND NOT r.synthetic
  AND {among("r.board", "board")}
ORDER BY r.finished_at LIMIT 20000
""",
            format=Format.TIME_SERIES,
        ),
        unit="percentunit",
    )
    return panel.override_by_regexp(
        "/.*/", [model.DynamicConfigValue("custom.drawStyle", "points")]
    )


def _throttling() -> Any:
    return rows(
        Words(
            title="Throttling",
            question="Was a board too hot or its clock too low?",
            sentence="rpi5-2 reached 83 degrees, and its firmware reported throttling.",
            description="Temperatures and clock rates before the measurement, from the newest"
            f" {_LAST} boots of each board at most.  A boot that was throttled during the"
            " measurement is an infrastructure fault: it is repeated and is not recorded as a run.",
            empty=_NO_BOARD,
        ),
        f"""
SELECT b.name AS board, count(DISTINCT e.run) AS boots, max(e.hot) / 1000.0 AS "hottest",
  min(e.clock) * 1000.0 AS "slowest clock", max(e.clock) * 1000.0 AS "fastest clock",
  string_agg(DISTINCT e.said, '; ') AS "firmware says"
FROM read_model.board b
LEFT JOIN LATERAL (
  SELECT x.run,
    CASE WHEN x.name LIKE '%/temp' THEN substring(x.value from '^[0-9]{{1,9}}$')::bigint END AS hot,
    CASE WHEN x.name LIKE '%/scaling_cur_freq'
      THEN substring(x.value from '^[0-9]{{1,9}}$')::bigint END AS clock,
    CASE WHEN x.name = 'throttled' AND x.value NOT LIKE 'unreadable%' THEN x.value END AS said
  FROM (
    SELECT r.id FROM read_model.run r
    WHERE r.board = b.name AND $__timeFilter(r.finished_at) AND NOT r.synthetic
    ORDER BY r.finished_at DESC LIMIT {_LAST}
  ) n
  JOIN read_model.run_environment x ON x.run = n.id
) e ON true
WHERE {_BOARD}
GROUP BY b.name, b.board_type
ORDER BY max(e.hot) DESC NULLS LAST, b.board_type, b.name
""",
        Column(name="board", width=130, link=page("Boards", "boards")),
        Column(name="boots", width=70),
        Column(name="firmware says", width=200),
        Column(name="hottest", unit="celsius", decimals=0, width=80),
        Column(name="slowest clock", unit="hertz", decimals=2, width=120),
        Column(name="fastest clock", unit="hertz", decimals=2, width=120),
    )


def _queue() -> Any:
    return rows(
        Words(
            title="Board utilization",
            question="Which board has a queue, and which is idle?",
            sentence="rpi5-1 is at work 95 % of the time, and rpi5-2 paused for a day.",
            description="Share of the time in which a board was busy, its longest pause between"
            " two boots, and the end of its last boot.  The time is the part of the time range"
            " since the board's first boot on record, and not after now.  A board without pauses"
            " has a queue.  Click a board for its current queue.",
            empty=_NO_BOARD,
        ),
        f"""
SELECT b.name AS board, b.state, g.boots,
  g.took_s / extract(epoch FROM least($__timeTo()::timestamptz, greatest(now(), g.last_at))
    - greatest($__timeFrom()::timestamptz, f.started_at)) AS "at work",
  g.pause_s AS "longest pause", g.last_at AS "last boot"
FROM read_model.board b
CROSS JOIN LATERAL (
  SELECT count(*) AS boots, sum(p.took_s) AS took_s, max(p.pause_s) AS pause_s,
    max(p.finished_at) AS last_at
  FROM (
    -- Until the first start of all that ended later: the order in which an index has them.
    SELECT r.took_s, r.finished_at, date_part('epoch', min(r.started_at) OVER (
      ORDER BY r.finished_at DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) - r.finished_at) AS pause_s
    FROM read_model.run r
    WHERE r.board = b.name AND $__timeFilter(r.finished_at) AND NOT r.synthetic
  ) p
) g
LEFT JOIN LATERAL (
  SELECT r.started_at FROM read_model.run r WHERE r.board = b.name AND NOT r.synthetic
  ORDER BY r.finished_at LIMIT 1
) f ON true
WHERE {_BOARD}
ORDER BY "at work" DESC NULLS LAST, b.board_type, b.name
""",
        Column(name="board", width=140, link=page("Queue", "queue")),
        Column(name="state", width=110),
        Column(name="boots", width=80),
        moment("last boot"),
        Column(name="at work", unit="percentunit", decimals=0, width=90),
        Column(name="longest pause", unit="s", decimals=0, width=130),
    )
