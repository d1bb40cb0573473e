"""Alerts from the command line: what somebody must look at, and who does."""

from __future__ import annotations

import datetime
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence, person
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError

_F = TypeVar("_F", bound=Callable[..., Any])

_WIDTH = 75
# Of `--refresh`: older comparisons have no newer word on a branch that is still watched.
_REFRESH = datetime.timedelta(days=30)
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}

_ID = click.argument("alert", type=click.IntRange(min=1), metavar="ID")
_WHY = click.option("--why", required=True, help="For the record, and whoever sees it next.")
_AS = click.option("--as", "by", metavar="NAME", default=person, help="Who says so (default: you).")


@click.command()
@click.argument("alert", type=click.IntRange(min=1), metavar="[ID]", required=False)
@click.option("--all", "every", is_flag=True, help="Closed and withdrawn ones too.")
@click.option("--branch", metavar="TREE/BRANCH", help="Only of this branch.")
@click.option("--board-type", help="Only on this board type.")
@click.option("--kind", type=click.Choice(["regression", "no results", "board"]), help="Only such.")
@click.option("--synthetic", is_flag=True, help="Those of field reports, not of boots.")
@click.option("--refresh", is_flag=True, help="First derive them anew from what is on record.")
@FORMAT
@one_sentence
def alerts(
    alert: int | None,
    every: bool,
    branch: str | None,
    board_type: str | None,
    kind: str | None,
    synthetic: bool,
    refresh: bool,
    form: str,
) -> None:
    """List open alerts, or say all about alert ID: its figures, and what became of it.

    An alert is one cause, however many metrics and boards it hits: a commit that is worse
    than its parent, a branch that is worse than its baseline, a board out of service, a
    branch of which the last night has no results.
    """
    from vlag.alerts import derive as alerting
    from vlag.report import read_model
    from vlag.store.database import connect

    settings = config.load()
    tree, _, name = (branch or "").partition("/")
    if branch is not None and not (tree and name):
        raise UsageError(f"--branch {branch!r}: write TREE/BRANCH")
    with connect(settings.dsn()) as conn:
        if refresh:
            since = datetime.datetime.now(datetime.UTC) - _REFRESH
            alerting.refresh(conn, catalogues.of(settings), since, settings.alerts)
        if alert is not None:
            found = read_model.alert(conn, alert)
            if found is None:
                raise UsageError(f"there is no alert {alert}; `vlag alerts --all` lists them")
            emit(form, _plain(found), "\n".join(_details(found)))
            return
        rows = [
            row
            for row in read_model.alerts(
                conn,
                tree=tree or None,
                branch=name or None,
                board_type=board_type,
                closed=every,
            )
            if row["synthetic"] is synthetic and kind in (None, row["kind"])
        ]
    emit(form, {"alerts": [_plain(row) for row in rows]}, "\n".join(_table(rows, every)))


@click.command()
@_ID
@click.option("--state", required=True, metavar="STATE",
              help="new, acknowledged, investigating, fixed, invalid or wont_fix.")  # fmt: skip
@_WHY
@click.option("--owner", metavar="NAME", help="Who has it (default: who acknowledges it).")
@_AS
@FORMAT
@one_sentence
def ack(alert: int, state: str, why: str, owner: str | None, by: str, form: str) -> None:
    """Say how far people are with alert ID.

    One that is fixed is opened again where a newer kernel shows it still or where it comes
    back; one that is invalid or wont_fix stays closed.
    """
    from vlag.alerts import triage

    def work(conn: Any) -> Any:
        # People write it in all of these ways.
        word = re.sub(r"[ -]", "_", state.lower().replace("'", ""))
        return triage.set_state(conn, alert, word, by=by, why=why, owner=owner)

    _change(work, by, form, lambda a: f"alert {a.id} is {a.triage}: {a.title}")


@click.command()
@_ID
@click.option("--until", required=True, metavar="WHEN",
              help="2d, 12h, 1w, a date or a time; UTC unless it says.")  # fmt: skip
@_WHY
@_AS
@FORMAT
@one_sentence
def mute(alert: int, until: str, why: str, by: str, form: str) -> None:
    """Let alert ID tell nobody until a time; it stays open."""
    from vlag.alerts import triage
    from vlag.store.boards import minute

    end = moment(until, datetime.datetime.now(datetime.UTC))
    _change(
        lambda conn: triage.mute(conn, alert, end, by=by, why=why),
        by,
        form,
        lambda a: f"alert {a.id} tells nobody until {minute(end)}: {a.title}",
    )


@click.command()
@_ID
@_WHY
@_AS
@FORMAT
@one_sentence
def unmute(alert: int, why: str, by: str, form: str) -> None:
    """Let alert ID tell people again."""
    from vlag.alerts import triage

    _change(
        lambda conn: triage.unmute(conn, alert, by=by, why=why),
        by,
        form,
        lambda a: f"alert {a.id} is not muted any more: {a.title}",
    )


def _change(work: Callable[[Any], Any], by: str, form: str, said: Callable[[Any], str]) -> None:
    """Do what a person who may asks for, and say what the alert is now."""
    from vlag.alerts import triage
    from vlag.store.database import connect

    settings = config.load()
    triage.may(settings.people.triage if settings.people else (), by)
    with connect(settings.dsn()) as conn:
        changed = work(conn)
    document = {
        "alert": changed.id,
        "triage": changed.triage,
        "owner": changed.owner,
        "muted_until": changed.muted_until,
    }
    emit(form, _plain(document), said(changed))


def moment(text: str, now: datetime.datetime) -> datetime.datetime:
    """Return the time that a person means, as from `now`.

    Raises UsageError for what is neither a span (2d, 12h, 1w) nor a date or time.
    """
    span = re.fullmatch(r"(\d{1,4})\s*([hdw])", text.strip())
    if span is not None:
        return now + datetime.timedelta(**{_UNITS[span[2]]: int(span[1])})
    try:
        found = datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(
            f"--until {text!r}: write 12h, 2d or 1w, a date as 2026-12-24, or a time as"
            " 2026-12-24T08:00"
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=datetime.UTC)


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as JSON can hold it."""

    def value(x: Any) -> Any:
        if isinstance(x, datetime.datetime):
            return x.astimezone(datetime.UTC).isoformat()
        if isinstance(x, Mapping):
            return _plain(x)
        return [value(y) for y in x] if isinstance(x, list) else x

    return {k: value(v) for k, v in row.items()}


def _state(row: Mapping[str, Any]) -> str:
    if row["withdrawn_at"] is not None:
        return "withdrawn"
    return f"{row['triage']}{' (muted)' if row['open'] and not row['loud'] else ''}"


def _table(rows: Sequence[Mapping[str, Any]], every: bool) -> list[str]:
    if not rows:
        return ["no alert on record" if every else "no open alert; --all lists the others too"]
    lines = [f"{'ID':>5}  {'opened':10}  {'state':<21} owner", "-" * _WIDTH]
    for row in rows:
        day = row["opened_at"].astimezone(datetime.UTC)
        head = f"{row['id']:>5}  {day:%Y-%m-%d}  {_state(row):<21} {row['owner'] or '-'}"
        lines.append(head[:_WIDTH])
        title = ("SYNTHETIC: " if row["synthetic"] else "") + row["title"]
        lines += textwrap.wrap(
            title, _WIDTH, initial_indent=" " * 7, subsequent_indent=" " * 9,
            break_on_hyphens=False,
        )  # fmt: skip
    return lines


def _details(a: Mapping[str, Any]) -> list[str]:
    from vlag.store.boards import minute

    lines = textwrap.wrap(f"Alert {a['id']}: {a['title']}", _WIDTH, subsequent_indent="  ",
                          break_on_hyphens=False)  # fmt: skip
    lines += ["=" * min(len(lines[0]), _WIDTH), ""]
    owner = f", {a['owner']} has it" if a["owner"] else ""
    lines.append(f"{_state(a)}{owner}")
    if a["open"] and not a["loud"]:
        lines.append(f"muted until {minute(a['muted_until'])}")
    lines += ["", a["body"], ""]
    if a["verdicts"]:
        lines += ["It stands on these verdicts:"]
        for v in a["verdicts"]:
            said = f"comparison {v['comparison']}, {v['board_type']}: {v['name']}"
            if v["effect"] is not None:
                said += f" {100 * v['effect']:+.1f} %"
            lines += textwrap.wrap(f"{said}, {v['verdict']}, {v['standing']}", _WIDTH,
                                   initial_indent="  ", subsequent_indent="    ",
                                   break_on_hyphens=False)  # fmt: skip
        lines.append("")
    lines.append("What became of it:")
    for e in a["events"]:
        what = e["action"] if e["triage"] is None else e["triage"]
        lines += textwrap.wrap(
            f"{minute(e['at'])} {what} by {e['by']}: {e['why']}", _WIDTH,
            initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False,
        )  # fmt: skip
    return lines
