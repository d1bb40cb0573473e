# SPDX-License-Identifier: GPL-2.0-only
"""Kernels, and how a person names one.

A branch, a tag, `git describe` text or a commit means the kernel without patches.  One with
patches is named after them: NAME+SERIES has the whole series, NAME+SERIES:solo(2) an
application of it.  A digest means its one kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, LiteralString, TypeAlias

from attrs import field, frozen
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from vlag.errors import RefusedError, UsageError
from vlag.model import COMMIT_PREFIX
from vlag.store.columns import Columns
from vlag.store.database import Connection

_PREFIX = re.compile(COMMIT_PREFIX)
_APPLICATION = re.compile(r"(solo|prefix|without)(?:\((\d+)\)|=?(\d+))")
_FULL = "full"
_NAMED = 5  # kernels in an error

#: Series and application; None: no patches.
_Patches: TypeAlias = tuple[str, str] | None
_BARE: _Patches = None

# What must be equal for one digest; branch, describe and subject are only words for it.
_IDENTITY = ("tree", "commit", "series", "application", "variant", "arch", "kconfig")
_COLUMNS = Columns(
    ("digest", "branch", "describe", "subject", "committed_at", "patches", *_IDENTITY)
)


#: Commit time of a kernel that only a report names: reports do not say it.
UNDATED = datetime.fromtimestamp(0, UTC)


@frozen(kw_only=True)
class Kernel:
    """A row of `kernel`."""

    id: int
    digest: str
    tree: str
    branch: str | None  # the first of `branches`
    branches: Sequence[str]  # that it was asked for by, in order
    ref: str  # name of its first request: a branch, tag or commit
    commit: str
    describe: str
    subject: str
    committed_at: datetime
    series: str | None
    application: str
    variant: str
    arch: str
    kconfig: str
    patches: Sequence[Mapping[str, str]]  # name and sha256 of those applied, in order
    release: str | None  # of its latest complete build
    built_at: datetime | None  # end of its latest build
    refs: Sequence[str]  # all names that it was asked for by: branches, tags and commits
    # Branch -> line and number of its commit in the branch, if a build saw it there.
    places: Mapping[str, Sequence[int]]

    @property
    def name(self) -> str:
        """Return its first branch, or the tag or commit that it was asked for by."""
        return self.branch or self.ref


@frozen(kw_only=True)
class KernelRef:
    """A kernel as a person names it, with the knobs of the runs that are meant."""

    text: str  # see above; digests and commits have 7 or more digits
    variant: str | None = None  # None: whichever there is, if there is one
    knobs: Mapping[str, str] = field(factory=dict)


_KERNEL = (
    "SELECT k.id, k.digest, k.tree, f.branches[1] AS branch, f.branches, k.branch AS ref,"
    " k.commit, k.describe, k.subject, k.committed_at,"
    " k.series, k.application, k.variant, k.arch, k.kconfig, k.patches, b.release,"
    " b.built_at, f.refs, f.places FROM kernel k CROSS JOIN LATERAL ("
    "   SELECT coalesce(array_agg(x.name ORDER BY x.id), '{}') AS refs,"
    "     coalesce(jsonb_object_agg(c.branch, ARRAY[c.line, c.number])"
    "       FILTER (WHERE x.is_branch AND c.branch IS NOT NULL), '{}') AS places,"
    "     coalesce(array_agg(x.name ORDER BY x.id) FILTER (WHERE x.is_branch), '{}') AS branches"
    "   FROM kernel_ref x LEFT JOIN branch_commit c"
    "     ON c.tree = x.tree AND c.branch = x.name AND c.commit = k.commit"
    "   WHERE x.kernel = k.id) f LEFT JOIN LATERAL ("
    "   SELECT max(x.finished_at) AS built_at,"
    "     (array_agg(x.release ORDER BY x.id DESC) FILTER (WHERE x.release IS NOT NULL))[1]"
    "       AS release FROM build x WHERE x.kernel = k.id) b ON true"
)
_ADD_REF = (
    "INSERT INTO kernel_ref (kernel, tree, name, is_branch)"
    " SELECT k.id, k.tree, %(name)s, %(is_branch)s FROM kernel k WHERE k.id = %(id)s"
    " ON CONFLICT (kernel, name)"
)
_LATEST_FIRST = " ORDER BY b.built_at DESC NULLS LAST, k.id DESC"
_OF_NAME = (
    " WHERE k.describe = %(name)s OR EXISTS (SELECT FROM kernel_ref x WHERE x.kernel = k.id"
    "   AND %(name)s IN (x.name, x.tree || '/' || x.name))"
)
_OF_PREFIX = (
    " WHERE starts_with(k.digest::text, %(prefix)s) OR starts_with(k.commit::text, %(prefix)s)"
)


def id_of(conn: Connection, kernel: Mapping[str, Any]) -> int:
    """Return the id of a kernel as bundles describe it; add it where it is new.

    Raises RefusedError where its digest is on record for another kernel.
    """
    patches = kernel.get("patches", [])  # bundles from before there were series lack them
    conn.execute(
        f"INSERT INTO kernel {_COLUMNS.inserted()} ON CONFLICT (digest) DO NOTHING",
        {**kernel, "patches": Jsonb(patches)},
    )
    with conn.cursor(row_factory=class_row(Kernel)) as cursor:
        row = cursor.execute(_KERNEL + " WHERE k.digest = %s", (kernel["digest"],)).fetchone()
    assert row is not None  # noqa: S101 - it was there or has just been added
    for name in _IDENTITY:
        there, here = getattr(row, name), kernel[name]
        if there != here:
            raise _differs(row, name, there, here)
    # `add_refs` knows more.  Of a bundle from elsewhere the words decide: the whole
    # `git describe` text is a tag.
    name = kernel["branch"]
    is_commit = _PREFIX.fullmatch(name) is not None and kernel["commit"].startswith(name)
    is_branch = name != kernel["describe"] and not is_commit
    conn.execute(_ADD_REF + " DO NOTHING", {"id": row.id, "name": name, "is_branch": is_branch})
    # A patch file may get another name, not another content.
    there, here = ([p["sha256"] for p in applied] for applied in (row.patches, patches))
    if there != here:
        raise _differs(row, "patches", there, here)
    return row.id


def add_refs(conn: Connection, id_: int, refs: Mapping[str, bool]) -> None:
    """Record names that a kernel was asked for by, each with whether it is a branch."""
    for name, is_branch in refs.items():
        conn.execute(
            _ADD_REF + " DO UPDATE SET is_branch = excluded.is_branch",
            {"id": id_, "name": name, "is_branch": is_branch},
        )


def _differs(row: Kernel, name: str, there: object, here: object) -> RefusedError:
    return RefusedError(
        f"kernel {row.digest[:12]} is on record with {name} {there!r},"
        f" here it has {here!r}: one digest is one kernel"
    )


def by_id(conn: Connection, id_: int) -> Kernel:
    """Return the kernel of that id; it must exist."""
    with conn.cursor(row_factory=class_row(Kernel)) as cursor:
        row = cursor.execute(_KERNEL + " WHERE k.id = %s", (id_,)).fetchone()
    if row is None:
        raise LookupError(f"no kernel {id_}")
    return row


def by_digest(conn: Connection, digest: str) -> Kernel | None:
    """Return the kernel of that digest, or None."""
    kernels = _select(conn, " WHERE k.digest = %(digest)s", {"digest": digest})
    return kernels[0] if kernels else None


def of_commits(conn: Connection, tree: str, commits: Sequence[str]) -> list[Kernel]:
    """Return the kernels of commits of a tree to which no patch was applied, latest build first."""
    return _select(
        conn,
        " WHERE k.tree = %(tree)s AND k.commit = ANY(%(commits)s) AND k.series IS NULL",
        {"tree": tree, "commits": list(commits)},
    )


def branches(conn: Connection, tree: str) -> list[str]:
    """Return the branches of a tree of which kernels are on record."""
    rows = conn.execute(
        "SELECT DISTINCT name FROM kernel_ref WHERE tree = %s AND is_branch ORDER BY 1", (tree,)
    )
    return [row[0] for row in rows]


def _select(conn: Connection, condition: LiteralString, values: Mapping[str, Any]) -> list[Kernel]:
    """Return kernels, latest build first."""
    with conn.cursor(row_factory=class_row(Kernel)) as cursor:
        return cursor.execute(_KERNEL + condition + _LATEST_FIRST, values).fetchall()


def resolve(conn: Connection, ref: KernelRef) -> Kernel:
    """Return the kernel that a person means.

    Of a branch it is the newest of its commits, of another name the latest build that fits it.
    Raises UsageError that lists the candidates where there is none or more than one.
    """
    unknown: tuple[str, list[Kernel]] | None = None
    for name, patches in readings(ref.text):
        matches = _select(conn, _OF_NAME, {"name": name})
        whole = not matches and _PREFIX.fullmatch(name)
        if whole:
            matches = _select(conn, _OF_PREFIX, {"prefix": name})
            by_digest = [k for k in matches if k.digest.startswith(name)]
            if patches == _BARE and by_digest:
                matches = [k for k in matches if k in by_digest or _patches(k) == _BARE]
                return _only(ref, [k for k in matches if k.digest == name] or matches)
        if not matches:
            continue
        fit = [k for k in matches if _patches(k) == patches and ref.variant in (None, k.variant)]
        fit = _newest_first(name, fit)
        if fit:
            several = whole and len({k.commit for k in fit}) > 1
            return _only(ref, fit if several else meant(fit))
        unknown = unknown or (name, matches)
    if unknown is None:
        known = _listed(conn, _select(conn, "", {})) or "none"
        raise UsageError(f"no kernel {ref.text!r} is on record; there are: {known}")
    name, matches = unknown
    asked = ref.text[len(name) + 1 :]
    what = f"kernel with {asked}" if asked else "kernel without patches"
    what += "" if ref.variant is None else f" of variant {ref.variant}"
    raise UsageError(f"{name} has no {what} on record; there are: {_listed(conn, matches)}")


def _newest_first(name: str, fit: Sequence[Kernel]) -> list[Kernel]:
    """Return kernels that fit a name, latest build first, in the order of a branch that it names.

    Commits that no build saw in the branch come last.
    """

    def place(k: Kernel) -> tuple[int, ...]:
        return tuple(k.places.get(name) or k.places.get(name.removeprefix(f"{k.tree}/")) or (-1,))

    return sorted(fit, key=place, reverse=True)


def meant(fit: Sequence[Kernel]) -> list[Kernel]:
    """Return what one name means among kernels that fit it, the newest first.

    It is the newest, and of the same commit those with other build configs.
    """
    by_build: dict[tuple[str, ...], Kernel] = {}
    for k in fit:
        if k.commit == fit[0].commit:
            by_build.setdefault((k.variant, k.arch, k.kconfig), k)
    return list(by_build.values())


def names(every: Sequence[Kernel]) -> dict[int, str]:
    """Return for each id the name by which `resolve` finds the kernel among all on record.

    `every` is all of them, latest build first.  The name is the branch where the kernel is
    the one that it means, else TREE/BRANCH, the describe text, the commit, the digest; with
    the patches after it.
    """
    by_name: dict[tuple[str, _Patches], list[Kernel]] = {}
    for k in every:
        for name in dict.fromkeys(_words(k)):
            by_name.setdefault((name, _patches(k)), []).append(k)
    by_name = {
        (name, patches): _newest_first(name, its) for (name, patches), its in by_name.items()
    }
    named = {}
    for k in every:
        patches = _patches(k)
        fits = (
            name + suffix(patches)
            for name in _words(k)
            if [x.id for x in meant(by_name[name, patches])] == [k.id]
        )
        named[k.id] = next(fits, k.digest[:12])
    return named


def described(k: Kernel, name: str) -> str:
    """Return a name from `names` for people: a digest with what sets its kernel apart."""
    if not k.digest.startswith(name):
        return name
    return f"{name} ({k.name}{suffix(_patches(k))}, variant {k.variant}, {k.arch})"


def listed(conn: Connection) -> list[Kernel]:
    """Return all kernels, latest build first."""
    return _select(conn, "", {})


def board_types(conn: Connection, kernels: Sequence[int]) -> dict[int, list[str]]:
    """Return the board types with complete runs of each of some kernels."""
    rows = conn.execute(
        "SELECT x.kernel, array_agg(DISTINCT r.board_type) FROM read_model.kernel_run x"
        " JOIN run r ON r.id = x.run WHERE x.kernel = ANY(%s) AND r.outcome = 'complete'"
        " GROUP BY x.kernel",
        (list(kernels),),
    )
    return dict(rows.fetchall())


def _words(k: Kernel) -> tuple[str, ...]:
    names = dict.fromkeys((*k.branches, *k.refs))
    return (*names, *(f"{k.tree}/{name}" for name in names), k.describe, k.commit[:12])


def _patches(k: Kernel) -> _Patches:
    return None if k.series is None else (k.series, k.application)


def suffix(patches: _Patches) -> str:
    """Return what names a series and its application after the name of a kernel."""
    if patches is None:
        return ""
    series, application = patches
    return f"+{series}" if application == _FULL else f"+{series}:{application}"


def readings(text: str) -> Iterator[tuple[str, _Patches]]:
    """Yield a name, and series and application, for each that a text may mean.

    A name may have a "+" of its own.
    """
    yield text, _BARE
    for i in [i for i, c in enumerate(text) if c == "+"][::-1]:
        series, colon, application = text[i + 1 :].partition(":")
        match = _APPLICATION.fullmatch(application)
        if colon and match is None and application != _FULL:
            continue
        kind = _FULL if match is None else f"{match[1]}({match[2] or match[3]})"
        yield text[:i], (series, kind)


def _only(ref: KernelRef, fit: Sequence[Kernel]) -> Kernel:
    if len(fit) == 1:
        return fit[0]
    several = ", ".join(described(k, k.digest[:12]) for k in fit)
    one = len({(k.commit, _patches(k)) for k in fit}) == 1
    what = "builds with several configs" if one else "several kernels"
    raise UsageError(f"{ref.text!r} may mean {what}: {several}; give the digest of one")


def _listed(conn: Connection, kernels: Sequence[Kernel]) -> str:
    name = names(listed(conn))
    more = [f"and {len(kernels) - _NAMED} more: `vlag kernels --all`"] if kernels[_NAMED:] else []
    return ", ".join([*(described(k, name[k.id]) for k in kernels[:_NAMED]), *more])
