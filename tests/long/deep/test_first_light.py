# SPDX-License-Identifier: GPL-2.0-only
"""6.12 against 6.1 on the deterministic board, from a clean clone, through every real part."""

import hashlib
import json
import re
import shlex
import shutil
import signal
import subprocess
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.night.clone import Night
from tests.night.database import database
from tests.night.digests import figures, led_back, read_record, record_key, samples_digest

pytestmark = pytest.mark.long


def comparisons(night: Night) -> list[dict[str, Any]]:
    """Return the night's comparisons: the branch, then the known regression."""
    with database(night):
        said = night.vlag("report", "--comparison=1", "--comparison=2", "--format", "json").stdout
    return list(json.loads(said)["comparisons"])


@pytest.fixture(scope="module")
def report(night: Night) -> dict[str, Any]:
    """6.12 against 6.1."""
    return next(c for c in comparisons(night) if c["base"]["release"].startswith("6.1."))


def test_the_report_is_printed_and_complete(night: Night, report: dict[str, Any]) -> None:
    # The terminal has what may have changed and the file's name, the file has every figure.
    saved = min(night.report_files())
    for name in ("stress-ng-switch", "cyclictest-hackbench", "on qemu-sim-2", str(saved)):
        assert name in night.output
    for figure in ("stress-ng-switch bogo-ops-rate", "cyclictest-hackbench latency p99 "):
        assert figure in saved.read_text()
    assert "Traceback" not in night.output
    assert report["base"]["release"].startswith("6.1.")
    assert report["new"]["release"].startswith("6.12.")
    assert {(r["metric"], r["statistic"]) for r in report["rows"]} >= {
        ("bogo-ops-rate", "median"),
        ("latency", "p50"), ("latency", "p99"), ("latency", "max"),
    }  # fmt: skip
    assert any(row["decided_by"] is None for row in report["rows"])
    for row in report["rows"]:
        if row["decided_by"]:  # by rerun boots, of which the first round has ten a side
            assert min(row["n_base"], row["n_new"]) >= 10, row
        elif row["statistic"] in ("p99", "p99.9", "p99.99"):  # unknown where a boot has few samples
            assert row["verdict"] == "INCONCLUSIVE" or (row["n_base"], row["n_new"]) == (5, 5), row
        else:
            assert (row["n_base"], row["n_new"]) == (5, 5), row
        assert row["verdict"] != "NOT_COMPARABLE", row


def test_every_line_of_the_report_fits_a_mail(night: Night) -> None:
    for path, said in ((min(night.report_files()), "So far: "), (min(night.proof_files()),
                       "min were expected, it took")):  # fmt: skip
        text = path.read_text()
        tables = re.sub(r"(?s)\nSources of the numbers\n.*?(\n\n\n|$)", "", text)
        # Commands to copy and addresses are not cut.
        lines = [x for x in tables.splitlines() if not re.match(r" +(vlag |https?://)", x)]
        assert len(lines) > 20
        assert max(map(len, lines)) <= 78
        assert said in tables


def test_the_night_proves_itself(night: Night) -> None:
    proof = min(night.proof_files()).read_text()
    assert night.status == 0, proof.partition("\n\n")[0]
    assert "Proof: 1 of 1 as predicted." in proof


def test_the_known_regression_is_flagged_where_its_header_says(night: Night) -> None:
    """It hurts the latency under load, as a hint, and no throughput."""
    [known] = [c for c in comparisons(night) if c["new"]["series"]]
    assert known["new"]["application"] == "solo(4)"
    assert known["base"]["release"] == known["new"]["release"]
    flagged = {(r["benchmark"], r["hint"]) for r in known["rows"] if r["verdict"] == "REGRESSION"}
    assert flagged == {("cyclictest-hackbench", True)}
    others = {r["verdict"] for r in known["rows"] if r["benchmark"] != "cyclictest-hackbench"}
    assert others <= {"UNCHANGED", "INCONCLUSIVE"}


def test_every_number_leads_back(night: Night, report: dict[str, Any]) -> None:
    assert led_back(report, night.state) >= 2 * 5 * len(report["rows"])


def test_all_seeds_ran_and_differ(night: Night) -> None:
    by_kind: dict[tuple[str, str], dict[int, str]] = {}
    for d in night.runs():
        assert d["outcome"] == "complete", d["reason"]
        seeds = by_kind.setdefault((d["kernel"]["digest"], d["benchmark"]), {})
        seeds[d["seed"]] = samples_digest(d["bundle"], d)
    assert len(by_kind) == 3 * 2  # kernels, benchmarks
    for seeds in by_kind.values():
        assert sorted(seeds) == [1, 2, 3, 4, 5]
        # Negative control of what "identical" is worth: other seeds give other samples.
        assert len(set(seeds.values())) == 5


@contextmanager
def busy_host(loops: int) -> Iterator[None]:
    burners = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(loops)]
    try:
        yield
    finally:
        for burner in burners:
            burner.send_signal(signal.SIGKILL)
            burner.wait()


@pytest.mark.parametrize("benchmark", ["stress-ng-switch", "cyclictest-hackbench"])
def test_the_same_kernel_and_seed_again(night: Night, tmp_path: Path, benchmark: str) -> None:
    """Idle and with two busy loops on the host, and from another path: identical samples."""
    first = next(d for d in night.runs() if d["benchmark"] == benchmark and d["seed"] == 2)
    words = shlex.split(first["reproduce"])[1:]
    digest = samples_digest(first["bundle"], first)

    idle = tmp_path / "idle"
    night.vlag(*words, "--output", idle)
    elsewhere = tmp_path / "a-longer-path" / "build"
    shutil.copytree(words[1], elsewhere)
    busy = tmp_path / "another-place" / "run"
    with busy_host(2):
        night.vlag("run", elsewhere, *words[2:], "--output", busy)

    for bundle in (idle, busy):
        again = json.loads((bundle / "run.json").read_text())
        assert again["outcome"] == "complete"
        assert again["run_key"] == first["run_key"]
        assert samples_digest(bundle, again) == digest


def test_the_smoke_plan_boots_a_plain_board(night: Night, tmp_path: Path) -> None:
    """The way of the farm's boards: a clock of its own, nothing to be reused."""
    bundle = night.runs()[0]["reproduce"].split()[2]
    words = ("run", bundle, "--board", "qemu-1", "--plan", "smoke", "--reuse")
    benchmark = ("--benchmark", "stress-ng-switch", "--seed", 1)
    for name in ("one", "two"):
        night.vlag(*words, *benchmark, "--output", tmp_path / name)
    documents = [json.loads((tmp_path / n / "run.json").read_text()) for n in ("one", "two")]
    for document in documents:
        assert document["outcome"] == "complete"
        assert not document["board"]["deterministic"]
    # Negative control of the deterministic boards: a plain one does not repeat itself.
    digests = {
        samples_digest(tmp_path / n, d) for n, d in zip(("one", "two"), documents, strict=True)
    }
    assert len(digests) == 2


def test_samples_agree_with_the_record(night: Night) -> None:
    """Where this machine's image, initramfs and QEMU are on record, so are the samples."""
    record = read_record()
    known = 0
    for d in night.runs():
        expected = record.get(record_key(d))
        if expected is not None:
            assert expected == samples_digest(d["bundle"], d), d["bundle"]
            known += 1
    if not known:
        warnings.warn(
            f"no run on record has the key {record_key(night.runs()[0])}: Debian's packages have "
            "moved on; two runs of this machine were compared with each other instead",
            stacklevel=1,
        )


def test_a_changed_digit_is_refused(night: Night, tmp_path: Path) -> None:
    document = next(d for d in night.runs() if d["benchmark"] == "stress-ng-switch")
    copy = tmp_path / "bundle"
    shutil.copytree(document["bundle"], copy)
    raw = copy / document["output"]
    text = raw.read_text()
    changed = re.sub(r"\d(?=\.\d\d nanosecs)", lambda m: str((int(m[0]) + 1) % 10), text)
    assert changed != text
    raw.write_text(changed)
    with database(night):
        refused = night.vlag("ingest", copy, status=3)
    assert re.search(r"checksum of raw/stress-ng\.txt", refused.stderr)


def test_a_bundle_again_changes_nothing(night: Night) -> None:
    with database(night):
        before = night.vlag("report", "--format", "json").stdout
        for form in ("json", "text"):
            said = night.vlag(
                "ingest", night.state / "builds", night.state / "runs", "--format", form
            )
            if form == "json":
                assert not any(s["new"] for s in json.loads(said.stdout)["stored"])
        assert night.vlag("report", "--format", "json").stdout == before


def test_a_changed_file_with_a_right_checksum_changes_the_report(
    night: Night, report: dict[str, Any], dsn: str, tmp_path: Path
) -> None:
    """In a database of its own, so that the night's stays as it is."""
    for d in night.runs():
        if d["benchmark"] == "stress-ng-switch":
            copy = tmp_path / d["bundle"].name
            shutil.copytree(d["bundle"], copy)
            if d["release"].startswith("6.12"):
                slow_down(copy, d)
    plain = [d for d in night.runs() if d["kernel"]["series"] is None]
    kernels = {d["release"].split(".")[1]: d["kernel"]["digest"] for d in plain}
    own = {"VLAG_DATABASE": dsn}
    night.vlag("ingest", night.state / "builds", tmp_path, env=own)
    night.vlag("compare", kernels["1"], kernels["12"], "--exit-code", status=10, env=own)
    changed = json.loads(night.vlag("report", "--format", "json", env=own).stdout)
    row, was = (
        next(
            r
            for r in c["rows"]
            if (r["benchmark"], r["metric"]) == ("stress-ng-switch", "bogo-ops-rate")
        )
        for c in (changed, report)
    )
    assert row["verdict"] == "REGRESSION"
    assert row["effect"] == pytest.approx((1 + was["effect"]) / 2 - 1, abs=0.001)


def slow_down(bundle: Path, document: dict[str, Any]) -> None:
    """Halve operations and rate in the raw output and mend the checksum."""
    raw = bundle / document["output"]
    rate = figures(bundle, document).samples[0].values[0]
    text = raw.read_text().replace(f"{rate:.2f}", f"{rate / 2:.2f}", 1)
    row = re.compile(r"(metrc: \[\d+\] switch +)(\d+)(?= )")
    text = row.sub(lambda match: f"{match[1]}{int(match[2]) // 2}", text, count=1)
    raw.write_text(text)
    path = bundle / "run.json"
    stored = json.loads(path.read_text())
    for file in stored["files"]:
        if file["path"] == document["output"]:
            file["sha256"] = hashlib.sha256(text.encode()).hexdigest()
            file["bytes"] = len(text.encode())
    path.write_text(json.dumps(stored))
