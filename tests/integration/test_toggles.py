# SPDX-License-Identifier: GPL-2.0-only
"""Toggles of the scheduler on a confirmed regression: which boots they need, and the answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner

from tests.integration import bundles
from vlag import config
from vlag.alerts import derive as alerting
from vlag.cli.main import main
from vlag.compare import toggle_attribution
from vlag.compare.kernels import compare
from vlag.compare.toggle_attribution import report_on
from vlag.config import Alerts, Settings
from vlag.config.catalogue import Catalogue
from vlag.search import toggle_plan, toggles
from vlag.stats.attribution import Answer
from vlag.store import comparisons
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

FEATURES = "/sys/kernel/debug/sched/features"
BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
SCATTER = (1.0, 1.001, 0.999, 1.0005, 0.9995)
# Below the threshold of an alert about deterministic boards times 6, above what matters there.
SMALL = 0.9863
TOGGLES = {"DELAY_DEQUEUE", "sched_features=HRTICK", "WA_IDLE"}


@pytest.fixture
def settings() -> Settings:
    return config.load()


def compared(
    conn: Connection, catalogue: Catalogue, root: Path, worse: float = 0.9, base: str = "NO_HRTICK"
) -> int:
    """Store the boots of two kernels and a comparison; the new one has one feature more."""
    for of, factor, features in (
        (BASE, 1.0, f"{base} WA_IDLE"),
        (NEW, worse, "DELAY_DEQUEUE NO_HRTICK WA_IDLE"),
    ):
        state = {"/proc/version": "Linux version", FEATURES: features}
        factors = [factor * f for f in SCATTER]
        bundles.store(conn, catalogue, bundles.side(root, of, catalogue, factors=factors,
                                             environment=state))  # fmt: skip
    return compare(
        conn=conn, catalogue=catalogue, board_type="qemu-sim-2",
        base=KernelRef(text="linux-6.1"), new=KernelRef(text="linux-6.12"), role="baseline",
    ).id  # fmt: skip


def boot(
    conn: Connection,
    catalogue: Catalogue,
    root: Path,
    asked: Sequence[Mapping[str, Any]],
    levels: Mapping[tuple[str, str], float],
    worse: float = 0.9,
) -> None:
    """Store the boots that were asked for: (kernel, knob's value) -> level; others get `worse`."""
    for b in asked:
        of = NEW if b["kernel"] == NEW["digest"] else BASE
        value = b["knobs"]["sched_features"]
        default = worse if of is NEW else 1.0
        level = levels.get((of["describe"].split("/")[1][:4].rstrip("."), value), default)
        folder = root / "toggled" / of["digest"][:6] / f"{value}-{b['seed']}"
        folder.mkdir(parents=True)
        raw = bundles.stress_ng(level * SCATTER[b["seed"] - 1])
        run = bundles.run(folder, of, catalogue, raw=raw, seed=b["seed"], knobs=b["knobs"],
                          parameters=b["parameters"], plan=None)  # fmt: skip
        bundles.store(conn, catalogue, [run])


def rounds(
    conn: Connection,
    catalogue: Catalogue,
    settings: Settings,
    root: Path,
    id_: int,
    levels: Mapping[tuple[str, str], float],
    worse: float = 0.9,
) -> list[list[tuple[str, str, int]]]:
    """Boot what is asked for until nothing is; return (kernel, value, seed) of each round."""
    found: list[list[tuple[str, str, int]]] = []
    for _ in range(3):
        asked = toggle_plan.plan(
            conn, settings, catalogue, [id_], partial(report_on, conn, catalogue)
        ).boots
        if not asked:
            return found
        boot(conn, catalogue, root, asked, levels, worse)
        found.append([(b["kernel_name"], b["knobs"]["sched_features"], b["seed"]) for b in asked])
    raise AssertionError("it never ends")


def report(conn: Connection, catalogue: Catalogue, id_: int) -> Any:
    [question] = toggles.questions(conn, catalogue, id_).asked
    return report_on(conn, catalogue, id_, question.subject)


def test_the_feature_that_takes_the_loss_back_is_named(
    conn: Connection, dsn: str, catalogue: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    id_ = compared(conn, catalogue, tmp_path)
    levels = {("6.12", "NO_DELAY_DEQUEUE"): 1.0}
    first, second = rounds(conn, catalogue, settings, tmp_path, id_, levels)
    new = NEW["describe"]
    assert first == [
        (new, value, seed)
        for value in ("NO_DELAY_DEQUEUE", "HRTICK", "NO_WA_IDLE")
        for seed in (1, 2, 3)
    ]
    # The baseline lacks it: only the new kernel gets more boots.
    assert second == [(new, "NO_DELAY_DEQUEUE", seed) for seed in (4, 5)]
    found = report(conn, catalogue, id_)
    assert found.answer is Answer.ACCOUNTED
    assert {t.name for t in found.toggles} == TOGGLES
    assert found.sentence.startswith("DELAY_DEQUEUE accounts for")
    # By hand nothing is booted again, and the text says the same in 78 columns.
    env = {"VLAG_DATABASE": dsn}
    said = CliRunner().invoke(main, ["knobs", "--comparison", str(id_)], env=env)
    assert said.exit_code == 0, said.output
    assert "DELAY_DEQUEUE accounts for" in said.stdout
    assert max(map(len, said.stdout.splitlines())) <= 78
    # The report has it without another word.
    shown = CliRunner().invoke(main, ["report", "--comparison", str(id_)], env=env)
    assert "DELAY_DEQUEUE accounts for" in " ".join(shown.stdout.split())


def test_a_loss_without_a_toggle_is_said(
    conn: Connection, catalogue: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    """Negative control: no toggle is blamed."""
    id_ = compared(conn, catalogue, tmp_path)
    [first] = rounds(conn, catalogue, settings, tmp_path, id_, {})
    assert len(first) == 3 * len(TOGGLES)
    found = report(conn, catalogue, id_)
    assert found.answer is Answer.NOBODY
    assert found.sentence.startswith("no toggle recovers the regression")


@pytest.mark.parametrize(
    ("levels", "actions"),
    [
        ({("6.12", "NO_DELAY_DEQUEUE"): 1.0}, ["opened"]),
        # Negative controls: nothing takes it back, or what neither kernel has by default does.
        ({}, []),
        ({("6.12", "HRTICK"): 1.0}, []),
    ],
)
def test_a_small_loss_that_a_toggle_takes_back_is_told(
    conn: Connection,
    catalogue: Catalogue,
    settings: Settings,
    tmp_path: Path,
    levels: Mapping[tuple[str, str], float],
    actions: Sequence[str],
) -> None:
    id_ = compared(conn, catalogue, tmp_path, worse=SMALL)
    higher = Alerts(deterministic=6.0)
    assert alerting.derive(conn, catalogue, [id_], higher) == []
    rounds(conn, catalogue, settings, tmp_path, id_, levels, worse=SMALL)
    opened = alerting.derive(conn, catalogue, [id_], higher)
    assert [a.action for a in opened] == actions
    for alert in opened:
        assert "DELAY_DEQUEUE accounts for" in alert.body


def test_a_preference_of_both_kernels_is_not_blamed(
    conn: Connection, catalogue: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    id_ = compared(conn, catalogue, tmp_path)
    levels = {("6.12", "NO_WA_IDLE"): 1.0, ("6.1", "NO_WA_IDLE"): 1.11}
    _, second = rounds(conn, catalogue, settings, tmp_path, id_, levels)
    assert [(name, seed) for name, _, seed in second] == [
        *((NEW["describe"], seed) for seed in (4, 5)),
        *((BASE["describe"], seed) for seed in (1, 2, 3, 4, 5)),
    ]
    found = report(conn, catalogue, id_)
    assert found.answer is not Answer.ACCOUNTED
    assert "WA_IDLE changes both kernels alike" in found.sentence


def test_a_feature_that_both_kernels_have_off_is_a_way_around(
    conn: Connection, dsn: str, catalogue: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    id_ = compared(conn, catalogue, tmp_path)
    rounds(conn, catalogue, settings, tmp_path, id_, {("6.12", "HRTICK"): 0.97})
    found = report(conn, catalogue, id_)
    assert found.answer is Answer.AROUND
    assert found.sentence.startswith("no toggle is the cause of the regression of -")
    assert "sched_features=HRTICK is no part of it, but a way around 7" in found.sentence
    [question] = toggles.questions(conn, catalogue, id_).asked
    said = toggle_attribution.summary(
        toggle_attribution.of(conn, catalogue, id_, [question.subject])
    )
    assert said.startswith("no toggle is the cause; sched_features=HRTICK is a way around 7")


def test_a_feature_that_only_the_new_kernel_has_off_is_the_cause(
    conn: Connection, catalogue: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    """Negative control: the baseline has it on."""
    id_ = compared(conn, catalogue, tmp_path, base="HRTICK")
    rounds(conn, catalogue, settings, tmp_path, id_, {("6.12", "HRTICK"): 0.97})
    found = report(conn, catalogue, id_)
    assert found.answer is Answer.ACCOUNTED
    assert found.sentence.startswith("sched_features=HRTICK accounts for 7")


def test_the_settings_bound_the_boots_and_leave_the_self_proof_out(
    conn: Connection, dsn: str, catalogue: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    id_ = compared(conn, catalogue, tmp_path)
    judge = partial(report_on, conn, catalogue)
    few = evolve(settings, toggles=evolve(settings.toggles, boots=5))
    found = toggle_plan.plan(conn, few, catalogue, [id_, id_, 9999], judge)
    assert found.boots == []
    assert found.skipped == [
        f"comparison {id_}: stress-ng-switch: 9 boots of toggles, and the settings allow 5"
    ]
    asked = CliRunner().invoke(
        main, ["toggle-boots", str(id_), "--format", "json"], env={"VLAG_DATABASE": dsn}
    )
    assert len(json.loads(asked.stdout)["boots"]) == 9
    comparisons.put_prediction(conn, id_, name="p", good=True, text="as predicted")
    assert toggle_plan.plan(conn, settings, catalogue, [id_], judge).boots == []


def test_what_is_no_regression_has_no_toggles(
    conn: Connection, dsn: str, catalogue: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    id_ = compared(conn, catalogue, tmp_path, worse=1.1)  # better
    judge = partial(report_on, conn, catalogue)
    assert toggle_plan.plan(conn, settings, catalogue, [id_], judge).boots == []
    env = {"VLAG_DATABASE": dsn}
    said = CliRunner().invoke(main, ["knobs", "--comparison", str(id_)], env=env)
    assert (said.exit_code, "Traceback" in said.stderr) == (2, False)
    assert "no confirmed REGRESSION" in said.stderr


def test_boots_that_show_no_features_are_said(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    id_ = compared(conn, catalogue, tmp_path)
    conn.execute("UPDATE run SET document = jsonb_set(document, '{environment}', '{}')")
    said = CliRunner().invoke(main, ["knobs", "--comparison", str(id_)], env={"VLAG_DATABASE": dsn})
    assert said.exit_code == 2
    assert "shows the scheduler's features" in said.stderr


OneBoot = tuple[float, str, Mapping[str, str]]  # level, features, knobs


def of_one_kernel(
    conn: Connection,
    catalogue: Catalogue,
    root: Path,
    boots: Sequence[OneBoot],
    knobs: Mapping[str, str],
) -> toggles.Question:
    """Store boots, each (level, features, knobs), and ask about those with `knobs`."""
    for factor, features, own in boots:
        paths = bundles.side(
            root, NEW, catalogue, factors=[factor * f for f in SCATTER], knobs=own,
            environment={FEATURES: features},
        )  # fmt: skip
        bundles.store(conn, catalogue, paths)
    made = compare(
        conn=conn, catalogue=catalogue, board_type="qemu-sim-2",
        base=KernelRef(text="linux-6.12"), new=KernelRef(text="linux-6.12", knobs=knobs),
    )  # fmt: skip
    [question] = toggles.questions(conn, catalogue, made.id).asked
    return question


def test_a_comparison_of_knobs_has_no_toggles_of_them_on_the_base(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    """One kernel with a slow feature on: the base has it off, and another value of the knob."""
    slow = {"sched_features": "SLOW"}
    boots: list[OneBoot] = [(1.0, "NO_SLOW WA_IDLE", {}), (0.9, "SLOW WA_IDLE", slow)]
    question = of_one_kernel(conn, catalogue, tmp_path, boots, slow)
    assert [(t.name, t.on_base) for t in question.toggles] == [
        ("SLOW", False),
        ("WA_IDLE", True),
    ]  # fmt: skip
    judge = partial(report_on, conn, catalogue)
    asked = toggles.missing(conn, catalogue, question, judge)
    boot(conn, catalogue, tmp_path, asked, {("6.12", "NO_SLOW"): 1.0})
    found = judge(question.comparison.id or 0, question.subject)
    assert {t.name: t.on_base for t in found.toggles} == dict.fromkeys(("SLOW", "WA_IDLE"))
    assert found.sentence.startswith("SLOW accounts for")


def test_boots_that_differ_in_two_features_are_no_toggle(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    """One kernel, DELAY_DEQUEUE off: what NEXT_BUDDY alone does says nothing of it."""
    off = {"sched_features": "NO_DELAY_DEQUEUE"}
    shown = "DELAY_DEQUEUE NO_NEXT_BUDDY"
    boots: list[OneBoot] = [
        (1.0, shown, {}),
        (0.9, "NO_DELAY_DEQUEUE NO_NEXT_BUDDY", off),
        (1.01, "DELAY_DEQUEUE NEXT_BUDDY", {"sched_features": "NEXT_BUDDY"}),
    ]
    question = of_one_kernel(conn, catalogue, tmp_path, boots, off)
    id_ = question.comparison.id
    assert id_ is not None
    found = report_on(conn, catalogue, id_, question.subject)
    assert found.toggles == ()
    judge = partial(report_on, conn, catalogue)
    while asked := toggles.missing(conn, catalogue, question, judge):
        boot(conn, catalogue, tmp_path, asked, {("6.12", "DELAY_DEQUEUE"): 1.0})
    found = judge(id_, question.subject)
    assert found.answer is Answer.ACCOUNTED
    assert found.sentence.startswith("sched_features=DELAY_DEQUEUE accounts for 100 %")
    assert {t.name for t in found.toggles} == {
        "sched_features=DELAY_DEQUEUE", "sched_features=NEXT_BUDDY"
    }  # fmt: skip


def test_a_toggle_that_slows_both_kernels_is_booted_on_the_base(
    conn: Connection, catalogue: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    id_ = compared(conn, catalogue, tmp_path)
    levels = {("6.12", "NO_WA_IDLE"): 0.83, ("6.1", "NO_WA_IDLE"): 0.83 / 0.9}
    _first, second = rounds(conn, catalogue, settings, tmp_path, id_, levels)
    assert second == [(BASE["describe"], "NO_WA_IDLE", seed) for seed in (1, 2, 3)]
    found = report(conn, catalogue, id_)
    assert "WA_IDLE changes both kernels alike" in found.sentence
    assert "adds to it" not in found.sentence


def test_what_slows_only_the_new_kernel_adds_to_the_loss(
    conn: Connection, catalogue: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    """Negative control: the base does not mind."""
    id_ = compared(conn, catalogue, tmp_path)
    rounds(conn, catalogue, settings, tmp_path, id_, {("6.12", "NO_WA_IDLE"): 0.83})
    assert "WA_IDLE adds to it: -" in report(conn, catalogue, id_).sentence
