# SPDX-License-Identifier: GPL-2.0-only
"""Which patch needs which: from what was built, and no more than that says."""

from __future__ import annotations

import pytest

from vlag.report.data.dependences import dependences

NAMES = {1: "one", 2: "two", 3: "three"}
NO = "does not apply"


def of(**failures: str | None) -> dict[frozenset[int], str | None]:
    return {frozenset(map(int, name[1:])): failed for name, failed in failures.items()}


@pytest.mark.parametrize(
    ("failures", "said"),
    [
        (of(p1=None, p2=None, p3=NO, p12=None, p123=None, p23=NO, p13=None),
         ["patch 3 (three) needs patch 1 (one): alone it does not apply"]),
        (of(p1=None, p2="did not build", p3=None, p12=None, p123=None, p23="did not build",
            p13=None),
         ["patch 2 (two) needs patch 1 (one): a kernel with it alone did not build"]),
        (of(p1=None, p2=None, p3=NO, p123=None), ["patch 3 (three) needs an earlier patch: alone"
                                                 " it does not apply"]),
        # Two of them: which of both fails without the first is not known.
        (of(p1=None, p2=NO, p3=NO, p12=None, p123=None, p23=NO, p13=NO),
         ["patch 2 (two) needs an earlier patch: alone it does not apply",
          "patch 3 (three) needs patch 2 (two): alone it does not apply"]),
        # Negative controls: it fails with the others too; it was never tried with them; none does.
        (of(p1=None, p2=None, p3=NO, p12=None, p123=NO), []),
        (of(p1=None, p2=None, p3=NO), []),
        (of(p1=None, p2=None, p3=None, p123=None), []),
        (of(p1=NO, p2=None, p12=None, p123=None), []),
    ],
)  # fmt: skip
def test_what_was_built_says_which_patch_needs_another(
    failures: dict[frozenset[int], str | None], said: list[str]
) -> None:
    assert dependences(failures, NAMES) == said


def test_a_patch_without_a_name_is_a_number() -> None:
    found = dependences(of(p1=None, p2=NO, p12=None), {1: "", 2: ""})
    assert found == ["patch 2 needs patch 1: alone it does not apply"]
