"""`python -m bench NAME` of a long test runs its tests and then writes its page, last of all."""

import subprocess

import pytest

from bench import long
from vlag import ROOT

pytestmark = pytest.mark.slow


def collected(command: list[str]) -> list[str]:
    done = subprocess.run(
        [*command, "--collect-only"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [line.rpartition("::")[2] for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.parametrize("name", long.NAMES)
def test_a_page_is_written_after_the_tests(name: str) -> None:
    found = collected(long.command(name))
    assert found[-1] == "write_page"
    assert len(found) > 1


def test_a_session_of_tests_writes_no_page() -> None:
    name = long.NAMES[-1]
    plain = [w for w in long.command(name) if w != "-o" and not w.startswith("python_functions")]
    assert "write_page" not in collected(plain)
