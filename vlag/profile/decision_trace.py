# SPDX-License-Identifier: GPL-2.0-only
"""What a kernel's scheduler decided in one boot: each switch, wake-up, check and pick, in order.

`lava-jobs/lockstep/decisions.c` describes the words that they come as.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from attrs import define, evolve, field, frozen

from vlag.errors import ParseError
from vlag.kernel.places import VERSION
from vlag.profile import sent

#: Kinds of events, as they are sent.
SWITCH, CHECK, TICK, PICK = "s", "w", "i", "k"
ENQUEUE, DEQUEUE, RESCHEDULE = "eE", "dD", "rl"

#: Versions that are read; the one before named another waker of some tasks, as QEMU does not say
#: which CPU executes.
_KNOWN = (2, VERSION)

_HEX = r"[0-9a-f]{1,16}"
_TASK = re.compile(rf"t({_HEX})\.({_HEX})\.((?:[0-9a-f]{{2}})*)")
_EVENT = re.compile(
    rf"([seEdDwrli])(\d{{1,3}})\.({_HEX})"
    rf"(?:\.({_HEX})\.({_HEX})(?:\.(-|{_HEX}i?)(?:\.([01]))?)?)?"
)
_PICK = re.compile(
    rf"k(\d{{1,3}})\.({_HEX})(\.=|(?:\.-)?(?:\.(?:{_HEX}|g)!?~?(?:,{_HEX}){{2}}(?:(?:,{_HEX}){{2}})?)+)"
)
_COUNT = re.compile(rf"n(\d{{1,3}})\.({_HEX})\.({_HEX})")
_CUT = re.compile(rf"x({_HEX})\.({_HEX})")
#: Numbers of fields behind the time, by kind.
_FIELDS = {"s": 4, "e": 3, "E": 3, "d": 2, "D": 2, "w": 2, "r": 0, "l": 0, "i": 0}


@frozen(kw_only=True)
class Entity:
    """Who waits in a queue, or runs from it, as the kernel keeps it."""

    task: str | None  # None: a group of tasks
    vruntime: int  # ns of its weight, less the queue's own zero
    deadline: int  # likewise
    slice_ns: int
    weight: int
    protected: bool = False  # who runs goes on until its slice ends, whoever else is due
    asleep: bool = False  # it sleeps, and has stayed in the queue all the same


@frozen(kw_only=True)
class Event:
    """One thing that happened on a run queue."""

    kind: str
    cpu: int
    at: int  # ns of the guest's clock; 0: not known
    task: str = ""  # who is queued, leaves, woke up, or, of a switch, who ran
    other: str = ""  # who runs next, who would be preempted, or who has woken a queued task
    value: int = 0  # flags, or the state of who ran: 0 if it can go on
    queue: tuple[Entity, ...] = ()  # of a pick: all that may be picked
    running: bool = False  # the first of them is the one that runs
    stays: bool = False  # of a switch: who ran sleeps, and stays in its queue
    in_interrupt: bool = False  # of a queued task: it was woken in one, which `other` only stood


@frozen(kw_only=True)
class Trace:
    """The decisions of one boot between its two marks."""

    events: Sequence[Event]
    switches: Mapping[int, int]  # by CPU, as the kernel itself has counted
    left_out: int  # events that were not kept
    pids: Mapping[str, int]  # by task


def read(data: bytes, *, path: str) -> Trace:
    """Return the decisions in `data`; ParseError if they are damaged or cut off."""
    words = sent.unpacked(data, known=_KNOWN, what="decisions", path=path)
    names, pids = _tasks(words, path)
    reader = _Reader(names)
    for word in words:
        try:
            reader.word(word)
        except (ValueError, KeyError) as e:
            raise ParseError(f"'{word[:80]}' is no decision", path=path) from e
    return Trace(
        events=reader.events, switches=reader.switches, left_out=reader.left_out, pids=pids
    )


def _tasks(words: Sequence[str], path: str) -> tuple[Mapping[str, str], Mapping[str, int]]:
    """Return each task's last name, with its place by birth among those of one name, and its pid.

    The pid is by that name.
    """
    last: dict[str, tuple[str, int]] = {}
    for word in words:
        if not word.startswith("t"):
            continue
        match = _TASK.fullmatch(word)
        if match is None:
            raise ParseError(f"'{word[:80]}' is no task", path=path)
        comm = bytes.fromhex(match[3]).decode("utf-8", "replace")
        last[match[1]] = comm, int(match[2], 16)
    many = Counter(comm for comm, _ in last.values())
    born: Counter[str] = Counter()
    names, pids = {}, {}
    for task, (comm, pid) in sorted(last.items(), key=lambda item: (item[1][1], int(item[0], 16))):
        born[comm] += 1
        names[task] = f"{comm}#{born[comm]}" if many[comm] > 1 else comm
        pids[names[task]] = pid
    return names, pids


@define
class _Reader:
    """State while reading: what is not sent again."""

    names: Mapping[str, str]
    events: list[Event] = field(factory=list)
    switches: dict[int, int] = field(factory=dict)
    left_out: int = 0
    looks: dict[int, Event] = field(factory=dict)  # the last one by CPU
    kept: dict[str, tuple[int, int]] = field(factory=dict)  # slice and weight by task

    def word(self, word: str) -> None:
        """Take one word; ValueError or KeyError if it is none."""
        if word.startswith("t"):
            return
        if word.startswith(PICK):
            self.events.append(self._pick(word))
        elif count := _COUNT.fullmatch(word):
            self.switches[int(count[1])] = int(count[3], 16) - int(count[2], 16)
        elif cut := _CUT.fullmatch(word):
            self.left_out = int(cut[1], 16)
        else:
            self.events.append(self._event(word))

    def _event(self, word: str) -> Event:
        match = _EVENT.fullmatch(word)
        if match is None:
            raise ValueError(word)
        kind, cpu, at, *fields = match.groups()
        given = [f for f in fields if f is not None]
        if len(given) != _FIELDS[kind]:
            raise ValueError(word)
        task = self.names[given[0]] if given else ""
        if kind in ENQUEUE:
            waker = given[2].removesuffix("i")
            return Event(
                kind=kind, cpu=int(cpu), at=int(at, 16), task=task, value=int(given[1], 16),
                other="" if waker == "-" else self.names[waker],
                in_interrupt=given[2].endswith("i"),
            )  # fmt: skip
        if kind == SWITCH:
            return Event(
                kind=kind, cpu=int(cpu), at=int(at, 16), task=task, other=self.names[given[1]],
                value=int(given[2], 16), stays=given[3] == "1",
            )  # fmt: skip
        return Event(
            kind=kind, cpu=int(cpu), at=int(at, 16), task=task,
            other=self.names[given[1]] if kind == CHECK else "",
            value=int(given[1], 16) if kind in DEQUEUE else 0,
        )  # fmt: skip

    def _pick(self, word: str) -> Event:
        match = _PICK.fullmatch(word)
        if match is None:
            raise ValueError(word)
        cpu, at = int(match[1]), int(match[2], 16)
        if match[3] == ".=":
            event = evolve(self.looks[cpu], at=at)
        else:
            first, *rest = match[3][1:].split(".")
            entities = [self._entity(p) for p in ([] if first == "-" else [first]) + rest]
            event = Event(
                kind=PICK, cpu=cpu, at=at, queue=tuple(entities), running=first != "-"
            )  # fmt: skip
        self.looks[cpu] = event
        return event

    def _entity(self, part: str) -> Entity:
        marked, *numbers = part.split(",")
        who = marked.rstrip("!~")
        vruntime, deadline, *own = (int(n, 16) for n in numbers)
        if own:
            self.kept[who] = own[0], own[1]
        slice_ns, weight = self.kept[who]
        return Entity(
            task=None if who == "g" else self.names[who], vruntime=_signed(vruntime),
            deadline=_signed(deadline), slice_ns=slice_ns, weight=weight,
            protected="!" in marked, asleep="~" in marked,
        )  # fmt: skip


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value
