"""Reader of cyclictest's `--json` output with a histogram, rt-tests 2.4 to 2.6.

What the file leaves out is worked out from the command line it records: the limit
of the histogram and the number of samples that the options ask for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from vlag.model import Direction, Histogram, ParsedOutput, Quantity
from vlag.parsers import rt_tests
from vlag.parsers.jsonfile import JsonFile, load

TOOL = "cyclictest"

QUANTITIES: Mapping[str, Quantity] = {"latency": Quantity(unit="us", direction=Direction.LOWER)}

_DEFAULT_INTERVAL_US = 1000
_LIMIT_MAXIMUM = 1_000_000  # cyclictest cuts a larger --histogram down to this

# Options that take a word; the optional words of -a, -A and -t never stand apart
# in a way that matters here.  "" marks a long option that has no short one.
_WITH_WORD: Mapping[str, str] = {
    "breaktrace": "b",
    "clock": "c",
    "distance": "d",
    "duration": "D",
    "fifo": "F",
    "histfile": "",
    "histofall": "H",
    "histogram": "h",
    "interval": "i",
    "json": "",
    "latency": "",
    "loops": "l",
    "mainaffinity": "",
    "oscope": "o",
    "policy": "",
    "priority": "p",
    "spike": "",
    "spike-nodes": "",
}
_OPTIONAL_WORD = {"affinity": "a", "aligned": "A", "secaligned": "", "threads": "t"}
_WITHOUT_WORD = {
    "dbg_cyclictest": "",
    "default-system": "",
    "help": "",
    "laptop": "",
    "mlockall": "m",
    "nsecs": "N",
    "posix_timers": "x",
    "priospread": "",
    "quiet": "q",
    "refresh_on_max": "M",
    "relative": "r",
    "resolution": "R",
    "smi": "",
    "smp": "S",
    "system": "s",
    "tracemark": "",
    "unbuffered": "u",
    "verbose": "v",
}
_LONG = (*_WITH_WORD, *_OPTIONAL_WORD, *_WITHOUT_WORD)
_SHORT = {
    short: name
    for table in (_WITH_WORD, _OPTIONAL_WORD, _WITHOUT_WORD)
    for name, short in table.items()
    if short
}

_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
# --duration=90  -D 2  -D 1m
_TIME = re.compile(r"(?P<count>\d{1,9})(?P<unit>[smhdSMHD]?)", re.ASCII)
_DIGITS = re.compile(r"\d{1,9}", re.ASCII)

# cyclictest compares no more of a name than this, and takes an unknown one as "other".
_POLICIES = {
    "other": "other",
    "normal": "other",
    "batch": "batch",
    "idle": "idle",
    "fifo": "fifo",
    "rr": "rr",
}
_REAL_TIME = ("fifo", "rr")

# Options with a number that the figures depend on -> what it is called here.
_NUMBERS = {
    "histofall": "limit",
    "histogram": "limit",
    "interval": "interval_us",
    "loops": "loops",
    "priority": "priority",
}


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (long name, word or "") of each option, read as getopt does."""
    rest = iter(words)
    for word in rest:
        if word == "--":
            return
        if word.startswith("--"):
            given, equals, value = word[2:].partition("=")
            fits = [name for name in _LONG if name.startswith(given)]
            # getopt takes an abbreviation that only one option begins with
            name = given if given in _LONG else fits[0] if len(fits) == 1 else ""
            yield name, value if equals or name not in _WITH_WORD else next(rest, "")
        elif word.startswith("-"):
            letters = word[1:]
            while letters:
                name, letters = _SHORT.get(letters[0], ""), letters[1:]
                if name in _WITH_WORD:
                    yield name, letters or next(rest, "")
                elif name in _OPTIONAL_WORD:
                    yield name, letters
                else:
                    yield name, ""
                    continue
                break


@frozen(kw_only=True)
class _Settings:
    """The part of the command line that the figures depend on."""

    limit: int  # 0: no histogram
    interval_us: int
    duration_s: int  # 0: endless, as in the tool
    loops: int  # 0: endless, as in the tool
    policy: str
    priority: int

    def expected(self, threads: int) -> int | None:
        """Return the samples asked for, all threads; None where nothing says.

        `--distance` has no part in it: cyclictest ignores it with a histogram and
        gives every thread the same interval.
        """
        limits = []
        if self.loops:
            limits.append(self.loops)
        if self.duration_s:
            limits.append(self.duration_s * 1_000_000 // self.interval_us)
        return threads * min(limits) if limits else None


def _scheduling(options: list[tuple[str, str]], threads: int) -> tuple[str, int]:
    """Return the policy and priority that cyclictest makes of its options."""
    policy, priority = "other", 0
    for name, word in options:
        if name == "policy":
            known = (full for full in _POLICIES if word.lower().startswith(full))
            policy = _POLICIES.get(next(known, ""), "other")
        elif name == "priority":
            priority = int(word)
            policy = policy if policy in _REAL_TIME else "fifo"
    # The tool's own corrections, in its order.
    if priority == 0 and any(name == "priospread" for name, _ in options):
        priority = threads + 1
    if priority and policy not in _REAL_TIME:
        policy = "fifo"
    if policy in _REAL_TIME and priority == 0:
        priority = threads + 1
    return policy, priority


def _settings(words: list[str], threads: int, file: JsonFile) -> _Settings:
    key = "cmdline:"
    options = list(_options(words))
    numbers: dict[str, int] = {}
    for name, word in options:
        if name in _NUMBERS and not _DIGITS.fullmatch(word):
            raise file.error(f"--{name} is '{word}' where a whole number must stand", key)
        if name in _NUMBERS:
            numbers[_NUMBERS[name]] = int(word)
        elif name == "duration":
            time = _TIME.fullmatch(word)
            if time is None:
                raise file.error(f"--duration is '{word}' where a time must stand", key)
            numbers["duration_s"] = int(time["count"]) * _SECONDS[time["unit"].lower()]
        elif name == "nsecs":
            raise file.error("latencies are in nanoseconds; run cyclictest without --nsecs", key)
    policy, priority = _scheduling(options, threads)
    settings = _Settings(
        limit=min(numbers.get("limit", 0), _LIMIT_MAXIMUM),
        interval_us=numbers.get("interval_us", _DEFAULT_INTERVAL_US),
        duration_s=numbers.get("duration_s", 0),
        loops=numbers.get("loops", 0),
        policy=policy,
        priority=priority,
    )
    if settings.interval_us == 0:
        raise file.error("--interval is 0", key)
    return settings


def _threads(whole: Mapping[str, Any], file: JsonFile) -> list[dict[str, Any]]:
    """Return the objects of the threads, by number."""
    table = whole.get("thread")
    if not isinstance(table, dict) or not table:
        raise file.error("the table 'thread' is missing or empty", "thread")
    number = file.integer(whole, "num_threads")
    if set(table) != {str(k) for k in range(len(table))} or len(table) != number:
        raise file.error(
            f"'num_threads' is {number}, the table has the threads {', '.join(table)}",
            "num_threads",
        )
    threads = []
    for k in range(number):
        thread = table[str(k)]
        if not isinstance(thread, dict):
            raise file.error(f"thread {k} is no object", "thread", str(k))
        threads.append(thread)
    return threads


def _counts(thread: Mapping[str, Any], k: int, file: JsonFile) -> dict[int, int]:
    """Return the buckets that thread `k` hit: latency -> samples."""
    where = ("thread", str(k), "histogram")
    histogram = thread.get("histogram")
    if not isinstance(histogram, dict):
        raise file.error(
            f"thread {k} has no histogram; run cyclictest with --histogram", "thread", str(k)
        )
    counts = {}
    for bucket in histogram:
        if not _DIGITS.fullmatch(bucket) or str(int(bucket)) != bucket:
            raise file.error(f"the bucket '{bucket}' is no whole number", *where, bucket)
        count = file.integer(histogram, bucket, *where)
        if count:
            counts[int(bucket)] = count
    return counts


def _overflow(
    thread: Mapping[str, Any], counts: Mapping[int, int], k: int, limit: int, file: JsonFile
) -> int:
    """Return the samples of thread `k` beyond the histogram, which the file leaves out."""
    above = ("thread", str(k))
    cycles = file.integer(thread, "cycles", *above)
    maximum = file.integer(thread, "max", *above)
    if cycles == 0:
        raise file.error(f"thread {k} took no sample", *above, "cycles")
    if counts and (max(counts) >= limit or max(counts) > maximum):
        raise file.error(
            f"thread {k} has samples of {max(counts)} us, where the histogram ends at {limit} "
            f"and the maximum is {maximum}",
            *above,
            str(max(counts)),
        )
    overflow = cycles - sum(counts.values())
    if overflow < 0:
        raise file.error(
            f"thread {k} has {-overflow} more samples in its histogram than cycles",
            *above,
            "cycles",
        )
    if overflow > 0 and maximum < limit:
        raise file.error(
            f"thread {k} lacks {overflow} samples in its histogram, yet its maximum of "
            f"{maximum} us is within",
            *above,
            "cycles",
        )
    return overflow


def recognise(data: bytes) -> bool:
    """Return whether this looks like cyclictest's output."""
    return rt_tests.recognise(data, TOOL)


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return the wake-up latencies in cyclictest's JSON file.

    One histogram, `latency`, in microseconds with a row a thread; `expected` is None
    where the options give neither a duration nor a number of loops.  `tool_version`
    is as printed: rt-tests prints its version as a number with two decimals, so "2.40"
    may be 2.4 or 2.40.  `defaults` holds `policy` and `priority` as cyclictest applies
    them, with its own corrections of what the command line asks for.

    Raises ParseError for a file that is cut off, has no histogram, contradicts itself
    or the command line, or comes from a run that failed or counted in nanoseconds.
    """
    file, whole = load(data, path=path, remedy="run cyclictest with --json")
    cmdline, version = rt_tests.header(file, whole)
    if file.integer(whole, "resolution_in_ns") != 0:
        raise file.error(
            "latencies are in nanoseconds; run cyclictest without --nsecs", "resolution_in_ns"
        )
    threads = _threads(whole, file)
    settings = _settings(cmdline.split()[1:], len(threads), file)
    rows = [_counts(thread, k, file) for k, thread in enumerate(threads)]
    bounds = tuple(sorted(set().union(*rows)))
    if not bounds or not settings.limit:
        raise file.error(
            "there is no histogram with a sample in it; run cyclictest with --histogram",
            "thread",
            "0",
            "histogram",
        )
    limit = settings.limit
    overflow = tuple(
        _overflow(thread, row, k, limit, file)
        for k, (thread, row) in enumerate(zip(threads, rows, strict=True))
    )
    latency = Histogram(
        metric="latency",
        bounds=bounds,
        counts=tuple(tuple(row.get(bound, 0) for bound in bounds) for row in rows),
        overflow=overflow,
        limit=limit,
        maximum=tuple(float(thread["max"]) for thread in threads),
        instances=tuple(map(str, range(len(threads)))),
        expected=settings.expected(len(threads)),
    )
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=version,
        defaults={"policy": settings.policy, "priority": str(settings.priority)},
        samples=(),
        histograms=(latency,),
    )
