"""Small PNG files: at most 256 colours, each pixel one byte."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import numpy.typing as npt

_COLOURS = 256


def palette(pixels: npt.NDArray[np.uint8]) -> bytes:
    """Return a PNG file of pixels of the shape (height, width, 3).

    Colours that are rarer than the 256 commonest become the nearest of these.
    """
    height, width, _ = pixels.shape
    packed = (pixels.astype(np.uint32) @ np.array([65536, 256, 1], np.uint32)).ravel()
    colours, inverse, counts = np.unique(packed, return_inverse=True, return_counts=True)
    kept = colours[np.argsort(-counts, kind="stable")[:_COLOURS]]
    table = np.stack([kept >> 16, kept >> 8 & 255, kept & 255], axis=1).astype(np.int32)
    every = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(np.int32)
    nearest = np.empty(len(every), np.uint8)
    for start in range(0, len(every), 4096):
        apart = every[start : start + 4096, None, :] - table[None]
        nearest[start : start + 4096] = np.argmin((apart**2).sum(axis=2), axis=1)
    rows = nearest[inverse].reshape(height, width)
    data = np.hstack([np.zeros((height, 1), np.uint8), rows]).tobytes()  # filter 0 in each row
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join((
        _chunk(b"IHDR", header), _chunk(b"PLTE", table.astype(np.uint8).tobytes()),
        _chunk(b"IDAT", zlib.compress(data, 9)), _chunk(b"IEND", b""),
    ))  # fmt: skip


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
