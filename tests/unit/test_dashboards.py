# SPDX-License-Identifier: GPL-2.0-only
"""The committed dashboards and provisioning files, without a Grafana."""

from __future__ import annotations

import copy
import json
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

import dashboards
from dashboards import five_seconds, names, provision, structure
from dashboards.files import made
from dashboards.statements import FOLDER, JSON, PROVISIONING, committed, documents, rules
from vlag import ROOT
from vlag.alerts.limits import KEPT
from vlag.config import Alerts
from vlag.errors import ExitCode, UsageError
from vlag.report.colours import BASE, BETTER, GAIN, NEW, WORD_COLOURS, WORSE
from vlag.stats.severity import HINTED, RANKS

Document = dict[str, Any]

UIDS = {
    "vlag-overview",
    "vlag-branch",
    "vlag-compare",
    "vlag-latency",
    "vlag-matrix",
    "vlag-boards",
    "vlag-run",
}


@pytest.fixture
def boards() -> dict[str, Document]:
    """Return the committed dashboards by uid, to be spoilt at will."""
    return {d["uid"]: copy.deepcopy(d) for d in documents().values()}


def test_what_is_committed_is_what_the_builders_make() -> None:
    there = {
        str(p.relative_to(FOLDER)): p.read_text(encoding="utf-8")
        for p in (*JSON.glob("*"), *PROVISIONING.glob("*/*"), FOLDER / five_seconds.PAGE)
    }
    assert there == made(), "run `python -m dashboards`"


def test_the_colour_of_a_percentile_is_that_of_what_its_row_says(
    boards: dict[str, Document],
) -> None:
    [panel] = [p for p in boards["vlag-latency"]["panels"] if p["title"].startswith("Shift")]
    of = {
        o["matcher"]["options"]: {p["id"]: p.get("value") for p in o["properties"]}
        for o in panel["fieldConfig"]["overrides"]
    }
    [mapping] = of["says"]["mappings"]
    found = {word: m["color"] for word, m in mapping["options"].items()}
    assert found == {"slower": WORSE, "faster": BETTER}
    # A change that shows nothing is not red for its sign.
    assert "thresholds" not in of["effect"]


def test_every_dashboard_is_there(boards: dict[str, Document]) -> None:
    assert set(boards) == UIDS
    assert {f"{uid}.json" for uid in UIDS} == set(documents())


def through_the_model(document: Document) -> Document:
    plugins.register_default_plugins()
    read = Dashboard.from_json(document)
    answer: Document = json.loads(json.dumps(read, cls=JSONEncoder))
    return answer


def without_what_the_sdk_lacks(document: Document) -> Document:
    """Leave out queries of annotations: the SDK knows those of Grafana's own source alone.

    It gives each table a footer, which newer versions do not have.
    """
    bare = copy.deepcopy(document)
    for one in bare["panels"]:
        if one["type"] == "table":
            one["options"]["footer"] = {"show": False, "reducer": [], "countRows": False}
    for note in bare["annotations"].get("list", []):
        del note["target"]
    return bare


@pytest.mark.parametrize("uid", sorted(UIDS))
def test_the_sdk_reads_all_of_it(boards: dict[str, Document], uid: str) -> None:
    document = without_what_the_sdk_lacks(boards[uid])
    assert through_the_model(document) == document


def test_what_the_sdk_does_not_know_is_lost_on_the_way(boards: dict[str, Document]) -> None:
    document = without_what_the_sdk_lacks(boards["vlag-overview"])
    document["panels"][0]["options"]["colourMode"] = "none"
    document["panels"][0]["fieldConfig"]["defaults"]["novalue"] = "a typing mistake"
    assert through_the_model(document) != document


def test_the_structure_holds(boards: dict[str, Document]) -> None:
    assert structure.faults(boards.values()) == []


def panel(document: Document, number: int) -> Document:
    found: Document = next(p for p in document["panels"] if p["id"] == number)
    return found


GONE = object()
#: What is spoilt: a dashboard, a way into it, the value that is put there, and the fault.
SPOILT: list[tuple[str, str, Any, str]] = [
    ("run", "uid", "vlag-branch", "uid 'vlag-branch' is there 2 times"),
    ("run", "2.id", 1, "vlag-run: 2 panels have the id 1"),
    ("run", "2.fieldConfig.defaults.noValue", "nothing of ${run}", "would not expand"),
    ("run", "2.datasource.uid", "PostgreSQL", "panel 2: it has another data source"),
    ("run", "2.targets.0.datasource.uid", "${DS}", "panel 2: query A has another data source"),
    ("branch", "templating.list.0.datasource", None, "variable branch has another data source"),
    ("branch", "annotations.list.0.datasource.uid", "-- Grafana --",
     "annotation Change points has another data source"),
    ("run", "2.gridPos.x", 3, "panels 1 and 2 overlap"),
    ("run", "4.gridPos.w", 7, "panel 4 is not within the 24 columns"),
    ("run", "2.type", "volkovlabs-echarts-panel", "'volkovlabs-echarts-panel' is not built into"),
    ("run", "2.description", "", "panel 2: it has no description"),
    ("run", "2.description", "Number of kernel alarms on the console.",
     "panel 2: it has no question with an answer that takes five seconds"),
    ("run", "2.fieldConfig.defaults.noValue", GONE,
     "panel 2: it does not say what to do when it is empty"),
    ("run", "1.fieldConfig.defaults.links.0.url", "/d/vlag-runs?var-run=1",
     "there is no dashboard vlag-runs"),
    ("run", "1.fieldConfig.defaults.links.0.url", "/d/vlag-run?var-runn=1",
     "vlag-run has no variable runn"),
    ("run", "1.fieldConfig.defaults.links.0.url", "https://example.org/",
     "leads neither to a dashboard nor to a base address"),
    ("run", "2.targets.0.rawSql", "SELECT '${run}'", "query A: run is put in without sqlstring"),
    ("run", "2.targets.0.rawSql", "SELECT ${rum:sqlstring}",
     "asks for the variable rum, which is not there"),
    ("run", "schemaVersion", 41, "schema version 41, not 39"),
]  # fmt: skip


@pytest.mark.parametrize(("dashboard", "way", "value", "said"), SPOILT)
def test_the_structure_check_finds(
    boards: dict[str, Document], dashboard: str, way: str, value: object, said: str
) -> None:
    *steps, last = way.split(".")
    place: Any = boards[f"vlag-{dashboard}"]
    if steps and steps[0].isdigit():
        place = panel(place, int(steps.pop(0)))
    for step in steps:
        place = place[int(step) if step.isdigit() else step]
    place[last] = value
    if value is GONE:
        del place[last]
    found = structure.faults(boards.values())
    assert any(said in fault for fault in found), found


def test_a_variable_that_stands_before_the_one_it_asks_for_is_found(
    boards: dict[str, Document],
) -> None:
    boards["vlag-branch"]["templating"]["list"].reverse()
    found = structure.faults(boards.values())
    assert any("asks for branch, which does not stand before it" in fault for fault in found), found


def test_a_dashed_band_is_a_line_where_its_series_have_other_times(
    boards: dict[str, Document],
) -> None:
    dashed = [
        p
        for p in boards["vlag-boards"]["panels"]
        if any(
            v["id"] == "custom.lineStyle"
            for o in p["fieldConfig"]["overrides"]
            for v in o["properties"]
        )
    ]
    assert len(dashed) == 2
    for one in dashed:
        # Otherwise the gaps that the other series leave would break each line into points.
        assert one["fieldConfig"]["defaults"]["custom"]["spanNulls"] > 86_400_000


def test_a_dashboard_links_to_each_other_and_to_what_it_comes_from(
    boards: dict[str, Document],
) -> None:
    urls = {uid: [url for _, url in structure.links(d)] for uid, d in boards.items()}
    every = [url for found in urls.values() for url in found]
    for uid in UIDS - {"vlag-overview", "vlag-matrix", "vlag-latency"}:
        assert any(url.startswith(f"/d/{uid}") for url in every), uid
    for start in ("${web}run", "${web}raw", "${web}compare"):
        assert any(url.startswith(start) for url in every), start
    # The commits of imported packages are on no site.
    assert not re.search(r"git\.kernel\.org|\$\{git", json.dumps(boards))
    # The list of dashboards is a menu of each, so that those two are reached as well.
    for document in boards.values():
        menu = next(link for link in document["links"] if link["type"] == "dashboards")
        assert menu["tags"] == [names.TAG] == document["tags"]


def test_worse_has_one_colour_everywhere(boards: dict[str, Document]) -> None:
    text = json.dumps(boards)
    mapped = re.findall(r'"(REGRESSION|IMPROVEMENT)": \{"color": "(#\w+)"', text)
    assert set(mapped) == {("REGRESSION", WORSE), ("IMPROVEMENT", BETTER)}
    # A word is at one place of the heat map, and its colour is that of the word.
    (heat,) = [p for p in boards["vlag-overview"]["panels"] if p["type"] == "status-history"]
    (places,) = heat["fieldConfig"]["defaults"]["mappings"]
    words = [m["text"] for _, m in sorted(places["options"].items(), key=lambda x: int(x[0]))]
    assert words == [w for rank in RANKS for w in rank if w in WORD_COLOURS]
    assert set(words) == set(WORD_COLOURS)
    assert {m["text"]: m["color"] for m in places["options"].values()} == dict(WORD_COLOURS)
    for document in boards.values():
        for one in document["panels"]:
            config = one["fieldConfig"]
            sets = [config["defaults"].get("thresholds")] + [
                p["value"]
                for o in config["overrides"]
                for p in o["properties"]
                if p["id"] == "thresholds"
            ]
            for steps in (s["steps"] for s in sets if s and len(s["steps"]) > 1):
                assert steps[-1]["color"] == WORSE
    colours = set(re.findall(r"#[0-9A-Fa-f]{6}", text))
    assert colours <= {*WORD_COLOURS.values(), BASE, NEW, GAIN}


def coloured(mappings: list[Document], cell: str) -> str | None:
    """Return the colour that Grafana gives a cell: that of the first mapping that fits."""
    for mapping in mappings:
        if mapping["type"] == "value" and cell in mapping["options"]:
            return str(mapping["options"][cell]["color"])
        pattern = mapping["options"].get("pattern", "/^$/").strip("/")
        if mapping["type"] == "regex" and re.search(pattern, cell):
            return str(mapping["options"]["result"]["color"])
    return None


def test_a_hint_is_pale_whatever_its_verdict(boards: dict[str, Document]) -> None:
    (effects,) = [p for p in boards["vlag-compare"]["panels"] if p["title"].startswith("Effects")]
    (verdict,) = [
        p["value"]
        for o in effects["fieldConfig"]["overrides"]
        if o["matcher"]["options"] == "verdict"
        for p in o["properties"]
        if p["id"] == "mappings"
    ]
    matrix = boards["vlag-matrix"]["panels"][0]["fieldConfig"]["defaults"]["mappings"]
    for mappings, before in ((verdict, ""), (matrix, "-29.3 % ")):
        found = {
            word: coloured(mappings, before + word)
            for rank in RANKS
            for word in rank
            if word in WORD_COLOURS or word.endswith("(hint)")
        }
        hints = {word: colour for word, colour in found.items() if word.endswith("(hint)")}
        assert set(hints.values()) == {WORD_COLOURS[HINTED], GAIN}
        assert hints["IMPROVEMENT (hint)"] == GAIN
        assert found["REGRESSION"] == WORSE != hints["REGRESSION (hint)"]
        assert {w: c for w, c in found.items() if w in WORD_COLOURS} == dict(WORD_COLOURS)
    assert coloured(verdict, "not a verdict") is None


# The five-second test.


def test_every_panel_answers_a_question_in_five_seconds(boards: dict[str, Document]) -> None:
    page = (FOLDER / five_seconds.PAGE).read_text(encoding="utf-8")
    asked = []
    for document in boards.values():
        for one in document["panels"]:
            told = five_seconds.parsed(one["description"])
            assert told is not None, one["title"]
            asked.append((document["uid"], told[0]))
            assert f"| {one['title']} | {told[0]} | {told[1]} |" in page
    # Two panels of a dashboard with one question: one of them can go.
    assert len(set(asked)) == len(asked)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [("Is it late", "It is late."), ("Is it late?", "It is late"), ("", ""), ("A?\nB?", "Yes.")],
)
def test_a_panel_without_question_or_sentence_is_refused(question: str, sentence: str) -> None:
    with pytest.raises(ValueError, match="not one question and one sentence"):
        five_seconds.told(question, sentence, "What it shows.")


def test_a_question_is_read_back() -> None:
    told = five_seconds.told("Is it late?", "It is late.", "What it shows.")
    assert five_seconds.parsed(told) == ("Is it late?", "It is late.")
    assert told.endswith("What it shows.")


def test_every_statement_is_told_with_its_place() -> None:
    found = dashboards.queries()
    assert len({(d, p) for d, p, _ in found}) == len(found)
    assert {d for d, _, _ in found} == UIDS | {"alerting"}
    assert all(sql.strip() for _, _, sql in found)
    assert len(found) == len(committed()) + len(rules())


# Provisioning.

PASSWORD = "pa$$w'ord"  # noqa: S105


def provisioned(folder: Path = PROVISIONING) -> dict[str, Any]:
    return {
        str(p.relative_to(folder)): yaml.safe_load(p.read_text(encoding="utf-8"))
        for p in folder.glob("*/*.yml")
    }


def test_the_data_source_is_the_one_that_panels_ask_for() -> None:
    (source,) = provisioned()["datasources/vlag.yml"]["datasources"]
    assert source["uid"] == names.SOURCE
    assert source["type"] == "postgres"  # of every version; newer ones know it as an alias
    assert source["jsonData"]["database"]
    assert not source["editable"]


def test_dashboards_and_alert_rules_meet_in_one_folder() -> None:
    files = provisioned()
    (provider,) = files["dashboards/vlag.yml"]["providers"]
    (group,) = files["alerting/rules.yml"]["groups"]
    # Of two items with one title Grafana makes one folder only if neither asks for a UID.
    assert provider["folder"] == group["folder"]
    assert not {k for k in (*provider, *group) if k.lower() == "folderuid"}


def test_alert_rules_lead_to_the_panel_of_open_alerts(boards: dict[str, Document]) -> None:
    (group,) = provisioned()["alerting/rules.yml"]["groups"]
    for rule in group["rules"]:
        shown = panel(boards[rule["dashboardUid"]], rule["panelId"])
        assert shown["title"] == "Open alerts"
        assert rule["condition"] == rule["data"][-1]["refId"]
        assert {d["datasourceUid"] for d in rule["data"]} == {names.SOURCE, "__expr__"}
    assert len({r["uid"] for r in group["rules"]}) == len(group["rules"]) == 4


#: What Grafana gives the texts of a rule without a row, and with one.
NO_ROW: dict[str, Any] = {"Labels": {}, "Values": {}}
ROW: dict[str, Any] = {
    "Labels": {"alert": "3", "branch": "debian/linux-6.12", "board_type": "qemu", "board": "b1"},
    "Values": {"A": {"Value": 434.3}},
}


def told(template: str, data: dict[str, Any]) -> str:
    """Expand the part of Go's templates that rules use; a function fails without a value."""

    def value(path: str, dot: Any) -> Any:
        for name in path.split(".")[1:]:
            dot = dot.get(name) if name and isinstance(dot, dict) else dot
        return dot

    def part(tokens: list[str], dot: Any, live: bool) -> str:
        found = ""
        while tokens:
            token = tokens.pop(0)
            words = re.findall(r'"[^"]*"|[^\s()]+', token[2:-2]) if token[:2] == "{{" else []
            if not words:
                found += token if live else ""
            elif words[0] in ("if", "with"):
                if words[1] == "eq":  # eq (index .Labels "branch") "debian/linux-6.12"
                    label, wanted = words[4].strip('"'), words[5].strip('"')
                    of = value(words[3], dot).get(label, "") == wanted
                else:
                    of = value(words[1], dot)
                inner = of if words[0] == "with" else dot
                found += part(tokens, inner, live and bool(of))
                if tokens.pop(0) == "{{ else }}":
                    found += part(tokens, dot, live and not of)
                    tokens.pop(0)
            elif words[0] in ("else", "end"):
                tokens.insert(0, token)
                return found
            elif live:
                of = value(words[-1], dot)
                if len(words) > 1 and of is None:
                    raise ValueError(f"error calling {words[0]}: nothing to convert to a float")
                shown = {"humanizePercentage": "{:.4%}"}.get(words[0], "{}")
                if words[0] == "printf":
                    shown = words[1].strip('"').replace("%.0f", "{:.0f}")
                found += shown.format("[no value]" if of is None else of)
        return found

    return part(re.findall(r"\{\{.*?\}\}|[^{]+", template), data, True)


def test_the_texts_of_rules_are_true_with_and_without_a_row() -> None:
    (group,) = provisioned()["alerting/rules.yml"]["groups"]
    said = {}
    for rule in group["rules"]:
        texts = rule["annotations"].values()
        said[rule["title"]] = [told(t, data) for data in (NO_ROW, ROW) for t in texts]
        assert "no value" not in " ".join(said[rule["title"]])
    web = names.ADDRESSES["web"]
    nobody = "no owner in the settings"
    assert said["Throughput loss"] == [
        "no open alert with a throughput loss",
        "none",
        nobody,
        f"{web}alerts",
        "confirmed throughput loss of 43430.0000% in debian/linux-6.12 on qemu",
        "43430.0000%",
        nobody,
        f"{web}alert?id=3",
    ]
    assert said["No results last night"][4:6] == ["no night has ended for 434 hours", "434 h"]
    assert said["Board left its band"][5:7] == ["b1", "operator of the service"]
    # The figure of an alert may be a median.
    assert "Latency increase" in said
    assert "ail" not in "".join(said["Latency increase"])


def test_a_text_that_needs_a_row_is_found_out() -> None:
    """Negative control: what Grafana logs at each evaluation without an alert."""
    with pytest.raises(ValueError, match="error calling humanizePercentage"):
        told("loss of {{ humanizePercentage .Values.A.Value }}", NO_ROW)
    assert told("{{ .Labels.branch }} on board", NO_ROW) == "[no value] on board"


def above(files: dict[str, Any]) -> list[float]:
    """Return the thresholds of the two rules on alerts."""
    rules_ = files["alerting/rules.yml"]["groups"][0]["rules"][:2]
    return [r["data"][1]["model"]["conditions"][0]["evaluator"]["params"][0] for r in rules_]


def test_rules_let_go_when_our_own_alerts_do() -> None:
    settings = Alerts()
    kept = [settings.throughput * KEPT, settings.latency * KEPT]
    assert above(provisioned()) == kept


def test_nothing_but_names_in_the_environment_is_expanded() -> None:
    """`$` stands for Grafana's environment everywhere but in SQL, where macros need it."""
    known = {
        "VLAG_GRAFANA_POSTGRESQL",
        "VLAG_GRAFANA_DATABASE",
        "VLAG_GRAFANA_USER",
        "VLAG_GRAFANA_PASSWORD",
        "VLAG_GRAFANA_SSLMODE",
        "VLAG_GRAFANA_DASHBOARDS",
        "VLAG_ALERT_ADDRESSES",
        "VLAG_ALERT_MUTE",
    }
    files = {n: t for n, t in provision.texts().items() if n != "alerting/rules.yml"}
    assert set(re.findall(r"\$(\w+)", "".join(files.values()))) == known
    assert "$" not in provision.texts()["alerting/rules.yml"]


def write(folder: Path, **changes: Any) -> dict[str, Any]:
    provision.write(
        folder,
        postgresql="127.0.0.1:5442",
        database="vlag",
        user="vlag_reader",
        password=PASSWORD,
        **changes,
    )
    return provisioned(folder / "provisioning")


def route(files: dict[str, Any]) -> dict[str, Any]:
    (policy,) = files["alerting/policies.yml"]["policies"]
    (found,) = policy["routes"]
    answer: dict[str, Any] = found
    return answer


def test_write_renders_for_one_grafana(tmp_path: Path) -> None:
    files = write(tmp_path, addresses={"web": "http://127.0.0.1:9/x/"}, throughput=0.07)
    (source,) = files["datasources/vlag.yml"]["datasources"]
    assert source["url"] == "127.0.0.1:5442"
    # Grafana reads $$ as one $.
    assert source["secureJsonData"] == {"password": PASSWORD.replace("$", "$$")}
    assert "VLAG_" not in json.dumps(files)
    secret = tmp_path / "provisioning" / "datasources" / "vlag.yml"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    (provider,) = files["dashboards/vlag.yml"]["providers"]
    rendered = documents(Path(provider["options"]["path"]))
    assert {d["uid"] for d in rendered.values()} == UIDS
    for document in rendered.values():
        constants = {v["name"]: v["query"] for v in document["templating"]["list"]}
        assert constants["web"] == "http://127.0.0.1:9/x/"
        assert constants["lava"] == names.ADDRESSES["lava"]
    first, *_ = files["alerting/rules.yml"]["groups"][0]["rules"]
    assert told(first["annotations"]["page"], ROW) == "http://127.0.0.1:9/x/alert?id=3"
    assert above(files) == [0.07 / 2, Alerts().latency / 2]
    variables = provision.environment(tmp_path)
    assert Path(variables["GF_PATHS_PROVISIONING"]) == tmp_path / "provisioning"
    assert Path(variables["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]).exists()
    # A dashboard that is no more goes with the next writing.
    (tmp_path / "dashboards" / "old.json").write_text("{}")
    write(tmp_path)
    assert not (tmp_path / "dashboards" / "old.json").exists()


def mute(files: dict[str, Any], name: str) -> dict[str, Any]:
    times = {t["name"]: t["time_intervals"] for t in files["alerting/mute-times.yml"]["muteTimes"]}
    (span,) = times[name]
    found: dict[str, Any] = span
    return found


def test_one_channel_a_person(tmp_path: Path) -> None:
    by_mail = write(tmp_path / "mail")
    (name,) = route(by_mail)["mute_time_intervals"]
    assert mute(by_mail, name) == {"times": [{"start_time": "00:00", "end_time": "24:00"}]}
    by_grafana = write(tmp_path / "grafana", channel="grafana", mail=["a@example.org"])
    (name,) = route(by_grafana)["mute_time_intervals"]
    assert mute(by_grafana, name) == {"years": ["2000"]}
    weekends = mute(by_grafana, "vlag-weekends")
    assert weekends == {"weekdays": ["saturday", "sunday"]}


def test_alerts_go_to_the_owners_of_a_branch(tmp_path: Path) -> None:
    owners = {"debian": ["d@example.org"], "debian/linux-6.12": ["x@example.org", "y@example.org"]}
    files = write(tmp_path, channel="grafana", mail=["all@example.org"], owners=owners)
    found = route(files)
    assert found["object_matchers"] == [["service", "=", "vlag"]]
    assert found["group_by"] == ["cause"]
    assert [(r["receiver"], r["object_matchers"]) for r in found["routes"]] == [
        ("vlag debian/linux-6.12", [["branch", "=", "debian/linux-6.12"]]),
        ("vlag debian", [["tree", "=", "debian"]]),
    ]
    # The alert names them as well; the owner of a branch comes before the owner of its tree.
    (first, *_) = files["alerting/rules.yml"]["groups"][0]["rules"]
    owner = first["annotations"]["owner"]
    assert told(owner, ROW) == "x@example.org, y@example.org"
    other = {**ROW, "Labels": {"tree": "debian", "branch": "debian/linux-6.1"}}
    assert told(owner, other) == "d@example.org"
    assert told(owner, {**ROW, "Labels": {"tree": "stable"}}) == "no owner in the settings"
    assert told(owner, NO_ROW) == "no owner in the settings"
    points = files["alerting/contact-points.yml"]["contactPoints"]
    addresses = {p["name"]: p["receivers"][0]["settings"]["addresses"] for p in points}
    assert addresses == {
        "vlag": "all@example.org",
        "vlag debian": "d@example.org",
        "vlag debian/linux-6.12": "x@example.org;y@example.org",
    }
    uids = [p["receivers"][0]["uid"] for p in points]
    assert len(set(uids)) == 3
    # Grafana allows forty characters of these.
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,40}", uid) for uid in uids)


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown channel 'pigeon'; use mail or grafana"):
        write(tmp_path, channel="pigeon")
    with pytest.raises(UsageError, match="the settings name no recipient"):
        write(tmp_path, channel="grafana")
    with pytest.raises(UsageError, match="'wep'; known: web, lava"):
        write(tmp_path, addresses={"wep": "http://127.0.0.1/"})
    assert list(tmp_path.iterdir()) == []


def test_another_process_can_ask_for_it(tmp_path: Path) -> None:
    def run(**given: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "dashboards.provision", str(tmp_path)],
            input=json.dumps({"postgresql": "x:1", "database": "d", "user": "u", **given}),
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )

    done = run(password=PASSWORD)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == provision.environment(tmp_path)
    assert route(provisioned(tmp_path / "provisioning"))
    wrong = run(password=PASSWORD, channel="pigeon")
    assert wrong.returncode == ExitCode.USAGE
    assert wrong.stderr.startswith("vlag: alerts.channel: unknown channel 'pigeon'")
