"""A failed build, a panic at boot and a hang are results on record, and the night goes on.

The service of the first night is started again, on the same state, with three
more branches to watch.
"""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.night.clone import Night, environment

pytestmark = pytest.mark.night

#: What is added to the end of init/main.c.
FAULTS = {
    "fault-build": "this is not C\n",
    "fault-panic": """
static int __init vlag_fault(void)
{
	panic("vlag test: a panic at boot");
}
late_initcall(vlag_fault);
""",
    "fault-hang": """
static int __init vlag_fault(void)
{
	for (;;)
		cpu_relax();
	return 0;
}
late_initcall(vlag_fault);
""",
}
#: Short time-outs; the good kernels' runs are those of the first night.
PLAN = """
plan: faults
entries:
  - benchmark: stress-ng-switch
    board_types: [qemu-sim-2]
    seeds: 5
    timeout_s: 20
"""
DEADLINE_S = 1500


def git(night: Night, *arguments: str, data: str | None = None, **env: str) -> str:
    return subprocess.run(
        ["git", f"--git-dir={night.state}/mirrors/debian.git", *arguments],
        input=data, capture_output=True, text=True, check=True, env={**os.environ, **env},
    ).stdout.rstrip("\n")  # fmt: skip


def add_branch(night: Night, name: str, code: str, tmp_path: Path) -> None:
    """Commit a change of init/main.c on top of linux-6.12 as a branch of its own."""
    blob = git(night, "hash-object", "-w", "--stdin",
               data=git(night, "show", "linux-6.12:init/main.c") + "\n" + code)  # fmt: skip
    index = {"GIT_INDEX_FILE": str(tmp_path / name)}
    git(night, "read-tree", "linux-6.12", **index)
    git(night, "update-index", "--cacheinfo", f"100644,{blob},init/main.c", **index)
    who = {
        f"GIT_{w}_{k}": "test@localhost" for w in ("AUTHOR", "COMMITTER") for k in ("NAME", "EMAIL")
    }
    commit = git(night, "commit-tree", git(night, "write-tree", **index), "-p", "linux-6.12",
                 "-m", f"init: add a {name}", **who)  # fmt: skip
    git(night, "update-ref", f"refs/heads/{name}", commit)


@pytest.fixture(scope="module")
def second_night(night: Night, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a night over the good branch and the faulty ones; give its report."""
    tmp_path = tmp_path_factory.mktemp("faults")
    for name, code in FAULTS.items():
        add_branch(night, name, code, tmp_path)
    (night.clone / "lava-jobs/plans/faults.yaml").write_text(PLAN)
    shipped = (night.clone / "vlag.toml").read_text()
    head, block = shipped.split("[[branches]]")
    block, tail = block.split("[nightly]")
    block = block.replace('plan = "nightly"', 'plan = "faults"')
    blocks = [block.replace('"linux-6.12"', f'"{name}"') for name in (*FAULTS, "linux-6.12")]
    toml = night.clone / "faults.toml"
    toml.write_text(
        head
        + "".join(f"[[branches]]{b}" for b in blocks)
        + "[nightly]"
        # Branches that are new to the poller would be built a second time by it.
        + tail.replace("poll_interval_s = 30", "poll_interval_s = 86400")
    )
    before = night.report_files()
    log = open(night.clone / "faults.log", "w+", encoding="utf-8")  # noqa: SIM115
    service = subprocess.Popen(
        ["make", "run"], cwd=night.clone, env={**environment(), "VLAG_SETTINGS": str(toml)},
        stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        web = "http://127.0.0.1:8010/api/v2"
        wait(lambda: answers(web), service, log, 120)
        force = {"id": 1, "jsonrpc": "2.0", "method": "force", "params": {}}
        requests.post(
            f"{web}/forceschedulers/nightly-now", json=force, timeout=30
        ).raise_for_status()
        wait(lambda: bool(night.report_files() - before), service, log, DEADLINE_S)
        (report,) = night.report_files() - before
        yield report.read_text()
    finally:
        os.killpg(service.pid, signal.SIGINT)
        service.wait(60)
        log.close()
        assert not left_behind(night)


def left_behind(night: Night) -> list[str]:
    """Return the command lines of processes that still work on the night's state."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        line = b" ".join(words).decode(errors="replace")
        if str(night.state) in line and path.name != str(os.getpid()):
            found.append(line)
    return found


def answers(web: str) -> bool:
    try:
        return requests.get(f"{web}/workers", timeout=5).ok
    except requests.RequestException:
        return False


def wait(condition: Any, service: subprocess.Popen[bytes], log: Any, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert service.poll() is None, Path(log.name).read_text()[-2000:]
        assert time.monotonic() < end, Path(log.name).read_text()[-2000:]
        time.sleep(1)


def documents(night: Night, pattern: str, branch: str) -> list[dict[str, Any]]:
    found = [json.loads(p.read_text()) for p in (night.state).glob(pattern)]
    return [d for d in found if d["kernel"]["branch"] == branch]


# The poller sees the new branches too, so that a kernel may be tried a second time while
# these tests look: what holds of one attempt holds of each.


def flat(report: str) -> str:
    """Undo the report's line breaks."""
    return re.sub(r"\s+", " ", report)


def test_a_failed_build_is_a_result(night: Night, second_night: str) -> None:
    builds = documents(night, "builds/*/*/build.json", "fault-build")
    assert builds
    for build in builds:
        assert build["outcome"] == "build_failed"
        assert re.match(r"init/main\.c:\d+:\d+: error: ", build["reason"])
        assert build["reason"] in flat(second_night)


def test_a_panic_at_boot_is_a_result_and_gates_the_rest(night: Night, second_night: str) -> None:
    runs = documents(night, "runs/*/*/run.json", "fault-panic")
    assert {r["seed"] for r in runs} == {1}
    for run in runs:
        assert run["outcome"] == "panic"
        assert "vlag test: a panic at boot" in run["reason"]
        assert [h["kind"] for h in run["health"]] == ["panic"]
    assert "vlag test: a panic at boot" in flat(second_night)


def test_a_hang_is_a_result_and_gates_the_rest(night: Night, second_night: str) -> None:
    runs = documents(night, "runs/*/*/run.json", "fault-hang")
    assert {r["seed"] for r in runs} == {1}
    for run in runs:
        assert run["outcome"] == "hang"
        assert "while booting" in run["reason"]
    assert "hang: no end within" in flat(second_night)


def test_the_night_went_on(second_night: str) -> None:
    """The report is made from the database: what stands in it is on record."""
    assert re.search(r"stress-ng-switch bogo-ops-rate", second_night)
    assert "6.12." in second_night
