# SPDX-License-Identifier: GPL-2.0-only
"""Programs that no Debian package has: from a pinned commit to where userlands find them."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner

from tests import sandboxes
from tests.unit.userland_roots import root
from vlag import ROOT, config
from vlag.cli.main import main
from vlag.config import catalogue as catalogues
from vlag.errors import InfrastructureError, UsageError
from vlag.lava import initramfs
from vlag.pipeline import boot, programs

pytestmark = pytest.mark.slow

SHIPPED = config.load(ROOT / "vlag.toml")
#: Of every recipe's root.
PACKAGES = ("libc6-dev", "linux-libc-dev", "zstd")
URL = "https://source.example/hello"
BUILD = "$CC $CFLAGS -nostdlib $LDFLAGS hello.c -o built/hello\n"


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@b.example")
    return subprocess.run(
        ["git", "-C", folder, *who, *words], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    """A state whose root of headers and libraries is there: nothing is fetched."""
    state = tmp_path / "state"
    root(state / "userland", *PACKAGES)
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)  # the sandbox's user reads below it
    return evolve(SHIPPED, state=state, sandbox=sandboxes.rules())


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> programs.Recipe:
    """A recipe whose address is reached by git's own setting of a mirror alone."""
    source = tmp_path / "mirror"
    source.mkdir()
    git(source, "init", "--quiet")
    (source / "hello.c").write_text("void _start(void) {}\n")
    (source / "built").mkdir()
    (source / "built" / "kept").touch()
    git(source, "add", ".")
    git(source, "commit", "--quiet", "--message=hello")
    commit = git(source, "rev-parse", "HEAD")
    # What came later is not built.
    (source / "hello.c").write_text("#error\n")
    git(source, "commit", "--quiet", "--all", "--message=broken")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{source}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", URL)
    folder = tmp_path / "recipes" / "hello"
    folder.mkdir(parents=True)
    (folder / "build.sh").write_text(BUILD)
    (folder / "recipe.toml").write_text(
        f'summary = "s"\nurl = "{URL}"\ncommit = "{commit}"\nlicence = "MIT"\npackages = []\n'
        '[tools]\n[programs]\nhello = "built/hello"\n'
    )
    return programs.recipes(folder.parent)["hello"]


def test_a_pinned_commit_becomes_a_program_of_the_boards(
    recipe: programs.Recipe, settings: config.Settings
) -> None:
    assert programs.absent(recipe, settings, "x86_64") == ["hello"]
    [made] = programs.build(recipe, settings, "x86_64")
    assert made == settings.programs / "x86_64" / "hello"
    assert programs.absent(recipe, settings, "x86_64") == []
    assert initramfs.static_programs(made.parent, ["hello"]) == [made]
    assert programs.absent(recipe, settings, "arm64") == ["hello"]


def test_its_version_is_the_commit_until_somebody_puts_another_there(
    recipe: programs.Recipe, settings: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark = evolve(
        catalogues.of(settings).benchmark("will-it-scale-pipe"), argv={"main": ("hello",)}
    )
    monkeypatch.setattr(programs, "recipes", lambda: {recipe.name: recipe})
    assert programs.versions(benchmark, settings, "x86_64") == {}
    [made] = programs.build(recipe, settings, "x86_64")
    assert programs.versions(benchmark, settings, "x86_64") == {"hello": str(recipe.commit)[:12]}
    made.write_bytes(made.read_bytes() + b"\0")
    assert programs.versions(benchmark, settings, "x86_64") == {}


def test_a_source_of_a_package_has_its_version(
    recipe: programs.Recipe, settings: config.Settings, tmp_path: Path
) -> None:
    packed = root(settings.state / "userland", *PACKAGES, "hello-source")
    (tmp_path / "hello-1.2").mkdir()
    (tmp_path / "hello-1.2" / "hello.c").write_text("void _start(void) {}\n")
    (packed / "usr/src").mkdir()
    subprocess.run(
        ["tar", "-C", tmp_path, "-cf", packed / "usr/src/hello.tar", "hello-1.2"], check=True
    )
    said = packed / "usr/share/doc/hello-source/changelog.Debian.gz"
    said.parent.mkdir(parents=True)
    said.write_bytes(gzip.compress(b"hello-source (1.2-3) unstable; urgency=low\n"))
    (recipe.folder / "build.sh").write_text('mkdir built\ntest -d "$ROOT/usr/src"\n' + BUILD)
    of_package = evolve(
        recipe, url=None, commit=None, source="/usr/src/hello.tar", packages=("hello-source",)
    )
    [made] = programs.build(of_package, settings, "x86_64")
    record = json.loads((made.parent / "hello.json").read_text())
    assert (record["version"], record["source"]) == ("1.2-3", "/usr/src/hello.tar")
    assert of_package.origin == "/usr/src/hello.tar of Debian's hello-source"
    # Negative control: a package without the archive.
    with pytest.raises(InfrastructureError, match=r"other\.tar of .* could not be unpacked"):
        programs.build(evolve(of_package, source="/usr/src/other.tar"), settings, "x86_64")


def test_what_was_fetched_builds_again_without_the_source(
    recipe: programs.Recipe, settings: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs.build(recipe, settings, "x86_64")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "0")
    assert programs.build(recipe, settings, "x86_64")
    with pytest.raises(InfrastructureError, match=r"cannot be fetched: .*names a mirror of it"):
        programs.build(evolve(recipe, commit="0" * 40), settings, "x86_64")


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo begun\nfalse\n", "hello does not build: begun"),
        (":\n", "hello: its build made no built/hello"),
        ("ln -s kept built/hello\n", "hello: its build made no built/hello"),
        (BUILD.replace("$LDFLAGS", "-pie"), "not a static program; link it with -static"),
    ],
)
def test_a_failed_build_puts_nothing_there(
    recipe: programs.Recipe, settings: config.Settings, script: str, why: str
) -> None:
    (recipe.folder / "build.sh").write_text(script)
    with pytest.raises((InfrastructureError, UsageError), match=why):
        programs.build(recipe, settings, "x86_64")
    assert programs.absent(recipe, settings, "x86_64") == ["hello"]


def test_a_missing_tool_is_named_by_its_package(
    recipe: programs.Recipe, settings: config.Settings
) -> None:
    needy = evolve(recipe, tools={"no-such-tool": "some-package"})
    with pytest.raises(UsageError, match="lacks what builds it; install some-package"):
        programs.build(needy, settings, "x86_64")
    with pytest.raises(UsageError, match="no userland for boards of arch riscv"):
        programs.build(recipe, settings, "riscv")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('licence = "MIT"\n', "", "missing or unknown: licence; a recipe has all of its keys"),
        ('summary = "s"', 'sumary = "s"', "missing or unknown: sumary, summary;"),
        ('commit = "', 'commit = "v', "is no whole commit id, which pins it"),
        ('url = "', 'source = "/usr/src/a.tar"\nurl = "', "missing or unknown: commit, url;"),
        ("[tools]", "[tools", "recipe.toml: "),
    ],
)
def test_a_wrong_recipe_is_named(recipe: programs.Recipe, old: str, new: str, why: str) -> None:
    path = recipe.folder / "recipe.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(UsageError, match=why):
        programs.recipes(recipe.folder.parent)


def test_each_recipe_is_of_benchmarks_and_the_other_way_round() -> None:
    known = programs.recipes()
    made = {name for recipe in known.values() for name in recipe.programs}
    assert len(made) == sum(len(recipe.programs) for recipe in known.values())
    of_recipes = catalogues.load().benchmarks
    wanted = {n for b in catalogues.load().benchmarks.values() if b.brought for n in b.programs}
    assert made <= wanted
    for recipe in known.values():
        assert (recipe.folder / "build.sh").is_file()
        assert recipe.licence
        # Its version stands under the tool's name.
        tools = {b.tool for b in of_recipes.values() if b.brought in recipe.programs}
        assert tools == {recipe.name}


def test_a_boot_without_the_program_says_what_builds_it(settings: config.Settings) -> None:
    benchmark = catalogues.of(settings).benchmark("will-it-scale-pipe")
    with pytest.raises(UsageError) as refused:
        boot.prepare_userland(settings, benchmark, "arm64")
    assert str(refused.value) == (
        "will-it-scale-pipe needs the program pipe1_processes, which no Debian package has:"
        " `vlag programs will-it-scale --arch arm64` builds it"
    )


def test_the_command_lists_recipes_and_their_licences() -> None:
    document = json.loads(CliRunner().invoke(main, ["programs", "--format", "json"]).stdout)
    [row] = [r for r in document["programs"] if r["name"] == "will-it-scale"]
    assert row["licence"] == "GPL-2.0-or-later AND GPL-3.0-only"
    assert len(row["commit"]) == 40
    text = CliRunner().invoke(main, ["programs"]).stdout
    assert f"{row['url']} at {row['commit'][:12]}, {row['licence']}" in text
    unknown = CliRunner().invoke(main, ["programs", "dbench"])
    assert unknown.exit_code == 2
    assert "no program 'dbench'; there are: " in unknown.output
