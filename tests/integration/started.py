# SPDX-License-Identifier: GPL-2.0-only
"""The state of a service after its first start, made once for all processes of a test run.

The product makes it: PostgreSQL's cluster with the tables of vlag and Buildbot, the passwords,
the folders of master and worker.  Installations of tests copy it, as `cp` is quicker.
"""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

from tests.integration.installation import STARTED, Installation, copy_checkout
from tests.waiting import until
from vlag.lock import hold

#: What belongs to that start alone.
OWN = ("lock", "locks", "log", "reports")


def make(shared: Path) -> Path:
    """Return a copy of the checkout in the folder `shared`, with `STARTED` beside it."""
    home = shared / "service"
    with hold(shared / "service.lock", lambda: None):
        if not (home / STARTED).exists():
            shutil.rmtree(home, ignore_errors=True)  # of a process that was killed
            home.mkdir()
            _start(home, copy_checkout(home / "checkout"))
    return home / "checkout"


def _start(home: Path, checkout: Path) -> None:
    folder = home / "first"
    folder.mkdir()
    made = Installation(folder, checkout, new=True)
    reports = made.state / "reports"
    reports.mkdir(parents=True)
    (reports / "2026-01-01T000000Z.txt").write_text("an earlier night\n")  # so none is started
    try:
        process = made.start(once=False)
        up = "the service is up"
        until(lambda: up in made.said() or process.poll() is not None, made.said)
        assert up in made.said(), made.said()
        process.send_signal(signal.SIGTERM)
        status, said = made.finish(process)
        assert status == 0, said
    finally:
        made.end()
    for name in OWN:
        path = made.state / name
        path.unlink() if path.is_file() else shutil.rmtree(path)
    # A test's database need not survive a power cut.
    with (made.state / "postgres" / "data" / "postgresql.auto.conf").open("a") as settings:
        settings.write("fsync = off\nfull_page_writes = off\n")
    made.state.rename(home / STARTED)
