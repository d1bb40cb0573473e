"""A terminal has each report of a night once, however often the night is repeated."""

from __future__ import annotations

from pathlib import Path

from vlag.operate.service.follow import _say_report, print_report
from vlag.operate.service.progress import Written


def written(path: Path, request: int) -> Written:
    return Written(request=request, path=path, name="the night's report", more="the self-proof")


def said_of(path: Path, request: int = 1) -> list[str]:
    """Return what a start says when a night has this report."""
    said: list[str] = []
    _say_report(written(path, request), said.append)
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
        print_report(report, said.append)
    assert len(said) == 2
    assert (tmp_path / "printed").read_text() == "1.txt\n"
    assert said_of(report) == []
