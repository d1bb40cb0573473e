# SPDX-License-Identifier: GPL-2.0-only
"""`vlag knobs`: which toggle of the scheduler takes back a loss."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError

if TYPE_CHECKING:
    from vlag.search.toggles import Question
    from vlag.stats.attribution import ToggleAnswer, ToggleReport


_NAME_WIDTH = 32  # of a toggle's column; a longer name has a line of its own


@click.command()
@click.option("--comparison", type=int, metavar="N", required=True,
              help="A comparison with a confirmed REGRESSION.")  # fmt: skip
@click.option("--benchmark", metavar="NAME",
              help="One that got worse (default: that with the largest loss).")  # fmt: skip
@click.option("--features", default="all", show_default=True, metavar="all|new|no|NAME,...",
              help="Features of the new kernel; new: those that the baseline lacks.")  # fmt: skip
@click.option("--preempt", default="all", show_default=True, metavar="all|new|no|MODE,...",
              help="Preempt modes, likewise.")  # fmt: skip
@FORMAT
@one_sentence
def knobs(comparison: int, benchmark: str | None, features: str, preempt: str, form: str) -> None:
    """Show which toggle of the scheduler takes back a loss.

    Boots the new kernel of a comparison with one scheduler feature or preempt mode in another
    state each time, and the baseline as well where it has the same toggle. Boots on record are
    not made again, and all of them stay on record: reports, pages and alerts have the answer.
    """
    from vlag.compare.toggle_attribution import report_on
    from vlag.pipeline.ingest import ingest
    from vlag.search import by_hand
    from vlag.search import toggles as stage
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    selection = stage.Selection(features=_names(features), preempt=_names(preempt))
    with connect(settings.dsn()) as conn:
        questions = stage.questions(conn, catalogue, comparison, selection)
        question = _chosen(questions.asked, benchmark, comparison, questions.skipped)
        judge = partial(report_on, conn, catalogue)
        while boots := stage.missing(conn, catalogue, question, judge):
            for folder in by_hand.make(settings, catalogue, boots, f"knobs {comparison}"):
                ingest(folder, conn=conn, catalogue=catalogue, built=settings.builds)
        report = judge(comparison, question.subject)
    emit(form, _document(question, report), _text(question, report))


def _names(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _chosen(
    asked: Sequence[Question], benchmark: str | None, comparison: int, skipped: Sequence[str]
) -> Question:
    if not asked:
        raise UsageError(
            skipped[0]
            if skipped
            else f"comparison {comparison} has no confirmed REGRESSION that a toggle could explain"
        )
    for question in asked:
        if benchmark in (None, question.changed.benchmark):
            return question
    there = ", ".join(dict.fromkeys(q.changed.benchmark for q in asked))
    raise UsageError(f"--benchmark {benchmark}: it is not worse there; what is: {there}")


def _document(question: Question, report: ToggleReport) -> dict[str, Any]:
    changed = question.changed
    return {
        "comparison": question.comparison.id,
        "benchmark": changed.benchmark,
        "parameters": dict(changed.parameters),
        "metric": changed.metric,
        "statistic": changed.statistic,
        "answer": report.answer.value,
        "sentence": report.sentence,
        "toggles": [
            {
                "name": t.name,
                "role": None if t.role is None else t.role.value,
                "share": None if t.share is None else t.share.size,
                "interval": None if t.share is None else [t.share.low, t.share.high],
                "on_new": None if t.on_new is None else t.on_new.size,
                "on_base": None if t.on_base is None else t.on_base.size,
                "problem": t.problem,
            }
            for t in report.toggles
        ],
    }


def _text(question: Question, report: ToggleReport) -> str:
    """Return the answer, and the toggles by their share of the loss, in 78 columns."""
    from vlag.compare.toggle_attribution import names
    from vlag.report.layout import wrap

    [name] = names([question.subject])
    lines = wrap(f"{name} on {question.comparison.board_type}: {report.sentence}", "", "  ")
    if report.toggles:
        lines += [
            "",
            f"  {'toggle':<{_NAME_WIDTH}} {'on new':>9} {'on base':>9}  share of the loss",
        ]
    for t in sorted(report.toggles, key=_order):
        share = "-" if t.share is None else f"{100 * t.share.size:.0f} %"
        if t.share is not None and t.share.low is not None and t.share.high is not None:
            share += f" [{100 * t.share.low:.0f}, {100 * t.share.high:.0f}]"
        lines += [f"  {t.name}"] if len(t.name) > _NAME_WIDTH else []
        name = "" if len(t.name) > _NAME_WIDTH else t.name
        figures = f"{_change(t.on_new):>9} {_change(t.on_base):>9}  {share}"
        lines.append(f"  {name:<{_NAME_WIDTH}} {figures}" + (f"  {t.problem}" if t.problem else ""))
    return "\n".join(lines)


def _order(t: ToggleAnswer) -> tuple[bool, float]:
    return t.share is None, 0.0 if t.share is None else -t.share.size


def _change(effect: Any) -> str:
    return "-" if effect is None else f"{100 * effect.size:+.2f} %"
