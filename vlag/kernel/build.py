"""Build one kernel with tuxmake and write its bundle: image, config, log, `build.json`.

The same source, fragments and toolchain give the same image, on any machine and
under any path: time stamp, user, host and version are pinned.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from vlag import durable
from vlag.bundle import describe, sha256
from vlag.errors import InfrastructureError, UsageError
from vlag.kernel import symbols
from vlag.kernel.kconfig import SETTING, UNSET, Need, options, unmet
from vlag.kernel.mirror import Commit, git
from vlag.kernel.series import NONE, Application, Patch, apply
from vlag.lock import hold
from vlag.model import Outcome, digest

#: Settings that would otherwise differ from build to build.
PINNED = {
    "KBUILD_BUILD_TIMESTAMP": "2026-01-01 00:00:00 UTC",
    "KBUILD_BUILD_USER": "vlag",
    "KBUILD_BUILD_HOST": "vlag",
    "KBUILD_BUILD_VERSION": "1",
    "LOCALVERSION": "",  # set, so that setlocalversion adds no "+" for an untagged commit
}

#: Settings of the compiler cache: its output must equal the compiler's.
CACHED = {
    # The work tree has the same path for every kernel, the object folder has not.
    # No CCACHE_BASEDIR: it rewrites the paths that end up in __FILE__.
    "CCACHE_NOHASHDIR": "1",
    # No depend mode, although it is a fifth faster with an empty cache: it misses files that
    # assembler includes by `.incbin`, and would wrap an older kernel whose compressed image
    # had the same size into a new one.
    "CCACHE_NODEPEND": "1",
    "CCACHE_MAXSIZE": "5G",
    # Objects stored in another mode are not found.
    "CCACHE_NAMESPACE": "vlag-1",
}

#: The same two for build.json.
ENVIRONMENT = {**PINNED, **CACHED}

#: Architecture as the kernel calls it -> its compiler, and the image that boots everywhere:
#: QEMU, U-Boot's booti and GRUB all take arm64's Image, not all of them a compressed one.
_TARGETS = {
    "x86_64": ("gcc", "bzImage"),
    "arm64": ("aarch64-linux-gnu-gcc", "Image"),
}

#: File of a bundle: the device tree of the board that the kernel was built for.
DEVICE_TREE = "board.dtb"
#: Where a kernel has them, by architecture.
_DEVICE_TREES = "arch/{}/boot/dts"

#: The first matching line is the error of a compiler, a linker or make.
_ERROR = re.compile(r"(: (fatal )?error: |undefined reference|\bld: |\*\*\* (?!\[)|^ERROR: )")
#: The build machine's fault, not the kernel's.
_MACHINE = re.compile(r"No space left on device|Killed signal|Cannot allocate memory")
#: What a fragment says of a setting that some kernels refuse.
_HINT = re.compile(r"^# (CONFIG_\w+): (.+)$")
_OBJECT = re.compile(r"^\s+(CC|AS|LD|AR)\s")


def identity(
    *,
    tree: str,
    branch: str,
    commit: Commit,
    arch: str,
    kconfig_target: str,
    fragments: Sequence[Path],
    variant: str = "default",
    device_tree: str | None = None,
    series: str | None = None,
    application: Application = NONE,
    patches: Sequence[Patch] = (),
) -> dict[str, Any]:
    """Return the identity of a kernel, as `kernel.schema.json` describes it.

    `device_tree` is the one that its boards boot with, `patches` are those of `series` that
    `application` means, in order.
    """
    kconfig = digest([kconfig_target, *(sha256(f) for f in fragments)])
    what = {
        "tree": tree,
        "commit": commit.sha,
        "series": None if application == NONE else series,
        "application": str(application),
        "variant": variant,
        "arch": arch,
        "kconfig": kconfig,
    }
    # Only where there are any: kernels without have kept their digests.
    more: dict[str, Any] = {"patches": [p.sha256 for p in patches]} if patches else {}
    if device_tree is not None:
        more["device_tree"] = device_tree
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
def checkout(mirror: Path, worktree: Path, sha: str, say: Callable[[str], None]) -> Iterator[Path]:
    """Lock a clean work tree of one commit; a second user of the same tree waits.

    Patches and objects of its previous user are gone.
    """
    busy = "another build uses this work tree; waiting for its end"
    with hold(worktree.parent / f"{worktree.name}.lock", lambda: say(busy)):
        say(f"checking out {sha[:12]}")
        if not (worktree / ".git").exists():
            shutil.rmtree(worktree, ignore_errors=True)
            git(mirror, "worktree", "prune")
            git(mirror, "worktree", "add", "--quiet", "--force", "--detach", str(worktree), sha)
        for command in (("checkout", "--quiet", "--force", "--detach", sha), ("clean", "-fdxq")):
            done = subprocess.run(
                ["git", "-C", str(worktree), *command], capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise InfrastructureError(f"git {command[0]} in {worktree}: {done.stderr.strip()}")
        yield worktree


def build(
    *,
    kernel: dict[str, Any],
    source: Path,
    bundle: Path,
    kconfig_target: str,
    fragments: Sequence[Path],
    needs: Sequence[Need] = (),
    device_tree: str | None = None,
    patches: Sequence[Patch] = (),
    jobs: int,
    ccache: Path,
    reproduce: str,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Apply `patches` to `source`, build into `bundle`, return the content of `build.json`.

    `needs` are the options that must be built in, `device_tree` is that of the board, built as
    the bundle's `DEVICE_TREE`.  A kernel that does not build is a result: its outcome is
    `patch_failed` or `build_failed` and its reason the first error.  Raises
    InfrastructureError if the tools themselves fail, UsageError without a compiler for the
    architecture.
    """
    started = _now()
    toolchain = _toolchain(kernel["arch"])
    # Left by a killed attempt: we hold the work tree's lock, so nobody uses it.
    for pattern in ("*.objects", "*.tuxmake"):
        for stale in bundle.parent.glob(pattern):
            shutil.rmtree(stale)
    objects = bundle.with_name(f"{bundle.name}.objects")
    bundle.mkdir(parents=True)
    objects.mkdir(parents=True)
    with open(bundle / "build.log", "w+", encoding="utf-8", errors="replace") as log:
        tuxmake = _Tuxmake(kernel["arch"], source, objects, bundle, jobs, ccache, log, say)
        reason = apply(patches, source, log)
        if reason is None:
            reason = _configure(tuxmake, kconfig_target, fragments, needs, device_tree)
            if reason is None and not tuxmake("kernel", kconfig_target, fragments):
                reason = tuxmake.first_error()
            if reason is None and device_tree is not None:
                reason = tuxmake.device_tree(device_tree, bundle / DEVICE_TREE)
            outcome = Outcome.COMPLETE if reason is None else Outcome.BUILD_FAILED
        else:
            outcome = Outcome.PATCH_FAILED
    image = config = release = None
    if outcome is Outcome.COMPLETE:
        artifacts = json.loads((tuxmake.output / "metadata.json").read_text())["results"][
            "artifacts"
        ]
        shutil.copyfile(tuxmake.output / artifacts["kernel"][0], bundle / "image")
        image = describe(bundle, "image")
        release = (objects / "include" / "config" / "kernel.release").read_text().strip()
        nm = _TARGETS[kernel["arch"]][0].removesuffix("gcc") + "nm"
        if (objects / "System.map").is_file():
            symbols.write(objects, nm, bundle / symbols.FILE)
    if (objects / ".config").exists():
        shutil.copyfile(objects / ".config", bundle / "config")
        config = describe(bundle, "config")
    shutil.rmtree(objects)
    shutil.rmtree(tuxmake.output, ignore_errors=True)
    document = {
        "schema": 1,
        "kind": "build",
        "kernel": kernel,
        "outcome": outcome.value,
        "reason": reason,
        "release": release,
        "image": image,
        "config": config,
        "toolchain": toolchain,
        "environment": ENVIRONMENT,
        "started_at": started,
        "finished_at": _now(),
        "files": [
            describe(bundle, name)
            for name in ("build.log", symbols.FILE, DEVICE_TREE)
            if (bundle / name).is_file()
        ],
        "reproduce": reproduce,
    }
    # Written last and atomically: its presence marks the bundle as complete.
    durable.sync(bundle)
    with durable.replacing(bundle / "build.json") as draft:
        draft.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return document


def configure(
    *,
    arch: str,
    source: Path,
    scratch: Path,
    kconfig_target: str,
    fragments: Sequence[Path],
    needs: Sequence[Need],
    device_tree: str | None = None,
    say: Callable[[str], None],
) -> tuple[dict[str, str], str | None]:
    """Return the options of the kernel that would be built, and what is wrong with them.

    Nothing is compiled but the kernel's own tools and the device tree; `scratch` is an empty
    folder.  Raises as `build`.
    """
    _toolchain(arch)
    objects = scratch / "objects"
    objects.mkdir()
    with open(scratch / "build.log", "w+", encoding="utf-8", errors="replace") as log:
        ccache = scratch / "ccache"
        tuxmake = _Tuxmake(arch, source, objects, scratch / "config", 1, ccache, log, say)
        wrong = _configure(tuxmake, kconfig_target, fragments, needs, device_tree)
        if wrong is None and device_tree is not None:
            wrong = tuxmake.device_tree(device_tree, scratch / DEVICE_TREE)
    made = objects / ".config"
    return (options(made.read_text(encoding="utf-8")) if made.exists() else {}), wrong


def _configure(
    tuxmake: _Tuxmake,
    kconfig_target: str,
    fragments: Sequence[Path],
    needs: Sequence[Need],
    device_tree: str | None,
) -> str | None:
    """Make `.config`; return what is wrong with it, or with the source for this board."""
    if device_tree is not None and not tuxmake.has(device_tree):
        return (
            f"device tree: this kernel has no {device_tree}, without which the board does not"
            " boot; take a tree or a release that has it"
        )
    if not tuxmake("config", kconfig_target, fragments):
        return tuxmake.first_error()
    config = tuxmake.objects / ".config"
    if lost := _not_taken(config, fragments, tuxmake.source):
        return f"config: {lost}"
    if lacking := unmet(needs, options(config.read_text(encoding="utf-8"))):
        return f"config: {lacking[0]}"
    return None


class _Tuxmake:
    """tuxmake without a container, its output kept in `build.log`."""

    def __init__(
        self,
        arch: str,
        source: Path,
        objects: Path,
        bundle: Path,
        jobs: int,
        ccache: Path,
        log: IO[str],
        say: Callable[[str], None],
    ):
        self.objects = objects
        self.output = bundle.with_name(f"{bundle.name}.tuxmake")
        self._log = log
        self._say = say
        self._arch = arch
        self.source = source
        self._environment = {**os.environ, **CACHED, "CCACHE_DIR": str(ccache)}
        self._argv = [
            sys.executable, "-m", "tuxmake", "--runtime=null", "--wrapper=ccache", "--fail-fast",
            "--compression=none", "--verbose", f"--jobs={jobs}", f"--target-arch={arch}",
            f"--kernel-image={_TARGETS[arch][1]}", f"--directory={source}",
            f"--build-dir={objects}", f"--output-dir={self.output}",
            *(f"--environment={k}={v}" for k, v in PINNED.items()),
        ]  # fmt: skip

    def __call__(self, target: str, kconfig_target: str, fragments: Sequence[Path]) -> bool:
        argv = [*self._argv, f"--kconfig={kconfig_target}"]
        argv += [f"--kconfig-add={f}" for f in fragments]
        compiled = 0
        with subprocess.Popen(
            [*argv, target],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._environment,
            text=True,
            errors="replace",
        ) as child:
            for line in child.stdout or ():
                self._log.write(line)
                compiled += bool(_OBJECT.match(line))
                if compiled and compiled % 200 == 0 and _OBJECT.match(line):
                    self._say(f"{compiled} objects compiled")
        if child.returncode < 0:
            raise InfrastructureError(f"tuxmake was killed by signal {-child.returncode}")
        return child.returncode == 0

    def has(self, device_tree: str) -> bool:
        """Return whether the kernel has the source of a device tree."""
        source = self.source / _DEVICE_TREES.format(self._arch) / device_tree
        return source.with_suffix(".dts").is_file()

    def device_tree(self, name: str, target: Path) -> str | None:
        """Build one device tree as `target`; return why it does not build."""
        done = subprocess.run(
            ["make", "-C", str(self.source), f"O={self.objects}", f"ARCH={self._arch}",
             f"CROSS_COMPILE={_TARGETS[self._arch][0].removesuffix('gcc')}", name],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT,
            env=self._environment, check=False,
        )  # fmt: skip
        if done.returncode:
            return self.first_error()
        shutil.copyfile(self.objects / _DEVICE_TREES.format(self._arch) / name, target)
        return None

    def first_error(self) -> str:
        """Return the first line with a reason, else the last line of the log."""
        self._log.flush()
        self._log.seek(0)
        last = "tuxmake printed nothing"
        for line in self._log:
            if _MACHINE.search(line):
                raise InfrastructureError(f"the build machine gave out: {line.strip()}")
            if _ERROR.search(line):
                return line.strip().replace(f"{self.source}/", "")
            last = line.strip() or last
        return last


def _not_taken(config: Path, fragments: Sequence[Path], source: Path) -> str | None:
    """Return a sentence on the first setting that the kernel knows but did not accept.

    A later fragment overrides an earlier one.
    """
    got = options(config.read_text(encoding="utf-8"))
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
    for name, (value, fragment) in wanted.items():
        if got.get(name, "n") == value:
            continue
        known = subprocess.run(
            ["git", "-C", str(source), "grep", "--quiet", "-E",
             rf"^\s*(menu)?config {name.removeprefix('CONFIG_')}\s*$", "--", "*Kconfig*"],
            check=False,
        )  # fmt: skip
        if known.returncode == 0:
            why = f": {hints[name]}" if name in hints else ""
            return (
                f"{fragment.name} asks for {name}={value}, the kernel made it"
                f" {got.get(name, 'n')}{why}"
            )
    return None


def _toolchain(arch: str) -> str:
    """Return the first line of the version of an architecture's compiler."""
    if arch not in _TARGETS:
        raise UsageError(f"cannot build a kernel for arch {arch}: only for {', '.join(_TARGETS)}")
    compiler, _ = _TARGETS[arch]
    try:
        done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    except FileNotFoundError as e:
        raise UsageError(
            f"{compiler}, the compiler for {arch}, is missing: `make setup` installs it"
        ) from e
    return done.stdout.splitlines()[0]


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
