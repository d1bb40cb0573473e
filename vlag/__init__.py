# SPDX-License-Identifier: GPL-2.0-only
"""Continuous scheduler-regression CI for Linux kernel people."""

from pathlib import Path

__version__ = "0.2.0"

_PACKAGE = Path(__file__).resolve().parent

#: Whether this is a checkout; a package that was installed has only what verbs for files read.
IS_CHECKOUT = (_PACKAGE.parent / "lava-jobs").is_dir()

#: Checkout that holds `lava-jobs/`, `schemas/`, `master/` and the rest, or the package's part of it
#: (pyproject.toml lists that).
ROOT = _PACKAGE.parent if IS_CHECKOUT else _PACKAGE / "packaged"
