# SPDX-License-Identifier: GPL-2.0-only
"""Local git mirrors: cloned from a URL, or filled from Debian's kernel sources.

The rest of the system only sees git, whatever the source of a tree.
"""

from __future__ import annotations

import contextlib
import logging
import lzma
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

from attrs import field, frozen

from vlag.errors import InfrastructureError, UsageError
from vlag.kernel import remote, upstream
from vlag.kernel.git import GIT, commit_of, git, is_ancestor
from vlag.kernel.refs import MERGE_BASE, is_pattern, of_line
from vlag.lock import hold
from vlag.model import is_commit_id

log = logging.getLogger(__name__)

__all__ = [
    "Commit", "alone", "clone", "distance", "git", "heads", "import_file", "import_packages",
    "is_ancestor", "quoted", "resolve", "tag_part",
]  # fmt: skip

#: Author of imported commits: the import must give the same commit ids everywhere.
_IDENTITY = "vlag import <vlag@localhost>"


@frozen(kw_only=True)
class Commit:
    """A commit of a tree, with its description for people."""

    sha: str
    describe: str  # nearest tag and distance
    subject: str
    committed_at: str  # RFC 3339
    is_branch: bool = False  # found as the head of a branch, not by a tag or an id
    # A sentence for each name in the reference that a tag and a branch have.
    ambiguities: tuple[str, ...] = field(default=(), eq=False)


@frozen(kw_only=True)
class _Named:
    """What a reference names."""

    sha: str
    is_branch: bool = False
    ambiguities: tuple[str, ...] = ()


def clone(mirror: Path, url: str, watched: Sequence[str] = ()) -> str | None:
    """Make or refresh a mirror of `url`.

    `watched` are names or patterns of branches: what becomes of these upstream is said.
    Returns a sentence if the remote of a mirror that exists could not be fetched: the mirror
    then has what it had.  Raises InfrastructureError if there is none yet.
    """
    with alone(mirror):
        if mirror.exists():
            log.info(f"fetching {remote.shown(url)}")
            upstream.move(mirror, url)
            return upstream.fetch(mirror, watched)
        log.info(f"cloning {remote.shown(url)}; a kernel tree takes some minutes")
        with _whole(mirror) as draft:
            _fill(draft, url)
        upstream.look(mirror, watched)
        return None


def _fill(draft: Path, url: str) -> None:
    """Fetch all of a remote into a new bare repository, which gets the remote's kind of ids."""
    upstream.move(draft, url)
    why = remote.fetch(draft)
    if why is not None and (kind := remote.other_ids(why)) is not None:
        shutil.rmtree(draft)
        _init(draft, kind)
        upstream.move(draft, url)
        why = remote.fetch(draft)
    if why is not None:
        raise InfrastructureError(
            f"cannot clone {remote.shown(url)}: {remote.shown(why)}", retry=True
        )


def _init(folder: Path, kind: str = "sha1") -> None:
    words = ["init", "--quiet", "--bare", f"--object-format={kind}", str(folder)]
    subprocess.run([*GIT, *words], check=True)


@contextlib.contextmanager
def _whole(mirror: Path) -> Iterator[Path]:
    """Give a new bare repository to fill, which becomes the mirror if that succeeds."""
    draft = mirror.with_name(f"{mirror.name}.partial")
    shutil.rmtree(draft, ignore_errors=True)  # of a process that was killed
    mirror.parent.mkdir(parents=True, exist_ok=True)
    try:
        _init(draft)
        yield draft
        draft.rename(mirror)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def alone(mirror: Path) -> AbstractContextManager[None]:
    """Hold a mirror's lock, which whoever changes its refs holds; hosts may share a mirror."""
    busy = f"another process brings {mirror.name} up to date; waiting for its end"
    return hold(mirror.with_name(f"{mirror.name}.lock"), lambda: log.info(busy))


def import_packages(mirror: Path, packages: Mapping[str, str]) -> list[str]:
    """Import each Debian package (`linux-source-X`) as the head of its branch.

    `packages` maps branch to package.  Returns the new tags (`debian/VERSION`); a
    version that is already imported costs nothing.
    """
    with alone(mirror):
        return _import_packages(mirror, packages)


def _import_packages(mirror: Path, packages: Mapping[str, str]) -> list[str]:
    if not mirror.exists():
        # Pollers read a mirror that is there: it has all branches then.
        with _whole(mirror) as draft:
            git(draft, "symbolic-ref", "HEAD", f"refs/heads/{next(iter(packages))}")
            return _add_packages(draft, packages)
    return _add_packages(mirror, packages)


def _add_packages(mirror: Path, packages: Mapping[str, str]) -> list[str]:
    new = []
    for branch, package in packages.items():
        version = _package_version(package)
        tag = f"debian/{tag_part(version)}"
        if git(mirror, "tag", "--list", tag):
            continue
        log.info(f"importing {package} {version} as {branch}")
        _fast_import(mirror, Path(f"/usr/src/{package}.tar.xz"), package, version, branch, tag)
        new.append(tag)
    return new


def tag_part(version: str) -> str:
    """Return a Debian version as DEP-14 writes it in a tag: git forbids a tilde there."""
    return version.replace("~", "_").replace(":", "%")


def import_file(mirror: Path, ref: str, title: str, name: str, data: bytes, at: int) -> None:
    """Let `ref` be a commit without a parent that has one file; `at`: its date, Unix time.

    Raises InfrastructureError if git cannot write it.
    """
    stream = (
        f"commit {ref}\ncommitter {_IDENTITY} {at} +0000\n"
        f"data {len(title.encode())}\n{title}\n"
        f"M 100644 inline {quoted(name)}\ndata {len(data)}\n"
    )
    done = subprocess.run(
        [*GIT, f"--git-dir={mirror}", "fast-import", "--quiet", "--force"],
        input=stream.encode() + data + b"\n", capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip()
        raise InfrastructureError(f"git fast-import of {title} failed: {message}")


def _package_version(package: str) -> str:
    done = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Version}", package],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode > 1 or done.returncode < 0:
        message = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[0]
        raise InfrastructureError(f"dpkg-query cannot look for {package}: {message}")
    if not done.stdout:
        raise UsageError(f"Debian package {package} is not installed: apt-get install {package}")
    return done.stdout


def _fast_import(
    mirror: Path, tarball: Path, package: str, version: str, branch: str, tag: str
) -> None:
    """Stream a tarball into one commit on top of `branch`, without a work tree."""
    with subprocess.Popen(
        # Light compression and no deltas: the mirror is local, and packing hard costs minutes.
        # One version of each file has nothing to be a delta of: the pack is as large without.
        [
            *GIT,
            f"--git-dir={mirror}",
            "-c",
            "core.compression=1",
            "fast-import",
            "--quiet",
            "--force",
            "--depth=0",
        ],
        stdin=subprocess.PIPE,
    ) as child:
        assert child.stdin is not None  # noqa: S101 - Popen was asked for a pipe
        stream = child.stdin
        try:
            with lzma.open(tarball) as plain, tarfile.open(fileobj=plain, mode="r|") as tar:
                _write_commit(stream, tar, mirror, f"{package} {version}", branch, tag)
            stream.close()
        except BrokenPipeError:
            pass
        except (OSError, EOFError, lzma.LZMAError, tarfile.TarError) as e:
            child.kill()
            raise InfrastructureError(f"{tarball}: cannot be read: {e}", retry=False) from e
    if child.returncode:
        raise InfrastructureError(f"git fast-import of {tarball} failed (no disk space?)")


def _write_commit(
    out: IO[bytes], tar: tarfile.TarFile, mirror: Path, title: str, branch: str, tag: str
) -> None:
    ref = f"refs/heads/{branch}"
    newest = 0
    entries: list[tuple[str, str, bytes | int]] = []
    mark = 0
    for member in tar:
        path = member.name.partition("/")[2]
        newest = max(newest, int(member.mtime))
        if member.issym():
            entries.append(("120000", path, member.linkname.encode()))
        elif member.isfile():
            data = tar.extractfile(member).read()  # type: ignore[union-attr]
            mark += 1
            out.write(b"blob\nmark :%d\ndata %d\n" % (mark, len(data)))
            out.write(data)
            out.write(b"\n")
            entries.append(("100755" if member.mode & 0o100 else "100644", path, mark))
    out.write(f"commit {ref}\ncommitter {_IDENTITY} {newest} +0000\n".encode())
    out.write(f"data {len(title.encode())}\n{title}\n".encode())
    parent = subprocess.run(
        [*GIT, f"--git-dir={mirror}", "rev-parse", "--verify", "--quiet", ref],
        capture_output=True, text=True, check=False,
    ).stdout.strip()  # fmt: skip
    if parent:
        out.write(f"from {parent}\n".encode())
    out.write(b"deleteall\n")
    for mode, path, content in entries:
        if isinstance(content, bytes):
            out.write(f"M {mode} inline {quoted(path)}\ndata {len(content)}\n".encode())
            out.write(content + b"\n")
        else:
            out.write(f"M {mode} :{content} {quoted(path)}\n".encode())
    out.write(f"\nreset refs/tags/{tag}\nfrom {ref}\n".encode())


def quoted(path: str) -> str:
    """Return a path as `git fast-import` reads it."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def heads(mirror: Path) -> list[str]:
    """Return the branches of a mirror, sorted; none if there is no mirror yet."""
    if not mirror.exists():
        return []
    return sorted(
        git(mirror, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").splitlines()
    )


def resolve(mirror: Path, ref: str, *, branch: bool = False) -> Commit:
    """Find a branch, tag, pattern of tags (`v6.6.*`), commit or merge base (`master...topic`).

    A pattern gives the matching tag with the highest version.  A whole commit id is that commit,
    whatever branch has its name.  Of a tag and a branch with one name it is the tag, or with
    `branch` the branch, and the commit's `ambiguities` say so.  Raises UsageError if nothing
    matches.
    """
    if MERGE_BASE in ref:
        one, _, other = ref.partition(MERGE_BASE)
        named = _common(mirror, one, other)
    else:
        named = _find(mirror, ref, branch)
    describe = git(mirror, "describe", "--tags", "--always", "--abbrev=12", named.sha)
    subject, date = git(mirror, "show", "--no-patch", "--format=%s%n%cI", named.sha).split("\n")
    return Commit(
        sha=named.sha, describe=describe, subject=subject, committed_at=date,
        is_branch=named.is_branch, ambiguities=named.ambiguities,
    )  # fmt: skip


def distance(mirror: Path, ancestor: str, commit: str) -> int | None:
    """Return by how many commits a commit is ahead of another; None: that is no ancestor of it."""
    if not is_ancestor(mirror, ancestor, commit):
        return None
    return int(git(mirror, "rev-list", "--count", f"{ancestor}..{commit}"))


def _common(mirror: Path, upstream: str, ref: str) -> _Named:
    ends = [_find(mirror, name, True) for name in (upstream, ref)]
    done = subprocess.run(
        [*GIT, f"--git-dir={mirror}", "merge-base", *(end.sha for end in ends)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode > 1 or done.returncode < 0:
        message = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[0]
        raise InfrastructureError(f"git merge-base in {mirror} failed: {message}")
    if done.returncode:
        raise UsageError(f"{upstream} and {ref} have no commit in common in {mirror}")
    ambiguities = tuple(sentence for end in ends for sentence in end.ambiguities)
    return _Named(sha=done.stdout.split()[0], ambiguities=ambiguities)


def _find(mirror: Path, ref: str, branch: bool) -> _Named:
    """Return what a branch, tag, pattern or commit names.

    Others name branches and tags: each is looked for where it is, never as git would guess.
    """
    tag, head = f"refs/tags/{ref}", f"refs/heads/{ref}"
    if is_pattern(ref):
        tags = git(mirror, "tag", "--list", "--sort=-version:refname").splitlines()
        fitting = of_line(tags, ref)
        if not fitting:
            raise UsageError(f"no tag in {mirror} matches {ref!r}")
        candidates = [f"refs/tags/{fitting[0]}"]
    elif is_commit_id(ref) or ref.startswith("refs/"):
        candidates = [ref]
    else:
        candidates = [head, tag] if branch else [tag, head]
    named = [(name, sha) for name in candidates if (sha := commit_of(mirror, name)) is not None]
    ambiguities: tuple[str, ...] = ()
    if len({sha for _, sha in named}) > 1:
        ambiguities = (
            f"{ref} is a tag and a branch of {mirror.name.removesuffix('.git')}: taken is"
            f" {named[0][0]}; the other one is {named[1][0]}",
        )
    if not named and (sha := commit_of(mirror, ref)) is not None:  # a part of an id, or `v6.6^1`
        named = [(ref, sha)]
    if not named:
        raise UsageError(f"no branch, tag or commit {ref!r} in {mirror}")
    sha = named[0][1]
    return _Named(sha=sha, is_branch=(head, sha) in named, ambiguities=ambiguities)
