# SPDX-License-Identifier: GPL-2.0-only
"""A command's value has a field for each of its options, and no other."""

from __future__ import annotations

import click
import pytest
from attrs import fields_dict

from vlag.cli import bisect, compare, matrix, path, profile, report, try_


@pytest.mark.parametrize(
    ("command", "options"),
    [
        (bisect.bisect, bisect.Options),
        (matrix.matrix, matrix.Options),
        (path.path, path.Options),
        (profile.profile, profile.Options),
        (report.report, report.Options),
        (try_.try_, try_.Options),
    ],
)
def test_each_option_has_a_field(command: click.Command, options: type) -> None:
    assert set(fields_dict(options)) == {p.name for p in command.params}


def test_kernels_on_record_have_the_options_that_files_do_not_take() -> None:
    own = set(fields_dict(compare.OfKernels))
    assert set(compare._OF_KERNELS) == own
    assert own <= {p.name for p in compare.compare.params}
