"""The fuzzed process: `python -m tests.fuzz.target TOOL CORPUS [libFuzzer options]`."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["vlag.parsers"]):
    from tests.fuzz.properties import check


def main() -> None:
    """Run until libFuzzer's options say stop."""
    tool = sys.argv.pop(1)

    def one(data: bytes) -> None:
        check(tool, data)

    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
