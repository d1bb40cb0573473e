# SPDX-License-Identifier: GPL-2.0-only
"""One commit, from the mirror of this installation: message, files and difference."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import frozen
from flask import render_template, request

from vlag.errors import InfrastructureError
from vlag.kernel import commit_diff
from vlag.kernel.commit_diff import CommitDifference, CommitText, Piece
from vlag.kernel.git import commit_of
from vlag.model import COMMIT_PREFIX
from vlag.report import read_model
from vlag.report.overview import ROLES
from vlag.store import path_points
from vlag.web.installation import reading, site
from vlag.web.pages.blueprint import pages
from vlag.web.params import Params, missing, wrong

_DIGITS = re.compile(COMMIT_PREFIX)


@frozen(kw_only=True)
class Mirrored:
    """What the mirror has of a commit."""

    text: CommitText | None = None
    difference: CommitDifference | None = None
    why_not: str | None = None  # a sentence, where there is no difference to show


@pages.get("/commit")
def commit() -> str:
    """One commit of a tree."""
    asked = Params(request.args, "tree", "commit")
    tree, digits = asked.text("tree"), asked.text("commit").lower()
    if not _DIGITS.fullmatch(digits):
        wrong(f"commit={digits!r} is not the id of a commit; write at least its first 7 digits.")
    mirrored = _mirrored(tree, digits)
    with reading() as conn:
        sha = digits if mirrored.text is None else mirrored.text.sha
        kernels = read_model.kernels_of_commit(conn, tree, sha)
        if mirrored.text is None and not kernels:
            missing(f"There is no commit {digits[:12]} of tree {tree} here. {mirrored.why_not}")
        sha = kernels[0]["commit"] if mirrored.text is None else sha
        comparisons = read_model.comparisons_of_commit(conn, tree, sha)
        functions = read_model.functions_of_commit(conn, tree, sha)
        counted = path_points.branches_of(conn, tree, sha)
    return render_template(
        "commit.html",
        tree=tree, sha=sha,
        subject=kernels[0]["subject"] if mirrored.text is None else mirrored.text.subject,
        mirrored=mirrored, kernels=kernels, comparisons=comparisons, roles=ROLES,
        functions=functions, counted=counted, named=lambda pieces: named(pieces, functions),
        named_in=lambda text: named([Piece(text=text, changed=False)], functions),
        public=site().commit_url(tree, sha),
    )  # fmt: skip


def _mirrored(tree: str, digits: str) -> Mirrored:
    mirror = site().mirrors.get(tree)
    if mirror is None:
        return Mirrored(why_not=f"The settings name no tree {tree} with commits.")
    if not mirror.exists():
        return Mirrored(why_not=f"This machine has no mirror of {tree} yet.")
    try:
        sha = commit_of(mirror, digits)
        if sha is None or not sha.startswith(digits):  # a branch may have such a name
            return Mirrored(why_not=f"The mirror of {tree} on this machine has no such commit.")
        text = commit_diff.text_of(mirror, sha)
        return Mirrored(text=text, difference=commit_diff.difference_of(mirror, text))
    except InfrastructureError as e:
        return Mirrored(why_not=f"The mirror of {tree} cannot be read now: {e}.")


@frozen(kw_only=True)
class Shown:
    """A part of a line as the page shows it."""

    text: str
    changed: bool
    is_function: bool  # which a profile names


def named(pieces: Sequence[Piece], functions: Sequence[str]) -> list[Shown]:
    """Split the pieces of a line so that names of functions stand by themselves."""
    if not functions:
        return [Shown(text=p.text, changed=p.changed, is_function=False) for p in pieces]
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, functions))})\b")
    return [
        Shown(text=text, changed=p.changed, is_function=bool(number % 2))
        for p in pieces
        for number, text in enumerate(pattern.split(p.text))
        if text
    ]
