"""Variables of dashboards."""

from __future__ import annotations

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models import dashboard as model

from dashboards.postgresql import among, source


def choice(name: str, label: str, sql: str, *, description: str = "") -> dashboard.QueryVariable:
    """Return a variable with one value of those that a statement returns, the first at first.

    Two columns `__text` and `__value` give a value with another name.
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
    """Return a variable with any number of values, all at first."""
    return (
        choice(name, label, sql, description=description)
        .multi(True)
        .include_all(True)
        .current(model.VariableOption(selected=True, text=["All"], value=["$__all"]))
    )


#: Of the variable `figures`.
BOOTS, REPORTS = "boots", "field reports"


def figures(*, all_at_first: bool = False) -> dashboard.CustomVariable:
    """Return the variable that leaves out what field reports said, unless asked."""
    values = {"All": "$__all", BOOTS: BOOTS, REPORTS: REPORTS}
    first = "All" if all_at_first else BOOTS
    return (
        dashboard.CustomVariable("figures")
        .label("Figures of")
        .description("field reports that were entered as runs are no measurements of ours")
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
    """Return the condition that the variable `figures` asks for."""
    return among(f"CASE WHEN {synthetic} THEN '{REPORTS}' ELSE '{BOOTS}' END", "figures")
