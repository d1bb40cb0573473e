# SPDX-License-Identifier: GPL-2.0-only
"""What the master's builders do, in numbers: for monitoring."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from vlag.buildbot import EXCEPTION, RETRY, SKIPPED, Web
from vlag.operate.farm.queue import KERNELS, RUNS

#: Builders whose builds compare kernels, as in `master/builders.py`.
_COMPARING = ("nightly", "push")
#: Steps of a run, as in `master/kernel.py`: its end, and its ingestion.
_ENDS, _INGESTS = ("run", "wait"), "record the run"
#: First word of the steps that compare, as in `master/comparison_steps.py`.
_COMPARES = "compare"
#: Most running builds whose steps are asked for.
_ASKED = 50


@frozen(kw_only=True)
class Activity:
    """The work of one master's builders."""

    waiting: Mapping[str, int]  # builder -> requests that no worker has taken
    running: Mapping[str, int]  # builder -> builds
    infrastructure: int  # builds and runs that the infrastructure ended, of all on record
    stages: Mapping[str, float]  # seconds of the last "ingest" and "compare"; without unknown ones
    lag_s: float | None  # from the end of the run ingested last to its ingestion; None: unknown
    late_s: tuple[float, ...]  # of each run that ended and is not ingested, seconds since its end


def current(web: Web) -> Activity:
    """Return what the builders do now.

    Raises InfrastructureError if the master does not answer.
    """
    names = {b["builderid"]: str(b["name"]) for b in web.get("/builders")}
    # Buildbot knows only the fields that it is asked for when it filters.
    fields = ["builderid", "claimed", "complete"]
    requests = web.get("/buildrequests", claimed="false", complete="false", field=fields)
    builds = web.get("/builds", complete="false")
    stages, lag_s = {}, None
    if last := _last(web, names, (RUNS,)):
        for ingested in _of(last, _INGESTS):
            stages["ingest"] = _seconds(ingested)
            lag_s = _lag(last, ingested["complete_at"])
    compared = [s for s in _last(web, names, _COMPARING) if _done(s, _COMPARES)]
    if compared:
        stages["compare"] = _seconds(max(compared, key=lambda s: int(s["complete_at"])))
    late = []
    for build in [b for b in builds if names.get(b["builderid"]) == RUNS][:_ASKED]:
        steps = web.get(f"/builds/{build['buildid']}/steps")
        waits = None if list(_of(steps, _INGESTS)) else _lag(steps, time.time())
        late += [] if waits is None else [waits]
    return Activity(
        waiting=_counts(names, requests),
        running=_counts(names, builds),
        infrastructure=sum(_ended(web, names, result) for result in (EXCEPTION, RETRY)),
        stages=stages,
        lag_s=lag_s,
        late_s=tuple(late),
    )


def _counts(names: Mapping[int, str], builds: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    counts = Counter(one["builderid"] for one in builds)
    return {name: counts[number] for number, name in names.items()}


def _ended(web: Web, names: Mapping[int, str], result: int) -> int:
    """Return how many builds of kernels and runs ended with a result."""
    fields = ["buildid", "builderid", "results", "complete"]
    builds = web.get("/builds", results=result, complete="true", field=fields)
    return sum(names.get(b["builderid"]) in (KERNELS, RUNS) for b in builds)


def _last(web: Web, names: Mapping[int, str], builders: Sequence[str]) -> list[dict[str, Any]]:
    """Return the steps of the build that ended last among those of some builders."""
    ended = [
        build
        for number, name in names.items()
        if name in builders
        for build in web.get(
            f"/builders/{number}/builds", complete="true", order="-complete_at", limit=1
        )
    ]
    if not ended:
        return []
    return web.get(f"/builds/{max(ended, key=lambda b: int(b['complete_at']))['buildid']}/steps")


def _done(step: Mapping[str, Any], word: str) -> bool:
    """Return whether a step whose name begins with a word was done."""
    done = step["complete"] and step["results"] != SKIPPED
    return bool(done) and str(step["name"]).startswith(word)


def _of(steps: Iterable[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    return [s for s in steps if s["name"] == name and _done(s, name)]


def _seconds(step: Mapping[str, Any]) -> float:
    """Return the duration of a step without its wait for locks."""
    return float(step["complete_at"] - (step["locks_acquired_at"] or step["started_at"]))


def _lag(steps: Iterable[Mapping[str, Any]], until: float) -> float | None:
    """Return the seconds from the end of a run to a time, or None if it has not ended."""
    ends = [s["complete_at"] for name in _ENDS for s in _of(steps, name)]
    return max(0.0, float(until - max(ends))) if ends else None
