# SPDX-License-Identifier: GPL-2.0-only
"""A real night on every surface: what two of them show of one figure is one number."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from attrs import evolve

from tests.conftest import drop_database, fresh_database
from tests.integration import bundles
from tests.integration.figures_shown import Surface, disagreements
from tests.integration.grafana import opened
from tests.integration.nights import MAIL, settings
from tests.integration.reports import environment
from tests.integration.surfaces import WalkedNight, all_of, in_process, named_if_spoiled, surfaces
from tests.integration.websites import PLAN, application, visitor
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.model import Plan
from vlag.notifications import night_end
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

BOARD = "qemu"
FIRST = datetime(2026, 3, 1, 2, tzinfo=UTC)
#: Ten boots of a night: five of the screen and five of its rerun.
SCATTER = (1.0, 1.004, 0.996, 1.002, 0.998, 1.003, 0.997, 1.001, 0.999, 1.0)
LATE = (0, 1, 0, 2, 0, 1, 0, 1, 2, 0)
BASE, PARENT, HEAD = (
    bundles.kernel("6.1"), bundles.kernel("6.12.1", branch="linux-6.12"),
    bundles.kernel("6.12.2", branch="linux-6.12"),
)  # fmt: skip
#: What the walk has to see at least, of how many comparisons.
SURFACES = {
    "/compare": 2, "/latency": 2, "/choose": 2, "/branch": 2, "/alert": 1, "feed": 1, "/, ": 3,
    "report as text": 2, "report as markdown": 2, "report as html": 2, "report as json": 2,
    "report's distributions": 2, "branch as text": 2, "branch as json": 2, "API, ": 3,
    "API's quantiles": 2,
    "mail as plain": 2, "mail as html": 2, "webhook": 1,
    "panel of effects": 2,
    "panel of the shift": 2, "panel of comparisons": 2, "vlag status": 2, "vlag report": 2,
    "vlag alerts show": 1, "KCIDB": 2, "/across": 2, "panel of the matrix": 2,
}  # fmt: skip


def boot(
    conn: Connection, catalogue: Catalogue, folder: Any, of: dict[str, Any], night: int,
    level: float = 1.0, late: int = 0, hours: int = 0,
) -> None:  # fmt: skip
    kind = catalogue.board_types[BOARD]
    where = {**bundles.BOARD, "name": "qemu-1", "board_type": BOARD,
             "deterministic": kind.deterministic, "cpus": kind.cpus}  # fmt: skip
    turned = [*SCATTER[night % 10 :], *SCATTER[: night % 10]]
    paths = bundles.side(
        folder, of, catalogue, factors=[level * f for f in turned],
        shifts=[late + s for s in (*LATE[night % 10 :], *LATE[: night % 10])], board=where,
        finished_at=(FIRST + timedelta(days=night, hours=hours)).isoformat(),
        run_key=bundles.sha(f"{of['digest']} {night}"),
    )  # fmt: skip
    bundles.store(conn, catalogue, paths)


def plan() -> Plan:
    return evolve(PLAN, entries=tuple(evolve(e, board_types=(BOARD,)) for e in PLAN.entries))


def fill(conn: Connection, catalogue: Catalogue, folder: Any) -> dict[str, int]:
    """Tell of a head that is slower than its parent, which is faster than the baseline.

    The baseline was booted in earlier nights too: they count for its levels.
    """
    for night in range(4):
        boot(conn, catalogue, folder, BASE, night, level=1 + 0.004 * (night % 2), late=night % 3)
    boot(conn, catalogue, folder, PARENT, 3, level=1.04, hours=1)
    boot(conn, catalogue, folder, HEAD, 3, level=0.95, late=60, hours=2)
    ids: dict[str, int] = {}
    for stage in ("screen", "confirm"):
        for role, base in (("baseline", BASE), ("parent", PARENT)):
            made = compare(
                conn=conn, catalogue=catalogue, base=KernelRef(text=base["digest"]),
                new=KernelRef(text=HEAD["digest"]), board_type=BOARD, role=role,
                plan=plan(), stage=stage,
            )  # fmt: skip
            ids.setdefault(role, made.id)
    return ids


@pytest.fixture(scope="module")
def night(
    cluster: str, template: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[WalkedNight]:
    dsn, folder = fresh_database(cluster, template), tmp_path_factory.mktemp("night")
    hook = folder / "hook"
    hook.write_text("a secret")
    hook.chmod(0o600)
    sections = f'[webhook]\nurl = "http://127.0.0.1:9/"\nsecret_file = "{hook}"\n'
    told = settings(folder, MAIL + sections)
    told = evolve(
        told, branches=tuple(evolve(b, board_types=(BOARD,), plan="nightly") for b in told.branches)
    )
    catalogue = evolve(catalogue, plans={"nightly": plan()})
    for conn, reader in opened(dsn):
        ids = fill(conn, catalogue, folder)
        began = FIRST + timedelta(days=3)
        ended = night_end.EndedNight(
            key="1", started=began, finished=began + timedelta(hours=4),
            comparisons=list(ids.values()),
        )  # fmt: skip
        night_end.tell(conn, catalogue, told, ended, synthetic=False)
        elsewhere = tmp_path_factory.mktemp("settings")
        yield WalkedNight(
            conn=conn, catalogue=catalogue, reader=reader, state=folder, board_type=BOARD,
            site=visitor(application(dsn, folder)), branch="debian/linux-6.12",
            vlag=in_process(environment(dsn, elsewhere)),
        )  # fmt: skip
    drop_database(dsn)


@pytest.fixture(scope="module")
def walked(night: WalkedNight) -> list[Surface]:
    return surfaces(night)


def test_one_figure_is_one_number_on_every_surface(walked: list[Surface]) -> None:
    assert disagreements(all_of(walked)) == []


def test_the_worst_change_is_that_of_a_figure(walked: list[Surface]) -> None:
    shown = all_of(walked)
    worst = [s for s in shown if s.name == "worst"]
    changes = [s for s in shown if s.what == "change" and s.surface.startswith("report as json")]
    assert worst
    for w in worst:
        assert any(
            disagreements([w, evolve(c, name="worst", text=c.text.lstrip("+-"))]) == []
            for c in changes
            if c.comparison == w.comparison
        ), w


def test_the_walk_reads_every_surface(walked: list[Surface], night: WalkedNight) -> None:
    shown = all_of(walked)
    for prefix, most in SURFACES.items():
        some = [s for s in shown if s.surface.startswith(prefix)]
        assert len({(s.surface, s.comparison) for s in some}) >= most, prefix
    silent = {w.name for w in walked} - {s.surface for s in shown}
    assert silent == set()
    # Each figure of a comparison is on more than ten of them.
    for name in night.names:
        for id_ in night.comparisons.values():
            seen = {s.surface for s in shown if (s.name, s.comparison) == (name, id_)}
            assert len(seen) > 10, (name, id_, seen)
    # Earlier boots of the base count, so that a plain mean of tonight's is another number.
    [[reason]] = night.conn.execute(
        "SELECT reason FROM verdict WHERE comparison = %s AND metric = 'bogo-ops-rate'",
        (night.by_role["baseline"],),
    ).fetchall()
    assert "earlier boots of the base count" in reason


def test_another_figure_on_one_surface_is_named(walked: list[Surface]) -> None:
    """Negative control, surface by surface: the last digit of one number is another one."""
    for surface in walked:
        assert named_if_spoiled(surface, walked), surface.name
