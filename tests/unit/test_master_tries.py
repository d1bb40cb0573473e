# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""The builder `try`: which kernels it asks for, and what it says at its end."""

from __future__ import annotations

import sys

from vlag import ROOT

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master.try_steps import try_requests, why_failed
from vlag.config import catalogue

BEGAN = {
    "tree": "debian", "base": "linux-6.12", "commit": "a" * 40, "plan": "commit",
    "board_type": "qemu-sim-2", "series": "try-0123456789ab", "against": None,
    "applications": ["prefix(1)", "full"],
}  # fmt: skip


def test_the_base_has_no_patch_or_an_earlier_version():
    base, *heads = try_requests(catalogue.load(), BEGAN)
    assert (base["series"], base["application"]) == (None, "none")
    assert [h["application"] for h in heads] == ["prefix(1)", "full"]
    assert all(h["compared_with"] == [base["key"]] for h in heads)
    assert {r["purpose"] for r in (base, *heads)} == {"try"}
    second = {**BEGAN, "against": "try-ba9876543210", "applications": ["full"]}
    base, head = try_requests(catalogue.load(), second)
    assert (base["series"], base["application"]) == ("try-ba9876543210", "full")
    assert head["series"] == "try-0123456789ab"


def test_what_failed_is_said_in_one_sentence():
    good = {"request": {"kernel_name": "k"}, "outcome": "complete", "gate_outcome": None}
    broken = {**good, "outcome": "build_failed", "reason": "fair.c:1: error"}
    assert why_failed([good, good], ["1"]) is None
    assert why_failed([good, broken], ["1"]) == "k: build failed: fair.c:1: error"
    assert why_failed([{**good, "gate_outcome": "panic"}], []) == "k: panic in its first boot"
    assert "send it again" in why_failed([], [])
