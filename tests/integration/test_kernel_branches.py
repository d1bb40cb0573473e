# SPDX-License-Identifier: GPL-2.0-only
"""A kernel belongs to every branch that it was asked for by; a tag is never shown as a branch."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page

from tests import settings_files
from tests.integration import bundles, nights, tiny_tree
from tests.integration.alerting import BASE, SAME, SLOW, Record, head
from tests.integration.websites import application, served
from vlag.cli.main import main
from vlag.compare import trends
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.kernel.tuxmake_build import ENVIRONMENT, toolchain
from vlag.notifications import night_end as stage
from vlag.pipeline.ingest import ingest
from vlag.report import read_model
from vlag.report.data import branch_state
from vlag.report.data import comparison as report
from vlag.store import kernels, messages
from vlag.store import nights as store_nights
from vlag.store.database import MIGRATIONS, Connection
from vlag.store.kernels import KernelRef
from vlag.store.nights import Night

TAG = "debian/6.12.5-1"
TAGGED = head(5, branch=TAG, describe=TAG)
PATCH = {"name": "0001-odd.patch", "sha256": "5" * 64}
PATCHED = head(5, describe=TAG, series="fixes", application="solo(1)", patches=[PATCH])
OWNERS = nights.MAIL + '"debian/next" = ["lee@test"]\n'
Ask = Callable[..., None]


@pytest.fixture
def record(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Record:
    """A baseline, and a head that was first asked for by a tag and is slower."""
    made = Record(conn=conn, catalogue=catalogue, folder=tmp_path)
    made.fill(BASE, SAME)
    made.fill(TAGGED, SLOW)
    return made


@pytest.fixture
def ask(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Ask:
    """Ask for a kernel by another name: its next bundle has it."""

    def work(of: dict[str, Any], name: str) -> None:
        folder = tmp_path / f"again {name}".replace("/", "-")
        ingest(bundles.build(folder, {**of, "branch": name}), conn=conn, catalogue=catalogue)

    return work


def names_of(conn: Connection, of: dict[str, Any]) -> tuple[str | None, list[str], str]:
    row = conn.execute(
        "SELECT branch_name, branches, ref FROM read_model.kernel WHERE digest = %s",
        (of["digest"],),
    ).fetchone()
    assert row is not None
    return row[0], row[1], row[2]


def test_a_tag_is_no_branch(conn: Connection, record: Record, catalogue: Catalogue) -> None:
    compared = record.compare(BASE, TAGGED, None)
    assert names_of(conn, TAGGED) == (None, [], TAG)
    assert read_model.branches(conn) == []
    assert kernels.branches(conn, "debian") == ["linux-6.1"]
    [row] = read_model.overview(conn)["comparisons"]
    assert (row["id"], row["branch_name"]) == (compared, None)
    # By its name it is found all the same.
    for text in (TAG, f"debian/{TAG}", TAGGED["commit"]):
        assert kernels.resolve(conn, KernelRef(text=text)).digest == TAGGED["digest"]
    written = report.report(conn, catalogue, compared, record.folder)
    assert (written["new"]["branch"], written["new"]["ref"]) == (None, TAG)
    assert written["base"]["branch"] == "linux-6.1"
    # Negative control: so is a commit, and a branch is none.
    commit = head(6)
    record.fill({**commit, "branch": commit["commit"][:12]}, SAME)
    assert names_of(conn, commit)[0] is None
    record.fill(head(7), SAME)
    assert names_of(conn, head(7))[0] == "debian/linux-6.12"


def test_it_belongs_to_the_branch_that_asks_later(
    conn: Connection, record: Record, ask: Ask, catalogue: Catalogue
) -> None:
    settings = nights.settings(record.folder)
    compared = record.compare(BASE, TAGGED, "baseline")
    ask(TAGGED, "linux-6.12")
    assert names_of(conn, TAGGED) == ("debian/linux-6.12", ["linux-6.12"], TAG)
    assert read_model.branches(conn) == ["debian/linux-6.12"]
    state = branch_state.state(conn, catalogue, "debian/linux-6.12")
    assert [s["id"] for s in state["states"]] == [compared]
    [series] = conn.execute("SELECT id FROM series WHERE metric = 'bogo-ops-rate'").fetchall()
    history = read_model.branch_history(conn, "debian", "linux-6.12", series[0], "median")
    assert len(history["points"]) == len(SLOW)
    assert trends.follow(conn, settings, catalogue).histories > 0
    [alert] = record.derive(compared)
    assert alert.branch == "linux-6.12"
    assert alert.title.startswith("debian/linux-6.12 on ")
    assert TAG not in alert.title
    # The older name is still one of its names.
    meant = {kernels.resolve(conn, KernelRef(text=t)).digest for t in (TAG, "linux-6.12")}
    assert meant == {TAGGED["digest"]}


def test_every_branch_has_its_alert_and_owner(
    conn: Connection, record: Record, ask: Ask, catalogue: Catalogue
) -> None:
    settings = nights.settings(record.folder, OWNERS, settings_files.branch(branch="next"))
    ask(TAGGED, "linux-6.12")
    compared = record.compare(BASE, TAGGED, "baseline")

    def tell(key: str) -> tuple[str, ...]:
        ended = stage.EndedNight(
            key=key, comparisons=[compared], started=nights.FIRST, finished=nights.FIRST
        )
        return stage.tell(conn, catalogue, settings, ended).queued

    def told(who: str) -> str:
        found = [m for m in messages.latest(conn, 9) if m.recipient == who]
        mail = message_from_bytes(found[0].body, policy=default)
        assert isinstance(mail, EmailMessage)
        [text, _] = mail.iter_parts()
        return str(text.get_content())

    tell("one")
    # Negative control: nothing of it is of the branch that did not ask.
    assert "debian/next: " not in told("lee@test").replace(" on qemu-sim-2: no results", "")
    assert "is worse than its baseline" not in told("lee@test")
    ask(TAGGED, "next")
    assert set(tell("two")) == {"kim@test", "lee@test"}
    found = conn.execute(
        "SELECT branch, title FROM alert WHERE kind = 'regression' ORDER BY branch"
    ).fetchall()
    assert [branch for branch, _ in found] == ["linux-6.12", "next"]
    assert all(title.startswith(f"debian/{branch} on ") for branch, title in found)
    assert "debian/next on qemu-sim-2" in told("lee@test")
    assert "debian/linux-6.12" not in told("lee@test")
    heads = conn.execute("SELECT id, head_of FROM read_model.latest ORDER BY head_of").fetchall()
    assert heads == [(compared, "debian/linux-6.12"), (compared, "debian/next")]


def test_a_commit_of_two_branches_has_one_alert_for_both(
    conn: Connection, record: Record, ask: Ask
) -> None:
    ask(TAGGED, "linux-6.12")
    ask(TAGGED, "next")
    record.fill(head(4), SAME)
    [alert] = record.derive(record.compare(head(4), TAGGED, "parent"))
    assert record.alert(alert.id)["branches"] == ["linux-6.12", "next"]
    for branch, number in (("linux-6.12", 1), ("next", 1), ("other", 0)):
        assert len(read_model.alerts(conn, tree="debian", branch=branch)) == number


def test_a_build_that_is_reused_records_who_asked(
    conn: Connection, catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VLAG_SETTINGS", str(tiny_tree.write(tmp_path, "v1", "v1-other")))

    def build(*options: str) -> dict[str, Any]:
        words = ["build", "--tree", "tiny", "--board-type", "qemu-sim-2", "--format", "json"]
        done = CliRunner().invoke(main, [*words, *options])
        assert done.exit_code in (ExitCode.OK, ExitCode.KERNEL_FAILED), done.output
        return dict(json.loads(done.stdout))

    failed = Path(build("--ref", "v1*")["bundle"])
    kernel = json.loads((failed / "build.json").read_text())["kernel"]
    complete = bundles.build(
        failed.parent / "20990101T000000Z-complete",
        kernel,
        environment=ENVIRONMENT,
        toolchain=toolchain("x86_64"),
    )
    ingest(complete, conn=conn, catalogue=catalogue)
    [tag] = kernels.listed(conn)
    # Negative control: nobody has asked for the branch yet.
    assert (tag.branch, list(tag.refs)) == (None, [kernel["describe"]])
    for options in (["--ref", "main"], ["--ref", "v1-other"], ["--ref", "v1", "--branch", "next"]):
        made = build(*options)
        assert (made["reused"], Path(made["bundle"])) == (True, complete)
        assert not ingest(complete, conn=conn, catalogue=catalogue).new
    [known] = kernels.listed(conn)
    assert list(known.branches) == ["main", "next"]
    assert {"main", "next", "v1", "v1-other"} == {*known.refs}
    assert known.branch == "main"


def test_the_upgrade_finds_the_branch_of_a_head_on_record(
    conn: Connection, record: Record, cluster: str
) -> None:
    record.fill(PATCHED, SAME)
    alone = head(9, branch="v9", describe="v9")
    record.fill(alone, SAME)
    record.derive(record.compare(BASE, TAGGED, "baseline"))
    up, down = (
        (MIGRATIONS / f"0016_refs_and_predictions{suffix}.sql").read_bytes()
        for suffix in ("", ".rollback")
    )
    conn.execute("DROP SCHEMA read_model CASCADE")
    conn.execute(down)
    with pytest.raises(psycopg.errors.UndefinedTable), conn.transaction():
        conn.execute("SELECT FROM kernel_ref")
    # As an older version has left it: under the tag, alert included.
    conn.execute("UPDATE alert SET branch = %s", (TAG,))
    conn.execute(up)
    found = conn.execute(
        "SELECT k.digest, f.name, f.is_branch FROM kernel_ref f JOIN kernel k ON k.id = f.kernel"
    ).fetchall()
    of = {d: sorted((n, b) for x, n, b in found if x == d) for d, *_ in found}
    assert of[TAGGED["digest"]] == [(TAG, False), ("linux-6.12", True)]
    assert of[PATCHED["digest"]] == [("linux-6.12", True)]
    assert conn.execute("SELECT DISTINCT branch FROM alert").fetchall() == [("linux-6.12",)]
    # Negative control: no branch is known of a tag without patched kernels.
    assert of[alone["digest"]] == [("v9", False)]


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context() as context:
        yield context.new_page()


def test_the_page_of_the_branch(
    dsn: str, conn: Connection, record: Record, ask: Ask, page: Page, tmp_path: Path
) -> None:
    record.fill(PATCHED, tuple(0.5 * f for f in SLOW))
    record.compare(BASE, TAGGED, "baseline")
    patched = record.compare(TAGGED, PATCHED, "baseline")
    with served(application(dsn, tmp_path)) as site:
        # First as it was: the tag has no page, and the branch has patched kernels only.
        page.goto(site)
        table = page.get_by_role("region", name="branches by board type")
        assert f"debian {TAG}\nof no branch" in table.inner_text()
        assert page.get_by_role("link", name=TAG).count() == 0
        page.goto(f"{site}/branch?branch=debian/linux-6.12")
        said = page.inner_text("main")
        assert "No head of this branch was compared without patches" in said
        ask(TAGGED, "linux-6.12")
        page.goto(site)
        table = page.get_by_role("region", name="branches by board type")
        assert TAG not in table.inner_text()
        table.get_by_role("link", name="debian/linux-6.12").first.click()
        said = page.inner_text("main")
        assert "No boot of this branch without patches" not in said
        assert page.get_by_role("region", name="boots by commit").locator("tbody tr").count() == 1
        # What is not the branch's own is folded.
        assert page.get_by_role("region", name="figures").count() == 1
        page.locator("summary", has_text="fixes solo(1): 1 comparison, worst REGRESSION").click()
        own, varied = page.get_by_role("region", name="figures").all()
        # Its name links there, and so does what it was compared against.
        assert varied.locator(f'a[href^="/compare?id={patched}"]').count() == 2
        assert own.locator(f'a[href^="/compare?id={patched}"]').count() == 0
        assert "-12.0" in own.inner_text()
        assert "-50.0" not in own.inner_text()
        assert "-50.0" in varied.inner_text()
        # The page of a boot names every branch of its kernel.
        ask(TAGGED, "next")
        boots = page.get_by_role("region", name="boots by commit")
        boots.locator("summary", has_text="5 boots").click()
        boots.get_by_role("link").last.click()
        assert {"debian/linux-6.12", "debian/next"} <= set(
            page.get_by_role("link").all_inner_texts()
        )


def test_a_night_is_a_square_and_what_came_since_another(
    conn: Connection, record: Record, ask: Ask
) -> None:
    """A night has what it names and what pushes compared before it ended."""
    ask(TAGGED, "linux-6.12")
    first = record.compare(BASE, TAGGED, "baseline")
    record.fill(head(7), SAME)
    second = record.compare(BASE, head(7), "baseline")
    third = record.compare(TAGGED, head(7), "parent")
    for number, comparison in enumerate((first, second, third), 1):
        conn.execute(
            "UPDATE comparison SET created_at = %s WHERE id = %s",
            (datetime.datetime(2026, 3, number, 12, tzinfo=datetime.UTC), comparison),
        )

    def night(day: int, *comparisons: int) -> int:
        at = datetime.datetime(2026, 3, day, 20, tzinfo=datetime.UTC)
        made = Night(
            key=str(day), started_at=at, finished_at=at + datetime.timedelta(hours=8),
            multiple_testing=None, comparisons=list(comparisons), branches=[], missing=[],
            notes=[], url=None, report=None,
        )  # fmt: skip
        return store_nights.insert(conn, made)[0]

    one, two = night(1, first), night(2, first)
    nights = read_model.nights(conn)
    assert [n["id"] for n in nights] == [one, two]
    found = read_model.squares(conn, nights, ["debian/linux-6.12"], ["qemu-sim-2"])
    # The second night compared the same head again, and a push had compared the next one.
    assert [(s["night"], s["id"], s["role"]) for s in found] == [
        (one, first, "baseline"), (two, first, "baseline"), (two, second, "baseline"),
        (None, third, "parent"),
    ]  # fmt: skip
    assert found[-2]["verdict"] != found[0]["verdict"]
    # Negative control: another branch or board has none.
    assert read_model.squares(conn, nights, ["debian/next"], ["qemu-sim-2"]) == []
    assert read_model.squares(conn, nights, ["debian/linux-6.12"], ["qemu-sim-4"]) == []


def test_a_sparkline_has_the_medians_of_plain_kernels_in_their_order(
    conn: Connection, record: Record, ask: Ask
) -> None:
    ask(TAGGED, "linux-6.12")
    record.fill(PATCHED, SAME)
    record.fill(head(7), SAME)
    [(series,)] = conn.execute("SELECT id FROM series WHERE metric = 'bogo-ops-rate'").fetchall()
    words: dict[str, Any] = {"knobs": "", "most": 60}
    found = read_model.medians(conn, "debian", "linux-6.12", [series], **words)
    assert found[0]["value"] == pytest.approx(0.88 * found[1]["value"], rel=1e-3)
    assert len(found) == 2, "the patched kernel is none of the branch's own"
    [newest] = read_model.medians(conn, "debian", "linux-6.12", [series], knobs="", most=1)
    assert newest["kernel"] == found[1]["kernel"]
    assert read_model.medians(conn, "debian", "linux-6.12", [], **words) == []
