"""A private Docker engine: Debian's dockerd with folders of its own, and compose beside it.

    with running(folder) as engine:
        engine.docker("images")

No image can be fetched where tests run: `base` makes the pinned one from Debian's archive.
The engine shares nothing with one that the machine may have but the kernel's bridges.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from attrs import frozen

from vlag import ROOT

#: Of a start of the engine.
START_S = 60
#: Of one call of the client: images are built in it.
CALL_S = 3600
#: The suite that has compose as a plugin; Debian 12 has none.
COMPOSE_SUITE = "trixie"
_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


def images() -> dict[str, str]:
    """Return images.env: variable -> tag, without the digest: the images here are our own."""
    found = re.findall(r"(?m)^(\w+)=([^\s@]+)", (ROOT / "images.env").read_text())
    return dict(found)


@frozen(kw_only=True)
class Engine:
    """An engine that runs."""

    folder: Path
    environment: Mapping[str, str]

    def docker(
        self,
        *words: str | Path,
        status: int | None = 0,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run the client; fail with its words if the status is another (None: any)."""
        done = subprocess.run(
            ["docker", *map(str, words)], cwd=ROOT, env={**self.environment, **(env or {})},
            capture_output=True, text=True, check=False, timeout=CALL_S,
        )  # fmt: skip
        said = f"docker {words}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        assert status is None or done.returncode == status, said
        return done

    def has(self, image: str) -> bool:
        """Tell whether an image is there."""
        return self.docker("image", "inspect", image, status=None).returncode == 0

    def size_mb(self, image: str) -> float:
        """Return the size of an image, MB."""
        said = self.docker("image", "inspect", "--format", "{{.Size}}", image).stdout
        return int(said) / 1e6

    def digest(self, image: str) -> str:
        """Return the beginning of an image's digest."""
        said = self.docker("image", "inspect", "--format", "{{.Id}}", image).stdout
        return said.strip()[: len("sha256:") + 12]

    def base(self) -> None:
        """Make the pinned image of Debian, where it is not there, from Debian's archive."""
        image = images()["VLAG_DEBIAN"]
        if self.has(image):
            return
        suite = image.partition(":")[2].partition("-")[0]
        archive = self.folder / "base.tar"
        subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=minbase", suite, str(archive)], check=True
        )
        self.docker("import", archive, image)
        archive.unlink()

    def stand_in(self) -> None:
        """Build what stands in for PostgreSQL's image, under its pinned tag."""
        known = images()
        self.docker(
            "build", "--quiet", "--build-arg", f"VLAG_DEBIAN={known['VLAG_DEBIAN']}",
            "--tag", known["VLAG_POSTGRES"], ROOT / "tests/long/postgres",
        )  # fmt: skip


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Engine]:
    """Run an engine whose images, containers and volumes are in `folder`."""
    run = folder / "run"
    run.mkdir(parents=True, exist_ok=True)
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("VLAG_", "COMPOSE_"))},
        "DOCKER_HOST": f"unix://{run}/docker.sock",
        "DOCKER_CONFIG": str(_compose(folder)),
        "DOCKER_BUILDKIT": "1",
    }
    engine = Engine(folder=folder, environment=environment)
    if engine.docker("version", status=None).returncode == 0:
        yield engine  # of a session that was cut off; who started it ends it
        return
    (run / "docker.pid").unlink(missing_ok=True)
    with (folder / "dockerd.log").open("ab") as log:
        process = subprocess.Popen(
            [
                "dockerd", "--host", environment["DOCKER_HOST"], "--pidfile", run / "docker.pid",
                "--data-root", folder / "data", "--exec-root", run / "exec",
            ],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, process_group=0,
        )  # fmt: skip
    try:
        deadline = time.monotonic() + START_S
        while engine.docker("version", status=None).returncode:
            said = (folder / "dockerd.log").read_text(errors="replace")[-2000:]
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"dockerd does not start: {said}")
            time.sleep(0.2)
        yield engine
    finally:
        if process.poll() is None:
            # Containers end with the engine: it stops each as `docker stop` does.
            process.terminate()
            process.wait(120)


def _compose(folder: Path) -> Path:
    """Return a client's configuration with the plugins compose and buildx, fetched once."""
    home = folder / "config"
    plugins = home / "cli-plugins"
    if (plugins / "docker-compose").exists():
        return home
    apt = folder / "apt"
    for name in ("parts", "lists/partial", "cache/archives/partial"):
        (apt / name).mkdir(parents=True, exist_ok=True)
    (apt / "parts/compose.sources").write_text(
        f"Types: deb\nURIs: {_archive()}\nSuites: {COMPOSE_SUITE}\nComponents: main\n"
        f"Signed-By: {_KEYS}\n"
    )
    (apt / "apt.conf").write_text(
        f'Dir::Etc::SourceList "/dev/null";\nDir::Etc::SourceParts "{apt}/parts";\n'
        f'Dir::State::Lists "{apt}/lists";\nDir::Cache "{apt}/cache";\n'
        'APT::Sandbox::User "root";\n'
    )
    env = {**os.environ, "APT_CONFIG": str(apt / "apt.conf")}
    for argv in (["update", "-qq"], ["download", "-qq", "docker-compose", "docker-buildx"]):
        subprocess.run(["apt-get", *argv], cwd=apt, env=env, check=True, capture_output=True)
    for package in apt.glob("*.deb"):
        subprocess.run(["dpkg-deb", "--extract", package, apt / "root"], check=True)
    plugins.mkdir(parents=True, exist_ok=True)
    for plugin in sorted((apt / "root/usr/libexec/docker/cli-plugins").iterdir(), reverse=True):
        plugin.rename(plugins / plugin.name)
    return home


def _archive() -> str:
    """Return the URI of the Debian archive that this machine uses."""
    said = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(LABEL) $(COMPONENT)",
         "Created-By: Packages"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for line in said.splitlines():
        if line.endswith(" Debian main"):
            return line.split()[0]
    pytest.fail("the package sources of this machine name no Debian main archive")
