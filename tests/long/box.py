# SPDX-License-Identifier: GPL-2.0-only
"""Emulated machines that play boards: what a board's power switch and serial line do, as commands.

    python3 box.py on|off|reset|console|terminal FOLDER

QEMU runs from `plug` on as a box does that is plugged in: it only computes while the power
is on.  No import of ours: LAVA's dispatcher runs it with the system's Python.
"""

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
import tty
from pathlib import Path

#: Its network is QEMU's own: DHCP, TFTP, and the machine that runs it as 10.0.2.2.
HOST = "10.0.2.2"
#: A cable that ends nowhere.
UNPLUGGED = "socket,id=net,udp=127.0.0.1:9,localaddr=127.0.0.1:0"
#: Kind of machine -> the emulator with its firmware, and its network card.
MACHINES = {
    "uboot": (
        "qemu-system-aarch64 -machine virt,gic-version=3 -cpu cortex-a76"
        " -bios /usr/lib/u-boot/qemu_arm64/u-boot.bin",
        "virtio-net-device",
    ),
    "grub": (
        "qemu-system-aarch64 -machine virt,gic-version=3 -cpu cortex-a76"
        " -bios /usr/share/qemu-efi-aarch64/QEMU_EFI.fd",
        "virtio-net-pci,romfile=,bootindex=1",
    ),
    "ipxe": (
        "qemu-system-x86_64 -machine q35 -cpu max -bios /usr/share/ovmf/OVMF.fd",
        "virtio-net-pci,romfile=,bootindex=1",
    ),
    # Its UEFI has settings of its own, which name what it boots.
    "http": (
        "qemu-system-x86_64 -machine q35 -cpu max"
        " -drive if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd"
        " -drive if=pflash,unit=1,format=raw,file={folder}/settings",
        "virtio-net-pci,romfile=",
    ),
    "cd": (
        "qemu-system-x86_64 -machine q35 -cpu max -bios /usr/share/ovmf/OVMF.fd"
        " -drive if=none,id=cd,media=cdrom -device ide-cd,drive=cd,bootindex=1",
        "virtio-net-pci,romfile=",
    ),
}


def network(tftp: Path, file: str | None = None) -> str:
    """Return a cable to a network with a TFTP server, whose DHCP names a file to boot."""
    return f"user,id=net,tftp={tftp}{f',bootfile={file}' if file else ''}"


def plug(folder: Path, kind: str, cable: str, port: int | None = None) -> int:
    """Start the emulator, powered off; return its process.

    `port`: of the loopback, where a BMC reaches the serial line instead of `console`.
    """
    emulator, card = MACHINES[kind]
    line = f"path={folder}/serial" if port is None else f"host=127.0.0.1,port={port}"
    started = subprocess.Popen(
        [
            *emulator.format(folder=folder).split(), "-accel", "tcg", "-smp", "2", "-m", "1G",
            "-nodefaults", "-no-user-config", "-display", "none", "-S", "-no-shutdown",
            "-netdev", cable, "-device", f"{card},netdev=net",
            "-chardev", f"socket,id=serial,{line},server=on,wait=off",
            "-serial", "chardev:serial",
            "-monitor", f"unix:{folder}/monitor,server=on,wait=off",
        ],
        stdin=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 30
    sockets = [folder / "monitor"] if port else [folder / "monitor", folder / "serial"]
    while not all(path.exists() for path in sockets):
        if started.poll() is not None or time.monotonic() > deadline:
            raise SystemExit("the emulator does not start")
        time.sleep(0.05)
    return started.pid


def unplug(pid: int) -> None:
    """End the emulator."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)


def command(folder: Path, *words: str) -> None:
    """Give the emulator's monitor commands."""
    with socket.socket(socket.AF_UNIX) as monitor:
        monitor.settimeout(20)
        monitor.connect(str(folder / "monitor"))
        for word in (None, *words):
            if word is not None:
                monitor.sendall(word.encode() + b"\n")
            said = b""
            while not said.endswith(b"(qemu) "):
                said += monitor.recv(4096)


def console(folder: Path) -> None:
    """Connect standard input and output with the serial line."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(folder / "serial"))
        while True:
            for end in select.select([line.fileno(), 0], [], [])[0]:
                data = os.read(end, 65536)
                if not data:
                    return
                os.write(1 if end else line.fileno(), data)


if __name__ == "__main__":
    where = Path(sys.argv[2])
    match sys.argv[1]:
        case "on":
            command(where, "cont")
        case "off":
            command(where, "stop", "system_reset")
        case "reset":
            command(where, "stop", "system_reset", "cont")
        case "console":
            console(where)
        case "terminal":  # passes each key on at once, as telnet does
            tty.setcbreak(0)
            console(where)
        case word:
            raise SystemExit(f"{word}: say on, off, reset, console or terminal")
