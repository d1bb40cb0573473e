"""Kernels, and how a person names one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import field, frozen
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from vlag.errors import RefusedError, UsageError
from vlag.store.database import Connection

_PREFIX = re.compile(r"[0-9a-f]{7,64}")
# What must be equal for one digest; branch, describe and subject are only words for it.
_IDENTITY = ("tree", "commit", "series", "application", "variant", "arch", "kconfig")


@frozen(kw_only=True)
class Kernel:
    """A row of `kernel`."""

    id: int
    digest: str
    tree: str
    branch: str
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


@frozen(kw_only=True)
class KernelRef:
    """A kernel as a person names it, with the knobs of the runs that are meant."""

    text: str  # digest or commit (7 or more digits), branch, tag, describe text
    variant: str | None = None  # None: whichever there is, if there is one
    application: str | None = None  # likewise
    knobs: Mapping[str, str] = field(factory=dict)


_KERNEL = (
    "SELECT id, digest, tree, branch, commit, describe, subject, committed_at, series,"
    " application, variant, arch, kconfig, patches FROM kernel k"
)


def id_of(conn: Connection, kernel: Mapping[str, Any]) -> int:
    """Return the id of a kernel as bundles describe it; add it where it is new.

    Raises RefusedError where its digest is on record for another kernel.
    """
    patches = kernel.get("patches", [])  # bundles from before there were series lack them
    conn.execute(
        "INSERT INTO kernel (digest, tree, branch, commit, describe, subject, committed_at,"
        " series, application, variant, arch, kconfig, patches)"
        " VALUES (%(digest)s, %(tree)s, %(branch)s, %(commit)s, %(describe)s, %(subject)s,"
        " %(committed_at)s, %(series)s, %(application)s, %(variant)s, %(arch)s, %(kconfig)s,"
        " %(patches)s)"
        " ON CONFLICT (digest) DO NOTHING",
        {**kernel, "patches": Jsonb(patches)},
    )
    with conn.cursor(row_factory=class_row(Kernel)) as cursor:
        row = cursor.execute(_KERNEL + " WHERE digest = %s", (kernel["digest"],)).fetchone()
    assert row is not None  # noqa: S101 - it was there or has just been added
    for name in _IDENTITY:
        there, here = getattr(row, name), kernel[name]
        if there != here:
            raise _differs(row, name, there, here)
    # A patch file may get another name, not another content.
    there, here = ([p["sha256"] for p in applied] for applied in (row.patches, patches))
    if there != here:
        raise _differs(row, "patches", there, here)
    return row.id


def _differs(row: Kernel, name: str, there: object, here: object) -> RefusedError:
    return RefusedError(
        f"kernel {row.digest[:12]} is on record with {name} {there!r},"
        f" here it has {here!r}: one digest is one kernel"
    )


def by_id(conn: Connection, id_: int) -> Kernel:
    """Return the kernel of that id; it must exist."""
    with conn.cursor(row_factory=class_row(Kernel)) as cursor:
        row = cursor.execute(_KERNEL + " WHERE id = %s", (id_,)).fetchone()
    if row is None:
        raise LookupError(f"no kernel {id_}")
    return row


def branches(conn: Connection, tree: str) -> list[str]:
    """Return the branches of a tree of which kernels are on record."""
    found = conn.execute("SELECT DISTINCT branch FROM kernel WHERE tree = %s ORDER BY 1", (tree,))
    return [row[0] for row in found]


def _named(conn: Connection, name: str) -> list[Kernel]:
    """Return kernels whose branch, tag or describe text is `name`, latest build first."""
    with conn.cursor(row_factory=class_row(Kernel)) as cursor:
        return cursor.execute(
            _KERNEL  # noqa: S608 - constant
            + " WHERE k.branch = %(name)s OR k.describe = %(name)s"
            " OR EXISTS (SELECT 1 FROM build b WHERE b.kernel = k.id"
            "   AND b.document->'kernel'->>'branch' = %(name)s)"
            " ORDER BY (SELECT max(b.finished_at) FROM build b WHERE b.kernel = k.id)"
            "   DESC NULLS LAST, id DESC",
            {"name": name},
        ).fetchall()


def _with_prefix(conn: Connection, prefix: str) -> list[Kernel]:
    """Return kernels whose digest or commit begins with `prefix` (hexadecimal digits)."""
    with conn.cursor(row_factory=class_row(Kernel)) as cursor:
        return cursor.execute(
            _KERNEL + " WHERE starts_with(digest::text, %(prefix)s)"
            " OR starts_with(commit::text, %(prefix)s) ORDER BY id",
            {"prefix": prefix},
        ).fetchall()


def _latest(conn: Connection, limit: int) -> list[Kernel]:
    """Return the kernels that entered last, newest first."""
    with conn.cursor(row_factory=class_row(Kernel)) as cursor:
        return cursor.execute(_KERNEL + " ORDER BY id DESC LIMIT %s", (limit,)).fetchall()


def resolve(conn: Connection, ref: KernelRef) -> Kernel:
    """Return the kernel that a person means.

    A branch, tag or describe text means its latest build; 7 or more hexadecimal
    digits begin a digest or a commit.  Raises UsageError that lists the candidates
    where there is none or more than one.
    """
    found = _named(conn, ref.text)
    if found:  # the latest build's commit; its variants and applications are candidates
        found = [k for k in found if k.commit == _first(found, ref).commit]
    elif _PREFIX.fullmatch(ref.text):
        found = _with_prefix(conn, ref.text)
        found = [k for k in found if k.digest == ref.text] or found
    fit = [k for k in found if _fits(k, ref)]
    if len(fit) == 1:
        return fit[0]
    if not fit:
        known = _list(found or _latest(conn, 5))
        raise UsageError(f"no kernel {ref.text!r} is on record as asked for; there are: {known}")
    raise UsageError(f"{ref.text!r} may mean {_list(fit)}; give the digest")


def _first(found: Sequence[Kernel], ref: KernelRef) -> Kernel:
    return next((k for k in found if _fits(k, ref)), found[0])


def _fits(kernel: Kernel, ref: KernelRef) -> bool:
    return ref.variant in (None, kernel.variant) and ref.application in (None, kernel.application)


def _list(kernels: Iterable[Kernel]) -> str:
    return (
        ", ".join(
            f"{k.digest[:12]} ({k.branch} {k.commit[:12]}, {k.variant},"
            f" {'' if k.series is None else k.series + ' '}{k.application})"
            for k in kernels
        )
        or "none"
    )
