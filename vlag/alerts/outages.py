# SPDX-License-Identifier: GPL-2.0-only
"""Alerts about outages: boards out of service, branches without results."""

from __future__ import annotations

import fnmatch

from vlag.alerts import body as alertbody
from vlag.alerts.lifecycle import settle, withdraw
from vlag.config.catalogue import Catalogue
from vlag.model import digest
from vlag.store import alerts, findings, runs
from vlag.store import boards as board_rows
from vlag.store import nights as night_rows
from vlag.store.alerts import BOARD, NO_RESULTS, Alert, Draft
from vlag.store.boards import MAINTENANCE
from vlag.store.database import Connection


def boards(conn: Connection) -> list[Alert]:
    """Settle the alerts of boards that are or were out of service, and return them."""
    done: list[Alert | None] = []
    bad = {n: s for n, s in board_rows.states(conn).items() if s.state == MAINTENANCE}
    kinds = findings.board_types(conn)
    doubted = board_rows.doubted(conn)
    for name, state in sorted(bad.items()):
        check = board_rows.newest_check(conn, name)
        title, body = alertbody.of_board(
            state,
            kinds[name],
            None if check is None else check.sentence,
            doubted.get(name, 0),
            board_rows.outages(conn, state.since - board_rows.LATELY).get(name, 0),
        )
        draft = Draft(
            key=digest({"kind": BOARD, "board": name}),
            kind=BOARD,
            title=title,
            body=body,
            board=name,
            board_type=kinds[name],
        )
        known = alerts.by_key(conn, draft.key)
        done.append(settle(conn, known, draft, seen=state.since))
    for alert in alerts.standing(conn, BOARD):
        if alert.board not in bad:
            done.append(withdraw(conn, alert, f"{alert.board} is good again"))
    return [a for a in done if a is not None]


def nights(conn: Connection, catalogue: Catalogue) -> list[Alert]:
    """Settle the alerts of branches without results of the last night, and return them."""
    night = night_rows.newest(conn)
    if night is None:
        return []
    seen = findings.compared(conn, night.comparisons)
    watched = {
        (b["tree"], b["branch"], board_type)
        for b in night.branches
        for board_type in b["board_types"]
        if board_type in catalogue.board_types
    }
    done: list[Alert | None] = []
    level = {(row.branch, row.board_type) for row in night_rows.at_baseline(night.branches)}
    idle = {
        (tree, branch, board_type)
        for tree, branch, board_type in watched
        if any(
            board_type == on and fnmatch.fnmatchcase(name, f"{tree}/{branch}") for name, on in level
        )
    }
    without = {
        (tree, branch, board_type)
        for tree, branch, board_type in watched
        if not any(
            (t, k) == (tree, board_type) and fnmatch.fnmatchcase(name, branch)
            for t, name, k in seen
        )
    } - idle
    for tree, branch, board_type in sorted(without):
        # No run may have named it yet.
        runs.add_board_type(conn, catalogue.board_type(board_type))
        title, body = alertbody.of_nothing(tree, branch, board_type, night)
        draft = Draft(
            key=digest(
                {"kind": NO_RESULTS, "tree": tree, "branch": branch, "board_type": board_type}
            ),
            kind=NO_RESULTS,
            title=title,
            body=body,
            tree=tree,
            branch=branch,
            board_type=board_type,
        )
        known = alerts.by_key(conn, draft.key)
        done.append(settle(conn, known, draft, seen=night.finished_at))
    for alert in alerts.standing(conn, NO_RESULTS):
        place = (alert.tree, alert.branch, alert.board_type)
        if place not in without:
            why = "results are back" if place in watched else "it is no longer watched"
            why = "its head is its own baseline" if place in idle else why
            done.append(withdraw(conn, alert, why))
    return [a for a in done if a is not None]
