# SPDX-License-Identifier: GPL-2.0-only
"""A series that was sent on the pages: read, imported, and held against its base."""

from __future__ import annotations

import hashlib
import re
import tempfile
from pathlib import Path
from typing import TypedDict

from attrs import frozen

from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import patch_mail
from vlag.kernel.patch_check import Tree
from vlag.kernel.patch_mail import Imported, Thread
from vlag.model import TryState
from vlag.pipeline.build_stage import commit_of, refuse_unboxed
from vlag.pipeline.night_plan import planned_runs
from vlag.store import tries
from vlag.store.database import Connection

#: Bytes of a series with an earlier version of it; the longest of the kernel's lists have less.
MOST_BYTES = 4 << 20
#: Mails of a series: git is started twice for each.
MOST_MAILS = 200

_MAIL = re.compile(rb"^From ", re.MULTILINE)


class TryProperties(TypedDict):
    """What the master's builds need of a try."""

    tree: str
    base: str
    commit: str
    plan: str
    board_type: str
    series: str  # folder of the patches
    against: str | None  # folder of an earlier version
    applications: list[str]


@frozen(kw_only=True)
class Begun:
    """A try whose patches apply, or the sentence on why it ends here."""

    reason: str | None
    properties: TryProperties | None  # None with a reason


def thread(mbox: bytes, name: str) -> Thread:
    """Return the newest revision of the series in an mbox.

    `name` is what messages call the mbox.  Raises UsageError for what is no mbox, has no series,
    or is too much.
    """
    if (count := len(_MAIL.findall(mbox))) > MOST_MAILS:
        raise UsageError(f"{name} has {count} mails; {MOST_MAILS} are the most that can be tried")
    with tempfile.TemporaryDirectory(prefix="vlag-try-") as scratch:
        path = Path(scratch) / "mbox"
        path.write_bytes(mbox)
        try:
            mails = patch_mail.read(path)
            revisions = [m.revision for m in mails if m.diff and not m.reply]
            return patch_mail.thread(mails, max(revisions, default=None))
        except UsageError as e:
            message = str(e).replace(str(path), name)
            raise type(e)(message if message.startswith(name) else f"{name}: {message}") from e


def series_name(sha256: str) -> str:
    """Return the name of the series of an mbox with that digest."""
    return f"try-{sha256[:12]}"


def begin(conn: Connection, settings: Settings, catalogue: Catalogue, number: int) -> Begun:
    """Import the series of a try and check that it applies; a restart finds it imported.

    The try ends here if it does not.  Raises UsageError if there is no such try.
    """
    wanted = tries.get(conn, number)
    if wanted is None:
        raise UsageError(f"there is no try {number} on record")
    tries.begin(conn, number)
    try:
        refuse_unboxed(settings)
        commit = commit_of(settings, wanted.tree, wanted.base)
        made = [
            _imported(settings, mbox, name)
            for name, mbox in (("the earlier version", wanted.against), ("the series", wanted.mbox))
            if mbox is not None
        ]
        for one in made:
            _check(settings, wanted.tree, commit.sha, commit.describe, one)
    except UsageError as e:
        tries.end(conn, number, TryState.FAILED, str(e))
        return Begun(reason=str(e), properties=None)
    count = len(made[-1].patches)
    applications = [f"prefix({i})" for i in range(1, count)] if wanted.each else []
    runs = len(planned_runs(catalogue, wanted.plan, [wanted.board_type]))
    tries.plan(conn, number, commit.sha, runs * (2 + len(applications)))
    return Begun(
        reason=None,
        properties={
            "tree": wanted.tree, "base": wanted.base, "commit": commit.sha, "plan": wanted.plan,
            "board_type": wanted.board_type, "series": made[-1].folder.name,
            "against": made[0].folder.name if wanted.against is not None else None,
            "applications": [*applications, "full"],
        },
    )  # fmt: skip


def _imported(settings: Settings, mbox: bytes, name: str) -> Imported:
    sha256 = hashlib.sha256(mbox).hexdigest()
    return patch_mail.take(thread(mbox, name), settings.tries, series_name(sha256))


def _check(settings: Settings, tree: str, commit: str, describe: str, made: Imported) -> None:
    """Raise UsageError on the first hunk that does not apply."""
    with tempfile.TemporaryDirectory(prefix="vlag-series-") as scratch:
        fits = Tree(settings.mirror(tree), commit, Path(scratch)).fit(made.patches)
    for fit in fits:
        if not fit.state.applies:
            bad = next((h for h in fit.hunks if not h.state.applies), None)
            where = "" if bad is None else f" ({bad.file}{f':{bad.line}' if bad.line else ''})"
            raise UsageError(f"{fit.patch.name} {fit.state.value} on {describe}{where}")
