# SPDX-License-Identifier: GPL-2.0-only
"""A push that says so is begun at once: real git, PostgreSQL, Buildbot, a stand-in for the stages.

Two trees are asked for commits once an hour.
"""

from __future__ import annotations

import hashlib
import hmac
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from attrs import frozen

from bench import push as bench_push
from tests import settings_files
from tests.integration.installation import Installation
from tests.integration.pushes import Tree
from tests.repositories import git
from tests.waiting import DEADLINE_S, until
from vlag import ROOT

HOUR_S = 3600
TREES = ("one", "two")


@frozen(kw_only=True)
class Watching:
    """A service that watches two trees."""

    service: Installation
    trees: dict[str, Tree]

    @property
    def token_file(self) -> Path:
        return self.service.state / "secrets" / "push-hook"

    @property
    def token(self) -> str:
        return self.token_file.read_text().strip()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.service.ports['web']}/change_hook/"

    def tell(
        self, tree: str, headers: dict[str, str], *, body: bytes = b"", verb: str = "POST"
    ) -> tuple[int, str]:
        """Send a hook; return the status and the sentence."""
        url = self.address + tree
        answer = requests.request(verb, url, headers=headers, data=body, timeout=60)
        return answer.status_code, answer.text.strip()

    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def seen(self, tree: str) -> list[str]:
        """Return the commits of a tree that vlag has seen pushed."""
        changes = self.service.web().get("/changes")
        return [change["revision"] for change in changes if change["project"] == tree]

    def begun(self) -> list[str]:
        """Return the commits whose pushes have been begun."""
        builds = self.service.web().get("/builders/push/builds", property="revision")
        # A build that is just made has no properties yet.
        known = [build["properties"] for build in builds]
        return [properties["revision"][0] for properties in known if "revision" in properties]

    def push(self, tree: str, subject: str) -> str:
        """Commit and push; return the commit."""
        made = self.trees[tree].commit(subject)
        self.trees[tree].push()
        return made


@pytest.fixture(scope="module")
def watching(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watching]:
    service = Installation(tmp_path_factory.mktemp("hooks"), checkout)
    try:
        trees = {name: Tree(service.folder / name) for name in TREES}
        urls = "".join(f'[trees.{name}]\nurl = "{tree.url}"\n' for name, tree in trees.items())
        branches = "".join(
            settings_files.branch(
                tree=name, baseline="debian/6.1.*", plan="parts", keys='commit_plan = "commit"'
            )
            for name in TREES
        )
        whole = settings_files.settings(
            state="var", ports=(*service.ports.values(),), trees=urls, branches=branches,
            poll_s=HOUR_S, jobs=0,
        )  # fmt: skip
        service.settings.write_text(whole)
        reports = service.state / "reports"
        reports.mkdir(parents=True, exist_ok=True)
        (reports / "2026-01-01T000000Z.txt").write_text("an earlier night\n")
        service.start(once=False)
        # What is there at the first poll is not news.
        for name in TREES:
            poller = service.state / "master" / f"poller-{name}"
            until(
                lambda at=poller: list(at.glob("refs/buildbot/**/linux-6.12")),  # type: ignore[misc]
                service.said,
            )
        until(service.is_up, service.said)
        yield Watching(service=service, trees=trees)
    finally:
        service.end()


def test_a_push_begins_when_its_hook_says_so_and_no_other_does(watching: Watching) -> None:
    one, two = (watching.push(name, "first") for name in TREES)
    refused: Any = (
        (watching.tell("two", {"Authorization": "Bearer " + "x" * 32}), 403),
        (watching.tell("two", {}), 403),
        (watching.tell("two", {"X-Hub-Signature-256": "sha256="}), 403),
        (watching.tell("two", watching.bearer(), verb="GET"), 405),
        (watching.tell("none", watching.bearer()), 404),
        (watching.tell("", watching.bearer()), 404),
    )
    for (status, sentence), wanted in refused:
        assert status == wanted, sentence
        assert len(sentence.splitlines()) == 1
    assert refused[0][0][1].startswith("nothing was done: the request has not the token of")
    assert refused[4][0][1] == "nothing was done: no tree 'none'; the trees are: one, two"
    heard = (202, "tree one: vlag looks for new commits now")
    assert watching.tell("one", watching.bearer()) == heard
    until(lambda: watching.begun() == [one], watching.service.said)
    # Of what was refused before, nothing has begun, nor by itself.
    assert watching.seen("one") == [one]
    assert watching.seen("two") == []
    assert watching.tell("two", watching.bearer())[0] == 202
    until(lambda: watching.seen("two") == [two], watching.service.said)


def test_a_push_is_measured_to_its_verdict(
    watching: Watching, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """`python -m bench push`: the seconds of a push by what the master did, each once."""
    monkeypatch.setenv("VLAG_SETTINGS", str(watching.service.settings))
    monkeypatch.setattr(bench_push, "_MOST_S", DEADLINE_S)
    patch = tmp_path / "measured.patch"
    patch.write_text("--- /dev/null\n+++ b/kernel/sched/core.c\n@@ -0,0 +1 @@\n+int measured;\n")
    bench_push.main(["--hook", str(patch)])
    said = capsys.readouterr().out.splitlines()
    commit = git(Path(watching.trees["one"].url), "rev-parse", "linux-6.12")
    assert said[0] == f"{commit} is pushed to one/linux-6.12"
    assert said[1] == f"linux-6.12 {commit[:12]}: no regression"
    assert said[2].startswith("the push is seen after ")
    end = next(i for i, line in enumerate(said) if line.startswith("all, in seconds"))
    rows = {line[:58].rstrip(): line[58:].split() for line in said[4:end]}
    # The commit, its parent and the baseline are built and booted, and compared twice.
    assert {name: int(rows[name][0]) for name in ("ingest of a build", "ingest of a run")} == {
        "ingest of a build": 3, "ingest of a run": 3
    }  # fmt: skip
    assert int(rows[bench_push.COMPARED][0]) == 2
    together = sum(float(row[1]) for row in rows.values())
    assert together == pytest.approx(float(said[end].split()[-1]), abs=0.1 * len(rows))
    assert any(line.startswith("Buildbot's master: ") for line in said[end:])
    # As of a commit that was pushed earlier: the same table.
    bench_push.main([commit])
    assert capsys.readouterr().out.splitlines()[1 : end - 1] == said[3 : end + 1]


def test_the_hooks_of_forges_are_known(watching: Watching) -> None:
    """One that shows the token, and those that sign what they send; a long one, too."""
    body = b'{"commits": "%s"}' % (b"x" * (1 << 20))
    for body_sent in (body, b"payload=%7B%7D"):
        digest = hmac.new(watching.token.encode(), body_sent, hashlib.sha256).hexdigest()
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        signed = {"X-Hub-Signature-256": f"sha256={digest}", **(kind if body_sent != body else {})}
        assert watching.tell("one", signed, body=body_sent)[0] == 202
        assert watching.tell("one", signed, body=body_sent + b" ")[0] == 403
    assert watching.tell("one", {"X-Gitlab-Token": watching.token})[0] == 202
    assert watching.tell("one", {"X-Gitlab-Token": watching.token[:-1]})[0] == 403


def test_the_hook_of_git_tells_of_each_push(watching: Watching) -> None:
    tree = watching.trees["two"]
    hook = Path(tree.url) / "hooks" / "post-receive"
    hook.parent.mkdir(exist_ok=True)
    shutil.copy2(ROOT / "workers" / "hooks" / "post-receive", hook)

    def pushed(subject: str) -> tuple[str, str]:
        made = tree.commit(subject)
        words = ["git", "-C", str(tree.work), "push", "--quiet", str(tree.url), "HEAD:linux-6.12"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return made, done.stderr

    def configure(key: str, value: str) -> None:
        words = ["git", "-C", str(tree.url), "config", f"vlag.{key}", value]
        subprocess.run(words, check=True)

    # Each time the push itself is made, and a line says what vlag was not told.
    assert "set vlag.hook and vlag.tokenFile with git config" in pushed("not configured")[1]
    configure("hook", f"{watching.address}two")
    configure("tokenFile", str(watching.service.folder / "nothing"))
    assert "nothing (vlag.tokenFile) cannot be read" in pushed("no token")[1]
    configure("tokenFile", str(watching.service.settings))
    assert "nothing was done: the request has not the token" in pushed("wrong token")[1]
    configure("tokenFile", str(watching.token_file))
    last, said = pushed("told")
    assert said == ""
    until(lambda: last in watching.seen("two"), watching.service.said)
