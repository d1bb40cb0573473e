# mypy: ignore-errors
# Buildbot has no types.
"""The master's configuration: it loads, it says what is wrong, it asks for the right builds."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from attrs import evolve
from buildbot.process.properties import Properties

from vlag import ROOT
from vlag.model import Board, BoardType, Plan, PlanEntry
from vlag.pipeline import catalogue, settings
from vlag.pipeline.candidates import Candidate

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import builders, comparisons, kernel, night, push, schedulers
from master.confirm import Confirm, confirm_steps, fresh_boots
from master.triggers import Child

SETTINGS = """
state = "var"
[ports]
postgresql = 5442
web = 8010
worker = 9989
[trees.debian.packages]
"linux-6.1" = "linux-source-6.1"
"linux-6.12" = "linux-source-6.12"
[[branches]]
tree = "debian"
branch = "linux-6.12"
baseline = "debian/6.1.*"
board_types = ["qemu-sim-2"]
plan = "nightly"
[nightly]
hour = 1
minute = 30
[build]
jobs = 0
poll_interval_s = 30
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "var" / "secrets").mkdir(parents=True)
    (tmp_path / "var" / "secrets" / "worker").write_text("a password\n")
    (tmp_path / "vlag.toml").write_text(SETTINGS)
    return tmp_path


def change(folder: Path, old: str, new: str) -> None:
    path = folder / "vlag.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def checkconfig(folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        [Path(sys.executable).with_name("buildbot"), "checkconfig", ROOT / "master" / "master.cfg"],
        env={**os.environ, "VLAG_SETTINGS": str(folder / "vlag.toml"), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_checkconfig_passes(folder: Path) -> None:
    status, said = checkconfig(folder)
    assert (status, said.strip()) == (0, "Config file is good!")


def test_master_cfg_only_assembles() -> None:
    assert len((ROOT / "master" / "master.cfg").read_text().splitlines()) <= 80


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('plan = "nightly"', 'plan = "nightley"', "no plan 'nightley'; there are: "),
        ('["qemu-sim-2"]', '["qemu-sim-9"]', "no board type 'qemu-sim-9'; there are: "),
        (
            'plan = "nightly"',
            'plan = "nightly"\ncommit_plan = "x"',
            "no plan 'x'; there are: ",
        ),
        ("web = 8010", 'web = "x"', "vlag.toml: ports.web: 'x' is not of type 'integer'"),
        ("hour = 1", "huor = 1", "vlag.toml: nightly: "),
    ],
)
def test_a_wrong_setting_is_a_sentence(folder: Path, old: str, new: str, sentence: str) -> None:
    change(folder, old, new)
    status, said = checkconfig(folder)
    assert status == 1
    assert sentence in said
    assert "Traceback" not in said


def test_a_missing_password_is_a_sentence(folder: Path) -> None:
    (folder / "var" / "secrets" / "worker").unlink()
    status, said = checkconfig(folder)
    assert status == 1
    assert "cannot read the worker's password (No such file or directory)" in said


def properties(**values: object) -> Properties:
    found = Properties()
    for name, value in values.items():
        found.setProperty(name, value, "test")
    return found


def rendered(argument: object, found: Properties) -> list[object]:
    return argument.getRenderingFor(found).result


def kind(name: str, *fragments: str) -> BoardType:
    loaded = catalogue.load().board_type("qemu-sim-2")
    return evolve(loaded, name=name, kconfig=fragments)


def entry(benchmark: str, *board_types: str, confirm: int = 0, most: int = 0) -> PlanEntry:
    return PlanEntry(
        benchmark=benchmark,
        parameters={"pipe": 4},
        board_types=board_types,
        seeds=2,
        confirm_seeds=confirm,
        confirm_most=most,
        timeout_s=240,
    )


@pytest.fixture
def known() -> catalogue.Catalogue:
    """Two board types that share an image and one that does not."""
    types = (kind("a2", "c"), kind("a4", "c"), kind("other", "c", "d"), kind("unused", "c"))
    entries = (entry("yield", "a2", "a4", "other", confirm=3, most=5), entry("hack", "a4"))
    return catalogue.Catalogue(
        benchmarks={},
        board_types={t.name: t for t in types},
        plans={name: Plan(name=name, entries=entries) for name in ("nightly", "commit")},
        boards=tuple(Board(name=f"{t.name}-1", board_type=t.name) for t in types),
    )


KERNEL = {
    "lane": "night",
    "tree": "debian",
    "ref": "linux-6.12",
    "kernel_name": "linux-6.12",
    "watched": None,
    "series": None,
    "application": "none",
    "knobs": {},
    "board_types": ["a2", "a4"],
    "plan": "nightly",
    "kernel": "ab",
    "build_bundle": "/b/ab",
}


def test_a_kernel_asks_for_each_entry_board_type_and_seed(known: catalogue.Catalogue) -> None:
    asked = kernel.run_requests(known, properties(**KERNEL))
    assert [(r["benchmark"], r["board_type"], r["seed"]) for r in asked] == [
        *(("yield", board_type, seed) for board_type in ("a2", "a4") for seed in (1, 2)),
        *(("hack", "a4", seed) for seed in (1, 2)),
    ]
    assert {r["build_bundle"] for r in asked} == {"/b/ab"}
    assert asked[0]["label"] == "linux-6.12 yield seed 1 on a2"
    assert kernel.run_requests(known, properties(**KERNEL | {"board_types": ["none"]})) == []


def test_arguments_of_a_run() -> None:
    run = {"benchmark": "b", "parameters": {"pipe": 4}, "seed": 3, "timeout_s": 240}
    words = rendered(kernel.run_arguments, properties(**KERNEL | {"knobs": {"x": "Y"}}, **run))
    options = ["--plan=nightly", "--benchmark=b", "--seed=3", "--timeout=240"]
    end = ["--param", "pipe=4", "--knob", "x=Y", "--reuse", "--format", "json"]
    assert words == ["run", "/b/ab", *options, *end]


def test_arguments_of_a_build() -> None:
    start = ["build", "--tree", "debian", "--ref", "linux-6.12"]
    end = ["--board-type", "a2", "--format", "json"]
    named = properties(**KERNEL | {"watched": "linux-6.12"})
    assert rendered(kernel.build_arguments, named) == [*start, "--branch", "linux-6.12", *end]
    patched = properties(**KERNEL | {"series": "s", "application": "solo(2)"})
    patches = ["--series", "s", "--application", "solo(2)"]
    assert rendered(kernel.build_arguments, patched) == [*start, *patches, *end]
    unpatched = properties(**KERNEL | {"series": "s"})
    assert rendered(kernel.build_arguments, unpatched) == [*start, *end]


BRANCH = settings.Branch(
    tree="debian",
    branch="linux-6.12",
    baseline="debian/6.1.*",
    board_types=("a2", "other", "unused", "a4"),
    plan="nightly",
    commit_plan="commit",
    series=None,
    applications=(),
)


def asked_by_night(
    folder: Path, known: catalogue.Catalogue, *branches: settings.Branch
) -> list[dict[str, object]]:
    here = evolve(settings.load(folder / "vlag.toml"), branches=branches)
    return night.night_requests(here, known, {"debian": ["linux-6.12", "topic/a", "topic/b"]})


def test_board_types_that_share_an_image_share_a_kernel(
    folder: Path, known: catalogue.Catalogue
) -> None:
    asked = asked_by_night(folder, known, BRANCH)
    assert [(r["ref"], r["board_types"]) for r in asked] == [
        ("debian/6.1.*", ["a2", "a4"]),
        ("debian/6.1.*", ["other"]),
        ("linux-6.12", ["a2", "a4"]),
        ("linux-6.12", ["other"]),
    ]
    assert [r["compared_with"] for r in asked[2:]] == [[r["key"]] for r in asked[:2]]


def test_a_night_asks_for_each_kernel_once(folder: Path, known: catalogue.Catalogue) -> None:
    one = evolve(BRANCH, board_types=("a2",))
    again = evolve(one, baseline="debian/6.6.*")
    topics = evolve(one, branch="topic/*")
    asked = asked_by_night(folder, known, one, again, topics, one)
    assert [r["ref"] for r in asked] == [
        "debian/6.1.*", "debian/6.6.*", "linux-6.12", "topic/a", "topic/b",
    ]  # fmt: skip
    # Watched twice with two baselines: built once, compared twice.
    assert asked[2]["compared_with"] == [asked[0]["key"], asked[1]["key"]]


def test_knobs_are_compared_with_the_same_kernel_without_them(
    folder: Path, known: catalogue.Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    patched = {"series": "s", "application": "solo(1)"}
    plain = Candidate(**patched, knobs={}, label="p")
    tuned = Candidate(**patched, knobs={"sched_features": "X"}, label="p (sched_features=X)")
    watched = evolve(BRANCH, board_types=("a2",))
    for found, base in (([plain, tuned], "solo(1)"), ([tuned], "none")):
        monkeypatch.setattr("vlag.pipeline.night.candidates", lambda _b, _n, found=found: found)
        asked = asked_by_night(folder, known, watched)
        by_key = {r["key"]: r for r in asked}
        assert len(by_key) == len(asked) == 1 + len(found)
        [against] = asked[-1]["compared_with"]
        assert (by_key[against]["application"], by_key[against]["knobs"]) == (base, {})


def child(request: dict[str, object], **found: object) -> Child:
    ended = {"kernel": f"k-{request['ref']}", "outcome": "complete", **found}
    return Child(request=request, results=0, properties=ended)


def test_each_board_type_is_compared(folder: Path, known: catalogue.Catalogue) -> None:
    base, new = asked_by_night(folder, known, evolve(BRANCH, board_types=("a2", "a4")))
    new["knobs"] = {"sched_features": "X"}
    steps = comparisons.comparison_steps([child(base), child(new)])
    assert [s.arguments for s in steps] == [
        [
            *("compare", "k-debian/6.1.*", "k-linux-6.12", "--board-type", board_type),
            *("--plan", "nightly", "--stage", "screen", "--new-knob", "sched_features=X"),
            *("--exit-code", "--format", "text+json"),
        ]
        for board_type in ("a2", "a4")
    ]


@pytest.mark.parametrize(
    ("which", "found", "sentence"),
    [
        (0, {"outcome": "build_failed", "reason": "x.c:1"}, "not compared: baseline debian/6.1.*"
         ": build failed: x.c:1"),
        (0, {"kernel": None}, "not compared: baseline debian/6.1.* could not be built"),
        (1, {"kernel": None}, "not compared: linux-6.12 could not be built"),
        (1, {"outcome": "build_failed"}, None),  # the report tells of it
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_a_sentence(
    folder: Path, known: catalogue.Catalogue, which: int, found: dict[str, object], sentence: str
) -> None:
    asked = asked_by_night(folder, known, evolve(BRANCH, board_types=("a2",)))
    children = [child(r, **(found if i == which else {})) for i, r in enumerate(asked)]
    [step] = comparisons.comparison_steps(children)
    assert sentence is None or sentence in step.sentence
    assert (sentence is None) == hasattr(step, "arguments")


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
    assert {r["lane"] for r in (base, parent, head)} == {"push"}


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
            for r in fresh_boots(known, [(f, names, base, new)], step.round)
        ])
        for f, names, base, new in left
    ]  # fmt: skip


def test_only_what_is_suspected_and_has_fresh_boots_is_confirmed(
    known: catalogue.Catalogue,
) -> None:
    first, second = confirm_steps(known, push.suspected_of_commit)
    found = [
        finding(board_type="a2", suspects=["yield"], hints=1),
        finding(board_type="a4", suspects=["hack", "yield"]),  # the plan has none of hack
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


def test_what_fresh_boots_leave_open_gets_more_of_them(known: catalogue.Catalogue) -> None:
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
    assert len(fresh_boots(known, first.left(given), 1)) == 6
    noisy = evolve(known, board_types={
        name: evolve(t, deterministic=False) for name, t in known.board_types.items()
    })  # fmt: skip
    assert len(fresh_boots(noisy, first.left(given), 1)) == 12


def test_the_comparison_of_fresh_boots_names_its_round(known: catalogue.Catalogue) -> None:
    requests = pushed(known)
    parent, head = (child(r) for r in requests[1:])
    step = comparisons.comparison_step(
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
    ],
)
def test_what_a_night_confirms(found: dict[str, object], worth: list[str]) -> None:
    assert night.worth_confirming(finding(**found)) == worth


SUSPECT = {"suspects": ["yield"], "regressed": ["yield"], "regressions": 1}
FRESH = {"stage": "confirm", "round": 1, "benchmarks": ["yield"]}
HINT = {"suspects": ["yield"], "regressed": ["yield"], "hints": 1}
DOUBT = {"suspects": ["yield"]}  # too little for a verdict of the screen's own
OPEN = {"open": ["yield"], "unsettled": ["yield"]}


@pytest.mark.parametrize(
    ("findings", "said", "result"),
    [
        ([{}], "no regression", 0),
        ([{"summary": {"UNCHANGED": 8, "IMPROVEMENT": 1}}], "IMPROVEMENT: 1 of 9 results", 0),
        ([{"summary": {"INCONCLUSIVE": 9}}], "no verdict: none of 9 results could be judged", 0),
        ([SUSPECT, SUSPECT | FRESH], "REGRESSION confirmed: yield", 1),
        ([SUSPECT, FRESH], "suspicion not confirmed: yield", 0),
        ([DOUBT, SUSPECT | FRESH], "REGRESSION confirmed: yield", 1),
        ([SUSPECT, FRESH | OPEN, SUSPECT | FRESH], "REGRESSION confirmed: yield", 1),
        ([SUSPECT, FRESH | OPEN, FRESH], "suspicion not confirmed: yield", 0),
        ([SUSPECT, FRESH | OPEN], "not decided: yield suspected, fresh boots leave it open", 0),
        (
            [HINT, HINT | FRESH],
            "REGRESSION (hint) confirmed on fresh boots: yield; this board cannot prove it",
            1,
        ),
        ([SUSPECT], "REGRESSION suspected: yield; no fresh boots of it", 1),
        # Fresh boots on one board type say nothing of the other.
        (
            [SUSPECT, SUSPECT | {"board_type": "a4"}, FRESH],
            "REGRESSION suspected: yield; no fresh boots of it",
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


def test_the_last_worker_is_for_pushes(known: catalogue.Catalogue) -> None:
    choose = builders.worker_chooser("local-3")
    free = [mock.Mock(), mock.Mock()]
    free[0].worker.workername, free[1].worker.workername = "local-3", "local-1"

    def request(lane: str) -> mock.Mock:
        return mock.Mock(properties=properties(lane=lane))

    assert choose(None, free, request("night")) is free[1]
    assert choose(None, free[:1], request("night")) is None
    assert choose(None, free[:1], request("push")) is free[0]


def test_only_entries_without_series_are_pushed(folder: Path) -> None:
    here = settings.load(folder / "vlag.toml")
    series = evolve(here.branches[0], branch="topic", series="s", applications=("full",))
    both = evolve(here, branches=(*here.branches, series))
    assert [b.branch for b in schedulers.pushed_branches(both)] == ["linux-6.12"]


def test_a_nights_note_says_what_was_expected_and_what_it_took() -> None:
    ran = properties(kernels_built=5, runs_done=120, estimate_s=3720, started=1000)
    assert night.night_notes(ran, 1000 + 58 * 60) == [
        "The night: 5 kernels built, 120 runs; 62 min were expected, it took 58."
    ]
    unknown = properties(kernels_built=5, runs_done=120, started=1000)
    assert night.night_notes(unknown, 1060) == [
        "The night: 5 kernels built, 120 runs; it took 1 min."
    ]


def test_only_watched_branches_are_fetched(folder: Path) -> None:
    change(folder, 'branch = "linux-6.12"', 'branch = "topic/*"')
    [poller] = schedulers.pollers(settings.load(folder / "vlag.toml"))
    fits = poller._config_kwargs["branches"]
    assert fits("refs/heads/topic/a")
    assert not fits("refs/heads/linux-6.12")
    assert not fits("refs/tags/topic/a")


ASK = """
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from twisted.internet import defer, task
from master.trees import first_parent
state = Path(sys.argv[1])
here = SimpleNamespace(state=state, mirror=lambda tree: state / "mirrors" / f"{tree}.git")
async def main(_reactor):
    for commit in sys.argv[2:]:
        print(await first_parent(here, "debian", commit))
task.react(lambda reactor: defer.ensureDeferred(main(reactor)))
"""


def test_the_first_parent_is_asked_of_poller_and_mirror(tmp_path: Path) -> None:
    poller, mirror = tmp_path / "master" / "poller-debian", tmp_path / "mirrors" / "debian.git"

    def git(folder: Path, *words: str) -> str:
        identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
        done = subprocess.run(
            ["git", f"--git-dir={folder}", *identity, *words],
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    for folder in (poller, mirror):
        subprocess.run(["git", "init", "--quiet", "--bare", str(folder)], check=True)
    empty = subprocess.run(
        ["git", f"--git-dir={poller}", "mktree"], input="", check=True, capture_output=True,
        text=True,
    ).stdout.strip()  # fmt: skip

    def commit(name: str, *parents: str, folder: Path = poller) -> str:
        words = [word for parent in parents for word in ("-p", parent)]
        return git(folder, "commit-tree", empty, "-m", name, *words)

    root, side = commit("root"), commit("side")
    child, merge = commit("child", root), commit("merge", root, side)
    subprocess.run(["git", f"--git-dir={mirror}", "mktree"], input=b"", check=True)
    old = commit("old", folder=mirror)
    only_built = commit("built", old, folder=mirror)
    asked = [child, merge, root, only_built, "e" * 40]
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(tmp_path), *asked],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == [root, root, "None", old, "None"], done.stderr
