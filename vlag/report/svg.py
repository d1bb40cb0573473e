# SPDX-License-Identifier: GPL-2.0-only
"""The output of matplotlib as an `svg` element for a page."""

from __future__ import annotations

import hashlib
import html
import io
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from vlag.report import colours
from vlag.report.compared import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rows = Sequence[Mapping[str, Any]]

# More links than this are useless for keyboard navigation.
_WALKED = 60
_STYLE_OF = re.compile(r'style="([^"]*)"')
_PLACE_OF = re.compile(r'\b(d|x|y|transform)="([^"]*)"')
_ATTRIBUTE = re.compile(r' ([\w-]+)="[^"]*"')
_COLOUR_OF = re.compile(r'(?<=")#[0-9a-f]{6}(?=")')
# A page sets the variables, light or dark; a file by itself has the colours after them.
_COLOURS = {
    forms[0].lower(): colours.var(name).lower()
    for name, forms in (*colours.PAGE.items(), *colours.PALETTE.items())
} | {
    colours.INK.lower(): "currentColor",
}
_USE = re.compile(r'<use href="#([^"]*)"([^>]*?) x="([^"]*)" y="([^"]*)"([^>]*?)/>')


def svg(figure: Figure, title: str, description: str, points: Rows = ()) -> str:
    """Return a figure as an `svg` element with the width of its container.

    `said` is the description for screen readers.  A link of matplotlib to "point:N" becomes
    a link to the `url` of the N-th point, named by its `label`.
    """
    out = io.StringIO()
    unsaid = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(out, format="svg", metadata=unsaid)
    text = out.getvalue()
    text = text[text.index("<svg") :]
    box = re.search(r'viewBox="([^"]*)"', text)
    inner = _lean(text[text.index(">") + 1 : text.rindex("</svg>")])
    # An id is unique in the whole page.
    own = hashlib.sha256(f"{title}{description}{inner}".encode()).hexdigest()[:8]
    inner = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>i{own}", inner)
    links = sum(bool(p.get("url")) for p in points)
    inner = re.sub(
        r'<a href="point:(\d+)"[^>]*>',
        lambda m: _link(points[int(m.group(1))], walked=links <= _WALKED),
        inner,
    )
    # With links inside it is a group: a screen reader would skip the links of an image.
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" role="{"group" if links else "img"}"'
        f' viewBox="{box.group(1) if box else ""}" aria-labelledby="i{own}t i{own}d">'
        f'<title id="i{own}t">{html.escape(title)}</title>'
        f'<desc id="i{own}d">{html.escape(description)}</desc>{inner}</svg>\n'
    )


def _lean(inner: str) -> str:
    """Return the output of matplotlib without parts that a page does not need.

    Styles become attributes, so that a page may forbid inline styles; colours follow the page.
    """
    inner = re.sub(r"<(metadata|style)\b.*?</\1>|<!--.*?-->", "", inner, flags=re.S)
    # Groups are numbered from 1 in each figure, and nothing refers to them.
    inner = re.sub(r'<g id="[^"]*"', "<g", inner).replace("xlink:href=", "href=")
    inner = _STYLE_OF.sub(lambda m: _attributes(m.group(1)), inner)
    inner = _COLOUR_OF.sub(lambda m: _COLOURS.get(m.group(), m.group()), inner)
    inner = _PLACE_OF.sub(lambda m: f'{m.group(1)}="{_rounded(m.group(2))}"', inner)
    # All points lie inside the axes.
    inner = re.sub(r'<g clip-path="[^"]*">\s*(<use [^>]*/>)\s*</g>', r"\1", inner)
    looks: dict[str, set[tuple[str, str]]] = {}
    for m in _USE.finditer(inner):
        looks.setdefault(m.group(1), set()).add((m.group(2), m.group(5)))
    for id_, style in looks.items():
        if len(style) == 1:
            [look] = style
            own = re.compile(rf'(<path id="{re.escape(id_)}")([^>]*)>')
            inner = own.sub(partial(_with, "".join(look)), inner)
    inner = _USE.sub(
        lambda m: (
            f'<use href="#{m.group(1)}" x="{m.group(3)}" y="{m.group(4)}"/>'
            if len(looks[m.group(1)]) == 1
            else m.group(0)
        ),
        inner,
    )
    return re.sub(r"\s*\n\s*", "\n", inner)


def _with(look: str, path: re.Match[str]) -> str:
    """Return a path with attributes of its uses, each once; its own ones stay."""
    own = {m[1] for m in _ATTRIBUTE.finditer(path[2])}
    more = "".join(m[0] for m in _ATTRIBUTE.finditer(look) if m[1] not in own)
    return f"{path[1]}{more}{path[2]}>"


def _attributes(style: str) -> str:
    attributes = []
    for part in filter(None, (x.strip() for x in style.split(";"))):
        name, _, value = (x.strip() for x in part.partition(":"))
        if name == "font":
            # Size and a list of families; the last one is generic.
            size, _, family = value.partition(" ")
            attributes += [f'font-size="{size}"', f'font-family="{family.rpartition(", ")[2]}"']
        else:
            attributes.append(f'{name}="{value}"')
    return " ".join(attributes)


def _rounded(text: str) -> str:
    """Return numbers with two decimals: smaller parts of a unit are invisible."""
    return re.sub(
        r"-?\d+\.\d{3,}", lambda m: f"{float(m.group()):.2f}".rstrip("0").rstrip("."), text
    )


def _link(point: Mapping[str, Any], *, walked: bool) -> str:
    name = html.escape(str(point.get("label") or f"{point['name']}: {number(point['value'])}"))
    url = html.escape(str(point["url"]))
    skip = "" if walked else ' tabindex="-1"'
    return f'<a href="{url}" aria-label="{name}"{skip}><title>{name}</title>'
