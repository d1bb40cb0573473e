# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""A small catalogue, and properties and builds as the master's parts pass them on."""

from __future__ import annotations

import sys

from attrs import evolve
from buildbot.process.properties import Properties
from twisted.internet import defer

from vlag import ROOT
from vlag.config import catalogue
from vlag.model import Board, BoardType, Plan, PlanEntry

sys.path.insert(0, str(ROOT))  # as master.cfg does
from types import SimpleNamespace

from master.triggers import Child


def properties(**values: object) -> Properties:
    found = Properties()
    for name, value in values.items():
        found.setProperty(name, value, "test")
    return found


def rendered(argument: object, found: Properties) -> list[object]:
    return argument.getRenderingFor(found).result


def kind(name: str, *fragments: str) -> BoardType:
    loaded = catalogue.load().board_type("qemu-sim-2")
    return evolve(loaded, name=name, kconfig=fragments)


def entry(benchmark: str, *board_types: str, rounds: tuple[int, ...] = ()) -> PlanEntry:
    return PlanEntry(
        benchmark=benchmark,
        parameters={"pipe": 4},
        board_types=board_types,
        seeds=2,
        rounds=rounds,
        timeout_s=240,
    )


def small_catalogue() -> catalogue.Catalogue:
    """Two board types that share an image and one that does not."""
    types = (kind("a2", "c"), kind("a4", "c"), kind("other", "c", "d"), kind("unused", "c"))
    entries = (entry("yield", "a2", "a4", "other", rounds=(3, 5)), entry("hack", "a4"))
    return catalogue.Catalogue(
        benchmarks={},
        board_types={t.name: t for t in types},
        plans={name: Plan(name=name, entries=entries) for name in ("nightly", "commit")},
        boards=tuple(Board(name=f"{t.name}-1", board_type=t.name) for t in types),
    )


def child(request: dict[str, object], **found: object) -> Child:
    ended = {"kernel": f"k-{request['ref']}", "outcome": "complete", **found}
    return Child(request=request, results=0, properties=ended)


def of(*names: str) -> list[object]:
    return [SimpleNamespace(worker=SimpleNamespace(workername=name)) for name in names]


def asks(**values: object) -> object:
    return SimpleNamespace(properties=properties(**values), priority=0)


def may_start(check: object, worker: object, request: object) -> bool:
    """Return what a builder's `canStartBuild` says where nothing else waits."""
    database = SimpleNamespace(model=None, pool=SimpleNamespace(do=lambda *_: defer.succeed([])))
    builder = SimpleNamespace(
        getBuilderId=lambda: defer.succeed(1), master=SimpleNamespace(db=database)
    )
    said = []
    check(builder, worker, request).addCallback(said.append)
    return said == [True]
