# SPDX-License-Identifier: GPL-2.0-only
"""docker-compose.yml as data: what it promises, and that each promise can be seen broken."""

from __future__ import annotations

import copy
import os
import re
import runpy
import stat
import subprocess
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from vlag import ROOT, config

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: Mapping[str, Any] = COMPOSE["services"]
#: What starts as root and then becomes somebody else, without capabilities.
BECOME = {"CHOWN", "DAC_READ_SEARCH", "SETGID", "SETUID"}
#: Root for good: lava-run and LAVA's dispatcher want it.
ROOT_SERVICES = {"worker", "lava-dispatcher"}
#: Its job is done when it ends.
ONE_SHOT = {"lava-config"}
#: What each container needs, and nobody else gets.
SECRETS = {
    "postgres": {"postgres", "database", "reader", "lavaserver"},  # it makes these roles
    "master": {"database", "reader", "worker", "lava-token"},
    "worker": {"database", "worker", "lava-token"},
    "artifacts": set(),
    "grafana": {"grafana", "reader"},
    "lava-config": set(),
    "lava-server": {"lavaserver", "lava-key", "lava-token", "lava-dispatcher"},
    "lava-dispatcher": {"lava-dispatcher"},
}
#: Who may speak to the database's network and who has the state folder, with its secrets.
DATABASE = {"postgres", "master", "worker", "grafana", "lava-server"}
STATE = {"master", "worker"}


def tags() -> dict[str, str]:
    return dict(re.findall(r"(?m)^(\w+)=(\S+)", (ROOT / "images.env").read_text()))


def reached(name: str, service: Mapping[str, Any]) -> list[str]:
    """Return what a container could reach beyond its work."""
    found = []
    added = set(service.get("cap_add", ()))
    if added & {"ALL", "SYS_ADMIN", "NET_ADMIN", "SYS_MODULE"} or service.get("privileged"):
        found.append("privileged")
    own = service.get("user", "root") not in ("root", "0")
    if name not in ROOT_SERVICES and added != (set() if own else BECOME):
        found.append("cap_add")
    # Root only for who has secrets to read.
    if not service.get("secrets") and not own:
        found.append("user")
    if set(service.get("secrets", ())) != SECRETS[name]:
        found.append("secrets")
    if "data" in service.get("networks", ()) and name not in DATABASE:
        found.append("networks")
    mounts = {str(volume).partition(":")[0] for volume in service.get("volumes", ())}
    if "state" in mounts and name not in STATE:
        found.append("state")
    return found


def faults(compose: Mapping[str, Any]) -> list[str]:
    """Return what is not as promised, with the service's name."""
    found = []
    for name, service in compose["services"].items():
        image = re.fullmatch(r"\$\{(VLAG_\w+)\}", service["image"])
        if image is None or image[1] not in tags():
            found.append(f"{name}: image")
        found += [
            f"{name}: port {port}"
            for port in service.get("ports", ())
            if not str(port).startswith("127.0.0.1:")
        ]
        found += [
            f"{name}: {key}"
            for key in ("mem_limit", "pids_limit", "restart", "stop_grace_period")
            if not service.get(key)
        ]
        if "cpus" not in service:
            found.append(f"{name}: cpus")
        if "test" not in service.get("healthcheck", {}) and name not in ONE_SHOT:
            found.append(f"{name}: healthcheck")
        if not service.get("read_only") or service.get("cap_drop") != ["ALL"]:
            found.append(f"{name}: read_only, cap_drop")
        if "no-new-privileges:true" not in service.get("security_opt", ()):
            found.append(f"{name}: security_opt")
        found += [f"{name}: {fault}" for fault in reached(name, service)]
        for key in service.get("environment", {}):
            if re.search("PASSWORD|TOKEN|SECRET", key) and not key.endswith("_FILE"):
                found.append(f"{name}: {key}")
        found += [
            f"{name}: secret {secret}"
            for secret in service.get("secrets", ())
            if secret not in compose["secrets"]
        ]
        # Whoever depends on something waits until it works.
        for other, how in service.get("depends_on", {}).items():
            wanted = "completed_successfully" if other in ONE_SHOT else "healthy"
            if how["condition"] != f"service_{wanted}":
                found.append(f"{name}: depends_on {other}")
    found += [f"secret {n}" for n, s in compose["secrets"].items() if set(s) != {"file"}]
    return found


def test_it_is_as_promised() -> None:
    assert faults(COMPOSE) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda c: c["services"]["master"].update(image="vlag/master:latest"), "master: image"),
        (lambda c: c["services"]["master"].update(ports=["8010:8010"]), "master: port 8010:8010"),
        (lambda c: c["services"]["worker"].pop("healthcheck"), "worker: healthcheck"),
        (lambda c: c["services"]["postgres"].pop("mem_limit"), "postgres: mem_limit"),
        (lambda c: c["services"]["worker"].update(cap_add=["SYS_ADMIN"]), "worker: privileged"),
        (
            lambda c: c["services"]["postgres"]["environment"].update({"POSTGRES_PASSWORD": "x"}),
            "postgres: POSTGRES_PASSWORD",
        ),
        (
            lambda c: c["services"]["artifacts"].update(secrets=["database"]),
            "artifacts: secrets",
        ),
        (
            lambda c: c["services"]["artifacts"].update(user="root", cap_add=list(BECOME)),
            "artifacts: user",
        ),
        (lambda c: c["services"]["artifacts"]["networks"].append("data"), "artifacts: networks"),
        (
            lambda c: c["services"]["artifacts"]["volumes"].append("state:/var/lib/vlag"),
            "artifacts: state",
        ),
        (
            lambda c: c["services"]["grafana"].update(read_only=False),
            "grafana: read_only, cap_drop",
        ),
        (lambda c: c["secrets"].update(reader={"environment": "READER"}), "secret reader"),
        (
            lambda c: c["services"]["worker"]["depends_on"]["master"].update(
                condition="service_started"
            ),
            "worker: depends_on master",
        ),
    ],
)
def test_each_promise_can_be_broken(change: Callable[[Any], object], fault: str) -> None:
    compose = copy.deepcopy(COMPOSE)
    change(compose)
    assert faults(compose) == [fault]


def test_programs_become_the_user_that_they_are_meant_for() -> None:
    users = {
        "master/Dockerfile": {"vlag"},
        "workers/Dockerfile": {"root"},
        "lava-jobs/server/Dockerfile": {"lavaserver", "root"},
    }
    for path, expected in users.items():
        text = (ROOT / path).read_text()
        found = re.findall(r'ENTRYPOINT \["/opt/vlag/master/enter", "(\w+)"', text)
        assert set(found) == expected, path
    assert SERVICES["postgres"]["entrypoint"][1] == "postgres"


def test_images_are_exact_and_in_one_place() -> None:
    for name, tag in tags().items():
        exact = r":[a-z]*-?v?\d[\w.]*(-[a-z]+)?(@sha256:[0-9a-f]{64})?$"
        assert re.search(exact, tag), f"{name}={tag}"
    for line in (ROOT / "images.env").read_text().splitlines():
        if re.match(r"VLAG_\w+=(?!vlag/)", line):  # not built here
            assert ("@sha256:" in line) != line.endswith("# not verified: no digest"), line
    assert (ROOT / ".env").readlink() == Path("images.env")
    for path in ROOT.glob("*/**/Dockerfile"):
        if ".venv" in path.parts or "var" in path.parts:
            continue
        for image in re.findall(r"(?m)^FROM (\S+)", path.read_text()):
            stages = re.findall(r"(?m)^FROM \S+ AS (\w+)", path.read_text())
            assert image in stages or image.startswith("${VLAG_"), f"{path}: {image}"


def test_settings_of_the_containers_load() -> None:
    here = config.load(ROOT / "master/compose.toml")
    assert here.database is not None
    assert here.database.host in SERVICES
    assert [h.name for h in here.hosts if "run" in h.takes] == ["worker-1"]
    known = set(COMPOSE["secrets"])
    raw = tomllib.loads((ROOT / "master/compose.toml").read_text())
    files = re.findall(r"/run/keys/([a-z-]+)", str(raw))
    assert files
    assert set(files) == set(SERVICES["master"]["secrets"]) <= known
    assert set(SERVICES["worker"]["secrets"]) == set(files) - {"reader"}  # the pages' role


def test_secrets_are_made_once_and_for_their_owner(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    argv = [ROOT / "master/make-secrets", folder]
    subprocess.run(argv, check=True, capture_output=True)
    first = {path.name: path.read_text() for path in folder.iterdir()}
    used = {s for service in SERVICES.values() for s in service.get("secrets", ())}
    assert set(first) == used
    assert len(set(first.values())) == len(first)
    for path in (folder, *folder.iterdir()):
        wanted = 0o700 if path == folder else 0o600
        assert stat.S_IMODE(os.stat(path).st_mode) == wanted
    (folder / "worker").unlink()
    done = subprocess.run(argv, check=True, capture_output=True, text=True)
    assert done.stdout == f"made {folder}/worker\n"
    second = {path.name: path.read_text() for path in folder.iterdir()}
    assert {name for name in first if first[name] != second[name]} == {"worker"}
    assert "/secrets/" in (ROOT / ".gitignore").read_text().splitlines()


def test_images_get_the_packages_that_run_and_no_others() -> None:
    made = runpy.run_path(str(ROOT / "workers/runtime-lock"))
    lock = (ROOT / "requirements.lock").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = made["runtime"](lock, project["dependencies"])
    entries = {made["normal"](line) for line in re.findall(r"(?m)^[a-z0-9].*", text)}
    assert {made["normal"](d) for d in project["dependencies"]} <= entries
    assert {"twisted", "sqlalchemy", "psycopg-binary"} <= entries  # what those need
    assert not {"pytest", "mypy", "ruff", "playwright", "hypothesis"} & entries
    # Every entry with all of its hashes, as pip demands.
    assert text.count("--hash=") > len(entries)
    for entry in re.split(r"(?m)^(?=[a-z0-9])", text)[1:]:
        assert entry in lock
        assert "--hash=sha256:" in entry


def test_the_registry_is_asked_and_its_silence_is_said(tmp_path: Path) -> None:
    """With a stand-in for Docker's client alone: what it answers is the registry's."""
    client = tmp_path / "docker"

    def ask(answers: str) -> subprocess.CompletedProcess[str]:
        client.write_text(f"#!/bin/sh\n{answers}\n")
        client.chmod(0o755)
        env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        return subprocess.run(
            [ROOT / "workers/verify-images"], env=env, capture_output=True, text=True, check=False
        )

    good = ask("exit 0")
    assert good.returncode == 0
    assert good.stdout.count(": verified") == 3
    gone = ask('case $3 in postgres*) echo "no such manifest: $3" >&2; exit 1;; esac')
    assert gone.returncode == 2
    assert gone.stdout.count(": verified") == 2
    assert "postgres" in next(li for li in gone.stdout.splitlines() if "no such image" in li)
    offline = ask('echo "dial tcp: no route to host" >&2; exit 1')
    assert offline.returncode == 75
    assert offline.stderr.count("\n") == 1
    assert "could not be asked" in offline.stderr


def test_images_are_pinned_by_what_the_registry_says(tmp_path: Path) -> None:
    """With a stand-in for Docker's client alone."""
    client, listed = tmp_path / "docker", tmp_path / "images.env"
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "VLAG_IMAGES": str(listed)}
    listed.write_text((ROOT / "images.env").read_text())

    def pin(digest: str) -> int:
        client.write_text(f"#!/bin/sh\n[ $1 = manifest ] || echo {digest}\n")
        client.chmod(0o755)
        argv = [str(ROOT / "workers/verify-images"), "--pin"]
        return subprocess.run(argv, env=env, capture_output=True, check=False).returncode

    assert pin("none") == 75
    assert listed.read_text() == (ROOT / "images.env").read_text()
    for digest in ("sha256:" + "1" * 64, "sha256:" + "2" * 64):  # a second time over the first
        assert pin(digest) == 0
        pinned = re.findall(r"(?m)^VLAG_\w+=(\S+)$", listed.read_text())
        assert len(pinned) == len(tags())
        assert [p.endswith(f"@{digest}") for p in pinned] == [
            not p.startswith("vlag/") for p in pinned
        ]


def test_make_up_says_when_a_night_begins_and_not_that_one_has(tmp_path: Path) -> None:
    """With containers that have just been started; `docker` here starts none."""
    docker = tmp_path / "docker"
    docker.write_text('#!/bin/sh\n[ "$2" != port ] || echo 127.0.0.1:8010\n')
    docker.chmod(0o755)
    done = subprocess.run(
        ["make", "--no-print-directory", "--old-file=secrets", "up"],
        cwd=ROOT, capture_output=True, text=True, check=True,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )  # fmt: skip
    words = " ".join(done.stdout.split())
    assert "the pages are at http://127.0.0.1:8010" in words
    assert "night of new volumes begins when master and worker are up" in words
    assert not _CLAIM.search(words)
    # Negative control: what it said before any container had a process.
    assert _CLAIM.search("the first night has begun")


#: That a night goes on, which nobody can know then.
_CLAIM = re.compile(r"\bnight (?:has begun|has started|is running|runs|began)\b")
