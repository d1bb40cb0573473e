# SPDX-License-Identifier: GPL-2.0-only
"""Programs that no Debian package has, built for the boards from pinned commits.

`workers/programs/NAME/` has a recipe: where the source is, which commit, under which licence, and
`build.sh`, which compiles it.  A source may be an archive in a package instead, as Debian has a
kernel's.  What it links with is of the boards' Debian release, whatever this machine runs, and is
fetched as a userland is.
"""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from vlag import ROOT, durable, notation
from vlag.bundle import sha256
from vlag.config import Settings
from vlag.errors import InfrastructureError, UsageError
from vlag.kernel.git import GIT, commit_of
from vlag.lava import initramfs
from vlag.lock import hold
from vlag.model import Benchmark, is_commit_id
from vlag.sandbox import Sandbox

log = logging.getLogger(__name__)

RECIPES = ROOT / "workers" / "programs"
#: What each program is compiled with, of the boards' release.
_COMMON = ("libc6-dev", "linux-libc-dev")
_KEYS = {"summary", "licence", "packages", "tools", "programs"}
#: A recipe has one of these sets beside: a commit somewhere, or an archive in its first package.
_SOURCES = ({"url", "commit"}, {"source"})
_LAST_LINES = 3  # of a failed build


@frozen(kw_only=True)
class Recipe:
    """How some programs are built from one commit of one repository."""

    name: str
    folder: Path  # has build.sh, and what of ours it compiles
    summary: str
    url: str | None = None  # as git takes it; url.<base>.insteadOf in git's settings: a mirror
    commit: str | None = None
    source: str | None = None  # instead of both: path of an archive in the first of its packages
    licence: str  # SPDX expression
    packages: tuple[str, ...]  # of the boards' Debian release: headers and static libraries
    tools: Mapping[str, str]  # program of this machine -> Debian package that has it
    programs: Mapping[str, str]  # name on the board -> path in the built tree

    @property
    def origin(self) -> str:
        """Return where its source is from, for people."""
        if self.commit is None:
            return f"{self.source} of Debian's {self.packages[0]}"
        return f"{self.url} at {self.commit[:12]}"


def recipes(folder: Path = RECIPES) -> dict[str, Recipe]:
    """Return all recipes by name.  Raises UsageError for one that lacks a key."""
    return {p.parent.name: _recipe(p) for p in sorted(folder.glob("*/recipe.toml"))}


def _recipe(path: Path) -> Recipe:
    try:
        raw = notation.read_toml(path.read_bytes())
    except notation.NotationError as e:
        raise UsageError(f"{path}: {e}") from e
    keys = _KEYS | _SOURCES["source" in raw]
    if set(raw) != keys:
        odd = ", ".join(sorted(set(raw) ^ keys))
        raise UsageError(f"{path}: missing or unknown: {odd}; a recipe has all of its keys")
    if "commit" in raw and not is_commit_id(raw["commit"]):
        raise UsageError(f"{path}: commit: {raw['commit']!r} is no whole commit id, which pins it")
    return Recipe(
        name=path.parent.name,
        folder=path.parent,
        packages=tuple(raw.pop("packages")),
        **raw,
    )


def recipe_of(benchmark: Benchmark) -> Recipe | None:
    """Return the recipe of the program that no package has for a benchmark, if there is one."""
    if benchmark.brought is None:
        return None
    return next((r for r in recipes().values() if benchmark.brought in r.programs), None)


def absent(recipe: Recipe, settings: Settings, arch: str) -> list[str]:
    """Return the programs of a recipe that boards of an architecture do not have yet."""
    return [name for name in recipe.programs if not (settings.programs / arch / name).is_file()]


def build(recipe: Recipe, settings: Settings, arch: str) -> list[Path]:
    """Build a recipe's programs for boards of `arch`; return where they are now.

    Raises UsageError for an architecture without packages, a tool that this machine lacks and a
    program that is not static, InfrastructureError for a source that cannot be fetched or does
    not build.
    """
    compiler = f"{initramfs.triplet(arch)}-gcc"
    tools = {compiler: f"gcc-{initramfs.triplet(arch).replace('_', '-')}", **recipe.tools}
    missing = [package for tool, package in tools.items() if shutil.which(tool) is None]
    if missing:
        raise UsageError(
            f"{recipe.name}: this machine lacks what builds it; install {' '.join(sorted(missing))}"
        )
    userlands = settings.state / "userland"
    userlands.mkdir(parents=True, exist_ok=True)
    with hold(userlands / "lock", lambda: log.info("another run makes its userland; waiting")):
        root = initramfs.packages_root(userlands, [*_COMMON, *recipe.packages], arch)
    with tempfile.TemporaryDirectory(prefix="vlag-programs-") as scratch:
        tree = Path(scratch) / recipe.name
        Path(scratch).chmod(0o755)  # the sandbox's user reads below it
        tree.mkdir()
        _unpack(recipe, root, settings.state / "sources", tree)
        _compile(recipe, tree, root, compiler, settings)
        return _install(recipe, _version(recipe, root), tree, settings.programs / arch)


def _version(recipe: Recipe, root: Path) -> str:
    """Return the version of what a recipe builds: its commit, shortened, or its package's."""
    if recipe.commit is not None:
        return recipe.commit[:12]
    return initramfs.package_version(root, recipe.packages[0]) or "unknown"


def versions(benchmark: Benchmark, settings: Settings, arch: str) -> dict[str, str]:
    """Return the version of what a benchmark's recipe has built: its name -> commit or package's.

    Empty where there is no recipe, and where somebody has put another program in its place.
    """
    recipe = recipe_of(benchmark)
    if recipe is None or benchmark.brought is None:
        return {}
    folder = settings.programs / arch
    try:
        record = json.loads((folder / _record(recipe)).read_text(encoding="utf-8"))
        built = record["programs"][benchmark.brought]
        own = built == sha256(folder / benchmark.brought)
        return {recipe.name: str(record.get("version") or record["commit"][:12])} if own else {}
    except (OSError, ValueError, TypeError, KeyError):
        return {}


def _record(recipe: Recipe) -> str:
    """Return the name of the file that says which source became which programs."""
    return f"{recipe.name}.json"


def _fetched(recipe: Recipe, url: str, commit: str, folder: Path) -> Path:
    """Return a bare repository with the commit, fetched once and alone."""
    source = folder / f"{recipe.name}.git"
    source.mkdir(parents=True, exist_ok=True)
    with hold(folder / f"{recipe.name}.lock", lambda: log.info("another run fetches it; waiting")):
        _git(recipe, "init", "--quiet", "--bare", str(source))
        if commit_of(source, commit) is None:
            log.info(f"fetching {url} at {commit[:12]}")
            _git(
                recipe, f"--git-dir={source}", "fetch", "--quiet", "--depth=1", "--no-tags",
                url, commit,
            )  # fmt: skip
    return source


def _git(recipe: Recipe, *arguments: str) -> None:
    done = subprocess.run([*GIT, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        message = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise InfrastructureError(
            f"{recipe.name}: {recipe.origin} cannot be fetched: {message};"
            " git's setting url.<base>.insteadOf names a mirror of it"
        )


def _unpack(recipe: Recipe, root: Path, sources: Path, tree: Path) -> None:
    """Put a recipe's source into `tree`, from its address or from `root`, its packages."""
    extract = ["tar", "--extract", "--directory", str(tree)]
    if recipe.url is None or recipe.commit is None:
        archive = initramfs.inside(root, str(recipe.source))
        log.info(f"unpacking {archive.name}")
        done = subprocess.run([*extract, "--strip-components=1", "--file", archive], check=False)
        failed = done.returncode
    else:
        source = _fetched(recipe, recipe.url, recipe.commit, sources)
        command = [*GIT, f"--git-dir={source}", "archive", recipe.commit]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as packed:
            done = subprocess.run(extract, stdin=packed.stdout, check=False)
        failed = packed.returncode or done.returncode
    if failed:
        raise InfrastructureError(
            f"{recipe.name}: {recipe.origin} could not be unpacked", retry=False
        )


def _compile(recipe: Recipe, tree: Path, root: Path, compiler: str, settings: Settings) -> None:
    """Run a recipe's build.sh in its tree.  It sees neither the network nor other files."""
    sandbox = Sandbox(
        rules=settings.sandbox,
        read=(root, recipe.folder),
        write=(tree,),
        environment={
            "CC": f"{compiler} --sysroot={root}",
            "CFLAGS": "-O2",
            "LDFLAGS": "-static -s",
            "HOST": compiler.removesuffix("-gcc"),
            "RECIPE": str(recipe.folder),
            "ROOT": str(root),
        },
    )
    sandbox.prepare()
    printed: list[str] = []
    log.info(f"compiling {recipe.name}")
    ended = sandbox.run(
        ["sh", "-eu", str(recipe.folder / "build.sh")], cwd=tree, line=printed.append
    )
    if ended.status:
        said = " | ".join(line.strip() for line in printed[-_LAST_LINES:]) or "no message"
        why = ended.machine or ended.stopped or said
        raise InfrastructureError(f"{recipe.name} does not build: {why}", retry=False)


def _install(recipe: Recipe, version: str, tree: Path, folder: Path) -> list[Path]:
    """Copy the programs to where userlands find them."""
    made = tree / ".vlag-programs"
    made.mkdir()
    for name, path in recipe.programs.items():
        if not (tree / path).is_file() or (tree / path).is_symlink():
            raise InfrastructureError(f"{recipe.name}: its build made no {path}", retry=False)
        shutil.copyfile(tree / path, made / name)
        (made / name).chmod(0o755)
    initramfs.static_programs(made, list(recipe.programs))
    folder.mkdir(parents=True, exist_ok=True)
    for name in recipe.programs:
        with durable.replacing(folder / name) as draft:
            shutil.copy2(made / name, draft)
    record = {
        "url": recipe.url,
        "commit": recipe.commit,
        "source": recipe.source,
        "version": version,
        "licence": recipe.licence,
        "programs": {name: sha256(folder / name) for name in recipe.programs},
    }
    with durable.replacing(folder / _record(recipe)) as draft:
        draft.write_text(json.dumps(record, indent=1), encoding="utf-8")
    return [folder / name for name in recipe.programs]
