# SPDX-License-Identifier: GPL-2.0-only
"""The addresses of the pages that have a picture, found in the database that they show."""

from __future__ import annotations

from urllib.parse import quote

from attrs import frozen
from flask import Flask

from vlag.store.database import Connection

#: Endpoints and blueprints that have no page of their own, each with the reason.
WITHOUT = {
    "static": "styles and scripts",
    "places.file": "a file of a bundle, as plain text",
    "places.report": "the report of a night, as plain text",
    "places.timeline": "a file for Perfetto",
    "pages.fragment": "the overview inside Buildbot, which has styles of its own",
    "pages.regression": "a course, as the page of an alert has it; with an alert it leads there",
    "tries.one": "one try; its table is that of the page matrix",
    "tries.progress": "the part of a try's page that is renewed",
    "moments.strip": "the strip that is at the top of every page",
    "api": "data for programs",
    "feeds": "a feed and a badge for other programs",
    "metrics": "figures for Prometheus",
}


@frozen
class Picture:
    """One picture of a page.

    `address` has `{}` for the one value that `sql` selects, quoted for a URL; without a row
    there is nothing to show.
    """

    name: str
    endpoint: str  # of the application
    address: str
    sql: str | None = None
    status: int = 200


_BRANCH = (
    "SELECT c.tree || '/' || c.branch FROM read_model.comparison c WHERE c.branch IS NOT NULL"
    " {} ORDER BY c.patches IS NULL, c.id DESC LIMIT 1"
)
_WORST = (
    "SELECT v.comparison FROM read_model.verdict v JOIN read_model.comparison c"
    " ON c.id = v.comparison AND c.current AND c.as_predicted IS NULL {} ORDER BY"
    " v.verdict = 'REGRESSION' AND NOT v.hint DESC, v.verdict = 'REGRESSION' DESC,"
    " c.role = 'baseline' AND c.patches IS NULL DESC NULLS LAST, v.comparison DESC LIMIT 1"
)

PICTURES = (
    Picture("overview", "pages.overview", "/"),
    Picture("branches", "pages.branch", "/branch"),
    Picture("branch", "pages.branch", "/branch?branch={}", _BRANCH.format("")),
    Picture("compare", "pages.compare", "/compare?id={}", _WORST.format("")),
    Picture("commit", "pages.commit", "/commit?tree={}",
            "SELECT tree || '&commit=' || commit FROM read_model.kernel ORDER BY id DESC LIMIT 1"),
    Picture("path", "pages.path", "/path?branch={}",
            "SELECT c.tree || '/' || c.branch FROM read_model.comparison c LEFT JOIN"
            " read_model.path_point p ON p.kernel = c.new_kernel WHERE c.branch IS NOT NULL"
            " GROUP BY 1 ORDER BY count(p.id) DESC, 1 LIMIT 1"),
    Picture("latency", "pages.latency", "/latency?id={}",
            _WORST.format("WHERE v.statistic = 'p50' AND c.role = 'baseline'")),
    Picture("matrices", "pages.matrix", "/matrix"),
    Picture("matrix", "pages.matrix", "/matrix?branch={}",
            _BRANCH.format("AND c.patches IS NOT NULL")),
    Picture("proof", "pages.proof", "/proof"),
    Picture("alerts", "triage.alerts", "/alerts"),
    Picture("alerts-all", "triage.alerts", "/alerts?all=1"),
    Picture("alert", "triage.alert", "/alert?id={}",
            "SELECT id FROM read_model.alert ORDER BY kind = 'regression' DESC,"
            " withdrawn_at IS NULL DESC, id DESC LIMIT 1"),
    Picture("rehearsal", "rehearsals.form", "/rehearsal"),
    Picture("boards", "places.boards", "/boards"),
    Picture("queue", "places.queue", "/queue"),
    Picture("tries", "tries.form", "/tries"),
    Picture("run", "places.run", "/run?id={}",
            "SELECT max(id) FROM read_model.run WHERE outcome = 'complete'"
            " AND plan IS DISTINCT FROM 'check' HAVING count(*) > 0"),
    Picture("run-failed", "places.run", "/run?id={}",
            "SELECT max(id) FROM read_model.run WHERE outcome <> 'complete' HAVING count(*) > 0"),
    Picture("live", "moments.now", "/live"),
    Picture("choose", "pages.choose", "/choose"),
    Picture("choose-two", "pages.choose", "/choose?{}", "SELECT 'base=' || c.base_kernel"
            " || '&new=' || c.new_kernel FROM read_model.comparison_summary c"
            " WHERE c.current AND c.patches IS NULL"
            " AND c.role = 'baseline' ORDER BY c.id DESC LIMIT 1"),
    Picture("across", "pages.across", "/across"),
    Picture("across-two", "pages.across", "/across?kernels={}", "SELECT c.base_kernel || ','"
            " || c.new_kernel FROM read_model.comparison_summary c WHERE c.current"
            " AND c.patches IS NULL AND c.role = 'baseline' ORDER BY c.id DESC LIMIT 1"),
    Picture("error", "", "/nowhere", status=404),
)  # fmt: skip


def missing(app: Flask) -> list[str]:
    """Return the pages of an application that have no picture, by endpoint and address."""
    known = {p.endpoint for p in PICTURES} | WITHOUT.keys()
    return sorted(
        f"{rule.endpoint} {rule.rule}"
        for rule in app.url_map.iter_rules()
        if not {rule.endpoint, rule.endpoint.partition(".")[0]} & known
        and "GET" in (rule.methods or ())
    )


def here(app: Flask) -> list[Picture]:
    """Return the pictures of the pages that an application has."""
    endpoints = {rule.endpoint for rule in app.url_map.iter_rules()}
    return [p for p in PICTURES if not p.endpoint or p.endpoint in endpoints]


def address(conn: Connection, picture: Picture) -> str | None:
    """Return the address of a picture's page, or None if the database has nothing to show."""
    if picture.sql is None:
        return picture.address
    row = conn.execute(picture.sql.encode()).fetchone()
    if row is None:
        return None
    return picture.address.format(quote(str(row[0]), safe="=&"))
