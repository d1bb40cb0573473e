# SPDX-License-Identifier: GPL-2.0-only
"""docs/adding.md, done: its files written, its commands run, in a copy of this checkout."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from vlag import ROOT

pytestmark = pytest.mark.slow

DOCUMENT = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
SECTIONS = {s.partition("\n")[0]: s for s in re.split(r"^## ", DOCUMENT, flags=re.M)[1:]}

#: A block of a document, below the name of its file if it is one.
BLOCK = re.compile(
    r"(?:^ *\*\*(?P<file>[^*\n]+)\*\*\n\n)?(?P<text>(?:^(?: {4}| {7}).*\n(?:\n+(?= {4}))*)+)", re.M
)
COPIED = (
    "vlag", "lava-jobs", "schemas", "ansible/inventory", "workers/kconfig", "workers/packages",
    "tests/unit", "tests/fuzz", "tests/data/parsers",
)  # fmt: skip
FILES = (
    "vlag.toml",
    "pyproject.toml",
    "tests/__init__.py",
    "tests/conftest.py",
    "tests/data/plans.json",
)

BIN = Path(sys.executable).parent


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Copy what the steps touch and read; few plans, so that LAVA's code is not asked for long."""
    for name in COPIED:  # with what is compiled
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path / name)
    for plan in (tmp_path / "lava-jobs" / "plans").glob("*.yaml"):
        if plan.stem not in ("catalogue", "check", "nightly", "commit", "known-regressions"):
            plan.unlink()
    return tmp_path


def run(tree: Path, *words: str) -> str:
    """Run a program of this environment on the copy; it must succeed."""
    done = subprocess.run(
        words, cwd=tree, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(tree), "PATH": f"{BIN}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def ask(tree: Path, expression: str) -> str:
    """Return what an expression over the catalogue of the copy gives."""
    lines = (
        "from vlag.config.catalogue import load",
        "from vlag.stats.summary import STATISTICS",
        "c = load()",
        f"print({expression})",
    )
    return run(tree, sys.executable, "-c", "\n".join(lines)).strip()


def steps(section: str) -> tuple[dict[str, str], list[str]]:
    """Return the files of a section with their text, and its commands."""
    found: dict[str, str] = {}
    commands: list[str] = []
    for block in BLOCK.finditer(SECTIONS[section]):
        text = textwrap.dedent(block["text"]).rstrip("\n") + "\n"
        if block["file"]:
            found[block["file"]] = text
        else:
            commands += [x for x in text.splitlines() if x.startswith(("vlag ", "pytest "))]
    return found, commands


def write(tree: Path, files: dict[str, str]) -> None:
    """Write new files; a file that is there is changed as its lines with - and + say."""
    for name, text in files.items():
        path = tree / name
        if path.exists():
            rows = text.splitlines(keepends=True)
            width = 1 if any(r[0] in "+-" for r in rows) else 0
            old, new = ("".join(r[width:] for r in rows if r[0] != drop) for drop in ("+", "-"))
            before = path.read_text()
            assert before.count(old) == 1, (name, old)
            path.write_text(before.replace(old, new))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def follow(tree: Path, section: str) -> dict[str, str]:
    """Do all steps of a section; return what each command printed."""
    files, commands = steps(section)
    assert files
    assert commands
    write(tree, files)
    return {
        command: run(tree, *shlex.split(command))
        for command in commands
        if command != "vlag forecast"  # asks for the service's state
    }


def test_a_benchmark_with_a_new_tool(tree: Path) -> None:
    said = follow(tree, "A benchmark")
    assert [s for s in said.values() if "dd time: 1.17757 s (lower is better)" in s]
    [report] = [s for c, s in said.items() if c.startswith("vlag compare")]
    assert "catalogue: dd-bytes" in report
    assert "+23.7" in report
    assert [s for s in said.values() if re.search(r"\b[1-9]\d* passed", s)]
    planned = "[e.benchmark for e in c.plan('catalogue').entries].count('dd-bytes')"
    assert ask(tree, planned) == "1"


def test_a_benchmark_with_a_file_left_out_is_refused(tree: Path) -> None:
    files, _ = steps("A benchmark")
    parser = files.pop("vlag/parsers/dd.py")
    write(tree, files)
    with pytest.raises(AssertionError, match="tool: no parser 'dd'"):
        ask(tree, "c")
    write(tree, {"vlag/parsers/dd.py": parser})
    for capture in (tree / "tests/data/parsers/dd").glob("*-no-file.*"):
        capture.unlink()
    with pytest.raises(AssertionError, match="1 failed"):
        run(tree, "pytest", "-q", "tests/unit/test_parsers.py", "-k", "every_tool")


def test_a_board_type(tree: Path) -> None:
    [report] = follow(tree, "A board type").values()
    assert re.search(r"nightly .*qemu-sim-16|qemu-sim-16.*nightly", report)
    runs = (
        "[(p.name, e.benchmark, *e.parameters.values()) for p in c.plans.values()"
        " for e in p.entries if 'qemu-sim-16' in e.board_types]"
    )
    assert ask(tree, runs) == str(
        [
            ("check", "cyclictest-idle"),
            ("known-regressions", "stress-ng-switch", 16),
            ("nightly", "stress-ng-switch", 16),
            ("nightly", "cyclictest-hackbench", 8),
        ]
    )
    watched = "'qemu-sim-16' in c.types_of(['deterministic'])"
    assert ask(tree, watched) == "True"
    # Without a board of it nothing waits for one.
    shutil.copy(ROOT / "ansible/inventory/boards.yml", tree / "ansible/inventory/boards.yml")
    assert ask(tree, watched) == "False"


def test_a_statistic(tree: Path) -> None:
    _, [command] = steps("A statistic")
    before = run(tree, *shlex.split(command))
    assert "latency p90" in before
    assert "p95" not in before + ask(tree, "STATISTICS")
    [after] = follow(tree, "A statistic").values()
    assert re.findall(r"^latency p95 \[us\]", after, re.M)
    assert ask(tree, "STATISTICS[:4]") == "('median', 'p50', 'p90', 'p95')"
