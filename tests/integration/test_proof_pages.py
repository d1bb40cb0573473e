# SPDX-License-Identifier: GPL-2.0-only
"""The self-proof has its own page and line, and counts for no branch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.integration import bundles, nights
from tests.integration.alerting import SAME, Record
from tests.integration.grafana import opened
from tests.integration.webpages import text
from tests.integration.websites import application, visitor
from vlag.config.catalogue import Catalogue
from vlag.kernel import series
from vlag.kernel.series import PATCHES
from vlag.notifications.night_end import EndedNight, tell
from vlag.report import read_model
from vlag.store.database import Connection

SLOWER = tuple(0.9 * f for f in SAME)
PLAIN = bundles.kernel("6.12")
PATCH = "02-pick-path"
ODD = {"name": "0001-odd.patch", "sha256": "5" * 64}
NAME = f"{PATCH} on qemu-sim-2"


def patched(*, known: bool) -> dict[str, Any]:
    """Return 6.12 with a known regression, or with a patch that predicts nothing."""
    if not known:
        return bundles.kernel("6.12", series="fixes", application="solo(1)", patches=[ODD])
    number, patch = next(
        (i, p)
        for i, p in enumerate(series.read(PATCHES, "known-regressions"), 1)
        if p.name == f"{PATCH}.patch"
    )
    applied = [{"name": patch.name, "sha256": patch.sha256}]
    return bundles.kernel(
        "6.12", series="known-regressions", application=f"solo({number})", patches=applied
    )


@pytest.mark.parametrize(
    ("known", "factors", "line"),
    [
        (True, SLOWER, "Proof: 1 of 1 as predicted."),
        (True, SAME, f"PROOF FAILED: 0 of 1 as predicted; {NAME} NOT"),
        (False, SLOWER, None),  # negative control: it is compared as any other
    ],
)
def test_the_self_proof_is_apart(
    conn: Connection,
    dsn: str,
    catalogue: Catalogue,
    tmp_path: Path,
    known: bool,
    factors: tuple[float, ...],
    line: str | None,
) -> None:
    record = Record(conn=conn, catalogue=catalogue, folder=tmp_path)
    new = patched(known=known)
    record.fill(PLAIN, SAME)
    record.fill(new, factors)
    compared = record.compare(PLAIN, new, "baseline")
    ended = EndedNight(
        key="one", comparisons=[compared], started=nights.FIRST, finished=nights.FIRST
    )
    tell(conn, catalogue, nights.settings(tmp_path), ended)
    state = read_model.branch(conn, "debian", "linux-6.12")
    shown = [] if known else [compared]
    found = read_model.overview(conn)
    assert [c["id"] for c in found["comparisons"]] == shown
    assert [c["id"] for c in state["comparisons"]] == shown
    assert [r[0] for r in conn.execute("SELECT id FROM read_model.latest")] == shown
    for _, reader in opened(dsn):
        panel = reader.panel("vlag-overview", "Self-proof of the last night")
        [worse] = reader.panel("vlag-overview", "Regressions last night")
        assert [(p["patch"], p["proof"]) for p in panel] == (
            [(NAME, "as predicted" if factors is SLOWER else "NOT as predicted")] if known else []
        )
        assert worse == {"worse": int(not known)}
    site = visitor(application(dsn, tmp_path))
    front, branch, proof, matrix = (
        site.get(url).get_data(as_text=True)
        for url in ("/", "/branch?branch=debian/linux-6.12", "/proof",
                    "/matrix?branch=debian/linux-6.12")
    )  # fmt: skip
    assert (f"compare?id={compared}" in matrix) == (not known)
    assert (f"compare?id={compared}" in front) == (not known)
    assert (f"compare?id={compared}" in branch) == (not known)
    assert (f"compare?id={compared}" in proof) == known
    if line is None:
        assert found["proof"] is None
        assert "Proof" not in text(front).replace("Self-proof", "")
        assert "had nothing to prove" in text(proof)
        return
    assert found["proof"] is not None
    assert found["proof"]["text"] == line
    assert f">{line}</a>" in front
    assert line in text(proof)
    assert f"{NAME} {'yes' if factors is SLOWER else 'NOT'} " in text(proof)
    assert site.get("/proof?night=99").status_code == 404


def test_its_suspicions_and_alerts_are_not_those_of_a_branch(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    record = Record(conn=conn, catalogue=catalogue, folder=tmp_path)
    new = patched(known=True)
    record.fill(PLAIN, SAME)
    record.fill(new, SLOWER)
    record.compare(PLAIN, new, "baseline", plan=nights.PLAN, stage="screen")
    raised = conn.execute("SELECT predicted, stand FROM read_model.suspicion").fetchall()
    assert raised
    assert {r[0] for r in raised} == {True}
    assert read_model.branch(conn, "debian", "linux-6.12")["suspicions"] == []
    # Negative control: of another patch they are.
    other = patched(known=False)
    record.fill(other, SLOWER)
    record.compare(PLAIN, other, "baseline", plan=nights.PLAN, stage="screen")
    kept = read_model.branch(conn, "debian", "linux-6.12")["suspicions"]
    assert len(kept) == len(raised)
    assert all("fixes" in s["new"] for s in kept)
