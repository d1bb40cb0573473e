# SPDX-License-Identifier: GPL-2.0-only
"""The way back from each number of a report: raw file, job, config, log and command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from vlag.bundle_records import HealthRecord
from vlag.report.document import OriginData, RunOrigin
from vlag.stats.summary import value_of
from vlag.store.builds import Build
from vlag.store.comparisons import VerdictRow
from vlag.store.runs import Figures, Run


def below(state: Path, location: str, name: str) -> str:
    """Return a path, relative to `state` where it lies below it."""
    path = Path(location) / name
    state = state.resolve()
    return str(path.relative_to(state) if path.is_relative_to(state) else path)


def log_of(made: Run | Build, state: Path) -> str:
    """Return where to read what happened: the console, else a build's log, else the folder."""
    names = [f["path"] for f in made.files]
    logs = [n for n in names if Path(n).name == "console.log"] or [
        n for n in names if n.endswith(".log")
    ]
    return below(state, made.location, logs[0] if logs else "")


def said_in(run: Run, line: HealthRecord, state: Path) -> str:
    """Return where to read a health line: its line of the console, or the file of a taint."""
    if line["line"]:
        return f"{log_of(run, state)}:{line['line']}"
    paths = (f["path"] for f in run.files)
    names = [path for path in paths if Path(path).name == "environment-after.txt"]
    return below(state, run.location, names[0] if names else "run.json")


def origins(
    verdicts: Sequence[VerdictRow],
    screened: Sequence[VerdictRow],
    by_id: Mapping[int, Run],
    figures: Mapping[tuple[int, str], Figures],
    configs: Mapping[tuple[str, tuple[str, str]], str],
    state: Path,
) -> list[OriginData]:
    """Return one entry a benchmark and metric, with each run and its values.

    Where a rerun decided, the runs of the first boots follow, marked as `screen`.
    """
    first = {v.id: v for v in screened}
    by_metric: dict[tuple[str, str, str], list[VerdictRow]] = {}
    for v in verdicts:
        by_metric.setdefault(
            (v.benchmark, repr(sorted(v.parameters.items())), v.metric), []
        ).append(v)
    listed: list[OriginData] = []
    for rows in by_metric.values():
        runs: dict[tuple[str, int], bool] = {}
        for screen, some in ((False, rows), (True, [first[v.id] for v in rows])):
            for side in ("base", "new"):
                ids = {r for v in some for r in (v.base_runs if side == "base" else v.new_runs)}
                for r in sorted(ids, key=lambda r: (by_id[r].seed, r)):
                    runs.setdefault((side, r), screen)
        v = rows[0]
        listed.append(
            {
                "benchmark": v.benchmark,
                "parameters": dict(v.parameters),
                "metric": v.metric,
                "unit": v.unit,
                "runs": [
                    {
                        **_origin(side, by_id[r], configs, state),
                        "screen": screen,
                        "values": {
                            v.statistic: value_of(figures[r, v.metric].figures, v.statistic)
                            for v in rows
                        },
                    }
                    for (side, r), screen in runs.items()
                ],
            }
        )
    return listed


def _origin(
    side: str, run: Run, configs: Mapping[tuple[str, tuple[str, str]], str], state: Path
) -> RunOrigin:
    job = [f["path"] for f in run.files if Path(f["path"]).name == "job.yaml"]
    return {
        "side": side,
        "id": run.id,
        "seed": run.seed,
        "board": run.board,
        "marked": run.marked,
        "raw": below(state, run.location, run.output),
        "job": below(state, run.location, job[0]) if job else None,
        "config": configs.get((side, run.image)),
        "reproduce": run.reproduce,
    }
