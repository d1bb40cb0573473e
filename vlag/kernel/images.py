# SPDX-License-Identifier: GPL-2.0-only
"""Prebuilt kernels as a tree: a package version, or a file, is a commit that describes it.

A commit holds one file, `image.json`, and has no parent: prebuilt kernels have no history that a
patch could be applied to, or a bisection search.  It is made when the kernel is first asked for,
with the kernel's own date, so that it has the same id on every machine.  Refs, baselines and
patterns then work as for every mirror.
"""

from __future__ import annotations

import fnmatch
import json
import logging
import subprocess
import tempfile
import urllib.request
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Literal, TypedDict

from attrs import field, frozen

from vlag import durable
from vlag.bundle import sha256
from vlag.errors import InfrastructureError, UsageError
from vlag.kernel import mirror as mirrors
from vlag.kernel import prebuilt
from vlag.kernel.archive import Archive, Package
from vlag.kernel.git import GIT
from vlag.kernel.refs import Files, is_pattern

log = logging.getLogger(__name__)

#: Of the tags: a tree with sources of the same version has another one.
PREFIX = "prebuilt/"
#: What a commit holds.
FILE = "image.json"


class ImageRecord(TypedDict):
    """image.json: a package, or an image and its config."""

    kind: Literal["package", "files"]
    name: str
    version: str
    architecture: str  # as Debian calls it
    sha256: list[str]  # of the package, or of the image and the config


@frozen(kw_only=True)
class Version:
    """A package version, as the tree names it."""

    tag: str
    branch: str
    package: Package


@frozen(kw_only=True)
class Images:
    """A tree of prebuilt kernels."""

    tree: str
    mirror: Path  # git repository of what was asked for
    folder: Path  # packages and files, and apt's lists
    branches: Mapping[str, str | Files]  # branch -> pattern of package names, or files
    sources: Path | None = None  # apt's file of sources; None: those of this machine
    archive: Archive | None = field(init=False)

    @archive.default
    def _archive(self) -> Archive | None:
        patterns = self.patterns
        if not patterns:
            return None
        architecture = next(iter(patterns.values())).rpartition("-")[2]
        return Archive(folder=self.folder / "apt", architecture=architecture, sources=self.sources)

    @property
    def patterns(self) -> dict[str, str]:
        """Branches of packages: name -> pattern of package names."""
        return {
            name: pattern for name, pattern in self.branches.items() if isinstance(pattern, str)
        }

    def bring(self, ref: str) -> None:
        """Import the kernel that `ref` means, so that the mirror can resolve it.

        A version that was asked for by its tag or commit needs no network a second time.  For a
        branch or a pattern the newest version in the archive is imported; without a network the
        newest that was fetched before counts, and a line says so.  Raises UsageError for a ref
        that is none, InfrastructureError if it was never fetched and cannot be.
        """
        if ".." in ref:
            raise UsageError(
                f"{ref}: tree {self.tree} has prebuilt kernels, which have no history and no"
                " merge base"
            )
        with mirrors.alone(self.mirror):
            self._make()
            source = self.branches.get(ref)
            if isinstance(source, Files):
                self._import_files(ref, source)
            elif source is not None or is_pattern(ref) or not self._has(ref):
                self._import_newest(ref)

    def take(self, version: Version) -> None:
        """Import one of `versions`; InfrastructureError if it was never fetched and cannot be."""
        with mirrors.alone(self.mirror):
            self._make()
            self._import_package(version)

    def versions(self) -> list[Version]:
        """Return all versions that the archive has, oldest first.

        Raises InfrastructureError without a network, unless the lists are fresh.
        """
        if self.archive is None:
            return []
        self.archive.refresh()
        by_tag: dict[str, Version] = {}
        packages = self.archive.packages(self.patterns.values())
        for branch, pattern in self.patterns.items():
            for package in (p for p in packages if fnmatch.fnmatchcase(p.name, pattern)):
                tag = PREFIX + mirrors.tag_part(package.version)
                known = by_tag.setdefault(tag, Version(tag=tag, branch=branch, package=package))
                if known.package.name != package.name:
                    raise UsageError(
                        f"tree {self.tree}: {known.package.name} and {package.name} both have a"
                        f" version {package.version}; give each kind of image a tree of its own"
                    )
        return sorted(by_tag.values(), key=lambda v: version_key(v.package.version))

    def fetched(self, commit: str) -> tuple[ImageRecord, Sequence[Path]]:
        """Return what a commit describes, and its package, or its image and config, on disk.

        A file that is gone or damaged is fetched again.  Raises InfrastructureError if it cannot
        be.
        """
        image = describe(self.mirror, commit)
        paths = [self._path(digest) for digest in image["sha256"]]
        if all(p.is_file() and sha256(p) == p.name for p in paths):
            return image, paths
        if image["kind"] == "files":
            raise InfrastructureError(
                f"{image['name']}: the copy in {self.folder} is damaged or gone; `vlag build"
                f" --tree {self.tree} --ref BRANCH` with its branch copies it again",
                retry=False,
            )
        if paths[0].exists():
            log.info(f"{paths[0]}: damaged: another SHA-256 than its name; fetching it again")
        self._fetch(
            Package(
                name=image["name"],
                version=image["version"],
                architecture=image["architecture"],
                sha256=image["sha256"][0],
            )
        )
        return image, paths

    def _make(self) -> None:
        if self.mirror.exists():
            return
        self.mirror.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([*GIT, "init", "--quiet", "--bare", str(self.mirror)], check=True)
        first = next(iter(self.branches))
        mirrors.git(self.mirror, "symbolic-ref", "HEAD", f"refs/heads/{first}")

    def _has(self, ref: str) -> bool:
        try:
            mirrors.resolve(self.mirror, ref)
        except UsageError:
            return False
        return True

    def _import_newest(self, ref: str) -> None:
        try:
            known = self.versions()
            fitting = [v for v in known if ref == v.branch or fnmatch.fnmatchcase(v.tag, ref)]
            if fitting:
                self._import_package(fitting[-1])
        except InfrastructureError as e:
            if not e.retry:
                raise
            if not self._has(ref):
                raise InfrastructureError(
                    f"{ref} of tree {self.tree} was not fetched before, and now {e}"
                ) from e
            log.info(f"{e}; taking the newest {ref} that was fetched before")
            return
        if not fitting and not self._has(ref):
            there = f"{known[0].tag} to {known[-1].tag}" if known else "no package at all"
            raise UsageError(
                f"no branch or version {ref!r} in tree {self.tree}; branches:"
                f" {', '.join(self.branches)}; versions in Debian's archive: {there}"
            )

    def _import_package(self, version: Version) -> None:
        package = version.package
        if not self._has(version.tag):
            path = self._path(package.sha256)
            if not path.is_file() or sha256(path) != package.sha256:
                self._fetch(package)
            self._commit(
                version.tag,
                f"{package.name} {package.version}",
                {
                    "kind": "package",
                    "name": package.name,
                    "version": package.version,
                    "architecture": package.architecture,
                    "sha256": [package.sha256],
                },
                prebuilt.packed_at(path),
            )
        self._advance(version.branch, version.tag)

    def _advance(self, branch: str, tag: str) -> None:
        """Let a branch point to a version that is newer than its own."""
        commit = mirrors.resolve(self.mirror, tag).sha
        if self._has(f"refs/heads/{branch}"):
            head = mirrors.resolve(self.mirror, f"refs/heads/{branch}").sha
            old, new = (describe(self.mirror, c)["version"] for c in (head, commit))
            if version_key(new) <= version_key(old):
                return
        mirrors.git(self.mirror, "update-ref", f"refs/heads/{branch}", commit)

    def _import_files(self, branch: str, files: Files) -> None:
        image, at = self._take(files.image)
        config, _ = self._take(files.config)
        arch, release = prebuilt.header(prebuilt.plain(image.read_bytes()), files.image)
        tag = f"files/{release}-{image.name[:12]}-{config.name[:6]}"
        if not self._has(tag):
            self._commit(
                tag,
                f"{branch}: {Path(files.image).name} {release}",
                {
                    "kind": "files",
                    "name": Path(files.image).name,
                    "version": release,
                    "architecture": prebuilt.DEBIAN[arch],
                    "sha256": [image.name, config.name],
                },
                at,
            )
        commit = mirrors.resolve(self.mirror, tag).sha
        mirrors.git(self.mirror, "update-ref", f"refs/heads/{branch}", commit)

    def _take(self, source: str) -> tuple[Path, int]:
        """Copy a path or URL under its SHA-256; return the copy and the date of the file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="partial-", dir=self.folder) as scratch:
            draft = Path(scratch) / "file"
            try:
                if source.startswith(("http://", "https://")):
                    log.info(f"fetching {source}")
                    with urllib.request.urlopen(source, timeout=60) as answer:  # noqa: S310
                        draft.write_bytes(answer.read())
                        date = answer.headers.get("Last-Modified")
                    at = int(parsedate_to_datetime(date).timestamp()) if date else 0
                else:
                    draft.write_bytes(Path(source).read_bytes())
                    at = int(Path(source).stat().st_mtime)
            except FileNotFoundError as e:
                raise UsageError(f"tree {self.tree}: {source}: no such file") from e
            except (OSError, ValueError) as e:
                raise InfrastructureError(
                    f"tree {self.tree}: cannot read {source}: {e}; a version that was fetched"
                    " before can be named by its tag"
                ) from e
            to = self._path(sha256(draft))
            durable.place(draft, to)
        return to, at

    def _path(self, digest: str) -> Path:
        return self.folder / digest

    def _fetch(self, package: Package) -> None:
        if self.archive is None:
            raise UsageError(
                f"tree {self.tree} no longer has packages; {package.name} cannot be fetched"
            )
        self.archive.refresh()
        self.archive.fetch(package, self._path(package.sha256))

    def _commit(self, tag: str, title: str, content: ImageRecord, at: int) -> None:
        data = json.dumps(content, indent=1, sort_keys=True).encode() + b"\n"
        mirrors.import_file(self.mirror, f"refs/tags/{tag}", title, FILE, data, at)


def describe(mirror: Path, commit: str) -> ImageRecord:
    """Return what a commit of a tree of prebuilt kernels describes."""
    record: ImageRecord = json.loads(mirrors.git(mirror, "show", f"{commit}:{FILE}"))
    return record


def version_key(version: str) -> list[tuple[int, ...]]:
    """Return a key that sorts Debian versions as dpkg does."""
    key: list[tuple[int, ...]] = []
    epoch, colon, rest = version.rpartition(":")
    upstream, _, revision = rest.rpartition("-") if "-" in rest else (rest, "", "")
    for part in (epoch if colon else "0", upstream, revision):
        digits = ""
        letters: list[int] = []
        for c in f"{part}\0":
            if c.isdigit():
                if not digits:
                    key.append((*letters, 0))
                    letters = []
                digits += c
                continue
            if digits:
                key.append((int(digits),))
                digits = ""
            if c != "\0":
                # A tilde sorts before the end, and letters before all other characters.
                letters.append(-1 if c == "~" else ord(c) if c.isalpha() else ord(c) + 256)
        key += [(*letters, 0), (0,)]
    return key
