# SPDX-License-Identifier: GPL-2.0-only
"""Toggles that an earlier head of a branch was booted with: on boards, they outlast a night."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from vlag.compare import toggle_attribution
from vlag.compare.toggle_attribution import Attribution, Subject
from vlag.config.catalogue import Catalogue
from vlag.store import findings, runs
from vlag.store.database import Connection
from vlag.store.judged import Pair


def earlier(conn: Connection, comparison: int) -> Pair | None:
    """Return the like comparison of the newest earlier head that was booted with toggles.

    None where there is none, and where this comparison's own head was.
    """
    for pair in findings.pairs(conn, [comparison])[-1:]:
        alike = [p for p in findings.like(conn, pair) if p.id <= pair.id]
        booted = runs.toggled(
            conn, {p.new_kernel for p in alike} | {pair.new_kernel},
            board_type=pair.board_type, knobs=pair.knobs,
        )  # fmt: skip
        if pair.new_kernel not in booted:
            return next((p for p in reversed(alike) if p.new_kernel in booted), None)
    return None


def attributed(
    conn: Connection, catalogue: Catalogue, comparison: int, subjects: Sequence[Subject]
) -> list[Attribution]:
    """Return what toggles say of a comparison; where none were run, those of an earlier head.

    Such an answer's name has that head's commit.
    """
    answers = toggle_attribution.of(conn, catalogue, comparison, subjects)
    if any(a.report.toggles for a in answers):
        return answers
    pair = earlier(conn, comparison)
    if pair is None or catalogue.board_type(pair.board_type).deterministic:
        return answers
    before = toggle_attribution.of(conn, catalogue, pair.id, subjects)
    if not any(a.report.toggles for a in before):
        return answers
    return [evolve(a, name=f"{a.name} of {pair.commit[:12]}") for a in before]
