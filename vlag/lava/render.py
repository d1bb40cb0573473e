# SPDX-License-Identifier: GPL-2.0-only
"""Render the input of LAVA: the device, the job, and the entry archive."""

from __future__ import annotations

import functools
import re
import shlex
import string
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import jinja2
from attrs import frozen

from vlag.errors import UsageError
from vlag.lava import kernel_events, marker, sampling, worst_wakeups
from vlag.lava.newc import archive
from vlag.model import Benchmark, Board, BoardType, Observation

_PLAIN = re.compile(r"[A-Za-z0-9_.,:=+/-]+( [A-Za-z0-9_.,:=+/-]+)*")

#: Settings of a board's policy whose value a knob may change.  The others say what a board must
#: be, how hot it may get, or what is never on in a scored run.
POLICY_KNOBS = frozenset({
    "governor", "frequency_khz", "turbo", "cstate_latency_us", "irq_affinity", "epp", "thp", "smt",
    "autogroup", "numa_balancing",
})  # fmt: skip


def parameters(benchmark: Benchmark, given: Mapping[str, str | int]) -> dict[str, str | int]:
    """Return the benchmark's parameters, overridden by those given.

    Raises UsageError for an unknown name, an invalid number, or a value with
    special characters (it becomes part of an argv on a board).
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
    """Return each role's argv with the parameters filled in."""
    return {
        role: [_filled(word, values) for word in words] for role, words in benchmark.argv.items()
    }


def _filled(word: str, values: Mapping[str, str | int]) -> str:
    return string.Template(_dollar(word)).substitute(values, out="/out")


def _dollar(word: str) -> str:
    # Templates are written {name}; str.format would also run {name.attribute}.
    return re.sub(r"\{([a-z_0-9]+)\}", r"${\1}", word.replace("$", "$$"))


def all_knobs(
    benchmark: Benchmark, values: Mapping[str, str | int], given: Mapping[str, str]
) -> dict[str, str]:
    """Return the knobs that a board sets: the benchmark's own and those given.

    Raises UsageError for a knob that the benchmark sets itself, and as `check_knobs`.
    """
    own = {name: _filled(value, values) for name, value in benchmark.knobs.items()}
    for name in own.keys() & given.keys():
        raise UsageError(
            f"knob {name}={given[name]}: {benchmark.name} sets it itself, to {own[name]}; give"
            f" its parameters instead ({', '.join(values)})"
        )
    knobs = {**own, **given}
    check_knobs(knobs)
    return knobs


def check_knobs(knobs: Mapping[str, str]) -> None:
    """Refuse knobs that a board cannot take; UsageError names the knob."""
    for name, value in knobs.items():
        if name == "cgroup_depth" and not re.fullmatch(r"[0-9]|1[0-6]", value):
            raise UsageError(f"knob {name}={value!r}: a number of levels from 0 to 16 is needed")
        if not re.fullmatch(r"[a-z_]+", name) or not _PLAIN.fullmatch(value):
            raise UsageError(f"knob {name}={value!r}: only plain words can be set on a board")


def with_knobs(policy: Sequence[str], knobs: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return a board's policy with the knobs that take a setting's place, and the other knobs.

    Raises UsageError for a value of several words, and for a setting that the policy does not
    have: of boots without the knob nobody would know it.
    """
    taken = {name: value for name, value in knobs.items() if name in POLICY_KNOBS}
    there = [line.split()[0] for line in policy]
    for name, value in taken.items():
        if name not in there:
            raise UsageError(
                f"knob {name}={value}: the policy of this board's type does not set it; knobs of"
                f" its policy: {', '.join(n for n in there if n in POLICY_KNOBS) or 'none'}"
            )
        if " " in value:
            raise UsageError(f"knob {name}={value!r}: a setting of a policy is one word")
    lines = [
        f"{name} {taken[name]}" if name in taken else line
        for name, line in zip(there, policy, strict=True)
    ]
    return lines, {name: value for name, value in knobs.items() if name not in taken}


def entry(
    benchmark: Benchmark,
    words: Mapping[str, Sequence[str]],
    *,
    seed: int,
    knobs: Mapping[str, str],
    observes: Observation | None = None,
    scripts: Sequence[Path],
    policy: Sequence[str] = (),
    modules: Sequence[tuple[str, bytes]] = (),
    place: Mapping[str, str] | None = None,
) -> bytes:
    """Return the cpio archive for one boot: script, argv, seed, knobs, and our own `scripts`.

    The scripts keep their names without the suffix: `init` is the first program.
    `observes` is what the boot observes, None for a scored one.
    `policy` are the lines of the board's policy, `place` is the machine's place in a pair:
    ROLE, PEER (the other's address) and ADDRESS (its own).  `modules`, name and content, are
    loaded before all else, in this order, by `load-modules` of the scripts.
    """
    variables = [f"SEED={seed}", f"OBSERVES={observes or ''}"]
    for role, argument in words.items():
        # One word a line: run.sh splits at line ends alone.
        variables.append(f"{role.upper()}_ARGV={shlex.quote(chr(10).join(argument))}")
    placed = dict(place or {})
    variables += [f"{name}={shlex.quote(value)}" for name, value in placed.items()]
    exported = " ".join(["OUT", *(f"{role.upper()}_ARGV" for role in words), *placed])
    with tempfile.TemporaryDirectory(prefix="vlag-entry-") as scratch:
        folder = Path(scratch) / "vlag"
        folder.mkdir()
        for script in scripts:
            (folder / script.stem).write_bytes(script.read_bytes())
            (folder / script.stem).chmod(0o755)
        if modules:
            (folder / "modules").mkdir()
            (folder / "modules" / "list").write_text("".join(f"{name}\n" for name, _ in modules))
        for name, data in modules:
            (folder / "modules" / f"{name}.ko").write_bytes(data)
        if observes is not None and observes.from_outside:
            (folder / "run.sh").write_bytes(marker.SCRIPT)
            (folder / "benchmark.sh").write_bytes(benchmark.script)
            for name, which in (("begin", marker.BEGIN), ("end", marker.END)):
                (folder / f"profile-{name}").write_bytes(marker.program(which))
                (folder / f"profile-{name}").chmod(0o755)
        elif observes is not None:
            (folder / "run.sh").write_bytes(_around(observes, words["main"]))
            (folder / "benchmark.sh").write_bytes(benchmark.script)
        else:
            (folder / "run.sh").write_bytes(benchmark.script)
        # init reads this file before it sets or reads anything of the board.
        load = [". /vlag/load-modules"] if modules else []
        (folder / "entry").write_text("\n".join([*variables, f"export {exported}", *load, ""]))
        (folder / "knobs").write_text("".join(f"{n} {v}\n" for n, v in knobs.items()))
        if policy:
            (folder / "policy").write_text("".join(f"{line}\n" for line in policy))
        return archive(Path(scratch))


def _around(observes: Observation, words: Sequence[str]) -> bytes:
    """Return the script that observes inside the guest, and runs `benchmark.sh` beside it."""
    if observes is Observation.PERF:
        return sampling.script()
    if observes is Observation.TIMERLAT:
        return worst_wakeups.script(words)
    return kernel_events.script()


def upload(address: str, script: Path) -> bytes:
    """Return the cpio archive that lets a board send its files to `address` with our `script`."""
    with tempfile.TemporaryDirectory(prefix="vlag-upload-") as scratch:
        folder = Path(scratch) / "vlag"
        folder.mkdir()
        (folder / script.stem).write_bytes(script.read_bytes())
        (folder / script.stem).chmod(0o755)
        (folder / "upload").write_text(f"{address}\n")
        return archive(Path(scratch))


@frozen(kw_only=True)
class Files:
    """The files a board loads, each as a URL that LAVA's dispatcher can fetch."""

    kernel: str
    ramdisk: str
    dtb: str | None = None
    nfsroot: str | None = None  # tar.xz: the root file system, instead of the ramdisk
    modules: str | None = None  # tar.xz of lib/modules, laid into the NFS root


@frozen(kw_only=True)
class Role:
    """One machine of a pair in its job."""

    name: str  # "sut" or "loadgen"
    device_type: str
    cmdline: str
    files: Files
    tags: Sequence[str] = ()


#: Host seconds for fetching what a board of a lab loads: LAVA's own bound of one download.
DEPLOY_TIMEOUT_S = 300


def _file_name(url: str) -> str:
    """Return the name that LAVA gives a file which it fetches."""
    return PurePosixPath(urlsplit(url).path).name


@functools.cache
def _environment(folder: Path) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - YAML, and the values are ours
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["basename"] = _file_name
    return environment


def _template(path: Path, values: Mapping[str, Any]) -> str:
    """Render a template; UsageError names file and line of what is wrong in it."""
    try:
        return _environment(path.parent).get_template(path.name).render(values)
    except jinja2.TemplateSyntaxError as e:
        raise UsageError(
            f"{e.filename or path}:{e.lineno}: not a valid template: {e.message}"
        ) from e
    except jinja2.TemplateNotFound as e:
        raise UsageError(f"{path}: there is no template {e.message} beside it") from e
    except jinja2.UndefinedError as e:
        raise UsageError(f"{path}: {e.message}") from e


def device(template: Path, board: Board, board_type: BoardType) -> str:
    """Return the device as lava-run reads it (YAML)."""
    return _template(
        template,
        {
            "board": board.name,
            "board_type": board_type.name,
            "arch": board_type.arch,
            "emulator": board_type.command,
            "options": board_type.options,
        },
    )


@frozen(kw_only=True)
class Request:
    """How a lab is asked for a job."""

    key: str  # of the boot, in the job's metadata and in its name, by which a lab finds it
    token: str  # in the metadata too
    priority: str | int = "medium"  # LAVA's: low, medium, high, or 0 to 100
    tags: Sequence[str] = ()  # that pin it to a board
    callback: tuple[str, str] | None = None  # URL that LAVA requests at the end, and its token


def files(
    *,
    kernel: Path | str,
    ramdisk: Path | str,
    dtb: Path | str | None = None,
    nfsroot: str | None = None,
    modules: str | None = None,
) -> Files:
    """Return what a job loads; each is a path on this machine or a URL."""
    return Files(
        kernel=_url(kernel),
        ramdisk=_url(ramdisk),
        dtb=None if dtb is None else _url(dtb),
        nfsroot=nfsroot,
        modules=modules,
    )


def job(
    template: Path,
    *,
    board_type: BoardType,
    name: str,
    run_key: str,
    cmdline: str,
    files: Files,
    timeout_s: int,
    request: Request | None = None,
    roles: Sequence[Role] = (),
    **more: str | None,
) -> str:
    """Return the job definition (YAML).

    `request` is that of a lab; `roles` are the machines of a pair, each with its own files and
    tags.  `more` are variables that only some templates have.
    """
    if board_type.dtb is not None and files.dtb is None:
        raise UsageError(f"board type {board_type.name} boots with {board_type.dtb}: name its file")
    return _template(
        template,
        {
            "name": name,
            "device_type": board_type.lava_type,
            "arch": board_type.arch,
            "boot_timeout_s": board_type.boot_timeout_s,
            "host_limit_s": board_type.host_limit_s(timeout_s),
            "limit_name": (
                f"vlag-limit-{board_type.limit_s(timeout_s)}" if board_type.deterministic else None
            ),
            "deploy_timeout_s": DEPLOY_TIMEOUT_S,
            "timeout_s": timeout_s,
            "run_key": run_key,
            "key": None if request is None else request.key,
            "token": None if request is None else request.token,
            "priority": "medium" if request is None else request.priority,
            "tags": [] if request is None else list(request.tags),
            "callback": None if request is None else request.callback,
            "cmdline": cmdline,
            "files": files,
            "roles": list(roles),
            **more,
        },
    )


def _url(file: Path | str) -> str:
    return file.as_uri() if isinstance(file, Path) else file
