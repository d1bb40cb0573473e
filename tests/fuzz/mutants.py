# SPDX-License-Identifier: GPL-2.0-only
"""Mutations of inputs: lines that are cut, moved, repeated or filled with junk, flipped bytes."""

from __future__ import annotations

from hypothesis import strategies as st

# What consoles, users and unlucky programs put into a line.
JUNK = [
    b"", b"\r", b"\0", b"\xff\xfe", b"\x1b[2K", b"nan", b"-1", b"0", b"1e309", b"99999999999999999",
    b"[    4.123456] hrtimer: interrupt took 31415 ns", b"{", b"}", b'"', b",", b"\t", b"%",
]  # fmt: skip


@st.composite
def mutants(draw: st.DrawFn, originals: list[bytes], kinds: tuple[str, ...] = ()) -> bytes:
    """Return an input of which a few lines were changed; `kinds` are further changes."""
    lines = draw(st.sampled_from(originals)).split(b"\n")
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(0, len(lines) - 1)))
        kind = draw(
            st.sampled_from(["drop", "twice", "swap", "cut", "junk", "word", "other", *kinds])
        )
        line = lines[at] if lines else b""
        if kind == "drop":
            del lines[at : at + draw(st.integers(1, 3))]
        elif kind == "twice":
            lines.insert(at, line)
        elif kind == "swap" and lines:
            to = draw(st.integers(0, len(lines) - 1))
            lines[at], lines[to] = lines[to], lines[at]
        elif kind == "cut":
            lines[at:] = [line[: draw(st.integers(0, len(line)))]]
        elif kind == "junk":
            place = draw(st.integers(0, len(line)))
            lines[at : at + 1] = [line[:place] + draw(st.sampled_from(JUNK)) + line[place:]]
        elif kind == "word":
            words = line.split(b" ")
            words[draw(st.integers(0, len(words) - 1))] = draw(
                st.sampled_from(JUNK) | st.integers(-9, 10**12).map(lambda n: b"%d" % n)
            )
            lines[at : at + 1] = [b" ".join(words)]
        elif kind == "flip" and line:
            place = draw(st.integers(0, len(line) - 1))
            flipped = line[place] ^ 1 << draw(st.integers(0, 7))
            lines[at] = line[:place] + bytes([flipped]) + line[place + 1 :]
        else:
            more = draw(st.sampled_from(originals)).split(b"\n")
            lines[at:at] = more[: draw(st.integers(1, 5))]
    return b"\n".join(lines)
