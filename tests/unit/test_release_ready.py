# SPDX-License-Identifier: GPL-2.0-only
"""`make release`: what a release needs, each thing broken once, and the tag."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from release import __main__ as command
from release import ready
from tests.repositories import git
from vlag import ROOT

FILES = (
    "pyproject.toml", "requirements.lock", "release/licences.toml", "vlag/__init__.py",
    "docs/evidence/verdicts.md",
)  # fmt: skip
CHANGELOG = "# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2026-12-01\n\n- A change.\n"
NEVER = "0123456789ab"


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "next")


def edit(root: Path, name: str, old: str, new: str) -> None:
    path = root / name
    text = path.read_text(encoding="utf-8")
    assert re.search(old, text), (name, old)
    path.write_text(re.sub(old, new, text), encoding="utf-8")


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """Return a checkout that lacks nothing: this one's files, of version 1.2.3."""
    root = tmp_path / "checkout"
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    edit(root, "pyproject.toml", r'(?m)^version = ".*"', 'version = "1.2.3"')
    edit(root, "vlag/__init__.py", r'__version__ = ".*"', '__version__ = "1.2.3"')
    (root / "CHANGELOG.md").write_text(CHANGELOG, encoding="utf-8")
    git(root.parent, "init", "--quiet", str(root))
    commit(root)
    measured = git(root, "rev-parse", "--short=12", "HEAD").strip()
    edit(root, "docs/evidence/verdicts.md", r"(?m)^- commit: .*$", f"- commit: {measured}")
    commit(root)
    return root


#: What is broken: file, pattern, replacement, and what is said.
BROKEN = {
    "version": ("pyproject.toml", '"1.2.3"', '"1.2.4"', [
        "vlag/__init__.py: __version__ is 1.2.3, and pyproject.toml says 1.2.4",
        "CHANGELOG.md: its newest release is 1.2.3, and pyproject.toml says 1.2.4",
    ]),
    "date": ("CHANGELOG.md", " - 2026-12-01", "", [
        'CHANGELOG.md: "## 1.2.3" is no version with a date; write VERSION - YYYY-MM-DD',
    ]),
    "no such date": ("CHANGELOG.md", "2026-12-01", "2026-12-32", [
        'CHANGELOG.md: "## 1.2.3 - 2026-12-32" is no version with a date;'
        " write VERSION - YYYY-MM-DD",
    ]),
    "unreleased": ("CHANGELOG.md", "Unreleased\n", "Unreleased\n\n- More.\n", [
        "CHANGELOG.md: lines stand under Unreleased; move them to the release's section",
    ]),
    "long": ("CHANGELOG.md", "- A change.\n", "- A change.\n" * 81, [
        "CHANGELOG.md: 1.2.3 has 81 lines; at most 80 are read",
    ]),
    "no section": ("CHANGELOG.md", r"## 1\.2\.3.*\n", "", [
        "CHANGELOG.md: lines stand under Unreleased; move them to the release's section",
        "CHANGELOG.md: it has no section of a release",
    ]),
    "new dependency": ("pyproject.toml", '  "attrs",', '  "attrs",\n  "nobody",', [
        "requirements.lock: it has no nobody, which pyproject.toml asks for; run `make lock`",
    ]),
    "dropped dependency": ("pyproject.toml", '  "ruff",\n', "", [
        "requirements.lock: pyproject.toml no longer asks for ruff; run `make lock`",
    ]),
    "higher bound": ("pyproject.toml", '"tuxmake"', '"tuxmake>=99"', [
        r"requirements\.lock: it has tuxmake==\S+, and pyproject\.toml asks for tuxmake>=99;"
        " run `make lock`",
    ]),
    "licence": ("release/licences.toml", r"(?m)^tuxmake = .*\n", "", [
        "release/licences.toml: tuxmake: no licence on record; read its own, and add it to"
        " licences.toml",
    ]),
    "measured elsewhere": (
        "docs/evidence/verdicts.md", r"- commit: [0-9a-f]{12}\n- command: `python -m bench rel",
        f"- commit: {NEVER}\n- command: `python -m bench rel", [
            f"docs/evidence/verdicts.md: commit {NEVER} is not in the history of HEAD, so nobody"
            " can repeat its figures",
        ],
    ),
    "measured with changes": (
        "docs/evidence/verdicts.md",
        r"(- commit: [0-9a-f]{12})\n(- command: `python -m bench rel)",
        r"\1 with changes that were not committed\n\2", [
            r"docs/evidence/verdicts\.md: commit [0-9a-f]{12} had changes when it was measured;"
            " run `make evidence` on a tag",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_each_missing_thing_is_one_sentence(whole: Path, name: str) -> None:
    assert ready.missing(whole) == []
    file, old, new, expected = BROKEN[name]
    edit(whole, file, old, new)
    commit(whole)
    found = ready.missing(whole)
    assert len(found) == len(expected), found
    for sentence, said in zip(found, expected, strict=True):
        assert sentence == said or re.fullmatch(said, sentence), sentence


def test_changes_are_said(whole: Path) -> None:
    for number in range(4):
        (whole / f"new-{number}").touch()
    assert ready.missing(whole) == [
        "the tree has changes (new-0, new-1, new-2 and 1 more); commit them"
    ]


def test_the_tag_is_made_only_of_what_is_whole(
    whole: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking, make = ready.missing, ready.tag
    monkeypatch.setattr(ready, "missing", lambda: lacking(whole))
    monkeypatch.setattr(ready, "tag", lambda: make(whole))
    for key, value in (("user.name", "a"), ("user.email", "a@example.org")):
        git(whole, "config", key, value)

    def release(verb: str) -> int:
        monkeypatch.setattr(sys, "argv", ["release", verb])
        return command.main()

    (whole / "new").touch()
    assert release("tag") == 1
    assert capsys.readouterr().out == (
        "the tree has changes (new); commit them\nno release: 1 thing is missing\n"
    )
    assert git(whole, "tag") == ""
    (whole / "new").unlink()
    assert release("check") == 0
    assert git(whole, "tag") == ""
    capsys.readouterr()
    assert release("tag") == 0
    assert capsys.readouterr().out == "tagged v1.2.3; push it with: git push origin v1.2.3\n"
    assert git(whole, "tag", "--points-at", "HEAD") == "v1.2.3"
    # Once is enough.
    assert release("tag") == 1
    assert "version 1.2.3 has its tag already" in capsys.readouterr().out


def test_a_tag_that_git_refuses_is_one_sentence(
    whole: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git(whole, "config", "tag.gpgSign", "true")
    git(whole, "config", "gpg.program", "/nonexistent")
    make: Callable[[Path], str] = ready.tag
    monkeypatch.setattr(ready, "missing", list)
    monkeypatch.setattr(ready, "tag", lambda: make(whole))
    monkeypatch.setattr(sys, "argv", ["release", "tag"])
    assert command.main() == 2
    said = capsys.readouterr().err
    assert said.startswith("release: git made no tag v1.2.3: ")
    assert said.count("\n") == 1
