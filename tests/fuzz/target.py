# SPDX-License-Identifier: GPL-2.0-only
"""The fuzzed process: `python -m tests.fuzz.target TOOL CORPUS [libFuzzer options]`."""

from __future__ import annotations

import logging
import sys

import atheris


def main() -> None:
    """Run until libFuzzer's options say stop."""
    tool = sys.argv.pop(1)
    # Watched as it is imported: of a parser only the parsers, else all that is ours.
    with atheris.instrument_imports(include=["vlag.parsers"]):
        from tests.fuzz import properties  # noqa: PLC0415
    check = properties.check
    if tool not in properties.TOOLS:
        with atheris.instrument_imports(include=["release", "vlag"]):
            from tests.fuzz import readers  # noqa: PLC0415
        check = readers.check
    logging.disable()  # Flask tells each failed request

    def one(data: bytes) -> None:
        check(tool, data)

    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
