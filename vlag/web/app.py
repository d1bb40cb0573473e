# SPDX-License-Identifier: GPL-2.0-only
"""The application: its settings, headers and error pages."""

from __future__ import annotations

import functools
import gzip
import hashlib
import threading
from pathlib import Path
from typing import Any

from flask import Flask, Response, abort, render_template, request
from jinja2 import StrictUndefined
from markupsafe import Markup
from werkzeug.exceptions import BadHost, HTTPException

from vlag import printable
from vlag.errors import InfrastructureError, UsageError
from vlag.operate.service.live import wait
from vlag.report import colours
from vlag.report.plots import canvas
from vlag.web import (
    alert_pages,
    commit_links,
    feeds,
    live_pages,
    pages,
    rehearsal_pages,
    runs,
    try_pages,
    words,
)
from vlag.web.access import Access, Identify
from vlag.web.api import api, refused
from vlag.web.headers import SECURITY
from vlag.web.installation import Site, access, site
from vlag.web.metrics import metrics

#: Size limit of a form: a reason is a sentence or two.
_MOST_BYTES = 16 << 10

_STATIC = Path(__file__).parent / "static"

#: Variables of all colours, in the head of each page.
_PALETTE = Markup(colours.css())  # noqa: S704

#: Pages differ by visitor.
_HEADERS = {**SECURITY, "Cache-Control": "no-store"}

_FIXED_SPACE = "\N{NO-BREAK SPACE}"

#: The address of a static file has its digest, so that a browser never has an old one.
_STATIC_CACHE = "public, max-age=31536000, immutable"
_TEXTS = ("application/json", "application/atom+xml", "image/svg+xml")
Answer = tuple[str, int] | tuple[Response, int] | Response
#: Bytes from which on compression saves a packet.
_LEAST_COMPRESSED = 1400


def create(of: Site, identify: Identify) -> Flask:
    """Return the application; `identify` returns the visitor for a request's cookies."""
    app = Flask("vlag.web", static_url_path="/static")
    app.config["MAX_CONTENT_LENGTH"] = _MOST_BYTES
    app.jinja_options = {
        "trim_blocks": True,
        "lstrip_blocks": True,
        "undefined": StrictUndefined,  # a misspelt name is a fault, not an empty place
        "finalize": _shown,
    }
    rights = Access(identify, of.triage if of.writer_dsn else (), [of.url])
    app.extensions["vlag-site"] = of
    app.extensions["vlag-access"] = rights
    words.register(app)
    commit_links.register(app)
    app.add_template_filter(wait)
    app.register_blueprint(pages.pages)
    app.register_blueprint(runs.places)
    app.register_blueprint(live_pages.moments)
    app.register_blueprint(alert_pages.triage)
    app.register_blueprint(try_pages.tries)
    app.register_blueprint(rehearsal_pages.rehearsals)
    app.register_blueprint(feeds.feeds)
    app.register_blueprint(api)
    app.register_blueprint(metrics)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(InfrastructureError, _unavailable)
    app.register_error_handler(UsageError, _usage)
    app.before_request(_readable)
    app.after_request(_harden)
    app.after_request(_compress)
    app.url_defaults(_versioned)
    _warm(app)
    app.context_processor(_shared)
    return app


def _shown(value: object) -> object:
    """Return what a template writes of a value: of others' text only what prints."""
    if not isinstance(value, str) or value.isprintable():
        return value
    # Our own figures have spaces at which no line breaks.
    text = _FIXED_SPACE.join(map(printable.block, value.split(_FIXED_SPACE)))
    # Markup is escaped already, and stays so: no letter of it is new.
    return Markup(text) if isinstance(value, Markup) else text  # noqa: S704


def _shared() -> dict[str, object]:
    known = access()
    visitor = known.visitor(request)
    return {
        "site": site(), "live": live_pages.present(), "visitor": visitor,
        "may_triage": known.may_triage(visitor), "palette": _PALETTE, "edited": live_pages.edited(),
    }  # fmt: skip


def _readable() -> None:
    try:
        request.query_string.decode()
    except UnicodeDecodeError:
        abort(400, "The address holds bytes that are not UTF-8; follow a link of these pages.")


def _harden(response: Response) -> Response:
    response.headers.update(_HEADERS)
    if request.endpoint == "static" and response.status_code < 400:
        response.headers["Cache-Control"] = _STATIC_CACHE if "v" in request.args else "no-cache"
    return response


def _compress(response: Response) -> Response:
    """Compress texts for browsers that take it.

    Not the pages of somebody who is signed in: their forms have a secret, and the size of a
    compressed page says something about its content.
    """
    kind = response.mimetype or ""
    text = kind.startswith("text/") or kind in _TEXTS
    endless = response.is_streamed and request.endpoint != "static"
    if response.status_code != 200 or not text or endless:
        return response
    response.vary.add("Accept-Encoding")
    if not request.accept_encodings.quality("gzip") or access().visitor(request) is not None:
        return response
    response.direct_passthrough = False
    data = response.get_data()
    if len(data) >= _LEAST_COMPRESSED:
        response.set_data(gzip.compress(data, compresslevel=5, mtime=0))
        response.content_encoding = "gzip"
        tag, _ = response.get_etag()
        if tag is not None:
            response.set_etag(tag, weak=True)
    return response


def _versioned(endpoint: str, values: dict[str, Any]) -> None:
    if endpoint == "static":
        values.setdefault("v", _digest(values["filename"]))


@functools.cache
def _digest(filename: str) -> str:
    return hashlib.sha256((_STATIC / filename).read_bytes()).hexdigest()[:12]


def _warm(app: Flask) -> None:
    """Load the plotting library with the first request, so that no reader of a plot waits for it.

    Not at once: who only checks a configuration would wait.
    """
    once = threading.Lock()

    def begin() -> None:
        if once.acquire(blocking=False):
            threading.Thread(target=canvas.warm, name="plots", daemon=True).start()

    app.before_request(begin)


def _http_error(error: HTTPException) -> Answer:
    if request.path.startswith(f"{api.url_prefix}/"):
        return refused(error)
    status = error.code or 500
    if status == 404 and request.url_rule is None:
        return _error(404, "There is no such page; the links at the top lead to all pages.")
    if status == 405:
        return _error(405, "This page does not accept such a request; follow a link to get here.")
    return _error(status, error.description or error.name)


def _unavailable(error: InfrastructureError) -> Answer:
    return _error(503, f"The database does not answer now: {error}.")


def _usage(error: UsageError) -> Answer:
    return _error(400, f"{error}.")


def _error(status: int, sentence: str) -> Answer:
    if isinstance(request.routing_exception, BadHost):
        # The page has links, and none can be made with such a host.
        text = "The Host of this request is not the name of a host.\n"
        return Response(text, 400, mimetype="text/plain")
    return render_template("error.html", status=status, sentence=sentence), status
