"""The installation of a whole service, for the tests that start one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.installation import Installation, copy_checkout


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture
def installation(tmp_path: Path, checkout: Path) -> Iterator[Installation]:
    made = Installation(tmp_path, checkout)
    yield made
    made.end()
