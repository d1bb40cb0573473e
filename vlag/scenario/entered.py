# SPDX-License-Identifier: GPL-2.0-only
"""A report from its file to its views: one of ours stays in the database, others leave nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from vlag.config.catalogue import Catalogue
from vlag.scenario import bundles, file_checks
from vlag.scenario.data import Scenario
from vlag.scenario.scenario_verdicts import Answers
from vlag.scenario.scenario_views import claims_alone, views
from vlag.scenario.view_data import ScenarioData
from vlag.store.database import Connection


def checked(scenario: Scenario, catalogue: Catalogue) -> Catalogue:
    """Return the catalogue with what only the report has.

    Raises ContentError with file, line and key where the file cannot be as it is.
    """
    file_checks.check_measures(scenario, catalogue)
    known = bundles.with_own(catalogue, scenario) if scenario.views else catalogue
    file_checks.check(scenario, known)
    return known


def shown(
    scenario: Scenario,
    catalogue: Catalogue,
    connect: Callable[[], AbstractContextManager[Connection]],
    state: Path,
) -> ScenarioData:
    """Return a report's claims and views; `state` is the folder of our own reports' bundles.

    Without views it takes no database.
    """
    known = checked(scenario, catalogue)
    if not scenario.views:
        return claims_alone(scenario, known)
    with connect() as conn:
        if scenario.kept:
            return _entered(scenario, known, conn, state)
        # Names of other people's kernels and boards are nobody's history.
        with (
            tempfile.TemporaryDirectory(prefix="vlag-scenario-") as folder,
            conn.transaction(force_rollback=True),
        ):
            return _entered(scenario, known, conn, Path(folder))


def _entered(
    scenario: Scenario, catalogue: Catalogue, conn: Connection, folder: Path
) -> ScenarioData:
    bundles.enter(scenario, catalogue, conn, folder)
    return views(Answers(conn, catalogue, scenario))
