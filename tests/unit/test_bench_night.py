# SPDX-License-Identifier: GPL-2.0-only
"""The first minutes are read from the lines of a first start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.night import LINES, moments, of_night, rows
from tests.night.clone import TIMES, earlier_night

#: A night's lines, each with its seconds; shortened.
NIGHT = (
    (2.0, "setup: installing 81 Python packages of requirements.lock in .venv"),
    (61.5, "setup: ready; docs/install.md lists what was installed, and how to undo it"),
    (73.0, "the service is up: http://127.0.0.1:8010/ (Ctrl-C stops it)"),
    (74.0, "[00:00] building prebuilt 6.1"),
    (341.2, "[04:20] compared prebuilt 6.1 to prebuilt 6.12 on qemu-sim-2"),
    (345.0, "in full, the report is /x/var/reports/first/2026-11-24T020225Z.txt"),
    (430.0, "[05:41] the night: expected until 02:50 UTC (8 kernels to build, 302 runs)"),
    (2000.0, "[32:10] compared baseline debian/6.1.* to linux-6.12 on qemu-sim-2"),
    (2010.0, "in full, the first report is /x/var/reports/2026-11-24T023010Z-early.txt"),
    (2100.0, "[33:10] compared baseline debian/6.1.* to linux-6.12 on qemu-sim-4"),
)
MOMENTS = (61.5, 73.0, 341.2, 345.0, 430.0, 2000.0, 2010.0)


def test_each_moment_is_that_of_its_first_line() -> None:
    assert moments(NIGHT) == MOMENTS
    assert len(LINES) == len(MOMENTS)
    assert rows(MOMENTS)[2] == ("first verdict, of prebuilt kernels", "5:41", "4:28")


@pytest.mark.parametrize("name", LINES)
def test_a_moment_that_is_missing_is_named(name: str) -> None:
    at = MOMENTS[list(LINES).index(name)]
    # Its line, and those of the same kind that come later.
    again = {2000.0: (2100.0,)}.get(at, ())
    with pytest.raises(LookupError) as missed:
        moments([x for x in NIGHT if x[0] not in (at, *again)])
    assert str(missed.value).startswith(f"no line of {name!r} ")


def test_a_kept_night_has_its_moments_if_their_times_were_kept(tmp_path: Path) -> None:
    about = {"seconds": 6610.0, "commit": "a" * 40, "status": 0}
    (tmp_path / "night.json").write_text(json.dumps(about))
    (tmp_path / "night.log").write_text("".join(f"{line}\n" for _, line in NIGHT))
    (tmp_path / TIMES).write_text(
        "".join(json.dumps({"at_s": at, "line": line}) + "\n" for at, line in NIGHT)
    )
    night = earlier_night(tmp_path)
    assert of_night(night) == MOMENTS
    (tmp_path / TIMES).unlink()
    assert night.times() == []
    assert night.output.startswith("setup: ")
    with pytest.raises(LookupError, match="the night has no times"):
        of_night(night)
