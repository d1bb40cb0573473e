# SPDX-License-Identifier: GPL-2.0-only
"""Five commits pushed at once: five verdicts, in order, and the regressing one is named.

The branch is that of the first night.  Commit by commit: a comment that moves line
numbers, a slower pick path, a document, the pick path mended, a kernel that warns while it
is measured.
"""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from attrs import frozen

from tests.night.clone import BRANCHES, Night, write_settings
from tests.night.service import child, edited, get, patched, push, report_of, rows, serving
from vlag import ROOT
from vlag.kernel import series

pytestmark = pytest.mark.long

PATCHES = ROOT / "kernel-patches" / "known-regressions"
COMMENT, SLOW, DOCUMENT, MENDED, WARNING = range(5)
#: In the middle of each benchmark, which fill pipes many thousand times; once a boot.
DECLARED = "\tbool wake_next_writer = false;\n"
SPLAT = """	static atomic_t vlag_writes = ATOMIC_INIT(0);

	WARN_ON_ONCE(atomic_inc_return(&vlag_writes) == 15000);
"""


@frozen(kw_only=True)
class Pushed:
    """What became of the commits."""

    shas: list[str]
    builds: list[dict[str, Any]]  # of builder push, with properties
    reports: list[list[dict[str, Any]]]  # a build's comparisons
    runs: list[dict[str, Any]]  # rows of the database

    def against_parent(self, commit: int, stage: str = "screen") -> dict[str, Any]:
        """Return the comparison of a commit with its parent."""
        return next(
            r
            for r in self.reports[commit]
            if r["stage"] == stage and r["base"]["commit"] == self.parent(commit)
        )

    def parent(self, commit: int) -> str:
        return self.shas[commit - 1] if commit else ""


@pytest.fixture(scope="module")
def pushed(night: Night, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pushed]:
    folder = tmp_path_factory.mktemp("commits")
    toml = write_settings(night.clone, "push.toml", BRANCHES, poll_interval_s=5)
    slow = PATCHES / "02-pick-path.patch"
    with serving(night, toml) as service:
        # The poller must have seen the branch as it was: its first look builds nothing.
        started = time.monotonic()
        shas = push(
            night,
            "linux-6.12",
            [
                ("sched/core: comment", patched(PATCHES / "01-comment-only.patch")),
                ("sched/fair: look again at each pick", patched(slow)),
                ("docs: say more", edited("Documentation/scheduler/index.rst", "", "\n..\n")),
                ("Revert: sched/fair: look again at each pick", patched(slow, back=True)),
                ("pipe: warn", edited("fs/pipe.c", DECLARED, DECLARED + SPLAT)),
            ],
            folder,
        )

        def done() -> list[dict[str, Any]]:
            builds = service.builds("push")
            return builds if sum(b["complete"] for b in builds) == len(shas) else []

        builds = service.wait(done)
        seconds = time.monotonic() - started
        write_times(night, builds, seconds)
        yield Pushed(
            shas=shas,
            builds=builds,
            reports=[
                [report_of(night, c) for c in b["properties"].get("comparisons", [])]
                for b in builds
            ],
            runs=rows(night, "SELECT r.*, k.commit FROM run r JOIN kernel k ON k.id = r.kernel"),
        )


def write_times(night: Night, builds: list[dict[str, Any]], seconds: float) -> None:
    """Leave what `python -m bench commits` makes its page of."""
    commits = []
    for build in builds:
        steps = get(f"builds/{build['buildid']}/steps")["steps"]
        compared = [s["complete_at"] for s in steps if s["name"].startswith("compare")]
        screen = [s["complete_at"] for s in steps if s["name"] == "kernels"]
        commits.append(
            {
                "verdict": build["properties"]["verdict"],
                # The comparisons that follow the kernels take a second or two each.
                "screened_s": min(t for t in compared if t >= screen[0]) - build["started_at"],
                "judged_s": build["complete_at"] - build["started_at"],
            }
        )
    document = {"seconds": seconds, "commits": commits}
    (night.clone / "pushed.json").write_text(json.dumps(document, indent=1))


def flagged(
    report: dict[str, Any], verdict: str = "REGRESSION", *, hints: bool = False
) -> set[str]:
    """Return the series with a verdict that this board can prove; its `hints` only suspect."""
    return {
        f"{r['benchmark']} {r['metric']}"
        for r in report["rows"]
        if r["verdict"] == verdict and (hints or not r["hint"])
    }


def verdict_of(pushed: Pushed, commit: int) -> str:
    return str(pushed.builds[commit]["properties"]["verdict"])


def test_five_results_in_order(pushed: Pushed) -> None:
    assert [b["properties"]["revision"] for b in pushed.builds] == pushed.shas
    ends = [b["complete_at"] for b in pushed.builds]
    assert ends == sorted(ends)
    for build, sha in zip(pushed.builds, pushed.shas, strict=True):
        assert sha[:12] in build["properties"]["verdict"]


def test_the_regressing_commit_is_named_and_no_other(pushed: Pushed) -> None:
    assert "REGRESSION confirmed: " in verdict_of(pushed, SLOW)
    assert "stress-ng-switch" in verdict_of(pushed, SLOW)
    for commit in (COMMENT, DOCUMENT, MENDED):
        assert "REGRESSION" not in verdict_of(pushed, commit)
    assert [b["results"] for b in pushed.builds[:4]] == [0, 1, 0, 0]  # 1: warnings


def test_what_is_flagged_is_what_the_header_predicts(pushed: Pushed) -> None:
    [patch] = [
        p for p in series.read(PATCHES.parent, PATCHES.name) if p.name == "02-pick-path.patch"
    ]
    predicted = {p.benchmark for p in patch.trailers.predicts or ()}
    for stage in ("screen", "confirm"):
        report = pushed.against_parent(SLOW, stage)
        found = {name.split()[0] for name in flagged(report)}
        assert found, stage
        assert found <= predicted
        assert not flagged(report, "IMPROVEMENT", hints=stage == "confirm")

    # Rerun boots: not one of those that raised the suspicion.  They are beneath a figure of the
    # screen that they decided, and before the screen's own.
    def seeds(stage: str, *, screen: bool) -> set[int]:
        origins = pushed.against_parent(SLOW, stage)["origins"]
        [rate] = [o for o in origins if o["benchmark"] == "stress-ng-switch"]
        return {r["seed"] for r in rate["runs"] if r["screen"] == screen}

    assert seeds("screen", screen=True) == {1, 2, 3, 4, 5}
    fresh = seeds("confirm", screen=False)
    assert seeds("screen", screen=False) == fresh
    assert fresh == set(range(6, 16))


def test_the_patch_taken_back_is_an_improvement(pushed: Pushed) -> None:
    report = pushed.against_parent(MENDED)
    assert flagged(report, "IMPROVEMENT") == flagged(pushed.against_parent(SLOW))
    assert "IMPROVEMENT confirmed: stress-ng-switch" in verdict_of(pushed, MENDED)
    fresh = pushed.against_parent(MENDED, "confirm")
    assert flagged(fresh, "IMPROVEMENT") == flagged(report, "IMPROVEMENT")
    assert not flagged(report)
    # A hint of the screen does not survive rerun boots.
    if suspected := flagged(report, hints=True):
        assert not flagged(pushed.against_parent(MENDED, "confirm"), hints=True) & suspected


def test_a_comment_gives_another_image_and_all_is_run(pushed: Pushed) -> None:
    comment = pushed.shas[COMMENT]
    mine = [r for r in pushed.runs if r["commit"] == comment]
    assert {r["seed"] for r in mine if r["benchmark"] == "stress-ng-switch"} >= {1, 2, 3, 4, 5}
    # The patch taken back is this very image again; what it needs more is rerun boots.
    others = [r for r in pushed.runs if r["commit"] not in (comment, pushed.shas[MENDED])]
    assert not {r["image_sha256"] for r in others} & {r["image_sha256"] for r in mine}
    [report] = [
        r
        for r in pushed.reports[COMMENT]
        if r["base"]["release"].startswith("6.12.") and r["stage"] == "screen"
    ]
    assert not flagged(report)
    assert not flagged(report, "IMPROVEMENT")
    # As they are: five boots a side, but for a percentile that some of them do not know.
    judged = [r for r in report["rows"] if (r["n_base"], r["n_new"]) == (5, 5)]
    assert {r["benchmark"] for r in judged} == {"stress-ng-switch", "cyclictest-hackbench"}
    assert all(r["effect"] is not None for r in judged)
    assert any(r["effect"] for r in judged)


def test_a_commit_that_changes_no_image_runs_nothing(pushed: Pushed) -> None:
    """Its parent's runs are its own: to the last digit, with the runs of record.

    What the next commit leaves open may boot it again, with seeds that are on no record.
    """
    mine = {r["seed"] for r in pushed.runs if r["commit"] == pushed.shas[DOCUMENT]}
    assert not mine & {1, 2, 3, 4, 5}
    assert {r["seed"] for r in pushed.runs if r["commit"] == pushed.shas[SLOW]} >= {1, 2, 3, 4, 5}
    report = pushed.against_parent(DOCUMENT)
    assert {r["verdict"] for r in report["rows"]} <= {"UNCHANGED", "INCONCLUSIVE"}
    # A boot with too few samples does not know the last percentiles.
    known = [r for r in report["rows"] if (r["n_base"], r["n_new"]) == (5, 5)]
    assert {"median", "p99", "max"} <= {r["statistic"] for r in known}
    assert {r["effect"] for r in known} == {0.0}


def test_what_is_on_record_is_not_asked_for(pushed: Pushed) -> None:
    """The third commit's kernel needs no run at all, its parent's neither."""
    steps = get(f"builds/{pushed.builds[DOCUMENT]['buildid']}/steps")["steps"]
    urls = next(step["urls"] for step in steps if step["name"] == "kernels")
    kernels = {child(url["url"]) for url in urls if "kernel" in url["name"]}
    assert len(kernels) == 3  # baseline, parent, head
    for kernel in kernels:
        [build] = get(f"builds/{kernel}?property=*")["builds"]
        assert len(build["properties"]["recorded"][0]) == 10
    # Negative control: the second commit's own kernel had to be run.
    assert pushed.shas[SLOW] in {r["commit"] for r in pushed.runs}


def test_nothing_is_twice(pushed: Pushed) -> None:
    keys = [r["run_key"] for r in pushed.runs if r["outcome"] == "complete"]
    assert len(keys) == len(set(keys))


def test_a_splat_while_measuring_is_on_the_run_and_its_samples_are_marked(
    pushed: Pushed,
) -> None:
    hit = [
        r
        for r in pushed.runs
        if r["commit"] == pushed.shas[WARNING] and r["benchmark"] == "stress-ng-switch"
    ]
    assert len(hit) == 5
    for run in hit:
        assert run["outcome"] == "complete"
        lines = [h for h in run["health"] if h["kind"] == "warning"]
        assert [h["phase"] for h in lines] == ["benchmark"], run["health"]
        assert "fs/pipe.c" in lines[0]["text"]
        assert any("pipe_write" in line for line in lines[0]["detail"])
    report = pushed.against_parent(WARNING)
    row = next(r for r in report["rows"] if r["benchmark"] == "stress-ng-switch")
    assert row["marked"] == {"base": 0, "new": 5}
    [health] = [h for h in report["health"] if "fs/pipe.c" in h["text"]]
    assert health["side"] == "new"
    # Negative control: no other commit's runs are marked.
    others = [r for r in pushed.runs if r["commit"] in pushed.shas[:WARNING]]
    assert others
    assert not [r["health"] for r in others if r["health"]]


def test_pages_lead_from_the_push_to_the_raw_output(pushed: Pushed) -> None:
    """From the build of a commit by links and logs to the tool's own words."""
    push_steps = get(f"builds/{pushed.builds[SLOW]['buildid']}/steps")["steps"]
    kernels = next(s for s in push_steps if s["name"] == "kernels")
    kernel = max(child(u["url"]) for u in kernels["urls"] if "kernel" in u["name"])
    kernel_steps = get(f"builds/{kernel}/steps")["steps"]
    runs = next(s for s in kernel_steps if s["name"] == "runs")
    board_steps = get(f"builds/{child(runs['urls'][0]['url'])}/steps")["steps"]
    raw = next(s for s in board_steps if s["name"] == "raw output")
    logs = {log["name"]: log["logid"] for log in get(f"steps/{raw['stepid']}/logs")["logs"]}
    chunks = get(f"logs/{logs['output']}/contents")["logchunks"]
    assert "stress-ng: metrc:" in chunks[0]["content"]
    assert "console" in logs
    tables = [s for s in push_steps if s["name"].startswith("compare")]
    for step in tables:
        assert "table" in {log["name"] for log in get(f"steps/{step['stepid']}/logs")["logs"]}


def test_the_report_is_attached(pushed: Pushed) -> None:
    steps = get(f"builds/{pushed.builds[SLOW]['buildid']}/steps")["steps"]
    report = next(s for s in steps if s["name"] == "report")
    logs = {log["name"]: log["logid"] for log in get(f"steps/{report['stepid']}/logs")["logs"]}
    text = "".join(c["content"] for c in get(f"logs/{logs['report']}/contents")["logchunks"])
    assert "REGRESSION confirmed" in text
    assert "stress-ng-switch" in text
