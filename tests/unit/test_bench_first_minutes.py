"""The first minutes are read from the lines of a first start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve

from bench.first_minutes import LINES, Minutes, moments, of_night, rows
from tests.night.clone import TIMES, Night, earlier_night

#: A night's lines, each with its seconds; shortened.
NIGHT = (
    (2.0, "setup: installing 81 Python packages of requirements.lock in .venv"),
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
FOUND = Minutes(cpus=2, memory_gb=24.6, packages=0, at_s=moments(NIGHT))


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


def test_a_night_of_before_has_no_times(tmp_path: Path) -> None:
    made = night(tmp_path)
    (tmp_path / TIMES).unlink()
    assert made.times() == []
    assert made.output.startswith("setup: ")
    with pytest.raises(LookupError, match="the night has no times"):
        of_night(made)
