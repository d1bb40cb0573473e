# SPDX-License-Identifier: GPL-2.0-only
"""Samples of perf: what reports become, and where two kernels' boots spend their cycles."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from tests.integration import bundles
from tests.unit.shipped import change, copied
from vlag import config, parsers
from vlag.cli.main import main
from vlag.config import kernel_needs
from vlag.config.catalogue import load
from vlag.errors import ParseError, UsageError
from vlag.lava import initramfs, sampling
from vlag.model import Observation
from vlag.pipeline import boot
from vlag.pipeline.boot import boot_entry
from vlag.profile import sampled_functions, sampled_text
from vlag.profile.sampled_functions import Boot, Counted, Sampled
from vlag.search import sampled_runs as stage

DATA = Path(__file__).parents[1] / "data" / "profile" / "perf"
CATALOGUE = load()
SWITCH = CATALOGUE.benchmark("stress-ng-switch")


def report(name: str) -> bytes:
    return gzip.decompress((DATA / f"{name}-report.txt.gz").read_bytes())


def boots(*names: str) -> list[Boot]:
    found = []
    for seed, name in enumerate(names, 1):
        raw = (DATA / f"{name}-stress-ng.txt").read_bytes()
        done = parsers.parse("stress-ng", raw, path=name).operations
        assert done is not None
        read = sampled_functions.read(report(name), path=name)
        found.append(Boot(seed=seed, operations=done, sampled=read))
    return found


BASE, AGAIN, NEW = (
    ("base1", "base2", "base3"),
    ("base4", "base5", "base6"),
    ("new1", "new2", "new3"),
)


# What perf prints


@pytest.mark.parametrize("name", [*BASE, *AGAIN, *NEW])
def test_a_real_report_is_read_whole(name: str) -> None:
    found = sampled_functions.read(report(name), path=name)
    assert (found.event, found.lost) == ("cpu-clock", 0)
    # The samples of the timer pile up where interrupts are switched on again.
    largest = sorted(found.functions, key=lambda f: -found.functions[f].events)[:3]
    assert {"finish_task_switch.isra.0", "_raw_spin_unlock_irqrestore"} & set(largest)
    assert found.user.samples > 0
    said = int(report(name).split(b"Event count (approx.): ")[1].split()[0])
    assert sum(f.events for f in found.functions.values()) + found.user.events == said


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no report of perf: 'nothing'"),
        (b"Error:\nThe perf.data data has no samples!\n", "no report of perf: 'Error:'"),
        (report("base1").partition(b"[k] do_syscall_64\n")[0].rpartition(b"\n")[0],
         "do not add up to perf's event count: it is cut off"),
        (b"# Samples: 1  of event 'cycles:k'\n" + report("base1"),
         "samples of several events, cycles:k and cpu-clock"),
        (report("base1").replace(b"|[kernel.kallsyms]", b"[kernel.kallsyms]", 1),
         "where SAMPLES|PERIOD|OBJECT|SYMBOL must stand"),
    ],
)  # fmt: skip
def test_a_damaged_report_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(ParseError) as refused:
        sampled_functions.read(data, path="r")
    assert said in str(refused.value)


def test_a_report_without_names_is_refused() -> None:
    """A kernel that hides its symbols leaves addresses."""
    text = "".join(
        f"{line.rsplit('] ', 1)[0]}] 0xffffffff81{number:06x}\n" if "|[k] " in line else f"{line}\n"
        for number, line in enumerate(report("base1").decode().splitlines())
    )
    with pytest.raises(ParseError, match="perf found no names of kernel functions"):
        sampled_functions.read(text.encode(), path="r")


# What two kernels' boots differ in


def test_boots_of_one_kernel_differ_in_nothing() -> None:
    """Negative control, on real reports."""
    found = sampled_functions.compare(boots(*BASE), boots(*AGAIN), "switch")
    assert not found.kernel.certain
    assert not [r.name for r in found.functions if r.certain]
    assert "no function differs by more than boots of one kernel do" in sampled_text.sentence(found)


def test_the_parts_sum_to_the_whole() -> None:
    found = sampled_functions.compare(boots(*BASE), boots(*NEW), "switch")
    rows = [*found.functions, found.others]
    for side in ("base", "new", "change"):
        whole = getattr(found.kernel, side)
        assert sum(getattr(r, side) for r in rows) == pytest.approx(whole)
    assert found.merged > 0
    assert [abs(r.change) for r in found.functions] == sorted(
        (abs(r.change) for r in found.functions), reverse=True
    )


def made(factor: float, longer: float = 0.0, event: str = "cycles") -> list[Boot]:
    """Three boots of 1000 operations with functions that take so many cycles, scattered."""
    found = []
    for seed, scatter in enumerate((0.99, 1.0, 1.01), 1):
        cycles = {"pick": 1_000_000 * scatter * factor + longer, "wake": 500_000 * scatter}
        functions = {n: Counted(samples=500, events=round(c)) for n, c in cycles.items()}
        functions["rare"] = Counted(samples=1, events=1000 * seed)
        read = Sampled(
            event=event, lost=0, functions=functions, user=Counted(samples=9, events=9000)
        )
        found.append(Boot(seed=seed, operations=1000, sampled=read))
    return found


def test_a_function_that_takes_longer_is_named_with_its_interval() -> None:
    found = sampled_functions.compare(made(1), made(1, longer=200_000), "switch")
    [pick, wake] = found.functions
    assert (pick.name, pick.certain, wake.certain) == ("pick", True, False)
    assert pick.change == pytest.approx(200)
    # Student's t for 4 degrees of freedom and two questions is 3.495; the spread is 10 a side.
    assert pick.half == pytest.approx(3.4954 * 10 * (2 / 3) ** 0.5, rel=1e-3)
    assert found.merged == 1
    text = sampled_text.render(found)
    assert "+200.00  [+171.46, +228.54]" in text
    assert text.endswith("= +200.0 cycles a switch in the kernel: +200.0 in pick.")
    assert max(map(len, text.splitlines())) <= 80


def test_one_boot_a_side_proves_nothing() -> None:
    found = sampled_functions.compare(made(1)[:1], made(2)[:1], "switch")
    assert not any(r.certain for r in (found.kernel, *found.functions))
    assert json.loads(json.dumps(sampled_text.data(found)))["functions"][0]["interval"] is None
    assert "- ?" in sampled_text.render(found)


def test_different_events_are_not_compared() -> None:
    with pytest.raises(UsageError, match="sampled different events: cpu-clock and cycles"):
        sampled_functions.compare(made(1), made(1, event="cpu-clock"), "switch")


# The command


def runs(root: Path, side: str, of: dict[str, Any], names: Sequence[str]) -> list[Path]:
    found = []
    for seed, name in enumerate(names, 1):
        folder = bundles.run(
            root / f"{side}-{seed}", of, CATALOGUE, seed=seed, observes="perf", plan=None,
            raw=(DATA / f"{name}-stress-ng.txt").read_bytes(),
        )  # fmt: skip
        (folder / "raw" / sampling.REPORT).write_bytes(report(name))
        found.append(folder)
    return found


def ran(base: Sequence[Path], new: Sequence[Path], *more: str) -> Result:
    words = [w for p in base for w in ("--base-run", str(p))]
    words += [w for p in new for w in ("--new-run", str(p))]
    return CliRunner().invoke(main, ["profile", *words, *more])


def test_runs_are_compared_by_their_folders(tmp_path: Path) -> None:
    base = runs(tmp_path, "base", bundles.kernel("6.1"), BASE)
    new = runs(tmp_path, "new", bundles.kernel("6.12"), NEW)
    done = ran(base, new, "--rows", "3")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("cpu-clock a switch, sampled")
    assert "boots: 3 and 3" in done.stdout
    found = json.loads(ran(base, new, "--format", "json").stdout)
    assert found["boots"] == [3, 3]
    assert found["kernel"]["change"] == pytest.approx(
        sum(f["change"] for f in (*found["functions"], found["others"]))
    )


def test_a_wrong_request_is_one_sentence(tmp_path: Path) -> None:
    [base] = runs(tmp_path, "base", bundles.kernel("6.1"), BASE[:1])
    [new] = runs(tmp_path, "new", bundles.kernel("6.12"), NEW[:1])
    plain = bundles.run(tmp_path / "plain", bundles.kernel("6.12"), CATALOGUE)
    other = shutil.copytree(new, tmp_path / "other")
    bundles.edit(other, benchmark="stress-ng-yield")
    board = shutil.copytree(new, tmp_path / "board")
    bundles.edit(board, board={**bundles.BOARD, "board_type": "altra"})
    tool = shutil.copytree(new, tmp_path / "tool")
    packages = {**bundles.PACKAGES, "stress-ng": "0.21.00-1"}
    bundles.edit(tool, userland={"sha256": "0" * 64, "packages": packages})
    missing = shutil.copytree(new, tmp_path / "missing")
    (missing / "raw" / sampling.REPORT).unlink()
    for given, said in (
        (([base], []), "--new-run is missing"),
        (([base], [tmp_path / "none"]), "no bundle of a run"),
        (([base], [plain]), "has no samples; make a run with `vlag run --observe perf`"),
        (([base], [base]), "are the same run"),
        (([base, new], [new]), "has other kernel image than"),
        (([base], [other]), "has other benchmark than"),
        (([base], [board]), "ran on a board of type altra"),
        (([base], [tool]), "had other versions of the benchmark or of perf than"),
        (([base], [missing]), f"has no {sampling.REPORT}"),
    ):
        with pytest.raises(UsageError, match=re.escape(said)):
            stage.compare(CATALOGUE, *given)
    done = ran([base], [new], "--board", "sim2-1")
    assert done.exit_code == 2, done.output
    assert "give them without BASE and NEW" in done.stderr


# The board


def test_only_the_boot_that_observes_runs_perf(tmp_path: Path) -> None:
    for word in (None, Observation.PERF):
        folder = tmp_path / str(word)
        folder.mkdir()
        archive = boot_entry(SWITCH, {}, 1, {}, observes=word).archive
        subprocess.run(["cpio", "-idm", "--quiet"], input=archive, cwd=folder, check=True)
        script = (folder / "vlag/run.sh").read_bytes()
        assert script == (SWITCH.script if word is None else sampling.script())
    assert (tmp_path / "perf/vlag/benchmark.sh").read_bytes() == SWITCH.script
    assert b"-e cycles " in sampling.script()


def test_only_the_boot_that_observes_has_perf_in_its_userland(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def built(*words: Any, **_: object) -> initramfs.Userland:
        asked.append(words[1:3])
        return initramfs.Userland(path=tmp_path / "archive", sha256="", packages={})

    monkeypatch.setattr(initramfs, "build", built)
    settings = evolve(config.load(), state=tmp_path)
    for word in (None, Observation.PROFILE, Observation.PERF):
        boot.prepare_userland(settings, SWITCH, "x86_64", word)
    scored, counted, sampling_ = asked
    assert scored == counted
    assert set(sampling_[0]) - set(scored[0]) == {"linux-perf"}
    assert set(sampling_[1]) - set(scored[1]) == {"perf"}


def test_only_boards_with_a_pmu_are_sampled(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("CONFIG_PERF_EVENTS=y\nCONFIG_KALLSYMS=y\n")
    kernel_needs.check_boot(SWITCH, CATALOGUE.board_type("altra"), config, Observation.PERF)
    with pytest.raises(UsageError, match="observing perf needs pmu, which board type qemu-sim-2"):
        kernel_needs.check_boot(
            SWITCH, CATALOGUE.board_type("qemu-sim-2"), config, Observation.PERF
        )
    config.write_text("CONFIG_PERF_EVENTS=y\n")
    with pytest.raises(UsageError, match="observing perf needs CONFIG_KALLSYMS"):
        kernel_needs.check_boot(SWITCH, CATALOGUE.board_type("altra"), config, Observation.PERF)
    files = copied(tmp_path)
    plan = files / "lava-jobs/plans/nightly.yaml"
    change(plan, "observe: {schedstats: [gate]}", "observe: {perf: [gate]}")
    with pytest.raises(UsageError, match=r"observe\.perf: qemu-sim-2 has no pmu"):
        load(files)
