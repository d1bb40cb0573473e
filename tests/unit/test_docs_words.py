# SPDX-License-Identifier: GPL-2.0-only
"""docs/verdict.md has every word that an output prints as a verdict or a state, and no other."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Iterator

import pytest

from vlag import ROOT
from vlag.alerts import triage
from vlag.cli import fixes as fixes_cli
from vlag.kernel import fixes, patch_check, search
from vlag.model import LaneOutcome, Outcome, TryState
from vlag.report import mail_data, overview
from vlag.scenario import claims
from vlag.stats import attribution, band, matrix_cells, severity, stages, watch
from vlag.stats.matrix_cells import NOT_RUN
from vlag.store import boards, messages
from vlag.web import alert_pages, words

PAGE = (ROOT / "docs" / "verdict.md").read_text(encoding="utf-8")
VERDICTS = [word for rank in severity.RANKS for word in rank]
SQL = (ROOT / "schemas" / "views" / "30-verdicts.sql").read_text(encoding="utf-8")
#: Words of the view's column `standing`; without one a row has the empty text.
STANDINGS = set(re.findall(r"(?:THEN|ELSE) '(\w+)'", SQL.partition(" END AS standing")[0][-1500:]))

#: Enumerations with words of the page, by its headings.
ENUMS: dict[str, tuple[type[enum.Enum], ...]] = {
    "What has become of a change": (stages.Stand,),
    "Builds, boots, lanes, tries": (Outcome, LaneOutcome, TryState),
    "Claims of a report": (claims.Support,),
    "Causes": (attribution.Answer, attribution.Role, matrix_cells.Finding),
    "Patches and fixes": (patch_check.State,),
    "Boards, alerts, messages": (band.Finding, watch.Cause, messages.State),
}
#: Words that are no enumeration.
MORE: dict[str, set[str]] = {
    "What has become of a change": STANDINGS,
    "Causes": {NOT_RUN, search.GOOD, search.BAD, search.SKIP},
    "Patches and fixes": {
        fixes.HAS, fixes.REVERTED, fixes.LACKS, fixes.UNNEEDED, fixes_cli._UNKNOWN,
    },
    "Boards, alerts, messages": {boards.GOOD, boards.MAINTENANCE, *triage.STATES},
}  # fmt: skip
#: Enumerations of what is no verdict and no state, or whose words have another name on the page.
OTHER = {
    "Direction", "Purpose", "Observation", "Verdict", "ExitCode", "Way", "Change", "ModeStand",
    "Until", "Fate", "Decimal", "Count",
}  # fmt: skip
#: What a mail says of each kind of figure.
OF_MAIL = {
    "worse_since": "REGRESSION", "worse": "REGRESSION", "better_since": "IMPROVEMENT",
    "suspected": "under suspicion", "uncertain": "no longer certain",
    "unmeasured": "no longer measured", "fixed": "fixed",
}  # fmt: skip


def table(heading: str, page: str = PAGE) -> list[list[str]]:
    """Return the rows of the table below a heading, without its own head."""
    text = page.partition(f"### {heading}\n")[2].partition("\n### ")[0]
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows[1:]]


def listed(heading: str, page: str = PAGE) -> list[str]:
    """Return the words of a table; one row may have several."""
    return [word for row in table(heading, page) for word in row[0].strip("*").split(", ")]


def faults(page: str) -> list[str]:
    """Return the words that the page lacks, and those that nothing prints."""
    said = []
    for heading, enums in ENUMS.items():
        known = {str(one.value) for kind in enums for one in kind} | MORE.get(heading, set())
        said += [f"{heading}: {word} is missing" for word in known - set(listed(heading, page))]
        said += [f"{heading}: nothing prints {word}" for word in set(listed(heading, page)) - known]
    return sorted(said)


def enumerations() -> Iterator[str]:
    """Yield the name of each enumeration of the package."""
    for path in (ROOT / "vlag").rglob("*.py"):
        yield from re.findall(
            r"^class (\w+)\(enum\.\w*Enum\):", path.read_text(encoding="utf-8"), re.M
        )


def sentences(code: str, functions: set[str]) -> Iterator[str]:
    """Yield the beginnings of sentences in functions of a module, values as "{}"."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef) and node.name in functions:
            docs = ast.get_docstring(node, clean=False)
            for part in ast.walk(node):
                text = part.value if isinstance(part, ast.Constant) else None
                if isinstance(text, str) and text != docs and re.match(r"\w+ \w|[A-Z]{4}", text):
                    yield text


def test_the_page_has_the_words_of_the_code() -> None:
    assert faults(PAGE) == []
    assert len(STANDINGS) == 5


def test_a_word_less_and_a_word_more_are_seen() -> None:
    """Negative control."""
    assert faults(PAGE.replace("| hang | boot |", "| stall | boot |")) == [
        "Builds, boots, lanes, tries: hang is missing",
        "Builds, boots, lanes, tries: nothing prints stall",
    ]


def test_verdicts_come_worst_first_with_sign_and_tooltip() -> None:
    rows = table("Verdicts")
    assert [row[0] for row in rows] == VERDICTS
    assert {row[0]: row[1] for row in rows if row[1]} == dict(overview.SIGNS)
    assert {row[0]: row[2] for row in rows} == dict(words.MEANINGS)


def test_states_of_triage_mean_what_the_page_of_an_alert_says() -> None:
    of_alerts = {r[0]: r[2] for r in table("Boards, alerts, messages") if r[1] == "alert"}
    assert of_alerts == alert_pages.MEANINGS


def test_each_enumeration_is_on_the_page_or_is_no_state() -> None:
    named = {kind.__name__ for enums in ENUMS.values() for kind in enums}
    assert set(enumerations()) - named - OTHER == set()


PHRASES = listed("A push and a night")


def printed() -> str:
    """Return the code of what prints."""
    files = [path for folder in ("vlag", "master") for path in (ROOT / folder).rglob("*.py")]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def test_each_phrase_is_printed() -> None:
    code = printed()
    assert len(PHRASES) > 15
    assert [phrase for phrase in PHRASES if phrase not in code] == []
    assert "twice as slow as its parent" not in code  # Negative control.


def unexplained(code: str) -> list[str]:
    """Return what a push says of itself in words that are not on the page."""
    functions = {"conclude", "_confirmed", "_harmless", "_better"}
    known = [*PHRASES, *VERDICTS]
    found = list(sentences(code, functions))
    assert len(found) > 8
    return [text for text in found if not any(word in text for word in known)]


def test_what_a_push_says_is_explained() -> None:
    code = (ROOT / "master" / "push.py").read_text(encoding="utf-8")
    assert unexplained(code) == []
    # Negative control.
    other = code.replace('"same image as its parent"', '"equal to its parent"')
    assert unexplained(other) == ["equal to its parent"]


def test_what_a_mail_says_of_figures_is_explained() -> None:
    assert set(OF_MAIL) == set(mail_data.FIGURES)
    assert set(OF_MAIL.values()) <= {*PHRASES, *VERDICTS}


@pytest.mark.parametrize("heading", [*ENUMS, "Verdicts", "A push and a night"])
def test_each_word_has_a_meaning(heading: str) -> None:
    rows = table(heading)
    assert rows
    assert all(row[0] and len(row[-1]) > 4 for row in rows)


def misquoted(page: str, report: str) -> list[str]:
    """Return the lines of a page's first example that a report does not have."""
    quoted = page.partition("\n    REGRESSION: ")[1:]
    lines = "".join(quoted).partition("\n\n- ")[0].splitlines()
    there = {line.strip() for line in report.splitlines()}
    return [line.strip() for line in lines if line.strip() not in {"", *there}]


def test_the_page_begins_with_a_report_that_concludes() -> None:
    report = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    assert misquoted(PAGE, report) == []
    assert PAGE.index("REGRESSION: ") < PAGE.index("(hint)")
    # Negative control: another digit.
    assert len(misquoted(PAGE, report.replace("73182.8", "73182.9"))) == 1
