# SPDX-License-Identifier: GPL-2.0-only
"""The pages of docs/evidence/: one for each claim that README makes, measured on a release's tag.

`PAGES` is the only list of them: name, title, what is claimed, and the commands that measure it
with their minutes.  `python -m bench evidence --list` prints it; `make evidence` makes the pages.
Nothing compares a page with code that came later.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from bench import evidence
from vlag import ROOT

FOLDER = ROOT / evidence.PAGES
#: Sections whose program is gone; nothing makes this page anew.
RECORDS = "records"
#: More claims than that nobody reads.
MOST = 12


@frozen
class Part:
    """One measurement; its command keeps its figures as var/evidence/NAME.md."""

    name: str
    minutes: int  # about, on two CPUs
    command: str  # begins with `python` or `pytest`

    @property
    def argv(self) -> list[str]:
        """Return the command for this interpreter."""
        program, *words = self.command.split()
        return [sys.executable, *(["-m", "pytest"] if program == "pytest" else []), *words]


@frozen
class Page:
    """One claim, and what shows it."""

    name: str
    title: str
    claim: str
    parts: tuple[Part, ...]
    # Its command itself adds a reading to the page, and only when the page is named: each uses up
    # some of what it reads.
    grows: bool = False

    @property
    def path(self) -> Path:
        """Return its file."""
        return FOLDER / f"{self.name}.md"

    @property
    def minutes(self) -> int:
        """Return how long it takes, about."""
        return sum(part.minutes for part in self.parts)

    def head(self) -> str:
        """Return title and claim."""
        return f"# {self.title}\n\n{textwrap.fill(self.claim, 100)}\n"


def _bench(name: str, minutes: int, words: str = "") -> Part:
    return Part(name.replace("_", "-"), minutes, f"python -m bench {words or name}")


def _long(name: str, minutes: int, words: str = "") -> Part:
    file = name.replace("-", "_")
    return Part(name, minutes, f"pytest -q -m long {words or f'tests/long/test_{file}.py'}")


PAGES = (
    Page("first-night", "A first night from a clean clone",
        "One command in a clean clone sets everything up and gives a first verdict, a first report"
        " and, in the end, a night that has proved itself, in the minutes that README says.",
        (_bench("first_minutes", 30, "night minutes"), _bench("first_light", 25, "night light"),
         _bench("whole_night", 75, "night whole"))),
    Page("known-regressions", "Patches that make the scheduler worse are flagged",
        "vlag flags each known regression where its header predicts it, and nothing else.",
        (_long("known-regressions", 60),)),
    Page("per-commit", "A verdict for every commit that is pushed",
        "Commits that are pushed at once are each built, booted and judged, in minutes.",
        (Part("per-commit", 35, "python -m bench commits"),)),
    Page("deterministic-board", "The deterministic boards repeat themselves and see small changes",
        "The same kernel and seed give the same numbers to the last digit, beside any load, and a"
        " path that is longer by few instructions is seen. `make golden` boots the runs of"
        " tests/data/golden.json and compares every digit; records.md has boots beside load.",
        (_bench("sweep", 45), _bench("path_sweep", 60))),
    Page("verdicts", "False alarms and power of a verdict",
        "A verdict says how certain it is: equal kernels are rarely reported, and real changes are"
        " found as often as is written here.",
        (_bench("verdicts", 45), _bench("histograms", 40),
         _bench("relevance", 90))),
    Page("changepoints", "Steps in nightly histories",
        "A step in a series of nights is found where it is, without many that are none.",
        (_bench("changepoints", 30),)),
    Page("peers", "Other projects' rules on the same numbers",
        "What the rules of other projects report and find on the boots and series on which vlag's"
        " own are measured.",
        (_bench("peers", 40),)),
    Page("heldout", "Readings of the held-out data",
        "The figures for change points hold for series that no tuning has seen.",
        (_bench("heldout", 2),), grows=True),
    Page("interruptions", "Nothing is lost when a part is killed",
        "You may stop or kill any part at any time: runs and reports are those of a service left"
        " alone. A backup that was made in the middle of a night brings everything back.",
        (_long("chaos", 5), _long("chaos-service", 15), _long("farm-faults", 30),
         _long("masters", 30), _long("backup", 10))),
    Page("searches", "The commit and the patch that changed a figure",
        "`vlag bisect` finds the commit that changed a figure, and `vlag matrix` which patch of a"
        " series does what.",
        (_long("bisect", 60), _long("matrix", 15), _bench("noisy_searches", 25),
         _long("search-journey", 20,
               "tests/long/test_search_journey.py -k without-toggles"))),
    Page("scale", "Years of a farm in the database",
        "Queries, panels and pages answer within a second over ten million samples.",
        (_bench("scale", 40), _bench("pages_speed", 15))),
    Page("installations", "More than one machine",
        "Containers and Ansible's roles install a whole service on clean hosts, up to a verdict of"
        " boots that went through LAVA, and a new board comes to its first verdict.",
        (_long("compose", 40, "tests/long/test_compose.py -k rootful"),
         _long("compose-rootless", 40, "tests/long/test_compose.py -k rootless"),
         Part("ansible", 40, "pytest -q -m long tests/long/test_ansible_roles.py"),
         _long("ansible-lava", 25), _long("ansible-farm", 25), _long("first-board", 15))),
)  # fmt: skip
BY_NAME = {page.name: page for page in PAGES}


def refusal() -> str | None:
    """Return why nothing is to be measured here, or None."""
    if files := evidence.changes():
        return f"the tree has changes ({', '.join(files[:3])}): commit them, and tag the release"
    if not evidence.git("tag", "--points-at", "HEAD").split():
        return "HEAD has no tag, and pages are measured on that of a release: git tag"
    return None


def make(page: Page) -> str | None:
    """Measure a page and write it; return why the page stays as it was, or None."""
    sections = []
    for number, part in enumerate(page.parts, 1):
        kept = evidence.FOLDER / f"{part.name}.md"
        kept.unlink(missing_ok=True)
        print(
            f"{page.name} {number}/{len(page.parts)}, about {part.minutes} min: {part.command}",
            flush=True,
        )
        if subprocess.run(part.argv, cwd=ROOT, check=False).returncode:
            return f"{part.command} failed"
        if page.grows:
            continue
        if not kept.exists():
            return f"{part.command} kept no figures"
        sections.append(kept.read_text(encoding="utf-8"))
    if why := refusal():
        return f"while it was measured, {why}"
    if not page.grows:
        page.path.write_text("\n".join([page.head(), *sections]), encoding="utf-8")
    print(f"{page.name}: {page.path.relative_to(ROOT)} is written", flush=True)
    return None


def main(words: Sequence[str] = ()) -> None:
    """Make all pages but those that only grow, or those that are named."""
    options = argparse.ArgumentParser(prog="python -m bench evidence", description=__doc__)
    options.add_argument("--list", action="store_true", help="print the pages, measure nothing")
    options.add_argument("pages", nargs="*", metavar="PAGE")
    given = options.parse_args(words)
    if unknown := [name for name in given.pages if name not in BY_NAME]:
        options.error(f"no page {unknown[0]!r}; there are: {', '.join(BY_NAME)}")
    if not given.list and (why := refusal()):
        sys.exit(f"evidence: {why}")
    pages = [BY_NAME[name] for name in given.pages] or [p for p in PAGES if not p.grows]
    for page in PAGES if given.list and not given.pages else pages:
        print(f"{page.minutes:>4} min  {page.name}: {page.title}")
        print(*(f"{'':>10}{part.command}" for part in page.parts), sep="\n")
    if given.list:
        return
    hours = sum(page.minutes for page in pages) / 60
    print(f"{len(pages)} pages, about {hours:.1f} hours on an idle machine of two CPUs", flush=True)
    failed = {page.name: what for page in pages if (what := make(page))}
    for name, what in failed.items():
        print(f"evidence: {name} is as it was: {what}", file=sys.stderr)
    sys.exit(1 if failed else 0)
