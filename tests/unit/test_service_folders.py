"""Secrets of the service, made by whichever part comes first."""

from __future__ import annotations

import multiprocessing
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from vlag import ROOT, config
from vlag.operate.service import folders

PARTS, ROUNDS = 4, 8


def _read(settings: config.Settings, together: Barrier) -> list[str]:
    """Return each secret as this part has read it, right after it was made."""
    found = []
    for i in range(ROUNDS):
        together.wait(30)
        found.append(folders.make_secret(settings, f"secret-{i}").read_text())
    return found


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    text = (ROOT / "vlag.toml").read_text(encoding="utf-8")
    (tmp_path / "vlag.toml").write_text(text, encoding="utf-8")
    return config.load(tmp_path / "vlag.toml")


def test_parts_that_start_at_once_have_the_same_secrets(settings: config.Settings) -> None:
    folders.make_folders(settings.state)
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager, context.Pool(PARTS) as pool:
        together = manager.Barrier(PARTS)
        of_parts = pool.starmap(_read, [(settings, together)] * PARTS, chunksize=1)
    for i, secrets in enumerate(zip(*of_parts, strict=True)):
        kept = (settings.state / "secrets" / f"secret-{i}").read_text()
        assert len(kept) > 30
        assert set(secrets) == {kept}


def test_a_secret_that_is_there_stays(settings: config.Settings) -> None:
    path = folders.make_secret(settings, "worker")
    path.write_text("given by a person\n")
    assert folders.make_secret(settings, "worker").read_text() == "given by a person\n"
