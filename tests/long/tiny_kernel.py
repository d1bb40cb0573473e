# SPDX-License-Identifier: GPL-2.0-only
"""A kernel of some bytes: QEMU boots it like Linux, it prints a text and ends the machine."""

from __future__ import annotations

import struct

#: Where the setup's code begins, behind Linux's header, and where the text does.
_CODE, _TEXT = 0x280, 0x300
#: Where its release does, which Linux's header points to.
_RELEASE = 0x2E0
_SECTOR = 512
#: Most bytes of a text: a setup has 64 sectors.
MOST = 64 * _SECTOR - _TEXT
#: What a kernel says that fails at once: a result, and one boot of it is enough.
PANICS = b"Linux version 6.12.0\r\nKernel panic - not syncing: there is nothing in it\r\n"


def image(text: bytes, *, release: bytes = b"", ends: bool = True) -> bytes:
    """Return a bzImage (boot protocol 2.06) that writes `text` to the first serial port.

    Then it resets the machine, or stands still.
    """
    assert len(text) <= MOST
    assert len(release) < _TEXT - _RELEASE
    reset = b"\xb0\xfe\xe6\x64" if ends else b""  # mov al, 0xfe; out 0x64, al
    code = b"".join((
        b"\xfc",                                # cld
        b"\x8c\xc8\x2d\x20\x00\x8e\xd8",        # mov ax, cs; sub ax, 0x20; mov ds, ax
        b"\xbe", struct.pack("<H", _TEXT),      # mov si, text
        b"\xb9", struct.pack("<H", len(text)),  # mov cx, its length
        b"\xba\xfd\x03\xec\xa8\x20\x74\xfb",    # mov dx, 0x3fd; in al, dx; test al, 0x20; jz -5
        b"\xac\xba\xf8\x03\xee",                # lodsb; mov dx, 0x3f8; out dx, al
        b"\xe2\xf1",                            # loop -15
        reset,
        b"\xf4\xeb\xfd",                        # hlt, for ever
    ))  # fmt: skip
    sectors = -(-(_TEXT + len(text)) // _SECTOR)
    made = bytearray(sectors * _SECTOR)
    made[0x1F1] = sectors - 1  # beside the first
    made[0x1FE:0x202] = b"\x55\xaa\xeb\x7e"  # the signature; jmp to the code
    made[0x202:0x208] = b"HdrS" + struct.pack("<H", 0x0206)
    made[0x211] = 1  # loaded high
    made[0x214:0x218] = struct.pack("<I", 0x100000)
    made[0x22C:0x230] = struct.pack("<I", 0x37FFFFFF)  # the highest byte of an initrd
    made[0x238:0x23C] = struct.pack("<I", 2047)  # of a command line
    made[_CODE : _CODE + len(code)] = code
    made[_TEXT : _TEXT + len(text)] = text
    if release:
        made[0x20E:0x210] = struct.pack("<H", _RELEASE - 0x200)
        made[_RELEASE : _RELEASE + len(release)] = release
    return bytes(made) + bytes(_SECTOR)  # what else there is of a kernel
