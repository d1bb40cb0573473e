# SPDX-License-Identifier: GPL-2.0-only
"""How often anybody may try to sign in, and what a failed attempt betrays."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from master.login import KEYS_MAX, PER_ADDRESS, PER_NAME, WINDOW_S, Attempts, PasswordFile
from master.sessions import Sessions
from vlag.config import People
from vlag.config import password_file as people


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def attempts(clock: Clock) -> Attempts:
    return Attempts(clock=clock)


def test_a_name_is_open_again_after_the_window(attempts: Attempts, clock: Clock) -> None:
    for n in range(PER_NAME):
        assert attempts.begin(f"192.0.2.{n}", "ada") == 0
    clock.now += 100
    assert attempts.begin("192.0.2.99", "ada") == WINDOW_S - 100
    assert attempts.begin("192.0.2.99", "bob") == 0
    clock.now += WINDOW_S - 100
    assert attempts.begin("192.0.2.99", "ada") == 0


def test_a_network_of_ipv6_is_one_address(attempts: Attempts) -> None:
    for n in range(PER_ADDRESS):
        assert attempts.begin(f"2001:db8::{n:x}", f"name{n}") == 0
    assert attempts.begin("2001:db8::ffff", "ada") > 0
    assert attempts.begin("2001:db8:0:1::1", "ada") == 0


def test_a_right_password_is_forgiven_but_not_the_others_of_its_address(
    attempts: Attempts,
) -> None:
    for n in range(PER_ADDRESS - 1):
        attempts.begin("192.0.2.1", f"name{n}")
    for _ in range(3):
        assert attempts.begin("192.0.2.1", "ada") == 0
        attempts.forgive("192.0.2.1", "ada")
    assert attempts.begin("192.0.2.1", "eve") == 0
    assert attempts.begin("192.0.2.1", "ada") > 0


def test_what_is_remembered_is_bounded(attempts: Attempts) -> None:
    for n in range(KEYS_MAX):
        attempts.begin(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}", f"name{n}")
    assert len(attempts._times) <= KEYS_MAX + 2


def test_an_unknown_name_costs_as_much_as_a_known_one() -> None:
    slow = subprocess.run(
        ["openssl", "passwd", "-6", "-salt", "rounds=200000$abcdefgh", "secret"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    file = {"ada": slow}
    assert people.fits(file, "ada", "secret")

    def cost_s(name: str) -> float:
        begin = time.thread_time()
        assert not people.fits(file, name, "wrong")
        return time.thread_time() - begin

    known, unknown = (min(cost_s(name) for _ in range(3)) for name in ("ada", "eve"))
    assert 0.5 < unknown / known < 2


def test_an_unknown_name_has_the_same_hash_each_time() -> None:
    """Else a name whose cost changes would be one that is not in the file."""
    file = {"ada": "$6$a$x", "bob": "$2b$10$" + "C" * 21 + ".", "eve": "$y$j9T$x$x"}
    for name in map(str, range(50)):
        assert len({people._somebody(file, name) for _ in range(3)}) == 1
    assert {people._somebody(file, str(n)) for n in range(200)} == set(file.values())


def test_nobody_signs_in_while_the_password_file_is_gone(tmp_path: Path) -> None:
    """No fault of the pages; a session from before does not count either, until it is back."""
    path = tmp_path / "people"
    hashed = "$6$abcdefgh$" + crypted("secret")
    path.write_text(f"ada:{hashed}\n")
    sessions = Sessions(
        who=People(password_file=path, triage=()), ended=tmp_path / "ended", key=tmp_path / "key"
    )
    login = PasswordFile(People(password_file=path, triage=()), sessions)
    begun = {"username": "ada", **sessions.begin("ada", "key")}
    assert login.check_credentials(b"ada", b"secret")
    assert sessions.holds(begun, "key")
    path.rename(tmp_path / "away")
    assert not login.check_credentials(b"ada", b"secret")
    assert not sessions.holds(begun, "key")
    path.write_text("ada:secret\n")  # a plain password
    assert not login.check_credentials(b"ada", b"secret")
    (tmp_path / "away").rename(path)
    assert login.check_credentials(b"ada", b"secret")
    assert sessions.holds(begun, "key")


def crypted(password: str) -> str:
    """Return the last part of a password's hash, of the salt above."""
    argv = ["openssl", "passwd", "-6", "-salt", "abcdefgh", password]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return done.stdout.strip().rpartition("$")[2]
