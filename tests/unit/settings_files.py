"""Settings files with a change."""

from pathlib import Path


def with_branch(tmp_path: Path, keys: str) -> Path:
    """Settings with one branch that has these keys as well."""
    path = tmp_path / "vlag.toml"
    path.write_text(
        'state = "var"\nports = {postgresql = 1, web = 2, worker = 3}\n'
        "nightly = {hour = 1, minute = 30}\nbuild = {jobs = 0, poll_interval_s = 30}\n"
        '[trees.debian]\nurl = "/a.git"\n[[branches]]\ntree = "debian"\nbranch = "linux-6.12"\n'
        f'baseline = "v6.1"\nboard_types = ["qemu-sim-2"]\nplan = "nightly"\n{keys}\n'
    )
    return path
