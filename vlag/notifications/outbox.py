# SPDX-License-Identifier: GPL-2.0-only
"""Sends what is queued: each message at least once, again with the same id.

A message is queued in the transaction that makes it due, and `sent` is committed when the
other side has taken it.  A sender that is killed in between, or hears no answer, leaves the
message queued: it is sent again, as mail servers do among each other (RFC 5321, 6.1).  Both
copies have one Message-ID, or one Idempotency-Key, by which the other side knows the second.
See `docs/decisions/0007-mail-at-least-once.md`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Protocol

from attrs import define, field, frozen

from vlag.errors import UsageError
from vlag.store import messages
from vlag.store.database import Connection
from vlag.store.messages import Message, State

# What greylisting asks for is a minute or a few; who is away is away for hours.
FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=6)

# What a mail server keeps trying for is 4 to 5 days; a nightly mail is worth a long weekend more.
KEPT = timedelta(days=7)


class Fate(enum.Enum):
    """What became of an attempt."""

    TAKEN = "taken"  # the other side has it
    LATER = "later"  # not taken as far as we know: to be tried again
    AWAY = "away"  # like LATER, and nobody else can be reached that way now
    REFUSED = "refused"  # not taken, and never will be


@frozen(kw_only=True)
class Answer:
    """What the other side said to an attempt."""

    fate: Fate
    reply: str
    pause: timedelta = timedelta(0)  # of LATER: the least that the other side asks for


class Transport(Protocol):
    """A way to people."""

    def send(self, message: Message) -> Answer:
        """Deliver a message; what may have arrived is `LATER` too, and sent again."""
        ...


@define(kw_only=True)
class Sent:
    """What a round of sending did: ids of messages."""

    busy: bool = False  # another sender is at work: nothing was done
    taken: list[int] = field(factory=list)
    later: list[int] = field(factory=list)
    given_up: list[int] = field(factory=list)
    no_channel: list[int] = field(factory=list)  # queued; the settings have no such channel

    @property
    def news(self) -> bool:
        """Return whether anything happened that is worth a line."""
        return bool(self.taken or self.later or self.given_up)


def pause_after(attempts: int) -> timedelta:
    """Return how long to wait after so many attempts that failed."""
    return min(LONGEST_PAUSE, FIRST_PAUSE * (1 << min(attempts - 1, 30)))


def tried_for(attempts: int) -> timedelta:
    """Return the sum of the pauses between so many attempts."""
    return sum((pause_after(n) for n in range(1, attempts)), timedelta(0))


def send_due(conn: Connection, transports: Mapping[str, Transport], now: datetime) -> Sent:
    """Send what is due, by channel ("mail", "webhook"); one sender at a time.

    `conn` must be in autocommit mode.  What is wrong with the settings of a transport is
    noted with its messages, which wait.  Raises psycopg's errors.
    """
    done = Sent()
    with messages.only_sender(conn) as held:
        if not held:
            done.busy = True
            return done
        away: dict[str, Answer] = {}
        for message in messages.due(conn, now):
            transport = transports.get(message.channel)
            if transport is None:
                done.no_channel.append(message.id)
                continue
            answer = away.get(message.channel)
            if answer is None:
                try:
                    answer = transport.send(message)
                except UsageError as e:
                    answer = Answer(fate=Fate.AWAY, reply=str(e))
            if answer.fate is Fate.AWAY:
                away[message.channel] = answer
            _settle(conn, message, answer, now, done)
    return done


def _settle(conn: Connection, m: Message, answer: Answer, now: datetime, done: Sent) -> None:
    state, attempts, next_at = State.SENT, m.attempts, m.next_at
    if answer.fate is Fate.TAKEN:
        done.taken.append(m.id)
    elif answer.fate is Fate.REFUSED:
        state = State.GIVEN_UP
        done.given_up.append(m.id)
    else:
        attempts += 1
        pause = max(pause_after(attempts), min(answer.pause, LONGEST_PAUSE))
        next_at = now + pause
        over = tried_for(attempts + 1) > KEPT
        state = State.GIVEN_UP if over else State.QUEUED
        (done.given_up if over else done.later).append(m.id)
    messages.settle(conn, m.id, state, answer.reply, attempts=attempts, next_at=next_at)
