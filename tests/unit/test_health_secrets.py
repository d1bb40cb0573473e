# SPDX-License-Identifier: GPL-2.0-only
"""`vlag health master` names each secret that is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from vlag import ROOT, config
from vlag.errors import InfrastructureError
from vlag.operate.service import health

SETTINGS = """
[mail]
smtp = "127.0.0.1:25"
from = "vlag@example.org"
user = "vlag"
password_file = "mail"
[mail.owners]
"debian/linux-6.12" = ["kim@example.org"]
[labs.home]
url = "http://127.0.0.1:1"
token_file = "token"
artifacts = "http://127.0.0.1:2"
callback = "http://127.0.0.1:3"
[webhook]
url = "https://chat.example.org/hook"
secret_file = "webhook"
"""


def test_each_secret_that_is_gone_is_named_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "vlag.toml"
    path.write_text((ROOT / "vlag.toml").read_text() + SETTINGS)
    here = config.load(path)
    secrets = here.state / "secrets"
    secrets.mkdir(parents=True)
    files = {
        secrets / "pgpass": "restart the service", secrets / "callback": "restart the service",
        secrets / "control": "restart the service", secrets / "worker": "restart the service",
        secrets / "push-hook": "restart the service",
        tmp_path / "mail": r"\[mail\] password_file names it",
        tmp_path / "webhook": r"\[webhook\] secret_file names it",
    }  # fmt: skip
    for file in files:
        file.touch()
    health._secrets(here)
    for file, remedy in files.items():
        file.unlink()
        with pytest.raises(InfrastructureError, match=f"{file}: this secret is missing.*{remedy}"):
            health._secrets(here)
        file.touch()
