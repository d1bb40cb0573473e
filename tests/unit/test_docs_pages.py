# SPDX-License-Identifier: GPL-2.0-only
"""Every page and each part of it has a question, and a sentence for who has looked five seconds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.pictures.page_addresses import PICTURES
from vlag import ROOT

TEMPLATES = ROOT / "vlag" / "web" / "templates"
#: A template is the page of its name but for these; the fragment is Buildbot's.
PAGES = {"overview": "/", "elsewhere": "/compare"}
#: As many as a person says in five seconds.
WORDS = 16


def documented() -> str:
    """Return the page on the pages, and the one on their parts."""
    paths = (ROOT / "docs" / "pages.md", ROOT / "bench" / "pictures" / "README.md")
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def parts() -> set[str]:
    """Return the parts of pages by their headings, as PAGE#PART; names from data have none."""
    return {
        f"{PAGES.get(path.stem, f'/{path.stem}')}#{name}"
        for path in TEMPLATES.glob("*.html")
        for name in re.findall(r'<h2 id="([a-z]+)"', path.read_text(encoding="utf-8"))
    }


def faults(text: str) -> Iterator[str]:
    """Yield what a text of the documentation lacks."""
    rows = re.findall(r'^\| `(/[a-z]*(?:#[a-z]+)?)` \| (.*) \| "(.*)" \|$', text, re.M)
    known = {name for name, _, _ in rows}
    pages = {p.address.partition("?")[0] for p in PICTURES if p.endpoint}
    yield from (f"{name} has no row" for name in sorted((pages | parts()) - known))
    yield from (f"{name} is no page and no part" for name in sorted(known - pages - parts()))
    for name, question, sentence in rows:
        if "?" not in question:
            yield f"{name}: no question"
        if not sentence.endswith(".") or len(sentence.split()) > WORDS:
            yield f"{name}: no sentence of {WORDS} words"


def test_each_page_and_part_has_a_question_and_an_answer() -> None:
    text = documented()
    assert list(faults(text)) == []
    assert len(parts()) > 30


def test_what_lacks_one_is_found() -> None:
    """Negative control."""
    text = documented()
    less = re.sub(r"^\| `/compare#why`.*\n", "", text, flags=re.M)
    assert list(faults(less)) == ["/compare#why has no row"]
    more = less.replace("`/compare#table`", "`/compare#why`")
    assert list(faults(more)) == ["/compare#table has no row"]
    gone = text.replace("| `/compare#why`", '| `/gone` | Is it? | "No." |\n| `/compare#why`')
    assert list(faults(gone)) == ["/gone is no page and no part"]
    assert list(faults(text.replace("Which two commits are these?", "The commits"))) == [
        "/choose#kernels: no question"
    ]
    assert list(faults(text.replace('"With this one command."', f'"{"so " * 20}."'))) == [
        f"/run#again: no sentence of {WORDS} words"
    ]
