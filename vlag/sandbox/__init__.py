# SPDX-License-Identifier: GPL-2.0-only
"""Run code of a tree under test where it can read and reach only what it is given."""

from vlag.sandbox.rules import BUBBLEWRAP, NONE, USER, Rules
from vlag.sandbox.sandboxed import Ended, Sandbox

__all__ = ["BUBBLEWRAP", "NONE", "USER", "Ended", "Rules", "Sandbox"]
