# SPDX-License-Identifier: GPL-2.0-only
"""Attribution of a change between two kernels to toggles, by shares of the change.

A share is measured in the metric's unit: (new - new with the toggle) / (new - base).  Where
both kernels were booted with the toggle, it is the difference of their differences instead, of
logarithms: what of the change would be gone if both had it.
Intervals are simultaneous at 95 % over one column of a report (all shares; all effects; all
tests of agreement), since readers scan a column for its extreme value.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence

from attrs import field, frozen

from vlag.model import Direction
from vlag.stats.matrix_cells import (
    NOT_RUN,
    Cell,
    Effect,
    Finding,
    Pool,
    Share,
    change,
    pool,
    share_text,
)
from vlag.stats.prior import Prior

# A toggle that accounts for less than half of a change is not its cause.
LEAST_SHARE = 0.5


class Role(enum.Enum):
    """Role of a toggle or a patch in a change."""

    ACCOUNTS = "accounts for it"  # at least `LEAST_SHARE`, and significantly above 0
    PART = "a part"  # significantly above 0, and below `LEAST_SHARE`
    AROUND = "a way around it"  # significantly above 0, but both kernels are without the setting
    NOTHING = "not the cause"  # significantly below `LEAST_SHARE`
    AGAINST = "the other way"  # it counteracts the change
    ALIKE = "changes both kernels alike"  # an effect of its own, no part of the change
    OPEN = "too few boots to say"
    UNBOOTED = "not booted on the base"  # which has it too, so that it may change both alike
    UNKNOWN = "unknown"  # its cell was not run, or its kernel failed


class Answer(enum.Enum):
    """Conclusion of a report."""

    ACCOUNTED = "accounted for"
    AROUND = "a way around it"  # no toggle is the cause, and at least one leads around it
    NOBODY = "nothing recovers it"  # none of the judged toggles is the cause
    OPEN = "too few boots to say"
    NO_CHANGE = "no change to account for"
    UNKNOWN = "not run"


@frozen(kw_only=True)
class Toggle:
    """One setting's cells: on the new kernel, and on the base if it has the setting."""

    new: Cell
    base: Cell = field(factory=Cell)
    #: Neither kernel has it by default, so that it is no part of what makes them differ: what it
    #: recovers, it recovers by leading around the longer path.
    added: bool = False
    #: The base has the setting in the same state: without its cell there, nothing is attributed.
    on_base: bool = False


@frozen(kw_only=True)
class ToggleAnswer:
    """Effects of one setting on both kernels."""

    name: str
    role: Role | None  # None where there is no change that it could account for
    on_new: Effect | None  # new with it / new - 1; None: see `problem`
    on_base: Effect | None  # the same of the base kernel; None: see `problem_base`
    share: Share | None  # of the change; None where there is none or the cell has a problem
    problem: str | None  # of its cell on the new kernel: "not run", "panicked"
    problem_base: str | None  # of its cell on the base kernel
    sentence: str


@frozen(kw_only=True)
class ToggleReport:
    """Shares of the change from base to new that settings recover."""

    answer: Answer
    whole: Effect | None  # new / base - 1, both with their defaults
    toggles: tuple[ToggleAnswer, ...]
    base_boots: int
    new_boots: int
    direction: Direction
    sentence: str


def toggles(
    base: Cell,
    new: Cell,
    toggled: Mapping[str, Toggle],
    *,
    direction: Direction,
    relevance: float,
    resolution: float,
    prior: Prior | None = None,
) -> ToggleReport:
    """Return the share of the change from base to new that each setting undoes.

    `relevance` is the smallest relative change that matters, `resolution` the smallest
    step of the tool in the metric's unit.  A setting with the same effect on both kernels is
    no part of the change: the difference between the kernels stays if both have the setting
    (tested on logarithms, so that a setting that takes 10 % from both counts as the same).
    """
    cells = {("base", ""): base, ("new", ""): new}
    cells |= {("new", n): t.new for n, t in toggled.items()}
    cells |= {("base", n): t.base for n, t in toggled.items()}
    pooled = pool(cells, resolution=resolution, prior=prior)
    problem = problem_of({"base": base, "new": new})
    whole = None
    if problem is None:
        whole = pooled.effect({_NEW: 1, _BASE: -1}, relevance=relevance, family=1)
    answers = tuple(_toggle(n, t, pooled, toggled, whole, relevance) for n, t in toggled.items())
    answer, sentence = _of_toggles(whole, problem, answers, direction)
    return ToggleReport(
        answer=answer,
        whole=whole,
        toggles=answers,
        base_boots=len(base.boots),
        new_boots=len(new.boots),
        direction=direction,
        sentence=sentence,
    )


_BASE, _NEW = ("base", ""), ("new", "")
# What a toggle can only be if it does not do the same on the base.
_SHARED = (Role.ACCOUNTS, Role.PART, Role.AGAINST)


def _toggle(
    name: str,
    toggle: Toggle,
    pooled: Pool[tuple[str, str]],
    toggled: Mapping[str, Toggle],
    whole: Effect | None,
    relevance: float,
) -> ToggleAnswer:
    on_new = on_base = share = left = None
    old, new = ("base", name), ("new", name)
    families = [sum((side, n) in pooled.logs for n in toggled) for side in ("base", "new")]
    if old in pooled.logs and _BASE in pooled.logs:
        on_base = pooled.effect({old: 1, _BASE: -1}, relevance=relevance, family=families[0])
    if new in pooled.logs and _NEW in pooled.logs:
        on_new = pooled.effect({new: 1, _NEW: -1}, relevance=relevance, family=families[1])
        if whole is not None and whole.finding is Finding.MATTERS:
            lost = {_BASE: 1.0, _NEW: -1.0}
            share = pooled.share({new: 1, _NEW: -1}, lost, family=families[1])
            if old in pooled.logs:
                gone = {new: 1.0, _NEW: -1.0, old: -1.0, _BASE: 1.0}
                left = pooled.share(gone, lost, family=families[0], logs=True)
    problem = toggle.new.problem
    role = None
    if share is not None and on_new is not None:
        role = _toggle_role(share, left, on_new, on_base)
        if toggle.added and role in (Role.ACCOUNTS, Role.PART):
            role = Role.AROUND
        elif toggle.on_base and left is None and role in _SHARED:
            role = Role.UNBOOTED
        elif left is not None and role in _SHARED:
            share = left
    elif problem is not None:
        role = Role.OPEN if toggle.new.is_short else Role.UNKNOWN
    return ToggleAnswer(
        name=name,
        role=role,
        on_new=on_new,
        on_base=on_base,
        share=share,
        problem=problem,
        problem_base=toggle.base.problem,
        sentence=_toggle_sentence(name, role, share, on_new, on_base, problem),
    )


def role_of(share: Share) -> Role:
    """Return the role that follows from a share alone."""
    if share.low is None or share.high is None:
        return Role.OPEN
    if share.low > 0:
        return Role.ACCOUNTS if share.size >= LEAST_SHARE else Role.PART
    if share.high < 0:
        return Role.AGAINST
    return Role.NOTHING if share.high < LEAST_SHARE else Role.OPEN


def _toggle_role(share: Share, left: Share | None, on_new: Effect, on_base: Effect | None) -> Role:
    """Return the role of a setting, given its effect on the base kernel."""
    role = role_of(share)
    if left is None or on_base is None:
        return role
    gone = role_of(left)
    if gone is Role.NOTHING and on_new.sign == on_base.sign != 0:
        return Role.ALIKE
    if role not in _SHARED:
        return role
    if role is Role.AGAINST:
        return gone if gone in (Role.AGAINST, Role.OPEN) else Role.NOTHING
    if gone in (Role.ACCOUNTS, Role.PART):
        return gone
    return Role.NOTHING if share.high is not None and share.high < LEAST_SHARE else Role.OPEN


def _toggle_sentence(
    name: str,
    role: Role | None,
    share: Share | None,
    on_new: Effect | None,
    on_base: Effect | None,
    problem: str | None,
) -> str:
    if on_new is None:
        return f"{name}: {problem or 'the new kernel itself has no figure'}"
    if role is Role.ALIKE and on_base is not None:
        return (
            f"{name} changes both kernels alike ({_short(on_new)} and {_short(on_base)}):"
            " a preference, no part of the change"
        )
    if share is None:
        return f"{name} changes the new kernel by {change(on_new)}"
    if role is Role.UNBOOTED:
        return (
            f"{name} changes the new kernel by {change(on_new)}; the base has it as well, and"
            " was not booted with it"
        )
    text = share_text(share)
    if role is None or role not in _SAID:
        return f"{name}: {Role.OPEN.value} ({text} of the change)"
    return f"{name} {_SAID[role]} {text} of the change"


_SAID = {
    Role.ACCOUNTS: "accounts for",
    Role.PART: "is a part of it:",
    Role.AROUND: "is no part of it, but a way around",
    Role.NOTHING: "does not recover it:",
    Role.AGAINST: "adds to it:",
}


def _of_toggles(
    whole: Effect | None,
    problem: str | None,
    answers: Sequence[ToggleAnswer],
    direction: Direction,
) -> tuple[Answer, str]:
    by_role = {role: [a for a in answers if a.role is role] for role in Role}
    if whole is None:
        return Answer.UNKNOWN, f"nothing can be attributed: {problem}"
    if whole.finding is not Finding.MATTERS:
        return no_whole(whole, "new against base")
    subject = f"the {noun(whole, direction)} of {change(whole)}"
    aside = (Role.PART, Role.AROUND, Role.AGAINST, Role.ALIKE, Role.UNBOOTED)
    tail = [a.sentence for role in aside for a in by_role[role]]
    unsure = ", ".join(a.name for a in by_role[Role.OPEN])
    tail += [f"{Role.OPEN.value}: {unsure}"] if unsure else []
    tail += [f"{a.problem}: {a.name}" for a in by_role[Role.UNKNOWN]]
    causes = by_role[Role.ACCOUNTS]
    if causes:
        named = " and ".join(
            f"{a.name} accounts for {share_text(a.share)}" for a in causes if a.share is not None
        )
        answer, head = Answer.ACCOUNTED, f"{named} of {subject}"
        if len(causes) > 1:
            tail.insert(0, "each was switched alone, so their shares may overlap")
    elif by_role[Role.OPEN] or by_role[Role.UNBOOTED]:
        answer, head = Answer.OPEN, f"no toggle is shown to recover {subject}"
    elif by_role[Role.AROUND]:
        answer, head = Answer.AROUND, f"no toggle is the cause of {subject}"
    elif len(by_role[Role.UNKNOWN]) == len(answers):
        answer, head = Answer.UNKNOWN, f"no toggle was judged for {subject}"
    else:
        answer, head = Answer.NOBODY, f"no toggle recovers {subject}"
    return answer, "; ".join([head, *tail])


def no_whole(whole: Effect, what: str) -> tuple[Answer, str]:
    """Return the answer if the whole change is not shown to matter."""
    if whole.finding is Finding.NEGLIGIBLE:
        return Answer.NO_CHANGE, f"no change to account for: {what} {change(whole)}"
    return Answer.OPEN, f"too few boots to say whether there is a change: {what} {change(whole)}"


def noun(effect: Effect, direction: Direction) -> str:
    """Return the name of a change of that sign."""
    better = (effect.size > 0) == (direction is Direction.HIGHER)
    return "improvement" if better else "regression"


def _short(effect: Effect) -> str:
    return f"{100 * effect.size:+.1f} %"


def problem_of(cells: Mapping[str, Cell]) -> str | None:
    """Return the problems of the named cells as text, or None."""
    problems = [
        f"{name} {_problem_words(c.problem)}" for name, c in cells.items() if c.problem is not None
    ]
    return ", ".join(problems) or None


def _problem_words(problem: str) -> str:
    return "was not run" if problem == NOT_RUN else problem
