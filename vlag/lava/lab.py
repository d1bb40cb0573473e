# SPDX-License-Identifier: GPL-2.0-only
"""Run one job on a LAVA server, with the interface of `vlag.lava.local`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import define

from vlag.errors import InfrastructureError, UsageError, VlagError
from vlag.lava.job import JobResult, Log, stoppable
from vlag.lava.lab_settings import Lab
from vlag.lava.rest import NoAnswerError
from vlag.lava.server import WAITING, Client, Device, Job, VanishedError, Worker

#: Seconds between two polls of a job: short at first and while it prints, so that a short
#: job ends without a wait, and long while it is silent.
_FIRST_S = 1.0
_LONGEST_S = 10.0
_SLOWER = 1.5
#: Seconds that a lab may be unreachable while a job runs: a reboot of the server, an
#: upgrade.  The job goes on, and its key finds it again even later.
PATIENCE_S = 900.0


class LostError(InfrastructureError):
    """A lab did not answer for so long that nobody waits for it here; its job may go on."""


class CancelledError(InfrastructureError):
    """Somebody has cancelled a job in LAVA: nobody but a person runs it again."""


def run(
    lab: Lab,
    definition: str,
    key: str,
    *,
    folder: Path,
    on_line: Callable[[str], None],
    queue_limit_s: float,
    limit_s: float,
    patience_s: float = PATIENCE_S,
) -> JobResult:
    """Submit a job, or find the one with that key, follow it to its end; keep its log.

    The log is kept as `folder`/lava.log.gz; `on_line` is called with each line of the
    console as it comes.  The job is cancelled if it has no board after `queue_limit_s`
    seconds, if it has not ended `limit_s` seconds after it began, and if this process is
    stopped (SIGTERM, Ctrl-C).  Raises InfrastructureError for that and for LAVA's own
    faults, LostError where the job may go on, and what `Client.submit` raises.
    """
    client = Client(lab)
    log = Log(on_line)
    with stoppable():
        try:
            numbers = client.submit(definition, key)
            if len(numbers) != 1:
                raise UsageError(
                    f"job {key} needs {len(numbers)} boards at once; this runs jobs of one board"
                )
            watch = _Watch(
                client=client,
                key=key,
                number=numbers[0],
                queue_limit_s=queue_limit_s,
                limit_s=limit_s,
                patience_s=patience_s,
            )
            return _result(client, watch.follow(log), log)
        except (KeyboardInterrupt, SystemExit):
            _abandon(client, key)
            raise
        finally:
            if log.lines:
                log.keep(folder)


def collect(
    lab: Lab, number: int, *, folder: Path, key: str | None = None, token: str | None = None
) -> JobResult:
    """Return the result of a job that has ended; keep its log as `folder`/lava.log.gz.

    `key` and `token` are those that it was submitted with.  A log without the token is another
    job's, whatever number it has: the dispatcher writes into it which files it fetches, and their
    addresses have the token.  Raises VanishedError for another job's number or log,
    CancelledError, InfrastructureError if it has not ended, and for LAVA's own faults.
    """
    client = Client(lab)
    job = client.job(number, key, token)
    if job.state != "Finished":
        raise InfrastructureError(f"{_name(client, job)} has not ended yet; it is {job.state}")
    log = Log(lambda _: None)
    for line in client.log(number):
        log.add(line)
    log.keep(folder)
    result = _result(client, job, log)
    if token is not None and not any(token in line for line in log.lines):
        raise VanishedError(
            f"{_name(client, job)} has a log that is not of the job that was submitted: it fetched"
            " none of its files"
        )
    return result


@define(kw_only=True)
class _Watch:
    """Follows one job."""

    client: Client
    key: str
    number: int
    queue_limit_s: float
    limit_s: float
    patience_s: float

    def follow(self, log: Log) -> Job:
        """Read the log as it comes until the job has ended; return the job."""
        since, waiting, pause_s = time.monotonic(), True, _FIRST_S
        lost: float | None = None
        while True:
            try:
                job = self.client.job(self.number, self.key)
                # Ask for the state first: the log of a job that has ended is complete.
                lines = self.client.log(self.number, len(log.lines))
                if lost is not None:
                    since, lost = since + time.monotonic() - lost, None  # the lab did not answer
                for line in lines:
                    log.add(line)
                if job.state == "Finished":
                    return job
                if waiting and job.state not in WAITING:
                    since, waiting = time.monotonic(), False
                self._check(job, waiting, time.monotonic() - since)
            except NoAnswerError as e:
                lines, lost = [], self._lost(e, lost)
            pause_s = _FIRST_S if lines else min(pause_s * _SLOWER, _LONGEST_S)
            time.sleep(pause_s)

    def _lost(self, error: NoAnswerError, since: float | None) -> float:
        now = time.monotonic()
        since = now if since is None else since
        if now - since > self.patience_s:
            raise LostError(
                f"{error}; waited for it for {self.patience_s:.0f} s. Job {self.number} may go on:"
                " the same command finds it again"
            ) from error
        return since

    def _check(self, job: Job, waiting: bool, seconds: float) -> None:
        if waiting and seconds > self.queue_limit_s:
            why = waits_for(job, self.client.queue(), self.client.devices(), self.client.workers())
            self.client.cancel(job.id, self.key)
            raise InfrastructureError(
                f"{_name(self.client, job)} had no board after {self.queue_limit_s:.0f} s and is"
                f" cancelled: {why}"
            )
        if not waiting and seconds > self.limit_s:
            self.client.cancel(job.id, self.key)
            raise InfrastructureError(
                f"{_name(self.client, job)} did not end within {self.limit_s:.0f} s on {job.board}"
                " and is cancelled"
            )


def board_gone(client: Client, job: Job) -> str | None:
    """Return why a job never began on the one board that its tags ask for; None: it may, or did.

    It waits or was cancelled, and the lab gives that board no jobs.
    """
    never = job.state in WAITING if job.health == "Unknown" else job.health == "Canceled"
    if not never or job.started_at is not None or not job.tags:
        return None
    fit = [
        d for d in client.devices()
        if d.board_type == job.board_type and set(job.tags) <= set(d.tags)
    ]  # fmt: skip
    if any(d.usable for d in fit):
        return None
    why = ", ".join(f"{d.name} is in health {d.health}" for d in fit)
    return f"{_name(client, job)} never began: {why or 'the lab no longer has its board'}"


def waits_for(
    job: Job, queue: Sequence[Job], devices: Sequence[Device], workers: Sequence[Worker]
) -> str:
    """Return a job's place in its board type's queue, and the state of each board."""
    if job.board is not None:
        worker = next((d.worker for d in devices if d.name == job.board), None)
        known = next((w for w in workers if w.name == worker), None)
        state = "online" if known and known.online else "offline"
        return f"{job.board} is reserved, but its dispatcher {worker} ({state}) does not start it"
    line = [j.id for j in queue if j.board_type == job.board_type and j.board is None]
    # It may have got a board between two requests.
    place = line.index(job.id) + 1 if job.id in line else 1
    online = {w.name for w in workers if w.online and w.health == "Active"}
    runs = {j.board: j for j in queue}
    boards = []
    for d in devices:
        if d.board_type != job.board_type or not set(job.tags) <= set(d.tags):
            continue
        if not d.usable:
            boards.append(f"{d.name} is in health {d.health}")
        elif d.worker not in online:
            boards.append(f"{d.name}'s dispatcher {d.worker} is offline or in maintenance")
        elif d.name in runs:
            boards.append(f"{d.name} is busy with job {runs[d.name].id} ({runs[d.name].name})")
        elif d.state != "Idle":
            boards.append(f"{d.name} is {d.state.lower()}")
        else:
            boards.append(f"{d.name} is idle")
    return (
        f"place {place} of {max(len(line), place)} for board type {job.board_type}; "
        + "; ".join(boards or ["it has no board"])
    )


def _result(client: Client, job: Job, log: Log) -> JobResult:
    who = _name(client, job)
    if job.health == "Canceled":
        where = f"on {job.board}" if job.board else "before it had a board"
        raise CancelledError(
            f"{who} was cancelled by somebody {where}; to run it again, ask for it again",
            retry=False,
        )
    return log.result(
        who,
        failed=job.health != "Complete",
        version=log.version or "unknown",
        device=job.board,
        comment=job.comment,
    )


def _name(client: Client, job: Job) -> str:
    return f"job {job.id} of lab {client.lab.name}"


def _abandon(client: Client, key: str) -> None:
    """Cancel the job of a key whose result nobody waits for."""
    try:
        for job in client.find(key):
            client.cancel(job.id, key)
    except VlagError as e:
        raise InfrastructureError(f"stopped, but {key} may still run: {e}") from e
