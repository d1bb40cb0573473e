# SPDX-License-Identifier: GPL-2.0-only
"""A comparison of files for people: plain text for a mail, at most 78 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vlag.file_data import FileRow, FilesData, FileSide
from vlag.report.document import SIDES
from vlag.report.layout import page
from vlag.stats.numbers import plain

WIDTH = 78  # what a mail's reader shows without a break

_FILES_NAMED = 3  # of a side; JSON has all
_TENFOLD = 10
BOARD_TYPES_NAMED = 4  # in a list's place; an alert's own page names all
_DOUBLED = 2  # from here on a factor is easier to read than a percentage
_SIGNIFICANT = 6  # digits: a change between two figures is right to its hundredths
_PERCENT = "\N{NO-BREAK SPACE}%"  # keeps a figure and its sign on one line
_LEGEND = (
    "A file is one boot. base, new: geometric means over the boots; change: new against"
    " base; [ ]: its 95 % interval; n: boots of base + new."
)
# Below a verdict that says nothing yet.
_SUSPECT = "; worth a rerun of both kernels, which alone may confirm it"
_LEGEND_HINT = (
    " A verdict marked (hint) may raise a suspicion and confirms nothing: the board or the"
    " parser cannot prove it."
)


def render(data: FilesData) -> str:
    """Return a comparison of files as text with a final newline.

    Only a path or a word that is longer than `WIDTH` makes a wider line: it is not cut.
    """
    lines = _wrap(f"{data['summary']['verdict']}: {data['summary']['sentence']}", "", "    ")
    lines += ["", *_head(data), "", *_table(data)]
    for title, section in (
        ("Distributions", _distributions(data)),
        ("Without a verdict, says the catalogue", _not_compared(data)),
        ("Notes", [x for note in data["notes"] for x in _wrap(note, "  ", "      ")]),
    ):
        if section:
            lines += ["", title, "-" * len(title), *section]
    return page(lines)


def number(value: float | None) -> str:
    """Return a figure with at least six significant digits, all of a whole number; "-": none."""
    return "-" if value is None else plain(value, _SIGNIFICANT)


def percent(change: float | None) -> str:
    """Return a relative change in percent, without the sign for it; "-" for none."""
    if change is None:
        return "-"
    # Hundredths mean nothing beyond a tenfold.
    return f"{100 * change:+.2f}" if abs(change) < _TENFOLD else f"{100 * change:+.0f}"


def board_types(names: Sequence[str], most: int = BOARD_TYPES_NAMED) -> str:
    """Return board types as a place in a list, counted where they are more than `most`."""
    return ", ".join(names) if len(names) <= most else f"{len(names)} board types"


def share(part: float | None) -> str:
    """Return a share in percent; "-" for none."""
    return "-" if part is None else f"{100 * part:,.{1 if part < _TENFOLD else 0}f}{_PERCENT}"


def duration(seconds: float | None) -> str:
    """Return a time as hours, minutes or seconds; "-" for none."""
    if seconds is None:
        return "-"
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def times(effect: float) -> str:
    """Return a relative change as a factor, "× 17" or "÷ 3.0"; below a doubling in percent."""  # noqa: RUF002
    factor = 1 + effect
    if 0 < factor <= 1 / _DOUBLED or factor >= _DOUBLED:
        sign, size = ("×", factor) if factor > 1 else ("÷", 1 / factor)  # noqa: RUF001
        return f"{sign} {size:.{1 if size < _TENFOLD else 0}f}"
    return f"{percent(effect)} %"


def listed(names: Iterable[str]) -> str:
    """Return "a, b and c"."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """Return a number with its noun: "1 branch", "1,200 figures"; `nouns` is no noun with an s."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def hinted(count: int, worst: float | None) -> str:
    """Return the summary of hints of a worsening: "no proof; 3 hints, worst × 17"."""  # noqa: RUF002
    hints = f"no proof; {counted(count, 'hint')}"
    return hints if worst is None else f"{hints}, worst {times(worst)}"


def confirmed_against_parent(comparison: int | None) -> str:
    """Return which comparison confirms what another only suspects; "" for none."""
    if comparison is None:
        return ""
    return f"confirmed against its parent by comparison {comparison}"


def unmeasured(counts: Mapping[str, Any]) -> str:
    """Return how many figures a side lacks: "6 of 12 figures without a base"; "" for none.

    `counts` are as `severity.lacking` and the view `comparison_summary` have them.
    """
    lack = counts.get("unmeasured", 0)  # data of before may lack it
    if not lack:
        return ""
    sides = {"without_base": "without a base", "without_new": "without the new kernel"}
    which = next((words for key, words in sides.items() if counts[key] == lack), "not measured")
    return f"{lack} of {counts['figures']} figures {which}"


def interval(row: Mapping[str, Any]) -> str:
    """Return the ends of a row's interval in percent, or "-"."""
    if row["ci_low"] is None or row["ci_high"] is None:
        return "-"
    return f"[{percent(row['ci_low'])}, {percent(row['ci_high'])}]"


def metric(row: Mapping[str, Any]) -> str:
    """Name what a row is about; a median of single numbers goes without saying."""
    statistic = "" if row["statistic"] == "median" else f" {row['statistic']}"
    instance = f" {row['instance']}" if row.get("instance") else ""
    return f"{row['metric']}{instance}{statistic} [{row['unit']}]"


def verdict(row: Mapping[str, Any]) -> str:
    """Return a row's verdict, marked where it proves nothing."""
    return f"{row['verdict']} (hint)" if row["hint"] else str(row["verdict"])


def measured(data: FilesData) -> str:
    """Say what was run, with the tool where its name does not say it."""
    name = data["benchmark"]
    return name if data["tool"] in name else f"{name} ({data['tool']})"


def side(its: FileSide) -> str:
    """Say in one line what a side is: kernel, files, version of the tool."""
    files = [*its["files"], *its["failed"]]
    more = f" and {len(files) - _FILES_NAMED} more" if len(files) > _FILES_NAMED else ""
    named = f"{', '.join(files[:_FILES_NAMED])}{more}"
    kernel = its.get("kernel")
    parts = []
    if kernel is not None:
        applied = f" + {kernel['series']} {kernel['application']}" if kernel["series"] else ""
        knobs = ", ".join(f"{k}={v}" for k, v in sorted(kernel["knobs"].items()))
        parts.append(f"{kernel['release']} ({kernel['digest'][:12]}){applied}")
        parts += [f"variant {kernel['variant']}"] if kernel["variant"] != "default" else []
        parts += [f"knobs {knobs}"] if knobs else []
    parts.append(f"{its['n']} boot{'s' if its['n'] != 1 else ''}: {named}")
    return "; ".join(parts)


def names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name rows of a table: benchmark, metric, statistic, and parameters that tell rows apart."""
    varied: dict[str, dict[str, set[str]]] = {}
    for r in rows:
        for k, v in r["parameters"].items():
            varied.setdefault(r["benchmark"], {}).setdefault(k, set()).add(v)
    named = []
    for r in rows:
        parameters = [f"{k}={v}" for k, v in r["parameters"].items()
                if len(varied[r["benchmark"]][k]) > 1]  # fmt: skip
        statistic = "" if r["statistic"] == "median" else r["statistic"]
        named.append(" ".join(filter(None, (r["benchmark"], *parameters, r["metric"], statistic))))
    return named


def _wrap(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _head(data: FilesData) -> list[str]:
    versions = {version for s in SIDES if (version := data[s]["version"]) is not None}
    fields: list[tuple[str, str]] = [
        ("measured", " ".join([measured(data), *(f"version {v}" for v in sorted(versions))])),
        *((name, side(data[name])) for name in SIDES),
        ("catalogue", ", ".join(data["catalogue"])),
        ("board", ". ".join(filter(None, (data["board_type"], data["limits"])))),
    ]
    lines = ["SYNTHETIC: these figures come from a report, not from a boot."] * data["synthetic"]
    for name, text in fields:
        lines += _wrap(text, f"{name + ':':<11}", " " * 11) if text else []
    return lines


def _table(data: FilesData) -> list[str]:
    if not data["rows"]:
        return ["There is nothing to compare."]
    lines = [
        f"{'metric [unit]':<54}{'verdict':>24}",
        f"{'base':>15}{'new':>15}{'change':>13}{'95 % interval':^25}{'n':>10}",
        "-" * WIDTH,
    ]
    for row in data["rows"]:
        lines += _row(row)
    hint = any(row["hint"] for row in data["rows"])
    return [*lines, "-" * WIDTH, *_wrap(_LEGEND + _LEGEND_HINT * hint, "", "")]


def _row(row: FileRow) -> list[str]:
    name, word = metric(row), verdict(row)
    head = f"{name:<{WIDTH - len(word) - 1}} {word}"
    lines = [head] if len(head) <= WIDTH else [*_wrap(name, "", "    "), f"{word:>{WIDTH}}"]
    change = "-" if row["effect"] is None else f"{percent(row['effect'])} %"
    doubtful = row["suspect"] and row["verdict"] in ("MARGINAL", "INCONCLUSIVE")
    n = f"{row['n_base']} + {row['n_new']}"
    return [
        *lines,
        f"{number(row['base']):>15} {number(row['new']):>14}{change:>13}{interval(row):^25}{n:>10}",
        *_wrap(row["reason"] + _SUSPECT * doubtful, "    ", "    "),
    ]


def _distributions(data: FilesData) -> list[str]:
    lines: list[str] = []
    for d in data["distributions"]:
        lines += _wrap(f"{d['metric']} [{d['unit']}]: {d['headline']}", "  ", "      ")
        if d["suspect"]:
            lines += _wrap("a screen, which a rerun must confirm", "      ", "      ")
    return lines


def _not_compared(data: FilesData) -> list[str]:
    return [
        line
        for m in data["not_compared"]
        for line in _wrap(
            f"{m['metric']} [{m['unit']}]: {number(m['base'])} -> {number(m['new'])}", "  ", "    "
        )
    ]
