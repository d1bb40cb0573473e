# SPDX-License-Identifier: GPL-2.0-only
"""A wheel of vlag in a venv of its own, with no checkout: what reads files works there."""

from __future__ import annotations

import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import frozen

from tests.unit.compared_files import OTHER, SAME, answer, hackbench
from vlag import ROOT, __version__
from vlag.config import catalogue, checkout

pytestmark = pytest.mark.slow

SLOWER = tuple(1.4 * factor for factor in OTHER)


@frozen(kw_only=True)
class Installed:
    """The venv, and an empty folder to work in."""

    venv: Path
    home: Path
    folder: Path

    @property
    def package(self) -> Path:
        [found] = self.venv.glob("lib/python*/site-packages/vlag")
        return found

    def run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the venv in the folder, as somebody who has no checkout."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8"}
        return subprocess.run(
            [self.venv / "bin" / argv[0], *argv[1:]],
            cwd=self.folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def files(self) -> None:
        """Put five boots of two kernels into the folder."""
        for side, factors in (("base", SAME), ("new", SLOWER)):
            for number, factor in enumerate(factors):
                (self.folder / f"{side}-{number}.txt").write_bytes(hackbench(factor))


def uv(*argv: str | Path, cache: Path) -> None:
    subprocess.run(
        ["uv", "--quiet", "--offline", "--no-config", "--cache-dir", cache, *argv], check=True
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel of the checkout's files, built elsewhere: a build writes into its folder."""
    source = tmp_path_factory.mktemp("source")
    folders = ("vlag", "lava-jobs", "schemas", "workers", "ansible/inventory")
    for name in folders:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "COPYING"):
        shutil.copy(ROOT / name, source)
    made = tmp_path_factory.mktemp("wheel")
    cache = tmp_path_factory.mktemp("cache")
    uv("build", "--no-build-isolation", "--wheel", "--out-dir", made, source, cache=cache)
    [found] = made.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Return a venv with the wheel, and with this one's packages, but not with this checkout."""
    top = tmp_path_factory.mktemp("installed")
    venv = top / "venv"
    cache = top / "cache"
    uv("venv", "--python", sys.executable, venv, cache=cache)
    uv("pip", "install", "--no-deps", "--python", venv / "bin" / "python", wheel, cache=cache)
    [packages] = venv.glob("lib/python*/site-packages")
    # A folder on the path, whose own .pth files, as that of this checkout, nobody reads.
    (packages / "here.pth").write_text(sysconfig.get_path("purelib") + "\n")
    made = Installed(venv=venv, home=top / "home", folder=top / "folder")
    made.home.mkdir()
    made.folder.mkdir()
    return made


@pytest.fixture(autouse=True)
def _empty(installed: Installed) -> Iterator[None]:
    """Hold that nothing is written but what a test has put there."""
    yield
    assert list(installed.home.iterdir()) == []
    shutil.rmtree(installed.folder)
    installed.folder.mkdir()


def test_files_are_compared_as_in_a_checkout(installed: Installed) -> None:
    installed.files()
    before = sorted(installed.folder.iterdir())
    sides = {s: sorted(p.name for p in before if p.name.startswith(s)) for s in ("base", "new")}
    argv = ["vlag", "compare", *sides["base"], "--", *sides["new"]]
    done = installed.run(*argv, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    [row] = json.loads(done.stdout)["rows"]
    assert row["verdict"] == "REGRESSION"
    [here] = answer(*([installed.folder / name for name in names] for names in sides.values()))[
        "rows"
    ]
    assert row == json.loads(json.dumps(here))
    assert sorted(installed.folder.iterdir()) == before

    # Negative control: without the data, it is a sentence.
    data, away = installed.package / "packaged", installed.package / "away"
    data.rename(away)
    try:
        done = installed.run(*argv)
    finally:
        away.rename(data)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(
        r"vlag: \S+/packaged/lava-jobs/benchmarks: missing, so this installation of vlag is not"
        r" whole; install it again\n",
        done.stderr,
    )


def test_the_other_verbs_for_files_work(installed: Installed) -> None:
    installed.files()
    done = installed.run("vlag", "parse", "base-0.txt")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "hackbench time: 5 s (lower is better)\n"
    series = installed.folder / "series.txt"
    series.write_text("\n".join(["100", "101", "99", "100.5"] * 5 + ["120", "121", "119"] * 6))
    done = installed.run("vlag", "changepoints", "series.txt")
    order = "note: there are no times: the first value is taken for the oldest\n"
    assert (done.returncode, done.stderr) == (0, order)
    assert re.search(r"^ +20 ", done.stdout, re.M)
    for name in ("v15-before.txt", "v15-after.txt"):
        shutil.copy(ROOT / "tests" / "data" / "schedstat" / name, installed.folder)
    counted = "v15-before.txt..v15-after.txt"
    done = installed.run("vlag", "schedstat", "diff", counted, counted)
    assert (done.returncode, done.stderr) == (0, "")
    done = installed.run("vlag", "completion", "bash")
    assert (done.returncode, done.stderr) == (0, "")
    done = installed.run("vlag", "man", ".")
    assert (done.returncode, done.stderr) == (0, "")
    assert (installed.folder / "man1" / "vlag-compare.1").exists()


def test_it_has_the_whole_catalogue(installed: Installed) -> None:
    program = (
        "import pickle, sys; from vlag.config import catalogue;"
        "sys.stdout.write(pickle.dumps(catalogue.load()).hex())"
    )
    done = installed.run("python", "-c", program)
    assert done.stderr == ""
    assert pickle.loads(bytes.fromhex(done.stdout)) == catalogue.load()  # noqa: S301 - ours


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("build --help", None),
        ("boards status", "`vlag boards status`"),
        ("check .", "`vlag check`"),
        ("inventory check", "`vlag inventory check`"),
        ("compare v6.6 v6.12", "v6.6 is no file here, and a kernel on record"),
    ],
)
def test_a_verb_that_needs_a_checkout_says_so(
    installed: Installed, line: str, what: str | None
) -> None:
    done = installed.run("vlag", *line.split())
    if what is None:
        assert (done.returncode, done.stderr) == (0, "")
        return
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"vlag: {what} needs a checkout of vlag, and this is an installed package, with which"
        " changepoints, compare, completion, man, parse and schedstat work on files; clone vlag's"
        " repository and run `make setup` in it\n"
    )


def test_its_version_has_the_commit_it_was_installed_from(installed: Installed) -> None:
    git = ["git", "-C", str(installed.venv), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "-m", "another's"], check=True)
    # That of a repository which happens to be around it is another's.
    assert installed.run("vlag", "--version").stdout == f"vlag {__version__} (no git checkout)\n"
    [place] = installed.package.parent.glob("vlag-*.dist-info")
    origin = {"url": "https://example.org/vlag", "vcs_info": {"vcs": "git", "commit_id": "c" * 40}}
    (place / "direct_url.json").write_text(json.dumps(origin))
    assert installed.run("vlag", "--version").stdout == f"vlag {__version__} ({'c' * 40})\n"


def test_a_checkout_stays_one() -> None:
    checkout.need("this")
    assert (ROOT / "pyproject.toml").is_file()
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    for pattern in listed["package-data"]["vlag.packaged"]:
        assert list(ROOT.glob(pattern)), pattern
