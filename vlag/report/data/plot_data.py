"""What the plots of a report show, as plain data for `vlag.report.plots`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vlag.model import Verdict
from vlag.report import read_model
from vlag.report.compared import names, number
from vlag.store.database import Connection

Row = Mapping[str, Any]

# Of one comparison; more than a reader looks at only makes a file large.
_HISTORIES = 8
_DISTRIBUTIONS = 6
_CHANGED = (Verdict.REGRESSION.value, Verdict.IMPROVEMENT.value)


def of(
    conn: Connection, comparisons: Iterable[int], url: str | None = None
) -> dict[int, dict[str, Any]]:
    """Return what the plots of some comparisons show, by their numbers.

    `effects` are all figures, as reruns left them; `histories` the moved series of an
    unpatched branch; `distributions` and `shifts` the latencies that moved.  `url` is the
    address of the web pages, to which points lead; None: they lead nowhere.
    """
    return {i: _of(conn, c, url) for i in comparisons if (c := read_model.comparison(conn, i))}


def _of(conn: Connection, c: Row, url: str | None) -> dict[str, Any]:
    rows = names([read_model.row(v) for v in c["verdicts"]])
    named = list(zip(rows, c["verdicts"], strict=True))
    return {
        "effects": [{**read_model.row(v), "name": name} for name, v in named],
        "histories": _histories(conn, c, named, url),
        **_distributions(conn, c, named),
    }


def _histories(
    conn: Connection, c: Row, named: Sequence[tuple[str, Row]], url: str | None
) -> list[dict[str, Any]]:
    if c["branch"] is None or c["patches"] is not None or c["variant"] != "default":
        return []
    moved = [(n, v) for n, v in named if v["verdict"] in _CHANGED and v["series_new"] is not None]
    moved.sort(key=lambda pair: (pair[1]["hint"], -abs(pair[1]["effect"] or 0)))
    found = []
    for name, v in moved[:_HISTORIES]:
        history = read_model.branch_history(
            conn, c["tree"], c["branch"], v["series_new"], v["statistic"],
            baseline=c["base_kernel"], knobs=c["new_knobs"], baseline_knobs=c["base_knobs"],
        )  # fmt: skip
        points: list[dict[str, Any]] = [{**p} for p in history["points"]]
        if url is not None:
            for p in points:
                p["url"] = f"{url}run?id={p['run']}"
                p["label"] = f"{p['name']} boot {p['seed']} on {p['board']}: {number(p['value'])}"
        words = {"title": f"{name} on {c['board_type']}", "verdict": v["verdict"]}
        of_series = {"unit": v["unit"], "direction": v["direction"]}
        found.append({**words, **of_series, **history, "points": points})
    return found


def _distributions(
    conn: Connection, c: Row, named: Sequence[tuple[str, Row]]
) -> dict[str, list[dict[str, Any]]]:
    quantiles: dict[tuple[str, ...], list[Row]] = {}
    for q in c["distributions"]:
        quantiles.setdefault((q["benchmark"], q["parameters"], q["metric"]), []).append(q)
    rows = {(v["benchmark"], v["parameters"], v["metric"]): (n, v) for n, v in reversed(named)}
    moved = [(k, qs) for k, qs in quantiles.items() if any(q["moved"] for q in qs) and k in rows]
    found: dict[str, list[dict[str, Any]]] = {"distributions": [], "shifts": []}
    for key, qs in moved[:_DISTRIBUTIONS]:
        name, v = rows[key]
        title = name.removesuffix(f" {v['statistic']}")
        words = {"title": title, "direction": v["direction"]}
        steps = [{**q, "name": q["quantile"]} for q in qs]
        found["shifts"].append({**words, "headline": qs[0]["headline"], "quantiles": steps})
        sides = {
            side: read_model.buckets(conn, v[f"{side}_runs"], v[f"series_{side}"])
            for side in ("base", "new")
            if v[f"series_{side}"] is not None
        }
        if len(sides) > 1:
            names = (c["base"], c["new"])
            found["distributions"].append({**words, "unit": v["unit"], **sides, "names": names})
    return found
