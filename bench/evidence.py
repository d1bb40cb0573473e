"""Pages of docs/evidence/: figures with the date, commit and command that made them."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence

from bench import pages
from vlag import ROOT


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def revision() -> str:
    """Return the commit, marked if the tree differs from it."""
    # Pages that were measured a minute ago are no change of what is measured.
    others = ("--", ".", ":!docs/evidence")
    changed = "-dirty" if _git("status", "--porcelain", "--untracked-files=no", *others) else ""
    return f"{_git('rev-parse', '--short=12', 'HEAD')}{changed}"


def write(name: str, title: str, command: str, facts: Sequence[str], body: Iterable[str]) -> None:
    """Write docs/evidence/NAME.md; `facts` are lines such as digests, `body` is Markdown.

    What the page depends on comes from `bench.pages`.
    """
    lines = [
        f"# {title}",
        "",
        f"- date: {datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
        f"- commit: {revision()}",
        f"- command: `{command}`",
        f"- machine: {os.cpu_count()} CPUs, {platform.machine()}",
        f"- Python {platform.python_version()}",
        *(f"- {line}" for line in pages.lines(name)),
        *(f"- {fact}" for fact in facts),
        "",
        *body,
        "",
    ]
    path = pages.BY_NAME[name].path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")
    print(f"wrote {path.relative_to(ROOT)}")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return a Markdown table."""
    return [
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(map(str, row))} |" for row in rows),
    ]
