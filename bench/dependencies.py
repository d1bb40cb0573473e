"""Digests of what a page of docs/evidence/ depends on, in the work tree or at a commit.

A dependency is a name, one of:

- `code of FILE in PREFIX...`: the Python modules below the prefixes that FILE imports, itself
  included, however far down;
- `plan NAME`: a shipped plan on every board type, as tests/data/plans.json has it;
- `relevances of plan NAME`: what the catalogue declares of the metrics of its benchmarks;
- `images`: kernels, initramfs and samples of the deterministic boards, as
  tests/data/determinism.json has them;
- `layers`: the packages and the contracts of the import linter;
- a pattern of files, in which `*` also stands for `/`.

Comments, docstrings and the sentences of verdicts count nothing, nor does the layout of YAML,
JSON, TOML and SQL.
"""

from __future__ import annotations

import ast
import fnmatch
import functools
import hashlib
import json
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import yaml

from vlag import ROOT
from vlag.model import canonical_json

LENGTH = 12
#: What nothing is found of: the file was not there yet, or is gone.
NONE = "none"

_PLANS = "tests/data/plans.json"
_CODE = re.compile(r"code of (\S+) in (\S+(?: \S+)*)")
_PLAN = re.compile(r"(relevances of )?plan (\S+)")
#: They write pages and measure nothing.
_WRITERS = {
    "bench/evidence.py", "bench/dependencies.py", "bench/origin.py", "bench/pages.py",
}  # fmt: skip
#: They say in words what others have computed, and compute nothing.
_WORDS = {"vlag/stats/sentences.py"}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Tree:
    """The files of the work tree, or of a commit."""

    def __init__(self, commit: str | None = None, changed: Mapping[str, bytes] | None = None):
        """`changed` are contents in place of those of the tree."""
        self.commit = commit
        self.changed = dict(changed or {})
        self._read: dict[str, bytes] = {}

    @functools.cached_property
    def paths(self) -> frozenset[str]:
        """Return all paths from the root of the repository."""
        if self.commit is not None:
            names = git("ls-tree", "-r", "--name-only", self.commit)
        else:
            names = git("ls-files", "--cached", "--others", "--exclude-standard")
        return frozenset({*names.decode().splitlines(), *self.changed})

    def read(self, path: str) -> bytes | None:
        """Return the content of a file, or None where there is none."""
        if path in self.changed:
            return self.changed[path]
        if path not in self.paths:
            return None
        if path not in self._read:
            self._read[path] = self._content(path)
        return self._read[path]

    def _content(self, path: str) -> bytes:
        if self.commit is not None:
            return git("show", f"{self.commit}:{path}")
        file = ROOT / path
        return file.read_bytes() if file.is_file() else b""


def git(*arguments: str, given: bytes | None = None) -> bytes:
    """Return what git prints in this repository; `given` is its input."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, input=given, capture_output=True, check=True).stdout


def digest(tree: Tree, name: str) -> str:
    """Return the digest of a dependency, `NONE` where the tree has nothing of it."""
    if match := _CODE.fullmatch(name):
        content: Any = _files(tree, _imported(tree, match[1], tuple(match[2].split())))
    elif match := _PLAN.fullmatch(name):
        content = (_relevances if match[1] else _plan)(tree, match[2])
    elif name in _FACTS:
        content = _FACTS[name](tree)
    else:
        content = _files(tree, fnmatch.filter(tree.paths, name))
    if not content:
        return NONE
    return hashlib.sha256(canonical_json(content)).hexdigest()[:LENGTH]


def _files(tree: Tree, paths: Iterator[str] | list[str] | set[str]) -> dict[str, str]:
    return {p: normal(p, tree.read(p) or b"") for p in sorted(paths)}


def normal(path: str, data: bytes) -> str:
    """Return what of a file can change a figure."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return hashlib.sha256(data).hexdigest()
    try:
        return _NORMAL.get(path.rpartition(".")[2], _script)(text)
    except (SyntaxError, ValueError, TypeError, yaml.YAMLError):
        return text  # it has no such form, or a tag of Ansible's


def _script(text: str) -> str:
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(x for x in lines if x and (x.startswith("#!") or x.lstrip()[0] != "#"))


def _plain(node: Any) -> Any:
    """Return a syntax tree as tuples, without docstrings, places and what is empty."""
    if isinstance(node, list):
        return [_plain(n) for n in node]
    if not isinstance(node, ast.AST):
        return node
    fields = dict(ast.iter_fields(node))
    if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
        fields["body"] = fields["body"][1:]
    filled = {k: v for k, v in fields.items() if v is not None and v != [] and k != "ctx"}
    return (type(node).__name__, *((k, _plain(v)) for k, v in sorted(filled.items())))


def _imported(tree: Tree, start: str, prefixes: tuple[str, ...]) -> set[str]:
    """Return the modules below the prefixes that a file imports, itself included."""
    seen: set[str] = set()
    left = [start]
    while left:
        path = left.pop()
        data = None if path in seen | _WRITERS | _WORDS else tree.read(path)
        if data is not None:
            seen.add(path)
            left += _imports(tree, ast.parse(data))
    return {p for p in seen if any(p == x or p.startswith(f"{x}/") for x in prefixes)}


def _imports(tree: Tree, module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            parts = name.split(".")
            for n in range(1, len(parts) + 1):
                stem = "/".join(parts[:n])
                yield from (p for p in (f"{stem}.py", f"{stem}/__init__.py") if p in tree.paths)


def _plan(tree: Tree, name: str) -> Any:
    return json.loads(tree.read(_PLANS) or b"{}").get(name)


def _relevances(tree: Tree, plan: str) -> Any:
    """Return what the catalogue declares of each metric, but for what people read."""
    names = {line.split()[0] for lines in (_plan(tree, plan) or {}).values() for line in lines}
    found = {}
    for name in sorted(names):
        entry = yaml.safe_load(tree.read(f"lava-jobs/benchmarks/{name}/benchmark.yaml") or b"{}")
        for metric in (entry or {}).get("metrics", ()):
            found[f"{name} {metric['name']}"] = {
                k: v for k, v in metric.items() if k not in ("name", "versions", "headline")
            }
    return found


def _images(tree: Tree) -> Any:
    return json.loads(tree.read("tests/data/determinism.json") or b"{}")


def _layers(tree: Tree) -> Any:
    packages = {p.split("/")[1] for p in tree.paths if re.fullmatch(r"vlag/\w+/__init__\.py", p)}
    linter = tomllib.loads((tree.read("pyproject.toml") or b"").decode())["tool"]["importlinter"]
    return {"packages": sorted(packages), "contracts": linter["contracts"]}


_NORMAL: Mapping[str, Callable[[str], str]] = {
    "py": lambda text: repr(_plain(ast.parse(text))),
    "yaml": lambda text: canonical_json(list(yaml.safe_load_all(text))).decode(),
    "yml": lambda text: canonical_json(list(yaml.safe_load_all(text))).decode(),
    "json": lambda text: canonical_json(json.loads(text)).decode(),
    "toml": lambda text: canonical_json(tomllib.loads(text)).decode(),
    "sql": lambda text: " ".join(re.sub(r"--[^\n]*", "", text).split()),
    **dict.fromkeys(("patch", "md", "txt", "csv"), str),
}
_FACTS: Mapping[str, Callable[[Tree], Any]] = {"images": _images, "layers": _layers}
