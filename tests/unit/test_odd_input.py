# SPDX-License-Identifier: GPL-2.0-only
"""Input that readers themselves choke on ends in one sentence."""

import subprocess
from pathlib import Path

from vlag.kernel.mirror import git


def test_a_subject_in_latin_1_is_read(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", tmp_path], check=True)
    tree = git(tmp_path, "hash-object", "-t", "tree", "-w", "/dev/null")
    raw = f"tree {tree}\nauthor a <a> 0 +0000\ncommitter a <a> 0 +0000\n\nsched: caf"
    made = subprocess.run(
        ["git", "-C", tmp_path, "hash-object", "-t", "commit", "-w", "--stdin"],
        input=raw.encode() + b"\xe9\n", capture_output=True, check=True,
    )  # fmt: skip
    said = git(tmp_path, "log", "-1", "--format=%s", made.stdout.decode().strip())
    assert said == "sched: caf\ufffd"
