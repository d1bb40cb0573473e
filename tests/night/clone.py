# SPDX-License-Identifier: GPL-2.0-only
"""A clean clone in which `make run ONCE=proof` is run, timed, and asked about.

The shipped settings make a night of an hour.  That of the long tests is smaller: one board
type, the plan of a commit, and one of the known regressions.  CI's is in road.py.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag import ROOT
from vlag.errors import ExitCode
from vlag.pipeline.night_plan import PROOF_REPORT

#: Settings of a night, beside the shipped ones in the clone.
SETTINGS = "ci.toml"
#: What `make run` printed, as JSON objects: `at_s`, seconds from the clone's start, and `line`.
TIMES = "night-times.jsonl"


def branch(
    name: str = "linux-6.12",
    *,
    baseline: str = "debian/6.1.*",
    plan: str = "commit",
    board_type: str = "qemu-sim-2",
    more: str = "",
) -> str:
    """Return a branch's entry of the settings; `more` is whole lines."""
    return f"""
[[branches]]
tree = "debian"
branch = "{name}"
baseline = "{baseline}"
{more}board_types = ["{board_type}"]
plan = "{plan}"

"""


#: A night's one branch, whose two kernels are built from source.
BRANCH = branch()
_PROOF = 'series = "known-regressions"\napplications = ["solo(4)"]\n'
#: Those of the long tests' night.
BRANCHES = BRANCH + branch(baseline="debian/6.12.*", more=_PROOF)


@frozen(kw_only=True)
class Night:
    """A clone in which a first night has ended."""

    clone: Path
    output: str  # what `make run` printed
    seconds: float  # from the start of the clone to the end of the night
    commit: str
    status: int = 0  # that of `vlag serve --once=proof`: 0, or 30 for a proof that failed
    cpus: int | None = None  # of the machine; None: made before this was kept
    memory_gb: float | None = None
    clone_s: float = 0.0  # what `git clone` took

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
            cwd=self.clone, env={**environment(self.clone / SETTINGS), **(env or {})},
        )  # fmt: skip
        said = f"{done.stdout[-2000:]}\n{done.stderr}"
        assert done.returncode == status, f"{arguments}: {done.returncode}\n{said}"
        return done

    def answer(self, words: Sequence[str]) -> dict[str, Any]:
        """Run the clone's own `vlag` and return the object that it prints last."""
        return dict(json.loads(self.vlag(*words).stdout.splitlines()[-1]))

    def newest_build(self) -> Path:
        """Return the build of the night's newest kernel, as Debian has it."""
        runs = [r for r in self.runs() if r["kernel"]["subject"].startswith("linux-source-6.12")]
        plain = next(r for r in runs if r["kernel"]["series"] is None)
        return Path(shlex.split(plain["reproduce"])[2])

    def runs(self) -> list[dict[str, Any]]:
        """Return every run.json with its folder as `bundle`."""
        return runs_below(self.state)

    def times(self) -> list[tuple[float, str]]:
        """Return each printed line with the seconds from the clone's start to it.

        Empty for a night that was made before they were kept.
        """
        path = self.clone / TIMES
        lines = path.read_text().splitlines() if path.exists() else []
        return [(float(d["at_s"]), str(d["line"])) for d in map(json.loads, lines)]

    def report_files(self) -> set[Path]:
        """Return the reports that nights have written, without those on the self-proof."""
        return self._reports() - self.proof_files()

    def proof_files(self) -> set[Path]:
        """Return the reports on the self-proof that nights have written."""
        return {path for path in self._reports() if path.name.endswith(PROOF_REPORT)}

    def _reports(self) -> set[Path]:
        return set((self.state / "reports").glob("*.txt"))


def runs_below(state: Path) -> list[dict[str, Any]]:
    """Return every run.json of a service's state with its folder as `bundle`."""
    return [
        {**json.loads(path.read_text()), "bundle": path.parent}
        for path in sorted((state / "runs").glob("*/*/run.json"))
    ]


def environment(settings: Path) -> dict[str, str]:
    """A person's environment with a settings file, without what pytest's own .venv adds."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("VLAG_", "VIRTUAL_ENV"))}
    folders = [p for p in kept["PATH"].split(os.pathsep) if Path(p) != Path(sys.prefix) / "bin"]
    path = os.pathsep.join(folders)
    return {**kept, "PATH": path, "LANG": "C.UTF-8", "VLAG_SETTINGS": str(settings)}


def write_settings(
    clone: Path, name: str, branches: str, *, automatic: Collection[str] = (), **values: int
) -> Path:
    """Write the shipped settings with other branches, and other values of single keys.

    What explains a verdict is off, but for the sections that `automatic` names.
    """
    shipped = (clone / "vlag.toml").read_text()
    head, tail = shipped[: shipped.index("[[branches]]")], "[nightly]"
    text = undisturbed(head + branches + tail + shipped.split(tail)[1])
    for key, value in values.items():
        text, found = re.subn(rf"(?m)^{key} = \d+", f"{key} = {value}", text)
        assert found == 1, key
    # What explains would still be booted while later tests count the night's runs.
    path = clone / name
    off = "".join(
        f"\n[{what}]\nautomatic = false\n"
        for what in ("profile", "toggles", "bisect")
        if what not in automatic
    )
    path.write_text(f"{text}{off}")
    return path


def undisturbed(settings: str) -> str:
    """Return settings by whose clock no night and no check of boards begins for hours.

    A test asks for each of them itself, and counts what is run.
    """
    hour = (time.localtime().tm_hour + 8) % 24
    settings, found = re.subn(r"(?m)^hour = .*$", f"hour = {hour}", settings)
    assert found == 1
    return re.sub(r"(?m)^hours = .*$", f"hours = [{hour}]", settings)


def shipped_branches(name: str) -> str:
    """Return the entries of the shipped settings' branches whose text has `name`."""
    shipped = (ROOT / "vlag.toml").read_text()
    blocks = shipped[: shipped.index("[checks]")].split("[[branches]]")[1:]
    chosen = [block for block in blocks if name in block]
    assert chosen, name
    return "".join(f"[[branches]]{block}" for block in chosen)


def first_night(clone: Path, branches: str | None = BRANCHES, once: str = "proof") -> Night:
    """Clone this checkout's HEAD and run the first night in it; what it says is passed on.

    Without `branches` the shipped settings are taken.  `once` is that of `make run`.
    """
    started = time.monotonic()
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    clone_s = time.monotonic() - started
    if branches is None:
        (clone / SETTINGS).write_text(undisturbed((clone / "vlag.toml").read_text()))
    else:
        write_settings(clone, SETTINGS, branches)
    with (
        open(clone / "night.log", "w", encoding="utf-8", buffering=1) as out,
        open(clone / TIMES, "w", encoding="utf-8", buffering=1) as times,
        subprocess.Popen(
            ["make", "run", f"ONCE={once}"], cwd=clone, env=environment(clone / SETTINGS),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        ) as service,
    ):  # fmt: skip
        for line in service.stdout or ():
            out.write(line)
            said = {"at_s": round(time.monotonic() - started, 1), "line": line.rstrip("\n")}
            times.write(json.dumps(said) + "\n")
            print(f"night: {line}", end="", flush=True)
    seconds = time.monotonic() - started
    # make itself ends with 2 whatever failed, and prints the status of the command.
    failed = re.search(r"(?m)^make: \*\*\* .* Error (\d+)$", (clone / "night.log").read_text())
    status = int(failed[1]) if failed else service.returncode
    # A night without its proof is whole: it is kept, to be looked at.
    assert status in (ExitCode.OK, ExitCode.PROOF_FAILED), f"ONCE={once}: {status}, see above"
    commit = subprocess.run(
        ["git", "-C", clone, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    about = {
        "seconds": seconds, "commit": commit, "status": status, "clone_s": round(clone_s, 1),
        "cpus": os.cpu_count(), "memory_gb": memory_gb(),
    }  # fmt: skip
    (clone / "night.json").write_text(json.dumps(about))
    return earlier_night(clone)


def memory_gb() -> float:
    """Return the memory of this machine."""
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1)


def earlier_night(clone: Path) -> Night:
    """Return a night that `first_night` has left."""
    about = json.loads((clone / "night.json").read_text())
    return Night(clone=clone, output=(clone / "night.log").read_text(), **about)


@contextmanager
def shared_night(
    name: str = "VLAG_TEST_NIGHT", branches: str | None = BRANCHES, once: str = "proof"
) -> Iterator[Night]:
    """Give the night in the folder that variable `name` names, made if it is not there.

    Without the variable: a new one in a folder of its own.
    """
    kept = os.environ.get(name)
    if kept and (Path(kept) / "night.json").exists():
        yield earlier_night(Path(kept))
        return
    folder = Path(tempfile.mkdtemp(prefix="vlag-night-"))
    yield first_night(Path(kept) if kept else folder / "vlag", branches, once)
    # Some hundred thousand files, minutes on a slow disk: nobody waits for it.
    subprocess.Popen(["rm", "-rf", folder], start_new_session=True)


def reproduce(folder: Path, status: int) -> str:
    """Run the folder's script as on another machine; return what it said."""
    done = subprocess.run(
        [folder / "reproduce"], capture_output=True, text=True, check=False, cwd="/",
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr
