# SPDX-License-Identifier: GPL-2.0-only
"""Tries: somebody sends a series of patches, and sees what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from vlag.buildbot import PAGES
from vlag.errors import UsageError
from vlag.kernel.patch_mail import Thread
from vlag.pipeline.try_series import MOST_BYTES, series_name, thread
from vlag.report import read_model
from vlag.report.data import matrices
from vlag.store import database
from vlag.store import tries as store
from vlag.store.database import Connection
from vlag.web.access import Visitor
from vlag.web.installation import access, reading, site
from vlag.web.params import Params, missing, wrong

tries = Blueprint("tries", __name__)

#: Tries of one person that wait or run.
_MOST_OPEN = 5
#: The plan that the form offers first.
_PLAN = "commit"


@tries.get("/tries")
def form() -> str:
    """The form, for those who may send it, and the newest tries."""
    Params(request.args)
    visitor, catalogue = access().visitor(request), site().catalogue
    with reading() as conn:
        newest = read_model.tries(conn)
    return render_template(
        "tries.html", tries=newest, bases=site().try_bases, plans=sorted(catalogue.plans),
        plan=_PLAN, board_types=sorted(catalogue.board_types),
        token=access().token(visitor) if visitor is not None else None, most=MOST_BYTES >> 20,
    )  # fmt: skip


@tries.get("/try")
def one() -> str:
    """One try: its progress, its table, or the reason why it has none."""
    with reading() as conn:
        asked_for = _asked(conn)
        shown = read_model.matrix(conn, None, None, asked_for["comparisons"] or [-1])
        tables = matrices.tables(conn, site().catalogue, shown)
    link = f"{site().url}{PAGES}try?id={asked_for['id']}"
    return render_template("try.html", t=asked_for, tables=tables, link=link)


@tries.get("/try/progress")
def progress() -> str:
    """Return how far a try is, for the script that renews it."""
    with reading() as conn:
        return render_template("_try.html", t=_asked(conn))


def _asked(conn: Connection) -> Mapping[str, Any]:
    number = Params(request.args, "id").integer("id")
    row = read_model.try_(conn, number)
    if row is None:
        missing(f"There is no try {number} on record.")
    names = [series_name(d) for d in (row["mbox_sha256"], row["against_sha256"]) if d]
    return {**row, "booted": read_model.booted(conn, row, names)}


@tries.post("/tries")
def send() -> Response:
    """Put a try on record; the master finds it there."""
    request.max_content_length = request.max_form_memory_size = MOST_BYTES
    visitor = access().check(request, "send patches to be tried")
    asked = Params(request.form, "mail", "base", "plan", "board_type", "each", "token")
    for name in request.files:
        Params({name: "1"}, "mbox", "against")
    wanted = _wanted(asked, visitor)
    dsn = site().writer_dsn
    assert dsn is not None, "without it nobody has the right"  # noqa: S101
    with database.connect(dsn) as conn:
        if len(store.still_open(conn, visitor.name)) >= _MOST_OPEN:
            abort(429, f"Nothing was sent: {_MOST_OPEN} of your tries wait or run; wait for one.")
        number = store.insert(conn, wanted)
    return redirect(url_for("tries.one", id=number), 303)


def _wanted(asked: Params, visitor: Visitor) -> store.Wanted:
    sent, against = _file("mbox"), _file("against")
    # A browser ends the lines of a text field with CRLF.
    pasted = request.form.get("mail", "").replace("\r\n", "\n").encode()
    if bool(sent) == bool(pasted.strip()):
        wrong("Send the patches as a file, or paste them, and not both.")
    mbox = sent or pasted
    base, plan, kind = asked.text("base"), asked.text("plan"), asked.text("board_type")
    if base not in site().try_bases:
        wrong(f"There is no watched branch {base!r} with sources; take one of the list.")
    try:
        benchmarks = site().catalogue.plan(plan).entries
        if not any(site().catalogue.board_type(kind).name in e.board_types for e in benchmarks):
            wrong(f"The plan {plan} has nothing for {kind}; choose another plan or board type.")
    except UsageError as e:
        wrong(f"{e}.")
    each = asked.flag("each")
    if against and each:
        wrong("An earlier version is compared as a whole; leave it out, or the single patches.")
    if against == mbox:
        wrong("The earlier version is the series itself.")
    series = _read(mbox, "the series")
    if against:
        _read(against, "the earlier version")
    tree, _, branch = base.partition("/")
    return store.Wanted(
        by=visitor.name, title=series.title, patches=len(series.patches), mbox=mbox,
        against=against or None, tree=tree, base=branch, plan=plan, board_type=kind, each=each,
    )  # fmt: skip


def _file(name: str) -> bytes:
    given = request.files.get(name)
    return b"" if given is None else given.read()


def _read(mbox: bytes, name: str) -> Thread:
    try:
        return thread(mbox, name)
    except UsageError as e:
        wrong(f"Nothing was sent: {e}.")
