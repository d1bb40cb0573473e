# SPDX-License-Identifier: GPL-2.0-only
"""Build one kernel with tuxmake and write its bundle: image, config, log, `build.json`.

The same source, fragments and toolchain give the same image, on any machine and
under any path: time stamp, user, host and version are pinned.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import logging
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attrs import field, frozen

from vlag import durable
from vlag.bundle import describe, sha256
from vlag.bundle_records import BuildRecord, FileRecord, KernelIdentity, KernelRecord
from vlag.errors import InfrastructureError, UsageError
from vlag.kernel import boot_devices, option_versions, symbols, types
from vlag.kernel import modules as kernel_modules
from vlag.kernel.boot_devices import DEVICE_TREE, BootDevices, Role
from vlag.kernel.build_log import BuildLog
from vlag.kernel.device_tree import DeviceTreeError
from vlag.kernel.device_tree import read as read_device_tree
from vlag.kernel.drivers import Source
from vlag.kernel.git import GIT, git
from vlag.kernel.kconfig import SETTING, UNSET, Need, options, unmet
from vlag.kernel.mirror import Commit
from vlag.kernel.series import NONE, Application, Patch, apply
from vlag.kernel.tuxmake import CACHED, MAKE, PINNED, TARGETS, Tools, Tuxmake
from vlag.kernel.warm_build import Warm
from vlag.kernel.warm_objects import ColdError
from vlag.lock import hold
from vlag.model import Outcome, digest
from vlag.sandbox import Rules, results
from vlag.sandbox.results import OddResultError
from vlag.sandbox.space import remove

log = logging.getLogger(__name__)

#: All for build.json: a kernel that was made otherwise is made again.
ENVIRONMENT = {**PINNED, **MAKE, **CACHED}

#: Architecture -> its folder under arch/, where it has another name.
_FOLDERS = {"x86_64": "x86"}

#: For the work trees of a mirror; git reads it before any `.gitattributes`.
_ATTRIBUTES = "* -filter\n"

#: Ends of the names of a build's folders beside its bundle.
_OBJECTS, _OUTPUT = ".objects", ".tuxmake"

#: What a fragment says of a setting that some kernels refuse.
_HINT = re.compile(r"^# (CONFIG_\w+): (.+)$")


@frozen(kw_only=True)
class Recipe:
    """What a board type's kernels are configured from, and what they must have."""

    kconfig_target: str  # see `chosen`
    fragments: Sequence[Path] = ()
    needs: Sequence[Need] = ()  # options that the config must have
    board: str = ""  # board type, for messages
    device_tree: str | None = None  # of the boards, built as the bundle's `DEVICE_TREE`
    roles: Mapping[str, Role] = field(factory=dict)  # of devices in it that must work
    modules: kernel_modules.Wanted = field(factory=dict)  # the only options that may be modules


def identity(
    *,
    tree: str,
    branch: str,
    commit: Commit,
    arch: str,
    recipe: Recipe,
    variant: str = "default",
    series: str | None = None,
    application: Application = NONE,
    patches: Sequence[Patch] = (),
) -> KernelRecord:
    """Return the identity of a kernel, as `kernel.schema.json` describes it.

    `patches` are those of `series` that `application` means, in order.
    """
    kconfig = digest(_configured_by(recipe))
    what: KernelIdentity = {
        "tree": tree,
        "commit": commit.sha,
        "series": None if application == NONE else series,
        "application": str(application),
        "variant": variant,
        "arch": arch,
        "kconfig": kconfig,
    }
    # Only where there are any: kernels without have kept their digests.
    more: dict[str, str | list[str] | dict[str, list[str]]] = {}
    if patches:
        more["patches"] = [p.sha256 for p in patches]
    if recipe.device_tree is not None:
        more["device_tree"] = recipe.device_tree
    if recipe.modules:
        more["modules"] = {option: list(names) for option, names in recipe.modules.items()}
    return {
        **what,
        "digest": digest({**what, **more}),
        "patches": [{"name": p.name, "sha256": p.sha256} for p in patches],
        "branch": branch,
        "describe": commit.describe,
        "subject": commit.subject,
        "committed_at": commit.committed_at,
    }


@contextlib.contextmanager
def checkout(mirror: Path, worktree: Path, sha: str) -> Iterator[Path]:
    """Lock a clean work tree of one commit; a second user of the same tree waits.

    Patches and objects of its previous user are gone.
    """
    busy = "another build uses this work tree; waiting for its end"
    with hold(worktree.parent / f"{worktree.name}.lock", lambda: log.info(busy)):
        log.info(f"checking out {sha[:12]}")
        _no_filters(mirror)
        if not (worktree / ".git").exists():
            shutil.rmtree(worktree, ignore_errors=True)
            git(mirror, "worktree", "prune")
            git(mirror, "worktree", "add", "--quiet", "--force", "--detach", str(worktree), sha)
        for command in (("checkout", "--quiet", "--force", "--detach", sha), ("clean", "-fdxq")):
            done = subprocess.run(
                [*GIT, "-C", str(worktree), *command],
                capture_output=True,
                text=True,
                check=False,
            )  # fmt: skip
            if done.returncode:
                raise InfrastructureError(f"git {command[0]} in {worktree}: {done.stderr.strip()}")
        yield worktree


def _no_filters(mirror: Path) -> None:
    """Let files be what their commit has: no program that a person's settings have for them runs.

    `.gitattributes` and `.lfsconfig` of the tree would choose it and where it fetches from.
    """
    path = mirror / "info" / "attributes"
    if not path.exists() or path.read_text(encoding="utf-8") != _ATTRIBUTES:
        path.parent.mkdir(exist_ok=True)
        with durable.replacing(path) as new:
            new.write_text(_ATTRIBUTES, encoding="utf-8")


def build(
    *,
    kernel: KernelRecord,
    source: Path,
    bundle: Path,
    recipe: Recipe,
    patches: Sequence[Patch] = (),
    tools: Tools,
    reproduce: str,
) -> BuildRecord:
    """Apply `patches` to `source`, build into `bundle`, return the content of `build.json`.

    A kernel that does not build is a result: its outcome is `patch_failed` or `build_failed` and
    its reason the first error.  Raises InfrastructureError if the tools themselves fail,
    UsageError without a compiler for the architecture.
    """
    started = _now()
    compiler = toolchain(kernel["arch"])
    objects = bundle.with_name(f"{bundle.name}{_OBJECTS}")
    bundle.mkdir(parents=True)
    with (
        # Around the scratch: what has filled the disk is gone before the log is closed.
        BuildLog(bundle / "build.log") as build_log,
        _scratch(objects, bundle.with_name(f"{bundle.name}{_OUTPUT}")),
    ):
        tuxmake = Tuxmake(
            arch=kernel["arch"], source=source, objects=objects, bundle=bundle,
            fragments=recipe.fragments, tools=tools, build_log=build_log,
        )  # fmt: skip
        warm = None
        if (reason := apply(patches, source, build_log)) is not None:
            made = _Made(outcome=Outcome.PATCH_FAILED, reason=reason)
        else:
            warm = Warm.of(
                tuxmake, tools, [kernel.get("branch"), *_configured_by(recipe)], _unlike(recipe)
            )
            made = _made(tuxmake, recipe, kernel["arch"], bundle, warm)
        config = tuxmake.config()
        if warm is not None and tools.stores and made.outcome is Outcome.COMPLETE:
            warm.keep(objects)
    if config is not None:
        (bundle / "config").write_bytes(config)
    document: BuildRecord = {
        "schema": 1,
        "kind": "build",
        "kernel": kernel,
        "outcome": made.outcome.value,
        "reason": made.reason,
        "release": made.release,
        "image": made.image,
        "config": None if config is None else describe(bundle, "config"),
        "toolchain": compiler,
        "environment": ENVIRONMENT,
        "started_at": started,
        "finished_at": _now(),
        "files": [
            describe(bundle, name)
            for name in (
                "build.log",
                symbols.FILE,
                types.FILE,
                DEVICE_TREE,
                kernel_modules.FILE,
            )
            if (bundle / name).is_file()
        ],
        "reproduce": reproduce,
    }
    _complete(bundle, document)
    return document


@frozen(kw_only=True)
class _Made:
    """What came out of a build."""

    outcome: Outcome
    reason: str | None = None  # the first error
    release: str | None = None
    image: FileRecord | None = None  # path and digest


def _made(tuxmake: Tuxmake, recipe: Recipe, arch: str, bundle: Path, warm: Warm | None) -> _Made:
    """Compile a kernel and take it into the bundle.

    What goes wrong with kept objects is made again without them: no failure is theirs.
    """
    if warm is not None and warm.begin():
        made = _once(tuxmake, recipe, arch, bundle)
        try:
            if made.outcome is not Outcome.COMPLETE:
                raise ColdError(f"with those that are kept: {made.reason}")
            warm.check()
        except ColdError as e:
            for path in bundle.iterdir():
                if path.name != "build.log":
                    path.unlink()
            warm.drop(e)
        else:
            return made
    return _once(tuxmake, recipe, arch, bundle)


def _once(tuxmake: Tuxmake, recipe: Recipe, arch: str, bundle: Path) -> _Made:
    if (reason := _compiled(tuxmake, recipe, arch, bundle)) is not None:
        return _Made(outcome=Outcome.BUILD_FAILED, reason=reason)
    return _taken(tuxmake, bundle)


def _configured_by(recipe: Recipe) -> list[str]:
    return [recipe.kconfig_target, *(sha256(f) for f in recipe.fragments)]


def _unlike(recipe: Recipe) -> str | None:
    """Return why kernels of a kind are built from an empty folder."""
    if recipe.modules or recipe.device_tree is not None:
        return "its boards load modules, or have a device tree of their own"
    return None


def _compiled(tuxmake: Tuxmake, recipe: Recipe, arch: str, bundle: Path) -> str | None:
    """Configure and compile all of a kernel; return the first error."""
    target = chosen(recipe.kconfig_target, arch, tuxmake.source)
    reason, devices = _configured(tuxmake, target, recipe, arch, bundle / DEVICE_TREE)
    for sentence in devices.unknown:
        tuxmake.note(f"not known: {sentence}")
    if reason is None and not tuxmake("kernel", target):
        reason = tuxmake.first_error()
    if reason is None and recipe.modules:
        reason = _modules(tuxmake, target, recipe.modules, bundle / kernel_modules.FILE)
    return reason


def _taken(tuxmake: Tuxmake, bundle: Path) -> _Made:
    """Take what was compiled into the bundle."""
    release = None
    try:
        release = tuxmake.results(bundle)
        image = describe(bundle, "image")
    except OddResultError as e:
        return _Made(outcome=Outcome.BUILD_FAILED, reason=str(e), release=release)
    return _Made(outcome=Outcome.COMPLETE, release=release, image=image)


def _complete(bundle: Path, document: BuildRecord) -> None:
    """Write `build.json`, last and atomically: its presence marks the bundle as complete."""
    durable.sync(bundle)
    with durable.replacing(bundle / "build.json") as draft:
        draft.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")


@contextlib.contextmanager
def _scratch(*folders: Path) -> Iterator[None]:
    """Remove what a build leaves besides its bundle, however it ends."""
    folders[0].mkdir(parents=True)
    try:
        yield
    finally:
        for folder in folders:
            remove(folder)


def clear_scratch(builds: Path) -> None:
    """Remove what killed builds have left below a folder of builds."""
    for pattern in (f"*/*{_OBJECTS}", f"*/*{_OUTPUT}"):
        for stale in builds.glob(pattern):
            with contextlib.suppress(_BusyError), hold(stale.parent / "lock", _busy):
                remove(stale)


class _BusyError(Exception):
    """A build that goes on."""


def _busy() -> None:
    raise _BusyError


@frozen(kw_only=True)
class Configured:
    """The config of a kernel that was not built."""

    options: Mapping[str, str]  # as `kconfig.options` reads them
    needs: tuple[Need, ...]  # of the board type, and of its devices
    unknown: tuple[str, ...]  # sentences on what of its devices cannot be known
    wrong: str | None  # what would fail the build


def configure(
    *, arch: str, source: Path, scratch: Path, recipe: Recipe, rules: Rules
) -> Configured:
    """Return the options of the kernel that would be built, and what is wrong with them.

    Nothing is compiled but the kernel's own tools and the device tree; `scratch` is an empty
    folder.  Raises as `build`.
    """
    toolchain(arch)
    tools = Tools(jobs=1, ccache=scratch / "ccache", rules=rules)
    with BuildLog(scratch / "build.log") as build_log:
        tuxmake = Tuxmake(
            arch=arch, source=source, objects=scratch / "objects", bundle=scratch / "config",
            fragments=recipe.fragments, tools=tools, build_log=build_log,
        )  # fmt: skip
        target = chosen(recipe.kconfig_target, arch, source)
        wrong, devices = _configured(tuxmake, target, recipe, arch, scratch / DEVICE_TREE)
        made = tuxmake.config()
    return Configured(
        options={} if made is None else options(made.decode(errors="replace")),
        needs=(*recipe.needs, *devices.needs),
        unknown=devices.unknown,
        wrong=wrong,
    )


def chosen(kconfig_target: str, arch: str, source: Path) -> str:
    """Return the config to begin with: of several, `a|b`, the first that the tree has.

    The last is taken unseen: `defconfig` and `allnoconfig` are no files of every tree.
    """
    *names, last = kconfig_target.split("|")
    folder = source / "arch" / _FOLDERS.get(arch, arch) / "configs"
    return next((name for name in names if (folder / name).is_file()), last)


def _configure(tuxmake: Tuxmake, kconfig_target: str, recipe: Recipe) -> str | None:
    """Make `.config`; return what is wrong with it, or with the source for this board."""
    device_tree = recipe.device_tree
    if device_tree is not None and not tuxmake.has(device_tree):
        return (
            f"device tree: this kernel has no {device_tree}, without which the board does not"
            " boot; take a tree or a release that has it"
        )
    if not tuxmake.configure(kconfig_target, few_modules=bool(recipe.modules)):
        return tuxmake.first_error()
    try:
        text = results.text(tuxmake.objects, ".config")
    except OddResultError as e:
        return str(e)
    if lost := _not_taken(text, recipe.fragments, tuxmake.source):
        return f"config: {lost}"
    have = options(text)
    if lacking := unmet(recipe.needs, have):
        return f"config: {lacking[0].refusal(have)}"
    return None


def _configured(
    tuxmake: Tuxmake, kconfig_target: str, recipe: Recipe, arch: str, device_tree: Path
) -> tuple[str | None, BootDevices]:
    """Make `.config` and a board's device tree; return what is wrong, and what its devices need.

    The devices are looked at before anything is compiled.
    """
    none = BootDevices()
    if (reason := _configure(tuxmake, kconfig_target, recipe)) is not None:
        return reason, none
    if recipe.device_tree is None:
        if not any(role.ids for role in recipe.roles.values()):
            return None, none
    elif (reason := tuxmake.device_tree(recipe.device_tree, device_tree)) is not None:
        return reason, none
    try:
        return _boot_devices(tuxmake, recipe, arch, device_tree)
    except DeviceTreeError as e:
        return f"device tree: {recipe.device_tree} {e}", none
    except OddResultError as e:
        return str(e), none


def _boot_devices(
    tuxmake: Tuxmake, recipe: Recipe, arch: str, device_tree: Path
) -> tuple[str | None, BootDevices]:
    """Return what the devices by which the board boots lack in the config, and what they need."""
    have = options(results.text(tuxmake.objects, ".config"))
    described = recipe.device_tree is not None
    devices = boot_devices.find(
        recipe.board, recipe.roles,
        read_device_tree(device_tree.read_bytes()) if described else None,
        Source(tuxmake.source, _FOLDERS.get(arch, arch)), have, tuple(recipe.modules),
    )  # fmt: skip
    if devices.wrong is not None:
        return f"{'device tree' if described else 'devices'}: {devices.wrong}", devices
    lacking = unmet(devices.needs, have)
    return f"config: {lacking[0].refusal(have)}" if lacking else None, devices


def _modules(
    tuxmake: Tuxmake, kconfig_target: str, modules: kernel_modules.Wanted, to: Path
) -> str | None:
    """Write the archive of the modules, if any is one; return what is wrong with them."""
    try:
        asked = kernel_modules.names(modules, options(results.text(tuxmake.objects, ".config")))
        if not asked:
            return None
        if (reason := tuxmake.modules(kconfig_target, to)) is not None:
            return reason
        kernel_modules.ordered(to, asked)
    except UsageError as e:
        return f"modules: {str(e).replace(f'{to}: ', '')}"
    return None


def _not_taken(config: str, fragments: Sequence[Path], source: Path) -> str | None:
    """Return a sentence on the first setting that the kernel did not accept or does not know.

    A later fragment overrides an earlier one.
    """
    got = options(config)
    wanted: dict[str, tuple[str, Path]] = {}
    hints: dict[str, str] = {}
    for fragment in fragments:
        for number, line in enumerate(fragment.read_text(encoding="utf-8").splitlines(), 1):
            match = SETTING.match(line)
            if match:
                wanted[match[1]] = (match[2], fragment)
            elif match := UNSET.match(line):
                wanted.pop(match[1], None)
            elif match := _HINT.match(line):
                hints[match[1]] = match[2]
            elif line and not line.startswith("#"):
                raise UsageError(f"{fragment}:{number}: neither CONFIG_NAME=value nor a comment")
    version, lifetimes = option_versions.of_source(source), option_versions.load()
    for name, (value, fragment) in wanted.items():
        if got.get(name, "n") == value:
            continue
        known = subprocess.run(
            [*GIT, "-C", str(source), "grep", "--quiet", "-E",
             rf"^\s*(menu)?config {name.removeprefix('CONFIG_')}\s*$", "--", "*Kconfig*"],
            check=False,
        )  # fmt: skip
        if known.returncode == 0:
            why = f": {hints[name]}" if name in hints else ""
            return (
                f"{fragment.name} asks for {name}={value}, the kernel made it"
                f" {got.get(name, 'n')}{why}"
            )
        why_not = option_versions.refusal(name, value, version, got, lifetimes)
        if why_not is not None:
            return f"{fragment.name} asks for {why_not}"
    return None


def toolchain(arch: str) -> str:
    """Return the first line of the version of an architecture's compiler, of this host.

    Raises UsageError for an architecture that it does not know, and without the compiler.
    """
    if arch not in TARGETS:
        raise UsageError(f"cannot build a kernel for arch {arch}: only for {', '.join(TARGETS)}")
    compiler, _ = TARGETS[arch]
    try:
        done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    except FileNotFoundError as e:
        raise UsageError(
            f"{compiler}, the compiler for {arch}, is missing: `make setup` installs it"
        ) from e
    return done.stdout.splitlines()[0]


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
