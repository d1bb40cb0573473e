# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""Builders on several machines: who builds what, on whose board, under which locks."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from attrs import evolve

from tests import settings_files
from tests.unit.asked import properties, rendered, small_catalogue
from vlag import ROOT, config
from vlag.config import catalogue
from vlag.errors import UsageError
from vlag.model import Board

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import builders
from master.locks import Hosts
from tests.unit.asked import asks, may_start, of

pytestmark = pytest.mark.slow

HOSTS = """
[[workers.hosts]]
name = "one"
slots = 2
takes = ["build", "run"]
[[workers.hosts]]
name = "two"
slots = 3
[[workers.hosts]]
name = "three"
takes = ["lab"]
"""

BOARDS = (
    Board(name="s1", board_type="a2"),
    Board(name="s2", board_type="a2", worker="two"),
    Board(name="s3", board_type="a2", worker="two"),
    Board(name="s4", board_type="a4", worker="two"),
    Board(name="far", board_type="other", lab="home"),
)


@pytest.fixture
def here(tmp_path: Path) -> config.Settings:
    return settings_files.shipped(tmp_path, HOSTS)


@pytest.fixture
def known() -> catalogue.Catalogue:
    return evolve(small_catalogue(), boards=BOARDS)


@pytest.fixture
def made(here: config.Settings, known: catalogue.Catalogue) -> dict[str, object]:
    return {b.name: b for b in builders.build_all(here, known)}


ONE, TWO = [f"one-{i}" for i in (1, 2, 3)], [f"two-{i}" for i in (1, 2, 3, 4)]
LABS = ["two-lab-1", "two-lab-2", "three-lab-1", "three-lab-2"]


def test_each_builder_has_the_workers_of_the_hosts_that_take_its_work(
    made: dict[str, object],
) -> None:
    names = {name: sorted(builder.workernames) for name, builder in made.items()}
    assert names["kernel"] == names["nightly"] == names["check"] == sorted([*ONE, *TWO])
    assert names["board"] == sorted([*ONE, *TWO, *LABS])
    assert names["push"] == ["one-1"]


def test_kernels_are_spread_over_the_hosts(made: dict[str, object]) -> None:
    choose = made["kernel"].nextWorker
    free = of("one-1", "one-2", "two-1", "two-4")
    building = SimpleNamespace(building=[])
    chosen = []
    for _ in range(3):
        worker = choose(building, free, asks(purpose="night"))
        chosen.append(worker.worker.workername)
        free.remove(worker)
        building.building.append(SimpleNamespace(workername=chosen[-1]))
    assert chosen == ["one-1", "two-1", "one-2"]
    # The last one is for a push.
    assert choose(building, free, asks(purpose="night")) is None
    assert choose(building, free, asks(purpose="push")) is free[0]


@pytest.mark.parametrize(
    ("asked", "hosts"),
    [
        ({"board_type": "a2"}, {"one", "two"}),
        ({"board_type": "a2", "pinned": "s1"}, {"one"}),
        ({"board_type": "a2", "pinned": "s3"}, {"two"}),
        ({"board_type": "a4"}, {"two"}),
        ({"board_type": "other"}, {"lab"}),
    ],
)
def test_a_run_goes_where_its_board_is(
    made: dict[str, object], asked: dict[str, object], hosts: set[str]
) -> None:
    everyone = of(*ONE, *TWO, *LABS)
    fits = [w for w in everyone if may_start(made["board"].canStartBuild, w, asks(**asked))]
    names = [w.worker.workername for w in fits]
    assert {"lab" if n in LABS else n.split("-")[0] for n in names} == hosts
    assert made["board"].nextWorker(None, everyone, asks(**asked)) in fits
    others = [w for w in everyone if w not in fits]
    assert made["board"].nextWorker(None, others, asks(**asked)) is None


def test_locks_are_those_of_the_host(
    here: config.Settings, known: catalogue.Catalogue, made: dict[str, object]
) -> None:
    def boards(worker: str, board_type: str) -> list[tuple[str, int]]:
        found = properties(workername=worker, board_type=board_type)
        return [(a.lockid.name, a.lockid.maxCount) for a in rendered(made["board"].locks, found)]

    assert boards("one-1", "a2") == [("boards a2 of one", 1)]
    assert boards("two-4", "a2") == [("boards a2 of two", 2)]
    assert boards("three-lab-1", "other") == []
    hosts = Hosts(here, known)
    for how in ("counting", "exclusive"):
        locks = [
            rendered(hosts.cpus_for(how), properties(workername=name))[0]
            for name in ("one-1", "two-2")
        ]
        assert [(a.lockid.name, a.lockid.maxCount, a.mode) for a in locks] == [
            ("cpus of one", 2, how), ("cpus of two", 3, how),
        ]  # fmt: skip


def test_a_board_that_no_host_boots_is_a_sentence(
    here: config.Settings, known: catalogue.Catalogue
) -> None:
    lost = evolve(known, boards=(Board(name="s", board_type="a2", worker="three"),))
    with pytest.raises(
        UsageError, match=r"s\.worker: no worker host 'three' that takes \"run\" in"
    ):
        builders.build_all(here, lost)
