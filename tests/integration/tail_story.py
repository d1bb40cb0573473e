# SPDX-License-Identifier: GPL-2.0-only
"""A regression of a tail on boards of a lab, whose boots observe who blocked the worst wake-ups."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from attrs import define, field

from tests.fuzz.properties import CAPTURES
from tests.integration import bundles
from tests.integration.hardware_story import KIND, Story
from tests.integration.planted import planted
from vlag.lava import worst_wakeups

BENCHMARK = "cyclictest-hackbench"
#: The config of a kernel that has all that boots of this benchmark observe.
CONFIG = (b"CONFIG_TIMERLAT_TRACER=y\nCONFIG_SCHEDSTATS=y\nCONFIG_PERF_EVENTS=y\n"
          b"CONFIG_KALLSYMS=y\n")  # fmt: skip
#: What rtla printed of one wake-up, without the command.
HIT = (CAPTURES / "timerlat" / "6.12-hackbench.txt").read_text().split("\n", 1)[1]


def kept(names: Mapping[str, int]) -> bytes:
    """Return the file of a boot in which threads of these names blocked so many wake-ups."""
    hits = [HIT.replace("rc=0\n", "").replace("hackbench", name) for name in names
            for _ in range(names[name])]  # fmt: skip
    runs = "".join(f"== threshold 2000 us\n{hit}== status 0\n" for hit in hits)
    return f"$ rtla timerlat top -k --aa-only US\n{runs}== end\n".encode()


@define(kw_only=True)
class TailStory(Story):
    """Its regression is one of the tail of a latency."""

    #: By side and seed: thread -> wake-ups that it blocked.
    blocked: Mapping[str, Mapping[int, Mapping[str, int]]] = field(factory=dict)

    def night(self) -> int:
        id_ = super().night()
        parameters = dict(self.catalogue.benchmark(BENCHMARK).parameters)
        with planted(self.conn) as conn:
            conn.execute(
                "UPDATE verdict SET benchmark = %s, parameters = %s, metric = 'latency',"
                " statistic = 'p99.9', unit = 'us'",
                (BENCHMARK, json.dumps(parameters)),
            )
        return id_

    def sample(self, commit: str, seed: int, observes: str) -> Path:
        if observes != "timerlat":
            return super().sample(commit, seed, observes)
        side = "base" if self.level(commit) == self.levels[0] else "new"
        kind = self.catalogue.board_type(KIND)
        board = {**bundles.BOARD, "name": next(iter(self.boards)), "board_type": KIND,
                 "cpus": kind.cpus, "deterministic": False, "emulator": None}  # fmt: skip
        folder = bundles.run(
            self.folder / "runs" / f"{observes}-{commit[:12]}-{seed}", self.kernel(commit),
            self.catalogue, benchmark=BENCHMARK, seed=seed, board=board, observes=observes,
            plan=None,
        )  # fmt: skip
        entry = bundles.add(folder, f"raw/{worst_wakeups.FILE}", kept(self.blocked[side][seed]))
        files = json.loads((folder / "run.json").read_text())["files"]
        return bundles.edit(folder, files=[*files, entry])
