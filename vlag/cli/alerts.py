# SPDX-License-Identifier: GPL-2.0-only
"""`vlag alerts`: list, show and triage alerts."""

from __future__ import annotations

import contextlib
import datetime
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence, person
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError
from vlag.printable import minute

_WIDTH = 75
# How far back `--refresh` looks: a watched branch has newer comparisons than that.
_REFRESH = datetime.timedelta(days=30)
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}

_ID = click.argument("alert", type=click.IntRange(min=1), metavar="ID")
_REASON = click.option("--reason", required=True, help="The reason, for the record.")
_BY = click.option("--by", metavar="NAME", default=person, help="Who asks (default: you).")
_DERIVE = click.option(
    "--refresh", is_flag=True, help="First derive the alerts again from what is on record."
)


class _Listing(click.Group):
    """A group that lists where no command is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        bare = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        if bare and not ctx.resilient_parsing:  # not while a shell completes
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Listing)
def alerts() -> None:
    """List, show, and triage alerts.

    An alert is one cause, however many metrics and boards it affects: a commit that is worse
    than its parent, a branch that is worse than its baseline, a board out of service, or a
    branch whose last night has no results.

    Without a command, list the open alerts.
    """


@alerts.command("list")
@click.option("--all", "every", is_flag=True, help="Include closed and withdrawn alerts.")
@click.option("--branch", metavar="TREE/BRANCH", help="Only alerts of this branch.")
@click.option("--board-type", help="Only alerts on this board type.")
@click.option("--kind", type=click.Choice(["regression", "slow loss", "no results", "board"]),
              help="Only alerts of this kind.")  # fmt: skip
@click.option("--synthetic", is_flag=True, help="Alerts from field reports instead of boots.")
@_DERIVE
@FORMAT
@one_sentence
def list_(
    every: bool,
    branch: str | None,
    board_type: str | None,
    kind: str | None,
    synthetic: bool,
    refresh: bool,
    form: str,
) -> None:
    """List open alerts."""
    from vlag.report import read_model

    tree, _, name = (branch or "").partition("/")
    if branch is not None and not (tree and name):
        raise UsageError(f"--branch {branch!r}: write TREE/BRANCH")
    with _connect(refresh) as conn:
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


@alerts.command()
@_ID
@_DERIVE
@click.option(
    "--said", "statement", type=int, metavar="N", help="What it said then: the number in a link."
)
@FORMAT
@one_sentence
def show(alert: int, refresh: bool, statement: int | None, form: str) -> None:
    """Show alert ID: its figures, what it said before, and its history."""
    from vlag.report import read_model

    with _connect(refresh) as conn:
        whole = read_model.alert(conn, alert, statement)
    if whole is None:
        raise UsageError(f"there is no alert {alert}; `vlag alerts list --all` lists them")
    emit(form, _plain(whole), "\n".join(_details(whole)))


@contextlib.contextmanager
def _connect(refresh: bool) -> Iterator[Any]:
    """Connect to the database; derive the alerts again first if `refresh`."""
    from vlag.alerts import derive
    from vlag.alerts.surroundings import Surroundings
    from vlag.store.database import connect

    settings = config.load()
    with connect(settings.dsn()) as conn:
        if refresh:
            since = datetime.datetime.now(datetime.UTC) - _REFRESH
            around = Surroundings.of(settings)
            derive.refresh(conn, catalogues.of(settings), since, settings.alerts, around)
        yield conn


@alerts.command("set")
@_ID
@click.option("--state", required=True, metavar="STATE",
              help="new, acknowledged, investigating, fixed, invalid or wont_fix.")  # fmt: skip
@_REASON
@click.option("--owner", metavar="NAME",
              help="Who works on it (default: who acknowledges it).")  # fmt: skip
@click.option("--due", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE",
              help="The day by which the owner means to have dealt with it.")  # fmt: skip
@_BY
@FORMAT
@one_sentence
def set_(
    alert: int,
    state: str,
    reason: str,
    owner: str | None,
    due: datetime.datetime | None,
    by: str,
    form: str,
) -> None:
    """Set the state of alert ID.

    vlag opens a fixed alert again if a newer kernel still shows it, or if it comes back. An
    invalid or wont_fix alert stays closed.
    """
    from vlag.alerts import triage

    def work(conn: Any) -> Any:
        # People write it in all of these ways.
        word = re.sub(r"[ -]", "_", state.lower().replace("'", ""))
        return triage.set_state(
            conn, alert, word, by=by, why=reason, owner=owner, due=due.date() if due else None
        )

    _change(work, by, form, lambda a: f"alert {a.id} is {a.triage}: {a.title}")


@alerts.command()
@_ID
@click.option("--until", required=True, metavar="WHEN",
              help="2d, 12h, 1w, a date or a time; UTC if it names no zone.")  # fmt: skip
@_REASON
@_BY
@FORMAT
@one_sentence
def mute(alert: int, until: str, reason: str, by: str, form: str) -> None:
    """Send no notifications about alert ID until a time; it stays open."""
    from vlag.alerts import triage

    end = moment(until, datetime.datetime.now(datetime.UTC))
    _change(
        lambda conn: triage.mute(conn, alert, end, by=by, why=reason),
        by,
        form,
        lambda a: f"alert {a.id} is muted until {minute(end)}: {a.title}",
    )


@alerts.command()
@_ID
@_REASON
@_BY
@FORMAT
@one_sentence
def unmute(alert: int, reason: str, by: str, form: str) -> None:
    """Send notifications about alert ID again."""
    from vlag.alerts import triage

    _change(
        lambda conn: triage.unmute(conn, alert, by=by, why=reason),
        by,
        form,
        lambda a: f"alert {a.id} is not muted any more: {a.title}",
    )


@alerts.command()
@_ID
@click.option("--board-type", "board_types", multiple=True, help="What is on this board type.")
@click.option("--benchmark", "benchmarks", multiple=True, help="What is of this benchmark.")
@click.option("--branch", "branches", multiple=True, metavar="TREE/BRANCH",
              help="What is of this branch.")  # fmt: skip
@click.option("--joined", type=click.IntRange(min=1), metavar="ID",
              help="What alert ID told before it was joined; it gets that back.")  # fmt: skip
@_REASON
@_BY
@FORMAT
@one_sentence
def split(
    alert: int,
    board_types: tuple[str, ...],
    benchmarks: tuple[str, ...],
    branches: tuple[str, ...],
    joined: int | None,
    reason: str,
    by: str,
    form: str,
) -> None:
    """Give a part of alert ID an alert of its own.

    What fits all options becomes the other alert. Both keep their numbers until they are withdrawn,
    whatever vlag finds later.
    """
    from vlag.alerts import parts

    chosen = parts.Chosen(
        board_types=board_types, benchmarks=benchmarks, branches=branches, joined=joined
    )
    _change(
        lambda conn: parts.split(conn, *_deriving(), alert, chosen, by=by, why=reason),
        by,
        form,
        lambda a: f"alert {a.id} is split from alert {alert}: {a.title}",
    )


@alerts.command()
@_ID
@click.argument("other", type=click.IntRange(min=1), metavar="OTHER")
@_REASON
@_BY
@FORMAT
@one_sentence
def join(alert: int, other: int, reason: str, by: str, form: str) -> None:
    """Let alert ID tell of all that alert OTHER tells.

    OTHER is withdrawn, and each leads to the other. It holds until alert ID is withdrawn, or until
    `vlag alerts split ID --joined OTHER`.
    """
    from vlag.alerts import parts

    _change(
        lambda conn: parts.join(conn, *_deriving(), alert, other, by=by, why=reason),
        by,
        form,
        lambda a: f"alert {a.id} tells of alert {other} too: {a.title}",
    )


def _deriving() -> tuple[Any, Any]:
    """Return the catalogue, and what derives alerts by the settings."""
    from vlag.alerts import derive

    settings = config.load()
    catalogue = catalogues.of(settings)
    return catalogue, lambda conn, ids: derive.of_installation(conn, catalogue, settings, ids)


def _change(work: Callable[[Any], Any], by: str, form: str, sentence: Callable[[Any], str]) -> None:
    """Change an alert if `by` may do so, and print its new state."""
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
        "due": changed.due,
        "muted_until": changed.muted_until,
    }
    emit(form, _plain(document), sentence(changed))


@alerts.command()
@click.option("--set", "changes", multiple=True, metavar="KEY=N",
              help="A setting to try, such as alerts.latency=0.05.")  # fmt: skip
@click.option("--since", default="90d", show_default=True, metavar="WHEN",
              help="90d, 12w, a date or a time; UTC if it names no zone.")  # fmt: skip
@FORMAT
@one_sentence
def rehearse(changes: tuple[str, ...], since: str, form: str) -> None:
    """Show which alerts other settings would have opened.

    The nights and pushes since a time are told again on a copy of the alerts, by the derivation
    that the service runs. Nothing is stored, and nobody is notified. Without --set, the present
    settings are rehearsed.
    """
    from attrs import asdict

    from vlag.alerts import rehearsal, rehearsal_text
    from vlag.store.database import connect

    settings = config.load()
    thresholds = rehearsal.changed(settings.alerts, changes)
    now = datetime.datetime.now(datetime.UTC)
    with connect(settings.dsn()) as conn:
        done = rehearsal.rehearse(
            conn,
            catalogues.of(settings),
            thresholds,
            since=moment(since, now, option="--since", back=True),
            until=now,
            recipients=None if settings.mail is None else settings.mail.recipients,
        )
    lines = rehearsal_text.lines(done, settings.alerts)
    emit(form, _plain(asdict(done)), "\n".join(lines))


def moment(
    text: str, now: datetime.datetime, *, option: str = "--until", back: bool = False
) -> datetime.datetime:
    """Return the time that `text` names: a span from `now` (2d, 12h, 1w), a date or a time.

    With `back` the span ends now.  Raises UsageError for anything else.
    """
    span = re.fullmatch(r"(\d{1,4})\s*([hdw])", text.strip())
    if span is not None:
        length = datetime.timedelta(**{_UNITS[span[2]]: int(span[1])})
        return now - length if back else now + length
    try:
        at = datetime.datetime.fromisoformat(text.strip())
        _ = at.astimezone(datetime.UTC)
    except (ValueError, OverflowError):  # the first and last years have no time in another zone
        raise UsageError(
            f"{option} {text!r}: write 12h, 2d or 1w, a date as 2026-12-24, or a time as"
            " 2026-12-24T08:00"
        ) from None
    return at if at.tzinfo else at.replace(tzinfo=datetime.UTC)


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row that JSON can hold."""

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
        if any(name not in row["title"] for name in row["board_types"]):
            lines += textwrap.wrap(
                f"on {', '.join(row['board_types'])}", _WIDTH, initial_indent=" " * 9,
                subsequent_indent=" " * 9, break_on_hyphens=False,
            )  # fmt: skip
    return lines


def _details(a: Mapping[str, Any]) -> list[str]:
    lines = textwrap.wrap(f"Alert {a['id']}: {a['title']}", _WIDTH, subsequent_indent="  ",
                          break_on_hyphens=False)  # fmt: skip
    lines += ["=" * min(len(lines[0]), _WIDTH), ""]
    owner = f", owner {a['owner']}" if a["owner"] else ""
    due = f", due {a['due']}" if a["due"] else ""
    lines.append(f"{_state(a)}{owner}{due}")
    if a["open"] and not a["loud"]:
        lines.append(f"muted until {minute(a['muted_until'])}")
    lines += ["", a["body"], ""]
    if a["verdicts"]:
        lines += ["Verdicts:"]
        for v in a["verdicts"]:
            sentence = f"comparison {v['comparison']}, {v['board_type']}: {v['name']}"
            if v["effect"] is not None:
                sentence += f" {100 * v['effect']:+.1f} %"
            lines += textwrap.wrap(f"{sentence}, {v['verdict']}, {v['standing']}", _WIDTH,
                                   initial_indent="  ", subsequent_indent="    ",
                                   break_on_hyphens=False)  # fmt: skip
        lines.append("")
    if len(a["texts"]) > 1:
        lines.append("What it said, and when:")
        for t in a["texts"]:
            lines += textwrap.wrap(f"{minute(t['at'])} --said {t['since']}: {t['title']}", _WIDTH,
                                   initial_indent="  ", subsequent_indent="    ",
                                   break_on_hyphens=False)  # fmt: skip
        lines.append("")
    lines.append("History:")
    for e in a["events"]:
        what = e["action"] if e["triage"] is None else e["triage"]
        lines += textwrap.wrap(
            f"{minute(e['at'])} {what} by {e['by']}: {e['why']}", _WIDTH,
            initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False,
        )  # fmt: skip
    return lines
