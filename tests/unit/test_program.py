# SPDX-License-Identifier: GPL-2.0-only
"""Which images are of one program: those that are loaded with the same, warnings' lines apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernel_image import elf, image, packed
from vlag.kernel import program


def of(folder: Path, data: bytes) -> str | None:
    path = folder / "image"
    path.write_bytes(data)
    return program.digest(path)


def test_lines_of_warnings_and_the_build_id_are_no_part_of_it(tmp_path: Path) -> None:
    one = packed(b"code", line=10, told="one")
    other = packed(b"code", line=14, told="another")
    assert one != other
    assert of(tmp_path, one) == of(tmp_path, other) is not None


@pytest.mark.parametrize(
    "changed",
    [
        packed(b"Code"),
        packed(b"code", data=b"tabel"),  # as of weights, without any instruction that differs
        packed(b"code", bss=72),
        packed(b"code", data=b"table\0"),
    ],
    ids=["code", "data", "memory", "size"],
)
def test_all_else_is(tmp_path: Path, changed: bytes) -> None:
    """Negative control."""
    assert of(tmp_path, packed(b"code")) not in (of(tmp_path, changed), None)
    assert of(tmp_path, changed) is not None


def test_where_a_warning_is_is_a_part_of_it(tmp_path: Path) -> None:
    bugs = [b"\1\0\0\0\2\0\0\0" + line + b"\1\0" for line in (b"\x07\0", b"\x08\0")]
    moved = b"\2" + bugs[0][1:]

    def with_table(table: bytes) -> str | None:
        return of(tmp_path, image(elf([(b"__bug_table", 1, 2, table)])))

    assert with_table(bugs[0]) == with_table(bugs[1])
    assert with_table(bugs[0]) != with_table(moved)
    # A table of another form is taken as it is.
    assert with_table(bugs[0] + b"\0") != with_table(bugs[1] + b"\0")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"a kernel of no known form",
        packed(b"code")[:-60],
        image(b"no ELF file"),
        image(elf([])[:70]),
        packed(b"code").replace(b"\x1f\x8b", b"\x28\xb5"),
    ],
    ids=["empty", "unknown", "cut", "payload", "sections", "packed otherwise"],
)
def test_of_other_images_nothing_is_said(tmp_path: Path, data: bytes) -> None:
    assert of(tmp_path, data) is None
