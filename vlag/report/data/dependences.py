# SPDX-License-Identifier: GPL-2.0-only
"""Which patch of a series needs an earlier one: what fails without it, and works with it."""

from __future__ import annotations

from collections.abc import Mapping

from vlag.stats.patches import Applied


def dependences(failures: Mapping[Applied, str | None], names: Mapping[int, str]) -> list[str]:
    """Return a sentence for each patch that fails alone and works on those before it.

    `failures` has how the kernel with such patches failed, in words, and None where it did not;
    `names` are those of the patches by number.  An earlier patch is named where it is the only
    one that can be meant: without it the series fails, and no other later patch fails alone.
    """
    worked = {applied for applied, failed in failures.items() if failed is None}
    alone = {n: failed for n in names if (failed := failures.get(frozenset({n}))) is not None}
    every = frozenset(names)
    sentences = []
    for number, failed in sorted(alone.items()):
        before = frozenset(range(1, number))
        if number == 1 or frozenset({*before, number}) not in worked:
            continue
        needed = [
            n
            for n in sorted(before)
            if failures.get(every - {n}) is not None and [x for x in alone if x > n] == [number]
        ]
        whom = " and ".join(_called(n, names) for n in needed) or "an earlier patch"
        sentences.append(f"{_called(number, names)} needs {whom}: {_words(failed)}")
    return sentences


def _called(number: int, names: Mapping[int, str]) -> str:
    name = names[number]
    return f"patch {number} ({name})" if name else f"patch {number}"


def _words(failed: str) -> str:
    """Return how a patch fails alone; all but the first are failures of its kernel."""
    return (
        f"alone it {failed}" if failed == "does not apply" else f"a kernel with it alone {failed}"
    )
