"""False alarms and power of a comparison of five boots with five, on drawn boots."""

from __future__ import annotations

import numpy as np

from tests.bench.evidence import table, write
from vlag.model import Direction, Verdict
from vlag.stats.compare import compare

PAIRS = 20_000
BOOTS = 5
SPREADS = (0.0005, 0.005, 0.02)
SHIFTS = (0.0, -0.02, -0.03, -0.05, -0.10)


def flags(spread: float, shift: float, seed: int) -> tuple[float, float]:
    """Return the shares of pairs that are flagged REGRESSION, and either way."""
    random = np.random.default_rng(seed)
    draws = random.normal(0.0, spread, (PAIRS, 2, BOOTS))
    draws[:, 1] += np.log1p(shift)
    verdicts = [
        compare(
            list(1e5 * np.exp(base)), list(1e5 * np.exp(new)),
            direction=Direction.HIGHER, relevance=0.01, resolution=0.01,
        ).verdict
        for base, new in draws
    ]  # fmt: skip
    worse = sum(v is Verdict.REGRESSION for v in verdicts)
    either = worse + sum(v is Verdict.IMPROVEMENT for v in verdicts)
    return worse / PAIRS, either / PAIRS


def main() -> None:
    """Draw, compare, and write the page."""
    rows = []
    for spread in SPREADS:
        for i, shift in enumerate(SHIFTS):
            worse, either = flags(spread, shift, seed=1000 + i)
            shown = f"{either * 1000:.2f} of 1000 flagged" if shift == 0 else f"{worse:.1%} flagged"
            rows.append((f"{spread:.2%}", f"{shift:+.0%}" if shift else "none", shown))
    write(
        "verdicts",
        "False alarms and power of one comparison",
        "python -m tests.bench verdicts",
        [f"{PAIRS} drawn pairs a line, {BOOTS} boots a side, log-normal; relevance 1 %"],
        table(["spread between boots (CV)", "true change", "REGRESSION"], rows),
    )


if __name__ == "__main__":
    main()
