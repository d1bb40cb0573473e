"""What the headers of patches predict beside what was found: to check or renew the headers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from vlag.report.compared import interval, percent
from vlag.report.layout import page, wrap
from vlag.stats.compare import SIGNIFICANCE

Data = Mapping[str, Any]


def render(data: Data, form: str) -> str:
    """Return the predictions of a comparison or a night as "text" or "json"."""
    if form == "json":
        document = {"schema": 1, "kind": "predictions", "proof": data["proof"]}
        return json.dumps({**document, "predictions": [_document(c) for c in _judged(data)]}) + "\n"
    lines = wrap(data["proof"]["text"] if data["proof"] else "Nothing is predicted.", "", "    ")
    for c in _judged(data):
        lines += ["", *_comparison(c)]
    return page(lines)


def _judged(data: Data) -> list[Data]:
    compared = data["comparisons"] if data["kind"] == "night" else [data]
    return [c for c in compared if c["prediction"] is not None]


def _document(c: Data) -> dict[str, Any]:
    return {"comparison": c["id"], **c["prediction"], "changes": list(_changes(c))}


def _comparison(c: Data) -> list[str]:
    p = c["prediction"]
    lines = wrap(f"#{c['id']} {p['name']}: {p['text']}", "", "    ")
    for e in p["expected"]:
        lines.append(f"  {'must' if e['must'] else 'may':<5} {e['flag']}: {_outcome(e)}")
    lines += [] if p["expected"] else ["  must  nothing"]
    for row in _changes(c):
        effect = "-" if row["effect"] is None else f"{percent(row['effect'])} %"
        change = f"{effect} {interval(row)}"
        what = f"{row['benchmark']} {row['metric']} {row['statistic']}"
        lines += wrap(f"{what} {change}: {row['verdict']}, {row['as']}", "    ", "      ")
    return lines


def _outcome(expected: Mapping[str, Any]) -> str:
    if expected["found"]:
        return "found"
    return "MISSED" if expected["must"] else "not found"


def _changes(c: Data) -> Iterable[dict[str, Any]]:
    """Yield the rows to compare with a header, each with what the header says.

    Those are rows that were flagged, that are no chance, or of whose benchmark a flag is missed.
    """
    p = c["prediction"]
    missed = {e["flag"].split()[0] for e in p["expected"] if e["must"] and not e["found"]}
    for row in c["rows"]:
        flag = f"{row['benchmark']} {row['metric']} {row['statistic']}"
        unlikely = row["p_zero"] is not None and row["p_zero"] < SIGNIFICANCE
        said = "as predicted" if flag in p["found"] else ""
        if any(flag == u.rpartition(" ")[0] for u in p["unexpected"]):
            said = "NOT predicted"
        if said or unlikely or row["benchmark"] in missed:
            keys = ("benchmark", "metric", "statistic", "verdict", "effect", "ci_low", "ci_high")
            yield {**{k: row[k] for k in keys}, "as": said or "not flagged"}
