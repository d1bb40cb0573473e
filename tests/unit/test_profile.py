# SPDX-License-Identifier: GPL-2.0-only
"""Profiles: what the emulator's counts become, and what two kernels' differ in."""

from __future__ import annotations

import gzip
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from vlag.cli.profile import knobs_of
from vlag.errors import ParseError, UsageError
from vlag.kernel import symbols
from vlag.kernel.symbols import Function
from vlag.lava import console, marker
from vlag.profile import counts, profile_difference, profile_text
from vlag.profile.counts import Executed, Profile
from vlag.profile.profile_difference import Difference
from vlag.profile.profiled_boots import Boot
from vlag.profile.sent import fnv

PICK, TICK, IDLE = 0xFFFFFFFF81000100, 0xFFFFFFFF81000200, 0xFFFFFFFF81000300
TABLE = symbols.of(
    [
        Function(address=TICK, name="sched_tick", source="kernel/sched/core"),
        Function(address=PICK, name="pick_task", source="kernel/sched/fair"),
        Function(address=IDLE, name="memcpy", source=None),
    ]
)
BODY = f"0:3:10,20 {PICK:x}:5:4,6 {PICK + 16:x}:2:4,5", f"{TICK + 8:x}:7:0,1"


def sent(body: tuple[str, ...] = BODY, blocks: int = 4) -> bytes:
    """Return a profile as its emulator would have sent it."""
    hashed = fnv("".join(f"{line}\n" for line in body).encode())
    return "\n".join(["1 2", *body, f"{blocks} {hashed:016x}", ""]).encode()


def boot(seed: int = 1, operations: int = 10, /, **functions: tuple[int, int]) -> Boot:
    """Return a boot with these calls and instructions by function."""
    return Boot(
        seed=seed,
        operations=operations,
        profile=Profile(
            functions={
                name: Executed(
                    source="kernel/sched/fair",
                    calls=np.array([calls]),
                    instructions=np.array([instructions]),
                )
                for name, (calls, instructions) in functions.items()
            },
            user=np.array([7 * operations]),
        ),
        names=frozenset(functions),
    )


def test_the_hash_is_fnv_1a() -> None:
    # The value of "a" is given in the draft that describes FNV.
    assert fnv(b"a") == 0xAF63DC4C8601EC8C


def test_blocks_are_added_up_by_function_and_cpu() -> None:
    found = counts.by_function(counts.read(sent(), path="p"), TABLE, path="p")
    assert found.user.tolist() == [30, 60]
    pick, tick = found.functions["pick_task"], found.functions["sched_tick"]
    assert (pick.calls.tolist(), pick.instructions.tolist()) == ([4, 6], [28, 40])
    # A block behind the first instruction is no call.
    assert (tick.calls.tolist(), tick.instructions.tolist()) == ([0, 0], [0, 7])
    assert found.kernel == 28 + 40 + 7
    assert pick.source == "kernel/sched/fair"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (sent().replace(b":5:4,6", b":5:4,7"), "checksum"),
        (sent(blocks=5), "4 counts, where 5 were sent"),
        (sent().replace(b"1 2\n", b"9 2\n", 1), "version 9"),
        (sent((f"{PICK:x}:5:4",), 1), "of 2 CPUs"),
        (sent((f"{PICK:x}:5:x,1",), 1), "must stand"),
        (b"", "cut off"),
        (b"1 2\n", "cut off"),
        (sent()[:-30], "cut off"),
        (b"1 2\n" + b"\xff" * 40 + b"\n1 " + b"0" * 16 + b"\n", "checksum"),
    ],
)
def test_damaged_counts_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(ParseError, match=words):
        counts.read(data, path="p")


def test_code_below_all_functions_is_of_another_kernel() -> None:
    blocks = counts.read(sent((f"{PICK - 64:x}:5:1,1",), 1), path="p")
    with pytest.raises(ParseError, match="no function of this kernel"):
        counts.by_function(blocks, TABLE, path="p")


def test_the_console_keeps_a_profile_as_a_file() -> None:
    lines = sent().decode().splitlines()
    said = [
        "@vlag:start",
        f"[  1.0] half a line @vlag:profile begin {lines[0]}",
        *(f"@vlag:counts {line}" for line in lines[1:-1]),
        f"@vlag:profile end {lines[-1]}",
        "@vlag:status 0",
    ]
    heard = console.read(said)
    assert (heard.files, heard.damaged) == ({"profile.txt": sent()}, ())
    assert heard.status == 0
    assert "ends in the middle of profile.txt" in console.read(said[:-2]).damaged[0]
    assert "no profile.txt began" in console.read(said[2:]).damaged[0]


def test_the_functions_of_a_build_survive_their_file(tmp_path: Path) -> None:
    """Two real objects with one static function each of the same name."""
    for name, extra in (("kernel/sched/fair", "pick"), ("mm/slab", "grow")):
        source = tmp_path / f"{name}.c"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(
            "__attribute__((noinline)) static int same(int x) { return x + 1; }\n"
            f"int {extra}(int x) {{ return same(x) * 2; }}\n"
        )
        subprocess.run(["gcc", "-c", source, "-o", source.with_suffix(".o")], check=True)
    (tmp_path / "System.map").write_text(
        "ffffffff81000000 T pick\nffffffff81000000 t pick.alias\nffffffff81000040 t same\n"
        "ffffffff81000080 T grow\nffffffff81000090 D data\nffffffff810000a0 t asm_entry\n"
    )

    def names(paths: Sequence[str]) -> str:
        words = ["nm", "-A", "--defined-only", *paths]
        return subprocess.run(
            words, cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    symbols.write((tmp_path / "System.map").read_text(), tmp_path, names, tmp_path / symbols.FILE)
    packed = (tmp_path / symbols.FILE).read_bytes()
    table = symbols.read(packed, path="s")
    assert [(f.name, f.source) for f in table.functions] == [
        ("pick", "kernel/sched/fair"), ("same", None), ("grow", "mm/slab"), ("asm_entry", None),
    ]  # fmt: skip
    assert table.at(0xFFFFFFFF8100003F) == table.functions[0]
    assert table.at(0x1000) is None
    for damaged in (packed[:-9], b"text", gzip.compress(b"ffffffff81000000 T\n")):
        with pytest.raises(ParseError):
            symbols.read(damaged, path="s")


def test_the_marks_are_programs_that_end_well(tmp_path: Path) -> None:
    for which in (marker.BEGIN, marker.END):
        program = tmp_path / f"mark{which}"
        program.write_bytes(marker.program(which))
        program.chmod(0o755)
        assert subprocess.run([program], check=False).returncode == 0
    # Negative control: a program cut off does not.
    program.write_bytes(marker.program(marker.END)[:-4])
    with pytest.raises((OSError, subprocess.CalledProcessError)):
        subprocess.run([program], check=True)


def compared(base: list[Boot], new: list[Boot]) -> Difference:
    return profile_difference.compare(base, new, "switch")


def test_the_changes_of_all_functions_are_the_whole_change() -> None:
    base = [boot(1, pick=(10, 850), tick=(1, 30)), boot(2, 20, pick=(20, 1701), gone=(4, 100))]
    new = [boot(1, pick=(10, 1230), tick=(1, 30)), boot(2, 20, pick=(20, 2461), came=(2, 40))]
    found = compared(base, new)
    assert sum(f.change for f in found.functions) == pytest.approx(found.change)
    assert found.kernel == pytest.approx((89.025, 125.525))
    by_name = {f.name: f for f in found.functions}
    assert found.functions[0] is by_name["pick"]
    assert by_name["gone"].new is None
    assert by_name["came"].base is None
    # Executed in one boot of two: no more than one boot says.
    assert [f.name for f in found.functions if f.certain] == ["pick"]
    assert profile_text.sentence(found) == (
        "+41.00 % = +36.5 instructions a switch:"
        " +38.0 in pick (called as often, 85.0 -> 123.0 each)."
    )


def test_boots_that_differ_among_themselves_name_no_function() -> None:
    """Negative control: the same means, a spread as large as the change."""
    base = [boot(1, pick=(10, 850)), boot(2, pick=(10, 1200))]
    new = [boot(1, pick=(10, 1230)), boot(2, pick=(10, 1580))]
    found = compared(base, new)
    assert not found.functions[0].certain
    assert "no function differs by more than boots of one kernel do" in profile_text.sentence(found)
    assert "? boots of one kernel may differ by as much" in profile_text.render(found)
    # One boot a side has no spread, and proves nothing.
    assert not compared(base[:1], new[:1]).functions[0].certain


def test_a_call_that_became_longer_is_told_where_the_calls_scatter() -> None:
    base = [boot(1, pick=(10, 400)), boot(2, pick=(14, 561)), boot(3, pick=(9, 360))]
    new = [boot(1, pick=(12, 1441)), boot(2, pick=(9, 1080)), boot(3, pick=(14, 1680))]
    assert compared(base, new).functions[0].certain


def test_equal_kernels_are_rarely_told_to_differ() -> None:
    """Three hundred functions with noise, in 60 comparisons of three boots with three."""
    noise = np.random.default_rng(1)

    def side() -> list[Boot]:
        drawn = noise.normal(1000, 30, size=(3, 300)).round().astype(int)
        return [boot(i, **{f"f{k}": (9, int(v)) for k, v in enumerate(row)}) for i, row in
                enumerate(drawn)]  # fmt: skip

    told = sum(any(f.certain for f in compared(side(), side()).functions) for _ in range(60))
    assert told <= 9  # 3 are due; ten or more have a chance of one in a thousand


def test_equal_profiles_say_so() -> None:
    same = [boot(1, pick=(10, 850))]
    found = compared(same, same)
    assert found.same
    assert "as often and as long" in profile_text.render(found)
    assert not compared(same, [boot(1, pick=(10, 851))]).same


def test_a_function_called_more_often_is_told_from_a_longer_one() -> None:
    base, new = (10, 850), (20, 1700)
    found = compared([boot(1, pick=base), boot(2, pick=base)], [boot(1, pick=new)])
    assert "+85.0 in pick (called +100.0 %, 85.0 -> 85.0 each)" in profile_text.sentence(found)


def test_the_text_fits_80_columns() -> None:
    long = {f"a_function_with_a_very_long_name_{i}": (i, 12345678) for i in range(30)}
    shown = profile_text.render(compared([boot(1, **long)], [boot(1, pick=(1, 9))]), rows=10)
    assert max(map(len, shown.splitlines())) <= 80
    assert "21 other functions" in shown


def test_a_boot_without_operations_is_refused() -> None:
    with pytest.raises(UsageError, match="did no switch in the new kernel's boot with seed 4"):
        compared([boot()], [boot(4, 0)])
    with pytest.raises(UsageError, match="base kernel has no profiled boot"):
        compared([], [boot()])


def test_each_side_has_its_own_knobs() -> None:
    from_both = knobs_of(("preempt=full",), (), ("sched_features=NO_DELAY_DEQUEUE",))
    assert from_both == (
        {"preempt": "full"},
        {"preempt": "full", "sched_features": "NO_DELAY_DEQUEUE"},
    )
    with pytest.raises(UsageError, match="--new-knob preempt=none: --knob sets preempt for both"):
        knobs_of(("preempt=full",), (), ("preempt=none",))
    with pytest.raises(UsageError, match="--base-knob 'preempt': write NAME=VALUE"):
        knobs_of((), ("preempt",), ())
