# SPDX-License-Identifier: GPL-2.0-only
"""Whether a running Grafana answers each statement of the dashboards with PostgreSQL's own rows.

`python -m bench.grafana_answers http://127.0.0.1:3000 DSN` asks Grafana, which has the provisioned
data source, for every variable, annotation, panel and alert rule as its pages do.  The DSN leads
to the same database.  A statement with another answer is named, and the exit code is then 1.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import sys
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import psycopg
from attrs import frozen

from dashboards import names
from dashboards.interpolation import Value, choices, interpolate, with_variables
from dashboards.postgresql import Format
from dashboards.statements import Statement, documents, of_dashboard, rules
from vlag.store import database
from vlag.store.views import READER

#: Of one statement, in seconds.
_PATIENCE_S = 120
#: Share of an age that may pass between the two answers of a statement that asks for now().
_MEANWHILE = 1e-3

Row = tuple[Any, ...]


@frozen(kw_only=True)
class Range:
    """The time range of a dashboard."""

    start: datetime.datetime
    end: datetime.datetime


@frozen(kw_only=True)
class Difference:
    """A statement that Grafana answers otherwise than PostgreSQL."""

    statement: Statement
    why: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.statement.dashboard}: {self.statement.place}: {self.why}"


def ask(address: str, statement: Statement, sql: str, over: Range) -> dict[str, Any]:
    """Return Grafana's result for one statement: its frames, or its error in "error"."""
    query = {
        "refId": "A",
        "datasource": {"type": names.SOURCE_TYPE, "uid": names.SOURCE},
        "format": statement.format,
        "rawSql": sql,
        "intervalMs": 60_000,
        "maxDataPoints": 1000,
    }
    asked = {
        "queries": [query],
        "from": str(_ms(over.start)),
        "to": str(_ms(over.end)),
    }
    request = urllib.request.Request(  # noqa: S310  # the address is the caller's
        f"{address.rstrip('/')}/api/ds/query",
        data=json.dumps(asked).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE_S) as answer:  # noqa: S310
            said = json.load(answer)
    except urllib.error.HTTPError as e:
        body = e.read().decode(errors="replace")
        try:
            said = json.loads(body)
        except ValueError:
            return {"error": f"HTTP {e.code}: {body[:200]}"}
    found = said.get("results", {}).get("A")
    return found if found is not None else {"error": said.get("message", "no result")}


def rows(frames: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    """Yield the rows of a table's frames."""
    for frame in frames:
        yield from zip(*frame["data"]["values"], strict=True)


def courses(frames: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    """Yield time, name and value of each point of the frames of time series, nothing for a gap."""
    for frame in frames:
        columns = list(zip(frame["schema"]["fields"], frame["data"]["values"], strict=True))
        times = columns[0][1] if columns else []
        for field, values in columns[1:]:
            name = " ".join((field.get("labels") or {}).values()) or field["name"]
            yield from ((t, name, v) for t, v in zip(times, values, strict=True) if v is not None)


def plain(value: object) -> object:
    """Return a value of PostgreSQL as Grafana's frames have it."""
    match value:
        case bool() | None | str():
            return value
        case int() | float() | Decimal():
            return float(value)
        case datetime.datetime():
            return float(_ms(value))
        case _:
            return str(value)


def difference(statement: Statement, result: Mapping[str, Any], own: Sequence[Row]) -> str | None:
    """Return how Grafana's result of a statement differs from PostgreSQL's rows, or None."""
    if result.get("error"):
        return f"error: {result['error']}"
    frames = result.get("frames", [])
    wanted = [tuple(map(plain, row)) for row in own]
    if statement.format == Format.TIME_SERIES:
        found = sorted((tuple(map(plain, row)) for row in courses(frames)), key=repr)
        # A series has one value at a time: the last of several rows.
        wanted = sorted({row[:2]: row for row in wanted if row[2] is not None}.values(), key=repr)
    else:
        found = [tuple(map(plain, row)) for row in rows(frames)]
    if len(found) != len(wanted):
        return f"{len(found)} rows, and PostgreSQL has {len(wanted)}"
    share = _MEANWHILE if "now()" in statement.sql else 0
    for first, other in zip(found, wanted, strict=True):
        if not all(_same(a, b, share) for a, b in zip(first, other, strict=True)):
            return f"{first}, and PostgreSQL has {other}"
    return None


def _same(a: object, b: object, share: float) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=share) or (math.isnan(a) and math.isnan(b))
    return a == b


def differences(
    address: str, conn: psycopg.Connection[Row], over: Range
) -> Iterator[tuple[Statement, int, Difference | None]]:
    """Yield each statement with the number of its rows, and how the answers differ."""

    def own(sql: str) -> list[Row]:
        return conn.execute(sql.encode()).fetchall()

    asked: list[tuple[Statement, Mapping[str, Value]]] = [(s, {}) for s in rules()]
    for document in documents().values():
        chosen = choices(document, own, over.start, over.end)
        asked += [(s, chosen) for s in of_dashboard(document)]
    for statement, values in asked:
        result = ask(address, statement, with_variables(statement.sql, values), over)
        mine = own(interpolate(statement.sql, values, over.start, over.end))
        why = difference(statement, result, mine)
        wrong = None if why is None else Difference(statement=statement, why=why)
        yield statement, len(mine), wrong


def _ms(time: datetime.datetime) -> int:
    return int(time.timestamp() * 1000)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments and print what differs."""
    parser = argparse.ArgumentParser(prog="python -m bench.grafana_answers", description=__doc__)
    parser.add_argument("address", help="of Grafana")
    parser.add_argument("dsn", help="of the same database; statements run as the role that reads")
    given = parser.parse_args(arguments)
    now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    over = Range(start=now - datetime.timedelta(days=800), end=now)
    statements, filled, wrong = 0, 0, 0
    with psycopg.connect(database.as_user(given.dsn, READER), autocommit=True) as conn:
        for _, count, found in differences(given.address, conn, over):
            statements += 1
            filled += bool(count)
            if found is not None:
                wrong += 1
                sys.stdout.write(f"{found}\n")
    sys.stdout.write(f"{statements} statements, {filled} with rows, {wrong} answered otherwise\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
