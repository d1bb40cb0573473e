# SPDX-License-Identifier: GPL-2.0-only
"""Words that a plugin of the emulator has sent, with the sum that says that all came.

`lava-jobs/lockstep/lines.h` writes them; the console's reader leaves the first and the last line
without their first words, and the others as they are.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Sequence

from attrs import frozen

from vlag.errors import ParseError

# 2 1
_HEAD = re.compile(r"(\d{1,4}) (\d{1,2})")
# 1533 8a2f0c11d4e07b93
_TAIL = re.compile(r"(\d{1,7}) ([0-9a-f]{16})")

#: Bytes of all packed words: a million events of a full queue have less.
_MOST_BYTES = 1 << 29


@frozen(kw_only=True)
class Sent:
    """What came of one boot."""

    columns: int
    words: Sequence[tuple[int, str]]  # the line's number, and the word


def read(data: bytes, *, known: Sequence[int], what: str, path: str) -> Sent:
    """Return the words in `data`; ParseError if they are damaged, cut off or of another version.

    `what` names them in a message, as "counts"; `known` are versions that are read.
    """
    lines = data.decode("ascii", errors="replace").splitlines()
    head = _HEAD.fullmatch(lines[0]) if lines else None
    tail = _TAIL.fullmatch(lines[-1]) if len(lines) > 1 else None
    if head is None or tail is None:
        raise ParseError(f"no {what}, or they are cut off", path=path)
    if int(head[1]) not in known:
        raise ParseError(
            f"{what} of version {head[1]}; known are {' and '.join(map(str, known))}", path=path
        )
    body = lines[1:-1]
    if fnv("".join(f"{line}\n" for line in body).encode()) != int(tail[2], 16):
        raise ParseError(f"the {what} do not have the checksum they were sent with", path=path)
    words = [(n, word) for n, line in enumerate(body, 2) for word in line.split()]
    if len(words) != int(tail[1]):
        raise ParseError(f"{len(words)} {what}, where {tail[1]} were sent", path=path)
    return Sent(columns=int(head[2]), words=words)


def unpacked(data: bytes, *, known: Sequence[int], what: str, path: str) -> Sequence[str]:
    """Return the packed words in `data`, as `lava-jobs/lockstep/packed.h` writes them.

    Raises ParseError if they are damaged, cut off, of another version, or too many to be right.
    """
    came = read(data, known=known, what=what, path=path).words
    try:
        unpack = zlib.decompressobj()
        packed = base64.b64decode("".join(part for _, part in came), validate=True)
        text = unpack.decompress(packed, _MOST_BYTES)
    except (ValueError, zlib.error) as e:
        raise ParseError(f"no {what} ({e})", path=path) from e
    if not unpack.eof:
        raise ParseError(f"{what} of more than {_MOST_BYTES} bytes, or cut off", path=path)
    return text.decode("ascii", "replace").split("\0")[:-1]


def fnv(data: bytes) -> int:
    """Return the FNV-1a hash of 64 bits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value
