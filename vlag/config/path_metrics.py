# SPDX-License-Identifier: GPL-2.0-only
"""What is judged of a profile, from `lava-jobs/path-metrics.toml`."""

from __future__ import annotations

from pathlib import Path

from vlag import notation
from vlag.config.documents import contents, fault
from vlag.errors import UsageError
from vlag.profile.path_metric import PathMetric


def read(path: Path) -> tuple[PathMetric, ...]:
    """Return the metrics of a file, in its order; none if there is no such file.

    Raises UsageError with file and key for anything wrong, unknown or named twice.
    """
    if not path.exists():
        return ()
    raw = contents(path, "TOML", notation.read_toml)
    wrong = fault(raw, "path-metrics.schema.json")
    if wrong:
        raise UsageError(f"{path}: {wrong}")
    metrics: dict[str, PathMetric] = {}
    for i, one in enumerate(raw["metrics"]):
        name = one["name"]
        if name in metrics:
            raise UsageError(f"{path}: metrics.{i}.name: there is a {name!r} already; rename one")
        metrics[name] = PathMetric(
            name=name,
            relevance=one.get("relevance", raw["relevance"]),
            objects=one.get("objects", ""),
            calls=tuple(tuple(names) for names in one.get("calls", ())),
        )
    return tuple(metrics.values())
