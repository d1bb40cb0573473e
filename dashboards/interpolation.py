"""Grafana's variables and macros in SQL, put in as Grafana does it.

For tests and measurements: Grafana itself is not needed to run what it would send.  Variables
are put in by the browser with the format that stands behind the colon; macros by the server,
in UTC.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([a-z]+))?\}")
_MACRO = re.compile(r"\$__(timeFilter|timeFrom|timeTo)\(([^()]*)\)")
_ISO = "%Y-%m-%dT%H:%M:%S.%fZ"
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
    """Return a statement as PostgreSQL gets it.

    `values` are those of variables, a sequence for one of several; an empty sequence is a
    variable that has nothing to choose from.  Raises ValueError for what this does not know,
    for a variable without a value, and for one that is put in without `sqlstring`.
    """

    def variable(match: re.Match[str]) -> str:
        name, form = match.groups()
        if form != "sqlstring":
            raise ValueError(f"{match[0]}: only sqlstring keeps quotes from ending a string")
        if name not in values:
            raise ValueError(f"{match[0]}: no such variable; there are: {', '.join(values)}")
        return sqlstring(values[name])

    def macro(match: re.Match[str]) -> str:
        name, column = match.groups()
        first, last = (
            f"'{t.astimezone(datetime.UTC):%Y-%m-%dT%H:%M:%S.%fZ}'" for t in (start, end)
        )
        if name == "timeFilter":
            return f"{column} BETWEEN {first} AND {last}"
        return first if name == "timeFrom" else last

    # The values last, or what they hold would be read as a macro.
    with_macros = _MACRO.sub(macro, sql)
    bare = _VARIABLE.sub("", with_macros)
    left = _LEFT.search(bare)
    if left:
        raise ValueError(f"not known: {bare[left.start() : left.start() + 40]!r}")
    return _VARIABLE.sub(variable, with_macros)


def choices(
    document: Mapping[str, Any],
    ask: Callable[[str], Iterable[Sequence[Any]]],
    start: datetime.datetime,
    end: datetime.datetime,
    given: Mapping[str, Value] | None = None,
) -> dict[str, Value]:
    """Return the values of a dashboard's variables when somebody opens it.

    `ask` runs a statement and returns its rows: `__value` stands in the last column of each.
    `given` are values from the URL; of others the first is chosen, or all where all are
    offered, and nothing where there is nothing to choose from.
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
