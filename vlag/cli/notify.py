# SPDX-License-Identifier: GPL-2.0-only
"""`vlag notify`: queue, send and list notifications."""

from __future__ import annotations

import signal
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import frozen

from vlag import config
from vlag.cli.command import FORMAT, as_value, emit, one_sentence, say
from vlag.errors import UsageError, VlagError

if TYPE_CHECKING:
    from vlag.notifications.outbox import Sent
    from vlag.store.messages import Message

#: Seconds between two rounds of `vlag notify send --loop`.
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
            _ = at.astimezone(UTC)
        except (ValueError, OverflowError, OSError):
            self.fail(f"{value!r}: write 2026-11-21T01:30:00Z, or seconds since 1970")
        if at.tzinfo is None:
            self.fail(f"{value!r} has no offset: write 2026-11-21T01:30:00Z")
        return at


@frozen(kw_only=True)
class NightOptions:
    """Options of `vlag notify night`."""

    key: str
    started: datetime
    ids: tuple[int, ...]
    at_baseline: tuple[tuple[str, str, str], ...]
    in_time: bool
    left_out: tuple[tuple[str, str, str, int], ...]
    missing: tuple[str, ...]
    note: tuple[str, ...]
    url: str | None
    path: Path | None
    synthetic: bool
    form: str


@click.group()
def notify() -> None:
    """Send notifications, list them, or send one again."""


@notify.command()
@click.option("--key", required=True, help="Identifies the night; it is reported once.")
@click.option("--started", type=_Moment(), required=True, help="When the night began.")
@click.option("--comparison", "ids", type=int, multiple=True, help="A comparison of the night.")
@click.option("--at-baseline", multiple=True, nargs=3, metavar="BRANCH BOARD_TYPE BASELINE",
              help="A branch whose head is its own baseline.")  # fmt: skip
@click.option("--in-time", is_flag=True, help="The night had a time by which to end.")
@click.option("--left-out", multiple=True, nargs=4, type=(str, str, str, int),
              metavar="TREE/BRANCH KERNEL BOARD_TYPE NIGHTS",
              help="What it has left out for that, for how many nights in a row.")  # fmt: skip
@click.option("--missing", multiple=True, metavar="TEXT", help="What did not run, and why.")
@click.option("--note", multiple=True, metavar="TEXT", help="A line at the top of the mail.")
@click.option("--url", help="Page of the night's build.")
@click.option("--report", "path", type=click.Path(path_type=Path), help="The night's text report.")
@click.option("--synthetic", is_flag=True, help="Include figures from field reports.")
@FORMAT
@one_sentence
@as_value(NightOptions)
def night(given: NightOptions) -> None:
    """Record the end of a night and queue its notifications.

    This derives the alerts of the night, too. The service calls it at the end of each night;
    `vlag notify send` sends what is queued.
    """
    from vlag.config import catalogue as catalogues
    from vlag.notifications.night_end import EndedNight, tell
    from vlag.store.database import connect
    from vlag.store.nights import AtBaseline, LeftOut

    settings = config.load()
    catalogue = catalogues.of(settings)
    path = given.path
    if path is not None and path.is_absolute() and path.is_relative_to(settings.state):
        path = path.relative_to(settings.state)
    with connect(settings.dsn()) as conn:
        ended = EndedNight(
            key=given.key,
            started=given.started,
            comparisons=given.ids,
            at_baseline=[
                AtBaseline(branch=branch, board_type=board_type, baseline=baseline)
                for branch, board_type, baseline in given.at_baseline
            ],
            left_out=[
                LeftOut(branch=branch, name=name, board_type=board_type, nights=nights)
                for branch, name, board_type, nights in given.left_out
            ]
            if given.in_time
            else None,
            missing=given.missing,
            notes=given.note,
            url=given.url,
            report=None if path is None else str(path),
        )
        result = tell(conn, catalogue, settings, ended, synthetic=given.synthetic)
    if not result.new:
        text = f"night {result.night} was reported before; nothing to do"
    elif result.queued:
        text = f"night {result.night}: queued for {', '.join(result.queued)}"
    else:
        text = f"night {result.night}: recorded; the settings name no recipient"
    document = {"night": result.night, "new": result.new, "queued": list(result.queued)}
    emit(given.form, document, text)


@notify.command()
@click.option("--loop", is_flag=True, help="Check again every minute, until stopped.")
@FORMAT
@one_sentence
def send(loop: bool, form: str) -> None:
    """Send the notifications that are due; a resend keeps its Message-ID."""
    if not loop:
        sent = _send()
        document = {
            "busy": sent.busy,
            "sent": sent.taken,
            "later": sent.later,
            "given_up": sent.given_up,
            "no_channel": sent.no_channel,
        }
        emit(form, document, _text(sent))
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
            say(str(e))  # no database: the queue waits there
        else:
            if sent.news:
                say(_text(sent))
        stop.wait(PAUSE_S)


def _send() -> Sent:
    from vlag.notifications import following
    from vlag.notifications.channels import transports
    from vlag.notifications.outbox import send_due
    from vlag.store.database import connect

    settings = config.load()
    ways = transports(settings)
    now = datetime.now(UTC)
    with connect(settings.dsn()) as conn:
        following.queue(conn, settings, now)
        return send_due(conn, ways, now)


def _text(sent: Sent) -> str:
    if sent.busy:
        return "another `vlag notify send` is running; nothing to do"
    counts = {
        "sent": sent.taken,
        "to be tried again": sent.later,
        "given up (see `vlag notify list`)": sent.given_up,
        "waiting for a channel that the settings do not name": sent.no_channel,
    }
    return ", ".join(f"{len(ids)} {words}" for words, ids in counts.items() if ids) or "nothing due"


@notify.command("list")
@FORMAT
@one_sentence
def list_(form: str) -> None:
    """List recent notifications and those that were not delivered."""
    from vlag.store import messages as outbox
    from vlag.store.database import connect

    with connect(config.load().dsn()) as conn:
        by_id = {m.id: m for m in (*outbox.unsettled(conn), *outbox.latest(conn, _LISTED))}
    listed = [by_id[id_] for id_ in sorted(by_id)]
    lines = [line for m in listed for line in _lines(m)]
    emit(form, {"messages": [_row(m) for m in listed]}, "\n".join(lines) or "no messages")


@notify.command()
@click.argument("message", type=int, metavar="ID")
@FORMAT
@one_sentence
def resend(message: int, form: str) -> None:
    """Queue notification ID again if it was not delivered."""
    from vlag.store import messages as outbox
    from vlag.store.database import connect

    with connect(config.load().dsn()) as conn:
        if not outbox.again(conn, message):
            known = outbox.by_id(conn, message)
            why = "there is none" if known is None else f"it is {known.state}"
            raise UsageError(
                f"message {message} is not sent again: {why}; only what was given up is"
            )
    emit(
        form, {"queued": message}, f"message {message} is queued again; `vlag notify send` sends it"
    )


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
