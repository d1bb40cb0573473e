# SPDX-License-Identifier: GPL-2.0-only
"""The step that writes a report, once for what it reports on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from buildbot.process.properties import Properties
from buildbot.process.results import FAILURE, SUCCESS, WARNINGS
from buildbot.util.twisted import async_to_deferred
from twisted.internet.threads import deferToThread

from master.repeated import attempts
from master.steps import AtBaseline, NotCompared, VlagCommand
from vlag.errors import ExitCode
from vlag.report import proof_file

#: Property of a build: how many of its comparisons and of its findings a report has.
REPORTED = "reported"


def earlier(properties: Properties) -> tuple[int, int]:
    """Return how many comparisons and findings of a build an earlier report of it has."""
    comparisons, findings = properties.getProperty(REPORTED) or (0, 0)
    return comparisons, findings


class Report(VlagCommand):
    """`vlag report` of the comparisons since the build's last report, whole, to `path`.

    It is also shown as a log.  `notes` are lines at the head of the report; the build's
    property `keep` becomes its path.  A build that is repeated keeps the report of the earlier
    attempt if that has the same comparisons: it has been read, and its notes are of the work.
    """

    renderables = ("notes", "path")

    def __init__(self, path: Any, *, notes: Any = (), keep: str = "report", **kwargs: Any):
        # The log does not follow the file: the command writes it at its end.
        super().__init__([], subject="report", done="written", **kwargs)
        self.path = path
        self.notes = notes
        self.kept_as = keep

    @async_to_deferred
    async def run(self) -> int:
        """Write the report and keep its path."""
        every = self.getProperty("comparisons") or []
        comparisons = every[earlier(self.getProperties())[0] :]
        if not comparisons and self._level() and not self._missing():
            self.summary = "report: nothing to compare yet"
            return SUCCESS
        if not comparisons:
            self.summary = "report: there is nothing to compare"
            return FAILURE
        contents = {"comparisons": sorted(comparisons), "missing": sorted(self._missing())}
        before = await self._before(contents)
        if before is not None:
            self.summary = f"{self.subject}: written before, reused"
            return self._keep(before[self.kept_as], before[self._about])
        self.logfiles = {"report": {"filename": self.path, "follow": False}}
        arguments = ["report", "--full", "--origins", "--output", self.path]
        arguments += ["--proof-file", str(proof_file.beside(Path(self.path)))]
        for comparison in comparisons:
            arguments += ["--comparison", comparison]
        for note in (*self.notes, *self._level()):
            arguments += ["--note", note]
        for sentence in self._missing():
            arguments += ["--missing", sentence]
        result = await self.call([*arguments, "--exit-code"])
        if result in (SUCCESS, WARNINGS):
            self._keep(self.path, {**contents, "notes": list(self.notes), "result": result})
        return result

    def _keep(self, path: str, about: Mapping[str, Any]) -> int:
        """Keep a report as this build's; return the step's result."""
        self.setProperty(self.kept_as, path, "vlag report")
        self.setProperty("notes", list(about["notes"]), "vlag report")
        counts = [len(self.getProperty(name) or ()) for name in ("comparisons", "findings")]
        self.setProperty(REPORTED, counts, "vlag report")
        self.setProperty(self._about, dict(about), "vlag report")
        return int(about["result"])

    @property
    def _about(self) -> str:
        """Return the name of the property with contents, notes and result of a report."""
        return f"{self.kept_as}_about"

    async def _before(self, contents: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the properties of an earlier attempt whose report has these contents."""
        for attempt in await attempts(self):
            about = attempt.properties.get(self._about)
            if about is None or {**about, **contents} != about:
                continue
            if await deferToThread(Path(attempt.properties[self.kept_as]).exists):
                return attempt.properties
        return None

    def _missing(self) -> list[str]:
        """Return why comparisons since the last report were not made."""
        sentences = [step.sentence for step in self._since_last() if isinstance(step, NotCompared)]
        return list(dict.fromkeys(sentences))

    def _level(self) -> list[str]:
        """Return which heads since the last report are their own baseline."""
        sentences = [
            step.level.sentence for step in self._since_last() if isinstance(step, AtBaseline)
        ]
        return list(dict.fromkeys(sentences))

    def _since_last(self) -> list[object]:
        """Return the steps since the last report."""
        steps: list[object] = []
        for step in self.build.executedSteps:
            written = isinstance(step, Report) and step.results in (SUCCESS, WARNINGS)
            steps = [] if written else [*steps, step]
        return steps

    def describe(self, code: int, answer: Mapping[str, Any], stderr: str, seconds: float) -> str:
        """Return the result, of a failed proof in words."""
        if code == ExitCode.PROOF_FAILED:
            return f"{self.subject}: known regressions NOT as predicted"
        return super().describe(code, answer, stderr, seconds)
