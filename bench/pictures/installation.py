"""Settings and catalogue of the made-up farm."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve

from bench.pictures import story
from vlag import config
from vlag.config import Settings
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.model import Board

#: Plan and series of the self-proof.
KNOWN = "known-regressions"

SETTINGS = """
state = "{state}"
[ports]
postgresql = 1
web = 8010
worker = 3
[trees.linux]
url = "/nowhere"
{branches}
[nightly]
hour = 1
minute = 30
[build]
jobs = 1
poll_interval_s = 60
"""
BRANCH = """
[[branches]]
tree = "linux"
branch = "{branch}"
baseline = "{baseline}"
board_types = {board_types}
plan = "nightly"
"""


def settings(state: Path) -> Settings:
    """Return the settings of the made-up installation; its file lies in the state folder."""
    state.mkdir(parents=True, exist_ok=True)
    board_types = str(list(story.BOARDS)).replace("'", '"')
    sections = [
        BRANCH.format(branch=b, baseline="v6.1.*", board_types=board_types) for b in story.BRANCHES
    ]
    path = state / "vlag.toml"
    path.write_text(SETTINGS.format(state=state, branches="".join(sections)))
    return config.load(path)


def catalogue() -> Catalogue:
    """Return the repository's catalogue with the year's plan and boards."""
    known = catalogues.load()
    plans = {**known.plans, "nightly": story.plan()}
    boards = [Board(name=n, board_type=t) for t, names in story.BOARDS.items() for n in names]
    boards.append(Board(name=story.AWAY[1], board_type=story.AWAY[0]))
    return evolve(known, plans=plans, boards=tuple(boards))
