# SPDX-License-Identifier: GPL-2.0-only
"""What is in a folder: its README says so, and no test file is a module of another."""

from __future__ import annotations

import re
import tomllib

import pytest

from vlag import ROOT

#: What needs no line.
PLAIN = {"README.md", "__init__.py", "__pycache__/"}


def kept(folder: str) -> set[str]:
    """Return what is directly below a folder; folders end with a slash."""
    below = {p.name + "/" * p.is_dir() for p in (ROOT / folder).iterdir()}
    return {name for name in below - PLAIN if not name.startswith(".")}


def described(text: str) -> set[str]:
    """Return the first column of the table of folders and files."""
    table = text.partition("| folder or file | what is in it |")[2].partition("\n\n")[0]
    return set(re.findall(r"^\| `([^`]+)` \|", table, re.M))


@pytest.mark.parametrize("folder", ["lava-jobs", "master", "schemas", "workers"])
def test_a_readme_names_what_is_in_its_folder(folder: str) -> None:
    text = (ROOT / folder / "README.md").read_text(encoding="utf-8")
    assert described(text) == kept(folder)
    # Negative control: with a line less, and with one of something that is not there.
    for name in described(text):
        assert described(re.sub(rf"^\| `{re.escape(name)}` \|.*\n", "", text, flags=re.M)) != kept(
            folder
        )
    more = re.sub(r"^(\|---.*\n)", r"\1| `gone.py` | nothing |\n", text, count=1, flags=re.M)
    assert described(more) != kept(folder)


def test_an_installation_has_every_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    there = {
        ".".join(p.parent.relative_to(ROOT).parts) for p in (ROOT / "vlag").rglob("__init__.py")
    }
    listed = project["tool"]["setuptools"]
    # Those of another folder have data, and no module.
    assert set(listed["packages"]) == there | set(listed["package-dir"])


#: What several test files need is in a conftest or in a module without tests.
FROM_A_TEST = re.compile(r"^ *(?:from|import) tests\.?[\w.]*(?:\.| import )test_\w+.*", re.M)


def test_no_test_file_imports_from_another() -> None:
    files = [path for folder in ("tests", "bench") for path in (ROOT / folder).rglob("*.py")]
    found = {
        str(path.relative_to(ROOT)): FROM_A_TEST.findall(path.read_text(encoding="utf-8"))
        for path in files
    }
    assert {path: lines for path, lines in found.items() if lines} == {}
    # Negative control.
    for line in (
        "from tests.unit.test_folders import kept",
        "    from tests.unit import test_folders",
        "import tests.unit.test_folders as other",
    ):
        assert FROM_A_TEST.findall(f"import re\n{line}\n") == [line]
