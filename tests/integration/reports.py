# SPDX-License-Identifier: GPL-2.0-only
"""Reports in all forms, and their words without the markup, for the tests that read them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.unit.pages import Page
from vlag import ROOT
from vlag.report import forms, grid
from vlag.report.data import plot_data
from vlag.report.layout import WIDTH
from vlag.store.database import Connection

Report = Mapping[str, Any]

# Commands, paths and lines for a program are never cut.
FREE = re.compile(r"^ *(#regzbot |raw:|job:|config:|again:|log:|vlag run|vlag build|\S*/\S+$)")


def environment(dsn: str, folder: Path) -> dict[str, str]:
    """Return the variables of a `vlag` that keeps its state in a folder of the test's own."""
    text = (ROOT / "vlag.toml").read_text().replace('state = "var"', f'state = "{folder}/var"')
    path = folder / "vlag.toml"
    path.write_text(text)
    return {"VLAG_DATABASE": dsn, "VLAG_SETTINGS": str(path)}


def every(document: Report, conn: Connection | None = None) -> dict[str, str]:
    """Return a report in all forms, HTML with its plots where a database is given."""
    ids = [document["id"]] if document["kind"] == "comparison" else []
    ids += [s["id"] for s in document.get("states", ())]
    drawn = plot_data.of(conn, ids, "http://127.0.0.1:8010/x/") if conn is not None else None
    return {form: forms.render(document, form, drawn) for form in forms.FORMS}


def plain(form: str, text: str) -> str:
    """Return the words of a form without its markup, with single spaces."""
    if form == "html":
        return Page(text).text
    return " ".join(re.sub(r"[\\|*]", "", text).split())


def wide(text: str) -> list[str]:
    return [x for x in text.splitlines() if len(x) > WIDTH and not FREE.match(x)]


def cells(document: Report, board_type: str, base: str) -> dict[str, dict[str, str]]:
    """Return the first matrix of a board and base: metric -> label -> what is printed."""
    [m, *_] = [
        m for m in document["matrices"] if (m["board_type"], m["base_knobs"]) == (board_type, base)
    ]
    labels = [c["label"] for c in m["columns"]]
    return {
        metric["name"]: dict(zip(labels, map(grid.cell, metric["cells"]), strict=True))
        for metric in m["metrics"]
    }
