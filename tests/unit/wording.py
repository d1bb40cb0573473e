# SPDX-License-Identifier: GPL-2.0-only
"""Words that the kernel's lists do not use for what vlag does, each with what people write."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

#: Both kernels boot again: a rerun.  A quantile needs more samples than there are: too few samples.
_UNWANTED = re.compile(
    r"\bfresh (?:boot|run)s?\b|\bfresh ones\b|\bdo(?:es)? not know (?:p\d|\{)", re.IGNORECASE
)


def unwanted(text: str) -> list[str]:
    """Return the unwanted words of a text, wherever its lines break; "{" stands for any value."""
    return _UNWANTED.findall(" ".join(text.split()))


_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def strings(code: str) -> Iterator[str]:
    """Yield each string of a module that is no docstring; values in it are "{}"."""
    tree = ast.parse(code)
    quiet = set()
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node) is not None:
            quiet |= {id(part) for part in ast.walk(node.body[0])}
        if isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and id(node) not in quiet:
            yield str(node.value)
