# SPDX-License-Identifier: GPL-2.0-only
"""`vlag series`: do the patches still apply; patches from mail."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence, say
from vlag.config import catalogue as catalogues
from vlag.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vlag.kernel.patch_check import Fit, Hunk
    from vlag.pipeline.series_check import Checked

_WIDTH = 80


@click.group()
def series() -> None:
    """Check patch series against branches, import them from mail."""


@series.command()
@click.argument("names", nargs=-1, metavar="[SERIES]...")
@click.option("--branch", "branches", multiple=True, metavar="[TREE/]BRANCH",
              help="A branch of a mirror (default: all that the settings watch).")  # fmt: skip
@FORMAT
@one_sentence
def check(names: tuple[str, ...], branches: tuple[str, ...], form: str) -> None:
    """Check whether each patch of a series applies to the head of each branch.

    Without SERIES: all of kernel-patches/. A series is applied as the settings ask for it on the
    branch, otherwise all patches in order; one that does not apply is left out for the next.
    Nothing is built. The exit status is 20 if a patch does not apply.
    """
    from vlag.compare.predictions import notes_of
    from vlag.kernel import series as patch_series
    from vlag.pipeline.build_stage import prepare_mirrors
    from vlag.pipeline.series_check import check as stage
    from vlag.pipeline.series_check import places

    settings = config.load()
    root = patch_series.PATCHES
    asked = list(dict.fromkeys(names)) or patch_series.names(root)
    if not asked:
        raise UsageError(f"{root} has no series; `vlag series import` makes one from mail")
    benchmarks = catalogues.of(settings).benchmarks
    for name in asked:
        # A mistake is said before anything is fetched.
        for note in notes_of(patch_series.read(root, name), benchmarks):
            say(f"{name}/{note}")
    if not all(settings.mirror(tree).exists() for tree in settings.trees):
        prepare_mirrors(settings)
    done = list(stage(settings, asked, places(settings, branches)))
    fits = [fit for c in done for _, fit in c.fits]
    bad = sum(not fit.state.applies for fit in fits)
    counted = "1 patch was checked" if len(fits) == 1 else f"{len(fits)} patches were checked"
    verb = "does" if bad == 1 else "do"
    end = f"{counted}: {f'{bad} {verb} not apply as a build needs it' if bad else 'all apply'}"
    text = "\n".join([*(line for c in _joined(done) for line in [*fit_lines(*c), ""]), end])
    emit(form, {"checked": [_document(c) for c in done], "failed": bad}, text)
    if bad:
        sys.exit(ExitCode.KERNEL_FAILED)


def _document(checked: Checked) -> dict[str, Any]:
    return {
        "series": checked.series,
        "application": str(checked.application),
        "tree": checked.place.tree,
        "branch": checked.place.branch,
        "commit": checked.commit.sha,
        "describe": checked.commit.describe,
        "patches": [
            {
                "number": number,
                "name": fit.patch.name,
                "sha256": fit.patch.sha256,
                "subject": fit.patch.subject,
                "state": fit.state.value,
                "applies": fit.state.applies,
                "offset": fit.offset,
                "untried": fit.untried,
                "hunks": [
                    {
                        "file": h.file,
                        "hunk": h.number,
                        "line": h.line,
                        "state": h.state.value,
                        "fuzz": h.fuzz,
                        "reason": h.why,
                    }
                    for h in fit.hunks
                ],
            }
            for number, fit in checked.fits
        ],
    }


def _joined(done: list[Checked]) -> Iterator[tuple[str, list[tuple[int, Fit]]]]:
    """Yield a title and its patches; those that are each applied alone have one title."""

    def title(c: Checked) -> str:
        how = "each alone" if c.application.kind == "solo" else str(c.application)
        return f"{c.series} ({how}) on {c.place} {c.commit.describe}"

    for head, some in groupby(done, title):
        yield head, [fit for c in some for fit in c.fits]


def fit_lines(head: str, fits: list[tuple[int, Fit]]) -> list[str]:
    """Return in lines how each patch, with its number, fits."""
    from textwrap import wrap

    lines = wrap(head, _WIDTH, subsequent_indent="    ", break_on_hyphens=False)
    for number, fit in fits:
        name = fit.patch.name
        name = name if len(name) <= 44 else f"{name[:41]}..."
        lines.append(f"{number:4} {name:44} {_state(fit)}")
        for h in fit.hunks:
            lines += wrap(_hunk(h), _WIDTH, initial_indent=" " * 7, subsequent_indent=" " * 11,
                          break_on_hyphens=False)  # fmt: skip
        if fit.untried:
            lines.append(f"       and {fit.untried:,} hunks, which were not tried one by one")
    return lines


def _state(fit: Fit) -> str:
    many = "" if abs(fit.offset) == 1 else "s"
    return f"applies, {fit.offset:+} line{many}" if fit.offset else fit.state.value


def _hunk(h: Hunk) -> str:
    if h.number is None:
        return f"{h.file}: {h.why}"
    fuzz = f" {h.fuzz}" if h.fuzz else ""
    return f"{h.file}:{h.line}: hunk {h.number} {h.state.value}{fuzz}"


@series.command("import")
@click.argument("source", metavar="FILE|MESSAGE-ID")
@click.option("--name", help="Name of the series (default: from its title).")
@click.option("--revision", type=click.IntRange(1, 999), metavar="N",
              help="Which of several revisions (v2: 2).")  # fmt: skip
@FORMAT
@one_sentence
def import_(source: str, name: str | None, revision: int | None, form: str) -> None:
    """Make a series of kernel-patches/ from an mbox.

    FILE is an mbox or a mail, such as `git format-patch --stdout` or lore writes it, also as .gz,
    a maildir, or a folder of such files. The thread of a MESSAGE-ID, or of its page, is fetched
    from lore. Nothing of a mail is run. Read what strangers wrote before you build it: a build
    runs the makefiles of the tree.
    """
    from vlag.kernel import patch_mail
    from vlag.kernel import series as patch_series
    from vlag.notifications.rfc5322 import reference

    with tempfile.TemporaryDirectory(prefix="vlag-mail-") as scratch:
        mbox, message_id = Path(source), None
        if not mbox.exists():
            if "@" not in source:
                raise UsageError(f"{source}: no such file, and no Message-ID")
            message_id = reference(source, "MESSAGE-ID")[1:-1]
            say(f"fetching the thread of {message_id}")
            mbox = Path(scratch) / "thread"
            patch_mail.fetch(message_id, mbox)
        mails = patch_mail.read(mbox)
        try:
            thread = patch_mail.thread(mails, revision, message_id)
        except UsageError as e:
            raise type(e)(f"{source}: {e}") from e
        made = patch_mail.write(thread, patch_series.PATCHES, name)
    lines = [f"{made.folder}: {made.title}"]
    lines += [f"{n:4} {p.name}" for n, p in enumerate(made.patches, 1)]
    if made.left_out:
        lines.append(f"left out, as replies or other revisions: {made.left_out}")
    lines += made.notes
    lines += [f"base-commit: {made.base}"] if made.base else []
    lines += [f"needs, besides: {need}" for need in made.needs]
    lines += [f"a trailer for vlag, which was not written here: {line}" for line in made.ours]
    lines.append(f"next: vlag series check {made.folder.name}")
    document = {
        "folder": str(made.folder),
        "series": made.folder.name,
        "title": made.title,
        "cover": made.cover,
        "left_out": made.left_out,
        "notes": list(made.notes),
        "base_commit": made.base,
        "needs": list(made.needs),
        "trailers": list(made.ours),
        "patches": [{"name": p.name, "sha256": p.sha256, "subject": p.subject}
                    for p in made.patches],
    }  # fmt: skip
    emit(form, document, "\n".join(lines))
