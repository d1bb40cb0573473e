# SPDX-License-Identifier: GPL-2.0-only
"""What master/ uses of Buildbot that has no public interface is there in the pinned release."""

from __future__ import annotations

import inspect
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from buildbot.data import masters
from buildbot.data.forceschedulers import ForceSchedulersEndpoint
from buildbot.data.properties import BuildsetPropertiesEndpoint
from buildbot.data.sourcestamps import SourceStampsEndpoint
from buildbot.master import BuildMaster
from buildbot.mq.connector import MQConnector
from buildbot.mq.simple import SimpleMQ
from buildbot.process.build import Build
from buildbot.process.builder import Builder
from buildbot.process.buildstep import BuildStep
from buildbot.steps.trigger import Trigger
from buildbot.www import auth
from buildbot.www.config import IndexResource
from buildbot.www.service import BuildbotSite, WWWService
from packaging.requirements import Requirement
from twisted.application.internet import TimerService

from vlag import ROOT

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import logged, sessions


def master(folder: Path) -> Any:
    """Return a master that is not started."""
    return BuildMaster(str(folder))


def build() -> Any:
    """Return a build of one request, not begun."""
    merged = {"mergeSourceStampsWith": lambda _: [], "mergeReasons": lambda _: ""}
    return Build(
        [SimpleNamespace(**merged)], SimpleNamespace(master=None, config_version=0, config=None)
    )


#: What master/ replaces, calls or reads, by the object that has it.
USED: dict[str, tuple[Callable[[Path], Any], tuple[str, ...]]] = {
    "multimaster/heartbeat.py, the timer": (
        lambda folder: master(folder).masterHeartbeatService,
        ("step", "call", "clock"),
    ),
    "multimaster/heartbeat.py, updates": (
        lambda folder: master(folder).data.updates,
        ("masterActive", "expireMasters"),
    ),
    "multimaster/heartbeat.py, requests": (
        lambda folder: master(folder).data.rtypes.buildrequest,
        ("generateEvent",),
    ),
    "multimaster/heartbeat.py, limit": (lambda _: masters, ("EXPIRE_MINUTES",)),
    "multimaster/bus.py, queue": (
        lambda _: SimpleMQ,
        ("produce", "reconfigServiceWithBuildbotConfig", "startService", "stopService"),
    ),
    "multimaster/bus.py, shutdown": (
        lambda folder: master(folder).botmaster,
        ("cleanShutdown", "shuttingDown", "builders"),
    ),
    "builders.py": (
        lambda folder: master(folder).botmaster,
        ("maybeStartBuildsForBuilder",),
    ),
    "builders.py, workers": (lambda _: Builder("kernel"), ("building",)),
    "lab_steps.py, notify_steps.py": (
        lambda folder: master(folder).service_manager,
        ("namedServices",),
    ),
    "push.py, night_steps.py, confirm.py, lab_steps.py, bus.py": (
        lambda _: build(),
        (
            "addStepsAfterCurrentStep",
            "executedSteps",
            "lostRemote",
            "requests",
            "stopped",
            "stopped_reason",
        ),
    ),
    "triggers.py": (
        lambda _: Trigger(schedulerNames=["x"]),
        (
            "brids",
            "ended",
            "running",
            "waitForFinishDeferred",
            "_add_results",
            "_result_list",
            "getSchedulersAndProperties",
        ),
    ),
    "endpoints.py, forms": (lambda _: ForceSchedulersEndpoint, ("get", "pathPatterns")),
    "endpoints.py, sources": (lambda _: SourceStampsEndpoint, ("get", "pathPatterns")),
    "door.py": (lambda _: IndexResource, ("renderIndex",)),
    "login.py": (lambda _: auth.CustomAuth, ("getLoginResource", "requestAvatarId")),
    "door.py, secret": (lambda _: WWWService, ("setupSite", "makeSessionSecret")),
}


def gone(holder: Any, names: tuple[str, ...]) -> list[str]:
    """Return the names that `holder` does not have."""
    return [name for name in names if not hasattr(holder, name)]


@pytest.mark.parametrize("place", USED)
def test_what_the_master_uses_inside_buildbot_is_there(place: str, tmp_path: Path) -> None:
    of, names = USED[place]
    assert gone(of(tmp_path), names) == []


def test_a_name_that_is_gone_is_found(tmp_path: Path) -> None:
    assert gone(master(tmp_path), ("masterHeartbeatService", "heartOfOldReleases")) == [
        "heartOfOldReleases"
    ]


def test_the_replaced_values_are_read_where_we_replace_them(tmp_path: Path) -> None:
    expire = inspect.unwrap(masters.Master.expireMasters)
    assert "EXPIRE_MINUTES" in expire.__code__.co_names  # the module's, at each call
    assert isinstance(master(tmp_path).masterHeartbeatService, TimerService)
    assert {"class", "keys"} <= set(MQConnector.classes["simple"])
    assert "session_secret" in inspect.getsource(BuildbotSite.__init__)


def test_sessions_are_signed_and_named_as_we_read_them() -> None:
    assert auth.SESSION_SECRET_ALGORITHM == sessions.ALGORITHM
    assert auth.build_cookie_name(False, []).decode() == sessions.COOKIE


def test_the_mended_ids_still_have_no_type() -> None:
    """With a type of Buildbot's own, master/endpoints.py can go."""
    assert "/builders/:builderid/forceschedulers" in ForceSchedulersEndpoint.pathPatterns
    assert "/buildsets/:buildsetid/sourcestamps" in SourceStampsEndpoint.pathPatterns


def test_a_request_still_has_no_properties_of_its_own() -> None:
    """With an endpoint of Buildbot's own, `master.endpoints._of_buildset` can go."""
    endpoint: Any = BuildsetPropertiesEndpoint
    assert endpoint.pathPatterns == ["/buildsets/n:bsid/properties"]


def test_each_package_of_buildbot_has_the_same_upper_bound() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [Requirement(text) for text in project["dependencies"]]
    ours = [wish for wish in wanted if wish.name.startswith("buildbot")]
    assert len(ours) == 6
    assert len({str(wish.specifier) for wish in ours}) == 1
    for wish in ours:
        assert wish.specifier.contains(version(wish.name)), wish
        assert not wish.specifier.contains("4.4.0"), wish


def test_the_log_has_a_step_without_its_arguments() -> None:
    class Step(BuildStep):  # type: ignore[misc]  # Buildbot has no types
        name = "forecast"

        def __init__(self, settings: object, **kwargs: object):
            super().__init__(**kwargs)
            self.settings = settings

    before = BuildStep.__str__, BuildStep.__repr__
    try:
        made = Step("alice@example.org", name="forecast")
        assert "alice@example.org" in str(made)  # negative control: Buildbot's own
        logged.shorten()
        assert str(made) == repr(made)
        assert str(made).endswith("Step(forecast)")
        assert "alice@example.org" not in str(made)
    finally:
        BuildStep.__str__, BuildStep.__repr__ = before
