"""The smallest settings of a master."""

from __future__ import annotations

SETTINGS = """
state = "var"
[ports]
postgresql = 5442
web = 8010
worker = 9989
[trees.debian.packages]
"linux-6.1" = "linux-source-6.1"
"linux-6.12" = "linux-source-6.12"
[[branches]]
tree = "debian"
branch = "linux-6.12"
baseline = "debian/6.1.*"
board_types = ["qemu-sim-2"]
plan = "nightly"
[nightly]
hour = 1
minute = 30
[build]
jobs = 0
poll_interval_s = 30
"""
