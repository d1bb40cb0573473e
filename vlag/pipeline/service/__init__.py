"""The service in the foreground: all of it on one machine, or one part of it."""

from vlag.pipeline.service.checks import PROGRAMS, check
from vlag.pipeline.service.follow import last_report
from vlag.pipeline.service.whole import serve

__all__ = ["PROGRAMS", "check", "last_report", "serve"]
