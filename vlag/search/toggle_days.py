# SPDX-License-Identifier: GPL-2.0-only
"""Toggles on boards whose boots scatter: a day's board hours at a time, the likely ones first.

Thirty features take more board hours than a day has.  So they are tried in groups, each to its end:
those of field reports, then those that the base lacks, then the others.  Once a toggle accounts
for the loss, no further group is begun.  What a head of a branch has begun goes on the next day,
though the branch has a newer head by then.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from vlag.compare import toggled_heads
from vlag.compare.toggle_settings import Setting
from vlag.config.catalogue import Catalogue
from vlag.config.reported_knobs import reported
from vlag.search.asked import AskedBoot
from vlag.search.board_hours import Hours
from vlag.search.toggles import Judge, Question, Toggle, missing, questions
from vlag.stats.attribution import Answer
from vlag.stats.severity import log_ratio
from vlag.store.database import Connection

#: Toggles of a group after those of field reports.
GROUP = 6
#: An earlier head's loss of at least this share of the present one is taken for the same.
SAME_LOSS = 0.5


def batch(
    conn: Connection, catalogue: Catalogue, question: Question, judge: Judge, hours: Hours
) -> list[AskedBoot]:
    """Return the boots that a question needs next, as far as the day has hours for them.

    Raises UsageError where it has none left, or a kernel's build is not on this machine.
    """
    for group in groups(question.toggles):
        part = evolve(question, toggles=group)
        if boots := missing(conn, catalogue, part, judge):
            changed = question.changed
            board_type = question.comparison.board_type
            return hours.cut(board_type, changed.benchmark, changed.parameters, boots)
        if judge(question.comparison.id or 0, question.subject).answer is Answer.ACCOUNTED:
            return []
    return []


def groups(toggles: Sequence[Toggle]) -> list[list[Toggle]]:
    """Return the toggles that are tried by then, for each group: those of field reports first."""
    known = [Setting(*pair) for pair in reported()]
    first = [t for t in toggles if _is_reported(t.setting, known)]
    others = [t for t in toggles if t not in first]
    ends = [len(first)] if first else []
    ends += [min(n + GROUP, len(toggles)) for n in range(len(first), len(toggles), GROUP)]
    return [[*first, *others][:end] for end in ends]


def _is_reported(setting: Setting, known: Sequence[Setting]) -> bool:
    """Return whether a report has boots with a setting; of a feature in either state."""
    return setting in known or any(k.feature and k.feature == setting.feature for k in known)


def begun(conn: Connection, catalogue: Catalogue, question: Question) -> Question:
    """Return the question of an earlier head of the branch whose toggles were begun, or this one.

    The earlier head must have lost as much by the same benchmark, or this is another loss.
    """
    pair = toggled_heads.earlier(conn, question.comparison.id or 0)
    if pair is None:
        return question
    changed = question.changed
    for before in questions(conn, catalogue, pair.id).asked:
        same = (before.changed.benchmark, dict(before.changed.parameters)) == (
            changed.benchmark,
            dict(changed.parameters),
        )
        if same and log_ratio(before.changed.effect) >= SAME_LOSS * log_ratio(changed.effect):
            return before
    return question
