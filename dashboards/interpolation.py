# SPDX-License-Identifier: GPL-2.0-only
"""Expansion of Grafana's variables and macros in SQL.

Tests and measurements can run the statements without Grafana.  In Grafana, the browser expands
variables with the format after the colon; the server expands macros, in UTC.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([a-z]+))?\}")
_MACRO = re.compile(r"\$__(timeFilter|timeFrom|timeTo)\(([^()]*)\)")
_LEFT = re.compile(r"\$[A-Za-z_{]")

Value = str | Sequence[str]


def sqlstring(value: Value) -> str:
    """Return values in single quotes, quotes in them doubled, commas between."""
    values = [value] if isinstance(value, str) else value
    return ",".join("'" + v.replace("'", "''") + "'" for v in values)


def interpolate(
    sql: str,
    values: Mapping[str, Value],
    start: datetime.datetime,
    end: datetime.datetime,
) -> str:
    """Return the statement that PostgreSQL receives.

    `values` are the values of variables, a sequence for a multi-value variable; an empty sequence
    is a variable without choices.  Raises ValueError for unknown syntax, for a variable
    without a value, and for a variable that is used without `sqlstring`.
    """

    def macro(match: re.Match[str]) -> str:
        name, column = match.groups()
        first, last = (
            f"'{t.astimezone(datetime.UTC):%Y-%m-%dT%H:%M:%S.%fZ}'" for t in (start, end)
        )
        if name == "timeFilter":
            return f"{column} BETWEEN {first} AND {last}"
        return first if name == "timeFrom" else last

    # Insert values last: their text must not be expanded as a macro.
    with_macros = _MACRO.sub(macro, sql)
    bare = _VARIABLE.sub("", with_macros)
    left = _LEFT.search(bare)
    if left:
        raise ValueError(f"unknown syntax: {bare[left.start() : left.start() + 40]!r}")
    return with_variables(with_macros, values)


def with_variables(sql: str, values: Mapping[str, Value]) -> str:
    """Return the statement that the browser sends to Grafana's server: the macros are left.

    Raises ValueError for a variable without a value, or one that is used without `sqlstring`.
    """

    def variable(match: re.Match[str]) -> str:
        name, form = match.groups()
        if form != "sqlstring":
            raise ValueError(f"{match[0]}: only sqlstring keeps quotes from ending a string")
        if name not in values:
            raise ValueError(f"{match[0]}: no such variable; known: {', '.join(values)}")
        return sqlstring(values[name])

    return _VARIABLE.sub(variable, sql)


def choices(
    document: Mapping[str, Any],
    ask: Callable[[str], Iterable[Sequence[Any]]],
    start: datetime.datetime,
    end: datetime.datetime,
    given: Mapping[str, Value] | None = None,
) -> dict[str, Value]:
    """Return the values of a dashboard's variables when it is opened.

    `ask` runs a statement and returns its rows, with `__value` in the last column.
    `given` are values from the URL.  Other variables get their first value, all values if "All"
    is offered, or no value if there are no choices.
    """
    values: dict[str, Value] = {}
    for variable in document["templating"]["list"]:
        name = variable["name"]
        if name in (given or {}):
            values[name] = (given or {})[name]
        elif variable["type"] == "query":
            sql = interpolate(variable["query"], values, start, end)
            found = [str(row[-1]) for row in ask(sql)]
            values[name] = found if variable.get("includeAll") else found[:1]
        elif variable["type"] == "custom":
            offered = [o["value"] for o in variable["options"] if o["value"] != "$__all"]
            chosen = variable["current"]["value"]
            values[name] = offered if chosen == ["$__all"] else chosen
        else:
            values[name] = variable["query"]
    return values
