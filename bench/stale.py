"""Which pages of docs/evidence/ are older than what they measure."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from bench.dependencies import Tree, git
from bench.origin import settled
from bench.pages import Page, State, marked, measured, state


def states() -> list[tuple[Page, State]]:
    """Return every page with its state in the work tree."""
    tree = Tree()
    return [(p, state(p, p.path.read_text(encoding="utf-8"), tree)) for p in measured()]


def mark() -> None:
    """Write into each page its commit, on what it depends, and of what it is out of date."""
    tree = Tree()
    since = git("log", "-1", "--format=%h %cs", "--abbrev=12").decode().strip()
    for page in measured():
        text = page.path.read_text(encoding="utf-8")
        page.path.write_text(settled(marked(page, text, tree, since)), encoding="utf-8")


def main(words: Sequence[str] = ()) -> None:
    """List the pages that are stale, and end with 1 if there are any; `--mark` marks them."""
    if words not in ([], ["--mark"]):
        sys.exit("python -m bench stale takes only --mark")
    if words:
        mark()
    stale = [(page, s) for page, s in states() if not s.fresh]
    for page, s in stale:
        why = [f"{'; '.join(s.moved)} changed"] if s.moved else []
        why += [f"its head has not {'; '.join(s.undeclared)}"] if s.undeclared else []
        print(f"{page.name}: {', '.join(why)}{'' if s.honest else ' (not marked)'}")
    sys.exit(1 if stale else 0)


def renew(words: Sequence[str] = ()) -> None:
    """Measure every stale page anew, the quickest first, or those that are named, in their order.

    `--list` only prints them.
    """
    listed, names = "--list" in words, [w for w in words if w != "--list"]
    known = {page.name: page for page in measured()}
    for name in names:
        if name not in known:
            sys.exit(f"python -m bench renew: no page {name}; there are: {', '.join(known)}")
    pages = [known[name] for name in names] or sorted(
        (p for p, s in states() if not s.fresh), key=lambda p: p.minutes
    )
    for page in pages:
        print(f"{page.minutes:>4} min  {page.name}: {' '.join(page.command[1:])}")
    print(f"{sum(p.minutes for p in pages):>4} min  for {len(pages)} pages", flush=True)
    if listed:
        return
    failed = []
    for page in pages:
        print(f"renewing {page.name}, about {page.minutes} min", flush=True)
        if subprocess.run(page.command, check=False).returncode:
            failed.append(page.name)
    if failed:
        sys.exit(f"not renewed: {', '.join(failed)}")
