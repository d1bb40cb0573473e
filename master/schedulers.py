# mypy: ignore-errors
# Buildbot's steps and decorators have no types that mypy could follow.
"""When builders start: a push, the night, a person, another build."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable
from pathlib import Path

from buildbot.plugins import changes, schedulers, util
from twisted.internet import defer

from master.builders import repository
from vlag.pipeline.catalogue import Catalogue
from vlag.pipeline.settings import Branch, Settings

#: Commits of one push arrive within this time and make one build of the newest.
PUSH_SETTLES_S = 5


def _fits(patterns: list[str]) -> Callable[[str | None], bool]:
    return lambda branch: any(fnmatch.fnmatchcase(branch or "", p) for p in patterns)


class TreePoller(changes.GitPoller):
    """A GitPoller that spares itself work where the tree is a local mirror."""

    def poll(self) -> defer.Deferred[None]:
        """Poll; of a mirror that the first build has yet to make, in silence, nothing."""
        if self.repourl.startswith("/"):
            objects = Path(self.repourl) / "objects"
            if not objects.exists():
                return defer.succeed(None)
            # Borrow the mirror's objects: a kernel tree is not copied to see its head.
            alternates = Path(self.workdir) / "objects" / "info" / "alternates"
            alternates.parent.mkdir(parents=True, exist_ok=True)
            alternates.write_text(f"{objects}\n", encoding="utf-8")
        return super().poll()


def pollers(settings: Settings) -> list[TreePoller]:
    """Return one poller a tree; branches that nobody watches are not even fetched."""
    found = []
    for tree in settings.trees:
        fits = _fits([f"refs/heads/{b.branch}" for b in settings.branches if b.tree == tree])
        found.append(
            TreePoller(
                repourl=repository(settings, tree),
                name=f"tree {tree}",
                workdir=f"poller-{tree}",
                project=tree,
                branches=fits,
                pollInterval=settings.poll_interval_s,
                pollAtLaunch=True,
            )
        )
    return found


def _push(watched: Branch, board_type: str, name: str) -> schedulers.AnyBranchScheduler:
    return schedulers.AnyBranchScheduler(
        name=name,
        builderNames=["push"],
        treeStableTimer=PUSH_SETTLES_S,
        change_filter=util.ChangeFilter(project=watched.tree, branch_fn=_fits([watched.branch])),
        properties={
            "tree": watched.tree,
            "plan": watched.plan,
            "board_type": board_type,
            "baseline": watched.baseline,
        },
    )


def schedule_all(settings: Settings, catalogue: Catalogue) -> list[object]:
    """Return the schedulers of this installation."""
    pushes = [
        _push(watched, board_type, f"push {i} {watched.tree} {watched.branch} {board_type}")
        for i, watched in enumerate(settings.branches, 1)
        for board_type in watched.board_types
    ]
    first = settings.branches[0]
    # A person names the kernel by tree and ref; branch and revision would say it twice.
    nothing = util.CodebaseParameter(
        codebase="",
        **{
            key: util.FixedParameter(name=key, default="")
            for key in ("branch", "revision", "repository", "project")
        },
    )
    return [
        *pushes,
        schedulers.Nightly(
            name="night",
            builderNames=["nightly"],
            hour=settings.nightly_hour,
            minute=settings.nightly_minute,
        ),
        schedulers.ForceScheduler(
            name="nightly-now",
            label="Start a night now",
            buttonName="Start a night now",
            builderNames=["nightly"],
            codebases=[nothing],
        ),
        schedulers.ForceScheduler(
            name="kernel-now",
            label="Build and run one kernel",
            buttonName="Build and run a kernel",
            builderNames=["push"],
            codebases=[nothing],
            properties=[
                _choice("tree", "Tree", sorted(settings.trees), first.tree),
                util.StringParameter(
                    name="ref", label="Branch, tag or commit", required=True, size=60
                ),
                _choice("plan", "Plan", sorted(catalogue.plans), first.plan),
                _choice(
                    "board_type", "Board type", sorted(catalogue.board_types), first.board_types[0]
                ),
                util.StringParameter(
                    name="baseline", label="Compare with (tag, or empty)", default="", size=60
                ),
            ],
        ),
        schedulers.Triggerable(name="kernels", builderNames=["kernel"]),
        schedulers.Triggerable(name="boards", builderNames=["board"]),
    ]


def _choice(name: str, label: str, choices: list[str], default: str) -> util.ChoiceStringParameter:
    return util.ChoiceStringParameter(name=name, label=label, choices=choices, default=default)
