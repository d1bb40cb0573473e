# SPDX-License-Identifier: GPL-2.0-only
"""Builds that the next start of the master repeats, and what their earlier attempts left."""

from __future__ import annotations

from typing import Any

from attrs import frozen
from buildbot.process.build import Build
from buildbot.process.results import CANCELLED, RETRY
from buildbot.util.twisted import async_to_deferred


class RepeatedBuild(Build):
    """A build that is repeated after a stop of the master, whatever step the stop met.

    Buildbot stops it with RETRY; but a step that waits for other builds, or that has not begun,
    then ends as CANCELLED, which counts as worse: the request would be over, without a result.
    """

    again = False  # the master stops, nobody stopped the build before

    def stopBuild(self, reason: str = "stopped", results: int = CANCELLED) -> Any:  # noqa: N802 - Buildbot's name
        """Stop; note whether that is the master's stop."""
        if not self.stopped:
            self.again = results == RETRY
        return super().stopBuild(reason, results)

    @async_to_deferred
    async def startBuild(self, workerforbuilder: Any) -> None:  # noqa: N802 - Buildbot's name
        """Start; end what was cancelled before its first step, which Buildbot leaves open."""
        await super().startBuild(workerforbuilder)
        if self.stopped and self._preparation_step is None and not self.finished:
            await self.buildFinished(["cancelled"], self.results)

    def stepDone(self, results: int, step: Any) -> Any:  # noqa: N802 - Buildbot's name
        """Take what the master's stop has cancelled for something to repeat."""
        return super().stepDone(RETRY if self.again and results == CANCELLED else results, step)


@frozen(kw_only=True)
class Attempt:
    """An earlier build of a request."""

    id: int
    results: int | None
    properties: dict[str, Any]


async def attempts(step: Any) -> list[Attempt]:
    """Return the earlier builds of the requests of a step's build, the newest first."""
    made = []
    for request in step.build.requests:
        for build in await step.master.db.builds.getBuilds(buildrequestid=request.id):
            if build.id == step.build.buildid:
                continue
            properties = await step.master.db.builds.getBuildProperties(build.id)
            values = {name: value for name, (value, _source) in properties.items()}
            made.append(Attempt(id=build.id, results=build.results, properties=values))
    return sorted(made, key=lambda attempt: -attempt.id)
