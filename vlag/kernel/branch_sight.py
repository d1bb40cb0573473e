# SPDX-License-Identifier: GPL-2.0-only
"""What a mirror shows of a branch, and of the place of a commit in it."""

from __future__ import annotations

import datetime
from pathlib import Path

from vlag.bundle_records import BranchSight
from vlag.kernel import upstream
from vlag.kernel.git import commit_of, git

#: First parents that are told of a head: a push may bring many commits of which only its head is
#: built, and what was built before is looked for among them.
HISTORY = 100


def sight(mirror: Path, branch: str, commit: str) -> BranchSight | None:
    """Return head, place of a commit and last rewrite of a branch; None: it is not there.

    Times are RFC 3339.
    """
    looked_at = datetime.datetime.now(datetime.UTC).isoformat()
    head = commit_of(mirror, f"refs/heads/{branch}")
    if head is None:
        return None
    head_number = int(git(mirror, "rev-list", "--first-parent", "--count", head))
    # How far the commit is behind, if it is one of the first parents.
    behind = int(git(mirror, "rev-list", "--first-parent", "--count", f"{commit}..{head}"))
    own = head_number - behind if commit_of(mirror, f"{head}~{behind}") == commit else None
    history = git(mirror, "rev-list", "--first-parent", f"--max-count={HISTORY + 1}", head)
    return {
        "head": head,
        "history": history.split()[1:],
        "head_number": head_number,
        "number": own,
        "rewritten_at": upstream.rewritten_at(mirror, branch),
        "looked_at": looked_at,
    }
