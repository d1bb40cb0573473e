# SPDX-License-Identifier: GPL-2.0-only
"""The five-second test of panels: the question of each, and what a person can say about it.

Both begin the panel's description, which Grafana shows at its title.  `page` lists them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

#: The generated page, in the folder of this package.
PAGE = "panels.md"

_TOLD = re.compile(r'(?P<question>[^\n]+\?)\n\nAfter five seconds: "(?P<sentence>[^\n"]+\.)"\n\n')

_HEAD = """# Panels

Each panel answers one question. The last column is an example of what a person can say after
looking at the panel for five seconds. A panel that fails this test is removed. `python -m
dashboards` generates this page from the panels; Grafana shows the same text when the pointer is
on the `i` beside a title.
"""


def told(question: str, sentence: str, description: str) -> str:
    """Return the description of a panel.

    Raises ValueError for a question without question mark or a sentence without full stop.
    """
    found = f'{question}\n\nAfter five seconds: "{sentence}"\n\n{description}'
    if parsed(found) is None:
        raise ValueError(f"{question!r}, {sentence!r}: not one question and one sentence")
    return found


def parsed(description: str) -> tuple[str, str] | None:
    """Return question and sentence of a description, or None if it has none."""
    found = _TOLD.match(description)
    return None if found is None else (found["question"], found["sentence"])


def page(documents: Iterable[Mapping[str, Any]]) -> str:
    """Return the page of all panels, in Markdown."""
    lines = [_HEAD.rstrip()]
    for document in documents:
        lines += ["", f"## {document['title']}", ""]
        lines += ["| panel | question | after five seconds |", "|---|---|---|"]
        for panel in document["panels"]:
            question, sentence = parsed(panel["description"]) or ("", "")
            title = panel["title"].replace("|", "\\|")
            lines.append(f"| {title} | {question} | {sentence} |")
    return "\n".join(lines) + "\n"
