# SPDX-License-Identifier: GPL-2.0-only
"""A kernel tree on a person's disk, as one of vlag's mirrors: nothing in the tree is changed.

The mirror is a bare repository of vlag's own that reads the objects of the tree where they are.
Only refs are copied.  What the work tree has beyond its commit becomes a commit in the mirror:
`git fast-import` makes it, as the only part of git that writes a new object without touching
the time of an equal one in the tree.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import field, frozen

from vlag import progress_log
from vlag.errors import InfrastructureError, UsageError, blame_program
from vlag.kernel import mirror as mirrors
from vlag.kernel.git import GIT, git

#: Of these git would take another repository, or write into the index.
_LOCATING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
             "GIT_COMMON_DIR", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE")  # fmt: skip
#: Whose a tree is does not matter: it is only read, and nothing that its settings name is run.
_READ = (*GIT, "-c", "safe.directory=*", "-c", "core.fsmonitor=false")
#: Files at the top of every kernel tree.
_KERNEL = ("Kbuild", "Kconfig", "Makefile")
_TAGS = "refs/tags/"
_SNAPSHOT = "refs/vlag/work-tree"
#: Author of the commit of a work tree: the same files give the same commit.
_IDENTITY = "vlag work tree <vlag@localhost>"
_MODES: Mapping[bool, str] = {True: "100755", False: "100644"}


@frozen(kw_only=True)
class TreeOnDisk:
    """A person's repository."""

    folder: Path  # as the person names it
    work_tree: Path | None  # None: it is bare
    git_dir: Path  # of this work tree
    common: Path  # what its work trees share
    name: str = field()  # of the tree in vlag, the same for all work trees of a repository

    @name.default
    def _name(self) -> str:
        folder = self.common.parent if self.common.name == ".git" else self.common
        plain = re.sub(r"[^a-z0-9]+", "-", folder.name.removesuffix(".git").lower()).strip("-")
        return f"{plain or 'tree'}-{hashlib.sha256(os.fsencode(self.common)).hexdigest()[:8]}"

    @property
    def shallow(self) -> bool:
        """Return whether its history is cut off."""
        return (self.common / "shallow").exists()

    def read(self, *words: str) -> str:
        """Run git on it, which writes nothing; raises InfrastructureError with git's first line."""
        done = _run([*_READ, f"--git-dir={self.git_dir}", *words])
        if done.returncode:
            raise InfrastructureError(f"git {words[0]} in {self.folder}: {_first(done.stderr)}")
        return done.stdout.rstrip("\n")

    def commit(self, ref: str) -> str:
        """Return the commit that a ref names in it, as git in its folder would take it.

        Raises UsageError where it has none.
        """
        words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}"]
        done = _run([*_READ, f"--git-dir={self.git_dir}", *words])
        if not done.returncode:
            return done.stdout.strip()
        if self.shallow:
            message = (
                f"{self.folder} is a shallow clone without {ref}: `git -C {self.folder} fetch"
                f" --depth 1 origin tag {ref}` fetches a tag, `git fetch --unshallow` everything"
            )
        elif ref == "HEAD":
            message = f"{self.folder} has no commit yet"
        else:
            message = f"{self.folder} has no branch, tag or commit {ref!r}"
        raise blame_program(done.returncode, done.stderr, message)


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if k not in _LOCATING}
    return subprocess.run(
        command, env={**kept, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8"}, check=False,
        capture_output=True, text=True, encoding="utf-8", errors="surrogateescape",
    )  # fmt: skip


def _first(output: str) -> str:
    return (output.strip().splitlines() or ["no message"])[0]


def find(folder: Path) -> TreeOnDisk:
    """Return the repository that a folder is in; UsageError if it is none, or a part of one."""
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise UsageError(f"{folder} {what}; name the folder of a kernel tree")
    asked = ("--absolute-git-dir", "--git-common-dir", "--is-bare-repository")
    done = _run([*_READ, "-C", str(folder), "rev-parse", "--path-format=absolute", *asked])
    if done.returncode:
        raise blame_program(
            done.returncode, done.stderr,
            f"{folder} is no git tree ({_first(done.stderr).removeprefix('fatal: ')}); vlag builds"
            " commits: clone the tree with git, or `git init` and commit it",
        )  # fmt: skip
    git_dir, common, bare = done.stdout.splitlines()
    tree = TreeOnDisk(
        folder=folder, work_tree=None, git_dir=Path(git_dir), common=Path(common).resolve()
    )
    if bare == "true":
        return tree
    top = _run([*_READ, "-C", str(folder), "rev-parse", "--show-toplevel"])
    if top.returncode:
        message = f"{folder} is inside a .git folder; name the tree's own folder"
        raise blame_program(top.returncode, top.stderr, message)
    return TreeOnDisk(
        folder=folder, work_tree=Path(top.stdout.rstrip("\n")), git_dir=tree.git_dir,
        common=tree.common,
    )  # fmt: skip


def link(tree: TreeOnDisk, mirror: Path) -> None:
    """Make or refresh the mirror of a tree: objects stay where they are, tags are copied."""
    with mirrors.alone(mirror):
        if not (mirror / "HEAD").exists():
            mirror.parent.mkdir(parents=True, exist_ok=True)
            kind = tree.read("rev-parse", "--show-object-format")
            words = ["init", "--quiet", "--bare", f"--object-format={kind}", str(mirror)]
            done = _run([*GIT, *words])
            if done.returncode:
                raise InfrastructureError(f"git init {mirror}: {_first(done.stderr)}")
            git(mirror, "config", "gc.auto", "0")
        (mirror / "objects" / "info").mkdir(exist_ok=True)
        (mirror / "objects" / "info" / "alternates").write_text(f"{tree.common / 'objects'}\n")
        if tree.shallow:
            shutil.copyfile(tree.common / "shallow", mirror / "shallow")
        else:
            (mirror / "shallow").unlink(missing_ok=True)
        _copy_tags(tree, mirror)
        # git's own search for a commit needs one there.
        git(mirror, "update-ref", "--no-deref", "HEAD", tree.commit("HEAD"))


def _copy_tags(tree: TreeOnDisk, mirror: Path) -> None:
    listed = ("for-each-ref", "--format=%(refname) %(objectname)", _TAGS)
    theirs = dict(line.split(" ") for line in tree.read(*listed).splitlines())
    ours = dict(line.split(" ") for line in git(mirror, *listed).splitlines())
    lines = [f"delete {name}\n" for name in ours.keys() - theirs.keys()]
    lines += [f"update {name} {id_}\n" for name, id_ in theirs.items() if ours.get(name) != id_]
    if lines:
        _feed(mirror, ["update-ref", "--stdin"], "".join(lines).encode())


def _feed(mirror: Path, words: Sequence[str], data: bytes) -> None:
    done = subprocess.run(
        [*GIT, f"--git-dir={mirror}", *words], input=data, capture_output=True, check=False
    )
    if done.returncode:
        error = _first(done.stderr.decode(errors="replace"))
        raise InfrastructureError(f"git in {mirror}: {error}")


def refuse_other(mirror: Path, sha: str, tree: TreeOnDisk, what: str) -> None:
    """Raise UsageError unless a commit is that of a kernel tree, with all of its files."""
    refuse_partial(mirror, sha, tree, what)
    there = git(mirror, "ls-tree", "--name-only", sha, *_KERNEL).splitlines()
    if missing := [name for name in _KERNEL if name not in there]:
        raise UsageError(f"{tree.folder} is no kernel tree: {what} has no {missing[0]} at its top")


def refuse_partial(mirror: Path, sha: str, tree: TreeOnDisk, what: str) -> None:
    """Raise UsageError if a partial clone lacks files of a commit; nothing is fetched for it."""
    asked = ("--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$")
    if not _run([*_READ, f"--git-dir={tree.common}", "config", *asked]).stdout:
        return
    listed = git(mirror, "rev-list", "--objects", "--missing=print", "--no-walk", sha)
    if missing := [line for line in listed.splitlines() if line.startswith("?")]:
        number = f"{len(missing):,} file{'' if len(missing) == 1 else 's'} or folders"
        raise UsageError(
            f"{tree.folder} is a partial clone, which lacks {number} of {what}; `git -C"
            f" {tree.folder} fetch --refetch --no-filter` fetches them"
        )


def newest_of_line(mirror: Path, baselines: Sequence[str]) -> str | None:
    """Return the newest tag that the first baseline with one means, or None.

    A baseline is a tag or pattern of the settings, as "debian/6.1.*"; where the tree has no such
    tag, it means the stable releases of its line: v6.1.*, and v6.1 itself.
    """
    tags = git(mirror, "tag", "--list", "--sort=-version:refname").splitlines()
    tags = [t for t in tags if not re.search(r"-rc\d", t)]
    for baseline in baselines:
        line = re.search(r"\d+\.\d+", baseline)
        own = re.compile("".join(".*" if c == "*" else re.escape(c) for c in baseline))
        matching = [t for t in tags if own.fullmatch(t)]
        if line is not None and not matching:
            stable = re.compile(rf"v{re.escape(line[0])}(\.\d+)?")
            matching = [t for t in tags if stable.fullmatch(t)]
        if matching:
            return matching[0]
    return None


def snapshot(tree: TreeOnDisk, mirror: Path) -> tuple[str | None, list[str]]:
    """Make a commit of what `git commit --all` would commit in a work tree.

    Returns it, or None where that is nothing, and the paths of files that git does not know.
    Equal files on an equal commit give an equal commit.  Raises UsageError for a bare tree.
    """
    if tree.work_tree is None:
        raise UsageError(f"{tree.folder} is a bare repository: it has no work tree")
    head = tree.commit("HEAD")
    with progress_log.silenced(), mirrors.alone(mirror):
        index = mirror / "index.work-tree"
        try:
            _copy_index(tree, mirror, index, head)
            changes = _changes(tree, mirror, index, head)
            own = tree.common / "info" / "exclude"
            ignored = [f"--exclude-from={own}"] if own.exists() else []
            unknown = _listed(
                tree, mirror, index, "ls-files", "--others", "--exclude-standard", *ignored
            )
            if not changes:
                return None, unknown
            return _import(tree, mirror, head, changes), unknown
        finally:
            for left in (*mirror.glob("index.work-tree*"), *mirror.glob("sharedindex.*")):
                left.unlink()


def _copy_index(tree: TreeOnDisk, mirror: Path, index: Path, head: str) -> None:
    """Copy the index with its times: by these git knows which files it need not read."""
    own = tree.git_dir / "index"
    if own.exists():
        shutil.copy2(own, index)
        for part in tree.git_dir.glob("sharedindex.*"):
            shutil.copy2(part, mirror / part.name)
    else:
        _listed(tree, mirror, index, "read-tree", head)
    # The status says that files need a look; the index has then what a look has shown.
    _with_index(tree, mirror, index, "update-index", "-q", "--refresh")


def _with_index(
    tree: TreeOnDisk, mirror: Path, index: Path, *words: str
) -> subprocess.CompletedProcess[str]:
    file_mode = _run([*_READ, f"--git-dir={tree.common}", "config", "--get", "core.filemode"])
    mode = file_mode.stdout.strip() or "true"
    where = ["env", f"GIT_INDEX_FILE={index}"]
    return _run([*where, *_READ, "-c", f"core.filemode={mode}", f"--git-dir={mirror}",
                 f"--work-tree={tree.work_tree}", "-C", str(tree.work_tree), *words])  # fmt: skip


def _listed(tree: TreeOnDisk, mirror: Path, index: Path, *words: str) -> list[str]:
    done = _with_index(tree, mirror, index, words[0], *(("-z",) * (words[0] != "read-tree")),
                       *words[1:])  # fmt: skip
    if done.returncode:
        raise InfrastructureError(f"git {words[0]} of {tree.folder}: {_first(done.stderr)}")
    return [word for word in done.stdout.split("\0") if word]


def _changes(tree: TreeOnDisk, mirror: Path, index: Path, head: str) -> list[str]:
    """Return the paths of files that differ from a commit or are new to it."""
    return _listed(tree, mirror, index, "diff-index", "--name-only", "--no-renames",
                   "--ignore-submodules", head)  # fmt: skip


def _import(tree: TreeOnDisk, mirror: Path, head: str, changes: Sequence[str]) -> str:
    assert tree.work_tree is not None  # noqa: S101 - `snapshot` has refused a bare one
    at = git(mirror, "show", "--no-patch", "--format=%ct", head)
    title = f"uncommitted changes in {len(changes)} file{'' if len(changes) == 1 else 's'}"
    head_lines = f"commit {_SNAPSHOT}\ncommitter {_IDENTITY} {at} +0000\n"
    stream = [f"{head_lines}data {len(title)}\n{title}\nfrom {head}\n".encode()]
    for name in sorted(changes):
        path = tree.work_tree / name
        quoted = mirrors.quoted(name).encode(errors="surrogateescape")
        if path.is_symlink():
            mode, data = "120000", os.fsencode(os.readlink(path))
        elif path.is_file():
            mode, data = _MODES[bool(path.stat().st_mode & 0o100)], path.read_bytes()
        else:
            stream.append(b"D " + quoted + b"\n")
            continue
        stream.append(f"M {mode} inline ".encode() + quoted + f"\ndata {len(data)}\n".encode())
        stream.append(data + b"\n")
    # Kept as a pack: unpacking it would touch the time of equal objects of the tree.
    words = ["-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--force"]
    _feed(mirror, words, b"".join(stream))
    return git(mirror, "rev-parse", "--verify", _SNAPSHOT)
