# SPDX-License-Identifier: GPL-2.0-only
"""The help of `vlag`, and the old names that it does not show."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result

import vlag
from vlag import ROOT
from vlag.cli import renamed
from vlag.cli.main import PLUMBING, PLUMBING_COMMANDS, SECTIONS, main


def call(*words: str, width: int = 80) -> Result:
    return CliRunner().invoke(main, words, prog_name="vlag", terminal_width=width)


def commands(
    command: click.Command = main, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """Yield each command that is no group, with its name."""
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    for name, part in command.commands.items():
        yield from commands(part, (*path, name))


def test_the_first_screen_has_sections_with_a_line_for_each_command() -> None:
    text = call("--help", width=100).stdout
    lines = text.splitlines()
    for title, part in SECTIONS.items():
        at = lines.index(f"{title}:")
        shown = lines[at + 1 : at + 1 + len(part)]
        assert [line.split()[0] for line in shown] == [c.name for c in part]
        assert all(line.endswith(".") and not line.endswith("...") for line in shown), shown
    assert len(lines) <= 66
    narrow = call("--help").stdout.splitlines()
    assert len(narrow) == len(lines)
    assert max(map(len, narrow)) <= 80
    assert not any(line.endswith("...") for line in narrow[1:]), narrow
    assert PLUMBING not in text
    assert not any(f"  {c.name} " in text for c in PLUMBING_COMMANDS)
    assert "vlag --help-all" in lines[-1]


def test_help_all_adds_what_the_service_calls() -> None:
    text = call("--help-all").stdout
    lines = text.splitlines()
    shown = lines[lines.index(f"{PLUMBING}:") + 1 :]
    assert [line.split()[0] for line in shown[: len(PLUMBING_COMMANDS)]] == [
        c.name for c in PLUMBING_COMMANDS
    ]
    assert all(title in text for title in SECTIONS)


def test_each_command_is_in_one_section() -> None:
    listed = [c.name for part in SECTIONS.values() for c in part]
    listed += [c.name for c in PLUMBING_COMMANDS]
    assert sorted(map(str, listed)) == sorted(main.commands)
    assert all(c.hidden for c in PLUMBING_COMMANDS)
    assert not any(c.hidden for part in SECTIONS.values() for c in part)


def test_each_option_has_help_and_one_spelling() -> None:
    for name, command in commands():
        assert command.help, name
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.help, (name, option.opts)
                assert len(option.opts) == 1, (name, option.opts)
            # One name for one thing.
            assert option.name not in {"why", "out", "json"}, name
            if option.name == "by":
                assert option.opts == ["--by"], name


def test_no_command_knows_an_old_name() -> None:
    known = dict(commands())
    for old in renamed.COMMANDS:
        assert old not in known
    for name, options in renamed.OPTIONS.items():
        spelt = {o for option in known[name].params for o in option.opts}
        assert not spelt & set(options), name
        assert {new for new in options.values() if new} <= spelt, name


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("ack 3 --why x --as=y", "alerts set 3 --reason x --by=y",
         "`vlag ack --why --as` is now `vlag alerts set --reason --by`"),
        ("alerts 3", "alerts show 3", "`vlag alerts ID` is now `vlag alerts show ID`"),
        ("messages --again 3", "notify resend 3",
         "`vlag messages --again ID` is now `vlag notify resend ID`"),
        ("messages", "notify list", "`vlag messages` is now `vlag notify list`"),
        ("board check rpi5-1 --build B", "boards bring-up rpi5-1 --build B",
         "`vlag board check` is now `vlag boards bring-up`"),
        ("send --once", "notify send", "`vlag send --once` is now `vlag notify send`"),
        ("submit B --lane night", "submit B --purpose night",
         "`vlag submit --lane` is now `vlag submit --purpose`"),
    ],
)  # fmt: skip
def test_an_old_line_becomes_a_new_one(old: str, new: str, hint: str) -> None:
    words, said = renamed.current(old.split())
    assert words == new.split()
    assert said == f"{hint}; the old name goes away in the next release"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "--help",
        "alerts",
        "alerts --branch a/b",
        "alerts show 3",
        "boards check --board rpi5-1",
        "board",
        "board up rpi5-1",
        "alerts set 3 --reason x",
        "notify send --loop",
        "run B --board b",  # an old name, but of another command
        "compare a -- --board",  # a file
        "akc 3 --why x",
    ],
)
def test_other_lines_stay_as_they_are(line: str) -> None:
    assert renamed.current(line.split()) == (line.split(), None)


def test_an_unknown_command_is_refused() -> None:
    done = call("akc", "3", "--why", "x")
    assert done.exit_code == 2
    assert "No such command 'akc'" in done.stderr
    assert "is now" not in done.stderr


def test_the_shell_completes_new_names_and_prints_no_hint(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shell = ShellComplete(main, {}, "vlag", "_VLAG_COMPLETE")

    def completed(words: list[str], start: str) -> list[str]:
        return [str(item.value) for item in shell.get_completions(words, start)]

    assert completed([], "a") == ["alerts"]
    assert completed([], "sub") == []
    assert completed(["alerts"], "") == [
        "join", "list", "mute", "rehearse", "set", "show", "split", "unmute",
    ]  # fmt: skip
    assert completed(["ack"], "--rea") == ["--reason"]
    assert capsys.readouterr() == ("", "")


def test_the_version_names_the_commit() -> None:
    done = call("--version")
    assert re.fullmatch(
        rf"vlag {re.escape(vlag.__version__)} \(([0-9a-f]{{40}}(-dirty)?|no git checkout)\)\n",
        done.stdout,
    )


@pytest.mark.parametrize(
    ("shell", "has"),
    [("bash", "complete -o"), ("zsh", "#compdef vlag"), ("fish", "--command vlag")],
)
def test_each_shell_gets_its_script(shell: str, has: str) -> None:
    done = call("completion", shell)
    assert done.exit_code == 0
    assert has in done.stdout
    assert f"_VLAG_COMPLETE={shell}_complete" in done.stdout
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=done.stdout, text=True, check=True)
    assert call("completion", "csh").exit_code == 2


def test_help_loads_no_heavy_library() -> None:
    heavy = {"scipy", "matplotlib", "psycopg", "jinja2", "vlag.store", "vlag.stats"}
    script = "import sys, vlag.cli.main; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "vlag.cli.alerts" in loaded
    assert loaded & heavy == set()


def unlisted(changelog: str) -> list[str]:
    """Return the renamings that a changelog does not list."""
    text = " ".join(" ".join(e for e in changelog.split("\n- ") if " is now " in e).split())
    wanted = [f"`vlag {old}` is now `vlag {new}`" for old, new in renamed.COMMANDS.items()]
    for options in renamed.OPTIONS.values():
        for old, new in options.items():
            wanted.append(f"`{old}` is now " + (f"`{new}`" if new else "the default"))
    return [line for line in wanted if line not in text]


def test_the_changelog_lists_each_old_name() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert unlisted(changelog) == []
    assert unlisted(changelog.replace("`vlag ack`", "`vlag akc`")) != []
    assert unlisted(changelog.replace("`--lane`", "`--line`")) != []
