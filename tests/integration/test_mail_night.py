# SPDX-License-Identifier: GPL-2.0-only
"""What the nightly mail says: the same in text and HTML, to the right people, once."""

from __future__ import annotations

import re
from collections import Counter
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests import settings_files
from tests.integration import webpages
from tests.integration.nights import MAIL, Nights, settings
from tests.integration.planted import planted
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.notifications import rfc5322
from vlag.report import mail as report
from vlag.report.data import night_changes
from vlag.store import alerts, messages
from vlag.store.database import Connection
from vlag.store.messages import State
from vlag.store.nights import AtBaseline, LeftOut, last_left_out

URL = re.compile(r"https?://\S+")


@pytest.fixture
def nights(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Nights:
    return Nights(conn=conn, catalogue=catalogue, folder=tmp_path, settings=settings(tmp_path))


def mails(conn: Connection) -> list[EmailMessage]:
    found = [message_from_bytes(m.body, policy=default) for m in messages.latest(conn, 99)]
    assert all(isinstance(mail, EmailMessage) for mail in found)
    return found


def parts(mail: EmailMessage) -> tuple[str, ...]:
    assert mail.get_content_type() == "multipart/alternative"
    text, written = mail.iter_parts()
    assert (text.get_content_type(), written.get_content_type()) == ("text/plain", "text/html")
    return tuple(p.get_content().replace("\r\n", "\n") for p in (text, written))


def text_of(mail: EmailMessage) -> str:
    return " ".join(parts(mail)[0].split())


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\s,:()\[\]]+", text))


def test_what_is_better_in_the_first_night_was_not_so_before(
    conn: Connection, nights: Nights
) -> None:
    nights.tell([nights.compare("1", 1.1)])
    [first] = mails(conn)
    assert "Nothing is worse. Other figures: 1 better." in text_of(first)


def test_regression_comes_stays_and_goes(conn: Connection, nights: Nights) -> None:
    assert nights.tell([nights.compare("1")]).queued == ("kim@test",)
    nights.tell([nights.compare("2", 0.9)])
    nights.tell([nights.compare("2", 0.9)])
    nights.tell([nights.compare("3", 0.8)])
    nights.tell([nights.compare("4")])
    first, came, stayed, worse, went = mails(conn)

    assert first["Subject"] == "[vlag] debian/linux-6.12: no regression (2026-03-01)"
    assert "Nothing is worse." in text_of(first)
    assert came["Subject"] == "[vlag] debian/linux-6.12: 1 regression (2026-03-02)"
    said = text_of(came)
    assert "Worse since the night of 2026-03-01 (1)" in said
    assert "stress-ng-switch bogo-ops-rate on qemu-sim-2 -10.00 % worse, [-10." in said
    assert "n 5 + 5, first boots" in said
    assert stayed["Subject"] == "[vlag] debian/linux-6.12: 1 regression, none new (2026-03-03)"
    body = parts(stayed)[0].partition("debian/linux-6.12\n")[2].partition("\n\nAlerts")[0]
    paragraphs = body.split("\n\n")[1:]
    assert len(paragraphs) == 2, body
    assert paragraphs[0] == "Nothing changed since the night of 2026-03-02."
    assert paragraphs[1].startswith("Still worse: 1 figure, the worst stress-ng-switch")
    # Worse still is news; its first fall was not forgotten.
    assert worse["Subject"] == "[vlag] debian/linux-6.12: 1 regression (2026-03-04)"
    assert "Worse since the night of 2026-03-03 (1)" in text_of(worse)
    assert "was -10.00 %" in text_of(worse)
    assert went["Subject"] == "[vlag] debian/linux-6.12: no regression, 1 fixed (2026-03-05)"
    assert "Fixed since the night of 2026-03-04 (1)" in text_of(went)
    assert "was -20.00 %" in text_of(went)
    assert "-20" not in text_of(first) + text_of(came) + text_of(stayed)


def test_what_is_watched_since_today_is_news(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1")])
    nights.tell([nights.compare("2"), nights.compare("3", 0.9, role="parent")])
    said = text_of(mails(conn)[-1])
    assert "Worse since the night of 2026-03-01 (1)" in said
    assert "Nothing changed" not in said


def heads(conn: Connection) -> tuple[str, str]:
    """Return the subject of the last mail and the door's sentence in it."""
    mail = mails(conn)[-1]
    return mail["Subject"], " ".join(parts(mail)[0].split("\n\n", maxsplit=1)[0].split())


def test_a_commit_s_own_figure_is_told_once(conn: Connection, nights: Nights) -> None:
    """It is neither fixed by the next commit nor missing where nothing is pushed."""
    nights.tell([nights.compare("1")])
    parent: Any = {"role": "parent", "tag": "parent"}
    nights.tell([nights.compare("2", 0.9), nights.compare("2", 0.9, **parent)])
    assert heads(conn)[0].endswith(": 1 regression (2026-03-02)")
    nights.tell([nights.compare("2", 0.9)])
    assert heads(conn)[0].endswith(": 1 regression, none new (2026-03-03)")
    nights.tell([nights.compare("3", 0.9), nights.compare("4", **parent)])
    assert heads(conn)[0].endswith(": 1 regression, none new (2026-03-04)")
    # The same commit again is the same figure.
    nights.tell([nights.compare("3", 0.9), nights.compare("2", 0.9, **parent)])
    assert heads(conn)[0].endswith(": 1 regression, none new (2026-03-05)")
    # Negative control: what the branch has lost is fixed, and another commit's loss is news.
    nights.tell([nights.compare("5"), nights.compare("6", 0.9, **parent)])
    assert heads(conn)[0].endswith(": 1 regression, 1 fixed (2026-03-06)")


def test_a_loss_is_not_new_against_another_baseline(conn: Connection, nights: Nights) -> None:
    other: Any = {"baseline": "debian/v6.0", "tag": "v6.0"}
    nights.tell([nights.compare("1")])
    nights.tell([nights.compare("2", 0.9)])
    nights.tell([nights.compare("3", 0.9), nights.compare("3", 0.9, **other)])
    assert heads(conn)[0].endswith(": 1 regression, none new (2026-03-03)")
    # The first baseline goes, and the loss is measured still.
    nights.tell([nights.compare("4", 0.9, **other)])
    assert heads(conn)[0].endswith(": 1 regression, none new (2026-03-04)")
    # What is worse is so against every baseline.
    nights.tell([nights.compare("5", 0.8, **other)])
    assert heads(conn)[0].endswith(": 1 regression (2026-03-05)")
    nights.tell([nights.compare("6", 1.0, **other)])
    assert heads(conn)[0].endswith(": no regression, 1 fixed (2026-03-06)")
    # Negative control: what was not worse before is news against the first baseline, too.
    nights.tell([nights.compare("7", 0.9)])
    assert heads(conn)[0].endswith(": 1 regression (2026-03-07)")


def test_a_loss_that_comes_with_another_plan_is_new(conn: Connection, nights: Nights) -> None:
    def night(head: str, factor: float = 1.0) -> str:
        screen = nights.compare(head, factor, stage="screen")
        nights.compare(head, factor, stage="confirm", boots=2)
        nights.tell([screen], finished=None)  # what a rerun decides later is not known
        return heads(conn)[0]

    night("1")
    nights.plan = evolve(nights.plan, name="weekly")
    assert ": 1 regression (" in night("2", 0.9)
    # Negative control: a loss from before the plan is none, and it is fixed under either.
    nights.plan = evolve(nights.plan, name="nightly")
    assert ": 1 regression, none new (" in night("3", 0.9)
    nights.plan = evolve(nights.plan, name="weekly")
    assert ": no regression, 1 fixed (" in night("4")


def test_door_and_subject_call_the_same_figures_new(
    conn: Connection, nights: Nights, tmp_path: Path
) -> None:
    """A loss that stays, and whose verdict changes, is new for neither; none has an alert."""
    nights.settings = settings(
        tmp_path, MAIL + "[alerts]\nthroughput = 0.5\nlatency = 5.0\ndeterministic = 100.0\n"
    )
    spread = [0.6, 0.75, 0.9, 1.05, 1.2]
    course: list[tuple[str, Any]] = [
        ("none", {}),
        ("new", {"factor": 0.9}),
        ("old", {"factor": 0.9}),
        ("open", {"factors": spread}),
        ("old", {"factor": 0.9}),
        ("new", {"factor": 0.8}),
        ("none", {}),
    ]
    for head, (wanted, how) in enumerate(course):
        nights.tell([nights.compare(str(head), **how)])
        subject, door = heads(conn)
        assert ("none new" in subject) == (wanted == "old"), subject
        assert ("nothing new since" in door) == (wanted == "old"), door
        assert ("1 figure got worse since" in door) == (wanted == "new"), door
        assert ("1 regression (" in subject) == (wanted == "new"), subject


def test_text_and_html_say_the_same_in_the_right_form(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1")])
    nights.tell(
        [nights.compare("2", 0.9, panic="Kernel panic: <Fatal> & \u201codd\u201d")],
        missing=["linux-6.6: not compared: 6.6.1: build failed: it is \u00fcber"],
        notes=["The night: 2 kernels built, 10 runs; it took 58 min."],
        url="http://ci.example.org/buildbot/#/builders/3/builds/7",
    )
    mail = mails(conn)[-1]
    assert not mail.defects
    text, written = parts(mail)
    for part in mail.walk():
        assert not part.defects
    raw = messages.latest(conn, 1)[0].body
    assert raw.isascii()
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    assert b"\n" not in raw.replace(b"\r\n", b"")
    wide = [
        line for line in text.splitlines() if len(line) > 75 and not URL.fullmatch(line.strip())
    ]
    assert wide == []
    in_text, in_html = words(URL.sub("", text)), words(webpages.text(written))
    # Lines under headings are the text's alone.
    in_text -= Counter({w: n for w, n in in_text.items() if re.fullmatch("=+|-+", w)})
    assert in_text == in_html
    assert set(URL.findall(text)) == {*webpages.links(written)}
    assert not re.search(r"<(img|script|link|iframe)|src=|url\(|@import", written)
    assert "http://ci.example.org/plugins/wsgi_dashboards/vlag/compare?id=" in text
    assert "\u00fcber" in text


def test_the_comparison_of_words_can_see_a_difference() -> None:
    assert words("a -10.00 % b, [c]") == words(webpages.text("<body x>\n<b>a</b> -10.00 % b [c]"))
    assert words("a -10.00 % b") != words(webpages.text("<body x>\n<b>a</b> -11.00 % b"))


def test_a_head_that_is_its_own_baseline_is_no_failed_night(
    conn: Connection, nights: Nights
) -> None:
    assert nights.tell([], missing=["the mirror is away"]).new
    alarm = mails(conn)[-1]
    assert "no results, 1 did not run" in alarm["Subject"]
    [alert] = alerts.standing(conn, alerts.NO_RESULTS)
    level = AtBaseline(branch="debian/linux-6.12", board_type="qemu-sim-2", baseline="debian/v6.1")
    nights.tell([], at_baseline=[level])
    mail = mails(conn)[-1]
    assert mail["Subject"] == ("[vlag] debian/linux-6.12: nothing to compare yet (2026-03-02)")
    said = text_of(mail)
    assert f"{level.sentence}." in said
    assert "there is no result" not in said
    assert not alerts.standing(conn, alerts.NO_RESULTS)
    [why] = conn.execute(
        "SELECT why FROM alert_event WHERE alert = %s AND action = 'withdrawn'", (alert.id,)
    ).fetchall()
    assert why == ("its head is its own baseline",)
    # Negative control: a level head on one board type excuses no other branch or board type.
    other = evolve(level, board_type="qemu-sim-4")
    nights.tell([], at_baseline=[other, evolve(level, branch="debian/linux-6.1")])
    assert "no results" in mails(conn)[-1]["Subject"]
    assert [a.id for a in alerts.standing(conn, alerts.NO_RESULTS)] == [alert.id]


def test_what_a_night_left_out_is_kept_for_the_next_one(conn: Connection, nights: Nights) -> None:
    out = LeftOut(
        branch="debian/linux-6.12", name="debian linux-6.12 nightly", board_type="qemu-sim-2",
        nights=2,
    )  # fmt: skip
    assert last_left_out(conn) == {}
    nights.tell([], left_out=[out, evolve(out, board_type="no-board-of-it")])
    assert last_left_out(conn) == {(out.name, "qemu-sim-2"): 2}
    # A week's plans have no time by which to end, and change nothing of it.
    nights.tell([])
    assert last_left_out(conn) == {(out.name, "qemu-sim-2"): 2}
    nights.tell([], left_out=[])
    assert last_left_out(conn) == {}


def test_headers(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1")])
    nights.tell([], missing=["everything"])
    one, two = mails(conn)
    assert (one["From"], one["To"]) == ("vlag <vlag@test>", "kim@test")
    assert one["Date"].datetime.isoformat() == "2026-03-01T03:30:00+00:00"
    assert one["Message-ID"] != two["Message-ID"]
    assert one["Message-ID"].endswith("@test>")
    assert one["Auto-Submitted"] == "auto-generated"
    assert two["Subject"].endswith("no results, 1 did not run (2026-03-02)")


def test_told_twice_there_is_one_mail(conn: Connection, nights: Nights) -> None:
    id_ = nights.compare("1")
    first = nights.tell([id_], key="the same")
    again = nights.tell([id_], key="the same")
    assert (first.new, again.new, again.night) == (True, False, first.night)
    assert len(mails(conn)) == 1
    assert conn.execute("SELECT count(*) FROM night").fetchone() == (1,)


def test_all_or_nothing(conn: Connection, nights: Nights, monkeypatch: pytest.MonkeyPatch) -> None:
    id_ = nights.compare("1", 0.8)
    real = messages.queue

    def full(*_: object, **__: object) -> bool:
        raise OSError("the disk is full")

    monkeypatch.setattr(messages, "queue", full)
    with pytest.raises(OSError, match="full"):
        nights.tell([id_], key="k")
    for table in ("night", "alert", "message"):
        assert conn.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)  # noqa: S608
    monkeypatch.setattr(messages, "queue", real)
    assert nights.tell([id_], key="k").new
    assert len(mails(conn)) == 1


def test_who_owns_a_tree_or_a_branch_is_told_of_it_and_of_nothing_else(
    conn: Connection, nights: Nights, tmp_path: Path
) -> None:
    other = """
[[branches]]
tree = "debian"
branch = "linux-6.*6"
baseline = "v6.1"
board_types = ["qemu-sim-2"]
plan = "nightly"
"""
    owners = MAIL + ('"debian/linux-6.*6" = ["pat@test", "kim@test"]\ndebian = ["all@test"]\n')
    nights.settings = settings(tmp_path, owners, other)
    one = nights.compare("1", 0.9)
    nights.branch = "6.6"
    two = nights.compare("1", 0.7)
    told = nights.tell([one, two])
    assert set(told.queued) == {"kim@test", "pat@test", "all@test"}
    by_to = {mail["To"]: mail for mail in mails(conn)}
    assert "-30.00 %" in text_of(by_to["pat@test"])
    assert "-10.00 %" not in text_of(by_to["pat@test"])
    assert "linux-6.12" not in text_of(by_to["pat@test"])
    for address in ("kim@test", "all@test"):
        assert by_to[address]["Subject"].startswith("[vlag] 2 branches: 2 regressions")
        assert "-30.00 %" in text_of(by_to[address])
        assert "-10.00 %" in text_of(by_to[address])


def test_without_mail_in_the_settings_the_night_is_still_on_record(
    conn: Connection, nights: Nights, tmp_path: Path
) -> None:
    nights.settings = settings(tmp_path, "")
    assert nights.tell([nights.compare("1")]).queued == ()
    assert conn.execute("SELECT count(*) FROM night").fetchone() == (1,)
    assert mails(conn) == []


def test_what_is_suspected_and_what_is_confirmed_is_told_apart(
    conn: Connection, nights: Nights
) -> None:
    nights.tell([nights.compare("1", stage="screen", boots=2)], finished=None)
    screen = nights.compare("2", 0.9, stage="screen", boots=2)
    nights.tell([screen], finished=None)
    fresh = nights.compare("2", 0.9, stage="confirm", boots=2)
    nights.tell([screen, fresh], finished=None)
    nights.tell([screen, fresh], finished=None)
    _, suspected, confirmed, known = mails(conn)
    assert "no regression, 1 under suspicion" in suspected["Subject"]
    said = text_of(suspected)
    assert "bogo-ops-rate on qemu-sim-2 -10.00 % worse" in said.partition("Under suspicion")[2]
    assert "first boots" not in said
    assert "1 regression (" in confirmed["Subject"]
    said = text_of(confirmed)
    # Suspected before, it is news that it is so.
    assert "Worse since the night of" in said
    assert "n 5 + 5, confirmed, #" in said
    assert "screen of the first boots -10.00 %" in said
    assert "Nothing changed since" in text_of(known)
    assert "Under suspicion" not in said
    # Rerun boots have no line of their own: they stand in that of their screen.
    assert f"compare?id={screen}" in said
    assert f"compare?id={fresh}" not in said
    assert "stress-ng-switch" not in text_of(mails(conn)[0])


def test_kernels_and_runs_that_fail_are_told_with_their_reason(
    conn: Connection, nights: Nights
) -> None:
    nights.tell([nights.compare("1")])
    id_ = nights.compare("2", panic="Kernel panic - not syncing: <Fatal> & odd")
    nights.tell([id_])
    mail = mails(conn)[-1]
    assert "nothing could be judged, 1 failed" in mail["Subject"]
    reason = "cyclictest-hackbench seed 9 on qemu-sim-2: panic: Kernel panic - not syncing:"
    assert reason in text_of(mail)
    assert reason not in text_of(mails(conn)[0])
    assert "&lt;Fatal&gt; &amp; odd" in parts(mail)[1]


def test_what_was_worse_and_is_not_known_any_more_is_told_once(
    conn: Connection, nights: Nights
) -> None:
    nights.tell([nights.compare("1")])
    nights.tell([nights.compare("2", 0.88)])
    # Its boots differ so much that nobody can say.
    spread = [0.6, 0.75, 0.9, 1.05, 1.2]
    nights.tell([nights.compare("3", factors=spread)])
    mail = mails(conn)[-1]
    assert "no longer certain" in mail["Subject"]
    said = text_of(mail)
    assert "No longer certain; worse in the night of 2026-03-02" in said
    assert "was -12.00 %" in said
    assert "Open before 1: " in said, "and its alert stays"
    nights.tell([nights.compare("4", factors=spread)])
    assert "o longer certain" not in text_of(mails(conn)[-1])


def test_what_was_worse_and_is_not_measured_is_told(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1")])
    nights.tell([nights.compare("2", 0.88)])
    # Negative control: as long as it is measured nothing of that is said.
    nights.tell([nights.compare("3", 0.88)])
    assert "o longer measured" not in text_of(mails(conn)[-1])
    other = nights.compare("4", 1.0)
    gone = "DELETE FROM verdict WHERE comparison = %s AND metric = 'bogo-ops-rate'"
    with planted(conn):
        conn.execute(gone, (other,))
    nights.tell([other])
    mail = mails(conn)[-1]
    assert "no longer measured" in mail["Subject"]
    said = text_of(mail)
    assert "No longer measured; worse in the night of 2026-03-03 (1) " in said
    assert "-12.00 % worse" in said


def test_an_alert_is_told_in_full_once_and_listed_while_it_is_open(
    conn: Connection, nights: Nights
) -> None:
    nights.tell([nights.compare("1")])
    nights.tell([nights.compare("2", 0.8)])
    nights.tell([nights.compare("2", 0.8)])
    rows = conn.execute("SELECT id, title, body, told_at FROM alert").fetchall()
    assert len(rows) == 1
    [(id_, title, body, told_at)] = rows
    assert told_at is not None
    quiet, new, old = map(text_of, mails(conn))
    assert "No alert is open." in quiet
    assert f"New alert {id_}: {title}" in new
    concluded = " ".join(body.partition("\n\n")[0].split())
    assert concluded in new
    assert f"Open before {id_}: {title}" in old
    assert concluded not in old
    events = conn.execute("SELECT action, why FROM alert_event ORDER BY id").fetchall()
    assert [e[0] for e in events] == ["opened", "told"]
    assert events[1][1] == "with the night of 2026-03-02 to kim@test"
    # Gone, and not told of as open any more.
    # As it happens: what is withdrawn is withdrawn now.
    nights.tell([nights.compare("3")], finished=None)
    gone = text_of(mails(conn)[-1])
    assert "No alert is open." in gone
    assert f"Withdrawn {id_}: {title} (6.12.3-vlag" in gone
    assert "no longer shows it)" in gone
    nights.tell([nights.compare("3")], finished=None)
    assert "Withdrawn" not in text_of(mails(conn)[-1])
    # It comes back: told in full once more.
    nights.tell([nights.compare("4", 0.8)], finished=None)
    nights.tell([nights.compare("4", 0.8)], finished=None)
    back, known = map(text_of, mails(conn)[-2:])
    assert f"Reopened alert {id_}: " in back
    assert f"Open before {id_}: " in known
    events = conn.execute("SELECT action FROM alert_event ORDER BY id").fetchall()
    assert [e[0] for e in events] == ["opened", "told", "withdrawn", "reopened", "told"]


def test_a_muted_alert_is_counted_and_not_told(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1", 0.8)])
    [(id_,)] = conn.execute("SELECT id FROM alert").fetchall()
    conn.execute("UPDATE alert SET muted_until = now() + interval '1 day'")
    nights.tell([nights.compare("1", 0.8)])
    said = text_of(mails(conn)[-1])
    assert "1 open alert muted." in said
    assert f" {id_}: " not in said


def test_where_grafana_tells_of_alerts_the_mail_only_links(
    conn: Connection, nights: Nights, tmp_path: Path
) -> None:
    nights.settings = settings(tmp_path, MAIL + '[alerts]\nchannel = "grafana"\n')
    nights.tell([nights.compare("1", 0.8)])
    said = text_of(mails(conn)[0])
    assert "1 alert open. http://127.0.0.1:8010/plugins/wsgi_dashboards/vlag/alerts" in said
    assert "New alert" not in said
    assert conn.execute("SELECT told_at FROM alert").fetchall() == [(None,)]


def test_what_did_not_reach_somebody_is_said_in_their_next_mail_once(
    conn: Connection, nights: Nights
) -> None:
    nights.tell([nights.compare("1")])
    [lost] = messages.latest(conn, 1)
    messages.settle(conn, lost.id, State.GIVEN_UP, "no answer", attempts=0, next_at=lost.next_at)
    nights.tell([nights.compare("1")])
    nights.tell([nights.compare("1")])
    _, next_, later = map(text_of, mails(conn))
    assert "What failed to reach you" in next_
    assert "no regression (2026-03-01)' could not be delivered: no answer" in next_
    assert "failed to reach" not in later


def test_figures_from_a_report_are_told_only_on_demand_and_by_that_name(
    conn: Connection, nights: Nights
) -> None:
    id_ = nights.compare("1", 0.8, synthetic=True)
    nights.tell([id_])
    nights.tell([id_], synthetic=True)
    silent, told = map(text_of, mails(conn))
    assert "-20.00 %" not in silent
    assert "Nothing was compared: there is no result for this branch." in silent
    assert f"#{id_}: SYNTHETIC, from a report: 6.12.1-vlag against" in told
    assert "-20.00 %" in told


def test_a_subject_fits_a_line_and_leaves_tries_out(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1")])
    nights.tell([nights.compare("2", 0.9)])
    data = night_changes.collect(conn, nights.catalogue, 2, web="https://ci.test/")
    [branch] = data["branches"]
    [figure] = branch["worse_since"]
    tried: Any = {**branch, "worse_since": [{**figure, "subject": "+ slow full"}]}
    with_tries = report.night_subject({**data, "branches": [tried]})
    assert "no regression, 1 worse with patches or knobs" in with_tries
    long: Any = {**branch, "name": "debian/a-branch-of-somebody-with-a-long-name-and-its-end"}
    long |= {"suspected": [figure] * 20, "uncertain": [figure], "fixed": [figure] * 3}
    subject = report.night_subject({**data, "branches": [long]})
    assert len(subject) <= 78
    assert "its-end: 1 regression" in subject
    # Negative control: what fits is whole.
    short = report.night_subject(data)
    assert short == "[vlag] debian/linux-6.12: 1 regression (2026-03-02)"


def test_a_subject_says_that_there_are_only_hints(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1")])
    data = night_changes.collect(conn, nights.catalogue, 1, web="http://x/")
    [branch] = data["branches"]
    assert "/linux-6.12: no regression (" in report.night_subject(data)
    branch["counts"]["hints"], branch["worst_hint"] = 3, 16.0
    assert "/linux-6.12: no proof; 3 hints, worst \u00d7 17 (" in report.night_subject(data)
    assert "no regression" not in report.night_subject(data)


def test_silence_is_no_good_news(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1")])
    data = night_changes.collect(conn, nights.catalogue, 1, web="http://x/")
    [branch] = data["branches"]
    assert branch["lacking"]["unmeasured"] == 0 < branch["lacking"]["figures"]
    quiet = report.render(data)
    assert "Nothing is worse." in quiet.text
    assert "/linux-6.12: no regression (" in quiet.subject
    branch["lacking"] = {"figures": 12, "unmeasured": 6, "without_base": 6, "without_new": 0}
    silent, said = report.render(data), "6 of 12 figures without a base"
    assert f"Nothing is known to be worse: {said}." in " ".join(silent.text.split())
    assert silent.subject.endswith(f"/linux-6.12: no regression, {said}")


def test_more_than_a_mail_should_hold_is_counted(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1", 0.9)])
    data = night_changes.collect(conn, nights.catalogue, 1, web="http://x/")
    [branch] = data["branches"]
    assert len(branch["worse"]) == 1
    branch["worse"] *= 40
    written = report.render(data)
    assert f"and {40 - report.FIGURES_MAX} more." in written.text
    assert written.text.count("bogo-ops-rate") < 30
    assert "40 regressions" in written.subject


@pytest.mark.parametrize(("count", "fits"), [(20, True), (40, False)])
def test_a_night_of_twenty_figures_is_sixty_lines(
    conn: Connection, nights: Nights, monkeypatch: pytest.MonkeyPatch, count: int, fits: bool
) -> None:
    """With its alert, its links and what it compared; each figure is another one."""
    monkeypatch.setattr(report, "FIGURES_MAX", count)
    nights.tell([nights.compare("1"), nights.compare("2", 0.9)])
    data = night_changes.collect(conn, nights.catalogue, 1, web="http://x/")
    [branch] = data["branches"]
    [figure] = [*branch["worse_since"], *branch["worse"]]
    kinds = ("worse_since", "worse", "suspected", "fixed")
    for n, kind in enumerate(kinds):
        branch[kind] = [  # type: ignore[literal-required]
            {**figure, "name": f"stress-ng-{kind}-{i} bogo-ops-rate"}
            for i in range(count)
            if i % len(kinds) == n
        ]
    written = report.render(data)
    assert all(f"stress-ng-{kinds[i % 4]}-{i} " in written.text for i in range(count))
    assert (len(written.text.splitlines()) <= 60) is fits, written.text


def test_long_and_odd_names_keep_the_form(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1", 0.9)])
    data = night_changes.collect(conn, nights.catalogue, 1, web="http://x/")
    data["branches"][0]["name"] = "debian/" + "very-long-" * 20 + "<b>'\"&\u00e9"
    data["alerts"] = []
    written = report.render(data)
    lines = [line for line in written.text.splitlines() if not URL.fullmatch(line.strip())]
    assert max(map(len, lines)) <= 75
    assert "<b>'" not in written.html
    assert "&lt;b&gt;" in written.html
    raw = rfc5322.night_mail(
        written, key="k", sender="a@test", to="b@test", at=mails(conn)[0]["Date"].datetime
    )
    mail = message_from_bytes(raw, policy=default)
    assert mail["Subject"] == written.subject
    assert max(map(len, raw.split(b"\r\n"))) <= 998


def test_mistakes_are_said(conn: Connection, nights: Nights) -> None:
    with pytest.raises(UsageError, match="there is no comparison 99 on record"):
        nights.tell([99])
    assert conn.execute("SELECT count(*) FROM night").fetchone() == (0,)


def headers_of(conn: Connection, name: str) -> list[str | None]:
    return [mail[name] for mail in mails(conn)]


def test_an_alert_is_one_thread(conn: Connection, nights: Nights) -> None:
    nights.tell([nights.compare("1")])
    nights.tell([nights.compare("2", 0.8)])
    nights.tell([nights.compare("3", 0.8)])
    # As it happens: what is withdrawn is withdrawn now.
    nights.tell([nights.compare("4")], finished=None)
    before, opened, stays, gone = headers_of(conn, "References")
    assert before is None
    assert opened is not None
    assert opened == stays == gone
    assert headers_of(conn, "In-Reply-To") == headers_of(conn, "References")
    assert opened not in headers_of(conn, "Message-ID")
    # Negative control: another alert is another thread.
    nights.branch = "6.6"
    nights.settings = settings(nights.folder, MAIL + 'debian = ["kim@test"]\n')
    nights.tell([nights.compare("1", 0.7)], finished=None)
    assert headers_of(conn, "References")[-1] not in (None, opened)
    assert set(headers_of(conn, "List-Unsubscribe")) == {"<mailto:vlag@test?subject=unsubscribe>"}


def test_a_figure_against_parent_and_baseline_is_one_entry(
    conn: Connection, nights: Nights
) -> None:
    nights.tell([nights.compare("1")])
    both = [nights.compare("2", 0.9), nights.compare("2", 0.9, role="parent", tag="parent")]
    nights.tell(both)
    mail = mails(conn)[-1]
    assert mail["Subject"] == "[vlag] debian/linux-6.12: 1 regression (2026-03-02)"
    said = text_of(mail).partition("Alerts =")[0]
    assert said.count("stress-ng-switch bogo-ops-rate on qemu-sim-2") == 1
    assert re.search(rf"#{both[0]}, -10.00 % against \S+, #{both[1]}|#{both[1]}, -10", said), said


def test_of_many_figures_the_first_are_whole_and_the_others_a_line(
    conn: Connection, nights: Nights
) -> None:
    nights.tell([nights.compare("1")])
    nights.tell([nights.compare("2", 0.9)])
    data = night_changes.collect(conn, nights.catalogue, 2, web="http://x/")
    [branch] = data["branches"]
    [figure] = branch["worse_since"]
    few = len(report.render(data).text.splitlines())
    names = [f"stress-ng-switch-nested metric-{n}" for n in range(19)]
    more: Any = [{**figure, "name": name} for name in names]
    branch["worse_since"] += more
    lines = report.render(data).text.splitlines()
    assert all(sum(f"{name} on" in line for line in lines) == 1 for name in names)
    # Two have their numbers below them.
    assert len(lines) - few <= 17 + 2 * 3
    assert max(map(len, lines)) <= 80


def test_what_is_missing_is_told_to_its_owner(
    conn: Connection, nights: Nights, tmp_path: Path
) -> None:
    owners = MAIL + '"debian/linux-6.6" = ["pat@test"]\n'
    nights.settings = settings(tmp_path, owners, settings_files.branch(branch="linux-6.6"))
    missing = [
        "linux-6.12 on qemu-sim-2: no board was there",
        "debian/linux-6.6: not compared: it did not build",
        "the mirror is away",
    ]
    nights.tell([nights.compare("1")], missing=missing)
    by_to = {mail["To"]: text_of(mail) for mail in mails(conn)}
    kims, pats = by_to["kim@test"], by_to["pat@test"]
    assert [m in kims for m in missing] == [True, False, True]
    assert [m in pats for m in missing] == [False, True, True]
    assert "2 planned steps did not run" in kims
