# SPDX-License-Identifier: GPL-2.0-only
"""Several masters: what each of them has, and what a person got wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.settings_files import with_branch
from vlag import config
from vlag.cli.main import main
from vlag.config import catalogue, workers
from vlag.errors import UsageError

DATABASE = """
[database]
host = "127.0.0.1"
"""

TWO = """
[[masters]]
name = "m1"
[[masters]]
name = "m2"
web = 8
worker = 9
url = "http://two.example.org"
[[workers.hosts]]
name = "one"
[[workers.hosts]]
name = "two"
takes = ["build", "run"]
master = "m2"
"""


def test_each_master_has_its_own_ports_and_hosts(tmp_path: Path) -> None:
    here = config.load(with_branch(tmp_path, DATABASE + TWO))
    one, two = here.of_master("m1"), here.of_master("m2")
    assert (one.leads, two.leads) == (True, False)
    assert (one.web_port, one.worker_port, one.url) == (2, 3, "http://127.0.0.1:2/")
    assert (two.web_port, two.worker_port, two.url) == (8, 9, "http://two.example.org/")
    assert [h.name for h in one.own_hosts] == ["one"]
    assert [h.name for h in two.own_hosts] == ["two"]
    known = catalogue.load()
    ones, twos = workers.host_names(one, known), workers.host_names(two, known)
    assert set(ones.values()) == {"one"}
    assert set(twos.values()) == {"two"}
    # Commands that are no master see what the first one has.
    assert (here.web_port, here.worker_port) == (2, 3)


def test_without_masters_there_is_one_that_does_everything(tmp_path: Path) -> None:
    here = config.load(with_branch(tmp_path, ""))
    assert here.of_master(None) == here
    assert here.leads
    assert here.own_hosts == here.hosts
    with pytest.raises(UsageError, match="there is one master, which has no name"):
        here.of_master("m1")


def test_who_is_silent_is_taken_for_gone_after_ten_minutes_or_as_set(tmp_path: Path) -> None:
    path = with_branch(tmp_path, DATABASE + TWO)
    text = path.read_text()
    assert config.load(path).takeover_s == 600
    path.write_text(f"takeover_s = 30\n{text}")
    assert config.load(path).of_master("m2").takeover_s == 30
    path.write_text(f"takeover_s = 29\n{text}")
    with pytest.raises(UsageError, match="takeover_s: 29 is less than"):
        config.load(path)


def test_a_master_is_named_where_there_are_several(tmp_path: Path) -> None:
    here = config.load(with_branch(tmp_path, DATABASE + TWO))
    with pytest.raises(UsageError, match=r"which master is this.*there are: m1, m2"):
        here.of_master(None)
    with pytest.raises(UsageError, match=r"no master 'm3' under \[\[masters\]\].*m1, m2"):
        here.of_master("m3")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('name = "m2"', 'name = "m1"', r"masters\.1\.name: there are two masters 'm1'"),
        ('master = "m2"', 'master = "m3"', r"workers\.hosts\.1\.master: no master 'm3'.*m1, m2"),
        ('master = "m2"', "", r"masters\.1: m2 has no worker host"),
        (DATABASE, "", "database: missing; several masters share"),
        ('"build", "run"]', '"run", "lab"]', r"workers\.hosts\.1\.takes: the jobs of labs"),
        ('name = "one"', 'name = "one"\ntakes = ["run"]', r'none of master m1 takes "build"'),
        ("web = 8", "web = 80000", r"masters\.1\.web: 80000"),
    ],
)
def test_a_mistake_gets_one_sentence(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    text = DATABASE + TWO
    assert config.load(with_branch(tmp_path, text)).masters, "the mended settings load"
    assert old in text
    with pytest.raises(UsageError, match=sentence) as caught:
        config.load(with_branch(tmp_path, text.replace(old, new)))
    assert "\n" not in str(caught.value).strip()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["serve", "--name", "m1"], "only --part master has a name"),
        (["serve", "--part", "worker", "--name", "m1"], "only --part master has a name"),
        (["serve", "--part", "master"], "which master is this"),
        (["serve", "--part", "master", "--name", "m3"], "no master 'm3'"),
        (["serve", "--part", "master", "--name", "m2", "--once"], "only the first master knows"),
        (["serve", "--part", "master", "--name", "m1", "--once=first"], "has no first look"),
        (["health", "master", "--name", "m3"], "no master 'm3'"),
    ],
)
def test_a_wrong_command_gets_one_sentence(
    words: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("VLAG_SETTINGS", str(with_branch(tmp_path, DATABASE + TWO)))
    monkeypatch.delenv("VLAG_MASTER_NAME", raising=False)
    with pytest.raises(SystemExit) as caught:
        main(words)
    said = "".join(capsys.readouterr())
    assert caught.value.code == 2, said
    assert sentence in said
    assert "Traceback" not in said
