# SPDX-License-Identifier: GPL-2.0-only
"""`vlag profile-boots`, `toggle-boots`, `path-boots`, …: what the service explains by itself."""

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


STANDING = click.option(
    "--standing", is_flag=True, help="Those of open alerts as well, on boards whose boots scatter."
)


@click.command("profile-boots", hidden=True)
@click.argument("comparisons", nargs=-1, type=int)
@STANDING
@FORMAT
@one_sentence
def profile_boots(comparisons: tuple[int, ...], standing: bool, form: str) -> None:
    """List the boots that explain the confirmed changes of COMPARISONS.

    The settings under [profile] bound them; a change that is explained needs none. Where the
    boots of a change are on record and its profile is not, that is stored first.
    """
    from vlag.alerts import derive
    from vlag.search import sampled_plan, toggle_plan
    from vlag.search.explain import plan
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    with connect(settings.dsn()) as conn:
        ids = [*comparisons, *(toggle_plan.standing(conn, catalogue) if standing else ())]
        if done := sampled_plan.complete(conn, settings, catalogue, ids):
            derive.of_installation(conn, catalogue, settings, done)
        _list(form, plan(conn, settings, catalogue, ids))


@click.command("toggle-boots", hidden=True)
@click.argument("comparisons", nargs=-1, type=int)
@click.option("--round", "round_", type=click.IntRange(min=1), default=1, show_default=True,
              help="How often it was asked, with this one.")  # fmt: skip
@STANDING
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
@click.option("--functions-only", is_flag=True, help="Boots whose decisions are compared follow.")
@FORMAT
@one_sentence
def profile_runs(comparison: int, runs: tuple[Path, ...], functions_only: bool, form: str) -> None:
    """Store the profiles of COMPARISON from the bundles RUNS, and name functions in its alerts."""
    from vlag.alerts import derive
    from vlag.profile import profile_text, sampled_text
    from vlag.report.data import blocker_data
    from vlag.search import explain, profiling, sampled_plan
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    folders = [r.absolute() for r in runs]
    with connect(settings.dsn()) as conn:
        of = profiling.comparison_of(conn, comparison)
        if not catalogue.board_type(of.board_type).deterministic:
            answered = sampled_plan.collect(conn, catalogue, of, folders)
            sentences = {a.benchmark: sampled_text.sentence(a.difference) for a in answered.answers}
            sentences |= {
                f"{b['benchmark']}, worst wake-ups": b["sentence"]
                for b in blocker_data.of(conn, [comparison])
            }
            skipped = [*answered.skipped]
        else:
            answers, skipped = explain.collect(conn, catalogue, comparison, folders)
            sentences = {q.benchmark.name: profile_text.sentence(a.difference) for q, a in answers}
            if not functions_only:
                told, without = explain.collect_decisions(conn, catalogue, comparison, folders)
                sentences |= {f"{name}, decisions": words for name, words in told.items()}
                skipped = [*skipped, *without]
        if sentences:
            derive.of_installation(conn, catalogue, settings, [comparison])
    lines = [f"{name}: {words}" for name, words in sentences.items()]
    emit(
        form,
        {"comparison": comparison, "sentences": sentences, "skipped": skipped},
        "\n".join([*lines, *(f"skipped: {words}" for words in skipped)]),
    )


@click.command("path-boots", hidden=True)
@click.argument("comparisons", nargs=-1, type=int)
@FORMAT
@one_sentence
def path_boots(comparisons: tuple[int, ...], form: str) -> None:
    """List the boots that count what both kernels of COMPARISONS execute, changed or not.

    The benchmarks are `history` of [profile]. What is on record needs none.
    """
    from vlag.search.path_points import plan
    from vlag.store.database import connect

    settings = config.load()
    with connect(settings.dsn()) as conn:
        _list(form, plan(conn, settings, catalogues.of(settings), comparisons))


@click.command("path-runs", hidden=True)
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path))
@FORMAT
@one_sentence
def path_runs(runs: tuple[Path, ...], form: str) -> None:
    """Store what the bundles RUNS have counted, in the history of their commits."""
    from vlag.search import path_points
    from vlag.store.database import connect

    settings = config.load()
    with connect(settings.dsn()) as conn:
        told, skipped = path_points.collect(
            conn, catalogues.of(settings), [r.absolute() for r in runs]
        )
    lines = [*told, *(f"skipped: {words}" for words in skipped)]
    emit(form, {"counted": told, "skipped": skipped}, "\n".join(lines))
