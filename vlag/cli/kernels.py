# SPDX-License-Identifier: GPL-2.0-only
"""`vlag kernels`: the kernels on record, by the names that `vlag compare` takes."""

from __future__ import annotations

import textwrap

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.errors import UsageError

_NEWEST = 20  # without --all
_WIDTH = 80


@click.command()
@click.option("--tree", help="Only kernels of this tree.")
@click.option("--branch", help="Only kernels of this branch.")
@click.option("--all", "every", is_flag=True, help=f"All of them (default: the newest {_NEWEST}).")
@FORMAT
@one_sentence
def kernels(tree: str | None, branch: str | None, every: bool, form: str) -> None:
    """List the kernels on record by name.

    The names are those that `vlag compare` takes, the latest build first. A branch, tag or
    commit is the kernel without patches. NAME+SERIES is the one with a whole series,
    NAME+SERIES:solo(2) the one with an application of it; in a shell, quote the latter or
    write NAME+SERIES:solo2.
    """
    from vlag.store import kernels as stored
    from vlag.store.database import connect

    with connect(config.load().dsn()) as conn:
        known = stored.listed(conn)
        documents = [
            k for k in known
            if tree in (None, k.tree) and (branch is None or branch in k.refs)
        ]  # fmt: skip
        if known and not documents:
            there = ", ".join(sorted({f"{k.tree}/{name}" for k in known for name in k.refs}))
            raise UsageError(f"no kernel on record is of that tree and branch; there are: {there}")
        left = 0 if every else len(documents[_NEWEST:])
        documents = documents[: len(documents) - left]
        names = stored.names(known)
        boards = stored.board_types(conn, [k.id for k in documents])
    listed = [
        {
            "name": names[k.id],
            "digest": k.digest,
            "tree": k.tree,
            "branch": k.branch,
            "refs": list(k.refs),
            "commit": k.commit,
            "subject": k.subject,
            "committed_at": k.committed_at.isoformat(),
            "built_at": None if k.built_at is None else k.built_at.isoformat(),
            "release": k.release,
            "board_types": boards.get(k.id, []),
        }
        for k in documents
    ]
    lines = []
    for k in documents:
        types = ", ".join(boards.get(k.id, [])) or "no board"
        subject = f"{k.commit[:12]} {k.committed_at:%Y-%m-%d} {k.subject}"
        lines += [
            stored.described(k, names[k.id]),
            f"    {textwrap.shorten(subject, _WIDTH - 4, placeholder=' ...')}",
        ]
        lines += textwrap.wrap(
            f"release {k.release or 'none'}, runs on {types}", _WIDTH, initial_indent="    ",
            subsequent_indent="    ", break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
    lines += [f"{left} older ones: --all lists them"] if left else []
    emit(form, {"kernels": listed}, "\n".join(lines) or "no kernel is on record")
