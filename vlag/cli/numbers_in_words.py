# SPDX-License-Identifier: GPL-2.0-only
"""Numbers as people's programs print them: decimal signs, thousands, units."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence

from vlag.errors import ContentError

# 94.0  1,234.5  1.234,5  1 234  1'234  9.4e3, and a unit behind
_NUMBER = re.compile(
    r"(?P<number>[+-]?(?:inf|infinity|[\d.,'_\u00a0\u202f ]*\d(?:[.,](?=\s|$))?(?:e[+-]?\d+)?))"
    r"\s*(?P<unit>[^\s\d.,'_+-][^\s]*)?",
    re.IGNORECASE,
)
_GROUPS = "'_\u00a0\u202f "


class Decimal(enum.Enum):
    """The sign between a number's whole part and its fraction."""

    POINT = "point"
    COMMA = "comma"


def is_number(text: str) -> bool:
    """Return whether a text is a number, whatever its signs mean."""
    return _NUMBER.fullmatch(text.strip()) is not None


def number_of(
    texts: Sequence[tuple[str, str]], decimal: Decimal | None
) -> tuple[list[float], str | None]:
    """Return the numbers in texts, each with where it stands, and their common unit.

    Raises ContentError for what is no number, for two units, and for numbers whose comma or point
    may stand for a fraction or for thousands.
    """
    parts: list[tuple[str, str, str]] = []
    for where, text in texts:
        match = _NUMBER.fullmatch(text.strip())
        if match is None:
            raise ContentError(f"{where}: {text!r} is not a number")
        parts.append((where, match["number"], match["unit"] or ""))
    units = dict.fromkeys(unit for _, _, unit in parts)
    if len(units) > 1:
        one, other = [u or "no unit" for u in units][:2]
        where = next(w for w, _, unit in parts if unit == list(units)[1])
        raise ContentError(f"{where}: a value in {other}, those before it in {one}; use one unit")
    sign = decimal or _sign([(where, number) for where, number, _ in parts])
    return [_float(where, number, sign) for where, number, _ in parts], next(iter(units)) or None


def _sign(numbers: Sequence[tuple[str, str]]) -> Decimal:
    """Return the decimal sign that all numbers show; ContentError where they show none surely."""
    commas = [(w, n) for w, n in numbers if "," in n]
    if not commas:
        return Decimal.POINT if any(n.count(".") <= 1 for _, n in numbers) else Decimal.COMMA
    for _, number in commas:
        if "." in number:
            return Decimal.COMMA if number.rindex(",") > number.rindex(".") else Decimal.POINT
        if number.count(",") > 1:
            return Decimal.POINT
        if not re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", number):
            return Decimal.COMMA
    if any("." in n for _, n in numbers):
        return Decimal.POINT
    where, number = commas[0]
    raise ContentError(
        f"{where}: {number!r} is {number.replace(',', '')} (--decimal point) or"
        f" {number.replace(',', '.')} (--decimal comma); say which"
    )


def _float(where: str, text: str, sign: Decimal) -> float:
    group, point = (",", ".") if sign is Decimal.POINT else (".", ",")
    plain = text
    for space in _GROUPS:
        plain = plain.replace(space, "")
    whole, _, fraction = plain.partition(point)
    if group in whole and not re.fullmatch(rf"[+-]?\d{{1,3}}(?:{re.escape(group)}\d{{3}})+", whole):
        raise ContentError(f"{where}: {text!r} is not a number with a decimal {sign.value}")
    digits = whole.replace(group, "")
    try:
        return float(f"{digits}.{fraction}" if fraction else digits)
    except ValueError:
        raise ContentError(f"{where}: {text!r} is not a number") from None
