# SPDX-License-Identifier: GPL-2.0-only
"""What the headers of patches predict beside what was found: to check or renew the headers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypedDict, cast

from vlag.report.compared import interval, percent
from vlag.report.document import ComparisonData
from vlag.report.layout import page, wrap
from vlag.stats.compare import SIGNIFICANCE
from vlag.verdict_data import PredictedFlag, PredictionData

Data = Mapping[str, Any]

#: A row to compare with a header; `as` is what the header says of it.
JudgedRow = TypedDict(
    "JudgedRow",
    {
        "benchmark": str,
        "metric": str,
        "statistic": str,
        "verdict": str,
        "effect": float | None,
        "ci_low": float | None,
        "ci_high": float | None,
        "as": str,
    },
)


class JudgedPrediction(PredictionData):
    """What a header predicts, and the rows to compare with it."""

    comparison: int
    changes: list[JudgedRow]


def render(data: Data, form: str) -> str:
    """Return the predictions of a comparison or a night as "text" or "json"."""
    if form == "json":
        document = {"schema": 1, "kind": "predictions", "proof": data["proof"]}
        judged = [_document(c, prediction) for c, prediction in _judged(data)]
        return json.dumps({**document, "predictions": judged}) + "\n"
    lines = wrap(data["proof"]["text"] if data["proof"] else "Nothing is predicted.", "", "    ")
    for c, prediction in _judged(data):
        lines += ["", *_comparison(c, prediction)]
    return page(lines)


def _judged(data: Data) -> list[tuple[ComparisonData, PredictionData]]:
    one = [cast("ComparisonData", data)]
    compared: list[ComparisonData] = data["comparisons"] if data["kind"] == "night" else one
    return [(c, p) for c in compared if (p := c["prediction"]) is not None]


def _document(c: ComparisonData, p: PredictionData) -> JudgedPrediction:
    return {"comparison": c["id"], **p, "changes": list(_changes(c, p))}


def _comparison(c: ComparisonData, p: PredictionData) -> list[str]:
    lines = wrap(f"#{c['id']} {p['name']}: {p['text']}", "", "    ")
    for e in p["expected"]:
        lines.append(f"  {'must' if e['must'] else 'may':<5} {e['flag']}: {_outcome(e)}")
    lines += [] if p["expected"] else ["  must  nothing"]
    for row in _changes(c, p):
        effect = "-" if row["effect"] is None else f"{percent(row['effect'])} %"
        change = f"{effect} {interval(row)}"
        what = f"{row['benchmark']} {row['metric']} {row['statistic']}"
        lines += wrap(f"{what} {change}: {row['verdict']}, {row['as']}", "    ", "      ")
    return lines


def _outcome(expected: PredictedFlag) -> str:
    if expected["found"]:
        return "found"
    return "MISSED" if expected["must"] else "not found"


def _changes(c: ComparisonData, p: PredictionData) -> Iterator[JudgedRow]:
    """Yield the rows to compare with a header, each with what the header says.

    Those are rows that were flagged, that are no chance, or of whose benchmark a flag is missed.
    """
    missed = {e["flag"].split()[0] for e in p["expected"] if e["must"] and not e["found"]}
    for row in c["rows"]:
        flag = f"{row['benchmark']} {row['metric']} {row['statistic']}"
        unlikely = row["p_zero"] is not None and row["p_zero"] < SIGNIFICANCE
        judgement = "as predicted" if flag in p["found"] else ""
        if any(flag == u.rpartition(" ")[0] for u in p["unexpected"]):
            judgement = "NOT predicted"
        if judgement or unlikely or row["benchmark"] in missed:
            yield {
                "benchmark": row["benchmark"],
                "metric": row["metric"],
                "statistic": row["statistic"],
                "verdict": row["verdict"],
                "effect": row["effect"],
                "ci_low": row["ci_low"],
                "ci_high": row["ci_high"],
                "as": judgement or "not flagged",
            }
