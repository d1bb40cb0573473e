"""Stage one: a branch, tag or commit becomes a kernel bundle."""

from __future__ import annotations

import datetime
import os
import shlex
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from vlag.bundle import Bundle, add_ref, describe, is_final, read
from vlag.config import DEFAULT, Settings
from vlag.config.catalogue import KCONFIG, Catalogue, variant_fragment
from vlag.errors import UsageError
from vlag.kernel import build as kernel_build
from vlag.kernel import mirror, refs
from vlag.kernel import series as patch_series
from vlag.lock import hold
from vlag.model import BoardType, Outcome

#: Environment variable with the name of this worker host, if there are several.
HOST = "VLAG_WORKER_HOST"


def prepare_mirrors(settings: Settings, say: Callable[[str], None]) -> None:
    """Make or refresh the local mirror of every tree."""
    for tree in settings.trees.values():
        if tree.url is not None:
            mirror.clone(settings.mirror(tree.name), tree.url, say)
        else:
            mirror.import_packages(settings.mirror(tree.name), tree.packages, say)


def build(
    *,
    settings: Settings,
    catalogue: Catalogue,
    tree: str,
    ref: str,
    branch: str | None,
    series: str | None = None,
    application: str | None = None,
    variant: str = DEFAULT,
    board_type: str,
    fresh: bool,
    say: Callable[[str], None],
) -> Bundle:
    """Build `ref` of `tree` for a board type, or return the existing bundle.

    `series` is a folder of `kernel-patches/`, `application` how much of it is applied
    (default: full).  `variant` is a build-time variant, `default` or a file of
    `workers/kconfig/variants/`.  `fresh` builds again in any case; a failed build is always tried
    again.
    """
    if tree not in settings.trees:
        raise UsageError(
            f"no tree {tree!r} in {settings.path}; there are: {', '.join(settings.trees)}"
        )
    board = catalogue.board_type(board_type)
    applied, patches = select_patches(series, application)
    repository = settings.mirror(tree)
    if not repository.exists():
        prepare_mirrors(settings, say)
    url = settings.trees[tree].url
    if url is not None:
        mirror.clone(repository, url, say)
    commit = mirror.resolve(repository, ref)
    # People want to read the tag that a pattern matched, not the pattern.
    name = branch or (commit.describe if refs.is_selection(ref) else ref)
    kernel = identify(
        board,
        tree=tree,
        branch=name,
        commit=commit,
        series=series,
        applied=applied,
        patches=patches,
        variant=variant,
    )
    what = commit.describe
    given = ""
    if variant != DEFAULT:
        what += f", variant {variant}"
        given += f" --variant {variant}"
    if kernel["series"] is not None:
        what += f" + {series} {applied}"
        given += f" --series {series} --application {shlex.quote(str(applied))}"
    # A folder for each attempt: one that failed stays as it was.
    attempts = settings.builds / kernel["digest"][:16]
    add_ref(attempts, name, is_branch=branch is not None or commit.is_branch)
    known = None if fresh else finished(attempts, say)
    if known is not None:
        say(f"{known.document['release']} ({what}) is built already")
        return known
    # One work tree for all branches: a compiler cache hits only where the paths are equal.
    # Each of several hosts has its own, so that they build side by side.
    host = os.environ.get(HOST)
    worktree = settings.state / "src" / (f"{tree}@{host}" if host else tree)
    busy = "another host builds the same kernel; waiting for its end"
    with (
        hold(attempts / "lock", lambda: say(busy)),
        kernel_build.checkout(repository, worktree, commit.sha, say) as source,
    ):
        # Another build of the same kernel may have held these locks until now.
        known = None if fresh else finished(attempts, say)
        if known is not None:
            return known
        started = datetime.datetime.now(datetime.UTC)
        bundle = attempts / f"{started:%Y%m%dT%H%M%SZ}-{uuid.uuid4().hex[:6]}"
        say(f"building {what} with {settings.jobs} jobs")
        document = kernel_build.build(
            kernel=kernel,
            source=source,
            bundle=bundle,
            kconfig_target=board.kconfig_target,
            fragments=fragments_of(board, variant),
            patches=patches,
            jobs=settings.jobs,
            ccache=settings.state / "ccache",
            reproduce=(
                f"vlag build --tree {tree} --ref {commit.sha} --board-type {board_type}{given}"
            ),
            say=say,
        )
    return Bundle(folder=bundle, document=document, reused=False)


def fragments_of(board: BoardType, variant: str = DEFAULT) -> list[Path]:
    """Return the config fragments of a board type's kernels; UsageError for an unknown variant."""
    own = variant_fragment(variant)
    return [*(KCONFIG / name for name in board.kconfig), *([own] if own else [])]


def identify(
    board: BoardType,
    *,
    tree: str,
    branch: str,
    commit: mirror.Commit,
    series: str | None,
    applied: patch_series.Application,
    patches: Sequence[patch_series.Patch],
    variant: str = DEFAULT,
) -> dict[str, Any]:
    """Return the identity of a kernel for a board type, as `kernel.schema.json` describes it."""
    return kernel_build.identity(
        tree=tree,
        branch=branch,
        commit=commit,
        arch=board.arch,
        kconfig_target=board.kconfig_target,
        fragments=fragments_of(board, variant),
        variant=variant,
        series=series,
        application=applied,
        patches=patches,
    )


def select_patches(
    series: str | None, application: str | None
) -> tuple[patch_series.Application, tuple[patch_series.Patch, ...]]:
    """Return the application of a series, and its patches."""
    if series is None:
        if application is not None:
            raise UsageError(
                f"--application {application}: of which series? --series names a folder of"
                " kernel-patches/"
            )
        return patch_series.NONE, ()
    applied = patch_series.Application.parse(application or str(patch_series.FULL))
    return applied, patch_series.select(patch_series.read(patch_series.PATCHES, series), applied)


def finished(attempts: Path, say: Callable[[str], None]) -> Bundle | None:
    """Return the newest attempt in a folder of builds that gave a complete kernel."""
    for path in sorted(attempts.glob("*/build.json"), reverse=True):
        document = read(path, say) if is_final(path.parent) else None
        if document is None:
            continue
        # One built in another way may be another kernel.
        made_alike = document["environment"] == kernel_build.ENVIRONMENT
        if document["outcome"] != Outcome.COMPLETE.value or not made_alike:
            continue
        image = path.parent / document["image"]["path"]
        if image.is_file() and describe(path.parent, image.name) == document["image"]:
            return Bundle(folder=path.parent, document=document, reused=True)
    return None
