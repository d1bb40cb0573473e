# SPDX-License-Identifier: GPL-2.0-only
"""Worst first: the one order of verdicts, for text, pages, SQL and panels.

A proven worsening comes first.  REGRESSION and MIXED are equally alarming: within both, and
within every other rank, the larger change comes first.  A failure and a suspicion come next,
since somebody must act on them; then hints of a worsening, which no board of their kind can
prove.  A marginal change is certain and may matter.  What cannot be compared or decided hides an
answer; an improvement is news; UNCHANGED is not.  A hint never comes before a proven change of
its own kind.

The SQL functions `read_model.severity` and `read_model.size` give the same order; tests hold
them together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from vlag.model import CHANGES, Verdict

_HINT = " (hint)"

#: Words of one rank are equally bad; the first rank is the worst.
RANKS: tuple[tuple[str, ...], ...] = (
    ("REGRESSION", "MIXED"),
    ("FAILED",),
    ("SUSPECTED",),
    ("REGRESSION (hint)", "MIXED (hint)"),
    ("MARGINAL",),
    ("NOT_COMPARABLE",),
    ("INCONCLUSIVE", "MARGINAL (hint)"),
    ("IMPROVEMENT",),
    ("IMPROVEMENT (hint)",),
    ("UNCHANGED",),
)
_RANK = {word: rank for rank, words in enumerate(RANKS) for word in words}

#: The word of a comparison in which nothing is proven, and hints are worse.
HINTED = "REGRESSION" + _HINT
#: Every word of a figure or a comparison, without hints.
WORDS = tuple(word for words in RANKS for word in words if not word.endswith(_HINT))
#: The verdicts of a figure, in which order counts are named.
VERDICTS = tuple(Verdict(word) for word in WORDS if word in Verdict.__members__)
#: Those that leave something open: a reader needs their reason.
OPEN = ("MARGINAL", "NOT_COMPARABLE", "INCONCLUSIVE")

# A hundredth of a percent, the last digit that is printed: a rate and the time for one
# operation are two names of one change, and noise must not decide which of them comes first.
_DIGITS = 4
# Of a value that fell to nothing: more than the ratio of any two that are left.
_TO_NOTHING = 1000.0
_MAY_BE_HINTS = (*CHANGES, "MIXED")


def severity(verdict: str, standing: str = "") -> int:
    """Return the rank of a verdict, 0 for the worst.

    `standing` is that of the view `verdict`: "suspected", "hint" and "refuted" are no proof.
    """
    if standing == "suspected":
        return _RANK["SUSPECTED"]
    if standing in ("hint", "refuted") and verdict in _MAY_BE_HINTS:
        return _RANK[verdict + _HINT]
    return _RANK[verdict]


def log_ratio(effect: float | None) -> float:
    """Return the size of a relative change as |log ratio|: halved weighs as much as doubled.

    0 where there is no effect, `_TO_NOTHING` where the value fell to nothing.
    """
    if effect is None:
        return 0.0
    return abs(math.log1p(effect)) if effect > -1 else _TO_NOTHING


def size(effect: float | None) -> float:
    """Return `log_ratio` to the digits that decide an order."""
    return round(log_ratio(effect), _DIGITS)


def order(
    row: Mapping[str, Any], standing: str | None = None
) -> tuple[int, float, str, str, str, str]:
    """Return what sorts figures with the worst first.

    A row has `verdict`, `effect`, `benchmark`, `metric` and `statistic`; `parameters` as a
    mapping or as text; `standing` unless it is given.
    """
    parameters = row.get("parameters", "")
    return (
        severity(row["verdict"], row["standing"] if standing is None else standing),
        -size(row["effect"]),
        row["benchmark"],
        parameters if isinstance(parameters, str) else pairs(parameters),
        row["metric"],
        row["statistic"],
    )


def pairs(values: Mapping[str, object]) -> str:
    """Return parameters or knobs as the function `read_model.pairs` writes them: "a=1 b=2"."""
    return " ".join(f"{k}={v}" for k, v in sorted(values.items()))


def over(rows: Iterable[Mapping[str, Any]], *, failed: bool) -> tuple[str, int, float]:
    """Return a comparison's word, its rank and the size of what makes it so bad.

    Rows are as in `order`; `failed` where a build or a run did.  The view
    `comparison_summary` has the same as `verdict`, `severity` and `size`.  Hints of a
    worsening make the word `HINTED` where no change is proven, failed or suspected, and bring
    a comparison before those without.  Nothing is UNCHANGED of which a side lacks half: silence
    is no good news.
    """
    listed = list(rows)
    ranks = {severity(r["verdict"], r["standing"]) for r in listed}
    verdicts = {r["verdict"] for r in listed}
    hints = any(r["verdict"] == "REGRESSION" and r["standing"] == "hint" for r in listed)
    worse, better = _RANK["REGRESSION"] in ranks, _RANK["IMPROVEMENT"] in ranks
    if worse:
        word = "MIXED" if better else "REGRESSION"
    elif failed:
        word = "FAILED"
    elif _RANK["SUSPECTED"] in ranks:
        word = "SUSPECTED"
    elif better:
        word = "IMPROVEMENT"
    elif hints:
        word = HINTED
    elif _RANK["MARGINAL"] in ranks:
        word = "MARGINAL"
    elif "NOT_COMPARABLE" in verdicts and "UNCHANGED" not in verdicts:
        word = "NOT_COMPARABLE"
    else:
        known = "UNCHANGED" in verdicts and not silent(lacking(listed))
        word = "UNCHANGED" if known else "INCONCLUSIVE"
    rank = min(_RANK[word], _RANK["REGRESSION (hint)"]) if hints else _RANK[word]
    return word, rank, _largest(listed)


class Lacking(TypedDict):
    """Numbers of figures that sides have not measured."""

    figures: int
    unmeasured: int
    without_base: int
    without_new: int


def lacking(rows: Iterable[Mapping[str, Any]]) -> Lacking:
    """Return how many `figures` there are, and how many of them a side has not measured.

    Those are `unmeasured`: `without_base`, `without_new`, or without either.  Rows have the
    boots `n_base` and `n_new`, and the runs behind them.  A boot that ran and gave no number has
    measured.  The view `comparison_summary` has the same.
    """
    lacks = [
        tuple(not r[f"n_{side}"] and not r[f"{side}_runs"] for side in ("base", "new"))
        for r in rows
    ]
    return {
        "figures": len(lacks),
        "unmeasured": sum(base or new for base, new in lacks),
        "without_base": lacks.count((True, False)),
        "without_new": lacks.count((False, True)),
    }


def silent(counts: Mapping[str, Any]) -> bool:
    """Return whether a side has not measured half of the figures or more, see `lacking`."""
    return bool(0 < counts["figures"] <= 2 * counts["unmeasured"])


def _largest(rows: Sequence[Mapping[str, Any]]) -> float:
    """Return the size of the largest proven worsening, else of any, else of an improvement."""
    for fits in (
        lambda r: severity(r["verdict"], r["standing"]) == _RANK["REGRESSION"],
        lambda r: r["verdict"] == "REGRESSION",
        lambda r: r["verdict"] == "IMPROVEMENT",
    ):
        sizes = [size(r["effect"]) for r in rows if fits(r)]
        if sizes:
            return max(sizes)
    return 0.0
