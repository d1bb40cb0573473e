"""Mutants of the modules that decide, and how many of them the tests find.

`python -m bench mutants [AREA…] [--each N] [--seed S]` changes one operator, number or branch at
a time in a clone of HEAD (cosmic-ray) and runs the area's tests on each: N mutants an area, the
same for the same seed as long as a module is the same.  A mutant that no test finds is printed.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from attrs import frozen
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, WorkItem, WorkResult

from vlag import ROOT

#: Seconds after which a mutant counts as found: it has made something endless.
_TIMEOUT_S = 600
#: Areas side by side, each in a clone of its own.
_LANES = 2


@frozen(kw_only=True)
class Area:
    """Modules that decide something, and the files of tests that hold them."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


def _unit(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/unit/test_{name}.py" for name in names)


def _integration(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/integration/test_{name}.py" for name in names)


AREAS: Mapping[str, Area] = {
    "verdicts": Area(
        modules=(
            "vlag/stats/compare.py", "vlag/stats/stages.py", "vlag/stats/lattice.py",
            "vlag/stats/difference.py", "vlag/stats/levels.py", "vlag/stats/outliers.py",
            "vlag/stats/ranks.py",
            "vlag/stats/multiple_testing.py", "vlag/compare/verdict.py",
        ),
        tests=_unit(
            "compare_verdict", "stats_lattice", "stats_levels", "stats_stages", "stats_compare",
            "stats_family", "stats_controls", "stats_grid", "stats_outliers",
            "stats_sentences", "compare_family", "stats_blocks",
            "stats_changepoint",
        ),
    ),
    "comparability": Area(
        modules=(
            "vlag/compare/differences.py", "vlag/compare/sides.py", "vlag/compare/scope.py",
            "vlag/compare/conditions.py", "vlag/compare/factors.py", "vlag/compare/boots.py",
        ),
        tests=(
            *_unit("compare_files", "skipped_cycles"),
            *_integration(
                "compare", "compare_scope", "compare_catalogue", "compare_parameters", "observed",
                "controls", "searches",
            ),
        ),
    ),
    "storage": Area(
        modules=(
            "vlag/store/runs.py", "vlag/store/builds.py", "vlag/store/kernels.py",
            "vlag/store/values.py", "vlag/store/migrate.py", "vlag/pipeline/ingest.py",
            "vlag/bundle.py",
        ),
        tests=(
            *_unit("durable"),
            *_integration("ingest", "store_migrate", "kernel_names", "kernel_branches"),
        ),
    ),
    "needs": Area(
        modules=("vlag/kernel/kconfig.py", "vlag/config/kernel_needs.py", "vlag/kernel/modules.py"),
        tests=_unit("kconfig", "kernel_needs", "needs", "kernel_modules"),
    ),
    "guard": Area(
        modules=("master/guard.py", "master/rights.py", "master/login.py", "vlag/web/access.py"),
        tests=(
            *_unit("master_login", "notation"),
            *_integration("web_guard", "web_rights", "web_triage"),
        ),
    ),
}  # fmt: skip


@frozen(kw_only=True)
class Found:
    """What the tests of an area found."""

    area: str
    mutants: int  # that were tried
    survived: tuple[str, ...]  # the differences that no test found

    def __str__(self) -> str:
        """Return the figures in one line."""
        return f"{self.area}: {self.mutants - len(self.survived)} of {self.mutants} mutants found"


def unevaluated(source: str) -> list[tuple[int, int]]:
    """Return the first and last line and column, as one number each, of what is no code.

    Annotations are never evaluated here, so that a mutant of one changes nothing.
    """
    spans = []
    for node in ast.walk(ast.parse(source)):
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(part, ast.expr):
                end = (part.end_lineno or part.lineno, part.end_col_offset or 0)
                spans.append((_place((part.lineno, part.col_offset)), _place(end)))
    return spans


def _place(position: tuple[int, int]) -> int:
    return position[0] * 10_000 + position[1]


def chosen(items: Iterable[WorkItem], folder: Path, each: int, seed: int) -> list[WorkItem]:
    """Return `each` mutants, drawn by `seed` from those that change what is evaluated."""
    spans: dict[Path, list[tuple[int, int]]] = {}

    def rank(item: WorkItem) -> str:
        m = item.mutations[0]
        return hashlib.sha256(
            f"{seed} {m.module_path} {m.operator_name} {m.operator_args} {m.start_pos}".encode()
        ).hexdigest()

    def evaluated(m: MutationSpec) -> bool:
        if m.module_path not in spans:
            spans[m.module_path] = unevaluated((folder / m.module_path).read_text("utf-8"))
        at = _place(m.start_pos)
        return not any(begin <= at < end for begin, end in spans[m.module_path])

    return sorted((i for i in items if evaluated(i.mutations[0])), key=rank)[:each]


def tried(name: str, each: int, seed: int) -> Found:
    """Try `each` mutants of an area in a clone of HEAD."""
    area = AREAS[name]
    with tempfile.TemporaryDirectory(prefix=f"vlag-mutants-{name}-") as made:
        folder, session = Path(made) / "clone", Path(made) / "session.sqlite"
        subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
        configuration = Path(made) / "mutants.toml"
        configuration.write_text(_configuration(area), encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        # A mutant can be as long, and as old in seconds, as what it replaces.
        hashed = ["-m", "compileall", "-q", "--invalidation-mode", "checked-hash"]
        subprocess.run([sys.executable, *hashed, "vlag", "master", "tests"], cwd=folder, check=True)

        def call(verb: str) -> None:
            argv = [sys.executable, "-m", "cosmic_ray.cli", verb, str(configuration), str(session)]
            subprocess.run(argv, cwd=folder, env=environment, check=True)

        baseline = subprocess.run(
            [*_tests(area)],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if baseline.returncode:
            sys.exit(f"{name}: its tests fail without a mutant:\n{baseline.stdout[-2000:]}")
        call("init")
        with use_db(session, WorkDB.Mode.open) as db:
            mutants = chosen(db.work_items, folder, each, seed)
            db.clear()
            db.add_work_items(mutants)
        print(f"{name}: {len(mutants)} mutants", flush=True)
        call("exec")
        with use_db(session, WorkDB.Mode.open) as db:
            results = dict(db.results)
    if missing := {m.job_id for m in mutants} - results.keys():
        sys.exit(f"{name}: {len(missing)} mutants were not tried")
    return Found(
        area=name, mutants=len(mutants),
        survived=tuple(_difference(r) for r in results.values() if not r.is_killed),
    )  # fmt: skip


def _difference(result: WorkResult) -> str:
    lines = (result.diff or "").splitlines()
    return "\n".join(x for x in lines if x.startswith(("+", "-", "@@")))


def _tests(area: Area) -> list[str]:
    return [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *area.tests]


def _configuration(area: Area) -> str:
    words = " ".join(_tests(area))
    modules = ", ".join(f'"{m}"' for m in area.modules)
    return (
        f"[cosmic-ray]\nmodule-path = [{modules}]\ntimeout = {_TIMEOUT_S}.0\n"
        "excluded-modules = []\n"
        f'test-command = "{words}"\n[cosmic-ray.distributor]\nname = "local"\n'
    )


def main(words: Sequence[str] = ()) -> None:
    """Try the mutants of the areas that are named, or of all."""
    options = argparse.ArgumentParser(prog="python -m bench mutants")
    options.add_argument("areas", nargs="*", metavar="AREA", help=f"of: {', '.join(AREAS)}")
    options.add_argument("--each", type=int, default=60, help="mutants of an area (default 60)")
    options.add_argument("--seed", type=int, default=1, help="of the draw (default 1)")
    given = options.parse_args(list(words))
    for name in given.areas:
        if name not in AREAS:
            options.error(f"no area {name!r}; there are: {', '.join(AREAS)}")
    with ThreadPoolExecutor(_LANES) as lanes:
        for found in lanes.map(
            lambda name: tried(name, given.each, given.seed), given.areas or AREAS
        ):
            print(found, *found.survived, sep="\n", flush=True)
