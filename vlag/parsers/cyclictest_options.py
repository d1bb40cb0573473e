# SPDX-License-Identifier: GPL-2.0-only
"""cyclictest's command line, rt-tests 2.4 to 2.6: the options that affect the figures.

The program's JSON file records the command line and leaves out what follows from it:
the limit of the histogram, the number of samples asked for, policy and priority.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from attrs import frozen

from vlag.parsers.jsonfile import JsonFile

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
class Settings:
    """The part of the command line that the figures depend on."""

    limit: int  # 0: no histogram
    interval_us: int
    duration_s: int  # 0: endless, as in the tool
    loops: int  # 0: endless, as in the tool
    policy: str
    priority: int
    skips: bool  # cycles that are due before the thread ran are left out, not run late

    def expected(self, threads: int) -> int | None:
        """Return the requested samples of all threads; None if no option sets them.

        `--distance` does not matter: cyclictest ignores it with a histogram and
        gives every thread the same interval.
        """
        limits = []
        if self.loops:
            limits.append(self.loops)
        if self.duration_s:
            limits.append(self.duration_s * 1_000_000 // self.interval_us)
        return threads * min(limits) if limits else None


def _scheduling(options: list[tuple[str, str]], threads: int) -> tuple[str, int]:
    """Return the policy and priority that follow from cyclictest's options."""
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


def settings_of(words: list[str], threads: int, file: JsonFile) -> Settings:
    """Return the options in the words after the program's name, for so many threads.

    Raises ParseError for an invalid number, and for --nsecs.
    """
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
    settings = Settings(
        limit=min(numbers.get("limit", 0), _LIMIT_MAXIMUM),
        interval_us=numbers.get("interval_us", _DEFAULT_INTERVAL_US),
        duration_s=numbers.get("duration_s", 0),
        loops=numbers.get("loops", 0),
        policy=policy,
        priority=priority,
        # With --relative the next cycle is due an interval after the thread ran.
        skips=all(name != "relative" for name, _ in options),
    )
    if settings.interval_us == 0:
        raise file.error("--interval is 0", key)
    return settings
