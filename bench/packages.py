"""Lines of code by package, today and at an earlier commit."""

from __future__ import annotations

import subprocess
from collections import Counter

from bench.evidence import table, write
from vlag import ROOT

#: The last commit in which one package held all between the stages and the command line.
BEFORE = "56d0938"


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


def lines(commit: str) -> Counter[str]:
    """Return the lines of Python in `vlag` and `master` at a commit, by package."""
    found: Counter[str] = Counter()
    for path in _git("ls-tree", "-r", "--name-only", commit, "vlag", "master").splitlines():
        if path.endswith(".py"):
            top, *below = path.split("/")
            package = top if top == "master" or len(below) == 1 else f"{top}.{below[0]}"
            found[package] += _git("show", f"{commit}:{path}").count("\n")
    return found


def main() -> None:
    """Write docs/evidence/packages.md."""
    before, now = lines(BEFORE), lines("HEAD")
    totals = before.total(), now.total()

    def cell(of: Counter[str], package: str, total: int) -> str:
        return f"{of[package]} ({of[package] / total:.1%})" if of[package] else "-"

    linter = subprocess.run(["lint-imports"], cwd=ROOT, capture_output=True, text=True, check=False)
    contracts = [
        line for line in linter.stdout.splitlines() if " KEPT" in line or " BROKEN" in line
    ]
    write(
        "packages",
        "Lines of code by package",
        "python -m bench packages",
        [f"before: {BEFORE}", f"`lint-imports`: exit status {linter.returncode}"],
        [
            *table(
                ("package", "lines before", "lines now"),
                [
                    *(
                        (f"`{p}`", cell(before, p, totals[0]), cell(now, p, totals[1]))
                        for p in sorted({*before, *now}, key=lambda p: (-now[p], -before[p]))
                    ),
                    ("together", *map(str, totals)),
                ],
            ),
            "",
            "Contracts of the import linter, which include the absence of circles between layers:",
            "",
            *(f"- {line}" for line in contracts),
        ],
    )
