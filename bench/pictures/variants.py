# SPDX-License-Identifier: GPL-2.0-only
"""The made-up year with what is compared with a head besides its baseline.

These are patches, knobs and the self-proof; builds and boots fail too.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import evolve

from bench.pictures import story
from bench.pictures.installation import KNOWN, catalogue, settings
from bench.pictures.made_up_boots import Booted, Farm
from bench.pictures.story import Subject
from bench.pictures.year import NIGHTS, Year
from tests.integration import bundles
from vlag.kernel import series
from vlag.kernel.series import PATCHES
from vlag.store import database


def _variant(year: Year, kernel: Booted, series_: str, number: int, patches: Sequence[Any],
              factors: dict[str, float], of_full: bool = False) -> Booted:  # fmt: skip
    """Return a head with patches."""
    given = kernel.identity
    application = "full" if of_full else f"solo({number})"
    subject = evolve(kernel.subject, factors=factors, name=f"{kernel.subject.name} {application}")
    identity = bundles.kernel(
        kernel.subject.name, tree=story.TREE, branch=given["branch"], describe=given["describe"],
        subject=given["subject"], committed_at=given["committed_at"], arch=given["arch"],
        series=series_, application=application, patches=list(patches),
    )  # fmt: skip
    return year.farm.kernel(identity, subject, year.at)


def patches(year: Year, night: int) -> None:
    """Compare a series on a head, each patch alone and all of them, and one knob."""
    every: dict[str, float] = {}
    for factors in story.PATCHES.values():
        every |= factors
    listed = [{"name": n, "sha256": bundles.sha(n)} for n in story.PATCHES]
    wanted = [(i, [p], dict(story.PATCHES[p["name"]])) for i, p in enumerate(listed, 1)]
    for board_type in ("qemu-sim-2", "rpi5"):
        head = year.heads["linux-6.18.y", year.arch(board_type)]
        several = [_variant(year, head, story.SERIES, *w) for w in wanted]
        several.append(_variant(year, head, story.SERIES, 0, listed, every, of_full=True))
        turned = evolve(
            head, knobs=story.KNOBS, subject=evolve(head.subject, factors=story.KNOB_EFFECT)
        )
        for new in (*several, turned):
            at = year.at + datetime.timedelta(hours=2)
            for entry in year.entries(board_type):
                if (new, board_type, entry.benchmark) == (several[2], "rpi5", "hackbench-pipe"):
                    reason = "Kernel panic - not syncing: Attempted to kill init!"
                    at = year.boot(new, board_type, entry, [1, 2], night, at,
                                   outcome="panic", reason=reason)  # fmt: skip
                    continue
                at = year.boot(new, board_type, entry, range(1, 6), night, at)
            year.farm.flush()
            role = None if new is turned else "baseline"
            year.ids.append(year.pair(head, new, board_type, role, night))


def proof(year: Year, night: int) -> None:
    """Compare the known regressions, each alone, with the head."""
    patches = series.read(PATCHES, KNOWN)
    board_type = "qemu-sim-2"
    entries = [e for e in year.catalogue.plan(KNOWN).entries if board_type in e.board_types]
    head = year.heads["linux-6.18.y", year.arch(board_type)]
    for number, patch in enumerate(patches, 1):
        factors = dict(story.KNOWN.get(patch.name[:2], {}))
        listed = [{"name": patch.name, "sha256": patch.sha256}]
        new = _variant(year, head, KNOWN, number, listed, factors)
        new = evolve(new, knobs=dict(patch.trailers.knobs))
        at = year.at + datetime.timedelta(hours=2)
        for entry in entries:
            at = year.boot(new, board_type, entry, range(1, 6), night, at, plan=KNOWN)
        year.farm.flush()
        year.ids.append(year.pair(head, new, board_type, "baseline", night, KNOWN))


def broken(year: Year, night: int) -> None:
    """Break a build of one branch and some boots of another."""
    subject = Subject(branch="linux-6.12.y", share=year.share(night), name=f"broken {night}")
    year.kernel(subject, "linux-6.12.y", "v6.12.9-1-gbad", "sched/fair: Rename delta", "arm64",
                outcome="build_failed")  # fmt: skip
    year.missing.append("linux-6.12.y on rpi5 and altra was not booted: its build failed")
    head = year.heads["master", "arm64"]
    entry = year.entries("altra")[0]
    reason = "Kernel panic - not syncing: hung_task: blocked tasks"
    at = year.at + datetime.timedelta(hours=3)
    year.boot(head, "altra", entry, [16], night, at, outcome="panic", reason=reason)
    year.farm.flush()


def fill(dsn: str, state: Path, count: int = NIGHTS) -> None:
    """Fill an empty database that has all tables, and a state folder with a few runs' files."""
    with database.connect(dsn) as conn:
        conn.execute("SET synchronous_commit = off")
        known = catalogue()
        year = Year(
            conn=conn, catalogue=known, settings=settings(state), nights=count,
            farm=Farm(conn=conn, catalogue=known, state=state),
        )  # fmt: skip
        year.boards()
        for night in range(count):
            with conn.transaction():
                year.night(
                    night,
                    beside=[broken] if night and night == count // 2 else [],
                    after=[patches, proof] if night == count - 1 else [],
                )
            if night % 10 == 9:
                conn.execute("ANALYZE")
        conn.execute("ANALYZE")
