# SPDX-License-Identifier: GPL-2.0-only
"""What Ansible writes for the service is what the service reads."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from vlag import ROOT, config
from vlag.config import catalogue
from vlag.errors import UsageError

pytestmark = pytest.mark.slow

ANSIBLE = ROOT / "ansible"

TLS = {"certificate": "c", "key": "k"}
HOSTS: dict[str, Any] = {
    "database": {"db": {"ansible_host": "192.0.2.1", "tls": TLS}},
    "master": {"hub": {"ansible_host": "192.0.2.2", "tls": TLS}},
    "artifacts": {"hub": {}},
    "workers": {
        "build-1": {"ansible_host": "192.0.2.3", "takes": ["build"], "slots": 3},
        # By the key that it had before.
        "build-2": {"ansible_host": "192.0.2.4", "lanes": 2},
    },
    "lava_servers": {
        "lava-1": {"ansible_host": "192.0.2.5", "lab": "home"},
        "lava-2": {"ansible_host": "192.0.2.8", "lab": "safe", "tls": TLS},
        "lava-3": {"ansible_host": "192.0.2.9", "lab": "own", "tls": TLS},
        "lava-4": {"ansible_host": "192.0.2.10", "lab": "public", "tls": TLS},
    },
    "lava_dispatchers": {
        "dispatcher-1": {"ansible_host": "192.0.2.6", "lab": "home"},
        "dispatcher-3": {"lab": "own", "lava_dispatcher_authority": "/own.crt"},
        "dispatcher-4": {"lab": "public", "lava_dispatcher_authority": ""},
    },
    "boards": {
        "sim2-1": {"board_type": "qemu-sim-2", "worker": "build-2"},
        "lab-sim2-1": {
            "board_type": "qemu-sim-2", "lab": "home", "dispatcher": "dispatcher-1", "tags": ["a"],
        },
    },
}  # fmt: skip

#: A lab that somebody else runs.
FOREIGN = {
    "url": "https://lava.example.org",
    "artifacts": "http://192.0.2.2:8020",
    "ca": "/elsewhere.crt",
}

#: Templates by the file that a role writes from it.
TEMPLATES = {
    "vlag.toml": "vlag_code/templates/vlag.toml.j2",
    "boards.yml": "vlag_code/templates/boards.yml.j2",
    "vlag-master.service": "buildbot_master/templates/vlag-master.service.j2",
    "vlag-worker.service": "buildbot_worker/templates/vlag-worker.service.j2",
}
#: Renders templates as the roles would, those that a host is asked for, and changes nothing else.
PLAYBOOK = """
- hosts: {hosts}
  gather_facts: false
  connection: local
  roles: [vlag]
  tasks:
    - ansible.builtin.include_vars: {{file: "{ansible}/roles/{{{{ item }}}}/main.yml"}}
      loop:
        - vlag_code/vars
        - vlag_code/defaults
        - buildbot_master/defaults
        - buildbot_worker/defaults
    - ansible.builtin.template:
        src: "{ansible}/roles/{{{{ templates[item] }}}}"
        dest: "{folder}/{{{{ inventory_hostname }}}}/{{{{ item }}}}"
        mode: "0600"
      loop: "{{{{ written[inventory_hostname] }}}}"
    - ansible.builtin.copy:
        content: "{{{{ vlag_code_authorities | to_json }}}}"
        dest: "{folder}/{{{{ inventory_hostname }}}}/authorities"
        mode: "0600"
  vars:
    templates: {templates}
    written: {written}
"""


def program() -> str:
    beside = Path(sys.executable).parent / "ansible-playbook"
    found = str(beside) if beside.exists() else shutil.which("ansible-playbook")
    assert found, "ansible-playbook is missing: `make setup-develop` installs it"
    return found


def run(*argv: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "LANG": "C.UTF-8",
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_PIPELINING": "1",
        "ANSIBLE_HOME": str(cwd / "ansible-home"),
        "ANSIBLE_CONFIG": str(ANSIBLE / "ansible.cfg"),
    }
    return subprocess.run(
        [program(), *argv], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def inventory(folder: Path, hosts: dict[str, Any], **variables: Any) -> Path:
    children = {group: {"hosts": members} for group, members in hosts.items()}
    path = folder / "farm.yml"
    given = {"ansible_python_interpreter": sys.executable, **variables}
    path.write_text(yaml.safe_dump({"all": {"vars": given, "children": children}}))
    return path


def render(
    folder: Path, hosts: dict[str, Any], written: Mapping[str, Sequence[str]], **variables: Any
) -> Path:
    """Return the folder, which has one folder a host with the files that are written for it."""
    shutil.copy(ANSIBLE / "secrets.yml", folder)
    (folder.parent / "schemas").symlink_to(ROOT / "schemas")
    (folder / "templates").symlink_to(ANSIBLE / "templates")
    for name in written:
        (folder / name).mkdir()
    play = PLAYBOOK.format(
        hosts=",".join(written), ansible=ANSIBLE, folder=folder,
        templates=json.dumps(TEMPLATES), written=json.dumps(written),
    )  # fmt: skip
    (folder / "play.yml").write_text(play)
    farm = inventory(folder, hosts, **{"vlag_settings": str(ROOT / "vlag.toml"), **variables})
    done = run(f"--inventory={farm}", "play.yml", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what a farm with one master gets; `build-1` has settings that include others."""
    folder = tmp_path_factory.mktemp("plain") / "farm"
    (folder / "sub").mkdir(parents=True)
    shutil.copy(ROOT / "workers" / "trees" / "stable.toml", folder / "sub")
    tip = ROOT / "workers" / "trees" / "tip-sched.toml"
    included = f'include = [\n  "sub/stable.toml",\n  "{tip}"\n]  # two\n'
    (folder / "own.toml").write_text(included + (ROOT / "vlag.toml").read_text())
    workers = HOSTS["workers"]
    own = {"vlag_settings": str(folder / "own.toml")}
    hosts = {**HOSTS, "workers": {**workers, "build-1": {**workers["build-1"], **own}}}
    settings = ["vlag.toml"]
    written = {"hub": settings, "build-1": settings, "build-2": list(TEMPLATES)}
    return render(folder, hosts, written, vlag_labs={"elsewhere": FOREIGN})


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what a farm with two masters gets; the settings of `hub` are wrong."""
    folder = tmp_path_factory.mktemp("two") / "farm"
    folder.mkdir()
    shipped = (ROOT / "vlag.toml").read_text()
    own, wrong = folder / "own.toml", folder / "wrong.toml"
    own.write_text(f"takeover_s = 90\n{shipped}")
    wrong.write_text(shipped.replace("[nightly]\nhour = 1", "[nightly]\n"))
    workers, hub = HOSTS["workers"], HOSTS["master"]["hub"]
    hosts = {
        **HOSTS,
        "master": {
            "hub": {**hub, "vlag_settings": str(wrong)},
            "hub-2": {"ansible_host": "192.0.2.7"},
        },
        "workers": {**workers, "build-2": {**workers["build-2"], "master": "hub-2"}},
    }
    settings, worker = ["vlag.toml"], ["vlag.toml", "vlag-worker.service"]
    written = {
        "hub": settings, "hub-2": [*settings, "vlag-master.service"],
        "build-1": worker, "build-2": worker,
    }  # fmt: skip
    return render(folder, hosts, written, vlag_settings=str(own))


def test_the_master_gets_settings_that_it_can_load(plain: Path) -> None:
    found = config.load(plain / "hub" / "vlag.toml")
    assert str(found.state) == "/var/lib/vlag"
    assert found.database is not None
    assert found.database.host == "192.0.2.1"
    assert found.database.sslmode == "verify-full"
    assert str(found.database.password_file) == "/etc/vlag/secrets/database"
    assert found.worker_listen == found.listen == "192.0.2.2"
    assert found.web_listen == "127.0.0.1"
    assert found.web_address == "https://192.0.2.2/"
    assert [(h.name, h.slots, h.takes) for h in found.named_hosts] == [
        ("build-1", 3, ("build",)),
        ("build-2", 2, ("build", "run", "lab")),
    ]
    assert found.labs["home"].url == "http://192.0.2.5"
    assert str(found.labs["home"].token_file) == "/etc/vlag/secrets/lab-home"
    shipped = config.load(ROOT / "vlag.toml")
    # What is no host's fact is as it is written.
    assert found.branches == shipped.branches
    assert found.trees == shipped.trees
    assert (found.nightly_hour, found.check_hours) == (shipped.nightly_hour, shipped.check_hours)
    assert found.web_port == shipped.web_port
    assert found.worker_port == shipped.worker_port
    assert (found.artifacts_port, found.callback_port) == (
        shipped.artifacts_port, shipped.callback_port
    )  # fmt: skip


@pytest.mark.parametrize(
    ("host", "unit", "said"),
    [
        ("hub-2", "master", "vlag serve --part master --name hub-2\n"),
        ("build-1", "worker", "VLAG_MASTER_HOST=192.0.2.2\n"),
        ("build-2", "worker", "VLAG_MASTER_HOST=192.0.2.7\n"),
    ],
)
def test_several_masters_are_the_hosts_of_a_group(
    two: Path, host: str, unit: str, said: str
) -> None:
    """Each knows its name; a worker goes to its own master, or to the first."""
    found = config.load(two / host / "vlag.toml")
    assert [m.name for m in found.masters] == ["hub", "hub-2"]
    assert {h.name: h.master for h in found.named_hosts} == {"build-1": "hub", "build-2": "hub-2"}
    assert found.takeover_s == 90
    assert said in (two / host / f"vlag-{unit}.service").read_text()


def test_what_the_settings_include_is_written_out(plain: Path) -> None:
    """On the hosts there is one file: what it includes stays on the controller."""
    made = plain / "build-1" / "vlag.toml"
    assert "\ninclude" not in made.read_text()
    found, asked = config.load(made), config.load(plain / "own.toml")
    assert found.trees == asked.trees
    assert set(found.trees) == {*config.load(ROOT / "vlag.toml").trees, "stable", "tip"}
    assert set(found.branches) == set(asked.branches)


def test_one_master_has_no_name(plain: Path) -> None:
    made = plain / "build-2"
    assert config.load(made / "vlag.toml").masters == ()
    assert "VLAG_MASTER_HOST=192.0.2.2\n" in (made / "vlag-worker.service").read_text()
    assert "vlag serve --part master\n" in (made / "vlag-master.service").read_text()


def test_the_boards_are_those_of_the_inventory(plain: Path) -> None:
    path = plain / "build-2" / "boards.yml"
    boards = {b.name: b for b in catalogue.read_boards(path, catalogue.load().board_types)}
    assert set(boards) == {"sim2-1", "lab-sim2-1"}
    assert boards["lab-sim2-1"].lab == "home"
    assert boards["lab-sim2-1"].facts["tags"] == ["a"]
    hosts = yaml.safe_load(path.read_text())["all"]["children"]["boards"]["hosts"]
    assert hosts["sim2-1"] == {"board_type": "qemu-sim-2", "worker": "build-2"}


def test_a_lab_is_trusted_by_the_authority_that_its_dispatchers_trust(plain: Path) -> None:
    found = config.load(plain / "hub" / "vlag.toml").labs
    assert {name: str(lab.ca) if lab.ca else None for name, lab in found.items()} == {
        "home": None,  # without TLS
        "safe": "/etc/vlag/lab-safe.crt",
        "own": "/etc/vlag/lab-own.crt",
        "public": None,  # signed by an authority that every machine knows
        "elsewhere": "/etc/vlag/lab-elsewhere.crt",
    }
    files = json.loads((plain / "hub" / "authorities").read_text())
    assert files == {
        "safe": f"{plain}/tls/ca.crt",
        "own": "/own.crt",
        "elsewhere": "/elsewhere.crt",
    }


def test_settings_that_are_wrong_are_seen_before_they_are_used(two: Path) -> None:
    path = two / "hub" / "vlag.toml"
    with pytest.raises(UsageError, match="hour"):
        config.load(path)
    role = ANSIBLE / "roles" / "vlag_code" / "files" / "check_settings.py"
    done = subprocess.run([sys.executable, role, path], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "hour" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_playbooks_can_be_read(tmp_path: Path) -> None:
    farm = inventory(tmp_path, HOSTS)
    books = [str(ANSIBLE / f"{name}.yml") for name in ("site", "preflight", "rotate")]
    done = run("--syntax-check", f"--inventory={farm}", *books, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [done.stdout.count(f"playbook: {book}") for book in books] == [1, 1, 1]


#: What the dispatchers' role trusts after it has looked at its arguments.
TRUST = """
- hosts: lava_dispatchers
  gather_facts: false
  connection: local
  tasks:
    - ansible.builtin.include_role: {{name: lava_dispatcher, tasks_from: check, public: true}}
      vars: {{package_lists_wanted: false}}
    - ansible.builtin.copy:
        content: "{{{{ lava_dispatcher_authority }}}}"
        dest: "{folder}/{{{{ inventory_hostname }}}}"
        mode: "0600"
"""


def test_a_dispatcher_trusts_the_authority_of_its_own_farm(tmp_path: Path) -> None:
    """Where its server has a certificate; controls: one without, and one that names another."""
    dispatchers = {
        **HOSTS["lava_dispatchers"],
        "dispatcher-2": {"ansible_host": "192.0.2.11", "lab": "safe"},
    }
    farm = inventory(tmp_path, {**HOSTS, "lava_dispatchers": dispatchers})
    (tmp_path / "trust.yml").write_text(TRUST.format(folder=tmp_path))
    done = run(f"--inventory={farm}", "trust.yml", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {name: (tmp_path / name).read_text() for name in dispatchers} == {
        "dispatcher-1": "",
        "dispatcher-2": f"{tmp_path}/tls/ca.crt",
        "dispatcher-3": "/own.crt",
        "dispatcher-4": "",
    }


@pytest.mark.parametrize(
    "role",
    # Those of the services; the others have defaults that follow from more than one fact.
    sorted(
        p.parents[1].name
        for p in ANSIBLE.glob("roles/*/meta/main.yml")
        if "role: vlag\n" in p.read_text()
    ),
)
def test_each_role_says_what_it_takes(role: str) -> None:
    home = ANSIBLE / "roles" / role
    spec = yaml.safe_load((home / "meta" / "argument_specs.yml").read_text())["argument_specs"]
    options = spec["main"]["options"]
    text = (home / "defaults" / "main.yml").read_text() if (home / "defaults").exists() else "{}"
    defaults = yaml.safe_load(text) or {}
    without = {k for k, v in options.items() if not v.get("required") and "default" in v}
    assert without <= set(defaults), "a declared default that the role does not have"
    for key in sorted(without):
        declared, kept = options[key]["default"], defaults[key]
        assert json.dumps(declared) == json.dumps(kept), f"{role}: two defaults of {key}"
