# SPDX-License-Identifier: GPL-2.0-only
"""Profiles that the service makes by itself: which boots they need, and what comes of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from vlag.bundle_records import RunRecord
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.model import Observation
from vlag.search import first_decisions, profiling, sampled_plan
from vlag.search.asked import AskedBoot, Plan, Want, boot, bounded
from vlag.search.profiling import Answer, Question
from vlag.stats.severity import log_ratio
from vlag.store import comparisons, kernels
from vlag.store.database import Connection


def plan(conn: Connection, settings: Settings, catalogue: Catalogue, ids: Sequence[int]) -> Plan:
    """Return the boots for the confirmed changes of comparisons, the largest change first.

    What is on record needs none.  The settings bound their number, on boards whose boots scatter
    their hours in a day, and leave the self-proof out.
    """
    wants: list[tuple[float | None, Want]] = []
    skipped: list[str] = []
    hours = sampled_plan.hours(conn, settings, catalogue)
    for id_ in dict.fromkeys(ids):
        comparison = comparisons.by_id(conn, id_)
        if comparison is None or not profiling.may_be_booted(
            conn, catalogue, id_, known_regressions=settings.profile.known_regressions
        ):
            continue
        if not catalogue.board_type(comparison.board_type).deterministic:
            wants += sampled_plan.wants(conn, catalogue, comparison, hours)
        else:
            questions = profiling.questions(conn, catalogue, id_)
            wants += [_want(conn, q) for q in questions.asked if q.stored is None]
            wants += [
                _want(conn, q, Observation.DECISIONS)
                for q in first_decisions.missing(conn, questions.asked)
            ]
            skipped += [f"comparison {id_}: {sentence}" for sentence in questions.skipped]
    wants.sort(key=lambda pair: -log_ratio(pair[0]))
    most = settings.profile.boots
    return bounded(
        [want for _, want in wants],
        most,
        skipped,
        lambda _boots: f"the settings allow {most} boots",
    )


def _want(
    conn: Connection, question: Question, observes: Observation = Observation.PROFILE
) -> tuple[float | None, Want]:
    """Return what a question needs, with its effect."""
    want = Want(
        comparison=question.comparison.id or 0,
        benchmark=question.benchmark.name,
        boots=partial(_boots, conn, question, observes),
    )
    return question.effect, want


def _boots(conn: Connection, question: Question, observes: Observation) -> list[AskedBoot]:
    """Return the boots of both kernels, base and new in alternation."""
    benchmark, kind = question.benchmark.name, question.comparison.board_type
    sides = {
        side: (profiling.build_of(conn, question.kernel(side)), question.kernel(side))
        for side in ("base", "new")
    }
    boots = []
    for seed in question.seeds:
        for side, (build, id_) in sides.items():
            kernel = kernels.by_id(conn, id_)
            boots.append(
                boot(
                    kernel,
                    build,
                    f"observing {observes}",
                    knobs=question.knobs(side),
                    board_type=kind,
                    benchmark=benchmark,
                    parameters=question.parameters,
                    seed=seed,
                    observes=observes,
                    timeout_s=question.timeout_s,
                )
            )
    return boots


def collect(
    conn: Connection, catalogue: Catalogue, id_: int, runs: Sequence[Path]
) -> tuple[list[tuple[Question, Answer]], list[str]]:
    """Store the profiles of a comparison from the runs that were made for it, and perhaps others.

    Returns the answers, and a sentence for each benchmark that lacks boots.
    """
    documents = {
        folder: json.loads((folder / "run.json").read_text(encoding="utf-8")) for folder in runs
    }
    questions = profiling.questions(conn, catalogue, id_)
    answers, skipped = [], list(questions.skipped)
    for question in questions.asked:
        if question.stored is not None:
            continue
        sides = {side: _of_side(conn, question, side, documents) for side in ("base", "new")}
        asked = len(question.seeds)
        if min(map(len, sides.values())) < asked:
            made = " and ".join(str(len(paths)) for paths in sides.values())
            skipped.append(
                f"{question.benchmark.name}: {made} of {asked} boots of base and new ended well"
            )
            continue
        answer = profiling.store(question, conn=conn, catalogue=catalogue, **sides)
        answers.append((question, answer))
    return answers, skipped


def collect_decisions(
    conn: Connection, catalogue: Catalogue, id_: int, runs: Sequence[Path]
) -> tuple[dict[str, str], list[str]]:
    """Store which decisions a comparison's kernels took differently, from the runs made for it.

    Returns a sentence for each benchmark, and one for each that lacks boots.
    """
    documents = {
        folder: json.loads((folder / "run.json").read_text(encoding="utf-8")) for folder in runs
    }
    told, skipped = {}, []
    asked = profiling.questions(conn, catalogue, id_).asked
    for question in first_decisions.missing(conn, asked):
        sides = [
            {documents[f]["seed"]: f for f in _of_side(conn, question, side, documents,
                                                       Observation.DECISIONS)}
            for side in ("base", "new")
        ]  # fmt: skip
        seeds = [s for s in question.seeds if all(s in side for side in sides)]
        if len(seeds) < len(question.seeds):
            skipped.append(
                f"{question.benchmark.name}: decisions of {len(seeds)} of {len(question.seeds)}"
                " seeds ended well with base and new"
            )
            continue
        base, new = ([side[seed] for seed in seeds] for side in sides)
        told[question.benchmark.name] = first_decisions.store(
            question, conn=conn, catalogue=catalogue, seeds=seeds, base=base, new=new
        )
    return told, skipped


def _of_side(
    conn: Connection,
    question: Question,
    side: str,
    documents: Mapping[Path, RunRecord],
    observes: Observation = Observation.PROFILE,
) -> list[Path]:
    """Return the runs that are boots of one side of a question and ended well."""
    build = profiling.build_of(conn, question.kernel(side))
    image = json.loads((build / "build.json").read_text(encoding="utf-8"))["image"]["sha256"]
    knobs = dict(question.knobs(side))
    return [
        folder
        for folder, run in documents.items()
        if run["outcome"] == "complete"
        and run.get("observes") == observes
        and run["image_sha256"] == image
        and run["benchmark"] == question.benchmark.name
        and run["seed"] in question.seeds
        and run["parameters"] == dict(question.parameters)
        and run["knobs"] == knobs
        and run["board"]["board_type"] == question.comparison.board_type
    ]
