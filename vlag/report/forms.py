# SPDX-License-Identifier: GPL-2.0-only
"""The forms of a report, for every kind of report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vlag.report import branch, grid, html, jsonform, markdown, text

FORMS = ("text", "markdown", "html", "json")

Data = Mapping[str, Any]

_TEXT: Mapping[str, Callable[[Any], str]] = {"branch": branch.text, "matrix": grid.text}
_MARKDOWN: Mapping[str, Callable[[Any], str]] = {
    "branch": branch.markdown,
    "matrix": grid.markdown,
}


def render(data: Data, form: str, plotted: Mapping[int, Data] | None = None) -> str:
    """Return a report in one of `FORMS`, with a final newline.

    `plotted` is the data of the plots in HTML: see `vlag.report.data.plot_data.of`.
    """
    if form == "json":
        return jsonform.render(data)
    if form == "html":
        return html.render(data, plotted)
    if form == "markdown":
        write: Callable[[Any], str] = _MARKDOWN.get(data["kind"], markdown.render)
    else:
        write = _TEXT.get(data["kind"], text.render)
    return write(data)
