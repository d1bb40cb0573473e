# SPDX-License-Identifier: GPL-2.0-only
"""The mail of a planted regression is the one that the documentation shows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.integration.nights import Nights, settings
from tests.integration.planted_night import PAGE, newest_mail, planted_night, shown
from vlag.config.catalogue import Catalogue
from vlag.report.conclusion import conclusion
from vlag.report.read_model import overview
from vlag.store.database import Connection


@pytest.fixture
def told(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Callable[[float], str]:
    def tell(factor: float) -> str:
        made = settings(tmp_path)
        planted_night(
            Nights(conn=conn, catalogue=catalogue, folder=tmp_path, settings=made), factor
        )
        return newest_mail(conn)

    return tell


def test_the_documented_mail_is_the_one_that_is_sent(
    told: Callable[[float], str], conn: Connection
) -> None:
    sent = told(0.94)
    assert sent == shown(), "run `python -m bench.pictures --example`, and read what it changes"
    # Its first paragraph is the sentence of the page and of the picture.
    now = datetime(2026, 3, 2, 4, tzinfo=UTC)
    sentence = f"{conclusion(overview(conn), now).sentence}."
    sentence = " ".join(sentence.split())
    assert " ".join(sent.split("\n\n")[1].split()) == sentence
    assert sentence in " ".join(PAGE.read_text(encoding="utf-8").replace("> ", "").split())


def test_another_regression_has_another_mail(told: Callable[[float], str]) -> None:
    sent = told(0.9)
    assert sent != shown()
    assert "by 10.0 % on qemu-sim-2" in " ".join(sent.split())


def test_without_a_regression_the_mail_says_so(told: Callable[[float], str]) -> None:
    sent = told(1.0)
    assert "1 regression" not in sent
    assert sent.split("\n\n")[1].startswith("No: debian/linux-6.12 is not worse")
