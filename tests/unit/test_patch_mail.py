# SPDX-License-Identifier: GPL-2.0-only
"""Patches from mail: a thread becomes a series, and what is hostile is refused."""

from __future__ import annotations

import base64
import gzip
import re
from email.header import Header
from pathlib import Path

import pytest

from tests import http_stand_in
from tests.repositories import WorkTree, git
from vlag.errors import InfrastructureError, UsageError
from vlag.kernel import patch_mail, series
from vlag.kernel.patch_mail import Imported

LIST = "linux-kernel@vger.kernel.org"


AUTHOR = {"GIT_AUTHOR_NAME": "Jörg, A. B", "GIT_AUTHOR_EMAIL": "j@example.org"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with two commits after its first one."""
    folder = WorkTree(tmp_path / "tree").folder
    for text in ("one\n", "one\ntwo\n", "one\ntwo\nthree\n"):
        (folder / "fair.c").write_text(text)
        git(folder, "add", "fair.c")
        subject = f"sched/fair: have {len(text)}"
        git(folder, "commit", "--quiet", "-m", f"{subject}\n\nWhy it is so.", **AUTHOR)
    return folder


def mails(tree: Path, *options: str) -> str:
    words = ("format-patch", "--stdout", f"--to={LIST}", *options, "HEAD~2")
    return git(tree, *words, **AUTHOR) + "\n\n"


def saved(tmp_path: Path, text: str, name: str = "thread.mbox") -> Path:
    (tmp_path / name).write_text(text)
    return tmp_path / name


def imported(
    tmp_path: Path, text: str, revision: int | None = None, name: str | None = "odd"
) -> Imported:
    found = patch_mail.thread(patch_mail.read(saved(tmp_path, text)), revision)
    return patch_mail.write(found, tmp_path / "patches", name)


def refused(tmp_path: Path, text: str) -> str:
    with pytest.raises(UsageError) as caught:
        imported(tmp_path, text)
    folder = tmp_path / "patches"
    assert not folder.exists() or list(folder.iterdir()) == []
    return str(caught.value)


REPLY = f"""From 0 Mon Sep 17 00:00:00 2001
From: B <b@example.org>
To: {LIST}
Subject: Re: [PATCH 1/2] sched/fair: have 8
Message-ID: <reply@example.org>

> +two

Rather:

--- a/fair.c
+++ b/fair.c
@@ -1 +1,2 @@
 one
+2

"""


def test_what_git_writes_becomes_a_series(tree: Path, tmp_path: Path) -> None:
    text = mails(tree, "--cover-letter", "--thread")
    text = text.replace("*** SUBJECT HERE ***", "sched: more numbers").replace("\nTo:", "\nCc:")
    made = imported(tmp_path, REPLY + text, name=None)
    assert (made.folder, made.left_out) == (tmp_path / "patches" / "sched-more-numbers", 1)
    assert made.cover
    names = ["0001-sched-fair-have-8.patch", "0002-sched-fair-have-14.patch"]
    assert [p.name for p in made.patches] == names
    assert [p.subject for p in made.patches] == ["sched/fair: have 8", "sched/fair: have 14"]
    assert made.patches == series.read(tmp_path / "patches", made.folder.name)
    # Each carries who wrote it and from which mail it is.
    head = (made.folder / names[0]).read_text().split("\n\n")[0].splitlines()
    assert head[0] == 'From: "Jörg, A. B" <j@example.org>'
    ids = [line for line in text.splitlines() if line.startswith("Message-Id")]
    name = ids[1].split("<")[1].rstrip(">")
    assert head[3:] == [f"Message-ID: <{name}>", f"Link: https://lore.kernel.org/r/{name}"]
    listing = (made.folder / "series").read_text().splitlines()
    assert listing[0] == "# sched: more numbers"
    assert listing[-2:] == names
    assert "*** BLURB HERE ***" in (made.folder / "cover-letter.txt").read_text()


def test_the_series_is_the_same_tree_again(tree: Path, tmp_path: Path) -> None:
    made = imported(tmp_path, mails(tree))
    git(tree, "checkout", "--quiet", "HEAD~2")
    git(tree, "am", "--quiet", *(str(made.folder / p.name) for p in made.patches))
    assert (tree / "fair.c").read_text() == "one\ntwo\nthree\n"
    assert git(tree, "log", "-1", "--format=%an %s").strip() == "Jörg, A. B sched/fair: have 14"


def test_mails_in_another_order_are_sorted_by_their_numbers(tree: Path, tmp_path: Path) -> None:
    first, second = (f"From {x}" for x in ("\n" + mails(tree, "-n")).split("\nFrom ")[1:] if x)
    made = imported(tmp_path, f"{second}\n{first}\n")
    assert [p.subject for p in made.patches] == ["sched/fair: have 8", "sched/fair: have 14"]


def test_a_single_mail_without_a_number_is_a_series(tree: Path, tmp_path: Path) -> None:
    text = git(tree, "format-patch", "--stdout", "-1")
    made = imported(tmp_path, text.split("\n", 1)[1], name=None)  # as a mail program saves it
    assert [p.name for p in made.patches] == ["0001-sched-fair-have-14.patch"]
    assert not made.cover
    # It went to no list that has an archive: there is no page to name.
    assert "Link:" not in (made.folder / made.patches[0].name).read_text()


def test_one_revision_is_taken(tree: Path, tmp_path: Path) -> None:
    both = mails(tree, "-n") + mails(tree, "-n", "-v2").replace("have 8", "have eight")
    assert "has revisions 1, 2 of the series; --revision N" in refused(tmp_path, both)
    made = imported(tmp_path, both, revision=1)
    assert (made.patches[0].subject, made.left_out) == ("sched/fair: have 8", 2)
    found = patch_mail.read(saved(tmp_path, both))
    with pytest.raises(UsageError, match="no revision 3 of the series; there are: 1, 2"):
        patch_mail.thread(found, 3)


def test_a_message_id_means_its_own_revision(tree: Path, tmp_path: Path) -> None:
    first, second = (mails(tree, "-n", "--thread", f"-v{n}") for n in (1, 2))
    both = first + second.replace("Message-Id: <", "Message-Id: <second")
    found = patch_mail.read(saved(tmp_path, both))
    assert [m.revision for m in found] == [1, 1, 2, 2]
    for mail in (found[0], found[3]):
        thread = patch_mail.thread(found, None, mail.message_id)
        assert {m.revision for m in thread.patches} == {mail.revision}


def test_a_patch_that_is_missing_or_there_twice_is_named(tree: Path, tmp_path: Path) -> None:
    first, second = (f"From {x}\n" for x in ("\n" + mails(tree, "-n")).split("\nFrom ")[1:] if x)
    assert "patch 1 of 2 is missing" in refused(tmp_path, second)
    assert "mail 3: patch 2 is there twice" in refused(tmp_path, first + second + second)
    assert "no mail has a patch" in refused(tmp_path, REPLY)
    assert "not of one series" in refused(tmp_path, first + second.replace("2/2", "2/3"))


@pytest.mark.parametrize(
    ("tag", "revision", "fixup", "number"),
    [
        ("PATCH 5.10/5.15 v2 1/4", 2, 0, (1, 4)),
        ("PATCH 6.1/6.6", 1, 0, None),
        ("PATCHv3 0/4", 3, 0, (0, 4)),
        ("PATCH v2.1 2/4", 2, 1, (2, 4)),
        ("RFC PATCH v4 03/12", 4, 0, (3, 12)),
        ("RFCv2 1/3", 2, 0, (1, 3)),
        ("PATCH RESEND,v2,1/2", 2, 0, (1, 2)),
        ("tip: sched/core 1/2", 1, 0, (1, 2)),
        ("PATCH 4.19 dev2", 1, 0, None),
        ("PATCH v2 2 / 7", 2, 0, (2, 7)),
        ("[PATCH", 1, 0, None),
    ],
)
def test_what_the_tags_of_a_subject_say(
    tree: Path, tmp_path: Path, tag: str, revision: int, fixup: int, number: tuple[int, int] | None
) -> None:
    text = git(tree, "format-patch", "--stdout", "-1").replace("[PATCH]", f"[{tag}]")
    [mail] = patch_mail.read(saved(tmp_path, text))
    assert (mail.revision, mail.fixup) == (revision, fixup)
    assert (mail.number, mail.count) == (number or (None, None))
    assert mail.subject == "sched/fair: have 14"


@pytest.mark.parametrize(
    ("subject", "title", "reply"),
    [
        ("[RESEND] [PATCH v2 1/1] x: foo[1], [2/2] bar", "x: foo[1], [2/2] bar", False),
        ("RE: [PATCH] x", "x", True),
        ("Antw: [PATCH] x", "x", True),
        ("Fwd: [PATCH] x", "x", True),
        ("net: x", "net: x", False),
        # Git has decoded it: what is left is no header any more.
        ("[PATCH] =?utf-8?q?=3D=3Fpunycode=3Fb=3F!!=3F=3D?= x", "=?punycode?b?!!?= x", False),
    ],
)
def test_what_a_subject_says_beside_its_tags(
    tmp_path: Path, subject: str, title: str, reply: bool
) -> None:
    [mail] = patch_mail.read(saved(tmp_path, hostile(new("a.c"), subject)))
    assert (mail.subject, mail.reply) == (title, reply)


def one_by_one(text: str) -> list[str]:
    return [f"From {mail}\n" for mail in f"\n{text}".split("\nFrom ")[1:]]


def test_a_fixup_takes_the_place_of_its_patch_and_is_said(tree: Path, tmp_path: Path) -> None:
    first, second = one_by_one(mails(tree, "-n", "-v2"))
    other = second.replace("v2 2/2", "v2.1 2/2").replace("+three", "+four")
    made = imported(tmp_path, first + second + other)
    assert made.notes == ("patch 2 is that of v2.1",)
    assert "+four" in (made.folder / made.patches[1].name).read_text()
    # Negative control: two mails of one name are no fix-up.
    assert "patch 2 is there twice" in refused(tmp_path / "patches", first + second + second)


def test_a_stray_patch_among_numbered_ones_is_left_out_and_said(tree: Path, tmp_path: Path) -> None:
    first, second = one_by_one(mails(tree, "-n"))
    stray = second.replace("[PATCH 2/2]", "[PATCH]").replace("have 14", "another way")
    made = imported(tmp_path, first + second + stray)
    assert [p.subject for p in made.patches] == ["sched/fair: have 8", "sched/fair: have 14"]
    assert made.notes == (
        'left out, without a number among numbered ones: "sched/fair: another way"',
    )
    # One that may be an earlier revision is that.
    both = stray + mails(tree, "-n", "-v2")
    (tmp_path / "other").mkdir()
    assert "has revisions 1, 2 of the series" in refused(tmp_path / "other", both)
    single = imported(tmp_path / "other", both, revision=1)
    assert [p.subject for p in single.patches] == ["sched/fair: another way"]


@pytest.mark.parametrize("way", ["gzip", "maildir", "folder"])
def test_other_ways_to_keep_mails(tree: Path, tmp_path: Path, way: str) -> None:
    text = mails(tree, "-n")
    plain = imported(tmp_path, text, name="plain")
    kept = tmp_path / way
    if way == "gzip":
        kept.write_bytes(gzip.compress(text.encode()))
    elif way == "folder":
        git(tree, "format-patch", "--quiet", "-n", f"--to={LIST}", "-o", str(kept), "HEAD~2")
    else:
        (kept / "cur").mkdir(parents=True)
        (kept / "new").mkdir()
        for n, mail in enumerate(one_by_one(text), 1):
            (kept / "cur" / f"{n}:2,S").write_text(mail.split("\n", 1)[1])
    made = patch_mail.write(patch_mail.thread(patch_mail.read(kept), None), tmp_path / "other", "x")
    contents = [
        [(one.folder / p.name).read_text().rstrip() for p in one.patches] for one in (made, plain)
    ]
    assert contents[0] == contents[1]


def test_paths_without_prefixes_are_the_same_patch(tree: Path, tmp_path: Path) -> None:
    (tree / "old.c").write_text("text of a file\n")
    git(tree, "add", "old.c")
    git(tree, "commit", "--quiet", "-m", "sched: add a file")
    git(tree, "mv", "old.c", "new.c")
    git(tree, "commit", "--quiet", "-m", "sched: rename it")
    plain, bare = (
        imported(tmp_path, mails(tree, *words), name=name)
        for name, words in (("plain", ()), ("bare", ("--no-prefix",)))
    )
    git(tree, "checkout", "--quiet", "HEAD~2")
    git(tree, "am", "--quiet", *(str(bare.folder / p.name) for p in bare.patches))
    assert sorted(p.name for p in tree.glob("*.c")) == ["fair.c", "new.c"]
    # One with prefixes stays as it was written, and is the same.
    texts = [
        [p.data.partition(b"\n-- \n")[0].rstrip() for p in one.patches] for one in (plain, bare)
    ]
    assert texts[0] == texts[1]


def test_the_base_and_what_a_series_needs_are_read(tree: Path, tmp_path: Path) -> None:
    text = git(tree, "format-patch", "--stdout", "-1", "--base=HEAD~2", "HEAD") + "\n\n"
    text = text.replace("Why it is so.", "Why it is so.\n\nDepends-on: sched: another series")
    made = imported(tmp_path, text)
    assert made.base == git(tree, "rev-parse", "HEAD~2")
    assert [need.partition(" ")[0] for need in made.needs] == [
        "Depends-on:", "prerequisite-patch-id:",
    ]  # fmt: skip
    # Negative control: a patch that adds such a line says nothing of itself.
    (tree / "fair.c").write_text(f"base-commit: {made.base}\n")
    git(tree, "commit", "--quiet", "-am", "sched: a line")
    other = imported(tmp_path, git(tree, "format-patch", "--stdout", "-1") + "\n", name="other")
    assert (other.base, other.needs) == (None, ())


def test_a_partial_reroll_takes_the_others_from_before(tree: Path, tmp_path: Path) -> None:
    first = mails(tree, "-n", "--thread").replace("Message-Id: <", "Message-Id: <first")
    second = one_by_one(mails(tree, "-n", "-v2", "--thread").replace("have 14", "have fourteen"))[1]
    ids = [line.split("<")[1].rstrip(">") for line in first.splitlines() if "Message-Id" in line]
    answer = re.sub(r"(?m)^(In-Reply-To|References): .*$", rf"\1: <{ids[1]}>", second)
    made = imported(tmp_path, f"{first}{answer}\n", revision=2)
    assert [p.subject for p in made.patches] == ["sched/fair: have 8", "sched/fair: have fourteen"]
    assert made.notes == ("patch 1 is that of v1",)
    # Negative control: a revision that answers no patch of v1 is one of which a mail is missing.
    alone = re.sub(r"(?m)^(In-Reply-To|References): .*\n", "", second)
    with pytest.raises(UsageError, match="patch 1 of 2 is missing"):
        imported(tmp_path, f"{first}{alone}\n", revision=2, name="alone")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("log", "-p"), "is a log of git, in which a patch has no bounds"),
        (("show",), "is a log of git"),
        (("diff", "HEAD~1"), "is a diff without a mail"),
        (("diff", "--no-prefix", "HEAD~1"), "is a diff without a mail"),
    ],
)
def test_what_git_prints_besides_mails_is_named(
    tree: Path, tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    why = refused(tmp_path, git(tree, *words) + "\n")
    assert sentence in why
    assert "`git format-patch --stdout BASE..` writes mails" in why


def test_a_damaged_archive_is_named(tree: Path, tmp_path: Path) -> None:
    kept = tmp_path / "thread.mbox.gz"
    kept.write_bytes(gzip.compress(mails(tree).encode())[:-20])
    with pytest.raises(UsageError, match=r"thread\.mbox\.gz: is cut off or no gzip file"):
        patch_mail.read(kept)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="empty: no mail in this folder"):
        patch_mail.read(tmp_path / "empty")


@pytest.mark.parametrize("encoding", ["iso-8859-1", "iso-8859-15", "windows-1252", "utf-8"])
def test_a_name_in_another_encoding_stays_a_name(tree: Path, tmp_path: Path, encoding: str) -> None:
    text = git(tree, "format-patch", "--stdout", "-1")
    head, body = text.replace("Why it is so.", "Größe und Maß.").split("\n\n", 1)
    kept = [line for line in head.split("\n") if line.startswith(("From ", "Date", "Subject"))]
    kept += [
        f"From: {Header('Jörg Maß', encoding).encode()} <j@example.org>",
        "MIME-Version: 1.0",
        f"Content-Type: text/plain; charset={encoding}",
        "Content-Transfer-Encoding: 8bit",
    ]
    file = tmp_path / "mail"
    file.write_bytes("\n".join([*kept, "", body]).encode(encoding))
    [mail] = patch_mail.read(file)
    assert mail.author == "Jörg Maß <j@example.org>"
    assert "Größe und Maß." in mail.text


def test_base64_with_carriage_returns_applies(tree: Path, tmp_path: Path) -> None:
    text = git(tree, "format-patch", "--stdout", "-1")
    head, body = text.split("\n\n", 1)
    coded = base64.encodebytes(body.replace("\n", "\r\n").encode()).decode()
    head += "\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8"
    made = imported(tmp_path, f"{head}\nContent-Transfer-Encoding: base64\n\n{coded}\n")
    assert b"\r" not in (made.folder / made.patches[0].name).read_bytes()
    git(tree, "checkout", "--quiet", "HEAD~1")
    git(tree, "am", "--quiet", str(made.folder / made.patches[0].name))


def hostile(diff: str, subject: str = "[PATCH] x", body: str = "Why.") -> str:
    return f"""From 0 Mon Sep 17 00:00:00 2001
From: M <m@example.org>
Date: Mon, 23 Nov 2026 00:00:00 +0000
Subject: {subject}

{body}
---
{diff}"""


def new(path: str, mode: str = "100644") -> str:
    return (
        f"diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n"
        "@@ -0,0 +1 @@\n+x\n"
    )


def test_a_plain_new_file_is_taken(tmp_path: Path) -> None:
    """Negative control of all refusals."""
    assert imported(tmp_path, hostile(new("kernel/sched/new.c"))).patches[0].subject == "x"


@pytest.mark.parametrize(
    ("diff", "sentence"),
    [
        (new("../../etc/passwd"), "'../../etc/passwd' is no path"),
        (new("/etc/passwd"), "is no path"),
        (new(".git/hooks/post-checkout"), "is no path"),
        (new("drivers/.GIT/config"), "is no path"),
        (new("Makefile", "120000"), "'Makefile' is a symbolic link"),
        (new("sub", "160000"), "'sub' is a submodule"),
        (new("ok.c") + new("a/../../b"), "'a/../../b' is no path"),
        (
            "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1111111\nGIT binary patch\n"
            "literal 1\nIcmZPo000310RR91\n\nliteral 0\nHcmV?d00001\n\n",
            "binary",
        ),
        (new("cut.c").replace("+1 @@", "+1,9 @@"), "is no whole patch: corrupt patch at line"),
        (
            "diff --git a/x b/x\nold mode 100644\nnew mode 120000\n",
            "'x' is a symbolic link",
        ),
    ],
)
def test_what_no_work_tree_should_meet_is_refused(tmp_path: Path, diff: str, sentence: str) -> None:
    said = refused(tmp_path, hostile(diff))
    assert sentence in said
    assert "mail 1" in said


def test_a_subject_is_no_path_and_no_header(tmp_path: Path) -> None:
    subject = "[PATCH] =?utf-8?q?../../x=0AVlag-Predicts:_nothing=0A=0A$(touch_y)?="
    made = imported(tmp_path, hostile(new("a.c"), subject))
    (name,) = [p.name for p in made.patches]
    assert name == "0001-x-vlag-predicts-nothing-touch-y.patch"
    assert sorted(p.name for p in made.folder.iterdir()) == [name, "series", series.UNREAD]
    assert made.patches[0].trailers.predicts is None
    assert made.ours == ()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["patches", "thread.mbox"]


def test_a_strangers_trailers_for_vlag_are_said(tmp_path: Path) -> None:
    body = "Why.\n\nVlag-Predicts: nothing\nSigned-off-by: M <m@example.org>"
    made = imported(tmp_path, hostile(new("a.c"), body=body))
    assert made.ours == ("0001-x.patch: Vlag-Predicts: nothing",)


def test_blanks_at_the_end_of_a_line_are_the_patchs_own(tmp_path: Path) -> None:
    made = imported(tmp_path, hostile(new("a.c").replace("+x", "+x \t")))
    assert b"\n+x \t\n" in made.patches[0].data


def test_a_wrong_trailer_is_named_by_the_file_of_its_patch(tmp_path: Path) -> None:
    said = refused(tmp_path, hostile(new("a.c"), body="Why.\n\nVlag-Nonsense: x"))
    assert said.startswith("odd/0001-x.patch:7: Vlag-Nonsense: no such trailer")


@pytest.mark.parametrize("name", ["../x", "X", ".x", "a/b", ""])
def test_a_name_is_one_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"no series can have the name|is there already"):
        imported(tmp_path, hostile(new("a.c")), name=name or "..")


def test_a_series_that_is_there_stays(tmp_path: Path) -> None:
    imported(tmp_path, hostile(new("a.c")))
    with pytest.raises(UsageError, match="is there already; --name"):
        imported(tmp_path, hostile(new("b.c")))
    assert "a.c" in (tmp_path / "patches" / "odd" / "0001-x.patch").read_text()


def test_what_is_no_mail_is_refused(tmp_path: Path) -> None:
    (tmp_path / "image").write_bytes(bytes(range(256)) * 10)
    with pytest.raises(UsageError):
        patch_mail.thread(patch_mail.read(tmp_path / "image"), None)
    (tmp_path / "empty").touch()
    with pytest.raises(UsageError):
        patch_mail.thread(patch_mail.read(tmp_path / "empty"), None)
    with open(tmp_path / "large", "wb") as file:
        file.truncate(patch_mail.LIMIT + (1 << 20))
    with pytest.raises(UsageError, match="has 65 MiB"):
        patch_mail.read(tmp_path / "large")


# The thread of a Message-ID, from an archive that answers as lore does

COVER = f"""From mboxrd@z Thu Jan  1 00:00:00 1970
From: M <m@example.org>
To: {LIST}
Subject: [PATCH 0/2] sched: more numbers
Message-ID: <cover+0@example.org>

>From here on it counts.

"""
#: Of another thread that has the same subject.
OTHER = REPLY.replace("reply@", "other@").replace(f"To: {LIST}", "References: <elsewhere@x>")


def archived(tree: Path) -> str:
    """Return a thread as an archive keeps it: the cover letter is what the patches answer."""
    first, second = one_by_one(mails(tree, "-n", "--thread", "--in-reply-to=cover+0@example.org"))
    return COVER + first + second + second


def archive(
    thread: bytes, name: str = "/all/cover%2B0%40example.org/t.mbox.gz"
) -> http_stand_in.Answers:
    def answer(request: http_stand_in.Request) -> http_stand_in.Answer:
        there = request.path == name
        return http_stand_in.Answer(status=200 if there else 404, body=thread if there else b"")

    return answer


def test_the_thread_of_a_message_id_is_fetched_as_an_archive_serves_it(
    tree: Path, tmp_path: Path
) -> None:
    thread = gzip.compress((archived(tree) + OTHER).encode())
    with http_stand_in.served(archive(thread)) as lore:
        patch_mail.fetch("cover+0@example.org", tmp_path / "thread", f"{lore.url}/all")
    assert [r.path for r in lore.requests] == ["/all/cover%2B0%40example.org/t.mbox.gz"]
    read = patch_mail.read(tmp_path / "thread")
    # A mail that two lists kept is there once, and what is no part of the thread is not.
    assert [m.number for m in read] == [0, 1, 2]
    assert read[0].text.startswith("From here on")  # as it was before the archive quoted it
    made = patch_mail.write(patch_mail.thread(read, None), tmp_path / "patches", "odd")
    assert [p.subject for p in made.patches] == ["sched/fair: have 8", "sched/fair: have 14"]


def test_an_archive_without_the_thread_is_an_infrastructure_fault(
    tree: Path, tmp_path: Path
) -> None:
    target = tmp_path / "thread"
    packed = gzip.compress(archived(tree).encode())
    for thread, message_id, sentence in (
        (packed, "a@b", r"/all gave no thread of a@b \(Server returned an error: 404\); save"),
        (packed[:-20], "cover+0@example.org", "gave no thread of cover"),
        (gzip.compress(OTHER.encode()), "cover+0@example.org", "gave a thread without cover"),
    ):
        with (
            http_stand_in.served(archive(thread)) as lore,
            pytest.raises(InfrastructureError, match=sentence),
        ):
            patch_mail.fetch(message_id, target, f"{lore.url}/all")
        assert not target.exists()
    with pytest.raises(InfrastructureError, match="gave no thread of a@b"):
        patch_mail.fetch("a@b", target, f"{lore.url}/all")  # nobody listens there now
