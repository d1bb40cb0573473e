"""Verbs that tell people: a night's end, what is queued for them, what became of it."""

from __future__ import annotations

import signal
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence, say
from vlag.errors import UsageError, VlagError

if TYPE_CHECKING:
    from vlag.notifications.outbox import Sent
    from vlag.store.messages import Message

#: Seconds between two looks of `vlag send --forever`.
PAUSE_S = 60.0

_LISTED = 50


class _Moment(click.ParamType[datetime]):
    """A point in time: ISO 8601 with its offset, or seconds since 1970."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return an aware datetime."""
        if isinstance(value, datetime):
            return value
        try:
            if str(value).isdecimal():
                return datetime.fromtimestamp(int(value), UTC)
            at = datetime.fromisoformat(value)
        except (ValueError, OverflowError, OSError):
            self.fail(f"{value!r}: write 2026-11-21T01:30:00Z, or seconds since 1970")
        if at.tzinfo is None:
            self.fail(f"{value!r} has no offset: write 2026-11-21T01:30:00Z")
        return at


@click.command()
@click.option("--night-key", required=True, help="Names the night: it is told once.")
@click.option("--started", type=_Moment(), required=True, help="When it began.")
@click.option("--comparison", "ids", type=int, multiple=True, help="What it compared.")
@click.option("--missing", multiple=True, metavar="TEXT", help="What did not run, and why.")
@click.option("--note", multiple=True, metavar="TEXT", help="A line at the mail's head.")
@click.option("--url", help="Page of its build.")
@click.option("--report", "path", type=click.Path(path_type=Path), help="Its text report.")
@click.option("--synthetic", is_flag=True, help="Tell of figures that come from a report, too.")
@FORMAT
@one_sentence
def tell(
    night_key: str,
    started: datetime,
    ids: tuple[int, ...],
    missing: tuple[str, ...],
    note: tuple[str, ...],
    url: str | None,
    path: Path | None,
    synthetic: bool,
    form: str,
) -> None:
    """Put the end of a night on record, derive its alerts, and queue who is told of it.

    `vlag send` sends what is queued.
    """
    from vlag.config import catalogue as catalogues
    from vlag.notifications.night import tell as stage
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    if path is not None and path.is_absolute() and path.is_relative_to(settings.state):
        path = path.relative_to(settings.state)
    with connect(settings.dsn()) as conn:
        told = stage(
            conn,
            catalogue,
            settings,
            key=night_key,
            started=started,
            ids=ids,
            missing=missing,
            notes=note,
            url=url,
            path=None if path is None else str(path),
            synthetic=synthetic,
        )
    if not told.new:
        text = f"night {told.night} was told before: nothing done"
    elif told.queued:
        text = f"night {told.night}: queued for {', '.join(told.queued)}"
    else:
        text = f"night {told.night}: on record; the settings name nobody to tell"
    document = {"night": told.night, "new": told.new, "queued": list(told.queued)}
    emit(form, document, text)


@click.command()
@click.option("--once", "forever", flag_value=False, default=False, help="What is due now.")
@click.option("--forever", "forever", flag_value=True, type=bool,
              help="Look again each minute, until stopped.")  # fmt: skip
@FORMAT
@one_sentence
def send(forever: bool, form: str) -> None:
    """Send what is queued for people; after a kill again, with the same Message-ID."""
    if not forever:
        sent = _send()
        emit(form, _document(sent), _text(sent))
        return
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    while not stop.is_set():
        try:
            sent = _send()
        except UsageError:
            raise
        except VlagError as e:
            say(str(e))  # the database is away: what is queued waits there
        else:
            if sent.news:
                say(_text(sent))
        stop.wait(PAUSE_S)


def _send() -> Sent:
    from vlag.notifications.channels import transports
    from vlag.notifications.outbox import send_due
    from vlag.store.database import connect

    settings = config.load()
    ways = transports(settings)
    with connect(settings.dsn()) as conn:
        return send_due(conn, ways, datetime.now(UTC))


def _document(sent: Sent) -> dict[str, Any]:
    return {
        "busy": sent.busy,
        "sent": sent.taken,
        "later": sent.later,
        "given_up": sent.given_up,
        "no_channel": sent.no_channel,
    }


def _text(sent: Sent) -> str:
    if sent.busy:
        return "another `vlag send` is at work: nothing done"
    told = {
        "sent": sent.taken,
        "to be tried again": sent.later,
        "given up (see `vlag messages`)": sent.given_up,
        "waiting for a channel that the settings do not name": sent.no_channel,
    }
    return ", ".join(f"{len(ids)} {words}" for words, ids in told.items() if ids) or "nothing due"


@click.command()
@click.option("--again", type=int, metavar="ID", help="Send this one once more.")
@FORMAT
@one_sentence
def messages(again: int | None, form: str) -> None:
    """List what was sent to people lately, and what did not reach them."""
    from vlag.store import messages as outbox
    from vlag.store.database import connect

    with connect(config.load().dsn()) as conn:
        if again is not None:
            if not outbox.again(conn, again):
                known = outbox.by_id(conn, again)
                why = "there is none" if known is None else f"it is {known.state}"
                raise UsageError(
                    f"message {again} is not sent again: {why}; only what was given up is"
                )
            emit(form, {"queued": again}, f"message {again} is queued again; `vlag send` sends it")
            return
        found = {m.id: m for m in (*outbox.unsettled(conn), *outbox.latest(conn, _LISTED))}
    listed = [found[id_] for id_ in sorted(found)]
    lines = [line for m in listed for line in _lines(m)]
    emit(form, {"messages": [_row(m) for m in listed]}, "\n".join(lines) or "no messages")


def _row(m: Message) -> dict[str, Any]:
    return {
        "id": m.id,
        "channel": m.channel,
        "recipient": m.recipient,
        "subject": m.subject,
        "night": m.night,
        "state": m.state,
        "attempts": m.attempts,
        "next_at": m.next_at.isoformat() if m.state == "queued" else None,
        "said": m.said,
        "created_at": m.created_at.isoformat(),
        "changed_at": m.changed_at.isoformat(),
    }


def _lines(m: Message) -> list[str]:
    at = m.changed_at.astimezone(UTC)
    lines = [f"{m.id:>5}  {at:%Y-%m-%d %H:%M} UTC  {m.state:<12}  {m.channel} to {m.recipient}"]
    lines.append(f"       {m.subject}")
    if m.said and m.state != "sent":
        lines.append(f"       said: {m.said}")
    if m.state == "queued" and m.attempts:
        next_at = m.next_at.astimezone(UTC)
        lines.append(f"       tried {m.attempts} times, next at {next_at:%Y-%m-%d %H:%M} UTC")
    return lines
