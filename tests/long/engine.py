# SPDX-License-Identifier: GPL-2.0-only
"""A private Docker engine: Debian's dockerd with folders of its own, and compose beside it.

    with running(folder) as engine:
        engine.docker("images")

`rootless` runs the same engine as an ordinary user, with a clone that is that user's.

No image can be fetched where tests run: `base` makes the pinned one from Debian's archive.
The engine shares nothing with one that the machine may have but the kernel's bridges.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from attrs import frozen

from tests.waiting import until
from vlag import ROOT

#: Of one call of the client: images are built in it.
CALL_S = 3600
#: The suite that has compose as a plugin; Debian 12 has none.
COMPOSE_SUITE = "trixie"
#: Debian's own start of an engine without root, and the user that tests run it as.
DOCKERD_ROOTLESS = Path("/usr/share/docker.io/contrib/dockerd-rootless.sh")
ROOTLESS = "vlag-rootless"
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
    user: str | None = None  # whose engine it is, and who calls it; None: root
    checkout: Path = ROOT

    @property
    def kind(self) -> str:
        """Return "rootless", or "rootful" for root's engine."""
        return "rootless" if self.user else "rootful"

    def docker(
        self,
        *words: str | Path,
        status: int | None = 0,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run the client; fail with its words if the status is another (None: any)."""
        return self.call("docker", *words, status=status, env=env)

    def call(
        self,
        *words: str | Path,
        status: int | None = 0,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the checkout as the user; fail with its words as `docker` does."""
        done = subprocess.run(
            [*becoming(self.user), *map(str, words)], cwd=self.checkout,
            env={**self.environment, **(env or {})},
            capture_output=True, text=True, check=False, timeout=CALL_S,
        )  # fmt: skip
        said = f"{words}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
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
            "--tag", known["VLAG_POSTGRES"], self.checkout / "tests/long/postgres",
        )  # fmt: skip


def becoming(user: str | None) -> list[str]:
    """Return the words that make root a user for one command; none for root itself."""
    if user is None:
        return []
    return ["setpriv", "--reuid", user, "--regid", user, "--init-groups", "--"]


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Engine]:
    """Run an engine whose images, containers and volumes are in `folder`."""
    run = folder / "run"
    run.mkdir(parents=True, exist_ok=True)
    engine = Engine(folder=folder, environment=_environment(folder))
    with _started(
        engine,
        "dockerd", "--host", engine.environment["DOCKER_HOST"], "--pidfile", run / "docker.pid",
        "--data-root", folder / "data", "--exec-root", run / "exec",
    ):  # fmt: skip
        yield engine


@contextlib.contextmanager
def rootless(folder: Path) -> Iterator[Engine]:
    """Run an engine without root as a user of its own, who has a clone of this checkout.

    Needs the packages uidmap, slirp4netns and rootlesskit.  What is in `folder` is the user's.
    """
    if not any(entry.pw_name == ROOTLESS for entry in pwd.getpwall()):
        # It stays, as its subordinate ids are the owners of a kept folder's images.
        subprocess.run(["useradd", "--no-create-home", "--user-group", ROOTLESS], check=True)
    for name in ("home", "run"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    checkout = folder / "vlag"
    shutil.rmtree(checkout, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", ROOT, checkout], check=True)
    environment = {
        **_environment(folder),
        "HOME": str(folder / "home"),
        "XDG_RUNTIME_DIR": str(folder / "run"),
        "PATH": f"{DOCKERD_ROOTLESS.parent}:{os.environ['PATH']}",
    }
    # The engine's own files keep the subordinate owners that they have.
    own(ROOTLESS, folder / "home", folder / "config", checkout)
    for path in (folder, folder / "run"):
        shutil.chown(path, ROOTLESS, ROOTLESS)
    engine = Engine(folder=folder, environment=environment, user=ROOTLESS, checkout=checkout)
    with _started(
        engine, *becoming(ROOTLESS), DOCKERD_ROOTLESS.name, "--data-root", folder / "data"
    ):
        yield engine


def own(user: str | None, *paths: Path) -> None:
    """Give files and folders with all below them to a user; nothing to do for root."""
    if user is not None:
        subprocess.run(["chown", "--recursive", f"{user}:{user}", *paths], check=True)


def _environment(folder: Path) -> dict[str, str]:
    """Return what every call of an engine's client gets."""
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith(("VLAG_", "COMPOSE_"))},
        "DOCKER_HOST": f"unix://{folder}/run/docker.sock",
        "DOCKER_CONFIG": str(_compose(folder)),
        "DOCKER_BUILDKIT": "1",
    }


@contextlib.contextmanager
def _started(engine: Engine, *argv: str | Path) -> Iterator[None]:
    """Start the engine by a command and stop it in the end, unless it runs already."""
    if engine.docker("version", status=None).returncode == 0:
        yield  # of a session that was cut off; who started it ends it
        return
    log_file = engine.folder / "dockerd.log"
    (engine.folder / "run/docker.pid").unlink(missing_ok=True)
    with log_file.open("ab") as log:
        process = subprocess.Popen(
            argv, cwd=engine.folder, env=engine.environment,
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, process_group=0,
        )  # fmt: skip
    try:
        until(
            lambda: not engine.docker("version", status=None).returncode,
            lambda: f"dockerd does not start: {log_file.read_text(errors='replace')[-2000:]}",
            alive=lambda: process.poll() is None,
        )
        yield
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
