# SPDX-License-Identifier: GPL-2.0-only
"""Layout of a dashboard: rows of panels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from attrs import frozen
from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.cog import builder
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as model

from dashboards import names
from dashboards.parts import AnyPanel
from dashboards.postgresql import Query, source

WIDTH = 24  # columns of Grafana's grid
SCHEMA_VERSION = 39  # of Grafana 10.4; 10.0 reads it, 11 to 13 migrate it


@frozen(kw_only=True)
class Row:
    """Panels side by side with their widths, which add up to `WIDTH`."""

    height: int  # of Grafana's grid, 30 px each
    panels: Sequence[tuple[int, AnyPanel]]


@frozen(kw_only=True)
class Note:
    """Annotations on all time series, from rows `time, text, tags`."""

    name: str
    colour: str
    sql: str


def build(
    *,
    uid: str,
    title: str,
    description: str,
    start: str,  # of the time range, as in "now-2d"
    variables: Sequence[builder.Builder[model.VariableModel]],
    content: Sequence[Row],
    notes: Sequence[Note] = (),
) -> dict[str, Any]:
    """Return the JSON of a dashboard."""
    board = (
        dashboard.Dashboard(title)
        .uid(uid)
        .description(description)
        .tags([names.TAG])
        .timezone("utc")  # as the pages, the mail and the names of the nights
        .time(start, "now")
        .refresh("")
        .tooltip(model.DashboardCursorSync.CROSSHAIR)
        .readonly()
        .links(_links())
        .variables([*variables, *(_constant(name) for name in names.ADDRESSES)])
        .annotations([_annotation(n) for n in notes])
    )
    number = y = 0
    for row in content:
        x = 0
        for width, panel in row.panels:
            number += 1
            place = model.GridPos(h=row.height, w=width, x=x, y=y)
            board = board.with_panel(panel.id(number).grid_pos(place))
            x += width
        y += row.height
    made = board.build()
    made.schema_version = SCHEMA_VERSION
    document: dict[str, Any] = json.loads(json.dumps(made, cls=JSONEncoder))
    for panel in document["panels"]:
        # Grafana has none in a table's options since 12; here nothing is added up.
        panel.get("options", {}).pop("footer", None)
    # The SDK supports annotations of Grafana's own data source only.
    for said, note in zip(document["annotations"]["list"], notes, strict=True):
        said["target"] = json.loads(
            json.dumps(Query(sql=note.sql, ref="Note").to_json(), cls=JSONEncoder)
        )
    return document


def _annotation(note: Note) -> dashboard.AnnotationQuery:
    return (
        dashboard.AnnotationQuery()
        .name(note.name)
        .datasource(source())
        .enable(True)
        .icon_color(note.colour)
    )


def _constant(name: str) -> dashboard.ConstantVariable:
    return dashboard.ConstantVariable(name).value(names.ADDRESSES[name])


def _links() -> list[builder.Builder[model.DashboardLink]]:
    return [
        dashboard.DashboardLink("Dashboards")
        .type(model.DashboardLinkType.DASHBOARDS)
        .tags([names.TAG])
        .as_dropdown(True)
        .keep_time(False),
        dashboard.DashboardLink("Pages")
        .type(model.DashboardLinkType.LINK)
        .tooltip("The same data without Grafana, and triage of alerts")
        .url(f"${{{names.WEB}}}"),
    ]
