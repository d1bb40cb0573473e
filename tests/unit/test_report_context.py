# SPDX-License-Identifier: GPL-2.0-only
"""What the short report says beside the figures, each line only where it is known."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.reports import plain
from tests.unit.short_reports import REGRESSION, comparison, figure, kept
from vlag.report import context, forms, short
from vlag.report.layout import WIDTH

Data = dict[str, Any]

CONFIG: Data = {
    "changed": [
        {"option": "EXT4_FS", "base": "m", "new": "y"},
        {"option": "HZ", "base": "1000", "new": "250"},
        {"option": "NUMA", "base": "y", "new": "n"},
    ],
    "new": [{"option": "FANCY_DRIVER", "value": "y"}, {"option": "SCHED_FOO", "value": "y"},
            {"option": "NR_CPUS_MOST", "value": "512"}],
    "gone": [{"option": "OLD_DRIVER", "value": "m"}],
}  # fmt: skip
EEVDF: Data = {
    "between": ["6.5", "6.6"], "text": "EEVDF replaces CFS", "commit": "147f3efaa241", "side": "new"
}  # fmt: skip
NOBODY: Data = {"commit": None, "toggle": None, "function": None}


def with_hz(base: int | None, new: int | None) -> Data:
    data = kept(REGRESSION)
    data["base"]["hz"], data["new"]["hz"] = base, new
    return data


def line(said: str, name: str) -> str:
    """Return a fact of a short report, on one line; "" if there is none."""
    lines = iter(said.splitlines())
    found = next((x for x in lines if x.startswith(f"{name}:")), "")
    for x in lines:
        if not found or not x.startswith(" " * 10):
            break
        found += f" {x.strip()}"
    return " ".join(found.split())


@pytest.mark.parametrize(
    ("hz", "said"),
    [
        ((250, 250), "12.2.0, HZ=250, preempt full"),
        ((1000, 250), "12.2.0, HZ=1000 (base) and 250 (new), preempt full"),
        ((None, 250), "HZ=unknown (base) and 250 (new), preempt full"),
        ((None, None), "12.2.0, preempt full"),
    ],
)
def test_the_tick_stands_beside_compiler_and_preemption(
    hz: tuple[int | None, int | None], said: str
) -> None:
    data = with_hz(*hz)
    assert said in line(short.render(data), "built")
    assert ("HZ=" in short.render(data)) == ("HZ=" in said)
    for form in ("text", "markdown", "html"):
        assert said in plain(form, forms.render(data, form))


def test_options_of_the_scheduler_are_named_first() -> None:
    said = context.config({"config": CONFIG})
    assert said == (
        "HZ 1000 -> 250, NUMA y -> n, SCHED_FOO is new, NR_CPUS_MOST is new (512) and 1 more;"
        " 1 new and 1 gone besides"
    )
    assert line(short.render(comparison(figure("worse", 1), config=CONFIG)), "config") == (
        f"config: {said}"
    )


def test_options_that_versions_bring_are_counted() -> None:
    found = {
        "changed": [],
        "new": [{"option": f"DRIVER_{n}", "value": "y"} for n in range(87)],
        "gone": [{"option": "OLD", "value": "y"}],
    }
    assert context.config({"config": found}) == "87 new and 1 gone options"
    # The whole has each of them.
    whole = " ".join(context.options({"config": found}))
    assert "new (87): DRIVER_0=y, DRIVER_1=y" in whole
    assert "DRIVER_86=y" in whole


def test_the_whole_names_every_option() -> None:
    data = comparison(figure("worse", 1), config=CONFIG)
    for form in ("text", "html"):
        said = plain(form, forms.render(data, form))
        for words in ("EXT4_FS m -> y", "HZ 1000 -> 250", "FANCY_DRIVER=y", "gone (1): OLD_DRIVER"):
            assert words in said, (form, words)
    assert "config: HZ 1000 -> 250" in plain("markdown", forms.render(data, "markdown"))


@pytest.mark.parametrize("found", [None, {"changed": [], "new": [], "gone": []}])
def test_without_differences_there_is_no_line(found: Data | None) -> None:
    data = comparison(figure("worse", 1), config=found)
    assert line(short.render(data), "config") == ""
    for form in ("text", "markdown", "html"):
        assert "Options of the config" not in forms.render(data, form)


def test_a_long_value_is_cut() -> None:
    found = {**CONFIG, "changed": [{"option": "CMDLINE", "base": '""', "new": f'"{"x" * 99}"'}]}
    said = context.config({"config": found})
    assert '"xxxxxxxxxxxxxxxxxxxx...' in said
    assert "x" * 99 in " ".join(context.options({"config": found}))


def test_known_changes_are_shown_apart_from_the_figures() -> None:
    data = comparison(figure("worse", 1), known_changes=[EEVDF])
    said = short.render(data)
    assert "\nKnown changes by design\n  6.6: EEVDF replaces CFS (147f3efaa241)\n" in said
    for form in ("text", "markdown", "html"):
        assert "6.6: EEVDF replaces CFS (147f3efaa241)" in plain(form, forms.render(data, form))
    back = short.render({**data, "known_changes": [{**EEVDF, "side": "base"}]})
    assert "(147f3efaa241); new is without it" in back
    without = {**EEVDF, "commit": None}
    assert "  6.6: EEVDF replaces CFS\n" in short.render({**data, "known_changes": [without]})
    none = {**data, "known_changes": []}  # negative control
    for form in ("text", "markdown", "html"):
        assert "EEVDF" not in forms.render(none, form)
    assert "Known changes" not in short.render(none)


def test_three_lines_of_known_changes_and_the_rest_is_counted() -> None:
    many = [{**EEVDF, "text": f"change number {n} {'x' * 99}"} for n in range(9)]
    said = short.render(comparison(figure("worse", 1), known_changes=many))
    part = said.partition("Known changes by design\n")[2].partition("\n\n")[0].splitlines()
    assert len(part) == context.KNOWN
    assert part[-1] == "    and 7 more"
    assert all(len(x) <= WIDTH for x in part)
    three = short.render(comparison(figure("worse", 1), known_changes=many[:3]))
    assert "more" not in three.partition("Known changes by design\n")[2].partition("\n\n")[0]


@pytest.mark.parametrize(
    ("key", "name"), [("commit", "since"), ("toggle", "toggle"), ("function", "function")]
)
def test_a_suspect_has_its_line_where_it_is_known(key: str, name: str) -> None:
    words = f"the {key} did it"
    data = comparison(figure("worse", 1), suspects={**NOBODY, key: words})
    said = short.render(data)
    assert line(said, name) == f"{name}: {words}"
    assert said.index(f"{name}:") < said.index("machine:")
    for form in ("text", "markdown", "html"):
        assert words in plain(form, forms.render(data, form))
    others = {"since", "toggle", "function"} - {name}
    assert [line(said, other) for other in others] == ["", ""]
    assert line(short.render({**data, "suspects": NOBODY}), name) == ""  # negative control


def test_a_report_from_before_these_facts_is_as_it_was() -> None:
    now = kept(REGRESSION)
    assert "HZ=" in short.render(now)
    data = {
        k: v for k, v in now.items() if k not in ("config", "known_changes", "suspects", "trailers")
    }
    for side in ("base", "new"):
        data[side] = {k: v for k, v in data[side].items() if k != "hz"}
    for said in (short.render(data), *(forms.render(data, form) for form in forms.FORMS[:3])):
        for words in ("HZ=", "Options of the config", "Known changes", "since:", "regzbot"):
            assert words not in said
