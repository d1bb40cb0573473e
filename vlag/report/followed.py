# SPDX-License-Identifier: GPL-2.0-only
"""What a follower is told of alerts: at once, or of a week."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypedDict

from vlag.printable import line
from vlag.report.blocks import Block, Heading, Item, Items, Paragraph, Verbatim, as_html, as_text
from vlag.report.compared import counted
from vlag.report.mail import Written

#: Longest subject: lists of mails show that much in one line.
_SUBJECT = 78
#: Most alerts with the first paragraph of their text.
_BODIES = 10


class FollowedAlert(TypedDict):
    """An alert as it stands."""

    id: int
    kind: str
    branches: list[str]
    boards: list[str]
    title: str
    body: str
    triage: str
    owner: str | None
    due: str | None  # date by which the owner means to have dealt with it
    overdue: bool
    muted_until: str | None
    opened: str  # date
    age_days: int  # since then
    why_gone: str | None
    url: str


class Followed(TypedDict):
    """What a follower is told."""

    schema: int
    kind: Literal["alerts", "week of alerts"]
    follower: str
    follows: str  # in words
    since: str | None  # first day of a week; null: at once
    until: str | None  # the day after its last one
    new: list[FollowedAlert]
    back: list[FollowedAlert]
    gone: list[FollowedAlert]
    open: list[FollowedAlert]  # of a week: all, the oldest first


def render(data: Followed) -> Written:
    """Return it as a mail."""
    title = subject(data)
    blocks = list(_blocks(data))
    return Written(subject=title, text=as_text(blocks), html=as_html(title, blocks))


def subject(data: Followed) -> str:
    """Return "[vlag] new alert 3: TITLE", or how many there are of each kind."""
    told = [("new", data["new"]), ("back", data["back"]), ("gone", data["gone"])]
    news = [(word, a) for word, alerts in told for a in alerts]
    if data["since"] is None and len(news) == 1:
        word, a = news[0]
        head = f"new alert {a['id']}" if word == "new" else f"alert {a['id']} is {word}"
        return _cut(f"[vlag] {head}: {a['title']}")
    counts = ", ".join(f"{len(alerts)} {word}" for word, alerts in told if alerts)
    if data["since"] is None:
        return f"[vlag] alerts: {counts}"
    open_ = f"{len(data['open'])} open" if data["open"] else "none open"
    return f"[vlag] week of {data['since']}: {', '.join(filter(None, [counts, open_]))}"


def _cut(text: str) -> str:
    text = line(text)
    return text if len(text) <= _SUBJECT else f"{text[: _SUBJECT - 2].rstrip()} …"


def _blocks(data: Followed) -> Iterable[Block]:
    if data["since"] is not None:
        yield Heading(level=1, text=f"Alerts in the week of {data['since']}")
        if not (data["new"] or data["back"] or data["gone"]):
            yield Paragraph(text="Nothing was opened, came back or went.")
    bodies = 0
    for word, alerts in (("New", data["new"]), ("Reopened", data["back"])):
        for a in alerts[: _BODIES - bodies]:
            yield Heading(level=3, text=f"{word} alert {a['id']}: {a['title']}")
            yield Verbatim(text=a["body"].partition("\n\n")[0])
            yield Paragraph(text=_state(a), url=a["url"])
        yield Items(title=f"{word}, too", items=_listed(alerts[_BODIES - bodies :]))
        bodies += len(alerts[: _BODIES - bodies])
    yield Items(
        title="Gone",
        items=tuple(
            Item(text=f"{a['id']}: {a['title']} ({a['why_gone']})", url=a["url"])
            for a in data["gone"]
        ),
    )
    yield Items(title="Open, the oldest first", items=_listed(data["open"]))
    yield Paragraph(
        text=f"You follow {data['follows']}: [subscriptions.{data['follower']}] in the settings of"
        " this service."
    )


def _listed(alerts: Sequence[FollowedAlert]) -> tuple[Item, ...]:
    return tuple(Item(text=f"{a['id']}: {a['title']} ({_state(a)})", url=a["url"]) for a in alerts)


def _state(a: FollowedAlert) -> str:
    """Return where it is, its state, owner and deadline, and its age."""
    where = ", ".join([*a["branches"], *a["boards"]])
    words = [a["triage"].replace("_", " "), *([a["owner"]] if a["owner"] else [])]
    if a["due"] is not None:
        words.append(f"was due {a['due']}" if a["overdue"] else f"due {a['due']}")
    words += [f"muted until {a['muted_until']}"] if a["muted_until"] else []
    age = f"open for {counted(a['age_days'], 'day')}" if a["age_days"] else f"since {a['opened']}"
    return f"{where + ': ' if where else ''}{', '.join([*words, age])}"
