# SPDX-License-Identifier: GPL-2.0-only
"""Path length as a metric: what is counted, and which verdicts made and real counts get."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve
from click.testing import CliRunner

from vlag import parsers
from vlag.cli.main import main
from vlag.config import catalogue, path_metrics
from vlag.errors import UsageError
from vlag.kernel import symbols
from vlag.model import Verdict
from vlag.profile import counts, path_text
from vlag.profile.counts import Executed, Profile
from vlag.profile.path import Length, lengths, sentence
from vlag.profile.path_metric import PathMetric
from vlag.profile.profiled_boots import Boot
from vlag.report import why

DATA = Path(__file__).parents[1] / "data" / "profile"
OPERATIONS = 1000
SCHED, WHOLE = 4_000_000, 7_000_000  # instructions of a boot
METRICS = (
    PathMetric(name="kernel/sched", relevance=0.002, objects="kernel/sched/"),
    PathMetric(name="kernel", relevance=0.002),
    PathMetric(name="pick", relevance=0.002, calls=(("pick_new", "pick_more"), ("pick_old",))),
)


def boot(
    seed: int,
    *,
    sched: float = SCHED,
    rest: float = WHOLE - SCHED,
    calls: int = 2000,
    names: tuple[str, ...] = ("pick_old",),
) -> Boot:
    """Return a boot with these instructions of kernel/sched, and in functions of no known file."""

    def executed(source: str | None, called: int, instructions: float) -> Executed:
        # Two CPUs, which both count.
        return Executed(
            source=source,
            calls=np.array([called, 0]),
            instructions=np.array([round(instructions) - 1, 1]),
        )

    each = {name: executed("kernel/sched/fair", calls, sched / len(names)) for name in names}
    functions = {**each, "memcpy": executed(None, 1, rest)}
    return Boot(
        seed=seed,
        operations=OPERATIONS,
        profile=Profile(functions=functions, user=np.array([9, 9])),
        names=frozenset(functions),
    )


def boots(factor: float = 1.0, scatter: float = 0.0002, **given: object) -> list[Boot]:
    """Return three boots whose sched is `factor` times the usual one, and scatters."""
    return [
        boot(seed, sched=SCHED * factor * (1 + scatter * (seed - 2)), **given)  # type: ignore[arg-type]
        for seed in (1, 2, 3)
    ]


def judged(base: list[Boot], new: list[Boot]) -> dict[str, Length]:
    return {one.metric: one for one in lengths(METRICS, base, new)}


def test_instructions_and_calls_are_those_of_an_operation() -> None:
    found = judged([boot(1), boot(2)], [boot(1)])
    assert found["kernel/sched"].base == (4000.0, 4000.0)
    assert found["kernel"].base == (7000.0, 7000.0)
    assert found["pick"].base == (2.0, 2.0)
    assert found["kernel"].new == (7000.0,)
    # One boot proves nothing.
    assert {one.verdict for one in found.values()} == {Verdict.INCONCLUSIVE}


@pytest.mark.parametrize(
    ("change", "scatter", "verdict"),
    [
        (0.005, 0.0002, Verdict.REGRESSION),
        (-0.005, 0.0002, Verdict.IMPROVEMENT),
        # Negative controls: too small a change, and boots that scatter as much as it.
        (0.0005, 0.0002, Verdict.UNCHANGED),
        (0.0, 0.0, Verdict.UNCHANGED),
        (0.005, 0.005, Verdict.INCONCLUSIVE),
    ],
)
def test_half_a_percent_is_told_and_a_twentieth_is_not(
    change: float, scatter: float, verdict: Verdict
) -> None:
    found = judged(boots(scatter=scatter), boots(1 + change, scatter))["kernel/sched"]
    assert found.verdict is verdict, found.reason
    assert found.effect == pytest.approx(change, abs=1e-6)
    assert found.base_level is not None
    assert found.new_level == pytest.approx(found.base_level * (1 + change))


def test_boots_without_any_scatter_tell_one_instruction_from_what_matters() -> None:
    same, longer = boots(scatter=0), boots(1.003, scatter=0)
    assert judged(same, longer)["kernel/sched"].verdict is Verdict.REGRESSION
    assert judged(same, same)["kernel/sched"].verdict is Verdict.UNCHANGED


def test_a_kernel_without_the_function_is_not_compared() -> None:
    new = boots(names=("pick_new",))  # the other half of its spelling is missing
    found = judged(boots(), new)
    assert found["pick"].verdict is Verdict.NOT_COMPARABLE
    assert found["pick"].new is None
    assert found["pick"].effect is None
    assert "the new kernel has no such function" in found["pick"].reason
    assert found["kernel"].verdict is Verdict.UNCHANGED
    # A part of a function that is in its callers counts no calls either.
    part = boots(names=("pick_old", "pick_old.part.0"))
    assert judged(part, boots())["pick"].base is None
    # Neither has it: there is no such figure.
    assert "pick" not in judged(new, new)


def test_a_function_that_was_renamed_is_the_same_metric() -> None:
    renamed = boots(calls=1000, names=("pick_new", "pick_more"))
    found = judged(boots(), renamed)["pick"]
    assert found.verdict is Verdict.UNCHANGED
    assert found.new == (2.0, 2.0, 2.0)


def test_the_sentence_names_changes_and_counts_the_others() -> None:
    worse = lengths(METRICS, boots(), boots(1.01))
    assert sentence(worse) == "Path: REGRESSION kernel/sched +1.00 %, kernel +0.57 %; 1 UNCHANGED."
    assert sentence(lengths(METRICS, boots(), boots())) == "Path: all 3 UNCHANGED."
    called = lengths(METRICS, boots(calls=2000), boots(calls=2100))
    assert "REGRESSION calls of pick +5.00 %" in sentence(called)
    assert sentence(()) == ""


def test_the_text_fits_80_columns_and_says_what_counts_do_not_see() -> None:
    metrics = (*METRICS, PathMetric(name="x" * 32, relevance=0.002, calls=(("pick_old",),)))
    sides = boots(), boots(1.01)
    text = path_text.render(lengths(metrics, *sides), "switch", sides)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("do not see caches, memory, branch misses or parallelism" in x for x in lines) == 1
    assert "in functions of no known file: 42.86 % and 42.61 % of the kernel's" in text
    assert lines[1].split() == ["kernel/sched", "4000.00", "4040.00", "+1.00", "%", "REGRESSION"]
    document = path_text.data(lengths(metrics, *sides), "switch", sides)
    assert document["metrics"][0]["verdict"] == "REGRESSION"
    assert len(document["metrics"][0]["base"]) == 3


def real(name: str) -> list[Boot]:
    """Return the boots of a kernel in `tests/data/profile`."""
    table = symbols.read((DATA / name / symbols.FILE).read_bytes(), path=name)
    found = []
    for seed in (1, 2, 3):
        packed = gzip.decompress((DATA / name / f"profile-{seed}.txt.gz").read_bytes())
        printed = (DATA / name / f"stress-ng-{seed}.txt").read_bytes()
        operations = parsers.parse("stress-ng", printed, path=name).operations
        assert operations is not None
        found.append(
            Boot(
                seed=seed,
                operations=operations,
                profile=counts.by_function(counts.read(packed, path=name), table, path=name),
                names=frozenset(f.name for f in table.functions),
            )
        )
    return found


def test_real_counts_of_a_longer_pick_are_a_regression() -> None:
    found = lengths(catalogue.load().path_metrics, real("plain"), real("longer"))
    by_name = {one.metric: one for one in found}
    assert by_name["kernel/sched"].verdict is Verdict.REGRESSION
    assert by_name["kernel"].verdict is Verdict.REGRESSION
    assert by_name["kernel/sched"].effect == pytest.approx(0.0401, abs=1e-4)
    # It picks as often: no call is told.
    calls = [one.verdict for one in found if one.unit == "calls"]
    assert len(calls) == 5
    assert not {Verdict.REGRESSION, Verdict.IMPROVEMENT} & {*calls}


def test_real_counts_of_a_comment_are_unchanged_to_the_last() -> None:
    """Negative control."""
    metrics = catalogue.load().path_metrics
    found = lengths(metrics, real("plain"), real("comment"))
    assert [one.metric for one in found] == [m.name for m in metrics]
    assert {one.verdict for one in found} == {Verdict.UNCHANGED}
    assert max(abs(one.effect or 0) for one in found) < 0.001


@pytest.mark.parametrize(
    ("each", "verdict"),
    # Instructions a switch.  Negative control: five of them may be as many as matter, two are not.
    [(12, Verdict.REGRESSION), (5, Verdict.MARGINAL), (2, Verdict.UNCHANGED)],
)
def test_twelve_instructions_more_a_switch_are_told(each: int, verdict: Verdict) -> None:
    def longer(b: Boot) -> Boot:
        every = dict(b.profile.functions)
        pick = every["pick_task_fair"]
        more = np.round(each * b.operations * pick.calls / pick.calls.sum()).astype(int)
        every["pick_task_fair"] = evolve(pick, instructions=pick.instructions + more)
        return evolve(b, profile=evolve(b.profile, functions=every))

    [sched, *_] = lengths(
        catalogue.load().path_metrics, real("plain"), [longer(b) for b in real("comment")]
    )
    assert sched.verdict is verdict, sched.reason


def test_the_file_of_metrics_is_read(tmp_path: Path) -> None:
    file = tmp_path / "path-metrics.toml"
    assert path_metrics.read(file) == ()
    file.write_text(
        'relevance = 0.002\n[[metrics]]\nname = "a"\nobjects = ""\n'
        '[[metrics]]\nname = "b"\ncalls = [["b"]]\nrelevance = 0.01\n'
    )
    assert path_metrics.read(file) == (
        PathMetric(name="a", relevance=0.002),
        PathMetric(name="b", relevance=0.01, calls=(("b",),)),
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("relevance = 0.002\n", "'metrics' is a required"),
        ("relevance = 0\nmetrics = []\n", "relevance"),
        ('relevance = 0.002\n[[metrics]]\nname = "a"\n', "metrics.0"),
        (
            'relevance = 0.002\n[[metrics]]\nname = "a"\nobjects = ""\ncalls = [["a"]]\n',
            "metrics.0",
        ),
        ('relevance = 0.002\n[[metrics]]\nname = "a"\nobjects = "/"\n', "metrics.0.objects"),
        (
            'relevance = 0.002\n[[metrics]]\nname = "a"\nobjects = ""\n'
            '[[metrics]]\nname = "a"\nobjects = ""\n',
            "metrics.1.name: there is a 'a' already",
        ),
    ],
)
def test_a_wrong_file_of_metrics_is_refused_with_its_key(
    tmp_path: Path, text: str, words: str
) -> None:
    file = tmp_path / "path-metrics.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"path-metrics\.toml: ") as refused:
        path_metrics.read(file)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("base",), "Missing argument 'NEW'"),
        (("base", "new"), "Missing option '--benchmark'"),
        (("base", "new", "--benchmark", "stress-ng-switch", "--board", "x"), "x"),
    ],
)
def test_a_wrong_request_is_refused(words: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(main, ["path", *words])
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("last", "shown"),
    [("2 UNCHANGED, 1 INCONCLUSIVE.", "-0.32 %."), ("2 UNCHANGED.", "2 UNCHANGED.")],
)
def test_a_report_ends_the_path_with_a_whole_clause(last: str, shown: str) -> None:
    sentence = (
        "Path: REGRESSION kernel/sched +3.95 %, kernel +2.34 %;"
        f" MARGINAL calls of pick_eevdf -0.33 %, calls of update_rq_clock -0.32 %; {last}"
    )
    profile = {
        "benchmark": "stress-ng-switch", "operation": "switch", "sentence": "+2.34 %.",
        "functions": [], "decisions": [], "path": [{"verdict": "REGRESSION"}],
        "path_sentence": sentence,
    }  # fmt: skip
    [lines] = why.part([({"profile": [profile]}, "")]).items
    assert lines[-1].endswith(shown)
