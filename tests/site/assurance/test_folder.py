"""The folder of documents: whole, true to the settings in force, and honest where nothing is."""

import datetime
import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from knox.models import get_token_model
from pytest_django.fixtures import Settings

from core.endpoint_settings import address_of
from core.llm.client import Endpoint
from core.llm.models_file import Models
from evaluation.metrics.statistics import Interval
from evaluation.models import QuestionRun, QuestionSet, RunState
from evaluation.question_runs.freezing import configuration_now
from evaluation.question_runs.result_card import Card
from medrag_site.assurance import bundled, changed_settings, data_flows, documents, folder, sbom
from medrag_site.assurance.bundled import SCRIPTS
from medrag_site.assurance.data_flows import flows
from medrag_site.assurance.model_cards import model_cards
from medrag_site.assurance.release_figures import release_figures
from medrag_site.configuration import SiteSettings
from medrag_site.configuration.environment import fields_of, keys_of, read, told, written
from tests.chat.web.pages import lacking
from tests.site.assurance.test_hazards import _functions
from tests.test_docs import ROOT, text_of
from webhooks.models import Endpoint as WebhookEndpoint
from webhooks.models import Event

pytestmark = pytest.mark.django_db

Row = dict[str, Any]
DAY = datetime.date(2026, 11, 27)
CARD = "{https://mc.chai.org/v0.2/schema.xsd}"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_sbom_names_packages_and_weights() -> None:
    inventory = json.loads(sbom.sbom())
    assert (inventory["bomFormat"], inventory["specVersion"]) == ("CycloneDX", "1.6")
    names = {part["name"]: part for part in inventory["components"]}
    assert [name for name, part in names.items() if not part.get("licenses")] == []
    assert names["transformers"]["licenses"] == [{"license": {"name": "Apache 2.0 License"}}]
    assert not {"pytest", "mypy", "ruff", "selenium", "moto"} & set(names)
    assert {"Django", "torch", "psycopg-binary", "boto3", "docling-core", "qrcode"} <= set(names)
    refs = {part["bom-ref"] for part in inventory["components"]}
    refs |= {inventory["metadata"]["component"]["bom-ref"]}
    assert len(refs) == len(inventory["components"]) + 1
    for each in inventory["dependencies"]:
        assert {each["ref"], *each["dependsOn"]} <= refs
    assert names["Django"]["licenses"][0]["license"]["id"] == "BSD-3-Clause"
    assert {"PostgreSQL", "pgvector of PostgreSQL", *(each.name for each in SCRIPTS)} <= set(names)
    weights = {part["name"] for part in names.values() if part["type"].startswith("machine")}
    assert {"The encoder", "The gate", "The OCR models", "The large reader"} <= weights
    checker = names["The checker"]
    assert checker["type"] == "machine-learning-model"
    assert len(checker["hashes"][0]["content"]) == 64


def test_the_sbom_has_the_server_s_own_versions() -> None:
    parts = [part for part in bundled.bundled() if "purl" in part]
    with connection.cursor() as cursor:
        cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        (vector,) = cursor.fetchone()
        cursor.execute("SHOW server_version")
        (server,) = cursor.fetchone()
    purls = {part["purl"] for part in parts}
    assert f"pkg:generic/postgresql@{server.split()[0]}" in purls
    assert f"pkg:github/pgvector/pgvector@v{vector}" in purls


def test_the_sbom_lists_each_script_of_others_that_pages_load(admin_client: Client) -> None:
    pages = (
        "/",
        "/admin/",
        "/admin/auth/user/",
        "/admin/corpus/answeringstop/add/",
        "/api/v1/docs",
    )
    loaded = {
        script.removeprefix(str(settings.STATIC_URL)).split("?")[0]
        for page in pages
        for script in re.findall(r'<script[^>]+src="([^"]+)"', admin_client.get(page).text)
    }
    # What remains is ours, Django's and django-htmx's own, or a word list of select2.
    of_others = {
        each for each in loaded if re.search(r"/vendor/(?!.*/i18n/)|\.min\.js$|-bundle\.js$", each)
    }
    assert of_others == {each.path for each in SCRIPTS}


def test_a_script_whose_version_is_not_told_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = replace(SCRIPTS[0], version="no such text ([0-9])")
    monkeypatch.setattr(bundled, "SCRIPTS", (moved,))
    with pytest.raises(bundled.BundledError, match="The version of htmx"):
        list(bundled.bundled())


def test_each_card_has_the_sections_of_the_schema_in_its_order() -> None:
    cards = model_cards()
    names = ("system", "encoder", "gate", "ocr", "large-reader", "small-reader", "checker")
    assert set(cards) == {f"{name}.xml" for name in names}
    for text in cards.values():
        root = ElementTree.fromstring(text)
        assert [child.tag.removeprefix(CARD) for child in root] == [
            "BasicInfo", "ReleaseInfo", "ModelSummary", "UsesAndDirections", "Warnings",
            "TrustIngredients", "KeyMetrics", "Resources", "Bibliography",
        ]  # fmt: skip
        values = [json.loads(value.text or "") for value in root.iter(f"{CARD}ValueJson")]
        told = {round(figure.value, 3) for figure in release_figures().values()}
        assert set(values) <= {None, *told}
        assert all(leaf.text for leaf in root.iter() if not len(leaf) and "Biblio" not in leaf.tag)


def test_the_system_s_card_goes_by_the_settings_in_force(settings: Settings) -> None:
    unwritten, unused = "no language model writes answers", "not used as this site is set"
    cards = model_cards()
    none = "Other models that this site configures: none"
    assert lacking(cards["system.xml"], unwritten, none) == []
    assert unused not in cards["checker.xml"]
    settings.GENERATOR, settings.VERIFIER = "llm", "llm"
    settings.MODELS = Models(generate=(Endpoint(url="https://a.example.org", model="med-large"),))
    cards = model_cards()
    written = "Answers clinicians in the words of a language model"
    configured = "this site configures: med-large (generate)"
    assert lacking(cards["system.xml"], unwritten, written, configured) == [unwritten]
    assert unused in cards["checker.xml"]


def test_the_system_s_card_has_the_figures_of_the_site_or_of_the_release() -> None:
    of_release = (
        "<ValueJson>0.283</ValueJson>",
        "34 of 120, 95 % interval 0.",
        "Of the release, not of this site: 150 new questions",
        "(release 0.14.0, gate 0.44, weights cascade-2; not counted again with",
        "<ValueJson>0.04</ValueJson>",
    )
    assert lacking(model_cards()["system.xml"], *of_release) == []
    questions = QuestionSet.objects.create(name="Ward", form="plain", digest="d")
    measures = {"full": Interval(mean=0.75, low=0.5, high=0.9, n=8)}
    result = Card(states={}, outcomes={}, measures=measures, latency_ms={}, tokens={}, not_run={})
    for configuration in (configuration_now(), "another"):
        QuestionRun.objects.create(
            question_set=questions, name="first", state=RunState.DONE,
            frozen={"configuration": configuration}, metrics=result.as_json(),
        )  # fmt: skip
    of_site = (
        "<ValueJson>0.75</ValueJson>",
        "full, of 8 questions, 95 % interval 0.500 to 0.900",
        f"Run {QuestionRun.objects.earliest('pk').pk} here",
        "<ValueJson>0.04</ValueJson>",  # that run did not measure it
    )
    assert lacking(model_cards()["system.xml"], *of_site) == []


@pytest.mark.parametrize("row", documents.rows("security"), ids=lambda row: row["id"])
def test_each_row_on_security_names_tests_that_are_there(row: Row) -> None:
    assert row["state"] in documents.STATES
    for test in row["tests"]:
        file, _, name = test.partition("::")
        assert name in _functions(file), test


def test_the_row_on_tls_names_each_connection_that_operations_does() -> None:
    (row,) = (row for row in documents.rows("security") if row["id"] == "V12.2.1")
    page = text_of(ROOT / "docs" / "operations.md").split("### Your own authority")[1]
    listed = page.split("connection\ntakes it: ")[1].split(". It stands")[0]
    words = [re.sub(r"^(the|by an|in) ", "", word) for word in re.split(r", | and ", listed)]
    assert len(words) >= 8
    for word in words:
        assert word.split()[-1].strip(".") in row["control"], word
    assert row["state"] == "partly"
    assert address_of("http://models.example.org/v1")  # what `partly` is about


def test_what_is_kept_in_plain_text_is_told() -> None:
    controls = {row["id"]: row["control"] for row in documents.rows("security")}
    assert lacking(controls["V6.3.3"], "authenticator apps", "plain text") == []
    assert lacking(controls["V13.3.1"], "authenticator apps", "plain text", "webhooks") == []
    answers = {row["id"]: row["answer"] for row in documents.rows("dtac")}
    assert lacking(answers["C4.1"], "SCIM", "syslog", "Prometheus", "MCP") == []
    assert "computes nothing" not in answers["C1.3"]


def test_openacr_has_every_criterion_once_at_its_level() -> None:
    report = yaml.safe_load(documents.accessibility_yaml(DAY))
    levels = {"success_criteria_level_a": 30, "success_criteria_level_aa": 20}
    for chapter, count in levels.items():
        numbers = [row["num"] for row in report["chapters"][chapter]["criteria"]]
        assert len(set(numbers)) == len(numbers) == count
        assert all(isinstance(number, str) for number in numbers)


def test_nothing_leaves_a_site_as_it_comes() -> None:
    assert list(flows()) == []
    assert "Nothing: no service" in data_flows.data_flows()


def test_what_is_configured_is_named_by_its_host_and_never_by_its_password(
    settings: Settings,
) -> None:
    settings.DATABASE_URL = "postgresql://medrag:secret@db.example.org/medrag"
    settings.SCANNER = "unix:///run/clamav/clamd.ctl"
    settings.MODELS = Models(
        generate=(Endpoint(url="https://models.example.org/v1", model="m", key="k" * 20),),
        rerank=Endpoint(url="http://127.0.0.1:9/rerank", model="r"),
    )
    WebhookEndpoint.objects.create(
        name="records", url="https://records.example.org/in", events=[Event.GAP], secret="s"
    )
    WebhookEndpoint.objects.create(
        name="off", url="https://off.example.org", events=[Event.GAP], secret="s", is_active=False
    )
    assert [(flow.to, flow.is_here) for flow in flows()] == [
        ("db.example.org", False),
        ("/run/clamav/clamd.ctl", True),
        ("models.example.org", False),
        ("127.0.0.1", True),
        ("records.example.org", False),
    ]
    text = data_flows.data_flows()
    assert lacking(text, "not encrypted", "secret", "kkk") == ["not encrypted", "secret", "kkk"]


def test_what_leaves_without_tls_is_marked(settings: Settings) -> None:
    settings.SCANNER = "tcp://scanner.example.org:3310"
    settings.AUDIT_HEADS_URL = "http://heads.example.org/in"
    rows = [row for row in data_flows.data_flows().splitlines() if "example.org" in row]
    assert len(rows) == 2
    assert all("leaves, **not encrypted**" in row for row in rows)


def test_tokens_are_counted_while_they_are_valid(alice: User) -> None:
    tokens = get_token_model().objects
    for expiry in (None, datetime.timedelta(days=1), datetime.timedelta(days=-1)):
        tokens.create(alice, expiry)
    assert [flow.to for flow in flows()] == ["programs with 2 API tokens"]


def test_changed_settings_are_written_without_a_secret(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in SiteSettings.model_fields:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEDRAG_DATA_DIR", str(tmp_path / "var"))
    monkeypatch.setattr(changed_settings, "given", read(SiteSettings))
    monkeypatch.delenv("MEDRAG_DATA_DIR")
    assert "None: all are the defaults." in changed_settings.changed_settings()
    given = {
        "MEDRAG_MODE": written(SiteSettings.model_fields["MEDRAG_MODE"].default),
        "MEDRAG_GENERATOR": "llm",
        "MEDRAG_SCIM": "token-of-the-directory",
        "MEDRAG_MCP_TOKEN": "token-of-a-program",
        "DATABASE_REPLICA_URL": "postgresql:///medrag?password=token-of-the-standby",
        "MEDRAG_RETRIEVAL": "k=5 note=https://someone:token@example.org",
    }
    for name, text in given.items():
        monkeypatch.setenv(name, text)
    heads = "https://heads.example.org/token-in-a-path"
    monkeypatch.setenv("MEDRAG_AUDIT_HEADS", f"url={heads}")
    monkeypatch.setenv("MEDRAG_DATA_DIR", str(tmp_path / "var"))
    monkeypatch.setattr(changed_settings, "given", read(SiteSettings))
    monkeypatch.delenv("MEDRAG_DATA_DIR")
    rows = [line for line in changed_settings.changed_settings().splitlines() if "| `" in line]
    assert "| `MEDRAG_GENERATOR` | `llm` | `extractive` |" in rows
    assert "| `MEDRAG_AUDIT_HEADS url` | `https://heads.example.org` | none |" in rows
    assert sum("set; not shown" in row for row in rows) == 4
    assert len(rows) == 6
    assert "token-" not in "".join(rows)


def test_what_is_named_like_a_secret_is_one() -> None:
    declared = list(fields_of(SiteSettings).items())
    for kind in filter(None, map(keys_of, SiteSettings.model_fields.values())):
        declared += fields_of(kind).items()
    named = re.compile(r"(key|token|secret|password)$|DATABASE.*_URL", re.IGNORECASE)
    assert [n for n, each in declared if named.search(n) and not told(each).is_secret] == []


def test_a_folder_is_whole_and_says_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> str:
        raise sbom.SbomError("The inventory of packages could not be made.", hint="Why.")

    monkeypatch.setattr(folder, "sbom", fail)
    out, to = StringIO(), tmp_path / "out"
    with pytest.raises(SystemExit) as end:
        call_command("assurance", out=to, stdout=out)
    assert end.value.code == 1
    assert "sbom.cdx.json: The inventory of packages could not be made. Why." in out.getvalue()
    monkeypatch.setattr(folder, "sbom", lambda: "{}\n")
    call_command("assurance", out=to, stdout=out)  # over the first
    listed = (to / "README.md").read_text().splitlines()[6:]
    there = {path.name + "/" * path.is_dir() for path in to.iterdir()} - {"README.md"}
    assert {line.split(" | ")[0].removeprefix("| ") for line in listed if line} == there
    assert_nothing_leads_out(to)
    assert "No run of a question set" in (to / "figures.md").read_text()


def assert_nothing_leads_out(to: Path) -> None:
    """Assert that each link, and each document that a text names by its path, is in the folder."""
    for page in to.rglob("*.md"):
        links = re.findall(r"\]\(([^)#\s]+)", page.read_text())
        assert not [one for one in links if "://" not in one and not (page.parent / one).is_file()]
    texts = [path.read_text() for path in to.rglob("*") if path.suffix in (".md", ".xml", ".yaml")]
    names = r"\b(?:docs|chat|corpus|bench)(?:/[\w-]+)+\.md\b(?! of the release)"
    found = {name for text in texts for name in re.findall(names, text)}
    assert {"docs/evaluation.md", "docs/operations.md", "chat/reader/large/card.md"} <= found
    assert not [name for name in found if not (to / name).is_file()]


def test_a_folder_of_others_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Mine\n")
    with pytest.raises(CommandError, match="holds other files"):
        call_command("assurance", out=tmp_path)
    assert (tmp_path / "README.md").read_text() == "# Mine\n"


def test_the_administration_shows_the_hazard_log(client: Client, admin_client: Client) -> None:
    page = admin_client.get("/admin/hazards/")
    assert page.status_code == 200
    text = page.content.decode()
    assert "H01 The answer is for other patients" in text
    assert "unless <code>MEDRAG_COMPUTING</code> says" in text
    assert "`" not in text
    assert client.get("/admin/hazards/").status_code == 302
