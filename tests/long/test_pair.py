# SPDX-License-Identifier: GPL-2.0-only
"""Two machines of one job: a real LAVA server, its coordinator, two QEMU on a private network."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.evidence import table, write
from tests.night.clone import SETTINGS, Night, environment
from tests.night.farm import Farm, farming

pytestmark = pytest.mark.long

PLAN = """
plan: farm
entries:
  - benchmark: iperf3-pair
    board_types: [qemu-sut]
    seeds: 1
    timeout_s: 240
"""


@pytest.fixture(scope="module")
def farm(night: Night, cluster: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    """A farm of one pair after its first night: 6.1 and 6.12 measured under one load."""
    done = night.vlag(
        "build", "--tree", "debian", "--ref", "linux-6.12", "--board-type", "qemu-loadgen",
        "--format", "json", env=environment(night.clone / SETTINGS),
    )  # fmt: skip
    bundle = Path(json.loads(done.stdout.splitlines()[-1])["bundle"])
    image = json.loads((bundle / "build.json").read_text())["image"]["path"]
    hosts = {
        "pair-1-sut": {
            "board_type": "qemu-sut", "lab": "home", "partner": "pair-1-loadgen",
            "network": {"ip": "192.168.76.1"},
        },
        "pair-1-loadgen": {
            "board_type": "qemu-loadgen", "lab": "home", "kernel": str(bundle / image),
            "network": {"ip": "192.168.76.2"},
        },
    }  # fmt: skip
    folder = tmp_path_factory.mktemp("lava")
    with farming(night, cluster, folder, (), hosts=hosts, plan=PLAN) as made:
        made.lava.start("coordinator")
        made.service.wait(lambda: any(b["complete"] for b in made.service.builds("nightly")), 1800)
        yield made


def runs(farm: Farm) -> list[dict[str, Any]]:
    return farm.rows("SELECT *, in_state(location) AS folder FROM run ORDER BY id")


def test_both_kernels_were_measured_by_the_other_machine(farm: Farm) -> None:
    found = runs(farm)
    assert [r["outcome"] for r in found] == ["complete"] * 2, [r["reason"] for r in found]
    assert {r["board"] for r in found} == {"pair-1-sut"}
    for run in found:
        metrics = farm.rows(
            "SELECT x.metric, s.values FROM sample s JOIN series x ON x.id = s.series"
            " WHERE s.run = %s",
            run["id"],
        )
        values = {m["metric"]: m["values"][0] for m in metrics}
        assert values["throughput"] > 0
        assert values["cpu-server"] > 0


def test_both_sides_are_in_one_bundle(farm: Farm) -> None:
    for run in runs(farm):
        folder = Path(run["folder"])
        names = {p.name for p in (folder / "raw").iterdir()}
        # The measured machine's own view, and the load generator's.
        assert {"iperf3.json", "iperf3-server.json", "schedstat-before.txt"} <= names
        assert {"loadgen-schedstat-before.txt", "loadgen-environment.txt"} <= names
        release = run["document"]["release"]
        for name, kernel in (("console.log", release), ("console-loadgen.log", "6.12")):
            assert f"Linux version {kernel}" in (folder / name).read_text(errors="replace")
        assert run["document"]["environment"]["uname"].split()[2] == release


def test_each_boot_is_two_jobs_of_one_group(farm: Farm) -> None:
    jobs = farm.jobs()
    assert len(jobs) == 4
    assert {j["health"] for j in jobs} == {"Complete"}
    found = [farm.client.job(j["id"]) for j in jobs]
    assert {(j.role, j.board) for j in found} == {
        ("sut", "pair-1-sut"), ("loadgen", "pair-1-loadgen")
    }  # fmt: skip
    assert len({j.group for j in found}) == 2


def test_the_evidence(farm: Farm) -> None:
    """Write down what the pair gave."""
    lines = []
    for run in runs(farm):
        values = farm.rows(
            "SELECT x.metric, x.unit, s.values[1] AS value FROM sample s"
            " JOIN series x ON x.id = s.series WHERE s.run = %s ORDER BY 1",
            run["id"],
        )
        lines += [
            (run["document"]["release"], v["metric"], f"{v['value']:g} {v['unit']}") for v in values
        ]
    write(
        "pair",
        "Two machines of one job",
        "pytest -m long tests/long/test_pair.py",
        ["boards: two QEMU under TCG on one dispatcher, a private network between them"],
        [
            "A real LAVA server with its coordinator starts both machines of a multinode job;",
            "the load generator (a fixed 6.12) sends to the machine under test with iperf3.",
            "The figures are the emulator's and prove nothing about a kernel.",
            "",
            *table(("kernel under test", "metric", "value"), lines),
        ],
    )
