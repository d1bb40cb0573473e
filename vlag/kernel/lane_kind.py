# SPDX-License-Identifier: GPL-2.0-only
"""A build lane: a configuration of the kernel that no board boots, and what it is built with.

Each command reads the settings, which name lanes; few build one.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping

from attrs import frozen

from vlag.errors import InfrastructureError

GCC, CLANG = "gcc", "clang"
#: Architecture -> what its programs begin with, and the Debian package of its gcc.
_CROSS = {"x86_64": ("", "gcc"), "arm64": ("aarch64-linux-gnu-", "gcc-aarch64-linux-gnu")}
#: What `LLVM=1` needs beside clang: program -> Debian package.
_LLVM = {"clang": "clang", "ld.lld": "lld", "llvm-ar": "llvm", "llvm-nm": "llvm",
         "llvm-objcopy": "llvm", "llvm-strip": "llvm"}  # fmt: skip
#: The list of these packages.
PACKAGES = "workers/packages/lanes.txt"


@frozen(kw_only=True)
class Lane:
    """A configuration to build, as `workers/lanes.toml` describes it."""

    name: str
    description: str
    arch: str
    base: str  # target of make that begins the configuration
    kconfig: Mapping[str, str]  # option -> value; the kernel may refuse these
    needs: Mapping[str, str]  # the same; without them a tree does not have the lane
    compiler: str
    targets: tuple[str, ...]  # of make, after the configuration

    @property
    def options(self) -> dict[str, str]:
        """Return all options that are asked for."""
        return {**self.kconfig, **self.needs}

    @property
    def programs(self) -> dict[str, str]:
        """Return the programs that it needs, each with its Debian package."""
        if self.compiler == CLANG:
            return _LLVM
        prefix, package = _CROSS[self.arch]
        return {f"{prefix}gcc": package}

    def toolchain(self) -> str:
        """Return the first line of the compiler's version.

        Raises InfrastructureError, which no second attempt helps, without a program of it.
        """
        for program, package in self.programs.items():
            if shutil.which(program) is None:
                raise InfrastructureError(
                    f"lane {self.name}: {program} is missing; install Debian's {package}:"
                    f" workers/setup-host packages {PACKAGES}",
                    retry=False,
                )
        done = subprocess.run(
            [next(iter(self.programs)), "--version"], capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()[0]

    def make(self) -> list[str]:
        """Return the variables of make by which the lane is built."""
        from vlag.kernel.tuxmake import MAKE, PINNED  # noqa: PLC0415 - more than all of the settings

        prefix, _ = _CROSS[self.arch]
        variables = {"ARCH": self.arch, **PINNED, **MAKE}
        if self.compiler == CLANG:
            variables |= {"LLVM": "1", "CC": "ccache clang"}
        else:
            variables |= {"CROSS_COMPILE": prefix, "CC": f"ccache {prefix}gcc"}
        return [f"{name}={value}" for name, value in variables.items()]
