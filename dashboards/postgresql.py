# SPDX-License-Identifier: GPL-2.0-only
"""Queries of the PostgreSQL data source, and SQL that is safe for every value of a variable."""

from __future__ import annotations

from enum import StrEnum

from attrs import frozen
from grafana_foundation_sdk.cog import builder, variants
from grafana_foundation_sdk.models.dashboard import DataSourceRef

from dashboards.names import SOURCE, SOURCE_TYPE


class Format(StrEnum):
    """How Grafana interprets the rows."""

    TABLE = "table"
    TIME_SERIES = "time_series"  # columns: time, metric (text), value


def source() -> DataSourceRef:
    """Return the reference to the one data source."""
    return DataSourceRef(type_val=SOURCE_TYPE, uid=SOURCE)


@frozen(kw_only=True)
class Query(variants.Dataquery):
    """One statement of a panel, in the format of the data source's "code" editor."""

    sql: str
    format: Format = Format.TABLE
    ref: str = "A"

    def to_json(self) -> dict[str, object]:
        """Return the target of a panel."""
        return {
            "datasource": source(),
            "editorMode": "code",
            "format": str(self.format),
            "rawQuery": True,
            "rawSql": self.sql.strip(),
            "refId": self.ref,
        }


@frozen
class Target(builder.Builder[variants.Dataquery]):
    """A query for SDK calls that take a builder."""

    query: Query

    def build(self) -> variants.Dataquery:
        """Return the query."""
        return self.query


# A variable is always expanded as an array: without choices it is empty, and `IN ()` would be a
# syntax error, while ARRAY[]::text[] matches nothing.  `sqlstring` doubles quotes.


def chosen(variable: str) -> str:
    """Return SQL for all values of a variable, as text[]."""
    return f"ARRAY[${{{variable}:sqlstring}}]::text[]"


def among(column: str, variable: str) -> str:
    """Return the condition that a text column equals one of a variable's values."""
    return f"{column} = ANY({chosen(variable)})"


def text(variable: str) -> str:
    """Return SQL for the value of a variable, or NULL if none is selected."""
    return f"({chosen(variable)})[1]"


def number(variable: str) -> str:
    """Return SQL for the value of a variable as bigint, or NULL if it is not a number."""
    return f"substring({text(variable)} from '^[0-9]{{1,18}}$')::bigint"
