# SPDX-License-Identifier: GPL-2.0-only
"""What a person sees on a terminal: its characters, with the few controls that vlag uses."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import termios
import threading
from typing import TextIO

_CONTROL = re.compile(r"\x1b\[(\d*)([AJ])|[\r\n]")


def shown(text: str, columns: int = 80) -> list[str]:
    """Return the lines of a terminal that was sent a text; an unknown control is an error."""
    lines, row, at = [""], 0, 0
    while text:
        found = _CONTROL.search(text)
        plain, text = (text, "") if found is None else (text[: found.start()], text[found.end() :])
        assert "\x1b" not in plain, plain
        for character in plain:
            if at == columns:
                row, at = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
            lines[row] = lines[row].ljust(at)[:at] + character + lines[row][at + 1 :]
            at += 1
        if found is None:
            break
        if found[0] == "\r":
            at = 0
        elif found[0] == "\n":
            row += 1
        elif found[2] == "A":
            row = max(0, row - int(found[1] or 1))
        else:
            lines[row:] = [lines[row][:at]]
        lines += [""] * (row + 1 - len(lines))
    return [line.rstrip() for line in lines if line.rstrip()]


class Pseudo:
    """A pseudo-terminal: programs write to `name`, and what they wrote is `sent`."""

    def __init__(self, columns: int = 80):
        self._ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.columns = columns
        self.sent = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def stream(self) -> TextIO:
        return os.fdopen(os.dup(self.theirs), "w", encoding="utf-8")

    def _read(self) -> None:
        # The last program that has it open ends the file, as an error.
        try:
            while data := os.read(self._ours, 65536):
                self.sent += data.decode()
        except OSError:
            return

    def close(self) -> str:
        """Return all that was sent, once nobody has it open any more."""
        os.close(self.theirs)
        self._reader.join()
        os.close(self._ours)
        return self.sent

    def screen(self) -> list[str]:
        return shown(self.sent, self.columns)
