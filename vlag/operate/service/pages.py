# SPDX-License-Identifier: GPL-2.0-only
"""The process of the pages: before the master at each start, and while that is away."""

from __future__ import annotations

import sys

import requests

from vlag import ROOT
from vlag.buildbot import bracketed
from vlag.config import Settings
from vlag.operate.service import master
from vlag.operate.service.processes import Processes
from vlag.ownership import make_folder

NAME = "pages"
#: Seconds in which the pages say whether they reach the database.
_ANSWER_S = 10


def start(processes: Processes) -> None:
    """Start the pages, and again when they end."""
    folder = master.folder(processes.settings)
    make_folder(folder)
    argv = [sys.executable, "-m", "master.front", str(folder)]
    processes.keep(NAME, lambda: processes.start(NAME, ROOT, argv, "TERM"))


def renew(processes: Processes) -> None:
    """Start the pages anew where they hang."""
    if NAME in processes.running and hang(processes.settings):
        processes.forget(NAME)
        start(processes)


def hang(settings: Settings) -> bool:
    """Return whether the pages take a question and do not answer, whatever the database does."""
    where = f"http://{bracketed(settings.web_host)}:{settings.web_port}/healthz"
    try:
        with requests.Session() as session:
            session.trust_env = False  # no proxy stands between us and ourselves
            session.get(where, timeout=_ANSWER_S)
    except requests.ReadTimeout:
        return True
    except requests.RequestException:  # they start
        return False
    return False
