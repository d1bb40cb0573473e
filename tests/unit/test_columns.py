# SPDX-License-Identifier: GPL-2.0-only
"""The lists of columns that statements have, from the class of a row."""

from __future__ import annotations

from attrs import frozen

from vlag.store.columns import Columns, columns


@frozen
class Row:
    """A row with an id of the database's own."""

    name: str
    place: str
    id: int | None = None


def test_a_table_has_the_fields_of_its_row_but_some() -> None:
    assert columns(Row).names == ("name", "place", "id")
    assert str(columns(Row, but=("id",))) == "name, place"


def test_lists_for_statements() -> None:
    both = Columns(("name", "place"))
    assert both.values == "%(name)s, %(place)s"
    assert both.inserted() == "(name, place) VALUES (%(name)s, %(place)s)"
    assert both.inserted(place="below") == "(name, place) VALUES (%(name)s, below(%(place)s))"
    assert both.selected(place="above(place)") == "name, above(place) AS place"
    assert both.renewed() == "name = excluded.name, place = excluded.place"
    assert both.renewed(key=("name",)) == "place = excluded.place"
