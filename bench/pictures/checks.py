"""The daily check of every board."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from bench.pictures import story
from tests.integration import bundles
from vlag.model import PlanEntry
from vlag.store import boards as board_rows
from vlag.store.boards import CheckRow, State

if TYPE_CHECKING:
    from bench.pictures.year import Year
    from vlag.store.database import Connection


def check_boards(year: Year, night: int) -> None:
    """Check every board; one leaves its band in the last but one night."""
    entry = PlanEntry(
        benchmark="stress-ng-switch", parameters={}, board_types=tuple(story.BOARDS), seeds=1,
        timeout_s=60,
    )  # fmt: skip
    left = year.nights - 1 - night
    at = year.at - datetime.timedelta(hours=2)
    checked = [(name, t) for t, names in story.BOARDS.items() for name in names]
    if left or not night:
        checked.append((story.AWAY[1], story.AWAY[0]))
    for name, board_type in checked:
        year.farm.boot(
            year.bases[year.arch(board_type)], board_type, entry, [1], at,
            year.share(night), plan="check", board=name,
        )  # fmt: skip
    year.farm.flush()
    found = year.conn.execute(
        "SELECT board, max(id) FROM run WHERE plan = 'check' AND finished_at > %s GROUP BY 1"
        " ORDER BY 1",
        (at,),
    ).fetchall()
    for board, run in found:
        _checked(year.conn, board, run, at, night, bad=board == story.AWAY[1] and left == 1)


def _checked(
    conn: Connection, board: str, run: int, at: datetime.datetime, night: int, *, bad: bool
) -> None:
    """Judge the check of a board."""
    level = 100.0 * (1 + 0.01 * ((night * 7) % 5 - 2)) * (1.25 if bad else 1.0)
    finding = "level left" if bad else "in band" if night > 5 else "too little history"
    words = {"in band": "level and noise are in the band",
             "too little history": "too few checks for a band yet",
             "level left": "the noise floor is 125 us, above its band: 96 to 104"}  # fmt: skip
    id_ = board_rows.insert_check(conn, CheckRow(
        board=board, run=run, conditions=bundles.sha("conditions"),
        finding=finding, accepted=not bad, level=level, noise=1.2,
        band={"levels": [[96.0, 104.0]], "noises": [[0.0, 1.6]]},
        sentence=words[finding], finished_at=at,
    ))  # fmt: skip
    if bad:
        board_rows.open_doubt(conn, board=board, since=at, check=id_)
        board_rows.put_state(conn, State(
            board=board, state="maintenance", since=at, reason=words[finding],
            by=f"check {id_}",
        ))  # fmt: skip
