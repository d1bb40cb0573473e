# SPDX-License-Identifier: GPL-2.0-only
"""The order of a branch's commits, as builds of the branch saw it.

A branch that only moves on has its commits in the order of its first-parent history.  One that
is rewritten, or reset to an older commit, begins a new line: what is seen then is newer than all
before.  No date of a commit counts: its author's clock may be wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import frozen

from vlag.store.database import Connection

# Commits of a branch that are looked for in another one: the newest may have been dropped.
_LAST = 10


@frozen(kw_only=True)
class Sight:
    """What a build saw of a branch when it was asked for one of its commits."""

    branch: str
    head: str  # full id
    head_number: int  # commits of its first-parent history, the head included
    number: int | None  # the same of the commit; None: the head's history does not have it
    rewritten_at: datetime | None  # when the mirror last noticed that it was rewritten
    looked_at: datetime  # by the clock of the host
    history: Sequence[str] = ()  # the head's first parents, the newest first

    @classmethod
    def of(cls, seen: Mapping[str, Any]) -> Sight:
        """Return what a builder kept beside its bundles; times are RFC 3339 there."""
        rewritten = seen["rewritten_at"]
        return cls(**{
            **seen,
            "rewritten_at": None if rewritten is None else datetime.fromisoformat(rewritten),
            "looked_at": datetime.fromisoformat(seen["looked_at"]),
        })  # fmt: skip


def put(conn: Connection, tree: str, commit: str, sight: Sight) -> None:
    """Put what a build saw on record; what is no news changes nothing.

    A bundle may be ingested late, or again: what was seen before the last look places a commit
    that has no place yet, and changes neither the branch's head nor the place of another.
    """
    with conn.transaction():
        conn.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"{tree} {sight.branch}",)
        )
        known = conn.execute(
            "SELECT line, commit, number, rewritten_at, looked_at FROM branch_head"
            " WHERE tree = %s AND branch = %s",
            (tree, sight.branch),
        ).fetchone()
        line, late = 0, False
        if known is not None:
            line, head, number, rewritten_at, looked_at = known
            late = sight.looked_at < looked_at
            moved = head != sight.head
            rewritten = sight.rewritten_at is not None and (
                rewritten_at is None or sight.rewritten_at > rewritten_at
            )
            if not late and moved and (rewritten or sight.head_number <= number):
                line += 1
        if not late:
            conn.execute(
                "INSERT INTO branch_head (tree, branch, line, commit, number, rewritten_at,"
                " looked_at) VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (tree, branch)"
                " DO UPDATE SET line = excluded.line, commit = excluded.commit,"
                " number = excluded.number, looked_at = excluded.looked_at,"
                " rewritten_at = greatest(branch_head.rewritten_at, excluded.rewritten_at)",
                (tree, sight.branch, line, sight.head, sight.head_number, sight.rewritten_at,
                 sight.looked_at),
            )  # fmt: skip
            _place(conn, tree, sight.branch, sight.head, line, sight.head_number)
        if known is None:
            _share(conn, tree, sight)
        own = sight.head_number if commit == sight.head else sight.number
        if own is not None:
            _place(conn, tree, sight.branch, commit, line, own, only_new=late)


def _place(
    conn: Connection, tree: str, branch: str, commit: str, line: int, number: int, *,
    only_new: bool = False,
) -> None:  # fmt: skip
    conn.execute(
        "INSERT INTO branch_commit AS c (tree, branch, commit, line, number)"
        " VALUES (%(tree)s, %(branch)s, %(commit)s, %(line)s, %(number)s)"
        " ON CONFLICT (tree, branch, commit) DO UPDATE SET line = excluded.line,"
        " number = excluded.number, seen_at = now()"
        " WHERE NOT %(only_new)s AND (c.line, c.number) IS DISTINCT FROM"
        " (excluded.line, excluded.number)",
        {"tree": tree, "branch": branch, "commit": commit, "line": line, "number": number,
         "only_new": only_new},
    )  # fmt: skip


def _share(conn: Connection, tree: str, sight: Sight) -> None:
    """Place what was built for other branches and lies in the history of a new one.

    So a branch with another name goes on where only its head is built after a push.
    """
    numbers = {c: sight.head_number - n for n, c in enumerate(sight.history, 1)}
    for (commit,) in conn.execute(
        "SELECT DISTINCT commit FROM branch_commit WHERE tree = %s AND commit = ANY(%s)",
        (tree, list(numbers)),
    ).fetchall():
        _place(conn, tree, sight.branch, commit, 0, numbers[commit])


def rewritten(conn: Connection, tree: str, commits: Sequence[str]) -> dict[str, str]:
    """Return what commits of rewritten branches are called in the newest line of their branch.

    A commit that is written anew keeps its subject.  The keys are all older names of `commits`,
    or of what they have become; what was never rewritten is not among them.
    """
    return newest_names(
        conn.execute(
            "SELECT DISTINCT c.branch, k.subject, c.line, c.number, c.commit FROM kernel w"
            " JOIN branch_commit x ON x.tree = w.tree AND x.commit = w.commit"
            " JOIN kernel k ON k.tree = w.tree AND k.subject = w.subject"
            " JOIN branch_commit c ON c.tree = x.tree AND c.branch = x.branch"
            "   AND c.commit = k.commit"
            " WHERE w.tree = %s AND w.commit = ANY(%s) ORDER BY 1, 2, 3, 4",
            (tree, list(commits)),
        ).fetchall()
    )


def newest_names(alike: Iterable[tuple[str, str, int, int, str]]) -> dict[str, str]:
    """Return what older commits are called in the newest line of their branch.

    `alike` are the commits of one subject: branch, subject, line, number, commit, in that order.
    """
    together: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    for branch, subject, line, _number, commit in alike:
        together[branch, subject].append((line, commit))
    names: dict[str, str] = {}
    for same in together.values():
        newest_line = same[-1][0]
        newest = next(commit for line, commit in same if line == newest_line)
        names |= {commit: newest for line, commit in same if line < newest_line}
    return names


def continued(conn: Connection, tree: str, branch: str) -> str | None:
    """Return the branch that began after the last build of another, and has its last commits.

    So a branch goes on that was given another name.
    """
    row = conn.execute(
        "SELECT c.branch FROM branch_commit c"
        " CROSS JOIN LATERAL (SELECT min(f.id) AS first FROM kernel_ref f"
        "   WHERE f.tree = c.tree AND f.name = c.branch AND f.is_branch) began"
        " WHERE c.tree = %(tree)s AND c.branch <> %(branch)s AND c.commit IN ("
        "   SELECT x.commit FROM branch_commit x WHERE x.tree = %(tree)s AND x.branch = %(branch)s"
        "   ORDER BY x.line DESC, x.number DESC LIMIT %(last)s)"
        " AND began.first > (SELECT max(f.id) FROM kernel_ref f"
        "   WHERE f.tree = %(tree)s AND f.name = %(branch)s AND f.is_branch)"
        " ORDER BY began.first LIMIT 1",
        {"tree": tree, "branch": branch, "last": _LAST},
    ).fetchone()
    return None if row is None else str(row[0])


def branches(conn: Connection) -> list[tuple[str, str]]:
    """Return tree and name of each branch that builds saw."""
    return conn.execute("SELECT tree, branch FROM branch_head ORDER BY 1, 2").fetchall()


def alike(conn: Connection, tree: str, branch: str) -> list[str]:
    """Return the branches that have commits of another one, which may have had their names."""
    rows = conn.execute(
        "SELECT DISTINCT x.branch FROM branch_commit c"
        " JOIN branch_commit x ON x.tree = c.tree AND x.commit = c.commit AND x.branch <> c.branch"
        " WHERE c.tree = %s AND c.branch = %s ORDER BY 1",
        (tree, branch),
    )
    return [str(row[0]) for row in rows]


def places(conn: Connection, tree: str, branch: str) -> dict[str, tuple[int, int]]:
    """Return line and number of each commit that builds saw in a branch."""
    rows = conn.execute(
        "SELECT commit, line, number FROM branch_commit WHERE tree = %s AND branch = %s",
        (tree, branch),
    )
    return {str(commit): (line, number) for commit, line, number in rows}


def dropped(conn: Connection, tree: str, branch: str, commit: str) -> int | None:
    """Return from which line on a branch has a commit no longer, as it was reset to before it.

    None: it has it still, or nobody knows.  After a reset another commit has come to its place, or
    one before it that was built earlier is the head again.  A branch that is rewritten may have it
    under another name (`rewritten`), by which it is to be asked for.
    """
    row = conn.execute(
        "SELECT min(d.line) FROM branch_commit c JOIN branch_commit d ON d.tree = c.tree"
        " AND d.branch = c.branch AND d.line > c.line AND d.number <= c.number"
        " WHERE c.tree = %(tree)s AND c.branch = %(branch)s AND c.commit = %(commit)s"
        " AND (d.number = c.number OR"
        "   (SELECT min(k.id) FROM kernel k WHERE k.tree = d.tree AND k.commit = d.commit)"
        "   < (SELECT min(k.id) FROM kernel k WHERE k.tree = c.tree AND k.commit = c.commit))",
        {"tree": tree, "branch": branch, "commit": commit},
    ).fetchone()
    return None if row is None or row[0] is None else int(row[0])
