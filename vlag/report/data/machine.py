# SPDX-License-Identifier: GPL-2.0-only
"""The machine that measured, the kernels' toolchain and the commands that ran, for a report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from vlag.report.document import Commands
from vlag.store.builds import Build
from vlag.store.runs import Run

_GIB = 1 << 20  # in the unit of /proc/meminfo
_LARGE = 10 * _GIB  # a kernel's own memory, which MemTotal lacks, is less than the last digit
# Lines of /proc/cpuinfo as a boot keeps them, the first that a board has.
_CPU = ("model name", "Model", "Hardware", "CPU part")
#: How `lava-jobs/boot/prepare.sh` answers on a temperature that it cannot read.
_NOT_KNOWN = "not known: "
_PREEMPT = "/sys/kernel/debug/sched/preempt"


def machine(runs: Iterable[Run]) -> list[str]:
    """Return what the boards of runs are, each once: CPUs, model, microcode, memory, heat."""
    return list(dict.fromkeys(map(_machine, runs)))


def _machine(run: Run) -> str:
    environment = run.environment
    lines = [line.partition(":") for line in environment.get("processors", "").splitlines()]
    values = {key.strip(): value.strip() for key, colon, value in lines if colon}
    parts = [f"{run.cpus} CPU{'' if run.cpus == 1 else 's'}"]
    parts += [next((values[key] for key in _CPU if key in values), "")]
    parts += [f"microcode {values['microcode']}"] if "microcode" in values else []
    memory = re.search(r"^MemTotal: +(\d+) kB", environment.get("memory", ""), re.MULTILINE)
    parts += [_memory(int(memory[1]))] if memory else []
    parts += [_temperature(run.read_back.get("temperature_max_mC", ""))]
    return ", ".join(filter(None, parts))


def _temperature(read_back: str) -> str:
    """Return a sentence where nobody knows how hot the board was."""
    why = read_back.removeprefix(_NOT_KNOWN)
    return "" if why == read_back else f"temperature not known ({why})"


def _memory(kib: int) -> str:
    return f"{kib / _GIB:.{0 if kib >= _LARGE else 1}f} GiB"


def release(made: Sequence[Build]) -> str | None:
    """Return the release of a kernel's last build that has one; None without one."""
    return next((b.release for b in reversed(made) if b.release), None)


def toolchain(made: Sequence[Build]) -> str | None:
    """Return the compiler of a kernel's last build that has an image; None without one."""
    toolchains = [b.toolchain for b in made if b.release]
    return toolchains[-1] if toolchains else None


def preemption(runs: Iterable[Run]) -> list[str]:
    """Return the preemption models that a kernel's boots ran with, as debugfs marks them."""
    modes = (re.search(r"\((\w+)\)", run.environment.get(_PREEMPT, "")) for run in runs)
    return sorted({match[1] for match in modes if match})


def commands(runs: Iterable[Run]) -> list[Commands]:
    """Return the exact commands of each benchmark with its parameters: name -> words."""
    by_benchmark: dict[tuple[str, str], Commands] = {}
    for run in runs:
        key = run.benchmark, repr(sorted(run.parameters.items()))
        by_benchmark[key] = {
            "benchmark": run.benchmark,
            "parameters": dict(run.parameters),
            "commands": {name: list(words) for name, words in run.commands.items()},
        }
    return list(by_benchmark.values())
