# SPDX-License-Identifier: GPL-2.0-only
"""The kind of sandbox and its limits, as `[sandbox]` of the settings gives them."""

from __future__ import annotations

from attrs import frozen

#: Namespaces of the kernel's, set up by the program bwrap.
BUBBLEWRAP = "bubblewrap"
#: Only the user and the limits: for a container, which is a boundary and may make no namespaces.
USER = "user"
#: No sandbox: what is built is as powerful as who builds it.
NONE = "none"
#: For `processes`: a control group counts them.
BY_GROUP = 0


@frozen(kw_only=True)
class Rules:
    """How code of others runs.  The limits are several times what a kernel build needs."""

    kind: str = BUBBLEWRAP
    user: str = "vlag-build"  # whom root becomes; any other caller stays itself
    wall_s: int = 14400  # of one command, such as the whole `make`
    cpu_s: int = 7200  # of one process
    memory_mb: int = 16384  # address space of one process
    total_memory_mb: int = 0  # of all processes of a command; 0: three quarters of the machine's
    processes: int = 4096  # of a command; without a control group, of the user
    file_mb: int = 8192  # one file
    disk_mb: int = 20480  # growth of the output folders and the compiler cache together
    free_mb: int = 256  # what the disk keeps free, whoever fills it
    tmp_mb: int = 2048  # /tmp, in memory
    output_mb: int = 64  # what a command prints
