# SPDX-License-Identifier: GPL-2.0-only
"""Remotes that mean harm or fall silent: what they write reaches nothing but their own commits."""

from __future__ import annotations

import ast
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.http_stand_in import Answer, Request, served
from tests.repositories import WorkTree, bare
from tests.waiting import until
from vlag import ROOT, progress_log
from vlag.errors import InfrastructureError
from vlag.kernel import mirror, remote, tuxmake_build, upstream
from vlag.kernel.git import git


class Remote(WorkTree):
    """A remote with a work tree that pushes to it, and a mirror of it."""

    def __init__(self, folder: Path):
        super().__init__(folder / "work")
        self.url, self.mirror = bare(folder / "r.git"), folder / "m" / "t.git"
        self.git("remote", "add", "origin", str(self.url))
        self.write("one")
        self.push()

    def write(self, text: str) -> str:
        """Commit a text as the file `text`."""
        return self.commit(text, text=text)

    def push(self, *refs: str) -> None:
        self.git("push", "--quiet", "--force", "origin", *(refs or ("main",)))

    def fetch(self) -> str | None:
        return mirror.clone(self.mirror, str(self.url))


@pytest.fixture
def hostile(tmp_path: Path) -> Remote:
    return Remote(tmp_path)


def refs(of: Path) -> list[str]:
    return git(of, "for-each-ref", "--format=%(refname)").splitlines()


def test_a_commit_id_means_its_commit_whatever_the_remote_replaces(hostile: Remote) -> None:
    good = hostile.git("rev-parse", "HEAD")
    evil = hostile.write("evil")
    hostile.git("checkout", "--quiet", "-B", "main", good)
    hostile.git("replace", good, evil)
    hostile.push("main", f"refs/replace/{good}")
    assert hostile.fetch() is None
    assert refs(hostile.mirror) == ["refs/heads/main"]
    # An older mirror has it already, and so has one that somebody else has fetched into.
    git(hostile.mirror, "fetch", "--quiet", str(hostile.url), "refs/replace/*:refs/replace/*")
    assert mirror.resolve(hostile.mirror, good).subject == "one"
    assert git(hostile.mirror, "show", f"{good}:text") == "one"
    with tuxmake_build.checkout(hostile.mirror, hostile.mirror.parent / "src", good) as source:
        assert (source / "text").read_text() == "one"
    # Negative control: it is a replacement that git itself follows.
    said = subprocess.run(
        ["git", f"--git-dir={hostile.mirror}", "show", f"{good}:text"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout == "evil"
    # What is there of it goes with the next fetch.
    (hostile.mirror / "info" / "grafts").write_text(f"{good} {evil}\n")
    assert hostile.fetch() is None
    assert refs(hostile.mirror) == ["refs/heads/main"]
    assert not (hostile.mirror / "info" / "grafts").exists()


@pytest.mark.parametrize("ref", ["v6.6.1", "v6.6.*"])
def test_a_branch_named_as_a_tag_is_not_that_tag(hostile: Remote, ref: str) -> None:
    good = hostile.git("rev-parse", "HEAD")
    hostile.git("tag", "v6.6.1")
    evil = hostile.write("evil")
    hostile.push("v6.6.1", f"{evil}:refs/heads/v6.6.1")
    hostile.fetch()
    found = mirror.resolve(hostile.mirror, ref)
    assert (found.sha, found.is_branch) == (good, False)
    # Where a name could be both, that is said; a pattern is one of tags only.
    both = "v6.6.1 is a tag and a branch of t: taken is refs/tags/v6.6.1; the other one is"
    assert found.ambiguities == (() if "*" in ref else (f"{both} refs/heads/v6.6.1",))
    # Whoever asks for the branch has it.
    watched = mirror.resolve(hostile.mirror, "v6.6.1", branch=True)
    assert (watched.sha, watched.is_branch) == (evil, True)
    assert mirror.resolve(hostile.mirror, "refs/heads/v6.6.1").sha == evil


def test_a_branch_named_as_a_commit_is_not_that_commit(hostile: Remote) -> None:
    good = hostile.git("rev-parse", "HEAD")
    evil = hostile.write("evil")
    hostile.push("main", f"{evil}:refs/heads/{good}")
    hostile.fetch()
    assert f"refs/heads/{good}" in refs(hostile.mirror)
    assert mirror.resolve(hostile.mirror, good).sha == good
    assert mirror.resolve(hostile.mirror, good, branch=True).sha == good


def test_a_tag_named_as_a_watched_branch_is_not_that_branch(hostile: Remote) -> None:
    head = hostile.git("rev-parse", "HEAD")
    evil = hostile.write("evil")
    hostile.push(f"{head}:refs/heads/main", f"{evil}:refs/tags/main")
    hostile.fetch()
    assert mirror.resolve(hostile.mirror, "main", branch=True).sha == head


def raw(hostile: Remote, kind: str, data: bytes) -> str:
    """Write an object without git's own checks; return its id."""
    done = subprocess.run(
        ["git", "-C", hostile.folder, "hash-object", "-w", "--literally", "--stdin", "-t", kind],
        input=data, capture_output=True, check=True,
    )  # fmt: skip
    return done.stdout.decode().strip()


@pytest.mark.parametrize("name", [b".git", b"..", b".GIT", b"a/b"])
def test_a_tree_with_a_name_that_leads_elsewhere_is_refused(hostile: Remote, name: bytes) -> None:
    blob = raw(hostile, "blob", b"x")
    entry = b"100644 " + name + b"\0" + bytes.fromhex(blob)
    tree = raw(hostile, "tree", entry)
    evil = hostile.git("commit-tree", tree, "-m", "evil")
    hostile.fetch()
    hostile.push(f"{evil}:refs/heads/evil")
    said = hostile.fetch()
    assert said is not None
    assert f"error: object {tree}: " in said
    assert refs(hostile.mirror) == ["refs/heads/main"]


def test_a_plain_tree_is_not_refused(hostile: Remote) -> None:
    """Negative control, with a fault of old histories that harms nobody."""
    blob = raw(hostile, "blob", b"x")
    tree = raw(hostile, "tree", b"0100644 plain\0" + bytes.fromhex(blob))
    old = hostile.git("commit-tree", tree, "-m", "old")
    hostile.push(f"{old}:refs/heads/old")
    assert hostile.fetch() is None
    assert mirror.resolve(hostile.mirror, "old").sha == old


def test_a_shallow_remote_cuts_no_history(hostile: Remote, tmp_path: Path) -> None:
    hostile.fetch()
    hostile.write("two")
    hostile.write("three")
    hostile.push()
    cut, url = tmp_path / "cut.git", f"file://{hostile.url}"
    words = ("git", "clone", "--quiet", "--bare", "-b", "main", "--depth=1", url)
    subprocess.run([*words, str(cut)], check=True)
    said = mirror.clone(hostile.mirror, str(cut))
    assert said is not None
    assert "rejected refs/heads/main because shallow roots" in said
    assert not (hostile.mirror / "shallow").exists()
    assert mirror.resolve(hostile.mirror, "main").subject == "one"
    assert hostile.fetch() is None
    assert git(hostile.mirror, "rev-list", "--count", "main") == "3"


def test_objects_are_the_mirrors_own(hostile: Remote, tmp_path: Path) -> None:
    """A remote with alternates is fetched whole; nothing of it is borrowed."""
    borrowing = tmp_path / "borrowing.git"
    subprocess.run(
        ["git", "clone", "--quiet", "--bare", "--shared", hostile.url, borrowing], check=True
    )
    assert mirror.clone(hostile.mirror, str(borrowing)) is None
    assert not (hostile.mirror / "objects" / "info" / "alternates").exists()
    assert git(hostile.mirror, "fsck", "--full") == ""


def test_what_a_tree_names_besides_files_starts_and_fetches_nothing(
    hostile: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Submodules, LFS pointers, links that lead out, names that differ by case."""
    ran, secret = tmp_path / "ran", tmp_path / "secret"
    secret.write_text("secret")
    settings = tmp_path / "gitconfig"  # those of a person who uses all of this
    settings.write_text(
        f'[filter "lfs"]\n\tsmudge = touch {ran}; cat\n\trequired = true\n'
        "[submodule]\n\trecurse = true\n[protocol]\n\tallow = always\n"
    )
    other = Remote(tmp_path / "other")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    files = {
        ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
        ".lfsconfig": "[lfs]\n\turl = http://127.0.0.1:9/\n", "a.bin": pointer,
        ".gitmodules": f'[submodule "s"]\n\tpath = s\n\turl = {other.url}\n',
        "Makefile": "upper", "makefile": "lower",
    }  # fmt: skip
    for name, text in files.items():
        (hostile.folder / name).write_text(text)
    (hostile.folder / "out").symlink_to(secret)
    hostile.git(
        "update-index", "--add", "--cacheinfo", f"160000,{other.git('rev-parse', 'HEAD')},s"
    )
    (hostile.folder / "s").mkdir()
    evil = hostile.write("evil")
    hostile.push()
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    assert hostile.fetch() is None
    with tuxmake_build.checkout(hostile.mirror, tmp_path / "src", evil) as source:
        assert (source / "a.bin").read_text() == pointer
        assert not ran.exists()
        assert list((source / "s").iterdir()) == []
        assert (source / "out").is_symlink()
        assert [(source / name).read_text() for name in ("Makefile", "makefile")] == [
            "upper", "lower",
        ]  # fmt: skip
        # The next user of the work tree cleans up; that does not go through the link.
        (source / "out").unlink()
        (source / "out").mkdir()
        (source / "s" / "left").write_text("x")
    with tuxmake_build.checkout(hostile.mirror, tmp_path / "src", f"{evil}^1") as source:
        assert sorted(p.name for p in source.iterdir()) == [".git", "text"]
    assert secret.read_text() == "secret"
    # Negative control: git by itself runs the program.
    subprocess.run(
        ["git", "clone", "--quiet", "-b", "main", hostile.url, tmp_path / "by-itself"], check=False
    )
    assert ran.exists()


@pytest.fixture
def silent() -> Iterator[tuple[str, int]]:
    """A server that accepts and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken: list[socket.socket] = []

        def accept() -> None:
            try:
                while True:
                    taken.append(server.accept()[0])
            except OSError:
                pass

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()
        server.shutdown(socket.SHUT_RDWR)
        for one in taken:
            one.close()


def groups_with(word: str) -> list[str]:
    """Return the command lines of processes that mention a word."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if word in line and path.parent.name != str(os.getpid()):
            found.append(line)
    return found


def test_a_remote_of_a_broken_network_is_asked_again(
    hostile: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "PAUSES_S", (0.1, 0.2, 0.3))
    refusals = 2  # a server that starts

    def answer(_: Request) -> Answer:
        return Answer(status=503 if len(away.requests) <= refusals else 404)

    said: list[str] = []
    not_there = pytest.raises(InfrastructureError, match="not found")
    with served(answer) as away, progress_log.diverted(said.append):
        url = f"{away.url}/tree.git"
        with not_there:
            mirror.clone(hostile.mirror, url)
        # A repository that is not there is no matter of time.
        assert len(away.requests) == 3
        assert [line.endswith("asking again in 0 s") for line in said] == [False, True, True]
        # One that stays away is given up after the last pause, and from then on at once.
        refusals = 99
        assert hostile.fetch() is None
        for asked in (4, 1):
            away.requests.clear()
            assert mirror.clone(hostile.mirror, url) is not None
            assert len(away.requests) == asked


@pytest.mark.parametrize(
    ("words", "passing"),
    [
        ("fatal: unable to access 'https://x/': Could not resolve host: x", True),
        ("fatal: unable to connect to x:\nx[0: ::1]: errno=Connection refused", True),
        ("error: RPC failed; curl 56 x\nfatal: early EOF", True),
        ("fatal: unable to access 'https://x/': The requested URL returned error: 403", False),
        ("fatal: '/x' does not appear to be a git repository", False),
        (
            "git@x: Permission denied (publickey).\nfatal: The remote end hung up unexpectedly",
            False,
        ),
        ("fatal: it took longer than 14400 s", False),
    ],
)
def test_what_the_network_says(words: str, passing: bool) -> None:
    assert remote.is_passing(words) is passing


@pytest.mark.parametrize("scheme", ["git", "http"])
def test_a_remote_that_never_answers_is_given_up(
    hostile: Remote, silent: tuple[str, int], scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "SILENCE_S", 1.0)
    url = f"{scheme}://127.0.0.1:{silent[1]}/tree.git"
    with pytest.raises(
        InfrastructureError, match=r"cannot clone .*: fatal: .*(said nothing|Operation too slow)"
    ):
        mirror.clone(hostile.mirror, url)
    # git's own helper for HTTP ends by itself, a moment after git has said so.
    until(lambda: groups_with(str(silent[1])) == [], lambda: str(groups_with(str(silent[1]))))
    # The lock is free, and nothing is left of the attempt.
    assert sorted(p.name for p in hostile.mirror.parent.iterdir()) == ["t.git.lock"]
    assert hostile.fetch() is None
    # One that has answered before has what it had.
    said = mirror.clone(hostile.mirror, url)
    assert said is not None
    assert mirror.resolve(hostile.mirror, "main").subject == "one"
    assert [e.kind for e in upstream.events(hostile.mirror)] == [upstream.MOVED, upstream.SILENT]


def test_a_remote_that_asks_for_a_password_is_an_error(hostile: Remote) -> None:
    asks = Answer(status=401, headers={"WWW-Authenticate": 'Basic realm="x"'})
    with (
        served(lambda _: asks) as server,
        pytest.raises(InfrastructureError, match="terminal prompts disabled"),
    ):
        mirror.clone(hostile.mirror, f"{server.url}/x.git")


def calls(text: str) -> list[int]:
    """Return the lines of a module that write a command line of git by themselves."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.List | ast.Tuple) and node.elts
        and isinstance(node.elts[0], ast.Constant) and node.elts[0].value == "git"
        and len(node.elts) > 1
    ]  # fmt: skip


def test_every_call_of_git_begins_alike() -> None:
    """What holds for one call holds for all: replacements, hooks, submodules."""
    files = [p for of in ("vlag", "master") for p in (ROOT / of).rglob("*.py")]
    own = {str(p.relative_to(ROOT)) for p in files if calls(p.read_text(encoding="utf-8"))}
    assert own == {
        "vlag/kernel/git.py",
        "vlag/operate/service/prerequisites.py",
    }  # names of programs
    assert calls('run(["git", "show"])') == [1]  # negative control
