# SPDX-License-Identifier: GPL-2.0-only
"""Every kind of report has the keys of its type, fresh and as an older vlag stored it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.integration.websites import Place
from tests.typed import faults
from vlag import ROOT
from vlag.config.catalogue import Catalogue
from vlag.report.data import branch_state, matrices, night_changes
from vlag.report.data.comparison import night, report
from vlag.report.document import BranchData, ComparisonData, MatrixData, NightData
from vlag.report.mail_data import NightMail
from vlag.store import database

KINDS: Mapping[str, Any] = {
    "comparison": ComparisonData,
    "night": NightData,
    "branch": BranchData,
    "matrix": MatrixData,
    "mail": NightMail,
}


@pytest.fixture
def fresh(place: Place, catalogue: Catalogue) -> dict[str, Any]:
    """Return a report of each kind."""
    filled = place.filled
    with database.connect(place.dsn) as conn:
        ids = [filled.baseline, filled.parent, filled.failed]
        return {
            "comparison": report(conn, catalogue, filled.baseline, place.state),
            "night": night(conn, catalogue, ids, place.state),
            "branch": branch_state.state(conn, catalogue, filled.branch),
            "matrix": matrices.matrix(conn, catalogue, [str(filled.patched)]),
            "mail": night_changes.collect(conn, catalogue, filled.night, web="http://x/"),
        }


def test_every_kind_of_report_has_the_types_of_its_keys(fresh: dict[str, Any]) -> None:
    assert {kind: list(faults(made, KINDS[kind])) for kind, made in fresh.items()} == {
        kind: [] for kind in KINDS
    }
    # What is not there has no keys: each list of a kind has something.
    assert fresh["branch"]["states"]
    assert fresh["branch"]["alerts"]
    assert fresh["branch"]["lanes"]
    assert fresh["matrix"]["matrices"][0]["metrics"][0]["cells"]
    assert fresh["mail"]["branches"][0]["comparisons"]
    assert fresh["mail"]["alerts"]
    assert fresh["night"]["lanes"]


def test_a_misspelt_key_is_named_in_every_kind(fresh: dict[str, Any]) -> None:
    """Negative control."""
    for kind, made in fresh.items():
        *_, last = made
        altered = {**{k: v for k, v in made.items() if k != last}, f"{last}x": made[last]}
        assert list(faults(altered, KINDS[kind])) == [f".{last}: missing", f".{last}x: unknown"]
    metrics = fresh["matrix"]["matrices"][0]["metrics"]
    cell = next(c for m in metrics for c in m["cells"] if c["nothing"] is None)
    cell["overides"] = cell.pop("overrides")
    assert any("overides: unknown" in fault for fault in faults(fresh["matrix"], MatrixData))


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests" / "data" / "reports").glob("*.json")), ids=lambda p: p.stem
)
def test_a_stored_report_has_no_key_that_the_types_lack(path: Any) -> None:
    """What an older vlag stored may lack keys, but has none of another name or type."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    found = [
        fault
        for name, made in stored.items()
        if isinstance(made, dict)
        for fault in faults(made, KINDS["night" if name == "night" else "branch"])
    ]
    assert [fault for fault in found if not fault.endswith(": missing")] == []
