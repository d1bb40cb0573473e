# SPDX-License-Identifier: GPL-2.0-only
"""Which boots with toggles the service makes by itself next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.search import profiling, toggle_days, toggles
from vlag.search.asked import AskedBoot, Plan, Want, bounded
from vlag.search.board_hours import Hours
from vlag.search.toggles import Judge, Question
from vlag.stats.severity import log_ratio
from vlag.store import alerts
from vlag.store.database import Connection

#: Times that toggles of deterministic boards are asked about: the second follows from the first.
ROUNDS = 2


def plan(
    conn: Connection,
    settings: Settings,
    catalogue: Catalogue,
    ids: Sequence[int],
    judge: Judge,
    *,
    round_: int = 1,
) -> Plan:
    """Return the boots that confirmed regressions need next, the largest loss first.

    Called again when these are on record, as the next round, it returns the boots that follow
    from them.  The settings bound their number, on boards whose boots scatter their hours in a
    day, and leave the self-proof out.
    """
    asked: dict[tuple[int, str], Question] = {}
    skipped: list[str] = []
    for id_ in dict.fromkeys(ids):
        if not profiling.may_be_booted(
            conn, catalogue, id_, known_regressions=settings.toggles.known_regressions
        ):
            continue
        try:
            found = toggles.questions(conn, catalogue, id_)
        except UsageError as e:
            skipped.append(f"comparison {id_}: {e}")
            continue
        for q in found.asked:
            if _is_exact(catalogue, q):
                asked |= {_key(q): q} if round_ <= ROUNDS else {}
            else:
                begun = toggle_days.begun(conn, catalogue, q)
                asked[_key(begun)] = begun
        skipped += found.skipped
    allowed = settings.toggles
    hours = Hours(
        conn=conn, catalogue=catalogue, purpose="toggles", allowed=allowed.board_hours,
        most=allowed.boots,
    )  # fmt: skip

    def boots(q: Question) -> list[AskedBoot]:
        if _is_exact(catalogue, q):
            return toggles.missing(conn, catalogue, q, judge)
        return toggle_days.batch(conn, catalogue, q, judge, hours)

    most = settings.toggles.boots
    return bounded(
        (
            Want(
                comparison=q.comparison.id or 0,
                benchmark=q.changed.benchmark,
                boots=partial(boots, q),
            )
            for q in sorted(asked.values(), key=lambda q: -log_ratio(q.changed.effect))
        ),
        most,
        skipped,
        lambda boots: f"{boots} boots of toggles, and the settings allow {most}",
    )


def _is_exact(catalogue: Catalogue, q: Question) -> bool:
    return catalogue.board_type(q.comparison.board_type).deterministic


def _key(q: Question) -> tuple[int, str]:
    changed = q.changed
    return q.comparison.id or 0, f"{changed.benchmark} {sorted(changed.parameters.items())}"


def standing(conn: Connection, catalogue: Catalogue) -> list[int]:
    """Return the comparisons that open alerts stand on, of boards whose boots scatter.

    Their toggles go on each day until they are tried.
    """
    open_ = [
        a.id for a in alerts.standing(conn, alerts.REGRESSION) if a.triage not in alerts.CLOSED
    ]
    return list(
        dict.fromkeys(
            ground.comparison
            for ground in alerts.grounds(conn, open_)
            if (kind := catalogue.board_types.get(ground.board_type)) is not None
            and not kind.deterministic
        )
    )
