"""Are the boards themselves, and what did they do?"""

# ruff: noqa: S608 - Grafana puts the values of its variables in, quoted by `sqlstring`

from __future__ import annotations

from typing import Any

from grafana_foundation_sdk.models import dashboard as model

from dashboards import names
from dashboards.layout import Note, Row, build
from dashboards.links import page, to_run
from dashboards.parts import Column, Words, bars_over_time, lines, one, rows
from dashboards.postgresql import Format, Query, among
from dashboards.variables import choices
from vlag.report.colours import UNCHANGED, WORSE

_NO_BOARD = "no board is on record yet: a first run brings it"
_NO_CHECK = (
    "no control run in this time range: `[checks] hours` in vlag.toml says when boards are checked;"
    " `vlag board check` does it now"
)
_NO_RUN = "no runs in this time range: widen it, or start a night with `make run`"

_BOARD = among("b.name", "board")

#: Boots of each board that are looked at: each says hundreds of things about itself.
_LAST = 50


def dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    return build(
        uid=names.BOARDS,
        title="Board health",
        description="Noise floor, control runs, failures and time used, board by board",
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
                name="Control runs that were refused",
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
                description="Boards in maintenance: a control run left the band, or a person took"
                " them out.",
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
                description="Boots that ended in the time range, whatever came of them.",
                empty=_NO_RUN,
            ),
            f"""
SELECT count(*) AS runs FROM read_model.run r
WHERE $__timeFilter(r.finished_at) AND NOT r.synthetic AND {among("r.board", "board")}
""",
        ),
        one(
            Words(
                title="Not complete",
                description="Boots that ended without a result: panics and hangs of the kernel,"
                " and faults of power, network or lab.",
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
                title="Left out of comparisons",
                description="Runs whose board was in doubt, or that are suspect in themselves; the"
                " table below says why.",
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
            description="State and newest control run of each.  A deterministic board has no"
            " band: its control runs must agree to the last digit.  Who waits for a board is on"
            " its page.",
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
        Column(name="board", link=page("Boards", "boards")),
        Column(name="it says", width=420),
        Column(name="limits", width=420),
    )


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
    panel = lines(words, *queries)
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
            title="Level of the control runs, with each board's own band",
            description="Median of the noise-floor benchmark on the baseline kernel; outside of the"
            " dashed band the board is no longer itself.  Deterministic boards have no level.",
            empty=_NO_CHECK,
        ),
        "level",
        ("level_low", "lowest good"),
        ("level_high", "highest good"),
    )


def _noise() -> Any:
    return _banded(
        Words(
            title="Noise of the control runs: P99 by the median",
            description="The noise floor: what a board adds by itself.  Above the dashed line the"
            " board is no longer itself.  Deterministic boards have no noise.",
            empty=_NO_CHECK,
        ),
        "noise",
        ("noise_high", "highest good"),
    )


def _checks() -> Any:
    return rows(
        Words(
            title="Control runs, newest first",
            description="What each said of its board, and whether it may become part of its band.",
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
        Column(name="it says", width=520),
        Column(name="run", link=to_run()),
    )


def _time_used() -> Any:
    return bars_over_time(
        Words(
            title="Time used, day by day",
            description="Host time of the boots that ended on a day, board by board; a day is"
            " 86,400 s, with more than one job at a time it can be more.",
            empty=_NO_RUN,
        ),
        f"""
SELECT date_bin('1 day', r.finished_at, 'epoch') AS time, r.board AS metric, sum(r.took_s) AS value
FROM read_model.run r
WHERE $__timeFilter(r.finished_at) AND NOT r.synthetic AND {among("r.board", "board")}
GROUP BY 1, 2 ORDER BY 1, 2
""",
        unit="s",
    )


def _failures() -> Any:
    return bars_over_time(
        Words(
            title="Boots that were not complete, day by day",
            description="By outcome: panic, hang and the like are the kernel's and are results;"
            " an infrastructure fault is the lab's, and its boot is done again.",
            empty="every boot in this time range was complete; or there was none",
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
            title="Runs that do not count, and why",
            description="Their board was in doubt, or the run contradicts itself.  They stay on"
            " record.",
            empty="every run in this time range counts; or there was none",
        ),
        f"""
SELECT r.finished_at AS finished, r.board, r.benchmark, r.run, r.why
FROM read_model.left_out r
WHERE $__timeFilter(r.finished_at) AND NOT r.synthetic AND {among("r.board", "board")}
ORDER BY r.finished_at DESC, r.run DESC LIMIT 500
""",
        Column(name="run", link=to_run()),
        Column(name="why", width=420),
    )
    return panel


def _estimates() -> Any:
    panel = lines(
        Words(
            title="Boots against what was expected",
            description="Time of a boot by its estimate; what is above 1 makes nights longer than"
            " the forecast says.",
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
            description="What the last boots of each board said of heat and clock, before they"
            f" measured; of {_LAST} boots at most.  A boot that was throttled while it measured is"
            " the lab's failure: it is done again and is no run, its build in Buildbot says so.",
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
        Column(name="board", link=page("Boards", "boards")),
        Column(name="hottest", unit="celsius", decimals=0),
        Column(name="slowest clock", unit="hertz", decimals=2),
        Column(name="fastest clock", unit="hertz", decimals=2),
    )


def _queue() -> Any:
    return rows(
        Words(
            title="Queue: how full the boards were",
            description="Share of the time range in which a board was at work, its longest pause"
            " between two boots, and when it ended its last; a board without pauses has a queue."
            "  Who waits now, and when it is due, is on the page that each board leads to.",
            empty=_NO_BOARD,
        ),
        f"""
SELECT b.name AS board, b.state, g.boots,
  g.took_s / extract(epoch FROM $__timeTo()::timestamptz - $__timeFrom()::timestamptz)
    AS "at work", g.pause_s AS "longest pause", g.last_at AS "last boot"
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
WHERE {_BOARD}
ORDER BY "at work" DESC NULLS LAST, b.board_type, b.name
""",
        Column(name="board", link=page("Who waits", "queue")),
        Column(name="at work", unit="percentunit", decimals=0),
        Column(name="longest pause", unit="s", decimals=0),
    )
