# SPDX-License-Identifier: GPL-2.0-only
"""The lane of pushes: real git, PostgreSQL and Buildbot, a stand-in for the stages."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from tests.integration.installation import Installation
from tests.integration.pushes import Tree, builds_of, pushes, requests_of, watched
from tests.waiting import until

#: What becomes of the commits that are pushed at once, in their order.  All that a verdict may
#: say is in tests/unit/test_master_push.py.
FATES = ("real", "false", "settled", "panics", "broken", "mended")
SWITCH = "stress-ng-switch"


def verdict(build: Mapping[str, Any]) -> str:
    """Return a push's verdict, which must be the end of its build's own summary."""
    found = str(build["properties"]["verdict"][0])
    assert build["state_string"].endswith(found)
    return found


def steps(installation: Installation, build: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = installation.web().get(f"/builds/{build['buildid']}/steps")
    return {step["name"]: step for step in found}


def text(installation: Installation, step: dict[str, Any], name: str) -> str:
    """Return a step's log."""
    web = installation.web()
    [found] = [x for x in web.get(f"/steps/{step['stepid']}/logs") if x["name"] == name]
    return "".join(c["content"] for c in web.get(f"/logs/{found['logid']}/contents"))


@frozen(kw_only=True)
class Pushed:
    """A service after a push of many commits, in the middle of which its master was killed."""

    service: Installation
    tree: Tree
    first: str  # what was there before
    commits: dict[str, str]  # by what becomes of them
    driver: str  # commit of the topic that is no work on the scheduler
    alone: str  # the commit after it
    merge: str  # of both
    builds: list[dict[str, Any]]
    killed: int  # process id of the master that was killed
    calls: list[dict[str, Any]]  # of stages

    @property
    def revisions(self) -> list[str]:
        """What must be run, in order."""
        return [*self.commits.values(), self.alone, self.merge]

    def build(self, fate: str) -> dict[str, Any]:
        [found] = [b for b in self.builds if b["properties"]["revision"][0] == self.commits[fate]]
        return found

    def compared(self, stage: str) -> list[dict[str, Any]]:
        """Return the comparisons of a stage; what was begun again after the kill counts once."""
        found: list[dict[str, Any]] = []
        for call in self.calls:
            if (call["what"], call["verb"]) == ("end", "compare") and call["--stage"] == stage:
                one = {k: v for k, v in call.items() if k not in ("at", "host")}
                found += [] if one in found else [one]
        return found

    def seeds(self, kernel: str) -> set[str]:
        runs = [c for c in self.calls if c["verb"] == "run"]
        return {c["--seed"] for c in runs if c["places"][0].rsplit("/", 1)[-1] == kernel}


@pytest.fixture(scope="module")
def pushed(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pushed]:
    service = Installation(tmp_path_factory.mktemp("pushes"), checkout)
    try:
        tree = watched(service)
        commits = {fate: tree.commit(fate) for fate in FATES}
        yield _gone(service, tree, commits)
    finally:
        service.end()


def _gone(service: Installation, tree: Tree, commits: dict[str, str]) -> Pushed:
    """Push commits and a merge, kill the master, and wait for all verdicts."""
    tree.git("checkout", "--quiet", "-b", "topic")
    driver = tree.commit("driver", **{"drivers/x.c": "x"})
    alone = tree.commit("fair", **{"kernel/sched/fair.c": "x"})
    tree.git("checkout", "--quiet", "-")
    tree.git("merge", "--quiet", "--no-ff", "-m", "merge", "topic")
    of = commits.__getitem__
    bad = {"regressions": 2}
    fates: dict[str, Any] = {
        "suspected": {of(f): bad for f in ("real", "false", "settled")},
        "confirmed": {of("real"): bad, of("settled"): bad},
        "open": {of("settled"): 1},
        "panics": [of("panics")],
        "build_fails": [of("broken")],
        "lane_breaks": [[of("mended"), "up"]],
    }
    # The second commit's boot lasts until the master is killed; the first one's build lanes wait.
    service.behave(**fates, blocked=[of("false")])
    tree.push()
    until(
        lambda: any(e["places"][0].endswith(of("false")) for e in service.log("begin", "run")),
        service.said,
    )
    until(lambda: [r for r in requests_of(service, "lanes") if not r["complete"]], service.said)
    until(lambda: f"{of('real')[:12]}: REGRESSION confirmed" in service.said(), service.said)
    assert len(pushes(service)) == 1
    assert builds_of(service, "lanes") == [], "the lanes were over before the kill"
    killed = service.master()
    os.kill(killed, signal.SIGKILL)
    service.behave(**fates)
    until(lambda: service.said().count("the service is up") == 2, service.said)
    wanted = len(commits) + 2
    until(lambda: len(pushes(service)) >= wanted, service.said)
    until(lambda: len(builds_of(service, "lanes")) >= wanted, service.said)
    return Pushed(
        service=service,
        tree=tree,
        first=tree.first,
        commits=commits,
        driver=driver,
        alone=alone,
        merge=tree.git("rev-parse", "HEAD"),
        builds=pushes(service),
        killed=killed,
        calls=service.log("begin") + service.log("end"),
    )


def test_each_commit_is_run_once_and_in_order(pushed: Pushed) -> None:
    """Though the master was killed in the middle of the second one."""
    assert pushed.killed != pushed.service.master()
    assert "the master process ended unexpectedly (status -9)" in pushed.service.said()
    assert [b["properties"]["revision"][0] for b in pushed.builds] == pushed.revisions
    web = pushed.service.web()
    [builder] = web.get("/builders", name="push")
    requests = web.get(f"/builders/{builder['builderid']}/buildrequests")
    assert [r["complete"] for r in requests] == [True] * len(pushed.revisions)
    reports = pushed.service.state / "reports"
    assert len(list((reports / "push").glob("*.txt"))) == len(pushed.revisions)
    assert len(list(reports.glob("*.txt"))) == 1, "a push's report is no night's"


def test_each_verdict_is_that_of_the_boots(pushed: Pushed) -> None:
    said = {
        "real": (1, f"REGRESSION confirmed: {SWITCH}"),
        "false": (0, f"suspicion not confirmed: {SWITCH}"),
        "settled": (1, f"REGRESSION confirmed: {SWITCH}"),
        "panics": (2, "panic on the first run"),
        "broken": (2, "build failed: fair.c:1: error"),
        "mended": (0, "no regression against the baseline"),
    }
    for fate, (result, words) in said.items():
        build = pushed.build(fate)
        assert verdict(build) == f"linux-6.12 {pushed.commits[fate][:12]}: {words}"
        assert build["results"] == result, fate
    # The first one came before the kill.
    everything = "".join(map(pushed.service.said, range(len(pushed.service.running))))
    for fate in ("real", "settled"):
        assert verdict(pushed.build(fate)) in everything


def test_a_merge_is_run_as_the_commits_that_it_brings(pushed: Pushed) -> None:
    """The driver's commit is in the merge's verdict only."""
    for revision in (pushed.alone, pushed.merge):
        [build] = [b for b in pushed.builds if b["properties"]["revision"][0] == revision]
        assert verdict(build) == f"linux-6.12 {revision[:12]}: no regression"
    heads = [c["places"] for c in pushed.compared("screen")]
    assert [pushed.driver, pushed.alone] in heads
    assert [pushed.commits["mended"], pushed.merge] in heads
    assert pushed.driver not in [new for _base, new in heads]


def test_each_commit_is_compared_with_its_parent_and_the_baseline(pushed: Pushed) -> None:
    heads = [c["places"] for c in pushed.compared("screen")]
    good = ("real", "false", "settled")
    parents = [pushed.first, *(pushed.commits[fate] for fate in good)]
    for parent, fate in zip(parents, good, strict=False):
        assert [parent, pushed.commits[fate]] in heads
        assert ["debian/6.1.*", pushed.commits[fate]] in heads
    order = [pushed.revisions.index(new) for _base, new in heads]
    assert order == sorted(order)


def test_only_a_suspicion_is_put_to_rerun_boots(pushed: Pushed) -> None:
    """What they leave open gets another round; only the parent's comparison is confirmed."""
    commits = [pushed.first, *pushed.commits.values()]
    confirmed = pushed.compared("confirm")
    rounds = [("real", "1"), ("false", "1"), ("settled", "1"), ("settled", "2")]
    assert [(c["places"], c["--round"]) for c in confirmed] == [
        ([commits[FATES.index(fate)], pushed.commits[fate]], number) for fate, number in rounds
    ]
    assert {c["--benchmark"] for c in confirmed} == {SWITCH}
    # Their seeds come after those of the screen.
    assert pushed.seeds(pushed.first) == {"1", "2"}
    assert pushed.seeds(pushed.commits["real"]) == {"1", "2"}
    assert pushed.seeds(pushed.commits["settled"]) == {"1", "2", "3"}
    assert pushed.seeds("debian_6.1.*") == pushed.seeds(pushed.commits["panics"]) == {"1"}


def test_a_kernel_that_fails_is_left_out(pushed: Pushed) -> None:
    found = steps(pushed.service, pushed.build("mended")).values()
    parent = f"parent linux-6.12 {pushed.commits['broken'][:12]}"
    assert (
        f"{parent} to linux-6.12 {pushed.commits['mended'][:12]} on qemu-sim-2: not compared: "
        f"{parent}: build failed: fair.c:1: error"
    ) in [s["state_string"] for s in found]


def test_pages_lead_from_a_push_to_what_the_board_said(pushed: Pushed) -> None:
    installation, (real, first) = pushed.service, (pushed.commits["real"], pushed.first)
    web = installation.web()
    found = steps(installation, pushed.build("real"))
    # The commit's plan has nothing for the other board type: two comparisons and a third.
    assert "REPORT of 1, 2, 3" in text(installation, found["report"], "report")
    comparison = next(s for name, s in found.items() if name.startswith("compare"))
    assert f"TABLE of {first} and {real}" in text(installation, comparison, "table")
    assert f"REGRESSION: {SWITCH} (2 of 11 results)" in comparison["state_string"]
    children = [u for u in found["kernels"]["urls"] if "/builds/" in u["url"]]
    assert len(children) == 3
    builder, number = children[-1]["url"].rsplit("/builders/", 1)[-1].split("/builds/")
    [kernel] = web.get(f"/builders/{builder}/builds", number=number, property="label")
    assert kernel["properties"]["label"][0] == f"linux-6.12 {real[:12]} on qemu-sim-2"
    below = steps(installation, kernel)
    assert f"log of {real}" in text(installation, below["build log"], "build.log")
    run_url = next(u["url"] for u in below["first run"]["urls"] if "/builds/" in u["url"])
    builder, number = run_url.rsplit("/builders/", 1)[-1].split("/builds/")
    [run] = web.get(f"/builders/{builder}/builds", number=number)
    raw = steps(installation, run)["raw output"]
    assert f"numbers of {real}" in text(installation, raw, "output")
    assert "Linux version" in text(installation, raw, "console")


def test_build_lanes_follow_after_all_pushes(pushed: Pushed) -> None:
    begun = [c for c in pushed.calls if c["what"] == "begin"]
    asked = [(c["--ref"], c["--lane"]) for c in begun if c["verb"] == "lanes"]
    assert asked == [(commit, lane) for commit in pushed.revisions for lane in ("up", "lazy")]
    verbs = [c["verb"] for c in begun]
    assert not {"build", "run", "compare"} & set(verbs[verbs.index("lanes") :])
    builds = builds_of(pushed.service, "lanes", "ref")
    results = {b["properties"]["ref"][0]: b["results"] for b in builds}
    mended = pushed.commits["mended"]
    assert results == {commit: int(commit == mended) for commit in pushed.revisions}
    [build] = [b for b in builds if b["results"]]
    found = steps(pushed.service, build)
    assert found["lane up"]["state_string"].startswith("up: breaks: core.c:1: error")
    assert found["lane lazy"]["state_string"].startswith("lazy: builds")


def test_what_is_confirmed_is_explained_after_the_verdict(pushed: Pushed) -> None:
    installation, tree, parent = pushed.service, pushed.tree, pushed.merge
    # Of the commits before, the suspected ones were asked about, and no other.
    asked = [c for c in pushed.calls if (c["what"], c["verb"]) == ("end", "profile-boots")]
    suspected = ("real", "false", "settled")
    properties = [pushed.build(fate)["properties"] for fate in suspected]
    assert {place for c in asked for place in c["places"]} == {
        p["comparisons"][0][0] for p in properties
    }
    # What each commit executes is counted whatever its verdict is.
    histories = [c for c in pushed.calls if (c["what"], c["verb"]) == ("end", "path-boots")]
    assert {place for c in asked for place in c["places"]} < {
        place for c in histories for place in c["places"]
    }

    (installation.fake / "log").unlink()
    real, between = tree.commit("explained"), "c" * 40
    bad = {"regressions": 2}
    installation.behave(
        suspected={real: bad}, confirmed={real: bad}, profiled=[parent, real], toggled=[real],
        counted=[real], searched=[between],
    )  # fmt: skip
    tree.push()
    until(lambda: len(installation.log("end", "bisect-steps")) >= 3, installation.said)
    until(lambda: len(pushes(installation)) > len(pushed.builds), installation.said)
    assert pushes(installation)[-1]["results"] == 1
    # The report and the alerts come first.
    verbs = [e["verb"] for e in installation.log("begin")]
    assert verbs.index("report") < verbs.index("alerts") < verbs.index("profile-boots")
    [profiled] = installation.log("end", "profile-boots")
    [compared] = [
        n for n, e in enumerate(installation.log("begin", "compare"), 1)
        if e["places"] == [parent, real] and e["--stage"] == "screen"
    ]  # fmt: skip
    assert profiled["places"] == [str(compared)]
    boots = [e for e in installation.log("end", "run") if e.get("--observe") == "profile"]
    boots = [e for e in boots if e["--seed"] != "9"]
    assert _booted(boots) == sorted((ref, seed) for ref in (parent, real) for seed in "12")
    [stored] = installation.log("end", "profile-runs")
    assert stored["places"][0] == str(compared)
    assert len(stored["places"]) == 1 + 4
    # The boot of the history is stored as well.
    [history] = [e for e in installation.log("end", "run") if e.get("--seed") == "9"]
    assert history["--observe"] == "profile"
    [stored] = installation.log("end", "path-runs")
    assert len(stored["places"]) == 1
    # The toggles follow, round after round until nothing is missing.
    assert verbs.index("profile-runs") < verbs.index("toggle-boots")
    assert [e["places"] for e in installation.log("end", "toggle-boots")] == [[str(compared)]] * 3
    boots = [e for e in installation.log("end", "run") if e.get("--knob") == "sched_features=NO_X"]
    assert _booted(boots[:2]) == [(real, seed) for seed in "12"]
    assert _booted(boots[2:]) == [(real, "3")]
    # Then the search of a commit: a kernel without a plan, its boots, and the answer.
    assert [e["places"] for e in installation.log("end", "bisect-steps")] == [[str(compared)]] * 3
    assert [e["--ref"] for e in installation.log("end", "build")].count(between) == 1
    recorded = installation.log("end", "reusable-runs")
    assert not [e for e in recorded if e["places"][0].endswith(between)]
    boots = [e for e in installation.log("end", "run") if e["places"][0].endswith(between)]
    assert _booted(boots) == [(between, seed) for seed in ("1001", "1002")]


def _booted(calls: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return the kernel and the seed of each boot, sorted."""
    return sorted((c["places"][0].rsplit("/", 1)[-1], c["--seed"]) for c in calls)
