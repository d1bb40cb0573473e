# SPDX-License-Identifier: GPL-2.0-only
"""Two sides of files: which of them may be compared, and what is said of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.properties import CAPTURES as DATA
from tests.integration import bundles
from tests.unit.compared_files import (
    CATALOGUE,
    OTHER,
    SAME,
    answer,
    cyclictest,
    hackbench,
    stress_ng,
    switch,
)
from tests.unit.wording import unwanted
from vlag import parsers
from vlag.compare import differences
from vlag.compare.declared import Declared, declared, entries, step
from vlag.errors import ParseError, RefusedError, UsageError
from vlag.lava import render
from vlag.model import Histogram, Sample
from vlag.report import compared, markdown

SLOWER = tuple(1.1 * f for f in OTHER)
BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")


Write = Callable[[str, Sequence[bytes]], list[Path]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def work(side: str, files: Sequence[bytes]) -> list[Path]:
        paths = [tmp_path / f"{side}-{i}.txt" for i in range(1, len(files) + 1)]
        for path, data in zip(paths, files, strict=True):
            path.write_bytes(data)
        return paths

    return work


def verdicts(data: dict[str, Any]) -> dict[str, str]:
    return {f"{r['metric']} {r['statistic']}": r["verdict"] for r in data["rows"]}


def test_a_planted_change_is_found_and_its_way_back(write: Write) -> None:
    base = write("base", [hackbench(f) for f in SAME])
    new = write("new", [hackbench(f) for f in SLOWER])
    data = answer(base, new)
    [row] = data["rows"]
    assert (row["verdict"], data["summary"]["verdict"]) == ("REGRESSION", "REGRESSION")
    assert row["effect"] == pytest.approx(0.1, abs=0.01)
    assert row["ci_low"] < 0.1 < row["ci_high"]
    assert (row["n_base"], row["n_new"], row["unit"], row["direction"]) == (5, 5, "s", "lower")
    assert data["catalogue"] == ["hackbench-numa", "hackbench-pipe", "hackbench-socket"]
    assert data["base"]["files"] == [str(p) for p in base]
    back = answer(new, base)
    assert verdicts(back) == {"time median": "IMPROVEMENT"}
    assert back["summary"]["counts"]["REGRESSION"] == 0


def test_files_of_one_kernel_are_unchanged(write: Write) -> None:
    base = write("base", [hackbench(f) for f in SAME])
    data = answer(base, write("new", [hackbench(f) for f in OTHER]))
    assert verdicts(data) == {"time median": "UNCHANGED"}
    assert not any("copy" in note for note in data["notes"])


def test_copies_are_refused_by_their_names(write: Write) -> None:
    files, slower = [hackbench(f) for f in SAME], [hackbench(f) for f in SLOWER]
    base = write("base", files)
    for new, copy, first in (
        (write("copies", files), "copies-1.txt", "base-1.txt"),
        (write("one", [*slower, files[3]]), "one-6.txt", "base-4.txt"),
        (write("twice", [*slower, slower[2]]), "twice-6.txt", "twice-3.txt"),
    ):
        with pytest.raises(UsageError, match=f"{copy}: has the very content of .*{first}, and a"):
            answer(base, new)
    # The user knows that they are boots.
    data = answer(base, write("copies", files), equal_files=True)
    assert verdicts(data) == {"time median": "UNCHANGED"}
    assert any(note.startswith("5 of 10 files have the content") for note in data["notes"])


def test_a_copy_with_another_end_is_a_copy(write: Write) -> None:
    base = write("base", [cyclictest(0, i) for i in range(3)])
    new = [cyclictest(0, 3), cyclictest(0, 4), cyclictest(0, 1) + b"\n"]
    with pytest.raises(UsageError, match=r"new-3.txt: has the very figures of .*base-2.txt"):
        answer(base, write("new", new))
    # One number alone may come twice.
    near = [*write("a", [hackbench(1.0)]), *write("b", [hackbench(1.0) + b"\n"])]
    assert answer(near, write("c", [hackbench(1.1)]))["base"]["n"] == 2


def test_bundles_of_a_board_with_a_clock_of_its_own_are_boots_once(tmp_path: Path) -> None:
    board = {**bundles.BOARD, "deterministic": False}
    base = side(tmp_path, BASE, SAME, board=board)
    new = side(tmp_path, NEW, (*OTHER[:4], OTHER[3]), board=board)
    with pytest.raises(UsageError, match=r"5/run.json: has the very content of .*4/run.json"):
        answer([base], [new])
    # Where the seed decides what comes out, seeds may agree.
    there = [side(tmp_path, of, (*OTHER[:4], OTHER[3])) for of in (BASE, NEW)]
    assert answer([there[0]], [there[1]])["new"]["n"] == 5


@pytest.mark.parametrize("n", [3, 4])
def test_few_files_raise_a_suspicion_and_no_flag(write: Write, n: int) -> None:
    base = write("base", [hackbench(f) for f in SAME[:n]])
    data = answer(base, write("new", [hackbench(f) for f in SLOWER[:n]]))
    [row] = data["rows"]
    assert (row["verdict"], row["suspect"], row["boots_needed"]) == ("INCONCLUSIVE", True, 5)
    assert "a metric that may have two modes" in row["reason"]
    assert "worth a rerun" in " ".join(compared.render(data).split())


DRIFTING = (0.90, 0.951, 1.0, 1.052, 1.10)


def test_no_verdict_is_sure_of_files_that_drift(write: Write) -> None:
    base = write("base", [hackbench(f) for f in DRIFTING])
    data = answer(base, write("new", [hackbench(1.5 * f) for f in SAME]))
    [row] = data["rows"]
    assert (row["verdict"], row["suspect"]) == ("INCONCLUSIVE", True)
    assert row["reason"].startswith("the boots of base drift up by 22.")
    [note] = [n for n in data["notes"] if "drift" in n]
    assert note.startswith("the files of base drift from the first to the last by more than they")
    assert note in " ".join(compared.render(data).split())
    # Negative controls: the same values in another order, and no drift at all.
    mixed = write("mixed", [hackbench(DRIFTING[i]) for i in (2, 0, 4, 1, 3)])
    for side, factors in (("mixed", mixed), ("even", write("even", [hackbench(f) for f in OTHER]))):
        data = answer(factors, write(f"new-{side}", [hackbench(1.5 * f) for f in SAME]))
        assert verdicts(data) == {"time median": "REGRESSION"}
        assert not any("drift" in n for n in data["notes"])


def test_raw_files_are_in_the_order_of_the_numbers_in_their_names(tmp_path: Path) -> None:
    paths = [tmp_path / f"boot-{i}.txt" for i in range(8, 13)]
    for path, factor in zip(paths, DRIFTING, strict=True):
        path.write_bytes(hackbench(factor))
    other = tmp_path / "other"
    other.mkdir()
    new = [other / path.name for path in paths]
    for path, factor in zip(new, OTHER, strict=True):
        path.write_bytes(hackbench(factor))
    # The shell's order has 10 before 8.
    assert any("drift" in n for n in answer(sorted(paths), new)["notes"])


def test_bundles_are_in_the_order_of_their_times(tmp_path: Path) -> None:
    board = {**bundles.BOARD, "deterministic": False}
    at = "2026-03-01T0{}:00:00Z".format
    for of, factors, name in ((BASE, DRIFTING, "a"), (NEW, OTHER, "b")):
        for i, factor in enumerate(factors):
            # The folder's order is the other way round, with one swapped.
            bundles.run(
                tmp_path / name / str(9 - i if i > 1 else 8 + i), of, CATALOGUE,
                raw=bundles.stress_ng(factor), seed=i, board=board, started_at=at(i),
                finished_at=at(i),
            )  # fmt: skip
    data = answer([tmp_path / "a"], [tmp_path / "b"])
    assert any(n.startswith("the files of base drift") for n in data["notes"])
    simulated = {**bundles.BOARD, "deterministic": True}
    for path in tmp_path.glob("*/*/run.json"):
        run = json.loads(path.read_text())
        run["board"] = simulated
        path.write_text(json.dumps(run))
    # Negative control: on a deterministic board a boot has no time.
    data = answer([tmp_path / "a"], [tmp_path / "b"])
    assert not any("drift" in n for n in data["notes"])


def test_a_flag_of_few_files_comes_with_a_warning(write: Write) -> None:
    said = "files have no history, and 5 boots a side cannot show whether a metric has two modes"
    base = write("base", [hackbench(f) for f in SAME])
    data = answer(base, write("new", [hackbench(f) for f in SLOWER]))
    assert any(note.startswith(said) for note in data["notes"])
    # Nothing to warn of without a flag, nor from ten boots a side on.
    quiet = answer(base, write("other", [hackbench(f) for f in OTHER]))
    ten = [(*of, *(1.0005 * f for f in of)) for of in (SAME, SLOWER)]
    many = answer(*(write(f"ten{i}", [hackbench(f) for f in of]) for i, of in enumerate(ten)))
    assert many["summary"]["verdict"] == "REGRESSION"
    assert not any("files have no history" in n for d in (quiet, many) for n in d["notes"])


def late(boot: int, more: int) -> bytes:
    """Return a capture in which the last sample of each thread came later still."""
    document = json.loads(cyclictest(0, boot))
    for thread in document["thread"].values():
        counts = thread["histogram"]
        counts[str(thread["max"] + more)] = counts.pop(str(thread["max"]))
        thread["max"] += more
    return json.dumps(document).encode()


def test_a_row_of_a_histogram_needs_the_family(write: Write) -> None:
    """The tail moves: its own p is below the level, that of all four rows is not."""
    base = [late(i, more) for i, more in enumerate((0, 0, 0, 0, 34))]
    new = [late(5 + i, more) for i, more in enumerate((33, 44, 44, 44, 44))]
    rows = {r["statistic"]: r for r in answer(write("base", base), write("new", new))["rows"]}
    assert rows["max"]["p"] < 0.01
    assert (rows["max"]["verdict"], rows["max"]["suspect"]) == ("INCONCLUSIVE", True)
    assert "one of 4 statistics of a distribution moves so" in rows["max"]["reason"]
    # Negative control: no boot of one side reaches the other, so all splits but two say less.
    apart = write("apart", [late(i, 0) for i in range(5)])
    later = write("later", [late(5 + i, more) for i, more in enumerate((10, 14, 19, 11, 23))])
    rows = {r["statistic"]: r for r in answer(apart, later)["rows"]}
    assert (rows["max"]["p"] * 4 > 0.01, rows["max"]["verdict"]) == (True, "REGRESSION")


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_files_decide_nothing(write: Write, n: int) -> None:
    base = write("base", [cyclictest(0, i) for i in range(n)])
    data = answer(base, write("new", [cyclictest(300, i) for i in range(n)]))
    assert set(verdicts(data).values()) == {"INCONCLUSIVE"}
    assert data["distributions"] == []  # a screen of these could only say that nothing moved


def test_what_is_worth_rerun_boots_is_said(write: Write) -> None:
    """Seven percent with as much scatter: too little for a verdict, too much for chance."""
    wide = (1.0, 1.05, 0.95, 1.04, 0.97)
    base = write("base", [hackbench(f) for f in wide])
    data = answer(base, write("new", [hackbench(1.075 * f) for f in wide]))
    [row] = data["rows"]
    assert (row["verdict"], row["suspect"]) == ("INCONCLUSIVE", True)
    assert "worth a rerun" in " ".join(compared.render(data).split())
    # Negative control: half of it is what chance does.
    data = answer(base, write("other", [hackbench(1.03 * f) for f in wide]))
    [row] = data["rows"]
    assert (row["verdict"], row["suspect"]) == ("INCONCLUSIVE", False)
    assert "worth a rerun" not in " ".join(compared.render(data).split())


def test_values_of_one_file_are_one_boot(write: Write) -> None:
    data = (DATA / "rt-tests-pairs" / "2.4-pmqtest-two-json.json").read_bytes()
    told = answer(write("base", [data] * 3), write("new", [data] * 3), equal_files=True)
    [row] = told["rows"]
    assert (row["metric"], row["n_base"]) == ("latency-mean", 3)
    assert row["base"] == pytest.approx((19.74 + 19.12) / 2)
    assert {m["metric"] for m in told["not_compared"]} == {"latency-min", "latency-max"}


def test_a_histogram_gives_its_quantiles_and_where_it_moved(write: Write) -> None:
    base = write("base", [cyclictest(i % 2, i) for i in range(5)])
    later = answer(base, write("new", [cyclictest(9 + i % 2, i) for i in range(5)]))
    told = verdicts(later)
    assert told["latency p50"] == told["latency p90"] == "REGRESSION"
    assert "latency p99.9" not in told  # too few samples for it
    [moved] = later["distributions"]
    assert moved["suspect"]
    assert moved["worse"]
    assert "higher" in moved["headline"]
    assert {"p50", "p90", "p99", "max"} <= {q["name"] for q in moved["quantiles"]}
    same = answer(base, write("same", [cyclictest((i + 1) % 2, i) for i in range(5)]))
    assert not same["distributions"][0]["suspect"]


def test_a_distribution_with_fewer_quantiles_in_one_file_is_open(write: Write) -> None:
    data = json.loads(cyclictest(0))
    for thread in data["thread"].values():
        thread["cycles"] = 10
        thread["histogram"] = {"20": 9, str(thread["max"]): 1}
    files = [cyclictest(0, i) for i in range(9)]
    told = answer(write("base", files[:5]), write("new", [*files[5:], json.dumps(data).encode()]))
    rows = {r["statistic"]: r for r in told["rows"]}
    assert rows["p90"]["verdict"] == "INCONCLUSIVE"
    assert "too few samples for p90 in 1 of 5 boots of the new, or" in rows["p90"]["reason"]
    assert [r["reason"] for r in told["rows"] if unwanted(r["reason"])] == []
    assert rows["max"]["verdict"] == "UNCHANGED"


def test_versions_that_the_catalogue_parts_are_not_comparable(write: Write) -> None:
    base = write("base", [switch(f) for f in SAME])
    apart = answer(base, write("apart", [switch(0.9 * f, "0.19.02") for f in OTHER]))
    assert set(verdicts(apart).values()) == {"NOT_COMPARABLE"}
    reason = apart["rows"][0]["reason"]
    assert "tool version 0.15.06+ against 0.17.02+" in reason
    assert "geometric mean" in reason  # what the catalogue says of the older ones
    assert apart["rows"][0]["effect"] is None
    # Two versions that measure the same are one series.
    near = answer(base, write("near", [switch(0.9 * f, "0.16.00") for f in OTHER]))
    assert set(verdicts(near).values()) == {"REGRESSION"}
    mixed = [
        *write("a", [switch(1.01 * f) for f in SAME[:3]]),
        *write("b", [switch(1.02 * f, "0.19.02") for f in SAME[:2]]),
    ]
    assert set(verdicts(answer(base, mixed)).values()) == {"NOT_COMPARABLE"}


def test_other_defaults_are_not_comparable(write: Write) -> None:
    base = write("base", [hackbench(f) for f in SAME])
    threads = (DATA / "hackbench" / "2.10-threads.txt").read_bytes()
    data = answer(base, write("new", [threads] * 5), equal_files=True)
    [row] = data["rows"]
    assert row["verdict"] == "NOT_COMPARABLE"
    for difference in ("mode process against threaded", "groups 4 against 1"):
        assert f"default {difference}" in row["reason"]


@pytest.mark.parametrize(
    ("capture", "sentence"),
    [
        ("cyclictest/2.4-hist.json", "another tool than .*: cyclictest, not stress-ng"),
        ("stress-ng/0.15.06-pipe-yaml.yaml", "another benchmark than .*: stress-ng pipe, not"),
    ],
)
def test_files_of_two_things_are_refused(write: Write, capture: str, sentence: str) -> None:
    base = write("base", [switch(f) for f in SAME])
    odd = (DATA / capture).read_bytes()
    for new in (write("new", [odd]), [*write("one", [switch(1.0)]), *write("two", [odd])]):
        with pytest.raises(UsageError, match=sentence) as caught:
            answer(base, new)
        assert str(caught.value).startswith(str(new[-1]))


def test_a_truncated_file_is_refused_by_its_name(write: Write) -> None:
    base = write("base", [cyclictest(0)] * 3)
    whole = cyclictest(0)
    new = write("new", [whole, whole[: len(whole) // 2], whole])
    with pytest.raises(ParseError, match=r"new-2.txt:1: "):
        answer(base, new, tool="cyclictest")


def test_a_file_stands_once(write: Write, tmp_path: Path) -> None:
    base = write("base", [hackbench(f) for f in SAME])
    new = write("new", [hackbench(f) for f in SLOWER])
    link = tmp_path / "link.txt"
    link.symlink_to(base[0])
    for sides, sentence in (
        ((base, [*new, base[1]]), "base-2.txt: stands on both sides"),
        ((base, [*new, link]), "link.txt: stands on both sides"),
        ((base, [*new, new[0]]), "new-1.txt: stands twice in new"),
        ((base, []), "new has no file"),
        ((base, [tmp_path / "none"]), "none: no such file"),
        ((base, [tmp_path]), "no run.json at or below this folder"),
    ):
        with pytest.raises(UsageError, match=sentence):
            answer(*sides)


def test_the_board_says_what_is_relevant(write: Write) -> None:
    of = [0.95 * f for f in (1.0, 1.001, 0.999, 1.0005, 0.9995)]
    figures = ("2244092", "2.001360", "1121283.293902", "3528.072086")

    def file(factor: float) -> bytes:
        return stress_ng("0.15.06-yield-yaml.yaml", factor, figures)

    base = write("base", [file(f / 0.95) for f in of])
    new = write("new", [file(f) for f in of])
    assert set(verdicts(answer(base, new)).values()) == {"REGRESSION"}
    # Where the emulator's own scatter is larger: 15 %.
    there = answer(base, new, board_type="qemu-sim-2")
    assert set(verdicts(there).values()) == {"UNCHANGED"}
    assert there["limits"]
    with pytest.raises(UsageError, match="no board type 'moon'"):
        answer(base, new, board_type="moon")


def test_other_counts_of_threads_are_pointed_out(write: Write) -> None:
    base = write("base", [cyclictest(0, i) for i in range(3)])
    one = json.loads(cyclictest(0))
    del one["thread"]["1"]
    one["num_threads"] = 1
    data = answer(base, write("new", [json.dumps(one).encode()]))
    assert any("threads a file: 2 against 1" in note for note in data["notes"])


@pytest.mark.parametrize(
    ("capture", "names"),
    [
        ("stress-ng/0.15.06-futex.txt", ["stress-ng-futex"]),
        ("stress-ng/0.15.06-pipe-metrics.txt", ["stress-ng-pipe"]),
        ("stress-ng/0.15.06-times.txt", []),  # the stressor cpu, which no entry runs
        ("hackbench/2.4-pipe.txt", ["hackbench-numa", "hackbench-pipe", "hackbench-socket"]),
        ("sysbench/1.0.20-cpu.txt", ["sysbench-cpu"]),
        ("rt-tests-pairs/2.4-pmqtest-text.txt", ["pmqtest"]),
        ("perf-stat/6.1-software-j.txt", []),  # its entry counts cycles
        ("cyclictest/2.4-q.txt", []),  # its entries have a histogram
    ],
)
def test_the_entry_that_fits(write: Write, capture: str, names: list[str]) -> None:
    [path] = write("base", [(DATA / capture).read_bytes()])
    boot = answer([path], write("new", [path.read_bytes()]), equal_files=True)
    assert boot["catalogue"] == names
    assert any("no benchmark of the catalogue" in note for note in boot["notes"]) == (not names)


def test_without_an_entry_defaults_hold() -> None:
    of: dict[str, Declared] = {}
    for capture in ("stress-ng/0.15.06-times.txt", "cyclictest/2.4-q.txt"):
        tool = capture.split("/", maxsplit=1)[0]
        parsed = parsers.parse(tool, (DATA / capture).read_bytes(), path=capture)
        figures = [{s.metric: s for s in parsed.samples}]
        fitting = entries(CATALOGUE, tool, parsed.benchmark, figures)
        of |= declared(tool, fitting, figures)
    taken = {n: (d.metric.relevance, d.metric.resolution, d.entries) for n, d in of.items()}
    assert taken["bogo-ops-rate"] == (0.01, 0.01, ())  # printed as 1520.38
    assert taken["latency-max"] == (0.05, 1.0, ())


def test_the_smallest_step_that_is_seen() -> None:
    def sample(*values: float) -> Sample:
        return Sample(metric="m", values=values, instances=("",) * len(values))

    assert step([sample(4910.0, 4700.0)]) == 1.0
    assert step([sample(3.25), sample(4.5)]) == 0.01
    assert step([sample(2 / 3)]) == 1e-6  # a quotient: nobody printed its digits
    wide = Histogram(metric="h", bounds=(0, 5000, 15000), counts=[[1, 1, 1]], overflow=(0,),
                     limit=20000, maximum=(15001.0,), instances=("0",))  # fmt: skip
    assert step([wide]) == 5000


def side(tmp_path: Path, of: dict[str, Any], factors: Sequence[float], **changes: Any) -> Path:
    folder = tmp_path / bundles.sha(of["digest"] + repr(sorted(changes)))[:8]
    for seed, factor in enumerate(factors, 1):
        raw = bundles.stress_ng(factor)
        bundles.run(folder / str(seed), of, CATALOGUE, raw=raw, seed=seed, **changes)
    return folder


def test_bundles_of_two_kernels(tmp_path: Path) -> None:
    base, new = side(tmp_path, BASE, SAME), side(tmp_path, NEW, [0.9 * f for f in OTHER])
    data = answer([base], [new])
    assert set(verdicts(data).values()) == {"REGRESSION"}
    assert (data["benchmark"], data["board_type"]) == ("stress-ng-switch", "qemu-sim-2")
    assert data["base"]["version"] == "0.15.06"  # of the package: the output does not say it
    assert data["new"]["kernel"]["digest"] == NEW["digest"]
    # Folders and documents name the same bundles.
    one_by_one = answer([base / str(i) for i in range(1, 6)], sorted(new.glob("*/run.json")))
    assert one_by_one["rows"] == data["rows"]
    assert answer([new], [base])["summary"]["verdict"] == "IMPROVEMENT"


def test_bundles_whose_conditions_differ(tmp_path: Path) -> None:
    base = side(tmp_path, BASE, SAME)
    parameters = {**CATALOGUE.benchmark("stress-ng-switch").parameters}
    name = next(iter(parameters))
    for changes, said in (
        ({"board": {**bundles.BOARD, "board_type": "qemu-sim-4", "cpus": 4}},
         "board type qemu-sim-2 against qemu-sim-4"),
        ({"parameters": {**parameters, name: "9"}},
         f"parameter {name} {parameters[name]} against 9"),
        ({"userland": {"sha256": "0" * 64, "packages": bundles.PACKAGES}}, "userland "),
    ):  # fmt: skip
        data = answer([base], [side(tmp_path, NEW, SAME, **changes)])
        assert set(verdicts(data).values()) == {"NOT_COMPARABLE"}
        assert said in data["rows"][0]["reason"]


def test_a_parameter_is_a_factor_where_it_is_asked_for(tmp_path: Path) -> None:
    of = CATALOGUE.benchmark("stress-ng-switch")
    words = {n: render.argv(of, {**of.parameters, "instances": n}) for n in ("2", "9")}
    two, nine = (
        side(
            tmp_path / n, BASE, factors, parameters={**of.parameters, "instances": n}, argv=words[n]
        )
        for n, factors in (("2", SAME), ("9", [0.9 * f for f in OTHER]))
    )
    # Negative control: nobody asks.
    assert set(verdicts(answer([two], [nine])).values()) == {"NOT_COMPARABLE"}
    data = answer([two], [nine], differing=["instances"])
    assert set(verdicts(data).values()) == {"REGRESSION"}
    assert data["factors"] == {"instances": ["2", "9"]}
    assert data["notes"][0] == "instances may differ, as asked: 2 against 9"
    assert answer([nine], [two], differing=["instances"])["summary"]["verdict"] == "IMPROVEMENT"
    # All else must be equal as before.
    other = {**of.parameters, "instances": "9", "duration_s": 7}
    third = side(tmp_path / "third", BASE, SAME, parameters=other, argv=render.argv(of, other))
    data = answer([two], [third], differing=["instances"])
    assert set(verdicts(data).values()) == {"NOT_COMPARABLE"}
    assert "parameter duration s 1 against 7" in data["rows"][0]["reason"]
    for base, new, name, said in (
        ([two], [nine], "polcy", "has no such parameter; it has .*instances"),
        ([two / "1"], [two / "2"], "instances", "base and new both have 2"),
        (
            [two / "1", nine / "2"],
            [nine / "1"],
            "instances",
            "base has several values: 2 in .*, 9 in",
        ),
    ):
        with pytest.raises(UsageError, match=said):
            answer(base, new, differing=[name])
    raw = tmp_path / "raw.txt"
    raw.write_bytes(hackbench(1))
    (tmp_path / "raw-2.txt").write_bytes(hackbench(1.1))
    with pytest.raises(UsageError, match="raw output does not say its parameters"):
        answer([raw], [tmp_path / "raw-2.txt"], differing=["instances"])


def test_a_prebuilt_kernel_is_compared_with_prebuilt_ones_only(tmp_path: Path) -> None:
    package = {
        "name": "linux-image-6.12.1-cloud-amd64",
        "version": "6.12.1-1",
        "sha256": ["0" * 64],
    }
    built, old, new = (
        side(tmp_path, bundles.kernel(name, **more), SAME)
        for name, more in (
            ("6.1", {}),
            ("6.2", {"prebuilt": package}),
            ("6.3", {"prebuilt": package}),
        )
    )
    for base, other, said in (
        (built, new, "kernels built from source against prebuilt"),
        (new, built, "kernels prebuilt against built from source"),
    ):
        data = answer([base], [other])
        assert set(verdicts(data).values()) == {"NOT_COMPARABLE"}
        assert said in data["rows"][0]["reason"]
    # Negative control: the same figures of two prebuilt kernels.
    assert set(verdicts(answer([old], [new])).values()) == {"UNCHANGED"}


def test_bundles_that_are_no_one_kernel_or_not_whole(tmp_path: Path) -> None:
    base, new = side(tmp_path, BASE, SAME), side(tmp_path, NEW, SAME)
    with pytest.raises(UsageError, match=r"another kernel than .* all of new must be boots of one"):
        answer([base / "1"], [new / "1", base / "2"])
    raw = new / "9.txt"
    raw.write_bytes(bundles.stress_ng())
    with pytest.raises(UsageError, match=r"another kind of file than .*: raw output, not run"):
        answer([base], [raw])
    with pytest.raises(UsageError, match="was measured on qemu-sim-2, not on rpi5"):
        answer([base], [new], board_type="rpi5")
    output = next((new / "3" / "raw").iterdir())
    output.write_bytes(output.read_bytes() + b"\n")
    with pytest.raises(RefusedError, match=r"3/run.json: raw/.* is not the file"):
        answer([base], [new])
    (new / "3" / "run.json").write_text("{")
    with pytest.raises(RefusedError, match=r"3/run.json:1: not valid JSON"):
        answer([base], [new])


def test_a_failed_boot_is_said_and_counts_for_nothing(tmp_path: Path) -> None:
    base = side(tmp_path, BASE, SAME)
    new = side(tmp_path, NEW, OTHER)
    bundles.run(new / "6", NEW, CATALOGUE, seed=6, outcome="panic", reason="it fell over")
    data = answer([base], [new])
    assert any("6/run.json: panic: it fell over" in note for note in data["notes"])
    assert data["new"]["n"] == 5
    dead = tmp_path / "dead"
    bundles.run(dead / "1", NEW, CATALOGUE, outcome="panic", reason="it fell over")
    [row] = answer([base], [dead])["rows"]
    assert row["verdict"] == "INCONCLUSIVE"
    assert row["reason"] == "the new has no complete run (failed: panic)"


def test_on_a_deterministic_board_a_repeat_is_no_boot(tmp_path: Path) -> None:
    base, new = side(tmp_path, BASE, SAME), side(tmp_path, NEW, OTHER[:1])
    for i in range(2, 6):  # the same run again
        bundles.run(new / str(i), NEW, CATALOGUE, raw=bundles.stress_ng(), seed=1)
    data = answer([base], [new])
    assert data["new"]["n"] == 1
    assert set(verdicts(data).values()) == {"INCONCLUSIVE"}
    assert sum("on a deterministic board" in note for note in data["notes"]) == 4


def test_text_and_markdown(write: Write) -> None:
    base = write("base", [cyclictest(i % 2, i) for i in range(5)])
    data = answer(base, write("new", [cyclictest(9 + i % 2, i) for i in range(5)]))
    data["notes"].append("a | b <script> " + "word " * 40)
    names = {str(p): Path(p).name for p in (*data["base"]["files"], *data["new"]["files"])}
    for s in ("base", "new"):
        data[s]["files"] = [names[f] for f in data[s]["files"]]
    text = compared.render(data)
    assert max(map(len, text.splitlines())) <= compared.WIDTH
    assert text.startswith("REGRESSION: ")
    rows = re.findall(r"^latency (\S+) \[us\] +(\S+)$", text, re.M)
    assert [v for _, v in rows] == [r["verdict"] for r in data["rows"]]
    told = markdown.render(data)
    table = [line for line in told.splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(data["rows"])
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {8}
    assert r"a \| b \<script> word" in told
    assert all("**REGRESSION**" in line for line in table[2:4])


def test_a_cell_with_pipes_stays_one_cell(write: Write) -> None:
    paths = write("base", [hackbench(1.0)])
    data = answer(paths, write("new", [hackbench(1.1)]))
    data["rows"][0]["metric"] = "a|b\\|c\n|d"
    row = [line for line in markdown.render(data).splitlines() if line.startswith("| a")]
    assert len(row) == 1
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row[0])) == 8


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("latency p99 [us] is NOT_COMPARABLE", None),
        ("a|b", r"a\|b"),
        ("[x](http://y)", r"\[x]\(http://y)"),
        ("_so_ *so* `so` ~so~", r"\_so\_ \*so\* \`so\` \~so\~"),
        ("one\n# two", r"one \# two"),
    ],
)
def test_markdown_shows_a_text_as_it_is(text: str, shown: str | None) -> None:
    assert markdown.escape(text) == (shown or text)


def test_a_comparison_on_record_is_one_table() -> None:
    row = {
        "benchmark": "b|x", "metric": "time", "statistic": "median", "unit": "s", "base": 1.0,
        "new": 1.1, "effect": 0.1, "ci_low": 0.09, "ci_high": 0.11, "n_base": 5, "n_new": 5,
        "verdict": "REGRESSION", "reason": "10 % worse", "hint": False, "overrides": {"groups": 4},
        "screen": None,
    }  # fmt: skip
    open_ = {"verdict": "INCONCLUSIVE", "reason": "too few boots", "overrides": {}, "hint": True}
    kernel = {"release": "6.1-vlag", "describe": "v6.1", "series": None, "application": "none",
              "tree": "debian", "commit": "a" * 40, "knobs": {"sched_features": "NO_X"},
              "boots": 5}  # fmt: skip
    failure = {"kind": "run", "benchmark": "b", "seed": 3, "side": "new", "outcome": "panic",
               "reason": "it fell over"}  # fmt: skip
    alarm = {"side": "new", "kind": "warning", "text": "WARNING: CPU: 0"}
    data = {
        "kind": "comparison", "id": 7, "board_type": "rpi5", "limits": None,
        "head_notes": [], "differences": [], "attribution": [],
        "synthetic": False, "base": kernel, "new": kernel, "prediction": None, "hints": 0,
        "summary": {"REGRESSION": 1, "UNCHANGED": 0, "INCONCLUSIVE": 1},
        "rows": [row, {**row, **open_}], "failures": [failure], "health": [alarm], "notes": ["n"],
    }  # fmt: skip
    told = markdown.render(data).splitlines()
    table = [line for line in told if line.startswith("|")]
    assert len(table) == 4
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {8}
    assert r"| b\|x time [s] (groups=4) | 1 | 1.1 | +10.00 % |" in table[2]
    assert "INCONCLUSIVE (hint)" in table[3]
    assert "- result: 1 REGRESSION, 1 INCONCLUSIVE" in told
    for line in (
        "- failed, new: b seed 3: panic: it fell over",
        "- kernel alarm, new: warning: WARNING: CPU: 0",
        r"- b\|x time [s]: INCONCLUSIVE: too few boots",
        "- n",
    ):
        assert line in told


@pytest.mark.parametrize(("base", "new"), [("1.2", "1.3"), ("1.3", "1.2"), (1, 2), (2, 1)])
def test_a_factor_that_rose_or_fell_differs(base: object, new: object) -> None:
    [found] = differences._plain("tool", base, new)
    assert (found.base, found.new) == (str(base), str(new))
    assert differences._plain("tool", base, base) == []
