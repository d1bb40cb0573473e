# SPDX-License-Identifier: GPL-2.0-only
"""A whole farm by one playbook, from clean hosts to a verdict of boots that went through LAVA.

Five hosts with systemd, reached by ssh: a database; master and artifact store; a worker; a LAVA
server; its dispatcher with an emulated board.  The kernels are two of Debian: none is built.
What each role does by itself is in tests/long/test_ansible_roles.py and test_ansible_lava.py.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from bench.evidence import table, write
from tests.long.farm import VLAG, Farm
from tests.long.root import SUITE, Host, lab, until
from vlag import ROOT

pytestmark = pytest.mark.long

#: Of a night of four boots, each of which an emulator begins without help of the processor.
NIGHT_S = 1800
BOARD = "lab-sim2-1"
#: Short boots: a branch's night, and one boot more for the negative control.
PLAN = """plan: {name}
entries:
  - benchmark: stress-ng-switch
    parameters: {{duration_s: {duration_s}}}
    board_types: [qemu-sim-2]
    seeds: {seeds}
    timeout_s: 240
"""
BRANCH = """[[branches]]
tree = "prebuilt"
branch = "6.12"
baseline = "prebuilt/6.1.*"
board_types = ["qemu-sim-2"]
plan = "two-boots"

"""
#: What the rows of a run say of the lab that made it.
RUNS = """SELECT r.outcome, r.executor->>'lab', r.board, k.branch, r.plan
  FROM run r JOIN kernel k ON k.id = r.kernel ORDER BY r.id"""
FETCH = """
import ssl, sys, urllib.request as u
c = ssl.create_default_context(cafile="/etc/vlag/ca.crt")
try:
    answer = u.urlopen(sys.argv[1], context=c, timeout=60)
except u.HTTPError as e:
    answer = e
print(answer.read().decode())
"""
#: Presses a button as the service itself does: a visitor of the pages may not.
PRESS = """
import json, sys
from vlag import config
from vlag.operate.service import master
name, given = sys.argv[1:]
web = master.web_of(config.load())
answer = web.control(f"/forceschedulers/{name}", "force", **json.loads(given))
print(next(iter(answer[1].values())))
"""


@define(kw_only=True)
class Whole:
    """The farm, and what was measured of it."""

    farm: Farm
    times: dict[str, float] = field(factory=dict)

    def host(self, name: str) -> Host:
        return self.farm.lab.hosts[name]

    def play(self, what: str, *arguments: str) -> dict[str, int]:
        """Run the whole playbook; return how much it changed on each host."""
        began = time.monotonic()
        done = self.farm.play("site", *arguments)
        self.times[what] = time.monotonic() - began
        return done.changed

    def page(self, path: str) -> str:
        """Return one of vlag's pages as a visitor gets it, through nginx and TLS."""
        return self.fetch(f"plugins/wsgi_dashboards/vlag/{path}")

    def fetch(self, path: str) -> str:
        """Return what the master's host answers, whatever its status is."""
        url = f"https://{self.host('hub').address}/{path}"
        return self.host("build1").run("python3", "-c", FETCH, url).stdout

    def press(self, button: str, **given: object) -> int:
        """Press a button of the pages on the master's host; return the request."""
        pressed = self.host("hub").run(
            "runuser", "-u", "vlag", "--", "env", "VLAG_SETTINGS=/etc/vlag/vlag.toml",
            "/opt/vlag/.venv/bin/python", "-c", PRESS, button, json.dumps(given),
        )  # fmt: skip
        return int(pressed.stdout)

    def rest(self, path: str) -> list[dict[str, Any]]:
        """Return rows of Buildbot's REST interface."""
        document: dict[str, Any] = json.loads(self.fetch(f"api/v2/{path}"))
        [*_, kind] = (word for word in path.partition("?")[0].split("/") if not word.isdigit())
        rows: list[dict[str, Any]] = document[kind]
        return rows

    def sql(self, query: str, database: str = "vlag") -> list[list[str]]:
        """Ask the database's host, as its administrator."""
        argv = ("runuser", "-u", "postgres", "--", "psql", "-XAtq", "-d", database, "-c", query)
        lines = self.host("db").run(*argv).stdout.splitlines()
        return [line.split("|") for line in lines]


def settings() -> str:
    """Return the shipped settings with one branch, of kernels that Debian has built."""
    text = (ROOT / "vlag.toml").read_text()
    text = re.sub(r"(?ms)^\[first\]\n.*?\n\n", "", text)
    text = re.sub(r"(?ms)^\[trees\.debian\.packages\]\n.*?\n\n", "", text)
    head, branches, tail = text.partition("[[branches]]")
    assert branches
    # No night and no check begins by the clock.
    hour = (time.gmtime().tm_hour + 12) % 24
    tail = tail[tail.index("[checks]") :]
    tail = re.sub(r"(?m)^hour = \d+", f"hour = {hour}", tail)
    tail = re.sub(r"(?m)^hours = .*", f"hours = [{hour}]", tail)
    return head + BRANCH + tail


def checkout(folder: Path) -> Path:
    """Return a clone of this checkout with the plans of the night, committed as a farm's own."""
    clone = folder / "vlag"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    for name, duration_s, seeds in (("two-boots", 2, 2), ("one-boot", 3, 1)):
        text = PLAN.format(name=name, duration_s=duration_s, seeds=seeds)
        (clone / "lava-jobs/plans" / f"{name}.yaml").write_text(text)
    who = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    subprocess.run(["git", "-C", clone, "add", "."], check=True)
    subprocess.run(["git", "-C", clone, *who, "commit", "-qm", "plans"], check=True)
    return clone


@pytest.fixture(scope="module")
def whole() -> Iterator[Whole]:
    with lab() as made:
        state = made.folder / "state"
        state.mkdir(mode=0o750)
        os.chown(state, VLAG, VLAG)
        shared = {state: "/var/lib/vlag"}
        made.host("db", 11)
        made.host("hub", 12, shared)
        made.host("build1", 13, shared)
        made.host("lava", 14)
        made.host("reach", 15)
        farm = Farm(lab=made, folder=made.folder / "farm")
        farm.describe(
            {
                "database": {"db": {}},
                "master": {"hub": {}},
                "artifacts": {"hub": {}},
                "workers": {"build1": {"slots": 1, "takes": ["build", "lab"]}},
                "lava_servers": {"lava": {"lab": "home", "lava_server_listen": "10.76.0.14"}},
                "lava_dispatchers": {"reach": {"lab": "home"}},
                "boards": {
                    BOARD: {"board_type": "qemu-sim-2", "lab": "home", "dispatcher": "reach"}
                },
            },
            settings(),
            vlag_state_shared=True,
            vlag_code_checkout=str(checkout(made.folder)),
        )
        it = Whole(farm=farm)
        it.play("clean hosts to a whole farm")
        yield it


def complete_night(whole: Whole) -> dict[str, Any]:
    """Return the first night of the farm, which the master begins by itself, once it is over."""

    def nights() -> list[dict[str, Any]]:
        found = whole.rest("builders/nightly/builds?property=*")
        # 5: begun again, as the playbook starts the master anew with its last settings.
        return [night for night in found if night["complete"] and night["results"] != 5]

    until(nights, "the end of the first night", NIGHT_S)
    return nights()[-1]


def test_the_first_night_ends_with_a_verdict_of_boots_through_lava(whole: Whole) -> None:
    began = time.monotonic()
    night = complete_night(whole)
    whole.times["from there to the first verdict"] = time.monotonic() - began
    assert night["results"] == 0, night
    runs = whole.sql(RUNS)
    branches = [branch for *_, branch, _ in runs]
    assert branches.count("6.12") == 2
    assert sum(branch.startswith("prebuilt/6.1.") for branch in branches) == 2
    assert {tuple(run[:3]) for run in runs} == {("complete", "home", BOARD)}
    jobs = "SELECT count(*) FROM lava_scheduler_app_testjob WHERE health = 1"
    assert whole.sql(jobs, "lavaserver") == [["4"]]
    [[comparison, verdict, *boots]] = whole.sql(
        "SELECT comparison, verdict, n_base, n_new FROM verdict"
        " WHERE metric = 'bogo-ops-rate' AND base_value > 0 AND new_value > 0"
    )
    assert boots == ["2", "2"]
    assert verdict in whole.page(f"compare?id={comparison}")
    assert BOARD in whole.page("boards")


def test_a_second_run_changes_nothing(whole: Whole) -> None:
    changed = whole.play("second run")
    assert set(changed) >= {"db", "hub", "build1", "lava", "reach"}
    assert set(changed.values()) == {0}


def jobs_of(whole: Whole) -> int:
    """Return how many jobs the LAVA server has ever had."""
    [[count]] = whole.sql("SELECT count(*) FROM lava_scheduler_app_testjob", "lavaserver")
    return int(count)


def ask_for_a_boot(whole: Whole) -> int:
    """Press the button for one kernel's runs of a plan; return the request."""
    return whole.press(
        "kernel-now", tree="prebuilt", ref="6.12", plan="one-boot", board_types=["qemu-sim-2"],
        baseline="", series="", application="", reason="test",
    )  # fmt: skip


def test_without_the_labs_authority_nothing_comes_through_and_the_page_says_why(
    whole: Whole,
) -> None:
    before = jobs_of(whole)
    place, stranger = "/etc/vlag/lab-home.crt", whole.farm.folder / "stranger.crt"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", "/CN=stranger", "-keyout", os.devnull, "-out", str(stranger)],
        check=True, capture_output=True,
    )  # fmt: skip
    right = whole.host("hub").run("cat", place).stdout
    for name in ("hub", "build1"):
        whole.host(name).run("tee", place, text=stranger.read_text())
    request = ask_for_a_boot(whole)
    why = "certificate verify failed"
    until(lambda: why in submitting(whole), "what the step says that asks the lab", NIGHT_S)
    queue = whole.page("queue")
    assert "The queue is unknown now: lab home (https://10.76.0.14) does not answer" in queue
    assert why in queue
    assert jobs_of(whole) == before

    # With the right one the boot that waits comes through by itself.
    for name in ("hub", "build1"):
        whole.host(name).run("tee", place, text=right)
    until(lambda: finished(whole, request), "the boot that waited", NIGHT_S)
    assert jobs_of(whole) == before + 1
    assert whole.sql(RUNS)[-1] == ["complete", "home", BOARD, "6.12", "one-boot"]


def submitting(whole: Whole) -> str:
    """Return what the newest run of a board has said while it asked its lab."""
    for build in whole.rest("builders/board/builds?order=-buildid&limit=1"):
        for step in whole.rest(f"builds/{build['buildid']}/steps"):
            if step["name"] == "submit":
                logs = whole.rest(f"steps/{step['stepid']}/logs")
                return "".join(whole.fetch(f"api/v2/logs/{log['logid']}/contents") for log in logs)
    return ""


def finished(whole: Whole, request: int) -> bool:
    """Tell whether a request has been done with."""
    [row] = whole.rest(f"buildrequests/{request}")
    return bool(row["complete"])


def test_the_evidence(whole: Whole) -> None:
    """Write down what was run, and what it took."""
    versions = whole.host("reach").run("qemu-system-x86_64", "--version").stdout.splitlines()[0]
    write(
        "ansible-farm",
        "A whole farm by one playbook, to a verdict through LAVA",
        "pytest -m long tests/long/test_ansible_farm.py",
        [
            f"hosts: five, Debian {SUITE}, systemd-nspawn; {versions}",
            "kernels: two of Debian, none is built",
            f"1, 5 and 15 minutes' load: {', '.join(f'{x:.1f}' for x in os.getloadavg())}",
        ],
        [
            "The hosts: a database; master and artifact store; a worker; a LAVA server; its",
            "dispatcher with an emulated board. `site.yml` installs all of them, and the master",
            "begins its first night by itself: two kernels with two boots each. All boots are jobs",
            "of the LAVA server, and their verdict is in the database and on the page of the",
            "comparison. With another authority for the lab's certificate no job comes through,",
            "and the page of the queue says why.",
            "",
            *table(("step", "seconds"), ((k, f"{v:.0f}") for k, v in whole.times.items())),
        ],
    )
