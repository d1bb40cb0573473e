# SPDX-License-Identifier: GPL-2.0-only
"""Boards that move against the other boards of their type, by the benchmarks that they run.

A board's own checks see what their one benchmark sees.  Here the figures of the nights say whether
a board is still what it was beside its siblings (`vlag.stats.siblings`).  One that is not leaves
the judging as a board does that fails a check: it goes into maintenance, and its runs since
then are in doubt.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.compare.branch_histories import keep_conditions
from vlag.config.catalogue import Catalogue
from vlag.model import BoardType, canonical_json, digest
from vlag.stats import siblings
from vlag.stats.siblings import Move, Seen
from vlag.store import board_figures, boards, histories
from vlag.store.board_figures import Figure
from vlag.store.boards import GOOD, MAINTENANCE, MOVED, CheckRow, State
from vlag.store.database import Connection
from vlag.store.histories import KeptConditions

#: How far back the first nights of a board are looked for.
REACH = datetime.timedelta(days=400)
#: Days in which the first nights, and the last ones, have to be: a board that runs less often is
#: not judged.
FIRST_DAYS, LATE_DAYS = datetime.timedelta(days=60), datetime.timedelta(days=45)


@frozen(kw_only=True)
class Notice:
    """What the last nights say of the boards of a type."""

    board_type: str
    move: Move
    sentence: str


def follow(conn: Connection, catalogue: Catalogue, now: datetime.datetime) -> list[str]:
    """Take boards that have moved out of service, and return sentences on what nobody can tell.

    Those are of two boards that have moved apart, where it is not known which of them did.
    """
    sentences = []
    for kind in catalogue.board_types.values():
        if kind.deterministic:
            continue
        for notice in moved(conn, catalogue, kind):
            if len(notice.move.boards) > 1:
                sentences.append(notice.sentence)
                continue
            _take_out(conn, notice, now)
    return sentences


def _take_out(conn: Connection, notice: Notice, now: datetime.datetime) -> None:
    """Put a board into maintenance, and its runs since the first of the last nights in doubt."""
    [board] = notice.move.boards
    boards.lock(conn, board)
    last = board_figures.last_run(conn, board)
    check = boards.insert_check(
        conn,
        CheckRow(
            board=board, run=last, conditions=digest(None), finding=MOVED, accepted=False,
            level=None, noise=None, band=None, sentence=notice.sentence, finished_at=now,
        ),
    )  # fmt: skip
    night = datetime.date.fromordinal(notice.move.night)
    since = datetime.datetime.combine(night, datetime.time(), datetime.UTC)
    boards.open_doubt(conn, board=board, since=since, check=check)
    boards.put_state(
        conn,
        State(
            board=board, state=MAINTENANCE, since=now, reason=notice.sentence, by=f"check {check}"
        ),
    )


def moved(conn: Connection, catalogue: Catalogue, kind: BoardType) -> list[Notice]:
    """Return the boards of a type that have moved, each once by its largest move.

    A second one is looked for without the first.  Then two that have moved apart, if no board is
    named.
    """
    now = board_figures.newest(conn, kind.name)
    if now is None:
        return []
    states = boards.states(conn)
    there = {
        name
        for name in board_figures.boards(conn, kind.name, since=now - REACH)
        if name not in states or states[name].state == GOOD
    }
    if len(there) < 2:
        return []
    begins = {name: max(now - REACH, boards.band_since(conn, name)) for name in there}
    figures = board_figures.of_boards(
        conn, kind.name, begins=begins, first=FIRST_DAYS, late=now - LATE_DAYS, until=now
    )
    seen = _seen(conn, catalogue, figures)
    good = {n: states[n].since.date().toordinal() + 1 for n in there if n in states}
    listed: list[Notice] = []
    while True:
        moves = siblings.moves([s for s in seen if s.board in there], good)
        named = next((m for m in moves if len(m.boards) == 1), None)
        if named is None:
            break
        listed.append(_notice(kind, named))
        there -= {*named.boards}
    pairs: dict[tuple[str, ...], Move] = {}
    for move in moves:
        pairs.setdefault(move.boards, move)
    return [*listed, *(_notice(kind, m) for m in pairs.values())]


def _notice(kind: BoardType, move: Move) -> Notice:
    benchmark, parameters, metric = str(move.figure).split("\n")
    what = " ".join(filter(None, (benchmark, parameters, metric)))
    night = datetime.date.fromordinal(move.night)
    lately = f"over the {siblings.LATELY} nights since {night}"
    reach = f"steady boards move {move.reach:.1%} at most"
    if len(move.boards) == 1:
        others = ", ".join(move.against)
        sentence = f"{what} moved by {move.size:+.1%} against {others} {lately}; {reach}"
    else:
        sentence = (
            f"boards {' and '.join(move.boards)} ({kind.name}) moved apart: {what} by"
            f" {move.size:+.1%} {lately}; {reach}.  Which of them moved is not known: check both"
        )
    return Notice(board_type=kind.name, move=move, sentence=sentence)


def _seen(conn: Connection, catalogue: Catalogue, figures: Sequence[Figure]) -> list[Seen]:
    """Return what boards gave, each with the firmware that it has now."""
    keep_conditions(conn, sorted({run for f in figures for run in f.runs}))
    kept = board_figures.conditions(conn, [run for f in figures for run in f.runs])
    documents = histories.conditions(conn, sorted({*kept.values()}))
    alike = {name: _alike(document) for name, document in documents.items()}
    newest: dict[str, tuple[int, str]] = {}
    for f in figures:
        for run in f.runs:
            newest[f.board] = max(newest.get(f.board, (0, "")), (run, alike[kept[run]][1]))
    seen = []
    for f in figures:
        benchmark = catalogue.benchmarks.get(f.benchmark)
        metric = None if benchmark is None else benchmark.metric(f.metric)
        if metric is None or not metric.headline:
            continue
        own = _own(catalogue.benchmark(f.benchmark).parameters, f)
        name = "\n".join((f.benchmark, own, metric.name))
        by: dict[str, list[float]] = {}
        for run, value in zip(f.runs, f.values, strict=True):
            shared, firmware = alike[kept[run]]
            if firmware == newest[f.board][1] and value > 0:
                by.setdefault(shared, []).append(math.log(value))
        seen += [
            Seen(
                figure=name,
                kernel=(f.kernel, f.series, f.knobs, shared),
                night=f.day.toordinal(),
                board=f.board,
                log=sum(logs) / len(logs),
                boots=len(logs),
            )
            for shared, logs in by.items()
        ]
    return seen


def _own(usual: Mapping[str, str | int], f: Figure) -> str:
    """Return the parameters that are not the benchmark's own."""
    return " ".join(
        f"{name}={value}"
        for name, value in sorted(f.parameters.items())
        if usual.get(name) != value
    )


def _alike(document: KeptConditions) -> tuple[str, str]:
    """Return what two boards must share to be compared, and the firmware of one, as digests."""
    firmware = document["firmware"]
    shared = {k: v for k, v in document["conditions"].items() if k not in firmware}
    return digest(shared), canonical_json(dict(firmware)).decode()
