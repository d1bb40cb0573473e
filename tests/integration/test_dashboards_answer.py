# SPDX-License-Identifier: GPL-2.0-only
"""The first panel of Grafana's overview is the sentence of the mail and of the first page."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from psycopg.conninfo import make_conninfo

from tests.integration.grafana import BOARDS, Reader
from tests.integration.nights import Nights, settings
from tests.integration.planted_night import newest_mail, planted_night
from vlag.config.catalogue import Catalogue
from vlag.report.conclusion import conclusion
from vlag.report.read_model import overview
from vlag.store import database
from vlag.store.database import Connection
from vlag.store.views import READER

TITLE = "Are we regressing?"


def answers(conn: Connection) -> list[str]:
    """Return what the role that reads is shown."""
    with database.connect(make_conninfo(conn.info.dsn, user=READER)) as other:
        return [row["answer"] for row in Reader(other).panel("vlag-overview", TITLE)]


def test_it_is_one_sentence_everywhere(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    assert answers(conn) == []
    nights = Nights(conn=conn, catalogue=catalogue, folder=tmp_path, settings=settings(tmp_path))
    nights.tell([nights.compare("1", stage="screen")])
    [calm] = answers(conn)
    assert calm.startswith("No: debian/linux-6.12 is not worse")
    planted_night(Nights(
        conn=conn, catalogue=catalogue, folder=tmp_path, settings=nights.settings, count=1,
    ))  # fmt: skip
    [answer] = answers(conn)
    assert answer.startswith("Yes: debian/linux-6.12 is worse than its baseline, by 6.0")
    assert " ".join(answer.split()) == " ".join(newest_mail(conn).split("\n\n")[1].split())
    now = datetime(2026, 3, 3, 4, tzinfo=UTC)
    assert answer == f"{conclusion(overview(conn), now).sentence}."
    # Negative control: a night from before it was kept has none, and no older one takes its place.
    conn.execute("UPDATE night SET conclusion = NULL WHERE id = (SELECT max(id) FROM night)")
    assert answers(conn) == []


def test_it_is_the_first_panel_and_its_alarm_is_that_of_the_page() -> None:
    first = min(
        BOARDS["vlag-overview"]["panels"], key=lambda p: (p["gridPos"]["y"], p["gridPos"]["x"])
    )
    assert (first["title"], first["gridPos"]["w"]) == (TITLE, 24)
    [mapping] = first["fieldConfig"]["defaults"]["mappings"]
    assert mapping["options"]["pattern"] == "/^(Yes|Do not trust)/"
