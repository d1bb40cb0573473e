"""A clean clone in which `make run ONCE=1` is run, timed, and asked about."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag import ROOT


@frozen(kw_only=True)
class Night:
    """A clone in which a first night has ended."""

    clone: Path
    output: str  # what `make run ONCE=1` printed
    seconds: float  # from the empty clone to the report
    commit: str

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

    def runs(self) -> list[dict[str, Any]]:
        """Return every run.json with its folder as `bundle`."""
        return [
            {**json.loads(path.read_text()), "bundle": path.parent}
            for path in sorted((self.state / "runs").glob("*/*/run.json"))
        ]

    def report_files(self) -> set[Path]:
        """Return the reports that nights have written."""
        return set((self.state / "reports").glob("*.txt"))


def environment() -> dict[str, str]:
    """A person's environment, without what pytest's own virtual environment adds."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("VLAG_", "VIRTUAL_ENV"))}
    folders = [p for p in kept["PATH"].split(os.pathsep) if Path(p) != Path(sys.prefix) / "bin"]
    return {**kept, "PATH": os.pathsep.join(folders), "LANG": "C.UTF-8"}


def first_night(clone: Path) -> Night:
    """Clone this checkout's HEAD and run the first night in it; what it says is passed on."""
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    started = time.monotonic()
    with (
        open(clone / "night.log", "w", encoding="utf-8", buffering=1) as out,
        subprocess.Popen(
            ["make", "run", "ONCE=1"], cwd=clone, env=environment(), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as service,
    ):  # fmt: skip
        for line in service.stdout or ():
            out.write(line)
            print(f"night: {line}", end="", flush=True)
    seconds = time.monotonic() - started
    assert service.returncode == 0, f"make run ONCE=1 ended with {service.returncode}, see above"
    commit = subprocess.run(
        ["git", "-C", clone, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    (clone / "night.json").write_text(json.dumps({"seconds": seconds, "commit": commit}))
    return earlier_night(clone)


def earlier_night(clone: Path) -> Night:
    """Return a night that `first_night` has left."""
    about = json.loads((clone / "night.json").read_text())
    return Night(clone=clone, output=(clone / "night.log").read_text(), **about)


@contextmanager
def shared_night() -> Iterator[Night]:
    """Give the night that `VLAG_TEST_NIGHT` names, made if it is not there, else a new one."""
    kept = os.environ.get("VLAG_TEST_NIGHT")
    if kept and (Path(kept) / "night.json").exists():
        yield earlier_night(Path(kept))
        return
    folder = Path(tempfile.mkdtemp(prefix="vlag-night-"))
    yield first_night(Path(kept) if kept else folder / "vlag")
    shutil.rmtree(folder)
