# SPDX-License-Identifier: GPL-2.0-only
"""Files as people brought them, and the same files in other forms.

`python -m tests.fuzz.doors` tries more forms, for as long as one likes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from attrs import evolve

from tests.fuzz import doors
from vlag.cli.changepoints_file import read
from vlag.kernel import patch_mail
from vlag.parsers import parse, recognise

#: File -> figures in it, by metric.
FIGURES: Mapping[str, Mapping[str, float]] = {
    "schbench-2023.txt": {
        "wakeup-latency-p99": 20, "request-latency-p99": 14320, "rps-mean": 6984.77,
    },
    "schbench-2021.txt": {"wakeup-latency-p99": 24096},
    "schbench-norequest-L.txt": {"wakeup-latency-p99": 20, "rps-mean": 6984.77},
    **{
        f"sng-{form}.txt": {"bogo-ops-rate": 853909.45}
        for form in ("lkpkmsg", "journal", "ghactions", "quoted", "indent")
    },
    "ps-hybrid.csv": {"cycles-core": 13478657956, "cycles-atom": 340060066},
    "ps-r.csv": {"cycles:u": 333773107},
    "hb-old.txt": {"time": 12.345},
    "pb-onegroup-old.txt": {"time": 0.308},
}  # fmt: skip
TRIED = 100
CHANCE = 20261130


@pytest.mark.parametrize("name", FIGURES)
def test_a_file_gives_the_figures_in_it(name: str) -> None:
    data = (doors.WILD / name).read_bytes()
    output = parse(recognise(data, path=name), data, path=name)
    given = {sample.metric: sample.values for sample in output.samples}
    assert {metric: (value,) for metric, value in FIGURES[name].items()}.items() <= given.items()


@pytest.mark.parametrize(
    ("name", "patches"),
    [
        ("stable.mbox", 4), ("stable1.mbox", 1), ("fixup.mbox", 4), ("b64two.mbox", 2),
        ("good.mbox.gz", None), ("fixup_un_v1.mbox", None),
    ],
)  # fmt: skip
def test_a_thread_gives_its_patches(name: str, patches: int | None) -> None:
    thread = patch_mail.thread(patch_mail.read(doors.WILD / name), None)
    assert len(thread.patches) == (patches or len(thread.patches))
    assert all(b"\r" not in patch.diff for patch in thread.patches)


def test_the_same_in_another_form_gives_the_same_answer_or_none() -> None:
    chance = random.Random(CHANCE)
    outcomes = Counter[str]()
    for _ in range(TRIED):
        door = chance.choice(sorted(doors.DOORS))
        seed = chance.choice(doors.small(door))
        forms = chance.sample(sorted(doors.FORMS), chance.randint(1, 2))
        outcome = doors.tried(door, seed, forms, "utf-8", chance)
        assert outcome in {"same", "refused", "no answer"}, (door, seed.name, forms)
        outcomes[outcome] += 1
    # A harness that only ever sees refusals, or none, would prove nothing.
    assert min(outcomes["same"], outcomes["refused"]) >= TRIED // 20, outcomes


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (lambda data, _: len(data), "another answer"),
        (lambda data, _: 1 // (b"\r" not in data), "ZeroDivisionError"),
    ],
)
def test_a_fault_is_seen(
    answer: Callable[[bytes, Path], object], outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control."""
    door = evolve(doors.DOORS["changepoints"], answer=answer)
    monkeypatch.setattr(doors, "DOORS", {"changepoints": door})
    seed = doors.WILD / "cp-newest-first.csv"
    said = doors.tried("changepoints", seed, ["CRLF"], "utf-8", random.Random(1))
    assert said.partition(":")[0] == outcome


@pytest.mark.parametrize("form", ["quoted", "quoted twice", "CI log", "journal", "coloured"])
def test_a_series_in_a_mail_or_log_is_read_without_what_stands_before_it(
    form: str, tmp_path: Path
) -> None:
    plain = doors.WILD / "cp-newest-first.csv"
    made = tmp_path / "series.csv"
    made.write_text(doors.FORMS[form](plain.read_text(), random.Random(1)))
    series = read(str(made))
    assert series.points == read(str(plain)).points
    note = "read without what stands before its lines"
    assert (note in series.notes) == (form != "coloured")


def test_a_byte_order_mark_within_a_quote_is_no_part_of_a_time(tmp_path: Path) -> None:
    plain = doors.WILD / "cp-newest-first.csv"
    made = tmp_path / "series.csv"
    made.write_text("> \ufeff" + plain.read_text().replace("\n", "\n> "))
    assert read(str(made)).points == read(str(plain)).points


def test_the_times_of_a_log_are_those_of_its_values_where_they_have_none(
    tmp_path: Path,
) -> None:
    """Negative control: these are the series' own times."""
    made = tmp_path / "series.csv"
    made.write_text("".join(f"2026-01-0{n}T10:00:00Z 94.{n}\n" for n in range(1, 9)))
    series = read(str(made))
    assert series.points[0].time == "2026-01-01T10:00:00Z"
    assert series.notes == []
