"""Files of the state folder: which are taken, in which order, and how they come back."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from attrs import define, evolve, field, frozen

from vlag.bundle import sha256
from vlag.errors import InfrastructureError, RefusedError, UsageError
from vlag.operate.backup.archive import FILES, Archive, Entry, naming
from vlag.operate.backup.ticker import Ticker
from vlag.operate.service.restoring import MARK

#: Made again by a start or a build: the cluster (its dumps are taken), what Buildbot and
#: its workers keep beside their database, work trees, the compiler's cache, Grafana.
LEFT = ("postgres", "log", "locks", "master", "worker", "src", "ccache", "grafana", MARK)
#: What names jobs of a lab: taken before the lab's database is.
FIRST = "lab"
#: Below these nothing changes once it is there.
_IMMUTABLE = ("artifacts", "builds", "runs", "scenarios", "userland")
#: A folder below these is whole, and stays as it is, once it has this file.
_WHOLE = {"builds": ("build.json", 2), "runs": ("run.json", 2), "userland": ("userland.json", 1)}
_UNFINISHED = (".lock", ".new", ".partial", ".objects", ".tuxmake")
#: Neither makes an installation one that has data.
_HARMLESS = ("secrets", "userland")
_BLOCK = 1 << 20
#: How often a file may change while it is copied.
_TRIES = 5


def top(state: Path) -> list[str]:
    """Return what is taken, by its first folder; those that name other things first."""
    names = [p.name for p in state.iterdir() if p.name not in LEFT and _lasting(Path(p.name))]
    return sorted(names, key=lambda name: (name != FIRST, name))


def walk(state: Path, below: str) -> Iterator[Path]:
    """Yield what is taken of a file or folder below `state`: files, links, empty folders."""
    path = state / below
    if path.is_symlink() or not path.is_dir():
        if path.is_symlink() or path.is_file():
            yield Path(below)
        return
    inside = [Path(below, name) for name in sorted(_names(path))]
    inside = [p for p in inside if _lasting(p) and _whole(state, p)]
    if not inside:
        yield Path(below)
    for child in inside:
        yield from walk(state, str(child))


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):  # it has just gone
        return []


def _lasting(path: Path) -> bool:
    """Tell whether a path is more than a lock, a draft or what must be made again."""
    if path.name == "lock" or path.suffix in _UNFINISHED:
        return False
    if path.parts[0] == "secrets" and path.name.startswith("pgpass"):
        return False  # a server's passwords are its own
    if path.parts[0] == "artifacts" and path.name.startswith("."):
        return False
    if path.parts[0] == "mirrors" and len(path.parts) > 2:
        return path.parts[2] not in ("worktrees", "gc.pid") and not path.name.startswith("tmp_")
    return True


def _whole(state: Path, path: Path) -> bool:
    """Tell whether a bundle that a path may be is whole."""
    known = _WHOLE.get(path.parts[0])
    if known is None or len(path.parts) != known[1] + 1 or not (state / path).is_dir():
        return True
    return (state / path / known[0]).is_file()


@define
class Taking:
    """Copies files of the state folder into a backup that is being made."""

    state: Path
    target: Path  # the backup's folder
    before: Mapping[str, Entry]  # of the last backup
    last: Path | None  # its folder
    say: Callable[[str], None]
    taken: dict[str, Entry] = field(factory=dict)
    linked: int = 0
    bytes: int = 0
    inodes: dict[tuple[int, int], str] = field(factory=dict)
    ticker: Ticker = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Begin to count the time."""
        self.ticker = Ticker(self.say)

    def take(self, name: str) -> None:
        """Take a file or folder that stands at the top of the state folder."""
        if name != "mirrors":
            for path in walk(self.state, name):
                self._one(path)
            return
        for repository in sorted(_names(self.state / name)):
            if _lasting(Path(name, repository)):
                self._mirror(Path(name, repository))

    def has(self, folder: Path) -> bool:
        """Tell whether a folder below the state folder has been taken."""
        return any((folder / n).as_posix() in self.taken for n in ("build.json", "run.json"))

    def _mirror(self, repository: Path) -> None:
        """Take a git repository while others write to it: its refs first, then what they name.

        An object may move from a file to a pack of many meanwhile: until a walk finds
        nothing new, another one follows.
        """
        objects = repository / "objects"
        for path in walk(self.state, str(repository)):
            if not path.is_relative_to(objects):
                self._one(path)
        while [p for p in walk(self.state, str(objects)) if self._one(p)]:
            pass
        for folder in ("refs", "objects"):
            (self.target / FILES / repository / folder).mkdir(parents=True, exist_ok=True)
        self.ticker.tick(f"git checks {repository}")
        done = subprocess.run(
            ["git", f"--git-dir={self.target / FILES / repository}", "fsck", "--connectivity-only",
             "--no-dangling", "--no-progress"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            said = (done.stderr + done.stdout).strip().splitlines() or ["no message"]
            raise InfrastructureError(
                f"{self.state / repository}: the copy is not whole ({said[0]}); is the mirror?"
                f" `git --git-dir={self.state / repository} fsck` says it"
            )

    def _one(self, path: Path) -> bool:
        """Take a file, a link or an empty folder; False where that was done, or it is gone."""
        key = path.as_posix()
        if key in self.taken:
            return False
        for _ in range(_TRIES):
            try:
                entry = self._copy(path, key)
            except FileNotFoundError as e:
                if e.filename is not None and not str(e.filename).startswith(str(self.state)):
                    raise
                return False
            if entry is not None:
                self.taken[key] = entry
                self.bytes += entry.bytes
                self.ticker.tick(
                    f"files: {len(self.taken)} ({self.bytes / 1e9:.2f} GB), {self.linked} as in the"
                    " last backup"
                )
                return True
        raise InfrastructureError(f"{self.state / path}: changes all the time, cannot be copied")

    def _copy(self, path: Path, key: str) -> Entry | None:
        """Copy one; return its entry, or None where it changed meanwhile."""
        source, target = self.state / path, self.target / FILES / path
        status = source.lstat()
        entry = Entry(path=key, mode=stat.S_IMODE(status.st_mode))
        if stat.S_ISLNK(status.st_mode):
            return evolve(entry, to=os.readlink(source))
        if stat.S_ISDIR(status.st_mode):
            return entry
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"{source}: is no file; move it out of the state folder")
        entry = evolve(entry, bytes=status.st_size, mtime_ns=status.st_mtime_ns)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        inode = (status.st_dev, status.st_ino)
        same = self.inodes.get(inode) if status.st_nlink > 1 else None
        if same is not None and self.taken[same].bytes == entry.bytes:
            os.link(self.target / FILES / same, target)
            return evolve(entry, sha256=self.taken[same].sha256, same=same)
        known = self._known(path, key, entry, target)
        if known is None:
            digest = _copy_bytes(source, target)
            now = source.lstat()
            if (now.st_size, now.st_mtime_ns) != (status.st_size, status.st_mtime_ns):
                target.unlink()
                return None
            os.utime(target, ns=(entry.mtime_ns, entry.mtime_ns))
            known = digest
        if status.st_nlink > 1:
            self.inodes[inode] = key
        return evolve(entry, sha256=known)

    def _known(self, path: Path, key: str, entry: Entry, target: Path) -> str | None:
        """Link a file that is as it was in the last backup; return its digest, else None."""
        objects = path.parts[0] == "mirrors" and "objects" in path.parts
        if self.last is None or not (path.parts[0] in _IMMUTABLE or objects):
            return None
        was = self.before.get(key)
        if was is None or (was.bytes, was.mtime_ns) != (entry.bytes, entry.mtime_ns):
            return None
        try:
            os.link(self.last / FILES / path, target)
        except OSError:  # another file system, too many links, or it is gone: a copy will do
            return None
        if target.stat().st_size != entry.bytes:
            target.unlink()
            return None
        self.linked += 1
        return was.sha256


def _copy_bytes(source: Path, target: Path) -> str:
    """Copy a file's content; return its digest.  OSError names the file."""
    whole = hashlib.sha256()
    with (
        source.open("rb") as inside,
        naming(target),
        open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out,
    ):
        while block := inside.read(_BLOCK):
            out.write(block)
            whole.update(block)
    return whole.hexdigest()


def check(archive: Archive, say: Callable[[str], None]) -> None:
    """Read every file of a backup; RefusedError for one that is missing or another."""
    ticker, count, size = Ticker(say), 0, 0
    said = archive.manifest["files"]
    for entry in archive.entries():
        count += 1
        if entry.sha256 is None:
            continue
        path = archive.file(entry.path)
        if not path.is_file():
            raise RefusedError("it is missing; the backup is damaged", path=path)
        if path.stat().st_size != entry.bytes or sha256(path) != entry.sha256:
            raise RefusedError(
                "it is not the file that was saved; the backup is damaged", path=path
            )
        size += entry.bytes
        ticker.tick(f"files: {count} of {said['count']} checked ({size / 1e9:.2f} GB)")
    if (count, size) != (said["count"], said["bytes"]):
        raise RefusedError(
            f"{count} files of {size} bytes are listed, not {said['count']} of {said['bytes']}",
            path=archive.folder,
        )


@frozen(kw_only=True)
class Back:
    """What became of the files of a backup."""

    count: int
    kept: tuple[str, ...]  # secrets that were there and were left as they are


def restore(archive: Archive, state: Path, say: Callable[[str], None]) -> Back:
    """Put every file back below `state`; what is there already and equal stays.

    A secret that is there stays too: it is this installation's own.
    """
    ticker, count, kept = Ticker(say), 0, []
    owner = state.stat()
    for entry in archive.entries():
        target = state / entry.path
        if target.is_symlink() or (target.is_file() and entry.path.startswith("secrets/")):
            if entry.sha256 is not None and sha256(target) != entry.sha256:
                kept.append(entry.path)
            continue
        for folder in reversed([f for f in target.parents if f.is_relative_to(state)]):
            if not folder.exists():
                folder.mkdir(mode=0o700 if folder.name == "secrets" else 0o755)
                _own(folder, owner)
        if entry.to is not None:
            target.symlink_to(entry.to)
        elif entry.sha256 is None:
            target.mkdir(mode=entry.mode, exist_ok=True)
        else:
            _put(archive, entry, state, target)
        _own(target, owner)
        count += 1
        ticker.tick(f"files: {count} of {archive.manifest['files']['count']} restored")
    return Back(count=count, kept=tuple(kept))


def _put(archive: Archive, entry: Entry, state: Path, target: Path) -> None:
    """Make a file as its entry says, in one piece."""
    there = target.is_file() and target.stat().st_size == entry.bytes
    if there and sha256(target) == entry.sha256:
        return
    draft = target.with_name(f"{target.name}.new")
    draft.unlink(missing_ok=True)
    if entry.same is not None:
        os.link(state / entry.same, draft)
    else:
        if _copy_bytes(archive.file(entry.path), draft) != entry.sha256:
            raise RefusedError(
                "it is not the file that was saved; the backup is damaged",
                path=archive.file(entry.path),
            )
        draft.chmod(entry.mode)
        os.utime(draft, ns=(entry.mtime_ns, entry.mtime_ns))
    draft.replace(target)
    draft.unlink(missing_ok=True)  # two names of one file are not replaced


def _own(path: Path, owner: os.stat_result) -> None:
    """Give what root restores to whoever owns the state folder."""
    if os.geteuid() == 0:
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def lost(state: Path) -> str | None:
    """Return a file that a restore would mix with its own, or None.

    Secrets and userlands are no such thing, nor is what a start makes.
    """
    if not state.is_dir():
        return None
    for name in top(state):
        if name in _HARMLESS:
            continue
        for path in walk(state, name):
            if not (state / path).is_dir():
                return path.as_posix()
    return None


def forget(state: Path) -> None:
    """Remove what a restore of another backup has put here, where no data was before."""
    for name in top(state):
        if name not in _HARMLESS:
            path = state / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def drop(folder: Path) -> None:
    """Remove a backup that will not be finished."""
    shutil.rmtree(folder, ignore_errors=True)
