# SPDX-License-Identifier: GPL-2.0-only
"""Stage one: a branch, tag or commit becomes a kernel bundle."""

from __future__ import annotations

import datetime
import fnmatch
import json
import logging
import os
import shlex
import shutil
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from vlag import durable
from vlag.bundle import Bundle, add_ref, describe, is_final, note_sight, note_use, read
from vlag.bundle_records import BuildRecord, CompleteBuild, KernelRecord, PrebuiltRecord
from vlag.config import DEFAULT, Settings, kernel_needs
from vlag.config.catalogue import KCONFIG, Catalogue, variant_fragment
from vlag.errors import InfrastructureError, UsageError
from vlag.kernel import branch_sight, mirror, prebuilt, refs, upstream
from vlag.kernel import modules as kernel_modules
from vlag.kernel import series as patch_series
from vlag.kernel import tuxmake_build as kernel_build
from vlag.kernel.images import ImageRecord, Images
from vlag.kernel.images import describe as describe_image
from vlag.kernel.kconfig import Need, options
from vlag.kernel.mirror import Commit
from vlag.kernel.tuxmake import Tools
from vlag.kernel.tuxmake_build import Configured, Recipe
from vlag.lock import hold
from vlag.model import BoardType, Outcome
from vlag.sandbox import NONE

log = logging.getLogger(__name__)

#: Environment variable with the name of this worker host, if there are several.
HOST = "VLAG_WORKER_HOST"

_BUSY = "another host builds the same kernel; waiting for its end"


def prepare_mirrors(settings: Settings) -> None:
    """Make or refresh the local mirror of every tree; of prebuilt ones what is watched.

    Raises InfrastructureError for a tree that could not be cloned, after all the others.
    """
    failed = None
    for name in settings.trees:
        try:
            _prepare(settings, name)
        except InfrastructureError as e:
            log.info(str(e))
            failed = failed or e
    if failed is not None:
        raise failed


def refuse_unboxed(settings: Settings) -> None:
    """Raise UsageError where builds have no sandbox: patches of strangers are not built there."""
    if settings.sandbox.kind == NONE:
        raise UsageError(
            '[sandbox] kind = "none" of the settings: a stranger\'s makefiles would run as the user'
            " of this service; builds of others need a sandbox (docs/sandbox.md)"
        )


def images_of(settings: Settings, name: str) -> Images | None:
    """Return the prebuilt kernels of a tree; None: it has sources."""
    tree = settings.tree(name)
    if not tree.images:
        return None
    return Images(
        tree=name,
        mirror=settings.mirror(name),
        folder=settings.state / "images" / name,
        branches=tree.images,
        sources=tree.sources,
    )


def _prepare(settings: Settings, name: str) -> str | None:
    """Bring a tree up to date; return a sentence if its remote could not be fetched."""
    tree = settings.trees[name]
    images = images_of(settings, name)
    if images is not None:
        for watched in settings.branches:
            own = watched.tree == name
            heads = [b for b in tree.images if own and fnmatch.fnmatchcase(b, watched.branch)]
            for ref in (*heads, *([watched.baseline] if watched.base_tree == name else [])):
                images.bring(ref)
    elif tree.url is not None:
        return mirror.clone(settings.mirror(name), tree.url, settings.watched(name))
    else:
        mirror.import_packages(settings.mirror(name), tree.packages)
    return None


#: A bundle that was just built, or one on record.
Built = Bundle[BuildRecord] | Bundle[CompleteBuild]


@frozen(kw_only=True)
class Request:
    """A kernel that somebody asks for."""

    tree: str
    ref: str  # branch, tag, commit or pattern
    branch: str | None = None  # whose commit the ref is
    board_type: str
    series: str | None = None  # folder of `kernel-patches/`
    application: str | None = None  # how much of the series is applied; None: all
    variant: str = DEFAULT  # or a file of `workers/kconfig/variants/`
    fresh: bool = False  # build again in any case; a failed build is always tried again
    # Patches of somebody whom nobody vouches for, as are those of a series that was sent on the
    # pages or that nobody has read: nothing of the build stays but its result.
    strange: bool = False


@frozen(kw_only=True)
class _Wanted:
    """A kernel to build: what it is of, and where its builds are."""

    request: Request
    board: BoardType
    commit: Commit
    name: str  # of the ref, as people want to read it
    applied: patch_series.Application
    patches: Sequence[patch_series.Patch]
    images: Images | None  # of a tree of prebuilt kernels
    kernel: KernelRecord  # its identity
    attempts: Path  # a folder for each build: one that failed stays as it was

    @property
    def label(self) -> str:
        """Return what is built, in words."""
        variant = self.request.variant
        of_variant = f", variant {variant}" if variant != DEFAULT else ""
        series = (
            f" + {self.request.series} {self.applied}" if self.kernel["series"] is not None else ""
        )
        return f"{self.commit.describe}{of_variant}{series}"

    @property
    def reproduce(self) -> str:
        """Return the command that builds the same."""
        request = self.request
        words = f"vlag build --tree {request.tree} --ref {self.commit.sha}"
        words += f" --board-type {request.board_type}"
        if request.variant != DEFAULT:
            words += f" --variant {request.variant}"
        if self.kernel["series"] is not None:
            words += f" --series {request.series} --application {shlex.quote(str(self.applied))}"
        return words


def build(*, settings: Settings, catalogue: Catalogue, request: Request) -> Built:
    """Build a kernel for a board type, or return the existing bundle.

    Strange patches without a sandbox are a UsageError.
    """
    if patch_series.is_strange(patch_series.PATCHES, request.series):
        request = evolve(request, strange=True)
    wanted = _wanted(settings, catalogue, request)
    _note_ref(settings, wanted)
    if (known := _known(wanted)) is not None:
        log.info(f"{known.document['release']} ({wanted.label}) is built already")
        return known
    if wanted.images is not None:
        return _unpack(wanted, wanted.images)
    return _compile(settings, catalogue, wanted)


def _wanted(settings: Settings, catalogue: Catalogue, request: Request) -> _Wanted:
    """Find what a request asks for; raises UsageError where it is not there."""
    images = images_of(settings, request.tree)
    board = catalogue.board_type(request.board_type)
    applied, patches = select_patches(request.series, request.application, settings.tries)
    if request.strange:
        refuse_unboxed(settings)
    repository, ref = settings.mirror(request.tree), request.ref
    is_branch = request.branch == ref
    if images is not None:
        images.bring(ref)
        commit = _resolve(repository, ref, branch=is_branch)
    else:
        commit = commit_of(settings, request.tree, ref, branch=is_branch)
    # People want to read the tag that a pattern matched, not the pattern.
    name = request.branch or (commit.describe if refs.is_selection(ref) else ref)
    kernel = identify(
        board,
        tree=request.tree,
        branch=name,
        commit=commit,
        series=request.series,
        applied=applied,
        patches=patches,
        variant=request.variant,
        image=None if images is None else describe_image(repository, commit.sha),
    )
    return _Wanted(
        request=request, board=board, commit=commit, name=name, applied=applied, patches=patches,
        images=images, kernel=kernel, attempts=settings.builds / kernel["digest"][:16],
    )  # fmt: skip


def _note_ref(settings: Settings, wanted: _Wanted) -> None:
    """Note by which name a kernel was asked for, and where its commit is along a branch."""
    of_branch = wanted.request.branch is not None or wanted.commit.is_branch
    add_ref(wanted.attempts, wanted.name, is_branch=of_branch)
    if of_branch:
        repository = settings.mirror(wanted.request.tree)
        seen = branch_sight.sight(repository, wanted.name, wanted.commit.sha)
        if seen is not None:
            note_sight(wanted.attempts, wanted.name, seen)


def _known(wanted: _Wanted) -> Bundle[CompleteBuild] | None:
    return None if wanted.request.fresh else finished(wanted.attempts)


def _unpack(wanted: _Wanted, images: Images) -> Built:
    """Make the bundle of a prebuilt kernel."""
    with hold(wanted.attempts / "lock", lambda: log.info(_BUSY)):
        if (known := _known(wanted)) is not None:
            return known
        _, files = images.fetched(wanted.commit.sha)
        bundle = wanted.attempts / _attempt()
        log.info(f"unpacking {wanted.label}")
        document = _unpacked(wanted.board, wanted.kernel, files, bundle, wanted.reproduce)
    return Bundle(folder=bundle, document=document, reused=False)


def _compile(settings: Settings, catalogue: Catalogue, wanted: _Wanted) -> Built:
    """Make the bundle of a kernel from source."""
    request, tree = wanted.request, wanted.request.tree
    kernel_build.clear_scratch(settings.builds)
    with (
        hold(wanted.attempts / "lock", lambda: log.info(_BUSY)),
        kernel_build.checkout(
            settings.mirror(tree), worktree(settings, tree), wanted.commit.sha
        ) as source,
    ):
        # Another build of the same kernel may have held these locks until now.
        if (known := _known(wanted)) is not None:
            return known
        bundle = wanted.attempts / _attempt()
        log.info(f"building {wanted.label} with {settings.jobs} jobs")
        document = kernel_build.build(
            kernel=wanted.kernel,
            source=source,
            bundle=bundle,
            recipe=recipe_of(
                wanted.board, request.variant, kernel_needs.of_board_type(wanted.board, catalogue)
            ),
            patches=wanted.patches,
            tools=Tools(
                jobs=settings.jobs,
                ccache=settings.state / "ccache",
                stores=not request.strange,
                rules=settings.sandbox,
                place=settings.state / "src" / tree,
                kept=settings.kept_objects,
            ),
            reproduce=wanted.reproduce,
        )
    return Bundle(folder=bundle, document=document, reused=False)


def _unpacked(
    board: BoardType,
    kernel: KernelRecord,
    files: Sequence[Path],
    bundle: Path,
    reproduce: str,
) -> CompleteBuild:
    """Unpack a prebuilt kernel into `bundle`, with the modules that its boards load.

    Raises UsageError if they load some and the package does not have them, or if there is no
    package but an image and a config.
    """
    if not board.modules:
        return prebuilt.build(kernel=kernel, files=files, bundle=bundle, reproduce=reproduce)
    draft = bundle.with_name(f"{bundle.name}.partial")
    try:
        document = _with_modules(board, kernel, files, draft, reproduce)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    durable.place(draft, bundle)
    return document


def _with_modules(
    board: BoardType, kernel: KernelRecord, files: Sequence[Path], draft: Path, reproduce: str
) -> CompleteBuild:
    document = prebuilt.build(kernel=kernel, files=files, bundle=draft, reproduce=reproduce)
    asked = kernel_modules.names(
        board.modules, options((draft / "config").read_text(encoding="utf-8", errors="replace"))
    )
    if asked and len(files) != 1:
        raise UsageError(
            f"{kernel['prebuilt']['name']}: boards of type {board.name} load"
            f" {', '.join(asked)}, and there is no package with them: an image and a config alone"
            " have no modules"
        )
    if asked:
        kernel_modules.take_package(files[0], asked, draft / kernel_modules.FILE)
        document["files"].append(describe(draft, kernel_modules.FILE))
        with durable.replacing(draft / "build.json") as new:
            new.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return document


@frozen(kw_only=True)
class Checked:
    """A commit, and the config that its kernel would have."""

    commit: mirror.Commit
    config: Configured


def check(
    *,
    settings: Settings,
    catalogue: Catalogue,
    tree: str,
    ref: str,
    variant: str = DEFAULT,
    board_type: str,
) -> Checked:
    """Make the config of `ref` for a board type, and nothing else.

    Raises UsageError for a tree of prebuilt kernels: their config is the distribution's.
    """
    board = catalogue.board_type(board_type)
    if settings.tree(tree).images:
        raise UsageError(
            f"--check: {tree} is a tree of prebuilt kernels, whose config is their distribution's"
        )
    repository = settings.mirror(tree)
    commit = commit_of(settings, tree, ref)
    needs = kernel_needs.of_board_type(board, catalogue)
    with (
        kernel_build.checkout(repository, worktree(settings, tree), commit.sha) as source,
        tempfile.TemporaryDirectory(prefix="vlag-config-") as scratch,
    ):
        log.info(f"configuring {commit.describe} for {board_type}")
        Path(scratch).chmod(0o711)  # the build's user goes through it
        config = kernel_build.configure(
            arch=board.arch,
            source=source,
            scratch=Path(scratch),
            recipe=recipe_of(board, variant, needs),
            rules=settings.sandbox,
        )
    return Checked(commit=commit, config=config)


def _resolve(repository: Path, ref: str, *, branch: bool) -> Commit:
    """Find a commit as `mirror.resolve` does, and log where its name is that of another too."""
    commit = mirror.resolve(repository, ref, branch=branch)
    for sentence in commit.ambiguities:
        log.info(sentence)
    return commit


def commit_of(settings: Settings, tree: str, ref: str, *, branch: bool = False) -> Commit:
    """Bring a tree up to date and find a commit of it, of a `branch` or as `mirror.resolve` does.

    Raises UsageError for a ref that is not there, also because its branch has vanished, and
    InfrastructureError if the tree may have it but could not be fetched.
    """
    repository, behind = settings.mirror(tree), None
    if settings.trees[tree].url is not None or not repository.exists():
        behind = _prepare(settings, tree)
    try:
        return _resolve(repository, ref, branch=branch)
    except UsageError as e:
        if absence := upstream.absent(repository, ref):
            raise UsageError(f"{absence}; take it out of the settings, or name another one") from e
        if behind is not None:
            raise InfrastructureError(f"{e}; {behind}", retry=True) from e
        raise


def worktree(settings: Settings, tree: str) -> Path:
    """Return the work tree in which this host builds a tree's commits."""
    # One work tree for all branches: a compiler cache hits only where the paths are equal.
    # Each of several hosts has its own, so that they build side by side.
    host = os.environ.get(HOST)
    return settings.state / "src" / (f"{tree}@{host}" if host else tree)


def _attempt() -> str:
    """Return the name of a new bundle's folder."""
    return f"{datetime.datetime.now(datetime.UTC):%Y%m%dT%H%M%SZ}-{uuid.uuid4().hex[:6]}"


def fragments_of(board: BoardType, variant: str = DEFAULT) -> list[Path]:
    """Return the config fragments of a board type's kernels; UsageError for an unknown variant."""
    own = variant_fragment(variant)
    return [*(KCONFIG / name for name in board.kconfig), *([own] if own else [])]


def recipe_of(board: BoardType, variant: str, needs: Sequence[Need] = ()) -> Recipe:
    """Return what a board type's kernels are configured from; raises as `fragments_of`."""
    return Recipe(
        kconfig_target=board.kconfig_target,
        fragments=fragments_of(board, variant),
        needs=needs,
        board=board.name,
        device_tree=board.dtb,
        roles=kernel_needs.roles(board),
        modules=board.modules,
    )


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
    image: ImageRecord | None = None,
) -> KernelRecord:
    """Return the identity of a kernel for a board type, as `kernel.schema.json` describes it.

    `image` is what a commit of a tree of prebuilt kernels describes.  Raises UsageError for
    patches or a variant of such a kernel, and for one of another architecture.
    """
    if image is not None:
        return _identify_image(board, tree, branch, commit, series, variant, image)
    return kernel_build.identity(
        tree=tree,
        branch=branch,
        commit=commit,
        arch=board.arch,
        recipe=recipe_of(board, variant),
        variant=variant,
        series=series,
        application=applied,
        patches=patches,
    )


def _identify_image(
    board: BoardType,
    tree: str,
    branch: str,
    commit: mirror.Commit,
    series: str | None,
    variant: str,
    image: ImageRecord,
) -> KernelRecord:
    what = f"{commit.describe} of tree {tree} is a prebuilt kernel"
    if series is not None:
        raise UsageError(f"--series {series}: {what}; patches need a tree with sources")
    if variant != DEFAULT:
        raise UsageError(f"--variant {variant}: {what}; its config is the distribution's")
    if image["architecture"] != prebuilt.DEBIAN.get(board.arch):
        raise UsageError(
            f"{what} for {image['architecture']}; boards of type {board.name} are {board.arch}"
        )
    identity = kernel_build.identity(
        tree=tree,
        branch=branch,
        commit=commit,
        arch=board.arch,
        recipe=Recipe(kconfig_target="prebuilt", modules=board.modules),
    )
    record = PrebuiltRecord(name=image["name"], version=image["version"], sha256=image["sha256"])
    return {**identity, "prebuilt": record}


def select_patches(
    series: str | None, application: str | None, tries: Path | None = None
) -> tuple[patch_series.Application, tuple[patch_series.Patch, ...]]:
    """Return the application of a series, and its patches.

    `tries` is the folder of those that were sent on the pages.
    """
    if series is None:
        if application is not None:
            raise UsageError(
                f"--application {application}: of which series? --series names a folder of"
                " kernel-patches/"
            )
        return patch_series.NONE, ()
    applied = patch_series.Application.parse(application or str(patch_series.FULL))
    root = patch_series.PATCHES
    if tries is not None and patch_series.is_tried(series):
        root = tries
    return applied, patch_series.select(patch_series.read(root, series), applied)


def _by_this_compiler(document: Mapping[str, Any]) -> bool:
    """Return whether a kernel was built by this host's compiler; True where it has none."""
    try:
        return bool(document["toolchain"] == kernel_build.toolchain(document["kernel"]["arch"]))
    except UsageError:
        return True


def finished(attempts: Path) -> Bundle[CompleteBuild] | None:
    """Return the newest attempt in a folder of builds that gave a complete kernel.

    One of another compiler is another kernel, so it is built again when the compiler changes.
    """
    for path in sorted(attempts.glob("*/build.json"), reverse=True):
        document = read(CompleteBuild, path) if is_final(path.parent) else None
        if document is None:
            continue
        # One built in another way may be another kernel.
        way = prebuilt if "prebuilt" in document["kernel"] else kernel_build
        made_alike = document["environment"] == way.ENVIRONMENT
        if document["outcome"] != Outcome.COMPLETE.value or not made_alike:
            continue
        if way is kernel_build and not _by_this_compiler(document):
            continue
        image = path.parent / document["image"]["path"]
        if image.is_file() and describe(path.parent, image.name) == document["image"]:
            note_use(path.parent)
            return Bundle(folder=path.parent, document=document, reused=True)
    return None
