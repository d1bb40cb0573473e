# SPDX-License-Identifier: GPL-2.0-only
"""Title and body of an alert: plain text of at most 75 columns."""

from __future__ import annotations

import math
import re
import shlex
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve

from vlag.alerts.causes import Finding, SlowLoss
from vlag.alerts.expected import expected
from vlag.alerts.first_paragraph import Begun, evidence, summary
from vlag.alerts.surroundings import Surroundings
from vlag.compare import toggle_attribution, toggled_heads
from vlag.compare.toggle_attribution import Attribution
from vlag.config.catalogue import Catalogue
from vlag.printable import minute
from vlag.report import read_model
from vlag.report.compared import listed, number
from vlag.report.conclusion import concerning
from vlag.report.document import BisectionData
from vlag.report.layout import WIDTH
from vlag.report.read_model.onsets import Head, Onset
from vlag.store import bisections, findings, kernels, runs
from vlag.store.boards import LATELY, OFTEN, State
from vlag.store.changes import Change
from vlag.store.database import Connection
from vlag.store.judged import Pair
from vlag.store.nights import Night

TITLE = 100  # a title is the subject of a mail and a row of a table
_PERCENT = "\u00a0%"
#: "[-8.5, -7.5]"
_INTERVAL = re.compile(r"(\[[-+.\d]+,) ([-+.\d]+\])")
_ROWS = 12  # rows of a body; the comparison has all
_ATTRIBUTED = 6  # statistics that are checked against the toggles on record


def wrap(text: str, first: str = "", rest: str = "") -> list[str]:
    """Return a text in lines of at most `WIDTH` columns; longer words are cut."""
    # Keep a number and its unit in one line, and the ends of an interval.
    lines = textwrap.wrap(
        _INTERVAL.sub("\\1\u00a0\\2", text.replace(" %", _PERCENT)),
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
    )
    return [line.replace("\u00a0", " ") for line in lines]


def shortened(title: str) -> str:
    """Return a title of at most `TITLE` characters in one line."""
    title = " ".join(title.split())
    return title if len(title) <= TITLE else title[: TITLE - 1].rstrip() + "…"


def _fitting(*titles: str) -> str:
    """Return the first of several titles, sorted from long to short, that fits."""
    return next((t for t in titles if len(t) <= TITLE), shortened(titles[-1]))


def knobs_text(knobs: Mapping[str, str]) -> str:
    """Return knobs as text."""
    return " ".join(f"{k}={v}" for k, v in sorted(knobs.items()))


def place(pair: Pair, *, short: bool = False) -> str:
    """Name what was measured: branch, series, variant and, unless it is short, knobs."""
    name = f"{pair.tree}/{pair.branch}" if pair.branch else f"{pair.tree} {pair.ref}"
    if pair.series is not None:
        name += f" + {pair.series} {pair.application}"
    if pair.variant != "default":
        name += f" variant {pair.variant}"
    return f"{name} ({knobs_text(pair.knobs)})" if pair.knobs and not short else name


def worst(losses: Sequence[Finding]) -> str:
    """Return the worst finding as text, and the number of others."""
    first = losses[0]
    more = len({(f.pair.board_type, f.row.name) for f in losses}) - 1
    words = f"{first.row.name} {100 * first.worsening:.1f} % worse"
    return f"{words} (+{more})" if more else words


def of_commit(
    conn: Connection,
    catalogue: Catalogue,
    losses: Sequence[Finding],
    attached: Sequence[Finding],
    around: Surroundings | None,
) -> tuple[str, str]:
    """Return title and body of a commit's regressions.

    `attached` are the findings against baselines for which it accounts.  `around` None: nobody
    reads the body, which stays short.
    """
    pair = losses[0].pair
    title = f"{place(pair, short=True)}: commit {pair.commit[:12]}: {worst(losses)}"
    begun = Begun(
        words="is worse than its parent",
        commit=pair.commit,
        how="compared with its parent",
        subject=pair.subject,
    )
    lines: list[str] = []
    if attached:
        seen = sorted({(f.pair.id, f.pair.board_type) for f in attached})
        where = ", ".join(f"comparison {id_} ({board_type})" for id_, board_type in seen)
        lines += [*wrap(f"Seen against the baseline as well: {where}."), ""]
    compared = [f.pair.id for f in (*losses, *attached)]
    return shortened(title), _body(conn, catalogue, lines, losses, compared, begun, around)


def of_branch(
    conn: Connection,
    catalogue: Catalogue,
    losses: Sequence[Finding],
    change: Change | None,
    around: Surroundings | None,
    slow: SlowLoss | None = None,
) -> tuple[str, str]:
    """Return title and body of a branch's regressions against its base.

    `change` is the step in its history, if there is one.  Where it would contradict what heads
    were found to be, it is left out: on the first night of a loss its place is a guess.
    `slow`: it came little by little, so that no two heads hold its beginning.
    """
    pair = losses[0].pair
    boards = list(dict.fromkeys(f.pair.board_type for f in losses))
    what = f"{boards[0] if len(boards) == 1 else f'{len(boards)} board types'}: {worst(losses)}"
    onset = read_model.onsets(conn, [losses[0].row.id])[losses[0].row.id]
    step = None
    if change is not None:
        along = read_model.place_along(conn, change.kernel, pair.tree, pair.branch or "")
        if along is None or onset.holds(along):
            step = _step(conn, change, pair)
    since, short = step or (f"since {pair.base_name}",) * 2
    since, short = onset.words or since, onset.short or short
    if slow is not None:
        since = short = f"slowly since {slow.first.commit[:12]}"
    if (commit := _searched_commit(conn, losses)) is not None:
        short = f"since {commit[:12]}"
    title = _fitting(
        f"{place(pair)} on {what} {since if commit is None else short}",
        f"{place(pair)} on {what} {short}",
        f"{place(pair, short=True)} on {what} {short}",
        f"{place(pair, short=True)} on {what}",
    )
    its = [
        f.pair for f in losses if (f.pair.role, f.pair.application) == (pair.role, pair.application)
    ]
    bases = " and ".join(dict.fromkeys(p.base_name for p in its))
    if pair.role == findings.BASELINE:
        bases = f"its baseline{'s' if ' and ' in bases else ''} {bases}"
    lines = wrap(f"{place(pair)}, {listed(boards)}: {pair.new_name} is worse than {bases}.")
    if onset.words and slow is None:
        lines += wrap(f"It became worse {onset.words}.")
    if change is not None and step is not None:
        where = step[0].replace("since ", "at ")
        words = f"Its history steps by {100 * change.effect:+.1f} % {where}"
        lines += wrap(f"{words} [{100 * change.ci_low:+.1f}, {100 * change.ci_high:+.1f}].")
    if slow is not None:
        lines += wrap(
            f"It came slowly: {100 * math.expm1(slow.loss):.1f} % over {slow.heads} heads, after"
            f" {slow.first.new_name} ({slow.first.commit[:12]}) and up to {slow.last.new_name}"
            f" ({slow.last.commit[:12]}).  No single step explains it."
        )
    became = bool(onset.words or slow or step)
    words = f"became worse {since}" if became else f"is worse than {bases}"
    begun = Begun(words=words, **_blamed_commit(conn, pair, onset, change if step else None))
    compared = [f.pair.id for f in losses]
    return title, _body(conn, catalogue, [*lines, ""], losses, compared, begun, around)


def _searched_commit(conn: Connection, losses: Sequence[Finding]) -> str | None:
    """Return the one commit that all searches on losses have found; None: several, or no search."""
    searches = bisections.found(conn, sorted({f.pair.id for f in losses}))
    commits = {commit for search in searches for commit in search.commits}
    return commits.pop() if len(commits) == 1 else None


def _blamed_commit(
    conn: Connection, pair: Pair, onset: Onset, change: Change | None
) -> dict[str, str]:
    """Return the one commit after which a branch is worse, with its subject; {} for more."""
    bad = onset.bad
    if bad is None and change is not None:
        kernel = kernels.by_id(conn, change.kernel)
        along = _step(conn, change, pair)[0]
        if along == f"since commit {kernel.commit[:12]}":
            return {"commit": kernel.commit, "subject": kernel.subject,
                    "how": "where its history steps"}  # fmt: skip
    if bad is None or onset.commits != 1:
        return {}
    subject = read_model.subject_of(conn, pair.tree, bad["new_commit"])
    return {"commit": bad["new_commit"], "subject": subject,
            "how": "the first head that is worse, one commit after one that is not"}  # fmt: skip


def _step(conn: Connection, change: Change, pair: Pair) -> tuple[str, str]:
    """Return where a history steps, long and short.

    That is a commit, or the two kernels around it where commits between were not measured.
    """
    kernel = change.before_kernel, change.kernel
    commits = [kernels.by_id(conn, k).commit for k in kernel]
    places = [read_model.place_along(conn, k, pair.tree, pair.branch or "") for k in kernel]
    since = f"since commit {commits[1][:12]}"
    known = [place for place in places if place is not None and place[0] >= 0]
    if len(known) < len(places):
        return since, since  # nobody knows what lies between
    good, bad = (
        Head(new_commit=commit, nth=place) for commit, place in zip(commits, known, strict=True)
    )
    step = Onset(good=good, bad=bad)
    return (since, since) if step.commits == 1 else (step.words or since, step.short or since)


def of_board(
    state: State, board_type: str, check: str | None, doubted: int, outages: int
) -> tuple[str, str]:
    """Return title and body for a board out of service, which left it so often lately."""
    title = f"board {state.board} ({board_type}) is out of service: {state.reason}"
    lines = wrap(
        f"Board {state.board} ({board_type}) has been in maintenance since"
        f" {minute(state.since)}, {state.by}: {state.reason}"
    )
    if check is not None and check != state.reason:
        lines += wrap(f"Its last check: {check}")
    if doubted:
        lines += wrap(f"{doubted} of its runs are in doubt: comparisons leave them out.")
    if outages >= OFTEN:
        lines += wrap(
            f"It left service {outages} times in {LATELY.days} days: repair it before it is called"
            " good again."
        )
    lines += ["", "What its checks say, and how to put it back into service:"]
    lines += command("vlag boards status")
    lines += command(f"vlag boards good {shlex.quote(state.board)} --reason WHAT-WAS-DONE")
    return shortened(title), "\n".join(lines)


def of_nothing(tree: str, branch: str, board_type: str, night: Night) -> tuple[str, str]:
    """Return title and body for a branch without results of a night on a board type."""
    title = f"{tree}/{branch} on {board_type}: no results of the night {minute(night.finished_at)}"
    lines = wrap(
        f"The night that ended at {minute(night.finished_at)} compared nothing of"
        f" {tree}/{branch} on {board_type}."
    )
    mine = {f"{tree}/{branch}"}
    others = {f"{b['tree']}/{b['branch']}" for b in night.branches} - mine
    missing = concerning(night.missing, mine, others)
    own = [m for m in missing if branch in m or board_type in m] or missing
    for reason in own:
        lines += wrap(reason, "  ", "    ")
    if night.url:
        lines += ["", night.url]
    return shortened(title), "\n".join(lines)


def _unprofiled(catalogue: Catalogue, names: Iterable[str]) -> list[str]:
    """Return the board types, if no board of any of them shows a function; else nothing."""
    kinds = [catalogue.board_types.get(name) for name in names]
    blind = [k.name for k in kinds if k is not None and not k.deterministic and not k.samples]
    return blind if len(blind) == len(kinds) else []


def _body(
    conn: Connection,
    catalogue: Catalogue,
    head: Sequence[str],
    losses: Sequence[Finding],
    compared: Sequence[int],
    begun: Begun,
    around: Surroundings | None,
) -> str:
    """Return the text of an alert: its first paragraph, then what it rests on.

    `compared` are the comparisons of its verdicts; `head` are lines before the figures.
    """
    if around is None:
        return "\n".join(head)
    toggles = _toggled(conn, catalogue, losses)
    when = expected(conn, catalogue, losses[0].pair, around)
    known = evidence(conn, losses, compared, toggles, when)
    known = evolve(known, unprofiled=_unprofiled(catalogue, known.by_board))
    lines = [*_paragraph(summary(known, place(losses[0].pair), begun, around)), "", *head]
    if losses[0].pair.synthetic:
        lines += ["SYNTHETIC: these figures come from a report, not from a boot.", ""]
    places = {f.pair.board_type for f in losses}, {f.pair.base_name for f in losses}
    names = toggle_attribution.names([subject(f) for f in losses[:_ROWS]])
    for name, f in zip(names, losses, strict=False):
        where = f" on {f.pair.board_type}" if len(places[0]) > 1 else ""
        # A commit has one parent, whatever it is called on each board type.
        against = len(places[1]) > 1 and f.pair.role != findings.PARENT
        lines += _figures(name, f, where + (f" against {f.pair.base_name}" if against else ""))
    if len(losses) > _ROWS:
        lines.append(f"and {len(losses) - _ROWS} more")
    lines += [*_searched(known.searches), *_blamed(toggles), ""]
    for pair in {f.pair.id: f.pair for f in losses}.values():
        lines += _kernels(pair)
    return "\n".join([*lines, *_again(conn, losses[0])])


def subject(f: Finding) -> toggle_attribution.Subject:
    """Return the statistic that a loss is of."""
    return f.row.benchmark, f.row.parameters, f.row.metric, f.row.statistic


def _figures(name: str, f: Finding, where: str) -> list[str]:
    r = f.row
    interval = ""
    if r.ci_low is not None and r.ci_high is not None:
        interval = f"[{100 * r.ci_low:+.1f}, {100 * r.ci_high:+.1f}]"
    values = f"{number(r.base_value)} -> {number(r.new_value)}"
    change = "" if r.effect is None else f"{100 * r.effect:+.1f} %"
    proof = "confirmed by a rerun" if r.standing == "confirmed" else "by all boots"
    if r.screened_effect is not None:
        proof += f" (screen of the first boots: {100 * r.screened_effect:+.1f} %)"
    return [
        *wrap(f"{name} [{r.unit}]{where}", "  ", "    "),
        *wrap(
            f"{values}  {change} {interval} worse, n {r.n_base} + {r.n_new}, {proof}",
            "      ",
            "      ",
        ),
        *(wrap(r.mode, "      ", "      ") if r.mode else ()),
    ]


def _paragraph(sentences: Iterable[str]) -> list[str]:
    """Return sentences as lines that follow each other; what is indented stands alone."""
    lines: list[str] = []
    running: list[str] = []
    for sentence in sentences:
        if sentence.startswith("  "):
            lines += [*wrap(" ".join(running)), sentence]
            running = []
        else:
            running.append(sentence)
    return [*lines, *wrap(" ".join(running))]


def _toggled(
    conn: Connection, catalogue: Catalogue, losses: Sequence[Finding]
) -> list[Attribution]:
    """Return what toggles on record make of the worst losses."""
    asked: dict[int, list[toggle_attribution.Subject]] = {}
    for f in losses[:_ATTRIBUTED]:
        asked.setdefault(f.pair.id, []).append(subject(f))
    answers: list[Attribution] = []
    for comparison, subjects in asked.items():
        answers += toggled_heads.attributed(conn, catalogue, comparison, subjects)
    return answers


def _blamed(answers: Sequence[Attribution]) -> list[str]:
    """Return which toggles on record undo the change."""
    toggles = toggle_attribution.summary(answers)
    if not toggles:
        return []
    lines = ["", *wrap(f"Toggles: {toggles}", "", "  ")]
    for a in answers:
        if a.report.toggles:
            lines += wrap(f"{a.name}: {a.report.sentence}", "  ", "    ")
    return lines


def _searched(searches: Sequence[BisectionData]) -> list[str]:
    """Return the commands that search the commit again."""
    commands = dict.fromkeys(b["document"]["reproduce"] for b in searches)
    if not commands:
        return []
    return ["", "To search its commit again:", *(x for line in commands for x in command(line))]


def _kernels(pair: Pair) -> Iterable[str]:
    def kernel(name: str, tree: str, commit: str, knobs: Mapping[str, str]) -> str:
        with_ = f" with {knobs_text(knobs)}" if knobs else ""
        return f"{name} ({tree} {commit[:12]}){with_}"

    yield from wrap(
        f"Comparison {pair.id} on {pair.board_type}"
        + ("" if pair.plan is None else f", plan {pair.plan}")
    )
    yield from wrap(
        kernel(pair.base_name, pair.base_tree, pair.base_commit, pair.base_knobs),
        "  base: ",
        " " * 8,
    )
    yield from wrap(kernel(pair.new_name, pair.tree, pair.commit, pair.knobs), "  new:  ", " " * 8)


def _again(conn: Connection, finding: Finding) -> list[str]:
    """Return the commands that boot the worst finding again, once per side."""
    ids = [min(side) for side in (finding.row.base_runs, finding.row.new_runs) if side]
    by_id = runs.by_id(conn, ids)
    commands = dict.fromkeys(by_id[i].reproduce for i in ids if i in by_id)
    if not commands:
        return []
    return ["", f"To see {finding.row.name} again:", *(x for s in commands for x in command(s))]


def command(line: str) -> list[str]:
    """Return a command in lines that can be copied; only a long word exceeds the width."""
    words = textwrap.wrap(
        line, WIDTH - 4, break_long_words=False, break_on_hyphens=False, subsequent_indent="  "
    )
    return [f"  {w} \\" for w in words[:-1]] + [f"  {w}" for w in words[-1:]]
