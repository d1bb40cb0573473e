# SPDX-License-Identifier: GPL-2.0-only
"""Boots that observe who blocks the worst wake-ups: what the board runs, and which boots do."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.fuzz.properties import CAPTURES
from tests.unit.boards import SHELLS
from vlag import ROOT, config
from vlag.config import kernel_needs
from vlag.config.catalogue import load
from vlag.errors import ParseError, UsageError
from vlag.lava import initramfs, worst_wakeups
from vlag.model import Observation
from vlag.parsers.timerlat import wakeups
from vlag.pipeline import boot
from vlag.search.sampled_plan import is_tail
from vlag.store.profiles import Changed

CATALOGUE = load()
LATENCY = CATALOGUE.benchmark("cyclictest-hackbench")
HIT = CAPTURES / "timerlat" / "6.12-hackbench.txt"
#: Stands in for rtla, which needs the tracer: at first a wake-up is found, then none; the third
#: time the benchmark ends, which it may not have done by the next one.
RTLA = """#!/bin/sh
echo "$@" >> calls
mkdir -p tracing/instances/timerlat_top
echo timerlat > tracing/instances/timerlat_top/current_tracer
# It looks once a second, and no more when its time is up.
case " $* " in *" -d 1s "*)
	echo "  Max latency was 415"
	exit 0 ;;
esac
case $(wc -l < calls) in
1) sed '1d;/^rc=/d' {hit} ;;
2) echo "  Max latency was 12" ;;
3) echo "  Max latency was 13"; : > end ;;
*) ;;
esac
"""
BENCHMARK = """#!/bin/sh
cat tracing/instances/*/current_tracer > "$OUT/traced" 2> /dev/null
read -r word < end
echo "$word" > "$OUT/done"
exit 3
"""


def ran(shell: list[str], folder: Path, tracers: str) -> subprocess.CompletedProcess[str]:
    """Run the board's script with a stand-in for rtla, in a folder with what the kernel shows."""
    (folder / "tracing").mkdir()
    (folder / "tracing/available_tracers").write_text(f"{tracers}\n")
    text = worst_wakeups.script(["cyclictest", "-Sp90"]).decode()
    (folder / "run.sh").write_text(text.replace("/sys/kernel/tracing", str(folder / "tracing")))
    (folder / "benchmark.sh").write_text(BENCHMARK)
    (folder / "rtla").write_text(RTLA.format(hit=HIT))
    (folder / "rtla").chmod(0o755)
    os.mkfifo(folder / "end")
    if "timerlat" not in tracers:
        (folder / "end").unlink()
        (folder / "end").write_text("at once\n")
    return subprocess.run(
        [*shell, str(folder / "run.sh")], cwd=folder, capture_output=True, text=True, check=False,
        env={"OUT": str(folder), "PATH": f"{folder}:/usr/bin:/bin", "TMPDIR": str(folder)},
        timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize("shell", SHELLS, ids=lambda argv: str(argv[0]))
def test_the_threshold_follows_the_tail_and_the_benchmark_keeps_its_status(
    shell: list[str], tmp_path: Path
) -> None:
    done = ran(shell, tmp_path, "timerlat osnoise nop")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
    assert (tmp_path / "done").exists()
    # It began when the tracer was on.
    assert (tmp_path / "traced").read_text() == "timerlat\n"
    kept = (tmp_path / worst_wakeups.FILE).read_bytes()
    [found] = wakeups(kept, path="kept")
    assert found.blocker() == "thread hackbench"
    # Half way to 2765 us, then down by a fifth.
    calls = (tmp_path / "calls").read_text().splitlines()
    assert [call.split()[-1] for call in calls[:3]] == ["50", "1408", "1126"]
    assert all("-P f:90" in call for call in calls)
    assert re.findall(rb"== threshold (\d+) us", kept)[:2] == [b"50", b"1408"]


@pytest.mark.parametrize("shell", SHELLS, ids=lambda argv: str(argv[0]))
def test_a_kernel_without_the_tracer_runs_the_benchmark_and_says_so(
    shell: list[str], tmp_path: Path
) -> None:
    done = ran(shell, tmp_path, "function nop")
    assert done.returncode == 3
    assert (tmp_path / "done").read_text() == "at once\n"
    assert not (tmp_path / "calls").exists()
    with pytest.raises(ParseError, match=r"no timerlat tracer: build it with CONFIG_TIMERLAT_TR"):
        wakeups((tmp_path / worst_wakeups.FILE).read_bytes(), path="kept")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["cyclictest", "--quiet", "-S"], "o:0"),
        (["cyclictest", "--quiet", "-Sp90"], "f:90"),
        (["cyclictest", "--priority=80", "-t1"], "f:80"),
        (["hackbench", "--pipe", "--groups", "4"], "o:0"),
    ],
)
def test_threads_are_woken_with_the_priority_of_those_that_are_measured(
    words: list[str], said: str
) -> None:
    assert worst_wakeups.priority(words) == said


def test_only_the_boot_that_observes_runs_rtla_and_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for word in (None, Observation.TIMERLAT):
        folder = tmp_path / str(word)
        folder.mkdir()
        made = boot.boot_entry(LATENCY, {"form": "Sp90"}, 1, {}, observes=word)
        subprocess.run(["cpio", "-idm", "--quiet"], input=made.archive, cwd=folder, check=True)
        script = (folder / "vlag/run.sh").read_bytes()
        watching = worst_wakeups.script(made.words["main"])
        assert script == (LATENCY.script if word is None else watching)
    assert b"-P f:90 " in watching
    assert (tmp_path / "timerlat/vlag/benchmark.sh").read_bytes() == LATENCY.script
    asked: list[Any] = []

    def built(*words: Any, **_: object) -> initramfs.Userland:
        asked.append(words[1:3])
        return initramfs.Userland(path=tmp_path / "archive", sha256="", packages={})

    monkeypatch.setattr(initramfs, "build", built)
    settings = evolve(config.load(), state=tmp_path)
    for word in (None, Observation.TIMERLAT):
        boot.prepare_userland(settings, LATENCY, "x86_64", word)
    scored, watched = asked
    assert set(watched[0]) - set(scored[0]) == {"rtla/backports"}
    assert set(watched[1]) - set(scored[1]) == {"rtla"}


def test_only_a_package_of_the_backports_makes_them_known() -> None:
    assert initramfs._backports(["busybox", "rt-tests"]) == []
    [hook] = initramfs._backports(["busybox", "rtla/backports"])
    assert "bookworm-backports" in hook
    assert initramfs._in_suite("rtla/backports") == "rtla/bookworm-backports"
    assert initramfs._in_suite("busybox") == "busybox"


def test_a_kernel_without_the_tracer_is_refused_with_its_option(tmp_path: Path) -> None:
    board = CATALOGUE.board_type("rpi5")
    kernel = tmp_path / "config"
    kernel.write_text("CONFIG_TIMERLAT_TRACER=y\n")
    kernel_needs.check_boot(LATENCY, board, kernel, Observation.TIMERLAT)
    kernel.write_text("# CONFIG_TIMERLAT_TRACER is not set\n")
    with pytest.raises(UsageError, match="observing timerlat needs CONFIG_TIMERLAT_TRACER, which"):
        kernel_needs.check_boot(LATENCY, board, kernel, Observation.TIMERLAT)
    kernel_needs.check_boot(LATENCY, board, kernel)  # negative control: a scored boot


@pytest.mark.parametrize(
    ("benchmark", "metric", "statistic", "tail"),
    [
        ("cyclictest-hackbench", "latency", "p99.9", True),
        ("cyclictest-idle", "latency", "p99", True),
        ("cyclictest-hackbench", "latency", "p50", False),
        ("stress-ng-switch", "bogo-ops-rate", "median", False),
    ],
)
def test_only_tails_of_latencies_are_watched(
    benchmark: str, metric: str, statistic: str, tail: bool
) -> None:
    changed = Changed(
        benchmark=benchmark, parameters={}, metric=metric, statistic=statistic,
        verdict="REGRESSION", effect=0.3,
    )  # fmt: skip
    assert is_tail(CATALOGUE, changed) is tail


def test_the_boards_of_hardware_have_the_tracer_and_the_deterministic_ones_do_not() -> None:
    """Scored boots of a deterministic board keep their kernel to the byte."""
    has = {
        kind.name
        for kind in CATALOGUE.board_types.values()
        if any(
            "CONFIG_TIMERLAT_TRACER=y" in (ROOT / "workers/kconfig" / name).read_text()
            for name in kind.kconfig
        )
    }
    assert {k.name for k in CATALOGUE.board_types.values() if "hardware" in k.classes} <= has
    assert not [name for name in has if CATALOGUE.board_type(name).deterministic]
