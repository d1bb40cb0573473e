# SPDX-License-Identifier: GPL-2.0-only
"""The state of a branch for people: plain text of at most 75 columns, and Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from vlag.report import lane_lines
from vlag.report import markdown as md
from vlag.report.compared import confirmed_against_parent, percent, unmeasured
from vlag.report.document import (
    SIDES,
    AlertData,
    BoardState,
    BranchData,
    ChangeData,
    Side,
    SuspectedPair,
)
from vlag.report.layout import WIDTH, field, page, pairs, section, wrap
from vlag.report.text import hints, table
from vlag.stats.severity import WORDS, severity

TRIAGE = {"wont_fix": "won't fix"}
_SYNTHETIC = "SYNTHETIC: these figures come from a report, not from a boot."


def word(data: BranchData) -> str:
    """Return one word over the newest comparisons of all boards: that of the worst."""
    if not data["states"]:
        return "nothing was compared"
    worst = min(data["states"], key=lambda s: (severity(s["verdict"]), -s["size"]))
    return str(worst["verdict"])


def title(data: BranchData) -> str:
    """Return the headline: the branch and its state."""
    return f"{data['tree']}/{data['branch']}: {word(data)}"


def subject(state: BoardState) -> str:
    """Return the two sides of a comparison."""
    new, base = (_side(state, side) for side in reversed(SIDES))
    role = f" (its {state['role']})" if state["role"] else ""
    return f"{new} against {base}{role}"


def counts(state: BoardState) -> str:
    """Return the counts of verdicts and failures, with the worst change."""
    rows = state["rows"]
    words = [r["verdict"] for r in rows if not (r["hint"] and r["verdict"] == "REGRESSION")]
    counted = [f"{words.count(v)} {v}" for v in WORDS if v in words]
    if of_hints := hints(rows):
        counted.insert(
            0, of_hints.removeprefix("no proof; ") if "REGRESSION" in words else of_hints
        )
    counted += [f"{state['unchanged']} UNCHANGED"] if state["unchanged"] else []
    counted += [lack] if (lack := unmeasured(state)) else []
    counted += [f"{state['failures']} failed"] if state["failures"] else []
    counted += [f"worst {percent(state['worst'])} %"] if state["worst"] is not None else []
    return ", ".join(counted) or "nothing to compare"


def change(c: ChangeData) -> str:
    """Return a step in a history in one sentence."""
    where = f"{c['benchmark']} {c['metric']} {c['statistic']} on {c['board_type']}"
    size = f"{percent(c['effect'])} % [{percent(c['ci_low'])}, {percent(c['ci_high'])}]"
    whose = " (caused by the board: the baseline stepped too)" if c["cause"] == "board" else ""
    way = "worse" if c["worse"] else "better"
    return f"{c['kernel']}: {where} {size} {way}{whose}"


def alert(a: AlertData) -> str:
    """Return an alert in one sentence."""
    owner = f", {a['owner']}" if a["owner"] else ""
    return f"#{a['id']} {a['title']} ({TRIAGE.get(a['triage'], a['triage'])}{owner})"


def suspicion(s: SuspectedPair) -> str:
    """Return the suspicion on one pair of kernels in one sentence."""
    way = "worse" if s["worse"] else "better"
    hint = ", only a hint" if s["hint"] else ""
    boots = f"after {s['boots']} + {s['boots']} runs" if s["boots"] else "not rerun yet"
    elsewhere = confirmed_against_parent(s.get("confirmed_by"))
    boots += f"; {elsewhere}" if elsewhere else ""
    knobs = f" ({s['new_knobs']})" if s["new_knobs"] else ""
    return (
        f"{s['new']}{knobs} against {s['base']} on {s['board_type']}: {way}{hint}, {boots}:"
        f" {', '.join(s['figures'])}"
    )


def text(data: BranchData) -> str:
    """Return the state of a branch as text with a final newline.

    Only commands to copy may be wider than `WIDTH`.
    """
    lines = [x for note in data["head_notes"] for x in wrap(note, "", "    ")]
    head = title(data)
    lines += [*wrap(head, "", "    "), "=" * min(len(head), WIDTH), ""]
    lines += [_SYNTHETIC, ""] if data["synthetic"] else []
    for s in data["states"]:
        lines += wrap(f"{s['board_type']}: {s['verdict']}: {subject(s)}", "", "    ")
    for name, items in lists(data):
        folded = [x for item in items for x in wrap(item, "  ", "      ")]
        lines += ["", *section(name, folded)] if folded else []
    for s in data["states"]:
        lines += ["", *_state(s)]
    return page(lines)


def markdown(data: BranchData) -> str:
    """Return the state of a branch as Markdown with a final newline."""
    lines = [f"### {md.escape(title(data))}", ""]
    lines += [f"{md.escape(note)}\n" for note in data["head_notes"]]
    lines += [f"**{_SYNTHETIC}**", ""] if data["synthetic"] else []
    for s in data["states"]:
        lines.append("- " + md.escape(f"{s['board_type']}: {s['verdict']}: {subject(s)}"))
    for name, items in lists(data):
        lines += ["", f"**{name}**", "", *(f"- {md.escape(i)}" for i in items)] if items else []
    for s in data["states"]:
        lines += ["", "#### " + md.escape(f"{s['board_type']}: {subject(s)}"), ""]
        lines += [f"- {name}: {md.escape(value)}" for name, value in facts(s)]
        lines += ["", *md.table({**s, "kind": "branch"}, _overrides(s)), ""] if s["rows"] else []
        lines += md.screens({**s, "kind": "branch"})
        lines += ["- " + md.reason(r, {"kind": "branch"}) for r in md.undecided(s)]
        lines += md.elsewhere({**s, "kind": "branch"})
        lines += [f"- again: {md.code(a['command'])}" for a in s["again"]]
    return "\n".join(md.closed(lines)) + "\n"


def facts(state: BoardState) -> list[tuple[str, str]]:
    """Return the header of a comparison's figures: names and values."""
    rows = [
        ("comparison", str(state["id"])),
        ("new", f"{_commit(state, 'new')} {state['subject']}".strip()),
        ("base", _commit(state, "base")),
        ("board", ". ".join(filter(None, (state["board_type"], state["limits"])))),
        ("tools", ", ".join(state["tools"])),
        ("result", counts(state)),
    ]
    return [(name, value) for name, value in rows if value]


def lists(data: BranchData) -> list[tuple[str, Sequence[str]]]:
    """Return the lists after the figures: titles, each with its sentences."""
    return [
        ("Open alerts", [alert(a) for a in data["alerts"]]),
        ("Steps in its history", [change(c) for c in data["changes"]]),
        ("Under suspicion", [suspicion(s) for s in data["suspicions"]]),
        ("Build lanes", lane_lines.sentences(data)),
    ]


def _side(state: BoardState, side: Side) -> str:
    knobs = state["base_knobs"] if side == "base" else state["new_knobs"]
    return f"{state[side]} ({knobs})" if knobs else state[side]


def _commit(state: BoardState, side: Side) -> str:
    commit = (state["base_commit"] if side == "base" else state["new_commit"])[:12]
    return _side(state, side) + ("" if commit in state[side] else f", {commit}")


def _state(state: BoardState) -> list[str]:
    head = f"{state['board_type']}: {subject(state)}"
    lines = [*wrap(head, "", "    "), "-" * min(len(head), WIDTH)]
    for name, value in facts(state):
        lines += field(name if len(name) < 9 else "compared", value)
    lines += ["", *table(state["rows"])] if state["rows"] else []
    commands = [f"  {a['command']}" for a in state["again"]]
    return [*lines, "", *section("To run it again", commands)] if commands else lines


def _overrides(state: BoardState) -> dict[int, str]:
    return {i: f"({pairs(r['overrides'])})" for i, r in enumerate(state["rows"]) if r["overrides"]}
