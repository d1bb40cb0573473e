# SPDX-License-Identifier: GPL-2.0-only
"""Which tags a pattern means."""

from __future__ import annotations

import pytest

from vlag.kernel.refs import of_line

TAGS = [  # the newest first
    "v6.13-rc2", "v6.13-rc1", "v6.6.20260101", "v6.6.64-rc1", "v6.6.63_custom", "v6.6.63-rt46",
    "v6.6.63-rt5", "v6.6.63+rpt1", "v6.6.63", "v6.6.9", "v6.6", "v6.6-rc7", "v6.1.119",
    "next-20260102", "next-20260101", "rpi-6.6.y_20260101", "stable_2", "stable_1",
]  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "tags"),
    [
        ("v6.6.*", ["v6.6.63", "v6.6.9"]),
        ("v6.6*", ["v6.6.63", "v6.6.9", "v6.6"]),
        ("v6.6.?", ["v6.6.9"]),
        ("v6.[16].*", ["v6.6.63", "v6.6.9", "v6.1.119"]),
        ("v6.6.*-rt*", ["v6.6.63-rt46", "v6.6.63-rt5"]),
        ("v6.6.*+rpt*", ["v6.6.63+rpt1"]),
        ("v6.6.*_custom", ["v6.6.63_custom"]),
        ("v6.13-rc*", ["v6.13-rc2", "v6.13-rc1"]),
        ("next-*", ["next-20260102", "next-20260101"]),
        ("rpi-6.6.*", ["rpi-6.6.y_20260101"]),
        ("stable_*", ["stable_2", "stable_1"]),
        ("v7.*", []),
        ("v6.6-*", []),  # its only tag is a candidate
    ],
)
def test_a_pattern_means_the_releases_of_its_line(pattern: str, tags: list[str]) -> None:
    assert of_line(TAGS, pattern) == tags
