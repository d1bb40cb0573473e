# SPDX-License-Identifier: GPL-2.0-only
"""Who may control Buildbot where the settings name nobody: users of this machine, or no one."""

from __future__ import annotations

from pathlib import Path

import pytest

from master.rights import is_local
from vlag import ROOT, config

HERE = "http://127.0.0.1:8010/"


@pytest.mark.parametrize(
    ("listen", "url", "local"),
    [
        ("127.0.0.1", HERE, True),
        ("127.0.0.1", "http://localhost:8010/", True),
        ("::1", "http://[::1]:8010/", True),
        ("0.0.0.0", HERE, False),  # noqa: S104 - an open port
        ("::", HERE, False),
        ("127.0.0.1", "https://ci.example.org/", False),  # a proxy
        ("127.0.0.1", "", False),
    ],
)
def test_only_a_service_that_nobody_else_reaches_is_local(
    tmp_path: Path, listen: str, url: str, local: bool
) -> None:
    settings = tmp_path / "vlag.toml"
    text = (ROOT / "vlag.toml").read_text()
    settings.write_text(f'{text}\n[web]\nlisten = "{listen}"\n')
    assert is_local(config.load(settings), url) is local
