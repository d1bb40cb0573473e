# SPDX-License-Identifier: GPL-2.0-only
"""`vlag report --mail`: the short report as a mail that a list takes and any reader threads."""

from __future__ import annotations

import re
import smtplib
from collections.abc import Callable
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest
from attrs import frozen
from click.testing import CliRunner, Result

from tests.conftest import fresh_database
from tests.integration.alerting import BASE, SAME, SLOW, Record, head
from tests.integration.mail_server import MailServer
from tests.integration.nights import MAIL
from tests.integration.reports import environment
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.store import database

PARENT = "20261123031754.4321-1-kim@example.org"
NOTE = "5 × the pick, see § 3"  # noqa: RUF001
Report = Callable[..., Result]


@frozen(kw_only=True)
class Place:
    dsn: str
    folder: Path
    slower: int
    same: int
    commit: str


@pytest.fixture(scope="module")
def place(
    cluster: str, template: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Place:
    folder = tmp_path_factory.mktemp("mail")
    dsn = fresh_database(cluster, template)
    with database.connect(dsn) as conn:
        record = Record(conn=conn, catalogue=catalogue, folder=folder)
        slower, same = head(1), head(2)
        for of, factors in ((BASE, SAME), (slower, SLOW), (same, SAME)):
            record.fill(of, factors)
        pairs = [record.compare(BASE, of, "baseline") for of in (slower, same)]
    return Place(dsn=dsn, folder=folder, slower=pairs[0], same=pairs[1], commit=slower["commit"])


@pytest.fixture
def report(place: Place) -> Report:
    """Run `vlag report`; `settings` are sections of the settings' file."""

    def work(*words: str, settings: str = "") -> Result:
        env = environment(place.dsn, place.folder)
        path = Path(env["VLAG_SETTINGS"])
        sections = settings.replace("[mail.owners]", '[mail.owners]\n"debian" = ["kim@test"]')
        path.write_text(path.read_text() + re.sub(r'\n"debian/.*', "", sections))
        return CliRunner().invoke(main, ["report", *words], env=env)

    return work


def parsed(raw: bytes) -> EmailMessage:
    found = message_from_bytes(raw, policy=default)
    assert isinstance(found, EmailMessage)
    return found


def mail(done: Result) -> EmailMessage:
    assert done.exit_code == 0, done.output
    return parsed(done.stdout_bytes)


def body(of: EmailMessage) -> bytes:
    found = of.get_payload(decode=True)
    assert isinstance(found, bytes)
    return found


def refused(done: Result) -> str:
    """Return the one sentence on what is wrong."""
    assert done.exit_code == ExitCode.USAGE, done.output
    assert done.stdout == ""
    [said] = done.stderr.splitlines()
    return said


def test_the_body_is_the_report_byte_for_byte(report: Report, place: Place) -> None:
    which = ("--comparison", str(place.slower))
    text = report(*which)
    done = report(*which, "--mail", "--from", "Kim Doe <kim@example.org>")
    made = mail(done)
    assert body(made) == text.stdout_bytes
    assert made["Subject"] == (
        f"[REGRESSION] stress-ng-switch -12.00 % on qemu-sim-2: debian/6.12.1-1-vlag"
        f" {place.commit[:12]}"
    )
    assert str(made["From"]) == "Kim Doe <kim@example.org>"
    assert (made.get_content_type(), made.get_content_charset()) == ("text/plain", "utf-8")
    assert made["Content-Transfer-Encoding"] == "7bit"
    assert made.get_param("format") is None
    assert abs(made["Date"].datetime.timestamp() - Path(place.folder).stat().st_mtime) < 3600
    for name in ("To", "Cc", "In-Reply-To", "References"):
        assert made[name] is None, name
    # Lines end as a file's do, and nothing is folded or wrapped.
    assert b"\r" not in done.stdout_bytes
    top, _, rest = done.stdout_bytes.partition(b"\n\n")
    assert rest == text.stdout_bytes
    assert all(re.match(rb"[A-Za-z-]+: \S", line) for line in top.splitlines())


def test_without_the_option_it_is_a_report(report: Report, place: Place) -> None:
    """Negative control: the head of a mail is not there by itself."""
    said = report("--comparison", str(place.slower)).stdout
    assert said.startswith("REGRESSION: ")
    assert "Message-ID" not in said


def test_a_reply_names_its_parent_and_its_readers(report: Report) -> None:
    people = ("--to", "LKML <list@example.org>", "--to", "b@test, c@test", "--cc", "d@test")
    made = mail(report("--mail", "--from", "a@test", *people, "--in-reply-to", PARENT))
    assert (made["In-Reply-To"], made["References"]) == (f"<{PARENT}>", f"<{PARENT}>")
    assert [a.addr_spec for a in made["To"].addresses] == ["list@example.org", "b@test", "c@test"]
    assert made["To"].addresses[0].display_name == "LKML"
    assert str(made["Cc"]) == "d@test"
    assert made["Subject"].startswith("[UNCHANGED] ")


@pytest.mark.parametrize(
    "given",
    [
        PARENT,
        f"<{PARENT}>",
        f"https://lore.kernel.org/r/{PARENT}/",
        f"https://lore.kernel.org/lkml/{PARENT}/T/#u",
        f"https://lore.kernel.org/all/{PARENT.replace('@', '%40')}",
    ],
)
def test_a_parent_is_an_id_or_its_page_on_lore(report: Report, given: str) -> None:
    made = mail(report("--mail", "--from", "a@test", "--in-reply-to", given))
    assert made["In-Reply-To"] == f"<{PARENT}>"


def test_a_long_id_stays_whole_beside_a_subject_in_another_alphabet(report: Report) -> None:
    long = f"{'x' * 200}@example.org"
    words = ("--mail", "--from", "a@test", "--in-reply-to", long, "--subject", f"{NOTE} {NOTE}")
    done = report(*words)
    assert f"\nIn-Reply-To: <{long}>\nReferences: <{long}>\n".encode() in done.stdout_bytes
    assert mail(done)["Subject"] == f"Re: {NOTE} {NOTE}"
    assert done.stdout_bytes.partition(b"\n\n")[0].isascii()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--subject", "sched: pick"], "sched: pick"),
        (["--subject", "sched: pick", "--in-reply-to", PARENT], "Re: sched: pick"),
        (["--subject", "Re: sched: pick", "--in-reply-to", PARENT], "Re: sched: pick"),
    ],
)
def test_a_subject_is_that_of_the_thread(report: Report, words: list[str], expected: str) -> None:
    assert mail(report("--mail", "--from", "a@test", *words))["Subject"] == expected


def test_the_same_mail_has_the_same_id_and_another_has_another(
    report: Report, place: Place
) -> None:
    words = ("--mail", "--from", "a@test", "--comparison", str(place.slower))
    ids = [mail(report(*words, *more))["Message-ID"] for more in ((), (), ("--note", "again"))]
    assert ids[0] == ids[1] != ids[2]
    assert re.fullmatch(r"<[0-9a-f]{32}@test>", ids[0])
    assert mail(report(*words, "--in-reply-to", PARENT))["Message-ID"] not in ids


def test_what_is_not_ascii_goes_as_it_is(report: Report) -> None:
    text = report("--note", NOTE)
    done = report("--mail", "--from", "Jürgen Ω <a@test>", "--note", NOTE)
    made = mail(done)
    assert made["Content-Transfer-Encoding"] == "8bit"
    assert body(made) == text.stdout_bytes
    assert NOTE.encode() in done.stdout_bytes
    assert made["From"].addresses[0].display_name == "Jürgen Ω"
    assert done.stdout_bytes.partition(b"\n\n")[0].isascii()


def test_a_night_is_named_by_its_worst_comparison(report: Report, place: Place) -> None:
    pair = ("--comparison", str(place.same), "--comparison", str(place.slower))
    made = mail(report("--mail", "--from", "a@test", *pair))
    assert made["Subject"].startswith("[REGRESSION] stress-ng-switch -12.00 % on qemu-sim-2: ")
    assert made["Subject"].endswith(", and 1 more comparison")
    assert body(made) == report(*pair).stdout_bytes


def test_the_settings_name_the_sender(report: Report) -> None:
    assert str(mail(report("--mail", settings=MAIL))["From"]) == "vlag <vlag@test>"
    given = mail(report("--mail", "--from", "a@test", settings=MAIL))
    assert str(given["From"]) == "a@test"
    said = refused(report("--mail"))
    assert "give --from ADDR, or set `from` of [mail] in " in said


def test_it_is_written_to_a_file_and_a_real_server_takes_it(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "report.eml"
    words = ("--mail", "--from", "a@test", "--to", "b@test, c@test", "--note", NOTE)
    done = report(*words, "--in-reply-to", PARENT, "--output", str(path))
    assert (done.exit_code, done.stdout) == (0, f"{path}\n")
    raw = path.read_bytes()
    # As msmtp -t reads its recipients, and ends the lines.
    people = [a.addr_spec for a in parsed(raw)["To"].addresses]
    server = MailServer(tmp_path / "server")
    try:
        with smtplib.SMTP("127.0.0.1", server.port) as sender:
            sender.sendmail("a@test", people, raw.replace(b"\n", b"\r\n"), ["BODY=8BITMIME"])
        [taken] = server.taken()
    finally:
        server.stop()
    assert taken.about["to"] == ["b@test", "c@test"]
    assert taken.raw == raw.replace(b"\n", b"\r\n")
    assert body(taken.mail).replace(b"\r\n", b"\n") == report("--note", NOTE).stdout_bytes
    assert taken.mail["In-Reply-To"] == f"<{PARENT}>"
    assert not taken.mail.defects


@pytest.mark.parametrize(
    "words",
    [
        ["--subject", "x\nBcc: evil@test"],
        ["--subject", "x\rBcc: evil@test"],
        ["--subject", "x\u2028y"],
        ["--subject", ""],
        ["--to", "kim@test\nBcc: evil@test"],
        ["--cc", "Kim\r\n <kim@test>"],
        ["--from", "a@test\nX: y"],
        ["--in-reply-to", f"{PARENT}\nX: y"],
    ],
)
def test_nothing_gets_into_the_head_by_a_line_break(report: Report, words: list[str]) -> None:
    assert words[0] in refused(report("--mail", "--from", "a@test", *words))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--to", "kim"], "--to 'kim' is no mail address"),
        (["--cc", "a@test b@test"], "no mail address"),
        (["--to", "people:;"], "no mail address"),
        (["--to", "jürgen@test"], "no mail address"),
        (["--from", "a@test, b@test"], "a mail has one sender"),
        (["--in-reply-to", "kim"], "is no Message-ID"),
        (["--in-reply-to", "a b@test"], "is no Message-ID"),
        (["--in-reply-to", "<a@test> <b@test>"], "is no Message-ID"),
        (["--in-reply-to", "https://lore.kernel.org/r/"], "is no Message-ID"),
        (["--in-reply-to", ""], "is no Message-ID"),
        (["--url", f"http://{'x' * 1000}/"], "which no mail can hold"),
    ],
)
def test_what_is_no_address_and_no_id_is_refused(
    report: Report, words: list[str], why: str
) -> None:
    assert why in refused(report("--mail", "--from", "a@test", *words))


@pytest.mark.parametrize(
    "words",
    [
        ["--full"],
        ["--origins"],
        ["--format", "html"],
        ["--branch", "debian/linux-6.12"],
        ["--matrix", "1"],
        ["--predictions"],
        ["--exit-code"],
        ["--missing", "x"],
        ["--across", "linux-6.1", "linux-6.12"],
    ],
)
def test_with_other_options_it_is_refused(report: Report, words: list[str]) -> None:
    said = refused(report("--mail", "--from", "a@test", *words))
    assert "--comparison, --night, --note, --url and --output" in said


@pytest.mark.parametrize("option", ["--from", "--to", "--cc", "--subject", "--in-reply-to"])
def test_the_head_of_a_mail_is_for_a_mail(report: Report, option: str) -> None:
    said = refused(report(option, "a@test"))
    assert f"{option} is for --mail; write `vlag report --mail {option} ...`" in said
