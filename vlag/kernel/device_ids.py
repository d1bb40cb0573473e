# SPDX-License-Identifier: GPL-2.0-only
"""Devices that no device tree names, as the sources of their drivers know them.

acpi:ARMH0011        a device's _HID or _CID in the firmware's tables
pci:15b3:1015        vendor and device
pci:class:010802     a class: any maker's
mdio:600d84a2        what a PHY answers on its bus
driver:cppc_cpufreq  the driver itself, of a device that has no name: a processor, a timer
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from attrs import field, frozen

#: What a device is written as in the catalogue; the groups are its numbers or its name.
ACPI = re.compile(r"acpi:([A-Z0-9]{7,8})")
PCI = re.compile(r"pci:([0-9a-f]{4}):([0-9a-f]{4})")
PCI_CLASS = re.compile(r"pci:class:([0-9a-f]{6})")
MDIO = re.compile(r"mdio:([0-9a-f]{8})")
DRIVER = re.compile(r"driver:([A-Za-z0-9_]+)")
#: The numbers of a PHY and of a device on PCI, as a device tree has them for names.
_PHY = re.compile(r"ethernet-phy-id([0-9a-f]{4})\.([0-9a-f]{4})")
_ON_PCI = re.compile(r"pci([0-9a-f]{1,4}),([0-9a-f]{1,4})")

#: Headers with numbers of devices, beside those of the driver's own folder.
_HEADERS = ("include/linux/pci_ids.h", "include/linux/*phy*.h")
_DEFINED = re.compile(r"^#\s*define\s+(\w+)\s+\(?(0x[0-9a-fA-F]+|\d+)\b", re.MULTILINE)
_DEFINED_TEXT = r'^#\s*define\s+(\w+)\s+"{}"'
#: A table by which the kernel gives devices to a driver, which a list for other uses is not.
_TABLE = r"MODULE_DEVICE_TABLE\s*\(\s*(?:{})\s*,"
_PCI = re.compile(
    r"PCI_V?DEVICE(?P<data>_DATA)?\s*\(\s*(?:PCI_VENDOR_ID_)?(\w+)\s*,\s*(\w+)\s*[,)]"
)
_PCI_CLASS = r"(?:PCI_DEVICE_CLASS\s*\(\s*|\.class\s*=\s*|PCI_ANY_ID\s*,\s*){}\b"
#: A mask leaves the maker's digits, which pairs of register and value do not look like.
_PHY_MASKED = re.compile(r"\{\s*(\w+)\s*,\s*(0x[fF]{5}[0-9a-fA-F]{3})\s*\}")
_PHY_MATCH = re.compile(r"PHY_ID_MATCH_(EXACT|MODEL|VENDOR)\s*\(\s*(\w+)\s*\)")
_PHY_MASKS = {"EXACT": 0xFFFFFFFF, "MODEL": 0xFFFFFFF0, "VENDOR": 0xFFFFFC00}

#: Finds files of the source: words for `git grep`.
Grep = Callable[[Sequence[str]], list[str]]


def is_id(name: str) -> bool:
    """Return whether a device's name is one of these, and not a device tree's."""
    return any(kind.fullmatch(name) for kind in (ACPI, PCI, PCI_CLASS, MDIO, DRIVER))


def of_compatible(name: str) -> str:
    """Return the numbers that a name in a device tree holds; another name as it is."""
    if phy := _PHY.fullmatch(name):
        return f"mdio:{phy[1]}{phy[2]}"
    if on_pci := _ON_PCI.fullmatch(name):
        return f"pci:{on_pci[1]:0>4}:{on_pci[2]:0>4}"
    return name


@frozen
class Tables:
    """The tables of devices in a kernel's source."""

    folder: Path
    grep: Grep
    _numbers: dict[str, Mapping[str, int]] = field(factory=dict)  # of a folder's headers

    def files(self, device: str) -> list[str]:
        """Return the files of the drivers for a device, in the order of their names."""
        if match := ACPI.fullmatch(device):
            return sorted(self._acpi(match[1]))
        if match := PCI.fullmatch(device):
            return sorted(self._pci(int(match[1], 16), int(match[2], 16)))
        if match := PCI_CLASS.fullmatch(device):
            return sorted(self._pci_class(int(match[1], 16)))
        if match := MDIO.fullmatch(device):
            return sorted(self._mdio(int(match[1], 16)))
        match = DRIVER.fullmatch(device)
        return [] if match is None else self._named(match[1])

    def _acpi(self, name: str) -> Iterator[str]:
        words = [f'"{name}"']
        for header in self.grep(["-F", "-e", f'"{name}"', "--", "include/*.h"]):
            words += re.findall(_DEFINED_TEXT.format(name), self._text(header), re.MULTILINE)
        listed = re.compile(rf"\{{\s*(?:\.id\s*=\s*)?(?:{'|'.join(words)})\s*[,}}]")
        patterns = [argument for word in words for argument in ("-e", word)]
        for file in self.grep(["-F", *patterns, "--", "drivers/*.c", "arch/*.c", "sound/*.c"]):
            text = self._text(file)
            if re.search(_TABLE.format("acpi|pnp"), text) and listed.search(text):
                yield file

    def _pci(self, vendor: int, device: int) -> Iterator[str]:
        vendors = {
            name.removeprefix("PCI_VENDOR_ID_")
            for name, number in self._of_folder("").items()
            if number == vendor and name.startswith("PCI_VENDOR_ID_")
        } | {f"0x{vendor:04x}"}
        asked = rf"PCI_V?DEVICE(_DATA)?\s*\(\s*(PCI_VENDOR_ID_)?({'|'.join(sorted(vendors))})\s*,"
        for file in self.grep(["-E", "-e", asked, "--", "drivers/*.c"]):
            text = self._text(file)
            if not re.search(_TABLE.format("pci"), text):
                continue
            numbers = self._known(file, text)
            for entry in _PCI.finditer(text):
                maker, name = entry[2], entry[3]
                if entry["data"]:
                    name = f"PCI_DEVICE_ID_{maker}_{name}"
                if maker in vendors and _number(name, numbers) == device:
                    yield file
                    break

    def _pci_class(self, number: int) -> Iterator[str]:
        names = [
            name
            for name, value in self._of_folder("").items()
            if value == number and name.startswith("PCI_CLASS_")
        ]
        for name in names:
            for file in self.grep(["-F", "-e", name, "--", "drivers/*.c"]):
                text = self._text(file)
                if re.search(_TABLE.format("pci"), text) and re.search(
                    _PCI_CLASS.format(name), text
                ):
                    yield file

    def _mdio(self, number: int) -> Iterator[str]:
        for file in self.grep(["-E", "-e", _TABLE.format("mdio").replace("?:", ""),
                               "--", "drivers/net/*.c"]):  # fmt: skip
            text = self._text(file)
            numbers = self._known(file, text)
            entries = [(e[2], _PHY_MASKS[e[1]]) for e in _PHY_MATCH.finditer(text)]
            entries += [(e[1], int(e[2], 16)) for e in _PHY_MASKED.finditer(text)]
            for name, mask in entries:
                its = _number(name, numbers)
                if its is not None and its & mask == number & mask:
                    yield file
                    break

    def _named(self, name: str) -> list[str]:
        """Return the source files of a driver's name, in which `_` may be `-`."""
        pattern = name.replace("_", "[-_]")
        return sorted(
            file
            for place in ("drivers", "arch", "kernel")
            for file in self.grep(["-e", "", "--", f":(glob){place}/**/{pattern}.c"])
        )

    def _known(self, file: str, text: str) -> dict[str, int]:
        """Return the numbers that a file has names for."""
        folder = str(PurePosixPath(file).parent)
        return {**self._of_folder(""), **self._of_folder(folder), **_defined(text)}

    def _of_folder(self, folder: str) -> Mapping[str, int]:
        """Return the numbers of a folder's headers; of "" those of all drivers."""
        if folder not in self._numbers:
            patterns = _HEADERS if folder == "" else (f"{folder}/*.h",)
            made: dict[str, int] = {}
            for pattern in patterns:
                for path in sorted(self.folder.glob(pattern)):
                    made.update(_defined(path.read_text(encoding="utf-8", errors="replace")))
            self._numbers[folder] = made
        return self._numbers[folder]

    def _text(self, file: str) -> str:
        return (self.folder / file).read_text(encoding="utf-8", errors="replace")


def _defined(text: str) -> dict[str, int]:
    return {name: int(number, 0) for name, number in _DEFINED.findall(text) if _whole(number)}


def _whole(number: str) -> bool:
    """Return whether a number is no octal one, which devices do not have."""
    return number.startswith("0x") or number == "0" or not number.startswith("0")


def _number(word: str, numbers: Mapping[str, int]) -> int | None:
    """Return what a word of a table stands for."""
    if word[:1].isdigit():
        return int(word, 0) if _whole(word) else None
    return numbers.get(word)
