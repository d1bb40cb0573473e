# SPDX-License-Identifier: GPL-2.0-only
"""The shape of a LAVA server's answers: of v0.2 of its REST interface, as of LAVA 2023.01.

A server of another version, a proxy, or a lab that means harm may send anything.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import Any

from vlag import notation

#: Reads one value; raises for one of another kind.
Kind = Callable[[Any], Any]
Shape = Mapping[str, Kind]


def number(value: Any) -> int:
    """Return a whole number of at most 63 bits."""
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError("is no whole number")
    return value


def text(value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise TypeError("is no text")
    return value


def moment(value: Any) -> datetime.datetime:
    """Return a date and time that exists in every zone."""
    at = datetime.datetime.fromisoformat(text(value))
    _ = at.astimezone(datetime.UTC)
    return at


def multinode(value: Any) -> dict[str, Any]:
    """Return the part of a multinode job's definition (YAML) that names group and role."""
    node = notation.read_yaml(text(value))["protocols"]["lava-multinode"]
    return {key: optional(text)(node.get(key)) for key in ("target_group", "role")}


def measurement(value: Any) -> float | None:
    """Return the number of a result, None if it has none."""
    return None if text(value) in ("", "None") else float(value)


def optional(kind: Kind) -> Kind:
    """Return a kind that may be null."""
    return lambda value: None if value is None else kind(value)


def every(kind: Kind) -> Kind:
    """Return a list of a kind."""

    def read(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise TypeError("is no list")
        return [kind(part) for part in value]

    return read


def mapping(value: Any) -> dict[str, Any]:
    """Return an object of any shape."""
    if not isinstance(value, dict):
        raise TypeError("is no object")
    return value


def flag(value: Any) -> bool:
    """Return whether a value is there and not empty."""
    return bool(value)


PAGE: Shape = {"results": every(mapping), "next": flag}
SUBMITTED: Shape = {"job_ids": every(lambda value: value)}
VALIDATED: Shape = {"message": text}
VERSION: Shape = {"version": text}
TAG: Shape = {"id": number, "name": text}
RESULT: Shape = {
    "suite": text, "name": text, "result": text, "measurement": measurement, "unit": text,
}  # fmt: skip
DEVICE: Shape = {
    "hostname": text, "device_type": text, "state": text, "health": text,
    "worker_host": optional(text), "tags": every(number),
}  # fmt: skip
WORKER: Shape = {
    "hostname": text, "state": text, "health": text, "version": optional(text),
    "last_ping": moment,
}  # fmt: skip
JOB: Shape = {
    "id": number, "state": text, "health": text, "description": optional(text),
    "requested_device_type": optional(text), "tags": every(number), "actual_device": optional(text),
    "priority": number, "submitter": text, "submit_time": moment, "start_time": optional(moment),
    "end_time": optional(moment), "failure_comment": optional(text),
    "multinode_definition": optional(text), "definition": optional(text),
}  # fmt: skip
MULTINODE: Shape = {"definition": multinode}


class AnswerError(ValueError):
    """An answer of another shape; the message is half a sentence."""


def read(answer: Mapping[str, Any], shape: Shape) -> dict[str, Any]:
    """Return the values of a shape's keys; AnswerError names the key that is wrong."""
    made = {}
    for key, kind in shape.items():
        if key not in answer:
            raise AnswerError(f"without {key!r}")
        try:
            made[key] = kind(answer[key])
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as e:
            message = " ".join(str(e).split())[:100]
            raise AnswerError(f"with {str(answer[key])[:60]!r} as {key!r}: {message}") from e
    return made
