# SPDX-License-Identifier: GPL-2.0-only
"""`vlag fixes`: which watched branches have a fix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.errors import UsageError

if TYPE_CHECKING:
    from vlag.kernel.fixes import Fix, Found

_UNKNOWN = "not known"
_NO_HISTORY = "its tree has a commit for each version, not for each change"
_NO_BRANCH = "its mirror has no such branch; `vlag mirror` fetches what is new"
_NO_MIRROR = "its tree has no mirror yet; `vlag mirror` makes one"


@click.command()
@click.argument("what", metavar="COMMIT|SUBJECT")
@click.option("--tree", help="The tree of the settings that has COMMIT (default: any).")
@FORMAT
@one_sentence
def fixes(what: str, tree: str | None, form: str) -> None:
    """Show which watched branches have a fix.

    A branch has it as the commit itself, as a backport that names it, or by its subject; the
    patches are compared, and a revert is said. A branch without the commit that `Fixes:` names
    does not need it. Reads the mirrors as they are: `vlag mirror` fetches what is new.
    """
    from vlag.kernel import fixes as stage
    from vlag.kernel.mirror import heads

    settings = config.load()
    fix = _fix(settings, what, tree)
    branches_: list[tuple[str, Found | None, str]] = []
    for name, branch in _branches(settings):
        label = f"{name}/{branch}"
        if settings.trees[name].url is None:
            branches_.append((label, None, _NO_HISTORY))
        elif not settings.mirror(name).exists():
            branches_.append((label, None, _NO_MIRROR))
        elif branch not in heads(settings.mirror(name)):
            branches_.append((label, None, _NO_BRANCH))
        else:
            there = stage.find(settings.mirror(name), f"refs/heads/{branch}", fix)
            branches_.append((label, there, there.how))
    document = {
        "commit": fix.commit,
        "subject": fix.subject,
        "fixes": fix.mends,
        "branches": [
            {
                "branch": label,
                "state": _UNKNOWN if there is None else there.state,
                "commit": None if there is None else there.commit,
                "how": how,
            }
            for label, there, how in branches_
        ],
    }
    emit(form, document, _text(fix, document))


def _fix(settings: config.Settings, what: str, tree: str | None) -> Fix:
    from vlag.kernel import fixes as stage

    names = [settings.tree(tree).name] if tree is not None else list(settings.trees)
    mirrors = [m for m in map(settings.mirror, names) if m.exists()]
    if not mirrors:
        raise UsageError(f"no mirror of {', '.join(names)} yet; `vlag mirror` makes one")
    having = [m for m in mirrors if stage.exists(m, what)]
    return stage.fix((having or mirrors)[0], what)


def _branches(settings: config.Settings) -> Iterator[tuple[str, str]]:
    """Yield tree and name of each watched branch once, in the order of the settings."""
    from vlag.kernel.mirror import heads
    from vlag.pipeline.night_plan import watched_names

    known = {name: heads(settings.mirror(name)) for name in settings.trees}
    yield from dict.fromkeys(
        (watched.tree, name)
        for watched in settings.branches
        for name in watched_names(watched, known)
    )


def _text(fix: Fix, document: dict[str, Any]) -> str:
    named = f'{fix.commit[:12]} ("{fix.subject}")' if fix.commit else f'"{fix.subject}"'
    lines = [named, *([f"Fixes: {fix.mends}"] if fix.mends else []), ""]
    for branch in document["branches"]:
        commit = "" if branch["commit"] is None else f" {branch['commit'][:12]}"
        lines.append(f"{branch['branch']:<28} {branch['state']:<16}{commit}")
        lines.append(f"    {branch['how']}")
    return "\n".join(lines)
