# SPDX-License-Identifier: GPL-2.0-only
"""Boards of LAVA that need no kernel: a PC whose first sector prints what a test wants."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

#: A device type: a PC that boots the first sector of a disk.  See `guest`.
GUEST_TYPE = """{% extends 'base.jinja2' %}
{% set boot_retry = 1 %}
{% block body %}
available_architectures: [x86_64]
actions:
  deploy:
    connections: {serial: {}}
    methods:
      image: {}
  boot:
    connections: {serial: {}}
    methods:
      qemu:
        parameters:
          command: qemu-system-x86_64
          options:
            - -machine pc -accel tcg -m 16M -nodefaults -no-user-config
            - -display none -serial stdio -monitor none -no-reboot
{% endblock %}
"""


def guest(text: str, *, off: bool = False) -> bytes:
    """Return a disk whose boot code prints `text` on the first serial line.

    It then sleeps until something is typed, as LAVA does in the end, and switches the PC
    off; with `off` at once.  Up to 60 KiB of ASCII: a board that says whatever a test
    wants, a second after it was started, with no kernel.
    """
    message = text.replace("\n", "\r\n").encode("ascii") + b"\0"
    sectors = -(-len(message) // 512)
    assert sectors <= 120
    # sti; sleep: hlt; mov dx,0x3fd; in al,dx; test al,1; jz sleep
    sleep = "" if off else "fb f4 bafd03 ec a801 74f7"
    code = bytes.fromhex(
        "31c0 8ed8 8ec0 fc"  # xor ax,ax; mov ds,ax; mov es,ax; cld
        "be007d b442 cd13"  # mov si,packet; mov ah,0x42; int 0x13: read the text
        "be007e"  # mov si,0x7e00
        "ac 84c0 7412 88c4"  # next: lodsb; test al,al; jz end; mov ah,al
        "bafd03 ec a820 74fb"  # mov dx,0x3fd; wait: in al,dx; test al,0x20; jz wait
        "88e0 baf803 ee ebe9"  # mov al,ah; mov dx,0x3f8; out dx,al; jmp next
        + sleep
        + "ba0406 b80020 ef"  # ACPI's PM1a control, where SeaBIOS puts it: power off
        + "f4 ebfd"  # hlt; jmp there
    )
    packet = bytes([16, 0, sectors, 0]) + (0x7E00).to_bytes(4, "little")
    packet += (1).to_bytes(8, "little")
    first = code.ljust(256, b"\0") + packet
    disk = first.ljust(510, b"\0") + b"\x55\xaa" + message
    return disk.ljust(512 * 128, b"\0")


def guest_job(disk: Path, *, tags: Sequence[str] = (), limit_s: int = 60, **more: Any) -> str:
    """Return a job for `GUEST_TYPE` that reads from "@vlag:start" to "@vlag:done"."""
    job: dict[str, Any] = {
        "job_name": "a guest that prints",
        "device_type": "guest",
        "visibility": "public",
        "priority": "medium",
        "context": {"arch": "x86_64"},
        "timeouts": {"job": {"seconds": limit_s + 30}, "action": {"seconds": limit_s + 15}},
        "actions": [
            {
                "deploy": {
                    "to": "tmpfs",
                    "images": {
                        "disk": {
                            "image_arg": "-drive format=raw,file={disk}",
                            "url": disk.as_uri(),
                        }
                    },
                }
            },
            {"boot": {"method": "qemu", "media": "tmpfs", "timeout": {"seconds": limit_s}}},
            {
                "test": {
                    "timeout": {"seconds": limit_s},
                    "monitors": [
                        {
                            "name": "vlag",
                            "start": "@vlag:start",
                            "end": "@vlag:done",
                            "pattern": r"@vlag:case (?P<test_case_id>\S+) (?P<result>pass|fail)",
                        }
                    ],
                }
            },
        ],
    }
    if tags:
        job["tags"] = list(tags)
    return yaml.safe_dump({**job, **more}, sort_keys=False)
