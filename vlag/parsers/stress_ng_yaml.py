# SPDX-License-Identifier: GPL-2.0-only
"""The file that stress-ng writes with `--yaml`, versions 0.05 to 0.22."""

from __future__ import annotations

import re
from collections.abc import Mapping

import yaml
from attrs import frozen

from vlag.errors import ParseError
from vlag.model import ParsedOutput
from vlag.parsers import stress_ng_metrics as metrics
from vlag.parsers.lines import Line
from vlag.parsers.stress_ng_metrics import Given

# 0.19.02 writes this key of build-info without its indentation:
# source-date-epoch: 1751354863
_NOT_INDENTED = re.compile(r"source-date-epoch: \d+", re.ASCII)
_INDENTATION = "      "

_NUMBER = re.compile(r"-?\d{1,18}\.\d{1,9}(?:e[+-]?\d{1,3})?|-?(?:nan|inf)", re.ASCII)
_WHOLE = re.compile(r"\d{1,18}", re.ASCII)

_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}", re.ASCII)

# 0.15.06, 0.19.02
_VERSION = re.compile(r"\d{1,4}\.\d{1,4}\.\d{1,4}", re.ASCII)

# The first version whose stressors have their miscellaneous metrics.
_DESCRIBED_SINCE = (0, 15, 5)

_RATE = "bogo-ops-per-second-real-time"
_OPERATIONS = "bogo-ops"
_TIME = "wall-clock-time"

# What a stressor's entry holds beside its miscellaneous metrics; `instances`, since
# 0.21.04, has the same keys for each instance.
_COMMON = frozenset(
    {
        "stressor",
        _OPERATIONS,
        "bogo-ops-per-second-usr-sys-time",
        _RATE,
        _TIME,
        "user-time",
        "system-time",
        "cpu-usage-per-instance",
        "max-rss",
        "instances",
    }
)


@frozen
class _Scalar:
    text: str
    line: int


@frozen
class _Document:
    """The YAML nodes between the file's first and last mark."""

    path: str
    lines: tuple[Line, ...]

    def line(self, node: yaml.Node) -> int:
        """Return the number of the line on which the node begins."""
        return self.lines[min(node.start_mark.line, len(self.lines) - 1)].number

    def error(self, message: str, node: yaml.Node) -> ParseError:
        """Return the error for a node."""
        return ParseError(message, path=self.path, line=self.line(node))

    def mapping(self, node: yaml.Node, what: str) -> dict[str, yaml.Node]:
        """Return the values of a mapping; raise for anything else and for a double key."""
        if not isinstance(node, yaml.MappingNode):
            raise self.error(f"{what} must be a mapping", node)
        entries: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self.error(f"{what} has a key that is not text", key)
            if key.value in entries:
                raise self.error(f"the key '{key.value}' appears twice in {what}", key)
            entries[key.value] = value
        return entries

    def scalar(
        self, within: Mapping[str, yaml.Node], key: str, above: yaml.Node, like: re.Pattern[str]
    ) -> _Scalar:
        """Return the text under `key`, which must match; `above` is the place of a missing key."""
        node = within.get(key)
        if node is None:
            raise self.error(f"'{key}' is missing", above)
        if not isinstance(node, yaml.ScalarNode) or not like.fullmatch(node.value):
            value = f"'{node.value[:40]}'" if isinstance(node, yaml.ScalarNode) else "no text"
            raise self.error(f"'{key}' is {value}, which this parser cannot read", node)
        return _Scalar(node.value, self.line(node))


def find(lines: list[Line]) -> list[Line] | None:
    """Return the lines from the start mark of a YAML file on; None if there is no mark."""
    for k, line in enumerate(lines):
        if line.text == "---":
            return lines[k:]
        if line.text and not line.text.startswith("$ "):
            break
    return None


def _compose(lines: list[Line], path: str) -> tuple[_Document, yaml.Node]:
    ends = [k for k, line in enumerate(lines) if line.text == "..."]
    if not ends:
        raise lines[-1].refuse("the YAML file is cut off: no '...' ends it")
    document = _Document(path, tuple(lines[: ends[0] + 1]))
    text = "\n".join(
        f"{_INDENTATION}{line.text}" if _NOT_INDENTED.fullmatch(line.text) else line.text
        for line in document.lines
    )
    try:
        root = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        at = 0 if mark is None else min(mark.line, len(document.lines) - 1)
        raise document.lines[at].refuse(f"the output is no YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        raise lines[0].refuse("the output is no YAML") from None
    if root is None:
        raise lines[0].refuse("the YAML file is empty")
    return document, root


def _miscellaneous(
    document: _Document, entry: Mapping[str, yaml.Node], stressor: str, node: yaml.Node
) -> list[Given]:
    if not metrics.is_known(stressor):
        return []
    figures = []
    for key, value in entry.items():
        if key in _COMMON:
            continue
        what = metrics.by_key(stressor, key)
        if what is None:
            raise document.error(
                f"'{key}' is not a metric of '{stressor}' that this parser knows", value
            )
        figure = document.scalar(entry, key, node, _NUMBER)
        figures.append(Given(what, figure.text, "arithmetic", figure.line))
    return figures


def parse(lines: list[Line], *, tool: str, path: str) -> ParsedOutput:
    """Return the metrics of the one stressor in a YAML file of stress-ng.

    The same metrics as in the text but `cyclic`'s latencies, which are not there.  The
    rate agrees with the text's.  A miscellaneous metric is the arithmetic mean of the
    instances here and another mean in the text, so that the two agree with one instance
    only, and `mean` is "arithmetic" in `defaults`.  The file has neither the success of
    the run nor the number of instances.

    Raises ParseError for a file that is cut off or of an unknown layout, for no stressor
    or several, and for a value that is not above 0, as after a skipped stressor.
    """
    document, root = _compose(lines, path)
    whole = document.mapping(root, "the file")
    for key in ("system-info", "metrics"):
        if key not in whole:
            raise document.error(f"the file has no '{key}'", root)
    info = document.mapping(whole["system-info"], "'system-info'")
    version = document.scalar(info, "stress-ng-version", whole["system-info"], _VERSION)
    table = whole["metrics"]
    if not isinstance(table, yaml.SequenceNode) or len(table.value) != 1:
        count = len(table.value) if isinstance(table, yaml.SequenceNode) else 0
        raise document.error(
            f"there are metrics of {count} stressors, where one run of one stressor is expected;"
            " run stress-ng with --metrics",
            table,
        )
    [node] = table.value
    entry = document.mapping(node, "the stressor's metrics")
    stressor = document.scalar(entry, "stressor", node, _NAME).text
    value = document.scalar(entry, _RATE, node, _NUMBER)
    rate = metrics.rate(
        document.scalar(entry, _OPERATIONS, node, _WHOLE).text,
        document.scalar(entry, _TIME, node, _NUMBER).text,
        value.text,
        path,
        value.line,
    )
    old = tuple(map(int, version.text.split("."))) < _DESCRIBED_SINCE
    samples, defaults = metrics.miscellaneous(
        stressor,
        _miscellaneous(document, entry, stressor, node),
        optional=old,
        needed=not old,
        path=path,
        end=document.line(node),
    )
    return ParsedOutput(
        tool=tool,
        benchmark=f"{tool} {stressor}",
        tool_version=version.text,
        defaults=defaults,
        samples=(rate, *samples),
        histograms=(),
    )
