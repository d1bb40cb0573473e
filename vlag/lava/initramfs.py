# SPDX-License-Identifier: GPL-2.0-only
"""The boards' initramfs: a cpio archive made from Debian packages, built once.

Only the programs that a benchmark names, and the libraries they need, are taken:
a small archive boots fast on a board that counts instructions.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import re
import shutil
import subprocess
import tempfile
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from attrs import frozen

from vlag import durable
from vlag.bundle import set_aside
from vlag.bundle import sha256 as digest_of
from vlag.bundle_records import UserlandRecord
from vlag.errors import InfrastructureError, UsageError
from vlag.lava import newc
from vlag.lock import hold
from vlag.model import digest

log = logging.getLogger(__name__)

#: Debian release the tools come from, whatever the host runs: stress-ng 0.15.06,
#: rt-tests 2.4.  A change of tool version starts new series.
SUITE = "bookworm"
#: Ends the name of a package that is taken from that release's backports.
_BACKPORTS = "/backports"
#: Increment it when a change of the recipe below changes the archive.
_RECIPE = 4
#: Architecture as the kernel calls it -> as Debian does, and its libraries' folder.
_DEBIAN = {
    "x86_64": ("amd64", "x86_64-linux-gnu"),
    "arm64": ("arm64", "aarch64-linux-gnu"),
}
_INTERPRETER = re.compile(r"\[Requesting program interpreter: (\S+)\]")
_DYNAMIC = re.compile(r"\((NEEDED|RPATH|RUNPATH)\)\s+[^\[]*\[([^\]]*)\]")
#: Has the dynamic loader; no benchmark names it.
_LOADER = "libc6"
#: Packs the archive, by its package's name: another version's output has other bytes.
_COMPRESSOR = "zstd"
#: Settings of apt that say how an archive is reached.
_NETWORK = re.compile(r"Acquire::(http|https|ftp|Retries|Check-Date|Check-Valid-Until)\b")
#: Of symbolic links on the way to one file, as Linux has it.
_MOST_LINKS = 40
#: Start of busybox's table of applets: sorted names, each ends with a NUL, the last with two.
_APPLETS = b"\0[\0[[\0"


@frozen(kw_only=True)
class Userland:
    """A built archive."""

    path: Path  # zstd-compressed cpio
    sha256: str
    packages: Mapping[str, str]  # package -> Debian version


def triplet(arch: str) -> str:
    """Return how Debian names an architecture's compiler and folders; UsageError for others."""
    if arch not in _DEBIAN:
        raise UsageError(f"no userland for boards of arch {arch}; there are: {', '.join(_DEBIAN)}")
    return _DEBIAN[arch][1]


def package_list(path: Path) -> list[str]:
    """Read a list of packages: one a line, `#` begins a comment."""
    lines = (line.partition("#")[0].strip() for line in path.read_text("utf-8").splitlines())
    return [line for line in lines if line]


def build(
    folder: Path,
    packages: Sequence[str],
    programs: Iterable[str],
    *,
    arch: str = "x86_64",
    brought: Path | None = None,
    files: Sequence[str] = (),
) -> Userland:
    """Return the initramfs; build it if the recipe is new.

    `programs` are names to be found in `brought` or in the packages' bin folders, `arch` is
    the boards' architecture as the kernel calls it; no program of the archive runs here.
    `brought` is a folder of static programs that no package has.  `files` are paths in the
    packages of what programs read; the archive has them at the same paths.  Raises UsageError for a
    program that is in neither, for one there that is not static, for a file that no package has,
    and for an architecture without packages, InfrastructureError if Debian's archive cannot be
    reached.  A package of `NAME/backports` is from the backports of the release.
    """
    triplet(arch)
    packages = sorted(set(packages))
    wanted = sorted({*programs, "busybox"})
    own = static_programs(brought, wanted)
    recipe = {
        "suite": SUITE, "recipe": _RECIPE, "packages": packages, "programs": wanted,
        **({"brought": {p.name: digest_of(p) for p in own}} if own else {}),
        # Only where there are any: userlands without have kept their names.
        **({"files": sorted(set(files))} if files else {}),
    }  # fmt: skip
    home = folder / digest({**recipe, **_foreign(arch)})[:16]
    # Two runs started side by side build it once.
    with hold(
        folder / "lock", lambda: log.info("another run makes its userland; waiting for its end")
    ):
        known = _whole(home)
        if known is None:
            root = packages_root(folder, packages, arch)
            compress = _compressor(root, folder, arch)
            log.info(f"making the {arch} boards' userland with {', '.join(wanted)}")
            shutil.rmtree(home, ignore_errors=True)
            draft = home.with_name(f"{home.name}.partial")
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir()
            with tempfile.TemporaryDirectory(prefix="vlag-userland-") as scratch:
                tree = Path(scratch) / "tree"
                _fill(tree, root, wanted, own, arch, brought)
                _take_files(tree, root, files)
                _pack(tree, draft / "userland.cpio.zst", compress)
            _describe(draft, root, packages, wanted, own)
            durable.place(draft, home)
            known = json.loads((home / "userland.json").read_text(encoding="utf-8"))
    return Userland(
        path=home / "userland.cpio.zst", sha256=known["sha256"], packages=known["packages"]
    )


def _whole(home: Path) -> UserlandRecord | None:
    """Return the manifest of a made archive; one that a power cut has damaged is set aside."""
    try:
        known: UserlandRecord = json.loads((home / "userland.json").read_text(encoding="utf-8"))
        whole = digest_of(home / "userland.cpio.zst") == known["sha256"]
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError):
        whole = False
    if not whole:
        set_aside(home, "this userland is damaged")
        return None
    return known


def _foreign(arch: str) -> dict[str, str]:
    # Other architectures only: archives of the first one have kept their names.
    return {} if arch == "x86_64" else {"arch": arch}


def packages_root(folder: Path, packages: Sequence[str], arch: str) -> Path:
    """Return a tree with the packages and what they need unpacked, fetched once."""
    packages = sorted({*packages, _COMPRESSOR})
    known = {"suite": SUITE, "packages": packages, **_foreign(arch)}
    root = folder / f"root-{digest(known)[:16]}"
    if root.exists():
        return root
    debian, _ = _DEBIAN[arch]
    log.info(f"fetching {', '.join(packages)} of Debian {SUITE} {debian} (once, under a minute)")
    with tempfile.TemporaryDirectory(prefix="partial-", dir=folder) as scratch:
        archive, tree = Path(scratch) / "root.tar", Path(scratch) / "root"
        done = subprocess.run(
            ["mmdebstrap", f"--mode={_mode()}", "--variant=extract",
             f"--architectures={debian}", *_network(),
             *_backports(packages),
             f"--include={','.join(_in_suite(p) for p in packages)}", SUITE, str(archive)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if line.startswith("E:")]
            raise InfrastructureError(
                f"mmdebstrap could not fetch {', '.join(packages)} for {debian}:"
                f" {(errors or ['no message'])[0]}"
            )
        tree.mkdir()
        # Device nodes are not wanted, and making them needs privileges.
        done = subprocess.run(
            ["tar", "--extract", "--file", archive, "--directory", tree, "--exclude=./dev/*"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            errors = done.stderr.strip().splitlines() or ["no message"]
            raise InfrastructureError(f"tar could not unpack {', '.join(packages)}: {errors[0]}")
        # Alternatives that the packages' own scripts, which do not run here, would set.
        for library in [*tree.glob("usr/lib/*/blas/*.so.?"), *tree.glob("usr/lib/*/lapack/*.so.?")]:
            link = library.parent.parent / library.name
            link.symlink_to(library.relative_to(link.parent))
        # Links that base-files would bring from Debian 13 on.
        for name in ("bin", "sbin", "lib", "lib64"):
            if not (tree / name).exists() and (tree / "usr" / name).is_dir():
                (tree / name).symlink_to(f"usr/{name}")
        os.sync()  # thousands of files: one call, not one for each
        tree.rename(root)
        durable.sync_name(root)
    return root


def _backports(packages: Sequence[str]) -> list[str]:
    """Return options with which mmdebstrap knows the release's backports, if one comes from there.

    They are beside the release itself on each of its mirrors; nothing else is taken from them.
    """
    if not any(p.endswith(_BACKPORTS) for p in packages):
        return []
    # The first line of what mmdebstrap itself has written names mirror and components.
    return [
        '--setup-hook=sed -n "/^deb /{s/ ' + SUITE + " / " + SUITE + '-backports /p;q}"'
        ' "$1"/etc/apt/sources.list > "$1"/etc/apt/sources.list.d/backports.list'
    ]


def _in_suite(package: str) -> str:
    """Return a package's name as apt takes it."""
    return package.replace(_BACKPORTS, f"/{SUITE}-backports")


def _network() -> list[str]:
    """Return options with what this machine's apt is told of its network, such as a proxy.

    mmdebstrap asks its environment alone.
    """
    done = subprocess.run(
        ["apt-config", "dump", "--no-empty", "--format", '%f "%v";%n', "Acquire"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return [f"--aptopt={line}" for line in done.stdout.splitlines() if _NETWORK.match(line)]


def _mode() -> str:
    """Return how mmdebstrap works here; it runs nothing of the packages, and so needs no root."""
    return "root" if os.geteuid() == 0 else "chrootless"


def static_programs(folder: Path | None, programs: Sequence[str]) -> list[Path]:
    """Return those of the programs that lie in the folder; UsageError for one with libraries."""
    paths = [p for name in programs if folder is not None and (p := folder / name).is_file()]
    for path in paths:
        elf = _readelf(path)
        if _INTERPRETER.search(elf) or _DYNAMIC.search(elf):
            raise UsageError(f"{path}: not a static program; link it with -static")
    return paths


def _fill(
    tree: Path,
    root: Path,
    programs: Sequence[str],
    own: Sequence[Path],
    arch: str,
    brought: Path | None,
) -> None:
    try:
        _pick(root, tree, [p for p in programs if p not in {o.name for o in own}], arch)
    except UsageError as e:
        raise UsageError(f"{e}; put a static one into {brought}" if brought else str(e)) from e
    for path in own:
        shutil.copyfile(path, tree / "bin" / path.name)
        (tree / "bin" / path.name).chmod(0o755)


def _take_files(tree: Path, root: Path, files: Sequence[str]) -> None:
    for path in files:
        source = inside(root, path)
        if not source.is_file():
            raise UsageError(f"no package of the userland has the file {path}")
        target = tree / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def _describe(
    home: Path, root: Path, packages: Sequence[str], programs: Sequence[str], own: Sequence[Path]
) -> None:
    names = [p.removesuffix(_BACKPORTS) for p in packages]
    versions = {p: v for p in (*names, _LOADER) if (v := package_version(root, p))}
    versions |= {f"programs/{p.name}": f"sha256 {digest_of(p)}" for p in own}
    about = {
        "sha256": digest_of(home / "userland.cpio.zst"),
        "packages": versions,
        "programs": list(programs),
    }
    (home / "userland.json").write_text(json.dumps(about, indent=1), encoding="utf-8")


def _pick(root: Path, tree: Path, programs: Sequence[str], arch: str) -> None:
    """Copy programs and their libraries from `root` to `tree`, at the same paths."""
    for folder in ("bin", "proc", "sys", "dev", "tmp", "out"):
        (tree / folder).mkdir(parents=True)
    wanted: dict[str, None] = {}
    for program in programs:
        source = next(
            (
                f"/{d}/{program}"
                for d in ("usr/bin", "bin", "usr/sbin", "sbin")
                if inside(root, f"/{d}/{program}").exists()
            ),
            None,
        )
        if source is None:
            raise UsageError(f"no package of the userland has the program {program!r}")
        shutil.copy2(inside(root, source), tree / "bin" / program)
        wanted.update(dict.fromkeys(libraries(root, source, arch)))
    for library in wanted:
        target = tree / library.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(inside(root, library), target)
    for applet in applets(tree / "bin" / "busybox"):
        if not (tree / "bin" / applet).exists():
            (tree / "bin" / applet).symlink_to("busybox")


def inside(root: Path, path: str) -> Path:
    """Return where an absolute path leads if `root` is the root folder; it may not exist.

    Packages have absolute links: the kernel would follow them to this machine's own files.
    Raises InfrastructureError for links that lead in a circle.
    """
    place, links = root, 0
    parts = deque(PurePosixPath(path).parts[1:])
    while parts:
        part = parts.popleft()
        if part == "..":
            place = place if place == root else place.parent
            continue
        if not (place / part).is_symlink():
            place /= part
            continue
        links += 1
        if links > _MOST_LINKS:
            raise InfrastructureError(f"{path}: its symbolic links lead in a circle", retry=False)
        target = PurePosixPath((place / part).readlink())
        if target.is_absolute():
            place, target = root, target.relative_to("/")
        parts.extendleft(reversed(target.parts))
    return place


def libraries(root: Path, program: str, arch: str) -> list[str]:
    """Return the paths that the dynamic linker would load for a program in `root`.

    It reads only the files, in the order of ld.so(8): this works for other architectures,
    and this machine's CPU chooses no variant.  Raises InfrastructureError for a missing
    library and for a program that is not an ELF file.
    """
    names: dict[str, None] = {}
    asking = [program]
    while asking:
        path = asking.pop(0)
        for library in _needed(root, path, arch, {os.path.basename(known) for known in names}):
            names[library] = None
            asking.append(library)
    return list(names)


def _needed(root: Path, asking: str, arch: str, known: Collection[str]) -> Iterator[str]:
    """Yield the paths of the libraries that one file needs, except the known names."""
    elf = _readelf(inside(root, asking))
    entries = _DYNAMIC.findall(elf)
    # RUNPATH makes the linker pass over RPATH.
    named = {tag: value.split(":") for tag, value in entries if tag != "NEEDED"}
    folders = [
        os.path.normpath(re.sub(r"\$(ORIGIN|\{ORIGIN\})", os.path.dirname(asking), folder))
        for folder in named.get("RUNPATH", named.get("RPATH", []))
    ]
    _, triplet = _DEBIAN[arch]
    folders += [f"/lib/{triplet}", f"/usr/lib/{triplet}", "/lib", "/usr/lib"]
    interpreters = _INTERPRETER.findall(elf)
    own = {os.path.basename(interpreter) for interpreter in interpreters}
    for name in (*interpreters, *(value for tag, value in entries if tag == "NEEDED")):
        if name in known or name in own:
            continue
        paths = [name] if name in interpreters else [f"{folder}/{name}" for folder in folders]
        path = next((p for p in paths if inside(root, p).exists()), None)
        if path is None:
            raise InfrastructureError(
                f"{asking} needs the library {name}, which no package of the userland has",
                retry=False,
            )
        yield path


def _readelf(path: Path) -> str:
    """Return the output of binutils for a file of any architecture."""
    done = subprocess.run(
        ["readelf", "--wide", "--program-headers", "--dynamic", str(path)],
        capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"},
    )  # fmt: skip
    if done.returncode:
        message = (done.stderr.strip().splitlines() or ["no message"])[0]
        raise InfrastructureError(
            f"cannot list the libraries of {path.name}: {message}", retry=False
        )
    return done.stdout


def applets(busybox: Path) -> list[str]:
    """Return the output of `busybox --list`, read from the program's table of names.

    Raises InfrastructureError if the file has no such table.
    """
    _, marker, rest = busybox.read_bytes().partition(_APPLETS)
    table, end, _ = rest.partition(b"\0\0")
    if not marker or not end:
        raise InfrastructureError(f"{busybox}: no table of applets in it", retry=False)
    return ["[", "[[", *table.decode("ascii").split("\0")]


def package_version(root: Path, package: str) -> str | None:
    """Return a package's version from its changelog's first line, `name (version) …`."""
    for name in ("changelog.Debian.gz", "changelog.gz"):
        log = root / "usr/share/doc" / package / name
        if log.exists():
            with gzip.open(log, "rt", encoding="utf-8", errors="replace") as text:
                match = re.match(r"\S+ \((\S+)\)", text.readline())
                return match[1] if match else None
    return None


def _compressor(root: Path, folder: Path, arch: str) -> list[str]:
    """Return the command that compresses, of the userland's release and not of this machine.

    It runs with the libraries of its own root.  Raises InfrastructureError if Debian's
    archive cannot be reached, UsageError for a machine without packages.
    """
    host = {"aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    if host not in _DEBIAN:
        raise UsageError(f"no userland can be made on a machine of arch {host}")
    if host != arch:
        root = packages_root(folder, (), host)
    program = f"/usr/bin/{_COMPRESSOR}"
    [loader] = _INTERPRETER.findall(_readelf(inside(root, program)))
    folders = {str(inside(root, path).parent) for path in libraries(root, program, host)}
    return [
        str(inside(root, loader)), "--library-path", ":".join(sorted(folders)),
        str(inside(root, program)),
    ]  # fmt: skip


def _pack(tree: Path, target: Path, compress: Sequence[str]) -> None:
    # One thread: the compressed bytes must not depend on the number of CPUs.
    packed = subprocess.run(
        [*compress, "--quiet", "-12", "--single-thread", "-c"],
        input=newc.archive(tree), stdout=subprocess.PIPE, check=True,
    ).stdout  # fmt: skip
    # The kernel expects what follows a compressed archive at a multiple of four bytes.
    target.write_bytes(packed + b"\0" * (-len(packed) % 4))
