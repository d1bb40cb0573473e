# SPDX-License-Identifier: GPL-2.0-only
"""Old names of commands and options are read as the new ones."""

from __future__ import annotations

import click
from click.testing import CliRunner

from vlag.cli import renamed
from vlag.cli.main import main

#: Old and new command line.
CASES = {
    "ack 1 --state fixed --why because --as alice":
        "alerts set 1 --state fixed --reason because --by alice",
    "ack 1 --state fixed --why=x --as=alice": "alerts set 1 --state fixed --reason=x --by=alice",
    "mute 1 --until 2999-01-01 --why x --as y":
        "alerts mute 1 --until 2999-01-01 --reason x --by y",
    "unmute 1 --why x --as y": "alerts unmute 1 --reason x --by y",
    "alerts 1": "alerts show 1",
    "alerts --format json 1": "alerts show --format json 1",
    "tell --night-key n1": "notify night --key n1",
    "send": "notify send",
    "send --once": "notify send",
    "send --forever now": "notify send --loop now",
    "messages": "notify list",
    "messages --format json": "notify list --format json",
    "messages --again 9": "notify resend 9",
    "messages --again=9 --format json": "notify resend 9 --format json",
    "migrate": "db migrate",
    "partition": "db partition",
    "userland nothing": "initramfs nothing",
    "board check rpi5-1 --format json": "boards bring-up rpi5-1 --format json",
    "recorded nowhere --plan x": "reusable-runs nowhere --plan x",
    "submit x --lane night --occasion y": "submit x --purpose night --request-id y",
    "compare --board rpi5 a.txt -- b.txt": "compare --board-type rpi5 a.txt -- b.txt",
    "compare a.txt -- --board": "compare a.txt -- --board",
    "alerts --all": "alerts --all",
}  # fmt: skip


def test_an_old_name_is_read_as_the_new_one() -> None:
    for old, new in CASES.items():
        words, hint = renamed.current(old.split())
        assert words == new.split(), old
        assert (hint is None) == (old == new), old
        if hint is not None:
            assert hint.startswith(f"`vlag {old.split()[0]}"), hint
            assert hint.endswith("the old name goes away in the next release"), hint
    # Negative control: of a new name nothing is said.
    for new in CASES.values():
        assert renamed.current(new.split()) == (new.split(), None)


def test_every_old_name_is_tried() -> None:
    lines = {old: renamed.current(old.split()) for old in CASES}
    hints = "\n".join(hint or "" for _, hint in lines.values())
    assert [old for old in renamed.COMMANDS if f"`vlag {old}" not in hints] == []
    for command, options in renamed.OPTIONS.items():
        tried = {
            word.partition("=")[0]
            for old, (now, _) in lines.items()
            if " ".join(now).startswith(command)
            for word in old.split()
        }
        assert set(options) <= tried, command


def test_the_new_names_are_there() -> None:
    for name in {*renamed.COMMANDS.values(), *renamed.OPTIONS}:
        command: click.Command = main
        for word in name.removesuffix(" ID").split():
            assert isinstance(command, click.Group), name
            command = command.commands[word]
        known = {option for parameter in command.params for option in parameter.opts}
        assert set(filter(None, renamed.OPTIONS.get(name, {}).values())) <= known, name


def test_the_program_answers_an_old_name_with_a_hint_above() -> None:
    lines = ("db migrate -x", "migrate -x")
    new, old = (CliRunner().invoke(main, line.split()) for line in lines)
    assert new.exit_code == old.exit_code == 2
    hint, _, rest = old.stderr.partition("\n")
    assert hint.startswith("vlag: `vlag migrate` is now `vlag db migrate`")
    assert rest == new.stderr
