# SPDX-License-Identifier: GPL-2.0-only
"""Reader of `perf bench numa mem`: tasks that walk through memory of theirs and of each other.

Both layouts are read: rows with commas, and sentences of `--quiet`.  A line has the command.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from vlag.model import Direction, Quantity, Sample
from vlag.parsers.lines import Line
from vlag.parsers.settings import options

QUANTITIES: Mapping[str, Quantity] = {
    "memory-speed": Quantity(unit="GB/s", direction=Direction.HIGHER),  # of all tasks together
    "runtime-max": Quantity(unit="s", direction=Direction.LOWER),  # of the slowest task
    "converge-time": Quantity(unit="s", direction=Direction.LOWER),
}

DEFAULTS: Sequence[str] = ("options",)

NAME = "numa mem"

_NUMBER = r"(?P<value>\d{1,9}\.\d{3})"

#  # Running main, "perf bench numa numa-mem -p 2 -t 2 -P 16 -l 5"
_COMMAND = re.compile(r' # Running main, "(?P<command>perf bench numa numa-mem(?: [^"]{0,1000})?)"')

# The option that has the first figure printed, alone or with others that take no value.
_FLAGS = "[0aBcdImqrRSWzZ]{0,16}"
_CONVERGES = re.compile(rf"--measure_convergence|-{_FLAGS}m{_FLAGS}")

# Words of a row, words of a sentence.
_FIGURES: Mapping[str, tuple[str, str]] = {
    #  main,                                    0.009, secs,           runtime-max/thread
    #           0.029 secs slowest (max) thread-runtime
    "converge": ("secs, NUMA-convergence-latency", "secs latency to NUMA-converge"),
    "max": ("secs, runtime-max/thread", "secs slowest (max) thread-runtime"),
    "min": ("secs, runtime-min/thread", "secs fastest (min) thread-runtime"),
    "avg": ("secs, runtime-avg/thread", "secs average thread-runtime"),
    "spread": ("%, spread-runtime/thread", "% difference between max/avg runtime"),
    "data": ("GB, data/thread", "GB data processed, per thread"),
    "total": ("GB, data-total", "GB data processed, total"),
    "byte": ("nsecs, runtime/byte/thread", "nsecs/byte/thread runtime"),
    "speed": ("GB/sec, thread-speed", "GB/sec/thread speed"),
    "speeds": ("GB/sec, total-speed", "GB/sec total speed"),
}
_METRICS = {"speeds": "memory-speed", "max": "runtime-max", "converge": "converge-time"}

_ROW = re.compile(rf" main, +{_NUMBER}, (?P<unit>[^ ,]{{1,9}}), +(?P<name>\S{{1,40}})")
_SENTENCE = re.compile(rf" {{1,14}}{_NUMBER} (?P<words>\S.{{0,60}})")

# Everything that perf says before its figures.
_BEFORE = re.compile(
    r"# Running 'numa/mem' benchmark:|#| ###| #| # \d{1,9} tasks? will execute \(on .{1,40}\):"
    r"| # +(?:-1|\d{1,9})x +\d{1,9}MB (?:global|process|thread) +(?:shared|local ) mem operations"
    r"| # Startup synchronization: \.\.\. threads initialized in \d{1,9}\.\d{6} seconds\."
)


def is_own(line: str) -> bool:
    """Return whether a line is the one that names the command."""
    return line.startswith(' # Running main, "perf bench numa ')


def read(text: Sequence[Line]) -> tuple[dict[str, str], tuple[Sample, ...]]:
    """Return the options and the samples of the one run in the lines of an output.

    `memory-speed` is of all tasks together, `runtime-max` of the slowest task, and `converge-time`
    that until all threads of each process were on one node, where it was measured.  Raises
    ParseError for several runs, a line that is missing, cut off, unknown or contradicts others.
    """
    own = [line for line in text if line.text and not line.text.startswith(("$ ", "rc="))]
    commands = [(line, m) for line in own if (m := _COMMAND.fullmatch(line.text))]
    if len(commands) != 1:
        where = commands[1][0] if commands else own[-1]
        raise where.refuse(f"{len(commands)} runs of perf bench numa mem stand here, not one")
    command = commands[0][1]["command"].split()
    found: dict[str, float] = {}
    for line in own:
        if _BEFORE.fullmatch(line.text) is not None and not found:
            continue
        if line is commands[0][0]:
            continue
        key, value = _figure(line)
        if key in found or (found and list(_FIGURES).index(key) <= _last(found)):
            raise line.refuse("this line does not stand where it must; is it of another run?")
        found[key] = value
    converges = any(_CONVERGES.fullmatch(word) for word in command)
    missing = [key for key in _FIGURES if key not in found and (key != "converge" or converges)]
    if missing:
        raise own[-1].refuse(f"the output is cut off: {_FIGURES[missing[0]][1]!r} is missing")
    _check(found, own[-1])
    samples = tuple(
        Sample(metric=metric, values=(found[key],), instances=("",))
        for key, metric in _METRICS.items()
        if key in found
    )
    return {"options": options(" ".join(command[3:])) or "none"}, samples


def _last(found: Mapping[str, float]) -> int:
    return max(list(_FIGURES).index(key) for key in found)


def _figure(line: Line) -> tuple[str, float]:
    row, sentence = _ROW.fullmatch(line.text), _SENTENCE.fullmatch(line.text)
    for key, (of_row, of_sentence) in _FIGURES.items():
        if row is not None and f"{row['unit']}, {row['name']}" == of_row:
            return key, float(row["value"])
        if sentence is not None and sentence["words"] == of_sentence:
            return key, float(sentence["value"])
    raise line.refuse(f"'{line.text[:80]}' is cut off, of an unknown layout, or of another test")


def _check(found: Mapping[str, float], where: Line) -> None:
    """Raise where figures are 0 or contradict each other."""
    for key, metric in _METRICS.items():
        if key in found and not (math.isfinite(found[key]) and found[key] > 0):
            raise where.refuse(f"{metric} is 0; let perf run longer")
    step = 0.0005  # half of the last digit
    if not found["min"] <= found["avg"] + 2 * step or found["avg"] > found["max"] + 2 * step:
        raise where.refuse("the threads' smallest, mean and largest times contradict each other")
    # Both are of as many tasks.
    tasks = max(1, round(found["total"] / found["data"])) if found["data"] > 0 else 0
    for one, all_of in (("data", "total"), ("speed", "speeds")):
        if abs(found[one] * tasks - found[all_of]) > step * (tasks + 1) + 1e-9:
            raise where.refuse(
                f"the {_FIGURES[all_of][1]} contradicts that of each of {tasks} tasks"
            )
