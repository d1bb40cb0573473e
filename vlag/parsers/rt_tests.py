# SPDX-License-Identifier: GPL-2.0-only
"""Common parts of the output of all rt-tests programs, rt-tests 2.4 to 2.6."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from vlag.model import Direction, Quantity, Sample
from vlag.parsers.jsonfile import JsonFile
from vlag.parsers.lines import Line

#: Metrics of the programs that print one minimum, mean and maximum a thread.
LATENCIES: Mapping[str, Quantity] = {
    name: Quantity(unit="us", direction=Direction.LOWER)
    for name in ("latency-min", "latency-mean", "latency-max")
}

_FILE_VERSION = 1
_MAXIMUM_US = 10**12  # longer than any run; a larger value is damaged

# rc=0
_STATUS = re.compile(r"rc=(?P<status>\d{1,9})", re.ASCII)

# Unable to change scheduling policy!
# FATAL: oslat: numa_parse_cpustring_all failed.
# ERROR: errno=11 (Resource temporarily unavailable)
_FAULTS: Mapping[str, str] = {
    "Unable to change scheduling policy!": "may not change its scheduling policy; run it as root",
    "FATAL: ": "did not end well",
    "ERROR: ": "did not end well",
}


def recognise(data: bytes, program: str) -> bool:
    """Return whether this looks like a JSON file of that program."""
    return (
        re.search(rb'"cmdline:": *"(?:[^" ]*/)?%s[ "]' % program.encode(), data[:4096]) is not None
    )


def header(file: JsonFile, whole: Mapping[str, Any]) -> tuple[str, str]:
    """Return command line and version as printed, for a program that ended well.

    rt-tests prints its version as a number with two decimals: "2.40" may be 2.4 or 2.40.

    Raises ParseError for another layout and for a program that failed.
    """
    if file.integer(whole, "file_version") != _FILE_VERSION:
        raise file.error(
            f"the layout's version is {whole['file_version']}, this parser knows {_FILE_VERSION}",
            "file_version",
        )
    # "cmdline:": "cyclictest -q -p 90 -t 2 -a -l 500 -h 40 --json=cyclictest-hist.json",
    cmdline = whole.get("cmdline:")
    # "rt_test_version:": "2.40",
    version = whole.get("rt_test_version:")
    for key, value in (("cmdline:", cmdline), ("rt_test_version:", version)):
        if not isinstance(value, str) or not value.strip():
            raise file.error(f"'{key}' must be a text", key)
    if type(whole.get("return_code")) is not int or whole["return_code"] != 0:
        program = str(cmdline).split()[0]
        raise file.error(f"{program} did not end well: 'return_code' is not 0", "return_code")
    return str(cmdline), str(version)


def threads(file: JsonFile, whole: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the objects of the threads, by number.

    Raises ParseError if there is none, or if their number differs from the file's.
    """
    table = whole.get("thread")
    if not isinstance(table, dict) or not table:
        raise file.error("the table 'thread' is missing or empty", "thread")
    number = file.integer(whole, "num_threads")
    if set(table) != {str(k) for k in range(len(table))} or len(table) != number:
        raise file.error(
            f"'num_threads' is {number}, the table has the threads {', '.join(table)}",
            "num_threads",
        )
    for k, thread in table.items():
        if not isinstance(thread, dict):
            raise file.error(f"thread {k} is not an object", "thread", k)
    return [table[str(k)] for k in range(number)]


def part(file: JsonFile, within: Mapping[str, Any], key: str, *above: str) -> Mapping[str, Any]:
    """Return the object under `key`; raise ParseError if there is none."""
    value = within.get(key)
    if not isinstance(value, dict):
        raise file.error(f"'{key}' is missing or no object", *above, key)
    return value


def figures(file: JsonFile, within: Mapping[str, Any], *above: str) -> tuple[float, float, float]:
    """Return minimum, mean and maximum in microseconds; ParseError for impossible values."""
    values = [within.get(key) for key in ("min", "avg", "max")]
    # JSON's true would pass as 1.
    if not all(type(v) in (int, float) for v in values) or not possible(*values):
        raise file.error(
            "'min', 'avg' and 'max' must be numbers of 0 or more that ascend", *above, "min"
        )
    minimum, mean, maximum = map(float, values)  # type: ignore[arg-type]
    return minimum, mean, maximum


def possible(minimum: Any, mean: Any, maximum: Any) -> bool:
    """Return whether three numbers can be a minimum, a mean and a maximum in microseconds."""
    return bool(0 <= minimum <= mean <= maximum <= _MAXIMUM_US)


def latency_samples(rows: Sequence[tuple[float, float, float]]) -> tuple[Sample, ...]:
    """Return the samples of `LATENCIES`; `rows` are minimum, mean and maximum a thread."""
    labels = tuple(map(str, range(len(rows))))
    return tuple(
        Sample(metric=name, values=values, instances=labels)
        for name, values in zip(LATENCIES, zip(*rows, strict=True), strict=True)
    )


def ended(own: Sequence[Line], program: str) -> bool:
    """Return whether the text ends with the status of a shell, and it is 0.

    Raises ParseError for another status, and for a fault that the program reports.
    """
    for line in own:
        fault = next((f for f in _FAULTS if line.text.startswith(f)), None)
        if fault is not None:
            raise line.refuse(f"{program} {_FAULTS[fault]}: '{line.text[:80]}'")
        status = _STATUS.fullmatch(line.text)
        if status is not None and int(status["status"]) > 0:
            raise line.refuse(f"{program} did not end well: its status is {status['status']}")
    return bool(own) and _STATUS.fullmatch(own[-1].text) is not None
