# SPDX-License-Identifier: GPL-2.0-only
"""Images in the form of x86's kernels, packed with gzip, whose every part a test chooses."""

from __future__ import annotations

import gzip
import struct

#: Of the setup code, as of kernels since 6.x: sectors of 512 bytes, without the first.
_SECTORS = 3
_PROGBITS, _NOBITS, _STRINGS = 1, 8, 3
_ALLOC, _EXECUTED = 2, 4


def packed(
    code: bytes, *, data: bytes = b"table", line: int = 1, told: str = "", bss: int = 64
) -> bytes:
    """Return an image with this code and data; a warning's `line`; `told` is its build id."""
    bugs = struct.pack("<iiHH", -1, -2, line, 1) + struct.pack("<iiHH", -3, -4, line + 9, 1)
    return image(elf([
        (b".text", _PROGBITS, _ALLOC | _EXECUTED, code),
        (b".rodata", _PROGBITS, _ALLOC, data),
        (b"__bug_table", _PROGBITS, _ALLOC, bugs),
        (b".notes", _PROGBITS, _ALLOC, told.encode().ljust(64)),
        (b".bss", _NOBITS, _ALLOC, b"\0" * bss),
        (b".comment", _PROGBITS, 0, told.encode()),
    ]))  # fmt: skip


def image(payload: bytes) -> bytes:
    """Return an image that unpacks to a payload."""
    setup = bytearray((1 + _SECTORS) * 512)
    body = gzip.compress(payload, mtime=0)
    setup[0x1F1] = _SECTORS
    setup[0x202:0x206] = b"HdrS"
    setup[0x248:0x250] = struct.pack("<II", 16, len(body))
    return bytes(setup) + b"\x90" * 16 + body + b"\0" * 16


def elf(sections: list[tuple[bytes, int, int, bytes]]) -> bytes:
    """Return an ELF file with sections of a name, type, flags and content."""
    named = [*sections, (b".shstrtab", _STRINGS, 0, b"")]
    strings = b"\0" + b"\0".join(name for name, *_ in named) + b"\0"
    named[-1] = (b".shstrtab", _STRINGS, 0, strings)
    at, body, heads = 64, b"", [b"\0" * 64]
    for name, kind, flags, data in named:
        place = strings.index(b"\0" + name + b"\0") + 1
        heads.append(
            struct.pack("<IIQQQQIIQQ", place, kind, flags, 0x1000 + at, at, len(data), 0, 0, 1, 0)
        )
        body += b"" if kind == _NOBITS else data
        at += 0 if kind == _NOBITS else len(data)
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 2, 62, 1, 0, 0, 64 + len(body), 0, 64, 56, 0, 64, len(heads), len(named)
    )
    return head + body + b"".join(heads)
