# SPDX-License-Identifier: GPL-2.0-only
"""Builder `push`: compare a commit with its parent and its baseline, confirm suspicions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attrs import evolve
from buildbot.plugins import util
from buildbot.process.buildstep import BuildStep
from buildbot.process.properties import Properties
from buildbot.process.results import FAILURE, SUCCESS, WARNINGS
from twisted.internet.threads import deferToThread

from master import titles
from master.comparison_steps import comparison_steps
from master.confirm import Again, confirm_steps, keep, reruns_of
from master.kernel import SHORT_MAX_S, kernel_name, kernel_request
from master.lane_steps import Ask
from master.notify_steps import Alerts
from master.profile_steps import Explain
from master.reports import Report
from master.schedulers import BY_HAND
from master.trees import first_parent
from master.triggers import Child, Kernels, Request
from vlag.config import Settings, baseline_label, baseline_of
from vlag.config.catalogue import Catalogue
from vlag.model import Outcome, Purpose, is_commit_id
from vlag.pipeline import confirmation
from vlag.pipeline.night_plan import Asked, board_groups

HEAD, PARENT, BASELINE = "head", "parent", "baseline"

#: Returns the first parent of a commit of a tree.
Parent = Callable[[Settings, str, str], Any]


def push_steps(settings: Settings, catalogue: Catalogue) -> list[object]:
    """Build and run head, parent and baseline, compare them, confirm suspicions, conclude."""

    async def requests(properties: Properties) -> list[Request]:
        return await push_requests(settings, catalogue, properties, first_parent)

    @util.renderer
    def path(properties: Properties) -> str:
        name = f"{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}-{_short(_ref(properties))}.txt"
        return str(settings.state / "reports" / "push" / name)

    @util.renderer
    def notes(properties: Properties) -> list[str]:
        return [properties.getProperty("verdict")]

    def learn(step: Kernels, children: list[Child]) -> None:
        _learn(step, children, reruns_of(catalogue, suspected_of_commit))

    return [
        Kernels("kernels", requests, learn=learn, name="kernels"),
        # Changes suspected only against the baseline are older than this commit.
        *confirm_steps(catalogue, suspected_of_commit),
        Conclude(name="verdict", warnOnWarnings=True),
        Report(
            path,
            notes=notes,
            name="report",
            maxTime=SHORT_MAX_S,
            doStepIf=_compared,
        ),
        Alerts(name="alerts", maxTime=SHORT_MAX_S, doStepIf=_compared),
        Explain(settings, catalogue, of_verdict, name="profiles"),
        *([Ask(settings, name="lanes")] if any(b.lanes for b in settings.branches) else []),
    ]


def _compared(step: Report | Alerts) -> bool:
    return bool(step.getProperty("comparisons"))


def _ref(properties: Properties) -> str:
    get = properties.getProperty
    return get("ref") or get("revision") or get("branch")


def _short(ref: str) -> str:
    return ref[:12] if is_commit_id(ref) else "".join(c if c.isalnum() else "-" for c in ref)[:40]


async def push_requests(
    settings: Settings, catalogue: Catalogue, properties: Properties, parent_of: Parent
) -> list[Request]:
    """Return requests for the existing ones of baseline, parent and head, per board group."""
    get = properties.getProperty
    tree, branch, ref = get("tree"), get("branch") or None, _ref(properties)
    baseline = baseline_of(get("baseline"), branch, ref) if get("baseline") else None
    application = get("application") or "none"
    series = get("series") or None
    if series and application == "none":
        application = "full"
    parent = await parent_of(settings, tree, ref) if is_commit_id(ref) else None
    purpose = (Purpose.PERSON if get("scheduler") == BY_HAND else Purpose.PUSH).value
    requests = []
    for group in board_groups(catalogue, get("plan"), get("board_types")):
        head = Asked(
            tree=tree,
            ref=ref,
            branch=branch,
            series=series if application != "none" else None,
            application=application,
            plan=get("plan"),
            board_types=group,
            label=kernel_name(ref, branch) + (f" + {series} {application}" if series else ""),
        )
        # Only the head gets the patches: parent and baseline are plain kernels.
        plain = evolve(head, series=None, application="none")
        bases = []
        # The parent comes first: that comparison decides the commit's verdict.
        if parent:
            label = f"parent {kernel_name(parent, branch)}"
            bases.append((PARENT, evolve(plain, ref=parent, label=label)))
        if baseline and baseline not in (parent, head.ref if plain.key == head.key else None):
            # A push before an upgrade and one that a person asks for name no tree of it.
            base_tree = get("baseline_tree") or tree
            label = baseline_label(baseline, None if base_tree == tree else base_tree)
            bases.append((
                BASELINE,
                evolve(plain, tree=base_tree, ref=baseline, branch=None, label=label),
            ))  # fmt: skip
        for role, base in reversed(bases):
            requests.append(
                {**kernel_request(base, purpose=purpose, compared_with=[]), "role": role}
            )
        keys = [base.key for _role, base in bases]
        requests.append({**kernel_request(head, purpose=purpose, compared_with=keys), "role": HEAD})
    return requests


def _learn(step: Kernels, children: list[Child], again: Again) -> None:
    """Keep the results of the kernels and add the comparisons."""
    keep(step, children)
    # Neither the comparison with the baseline nor an unconfirmed suspicion is a verdict on the
    # commit: the step `verdict` decides about a warning.
    if steps := comparison_steps(children, again=again, warnOnWarnings=False):
        step.build.addStepsAfterCurrentStep(steps)


def suspected_of_commit(finding: Mapping[str, Any]) -> list[str]:
    """Return the benchmarks with a suspected change by the commit, worse also as a hint."""
    if finding["role"] != PARENT:
        return []
    return confirmation.of_a_change(finding.get("suspects") or (), finding.get("better") or ())


def same_image(kernels: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether head and parent have one image on all board types: nothing can differ."""
    images: dict[tuple[str, ...], dict[str, object]] = {}
    for k in kernels:
        request = k["request"]
        if request["role"] != BASELINE:
            images.setdefault(tuple(request["board_types"]), {})[request["role"]] = _image(k)
    return bool(images) and all(
        by_role.get(HEAD) is not None and by_role[HEAD] == by_role.get(PARENT)
        for by_role in images.values()
    )


def _at_baseline(kernels: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a head without a parent is its own baseline."""
    heads, baselines = (
        {k.get("kernel") for k in kernels if k["request"]["role"] == r} for r in (HEAD, BASELINE)
    )
    parents = any(k["request"]["role"] == PARENT for k in kernels)
    return not parents and None not in heads and bool(heads) and heads == baselines


def _image(kernel: Mapping[str, Any]) -> object:
    """Return the digest of a kernel's image; None: it has none."""
    try:
        path = Path(kernel["build_bundle"]) / "build.json"
        return json.loads(path.read_text(encoding="utf-8"))["image"]["sha256"]
    except (OSError, ValueError, TypeError, KeyError):
        return None


def conclude(
    kernels: Sequence[Mapping[str, Any]],
    findings: Sequence[Mapping[str, Any]],
    *,
    same: bool = False,
) -> tuple[str, int]:
    """Return the verdict on the head in one line, and the build's result.

    The verdict is that against the parent or, without a parent, that against the baseline;
    with the `same` image as its parent a head has the parent's.
    """
    if not kernels:
        return "nothing to measure: the plan has nothing for these board types", SUCCESS
    heads = [k for k in kernels if k["request"]["role"] == HEAD]
    for head in heads:
        if head["outcome"] not in (None, Outcome.COMPLETE.value):
            return f"{str(head['outcome']).replace('_', ' ')}: {head['reason']}", FAILURE
        if head["gate_outcome"]:
            return f"{head['gate_outcome']} on the first run", FAILURE
    role = PARENT if any(f["role"] == PARENT for f in findings) else BASELINE
    screens = [f for f in findings if f["role"] == role and f["stage"] == "screen"]
    confirms = [f for f in findings if f["role"] == role and f["stage"] == "confirm"]
    if same or not screens:
        alone = all(k["request"]["role"] == HEAD for k in kernels)
        unjudged = "measured" if alone else "not compared"
        if _at_baseline(kernels):
            unjudged = "nothing to compare yet: it is its own baseline"
        return "same image as its parent" if same else unjudged, SUCCESS
    against = "" if role == PARENT else " against the baseline"
    suspected = _named(screens, "suspects" if role == PARENT else "regressed")
    proofs = any(f.get("regressions") for f in (confirms or screens))
    better = _better(screens, confirms)
    if not suspected:
        words, result = (better or _harmless(screens)) + against, SUCCESS
    elif role == BASELINE:
        words = f"REGRESSION{'' if proofs else ' (hint)'}{against}: {_names(suspected)}"
        result = WARNINGS
    else:
        words, result = _confirmed(suspected, confirms, proofs)
        if result == SUCCESS and better:
            words = f"{better}; {words}"
    if any(head["results"] == FAILURE for head in heads):
        return f"{words}; runs of it failed", max(result, WARNINGS)
    return words, result


def of_verdict(findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the findings on a head against its parent or, without one, its baseline."""
    role = PARENT if any(f["role"] == PARENT for f in findings) else BASELINE
    return [f for f in findings if f["role"] == role]


def decisive(findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the findings that decide about a head: the last of each board type."""
    return list({f["board_type"]: f for f in of_verdict(findings)}.values())


def _confirmed(
    suspected: set[tuple[str, str]], confirms: Sequence[Mapping[str, Any]], proofs: bool
) -> tuple[str, int]:
    """Return the verdict of a rerun on the suspected benchmarks."""
    again, booted = _named(confirms, "regressed"), _named(confirms, "benchmarks")
    last: dict[tuple[str, str], Mapping[str, Any]] = {}
    for f in confirms:
        last |= {(f["board_type"], name): f for name in f["benchmarks"] or ()}
    open_ = {key for key, f in last.items() if key[1] in (f.get("unsettled") or ())}
    if proofs and again:
        return f"REGRESSION confirmed: {_names(again)}", WARNINGS
    if again:
        words = f"REGRESSION (hint) confirmed by a rerun: {_names(again)}"
        return f"{words}; this board cannot prove it", WARNINGS
    if left := suspected - booted:
        return f"REGRESSION suspected: {_names(left)}; not rerun", WARNINGS
    if open_ := open_ & suspected:
        return f"undecided after a rerun: {_names(open_)}", SUCCESS
    return f"suspicion not confirmed: {_names(suspected)}", SUCCESS


def _named(findings: Sequence[Mapping[str, Any]], key: str) -> set[tuple[str, str]]:
    """Return board type and benchmark of the entries under a key of the findings."""
    return {(f["board_type"], name) for f in findings for name in f.get(key) or ()}


def _names(suspects: set[tuple[str, str]]) -> str:
    return ", ".join(sorted({benchmark for _board_type, benchmark in suspects}))


def _harmless(findings: Sequence[Mapping[str, Any]]) -> str:
    counts = _counts(findings)
    if counts["MARGINAL"]:
        return f"no regression, {counts['MARGINAL']} marginal"
    if counts["UNCHANGED"]:
        return "no regression"
    return f"no verdict: none of {counts.total()} results could be judged"


def _better(screens: Sequence[Mapping[str, Any]], confirms: Sequence[Mapping[str, Any]]) -> str:
    """Return what became of suspected improvements; "" where a rerun confirms none."""
    improved, booted = _named(screens, "improved"), _named(confirms, "benchmarks")
    if again := _named(confirms, "improved"):
        return f"IMPROVEMENT confirmed: {_names(again)}"
    if left := improved - booted:
        return f"IMPROVEMENT suspected: {_names(left)}; not rerun"
    return ""


def _counts(findings: Sequence[Mapping[str, Any]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for finding in findings:
        counts.update(finding.get("summary") or {})
    return counts


class Conclude(BuildStep):
    """Sets the verdict as the summary of the whole build and as its property `verdict`."""

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        self.verdict = ""

    async def run(self) -> int:
        """Derive the verdict from the properties of earlier steps."""
        properties = self.getProperties()
        kernels = properties.getProperty("kernels") or []
        same = await deferToThread(same_image, kernels)
        words, result = conclude(kernels, properties.getProperty("findings") or [], same=same)
        if self.build.results not in (SUCCESS, WARNINGS):
            words = f"incomplete, an earlier step failed; so far: {words}"
        name = kernel_name(_ref(properties), properties.getProperty("branch"))
        self.verdict = f"{name}: {words}"
        self.setProperty("verdict", self.verdict, self.name)
        for finding in decisive(properties.getProperty("findings") or []):
            await self.addURL(*titles.comparison(self.master, finding))
        return result

    def getCurrentSummary(self) -> dict[str, str]:  # noqa: N802 - Buildbot's name
        """Return the name of the step."""
        return {"step": "verdict"}

    def getResultSummary(self) -> dict[str, str]:  # noqa: N802 - Buildbot's name
        """Return the verdict for the step and the build."""
        return {"step": self.verdict, "build": self.verdict}
