# SPDX-License-Identifier: GPL-2.0-only
"""The service in the foreground: all of it on one machine, or one part of it."""

from vlag.operate.service.follow import last_report
from vlag.operate.service.prerequisites import PROGRAMS, check
from vlag.operate.service.whole import serve

__all__ = ["PROGRAMS", "check", "last_report", "serve"]
