# SPDX-License-Identifier: GPL-2.0-only
"""Files that people write may call a metric by the name that it had before."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping

from vlag.model import Benchmark


def note(where: str, former: str, benchmark: str, present: str) -> str:
    """Return the sentence that tells a person that a file has a metric's former name."""
    return f"{where}: {former!r} of {benchmark} is named {present!r} now; it still counts"


def meant(
    benchmarks: Iterable[Benchmark], pattern: str
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the present names that a name or pattern of metrics means by a former name.

    And for each its benchmark.  A name that a metric of the benchmark has today means that one.
    """
    named = [
        (m.name, b.name)
        for b in benchmarks
        for m in b.metrics
        if not fnmatch.fnmatchcase(m.name, pattern)
        if any(fnmatch.fnmatchcase(former, pattern) for former in m.formerly)
    ]
    return tuple(dict.fromkeys(name for name, _ in named)), tuple((b, name) for name, b in named)


def present(words: str, benchmarks: Mapping[str, Benchmark]) -> str:
    """Return words that begin with a benchmark and a metric, with the metric's present name."""
    parts = words.split(" ")
    benchmark = benchmarks.get(parts[0])
    metric = None if benchmark is None or len(parts) < 2 else benchmark.metric(parts[1])
    return words if metric is None else " ".join([parts[0], metric.name, *parts[2:]])
