"""`python -m release sbom [FILE]` or `python -m release audit SNAPSHOT [--oldest DAYS]`."""

from __future__ import annotations

import argparse
import datetime
import sys
from pathlib import Path

from release import audit, sbom
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
    asked = options.parse_args()
    try:
        if asked.verb == "sbom":
            target = asked.file or ROOT / "var" / "sbom" / f"vlag-{sbom.version()}.cdx.json"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(sbom.write(sbom.bill()), encoding="utf-8")
            print(f"wrote {target}")
            return 0
        return audit.main(asked.snapshot, asked.oldest, datetime.datetime.now(datetime.UTC))
    except VlagError as e:
        print(f"release: {e}", file=sys.stderr)
        return int(e.exit_code)
    except OSError as e:
        print(f"release: {e.filename}: {e.strerror}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
