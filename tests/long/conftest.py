# SPDX-License-Identifier: GPL-2.0-only
"""The long tests share one real night, and installations with stand-in stages.

`VLAG_TEST_NIGHT` names a folder to keep the night in: a second session finds it there.
"""

from collections.abc import Iterator
from contextlib import ExitStack, nullcontext

import pytest

from tests.integration.conftest import checkout, installation, session_folder
from tests.night.clone import Night, shared_night

__all__ = ["checkout", "installation", "night", "session_folder"]


@pytest.fixture(scope="session")
def night(pytestconfig: pytest.Config) -> Iterator[Night]:
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    with ExitStack() as held:
        # Its progress is for whoever waits: a quarter of an hour of silence looks like a hang.
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            shared = held.enter_context(shared_night())
        yield shared
