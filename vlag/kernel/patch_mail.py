# SPDX-License-Identifier: GPL-2.0-only
"""Patches from mail: a thread of a mailing list becomes a series of `kernel-patches/`.

A mail is a stranger's: git splits and decodes it, nothing of it is run or applied, and no name
in it becomes a path.  What a tree of the kernel has no use for is refused: binary files,
symbolic links, submodules, and paths that lead out of it.
"""

from __future__ import annotations

import email
import filecmp
import gzip
import os
import re
import subprocess
import tempfile
import unicodedata
import zlib
from collections.abc import Sequence
from email.utils import quote
from pathlib import Path

from attrs import frozen

from vlag.errors import ContentError, InfrastructureError, UsageError
from vlag.kernel import series
from vlag.kernel.git import GIT
from vlag.kernel.patch_check import parts

#: Bytes of an mbox; the longest series of the kernel's lists are far below.
LIMIT = 64 << 20
#: Where the thread of a Message-ID is asked for.
LORE = "https://lore.kernel.org/all"
#: Lists that lore.kernel.org keeps under the Message-ID of each mail.
_ARCHIVED = re.compile(r"@(vger\.kernel\.org|lists\.linux\.dev)\b", re.IGNORECASE)

#: Files of a folder that are mails.
_SUFFIXES = (".patch", ".eml", ".mbox", ".mbx", ".gz")

#: A byte order mark and empty lines, after which git sees no first mail.
_BEFORE_MAILS = re.compile(rb"\A(?:\xef\xbb\xbf|[\r\n])+")

#: Words of a subject's tags that the kernel's lists know besides: PATCHv3, RFCv2, v2.1, and 2/4
#: beside others between commas.
_REVISION = re.compile(r"(?:PATCH|RFC|RESEND|REPOST)?v(\d{1,3})(?:\.(\d{1,3}))?", re.IGNORECASE)
_NUMBER = re.compile(r"(\d{1,4})/(\d{1,4})")
#: What a name in an address may have in quotes only (RFC 5322).
_SPECIAL = re.compile(r'[()<>\[\]:;@\\,."]')
_INFO = re.compile(r"^(Author|Email|Subject|Date): (.*)$", re.MULTILINE)
_ID = re.compile(r"<([^<>\s]+@[^<>\s]+)>")
_MODE = re.compile(r"^ (?:create mode|mode change \d+ =>) (120000|160000) (.*)$", re.MULTILINE)
#: How a diff without prefixes begins a file: with a path twice, or with those of a rename.
_SAME = re.compile(rb"diff --git (.+) \1\n")
_MOVED = re.compile(rb"^(?:rename|copy) from (.+)\n(?:rename|copy) to (.+)\n", re.MULTILINE)
#: What `git format-patch --base` and people write of what a series is based on; no line of a diff
#: begins so.
_BASE = re.compile(rb"^base-commit:[ \t]*([0-9a-f]{7,64})[ \t\r]*$", re.MULTILINE)
_NEED = re.compile(
    rb"^(?:prerequisite-(?:patch-id|message-id|change-id)|depends-on):[ \t]*\S.*$",
    re.MULTILINE | re.IGNORECASE,
)
#: Files of git that are no mails, by their beginning, with the remedy.
_NO_MAILS = (
    (re.compile(rb"commit [0-9a-f]{7,64}\b"), "is a log of git, in which a patch has no bounds"),
    (re.compile(rb"diff --git |--- \S|Index: "), "is a diff without a mail, so nobody's"),
)
#: Trailers with which a patch says what vlag should find of it.
_OURS = re.compile(rb"^vlag-[a-z-]+\s*:.*$", re.IGNORECASE | re.MULTILINE)


@frozen(kw_only=True)
class Mail:
    """A mail that may have a patch."""

    where: str  # file and place in it, from 1
    subject: str  # without tags
    author: str  # NAME <address>
    date: str
    message_id: str | None  # without brackets
    answers: str | None  # Message-ID of the mail to which it is an answer
    archived: bool  # on a list that lore.kernel.org keeps
    reply: bool
    revision: int
    fixup: int  # of a later mail in place of one patch of a revision: 1 of "v2.1"
    number: int | None  # of NUMBER/COUNT; 0: the cover letter
    count: int | None
    text: str
    diff: bytes  # with what is between "---" and it; empty: no patch


@frozen(kw_only=True)
class _Tags:
    """What a subject says beside its title; the fields are those of `Mail`."""

    title: str
    reply: bool
    revision: int
    fixup: int
    number: int | None
    count: int | None


@frozen(kw_only=True)
class Thread:
    """One revision of a series, in its order."""

    cover: Mail | None
    patches: tuple[Mail, ...]
    left_out: int  # replies, and other revisions
    notes: tuple[str, ...] = ()  # on patches that were replaced or left out

    @property
    def base(self) -> str | None:
        """Return the commit that the mails name as the base."""
        named = [m for mail in self._written for m in _BASE.findall(mail)]
        return named[0].decode() if named else None

    @property
    def needs(self) -> tuple[str, ...]:
        """Return what the mails say that must be applied before, a line each."""
        lines = [line for mail in self._written for line in _NEED.findall(mail)]
        return tuple(dict.fromkeys(_line(line.decode(errors="replace")) for line in lines))

    @property
    def _written(self) -> list[bytes]:
        mails = [*([self.cover] if self.cover else []), *self.patches]
        return [b"\n".join((mail.text.encode(), mail.diff)) for mail in mails]

    @property
    def title(self) -> str:
        """Return the subject of the cover letter, else of the first patch."""
        return (self.cover or self.patches[0]).subject


@frozen(kw_only=True)
class Imported:
    """A series that was written."""

    folder: Path
    title: str
    revision: int
    patches: tuple[series.Patch, ...]
    cover: bool
    left_out: int
    notes: tuple[str, ...]
    ours: tuple[str, ...]  # "FILE: LINE" of each trailer for vlag
    base: str | None  # commit that the mails name
    needs: tuple[str, ...]  # what they say that must be applied before
    new: bool  # False: the folder was there already, with the same files


def fetch(message_id: str, folder: Path, archive: str = LORE) -> None:
    """Write the mails of the thread of a Message-ID, without brackets, into a new folder.

    Git's own settings may name mirrors of the archive (`lore.fallback`).  Raises
    InfrastructureError if no thread comes.
    """
    # With `requests`, which takes half a second; few commands ask an archive.
    from liblore import LibloreError, LoreNode  # noqa: PLC0415
    from liblore.utils import get_strict_thread, parse_message  # noqa: PLC0415
    from liblore.utils import split_and_dedupe_as_bytes as split  # noqa: PLC0415

    try:
        with LoreNode.from_git_config(archive) as node:
            mails = split(node.get_mbox_by_msgid(message_id))
    except (LibloreError, OSError, EOFError, zlib.error) as e:
        raise InfrastructureError(
            f"{archive} gave no thread of {message_id} ({e}); save the thread as an mbox and give"
            " that file, or try again later"
        ) from e
    messages = [parse_message(mail) for mail in mails]
    # An archive joins threads that have a subject in common.
    members = get_strict_thread(messages, message_id)
    if members is None:
        raise InfrastructureError(f"{archive} gave a thread without {message_id}")
    folder.mkdir()
    for number, (mail, message) in enumerate(zip(mails, messages, strict=True), 1):
        if message in members:
            (folder / f"{number:05}.eml").write_bytes(mail)


def read(mbox: Path) -> list[Mail]:
    """Read the mails of an mbox, or the one mail of a file, in their order.

    `mbox` may be compressed by gzip, a maildir, or a folder of such files, as `git format-patch -o`
    makes it.  Raises ContentError for what is none of these, with the place of what cannot be read.
    """
    size = sum(path.stat().st_size for path in [mbox, *mbox.rglob("*")] if path.is_file())
    if size > LIMIT:
        raise ContentError(f"{mbox}: has {size >> 20} MiB; a series is not larger than 64 MiB")
    if mbox.is_dir() and not any((mbox / part).is_dir() for part in ("cur", "new")):
        files = sorted(path for path in mbox.iterdir() if path.suffix in _SUFFIXES)
        if not files:
            raise ContentError(f"{mbox}: no mail in this folder ({', '.join(_SUFFIXES)})")
        return [mail for path in files for mail in read(path)]
    if why := _no_mails(mbox):
        raise ContentError(f"{mbox}: {why}; `git format-patch --stdout BASE..` writes mails")
    with tempfile.TemporaryDirectory(prefix="vlag-mail-") as scratch:
        folder, split = Path(scratch), Path(scratch) / "mails"
        split.mkdir()
        status, _, message = _git(
            ["mailsplit", "-b", f"-o{split}", "--", str(_plain(mbox, folder))], folder
        )
        mails = sorted(split.iterdir())
        if status or not mails:
            raise ContentError(
                f"{mbox}: is no mbox and no mail ({' '.join(message.split()) or 'no mail in it'})"
            )
        return [_mail(path, f"{mbox}, mail {i}", folder) for i, path in enumerate(mails, 1)]


def _no_mails(mbox: Path) -> str | None:
    """Return what else of git a file is."""
    if mbox.is_dir():
        return None
    with mbox.open("rb") as file:
        start = _BEFORE_MAILS.sub(b"", file.read(100))
    return next((why for pattern, why in _NO_MAILS if pattern.match(start)), None)


def _plain(mbox: Path, folder: Path) -> Path:
    """Return an mbox as git reads it; raise ContentError for an archive that is damaged."""
    if mbox.is_dir():
        return mbox.absolute()
    with mbox.open("rb") as file:
        bare = not _BEFORE_MAILS.match(file.read(8))
    if bare and not _is_packed(mbox):
        return mbox.absolute()
    plain = folder / "mbox"
    plain.write_bytes(_BEFORE_MAILS.sub(b"", _unpacked(mbox)))
    return plain


def _unpacked(mbox: Path) -> bytes:
    if not _is_packed(mbox):
        return mbox.read_bytes()
    try:
        with gzip.open(mbox) as packed:
            data = packed.read(LIMIT + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as e:
        raise ContentError(f"{mbox}: is cut off or no gzip file: {e}") from e
    if len(data) > LIMIT:
        raise ContentError(f"{mbox}: has more than 64 MiB unpacked; a series is not larger")
    return data


def _is_packed(mbox: Path) -> bool:
    with mbox.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def thread(mails: Sequence[Mail], revision: int | None, message_id: str | None = None) -> Thread:
    """Return the series among mails: one revision, whole and in order.

    `revision` names one of several; without it, it is that of the mail `message_id`.  A later mail
    of a revision ("v2.1 2/4") takes the place of its patch; a patch without a number among numbered
    ones is left out.  Raises ContentError for mails without a patch, several revisions, and a patch
    that is missing or there twice; UsageError for a revision that is not there.
    """
    named = next((m for m in mails if message_id is not None and m.message_id == message_id), None)
    candidates = [m for m in mails if m.diff and not m.reply]
    if not candidates:
        raise ContentError("no mail has a patch; replies do not count")
    revisions = sorted({m.revision for m in candidates})
    wanted = revision if revision is not None else named.revision if named else revisions[-1]
    there = ", ".join(map(str, revisions))
    if revision is None and named is None and len(revisions) > 1:
        raise ContentError(f"has revisions {there} of the series; --revision N takes one")
    patches = [m for m in candidates if m.revision == wanted]
    if not patches:
        raise UsageError(f"no revision {wanted} of the series; there are: {there}")
    notes: list[str] = []
    if numbered := [m for m in patches if m.number is not None]:
        notes += [
            f'left out, without a number among numbered ones: "{m.subject}"'
            for m in patches
            if m.number is None
        ]
        earlier = _of_former_revisions(numbered, candidates)
        notes += [f"patch {m.number} is that of v{m.revision}" for m in earlier]
        patches, replaced = _ordered([*numbered, *earlier])
        notes += replaced
    covers = [m for m in mails if (m.number, m.revision, m.reply) == (0, wanted, False)]
    return Thread(
        cover=covers[0] if covers else None,
        patches=tuple(patches),
        left_out=len(mails) - len(patches) - bool(covers),
        notes=tuple(notes),
    )


def write(thread_: Thread, root: Path, name: str | None) -> Imported:
    """Write a series into a new folder of `root`, by default named after its title.

    Raises UsageError for a folder that is there, ContentError for a patch that is refused.
    """
    return _written(thread_, root, name or slug(thread_.title), again=False)


def take(thread_: Thread, root: Path, name: str | None) -> Imported:
    """Write a series into a folder of `root`, or find the folder that it was written into before.

    By default it is named after its title and, from the second on, its revision.  Raises
    UsageError for a folder with other files, ContentError for a patch that is refused.
    """
    revision = thread_.patches[0].revision
    by_title = slug(thread_.title) + (f"-v{revision}" if revision > 1 else "")
    return _written(thread_, root, name or by_title, again=True)


def _written(thread_: Thread, root: Path, name: str, *, again: bool) -> Imported:
    if not series.is_name(name):
        raise UsageError(f"no series can have the name {name!r}: --name takes a-z, 0-9, . and -")
    target = root / name
    there = target.exists() or target.is_symlink()
    if there and not again:
        raise UsageError(f"{target} is there already; --name gives the series another name")
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".import-", dir=root) as scratch:
        # Complete before it has its name: nobody reads half a series.
        draft = Path(scratch) / name
        draft.mkdir()
        files, ours = [], []
        for number, mail in enumerate(thread_.patches, 1):
            _refuse(mail)
            file = f"{number:04}-{slug(mail.subject)}.patch"
            data = _head(mail).encode() + mail.text.encode() + mail.diff
            (draft / file).write_bytes(data)
            files.append(file)
            ours += [f"{file}: {m.decode(errors='replace')}" for m in _OURS.findall(data)]
        if thread_.cover is not None:
            (draft / series.COVER).write_text(
                _head(thread_.cover) + thread_.cover.text, encoding="utf-8"
            )
        lines = [
            f"# {thread_.title}",
            *(f"# {x}" for x in _source(thread_.cover or thread_.patches[0])),
        ]
        (draft / "series").write_text("\n".join([*lines, *files, ""]), encoding="utf-8")
        try:
            patches = series.read(Path(scratch), name)
        except UsageError as e:
            # The draft goes: the file that is named is the patch of that number.
            raise ContentError(str(e).replace(f"{scratch}/", "")) from e
        series.mark_unread(draft)
        if not there:
            draft.rename(target)
        elif not _same(draft, target):
            raise UsageError(
                f"{target} is there already, with other patches; --name gives the series another"
                " name"
            )
    return Imported(
        folder=target, title=thread_.title, revision=thread_.patches[0].revision, patches=patches,
        cover=thread_.cover is not None, base=thread_.base, needs=thread_.needs,
        left_out=thread_.left_out, notes=thread_.notes, ours=tuple(ours), new=not there,
    )  # fmt: skip


def _same(draft: Path, target: Path) -> bool:
    """Return whether a folder has the plain files of a draft, and no others."""
    names = _files(draft)
    if target.is_symlink() or not target.is_dir():
        return False
    if names != _files(target):
        return False
    plain = all((target / n).is_file() and not (target / n).is_symlink() for n in names)
    return plain and filecmp.cmpfiles(draft, target, names, shallow=False)[0] == names


def _files(folder: Path) -> list[str]:
    """Return the names of what a series has; whether somebody has read it is no part of it."""
    return sorted(p.name for p in folder.iterdir() if p.name != series.UNREAD)


def slug(title: str) -> str:
    """Return a title as the name of a file: a-z, 0-9 and hyphens, at most 52 of them."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:52].strip("-") or "patch"


def _mail(path: Path, where: str, folder: Path) -> Mail:
    data = path.read_bytes()
    head = email.message_from_bytes(data)
    text, diff = folder / "text", folder / "diff"
    # -k: its own way to find the title takes away what numbers the patch.  UTF-8 is its default;
    # git 2.39 takes an --encoding=UTF-8 for the mail's own.
    words = ["mailinfo", "-k", "--no-scissors", "--quoted-cr=strip", str(text), str(diff)]
    status, out, message = _git(words, folder, data)
    if status:
        raise ContentError(
            f"{where}: git cannot read this mail: {' '.join(message.split()) or 'no reason'}"
        )
    info: dict[str, str] = {}
    for key, value in _INFO.findall(out):
        # A subject with ends of lines has several.
        info[key] = _line(f"{info.get(key, '')} {value}")
    subject = info.get("Subject", "")
    tags = _tags(subject)
    name = _ID.search(str(head["Message-ID"] or ""))
    answered = _ID.search(str(head["In-Reply-To"] or ""))
    mail = Mail(
        where=where,
        subject=tags.title,
        author=_author(info.get("Author", ""), info.get("Email", "")),
        date=info.get("Date", ""),
        message_id=_line(name[1]) if name else None,
        answers=_line(answered[1]) if answered else None,
        archived=bool(_ARCHIVED.search(f"{head['To']} {head['Cc']}")),
        reply=tags.reply,
        revision=tags.revision,
        fixup=tags.fixup,
        number=tags.number,
        count=tags.count,
        text=text.read_bytes().decode(errors="replace"),
        diff=_prefixed(diff.read_bytes()),
    )
    text.unlink()
    diff.unlink()
    return mail


def _tags(subject: str) -> _Tags:
    """Read a subject that git has decoded; what then looks encoded is a stranger's plain text."""
    from liblore.series import parse_patch_subject  # noqa: PLC0415 - as above

    read = parse_patch_subject(subject.replace("=?", "=\0?"))
    words = [word for prefix in read.prefixes for word in re.split(r"[,;]", prefix)]
    revision = next((m for m in map(_REVISION.fullmatch, words) if m), None)
    number = next((m for m in map(_NUMBER.fullmatch, words) if m), None)
    count = (None, None) if read.counters_inferred else (read.counter, read.expected)
    return _Tags(
        title=read.title.replace("=\0?", "=?") or "no subject",
        reply=read.is_reply,
        revision=int(revision[1]) if revision else read.version,
        fixup=int(revision[2] or 0) if revision else 0,
        number=int(number[1]) if number else count[0],
        count=int(number[2]) if number else count[1],
    )


def _prefixed(diff: bytes) -> bytes:
    """Return a diff with the a/ and b/ before its paths that `diff.noprefix` leaves out."""
    start = diff.find(b"diff --git ")
    files = parts(diff[start:]) if start >= 0 else []
    if not files or any(_bare(file.head) is None for file in files):
        return diff
    whole = [_with_prefixes(file.head) + b"".join(hunk for _, hunk in file.hunks) for file in files]
    return diff[:start] + b"".join(whole)


def _bare(head: bytes) -> tuple[bytes, bytes] | None:
    """Return both paths of a file whose head has no prefixes; None: it has some."""
    if same := _SAME.match(head):
        return same[1], same[1]
    moved = _MOVED.search(head)
    if moved and head.startswith(b"diff --git %b %b\n" % (moved[1], moved[2])):
        return moved[1], moved[2]
    return None


def _with_prefixes(head: bytes) -> bytes:
    lines = head.splitlines(keepends=True)
    if paths := _bare(head):
        lines[0] = b"diff --git a/%b b/%b\n" % paths
    for number, line in enumerate(lines):
        for word, prefix in ((b"--- ", b"a/"), (b"+++ ", b"b/")):
            if line.startswith(word) and not line.startswith(word + b"/dev/null"):
                lines[number] = word + prefix + line.removeprefix(word)
    return b"".join(lines)


def _author(name: str, address: str) -> str:
    """Return NAME <address> in UTF-8, as git writes it into a commit."""
    name = f'"{quote(name)}"' if _SPECIAL.search(name) else name
    return f"{name} <{address}>"


def _of_former_revisions(patches: Sequence[Mail], mails: Sequence[Mail]) -> list[Mail]:
    """Return the patches that a partial new revision takes over from those before it.

    It is one if each of its patches answers a patch of an earlier revision.
    """
    revision, count = patches[0].revision, patches[0].count
    former = [m for m in mails if m.revision < revision and m.count == count and m.number]
    ids = {m.message_id for m in former if m.message_id}
    if any(m.answers not in ids for m in patches):
        return []
    newest = {m.number: m for m in sorted(former, key=lambda m: m.revision)}
    there = {m.number for m in patches}
    return [m for number, m in sorted(newest.items()) if number and number not in there]


def _ordered(patches: Sequence[Mail]) -> tuple[list[Mail], list[str]]:
    """Return numbered patches in their order, and notes on those that a later mail replaces.

    Raises ContentError unless each is there once.
    """
    by_number: dict[int, Mail] = {}
    notes = []
    counts = {m.count for m in patches}
    for m in sorted(patches, key=lambda m: m.fixup):
        if m.number is None or len(counts) > 1:
            raise ContentError(f"{m.where}: the patches are not of one series ({m.subject!r})")
        before = by_number.get(m.number)
        if before is not None and before.fixup == m.fixup:
            raise ContentError(
                f"{m.where}: patch {m.number} is there twice, first as {before.where}"
            )
        if before is not None:
            notes.append(f"patch {m.number} is that of v{m.revision}.{m.fixup}")
        by_number[m.number] = m
    count = patches[0].count or 0
    missing = [str(n) for n in range(1, count + 1) if n not in by_number]
    if missing:
        raise ContentError(
            f"patch {', '.join(missing)} of {count} is missing: save the whole thread"
        )
    return [m for _, m in sorted(by_number.items()) if m.number], notes


def _refuse(mail: Mail) -> None:
    """Raise ContentError for a diff that no work tree should meet; git itself lists its files."""
    with tempfile.TemporaryDirectory(prefix="vlag-mail-") as scratch:
        folder = Path(scratch)
        words = ["apply", "-p1", "--whitespace=nowarn"]
        status, numbers, message = _git([*words, "--numstat", "-z", "-"], folder, mail.diff)
        if status:
            why = (message.strip().splitlines() or ["git apply said nothing"])[0]
            raise ContentError(f"{mail.where}: is no whole patch: {why.removeprefix('error: ')}")
        _, summary, _ = _git([*words, "--summary", "-"], folder, mail.diff)
    if mode := _MODE.search(summary):
        what = "symbolic link" if mode[1] == "120000" else "submodule"
        raise ContentError(f"{mail.where}: {mode[2]!r} is a {what}; vlag takes plain files only")
    for entry in filter(None, numbers.split("\0")):
        added, _, path = entry.split("\t", 2)
        if added == "-":
            raise ContentError(
                f"{mail.where}: {path!r} is binary; vlag takes text that one can read"
            )
        parts = path.split("/")
        hidden = {"", ".", ".."} & set(parts) or ".git" in map(str.lower, parts)
        if hidden or not path.isprintable():
            raise ContentError(f"{mail.where}: {path!r} is no path of a file in a kernel tree")


def _head(mail: Mail) -> str:
    lines = [f"From: {mail.author}", f"Date: {mail.date}", f"Subject: {mail.subject}"]
    return "\n".join([*lines, *_source(mail), "", ""])


def _source(mail: Mail) -> list[str]:
    """Return from where a mail is: its Message-ID, and its page if the list is archived."""
    if mail.message_id is None:
        return []
    page = [f"Link: https://lore.kernel.org/r/{mail.message_id}"] if mail.archived else []
    return [f"Message-ID: <{mail.message_id}>", *page]


def _line(text: str) -> str:
    """Return a text in one line: an encoded header may hold anything, also a new header."""
    plain = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in text)
    return " ".join(plain.split())


def _git(words: Sequence[str], folder: Path, given: bytes = b"") -> tuple[int, str, str]:
    """Return status, output and messages of git."""
    # Without a repository, and without a person's own settings.
    env = {
        **os.environ, "LC_ALL": "C", "GIT_DIR": str(folder / "none"),
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
    }  # fmt: skip
    done = subprocess.run(
        [*GIT, *words], input=given, capture_output=True, cwd=folder, check=False, env=env
    )
    return (
        done.returncode,
        done.stdout.decode(errors="replace"),
        done.stderr.decode(errors="replace"),
    )
