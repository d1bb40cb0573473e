# SPDX-License-Identifier: GPL-2.0-only
"""A farm for tests of deployment: an inventory, secrets, certificates, and playbooks run on it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from attrs import define

from tests.long.root import Host, Lab
from vlag import ROOT

ANSIBLE = ROOT / "ansible"
#: The user of the service on each host: that of the role vlag_code.
VLAG = 880
#: A role may install a compiler and emulators from an archive.
PLAYBOOK_S = 3600

_RECAP = re.compile(r"^(\S+)\s+: (ok=.*)$", re.MULTILINE)


@define(kw_only=True)
class Play:
    """What a playbook has done."""

    output: str
    status: int

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """By host: ok, changed, unreachable, failed and so on."""
        return {
            host: {k: int(v) for k, v in (pair.split("=") for pair in text.split())}
            for host, text in _RECAP.findall(self.output)
        }

    @property
    def changed(self) -> dict[str, int]:
        """By host: how many tasks have changed something."""
        return {host: c["changed"] for host, c in self.counts.items()}


@define(kw_only=True)
class Farm:
    """Hosts of a lab as an inventory has them."""

    lab: Lab
    folder: Path  # of the inventory, its secrets and certificates

    @property
    def inventory(self) -> Path:
        """The inventory file."""
        return self.folder / "farm.yml"

    @property
    def secrets(self) -> Path:
        """The folder of the secrets."""
        return self.folder / "secrets"

    def describe(
        self, groups: Mapping[str, Mapping[str, Any]], settings: str, **variables: Any
    ) -> None:
        """Write inventory and settings, and make secrets and certificates that are missing.

        `groups` has the facts of each host by group and name; `variables` are everybody's.
        """
        (self.folder / "tls").mkdir(parents=True, exist_ok=True)
        (self.folder / "vlag.toml").write_text(settings)
        hosts = self.lab.hosts
        for host in hosts.values():
            self._certify(host)
        given = {
            "vlag_settings": str(self.folder / "vlag.toml"),
            "ansible_user": "root",
            "ansible_ssh_common_args": " ".join(self.lab.ssh_options()),
            "ansible_python_interpreter": "/usr/bin/python3",
        }
        children = {
            group: {
                "hosts": {
                    name: {
                        "ansible_host": hosts[name].address,
                        "tls": {"certificate": f"tls/{name}.crt", "key": f"tls/{name}.key"},
                        **facts,
                    }
                    if name in hosts
                    else facts
                    for name, facts in members.items()
                }
            }
            for group, members in groups.items()
        }
        self.inventory.write_text(
            # The order of a group's hosts says which database is the primary.
            yaml.safe_dump(
                {"all": {"vars": {**given, **variables}, "children": children}}, sort_keys=False
            )
        )
        done = subprocess.run(
            ["vlag", "inventory", "secrets", f"--inventory={self.inventory}"],
            capture_output=True, text=True, check=False, env=self._environment(),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    def play(self, name: str, *arguments: str, status: int | None = 0) -> Play:
        """Run a playbook on the lab's network; fail with its words if the status is another."""
        log = self.folder / "last-play"  # to look into while it runs
        with log.open("w") as out:
            done = subprocess.run(
                [
                    *self.lab.inside(), "ansible-playbook", f"--inventory={self.inventory}",
                    f"{name}.yml", *arguments,
                ],
                cwd=ANSIBLE, env=self._environment(), stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT, check=False, timeout=PLAYBOOK_S,
            )  # fmt: skip
        said = log.read_text()
        assert status is None or done.returncode == status, said[-6000:]
        return Play(output=said, status=done.returncode)

    def _environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("VLAG_", "ANSIBLE_"))}
        own = str(Path(sys.executable).parent)
        return {
            **kept,
            "PATH": os.pathsep.join([own, kept["PATH"]]),
            "PYTHONPATH": os.pathsep.join([str(ROOT), kept.get("PYTHONPATH", "")]).rstrip(":"),
            "LANG": "C.UTF-8",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_CONFIG": str(ANSIBLE / "ansible.cfg"),
            "ANSIBLE_HOME": str(self.folder / "ansible-home"),
            "ANSIBLE_SSH_CONTROL_PATH_DIR": str(self.lab.folder / "ssh"),
        }

    def _certify(self, host: Host) -> None:
        """Make a certificate for a host's address and name, signed by the farm's authority."""
        tls = self.folder / "tls"
        if (tls / f"{host.name}.crt").exists():
            return
        curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        if not (tls / "ca.crt").exists():
            _openssl(
                "req", "-x509", *curve, "-days", "30", "-subj", "/CN=farm",
                "-keyout", f"{tls}/ca.key", "-out", f"{tls}/ca.crt",
            )  # fmt: skip
        _openssl(
            "req", "-x509", *curve, "-days", "30", "-subj", f"/CN={host.name}",
            "-addext", f"subjectAltName=DNS:{host.name},IP:{host.address}",
            "-CA", f"{tls}/ca.crt", "-CAkey", f"{tls}/ca.key",
            "-keyout", f"{tls}/{host.name}.key", "-out", f"{tls}/{host.name}.crt",
        )  # fmt: skip


def _openssl(*arguments: str) -> None:
    done = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def settings(tree: str) -> str:
    """Return the shipped settings with one tree, cloned from a URL or path, and no first look.

    That boots prebuilt kernels, whose tree is left out.
    """
    text = (ROOT / "vlag.toml").read_text()
    text, found = re.subn(r"(?ms)^\[first\]\n.*?\n\n", "", text)
    assert found == 1
    packages = text[text.index("[trees.debian.packages]") : text.index("[[branches]]")]
    return text.replace(packages, f"[trees.debian]\nurl = {json.dumps(tree)}\n\n")
