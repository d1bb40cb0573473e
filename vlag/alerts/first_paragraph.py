# SPDX-License-Identifier: GPL-2.0-only
"""The first paragraph of an alert about a loss: what a person with one minute must know.

Each sentence comes from rows: those of the alert's own comparisons, and those in which the same
commit was compared on other boards or with parts of its series.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

from attrs import field, frozen

from vlag.alerts.causes import Finding, is_worse
from vlag.alerts.expected import COMMIT, PATCH, TAKES_IT_BACK
from vlag.alerts.expected import FUNCTION as THE_FUNCTION
from vlag.alerts.surroundings import Surroundings
from vlag.compare import toggle_attribution
from vlag.compare.toggle_attribution import Attribution
from vlag.report import read_model
from vlag.report.compared import counted, listed, share
from vlag.report.data import blocker_data
from vlag.report.document import BisectionData
from vlag.report.layout import WIDTH
from vlag.report.named_causes import FUNCTION, SINCE, TAKES_BACK
from vlag.report.read_model.bisection_rows import SearchProgressData
from vlag.stats.attribution import Role
from vlag.store import findings, runs
from vlag.store.database import Connection

_SHORT = 12  # digits of a commit
_BLOCKED = "Worst wake-ups"  # begins the sentence on who blocked them
_BOARDS = 4  # board types that are named; more are counted
#: Why nothing comes by itself for figures of a report.
_REPORTED = "its figures come from a report, so nothing is booted for that"


@frozen(kw_only=True)
class Evidence:
    """What is on record of a cause, whoever asked for it."""

    losses: Sequence[Finding]  # the alert's own, worst first
    elsewhere: Sequence[Finding] = ()  # the worst figure of the same commit in other comparisons
    searches: Sequence[BisectionData] = ()
    searching: Sequence[SearchProgressData] = ()  # none of their commits is named
    toggles: Sequence[Attribution] = ()
    function: str | None = None
    decision: str | None = None  # the first one that differs, or that none does, in sentences
    blocked: str | None = None  # who blocks the worst wake-ups, of a tail, in a sentence
    boards: int = 1  # that booted the worst figure
    # Its board types, where none counts what it executes and none has a PMU to sample it.
    unprofiled: Sequence[str] = ()
    #: When answers are expected that come by themselves, in words, by what they are.
    expected: Mapping[str, str] = field(factory=dict)

    @property
    def worst(self) -> Finding:
        """Return the worst of its own figures."""
        return self.losses[0]

    @property
    def by_board(self) -> Mapping[str, Finding]:
        """Return the worst figure on each board type, worst first."""
        first, boards = self.worst, dict[str, Finding]()
        every = [*self.losses, *self.elsewhere]
        its = [f for f in every if f.pair.application == first.pair.application]
        for f in sorted(its, key=lambda f: -f.size):
            boards.setdefault(f.pair.board_type, f)
        return boards

    @property
    def tried(self) -> bool:
        """Return whether a toggle was run."""
        return any(a.report.toggles for a in self.toggles)

    @property
    def recovering(self) -> bool:
        """Return whether a toggle takes it back."""
        roles = {t.role for a in self.toggles for t in a.report.toggles if t.share is not None}
        return bool(roles & {Role.ACCOUNTS, Role.AROUND})

    @property
    def parts(self) -> Mapping[str, Sequence[str]]:
        """Return the board types on which parts of the series alone are worse, by the part."""
        whole, parts = self.worst.pair, dict[str, list[str]]()
        for f in (*self.losses, *self.elsewhere):
            # Two branches of one cause are no parts of each other.
            if f.pair.application != whole.application and f.pair.series is not None:
                parts.setdefault(f.pair.application, []).append(f.pair.board_type)
        return {part: sorted({*boards}) for part, boards in sorted(parts.items())}


@frozen(kw_only=True)
class Begun:
    """Since when a loss is there, apart from searches."""

    words: str  # "became worse since 1a2b (one commit after 3c4d)", or "is worse than" its base
    commit: str | None = None  # where one commit is to blame
    how: str = ""  # how that is known
    subject: str = ""


def evidence(
    conn: Connection,
    losses: Sequence[Finding],
    compared: Sequence[int],
    toggles: Sequence[Attribution],
    expected: Mapping[str, str],
) -> Evidence:
    """Return what is on record of losses, worst first; `compared` are their comparisons."""
    related = read_model.of_cause(conn, compared)
    worst = losses[0]
    pairs = {p.id: p for p in findings.pairs(conn, [id_ for id_ in related if id_ not in compared])}
    others = [
        Finding(pair=pairs[row.comparison], row=row)
        for row in findings.rows(conn, sorted(pairs))
        if is_worse(row) is True and _figure(row.benchmark, row.metric, row.statistic)
        == _figure(worst.row.benchmark, worst.row.metric, worst.row.statistic)
    ]  # fmt: skip
    return Evidence(
        losses=losses,
        elsewhere=others,
        searches=read_model.bisections(conn, related),
        searching=read_model.searching(conn, related),
        toggles=toggles,
        function=read_model.function_of(conn, related),
        decision=read_model.decision_of(conn, related),
        blocked=_blocked(conn, related),
        expected=expected,
        boards=len(
            {
                run.board
                for run in runs.by_id(conn, [*worst.row.base_runs, *worst.row.new_runs]).values()
            }
        ),
    )


def _blocked(conn: Connection, compared: Sequence[int]) -> str | None:
    """Return who blocks the worst wake-ups, of the first comparison whose boots show it."""
    found = blocker_data.of(conn, compared)
    return f"{_BLOCKED} ({found[0]['benchmark']}): {found[0]['sentence']}" if found else None


def summary(known: Evidence, where: str, begun: Begun, around: Surroundings) -> list[str]:
    """Return the paragraph as sentences; one that begins with two spaces is a line of its own.

    `where` names the branch or the commit's branch.
    """
    return [
        _what(known, where),
        *([f"{known.worst.row.mode}."] if known.worst.row.mode else []),
        *_since(known, begun, around),
        *_parts(known),
        *(
            [f"{TAKES_BACK}: {toggle_attribution.summary(known.toggles)}."]
            if known.recovering
            else []
        ),
        *([f"{FUNCTION}: {known.function}."] if known.function else []),
        *([known.decision] if known.decision else []),
        *([known.blocked] if known.blocked else []),
        _sure(known),
        *_open(known, begun, around),
        "To see it at home:",
        f"  {_again(known.worst)}",
    ]


def _figure(benchmark: str, metric: str, statistic: str) -> tuple[str, str, str]:
    """Return what makes figures alike on boards of several sizes, whose parameters differ."""
    return benchmark, metric, statistic


def _what(known: Evidence, where: str) -> str:
    """Return what got worse, by how much and on which boards, worst first."""
    boards = known.by_board
    worst = known.worst
    sizes = [f"{name} {share(f.worsening)}" for name, f in boards.items()]
    if len(sizes) == 1:
        place = f"{share(worst.worsening)} worse on {worst.pair.board_type}"
    else:
        named = ", ".join(sizes[:_BOARDS])
        rest = len(sizes) - _BOARDS
        named += f" and {rest} more" if rest > 0 else ""
        place = f"worse on {len(sizes)} board types: {named}"
    figures = len({f.row.name for f in known.losses}) - 1
    more = f"; {counted(figures, 'other figure')} {'is' if figures == 1 else 'are'} worse, too"
    return f"{where}: {worst.row.name} is {place}{more if figures else ''}."


def _since(known: Evidence, begun: Begun, around: Surroundings) -> Iterable[str]:
    """Yield since which commit, with its subject, its author and the address of its diff."""
    tree = known.worst.pair.tree
    if known.searches:
        for b in known.searches:
            found = read_model.since(b, _author(b["tree"], b["commits"], around))
            yield f"{SINCE}: {found} ({b['benchmark']})."
            yield from _diff(b["tree"], b["commits"], around)
        return
    if begun.commit is None:
        yield f"It {begun.words}."
        said = dict.fromkeys(f"Since {s['sentence']} ({s['benchmark']})." for s in known.searching)
        yield from list(said)[:1]
        return
    author = _author(tree, [begun.commit], around)
    by = "" if author is None else f" by {author}"
    yield f'{SINCE}: {begun.commit[:_SHORT]} ("{begun.subject}"){by}, {begun.how}.'
    yield from _diff(tree, [begun.commit], around)


def _author(tree: str, commits: Sequence[str], around: Surroundings) -> str | None:
    return around.author(tree, commits[0]) if len(commits) == 1 else None


def _diff(tree: str, commits: Sequence[str], around: Surroundings) -> Iterable[str]:
    address = around.diff(tree, commits[0]) if len(commits) == 1 else None
    if address is not None:
        yield f"  {address}"


def _parts(known: Evidence) -> Iterable[str]:
    """Yield which parts of a series are worse without the rest of it."""
    for part, boards in known.parts.items():
        yield f"{part} of {known.worst.pair.series} shows it alone, on {listed(boards)}."


def _sure(known: Evidence) -> str:
    """Return how the worst figure is known."""
    row = known.worst.row
    boots = f"{row.n_base} + {row.n_new} boots"
    boots += f" on {known.boards} boards" if known.boards > 1 else ""
    confirmed = row.standing == "confirmed"
    words = f"A rerun of {boots} confirmed it" if confirmed else f"All {boots} show it"
    if row.ci_low is not None and row.ci_high is not None:
        words += f", 95 % interval [{100 * row.ci_low:+.1f}, {100 * row.ci_high:+.1f}] %"
    return f"{words}."


def _open(known: Evidence, begun: Begun, around: Surroundings) -> Iterable[str]:
    """Yield what is not known, and what will tell it."""
    undone = any(b["recovered"] is not None for b in known.searches)
    since = known.searches or begun.commit is not None
    goes_on = around.searches and not any(s["ended"] for s in known.searching)
    lacks = [
        # Of a series one of its patches is asked for, which only a matrix tells.
        (COMMIT, goes_on, not since and known.worst.pair.series is None),
        (PATCH, False, known.worst.pair.series is not None and not known.parts),
        (TAKES_IT_BACK, around.toggles, not known.tried and not undone),
        (
            THE_FUNCTION + _no_pmu(known.unprofiled),
            around.profiles and not known.unprofiled,
            known.function is None,
        ),
    ]
    missing = [(what, comes) for what, comes, is_missing in lacks if is_missing]
    if not missing:
        return
    if known.worst.pair.synthetic:
        yield f"Not known: {listed(what for what, _comes in missing)}; {_REPORTED}."
        return
    coming = [what for what, comes in missing if comes]
    never = [what for what, comes in missing if not comes]
    if coming:
        named = listed(f"{what}{known.expected.get(what, '')}" for what in coming)
        yield f"Not known yet: {named}; the service looks for that after the night."
        untold = [what for what in coming if what not in known.expected]
        if untold:
            what = "that" if untold == coming else listed(untold)
            yield f"Nothing on record tells when to expect {what}."
    if never:
        yield f"Not known: {listed(never)}; nothing looks for that by itself."


def _no_pmu(board_types: Sequence[str]) -> str:
    """Return why boards of these types show no function, after "the function"."""
    if not board_types:
        return ""
    have = "has" if len(board_types) == 1 else "have"
    return f" ({listed(board_types)} {have} no PMU for perf to sample)"


def _again(worst: Finding) -> str:
    """Return the command with which somebody boots both sides again, in one line."""
    whole = f"vlag reproduce --comparison {worst.pair.id}"
    one = f"{whole} --benchmark {shlex.quote(worst.row.benchmark)}"
    return one if len(one) + 2 <= WIDTH else whole
