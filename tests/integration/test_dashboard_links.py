# SPDX-License-Identifier: GPL-2.0-only
"""Links of pages to dashboards of Grafana, and of dashboards to pages."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import pytest
from attrs import frozen

from dashboards import structure
from dashboards.interpolation import choices, interpolate
from dashboards.statements import of_dashboard
from tests.integration.grafana import BOARDS, END, START, Reader, opened
from tests.integration.webpages import links, read
from tests.integration.websites import Place, application, pages_of, visitor

GRAFANA = "https://grafana.example.org/at/"
#: Page -> the dashboard that it leads to.
LEADS = {
    "/": "vlag-overview", "/branch": "vlag-branch", "/compare": "vlag-compare",
    "/latency": "vlag-latency", "/run": "vlag-run", "/boards": "vlag-boards",
}  # fmt: skip


@frozen(kw_only=True)
class Site:
    """Pages over a database, and who reads it as Grafana does."""

    pages: Mapping[str, str]  # address -> page
    reader: Reader
    of: Place


@pytest.fixture
def site(place: Place) -> Iterator[Site]:
    for conn, reader in opened(place.dsn):
        client = visitor(application(place.dsn, place.state, grafana=GRAFANA))
        urls = [u for u in pages_of(place.filled, conn) if u != "/nowhere"]
        yield Site(pages={u: read(client, u) for u in urls}, reader=reader, of=place)


def faults(url: str, boards: Mapping[str, Any], reader: Reader) -> list[str]:
    """Return why Grafana would not show what a link to a dashboard asks for."""
    uid = urlsplit(url).path.rpartition("/")[2]
    if uid not in boards:
        return [f"there is no dashboard {uid}"]
    variables = {v["name"]: v for v in boards[uid]["templating"]["list"]}
    given = parse_qsl(urlsplit(url).query, strict_parsing="?" in url)
    asked = {n.removeprefix("var-"): v for n, v in given if n.startswith("var-")}
    found = [f"{uid} has no variable {name}" for name in asked.keys() - variables.keys()]
    times = {n: v for n, v in given if not n.startswith("var-")}
    if times.keys() not in (set(), {"from", "to"}):
        found.append(f"{uid} knows nothing of {sorted(times)}")
    if found:
        return found
    values = choices(boards[uid], reader.rows, START, END, asked)
    for name, value in asked.items():
        sql = interpolate(variables[name]["query"], values, START, END)
        if value not in {str(row[-1]) for row in reader.rows(sql)}:
            found.append(f"{uid} does not offer {value} as {name}")
    return found


def of_pages(site: Site) -> dict[str, set[str]]:
    """Return the links to Grafana by the path of their page."""
    found: dict[str, set[str]] = {}
    for at, page in site.pages.items():
        urls = {u for u in links(page) if u.startswith(GRAFANA)}
        found.setdefault(urlsplit(at).path, set()).update(urls)
    return found


def test_pages_lead_to_what_dashboards_offer(site: Site) -> None:
    found = of_pages(site)
    for path, uid in LEADS.items():
        assert {urlsplit(u).path for u in found[path]} == {f"/at/d/{uid}"}, path
    for url in set().union(*found.values()):
        assert faults(url, BOARDS, site.reader) == [], url
    for url in found["/branch"]:
        times = dict(parse_qsl(urlsplit(url).query))
        assert times["to"] == "now"
        # A day before the first boot of the history.
        [[first]] = site.reader.rows(
            "SELECT extract(epoch FROM min(h.at)) * 1000 FROM read_model.history h"
            " WHERE h.series = %s::bigint AND h.statistic = %s AND h.kernel IN (SELECT f.kernel"
            " FROM read_model.kernel_branch f WHERE f.branch_name = %s)",
            times["var-series"], times["var-statistic"], times["var-branch"],
        )  # fmt: skip
        assert int(times["from"]) == int(first) - 24 * 3600 * 1000


def test_a_renamed_variable_is_found(site: Site) -> None:
    """Negative control."""
    renamed = copy.deepcopy(BOARDS)
    [series] = [v for v in renamed["vlag-branch"]["templating"]["list"] if v["name"] == "series"]
    series["name"] = "time_series"
    [url, *_] = of_pages(site)["/branch"]
    assert faults(url, renamed, site.reader) == ["vlag-branch has no variable series"]
    other = re.sub(r"var-board=[^&]*", "var-board=toaster", url)
    assert "vlag-branch does not offer toaster as board" in faults(other, BOARDS, site.reader)


def test_without_grafana_there_is_no_link(place: Place) -> None:
    client = visitor(application(place.dsn, place.state))
    for path in ("/", f"/compare?id={place.filled.baseline}", "/boards"):
        page = read(client, path)
        assert "Grafana" not in page, path
        assert "/d/vlag-" not in page, path


def back(site: Site) -> dict[str, set[str]]:
    """Return the addresses of pages to which panels with their rows lead, by dashboard."""
    found: dict[str, set[str]] = {}
    for uid, board in BOARDS.items():
        given: dict[str, Any] = {"board": "qemu-sim-2"}
        if uid in ("vlag-compare", "vlag-latency"):
            given["comparison"] = str(site.of.filled.baseline)
        given = {n: v for n, v in given.items() if any(
            x["name"] == n for x in board["templating"]["list"])}  # fmt: skip
        values = site.reader.values(uid, **given)
        rows: dict[int, list[dict[str, Any]]] = {}
        for s in of_dashboard(board):
            number = re.match(r"panel (\d+) ", s.place)
            if number:
                answer = site.reader.ask(interpolate(s.sql, values, START, END))
                rows.setdefault(int(number[1]), []).extend(answer.by_name()[:3])
        for panel, url in structure.links(board):
            if not url.startswith("${web}"):
                continue
            for row in rows[panel["id"]] if panel is not None else [{}]:
                found.setdefault(uid, set()).add(filled(url, values, row))
    return found


def filled(url: str, values: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Return a link as Grafana makes it of variables and of a row."""

    def one(match: re.Match[str]) -> str:
        name, _, form = match[1].partition(":")
        field = name.removeprefix("__data.fields.")
        value = row[field] if field != name else values[name]
        text = str(value[0] if isinstance(value, list) else value)
        return quote(text, safe="") if form == "percentencode" else text

    return re.sub(r"\$\{([^}]*)\}", one, url.removeprefix("${web}"))


def test_dashboards_lead_to_pages_that_are_there(site: Site) -> None:
    client = visitor(application(site.of.dsn, site.of.state))
    found = back(site)
    assert found.keys() == BOARDS.keys()
    kinds = {urlsplit(u).path for urls in found.values() for u in urls}
    assert {"", "branch", "compare", "latency", "run", "alert", "boards"} <= kinds
    for uid, urls in found.items():
        for url in urls - {u for u in urls if u.startswith("raw?")}:
            answer = client.get(f"/{url}", follow_redirects=True)
            assert answer.status_code == 200, (uid, url)
    # There and back: the page of the branch shows the figure that the dashboard had.
    [url] = {u for u in found["vlag-branch"] if u.startswith("branch?")}
    series = dict(parse_qsl(urlsplit(url).query))["series"]
    again = {u for u in links(read(visitor(
        application(site.of.dsn, site.of.state, grafana=GRAFANA)), f"/{unquote(url)}"))
        if u.startswith(GRAFANA)}  # fmt: skip
    assert {dict(parse_qsl(urlsplit(u).query))["var-series"] for u in again} == {series}
