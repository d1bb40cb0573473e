"""Continuous scheduler-regression CI for Linux kernel people."""

from pathlib import Path

__version__ = "0.1.0"

#: Checkout that holds `lava-jobs/`, `schemas/`, `master/` and the rest.
ROOT = Path(__file__).resolve().parents[1]
