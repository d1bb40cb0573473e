# SPDX-License-Identifier: GPL-2.0-only
"""Names, subjects and console lines that others chose, in every form that we print."""

from __future__ import annotations

import ast
import copy
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt

from tests.unit.report_rows import branch, cell, head, matrix, row
from tests.unit.short_reports import NIGHT, REGRESSION, WHOLE, kept
from vlag import ROOT, printable
from vlag.cli.main import main
from vlag.report import across, blocks, forms, markdown, short

#: Sequences for a terminal (7 and 8 bit), bells, an order of reading that lies, ends of lines
#: of every kind with something after them that looks like ours, tags and marks.
HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07\x9b31m\u202eevil\u202c\x00\x7f\u2028REGRESSION a\x85REGRESSION b"
    "\nREGRESSION c\r\n\n# forged\n- forged\n> forged\n```\n<script>alert(1)</script>"
    " <img src=x onerror=alert(1)> **b** __b__ ~~s~~ [x](http://e.org) ![i](http://e.org/i)"
    " [y][z] <http://e.org> `c` ``d`` $x$ &copy; | e\n\n[z]: http://e.org\n\n    indented"
)
#: What of a report others choose: pushers, authors of patches, boards, consoles.
CHOSEN = {
    "subject", "release", "describe", "branch", "ref", "tree", "series", "name", "reason", "text",
    "title", "board_type", "limits", "tools", "notes", "head_notes", "command", "reproduce", "main",
    "metric", "toolchain", "differences", "owner", "label", "commit_subject", "new", "gone",
    "changed", "suspects", "function", "known_changes", "place", "log", "where", "callers", "raw",
}  # fmt: skip


def poisoned(found: Any, key: str = "", what: str = HOSTILE) -> Any:
    """Return data with `what` at the end of each text that others choose."""
    if isinstance(found, dict):
        return {k: poisoned(v, k, what) for k, v in found.items()}
    if isinstance(found, list):
        return [poisoned(v, key, what) for v in found]
    return f"{found} {what}" if isinstance(found, str) and key in CHOSEN else found


def compared() -> dict[str, Any]:
    """Return a comparison with something of everything."""
    found = copy.deepcopy(kept(REGRESSION))
    found["failures"] = [
        {"side": "new", "kind": "run", "benchmark": "stress-ng-switch", "seed": 1, "reason": "r",
         "outcome": "panic", "parameters": {}, "log": "a/b", "reproduce": "vlag run b"}
    ]  # fmt: skip
    found["health"] = [
        {"side": "new", "kind": "warning", "text": "WARNING: at", "place": "fair.c:1", "of": 5,
         "runs": [1], "base_runs": [], "base_of": 5, "phases": ["boot"], "where": "a/console.log",
         "callers": ["a", "b"]}
    ]  # fmt: skip
    found |= {"notes": ["n"], "head_notes": ["- h"], "known_changes": [], "differences": ["d"]}
    return found


KINDS = {
    "comparison": compared(),
    "night": kept(NIGHT),
    "whole night": kept(WHOLE),
    "branch": branch(head_notes=["1. h"], states=[head(rows=[row(verdict="INCONCLUSIVE")])]),
    "matrix": matrix(cell(), {"nothing": "not run"}),
}
WRITTEN = ("text", "short", "markdown", "html")


def written(data: dict[str, Any], form: str) -> str:
    return short.render(data) if form == "short" else forms.render(data, form)


def cases() -> list[Any]:
    return [
        pytest.param(kind, form, id=f"{kind}, {form}")
        for kind in KINDS
        for form in WRITTEN
        if form != "short" or kind in ("comparison", "night", "whole night")
        if form != "html" or kind != "whole night"  # its plots take long
    ]


def structure(text: str) -> list[str]:
    """Return what a reader of Markdown makes of a text, without its words."""
    found = []
    read = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for token in read.parse(text):
        found.append(token.type)
        found += [t.type for t in token.children or () if t.type not in ("text", "text_special")]
    return found


class Tags(HTMLParser):
    """The tags of a page and their attributes' names."""

    def __init__(self, text: str):
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(sorted(name for name, _ in attrs))))


def prints(text: str) -> bool:
    return all(line.isprintable() for line in text.replace("\t", " ").split("\n"))


@pytest.mark.parametrize(("kind", "form"), cases())
def test_names_of_others_only_print(kind: str, form: str) -> None:
    text = written(poisoned(KINDS[kind]), form)
    assert "owned" in text  # negative control: they are there
    assert prints(text)


@pytest.mark.parametrize("kind", KINDS)
def test_no_name_begins_a_line_of_a_text(kind: str) -> None:
    for form in ("text", "short"):
        if form == "short" and kind in ("branch", "matrix"):
            continue
        lines = written(poisoned(KINDS[kind], what="x\nFORGED y\r\nFORGED\x85FORGED"), form)
        assert "FORGED" in lines
        assert not re.search("^FORGED", lines, re.M)


@pytest.mark.parametrize("kind", KINDS)
def test_no_name_is_markup_in_markdown(kind: str) -> None:
    hostile = structure(written(poisoned(KINDS[kind]), "markdown"))
    assert hostile == structure(written(poisoned(KINDS[kind], what="plain"), "markdown"))
    assert not {"html_block", "html_inline", "image", "link_open"} & set(hostile)


@pytest.mark.parametrize(
    "text",
    ["- a", "+ a", "> a", "1. a", "12) a", "=== a", "[x] a", "# a", "---", "$a$", "&lt;", "    a",
     "~~~", "[a]: b", "![a](b)", "__a__", "_a_", "a __b__", "***a***"],
)  # fmt: skip
def test_what_begins_markup_is_a_paragraph(text: str) -> None:
    assert structure(markdown.escape(text)) == ["paragraph_open", "inline", "paragraph_close"]
    # Negative control: it is not what CommonMark takes for text, but for what GitHub adds.
    assert structure(text) != structure("a") or text[0] in "[$&="


def test_a_command_does_not_end_its_own_code() -> None:
    for command in ("vlag run a", "vlag run `x` ``y``", "`", "a\n\nb"):
        assert structure(f"- again: {markdown.code(command)}").count("code_inline") == 1
        assert structure(f"- again: {markdown.code(command)}")[0] == "bullet_list_open"


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"whole night"}))
def test_no_name_is_a_tag_in_html(kind: str) -> None:
    hostile = set(Tags(written(poisoned(KINDS[kind]), "html")).found)
    plain = "x " * (len(HOSTILE) // 2)  # as long: plots place long names in another way
    assert hostile <= set(Tags(written(poisoned(KINDS[kind], what=plain), "html")).found)
    assert not [name for tag, names in hostile for name in names if name.startswith("on")]


def test_mails_only_print() -> None:
    made: list[blocks.Block] = [
        blocks.Heading(level=1, text=HOSTILE),
        blocks.Paragraph(text=HOSTILE),
        blocks.Items(title=HOSTILE, items=(blocks.Item(text=HOSTILE),)),
        blocks.Verbatim(text=HOSTILE),
        blocks.Figures(title=HOSTILE, colour="#000", rows=(blocks.Figure(
            what=HOSTILE, change=HOSTILE, interval="i", n="5", standing=HOSTILE, comparison=1,
            url="http://h/", note=HOSTILE,
        ),)),
    ]  # fmt: skip
    text, page = blocks.as_text(made), blocks.as_html(HOSTILE, made)
    assert prints(text)
    assert prints(page)
    assert not {"script", "img", "b onerror"} & {tag for tag, _ in Tags(page).found}


def test_kernels_side_by_side_only_print() -> None:
    assert prints(across.text([HOSTILE, "b"], [{"board_type": HOSTILE, "boards": [], "rows": []}]))


def test_a_fault_that_quotes_a_name_only_prints(tmp_path: Path) -> None:
    name = "a\x1b[2J\u202e.toml"
    (tmp_path / name).write_text("a = ")
    done = CliRunner().invoke(main, ["status"], env={"VLAG_SETTINGS": str(tmp_path / name)})
    assert done.exit_code == 2
    assert ".toml: not valid TOML" in done.output
    assert prints(done.output)


def test_what_prints_stays_as_it_is() -> None:
    for text in ("sched/fair: é λ 調度 ≥ 5 %", "", "a b"):
        assert printable.line(text) == printable.flat(text) == printable.block(text) == text
    assert printable.block("a\n\tb\n") == "a\n\tb\n"
    assert printable.line(" a\n\x1bb ") == "a b"
    assert len(printable.flat(HOSTILE)) == len(HOSTILE)


def direct(path: Path) -> list[int]:
    """Return the lines of a module that print past `echo`."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Name) and node.func.id == "print")
            or (isinstance(node.func, ast.Attribute) and node.func.attr in ("echo", "secho"))
        )
    ]


def test_all_commands_print_through_one_function() -> None:
    found = {p.name: direct(p) for p in (ROOT / "vlag" / "cli").glob("*.py")}
    # command.py has the function; main.py prints click's own help.
    assert {name for name, lines in found.items() if lines} == {"command.py", "main.py"}
    assert [len(found[name]) for name in ("command.py", "main.py")] == [1, 1]
