# SPDX-License-Identifier: GPL-2.0-only
"""The API for programs: each answer is what its OpenAPI document says, and equals the pages'."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from flask.testing import FlaskClient
from openapi_spec_validator import validate

from tests.conftest import fresh_database
from tests.integration.websites import Filled, Template, application, visitor
from vlag.report import read_model
from vlag.store import database
from vlag.web.api.routes import RESOURCES, VERSION, document
from vlag.web.api.shapes import FIELDS

BASE = f"/api/{VERSION}"


@pytest.fixture(scope="module")
def dsn_filled(cluster: str, branch_template: Template) -> tuple[str, Filled]:
    return fresh_database(cluster, branch_template.database), branch_template.filled


@pytest.fixture(scope="module")
def site(dsn_filled: tuple[str, Filled], tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    return visitor(application(dsn_filled[0], tmp_path_factory.mktemp("state")))


@pytest.fixture(scope="module")
def filled(dsn_filled: tuple[str, Filled]) -> Filled:
    return dsn_filled[1]


def asked(site: FlaskClient, path: str, **query: object) -> Any:
    answer = site.get(f"{BASE}{path}", query_string={k: str(v) for k, v in query.items()})
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def examples(site: FlaskClient, filled: Filled) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """Return for each resource what to ask it for."""
    board = "qemu-sim-2"
    runs = [
        run
        for v in asked(site, f"/comparisons/{filled.baseline}")["verdicts"]
        for run in (*v["base_runs"][:1], *v["new_runs"][:1])
    ]
    failed = [f["run"] for f in asked(site, f"/comparisons/{filled.failed}")["failed"] if f["run"]]
    of = {"branch": filled.branch}
    return {
        "/branches": [("/branches", {})],
        "/latest": [("/latest", {})],
        "/comparisons": [("/comparisons", {**of, "board": board})],
        "/comparisons/<int:number>": [
            (f"/comparisons/{n}", {})
            for n in (filled.baseline, filled.parent, filled.patched, filled.failed)
        ],
        "/series": [("/series", of), ("/series", {**of, "board": board})],
        "/history": [
            ("/history", {**of, "series": s["id"], "statistic": s["statistic"]})
            for s in asked(site, "/series", **of)
        ],
        "/runs/<int:number>": [(f"/runs/{n}", {}) for n in {*runs, *failed}],
        "/alerts": [("/alerts", {}), ("/alerts", {**of, "all": 1})],
        "/alerts/<int:number>": [(f"/alerts/{filled.alert}", {})],
        "/lanes": [("/lanes", of)],
        "/nights/last": [("/nights/last", {})],
        "/nights/<int:number>": [(f"/nights/{filled.night}", {})],
        "/boards": [("/boards", {})],
    }


def test_the_document_is_valid(site: FlaskClient) -> None:
    found = asked(site, "/openapi.json")
    assert found == document()
    validate(found)
    del found["info"]["title"]
    with pytest.raises(Exception, match="title"):
        validate(found)


def checker(resource: Any) -> jsonschema.Draft202012Validator:
    schema = {**resource.answer, "components": document()["components"]}
    return jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())


def test_each_answer_is_as_described(site: FlaskClient, filled: Filled) -> None:
    wanted = examples(site, filled)
    assert set(wanted) == {r.path for r in RESOURCES}
    for resource in RESOURCES:
        check = checker(resource)
        for path, query in wanted[resource.path]:
            found = asked(site, path, **query)
            check.validate(found)
            assert found or resource.path == "/boards", path


def test_a_field_that_is_missing_or_of_another_type_is_found(
    site: FlaskClient, filled: Filled
) -> None:
    [resource] = [r for r in RESOURCES if r.path == "/comparisons/<int:number>"]
    check = checker(resource)
    found = asked(site, f"/comparisons/{filled.baseline}")
    assert check.is_valid(found)
    assert not check.is_valid({k: v for k, v in found.items() if k != "verdict"})
    assert not check.is_valid({**found, "at": "yesterday"})
    found["verdicts"][0]["effect"] = "+3 %"
    assert not check.is_valid(found)


def test_figures_are_those_of_the_pages(
    site: FlaskClient, filled: Filled, dsn_filled: tuple[str, Filled]
) -> None:
    found = asked(site, f"/comparisons/{filled.baseline}")
    with database.connect(dsn_filled[0]) as conn:
        of_page = read_model.comparison(conn, filled.baseline)
    assert of_page is not None
    assert found["verdict"] == of_page["verdict"]
    rows: list[Mapping[str, Any]] = [*of_page["verdicts"]]
    for row, verdict in zip(rows, found["verdicts"], strict=True):
        for field in FIELDS["Verdict"]:
            assert verdict[field] == row[field], field


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/comparisons/999999", 404, "There is no comparison 999999 on record."),
        ("/comparisons/99999999999999999999999", 404, "so large a number"),
        ("/runs/999999", 404, "There is no run 999999"),
        ("/alerts/999999", 404, "There is no alert 999999"),
        ("/nights/999999", 404, "There is no night 999999"),
        ("/comparisons", 400, "'branch' is missing"),
        ("/comparisons?branch=x", 400, "is not TREE/BRANCH"),
        ("/history?branch=a/b&series=999999&statistic=p50", 404, "There is no time series 999999"),
        ("/alerts?all=2", 400, "write all=1"),
        ("/alerts?colour=red", 400, "There is no parameter 'colour'"),
    ],
)
def test_an_error_is_a_sentence(site: FlaskClient, path: str, status: int, said: str) -> None:
    answer = site.get(f"{BASE}{path}")
    assert answer.status_code == status
    assert said in answer.get_json()["error"]


def test_without_a_database_it_says_so(tmp_path: Path) -> None:
    away = visitor(application("host=127.0.0.1 port=1 user=vlag dbname=away", tmp_path))
    answer = away.get(f"{BASE}/branches")
    assert answer.status_code == 503
    assert "The database does not answer now" in answer.get_json()["error"]


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_it_only_reads(site: FlaskClient, method: str) -> None:
    for path in ("/branches", "/alerts/1"):
        assert getattr(site, method)(f"{BASE}{path}").status_code == 405
