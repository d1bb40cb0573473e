"""Mutants are drawn from what is evaluated, the same ones for the same modules."""

from __future__ import annotations

from pathlib import Path

from cosmic_ray.work_item import MutationSpec, WorkItem

from bench import mutants
from vlag import ROOT

SOURCE = """def f(a: int | None, b: int) -> int | None:
    return b + 1 if a else None
"""


def items() -> list[WorkItem]:
    """Return a mutant of each operator: of both annotations, and of the sum."""
    places = {"BitOr": (1, 9), "BitOr_Sub": (1, 32), "Add": (2, 11), "Number": (2, 15)}
    return [
        WorkItem.single(
            name,
            MutationSpec(
                module_path=Path("m.py"), operator_name=f"core/{name}", occurrence=0,
                start_pos=at, end_pos=(at[0], at[1] + 1),
            ),
        )
        for name, at in places.items()
    ]  # fmt: skip


def test_annotations_are_no_mutants(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(SOURCE)
    found = mutants.chosen(items(), tmp_path, 9, 1)
    assert {item.job_id for item in found} == {"Add", "Number"}


def test_a_draw_depends_on_its_seed_alone(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(SOURCE)
    drawn = {
        seed: [i.job_id for i in mutants.chosen(reversed(items()), tmp_path, 1, seed)]
        for seed in range(9)
    }
    again = {
        seed: [i.job_id for i in mutants.chosen(items(), tmp_path, 1, seed)] for seed in range(9)
    }
    assert drawn == again
    assert len({*map(tuple, drawn.values())}) == 2


def test_every_area_has_its_files() -> None:
    for name, area in mutants.AREAS.items():
        for path in (*area.modules, *area.tests):
            assert (ROOT / path).is_file(), f"{name}: {path}"
