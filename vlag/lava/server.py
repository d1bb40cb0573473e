# SPDX-License-Identifier: GPL-2.0-only
"""Client of a LAVA server: its REST interface v0.2, as of LAVA 2023.01.

Every job that vlag submits carries a key, in its metadata and at the beginning of its
name.  The client looks for the key before it submits a job, so that a boot that is
requested twice, or a lost answer, is still one job.  It takes or cancels only a job whose
definition, read back, has the key.
"""

from __future__ import annotations

import csv
import datetime
import io
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from attrs import field, frozen

from vlag import notation
from vlag.errors import InfrastructureError, UsageError
from vlag.lava import answers
from vlag.lava.lab_settings import Lab
from vlag.lava.rest import NoAnswerError, OtherVerbError, Rest


class VanishedError(InfrastructureError):
    """The lab has no such job, or another one of its number: it was installed anew, say."""


#: Pauses before each search for a job whose submission was not answered: LAVA needs a
#: second or two to store it.
_AFTER_LOST_S = (0.5, 2.0, 5.0)
#: States of a job that has no board yet, or has not begun on it.
WAITING = ("Submitted", "Scheduling", "Scheduled")
#: Health of boards to which LAVA gives jobs; "Looping" runs health checks only.
USABLE = ("Good", "Unknown")
HEALTHS = ("Good", "Unknown", "Looping", "Bad", "Maintenance", "Retired")


@frozen(kw_only=True)
class Job:
    """One job on the server."""

    id: int
    state: str  # Submitted, Scheduling, Scheduled, Running, Canceling, Finished
    health: str  # Unknown, Complete, Incomplete, Canceled
    name: str
    board_type: str | None  # None: a multinode role without a board
    tags: tuple[str, ...]  # tags that the board must have
    board: str | None  # None: not scheduled
    priority: int  # 0 to 100, the highest goes first
    submitter: str
    submitted_at: datetime.datetime
    started_at: datetime.datetime | None
    ended_at: datetime.datetime | None
    comment: str | None  # LAVA's, on a failure that is not in the log
    group: str | None = None  # of a multinode job
    role: str | None = None
    definition: str = field(default="", repr=False)  # YAML, as LAVA keeps it

    def is_of(self, key: str, token: str | None = None) -> bool:
        """Return whether its own definition says that it is the job of a key, and of a token.

        Numbers and names prove nothing: a lab that was installed anew counts from 1 again, and
        another server may answer a search with whatever it has.
        """
        try:
            document = notation.read_yaml(self.definition)
        except notation.NotationError:
            return False
        metadata = document.get("metadata") if isinstance(document, dict) else None
        return (
            isinstance(metadata, dict)
            and metadata.get("vlag.key") == key
            and (token is None or metadata.get("vlag.token") == token)
        )


@frozen(kw_only=True)
class Device:
    """One board on the server."""

    name: str
    board_type: str
    state: str  # Idle, Reserved, Running
    health: str  # one of HEALTHS
    worker: str | None
    tags: tuple[str, ...]

    @property
    def usable(self) -> bool:
        """Return whether the server gives it jobs."""
        return self.health in USABLE


@frozen(kw_only=True)
class Worker:
    """One dispatcher."""

    name: str
    online: bool
    health: str  # Active, Maintenance, Retired
    version: str | None
    pinged_at: datetime.datetime


@frozen(kw_only=True)
class Result:
    """One result of a job on record in LAVA."""

    suite: str
    name: str
    result: str  # pass, fail, skip, unknown
    measurement: float | None
    units: str


class Client:
    """Talks to one server.

    Every method raises `vlag.lava.rest.NoAnswerError` if the server cannot be reached, and
    UsageError if it refuses the token or the token's user may not do what is asked.
    """

    def __init__(self, lab: Lab):
        self.lab = lab
        self._rest = Rest(
            name=lab.name,
            url=lab.url,
            token_file=lab.token_file,
            ca=lab.ca,
            answered=lab.answered,
        )
        self._who = self._rest.who
        self._tags: dict[int, str] = {}

    # Jobs

    def submit(self, definition: str, key: str) -> list[int]:
        """Submit a job (YAML) unless one with that key exists; return its id.

        A multinode job has one id for each of its boards.  A job that was cancelled
        does not count as existing.  Raises RejectedError if LAVA refuses the job,
        UsageError for an unknown board type or tag, InfrastructureError
        where no board of the type is in use at present.
        """
        document = _document(definition)
        name = f"vlag {key}: "
        if not re.fullmatch(r"[A-Za-z0-9_.-]{8,100}", key):
            raise UsageError(f"{key!r} is no key for a job: 8 to 100 plain characters")
        if not str(document.get("job_name", "")).startswith(name):
            document["job_name"] = f"{name}{document.get('job_name', '')}"[:200]  # LAVA's limit
        document["metadata"] = {**(document.get("metadata") or {}), "vlag.key": key}
        wanted = _wanted(document)
        count = sum(number for _, _, number in wanted)
        token = document["metadata"].get("vlag.token")
        known = self.find(key, token)
        if known:
            return self._whole(known, count, key)
        self._check_boards(wanted)
        body = {"definition": yaml.safe_dump(document, sort_keys=False, width=1000)}
        try:
            answer = self._rest.document("POST", "jobs/", body=body)
        except NoAnswerError:
            known = self._search_after_loss(key, token)
            if not known:
                raise
            return self._whole(known, count, key)
        ids = self._rest.read(answers.SUBMITTED, answer, "jobs/")["job_ids"]
        if len(ids) == 1 and count == 1 and re.fullmatch(r"\d{1,18}", str(ids[0])):
            return [int(ids[0])]
        # "12.0", "12.1": names of the parts, which no other request accepts.
        return self._whole(self.find(key, token), count, key)

    def find(self, key: str, token: str | None = None) -> list[Job]:
        """Return all parts of the oldest job with that key and token that was not cancelled."""
        rows = self._rest.rows("jobs/", description__startswith=f"vlag {key}: ", ordering="id")
        jobs = [self._job(row) for row in rows]
        jobs = [j for j in jobs if j.state != "Canceling" and j.health != "Canceled"]
        jobs = [j for j in jobs if j.is_of(key, token)]
        first = [j for j in jobs if j.group == jobs[0].group]
        return first if first and first[0].group else first[:1]

    def job(self, number: int, key: str | None = None, token: str | None = None) -> Job:
        """Return a job; VanishedError if the lab has none, or not the one of key and token."""
        job = self._job(
            self._rest.document("GET", f"jobs/{number}/", missing=self._vanished(number))
        )
        if key is not None and not job.is_of(key, token):
            raise VanishedError(
                f"{self._who} has another job {number} than the one that was submitted; was it"
                " installed anew?"
            )
        return job

    def log(self, number: int, start: int = 0) -> list[str]:
        """Return the lines of a job's log from line `start` on, each one record.

        Empty while there is nothing new; for their meaning see `vlag.lava.job.Log`.
        """
        answer = self._rest.call("GET", f"jobs/{number}/logs/", query={"start": start})
        if answer is None:  # LAVA's answer for an empty log
            return []
        # The last line may be incomplete.
        lines = answer.content.decode("utf-8", errors="replace").split("\n")[:-1]
        return [line.removeprefix("- ") for line in lines]

    def results(self, number: int) -> list[Result]:
        """Return the results of a job, those of LAVA's own steps (suite "lava") too."""
        answer = self._rest.call("GET", f"jobs/{number}/csv/", missing=self._vanished(number))
        assert answer is not None  # noqa: S101 - `missing` has raised
        answer.encoding = "utf-8"
        try:
            rows = list(csv.DictReader(io.StringIO(answer.text)))
        except csv.Error as e:
            raise NoAnswerError(f"{self._who} answers jobs/{number}/csv/ with no CSV: {e}") from e
        read = [self._rest.read(answers.RESULT, row, f"jobs/{number}/csv/") for row in rows]
        return [
            Result(
                suite=row["suite"],
                name=row["name"],
                result=row["result"],
                measurement=row["measurement"],
                units=row["unit"],
            )
            for row in read
        ]

    def cancel(self, number: int, key: str) -> None:
        """Cancel the job of a key, a multinode job with all its parts; ignore one that has ended.

        Raises VanishedError for another job, which goes on.
        """
        self.job(number, key)  # LAVA answers with an error page for a job it does not have
        path = f"jobs/{number}/cancel/"
        try:
            # A GET that changes something, as LAVA 2023.01 defines it; 2026.10 takes none.
            self._rest.document("GET", path)
        except OtherVerbError:
            self._rest.document("POST", path)

    def validate(self, definition: str) -> str | None:
        """Return the error of a job by LAVA's own schema, or None."""
        try:
            _document(definition)
        except UsageError as e:
            return str(e)
        answer = self._rest.document("POST", "jobs/validate/", body={"definition": definition})
        message = self._rest.read(answers.VALIDATED, answer, "jobs/validate/")["message"]
        return None if message == "Job valid." else message.removeprefix("Job invalid: ")

    def queue(self) -> list[Job]:
        """Return the jobs that wait or run, in the order in which LAVA takes them."""
        states = ",".join([*WAITING, "Running", "Canceling"])
        jobs = [self._job(row) for row in self._rest.rows("jobs/", state__in=states, ordering="id")]
        return sorted(jobs, key=lambda j: (j.state in WAITING, -j.priority, j.submitted_at, j.id))

    # Boards and dispatchers

    def devices(self) -> list[Device]:
        """Return all boards, retired ones too."""
        return [
            self._device(row)
            for row in self._rest.rows("devices/", all="true", ordering="hostname")
        ]

    def device(self, name: str) -> Device:
        """Return a board; UsageError if the server does not have it."""
        row = self._rest.document(
            "GET", f"devices/{name}/", query={"all": "true"}, missing=self._no_board(name)
        )
        return self._device(row)

    def set_device_health(self, name: str, health: str, reason: str) -> None:
        """Set a board's health, one of HEALTHS; the reason goes into LAVA's own record.

        The token's user needs LAVA's permissions to change a device and to add one.
        """
        if health not in HEALTHS:
            raise UsageError(
                f"{health!r} is not a health of a board; there are {', '.join(HEALTHS)}"
            )
        self._rest.document(
            "POST",
            f"devices/{name}/set_health/?all=true",
            body={"health": health, "reason": reason},
            missing=self._no_board(name),
        )

    def workers(self) -> list[Worker]:
        """Return all dispatchers."""
        rows = self._rest.rows("workers/", ordering="hostname")
        read = [self._rest.read(answers.WORKER, row, "workers/") for row in rows]
        return [
            Worker(
                name=row["hostname"],
                online=row["state"] == "Online",
                health=row["health"],
                version=row["version"],
                pinged_at=row["last_ping"],
            )
            for row in read
        ]

    def server_version(self) -> str:
        """Return LAVA's version."""
        path = "system/version/"
        answer = self._rest.document("GET", path)
        return str(self._rest.read(answers.VERSION, answer, path)["version"])

    # Internals

    def _vanished(self, number: int) -> VanishedError:
        return VanishedError(
            f"{self._who} has no job {number} (any more), or the token's user may not see it"
        )

    def _no_board(self, name: str) -> UsageError:
        return UsageError(f"{self._who} has no board {name}")

    def _search_after_loss(self, key: str, token: str | None) -> list[Job]:
        for pause_s in _AFTER_LOST_S:
            time.sleep(pause_s)
            try:
                known = self.find(key, token)
            except NoAnswerError:
                continue
            if known:
                return known
        return []

    def _whole(self, jobs: Sequence[Job], count: int, key: str) -> list[int]:
        """Return the ids; cancel a multinode job of which LAVA made only some parts."""
        if len(jobs) != count:
            for job in jobs:
                self.cancel(job.id, key)
            raise InfrastructureError(
                f"{self._who} made {len(jobs)} of the {count} parts of the job {key}; they are"
                " cancelled"
            )
        return [job.id for job in jobs]

    def _check_boards(self, wanted: Sequence[tuple[str, tuple[str, ...], int]]) -> None:
        """Raise for jobs that LAVA would refuse without a reason, or queue for ever."""
        devices = self.devices()
        for board_type, tags, number in wanted:
            of_type = [d for d in devices if d.board_type == board_type]
            if not of_type:
                have = ", ".join(sorted({d.board_type for d in devices})) or "none"
                raise UsageError(
                    f"{self._who} has no board of type {board_type}; types it has boards of: {have}"
                )
            fit = [d for d in of_type if set(tags) <= set(d.tags)]
            if not fit:
                raise UsageError(
                    f"{self._who}: no board of type {board_type} has the tags {', '.join(tags)};"
                    f" boards: {', '.join(d.name for d in of_type)}"
                )
            out = ", ".join(f"{d.name} ({d.health})" for d in fit if not d.usable) or "none is out"
            if len([d for d in fit if d.health != "Retired"]) < number:
                raise UsageError(
                    f"{self._who} has fewer than {number} boards of type {board_type} in service"
                    f" that fit this job: {out}"
                )
            if len([d for d in fit if d.health in (*USABLE, "Looping")]) < number:
                raise InfrastructureError(
                    f"{self._who} gives no jobs at present to boards of type {board_type} that fit"
                    f" this job: {out}"
                )

    def _named(self, tags: Sequence[int]) -> tuple[str, ...]:
        if not self._tags.keys() >= set(tags):
            rows = self._rest.rows("tags/", ordering="id")
            read = [self._rest.read(answers.TAG, row, "tags/") for row in rows]
            self._tags = {row["id"]: row["name"] for row in read}
        return tuple(self._tags.get(number, str(number)) for number in tags)

    def _job(self, answer: Mapping[str, Any]) -> Job:
        row = self._rest.read(answers.JOB, answer, "jobs/")
        node: dict[str, Any] = {}
        if row["multinode_definition"]:
            node = self._rest.read(answers.MULTINODE, answer, "jobs/")["definition"]
        return Job(
            id=row["id"],
            state=row["state"],
            health=row["health"],
            name=row["description"] or "",
            board_type=row["requested_device_type"],
            tags=self._named(row["tags"]),
            board=row["actual_device"],
            priority=row["priority"],
            submitter=row["submitter"],
            submitted_at=row["submit_time"],
            started_at=row["start_time"],
            ended_at=row["end_time"],
            comment=row["failure_comment"] or None,
            group=node.get("target_group"),
            role=node.get("role"),
            definition=row["multinode_definition"] or row["definition"] or "",
        )

    def _device(self, answer: Mapping[str, Any]) -> Device:
        row = self._rest.read(answers.DEVICE, answer, "devices/")
        return Device(
            name=row["hostname"],
            board_type=row["device_type"],
            state=row["state"],
            health=row["health"],
            worker=row["worker_host"],
            tags=self._named(row["tags"]),
        )


def _document(definition: str) -> dict[str, Any]:
    """Read a job; UsageError names the line with the YAML error."""
    try:
        document = notation.read_yaml(definition)
    except notation.NotationError as e:
        where = "" if e.line is None else f", line {e.line}"
        raise UsageError(f"the job is not valid YAML{where}: {e}") from None
    if not isinstance(document, dict):
        raise UsageError("the job is not a mapping of keys to values")
    return document


def _wanted(document: Mapping[str, Any]) -> list[tuple[str, tuple[str, ...], int]]:
    """Return board type, tags and number of boards of each role of a job."""
    roles = (document.get("protocols") or {}).get("lava-multinode", {}).get("roles")
    parts = roles.values() if isinstance(roles, dict) else [{**document, "count": 1}]
    return [
        (str(p.get("device_type")), tuple(p.get("tags") or ()), int(p.get("count", 1)))
        for p in parts
        if "connection" not in p  # a role that runs on the board of another role
    ]
