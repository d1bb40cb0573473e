# SPDX-License-Identifier: GPL-2.0-only
"""Headings of pages in Markdown."""

from __future__ import annotations

import re


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"(?m)^#+ (.+)$", text)
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}
