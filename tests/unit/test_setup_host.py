# SPDX-License-Identifier: GPL-2.0-only
"""`workers/setup-host` checks the machine before it fetches anything, and does nothing twice."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from attrs import frozen

from vlag import ROOT

pytestmark = pytest.mark.slow

SETUP = ROOT / "workers" / "setup-host"


def set_up(folder: Path, *, free_gb: int, memory_gb: float) -> str:
    """Return what it says on a machine where every apt-get is a failure of this test."""
    programs = folder / "bin"
    programs.mkdir()
    for name, text in (
        ("df", f"echo Avail\necho {free_gb * 1_000_000}"),
        ("apt-get", f"touch {folder}/fetched\nexit 1"),
        ("dpkg-query", "exit 1"),
        ("sudo", "exit 1"),
        ("id", "echo 1000"),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    meminfo = folder / "meminfo"
    meminfo.write_text(f"MemTotal:       {int(memory_gb * 1_000_000)} kB\nMemFree: 1 kB\n")
    path = f"{programs}:{os.environ['PATH']}"
    done = subprocess.run(
        [SETUP], capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": path, "VLAG_MEMINFO": str(meminfo)},
    )  # fmt: skip
    assert done.returncode == 2
    assert not (folder / "fetched").exists()
    return done.stderr


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        ({"free_gb": 14, "memory_gb": 8}, "14 GB free under "),
        ({"free_gb": 20, "memory_gb": 2}, "2000 MB of memory; "),
        # Enough of both: it goes on to the packages, which it may not install here.
        ({"free_gb": 15, "memory_gb": 3.8}, "cannot install Debian packages: "),
    ],
)
def test_a_small_machine_is_refused_before_anything_is_fetched(
    tmp_path: Path, machine: dict[str, float], said: str
) -> None:
    assert said in set_up(tmp_path, **machine)  # type: ignore[arg-type]


def test_the_pages_say_what_is_checked() -> None:
    script = SETUP.read_text()
    found = re.search(r"disk_gb=(\d+) memory_gb=(\d+)", script)
    assert found
    disk, memory = found.groups()
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert f"with {memory} GB of memory and {disk} GB of free disk" in readme
    assert set(re.findall(r"(\d+) GB of free disk", readme)) == {disk}
    install = (ROOT / "docs" / "install.md").read_text()
    assert f"checks memory and disk ({memory} GB, {disk} GB)" in install


def test_what_validation_lacks_comes_with_the_list_that_its_hint_names() -> None:
    """LAVA's device types are in lava-server, which the service itself does without."""
    lists = {
        name: (ROOT / "workers" / "packages" / f"{name}.txt").read_text().splitlines()
        for name in ("worker", "host", "check")
    }
    hint = (ROOT / "vlag" / "operate" / "farm" / "lava_config.py").read_text()
    assert "lava-server" not in lists["worker"] + lists["host"]
    assert "lava-server" in lists["check"]
    assert "lava-server: `make setup-check` installs it" in hint


# A checkout of its own on a machine that has every Debian package, with stand-ins for pip and uv.

LOCKED = (ROOT / "requirements.lock").read_text()
#: What the stand-ins do: `venv` makes an environment of them.
_PROGRAMS = {
    "dpkg-query": 'case "$*" in *Version*) echo 1:99 ;; *) echo installed ;; esac',
    "df": "echo Avail; echo 99000000",
    "getent": "exit 0",
    "cmp": 'case "$*" in *lockstep*) exit 0 ;; esac; exec /usr/bin/cmp "$@"',
    "sudo": "exit 1",
    "python3": """[ "$*" = "-m venv .venv" ] || exec {python} "$@"
echo venv >>{calls}
mkdir -p .venv/bin
ln -s {python} .venv/bin/python
cp {folder}/pip {folder}/uv .venv/bin""",
}
_PIP = "echo uv >>{calls}"
_UV = """case "$*" in
"cache dir") echo {folder}/cache ;;
*" -e .") echo vlag >>{calls} ;;
"pip check "*) [ ! -e {folder}/lacking ] ;;
*) [ ! -e {folder}/fail ] || exit 1; grep -c == .venv/wanted.lock >>{calls} ;;
esac"""


@frozen(kw_only=True)
class Machine:
    """A folder with a checkout and programs that write down what they were called for."""

    folder: Path
    checkout: Path

    def run(
        self, *arguments: str, status: int = 0, env: Mapping[str, str] | None = None
    ) -> tuple[list[str], str]:
        """Return what was done, and what was said."""
        calls = self.folder / "calls"
        calls.write_text("")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("UV_", "PIP_", "VLAG_"))}
        path = f"{self.folder}/bin:{self.checkout}/.venv/bin:{os.environ['PATH']}"
        done = subprocess.run(
            [self.checkout / "workers" / "setup-host", *arguments],
            capture_output=True, text=True, check=False, env={**kept, "PATH": path, **(env or {})},
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        return calls.read_text().split(), done.stderr

    def program(self, place: str, text: str) -> None:
        path = self.folder / place
        path.parent.mkdir(exist_ok=True)
        names = {"python": sys.executable, "calls": self.folder / "calls", "folder": self.folder}
        for name, value in names.items():
            text = text.replace(f"{{{name}}}", str(value))
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    checkout = tmp_path / "checkout"
    for name in ("workers", "lava-jobs/devices", "lava-jobs/lockstep"):
        shutil.copytree(ROOT / name, checkout / name)
    for name in ("pyproject.toml", "requirements.lock", "vlag.toml"):
        shutil.copy(ROOT / name, checkout)
    made = Machine(folder=tmp_path, checkout=checkout)
    for name, text in {
        **{f"bin/{n}": t for n, t in _PROGRAMS.items()},
        "pip": _PIP,
        "uv": _UV,
    }.items():
        made.program(name, text)
    return made


def test_a_lock_file_that_lacks_something_is_found_out(machine: Machine) -> None:
    """What the locked packages need is not looked up, but whether it is there is."""
    (machine.folder / "lacking").touch()
    assert "requirements.lock lacks what one of its packages needs" in machine.run(status=2)[1]
    (machine.folder / "lacking").unlink()
    assert machine.run()[0][:2] == ["venv", "uv"]  # what was not ended is done again


def test_what_runs_is_installed_once_and_tests_add_theirs(machine: Machine) -> None:
    whole = str(sum("==" in line for line in LOCKED.splitlines()))
    done, said = machine.run()
    assert [*done[:2], done[3]] == ["venv", "uv", "vlag"]
    assert 0 < int(done[2]) < int(whole) * 2 / 3
    assert f"installing {done[2]} Python packages" in said
    assert machine.run()[0] == []
    assert machine.run("check")[0] == ["uv", whole, "vlag"]
    # Neither takes away what the other needs.
    for arguments in ((), ("develop",), ("check",), ("long",)):
        assert machine.run(*arguments)[0] == []


def test_a_farms_host_gets_what_runs_and_no_debian_package(machine: Machine) -> None:
    """What its roles install is theirs, and so is how large it must be."""
    machine.program("bin/dpkg-query", "exit 1")
    machine.program("bin/df", "echo Avail; echo 1000000")
    data = machine.checkout / "var" / "postgres" / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("15\n")
    machine.program("bin/id", "echo 1000")
    done, said = machine.run("python")
    assert [*done[:2], done[3]] == ["venv", "uv", "vlag"]
    assert f"installing {done[2]} Python packages" in said
    assert machine.run("python")[0] == []
    # Negative control: a machine that is set up as a whole lacks all of these.
    assert "GB free under" in machine.run(status=2)[1]
    machine.program("bin/df", "echo Avail; echo 99000000")
    assert "missing or too old: " in machine.run(status=2)[1]
    # It is the service's part: nothing is added or taken away for it later.
    machine.program("bin/dpkg-query", _PROGRAMS["dpkg-query"])
    assert machine.run()[0] == []


def test_a_changed_lock_file_is_installed_into_the_same_environment(machine: Machine) -> None:
    machine.run()
    lock = machine.checkout / "requirements.lock"
    lock.write_text(re.sub(r"(?m)^numpy==\S+", "numpy==0.1", LOCKED))
    assert machine.run()[0][0] == "uv"
    lock.write_text(re.sub(r"(?m)^mypy==\S+", "mypy==0.1", lock.read_text()))
    assert machine.run()[0] == []  # mypy does not run here
    assert machine.run("check")[0][0] == "uv"


def test_an_interrupted_environment_is_made_anew(machine: Machine) -> None:
    fault = machine.folder / "fail"
    fault.touch()
    assert "uv could not install the Python packages" in machine.run(status=2)[1]
    listed = machine.checkout / ".venv" / "debian-packages"
    listed.write_text("ccache\n")
    fault.unlink()
    assert machine.run()[0][:2] == ["venv", "uv"]
    assert listed.read_text() == "ccache\n"
    # The same when the lock file has changed.
    (machine.checkout / "requirements.lock").write_text(LOCKED.replace("numpy==", "numpy==0."))
    fault.touch()
    machine.run(status=2)
    fault.unlink()
    assert machine.run()[0][:2] == ["venv", "uv"]


def test_a_moved_checkout_gets_its_own_environment(machine: Machine) -> None:
    machine.run()
    moved = machine.checkout.rename(machine.folder / "moved")
    there = Machine(folder=machine.folder, checkout=moved)
    assert there.run()[0][:2] == ["venv", "uv"]
    assert there.run()[0] == []


def test_an_environment_whose_python_is_gone_is_made_anew(machine: Machine) -> None:
    """As an upgrade of the system leaves it; the list of what was installed stays."""
    machine.run()
    listed = machine.checkout / ".venv" / "debian-packages"
    listed.write_text("ccache\n")
    python = machine.checkout / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to(machine.folder / "python3.10")
    assert machine.run()[0][:2] == ["venv", "uv"]
    assert listed.read_text() == "ccache\n"
    assert machine.run()[0] == []


@pytest.mark.parametrize(("version", "lacks"), [("13", True), ("15", False)])
def test_a_database_keeps_the_version_that_made_it(
    machine: Machine, version: str, lacks: bool
) -> None:
    data = machine.checkout / "var" / "postgres" / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text(f"{version}\n")
    machine.program(
        "bin/dpkg-query",
        'case "$*" in *Version*) echo 1:99 ;; *postgresql-13*) ;; *) echo installed ;; esac',
    )
    machine.program("bin/id", "echo 1000")
    said = machine.run(status=2 if lacks else 0)[1]
    assert ("missing or too old: postgresql-13" in said) == lacks


def test_an_unknown_part_is_refused(machine: Machine) -> None:
    assert "no such part: chekc; there are develop, check," in machine.run("chekc", status=2)[1]


@pytest.fixture
def silent() -> Iterator[str]:
    """Yield the address of a server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.slow
def test_a_package_index_that_never_answers_is_named(machine: Machine, silent: str) -> None:
    """With uv itself, by what pip is told."""
    uv = shutil.which("uv", path=str(Path(sys.executable).parent))
    assert uv, "uv is missing: `make setup-check` installs it"
    machine.program("uv", f'exec {uv} "$@"')
    made = "{python} -m venv .venv && cp {folder}/pip {folder}/uv .venv/bin"
    machine.program("bin/python3", f'[ "$*" = "-m venv .venv" ] || exec {{python}} "$@"\n{made}')
    env = {
        "PIP_INDEX_URL": f"{silent}/simple", "UV_HTTP_RETRIES": "1", "VLAG_STALL_S": "1",
        "UV_CACHE_DIR": str(machine.folder / "cache"),
    }  # fmt: skip
    _, said = machine.run(status=2, env=env)
    assert re.search(rf"{silent}/simple/[a-z]", said), said
    assert "uv could not install the Python packages (messages above): a download without" in said
    assert "pip config list" in said


@pytest.mark.slow
def test_a_debian_mirror_that_never_answers_is_named(machine: Machine, silent: str) -> None:
    """With apt itself, and folders of its own."""
    machine.program("bin/dpkg-query", "exit 1")
    machine.program("bin/id", "echo 0")
    apt = machine.folder / "apt"
    for name in ("lists/partial", "cache/archives/partial", "parts"):
        (apt / name).mkdir(parents=True)
    (apt / "sources.list").write_text(f"deb [trusted=yes] {silent}/debian bookworm main\n")
    settings = {
        "Dir::Etc::SourceList": apt / "sources.list", "Dir::Etc::SourceParts": apt / "parts",
        "Dir::State::Lists": apt / "lists", "Dir::Cache": apt / "cache",
        "APT::Sandbox::User": "root", "Dir::State::status": "/dev/null",
    }  # fmt: skip
    (apt / "conf").write_text("".join(f'{key} "{value}";\n' for key, value in settings.items()))
    _, said = machine.run(status=2, env={"APT_CONFIG": str(apt / "conf"), "VLAG_STALL_S": "1"})
    assert f"Failed to fetch {silent}/debian/dists/bookworm/" in said
    assert "package lists could not be downloaded (messages above)" in said
    assert "tried 4 times, 1 s without an answer each" in said


#: A machine of root's that writes to no folder of apt's: its suites are files of a folder.
_APT = {
    "id": "echo 0",
    "dpkg-query": 'case "$*" in *Version*) echo 1:99 ;; *lava-*) ;; *) echo installed ;; esac',
    "tee": 'mkdir -p {folder}/apt && exec cat >"{folder}/apt/${1##*/}"',
    "chmod": "exit 0",
    "rm": """for file do case $file in
-*) ;;
/etc/apt/*) /bin/rm -f "{folder}/apt/${file##*/}" ;;
/usr/sbin/policy-rc.d) ;;
*) exec /bin/rm "$@" ;;
esac done""",
    "apt-cache": """at() { [ -e {folder}/apt/vlag-$1.sources ] && [ -e {folder}/lava-in-$1 ]; }
case $2 in
lava-*) at trixie-backports || at bookworm || { echo " Candidate: (none)" && exit; } ;;
esac
echo Candidate: 1""",
    "apt-get": """case "$*" in
indextargets*) echo "http://192.0.2.1/debian Debian main" ;;
*vlag-trixie-backports.sources*) [ -e {folder}/reachable ] ;;
*--download-only*) ;;
*install*) echo "$@" >>{calls} ;;
esac""",
}


@pytest.mark.parametrize(
    ("has", "taken", "said"),
    [
        (("reachable", "lava-in-trixie-backports", "lava-in-bookworm"), "trixie-backports", ""),
        (("reachable", "lava-in-bookworm"), "bookworm", "trixie-backports has no LAVA"),
        (("lava-in-bookworm",), "bookworm", "trixie-backports has no LAVA"),
    ],
)
def test_lava_comes_from_the_release_s_own_backports_where_they_have_it(
    machine: Machine, has: tuple[str, ...], taken: str, said: str
) -> None:
    for name, text in _APT.items():
        machine.program(f"bin/{name}", text)
    for name in has:
        (machine.folder / name).touch()
    release = machine.folder / "os-release"
    release.write_text("VERSION_CODENAME=trixie\n")
    done, told = machine.run(env={"VLAG_OS_RELEASE": str(release)})
    assert "lava-dispatcher" in done
    assert [p.name for p in (machine.folder / "apt").glob("*.sources")] == [f"vlag-{taken}.sources"]
    assert said in told
    assert ("from Debian 12 (bookworm)" in told) == (taken == "bookworm")


def test_uv_is_told_what_pip_is_told(tmp_path: Path) -> None:
    conf = tmp_path / "pip.conf"
    conf.write_text(
        "[global]\nindex-url = https://user:p%40ss@mirror.example/simple\nproxy = http://a\n"
        "extra-index-url =\n    https://one.example\n    https://two.example\n"
        "trusted-host = mirror.example\n[install]\nproxy = http://b\ncert = /ca.pem\n"
    )
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("UV_", "PIP_", "SSL_", "REQ"))}

    script = 'eval "$("$0" "$1")"; env -0'

    def told(**env: str) -> dict[str, str]:
        done = subprocess.run(
            ["bash", "-c", script, sys.executable, ROOT / "workers/uv-settings"],
            env={**kept, "PIP_CONFIG_FILE": str(conf), **env}, check=True, stdout=subprocess.PIPE,
        )  # fmt: skip
        rows = dict(line.split("=", 1) for line in done.stdout.decode().split("\0") if line)
        return {k: v for k, v in rows.items() if k.startswith(("UV_", "ALL_", "SSL_CERT_F"))}

    assert told() == {
        "UV_DEFAULT_INDEX": "https://user:p%40ss@mirror.example/simple",
        "UV_INDEX": "https://one.example https://two.example",
        "UV_INSECURE_HOST": "mirror.example",
        "ALL_PROXY": "http://b",
        "SSL_CERT_FILE": "/ca.pem",
    }
    # pip's variables come before its file, and uv's own before all.
    assert told(PIP_INDEX_URL="https://x.example")["UV_DEFAULT_INDEX"] == "https://x.example"
    both = told(PIP_INDEX_URL="https://x.example", UV_DEFAULT_INDEX="https://y.example")
    assert both["UV_DEFAULT_INDEX"] == "https://y.example"
    settings = runpy.run_path(str(ROOT / "workers/uv-settings"))["settings"]
    assert settings("", {"REQUESTS_CA_BUNDLE": "/b.pem"}) == {"SSL_CERT_FILE": "/b.pem"}


def test_what_only_long_tests_need_is_in_a_list_of_its_own() -> None:
    check, long = (
        set(re.findall(r"(?m)^[a-z0-9].*", (ROOT / f"workers/packages/{name}.txt").read_text()))
        for name in ("check", "long")
    )
    assert "docker.io" in long
    assert not check & long
