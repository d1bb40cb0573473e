# SPDX-License-Identifier: GPL-2.0-only
"""Whether the branches are regressing, in one sentence: the door's, for pages, terminal and mail.

Only what a branch's own nights and pushes say counts: no patch series, no knob that a person
tried, nothing from field reports, and no known regression of the self-proof.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import UTC, datetime, timedelta
from enum import Enum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from attrs import frozen

from vlag.report.compared import counted, share
from vlag.stats import severity
from vlag.verdict_data import NOT_MADE

if TYPE_CHECKING:
    from vlag.report.read_model.alert_rows import AlertRow
    from vlag.report.read_model.branches import OfBranch, Overview
    from vlag.report.read_model.night_rows import NightRow

#: From this age on it is said when the last night ended.
OLD = timedelta(hours=36)
#: Alerts that are named; more are counted.
_NAMED = 3
#: What the self-proof lacks, of which so many are named.
_REASONS_NAMED = 2


#: What a sentence says where all was measured in vain.
NOTHING_JUDGED = "nothing could be judged"


class Answer(Enum):
    """The first words of the sentence."""

    YES = "Yes"
    PERHAPS = "Perhaps"
    NOT_PROVEN = "Not proven"
    NO_AS_MEASURED = "No, as far as is measured"
    NO = "No"
    UNKNOWN = "Not known"
    NOT_YET = "Not known yet"


class Standing(Enum):
    """What is known of a branch or of a branch on a board type, worst first."""

    WORSE = "worse"
    SUSPECTED = "suspected"
    HINTED = "hinted"
    FAILED = "failed"
    NOT_COMPARABLE = "not comparable"
    UNDECIDED = "undecided"
    SOUND = "sound"


_STANDINGS: Mapping[str, Standing] = {
    "REGRESSION": Standing.WORSE,
    "MIXED": Standing.WORSE,
    "SUSPECTED": Standing.SUSPECTED,
    severity.HINTED: Standing.HINTED,
    "FAILED": Standing.FAILED,
    "NOT_COMPARABLE": Standing.NOT_COMPARABLE,
    "INCONCLUSIVE": Standing.UNDECIDED,
}
#: Why nothing is known of a branch.
_REASONS: Mapping[Standing, str] = {
    Standing.FAILED: "a build or a run failed",
    Standing.NOT_COMPARABLE: "both sides differ in what must be equal",
    Standing.UNDECIDED: "too little was measured",
}
_ORDER = {standing: place for place, standing in enumerate(Standing)}


@frozen(kw_only=True)
class Conclusion:
    """The sentence, and what it rests on."""

    answer: Answer
    doubt: str | None  # why the night is not to be trusted; None: no reason is known
    sentence: str  # with the doubt, without a stop at its end

    @property
    def bad(self) -> bool:
        """Return whether somebody must act."""
        return self.doubt is not None or self.answer is Answer.YES


@frozen(kw_only=True)
class _Branch:
    name: str
    standing: Standing
    worst: OfBranch | None  # None: nothing was compared
    boards: int = 1  # board types on which it stands so


def conclusion(overview: Overview, now: datetime, names: Set[str] | None = None) -> Conclusion:
    """Return what the newest comparisons of branches and the last night say together.

    `overview` is not narrowed by a filter; with `names` only these branches count.
    """
    every = _branches(overview)
    branches = [b for b in every if names is None or b.name in names]
    answer, clauses = _answer(branches)
    night = overview["night"]
    if night is not None and names is not None:
        missing = concerning(night["missing"], names, {b.name for b in every} - names)
        night = {**night, "missing": missing}
    if night is not None:
        answer, clauses = _of_night(answer, clauses, night)
        clauses += _news(overview, answer, branches)
        clauses += _night(night, now)
    elif answer is Answer.NOT_YET:
        clauses = ["nothing has been compared, and no night has ended"]
    rest = "; ".join(clauses)
    doubt = _doubt(overview)
    sentence = f"{answer.value}: {rest}"
    if doubt is not None:
        sentence = f'Do not trust this night: {doubt}. Its answer would be "{answer.value}": {rest}'
    return Conclusion(answer=answer, doubt=doubt, sentence=sentence)


def _of_night(answer: Answer, clauses: list[str], night: NightRow) -> tuple[Answer, list[str]]:
    """Return the answer where the last night was not whole: good news needs a whole one."""
    if answer in (Answer.NO, Answer.NO_AS_MEASURED) and _missing(night):
        if night["compared"] == 0:
            return Answer.UNKNOWN, ["the last night compared nothing", f"before it, {clauses[0]}"]
        return Answer.NO_AS_MEASURED, clauses
    return answer, clauses


def _missing(night: NightRow) -> list[str]:
    """Return what a night did not do; what the self-proof lacks is a doubt of its own."""
    return [sentence for sentence in night["missing"] if not sentence.startswith(NOT_MADE)]


def concerning(sentences: Iterable[str], names: Set[str], others: Set[str]) -> list[str]:
    """Return the sentences that name one of some branches, or none of the others either."""

    def named(sentence: str, branches: Set[str]) -> bool:
        # A kernel is called by its branch with or without its tree.
        words = {word for b in branches for word in (b, b.partition("/")[2])}
        return any(re.search(rf"(?<![\w./-]){re.escape(w)}(?![\w.-])", sentence) for w in words)

    return [s for s in sentences if named(s, names) or not named(s, others)]


def _branches(overview: Overview) -> list[_Branch]:
    """Return all watched branches with what is known of each."""
    by_name: dict[str, list[OfBranch]] = {}
    for c in overview["comparisons"]:
        if c["own"] and c["branch_name"] is not None and not c["synthetic"]:
            by_name.setdefault(c["branch_name"], []).append(c)
    branches = {name: _branch(name, rows) for name, rows in by_name.items()}
    for one in overview["at_baseline"]:
        branches.setdefault(
            one.branch, _Branch(name=one.branch, standing=Standing.SOUND, worst=None)
        )
    for name in uncompared(_watched(overview["night"]), branches):
        branches[name] = _Branch(name=name, standing=Standing.UNDECIDED, worst=None)
    return list(branches.values())


def _watched(night: NightRow | None) -> list[str]:
    """Return the branches that a night watched, by their names or by patterns."""
    return [] if night is None else [f"{b['tree']}/{b['branch']}" for b in night["branches"]]


def uncompared(watched: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return what is watched, a branch or a pattern, and fits none of the names."""
    compared = list(names)
    return [w for w in watched if not any(fnmatchcase(name, w) for name in compared)]


def _branch(name: str, compared: Sequence[OfBranch]) -> _Branch:
    """Return what the newest comparisons of a branch say: those with its baseline, if any."""
    with_baseline = [c for c in compared if c["role"] == "baseline"] or compared
    worst = min(with_baseline, key=lambda c: (_ORDER[_standing(c)], c["severity"], -c["size"]))
    standing = _standing(worst)
    boards = {c["board_type"] for c in with_baseline if _standing(c) is standing}
    return _Branch(
        name=name,
        standing=standing,
        worst=worst,
        boards=len(boards),
    )


def _standing(c: OfBranch) -> Standing:
    # What the comparison with the parent has confirmed needs no second rerun.
    if c["verdict"] == "SUSPECTED" and c["confirmed_by"] is not None:
        return Standing.WORSE
    return _STANDINGS.get(c["verdict"], Standing.SOUND)


def _answer(branches: Sequence[_Branch]) -> tuple[Answer, list[str]]:
    """Return the first words, and the clause about the branches."""
    if not branches or all(b.worst is None and b.standing is not Standing.SOUND for b in branches):
        return Answer.NOT_YET, [f"nothing was compared of {_of(branches)}"]
    by = {s: [b for b in branches if b.standing is s] for s in Standing}
    worst = next(s for s in Standing if by[s])
    some = _some(by[worst], len(branches))
    match worst:
        case Standing.WORSE:
            return Answer.YES, [
                f"{some} worse than {_baseline(by[worst])}, {_worst(by[worst], len(branches))}"
            ]
        case Standing.SUSPECTED:
            return Answer.PERHAPS, [f"{some} under suspicion, not confirmed yet"]
        case Standing.HINTED:
            return Answer.NOT_PROVEN, [f"{some} worse by hints alone, which prove nothing"]
    return _unproven(by, len(branches))


def _unproven(by: Mapping[Standing, Sequence[_Branch]], total: int) -> tuple[Answer, list[str]]:
    """Return the same where no branch is worse by as much as a hint."""
    sound = by[Standing.SOUND]
    lost = [b for standing in _REASONS for b in by[standing]]
    reasons = [
        reason if len(by[standing]) == total else f"{reason} ({len(by[standing])} of {total})"
        for standing, reason in _REASONS.items()
        if by[standing]
    ]
    why = f"since {' or '.join(reasons)}"
    if not sound:
        return Answer.UNKNOWN, [f"{NOTHING_JUDGED} of {_of(lost)}, {why}"]
    if len(sound) == total > 1:
        clause = f"none of {total} branches is worse than its baseline"
    else:
        clause = f"{_some(sound, total)} not worse than {_baseline(sound)}"
    if not lost:
        return Answer.NO, [clause]
    return Answer.NO_AS_MEASURED, [f"{clause}; the rest could not be judged, {why}"]


def _some(some: Sequence[_Branch], total: int) -> str:
    """Return "BRANCH is", "all 3 branches are" or "2 of 5 branches are"."""
    if total == 1:
        return f"{some[0].name} is"
    if len(some) == total:
        return f"all {total} branches are"
    return f"{len(some)} of {total} branches {'is' if len(some) == 1 else 'are'}"


def _of(branches: Sequence[_Branch]) -> str:
    if len(branches) == 1:
        return branches[0].name
    return f"{len(branches)} branches" if branches else "any branch"


def _baseline(some: Sequence[_Branch]) -> str:
    return "its baseline" if len(some) == 1 else "their baselines"


def _worst(some: Sequence[_Branch], total: int) -> str:
    """Return the largest confirmed worsening and where it is."""
    first = max(some, key=lambda b: _size(b.worst))
    c = first.worst
    assert c is not None  # noqa: S101 - something was compared of what is worse
    if c["worst"] is None:
        by = f"confirmed by comparison {c['confirmed_by']} with the parent"
    else:
        by = f"by {share(c['worst'])}"
    where = f"on {c['board_type']}"
    if first.boards > 1:
        where = f"on {first.boards} board types, most {where}"
    if len(some) > 1:
        return f"most of all {first.name}, {by} {where}"
    return f"{by} {where}" if total == 1 else f"{first.name} {by} {where}"


def _size(c: OfBranch | None) -> float:
    return 0.0 if c is None else c["size"]


def _news(overview: Overview, answer: Answer, branches: Sequence[_Branch]) -> list[str]:
    """Return what opened, grew or ended since the night before the last one."""
    since = overview["before"]
    if since is None:
        return []
    losses = [
        a
        for a in overview["alerts"] + overview["ended"]
        if not a["synthetic"] and a["kind"] in ("regression", "slow loss")
        if any(b.name in {f"{a['tree']}/{name}" for name in a["branches"]} for b in branches)
    ]
    day = f"{since.astimezone(UTC):%Y-%m-%d}"
    new = [a for a in losses if a["open"] and a["opened_at"] > since]
    ended = [a for a in losses if a["withdrawn_at"] is not None and a["withdrawn_at"] > since]
    clauses = []
    if new:
        clauses.append(f"new since {day}: {_named(new, _commit)}")
    elif worsened := sum(overview["worsened"].get(b.name, 0) for b in branches):
        clauses.append(f"{counted(worsened, 'figure')} got worse since {day}")
    elif answer is Answer.YES:
        clauses.append(f"nothing new since {day}")
    if ended:
        clauses.append(f"gone since {day}: {_named(ended, lambda _: '')}")
    return clauses


def _named(alerts: Sequence[AlertRow], more: Callable[[AlertRow], str]) -> str:
    """Return "alert 3 (commit 1a2b3c4d5e6f) and alert 4"; of many their number."""
    if len(alerts) > _NAMED:
        return counted(len(alerts), "alert")
    named = [f"alert {a['id']}{more(a)}" for a in sorted(alerts, key=lambda a: a["id"])]
    return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)


def _commit(a: AlertRow) -> str:
    """Return the commit that an alert is about; "" for one about a whole branch."""
    return f" (commit {a['commit'][:12]})" if a["role"] == "parent" and a["commit"] else ""


def _night(night: NightRow, now: datetime) -> list[str]:
    clauses = []
    if missing := _missing(night):
        clauses.append(f"{counted(len(missing), 'planned step')} did not run")
    if now - night["finished_at"] > OLD:
        clauses.append(f"the last night ended {night['finished_at'].astimezone(UTC):%Y-%m-%d}")
    return clauses


def _doubt(overview: Overview) -> str | None:
    proof = overview["proof"]
    if proof is None or not proof["failed"]:
        return None
    night = overview["night"]
    wrong = [f"{r['name']} is not as predicted" for r in proof["rows"] if not r["good"]]
    lacking = [] if night is None else [m for m in night["missing"] if m.startswith(NOT_MADE)]
    wrong += [f"{m.removeprefix(NOT_MADE)}" for m in lacking]
    more = len(wrong) - _REASONS_NAMED
    why = "; ".join(wrong[:_REASONS_NAMED]) + (f"; and {more} more" if more > 0 else "")
    return f"its self-proof failed, {proof['good']} of {proof['total']} as predicted ({why})"
