# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""The master's configuration: it loads, it says what is wrong, it asks for the right builds."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest
from attrs import evolve
from buildbot.scripts import checkconfig as checks

from tests.repositories import bare, git
from tests.unit.asked import child, properties, rendered, small_catalogue
from vlag import ROOT, config
from vlag.config import catalogue
from vlag.pipeline.candidates import Candidate
from vlag.pipeline.night_plan import PROOF_KERNELS

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import builders, comparison_steps, kernel, night_steps, schedulers
from tests.settings_files import MASTER

pytestmark = pytest.mark.slow

MASTER_CFG = ROOT / "master" / "master.cfg"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "var" / "secrets").mkdir(parents=True)
    for name in ("worker", "callback"):
        (tmp_path / "var" / "secrets" / name).write_text("a password\n")
    (tmp_path / "vlag.toml").write_text(MASTER)
    return tmp_path


def change(folder: Path, old: str, new: str) -> None:
    path = folder / "vlag.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def checkconfig(folder: Path) -> tuple[int, str]:
    """Return status and words of `buildbot checkconfig`, in a copy of this process.

    A configuration changes classes of Buildbot.
    """
    said = folder / "said"

    def check() -> None:
        os.environ["VLAG_SETTINGS"] = str(folder / "vlag.toml")
        with said.open("w") as out, redirect_stdout(out), redirect_stderr(out):
            status = checks.checkconfig({"configFile": str(MASTER_CFG)})
        os._exit(status)

    # It has imported Buildbot already, which takes seconds.
    child = multiprocessing.get_context("fork").Process(target=check)
    child.start()
    child.join()
    return child.exitcode, said.read_text()


def test_checkconfig_passes(folder: Path) -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("buildbot"), "checkconfig", MASTER_CFG],
        env={**os.environ, "VLAG_SETTINGS": str(folder / "vlag.toml"), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "Config file is good!"), done.stderr
    assert checkconfig(folder) == (0, done.stdout)


def test_master_cfg_only_assembles() -> None:
    assert len(MASTER_CFG.read_text().splitlines()) <= 80


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('plan = "nightly"', 'plan = "nightley"', "no plan 'nightley'; there are: "),
        (
            '["qemu-sim-2"]',
            '["qemu-sim-9"]',
            "branches.0.board_types: no board type or class 'qemu-sim-9'",
        ),
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


@pytest.mark.parametrize("name", ["worker", "callback"])
def test_a_missing_secret_is_a_sentence(folder: Path, name: str) -> None:
    (folder / "var" / "secrets" / name).unlink()
    status, said = checkconfig(folder)
    assert status == 1
    assert f"secrets/{name}: cannot read this secret (No such file or directory)" in said


LAB = """
[labs.home]
url = "http://127.0.0.1:1"
token_file = "token"
artifacts = "http://127.0.0.1:2"
"""


def test_labs_are_taken(folder: Path) -> None:
    path = folder / "vlag.toml"
    path.write_text(MASTER + LAB + 'callback = "http://127.0.0.1:3"\n')
    status, said = checkconfig(folder)
    assert (status, said.count("Traceback")) == (0, 0), said


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("http://127.0.0.1:1", "127.0.0.1:1", "labs.home.url: '127.0.0.1:1' does not match"),
        ("token_file", "token", "labs.home: Additional properties are not allowed ('token'"),
        ("[labs.home]", '[labs."My lab"]', "'My lab' does not match"),
    ],
)
def test_a_wrong_lab_is_a_sentence(folder: Path, old: str, new: str, sentence: str) -> None:
    (folder / "vlag.toml").write_text(MASTER + LAB.replace(old, new))
    status, said = checkconfig(folder)
    assert status == 1
    assert sentence in said


@pytest.fixture
def known() -> catalogue.Catalogue:
    return small_catalogue()


KERNEL = {
    "purpose": "night",
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


BRANCH = config.Branch(
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
    folder: Path, known: catalogue.Catalogue, *branches: config.Branch
) -> list[dict[str, object]]:
    here = evolve(config.load(folder / "vlag.toml"), branches=branches)
    heads = {"debian": ["linux-6.12", "topic/a", "topic/b"]}
    return night_steps.night_requests(night_steps.plan_night(here, known, heads))


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
        monkeypatch.setattr(
            "vlag.pipeline.night_plan.candidates", lambda _b, _n, found=found: found
        )
        asked = asked_by_night(folder, known, watched)
        by_key = {r["key"]: r for r in asked}
        assert len(by_key) == len(asked) == 1 + len(found)
        [against] = asked[-1]["compared_with"]
        assert (by_key[against]["application"], by_key[against]["knobs"]) == (base, {})


def test_each_board_type_is_compared(folder: Path, known: catalogue.Catalogue) -> None:
    base, new = asked_by_night(folder, known, evolve(BRANCH, board_types=("a2", "a4")))
    new["knobs"] = {"sched_features": "X"}
    steps = comparison_steps.comparison_steps([child(base), child(new)])
    assert [s.arguments for s in steps] == [
        [
            *("compare", "k-debian/6.1.*", "k-linux-6.12", "--board-type", board_type),
            *("--plan", "nightly", "--stage", "screen", "--new-knob", "sched_features=X"),
            *("--role", "baseline", "--baseline", "debian/debian/6.1.*"),
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
    [step] = comparison_steps.comparison_steps(children)
    assert sentence is None or sentence in step.sentence
    assert (sentence is None) == hasattr(step, "arguments")


def test_a_head_that_is_its_own_baseline_is_no_comparison(
    folder: Path, known: catalogue.Catalogue
) -> None:
    asked = asked_by_night(folder, known, evolve(BRANCH, board_types=("a2",)))
    [step] = comparison_steps.comparison_steps([child(r, kernel="k") for r in asked])
    assert step.level.sentence == (
        "debian/linux-6.12 on a2: nothing to compare yet, its head is its baseline"
        " debian/debian/6.1.*"
    )
    assert not hasattr(step, "arguments")
    # Negative control: other knobs of one kernel are compared.
    asked[1]["knobs"] = {"sched_features": "X"}
    [step] = comparison_steps.comparison_steps([child(r, kernel="k") for r in asked])
    assert step.arguments[:3] == ["compare", "k", "k"]


@pytest.mark.parametrize(("series", "mark"), [("known-regressions", "no proof: "), (None, "")])
def test_a_known_regression_that_is_not_compared_is_no_proof(
    folder: Path, known: catalogue.Catalogue, series: str | None, mark: str
) -> None:
    asked = asked_by_night(folder, known, evolve(BRANCH, board_types=("a2",)))
    asked[1] |= {"series": series, "application": "solo(5)" if series else "none"}
    [step] = comparison_steps.comparison_steps([child(asked[0]), child(asked[1], kernel=None)])
    assert step.sentence.startswith(f"{mark}baseline debian/6.1.*")


def test_the_last_worker_is_for_pushes(known: catalogue.Catalogue) -> None:
    choose = builders.worker_chooser("local-3", {"local-1": "local", "local-3": "local"})
    free = [mock.Mock(), mock.Mock()]
    free[0].worker.workername, free[1].worker.workername = "local-3", "local-1"

    def request(purpose: str) -> mock.Mock:
        return mock.Mock(properties=properties(purpose=purpose))

    assert choose(None, free, request("night")) is free[1]
    assert choose(None, free[:1], request("night")) is None
    assert choose(None, free[:1], request("push")) is free[0]
    # A search's kernels are in nobody's way.
    assert choose(None, free[:1], request("explain")) is None


def test_a_search_comes_after_everything_else() -> None:
    fan_outs = {s.name: s._config_kwargs["priority"] for s in schedulers._fan_outs()}
    for what in ("kernels", "boards"):
        own = fan_outs.pop(f"{what} for explain")
        assert own < min(p for name, p in fan_outs.items() if name.startswith(what))


def test_only_entries_without_series_are_pushed(folder: Path) -> None:
    here = config.load(folder / "vlag.toml")
    series = evolve(here.branches[0], branch="topic", series="s", applications=("full",))
    both = evolve(here, branches=(*here.branches, series))
    assert [b.branch for b in schedulers.pushed_branches(both)] == ["linux-6.12"]


def test_a_nights_note_says_what_was_expected_and_what_it_took() -> None:
    none = {PROOF_KERNELS: 0}
    ran = properties(kernels_built=5, runs_done=120, estimate_s=3720, started=1000, **none)
    assert night_steps.night_notes(ran, 1000 + 58 * 60) == [
        "The night: 5 kernels built, 120 runs; 62 min were expected, it took 58."
    ]
    unknown = properties(kernels_built=5, runs_done=120, started=1000, **none)
    assert night_steps.night_notes(unknown, 1060) == [
        "The night: 5 kernels built, 120 runs; it took 1 min."
    ]
    early = properties(kernels_built=2, runs_done=42, started=1000)
    [said] = night_steps.night_notes(early, 1000 + 12 * 60)
    assert said.startswith("So far: 2 kernels built, 42 runs; it took 12 min. ")
    assert said.endswith("the whole night follows.")


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

    [empty] = {git(bare(folder), "mktree") for folder in (poller, mirror)}

    def commit(name: str, *parents: str, folder: Path = poller) -> str:
        words = [word for parent in parents for word in ("-p", parent)]
        return git(folder, "commit-tree", empty, "-m", name, *words)

    root, side = commit("root"), commit("side")
    child, merge = commit("child", root), commit("merge", root, side)
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

    # A git that fails now and then costs no commit its parent.
    (tmp_path / "bin").mkdir()
    flaky = tmp_path / "bin" / "git"
    flaky.write_text(
        "#!/bin/sh\n"
        'if [ "$(cat "$0.calls" 2>/dev/null | wc -l)" -lt 2 ]; then\n'
        '\techo x >>"$0.calls"; echo "fatal: not now" >&2; exit 128\nfi\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    flaky.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(tmp_path), child],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": f"{flaky.parent}{os.pathsep}{os.environ['PATH']}"},
    )
    assert done.stdout.split() == [root], done.stderr
    assert (tmp_path / "bin" / "git.calls").read_text() == "x\nx\n"
