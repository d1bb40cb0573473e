# SPDX-License-Identifier: GPL-2.0-only
"""`vlag profile-boots`, `profile-runs` and `toggle-boots`: what the service explains by itself."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.config import catalogue as catalogues

if TYPE_CHECKING:
    from vlag.search.asked import Plan


@click.command("profile-boots", hidden=True)
@click.argument("comparisons", nargs=-1, required=True, type=int)
@FORMAT
@one_sentence
def profile_boots(comparisons: tuple[int, ...], form: str) -> None:
    """List the boots that explain the confirmed changes of COMPARISONS.

    The settings under [profile] bound them; a change that is explained needs none.
    """
    from vlag.search.explain import plan
    from vlag.store.database import connect

    settings = config.load()
    with connect(settings.dsn()) as conn:
        _list(form, plan(conn, settings, catalogues.of(settings), comparisons))


@click.command("toggle-boots", hidden=True)
@click.argument("comparisons", nargs=-1, type=int)
@click.option("--round", "round_", type=click.IntRange(min=1), default=1, show_default=True,
              help="How often it was asked, with this one.")  # fmt: skip
@click.option("--standing", is_flag=True,
              help="Those of open alerts as well, on boards whose boots scatter.")  # fmt: skip
@FORMAT
@one_sentence
def toggle_boots(comparisons: tuple[int, ...], round_: int, standing: bool, form: str) -> None:
    """List the boots that the toggles of COMPARISONS need next.

    The settings under [toggles] bound them. Once these boots are on record, the same command
    lists those that follow from them, or none.
    """
    from vlag.compare.toggle_attribution import report_on
    from vlag.search import toggle_plan
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    with connect(settings.dsn()) as conn:
        judge = partial(report_on, conn, catalogue)
        ids = [*comparisons, *(toggle_plan.standing(conn, catalogue) if standing else ())]
        _list(form, toggle_plan.plan(conn, settings, catalogue, ids, judge, round_=round_))


def _list(form: str, plan: Plan) -> None:
    """Print boots for the master, or for people."""
    document = {
        "boots": list(plan.boots),
        "comparisons": list(plan.comparisons),
        "skipped": list(plan.skipped),
    }
    lines = [boot["label"] for boot in plan.boots]
    emit(
        form, document, "\n".join([*lines, *(f"skipped: {sentence}" for sentence in plan.skipped)])
    )


@click.command("profile-runs", hidden=True)
@click.argument("comparison", type=int)
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path))
@FORMAT
@one_sentence
def profile_runs(comparison: int, runs: tuple[Path, ...], form: str) -> None:
    """Store the profiles of COMPARISON from the bundles RUNS, and name functions in its alerts."""
    from vlag.alerts import derive
    from vlag.profile.profile_text import sentence
    from vlag.search.explain import collect
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    with connect(settings.dsn()) as conn:
        answers, skipped = collect(conn, catalogue, comparison, [r.absolute() for r in runs])
        if answers:
            derive.of_installation(conn, catalogue, settings, [comparison])
    sentences = {q.benchmark.name: sentence(a.difference) for q, a in answers}
    lines = [f"{name}: {words}" for name, words in sentences.items()]
    emit(
        form,
        {"comparison": comparison, "sentences": sentences, "skipped": skipped},
        "\n".join([*lines, *(f"skipped: {words}" for words in skipped)]),
    )
