# SPDX-License-Identifier: GPL-2.0-only
"""Each option of a panel is one that the promised versions of Grafana have, from 10 to 13."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from bench.grafana_options import PANELS, TABLE, VERSIONS, Types
from dashboards.statements import documents
from dashboards.structure import PANEL_TYPES

Document = dict[str, Any]
KNOWN: Mapping[str, Mapping[str, Mapping[str, list[str]]]] = json.loads(TABLE.read_text())

#: Options that older versions do not have and ignore: what they draw without them is as good.
LATER = {
    "10.0.3": {
        "heatmap": {"tooltip.mode"},
        "histogram": {"bucketCount"},
        "stat": {"showPercentChange", "wideLayout"},
    },
}
#: Options of 10 in a panel that names no version: 11.1 and later change them when they load it.
MIGRATED = {"xychart": {"dims", "dims.frame", "seriesMapping", "label"}}


def _paths(value: object, before: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, below in value.items():
            yield f"{before}{name}"
            yield from _paths(below, f"{before}{name}.")


def used(panel: Document) -> tuple[set[str], set[str]]:
    """Return the options of a panel, and the settings of its fields of this panel type."""
    custom = set(_paths(panel["fieldConfig"]["defaults"].get("custom", {})))
    for override in panel["fieldConfig"]["overrides"]:
        for one in override["properties"]:
            name = one["id"].removeprefix("custom.")
            if name != one["id"]:
                custom |= {name, *_paths(one.get("value"), f"{name}.")}
    # What every panel's field may have, and Grafana's types do not list.
    return set(_paths(panel.get("options", {}))), custom - {"hidden"}


def unknown(documents_: Mapping[str, Document], version: str) -> set[tuple[str, str]]:
    """Return the options that a version does not have, with the panel's type."""
    found = set()
    for document in documents_.values():
        for panel in document["panels"]:
            kind = panel["type"]
            options, custom = used(panel)
            known = KNOWN[version][kind]
            lacks = options - set(known["options"]) - LATER.get(version, {}).get(kind, set())
            lacks |= custom - set(known["custom"])
            if not version.startswith("10."):
                lacks -= MIGRATED.get(kind, set())
            found |= {(kind, name) for name in lacks}
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_a_version_has_all_options(version: str) -> None:
    assert unknown(documents(), version) == set()


@pytest.mark.parametrize("version", VERSIONS)
def test_an_option_that_it_does_not_have_is_found(version: str) -> None:
    spoilt = copy.deepcopy(documents())
    [table] = [p for p in spoilt["vlag-run.json"]["panels"] if p["title"].startswith("Run ")]
    table["options"]["colourMode"] = "none"
    table["fieldConfig"]["defaults"].setdefault("custom", {})["footers"] = {}
    assert unknown(spoilt, version) >= {("table", "colourMode"), ("table", "footers")}
    # The footer of a table went with 12.
    table["options"]["footer"] = {"show": False}
    assert (("table", "footer") in unknown(spoilt, version)) == (version >= "12")


def test_every_promised_version_and_panel_has_its_options() -> None:
    assert list(KNOWN) == list(VERSIONS)
    assert {v.partition(".")[0] for v in VERSIONS} == {"10", "11", "12", "13"}
    for panels in KNOWN.values():
        assert set(panels) == set(PANELS.values()) == PANEL_TYPES


def test_courses_and_distributions_are_drawn() -> None:
    kinds = Counter(p["type"] for d in documents().values() for p in d["panels"])
    drawn = sum(n for kind, n in kinds.items() if kind not in ("table", "stat"))
    assert drawn >= 15, kinds
    assert {"state-timeline", "xychart", "status-history", "heatmap", "histogram"} <= set(kinds)


def test_types_are_read_through_inheritance_lists_and_comments() -> None:
    types = Types.read(
        """
export interface Legend { /** calcs; of: it */ calcs: Array<string>; at?: "left" | "right"; }
interface WithLegend { legend: Legend; }
export type Shape = common.Legend | Other;
""",
        """
export interface Options extends common.WithLegend {
    // a: comment
    shape?: Array<common.Shape>;
    size?: { fixed?: number; of: { least: number; }; };
}
""",
    )
    assert set(types.paths("Options")) == {
        "legend", "legend.calcs", "legend.at", "shape", "shape.calcs", "shape.at", "size",
        "size.fixed", "size.of", "size.of.least",
    }  # fmt: skip
