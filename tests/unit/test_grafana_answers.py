# SPDX-License-Identifier: GPL-2.0-only
"""An answer of Grafana is held against PostgreSQL's rows; the frames are as Grafana sends them."""

from __future__ import annotations

import datetime
import json
import threading
from collections.abc import Iterator
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from bench.grafana_answers import Range, ask, difference
from dashboards.postgresql import Format
from dashboards.statements import Statement

AT = datetime.datetime(2026, 3, 1, 10, 5, tzinfo=datetime.UTC)
LATER = AT + datetime.timedelta(days=1)
MS = 1772359500000

TABLE = [("linux-6.12", Decimal("0.5"), 7, AT, None), ("linux-6.1", Decimal("1.5"), 8, LATER, True)]
ANSWERED = {
    "frames": [
        {
            "schema": {"fields": [{"name": n} for n in ("branch", "change", "n", "at", "sure")]},
            "data": {
                "values": [
                    ["linux-6.12", "linux-6.1"], [0.5, 1.5], [7, 8],
                    [MS, MS + 86_400_000], [None, True],
                ]
            },
        }
    ]
}  # fmt: skip

#: Two boards, one of them with two points at one time and one with a gap.
COURSES = [(AT, "a", 1.0), (AT, "a", 2.0), (AT, "b", 3.0), (LATER, "b", 4.0)]
WIDE = {
    "frames": [
        {
            "schema": {
                "fields": [
                    {"name": "Time", "type": "time"}, {"name": "a", "type": "number"},
                    {"name": "b", "type": "number"},
                ]
            },
            "data": {"values": [[MS, MS + 86_400_000], [2.0, None], [3.0, 4.0]]},
        }
    ]
}  # fmt: skip


def statement(form: Format, sql: str = "SELECT 1") -> Statement:
    return Statement(dashboard="d", place="panel 1", kind="table", format=form, sql=sql)


def test_the_rows_of_a_table_are_its_own() -> None:
    assert difference(statement(Format.TABLE), ANSWERED, TABLE) is None


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (TABLE[:1], "2 rows, and PostgreSQL has 1"),
        (TABLE[::-1], "('linux-6.12', 0.5, 7.0,"),  # an order of its own
        ([TABLE[0], (*TABLE[1][:4], False)], "and PostgreSQL has ('linux-6.1', 1.5,"),
    ],
)
def test_other_rows_are_named(rows: list[tuple[Any, ...]], why: str) -> None:
    assert why in (difference(statement(Format.TABLE), ANSWERED, rows) or "")


def test_a_course_has_one_value_at_a_time() -> None:
    course = statement(Format.TIME_SERIES)
    assert difference(course, WIDE, COURSES) is None
    assert difference(course, WIDE, [*COURSES[:3], (LATER, "b", 5.0)]) is not None
    assert difference(course, WIDE, [*COURSES[:3], (LATER, "a", 4.0)]) is not None


def test_an_error_is_a_difference_even_without_rows() -> None:
    failed = {"error": 'db query error: relation "x" does not exist'}
    assert "does not exist" in (difference(statement(Format.TABLE), failed, []) or "")
    assert difference(statement(Format.TABLE), {"frames": []}, []) is None


def test_only_an_age_may_have_grown_meanwhile() -> None:
    answer = {"frames": [{"schema": {"fields": []}, "data": {"values": [[16.6874]]}}]}
    own = [(16.6875,)]
    assert difference(statement(Format.TABLE, "SELECT now() - x"), answer, own) is None
    assert difference(statement(Format.TABLE), answer, own) is not None
    assert difference(statement(Format.TABLE, "SELECT now() - x"), answer, [(17.0,)]) is not None


class _Refuses(BaseHTTPRequestHandler):
    """Answers as a proxy in front of Grafana does, and keeps what was asked."""

    asked: list[dict[str, Any]] = []  # noqa: RUF012  # of the only server

    def do_POST(self) -> None:
        self.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(502)
        self.end_headers()
        self.wfile.write(b"<html>no")

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def proxy() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Refuses) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_what_is_not_grafana_is_an_error(proxy: str) -> None:
    over = Range(start=AT, end=LATER)
    of = statement(Format.TABLE, "SELECT 1 WHERE $__timeFilter(x)")
    assert ask(proxy, of, of.sql, over) == {"error": "HTTP 502: <html>no"}
    [asked] = _Refuses.asked
    # Macros are Grafana's to expand.
    assert asked["queries"][0]["rawSql"] == of.sql
    assert (asked["from"], asked["to"]) == (str(MS), str(MS + 86_400_000))
