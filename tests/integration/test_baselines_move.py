# SPDX-License-Identifier: GPL-2.0-only
"""An alert is of a cause and a figure: baselines get new tags, come and go, and it stays."""

from __future__ import annotations

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest
from attrs import define

from tests import settings_files
from tests.integration import bundles, nights
from tests.integration.nights import Nights
from vlag import config
from vlag.alerts import derive, triage
from vlag.config.catalogue import Catalogue
from vlag.report import read_model
from vlag.store import messages
from vlag.store.database import Connection

V61, V66 = "debian/v6.1.*", "debian/v6.6"


def settings(folder: Path, *baselines: str) -> config.Settings:
    """Return settings that compare the branch with these baselines of its tree."""
    first, *others = (b.partition("/")[2] for b in baselines)
    more = "".join(settings_files.branch(baseline=b) for b in others)
    return nights.settings(folder, branches=more, baseline=first)


@define(kw_only=True)
class Years:
    """A branch over a longer time: each night has a head and a tag of each baseline."""

    made: Nights

    @property
    def conn(self) -> Connection:
        return self.made.conn

    def night(self, head: str, factor: float, *bases: tuple[str, str], tell: bool = True) -> int:
        """Compare a head with a tag of each baseline, and tell it; return the last comparison."""
        ids = [self.made.compare(head, factor, tag=tag, baseline=of) for of, tag in bases]
        if tell:
            self.made.tell(ids)
        return ids[-1]

    def head_name(self, head: str) -> str:
        """Return what people are told of a head."""
        row = self.conn.execute(
            "SELECT n.name || ' (' || n.short_commit || ')' FROM read_model.kernel n"
            " WHERE n.describe = %s",
            (f"6.12.{head}",),
        ).fetchone()
        assert row is not None
        return str(row[0])

    def slow_base(self, tag: str) -> None:
        """Let a tag be as slow as the slow heads."""
        kernel = bundles.kernel("6.1", commit=bundles.sha(tag)[:40], branch=tag, describe=tag)
        paths = bundles.side(
            self.made.folder / "slow", kernel, self.made.catalogue, factors=nights.slower(0.88) * 9
        )
        bundles.store(self.conn, self.made.catalogue, paths)

    def watch(self, *baselines: str) -> None:
        self.made.settings = settings(self.made.folder, *baselines)

    def alerts(self) -> list[tuple[int, str, bool]]:
        """Return number, state of triage, and whether it stands, of each about a regression."""
        rows = self.conn.execute(
            "SELECT id, triage::text, withdrawn_at IS NULL FROM alert WHERE kind = 'regression'"
            " ORDER BY id"
        ).fetchall()
        return [(row[0], row[1], row[2]) for row in rows]

    def why(self, id_: int) -> str:
        row = self.conn.execute(
            "SELECT why FROM alert_event WHERE alert = %s ORDER BY id DESC LIMIT 1", (id_,)
        ).fetchone()
        assert row is not None
        return str(row[0])

    def mail(self) -> str:
        """Return the text of the last mail."""
        found = message_from_bytes(messages.latest(self.conn, 1)[0].body, policy=default)
        assert isinstance(found, EmailMessage)
        [text, _] = found.iter_parts()
        return str(text.get_content())

    def shown(self) -> set[int]:
        """Return the comparisons that are shown of the branch; view and page agree."""
        rows = self.conn.execute("SELECT comparison FROM read_model.newest").fetchall()
        found = {row[0] for row in rows}
        state = read_model.branch(self.conn, "debian", "linux-6.12")
        assert {c["id"] for c in state["comparisons"]} == found
        return found


@pytest.fixture
def years(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Years:
    made = Nights(conn=conn, catalogue=catalogue, folder=tmp_path,
                  settings=settings(tmp_path, V61))  # fmt: skip
    return Years(made=made)


@pytest.mark.parametrize("state", ["wont_fix", "investigating"])
def test_a_new_tag_of_the_baseline_keeps_alert_and_triage(years: Years, state: str) -> None:
    years.night("1", 0.88, (V61, "v6.1.162"))
    [(one, _new, _)] = years.alerts()
    triage.set_state(years.conn, one, state, by="kim", why="known")
    years.night("2", 0.88, (V61, "v6.1.163"))
    assert years.alerts() == [(one, state, True)]
    said = years.mail()
    assert "New alert" not in said
    assert "Nothing changed since the night of" in said
    assert "Still worse: " in said
    row = years.conn.execute("SELECT owner FROM alert").fetchone()
    assert row == ("kim" if state == "investigating" else None,)
    # Negative control: what another benchmark or board loses later is not hidden by it.
    years.night("3", 0.70, (V61, "v6.1.163"))
    assert years.alerts() == [(one, "new" if state == "wont_fix" else state, True)]


def test_an_alert_ends_with_the_head_that_heals_it_whatever_the_tag(years: Years) -> None:
    years.night("1", 0.88, (V61, "v6.1.162"))
    years.night("2", 1.0, (V61, "v6.1.163"))
    assert years.alerts() == [(1, "new", False)]
    assert years.why(1) == f"{years.head_name('2')} no longer shows it"
    # It comes back as the same alert.
    years.night("3", 0.88, (V61, "v6.1.164"))
    assert years.alerts() == [(1, "new", True)]


def test_the_list_after_a_push_says_what_the_night_said(years: Years) -> None:
    """It reads the same record, so it opens and withdraws nothing."""
    years.watch(V61, V66)
    years.night("1", 0.88, (V61, "v6.1.162"), (V66, "v6.6"))
    years.watch(V66)
    years.night("2", 1.0, (V66, "v6.6"))
    before = years.alerts()
    assert before == [(1, "new", False)]
    assert years.conn.execute("SELECT min(created_at) FROM comparison").fetchone()
    [since] = years.conn.execute("SELECT min(created_at) FROM comparison").fetchall()
    derive.refresh(years.conn, years.made.catalogue, since[0])
    assert years.alerts() == before


def test_a_branch_has_a_state_with_each_of_its_baselines(years: Years) -> None:
    years.watch(V61, V66)
    ids = [
        years.made.compare("1", 0.88, tag="v6.1.162", baseline=V61),
        years.made.compare("1", 0.88, tag="v6.6", baseline=V66),
    ]
    years.made.tell(ids)
    assert years.shown() == set(ids)
    assert len(years.alerts()) == 1, "it is one cause"
    # Only the baseline of the settings is left when they have one less.
    years.watch(V66)
    last = years.night("1", 0.88, (V66, "v6.6"))
    assert years.shown() == {last}
    assert years.alerts() == [(1, "new", True)]


def test_another_baseline_of_the_settings_ends_what_it_does_not_show(years: Years) -> None:
    years.night("1", 0.88, (V61, "v6.1.162"))
    years.watch(V66)
    years.slow_base("v6.6")
    years.night("1", 0.88, (V66, "v6.6"))
    assert years.alerts() == [(1, "new", False)]
    assert years.why(1) == "the branch is compared with another baseline now"


def test_with_several_baselines_what_has_no_name_counts_until_one_has(years: Years) -> None:
    years.watch(V61, V66)
    years.night("1", 0.88, (V61, "v6.1.162"))
    years.conn.execute("UPDATE comparison SET baseline = NULL")
    triage.set_state(years.conn, 1, "wont_fix", by="kim", why="the price of a fix")
    derive.derive(years.conn, years.made.catalogue, [1])
    assert years.alerts() == [(1, "wont_fix", True)]
    assert years.shown() == {1}
    # Comparisons of the same kernel get the name with the first that has it.
    last = years.night("2", 0.88, (V61, "v6.1.162"))
    assert years.alerts() == [(1, "wont_fix", True)]
    assert years.shown() == {last}
    assert years.conn.execute("SELECT DISTINCT baseline FROM comparison").fetchall() == [(V61,)]


def test_what_an_older_version_recorded_is_taken_over(years: Years) -> None:
    years.night("1", 0.88, (V61, "v6.1.162"))
    triage.set_state(years.conn, 1, "wont_fix", by="kim", why="the price of a fix")
    # As it was left: baselines without names, keys with the baseline's commit.
    years.conn.execute("UPDATE comparison SET baseline = NULL")
    years.conn.execute("UPDATE night SET branches = branches #- '{0,baselines}'")
    years.conn.execute("UPDATE alert SET key = repeat('0', 64)")
    assert years.shown() == {1}
    # The first night compares another head with another tag.
    last = years.night("2", 0.88, (V61, "v6.1.163"))
    assert years.alerts() == [(1, "wont_fix", True)]
    assert years.shown() == {last}
    assert not years.conn.execute("SELECT FROM alert WHERE key = repeat('0', 64)").fetchall()
    # Also one that was withdrawn, as it comes back.
    years.night("3", 1.0, (V61, "v6.1.163"))
    years.conn.execute("UPDATE alert SET key = repeat('0', 64)")
    years.night("4", 0.88, (V61, "v6.1.163"))
    assert [(id_, stands) for id_, _state, stands in years.alerts()] == [(1, True)]
