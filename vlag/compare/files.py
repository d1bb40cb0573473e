"""Two sides of files, a verdict a statistic: `compare` without a database or a history.

A file is one boot: several values of a metric give its median, a histogram its quantiles.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import attrs
from attrs import frozen

from vlag.compare import file_sides
from vlag.compare.declared import Declared, declared, entries
from vlag.compare.file_sides import Boot
from vlag.config.catalogue import Catalogue
from vlag.errors import RefusedError, UsageError
from vlag.model import BoardType, Histogram, Verdict
from vlag.stats import distribution, lattice, severity
from vlag.stats.compare import BOOTS_MINIMUM, Comparison, Question, judge
from vlag.stats.shift import shift
from vlag.stats.summary import STATISTICS, statistics

_Problem = tuple[Verdict, str]


@frozen(kw_only=True)
class _Side:
    name: str  # "base" or "new"
    boots: Sequence[Boot]  # that count
    failed: Sequence[Boot]
    values: Mapping[tuple[str, str], Sequence[float]]  # (metric, statistic) -> one a boot

    def histograms(self, metric: str) -> list[Histogram]:
        """Return the boots' distributions of a metric."""
        found = (boot.figures.get(metric) for boot in self.boots)
        return [f for f in found if isinstance(f, Histogram)]


@frozen(kw_only=True)
class _Subject:
    """One row to be."""

    declared: Declared
    statistic: str
    hint: bool
    relevance: float
    problem: _Problem | None


def compare(
    base: Sequence[Path],
    new: Sequence[Path],
    *,
    catalogue: Catalogue,
    board_type: str | None = None,
    tool: str | None = None,
) -> dict[str, Any]:
    """Compare files of two kernels; return data that JSON can hold, rows the worst first.

    Paths and `tool` are as for `file_sides.sides`, and so are the errors.  `board_type` says
    where raw files were measured, which sets what is relevant there; bundles say it
    themselves.  Raises UsageError for a board type that is unknown or another than that
    of the bundles.
    """
    read = file_sides.sides(base, new, catalogue=catalogue, tool=tool)
    board = _board(catalogue, [b for side in read for b in side], board_type)
    notes: list[str] = []
    b, n = (_side(name, boots, notes) for name, boots in zip(("base", "new"), read, strict=True))
    boots = [*b.boots, *n.boots]
    first = read[0][0]
    fitting = (
        entries(catalogue, first.tool, first.benchmark, [x.figures for x in boots])
        if first.run is None
        else [catalogue.benchmark(first.benchmark)]
    )
    known = declared(first.tool, fitting, [x.figures for x in boots])
    notes += _notes(b, n, known)
    rows = _rows(first.benchmark, known, board, b, n)
    told = lattice.summary(
        lattice.Row(
            name=" ".join(filter(None, (r["metric"], _shown(r["statistic"])))),
            verdict=Verdict(r["verdict"]),
            effect=r["effect"],
            hint=r["hint"],
        )
        for r in rows
    )
    return {
        "schema": 1,
        "kind": "files",
        "benchmark": first.benchmark,
        "tool": first.tool,
        "catalogue": sorted({e for d in known.values() for e in d.entries}),
        "board_type": board.name if board else None,
        "limits": board.limits if board else None,
        "synthetic": any(x.run is not None and x.run["synthetic"] for x in boots),
        "base": _told(b),
        "new": _told(n),
        "summary": {
            "verdict": told.word,
            "counts": {v.value: told.counts[v] + told.hints[v] for v in severity.VERDICTS},
            "sentence": told.sentence,
        },
        "rows": rows,
        "distributions": _distributions(known, board, b, n),
        "not_compared": _not_compared(known, b, n),
        "notes": notes,
    }


def _board(catalogue: Catalogue, boots: Sequence[Boot], board_type: str | None) -> BoardType | None:
    """Return the type of board whose relevance holds; None where nobody says one."""
    measured = {b.name: str(b.run["board"]["board_type"]) for b in boots if b.run is not None}
    for name, of in measured.items():
        if of not in catalogue.board_types:
            raise RefusedError(
                f"board.board_type: the catalogue has no {of!r}; it has"
                f" {', '.join(sorted(catalogue.board_types))}",
                path=name,
            )
        if board_type is not None and of != board_type:
            raise UsageError(f"{name}: was measured on {of}, not on {board_type}")
    found = board_type or next(iter(measured.values()), None)
    return None if found is None else catalogue.board_type(found)


def _side(name: str, boots: Sequence[Boot], notes: list[str]) -> _Side:
    """Return the boots that count; add to `notes` why others do not."""
    kept: dict[str, Boot] = {}
    failed = []
    for boot in boots:
        key = boot.name
        if boot.failed and boot.run is not None:
            failed.append(boot)
            notes.append(f"{boot.name}: {boot.run['outcome']}: {boot.run['reason']}")
            continue
        if boot.run is not None and boot.run["board"]["deterministic"]:
            key = boot.run["run_key"]
        if key in kept:
            notes.append(
                f"{boot.name} is left out: it repeats {kept[key].name}, and on a deterministic"
                " board the same run says nothing new"
            )
            continue
        kept[key] = boot
    values: dict[tuple[str, str], list[float]] = {}
    for boot in kept.values():
        for metric, figures in boot.figures.items():
            for statistic, value in statistics(figures).items():
                values.setdefault((metric, statistic), []).append(value)
    return _Side(name=name, boots=list(kept.values()), failed=failed, values=values)


def _notes(b: _Side, n: _Side, known: Mapping[str, Declared]) -> list[str]:
    notes = []
    both = [*b.boots, *n.boots]
    # Of instructions that are counted two kernels may well give the same text.
    told = [x.content for x in both if x.run is None or not x.run["board"]["deterministic"]]
    copies = len(told) - len(set(told))
    if copies:
        notes.append(
            f"{copies} of {len(told)} files have the very content of another one: a copy is no"
            " boot of its own"
        )
    kernels = [{x.run["kernel"]["digest"] for x in s.boots if x.run is not None} for s in (b, n)]
    knobs = [[x.run["knobs"] for x in s.boots[:1] if x.run is not None] for s in (b, n)]
    if kernels[0] and kernels[0] == kernels[1] and knobs[0] == knobs[1]:
        notes.append("base and new are boots of one kernel with the same knobs")
    for side in (b, n):
        alarmed = sum(bool(x.run["health"]) for x in side.boots if x.run is not None)
        if alarmed:
            notes.append(
                f"{alarmed} of {len(side.boots)} boots of {side.name} have a kernel alarm on the"
                " console (health in run.json)"
            )
    taken = [d.metric for d in known.values() if not d.entries]
    if taken:
        said = ", ".join(
            f"{m.name} {100 * m.relevance:g} % (steps of {m.resolution:g} {m.unit})" for m in taken
        )
        notes.append(f"no benchmark of the catalogue declares these; relevant is from: {said}")
    if both and all(boot.version is None for boot in both):
        notes.append("the output does not say the tool's version: taken to be one for all files")
    for metric in known:
        counts = [sorted({len(_threads(x, metric)) for x in s.boots}) for s in (b, n)]
        if len({c for of in counts for c in of}) > 1:
            said = " against ".join(" or ".join(map(str, of)) or "none" for of in counts)
            notes.append(f"{metric}: threads a file: {said}; were the parameters the same?")
    return notes


def _threads(boot: Boot, metric: str) -> list[str]:
    """Return instances that are numbered threads; other names come and go by themselves."""
    figures = boot.figures.get(metric)
    return [] if figures is None else [i for i in figures.instances if i.isdigit()]


def _told(side: _Side) -> dict[str, Any]:
    every = [*side.boots, *side.failed]
    versions = dict.fromkeys(b.version for b in side.boots if b.version is not None)
    run = every[0].run
    answer: dict[str, Any] = {
        "files": [b.name for b in side.boots],
        "failed": [b.name for b in side.failed],
        "tool": every[0].tool,
        "version": ", ".join(versions) or None,
        "n": len(side.boots),
    }
    if run is not None:
        keys = ("digest", "describe", "commit", "series", "application", "variant")
        answer["kernel"] = {
            **{k: run["kernel"][k] for k in keys},
            "release": run["release"],
            "knobs": dict(run["knobs"]),
        }
    return answer


def _shown(statistic: str) -> str:
    return "" if statistic == "median" else statistic


def _rows(
    benchmark: str, known: Mapping[str, Declared], board: BoardType | None, b: _Side, n: _Side
) -> list[dict[str, Any]]:
    subjects = [s for d in known.values() if d.metric.compared for s in _subjects(d, board, b, n)]
    asked = [s for s in subjects if s.problem is None]
    answers = iter(
        judge(
            [
                Question(
                    base=b.values[s.declared.metric.name, s.statistic],
                    new=n.values[s.declared.metric.name, s.statistic],
                    direction=s.declared.metric.direction,
                    relevance=s.relevance,
                    resolution=s.declared.metric.resolution,
                )
                for s in asked
            ]
        )
    )
    rows = [_row(benchmark, s, s.problem or next(answers), b, n) for s in subjects]
    return sorted(rows, key=lambda r: severity.order(r, "hint" if r["hint"] else ""))


def _subjects(of: Declared, board: BoardType | None, b: _Side, n: _Side) -> list[_Subject]:
    metric = of.metric
    known = {statistic for s in (b, n) for name, statistic in s.values if name == metric.name}
    known = known or {"p99" if metric.histogram else "median"}
    common = _problem(of, b, n)
    return [
        _Subject(
            declared=of,
            statistic=statistic,
            hint=of.unproven
            or (metric.cross_cpu and board is not None and board.deterministic),
            relevance=metric.relevance if board is None else metric.relevance_on(board),
            problem=common or _unknown(metric.name, statistic, b, n),
        )
        for statistic in sorted(known, key=STATISTICS.index)
    ]  # fmt: skip


def _problem(of: Declared, b: _Side, n: _Side) -> _Problem | None:
    """Say why nothing of a metric can be compared."""
    missing = []
    for side in (b, n):
        if not side.boots:
            failed = sorted({x.run["outcome"] for x in side.failed if x.run is not None})
            missing.append(f"the {side.name} has no complete run (failed: {', '.join(failed)})")
    if missing:
        return Verdict.INCONCLUSIVE, "; ".join(missing)
    differ = [*_versions(of, b, n), *file_sides.differences(b.boots, n.boots)]
    if differ:
        what = "; ".join(differ)
        return Verdict.NOT_COMPARABLE, f"the files differ in more than the kernel: {what}"
    return None


def _versions(of: Declared, b: _Side, n: _Side) -> list[str]:
    """Say which versions of the tool the catalogue calls different series, and why."""
    metric = of.metric
    series = [
        list(dict.fromkeys(_series_version(of, boot.version) for boot in side.boots))
        for side in (b, n)
    ]
    every = list(dict.fromkeys(v for side in series for v in side))
    if len(every) < 2:
        return []
    said = [(version, metric.meaning(version)) for version in every]
    return [
        f"tool version {' and '.join(series[0])} against {' and '.join(series[1])}",
        *(f"{version}: {why}" for version, why in said if why is not None),
    ]


def _series_version(of: Declared, version: str | None) -> str:
    return "not said" if version is None else of.metric.series_version(version)


def _unknown(metric: str, statistic: str, b: _Side, n: _Side) -> _Problem | None:
    """Say that some files do not know a statistic: the others alone would flatter a kernel."""
    for side in (b, n):
        count, known = len(side.boots), len(side.values.get((metric, statistic), ()))
        if known == count:
            continue
        if len(side.histograms(metric)) < count:
            what = f"give no number for {metric}"
        else:
            what = (
                f"do not know {statistic}: too few samples, or it lies beyond the histogram's end"
            )
        return Verdict.INCONCLUSIVE, f"{count - known} of {count} files of {side.name} {what}"
    return None


def _row(
    benchmark: str, subject: _Subject, found: _Problem | Comparison, b: _Side, n: _Side
) -> dict[str, Any]:
    answer = found if isinstance(found, Comparison) else None
    verdict, reason = (found.verdict, found.reason) if isinstance(found, Comparison) else found
    metric = subject.declared.metric
    key = (metric.name, subject.statistic)
    base, new = b.values.get(key, ()), n.values.get(key, ())
    row = {
        "benchmark": benchmark,
        "metric": metric.name,
        "statistic": subject.statistic,
        "unit": metric.unit,
        "direction": metric.direction.value,
        "base": median(base) if base else None,
        "new": median(new) if new else None,
        "n_base": len(base),
        "n_new": len(new),
        "verdict": verdict.value,
        "reason": reason,
        "hint": subject.hint,
        "boots_needed": answer.boots_needed if answer else None,
        "suspect": answer is not None and answer.suspect,
        **{
            name: _finite(getattr(answer, name, None))
            for name in ("effect", "ci_low", "ci_high", "p", "p_zero")
        },
    }
    instances = {
        x.figures[metric.name].instances
        for x in (*b.boots, *n.boots)
        if metric.name in x.figures
    }  # fmt: skip
    if len(instances) == 1 and len(one := instances.pop()) == 1 and one[0]:
        row["instance"] = one[0]
    return row


def _finite(value: float | None) -> float | None:
    """Return None for what is no number, as the relative change of a 0."""
    return None if value is None or not math.isfinite(value) else float(value)


def _distributions(
    known: Mapping[str, Declared], board: BoardType | None, b: _Side, n: _Side
) -> list[dict[str, Any]]:
    """Say of each histogram that can be compared where it moved."""
    found = []
    for name, of in known.items():
        metric = of.metric
        figures = [s.histograms(name) for s in (b, n)]
        # Of fewer boots its screen could only say that nothing moved.
        few = min(map(len, figures)) < BOOTS_MINIMUM
        if not metric.compared or few or _problem(of, b, n):
            continue
        base, new = ([distribution.observed(h) for h in side] for side in figures)
        moved = shift(
            base,
            new,
            direction=metric.direction,
            relevance=metric.relevance if board is None else metric.relevance_on(board),
            resolution=metric.resolution,
        )
        found.append(
            {
                "metric": name,
                "unit": metric.unit,
                "headline": moved.headline,
                "p": moved.p,
                "suspect": moved.suspect,
                "worse": moved.worse,
                "better": moved.better,
                "unknown": list(moved.unknown),
                "achieved": {"base": moved.achieved_base, "new": moved.achieved_new},
                "quantiles": [
                    {k: _finite(v) if isinstance(v, float) else v for k, v in part.items()}
                    for part in map(attrs.asdict, moved.quantiles)
                ],
            }
        )
    return found


def _not_compared(known: Mapping[str, Declared], b: _Side, n: _Side) -> list[dict[str, Any]]:
    """Return what the catalogue shows without a verdict."""
    found = []
    for name, of in known.items():
        if of.metric.compared:
            continue
        base, new = (s.values.get((name, "median"), ()) for s in (b, n))
        found.append(
            {
                "metric": name,
                "unit": of.metric.unit,
                "base": median(base) if base else None,
                "new": median(new) if new else None,
            }
        )
    return found
