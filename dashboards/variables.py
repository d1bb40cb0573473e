# SPDX-License-Identifier: GPL-2.0-only
"""Variables of dashboards."""

from __future__ import annotations

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models import dashboard as model

from dashboards.postgresql import among, source


def choice(name: str, label: str, sql: str, *, description: str = "") -> dashboard.QueryVariable:
    """Return a single-value variable over the rows of a statement; the first row is the default.

    Columns `__text` and `__value` give label and value separately.
    """
    return (
        dashboard.QueryVariable(name)
        .label(label)
        .description(description)
        .datasource(source())
        .query(sql.strip())
        .refresh(model.VariableRefresh.ON_DASHBOARD_LOAD)
        .sort(model.VariableSort.DISABLED)
        .multi(False)
        .include_all(False)
    )


def choices(name: str, label: str, sql: str, *, description: str = "") -> dashboard.QueryVariable:
    """Return a multi-value variable; all values are selected by default."""
    return (
        choice(name, label, sql, description=description)
        .multi(True)
        .include_all(True)
        .current(model.VariableOption(selected=True, text=["All"], value=["$__all"]))
    )


#: Values of the variable `figures`.
BOOTS, REPORTS = "boots", "field reports"


def figures(*, all_at_first: bool = False) -> dashboard.CustomVariable:
    """Return the variable that selects measured figures, field reports or both."""
    values = {"All": "$__all", BOOTS: BOOTS, REPORTS: REPORTS}
    first = "All" if all_at_first else BOOTS
    return (
        dashboard.CustomVariable("figures")
        .label("Figures of")
        .description("figures from field reports are imported, not measured by vlag")
        .values(f"{BOOTS},{REPORTS}")
        .multi(True)
        .include_all(True)
        .current(model.VariableOption(selected=True, text=[first], value=[values[first]]))
        .options(
            [
                model.VariableOption(selected=text == first, text=text, value=value)
                for text, value in values.items()
            ]
        )
    )


def of_figures(synthetic: str = "synthetic") -> str:
    """Return the condition for the selection of the variable `figures`."""
    return among(f"CASE WHEN {synthetic} THEN '{REPORTS}' ELSE '{BOOTS}' END", "figures")
