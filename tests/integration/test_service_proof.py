# SPDX-License-Identifier: GPL-2.0-only
"""A night tells each comparison when it is made, and its self-proof has a part of its own."""

from __future__ import annotations

import re

from tests.integration.installation import PACKAGES, PROOF, Installation
from tests.screens import Pseudo
from tests.waiting import DEADLINE_S, until

PATCHED = ["linux-6.12+solo(1)", "linux-6.12+solo(4)"]


def compared(made: Installation) -> list[str]:
    return [e["places"][1] for e in made.log(what="end", verb="compare")]


def test_the_first_report_does_not_wait_for_the_proof(installation: Installation) -> None:
    installation.configure(PACKAGES + PROOF, nights="short")
    failed = "0 of 2 as predicted"
    installation.behave(blocked=[*PATCHED, "debian/6.12.*"], self_proof=failed, runs=4)
    status, said = installation.finish(installation.start(until="report"))
    assert status == 0, said
    assert "REPORT of 1, 2\n" in said
    assert "So far: 2 kernels built, 4 runs; it took " in said
    assert "the self-proof is left to the next start" in said
    assert compared(installation) == ["linux-6.12"] * 2
    assert installation.left() == []

    # Once more: the report is there, and nothing is started.
    status, said = installation.finish(installation.start(until="report"))
    assert status == 0, said
    assert "REPORT of 1, 2\n" in said
    assert "starting" not in said

    # The proof goes on from there.  A comparison is told while another kernel's runs go on.
    installation.behave(blocked=[PATCHED[1]], self_proof=failed)
    process = installation.start()
    until(lambda: "+ comment-only on qemu-sim-2\n" in installation.said(), installation.said)
    lines = installation.said().splitlines()
    [at] = [i for i, x in enumerate(lines) if "+ comment-only on qemu-sim-2" in x
            and "] compared baseline debian/6.12.* to linux-6.12 " in x]  # fmt: skip
    assert lines[at + 1].endswith("no regression (9 UNCHANGED)")
    assert "/compare?id=3" in lines[at + 2]
    assert set(compared(installation)) == {"linux-6.12", PATCHED[0]}

    # Its failure has a status of its own.
    installation.behave(self_proof=failed)
    status, said = installation.finish(process)
    assert status == 30, said
    assert f"PROOF FAILED: {failed}\n" in said
    assert set(PATCHED) <= set(compared(installation))
    # The night that goes on has its first report, and prints it no second time.
    assert "REPORT of 1, 2\n" not in said
    [first, last] = sorted((installation.state / "reports").glob("*.txt"))
    assert "PROOF FAILED" not in first.read_text()
    assert last.name.endswith("-proof.txt")
    assert last.read_text().startswith(f"PROOF FAILED: {failed}\n\nThe night: ")
    assert last.read_text().count("REPORT of ") == 1
    assert "REPORT of 3, 4\n" in last.read_text(), "of the proof's comparisons alone"
    # Asked again, it has the same answer; the first report has its own.
    assert installation.finish(installation.start())[0] == 30
    assert installation.finish(installation.start(until="report"))[0] == 0


def test_the_first_night_begins_with_what_can_soon_be_reported(installation: Installation) -> None:
    installation.configure(PACKAGES, commits="commit", nights="parts")
    # The rest of the night takes longer than the service needs to end after the first report.
    installation.behave(blocked=["cyclictest-hackbench", "sim4-1"])
    status, said = installation.finish(installation.start(until="report"))
    assert status == 0, said
    assert "REPORT of 1\n" in said
    assert "So far: 2 kernels built, 2 runs; it took " in said
    assert "the rest of the night is left to the next start: `make run`, or ONCE=proof" in said
    [early] = (installation.state / "reports").glob("*.txt")
    assert early.name.endswith("-early.txt")
    [compared_] = installation.log(what="end", verb="compare")
    assert (compared_["--board-type"], compared_["--benchmark"]) == (
        "qemu-sim-2", "stress-ng-switch",
    )  # fmt: skip
    # Of the other board and benchmark nothing is begun before it.
    [reported] = installation.log(what="end", verb="report")
    begun = [e for e in installation.log(what="begin", verb="run") if e["at"] < reported["at"]]
    assert {(e["--benchmark"], e["--board"][:4]) for e in begun} == {("stress-ng-switch", "sim2")}
    # The night goes on, with a report on all of it, and tells the early comparison to nobody.
    installation.behave(run_s=1)
    terminal = Pseudo(columns=400)
    process = installation.start(until="report", terminal=terminal.theirs)
    status = process.wait(DEADLINE_S)
    sent = terminal.close()
    lines = terminal.screen()
    assert status == 0, sent
    assert re.fullmatch(
        r"the night of \S+ \S+ UTC was not over at the last stop and goes on; the newest report so"
        rf" far is {re.escape(str(early))}", lines[0]
    ), sent  # fmt: skip
    assert "the last night's report" not in sent
    assert "REPORT of 2, 3" in lines
    assert "REPORT of 1" not in lines
    # Below the lines a block says how far it is, until the end.
    assert re.search(r"\n\d+ of \d+ runs, about \d+ min left.*; until \d\d:\d\d UTC\r\n", sent)
    assert "; until " not in "".join(lines[1:])
    # In the order of time, and a line for each boot.
    told = [m for line in lines if (m := re.match(r"\[(\d\d:\d\d)\] (.*?)( \(|$)", line))]
    assert [m[1] for m in told] == sorted(m[1] for m in told)
    boots = [m[2] for m in told if re.search(r"\bseed \d", m[2])]
    assert len(boots) == len(set(boots)) > 0, lines
    # The sender of messages comes each minute besides.
    [notified] = [e for e in installation.log(verb="notify") if e["places"] == ["night"]]
    assert notified["--comparison"] == "3"
    assert len(list((installation.state / "reports").glob("*.txt"))) == 2
    # A later night has no such part.
    assert installation.finish(installation.start(until="report"))[0] == 0
