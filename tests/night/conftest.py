# SPDX-License-Identifier: GPL-2.0-only
"""One real night, shared by all tests of this folder."""

from collections.abc import Iterator
from contextlib import ExitStack, nullcontext

import pytest

from tests.night.road import Road, made


@pytest.fixture(scope="session")
def road(cluster: str, pytestconfig: pytest.Config) -> Iterator[Road]:
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    with ExitStack() as held:
        # Its progress is for whoever waits: minutes of silence look like a hang.
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            gone = held.enter_context(made(cluster))
        yield gone
