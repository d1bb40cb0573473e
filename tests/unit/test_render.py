# SPDX-License-Identifier: GPL-2.0-only
"""What LAVA is given: parameters checked, archives reproducible, jobs that LAVA accepts."""

import subprocess
from pathlib import Path

import pytest
import yaml

from vlag import ROOT
from vlag.config.catalogue import load
from vlag.errors import UsageError
from vlag.lava import render
from vlag.model import Board
from vlag.pipeline.boot import read_build

pytestmark = pytest.mark.slow

CATALOGUE = load()
INIT = ROOT / "lava-jobs" / "boot" / "init.sh"


def entry(seed: int = 1, **knobs: str) -> bytes:
    benchmark = CATALOGUE.benchmark("cyclictest-hackbench")
    words = render.argv(benchmark, benchmark.parameters)
    return render.entry(benchmark, words, seed=seed, knobs=knobs, scripts=[INIT])


def test_argv_takes_parameters() -> None:
    benchmark = CATALOGUE.benchmark("stress-ng-switch")
    values = render.parameters(benchmark, {"duration_s": "7"})
    words = render.argv(benchmark, values)["main"]
    assert words[words.index("--timeout") + 1] == "7"
    assert not any("{" in word for word in words)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"duration": "7"}, "no parameter 'duration'"),
        ({"duration_s": "long"}, "must be a whole number"),
        ({"method": "pipe; reboot"}, "characters that no argv may have"),
    ],
)
def test_bad_parameters(given: dict[str, str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        render.parameters(CATALOGUE.benchmark("stress-ng-switch"), given)


@pytest.mark.parametrize("value", ["a\nb", "$(reboot)", "'x'", ""])
def test_bad_knobs(value: str) -> None:
    with pytest.raises(UsageError, match="only plain words"):
        render.check_knobs({"sched_features": value})


def test_an_entry_depends_on_nothing_but_its_contents() -> None:
    assert entry() == entry()
    assert entry() != entry(seed=2)
    assert entry() != entry(sched_features="NO_DELAY_DEQUEUE")


def test_the_entry_on_a_board(tmp_path: Path) -> None:
    subprocess.run(
        ["cpio", "--extract", "--quiet", "--make-directories"],
        cwd=tmp_path, input=entry(3, preempt="full"), check=True,
    )  # fmt: skip
    folder = tmp_path / "vlag"
    assert (folder / "knobs").read_text() == "preempt full\n"
    script = '. ./entry; echo "$SEED"; IFS="\n"; for w in $LOAD_ARGV; do echo "<$w>"; done'
    said = subprocess.run(
        ["sh", "-efc", script],
        cwd=folder, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    benchmark = CATALOGUE.benchmark("cyclictest-hackbench")
    load_argv = render.argv(benchmark, benchmark.parameters)["load"]
    assert said == ["3", *(f"<{word}>" for word in load_argv)]


BOOTABLE = sorted(name for name, board in CATALOGUE.board_types.items() if board.template)


@pytest.mark.parametrize("name", BOOTABLE)
def test_lava_accepts_device_and_job(tmp_path: Path, name: str) -> None:
    board_type = CATALOGUE.board_type(name)
    assert board_type.template
    assert board_type.job
    board = Board(name="board", board_type=name)
    (tmp_path / "image").write_bytes(b"kernel")
    (tmp_path / "ramdisk").write_bytes(b"ramdisk")
    template = ROOT / "lava-jobs" / "devices" / board_type.template
    (tmp_path / "device.yaml").write_text(render.device(template, board, board_type))
    job = render.job(
        ROOT / "lava-jobs" / "boot" / board_type.job,
        board_type=board_type, name="n", run_key="k", cmdline=board_type.cmdline,
        files=render.files(kernel=tmp_path / "image", ramdisk=tmp_path / "ramdisk"), timeout_s=60,
    )  # fmt: skip
    assert validates(tmp_path, job)
    # Negative control: what LAVA cannot run, it refuses here too.
    broken = yaml.safe_load(job)
    broken["actions"][1]["boot"]["method"] = "u-boot"
    assert not validates(tmp_path, yaml.safe_dump(broken))


def test_a_board_that_repeats_exactly_has_its_limit_on_its_own_clock(tmp_path: Path) -> None:
    def job(name: str) -> str:
        kind = CATALOGUE.board_type(name)
        return render.job(
            ROOT / "lava-jobs" / "boot" / str(kind.job), board_type=kind, name="n", run_key="k",
            cmdline="c", timeout_s=40,
            files=render.files(kernel=tmp_path / "image", ramdisk=tmp_path / "ramdisk"),
        )  # fmt: skip

    made = job("qemu-sim-2")
    assert '-append "c" -name vlag-limit-100\n' in made
    assert yaml.safe_load(made)["actions"][1]["boot"]["timeout"] == {"seconds": 6 * 3 * 100}
    # Negative control: all others have the host's.
    made = job("qemu")
    assert "vlag-limit" not in made
    limit_s = CATALOGUE.board_type("qemu").boot_timeout_s + 40
    assert yaml.safe_load(made)["actions"][1]["boot"]["timeout"] == {"seconds": limit_s}


def validates(folder: Path, job: str) -> bool:
    (folder / "job.yaml").write_text(job)
    (folder / "dispatcher.yaml").write_text("dispatcher_ip: 127.0.0.1\n")
    done = subprocess.run(
        ["lava-run", "--validate", "--job-id", "1", "--output-dir", folder / "out",
         "--device", folder / "device.yaml", "--dispatcher", folder / "dispatcher.yaml",
         folder / "job.yaml"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode == 0


def test_a_build_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no build bundle"):
        read_build(tmp_path)
