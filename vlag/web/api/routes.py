# SPDX-License-Identifier: GPL-2.0-only
"""The addresses of the API and its OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import attrs
from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import HTTPException

import vlag
from vlag.errors import InfrastructureError, UsageError
from vlag.report import read_model
from vlag.store import comparisons
from vlag.store.database import Connection
from vlag.web.api.shapes import Schema, schemas, shaped
from vlag.web.installation import reading, show_at
from vlag.web.params import LARGEST, LONGEST, Params, missing, sentence

#: Part of every address: what programs were written for stays.
VERSION = "v1"

api = Blueprint("api", __name__, url_prefix=f"/api/{VERSION}")

Row = Mapping[str, Any]

_NUMBER: Schema = {"type": "integer", "minimum": 1, "maximum": LARGEST}
#: One line without control characters.
_TEXT: Schema = {"type": "string", "maxLength": LONGEST, "pattern": r"^[^\x00-\x1f\x7f]+$"}
#: JSON schema of each parameter of a query.
_PARAMETERS: Mapping[str, Schema] = {
    "all": {"type": "string", "enum": ["1"]},
    "board": _TEXT,
    "branch": {"type": "string", "maxLength": LONGEST,
               "pattern": r"^[^/\x00-\x1f\x7f]+/[^\x00-\x1f\x7f]+$"},
    "knobs": _TEXT,
    "said": _NUMBER,
    "series": _NUMBER,
    "statistic": _TEXT,
}  # fmt: skip

_SAID = {"said": "what was said then: the number in a link of a mail or report; without it now"}
_BRANCH = {"branch": "TREE/BRANCH, such as debian/linux-6.12"}


@attrs.frozen(kw_only=True)
class Resource:
    """One address: what it takes and what it answers."""

    path: str  # with Flask's <int:number>
    summary: str
    answer: Schema
    read: Callable[..., Any]
    query: Mapping[str, str] = attrs.field(factory=dict)  # parameter -> description
    required: Sequence[str] = ()  # those without which it says 400


def _list(name: str) -> Schema:
    return {"type": "array", "items": _ref(name)}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "required": list(properties), "properties": properties}


def _known(row: Row | None, what: str) -> Row:
    """Return what was found; nothing ends the request with 404."""
    if row is None:
        missing(f"There is no {what}.")
    return row


def _branches(conn: Connection, _asked: Params) -> Any:
    return read_model.branches(conn)


def _latest(conn: Connection, _asked: Params) -> Any:
    newest = [c["id"] for c in read_model.overview(conn)["comparisons"]]
    return [shaped("Comparison", c) for c in read_model.by_ids(conn, list(dict.fromkeys(newest)))]


def _comparisons(conn: Connection, asked: Params) -> Any:
    tree, branch = asked.branch("branch")
    rows = read_model.comparisons_of_branch(conn, tree, branch, asked.text("board"))
    return [shaped("Comparison", c) for c in rows]


def _comparison(conn: Connection, asked: Params, number: int) -> Any:
    said, since = (
        asked.optional_integer("said"),
        comparisons.statement_numbers(conn, [number]).get(number, 0),
    )
    show_at(conn, said, since=since, what=f"comparison {number}")
    whole = _known(read_model.comparison(conn, number), f"comparison {number} on record")
    return {
        **shaped("Comparison", whole),
        "verdicts": [shaped("Verdict", v) for v in whole["verdicts"]],
        "quantiles": [shaped("Quantile", q) for q in whole["distributions"]],
        "failed": [shaped("Failure", f) for f in whole["failed"]],
    }


def _series(conn: Connection, asked: Params) -> Any:
    tree, branch = asked.branch("branch")
    rows = read_model.time_series_of(conn, tree, branch, asked.optional_text("board"))
    return [shaped("Series", s) for s in rows]


def _history(conn: Connection, asked: Params) -> Any:
    tree, branch = asked.branch("branch")
    series, statistic = asked.integer("series"), asked.text("statistic")
    words = f"time series {series}; /series lists those of a branch"
    series = _known(read_model.time_series(conn, series), words)["id"]
    knobs = asked.optional_text("knobs") or ""
    history = read_model.branch_history(conn, tree, branch, series, statistic, knobs=knobs)
    return {
        "points": [shaped("Point", p) for p in history["points"]],
        "changes": [shaped("ChangePoint", c) for c in history["changes"]],
    }


def _run(conn: Connection, _asked: Params, number: int) -> Any:
    run = _known(read_model.run(conn, number), f"run {number} on record")
    return {**shaped("Run", run), "values": [shaped("Value", v) for v in run["values"]]}


def _alerts(conn: Connection, asked: Params) -> Any:
    tree, branch = asked.branch("branch") if "branch" in asked else (None, None)
    rows = read_model.alerts(conn, tree=tree, branch=branch, closed=asked.flag("all"))
    return [shaped("Alert", a) for a in rows]


def _alert(conn: Connection, asked: Params, number: int) -> Any:
    try:
        known = read_model.alert(conn, number, asked.optional_integer("said"))
    except UsageError as e:
        missing(sentence(e))
    alert = _known(known, f"alert {number} on record")
    return {
        **shaped("Alert", alert),
        "verdicts": [shaped("Verdict", v) for v in alert["verdicts"]],
        "events": [shaped("AlertEvent", e) for e in alert["events"]],
        "texts": [shaped("AlertText", t) for t in alert["texts"]],
    }


def _lanes(conn: Connection, asked: Params) -> Any:
    tree, branch = asked.branch("branch")
    return [
        {
            **shaped("Lane", lane),
            "findings": [shaped("LaneFinding", f) for f in lane["findings"]],
        }
        for commit in read_model.lanes_of_branch(conn, tree, branch)
        for lane in commit["lanes"]
    ]


def _night(conn: Connection, _asked: Params, number: int | None = None) -> Any:
    asked = "night on record yet" if number is None else f"night {number} on record"
    return shaped("Night", _known(read_model.night(conn, number), asked))


def _boards(conn: Connection, _asked: Params) -> Any:
    return [shaped("Board", b) for b in read_model.boards(conn)]


RESOURCES = (
    Resource(path="/branches", summary="Branches that were compared, as TREE/BRANCH",
             answer={"type": "array", "items": {"type": "string"}}, read=_branches),
    Resource(path="/latest", summary="The newest comparison of each branch on each board type",
             answer=_list("Comparison"), read=_latest),
    Resource(path="/comparisons", summary="The newest comparisons of a branch on a board type",
             answer=_list("Comparison"), read=_comparisons,
             query={**_BRANCH, "board": "board type"}, required=("branch", "board")),
    Resource(path="/comparisons/<int:number>",
             summary="A comparison: each figure, worst first, and what failed",
             answer={"allOf": [_ref("Comparison"), _object(
                 verdicts=_list("Verdict"), quantiles=_list("Quantile"), failed=_list("Failure"),
             )]}, read=_comparison, query=_SAID),
    Resource(path="/series", summary="Time series of a branch, for /history",
             answer=_list("Series"), read=_series,
             query={**_BRANCH, "board": "board type; without it all"}, required=("branch",)),
    Resource(path="/history", summary="A figure over the commits of a branch: boots and steps",
             answer=_object(points=_list("Point"), changes=_list("ChangePoint")), read=_history,
             query={**_BRANCH, "series": "number of a time series",
                    "statistic": "such as median, p99",
                    "knobs": "knobs of the boots, as a comparison has them; without it none"},
             required=("branch", "series", "statistic")),
    Resource(path="/runs/<int:number>", summary="A boot with its values",
             answer={"allOf": [_ref("Run"), _object(values=_list("Value"))]}, read=_run),
    Resource(path="/alerts", summary="The open alerts, the newest first",
             answer=_list("Alert"), read=_alerts,
             query={**_BRANCH, "all": "1: also those that are closed"}),
    Resource(path="/alerts/<int:number>", summary="An alert: its figures and its history",
             answer={"allOf": [_ref("Alert"), _object(
                 verdicts=_list("Verdict"), events=_list("AlertEvent"), texts=_list("AlertText"),
             )]}, read=_alert, query=_SAID),
    Resource(path="/lanes", summary="Build lanes of the newest commits of a branch",
             answer={"type": "array", "items": {"allOf": [
                 _ref("Lane"), _object(findings=_list("LaneFinding")),
             ]}}, read=_lanes, query=_BRANCH, required=("branch",)),
    Resource(path="/nights/last", summary="The last night that has ended",
             answer=_ref("Night"), read=_night),
    Resource(path="/nights/<int:number>", summary="A night", answer=_ref("Night"), read=_night),
    Resource(path="/boards", summary="The boards with their state",
             answer=_list("Board"), read=_boards),
)  # fmt: skip


def _register(resource: Resource) -> None:
    def view(**of_path: int) -> Response:
        asked = Params(request.args, *resource.query)
        if any(number > LARGEST for number in of_path.values()):
            missing("There is nothing with so large a number on record.")
        with reading() as conn:
            return jsonify(resource.read(conn, asked, **of_path))

    api.add_url_rule(resource.path, endpoint=resource.path, view_func=view)


for _resource in RESOURCES:
    _register(_resource)


@api.get("/openapi.json")
def openapi() -> Response:
    """Describe the API."""
    return jsonify(document())


def document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "vlag",
            "version": vlag.__version__,
            "description": "Results of scheduler benchmarks. Effects and intervals are relative:"
            " 0.1 is +10 %. Values are in the unit of their metric, times are UTC.",
            "license": {"name": "GPL-2.0-only", "identifier": "GPL-2.0-only"},
        },
        "servers": [{"url": "."}],
        "paths": {
            resource.path.replace("<int:", "{").replace(">", "}"): {"get": _operation(resource)}
            for resource in RESOURCES
        },
        "components": {
            "schemas": {**schemas(), "Error": _object(error={"type": "string"})},
        },
    }


_Parameter = TypedDict(
    "_Parameter",
    {"name": str, "in": str, "description": NotRequired[str], "required": bool, "schema": Schema},
)


def _operation(resource: Resource) -> dict[str, Any]:
    parameters: list[_Parameter] = []
    for name, description in resource.query.items():
        required, schema = name in resource.required, _PARAMETERS[name]
        parameters.append({
            "name": name, "in": "query", "description": description, "required": required,
            "schema": schema if required else {"anyOf": [schema, {"const": ""}]},
        })  # fmt: skip
    if "<int:number>" in resource.path:
        schema = {"type": "integer", "minimum": 1}
        parameters.append({"name": "number", "in": "path", "required": True, "schema": schema})
    words = resource.path.replace("<int:number>", "one").strip("/").split("/")
    failed = {"application/json": {"schema": _ref("Error")}}
    return {
        "operationId": "_".join(words),
        "summary": resource.summary,
        "parameters": parameters,
        "responses": {
            "200": {
                "description": resource.summary,
                "content": {"application/json": {"schema": resource.answer}},
            },
            "400": {"description": "A wrong parameter", "content": failed},
            "404": {"description": "It is not on record", "content": failed},
            "503": {"description": "The database does not answer now", "content": failed},
        },
    }


@api.errorhandler(HTTPException)
def refused(error: HTTPException) -> tuple[Response, int]:
    """Say in JSON why a request got no answer, also one for an address that is none of these."""
    if error.code == 404 and request.url_rule is None:
        return jsonify(error=f"There is no such address; /api/{VERSION}/openapi.json has all."), 404
    return jsonify(error=error.description or error.name), error.code or 500


@api.errorhandler(InfrastructureError)
def _unavailable(error: InfrastructureError) -> tuple[Response, int]:
    return jsonify(error=f"The database does not answer now: {error}."), 503
