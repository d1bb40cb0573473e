# SPDX-License-Identifier: GPL-2.0-only
"""`vlag completion`, and the names that it completes: kernels, benchmarks, plans, board types.

It gives no candidates where it cannot know any, and never an error: the line that somebody
types is no place for one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem, get_completion_class

from vlag.cli.command import echo
from vlag.config import catalogue
from vlag.config.catalogue import Catalogue

#: A shell would read the brackets of solo(2).
_BRACKETS = re.compile(r"\((\d+)\)$")
_VARIABLE = "_VLAG_COMPLETE"  # click's own name for it
_PATIENCE_S = 2  # for a database that is away


class Name(click.ParamType[str]):
    """Text that is one of some names."""

    name = "text"  # as --help shows it

    def __init__(self, known: Callable[[], Iterable[str]]) -> None:
        self._known = known

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin so."""
        try:
            known = sorted(self._known())
        except Exception:  # noqa: BLE001 - whatever is wrong, a verb will say it better
            return []
        return [CompletionItem(name) for name in known if name.startswith(incomplete)]


class KernelOrFile(Name):
    """Kernels on record; files where none begins so."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the kernels' names, else a request for the shell's own files."""
        items = super().shell_complete(ctx, param, incomplete)
        return items or [CompletionItem(incomplete, type="file")]


def _kernels() -> Iterable[str]:
    from psycopg.conninfo import make_conninfo

    from vlag import config
    from vlag.store import kernels
    from vlag.store.database import connect

    dsn = make_conninfo(config.load().dsn(), connect_timeout=_PATIENCE_S)
    with connect(dsn) as conn:
        names = kernels.names(kernels.listed(conn)).values()
    return [_BRACKETS.sub(r"\1", name) for name in names]


def _benchmarks() -> Iterable[str]:
    return _catalogue().benchmarks


def _plans() -> Iterable[str]:
    return _catalogue().plans


def _board_types() -> Iterable[str]:
    return _catalogue().board_types


def _catalogue() -> Catalogue:
    from vlag import config

    return catalogue.of(config.load())


#: By the names of options and arguments in Python.
_TYPES = {
    "operands": KernelOrFile(_kernels),
    "benchmark": Name(_benchmarks),
    "plan": Name(_plans),
    "board_type": Name(_board_types),
}


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script by which SHELL completes what is typed.

    \b
    bash: eval "$(vlag completion bash)" in ~/.bashrc
    zsh: eval "$(vlag completion zsh)" in ~/.zshrc
    fish: vlag completion fish > ~/.config/fish/completions/vlag.fish
    """
    shell_class = get_completion_class(shell)
    assert shell_class is not None  # noqa: S101 - click has these
    echo(shell_class(ctx.find_root().command, {}, "vlag", _VARIABLE).source())


def complete(command: click.Command) -> None:
    """Make a command, and all below it, complete the names that its options take."""
    for param in command.params:
        if param.name in _TYPES and isinstance(param.type, click.types.StringParamType):
            param.type = _TYPES[param.name]
    if isinstance(command, click.Group):
        for below in command.commands.values():
            complete(below)
