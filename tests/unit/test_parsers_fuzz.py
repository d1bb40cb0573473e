# SPDX-License-Identifier: GPL-2.0-only
"""Parsers against mutations of the real captures, and against fuzzers that are guided."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.fuzz.mutants import mutants
from tests.fuzz.properties import OTHERS, captures, check
from vlag.parsers import PARSERS

pytestmark = pytest.mark.slow

READERS = [*sorted(PARSERS), *OTHERS]

SMALL = 200_000  # bytes; the few larger captures have tests of their own


def originals(tool: str) -> list[bytes]:
    """Return the captures of a tool that are small enough to be mutated many times."""
    return [data for p in captures(tool) if len(data := p.read_bytes()) <= SMALL]


@pytest.mark.parametrize("tool", READERS)
def test_a_mutant_is_refused_or_gives_sound_figures(tool: str) -> None:
    accepted = []

    @settings(
        max_examples=150,
        deadline=5000,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(mutants(originals(tool)))
    def tried(data: bytes) -> None:
        accepted.append(check(tool, data))

    tried()
    # A harness that only ever sees refusals, or none, would prove nothing.
    assert set(accepted) == {True, False}


def test_the_guided_fuzzer_finds_no_fault(tmp_path: Path) -> None:
    """In a second each; `python -m tests.fuzz` takes all readers, and its time."""
    few = READERS[::6]
    done = fuzz(tmp_path, "--seconds", "1", *few)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("no fault") == len(few)


def test_the_guided_fuzzer_would_find_one(tmp_path: Path) -> None:
    """A parser that divides by what it read is found out."""
    (tmp_path / "sitecustomize.py").write_text(
        "import vlag.parsers.hackbench as parser\n"
        "whole = parser.parse\n"
        "def parse(data, *, path):\n"
        "    1 // data.count(b'Time:')\n"
        "    return whole(data, path=path)\n"
        "parser.parse = parse\n"
    )
    done = fuzz(tmp_path, "--seconds", "20", "hackbench", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stdout
    assert list((tmp_path / "kept").glob("hackbench-crash-*"))


def fuzz(tmp_path: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--keep", str(tmp_path / "kept"), *arguments],
        env={"PATH": "", "LANG": "C.UTF-8", **environment}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
