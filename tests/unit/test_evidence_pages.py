# SPDX-License-Identifier: GPL-2.0-only
"""docs/evidence/: the pages of the table, what README quotes of them, and how they are made."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from bench import __main__ as command
from bench import evidence, pages
from bench.pages import BY_NAME, FOLDER, PAGES, Page, Part
from tests.repositories import git
from tests.unit.headings import anchors
from vlag import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
NIGHT = BY_NAME["first-night"].path.read_text(encoding="utf-8")
#: `docs/evidence/scale.md`, [figures](evidence/verdicts.md#a-night)
MENTION = re.compile(r"\bevidence/([\w-]+)\.md(?:#([\w-]+))?")
#: - commit: 0123456789ab
DATED = re.compile(r"^- date: 20\d\d-\d\d-\d\d\n- commit: [0-9a-f]{12}\b.*\n- command: `.+`$", re.M)


def test_there_is_a_page_for_each_row_and_no_other() -> None:
    assert {p.stem for p in FOLDER.iterdir()} == {*BY_NAME, pages.RECORDS}
    assert len(BY_NAME) == len(PAGES) <= pages.MOST
    parts = [part.name for page in PAGES for part in page.parts]
    assert len(set(parts)) == len(parts)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_says_what_it_claims_and_when_each_figure_was_measured(page: Page) -> None:
    text = page.path.read_text(encoding="utf-8")
    assert text.startswith(f"# {page.title}\n")
    if not page.grows:
        assert text.startswith(page.head())
        assert len(DATED.findall(text)) == len(page.parts) == len(re.findall(r"(?m)^## ", text))


def test_a_record_names_the_commit_that_has_its_program() -> None:
    text = (FOLDER / f"{pages.RECORDS}.md").read_text(encoding="utf-8")
    assert len(DATED.findall(text)) == len(re.findall(r"(?m)^## ", text)) > 0


@pytest.mark.parametrize(
    "part", [part for page in PAGES for part in page.parts], ids=lambda p: p.name
)
def test_the_command_of_a_part_is_there_and_keeps_its_figures(part: Part) -> None:
    words = part.command.split()
    if words[0] == "pytest":
        source = ROOT / next(word for word in words if word.endswith(".py"))
    else:
        module = command.COMMANDS.get(words[3], words[3])
        assert words[3] in {*command.NAMES, *command.COMMANDS}
        source = ROOT / "bench" / f"{module}.py"
    assert f'"{part.name}"' in source.read_text(encoding="utf-8") or part.name == "heldout"


@pytest.mark.slow  # it imports all of them
@pytest.mark.parametrize("name", [*command.NAMES, *command.COMMANDS.values()])
def test_every_name_of_the_command_can_be_run(name: str) -> None:
    assert callable(import_module(f"bench.{name}").main)


def unknown(text: str) -> list[str]:
    """Return the names in a text that `python -m bench` does not know."""
    known = {*command.NAMES, *command.COMMANDS, "NAME"}
    return [name for name in re.findall(r"python -m bench (\w+)", text) if name not in known]


def test_every_bench_that_is_mentioned_is_there() -> None:
    """The pages name the commands of their day, CHANGELOG.md those of earlier releases."""
    files = evidence.git(
        "grep", "-lI", "python -m bench ", "--", ":!CHANGELOG.md", f":!{evidence.PAGES}", ":!tests"
    ).split()
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in files}
    assert "release/README.md" in texts
    assert {path: names for path, text in texts.items() if (names := unknown(text))} == {}
    # Negative control.
    assert unknown("`python -m bench verdicts`, `python -m bench verdict`") == ["verdict"]


def lost(text: str) -> list[str]:
    """Return the mentions of pages, or of headings of pages, that are not there."""
    found = []
    for name, anchor in MENTION.findall(text):
        path = FOLDER / f"{name}.md"
        if not path.exists() or (anchor and anchor not in anchors(path.read_text())):
            found.append(f"{name}#{anchor}")
    return found


def test_every_page_that_is_mentioned_is_there() -> None:
    """CHANGELOG.md tells of earlier releases."""
    files = evidence.git("grep", "-lIE", r"evidence/[a-z-]+\.md", "--", ":!CHANGELOG.md").split()
    assert len(files) > 10
    this = "tests/unit/test_evidence_pages.py"
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in files if path != this}
    assert {path: gone for path, text in texts.items() if (gone := lost(text))} == {}


def test_a_mention_of_nothing_is_seen() -> None:
    there = "`docs/evidence/scale.md`, [x](evidence/verdicts.md#nights-that-drift)"
    assert lost(there) == []
    assert lost(there.replace("scale", "scales")) == ["scales#"]
    assert lost(there.replace("drift", "drown")) == ["verdicts#nights-that-drown"]


def misquoted(text: str, page: str, name: str = "first-night") -> list[str]:
    """Return the rows that a text quotes of a page, the first night's, and that are not on it."""
    _, _, rest = text.partition(f"`docs/evidence/{name}.md`")
    block = rest.partition("\n\n")[2].partition("\n\n")[0]
    rows = [row.strip() for row in block.splitlines() if row.strip("- ")]
    assert len(rows) >= 4
    there = {line.strip() for line in page.splitlines()}
    return [row for row in rows if row not in there]


def test_quoted_rows_are_those_of_the_search() -> None:
    searches = BY_NAME["searches"].path.read_text(encoding="utf-8")
    assert misquoted(README, searches, "searches") == []
    assert len(misquoted(README, searches.replace("71487.2", "71487.3"), "searches")) == 2


def test_quoted_rows_are_those_of_the_first_night() -> None:
    text = (ROOT / "docs" / "verdict.md").read_text(encoding="utf-8")
    assert misquoted(text, NIGHT) == []
    # Negative control: another digit.
    base = re.findall(r"^ +(\d+\.\d+) ", text, re.MULTILINE)[-1]
    assert len(misquoted(text, NIGHT.replace(base, f"{base}1"))) == 1


def minutes_of_page(page: str) -> list[int]:
    """Return when the set-up, a verdict and a report are there, and how long a night takes."""
    rows = ("set-up done", "first verdict, of prebuilt kernels", "first report (`ONCE=1` ends)")
    found = [re.search(rf"(?m)^\| {re.escape(row)} \| (\d+):(\d\d) \|", page) for row in rows]
    whole = re.search(r"to the end of the night: ([\d.]+) minutes", page)
    assert whole
    seconds = [60 * int(m[1]) + int(m[2]) for m in found if m]
    return [round(s / 60) for s in (*seconds, 60 * float(whole[1]))]


def minutes_of_readme(text: str) -> list[int]:
    sentence = re.search(r"Measured from the clone.*?first-night\.md", text, re.DOTALL)
    assert sentence
    return [int(n) for n in re.findall(r"(\d+)\s+min\b", sentence[0])]


def test_readme_has_the_minutes_of_the_first_night() -> None:
    assert minutes_of_readme(README) == minutes_of_page(NIGHT)
    assert len(minutes_of_page(NIGHT)) == 4
    # Negative control.
    other = README.replace("24 min", "34 min")
    assert other != README
    assert minutes_of_readme(other) != minutes_of_page(NIGHT)


@pytest.fixture
def released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a tag, in which two pages are made."""
    for words in ("init --quiet", "commit --quiet --allow-empty -m first", "tag v1"):
        git(tmp_path, *words.split())
    monkeypatch.setattr(evidence, "ROOT", tmp_path)
    monkeypatch.setattr(evidence, "FOLDER", tmp_path / "kept")
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    (tmp_path / "docs" / "evidence").mkdir(parents=True)
    monkeypatch.setattr(pages, "FOLDER", tmp_path / "docs" / "evidence")
    return tmp_path


def commit(folder: Path) -> None:
    """Commit everything, as the release."""
    for words in ("add .", "commit --quiet -m more", "tag --force v1"):
        git(folder, *words.split())


def test_pages_are_measured_on_a_tag_without_changes(released: Path) -> None:
    assert pages.refusal() is None
    (released / "docs/evidence/page.md").write_text("an earlier page of this release")
    assert pages.refusal() is None
    (released / "code.py").write_text("1")
    assert pages.refusal() == ("the tree has changes (code.py): commit them, and tag the release")
    git(released, "add", "code.py")
    git(released, "commit", "--quiet", "-m", "second")
    assert "HEAD has no tag" in str(pages.refusal())


def test_a_page_is_its_claim_and_the_figures_of_its_parts(
    released: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kept = released / "kept"
    kept.mkdir()
    (kept / "two.md").write_text("## Two\n\nof another day\n")
    for name in ("one", "two"):
        script = f"open('kept/{name}.md', 'w').write('## {name}\\n\\nfigures\\n')"
        (released / f"{name}.py").write_text(script)
    (released / ".gitignore").write_text("kept\n")
    commit(released)
    good = Page("page", "Title", "Claim.", (Part("one", 1, "python one.py"),
                                            Part("two", 2, "python two.py")))  # fmt: skip
    assert pages.make(good) is None
    text = (released / "docs/evidence/page.md").read_text()
    assert text == "# Title\n\nClaim.\n\n## one\n\nfigures\n\n## two\n\nfigures\n"
    assert "page 2/2, about 2 min: python two.py" in capfd.readouterr().out
    # A part that fails, or that keeps nothing, leaves the page as it was.
    for name, script in (("fails", "raise SystemExit(1)"), ("silent", "")):
        (released / "two.py").write_text(script)
        assert "python two.py" in str(pages.make(good)), name
        assert (released / "docs/evidence/page.md").read_text() == text
    # So does a change of the tree while it is measured.
    (released / "two.py").write_text("open('kept/two.md', 'w').write('other'); open('new.py', 'w')")
    commit(released)
    assert "while it was measured, the tree has changes (new.py)" in str(pages.make(good))
    assert (released / "docs/evidence/page.md").read_text() == text


def test_figures_have_their_date_commit_and_command(
    released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evidence.write("name", "Title", "python -m bench x", ["a fact"], ["Text.", "", "## Part"])
    text = (released / "kept/name.md").read_text()
    assert len(DATED.findall(text)) == 1
    assert " (v1)" in text
    assert "\n- a fact\n\nText.\n\n### Part\n" in text
    assert text in capsys.readouterr().out
