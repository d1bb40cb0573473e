# SPDX-License-Identifier: GPL-2.0-only
"""The roles of the services on clean Debian hosts: they converge, stay, mend, rotate and grow.

Three hosts with systemd, reached by ssh: a database; master, artifact store and Grafana behind
nginx; a worker.  At the end a fourth: a replica of the database.  Their state folder is one
folder of this machine, as an NFS server would have it.  What LAVA's hosts need is
tests/long/test_ansible_lava.py.  Debian has no Grafana: a package stands in for it.
"""

import hashlib
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from bench.evidence import table, write
from tests.long import grafana_package
from tests.long.farm import VLAG, Farm, Play, settings
from tests.long.root import SUITE, Host, lab, until
from vlag import ROOT

pytestmark = pytest.mark.long

ASK = """
import psycopg, sys
address, role, sql = sys.argv[1:]
try:
    with psycopg.connect("dbname=vlag sslmode=verify-full sslrootcert=/etc/vlag/ca.crt",
        host=address, user=role, password=sys.stdin.readline().strip(), autocommit=True,
    ) as c:
        done = c.execute(sql)
        print(*(done.fetchone() or ["none"]) if done.description else ["done"])
except psycopg.Error as e:
    print(e)
"""
FETCH = """
import ssl, sys, urllib.request as u
c = ssl.create_default_context(cafile="/etc/vlag/ca.crt")
print(u.urlopen(sys.argv[1], context=c).read().decode())
"""
#: Of each host a file that the roles write.
EDITED = (
    ("db", "etc/postgresql/15/main/pg_hba.conf"),
    ("hub", "etc/vlag/vlag.toml"),
    ("hub", "etc/nginx/conf.d/vlag-pages.conf"),
    ("build1", "etc/systemd/system/vlag-worker.service"),
    ("build1", "opt/vlag/workers/buildbot.tac"),
)


def head() -> str:
    """Return the commit of this checkout."""
    argv = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()


@define(kw_only=True)
class Deployed:
    """The farm, and what each play on it took."""

    farm: Farm
    version: str = field(factory=head)  # whatever is committed meanwhile
    times: list[tuple[str, float, dict[str, int]]] = field(factory=list)

    def play(self, what: str, name: str, *arguments: str) -> Play:
        began = time.monotonic()
        done = self.farm.play(name, *arguments)
        self.times.append((what, time.monotonic() - began, done.changed))
        return done

    def host(self, name: str) -> Host:
        return self.farm.lab.hosts[name]

    def ask(self, role: str, password: str, sql: str, server: str = "db") -> str:
        """Ask a database from the master's host; return the first row, or what was said."""
        python, address = "/opt/vlag/.venv/bin/python", self.host(server).address
        asked = self.host("hub").run(python, "-c", ASK, address, role, sql, text=password)
        return asked.stdout.strip()

    def login(self, role: str, password: str, server: str = "db") -> str:
        """Log in at a database; return as whom, or what was said."""
        return self.ask(role, password, "SELECT current_user", server)

    def secret(self, name: str) -> str:
        """Return a secret of the controller."""
        return (self.farm.secrets / name).read_text().strip()

    def grafana(self) -> dict[str, Any]:
        """Return what the stand-in for Grafana says that it was given, once it answers."""
        argv = ("/usr/bin/python3", "-c", FETCH, "https://10.76.0.12:3443/")
        hub = self.host("hub")
        until(lambda: hub.run(*argv, status=None).returncode == 0, "an answer of Grafana")
        return dict(json.loads(hub.run(*argv).stdout))

    def describe(self, *databases: str) -> None:
        """Write the inventory, with these databases, the primary first."""
        package = self.farm.lab.folder / "grafana.deb"
        self.farm.describe(
            {
                "database": {name: {} for name in databases},
                "master": {"hub": {}},
                "artifacts": {"hub": {}},
                "grafana": {"hub": {}},
                "workers": {"build1": {"slots": 1}},
                "boards": {"sim2-1": {"board_type": "qemu-sim-2"}},
            },
            settings("/var/lib/vlag/upstream.git"),
            vlag_state_shared=True,
            vlag_version=self.version,
            grafana_package=str(package),
        )


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


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
        grafana_package.build(made.folder)
        farm = Deployed(farm=Farm(lab=made, folder=made.folder / "farm"))
        farm.describe("db")
        yield farm


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


def test_the_master_was_started_once(deployed: Deployed) -> None:
    """Its first night begins at a start; what the same run changes interrupts none."""
    argv = ("journalctl", "-u", "vlag-master", "--output=cat", "--no-pager")
    said = deployed.host("hub").run(*argv).stdout
    assert len(re.findall(r"(?m)^Started vlag-master", said)) == 1, said
    assert not re.search(r"(?m)^Stopp(?:ed|ing) vlag-master", said), said


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
    assert "<html" in hub.run("/usr/bin/python3", "-c", FETCH, "https://10.76.0.12/").stdout
    told = deployed.grafana()
    assert told["postgresql"] == "10.76.0.11:5432"
    assert told["sslmode"] == "verify-full"
    assert told["password"] == digest(deployed.secret("reader"))
    assert told["admin"] == digest(deployed.secret("grafana-admin"))
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
    secret = deployed.secret("database")
    for host in deployed.farm.lab.hosts.values():
        journal = host.run("journalctl", "--no-pager", "--quiet").stdout
        assert secret not in journal
        arguments = host.run("sh", "-c", "cat /proc/[0-9]*/cmdline 2>/dev/null || true").stdout
        assert "systemd" in arguments
        assert secret not in arguments
    assert secret not in (deployed.farm.folder / "last-play").read_text()


def test_edited_files_are_seen_and_mended(deployed: Deployed) -> None:
    before = {path: (deployed.host(name).root / path).read_text() for name, path in EDITED}
    for name, path in EDITED:
        deployed.host(name).run("sh", "-c", f"echo '# edited' >>/{path}")
    seen = deployed.play("check run, a file edited on each host", "site", "--check", "--diff")
    assert all(count > 0 for count in seen.changed.values())
    for name, path in EDITED:
        # Of the code, git says which file it is.
        said = f"before: /{path}" if not path.startswith("opt") else path.partition("vlag/")[2]
        assert said in seen.output, path
        assert "# edited" in deployed.host(name).run("cat", f"/{path}").stdout
    deployed.play("run, a file edited on each host", "site")
    for name, path in EDITED:
        assert deployed.host(name).run("cat", f"/{path}").stdout == before[path]


def test_rotation_changes_what_is_asked_and_the_service_goes_on(deployed: Deployed) -> None:
    names = ("database", "reader", "worker", "grafana-admin")
    old = {path.name: path.read_text() for path in deployed.farm.secrets.iterdir()}
    assert set(names) < set(old)
    assert deployed.login("vlag", old["database"]) == "vlag"
    done = deployed.play(
        "rotation of four secrets", "rotate", f"--extra-vars=rotate={','.join(names)}"
    )
    now = {path.name: path.read_text() for path in deployed.farm.secrets.iterdir()}
    assert {name for name in now if now[name] != old.get(name)} == set(names)
    for name in names:
        assert old[name].strip() not in done.output
        assert now[name].strip() not in done.output
    for role, secret in (("vlag", "database"), ("vlag_reader", "reader")):
        assert deployed.login(role, now[secret]) == role
        assert "password authentication failed" in deployed.login(role, old[secret])
    hub, build1 = deployed.host("hub"), deployed.host("build1")
    for host in (hub, build1):
        assert host.run("cat", "/etc/vlag/secrets/worker").stdout == now["worker"]
    # The stand-in keeps what `grafana cli` was told, and runs with the reader's new password.
    assert hub.run("cat", "/var/lib/grafana/admin").stdout == now["grafana-admin"]
    assert deployed.grafana()["password"] == digest(now["reader"].strip())
    health = ("env", "VLAG_SETTINGS=/etc/vlag/vlag.toml", "/opt/vlag/.venv/bin/vlag", "health")
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


def test_a_second_database_follows_the_first(deployed: Deployed) -> None:
    deployed.farm.lab.host("db2", 14)
    deployed.describe("db", "db2")
    deployed.play("first run with a replica", "site")
    vlag, reader = deployed.secret("database"), deployed.secret("reader")
    deployed.ask("vlag", vlag, "CREATE TABLE public.followed AS SELECT 1 AS n")
    deployed.ask("vlag", vlag, "GRANT SELECT ON public.followed TO vlag_reader")
    count = "SELECT count(*) FROM public.followed"
    until(lambda: deployed.ask("vlag_reader", reader, count, "db2") == "1", "the row on db2")
    refused = deployed.ask("vlag", vlag, "INSERT INTO public.followed VALUES (2)", "db2")
    assert "cannot execute INSERT in a read-only transaction" in refused
    assert deployed.grafana()["postgresql"] == "10.76.0.14:5432"
    again = deployed.play("second run with a replica", "site")
    assert set(again.changed.values()) == {0}, again.output


def test_a_replica_that_cannot_follow_is_named(deployed: Deployed) -> None:
    db, db2 = deployed.host("db"), deployed.host("db2")
    wrong = "ALTER ROLE replicator PASSWORD 'another'"
    db.run("runuser", "-u", "postgres", "--", "psql", "-qc", wrong)
    db2.run("systemctl", "restart", "postgresql@15-main")
    vlag, reader = deployed.secret("database"), deployed.secret("reader")
    assert deployed.ask("vlag", vlag, "INSERT INTO public.followed VALUES (2)") == "done"
    said = deployed.farm.play("site", "--limit=db2", status=None)
    assert said.status != 0
    assert "db2: cannot follow 10.76.0.11:5432: " in said.output
    assert "password authentication failed for user" in said.output
    count = "SELECT count(*) FROM public.followed"
    assert deployed.ask("vlag_reader", reader, count, "db2") == "1"
    # The primary's password is the inventory's again; what was written meanwhile comes after.
    deployed.play("run, the replica locked out", "site", "--limit=database")
    until(lambda: deployed.ask("vlag_reader", reader, count, "db2") == "2", "the second row on db2")


def test_the_replica_takes_the_place_of_the_primary(deployed: Deployed) -> None:
    db, db2 = deployed.host("db"), deployed.host("db2")
    db2.run("runuser", "-u", "postgres", "--", "psql", "-qc", "SELECT pg_promote()")
    deployed.describe("db2", "db")
    # Negative control: what the old primary holds is not replaced.
    said = deployed.farm.play("site", "--limit=database", status=None)
    assert said.status != 0
    assert "db: holds databases and does not follow 10.76.0.14: " in said.output
    vlag, reader = deployed.secret("database"), deployed.secret("reader")
    count = "SELECT count(*) FROM public.followed"
    assert deployed.ask("vlag_reader", reader, count) == "2"
    db.run("systemctl", "stop", "postgresql@15-main")
    db.run("mv", "/var/lib/postgresql/15/main", "/var/lib/postgresql/15/main.old")
    deployed.play("run, the replica promoted", "site")
    inserted = deployed.ask("vlag", vlag, "INSERT INTO public.followed VALUES (3)", "db2")
    assert inserted == "done"
    until(lambda: deployed.ask("vlag_reader", reader, count) == "3", "the third row on db")
    assert deployed.grafana()["postgresql"] == "10.76.0.11:5432"


def test_the_evidence(deployed: Deployed) -> None:
    """Write down what was run, and what it took."""
    hub = deployed.host("hub")
    exposure = hub.run("systemd-analyze", "security", "--no-pager", status=None).stdout
    wanted = ("vlag-", "nginx", "postgresql@")
    found = [line.split() for line in exposure.splitlines() if line.startswith(wanted)]
    for name, unit in (("db", "postgresql@15-main.service"), ("build1", "vlag-worker.service")):
        said = deployed.host(name).run("systemd-analyze", "security", "--no-pager", status=None)
        found += [line.split() for line in said.stdout.splitlines() if line.startswith(unit)]
    names = sorted({name for _, _, changed in deployed.times for name in changed})
    version = subprocess.run(
        ["ansible-playbook", "--version"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]
    write(
        "ansible",
        "Ansible's roles on clean hosts",
        "pytest -m long tests/long/test_ansible_roles.py",
        [f"hosts: four, Debian {SUITE}, systemd-nspawn", version],
        [
            "The hosts: a database; master, artifact store and Grafana behind nginx; a worker; at",
            "the end a replica of the database. The table counts the changed tasks of each host:",
            "",
            *table(
                ("play", "seconds", *names),
                (
                    (what, f"{seconds:.0f}", *(str(changed.get(n, "")) for n in names))
                    for what, seconds, changed in deployed.times
                ),
            ),
            "",
            "A rotation stops the parts, sets new passwords for the database, the master, the",
            "worker and Grafana, and starts them. The database then refuses the old passwords.",
            "Grafana is a stand-in, because Debian has no package. The test shows that the role",
            "installs files, settings and the reader's password, and passes the administrator's",
            "new password to `grafana cli`. It does not show what Grafana does with them.",
            "",
            "The replica returns a row that was written on the primary, and refuses writes. If",
            "the primary has another password, the play names the replica that cannot follow.",
            "After its promotion the replica replaces the primary. The play does not overwrite",
            "the old primary's data until somebody has moved them away.",
            "",
            "Exposure of the units by `systemd-analyze security` (10: no protection at all):",
            "",
            *table(("unit", "exposure"), ((words[0], words[1]) for words in found)),
        ],
    )
