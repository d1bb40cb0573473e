"""The subject of a mail with the short report: what changed most, where, and in which kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from vlag.printable import line
from vlag.report import text
from vlag.report.changes import kind_of, word
from vlag.report.compared import percent
from vlag.report.document import ComparisonData

Data = Mapping[str, Any]

_KINDS = ("worse", "maybe", "better", "hint")  # the first of the first kind is named


def subject(data: Data) -> str:
    """Return a line, "[REGRESSION] stress-ng-switch -2.32 % on qemu-sim-2: 6.12.117 1b522e2eb1f1".

    A night has that of its worst comparison, and how many more there are.
    """
    if data["kind"] != "night":
        return line(_comparison(cast(ComparisonData, data)))
    failed = text.PROOF_FAILED if data["proof"] is not None and data["proof"]["failed"] else ""
    judged = [
        c
        for c in text.ordered(data["comparisons"])
        if c["prediction"] is None or not c["prediction"]["good"]
    ]
    if not judged:
        return line(f"{failed}Nothing was compared beside known regressions")
    more = len(judged) - 1
    others = f", and {more} more comparison{'' if more == 1 else 's'}" if more else ""
    return line(f"{failed}{_comparison(judged[0])}{others}")


def _comparison(c: ComparisonData) -> str:
    new = f"{text.short(c['new'])} {c['new']['commit'][:12]}"
    board = text.where(c)
    made_up = " SYNTHETIC" if c["synthetic"] else ""
    for kind in _KINDS:
        for row in (r for r in c["rows"] if kind_of(r) == kind and r["effect"] is not None):
            what = f"{row['benchmark']} {percent(row['effect'])} % on {board}: {new}"
            return f"[{word(c)}]{made_up} {what}"
    return f"[{word(c)}]{made_up} {new} against {text.short(c['base'])} on {board}"
