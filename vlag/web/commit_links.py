# SPDX-License-Identifier: GPL-2.0-only
"""Where a commit is shown: its page here or its tree's public one, and links in sentences."""

from __future__ import annotations

import re

from flask import Flask, url_for
from markupsafe import Markup, escape

from vlag.web.installation import site

# Twelve digits are what vlag writes of a commit; in a path they are a digest.
_COMMIT = re.compile(r"(?<![\w/])[0-9a-f]{12}(?![\w/])")


def commit_address(tree: str | None, digits: str) -> str | None:
    """Return the address of a commit's page; None: its tree has none here nor elsewhere."""
    if tree is None:
        return None
    if tree in site().mirrors:
        return url_for("pages.commit", tree=tree, commit=digits)
    return site().commit_url(tree, digits)


def with_commits(words: str | None, tree: str | None) -> Markup:
    """Return a sentence with a link at each commit of a tree that it names."""

    def link(found: re.Match[str]) -> str:
        address = commit_address(tree, found[0])
        code = Markup("<code>{}</code>").format(found[0])
        return code if address is None else Markup('<a href="{}">{}</a>').format(address, code)

    # Hexadecimal digits are the same before and after they are escaped.
    return Markup(_COMMIT.sub(link, str(escape(words or ""))))  # noqa: S704 - escaped above


def register(app: Flask) -> None:
    """Let templates use both."""
    app.add_template_global(commit_address)
    app.add_template_filter(with_commits)
