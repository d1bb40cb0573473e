# SPDX-License-Identifier: GPL-2.0-only
"""The five field reports, entered and compared once for all processes of a test session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.integration import templates
from vlag.config.catalogue import Catalogue
from vlag.scenario import data
from vlag.scenario.bundles import enter
from vlag.scenario.scenario_verdicts import Answers
from vlag.scenario.scenario_views import views
from vlag.store import database


def make(cluster: str, template: str, catalogue: Catalogue, shared: Path) -> str:
    """Return the name of a database that has them, to make others of.

    The folder `shared` is that of all processes, with the dump and the reports' bundles.
    """

    def fill(dsn: str) -> None:
        shown = {}
        with database.connect(dsn) as conn:
            for name in data.names():
                scenario = data.load(name)
                enter(scenario, catalogue, conn, shared / "field-reports")
                shown[name] = views(Answers(conn, catalogue, scenario))
        _documents(shared).write_text(json.dumps(shown), encoding="utf-8")

    return templates.make(cluster, template, shared / "field-reports.dump", fill)


def documents(shared: Path) -> dict[str, dict[str, Any]]:
    """Return the views of each report by its name, as `make` got them."""
    found: dict[str, dict[str, Any]] = json.loads(_documents(shared).read_text(encoding="utf-8"))
    return found


def _documents(shared: Path) -> Path:
    return shared / "field-reports.json"
