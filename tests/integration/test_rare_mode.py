# SPDX-License-Identifier: GPL-2.0-only
"""A commit that slows some boots: through a push, a night, the search, the alert and the mail."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from attrs import evolve, frozen

from tests.integration import bundles, nights
from tests.integration.search_lab import LAST, Lab
from tests.integration.webpages import read, text
from tests.integration.websites import application, visitor
from vlag import config
from vlag.alerts import derive as alerting
from vlag.compare.kernels import StoredComparison, compare
from vlag.compare.scope import Stage
from vlag.config.catalogue import Catalogue
from vlag.model import Plan, PlanEntry
from vlag.notifications import night_end
from vlag.pipeline import confirmation
from vlag.report.data import comparison as data
from vlag.store import messages
from vlag.store.alerts import REGRESSION, Alert
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

CULPRIT = 6
MAIL = nights.MAIL.replace("debian/linux-6.12", "tiny/main")
PLAN = Plan(
    name="nightly",
    entries=(
        PlanEntry(
            benchmark="stress-ng-switch", parameters={}, board_types=("qemu-sim-2",),
            seeds=5, rounds=(10, 20, 40), mode_rounds=(60,), timeout_s=60,
        ),
    ),
)  # fmt: skip
#: What the head's boots say once the rerun has decided.
SENTENCE = "boots lose 38 %; of the base's"


@frozen(kw_only=True)
class Service:
    """What a night and pushes do with the boots of a lab, in their order."""

    lab: Lab
    boards: int = 1  # of the type

    def boots(self, n: int, seeds: range, day: int = 2) -> None:
        """Boot a commit with seeds that it has not had."""
        commit = self.lab.commits[n]
        if commit not in self.lab.asked:
            self.lab.build(commit)
        ended = f"2026-03-{day:02}T10:05:00Z"
        for seed in seeds:
            if not (self.lab.folder / "runs" / f"{commit[:12]}-{seed}").exists():
                board = {**bundles.BOARD, "name": f"sim2-{1 + seed % self.boards}"}
                self.lab.boot(commit, seed, PLAN.name, finished_at=ended, board=board)

    def compare(self, base: int, new: int, role: str) -> list[int]:
        """Compare two commits; boot again what is suspected, round after round."""
        for n in (base, new):
            self.boots(n, range(1, 6))
        first = self._compare(base, new, role, "screen", None)
        ids, names = [first.id], confirmation.of_a_change(first.suspects, first.better)
        [entry] = PLAN.entries
        for number, last in enumerate(entry.all_rounds, 1):
            if not names:
                break
            for n in (base, new):
                self.boots(n, range(6, 6 + last))
            again = self._compare(base, new, role, "confirm", number)
            ids.append(again.id)
            names = again.open
        return ids

    def _compare(
        self, base: int, new: int, role: str, stage: Stage, round_: int | None
    ) -> StoredComparison:
        return compare(
            conn=self.lab.conn, catalogue=self.lab.catalogue, board_type="qemu-sim-2", plan=PLAN,
            base=KernelRef(text=self.lab.commits[base]), new=KernelRef(text=self.lab.commits[new]),
            stage=stage, round_=round_, role=role, baseline="tiny/v1",
        )  # fmt: skip

    def alerts(self, ids: list[int]) -> list[Alert]:
        """Return what is told of losses, not of nights."""
        told = alerting.derive(self.lab.conn, self.lab.catalogue, ids)
        return [alert for alert in told if alert.kind == REGRESSION]

    def mail(self, ids: list[int], night: int = 1) -> str:
        """Return the mail of a night with these comparisons."""
        started = datetime(2026, 3, 1 + night, 1, 30, tzinfo=UTC)
        settings = config.load(self.lab.folder / "vlag.toml")
        ended = night_end.EndedNight(
            key=f"night {night}", started=started, finished=started + timedelta(hours=12),
            comparisons=ids,
        )  # fmt: skip
        night_end.tell(self.lab.conn, self.lab.catalogue, settings, ended)
        sent = message_from_bytes(messages.latest(self.lab.conn, 1)[-1].body, policy=policy.default)
        body = sent.get_body(("plain",))
        assert body is not None
        return " ".join(f"{sent['subject']} {body.get_content()}".split())


def service(
    conn: Connection,
    dsn: str,
    catalogue: Catalogue,
    folder: Path,
    rare: tuple[int, float],
    boards: int = 1,
) -> Service:
    """Return a service that has measured the harmless commits before."""
    lab = Lab(
        conn=conn, dsn=dsn, folder=folder, levels={0: 1.0}, rare=rare, more=MAIL,
        catalogue=evolve(catalogue, plans={**catalogue.plans, PLAN.name: PLAN}),
    )  # fmt: skip
    lab.prepare()
    made = Service(lab=lab, boards=boards)
    for n in range(1, 5):
        made.boots(n, range(1, 6), day=1)
    return made


def test_a_mode_of_some_boots_is_told_with_its_commit(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    made = service(conn, dsn, catalogue, tmp_path, (CULPRIT, 0.35))
    lab = made.lab
    # The push: each commit against its parent.
    pushed = {n: made.compare(n - 1, n, "parent") for n in (CULPRIT - 1, CULPRIT, CULPRIT + 1)}
    told = made.alerts([id_ for ids in pushed.values() for id_ in ids])
    [alert] = told
    assert lab.commits[CULPRIT][:12] in alert.body
    assert SENTENCE in " ".join(alert.body.split())
    # The night: the head against the baseline, eight commits before it.
    screen, *reruns = made.compare(0, LAST, "baseline")
    assert reruns
    said = made.mail([screen, *reruns])
    assert SENTENCE in said
    assert "(seeds" in said
    # The search.
    answer = lab.search(screen)
    assert answer["found"] == {
        str(screen): {"commits": [lab.commits[CULPRIT]], "subject": f"sched: change {CULPRIT}"}
    }
    [row] = data.report(conn, lab.catalogue, screen, lab.folder)["bisections"]
    assert SENTENCE in row["document"]["mode"]["sentence"]
    for step in row["document"]["steps"]:
        # A good commit has as many boots as a kernel like the bad one would hardly miss it in.
        assert step["in_mode"] >= 2 if step["word"] == "bad" else step["boots"] >= 20
    check = row["document"]["check"]
    assert check["in_mode"][0] == 0 < check["in_mode"][1]
    made.alerts([screen, *reruns])
    client = visitor(application(dsn, lab.folder))
    for address in (f"/compare?id={screen}", f"/alert?id={alert.id}"):
        page = text(read(client, address))
        assert SENTENCE in page, address
        assert lab.commits[CULPRIT][:12] in page, address


@pytest.mark.parametrize(("share", "told"), [(0.35, 1), (0.0, 0)], ids=["a mode", "no mode"])
def test_a_mode_on_several_boards_of_one_type(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path, share: float, told: int
) -> None:
    """Boots of deterministic boards of one type are all one."""
    made = service(conn, dsn, catalogue, tmp_path, (CULPRIT, share), boards=2)
    alerts = made.alerts(made.compare(CULPRIT - 1, CULPRIT, "parent"))
    assert len(alerts) == told
    assert all(SENTENCE in " ".join(alert.body.split()) for alert in alerts)
    boards = conn.execute("SELECT count(DISTINCT board) FROM run").fetchone()
    assert boards == (2,)


@pytest.mark.parametrize(
    "rare", [(CULPRIT, 0.0), (0, 0.35)], ids=["no mode", "the mode is on both sides"]
)
def test_without_a_new_mode_nothing_is_told(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path, rare: tuple[int, float]
) -> None:
    """Negative control."""
    made = service(conn, dsn, catalogue, tmp_path, rare)
    ids = made.compare(CULPRIT - 1, CULPRIT, "parent")
    assert made.alerts(ids) == []
    night = made.compare(0, LAST, "baseline")
    said = made.mail(night)
    assert "lose 38" not in said
    assert "REGRESSION" not in said
    assert made.alerts(night) == []
    nothing: dict[str, object] = {
        "builds": [], "boots": [], "found": {}, "fixed": {}, "skipped": [],
    }  # fmt: skip
    assert made.lab.next(night[0]) == nothing
