# SPDX-License-Identifier: GPL-2.0-only
"""The statements of the committed dashboards and alert rules.

They are read from the files that Grafana reads, so that tests run the statements Grafana sends.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from attrs import frozen

FOLDER = Path(__file__).parent
JSON = FOLDER / "json"
PROVISIONING = FOLDER / "provisioning"


@frozen(kw_only=True)
class Statement:
    """One statement with Grafana's variables and macros."""

    dashboard: str  # uid, or "alerting"
    place: str  # "panel 1 TITLE (A)", "variable NAME", "annotation NAME" or "rule TITLE"
    kind: str  # type of the panel, "variable", "annotation" or "rule"
    format: str  # "table" or "time_series"
    sql: str


def documents(folder: Path = JSON) -> dict[str, dict[str, Any]]:
    """Return the dashboards of a folder by file name, in order."""
    return {
        p.name: json.loads(p.read_text(encoding="utf-8")) for p in sorted(folder.glob("*.json"))
    }


def of_dashboard(document: Mapping[str, Any]) -> Iterator[Statement]:
    """Yield the statements of one dashboard: variables in their order, annotations, panels."""
    uid = document["uid"]
    for variable in document["templating"]["list"]:
        if variable["type"] == "query":
            yield Statement(
                dashboard=uid,
                place=f"variable {variable['name']}",
                kind="variable",
                format="table",
                sql=variable["query"],
            )
    for note in document["annotations"].get("list", []):
        yield Statement(
            dashboard=uid,
            place=f"annotation {note['name']}",
            kind="annotation",
            format=note["target"]["format"],
            sql=note["target"]["rawSql"],
        )
    for panel in document["panels"]:
        for target in panel["targets"]:
            yield Statement(
                dashboard=uid,
                place=f"panel {panel['id']} {panel['title']} ({target['refId']})",
                kind=panel["type"],
                format=target["format"],
                sql=target["rawSql"],
            )


def committed() -> list[Statement]:
    """Return the statements of all dashboards."""
    return [s for document in documents().values() for s in of_dashboard(document)]


def rules() -> list[Statement]:
    """Return the statements of all alert rules."""
    path = PROVISIONING / "alerting" / "rules.yml"
    text = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [
        Statement(
            dashboard="alerting",
            place=f"rule {rule['title']}",
            kind="rule",
            format=part["model"]["format"],
            sql=part["model"]["rawSql"],
        )
        for group in text["groups"]
        for rule in group["rules"]
        for part in rule["data"]
        if "rawSql" in part["model"]
    ]
