# SPDX-License-Identifier: GPL-2.0-only
"""Build lanes of a commit: what breaks, and which warnings are new against its parent."""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from attrs import frozen

from vlag.config import Settings, build_lanes
from vlag.errors import InfrastructureError, UsageError
from vlag.kernel import diagnostics, lane
from vlag.kernel import tuxmake_build as kernel_build
from vlag.kernel.diagnostics import ERROR, WARNING, FindingRecord
from vlag.kernel.lane import Record
from vlag.kernel.lane_kind import Lane
from vlag.kernel.mirror import Commit, git, resolve
from vlag.lock import hold
from vlag.model import LaneOutcome
from vlag.pipeline.build_stage import commit_of, worktree

log = logging.getLogger(__name__)

#: Findings of a lane that are told; its log has all.
MOST_ERRORS, MOST_WARNINGS = 20, 50


class LaneFinding(FindingRecord):
    """An error of a lane that breaks, or a new warning."""

    is_new: bool


class LaneAnswer(TypedDict):
    """What came of a lane, as JSON has it."""

    lane: str
    outcome: str
    reason: str | None
    is_new: bool  # the parent has another outcome
    warnings: int
    unjudged: str | None  # why the warnings cannot be held against the parent's
    findings: list[LaneFinding]  # scheduler code first
    toolchain: str
    record: str  # folder
    reused: bool


@frozen(kw_only=True)
class Told:
    """A lane of a commit beside that of its parent."""

    record: Record
    parent: Record | None  # None: there is no parent, or nothing to hold against it
    paths: tuple[str, ...]  # of the scheduler

    @property
    def is_new(self) -> bool:
        """Return whether the parent has another outcome; without a parent a break is new."""
        if self.record.builds:
            return False
        if self.parent is None:
            return self.record.outcome is LaneOutcome.BREAKS
        return self.parent.outcome is not self.record.outcome

    @property
    def warnings(self) -> list[diagnostics.Finding]:
        """Return the warnings in scheduler code."""
        warned = [f for f in self.record.findings if f.kind == WARNING]
        return diagnostics.touching(warned, self.paths)

    @property
    def unjudged(self) -> str | None:
        """Return why the warnings cannot be held against the parent's."""
        if self.parent is None or not self.warnings:
            return None
        return {
            LaneOutcome.BUILDS: None,
            LaneOutcome.BREAKS: "the parent breaks, so that its warnings are not known",
            LaneOutcome.NOT_APPLICABLE: "the parent does not have this lane",
        }[self.parent.outcome]

    @property
    def findings(self) -> list[LaneFinding]:
        """Return the errors, scheduler code first, and the new warnings, as JSON has them."""
        before = [] if self.parent is None else self.parent.findings
        errors = [f for f in self.record.findings if f.kind == ERROR]
        errors = diagnostics.worst_first(errors, self.paths)
        fresh = diagnostics.new(self.warnings, before) if self.unjudged is None else []
        new = {f.subject for f in diagnostics.new(errors, before)}
        if self.record.outcome is not LaneOutcome.BREAKS:
            errors = []
        return [
            {**diagnostics.document(f), "is_new": f.kind == WARNING or f.subject in new}
            for f in (*errors[:MOST_ERRORS], *fresh[:MOST_WARNINGS])
        ]

    def document(self) -> LaneAnswer:
        """Return it as data that JSON can hold."""
        record = self.record.document
        return {
            "lane": record["lane"],
            "outcome": self.record.outcome.value,
            "reason": record["reason"],
            "is_new": self.is_new,
            "warnings": len(self.warnings),
            "unjudged": self.unjudged,
            "findings": self.findings,
            "toolchain": record["toolchain"],
            "record": str(self.record.folder.resolve()),
            "reused": self.record.reused,
        }


@frozen(kw_only=True)
class Found:
    """The lanes of a commit."""

    commit: Commit
    parent: str | None
    lanes: tuple[LaneAnswer, ...]
    lacking: Mapping[str, str]  # lane -> why this machine cannot build it


def build(
    settings: Settings,
    *,
    tree: str,
    ref: str,
    names: Sequence[str],
    branch: str | None = None,
    parent: str | None = None,
) -> Found:
    """Build lanes of a commit, and those of its parent that tell what is new.

    Without `names` those of the branch are built, else all; `parent` is by default the first one.
    What is on record is not built again, and nothing at all is built of a parent where the commit
    builds without a warning in scheduler code.  Raises UsageError for a tree without sources and
    for an unknown lane.
    """
    if settings.tree(tree).images:
        raise UsageError(f"--tree {tree}: its kernels are prebuilt; lanes need sources")
    of_branch, paths = settings.lanes_of(tree, branch or ref)
    known = build_lanes.read()
    commit = commit_of(settings, tree, ref)
    asked = build_lanes.chosen(names or of_branch or build_lanes.ALL, known)
    mirror = settings.mirror(tree)
    before = resolve(mirror, parent).sha if parent else first_parent(settings, tree, commit.sha)
    lacking: dict[str, str] = {}
    ready: dict[str, tuple[Lane, str]] = {}
    for name in asked:
        try:
            ready[name] = known[name], known[name].toolchain()
        except InfrastructureError as e:
            lacking[name] = str(e)
    own = _records(settings, tree, commit.sha, ready.values())
    by_name = {name: Told(record=r, parent=None, paths=paths) for name, r in own.items()}
    if before is not None:
        asking = [ready[name] for name, t in by_name.items() if t.findings or not t.record.builds]
        bases = _records(settings, tree, before, asking)
        by_name |= {n: Told(record=own[n], parent=r, paths=paths) for n, r in bases.items()}
    return Found(
        commit=commit,
        parent=before,
        lanes=tuple(by_name[name].document() for name in ready),
        lacking=lacking,
    )


def first_parent(settings: Settings, tree: str, commit: str) -> str | None:
    """Return the first parent of a commit; None: it has none."""
    mirror = settings.mirror(tree)
    return next(iter(git(mirror, "rev-list", "--parents", "-1", commit).split()[1:]), None)


def _records(
    settings: Settings, tree: str, commit: str, asked: Iterable[tuple[Lane, str]]
) -> dict[str, Record]:
    """Return the records of lanes of a commit; those that are missing are built."""
    mirror = settings.mirror(tree)
    # The files alone decide: a commit that was rebased, or reverted, is known.
    files = git(mirror, "rev-parse", f"{commit}^{{tree}}")
    where = {
        lane_.name: (lane_, toolchain, settings.lane_builds / lane.key(lane_, files, toolchain))
        for lane_, toolchain in asked
    }
    known = {name: lane.read(folder) for name, (_, _, folder) in where.items()}
    missing = [name for name, record in known.items() if record is None]
    if missing:
        with kernel_build.checkout(mirror, worktree(settings, tree), commit) as source:
            for name in missing:
                lane_, toolchain, folder = where[name]
                busy = f"another host builds lane {name} of {commit[:12]}; waiting for its end"
                lock = folder.with_name(f"{folder.name}.lock")
                with hold(lock, functools.partial(log.info, busy)):
                    known[name] = lane.read(folder) or lane.build(
                        lane_, source=source, commit=commit, folder=folder, toolchain=toolchain,
                        jobs=settings.jobs, ccache=settings.state / "ccache",
                        rules=settings.sandbox,
                    )  # fmt: skip
    return {name: record for name, record in known.items() if record is not None}
