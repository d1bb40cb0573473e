# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons put into a database by hand, and their figures."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

from tests.integration import bundles
from tests.made import figure
from vlag.config.catalogue import Catalogue
from vlag.store import comparisons, kernels, suspicions
from vlag.store.comparisons import Comparison, VerdictRow
from vlag.store.database import Connection

BASE = bundles.kernel("6.1")

BOARD = "qemu-sim-2"

#: Metric -> verdict, effect, hint, what rerun boots made of it; every kind, and several sizes.
FIGURES: dict[str, tuple[str, float | None, bool, str | None]] = {
    "m01": ("UNCHANGED", 0.001, False, None),
    "m02": ("IMPROVEMENT", 0.03, False, None),
    "m03": ("REGRESSION", -0.02, False, None),
    "m04": ("INCONCLUSIVE", 0.5, False, None),
    "m05": ("REGRESSION", -0.44, False, None),
    "m06": ("REGRESSION", 0.60, True, None),
    "m07": ("NOT_COMPARABLE", None, False, None),
    "m08": ("IMPROVEMENT", 0.30, False, None),
    "m09": ("REGRESSION", -0.05, False, "open"),
    "m10": ("IMPROVEMENT", 0.90, True, None),
    "m11": ("INCONCLUSIVE", None, False, None),
    "m12": ("REGRESSION", -0.40, False, "refuted"),
    "m13": ("INCONCLUSIVE", -0.2, False, "confirmed"),
    "m14": ("UNCHANGED", None, False, None),
    "m15": ("UNCHANGED", -0.001001001, False, None),
    "m16": ("MARGINAL", 0.05, False, None),
    "m17": ("MARGINAL", -0.06, True, None),
    "m18": ("MARGINAL", -0.07, False, "open"),
    "m19": ("REGRESSION", -0.08, False, "undecided"),
    "m20": ("REGRESSION", -0.04, False, "undecided"),
}

#: What rerun boots say of those that they decided, or did not.
FRESH = {
    "m12": ("UNCHANGED", -0.01),
    "m13": ("REGRESSION", -0.3),
    "m19": ("MARGINAL", -0.055),
    "m20": ("INCONCLUSIVE", -0.03),
}


class Record:
    """A database, and comparisons put into it by hand."""

    def __init__(self, conn: Connection, catalogue: Catalogue, folder: Path) -> None:
        self.conn, self.catalogue = conn, catalogue
        bundles.store(conn, catalogue, bundles.side(folder, BASE, catalogue, factors=(1.0,)))
        self.numbers = itertools.count()

    def compare(
        self, new: dict[str, Any], verdicts: list[VerdictRow], **changes: Any
    ) -> Comparison:
        given: dict[str, Any] = {
            "inputs": bundles.sha(str(next(self.numbers))),
            "base_kernel": kernels.id_of(self.conn, BASE),
            "new_kernel": kernels.id_of(self.conn, new), "board_type": BOARD, "base_knobs": {},
            "new_knobs": {}, "factors": {}, "failed_builds": [], "failed_runs": [], "notes": [],
            "plan": "nightly", "stage": "screen", "role": "baseline", **changes,
        }  # fmt: skip
        id_, _ = comparisons.insert(self.conn, Comparison(**given), verdicts)
        found = comparisons.by_id(self.conn, id_)
        assert found is not None
        return found

    def every(self, new: dict[str, Any]) -> Comparison:
        """Put the figures of all kinds on record, with what rerun boots say."""
        screen = self.compare(
            new,
            [
                figure(m, verdict, effect, hint=hint, suspect=stand is not None, confirmable=True)
                for m, (verdict, effect, hint, stand) in FIGURES.items()
            ],
        )
        verdicts = comparisons.verdicts(self.conn, screen.id or 0)
        suspicions.raise_(self.conn, screen, [v for v in verdicts if v.suspect])
        fresh = [figure(m, word, effect) for m, (word, effect) in FRESH.items()]
        confirm = self.compare(new, fresh, stage="confirm", round=1)
        by_metric = {v.metric: v for v in fresh}
        for s in suspicions.of(self.conn, screen):
            stand = FIGURES[s.metric][3]
            if stand in ("confirmed", "refuted", "undecided"):
                suspicions.decide(self.conn, s, by_metric[s.metric], confirm, stand=stand)
        return screen


WORDS = ("REGRESSION", "IMPROVEMENT", "UNCHANGED", "INCONCLUSIVE", "MARGINAL")

STANDS = (None, None, "open", "confirmed", "refuted", "undecided")


def drawn(record: Record, new: dict[str, Any], chance: random.Random) -> int:
    """Store a screen with figures drawn by chance, and what rerun boots say of them."""

    def some(metric: str, **changes: Any) -> Any:
        effect = chance.uniform(-0.9, 3.0)
        low, high = effect - chance.uniform(0, 0.1), effect + chance.uniform(0, 0.5)
        n = chance.randint(3, 40)
        return figure(metric, chance.choice(WORDS), effect, ci_low=low, ci_high=high, n_base=n,
                      n_new=n + 1, **changes)  # fmt: skip

    stands = {f"m{n:02}": chance.choice(STANDS) for n in range(6)}
    screen = record.compare(
        new,
        [some(m, suspect=s is not None, confirmable=True, hint=chance.random() < 0.2)
         for m, s in stands.items()],
    )  # fmt: skip
    suspects = [v for v in comparisons.verdicts(record.conn, screen.id or 0) if v.suspect]
    suspicions.raise_(record.conn, screen, suspects)
    fresh = {v.metric: some(v.metric) for v in suspects}
    confirm = record.compare(new, list(fresh.values()), stage="confirm", round=1)
    for s in suspicions.of(record.conn, screen):
        stand = stands[s.metric]
        assert stand is not None
        if stand != "open":
            suspicions.decide(record.conn, s, fresh[s.metric], confirm, stand=stand)
    assert screen.id is not None
    return screen.id
