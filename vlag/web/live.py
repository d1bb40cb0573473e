"""The present: a strip on every page, and a page of what came out so far."""

from __future__ import annotations

import datetime

from flask import Blueprint, render_template, request

from vlag.operate.service.live import Live
from vlag.web.installation import site
from vlag.web.params import Params

moments = Blueprint("moments", __name__)


def present() -> Live | None:
    """Return the present of the master, or None if it is unknown."""
    ask = site().live
    return None if ask is None else ask()


@moments.get("/live")
def now() -> str:
    """Show what runs, what came out so far, and what is next."""
    Params(request.args)
    return render_template("live.html")


@moments.get("/strip")
def strip() -> str:
    """Return the strip alone, for the script that renews it."""
    Params(request.args)
    return render_template("_strip.html")


def wait(until: datetime.datetime) -> str:
    """Return the time until a moment in words: "in 19 h", "in 5 min"."""
    minutes = round((until - datetime.datetime.now(datetime.UTC)).total_seconds() / 60)
    if minutes < 1:
        return "now"
    return f"in {minutes} min" if minutes < 90 else f"in {round(minutes / 60)} h"
