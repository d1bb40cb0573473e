# SPDX-License-Identifier: GPL-2.0-only
"""Regenerate the committed JSON and provisioning files: `python -m dashboards`."""

from __future__ import annotations

import sys

from dashboards.files import made
from dashboards.statements import FOLDER, JSON, PROVISIONING


def main() -> int:
    """Write changed files, remove stale ones and print the name of each."""
    files = made()
    for path in sorted([*JSON.glob("*"), *PROVISIONING.glob("*/*")]):
        if path.is_file() and str(path.relative_to(FOLDER)) not in files:
            path.unlink()
            print(f"removed {path.relative_to(FOLDER)}")  # noqa: T201
    for name, text in files.items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
