# SPDX-License-Identifier: GPL-2.0-only
"""The system calls that code of others may not make: those by which others have left a sandbox.

libseccomp, which every Debian system has, writes the filter for all ABIs of this machine.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
from functools import cache

from vlag.errors import UsageError

_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
#: libseccomp's comparison of an argument with a mask, and its number for a name it does not know.
_MASKED_EQUAL, _UNKNOWN = 7, -1
_NEW_USER = 0x10000000  # CLONE_NEWUSER
#: Other ABIs that the kernel of an architecture runs; of an ABI that is not here nothing runs.
_OTHERS = {"x86_64": (0x40000003, 0x4000003E), "aarch64": (0x40000028,)}  # i386, x32; arm

#: Names of refused calls, by what they open.  Those that a machine does not have are left out.
DENIED = {
    "namespaces and mounts": (
        "unshare", "setns", "mount", "umount", "umount2", "pivot_root", "chroot", "fsopen",
        "fsconfig", "fsmount", "fspick", "move_mount", "open_tree", "mount_setattr",
    ),
    # The session keyring is the service's; the user's outlives the build.
    "keyring": ("keyctl", "add_key", "request_key"),
    "other processes": (
        "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp",
        "pidfd_getfd", "perf_event_open",
    ),
    "much of the kernel": (
        "bpf", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
        "name_to_handle_at", "open_by_handle_at", "fanotify_init", "lookup_dcookie", "modify_ldt",
        "vmsplice", "uselib",
    ),
    "the machine": (
        "reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
        "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "syslog", "settimeofday",
        "clock_settime", "clock_adjtime", "adjtimex", "stime", "iopl", "ioperm", "sethostname",
        "setdomainname", "vhangup", "nfsservctl",
    ),
}  # fmt: skip


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint), ("how", ctypes.c_int),
        ("first", ctypes.c_uint64), ("second", ctypes.c_uint64),
    )  # fmt: skip


@cache
def program() -> bytes:
    """Return the filter as the kernel and bwrap read it.

    A refused call fails with EPERM; a `clone` of a user namespace, too; `clone3`, whose
    arguments no filter sees, is as on a kernel without it.  Raises UsageError without libseccomp.
    """
    try:
        library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    except OSError as e:
        raise UsageError(
            f"the sandbox of builds needs libseccomp, which is missing ({e}): install the package"
            " libseccomp2"
        ) from e
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(_ALLOW)))
    try:
        for abi in _OTHERS.get(platform.machine(), ()):
            _check(library.seccomp_arch_add(context, ctypes.c_uint32(abi)))
        for name in (one for names in DENIED.values() for one in names):
            _deny(library, context, name, errno.EPERM)
        _deny(library, context, "clone3", errno.ENOSYS)
        new = _Comparison(0, _MASKED_EQUAL, _NEW_USER, _NEW_USER)
        _deny(library, context, "clone", errno.EPERM, new)
        with open(os.memfd_create("vlag-seccomp"), "w+b") as file:
            _check(library.seccomp_export_bpf(context, file.fileno()))
            file.seek(0)
            return file.read()
    finally:
        library.seccomp_release(context)


def _deny(
    library: ctypes.CDLL, context: ctypes.c_void_p, name: str, number: int, *when: _Comparison
) -> None:
    call = library.seccomp_syscall_resolve_name(name.encode())
    if call == _UNKNOWN:
        return
    action = ctypes.c_uint32(_ERRNO | number)
    only = (_Comparison * len(when))(*when)
    _check(library.seccomp_rule_add_array(context, action, call, len(when), only))


def _check(status: int) -> None:
    if status < 0:
        raise UsageError(f"libseccomp made no filter for builds: {os.strerror(-status)}")
