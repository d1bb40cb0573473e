# SPDX-License-Identifier: GPL-2.0-only
"""`python -m release check`, `tag`, `sbom [FILE]` or `audit SNAPSHOT [--oldest DAYS]`."""

from __future__ import annotations

import argparse
import datetime
import sys
from pathlib import Path

from release import audit, ready, sbom
from vlag import ROOT
from vlag.errors import VlagError


def main() -> int:
    """Run one of the commands; return its exit status."""
    options = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    verbs = options.add_subparsers(dest="verb", required=True)
    bill = verbs.add_parser("sbom", help="write a CycloneDX bill of materials")
    bill.add_argument("file", nargs="?", type=Path, help="default: var/sbom/vlag-VERSION.cdx.json")
    check = verbs.add_parser("audit", help="hold the lock file against OSV's advisories")
    check.add_argument("snapshot", type=Path, help="OSV's export of PyPI: all.zip, or its folder")
    check.add_argument(
        "--oldest", type=int, default=audit.OLDEST_DAYS, metavar="DAYS",
        help="refuse an older snapshot (default: %(default)s)",
    )  # fmt: skip
    verbs.add_parser("check", help="say what the release of this checkout lacks")
    verbs.add_parser("tag", help="the same, and tag HEAD if it lacks nothing")
    asked = options.parse_args()
    try:
        if asked.verb == "sbom":
            target = asked.file or ROOT / "var" / "sbom" / f"vlag-{sbom.version()}.cdx.json"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(sbom.write(sbom.bill()), encoding="utf-8")
            print(f"wrote {target}")
            return 0
        if asked.verb in ("check", "tag"):
            return _ready(tagged=asked.verb == "tag")
        return audit.main(asked.snapshot, asked.oldest, datetime.datetime.now(datetime.UTC))
    except VlagError as e:
        print(f"release: {e}", file=sys.stderr)
        return int(e.exit_code)
    except OSError as e:
        print(f"release: {e.filename}: {e.strerror}", file=sys.stderr)
        return 2


def _ready(*, tagged: bool) -> int:
    """Say what the release lacks, or tag it; return the exit status: 1 if it lacks anything."""
    for sentence in (lacks := ready.missing()):
        print(sentence)
    if lacks:
        print(f"no release: {len(lacks)} {'thing is' if len(lacks) == 1 else 'things are'} missing")
        return 1
    if tagged:
        name = ready.tag()
        print(f"tagged {name}; push it with: git push origin {name}")
    else:
        print("nothing is missing")
    return 0


if __name__ == "__main__":
    sys.exit(main())
