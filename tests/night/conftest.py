"""One real night, shared by all tests that need kernels: a clean clone, `make run ONCE=1`.

`VLAG_TEST_NIGHT` names a clone in which that has been done already; for work on the
tests, never in CI.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from attrs import frozen

from vlag import ROOT
from vlag.pipeline import cluster, settings


@frozen(kw_only=True)
class Night:
    """A clone in which a first night has ended."""

    clone: Path
    output: str  # what `make run ONCE=1` printed
    seconds: float

    @property
    def state(self) -> Path:
        return self.clone / "var"

    def vlag(
        self, *arguments: object, status: int = 0, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run the clone's own `vlag`; fail with its words if the status is another."""
        done = subprocess.run(
            [self.clone / ".venv/bin/vlag", *map(str, arguments)],
            capture_output=True, text=True, check=False,
            cwd=self.clone, env={**environment(), **(env or {})},
        )  # fmt: skip
        assert done.returncode == status, f"{arguments}: {done.returncode}\n{done.stderr}"
        return done


def environment() -> dict[str, str]:
    """A person's environment, without what pytest's own virtual environment adds."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("VLAG_", "VIRTUAL_ENV"))}
    folders = [p for p in kept["PATH"].split(os.pathsep) if Path(p) != Path(sys.prefix) / "bin"]
    return {**kept, "PATH": os.pathsep.join(folders), "LANG": "C.UTF-8"}


@pytest.fixture(scope="session")
def night() -> Iterator[Night]:
    given = os.environ.get("VLAG_TEST_NIGHT")
    if given:
        log = Path(given) / "night.log"
        yield Night(clone=Path(given), output=log.read_text(), seconds=0)
        return
    clone = Path(tempfile.mkdtemp(prefix="vlag-night-")) / "vlag"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    log = clone / "night.log"
    started = time.monotonic()
    # To a file as well as to CI's own output: a night of silence looks like a hang.
    with (
        open(log, "w", encoding="utf-8") as out,
        subprocess.Popen(
            ["make", "run", "ONCE=1"], cwd=clone, env=environment(), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as service,
    ):  # fmt: skip
        for line in service.stdout or ():
            out.write(line)
            print(f"night: {line}", end="", file=sys.__stderr__, flush=True)
    seconds = time.monotonic() - started
    assert service.returncode == 0, f"make run ONCE=1 ended with {service.returncode}: see {log}"
    yield Night(clone=clone, output=log.read_text(), seconds=seconds)
    shutil.rmtree(clone.parent)


@contextmanager
def database(night: Night) -> Iterator[None]:
    """Run the night's own PostgreSQL."""
    prepared = cluster.prepare(settings.load(night.clone / "vlag.toml"))
    server = cluster.start(prepared, night.state / "log" / "test-postgresql.log")
    try:
        yield
    finally:
        cluster.stop(server)
