"""Render what LAVA is given: the device, the job, and the entry archive."""

from __future__ import annotations

import re
import shlex
import string
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from vlag.errors import UsageError
from vlag.lava.userland import archive
from vlag.model import Benchmark, Board, BoardType

_PLAIN = re.compile(r"[A-Za-z0-9_.,:=+/-]+( [A-Za-z0-9_.,:=+/-]+)*")


def parameters(benchmark: Benchmark, given: Mapping[str, str | int]) -> dict[str, str | int]:
    """Return the benchmark's parameters with those given put in.

    Raises UsageError for a name it does not have, a number that is none, or a
    value with other than plain characters (they end up in an argv on a board).
    """
    result = dict(benchmark.parameters)
    for name, value in given.items():
        if name not in result:
            raise UsageError(
                f"{benchmark.name} has no parameter {name!r}; it has {', '.join(result)}"
            )
        if isinstance(result[name], int):
            try:
                result[name] = int(value)
            except ValueError:
                raise UsageError(
                    f"{benchmark.name}: {name} must be a whole number, not {value!r}"
                ) from None
        elif re.fullmatch(r"[A-Za-z0-9_.,:+-]+", str(value)):
            result[name] = value
        else:
            raise UsageError(
                f"{benchmark.name}: {name}={value!r} has characters that no argv may have"
            )
    return result


def argv(benchmark: Benchmark, values: Mapping[str, str | int]) -> dict[str, list[str]]:
    """Return each role's argv with the parameters put in."""
    return {
        role: [string.Template(_dollar(word)).substitute(values, out="/out") for word in words]
        for role, words in benchmark.argv.items()
    }


def _dollar(word: str) -> str:
    # Templates are written {name}; str.format would also run {name.attribute}.
    return re.sub(r"\{([a-z_0-9]+)\}", r"${\1}", word.replace("$", "$$"))


def check_knobs(knobs: Mapping[str, str]) -> None:
    """Refuse knobs that a line of the entry cannot carry; UsageError names the knob."""
    for name, value in knobs.items():
        if not re.fullmatch(r"[a-z_]+", name) or not _PLAIN.fullmatch(value):
            raise UsageError(f"knob {name}={value!r}: only plain words can be set on a board")


def entry(
    benchmark: Benchmark,
    words: Mapping[str, Sequence[str]],
    *,
    seed: int,
    knobs: Mapping[str, str],
    scripts: Sequence[Path],
) -> bytes:
    """Return the cpio archive for one boot: script, argv, seed, knobs, and our own `scripts`.

    Those are called by their names without the suffix: `init` is the first program.
    """
    variables = [f"SEED={seed}"]
    for role, argument in words.items():
        # One word a line: run.sh splits at line ends alone.
        variables.append(f"{role.upper()}_ARGV={shlex.quote(chr(10).join(argument))}")
    exported = " ".join(["OUT", *(f"{role.upper()}_ARGV" for role in words)])
    with tempfile.TemporaryDirectory(prefix="vlag-entry-") as scratch:
        folder = Path(scratch) / "vlag"
        folder.mkdir()
        for script in scripts:
            (folder / script.stem).write_bytes(script.read_bytes())
            (folder / script.stem).chmod(0o755)
        (folder / "run.sh").write_bytes(benchmark.script)
        (folder / "entry").write_text("\n".join([*variables, f"export {exported}", ""]))
        (folder / "knobs").write_text("".join(f"{n} {v}\n" for n, v in knobs.items()))
        return archive(Path(scratch))


def _template(path: Path, values: Mapping[str, Any]) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(path.parent),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - YAML, and the values are ours
        keep_trailing_newline=True,
    )
    return environment.get_template(path.name).render(values)


def device(template: Path, board: Board, board_type: BoardType) -> str:
    """Return the device as lava-run reads it (YAML)."""
    return _template(
        template,
        {
            "board": board.name,
            "board_type": board_type.name,
            "arch": board_type.arch,
            "emulator": board_type.emulator,
            "options": board_type.options,
        },
    )


def job(
    template: Path,
    *,
    board_type: BoardType,
    name: str,
    run_key: str,
    cmdline: str,
    kernel: Path,
    ramdisk: Path,
    timeout_s: int,
) -> str:
    """Return the job definition (YAML)."""
    return _template(
        template,
        {
            "name": name,
            "board_type": board_type.name,
            "arch": board_type.arch,
            "boot_timeout_s": board_type.boot_timeout_s,
            "timeout_s": timeout_s,
            "run_key": run_key,
            "cmdline": cmdline,
            "kernel_url": kernel.as_uri(),
            "ramdisk_url": ramdisk.as_uri(),
        },
    )
