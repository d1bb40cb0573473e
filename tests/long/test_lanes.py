# SPDX-License-Identifier: GPL-2.0-only
"""Build lanes on a real kernel: 6.12 with commits that only some configurations notice."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from click.testing import CliRunner

from tests import sandboxes, settings_files
from tests.long.history import Index
from vlag import ROOT, config
from vlag.cli.main import main
from vlag.errors import ExitCode
from vlag.kernel import lane_kind
from vlag.pipeline.build_stage import commit_of

pytestmark = pytest.mark.long

BRANCH = "linux-6.12"
SETTINGS = settings_files.settings(
    trees=f'[trees.debian.packages]\n"{BRANCH}" = "linux-source-6.12"', baseline="debian/6.12.*",
    keys='lanes = ["up", "preempt-rt", "lazy"]', jobs=0,
) + f'[sandbox]\nuser = "{sandboxes.user()}"\n'  # fmt: skip
#: What each commit appends to a file, in their order; then all of it is taken back.
UP = b"\n#ifndef CONFIG_SMP\nint on_one_cpu(void) { return cpu_of_nobody(); }\n#endif\n"
RT = (b"\n#ifdef CONFIG_PREEMPT_RT\nint with_rt(void);\n"
      b"int with_rt(void) { return no_such_lock; }\n#endif\n")  # fmt: skip
WARNS = b"\nint idle_note(void);\nint idle_note(void) { int unused; return 0; }\n"
#: And after that: only clang says this.
COMPARES = (b"\nint idle_is(int state);\nint idle_is(int state)\n"
            b"{\n\tif ((state == 1))\n\t\treturn 2;\n\treturn state;\n}\n")  # fmt: skip
ALL = ("up", "preempt-rt", "lazy")


@frozen(kw_only=True)
class Commits:
    """The commits on top of the kernel."""

    base: str
    up: str
    rt: str
    warns: str
    mended: str
    compares: str


class Branch:
    """Commits on top of one another, into a mirror."""

    def __init__(self, mirror: Path, file: Path, base: str):
        """Begin at a commit; `file` is git's own index."""
        self._index = Index(mirror=mirror, file=file)
        self.head = self._index.read(base)

    def commit(self, subject: str, name: str, *, more: bytes = b"", less: bytes = b"") -> str:
        """Append to a file of the scheduler, or take something out of it."""
        self._index.edit(name, lambda text: text.replace(less, b"") + more)
        self.head = self._index.commit(self.head, subject)
        return self.head


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commits]:
    folder = tmp_path_factory.mktemp("lanes")
    folder.chmod(0o755)
    subprocess.run([ROOT / "workers/setup-host", "packages", ROOT / lane_kind.PACKAGES], check=True)
    path = folder / "vlag.toml"
    path.write_text(SETTINGS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VLAG_SETTINGS", str(path))
        settings = config.load()
        base = commit_of(settings, "debian", BRANCH).sha
        branch = Branch(settings.mirror("debian"), folder / "index", base)
        up = branch.commit("sched/core: forget one CPU", "core", more=UP)
        rt = branch.commit("sched/rt: forget RT", "rt", more=RT)
        warns = branch.commit("sched/fair: leave a note", "fair", more=WARNS)
        for name, less in (("core", UP), ("rt", RT), ("fair", WARNS)):
            mended = branch.commit(f"sched/{name}: mend it", name, less=less)
        compares = branch.commit("sched/idle: compare", "idle", more=COMPARES)
        yield Commits(base=base, up=up, rt=rt, warns=warns, mended=mended, compares=compares)


def lanes(commit: str, *words: str, status: int = 0) -> dict[str, dict[str, Any]]:
    """Return the lanes of a commit by name."""
    argv = ["lanes", "--ref", commit, "--branch", BRANCH, *words, "--format", "json"]
    result = CliRunner().invoke(main, argv)
    assert result.exit_code == status, result.output
    return {lane["lane"]: lane for lane in json.loads(result.stdout.splitlines()[-1])["lanes"]}


def test_the_kernel_itself_builds_in_each_lane(kernel: Commits) -> None:
    words = [w for name in (*ALL, "allno-debug", "arm64", "clang") for w in ("--lane", name)]
    found = lanes(kernel.base, *words)
    outcomes = {name: of["outcome"] for name, of in found.items()}
    assert outcomes == {
        "up": "builds", "preempt-rt": "builds", "lazy": "not_applicable", "allno-debug": "builds",
        "arm64": "builds", "clang": "builds",
    }  # fmt: skip
    assert found["lazy"]["reason"] == "this kernel has no CONFIG_PREEMPT_LAZY"


def test_a_commit_that_breaks_one_cpu_only(kernel: Commits) -> None:
    found = lanes(kernel.up, status=ExitCode.KERNEL_FAILED)
    assert {name for name, of in found.items() if of["is_new"]} == {"up"}
    assert found["preempt-rt"]["outcome"] == "builds"
    first = found["up"]["findings"][0]
    assert (first["kind"], first["file"]) == ("error", "kernel/sched/core.c")
    assert "cpu_of_nobody" in first["message"]


def test_a_commit_that_breaks_rt_only(kernel: Commits) -> None:
    found = lanes(kernel.rt, status=ExitCode.KERNEL_FAILED)
    assert {name for name, of in found.items() if of["is_new"]} == {"preempt-rt"}
    assert found["up"]["outcome"] == "breaks"  # as its parent
    assert [f["is_new"] for f in found["up"]["findings"]] == [False]
    first = found["preempt-rt"]["findings"][0]
    assert (first["file"], "no_such_lock" in first["message"]) == ("kernel/sched/rt.c", True)


def test_a_warning_is_new_where_the_parent_builds(kernel: Commits) -> None:
    found = lanes(kernel.warns, "--parent", kernel.base, "--lane", "preempt-rt", "--lane", "lazy",
                  status=ExitCode.KERNEL_FAILED)  # fmt: skip
    fresh = [f for f in found["preempt-rt"]["findings"] if f["kind"] == "warning"]
    assert [(f["file"], f["message"]) for f in fresh] == [
        ("kernel/sched/fair.c", "unused variable 'unused' [-Wunused-variable]")
    ]


def test_a_warning_of_clang_only(kernel: Commits) -> None:
    found = lanes(kernel.compares, "--lane", "clang", "--lane", "up")
    assert {name: of["outcome"] for name, of in found.items()} == {
        "clang": "builds",
        "up": "builds",
    }
    [fresh] = found["clang"]["findings"]
    assert (fresh["kind"], fresh["file"]) == ("warning", "kernel/sched/idle.c")
    assert fresh["is_new"]
    assert "-Wparentheses-equality" in fresh["message"]
    assert found["up"]["findings"] == []


def test_without_the_defects_nothing_is_found(kernel: Commits) -> None:
    """Negative control: their files are those of the first commit, so nothing is built at all."""
    found = lanes(kernel.mended)
    assert {(lane["is_new"], len(lane["findings"])) for lane in found.values()} == {(False, 0)}
    assert all(lane["reused"] for lane in found.values())
