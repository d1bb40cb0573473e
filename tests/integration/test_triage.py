# SPDX-License-Identifier: GPL-2.0-only
"""People and alerts: who may say what, what is refused, and what is on record of it."""

from __future__ import annotations

import datetime
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner, Result

from tests.conftest import drop_database, fresh_database
from tests.integration.alerting import BASE, BIG, SAME, SLOW, SMALL, Record, head
from tests.integration.webpages import read, text
from tests.integration.websites import application, visitor
from tests.waiting import until
from vlag import ROOT
from vlag.alerts import derive as alerting
from vlag.alerts import triage
from vlag.cli import alerts as verbs
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode, UsageError
from vlag.operate.farm import board_checks
from vlag.report.layout import WIDTH
from vlag.store import nights
from vlag.store.database import Connection, connect, parts
from vlag.store.nights import Night, NightBranch
from vlag.store.views import READER

NOW = datetime.datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def with_alert(
    cluster: str, template: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """Name of a database with alert 1, to make others of."""
    dsn = fresh_database(cluster, template)
    with connect(dsn) as conn:
        made = Record(conn=conn, catalogue=catalogue, folder=tmp_path_factory.mktemp("alert"))
        made.fill(BASE, SAME)
        made.fill(head(1), SLOW)
        assert made.told(made.compare(BASE, head(1), "baseline")) == [(1, "opened")]
    return str(parts(dsn)["dbname"])


@pytest.fixture
def dsn(cluster: str, template: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """Connection string of a database of the test's own: empty, or with alert 1."""
    opened = "opened" in request.fixturenames
    made = fresh_database(cluster, request.getfixturevalue("with_alert") if opened else template)
    yield made
    drop_database(made)


@pytest.fixture
def record(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Record:
    return Record(conn=conn, catalogue=catalogue, folder=tmp_path)


@pytest.fixture
def opened(record: Record) -> Record:
    """Return a record with alert 1."""
    return record


def test_each_step_is_on_record_with_who_and_why(opened: Record) -> None:
    conn = opened.conn
    triage.set_state(conn, 1, "acknowledged", by="alice", why="seen")
    assert opened.alert(1)["owner"] == "alice"
    triage.set_state(conn, 1, "investigating", by="bob", why="bisecting")
    assert opened.alert(1)["owner"] == "bob"
    triage.set_state(conn, 1, "investigating", by="bob", why="not mine", owner="carol")
    triage.set_state(conn, 1, "fixed", by="alice", why="by  commit\n abc")
    shown = opened.alert(1)
    assert (shown["triage"], shown["owner"], shown["open"]) == ("fixed", "carol", False)
    said = [(e.by, e.action, e.triage, e.why) for e in opened.events(1)[1:]]
    assert said == [
        ("alice", "triaged", "acknowledged", "seen"),
        ("bob", "triaged", "investigating", "bisecting"),
        ("bob", "triaged", "investigating", "not mine"),
        ("alice", "triaged", "fixed", "by commit abc"),
    ]
    triage.set_state(conn, 1, "new", by="alice", why="it was another commit")
    assert (opened.alert(1)["owner"], opened.alert(1)["open"]) == (None, True)


@pytest.mark.parametrize(
    ("alert", "state", "by", "why", "said"),
    [
        (1, "done", "alice", "x", r"no state 'done'; there are: new, acknowledged"),
        (1, "fixed", "alice", "  \n", "give a reason"),
        (1, "fixed", " ", "x", "give your name"),
        (1, "fixed", "alice", "x" * 2001, "2001"),
        (1, "fixed", "a" * 201, "x", "201"),
        (2, "fixed", "alice", "x", r"no alert 2; `vlag alerts list --all`"),
        (2**70, "fixed", "alice", "x", "no alert"),
    ],
)
def test_what_is_refused_changes_nothing(
    opened: Record, alert: int, state: str, by: str, why: str, said: str
) -> None:
    before = opened.alert(1)
    with pytest.raises(UsageError, match=said):
        triage.set_state(opened.conn, alert, state, by=by, why=why)
    assert (opened.alert(1), opened.actions(1)) == (before, ["opened"])


def test_what_was_withdrawn_can_be_closed_and_not_acknowledged(opened: Record) -> None:
    opened.fill(head(2), SAME)
    assert opened.told(opened.compare(BASE, head(2), "baseline")) == [(1, "withdrawn")]
    with pytest.raises(UsageError, match=r"was withdrawn .* comes back by itself"):
        triage.set_state(opened.conn, 1, "acknowledged", by="alice", why="x")
    triage.set_state(opened.conn, 1, "invalid", by="alice", why="the board was hot")
    assert opened.actions(1) == ["opened", "withdrawn", "triaged"]


def test_a_muted_alert_is_open_and_not_loud(opened: Record) -> None:
    now = datetime.datetime.now(UTC)
    triage.mute(opened.conn, 1, now + timedelta(days=2), by="alice", why="fix is queued")
    shown = opened.alert(1)
    assert (shown["open"], shown["loud"]) == (True, False)
    triage.unmute(opened.conn, 1, by="bob", why="it was not")
    assert (opened.alert(1)["open"], opened.alert(1)["loud"]) == (True, True)
    assert opened.actions(1) == ["opened", "muted", "unmuted"]
    assert opened.events(1)[1].why.startswith("until 20")


def test_a_mute_ends_where_there_is_much_more(opened: Record) -> None:
    until = datetime.datetime.now(UTC) + timedelta(days=2)
    triage.mute(opened.conn, 1, until, by="alice", why="known")
    # Negative control: a little more is what was muted.
    opened.fill(head(2), tuple(0.8 * f for f in SAME))
    opened.derive(opened.compare(BASE, head(2), "baseline"))
    assert not opened.alert(1)["loud"]
    opened.fill(head(3), tuple(0.7 * f for f in SAME))
    opened.derive(opened.compare(BASE, head(3), "baseline"))
    assert opened.alert(1)["loud"]
    [_, _, last] = opened.events(1)
    assert (last.by, last.action) == ("vlag", "unmuted")
    assert last.why.endswith(" is more than what was muted")
    assert "30.0 % worse" in last.why


def test_mutes_that_make_no_sense(opened: Record) -> None:
    def mute(until: datetime.datetime, said: str) -> None:
        with pytest.raises(UsageError, match=said):
            triage.mute(opened.conn, 1, until, by="alice", why="x", now=NOW)

    mute(NOW, "has passed")
    mute(NOW + timedelta(days=400), "more than a year.*wont_fix")
    mute(NOW.replace(tzinfo=None), "time zone")
    with pytest.raises(UsageError, match="alert 1 is not muted"):
        triage.unmute(opened.conn, 1, by="alice", why="x", now=NOW)
    triage.set_state(opened.conn, 1, "wont_fix", by="alice", why="it buys latency")
    mute(NOW + timedelta(days=1), "alert 1 is wont_fix.*nothing to mute")
    assert opened.actions(1) == ["opened", "triaged"]


def test_two_people_at_once_are_both_on_record_and_the_last_one_holds(
    opened: Record, dsn: str
) -> None:
    with connect(dsn) as first, first.transaction():
        triage.set_state(first, 1, "acknowledged", by="alice", why="mine")

        def second() -> None:
            with connect(dsn) as conn:
                triage.set_state(conn, 1, "invalid", by="bob", why="no")

        thread = threading.Thread(target=second)
        thread.start()
        # Bob waits for Alice's row: the database says so.
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        until(lambda: opened.conn.execute(waiting).fetchone() == (1,))
    thread.join()
    assert opened.alert(1)["triage"] == "invalid"
    assert [(e.by, e.triage) for e in opened.events(1)[1:]] == [
        ("alice", "acknowledged"),
        ("bob", "invalid"),
    ]
    times = [e.at for e in opened.events(1)]
    assert times == sorted(times)


def test_who_may_only_read_is_told_so(opened: Record, dsn: str) -> None:
    reading = psycopg.conninfo.make_conninfo(dsn, user=READER)
    with connect(reading) as conn, pytest.raises(UsageError, match="may only read"):
        triage.set_state(conn, 1, "fixed", by="alice", why="x")
    with connect(dsn) as conn:
        conn.execute("SET default_transaction_read_only = on")
        with pytest.raises(UsageError, match="may only read"):
            triage.mute(conn, 1, NOW + timedelta(days=1), by="alice", why="x", now=NOW)
    assert opened.actions(1) == ["opened"]


def test_those_of_the_settings_may_and_others_may_not() -> None:
    triage.may((), "anybody")
    triage.may(("alice", "bob"), "bob")
    with pytest.raises(UsageError, match=r"mallory may not .* alice, bob"):
        triage.may(("alice", "bob"), "mallory")


Vlag = Callable[..., Result]


@pytest.fixture
def vlag(dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Vlag:
    """Run the verbs; with `people` in the settings where a test asks for it."""
    shutil.copy(ROOT / "vlag.toml", tmp_path)
    settings = tmp_path / "vlag.toml"
    monkeypatch.setenv("VLAG_SETTINGS", str(settings))
    monkeypatch.setenv("VLAG_DATABASE", dsn)

    def run(*words: str, people: tuple[str, ...] = ()) -> Result:
        if people:
            named = json.dumps(list(people))
            text = f'\n[people]\npassword_file = "people"\ntriage = {named}\n'
            settings.write_text((ROOT / "vlag.toml").read_text() + text)
        return CliRunner().invoke(main, list(words))

    return run


def test_the_commands_list_and_change(opened: Record, vlag: Vlag) -> None:
    listed = vlag("alerts")
    assert listed.exit_code == 0, listed.output
    assert "debian/linux-6.12 on qemu-sim-2" in listed.output
    done = vlag(
        "alerts", "set", "1", "--state", "Won't fix", "--reason", "it buys latency", "--by", "alice"
    )
    assert done.output.startswith("alert 1 is wont_fix: debian/linux-6.12")
    assert vlag("alerts").output == "no open alert; --all lists the others too\n"
    assert "wont_fix" in vlag("alerts", "--all").output
    vlag("alerts", "set", "1", "--state", "acknowledged", "--reason", "after all", "--by", "bob")
    muted = vlag("alerts", "mute", "1", "--until", "2d", "--reason", "fix is queued", "--by", "bob")
    assert muted.output.startswith("alert 1 is muted until 20")
    assert "acknowledged (muted)" in vlag("alerts").output
    about = vlag("alerts", "show", "1")
    lines = about.output.splitlines()
    assert max(map(len, lines)) <= WIDTH
    for part in ("owner bob", "wont_fix by alice: it buys latency", "opened by vlag",
                 "comparison 1, qemu-sim-2: stress-ng-switch", "is worse than"):  # fmt: skip
        assert part in " ".join(about.output.split())
    document = json.loads(vlag("alerts", "show", "1", "--format", "json").output)
    assert [e["action"] for e in document["events"]] == ["opened", "triaged", "triaged", "muted"]
    assert vlag("alerts", "unmute", "1", "--reason", "now", "--by", "bob").exit_code == 0
    for options, count in (
        (("--branch", "debian/linux-6.12"), 1), (("--branch", "debian/linux-6.1"), 0),
        (("--board-type", SMALL), 1), (("--board-type", BIG), 0), (("--kind", "board"), 0),
        (("--synthetic",), 0),
    ):  # fmt: skip
        found = json.loads(vlag("alerts", *options, "--format", "json").output)["alerts"]
        assert len(found) == count, options


def test_lists_name_the_boards_of_an_alert_on_several(
    opened: Record, vlag: Vlag, dsn: str, tmp_path: Path
) -> None:
    """One commit that is worse than its parent on two board types is one alert."""
    parent, commit = head(3), head(4)
    for board_type in (SMALL, BIG):
        opened.fill(parent, SAME, board_type=board_type)
        opened.fill(commit, SLOW, board_type=board_type)
    both = [opened.compare(parent, commit, "parent", board_type=b) for b in (SMALL, BIG)]
    opened.derive(*both)
    number = max(opened.standing())
    listed = json.loads(vlag("alerts", "--format", "json").output)["alerts"]
    rows = {a["id"]: a for a in listed}
    assert (rows[number]["board_type"], rows[number]["board_types"]) == (None, [SMALL, BIG])
    shown = " ".join(vlag("alerts").output.split())
    assert shown.count(f" on {SMALL}, {BIG}") == 1
    client = visitor(application(dsn, tmp_path))
    assert text(read(client, "/alerts")).count(f"{SMALL}, {BIG}") == 1
    assert f"Board {SMALL}, {BIG}" in " ".join(text(read(client, f"/alert?id={number}")).split())
    # Negative control: one on a single board type has that one.
    assert rows[1]["board_types"] == [SMALL]
    for board_type, those in ((SMALL, [1, number]), (BIG, [number]), ("rpi5", [])):
        words = ("alerts", "--board-type", board_type, "--format", "json")
        found = json.loads(vlag(*words).output)["alerts"]
        assert sorted(a["id"] for a in found) == those


def test_a_part_is_split_and_joined_by_command(opened: Record, vlag: Vlag) -> None:
    opened.fill(BASE, SAME, board_type=BIG)
    opened.fill(head(1), SLOW, board_type=BIG)
    opened.derive(opened.compare(BASE, head(1), "baseline", board_type=BIG))
    if opened.standing() == [1, 2]:  # two alerts that stand are not joined without a proof
        done = vlag("alerts", "join", "1", "2", "--reason", "one commit", "--by", "bob")
        assert done.output.startswith("alert 1 tells of alert 2 too: debian/linux-6.12 on 2 board")
    done = vlag("alerts", "split", "1", "--board-type", BIG, "--reason", "another", "--by", "bob")
    assert done.output.startswith("alert 2 is split from alert 1: debian/linux-6.12 on qemu-sim-4")
    shown = " ".join(vlag("alerts", "show", "2").output.split())
    assert f"split by bob: alert 1 told of {BIG} stress-ng-switch: another" in shown
    assert opened.standing() == [1, 2]
    done = vlag("alerts", "join", "1", "2", "--reason", "x", "--by", "eve", people=("bob",))
    assert (done.exit_code, opened.standing()) == (ExitCode.USAGE, [1, 2])


def test_a_person_without_the_right_cannot(opened: Record, vlag: Vlag) -> None:
    words = ("alerts", "set", "1", "--state", "fixed", "--reason", "x")
    done = vlag(*words, "--by", "mallory", people=("alice",))
    assert (done.exit_code, opened.actions(1)) == (ExitCode.USAGE, ["opened"])
    assert "mallory may not change alerts" in done.output
    assert vlag(*words, "--by", "alice").exit_code == 0
    assert opened.actions(1) == ["opened", "triaged"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("alerts", "set", "7", "--state", "fixed", "--reason", "x"), "there is no alert 7"),
        (("alerts", "join", "1", "7", "--reason", "x"), "there is no alert 7"),
        (("alerts", "join", "1", "1", "--reason", "x"), "cannot be joined with itself"),
        (("alerts", "split", "1", "--reason", "x"), "name what is another cause"),
        (("alerts", "split", "1", "--board-type", SMALL, "--reason", "x"), "is all of alert 1"),
        (("alerts", "show", "7"), "there is no alert 7"),
        (("alerts", "set", "1", "--state", "done", "--reason", "x"), "no state 'done'"),
        (("alerts", "set", "1", "--state", "fixed"), "--reason"),
        (("alerts", "mute", "1", "--until", "soon", "--reason", "x"), "write 12h, 2d or 1w"),
        (("alerts", "mute", "1", "--until", "2020-01-01", "--reason", "x"), "has passed"),
        (("alerts", "mute", "1", "--until", "9999w", "--reason", "x"), "more than a year"),
        (("alerts", "--branch", "linux"), "write TREE/BRANCH"),
    ],
)
def test_mistakes_get_a_sentence(
    opened: Record, vlag: Vlag, words: tuple[str, ...], said: str
) -> None:
    done = vlag(*words)
    assert done.exit_code == ExitCode.USAGE
    assert said in done.output
    assert "Traceback" not in done.output
    assert opened.actions(1) == ["opened"]


def test_moments_as_people_write_them() -> None:
    assert verbs.moment("12h", NOW) == NOW + timedelta(hours=12)
    assert verbs.moment("2d", NOW) == NOW + timedelta(days=2)
    assert verbs.moment("1 w", NOW) == NOW + timedelta(weeks=1)
    assert verbs.moment("2026-03-12", NOW) == datetime.datetime(2026, 3, 12, tzinfo=UTC)
    zone = datetime.timezone(timedelta(hours=2))
    assert verbs.moment("2026-03-12T08:00+02:00", NOW) == NOW.replace(
        day=12, hour=8, minute=0, tzinfo=zone
    )


def test_refresh_derives_from_what_is_on_record(record: Record, vlag: Vlag) -> None:
    record.fill(BASE, SAME)
    record.fill(head(1), SLOW)
    record.compare(BASE, head(1), "baseline")
    assert vlag("alerts").output.startswith("no open alert")
    assert "debian/linux-6.12" in vlag("alerts", "--refresh").output
    assert record.actions(1) == ["opened"]
    vlag("alerts", "--refresh")
    assert record.actions(1) == ["opened"]


def test_a_board_out_of_service_is_an_alert_until_it_is_good(record: Record) -> None:
    record.fill(BASE, SAME)
    name = "sim2-1"

    def maintain(reason: str, now: datetime.datetime) -> None:
        board_checks.maintenance(
            record.conn, record.catalogue, name, reason=reason, by="alice", now=now
        )

    assert record.told() == []
    maintain("the fan is loud", NOW)
    [alert] = record.derive()
    assert (alert.kind, alert.board, alert.action) == ("board", name, "opened")
    assert "the fan is loud" in alert.body
    assert max(map(len, alert.body.splitlines())) <= WIDTH
    assert record.told() == [(1, None)]
    board_checks.good(
        record.conn, record.catalogue, name, reason="new fan", by="bob", now=NOW + timedelta(1)
    )
    assert record.told() == [(1, "withdrawn")]
    maintain("loud again", NOW + timedelta(2))
    assert record.told() == [(1, "reopened")]
    assert record.actions(1) == ["opened", "withdrawn", "reopened"]


def test_a_night_without_results_is_an_alert_until_they_are_back(record: Record) -> None:
    record.fill(BASE, SAME)
    record.fill(head(1), SAME)
    compared = record.compare(BASE, head(1), "baseline")

    def night(number: int, comparisons: list[int], boards: list[str]) -> list[Any]:
        nights.insert(
            record.conn,
            Night(
                key=f"night/{number}",
                started_at=NOW + timedelta(days=number),
                finished_at=NOW + timedelta(days=number, hours=5),
                multiple_testing=None,
                comparisons=comparisons,
                branches=[{"tree": "debian", "branch": "linux-6.12", "board_types": boards}],
                missing=["linux-6.12 could not be built: no space left"],
                notes=[],
                url="http://127.0.0.1:8010/#/builders/1/builds/1",
                report=None,
            ),
        )
        return [(a.title.split(":")[0], a.action) for a in record.derive(*comparisons)]

    assert night(1, [compared], [SMALL]) == []
    assert night(2, [compared], [SMALL, BIG]) == [("debian/linux-6.12 on qemu-sim-4", "opened")]
    assert "no space left" in record.alert(1)["body"]
    assert night(3, [], [SMALL, BIG]) == [
        ("debian/linux-6.12 on qemu-sim-2", "opened"),
        ("debian/linux-6.12 on qemu-sim-4", None),
    ]
    assert sorted(night(4, [compared], [SMALL])) == [
        ("debian/linux-6.12 on qemu-sim-2", "withdrawn"),
        ("debian/linux-6.12 on qemu-sim-4", "withdrawn"),
    ]
    # An older night that is told late does not bring it back.
    assert alerting.derive(record.conn, record.catalogue, []) == []


def test_a_comparison_of_kernels_that_never_ran_is_no_result(record: Record) -> None:
    record.fill(BASE, SAME)
    record.fill(head(1), ())
    nothing = record.compare(BASE, head(1), "baseline")
    branch: NightBranch = {"tree": "debian", "branch": "linux-*", "board_types": [SMALL]}
    nights.insert(
        record.conn,
        Night(
            key="n", started_at=NOW, finished_at=NOW, multiple_testing=None, comparisons=[nothing],
            branches=[branch], missing=[], notes=[], url=None, report=None,
        ),
    )  # fmt: skip
    assert [a.kind for a in record.derive(nothing)] == ["no results"]
