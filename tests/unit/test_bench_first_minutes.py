"""The first minutes: read from its lines, and the same in README as on the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve

from bench import first_minutes
from bench.first_minutes import (
    LINES,
    Minutes,
    moments,
    of_night,
    of_whole_night,
    rows,
    sentences,
)
from bench.pages import BY_NAME
from tests.night.clone import TIMES, Night, earlier_night
from vlag import ROOT

PAGE = BY_NAME["first-minutes"]
#: A night's lines, each with its seconds; shortened.
NIGHT = (
    (2.0, "setup: installing the Python packages of requirements.lock in .venv"),
    (61.5, "setup: ready; docs/operate.md lists what was installed, and how to undo it"),
    (73.0, "the service is up: http://127.0.0.1:8010/ (Ctrl-C stops it)"),
    (74.0, "[00:00] building prebuilt 6.1"),
    (341.2, "[04:20] compared prebuilt 6.1 to prebuilt 6.12 on qemu-sim-2"),
    (345.0, "in full, the report is /x/var/reports/first/2026-11-24T020225Z.txt"),
    (430.0, "[05:41] the night: expected until 02:50 UTC (8 kernels to build, 302 runs)"),
    (2000.0, "[32:10] compared baseline debian/6.1.* to linux-6.12 on qemu-sim-2"),
    (2010.0, "in full, the first report is /x/var/reports/2026-11-24T023010Z-early.txt"),
    (2100.0, "[33:10] compared baseline debian/6.1.* to linux-6.12 on qemu-sim-4"),
)
FOUND = Minutes(cpus=2, memory_gb=24.6, packages=0, at_s=moments(NIGHT), whole_min=110.2)


def night(folder: Path, lines: tuple[tuple[float, str], ...] = NIGHT) -> Night:
    """Write a night as tests/night/clone.py leaves it."""
    about = {"seconds": 6610.0, "commit": "a" * 40, "status": 0}
    (folder / "night.json").write_text(json.dumps(about))
    (folder / "night.log").write_text("".join(f"{line}\n" for _, line in lines))
    (folder / TIMES).write_text(
        "".join(json.dumps({"at_s": at, "line": line}) + "\n" for at, line in lines)
    )
    return earlier_night(folder)


def test_each_moment_is_that_of_its_first_line() -> None:
    expected = (61.5, 73.0, 341.2, 345.0, 430.0, 2000.0, 2010.0)
    assert moments(NIGHT) == expected
    assert len(LINES) == len(expected)
    assert rows(FOUND)[2] == ("first verdict, of prebuilt kernels", "5:41", "4:28")


@pytest.mark.parametrize("name", LINES)
def test_a_moment_that_is_missing_is_named(name: str) -> None:
    at = moments(NIGHT)[list(LINES).index(name)]
    # Its line, and those of the same kind that come later.
    again = {2000.0: (2100.0,)}.get(at, ())
    with pytest.raises(LookupError) as missed:
        moments([x for x in NIGHT if x[0] not in (at, *again)])
    assert str(missed.value).startswith(f"no line of {name!r} ")


def test_a_night_has_its_machine_or_was_on_this_one(tmp_path: Path) -> None:
    made = night(tmp_path)
    assert of_night(made).at_s == FOUND.at_s
    assert of_night(evolve(made, cpus=64, memory_gb=512.0)).cpus == 64
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "debian-packages").write_text("ccache\nlava-dispatcher\n")
    assert of_night(made).packages == 2
    assert "it installed 2 Debian packages" in of_night(made).sentence


def test_the_whole_night_is_that_of_its_page() -> None:
    page = BY_NAME["whole-night"].path.read_text(encoding="utf-8")
    assert of_whole_night(page) > 60
    with pytest.raises(LookupError, match="does not say how long"):
        of_whole_night(page.replace("end of the night", "end"))


def test_a_night_of_before_has_no_times(tmp_path: Path) -> None:
    made = night(tmp_path)
    (tmp_path / TIMES).unlink()
    assert made.times() == []
    assert made.output.startswith("setup: ")
    with pytest.raises(LookupError, match="the night has no times"):
        of_night(made)


def misquoted(readme: str, page: str | None) -> list[str]:
    """Return the sentences that README or the page has and the other has not."""
    said = sentences(readme)
    measured = [] if page is None else sentences(page)
    assert page is None or len(measured) == 1
    return [x for x in {*said, *measured} if said.count(x) != 1 or x not in measured]


def test_readme_has_the_minutes_of_the_page_and_no_others() -> None:
    """Without the page README gives no measured minutes; `first_minutes` prints its sentence."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    page = PAGE.path.read_text(encoding="utf-8") if PAGE.path.exists() else None
    assert misquoted(readme, page) == []


def test_other_minutes_are_found() -> None:
    """Negative control."""
    page = f"# Title\n\n{FOUND.sentence}\n"
    wrapped = FOUND.sentence.replace(" the ", "\nthe ")
    assert wrapped.count("\n") > 2
    assert misquoted(f"# vlag\n\n{wrapped}\n\nMore.\n", page) == []
    other = wrapped.replace("34 min", "37 min")
    assert other != wrapped
    assert len(misquoted(other, page)) == 2
    assert misquoted("# vlag\n", page) == [FOUND.sentence]
    assert misquoted(wrapped, None) == [FOUND.sentence]
    assert len(misquoted(f"{wrapped} {wrapped}", page)) == 1


def test_the_sentence_says_what_a_newcomer_waits_for() -> None:
    assert FOUND.sentence == (
        "Measured from the clone, on 2 CPUs with 25 GB: set-up done after 1 min (its Debian"
        " packages were there already), the first verdict after 6 min, the first report after"
        " 34 min (`docs/evidence/first-minutes.md`); a whole night with its self-proof took 110 min"
        " (`docs/evidence/whole-night.md`)."
    )
    assert first_minutes.minutes(20) == "1 min"
