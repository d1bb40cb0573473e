# SPDX-License-Identifier: GPL-2.0-only
"""Config, known changes and suspects of a comparison on record, and the trailers of its mail."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.integration import bundles
from tests.integration.alerting import SAME, SLOW, Record, head
from tests.integration.reports import environment
from tests.integration.webpages import read
from tests.integration.websites import application, visitor
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.report import short
from vlag.report.data.comparison import report
from vlag.store import changes
from vlag.store.changes import Change
from vlag.store.database import Connection

BASE = bundles.kernel("6.1")
OLD_CONFIG = "CONFIG_HZ=1000\nCONFIG_NUMA=y\nCONFIG_OLD=y\n"
NEW_CONFIG = "CONFIG_HZ=250\nCONFIG_NUMA=y\nCONFIG_SCHED_FOO=y\n"
PARENT, COMMIT, LATER = head(1), head(2), head(3)
NOBODY = {"commit": None, "toggle": None, "function": None}


@pytest.fixture
def record(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Record:
    return Record(conn=conn, catalogue=catalogue, folder=tmp_path)


def fill(
    record: Record,
    of: dict[str, Any],
    factors: Any,
    release: str,
    config: str,
    **changes: Any,
) -> Path:
    """Store a kernel of that release and config with its boots; return its config."""
    digest = bundles.sha(config)
    paths = bundles.side(
        record.folder, of, record.catalogue, factors=factors, release=release,
        config_sha256=digest, **changes,
    )  # fmt: skip
    folder: Path = record.folder / "builds" / of["digest"][:12]
    described = bundles.add(folder, "config", config.encode())
    files = json.loads((folder / "build.json").read_text())["files"]
    files = [described if f["path"] == "config" else f for f in files]
    bundles.edit(folder, release=release, config=described, files=files)
    bundles.store(record.conn, record.catalogue, paths)
    return folder / "config"


def of(record: Record, comparison: int) -> Mapping[str, Any]:
    return report(record.conn, record.catalogue, comparison, record.folder)


def test_config_and_known_changes_are_those_of_the_builds(record: Record) -> None:
    fill(record, BASE, SAME, "6.1.170", OLD_CONFIG)
    config = fill(record, head(1), SLOW, "6.12.1-rc2", NEW_CONFIG)
    comparison = record.compare(BASE, head(1), "baseline")
    data = of(record, comparison)
    assert (data["base"]["hz"], data["new"]["hz"]) == (1000, 250)
    assert data["config"] == {
        "changed": [{"option": "HZ", "base": "1000", "new": "250"}],
        "new": [{"option": "SCHED_FOO", "value": "y"}],
        "gone": [{"option": "OLD", "value": "y"}],
    }
    said = " ".join(short.render(data).split())
    assert "gcc 12.2.0, HZ=1000 (base) and 250 (new)" in said
    assert "config: HZ 1000 -> 250, SCHED_FOO is new; 1 gone besides" in said
    assert [k["between"][1] for k in data["known_changes"]] == ["6.6", "6.6", "6.12"]
    assert {k["side"] for k in data["known_changes"]} == {"new"}
    assert "6.12: DELAY_DEQUEUE" in said
    assert "sched_yield" not in said  # of a benchmark that did not run
    # Negative controls: another file, and none.
    for change in (lambda: config.write_text(OLD_CONFIG), config.unlink):
        change()
        without = of(record, comparison)
        assert without["config"] is None
        assert (without["base"]["hz"], without["new"]["hz"]) == (1000, None)
        assert "HZ=1000 (base) and unknown (new)" in " ".join(short.render(without).split())
        assert "config:" not in short.render(without)


def test_one_config_and_one_release_have_no_lines(record: Record) -> None:
    fill(record, BASE, SAME, "debian-build", OLD_CONFIG)
    fill(record, head(1), SLOW, "6.12.1", OLD_CONFIG)
    data = of(record, record.compare(BASE, head(1), "baseline"))
    assert data["config"] == {"changed": [], "new": [], "gone": []}
    assert data["known_changes"] == []
    said = short.render(data)
    assert "HZ=1000\n" in said
    for words in ("config:", "Known changes", "since:"):
        assert words not in said


def test_a_commit_against_its_parent_is_the_suspect(record: Record) -> None:
    fill(record, PARENT, SAME, "6.12.1", OLD_CONFIG)
    fill(record, COMMIT, SLOW, "6.12.1", OLD_CONFIG)
    data = of(record, record.compare(PARENT, COMMIT, "parent"))
    named = f'{COMMIT["commit"][:12]} ("{COMMIT["subject"]}"), compared with its parent'
    assert data["suspects"] == {**NOBODY, "commit": named}
    assert f"since:    {named[:40]}" in short.render(data)


def test_what_did_not_get_worse_has_no_suspect(record: Record) -> None:
    fill(record, PARENT, SAME, "6.12.1", OLD_CONFIG)
    fill(record, COMMIT, SAME, "6.12.1", OLD_CONFIG)
    data = of(record, record.compare(PARENT, COMMIT, "parent"))
    assert data["suspects"] == NOBODY


def step(record: Record, comparison: int, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Put the loss of a comparison on record as a step in the history between two kernels."""
    number = {}
    for k in (before, after):
        row = record.conn.execute("SELECT id FROM kernel WHERE digest = %s", (k["digest"],))
        [number[k["digest"]]] = row.fetchone() or ()
    for series, effect in record.conn.execute(
        "SELECT series_new, effect FROM verdict WHERE comparison = %s AND effect IS NOT NULL",
        (comparison,),
    ).fetchall():
        changes.put(record.conn, Change(
            series=series, statistic="median", tree="debian", branch="linux-6.12",
            before_kernel=number[before["digest"]], kernel=number[after["digest"]], effect=effect,
            ci_low=effect, ci_high=effect, cause="kernel",
        ))  # fmt: skip


def test_a_step_in_the_history_is_the_suspect(record: Record) -> None:
    for k, factors in ((BASE, SAME), (PARENT, SAME), (COMMIT, SLOW), (LATER, SLOW)):
        fill(record, k, factors, "6.12.1", OLD_CONFIG)
    comparison = record.compare(BASE, LATER, "baseline")
    assert of(record, comparison)["suspects"] == NOBODY  # negative control
    step(record, comparison, PARENT, COMMIT)
    said = of(record, comparison)["suspects"]["commit"]
    ends = [f"6.12.1 {k['commit'][:12]}" for k in (PARENT, COMMIT)]
    assert said.startswith(f"between {' and '.join(ends)}: a step of -1")
    assert said.endswith("% in the history of stress-ng-switch bogo-ops-rate")


def test_a_step_outside_the_compared_kernels_is_none(record: Record) -> None:
    for k, factors in ((PARENT, SAME), (COMMIT, SAME), (LATER, SLOW)):
        fill(record, k, factors, "6.12.1", OLD_CONFIG)
    comparison = record.compare(COMMIT, LATER, "baseline")
    step(record, comparison, PARENT, COMMIT)
    assert of(record, comparison)["suspects"] == NOBODY


def test_a_toggle_is_the_suspect(record: Record) -> None:
    fill(record, BASE, SAME, "6.1.170", OLD_CONFIG)
    fill(record, head(1), SLOW, "6.12.1", OLD_CONFIG)
    comparison = record.compare(BASE, head(1), "baseline")
    assert of(record, comparison)["suspects"]["toggle"] is None  # negative control
    knobs = {"sched_features": "NO_DELAY_DEQUEUE"}
    fill(record, head(1), SAME, "6.12.1", OLD_CONFIG, knobs=knobs)
    data = of(record, comparison)
    assert "DELAY_DEQUEUE accounts for" in data["suspects"]["toggle"]
    assert "toggle:   DELAY_DEQUEUE accounts for" in short.render(data)
    # One home: the sentence for each figure is where it was.
    assert len(data["attribution"]) == 1


def test_the_report_ends_with_its_reporter(record: Record, dsn: str, tmp_path: Path) -> None:
    fill(record, PARENT, SAME, "6.12.1", OLD_CONFIG)
    fill(record, COMMIT, SLOW, "6.12.1", OLD_CONFIG)
    id_ = record.compare(PARENT, COMMIT, "parent")
    record.conn.commit()
    env = environment(dsn, tmp_path)
    settings = Path(env["VLAG_SETTINGS"])

    def said() -> str:
        done = CliRunner(env=env).invoke(main, ["report", "--comparison", str(id_)])
        assert done.exit_code == 0, done.output
        return done.output

    shipped = settings.read_text()
    assert "Reported-by" not in said()  # negative control
    settings.write_text(f'{shipped}\n[report]\nreported_by = "Jane Doe <jane@example.org>"\n')
    assert said().endswith("\n\nReported-by: Jane Doe <jane@example.org>\n")
    assert "regzbot" not in said()  # the commits are in the local mirror only
    public = (
        '[trees.debian]\nurl = "https://example.org/linux"\nweb = "https://example.org/{commit}"'
    )
    packages = shipped.partition("[trees.debian.packages]\n")[2].partition("\n\n")[0]
    text = settings.read_text().replace(f"[trees.debian.packages]\n{packages}", public)
    settings.write_text(text)
    assert said().endswith(f"\n#regzbot introduced: {COMMIT['commit']}\n")


def test_the_page_names_known_changes(record: Record, dsn: str, tmp_path: Path) -> None:
    fill(record, BASE, SAME, "6.1.170", OLD_CONFIG)
    fill(record, head(1), SLOW, "6.12.1", NEW_CONFIG)
    fill(record, head(2), SLOW, "6.12.2", NEW_CONFIG)
    far, near = (record.compare(base, head(2), None) for base in (BASE, head(1)))
    record.conn.commit()
    site = visitor(application(dsn, tmp_path))
    page = read(site, f"/compare?id={far}")
    assert "Known changes by design" in page
    assert "6.6: EEVDF replaces CFS" in page
    assert "sched_yield" not in page
    assert page.index("figures") < page.index("Known changes by design")
    assert "Known changes by design" not in read(site, f"/compare?id={near}")  # negative control
