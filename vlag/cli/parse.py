# SPDX-License-Identifier: GPL-2.0-only
"""`vlag parse`: the samples in a tool's raw output, without a database."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypedDict, final

import click

from vlag.cli.command import FORMAT, echo, one_sentence, say
from vlag.errors import UsageError
from vlag.model import ParsedOutput


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--tool", help="The tool that wrote FILE (default: recognise it).")
@FORMAT
@one_sentence
def parse(file: Path, tool: str | None, form: str) -> None:
    """Print the samples and histograms in a tool's raw output.

    JSON is a list of objects with benchmark, metric, unit, direction, instance, tool,
    tool_version (null if the output does not name it), defaults (settings that change the
    meaning of the metric), settings (how the tool was run, as far as its output says), and
    either value (null with "absent": true if the tool looked for it and did not find it) or
    histogram ({lower bound: count}) with overflow.
    """
    from vlag import parsers

    if not file.is_file():
        raise UsageError(f"{file}: no such file")
    data = file.read_bytes()
    if tool is not None and tool not in parsers.PARSERS:
        known = ", ".join(sorted(parsers.PARSERS))
        raise UsageError(f"--tool {tool}: there is no such parser; known are: {known}")
    name = tool or parsers.recognise(data, path=str(file))
    parsed = parsers.parse(name, data, path=str(file))
    rows = list(_rows(parsed))
    for note in parsed.notes:
        say(f"note: {file}: {note}")
    if form == "json":
        echo(json.dumps(rows, sort_keys=True))
    else:
        for row in rows:
            echo(_line(row))


class _Figure(TypedDict):
    benchmark: str
    metric: str
    unit: str
    direction: str
    instance: str
    tool: str
    tool_version: str | None
    defaults: Mapping[str, str | int]  # that the tool took for parameters
    settings: Mapping[str, str]  # how the tool was run, as far as its output says


@final
class Number(_Figure):
    """The number of an instance."""

    value: float


@final
class Absent(_Figure):
    """An instance that the tool did not report."""

    value: None
    absent: bool


@final
class Buckets(_Figure):
    """The histogram of an instance."""

    histogram: Mapping[str, int]  # bucket -> samples
    overflow: int  # samples beyond the last bucket
    maximum: float
    expected: int | None  # samples


Row = Number | Absent | Buckets


def _rows(parsed: ParsedOutput) -> Iterator[Row]:
    from vlag.parsers import PARSERS

    quantities = PARSERS[parsed.tool].QUANTITIES

    def figure(metric: str, instance: str) -> _Figure:
        return {
            "benchmark": parsed.benchmark,
            "metric": metric,
            "unit": quantities[metric].unit,
            "direction": quantities[metric].direction.value,
            "instance": instance,
            "tool": parsed.tool,
            "tool_version": parsed.tool_version,
            "defaults": dict(parsed.defaults),
            "settings": dict(parsed.settings),
        }

    for sample in parsed.samples:
        for instance, value in zip(sample.instances, sample.values, strict=True):
            yield {**figure(sample.metric, instance), "value": value}
        for instance in sample.absent:
            yield {**figure(sample.metric, instance), "value": None, "absent": True}
    for histogram in parsed.histograms:
        for i, instance in enumerate(histogram.instances):
            counts = zip(histogram.bounds, histogram.counts[i].tolist(), strict=True)
            yield {
                **figure(histogram.metric, instance),
                "histogram": {str(bound): count for bound, count in counts if count},
                "overflow": histogram.overflow[i],
                "maximum": histogram.maximum[i],
                "expected": histogram.expected,
            }


def _line(row: Row) -> str:
    from vlag.stats.numbers import plain

    name = " ".join(filter(None, (row["benchmark"], row["metric"], row["instance"])))
    better = f"({row['direction']} is better)"
    if "histogram" in row:
        count = sum(row["histogram"].values()) + row["overflow"]
        beyond = f", {row['overflow']} beyond the histogram" if row["overflow"] else ""
        most = f"{plain(row['maximum'], 6)} {row['unit']}"
        return f"{name}: {count} samples, maximum {most}{beyond} {better}"
    if row["value"] is None:
        return f"{name}: absent"
    return f"{name}: {plain(row['value'], 12)} {row['unit']} {better}"
