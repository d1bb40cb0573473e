"""Pages of docs/evidence/ name a commit of the history, or what tree they were measured on."""

from __future__ import annotations

import subprocess
import warnings
from pathlib import Path

import pytest

from bench import dependencies, origin
from bench.pages import FOLDER

HEAD = dependencies.git("rev-parse", "--short=12", "HEAD").decode().strip()
GONE = "0123456789ab"  # no commit of this history


def head(commit: str, tree: str = "") -> str:
    lines = f"# Title\n\n- date: 2026-11-22\n- commit: {commit}\n"
    return lines + (f"- tree: {tree}\n" if tree else "") + "\nFigures.\n"


@pytest.mark.parametrize("page", sorted(FOLDER.glob("*.md")), ids=lambda page: page.stem)
def test_a_page_names_a_commit_of_the_history_or_says_what_it_was(page: Path) -> None:
    if origin.is_shallow():
        warnings.warn("a shallow clone: commits that it lacks are not checked", stacklevel=1)
    found = origin.named(page.read_text())
    assert found, "neither `- commit: ` in its head nor records with one"
    # `python -m bench stale --mark` looks for the commit that has the page's tree.
    assert [fault for words in found if (fault := origin.fault(words))] == []


@pytest.mark.parametrize(
    "words", [GONE, f"{HEAD}-dirty", "unknown", f"none {GONE}", ""]
)  # fmt: skip
def test_other_words_are_a_fault(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origin, "is_shallow", lambda: False)
    assert origin.fault(words)
    assert origin.fault(HEAD) is None
    assert origin.fault(f"none; {GONE} with changes that were not committed") is None


def test_a_shallow_clone_knows_only_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origin, "is_shallow", lambda: True)
    assert origin.fault(GONE) is None
    # Its form is checked all the same.
    assert origin.fault(f"{HEAD}-dirty")


def test_a_tree_is_known_again_after_a_rebase() -> None:
    tree = origin.digest("HEAD")
    assert origin.settled(head(GONE, tree), ["HEAD"]) == head("HEAD", tree)
    assert origin.settled(head("none; new", tree), ["HEAD"]) == head("HEAD", tree)
    # A commit of the history stays, whatever the digest.
    assert origin.settled(head(HEAD, "0" * 12), ["HEAD"]) == head(HEAD, "0" * 12)


def test_a_tree_that_nobody_committed_stays_and_a_lost_commit_is_said() -> None:
    assert origin.settled(head("none; new", "0" * 12), ["HEAD"]) == head("none; new", "0" * 12)
    lost = origin.settled(head(GONE), [])
    assert f"- commit: none; {GONE}, which has left the history\n" in lost
    assert origin.settled(lost, []) == lost


def test_the_work_tree_has_its_commit_s_digest_until_a_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True)

    git("init", "--quiet")
    (tmp_path / "docs/evidence").mkdir(parents=True)
    (tmp_path / "docs/evidence/page.md").write_text("old")
    (tmp_path / "a b.py").write_text("1")
    git("add", ".")
    git("commit", "--quiet", "--message=first")
    monkeypatch.setattr(origin, "ROOT", tmp_path)
    monkeypatch.setattr(dependencies, "ROOT", tmp_path)
    first = origin.digest()
    assert first == origin.digest("HEAD")
    clean = origin.revision()
    assert origin.fault(clean) is None
    # Pages are no part of what is measured.
    (tmp_path / "docs/evidence/page.md").write_text("new")
    assert (origin.digest(), origin.revision()) == (first, clean)
    (tmp_path / "new.py").write_text("2")
    assert origin.digest() != first
    assert origin.revision() == f"none; {clean} with changes that were not committed"
    git("add", ".")
    git("commit", "--quiet", "--message=second")
    assert origin.digest("HEAD") == origin.digest() != first
