# SPDX-License-Identifier: GPL-2.0-only
"""Kernels as a person names them, and what is on record of two of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Final, TypeAlias, TypedDict

from attrs import frozen

from vlag.model import COMMIT_PREFIX
from vlag.report.read_model.comparison_rows import ComparedRow, MeasuredRow, by_ids, verdicts
from vlag.report.read_model.rows import Values, column, one, rows
from vlag.report.read_model.view_rows import KernelRow
from vlag.store.database import Connection
from vlag.store.kernels import readings, suffix

#: Newest comparisons whose kernels a field for a name offers.
_OFFERED = 400
#: Names that an answer to an unknown or ambiguous one lists.
_LISTED = 12
_DIGITS = re.compile(r"[0-9]{1,18}")
_PREFIX = re.compile(COMMIT_PREFIX)

_COLUMNS: Final = (
    "k.id, k.digest, k.name, k.tree, k.branches, k.ref, k.commit, k.describe, k.subject,"
    " k.committed_at, k.series, k.application, k.variant, k.arch"
)

#: Series and application; None: no patches.
_Patches: TypeAlias = tuple[str, str] | None
#: Tree, commit, series, application and variant.
_Identity: TypeAlias = tuple[str, str, str | None, str, str]


class ChosenKernel(TypedDict):
    """A kernel that a name may mean."""

    id: int
    digest: str
    name: str
    tree: str
    branches: list[str]
    ref: str
    commit: str
    describe: str
    subject: str
    committed_at: datetime
    series: str | None
    application: str
    variant: str
    arch: str


class Measurement(TypedDict):
    """A benchmark with its parameters."""

    benchmark: str
    parameters: str


class SideBoots(TypedDict):
    """Complete boots of a kernel on a board type."""

    boots: int
    digest: str  # a beginning


class MeasuredBoard(TypedDict):
    """A board type with the boots of each side; None: there are none."""

    board_type: str
    base: SideBoots | None
    new: SideBoots | None


class Pair(TypedDict):
    """What is on record of two kernels."""

    comparisons: list[ComparedRow]  # the newest first
    figures: list[MeasuredRow]  # worst first
    knobs: tuple[str, str] | None  # of base and new
    others: list[tuple[str, str]]  # those that the pair was compared with besides
    measured: list[MeasuredBoard]
    turned: int | None  # a comparison with the sides exchanged


class _KnobsRow(TypedDict):
    id: int
    base_knobs: str
    new_knobs: str


class _BootsRow(TypedDict):
    board_type: str
    kernel: int
    boots: int


@frozen(kw_only=True)
class Choice:
    """What a name means: one kernel, or nothing (`sentence` says why)."""

    asked: str
    text: str = ""  # another name that means the same now and later
    kernels: tuple[
        ChosenKernel, ...
    ] = ()  # of one commit and its patches: one per architecture and config
    several: bool = False  # ambiguous
    sentence: str = ""
    candidates: tuple[tuple[str, str], ...] = ()  # text that names each one, and what it is

    @property
    def ids(self) -> list[int]:
        """Return the ids of the kernels."""
        return [k["id"] for k in self.kernels]

    @property
    def name(self) -> str:
        """Return the display name."""
        return str(self.kernels[0]["name"]) if self.kernels else self.asked


def choice(conn: Connection, asked: str) -> Choice:
    """Return the kernel that a name means.

    A branch means its newest compared kernel, a tag, `git describe` text or commit (7 digits or
    more) the kernel without patches; NAME+SERIES and "NAME+SERIES:solo(2)" mean those with
    patches.  A digest or a number means its one kernel, a display name what it names.
    """
    asked = asked.strip()
    groups: list[list[ChosenKernel]] = []
    for name, patches in readings(asked):
        groups = _of_name(conn, name, patches)
        if groups:
            break
    groups = groups or _of_number(conn, asked) or _of_release(conn, asked)
    if len(groups) == 1:
        kernels = groups[0]
        return Choice(asked=asked, text=_text(kernels), kernels=tuple(kernels))
    if groups:
        listed = sorted(groups, key=lambda g: g[0]["committed_at"], reverse=True)
        more = len(listed) - _LISTED
        return Choice(
            asked=asked,
            several=True,
            sentence=f"{asked!r} may mean {len(listed)} kernels"
            + (f"; the newest {_LISTED} are:" if more > 0 else ":"),
            candidates=tuple((_text(g), _told(g[0])) for g in listed[:_LISTED]),
        )
    # A person leaves out the tree of a branch.
    known = {part: name for name in offered(conn) for part in (name.rpartition("/")[2], name)}
    close = get_close_matches(asked, known, n=_LISTED, cutoff=0.5)
    near = list(dict.fromkeys(known[part] for part in close))
    return Choice(
        asked=asked,
        sentence=f"No kernel on record has the name {asked!r}"
        + ("; similar names are:" if near else "; `vlag kernels` lists the names."),
        candidates=tuple((name, "") for name in near),
    )


def offered(conn: Connection) -> list[str]:
    """Return names for a field: all branches, then those of the kernels compared last."""
    return column(
        conn,
        "WITH newest AS (SELECT c.id, c.base_kernel, c.new_kernel, c.base, c.new"
        "   FROM read_model.comparison c ORDER BY c.id DESC LIMIT %(most)s),"
        " of AS (SELECT n.id, n.base_kernel AS kernel, n.base AS name FROM newest n"
        "   UNION ALL SELECT n.id, n.new_kernel, n.new FROM newest n)"
        " SELECT x.name, min(x.rank) AS rank, max(x.id) AS id FROM ("
        "   SELECT DISTINCT f.branch_name AS name, 0 AS rank, 0 AS id FROM"
        "     read_model.kernel_branch f"
        "   UNION ALL SELECT o.name, 1, o.id FROM of o"
        "   UNION ALL SELECT m.name, 2, o.id FROM of o JOIN read_model.kernel_name m"
        "     ON m.kernel = o.kernel AND NOT m.is_branch) x"
        " GROUP BY x.name ORDER BY rank, id DESC, x.name",
        {"most": _OFFERED},
    )


def kernel(conn: Connection, id_: int) -> KernelRow | None:
    """Return one kernel."""
    sql: Final = "SELECT k.* FROM read_model.kernel k WHERE k.id = %(id)s"
    return one(conn, KernelRow, sql, {"id": id_})


def _of_name(conn: Connection, name: str, patches: _Patches) -> list[list[ChosenKernel]]:
    """Return the kernels of a branch, tag, describe text, display name or commit, in groups."""
    series, application = patches or (None, "none")
    values = {"name": name, "series": series, "application": application}
    heads = rows(
        conn,
        ChosenKernel,
        f"SELECT DISTINCT ON (f.tree, f.branch) {_COLUMNS} FROM read_model.kernel_branch f"  # noqa: S608 - constants
        " JOIN read_model.kernel k ON k.id = f.kernel"
        " WHERE (f.branch = %(name)s OR f.branch_name = %(name)s)"
        "   AND k.series IS NOT DISTINCT FROM %(series)s AND k.application = %(application)s"
        " ORDER BY f.tree, f.branch, k.variant <> 'default',"
        "   EXISTS (SELECT FROM read_model.comparison c WHERE c.new_kernel = k.id) DESC,"
        "   f.place DESC",
        values,
    )
    commit = _PREFIX.fullmatch(name) is not None
    others = rows(
        conn,
        ChosenKernel,
        f"SELECT {_COLUMNS} FROM read_model.kernel k WHERE k.id IN (SELECT m.kernel"  # noqa: S608 - constants
        "   FROM read_model.kernel_name m WHERE m.name = %(name)s AND NOT m.is_branch)"
        " AND k.series IS NOT DISTINCT FROM %(series)s AND k.application = %(application)s",
        values,
    )
    if patches is None:
        # A display name begins with a release or describe text, and has the patches in it.
        others += rows(
            conn,
            ChosenKernel,
            f"SELECT {_COLUMNS} FROM read_model.kernel k WHERE k.name = %(name)s AND k.id IN ("  # noqa: S608 - constants
            "   SELECT m.kernel FROM read_model.kernel_name m WHERE m.name = %(first)s"
            "   AND m.is_branch IS NOT TRUE)",
            {"name": name, "first": name.partition(" ")[0]},
        )
    if commit and not heads and not others:
        others = rows(
            conn,
            ChosenKernel,
            f"SELECT {_COLUMNS} FROM read_model.kernel k"  # noqa: S608 - constants
            " WHERE starts_with(k.commit::text, %(name)s)"
            " AND k.series IS NOT DISTINCT FROM %(series)s AND k.application = %(application)s",
            values,
        )
    groups = {_identity(k): k for k in [*others, *heads]}
    plain = {identity[:-1] for identity in groups if identity[-1] == "default"}
    return [
        _siblings(conn, k)
        for identity, k in groups.items()
        if identity[-1] == "default" or identity[:-1] not in plain
    ]


def _of_number(conn: Connection, asked: str) -> list[list[ChosenKernel]]:
    """Return kernels by their number or digest, each by itself."""
    number = int(asked) if _DIGITS.fullmatch(asked) else None
    prefix = asked if _PREFIX.fullmatch(asked) else None
    if number is None and prefix is None:
        return []
    kernels = rows(
        conn,
        ChosenKernel,
        f"SELECT {_COLUMNS} FROM read_model.kernel k WHERE k.id = %(number)s"  # noqa: S608 - constants
        " OR starts_with(k.digest::text, %(prefix)s) ORDER BY k.id",
        {"number": number, "prefix": prefix},
    )
    return [[k] for k in kernels]


def _of_release(conn: Connection, asked: str) -> list[list[ChosenKernel]]:
    """Return the kernels without patches of a release, of which none has it as its name."""
    kernels = rows(
        conn,
        ChosenKernel,
        f"SELECT {_COLUMNS} FROM read_model.kernel k WHERE k.series IS NULL AND k.id IN ("  # noqa: S608 - constants
        "   SELECT m.kernel FROM read_model.kernel_name m WHERE m.name = %(name)s"
        "   AND m.is_branch IS NULL)",
        {"name": asked},
    )
    groups: dict[_Identity, list[ChosenKernel]] = {}
    for k in kernels:
        groups.setdefault(_identity(k), []).append(k)
    return list(groups.values())


def _identity(k: ChosenKernel) -> _Identity:
    return k["tree"], k["commit"], k["series"], k["application"], k["variant"]


def _siblings(conn: Connection, k: ChosenKernel) -> list[ChosenKernel]:
    """Return a kernel, first, and the others of its commit, patches and variant."""
    kernels = rows(
        conn,
        ChosenKernel,
        f"SELECT {_COLUMNS} FROM read_model.kernel k WHERE k.commit = %(commit)s"  # noqa: S608 - constants
        " ORDER BY k.id <> %(id)s, k.id DESC",
        k,
    )
    return [x for x in kernels if _identity(x) == _identity(k)]


def _text(kernels: Sequence[ChosenKernel]) -> str:
    """Return a text that names a kernel and stays the same when branches move on."""
    k = kernels[0]
    if k["variant"] != "default":
        return str(k["digest"][:12])
    patches = None if k["series"] is None else (k["series"], k["application"])
    return f"{k['commit'][:12]}{suffix(patches)}"


def _told(k: ChosenKernel) -> str:
    """Return what tells a kernel from others of its name."""
    where = ", ".join(f"{k['tree']}/{name}" for name in k["branches"]) or f"{k['tree']} {k['ref']}"
    return f"{k['name']}, {where}, {k['arch']}: {k['subject']}"


def pair(
    conn: Connection,
    base: Choice,
    new: Choice,
    *,
    board_type: str | None = None,
    plan: str | None = None,
    knobs: str | None = None,
) -> Pair:
    """Return what is on record of two kernels, on one board type or all.

    Comparisons are the current ones, and a figure of a board type is there once, from the newest
    comparison that has it.  All have one pair of knobs: those of the new kernel are `knobs`; by
    default no knobs, or else those of the newest comparison.
    """
    values = {"base": base.ids, "new": new.ids, "board_type": board_type, "plan": plan}
    compared = rows(
        conn,
        _KnobsRow,
        "SELECT c.id, c.base_knobs, c.new_knobs FROM read_model.comparison c"
        " WHERE c.base_kernel = ANY(%(base)s) AND c.new_kernel = ANY(%(new)s) AND c.current"
        " AND c.board_type = coalesce(%(board_type)s, c.board_type)"
        " AND (%(plan)s::text IS NULL OR c.plan = %(plan)s) ORDER BY c.id DESC",
        values,
    )
    settings = list(dict.fromkeys((c["base_knobs"], c["new_knobs"]) for c in compared))
    if knobs is not None:
        kept = [s for s in settings if s[1] == knobs][:1]
    else:
        kept = [s for s in settings if s == ("", "")] or settings[:1]
    ids = [c["id"] for c in compared if (c["base_knobs"], c["new_knobs"]) in kept]
    return {
        "comparisons": by_ids(conn, ids),
        "figures": _newest(verdicts(conn, ids)),
        "knobs": kept[0] if kept else None,
        "others": [s for s in settings if s not in kept],
        "measured": [] if ids else _measured(conn, base, new, board_type),
        "turned": None if ids else _turned(conn, values),
    }


def _newest(verdicts: Sequence[MeasuredRow]) -> list[MeasuredRow]:
    """Return each figure of a board type once, from its newest comparison, in the given order."""

    def key(v: MeasuredRow) -> tuple[str, ...]:
        return v["board_type"], v["benchmark"], v["parameters"], v["metric"], v["statistic"]

    newest: dict[tuple[str, ...], int] = {}
    for v in verdicts:
        newest[key(v)] = max(v["comparison"], newest.get(key(v), 0))
    return [v for v in verdicts if newest[key(v)] == v["comparison"]]


def _turned(conn: Connection, values: Values) -> int | None:
    ids = column(
        conn,
        "SELECT c.id FROM read_model.comparison c WHERE c.base_kernel = ANY(%(new)s)"
        " AND c.new_kernel = ANY(%(base)s) AND c.current"
        " AND c.board_type = coalesce(%(board_type)s, c.board_type) ORDER BY c.id DESC LIMIT 1",
        values,
    )
    return ids[0] if ids else None


def differing(figures: Iterable[Measurement], among: Iterable[Measurement]) -> list[str]:
    """Return for each figure those of its parameters that others of the benchmark lack."""
    by_benchmark: dict[str, set[frozenset[str]]] = {}
    for v in among:
        by_benchmark.setdefault(v["benchmark"], set()).add(frozenset(v["parameters"].split()))
    return [
        " ".join(
            p
            for p in v["parameters"].split()
            if any(p not in x for x in by_benchmark[v["benchmark"]])
        )
        for v in figures
    ]


def _measured(
    conn: Connection, base: Choice, new: Choice, board_type: str | None
) -> list[MeasuredBoard]:
    """Return the complete boots of two kernels by board type, and a digest of each."""
    boots = rows(
        conn,
        _BootsRow,
        "SELECT r.board_type, x.kernel, count(*) AS boots FROM read_model.kernel_run x"
        " JOIN read_model.run r ON r.id = x.run WHERE x.kernel = ANY(%(kernels)s)"
        " AND r.outcome = 'complete' AND r.board_type = coalesce(%(board_type)s, r.board_type)"
        " GROUP BY r.board_type, x.kernel ORDER BY r.board_type, boots DESC, x.kernel DESC",
        {"kernels": [*base.ids, *new.ids], "board_type": board_type},
    )
    boards: dict[str, MeasuredBoard] = {}
    for r in boots:
        name = r["board_type"]
        board = boards.setdefault(name, {"board_type": name, "base": None, "new": None})
        board["base"] = board["base"] or _boots(base, r)
        board["new"] = board["new"] or _boots(new, r)
    return list(boards.values())


def _boots(side: Choice, row: _BootsRow) -> SideBoots | None:
    """Return the boots of a row if they are of a kernel of a side."""
    digests = [k["digest"] for k in side.kernels if k["id"] == row["kernel"]]
    return {"boots": row["boots"], "digest": digests[0][:12]} if digests else None
