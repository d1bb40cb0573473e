# SPDX-License-Identifier: GPL-2.0-only
"""A lab that is down, refuses or misleads: one sentence each, and never a job too many."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from attrs import evolve

from tests.unit.labs import (
    JOB,
    KEY,
    LOST,
    PAGE,
    TOKEN,
    Answer,
    Fake,
    board,
    listed,
    row,
    served,
)
from vlag.errors import ExitCode, InfrastructureError, UsageError, VlagError
from vlag.lava.lab_settings import Lab
from vlag.lava.rest import NoAnswerError, RejectedError
from vlag.lava.server import Client


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    with served(monkeypatch) as fake:
        yield fake


@pytest.fixture
def lab(said: Fake, tmp_path: Path) -> Lab:
    return said.lab(tmp_path)


def retried(error: pytest.ExceptionInfo[VlagError]) -> bool:
    return isinstance(error.value, InfrastructureError) and error.value.retry


# Whether there is a server


def test_a_server_that_is_down_is_worth_a_retry(lab: Lab) -> None:
    nobody = evolve(lab, url="http://127.0.0.1:9")
    with pytest.raises(NoAnswerError, match=r"lab home \(http://127\.0\.0\.1:9\)") as caught:
        Client(nobody).server_version()
    assert str(caught.value).endswith("does not answer GET system/version/: Connection refused")
    assert retried(caught)


def test_one_that_is_up_answers(lab: Lab, said: Fake) -> None:
    """Negative control of all that follows."""
    said.says["GET system/version/"] = Answer(body={"version": "2023.01"})
    assert Client(lab).server_version() == "2023.01"
    assert said.asked[0].token == f"Token {TOKEN}"


def test_a_server_that_says_nothing(lab: Lab, said: Fake) -> None:
    gate = threading.Event()

    def silent(*_: Any) -> Answer:
        gate.wait(20)
        return Answer(body={"version": "late"})

    said.says["GET system/version/"] = silent
    with pytest.raises(NoAnswerError, match="GET system/version/: timed out"):
        Client(lab).server_version()
    gate.set()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(status=500, body=PAGE, type="text/html"), "with status 500: an error page"),
        (Answer(status=503, body="upstream gone", type="text/plain"), "status 503: upstream gone"),
        (Answer(body=PAGE, type="text/html"), "with text/html instead of JSON: is that LAVA"),
        (Answer(body="[1, 2"), "with application/json instead of JSON"),
        (LOST, "does not answer GET system/version/: Remote end closed connection"),
    ],
)
def test_an_answer_that_is_none(lab: Lab, said: Fake, answer: Answer, words: str) -> None:
    said.says["GET system/version/"] = answer
    with pytest.raises(NoAnswerError, match=words) as caught:
        Client(lab).server_version()
    assert retried(caught)
    assert "<" not in str(caught.value)


def test_a_question_is_asked_again_after_a_hiccup(lab: Lab, said: Fake) -> None:
    hiccup = Answer(status=502, body="")
    said.says["GET system/version/"] = [hiccup, LOST, Answer(body={"version": "2023.01"})]
    assert Client(lab).server_version() == "2023.01"
    assert said.count("GET system/version/") == 3


ELSEWHERE = [
    Answer(status=404, body=PAGE, type="text/html"),
    Answer(status=301, body="", headers={"Location": "https://lab.example/"}),
]


@pytest.mark.parametrize("answer", ELSEWHERE)
def test_an_url_that_leads_elsewhere(lab: Lab, said: Fake, answer: Answer) -> None:
    said.says["GET system/version/"] = answer
    with pytest.raises(UsageError, match=r"fix url under \[labs\.home\]$"):
        Client(lab).server_version()


@pytest.mark.parametrize("answer", ELSEWHERE)
def test_a_lab_that_has_answered_there_is_waited_for(
    lab: Lab, said: Fake, answer: Answer, tmp_path: Path
) -> None:
    """It is upgraded or installed anew: nobody who reads our settings has made a mistake."""
    kept = evolve(lab, answered=tmp_path / "labs" / "home")
    # Another program's answer is none of LAVA's.
    said.says["GET system/version/"] = [Answer(body={"name": "x"}), answer]
    with pytest.raises(NoAnswerError, match="is that LAVA 2023"):
        Client(kept).server_version()
    with pytest.raises(UsageError, match="fix url"):
        Client(kept).server_version()
    said.says["GET system/version/"] = [Answer(body={"version": "2023.01"}), answer]
    Client(kept).server_version()
    # Every process knows it.
    with pytest.raises(
        NoAnswerError, match="where LAVA answered before: is it being upgraded"
    ) as e:
        Client(kept).server_version()
    assert e.value.exit_code == ExitCode.INFRASTRUCTURE
    # Negative control: at another address it has never answered.
    moved = evolve(kept, url=lab.url.replace("127.0.0.1", "localhost"))
    with pytest.raises(UsageError, match="fix url"):
        Client(moved).server_version()


@pytest.mark.parametrize("url", ["lab.example", "ftp://lab.example", "http://"])
def test_an_url_that_is_none(lab: Lab, url: str) -> None:
    with pytest.raises(UsageError, match=r"is not a URL; fix url under \[labs\.home\]$"):
        Client(evolve(lab, url=url)).server_version()


# Who asks


@pytest.mark.parametrize("status", [401, 403])
def test_a_token_that_is_refused_names_its_file(lab: Lab, said: Fake, status: int) -> None:
    said.says["GET workers/"] = Answer(status=status, body={"detail": "Invalid token."})
    with pytest.raises(UsageError) as caught:
        Client(lab).workers()
    assert f"refuses the token in {lab.token_file} (Invalid token.)" in str(caught.value)
    shown = "".join([str(caught.value), repr(caught.value), repr(lab), repr(Client(lab))])
    assert TOKEN not in shown


def test_a_right_that_is_missing(lab: Lab, said: Fake) -> None:
    words = "Insufficient permissions. Please contact system administrator."
    said.says["POST devices/g1/set_health/"] = Answer(status=403, body={"detail": words})
    with pytest.raises(UsageError, match=r"may not do this \(POST devices/g1/set_health.*Insuff"):
        Client(lab).set_device_health("g1", "Maintenance", "new fan")


def test_the_token_is_read_anew(lab: Lab, said: Fake) -> None:
    said.says["GET workers/"] = listed()
    client = Client(lab)
    client.workers()
    lab.token_file.write_text("another\n")
    client.workers()
    assert [r.token for r in said.asked] == [f"Token {TOKEN}", "Token another"]


@pytest.mark.parametrize("content", [None, "", "two words\n", "geheim-ß\n", "a\x01b\n"])
def test_a_token_file_without_a_token(lab: Lab, said: Fake, content: str | None) -> None:
    lab.token_file.unlink()
    if content is not None:
        lab.token_file.write_text(content)
    with pytest.raises(UsageError, match=str(lab.token_file)) as caught:
        Client(lab).workers()
    assert not said.asked
    assert not content or content.strip() not in str(caught.value)


# Submission


def submitted(said: Fake) -> list[dict[str, Any]]:
    return [yaml.safe_load(r.body["definition"]) for r in said.asked if r.verb == "POST"]


def test_a_job_carries_its_key(lab: Lab, said: Fake) -> None:
    said.says["POST jobs/"] = Answer(status=201, body={"job_ids": [5]})
    assert Client(lab).submit(JOB, KEY) == [5]
    (job,) = submitted(said)
    assert job["job_name"] == f"vlag {KEY}: hackbench"
    assert job["metadata"] == {"vlag.key": KEY}
    looked = next(r for r in said.asked if r.path == "jobs/")
    assert looked.query["description__startswith"] == f"vlag {KEY}: "


def test_a_job_that_exists_is_not_submitted_again(lab: Lab, said: Fake) -> None:
    said.says["GET jobs/"] = listed(row(5), row(9))
    assert Client(lab).submit(JOB, KEY) == [5]
    assert not submitted(said)


@pytest.mark.parametrize("gone", [row(4, "Finished", "Canceled"), row(4, "Canceling")])
def test_one_that_was_cancelled_does_not_count(lab: Lab, said: Fake, gone: Any) -> None:
    said.says["GET jobs/"] = listed(gone)
    said.says["POST jobs/"] = Answer(status=201, body={"job_ids": [5]})
    assert Client(lab).submit(JOB, KEY) == [5]


@pytest.mark.parametrize("lost", [LOST, Answer(status=504, body="", type="text/plain")])
def test_a_lost_answer_is_no_second_job(lab: Lab, said: Fake, lost: Answer) -> None:
    known: list[Any] = []

    def take(_: dict[str, str], body: Any) -> Answer:
        known.append(row(5, "Submitted", definition=body["definition"]))
        return lost

    said.says["GET jobs/"] = lambda *_: listed(*known)
    said.says["POST jobs/"] = take
    assert Client(lab).submit(JOB, KEY) == [5]
    assert said.count("POST jobs/") == 1


def test_a_request_that_was_lost_is_told(lab: Lab, said: Fake) -> None:
    """Negative control: there the job is not, and nothing is sent twice."""
    said.says["POST jobs/"] = LOST
    with pytest.raises(NoAnswerError) as caught:
        Client(lab).submit(JOB, KEY)
    assert retried(caught)
    assert said.count("POST jobs/") == 1


def test_a_job_that_lava_refuses(lab: Lab, said: Fake) -> None:
    words = "Problem with submitted job data: extra keys not allowed @ data['nonsense']"
    said.says["POST jobs/"] = Answer(status=400, body={"message": words})
    with pytest.raises(RejectedError, match=r"extra keys not allowed @ data\['nonsense'\]"):
        Client(lab).submit(JOB, KEY)


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        ("a: 1\nb: [1, 2\nc: 3\n", "the job is not valid YAML, line 3: "),
        ("- 1\n", "the job is not a mapping"),
    ],
)
def test_a_job_that_is_none(lab: Lab, said: Fake, definition: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Client(lab).submit(definition, KEY)
    assert words in str(Client(lab).validate(definition))
    assert not said.asked


@pytest.mark.parametrize("key", ["", "short", "with space 123", "per%cent123", "x" * 101])
def test_a_key_that_cannot_be_looked_for(lab: Lab, said: Fake, key: str) -> None:
    with pytest.raises(UsageError, match="is no key for a job"):
        Client(lab).submit(JOB, key)
    assert not said.asked


@pytest.mark.parametrize(
    ("boards", "more", "words", "retry"),
    [
        ([board("r1", kind="rpi5")], "", "no board of type guest; types .* boards of: rpi5", False),
        ([], "", "no board of type guest; types it has boards of: none", False),
        ([board("g1")], "tags: [g2]\n", "type guest has the tags g2; boards: g1", False),
        ([board("g1", health="Retired")], "", r"in service .* g1 \(Retired\)", False),
        (
            [board("g1", health="Maintenance"), board("g2", health="Bad")],
            "",
            r"gives no jobs at present .* g1 \(Maintenance\), g2 \(Bad\)",
            True,
        ),
    ],
)
def test_a_job_that_no_board_could_run(
    lab: Lab, said: Fake, boards: list[Any], more: str, words: str, retry: bool
) -> None:
    said.says["GET devices/"] = listed(*boards)
    with pytest.raises(VlagError, match=words) as caught:
        Client(lab).submit(JOB + more, KEY)
    assert retried(caught) is retry
    assert not submitted(said)


def test_one_board_in_service_is_enough(lab: Lab, said: Fake) -> None:
    """Negative control."""
    said.says["GET devices/"] = listed(board("g1", health="Bad"), board("g2", health="Unknown"))
    said.says["POST jobs/"] = Answer(status=201, body={"job_ids": [5]})
    assert Client(lab).submit(JOB, KEY) == [5]


PAIR = """
job_name: pair
protocols:
  lava-multinode:
    roles:
      sut: {device_type: guest, count: 1}
      load: {device_type: guest, count: 1}
"""


def part(number: int, role: str, group: str = "one", state: str = "Submitted") -> Any:
    node = {"protocols": {"lava-multinode": {"role": role, "target_group": group}}}
    whole = f"{PAIR}metadata:\n  vlag.key: {KEY}\n"
    return row(number, state, multinode_definition=whole, definition=yaml.safe_dump(node))


def test_a_multinode_job_has_the_ids_of_its_parts(lab: Lab, said: Fake) -> None:
    said.says["GET devices/"] = listed(board("g1"), board("g2"))
    later = [part(9, "sut", "two"), part(10, "load", "two")]
    said.says["GET jobs/"] = [
        listed(),
        listed(part(5, "sut"), part(6, "load"), *later),
    ]
    said.says["POST jobs/"] = Answer(status=201, body={"job_ids": ["5.0", "5.1"]})
    assert Client(lab).submit(PAIR, KEY) == [5, 6]
    assert [(j.role, j.group) for j in Client(lab).find(KEY)] == [("sut", "one"), ("load", "one")]


def test_a_newer_lava_cancels_by_another_verb(lab: Lab, said: Fake) -> None:
    said.says["GET jobs/5/"] = Answer(body=row())
    said.says["GET jobs/5/cancel/"] = Answer(
        status=405, body={"detail": 'Method "GET" not allowed.'}
    )
    said.says["POST jobs/5/cancel/"] = Answer(
        status=202, body={"message": "Job cancel signal sent."}
    )
    Client(lab).cancel(5, KEY)
    assert said.count("POST jobs/5/cancel/") == 1
    # Negative control: a server that takes neither.
    said.says["POST jobs/5/cancel/"] = Answer(status=405, body={"detail": "no"})
    with pytest.raises(NoAnswerError, match=r"POST jobs/5/cancel/ with status 405: no"):
        Client(lab).cancel(5, KEY)


def test_half_a_multinode_job_is_cancelled(lab: Lab, said: Fake) -> None:
    said.says["GET jobs/"] = listed(part(5, "sut"))
    said.says["GET jobs/5/"] = Answer(body=part(5, "sut"))
    said.says["GET jobs/5/cancel/"] = Answer(body={"message": "Job cancel signal sent."})
    with pytest.raises(InfrastructureError, match="made 1 of the 2 parts"):
        Client(lab).submit(PAIR, KEY)
    assert said.count("GET jobs/5/cancel/") == 1


# What is asked of jobs and boards


@pytest.mark.parametrize(
    "ask", [Client.job, Client.results, lambda client, number: client.cancel(number, KEY)]
)
def test_a_job_that_has_vanished(lab: Lab, ask: Callable[[Client, int], object]) -> None:
    with pytest.raises(InfrastructureError, match=r"has no job 8 \(any more\)"):
        ask(Client(lab), 8)


def test_a_board_that_is_unknown(lab: Lab) -> None:
    with pytest.raises(UsageError, match="has no board g9"):
        Client(lab).device("g9")
    with pytest.raises(UsageError, match="has no board g9"):
        Client(lab).set_device_health("g9", "Good", "")
    with pytest.raises(UsageError, match="'Fine' is not a health of a board; there are Good"):
        Client(lab).set_device_health("g1", "Fine", "")


def test_a_line_of_the_log_that_is_half_written_waits(lab: Lab, said: Fake) -> None:
    text = '- {"msg": "one"}\n- {"msg": "two"}\n- {"ms'
    said.says["GET jobs/5/logs/"] = Answer(body=text, type="application/yaml")
    assert Client(lab).log(5) == ['{"msg": "one"}', '{"msg": "two"}']
    said.says["GET jobs/5/logs/"] = Answer(status=404, body={"detail": "Not found."})
    assert Client(lab).log(5, 2) == []
    assert said.asked[-1].query == {"start": "2"}


def test_a_list_of_many_pages_is_whole(lab: Lab, said: Fake) -> None:
    names = [board(f"g{n}") for n in range(230)]

    def page(query: dict[str, str], _: Any) -> Answer:
        start, size = int(query["offset"]), int(query["limit"])
        rows = names[start : start + size]
        more = "http://elsewhere/" if start + size < len(names) else None
        return Answer(body={"next": more, "results": rows})

    said.says["GET devices/"] = page
    assert [d.name for d in Client(lab).devices()] == [n["hostname"] for n in names]
    assert said.asked[0].query["all"] == "true"  # without it LAVA leaves out retired boards


def test_the_queue_is_in_lavas_order(lab: Lab, said: Fake) -> None:
    early, late = "2026-11-21T10:00:00Z", "2026-11-21T11:00:00Z"
    said.says["GET jobs/"] = listed(
        row(1, "Submitted", priority=0, submit_time=early),
        row(2, "Submitted", submit_time=late),
        row(3, "Submitted", submit_time=early),
        row(4, "Submitted", priority=100, submit_time=late),
        row(5, "Running"),
    )
    assert [j.id for j in Client(lab).queue()] == [5, 4, 3, 2, 1]
