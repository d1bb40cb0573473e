# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""The builder of pushes: what it asks for, what it puts to rerun boots, what it concludes."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest
from attrs import evolve

from tests.unit.asked import child, properties, small_catalogue
from vlag import ROOT
from vlag.config import catalogue
from vlag.pipeline import confirmation

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import comparison_steps, push
from master.confirm import Confirm, confirm_steps, rerun_boots

pytestmark = pytest.mark.slow


@pytest.fixture
def known() -> catalogue.Catalogue:
    return small_catalogue()


SHA = "1234567890abcdef1234567890abcdef12345678"


def pushed(known: catalogue.Catalogue, parent: str | None = "f" * 40, **more: object):
    async def parent_of(_settings: object, _tree: str, ref: str) -> str | None:
        assert ref == SHA
        return parent

    values = {
        "tree": "debian", "plan": "commit", "board_types": ["a2", "a4"],
        "baseline": "debian/6.1.*", "branch": "linux-6.12", "revision": SHA,
    } | more  # fmt: skip
    return asyncio.run(push.push_requests(None, known, properties(**values), parent_of))


def test_a_push_asks_for_baseline_parent_and_head(known: catalogue.Catalogue) -> None:
    base, parent, head = pushed(known)
    assert [r["role"] for r in (base, parent, head)] == ["baseline", "parent", "head"]
    assert [r["ref"] for r in (base, parent, head)] == ["debian/6.1.*", "f" * 40, SHA]
    assert [r["watched"] for r in (base, parent, head)] == [None, "linux-6.12", "linux-6.12"]
    assert head["compared_with"] == [parent["key"], base["key"]]
    assert head["label"] == "linux-6.12 1234567890ab on a2, a4"
    assert {r["plan"] for r in (base, parent, head)} == {"commit"}
    assert {r["purpose"] for r in (base, parent, head)} == {"push"}


def test_the_baseline_of_a_push_may_be_where_its_commit_left_upstream(
    known: catalogue.Catalogue,
) -> None:
    base, *_ = pushed(known, baseline="merge-base:master")
    assert (base["role"], base["ref"], base["watched"]) == ("baseline", f"master...{SHA}", None)
    # Upstream itself leaves nothing: its parent alone is there.
    found = pushed(known, baseline="merge-base:linux-6.12")
    assert [r["role"] for r in found] == ["parent", "head"]


def test_the_baseline_of_a_push_may_be_of_another_tree(known: catalogue.Catalogue) -> None:
    base, parent, head = pushed(known, baseline="v6.6", baseline_tree="stable")
    assert [r["tree"] for r in (base, parent, head)] == ["stable", "debian", "debian"]
    assert base["kernel_name"] == "baseline v6.6 of tree stable"
    base, *_ = pushed(known, baseline="v6.6", baseline_tree="debian")
    assert (base["tree"], base["kernel_name"]) == ("debian", "baseline v6.6")
    assert pushed(known, baseline="v6.6")[0] == base


def test_a_root_commit_has_only_its_baseline(known: catalogue.Catalogue) -> None:
    assert [r["role"] for r in pushed(known, parent=None)] == ["baseline", "head"]


def test_a_baseline_that_is_the_parent_or_the_head_is_not_asked_twice(
    known: catalogue.Catalogue,
) -> None:
    assert [r["role"] for r in pushed(known, baseline="f" * 40)] == ["parent", "head"]
    assert [r["role"] for r in pushed(known, baseline=SHA)] == ["parent", "head"]


def test_a_person_may_ask_without_baseline_and_with_patches(known: catalogue.Catalogue) -> None:
    mine = {"ref": "v6.12", "branch": "", "revision": "", "baseline": ""}
    [alone] = pushed(known, **mine, series="", application="")
    assert (alone["ref"], alone["series"], alone["application"]) == ("v6.12", None, "none")
    _base, head = pushed(known, **mine | {"baseline": "v6.1"}, series="s", application="")
    assert (head["series"], head["application"]) == ("s", "full")
    assert (_base["series"], _base["application"]) == (None, "none")


def finding(**values: object) -> dict[str, object]:
    return {
        "role": "parent", "stage": "screen", "board_type": "a2", "benchmarks": None,
        "regressions": 0, "hints": 0, "suspects": [], "summary": {"UNCHANGED": 9},
    } | values  # fmt: skip


def kept(request: dict[str, object], **values: object) -> dict[str, object]:
    return {"request": request, "results": 0, "outcome": "complete", "reason": None,
            "gate_outcome": None} | values  # fmt: skip


def steps_left(
    known: catalogue.Catalogue, step: Confirm, *found: dict[str, object], **more: object
) -> list[tuple[list[str], str, list[tuple[str, int]]]]:
    """What a round is for: benchmarks, board type, and its boots in order, as side and seed."""
    requests = pushed(known)
    kernels = [kept(r, build_bundle=f"/b/{r['role']}", kernel=r["role"]) for r in requests]
    keys = {r["role"]: r["key"] for r in requests}
    findings = [{"base_key": keys[str(f["role"])], "new_key": keys["head"], **f} for f in found]
    left = step.left(properties(kernels=kernels, findings=findings))
    return [
        (names, f["board_type"], [
            (r["build_bundle"].removeprefix("/b/"), r["seed"])
            for r in rerun_boots(known, [(f, names, base, new)], step.round)
        ])
        for f, names, base, new in left
    ]  # fmt: skip


def test_only_what_is_suspected_and_has_rerun_boots_is_confirmed(
    known: catalogue.Catalogue,
) -> None:
    first, second = confirm_steps(known, push.suspected_of_commit)
    found = [
        finding(board_type="a2", suspects=["yield"], hints=1),
        finding(board_type="a4", suspects=["hack"], better=["yield"]),  # the plan has none of hack
        finding(role="baseline", board_type="a4", suspects=["yield"]),
    ]
    boots = [
        ("parent", 3), ("head", 3), ("head", 4), ("parent", 4), ("parent", 5), ("head", 5),
    ]  # fmt: skip
    assert steps_left(known, first, *found) == [
        (["yield"], "a2", boots), (["yield"], "a4", boots),
    ]  # fmt: skip
    assert steps_left(known, second, *found) == []
    assert steps_left(known, first, finding()) == []


def test_what_rerun_boots_leave_open_gets_more_of_them(known: catalogue.Catalogue) -> None:
    first, second = confirm_steps(known, push.suspected_of_commit)
    left = finding(stage="confirm", round=1, open=["yield"], unsettled=["yield"])
    assert steps_left(known, first, left) == []
    [(_names, _board_type, boots)] = steps_left(known, second, left)
    assert [seed for side, seed in boots if side == "head"] == [6, 7]  # five in all
    assert steps_left(known, second, left | {"open": []}) == []


def test_a_boot_that_repeats_itself_is_asked_for_once(known: catalogue.Catalogue) -> None:
    [first, _second] = confirm_steps(known, push.suspected_of_commit)
    found = [finding(board_type="a2", suspects=["yield"])] * 2
    requests = pushed(known)
    kernels = [kept(r, build_bundle=f"/b/{r['role']}", kernel=r["role"]) for r in requests]
    keys = {r["role"]: r["key"] for r in requests}
    findings = [{**f, "base_key": keys["parent"], "new_key": keys["head"]} for f in found]
    given = properties(kernels=kernels, findings=findings)
    assert len(rerun_boots(known, first.left(given), 1)) == 6
    noisy = evolve(known, board_types={
        name: evolve(t, deterministic=False) for name, t in known.board_types.items()
    })  # fmt: skip
    assert len(rerun_boots(noisy, first.left(given), 1)) == 12


def test_the_comparison_of_rerun_boots_names_its_round(known: catalogue.Catalogue) -> None:
    requests = pushed(known)
    parent, head = (child(r) for r in requests[1:])
    step = comparison_steps.comparison_step(
        parent, head, "a2", stage="confirm", round_=2, benchmarks=["yield"]
    )
    at = step.arguments.index("--stage")
    assert step.arguments[at : at + 6] == [
        "--stage", "confirm", "--round", "2", "--benchmark", "yield",
    ]  # fmt: skip
    assert (step.about["stage"], step.about["round"]) == ("confirm", 2)


@pytest.mark.parametrize(
    ("found", "worth"),
    [
        ({"suspects": ["hack", "yield"], "proof": ["yield"]}, ["yield"]),
        ({"suspects": ["yield"], "proof": []}, []),  # no board of this kind can settle it
        ({"suspects": ["yield"], "proof": ["yield"], "prediction": {"good": True}}, []),
        ({"better": ["hack"]}, ["hack"]),
        ({"suspects": ["yield"], "proof": ["yield"], "better": ["hack"]}, ["hack", "yield"]),
        ({"better": ["hack"], "prediction": {"good": True}}, []),
        # An earlier night has booted these two kernels again.
        ({"proof": ["hack", "yield"], "settled": ["yield"]}, ["hack"]),
    ],
)
def test_what_a_night_confirms(found: dict[str, object], worth: list[str]) -> None:
    assert confirmation.of_a_night(finding(**found)) == worth


SUSPECT = {"suspects": ["yield"], "regressed": ["yield"], "regressions": 1}
FRESH = {"stage": "confirm", "round": 1, "benchmarks": ["yield"]}
HINT = {"suspects": ["yield"], "regressed": ["yield"], "hints": 1}
BETTER = {"better": ["hack"], "improved": ["hack"]}
FRESH_HACK = FRESH | {"benchmarks": ["hack"]}
DOUBT = {"suspects": ["yield"]}  # too little for a verdict of the screen's own
OPEN = {"open": ["yield"], "unsettled": ["yield"]}


@pytest.mark.parametrize(
    ("findings", "said", "result"),
    [
        ([{}], "no regression", 0),
        ([BETTER], "IMPROVEMENT suspected: hack; not rerun", 0),
        ([BETTER, BETTER | FRESH_HACK], "IMPROVEMENT confirmed: hack", 0),
        ([BETTER, FRESH_HACK], "no regression", 0),  # rerun boots do not show it
        ([BETTER | {"improved": []}], "no regression", 0),  # a suspicion, but no verdict
        (
            [BETTER | {"role": "baseline"}],
            "IMPROVEMENT suspected: hack; not rerun against the baseline",
            0,
        ),
        ([{"summary": {"MARGINAL": 1, "UNCHANGED": 8}}], "no regression, 1 marginal", 0),
        ([{"summary": {"INCONCLUSIVE": 9}}], "no verdict: none of 9 results could be judged", 0),
        ([SUSPECT, SUSPECT | FRESH], "REGRESSION confirmed: yield", 1),
        ([SUSPECT, FRESH], "suspicion not confirmed: yield", 0),
        ([DOUBT, SUSPECT | FRESH], "REGRESSION confirmed: yield", 1),
        ([SUSPECT, FRESH | OPEN, SUSPECT | FRESH], "REGRESSION confirmed: yield", 1),
        ([SUSPECT, FRESH | OPEN, FRESH], "suspicion not confirmed: yield", 0),
        ([SUSPECT, FRESH | OPEN], "undecided after a rerun: yield", 0),
        (  # What got better is said all the same.
            [DOUBT | BETTER, FRESH | OPEN, FRESH_HACK | BETTER],
            "IMPROVEMENT confirmed: hack; undecided after a rerun: yield",
            0,
        ),
        (
            [HINT, HINT | FRESH],
            "REGRESSION (hint) confirmed by a rerun: yield; this board cannot prove it",
            1,
        ),
        ([SUSPECT], "REGRESSION suspected: yield; not rerun", 1),
        # Rerun boots on one board type say nothing of the other.
        (
            [SUSPECT, SUSPECT | {"board_type": "a4"}, FRESH],
            "REGRESSION suspected: yield; not rerun",
            1,
        ),
        ([{"role": "baseline"}], "no regression against the baseline", 0),
        ([SUSPECT | {"role": "baseline"}], "REGRESSION against the baseline: yield", 1),
        ([DOUBT | {"role": "baseline"}], "no regression against the baseline", 0),
        # The parent's verdict counts where there is one.
        ([{}, SUSPECT | {"role": "baseline"}], "no regression", 0),
        ([], "not compared", 0),
    ],
)
def test_the_verdict_on_a_push(
    known: catalogue.Catalogue, findings: list[dict[str, object]], said: str, result: int
) -> None:
    kernels = [kept(r) for r in pushed(known)]
    assert push.conclude(kernels, [finding(**f) for f in findings]) == (said, result)


def test_a_head_with_its_parent_s_image_has_that_as_its_verdict(
    known: catalogue.Catalogue, tmp_path: Path
) -> None:
    def kernels(**images: str) -> list[dict[str, object]]:
        for role, sha256 in images.items():
            (tmp_path / role).mkdir(exist_ok=True)
            document = json.dumps({"image": {"sha256": sha256}})
            (tmp_path / role / "build.json").write_text(document)
        return [kept(r, build_bundle=str(tmp_path / r["role"])) for r in pushed(known)]

    both = kernels(baseline="0", parent="1", head="1")
    assert push.same_image(both)
    assert push.conclude(both, [finding()], same=True) == ("same image as its parent", 0)
    # Negative controls: another image, one of two kinds of image, no parent, no image.
    assert not push.same_image(kernels(head="2"))
    kernels(head="1")
    assert not push.same_image([*both, kept(both[2]["request"] | {"board_types": ["b"]})])
    assert not push.same_image([both[0], both[2]])
    assert not push.same_image([kept(r) for r in pushed(known)])
    assert not push.same_image([])
    broken = [*both[:2], both[2] | {"outcome": "build_failed", "reason": "x"}]
    assert push.conclude(broken, [], same=True) == ("build failed: x", 2)


def test_a_head_that_is_its_own_baseline_has_nothing_to_compare_yet(
    known: catalogue.Catalogue,
) -> None:
    asked = [r for r in pushed(known) if r["role"] != "parent"]
    same = [kept(r, kernel="a" * 64) for r in asked]
    said = "nothing to compare yet: it is its own baseline"
    assert push.conclude(same, []) == (said, 0)
    # Negative controls: another kernel, one that is not known, and a parent.
    other = [kept(r, kernel=r["role"]) for r in asked]
    assert push.conclude(other, []) == ("not compared", 0)
    assert push.conclude([kept(r, kernel=None) for r in asked], []) == ("not compared", 0)
    every = [kept(r, kernel="a" * 64) for r in pushed(known)]
    assert push.conclude(every, []) == ("not compared", 0)


def test_a_plan_for_other_boards_measures_nothing(known: catalogue.Catalogue) -> None:
    assert pushed(known, board_types=["unused"]) == []
    said, _result = push.conclude([], [])
    assert said == "nothing to measure: the plan has nothing for these board types"


def test_a_head_that_fails_is_the_verdict(known: catalogue.Catalogue) -> None:
    *others, head = pushed(known)
    kernels = [kept(r) for r in others]
    broken = kept(head, outcome="build_failed", reason="fair.c:1: error", results=2)
    said = ("build failed: fair.c:1: error", 2)
    assert push.conclude([*kernels, broken], [finding()]) == said
    panics = kept(head, gate_outcome="panic", results=2)
    assert push.conclude([*kernels, panics], [finding()]) == ("panic on the first run", 2)
    loses = kept(head, results=2)
    assert push.conclude([*kernels, loses], [finding()]) == ("no regression; runs of it failed", 1)
