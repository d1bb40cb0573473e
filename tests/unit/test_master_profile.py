# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot's test harness has no types.
"""The builder of profiles: what asks for it, what it boots, and what it makes of failures."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace
from typing import ClassVar

import pytest
from attrs import evolve
from buildbot.process.results import EXCEPTION, FAILURE, SUCCESS, WARNINGS
from twisted.internet import defer

from tests.unit.asked import properties, rendered, small_catalogue
from tests.unit.master_steps import Harness, shell
from vlag import ROOT, config
from vlag.errors import UsageError

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import push
from master.bisect_steps import Search, Wanted, heads, regressed
from master.kernel import SHORT_MAX_S
from master.profile_steps import (
    Boots as AskedBoots,
)
from master.profile_steps import (
    Count,
    Explain,
    NextToggles,
    Paths,
    Store,
    StorePaths,
    Toggled,
    _counted,
    boot_requests,
    changed,
    counted,
    profile_steps,
)
from master.triggers import Child
from vlag.config.catalogue import Catalogue
from vlag.config.settings import Bisects, Profiles, Toggles

pytestmark = pytest.mark.slow

BOOT = {"label": "6.12 yield seed 1", "build_bundle": "/b/6.12", "board_type": "a2", "seed": 1,
        "observes": "profile"}  # fmt: skip


def finding(**values: object) -> dict[str, object]:
    return {
        "base_key": "p", "new_key": "h", "role": "parent", "stage": "screen", "board_type": "a2",
        "comparison": 7, "regressed": [], "improved": [],
    } | values  # fmt: skip


def test_what_changed_is_asked_for_by_the_comparison_of_the_first_boots() -> None:
    known = small_catalogue()
    screen = finding()
    assert changed(known, [screen]) == []
    # Fresh boots that confirm it are a comparison of their own, which no page shows.
    rerun = finding(stage="confirm", comparison=9, regressed=["yield"])
    assert changed(known, [screen, rerun]) == [7]
    assert changed(known, [finding(improved=["yield"])]) == [7]
    other = finding(board_type="a4", comparison=8, regressed=["yield"])
    assert changed(known, [screen, other, rerun]) == [8, 7]
    # A pair of the watch on histories has no comparison of first boots in this night.
    assert changed(known, [finding(comparison=None), rerun]) == []


def scattering() -> Catalogue:
    known = small_catalogue()
    types = {n: evolve(t, deterministic=False) for n, t in known.board_types.items()}
    return evolve(known, board_types=types)


def test_boards_of_any_kind_are_asked_for_if_this_installation_has_some() -> None:
    found = [finding(regressed=["yield"])]
    assert changed(scattering(), found) == [7]
    assert changed(evolve(scattering(), boards=()), found) == []


@pytest.mark.parametrize(
    ("known", "daily", "automatic", "asks"),
    [
        (scattering(), True, True, True),
        # Negative controls: a push, deterministic boards, and settings that do not want it.
        (scattering(), False, True, False),
        (small_catalogue(), True, True, False),
        (scattering(), True, False, False),
    ],
)
@pytest.mark.parametrize("what", ["profile", "toggles"])
def test_a_night_goes_on_with_profiles_and_toggles_of_earlier_days(
    known: Catalogue, daily: bool, automatic: bool, asks: bool, what: str
) -> None:
    settings = SimpleNamespace(
        profile=Profiles(automatic=automatic and what == "profile", history=()),
        toggles=Toggles(automatic=automatic and what == "toggles"),
        bisect=Bisects(automatic=False),
    )  # fmt: skip
    step = Explain(settings, known, list, daily=daily, name="profiles")
    build = SimpleNamespace(getProperties=lambda: properties(findings=[]))
    assert step.doStepIf(SimpleNamespace(build=build)) is asks
    assert step.set_properties["standing"] is asks


@pytest.mark.parametrize(
    ("profile", "toggles", "bisect", "found", "asks"),
    [
        (True, True, True, finding(regressed=["yield"]), True),
        (True, False, False, finding(regressed=["yield"]), True),
        (False, True, False, finding(regressed=["yield"]), True),
        (False, False, True, finding(regressed=["yield"]), True),
        (False, False, False, finding(regressed=["yield"]), False),
        (False, False, True, finding(improved=["yield"]), False),
        (True, True, True, finding(), False),
        # A push explains its verdict, which is that against the parent.
        (True, True, True, finding(role="baseline", regressed=["yield"]), False),
    ],
)
def test_a_push_asks_for_what_its_verdict_is_on(
    profile: bool, toggles: bool, bisect: bool, found: dict[str, object], asks: bool
) -> None:
    settings = SimpleNamespace(
        profile=Profiles(automatic=profile, history=()), toggles=Toggles(automatic=toggles),
        bisect=Bisects(automatic=bisect),
    )  # fmt: skip
    step = Explain(settings, small_catalogue(), push.of_verdict, name="profiles")
    own = properties(findings=[finding(comparison=6), found])
    build = SimpleNamespace(getProperties=lambda: own)
    assert step.doStepIf(SimpleNamespace(build=build)) is asks
    assert step.waitForFinish is False


@pytest.mark.parametrize(
    ("automatic", "history", "known", "asks"),
    [
        (True, ("yield",), small_catalogue(), [6, 7]),
        # Negative controls: settings that do not want it, and boards that count nothing.
        (True, (), small_catalogue(), []),
        (False, ("yield",), small_catalogue(), []),
        (True, ("yield",), scattering(), []),
    ],
)
def test_what_each_commit_executes_is_counted_whatever_changed(
    automatic: bool, history: tuple[str, ...], known: Catalogue, asks: list[int]
) -> None:
    settings = SimpleNamespace(
        profile=Profiles(automatic=automatic, history=history), toggles=Toggles(automatic=False),
        bisect=Bisects(automatic=False),
    )  # fmt: skip
    step = Explain(settings, known, list, name="profiles")
    found = [finding(comparison=6), finding(), finding(stage="confirm", comparison=9),
             finding(comparison=None)]  # fmt: skip
    own = properties(findings=found)
    build = SimpleNamespace(getProperties=lambda: own)
    assert step.doStepIf(SimpleNamespace(build=build)) is bool(asks)
    assert rendered(step.set_properties["history"], own) == asks
    assert rendered(step.set_properties["comparisons"], own) == []
    if asks:
        assert counted(known, found) == asks


def test_boots_have_the_lowest_priority_and_no_plan() -> None:
    [asked] = boot_requests(properties(boots=[BOOT]))
    assert (asked["purpose"], asked["plan"], asked["pinned"]) == ("explain", None, None)
    assert boot_requests(properties()) == []


def test_the_settings_choose_the_steps() -> None:
    def names(profile: bool, toggles: bool, bisect: bool = False, *history: str) -> list[str]:
        settings = SimpleNamespace(
            profile=Profiles(automatic=profile, history=history),
            toggles=Toggles(automatic=toggles), bisect=Bisects(automatic=bisect),
        )  # fmt: skip
        return [step.name for step in profile_steps(settings)]

    counted = ["boots", "profiles", "decisions"]
    toggled = ["boots of toggles 1"]
    assert names(True, True) == [*counted, *toggled, "alerts"]
    assert names(True, False) == [*counted, "alerts"]
    assert names(False, True) == [*toggled, "alerts"]
    assert names(False, False) == []
    assert names(True, True, True) == [*counted, *toggled, "search", "alerts"]
    paths = ["boots of paths", "paths"]
    assert names(True, True, True, "yield") == [*counted, *toggled, *paths, "search", "alerts"]
    assert names(False, True, False, "yield") == [*toggled, "alerts"]


def test_the_settings_are_checked(tmp_path) -> None:
    shipped = (ROOT / "vlag.toml").read_text()
    path = tmp_path / "vlag.toml"
    path.write_text(shipped)
    assert config.load(path).profile == Profiles(automatic=True, known_regressions=False, boots=60)
    path.write_text(f"{shipped}\n[profile]\nautomatic = false\nboots = 6\n")
    assert config.load(path).profile == Profiles(automatic=False, boots=6)
    for wrong in ("boots = 5", 'automatic = "no"', "boot = 60"):
        path.write_text(f"{shipped}\n[profile]\n{wrong}\n")
        with pytest.raises(UsageError, match=r"vlag\.toml: profile"):
            config.load(path)
    path.write_text(f"{shipped}\n[toggles]\nknown_regressions = true\nboots = 3\n")
    assert config.load(path).toggles == Toggles(known_regressions=True, boots=3)
    path.write_text(f"{shipped}\n[toggles]\nboots = 2\n")
    with pytest.raises(UsageError, match=r"vlag\.toml: toggles"):
        config.load(path)
    path.write_text(f"{shipped}\n[bisect]\nautomatic = false\nbuilds = 3\nboots = 25\n")
    assert config.load(path).bisect == Bisects(automatic=False, builds=3, boots=25)
    path.write_text(f"{shipped}\n[bisect]\nbuilds = 2\n")
    with pytest.raises(UsageError, match=r"vlag\.toml: bisect"):
        config.load(path)


def test_a_search_is_of_first_boots_or_of_two_nights() -> None:
    known = small_catalogue()
    screen, rerun = finding(), finding(stage="confirm", comparison=9, regressed=["yield"])
    assert regressed(known, [screen]) == []
    assert regressed(known, [screen, rerun]) == [7]
    # The histories' watch has booted both again; no night has compared their first boots.
    assert regressed(known, [finding(comparison=None), rerun]) == [9]
    assert regressed(known, [finding(improved=["yield"])]) == []
    # Boards of any kind are booted, but not those that this installation does not have.
    types = {n: evolve(t, deterministic=False) for n, t in known.board_types.items()}
    assert regressed(evolve(known, board_types=types), [screen, rerun]) == [7]
    assert regressed(evolve(known, boards=()), [screen, rerun]) == []


@pytest.mark.parametrize(("daily", "automatic"), [(True, True), (False, True), (True, False)])
def test_a_nights_heads_are_asked_for_what_takes_earlier_losses_back(
    daily: bool, automatic: bool
) -> None:
    """Negative controls: a push, and settings that do not want it."""
    settings = SimpleNamespace(
        profile=Profiles(automatic=False), toggles=Toggles(automatic=False),
        bisect=Bisects(automatic=automatic),
    )  # fmt: skip
    step = Explain(settings, small_catalogue(), list, daily=daily, name="profiles")
    calm = [finding(role="baseline"), finding(role="baseline", stage="confirm", comparison=9)]
    own = properties(findings=calm)
    build = SimpleNamespace(getProperties=lambda: own)
    asks = daily and automatic
    assert step.doStepIf(SimpleNamespace(build=build)) is asks
    assert heads(small_catalogue(), calm) == [7]
    assert heads(evolve(small_catalogue(), boards=()), calm) == []


class Searches(Harness):
    """The next question follows the answer to the last one."""

    BUILD: ClassVar = {
        "label": "6.12 to find a commit",
        "kernel_name": "6.12",
        "tree": "t",
        "ref": "c",
    }

    def asked(self, answer, before=None):
        command = shell("bisect-steps", "7", "--format", "json", max_time=SHORT_MAX_S)
        self.expect_commands(command.stdout(json.dumps(answer) + "\n").exit(0))
        self.setup(Search(before, name="search"), regressions=[7])
        self.added = []
        self.build.addStepsAfterCurrentStep = self.added.extend

    @defer.inlineCallbacks
    def test_a_missing_kernel_is_built_and_asked_about_again(self):
        self.asked({"builds": [self.BUILD], "boots": []})
        self.expect_outcome(SUCCESS, "search: 6.12 to find a commit")
        yield self.run_step()
        kernels, again = self.added
        [request] = kernels.requests(None)
        assert (request["purpose"], request["plan"], request["ref"]) == ("explain", None, "c")
        assert isinstance(again, Search)
        assert again.before == [[self.BUILD], []]

    @defer.inlineCallbacks
    def test_missing_boots_are_made(self):
        self.asked({"builds": [], "boots": [{**BOOT, "kernel_name": "6.12"}]})
        self.expect_outcome(SUCCESS, "search: 1 boots of 6.12")
        yield self.run_step()
        [request] = self.added[0].requests(None)
        assert (request["purpose"], request["seed"], request["pinned"]) == ("explain", 1, None)

    @defer.inlineCallbacks
    def test_what_may_follow_is_built_beside_the_boots(self):
        boots = [{**BOOT, "kernel_name": "6.12"}]
        self.asked({"builds": [self.BUILD], "boots": boots})
        self.expect_outcome(SUCCESS, "search: 1 boots of 6.12, 6.12 to find a commit")
        yield self.run_step()
        wanted, again = self.added
        assert again.before == [[self.BUILD], boots]
        requests = wanted.requests(None)
        assert [wanted.scheduler_of(r) for r in requests] == ["boards", "kernels"]

    @defer.inlineCallbacks
    def test_each_request_goes_to_its_own_scheduler(self):
        boot = {**BOOT, "kernel_name": "6.12"}
        self.setup(Wanted([self.BUILD], [boot], name="boots to search with"), occasion="here")
        step = self.get_nth_step(0)
        step.asked = step.requests(None)
        asked = yield step.getSchedulersAndProperties()
        assert [a["sched_name"] for a in asked] == ["boards for explain", "kernels for explain"]

    @defer.inlineCallbacks
    def test_what_was_asked_for_and_is_not_there_ends_it(self):
        """Negative control: a kernel that is never recorded is not built for ever."""
        self.asked({"builds": [self.BUILD], "boots": []}, before=[[self.BUILD], []])
        said = "search: not on record after it was asked for: 6.12 to find a commit"
        self.expect_outcome(WARNINGS, said)
        yield self.run_step()
        assert self.added == []

    @defer.inlineCallbacks
    def test_the_commit_is_the_steps_text(self):
        found = {"7": {"commits": ["c" * 40], "subject": "s"}}
        self.asked({"builds": [], "boots": [], "found": found})
        self.expect_outcome(SUCCESS, f"search: comparison 7: {'c' * 12}")
        yield self.run_step()
        assert self.added == []


class Rounds(Harness):
    """Boots of toggles follow from each other."""

    def asked(self, boots, before=None, number=1, words=(), **found):
        command = shell("toggle-boots", *words, "--round", str(number),
                        *(["--standing"] if found.get("standing") else []),
                        "--format", "json", max_time=SHORT_MAX_S)  # fmt: skip
        answer = {"boots": boots, "comparisons": [7], "skipped": []}
        self.expect_commands(command.stdout(json.dumps(answer) + "\n").exit(0))
        self.setup(NextToggles(before, number, name="toggles"), **found)
        self.added = []
        self.build.addStepsAfterCurrentStep = self.added.extend

    @defer.inlineCallbacks
    def test_boots_are_made_and_the_next_round_is_asked_about(self):
        self.asked([BOOT], words=["7"], comparisons=[7])
        self.expect_outcome(SUCCESS, "toggles: 1 boots")
        yield self.run_step()
        toggled, again = self.added
        assert isinstance(toggled, Toggled)
        assert (again.before, again.round_) == ([BOOT], 2)

    @defer.inlineCallbacks
    def test_those_of_earlier_days_go_on(self):
        self.asked([], standing=True)
        self.expect_outcome(SUCCESS, "toggles: 0 boots")
        yield self.run_step()
        assert self.added == []

    @defer.inlineCallbacks
    def test_boots_that_were_not_recorded_end_it(self):
        """Negative control: they are not asked for for ever."""
        self.asked([BOOT], before=[BOOT], number=2, words=["7"], comparisons=[7])
        said = f"toggles: not on record after it was asked for: {BOOT['label']}"
        self.expect_outcome(WARNINGS, said)
        yield self.run_step()
        assert self.added == []


class Stores(Harness):
    def expect(self, code, answer=None):
        command = shell("profile-runs", "7", "/r/1", "--format", "json", max_time=SHORT_MAX_S)
        if answer is not None:
            command = command.stdout(json.dumps(answer) + "\n")
        self.expect_commands(command.stderr("vlag: no such function\n").exit(code))
        self.setup(Store(7, ["/r/1"]))

    def test_the_sentence_is_the_steps(self):
        self.expect(0, {"sentences": {"yield": "+2 % in f."}, "skipped": []})
        self.expect_outcome(SUCCESS, "comparison 7: yield: +2 % in f.")
        return self.run_step()

    def test_what_is_missing_is_a_warning(self):
        self.expect(0, {"sentences": {}, "skipped": ["yield: 2 and 3 of 3 boots"]})
        self.expect_outcome(WARNINGS, "comparison 7: yield: 2 and 3 of 3 boots")
        return self.run_step()

    def test_a_profile_that_fails_is_a_warning(self):
        self.expect(3)
        self.expect_outcome(WARNINGS, "comparison 7: vlag: no such function")
        return self.run_step()


class Boots(Harness):
    @defer.inlineCallbacks
    def test_a_boot_that_panics_is_a_warning(self):
        self.setup(Toggled("toggle_boots", name="toggles"))
        panicked = Child(request=BOOT, results=FAILURE, properties={})
        lost = Child(request=BOOT, results=EXCEPTION, properties={})
        step = self.get_nth_step(0)
        result = yield defer.ensureDeferred(step.conclude(FAILURE, [panicked]))
        assert result == WARNINGS
        result = yield defer.ensureDeferred(step.conclude(FAILURE, [lost]))
        assert result == FAILURE


class Counts(Harness):
    @defer.inlineCallbacks
    def test_only_boots_that_ended_well_are_stored(self):
        self.setup(Count(name="profiles"), explained=[7, 8])
        added = []
        self.build.addStepsAfterCurrentStep = added.extend
        children = [
            Child(request=BOOT, results=SUCCESS, properties={"run_bundle": "/r/1"}),
            Child(request=BOOT, results=FAILURE, properties={"run_bundle": "/r/2"}),
            Child(request=BOOT, results=SUCCESS, properties={}),
        ]
        assert [_counted(c) for c in children] == [True, False, False]
        result = yield defer.ensureDeferred(self.get_nth_step(0).conclude(FAILURE, children))
        assert result == WARNINGS
        assert [step.arguments[1:3] for step in added] == [[7, "/r/1"], [8, "/r/1"]]
        # Negative control: no boot with decisions follows.
        assert "--functions-only" not in added[0].arguments

    @defer.inlineCallbacks
    def stored(self, *, decisions, **properties):
        """Boot what one of the two steps asks for; return the seeds, and what stores them."""
        decides = {**BOOT, "observes": "decisions", "seed": 2}
        step = Count(name="c", decisions=decisions)
        self.setup(step, explained=[7], boots=[BOOT, decides], **properties)
        added = []
        self.build.addStepsAfterCurrentStep = added.extend
        step = self.get_nth_step(0)
        requests = step.requests(self.build.getProperties())
        children = [
            Child(request=r, results=SUCCESS, properties={"run_bundle": f"/r/{r['seed']}"})
            for r in requests
        ]
        yield defer.ensureDeferred(step.conclude(SUCCESS, children))
        [store] = added
        return [r["seed"] for r in requests], store.arguments

    @defer.inlineCallbacks
    def test_functions_are_told_before_decisions_are_booted(self):
        seeds, words = yield self.stored(decisions=False)
        assert seeds == [1]
        assert words[1:4] == [7, "/r/1", "--functions-only"]
        assert self.build.getProperty("counted") == ["/r/1"]

    @defer.inlineCallbacks
    def test_decisions_are_stored_with_all_boots(self):
        seeds, words = yield self.stored(decisions=True, counted=["/r/1"])
        assert seeds == [2]
        assert words[1:4] == [7, "/r/1", "/r/2"]
        assert "--functions-only" not in words


class Histories(Harness):
    """What commits execute: listed, booted, stored."""

    @defer.inlineCallbacks
    def test_the_boots_are_those_of_the_history_alone(self):
        command = shell("path-boots", "6", "7", "--format", "json", max_time=SHORT_MAX_S)
        answer = {"boots": [BOOT], "comparisons": [6], "skipped": []}
        self.expect_commands(command.stdout(json.dumps(answer) + "\n").exit(0))
        step = AskedBoots("path-boots", "paths", of="history", keep={"boots": "path_boots"},
                          name="boots", maxTime=SHORT_MAX_S)  # fmt: skip
        self.setup(step, history=[6, 7], comparisons=[9], standing=True)
        self.expect_outcome(SUCCESS, "paths: 1 boots")
        yield self.run_step()
        assert self.build.getProperty("path_boots") == [BOOT]

    @defer.inlineCallbacks
    def test_what_ended_well_is_stored(self):
        self.setup(Paths(name="paths"))
        added = []
        self.build.addStepsAfterCurrentStep = added.extend
        children = [
            Child(request=BOOT, results=SUCCESS, properties={"run_bundle": "/r/1"}),
            Child(request=BOOT, results=FAILURE, properties={"run_bundle": "/r/2"}),
        ]
        yield defer.ensureDeferred(self.get_nth_step(0).conclude(FAILURE, children))
        assert [step.arguments[:2] for step in added] == [["path-runs", "/r/1"]]

    def test_the_kernels_are_the_steps_text(self):
        command = shell("path-runs", "/r/1", "--format", "json", max_time=SHORT_MAX_S)
        answer = {"counted": ["yield on a2: 6.12"], "skipped": []}
        self.expect_commands(command.stdout(json.dumps(answer) + "\n").exit(0))
        self.setup(StorePaths(["/r/1"]))
        self.expect_outcome(SUCCESS, "paths: yield on a2: 6.12")
        return self.run_step()
