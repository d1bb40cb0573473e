# SPDX-License-Identifier: GPL-2.0-only
"""When a night is expected to end, and why that moved: no delay is shown without its reason."""

from __future__ import annotations

from attrs import define, field, frozen

from vlag.operate.service.course import Course, Working, minutes

#: Share of the remaining time by which the end may move without a word.
QUIET = 0.25
#: Seconds by which it may always: the terminal shows minutes.
_LEAST_S = 60.0


@frozen(kw_only=True)
class _Moment:
    """What an estimate is made of, at a time."""

    at: float  # seconds since the epoch
    left_s: float
    builds: int  # that are left
    build_s: float  # each
    runs: int  # that are left
    run_s: float  # each
    side_by_side: float
    rerun_s: float  # of all rerun boots that are left
    raised: int  # suspicions so far
    ended: int  # runs and rerun boots so far

    @classmethod
    def of(cls, course: Course, at: float) -> _Moment:
        return cls(
            at=at,
            left_s=course.left_s,
            builds=max(0, course.forecast.kernels_to_build - course.built),
            build_s=course.each_build_s,
            runs=max(0, course.runs - course.run),
            run_s=course.each_run_s,
            side_by_side=course.side_by_side,
            rerun_s=course.rerun_left_s,
            raised=course.raised,
            ended=course.run + course.rerun,
        )

    @property
    def end(self) -> float:
        return self.at + self.left_s


@define
class Expectation:
    """The end of one night as people know it, and the reason of its last delay."""

    course: Course
    _said: _Moment | None = None
    _idle_since: float | None = None  # nothing of the night is at work
    _waits: dict[str, float] = field(factory=dict)  # what goes on -> seconds when that was said

    def look(self, at: float) -> str | None:
        """Return why the end moved, "62 -> 86 min left: 3 suspicions were added", if it did.

        None where it moved by less than `QUIET` of the time that was left, or comes sooner.
        """
        now = _Moment.of(self.course, at)
        if any(one.ours for one in self.course.working):
            self._idle_since = None
        elif self._idle_since is None:
            self._idle_since = at
        if self._said is None or now.end <= self._said.end:
            self._said = now
            return None
        said = self._said
        known_s = max(0.0, said.end - at)
        if now.end - said.end <= max(_LEAST_S, QUIET * known_s):
            return None
        self._said = now
        reason, waits = self._reason(said, now)
        if waits is not None:
            # What goes on and on is said again when it has taken twice as long.
            subject, spent_s = waits
            if spent_s < 2 * self._waits.get(subject, 0.0):
                return None
            self._waits[subject] = spent_s
        return f"{minutes(known_s)} -> {minutes(now.left_s)} min left: {reason}"

    def _reason(self, said: _Moment, now: _Moment) -> tuple[str, tuple[str, float] | None]:
        """Return what added most; with it, of what goes on, its name and its seconds so far."""
        added = now.raised - said.raised
        more = (
            f"{added} suspicion{'s were' if added > 1 else ' was'} added"
            if added > 0
            else "what is suspected needs more boots"
        )
        parts = {
            more: now.rerun_s - said.rerun_s,
            f"a kernel's build takes {_time(now.build_s)}, not {_time(said.build_s)}": now.builds
            * (now.build_s - said.build_s),
            f"a boot takes {_time(now.run_s)}, not {_time(said.run_s)}": now.runs
            * (now.run_s - said.run_s)
            / now.side_by_side,
        }
        reason = max(parts, key=lambda name: parts[name])
        idle_s = now.end - said.end - sum(max(0.0, s) for s in parts.values())
        if parts[reason] >= idle_s:
            return reason, None
        return self._idle(said, now)

    def _idle(self, said: _Moment, now: _Moment) -> tuple[str, tuple[str, float] | None]:
        """Return what time has passed with that was not planned."""
        oldest = min((w for w in self.course.working if w.ours), key=_begun, default=None)
        if oldest is None:
            spent_s = now.at - (self._idle_since or now.at)
            return f"for {_time(spent_s)} nothing is built or booted", ("", spent_s)
        spent_s = now.at - oldest.begun
        usual_s = now.build_s if oldest.name == "build" else now.run_s
        if spent_s > usual_s:
            return f"{oldest.sentence} goes on for {_time(spent_s)}", (oldest.text, spent_s)
        ended, elapsed_s = now.ended - said.ended, now.at - said.at
        expected = round(elapsed_s * now.side_by_side / now.run_s) if now.run_s else 0
        return f"{ended} boots ended in {_time(elapsed_s)}, where {expected} were expected", None


def _begun(one: Working) -> float:
    return one.begun


def _time(seconds: float) -> str:
    """Return a duration in words."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
