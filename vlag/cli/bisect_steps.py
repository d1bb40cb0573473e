# SPDX-License-Identifier: GPL-2.0-only
"""`vlag bisect-steps`: what a search that the service makes by itself needs next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from vlag import config
from vlag.cli.bisect import document
from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.config import catalogue as catalogues

if TYPE_CHECKING:
    from vlag.config import Settings
    from vlag.config.catalogue import Catalogue
    from vlag.search.found import Found
    from vlag.search.measure import Figure
    from vlag.search.recorded import Question
    from vlag.search.searches import Next
    from vlag.store.bisections import BisectionRow
    from vlag.store.comparisons import Comparison
    from vlag.store.database import Connection
    from vlag.store.profiles import Changed


@click.command("bisect-steps", hidden=True)
@click.argument("comparisons", nargs=-1, required=True, type=int)
@FORMAT
@one_sentence
def bisect_steps(comparisons: tuple[int, ...], form: str) -> None:
    """List the build or the boots by which the commit of COMPARISONS is searched next.

    The settings under [bisect] bound a search. Once these are on record, the same command lists
    those that follow, and in the end stores the commit and
    names it in the alerts.
    """
    from vlag.alerts import derive
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    with connect(settings.dsn()) as conn:
        needed = next_of(conn, settings, catalogue, comparisons)
        if told := [*needed.bisections, *needed.fixes]:
            derive.of_installation(conn, catalogue, settings, told)
    lines = [asked["label"] for asked in (*needed.builds, *needed.boots)]
    lines += [
        f'comparison {number}: {" or ".join(c[:12] for c in row.commits)} ("{row.subject}")'
        for number, row in needed.bisections.items()
    ]
    lines += [
        f"comparison {number}: fixed by {' or '.join(c[:12] for c in row.commits)}"
        if row.commits
        else f"comparison {number}: no fix up to {row.head[:12]}"
        for number, row in needed.fixes.items()
    ]
    lines += [f"skipped: {sentence}" for sentence in needed.skipped]
    emit(form, answer(needed), "\n".join(lines))


def answer(needed: Next) -> dict[str, Any]:
    """Return what the master reads."""
    return {
        "builds": list(needed.builds),
        "boots": list(needed.boots),
        "found": {
            str(number): {"commits": list(row.commits), "subject": row.subject}
            for number, row in needed.bisections.items()
        },
        "fixed": {str(number): list(row.commits) for number, row in needed.fixes.items()},
        "skipped": list(needed.skipped),
    }


def next_of(
    conn: Connection, settings: Settings, catalogue: Catalogue, comparisons: Sequence[int]
) -> Next:
    """Return what the searches of comparisons need next; those that have ended are stored."""
    from vlag.compare.boots import Booted, reader
    from vlag.search.searches import steps

    def read(comparison: Comparison, changed: Changed) -> Callable[[int], Booted]:
        subject = changed.benchmark, changed.parameters, changed.metric, changed.statistic
        return reader(conn, catalogue, comparison, subject)

    return steps(conn, settings, catalogue, comparisons, read, _row, document)


def _row(q: Question, figure: Figure, culprit: Found) -> BisectionRow:
    """Return the result of a search as it is stored."""
    from vlag.store.bisections import BisectionRow

    check = culprit.check
    return BisectionRow(
        tree=q.bad.tree,
        good=culprit.good.sha,
        bad=culprit.bad.sha,
        board_type=q.comparison.board_type,
        benchmark=figure.benchmark.name,
        parameters=q.changed.parameters,
        knobs=q.comparison.new_knobs,
        metric=figure.metric.name,
        statistic=figure.statistic,
        commits=[c.sha for c in culprit.commits],
        subject=culprit.commits[0].subject,
        steps=len(culprit.steps),
        between=culprit.between,
        effect=culprit.change.effect or 0.0,
        share=None if check is None else check.share,
        recovered=None if check is None else check.recovered,
        no_revert=None if check is None else check.no_revert,
        document={**document(culprit), "reproduce": _command(q, figure)},
    )


def _command(q: Question, figure: Figure) -> str:
    """Return the command that makes the same search by hand."""
    given: dict[str, Any] = {
        k: v for k, v in q.changed.parameters.items() if figure.benchmark.parameters.get(k) != v
    }
    words = [
        "vlag bisect", q.good.commit[:12], q.bad.commit[:12], "--tree", q.bad.tree,
        "--benchmark", figure.benchmark.name,
        "--metric", f"{figure.metric.name}:{figure.statistic}",
        "--board-type", q.comparison.board_type,
        *(f"--param {k}={v}" for k, v in sorted(given.items())),
        *(f"--knob {k}={v}" for k, v in sorted(figure.knobs.items())),
    ]  # fmt: skip
    return " ".join(words)
