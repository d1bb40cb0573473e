# SPDX-License-Identifier: GPL-2.0-only
"""Two sides of files, a verdict a statistic: `compare` without a database or a history.

A file is one boot: several values of a metric give its median, a histogram its quantiles.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import evolve, frozen

from vlag.compare import conditions, factors, family, file_drifts, file_sides, verdict
from vlag.compare.boards import Problem
from vlag.compare.declared import Declared, declared, entries
from vlag.compare.file_sides import Boot
from vlag.compare.history import Known
from vlag.compare.verdict_keys import of_figures
from vlag.compare.verdict_keys import row as report_row
from vlag.config.catalogue import Catalogue
from vlag.errors import RefusedError, UsageError
from vlag.file_data import FileDistribution, FileRow, FilesData, FileSide, Level, Summary
from vlag.model import FLAGS, BoardType, Metric, Verdict
from vlag.parsers import PARSERS
from vlag.stats import lattice, severity
from vlag.stats.compare import clip, levels
from vlag.stats.modes import BOOTS_MINIMUM, modes
from vlag.store.comparisons import VerdictRow
from vlag.store.runs import marked
from vlag.verdict_data import VerdictColumns


@frozen(kw_only=True)
class _Side:
    name: str  # "base" or "new"
    boots: Sequence[Boot]  # that count
    failed: Sequence[Boot]

    @property
    def marked(self) -> int:
        """Number of boots with a kernel alarm while measuring."""
        return sum(marked(x.run["health"]) for x in self.boots if x.run is not None)

    def in_order(self) -> _Side:
        """Return the side with its boots in the order in which they ran."""
        return evolve(self, boots=file_drifts.in_order(self.boots))

    def of(self, metric: Metric) -> verdict.Boots:
        """Return what the boots say of a metric."""
        return verdict.Boots(
            name=self.name, figures=[boot.figures.get(metric.name) for boot in self.boots]
        )


def compare(
    base: Sequence[Path],
    new: Sequence[Path],
    *,
    catalogue: Catalogue,
    board_type: str | None = None,
    tool: str | None = None,
    equal_files: bool = False,
    differing: Sequence[str] = (),
) -> FilesData:
    """Compare files of two kernels; return data that JSON can hold, rows the worst first.

    Paths, `tool` and `equal_files` are as for `file_sides.sides`, and so are the errors.
    `board_type` says where raw files were measured, which sets what is relevant there;
    bundles say it themselves.  `differing` names parameters that may differ between the sides,
    as for `factors.asked`.  Raises UsageError for a board type that is unknown or another than
    that of the bundles.
    """
    read = file_sides.sides(base, new, catalogue=catalogue, tool=tool, equal_files=equal_files)
    asked = factors.asked(differing, *read)
    if asked:
        entry = catalogue.benchmark(read[0][0].benchmark)
        read = ([factors.apart(x, asked, entry) for x in read[0]],
                [factors.apart(x, asked, entry) for x in read[1]])  # fmt: skip
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
    notes += _notes(b, n, known, asked)
    rows, drifting = _rows(first.benchmark, known, board, b, n)
    notes += drifting
    notes += _too_few(rows, min(len(b.boots), len(n.boots)))
    return {
        "schema": 1,
        "kind": "files",
        "benchmark": first.benchmark,
        "tool": first.tool,
        "catalogue": sorted({e for d in known.values() for e in d.entries}),
        "board_type": board.name if board else None,
        "limits": board.limits if board else None,
        "factors": {f.name: [f.base, f.new] for f in asked},
        "synthetic": any(x.run is not None and x.run["synthetic"] for x in boots),
        "base": _side_data(b),
        "new": _side_data(n),
        "summary": _summary(rows),
        "rows": rows,
        "distributions": _distributions(first.benchmark, known, board, b, n, rows),
        "not_compared": _not_compared(known, b, n),
        "notes": notes,
    }


def _too_few(rows: Sequence[FileRow], boots: int) -> list[str]:
    """Say that so few boots a side as the smaller one has cannot show two modes."""
    if boots >= BOOTS_MINIMUM or not any(r["verdict"] in FLAGS for r in rows):
        return []
    return [
        f"files have no history, and {boots} boots a side cannot show whether a metric has two"
        f" modes; confirm a change with a rerun of {BOOTS_MINIMUM} boots a side"
    ]


def _summary(rows: Sequence[FileRow]) -> Summary:
    """Return the verdict over all rows."""
    summary = lattice.summary(
        lattice.Row(
            name=" ".join(filter(None, (r["metric"], _shown(r["statistic"])))),
            verdict=Verdict(r["verdict"]),
            effect=r["effect"],
            hint=r["hint"],
        )
        for r in rows
    )
    return {
        "verdict": summary.word,
        "counts": {v.value: summary.counts[v] + summary.hints[v] for v in severity.VERDICTS},
        "sentence": summary.sentence,
    }


def _board(catalogue: Catalogue, boots: Sequence[Boot], board_type: str | None) -> BoardType | None:
    """Return the type of board whose relevance holds; None where nobody says one."""
    measured = {b.name: str(b.run["board"]["board_type"]) for b in boots if b.run is not None}
    for name, kind in measured.items():
        if kind not in catalogue.board_types:
            raise RefusedError(
                f"board.board_type: the catalogue has no {kind!r}; it has"
                f" {', '.join(sorted(catalogue.board_types))}",
                path=name,
            )
        if board_type is not None and kind != board_type:
            raise UsageError(f"{name}: was measured on {kind}, not on {board_type}")
    chosen = board_type or next(iter(measured.values()), None)
    return None if chosen is None else catalogue.board_type(chosen)


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
    return _Side(name=name, boots=list(kept.values()), failed=failed)


def _notes(
    b: _Side, n: _Side, known: Mapping[str, Declared], asked: Sequence[factors.Factor]
) -> list[str]:
    notes = [f"{f.name} may differ, as asked: {f.base} against {f.new}" for f in asked]
    both = [*b.boots, *n.boots]
    # Of instructions that are counted two kernels may well give the same text.
    counted = [x.content for x in both if x.run is None or not x.run["board"]["deterministic"]]
    equal = len(counted) - len(set(counted))
    if equal:
        notes.append(
            f"{equal} of {len(counted)} files have the content of another one and were taken for"
            " boots of their own (--equal-files)"
        )
    kernels = [{x.run["kernel"]["digest"] for x in s.boots if x.run is not None} for s in (b, n)]
    knobs = [[x.run["knobs"] for x in s.boots[:1] if x.run is not None] for s in (b, n)]
    if kernels[0] and kernels[0] == kernels[1] and knobs[0] == knobs[1] and not asked:
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
        relevances = ", ".join(
            f"{m.name} {100 * m.relevance:g} % (steps of {m.resolution:g} {m.unit})" for m in taken
        )
        notes.append(
            f"no benchmark of the catalogue declares these; relevant is from: {relevances}"
        )
    if both and all(boot.version is None for boot in both):
        notes.append("the output does not say the tool's version: taken to be one for all files")
    notes += _untold(both)
    unusual: dict[str, list[str]] = {}
    for boot in both:
        for note in boot.notes:
            unusual.setdefault(note, []).append(boot.name)
    notes += [
        f"{names[0]}{f' and {len(names) - 1} more' if names[1:] else ''}: {note}"
        for note, names in unusual.items()
    ]
    for metric in known:
        counts = [sorted({len(_threads(x, metric)) for x in s.boots}) for s in (b, n)]
        if len({c for each in counts for c in each}) > 1:
            threads = " against ".join(" or ".join(map(str, each)) or "none" for each in counts)
            notes.append(f"{metric}: threads a file: {threads}; were the parameters the same?")
    return notes


def _untold(boots: Sequence[Boot]) -> list[str]:
    """Say which settings no raw file tells; "options" are all."""
    told = {name for boot in boots for name in (*boot.settings, *boot.defaults)}
    if not boots or boots[0].run is not None or "options" in told:
        return []
    untold = [name for name in PARSERS[boots[0].tool].SETTINGS if name not in told]
    names = ", ".join(name.replace("_", " ") for name in untold)
    return [f"the output does not say {names}: taken to be alike in all files"] if untold else []


def _threads(boot: Boot, metric: str) -> list[str]:
    """Return instances that are numbered threads; other names come and go by themselves."""
    figures = boot.figures.get(metric)
    return [] if figures is None else [i for i in figures.instances if i.isdigit()]


def _side_data(side: _Side) -> FileSide:
    every = [*side.boots, *side.failed]
    versions = dict.fromkeys(b.version for b in side.boots if b.version is not None)
    run = every[0].run
    data: FileSide = {
        "files": [b.name for b in side.boots],
        "failed": [b.name for b in side.failed],
        "tool": every[0].tool,
        "version": ", ".join(versions) or None,
        "n": len(side.boots),
    }
    if run is not None:
        kernel = run["kernel"]
        data["kernel"] = {
            "digest": kernel["digest"],
            "describe": kernel["describe"],
            "commit": kernel["commit"],
            "series": kernel["series"],
            "application": kernel["application"],
            "variant": kernel["variant"],
            "release": run["release"],
            "knobs": dict(run["knobs"]),
        }
    return data


def _shown(statistic: str) -> str:
    return "" if statistic == "median" else statistic


def _rows(
    benchmark: str, known: Mapping[str, Declared], board: BoardType | None, b: _Side, n: _Side
) -> tuple[list[FileRow], list[str]]:
    """Return the rows, worst first, and notes on sides that drift."""
    tested: list[file_drifts.Tested] = []
    # On a deterministic board a boot says the same at any time.
    timed = not any(x.run["board"]["deterministic"] for x in (*b.boots, *n.boots) if x.run)
    for entry in (d for d in known.values() if d.metric.compared):
        base, new = b.of(entry.metric), n.of(entry.metric)
        subject, problem = _subject(benchmark, entry, board, b, n), _problem(entry, b, n)
        of_metric = []
        for statistic in verdict.known(entry.metric, base, new):
            # Files have no history, but the boots of a side may show two modes.
            seen = [modes(clip(x.values(statistic), entry.metric.resolution)) for x in (base, new)]
            history = Known(modes=seen[0] or seen[1])
            of_metric.append(
                verdict.row(subject, statistic, base, new, problem=problem, history=history)
            )
        judged = family.judged(of_metric, functools.partial(verdict.moved, subject, base, new))
        order = [s.in_order().of(entry.metric) for s in (b, n)] if timed else []
        tested += [file_drifts.Tested(subject=subject, row=row, sides=order) for row in judged]
    verdict_rows, notes = file_drifts.judged(tested)
    rows = [_row(row, known[row.metric].metric, b, n) for row in family.discovered(verdict_rows)]
    return sorted(rows, key=lambda r: severity.order(r, "hint" if r["hint"] else "")), notes


def _subject(
    benchmark: str, entry: Declared, board: BoardType | None, b: _Side, n: _Side
) -> verdict.Subject:
    run = next((x.run for x in (*b.boots, *n.boots) if x.run is not None), None)
    return verdict.Subject(
        benchmark=benchmark,
        parameters={} if run is None else run["parameters"],
        metric=entry.metric,
        relevance=entry.metric.relevance if board is None else entry.metric.relevance_on(board),
        hint=verdict.hinted(entry.metric, board, unproven=entry.unproven),
    )


def _problem(entry: Declared, b: _Side, n: _Side) -> Problem | None:
    """Say why nothing of a metric can be compared."""
    failures = {
        s.name: [x.run["outcome"] for x in s.failed if x.run is not None]
        for s in (b, n)
        if not s.boots
    }
    if failures:
        return verdict.nothing_ran(failures)
    refusal = conditions.refusal(
        entry.metric, *([boot.conditions(entry.metric) for boot in s.boots] for s in (b, n))
    )
    return None if refusal is None else (Verdict.NOT_COMPARABLE, refusal)


def _row(verdict_row: VerdictRow, metric: Metric, b: _Side, n: _Side) -> FileRow:
    columns: VerdictColumns = {
        **verdict_row.columns(),
        "base_runs": list(range(len(b.boots))),
        "new_runs": list(range(len(n.boots))),
        "base_marked": b.marked,
        "new_marked": n.marked,
    }
    row: FileRow = {
        **report_row(columns, verdict_row.parameters),
        "p_zero": verdict_row.p_zero,
        "boots_needed": verdict_row.boots_needed,
        "suspect": verdict_row.suspect,
    }
    instances = {
        x.figures[metric.name].instances
        for x in (*b.boots, *n.boots)
        if metric.name in x.figures
    }  # fmt: skip
    if len(instances) == 1 and len(one := instances.pop()) == 1 and one[0]:
        row["instance"] = one[0]
    return row


def _distributions(
    benchmark: str,
    known: Mapping[str, Declared],
    board: BoardType | None,
    b: _Side,
    n: _Side,
    rows: Sequence[FileRow],
) -> list[FileDistribution]:
    """Say of each histogram that can be compared where it moved."""
    distributions: list[FileDistribution] = []
    for entry in (d for d in known.values() if d.metric.compared):
        if _problem(entry, b, n) is not None:
            continue
        subject = _subject(benchmark, entry, board, b, n)
        moved = verdict.moved(subject, b.of(entry.metric), n.of(entry.metric))
        if moved is not None:
            figures = [r for r in rows if r["metric"] == moved.metric]
            distributions.append(
                {
                    "metric": moved.metric,
                    "unit": moved.unit,
                    "headline": moved.headline,
                    "p": moved.p,
                    "suspect": moved.suspect,
                    "worse": moved.worse,
                    "better": moved.better,
                    "unknown": moved.unknown,
                    "quantiles": of_figures(moved.quantiles, figures),
                    "achieved": {"base": moved.base_achieved, "new": moved.new_achieved},
                }
            )
    return distributions


def _not_compared(known: Mapping[str, Declared], b: _Side, n: _Side) -> list[Level]:
    """Return what the catalogue shows without a verdict."""
    rows: list[Level] = []
    for name, entry in known.items():
        if entry.metric.compared:
            continue
        values = (s.of(entry.metric).values("median") for s in (b, n))
        base, new = levels(*values, resolution=entry.metric.resolution)
        rows.append({"metric": name, "unit": entry.metric.unit, "base": base, "new": new})
    return rows
