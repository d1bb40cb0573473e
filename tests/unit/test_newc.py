# SPDX-License-Identifier: GPL-2.0-only
"""Archives of the initramfs: the bytes of GNU cpio 2.13, whatever this machine's cpio is."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from vlag.lava.newc import archive


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Folders in folders, an empty file, a program, links, and names that need padding."""
    root = tmp_path / "tree"
    (root / "bin" / "deep" / "er").mkdir(parents=True)
    (root / "empty").touch(0o600)
    (root / "bin" / "tool").write_bytes(b"\x7fELF" + bytes(range(256)))
    (root / "bin" / "tool").chmod(0o744)
    (root / "bin" / "alias").symlink_to("tool")
    (root / "proc").symlink_to("bin/deep", target_is_directory=True)
    for size in range(1, 6):
        (root / ("n" * size)).write_bytes(b"x" * size)
    return root


def listed(data: bytes) -> list[str]:
    """Return the lines that this machine's cpio prints for an archive."""
    done = subprocess.run(
        ["cpio", "--list", "--verbose", "--numeric-uid-gid", "--quiet"],
        input=data, capture_output=True, check=True, env={**os.environ, "TZ": "UTC", "LC_ALL": "C"},
    )  # fmt: skip
    return done.stdout.decode().splitlines()


def test_cpio_reads_it(tree: Path) -> None:
    entries = {line.split(" 1970 ")[1]: line.split() for line in listed(archive(tree))}
    assert set(entries) == {
        "bin", "bin/alias -> tool", "bin/deep", "bin/deep/er", "bin/tool", "empty",
        "proc -> bin/deep", *("n" * size for size in range(1, 6)),
    }  # fmt: skip
    facts = {name: (words[0], words[1], words[4]) for name, words in entries.items()}
    assert facts["bin"] == ("drwxr-xr-x", "3", "0")
    assert facts["bin/deep/er"] == ("drwxr-xr-x", "2", "0")
    assert facts["bin/tool"] == ("-rwxr-xr-x", "1", "260")
    assert facts["empty"] == ("-rw-r--r--", "1", "0")
    assert {tuple(words[2:4]) for words in entries.values()} == {("0", "0")}


def test_its_contents_come_out_again(tree: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    subprocess.run(["cpio", "--extract", "--quiet"], input=archive(tree), cwd=out, check=True)
    assert (out / "bin" / "tool").read_bytes() == (tree / "bin" / "tool").read_bytes()
    assert (out / "bin" / "alias").readlink() == Path("tool")
    assert (out / "nnnnn").read_bytes() == b"xxxxx"


def test_times_owners_and_order_of_creation_count_nothing(tree: Path, tmp_path: Path) -> None:
    known = archive(tree)
    other = tmp_path / "other"
    (other / "proc").parent.mkdir()
    for path in sorted(tree.rglob("*"), reverse=True):
        copy = other / path.relative_to(tree)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            copy.symlink_to(path.readlink())
        elif path.is_dir():
            copy.mkdir(exist_ok=True)
        else:
            shutil.copyfile(path, copy)
            copy.chmod(0o777 if path.stat().st_mode & 0o100 else 0o640)
        os.utime(copy, (86_400, 86_400), follow_symlinks=False)
    assert archive(other) == known


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "empty").chmod(0o700),
        lambda root: (root / "nn").write_bytes(b"xy"),
        lambda root: (root / "nn").rename(root / "mm"),
        lambda root: (root / "bin" / "deep" / "more").mkdir(),
    ],
)
def test_what_it_depends_on(tree: Path, change: Callable[[Path], object]) -> None:
    known = archive(tree)
    change(tree)
    assert archive(tree) != known


def test_what_is_no_file_is_refused(tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    with pytest.raises(ValueError, match="pipe: neither file, folder nor symbolic link"):
        archive(tree)


def test_the_bytes(tmp_path: Path) -> None:
    """Those of GNU cpio 2.13: a file and a folder, written by hand from its form."""
    (tmp_path / "d").mkdir()
    (tmp_path / "f").write_bytes(b"hi\n")
    zero = "0" * 8
    folder = f"070701{zero}000041ED{zero}{zero}00000002{zero * 6}00000002{zero}d\0"
    file = f"07070100000001000081A4{zero}{zero}00000001{zero}00000003{zero * 4}00000002{zero}f\0"
    end = f"070701{zero * 4}00000001{zero * 6}0000000B{zero}TRAILER!!!\0"
    expected = (folder + file + "hi\n\0" + end).encode()
    assert archive(tmp_path) == expected.ljust(512, b"\0")
