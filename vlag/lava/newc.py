# SPDX-License-Identifier: GPL-2.0-only
"""Archives for a kernel's initramfs, in the "newc" form of cpio.

Form: Documentation/driver-api/early-userspace/buffer-format.rst of Linux.  The bytes are those
that GNU cpio 2.13 writes with `--reproducible --owner=0:0`; later versions have other link
counts for folders, so no program of the machine takes part.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

_MAGIC = b"070701"
_END = "TRAILER!!!"
#: GNU cpio's block, in bytes: an archive ends with zeros up to a multiple of it.
_BLOCK = 512


def archive(tree: Path) -> bytes:
    """Return a folder as an archive that depends on names, contents and `x` bits alone.

    Owner, group and times are 0, programs and folders have mode 755, other files 644.
    Raises ValueError for what is no file, folder or symbolic link.
    """
    out = bytearray()
    for number, path in enumerate(_sorted(tree)):
        status = path.lstat()
        if path.is_symlink():
            mode, links, data = stat.S_IFLNK | 0o777, 1, bytes(path.readlink())
        elif path.is_dir():
            inner = sum(p.is_dir() and not p.is_symlink() for p in path.iterdir())
            mode, links, data = stat.S_IFDIR | 0o755, 2 + inner, b""
        elif path.is_file():
            bits = 0o755 if status.st_mode & 0o100 else 0o644
            mode, links, data = stat.S_IFREG | bits, 1, path.read_bytes()
        else:
            raise ValueError(f"{path}: neither file, folder nor symbolic link")
        out += _entry(str(path.relative_to(tree)), number, mode, links, data)
    out += _entry(_END, 0, 0, 1, b"")
    return bytes(out) + b"\0" * (-len(out) % _BLOCK)


def _sorted(tree: Path) -> Iterator[Path]:
    return (tree / name for name in sorted(str(p.relative_to(tree)) for p in tree.rglob("*")))


def _entry(name: str, number: int, mode: int, links: int, data: bytes) -> bytes:
    label = name.encode() + b"\0"
    # ino, mode, uid, gid, nlink, mtime, filesize, devmajor, devminor, rdevmajor, rdevminor,
    # namesize, check
    fields = (number, mode, 0, 0, links, 0, len(data), 0, 0, 0, 0, len(label), 0)
    head = _MAGIC + b"".join(b"%08X" % field for field in fields) + label
    return _padded(head) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
