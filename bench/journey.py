# SPDX-License-Identifier: GPL-2.0-only
"""`python -m bench journey ALERT`: from the commit to its causes, with the seconds of each step.

ALERT is a number of this installation's database.  The steps are those of the alert's page.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from bench.evidence import table
from vlag import config
from vlag.report import read_model
from vlag.store import database
from vlag.store.database import Connection

HEAD = ("seconds from the commit", "since the row before", "step", "in words")


def rows(conn: Connection, alert: int) -> Iterator[tuple[str, str, str, str]]:
    """Yield the rows of an alert's table: its commit first, then each step.

    Raises LookupError for an alert that stands on no comparison.
    """
    whole = read_model.alert(conn, alert)
    ids = [v["comparison"] for v in whole["verdicts"]] if whole is not None else []
    compared = read_model.by_ids(conn, ids)
    if not compared:
        raise LookupError(f"alert {alert} stands on no comparison")
    first = min(compared, key=lambda c: c["id"])
    began = before = first["committed_at"]
    yield "0", "", "commit", f"{first['new']}: {first['subject']}"
    for s in read_model.regression_of_alert(conn, alert)["course"]:
        at_s, since_s = ((s["at"] - then).total_seconds() for then in (began, before))
        before = s["at"]
        yield f"{at_s:.0f}", f"{since_s:.0f}", s["what"], s["words"]


def main(words: Sequence[str] = ()) -> None:
    """Print the table of an alert."""
    if len(words) != 1 or not words[0].isdecimal():
        sys.exit("python -m bench journey ALERT: name an alert by its number")
    try:
        with database.connect(config.load().reader_dsn()) as conn:
            print("\n".join(table(HEAD, rows(conn, int(words[0])))))
    except LookupError as e:
        sys.exit(str(e))
