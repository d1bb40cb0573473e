# SPDX-License-Identifier: GPL-2.0-only
"""`vlag compare --new-param`: runs on record under two values of a parameter."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.integration import bundles
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.store.database import Connection

KERNEL = bundles.kernel("6.12")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
ASK = ("compare", "linux-6.12", "linux-6.12", "--benchmark", "stress-ng-switch")


@pytest.fixture
def fill(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Callable[..., None]:
    """Store boots with parameters, whose figures are `factor` times the usual ones."""
    usual = dict(catalogue.benchmark("stress-ng-switch").parameters)
    paths = iter(range(1, 100))

    def work(factor: float, **parameters: Any) -> None:
        folder = tmp_path / str(next(paths))
        made = [bundles.build(folder / "build", KERNEL)]
        made += [
            bundles.run(
                folder / str(seed), KERNEL, catalogue, raw=bundles.stress_ng(factor * f), seed=seed,
                parameters={**usual, **parameters},
                run_key=bundles.sha(f"{parameters} {seed}"),
            )
            for seed, f in enumerate(SAME, 1)
        ]  # fmt: skip
        bundles.store(conn, catalogue, made)

    return work


def said(done: Result) -> str:
    """Return the sentence of a refusal."""
    assert done.exit_code == ExitCode.USAGE
    return done.stderr.splitlines()[-1]


def test_two_values_are_compared(
    fill: Callable[..., None], vlag: Callable[..., Result], conn: Connection
) -> None:
    fill(1.0)
    fill(0.9, instances=8)
    done = vlag(*ASK, "--new-param", "instances=8", "--exit-code", "--format", "json")
    assert done.exit_code == ExitCode.REGRESSION, done.output
    answer = json.loads(done.stdout)
    assert answer["factors"] == {"instances": ["2", "8"]}
    assert (answer["base"]["n"], answer["new"]["n"]) == (5, 5)
    words = {r["metric"]: r["verdict"] for r in answer["rows"]}
    assert words["bogo-ops-rate"] == "REGRESSION"
    # Negative control: the other way round it is faster.
    turned = vlag(*ASK, "--base-param", "instances=8", "--format", "json")
    words = {r["metric"]: r["verdict"] for r in json.loads(turned.stdout)["rows"]}
    assert words["bogo-ops-rate"] == "IMPROVEMENT"
    assert conn.execute("SELECT count(*) FROM comparison").fetchone() == (0,)


def test_all_other_parameters_are_equal(
    fill: Callable[..., None], vlag: Callable[..., Result]
) -> None:
    fill(1.0)
    fill(0.9, instances=8, duration_s=9)
    assert "beside instances, the runs of both sides are never equal" in said(
        vlag(*ASK, "--new-param", "instances=8")
    )
    fill(0.9, instances=8)
    fill(1.0, duration_s=9)
    assert "beside instances, the runs are equal in several ways" in said(
        vlag(*ASK, "--new-param", "instances=8")
    )
    both = ("--base-param=duration_s=9", "--new-param=duration_s=9")
    done = vlag(*ASK, *both, "--new-param", "instances=8", "--format", "json")
    assert json.loads(done.stdout)["factors"] == {"instances": ["2", "8"]}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--new-param", "users=8"], "stress-ng-switch has no parameter 'users'; it has "),
        (["--new-param", "instances=2"], "base and new both ask for instances=2; "),
        (["--new-param", "instances=8"],
         "NEW linux-6.12: no complete run of stress-ng-switch with instances=8 on qemu-sim-2"),
        (["--new-param", "instances=8", "--stage", "confirm"],
         "--stage is not for runs that differ in a parameter"),
        (["--new-param", "instances=8", "--baseline", "debian/6.1"],
         "--baseline is not for runs that differ in a parameter"),
        (["--new-param", "instances=8", "--benchmark", "hackbench-pipe"],
         "--base-param and --new-param need one --benchmark"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(
    fill: Callable[..., None], vlag: Callable[..., Result], more: list[str], why: str
) -> None:
    fill(1.0)
    assert why in said(vlag(*ASK, *more))


def test_files_say_their_parameters(vlag: Callable[..., Result], tmp_path: Path) -> None:
    path = tmp_path / "hackbench.txt"
    path.write_text("Time: 1.0\n")
    done = vlag("compare", str(path), "--", str(path), "--new-param", "a=1")
    assert "--new-param is for kernels on record; these are files" in said(done)
