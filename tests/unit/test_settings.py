# SPDX-License-Identifier: GPL-2.0-only
"""Settings and catalogue: what a person got wrong is said with file and key."""

import re
import shutil
import stat
import warnings
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import make_url

from tests.settings_files import with_branch
from vlag import ROOT, config
from vlag.cli.main import main
from vlag.config import catalogue, workers
from vlag.config.former_keys import FormerKeyWarning
from vlag.errors import UsageError
from vlag.kernel.refs import Files
from vlag.model import Board
from vlag.store import database

SWITCH = "benchmarks/stress-ng-switch"


def edited(tmp_path: Path, old: str, new: str) -> Path:
    text = (ROOT / "vlag.toml").read_text()
    assert old in text
    path = tmp_path / "vlag.toml"
    path.write_text(text.replace(old, new))
    return path


def test_the_shipped_settings_load(tmp_path: Path) -> None:
    loaded = config.load(edited(tmp_path, 'state = "var"', 'state = "here"'))
    assert loaded.state == tmp_path / "here"
    assert loaded.jobs >= 1
    assert [(b.branch, b.series) for b in loaded.branches] == [
        ("linux-6.12", None),
        ("linux-6.12", "known-regressions"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("web = 8010", "web = 80100", r"vlag\.toml: ports\.web: "),
        ("web = 8010", "", r"vlag\.toml: ports: 'web' is a required"),
        ("web = 8010", "web = 8010\nwebb = 1", r"vlag\.toml: ports: .*webb"),
        ("hour = 1", "hour = ", "not valid TOML"),
        ("hour = 1", "hour = 25", r"nightly\.hour: 25"),
        ('state = "var"', 'state = "my var"', r"state: .* has ' ', which"),
    ],
)
def test_a_mistake_gets_one_sentence(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence) as caught:
        config.load(edited(tmp_path, old, new))
    assert "\n" not in str(caught.value).strip()


@pytest.mark.parametrize("odd", [" ", ",", ":", "$", "%"])
def test_a_state_folder_in_which_no_kernel_is_built_is_refused(tmp_path: Path, odd: str) -> None:
    """A comma parts what gcc hands to its preprocessor, the name of a dependency file too."""
    with pytest.raises(UsageError, match=re.escape(f"has {odd!r}, which the kernel's makefiles")):
        config.load(edited(tmp_path, 'state = "var"', f'state = "a{odd}b"'))
    # Negative control.
    loaded = config.load(edited(tmp_path, 'state = "var"', 'state = "a+b@c-d_e.f"'))
    assert loaded.state.name == "a+b@c-d_e.f"


def test_all_that_a_schema_cannot_see_is_said_at_once(tmp_path: Path) -> None:
    path = edited(tmp_path, 'tree = "debian"', 'tree = "debain"')
    path.write_text(path.read_text().replace('series = "known-regressions"\n', ""))
    with pytest.raises(UsageError) as caught:
        config.load(path)
    keys = [
        line.removeprefix(f"{path}: ").partition(": ")[0] for line in str(caught.value).split("\n")
    ]
    assert keys == [
        "branches.0.tree",
        "branches.1.tree",
        "branches.1.applications",
    ]
    # Negative control: one fault less, one line less.
    path.write_text(path.read_text().replace('tree = "debain"', 'tree = "debian"', 1))
    with pytest.raises(UsageError) as caught:
        config.load(path)
    assert "branches.0.tree" not in str(caught.value)


MAIL = """
[mail]
smtp = "[::1]:25"
from = "vlag@example.org"
[mail.owners]
"debian" = ["a@example.org", "b@example.org"]
"debian/linux-6.12" = ["b@example.org", "c@example.org"]
"""


def test_mail_goes_to_the_owners_of_a_branch_and_of_its_tree(tmp_path: Path) -> None:
    mail = config.load(with_branch(tmp_path, MAIL)).mail
    assert mail is not None
    assert (mail.host, mail.port, mail.tls) == ("::1", 25, "starttls")
    both = ("b@example.org", "c@example.org", "a@example.org")
    assert mail.recipients("debian", "linux-6.12") == both
    assert mail.recipients("debian", "linux-6.1") == both[2:] + both[:1]
    assert mail.recipients("other", "linux-6.12") == ()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[::1]:25", "mail", r"mail\.smtp: 'mail' does not match"),
        ("[::1]:25", "::1:25", r"mail\.smtp: '::1:25' does not match"),
        ("[::1]:25", "mail:99999", r"mail\.smtp: 'mail:99999' has no port from 1 to 65535"),
        ('from = "vlag@', 'tls = "none"\nuser = "u"\npassword_file = "p"\nfrom = "vlag@',
         r'mail\.user: the password would be sent in clear; set mail\.tls to "starttls" or'),
        ('from = "vlag@', 'user = "u"\nfrom = "vlag@', r"mail: 'password_file' is a dependency"),
        ('"debian" =', '"debain" =', r"mail\.owners: 'debain' is no tree or branch that is wat"),
        ("/linux-6.12", "/linux-6.13", r"'debian/linux-6\.13' is no .*: debian/linux-6\.12$"),
        ("a@example.org", "a", r"mail\.owners\.debian\.0: 'a' does not match"),
    ],
)  # fmt: skip
def test_mail_that_reaches_nobody_or_betrays_a_password_is_refused(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    assert old in MAIL
    with pytest.raises(UsageError, match=sentence):
        config.load(with_branch(tmp_path, MAIL.replace(old, new)))


@pytest.mark.parametrize(
    ("keys", "commit_plan", "series", "applications"),
    [
        ("", "nightly", None, ()),
        ('commit_plan = "commit"', "commit", None, ()),
        ('series = "known-regressions"', "nightly", "known-regressions", ("full",)),
        ('series = "x"\napplications = ["none", "each"]', "nightly", "x", ("none", "each")),
        ('series = "x"\napplications = ["without(12)"]', "nightly", "x", ("without(12)",)),
    ],
)
def test_a_branch_may_have_a_series(
    tmp_path: Path, keys: str, commit_plan: str, series: str | None, applications: tuple[str, ...]
) -> None:
    branch = config.load(with_branch(tmp_path, keys)).branches[0]
    found = (branch.plan, branch.commit_plan, branch.series, branch.applications)
    assert found == ("nightly", commit_plan, series, applications)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ('applications = ["full"]', r"toml: branches\.0\.applications: of which"),
        ('series = "x"\napplications = ["all"]', r"branches\.0\.applications\.0: no appl.*each$"),
        ('series = "x"\napplications = ["full", "solo(0)"]', r"\.applications\.1: no application"),
        ('series = "x"\napplications = []', r"branches\.0\.applications: \[\]"),
        ('series = "../x"', r"branches\.0\.series: '\.\./x' does not match"),
        ('commit_plan = ""', r"branches\.0\.commit_plan: "),
    ],
)
def test_a_mistake_in_a_series(tmp_path: Path, keys: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence) as caught:
        config.load(with_branch(tmp_path, keys))
    assert "\n" not in str(caught.value).strip()


SERVER = """
[database]
host = "db.example.org"
password_file = "database"
reader_password_file = "reader"
sslmode = "verify-full"
sslrootcert = "ca.pem"
"""


def test_a_database_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VLAG_DATABASE", raising=False)
    monkeypatch.delenv("VLAG_READER_DATABASE", raising=False)
    secret = "it's a: \\ $x"  # noqa: S105 - what wants quoting in a password file
    (tmp_path / "database").write_text(f"{secret}\n")
    here = config.load(with_branch(tmp_path, SERVER))
    dsn = here.dsn("buildbot")
    assert secret not in dsn
    given = conninfo_to_dict(dsn)
    passfile = Path(str(given.pop("passfile")))
    assert given == {
        "host": "db.example.org",
        "port": "5432",
        "user": "vlag",
        "dbname": "buildbot",
        "connect_timeout": "10",
        "sslmode": "verify-full",
        "sslrootcert": str(tmp_path / "ca.pem"),
    }
    assert stat.S_IMODE(passfile.stat().st_mode) == 0o600
    assert stat.S_IMODE(passfile.parent.stat().st_mode) == 0o700
    assert passfile.read_text() == "*:*:*:vlag:it's a\\: \\\\ $x\n"
    # Buildbot gets the same as a URL, in SQLAlchemy's form.
    url = make_url(database.url(dsn))
    assert (url.drivername, url.database, url.password) == ("postgresql+psycopg", "buildbot", None)
    assert url.query["sslmode"] == "verify-full"
    assert url.query["passfile"] == str(passfile)
    # Who only runs stages needs no password of the reader; a changed password counts at once.
    with pytest.raises(
        UsageError, match=r"reader \(database\.reader_password_file in .*vlag\.toml\)"
    ):
        here.reader_dsn()
    (tmp_path / "reader").write_text("r\n")
    reader = conninfo_to_dict(here.reader_dsn())
    assert (reader["user"], reader["dbname"]) == ("vlag_reader", "vlag")
    assert Path(str(reader["passfile"])).read_text() == "*:*:*:vlag_reader:r\n"
    (tmp_path / "database").write_text("new\n")
    assert here.dsn("buildbot") == dsn
    assert passfile.read_text() == "*:*:*:vlag:new\n"


@pytest.mark.parametrize("content", ["", "\n", "a\nb\n", None])
def test_a_password_file_has_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    monkeypatch.delenv("VLAG_DATABASE", raising=False)
    if content is not None:
        (tmp_path / "database").write_text(content)
    here = config.load(with_branch(tmp_path, SERVER))
    with pytest.raises(UsageError, match=r"database \(database\.password_file in .*one line") as e:
        here.dsn()
    assert "\n" not in str(e.value)


def test_a_socket_and_no_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VLAG_DATABASE", raising=False)
    here = config.load(with_branch(tmp_path, '[database]\nhost = "/run/a socket"\nuser = "me"'))
    given = conninfo_to_dict(here.dsn())
    assert (given["host"], given["user"], "passfile" in given) == ("/run/a socket", "me", False)
    assert not here.state.exists()
    monkeypatch.setenv("VLAG_DATABASE", "dbname=other")
    given = conninfo_to_dict(here.dsn())
    assert given == {"dbname": "other", "options": f"-c vlag.state={here.state}"}
    assert here.dsn("buildbot") != "dbname=other"


HOSTS = """
[web]
listen = "0.0.0.0"
url = "https://vlag.example.org"
[workers]
listen = "10.0.0.1"
password_file = "/run/worker"
[[workers.hosts]]
name = "build1"
slots = 4
takes = ["build"]
[[workers.hosts]]
name = "run1"
slots = 2
takes = ["lab", "run"]
[inventory]
boards = "my/boards.yml"
"""


def test_several_worker_hosts(tmp_path: Path) -> None:
    here = config.load(with_branch(tmp_path, HOSTS))
    assert here.url == "https://vlag.example.org/"
    assert (here.web_host, here.worker_listen) == ("127.0.0.1", "10.0.0.1")
    assert here.worker_password_file == Path("/run/worker")
    assert here.inventory == tmp_path / "my" / "boards.yml"
    assert [(h.name, h.takes) for h in here.hosts] == [
        ("build1", ("build",)),
        ("run1", ("run", "lab")),
    ]
    known = evolve(
        catalogue.load(),
        boards=(
            Board(name="a", board_type="x"),
            Board(name="b", board_type="x", worker="run1"),
            Board(name="c", board_type="x"),
            Board(name="far", board_type="y", lab="home"),
        ),
    )
    assert workers.host_names(here, known) == {
        **{f"build1-{i}": "build1" for i in (1, 2, 3)},
        **{f"run1-{i}": "run1" for i in (1, 2, 3)},
        **{f"run1-lab-{i}": "run1" for i in (1, 2)},
    }
    with pytest.raises(UsageError, match="which worker host is this"):
        here.host(None)
    wrong = evolve(known, boards=(Board(name="a", board_type="x", worker="build1"),))
    with pytest.raises(UsageError, match=r"a\.worker: no worker host 'build1' that takes \"run\""):
        workers.host_names(here, wrong)
    only = evolve(here, named_hosts=here.hosts[:1])
    with pytest.raises(UsageError, match="a is in no lab, and no worker host takes"):
        workers.host_names(only, known)
    with pytest.raises(UsageError, match="far is in lab home, and no worker host takes"):
        workers.host_names(only, evolve(known, boards=known.boards[3:]))


def test_a_key_under_its_former_name_is_read_with_a_warning(tmp_path: Path) -> None:
    path = with_branch(tmp_path, HOSTS.replace("slots = 4", "lanes = 4"))
    sentence = rf"{path}: workers\.hosts\.0\.lanes is now 'slots'; the old key goes away"
    with pytest.warns(FormerKeyWarning, match=sentence) as warned:
        here = config.load(path)
    assert len(warned) == 1
    assert [h.slots for h in here.named_hosts] == [4, 2]


def test_present_keys_warn_of_nothing(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        here = config.load(with_branch(tmp_path, HOSTS))
    assert [h.slots for h in here.named_hosts] == [4, 2]


def test_a_former_key_beside_the_present_one_is_refused(tmp_path: Path) -> None:
    both = HOSTS.replace("slots = 4", "slots = 4\nlanes = 3")
    with pytest.raises(UsageError, match=r"workers\.hosts\.0: .*'lanes' was unexpected"):
        config.load(with_branch(tmp_path, both))


def test_a_command_prints_one_line_on_a_former_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = with_branch(tmp_path, HOSTS.replace("slots = 4", "lanes = 4"))
    monkeypatch.setenv("VLAG_SETTINGS", str(path))
    monkeypatch.setenv("VLAG_DATABASE", f"host={tmp_path} dbname=none")
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # put back afterwards
    result = CliRunner().invoke(main, ["alerts", "list"])
    lines = result.stderr.splitlines()
    assert [line for line in lines if "'slots'" in line] == [
        f"vlag: {path}: workers.hosts.0.lanes is now 'slots'; the old key goes away in the next"
        " release"
    ]
    path.write_text(path.read_text().replace("lanes", "slots"))
    assert "'slots'" not in CliRunner().invoke(main, ["alerts", "list"]).stderr


def test_one_machine_is_one_host(tmp_path: Path) -> None:
    here = config.load(with_branch(tmp_path, ""))
    assert (here.url, here.web_host) == ("http://127.0.0.1:2/", "127.0.0.1")
    assert here.worker_password_file == here.state / "secrets" / "worker"
    assert here.inventory == ROOT / "ansible" / "inventory" / "boards.yml"
    assert here.host(None) == here.host("local") == here.hosts[0]
    known = evolve(
        catalogue.load(),
        boards=(Board(name="a", board_type="x"), Board(name="far", board_type="y", lab="home")),
    )
    names = ["local-1", "local-2", "local-3", "lab-1", "lab-2"]
    assert list(workers.host_names(here, known)) == names


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"run1"', '"build1"', r"workers\.hosts\.1\.name: 'build1' conflicts with host 'build1'"),
        ('"run1"', '"build1-lab"', r"hosts\.1\.name: 'build1-lab' conflicts with host 'build1'"),
        ('["build"]', '["lab"]', r'toml: workers\.hosts: none takes "build"'),
        ('["build"]', '["builds"]', r"workers\.hosts\.0\.takes\.0: 'builds' is not one of"),
        ("slots = 4", "slots = 0", r"workers\.hosts\.0\.slots: 0 is less"),
        ('"run1"', '"Run 1"', r"workers\.hosts\.1\.name: 'Run 1' does not match"),
        ("https://vlag", "vlag", r"toml: web\.url: .* does not match"),
        ("boards =", "board =", r"toml: inventory: .*board"),
    ],
)
def test_a_mistake_in_hosts(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in HOSTS
    with pytest.raises(UsageError, match=sentence) as caught:
        config.load(with_branch(tmp_path, HOSTS.replace(old, new)))
    assert "\n" not in str(caught.value).strip()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('host = "db.example.org"', "", r"toml: database: 'host' is a required"),
        ("verify-full", "verify", r"database\.sslmode: 'verify' is not one of"),
        ("sslmode", "port = 0\nsslmode", r"database\.port: 0 is less"),
        ("sslmode", 'password = "x"\nsslmode', r"toml: database: .*password"),
    ],
)
def test_a_mistake_in_the_database(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        config.load(with_branch(tmp_path, SERVER.replace(old, new)))


WEB = 'web = "https://git.example.org/linux/commit/?id={commit}"'


def test_a_tree_may_have_pages_of_its_commits(tmp_path: Path) -> None:
    path = with_branch(tmp_path, "")
    assert config.load(path).trees["debian"].web is None
    path.write_text(path.read_text().replace("[trees.debian]", f"[trees.debian]\n{WEB}"))
    tree = config.load(path).trees["debian"]
    assert (tree.url, tree.web) == ("/a.git", "https://git.example.org/linux/commit/?id={commit}")


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (WEB.replace("{commit}", ""), r"toml: trees\.debian\.web: .* does not match"),
        (WEB.replace("{commit}", "{commit}{tree}"), r"trees\.debian\.web: .* does not match"),
        (WEB.replace("https", "javascript"), r"trees\.debian\.web: .* does not match"),
        (WEB.replace("git.example.org", "{commit}"), r"trees\.debian\.web: .* does not match"),
        (WEB.replace("linux", "two words"), r"trees\.debian\.web: .* does not match"),
        (f'{WEB}\npackages = {{a = "linux-source-6.1"}}', r"trees\.debian: .* too many properties"),
        ('packages = {a = "linux-source-6.1"}', r"trees\.debian: .* too many properties"),
    ],
)
def test_a_mistake_in_the_pages_of_a_tree(tmp_path: Path, lines: str, sentence: str) -> None:
    path = with_branch(tmp_path, "")
    path.write_text(path.read_text().replace("[trees.debian]", f"[trees.debian]\n{lines}"))
    with pytest.raises(UsageError, match=sentence):
        config.load(path)


IMAGES = 'images = {"6.12" = "linux-image-6.12.*-cloud-amd64"}'


def test_a_tree_of_prebuilt_kernels(tmp_path: Path) -> None:
    path = with_branch(tmp_path, "")
    text = path.read_text()
    mine = 'mine = {image = "k/vmlinuz", config = "https://example.org/config"}'
    given = f'sources = "k/kernels.list"\n{IMAGES[:-1]}, {mine}}}'
    path.write_text(text.replace('url = "/a.git"', given))
    tree = config.load(path).trees["debian"]
    assert (tree.url, tree.packages, tree.sources) == (None, {}, tmp_path / "k/kernels.list")
    assert tree.images == {
        "6.12": "linux-image-6.12.*-cloud-amd64",
        "mine": Files(image=str(tmp_path / "k/vmlinuz"), config="https://example.org/config"),
    }


@pytest.mark.parametrize(
    ("lines", "of_branch", "sentence"),
    [
        ('images = {a = "linux-source-6.1"}', "", r"trees\.debian\.images\.a: .*linux-source-6\.1"),
        ('images = {a = {image = "vmlinuz"}}', "", r"trees\.debian\.images\.a: "),
        ("images = {}", "", r"trees\.debian\.images: "),
        (f'{IMAGES}\nurl = "/a.git"', "", r"trees\.debian: .*'url' was unexpected"),
        (
            'images = {a = "linux-image-6.1*-amd64", b = "linux-image-6.1*-arm64"}', "",
            r"trees\.debian\.images: packages of amd64 and arm64; give each architecture a tree",
        ),
        (
            'images = {a = {image = "i", config = "c"}}\nsources = "x"', "",
            r"trees\.debian\.sources: apt's sources of which packages\?",
        ),
        (IMAGES, 'series = "known-regressions"', r"branches\.0\.series: tree debian has prebuilt"),
        (IMAGES, 'variant = "preempt_rt"', r"branches\.0\.variant: tree debian has prebuilt"),
        (IMAGES, "merge-base:other", r"branches\.0\.baseline: the prebuilt kernels of tree debian"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_tree_of_prebuilt_kernels(
    tmp_path: Path, lines: str, of_branch: str, sentence: str
) -> None:
    path = with_branch(tmp_path, "")
    text = path.read_text().replace('url = "/a.git"', lines)
    if of_branch.startswith("merge-base"):
        text = re.sub(r'baseline = ".*"', f'baseline = "{of_branch}"', text)
    else:
        text = text.replace("[[branches]]", f"[[branches]]\n{of_branch}")
    path.write_text(text)
    with pytest.raises(UsageError, match=sentence):
        config.load(path)


def test_pages_alone_make_no_tree(tmp_path: Path) -> None:
    path = with_branch(tmp_path, "")
    path.write_text(path.read_text().replace('url = "/a.git"', WEB))
    with pytest.raises(UsageError, match=r"trees\.debian: "):
        config.load(path)


def test_missing_settings(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the settings"):
        config.load(tmp_path / "none.toml")


def test_the_shipped_catalogue_loads() -> None:
    loaded = catalogue.load()
    assert {"stress-ng-switch", "cyclictest-hackbench"} <= set(loaded.benchmarks)
    for benchmark in loaded.benchmarks.values():
        assert any(m.headline for m in benchmark.metrics), benchmark.name
        assert benchmark.script.startswith(b"#!/bin/sh\n")


def test_a_plan_s_rerun_boots(tmp_path: Path) -> None:
    for folder in ("lava-jobs", "ansible"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    path = tmp_path / "lava-jobs" / "plans" / "fresh.yaml"
    entry = "  - {benchmark: stress-ng-switch, board_types: [qemu-sim-2], seeds: 2, timeout_s: 9"
    path.write_text(f"plan: fresh\nentries:\n{entry}}}\n{entry}, confirm: [3]}}\n")
    entries = catalogue.load(tmp_path).plan("fresh").entries
    assert [(e.seeds, e.rounds) for e in entries] == [(2, ()), (2, (3,))]


@pytest.mark.parametrize(
    ("file", "old", "new", "sentence"),
    [
        ("plans/nightly.yaml", "confirm: [10, 20, 40]", "confirm: [-1]", r"confirm\.0: -1"),
        ("plans/nightly.yaml", "stress-ng-switch", "stress-switch", r"entries\.0\.benchm"),
        ("plans/nightly.yaml", "seeds: 5", "seeds: 0", r"entries\.0\.seeds: 0"),
        ("plans/nightly.yaml", "plan: nightly", "plan: weekly", "the file says 'nightly'"),
        (f"{SWITCH}/benchmark.yaml", "direction: higher", "", "direction"),
        (f"{SWITCH}/benchmark.yaml", "tool:", "tool", r"yaml:\d+: not val"),
        ("devices/qemu-sim-2.yaml", "scheduler.config", "x.config", r"kconfig/x\.config"),
        ("../ansible/inventory/boards.yml", ": qemu-sim-2", ": pi", "no board type 'pi'"),
    ],
)
def test_a_mistake_in_the_catalogue(
    tmp_path: Path, file: str, old: str, new: str, sentence: str
) -> None:
    for folder in ("lava-jobs", "ansible"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    text = (tmp_path / "lava-jobs" / file).read_text()
    assert old in text
    (tmp_path / "lava-jobs" / file).write_text(text.replace(old, new, 1))
    with pytest.raises(UsageError, match=sentence):
        catalogue.load(tmp_path)


def test_snapshots_are_kept_where_they_have_room(tmp_path: Path) -> None:
    path = edited(tmp_path, "[checks]", "[boots]\nsnapshots_gb = 1.5\n\n[checks]")
    kept = config.load(path).snapshots
    assert kept is not None
    assert kept.most_bytes == 1_500_000_000
    assert kept.folder.name == "snapshots"
    # As shipped there are some.
    assert config.load(edited(tmp_path, "[checks]", "[checks]")).snapshots is not None
    # Negative control: without any, every boot is from power on.
    none = edited(tmp_path, "[checks]", "[boots]\nsnapshots_gb = 0\n\n[checks]")
    assert config.load(none).snapshots is None
