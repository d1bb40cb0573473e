# SPDX-License-Identifier: GPL-2.0-only
"""Senders as processes of their own: ours, and one that notes a mail before it is sent.

They are forked from a server that has imported all they need: starting a hundred of them
from nothing would take minutes.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import smtplib
from collections.abc import Callable, Mapping
from multiprocessing.process import BaseProcess
from pathlib import Path

import psycopg

from vlag.cli.notify import notify
from vlag.notifications import channels, outbox  # noqa: F401 - loaded before the fork

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__])


def start(work: Callable[[], object], environment: Mapping[str, str], said: Path) -> BaseProcess:
    """Start a sender; what it says goes into a file."""
    process = FORKS.Process(target=_run, args=(work, dict(environment), said))
    process.start()
    return process


def _run(work: Callable[[], object], environment: Mapping[str, str], said: Path) -> None:
    os.environ.update(environment)
    with said.open("w") as f, contextlib.redirect_stdout(f), contextlib.redirect_stderr(f):
        work()


def ours() -> None:
    """`vlag notify send`."""
    notify(args=["send"], standalone_mode=True)


def hasty() -> None:
    """Note that a mail was sent, then send it."""
    with psycopg.connect(os.environ["VLAG_DATABASE"], autocommit=True) as conn:
        for to, body in conn.execute(
            "UPDATE message SET state = 'sent' WHERE state = 'queued' RETURNING recipient, body"
        ).fetchall():
            with smtplib.SMTP("127.0.0.1", int(os.environ["SMTP_PORT"])) as server:
                server.sendmail("vlag@test", to, body)
