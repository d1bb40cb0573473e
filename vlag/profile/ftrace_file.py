# SPDX-License-Identifier: GPL-2.0-only
"""The switches and wake-ups of a boot as `trace.dat`, which trace-cmd and KernelShark read.

The format is version 6 of trace-cmd.dat(5): descriptions of pages and events, then a ring buffer
for each CPU as the kernel would have kept it.  Priorities are not recorded, and readers of these
events want them: they are -1.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Final

from attrs import define, field, frozen

from vlag.profile.decision_course import kind_of
from vlag.profile.decision_trace import ENQUEUE, SWITCH, Trace

_PAGE: Final = 4096
_HEAD: Final = 16  # bytes of a page before its events
_WAKES: Final = 1  # ENQUEUE_WAKEUP of kernel/sched/sched.h
_EXTEND: Final = 30  # a time that does not fit into an event
_SHORT: Final = 27  # bits of one that does
_COMM: Final = 16  # TASK_COMM_LEN
_UNKNOWN: Final = -1  # a priority

_HEADER_PAGE: Final = """\
\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
"""
_HEADER_EVENT: Final = """\
# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits

\tpadding     : type == 29
\ttime_extend : type == 30
\ttime_stamp : type == 31
\tdata max type_len  == 28
"""
_COMMON: Final = (
    ("unsigned short", "common_type", 2), ("unsigned char", "common_flags", 1),
    ("unsigned char", "common_preempt_count", 1), ("int", "common_pid", 4),
)  # fmt: skip


@frozen(kw_only=True)
class _Kind:
    """An event of the kernel: its fields as C types, names and bytes, and how it is printed."""

    number: int
    name: str
    fields: Sequence[tuple[str, str, int]]
    printed: str

    def description(self) -> str:
        """Return what the kernel has in `events/sched/NAME/format`."""
        lines = [f"name: {self.name}", f"ID: {self.number}", "format:"]
        at = 0
        for n, (kind, name, size) in enumerate((*_COMMON, *self.fields)):
            if n == len(_COMMON):
                lines.append("")
            array = f"[{size}]" if kind == "char" else ""
            signed = int(kind in ("char", "int", "long"))
            lines.append(
                f"\tfield:{kind} {name}{array};\toffset:{at};\tsize:{size};\tsigned:{signed};"
            )
            at += size
        return "\n".join([*lines, "", f"print fmt: {self.printed}", ""])


_SWITCHES: Final = _Kind(
    number=1, name="sched_switch",
    fields=(("char", "prev_comm", _COMM), ("int", "prev_pid", 4), ("int", "prev_prio", 4),
            ("long", "prev_state", 8), ("char", "next_comm", _COMM), ("int", "next_pid", 4),
            ("int", "next_prio", 4)),
    printed='"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%ld ==> next_comm=%s next_pid=%d'
            ' next_prio=%d", REC->prev_comm, REC->prev_pid, REC->prev_prio, REC->prev_state,'
            " REC->next_comm, REC->next_pid, REC->next_prio",
)  # fmt: skip
_WAKEUPS: Final = _Kind(
    number=2, name="sched_wakeup",
    fields=(("char", "comm", _COMM), ("int", "pid", 4), ("long", "prio", 8),
            ("int", "target_cpu", 4)),
    printed='"comm=%s pid=%d prio=%ld target_cpu=%03d", REC->comm, REC->pid, REC->prio,'
            " REC->target_cpu",
)  # fmt: skip


def ftrace(trace: Trace) -> bytes:
    """Return a boot's switches and wake-ups; a wake-up is on the CPU whose queue it goes to."""
    buffers = list(_buffers(trace))
    head = b"".join(_head(trace, len(buffers)))
    begin = -(-(len(head) + 16 * len(buffers)) // _PAGE) * _PAGE
    sections, at = [], begin
    for buffer in buffers:
        sections.append(struct.pack("<QQ", at, len(buffer)))
        at += len(buffer)
    return (head + b"".join(sections)).ljust(begin, b"\0") + b"".join(buffers)


def _head(trace: Trace, cpus: int) -> Iterator[bytes]:
    yield b"\x17\x08\x44tracing6\0"
    yield struct.pack("<BBI", 0, 8, _PAGE)  # little endian, bytes of a long
    for name, text in (("header_page", _HEADER_PAGE), ("header_event", _HEADER_EVENT)):
        yield name.encode() + b"\0" + _sized("<Q", text)
    yield struct.pack("<I", 0)  # events of ftrace itself
    yield struct.pack("<I", 1) + b"sched\0" + struct.pack("<I", 2)
    for kind in (_SWITCHES, _WAKEUPS):
        yield _sized("<Q", kind.description())
    yield struct.pack("<II", 0, 0)  # symbols, texts of trace_printk
    yield _sized("<Q", "".join(f"{pid} {kind_of(name)}\n" for name, pid in trace.pids.items()))
    yield struct.pack("<I", cpus)
    yield b"options  \0" + struct.pack("<H", 0) + b"flyrecord\0"


def _sized(form: str, text: str) -> bytes:
    return struct.pack(form, len(text.encode())) + text.encode()


def _buffers(trace: Trace) -> Iterator[bytes]:
    """Yield the pages of each CPU, from CPU 0 on."""
    cpus = max(trace.switches.keys() | {event.cpu for event in trace.events}, default=0) + 1
    buffers = [_Buffer() for _ in range(cpus)]
    for event in trace.events:
        buffer = buffers[event.cpu]
        if event.kind == SWITCH:
            buffer.runs = trace.pids[event.task]
            fields = struct.pack(
                "<16siiq16sii", _cut(event.task), buffer.runs, _UNKNOWN, event.value,
                _cut(event.other), trace.pids[event.other], _UNKNOWN,
            )  # fmt: skip
            buffer.add(event.at, _SWITCHES.number, fields)
            buffer.runs = trace.pids[event.other]
        elif event.kind in ENQUEUE and event.value & _WAKES:
            pid = trace.pids[event.task]
            fields = struct.pack("<16siqi", _cut(event.task), pid, _UNKNOWN, event.cpu)
            buffer.add(event.at, _WAKEUPS.number, fields)
    for buffer in buffers:
        yield buffer.pages()


def _cut(name: str) -> bytes:
    return kind_of(name).encode()[: _COMM - 1]


@define
class _Buffer:
    """A CPU's ring buffer: pages that begin with a time, and events that are ns after another."""

    runs: int = 0  # pid of who runs
    _full: list[bytes] = field(factory=list)
    _page: bytearray = field(factory=bytearray)  # of events
    _begin: int = 0  # ns
    _last: int = 0  # ns

    def add(self, at: int, number: int, fields: bytes) -> None:
        """Append an event of so many ns; one that is before the last one is at its time."""
        at = max(at, self._last)
        payload = struct.pack("<HBBi", number, 0, 0, self.runs) + fields
        event = _header(len(payload), at - self._last)
        if not self._page or len(self._page) + len(event) + len(payload) > _PAGE - _HEAD:
            self._close()
            self._begin = at
            event = _header(len(payload), 0)
        self._last = at
        self._page += event + payload

    def pages(self) -> bytes:
        """Return all pages."""
        self._close()
        return b"".join(self._full)

    def _close(self) -> None:
        if self._page:
            head = struct.pack("<QQ", self._begin, len(self._page))
            self._full.append((head + self._page).ljust(_PAGE, b"\0"))
        self._page = bytearray()


def _header(size: int, delta: int) -> bytes:
    """Return what is before an event of `size` bytes, `delta` ns after the last one."""
    if delta >> _SHORT == 0:
        return struct.pack("<I", size // 4 | delta << 5)
    low, high = delta % (1 << _SHORT), delta >> _SHORT
    return struct.pack("<III", _EXTEND | low << 5, high, size // 4)
