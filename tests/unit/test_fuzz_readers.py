# SPDX-License-Identifier: GPL-2.0-only
"""Readers of outside input against their corpus, and against mutations of it.

`python -m tests.fuzz` looks for more, guided by coverage; what it finds goes to tests/data/fuzz.
"""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings

from tests.fuzz.mutants import mutants
from tests.fuzz.readers import DATA, READERS, check, corpus
from vlag.errors import UsageError

#: They take whatever a board says, and never refuse it.
ANYTHING = {"console", "environment", "lava-log"}
#: Tried of each reader; the command tries a million.
TRIED = 20


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL + 1)


def tried(name: str, count: int = TRIED) -> list[bool]:
    """Return whether each of some mutants of a reader's corpus was accepted; always the same."""
    accepted: list[bool] = []

    @settings(
        max_examples=count,
        deadline=5000,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(mutants([path.read_bytes() for path in corpus(name)], ("flip",)))
    def one(data: bytes) -> None:
        accepted.append(check(name, data))

    one()
    return accepted


@pytest.mark.parametrize("name", READERS)
def test_the_corpus_and_its_mutants_are_read_or_refused_in_a_sentence(name: str) -> None:
    accepted = [check(name, path.read_bytes()) for path in corpus(name)]
    assert True in accepted, "nothing in the corpus is accepted"
    accepted += tried(name)
    # A harness that only ever sees refusals, or none, would prove nothing.
    assert set(accepted) == ({True} if name in ANYTHING else {True, False})


def test_every_corpus_has_its_reader() -> None:
    assert {path.name for path in DATA.iterdir()} <= set(READERS)


@pytest.mark.parametrize("fault", [KeyError("x"), UsageError("two\nlines"), AssertionError])
def test_a_fault_is_found(
    fault: Exception | type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control."""

    def read(data: bytes) -> None:
        if b"GNTLE" in data or not data.startswith(b"== uname\nLinux"):
            raise fault

    monkeypatch.setitem(READERS, "environment", evolve(READERS["environment"], read=read))
    with pytest.raises((KeyError, AssertionError)):
        tried("environment")


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("http", "query-of-latin-1.txt"),
        ("plan", "list.yaml"),
        ("mbox", "empty.mbox"),
        ("series", "empty-path.patch"),
    ],
)
def test_what_was_a_fault_stays_in_the_corpus(name: str, path: str) -> None:
    assert DATA / name / path in corpus(name)
    assert Path(DATA / name / path).is_file()
