# SPDX-License-Identifier: GPL-2.0-only
"""A rehearsal of alerts in words, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vlag.alerts.rehearsal import SETTINGS, Cause, Rehearsal
from vlag.config import Alerts as Thresholds
from vlag.report.layout import wrap

#: The parts of a list of alerts, with what each says.
PARTS = {
    "more": "would have opened, and did not",
    "less": "would not have opened, and did",
    "both": "would have opened, and did",
}
_MOST = 20  # alerts of a part in a terminal


def lines(done: Rehearsal, now: Thresholds) -> list[str]:
    """Return a rehearsal in lines; `now` are the thresholds of the settings."""
    written = [*wrap(heading(done, now), "", ""), ""]
    written += [f"{'':28}{'on record':>12}{'rehearsed':>12}", "-" * 52]
    written += [f"{name:28}{was:>12}{would:>12}" for name, was, would in figures(done)]
    for part, words in PARTS.items():
        causes: Sequence[Cause] = getattr(done, part)
        written += ["", f"{len(causes)} {words}{':' if causes else ''}"]
        written += _listed(causes)
    return written


def heading(done: Rehearsal, now: Thresholds) -> str:
    """Return what was rehearsed, in a sentence."""
    changes = [
        f"alerts.{name} = {value:g} (now {before:g})"
        for name in SETTINGS
        if (value := getattr(done.thresholds, name)) != (before := getattr(now, name))
    ]
    changes += [
        f"alerts.relevances.{name} = {value:g}"
        + (f" (now {now.relevances[name]:g})" if name in now.relevances else "")
        for name, value in sorted(done.thresholds.relevances.items())
        if now.relevances.get(name) != value
    ]
    what = " and ".join(changes) or "the present settings"
    return f"Alerts from {done.since:%Y-%m-%d} to {done.until:%Y-%m-%d} with {what}."


def figures(done: Rehearsal) -> Iterator[tuple[str, str, str]]:
    """Yield each figure with its name: on record, and rehearsed."""
    a, b = done.recorded, done.rehearsed
    yield "alerts opened", str(a.opened), str(b.opened)
    yield "  triaged as real", str(a.real), str(b.real)
    yield "  triaged as noise", str(a.noise), str(b.noise)
    yield "  nobody judged", str(a.not_judged), str(b.not_judged)
    yield "came back, times", str(a.back), str(b.back)
    yield "mails with news, a week", f"{a.mails_a_week:.1f}", f"{b.mails_a_week:.1f}"


def _listed(causes: Sequence[Cause]) -> Iterator[str]:
    for cause in causes[:_MOST]:
        of = "" if cause.alert is None else f"alert {cause.alert}, {cause.judged}: "
        yield from wrap(f"{cause.opened_at:%Y-%m-%d} {of}{cause.title}", "  ", "    ")
    if len(causes) > _MOST:
        yield f"  and {len(causes) - _MOST} more; --format json has all"
