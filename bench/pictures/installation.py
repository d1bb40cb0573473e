# SPDX-License-Identifier: GPL-2.0-only
"""Settings and catalogue of the made-up farm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from attrs import evolve

from bench.pictures import story
from tests import settings_files
from vlag import config
from vlag.config import Settings
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.model import Board

#: Plan and series of the self-proof.
KNOWN = "known-regressions"


def text(
    state: Path,
    board_types: Iterable[str],
    names: Iterable[str] = story.BRANCHES,
    baselines: Sequence[str] = ("v6.1.*",),
) -> str:
    """Return settings that compare branches with baselines of their tree."""
    watched = [
        settings_files.branch(board_types, tree="linux", branch=name, baseline=baseline)
        for name in names
        for baseline in baselines
    ]
    return settings_files.settings(
        state=state, ports=(1, 8010, 3), trees='[trees.linux]\nurl = "/nowhere"',
        branches="".join(watched), poll_s=60,
    )  # fmt: skip


def settings(state: Path) -> Settings:
    """Return the settings of the made-up installation; its file lies in the state folder."""
    state.mkdir(parents=True, exist_ok=True)
    path = state / "vlag.toml"
    path.write_text(text(state, story.BOARDS))
    return config.load(path)


def catalogue() -> Catalogue:
    """Return the repository's catalogue with the year's plan and boards."""
    known = catalogues.load()
    plans = {**known.plans, "nightly": story.plan()}
    boards = [Board(name=n, board_type=t) for t, names in story.BOARDS.items() for n in names]
    boards.append(Board(name=story.AWAY[1], board_type=story.AWAY[0]))
    return evolve(known, plans=plans, boards=tuple(boards))
