"""Put the samples of a first night on record, for every later CI run to compare with.

Also the golden digits, on the night's own kernel.  `VLAG_TEST_NIGHT` names a folder that is
kept, or that holds such a night already.
"""

from __future__ import annotations

import json

from bench import golden
from tests.night.clone import shared_night
from tests.night.digests import RECORD, read_record, record_key, samples_digest
from vlag import ROOT


def main() -> None:
    """Run the night if there is none, extend the record and write the golden digits."""
    with shared_night() as night:
        record = read_record()
        for run in (r for r in night.runs() if r["plan"] == "commit"):
            record[record_key(run)] = samples_digest(run["bundle"], run)
        digits = golden.measured(night.answer, night.newest_build(), again=False)
    RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    golden.write(digits)
    print(f"{len(record)} runs are on record in {RECORD.relative_to(ROOT)}")
    print(f"{len(digits)} runs are in {golden.RECORD.relative_to(ROOT)}")
