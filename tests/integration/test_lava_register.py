# SPDX-License-Identifier: GPL-2.0-only
"""What the role lava_server tells a LAVA server of, in LAVA's own tables on a real PostgreSQL."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.integration.lava_tables import Server, template

ASKED: dict[str, Any] = {
    "boards": [
        {"hostname": "a-1", "device_type": "qemu-sim-2", "worker": "reach", "tags": ["a-1", "x"]},
        {"hostname": "b-1", "device_type": "qemu-sim-2", "worker": "reach", "tags": ["b-1"]},
    ],
    "workers": {"reach": "1" * 32},
    "users": [{"name": "admin", "password": "first"}, {"name": "vlag", "token": "2" * 64}],
}


@pytest.fixture
def server(cluster: str, session_folder: Path) -> Iterator[Server]:
    tables = template(cluster, session_folder)
    with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE lava_register TEMPLATE {tables}".encode())
    yield Server(f"{cluster} dbname=lava_register")
    with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
        conn.execute(b"DROP DATABASE lava_register WITH (FORCE)")


def test_what_is_asked_for_is_registered_once_and_follows_changes(server: Server) -> None:
    # --check says what would be, and leaves all as it is.
    said = server.register(ASKED, "--check")
    assert "device a-1: made" in said
    assert server.devices() == {}
    assert server.register(ASKED) == said
    assert server.register(ASKED) == []
    assert sorted(server.devices()) == ["a-1", "b-1"]
    tags = "SELECT device_id, tag_id FROM lava_scheduler_app_device_tags"
    assert len(server.rows(tags)) == 3

    asked = copy.deepcopy(ASKED)
    asked["users"][1]["token"] = "3" * 64
    asked["workers"]["reach"] = "4" * 32
    asked["users"][0]["password"] = "second"  # noqa: S105 - nobody's
    del asked["boards"][0]
    assert server.register(asked) == [
        "user admin: a new password",
        "user vlag: the old token is gone",
        "user vlag: a new token",
        "worker reach: a new token",
        "device a-1: retired",
    ]
    assert server.register(asked) == []
    assert server.rows("SELECT secret FROM linaro_django_xmlrpc_authtoken") == [("3" * 64,)]
    assert server.rows("SELECT hostname, token FROM lava_scheduler_app_worker"
                       " WHERE hostname = 'reach'") == [("reach", "4" * 32)]  # fmt: skip
    healths = server.devices()
    assert healths["a-1"] != healths["b-1"]
    assert "device a-1: is back" in server.register(ASKED)


def test_what_is_somebody_elses_stays(server: Server) -> None:
    server.register(ASKED)
    server.execute(
        "UPDATE lava_scheduler_app_device SET description = 'mine' WHERE hostname = 'a-1'"
    )
    asked = {**ASKED, "boards": ASKED["boards"][1:]}
    before = server.devices()
    assert server.register(asked) == []
    assert server.devices() == before
