# SPDX-License-Identifier: GPL-2.0-only
"""Profiles on record: once, as they were made, and only where they can explain something."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from tests.integration import profiled
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.profile import profile_difference, profile_text, record
from vlag.search import profiling as stage
from vlag.store import profiles
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection

SENTENCE = (
    "+2.39 % = +166.4 instructions a switch: +160.4 in pick_task_fair"
    " (called as often, 39.3 -> 119.3 each)."
)


def ran(dsn: str, *words: str) -> Result:
    return CliRunner().invoke(main, ["profile", *words], env={"VLAG_DATABASE": dsn})


def counts(conn: Connection) -> tuple[object, ...] | None:
    return conn.execute(
        "SELECT (SELECT count(*) FROM profile), (SELECT count(*) FROM profile_function),"
        " (SELECT count(*) FROM run WHERE observes = 'profile')"
    ).fetchone()


def test_a_profile_is_stored_once_and_read_back_as_it_was(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    of = profiled.compared(conn, catalogue, tmp_path)
    first = profiled.store(conn, catalogue, of)
    assert first.new
    assert profile_text.sentence(first.difference) == SENTENCE
    before = counts(conn)
    assert before is not None
    assert before[0] == 1
    assert before[2] == 6
    # Again: nothing is added, and a question finds its answer.
    assert not profiled.store(conn, catalogue, of).new
    assert counts(conn) == before
    [question] = stage.questions(conn, catalogue, of.id).asked
    assert question.stored is not None
    found = record.difference(question.stored)
    benchmark = catalogue.benchmark("stress-ng-switch")
    base, new = (
        stage.read(runs, stage.build_of(conn, question.kernel(side)), benchmark)
        for side, runs in (("base", of.base), ("new", of.new))
    )
    whole = profile_difference.compare(base, new, benchmark.operation)
    assert profile_text.render(found) == profile_text.render(whole)
    assert len(found.functions) == record.KEPT < len(whole.functions)
    assert sum(f.change for f in found.functions) + found.others[1] == pytest.approx(whole.change)
    assert question.stored.base_runs != question.stored.new_runs


def test_other_boots_replace_a_profile(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    of = profiled.compared(conn, catalogue, tmp_path)
    profiled.store(conn, catalogue, evolve(of, base=of.base[:2], new=of.new[:2]))
    # Two boots of each kernel are not the three that are asked for.
    assert [q.stored for q in stage.questions(conn, catalogue, of.id).asked] == [None]
    assert profiled.store(conn, catalogue, of).new
    [stored] = profiles.of(conn, _comparison(conn, catalogue, of))
    assert len(stored.base_runs) == 3
    assert counts(conn) == (1, len(stored.functions), 6)


def _comparison(conn: Connection, catalogue: Catalogue, of: profiled.Compared) -> Comparison:
    return stage.questions(conn, catalogue, of.id).asked[0].comparison


def test_the_views_have_it(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> None:
    of = profiled.compared(conn, catalogue, tmp_path)
    profiled.store(conn, catalogue, of)
    row = conn.execute(
        "SELECT comparison, benchmark, operation, round(effect::numeric, 4)::float, n_base,"
        " sentence FROM read_model.profile"
    ).fetchall()
    assert row == [(of.id, "stress-ng-switch", "switch", 0.0239, 3, SENTENCE)]
    functions = conn.execute(
        "SELECT name, source, certain FROM read_model.profile_function ORDER BY number LIMIT 1"
    ).fetchall()
    assert functions == [("pick_task_fair", "kernel/sched/fair", True)]
    [(change,)] = conn.execute(
        "SELECT sum(f.change) + p.others_change - p.change FROM read_model.profile_function f"
        " JOIN read_model.profile p ON p.id = f.profile GROUP BY p.others_change, p.change"
    ).fetchall()
    assert change == pytest.approx(0, abs=1e-6)
    decided = conn.execute(
        "SELECT what, certain FROM read_model.profile_decision ORDER BY number"
    ).fetchall()
    assert decided[0] == ("context switches", False)


def test_what_is_stored_is_printed_without_a_boot(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    of = profiled.compared(conn, catalogue, tmp_path)
    profiled.store(conn, catalogue, of)
    done = ran(dsn, "--comparison", str(of.id))
    assert done.exit_code == 0, done.output
    assert "stress-ng-switch on qemu-sim-2" in done.stdout
    assert "pick_task_fair" in done.stdout
    assert "booting" not in done.stderr
    answer = json.loads(ran(dsn, "--comparison", str(of.id), "--format", "json").stdout)
    assert answer["reused"]
    assert [p["sentence"] for p in answer["profiles"]] == [SENTENCE]


def test_a_comparison_without_a_change_is_not_profiled(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    """Negative control."""
    of = profiled.compared(conn, catalogue, tmp_path, new="plain", factors=profiled.SAME)
    assert stage.questions(conn, catalogue, of.id) == stage.Questions(asked=[], skipped=[])
    done = ran(dsn, "--comparison", str(of.id))
    assert done.stdout == f"comparison {of.id} has no confirmed change that a profile can explain\n"
    assert done.exit_code == 0


def test_a_benchmark_without_an_operation_is_skipped(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    of = profiled.compared(conn, catalogue, tmp_path)
    plain = evolve(catalogue.benchmark("stress-ng-switch"), operation="operation")
    without = evolve(catalogue, benchmarks={**catalogue.benchmarks, plain.name: plain})
    found = stage.questions(conn, without, of.id)
    assert found.asked == []
    assert "stress-ng-switch: its catalogue entry has no `operation`" in found.skipped[0]


def test_boards_that_count_nothing_are_refused_in_a_sentence(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    of = profiled.compared(conn, catalogue, tmp_path)
    kind = evolve(catalogue.board_type("qemu-sim-2"), deterministic=False)
    hardware = evolve(catalogue, board_types={**catalogue.board_types, kind.name: kind})
    with pytest.raises(UsageError, match="board type qemu-sim-2, which does not count"):
        stage.questions(conn, hardware, of.id)
    with pytest.raises(UsageError, match="no comparison 9999 on record"):
        stage.questions(conn, catalogue, 9999)


@pytest.mark.parametrize(
    ("words", "seeds"),
    [
        (("--seed", "14", "--seed", "9", "--seed", "14"), [14, 9]),
        # Negative control: without them those from 1 on.
        (("--seeds", "2"), [1, 2]),
    ],
)
def test_two_builds_boot_the_seeds_that_are_named(
    monkeypatch: pytest.MonkeyPatch,
    catalogue: Catalogue,
    tmp_path: Path,
    words: tuple[str, ...],
    seeds: list[int],
) -> None:
    """No emulator boots here: the runs are on record."""
    of = {"plain": profiled.BASE, "longer": profiled.NEW}
    built = {name: profiled.build(tmp_path, kernel, name) for name, kernel in of.items()}
    of_record = {
        built[name]: profiled.runs(tmp_path, kernel, catalogue, name) for name, kernel in of.items()
    }
    asked: list[list[int]] = []

    def prepared(*, build: Path, seeds: Sequence[int], **_: object) -> list[SimpleNamespace]:
        asked.append(list(seeds))
        return [SimpleNamespace(build=build) for _ in seeds]

    monkeypatch.setattr(stage, "prepared", prepared)
    monkeypatch.setattr(stage, "booted", lambda boots, *_: of_record[boots[0].build][: len(boots)])
    given = ("--benchmark", "stress-ng-switch", "--board", "sim2-1", *words)
    done = CliRunner().invoke(main, ["profile", *map(str, built.values()), *given])
    assert done.exit_code == 0, done.output
    assert asked == [seeds, seeds]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give two folders of `vlag build`, BASE and NEW, or --comparison N"),
        (("base",), "give two folders"),
        (("base", "new"), "two builds need --benchmark"),
        (("base", "new", "--benchmark", "b"), "two builds need --board"),
        (("base", "new", "--comparison", "1"), "leave out BASE and NEW"),
        (("--comparison", "1", "--param", "a=1"), "--param is for two builds"),
        (("--comparison", "1", "--seed", "9"), "--seed is for two builds"),
        (("--comparison", "1", "--base-knob", "preempt=full"), "--base-knob is for two builds"),
    ],
)
def test_a_wrong_request_is_one_sentence(words: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(main, ["profile", *words])
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_kernels_that_execute_the_same_store_that(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    """Negative control: a REGRESSION whose path is the same names no function."""
    of = profiled.compared(conn, catalogue, tmp_path, new="comment")
    answer = profiled.store(conn, catalogue, of)
    assert not any(f.certain for f in answer.difference.functions)
    assert "no function differs by more than boots of one kernel do" in profile_text.sentence(
        answer.difference
    )
