# SPDX-License-Identifier: GPL-2.0-only
"""Boots that count the kernel's events beside its scheduler's: what boards run, and which do."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.unit.boards import SHELLS
from vlag import config
from vlag.config.catalogue import load
from vlag.lava import initramfs, kernel_events
from vlag.model import Observation
from vlag.pipeline import boot

CATALOGUE = load()
SWITCH = CATALOGUE.benchmark("stress-ng-switch")
#: Stands in for perf, which only root may let count all CPUs.
PERF = """#!/bin/sh
echo "$*" >> {folder}/calls
while [ "$1" != -- ]; do
	if [ "$1" = -o ]; then file=$2; fi
	shift
done
shift
echo counted > "$file"
exec "$@"
"""
REFUSED = """#!/bin/sh
echo >&2
echo "Error:
Access to performance monitoring and observability operations is limited.
More of it" >&2
exit 255
"""


def ran(shell: list[str], folder: Path, perf: str | None) -> str:
    """Run the board's script beside a benchmark that ends with 3; return what it kept."""
    programs = folder / "bin"
    programs.mkdir()
    for name in ("sh", "sed", "head", "tr", "true"):
        (programs / name).symlink_to(shutil.which(name) or name)
    if perf is not None:
        (programs / "perf").write_text(perf.format(folder=folder))
        (programs / "perf").chmod(0o755)
    (folder / "run.sh").write_bytes(kernel_events.script())
    (folder / "benchmark.sh").write_text(': > "$OUT/done"\nexit 3\n')
    program = [shutil.which(shell[0]) or shell[0], *shell[1:]]
    done = subprocess.run(
        [*program, str(folder / "run.sh")], env={"OUT": str(folder), "PATH": str(programs)},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
    assert (folder / "done").exists()
    return (folder / kernel_events.FILE).read_text()


@pytest.mark.parametrize("shell", SHELLS, ids=lambda argv: str(argv[0]))
def test_perf_counts_around_the_benchmark_which_keeps_its_status(
    shell: list[str], tmp_path: Path
) -> None:
    assert ran(shell, tmp_path, PERF) == "counted\n"
    tried, counted = (tmp_path / "calls").read_text().splitlines()
    words = "stat -a -e context-switches,cpu-migrations,page-faults -o"
    assert tried == f"{words} /dev/null -- true"
    assert counted == f"{words} {tmp_path}/{kernel_events.FILE} -- sh {tmp_path}/benchmark.sh"


@pytest.mark.parametrize("shell", SHELLS, ids=lambda argv: str(argv[0]))
@pytest.mark.parametrize(
    ("perf", "why"),
    [
        (None, "it is not on this board"),
        (REFUSED, "Error: Access to performance monitoring and observability operations is"
         " limited. "),
    ],
    ids=["absent", "refused"],
)  # fmt: skip
def test_where_perf_cannot_the_benchmark_runs_and_the_reason_is_kept(
    shell: list[str], tmp_path: Path, perf: str | None, why: str
) -> None:
    assert ran(shell, tmp_path, perf) == f"{kernel_events.NOTHING} {why}\n"


def test_only_the_boot_that_observes_schedstats_runs_it(tmp_path: Path) -> None:
    for word in (None, Observation.SCHEDSTATS):
        folder = tmp_path / str(word)
        folder.mkdir()
        archive = boot.boot_entry(SWITCH, {}, 1, {}, observes=word).archive
        subprocess.run(["cpio", "-idm", "--quiet"], input=archive, cwd=folder, check=True)
        script = (folder / "vlag/run.sh").read_bytes()
        assert script == (SWITCH.script if word is None else kernel_events.script())
    assert (tmp_path / "schedstats/vlag/benchmark.sh").read_bytes() == SWITCH.script


def test_only_boards_that_scatter_have_perf_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def built(*words: Any, **_: object) -> initramfs.Userland:
        asked.append(words[1:3])
        return initramfs.Userland(path=tmp_path / "archive", sha256="", packages={})

    monkeypatch.setattr(initramfs, "build", built)
    settings = evolve(config.load(), state=tmp_path)
    for name, word in (
        ("qemu", None), ("qemu-sim-2", Observation.SCHEDSTATS), ("qemu", Observation.SCHEDSTATS),
    ):  # fmt: skip
        kind = CATALOGUE.board_type(name)
        boot.prepare_userland(settings, SWITCH, kind.arch, kind.brings(word))
    scored, deterministic, scattering = asked
    assert scored == deterministic
    assert set(scattering[0]) - set(scored[0]) == {"linux-perf"}
    assert set(scattering[1]) - set(scored[1]) == {"perf"}
    # Other observations have theirs on either.
    kind = CATALOGUE.board_type("qemu-sim-2")
    assert kind.brings(Observation.TIMERLAT) is Observation.TIMERLAT
