# SPDX-License-Identifier: GPL-2.0-only
"""What other programs get: KCIDB reports that its schema takes, and every sample again."""

import csv
import io
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from attrs import frozen
from click.testing import CliRunner, Result

from tests.conftest import fresh_database
from tests.integration.websites import ODD, Filled, Template
from vlag.cli.main import main
from vlag.errors import UsageError
from vlag.report.export import kcidb
from vlag.report.read_model import exports
from vlag.store import database
from vlag.store.database import Connection


@frozen(kw_only=True)
class Site:
    dsn: str
    filled: Filled


@pytest.fixture(scope="module")
def site(cluster: str, branch_template: Template) -> Site:
    dsn = fresh_database(cluster, branch_template.database)
    return Site(dsn=dsn, filled=branch_template.filled)


@pytest.fixture
def conn(site: Site) -> Iterator[Connection]:
    with database.connect(site.dsn) as conn:
        yield conn


def vlag(site: Site, *words: object) -> Result:
    return CliRunner().invoke(
        main, ["export", *map(str, words)], env={"VLAG_DATABASE": site.dsn}, catch_exceptions=False
    )


def report(conn: Connection, *ids: int, **trees: str) -> dict[str, Any]:
    return kcidb.report(conn, ids, origin="vlag", repositories=trees)


def test_a_night_is_valid_by_the_schema(site: Site, tmp_path: Path) -> None:
    done = vlag(site, "kcidb", "--night", "last", "--origin", "our_ci")
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    assert kcidb.schema().is_valid_exactly(document)
    assert ODD in done.stdout.replace('\\"', '"')
    ids = [o["id"] for kind in ("checkouts", "builds", "tests") for o in document[kind]]
    assert len(ids) == len(set(ids))
    assert all(i.startswith("our_ci:") for i in ids)
    builds = {b["id"] for b in document["builds"]}
    assert {t["build_id"] for t in document["tests"]} <= builds
    assert {b["checkout_id"] for b in document["builds"]} <= {
        c["id"] for c in document["checkouts"]
    }
    path = tmp_path / "report.json"
    vlag(site, "kcidb", "--night", "last", "--origin", "our_ci", "--output", path)
    assert path.read_text(encoding="utf-8") == done.stdout
    document["tests"][0]["status"] = "WORSE"
    assert not kcidb.schema().is_valid_exactly(document)


def test_only_what_is_proven_fails(conn: Connection, site: Site) -> None:
    rows = exports.verdicts(conn, [site.filled.baseline])
    tests = report(conn, site.filled.baseline)["tests"]
    statuses = {t["path"]: t["status"] for t in tests if t["path"].startswith("vlag.regression.")}
    assert len(statuses) == len(rows)
    for r in rows:
        path = f"vlag.regression.{r['benchmark']}.{r['metric']}.{r['statistic']}".replace(
            "p99.9", "p99_9"
        )
        proven = r["verdict"] == "REGRESSION" and r["standing"] not in ("hint", "suspected")
        assert (statuses[path] == "FAIL") is proven, r
    assert "FAIL" in statuses.values()


def test_a_hint_is_no_failure(conn: Connection, site: Site) -> None:
    [row] = [
        r for r in exports.verdicts(conn, [site.filled.baseline])
        if r["metric"] == "bogo-ops-rate"
    ]  # fmt: skip
    [build] = [
        b for b in exports.builds(conn, [row["new_kernel"]], []) if b["outcome"] == "complete"
    ]
    assert kcidb._verdict(row, build, "vlag")["status"] == "FAIL"
    assert kcidb._verdict({**row, "standing": "hint"}, build, "vlag")["status"] == "DONE"


def test_boots_that_panic_fail(conn: Connection, site: Site) -> None:
    runs = [t for t in report(conn, site.filled.failed)["tests"] if ":run:" in t["id"]]
    panics = [t for t in runs if t["status"] == "FAIL"]
    assert len(panics) == 3
    assert all("Kernel panic" in t["log_excerpt"] for t in panics)
    assert len({t["build_id"] for t in panics}) == 1
    assert {t["status"] for t in runs if t not in panics} == {"DONE"}


def test_patches_are_part_of_the_checkout(conn: Connection, site: Site) -> None:
    checkouts = report(conn, site.filled.patched)["checkouts"]
    assert sorted(bool(c["patchset_hash"]) for c in checkouts) == [False, True]
    assert len({c["id"] for c in checkouts}) == 2


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://git.example.org/linux.git", "https://git.example.org/linux.git"),
        ("https://me:secret@git.example.org:8443/l.git", "https://git.example.org:8443/l.git"),
        ("/home/me/linux.git", None),
        ("git://git.example.org/linux.git", None),
    ],
)
def test_no_password_of_a_repository_leaves(
    conn: Connection, site: Site, url: str, expected: str | None
) -> None:
    found = report(conn, site.filled.baseline, debian=url)["checkouts"]
    assert {c.get("git_repository_url") for c in found} == {expected}


@pytest.mark.parametrize("origin", ["", "Vlag", "our ci", "a-b"])
def test_an_origin_that_kcidb_refuses(conn: Connection, origin: str) -> None:
    with pytest.raises(UsageError, match="lower-case letters, digits and _"):
        kcidb.report(conn, [], origin=origin, repositories={})


def stored(conn: Connection) -> list[tuple[Any, ...]]:
    query = "SELECT run, series, values, instances FROM sample ORDER BY run, series"
    return [
        (run, place, value, instance)
        for run, _, values, instances in conn.execute(query).fetchall()
        for place, (value, instance) in enumerate(zip(values, instances, strict=True))
    ]


def test_csv_gives_back_every_sample(conn: Connection, site: Site, tmp_path: Path) -> None:
    # Numbers that short forms would round.
    exact = [random.Random(7).uniform(0, 1e9), 0.1 + 0.2, 1e-300, 2.0**60 + 256]
    conn.execute(
        "UPDATE sample SET values = %s, instances = %s WHERE (run, series) ="
        " (SELECT run, series FROM sample ORDER BY run, series LIMIT 1)",
        (exact, ["0", "a,b", 'quo"te', "line\nbreak"]),
    )
    done = vlag(site, "samples", "--output", tmp_path / "all.csv")
    assert done.exit_code == 0, done.stderr
    text = (tmp_path / "all.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    found = [(int(r["run"]), int(r["place"]), float(r["value"]), r["instance"]) for r in rows]
    assert found == stored(conn)
    assert exact == [value for _, _, value, _ in found[:4]]
    assert vlag(site, "samples").stdout == text


def test_parquet_is_the_same_table(site: Site, tmp_path: Path) -> None:
    for kind in ([], ["--histograms"]):
        path = tmp_path / "all.parquet"
        done = vlag(site, "samples", *kind, "--format", "parquet", "--output", path)
        assert done.exit_code == 0, done.stderr
        table = pyarrow.parquet.read_table(path)
        rows = list(csv.DictReader(io.StringIO(vlag(site, "samples", *kind).stdout, newline="")))
        assert table.num_rows == len(rows) > 0
        name = "count" if kind else "value"
        assert [float(r[name]) for r in rows] == table[name].to_pylist()


def test_only_what_is_asked_for(conn: Connection, site: Site) -> None:
    def runs(*words: object) -> set[int]:
        found = set[int]()
        for kind in ([], ["--histograms"]):
            text = vlag(site, "samples", *kind, *words).stdout
            found |= {int(r["run"]) for r in csv.DictReader(io.StringIO(text, newline=""))}
        return found

    [behind] = conn.execute(
        "SELECT array_agg(DISTINCT r) FROM read_model.verdict v,"
        " unnest(v.base_runs || v.new_runs) r WHERE v.comparison = %s",
        (site.filled.parent,),
    ).fetchone() or [()]
    assert runs("--comparison", site.filled.parent) == set(behind)
    every, branch = runs(), runs("--branch", site.filled.branch)
    assert branch < every
    assert runs("--branch", "debian/none") == set()
    assert runs("--benchmark", "stress-ng-switch") < every


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["samples", "--comparison", "999999"], "there is no comparison 999999 on record"),
        (["kcidb", "--comparison", "1", "--night", "last"], "not both"),
        (["kcidb", "--night", "999999"], "there is no night 999999 on record"),
        (["samples", "--format", "parquet"], "needs --output FILE"),
        (["samples", "--branch", "x/y", "--format", "parquet", "--output", "{}/none"], "no row"),
    ],
)
def test_one_sentence(site: Site, tmp_path: Path, words: list[str], said: str) -> None:
    done = vlag(site, *(w.format(tmp_path) for w in words))
    assert done.exit_code != 0
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("package", "words"),
    [
        ("kcidb_io", ["kcidb"]),
        ("pyarrow", ["samples", "--format", "parquet", "--output", "{}/all"]),
    ],
)
def test_an_optional_package_is_missing(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, words: list[str]
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    done = vlag(site, *(w.format(tmp_path) for w in words))
    assert done.exit_code != 0
    assert done.stderr.count("\n") == 1
    assert f"`pip install {package.replace('_', '-')}`" in done.stderr
