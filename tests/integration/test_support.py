# SPDX-License-Identifier: GPL-2.0-only
"""`vlag support`: what helps is in the file, and nothing secret or personal is."""

from __future__ import annotations

import json
import stat
import tarfile
from pathlib import Path

import pytest

from tests.integration import saved
from vlag import config
from vlag.config import Settings
from vlag.config.documents import SCHEMAS, read_json
from vlag.operate.service import scrub, support
from vlag.store import database, run_values

#: Planted in settings, files, logs and rows; none of them may leave.
SECRETS = {
    "callback": "7hq-callback-of-labs",
    "worker": 'wk"with\\quotes and spaces',
    "mail": "smtp-pässword",
    "webhook": "sign-with-this",
    "database": "pg:with:colons",
    "lab": "lab-token-0815",
    "job": "token-of-one-job",
    "upload": "token-of-an-upload",
    "hook": "https://chat.example.org/hook/T0/SECRETPATH",
    "git": "deploy:gitpassword",
    "given": "unknown-bearer-4711",
    "query": "unknown-query-4712",
}
#: Those that vlag can know; the last two only show by what is before them.
KNOWN = tuple(SECRETS.values())[:-2]
PEOPLE = (
    "Kim Owner", "kim@owners.example", "zoe-triage", "Jane Q. Doe", "jane@doe.example",
    "stranger@elsewhere.example", "hashed-person", "/home/zoe", "203.0.113.77", "2001:db8::77",
)  # fmt: skip

SETTINGS = f"""
[mail]
smtp = "127.0.0.1:25"
from = "vlag-sender@example.org"
user = "smtp-user-name"
password_file = "mail-password"
[mail.owners]
"debian/linux-6.12" = ["kim@owners.example"]
[webhook]
url = "{SECRETS["hook"]}"
secret_file = "webhook-secret"
[people]
password_file = "people"
triage = ["zoe-triage"]
[report]
reported_by = "Jane Q. Doe <jane@doe.example>"
[labs.east]
url = "http://lab.example.org"
token_file = "lab-token"
artifacts = "http://127.0.0.1:8020"
[trees.private]
url = "https://{SECRETS["git"]}@git.example.org/linux.git"
"""
HASH = "$2y$05$abcdefghijklmnopqrstuvabcdefghijklmnopqrstuvabcdefgh"


def planted(folder: Path) -> Settings:
    """Return an installation with a secret in every place that has one."""
    made = saved.settings(folder)
    text = made.path.read_text().replace("web = 8010", "web = 1")  # nobody listens there
    made.path.write_text(text + SETTINGS)
    made = config.load(made.path)
    for name, text in {
        "mail-password": SECRETS["mail"], "webhook-secret": SECRETS["webhook"],
        "lab-token": SECRETS["lab"], "people": f"hashed-person:{HASH}",
        "var/secrets/callback": SECRETS["callback"], "var/secrets/worker": SECRETS["worker"],
        "var/secrets/pgpass-x-0": f"*:*:*:vlag:{SECRETS['database']}",
        "var/artifacts/uploads/1/token": SECRETS["upload"],
        "var/lab/1/asked.json": json.dumps({"token": SECRETS["job"]}),
    }.items():  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{text}\n", encoding="utf-8")
    log = made.state / "log" / "master.log"
    log.parent.mkdir()
    lines = [f"a line with {text} in it" for text in (*KNOWN, *PEOPLE, HASH)]
    lines += [
        "2026-03-05 12:34:56 QEMU 7.2.0 of 127.0.0.1 builds worker@build1",
        "change by Some Body <stranger@elsewhere.example>, owners=['kim@owners.example']",
        f"Authorization: Token {SECRETS['given']}",
        f'GET /callback?token={SECRETS["query"]}&x=1 "password": "{SECRETS["query"]}"',
        "the end of the log",
    ]
    log.write_text("\n".join(["x" * 99] * 4000 + lines) + "\n", encoding="utf-8")
    return made


def content(path: Path) -> dict[str, str]:
    with tarfile.open(path) as tar:
        found = {}
        for entry in tar.getmembers():
            file = tar.extractfile(entry)
            assert file is not None
            found[entry.name.removeprefix("vlag-support/")] = file.read().decode()
        return found


def leaks(found: dict[str, str]) -> list[str]:
    """Return what is planted and in any file, also as JSON writes it."""
    text = "\n".join(found.values())
    known = [*SECRETS.values(), *PEOPLE, HASH, "smtp-user-name", "vlag-sender@example.org"]
    return [s for s in known if s in text or json.dumps(s)[1:-1] in text]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return planted(tmp_path_factory.mktemp("planted"))


def test_nothing_secret_or_personal_is_in_it(made: Settings, tmp_path: Path) -> None:
    to = tmp_path / "support.tar.gz"
    with saved.running(made):
        run_values.migrate(made.dsn())
        with database.connect(made.dsn()) as conn:
            said = " and ".join([*KNOWN, *PEOPLE])
            conn.execute(
                "INSERT INTO night (key, started_at, finished_at, comparisons, branches, missing,"
                " notes) VALUES ('1', now(), now(), '{}', '[]', %s, %s)",
                ([f"a boot of {said}"], [f"note {said}"]),
            )
            conn.execute(
                "INSERT INTO message (key, channel, recipient, subject, body, state)"
                " VALUES ('1', 'mail', 'kim@owners.example', 's', 'b', 'given up')"
            )
        done = saved.vlag(made, "support", str(to))
    assert done.returncode == 0, done.stderr
    assert stat.S_IMODE(to.stat().st_mode) == 0o600
    found = content(to)
    assert leaks(found) == []
    # What helps is there.
    assert set(found) >= {
        "versions.json", "settings.json", "health.json", "database.json", "log/master.log",
    }  # fmt: skip
    log = found["log/master.log"]
    assert "2026-03-05 12:34:56 QEMU 7.2.0 of 127.0.0.1 builds worker@build1" in log
    assert log.endswith("the end of the log\n")
    assert len(log) <= support.LOG
    said = json.loads(found["database.json"])
    assert said["nights"][0]["missing"][0].startswith("a boot of <secret>")
    assert said["messages"] == [{"channel": "mail", "state": "given up", "messages": 1}]
    assert "public.run" in {t["table"] for t in said["vlag"]["tables"]}
    health = json.loads(found["health.json"])
    assert health["master"].startswith("not well: ")
    shown = json.loads(found["settings.json"])
    assert shown["nightly"] == {"hour": 1, "minute": 30}
    assert shown["mail"] == "(there; left out)"
    assert shown["labs"]["east"]["token_file"] == "(left out)"  # noqa: S105 - no token
    assert json.loads(found["versions.json"])["vlag"]
    # It is there now.
    again = saved.vlag(made, "support", str(to))
    assert again.returncode == 2
    assert "exists; name a new file" in again.stderr


def test_without_a_database_it_has_the_rest(made: Settings, tmp_path: Path) -> None:
    to = tmp_path / "support.tar.gz"
    assert saved.vlag(made, "support", str(to)).returncode == 0
    found = content(to)
    assert "cannot use database" in json.loads(found["database.json"])["cannot be had"]
    assert "cannot use database" in json.loads(found["health.json"])["database"]
    assert leaks(found) == []
    nowhere = saved.vlag(made, "support", str(tmp_path / "no" / "folder.tar"))
    assert nowhere.returncode == 2
    assert "cannot be written (No such file or directory)" in nowhere.stderr


def test_the_search_finds_what_is_not_scrubbed(
    made: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: without the scrubber all that is planted in the log is found."""
    monkeypatch.setattr(scrub.Scrubber, "text", lambda self, text: text)
    to = tmp_path / "support.tar.gz"
    support.support(made, to)
    assert {*SECRETS.values(), *PEOPLE} <= set(leaks(content(to)))


def test_each_table_of_the_settings_is_shown_or_left_out() -> None:
    tables = set(read_json(SCHEMAS / "settings.schema.json")["properties"])
    assert tables == {*support.SHOWN, *support.NAMED}
