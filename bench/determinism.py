"""Put the samples of a first night on record, for every later CI run to compare with.

`VLAG_TEST_NIGHT` names a folder that is kept, or that holds such a night already.
"""

from __future__ import annotations

import json

from tests.night.clone import shared_night
from tests.night.digests import RECORD, read_record, record_key, samples_digest
from vlag import ROOT


def main() -> None:
    """Run the night if there is none, and extend the record."""
    with shared_night() as night:
        record = read_record()
        for run in (r for r in night.runs() if r["plan"] == "commit"):
            record[record_key(run)] = samples_digest(run["bundle"], run)
    RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    print(f"{len(record)} runs are on record in {RECORD.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
