"""What README shows and claims: its links lead somewhere, its layers are those of the linter."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from vlag import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted(
    [
        ROOT / "README.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / name / "README.md" for name in ("ansible", "dashboards", "kernel-patches")),
        ROOT / "dashboards" / "panels.md",
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


def layers_of_readme(text: str) -> list[set[str]]:
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
    assert layers_of_readme(README) == layers_of_linter()


def test_a_wrong_layer_is_seen() -> None:
    changed = README.replace("| 3 | `vlag/notifications`", "| | `vlag/notifications`")
    assert changed != README
    assert layers_of_readme(changed) != layers_of_linter()
