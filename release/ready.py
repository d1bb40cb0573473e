# SPDX-License-Identifier: GPL-2.0-only
"""What a release needs and the tree does not have, and the tag once it has all.

Each check returns sentences, one for each thing that is missing; none needs a network.
"""

from __future__ import annotations

import datetime
import re
import runpy
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from packaging.requirements import Requirement as Asked
from packaging.utils import canonicalize_name

from release import licences, lock
from vlag import ROOT
from vlag.errors import UsageError

#: Most lines of a release's section of the changelog.
MOST_LINES = 80
_DATED = re.compile(r"(\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})")
#: Of a section of docs/evidence/: the commit that was measured, and what bench/evidence.py adds.
_MEASURED = re.compile(r"^- commit: ([0-9a-f]{12,40})\b(.*)$", re.M)


def missing(root: Path = ROOT) -> list[str]:
    """Return what the release of the checkout `root` lacks, one sentence each."""
    checks: tuple[Callable[[Path], Iterator[str]], ...] = (
        _tree, _version, _changelog, _lock, _licences, _evidence,
    )  # fmt: skip
    return [sentence for check in checks for sentence in check(root)]


def tag(root: Path = ROOT) -> str:
    """Tag HEAD as the release of its version; return the tag.  Raises UsageError."""
    name = f"v{_project_version(root)}"
    done = _git(root, "tag", "--annotate", "--message", f"vlag {name[1:]}", name)
    if done.returncode:
        raise UsageError(f"git made no tag {name}: {' '.join(done.stderr.split())}")
    return name


def _tree(root: Path) -> Iterator[str]:
    done = _git(root, "status", "--porcelain", "--untracked-files=normal")
    if done.returncode:
        yield f"{root}: git cannot read it: {' '.join(done.stderr.split())}"
    elif files := [line[3:] for line in done.stdout.splitlines()]:
        more = f" and {len(files) - 3} more" if len(files) > 3 else ""
        yield f"the tree has changes ({', '.join(files[:3])}{more}); commit them"


def _version(root: Path) -> Iterator[str]:
    version = _project_version(root)
    package = runpy.run_path(str(root / "vlag" / "__init__.py"))["__version__"]
    if package != version:
        yield f"vlag/__init__.py: __version__ is {package}, and pyproject.toml says {version}"
    if _git(root, "tag", "--list", f"v{version}").stdout.strip():
        yield f"pyproject.toml: version {version} has its tag already; write the next one"


def _changelog(root: Path) -> Iterator[str]:
    parts = re.split(r"(?m)^## (.+)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"))
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    if sections.pop("Unreleased", "").strip():
        yield "CHANGELOG.md: lines stand under Unreleased; move them to the release's section"
    if not sections:
        yield "CHANGELOG.md: it has no section of a release"
        return
    title, text = next(iter(sections.items()))
    version = _project_version(root)
    if title.split()[0] != version:
        yield (
            f"CHANGELOG.md: its newest release is {title.split()[0]}, and pyproject.toml says"
            f" {version}"
        )
    match = _DATED.fullmatch(title)
    if match is None or not _is_date(match[2]):
        yield f'CHANGELOG.md: "## {title}" is no version with a date; write VERSION - YYYY-MM-DD'
    if (lines := len(text.strip().splitlines())) > MOST_LINES:
        yield f"CHANGELOG.md: {title.split()[0]} has {lines} lines; at most {MOST_LINES} are read"


def _lock(root: Path) -> Iterator[str]:
    """Hold the lock file against pyproject.toml: what it asks for, in a release that it takes."""
    entries = lock.read(root / lock.LOCK.name)
    asked: dict[str, list[Asked]] = {}
    project = lock.project(root)
    extras: dict[str, list[str]] = project.get("optional-dependencies", {})  # type: ignore[assignment]
    given: list[str] = project["dependencies"]  # type: ignore[assignment]
    for text in (*given, *(line for lines in extras.values() for line in lines)):
        found = Asked(text)
        if found.name != project["name"]:
            asked.setdefault(canonicalize_name(found.name), []).append(found)
    locked = {entry.name for entry in entries if "vlag" in entry.parents}
    for name in sorted(asked.keys() - locked):
        yield f"requirements.lock: it has no {name}, which pyproject.toml asks for; run `make lock`"
    for name in sorted(locked - asked.keys()):
        yield f"requirements.lock: pyproject.toml no longer asks for {name}; run `make lock`"
    for entry in entries:
        for wanted in asked.get(entry.name, ()):
            if not wanted.specifier.contains(entry.version, prereleases=True):
                yield (
                    f"requirements.lock: it has {entry.ref}, and pyproject.toml asks for"
                    f" {wanted}; run `make lock`"
                )


def _licences(root: Path) -> Iterator[str]:
    requirements = lock.read(root / lock.LOCK.name)
    known = licences.load(root / "release" / licences.LIST.name)
    yield from (f"release/licences.toml: {fault}" for fault in licences.faults(requirements, known))


def _evidence(root: Path) -> Iterator[str]:
    """Hold that each figure was measured on a commit, without changes, that the release has."""
    there = set(_git(root, "rev-list", "HEAD").stdout.split())
    for path in sorted((root / "docs" / "evidence").glob("*.md")):
        for commit, more in _MEASURED.findall(path.read_text(encoding="utf-8")):
            where = f"docs/evidence/{path.name}: commit {commit}"
            if "not committed" in more:
                yield f"{where} had changes when it was measured; run `make evidence` on a tag"
            elif not any(known.startswith(commit) for known in there):
                yield f"{where} is not in the history of HEAD, so nobody can repeat its figures"


def _is_date(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _project_version(root: Path) -> str:
    return str(lock.project(root)["version"])


def _git(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", "-C", root, *words], capture_output=True, text=True, check=False
    )  # fmt: skip
