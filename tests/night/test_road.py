# SPDX-License-Identifier: GPL-2.0-only
"""One night through every real part: from a clean clone to verdicts, a report, mail and pages."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.night.digests import figures, led_back, samples_digest
from tests.night.road import BOOTS, BROKEN, DOCUMENT, HANG, OWNER, PANIC, RERUN, SLOW, Road
from tests.night.service import child, get, report_of
from vlag.config.documents import fault

pytestmark = pytest.mark.night

PAGES = "http://127.0.0.1:8010/plugins/wsgi_dashboards/vlag"
SWITCH = "stress-ng-switch"


@pytest.fixture(scope="module")
def mended(road: Road) -> dict[str, Any]:
    """The night's screen: the branch against a baseline that is slower on purpose."""
    commit = road.source["kernel"]["commit"]
    for number in road.night["properties"]["comparisons"]:
        report = report_of(road.clone, number)
        if report["stage"] == "screen" and report["new"]["commit"] == commit:
            return report
    raise AssertionError(road.night["properties"]["comparisons"])


def report_text(road: Road) -> str:
    return Path(road.night["properties"]["report"]).read_text()


def flat(report: str) -> str:
    """Undo the report's line breaks."""
    return re.sub(r"\s+", " ", report)


def rate(report: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a comparison's one metric that is judged."""
    [row] = [r for r in report["rows"] if r["metric"] == "bogo-ops-rate"]
    return dict(row)


def verdict_of(road: Road, commit: int) -> str:
    return str(road.pushes[commit]["properties"]["verdict"])


def seeds(road: Road, commit: str, board_type: str = "road") -> set[int]:
    """Return the seeds with which a commit's own kernel was booted."""
    mine = [d for d in road.on_disk if d["kernel"]["commit"] == commit]
    return {d["seed"] for d in mine if d["board"]["board_type"] == board_type}


def test_the_first_look_is_too_short_to_decide(road: Road) -> None:
    """Two kernels that Debian has built, a boot of each."""
    [look] = road.farm.service.builds("first")
    [number] = look["properties"]["comparisons"]
    report = report_of(road.clone, number)
    assert report["base"]["release"].startswith("6.1.")
    assert report["new"]["release"].startswith("6.12.")
    assert {(r["verdict"], r["n_base"], r["n_new"]) for r in report["rows"]} == {
        ("INCONCLUSIVE", 1, 1)
    }
    boots = {d["release"]: d for d in road.on_disk if d["plan"] == "look"}
    assert set(boots) == {report["base"]["release"], report["new"]["release"]}
    for release, boot in boots.items():
        assert release.endswith("-cloud-amd64")
        assert f"Linux version {release}" in (boot["bundle"] / "console.log").read_text()
        build = json.loads((road.build_of(boot) / "build.json").read_text())
        assert fault(build, "build.schema.json") is None
        assert build["kernel"] == boot["kernel"]


def test_the_night_confirms_an_improvement_on_fresh_boots(
    road: Road, mended: dict[str, Any]
) -> None:
    row = rate(mended)
    assert row["verdict"] == "IMPROVEMENT"
    assert row["effect"] > 0.05
    # Decided by boots of which none has raised the suspicion.
    [origin] = [o for o in mended["origins"] if o["metric"] == "bogo-ops-rate"]
    by_stage = {s: {r["seed"] for r in origin["runs"] if r["screen"] == s} for s in (True, False)}
    screen, rerun = range(1, BOOTS + 1), range(BOOTS + 1, BOOTS + RERUN + 1)
    assert by_stage == {True: {*screen}, False: {*rerun}}


def test_the_report_is_complete_and_fits_a_mail(road: Road) -> None:
    text = report_text(road)
    assert "IMPROVEMENT" in text
    assert f"{SWITCH} on road" in text
    assert f"confirmed by a rerun of {RERUN} + {RERUN} boots" in flat(text)
    tables = re.sub(r"(?s)\nSources of the numbers\n.*?(\n\n\n|$)", "", text)
    # Commands to copy, paths of logs and addresses are not cut.
    whole = re.compile(r" +(log: |again: |vlag |https?://)")
    lines = [x for x in tables.splitlines() if not whole.match(x)]
    assert len(lines) > 20
    assert [x for x in lines if len(x) > 78] == []
    assert "Traceback" not in road.farm.service.log.read_text(errors="replace")


@pytest.mark.parametrize(("fault", "words"), [("panic", PANIC), ("hang", HANG)])
def test_a_kernel_that_fails_is_a_result_and_gates_the_rest(
    road: Road, fault: str, words: str
) -> None:
    runs = [d for d in road.on_disk if d["release"] == f"6.12.0-{fault}-new"]
    assert {(d["outcome"], d["seed"]) for d in runs} == {(fault, 1)}
    for run in runs:
        assert f"{words} (new)" in run["reason"]
    assert f"FAILED: tiny {fault}-new against" in flat(report_text(road))


def test_every_number_leads_back(road: Road, mended: dict[str, Any]) -> None:
    assert led_back(mended, road.clone.state) >= 2 * BOOTS


def test_other_seeds_give_other_samples(road: Road) -> None:
    """Negative control of what "identical" is worth."""
    commit = road.source["kernel"]["commit"]
    mine = [d for d in road.on_disk if d["kernel"]["commit"] == commit]
    digests = {d["seed"]: samples_digest(d["bundle"], d) for d in mine}
    assert len(set(digests.values())) == len(digests) >= BOOTS + RERUN


def test_each_commit_has_its_result_in_order(road: Road) -> None:
    assert [b["properties"]["revision"] for b in road.pushes] == road.shas
    ends = [b["complete_at"] for b in road.pushes]
    assert ends == sorted(ends)
    for commit, sha in enumerate(road.shas):
        assert sha[:12] in verdict_of(road, commit)


def test_the_regressing_commit_is_named_and_no_other(road: Road) -> None:
    assert f"REGRESSION confirmed: {SWITCH}" in verdict_of(road, SLOW)
    assert [c for c in range(3) if "REGRESSION" in verdict_of(road, c)] == [SLOW]
    assert [b["results"] for b in road.pushes] == [1, 0, 2]  # warnings, and a failed build
    assert rate(road.against_parent(SLOW, "confirm"))["verdict"] == "REGRESSION"


def test_a_commit_that_changes_no_image_runs_nothing(road: Road) -> None:
    """Its parent's runs are its own: to the last digit, with the runs of record."""
    assert "same image as its parent" in verdict_of(road, DOCUMENT)
    assert not seeds(road, road.shas[DOCUMENT])
    report = road.against_parent(DOCUMENT)
    assert {(r["verdict"], r["effect"]) for r in report["rows"]} == {("UNCHANGED", 0.0)}


def test_a_failed_build_is_a_result(road: Road) -> None:
    documents = [json.loads(p.read_text()) for p in road.clone.state.glob("builds/*/*/build.json")]
    builds = [d for d in documents if d["kernel"]["commit"] == road.shas[BROKEN]]
    assert builds
    for build in builds:
        assert build["outcome"] == "build_failed"
        assert re.match(r"init/main\.c:\d+:\d+: error: ", build["reason"])
        assert f"build failed: {build['reason']}" in verdict_of(road, BROKEN)


def test_nothing_is_lost_and_nothing_twice(road: Road) -> None:
    """With a master that was killed in the middle of it."""
    keys = [r["run_key"] for r in road.runs if r["outcome"] == "complete"]
    assert len(keys) == len(set(keys))
    # What is whole on disk is on record, and nothing else.
    assert {d["run_key"] for d in road.on_disk} == {r["run_key"] for r in road.runs}


def test_the_lab_boots_once_and_gives_the_same_digits(road: Road) -> None:
    """Who boots the deterministic board does not matter, down to the tool's raw output.

    The master was killed meanwhile, and has found its job again.
    """
    assert road.job["health"] == "Complete"
    [there] = [d for d in road.on_disk if d["board"]["board_type"] == "road-lab"]
    [row] = [r for r in road.runs if r["run_key"] == there["run_key"]]
    assert (row["executor"]["lab"], row["executor"]["job"]) == ("home", road.job["id"])
    assert len(road.farm.jobs()) == 1
    raw = (there["bundle"] / there["output"]).read_bytes()
    here = road.source
    assert there["seed"] == here["seed"]
    assert raw == (here["bundle"] / here["output"]).read_bytes()
    # The lab shows the result itself.
    results = {r.name: r for r in road.farm.client.results(road.job["id"]) if r.suite == "vlag"}
    assert results["benchmark"].result == "pass"
    [sample] = [s for s in figures(there["bundle"], there).samples if s.metric == "bogo-ops-rate"]
    assert results["bogo_ops_rate"].measurement == sample.values[0]


def test_a_kernel_of_a_distribution_is_not_comparable(road: Road) -> None:
    """It has another config: not only the kernel differs."""
    [look] = road.farm.service.builds("first")
    prebuilt = report_of(road.clone, look["properties"]["comparisons"][0])["new"]["digest"]
    built = road.source["kernel"]["digest"]
    answer = road.clone.answer((
        "compare", prebuilt, built, "--board-type", "road", "--plan", "look", "--format", "json",
    ))  # fmt: skip
    report = report_of(road.clone, answer["comparison"])
    assert {r["verdict"] for r in report["rows"]} == {"NOT_COMPARABLE"}


def test_the_owner_gets_the_nights_mail(road: Road) -> None:
    """Through a real server."""
    [taken] = road.farm.service.wait(road.mail.taken)
    assert taken.about["to"] == [OWNER]
    assert str(taken.mail["subject"]).startswith("[vlag] 3 branches: ")


def test_the_pages_show_the_nights_comparison(road: Road, mended: dict[str, Any]) -> None:
    page = requests.get(f"{PAGES}/compare", params={"id": mended["id"]}, timeout=600)
    assert page.status_code == 200
    for words in ("IMPROVEMENT", SWITCH, road.source["kernel"]["commit"][:12]):
        assert words in page.text
    overview = requests.get(f"{PAGES}/", timeout=600)
    assert overview.status_code == 200
    assert "linux-6.12" in overview.text


def test_pages_lead_from_the_push_to_the_raw_output(road: Road) -> None:
    """From the build of a commit by links and logs to the tool's own words."""
    steps = get(f"builds/{road.pushes[SLOW]['buildid']}/steps")["steps"]
    kernels = next(s for s in steps if s["name"] == "kernels")
    found = [child(u["url"]) for u in kernels["urls"] if "kernel" in u["name"]]
    boards = get("builders/board/builds?order=number")["builds"]
    raw = [
        step
        for board in boards
        for step in get(f"builds/{board['buildid']}/steps")["steps"]
        if step["name"] == "raw output"
    ]
    assert found
    said = []
    for step in raw:
        logs = {log["name"]: log["logid"] for log in get(f"steps/{step['stepid']}/logs")["logs"]}
        assert "console" in logs
        if "output" in logs:
            said += get(f"logs/{logs['output']}/contents")["logchunks"][:1]
    assert any("stress-ng: metrc:" in chunk["content"] for chunk in said)
    for step in (s for s in steps if s["name"].startswith("compare")):
        assert "table" in {log["name"] for log in get(f"steps/{step['stepid']}/logs")["logs"]}
    report = next(s for s in steps if s["name"] == "report")
    logs = {log["name"]: log["logid"] for log in get(f"steps/{report['stepid']}/logs")["logs"]}
    text = "".join(c["content"] for c in get(f"logs/{logs['report']}/contents")["logchunks"])
    assert "REGRESSION confirmed" in text
