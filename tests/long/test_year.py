# SPDX-License-Identifier: GPL-2.0-only
"""An administrator's year: each edit, move, upgrade and renewal, between nights and in one.

The service is real, with its PostgreSQL, master, worker and git; what measures kernels is replaced.
Whatever an administrator does, every push is judged once, and every night that is asked for ends
once.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from attrs import define, field

from tests.integration.installation import Installation
from tests.integration.old_installation import make_old
from tests.integration.pushes import Tree, builds_of, pushes, requests_of, watched
from tests.processes import commands, running
from tests.waiting import DEADLINE_S, until
from vlag import config
from vlag.errors import InfrastructureError
from vlag.operate.service import health, logs

pytestmark = pytest.mark.long

OTHER = "linux-6.13"


@define
class Year:
    """A service, the tree that it watches, and what must come of what was asked of it."""

    made: Installation
    tree: Tree
    expected: list[str] = field(factory=list)  # commits
    nights: int = 0

    @property
    def text(self) -> str:
        return self.made.settings.read_text()

    def write(self, text: str) -> None:
        self.made.settings.write_text(text)

    def push(self) -> str:
        """Push a commit to the branch that is watched all year."""
        commit = self.tree.commit(f"commit {len(self.expected)}")
        self.tree.push()
        self.expected.append(commit)
        return commit

    def night(self) -> None:
        self.made.web().control("/forceschedulers/nightly-now", "force", reason="asked")
        self.nights += 1

    def stop(self) -> None:
        self.made.running[-1].send_signal(signal.SIGTERM)
        status, said = self.made.finish(self.made.running[-1])
        assert status == 0, said
        assert self.made.left() == []

    def start(self) -> None:
        self.made.start(once=False)
        until(self.is_up, self.made.said)

    def is_up(self) -> bool:
        ended = self.made.running[-1].poll()
        assert ended is None, f"status {ended}: {self.made.said()}"
        return self.made.is_up()

    def reload(self, until_it_says: str) -> None:
        """Send the signal of a reload, and wait for what is said once more than before."""
        said = self.made.said().count(until_it_says)
        self.made.running[-1].send_signal(signal.SIGHUP)
        until(lambda: self.made.said().count(until_it_says) > said, self.made.said)

    def vlag(self, *words: str, status: int = 0) -> str:
        done = subprocess.run(
            [self.made.python, "-m", "vlag.cli.main", *words], env=self.made.environment(),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    def judged(self) -> Counter[str]:
        """Return how often each commit was judged."""
        return Counter(str(build["properties"]["revision"][0]) for build in pushes(self.made))

    def is_done(self) -> bool:
        """Return whether all that was asked for has come to its end."""
        try:
            ended = [r for r in requests_of(self.made, "nightly") if r["complete"]]
            return set(self.expected) <= set(self.judged()) and len(ended) >= self.nights
        except InfrastructureError:  # the master starts
            return False

    def check(self) -> None:
        """Hold what was judged, and the nights, against what was asked for."""
        until(self.is_done, lambda: f"{self.expected}: {self.judged()}: {self.made.said()}")
        assert self.judged() == Counter(self.expected)
        nights = Counter(b["buildrequestid"] for b in builds_of(self.made, "nightly"))
        assert (len(nights), set(nights.values())) == (self.nights, {1})


Event = Callable[[Year], AbstractContextManager[None]]


@contextmanager
def half_written(year: Year) -> Iterator[None]:
    """Save the settings before the end is written; the editor goes on much later."""
    whole = year.text
    year.write(f"{whole[: len(whole) // 2]}\n[nightly")
    yield
    year.write(whole)


@contextmanager
def wrong_edit(year: Year) -> Iterator[None]:
    """Take up settings that name a plan that is not there."""
    whole = year.text
    year.write(whole.replace('plan = "nightly"', 'plan = "nobodys"', 1))
    year.reload("; the service goes on with the settings of its start")
    yield
    year.write(whole)


@contextmanager
def good_edit(year: Year) -> Iterator[None]:
    """Move the hour of the nights, and take that up."""
    year.write(re.sub(r"minute = (\d+)", lambda m: f"minute = {(int(m[1]) + 1) % 60}", year.text))
    year.reload("the service is up")
    yield


@contextmanager
def other_branch(year: Year) -> Iterator[None]:
    """Watch a branch above the others, or no longer, while the service is stopped.

    Somebody pushes meanwhile.
    """
    year.stop()
    block = year.text[year.text.index("[[branches]]") : year.text.index("[nightly]")]
    more = block.replace('branch = "linux-6.12"', f'branch = "{OTHER}"')
    if OTHER in year.text:
        year.write(year.text.replace(more, "", 1))
    else:
        year.write(year.text.replace(block, more + block, 1))
    year.push()
    year.start()
    yield


@contextmanager
def moved(year: Year) -> Iterator[None]:
    """Move the state folder."""
    year.stop()
    old, new = year.made.state, year.made.state.with_name(f"{year.made.state.name}-moved")
    old.rename(new)
    year.made.state = new
    year.write(year.text.replace(f'state = "{old.name}"', f'state = "{new.name}"'))
    year.start()
    yield


@contextmanager
def renewed(year: Year) -> Iterator[None]:
    """Renew all secrets of the stopped service."""
    year.stop()
    for name in ("pgpass", "worker", "callback", "control"):
        (year.made.state / "secrets" / name).unlink()
    year.start()
    yield


@contextmanager
def renewed_in_use(year: Year) -> Iterator[None]:
    """Renew the workers' password of the running service, as health says then."""
    (year.made.state / "secrets" / "worker").write_text(f"word {len(year.expected)}\n")
    with pytest.raises(InfrastructureError, match="this secret was renewed"):
        health.check(config.load(year.made.settings), "master", None)
    year.reload("the service is up")
    yield


@contextmanager
def other_server(year: Year) -> Iterator[None]:
    """Stop PostgreSQL as an update of its package does."""
    said = year.made.said().count("the service is up")
    for pid in running("-D", str(year.made.state / "postgres" / "data")):
        os.kill(pid, signal.SIGINT)
    until(lambda: year.made.said().count("the service is up") > said, year.made.said)
    yield


@contextmanager
def power_cut(year: Year) -> Iterator[None]:
    """Kill all of it at once; systemd starts it."""
    year.made.running[-1].kill()
    home = str(year.made.state)
    for pid in [pid for pid, line in commands() if home in line]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    year.made.running[-1].wait(DEADLINE_S)
    year.start()
    yield


@contextmanager
def restored(year: Year) -> Iterator[None]:
    """Back the running service up, lose its state folder, and bring it back."""
    backups = year.made.folder / f"backups-{len(year.expected)}"
    year.vlag("backup", str(backups))
    year.stop()
    shutil.rmtree(year.made.state)
    year.vlag("restore", str(backups))
    year.start()
    yield


@contextmanager
def upgraded(year: Year) -> Iterator[None]:
    """Start another checkout on tables of the first public commit."""
    year.stop()
    make_old(config.load(year.made.settings))
    checkout = year.made.folder / f"checkout-{len(year.expected)}"
    shutil.copytree(year.made.checkout, checkout)
    year.made.checkout = checkout
    year.start()
    yield


@contextmanager
def other_python(year: Year) -> Iterator[None]:
    """Make the environment of the stopped service anew; the one before is gone."""
    year.stop()
    before, folder = Path(year.made.python), year.made.folder / f"python-{len(year.expected)}"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    [packages] = folder.glob("lib/python3.*/site-packages")
    (packages / "all.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    year.made.python = str(folder / "bin" / "python")
    if before != Path(sys.executable):
        shutil.rmtree(before.parents[1])
    year.start()
    yield


@contextmanager
def as_another(year: Year) -> Iterator[None]:
    """Let the wrong user back up and start the stopped service of somebody else."""
    year.stop()
    cluster = year.made.state / "postgres"
    own = cluster.stat()

    def give(user: int, group: int) -> None:
        for path in (cluster, *cluster.rglob("*")):
            os.chown(path, user, group, follow_symlinks=False)

    other = pwd.getpwnam("nobody")
    give(other.pw_uid, other.pw_gid)
    for words in (["serve"], ["backup", str(year.made.folder / "nobodys")]):
        assert "belongs to nobody: run this as nobody" in year.vlag(*words, status=2)
    assert {path.lstat().st_uid for path in cluster.rglob("*")} == {other.pw_uid}
    give(own.st_uid, own.st_gid)
    year.start()
    yield


@contextmanager
def long_logs(year: Year) -> Iterator[None]:
    """Let each log of the running service grow until it begins anew."""
    names = ("master", "worker", "postgresql", "pages")
    paths = [year.made.state / "log" / f"{name}.log" for name in names]
    for path in paths:
        with path.open("a") as log:
            log.write("a line of a log\n" * (logs.LARGEST // 15))
    until(
        lambda: all(path.stat().st_size < logs.LARGEST for path in paths),
        lambda: str({path.name: path.stat().st_size for path in paths}),
    )
    for path in paths:
        assert path.with_name(f"{path.name}.1").stat().st_size > logs.LARGEST
    yield


#: What happens, and whether in the middle of a push and a night.
YEAR: Sequence[tuple[Event, bool]] = (
    (half_written, False), (half_written, True), (wrong_edit, False), (wrong_edit, True),
    (good_edit, False), (good_edit, True), (other_branch, False), (other_branch, True),
    (other_branch, True), (other_branch, False), (moved, False), (moved, True),
    (renewed, False), (renewed, True), (renewed_in_use, False), (renewed_in_use, True),
    (other_server, False), (other_server, True), (power_cut, False), (power_cut, True),
    (restored, False), (restored, True), (upgraded, False), (upgraded, True),
    (other_python, False), (other_python, True), (as_another, False), (as_another, True),
    (long_logs, False), (long_logs, True),
)  # fmt: skip


def live(year: Year, event: Event, *, within: bool) -> None:
    """Let an event happen between nights, or within a push and a night that are going on."""
    if not within:
        with event(year):
            year.push()
            year.night()
            year.check()
        return
    before = len(year.made.log("begin", "run"))
    year.made.behave(blocked=["sim2-1", "sim2-2", "sim4-1"])
    commit = year.push()
    until(lambda: len(year.made.log("begin", "run")) > before, year.made.said)
    assert year.judged()[commit] == 0
    year.night()
    with event(year):
        assert year.judged()[commit] == 0
        year.made.behave()
        year.check()


@pytest.fixture
def year(installation: Installation) -> Year:
    tree = watched(installation)
    text = installation.settings.read_text().replace('lanes = ["up", "lazy"]\n', "")
    installation.settings.write_text(text)
    tree.git("push", "--quiet", str(tree.url), f"HEAD:{OTHER}")
    made = Year(installation, tree)
    made.reload("the service is up")
    return made


def test_every_push_of_the_year_is_judged_once(year: Year) -> None:
    for event, within in YEAR:
        print(f"{'within' if within else 'between'} nights: {event.__doc__}", flush=True)
        live(year, event, within=within)
    assert len(year.expected) == len(YEAR) + 4
    # Negative control: a commit that nobody pushed is not judged.
    year.expected.append(year.tree.commit("nobody's"))
    assert not year.is_done()
    year.stop()
    assert Path(year.made.state).is_dir()
