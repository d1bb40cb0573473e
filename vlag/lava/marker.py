# SPDX-License-Identifier: GPL-2.0-only
"""The programs with which a board says where a profile begins and ends.

Each executes one instruction that does nothing, with an operand that no compiler makes, and
ends.  `lava-jobs/lockstep/profile.c` looks for it.
"""

from __future__ import annotations

import struct

#: Version of what `lava-jobs/lockstep/profile.c` counts, as its VERSION.
VERSION = 2
#: What the kernel's command line has of a boot that is profiled; `lockstep-EMULATOR` loads the
#: plugin where it stands.
CMDLINE = f"vlag.profile={VERSION}"

BEGIN, END = 1, 2

#: Runs the benchmark's own script, `benchmark.sh`, between the two.
SCRIPT = b"""#!/bin/sh
/vlag/profile-begin
sh /vlag/benchmark.sh
rc=$?
/vlag/profile-end
exit $rc
"""

_LOADED = 0x400000  # where a program without a linker script lies
_HEADERS = 64 + 56


def program(which: int) -> bytes:
    """Return the executable, for x86-64, that marks BEGIN or END and exits with status 0."""
    code = (
        b"\x0f\x1f\x84\x00vlg" + bytes([which])  # nopl OPERAND(%rax,%rax,1)
        + b"\x31\xff"  # xor %edi,%edi
        + b"\xb8\x3c\x00\x00\x00"  # mov $60,%eax: exit
        + b"\x0f\x05"  # syscall
    )  # fmt: skip
    size = _HEADERS + len(code)
    identity = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    # Executable, x86-64, version 1, entry, program headers behind this one, no sections.
    header = struct.pack(
        "<HHIQQQIHHHHHH", 2, 62, 1, _LOADED + _HEADERS, 64, 0, 0, 64, 56, 1, 0, 0, 0
    )
    # Loaded whole, readable and executable.
    loaded = struct.pack("<IIQQQQQQ", 1, 5, 0, _LOADED, _LOADED, size, size, 0x1000)
    return identity + header + loaded + code
