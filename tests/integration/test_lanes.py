# SPDX-License-Identifier: GPL-2.0-only
"""Build lanes: real make and gcc in the sandbox, on a tree of a few files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.integration.sched_tree import BROKEN, CORE, HEADER, WARNED, Tree
from vlag.cli.main import main
from vlag.errors import ExitCode

SOME = ("--lane", "up", "--lane", "preempt-rt")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    made = Tree(tmp_path)
    monkeypatch.setenv("VLAG_SETTINGS", str(made.settings))
    return made


def lanes(*words: str) -> Result:
    return CliRunner().invoke(main, ["lanes", *words])


def built(ref: str, *words: str, status: int = 0) -> dict[str, dict[str, Any]]:
    """Return the lanes of a commit by name."""
    result = lanes("--ref", ref, *words, "--format", "json")
    assert result.exit_code == status, result.stderr
    return {lane["lane"]: lane for lane in json.loads(result.stdout)["lanes"]}


def said(ref: str, *words: str, status: int = 0) -> list[str]:
    result = lanes("--ref", ref, *words)
    assert result.exit_code == status, result.stderr
    return result.stdout.splitlines()


def test_a_break_of_one_lane_is_told_until_it_is_mended(tree: Tree) -> None:
    bad = tree.commit("Break one CPU", **{"kernel/sched/core.c": BROKEN})
    found = built(bad, *SOME, status=ExitCode.KERNEL_FAILED)
    assert {name: lane["outcome"] for name, lane in found.items()} == {
        "up": "breaks", "preempt-rt": "builds",
    }  # fmt: skip
    assert found["up"]["is_new"]
    assert found["preempt-rt"]["findings"] == []
    lines = said(bad, *SOME, status=ExitCode.KERNEL_FAILED)
    [line] = [one for one in lines if one.startswith("up:")]
    assert line.startswith("up: breaks: kernel/sched/core.c:7: error: implicit declaration of")
    assert "per_cpu" in (Path(found["up"]["record"]) / "build.log").read_text()
    later = tree.commit("Leave it broken", text="more")
    [up] = built(later, "--lane", "up", status=ExitCode.KERNEL_FAILED).values()
    assert (up["is_new"], [f["is_new"] for f in up["findings"]]) == (False, [False])
    [line] = [x for x in said(later, "--lane", "up", status=20) if x.startswith("up:")]
    assert line.startswith("up: breaks, as its parent: ")
    # Negative control: without the defect there is no finding.
    mended = tree.commit("Mend it", **{"kernel/sched/core.c": CORE})
    assert {(x["outcome"], x["is_new"]) for x in built(mended, *SOME).values()} == {
        ("builds", False)
    }
    assert "up: builds" in said(mended, *SOME)


def test_a_warning_is_told_once_and_only_in_scheduler_code(tree: Tree) -> None:
    bad = tree.commit("Warn", **{"kernel/sched/core.c": WARNED})
    [finding] = built(bad, "--lane", "preempt-rt")["preempt-rt"]["findings"]
    assert finding == {
        "kind": "warning", "file": "kernel/sched/core.c", "line": 4, "count": 1, "is_new": True,
        "message": "unused variable 'unused' [-Wunused-variable]",
    }  # fmt: skip
    assert said(bad, "--lane", "preempt-rt")[1] == (
        "preempt-rt: 1 new warning in kernel/sched/core.c: unused variable 'unused'"
        " [-Wunused-variable]"
    )
    # The same warning some lines below is none that is new; a second one of its kind is.
    moved = tree.commit("Move it", **{"kernel/sched/core.c": f"\n\n{WARNED}"})
    known = built(moved, "--lane", "preempt-rt")["preempt-rt"]
    assert (known["findings"], known["warnings"]) == ([], 1)
    twice = "int idle(void)\n{\n\tint unused;\n\treturn 0;\n}\n"
    more = tree.commit("Once more", **{"kernel/sched/core.c": WARNED + twice})
    assert [f["count"] for f in built(more, *SOME)["up"]["findings"]] == [2]
    # A header of the scheduler is scheduler code, the rest of the tree is not.
    odd = HEADER.replace("{", "{ int odd;")
    header = tree.commit("Header", **{"include/linux/sched.h": odd, "kernel/sched/core.c": CORE})
    assert [f["file"] for f in built(header, *SOME)["up"]["findings"]] == ["include/linux/sched.h"]
    elsewhere = "void start(void) { int odd; schedule(0); }\n"
    other = tree.commit("Elsewhere", **{"init/main.c": f"int schedule(int);\n{elsewhere}"})
    assert built(other, "--lane", "allno-debug")["allno-debug"]["findings"] == []


def test_a_lane_that_a_tree_lacks_is_not_applicable(tree: Tree) -> None:
    found = built(tree.first, "--lane", "lazy", "--lane", "up")
    lazy = found["lazy"]
    assert (lazy["outcome"], lazy["is_new"]) == ("not_applicable", False)
    assert lazy["reason"] == "this kernel has no CONFIG_PREEMPT_LAZY"
    assert found["up"]["outcome"] == "builds"
    # A commit that takes the option away is told.
    kconfig = (tree.folder / "Kconfig").read_text().replace("config PREEMPT_RT\n\tbool\n", "")
    gone = tree.commit("No RT", Kconfig=kconfig)
    rt = built(gone, "--lane", "preempt-rt")["preempt-rt"]
    assert (rt["outcome"], rt["is_new"]) == ("not_applicable", True)
    assert "preempt-rt: no longer applicable: this kernel has no CONFIG_PREEMPT_RT" in said(
        gone, "--lane", "preempt-rt"
    )


def test_the_linker_is_asked_in_the_small_lane(tree: Tree) -> None:
    extern = f"int elsewhere(int);\n{CORE.replace('pick(cpu)', 'elsewhere(cpu)')}"
    bad = tree.commit("Forget it", **{"kernel/sched/core.c": extern})
    small = built(bad, "--lane", "allno-debug", "--lane", "up", status=20)
    assert small["up"]["outcome"] == "builds"
    assert small["allno-debug"]["findings"][0]["message"] == "undefined reference to 'elsewhere'"


def test_nothing_is_built_twice(tree: Tree) -> None:
    bad = tree.commit("Warn", **{"kernel/sched/core.c": WARNED})
    first = lanes("--ref", bad, *SOME)
    assert first.stderr.count(": building ") == 4  # both lanes of the commit and of its parent
    again = lanes("--ref", bad, *SOME)
    assert ": building " not in again.stderr
    assert again.stdout == first.stdout
    # Neither are the same files under another commit.
    tree.commit("Nothing")
    revert = tree.commit("Without it", **{"kernel/sched/core.c": CORE})
    assert ": building " not in lanes("--ref", revert, *SOME).stderr
    # What a kill left is built again: without its record a folder counts for nothing.
    for record in (tree.state / "lanes").glob("*/lane.json"):
        record.unlink()
    assert lanes("--ref", revert, *SOME).stderr.count(": building ") == 2
    assert list((tree.state / "lanes").glob("*.objects")) == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--lane", "none"], "no build lane 'none'; there are: preempt-rt, lazy, up"),
        (["--parent", "none"], "no branch, tag or commit 'none'"),
        (["--tree", "none"], "no tree 'none'"),
    ],
)
def test_a_mistake_gets_one_sentence(tree: Tree, words: list[str], sentence: str) -> None:
    result = lanes("--ref", "main", *words)
    assert result.exit_code == ExitCode.USAGE
    assert sentence in result.stderr.splitlines()[-1]
    assert not (tree.state / "lanes").exists()
