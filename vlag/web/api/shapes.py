# SPDX-License-Identifier: GPL-2.0-only
"""What the objects of the API have: names, types, and JSON schemas made of these.

A version keeps its fields: a change of one needs a new version, a new field does not.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypedDict

Row = Mapping[str, Any]

#: A JSON schema, as far as the API needs one.
Schema = TypedDict(
    "Schema",
    {
        "$ref": str,
        "type": str | list[str],
        "format": str,
        "const": str,
        "enum": list[str],
        "pattern": str,
        "maxLength": int,
        "minimum": int,
        "maximum": int,
        "items": "Schema",
        "required": list[str],
        "properties": Mapping[str, "Schema"],
        "allOf": list["Schema"],
        "anyOf": list["Schema"],
    },
    total=False,
)

#: Word of a field's type -> JSON schema.  "?" behind a word: may be null.
_TYPES: Mapping[str, Schema] = MappingProxyType(
    {
        "int": {"type": "integer"},
        "num": {"type": "number"},
        "str": {"type": "string"},
        "bool": {"type": "boolean"},
        "time": {"type": "string", "format": "date-time"},
        "ints": {"type": "array", "items": {"type": "integer"}},
        "strs": {"type": "array", "items": {"type": "string"}},
    }
)

_COMPARISON = (
    "id:int at:time board_type:str role:str? plan:str? synthetic:bool current:bool"
    " base_kernel:int new_kernel:int base:str new:str base_commit:str new_commit:str"
    " base_knobs:str new_knobs:str tree:str branch:str? patches:str? application:str variant:str"
    " subject:str committed_at:time verdict:str regressions:int hints:int improvements:int"
    " suspected:int marginal:int inconclusive:int not_comparable:int unchanged:int failures:int"
    " worst:num? as_predicted:bool? notes:strs"
)
_ALERT = (
    "id:int kind:str title:str body:str tree:str? branch:str? branches:strs? board_type:str?"
    " board:str? role:str? triage:str owner:str? due:str? open:bool opened_at:time changed_at:time"
    " withdrawn_at:time? muted_until:time? throughput:num? latency:num? base_kernel:int?"
    " new_kernel:int? commit:str? synthetic:bool"
)
_VERDICT = (
    "comparison:int board_type:str benchmark:str parameters:str metric:str statistic:str unit:str"
    " direction:str verdict:str standing:str hint:bool effect:num? ci_low:num? ci_high:num?"
    " p:num? worsening:num? base_value:num? new_value:num? n_base:int n_new:int reason:str?"
    " series_base:int? series_new:int? base_runs:ints new_runs:ints decided_by:int?"
    " screened:str screened_effect:num? screened_ci_low:num? screened_ci_high:num?"
    " mode:str? conditional_effect:num? conditional_low:num? conditional_high:num?"
)
_RUN = (
    "id:int kernel:int board:str board_type:str deterministic:bool? plan:str? benchmark:str"
    " parameters:str seed:int knobs:str observes:str? outcome:str reason:str? started_at:time"
    " finished_at:time took_s:num tool_version:str? emulator:str? emulator_version:str?"
    " image_sha256:str? config_sha256:str? alarms:int left_out:str? marked:bool synthetic:bool"
    " digest:str"
)

#: Name of an object -> its fields, "NAME:TYPE ...".
FIELDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        name: dict(field.split(":") for field in text.split())
        for name, text in {
            "Comparison": _COMPARISON,
            "Verdict": _VERDICT,
            "Quantile": (
                "benchmark:str parameters:str metric:str unit:str quantile:str base_value:num?"
                " new_value:num? effect:num? ci_low:num? ci_high:num? p:num? moved:bool"
            ),
            "Failure": (
                "side:str kind:str build:int? run:int? benchmark:str? parameters:str? seed:int?"
                " outcome:str reason:str? at:time"
            ),
            "Alert": _ALERT,
            "AlertText": "since:int said:int at:time title:str body:str",
            "AlertEvent": "at:time by:str action:str triage:str? why:str?",
            "Night": (
                "id:int started_at:time finished_at:time comparisons:ints missing:strs notes:strs"
                " url:str? tests:int? q:num?"
            ),
            "Board": (
                "name:str board_type:str arch:str deterministic:bool cpus:int state:str"
                " since:time? reason:str? last_finding:str? last_checked:time?"
            ),
            "Series": (
                "id:int benchmark:str parameters:str metric:str statistic:str unit:str"
                " direction:str tool:str tool_version:str board_type:str latency:bool"
            ),
            "Point": (
                "at:time value:num run:int kernel:int name:str commit:str committed_at:time"
                " subject:str board:str seed:int marked:bool"
            ),
            "ChangePoint": (
                "id:int kernel:int commit:str committed_at:time effect:num ci_low:num? ci_high:num?"
                " worsening:num? cause:str found_at:time"
            ),
            "Run": _RUN,
            "Lane": (
                "id:int tree:str commit:str subject:str parent:str? lane:str outcome:str"
                " reason:str? is_new:bool warnings:int new_warnings:int unjudged:str?"
                " toolchain:str branches:strs at:time"
            ),
            "LaneFinding": "kind:str file:str line:int? message:str count:int is_new:bool",
            "Value": "series:int metric:str statistic:str unit:str direction:str value:num",
        }.items()
    }
)


def schemas() -> dict[str, Schema]:
    """Return the JSON schema of each object."""
    return {
        name: {
            "type": "object",
            "required": list(fields),
            "properties": {field: _schema(word) for field, word in fields.items()},
        }
        for name, fields in FIELDS.items()
    }


def _schema(word: str) -> Schema:
    plain = _TYPES[word.rstrip("?")]
    if not word.endswith("?"):
        return plain
    name = plain["type"]
    return {**plain, "type": [*([name] if isinstance(name, str) else name), "null"]}


def shaped(name: str, row: Row) -> dict[str, Any]:
    """Return the fields of an object from a row of a view."""
    return {field: _value(row[field]) for field in FIELDS[name]}


def _value(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    return list(value) if isinstance(value, tuple | list) else value
