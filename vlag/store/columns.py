# SPDX-License-Identifier: GPL-2.0-only
"""Columns of a table in SQL: each table names them once, most by the fields of its row's class."""

from __future__ import annotations

from collections.abc import Collection

from attrs import AttrsInstance, fields, frozen


@frozen
class Columns:
    """Names of columns; as text they are a list for SELECT."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        """Return the names, separated by commas."""
        return ", ".join(self.names)

    @property
    def values(self) -> str:
        """Return a placeholder for each."""
        return ", ".join(f"%({name})s" for name in self.names)

    def selected(self, **expressions: str) -> str:
        """Return a list for SELECT in which some columns are expressions."""
        return ", ".join(
            f"{expressions[name]} AS {name}" if name in expressions else name for name in self.names
        )

    def inserted(self, **functions: str) -> str:
        """Return columns and values of an INSERT; `functions` are called with the value of some."""
        values = ", ".join(
            f"{functions[name]}(%({name})s)" if name in functions else f"%({name})s"
            for name in self.names
        )
        return f"({self}) VALUES ({values})"

    def renewed(self, key: Collection[str] = ()) -> str:
        """Return the assignments of an ON CONFLICT DO UPDATE to all but those of the key."""
        return ", ".join(f"{name} = excluded.{name}" for name in self.names if name not in key)


def columns(row: type[AttrsInstance], but: Collection[str] = ()) -> Columns:
    """Return the columns that the fields of a row's class have, but some."""
    return Columns(tuple(field.name for field in fields(row) if field.name not in but))
