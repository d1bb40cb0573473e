"""The first night from a clean clone: how long it takes, and what it reports.

`VLAG_TEST_NIGHT` names a folder that is kept, or that holds such a night already.
"""

from __future__ import annotations

from bench.evidence import write
from tests.night.clone import shared_night


def main() -> None:
    """Run the night if there is none, and write the figures."""
    with shared_night() as night:
        # A kept night may have had commits pushed on top of its kernels since, and boots of tests.
        runs = [
            r
            for r in night.runs()
            if r["kernel"]["subject"].startswith("linux-source") and r["plan"] is not None
        ]
        report = min(night.report_files()).read_text()
        # Commands of the report name folders of the clone.
        table = report.split("\nSources of the numbers")[0].rstrip().replace(f"{night.clone}/", "")
        write(
            "first-light",
            "First light: 6.12 against 6.1 from a clean clone",
            "python -m bench night",
            [
                f"the night's commit: {night.commit[:12]}",
                f"from the clean clone to the report: {night.seconds / 60:.1f} minutes",
                f"runs: {len(runs)}, all {', '.join({r['outcome'] for r in runs})}",
                *sorted({f"image of {r['release']}: {r['image_sha256'][:16]}" for r in runs}),
                *sorted({f"initramfs: {r['userland']['sha256'][:16]}" for r in runs}),
                *sorted(
                    {
                        f"QEMU {r['board']['emulator']['version']}: "
                        f"{r['board']['emulator']['sha256'][:16]}"
                        for r in runs
                    }
                ),
            ],
            ["The report without the list of runs at its end:", "", "```", table, "```"],
        )


if __name__ == "__main__":
    main()
