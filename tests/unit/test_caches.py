# SPDX-License-Identifier: GPL-2.0-only
"""What two kernels do to the model's caches: by function, by field, and as text."""

from __future__ import annotations

import base64
import shlex
import struct
import subprocess
import zlib
from collections.abc import Sequence

import pytest

from tests.decision_words import checked
from vlag.config import catalogue
from vlag.errors import ParseError, UsageError
from vlag.kernel import shared_objects, symbols, types
from vlag.kernel.symbols import Function
from vlag.model import Observation
from vlag.pipeline.boot import command_line
from vlag.profile import cache_boots, cache_counts, cache_difference, cache_text
from vlag.profile.cache_boots import Boot, cycles
from vlag.profile.cache_counts import Count

SHAPE = ["g0.8000.8", "g1.8000.8", "g2.100000.10", "g3.800000.10", "u9.2"]
TEXT = 0xFFFFFFFF81000000
QUEUE, TASK, DOMAIN = 0xFFFF888000001000, 0xFFFF888000002000, 0xFFFF888000003000
CODE = """
struct root_domain { long span; int overload; };
struct rq { int nr_running; struct root_domain *rd; } *vlag_rq;
struct task_struct { long state; struct rq *on; } *vlag_task;
struct page { long flags[8]; } *vlag_page;
"""


@pytest.fixture(scope="module")
def structures(tmp_path_factory: pytest.TempPathFactory) -> types.Types:
    folder = tmp_path_factory.mktemp("types")
    (folder / "code.c").write_text(CODE)
    for words in (
        "gcc -gbtf -c -o code.o code.c", "objcopy --dump-section .BTF=code.btf code.o /dev/null",
    ):  # fmt: skip
        subprocess.run(shlex.split(words), cwd=folder, check=True)
    return types.Types((folder / "code.btf").read_bytes(), path="code.btf")


@pytest.fixture
def functions() -> symbols.Symbols:
    named = [("pick", "kernel/sched/fair"), ("wake", "kernel/sched/core"), ("copy", "lib/copy")]
    return symbols.of(
        Function(address=TEXT + 64 * n, name=name, source=source)
        for n, (name, source) in enumerate(named)
    )


def carried(words: Sequence[str], version: int = 1) -> bytes:
    text = "".join(f"{word}\0" for word in words)
    return checked(base64.b64encode(zlib.compress(text.encode())).decode(), version)


def code(address: int, **counts: int) -> str:
    values = [counts.get(count.name, 0) for count in Count]
    return f"f{address:x}.{'.'.join(f'{v:x}' for v in values)}"


def held(kind: str, address: int, *longs: int) -> str:
    return f"{kind}{address:x}.{struct.pack(f'<{len(longs)}Q', *longs).hex()}"


@pytest.fixture
def boots(functions: symbols.Symbols, structures: types.Types) -> tuple[list[Boot], list[Boot]]:
    """Three boots a side; in the new kernel `wake` takes the overload flag from another CPU."""

    def boot(seed: int, taken: int) -> Boot:
        words = [
            *SHAPE,
            code(0, INSTRUCTIONS=500),
            code(TEXT, INSTRUCTIONS=1000 + seed),
            code(TEXT + 64, INSTRUCTIONS=400, D1_MISSES=10 + taken, D2_MISSES=taken, TAKEN=taken),
            code(TEXT + 144, INSTRUCTIONS=300, I1_MISSES=2),
            held("q", QUEUE, 5, DOMAIN),
            held("t", TASK, 0, QUEUE),
            f"b{TEXT + 64:x}.{DOMAIN + 8:x}.{taken:x}.0",
            f"b{TEXT:x}.{QUEUE:x}.2.1",
            f"b{TEXT:x}.{TASK:x}.1.0",
        ]
        caches = cache_counts.read(carried(words), path="c")
        return cache_boots.boot(
            caches, functions, structures, seed=seed, operations=100, path="c"
        )  # fmt: skip

    return [boot(n, 1) for n in (1, 2, 3)], [boot(n, 50) for n in (1, 2, 3)]


def test_counts_are_added_up_by_function_and_field(
    boots: tuple[list[Boot], list[Boot]],
) -> None:
    first = boots[1][0]
    assert first.functions["copy"][Count.I1_MISSES] == 2
    assert first.of_kernel(Count.INSTRUCTIONS) == 1701
    assert first.user[Count.INSTRUCTIONS] == 500
    assert {name: field.times for name, field in first.fields.items()} == {
        "root_domain.overload": 50, "rq.nr_running": 3, "task_struct.state": 1,
    }  # fmt: skip
    assert first.fields["root_domain.overload"].functions == {"wake": 50}
    assert cycles(first.functions["wake"]) == 400 + 60 * 12 + 50 * 30 + 50 * 60


def test_a_field_that_cpus_take_from_each_other_is_named(
    boots: tuple[list[Boot], list[Boot]],
) -> None:
    found = cache_difference.compare(*boots, "switch")
    assert found.functions[0].name == "wake"
    assert found.functions[0].certain
    assert found.functions[0].change == pytest.approx(49 * (12 + 30 + 60) / 100)
    assert [(f.name, f.base, f.new, f.certain, f.functions) for f in found.fields] == [
        ("root_domain.overload", 0.01, 0.5, True, ("wake",)),
        ("rq.nr_running", 0.03, 0.03, False, ("pick",)),
        ("task_struct.state", 0.01, 0.01, False, ("pick",)),
    ]
    text = cache_text.render(found)
    assert max(map(len, text.splitlines())) <= 80
    assert "root_domain.overload" in text
    assert "Signs are what to read" in " ".join(text.split())
    assert cache_text.data(found)["fields"][0]["name"] == "root_domain.overload"
    # Negative control: a kernel beside itself.
    same = cache_difference.compare(boots[0], boots[0], "switch")
    assert not any(x.certain or x.change for x in (*same.functions, *same.fields, *same.totals))
    assert "no function takes more or fewer" in cache_text.render(same)


def test_what_no_structure_has_is_told_by_its_area(
    functions: symbols.Symbols, structures: types.Types
) -> None:
    places = {
        0xFFFFEA0000000048: "page.flags[]", 0xFFFF888000009000: "other heap data",
        0xFFFFFFFF82000000: "static data", 0xFFFFC90000000008: "other vmalloc data",
    }  # fmt: skip
    words = [*SHAPE, *(f"b{TEXT:x}.{data:x}.1.0" for data in places)]
    caches = cache_counts.read(carried(words), path="c")
    read = cache_boots.boot(caches, functions, structures, seed=1, operations=1, path="c")
    assert set(read.fields) == set(places.values())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["f1.2"], "'f1.2' is no count of caches"),
        (["b1.2.3"], "'b1.2.3' is no count"),
        (["g9.1.1"], "'g9.1.1' is no count"),
        (["q1"], "'q1' is no count"),
        (["z1"], "'z1' is no count"),
    ],
)
def test_damaged_counts_are_refused(words: Sequence[str], said: str) -> None:
    with pytest.raises(ParseError, match=said):
        cache_counts.read(carried([*SHAPE, *words]), path="c")


def test_counts_of_another_version_or_without_their_caches_are_refused() -> None:
    with pytest.raises(ParseError, match="cache counts of version 7; known are 1"):
        cache_counts.read(carried(SHAPE, 7), path="c")
    with pytest.raises(ParseError, match="do not say which caches there are"):
        cache_counts.read(carried(SHAPE[1:]), path="c")
    assert cache_counts.read(carried(SHAPE), path="c").turns == 9


def test_code_of_another_kernel_is_refused(
    functions: symbols.Symbols, structures: types.Types
) -> None:
    caches = cache_counts.read(carried([*SHAPE, code(TEXT - 16, ACCESSES=1)]), path="c")
    with pytest.raises(UsageError, match="where this kernel has none"):
        cache_boots.boot(caches, functions, structures, seed=1, operations=1, path="c")


def test_the_command_line_says_where_to_look(structures: types.Types) -> None:
    names = ("__switch_to_asm", "enqueue_task_fair")
    there = symbols.of(
        Function(address=TEXT + 16 * n, name=name, source=None) for n, name in enumerate(names)
    )
    words = shared_objects.words(there, structures)
    assert words == ":1000000:1000010:10:10"
    kind = catalogue.load().board_types["qemu-sim-2"]
    line = command_line(kind, {}, Observation.CACHES, places=words).split()
    assert line[-1] == f"vlag.caches=1{words}"
    assert "vlag.caches" not in command_line(kind, {}, None)
    with pytest.raises(UsageError, match="no function enqueue_task_fair"):
        shared_objects.words(symbols.of(there.functions[:1]), structures)
