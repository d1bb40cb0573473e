"""The lane of pushes: real git, PostgreSQL and Buildbot, a stand-in for the stages."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.installation import Installation
from tests.waiting import until


class Tree:
    """A git repository with a branch that is watched, and somebody who pushes to it."""

    def __init__(self, folder: Path):
        self.url = folder / "tree.git"
        self.work = folder / "work"
        subprocess.run(["git", "init", "--quiet", "--bare", str(self.url)], check=True)
        subprocess.run(["git", "init", "--quiet", str(self.work)], check=True)
        self.first = self.commit("first")
        self.push()

    def git(self, *words: str) -> str:
        identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
        return subprocess.run(
            ["git", "-C", str(self.work), *identity, *words],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    def commit(self, subject: str) -> str:
        self.git("commit", "--quiet", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")

    def push(self) -> None:
        self.git("push", "--quiet", str(self.url), "HEAD:linux-6.12", "HEAD:unwatched")


class Pushed(Installation):
    """The service of all tests of this file."""

    earlier = 0  # builds of pushes before a test


def watched(installation: Installation) -> Tree:
    """Make the tree that an installation watches, with two build lanes; start the service."""
    made = Tree(installation.folder)
    installation.configure(f'[trees.debian]\nurl = "{made.url}"\n', commits="commit")
    settings = installation.settings
    plan = 'commit_plan = "commit"\n'
    settings.write_text(settings.read_text().replace(plan, f'{plan}lanes = ["up", "lazy"]\n'))
    reports = installation.state / "reports"
    reports.mkdir(parents=True)
    (reports / "2026-01-01T000000Z.txt").write_text("an earlier night\n")  # so none is started
    installation.start(once=False)
    # What is there at the first poll is not news.
    poller = installation.state / "master" / "poller-debian"
    until(lambda: list(poller.glob("refs/buildbot/**/linux-6.12")), installation.said)
    until(installation.is_up, installation.said)
    return made


@pytest.fixture(scope="module")
def running(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Pushed, Tree]]:
    """A service that watches a tree."""
    made = Pushed(tmp_path_factory.mktemp("pushes"), checkout)
    try:
        yield made, watched(made)
    finally:
        made.end()


@pytest.fixture
def tree(running: tuple[Pushed, Tree]) -> Iterator[Tree]:
    """A tree of which all commits so far have been run."""
    installation, made = running
    made.first = made.git("rev-parse", "HEAD")
    yield made
    # What a test began has ended before the next one.
    installation.behave()
    web = installation.web()
    until(lambda: not web.get("/buildrequests", complete="false"), installation.said)


@pytest.fixture
def installation(running: tuple[Pushed, Tree], tree: Tree) -> Pushed:
    """The service, which has forgotten earlier pushes."""
    made, _ = running
    (made.fake / "log").unlink(missing_ok=True)
    made.earlier = len(all_pushes(made))
    return made


def pushes(installation: Pushed) -> list[dict[str, Any]]:
    """Builds of this test's pushes that have ended, but for those that were cut off."""
    return all_pushes(installation)[installation.earlier :]


def all_pushes(installation: Installation) -> list[dict[str, Any]]:
    web = installation.web()
    [builder] = web.get("/builders", name="push")
    builds = web.get(
        f"/builders/{builder['builderid']}/builds",
        order="buildid",
        complete="true",
        property=["revision", "verdict"],
    )
    return [b for b in builds if b["results"] != 5]


def verdicts(installation: Pushed) -> list[str]:
    """Each push's verdict, which must be the end of its build's own summary."""
    found = [(b["properties"]["verdict"][0], b["state_string"]) for b in pushes(installation)]
    assert [verdict for verdict, said in found if not said.endswith(verdict)] == []
    return [verdict for verdict, _said in found]


def steps(installation: Pushed, build: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = installation.web().get(f"/builds/{build['buildid']}/steps")
    return {step["name"]: step for step in found}


def log(installation: Pushed, step: dict[str, Any], name: str) -> str:
    web = installation.web()
    [found] = [x for x in web.get(f"/steps/{step['stepid']}/logs") if x["name"] == name]
    return "".join(c["content"] for c in web.get(f"/logs/{found['logid']}/contents"))


def test_a_merge_is_run_as_the_commits_that_it_brings(installation: Pushed, tree: Tree) -> None:
    tree.git("checkout", "--quiet", "-b", "topic")
    brought = []
    for path in ("kernel/sched/fair.c", "drivers/x.c", "include/linux/sched/x.h"):
        (tree.work / path).parent.mkdir(parents=True, exist_ok=True)
        (tree.work / path).write_text(path)
        tree.git("add", path)
        brought.append(tree.commit(path))
    tree.git("checkout", "--quiet", "-")
    own = tree.commit("own")
    tree.git("merge", "--quiet", "--no-ff", "-m", "merge", "topic")
    merge = tree.git("rev-parse", "HEAD")
    tree.push()
    until(lambda: len(pushes(installation)) >= 4, installation.said)
    # The driver's commit is in the merge's verdict only.
    alone = [brought[0], brought[2]]
    assert [b["properties"]["revision"][0] for b in pushes(installation)] == [own, *alone, merge]
    heads = [e["places"] for e in installation.log("end", "compare")]
    for pair in ([tree.first, brought[0]], [brought[1], brought[2]], [own, merge]):
        assert pair in heads


def test_a_suspicion_is_put_to_rerun_boots(installation: Pushed, tree: Tree) -> None:
    real, false, hint = (tree.commit(name) for name in ("real", "false", "hint"))
    bad, maybe = {"regressions": 2}, {"hints": 1}
    installation.behave(
        suspected={real: bad, false: bad, hint: maybe}, confirmed={real: bad, hint: maybe}
    )
    tree.push()
    until(lambda: len(pushes(installation)) >= 3, installation.said)
    names = [f"linux-6.12 {c[:12]}" for c in (real, false, hint)]
    assert verdicts(installation) == [
        f"{names[0]}: REGRESSION confirmed: stress-ng-switch",
        f"{names[1]}: suspicion not confirmed: stress-ng-switch",
        f"{names[2]}: REGRESSION (hint) confirmed by a rerun: stress-ng-switch; "
        "this board cannot prove it",
    ]
    first, second, third = pushes(installation)
    assert [b["results"] for b in (first, second, third)] == [1, 0, 1]
    assert f"{names[0]}: REGRESSION confirmed" in installation.said()

    # Only the parent's comparison is confirmed, with the seed after those of the screen.
    confirmed = [e for e in installation.log("end", "compare") if e["--stage"] == "confirm"]
    assert [e["places"] for e in confirmed] == [
        [tree.first, real], [real, false], [false, hint],
    ]  # fmt: skip
    assert {e["--benchmark"] for e in confirmed} == {"stress-ng-switch"}
    assert {e["--round"] for e in confirmed} == {"1"}
    seeds = {(e["places"][0].rsplit("/", 1)[-1], e["--seed"]) for e in installation.log(verb="run")}
    assert {(real, "1"), (real, "2"), (tree.first, "2")} <= seeds
    assert ("debian_6.1.*", "2") not in seeds

    # From the push's page to the kernel's, the run's, and to what the board said.
    web = installation.web()
    found = steps(installation, first)
    # The commit's plan has nothing for the other board type: two comparisons and a third.
    assert "REPORT of 1, 2, 3" in log(installation, found["report"], "report")
    comparison = next(s for name, s in found.items() if name.startswith("compare"))
    assert f"TABLE of {tree.first} and {real}" in log(installation, comparison, "table")
    assert "REGRESSION: stress-ng-switch (2 of 11 results)" in comparison["state_string"]
    children = [u for u in found["kernels"]["urls"] if "/builds/" in u["url"]]
    assert len(children) == 3
    builder, number = children[-1]["url"].rsplit("/builders/", 1)[-1].split("/builds/")
    [kernel] = web.get(f"/builders/{builder}/builds", number=number, property="label")
    assert kernel["properties"]["label"][0] == f"{names[0]} on qemu-sim-2"
    below = steps(installation, kernel)
    assert f"log of {real}" in log(installation, below["build log"], "build.log")
    run_url = next(u["url"] for u in below["first run"]["urls"] if "/builds/" in u["url"])
    builder, number = run_url.rsplit("/builders/", 1)[-1].split("/builds/")
    [run] = web.get(f"/builders/{builder}/builds", number=number)
    raw = steps(installation, run)["raw output"]
    assert f"numbers of {real}" in log(installation, raw, "output")
    assert "Linux version" in log(installation, raw, "console")


def test_what_rerun_boots_leave_open_gets_twice_as_many(installation: Pushed, tree: Tree) -> None:
    settled, open_ = (tree.commit(name) for name in ("settled", "open"))
    bad = {"regressions": 2}
    installation.behave(
        suspected={settled: bad, open_: bad}, confirmed={settled: bad}, open={settled: 1, open_: 9}
    )
    tree.push()
    until(lambda: len(pushes(installation)) >= 2, installation.said)
    assert [said.split(": ", 1)[1] for said in verdicts(installation)] == [
        "REGRESSION confirmed: stress-ng-switch",
        "undecided after a rerun: stress-ng-switch",
    ]
    rounds = [
        (e["places"][1], e["--round"])
        for e in installation.log("end", "compare")
        if e["--stage"] == "confirm"
    ]
    assert rounds == [(settled, "1"), (settled, "2"), (open_, "1"), (open_, "2")]
    seeds = {(e["places"][0].rsplit("/", 1)[-1], e["--seed"]) for e in installation.log(verb="run")}
    assert {seed for kernel, seed in seeds if kernel == open_} == {"1", "2", "3"}


def test_kernels_that_fail_are_the_verdict_or_are_left_out(
    installation: Pushed, tree: Tree
) -> None:
    broken, mended, panics = (tree.commit(name) for name in ("broken", "mended", "panics"))
    installation.behave(build_fails=[broken], panics=[panics], lane_breaks=[[mended, "up"]])
    tree.push()
    until(lambda: len(pushes(installation)) >= 3, installation.said)
    assert [said.split(": ", 1)[1] for said in verdicts(installation)] == [
        "build failed: fair.c:1: error",
        "no regression against the baseline",
        "panic on the first run",
    ]
    assert [b["results"] for b in pushes(installation)] == [2, 0, 2]
    sentences = [s["state_string"] for s in steps(installation, pushes(installation)[1]).values()]
    parent = f"parent linux-6.12 {broken[:12]}"
    assert (
        f"{parent} to linux-6.12 {mended[:12]} on qemu-sim-2: not compared: "
        f"{parent}: build failed: fair.c:1: error"
    ) in sentences
    _lanes_follow(installation, [broken, mended, panics], mended)


def _lanes_follow(installation: Pushed, commits: list[str], bad: str) -> None:
    """Check that the build lanes of commits came after all pushes, in their order."""
    until(lambda: len(installation.log("end", "lanes")) >= 6, installation.said)
    asked = [(e["--ref"], e["--lane"]) for e in installation.log("begin", "lanes")]
    assert asked == [(commit, lane) for commit in commits for lane in ("up", "lazy")]
    verbs = [e["verb"] for e in installation.log("begin")]
    assert {"lanes"} == set(verbs[verbs.index("lanes") :])
    web = installation.web()
    [builder] = web.get("/builders", name="lanes")
    place = f"/builders/{builder['builderid']}/builds"
    ended = {"order": "buildid", "complete": "true", "property": "ref"}

    def of_these() -> list[dict[str, Any]]:
        return [b for b in web.get(place, **ended) if b["properties"]["ref"][0] in commits]

    until(lambda: len(of_these()) >= 3, installation.said)
    builds = of_these()
    assert [(b["properties"]["ref"][0] == bad, b["results"]) for b in builds] == [
        (False, 0), (True, 1), (False, 0),
    ]  # fmt: skip
    found = steps(installation, builds[1])
    assert found["lane up"]["state_string"].startswith("up: breaks: core.c:1: error")
    assert found["lane lazy"]["state_string"].startswith("lazy: builds")


def toggled(installation: Pushed) -> list[dict[str, Any]]:
    """Return the boots with a toggle that have ended."""
    every = installation.log("end", "run")
    return [e for e in every if e.get("--knob") == "sched_features=NO_X"]


def test_what_is_confirmed_is_explained_after_the_verdict(installation: Pushed, tree: Tree) -> None:
    real, _ = (tree.commit(name) for name in ("real", "quiet"))
    between = "c" * 40
    bad = {"regressions": 2}
    installation.behave(
        suspected={real: bad}, confirmed={real: bad}, profiled=[tree.first, real], toggled=[real],
        searched=[between],
    )  # fmt: skip
    tree.push()
    until(lambda: len(toggled(installation)) >= 5, installation.said)
    until(lambda: len(pushes(installation)) >= 2, installation.said)
    assert [b["results"] for b in pushes(installation)] == [1, 0]
    # The report and the alerts come first; a commit without a change is not asked about.
    verbs = [e["verb"] for e in installation.log("begin")]
    assert verbs.index("report") < verbs.index("alerts") < verbs.index("profile-boots")
    [asked] = installation.log("end", "profile-boots")
    [compared] = [
        n for n, e in enumerate(installation.log("begin", "compare"), 1)
        if e["places"] == [tree.first, real] and e["--stage"] == "screen"
    ]  # fmt: skip
    assert asked["places"] == [str(compared)]
    boots = [e for e in installation.log("end", "run") if e.get("--observe") == "profile"]
    assert sorted((e["places"][0].rsplit("/", 1)[-1], e["--seed"]) for e in boots) == sorted(
        (ref, seed) for ref in (tree.first, real) for seed in ("1", "2", "3")
    )
    [stored] = installation.log("end", "profile-runs")
    assert stored["places"][0] == str(compared)
    assert len(stored["places"]) == 1 + 6
    # The toggles follow, in two rounds.
    assert verbs.index("profile-runs") < verbs.index("toggle-boots")
    assert [e["places"] for e in installation.log("end", "toggle-boots")] == [[str(compared)]] * 2
    boots = toggled(installation)
    assert {e["places"][0].rsplit("/", 1)[-1] for e in boots} == {real}
    assert sorted(e["--seed"] for e in boots[:3]) == ["1", "2", "3"]
    assert sorted(e["--seed"] for e in boots[3:]) == ["4", "5"]
    # Then the search of a commit: a kernel without a plan, its boots, and the answer.
    until(lambda: len(installation.log("end", "bisect-steps")) >= 3, installation.said)
    assert [e["places"] for e in installation.log("end", "bisect-steps")] == [[str(compared)]] * 3
    assert [e["--ref"] for e in installation.log("end", "build")].count(between) == 1
    recorded = installation.log("end", "reusable-runs")
    assert not [e for e in recorded if e["places"][0].endswith(between)]
    boots = [e for e in installation.log("end", "run") if e["places"][0].endswith(between)]
    assert sorted(e["--seed"] for e in boots) == ["1001", "1002"]


def test_commits_at_once_survive_a_killed_master(installation: Pushed, tree: Tree) -> None:
    process = installation.running[-1]
    commits = [tree.commit(f"number {i}") for i in range(1, 4)]
    reports = installation.state / "reports"
    before = len(list((reports / "push").glob("*.txt")))
    tree.push()
    until(lambda: len(installation.log("end", "compare")) >= 3, installation.said)
    os.kill(installation.master(), signal.SIGKILL)
    status, said = installation.finish(process)
    assert status == 75, said
    assert len(installation.log("end", "compare")) < 6, (
        "the lane was over before the master was killed"
    )

    installation.start(once=False)
    until(installation.is_up, installation.said)
    until(lambda: len(pushes(installation)) >= 3, installation.said)
    done = pushes(installation)
    assert [b["properties"]["revision"][0] for b in done] == commits
    assert verdicts(installation) == [f"linux-6.12 {c[:12]}: no regression" for c in commits]
    web = installation.web()
    [builder] = web.get("/builders", name="push")
    requests = web.get(f"/builders/{builder['builderid']}/buildrequests")
    assert len(requests) == installation.earlier + 3
    assert all(r["complete"] for r in requests)

    # One after the other, each with its parent and the baseline.
    heads = [e["places"] for e in installation.log("end", "compare")]
    assert [new for _base, new in heads] == sorted((new for _base, new in heads), key=commits.index)
    for parent, commit in zip([tree.first, *commits], commits, strict=False):
        assert [parent, commit] in heads
        assert ["debian/6.1.*", commit] in heads
    assert len(list((reports / "push").glob("*.txt"))) == before + 3
    assert len(list(reports.glob("*.txt"))) == 1
