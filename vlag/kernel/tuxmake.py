# SPDX-License-Identifier: GPL-2.0-only
"""Run tuxmake, and what reads its objects, in the sandbox: all that runs code of a tree."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attrs import asdict, evolve, frozen

from vlag import ROOT
from vlag.errors import AwayError, InfrastructureError, ParseError
from vlag.kept_folders import Store
from vlag.kernel import modules, symbols, types
from vlag.kernel.build_log import BuildLog
from vlag.kernel.git import GIT
from vlag.sandbox import NONE, Ended, Rules, Sandbox, cgroup, results
from vlag.sandbox.space import remove

log = logging.getLogger(__name__)

#: Settings that would otherwise differ from build to build.
PINNED = {
    "KBUILD_BUILD_TIMESTAMP": "2026-01-01 00:00:00 UTC",
    "KBUILD_BUILD_USER": "vlag",
    "KBUILD_BUILD_HOST": "vlag",
    "KBUILD_BUILD_VERSION": "1",
    "LOCALVERSION": "",  # set, so that setlocalversion adds no "+" for an untagged commit
}

#: Variables of make.  The version of a Rust compiler is an option of the config, which the image
#: holds; no kernel here has Rust in it, and no machine's rustc may change an image.
MAKE = {"RUSTC": "no-rustc"}

#: Settings of the compiler cache: its output must equal the compiler's.
CACHED = {
    # The work tree has the same path for every kernel, the object folder has not.
    # No CCACHE_BASEDIR: it rewrites the paths that end up in __FILE__.
    "CCACHE_NOHASHDIR": "1",
    # No depend mode but where `COMPILE` sees that it is safe: it misses files that assembler
    # includes by `.incbin`, and would wrap an older kernel whose compressed image had the same
    # size into a new one.
    "CCACHE_NODEPEND": "1",
    "CCACHE_MAXSIZE": "5G",
    # Objects stored in another mode are not found.
    "CCACHE_NAMESPACE": "vlag-1",
}

#: Called in place of ccache: it chooses the cache's mode for each file.
COMPILE = ROOT / "workers" / "compiler" / "ccache"
#: Begins a command line whose compiler it is.
WITH_COMPILER = ("sh", "-c", 'PATH="$0:$PATH" exec "$@"', str(COMPILE.parent))
#: A cache whose folder cannot be written to.
READ_ONLY = {
    "CCACHE_READONLY": "1",
    "CCACHE_NOSTATS": "1",
    "CCACHE_TEMPDIR": "/tmp/ccache",  # noqa: S108 - the sandbox's own
}

#: Architecture as the kernel calls it -> its compiler, and the image that boots everywhere:
#: QEMU, U-Boot's booti and GRUB all take arm64's Image, not all of them a compressed one.
TARGETS = {
    "x86_64": ("gcc", "bzImage"),
    "arm64": ("aarch64-linux-gnu-gcc", "Image"),
}
#: Takes another folder's files into this one, all with one date.
_TAKE_OVER = (
    'cp -R --no-dereference --preserve=mode,links --reflink=auto -- "$1/." .'
    ' && find . -exec touch --no-dereference --date="$2" {} +'
)
#: File in the objects' folder: what `.config` is made from.
MERGED = "vlag.config"
#: For sed: an option that is a module becomes one that is not set.
_NO_MODULE = r"s/^\(CONFIG_[A-Za-z0-9_]*\)=m$/# \1 is not set/"
#: Where tuxmake installs modules, in the objects' folder.
_INSTALLED = "modinstall"
#: Where a kernel has device trees, by architecture.
_DEVICE_TREES = "arch/{}/boot/dts"
#: The first matching line is the error of a compiler, a linker or make.
_ERROR = re.compile(r"(: (fatal )?error: |undefined reference|\bld: |\*\*\* (?!\[)|^ERROR: )")
_OBJECT = re.compile(r"^\s+(CC|AS|LD|AR)\s")
#: Where the objects' folder has the release.
_RELEASE_FILE = "include/config/kernel.release"
#: As `uname -r` has it.
_RELEASE = re.compile(r"[!-~]{1,64}")


def check_machine(ended: Ended) -> None:
    """Raise InfrastructureError if the machine lacked something, or a signal has ended a build.

    What a build prints says nothing about that: a tree prints what it likes.
    """
    if ended.machine is not None:
        kind = AwayError if ended.full else InfrastructureError
        raise kind(f"the build machine gave out: {ended.machine}")
    # bwrap says 128 and the number of the signal.
    signal = -ended.status if ended.status < 0 else ended.status - 128
    if signal > 0:
        raise InfrastructureError(f"the build was killed by signal {signal}")


@frozen(kw_only=True)
class Tools:
    """How a host builds."""

    jobs: int
    ccache: Path  # folder of the compiler's cache
    stores: bool = True  # False: the cache is read only; what comes out is the same
    rules: Rules  # of the sandbox
    # Where a build in bubblewrap sees its source, so that hosts share objects; None: where it is.
    # It sees its folder of objects beside that.
    place: Path | None = None
    kept: Store | None = None  # of objects from which a branch's next build goes on


class Tuxmake:
    """tuxmake without a container of its own, its output kept in `build.log`."""

    def __init__(
        self,
        *,
        arch: str,
        source: Path,
        objects: Path,
        bundle: Path,
        fragments: Sequence[Path],
        tools: Tools,
        build_log: BuildLog,
    ):
        """Make the folders and the sandbox; UsageError if there can be none."""
        ccache, stores, rules = tools.ccache, tools.stores, tools.rules
        self.objects = objects
        self.output = bundle.with_name(f"{bundle.name}.tuxmake")
        self._log = build_log
        self.source = source
        self._stopped: str | None = None
        self._goes_on = False  # from kept objects
        self._said = 0  # lines of the log before this attempt
        # A stranger's build that fills the disk or ends itself by a signal is a failed one.
        self._vouched = stores
        for folder in (self.objects, self.output, ccache):
            folder.mkdir(parents=True, exist_ok=True)
        self._sandbox = Sandbox(
            rules=rules,
            read=(source, COMPILE.parent, *fragments, *(() if stores else (ccache,))),
            write=(objects, self.output, *((ccache,) if stores else ())),
            environment={
                **CACHED,
                "CCACHE_DIR": str(ccache),
                **({} if stores else READ_ONLY),
            },
            places=_places(source, objects, tools.place),
        )
        #: The source's path in what is run, and in what that prints.
        self._seen = self._sandbox.seen(source)
        self._seen_objects = self._sandbox.seen(objects)
        if rules.kind == NONE:
            log.info("without a sandbox: the tree's makefiles run as the user of this service")
        elif (lack := cgroup.lacking()) is not None:
            log.info(lack)
        self._sandbox.prepare()
        self._arch = arch
        self.compiler, self._image = TARGETS[arch]
        self._argv = [
            *WITH_COMPILER,
            sys.executable, "-m", "tuxmake", "--runtime=null", "--wrapper=ccache", "--fail-fast",
            "--compression=none", "--verbose", f"--jobs={tools.jobs}", f"--target-arch={arch}",
            f"--kernel-image={self._image}", f"--directory={self._seen}",
            f"--build-dir={self._seen_objects}",
            *(f"--environment={word}" for word in _assigned(PINNED)),
        ]  # fmt: skip
        #: What objects depend on, besides files and programs.
        self.means = [self._argv, CACHED, MAKE, asdict(rules)]
        self._argv = [*self._argv, f"--output-dir={self.output}"]
        self._fragments = fragments

    def __call__(self, target: str, kconfig: str, *more: str) -> bool:
        """Make a target of tuxmake; return whether it was made.

        `kconfig` is a target of make or a file, `more` are further arguments.
        """
        compiled = 0

        def line(text: str) -> None:
            nonlocal compiled
            self._log.write(text)
            if _OBJECT.match(text):
                compiled += 1
                if compiled % 200 == 0:
                    log.info(f"{compiled} objects compiled")

        return self._run(
            [*self._argv, f"--kconfig={kconfig}", *more, *_assigned(MAKE), target], line
        )

    def configure(self, kconfig_target: str, *, few_modules: bool = False) -> bool:
        """Make `.config` from a target of make and the fragments; return whether it was made.

        With `few_modules` what is a module by the target is left out: none is but by a fragment.
        The kernel's own merge_config.sh, which tuxmake calls, writes into the source.
        """
        # Not before: patches may bring headers.
        self._sandbox = evolve(
            self._sandbox, environment={**self._sandbox.environment, **_mode(self.source)}
        )
        if self._goes_on:
            return True  # `.config` is there: all that it is made from is as it was
        if not self("config", kconfig_target):
            return False
        if not self._fragments:
            return True
        read = f"sed '{_NO_MODULE}' .config" if few_modules else "cat .config"
        merge = ["sh", "-c", f'{{ {read}; cat "$@"; }} >{MERGED} && rm .config', "sh"]
        merge += [str(path) for path in self._fragments]
        # Asked for, since tuxmake completes a file's options only if more is added to it.
        return self._run(merge, self._log.write, cwd=self.objects) and self(
            "config", str(self._seen_objects / MERGED), "--kconfig-add=make:olddefconfig"
        )

    def take_over(self, kept: Path, stamp: str) -> bool:
        """Copy kept objects into the empty folder, dated as touch reads `stamp`; False: it failed.

        As the user that builds, so that no link of theirs leads anywhere.
        """
        ended = evolve(self._sandbox, read=(kept,), write=(self.objects,)).run(
            ["sh", "-c", _TAKE_OVER, "sh", str(kept), stamp], cwd=self.objects, line=self._log.write
        )
        self._goes_on = ended.status == 0 and ended.stopped is None
        return self._goes_on

    def empty(self) -> None:
        """Begin anew: remove the objects, and forget what was said of them."""
        remove(self.objects)
        self.objects.mkdir()
        self._sandbox.prepare()
        self._goes_on, self._stopped = False, None
        self._said = len(self._log.lines())

    def _run(
        self, argv: Sequence[str], line: Callable[[str], object], *, cwd: Path | None = None
    ) -> bool:
        ended = self._sandbox.run(argv, cwd=cwd or self.source, line=line)
        self._stopped = ended.stopped
        if self._vouched or (ended.stopped is None and ended.machine is not None):
            check_machine(ended)
        if self._stopped is not None:
            self._log.write(f"stopped: {self._stopped}\n")
            return False
        return ended.status == 0

    def note(self, text: str) -> None:
        """Write a line of our own to the log."""
        self._log.write(f"{text}\n")

    def has(self, device_tree: str) -> bool:
        """Return whether the kernel has the source of a device tree."""
        source = self.source / _DEVICE_TREES.format(self._arch) / device_tree
        return source.with_suffix(".dts").is_file()

    def device_tree(self, name: str, target: Path) -> str | None:
        """Build one device tree as `target`, after the config; return why it does not build."""
        prefix = self.compiler.removesuffix("gcc")
        argv = [
            "make", "-C", str(self._seen), f"O={self._seen_objects}", f"ARCH={self._arch}",
            f"CROSS_COMPILE={prefix}", *_assigned({**PINNED, **MAKE}), name,
        ]  # fmt: skip
        if not self._run(argv, self._log.write):
            return self.first_error()
        try:
            results.take(self.objects, f"{_DEVICE_TREES.format(self._arch)}/{name}", target)
        except results.OddResultError as e:
            return str(e)
        return None

    def modules(self, kconfig_target: str, target: Path) -> str | None:
        """Write the archive of all modules as `target`, after the kernel; return why there is none.

        Raises OddResultError for a module that is no plain file.
        """
        # A place of its own: metadata.json is the kernel's.
        if not self("modules", kconfig_target, f"--output-dir={self.output}/modules"):
            return self.first_error()
        release = results.text(self.objects, _RELEASE_FILE).strip()
        modules.take(self.objects, _INSTALLED, release, target)
        return None

    def first_error(self) -> str:
        """Return the limit that stopped it, the first line with a reason, else the last line."""
        if self._stopped is not None:
            return f"the build was stopped: {self._stopped}"
        last = "tuxmake printed nothing"
        for line in self._log.lines()[self._said :]:
            if _ERROR.search(line):
                return line.strip().replace(f"{self._seen}/", "")
            last = line.strip() or last
        return last

    def config(self) -> bytes | None:
        """Return the configuration as it is, if there is a sound one."""
        try:
            return results.data(self.objects, ".config")
        except results.OddResultError:
            return None

    def results(self, bundle: Path) -> str:
        """Copy the image and the list of functions to a bundle; return the kernel's release.

        Raises OddResultError if the tree's makefiles left something else.
        """
        release = results.text(self.objects, _RELEASE_FILE).strip()
        if not _RELEASE.fullmatch(release):
            raise results.OddResultError(f"the kernel calls itself {release[:80]!r}")
        if results.has(self.objects, "System.map"):
            self._symbols(bundle / symbols.FILE)
            if self._arch == "x86_64":  # that of the boards which emulators observe
                self._types(bundle / types.FILE)
        results.take(self.output, self._artifact(), bundle / "image")
        return release

    def _artifact(self) -> str:
        try:
            metadata = json.loads(results.text(self.output, "metadata.json"))
            return str(metadata["results"]["artifacts"]["kernel"][0])
        except (ValueError, RecursionError, LookupError, TypeError) as e:
            raise results.OddResultError(f"metadata.json of the build names no image: {e}") from e

    def _symbols(self, to: Path) -> None:
        nm = self.compiler.removesuffix("gcc") + "nm"
        reader = evolve(self._sandbox, read=(self.objects,), write=())

        def names(paths: Sequence[str]) -> str:
            lines: list[str] = []
            ended = reader.run(
                [nm, "-A", "--defined-only", "--", *paths], cwd=self.objects, line=lines.append
            )
            if ended.stopped or ended.status not in (0, 1):  # 1: some file is no object
                why = ended.stopped or "".join(lines).strip()[-300:]
                raise InfrastructureError(f"{nm}: {why}")
            return "".join(lines)

        symbols.write(results.text(self.objects, "System.map"), self.objects, names, to)

    def _types(self, to: Path) -> None:
        """Write the scheduler's structures; say in the log why there are none."""
        scheduler = self.source / Path(types.OBJECT).with_suffix(".c")
        saved = Path(types.OBJECT).parent / f".{Path(types.OBJECT).name}.cmd"
        file, made, taken = "vlag-types.c", "vlag-types.o", "vlag-types.btf"
        words = None
        if scheduler.is_file() and results.has(self.objects, str(saved)):
            words = types.command(results.text(self.objects, str(saved)), file, made)
        if words is None:
            self.note("no types: nothing known of how the scheduler is compiled")
            return
        results.put(
            self.objects, file, types.source(scheduler.read_text(errors="replace")).encode()
        )
        dump = [f"{self.compiler.removesuffix('gcc')}objcopy", "--dump-section", f".BTF={taken}",
                made, "/dev/null"]  # fmt: skip
        for argv in ([*WITH_COMPILER, *words], dump):
            if not self._run(argv, self._log.write, cwd=self.objects):
                self.note("no types: the compiler wrote none")
                return
        try:
            types.write(results.data(self.objects, taken), to)
        except (results.OddResultError, ParseError) as e:
            self.note(f"no types: {e}")


def _mode(source: Path) -> dict[str, str]:
    """Return what tells `COMPILE` that no file is safe: a header, which any may include."""
    search = ("grep", "--quiet", "--untracked", "--no-exclude-standard", "incbin", "--", "*.h")
    headers = [*GIT, "-C", str(source), *search]
    none = subprocess.run(headers, check=False, capture_output=True).returncode == 1
    return {} if none else {"VLAG_COMPILE_PLAIN": "1"}


def _places(source: Path, objects: Path, place: Path | None) -> dict[Path, Path]:
    """Return where a build sees its source and its objects; both have one path in all builds."""
    if place is None:
        return {}
    return {source: place, objects: place.with_name(f"{place.name}.objects")}


def _assigned(variables: Mapping[str, str]) -> list[str]:
    """Return variables as make and the shell take them."""
    return [f"{name}={value}" for name, value in variables.items()]
