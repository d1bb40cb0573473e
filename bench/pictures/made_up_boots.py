# SPDX-License-Identifier: GPL-2.0-only
"""Boots of a made-up farm, stored as `vlag ingest` stores those of real ones.

Only the bundles' files are missing, but for the runs that are given a folder.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, field, frozen

from bench.pictures import story
from bench.pictures.story import Subject
from tests.integration import bundles
from vlag.bundle import describe
from vlag.compare.kernels import StoredComparison, compare
from vlag.config.catalogue import Catalogue
from vlag.lava import render
from vlag.model import Benchmark, BoardType, Histogram, Metric, PlanEntry, Sample, digest
from vlag.store import builds, kernels, run_values, runs
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

_CONFIG = bundles.sha("CONFIG_SMP=y\n")


@frozen(kw_only=True)
class Booted:
    """A kernel on record with all that its figures depend on."""

    id: int
    identity: Mapping[str, Any]  # as run.json describes it
    subject: Subject
    knobs: Mapping[str, str] = field(factory=dict)


@frozen(kw_only=True)
class _Boot:
    """One boot, before anything of it is on record."""

    kernel: Booted
    benchmark: Benchmark
    kind: BoardType
    board: str
    given: Mapping[str, str | int]  # the benchmark's parameters
    seed: int
    began: datetime.datetime
    ended: datetime.datetime
    plan: str
    outcome: str
    reason: str | None


@define(kw_only=True)
class Farm:
    """The boards of the year, and what they booted."""

    conn: Connection
    catalogue: Catalogue
    state: Path
    #: What boots are made with; it may be updated between two nights.
    tools: dict[str, str] = field(factory=lambda: dict(story.TOOLS))
    compiler: str = "gcc 12.2.0"
    firmware: str = "1.0"
    _words: dict[tuple[str, str], dict[str, list[str]]] = field(factory=dict)
    _count: int = 0  # of boots
    _fresh: list[int] = field(factory=list)  # runs without statistics

    def kernel(self, identity: Mapping[str, Any], subject: Subject, at: datetime.datetime,
               outcome: str = "complete") -> Booted:  # fmt: skip
        """Put a kernel and its build on record."""
        id_ = kernels.id_of(self.conn, identity)
        complete = outcome == "complete"
        document: dict[str, Any] = {
            "schema": 1, "kind": "build", "kernel": dict(identity), "outcome": outcome,
            "reason": None if complete else "kernel/sched/fair.c:5311: error: 'delta' undeclared",
            "release": identity["describe"].removeprefix("v") if complete else None,
            "image": {"sha256": bundles.sha("image " + identity["digest"])} if complete else None,
            "config": {"sha256": _CONFIG} if complete else None,
            "toolchain": self.compiler, "environment": {},
            "started_at": at.isoformat(),
            "finished_at": (at + datetime.timedelta(minutes=7)).isoformat(), "files": [],
            "reproduce": f"vlag build --tree {story.TREE} --ref {identity['commit']}",
        }  # fmt: skip
        builds.insert(
            self.conn, kernel_id=id_, document=document, digest=digest(document),
            location=str(self.state / "builds" / identity["digest"][:12]),
        )  # fmt: skip
        return Booted(id=id_, identity=identity, subject=subject)

    def boot(
        self, kernel: Booted, board_type: str, entry: PlanEntry, seeds: Sequence[int],
        at: datetime.datetime, share: float, *, plan: str = "nightly", outcome: str = "complete",
        reason: str | None = None, files: bool = False, board: str | None = None,
    ) -> datetime.datetime:  # fmt: skip
        """Boot an entry once a seed, one after the other from a time on; return the end."""
        benchmark = self.catalogue.benchmark(entry.benchmark)
        kind = self.catalogue.board_type(board_type)
        given = {**benchmark.parameters, **entry.parameters}
        for seed in seeds:
            began, at = at, at + datetime.timedelta(seconds=100)
            boot = _Boot(
                kernel=kernel, benchmark=benchmark, kind=kind, given=given, seed=seed, began=began,
                board=board or self.usual_board(kernel, kind, seed, at), ended=at, plan=plan,
                outcome=outcome, reason=reason,
            )  # fmt: skip
            figures = [] if reason else list(self._figures(boot, share))
            self._put(boot, self._document(boot), figures, files=files)
        return at

    def usual_board(
        self, kernel: Booted, kind: BoardType, seed: int, at: datetime.datetime
    ) -> str:  # fmt: skip
        """Return the board that a boot gets where none is asked for."""
        boards = story.BOARDS[kind.name]
        return boards[seed % len(boards)] if kind.deterministic else boards[0]

    def _document(self, boot: _Boot) -> dict[str, Any]:
        kernel, benchmark, kind = boot.kernel, boot.benchmark, boot.kind
        given, seed, board, reason = boot.given, boot.seed, boot.board, boot.reason
        release = kernel.identity["describe"].removeprefix("v")
        alarm = [{"kind": "panic", "text": reason, "line": 211, "phase": "benchmark"}]
        return {
            "schema": 1, "kind": "run", "kernel": dict(kernel.identity), "plan": boot.plan,
            "seed": seed,
            "run_key": bundles.sha(f"{kernel.identity['digest']} {benchmark.name} {given} {seed}"
                                   f" {kind.name} {kernel.knobs} {self.compiler} {self.tools}"),
            "image_sha256": bundles.sha("image " + kernel.identity["digest"]),
            "config_sha256": _CONFIG, "release": release,
            "benchmark": benchmark.name, "parameters": dict(given),
            "argv": self._argv(benchmark, given), "knobs": dict(kernel.knobs),
            "board": {"name": board, "board_type": kind.name, "deterministic": kind.deterministic,
                      "cpus": kind.cpus, "setup": bundles.sha(f"setup {kind.name}"),
                      "emulator": bundles.EMULATOR if kind.virtual else None},
            "userland": {"sha256": bundles.sha("userland"),
                         "packages": {benchmark.tool: self.tools[benchmark.tool]}},
            "executor": {"program": "lava-run", "version": "2023.01-2",
                         "job": f"{boot.began:%Y%m%dT%H%M%SZ}"},
            "outcome": boot.outcome, "reason": reason, "started_at": boot.began.isoformat(),
            "finished_at": boot.ended.isoformat(), "estimate_s": 95.0,
            "environment": {
                "/proc/version": f"Linux version {release} (vlag@vlag) ({self.compiler}) #1 SMP",
                "/sys/class/dmi/id/bios_version": self.firmware,
                "/proc/cmdline": kind.cmdline,
                "/sys/devices/system/cpu/online": f"0-{kind.cpus - 1}",
                "/sys/kernel/debug/sched/features": "PLACE_LAG RUN_TO_PARITY "
                + kernel.knobs.get("sched_features", "DELAY_DEQUEUE"),
            },
            "health": alarm if reason else [], "output": None, "files": [],
            "reproduce": f"vlag run var/builds/{kernel.identity['digest'][:12]} --board {board}"
            f" --benchmark {benchmark.name} --seed {seed}",
            "synthetic": False,
        }  # fmt: skip

    def _argv(self, benchmark: Benchmark, given: Mapping[str, str | int]) -> Any:
        key = (benchmark.name, str(given))
        if key not in self._words:
            self._words[key] = render.argv(benchmark, given)
        return self._words[key]

    def noise(
        self, rng: np.random.Generator, kind: BoardType, benchmark: str, board: str, seed: int,
        share: float, at: datetime.datetime,
    ) -> float:  # fmt: skip
        """Return the factor by which one boot differs from its kernel's level."""
        common = generator(f"{kind.name} {benchmark} {seed}")
        night = generator(f"{kind.name} {benchmark} {at.date()}")
        return story.noise(rng, common, kind.name, benchmark, share, night)

    def _figures(self, boot: _Boot, share: float) -> Iterator[tuple[Metric, Sample | Histogram]]:
        kernel, benchmark, kind = boot.kernel, boot.benchmark, boot.kind
        who = f"{kernel.subject.name} {sorted(kernel.knobs.items())} {kind.name} {benchmark.name}"
        # A deterministic board repeats a boot to the last digit.
        when = "" if kind.deterministic else boot.ended.isoformat()
        rng = generator(f"{who} {boot.seed} {when}")
        factor, tail = kernel.subject.effect(kind.name, benchmark.name)
        factor *= self.noise(rng, kind, benchmark.name, boot.board, boot.seed, share, boot.ended)
        for metric in benchmark.metrics:
            usual = story.level(metric, benchmark, kind.name)
            if metric.histogram:
                bounds, counts, largest = story.distribution(rng, usual * factor, tail)
                yield metric, Histogram(
                    metric=metric.name, bounds=tuple(bounds), counts=counts, overflow=(0, 0),
                    limit=story.LIMIT, maximum=tuple(largest), instances=("0", "1"),
                    expected=sum(map(sum, counts)),
                )  # fmt: skip
                continue
            value = usual * factor if metric.direction.value == "lower" else usual / factor
            steps = metric.resolution
            yield (
                metric,
                Sample(metric=metric.name, values=(round(value / steps) * steps,), instances=("",)),
            )

    def _put(
        self, boot: _Boot, document: dict[str, Any],
        figures: Sequence[tuple[Metric, Sample | Histogram]], *, files: bool,
    ) -> None:  # fmt: skip
        self._count += 1
        folder = self.state / "runs" / str(self._count)
        if files or document["reason"]:
            _write(folder, document)
        version = self.tools[boot.benchmark.tool]
        run = runs.insert(
            self.conn, kernel_id=boot.kernel.id, document=document, location=str(folder),
            tool_version=version if figures else None,
            digest=bundles.sha(f"{document['run_key']} {self._count}"),
        )  # fmt: skip
        assert run is not None
        series = [
            runs.time_series_of(
                benchmark=boot.benchmark, parameters=document["parameters"], metric=metric,
                tool_version=metric.series_version(version), defaults={}, board_type=boot.kind.name,
            )
            for metric, _ in figures
        ]  # fmt: skip
        values = (f for _, f in figures)
        runs.insert_figures(self.conn, run, list(zip(series, values, strict=True)))
        self._fresh.append(run)

    def compare(
        self, base: Booted, new: Booted, board_type: str, role: str | None, stage: Any,
        *, plan: str = "nightly", **more: Any,
    ) -> StoredComparison:  # fmt: skip
        """Compare two kernels as a stage of a plan does."""
        return compare(
            conn=self.conn, catalogue=self.catalogue, board_type=board_type, role=role,
            base=KernelRef(text=base.identity["digest"], knobs=base.knobs),
            new=KernelRef(text=new.identity["digest"], knobs=new.knobs),
            plan=self.catalogue.plan(plan), stage=stage, **more,
        )  # fmt: skip

    def flush(self) -> None:
        """Store the statistics of what was booted since the last call."""
        run_values.put(self.conn, self._fresh)
        self._fresh.clear()


def generator(words: str) -> np.random.Generator:
    """Return a generator whose numbers depend on words alone."""
    seed = int.from_bytes(hashlib.sha256(words.encode()).digest()[:8], "big")
    return np.random.Generator(np.random.PCG64(seed))


def _write(folder: Path, document: dict[str, Any]) -> None:
    """Write a run's folder with its console."""
    folder.mkdir(parents=True, exist_ok=True)
    console = [f"[    0.000000] {document['environment']['/proc/version']}",
            f"[    0.000000] Command line: {document['environment']['/proc/cmdline']}"]  # fmt: skip
    console += [f"[   12.345678] {document['reason']}"] if document["reason"] else []
    (folder / "console.log").write_text("\n".join([*console, ""]))
    document["files"] = [describe(folder, "console.log")]
    (folder / "run.json").write_text(json.dumps(document, indent=1))
