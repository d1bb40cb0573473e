# SPDX-License-Identifier: GPL-2.0-only
"""The types of a built kernel: where the fields of its structures are.

`types.btf.gz` holds the kernel's BPF Type Format, as the compiler writes it for the scheduler's
own structures: Documentation/bpf/btf.rst of the kernel describes it.
"""

from __future__ import annotations

import gzip
import re
import shlex
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import frozen

from vlag.errors import ParseError

#: Its name in a build's bundle.
FILE = "types.btf.gz"
#: The object whose command line tells how a file of the scheduler is compiled.
OBJECT = "kernel/sched/fair.o"

_COMMAND = re.compile(r"(?:saved)?cmd_kernel/sched/fair\.o := (.+)")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]+[<\"][^\n]*$", re.MULTILINE)
_ROOTS = "struct rq *vlag_rq;\nstruct task_struct *vlag_task;\n"

_MAGIC, _HEADER, _TYPE = 0xEB9F, struct.Struct("<HBBIIIII"), struct.Struct("<III")
_MEMBER = struct.Struct("<III")
_POINTER, _ARRAY, _STRUCT, _UNION, _TYPEDEF, _VOLATILE, _CONST = 2, 3, 4, 5, 8, 9, 10
_ALIASES = {_TYPEDEF, _VOLATILE, _CONST, 11, 18}
# Kind -> bytes behind its three words: fixed ones, and so many for each member.
_MORE: Mapping[int, tuple[int, int]] = {
    1: (4, 0), _ARRAY: (12, 0), _STRUCT: (0, 12), _UNION: (0, 12), 6: (0, 8), 13: (0, 8),
    14: (4, 0), 15: (0, 12), 17: (4, 0), 19: (0, 12),
}  # fmt: skip


def source(of_scheduler: str) -> str:
    """Return a file that has the types which `of_scheduler`, the text of fair.c, includes."""
    return "\n".join([*_INCLUDE.findall(of_scheduler), _ROOTS])


def command(saved: str, file: str, to: str) -> list[str] | None:
    """Return the words that compile `file` with its types into `to`.

    `saved` is what the kernel's makefiles keep of how they made `OBJECT`; None if that is not
    what is known of them.
    """
    match = _COMMAND.match(saved)
    if match is None:
        return None
    words = shlex.split(match[1].split(" ; ")[0])
    if OBJECT not in words or "-c" not in words:
        return None
    # It describes what the object depends on, not these types.
    words = [w for w in words if not w.startswith("-Wp,-MMD,")]
    at = words.index(OBJECT)
    return [*words[: words.index("-c")], "-gbtf", "-w", "-c", "-o", to, file, *words[at + 2 :]]


def write(data: bytes, to: Path) -> None:
    """Write types as the compiler made them; ParseError where they cannot be read."""
    Types(data, path=str(to))
    with gzip.GzipFile(to, "wb", mtime=0) as packed:
        packed.write(data)


def read(data: bytes, *, path: str) -> Types:
    """Read `types.btf.gz`; ParseError says what is wrong with it."""
    try:
        return Types(gzip.decompress(data), path=path)
    except (OSError, EOFError, zlib.error) as e:
        raise ParseError(f"no types of a kernel ({e})", path=path) from e


@frozen
class _Type:
    kind: int
    name: str
    other: int  # the type it is another word for, or points to; of a structure its bytes
    members: tuple[tuple[str, int, int], ...] = ()  # name, type, offset in bits
    element: int = 0  # the type of an array's elements
    count: int = 0  # how many elements it has


class Types:
    """The structures of a kernel."""

    def __init__(self, data: bytes, *, path: str) -> None:
        """Read them; ParseError if they are cut off or are something else."""
        self._types = [_Type(0, "", 0)]
        try:
            self._types += _types(data)
        except (struct.error, ValueError) as e:
            raise ParseError(f"no types of a kernel ({e})", path=path) from e
        self._structs = {t.name: t for t in self._types if t.kind == _STRUCT and t.members}

    def offset(self, path: str) -> int | None:
        """Return the offset of a field in bytes, as "task_struct.thread_info.cpu".

        None if there is no such structure or field, or it does not begin at a byte.
        """
        name, *fields = path.split(".")
        at, type_ = 0, self._structs.get(name)
        for field in fields:
            found = None if type_ is None else self._member(type_, field)
            if found is None:
                return None
            at, type_ = at + found[0], self._meant(found[1])
        return None if at % 8 else at // 8

    def size(self, name: str) -> int | None:
        """Return the bytes of a structure; None if there is no such one."""
        type_ = self._structs.get(name)
        return None if type_ is None else type_.other

    def at(self, name: str, offset: int) -> str:
        """Return the field of a structure that a byte at `offset` is in, as "cfs.nr_running".

        An array's elements have one name, as "buckets[].value"; "" where no field begins before.
        """
        type_, path, bits = self._structs.get(name), "", offset * 8
        while type_ is not None:
            if type_.kind == _ARRAY:
                element = self._meant(type_.element)
                size = self._bits(type_.element)
                if element is None or not size:
                    return path
                path, bits, type_ = f"{path}[]", bits % size, element
                continue
            if type_.kind not in (_STRUCT, _UNION):
                return path
            before = [m for m in type_.members if m[2] <= bits]
            if not before:
                return path
            # Of a union all begin at 0: the first is as good as the others.
            first = max(before, key=lambda m: m[2])
            path = ".".join(filter(None, (path, first[0])))
            bits, type_ = bits - first[2], self._meant(first[1])
        return path

    def pointers(self, name: str) -> Mapping[int, str]:
        """Return where a structure points to others: offset in bytes -> the other's name."""
        type_ = self._structs.get(name)
        return {} if type_ is None else dict(self._pointers(type_, 0))

    def _pointers(self, type_: _Type, at: int, depth: int = 0) -> Iterator[tuple[int, str]]:
        for _, number, offset in type_.members:
            member = self._meant(number)
            if member is None or (at + offset) % 8:
                continue
            if member.kind == _POINTER:
                to = self._meant(member.other)
                if to is not None and to.kind == _STRUCT and to.members:
                    yield (at + offset) // 8, to.name
            elif member.kind == _STRUCT and depth < 8:
                yield from self._pointers(member, at + offset, depth + 1)

    def _bits(self, number: int) -> int:
        """Return the size of a type; 0 where it is not known."""
        type_ = self._meant(number)
        if type_ is None:
            return 0
        if type_.kind == _ARRAY:
            return type_.count * self._bits(type_.element)
        return 64 if type_.kind == _POINTER else type_.other * 8

    def _meant(self, number: int) -> _Type | None:
        """Return a type behind its other words; None if there is no such type."""
        for _ in range(32):
            if number >= len(self._types):
                return None
            if self._types[number].kind not in _ALIASES:
                return self._types[number]
            number = self._types[number].other
        return None

    def _member(self, type_: _Type, name: str, depth: int = 0) -> tuple[int, int] | None:
        """Return offset in bits and type of a member, also of one in a nameless structure."""
        for own, number, offset in type_.members:
            if own == name:
                return offset, number
            inner = self._meant(number) if not own and depth < 8 else None
            found = None if inner is None else self._member(inner, name, depth + 1)
            if found is not None:
                return offset + found[0], found[1]
        return None


def _types(data: bytes) -> Iterator[_Type]:
    magic, version, _, header, types, size, strings, strings_size = _HEADER.unpack_from(data)
    if (magic, version) != (_MAGIC, 1):
        raise ValueError("it does not begin as such types do")
    if header + max(types + size, strings + strings_size) > len(data):
        raise ValueError("it is cut off")
    names = data[header + strings : header + strings + strings_size]
    at, end = header + types, header + types + size
    while at < end:
        name, info, other = _TYPE.unpack_from(data, at)
        at += _TYPE.size
        kind, count = info >> 24 & 0x1F, info & 0xFFFF
        fixed, each = _MORE.get(kind, (0, 0))
        members = []
        if kind in (_STRUCT, _UNION):
            for i in range(count):
                of, type_, offset = _MEMBER.unpack_from(data, at + i * each)
                # With bit fields, the upper byte is the width of one.
                members.append(
                    (_name(names, of), type_, offset & 0xFFFFFF if info >> 31 else offset)
                )
        element, elements = 0, 0
        if kind == _ARRAY:
            element, _, elements = _TYPE.unpack_from(data, at)
        at += fixed + count * each
        yield _Type(kind, _name(names, name), other, tuple(members), element, elements)


def _name(names: bytes, at: int) -> str:
    return names[at : names.find(b"\0", at)].decode("ascii", "replace")
