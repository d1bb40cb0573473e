# SPDX-License-Identifier: GPL-2.0-only
"""What a deterministic board counts stands in an alert beside what hardware has sampled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration import bundles, profiled
from vlag.alerts import derive
from vlag.compare.kernels import compare
from vlag.config import Alerts
from vlag.config.catalogue import Catalogue
from vlag.search import sampled_runs
from vlag.store import comparisons
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

BASE, NEW = (bundles.kernel(name, arch="arm64") for name in ("6.1", "6.12"))
WORSE = tuple(0.8 * f for f in profiled.SAME)
COUNTED = "qemu-sim-2 counts +160.4 instructions a switch in pick_task_fair"
#: The report's function whose change is sure, by the name that the other board's compiler gave it.
SAME_FUNCTION = ("_raw_spin_unlock_irqrestore", "pick_task_fair.isra.0")


def paragraph(
    conn: Connection, catalogue: Catalogue, folder: Path, kinds: tuple[str, str],
    renamed: tuple[str, str] = ("", ""), counted: bool = True,
) -> str:  # fmt: skip
    """Return what the alert says of one loss on both boards."""
    ids = []
    if counted:
        of = profiled.compared(conn, catalogue, folder / "counted")
        profiled.store(conn, catalogue, of)
        ids.append(of.id)
    paths = []
    for kernel, factors, kind in zip((BASE, NEW), (profiled.SAME, WORSE), kinds, strict=True):
        board = profiled.SAMPLED_BOARD
        paths += bundles.side(folder, kernel, catalogue, factors=factors, board=board)
        paths += profiled.sampled(folder, kernel, catalogue, kind, renamed)
    bundles.store(conn, catalogue, paths)
    made = compare(
        conn=conn, catalogue=catalogue, board_type="rpi5", role="baseline",
        base=KernelRef(text=BASE["digest"]), new=KernelRef(text=NEW["digest"]),
    )  # fmt: skip
    comparison = comparisons.by_id(conn, made.id)
    assert comparison is not None
    sampled_runs.explain(conn, catalogue, comparison, 3)
    derive.derive(conn, catalogue, [*ids, made.id], Alerts())
    [*_, (body,)] = conn.execute("SELECT body FROM alert WHERE board_type IS DISTINCT FROM"
                                 " 'qemu-sim-2' ORDER BY id").fetchall()  # fmt: skip
    return " ".join(body.partition("\n\n")[0].split())


@pytest.mark.parametrize(
    ("kinds", "renamed", "said"),
    [
        (("base", "new"), SAME_FUNCTION, "and the samples agree (+683.2 cpu-clock)"),
        (("new", "base"), SAME_FUNCTION, "and the samples do not agree (-683.2 cpu-clock)"),
        (("base", "new"), ("pick_task_fair", "another_name"), "which the samples do not show"),
        (("base", "new"), ("finish_task_switch.isra.0", "pick_task_fair.isra.0"),
         "of which the samples are not sure (+"),
    ],
)  # fmt: skip
def test_a_boards_prediction_is_held_against_samples(
    conn: Connection, catalogue: Catalogue, tmp_path: Path, kinds: tuple[str, str],
    renamed: tuple[str, str], said: str,
) -> None:  # fmt: skip
    text = paragraph(conn, catalogue, tmp_path, kinds, renamed)
    assert f"; {COUNTED}, {said}" in text


def test_without_a_count_nothing_is_predicted(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    """Negative control."""
    text = paragraph(conn, catalogue, tmp_path, ("base", "new"), counted=False)
    assert "sampled (stress-ng-switch)." in text
    assert "counts" not in text
