# SPDX-License-Identifier: GPL-2.0-only
"""TPROC-C on emulated boards: a real LAVA server boots two QEMU that have MariaDB on a disk.

`VLAG_TEST_HAMMERDB` names an unpacked HammerDB 4, which no Debian package has;
`VLAG_TEST_TPROCC_DISK` a file to keep the boards' disk in: a second session finds it there.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
from attrs import field, frozen
from psycopg.rows import dict_row

from bench.evidence import table, write
from tests.conftest import fresh_database
from tests.integration.lava_lab import Lava, running
from tests.integration.line import Line
from tests.night.clone import SETTINGS, Night, environment
from tests.night.farm import left_as_it_was, prepare
from vlag import ROOT, config
from vlag.config.catalogue import load
from vlag.errors import ExitCode
from vlag.lava.server import Client
from vlag.pipeline import lab_boot

pytestmark = pytest.mark.long

TPROCC = load().benchmark("mysql-tprocc")
POLICIES = ("other", "batch")
#: Of each policy: the fewest that a comparison judges.
BOOTS = 3
#: The least that HammerDB takes, in minutes, and a user for each CPU of the machine under test.
SHORT = {"users": 2, "warehouses": 1, "rampup_min": 0, "duration_min": 1}
TIMEOUT_S = 900
#: Of one job, with both boards' boots.
ENDS_S = TIMEOUT_S + 300

PLAN = f"""
plan: farm
entries:
  - benchmark: mysql-tprocc
    parameters: {json.dumps(SHORT)}
    board_types: [qemu-sut]
    seeds: {BOOTS}
    timeout_s: {TIMEOUT_S}
"""


@frozen(kw_only=True)
class Measured:
    """One boot of both machines that was measured."""

    policy: str
    bundle: Path
    job_s: float  # what LAVA's jobs took


@frozen(kw_only=True)
class Farm:
    """A LAVA server with pairs of emulated boards, and what was measured there."""

    night: Night
    lava: Lava
    toml: Path
    dsn: str
    build: Path
    measured: list[Measured] = field(factory=list)

    @property
    def env(self) -> dict[str, str]:
        return {"VLAG_SETTINGS": str(self.toml), "VLAG_DATABASE": self.dsn}

    def vlag(self, *words: object) -> dict[str, Any]:
        """Run `vlag`, return its answer."""
        done = self.night.vlag(*words, "--format", "json", env=self.env)
        return dict(json.loads(done.stdout.splitlines()[-1]))

    def boot(self, board: str, seed: int, policy: str = "other") -> tuple[Path, float]:
        """Have the server boot a pair; return the boot's folder, and the seconds it took."""
        given = [f"--param={k}={v}" for k, v in {**SHORT, "policy": policy}.items()]
        asked = self.vlag(
            "submit", self.build, "--board-type", "qemu-sut", "--board", board, "--seed", seed,
            "--benchmark", TPROCC.name, *given, "--plan", "farm", "--timeout", TIMEOUT_S,
        )  # fmt: skip
        assert len(asked["jobs"]) == 2
        began, client = time.monotonic(), Client(self.lava.lab())
        while any(client.job(n).state != "Finished" for n in asked["jobs"]):
            assert time.monotonic() - began < ENDS_S, self.said(asked["jobs"])
            time.sleep(2)
        return Path(asked["folder"]), time.monotonic() - began

    def said(self, jobs: Sequence[int]) -> str:
        """Return the end of what both machines have said."""
        return "\n".join(line for n in jobs for line in Client(self.lava.lab()).log(n)[-40:])

    def rows(self, query: str, *values: object) -> list[dict[str, Any]]:
        with psycopg.connect(self.dsn, row_factory=dict_row) as conn:
            return conn.execute(query.encode(), values).fetchall()

    def compare(self, *options: str) -> dict[str, Any]:
        """Return the comparison of the boots under `batch` with those under `other`."""
        base, new = ([m.bundle for m in self.measured if m.policy == p] for p in POLICIES)
        return self.vlag("compare", *options, *base, "--", *new)


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The disk of all boards, made by `make-disk`."""
    kept = Path(os.environ.get("VLAG_TEST_TPROCC_DISK") or tmp_path_factory.mktemp("tprocc") / "i")
    if not kept.exists():
        hammerdb = os.environ.get("VLAG_TEST_HAMMERDB", "")
        assert (Path(hammerdb) / "hammerdbcli").is_file(), (
            "VLAG_TEST_HAMMERDB must name an unpacked HammerDB 4, from hammerdb.com"
        )
        make = ROOT / "lava-jobs" / "benchmarks" / TPROCC.name / "make-disk"
        subprocess.run([make, kept, hammerdb, str(SHORT["warehouses"])], check=True)
    return kept


def pair(name: str, kernel: Path, disk: Path | None) -> dict[str, Mapping[str, Any]]:
    """Return the inventory's keys of both machines of a pair."""
    own = {"lab": "home"} if disk is None else {"lab": "home", "disk": str(disk)}
    return {
        f"{name}-sut": {
            **own, "board_type": "qemu-sut", "partner": f"{name}-loadgen",
            "network": {"ip": "192.168.76.1"},
        },
        f"{name}-loadgen": {
            **own, "board_type": "qemu-loadgen", "kernel": str(kernel),
            "network": {"ip": "192.168.76.2"},
        },
    }  # fmt: skip


@pytest.fixture(scope="module")
def farm(
    night: Night, cluster: str, template: str, disk: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Farm]:
    """A farm with a pair that has the disk, one that has none, and one whose disk is not there."""
    done = night.vlag(
        "build", "--tree", "debian", "--ref", "linux-6.12", "--board-type", "qemu-sut",
        "--format", "json", env=environment(night.clone / SETTINGS),
    )  # fmt: skip
    build = Path(json.loads(done.stdout.splitlines()[-1])["bundle"])
    kernel = build / json.loads((build / "build.json").read_text())["image"]["path"]
    hosts = {
        **pair("with", kernel, disk),
        **pair("without", kernel, None),
        **pair("lost", kernel, disk.with_name("no-such-disk.img")),
    }
    with (
        running(cluster, tmp_path_factory.mktemp("lava")) as lava,
        Line(int(lava.url.rsplit(":", 1)[1])) as line,
        left_as_it_was(night),
    ):
        made = prepare(night, lava, line, (), hosts, PLAN)
        lava.start("coordinator")
        toml = made.service.toml
        farm = Farm(
            night=made.night, lava=lava, toml=toml, build=build,
            dsn=fresh_database(cluster, template),
        )  # fmt: skip
        port = config.load(toml).artifacts_port
        store = subprocess.Popen(
            [night.clone / ".venv/bin/vlag", "artifacts", "--listen", f"127.0.0.1:{port}"],
            env=environment(toml), stdin=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            yield farm
        finally:
            store.terminate()
            store.wait(30)


@pytest.fixture(scope="module")
def measured(farm: Farm, disk: Path) -> Farm:
    """The farm after boots under both policies, in turns; each is on record."""
    before = disk.stat().st_mtime_ns
    for seed in range(1, BOOTS + 1):
        for policy in POLICIES:
            folder, seconds = farm.boot("with-sut", seed, policy)
            bundle = Path(farm.vlag("collect", folder)["bundle"])
            farm.measured.append(Measured(policy=policy, bundle=bundle, job_s=seconds))
            farm.vlag("ingest", bundle)
    assert disk.stat().st_mtime_ns == before
    return farm


def figures(farm: Farm) -> list[dict[str, Any]]:
    """Return each run on record with its figures by metric."""
    runs = farm.rows("SELECT * FROM run ORDER BY id")
    for run in runs:
        found = farm.rows(
            "SELECT x.metric, s.values FROM sample s JOIN series x ON x.id = s.series"
            " WHERE s.run = %s",
            run["id"],
        )
        run["figures"] = {f["metric"]: f["values"][0] for f in found}
    return runs


def test_both_policies_are_measured_on_the_boards(measured: Farm) -> None:
    runs = figures(measured)
    assert [r["outcome"] for r in runs] == ["complete"] * (2 * BOOTS), [r["reason"] for r in runs]
    assert {r["board"] for r in runs} == {"with-sut"}
    assert [r["document"]["parameters"]["policy"] for r in runs] == [*POLICIES] * BOOTS
    for run in runs:
        assert set(run["figures"]) == {m.name for m in TPROCC.metrics}
        assert 0 < run["figures"]["nopm"] < run["figures"]["tpm"]
        assert run["figures"]["latency-mean"] > 0
        assert f"--{run['document']['parameters']['policy']}" in run["document"]["argv"]["sut"]


def test_both_sides_are_in_one_bundle(measured: Farm) -> None:
    for one in measured.measured:
        names = {p.name for p in (one.bundle / "raw").iterdir()}
        assert {"hammerdb.txt", "mysqld.txt", "stat-before.txt", "stat-after.txt"} <= names
        assert "loadgen-environment.txt" in names
        said = (one.bundle / "raw" / "mysqld.txt").read_text(errors="replace")
        assert "ready for connections" in said
        for console in ("console.log", "console-loadgen.log"):
            text = (one.bundle / console).read_text(errors="replace")
            assert "virtio_blk virtio" in text
            assert "Linux version 6.12" in text


def test_batch_is_compared_with_the_default(measured: Farm) -> None:
    said = measured.compare("--factor", "policy")
    assert said["factors"] == {"policy": list(POLICIES)}
    assert said["catalogue"] == [TPROCC.name]
    assert {r["metric"] for r in said["rows"]} == {m.name for m in TPROCC.metrics}
    assert {r["verdict"] for r in said["rows"]}.isdisjoint({"NOT_COMPARABLE", "FAILED"})
    assert (said["base"]["n"], said["new"]["n"]) == (BOOTS, BOOTS)


def test_nobody_compares_two_policies_by_mistake(measured: Farm) -> None:
    """Negative control: nobody asks for it."""
    said = measured.compare()
    assert {r["verdict"] for r in said["rows"]} == {"NOT_COMPARABLE"}
    assert "parameter policy other against batch" in json.dumps(said)


@pytest.mark.parametrize(
    ("board", "why"),
    [
        ("without", "disk .* none with the label vlag-mysql: make one with make-disk"),
        ("lost", "the emulator gave up: qemu-system-x86_64: .*/no-such-disk.img"),
    ],
)
def test_a_board_without_its_disk_is_no_result_of_a_kernel(
    farm: Farm, board: str, why: str
) -> None:
    """Negative control."""
    folder, _ = farm.boot(f"{board}-sut", 1)
    done = farm.night.vlag("collect", folder, status=ExitCode.INFRASTRUCTURE, env=farm.env)
    [sentence] = [line for line in done.stderr.splitlines() if line.startswith("vlag: ")]
    assert re.search(why, sentence), sentence
    assert (folder / lab_boot.FAILED).exists()
    assert not (folder / lab_boot.ENDED).exists()


def test_the_evidence(measured: Farm, disk: Path) -> None:
    runs = figures(measured)
    lines = []
    for policy in POLICIES:
        mine = [r["figures"] for r in runs if r["document"]["parameters"]["policy"] == policy]
        for metric in TPROCC.metrics:
            values = [f[metric.name] for f in mine]
            name = f"{metric.name}, {metric.unit}"
            lines.append((policy, name, *(f"{v:.6g}" for v in values)))
    said = measured.compare("--factor", "policy")
    verdicts = [(r["metric"], r["verdict"], f"{r['n_base']} + {r['n_new']}") for r in said["rows"]]
    seconds = [m.job_s for m in measured.measured]
    version = next(r["document"]["release"] for r in runs)
    write(
        "tprocc-boards",
        "TPROC-C on emulated boards of a LAVA server",
        "pytest -m long tests/long/test_tprocc_boards.py",
        [
            "boards: two QEMU under TCG on one dispatcher, a private network between them, each"
            f" with a disk of {disk.stat().st_size >> 20} MB that make-disk has made",
            f"kernel of both: {version}",
            f"HammerDB: {', '.join(f'{k} {v}' for k, v in SHORT.items())}",
            f"load of this machine in the last 15 minutes: {os.getloadavg()[2]:.1f}",
        ],
        [
            "A real LAVA server with its coordinator starts both machines of a multinode job.",
            "MariaDB and HammerDB come from the disk; no boot changes its image. The policies take",
            f"turns. A job takes {min(seconds):.0f} to {max(seconds):.0f} s.",
            "The figures are those of an emulator on a machine with other work: they say that the",
            "parts work together, and nothing about a policy.",
            "",
            *table(("policy", "metric", *(f"boot {n}" for n in range(1, BOOTS + 1))), lines),
            "",
            "`vlag compare --factor policy` of the boots, `batch` against `other`; without the",
            "option it refuses them, for their policy differs:",
            "",
            *table(("metric", "verdict", "boots"), verdicts),
            "",
            "A board whose inventory names no disk, or one that is not there, gives no run: it is",
            "an infrastructure failure whose sentence names the disk.",
        ],
    )
