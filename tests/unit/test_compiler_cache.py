# SPDX-License-Identifier: GPL-2.0-only
"""The compiler's cache gives what the compiler would, also where a file takes another in."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pytest
from attrs import evolve

from tests import sandboxes
from tests.unit import kernel_trees
from vlag.kernel.tuxmake import CACHED, COMPILE, _mode
from vlag.kernel.tuxmake_build import Recipe, build

#: As the kernel's own: the compressed kernel goes into the image by `.incbin`.
PIGGY = '.section ".rodata"\n.incbin "payload"\n'


#: A makefile that names its source by the whole path, as the kernel's do.
WHOLE_PATHS = kernel_trees.MAKEFILE.replace(" one.c\n", " $(CURDIR)/one.c\n")

#: The same in C, as kernel/configs.c has it.
CONFIGS = 'asm(".section .rodata\\n.incbin \\"payload\\"\\n");\n'


def made(
    folder: Path,
    payload: bytes,
    *,
    source: str = PIGGY,
    name: str = "piggy.S",
    compiler: Sequence[str | Path] = (COMPILE, "gcc"),
    how: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    """Return an object, made through the cache as the kernel's makefiles do."""
    (folder / "payload").write_bytes(payload)
    (folder / name).write_text(source)
    settings = {k: v for k, v in {**CACHED, **how}.items() if v}
    kept = {k: v for k, v in os.environ.items() if not k.startswith("CCACHE_")}
    subprocess.run(
        [*compiler, "-Wp,-MMD,piggy.d", "-c", "-o", "piggy.o", name],
        cwd=folder, check=True, env={**kept, "CCACHE_DIR": str(folder / "cache"), **settings},
    )  # fmt: skip
    return (folder / "piggy.o").read_bytes()


def counted(folder: Path, name: str) -> int:
    """Return a number of the cache's statistics."""
    said = subprocess.run(
        ["ccache", "--print-stats"], capture_output=True, text=True, check=True,
        env={**os.environ, "CCACHE_DIR": str(folder / "cache"), **CACHED},
    ).stdout  # fmt: skip
    return {line.split("\t")[0]: int(line.split("\t")[1]) for line in said.splitlines()}[name]


@pytest.mark.parametrize(("name", "source"), [("piggy.S", PIGGY), ("configs.c", CONFIGS)])
def test_another_payload_of_the_same_size_is_another_object(
    tmp_path: Path, name: str, source: str
) -> None:
    assert b"one" in made(tmp_path, b"one", name=name, source=source)
    assert b"two" in made(tmp_path, b"two", name=name, source=source)


@pytest.mark.parametrize(("name", "source"), [("piggy.S", PIGGY), ("configs.c", CONFIGS)])
def test_the_mode_that_would_not_see_it(tmp_path: Path, name: str, source: str) -> None:
    """Negative control: in depend mode the first kernel comes back."""
    real, how = ("ccache", "gcc"), {"CCACHE_NODEPEND": "", "CCACHE_DEPEND": "1"}
    made(tmp_path, b"one", name=name, source=source, compiler=real, how=how)
    assert b"one" in made(tmp_path, b"two", name=name, source=source, compiler=real, how=how)


def test_a_header_that_takes_a_file_in_is_seen_where_no_file_is_safe(tmp_path: Path) -> None:
    def twice(folder: Path, how: Mapping[str, str]) -> bytes:
        folder.mkdir()
        (folder / "take.h").write_text(CONFIGS)
        for payload in (b"one", b"two"):
            source = '#include "take.h"\n'
            found = made(folder, payload, name="plain.c", source=source, how=how)
        return found

    assert b"one" in twice(tmp_path / "unseen", {}), "what the check of the headers is for"
    assert b"two" in twice(tmp_path / "seen", {"VLAG_COMPILE_PLAIN": "1"})


@pytest.mark.parametrize(("plain", "preprocessed"), [("", 0), ("1", 1)])
def test_a_c_file_is_not_preprocessed_for_the_cache(
    tmp_path: Path, plain: str, preprocessed: int
) -> None:
    for _ in range(2):
        how = {"VLAG_COMPILE_PLAIN": plain}
        made(tmp_path, b"", name="one.c", source="int one;\n", how=how)
    assert counted(tmp_path, "direct_cache_hit") == 1
    assert counted(tmp_path, "preprocessed_cache_miss") == preprocessed


@pytest.mark.parametrize("tracked", [True, False])
@pytest.mark.parametrize(("text", "safe"), [("int x;", True), ('asm(".incbin")', False)])
def test_the_headers_of_a_tree_decide(tmp_path: Path, text: str, safe: bool, tracked: bool) -> None:
    assert _mode(tmp_path) != {}, "no repository: nothing is known of its headers"
    (tmp_path / "take.h").write_text(f"{text}\n")
    (tmp_path / ".gitignore").write_text("*.h\n")
    for words in (("init", "--quiet"), *([("add", "--force", "take.h")] if tracked else [])):
        subprocess.run(["git", "-C", tmp_path, *words], check=True)
    assert (_mode(tmp_path) == {}) is safe


#: As kernels see their configuration: each file takes all of it in, and few need what differs.
CONFIG_OF = '#include "autoconf.h"\n'
NEEDS_NONE = f"{CONFIG_OF}int same(void) {{ return 1; }}\n"
NEEDS_IT = f"{CONFIG_OF}#ifdef CONFIG_NET\nint net(void) {{ return 2; }}\n#endif\nint one;\n"


@pytest.mark.parametrize(("plain", "hits"), [("1", 1), ("", 0)])
def test_kernels_of_two_configurations_share_what_does_not_differ_without_depend_mode(
    tmp_path: Path, plain: str, hits: int
) -> None:
    how = {"VLAG_COMPILE_PLAIN": plain}
    for defined in ("", "#define CONFIG_NET 1\n"):
        (tmp_path / "autoconf.h").write_text(defined)
        of = made(tmp_path, b"", name="none.c", source=NEEDS_NONE, how=how)
    assert counted(tmp_path, "preprocessed_cache_hit") == hits
    plainly = made(tmp_path, b"", name="none.c", source=NEEDS_NONE, compiler=("gcc",))
    assert of == plainly


@pytest.mark.parametrize("plain", ["1", ""])
def test_kernels_of_two_configurations_share_nothing_that_differs(
    tmp_path: Path, plain: str
) -> None:
    how = {"VLAG_COMPILE_PLAIN": plain}
    objects = []
    for defined in ("", "#define CONFIG_NET 1\n"):
        (tmp_path / "autoconf.h").write_text(defined)
        objects.append(made(tmp_path, b"", name="it.c", source=NEEDS_IT, how=how))
        # The very bytes that the compiler gives without a cache.
        without = made(tmp_path, b"", name="it.c", source=NEEDS_IT, compiler=("gcc",))
        assert objects[-1] == without
    assert objects[0] != objects[1]
    assert counted(tmp_path, "preprocessed_cache_hit") == 0


def test_kernels_of_one_configuration_share_all(tmp_path: Path) -> None:
    (tmp_path / "autoconf.h").write_text("#define CONFIG_NET 1\n")
    objects = [made(tmp_path, b"", name="it.c", source=NEEDS_IT) for _ in range(2)]
    assert objects[0] == objects[1]
    assert counted(tmp_path, "direct_cache_hit") == 1


@pytest.mark.parametrize(("second", "hits"), [("two", 0), ("one", 1)])
def test_work_trees_of_two_hosts_share_nothing_of_one_cache(
    tmp_path: Path, second: str, hits: int
) -> None:
    """As docs/decisions/0003-compiler-cache.md has it; the control is one work tree twice."""
    for host in ("one", second):
        tree = tmp_path / host
        tree.mkdir(exist_ok=True)
        (tree / "it.c").write_text("int it;\n")
        made(tmp_path, b"", name=str(tree / "it.c"), source="int it;\n")
    assert counted(tmp_path, "direct_cache_hit") == hits


@pytest.mark.parametrize(("place", "hits"), [("src", 1), (None, 0)])
def test_hosts_share_objects_where_the_sandbox_shows_one_path(
    tmp_path: Path, place: str | None, hits: int
) -> None:
    """Each builds in a work tree of its own; the control is what they do without that."""
    images = []
    tools = sandboxes.tools(tmp_path / "cache")
    for host in ("src@one", "src@two"):
        source = kernel_trees.write(tmp_path / host, WHOLE_PATHS)
        document = build(
            kernel=kernel_trees.arch_alone("x86_64"), source=source,
            bundle=tmp_path / "builds" / host, recipe=Recipe(kconfig_target="allnoconfig"),
            tools=evolve(tools, place=None if place is None else tmp_path / place), reproduce="",
        )  # fmt: skip
        assert document["outcome"] == "complete", document["reason"]
        images.append(document["image"])
    assert counted(tmp_path, "direct_cache_hit") == hits
    assert images[0] == images[1]
