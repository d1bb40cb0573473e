# SPDX-License-Identifier: GPL-2.0-only
"""stress-ng's parser against captures bent on purpose; the others are in test_parsers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unit.captures import (
    CAPTURES,
    KERNEL,
    bend,
    cuts,
    damage_refused,
    each_line_twice,
    expected,
    less_each_line,
    lines,
    parsed,
    read,
    refusals,
    refused,
)
from vlag.config.catalogue import load
from vlag.errors import ParseError
from vlag.model import ParsedOutput
from vlag.parsers import parse, stress_ng

PIPE = "stress-ng/0.19.02-pipe.txt"
SEM = "stress-ng/0.19.02-sem.txt"
SOCK = "stress-ng/0.19.02-sock.txt"
MUTEX = "stress-ng/0.15.06-mutex.txt"
CYCLIC = "stress-ng/0.19.02-cyclic.txt"
HISTOGRAM = "stress-ng/0.15.06-cyclic-fifo.txt"
YAML = "stress-ng/0.19.02-pipe-yaml.yaml"
YAML_OLD = "stress-ng/0.15.06-switch-yaml.yaml"
SWITCH_2021 = "stress-ng/0.12.06-switch-brief.txt"
PIPE_2022 = "stress-ng/0.15.02-pipe-made.txt"

EACH = (PIPE, SEM, MUTEX, CYCLIC, HISTOGRAM, YAML, YAML_OLD, SWITCH_2021)


def values(output: ParsedOutput) -> Mapping[str, float]:
    return {s.metric: s.values[0] for s in output.samples}


# Text and YAML


@pytest.mark.parametrize(
    ("text", "yaml"),
    [
        ("0.15.06-pipe-metrics", "0.15.06-pipe-yaml"),
        ("0.15.06-pipe-2inst", "0.15.06-pipe-2inst-yaml"),
        ("0.15.06-switch-pipe", "0.15.06-switch-yaml"),
        ("0.15.06-times", "0.15.06-times-yaml"),
        ("0.15.06-yield", "0.15.06-yield-yaml"),
        ("0.19.02-pipe", "0.19.02-pipe-yaml"),
    ],
)
def test_text_and_yaml_of_one_run_agree(text: str, yaml: str) -> None:
    printed, written = parsed(f"stress-ng/{text}.txt"), parsed(f"stress-ng/{yaml}.yaml")
    assert values(written) == pytest.approx(values(printed), abs=0.005)
    assert written.benchmark == printed.benchmark
    assert (printed.tool_version, written.tool_version) == (None, text.partition("-")[0])
    assert written.defaults.keys() == printed.defaults.keys()


def test_text_and_yaml_of_two_instances_give_different_means() -> None:
    printed = parsed("stress-ng/0.19.02-pipe-2inst.txt")
    written = parsed("stress-ng/0.19.02-pipe-2inst-yaml.yaml")
    assert values(printed)["bogo-ops-rate"] == pytest.approx(values(written)["bogo-ops-rate"])
    assert values(printed)["write-rate"] < values(written)["write-rate"] - 0.01
    assert (printed.defaults["mean"], written.defaults["mean"]) == ("harmonic", "arithmetic")


def test_yaml_without_its_miscellaneous_metric_is_refused() -> None:
    line = "      mb-per-sec-pipe-write-rate: 3141.736244\n"
    assert "the miscellaneous line that gives write-rate is missing" in refused(YAML, line, "")


def test_yaml_lists_each_instance_since_0_21_04() -> None:
    line = "      mb-per-sec-pipe-write-rate: 3141.736244\n"
    more = "      instances:\n          - instance: 0\n            bogo-ops: 1608233\n"
    assert bend(YAML, line, line + more) == parsed(YAML)


def test_yaml_that_nests_without_end_is_refused() -> None:
    tool, _ = read(YAML)
    with pytest.raises(ParseError, match="no YAML"):
        parse(tool, b"---\nstress-ng-version: " + b"[" * 500 + b"\n...\n", path="raw")


# Lines that are missing, damaged or not the tool's


@pytest.mark.parametrize("name", EACH)
def test_a_cut_gives_an_error_or_the_full_result(name: str) -> None:
    _, data = read(name)
    assert any(refusals(name, cuts(data, 1 if len(data) < 2000 else 7)))


@pytest.mark.parametrize("name", EACH)
def test_a_line_that_is_missing_or_stands_twice_changes_no_figure(name: str) -> None:
    _, data = read(name)
    assert sum(refusals(name, [*less_each_line(data), *each_line_twice(data)])) >= 6


@pytest.mark.parametrize("name", EACH)
def test_damaged_bytes_never_raise_anything_else(name: str) -> None:
    assert damage_refused(name, 300, seed=2) > 50


def test_only_kernel_messages_are_refused() -> None:
    with pytest.raises(ParseError, match="the output is empty"):
        parse("stress-ng", KERNEL, path="raw")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("stress-ng: fail:  [1] pipe: it broke", "; stress-ng says: pipe: it broke"),
        ("sh: stress-ng: not found", "; stress-ng says: sh: stress-ng: not found"),
        ("sh: all is well", "no 'successful run completed' line"),
    ],
)
def test_a_run_that_did_not_end_gives_the_tool_s_reason(line: str, why: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse("stress-ng", f"{line}\n".encode(), path="raw")
    assert str(caught.value).endswith(why)


# Brief metrics, and versions that print fewer lines


def test_old_versions_log_a_time_per_switch_of_each_instance() -> None:
    [_, time] = parsed(SWITCH_2021).samples
    assert (time.metric, time.values) == ("time-per-switch", (21393.65, 17110.84))
    assert "there are times of 1 of 2 instances" in refused(
        SWITCH_2021, "17110.84 nanoseconds", "about 17110 nanoseconds"
    )
    assert "the method is both mq and pipe" in refused(
        "stress-ng/0.15.02-switch-made.txt", "(mq) 4234.56", "(pipe) 4234.56"
    )


def test_a_row_of_an_old_table_is_not_passed_over() -> None:
    """Its end has no mark: what follows is told from a row by its first words."""
    row = "stress-ng: info:  [2303] for a 1.01s run time:"
    second = "stress-ng: info:  [2303] cpu                 10      1.00      0.06"
    assert "this row does not fit" in refused(
        "stress-ng/0.12.06-pipe-times.txt", row, f"{second}\n{row}"
    )


def test_metrics_that_an_old_version_announces_must_follow() -> None:
    line = "stress-ng: info:  [412] pipe                 454.62 MB per sec pipe write rate"
    assert "the miscellaneous line that gives write-rate is missing" in refused(
        PIPE_2022, f"{line} (geometic mean)\n", ""
    )


def brief(name: str) -> bytes:
    """Return the capture as --metrics-brief prints it since 0.16.05."""
    kept = [
        line.partition(b" CPU used per")[0].partition(b" instance (%)")[0].rstrip() + b"\n"
        for line in lines(name)
        if b"miscellaneous" not in line and b" mean of " not in line
    ]
    [row] = [k for k, line in enumerate(kept) if len(line.split()) == 12]
    kept[row] = kept[row].rsplit(maxsplit=2)[0] + b"\n"
    return b"".join(kept)


@pytest.mark.parametrize("stressor", ["pipe", "yield", "context", "mutex", "sem", "sock"])
def test_brief_metrics_give_the_rate_alone(stressor: str) -> None:
    name = f"stress-ng/0.19.02-{stressor}.txt"
    output = parse("stress-ng", brief(name), path="raw")
    assert values(output) == {"bogo-ops-rate": values(parsed(name))["bogo-ops-rate"]}
    assert output.defaults == {}


def test_brief_metrics_of_switch_are_refused() -> None:
    with pytest.raises(ParseError, match="gives time-per-switch is missing; run stress-ng with"):
        parse("stress-ng", brief("stress-ng/0.19.02-switch.txt"), path="raw")


@pytest.mark.parametrize(
    ("name", "words", "metric"),
    [
        (SEM, b"sem_wait", "wait-rate"),
        (SEM, b"sem_trywait", "trywait-rate"),
        (PIPE, b"MB per sec", "write-rate"),
        (SOCK, b"messages sent", "message-rate"),
    ],
)
def test_a_miscellaneous_line_is_missed(name: str, words: bytes, metric: str) -> None:
    data = b"".join(line for line in lines(name) if words not in line)
    with pytest.raises(ParseError, match=f"the miscellaneous line that gives {metric} is missing"):
        parse("stress-ng", data, path="raw")


def test_sock_may_have_a_queue_of_nothing_and_one_more_line() -> None:
    queue = "sock             3117258.00 byte average out queue length (harmonic"
    assert values(bend(SOCK, "3117258.00", "0.00"))["queue-out"] == 0
    inward = f"stress-ng: metrc: [12629] {queue.replace('out', 'in').replace('harmon', 'geometr')}"
    output = bend(SOCK, queue, f"{queue} mean of 1 instance)\n{inward}")
    assert values(output)["queue-in"] == 3117258.00
    assert output.defaults == {"mean": "harmonic", "queue-in-mean": "geometric"}


# cyclic


def test_cyclic_without_its_latencies_is_refused() -> None:
    data = b"".join(line for line in lines(CYCLIC) if b" cyclic: " not in line)
    with pytest.raises(ParseError, match="cyclic's latencies are missing; run stress-ng without"):
        parse("stress-ng", data, path="raw")


def test_cyclic_names_a_bpf_scheduler_and_passes_over_advice() -> None:
    line = "stress-ng: info:  [12822] cyclic: sched SCHED_FIFO:"
    advice = "stress-ng: info:  [12822] cyclic: for best results, run just 1 instance\n"
    output = bend(CYCLIC, line, f"{advice}{line.replace('FIFO', 'EXT (simple)')}")
    assert output.defaults == {"policy": "ext", "delay_ns": "100000", "scheduler": "simple"}
    assert output.samples == parsed(CYCLIC).samples


def test_cyclic_reads_two_processes_whose_lines_mix() -> None:
    table = lines(CYCLIC)
    first = [line for line in table if b"[12822]" in line]
    second = [line.replace(b"[12822]", b"[12823]").replace(b"11524", b"11000") for line in first]
    mixed = [line for pair in zip(first, second, strict=True) for line in pair]
    k = table.index(first[0])
    data = b"".join(table[:k] + mixed + table[k + len(first) :])
    data = data.replace(b"hogs: 1 cyclic", b"hogs: 2 cyclic")
    data = data.replace(b"             7825      1.00", b"            15650      1.00")
    data = data.replace(b"  7814.26", b" 15628.52")
    samples = {s.metric: s for s in parse("stress-ng", data, path="raw").samples}
    assert samples["latency-min"].values == (11524, 11000)
    assert samples["latency-min"].instances == ("0", "1")
    assert samples["latency-p99"].values == (93954, 93954)
    with pytest.raises(ParseError, match="different settings"):
        parse("stress-ng", data.replace(b"100000 ns", b"50000 ns", 1), path="raw")


def distribution(shown: int, rows: list[tuple[int, int]], *, zeros: bool) -> str:
    """Return a distribution of 1000 ns buckets as the tool prints it for a maximum of 395409."""
    text = ["latency distribution (1000 ns intervals):"]
    text += [f"(for the first {shown} buckets of 396)", "latency (ns)  frequency"]
    text += [f"{bound:12} {count:10}" for bound, count in rows]
    if zeros:
        text += ["          ..         .. (all zeros hereafter)", "          ..         .."]
        text += [f"{1000 * k:12} {0:10}" for k in range(shown - 3, shown)]
    return "".join(f"stress-ng: info:  [12822] cyclic: {line}\n" for line in text)


def with_distribution(text: str) -> ParsedOutput:
    end = "cyclic:   99.99%:     395409 ns\n"
    return bend(CYCLIC, end, end + text)


def test_cyclic_counts_what_lies_beyond_its_last_bucket() -> None:
    rows = [(1000 * k, 25 if k == 30 else 7000 if k == 22 else 0) for k in range(31)]
    output = with_distribution(distribution(250, rows, zeros=True))
    [histogram] = output.histograms
    assert histogram.bounds == (22000, 30000)
    assert histogram.counts.tolist() == [[7000, 25]]
    assert (histogram.overflow, histogram.limit) == ((800,), 250_000)
    assert (histogram.achieved, histogram.expected) == (7825, 7825)
    assert output.defaults["bucket_ns"] == "1000"


@pytest.mark.parametrize(
    ("shown", "count", "old", "new", "why"),
    [
        (200, 7825, "", "", "200 of 396 buckets of 1000 ns do not fit the maximum of 395409"),
        (250, 7825, "", "", "the distribution holds 7825 of 7825 samples in 250 of 396"),
        (250, 7000, "248000          0", "248000          1", "after 'all zeros hereafter'"),
        (250, 7000, "248000          0", "148000          0", "the bucket of 148000 ns appears"),
        (250, 7000, " (all zeros hereafter)", "", "cyclic's line with the bucket of 10000 ns is"),
    ],
)
def test_cyclic_refuses_a_distribution(
    shown: int, count: int, old: str, new: str, why: str
) -> None:
    rows = [(1000 * k, count if k == 9 else 0) for k in range(10)]
    with pytest.raises(ParseError) as caught:
        with_distribution(distribution(shown, rows, zeros=True).replace(old, new, 1))
    assert why in str(caught.value)


# Which output it is


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_its_own_output_is_recognised(capture: Path) -> None:
    found = stress_ng.recognise(capture.read_bytes())
    if capture.parent.name != stress_ng.TOOL:
        assert not found
    elif "refused" not in expected(capture):
        assert found


@pytest.mark.parametrize("version", ["0.15.06", "0.19.02"])
@pytest.mark.parametrize(
    "stressor",
    ["context", "cyclic", "futex", "mq", "mutex", "pipe", "sem", "sock", "switch", "yield"],
)
def test_the_catalogue_declares_what_the_parser_gives(stressor: str, version: str) -> None:
    entry = load().benchmarks[f"stress-ng-{stressor}"]
    declared = {metric.name for metric in entry.metrics}
    known = [
        expected(capture)
        for capture in CAPTURES
        if capture.name.startswith(f"{version}-{stressor}")
    ]
    given = {s["metric"] for output in known for s in output.get("samples", ())}
    assert given
    assert given <= declared
