# SPDX-License-Identifier: GPL-2.0-only
"""`vlag man`: the man pages of all commands, made of what `--help` prints."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import cleandoc
from pathlib import Path

import click

from vlag import __version__
from vlag.cli.command import echo, one_sentence

#: Click keeps the lines of a paragraph that begins so.
_AS_IT_IS = "\b\n"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), required=False)
@click.pass_context
@one_sentence
def man(ctx: click.Context, folder: Path | None) -> None:
    """Write the man pages of all commands to FOLDER/man1.

    Without FOLDER it is $XDG_DATA_HOME/man, else ~/.local/share/man, where `man vlag-check` looks
    by default. `man -M FOLDER vlag-check` shows a page of another folder.
    """
    target = (folder or _own()) / "man1"
    target.mkdir(parents=True, exist_ok=True)
    made = list(pages(ctx.find_root(), ctx.obj))
    for name, text in made:
        (target / f"{name}.1").write_text(text, encoding="utf-8")
    echo(f"wrote {len(made)} pages to {target}")


def _own() -> Path:
    """Return the user's folder of man pages; XDG has a relative path ignored."""
    data = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (data if data.is_absolute() else Path.home() / ".local" / "share") / "man"


def pages(
    root: click.Context, sections: Mapping[str, Sequence[click.Command]]
) -> Iterator[tuple[str, str]]:
    """Yield name and text, in man's macros, of the program and of each command below it.

    `sections` are the commands that its help lists, by title.
    """
    top = _context(root.command, "vlag", None)
    yield "vlag", _page(top, sections)
    for command in (c for commands in sections.values() for c in commands):
        yield from _below(_context(command, str(command.name), top))


def _below(ctx: click.Context) -> Iterator[tuple[str, str]]:
    group = ctx.command if isinstance(ctx.command, click.Group) else None
    below = [] if group is None else [c for c in group.commands.values() if not c.hidden]
    yield _name(ctx), _page(ctx, {"Commands": below} if below else {})
    for command in below:
        yield from _below(_context(command, str(command.name), ctx))


def _context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    return click.Context(command, info_name=name, parent=parent, **command.context_settings)


def _name(ctx: click.Context) -> str:
    return ctx.command_path.replace(" ", "-")


def _page(ctx: click.Context, sections: Mapping[str, Sequence[click.Command]]) -> str:
    command, name = ctx.command, _name(ctx)
    short = command.get_short_help_str(limit=1000).rstrip(".")
    usage = " ".join(command.collect_usage_pieces(ctx))
    lines = [f'.TH {_escaped(name.upper())} 1 "" "vlag {__version__}" "vlag"', ".nh", ".ad l"]
    lines += [".SH NAME", f"{_escaped(name)} \\- {_escaped(short)}"]
    lines += [".SH SYNOPSIS", f"\\fB{_escaped(ctx.command_path)}\\fP {_escaped(usage)}"]
    lines += [".SH DESCRIPTION", *_paragraphs(cleandoc(command.help or ""))]
    records = [p.get_help_record(ctx) for p in command.get_params(ctx)]
    lines.append(".SH OPTIONS")
    for option, meaning in (r for r in records if r is not None and r[1]):
        lines += [".TP", f"\\fB{_escaped(option)}\\fP", *_text([meaning])]
    for title, commands in sections.items():
        lines.append(f".SH {_escaped(title.upper())}")
        for below in commands:
            page = _escaped(f"{name}-{below.name}")
            lines += [".TP", f"\\fB{page}\\fP(1)", *_text([below.get_short_help_str(limit=1000)])]
    if ctx.parent is not None:
        lines += [".SH SEE ALSO", f"\\fB{_escaped(_name(ctx.parent))}\\fP(1)"]
    return "\n".join(lines) + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(re.split(r"\n{2,}", text.partition("\f")[0].strip("\n"))):
        if number:
            yield ".PP"
        if paragraph.startswith(_AS_IT_IS):
            yield from (".nf", *_text(paragraph.removeprefix(_AS_IT_IS).splitlines()), ".fi")
        else:
            yield from _text(paragraph.splitlines())


def _text(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines of text, none of which man takes for one of its own."""
    for line in lines:
        escaped = _escaped(line)
        yield f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def _escaped(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")
