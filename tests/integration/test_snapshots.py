# SPDX-License-Identifier: GPL-2.0-only
"""Boots that go on from a snapshot, and what is kept of one, with the emulator itself.

The guest is a kernel of 2 KB that goes to where kernels have their programs and prints a digest of
its initramfs and of the moments at which it read it.  `tests/night` does the same with Linux.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from attrs import evolve

from tests.emulated_guest import kernel, load, own_lockstep
from tests.integration.snapshot_bench import COMMAND, CPUS, EMULATOR, WAIT_S, Bench, console
from tests.long.tiny_kernel import PANICS, image
from tests.waiting import until
from vlag import ROOT


@pytest.fixture(autouse=True, scope="module")
def lockstep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with own_lockstep(tmp_path_factory.mktemp("lockstep"), EMULATOR):
        yield


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, kernel(tmp_path))


@pytest.mark.parametrize("cpus", CPUS)
def test_all_seeds_go_on_as_from_power_on(bench: Bench, cpus: int) -> None:
    bench.cpus = cpus
    seeds = range(1, 4)
    straight = {seed: console(bench.start(seed)) for seed in seeds}
    assert len(set(straight.values())) == len(straight)  # a seed is seen in what is printed
    assert bench.goes_on(1) == straight[1]  # makes it
    with load(), ThreadPoolExecutor(2) as pool:
        again = [(seed, f"snapshot-{seed}-{n}") for n in range(3) for seed in seeds]
        said = list(pool.map(lambda each: bench.goes_on(*each), again))
    assert said == [straight[seed] for seed, _ in again]
    assert len(bench.homes) == 1  # made once
    # Negative control: without its seed written into the file another guest goes on.
    words = bench.restore(bench.start(2))
    assert words is not None
    (bench.folder / "snapshot").write_bytes((bench.homes[0] / "image").read_bytes())
    assert console(bench.start(2), *words.split()) == straight[1]


def test_another_kernel_initramfs_or_emulator_is_another_snapshot(bench: Bench) -> None:
    one = bench.start(1)
    others = [
        bench.start(1, cmdline="console=ttyS0 threadirqs"),
        bench.start(1, more="other programs"),
        bench.start(12),  # moves what is behind the seed
        evolve(one, identity={"image": "another"}),
        evolve(one, command=[*one.command, "-smp", "4"]),
    ]
    assert len({one.key, *(other.key for other in others)}) == 1 + len(others)
    assert bench.start(2).key == one.key  # negative control
    one.ramdisk.write_text("no seed in it")
    assert one.key is None
    assert bench.restore(one) is None


def test_the_emulator_itself_refuses_another_machine(bench: Bench) -> None:
    words = bench.restore(bench.start(1))
    assert words is not None
    start = evolve(
        bench.start(1), command=[w.replace("768M", "512M") for w in bench.start(1).command]
    )
    done = subprocess.run(
        start.argv(*words.split()), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=WAIT_S, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "@vlag:done" not in done.stdout


def test_a_damaged_snapshot_is_made_anew(bench: Bench) -> None:
    straight = console(bench.start(1))
    assert bench.goes_on(1) == straight
    [home] = bench.homes
    for name in ("image", "console", "snapshot.json"):
        with (home / name).open("r+b") as file:
            file.write(b"damaged")
        assert bench.goes_on(1) == straight
    (home / "image").unlink()
    assert bench.goes_on(1) == straight
    assert bench.homes == [home]


def test_a_guest_that_ends_first_has_none(bench: Bench) -> None:
    bench.image.write_bytes(image(PANICS))
    assert bench.restore(bench.start(1)) is None
    [home] = bench.homes
    known = json.loads((home / "snapshot.json").read_text())
    assert known["why"] == "the guest was not held; its emulator ended with 0"
    # It is known: nothing is booted for another seed.
    bench.image.unlink()
    assert bench.restore(bench.start(2)) is None


def test_no_more_is_kept_than_asked_for(bench: Bench) -> None:
    bench.goes_on(1)
    [first] = bench.homes
    size = sum(path.stat().st_size for path in first.iterdir())
    bench.most_bytes = 2 * size + size // 2
    for more in ("b", "c"):
        assert bench.restore(bench.start(1, more=more)) is not None
    assert len(bench.homes) == 2
    assert first not in bench.homes
    bench.most_bytes = size // 2
    assert bench.restore(bench.start(1, more="d")) is None
    # That it is too large is not kept for settings that have more room.
    bench.most_bytes = 2 * size
    assert bench.restore(bench.start(1, more="d")) is not None


def test_what_was_not_held_is_tried_anew_after_another_setup(
    bench: Bench, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    install, library = ROOT / "lava-jobs/lockstep/install", tmp_path / "lib/vlag/snapshot.so"
    subprocess.run([install, tmp_path, EMULATOR], check=True)
    whole = library.read_bytes()
    library.unlink()
    start = bench.start(1)
    own = evolve(start, command=[str(tmp_path / "bin" / COMMAND), *start.command[1:]])
    assert bench.restore(own) is None
    # Negative control: by the same setup it is known.
    caplog.clear()
    assert bench.restore(own) is None
    assert "booting once for a snapshot" not in caplog.text
    library.write_bytes(whole)
    words = bench.restore(own)
    assert words is not None
    assert console(own, *words.split()) == console(start)
    # What is held is not made anew for a setup that only holds otherwise.
    library.write_bytes(whole + b"\0")
    caplog.clear()
    assert bench.restore(own) is not None
    assert "booting once for a snapshot" not in caplog.text


def test_where_nothing_can_be_kept_boots_are_from_power_on(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    bench.store.folder.write_text("no folder")
    assert bench.restore(bench.start(1)) is None
    assert "booting from power on" in caplog.text
    # Negative control.
    bench.store.folder.unlink()
    assert bench.restore(bench.start(1)) is not None


SAVES = """
import sys
from pathlib import Path
from tests.integration.snapshot_bench import Bench
bench = Bench(Path(sys.argv[1]), Path(sys.argv[2]))
bench.restore(bench.start(1))
"""


def test_a_boot_killed_while_it_saves_leaves_no_snapshot(bench: Bench) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SAVES, str(bench.folder), str(bench.image)], cwd=ROOT
    ) as child:
        until(lambda: any((home / "image").exists() for home in bench.homes), within_s=WAIT_S)
        half = bench.homes
        child.send_signal(signal.SIGKILL)
    # It is killed before the name is given, or after it: then it is whole.
    assert all(home.suffix == ".partial" for home in half)
    assert bench.goes_on(1) == console(bench.start(1))
    assert [home.suffix for home in bench.homes] == [""]
    # Its emulator, which stands still for ever, has gone with it.
    until(lambda: not held(bench.image), within_s=WAIT_S)


def held(guest: Path) -> list[str]:
    """Return the processes that hold a guest for its snapshot."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:  # it has just ended
            continue
        if str(guest).encode() in words and b"vlag-hold" in words:
            found.append(path.parent.name)
    return found


def test_the_library_is_not_needed_to_boot_from_power_on(tmp_path: Path) -> None:
    """A boot from power on has none of it loaded: it is what it was before there were snapshots."""
    subprocess.run([ROOT / "lava-jobs/lockstep/install", tmp_path, EMULATOR], check=True)
    (tmp_path / "lib/vlag/snapshot.so").unlink()
    bench = Bench(tmp_path, kernel(tmp_path))
    start = bench.start(1)
    own = evolve(start, command=[str(tmp_path / "bin" / COMMAND), *start.command[1:]])
    assert console(own) == console(start)
    assert shutil.which(COMMAND) != own.command[0]
