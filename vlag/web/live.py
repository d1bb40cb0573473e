"""The present: a strip on every page, and a page of what came out so far."""

from __future__ import annotations

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
