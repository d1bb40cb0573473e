# SPDX-License-Identifier: GPL-2.0-only
"""`python -m bench push [--hook] PATCH|COMMIT`: where the seconds from a push to its verdict go.

PATCH is a file: it is committed on the first watched branch, whose service runs, and its verdict is
waited for; with `--hook` the service is told of it, without it looks by itself.  COMMIT is one that
was pushed earlier.  All times are those that the service itself
writes: Buildbot's rows, whole seconds each, build.json, run.json and LAVA's log.
"""

from __future__ import annotations

import datetime
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import requests
from attrs import frozen

from bench import seconds as boots
from vlag import ROOT, config
from vlag.buildbot import PUSH_HOOK, Web, bracketed
from vlag.errors import VlagError
from vlag.model import is_commit_id

Seconds = float

#: What is done, as the table says it, in the order in which an instant counts for one of several
#: that go on side by side: what keeps a processor busy comes first.
WAITED, NOTHING = "a board or a processor is waited for", "Buildbot goes on to the next step"
POLL = "the push is seen"
_BOOT = "boot: "
STARTS, ENDS = f"{_BOOT}a program starts, packs the initramfs", f"{_BOOT}its program ends"
_BENCHMARK = f"{_BOOT}the benchmark"
_COMPILED = "build: configured, compiled, linked, read"
_CHECKOUT = "build: a program starts, and checks out the tree"
_BUILT = "build: its program ends"
_ON_RECORD = "a kernel or a boot on record is used"
_STEPS = {
    "record the build": "ingest of a build",
    "record the run": "ingest of a run",
    "build log": "files are shown",
    "raw output": "files are shown",
    "runs on record": "runs on record are looked up",
    "verdict": "verdict",
    "report": "report",
    "alerts": "alerts",
}
COMPARED = "comparison"
ORDER = (
    *(f"{_BOOT}{step}" for step in (*boots.STEPS, boots.LAST)), STARTS, ENDS, _COMPILED, _CHECKOUT,
    _BUILT, _ON_RECORD, *dict.fromkeys(_STEPS.values()), COMPARED, WAITED,
)  # fmt: skip
#: Seconds between two looks whether a push has ended, which cost the master something, too, and
#: until nobody waits for it any more.
_LOOKED_EVERY_S, _MOST_S = 5.0, 7200


@frozen(kw_only=True)
class Part:
    """What went on from one time to another, both in seconds since 1970."""

    what: str
    began: Seconds
    ended: Seconds


def alone(parts: Sequence[Part], began: Seconds, ended: Seconds) -> dict[str, Seconds]:
    """Return the seconds between two times by what went on, each instant once.

    One with several parts counts for the first of them in `ORDER`, one with none for `NOTHING`.
    """
    times = sorted({began, ended, *(t for p in parts for t in (p.began, p.ended))})
    times = [t for t in times if began <= t <= ended]
    seconds = dict.fromkeys((*ORDER, NOTHING), 0.0)
    for left, right in itertools.pairwise(times):
        going = [p.what for p in parts if p.began <= left and p.ended >= right]
        seconds[min(going, key=ORDER.index, default=NOTHING)] += right - left
    return seconds


def parts_of(web: Web, build: int) -> Iterator[Part]:
    """Yield what a build and those that it asked for have done."""
    for step in web.get(f"/builds/{build}/steps"):
        if step["started_at"] is not None and step["complete_at"] is not None:
            yield from _of_step(step, build, web)
    for buildset in web.get("/buildsets", parent_buildid=build):
        for request in web.get("/buildrequests", buildsetid=buildset["bsid"]):
            for child in web.get(f"/buildrequests/{request['buildrequestid']}/builds"):
                yield from parts_of(web, child["buildid"])


def _of_step(step: Mapping[str, Any], build: int, web: Web) -> Iterator[Part]:
    began, ended = float(step["started_at"]), float(step["complete_at"])
    name = str(step["name"])
    held = step.get("locks_acquired_at")
    if held is not None and held > began:
        yield Part(what=WAITED, began=began, ended=held)
        began = float(held)
    if name in ("build", "run"):
        yield from _made(_properties(web, build), name, began, ended)
    elif name.startswith("compare"):
        yield Part(what=COMPARED, began=began, ended=ended)
    elif name in _STEPS:
        yield Part(what=_STEPS[name], began=began, ended=ended)


def _properties(web: Web, build: int) -> dict[str, Any]:
    [row] = web.get(f"/builds/{build}", property="*")
    return {key: value for key, (value, _source) in row["properties"].items()}


def _made(
    properties: Mapping[str, Any], kind: str, began: Seconds, ended: Seconds
) -> Iterator[Part]:
    """Yield the parts of a step that builds or runs, by the times of its bundle."""
    folder = Path(properties.get(f"{kind}_bundle") or os.devnull)
    of_build = kind == "build"
    if properties.get("reused"):
        yield Part(what=_ON_RECORD, began=began, ended=ended)
        return
    try:
        document = json.loads((folder / f"{kind}.json").read_text(encoding="utf-8"))
        at, last = (
            datetime.datetime.fromisoformat(document[key]).timestamp()
            for key in ("started_at", "finished_at")
        )
    except (OSError, KeyError):  # it failed, or is removed since
        yield Part(what=_COMPILED if of_build else _BENCHMARK, began=began, ended=ended)
        return
    yield Part(what=_CHECKOUT if of_build else STARTS, began=began, ended=at)
    if of_build:
        yield Part(what=_COMPILED, began=at, ended=last)
    else:
        yield from _booted(folder, at, last)
    yield Part(what=_BUILT if of_build else ENDS, began=last, ended=ended)


def _booted(folder: Path, at: Seconds, last: Seconds) -> Iterator[Part]:
    try:
        for step, taken in boots.steps(folder).items():
            yield Part(what=f"{_BOOT}{step}", began=at, ended=at + taken)
            at += taken
    except LookupError:  # of a kernel that failed
        yield Part(what=_BENCHMARK, began=at, ended=last)


def table(parts: Sequence[Part], began: Seconds, ended: Seconds) -> list[str]:
    """Return the table of a push: how often, seconds of the clock, and all seconds together."""
    rows = [f"{'step':<58} {'times':>5} {'of clock':>8} {'together':>8}"]
    by_clock = alone(parts, began, ended)
    for what in (*ORDER, NOTHING):
        mine = [p for p in parts if p.what == what]
        if mine or by_clock[what]:
            together = sum(p.ended - p.began for p in mine) if mine else by_clock[what]
            rows.append(f"{what:<58} {len(mine):5} {by_clock[what]:8.1f} {together:8.1f}")
    return [*rows, f"{'all, in seconds':<58} {'':5} {ended - began:8.1f}"]


def built_of(web: Web, commit: str) -> dict[str, Any] | None:
    """Return the last build of a pushed commit, None: nobody has begun it."""
    found = [
        build
        for build in web.get("/builders/push/builds", property="revision")
        if build["properties"].get("revision", [""])[0] == commit
    ]
    return max(found, key=lambda build: int(build["buildid"]), default=None)


def show(web: Web, build: Mapping[str, Any], pushed: Seconds | None) -> Iterator[str]:
    """Yield the lines on a push that has ended; `pushed` is None where nobody has seen when."""
    parts = list(parts_of(web, build["buildid"]))
    [request] = web.get(f"/buildrequests/{build['buildrequestid']}")
    asked = float(request["submitted_at"])
    yield str(_properties(web, build["buildid"]).get("verdict"))
    if pushed is not None:
        yield f"{POLL} after {asked - pushed:.1f} s; from then on:"
    yield from table(parts, asked, float(build["complete_at"]))
    for part in sorted((p for p in parts if p.what == COMPARED), key=lambda p: p.ended):
        yield f"a comparison had its verdict after {part.ended - asked:.0f} s"


def commit_of(repository: Path, branch: str, patch: Path) -> str:
    """Commit a patch on a branch of a bare repository, and move the branch there; its id."""
    with tempfile.TemporaryDirectory(prefix="vlag-push-") as scratch:
        who = {
            f"GIT_{role}_{key}": value
            for role in ("AUTHOR", "COMMITTER")
            for key, value in (("NAME", "vlag bench"), ("EMAIL", "bench@localhost"))
        }
        env = {**os.environ, **who, "GIT_INDEX_FILE": f"{scratch}/index"}

        def git(*words: str) -> str:
            done = subprocess.run(
                ["git", "-C", str(repository), *words],
                env=env, capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode:
                sys.exit(f"python -m bench push: git {words[0]}: {done.stderr.strip()}")
            return done.stdout.strip()

        parent = git("rev-parse", f"refs/heads/{branch}")
        git("read-tree", parent)
        git("apply", "--cached", str(patch.resolve()))
        made = git("commit-tree", git("write-tree"), "-p", parent, "-m", f"{patch.stem}: measure")
        git("update-ref", f"refs/heads/{branch}", made, parent)
        return made


def repository(settings: config.Settings, tree: str) -> Path:
    """Return the bare repository of this machine that is asked for a tree's new commits."""
    url = settings.trees[tree].url
    folder = settings.mirror(tree) if url is None else Path(url)
    if not (folder / "objects").is_dir():
        sys.exit(
            f"python -m bench push: tree {tree} is at {folder}, which is no bare repository of this"
            " machine: push there yourself, and name the commit"
        )
    return folder


def tell(settings: config.Settings, tree: str) -> None:
    """Tell the service of a push, as a hook of a repository does."""
    at = f"http://{bracketed(settings.web_host)}:{settings.web_port}/{PUSH_HOOK}{tree}"
    token = settings.push_hook_file.read_text(encoding="ascii").strip()
    with requests.Session() as session:
        session.trust_env = False  # no proxy stands between us and ourselves
        answer = session.post(at, headers={"Authorization": f"Bearer {token}"}, timeout=30)
    if answer.status_code != requests.codes.accepted:
        sys.exit(f"python -m bench push: {at}: {answer.text.strip()}")


def _ended(web: Web, commit: str) -> dict[str, Any]:
    """Wait for the end of a push."""
    for _ in range(int(_MOST_S / _LOOKED_EVERY_S)):
        build = built_of(web, commit)
        if build is not None and build["complete"]:
            return build
        time.sleep(_LOOKED_EVERY_S)
    sys.exit(f"python -m bench push: {commit[:12]} has no verdict after {_MOST_S} s")


def processor_s(words: Iterable[str]) -> Seconds:
    """Return the processor seconds of a process with these words, its children's included.

    Children count that have ended and were waited for, and those that go on.
    """
    tick, wanted = os.sysconf("SC_CLK_TCK"), list(words)
    rows = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        rows[int(folder.name)] = (line, int(fields[1]), sum(map(int, fields[11:15])) / tick)
    mine = {pid for pid, (line, _, _) in rows.items() if all(word in line for word in wanted)}
    while more := {pid for pid, (_, parent, _) in rows.items() if parent in mine} - mine:
        mine |= more
    return sum(rows[pid][2] for pid in mine)


def _processors(settings: config.Settings) -> dict[str, Seconds]:
    """Return the processor seconds so far of the parts of a service on this machine."""
    return {
        "Buildbot's master": processor_s(["twistd", str(settings.state / "master")]),
        "the worker and its programs": processor_s(["twistd", f"{ROOT / 'workers'}/"]),
        "PostgreSQL": processor_s(["postgres", "-D", str(settings.state)]),
    }


def main(words: Sequence[str] = ()) -> None:
    """Push or look up, wait, and print."""
    hook, words = "--hook" in words, [word for word in words if word != "--hook"]
    if len(words) != 1:
        sys.exit("python -m bench push [--hook] PATCH|COMMIT: name a patch to push, or a commit")
    try:
        settings = config.load()
        web = Web(settings.web_port, settings.web_host)
        if is_commit_id(words[0]):
            build = built_of(web, words[0])
            if build is None or not build["complete"]:
                sys.exit(f"python -m bench push: {words[0]}: no push of it has ended")
            print("\n".join(show(web, build, None)))
            return
        if not Path(words[0]).is_file():
            sys.exit(f"python -m bench push: {words[0]}: no such file, and no commit's whole id")
        watched = settings.branches[0]
        before = _processors(settings)
        pushed = time.time()
        place = repository(settings, watched.tree)
        commit = commit_of(place, watched.branch, Path(words[0]))
        if hook:
            tell(settings, watched.tree)
        print(f"{commit} is pushed to {watched.tree}/{watched.branch}", flush=True)
        print("\n".join(show(web, _ended(web, commit), pushed)))
        for what, now in _processors(settings).items():
            print(f"{what}: {now - before[what]:.1f} s of processor time")
        print(f"load average at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    except VlagError as e:
        sys.exit(str(e))
