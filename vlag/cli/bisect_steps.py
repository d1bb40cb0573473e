"""`vlag bisect-steps`: what a search that the service makes by itself needs next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from vlag import config
from vlag.cli.bisect import document
from vlag.cli.command import FORMAT, emit, one_sentence, say
from vlag.config import catalogue as catalogues

if TYPE_CHECKING:
    from vlag.config import Settings
    from vlag.config.catalogue import Catalogue
    from vlag.search.bisection import Found
    from vlag.search.measure import Figure
    from vlag.search.searches import Next, Question
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
    those that follow, and in the end stores the commit.
    """
    from vlag.store.database import connect

    settings = config.load()
    with connect(settings.dsn()) as conn:
        found = next_of(conn, settings, catalogues.of(settings), comparisons)
    lines = [asked["label"] for asked in (*found.builds, *found.boots)]
    lines += [
        f'comparison {number}: {" or ".join(c[:12] for c in row.commits)} ("{row.subject}")'
        for number, row in found.found.items()
    ]
    lines += [f"skipped: {said}" for said in found.skipped]
    emit(form, answer(found), "\n".join(lines))


def answer(found: Next) -> dict[str, Any]:
    """Return what the master reads."""
    return {
        "builds": list(found.builds),
        "boots": list(found.boots),
        "found": {
            str(number): {"commits": list(row.commits), "subject": row.subject}
            for number, row in found.found.items()
        },
        "skipped": list(found.skipped),
    }


def next_of(
    conn: Connection, settings: Settings, catalogue: Catalogue, comparisons: Sequence[int]
) -> Next:
    """Return what the searches of comparisons need next; those that have ended are stored."""
    from vlag.compare.boots import Booted, reader
    from vlag.search.searches import steps

    def read(comparison: Comparison, of: Changed) -> Callable[[int], Booted]:
        subject = of.benchmark, of.parameters, of.metric, of.statistic
        return reader(conn, catalogue, comparison, subject)

    return steps(conn, settings, catalogue, comparisons, read, _row, say)


def _row(q: Question, of: Figure, found: Found) -> BisectionRow:
    """Return the result of a search as it is stored."""
    from vlag.store.bisections import BisectionRow

    check = found.check
    return BisectionRow(
        tree=q.bad.tree,
        good=found.good.sha,
        bad=found.bad.sha,
        board_type=q.comparison.board_type,
        benchmark=of.benchmark.name,
        parameters=q.changed.parameters,
        knobs=q.comparison.new_knobs,
        metric=of.metric.name,
        statistic=of.statistic,
        commits=[c.sha for c in found.commits],
        subject=found.commits[0].subject,
        steps=len(found.steps),
        between=found.between,
        effect=found.change.effect or 0.0,
        share=None if check is None else check.share,
        recovered=None if check is None else check.recovered,
        no_revert=None if check is None else check.no_revert,
        document={**document(found), "reproduce": _command(q, of)},
    )


def _command(q: Question, of: Figure) -> str:
    """Return the command that makes the same search by hand."""
    given: dict[str, Any] = {
        k: v for k, v in q.changed.parameters.items() if of.benchmark.parameters.get(k) != v
    }
    words = [
        "vlag bisect", q.good.commit[:12], q.bad.commit[:12], "--tree", q.bad.tree,
        "--benchmark", of.benchmark.name, "--metric", f"{of.metric.name}:{of.statistic}",
        "--board-type", q.comparison.board_type,
        *(f"--param {k}={v}" for k, v in sorted(given.items())),
        *(f"--knob {k}={v}" for k, v in sorted(of.knobs.items())),
    ]  # fmt: skip
    return " ".join(words)
