# SPDX-License-Identifier: GPL-2.0-only
"""A lab's server whose certificate an authority of its own has signed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.http_stand_in import Answer, served
from tests.integration import certificates
from vlag.errors import UsageError
from vlag.lava.lab_settings import Lab
from vlag.lava.rest import NoAnswerError
from vlag.lava.server import Client

_NO_DEVICE = Answer(
    headers={"Content-Type": "application/json"},
    body=json.dumps({"count": 0, "next": None, "previous": None, "results": []}).encode(),
)


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    certificate, key = certificates.write(tmp_path, ended=False)
    with served(lambda _: _NO_DEVICE, (certificate, key)) as there:
        yield there.url


def client(folder: Path, url: str, ca: Path | None) -> Client:
    (folder / "token").write_text("t0k3n\n")
    return Client(Lab(name="home", url=url, token_file=folder / "token", ca=ca, artifacts=""))


@pytest.fixture(autouse=True)
def without_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


def test_its_authority_is_taken_from_the_settings(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client(tmp_path, url, tmp_path / "server.crt").devices() == []
    # Also where a variable names the machine's.
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/etc/ssl/certs/ca-certificates.crt")
    assert client(tmp_path, url, tmp_path / "server.crt").devices() == []


def test_without_it_the_message_names_the_key(tmp_path: Path, url: str) -> None:
    with pytest.raises(NoAnswerError) as refused:
        client(tmp_path, url, None).devices()
    assert "certificate verify failed" in str(refused.value)
    assert str(refused.value).endswith("; ca under [labs.home] names another authority")


@pytest.mark.parametrize(
    ("text", "why"), [(None, "cannot be read"), ("no\n", "has no certificate in PEM format")]
)
def test_a_file_that_is_none_is_a_persons_fault(
    tmp_path: Path, url: str, text: str | None, why: str
) -> None:
    ca = tmp_path / "ca.pem"
    if text is not None:
        ca.write_text(text)
    with pytest.raises(UsageError) as refused:
        client(tmp_path, url, ca).devices()
    assert str(refused.value).startswith(f"{ca}: {why}")
    assert str(refused.value).endswith("; ca under [labs.home] names the file")
