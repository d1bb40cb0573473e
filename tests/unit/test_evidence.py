"""Pages of docs/evidence/ are no older than what they measure, or say so."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from bench import __main__ as command
from bench import long
from bench.dependencies import NONE, Tree, digest
from bench.pages import BY_NAME, FOLDER, PAGES, RECORDS, Page, marked, measured, state
from vlag import ROOT

pytestmark = pytest.mark.slow

TREE = Tree()
VERDICTS = BY_NAME["verdicts"]
JUDGE = "vlag/stats/compare.py"
CODE = "code of bench/verdicts.py in bench vlag/stats"
SINCE = "0123456789ab 2026-11-22"


def changed(path: str, old: str, new: str) -> Tree:
    """Return the work tree with a file changed."""
    text = (ROOT / path).read_text()
    assert old in text
    return Tree(changed={path: text.replace(old, new, 1).encode()})


def page_of(page: Page, tree: Tree = TREE) -> str:
    """Return the head of a page that was measured in a tree."""
    depends = "".join(f"- depends: {d} {digest(tree, d)}\n" for d in page.depends)
    return f"# Title\n\n- date: 2026-11-22\n- commit: 0\n- Python 3.11.7\n{depends}\nFigures.\n"


@pytest.mark.parametrize("page", measured(), ids=lambda page: page.name)
def test_a_page_is_fresh_or_says_of_what_it_is_out_of_date(page: Page) -> None:
    found = state(page, page.path.read_text(), TREE)
    assert found.undeclared == (), "`python -m bench stale --mark` writes what is missing"
    # Measure it anew, `python -m bench renew`, or mark it, `python -m bench stale --mark`.
    assert found.moved == found.marked


def test_every_page_is_in_the_table() -> None:
    assert {p.stem for p in FOLDER.glob("*.md")} <= {*BY_NAME, *RECORDS}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_depends_on_is_there(page: Page) -> None:
    assert [d for d in page.depends if digest(TREE, d) == NONE] == []
    known = (*command.NAMES, *long.NAMES)
    assert page.bench in known or (ROOT / page.bench).is_file()
    assert page.minutes > 0


def test_a_page_that_was_measured_now_is_fresh() -> None:
    found = state(VERDICTS, page_of(VERDICTS), TREE)
    assert found.fresh
    assert found.honest


def test_code_that_is_imported_makes_a_page_stale() -> None:
    tree = changed(JUDGE, "\nSCREEN = ", "\nSCREEN = 2 * ")
    found = state(VERDICTS, page_of(VERDICTS), tree)
    assert (found.moved, found.honest) == ((CODE,), False)
    # Nothing that the page does not execute is one of its dependencies.
    assert state(BY_NAME["packages"], page_of(BY_NAME["packages"]), tree).fresh
    other = changed("vlag/stats/watch.py", "\ndef ", "\nASIDE = 1\n\n\ndef ")
    assert state(VERDICTS, page_of(VERDICTS), other).fresh


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (JUDGE, '"""', '"""Other words. '),
        (JUDGE, "\nSCREEN = ", "\n# Why it is so.\n\nSCREEN = "),
        ("vlag/stats/sentences.py", "every boot of both sides", "each boot of both sides"),
        ("lava-jobs/benchmarks/stress-ng-switch/benchmark.yaml", "# ", "# Really "),
    ],
)
def test_words_make_no_page_stale(path: str, old: str, new: str) -> None:
    assert state(VERDICTS, page_of(VERDICTS), changed(path, old, new)).fresh


@pytest.mark.parametrize(
    ("path", "old", "new", "moved"),
    [
        ("lava-jobs/benchmarks/stress-ng-switch/benchmark.yaml", "relevance: 0.01",
         "relevance: 0.02", "relevances of plan commit"),
        ("tests/data/plans.json", '"commit": {', '"commit": {"new": ["hackbench-pipe x"],',
         "plan commit"),
        ("tests/data/determinism.json", ': "', ': "0', "images"),
        ("vlag/compare/verdict.py", "\ndef ", "\nASIDE = 1\n\n\ndef ",
         "code of vlag/compare/kernels.py in vlag/stats vlag/compare"),
    ],
)  # fmt: skip
def test_a_night_depends_on_relevances_plans_images_and_the_judging_path(
    path: str, old: str, new: str, moved: str
) -> None:
    page = BY_NAME["first-light"]
    assert moved in state(page, page_of(page), changed(path, old, new)).moved


def test_a_mark_names_exactly_what_moved() -> None:
    tree = changed(JUDGE, "\nSCREEN = ", "\nSCREEN = 2 * ")
    text = marked(VERDICTS, page_of(VERDICTS), tree, SINCE)
    assert text.startswith(f"# Title\n\n**Out of date** since {SINCE}: {CODE} changed.\n\n- date")
    assert state(VERDICTS, text, tree).honest
    assert not state(VERDICTS, text, tree).fresh
    # It is a lie of a tree in which nothing or more has moved.
    assert not state(VERDICTS, text, TREE).honest
    plans = changed("tests/data/plans.json", '"nightly": {', '"nightly": {"new": ["a x"],')
    more = Tree(changed={**tree.changed, **plans.changed})
    assert not state(VERDICTS, text, more).honest
    again = marked(VERDICTS, text, more, "another 2027-01-01")
    assert f"since {SINCE}: {CODE}; plan nightly changed." in again
    assert state(VERDICTS, again, more).honest
    # With the change taken back there is nothing to mark.
    assert marked(VERDICTS, again, TREE, SINCE) == page_of(VERDICTS)


def test_a_line_that_is_missing_is_that_of_the_page_s_own_commit() -> None:
    head = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout[:12]
    old = page_of(VERDICTS).replace("commit: 0", f"commit: {head}")
    bare = "".join(x for x in old.splitlines(keepends=True) if "depends" not in x)
    assert not state(VERDICTS, bare, TREE).honest
    assert marked(VERDICTS, bare, Tree(head), SINCE) == page_of(VERDICTS, Tree(head)).replace(
        "commit: 0", f"commit: {head}"
    )
    # A commit that nobody knows proves nothing.
    lost = bare.replace(head, "0" * 12)
    assert marked(VERDICTS, lost, Tree(head), SINCE).count(f" {NONE}\n") == len(VERDICTS.depends)


def misquoted(text: str, page: str) -> list[str]:
    """Return what a text quotes of the page of the first night and should not.

    Rows that are not on the page, and the lack of "out of date" where the page is marked.
    """
    before, _, rest = text.partition("`docs/evidence/first-light.md`")
    sentence, _, block = rest.partition("\n\n")
    rows = [x for x in block.partition("\n\n")[0].splitlines() if x.strip("- ")]
    there = {line.strip() for line in page.splitlines()}
    found = [row for row in rows if row.strip() not in there]
    assert before
    assert len(rows) >= 4
    said = "out of date" in sentence
    return [*found, *(["out of date"] if said != ("**Out of date**" in page) else [])]


@pytest.mark.parametrize("path", ["README.md", "docs/verdict.md"])
def test_quoted_rows_are_those_of_the_first_night(path: str) -> None:
    page = BY_NAME["first-light"].path.read_text()
    text = (ROOT / path).read_text()
    assert misquoted(text, page) == []
    # Negative control: another digit, and a page that is out of date.
    base = re.findall(r"^ +(\d+\.\d+) ", text, re.MULTILINE)[-1]
    assert len(misquoted(text, page.replace(base, f"{base}1"))) == 1
    old = page.replace("\n\n", f"\n\n**Out of date** since {SINCE}: images changed.\n\n", 1)
    assert ("**Out of date**" in page) or misquoted(text, old) == ["out of date"]


def test_renew_takes_the_pages_that_are_named() -> None:
    argv = [sys.executable, "-m", "bench", "renew", "--list"]
    done = subprocess.run([*argv, "pair", "parsers"], capture_output=True, text=True, check=True)
    assert re.findall(r"min  ([\w-]+):", done.stdout) == ["pair", "parsers"]
    odd = subprocess.run([*argv, "pears"], capture_output=True, text=True, check=False)
    assert odd.returncode == 1
    assert "no page pears; there are: " in odd.stderr


def test_renew_lists_the_quickest_first() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "renew", "--list"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    minutes = [int(line.split(" min ")[0]) for line in done.stdout.splitlines()]
    assert minutes[:-1] == sorted(minutes[:-1])
    assert sum(minutes[:-1]) == minutes[-1]
