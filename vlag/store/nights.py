# SPDX-License-Identifier: GPL-2.0-only
"""Finished nights, successful or not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NotRequired, TypedDict

from attrs import asdict, frozen
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from vlag.store.columns import columns
from vlag.store.database import Connection


class OwnBaseline(TypedDict):
    """A head that is its own baseline."""

    branch: str
    board_type: str
    baseline: str  # TREE/REF


class LeftOutRow(TypedDict):
    """What a night has left out of a branch."""

    branch: str
    name: str
    board_type: str
    nights: int


class NightBranch(TypedDict):
    """A watched branch or pattern; old nights have the first three keys only."""

    tree: str
    branch: str
    board_types: list[str]
    baselines: NotRequired[list[str]]
    plans: NotRequired[list[str]]
    at_baseline: NotRequired[list[OwnBaseline]]
    left_out: NotRequired[list[LeftOutRow]]  # of nights that must end in time


@frozen(kw_only=True)
class Night:
    """A row of `night`; `id` is None until it is stored."""

    key: str  # identifies the build of the night
    started_at: datetime
    finished_at: datetime
    multiple_testing: int | None  # all of its tests together; None: nothing was compared
    comparisons: Sequence[int]
    branches: Sequence[NightBranch]
    missing: Sequence[str]  # missing runs with their reasons, a sentence each
    notes: Sequence[str]
    url: str | None  # of its build
    report: str | None  # path below the state folder
    id: int | None = None


@frozen(kw_only=True)
class AtBaseline:
    """A branch whose head is its own baseline: there is nothing to compare yet."""

    branch: str  # TREE/BRANCH
    board_type: str
    baseline: str  # TREE/REF

    @property
    def sentence(self) -> str:
        """Return what people read of it."""
        return (
            f"{self.branch} on {self.board_type}: nothing to compare yet, its head is its baseline"
            f" {self.baseline}"
        )


def at_baseline(branches: Iterable[NightBranch]) -> list[AtBaseline]:
    """Return the heads among a night's branches that are their own baseline."""
    return [
        AtBaseline(
            branch=f"{b['tree']}/{one['branch']}",
            board_type=one["board_type"],
            baseline=one["baseline"],
        )
        for b in branches
        for one in b.get("at_baseline", ())
    ]


@frozen(kw_only=True)
class LeftOut:
    """A kernel on a board type that a night has left out so that it ended in time."""

    branch: str  # TREE/BRANCH
    name: str  # of the kernel, as the plan of a night has it
    board_type: str
    nights: int  # in a row, this one included


def left_out(branches: Iterable[NightBranch]) -> list[LeftOut]:
    """Return what a night has left out of its branches, each once."""
    rows = [
        LeftOut(
            branch=f"{b['tree']}/{one['branch']}",
            name=one["name"],
            board_type=one["board_type"],
            nights=one["nights"],
        )
        for b in branches
        for one in b.get("left_out", ())
    ]
    return list(dict.fromkeys(rows))


_COLUMNS = columns(Night, but=("id",))


def insert(conn: Connection, night: Night) -> tuple[int, bool]:
    """Store a night; return its id and whether it is new: a key is stored once."""
    values = asdict(night, recurse=False)
    values["branches"] = Jsonb([dict(branch) for branch in night.branches])
    values |= {name: list(values[name]) for name in ("comparisons", "missing", "notes")}
    row = conn.execute(
        f"INSERT INTO night {_COLUMNS.inserted()} ON CONFLICT (key) DO NOTHING RETURNING id",
        values,
    ).fetchone()
    if row is not None:
        return int(row[0]), True
    known = conn.execute("SELECT id FROM night WHERE key = %s", (night.key,)).fetchone()
    assert known is not None  # noqa: S101 - the conflict says that it is there
    return int(known[0]), False


def conclude(conn: Connection, id_: int, sentence: str | None) -> None:
    """Put what a night concludes on record."""
    conn.execute("UPDATE night SET conclusion = %s WHERE id = %s", (sentence, id_))


def by_id(conn: Connection, id_: int) -> Night | None:
    """Return the night of that id, or None."""
    with conn.cursor(row_factory=class_row(Night)) as cursor:
        return cursor.execute(
            f"SELECT id, {_COLUMNS} FROM night WHERE id = %s",  # noqa: S608 - constants
            (id_,),
        ).fetchone()


def before(conn: Connection, id_: int) -> Night | None:
    """Return the night that was put on record last before the one of that id, or None."""
    with conn.cursor(row_factory=class_row(Night)) as cursor:
        return cursor.execute(
            # Not by time: the clock of a master may have been wrong for a night.
            f"SELECT id, {_COLUMNS} FROM night WHERE id < %s ORDER BY id DESC LIMIT 1",  # noqa: S608
            (id_,),
        ).fetchone()


def noted(conn: Connection, note: str) -> bool:
    """Return whether a night has had a note."""
    return conn.execute("SELECT FROM night WHERE %s = ANY (notes)", (note,)).fetchone() is not None


def newest(conn: Connection) -> Night | None:
    """Return the night that was put on record last, or None."""
    with conn.cursor(row_factory=class_row(Night)) as cursor:
        return cursor.execute(
            f"SELECT id, {_COLUMNS} FROM night ORDER BY id DESC LIMIT 1"  # noqa: S608 - constants
        ).fetchone()


def last_left_out(conn: Connection) -> dict[tuple[str, str], int]:
    """Return for how many nights the last night that must end in time has left kernels out.

    By name of the kernel and board type.
    """
    row = conn.execute(
        "SELECT n.branches FROM night n WHERE EXISTS (SELECT FROM"
        " jsonb_array_elements(n.branches) b WHERE b.value ? 'left_out')"
        " ORDER BY n.id DESC LIMIT 1"
    ).fetchone()
    rows = [] if row is None else left_out(row[0])
    return {(one.name, one.board_type): one.nights for one in rows}


def compared(conn: Connection, night: Night) -> set[tuple[str, str, str]]:
    """Return tree, branch and board type of a night's figures."""
    return set(
        conn.execute(
            "SELECT DISTINCT f.tree, f.name, c.board_type FROM comparison c"
            " JOIN kernel_ref f ON f.kernel = c.new_kernel AND f.is_branch WHERE c.id = ANY(%s)"
            " AND EXISTS (SELECT FROM verdict v WHERE v.comparison = c.id)",
            (list(night.comparisons),),
        ).fetchall()
    )
