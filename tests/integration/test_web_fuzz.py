# SPDX-License-Identifier: GPL-2.0-only
"""Whatever a stranger asks the pages and the API is answered: never a fault of the server."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import psycopg
import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from schemathesis.generation import GenerationMode

from tests.conftest import fresh_database
from tests.integration.websites import MAY, Template, application, pages_of, visitor
from vlag.web.access import Visitor
from vlag.web.api.routes import VERSION, document
from vlag.web.installation import access

EVERY = settings(
    derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

PATHS = document()["paths"]
#: Parameters of pages and fields of their forms.
NAMES = [
    "all", "base", "benchmark", "board", "board_type", "branch", "comparisons", "days",
    "deterministic", "each", "file", "filter", "id", "joined", "kernel", "kernels", "knobs",
    "latency", "mail", "new", "night", "other", "page", "plan", "run", "said", "series", "show",
    "state", "statistic", "throughput", "token", "until", "v", "why",
]  # fmt: skip
#: What people send.
FORMS: list[tuple[str, dict[str, str]]] = [
    ("/alert/state", {"id": "1", "state": "acknowledged", "why": "it is known"}),
    ("/alert/split", {"id": "1", "board_type": "qemu-sim-2", "why": "another cause"}),
    ("/alert/join", {"id": "1", "other": "2", "why": "the same cause"}),
    ("/alert/mute", {"id": "1", "until": "2090-01-01T00:00", "why": "a holiday"}),
    ("/alert/unmute", {"id": "1", "why": "it ends"}),
    ("/rehearsal", {"days": "7", "throughput": "0.05"}),
    ("/tries", {"mail": "<a@b>", "base": "debian/linux-6.12", "plan": "smoke"}),
]
#: What no page expects, beside what Hypothesis invents.
ODD = st.sampled_from(
    ["", "0", "-1", "1e400", "9" * 18, "9" * 19, "9" * 30, "\0", "a\0b", "%", "'", "\\", "../..",
     "x/y", "/", "1,2", ",", "NaN", "true", "٣", "²", "\ud800", "\u202e",
     "9999-12-31T23:59:59+23:59", "0001-01-01T00:00:00-23:59", "2026-02-30", "a" * 600]
)  # fmt: skip


@pytest.fixture(scope="module")
def app(cluster: str, branch_template: Template, tmp_path_factory: pytest.TempPathFactory) -> Flask:
    dsn = fresh_database(cluster, branch_template.database)
    made = application(dsn, tmp_path_factory.mktemp("state"))
    made.config["DSN"] = dsn
    return made


@pytest.fixture(scope="module")
def known(app: Flask, branch_template: Template) -> list[str]:
    """The address of every page, with parameters that have something to show."""
    with psycopg.connect(app.config["DSN"]) as conn:
        return pages_of(branch_template.filled, conn)


@pytest.fixture(scope="module")
def described(app: Flask) -> Any:
    schema = schemathesis.openapi.from_wsgi(f"/api/{VERSION}/openapi.json", app)
    schema.config.update(base_url=f"http://localhost/api/{VERSION}")
    schema.config.generation.update(codec="ascii")
    return schema


@pytest.mark.parametrize(
    ("path", "mode"),
    [
        *((path, GenerationMode.POSITIVE) for path in PATHS),
        *((path, GenerationMode.NEGATIVE) for path in PATHS if PATHS[path]["get"]["parameters"]),
    ],
)
def test_each_answer_of_the_api_is_as_it_is_described(
    described: Any, path: str, mode: GenerationMode
) -> None:
    cases = described[path]["GET"].as_strategy(generation_mode=mode)

    @settings(EVERY, max_examples=15)
    @given(case=cases)
    def answered(case: Any) -> None:
        # JSON writes a whole number as 30.0, too; a query does not.
        assume(not any(isinstance(value, float) for value in case.query.values()))
        case.call_and_validate(headers={"Accept-Encoding": "identity"})

    answered()


Page = tuple[str, dict[str, str]]


def pages(app: Flask, known: list[str], method: str) -> list[Page]:
    """Return each path that takes a method with parameters that are sound, and with none."""
    rules = [rule for rule in app.url_map.iter_rules() if method in (rule.methods or ())]
    bare: list[Page] = [(rule.rule.replace("<int:number>", "1"), {}) for rule in rules]
    if method == "POST":
        return bare + FORMS
    split = [urlsplit(address) for address in known]
    return bare + [(part.path, dict(parse_qsl(part.query))) for part in split]


@st.composite
def requests_of(draw: st.DrawFn, made: list[Page]) -> Page:
    """Return a request in which some parameters are odd, and now and then one more is there."""
    sound = sorted({pair for _, query in made for pair in query.items()})
    odd = st.one_of(ODD, st.sampled_from([value for _, value in sound]), st.text(max_size=20))
    path, query = draw(st.sampled_from(made))
    given = {name: draw(st.one_of(st.just(value), odd)) for name, value in query.items()}
    more = st.dictionaries(st.sampled_from(NAMES), odd, max_size=1)
    return path, given | (draw(more) if not given or draw(st.integers(0, 4)) == 0 else {})


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_parameter_is_a_fault_of_the_server(app: Flask, known: list[str], method: str) -> None:
    client = visitor(app, MAY)
    with app.test_request_context():
        token = access().token(Visitor(name=MAY, session="one"))
    statuses = set()

    @settings(EVERY, max_examples=300)
    @given(requests_of(pages(app, known, method)))
    def answered(page: Page) -> None:
        fields = page[1] if method == "GET" else {"token": token, **page[1]}
        written = urlencode(fields, errors="surrogatepass")
        if method == "GET":
            answer = client.get(f"{page[0]}?{written}")
        else:
            form = "application/x-www-form-urlencoded"
            own = {"Origin": "http://localhost"}
            answer = client.post(page[0], data=written, content_type=form, headers=own)
        statuses.add(answer.status_code)
        assert answer.status_code < 500, (page, answer.text)

    answered()
    # It came past the doors of both.
    assert statuses >= ({200, 400, 404} if method == "GET" else {303, 400, 403})
