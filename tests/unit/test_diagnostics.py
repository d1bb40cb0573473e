# SPDX-License-Identifier: GPL-2.0-only
"""What compilers, linkers and make say, read from their real output."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from vlag.kernel import diagnostics
from vlag.kernel.diagnostics import ERROR, MOST, WARNING, Finding, Reader

BROKEN = """static int idle(void) { return 1; }
int f(void) { int unused; return gone; }
#warning look
"""


def read(text: str, source: Path = Path("/src")) -> list[Finding]:
    reader = Reader(source)
    for line in text.splitlines(keepends=True):
        reader.line(line)
    return reader.findings()


def said(*command: str, folder: Path, language: str = "C.UTF-8") -> str:
    """Return what a command prints."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False,
        env={"PATH": "/usr/bin:/bin", "LANG": language},
    )  # fmt: skip
    return done.stderr + done.stdout


@pytest.mark.parametrize("language", ["C", "C.UTF-8"])
def test_gcc_is_read_in_any_locale(tmp_path: Path, language: str) -> None:
    path = tmp_path / "kernel" / "sched" / "core.c"
    path.parent.mkdir(parents=True)
    path.write_text(BROKEN)
    printed = said("gcc", "-Wall", "-c", str(path), folder=tmp_path, language=language)
    found = {(f.kind, f.file, f.line, f.message) for f in read(printed, tmp_path)}
    where = "kernel/sched/core.c"
    assert found == {
        (ERROR, where, 2, "'gone' undeclared (first use in this function)"),
        (WARNING, where, 2, "unused variable 'unused' [-Wunused-variable]"),
        (WARNING, where, 1, "'idle' defined but not used [-Wunused-function]"),
        (WARNING, where, 3, "#warning look [-Wcpp]"),
        (WARNING, where, 2, "control reaches end of non-void function [-Wreturn-type]"),
    }


def test_a_linker_and_make_are_read(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text("int gone(void);\nint main(void) { return gone(); }\n")
    first, *_ = read(said("gcc", "main.c", folder=tmp_path))
    assert (first.kind, first.message) == (ERROR, "undefined reference to 'gone'")
    assert first.file.endswith(".c")
    (tmp_path / "Makefile").write_text("all: gone.o\n\ttrue\nfails:\n\tfalse\n")
    [missing] = read(said("make", folder=tmp_path))
    assert missing.message == "No rule to make target 'gone.o', needed by 'all'. Stop."
    # That a command failed says nothing which the command has not said.
    assert read(said("make", "fails", folder=tmp_path)) == []


#: Of clang 14 and ld.lld 14, of objtool and modpost, as a kernel build prints them.
OTHERS = """\
  CC      kernel/sched/fair.o
/src/kernel/sched/fair.c:12:6: error: use of undeclared identifier 'gone'
        if (gone)
            ^
/src/./include/linux/sched.h:9:1: warning: unused function 'idle' [-Wunused-function]
../kernel/sched/rt.c:7:10: fatal error: 'nix.h' file not found
1 warning and 1 error generated.
ld.lld: error: undefined symbol: gone
>>> referenced by core.c
vmlinux.o: warning: objtool: foo+0x1f: unreachable instruction
ERROR: modpost: "gone" [drivers/some.ko] undefined!
kernel/sched/Kconfig:3: syntax error
clang: error: unsupported option '-mnix'
*** Default configuration is based on 'x86_64_defconfig'
/src/Makefile:12: *** missing separator.  Stop.
.config:12:warning: override: reassigning to symbol SMP
kernel/sched/core.c:7: note: declared here
"""


def test_other_tools_are_read() -> None:
    assert [f.text for f in read(OTHERS)] == [
        "kernel/sched/fair.c:12: error: use of undeclared identifier 'gone'",
        "include/linux/sched.h:9: warning: unused function 'idle' [-Wunused-function]",
        "kernel/sched/rt.c:7: error: 'nix.h' file not found",
        "error: undefined symbol: gone",
        "vmlinux.o: warning: objtool: foo: unreachable instruction",
        'error: modpost: "gone" [drivers/some.ko] undefined!',
        "kernel/sched/Kconfig:3: error: syntax error",
        "error: unsupported option '-mnix'",
        "Makefile:12: error: missing separator. Stop.",
    ]


def warned(line: int, file: str = "kernel/sched/fair.c", message: str = "odd") -> str:
    return f"{file}:{line}:1: warning: {message}\n"


def test_lines_may_move_and_a_second_place_is_new() -> None:
    before = read(warned(10) * 3)  # a header that three files read
    assert [f.count for f in before] == [1]
    assert diagnostics.new(read(warned(40)), before) == []
    [more] = diagnostics.new(read(warned(40) + warned(50)), before)
    assert (more.count, more.line) == (2, 40)
    [other] = diagnostics.new(read(warned(10, message="odder")), before)
    assert other.message == "odder"
    [there] = diagnostics.new(read(warned(10, "kernel/sched/rt.c")), before)
    assert there.file == "kernel/sched/rt.c"


@pytest.mark.parametrize(
    ("file", "own"),
    [
        ("kernel/sched/fair.c", True),
        ("kernel/sched/ext/idle.c", True),
        ("include/linux/sched.h", True),
        ("include/linux/sched/signal.h", True),
        ("include/trace/events/sched.h", True),
        ("kernel/schedule.c", False),
        ("drivers/gpu/drm/scheduler/sched_main.c", False),
        ("", False),
    ],
)
def test_scheduler_code_is_what_git_would_match(file: str, own: bool) -> None:
    paths = ("kernel/sched/", "include/linux/sched*", "include/trace/events/sched.h")
    finding = Finding(kind=WARNING, file=file, line=1, message="odd")
    assert diagnostics.touching([finding], paths) == ([finding] if own else [])


def test_the_errors_of_scheduler_code_come_first() -> None:
    found = read("a.c:1:1: error: x\nb.c:1:1: warning: w\nkernel/sched/a.c:1:1: error: y\n")
    ordered = diagnostics.worst_first(found, ("kernel/sched/",))
    assert [f.message for f in ordered] == ["y", "x", "w"]


def test_what_a_tree_prints_is_one_line_that_prints() -> None:
    [found] = read("kernel/\x1bsched/a.c:1:1: error: \0 a\x1b[2J b\n")
    assert (found.file, found.message) == ("kernel/ sched/a.c", "a [2J b")


def test_what_is_kept_has_a_bound() -> None:
    reader = Reader(Path("/src"))
    for n in range(MOST + 7):
        reader.line(warned(n, message=f"{n} {'long' * 200}"))
    assert (len(reader.findings()), reader.left_out) == (MOST, 7)
    assert max(len(f.message) for f in reader.findings()) == diagnostics.LONGEST
