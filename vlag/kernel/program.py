# SPDX-License-Identifier: GPL-2.0-only
"""The program of a built kernel: all bytes that it is loaded with, without what only names it.

Two kernels of one program execute the same from the same state on.  Their images may differ: in
the lines of source that warnings name, which a comment moves, and in the build id.  Then the boots
of one seed do not run in step, as the images unpack with other numbers of instructions.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

#: x86's boot protocol: its magic, sectors of the setup code, place and bytes of the payload.
_MAGIC_AT, _MAGIC = 0x202, b"HdrS"
_SECTORS_AT, _PAYLOAD_AT = 0x1F1, 0x248
_SECTOR = 512
_GZIP = b"\x1f\x8b"
_ELF64 = b"\x7fELF\x02\x01"
#: Of sections: they have bytes in the file; they are loaded.
_NOBITS, _ALLOC = 8, 2
#: struct bug_entry of CONFIG_DEBUG_BUGVERBOSE: where, file, line, flags.
_BUGS, _BUG, _LINE = b"__bug_table", 12, slice(8, 10)
#: Build id and what else is only said of a kernel.
_NOTES = b".notes"
#: Most bytes that an image unpacks to.
_MOST = 1 << 30


@frozen
class _Section:
    name: bytes
    kind: int
    flags: int
    address: int
    data: bytes


def digest(image: Path) -> str | None:
    """Return what is equal for images of one program; None for a kind of image that is not read.

    Read are x86's images that are packed with gzip, as vlag's own configurations make them.
    """
    try:
        elf = _unpacked(image.read_bytes())
        if elf is None:
            return None
        whole = hashlib.sha256()
        for section in _sections(elf):
            if not section.flags & _ALLOC or section.name == _NOTES:
                continue
            data = _without_lines(section.data) if section.name == _BUGS else section.data
            head = section.name, section.kind, section.flags, section.address, len(data)
            whole.update(repr(head).encode() + data)
        return whole.hexdigest()
    except (struct.error, zlib.error, IndexError, ValueError):  # a damaged one, or no ELF file
        return None


def _unpacked(image: bytes) -> bytes | None:
    """Return the ELF file in an image; None where there is none."""
    if image[_MAGIC_AT : _MAGIC_AT + 4] != _MAGIC:
        return None
    at, size = struct.unpack_from("<II", image, _PAYLOAD_AT)
    start = (1 + (image[_SECTORS_AT] or 4)) * _SECTOR + at
    payload = image[start : start + size]
    if not payload.startswith(_GZIP):
        return None
    elf = zlib.decompressobj(31).decompress(payload, _MOST)
    return elf if elf.startswith(_ELF64) else None


def _sections(elf: bytes) -> Iterator[_Section]:
    (table,) = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    if not count:
        raise ValueError("without sections nothing is known of what is loaded")
    heads = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    strings = heads[names][4]
    for name, kind, flags, address, at, length in heads:
        end = elf.index(b"\0", strings + name)
        data = struct.pack("<Q", length) if kind == _NOBITS else elf[at : at + length]
        yield _Section(elf[strings + name : end], kind, flags, address, data)


def _without_lines(bugs: bytes) -> bytes:
    """Return the table of warnings without their lines; one of another form as it is."""
    if len(bugs) % _BUG:
        return bugs
    kept = bytearray(bugs)
    for at in range(0, len(kept), _BUG):
        kept[at + _LINE.start : at + _LINE.stop] = b"\0\0"
    return bytes(kept)
