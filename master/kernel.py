# SPDX-License-Identifier: GPL-2.0-only
"""Steps of the builders `kernel` (build, then request the runs) and `board` (run)."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen
from buildbot.plugins import util
from buildbot.process.properties import Properties

from master.lab_steps import WaitForJob
from master.locks import BoardPool, Hosts
from master.steps import SAID, RunOnBoard, ShowFiles, VlagCommand, last, skipped
from master.triggers import FanOut, Gate, Request
from vlag.config import DEFAULT, Settings
from vlag.config.catalogue import Catalogue
from vlag.model import Outcome, Purpose, is_commit_id
from vlag.operate.farm.board_checks import PLAN as CHECK
from vlag.operate.farm.board_checks import out_of_service
from vlag.pipeline.night_plan import Asked, PlannedRun, planned_runs

#: Time limits far above normal durations: a stage that hangs is an infrastructure fault.
BUILD_MAX_S = 4 * 3600
SHORT_MAX_S = 1800

#: Properties that a run takes from its kernel.
_OF_A_RUN = ("purpose", "kernel_name", "build_bundle", "kernel", "plan", "knobs")


def kernel_name(ref: str, branch: str | None) -> str:
    """Return the display name of a kernel: its ref, or branch and short commit."""
    if not branch or ref == branch:
        return ref
    return f"{branch} {ref[:12] if is_commit_id(ref) else ref}"


def kernel_request(asked: Asked, *, purpose: str, compared_with: list[str]) -> Request:
    """Return the properties of a build of `kernel`; `compared_with` are keys of its bases."""
    return {
        "purpose": purpose,
        "label": f"{asked.label} on {', '.join(asked.board_types)}",
        "kernel_name": asked.label,
        "key": asked.key,
        "compared_with": compared_with,
        "tree": asked.tree,
        "ref": asked.ref,
        # Not the property `branch`: a push would pass its value on to its baseline.
        "watched": asked.branch,
        "series": asked.series,
        "application": asked.application,
        "variant": asked.variant,
        "knobs": dict(asked.knobs),
        "plan": asked.plan,
        "board_types": list(asked.board_types),
        "benchmarks": None if asked.benchmarks is None else list(asked.benchmarks),
    }


def run_requests(catalogue: Catalogue, properties: Properties) -> list[Request]:
    """Return the runs of the kernel in `properties`, in the order of the plan.

    Recorded runs are left out.  A check runs on each board, whether or not earlier checks are
    recorded.
    """
    get = properties.getProperty
    there = [
        (r["benchmark"], r["parameters"], r["board_type"], r["seed"], r["observes"])
        for r in get("recorded") or ()
    ]
    kernel = {name: get(name) for name in _OF_A_RUN}
    planned = planned_runs(
        catalogue,
        get("plan"),
        get("board_types"),
        benchmarks=get("benchmarks"),
        knobs=get("knobs") or {},
    )
    if get("plan") == CHECK:
        return [
            run_request(kernel, run, board.name)
            for run in planned
            for board in catalogue.boards
            if board.board_type == run.board_type
        ]
    return [
        run_request(kernel, run)
        for run in planned
        if (
            run.entry.benchmark,
            dict(run.entry.parameters),
            run.board_type,
            run.seed,
            run.observes,
        )
        not in there
    ]


def run_request(kernel: Mapping[str, object], run: PlannedRun, board: str | None = None) -> Request:
    """Return the properties of a build of `board`: one boot of a built kernel.

    If `board` is given, the run needs exactly this board.
    """
    same = {name: kernel.get(name) for name in _OF_A_RUN}
    observing = "" if run.observes is None else f" observing {run.observes}"
    return same | {
        "label": f"{kernel['kernel_name']} {run.entry.benchmark} seed {run.seed}"
        f"{observing} on {board or run.board_type}",
        "pinned": board,
        "board_type": run.board_type,
        "benchmark": run.entry.benchmark,
        "parameters": dict(run.entry.parameters),
        "knobs": kernel.get("knobs") or {},
        "seed": run.seed,
        "observes": run.observes,
        "timeout_s": run.entry.timeout_s,
    }


@util.renderer
def build_arguments(properties: Properties) -> list[str]:
    """Return the arguments of `vlag build`."""
    get = properties.getProperty
    arguments = ["build", "--tree", get("tree"), "--ref", get("ref")]
    if branch := get("watched"):
        arguments += ["--branch", branch]
    if (get("application") or "none") != "none":
        arguments += ["--series", get("series"), "--application", get("application")]
    if (variant := get("variant") or DEFAULT) != DEFAULT:
        arguments += ["--variant", variant]
    # All board types of the group share one image, so the first is enough.
    return [*arguments, "--board-type", get("board_types")[0], "--format", "json"]


@util.renderer
def reusable_arguments(properties: Properties) -> list[str]:
    """Return the arguments of `vlag reusable-runs`."""
    get = properties.getProperty
    arguments = ["reusable-runs", get("build_bundle"), "--plan", get("plan")]
    arguments += [word for name in get("board_types") for word in ("--board-type", name)]
    return [*arguments, *knob_options("--knob", get("knobs")), "--format", "json"]


def knob_options(option: str, knobs: dict[str, str] | None) -> list[str]:
    """Return one option per knob."""
    return [word for k, v in sorted((knobs or {}).items()) for word in (option, f"{k}={v}")]


@util.renderer
def run_arguments(properties: Properties) -> list[str]:
    """Return the arguments of `vlag run` without the board."""
    get = properties.getProperty
    named = [
        f"--{name}={value}"
        for name, value in (
            ("plan", get("plan")),
            ("benchmark", get("benchmark")),
            ("seed", get("seed")),
            ("observe", get("observes")),
            ("timeout", get("timeout_s")),
        )
        if value is not None
    ]
    changed = knob_options("--param", get("parameters")) + knob_options("--knob", get("knobs"))
    # A board check needs a new run.
    reuse = [] if get("plan") == CHECK else ["--reuse"]
    return ["run", get("build_bundle"), *named, *changed, *reuse, "--format", "json"]


def _complete(step: VlagCommand) -> bool:
    return step.getProperty("outcome") == Outcome.COMPLETE.value


def _planned(step: VlagCommand) -> bool:
    """Return whether a kernel built, and has a plan to be run: one to search with has none."""
    return _complete(step) and bool(step.getProperty("plan"))


def _record(what: str, subject: object) -> VlagCommand:
    """Return a step that ingests the bundle of a build or a run, if there is one."""
    bundle = f"{what}_bundle"
    return VlagCommand(
        ["ingest", util.Property(bundle), "--format", "json"],
        name=f"record the {what}",
        subject=subject,
        done="recorded",
        doStepIf=lambda step: bool(step.getProperty(bundle)),
        maxTime=SHORT_MAX_S,
    )


def kernel_steps(catalogue: Catalogue, hosts: Hosts) -> list[object]:
    """Build a kernel, record the build and run its plan."""

    def runs(properties: Properties) -> list[Request]:
        return run_requests(catalogue, properties)

    def other_runs(properties: Properties) -> list[Request]:
        return runs(properties)[1:]

    name = util.Interpolate("%(prop:kernel_name)s")
    kept = ("kernel", "commit", "release", "outcome", "reason", "reused")
    return [
        VlagCommand(
            build_arguments,
            name="build",
            subject=name,
            done="built",
            keep={key: key for key in kept} | {"bundle": "build_bundle"},
            locks=hosts.cpus_for("exclusive"),
            maxTime=BUILD_MAX_S,
            updateBuildSummaryPolicy=SAID,
        ),
        ShowFiles(
            {
                "build.log": last(util.Interpolate("%(prop:build_bundle)s/build.log")),
            },
            name="build log",
            doStepIf=lambda step: bool(step.getProperty("build_bundle")),
        ),
        _record("build", name),
        VlagCommand(
            reusable_arguments,
            name="runs on record",
            subject=name,
            done="runs on record looked up",
            keep={"recorded": "recorded"},
            doStepIf=_planned,
            maxTime=SHORT_MAX_S,
        ),
        Gate("boards", runs, name="first run", doStepIf=lambda s: _planned(s) and bool(runs(s))),
        FanOut(
            "boards",
            other_runs,
            name="runs",
            what="other runs",
            doStepIf=lambda step: (
                _planned(step) and step.getProperty("gate") != "closed" and bool(other_runs(step))
            ),
        ),
    ]


@util.renderer
def submit_arguments(properties: Properties) -> list[str]:
    """Return the arguments of `vlag submit`."""
    get = properties.getProperty
    purpose = get("purpose") or Purpose.PERSON.value
    words = ["--board-type", get("board_type"), "--purpose", purpose]
    words += ["--request-id", get("occasion")]
    words += ["--board", get("pinned")] if get("pinned") else []
    return ["submit", *properties.render(run_arguments).result[1:], *words]


#: What a board's build keeps of the answer of `vlag run` and `vlag collect`.
_OF_AN_ANSWER = {
    **{key: key for key in ("outcome", "reason", "reused", "output", "console", "board")},
    "bundle": "run_bundle",
}

#: What it keeps of the answer of `vlag submit` besides.
_OF_A_JOB = {"lab": "lab", "jobs": "lab_jobs", "key": "lab_key", "folder": "lab_folder"}

#: The name of a run in what its steps say.
_LABEL = util.Interpolate("%(prop:label)s")


def board_steps(
    settings: Settings, catalogue: Catalogue, pool: BoardPool, hosts: Hosts
) -> list[object]:
    """Run one benchmark once on a free board, show its output and ingest the run.

    `pool` assigns the boards of worker hosts; a LAVA server assigns the boards of its lab.
    """
    boot = _BoardBoot(settings=settings, catalogue=catalogue, pool=pool, hosts=hosts)
    return [
        boot.run_here(),
        boot.submit_to_lab(),
        boot.wait_for_lab(),
        boot.collect_from_lab(),
        _show_output(),
        _record("run", _LABEL),
        _check_board(),
    ]


@frozen(kw_only=True)
class _BoardBoot:
    """The steps that boot: on a board of a worker host, or as a job of a lab."""

    settings: Settings
    catalogue: Catalogue
    pool: BoardPool
    hosts: Hosts

    def run_here(self) -> RunOnBoard:
        return RunOnBoard(
            run_arguments,
            pool=self.pool,
            host=self.hosts.of,
            out=lambda: out_of_service(self.settings.dsn()),
            name="run",
            subject=_LABEL,
            keep=_OF_AN_ANSWER,
            locks=self.hosts.cpus_for("counting"),
            maxTime=self._limit_s(),
            updateBuildSummaryPolicy=SAID,
            doStepIf=lambda step: not self._in_lab(step),
            hideStepIf=skipped,
        )

    def submit_to_lab(self) -> VlagCommand:
        return VlagCommand(
            submit_arguments,
            name="submit",
            subject=_LABEL,
            done="submitted to the lab",
            keep=_OF_A_JOB | _OF_AN_ANSWER,
            maxTime=SHORT_MAX_S,
            doStepIf=self._in_lab,
            hideStepIf=skipped,
        )

    def wait_for_lab(self) -> WaitForJob:
        return WaitForJob(
            self.settings.labs,
            name="wait",
            alwaysRun=True,  # a build stopped before this step must also cancel its jobs
            doStepIf=_is_waiting,
            hideStepIf=skipped,
        )

    def collect_from_lab(self) -> VlagCommand:
        return VlagCommand(
            ["collect", util.Property("lab_folder"), "--format", "json"],
            name="collect",
            subject=_LABEL,
            keep=_OF_AN_ANSWER,
            maxTime=SHORT_MAX_S,
            updateBuildSummaryPolicy=SAID,
            doStepIf=_is_waiting,
            hideStepIf=skipped,
        )

    def _in_lab(self, step: VlagCommand) -> bool:
        return not self.pool.has(step.getProperty("board_type"))

    def _limit_s(self) -> object:
        """Return a renderer of the seconds after which a boot here counts as hung."""

        @util.renderer
        def limit_s(properties: Properties) -> int:
            kind = self.catalogue.board_types.get(properties.getProperty("board_type"))
            timeout_s = int(properties.getProperty("timeout_s"))
            return 600 + (timeout_s if kind is None else kind.host_limit_s(timeout_s))

        return limit_s


def _is_waiting(step: VlagCommand) -> bool:
    """Return whether a lab has the run's jobs, and its bundle is not there yet."""
    return bool(step.getProperty("lab_jobs")) and not step.getProperty("run_bundle")


def _show_output() -> ShowFiles:
    return ShowFiles(
        {
            "output": last(util.Property("output")),
            "console": last(util.Property("console")),
            "run.json": last(util.Interpolate("%(prop:run_bundle)s/run.json")),
        },
        name="raw output",
        doStepIf=lambda step: bool(step.getProperty("run_bundle")),
    )


def _check_board() -> VlagCommand:
    """Return the step that warns of a board outside its band, which goes out of service."""
    return VlagCommand(
        ["boards", "check", util.Property("run_bundle"), "--format", "json"],
        name="check of the board",
        subject=_LABEL,
        done="in its band",
        maxTime=SHORT_MAX_S,
        doStepIf=lambda step: (
            step.getProperty("plan") == CHECK and bool(step.getProperty("run_bundle"))
        ),
        hideStepIf=skipped,
    )
