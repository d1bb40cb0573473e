# SPDX-License-Identifier: GPL-2.0-only
"""The golden digits come out on this machine."""

from __future__ import annotations

import warnings

import pytest

from bench import golden
from tests.night.clone import Night

pytestmark = pytest.mark.long


def test_the_golden_digits_come_out(night: Night) -> None:
    """Where Debian's packages are those of the file; a change of ours renews it on purpose.

    Its boots are no runs of the night, whose later tests count what is on record.
    """
    here = golden.measured(night.answer, night.newest_build(), again=True)
    found = golden.answers(golden.read(), here)
    assert len(found) == len(here) == 9
    assert [str(a) for a in found if not a.other and a.different] == []
    if others := [str(a) for a in found if a.other]:
        warnings.warn(f"Debian's packages have moved on: {others[0]}", stacklevel=1)
