# SPDX-License-Identifier: GPL-2.0-only
"""Reader of `perf bench`: sched messaging, sched pipe, numa mem, and those of futex and epoll.

Both formats are read.  `--format simple` is a number of seconds and nothing else, so that
only a capture's command line names the benchmark.  The output names no version,
and does not say whether messages went through sockets or pipes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers import perf_bench_numa, perf_bench_threads
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import Setting

TOOL = "perf-bench"

QUANTITIES: Mapping[str, Quantity] = {
    "time": Quantity(unit="s", direction=Direction.LOWER),
    "time-per-op": Quantity(unit="us", direction=Direction.LOWER),
    **perf_bench_numa.QUANTITIES,
    **perf_bench_threads.QUANTITIES,
}

DEFAULTS: Sequence[str] = (
    "groups", "mode", "operations", "senders", "tasks", *perf_bench_threads.DEFAULTS,
    *perf_bench_numa.DEFAULTS,
)  # fmt: skip

SETTINGS: Mapping[str, Setting] = {}

# # Running 'sched/messaging' benchmark:
# # Running sched/messaging benchmark...
_RUNNING = re.compile(r"# Running '?sched/(?P<name>messaging|pipe)'? benchmark(?::|\.\.\.)")

# # 20 sender and receiver processes per group
_SENDERS = re.compile(
    r"# (?P<senders>[1-9]\d{0,8}) sender and receiver (?P<mode>processes|threads) per group"
)

# # 2 groups == 80 processes run
_GROUPS = re.compile(
    r"# (?P<groups>[1-9]\d{0,8}) groups == (?P<tasks>[1-9]\d{0,8}) (?P<kind>processes|threads) run"
)

# # Executed 20000 pipe operations between two processes
_EXECUTED = re.compile(
    r"# Executed (?P<operations>[1-9]\d{0,9}) pipe operations between two"
    r" (?P<mode>processes|threads)"
)

#      Total time: 0.150 [sec]
_TIME = re.compile(r" +Total time: (?P<time>\d{1,9}\.\d{3}) \[sec\]")

#        2.741250 usecs/op
_USECS = re.compile(r" +(?P<usecs>\d{1,15}\.\d{6}) usecs/op")

#          364797 ops/sec
_OPS = re.compile(r" +(?P<ops>\d{1,10}) ops/sec")

# 0.145
_SIMPLE = re.compile(r"\d{1,9}\.\d{3}")

# Text in perf's own lines, truncated or not.
_OWN = re.compile(r"# |.*(?:Total time|usecs/op|ops/sec)")

# What each benchmark prints, in this order.
_LAYOUTS: Mapping[str, tuple[re.Pattern[str], ...]] = {
    "messaging": (_RUNNING, _SENDERS, _GROUPS, _TIME),
    "pipe": (_RUNNING, _EXECUTED, _TIME, _USECS, _OPS),
}


def recognise(data: bytes) -> bool:
    """Return whether this looks like the default format of `perf bench`.

    A lone number is not claimed: anything may have printed it.
    """
    return (
        re.search(
            rb"^(?:# Running '?[a-z-]+/[a-z-]+'? benchmark|Run summary \[PID | # Running main,)",
            data,
            re.M,
        )
        is not None
    )


def _default(own: Sequence[Line]) -> tuple[str, dict[str, str]]:
    """Return the benchmark's name and values, for the default format."""
    running = _RUNNING.fullmatch(own[0].text)
    if running is None:
        raise own[0].refuse(
            f"'{own[0].text[:80]}' is not the first line of a benchmark that this parser knows;"
            " run 'perf bench' with sched messaging, sched pipe, numa mem, futex or epoll"
        )
    layout = _LAYOUTS[running["name"]]
    parameters: dict[str, str] = {}
    for line, pattern in zip(own, layout, strict=False):
        match = pattern.fullmatch(line.text)
        if match is None:
            raise line.refuse(
                f"'{line.text[:80]}' is cut off, of an unknown layout, or not what comes next in"
                f" the output of '{running['name']}'"
            )
        parameters.update(match.groupdict())
    if len(own) < len(layout):
        raise own[-1].refuse(
            f"the output is cut off: {len(layout) - len(own)} of {len(layout)} lines are missing"
        )
    if len(own) > len(layout):
        raise own[len(layout)].refuse(
            "perf prints more after the end of a benchmark, where the output of one run is expected"
        )
    return running["name"], parameters


def _check_messaging(parameters: Mapping[str, str], where: Line) -> None:
    tasks = int(parameters["groups"]) * 2 * int(parameters["senders"])
    if tasks != int(parameters["tasks"]) or parameters["mode"] != parameters["kind"]:
        raise where.refuse(
            f"{parameters['groups']} groups of {parameters['senders']} senders and as many"
            " receivers"
            f" ({parameters['mode']}) cannot be {parameters['tasks']} {parameters['kind']}"
        )


def _check_pipe(parameters: Mapping[str, str], where: Line) -> None:
    """Raise if the three figures, which perf computes from one time, contradict each other."""
    usecs, ops, time = float(parameters["usecs"]), int(parameters["ops"]), float(parameters["time"])
    step = 1e-6  # last digit of usecs
    total = usecs * int(parameters["operations"]) / 1e6
    slack = step * int(parameters["operations"]) / 1e6 + 1e-9 * total
    # perf cuts off what follows the last digit of seconds and of operations a second.
    fits = time - slack <= total <= time + 0.001 + slack
    if usecs > step:
        fits = fits and 1e6 / (usecs + step) - 1 <= ops <= 1e6 / (usecs - step)
    if not fits:
        raise where.refuse(
            f"{parameters['operations']} operations in {parameters['time']} s,"
            f" {parameters['usecs']} us each and"
            f" {parameters['ops']} a second contradict each other"
        )


def _simple(text: Sequence[Line], path: str) -> tuple[str, str]:
    """Return the benchmark's name, "" if it is unknown, and the time as printed."""
    name = ""
    values = []
    for line in text:
        # $ perf bench -f simple sched messaging -g 2 -l 100
        if line.text.startswith("$ "):
            words = line.text.split()
            at = words.index("sched") + 1 if "sched" in words else len(words)
            name = words[at] if at < len(words) and words[at] in _LAYOUTS else ""
        elif line.text and not line.text.startswith("rc="):
            values.append(line)
    for line in values:
        if _SIMPLE.fullmatch(line.text) is None:
            raise line.refuse(f"'{line.text[:80]}' is cut off or no output of 'perf bench sched'")
    if len(values) != 1:
        raise (values[1:] or text or [Line(1, "", path)])[0].refuse(
            f"{len(values)} times stand in the output, where one run prints one"
        )
    return name, values[0].text


def _run(own: Sequence[Line]) -> tuple[str, dict[str, str], dict[str, float]]:
    """Return one run's name, options and values, for the default format."""
    name, parameters = _default(own)
    (_check_pipe if name == "pipe" else _check_messaging)(parameters, own[-1])
    keys = ("mode", "groups", "senders", "tasks", "operations")
    values = {"time": float(parameters["time"])}
    if name == "pipe":
        values |= {
            "time-per-op": float(parameters["usecs"]),
            "throughput": float(parameters["ops"]),
        }
    return name, {key: parameters[key] for key in keys if key in parameters}, values


def _of_numa(text: Sequence[Line]) -> ParsedOutput:
    defaults, samples = perf_bench_numa.read(text)
    return ParsedOutput(
        tool=TOOL,
        benchmark=f"perf bench {perf_bench_numa.NAME}",
        tool_version=None,
        defaults=defaults,
        samples=samples,
        histograms=(),
    )


def _of_threads(text: Sequence[Line]) -> ParsedOutput:
    run = perf_bench_threads.read(text)
    return ParsedOutput(
        tool=TOOL,
        benchmark=f"perf bench {run.name}",
        tool_version=None,
        defaults=run.defaults,
        samples=run.samples,
        histograms=(),
    )


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return the times of a benchmark, a value a run.

    The instances are "" for one run and "1", "2", ... for several.  `time` is in seconds, to
    the millisecond.  `pipe` in the default format gives also `time-per-op`, microseconds for
    one message to the other task and the answer, and `throughput`, operations a second.
    `futex` and `epoll` are of threads, see `perf_bench_threads`, and `numa` has `perf_bench_numa`.
    `defaults` holds, in the default format, the `mode` (processes or threads), and `groups`,
    `senders` a group and `tasks`, or `operations`.

    Raises ParseError for a run that was cut off, for runs of other options than the first,
    for two times of the simple format, for another benchmark, for a time of 0 and for
    figures that contradict each other.
    """
    text = lines(data, path)
    if any(perf_bench_numa.is_own(line.text) for line in text):
        return _of_numa(text)
    if any(perf_bench_threads.is_own(line.text) for line in text):
        return _of_threads(text)
    own = [line for line in text if _OWN.match(line.text) and not line.text.startswith("$ ")]
    if own:
        begins = [i for i, line in enumerate(own) if i == 0 or _RUNNING.fullmatch(line.text)]
        runs = [own[i:j] for i, j in zip(begins, [*begins[1:], len(own)], strict=True)]
        read = [(run[-1], *_run(run)) for run in runs]
    else:
        name, time = _simple(text, path)
        read = [(text[-1], name, {}, {"time": float(time)})]
    _, name, defaults, first = read[0]
    for where, other, options, values in read:
        if (other, options) != (name, defaults):
            raise where.refuse(
                "this run is of another benchmark or other options than the first one"
            )
        for metric, value in values.items():
            if not (math.isfinite(value) and value > 0):
                raise where.refuse(
                    f"{metric} is {value:g}, where a number above 0 must stand; let perf run longer"
                )
    instances = tuple(map(str, range(1, len(read) + 1))) if len(read) > 1 else ("",)
    return ParsedOutput(
        tool=TOOL,
        benchmark=f"perf bench sched {name}" if name else "perf bench",
        tool_version=None,
        defaults=defaults,
        samples=tuple(
            Sample(metric=metric, values=tuple(run[3][metric] for run in read), instances=instances)
            for metric in first
        ),
        histograms=(),
    )
