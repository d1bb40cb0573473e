# SPDX-License-Identifier: GPL-2.0-only
"""Stand-ins for boots of the kernels of a tiny tree: an image is a number, its kernel's speed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.integration import bundles
from vlag.config import kernel_needs
from vlag.config.catalogue import Catalogue

#: Speed of the kernel, and seed of each boot.
Booted = list[tuple[str, int]]


def options(catalogue: Catalogue) -> str:
    """Return a config with all that the smallest deterministic board needs."""
    needs = kernel_needs.of_board_type(catalogue.board_type("qemu-sim-2"), catalogue)
    return "".join(f"{n.option}={'y' if n.least is None else n.least}\n" for n in needs)


def stand_in(runs: Path, catalogue: Catalogue, booted: Booted) -> Callable[..., dict[str, Any]]:
    """Return what boots in place of `side_by_side.boot`; a speed of `panic` panics."""

    def boot(kernel: Path, board: Any, *, benchmark: str, seed: int, **_: Any) -> dict[str, Any]:
        document = json.loads((kernel / "build.json").read_text())
        speed = (kernel / "image").read_text().strip()
        booted.append((speed, seed))
        run = runs / f"{document['kernel']['digest'][:12]}-{benchmark}-{seed}"
        about: dict[str, Any] = {
            "benchmark": benchmark,
            "seed": seed,
            "image_sha256": document["image"]["sha256"],
            "release": document["release"],
            "config_sha256": document["config"]["sha256"],
        }
        reused = run.exists()
        if speed == "panic":
            about |= {"outcome": "panic", "reason": "it panics"}
        else:
            rate = bundles.stress_ng(float(speed) * (1 + seed / 2000))
            about["raw"] = rate if benchmark == "stress-ng-switch" else bundles.cyclictest(seed)
        if not reused:
            bundles.run(run, document["kernel"], catalogue, **about)
        made = json.loads((run / "run.json").read_text())
        output = None if made["output"] is None else str(run / made["output"])
        return {"bundle": str(run), "reused": reused, "output": output,
                "outcome": made["outcome"], "reason": made["reason"]}  # fmt: skip

    return boot
