# SPDX-License-Identifier: GPL-2.0-only
"""A real LAVA for tests: users, dispatchers, device types, devices, and its REST interface.

    with running(cluster, folder) as lava:
        lava.add_type("guest", GUEST_TYPE)
        lava.add_device("g1", "guest")
        lab = lava.lab()                 # what vlag.lava.server.Client takes
        lava.kill("scheduler"); lava.start("scheduler")

Its processes are in `lava_processes`, its tables in `lava_tables`, boards that need no kernel in
`lava_guests`.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import requests

from tests.integration.lava_processes import Processes
from tests.integration.lava_tables import template
from vlag.lava.lab_settings import Lab

WORKER = "dispatcher1"
_NUMBERS = count()


class Lava(Processes):
    """One LAVA, and whoever sets it up; `running` makes and ends it."""

    def __init__(self, folder: Path, dsn: str):
        super().__init__(folder, dsn)
        self.token = self.add_user("admin", superuser=True)
        self.add_dispatcher("worker", WORKER)

    def lab(self, *, token: str | None = None, url: str | None = None) -> Lab:
        """Return the lab as vlag knows it, with the admin's token or another."""
        file = self.folder / f"token-{next(_NUMBERS)}"
        file.touch(mode=0o600)
        file.write_text((self.token if token is None else token) + "\n")
        return Lab(name="home", url=url or self.url, token_file=file, artifacts="")

    def add_user(self, name: str, *, superuser: bool = False) -> str:
        """Make a user; return the user's token."""
        token = secrets.token_hex(32)
        self._sql(
            "WITH u AS (INSERT INTO auth_user (password, is_superuser, username, first_name,"
            " last_name, email, is_staff, is_active, date_joined)"
            " VALUES ('!', %s, %s, '', '', '', false, true, now()) RETURNING id)"
            " INSERT INTO linaro_django_xmlrpc_authtoken (secret, description, created_on, user_id)"
            " SELECT %s, '', now(), id FROM u",
            superuser,
            name,
            token,
        )
        return token

    def add_dispatcher(self, process: str, name: str) -> None:
        """Add a dispatcher; `start(process)` starts its worker."""
        # LAVA 2023.01 dies without it if its first job is cancelled early.
        (self.folder / process / "tmp").mkdir(parents=True, exist_ok=True)
        (self.folder / "etc" / "dispatcher.d" / f"{name}.yaml").write_text(
            "dispatcher_ip: 127.0.0.1\n"
        )
        self._sql(
            "INSERT INTO lava_scheduler_app_worker"
            " (hostname, health, state, last_ping, job_limit, token)"
            " VALUES (%s, 0, 1, 'epoch', 0, %s)",
            name,
            self._worker_token,
        )
        self._dispatchers[process] = name

    def add_type(self, name: str, template: str | None = None) -> None:
        """Add a device type; LAVA's own template where none is given."""
        if template is not None:
            self.write_template(name, template)
        self.rest("POST", "devicetypes/", {"name": name, "cores": [], "aliases": []})

    def write_template(self, name: str, template: str) -> None:
        """Write a device type's template, or one that others extend."""
        place = self.folder / "etc" / "dispatcher-config" / "device-types"
        (place / f"{name}.jinja2").write_text(template)

    def add_health_check(self, name: str, job: str) -> None:
        """Have LAVA run a job on each board of a type whose health it does not know."""
        place = self.folder / "etc" / "dispatcher-config" / "health-checks"
        (place / f"{name}.yaml").write_text(job)

    def add_device(
        self,
        name: str,
        device_type: str,
        dictionary: str | None = None,
        tags: Sequence[str] = (),
        dispatcher: str = WORKER,
    ) -> None:
        """Add a device of a dispatcher with its dictionary (Jinja2), tagged with its own name."""
        text = dictionary or f"{{% extends '{device_type}.jinja2' %}}\n"
        place = self.folder / "etc" / "dispatcher-config" / "devices"
        (place / f"{name}.jinja2").write_text(text)
        self.rest(
            "POST",
            "devices/",
            {
                "hostname": name,
                "device_type": device_type,
                "worker_host": dispatcher,
                "health": "Good",
                "tags": [self._tag(tag) for tag in dict.fromkeys((name, *tags))],
            },
        )

    def ask(
        self, verb: str, path: str, body: Mapping[str, Any] | None = None, *, token: str
    ) -> requests.Response:
        """Ask LAVA's REST interface as the token's user."""
        return requests.request(
            verb,
            f"{self.url}/api/v0.2/{path}",
            json=body,
            headers={"Authorization": f"Token {token}"},
            timeout=60,
        )

    def rest(self, verb: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Ask LAVA's REST interface as the admin."""
        answer = self.ask(verb, path, body, token=self.token)
        assert answer.ok, f"{verb} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json()

    def _tag(self, name: str) -> int:
        known = self.rest("GET", f"tags/?name={name}")["results"]
        tag = known[0] if known else self.rest("POST", "tags/", {"name": name})
        return int(tag["id"])


@contextlib.contextmanager
def running(cluster: str, folder: Path, shared: Path | None = None) -> Iterator[Lava]:
    """Run a LAVA in an empty folder, on a database of its own in that PostgreSQL cluster.

    `shared` is the folder of all processes of a test run.
    """
    name = f"lava_{next(_NUMBERS)}"
    made = template(cluster, shared or folder)
    with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {name} TEMPLATE {made}")
    lava = Lava(folder, f"{cluster} dbname={name}")
    try:
        lava.start()
        yield lava
    finally:
        lava.end()
        with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
            conn.execute(f"DROP DATABASE {name} WITH (FORCE)")
