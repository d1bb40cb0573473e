# SPDX-License-Identifier: GPL-2.0-only
"""What came of simulated years: counts by event with intervals, as a file and as a table."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, evolve, field, frozen

from bench.years.oracles import NOTHING, SOON, Fault, Judge
from vlag.errors import UsageError

_FORMAT = 1
_Z = 1.959964  # of a 95 % interval


def wilson(some: int, total: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share; (0, 1) of none."""
    if total == 0:
        return 0.0, 1.0
    share, z = some / total, _Z * _Z
    middle = (share + z / (2 * total)) / (1 + z / total)
    half = _Z * math.sqrt(share * (1 - share) / total + z / (4 * total * total)) / (1 + z / total)
    return max(0.0, middle - half), min(1.0, middle + half)


@frozen(kw_only=True)
class Counts:
    """What came of losses and alerts, around one event or in all."""

    losses: int = 0  # that were measured for `SOON` nights
    found: int = 0  # of those within that time, with the commit
    alerts: int = 0
    true: int = 0  # of those on every night
    healed: int = 0  # losses that ended, and were measured for as long after
    ended: int = 0  # of those with no alert left by then

    def __add__(self, other: Counts) -> Counts:
        """Return the counts of both."""
        return Counts(**{k: v + getattr(other, k) for k, v in asdict(self).items()})


@frozen(kw_only=True)
class Year:
    """One simulated year."""

    seed: int
    nights: int
    density: float
    total: Counts
    by_event: Mapping[str, Counts] = field(factory=dict)
    alert_nights: int = 0  # open alerts, each counted every night
    true_nights: int = 0
    statements: int = 0  # that were looked at again
    seconds: float = 0.0
    faults: tuple[Fault, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Year:
        """Return the year of a document."""
        return cls(
            **{
                **document,
                "total": Counts(**document["total"]),
                "by_event": {k: Counts(**v) for k, v in document["by_event"].items()},
                "faults": tuple(Fault(**f) for f in document["faults"]),
            }
        )


def year(judge: Judge, *, density: float = 1.0, seconds: float = 0.0) -> Year:
    """Return what came of a judge's year."""
    by: dict[str, Counts] = {}
    total = Counts()

    def add(counts: Counts, events: Iterable[str]) -> None:
        nonlocal total
        total += counts
        for event in set(events) or {NOTHING}:
            by[event] = by.get(event, Counts()) + counts

    for loss in judge.losses:
        if loss.nights >= SOON:
            add(Counts(losses=1, found=int(loss.is_named)), loss.events)
        if (loss.healed or 0) >= SOON or loss.gone is not None:
            in_time = (loss.gone or SOON + 1) <= SOON
            add(Counts(healed=1, ended=int(in_time)), loss.healing)
    for alert in judge.alerts.values():
        total += Counts(alerts=1, true=int(alert.true))
        for event, true in alert.events.items():
            by[event] = by.get(event, Counts()) + Counts(alerts=1, true=int(true))
    return Year(
        seed=judge.world.seed, nights=judge.world.count, density=density, total=total,
        by_event=dict(sorted(by.items())), alert_nights=judge.alert_nights,
        true_nights=judge.true_nights, statements=judge.statements, seconds=seconds,
        faults=tuple(judge.faults),
    )  # fmt: skip


def write(path: Path, years: Sequence[Year]) -> None:
    """Write years to a file that `read` reads."""
    document = {"format": _FORMAT, "years": [y.document() for y in years]}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def read(paths: Iterable[Path]) -> list[Year]:
    """Read the years of some files; raise UsageError for one that is none, or has a year again."""
    by_seed: dict[tuple[int, int, float], tuple[Path, Year]] = {}
    for path in paths:
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["format"] != _FORMAT:
                raise ValueError(f"format {document['format']!r}")
            years = [Year.of(d) for d in document["years"]]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
            raise UsageError(
                f"{path} cannot be read as simulated years ({e}); give files of --write"
            ) from e
        for each in years:
            key = each.seed, each.nights, each.density
            if key in by_seed:
                raise UsageError(
                    f"{path} has the year of seed {each.seed} again, which {by_seed[key][0]} has;"
                    " leave one of them out"
                )
            by_seed[key] = path, each
    return [each for _path, each in by_seed.values()]


def merged(years: Sequence[Year]) -> Year:
    """Return the sum of years; its seed is the first one's."""
    by: dict[str, Counts] = {}
    for each in years:
        for event, counts in each.by_event.items():
            by[event] = by.get(event, Counts()) + counts
    return evolve(
        years[0],
        nights=sum(y.nights for y in years),
        total=sum((y.total for y in years), Counts()),
        by_event=dict(sorted(by.items())),
        alert_nights=sum(y.alert_nights for y in years),
        true_nights=sum(y.true_nights for y in years),
        statements=sum(y.statements for y in years),
        seconds=sum(y.seconds for y in years),
        faults=tuple(f for y in years for f in y.faults),
    )


def rates(counts: Counts) -> dict[str, float]:
    """Return what is asked of the service, as shares; 1 where nothing asked."""
    return {
        "losses said with their commit": counts.found / counts.losses if counts.losses else 1.0,
        "alerts that are true": counts.true / counts.alerts if counts.alerts else 1.0,
        "healed losses that ended": counts.ended / counts.healed if counts.healed else 1.0,
    }


def table(years: Sequence[Year]) -> str:
    """Return a table with a row an event, and the totals."""
    every = merged(years)
    rows = [
        ("around", f"said in {SOON} nights, with commit", "alerts true", f"ended in {SOON} nights"),
        *((name, *_cells(counts)) for name, counts in every.by_event.items()),
        ("all", *_cells(every.total)),
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
             for row in rows]  # fmt: skip
    wrong = Counter(f.oracle for f in every.faults)
    lines += [
        "",
        f"{len(years)} years of {every.nights:,} nights; each share with its 95 % interval",
        f"alerts true, by nights: {_share(every.true_nights, every.alert_nights)}",
        f"{every.statements:,} statements looked at again",
        *(f"wrong: {name}: {n}" for name, n in sorted(wrong.items())),
    ]
    if every.seconds:
        lines.append(f"{3600 * every.nights / every.seconds:,.0f} nights an hour")
    return "\n".join(lines)


def faults(years: Sequence[Year]) -> list[str]:
    """Return a line for each fault, with what lives through it again."""
    return [
        f"{f.oracle}: {f.text} (around: {', '.join(f.events) or NOTHING};"
        f" --years 1 --seed {y.seed} --nights {f.night}"
        + (f" --density {y.density:g})" if y.density != 1 else ")")
        for y in years
        for f in y.faults
    ]


def _cells(counts: Counts) -> tuple[str, str, str]:
    return (
        _share(counts.found, counts.losses), _share(counts.true, counts.alerts),
        _share(counts.ended, counts.healed),
    )  # fmt: skip


def _share(some: int, total: int) -> str:
    if total == 0:
        return "-"
    low, high = wilson(some, total)
    return f"{some}/{total} {some / total:.3f} ({low:.3f} to {high:.3f})"
