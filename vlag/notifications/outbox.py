"""Sends what is queued: each message once, whatever is killed when.

A message is queued in the transaction that makes it due.  Sending a mail has one moment
after which only the other side knows whether it has it: the line with a single dot that
ends its text.  So all but that line goes out first, then `handing over` is committed, then
the line follows, then what the server said is committed.  Who is killed in between leaves
`handing over` behind, which becomes `unconfirmed`: it may have arrived, so it is not sent
again by itself, and a person is told.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Protocol

from attrs import define, field, frozen

from vlag.errors import UsageError, VlagError
from vlag.store import database, messages
from vlag.store.database import Connection
from vlag.store.messages import Message, State

# What greylisting asks for is a minute or a few; who is away is away for hours.
FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=6)

# What a mail server keeps trying for is 4 to 5 days; a nightly mail is worth a long weekend more.
KEPT = timedelta(days=7)

_STOPPED = "the sender was stopped while it handed this over; it may have arrived"


class Fate(enum.Enum):
    """What became of an attempt."""

    TAKEN = "taken"  # the other side has it
    LATER = "later"  # not taken, may be tried again
    AWAY = "away"  # like LATER, and nobody else can be reached that way now
    REFUSED = "refused"  # not taken, and never will be
    UNKNOWN = "unknown"  # all of it went out and no answer came


@frozen(kw_only=True)
class Answer:
    """What the other side said to an attempt."""

    fate: Fate
    said: str
    pause: timedelta = timedelta(0)  # of LATER: the least that the other side asks for


class NotOursError(VlagError):
    """Somebody else has sent a message, or changed it, since it was read."""


class Transport(Protocol):
    """A way to people."""

    def send(self, message: Message, hand_over: Callable[[], None]) -> Answer:
        """Deliver a message.

        `hand_over` is called before the last byte goes out, unless the other side knows a
        message that comes twice.  What it raises is passed on, and nothing was delivered.
        """
        ...


@define(kw_only=True)
class Sent:
    """What a round of sending did: ids of messages."""

    busy: bool = False  # another sender is at work: nothing was done
    taken: list[int] = field(factory=list)
    later: list[int] = field(factory=list)
    given_up: list[int] = field(factory=list)
    unconfirmed: list[int] = field(factory=list)
    no_channel: list[int] = field(factory=list)  # queued; the settings have no such channel

    @property
    def news(self) -> bool:
        """Return whether anything happened that is worth a line."""
        return bool(self.taken or self.later or self.given_up or self.unconfirmed)


def anything_due(dsn: str) -> bool:
    """Return whether there is anything to send; InfrastructureError if the database is away."""
    with database.connect(dsn) as conn:
        return messages.waiting(conn)


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
        done.unconfirmed += messages.give_up_left_over(conn, _STOPPED)
        away: dict[str, Answer] = {}
        for message in messages.due(conn, now):
            transport = transports.get(message.channel)
            if transport is None:
                done.no_channel.append(message.id)
                continue
            answer = away.get(message.channel)
            if answer is None:
                try:
                    answer = transport.send(message, lambda m=message: _hand_over(conn, m))  # type: ignore[misc]
                except NotOursError:
                    continue
                except UsageError as e:
                    answer = Answer(fate=Fate.AWAY, said=str(e))
            if answer.fate is Fate.AWAY:
                away[message.channel] = answer
            _settle(conn, message, answer, now, done)
    return done


def _hand_over(conn: Connection, message: Message) -> None:
    if not messages.hand_over(conn, message.id):
        raise NotOursError(f"message {message.id} is not queued any more")


def _settle(conn: Connection, m: Message, answer: Answer, now: datetime, done: Sent) -> None:
    state, attempts, next_at = State.SENT, m.attempts, m.next_at
    if answer.fate is Fate.TAKEN:
        done.taken.append(m.id)
    elif answer.fate is Fate.REFUSED:
        state = State.GIVEN_UP
        done.given_up.append(m.id)
    elif answer.fate is Fate.UNKNOWN:
        state = State.UNCONFIRMED
        done.unconfirmed.append(m.id)
    else:
        attempts += 1
        pause = max(pause_after(attempts), min(answer.pause, LONGEST_PAUSE))
        next_at = now + pause
        over = tried_for(attempts + 1) > KEPT
        state = State.GIVEN_UP if over else State.QUEUED
        (done.given_up if over else done.later).append(m.id)
    messages.settle(conn, m.id, state, answer.said, attempts=attempts, next_at=next_at)
