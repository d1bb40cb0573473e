# SPDX-License-Identifier: GPL-2.0-only
"""/proc/schedstat by name: snapshots, and the comparison."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.fuzz.properties import SCHEDSTAT as DATA
from tests.unit.schedstats import DIFF, DIFF_7_2, REPORT, bent, raw, refused, rows, side
from vlag.cli.main import main
from vlag.errors import ParseError, UsageError
from vlag.parsers.schedstat import (
    ALL_DOMAIN_FIELDS,
    DOMAIN_FIELDS,
    Interval,
    Snapshot,
    between,
    read,
)
from vlag.report.layout import WIDTH
from vlag.schedstat import perf
from vlag.schedstat.interval_difference import diff, render


def snapshot(name: str) -> Snapshot:
    return read(raw(name), path=name)


def counted(version: str) -> Interval:
    return between(snapshot(f"{version}-before.txt"), snapshot(f"{version}-after.txt"))


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["schedstat", "diff", *words])
    assert result.exit_code == code, result.output
    return result.output


# Layouts


def test_layouts_have_the_kernels_number_of_fields_and_share_one_order_for_tables() -> None:
    assert {v: len(set(f)) for v, f in DOMAIN_FIELDS.items()} == {15: 36, 16: 36, 17: 45}
    assert set(ALL_DOMAIN_FIELDS) == {f for order in DOMAIN_FIELDS.values() for f in order}


@pytest.mark.parametrize(
    ("version", "slot", "name"),
    [
        (15, 0, "idle_lb_count"),
        (15, 10, "busy_lb_failed"),
        (16, 0, "busy_lb_count"),
        (16, 11, "idle_lb_imbalance"),
        (17, 6, "busy_lb_imbalance_misfit"),
        (17, 22, "newidle_lb_count"),
        (17, 44, "ttwu_move_balance"),
    ],
)
def test_slots_of_domain_lines(version: int, slot: int, name: str) -> None:
    assert DOMAIN_FIELDS[version][slot] == name


# Snapshots


def test_real_pairs_of_a_board() -> None:
    old, new = counted("v15"), counted("v16")
    # cpu0 5463233292 - 1246022778, cpu1 5037539534 - 365993196
    assert (old.version, old.jiffies, old.cpus) == (15, 1183, 2)
    assert old.cpu["rq_cpu_time"] == 8888756852
    assert old.cpu["pcount"] == 169010 + 249477
    assert (new.version, new.jiffies) == (16, 1172)
    assert new.cpu["run_delay"] == 13424910465 + 12560879724
    assert old.switched_off
    assert [(d.index, d.name, d.cpus) for d in new.domains] == [(0, None, 2)]


def test_real_pair_with_counters_on() -> None:
    found = counted("v16-on")
    assert (found.jiffies, found.switched_off) == (1052, False)
    assert found.cpu["sched_count"] == (16383 - 123) + (16641 - 84)
    (domain,) = found.domains
    nonzero = {name: value for name, value in domain.values.items() if value}
    assert nonzero == {
        "busy_lb_count": 6 - 3,
        "busy_lb_balanced": 6 - 3,
        "busy_lb_nobusyg": 6 - 3,
        "idle_lb_count": (1022 - 14) + (1003 - 3),
        "idle_lb_balanced": (1020 - 13) + (1003 - 3),
        "idle_lb_failed": 1,
        "idle_lb_imbalance": 2 - 1,
        "idle_lb_nobusyg": (1020 - 13) + (1003 - 3),
        "newidle_lb_count": (48 - 9) + (22 - 6),
        "newidle_lb_balanced": (45 - 7) + (19 - 3),
        "newidle_lb_failed": 1,
        "newidle_lb_imbalance": 3 - 2,
        "newidle_lb_nobusyg": (45 - 7) + (19 - 3),
        "ttwu_wake_remote": (56 - 13) + (67 - 29),
    }
    row = rows(diff(side(found), side(found)), "domain0")
    assert row["idle_lb_success_count"]["a"] == 0
    assert row["newidle_lb_gained"]["change"] == 0


def test_real_pair_of_version_17() -> None:
    found = counted("v17")
    assert (found.version, found.jiffies, found.cpus) == (17, 2432, 2)
    assert not found.switched_off
    assert found.cpu == {
        "yld_count": 0,
        "array_exp": 0,
        "sched_count": (3463 - 63) + (2735 - 20),
        "sched_goidle": (65 - 28) + (34 - 2),
        "ttwu_count": (2660 - 17) + (1919 - 22),
        "ttwu_local": (2072 - 16) + (1445 - 4),
        "rq_cpu_time": (19735837611 - 10785008108) + (24233468498 - 15298509986),
        "run_delay": (92368818452 - 6109773392) + (98153717466 - 6359017699),
        "pcount": (4627 - 1314) + (3566 - 929),
    }
    (domain,) = found.domains
    assert (domain.index, domain.name, domain.cpus) == (0, "MC", 2)
    assert {name: value for name, value in domain.values.items() if value} == {
        "busy_lb_count": (112 - 2) + (127 - 10),
        "busy_lb_balanced": (71 - 2) + (87 - 10),
        "busy_lb_failed": 4 + 1,
        "busy_lb_imbalance_load": 105681 + 110103,
        "busy_lb_gained": 177 + 196,
        "busy_lb_nobusyg": (71 - 2) + (87 - 10),
        "idle_lb_count": (64 - 32) + 14,
        "idle_lb_balanced": (56 - 26) + 3,
        "idle_lb_failed": (6 - 6) + 6,
        "idle_lb_imbalance_task": (14 - 6) + 15,
        "idle_lb_gained": 8 + 10,
        "idle_lb_nobusyg": (56 - 26) + 3,
        "newidle_lb_count": (21 - 8) + 1,
        "newidle_lb_balanced": 9 - 5,
        "newidle_lb_failed": 7 - 3,
        "newidle_lb_imbalance_task": (22 - 3) + 1,
        "newidle_lb_gained": 5 + 1,
        "newidle_lb_nobusyg": 9 - 5,
        "alb_count": 1,
        "alb_pushed": 1,
        "ttwu_wake_remote": (588 - 1) + (474 - 18),
        "ttwu_move_affine": 32 + 19,
    }
    as_16 = bent("v17-after.txt", "version 17", "version 16")
    assert "a mask of CPUs, as in version 16" in refused(lambda: read(as_16, path="x"))


# The two made files are there for four CPUs, two domains and no slot of 0.
def test_made_pair_of_version_17_sums_each_field_over_its_cpus() -> None:
    found = counted("v17-made")
    assert not found.switched_off
    # The file's cpu N counts slot i (i + 1) * (N + 1) times 10, and 2 * that in domain1.
    assert found.cpu["sched_count"] == 3 * 10 * 10
    near, far = found.domains
    assert (near.index, near.name, near.cpus) == (0, "MC", 4)
    assert (far.index, far.name, far.cpus) == (1, "PKG", 4)
    for slot, name in enumerate(DOMAIN_FIELDS[17]):
        assert near.values[name] == (slot + 1) * 10
        assert far.values[name] == (slot + 1) * 20


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("version 15", "version 18", "x:1: this is version 18 of /proc/schedstat; known are 15"),
        ("version 15", "version 17", "x:4: domain0 of cpu0 does not begin with a name and"),
        ("version 15\n", "", "x:1: a line 'version NUMBER' must stand here"),
        ("timestamp 4294893816\n", "", "x:2: a line 'timestamp NUMBER' must stand here"),
        ("169233\n", "169233 7 8\n", "x:3: cpu0 has 11 fields where version 15 has 9"),
        ("domain0 3 0", "domain0 3", "x:4: domain0 of cpu0 has 35 fields where version 15 has 36"),
        ("cpu0 0 0", "cpu0 0 5", "the second field of cpu0 is 5"),
        ("cpu0 0", "cpu0 4294967296", "where a number of 32 bits must stand"),
        ("cpu0 0", "cpu0 -9", "yld_count of cpu0 is '-9'"),
        ("cpu0 0", "cpu0 nan", "yld_count of cpu0 is 'nan'"),
        ("cpu1", "cpu0", "x:5: cpu0 stands below cpu0"),
        ("domain0", "domain1", "x:4: domain1 of cpu0 stands where domain0 is due"),
        ("domain0 3", "domain0 MC 3", "as in version 15"),
        ("domain0 3", "domain0 2", "does not hold this CPU"),
        ("domain0 3", "domain0 7", "a domain spans cpu2, which has no line"),
        ("cpu0", "cpux", "x:3: 'cpux 0 0"),
    ],
)
def test_bent_snapshots_are_refused(old: str, new: str, said: str) -> None:
    assert said in refused(lambda: read(bent("v15-after.txt", old, new), path="x"))


def test_console_and_shell_lines_do_not_harm() -> None:
    data = raw("v15-after.txt")
    noisy = b"$ cat /proc/schedstat\n" + data.replace(b"cpu1", b"[   12.345678] usb: x\ncpu1")
    noisy = noisy.replace(b"\n", b"\r\n") + b"rc=0\r\n"
    assert read(noisy, path="x").cpus[1].values == snapshot("v15-after.txt").cpus[1].values


@pytest.mark.parametrize("version", ["v15", "v17", "v17-made"])
def test_a_cut_snapshot_is_refused_or_makes_no_pair(version: str) -> None:
    before, data = snapshot(f"{version}-before.txt"), raw(f"{version}-after.txt")
    for end in range(len(data)):
        with pytest.raises(ParseError):
            between(before, read(data[:end], path="x"))


def test_a_missing_domain_line_is_noticed() -> None:
    data = raw("v17-made-after.txt")
    lines = data.splitlines(keepends=True)
    assert lines[-1].startswith(b"domain1 PKG")
    assert "cpu3 lacks a domain" in refused(lambda: read(b"".join(lines[:-1]), path="x"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("5463233292", "1246022777", "x:3: rq_cpu_time of cpu0 fell from 1246022778 to 1246022777"),
        ("timestamp 4294893816", "timestamp 4294892633", "is not after 4294892633"),
        ("version 15", "version 16", "version 16 follows version 15"),
    ],
)
def test_snapshots_of_two_boots_make_no_pair(old: str, new: str, said: str) -> None:
    after = read(bent("v15-after.txt", old, new), path="x")
    assert said in refused(lambda: between(snapshot("v15-before.txt"), after))


def test_domains_made_anew_make_no_pair() -> None:
    after = read(raw("v17-made-after.txt").replace(b" PKG ", b" NUMA "), path="x")
    said = refused(lambda: between(snapshot("v17-made-before.txt"), after))
    assert "scheduling domains are not those" in said


# Damage


@pytest.mark.parametrize("name", ["v15-after.txt", "v17-after.txt", DIFF, REPORT])
def test_damaged_bytes_raise_nothing_else(name: str) -> None:
    chance = random.Random(name)
    data = raw(name)
    for _ in range(150):
        damaged = bytearray(data)
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(damaged))
            damaged[at : at + chance.randint(0, 3)] = chance.randbytes(chance.randint(0, 4))
        for call in (
            lambda d: read(d, path="x"),
            lambda d: perf.report(d, path="x"),
            lambda d: perf.diff(d, (15, 17), path="x"),
        ):
            with contextlib.suppress(ParseError):
                call(bytes(damaged))


def test_long_lines_do_not_hang() -> None:
    for piece in (
        b"-",
        b" ",
        b"- <",
        b"9",
        b"9,",
        b"a:9 ",
        b"CPU 0, DOMAIN M",
        b"CPU: 0 | DOMAIN: M",
        b"f,",
    ):
        data = b"version 15\ntimestamp 1\n" + piece * 100_000 + b"\n"
        with pytest.raises(ParseError):
            read(data, path="x")
        with pytest.raises(ParseError):
            perf.report(data[23:], path="x")


# The comparison


def test_nothing_changes_against_itself() -> None:
    one = counted("v17")
    data = diff(side(one, hz=250), side(one, hz=250))
    for section in data["sections"]:
        assert {r["change"] for r in section["rows"] if r["a"] is not None} == {0.0}


def test_rates_are_per_second_and_times_stay_ns() -> None:
    one = counted("v17-made")  # 500 jiffies
    data = diff(side(one, hz=250), side(one, hz=1000))
    cpu = rows(data, "cpu")
    assert data["unit"] == "1/s"
    assert (cpu["sched_count"]["a"], cpu["sched_count"]["b"]) == (150, 600)
    assert cpu["sched_count"]["change"] == pytest.approx(3)
    assert cpu["rq_cpu_time"]["a"] == 7 * 10 * 10**8
    assert cpu["rq_cpu_time_share"]["a"] == pytest.approx(87.5)  # 7 s of 2 s on 4 CPUs
    unknown = diff(side(one, hz=250), side(one))
    assert unknown["unit"] == "1/jiffy"
    assert any("HZ is not known" in note for note in unknown["notes"])
    assert "rq_cpu_time_share" not in rows(unknown, "cpu")


def test_counters_that_were_off_are_not_compared() -> None:
    data = diff(side(counted("v15"), hz=250), side(counted("v16"), hz=250))
    assert rows(data, "cpu")["sched_count"]["why"] == "not counted"
    assert rows(data, "cpu")["pcount"]["change"] == pytest.approx(
        (111005 / 1172) / (418487 / 1183) - 1
    )
    assert {r["change"] for r in rows(data, "domain0").values()} == {None}
    assert sum("kernel.sched_schedstats was 0" in note for note in data["notes"]) == 2
    assert "all fields: not counted" in render(data)


def test_other_numbers_of_cpus_compare_per_cpu_and_lone_domains_not_at_all() -> None:
    data = diff(side(counted("v17-made"), hz=250), side(counted("v15"), hz=250))
    assert data["per_cpu"]
    assert rows(data, "cpu")["pcount"]["a"] == 9 * 100 / 2 / 4
    assert "domain1 PKG is only in A: not compared" in data["notes"]
    assert [s["title"] for s in data["sections"]] == ["cpu", "domain0 MC"]


def test_domains_of_other_names_are_not_compared() -> None:
    renamed = [
        read(raw(f"v17-made-{x}.txt").replace(b" MC ", b" SMT "), path="x")
        for x in ("before", "after")
    ]
    data = diff(side(counted("v17-made")), side(between(*renamed)))
    assert [s["title"] for s in data["sections"]] == ["cpu", "domain1 PKG"]
    assert any(note.startswith("domain0 is MC in A and SMT in B") for note in data["notes"])


def test_what_comes_from_nothing_is_new() -> None:
    one, two = perf.diff(raw("perf-diff-17-17.txt"), (17, 17), path="x")
    row = rows(diff(side(one), side(two)), "domain0 MC")["busy_lb_failed"]
    assert (row["a"], row["b"], row["change"], row["why"]) == (0, 1, None, "new")


def test_more_parts_than_the_whole_give_no_success() -> None:
    row = rows(diff(side(counted("v17-made")), side(counted("v17-made"))), "domain0 MC")
    assert row["busy_lb_success_count"]["why"] == "parts exceed count"


def test_sums_and_means_are_not_mixed() -> None:
    with pytest.raises(UsageError, match="means over CPUs"):
        diff(side(counted("v15")), side(perf.report(raw(REPORT), path="x")))


# The command


def test_text_is_narrow_and_json_holds_the_same() -> None:
    words = ("--perf-diff", str(DATA / DIFF), "--versions", "15,17", "--hz", "250")
    text = run(*words)
    assert max(len(x) for x in text.splitlines() if str(DATA) not in x) <= WIDTH
    data = json.loads(run(*words, "--format", "json").splitlines()[-1])
    assert data["kind"] == "schedstat-diff"
    assert "busy_lb_imbalance                  57            -  not in v17" in text


def test_operands_are_pairs_folders_or_reports(tmp_path: Path) -> None:
    bundle = tmp_path / "runs" / "key" / "id"
    (bundle / "raw").mkdir(parents=True)
    for when in ("before", "after"):
        (bundle / "raw" / f"schedstat-{when}.txt").write_bytes(raw(f"v15-{when}.txt"))
    pair = f"{DATA}/../schedstat/v16-before.txt..{DATA}/v16-after.txt"
    for folder in (bundle, bundle / "raw"):
        assert "v16, 2 CPUs, 1172 jiffies\n" in run(str(folder), pair)
    config = tmp_path / "builds" / ("c" * 16) / "id" / "config"
    config.parent.mkdir(parents=True)
    config.write_text("CONFIG_HZ_250=y\nCONFIG_HZ=250\n")
    document = {
        "kernel": {"digest": "c" * 64},
        "config_sha256": hashlib.sha256(config.read_bytes()).hexdigest(),
    }
    (bundle / "run.json").write_text(json.dumps(document))
    assert "1183 jiffies of 250 a second (4.732 s)" in run(str(bundle), pair)
    config.write_text("CONFIG_HZ=100\n")  # another build's
    assert "1183 jiffies\n" in run(str(bundle), pair)
    report = str(DATA / REPORT)
    assert "busy_lb_imbalance_load          10939        10939  +0.0 %" in run(report, report)
    seven = run("--perf-diff", str(DATA / DIFF_7_2), "--versions", "17,17")
    assert "idle_lb_gained                      1           12  +1138.7 %" in seven


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["{}/v15-before.txt", "{}/v15-before.txt"], 2, "is one snapshot"),
        (["{}/v15-before.txt..{}/none.txt", "{}"], 2, "no such folder or file"),
        (["{}", "{}"], 2, "holds no schedstat-before.txt"),
        (["{}/v15-before.txt"], 2, "give A and B"),
        (["--perf-diff", "{}/" + DIFF], 2, "takes --versions"),
        (["--perf-diff", "{}/none.txt", "--versions", "15,17"], 2, "No such file"),
        (["{}/v15-after.txt..{}/v15-before.txt", "{}"], 3, "is AFTER given first"),
    ],
)
def test_mistakes_end_in_one_sentence(words: list[str], code: int, said: str) -> None:
    assert said in run(*(w.replace("{}", str(DATA)) for w in words), code=code)
