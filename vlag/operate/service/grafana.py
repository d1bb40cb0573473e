# SPDX-License-Identifier: GPL-2.0-only
"""Grafana beside the service, if it is installed: provisioned, for this machine only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from vlag import ROOT
from vlag.buildbot import PAGES
from vlag.config import Alerts, Settings
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError, blame_program
from vlag.store.database import connect

#: Folders of Grafana's pages in its packages and archives, relative to its program.
_HOMES = ("/usr/share/grafana", "..")


@frozen(kw_only=True)
class Grafana:
    """A Grafana that is ready to start."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    url: str


def program() -> Path | None:
    """Return Grafana's server program, or None if it is not installed."""
    path = shutil.which("grafana") or shutil.which("grafana-server")
    return None if path is None else Path(path).resolve()


def least(catalogue: Catalogue, thresholds: Alerts, *, latency: bool) -> float:
    """Return the least threshold of an alert on any type of board, a share."""
    limits = [
        thresholds.limit(latency=latency, relevance=metric.relevance_on(board), board=board)
        for benchmark in catalogue.benchmarks.values()
        for metric in benchmark.metrics
        for board in catalogue.board_types.values()
        if catalogue.runs_on(benchmark.name, board.name)
    ]
    return min(limits, default=thresholds.limit(latency=latency, relevance=None, board=None))


def prepare(settings: Settings, executable: Path, password: Path, url: str) -> Grafana:
    """Write the files that Grafana, whose program is `found`, reads at its start.

    `password` is a file with its administrator's password, `url` the address of Buildbot's
    pages.  Raises UsageError for settings that Grafana refuses.
    """
    folder = settings.state / "grafana"
    with connect(settings.reader_dsn()) as conn:
        info = conn.info  # resolved by libpq, with the password
        reader = {
            "postgresql": f"{info.host}:{info.port}",
            "database": info.dbname,
            "user": info.user,
            "password": info.password,
        }
    owners = {} if settings.mail is None else settings.mail.owners
    given = {
        **reader,
        "channel": settings.alerts.channel,
        # An alert is open by the threshold of its board; Grafana's is the least of all.
        "throughput": least(catalogues.of(settings), settings.alerts, latency=False),
        "latency": least(catalogues.of(settings), settings.alerts, latency=True),
        "owners": owners,
        "mail": list(dict.fromkeys(a for group in owners.values() for a in group)),
        "port": settings.grafana_port,
        "addresses": {"web": f"{url}{PAGES}"},
    }
    # A program of its own: the package of the dashboards is of the checkout, not of vlag.
    done = subprocess.run(
        [sys.executable, "-m", "dashboards.provision", folder],
        cwd=ROOT, input=json.dumps(given, default=list),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        message = done.stderr.strip().removeprefix("vlag: ")
        raise blame_program(done.returncode, message, message or "no dashboards were written")
    environment = json.loads(done.stdout)
    environment["GF_SECURITY_ADMIN_PASSWORD__FILE"] = str(password)
    if settings.mail is not None:
        environment |= {
            "GF_SMTP_ENABLED": "true",
            "GF_SMTP_HOST": f"{settings.mail.host}:{settings.mail.port}",
            "GF_SMTP_FROM_ADDRESS": settings.mail.sender,
        }
    homes = (os.path.normpath(executable.parent / home) for home in _HOMES)
    home = next((h for h in homes if Path(h, "public").is_dir()), None)
    if home is None:
        raise UsageError(
            f"{executable}: its folder `public` is neither beside it nor in {_HOMES[0]}"
        )
    server = ("server",) if executable.name == "grafana" else ()
    return Grafana(
        argv=(str(executable), *server, "--homepath", home),
        environment=environment,
        folder=folder,
        url=f"http://127.0.0.1:{environment['GF_SERVER_HTTP_PORT']}/",
    )
