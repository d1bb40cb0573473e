# SPDX-License-Identifier: GPL-2.0-only
"""The first look: prebuilt kernels are compared before the first night, and delay nothing else."""

from __future__ import annotations

import signal

import psycopg

from tests.integration.installation import FIRST, PACKAGES, Installation
from tests.waiting import until
from vlag import config
from vlag.buildbot import RETRY, SUCCESS


def refs(made: Installation, verb: str) -> list[str]:
    return [e["--ref"] if verb == "build" else e["places"][1] for e in made.log(verb=verb)]


def note_comparison(made: Installation) -> None:
    """Record a comparison, as the real stage does; its kernels are not there."""
    with psycopg.connect(config.load(made.settings).dsn()) as conn:
        conn.execute(
            "ALTER TABLE comparison DROP CONSTRAINT comparison_base_kernel_fkey,"
            " DROP CONSTRAINT comparison_new_kernel_fkey,"
            " DROP CONSTRAINT comparison_board_type_fkey"
        )
        conn.execute(
            "INSERT INTO comparison (inputs, base_kernel, new_kernel, board_type, base_knobs,"
            " new_knobs, factors, failed_builds, failed_runs, notes)"
            " VALUES (repeat('a', 64), 1, 2, 'qemu-sim-2', '{}', '{}', '{}', '{}', '{}', '{}')"
        )


def test_the_first_look_comes_before_the_night(installation: Installation) -> None:
    """Though there is no network at first, and it is stopped twice.

    Once it waits for its boots, once its comparison is there and no report yet.
    """
    installation.configure(PACKAGES + FIRST, nights="short")
    installation.behave(power_fails=["6.1", "6.12"])
    status, said = installation.finish(installation.start(until="first"))
    assert status == 75, said
    [line] = [li for li in said.splitlines() if li.startswith("no first look: ")]
    assert line == (
        "no first look: the prebuilt kernels could not be fetched or compared, as said above"
    )
    assert not installation.log(verb="compare")

    for where in ("run", "report"):
        installation.behave(endless=where)
        process = installation.start(until="first")
        until(lambda where=where: installation.log(verb=where), installation.said)  # type: ignore[misc]
        if where == "report":
            note_comparison(installation)
        process.send_signal(signal.SIGINT)
        assert installation.finish(process)[0] == 130
    assert set(refs(installation, "build")) == {"6.1", "6.12"}
    assert not installation.log(verb="mirror")
    assert installation.left() == []

    installation.behave()
    status, said = installation.finish(installation.start())
    assert status == 0, said
    compared = refs(installation, "compare")
    assert compared == ["6.12"] * (len(compared) - 2) + ["linux-6.12"] * 2
    looks = [e for e in installation.log(verb="compare") if e["places"][1] == "6.12"]
    nights = [e for e in installation.log(verb="compare") if e["places"][1] != "6.12"]
    # No watched branch: no role, so no alert and no state of a branch.
    assert {e.get("--role") for e in looks} == {None}
    assert {e["--role"] for e in nights} == {"baseline"}
    assert {e["--plan"] for e in looks} == {"first"}
    assert "1 of 4 runs, about " in said
    assert said.count("REPORT of 1\n") == 1
    first, last = said.index("REPORT of 1\n"), said.index("REPORT of 2, 3\n")
    # The sources are imported after the first look; the night begins then.
    imported = [e["at"] for e in installation.log(verb="mirror")]
    assert imported
    assert min(imported) > max(e["at"] for e in looks)
    assert first < said.index("the night: expected until") < last
    # The night's report is the night's alone, and the first look's is no night's.
    [report] = (installation.state / "reports").glob("*.txt")
    assert "REPORT of 2, 3\n" in report.read_text()
    assert len(list((installation.state / "reports" / "first").glob("*.txt"))) == 1
    with installation.database() as conn:
        found = conn.execute(
            "SELECT q.id, b.results FROM buildrequests q JOIN builds b ON b.buildrequestid = q.id"
            " JOIN builders ON builders.id = q.builderid WHERE builders.name = 'first'"
            " ORDER BY b.id"
        ).fetchall()
    # The first request failed; the stops have not ended the second.
    [failed, *stopped] = found
    assert [results for _id, results in stopped] == [RETRY, RETRY, SUCCESS]
    assert len({number for number, _results in stopped} - {failed[0]}) == 1
    # Asked again, it is there.
    status, said = installation.finish(installation.start(until="first"))
    assert status == 0, said
    assert "REPORT of 1\n" in said
    assert "starting" not in said


def test_fast_ends_with_the_first_look(installation: Installation) -> None:
    installation.configure(PACKAGES + FIRST)
    status, said = installation.finish(installation.start(until="first"))
    assert status == 0, said
    assert said.count("REPORT of 1\n") == 1
    assert set(refs(installation, "build")) == {"6.1", "6.12"}
    assert not installation.log(verb="mirror")
    assert installation.left() == []


def test_without_settings_there_is_none(installation: Installation) -> None:
    status, said = installation.finish(installation.start(until="first"))
    assert status == 2
    assert said.startswith("there is no first look: ")
    assert "starting" not in said
