# SPDX-License-Identifier: GPL-2.0-only
"""Shared by all commands: progress on stderr, one-line errors, output formats."""

from __future__ import annotations

import functools
import getpass
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TextIO, TypeVar

import click

from vlag import printable
from vlag.config import Settings
from vlag.config.former_keys import FormerKeyWarning
from vlag.errors import WAITS, AwayError, ExitCode, UsageError, VlagError, is_away, sentence
from vlag.model import Outcome

_F = TypeVar("_F", bound=Callable[..., Any])
_T = TypeVar("_T")

FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="Format of the result on stdout.",
)  # fmt: skip
#: Of a table that people paste into a cover letter.
COVER_FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text",
    show_default=True, help="Format of the result on stdout.",
)  # fmt: skip


def echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print, without the control characters that a name of others may have."""
    click.echo(printable.block(text), err=err, nl=nl)


def say(message: str) -> None:
    """Print progress on stderr; stdout is for results."""
    echo(f"{time.strftime('%H:%M:%S')} {message}", err=True)


_show_warning = warnings.showwarning


def show_former_keys() -> None:
    """Print warnings on keys under former names as sentences, and others as before."""
    warnings.showwarning = _as_sentence


def _as_sentence(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, FormerKeyWarning):
        echo(f"vlag: {message}", err=True)
    else:
        _show_warning(message, category, filename, lineno, file, line)


def emit(form: str, document: Mapping[str, object], text: str) -> None:
    """Print a result in the requested format."""
    echo(json.dumps(document, sort_keys=True) if form == "json" else text)


def one_sentence(command: _F) -> _F:
    """End a failed command with one sentence and its exit code instead of a traceback."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except VlagError as e:
            _end(f"{e}", e.exit_code, waits=isinstance(e, AwayError))
        except OSError as e:
            # Disk full, permission, a file that went away: the machine's, not the kernel's.
            _end(sentence(e), ExitCode.INFRASTRUCTURE, waits=is_away(e))
        except KeyboardInterrupt:
            echo("vlag: stopped", err=True)
            sys.exit(130)

    return wrapped  # type: ignore[return-value]


def _end(line: str, status: int, *, waits: bool) -> NoReturn:
    """Exit with a sentence; `waits`: whoever reads JSON learns that the same command will work."""
    echo(f"vlag: {line}", err=True)
    context = click.get_current_context(silent=True)
    if waits and context is not None and context.params.get("form") == "json":
        echo(json.dumps({WAITS: True}))
    sys.exit(status)


def as_value(kind: type[_T]) -> Callable[[Callable[[_T], None]], Callable[..., None]]:
    """Call a command with one value of its options, which `kind` has as fields by name."""

    def wrap(command: Callable[[_T], None]) -> Callable[..., None]:
        @functools.wraps(command)
        def wrapped(**options: Any) -> None:
            command(kind(**options))

        return wrapped

    return wrap


def person() -> str:
    """Return the name of the user who runs the command."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return f"user {os.getuid()}"


def end_with(outcome: Outcome) -> NoReturn:
    """Exit with the status of a build's or run's outcome."""
    sys.exit(ExitCode.OK if outcome is Outcome.COMPLETE else ExitCode.KERNEL_FAILED)


def pairs_of(values: Sequence[str], option: str) -> dict[str, str]:
    """Parse NAME=VALUE options; UsageError names a malformed one."""
    pairs = {}
    for value in values:
        name, equals, rest = value.partition("=")
        if not equals or not name:
            raise UsageError(f"{option} {value!r}: write NAME=VALUE")
        pairs[name] = rest
    return pairs


def tree_of(settings: Settings, asked: str | None) -> str:
    """Return the tree with sources that `--tree` names, by default the only one."""
    sources = [name for name, tree in settings.trees.items() if not tree.images]
    there = ", ".join(sources)
    if asked is None and len(sources) != 1:
        raise UsageError(f"--tree is missing; there are: {there}")
    name = asked or sources[0]
    if settings.tree(name).images:
        raise UsageError(
            f"--tree {name}: its kernels are prebuilt, and this needs commits and sources; trees"
            f" with sources: {there}"
        )
    return name
