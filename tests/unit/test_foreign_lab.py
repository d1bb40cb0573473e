# SPDX-License-Identifier: GPL-2.0-only
"""A lab that was installed anew, is another one, or cuts its logs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve

from tests.unit.labs import (
    CONSOLE,
    JOB,
    KEY,
    Answer,
    Fake,
    boot,
    collect,
    ends,
    here,
    listed,
    row,
    said,
    submit,
)
from vlag import config
from vlag.errors import InfrastructureError
from vlag.lava import lab
from vlag.lava.lab import CancelledError
from vlag.lava.server import Client, VanishedError
from vlag.pipeline.boot import Boot

__all__ = ("boot", "here", "said")  # fixtures

STRANGERS = JOB.replace("hackbench", "something else")


def changed(said: Fake, path: str, change: Callable[[Any], Any]) -> None:
    """Let an answer have another body."""
    answer = said.says[f"GET jobs/{path}/"]
    assert isinstance(answer, Answer)
    said.says[f"GET jobs/{path}/"] = evolve(answer, body=change(answer.body))


def foreign(said: Fake, number: int, definition: str = STRANGERS) -> None:
    """Let the number be that of somebody else's job, which ended well."""
    ends(said, number)
    name = re.search(r"job_name: (.*)", definition)
    assert name is not None
    other = {"definition": definition, "description": name[1]}
    changed(said, str(number), lambda body: body | other)


def gone(said: Fake, number: int) -> None:
    """Let no job have the number."""


def foreign_log(said: Fake, number: int) -> None:
    ends(said, number)
    changed(said, f"{number}/logs", lambda body: re.sub(r"job=\w+", "job=" + "0" * 32, body))


def cut_short(said: Fake, number: int) -> None:
    ends(said, number, console=CONSOLE[:4])


@pytest.mark.parametrize(
    ("becomes", "why", "vanished"),
    [
        (foreign, "another job 1 than the one that was submitted", True),
        (gone, r"has no job 1 \(any more\)", True),
        (foreign_log, "has a log that is not of the job", True),
        (cut_short, "its log ends in the benchmark: it is cut short", False),
    ],
)
def test_what_is_no_run_of_this_kernel_is_submitted_again(
    here: config.Settings, boot: Boot, said: Fake, becomes: Callable[[Fake, int], None], why: str,
    vanished: bool,
) -> None:  # fmt: skip
    made = submit(here, boot)
    becomes(said, made.jobs[0])
    with pytest.raises(InfrastructureError, match=why) as e:
        collect(here, made)
    assert e.value.retry
    assert isinstance(e.value, VanishedError) is vanished
    assert not list(here.runs.rglob("run.json"))
    # No run is lost: the same request is a new job, and its own log counts.
    again = submit(here, boot)
    assert again.key == f"{made.key}-2"
    ends(said, again.jobs[0])
    assert collect(here, again).document["outcome"] == "complete"


def test_a_number_that_is_given_again_has_no_old_answer(
    here: config.Settings, boot: Boot, said: Fake
) -> None:
    first = submit(here, boot)
    ends(said, first.jobs[0])
    old = collect(here, first)
    second = submit(here, boot, "push 2")
    submitted = second.folder / "submitted.json"
    submitted.write_text(json.dumps(json.loads(submitted.read_text()) | {"jobs": [1]}))
    ends(said, 1)
    log = said.says["GET jobs/1/logs/"]
    definition = said.submitted(second.key)
    [url] = re.findall(r"\S+[?]job=\w+", definition)
    foreign(said, 1, definition)
    said.says["GET jobs/1/logs/"] = log
    line = f'- {{"lvl": "info", "msg": "downloading {url}"}}\n'
    changed(said, "1/logs", lambda body: line + body)
    found = collect(here, second)
    assert not found.reused
    assert found.folder != old.folder


def test_a_search_that_finds_strangers_takes_none_of_them(
    here: config.Settings, boot: Boot, said: Fake
) -> None:
    """A server that ignores what it is asked for, and one whose names lie."""
    stranger = row(7, "Running", description="health check", definition=STRANGERS)
    liar = row(8, "Running", description=f"vlag {KEY}: x", definition=STRANGERS)
    said.says["GET jobs/"] = listed(stranger, liar)
    made = submit(here, boot)
    assert made.jobs == (1,)
    assert said.count("POST jobs/") == 1
    client = Client(here.labs["home"])
    assert client.find(KEY) == []
    # Nor are they cancelled, whoever is stopped.
    lab._abandon(client, KEY)
    said.says["GET jobs/8/"] = Answer(body=liar)
    said.says["GET jobs/8/cancel/"] = Answer(body={})
    with pytest.raises(VanishedError, match="another job 8"):
        client.cancel(8, KEY)
    assert not [r for r in said.asked if r.path.endswith("cancel/")]
    # Negative control: one's own.
    own = f"{JOB}metadata: {{vlag.key: {KEY}}}\n"
    said.says["GET jobs/8/"] = Answer(body=liar | {"definition": own})
    client.cancel(8, KEY)
    assert said.count("GET jobs/8/cancel/") == 1


def test_what_a_person_cancels_is_not_submitted_again_by_itself(
    here: config.Settings, boot: Boot, said: Fake
) -> None:
    made = submit(here, boot)
    ends(said, made.jobs[0], console=[], health="Canceled")
    with pytest.raises(CancelledError, match="cancelled by somebody on b1"):
        collect(here, made)
    # The step is repeated once by itself, as after each fault of the infrastructure.
    with pytest.raises(CancelledError, match="to run it again, ask for it again"):
        submit(here, boot)
    assert said.count("POST jobs/") == 1
    # Who asks after that is a person.
    again = submit(here, boot)
    assert said.count("POST jobs/") == 2
    ends(said, again.jobs[0])
    assert collect(here, again).document["outcome"] == "complete"


def test_a_kill_after_the_submission_finds_the_job_by_its_token(
    here: config.Settings, boot: Boot, said: Fake
) -> None:
    made = submit(here, boot)
    (made.folder / "submitted.json").unlink()
    assert submit(here, boot) == made
    # Negative control: without the token on record it is not known to be this one.
    (made.folder / "submitted.json").unlink()
    (made.folder / "asked.json").unlink()
    assert submit(here, boot).jobs == (2,)


def dies(said: Fake, number: int, lines: int) -> None:
    """Let a dispatcher's host end the emulator in the middle of a job."""
    ends(said, number, console=CONSOLE[:lines], health="Incomplete")
    closed = {"case": "job", "error_type": "Infrastructure", "error_msg": "Connection closed"}
    record = json.dumps({"lvl": "results", "msg": closed})
    changed(said, f"{number}/logs", lambda body: f"{body}- {record}\n")


def test_an_emulator_that_is_killed_on_a_dispatcher_is_no_panic(
    here: config.Settings, boot: Boot, said: Fake
) -> None:
    made = submit(here, boot)
    dies(said, made.jobs[0], 4)
    with pytest.raises(InfrastructureError, match="without a word of its kernel") as e:
        collect(here, made)
    assert e.value.retry
    # Killed again, elsewhere.
    second = submit(here, boot)
    dies(said, second.jobs[0], 3)
    with pytest.raises(InfrastructureError, match="without a word of its kernel"):
        collect(here, second)
    third = submit(here, boot)
    ends(said, third.jobs[0])
    assert collect(here, third).document["outcome"] == "complete"


def test_a_kernel_that_takes_its_board_down_twice_at_one_place_did_it(
    here: config.Settings, boot: Boot, said: Fake
) -> None:
    for attempt in range(2):
        made = submit(here, boot)
        dies(said, made.jobs[0], 4)
        if attempt == 0:
            with pytest.raises(InfrastructureError, match="without a word of its kernel"):
                collect(here, made)
    found = collect(here, made).document
    assert (found["outcome"], found["reason"][:40]) == (
        "panic", "the board went down in the benchmark wit",
    )  # fmt: skip
