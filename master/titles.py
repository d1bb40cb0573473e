# SPDX-License-Identifier: GPL-2.0-only
"""Titles of builds, descriptions of builders and names of steps for Buildbot's own pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from buildbot.process.properties import Properties
from buildbot.process.results import SUCCESS, statusToString

from master.repeated import RepeatedBuild
from vlag.buildbot import PAGES

#: What each builder does, for its page.
DESCRIPTIONS: Mapping[str, str] = {
    "kernel": "Builds one kernel, then boots it for every run of its plan. A night, a push or a"
    " person asks for it.",
    "board": "One run: boots one kernel on one board and measures one benchmark with one seed.",
    "nightly": "The night: builds and runs every watched branch and its baseline, compares them,"
    " boots suspected changes again, writes the report and notifies people.",
    "first": "The first look of a new installation: compares two kernels that need no build.",
    "push": "Tests one pushed commit: compares it with its parent and its baseline, boots"
    " suspected changes again and gives a verdict on the commit.",
    "profile": "Why figures changed: counts what the kernels of confirmed changes execute on"
    " deterministic boards, tries the scheduler's toggles on regressions, and searches the commit"
    " where several are between both kernels. Nothing waits for it.",
    "lanes": "A pushed commit in configurations that no board boots, such as PREEMPT_RT or clang:"
    " what breaks, and which warnings in scheduler code are new. Each begins when no push, night or"
    " try goes on.",
    "try": "Somebody's patches, sent on the page Tries: applies them to a branch, builds and boots"
    " them after all other work, and compares them with their base.",
    "check": "Board check: boots one known kernel on every board; a board outside its band goes to"
    " maintenance.",
}

#: Buildbot stores 50 characters of a step's name, and numbers equal names ("_12").
_NAME = 46

#: Least width of a branch beside its patches.
_BRANCH = 8

#: Texts of steps in the title of an ended build.
_TEXTS = 3


def _kernel(get: Callable[[str], Any]) -> str:
    release = f" {get('release')}" if get("release") else ""
    on = f" on {', '.join(get('board_types') or ())}"
    return f"{get('kernel_name')}{release}{on}: {get('plan') or 'to find a commit'}"


def _push(get: Callable[[str], Any]) -> str:
    ref = str(get("ref") or get("revision") or get("branch"))
    return f"push of {get('branch')} {ref[:12]}" if get("branch") else f"{ref} by hand"


#: Title of a running build of a builder.
_TITLES: Mapping[str, Callable[[Callable[[str], Any]], str]] = {
    "kernel": _kernel,
    "board": lambda get: str(get("label")),
    "nightly": lambda get: (
        "the week: the weekly plans of all watched branches"
        if get("weekly")
        else "the night: all watched branches"
    ),
    "first": lambda _get: "the first look: prebuilt kernels",
    "push": _push,
    "lanes": lambda get: f"build lanes of {get('watched')} {str(get('ref'))[:12]}",
    "try": lambda get: f"try {get('try_number')}: somebody's patches",
    "check": lambda _get: "check of all boards",
    "profile": lambda get: (
        f"why comparisons {', '.join(map(str, get('comparisons') or get('regressions') or ()))}"
        " changed"
    ),
}


def title(builder: str, properties: Properties) -> str:
    """Return the title of a build while it runs."""
    return _TITLES[builder](properties.getProperty)


def ended(builder: str, properties: Properties, texts: list[str], results: int) -> str:
    """Return the title of an ended build; `texts` are what its steps said, in their order."""
    get = properties.getProperty
    parts = [text for text in dict.fromkeys(texts) if text]
    if builder == "push" and get("verdict"):
        return str(get("verdict"))
    if builder == "nightly":
        parts = [*(get("notes") or ())[:1], *parts]
    if len(parts) > _TEXTS:
        parts = [*parts[: _TEXTS - 1], f"{len(parts) - _TEXTS + 1} more"]
    if builder == "kernel":
        # The title has the kernel's name and release already.
        heads = (str(get("kernel_name")), f" ({get('release')})", ": ")
        for head in heads:
            parts = [text.removeprefix(head) for text in parts]
        return ", ".join([title(builder, properties), *parts])
    if not parts:
        word = "done" if results == SUCCESS else statusToString(results)
        return f"{title(builder, properties)}: {word}"
    return "; ".join(parts)


class TitledBuild(RepeatedBuild):
    """A build that Buildbot's lists show with its subject; Buildbot says "building"."""

    def startNextStep(self) -> Any:  # noqa: N802 - Buildbot's name
        """Set the title before the first step."""
        if not self.executedSteps:
            self._say(title(self.builder.name, self.properties))
        return super().startNextStep()

    def allStepsDone(self) -> Any:  # noqa: N802 - Buildbot's name
        """End with the title and what the steps said."""
        text = ended(self.builder.name, self.properties, self.text, self.results)
        reason = [f"({self.stopped_reason})"] if self.stopped_reason is not None else []
        return self.buildFinished([text, *reason], self.results)

    def _say(self, text: str) -> None:
        self.master.data.updates.setBuildStateString(self.buildid, text)


def step_name(verb: str, kernel: str, board_type: str) -> str:
    """Return the name of a step about a kernel on a board type: short, different where cut."""
    return f"{verb} {brief(kernel, _NAME - len(verb) - len(board_type) - 2)} {board_type}"


def brief(kernel: str, width: int) -> str:
    """Return at most `width` characters of a kernel's name: its patches before its branch."""
    branch, plus, patches = kernel.partition(" + ")
    if len(kernel) <= width or not plus:
        return _cut(kernel, width)
    short = _cut(branch, max(_BRANCH, width - len(plus + patches)))
    return f"{short}{plus}{_cut(patches, width - len(short + plus))}"


def _cut(text: str, width: int) -> str:
    """Return a text without its middle: begin and end tell names apart."""
    if len(text) <= width:
        return text
    end = (width - 2) // 2
    return f"{text[: width - 2 - end]}..{text[len(text) - end :]}"


def page(master: Any, path: str) -> str:
    """Return the address of one of vlag's pages."""
    return f"{master.config.titleURL}{PAGES}{path}"


def comparison(master: Any, answer: Mapping[str, Any]) -> tuple[str, str]:
    """Return name and address of the page of a comparison, as `vlag compare` answered.

    The address holds the number of what was said then, so that it shows the same later.
    """
    number, statement = answer["comparison"], answer.get("said")  # earlier versions gave none
    then = "" if statement is None else f"&said={statement}"
    return f"comparison {number}", page(master, f"compare?id={number}{then}")
