# SPDX-License-Identifier: GPL-2.0-only
"""What a mail says: a night in text and in HTML, and the subjects of nights and reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from attrs import evolve, frozen

from vlag.printable import line
from vlag.report import text as report
from vlag.report.blocks import (
    Block,
    Figure,
    Figures,
    Heading,
    Item,
    Items,
    Paragraph,
    Verbatim,
    as_html,
    as_text,
)
from vlag.report.changed_figures import kind_of, word
from vlag.report.colours import BETTER, SUSPECTED, WORSE
from vlag.report.compared import (
    confirmed_against_parent,
    counted,
    hinted,
    interval,
    listed,
    percent,
    unmeasured,
)
from vlag.report.conclusion import NOTHING_JUDGED
from vlag.report.document import ComparisonData
from vlag.report.mail_data import (
    FIGURES,
    FigureKind,
    NightAlert,
    NightBranch,
    NightComparison,
    NightFigure,
    NightMail,
)
from vlag.stats.severity import Lacking, silent

# Most figures of one kind and branch; the page has all.
FIGURES_MAX = 25
# Of a branch with their intervals and notes; of the others the change alone.
_WHOLE = 3
# Most alerts with the first paragraph of their text in one mail.
BODIES_MAX = 10
# Longest subject of a night's mail: lists of mails show that much in one line.
_SUBJECT = 78
# Fewest characters of a branch's name in it.
_NAME = 12
# The subject of a report names the first change of the first of these kinds.
_KINDS = ("worse", "maybe", "better", "hint")


@frozen(kw_only=True)
class Written:
    """A mail without its headers."""

    subject: str
    text: str
    html: str


def render(data: NightMail, *, alerts: bool = True, troubles: Sequence[str] = ()) -> Written:
    """Return a night (`vlag.report.data.night_changes.collect`) as a mail.

    Without `alerts` another channel reports them and the mail only links.  `troubles` are
    sentences on earlier messages that did not reach the reader.
    """
    blocks, subject = list(_blocks(data, alerts, troubles)), night_subject(data)
    return Written(subject=subject, text=as_text(blocks), html=as_html(subject, blocks))


def night_subject(data: NightMail) -> str:
    """Return the summary of a night: "[vlag] TREE/BRANCH: 1 regression, ... (DATE)"."""
    branches = data["branches"]
    names = [b["name"] for b in branches]
    who = f"{len(names)} branches" if len(names) > 1 else names[0] if names else "no branch"
    fresh = [f for b in branches for f in _together(b["worse_since"])]
    figures = [*fresh, *(f for b in branches for f in _together(b["worse"]))]
    # What a series or a knob costs is asked on purpose, and no regression of the branch.
    worse = sum(not f[0]["subject"] for f in figures)
    tried = len(figures) - worse
    new = sum(not f[0]["subject"] for f in fresh)
    news = "" if new == worse else f" ({new} new)" if new else ", none new"
    parts = [counted(worse, "regression") + news]
    if not worse:
        level = branches and all(b["at_baseline"] for b in branches)
        parts = ["nothing to compare yet" if level else "no results"]
        if any(b["comparisons"] for b in branches):
            judged = NOTHING_JUDGED not in (data["night"]["conclusion"] or "")
            parts = ["no regression" if judged else NOTHING_JUDGED]
        if hints := sum(b["counts"]["hints"] for b in branches):
            worst = [b["worst_hint"] for b in branches if b["worst_hint"] is not None]
            parts = [hinted(hints, max(worst, default=None))]
        quiet = [b["lacking"] for b in branches if silent(b["lacking"]) and not b["failed"]]
        if quiet:
            every = Lacking(
                figures=sum(x["figures"] for x in quiet),
                unmeasured=sum(x["unmeasured"] for x in quiet),
                without_base=sum(x["without_base"] for x in quiet),
                without_new=sum(x["without_new"] for x in quiet),
            )
            parts.append(unmeasured(every))
    parts += [f"{tried} worse with patches or knobs"] if tried else []
    kinds: tuple[tuple[FigureKind, str], ...] = (
        ("suspected", "under suspicion"), ("uncertain", "no longer certain"),
        ("unmeasured", "no longer measured"), ("fixed", "fixed"),
    )  # fmt: skip
    for kind, words in kinds:
        n = sum(len(_together(b[kind])) for b in branches)
        parts += [f"{n} {words}"] if n else []
    failed_boots = sum(len(b["failed"]) for b in branches)
    parts += [f"{failed_boots} failed"] if failed_boots else []
    wrong = sum(not p["good"] for b in branches for p in b["predicted"])
    parts += [f"{counted(wrong, 'known regression')} not as predicted"] if wrong else []
    if data["night"]["missing"]:
        parts.append(f"{len(data['night']['missing'])} did not run")
    explained = sum(bool(a["found"]) and a["loud"] and not a["back"] for a in data["alerts"])
    parts += [f"{explained} explained"] if explained else []
    failed = report.PROOF_FAILED if _proof_failed(data) else ""
    return _fitted(f"[vlag] {failed}", who, parts, f" ({data['night']['date']})")


def _fitted(head: str, who: str, parts: Sequence[str], tail: str) -> str:
    """Return a subject of at most `_SUBJECT` characters, the first parts whole.

    The date goes first, which a mail has once more.  Of a long name the end is kept, which tells
    it from others.
    """
    for kept in range(len(parts), 0, -1):
        more = "" if kept == len(parts) else ", …"
        said = f"{head}{who}: {', '.join(parts[:kept])}{more}"
        fitting = [s for s in (line(said + tail), line(said)) if len(s) <= _SUBJECT]
        if fitting:
            return fitting[0]
    room = max(_NAME, len(who) - (len(line(said)) - _SUBJECT))
    return line(f"{head}…{who[1 - room :]}: {parts[0]}{more}")


def thread(data: NightMail) -> int | None:
    """Return the alert whose thread a night's mail belongs to; None: it tells of none.

    That is one that is news: the first that is new or back, else the first that is gone, else the
    first whose cause was found; else the newest of those that are open.
    """
    open_ = [a for a in data["alerts"] if not a["withdrawn"] and a["loud"]]
    news = [a["id"] for a in open_ if a["new"] or a["back"]]
    gone = [a["id"] for a in data["alerts"] if a["withdrawn"]]
    explained = [a["id"] for a in open_ if a["found"]]
    return min(news or gone or explained, default=max((a["id"] for a in open_), default=None))


def report_subject(data: Mapping[str, Any]) -> str:
    """Return the subject of a short report: "[REGRESSION] stress-ng-switch -2.32 % on qemu-...".

    It says what changed most, where, and in which kernel.  A night has that of its worst
    comparison, and how many more there are.
    """
    if data["kind"] != "night":
        return line(_change(cast(ComparisonData, data)))
    failed = report.PROOF_FAILED if data["proof"] is not None and data["proof"]["failed"] else ""
    judged = [
        c
        for c in report.ordered(data["comparisons"])
        if c["prediction"] is None or not c["prediction"]["good"]
    ]
    if not judged:
        return line(f"{failed}Nothing was compared beside known regressions")
    more = len(judged) - 1
    others = f", and {more} more comparison{'' if more == 1 else 's'}" if more else ""
    return line(f"{failed}{_change(judged[0])}{others}")


def _change(c: ComparisonData) -> str:
    new = f"{report.short(c['new'])} {c['new']['commit'][:12]}"
    board = report.where(c)
    made_up = " SYNTHETIC" if c["synthetic"] else ""
    for kind in _KINDS:
        for row in (r for r in c["rows"] if kind_of(r) == kind and r["effect"] is not None):
            what = f"{row['benchmark']} {percent(row['effect'])} % on {board}: {new}"
            return f"[{word(c)}]{made_up} {what}"
    return f"[{word(c)}]{made_up} {new} against {report.short(c['base'])} on {board}"


def _proof_failed(data: NightMail) -> bool:
    proof = data["night"]["proof"]
    return proof is not None and bool(proof["failed"])


def _blocks(data: NightMail, alerts: bool, troubles: Sequence[str]) -> Iterable[Block]:
    night = data["night"]
    if _proof_failed(data) and night["proof"] is not None:
        yield Paragraph(text=night["proof"]["text"])
    if night["conclusion"] is not None:
        yield Paragraph(text=f"{night['conclusion']}.")
    yield Heading(level=1, text=f"The night of {night['date']}")
    for note in night["notes"]:
        yield Paragraph(text=note)
    yield Items(
        title="",
        items=(
            *((Item(text="Its build", url=night["url"]),) if night["url"] else ()),
            Item(text="All branches", url=night["pages"]),
        ),
    )
    yield Items(title="What failed to reach you", items=_items(troubles))
    yield Items(title="Missing builds and runs", items=_items(night["missing"]))
    for branch in data["branches"]:
        yield from _branch(branch)
    yield from _alerts(data, alerts)


def _items(texts: Iterable[str]) -> tuple[Item, ...]:
    return tuple(Item(text=text) for text in texts)


def _branch(b: NightBranch) -> Iterable[Block]:
    yield Heading(level=2, text=b["name"])
    for sentence in b["at_baseline"]:
        yield Paragraph(text=f"{sentence}.")
    if not b["comparisons"]:
        if not b["at_baseline"]:
            yield Paragraph(text="Nothing was compared: there is no result for this branch.")
        return
    since = f"the night of {b['since']}" if b["since"] else None
    changed = any(b[kind] for kind in FIGURES if kind != "worse") or bool(b["failed"])
    wrong = [p for p in b["predicted"] if not p["good"]]
    made_up = any(c["synthetic"] for c in b["comparisons"])  # always shown
    if since and not changed and not wrong and not made_up:
        yield Paragraph(text=f"Nothing changed since {since}.")
        yield Paragraph(text=_as_before(b), url=_first_url(b))
        return
    yield Items(
        title="",
        items=tuple(Item(text=_compared(c), url=c["url"]) for c in _shown(b)),
    )
    if b["predicted"]:
        good = len(b["predicted"]) - len(wrong)
        yield Paragraph(text=f"Known regressions: {good} of {len(b['predicted'])} as predicted.")
        yield Items(
            title="Known regressions not as predicted: do not trust this night",
            items=tuple(Item(text=f"{_compared(p)}: {p['text']}", url=p["url"]) for p in wrong),
        )
    bases = {c["id"]: c["base"] for c in b["comparisons"]}
    new = f"Worse since {since}" if since else "Worse"
    kinds: tuple[tuple[FigureKind, str, str], ...] = (
        ("worse_since", new, WORSE),
        ("worse", f"Worse, as in {since}" if since else new, WORSE),
        ("suspected", "Under suspicion: no rerun has settled it", SUSPECTED),
        ("uncertain", f"No longer certain; worse in {since}", SUSPECTED),
        ("unmeasured", f"No longer measured; worse in {since}", SUSPECTED),
        ("fixed", f"Fixed since {since}", BETTER),
        ("better_since", f"Better since {since}", BETTER),
    )
    left = _WHOLE
    for kind, title, colour in kinds:
        rows = _together(b[kind])
        yield Figures(
            title=f"{title} ({len(rows)})",
            colour=colour,
            rows=tuple(
                evolve(_figure(f, kind, bases), brief=place >= left and not f[0].get("mode"))
                for place, f in enumerate(rows[:FIGURES_MAX])
            ),
        )
        left = max(0, left - len(rows))
        if len(rows) > FIGURES_MAX:
            yield Paragraph(text=f"and {len(rows) - FIGURES_MAX} more.", url=_first_url(b))
    yield Items(
        title=f"Failures ({len(b['failed'])})",
        items=tuple(Item(text=f["text"], url=f["url"]) for f in b["failed"]),
    )
    if not _shown(b):
        return
    if not since and not changed and not b["worse"]:
        yield Paragraph(text=_nothing(b))
    yield Paragraph(text=_rest(b))


def _shown(b: NightBranch) -> list[NightComparison]:
    """Return the comparisons except those of known regressions, which are only counted."""
    known = {p["id"] for p in b["predicted"]}
    return [c for c in b["comparisons"] if c["id"] not in known]


def _first_url(b: NightBranch) -> str | None:
    return next((c["url"] for c in (*_shown(b), *b["comparisons"])), None)


def _compared(c: NightComparison) -> str:
    made_up = "SYNTHETIC, from a report: " if c["synthetic"] else ""
    return f"#{c['id']}: {made_up}{c['new']} against {c['base']} on {c['board_type']}"


def _as_before(b: NightBranch) -> str:
    if not b["worse"]:
        return f"{_nothing(b)} {_rest(b)}"
    f = b["worse"][0]
    began = f", {f['began']}" if f["began"] else ""
    return (
        f"Still worse: {counted(len(_together(b['worse'])), 'figure')}, the worst {_what(f)}:"
        f" {_percent(f['effect'])}{began}. {_rest(b)}"
    )


def _nothing(b: NightBranch) -> str:
    """Return that nothing is worse as far as is known, or that nothing proves the hints."""
    hints = b["counts"]["hints"]
    if not hints:
        lack = unmeasured(b["lacking"])
        return f"Nothing is known to be worse: {lack}." if lack else "Nothing is worse."
    sentence = hinted(hints, b["worst_hint"])
    return f"{sentence[0].upper()}{sentence[1:]}."


def _rest(b: NightBranch) -> str:
    """Return a sentence about the other figures."""
    counts = b["counts"]
    words = [
        f"{counts[key]} {name}"
        for key, name in (
            ("unchanged", "unchanged"),
            ("better", "better"),
            ("marginal", "marginal: certain, about as large as what matters"),
            ("inconclusive", "inconclusive"),
            ("not_comparable", "not comparable"),
            ("hints", "worse, but only hints without proof"),
        )
        if counts[key]
    ]
    words += [lack] if (lack := unmeasured(b["lacking"])) else []
    return f"Other figures: {', '.join(words) or 'none'}."


def _what(f: NightFigure) -> str:
    words = [f["name"], *([f"({f['parameters']})"] if f["parameters"] else [])]
    words += [f["subject"]] if f["subject"] else []
    return " ".join([*words, "on", f["board_type"]])


def _together(figures: Iterable[NightFigure]) -> list[list[NightFigure]]:
    """Return figures, each with what it is in other comparisons: with the parent, the baseline."""
    groups: dict[str, list[list[NightFigure]]] = {}
    together = []
    for f in figures:
        alike = groups.setdefault(_what(f), [])
        fitting = [g for g in alike if all(f["comparison"] != x["comparison"] for x in g)]
        if fitting:
            fitting[0].append(f)
        else:
            alike.append([f])
            together.append(alike[-1])
    return together


def _figure(together: Sequence[NightFigure], kind: str, bases: Mapping[int, str]) -> Figure:
    """Return a figure, and in its note what it is against other bases."""
    f = together[0]
    standing = {"confirmed": "confirmed", "refuted": "refuted", "told": "first boots"}
    others = [
        f"{_percent(o['effect'])} against {bases.get(o['comparison'], 'another base')},"
        f" #{o['comparison']}"
        for o in together[1:]
    ]
    notes = others + (
        [f"was {_percent(f['before'])}"] if f["before"] is not None and kind != "worse" else []
    )
    notes += [began] if (began := f["began"]) else []
    notes += [mode] if (mode := f.get("mode")) else []
    screened = f["screened_effect"]
    notes += [] if screened is None else [f"screen of the first boots {_percent(screened)}"]
    elsewhere = confirmed_against_parent(f.get("confirmed_by"))
    notes += [elsewhere] if elsewhere and f["standing"] == "suspected" else []
    notes += ["may be chance among so many tests"] if f["stands"] is False else []
    word = "" if not f["worsening"] else " worse" if f["worsening"] > 0 else " better"
    return Figure(
        what=_what(f),
        change=_percent(f["effect"]) + word,
        interval=interval(f),
        n=f"{f['n_base']} + {f['n_new']}",
        standing=standing.get(f["standing"], f["standing"]),
        comparison=f["comparison"],
        url=f["url"],
        note=", ".join(notes),
    )


def _percent(effect: float | None) -> str:
    return "-" if effect is None else f"{percent(effect)} %"


def _alerts(data: NightMail, tells: bool) -> Iterable[Block]:
    alerts = data["alerts"]
    opened = [a for a in alerts if not a["withdrawn"]]
    link = f"{data['night']['pages']}alerts"
    yield Heading(level=2, text="Alerts")
    if not tells:
        yield Paragraph(text=f"{counted(len(opened), 'alert')} open.", url=link)
        return
    loud = [a for a in opened if a["loud"]]
    new = [a for a in loud if a["new"] or a["back"]]
    explained = [a for a in loud if a["found"] and a not in new]
    old = [a for a in loud if a not in new and a not in explained]
    muted = len(opened) - len(loud)
    if not opened:
        yield Paragraph(text="No alert is open.")
    whole = [*new, *explained]
    for a in whole[:BODIES_MAX]:
        yield Heading(level=3, text=f"{_news(a)}: {a['title']}")
        yield Verbatim(text=a["body"].partition("\n\n")[0])
        yield Items(title="", items=_items(a["life"]))
        yield Paragraph(text=_place(a), url=a["url"])
    more = whole[BODIES_MAX:]
    yield Items(title="More news", items=tuple(_alert(a) for a in more))
    yield Items(title="Open before", items=tuple(_alert(a) for a in old))
    gone = [a for a in alerts if a["withdrawn"]]
    yield Items(
        title="Withdrawn",
        items=tuple(
            Item(text=f"{a['id']}: {a['title']} ({a['why_withdrawn']})", url=a["url"]) for a in gone
        ),
    )
    if muted:
        yield Paragraph(text=f"{counted(muted, 'open alert')} muted.", url=link)
    if loud:
        yield Paragraph(
            text='To take an alert: vlag alerts set ID --state acknowledged --reason "..."',
            url=link,
        )


def _news(a: NightAlert) -> str:
    """Return what is new about an alert."""
    if a["new"] or a["back"]:
        return f"{'New' if a['new'] else 'Reopened'} alert {a['id']}"
    return f"Alert {a['id']}, now with {listed(a['found'])}"


def _place(a: NightAlert) -> str:
    where = [w for w in (a["branch"], a["board_type"]) if w]
    state = str(a["triage"]).replace("_", " ")
    who = f", {a['owner']}" if a["owner"] else ""
    return f"{', '.join(where) + ': ' if where else ''}{state}{who}, since {a['opened']}"


def _alert(a: NightAlert) -> Item:
    return Item(text=f"{a['id']}: {a['title']} ({_place(a)})", url=a["url"])
