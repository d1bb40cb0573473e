# SPDX-License-Identifier: GPL-2.0-only
"""What README and the pages beside it show and claim: links, layers, and how long they are."""

from __future__ import annotations

import itertools
import re
import tomllib
from pathlib import Path

import pytest

import vlag
from release.ready import MOST_LINES
from tests.unit.headings import anchors
from vlag import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
CODE = (ROOT / "docs" / "code.md").read_text(encoding="utf-8")
PAGES = sorted(
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
        *(ROOT / "docs").rglob("*.md"),
        *(
            ROOT / f"{name}/README.md"
            for name in ("ansible", "dashboards", "kernel-patches", "release")
        ),
        ROOT / "lava-jobs" / "README.md",
        ROOT / "dashboards" / "panels.md",
        ROOT / "bench" / "pictures" / "README.md",
    ]
)
#: Bytes of one picture: a clone carries every version of it.
LARGEST = 150_000
#: | 2 | `vlag/scenario` | ...; a row without a number is of the layer above it.
ROW = re.compile(r"^\| (\d*) ?\| (`vlag/.*?`) \|", re.MULTILINE)


def links(text: str) -> list[str]:
    """Return the targets of links and pictures inside the repository, without anchors."""
    found = re.findall(r"\]\(([^)\s]+)\)", text)
    return [target.split("#")[0] for target in found if not re.match(r"[a-z]+:|#", target)]


def layers_of_page(text: str) -> list[set[str]]:
    """Return the packages of each layer in the table of packages, the highest first."""
    found: list[set[str]] = []
    for number, names in ROW.findall(text):
        if number:
            found.append(set())
        found[-1] |= set(re.findall(r"`vlag/(\w+)(?:\.py)?`", names))
    return found


def layers_of_linter() -> list[set[str]]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = (c["layers"] for c in contracts["contracts"] if c["name"] == "layers")
    return [set(re.findall(r"vlag\.(\w+)", layer)) for layer in layers]


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    targets = links(path.read_text(encoding="utf-8"))
    assert [t for t in targets if not (path.parent / t).exists()] == []


def headless(path: Path, text: str) -> list[str]:
    """Return the links of a page to headings that are not there."""
    found = re.findall(r"\]\(([^)\s:]*\.md)?#([\w-]+)\)", text)
    pages = {name: (path.parent / name).read_text(encoding="utf-8") for name, _ in found if name}
    return [f"{name}#{a}" for name, a in found if a not in anchors(pages.get(name, text))]


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_to_headings(path: Path) -> None:
    assert headless(path, path.read_text(encoding="utf-8")) == []


def test_a_link_to_no_heading_is_found() -> None:
    text = "[a](farm.md#a-lab) [b](farm.md#a-lap) [c](#one) [d](#two)\n\n## One\n"
    assert headless(ROOT / "docs" / "x.md", text) == ["farm.md#a-lap", "#two"]


def test_a_link_to_nothing_is_found() -> None:
    text = "[a](docs/farm.md#a-lab) ![b](docs/none.png) <http://x> [c](https://x/y) [d](#here)"
    assert links(text) == ["docs/farm.md", "docs/none.png"]
    assert [t for t in links(text) if not (ROOT / t).exists()] == ["docs/none.png"]


def test_readme_shows_a_small_picture() -> None:
    pictures = re.findall(r"!\[[^]]+\]\((docs/pictures/[^)]+)\)", README)
    assert pictures
    for name in pictures:
        data = (ROOT / name).read_bytes()
        assert data.startswith(b"\x89PNG")
        assert len(data) < LARGEST, name


def test_the_layers_are_those_of_the_linter() -> None:
    assert layers_of_page(CODE) == layers_of_linter()


def test_a_wrong_layer_is_seen() -> None:
    changed = CODE.replace("| 3 | `vlag/notifications`", "| | `vlag/notifications`")
    assert changed != CODE
    assert layers_of_page(changed) != layers_of_linter()


#: Most lines of what people read first.
MOST = {"README.md": 120, "CONTRIBUTING.md": 100, "SECURITY.md": 60}


@pytest.mark.parametrize("name", MOST)
def test_what_is_read_first_is_short(name: str) -> None:
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= MOST[name]


def releases(changelog: str) -> dict[str, list[str]]:
    """Return the lines below the heading of each release, what is not released left out."""
    found = re.split(r"(?m)^## (.+)$", changelog)
    return {
        name.split()[0]: text.splitlines()
        for name, text in zip(found[1::2], found[2::2], strict=True)
        if name != "Unreleased"
    }


def test_the_changelog_keeps_its_form() -> None:
    """That of Keep a Changelog: kinds of changes below each release, the newest first."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = releases(text)
    assert list(found) == sorted(found, key=lambda v: [int(n) for n in v.split(".")], reverse=True)
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    for name, lines in found.items():
        assert {line[4:] for line in lines if line.startswith("### ")} <= kinds, name
        assert len(lines) <= MOST_LINES, name
    assert vlag.__version__ in found
    # Negative control.
    assert len(releases(text.replace("## 0.2.0", "## 0.2.0\n" + "\n" * 80))["0.2.0"]) > 80


def test_each_page_is_found_from_readme() -> None:
    pages = {f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md")}
    # Examples are found from the page whose matter they show.
    shown = {
        f"docs/{name}"
        for page in ("why.md", "notifications.md")
        for name in links((ROOT / "docs" / page).read_text(encoding="utf-8"))
        if name.startswith("example-")
    }
    assert (
        pages - set(re.findall(r"`(docs/[\w-]+\.md)`", README)) - shown - {"docs/glossary.md"}
        == set()
    )
    assert (ROOT / "docs" / "glossary.md").name in CODE


def unlisted(index: str) -> list[str]:
    """Return the decisions and measured pages that an index lacks, or has by another title."""
    lines = index.splitlines()
    lacking = []
    folders = [ROOT / "docs" / name for name in ("decisions", "evidence")]
    for path in sorted(page for folder in folders for page in folder.glob("*.md")):
        head = path.read_text(encoding="utf-8").partition("\n")[0]
        title = re.sub(r"^# (\d+\. )?", "", head)
        at = f"({path.parent.name}/{path.name})"
        shown = {f"- [{title}]{at}", f"- [{path.name[:4]}]{at} {title}"}
        lacking += [] if shown & set(lines) else [path.name]
    return lacking


def test_the_index_has_each_decision_and_each_measured_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    assert unlisted(index) == []
    # Negative control: a line less, and an old title.
    assert unlisted(index.replace("evidence/scale.", "evidence/scales.")) == ["scale.md"]
    other = index.replace("Kernel builds run in bubblewrap", "Builds")
    assert unlisted(other) == ["0012-sandbox.md"]


def out_of_order(glossary: str) -> list[str]:
    """Return the terms of a glossary that come before their place, by letter."""
    terms = [t.lower() for t in re.findall(r"(?m)^- \*\*([^*]+)\*\*", glossary)]
    plain = [re.sub(r"[^a-z0-9 ]", "", term) for term in terms]
    return [b for a, b in itertools.pairwise(plain) if b < a]


def test_the_glossary_is_by_letter() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert text.count("\n- **") > 75
    assert out_of_order(text) == []
    # Negative control.
    assert out_of_order(text.replace("- **absent**", "- **zero**")) != []
