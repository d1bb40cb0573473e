"""The whole first night of the shipped settings, from a clean clone and with nothing cached.

`VLAG_BENCH_WHOLE_NIGHT` names a folder that is kept, or that holds such a night already.
"""

from __future__ import annotations

import re

from bench.evidence import write
from tests.night.clone import shared_night


def main() -> None:
    """Run the night if there is none, and write the figures."""
    with shared_night("VLAG_BENCH_WHOLE_NIGHT", branches=None) as night:
        written = (min(night.report_files()), min(night.proof_files()))
        summary = "\n\n".join(path.read_text().split("\n\n\n")[0] for path in written)
        summary = summary.replace(f"{night.clone}/", "")  # commands name folders of the clone
        expected = re.search(r"the night: (expected until .*)", night.output)
        write(
            "whole-night",
            "The whole first night: 6.1, 6.12, every known regression, three boards",
            "python -m bench whole_night",
            [
                f"the night's commit: {night.commit[:12]}",
                f"from the clean clone to the end of the night: {night.seconds / 60:.1f} minutes",
                f"estimate at the start: {expected[1] if expected else 'no estimate'}",
                f"runs: {len(night.runs())}",
            ],
            [
                "How report and proof begin:",
                "",
                "```",
                summary,
                "```",
            ],
        )


if __name__ == "__main__":
    main()
