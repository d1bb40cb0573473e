# SPDX-License-Identifier: GPL-2.0-only
"""What people read of a regression on boards of a lab, from the first mail to its causes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest

from tests.integration.hardware_story import Story, farm
from vlag import ROOT
from vlag.alerts import derive
from vlag.config.catalogue import Catalogue
from vlag.report.layout import WIDTH
from vlag.report.named_causes import found
from vlag.report.read_model import regression_of_alert
from vlag.store import comparisons
from vlag.store.alerts import Alert
from vlag.store.database import Connection
from vlag.store.messages import Message

#: A person reads it before it is committed.
GOLDEN = ROOT / "tests" / "data" / "hardware-alert.txt"
CAUSES = ["its commit", "what takes it back", "the function"]
MAIL_WIDTH = 78


@pytest.fixture
def story(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Story:  # fmt: skip
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Kim Doe")
        monkeypatch.setenv(f"GIT_{who}_DATE", "2026-02-20T12:00:00Z")
    made = Story(conn=conn, dsn=dsn, catalogue=farm(catalogue), folder=tmp_path,
                 levels={0: 1.0, 6: 0.92})  # fmt: skip
    made.prepare()
    return made


def derived(story: Story, id_: int) -> Alert:
    """Return the only alert of a comparison, as the search that ended derives it."""
    [alert] = derive.of_installation(story.conn, story.catalogue, story.settings, [id_])
    return alert


def plain(message: Message) -> str:
    """Return the mail's text with its subject, each night at a date of its own."""
    mail = message_from_bytes(message.body, policy=default)
    assert isinstance(mail, EmailMessage)
    text = next(p for p in mail.iter_parts() if p.get_content_type() == "text/plain")
    written: str = text.get_content()
    return f"Subject: {message.subject}\n\n" + written.replace("\r\n", "\n")


def dated(text: str) -> str:
    """Return a text whose dates are no longer those of this test."""
    today = datetime.now(UTC).date()
    for days in range(4):  # midnight may have passed
        text = text.replace(f"{today - timedelta(days=days)}", "2026-03-02")
    return text


def test_a_regression_on_boards_of_a_lab_reads_like_a_report_to_the_list(story: Story) -> None:
    id_ = story.night()
    first = plain(story.told([id_]))
    assert "New alert 1: tiny/main on rpi5: " in first
    assert "Not known yet: its commit, what takes it back and the function" in (
        " ".join(first.split())
    )
    assert story.search(id_)["found"][str(id_)]["commits"] == [story.commits[6]]
    story.toggled(id_)
    story.sampled(id_)
    alert = derived(story, id_)
    assert max(map(len, alert.body.splitlines())) <= WIDTH
    second = plain(story.told([id_]))
    assert max(map(len, second.splitlines())) <= MAIL_WIDTH
    text = dated("\n".join([first, "=" * WIDTH, second, "=" * WIDTH, alert.title, "", alert.body]))
    if not GOLDEN.exists():
        GOLDEN.write_text(f"{text}\n", encoding="utf-8")
        pytest.fail(f"{GOLDEN} was not there and is written: read it")
    assert f"{text}\n" == GOLDEN.read_text(encoding="utf-8"), (
        f"remove {GOLDEN}, run this again, and read what changed"
    )
    course = regression_of_alert(story.conn, alert.id)["course"]
    causes = {step["what"]: step["words"] for step in course}
    assert causes["commit"].startswith("stress-ng-switch: since ")
    assert "cpu-clock a switch in the kernel" in causes["profile"]
    # Its causes are news once.
    third = plain(story.told([id_]))
    assert "explained" not in third
    assert "Open before\n  1: tiny/main on rpi5: " in third
    # Negative control: each sentence goes with its rows.
    comparison = comparisons.by_id(story.conn, id_)
    assert comparison is not None
    for table in ("sampled_profile", "bisection_comparison"):
        story.conn.execute(f"DELETE FROM {table}")  # noqa: S608 - constants
    said = derived(story, id_).body
    assert found(said, "") == ["what takes it back"]
    assert "Not known yet: its commit and the function" in " ".join(said.split())
    assert found(alert.body, said) == ["its commit", "the function"]


def test_causes_that_a_text_names_are_news_against_the_text_that_was_told() -> None:
    told = "It is worse. Not known yet: its commit.\n\nSince: below the paragraph."
    now = (
        'It is worse. Since: abc ("mm: Function: name it"), bisected in 3\nsteps. What takes\nit'
        " back: X accounts for 90 % of the loss.\n\nFunction: below."
    )
    assert found(now, told) == CAUSES[:2]
    assert found(now, now) == []
    # Nobody was told: the alert itself is news.
    assert found(now, None) == []
