# SPDX-License-Identifier: GPL-2.0-only
"""The door's sentence for prepared nights: read alone, it leads to the right conclusion."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Sequence
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
from attrs import define, evolve, frozen
from click.testing import CliRunner

from tests import settings_files
from tests.integration import bundles, nights
from tests.integration.nights import Nights
from tests.integration.planted_night import planted_night
from tests.integration.webpages import links, table, text
from tests.integration.websites import application, visitor
from vlag import ROOT
from vlag.cli.main import main
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.notifications.night_end import Told
from vlag.report import read_model
from vlag.report.conclusion import Answer, Conclusion, conclusion
from vlag.store import messages
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

#: A sentence below the name of each night, for a person to judge.
GOLDEN = ROOT / "tests" / "data" / "conclusions.txt"


@pytest.fixture
def service(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Nights:
    return Clocked(
        conn=conn, catalogue=catalogue, folder=tmp_path, settings=nights.settings(tmp_path)
    )


@define(kw_only=True)
class Clocked(Nights):
    """Nights whose alerts open and end when their night ends, as in a service that runs."""

    def tell(self, ids: Sequence[int], key: str | None = None, **given: Any) -> Told:
        told = super().tell(ids, key, **given)
        ended = "(SELECT max(finished_at) FROM night)"
        fresh = "> now() - interval '1 hour'"
        for column in ("opened_at", "withdrawn_at"):
            self.conn.execute(
                f"UPDATE alert SET {column} = {ended} WHERE {column} {fresh}"  # noqa: S608
            )
        return told


def sentence(service: Nights, after: timedelta = timedelta(hours=1)) -> Conclusion:
    newest = read_model.overview(service.conn)
    now = nights.FIRST if newest["night"] is None else newest["night"]["finished_at"]
    return conclusion(newest, now + after)


def first_day(_: Nights) -> None:
    pass


def nothing(service: Nights) -> None:
    service.tell([service.compare("1")])
    service.tell([service.compare("2")])


def one_cause(service: Nights) -> None:
    service.tell([service.compare("1")])
    service.tell([service.compare("2", 0.9), service.compare("2", 0.9, role="parent")])


def as_before(service: Nights) -> None:
    one_cause(service)
    service.tell([service.compare("3", 0.9)])


def fixed(service: Nights) -> None:
    one_cause(service)
    service.tell([service.compare("3")])


def a_second_branch(service: Nights) -> None:
    other = service.branch
    service.tell([service.compare("1")])
    ids = [service.compare("2", 0.9)]
    service.branch = "6.18"
    ids.append(service.compare("2", 0.8))
    service.branch = other
    service.tell(ids)


def two_sound_branches(service: Nights) -> None:
    other = service.branch
    ids = [service.compare("1")]
    service.branch = "6.18"
    ids.append(service.compare("1"))
    service.branch = other
    service.tell(ids)


def suspected(service: Nights) -> None:
    service.tell([service.compare("1")])
    service.tell([service.compare("2", 0.9, stage="screen")])


def board_away(service: Nights) -> None:
    service.tell([service.compare("1")])
    service.tell([], missing=["linux-6.12 on qemu-sim-2: no board was there"] * 3)


def unfinished(service: Nights) -> None:
    nothing(service)
    service.tell([service.compare("3")], missing=["cyclictest on qemu-sim-2: cut off"])


def crashes(service: Nights) -> None:
    service.tell([service.compare("1", panic="Kernel panic - not syncing")])


def not_comparable(service: Nights) -> None:
    newer = {"sha256": bundles.sha("newer"), "packages": {"stress-ng": "0.23.02-1"}}
    service.tell([service.compare("1", changes={"userland": newer})])


def several_boards(service: Nights) -> None:
    boards = ("qemu-sim-2", "qemu-sim-4", "qemu-sim-8")
    more = settings_files.branch(board_types=boards[1:], baseline="v6.1")
    service.settings = nights.settings(service.folder, branches=more)
    service.tell([service.compare("1", board_type=b) for b in boards])
    losses = (0.9, 0.8, 0.85)
    service.tell(
        [service.compare("2", f, board_type=b) for b, f in zip(boards, losses, strict=True)]
    )


def second_cause(service: Nights) -> None:
    one_cause(service)
    service.tell([service.compare("3", 0.7), service.compare("3", 0.7, role="parent")])


def new_mode(service: Nights) -> None:
    """Every third boot of a rerun loses 38 %, and none of the base: most are as they were."""
    [entry] = service.plan.entries
    more = evolve(entry, seeds=20, rounds=(50,))
    service.plan = evolve(service.plan, entries=(more,))
    service.tell([service.compare("1", boots=4, stage="screen")])
    lost = {3, 11, *range(20, 70, 3)}  # two of the first twenty
    factors = [0.62 * f if n in lost else f for n, f in enumerate(nights.SAME * 14)]
    screen = service.compare("2", boots=4, factors=factors[:20], stage="screen")
    service.compare("2", stage="confirm", boots=14, factors=factors)
    service.tell([screen])


def hints(service: Nights) -> None:
    service.tell([service.compare("1", shifts=[90, 91, 92, 90, 91])])


def proof_failed(service: Nights) -> None:
    service.tell([service.compare("1")], missing=["no proof: pick-path on qemu-sim-2: not built"])


def old(service: Nights) -> None:
    nothing(service)


NIGHTS: dict[str, Callable[[Nights], None]] = {
    "the first day": first_day,
    "nothing": nothing,
    "one cause": one_cause,
    "several boards": several_boards,
    "a second cause": second_cause,
    "only hints": hints,
    "a new mode": new_mode,
    "the same in the next night": as_before,
    "fixed": fixed,
    "two branches": a_second_branch,
    "two branches, none worse": two_sound_branches,
    "suspected": suspected,
    "the boards are away": board_away,
    "a night that was cut off": unfinished,
    "the kernel crashes": crashes,
    "everything not comparable": not_comparable,
    "the self-proof failed": proof_failed,
    "no night for a week": old,
}


@frozen
class Read:
    """What people read of a night: the door's sentence, and the subject of its mail."""

    sentence: str
    subject: str | None  # None: no night has ended

    def block(self, name: str) -> str:
        """Return it as the golden file has it."""
        lines = [name, *textwrap.wrap(self.sentence, 96, break_on_hyphens=False)]
        return "\n".join(lines if self.subject is None else [*lines, f"  mail: {self.subject}"])


def read(service: Nights, name: str) -> Read:
    """Let a prepared night come, and return what people read of it."""
    NIGHTS[name](service)
    after = timedelta(days=7) if name == "no night for a week" else timedelta(hours=1)
    mails = sorted(messages.latest(service.conn, 9), key=lambda m: m.id)
    subjects = [message_from_bytes(m.body, policy=policy.default)["Subject"] for m in mails]
    return Read(f"{sentence(service, after).sentence}.", subjects[-1] if subjects else None)


#: The nights from whose sentence alone a reader must come to the right conclusion.
ASKED = (
    "nothing", "one cause", "several boards", "a second cause", "fixed", "the self-proof failed",
    "the boards are away", "a night that was cut off", "only hints", "a new mode",
    "everything not comparable", "the first day",
)  # fmt: skip


def golden() -> dict[str, str]:
    blocks = GOLDEN.read_text(encoding="utf-8").strip().split("\n\n")
    return {block.splitlines()[0]: block for block in blocks}


def test_all_prepared_nights_are_there() -> None:
    assert list(golden()) == list(NIGHTS)
    assert set(ASKED) <= set(NIGHTS)


@pytest.mark.parametrize("name", list(NIGHTS))
def test_one_sentence_says_what_a_night_means(service: Nights, name: str) -> None:
    found = read(service, name).block(name)
    if os.environ.get("VLAG_GOLDEN") == "write":
        blocks = golden() | {name: found}
        text = "\n\n".join(blocks[n] for n in NIGHTS if n in blocks)
        GOLDEN.write_text(f"{text}\n", encoding="utf-8")
    assert found == golden()[name], "VLAG_GOLDEN=write writes it: read what changed"


def test_each_sentence_is_that_of_its_night_alone() -> None:
    """Negative control: no sentence would do for another conclusion."""
    alike = {"nothing", "no night for a week"}  # but for the day at its end
    said = [block.splitlines()[1:] for name, block in golden().items() if name not in alike]
    assert len({" ".join(lines) for lines in said}) == len(said)


def by_hand(service: Nights, new: dict[str, Any]) -> int:
    """Compare a kernel that is much slower with the baseline, as a person does."""
    base = bundles.kernel("6.1")
    state = service.folder / "state"
    factors = nights.slower(0.7)
    bundles.store(
        service.conn,
        service.catalogue,
        bundles.side(state, new, service.catalogue, factors=factors),
    )
    return compare(
        conn=service.conn,
        catalogue=service.catalogue,
        base=KernelRef(text=base["digest"]),
        new=KernelRef(text=new["digest"]),
        board_type="qemu-sim-2",
    ).id


def test_it_heads_pages_mail_and_status(
    service: Nights, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_cause(service)
    said = " ".join(f"{sentence(service).sentence}.".split())
    site = visitor(application(dsn, tmp_path))
    for url in ("/", "/index.html"):
        assert said.split(";", maxsplit=1)[0] in text(site.get(url).get_data(as_text=True))
    assert said.split(";", maxsplit=1)[0] not in text(site.get("/?filter=x").get_data(as_text=True))
    sent = message_from_bytes(messages.latest(service.conn, 1)[-1].body, policy=policy.default)
    body = sent.get_body(("plain",))
    assert body is not None
    assert " ".join(body.get_content().split()).startswith(said)
    monkeypatch.setenv("VLAG_SETTINGS", str(tmp_path / "vlag.toml"))
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    shown = CliRunner().invoke(main, ["status"], catch_exceptions=False)
    assert " ".join(shown.output.split()).startswith(said.split(";", maxsplit=1)[0])


def test_the_doors_sentence_leads_to_the_alert_and_its_commit(
    service: Nights, dsn: str, tmp_path: Path
) -> None:
    planted_night(service)
    alert = next(a for a in read_model.alerts(service.conn) if a["open"])
    commit = f"/commit?tree={alert['tree']}&commit={alert['commit']}"

    def said(**given: Any) -> str:
        page = visitor(application(dsn, tmp_path, **given)).get("/").get_data(as_text=True)
        return page.partition('id="conclusion"')[2].partition("</p>")[0]

    found = said(mirrors={"debian": tmp_path})
    assert links(found) == [f"/alert?id={alert['id']}", commit]
    shown = text(f"<p{found}").replace(" )", ")")
    assert shown.startswith(" ".join(sentence(service).sentence.split()))
    # Negative control: a tree without pages has no page for its commit.
    assert links(said()) == [f"/alert?id={alert['id']}"]


def test_what_people_try_says_nothing_of_a_branch(
    service: Nights, dsn: str, tmp_path: Path
) -> None:
    nothing(service)
    before = sentence(service).sentence
    tried = by_hand(service, bundles.kernel("6.12", series="slow", application="full"))
    newest = read_model.overview(service.conn)
    assert [c["id"] for c in newest["tried"]] == [tried]
    assert sentence(service).sentence == before
    page = visitor(application(dsn, tmp_path)).get("/").get_data(as_text=True)
    assert "Tried on purpose" in page
    _head, *rows = table(page, "branches by board type")
    assert len(rows) == 1
    # Negative control: the branch's own head by a night counts.
    service.tell([service.compare("3", 0.8)])
    assert sentence(service).answer is Answer.YES


def test_a_pattern_without_any_head_is_a_branch_that_nobody_knows(service: Nights) -> None:
    pattern = settings_files.branch(branch="linux-6.1[58]", baseline="v6.1")
    service.settings = nights.settings(service.folder, branches=pattern)
    service.tell([service.compare("1")])
    assert "(1 of 2)" in sentence(service).sentence
    # Negative control: a head that fits it stands for it.
    service.branch = "6.18"
    service.tell([service.compare("1")])
    assert sentence(service).sentence.startswith("No: none of 2 branches is worse")
