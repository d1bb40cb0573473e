"""The roles of the services on clean Debian hosts: they converge, stay, mend and rotate.

Three hosts with systemd, reached by ssh: a database; master and artifact store behind nginx;
a worker.  Their state folder is one folder of this machine, as an NFS server would have it.
What LAVA's hosts need is tests/long/test_ansible_lava.py.  Debian has no Grafana: a package
stands in for it.
"""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import define, field

from tests.bench.evidence import table, write
from tests.long import grafana_package
from tests.long.farm import Farm, Play, settings
from tests.long.root import SUITE, Host, lab, until
from vlag import ROOT

pytestmark = pytest.mark.long

#: That of the role vlag_code.
VLAG = 880
LOGIN = """
import psycopg, sys
try:
    with psycopg.connect("host=10.76.0.11 dbname=vlag sslmode=verify-full"
        " sslrootcert=/etc/vlag/ca.crt", user=sys.argv[1], password=sys.stdin.readline().strip(),
    ) as c:
        print(c.execute("SELECT current_user").fetchone()[0])
except psycopg.OperationalError as e:
    print(e)
"""


@define(kw_only=True)
class Deployed:
    """The farm, and what each play on it took."""

    farm: Farm
    times: list[tuple[str, float, dict[str, int]]] = field(factory=list)

    def play(self, what: str, name: str, *arguments: str) -> Play:
        began = time.monotonic()
        done = self.farm.play(name, *arguments)
        self.times.append((what, time.monotonic() - began, done.changed))
        return done

    def host(self, name: str) -> Host:
        return self.farm.lab.hosts[name]

    def login(self, role: str, password: str) -> str:
        """Log in at the database from the master's host; return as whom, or what was said."""
        python = "/opt/vlag/.venv/bin/python"
        return self.host("hub").run(python, "-c", LOGIN, role, text=password).stdout.strip()


def make_tree(folder: Path, state: Path) -> None:
    """Make a small git tree with the tags of a baseline, below the state folder."""
    work = folder / "work"
    work.mkdir()
    who = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    for words in (
        "init --quiet --initial-branch linux-6.12",
        "commit --quiet --allow-empty -m one",
        "tag debian/6.1.1",
        "tag debian/6.12.1",
    ):
        subprocess.run(["git", "-C", work, *who, *words.split()], check=True)
    subprocess.run(["git", "clone", "--quiet", "--bare", work, state / "upstream.git"], check=True)
    subprocess.run(["chown", "-R", f"{VLAG}:{VLAG}", state], check=True)


@pytest.fixture(scope="module")
def deployed() -> Iterator[Deployed]:
    with lab() as made:
        state = made.folder / "state"
        state.mkdir(mode=0o750)
        os.chown(state, VLAG, VLAG)
        make_tree(made.folder, state)
        shared = {state: "/var/lib/vlag"}
        made.host("db", 11)
        made.host("hub", 12, shared)
        made.host("build1", 13, shared)
        farm = Farm(lab=made, folder=made.folder / "farm")
        farm.describe(
            {
                "database": {"db": {}},
                "master": {"hub": {}},
                "artifacts": {"hub": {}},
                "grafana": {"hub": {}},
                "workers": {"build1": {"lanes": 1}},
                "boards": {"sim2-1": {"board_type": "qemu-sim-2"}},
            },
            settings("/var/lib/vlag/upstream.git"),
            vlag_state_shared=True,
            grafana_package=str(grafana_package.build(made.folder)),
        )
        yield Deployed(farm=farm)


def test_a_check_run_on_clean_hosts_says_what_would_change(deployed: Deployed) -> None:
    done = deployed.play("check run, clean hosts", "site", "--check", "--diff")
    assert all(count > 0 for count in done.changed.values())
    assert "+++ after" in done.output
    assert not (deployed.host("hub").root / "opt/vlag").exists()
    assert not (deployed.host("hub").root / "etc/vlag").exists()


def test_every_role_converges(deployed: Deployed) -> None:
    done = deployed.play("first run", "site")
    assert set(done.counts) >= {"db", "hub", "build1"}
    for name, unit in (
        ("db", "postgresql@15-main"), ("hub", "vlag-master"), ("hub", "vlag-artifacts"),
        ("hub", "nginx"), ("hub", "grafana-server"), ("build1", "vlag-worker"), ("db", "nftables"),
    ):  # fmt: skip
        host = deployed.host(name)
        assert host.run("systemctl", "is-active", unit, status=None).stdout == "active\n", unit
        assert host.run("systemctl", "is-enabled", unit, status=None).stdout == "enabled\n", unit


def test_a_second_run_changes_nothing(deployed: Deployed) -> None:
    done = deployed.play("second run", "site")
    assert set(done.changed.values()) == {0}, done.output


def test_a_check_run_on_converged_hosts_changes_nothing(deployed: Deployed) -> None:
    done = deployed.play("check run, converged hosts", "site", "--check", "--diff")
    assert set(done.changed.values()) == {0}, done.output


def test_the_programs_take_their_files(deployed: Deployed) -> None:
    db, hub, build1 = (deployed.host(n) for n in ("db", "hub", "build1"))
    postgres = "/usr/lib/postgresql/15/bin/postgres"
    said = db.run(
        "runuser", "-u", "postgres", "--", postgres, "-C", "listen_addresses",
        "-D", "/etc/postgresql/15/main",
    ).stdout  # fmt: skip
    assert "10.76.0.11" in said
    wrong = "SELECT count(*) FROM pg_hba_file_rules WHERE error IS NOT NULL"
    assert db.run("runuser", "-u", "postgres", "--", "psql", "-tAc", wrong).stdout.strip() == "0"
    for host in (db, hub, build1):
        host.run("nft", "--check", "--file", "/etc/nftables.conf")
    hub.run("nginx", "-t", "-q")
    for host, units in ((hub, ("vlag-master", "vlag-artifacts")), (build1, ("vlag-worker",))):
        for unit in units:
            said = host.run("systemd-analyze", "verify", f"{unit}.service").stderr
            assert unit not in said, said
    configuration = hub.run(
        "runuser", "-u", "vlag", "--", "env", "VLAG_SETTINGS=/etc/vlag/vlag.toml",
        "/opt/vlag/.venv/bin/buildbot", "checkconfig", "/opt/vlag/master/master.cfg",
    ).stdout  # fmt: skip
    assert "Config file is good!" in configuration


def test_the_service_answers(deployed: Deployed) -> None:
    hub = deployed.host("hub")
    page = hub.run(
        "python3", "-c",
        "import ssl, urllib.request as u;"
        "c = ssl.create_default_context(cafile='/etc/vlag/ca.crt');"
        "print(u.urlopen('https://10.76.0.12/', context=c).status)",
    ).stdout  # fmt: skip
    assert page == "200\n"
    told = json.loads(
        hub.run(
            "python3", "-c",
            "import ssl, urllib.request as u;"
            "c = ssl.create_default_context(cafile='/etc/vlag/ca.crt');"
            "print(u.urlopen('https://10.76.0.12:3443/', context=c).read().decode())",
        ).stdout
    )  # fmt: skip
    assert told["postgresql"] == "10.76.0.11:5432"
    assert told["sslmode"] == "verify-full"
    assert told["password"] == told["admin"] == 64
    given = (ROOT / "dashboards" / "provisioning").glob("*/*.yml")
    assert told["files"] == sorted(p.name for p in given)
    assert set(told["dashboards"]) == {p.stem for p in (ROOT / "dashboards/json").glob("*.json")}
    # The master's own port is nobody else's.
    assert not reaches(deployed.host("build1"), "10.76.0.12", 8010)
    assert reaches(deployed.host("build1"), "10.76.0.12", 9989)
    assert not reaches(deployed.host("db"), "10.76.0.12", 9989)


def reaches(host: Host, address: str, port: int) -> bool:
    code = f"import socket; socket.create_connection(('{address}', {port}), timeout=3)"
    return host.run("python3", "-c", code, status=None).returncode == 0


def test_secrets_are_for_those_who_need_them(deployed: Deployed) -> None:
    hub = deployed.host("hub")
    said = hub.run("stat", "-c", "%n %a %U:%G", "/etc/vlag/secrets/database").stdout.split()
    assert said[1:] == ["640", "root:vlag"]
    secret = (deployed.farm.secrets / "database").read_text().strip()
    for host in deployed.farm.lab.hosts.values():
        journal = host.run("journalctl", "--no-pager", "--quiet").stdout
        assert secret not in journal
        arguments = host.run("sh", "-c", "cat /proc/[0-9]*/cmdline 2>/dev/null || true").stdout
        assert "systemd" in arguments
        assert secret not in arguments
    assert secret not in (deployed.farm.folder / "last-play").read_text()


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("db", "etc/postgresql/15/main/pg_hba.conf"),
        ("hub", "etc/vlag/vlag.toml"),
        ("hub", "etc/nginx/conf.d/vlag-pages.conf"),
        ("build1", "etc/systemd/system/vlag-worker.service"),
        ("build1", "opt/vlag/workers/buildbot.tac"),
    ],
)
def test_an_edited_file_is_seen_and_mended(deployed: Deployed, name: str, path: str) -> None:
    file = deployed.host(name).root / path
    before = file.read_text()
    deployed.host(name).run("sh", "-c", f"echo '# edited' >>/{path}")
    seen = deployed.farm.play("site", "--check", "--diff", f"--limit={name}")
    assert seen.changed[name] > 0
    assert "# edited" in deployed.host(name).run("cat", f"/{path}").stdout
    deployed.farm.play("site", f"--limit={name}")
    assert deployed.host(name).run("cat", f"/{path}").stdout == before


def test_rotation_changes_what_is_asked_and_the_service_goes_on(deployed: Deployed) -> None:
    names = ("database", "reader", "worker")
    old = {name: (deployed.farm.secrets / name).read_text().strip() for name in names}
    assert deployed.login("vlag", old["database"]) == "vlag"
    deployed.play("rotation of three secrets", "rotate", f"--extra-vars=rotate={','.join(names)}")
    for name in names:
        assert (deployed.farm.secrets / name).read_text().strip() != old[name]
    for role, secret in (("vlag", "database"), ("vlag_reader", "reader")):
        new = (deployed.farm.secrets / secret).read_text().strip()
        assert deployed.login(role, new) == role
        assert "password authentication failed" in deployed.login(role, old[secret])
    for name in ("hub", "build1"):
        kept = deployed.host(name).run("cat", "/etc/vlag/secrets/worker").stdout.strip()
        assert kept == (deployed.farm.secrets / "worker").read_text().strip()
    health = ("env", "VLAG_SETTINGS=/etc/vlag/vlag.toml", "/opt/vlag/.venv/bin/vlag", "health")
    hub, build1 = deployed.host("hub"), deployed.host("build1")
    until(
        lambda: (
            hub.run("runuser", "-u", "vlag", "--", *health, "master", status=None).returncode == 0
        ),
        "the master's answer",
    )
    until(
        lambda: build1.run(*health, "worker", "--host", "build1", status=None).returncode == 0,
        "the worker's answer",
    )
    done = deployed.play("run after the rotation", "site")
    assert set(done.changed.values()) == {0}, done.output


def test_an_unknown_secret_is_not_rotated(deployed: Deployed) -> None:
    done = deployed.farm.play("rotate", "--extra-vars=rotate=databse", status=None)
    assert done.status != 0
    assert "there is no secret databse" in done.output
    assert set(done.changed.values()) == {0}


def test_a_wrong_argument_is_refused_by_its_name(deployed: Deployed) -> None:
    wrong = json.dumps({"postgres_connections": "many"})
    done = deployed.farm.play("site", "--limit=db", f"--extra-vars={wrong}", status=None)
    assert done.status != 0
    assert "argument 'postgres_connections'" in done.output
    assert set(done.changed.values()) == {0}


def test_a_wrong_inventory_changes_nothing(deployed: Deployed) -> None:
    text = deployed.farm.inventory.read_text()
    deployed.farm.inventory.write_text(text.replace("qemu-sim-2", "qemu-sin-2"))
    try:
        done = deployed.farm.play("site", status=None)
    finally:
        deployed.farm.inventory.write_text(text)
    assert done.status != 0
    assert "sim2-1" in done.output
    assert "qemu-sin-2" in done.output
    assert set(done.changed.values()) <= {0}


def test_the_evidence(deployed: Deployed) -> None:
    """Write down what was run, and what it took."""
    hub = deployed.host("hub")
    exposure = hub.run("systemd-analyze", "security", "--no-pager", status=None).stdout
    wanted = ("vlag-", "nginx", "postgresql@")
    found = [line.split() for line in exposure.splitlines() if line.startswith(wanted)]
    for name, unit in (("db", "postgresql@15-main.service"), ("build1", "vlag-worker.service")):
        said = deployed.host(name).run("systemd-analyze", "security", "--no-pager", status=None)
        found += [line.split() for line in said.stdout.splitlines() if line.startswith(unit)]
    version = subprocess.run(
        ["ansible-playbook", "--version"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]
    write(
        "ansible",
        "Ansible's roles on clean hosts",
        "pytest -m long tests/long/test_ansible_roles.py",
        [f"hosts: three, Debian {SUITE}, systemd-nspawn", version],
        [
            "A database; master and artifact store behind nginx; a worker. Changed tasks by host:",
            "",
            *table(
                ("play", "seconds", *sorted(deployed.times[0][2])),
                (
                    (what, f"{seconds:.0f}", *(changed.get(n, "") for n in sorted(changed)))
                    for what, seconds, changed in deployed.times
                ),
            ),
            "",
            "What `systemd-analyze security` says of the units (10: nothing is closed):",
            "",
            *table(("unit", "exposure"), ((words[0], words[1]) for words in found)),
        ],
    )
