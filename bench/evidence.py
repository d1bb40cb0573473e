"""Pages of docs/evidence/: figures with the date, tree and command that made them."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Iterable, Sequence

from bench import origin, pages
from vlag import ROOT


def write(name: str, title: str, command: str, facts: Sequence[str], body: Iterable[str]) -> None:
    """Write docs/evidence/NAME.md; `facts` are lines such as digests, `body` is Markdown.

    What the page depends on comes from `bench.pages`.
    """
    lines = [
        f"# {title}",
        "",
        f"- date: {datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
        *(f"- {line}" for line in origin.lines()),
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
