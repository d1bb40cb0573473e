# mypy: ignore-errors
# Buildbot's steps and decorators have no types that mypy could follow.
"""The builders: `kernel` builds and fans out, `board` runs, `nightly` and `push` coordinate.

Each level waits only for the one below (coordinator, kernel, board), so that
builds which wait can never take the last worker from what they wait for.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from buildbot.plugins import util
from buildbot.process.properties import Properties
from buildbot.util.runprocess import run_process
from twisted.internet import reactor

from master.locks import CPUS, NIGHT, BoardPool
from master.steps import Compare, Report, RunOnBoard, VlagCommand
from master.triggers import Child, FanOut, Gate, Kernels, Request
from vlag.model import Outcome
from vlag.pipeline.catalogue import Catalogue
from vlag.pipeline.service import worker_names
from vlag.pipeline.settings import Branch, Settings

#: A guard far beyond what a stage takes: a stage that hangs is the infrastructure's fault.
BUILD_MAX_S = 4 * 3600
SHORT_MAX_S = 1800

_COMMIT = re.compile("[0-9a-f]{40}")


def build_all(settings: Settings, catalogue: Catalogue) -> list[util.BuilderConfig]:
    """Return the builders of this installation."""
    pool = BoardPool(catalogue.boards)
    rows = (
        # name, steps, locks of the whole build, tags
        ("kernel", kernel_steps(catalogue), [], ["build"]),
        ("board", board_steps(catalogue, pool), util.renderer(pool.lock_of), ["run"]),
        ("nightly", nightly_steps(settings), [NIGHT.access("exclusive")], ["night"]),
        ("push", push_steps(), [], ["push"]),
    )
    return [
        util.BuilderConfig(
            name=name,
            workernames=list(worker_names(catalogue)),
            factory=util.BuildFactory(steps),
            locks=locks,
            tags=tags,
            collapseRequests=False,  # each commit and each run is asked for on purpose
        )
        for name, steps, locks, tags in rows
    ]


def run_requests(catalogue: Catalogue, properties: Properties) -> list[Request]:
    """Return the runs of the kernel that `properties` tell of, in the plan's order."""
    board_type = properties.getProperty("board_type")
    return [
        {
            "label": f"{_name_of(properties)} {entry.benchmark} seed {seed}",
            "board_type": board_type,
            "build_bundle": properties.getProperty("build_bundle"),
            "kernel": properties.getProperty("kernel"),
            "plan": properties.getProperty("plan"),
            "benchmark": entry.benchmark,
            "parameters": dict(entry.parameters),
            "seed": seed,
            "timeout_s": entry.timeout_s,
        }
        for entry in catalogue.plan(properties.getProperty("plan")).entries
        if board_type in entry.board_types
        for seed in range(1, entry.seeds + 1)
    ]


def kernel_name(ref: str, branch: str | None) -> str:
    """Return what people call a kernel: its ref, or branch and short commit."""
    if not branch or ref == branch:
        return ref
    return f"{branch} {ref[:12] if _COMMIT.fullmatch(ref) else ref}"


def _name_of(properties: Properties) -> str:
    return kernel_name(properties.getProperty("ref"), properties.getProperty("watched"))


@util.renderer
def _build_arguments(properties: Properties) -> list[str]:
    arguments = ["build", "--tree", properties.getProperty("tree")]
    arguments += ["--ref", properties.getProperty("ref")]
    # Not the property `branch`: a push hands its own branch on to its baseline too.
    if branch := properties.getProperty("watched"):
        arguments += ["--branch", branch]
    return [*arguments, "--board-type", properties.getProperty("board_type"), "--format", "json"]


@util.renderer
def _run_arguments(properties: Properties) -> list[str]:
    get = properties.getProperty
    parameters = [
        word for k, v in (get("parameters") or {}).items() for word in ("--param", f"{k}={v}")
    ]
    named = [
        f"--{name}={value}"
        for name, value in (
            ("plan", get("plan")),
            ("benchmark", get("benchmark")),
            ("seed", get("seed")),
            ("timeout", get("timeout_s")),
        )
    ]
    return ["run", get("build_bundle"), *named, *parameters, "--reuse", "--format", "json"]


def _complete(step: VlagCommand) -> bool:
    return step.getProperty("outcome") == Outcome.COMPLETE.value


def _record(what: str, subject: object) -> VlagCommand:
    """Put the bundle of a build or a run, if there is one, into the database."""
    bundle = f"{what}_bundle"
    return VlagCommand(
        ["ingest", util.Property(bundle), "--format", "json"],
        name=f"record the {what}",
        subject=subject,
        done="recorded",
        doStepIf=lambda step: bool(step.getProperty(bundle)),
        maxTime=SHORT_MAX_S,
    )


def kernel_steps(catalogue: Catalogue) -> list[object]:
    """Build a kernel, put the build on record, run its plan."""

    def runs(properties: Properties) -> list[Request]:
        return run_requests(catalogue, properties)

    def other_runs(properties: Properties) -> list[Request]:
        return runs(properties)[1:]

    name = util.renderer(_name_of)
    return [
        VlagCommand(
            _build_arguments,
            name="build",
            subject=name,
            done="built",
            keep={key: key for key in ("kernel", "commit", "outcome", "reason")}
            | {"bundle": "build_bundle"},
            locks=[CPUS.access("exclusive")],
            maxTime=BUILD_MAX_S,
            updateBuildSummaryPolicy=True,
        ),
        _record("build", name),
        Gate("boards", runs, name="first run", doStepIf=lambda s: _complete(s) and bool(runs(s))),
        FanOut(
            "boards",
            other_runs,
            name="runs",
            what="other runs",
            doStepIf=lambda step: (
                _complete(step) and step.getProperty("gate") != "closed" and bool(other_runs(step))
            ),
        ),
    ]


def push_steps() -> list[object]:
    """Build and run a head and its baseline, which mostly was before, and compare them."""
    return [
        Kernels(
            "kernels",
            push_requests,
            learn=plan_comparisons,
            name="kernels",
            warnOnWarnings=True,
        )
    ]


def push_requests(properties: Properties) -> list[Request]:
    """Return the head that was pushed or asked for, and its baseline if it has one."""
    common = {key: properties.getProperty(key) for key in ("tree", "plan", "board_type")}
    branch = properties.getProperty("branch")
    ref = properties.getProperty("ref") or properties.getProperty("revision") or branch
    baseline = properties.getProperty("baseline")
    head = {**common, "ref": ref, "label": f"{kernel_name(ref, branch)} on {common['board_type']}"}
    if branch:
        head["watched"] = branch
    if not baseline:
        return [head]
    base = {**common, "ref": baseline, "label": f"baseline {baseline} on {common['board_type']}"}
    return [{**head, "compared_with": baseline}, base]


def compare_arguments(base: object, new: object, board_type: object) -> list[object]:
    """Return the arguments of `vlag compare`."""
    options = ["--board-type", board_type, "--exit-code", "--format", "json"]
    return ["compare", base, new, *options]


def board_steps(catalogue: Catalogue, pool: BoardPool) -> list[object]:
    """Run one benchmark once on a free board, then read it into the database."""

    @util.renderer
    def guard_s(properties: Properties) -> int:
        kind = catalogue.board_types.get(properties.getProperty("board_type"))
        boot_s = 0 if kind is None else kind.boot_timeout_s
        return int(properties.getProperty("timeout_s")) + boot_s + 600

    subject = util.Interpolate("%(prop:label)s")
    return [
        RunOnBoard(
            _run_arguments,
            pool=pool,
            name="run",
            subject=subject,
            keep={"outcome": "outcome", "bundle": "run_bundle", "reason": "reason"},
            locks=[CPUS.access("counting")],
            maxTime=guard_s,
            updateBuildSummaryPolicy=True,
        ),
        _record("run", subject),
    ]


def nightly_steps(settings: Settings) -> list[object]:
    """Build and run every watched head and its baseline, compare them, write the report."""

    @util.renderer
    def path(_properties: Properties) -> str:
        return str(settings.state / "reports" / f"{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}.txt")

    return [
        Kernels(
            "kernels",
            lambda _properties: night_requests(settings, heads),
            learn=plan_comparisons,
            name="kernels",
            warnOnWarnings=True,
        ),
        Report(
            path,
            name="report",
            maxTime=SHORT_MAX_S,
            alwaysRun=True,  # one comparison that is refused does not hide the others
            # A night that is about to be tried again, or was stopped, has no report yet.
            doStepIf=lambda step: step.build.results not in (util.RETRY, util.CANCELLED),
        ),
    ]


async def heads(settings: Settings, tree: str) -> list[str]:
    """Return the branches of a tree, asked of git without waiting for it in the reactor."""
    status, out, err = await run_process(
        reactor,
        ["git", "ls-remote", "--heads", repository(settings, tree)],
        env=dict(os.environ),
    )
    if status:
        said = (err.decode(errors="replace").strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"cannot list the branches of tree {tree}: {said}")
    names = (line.split("\trefs/heads/", 1)[-1] for line in out.decode().splitlines())
    return sorted(names)


def repository(settings: Settings, tree: str) -> str:
    """Return what git is asked for news of a tree: its URL, else the local mirror."""
    return settings.trees[tree].url or str(settings.mirror(tree))


async def night_requests(
    settings: Settings, heads: Callable[[Settings, str], object]
) -> list[Request]:
    """Return each distinct baseline, then each watched head, once a board type."""
    baselines: dict[tuple[str, ...], Request] = {}
    branches: list[Request] = []
    for watched in settings.branches:
        for name in await watched_names(settings, watched, heads):
            for board_type in watched.board_types:
                common = {"tree": watched.tree, "plan": watched.plan, "board_type": board_type}
                key = (watched.tree, watched.plan, board_type, watched.baseline)
                baselines.setdefault(
                    key,
                    {
                        **common,
                        "ref": watched.baseline,
                        "label": f"baseline {watched.baseline} on {board_type}",
                    },
                )
                branches.append(
                    {
                        **common,
                        "ref": name,
                        "watched": name,
                        "compared_with": watched.baseline,
                        "label": f"branch {name} on {board_type}",
                    }
                )
    return [*baselines.values(), *branches]


async def watched_names(
    settings: Settings, watched: Branch, heads: Callable[[Settings, str], object]
) -> list[str]:
    """Return the branches that an entry of the settings means: its name, or all that fit."""
    if not any(character in watched.branch for character in "*?["):
        return [watched.branch]
    return fnmatch.filter(await heads(settings, watched.tree), watched.branch)


def plan_comparisons(step: Kernels, children: list[Child]) -> None:
    """Add one comparison for each branch of which both kernels are known."""

    def key(request: Request, ref: str) -> tuple[str, ...]:
        return (request["tree"], request["plan"], request["board_type"], ref)

    kernels = {
        key(child.request, child.request["ref"]): child.properties.get("kernel")
        for child in children
        if "compared_with" not in child.request
    }
    comparisons = []
    for child in children:
        request = child.request
        base = kernels.get(key(request, request.get("compared_with", "")))
        new = child.properties.get("kernel")
        if base and new:
            arguments = compare_arguments(base, new, request["board_type"])
            comparisons.append(
                Compare(
                    arguments,
                    name=f"compare {request['ref']}"[:50],
                    subject=f"{request['compared_with']} to {request['ref']}",
                    warnOnWarnings=True,
                    maxTime=SHORT_MAX_S,
                )
            )
    if comparisons:
        step.build.addStepsAfterCurrentStep(comparisons)


def secret(path: Path) -> str:
    """Return the content of a secret's file; the service writes them before it starts us."""
    return path.read_text(encoding="ascii").strip()
