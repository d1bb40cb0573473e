# SPDX-License-Identifier: GPL-2.0-only
"""Decisions of a boot, as the emulator would have sent them."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence

from vlag.profile import decision_trace
from vlag.profile.decision_trace import Trace
from vlag.profile.sent import fnv

#: Tasks: number -> (pid, name).  Two of one name, the second one born first.
TASKS = {0: (0, "swapper/0"), 1: (9, "pipe"), 2: (7, "pipe"), 3: (12, "beside")}
A, B, C = "pipe#2", "pipe#1", "beside"


def sent(words: Sequence[str], tasks: bool = True) -> bytes:
    """Return words as the emulator would have sent them."""
    named = [f"t{n:x}.{pid:x}.{name.encode().hex()}" for n, (pid, name) in TASKS.items()]
    text = "".join(f"{word}\0" for word in [*(named if tasks else []), *words])
    return carried(base64.b64encode(zlib.compress(text.encode())).decode())


def carried(body: str) -> bytes:
    return checked(body, 2)


def checked(body: str, version: int) -> bytes:
    """Return one line of a plugin of this version with its sum."""
    checksum = fnv(f"{body}\n".encode())
    return f"{version} 1\n{body}\n1 {checksum:016x}\n".encode()


def trace(*words: str) -> Trace:
    return decision_trace.read(sent(words), path="d")


def look(at: int, *entities: str) -> str:
    return f"k0.{at:x}.{'.'.join(entities)}"


def entity(task: int, vruntime: int, deadline: int, slice_ns: int = 3_000_000) -> str:
    mask = (1 << 64) - 1
    return f"{task:x},{vruntime & mask:x},{deadline & mask:x},{slice_ns:x},{1 << 20:x}"


def wake(at: int, task: int, *, preempts: bool, queue: str | None = None) -> list[str]:
    """Task 1 runs, and another one wakes up."""
    looked = [] if queue is None else [queue]
    words = [f"e0.{at:x}.{task:x}.9.1", f"w0.{at:x}.{task:x}.1", *looked]
    return [*words, f"r0.{at:x}"] if preempts else words
