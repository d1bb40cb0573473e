# SPDX-License-Identifier: GPL-2.0-only
"""What a farm's playbook can see at once is refused before a host is changed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration import certificates
from tests.unit import inventories
from vlag import ROOT

#: Nobody listens there: a farm without a fault gets as far as its hosts.
NOWHERE = {"ansible_host": "127.0.0.1", "ansible_port": 1, "vlag_state_shared": True}
TLS = {"tls": {"certificate": "tls/server.crt", "key": "tls/server.key"}}
LAVA = {**TLS, "lava_server_listen": "192.0.2.105"}


@pytest.mark.parametrize(
    ("group", "ended", "given", "words"),
    [
        ("database", True, TLS, "tls.certificate has ended: renew it"),
        ("database", False, {}, "db-1: the key tls is missing"),
        ("database", False, TLS, None),
        ("lava_servers", False, TLS, "where other hosts' dispatchers cannot reach it"),
        ("lava_servers", False, LAVA, None),
    ],
)
def test_a_fault_is_refused_before_a_host_is_changed(
    tmp_path: Path, group: str, ended: bool, given: dict[str, Any], words: str | None
) -> None:
    farm, tls = tmp_path / "farm.yml", tmp_path / "tls"
    shutil.copy(inventories.EXAMPLE, farm)
    assert inventories.run("secrets", farm).exit_code == 0
    tls.mkdir()
    certificate, _key = certificates.write(tls, ended=ended)
    shutil.copy(certificate, tls / "ca.crt")
    asked = {**NOWHERE, **given}
    done = subprocess.run(
        [Path(sys.executable).with_name("ansible-playbook"), "-i", farm, "preflight.yml",
         "--limit", group, "-e", json.dumps(asked)],
        capture_output=True, text=True, check=False, cwd=ROOT / "ansible",
    )  # fmt: skip
    printed = " ".join((done.stdout + done.stderr).split())
    if words is not None:
        assert words in printed, printed
    assert ("UNREACHABLE!" in printed) is (words is None), printed
    assert "changed=1" not in printed
