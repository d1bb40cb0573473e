"""What the JSON files of all rt-tests programs have in common, rt-tests 2.4 to 2.6."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from vlag.parsers.jsonfile import JsonFile

_FILE_VERSION = 1


def recognise(data: bytes, program: str) -> bool:
    """Return whether this looks like a JSON file of that program."""
    return (
        re.search(rb'"cmdline:": *"(?:[^" ]*/)?%s[ "]' % program.encode(), data[:4096]) is not None
    )


def header(file: JsonFile, whole: Mapping[str, Any]) -> tuple[str, str]:
    """Return command line and version as printed, of a program that ended well.

    rt-tests prints its version as a number with two decimals: "2.40" may be 2.4 or 2.40.

    Raises ParseError for another layout and for a program that failed.
    """
    if file.integer(whole, "file_version") != _FILE_VERSION:
        raise file.error(
            f"the layout's version is {whole['file_version']}, this parser knows {_FILE_VERSION}",
            "file_version",
        )
    # "cmdline:": "cyclictest -q -p 90 -t 2 -a -l 500 -h 40 --json=cyclictest-hist.json",
    cmdline = whole.get("cmdline:")
    # "rt_test_version:": "2.40",
    version = whole.get("rt_test_version:")
    for key, value in (("cmdline:", cmdline), ("rt_test_version:", version)):
        if not isinstance(value, str) or not value:
            raise file.error(f"'{key}' must be a text", key)
    if type(whole.get("return_code")) is not int or whole["return_code"] != 0:
        program = str(cmdline).split()[0]
        raise file.error(f"{program} did not end well: 'return_code' is not 0", "return_code")
    return str(cmdline), str(version)
