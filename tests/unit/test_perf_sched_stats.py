# SPDX-License-Identifier: GPL-2.0-only
"""What perf prints of /proc/schedstat: its reports and diffs, of perf 7.2 and before."""

from __future__ import annotations

import re

import pytest

from tests.unit.schedstats import DIFF, DIFF_7_2, REPORT, bent, raw, refused, rows, side
from vlag.errors import ParseError
from vlag.parsers.schedstat import CPU_FIELDS, DOMAIN_FIELDS
from vlag.schedstat import perf
from vlag.schedstat.interval_difference import diff, render


def test_field_report_gets_its_names_back() -> None:
    """The second column of a diff by the first one's layout, version 15 against 17."""
    one, two = perf.diff(raw(DIFF), (15, 17), path=DIFF)
    (a,), (b,) = one.domains, two.domains
    assert (one.jiffies, two.jiffies, one.version, two.version) == (150000, 150000, 15, 17)
    assert (one.cpu["yld_count"], two.cpu["yld_count"]) == (199542, 138180)
    assert a.values["busy_lb_count"] == 3
    printed = [  # the COUNT2 column from the top
        10, 9, 0, 39, 0, 0, 0, 0, 0, 0, 9,
        17399, 5886, 9575, 12702, 0, 13064, 0, 2954, 0, 42, 5844,
        1488633, 185791, 871226, 0, 0, 1716632, 0, 715096, 51, 2008, 133188,
        0, 0, 0,
    ]  # fmt: skip
    assert list(b.values.items()) == list(zip(DOMAIN_FIELDS[17], printed, strict=False))
    assert b.values["busy_lb_nobusyg"] == 9  # under "move task failed on cpu busy"
    assert b.values["idle_lb_count"] == 17399  # under "imbalance sum on cpu busy"
    assert max(b.values.values()) < 2**31


def test_field_report_compared() -> None:
    one, two = perf.diff(raw(DIFF), (15, 17), path=DIFF)
    data = diff(side(one, hz=250), side(two, hz=250))
    cpu, domain = rows(data, "cpu"), rows(data, "domain0")
    assert cpu["ttwu_local"]["change"] == pytest.approx(-0.2148, abs=5e-5)
    assert cpu["rq_cpu_time"]["a"] == 531050222644
    assert cpu["rq_cpu_time_share"]["a"] == pytest.approx(100 * 531.050222644 / 600)
    assert domain["busy_lb_count"]["a"] == 3
    assert domain["busy_lb_count"]["b"] == 10
    assert domain["newidle_lb_failed"]["change"] == pytest.approx(871226 / 698289 - 1)
    assert domain["idle_lb_success_count"]["b"] == 17399 - 5886 - 9575
    assert domain["newidle_lb_avg_pulled"]["b"] == pytest.approx(715096 / 431616)
    assert domain["newidle_lb_imbalance"]["why"] == "not in v17"
    assert domain["newidle_lb_imbalance_task"]["why"] == "not in v15"
    assert domain["newidle_lb_imbalance_task"]["b"] == 1716632
    unseen = [f for f, row in domain.items() if row["why"] == "not shown by the report"]
    assert unseen == list(DOMAIN_FIELDS[17][36:])
    text = render(data)
    assert "4294967287" not in text
    assert "30424" not in text


def test_second_field_report() -> None:
    one, two = perf.diff(raw("perf-diff-15-17-batch.txt"), (15, 17), path="x")
    data = rows(diff(side(one), side(two)), "domain0")
    assert (data["newidle_lb_count"]["a"], data["newidle_lb_count"]["b"]) == (1203440, 1349966)
    assert data["busy_lb_success_count"]["b"] == 0
    assert data["busy_lb_avg_pulled"]["why"] == "no success"
    assert data["idle_lb_failed"]["b"] == 7622


def test_diff_of_one_version_needs_no_new_names() -> None:
    one, two = perf.diff(raw("perf-diff-17-17.txt"), (17, 17), path="x")
    assert [d.name for d in (*one.domains, *two.domains)] == ["MC", "MC"]
    assert one.domains[0].values["idle_lb_count"] == 16402
    assert two.domains[0].values["idle_lb_imbalance_task"] == 10845
    assert two.domains[0].values["ttwu_wake_remote"] == 2452173


def test_report_of_perf_7_2_is_means_by_field_name() -> None:
    found = perf.report(raw(REPORT), path="x")
    assert (found.version, found.jiffies, found.cpus) == (17, 320, None)
    assert found.cpu["sched_count"] == (1470 + 1559) // 2  # CPU 0 and CPU 1
    assert found.cpu["rq_cpu_time"] == (1072249443 + 1231895953) // 2
    assert found.cpu["run_delay"] == 10252926555
    (domain,) = found.domains
    assert (domain.index, domain.name, domain.cpus) == (0, "MC", None)
    assert domain.values["busy_lb_imbalance_load"] == (10100 + 11779) // 2
    assert domain.values["idle_lb_count"] == (9 + 1) // 2
    assert domain.values["ttwu_wake_remote"] == (320 + 125) // 2
    assert tuple(domain.values) == DOMAIN_FIELDS[17]


def test_diff_of_perf_7_2() -> None:
    one, two = perf.diff(raw(DIFF_7_2), (17, 17), path="x")
    assert one == perf.report(raw(REPORT), path="x")  # of the same recording
    assert (two.jiffies, two.cpu["sched_count"], two.cpu["run_delay"]) == (310, 7683, 8892378578)
    (domain,) = two.domains
    assert (domain.name, tuple(domain.values)) == ("MC", DOMAIN_FIELDS[17])
    assert domain.values["busy_lb_imbalance_load"] == 13634
    assert domain.values["newidle_lb_imbalance_task"] == 13
    assert domain.values["ttwu_move_affine"] == 8
    domains = rows(diff(side(one, hz=250), side(two, hz=250)), "domain0 MC")
    assert domains["idle_lb_gained"]["change"] == pytest.approx((12 / 310) / (1 / 320) - 1)
    assert domains["busy_lb_failed"]["why"] == "new"


def old_heads(data: bytes) -> bytes:
    """Return a text of perf 7.2 with the heads that perf had before."""
    data = re.sub(rb"^CPU: ([0-9<])", rb"CPU \1", data, flags=re.M)
    return data.replace(b" | DOMAIN: ", b", DOMAIN ").replace(b" | DOMAIN_CPUS: ", b" CPUS ")


def test_a_report_may_have_the_older_heads() -> None:
    older = old_heads(raw(REPORT))
    assert b"CPU 0, DOMAIN MC CPUS 0-1\n" in older
    found = perf.report(older, path="x")
    assert found == perf.report(raw(REPORT), path="x")


ALL = "CPU: <ALL CPUS SUMMARY>"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (f"{ALL} |", "CPU <ALL CPUS SUMMARY>, DOMAIN MC", "of an unknown layout"),
        (f"{ALL} | DOMAIN: MC", "CPU <ALL CPUS SUMMARY>, DOMAIN MC", "x:25: the lines above are"),
        (f"{ALL} | DOMAIN: MC", f"{ALL}, DOMAIN: MC", "of an unknown layout"),
        (f"{ALL} | DOMAIN: MC", f"{ALL} | DOMAIN: MC | DOMAIN_CPUS: 0-1", "of an unknown layout"),
        (f"{ALL} | DOMAIN: MC", f"{ALL} | DOMAIN: 1", "the head of domain 0 must stand here"),
        (f"{ALL}\n", "CPU: 0\n", "the summary of all CPUs is missing"),
        ("CPU: 0 | DOMAIN: MC | DOMAIN_CPUS: 0-1", "CPU: 0 | DOMAIN: MC", "of an unknown layout"),
        ("pcount ", "total timeslices run on this cpu ", "x:23: the lines above are of another"),
        ("busy_lb_imbalance_util ", "busy_lb_imbalance_tool ", "of an unknown layout"),
        ("*busy_lb_success_count ", "busy_lb_success_count ", "x:88: what stands below line 25 is"),
        ("alb_pushed ", "sbe_pushed ", "x:77: sbe_pushed stands twice"),
        ("17  $       18.82 $", "17  $       18.82", "x:29: 'busy_lb_count"),
        ("       4\n", "       5\n", "5 is not count - balanced - failed"),
    ],
)
def test_bent_reports_of_perf_7_2_are_refused(old: str, new: str, said: str) -> None:
    data = bent(REPORT, old, new)
    assert said in refused(lambda: perf.report(data, path="x"))


def test_the_wrong_version_is_refused() -> None:
    wrong = refused(lambda: perf.diff(raw(DIFF), (17, 15), path="x"))
    assert "the lines are those of version 15, not of 17" in wrong
    unknown = refused(lambda: perf.diff(raw(DIFF), (15, 18), path="x"))
    assert "version 18 of /proc/schedstat is not known" in unknown
    assert "perf's diff of two files" in refused(lambda: perf.report(raw(DIFF), path=""))
    one = refused(lambda: perf.diff(raw(REPORT), (15, 17), path="x"))
    assert "this is no diff" in one


IDLE = "load_balance() count on cpu idle                                 :       15531,         10"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("15531,         10", "15531,         11", "x:30: from 15531 to 11 is no change of"),
        ("4294967287", "4294967286", "is no change of"),
        ("1, 4294967287  | 429496728600.00%", "1,          9  |   800.00%", "is not count -"),
        ("schedule() called ", "schedule() calledx", "of an unknown layout"),
        (IDLE, IDLE.replace(",         10", "  $  9.66 $\n"), "x:30: 2 counts must stand here"),
        ("imbalance sum on cpu idle  ", "imbalance in load on cpu idle", "is missing or out of"),
        ("Time elapsed (in", "Time spent (in", "stands where 'Time elapsed"),
        ("150000,     150000", "     0,     150000", "no time has elapsed"),
        ("CPU <ALL CPUS SUMMARY>, DOMAIN 0", "CPU <ALL CPUS SUMMARY>, DOMAIN 1", "domain 0 must"),
        ("CPU <ALL CPUS SUMMARY>\n", "CPU 0\n", "the summary of all CPUs is missing"),
        ("       0,          0  |", "     nan,          0  |", "of an unknown layout"),
        ("       0,          0  |", "    0.00,       0.00  |", "must be a whole number"),
    ],
)  # fmt: skip
def test_bent_diffs_are_refused(old: str, new: str, said: str) -> None:
    data = bent(DIFF, old, new)
    assert said in refused(lambda: perf.diff(data, (15, 17), path="x"))


def test_a_line_that_is_missing_or_doubled_is_noticed() -> None:
    lines = raw(DIFF).splitlines(keepends=True)
    counts = [i for i, x in enumerate(lines) if b" | " in x and not x.startswith(b"*")]
    assert len(counts) == 9 + 36
    for i in counts:
        for other in (lines[:i] + lines[i + 1 :], [*lines[:i], lines[i], *lines[i:]]):
            with pytest.raises(ParseError):
                perf.diff(b"".join(other), (15, 17), path="x")


def test_console_lines_in_a_diff_do_not_harm() -> None:
    data = raw(DIFF).replace(b"imbalance sum", b"[   12.345678] usb: x\nimbalance sum", 1)
    data = b"$ perf sched stats diff\n" + data.replace(b"\n", b"\r\n") + b"rc=0\r\n"
    assert perf.diff(data, (15, 17), path="x") == perf.diff(raw(DIFF), (15, 17), path="x")


@pytest.mark.parametrize("name", [DIFF, DIFF_7_2, REPORT])
def test_a_cut_text_is_refused_or_whole(name: str) -> None:
    def parse(data: bytes) -> object:
        if name == REPORT:
            return perf.report(data, path="x")
        return perf.diff(data, (15 if name == DIFF else 17, 17), path="x")

    data = raw(name)
    whole = parse(data)
    ends = 0
    for end in range(0, len(data), 7):
        try:
            assert parse(data[:end]) == whole
            ends += 1
        except ParseError:
            pass
    # No more than the rules between blocks and below the last line, of 100 columns each.
    assert ends * 7 < (2 if name != REPORT else 5) * 101


def test_perfs_report_has_no_counter_that_the_file_lacks() -> None:
    """What perf 7.2 prints, line by line; its own two figures are computed."""
    printed = {
        line.split(b":")[0].strip().lstrip(b"*").decode()
        for line in raw(REPORT).splitlines()
        if re.match(rb"\*?[a-z_]+ +: +[0-9]", line)
    }
    computed = {n for n in printed if n.endswith(("lb_success_count", "lb_avg_pulled"))}
    assert len(computed) == 2 * 3  # of busy, idle and newly idle CPUs
    assert printed - computed <= {*CPU_FIELDS, *DOMAIN_FIELDS[17]}
    assert len(printed - computed) > 40
