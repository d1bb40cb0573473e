# SPDX-License-Identifier: GPL-2.0-only
"""`vlag status`: the whole installation on one screen."""

from __future__ import annotations

import datetime
import shutil
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from vlag import config, printable
from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.printable import minute

if TYPE_CHECKING:
    from vlag.operate.service.live import Live
    from vlag.store.database import Connection

Row = Mapping[str, Any]

_WIDTH = 80
#: Fewest and most lines of a screen.
_LINES = (24, 40)
#: Alerts of a small and of a large screen.
_ALERTS = (3, 5)
#: Lines for what did not run last night, and for what runs now.
_MISSING, _RUNNING = 3, 3
#: Lines for what happened to branches upstream.
_TREES = 2
#: Widest columns; the rest of a name is cut.
_BRANCH, _BOARD, _OWNER = 26, 14, 12
#: Fewest columns for a verdict: "REGRESSION 112.3 % worse".
_SAID = 24
_DAY_S = 86400

_EMPTY = (
    "Nothing has been compared yet. Here each branch gets a line with its newest verdict on"
    " each board type, as soon as the runs of both kernels have ended."
)


@click.command()
@FORMAT
@one_sentence
def status(form: str) -> None:
    """Show branches, alerts, the last night, and what runs now.

    The screen has 24 to 40 lines, as the terminal has room, and 80 columns; it counts what has
    no room. The pages of the service show the same, and JSON has all of it.
    """
    from vlag.kernel import upstream
    from vlag.report import overview, read_model
    from vlag.report.conclusion import conclusion
    from vlag.store.database import connect

    settings = config.load()
    with connect(settings.dsn()) as conn:
        newest = read_model.overview(conn)
        night = _night(conn, newest)
    # As `vlag alerts` lists them: those of field reports are not about these kernels.
    alerts = overview.worst_alerts(a for a in newest["alerts"] if not a["synthetic"])
    unsent = newest["undelivered"]
    states = overview.states(overview.lines(newest["comparisons"]))
    live = _present(settings)
    now = datetime.datetime.now(datetime.UTC)
    concluded = conclusion(newest, now)
    trees = upstream.sentences(
        map(settings.mirror, settings.trees), now - datetime.timedelta(days=1)
    )
    room = min(max(shutil.get_terminal_size((_WIDTH, _LINES[1])).lines - 1, _LINES[0]), _LINES[1])
    emit(
        form,
        {
            "at": _iso(now),
            "conclusion": {
                "answer": concluded.answer.value,
                "doubt": concluded.doubt,
                "sentence": concluded.sentence,
            },
        }
        | _document(states, alerts, night, settings.url, live)
        | {"upstream": trees, "undelivered": [{**u, "since": _iso(u["since"])} for u in unsent]},
        _screen(
            now,
            f"{concluded.sentence}.",
            states,
            newest["tries"],
            alerts,
            night,
            settings.url,
            live,
            room,
            trees,
            overview.undelivered(unsent),
        ),
    )


def _night(conn: Connection, newest: Row) -> Row | None:
    """Return the last night with its `words` and `proof`, or None."""
    from vlag.report import read_model

    night = newest["night"]
    if night is None:
        return None
    return {
        **night,
        "words": read_model.words(conn, night["comparisons"]),
        "proof": newest["proof"],
    }


def _present(settings: config.Settings) -> Live | None:
    """Return what runs, or None if the service does not answer."""
    from vlag.buildbot import Web
    from vlag.errors import InfrastructureError
    from vlag.operate.service import live

    web = Web(settings.web_port, settings.web_host)
    if not web.answers():
        return None
    due = live.next_night(settings)
    try:
        try:
            return live.current(web, due, None)[0]
        except LookupError:  # a build that has just ended
            return live.current(web, due, None)[0]
    except (InfrastructureError, LookupError):
        return None


def _document(
    states: Sequence[Row],
    alerts: Sequence[Row],
    night: Row | None,
    url: str,
    live: Live | None,
) -> dict[str, Any]:
    from attrs import asdict

    from vlag.store.nights import at_baseline, left_out

    last = None
    if night is not None:
        last = {k: night[k] for k in ("id", "compared", "tests", "missing", "notes", "url")}
        last |= {k: _iso(night[k]) for k in ("started_at", "finished_at")}
        last["at_baseline"] = [asdict(level) for level in at_baseline(night["branches"])]
        last["left_out"] = [asdict(one) for one in left_out(night["branches"])]
        proof = night["proof"]
        last |= {
            "verdicts": night["words"],
            "proof": proof and {k: proof[k] for k in ("failed", "text", "good", "total")},
        }
    runs = None
    if live is not None:
        runs = {**asdict(live), "due": _iso(live.due), "until": _iso(live.until)}
        runs["said"] = [{"at": _iso(at), "text": text} for at, text in live.lines]
    return {
        "branches": [
            {
                **{k: state[k] for k in ("branch", "board_type")},
                "patches": state["patches"] or None,
                "comparisons": [
                    {
                        **{
                            k: c[k]
                            for k in ("id", "role", "verdict", "confirmed_by", "worst", "synthetic")
                        },
                        "at": _iso(c["at"]),
                    }
                    for c in state["comparisons"]
                ],
            }
            for state in states
        ],
        "alerts": [
            {
                **{k: a[k] for k in ("id", "title", "triage", "owner", "throughput", "latency")},
                "muted": not a["loud"],
                "opened_at": _iso(a["opened_at"]),
            }
            for a in alerts
        ],
        "night": last,
        "service": {"url": url, "answers": live is not None, "now": runs},
    }


def _iso(at: datetime.datetime | None) -> str | None:
    return None if at is None else at.astimezone(datetime.UTC).isoformat()


def _screen(
    now: datetime.datetime,
    concluded: str,
    states: Sequence[Row],
    tried: int,
    alerts: Sequence[Row],
    night: Row | None,
    url: str,
    live: Live | None,
    room: int,
    trees: Sequence[str],
    unsent: str | None,
) -> str:
    """Return the screen, of at most `room` lines."""
    from vlag.report.compared import counted
    from vlag.report.layout import clip

    head = [*_wrap(concluded, ""), ""]
    newest = [clip(f"  {event}", _WIDTH) for event in trees[-_TREES:]]
    hand = f"Tried by hand, counted for no branch: {counted(tried, 'comparison')}"
    below = [
        *([hand] if tried else []),
        *("", *_alerts(alerts, now, _ALERTS[room == _LINES[1]])),
        *("", *_last(night, live)),
        *([] if unsent is None else ["", *_wrap(f"Mail: {unsent}", "")]),
        *(["", f"Upstream, in the last day: {counted(len(trees), 'event')}"] if trees else []),
        *newest,
        *("", *_now(url, live, now)),
    ]
    # The heading, and the line that counts what has no room.
    lines = [*head, *_branches(states, room - len(head) - len(below) - 2), *below]
    # No name may begin a line.
    return "\n".join(printable.flat(line).rstrip() for line in lines)


def _branches(states: Sequence[Row], most: int) -> list[str]:
    from vlag.report import overview
    from vlag.report.compared import counted
    from vlag.report.layout import clip

    if not states:
        return ["Branches by board type", *_wrap(_EMPTY)]
    rows = [
        (
            overview.SIGNS[worst["verdict"]],
            state["branch"] + (f" + {state['patches']}" if state["patches"] else ""),
            state["board_type"],
            _day(worst["at"]),
            worst["role"] or overview.ROLES[None],
            ("SYNTHETIC " if worst["synthetic"] else "") + overview.verdict_words(worst),
        )
        for state in states
        for worst in state["comparisons"][:1]
    ]
    # What confirms a suspicion has a line of its own below it.
    below = [overview.elsewhere(worst) for state in states for worst in state["comparisons"][:1]]
    fit = 0
    while fit < len(rows) and fit + 1 + sum(map(bool, below[: fit + 1])) <= most:
        fit += 1
    shown, rest = rows[:fit], rows[fit:]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    board = min(widths[2], _BOARD)
    fixed = widths[0] + board + widths[3] + widths[4] + 5  # with a space after each column
    # The branch has what the verdicts leave, and the verdicts no less than _SAID.
    left = _WIDTH - fixed
    branch = min(widths[1], max(left - widths[5], min(_BRANCH, left - _SAID)))
    lines = []
    for (sign, name, on, day, role, verdict), elsewhere in zip(shown, below, strict=False):
        line = f"{sign} {_short(name, branch):<{branch}} {_short(on, board):<{board}} {day}"
        lines.append(clip(f"{line} {role:<{widths[4]}} {verdict}", _WIDTH))
        lines += [f"  {elsewhere}"] if elsewhere else []
    branches = len({(s["branch"], s["patches"]) for s in states})
    boards = len({s["board_type"] for s in states})
    head = f"Branches by board type, worst first: {counted(branches, 'branch', 'branches')} on"
    head += f" {counted(boards, 'board type')}"
    if rest:
        words = Counter(s["comparisons"][0]["verdict"] for s in states[fit:])
        lines.append(clip(f"and {len(rest):,} more: {_counts(words)}", _WIDTH))
    return [head, *lines]


def _alerts(alerts: Sequence[Row], now: datetime.datetime, most: int) -> list[str]:
    from vlag.report.layout import clip

    if not alerts:
        return ["Open alerts: none"]
    free = sum(a["owner"] is None for a in alerts)
    muted = sum(not a["loud"] for a in alerts)
    clauses = [f"{free:,} without an owner"] if free else []
    clauses += [f"{muted:,} muted"] if muted else []
    lines = [f"Open alerts: {len(alerts):,}{', ' if clauses else ''}{', '.join(clauses)}"]
    for a in alerts[:most]:
        owner = _short(a["owner"] or "-", _OWNER)
        title = a["title"] if a["loud"] else f"(muted) {a['title']}"
        age = _age((now - a["opened_at"]).total_seconds())
        lines.append(clip(f"  {a['id']:>4} {age:>6} {owner:<{_OWNER}} {title}", _WIDTH))
    if len(alerts) > most:
        lines.append(f"and {len(alerts) - most:,} more: `vlag alerts`")
    return lines


def _last(night: Row | None, live: Live | None) -> list[str]:
    from vlag.report.compared import counted, duration
    from vlag.report.layout import clip
    from vlag.store.nights import at_baseline, left_out

    if night is None:
        when = f"; the next one begins {minute(live.due)}" if live and not live.what else ""
        return [f"Last night: none has ended yet{when}"]
    took = duration((night["finished_at"] - night["started_at"]).total_seconds())
    lines = [f"Last night: ended {minute(night['finished_at'])}, after {took}"]
    compared = f"{counted(night['compared'], 'pair')} of kernels compared"
    lines += [f"  {compared}{': ' if night['words'] else ''}{_counts(night['words'])}"]
    if night["proof"] is not None:
        lines.append(f"  {night['proof']['text']}")
    level = [branch.sentence for branch in at_baseline(night["branches"])]
    lines += [f"  {sentence}" for sentence in _few(level)]
    places = [f"{one.branch} on {one.board_type}" for one in left_out(night["branches"])]
    if places:
        lines.append(f"  left out to end in time: {', '.join(dict.fromkeys(places))}")
    missing = night["missing"]
    if not missing:
        lines.append("  All planned builds and runs were made.")
    else:
        room = _MISSING if len(missing) <= _MISSING else _MISSING - 1
        lines += [f"  missing: {sentence}" for sentence in missing[:room]]
        if len(missing) > room:
            lines.append(f"  and {len(missing) - room:,} more missing: `vlag report --night last`")
    return [clip(line, _WIDTH) for line in lines]


def _few(sentences: Sequence[str]) -> list[str]:
    """Return as many sentences as a part of the screen has room for."""
    if len(sentences) <= _MISSING:
        return list(sentences)
    more = len(sentences) - _MISSING + 1
    return [*sentences[: _MISSING - 1], f"and {more:,} more are their own baseline"]


def _now(url: str, live: Live | None, now: datetime.datetime) -> list[str]:
    from vlag.operate.service.live import wait
    from vlag.report.layout import clip

    if live is None:
        return [f"Now: the service does not answer at {url}"]
    night = (
        "the first night begins as soon as the kernel sources are imported"
        if live.first
        else f"the next night begins {minute(live.due)}, {wait(live.due)}"
    )
    if live.what is None:
        lines = ["Now: nothing runs", f"Next: {night}"]
    else:
        head = f"Now: {live.what[0].lower()}{live.what[1:]} runs"
        head += f", {live.course}" if live.course else ""
        if live.until is not None:
            # Beyond a day the hour alone would mislead.
            far = (live.until - now).total_seconds() >= _DAY_S
            head += f", until {minute(live.until) if far else minute(live.until)[11:]}"
        room = _RUNNING if len(live.now) <= _RUNNING else _RUNNING - 1
        lines = [head, *(f"  {activity}" for activity in live.now[:room])]
        if len(live.now) > room:
            lines.append(f"  and {len(live.now) - room:,} more")
        lines.append(f"Next: {live.next or night}")
    return [clip(line, _WIDTH) for line in lines]


def _short(name: str, width: int) -> str:
    """Return a name of at most `width`: names that begin alike differ at their end."""
    head = (width - 3) // 2
    return name if len(name) <= width else f"{name[:head]}...{name[3 + head - width :]}"


def _day(at: datetime.datetime) -> str:
    return f"{at.astimezone(datetime.UTC):%Y-%m-%d}"


def _age(seconds: float) -> str:
    days, hours, minutes = (int(seconds // s) for s in (_DAY_S, 3600, 60))
    return f"{days} d" if days >= 2 else f"{hours} h" if hours else f"{minutes} min"


def _counts(words: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {word}" for word, number in words.items())


def _wrap(text: str, indent: str = "  ") -> Iterable[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent="  ")
