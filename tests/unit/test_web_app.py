# SPDX-License-Identifier: GPL-2.0-only
"""What the pages write of others' text."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask
from markupsafe import Markup

from tests.integration.websites import application


@pytest.fixture(scope="module")
def app() -> Flask:
    return application("", Path("/nowhere"))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("sched: a name", "sched: a name"),
        # It clears a terminal, reorders what stands beside it, and is markup.
        ("\x1b[2J\x07<b>\u202e", " [2J &lt;b&gt; "),
        (Markup("<b>\x1b</b>"), "<b> </b>"),
        ("two\nlines\tand", "two\nlines\tand"),
        ("5.0\N{NO-BREAK SPACE}%", "5.0\N{NO-BREAK SPACE}%"),
        (7, "7"),
    ],
)
def test_a_page_has_only_what_prints(app: Flask, value: object, written: str) -> None:
    assert app.jinja_env.from_string("{{ value }}").render(value=value) == written
