# SPDX-License-Identifier: GPL-2.0-only
"""A hostile tree in the sandbox of kernel builds: each act is stopped and said, nothing reached.

Each has its control: the same act where it is allowed, or without the sandbox.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import sandboxes
from tests.integration.sandboxed import Place
from tests.integration.sandboxed import place as place  # noqa: PLC0414 - a fixture
from tests.waiting import until
from vlag.errors import UsageError
from vlag.kernel import tuxmake
from vlag.sandbox import NONE, USER, Ended, Rules, Sandbox, results


def test_it_writes_to_its_output_and_nowhere_else(place: Place) -> None:
    ended, said = place.make(f"echo x > {place.output}/made && echo made")
    assert (ended.status, said.splitlines()[1:2]) == (0, ["made"]), said
    assert results.text(place.output, "made") == "x\n"
    for path in (place.home / "left", place.source / "left", Path("/usr/left"), Path("/left")):
        ended, said = place.make(f"echo x > {path}")
        assert ended.status != 0
        assert "left" in said
        assert not path.exists()
    # Control: without the sandbox it is there.
    ended, said = place.make(f"echo x > {place.home}/left", NONE)
    assert ended.status == 0, said
    assert (place.home / "left").exists()


def test_a_command_may_have_nowhere_to_write(place: Place) -> None:
    """As the list of a kernel's symbols is made."""
    (place.source / "read").write_text("x\n")
    sandbox = Sandbox(rules=sandboxes.rules(), read=(place.source,), write=())
    said: list[str] = []
    ended = sandbox.run(["cat", str(place.source / "read")], cwd=place.source, line=said.append)
    assert (ended.status, ended.stopped, "".join(said)) == (0, None, "x\n")
    # Control: it may not write either.
    ended = sandbox.run(["touch", str(place.output / "made")], cwd=place.source, line=said.append)
    assert ended.status != 0
    assert not (place.output / "made").exists()


def test_it_sees_no_secret_and_no_variable(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", "a token")
    read = f"cat {place.secret} /etc/shadow /proc/*/environ; env"
    _, said = place.make(read)
    assert "password" not in said.replace(str(place.secret), "")
    assert "a token" not in said
    assert "root:" not in said
    assert f"cat: {place.secret}: No such file" in said
    assert "GIVEN=by the service" in said  # control: what it is given arrives
    _, said = place.make(read, NONE)
    assert "the password" in said
    assert "a token" in said


def test_it_reaches_no_network(place: Place, listener: tuple[int, list[str]]) -> None:
    port, came = listener
    knock = (
        "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(\"127.0.0.1:"
        f'{port}") or die "refused"; print "open"\''
    )
    ended, said = place.make(knock)
    assert ended.status != 0
    assert "refused" in said
    assert not came
    ended, said = place.make(knock, NONE)
    assert "open" in said
    until(lambda: came)  # who listens may hear of it later than who came
    assert came == ["127.0.0.1"]


def test_it_is_a_user_without_rights(place: Place) -> None:
    _, said = place.make("id -u; grep -E '^(Cap(Prm|Eff|Bnd)|NoNewPrivs)' /proc/self/status")
    assert said.splitlines()[1] != "0"
    assert said.count("0000000000000000") == 3
    assert "NoNewPrivs:\t1" in said
    _, said = place.make("id -u; grep CapEff /proc/self/status", NONE)
    assert said.splitlines()[1] == str(os.geteuid())


def test_forks_without_end_are_bounded_and_all_of_them_end(place: Place) -> None:
    mark = f"{place.output}/alive"
    bomb = (
        "perl -e '$$n = 0; while (defined(my $$p = fork)) { if (!$$p) { sleep 600; exit } $$n++ }"
        f' print "stopped after $$n\\n"\'; touch {mark}'
    )
    # Of a user whom other builds of this machine may use as well.
    ended, said = place.make(bomb, processes=60)
    count = int(said.partition("stopped after ")[2].split()[0])
    assert 0 < count < 60
    assert (place.output / "alive").exists()
    assert ended.stopped is None
    # The 600 s of those that sleep are over with the command.
    ended, said = place.make(bomb, processes=90)
    assert count < int(said.partition("stopped after ")[2].split()[0]) < 90


def test_a_disk_is_not_filled(place: Place) -> None:
    fill = f"head -c 30M /dev/zero > {place.output}/a; cp {place.output}/a {place.output}/b"
    ended, _ = place.make(fill, disk_mb=40)
    assert ended.stopped == "it wrote more than 40 MB ([sandbox] disk_mb)"
    # It is stopped while it goes on, too.
    ended, _ = place.make(f"i=0; while head -c 5M /dev/zero > {place.output}/$$i; do "
                          "i=$$((i+1)); done", disk_mb=40)  # fmt: skip
    assert "disk_mb" in (ended.stopped or "")
    # Control: within the bound.
    for name in os.listdir(place.output):
        (place.output / name).unlink()
    ended, said = place.make(fill, disk_mb=80)
    assert (ended.status, ended.stopped) == (0, None), said
    # One file, and /tmp.
    ended, said = place.make(f"head -c 30M /dev/zero > {place.output}/c", file_mb=10)
    assert ended.status != 0
    assert (place.output / "c").stat().st_size <= 10 << 20
    ended, said = place.make("head -c 30M /dev/zero > /tmp/c", tmp_mb=16)
    assert "No space left" in said


@pytest.mark.parametrize(
    ("recipe", "limits", "said"),
    [
        ("while :; do :; done", {"wall_s": 1}, "it ran longer than 1 s ([sandbox] wall_s)"),
        # It gives its output up and goes on.
        ("exec >/dev/null 2>&1; sleep 60", {"wall_s": 1}, "it ran longer than 1 s"),
        ("yes", {"output_mb": 1}, "it printed more than 1 MB ([sandbox] output_mb)"),
    ],
)
def test_it_ends_in_time(place: Place, recipe: str, limits: dict[str, int], said: str) -> None:
    ended, _ = place.make(recipe, **limits)
    assert said in (ended.stopped or "")
    assert place.make("yes | head -c 1000", **limits)[0] == Ended(status=0)


def test_memory_and_time_of_a_process(place: Place) -> None:
    eat = "perl -e '$$x = \"a\" x 300_000_000; print length $$x'"
    ended, said = place.make(eat, memory_mb=200)
    assert ended.status != 0
    assert "300000000" not in said
    assert "300000000" in place.make(eat)[1]
    ended, said = place.make("perl -e '1 while 1'", cpu_s=1, wall_s=60)
    assert ended.stopped is None
    assert ended.status != 0


def test_a_cache_that_is_only_read_is_used_all_the_same(place: Place) -> None:
    """So are patches of strangers built: what others compiled comes out of it, nothing goes in."""
    (place.source / "one.c").write_text("int one;\n")
    (place.source / "two.c").write_text("int two;\n")

    def compiled(name: str, *, stores: bool) -> str:
        log = place.output / "log"
        sandbox = Sandbox(
            rules=sandboxes.rules(),
            read=(place.source, *(() if stores else (place.cache,))),
            write=(place.output, *((place.cache,) if stores else ())),
            environment={"CCACHE_DIR": str(place.cache), "CCACHE_LOGFILE": str(log),
                         **({} if stores else tuxmake.READ_ONLY)},
        )  # fmt: skip
        sandbox.prepare()
        words = [
            "ccache",
            "gcc",
            "-c",
            f"{place.source}/{name}.c",
            "-o",
            f"{place.output}/{name}.o",
        ]
        said: list[str] = []
        ended = sandbox.run(words, cwd=place.output, line=said.append)
        assert ended == Ended(status=0), said
        text = results.text(place.output, "log")
        log.unlink()
        return text

    assert "Result: direct_cache_hit" not in compiled("one", stores=True)
    before = sorted(place.cache.rglob("*"))
    assert "Result: direct_cache_hit" in compiled("one", stores=False)
    assert "cache_hit" not in compiled("two", stores=False)
    assert sorted(place.cache.rglob("*")) == before
    # Control: where it may be written to, what was compiled is kept.
    compiled("two", stores=True)
    assert sorted(place.cache.rglob("*")) != before


def test_a_result_that_leads_out_is_not_taken(place: Place, tmp_path: Path) -> None:
    place.make(
        f"mkdir {place.output}/d; ln -s {place.secret} {place.output}/link;"
        f" ln -s {place.secret.parent} {place.output}/up; mkfifo {place.output}/fifo;"
        f" echo fine > {place.output}/d/plain"
    )
    for name in ("link", "up/secret", "fifo", "d", "../secret", str(place.secret), "missing"):
        with pytest.raises(results.OddResultError):
            results.take(place.output, name, tmp_path / "taken")
    assert not (tmp_path / "taken").exists()
    results.take(place.output, "d/plain", tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "fine\n"


def test_what_is_put_beside_results_goes_through_no_link(place: Place) -> None:
    password = place.secret.read_text()
    place.make(f"ln -s {place.secret} {place.output}/link; mkdir {place.output}/d")
    results.put(place.output, "link", b"put\n")
    assert place.secret.read_text() == password
    assert results.text(place.output, "link") == "put\n"
    with pytest.raises(results.OddResultError):
        results.put(place.output, "d", b"put\n")


def test_nothing_runs_if_there_is_no_sandbox(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mark = place.output / "ran"
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="needs the program bwrap, which is missing: `make setup`"):
        place.make(f"touch {mark}")
    (tmp_path / "bwrap").write_text(
        "#!/bin/sh\necho 'bwrap: Creating new namespace failed: Operation not permitted' >&2\n"
        "exit 1\n"
    )
    (tmp_path / "bwrap").chmod(0o755)
    with pytest.raises(UsageError, match=r"cannot be made here \(bwrap: Creating new namespace"):
        place.make(f"touch {mark}")
    assert not mark.exists()


@pytest.mark.parametrize(("user", "said"), [("no-such-user", "there is no user"), ("root", "root")])
def test_root_builds_as_somebody_else_only(
    tmp_path: Path, user: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    sandbox = Sandbox(rules=Rules(user=user), read=(), write=(tmp_path,))
    with pytest.raises(UsageError, match=said):
        sandbox.prepare()


def test_a_user_of_its_own_without_namespaces(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left in a container: no secret, no variable, no other folder, the limits."""
    monkeypatch.setenv("SERVICE_TOKEN", "a token")
    place.secret.chmod(0o600)
    ended, said = place.make(
        f"cat {place.secret}; echo x > {place.source}/left; env; echo x > {place.output}/made",
        USER,
    )
    assert ended.status == 0, said
    assert "the password" not in said
    assert "a token" not in said
    assert not (place.source / "left").exists()
    assert results.text(place.output, "made") == "x\n"
    ended, _ = place.make("yes", USER, output_mb=1)
    assert "output_mb" in (ended.stopped or "")
