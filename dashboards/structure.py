# SPDX-License-Identifier: GPL-2.0-only
"""Structural checks of dashboards."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dashboards import five_seconds, names
from dashboards.layout import SCHEMA_VERSION, WIDTH

#: Panel types that are built into Grafana 10 to 13.
PANEL_TYPES = frozenset(
    {
        "barchart",
        "heatmap",
        "histogram",
        "stat",
        "state-timeline",
        "status-history",
        "table",
        "timeseries",
        "xychart",
    }
)

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([a-z]+))?")
_DASHBOARD = re.compile(r"^/d/([a-z-]+)")
_GIVES = re.compile(r"[?&]var-([a-z_]+)=")

#: Allowed targets of links, besides other dashboards: a base address or a URL from the database.
_BASES = (*(f"${{{name}}}" for name in names.ADDRESSES), "${__data.fields.url}")


def faults(documents: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the faults of these dashboards, one sentence per fault."""
    boards = list(documents)
    variables = {d["uid"]: {v["name"] for v in d["templating"]["list"]} for d in boards}
    found = [
        f"{what} {name!r} is there {n} times"
        for what in ("uid", "title")
        for name, n in Counter(d[what] for d in boards).items()
        if n > 1
    ]
    for document in boards:
        found += [f"{document['uid']}: {fault}" for fault in _of_one(document, variables)]
    return found


def links(document: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any] | None, str]]:
    """Yield every link's URL with its panel, or None for a link of the whole dashboard."""
    for link in document.get("links", []):
        if link["type"] == "link":
            yield None, link["url"]
    for panel in document["panels"]:
        config = panel["fieldConfig"]
        of_fields = [config["defaults"].get("links") or []] + [
            p["value"] for o in config["overrides"] for p in o["properties"] if p["id"] == "links"
        ]
        for link in [*(panel.get("links") or []), *(one for many in of_fields for one in many)]:
            yield panel, link["url"]


def _of_one(document: Mapping[str, Any], variables: Mapping[str, set[str]]) -> Iterator[str]:
    if document["schemaVersion"] != SCHEMA_VERSION:
        yield f"schema version {document['schemaVersion']}, not {SCHEMA_VERSION}"
    if document.get("id") is not None:
        yield "it has an id, which is Grafana's to give"
    yield from _variables(document)
    for note in document["annotations"].get("list", []):
        yield from _source(note, f"annotation {note['name']}")
        yield from _known(note["target"]["rawSql"], f"annotation {note['name']}", document)
    for number, n in Counter(p["id"] for p in document["panels"]).items():
        if n > 1:
            yield f"{n} panels have the id {number}"
    for panel in document["panels"]:
        yield from (f"panel {panel['id']}: {fault}" for fault in _panel(panel, document))
    yield from _overlaps(document["panels"])
    for panel, url in links(document):
        where = "link" if panel is None else f"panel {panel['id']}: link"
        other = _DASHBOARD.match(url)
        if other is None:
            if not url.startswith(_BASES):
                yield f"{where} {url!r} leads neither to a dashboard nor to a base address"
        elif other[1] not in variables:
            yield f"{where} {url!r}: there is no dashboard {other[1]}"
        else:
            for name in set(_GIVES.findall(url)) - variables[other[1]]:
                yield f"{where} {url!r}: {other[1]} has no variable {name}"


def _variables(document: Mapping[str, Any]) -> Iterator[str]:
    known: set[str] = set()
    for variable in document["templating"]["list"]:
        name = variable["name"]
        if name in known:
            yield f"two variables {name}"
        if variable["type"] == "query":
            yield from _source(variable, f"variable {name}")
            for used, form in _VARIABLE.findall(variable["query"]):
                if used not in known:
                    yield f"variable {name} asks for {used}, which does not stand before it"
                if form != "sqlstring":
                    yield f"variable {name}: {used} is put in without sqlstring"
        known.add(name)
    for name in set(names.ADDRESSES) - known:
        yield f"no variable {name} with the base address"


def _source(item: Mapping[str, Any], where: str) -> Iterator[str]:
    if (item.get("datasource") or {}).get("uid") != names.SOURCE:
        yield f"{where} has another data source than {names.SOURCE!r}"


def _known(sql: str, where: str, document: Mapping[str, Any]) -> Iterator[str]:
    known = {v["name"] for v in document["templating"]["list"]}
    for used, form in _VARIABLE.findall(sql):
        if used not in known:
            yield f"{where} asks for the variable {used}, which is not there"
        if form != "sqlstring":
            yield f"{where}: {used} is put in without sqlstring"


def _panel(panel: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[str]:
    if panel["type"] not in PANEL_TYPES:
        yield f"panel type {panel['type']!r} is not built into every Grafana from 10 to 13"
    for key in ("title", "description"):
        if not panel.get(key):
            yield f"it has no {key}"
    if five_seconds.parsed(panel.get("description") or "") is None:
        yield "it has no question with an answer that takes five seconds"
    if not panel["fieldConfig"]["defaults"].get("noValue"):
        yield "it does not say what to do when it is empty"
    elif "${" in panel["fieldConfig"]["defaults"]["noValue"]:
        yield "what it says when it is empty has a variable, which Grafana would not expand there"
    yield from _source(panel, "it")
    known = {v["name"] for v in document["templating"]["list"]}
    for used, _ in _VARIABLE.findall(panel.get("title") or ""):
        if used not in known:
            yield f"its title asks for the variable {used}, which is not there"
    refs = [target["refId"] for target in panel["targets"]]
    if len(set(refs)) != len(refs) or not refs:
        yield f"its queries are {refs}"
    for target in panel["targets"]:
        yield from _source(target, f"query {target['refId']}")
        if target["format"] not in {"table", "time_series"}:
            yield f"query {target['refId']} has the format {target['format']!r}"
        yield from _known(target["rawSql"], f"query {target['refId']}", document)


def _overlaps(panels: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    taken: dict[tuple[int, int], int] = {}
    for panel in panels:
        place = panel["gridPos"]
        if place["w"] < 1 or place["h"] < 1 or place["x"] < 0 or place["x"] + place["w"] > WIDTH:
            yield f"panel {panel['id']} is not within the {WIDTH} columns"
        cells = [
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        ]
        for other in sorted({taken[cell] for cell in cells if cell in taken}):
            yield f"panels {other} and {panel['id']} overlap"
        taken.update(dict.fromkeys(cells, panel["id"]))
