# SPDX-License-Identifier: GPL-2.0-only
"""The options of a kernel's `.config`, and those in which two of them differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from attrs import frozen

#: A line that sets an option.
SETTING = re.compile(r"^(CONFIG_\w+)=(.*)$")
#: A line that names an option which is not set.
UNSET = re.compile(r"^# (CONFIG_\w+) is not set$")

#: Options of the scheduler, of preemption, of ticks and of CPUs begin with one of these.
SCHEDULER = (
    "CFS_BANDWIDTH", "CGROUP_SCHED", "CPU_FREQ", "CPU_IDLE", "EXT_GROUP_SCHED", "FAIR_GROUP_SCHED",
    "GROUP_SCHED", "HIGH_RES_TIMERS", "HZ", "NO_HZ", "NR_CPUS", "NUMA", "PREEMPT", "PSI", "RCU",
    "RT_GROUP_SCHED", "SCHED", "SMP", "TREE_RCU", "UCLAMP",
)  # fmt: skip

# What the versions of compiler, assembler and linker decide; a report names the compiler.
_TOOLS = re.compile(
    r"(CC|AS|LD|LLD|GCC|CLANG|LLVM|RUST|RUSTC|BINDGEN|PAHOLE)"
    r"_((LLVM_)?VERSION|IS|HAS|HAVE|CAN|SUPPORTS)(_|$)|TOOLS_SUPPORT_|TOOLCHAIN_"
)
# Alternatives of one choice: HZ itself has their value.
_CHOICE = re.compile(r"HZ_\d+$")


@frozen(kw_only=True)
class Differences:
    """Options in which two configs differ: names without CONFIG_, in the order of the alphabet.

    An option that only one config mentions is new or gone.  One that is "not set" counts as
    absent there, since it has no effect.
    """

    changed: Mapping[str, tuple[str, str]]  # the values of base and new; "n": not set
    new: Mapping[str, str]
    gone: Mapping[str, str]


@frozen(kw_only=True)
class Need:
    """An option that a board's kernel must have built in, or as a module that the board loads."""

    option: str  # with CONFIG_
    reason: str  # in words: who asks for it
    least: int | None = None  # for an option that is a number
    module: bool = False  # the board loads its modules where it is one

    def met(self, options: Mapping[str, str]) -> bool:
        """Return whether a config has it; a module that no board loads is not built in."""
        value = options.get(self.option, "n")
        if self.least is None:
            return value == "y" or (self.module and value == "m")
        return value.isdecimal() and int(value) >= self.least

    @property
    def wanted(self) -> str:
        """Return what a config must say."""
        if self.least is not None:
            return f"{self.option} >= {self.least}"
        return f"{self.option}=y or m" if self.module else f"{self.option}=y"

    def refusal(self, options: Mapping[str, str]) -> str:
        """Return the sentence on a config that does not meet the need."""
        return (
            f"{self.reason} needs {self.wanted}, the kernel made it {options.get(self.option, 'n')}"
        )


def unmet(needs: Iterable[Need], options: Mapping[str, str]) -> list[Need]:
    """Return the needs that a config, as `options` reads it, does not meet."""
    return [need for need in needs if not need.met(options)]


def options(text: str) -> dict[str, str]:
    """Return the options that a `.config` mentions: name -> value; "n" means not set."""
    values = {}
    for line in text.splitlines():
        if match := SETTING.match(line):
            values[match[1]] = match[2]
        elif match := UNSET.match(line):
            values[match[1]] = "n"
    return values


def hz(options_: Mapping[str, str]) -> int | None:
    """Return the frequency of the tick in Hz; None if the options do not have it."""
    value = options_.get("CONFIG_HZ", "")
    return int(value) if re.fullmatch(r"[1-9]\d{0,4}", value) else None


def of_scheduler(name: str) -> bool:
    """Return whether an option, without CONFIG_, has one of the prefixes in `SCHEDULER`."""
    return name.startswith(SCHEDULER)


def differences(base: Mapping[str, str], new: Mapping[str, str]) -> Differences:
    """Return the options in which two configs differ, as `options` reads them.

    Left out is what only the versions of compiler, assembler and linker decide, and the
    alternatives of HZ.
    """
    changed, fresh, gone = {}, {}, {}
    for full in sorted(base.keys() | new.keys()):
        name = full.removeprefix("CONFIG_")
        before, after = base.get(full), new.get(full)
        if (before or "n") == (after or "n") or _TOOLS.match(name) or _CHOICE.match(name):
            continue
        if before is not None and after is not None:
            changed[name] = (before, after)
        elif after is not None:
            fresh[name] = after
        elif before is not None:
            gone[name] = before
    return Differences(changed=changed, new=fresh, gone=gone)
