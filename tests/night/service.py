# SPDX-License-Identifier: GPL-2.0-only
"""The service of a night's clone, started again on its state, and commits for it to find."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import requests
from psycopg.rows import dict_row

from tests import repositories
from tests.night.clone import Night, environment
from tests.processes import commands, running
from tests.waiting import until
from vlag import config

WEB = "http://127.0.0.1:8010/api/v2"
#: Of every wait: far beyond what anything takes on a machine with other work.
DEADLINE_S = 2400

#: Whoever commits here, and when: the same commits each time.
WHO = {
    f"GIT_{who}_{key}": value
    for who in ("AUTHOR", "COMMITTER")
    for key, value in {
        "NAME": "test",
        "EMAIL": "test@localhost",
        "DATE": "2026-01-01T00:00:00Z",
    }.items()
}


class Service:
    """`make run` in a night's clone, with a settings file."""

    def __init__(self, night: Night, toml: Path):
        self.night = night
        self.toml = toml
        self.log = night.clone / f"{toml.stem}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until its pages answer."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["make", "run"], cwd=self.night.clone, env=environment(self.toml),
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip
        self.wait(self.answers)

    def stop(self) -> None:
        """Stop it as Ctrl-C does, and see that nothing is left behind."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
            self.process.wait(DEADLINE_S)
        assert not left_behind(self.night)

    def kill_master(self) -> None:
        """Kill Buildbot's master without a warning; return when the pages answer again."""
        self.kill("twistd", str(self.night.state / "master"))

    def kill_worker(self) -> None:
        """Kill Buildbot's worker without a warning."""
        self.kill("twistd", str(self.night.clone / "workers" / "buildbot.tac"))

    def kill(self, *words: str) -> None:
        """Kill the process with these words in its command line; the service starts another one.

        Returns when the pages answer.
        """
        [victim] = running(*words)
        os.kill(victim, signal.SIGKILL)
        self.wait(lambda: [pid for pid in running(*words) if pid != victim])
        self.wait(self.answers)

    def answers(self) -> bool:
        """Tell whether its pages answer."""
        try:
            return requests.get(f"{WEB}/workers", timeout=5).ok
        except requests.RequestException:
            return False

    def wait(self, condition: Callable[[], Any], seconds: float = DEADLINE_S) -> Any:
        """Return what `condition` returns as soon as that is true."""
        assert self.process is not None
        process = self.process
        return until(condition, self.said, alive=lambda: process.poll() is None, within_s=seconds)

    def said(self) -> str:
        """Return the end of what it said."""
        return self.log.read_text(errors="replace")[-3000:]

    def builds(self, builder: str) -> list[dict[str, Any]]:
        """Return the builds of a builder in order, with all their properties."""
        found = get(f"builders/{builder}/builds?order=number&property=*")["builds"]
        for build in found:
            build["properties"] = {k: v[0] for k, v in build["properties"].items()}
        return list(found)

    def force_night(self) -> None:
        """Press the button."""
        force = {"id": 1, "jsonrpc": "2.0", "method": "force", "params": {}}
        url = f"{WEB}/forceschedulers/nightly-now"
        requests.post(url, json=force, timeout=30).raise_for_status()


@contextmanager
def serving(night: Night, toml: Path) -> Iterator[Service]:
    """Run the service; stop it in the end."""
    service = Service(night, toml)
    service.start()
    try:
        yield service
    finally:
        service.stop()


def get(path: str) -> dict[str, Any]:
    """Return what Buildbot's REST interface answers; one answer may be lost."""
    for _ in range(3):
        with suppress(requests.RequestException):
            answer = requests.get(f"{WEB}/{path}", timeout=20)
            answer.raise_for_status()
            return dict(answer.json())
        time.sleep(2)
    raise AssertionError(f"Buildbot does not answer {path}")


def rows(night: Night, query: str) -> list[dict[str, Any]]:
    """Return what the night's database, which must run, answers."""
    dsn = config.load(night.clone / "vlag.toml").dsn()
    with psycopg.connect(dsn, row_factory=dict_row) as conn:
        return conn.execute(query).fetchall()


def left_behind(night: Night) -> list[str]:
    """Return the command lines of processes that still work on the night's state."""
    return [line for pid, line in commands() if str(night.state) in line and pid != os.getpid()]


def git(night: Night, *arguments: str, data: str | None = None, **env: str) -> str:
    """Run git in the night's mirror."""
    mirror = night.state / "mirrors" / "debian.git"
    return repositories.git(mirror, *arguments, given=data or "", **WHO, **env)


#: Changes the index that GIT_INDEX_FILE, the last argument, names.
Change = Callable[[Night, str], None]


def patched(patch: Path, *, back: bool = False) -> Change:
    """Apply a patch, or take it back."""

    def change(night: Night, index: str) -> None:
        way = ["-R"] if back else []
        git(night, "apply", "--cached", *way, str(patch.resolve()), GIT_INDEX_FILE=index)

    return change


def edited(path: str, old: str, new: str) -> Change:
    """Put `new` for `old`, which stands once, in a file; at its end for an empty `old`."""

    def change(night: Night, index: str) -> None:
        text = git(night, "show", f":{path}", GIT_INDEX_FILE=index) + "\n"
        assert not old or text.count(old) == 1, path
        text = text.replace(old, new) if old else text + new
        blob = git(night, "hash-object", "-w", "--stdin", data=text)
        cache = ("update-index", "--cacheinfo", f"100644,{blob},{path}")
        git(night, *cache, GIT_INDEX_FILE=index)

    return change


def push(
    night: Night,
    branch: str,
    commits: Sequence[tuple[str, Change]],
    folder: Path,
    parent: str = "linux-6.12",
) -> list[str]:
    """Commit changes on top of `parent` and move `branch` there at once; return their ids."""
    index = str(folder / f"index-{branch}")
    parent = git(night, "rev-parse", f"{parent}^{{commit}}")
    git(night, "read-tree", parent, GIT_INDEX_FILE=index)
    made = []
    for subject, change in commits:
        change(night, index)
        tree = git(night, "write-tree", GIT_INDEX_FILE=index)
        parent = git(night, "commit-tree", tree, "-p", parent, "-m", subject)
        made.append(parent)
    git(night, "update-ref", f"refs/heads/{branch}", parent)
    return made


def report_of(night: Night, comparison: object) -> dict[str, Any]:
    """Return a comparison as JSON."""
    said = night.vlag("report", "--comparison", comparison, "--format", "json")
    return dict(json.loads(said.stdout))


def child(url: str) -> int:
    """Return the id of the build that a link on a step leads to."""
    match = re.search(r"#/?build(?:er|request)s/(\d+)(?:/builds/(\d+))?", url)
    assert match, url
    if match[2]:
        build = get(f"builders/{match[1]}/builds/{match[2]}")["builds"][0]
    else:
        build = get(f"buildrequests/{match[1]}/builds")["builds"][-1]
    return int(build["buildid"])
