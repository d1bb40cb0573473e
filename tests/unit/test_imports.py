# SPDX-License-Identifier: GPL-2.0-only
"""What is imported before anything is done: each process of the service waits for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: What only a build needs.
BUILDS = ["vlag.kernel.tuxmake", "vlag.kernel.tuxmake_build"]
STATISTICS = ["scipy.optimize", "scipy.special", "scipy.stats"]
PROGRAM = """
import sys
import {modules}
print(*[m for m in sys.argv[1:] if m in sys.modules])
"""


@pytest.mark.slow  # it starts Python
@pytest.mark.parametrize(
    ("modules", "late", "found"),
    [
        # More than a second of a processor, in each start of the service twice.
        (
            "vlag.operate.service, master.builders, master.web_pages, master.schedulers",
            [*STATISTICS, "jsonschema"],
            [],
        ),
        # The pages are there first.
        ("master.front", [*STATISTICS, "jsonschema", "buildbot", "sqlalchemy", "autobahn"], []),
        # Each a seventh of what each command imports: few commands ask a LAVA server, and few
        # have a fault of a document to tell of.
        ("vlag.cli.main", [*STATISTICS, "requests", "jsonschema"], []),
        # A boot on a board of this machine asks no LAVA server, and builds nothing.
        (
            "vlag.cli.main, vlag.pipeline.boot, vlag.pipeline.run",
            ["requests", "numpy", "psycopg", *BUILDS],
            [],
        ),
        # A sixth of a command that computes nothing: a night of 280 boots has 600 of them.
        (
            "vlag.cli.main, vlag.config.catalogue, vlag.pipeline.build_stage, vlag.pipeline.run,"
            " vlag.pipeline.submit, vlag.pipeline.collect",
            ["numpy"],
            [],
        ),
        # Negative control: these are seen.
        ("scipy.stats, requests", [*STATISTICS, "requests"], [*STATISTICS, "requests"]),
    ],
)
def test_what_is_rarely_used_is_imported_late(
    modules: str, late: list[str], found: list[str]
) -> None:
    argv = [sys.executable, "-c", PROGRAM.format(modules=modules), *late]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout.split() == found
