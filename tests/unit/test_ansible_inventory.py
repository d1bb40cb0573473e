# SPDX-License-Identifier: GPL-2.0-only
"""Inventories read as Ansible reads them; a playbook that stops before it changes anything."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.inventories import FAULTS, farm
from vlag import ROOT
from vlag.config import ansible_hosts

pytestmark = pytest.mark.slow

__all__ = ["farm"]

_BIN = Path(sys.executable).parent

TREES: dict[str, dict[str, str]] = {
    "groups in groups, the deeper over the higher": {
        "i.yml": """
all:
  vars: {a: all, b: all, c: all, d: all}
  hosts: {lone: {}}
  children:
    high:
      vars: {b: high, c: high, d: high}
      children:
        low:
          vars: {c: low, d: low}
          hosts:
            x[01:03]: {d: host}
            y-[a:c]:
other:
  hosts: {y-a: {e: 1}}
  vars: {c: other}
""",
    },
    "files beside the inventory": {
        "i.yml": "all: {children: {g: {hosts: {h: {a: 1, b: 1}, i: {}}, vars: {c: 1, d: 1}}}}\n",
        "group_vars/all.yml": "c: 2\ne: 2\nf: 2\n",
        "group_vars/g/one.yml": "d: 3\nf: 3\n",
        "group_vars/g/two.yaml": "f: 4\n",
        "host_vars/h": "b: 5\nf: 5\n",
    },
    "two groups of one depth, and a priority": {
        "i.yml": "all: {children: {a: {hosts: {h: {}},"
        " vars: {x: a, y: a, ansible_group_priority: 9}}, b: {hosts: {h: {}},"
        " vars: {x: b, y: b, z: b}}}}\n",
    },
    "aliases and merges": {
        "i.yml": "all:\n  hosts:\n    h: &h {power: {'on': a, 'off': b}, lab: home}\n"
        "    i: {<<: *h, lab: away}\n",
    },
}


def ansible(
    program: str, *argv: str, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    found = shutil.which(program, path=f"{_BIN}:{os.environ['PATH']}")
    assert found, f"{program} is missing: `make setup-check` installs it"
    return subprocess.run(
        [found, *argv], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "ANSIBLE_NOCOLOR": "1", "ANSIBLE_PIPELINING": "1",
             "PATH": f"{_BIN}:{os.environ['PATH']}"},
    )  # fmt: skip


def as_ansible(path: Path) -> dict[str, Any]:
    done = ansible("ansible-inventory", "-i", str(path), "--list")
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout)["_meta"]["hostvars"])


def as_vlag(path: Path) -> dict[str, Any]:
    hosts = ansible_hosts.read([path]).hosts
    found = {n: {k: v.value for k, v in h.variables.items()} for n, h in hosts.items()}
    return {name: keys for name, keys in found.items() if keys}


@pytest.mark.parametrize("name", TREES)
def test_an_inventory_says_the_same_to_us_as_to_ansible(name: str, tmp_path: Path) -> None:
    for file, content in TREES[name].items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(content)
    assert as_vlag(tmp_path / "i.yml") == as_ansible(tmp_path / "i.yml")


@pytest.mark.parametrize("name", ["boards.yml", "farm-example.yml"])
def test_what_is_shipped_says_the_same(name: str) -> None:
    path = ROOT / "ansible" / "inventory" / name
    assert as_vlag(path) == as_ansible(path)


def _playbook(folder: Path) -> Path:
    """Write a playbook that checks and then changes each host, and an inventory of this one."""
    canary = folder / "changed"
    path = folder / "play.yml"
    check = ROOT / "ansible" / "tasks" / "check_inventory.yml"
    local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    path.write_text(
        yaml.safe_dump(
            [
                {
                    "name": "Check",
                    "hosts": "all",
                    "gather_facts": False,
                    "tasks": [{"ansible.builtin.import_tasks": str(check)}],
                },
                {
                    "name": "Change",
                    "hosts": "master",
                    "gather_facts": False,
                    "vars": local,
                    "tasks": [{"ansible.builtin.copy": {"dest": str(canary), "content": "yes"}}],
                },
            ]
        )
    )
    return path


def test_a_playbook_ends_before_it_changes_anything(farm: Path) -> None:
    edit, sentence = FAULTS["an unknown board type"]
    play = _playbook(farm.parent)
    edit(farm)
    done = ansible("ansible-playbook", "-i", str(farm), str(play))
    assert done.returncode != 0
    assert sentence in done.stdout, done.stdout + done.stderr
    assert "changed=1" not in done.stdout
    assert not (farm.parent / "changed").exists()


def test_with_a_right_inventory_it_goes_on(farm: Path) -> None:
    done = ansible("ansible-playbook", "-i", str(farm), str(_playbook(farm.parent)))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (farm.parent / "changed").read_text() == "yes"
