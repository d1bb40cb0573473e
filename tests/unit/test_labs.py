# SPDX-License-Identifier: GPL-2.0-only
"""A boot of a lab: where it goes, that it is one job, what is made of what came out."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from attrs import evolve

from tests.unit.labs import (
    CONSOLE,
    KNOWN,
    LOADED,
    RAW,
    Answer,
    Fake,
    board,
    boot,
    collect,
    ends,
    farm,
    here,
    listed,
    row,
    said,
    sent,
    submit,
)
from vlag import config
from vlag.config.catalogue import Catalogue
from vlag.errors import InfrastructureError, UsageError
from vlag.kernel.boot_devices import DEVICE_TREE
from vlag.lava import artifacts
from vlag.lava import lab as follow_lab
from vlag.model import Board, Outcome, Purpose, digest
from vlag.pipeline import collect as collecting
from vlag.pipeline import lab_boards, lab_boot, placed
from vlag.pipeline import submit as submitting
from vlag.pipeline.boot import Boot

__all__ = ["boot", "here", "said"]  # fixtures


def test_asking_again_is_the_same_job(here: config.Settings, boot: Boot, said: Fake) -> None:
    first = submit(here, boot)
    assert submit(here, boot) == first
    assert said.count("POST jobs/") == 1
    # Negative controls: another occasion, another kernel.
    kernel: Any = {"digest": "9" * 64}
    other = evolve(boot, document={**boot.document, "kernel": kernel})
    assert len({first.key, submit(here, boot, "push 2").key, submit(here, other).key}) == 3
    assert said.count("POST jobs/") == 3


def test_the_same_boot_on_two_boards_is_two_jobs(
    here: config.Settings, boot: Boot, said: Fake
) -> None:
    said.says["GET tags/"] = listed({"id": 1, "name": "b1"}, {"id": 2, "name": "b2"})
    said.says["GET devices/"] = listed(
        *(board(name, kind="qemu-sim-2", tags=(n,)) for n, name in ((1, "b1"), (2, "b2")))
    )
    two = farm(*(Board(name=n, board_type="qemu-sim-2", lab="home") for n in ("b1", "b2")))
    for name in ("b1", "b2"):
        submitting.submit(
            settings=here, boot=boot, target=submitting.choose(here, two, "qemu-sim-2", name, "x"),
            occasion="checks 1", priority=60, reuse=False,
        )  # fmt: skip
    assert said.count("POST jobs/") == 2


def test_a_submission_that_was_cut_off_finds_its_job(
    here: config.Settings, boot: Boot, said: Fake
) -> None:
    """Killed after LAVA took the job and before that was written down."""
    first = submit(here, boot)
    (first.folder / "submitted.json").unlink()
    assert submit(here, boot) == first
    assert said.count("POST jobs/") == 1


def test_a_board_gets_the_device_tree_that_its_kernel_was_built_with(
    here: config.Settings, boot: Boot, said: Fake
) -> None:
    kind = LOADED.board_type("rpi5")
    said.says["GET devices/"] = listed(board("pi1", kind=kind.lava_type, tags=()))
    known = farm(Board(name="pi1", board_type="rpi5", lab="home"))
    target = submitting.choose(here, known, "rpi5", None, "push 1")
    (boot.build / DEVICE_TREE).write_bytes(b"a device tree")
    files: Any = [{"path": "build.log"}, {"path": DEVICE_TREE, "sha256": "7" * 64}]
    on_pi = evolve(boot, board_type=kind, emulator=None, document={**boot.document, "files": files})
    more: dict[str, Any] = {"occasion": "push 1", "priority": 40, "reuse": False}

    def submitted(what: Boot) -> None:
        submitting.submit(settings=here, boot=what, target=target, **more)

    submitted(on_pi)
    [asked] = [r for r in said.asked if (r.verb, r.path) == ("POST", "jobs/")]
    job = yaml.safe_load(asked.body["definition"])
    [deploy] = [a["deploy"] for a in job["actions"] if "dtb" in a.get("deploy", {})]
    stored = here.artifacts / deploy["dtb"]["url"].removeprefix("http://store:8020/")
    assert stored.read_bytes() == b"a device tree"
    # Negative control: a kernel that was built for another board type.
    bare = evolve(on_pi, key="8" * 64, document={**boot.document, "files": files[:1]})
    with pytest.raises(UsageError, match=r"built without broadcom/bcm2712-rpi-5-b\.dtb, with"):
        submitted(bare)


def test_what_the_job_says(here: config.Settings, boot: Boot, said: Fake) -> None:
    made = submit(here, boot)
    job = yaml.safe_load((made.folder / "job.yaml").read_text())
    assert job["job_name"] == f"vlag {made.key}: stress-ng-switch seed 1 6.12.1"
    assert job["metadata"]["vlag.key"] == made.key
    assert job["priority"] == 40
    call = job["notify"]["callback"]
    assert call["url"] == f"http://master:8021/lava/{made.key}"
    assert call["token"]
    assert "a secret" not in json.dumps(job)
    urls = [image["url"] for image in job["actions"][0]["deploy"]["images"].values()]
    for url in urls:
        assert url.startswith("http://store:8020/files/")
        _, digest, name = url.partition("?")[0].rsplit("/", 2)
        assert artifacts.published(here.artifacts, digest, name)
    # What marks this very job reaches its log, and not the board.
    token = job["metadata"]["vlag.token"]
    assert [url for url in urls if url.endswith(f"?job={token}")] == [urls[-1]]


def test_what_came_out_is_a_bundle_once(here: config.Settings, boot: Boot, said: Fake) -> None:
    made = submit(here, boot)
    ends(said, made.jobs[0])
    ran = collect(here, made)
    d = ran.document
    assert d["outcome"] == "complete"
    assert d["board"]["name"] == "b1"
    assert d["executor"]["lab"] == "home"
    assert d["board"]["emulator"] == boot.emulator
    assert (ran.folder / d["output"]).read_bytes() == RAW
    again = collect(here, made)
    assert (again.folder, again.reused) == (ran.folder, True)
    # Whoever asks for the boot again gets it without a job.
    assert submit(here, boot).bundle is not None
    assert said.count("POST jobs/") == 1


@pytest.mark.parametrize(
    ("online", "reason"),
    [
        ("0-1", None),
        ("0", r"^1 CPUs are online \(0\), and boards of this type have 2: look for CPUs that did"),
        ("0-1,3", r"^3 CPUs are online \(0-1,3\), and boards of this type have 2"),
        # Not said, or noise on the line: nothing speaks against the board.
        ("unreadable: No such file or directory", None),
        ("0-", None),
    ],
)
def test_a_board_with_other_cpus_than_its_type_scores_nothing(
    here: config.Settings, boot: Boot, said: Fake, online: str, reason: str | None
) -> None:
    made = submit(here, boot)
    environment = f"== topology\n/sys/devices/system/cpu/online:{online}\n".encode()
    at = CONSOLE.index("@vlag:done")
    console = [*CONSOLE[:at], *sent("environment.txt", environment), *CONSOLE[at:]]
    ends(said, made.jobs[0], console=console)
    if reason is None:
        assert collect(here, made).document["outcome"] == "complete"
        return
    with pytest.raises(InfrastructureError, match=reason):
        collect(here, made)


def test_a_load_generator_without_its_disk_blames_no_kernel(
    here: config.Settings, boot: Boot, said: Fake
) -> None:
    """The measured machine has waited for it, and its script has failed."""
    made = submit(here, boot)
    pair = {"lab": made.lab, "jobs": [*made.jobs, 2], "key": made.key}
    (made.folder / lab_boot.SUBMITTED).write_text(json.dumps(pair))
    failed = ["Linux version 6.12.1", "@vlag:start", "@vlag:run", "@vlag:status 1", "@vlag:done"]
    ends(said, made.jobs[0], console=["lockstep 1", *failed])
    lacks = "@vlag:knob disk failed there is none with the label vlag-mysql: make one"
    ends(said, 2, console=[*failed[:3], lacks, *failed[3:]])
    with pytest.raises(
        InfrastructureError, match=r"^disk of the load generator: there is none with the label"
    ) as raised:
        collect(here, made)
    assert not raised.value.retry
    # Negative control: it has all that it needs, and its program alone has failed.
    ends(said, 2, console=failed)
    ran = collect(here, made)
    assert ran.document["outcome"] == "benchmark_failed"


def test_killed_before_the_bundle_was_noted(here: config.Settings, boot: Boot, said: Fake) -> None:
    made = submit(here, boot)
    ends(said, made.jobs[0])
    ran = collect(here, made)
    (made.folder / "bundle").unlink()
    assert collect(here, made).folder == ran.folder


def test_the_labs_own_fault_is_tried_anew(here: config.Settings, boot: Boot, said: Fake) -> None:
    made = submit(here, boot)
    ends(said, made.jobs[0], console=[], health="Incomplete")
    with pytest.raises(InfrastructureError, match="failed"):
        collect(here, made)
    second = submit(here, boot)
    assert second.key == f"{made.key}-2"
    assert said.count("POST jobs/") == 2
    ends(said, second.jobs[0])
    assert collect(here, second).document["outcome"] == "complete"


def test_a_job_that_goes_on_is_not_collected(here: config.Settings, boot: Boot, said: Fake) -> None:
    made = submit(here, boot)
    own = said.submitted(made.key)
    said.says["GET jobs/1/"] = Answer(body=row(1, "Running", definition=own))
    with pytest.raises(InfrastructureError, match="job 1 of lab home has not ended yet"):
        collect(here, made)
    # It is no failure: the same job can still be collected.
    ends(said, 1)
    assert collect(here, made).document["outcome"] == "complete"


def test_a_deterministic_board_is_one_emulator_everywhere(
    here: config.Settings, boot: Boot, said: Fake
) -> None:
    made = submit(here, boot)
    ends(said, made.jobs[0], qemu="1:7.2+dfsg-7")
    with pytest.raises(InfrastructureError, match=r"runs .* with .* 1:7\.2\+dfsg-7 and lockstep 1"):
        collect(here, made)


@pytest.mark.parametrize(
    ("lines", "what"), [(CONSOLE[1:], "missing"), (["lockstep 2", *CONSOLE[1:]], "2")]
)
def test_a_deterministic_board_has_its_threads_take_turns(
    here: config.Settings, boot: Boot, said: Fake, lines: list[str], what: str
) -> None:
    made = submit(here, boot)
    ends(said, made.jobs[0], console=lines)
    with pytest.raises(
        InfrastructureError, match=f"and lockstep {what}, this machine has .* and lockstep 1: "
    ):
        collect(here, made)


def test_a_lab_that_is_away_is_waited_for(
    here: config.Settings, boot: Boot, said: Fake, progress_lines: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(lab_boot, "_AGAIN_S", 0)
    good = said.says["GET devices/"]
    said.says["GET devices/"] = [Answer(status=500, body="", type="text/html")] * 2 + [good]  # type: ignore[list-item]
    submit(here, boot)
    assert said.count("POST jobs/") == 1
    assert any("asking again in" in line for line in progress_lines)


def test_where_a_boot_goes(here: config.Settings) -> None:
    known = farm(
        Board(name="s1", board_type="sut-loadgen", lab="home",
              facts={"partner": "l1", "power": {}, "network": {"ip": "192.0.2.1"}}),
        Board(name="l1", board_type="loadgen", lab="home", facts={"power": {}}),
        Board(name="b1", board_type="qemu-sim-2", lab="home"),
        Board(name="b2", board_type="qemu-sim-2", lab="home"),
        Board(name="here", board_type="qemu-sim-2"),
    )  # fmt: skip
    anywhere = submitting.choose(here, known, "qemu-sim-2", None, "x")
    assert (anywhere.board, anywhere.place) == (None, None)
    pinned = submitting.choose(here, known, "qemu-sim-2", "b2", "x")
    assert pinned.board is not None
    assert pinned.board.name == "b2"
    # The machines of a pair know each other: the boot is pinned to both.
    pair = submitting.choose(here, known, "sut-loadgen", None, "x")
    assert pair.place == {"ROLE": "sut", "PEER": "", "ADDRESS": ""}
    with pytest.raises(UsageError, match="no board of type altra in any lab"):
        submitting.choose(here, known, "altra", None, "x")
    with pytest.raises(UsageError, match="no board here in any lab"):
        submitting.choose(here, known, "qemu-sim-2", "here", "x")


@pytest.fixture
def two(said: Fake) -> Catalogue:
    """Two boards whose lab gives them jobs."""
    said.says["GET tags/"] = listed({"id": 1, "name": "p1"}, {"id": 2, "name": "p2"})
    in_service(said)
    return farm(*(Board(name=n, board_type="rpi5", lab="home") for n in ("p1", "p2")))


def in_service(said: Fake, **health: str) -> None:
    kind = LOADED.board_type("rpi5").lava_type
    said.says["GET devices/"] = listed(
        *(
            board(name, kind=kind, tags=(n,), health=health.get(name, "Good"))
            for n, name in ((1, "p1"), (2, "p2"))
        )
    )


class Placed:
    """A boot of a plan, without its kernel's files: prepared for the place that it gets."""

    def __init__(
        self, here: config.Settings, known: Catalogue, boot: Boot, monkeypatch: pytest.MonkeyPatch
    ):
        self.here, self.known = here, known
        self.boot = evolve(boot, board_type=LOADED.board_type("rpi5"), emulator=None)
        monkeypatch.setattr(placed, "prepare_for", lambda *_args: self.boot)

    def submit(self, kernel: str = "3" * 64, seed: int = 1) -> lab_boot.Submitted:
        of: Any = {"digest": kernel}
        self.boot = evolve(
            self.boot, seed=seed, key=digest([kernel, seed]),
            document={**self.boot.document, "kernel": of, "files": [DTB]},
        )  # fmt: skip
        (self.boot.build / DEVICE_TREE).write_bytes(b"a device tree")
        request: Any = SimpleNamespace(benchmark=self.boot.benchmark, parameters={}, seed=seed)
        target, made = placed.boot(self.here, self.known, "rpi5", None, request, "night 1")
        return submitting.submit(
            settings=self.here, boot=made, target=target, occasion="night 1", priority=40,
            reuse=False,
        )  # fmt: skip

    def board(self, made: lab_boot.Submitted) -> str:
        [name] = yaml.safe_load((made.folder / "job.yaml").read_text())["tags"]
        return str(name)


DTB: Any = {"path": DEVICE_TREE, "sha256": "7" * 64}
BASE, NEW = "3" * 64, "4" * 64


@pytest.fixture
def plan(
    here: config.Settings, two: Catalogue, boot: Boot, monkeypatch: pytest.MonkeyPatch
) -> Placed:
    return Placed(here, two, boot, monkeypatch)


def test_both_kernels_of_a_seed_go_to_one_board(plan: Placed) -> None:
    of = {
        kernel: [plan.board(plan.submit(kernel, seed)) for seed in range(1, 6)]
        for kernel in (BASE, NEW)
    }
    assert of[BASE] == of[NEW]
    assert {of[BASE].count(name) for name in ("p1", "p2")} == {2, 3}


def test_a_seed_whose_board_is_out_has_another_one(plan: Placed, said: Fake) -> None:
    first = plan.board(plan.submit(BASE, 1))
    in_service(said, **{first: "Maintenance"})
    later = plan.board(plan.submit(NEW, 1))
    assert {first, later} == {"p1", "p2"}
    # What was submitted before is the same job, wherever it would go now.
    jobs = said.count("POST jobs/")
    assert plan.board(plan.submit(BASE, 1)) == first
    assert said.count("POST jobs/") == jobs


def test_a_boot_that_failed_on_a_board_is_tried_on_another(plan: Placed) -> None:
    made = plan.submit(BASE, 1)
    lab_boot.fail(made.folder, InfrastructureError("no power"))
    second = plan.submit(BASE, 1)
    assert {plan.board(made), plan.board(second)} == {"p1", "p2"}
    lab_boot.fail(second.folder, InfrastructureError("no power"))
    assert plan.board(plan.submit(BASE, 1)) == plan.board(made)


@pytest.mark.parametrize("gone", [True, False])
def test_a_job_that_never_began_as_its_board_went_away_moves(
    plan: Placed, said: Fake, gone: bool
) -> None:
    """Negative control: its board is in service, so somebody has cancelled it."""
    made = plan.submit()
    name = plan.board(made)
    said.says["GET jobs/1/"] = Answer(
        body=row(
            1, "Finished", "Canceled", actual_device=None, tags=[int(name[1])],
            requested_device_type=plan.boot.board_type.lava_type,
            definition=said.submitted(made.key),
        )
    )  # fmt: skip
    said.says["GET jobs/1/logs/"] = Answer(body="", type="application/yaml")
    in_service(said, **({name: "Maintenance"} if gone else {}))
    if not gone:
        with pytest.raises(follow_lab.CancelledError, match="was cancelled by somebody"):
            collect(plan.here, made)
        return
    with pytest.raises(InfrastructureError) as said_so:
        collect(plan.here, made)
    assert said_so.value.retry
    assert str(said_so.value) == (
        f"job 1 of lab home never began: {name} is in health Maintenance; the boot goes to another"
        " board of its type"
    )
    assert {name, plan.board(plan.submit())} == {"p1", "p2"}


def test_boards_that_are_alone_or_repeat_their_figures_need_no_place(
    here: config.Settings, said: Fake
) -> None:
    one = farm(Board(name="p1", board_type="rpi5", lab="home"))
    same = farm(*(Board(name=n, board_type="qemu-sim-2", lab="home") for n in ("b1", "b2")))
    for known, kind in ((one, "rpi5"), (same, "qemu-sim-2")):
        assert lab_boards.board_of(here, known, kind, 1, of="a benchmark") is None
    assert said.count("GET devices/") == 0


def test_a_lab_that_the_settings_do_not_have_is_a_sentence(here: config.Settings) -> None:
    away = farm(Board(name="b1", board_type="qemu-sim-2", lab="away"))
    with pytest.raises(UsageError, match=r"b1 is in lab 'away', which .*vlag.toml lacks: add"):
        submitting.choose(here, away, "qemu-sim-2", None, "x")


def follow(here: config.Settings, boot: Boot, purpose: Purpose = Purpose.EXPLAIN) -> Any:
    """Run a boot of a search to its end."""
    target = submitting.choose(here, KNOWN, "qemu-sim-2", None, "bisect 1")
    return collecting.run(
        here, KNOWN, boot, target, "bisect 1", purpose=purpose, reuse=False
    )  # fmt: skip


def test_a_search_that_asks_again_gets_the_same_boot(
    here: config.Settings, boot: Boot, said: Fake
) -> None:
    submit(here, boot, "bisect 1", priority=Purpose.EXPLAIN.lava_priority)
    ends(said, 1)
    first = follow(here, boot)
    assert first.outcome is Outcome.COMPLETE
    again = follow(here, boot)
    assert (again.folder, again.reused) == (first.folder, True)
    assert said.count("POST jobs/") == 1


@pytest.mark.parametrize("health", ["Canceled", "Incomplete"])
def test_a_search_that_asks_again_after_a_fault_gets_a_new_job(
    here: config.Settings, boot: Boot, said: Fake, health: str
) -> None:
    submit(here, boot, "bisect 1")
    ends(said, 1, console=[], health=health)
    with pytest.raises(InfrastructureError):
        follow(here, boot)
    submit(here, boot, "bisect 1")
    ends(said, 2)
    assert follow(here, boot).outcome is Outcome.COMPLETE
    assert said.count("POST jobs/") == 2


def test_a_job_that_goes_on_in_a_lab_that_is_away_is_found_again(
    here: config.Settings, boot: Boot, said: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: no fault of the job, and no second one."""
    said.says["GET jobs/1/"] = Answer(status=502, body={})
    submit(here, boot, "bisect 1")
    with monkeypatch.context() as impatient:
        impatient.setattr(follow_lab.run, "__kwdefaults__", {"patience_s": 0.0})
        with pytest.raises(follow_lab.LostError):
            follow(here, boot)
    ends(said, 1)
    assert follow(here, boot).outcome is Outcome.COMPLETE
    assert said.count("POST jobs/") == 1
