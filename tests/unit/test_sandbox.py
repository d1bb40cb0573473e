# SPDX-License-Identifier: GPL-2.0-only
"""The command line of the sandbox: what a build sees, and as whom; tests/integration runs it."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import attrs
import pytest

from vlag.config import load
from vlag.errors import UsageError
from vlag.sandbox import Rules
from vlag.sandbox.bubblewrap import Who, command, limits

LIMITS = [a.name for a in attrs.fields(Rules) if a.name not in ("kind", "user")]
ROOT_BUILDS = Who(uid=990, gid=991, groups=(50,))
SOMEBODY = Who(uid=1000, gid=1001, change=False)


def words(who: Who, **rules: int) -> list[str]:
    return command(
        ["make", "-j2"], rules=Rules(**rules), who=who, read=[Path("/srv/state/src")],  # type: ignore[arg-type]
        write=[Path("/srv/state/out")], environment={"CCACHE_DIR": "/c"},
        cwd=Path("/srv/state/out"),
    )  # fmt: skip


def pairs(argv: list[str], option: str) -> list[tuple[str, str]]:
    return [(argv[i + 1], argv[i + 2]) for i, word in enumerate(argv) if word == option]


def test_only_what_is_given_is_seen_under_its_own_path() -> None:
    argv = words(ROOT_BUILDS)
    assert pairs(argv, "--bind") == [("/srv/state/out", "/srv/state/out")]
    read = pairs(argv, "--ro-bind")
    assert ("/srv/state/src", "/srv/state/src") in read
    python = {p for p in (sys.prefix, sys.base_prefix) if not p.startswith("/usr")}
    assert {a for a, _ in read} - {"/usr", "/srv/state/src"} <= python | {"/bin", "/lib", "/lib64"}
    assert all(a == b for a, b in read)
    # Nobody can write to what leads there.
    assert argv.index("--remount-ro") > max(i for i, w in enumerate(argv) if w == "--bind")
    seen = {name for name, _ in pairs(argv, "--ro-bind-try") if name.startswith("/etc")}
    assert not seen & {"/etc", "/etc/shadow", "/etc/ssl", "/etc/vlag"}


def test_namespaces_and_variables() -> None:
    argv = words(ROOT_BUILDS)
    for option in ("net", "pid", "ipc", "uts"):
        assert f"--unshare-{option}" in argv
    assert {"--die-with-parent", "--new-session", "--clearenv"} <= set(argv)
    names = {name for name, _ in pairs(argv, "--setenv")}
    assert names == {"PATH", "HOME", "TMPDIR", "LANG", "CCACHE_DIR"}


def test_root_becomes_the_user_and_others_stay() -> None:
    argv = words(ROOT_BUILDS)
    inside = argv[argv.index("--") + 1 :]
    assert inside[:4] == ["setpriv", "--reuid=990", "--regid=991", "--groups=50"]
    assert "--no-new-privs" in inside
    assert "--unshare-user" not in argv  # root needs none, and a machine may forbid it
    argv = words(SOMEBODY)
    assert "setpriv" not in argv
    assert "--cap-add" not in argv
    assert argv[argv.index("--uid") + 1] == "1000"
    assert "--disable-userns" in argv  # root needs no such namespace, and a unit can forbid it
    assert argv[-2:] == ["make", "-j2"]


def test_a_limit_is_never_above_that_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"--as={100 << 20}" in limits(Rules(memory_mb=100))
    assert f"--as={100 << 20}" in words(ROOT_BUILDS, memory_mb=100)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (5, 5))
    assert "--nproc=5" in limits(Rules(processes=100))
    assert "--nproc=3" in limits(Rules(processes=3))


def settings(folder: Path, table: str) -> Path:
    path = folder / "vlag.toml"
    text = (Path(__file__).parents[2] / "vlag.toml").read_text()
    path.write_text(text.replace("[nightly]", f"{table}\n[nightly]", 1))
    return path


def test_the_settings_choose(tmp_path: Path) -> None:
    found = load(settings(tmp_path, '[sandbox]\nkind = "none"\ndisk_mb = 5')).sandbox
    assert found == Rules(kind="none", disk_mb=5)
    assert load(settings(tmp_path, "")).sandbox == Rules()
    assert Rules().kind == "bubblewrap"
    for wrong in ('kind = "docker"', "wall_s = 0", "memory = 5", 'user = "a b"'):
        with pytest.raises(UsageError, match="sandbox"):
            load(settings(tmp_path, f"[sandbox]\n{wrong}"))


@pytest.mark.parametrize("limit", LIMITS)
def test_each_limit_is_a_setting(tmp_path: Path, limit: str) -> None:
    rules = load(settings(tmp_path, f"[sandbox]\n{limit} = 512")).sandbox
    assert getattr(rules, limit) == 512
