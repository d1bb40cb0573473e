# SPDX-License-Identifier: GPL-2.0-only
"""A night of every known regression on three boards, as the shipped settings ask for it.

`VLAG_TEST_KNOWN_NIGHT` names a folder to keep the night in; a second session finds it there.
"""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from typing import Any

import pytest

from bench.evidence import table, write
from tests.long.predictions import SERIES, flagged, judged, patch_of
from tests.night.clone import Night, shared_night, shipped_branches
from tests.night.database import database

pytestmark = pytest.mark.long

Comparisons = list[dict[str, Any]]


@pytest.fixture(scope="module")
def night(pytestconfig: pytest.Config) -> Iterator[Night]:
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    with ExitStack() as held:
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            whole = held.enter_context(
                shared_night("VLAG_TEST_KNOWN_NIGHT", shipped_branches(SERIES))
            )
        held.enter_context(database(whole))
        yield whole


def comparisons(night: Night, *ids: int) -> Comparisons:
    asked = [f"--comparison={i}" for i in ids]
    said = night.vlag("report", *asked, "--format", "json").stdout
    return list(json.loads(said)["comparisons"])


@pytest.fixture(scope="module")
def kernels(night: Night) -> list[Comparisons]:
    """Return the known regressions' comparisons, a list of board types for each kernel."""
    last = json.loads(night.vlag("report", "--format", "json").stdout)["id"]
    found: dict[tuple[str, str], Comparisons] = {}
    for comparison in comparisons(night, *range(1, last + 1)):
        new = comparison["new"]
        # In a kept night the patches that were taken back stand too: the knobs are the base's.
        if new["series"] and not comparison["base"]["knobs"]:
            found.setdefault((new["application"], str(new["knobs"])), []).append(comparison)
    return [found[key] for key in sorted(found)]


def test_each_known_regression_is_flagged_where_its_header_says(
    kernels: list[Comparisons],
) -> None:
    assert len(kernels) >= 7  # six patches, one of them with its knob and without
    for kernel in kernels:
        assert {c["board_type"] for c in kernel} == {"qemu-sim-2", "qemu-sim-4", "qemu-sim-8"}
    found = [c["prediction"] for kernel in kernels for c in kernel]
    assert [f"{p['name']}: {p['text']}" for p in found if not p["good"]] == []


def test_the_report_says_that_it_is_proven(night: Night, kernels: list[Comparisons]) -> None:
    said = night.vlag("report", "--night", "last", "--exit-code").stdout
    total = sum(map(len, kernels))
    assert f"Proof: {total} of {total} as predicted." in said


def test_one_patch_under_the_name_of_another_is_found_out(kernels: list[Comparisons]) -> None:
    """Negative control: the verdicts of a patch do not fit the header of the next."""
    own, swapped = list[bool](), list[bool]()
    for kernel, other in zip(kernels, kernels[1:] + kernels[:1], strict=True):
        own += [judged(c, c["new"]).good for c in kernel]
        swapped += [judged(c, other[0]["new"]).good for c in kernel]
    assert all(own)
    assert not all(swapped)


def test_a_patch_taken_back_is_an_improvement(night: Night, kernels: list[Comparisons]) -> None:
    for kernel in kernels:
        for comparison in kernel:
            base, new = comparison["base"], comparison["new"]
            knobs = [f"--base-knob={k}={v}" for k, v in new["knobs"].items()]
            said = night.vlag(
                "compare", new["digest"], base["digest"], *knobs, "--format", "json",
                "--board-type", comparison["board_type"], "--plan", "known-regressions",
            )  # fmt: skip
            # Two comparisons make a night's report, whose form is the one read here.
            back = comparisons(night, json.loads(said.stdout)["comparison"], comparison["id"])[0]
            assert flagged(back, "IMPROVEMENT") == flagged(comparison, "REGRESSION")
            assert flagged(back, "REGRESSION") == flagged(comparison, "IMPROVEMENT")


def test_a_comment_makes_another_image_that_is_really_run(
    night: Night, kernels: list[Comparisons]
) -> None:
    comment = kernels[0][0]["new"]["digest"]
    mine = [r for r in night.runs() if r["kernel"]["digest"] == comment]
    others = [r for r in night.runs() if r["kernel"]["digest"] != comment]
    assert not {r["image_sha256"] for r in mine} & {r["image_sha256"] for r in others}
    assert {r["seed"] for r in mine} == {1, 2, 3, 4, 5}


def test_the_evidence(night: Night, kernels: list[Comparisons]) -> None:
    """Write the figures; they are those of this night."""
    rows = []
    for kernel in kernels:
        patch = patch_of(kernel[0]["new"])
        for c in kernel:
            expected = judged(c, c["new"]).expected
            predicted = [f"{p} ({'must' if p.must else 'may'})" for p in expected]
            found = [
                f"{r['benchmark']} {r['metric']} {r['statistic']} {100 * r['effect']:+.2f} %"
                + (" (hint)" if r["hint"] else "")
                for r in c["rows"]
                if r["verdict"] in ("REGRESSION", "IMPROVEMENT")
            ]
            quiet = sum(r["verdict"] in ("UNCHANGED", "INCONCLUSIVE") for r in c["rows"])
            knobs = ", ".join(f"{k}={v}" for k, v in c["new"]["knobs"].items())
            rows.append(
                [
                    f"{patch.title} {knobs}".strip(),
                    "; ".join(predicted) or "nothing",
                    c["board_type"],
                    "; ".join(found) or "none",
                    str(quiet),
                ]
            )
    said = re.search(r"The night: .* min were expected, it took \d+\.", night.output)
    assert said, "the night's report does not say what was expected"
    # A state may hold boots of others, as of prebuilt kernels.
    mine = [r for r in night.runs() if r["plan"] in ("nightly", "known-regressions")]
    images = sorted({(r["kernel"]["application"], r["image_sha256"][:16], r["release"])
                     for r in mine})  # fmt: skip
    write(
        "known-regressions",
        "Every known regression on three boards",
        "pytest -m long tests/long/test_known_regressions.py",
        [
            f"the night's commit: {night.commit[:12]}",
            f"summary of the report: {said[0]}",
            f"runs: {len(mine)}",
            *(f"image of {release}, series {what}: {image}" for what, image, release in images),
        ],
        [
            "Every patch alone on 6.12 against 6.12, five boots of each benchmark a side. vlag",
            "must flag a known regression in a series that its header predicts, and in no other.",
            "It must not flag the comment, or the hidden feature without its knob, in any series.",
            "",
            *table(["patch", "predicted", "board", "flagged", "not flagged"], rows),
        ],
    )
