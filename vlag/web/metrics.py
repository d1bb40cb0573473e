# SPDX-License-Identifier: GPL-2.0-only
"""Metrics for Prometheus: what the service does, and how it fares."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from attrs import define, field
from flask import Blueprint, Response, current_app, request
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from vlag.errors import InfrastructureError
from vlag.operate.service.activity import Activity
from vlag.report import read_model
from vlag.store.alerts import OPEN
from vlag.store.database import Connection
from vlag.web.installation import reading, site
from vlag.web.params import Params

metrics = Blueprint("metrics", __name__)

#: Seconds for which an answer is given again, however many servers scrape.
CACHED_S = 10.0

#: Outcome of a build or a run -> kind of failure.
_KINDS = {
    "build_failed": "build",
    "patch_failed": "apply",
    "panic": "boot",
    "hang": "boot",
    "benchmark_failed": "benchmark",
}

#: Ways to people.
_CHANNELS = ("mail", "webhook")


@define
class _Cache:
    text: bytes = b""
    at: float = -CACHED_S
    lock: threading.Lock = field(factory=threading.Lock)


@metrics.get("/metrics")
def metrics_() -> Response:
    """Return the metrics as text, at most CACHED_S old; 503 if the database does not answer."""
    Params(request.args)
    cache: _Cache = current_app.extensions.setdefault("vlag-metrics", _Cache())
    with cache.lock:  # one reads, the others wait for what it finds
        if time.monotonic() - cache.at >= CACHED_S:
            ask = site().activity
            try:
                active = None if ask is None else ask()
            except (InfrastructureError, LookupError):  # no answer, or a build that just ended
                active = None
            with reading() as conn:
                listed = [*_of_database(conn, active), *_of_master(active)]
            cache.text, cache.at = _text(listed), time.monotonic()
    return Response(cache.text, content_type=CONTENT_TYPE_PLAIN_0_0_4)


class _Ready:
    """Yields metrics that are there already."""

    def __init__(self, metrics: Iterable[Metric]):
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        """Return the metrics."""
        return self._metrics


def _text(listed: Iterable[Metric]) -> bytes:
    registry = CollectorRegistry()
    registry.register(_Ready(list(listed)))
    return generate_latest(registry)


def _metric(
    kind: type[GaugeMetricFamily | CounterMetricFamily],
    name: str,
    help_: str,
    values: Mapping[tuple[str, ...], float],
    *labels: str,
) -> Metric:
    made = kind(name, help_, labels=labels)
    for words, value in values.items():
        made.add_metric(words, value)
    return made


_gauge = partial(_metric, GaugeMetricFamily)
_counter = partial(_metric, CounterMetricFamily)


def _of_database(conn: Connection, active: Activity | None) -> Iterator[Metric]:
    ended = read_model.outcomes(conn)
    for what, help_ in (("build", "Kernels that were built."), ("run", "Boots of kernels.")):
        total = sum(ended[what].values())
        yield _counter(f"vlag_{what}s", f"{help_} Failed ones count, too.", {(): total})
    failures = dict.fromkeys(_KINDS.values(), 0)
    for counts in ended.values():
        for outcome, number in counts.items():
            if outcome in _KINDS:
                failures[_KINDS[outcome]] += number
    if active is not None:  # unknown is not 0: a counter that falls counts anew
        failures["infrastructure"] = active.infrastructure
    yield _counter(
        "vlag_failures",
        "Failed builds and runs by kind: build, apply (a patch), boot, benchmark, infrastructure.",
        {(kind,): number for kind, number in failures.items()},
        "kind",
    )
    stages = read_model.last_durations(conn) | dict(active.stages if active is not None else {})
    yield _gauge(
        "vlag_stage_last_duration_seconds",
        "Duration of the newest build, boot, ingestion and comparison.",
        {(stage,): took for stage, took in stages.items()},
        "stage",
    )
    yield _gauge(
        "vlag_board_online",
        "1: the board is in service; 0: it is in maintenance.",
        {(b["name"], b["board_type"]): b["state"] == "good" for b in read_model.boards(conn)},
        "board",
        "board_type",
    )
    alerts = [a for a in read_model.alerts(conn) if not a["synthetic"]]
    yield _gauge(
        "vlag_alerts_open",
        "Open alerts by state of triage.",
        {(state,): sum(a["triage"] == state for a in alerts) for state in OPEN},
        "state",
    )
    yield _gauge(
        "vlag_alerts_muted", "Open alerts that are muted.",
        {(): sum(not a["loud"] for a in alerts)},
    )  # fmt: skip
    unsent: dict[tuple[str, ...], float] = {
        (channel, state): 0.0 for channel in _CHANNELS for state in ("given up", "waiting")
    }
    unsent |= {(u["channel"], u["state"]): u["messages"] for u in read_model.undelivered(conn)}
    yield _gauge(
        "vlag_messages_undelivered", "Messages that did not reach people.", unsent,
        "channel", "state",
    )  # fmt: skip
    yield from _of_night(conn)


def _of_night(conn: Connection) -> Iterator[Metric]:
    night = read_model.night(conn, None)
    if night is None:
        return
    proof = read_model.proof(conn, night)
    started, finished = (night[key].timestamp() for key in ("started_at", "finished_at"))
    good = not night["missing"] and (proof is None or not proof["failed"])
    for name, help_, value in (
        ("start_timestamp_seconds", "Start of the last night that ended.", started),
        ("end_timestamp_seconds", "End of the last night.", finished),
        ("duration_seconds", "Duration of the last night.", finished - started),
        ("missing", "Planned builds, runs and comparisons that it did not make.",
         len(night["missing"])),
        ("compared", "Pairs of kernels that it compared.", night["compared"]),
        ("success", "1: it made all of it, and its self-proof is as predicted.", good),
    ):  # fmt: skip
        yield _gauge(f"vlag_last_night_{name}", help_, {(): value})


def _of_master(active: Activity | None) -> Iterator[Metric]:
    yield _gauge("vlag_master_up", "1: the master answers.", {(): active is not None})
    if active is None:
        return
    yield _gauge(
        "vlag_requests_waiting", "Build requests that no worker has taken.",
        {(name,): number for name, number in active.waiting.items()}, "builder",
    )  # fmt: skip
    yield _gauge(
        "vlag_builds_running", "Builds at work.",
        {(name,): number for name, number in active.running.items()}, "builder",
    )  # fmt: skip
    if active.lag_s is not None:
        yield _gauge(
            "vlag_ingest_lag_seconds", "From the end of the run ingested last to its ingestion.",
            {(): active.lag_s},
        )  # fmt: skip
    yield _gauge(
        "vlag_ingest_waiting", "Runs that ended and are not ingested.",
        {(): len(active.late_s)},
    )  # fmt: skip
    yield _gauge(
        "vlag_ingest_waiting_seconds", "Time since the oldest of them ended; 0: there is none.",
        {(): max(active.late_s, default=0.0)},
    )  # fmt: skip
