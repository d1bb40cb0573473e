# SPDX-License-Identifier: GPL-2.0-only
"""What a person reads of a page or of a mail in HTML, and where it leads."""

from __future__ import annotations

import html
import re

from flask.testing import FlaskClient


def text(answer: str) -> str:
    """Return what a person reads of a page."""
    body = re.sub(r"<(style|script|title|desc)\b.*?</\1>", " ", answer, flags=re.S)
    body = body.replace("<wbr>", "")  # only a place where a line may end
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def unlinked(page: str) -> str:
    """Return a page whose words are no links and no code: a sentence with one is whole then."""
    return re.sub(r"</?(?:a|code)\b[^>]*>", "", page)


def links(page: str) -> list[str]:
    """Return the addresses that a page names, in their order."""
    return [html.unescape(x) for x in re.findall(r'\b(?:href|src)="([^"]*)"', page)]


def inside(page: str, tag: str) -> str:
    """Return what the first element of a name holds, as a browser understands it."""
    element = re.search(rf"<{tag}\b[^>]*>(.*?)</{tag}>", page, flags=re.S)
    assert element is not None, f"no <{tag}>"
    return html.unescape(element[1])


def token(page: str) -> str:
    """Return the token of a page's forms; "0", which is nobody's, where it has none."""
    found = re.search(r'name="token" value="(\w+)"', page)
    return found[1] if found else "0"


def read(client: FlaskClient, url: str, status: int = 200) -> str:
    answer = client.get(url, follow_redirects=True)
    assert answer.status_code == status, f"{url}: {text(answer.text)}"
    return answer.text


def table(page: str, label: str) -> list[list[str]]:
    """Return the cells of the table in a region, its head first."""
    # A second region of a name on a page is numbered.
    named = re.split(rf'aria-label="{re.escape(label)}(?: \(\d+\))?"', page, maxsplit=1)
    region = named[1].split("</table>", 1)[0]
    return [
        [text(cell) for cell in re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", row, flags=re.S)]
        for row in re.findall(r"<tr>(.*?)</tr>", region, flags=re.S)
    ]
