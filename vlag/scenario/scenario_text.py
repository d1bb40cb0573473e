# SPDX-License-Identifier: GPL-2.0-only
"""A scenario's views as plain text, at most 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vlag.report.layout import page
from vlag.schedstat import interval_difference
from vlag.stats import severity
from vlag.stats.numbers import plain

WIDTH = 80

_DASH = "\N{EN DASH}"
_NO_CHANGE = "0.0 %"
_TENFOLD = 10
_GROUPED = 1e5  # larger figures are whole numbers in groups of three digits
_LEGEND = (
    "SYNTHETIC: the figures are a field report's, entered as runs drawn around them. A"
    " verdict is that of the rerun; without one, of the first boots."
)

_CLAIMS = "What is claimed"
_OF_CLAIMS = (
    "By the report's own figures, their runs and their spread; in brackets the 95 % interval of"
    " the change."
)


def render(data: Mapping[str, Any]) -> str:
    """Return a scenario's views as text with a final newline."""
    title = f"{data['scenario']}: {data['title']}"
    lines = [*_wrap(title), "=" * min(len(title), WIDTH)]
    if data["views"]:
        lines += ["", *_wrap(_LEGEND)]
    lines += _claims(data["claims"])
    for view in data["views"]:
        lines += ["", "", *_wrap(view["title"]), "-" * min(len(view["title"]), WIDTH)]
        lines += _VIEWS[view["view"]](view)
    return page(lines)


def _claims(claims: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what the report claims, each with what its own figures say of it."""
    if not claims:
        return []
    lines = ["", "", _CLAIMS, "-" * len(_CLAIMS), *_wrap(_OF_CLAIMS)]
    for claim in claims:
        where = f"{claim['measure']} of {claim['side']} against {claim['base']}, set {claim['set']}"
        lines += ["", *_wrap(f'"{claim["says"]}": {claim["answer"]}')]
        runs = "" if claim["interval"] is None else " ({} against {} runs)".format(*claim["runs"])
        lines += _wrap(f"{where}: {claim['reason']}{runs}", "    ")
    return lines


def _wrap(text: str, indent: str = "") -> list[str]:
    """Return lines of at most `WIDTH`; a figure and its per cent sign stay together."""
    lines = textwrap.wrap(
        text.replace(" %", "\N{NO-BREAK SPACE}%"),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def percent(change: float | None) -> str:
    """Return a relative change in percent with one decimal, as tables of reports have it."""
    if change is None:
        return "-"
    # Tenths mean nothing beyond a tenfold.
    text = f"{100 * change:+.1f} %" if abs(change) < _TENFOLD else f"{100 * change:+.0f} %"
    return _NO_CHANGE if text[1:] == _NO_CHANGE else text


def number(value: float | None) -> str:
    """Return a figure with its significant digits."""
    if value is None:
        return "-"
    if abs(value) >= _GROUPED:
        return f"{value:,.0f}"
    # With five digits a change between two figures is right to its tenths.
    return plain(value, 5, places=2 if abs(value) >= 1 else 0)


def _about(view: Mapping[str, Any]) -> list[str]:
    return _wrap(f"set {view['set']} on {view['board_type']}: {view['about']}")


def _knobs(knobs: Mapping[str, str]) -> str:
    return ", ".join(f"{k}={v}" for k, v in sorted(knobs.items()))


def _side(row: Mapping[str, Any]) -> str:
    name = f"{row['side']}: {row['kernel']}" if row["side"] != row["kernel"] else row["kernel"]
    return name + ("" if row["series"] is None else f" + {row['series']} {row['application']}")


def _verdict(cell: Mapping[str, Any]) -> str:
    return str(cell["verdict"]) + (" (hint)" if cell["hint"] else "")


def _word(cell: Mapping[str, Any]) -> str:
    if percent(cell["effect"]) == _NO_CHANGE:
        return ""
    return {True: "worse", False: "better", None: ""}[cell["worse"]]


def _table(view: Mapping[str, Any]) -> list[str]:
    lines = _about(view)
    base = f"base is {view['base']}: {view['base_kernel']}"
    lines += _wrap(base + (f" ({_knobs(view['base_knobs'])})" if view["base_knobs"] else ""))
    value = "% of base" if view["percent"] else "value"
    lines += ["", f"{'':22}{'base':>11}{value:>11}{'change':>9} {'':7}verdict"]
    for row in view["rows"]:
        if not row["cells"]:
            lines.append(f"{row['side']}: {row['verdict']}")
            continue
        extra = {k: v for k, v in row["knobs"].items() if view["base_knobs"].get(k) != v}
        head = _side(row) + (f" ({_knobs(extra)})" if extra else "")
        lines += [*_wrap(f"{head}: {row['verdict']}")]
        last_reason = ""
        for cell, following in zip(row["cells"], [*row["cells"][1:], None], strict=True):
            lines += _cell(cell, view["percent"])
            # Samples belong to the run: printed once for consecutive statistics.
            if following is None or following["samples"] != cell["samples"]:
                lines += _samples(cell["samples"])
            if cell["verdict"] in severity.OPEN and cell["reason"] != last_reason:
                lines += _wrap(cell["reason"], "    ")
                last_reason = cell["reason"]
    return lines


def _cell(cell: Mapping[str, Any], share: bool) -> list[str]:
    name = f"  {cell['measure']} [{cell['unit']}]"
    value = number(cell["value"])
    if share:
        # A share stays a share.
        of_base = cell["value"] if cell["unit"] == "%" else 100 * (1 + cell["effect"])
        value = f"{of_base:.1f} %"
    lines = [
        f"{name:<22}{number(cell['base']):>11} {value:>10} {percent(cell['effect']):>8}"
        f" {_word(cell):<7}{_verdict(cell)}"
    ]
    if "work" in cell:
        lines.append(
            f"    time {percent(cell['effect'])}, which is throughput {100 * cell['work']:+.0f} %"
        )
    if "spread" in cell:
        base, new = (f"{100 * x:.1f} %" for x in cell["spread"])
        lines.append(f"    spread over the boots: {base} of base, {new} of new")
    return lines


def _samples(samples: Mapping[str, Mapping[str, int | None]]) -> list[str]:
    parts = [
        f"{side} {s['achieved']:,} of {s['expected']:,}"
        f" ({100 * s['achieved'] / s['expected']:.1f} %)"
        for side, s in samples.items()
        if s["achieved"] is not None and s["expected"]
    ]
    return _wrap(f"samples: {', '.join(parts)}", "    ") if parts else []


def _recovery(view: Mapping[str, Any]) -> list[str]:
    lines = [*_about(view), ""]
    for toggle in view["toggles"]:
        head = f"{toggle['off']} against {view['on']}{_added(toggle)}"
        lines += _wrap(f"{head}: {toggle['verdict']}")
        for m in toggle["measures"]:
            gain, cost = m["gain"], m["cost"]["effect"]
            lines.append(
                f"  {m['measure']}: {percent(gain['effect'])} on top of {number(gain['base'])}"
                f" {gain['unit']}: {' '.join(filter(None, (_word(gain), _verdict(gain))))}"
            )
            lines += _wrap(
                f"{view['on']} is {100 * abs(cost):.1f} % {'below' if cost < 0 else 'above'}"
                f" {toggle['off']}",
                "    ",
            )
            if m["share"] is not None:
                does = "recovers" if m["recovers"] else "brings back"
                share = f"{100 * m['share']:.0f} %" if m["share"] > 0 else "nothing"
                share += _ends(m["interval"]) if m["share"] > 0 else ""
                lines += _wrap(
                    f"loss against {view['baseline']}: {percent(m['loss']['effect'])};"
                    f" the {view['what']} {does} {share} of it and leaves"
                    f" {percent(m['left']['effect'])} ({_verdict(m['left'])})",
                    "    ",
                )
    return [*lines, "", *_wrap(f"answer: {view['answer']}")]


def _ends(interval: Sequence[float | None] | None) -> str:
    """Return the interval of a share; it may have no ends."""
    if interval is None or None in interval:
        return ""
    low, high = (100 * (end or 0.0) for end in interval)
    return f" [{low:.0f}, {high:.0f}]"


def _added(toggle: Mapping[str, Any]) -> str:
    return f" ({_knobs(toggle['knobs'])})" if toggle["knobs"] else ""


def _matrix(view: Mapping[str, Any]) -> list[str]:
    lines = _about(view)
    width = (WIDTH - 18) // max(len(view["columns"]), 2)
    for grid in view["grids"]:
        lines += ["", f"{grid['measure']} [{grid['unit']}], change against {view['base']}"]
        lines.append(f"{'':<18}" + "".join(f"{c:>{width}}" for c in view["columns"]))
        for row in grid["rows"]:
            cells = [row["cells"][c] for c in view["columns"]]
            firsts, seconds = zip(*(_grid_cell(c) for c in cells), strict=True)
            lines.append(f"{row['row']:<18}" + "".join(f"{x:>{width}}" for x in firsts))
            if any(seconds):
                lines.append(f"{'':<18}" + "".join(f"{x:>{width}}" for x in seconds))
    return lines


def _grid_cell(cell: Mapping[str, Any] | None) -> tuple[str, str]:
    if cell is None:
        return "not run", ""
    if "base" in cell and cell["base"] is True:
        return number(cell["value"]), "base"
    return number(cell["value"]), f"{percent(cell['effect'])} {_verdict(cell)}"


def _ranges(view: Mapping[str, Any]) -> list[str]:
    labels = view["labels"]
    width = (WIDTH - 12) // len(labels)
    heads = [textwrap.wrap(view["names"][label], width - 2) for label in labels]
    lines = [*_about(view), ""]
    for k in range(max(map(len, heads))):
        lines.append(f"{'':12}" + "".join(f"{h[k] if k < len(h) else '':>{width}}" for h in heads))
    for row in view["rows"]:
        cells = "".join(f"{_range(row['cells'][label]):>{width}}" for label in labels)
        lines.append(f"{row['side']:<12}{cells}")
    return lines


def _range(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    low, high = (f"{v / 1000:.1f}".removesuffix(".0") + "K" for v in (cell["low"], cell["high"]))
    return f"{low}{_DASH}{high}"


def _refusal(view: Mapping[str, Any]) -> list[str]:
    sides = [f"{x['measure']} of {x['side']} in set {x['set']}" for x in (view["a"], view["b"])]
    lines = _wrap(f"{sides[0]} against {sides[1]}: {view['verdict']}")
    for d in view["differences"]:
        what = "" if d["factor_under_test"] else " [must be equal]"
        if len(d["a"]) + len(d["b"]) < WIDTH // 2:
            lines += _wrap(f"{d['factor']}: {d['a']} against {d['b']}{what}", "  ")
        else:
            lines += [f"  {d['factor']}{what}"]
            lines += [*_wrap(str(d["a"]), "    "), "  against", *_wrap(str(d["b"]), "    ")]
        lines += _wrap(d["why"], "    ") if d["why"] else []
    return lines if view["differences"] else [*lines, "  nothing differs"]


def _steps(view: Mapping[str, Any]) -> list[str]:
    lines = [*_about(view), "", _step_row("", view["sides"])]
    for row in view["rows"]:
        values = [number(row["values"][0])]
        values += [
            f"{number(v)} ({100 * c['effect']:+.0f} %)"
            for v, c in zip(row["values"][1:], row["steps"], strict=True)
        ]
        lines.append(_step_row(f"{row['measure']} [{row['unit']}]", values))
    samples = view["samples"]
    lines += [
        _step_row("mean", [number(s["mean"]) for s in samples]),
        _step_row("samples", [f"{s['achieved']:,.0f}" for s in samples]),
        _step_row("of those expected", [f"{s['expected']:,.0f}" for s in samples]),
        _step_row("share", [f"{100 * s['achieved'] / s['expected']:.1f} %" for s in samples]),
        "",
    ]
    for k, step in enumerate(view["steps"]):
        changes = [
            f"{row['measure']} {percent(row['steps'][k]['effect'])} {_verdict(row['steps'][k])}"
            for row in view["rows"]
            if row["measure"] in view["changed"][step]
        ]
        lines += _wrap(f"{step} changed {', '.join(changes) or 'nothing'}")
    return lines


def _step_row(name: str, values: Sequence[str]) -> str:
    return f"{name:<21}" + "".join(f"{v:>19}" for v in values)


def _schedstat(view: Mapping[str, Any]) -> list[str]:
    return interval_difference.render(view["diff"]).rstrip("\n").split("\n")


_VIEWS: Mapping[str, Callable[[Mapping[str, Any]], Sequence[str]]] = {
    "table": _table,
    "recovery": _recovery,
    "matrix": _matrix,
    "ranges": _ranges,
    "refusal": _refusal,
    "steps": _steps,
    "schedstat": _schedstat,
}
