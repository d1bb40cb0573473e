# SPDX-License-Identifier: GPL-2.0-only
"""A terminal has each report of a night once, however often the night is repeated."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from vlag import ROOT, config, progress_log
from vlag.buildbot import FAILURE, SUCCESS, WARNINGS, Web
from vlag.config import Settings
from vlag.errors import InfrastructureError
from vlag.operate.service import follow as module
from vlag.operate.service import master, unfinished
from vlag.operate.service.follow import (
    Nights,
    Until,
    _say_report,
    follow,
    goes_on,
    print_report,
    resume,
    watched,
)
from vlag.operate.service.progress import Night, Written
from vlag.report import proof_file
from vlag.verdict_data import ProofData

PROOF: ProofData = {"failed": False, "text": "Proof: 21 of 21.", "good": 21, "total": 21}


def written(path: Path, request: int) -> Written:
    return Written(request=request, path=path, name="the night's report", more="the self-proof")


def said_of(path: Path, request: int = 1) -> list[str]:
    """Return what a start says when a night has this report."""
    said: list[str] = []
    with progress_log.diverted(said.append):
        _say_report(written(path, request))
    return said


def test_a_report_is_printed_once_across_starts(tmp_path: Path) -> None:
    report, later = tmp_path / "1.txt", tmp_path / "2.txt"
    report.write_text("REPORT of 1\n\n\nWHOLE\n")
    later.write_text("REPORT of 2\n")
    assert said_of(report) == ["REPORT of 1\n", f"in full, the night's report is {report}"]
    assert said_of(report) == []
    # Another night's is another file.
    assert said_of(later, 2)[0].startswith("REPORT of 2")
    assert said_of(later, 2) == []
    # Negative control: what nobody has noted is printed.
    (tmp_path / "printed").unlink()
    assert said_of(report)[0] == "REPORT of 1\n"


def test_a_report_that_a_command_asked_for_is_printed_each_time(tmp_path: Path) -> None:
    report = tmp_path / "1.txt"
    report.write_text("REPORT of 1\n")
    said: list[str] = []
    for _ in range(2):
        with progress_log.diverted(said.append):
            print_report(report)
    assert len(said) == 2
    assert (tmp_path / "printed").read_text() == "1.txt\n"
    assert said_of(report) == []


#: What the stand-in for the master answers to a request of a builder.
REQUESTS = {"first": 1, "nightly": 2}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return evolve(config.load(ROOT / "vlag.toml"), state=tmp_path / "var")


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Any:
    """Return a function that follows a service in which these builds end, one a look."""

    def run(*nights: Night, until: Until, **options: Any) -> tuple[int, list[str]]:
        waiting = options.pop("waiting", {})
        conclude = options.pop("conclude", lambda: None)
        monkeypatch.setattr(module, "concluded", lambda settings: conclude())
        asked = iter(nights)
        said: list[str] = []
        monkeypatch.setattr(module, "_look", lambda progress, watch: ([], [next(asked)]))
        monkeypatch.setattr(module, "POLL_S", 0)
        monkeypatch.setattr(master, "request", lambda web, name: REQUESTS[name])
        monkeypatch.setattr(master, "waiting", lambda web, name: waiting.get(name))
        with progress_log.diverted(said.append):
            status = follow(
                Web(1), since=1, until=until, start_night=True, watch=lambda: None,
                nights=Nights(settings), **options,
            )  # fmt: skip
        return status, said

    return run


def night(results: int, report: Path | None, request: int = 2) -> Night:
    return Night(request=request, results=results, report=report, notes=())


def test_a_night_without_a_report_is_the_infrastructures_fault(ends: Any, tmp_path: Path) -> None:
    status, said = ends(night(FAILURE, None), until=Until.PROOF)
    assert status == 75
    assert said == ["the night ended without a report: see the messages above"]
    report = tmp_path / "1.txt"
    report.write_text("REPORT\n")
    assert ends(night(FAILURE, report), until=Until.PROOF)[0] == 75
    # Negative control; a kernel that fails is a warning.
    assert ends(night(SUCCESS, report), until=Until.PROOF) == (0, [])
    assert ends(night(WARNINGS, report), until=Until.PROOF) == (0, [])


def test_a_night_with_a_report_ends_with_its_conclusion(ends: Any, tmp_path: Path) -> None:
    report = tmp_path / "1.txt"
    report.write_text("REPORT\n")

    def of(ended: Night, sentence: str | None) -> list[str]:
        said: list[str] = ends(ended, until=Until.PROOF, conclude=lambda: sentence)[1]
        return said

    assert of(night(SUCCESS, report), "No: nothing is worse.") == ["No: nothing is worse."]
    # Negative controls: a database that is away, and a night that says nothing.
    assert of(night(SUCCESS, report), None) == []
    assert "No." not in of(night(FAILURE, None), "No.")


def test_a_failed_proof_is_the_status_of_its_night(ends: Any, tmp_path: Path) -> None:
    report = tmp_path / "1.txt"
    report.write_text("REPORT\n")
    proof_file.write(proof_file.beside(report), {**PROOF, "failed": True})
    assert ends(night(WARNINGS, report), until=Until.PROOF)[0] == 30
    # That of a night which somebody else has asked for is not ours.
    other = tmp_path / "2.txt"
    other.write_text("REPORT\n")
    found = ends(night(WARNINGS, report, 9), night(SUCCESS, other), until=Until.PROOF)
    assert found[0] == 0
    # Negative control: the words of the text decide nothing.
    report.write_text("PROOF FAILED: 20 of 21 as predicted\n\nREPORT\n")
    proof_file.write(proof_file.beside(report), PROOF)
    assert ends(night(SUCCESS, report), until=Until.PROOF)[0] == 0
    proof_file.write(proof_file.beside(report), None)
    assert ends(night(SUCCESS, report), until=Until.PROOF)[0] == 0


def test_the_sources_are_prepared_while_the_pages_are_up_and_before_the_night(
    ends: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "1.txt"
    report.write_text("REPORT\n")
    order: list[str] = []

    def asked(web: Web, name: str) -> int:
        order.append(name)
        return REQUESTS[name]

    def prepare() -> None:
        monkeypatch.setattr(master, "request", asked)
        order.append("sources")

    status, _ = ends(night(SUCCESS, report), until=Until.PROOF, prepare=prepare)
    assert status == 0
    assert order == ["sources", "nightly"]


def test_a_night_that_is_repeated_is_not_asked_for_again(
    ends: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes on while the sources are prepared, and may be over by then."""
    report = tmp_path / "1.txt"
    report.write_text("REPORT\n")
    asked: list[str] = []

    def request(web: Web, name: str) -> int:
        asked.append(name)
        return REQUESTS[name]

    def prepare() -> None:
        monkeypatch.setattr(master, "request", request)

    ended = night(SUCCESS, report, 7)
    status, _ = ends(ended, until=Until.PROOF, prepare=prepare, waiting={"nightly": 7})
    assert (status, asked) == (0, [])
    # Negative control: without one a night is asked for.
    status, _ = ends(night(SUCCESS, report), until=Until.PROOF, prepare=prepare)
    assert (status, asked) == (0, ["nightly"])


def test_without_a_first_look_the_night_goes_on(ends: Any, tmp_path: Path) -> None:
    report = tmp_path / "1.txt"
    report.write_text("REPORT\n")
    prepared: list[str] = []
    status, said = ends(
        night(FAILURE, None, 1), night(SUCCESS, report), until=Until.PROOF, look_first=True,
        prepare=lambda: prepared.append("sources"),
    )  # fmt: skip
    assert status == 0
    assert said[-1] == (
        "no first look: the prebuilt kernels could not be fetched or compared, as said above;"
        " the night goes on"
    )
    assert prepared == ["sources"]


def test_a_process_that_has_ended_is_seen_while_the_master_does_not_answer() -> None:
    silent, looks = threading.Event(), list[int]()

    def watch() -> None:
        looks.append(1)
        if len(looks) == 2:
            raise InfrastructureError("the postgresql process ended unexpectedly")

    def ask() -> None:
        silent.wait()

    with pytest.raises(InfrastructureError, match="the postgresql process ended"):
        watched(ask, watch)
    silent.set()
    # What it answers or raises comes through.
    assert watched(lambda: 42, watch) == 42

    def refuse() -> None:
        raise LookupError("a build that has just ended")

    with pytest.raises(LookupError, match="just ended"):
        watched(refuse, watch)


def began(settings: Settings, until: Until | None, last: Path | None) -> list[str]:
    said: list[str] = []
    with progress_log.diverted(said.append):
        assert goes_on(settings, until, last) == bool(said)
    return said


def test_a_night_that_was_interrupted_goes_on_instead_of_being_the_last_one(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = settings.state / "reports"
    yesterday = folder / "2026-03-01T040000Z.txt"
    # Negative control: nothing was interrupted.
    assert began(settings, Until.REPORT, yesterday) == []
    unfinished.note(folder, 1772415000)  # 2026-03-02, half past one
    for until in (Until.REPORT, Until.PROOF, None):
        [said] = began(settings, until, yesterday)
        assert said == (
            "the night of 2026-03-02 01:30 UTC was not over at the last stop and goes on;"
            f" the newest report so far is {yesterday}"
        )
    # The first look is another matter, and so is the self-proof after the night's own report.
    assert began(settings, Until.FIRST, yesterday) == []
    assert began(settings, Until.REPORT, folder / "2026-03-02T030000Z.txt") == []
    # A report on a part of the first night is no end of it.
    early = folder / "2026-03-02T020000Z-early.txt"
    assert len(began(settings, Until.REPORT, early)) == 1
    early.write_text("EARLY\n")
    # The master may know better, as after a stop in the moment of the end.
    waiting = {"nightly": 7}
    monkeypatch.setattr(master, "waiting", lambda web, name: waiting.get(name))
    assert resume(Web(1), settings, Until.REPORT) == (True, None)
    waiting.clear()
    assert resume(Web(1), settings, Until.REPORT) == (False, early)
    assert began(settings, Until.REPORT, early) == []


def test_a_report_that_an_earlier_start_has_printed_ends_no_other_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, early = tmp_path / "1.txt", tmp_path / "1-early.txt"
    for path in (report, early):
        path.write_text("REPORT\n")
    looks: list[list[Written]] = []

    def look(progress: Any, watch: Any) -> Any:
        progress.written = looks.pop(0)
        return [], ([] if looks else [night(SUCCESS, report)])

    def run() -> list[str]:
        looks[:] = [[Written(request=2, path=early, name="the first report", more="the rest")], []]
        said: list[str] = []
        with progress_log.diverted(said.append):
            status = follow(
                Web(1), since=1, until=Until.REPORT, start_night=True, watch=lambda: None
            )
        assert status == 0
        return said

    monkeypatch.setattr(module, "_look", look)
    monkeypatch.setattr(module, "POLL_S", 0)
    monkeypatch.setattr(master, "request", lambda web, name: REQUESTS[name])
    monkeypatch.setattr(master, "waiting", lambda web, name: None)
    assert run()[-1] == "the rest is left to the next start: `make run`, or ONCE=proof"
    # The same report again, and then the end of the night.
    assert run() == []
