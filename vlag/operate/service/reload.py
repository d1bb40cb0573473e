# SPDX-License-Identifier: GPL-2.0-only
"""Settings that people edit while a service runs: taken up as a whole, or not at all."""

from __future__ import annotations

import logging
import os
import sys
from typing import NoReturn

from attrs import define

from vlag.config import Settings, catalogue, load, snapshot
from vlag.errors import VlagError

log = logging.getLogger(__name__)


class Reloaded(BaseException):
    """New settings are there and valid: the service ends in order and starts anew with them."""


@define
class Reload:
    """Takes up the settings when it is asked to."""

    settings: Settings  # with which the service runs
    asked: bool = False

    def ask(self) -> None:
        """Note that somebody asks; for a signal handler."""
        self.asked = True

    def look(self) -> None:
        """Raise Reloaded if it was asked for and the settings are valid; say if they are not."""
        if not self.asked:
            return
        self.asked = False
        try:
            catalogue.of(load(self.settings.path))
        except VlagError as e:
            log.info(f"not taken up: {e}; the service goes on with the settings of its start")
            return
        log.info("the settings are taken up: the service starts anew")
        raise Reloaded


def variables(settings: Settings) -> dict[str, str]:
    """Return the environment that holds a service's processes to its version of the settings.

    Raises UsageError for what is wrong in any of them.
    """
    catalogue.of(settings)
    return {snapshot.FOLDER: str(snapshot.take(settings.state))}


def start_anew() -> NoReturn:
    """Become the same command again, as the same process."""
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - ourselves
