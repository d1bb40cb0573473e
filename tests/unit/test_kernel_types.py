# SPDX-License-Identifier: GPL-2.0-only
"""Where fields of structures are: the compiler's own answer beside that of its type information."""

from __future__ import annotations

import gzip
import shlex
import subprocess
from pathlib import Path

import pytest

from vlag.errors import ParseError, UsageError
from vlag.kernel import places, symbols, types
from vlag.kernel.symbols import Function

CODE = """
#include <stddef.h>
#include <stdio.h>
struct load { unsigned long weight; unsigned int inverse; };
typedef struct load load_t;
struct entity {
	const load_t load;
	union { struct { int first; volatile long second; }; char bytes[24]; };
	unsigned int few : 3, more : 13;
	struct entity *parent;
	long long run[2];
	struct load of_each[3];
};
struct rq { int cpu; struct entity idle; } *vlag_rq;
int main(void)
{
	printf("%zu %zu %zu %zu\\n", offsetof(struct rq, idle.load.weight),
		offsetof(struct rq, idle.second), offsetof(struct rq, idle.bytes),
		offsetof(struct entity, run));
	return 0;
}
"""
FIELDS = ("rq.idle.load.weight", "rq.idle.second", "rq.idle.bytes", "entity.run")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[int]]:
    """The types of `CODE`, and where its fields are as it says itself."""
    folder = tmp_path_factory.mktemp("types")
    (folder / "code.c").write_text(CODE)
    for words in (
        "gcc -o program code.c", "gcc -gbtf -c -o code.o code.c",
        "objcopy --dump-section .BTF=code.btf code.o /dev/null",
    ):  # fmt: skip
        subprocess.run(shlex.split(words), cwd=folder, check=True)
    said = subprocess.run([folder / "program"], check=True, capture_output=True, text=True).stdout
    return (folder / "code.btf").read_bytes(), [int(word) for word in said.split()]


def test_offsets_are_those_of_the_compiler(compiled: tuple[bytes, list[int]]) -> None:
    data, offsets = compiled
    read = types.Types(data, path="code.btf")
    assert [read.offset(path) for path in FIELDS] == offsets
    for missing in ("rq.nothing", "nothing.cpu", "rq.idle.load.weight.of", "entity.more"):
        assert read.offset(missing) is None


def test_a_byte_of_a_structure_has_the_name_of_its_field(
    compiled: tuple[bytes, list[int]],
) -> None:
    read = types.Types(compiled[0], path="code.btf")
    weight, second, _, run = (read.offset(path) or 0 for path in FIELDS)
    assert read.at("rq", weight) == read.at("rq", weight + 7) == "idle.load.weight"
    assert read.at("rq", weight + 8) == "idle.load.inverse"
    assert read.at("rq", second) in {"idle.second", "idle.bytes[]"}  # of a union, either
    assert read.at("entity", run) == read.at("entity", run + 15) == "run[]"
    assert read.at("entity", run + 16) == read.at("entity", run + 32) == "of_each[].weight"
    assert read.at("entity", run + 24) == "of_each[].inverse"
    assert read.at("nothing", 0) == ""
    size = read.size("rq")
    assert size is not None
    assert size > run
    assert read.size("nothing") is None


def test_pointers_to_structures_are_found_at_any_depth(compiled: tuple[bytes, list[int]]) -> None:
    read = types.Types(compiled[0], path="code.btf")
    parent = read.offset("entity.parent")
    assert read.pointers("entity") == {parent: "entity"}
    assert parent is not None
    assert read.pointers("rq") == {(read.offset("rq.idle") or 0) + parent: "entity"}
    assert read.pointers("nothing") == {}


def test_what_is_damaged_is_refused(compiled: tuple[bytes, list[int]], tmp_path: Path) -> None:
    data, _ = compiled
    target = tmp_path / types.FILE
    types.write(data, target)
    assert types.read(target.read_bytes(), path="t").offset(FIELDS[0]) is not None
    for damaged in (b"", data[:-7], b"\0" + data[1:], data[:12] + b"\xff" * 12):
        with pytest.raises(ParseError, match="no types of a kernel"):
            types.read(gzip.compress(damaged), path="t")
    with pytest.raises(ParseError, match="no types of a kernel"):
        types.read(b"text", path="t")


def test_the_scheduler_s_own_command_compiles_the_types() -> None:
    saved = (
        "savedcmd_kernel/sched/fair.o := ccache gcc -Wp,-MMD,kernel/sched/.fair.o.d -I/s"
        " -DKBUILD_MODFILE='\"kernel/sched/fair\"' -c -o kernel/sched/fair.o /s/fair.c"
        "   ; ./tools/objtool/objtool --orc kernel/sched/fair.o\n\nsource_kernel/sched/fair.o := x"
    )
    assert types.command(saved, "in.c", "out.o") == [
        "ccache", "gcc", "-I/s", '-DKBUILD_MODFILE="kernel/sched/fair"', "-gbtf", "-w", "-c", "-o",
        "out.o", "in.c",
    ]  # fmt: skip
    assert types.command("cmd_mm/slab.o := gcc -c -o mm/slab.o slab.c", "in.c", "out.o") is None
    included = ["#include <linux/mm.h>", ' # include "sched.h"']
    text = "int x;\n" + "\n".join(included) + "\nint y;\n"
    assert types.source(text).splitlines()[:2] == included


def test_a_kernel_without_what_must_be_there_is_refused(
    compiled: tuple[bytes, list[int]],
) -> None:
    known = types.Types(compiled[0], path="t")
    names = (
        "__switch_to_asm", "enqueue_task_fair", "dequeue_task_fair", "check_preempt_wakeup_fair",
        "resched_curr",
    )  # fmt: skip
    functions = [
        Function(address=0xFFFFFFFF81000000 + 16 * i, name=name, source=None)
        for i, name in enumerate(names)
    ]
    with pytest.raises(UsageError, match=r"no field task_struct\.thread_info\.cpu"):
        places.words(symbols.of(functions), known)
    with pytest.raises(UsageError, match="no function resched_curr"):
        places.words(symbols.of(functions[:-1]), known)
