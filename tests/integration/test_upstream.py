# SPDX-License-Identifier: GPL-2.0-only
"""What others do to watched branches: pushed, rewritten, deleted; and remotes that are dead."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.integration import tiny_tree
from tests.repositories import WorkTree, git
from vlag import config, progress_log
from vlag.cli.main import main
from vlag.errors import ExitCode
from vlag.kernel import mirror, upstream
from vlag.kernel import remote as remotes

LONG_AGO = datetime.now(UTC) - timedelta(days=9)


class Remote(WorkTree):
    """A remote over file://, a work tree that pushes to it, and the service's mirror of it."""

    def __init__(self, url: Path, folder: Path, mirror: Path):
        git(folder.parent, "clone", "--quiet", str(url), str(folder))
        super().__init__(folder)
        self.url, self.mirror = url, mirror

    def write(self, text: str) -> str:
        """Commit a text as the file `text`."""
        return self.commit(text, text=text)

    def push(self, branch: str = "main") -> None:
        self.git("push", "--quiet", "--force", "origin", f"HEAD:{branch}")

    def fetch(self) -> list[str]:
        """Bring the mirror up to date as a build does; return what happened, without times."""
        before = len(upstream.events(self.mirror, LONG_AGO))
        settings = config.load()
        url = settings.trees["tiny"].url
        assert url is not None
        mirror.clone(self.mirror, url, settings.watched("tiny"))
        return [e.text for e in upstream.events(self.mirror, LONG_AGO)[before:]]

    def has(self, commit: str) -> bool:
        """Whether the mirror has a commit after git threw away all that no ref reaches."""
        mirror.git(self.mirror, "gc", "--quiet", "--prune=now")
        return mirror.is_ancestor(self.mirror, commit, commit)


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Remote:
    path = tiny_tree.write(tmp_path, "v1")
    text = path.read_text().replace(f'"{tmp_path}/tiny.git"', f'"file://{tmp_path}/tiny.git"')
    path.write_text(text.replace('branch = "main"', 'branch = "*i*"'))  # main and topic
    monkeypatch.setenv("VLAG_SETTINGS", str(path))
    made = Remote(tmp_path / "tiny.git", tmp_path / "work", config.load().mirror("tiny"))
    made.mirror.parent.mkdir(parents=True)
    made.git("checkout", "--quiet", "-B", "main", "v1")
    made.write("two")
    made.push()
    for branch in ("topic", "other"):
        made.push(branch)
    assert made.fetch() == []
    return made


def build(ref: str) -> Result:
    words = ["build", "--tree", "tiny", "--ref", ref, "--board-type", "qemu-sim-2"]
    return CliRunner().invoke(main, [*words, "--format", "json"])


def test_an_ordinary_push_says_nothing(remote: Remote) -> None:
    for text in ("three", "four"):
        new = remote.write(text)
        remote.push()
        assert remote.fetch() == []
        assert mirror.resolve(remote.mirror, "main").sha == new
    remote.git("tag", "v2")
    remote.git("push", "--quiet", "origin", "v2", "HEAD:new-topic")
    assert remote.fetch() == []


def test_a_rewritten_branch_is_said_once_and_its_history_kept(remote: Remote) -> None:
    remote.write("three")
    old = remote.write("four")
    remote.push()
    assert remote.fetch() == []
    remote.git("reset", "--quiet", "--hard", "HEAD~2")
    new = remote.write("instead")
    remote.push()
    assert remote.fetch() == [
        f"branch main of tree tiny was rewritten: its head is {new[:12]}, and 2 commits are gone"
        f" from it, the last {old[:12]}, kept"
    ]
    assert remote.fetch() == []
    assert mirror.resolve(remote.mirror, "main").sha == new
    assert remote.has(old)
    # Negative control: without its ref it is gone.
    mirror.git(remote.mirror, "update-ref", "-d", f"refs/vlag/kept/{old}")
    assert not remote.has(old)


def test_a_tree_that_moves_is_fetched_from_its_new_address(remote: Remote) -> None:
    old = mirror.resolve(remote.mirror, "main").sha
    moved = remote.url.with_name("moved.git")
    git(remote.folder, "clone", "--quiet", "--mirror", str(remote.url), str(moved))
    new = remote.write("only there")
    remote.git("push", "--quiet", str(moved), "HEAD:main")
    # Negative control: nothing of it is at the old address.
    assert remote.fetch() == []
    assert mirror.resolve(remote.mirror, "main").sha == old
    path = config.load().path
    path.write_text(path.read_text().replace("tiny.git", "moved.git"))
    before = f"file://{remote.url}"
    assert remote.fetch() == [f"tree tiny comes from file://{moved} now, it came from {before}"]
    assert mirror.resolve(remote.mirror, "main").sha == new
    assert remote.fetch() == []
    # A password in an address is not said.
    said: list[str] = []
    with progress_log.diverted(said.append):
        upstream.move(remote.mirror, "https://kim:secret@git.test/tiny.git")
    assert said == [
        f"tree tiny comes from https://git.test/tiny.git now, it came from file://{moved}"
    ]


def test_a_branch_that_nobody_watches_may_be_rewritten(remote: Remote) -> None:
    remote.git("checkout", "--quiet", "--orphan", "x")
    remote.write("alone")
    remote.push("other")
    assert remote.fetch() == []
    remote.push("topic")
    assert "branch topic of tree tiny was rewritten" in remote.fetch()[0]


def test_a_branch_that_vanished_is_said_and_the_others_go_on(remote: Remote) -> None:
    old = remote.write("last")
    remote.push("topic")
    assert remote.fetch() == []
    remote.git("push", "--quiet", "origin", ":topic")
    [said] = remote.fetch()
    assert said == f"branch topic of tree tiny has vanished; its last head {old[:12]} is kept"
    assert remote.has(old)
    done = build("topic")
    assert done.exit_code == ExitCode.USAGE
    assert f"{said} (" in done.stderr.splitlines()[-1]
    assert build("main").exit_code == ExitCode.KERNEL_FAILED  # the tree has no Makefile
    # What was on the branch can still be built.
    assert build(old).exit_code == ExitCode.KERNEL_FAILED
    # Negative control: a name that never was has no such sentence.
    assert "has vanished" not in build("tipoc").stderr
    remote.push("topic")
    assert remote.fetch() == []
    assert build("topic").exit_code == ExitCode.KERNEL_FAILED


def test_a_dead_remote_leaves_what_was_fetched(remote: Remote) -> None:
    away = remote.url.rename(remote.url.with_name("away.git"))
    [said] = remote.fetch()
    assert said.startswith("tree tiny could not be fetched (fatal: ")
    assert remote.fetch() == []  # once, not each time
    done = build("main")
    assert done.exit_code == ExitCode.KERNEL_FAILED
    assert "could not be fetched" in done.stderr
    # What it may have is no mistake of the person who asks.
    missing = build("0" * 40)
    assert missing.exit_code == ExitCode.INFRASTRUCTURE
    away.rename(remote.url)
    assert remote.fetch() == ["tree tiny can be fetched again"]
    assert build("0" * 40).exit_code == ExitCode.USAGE


def test_what_happened_has_a_time_and_a_silent_remote_stays_said(remote: Remote) -> None:
    remote.url.rename(remote.url.with_name("away.git"))
    remote.fetch()
    later = datetime.now(UTC) + timedelta(days=2)
    [said] = upstream.sentences([remote.mirror], later)
    assert said.endswith(" UTC)")
    remote.url.with_name("away.git").rename(remote.url)
    remote.fetch()
    assert upstream.sentences([remote.mirror], later) == []
    assert len(upstream.sentences([remote.mirror], LONG_AGO)) == 2


def test_no_password_of_an_address_is_said() -> None:
    said = remotes.shown(remotes.reason("From x\nfatal: 'https://me:secret@host/x/': no\n"))
    assert said == "fatal: 'https://host/x/': no"


def test_the_status_shows_it(remote: Remote, dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    words = ["status", "--format", "json"]
    assert json.loads(CliRunner().invoke(main, words).stdout)["upstream"] == []
    assert "Upstream" not in CliRunner().invoke(main, ["status"]).stdout
    remote.git("push", "--quiet", "origin", ":topic")
    remote.fetch()
    [said] = json.loads(CliRunner().invoke(main, words).stdout)["upstream"]
    assert "branch topic of tree tiny has vanished" in said
    assert "Upstream, in the last day: 1 event\n  branch topic" in (
        CliRunner().invoke(main, ["status"]).stdout
    )
