# SPDX-License-Identifier: GPL-2.0-only
"""Figures as Markdown: printed, and kept below var/evidence/, of which a release makes pages."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence

from vlag import ROOT

FOLDER = ROOT / "var" / "evidence"
#: A page that was measured a minute ago changes nothing of what is measured.
PAGES = "docs/evidence"


def write(name: str, title: str, command: str, facts: Sequence[str], body: Iterable[str]) -> None:
    """Print figures and keep them as var/evidence/NAME.md, one section of a page.

    `facts` are lines such as versions, `body` is Markdown whose headings begin with `## `.
    """
    machine = f"{os.cpu_count()} CPUs, {platform.machine()}, Python {platform.python_version()}"
    lines = [
        f"## {title}",
        "",
        f"- date: {datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
        f"- commit: {revision()}",
        f"- command: `{command}`",
        f"- machine: {machine}",
        *(f"- {fact}" for fact in facts),
        "",
        *(f"#{line}" if line.startswith("##") else line for line in body),
        "",
    ]
    text = "\n".join(lines)
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.md"
    path.write_text(text, encoding="utf-8")
    print(f"\n{text}\nkept as {path.relative_to(ROOT)}", flush=True)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return a Markdown table."""
    return [
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(map(str, row))} |" for row in rows),
    ]


def announced(title: str, rows: Iterable[Sequence[object]]) -> Iterator[Sequence[object]]:
    """Pass a table's rows on, and print each on stderr as soon as it is measured."""
    for row in rows:
        print(f"{title}: {' | '.join(map(str, row))}", file=sys.stderr, flush=True)
        yield row


def revision() -> str:
    """Return the commit with its tags, and whether the tree has changes beside the pages."""
    tags = git("tag", "--points-at", "HEAD").split()
    words = [git("rev-parse", "--short=12", "HEAD").strip(), *(f"({tag})" for tag in tags)]
    return " ".join([*words, *(["with changes that were not committed"] if changes() else [])])


def changes() -> list[str]:
    """Return the files that differ from HEAD or are new in the tree, without the pages."""
    others = ("--", ".", f":!{PAGES}")
    status = git("status", "--porcelain", "--untracked-files=normal", *others)
    return [line[3:] for line in status.splitlines()]


def git(*words: str) -> str:
    """Return what git prints in this repository."""
    return subprocess.run(
        ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True
    ).stdout
