"""Test what can be told of the files for containers without running one."""

import re
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from medrag_site.configuration import SiteSettings
from tests.test_docs import ROOT

FILES = ("compose.yaml", "compose.scaled.yaml")
BY_HAND = {"migrate", "backup", "bucket"}
OUTSIDE = {"MEDRAG_APP_PASSWORD"}  # of the pool, in .env; no setting of ours


def services(name: str) -> dict[str, Any]:
    described: dict[str, Any] = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
    named: dict[str, Any] = described["services"]
    return named


def images() -> list[str]:
    found = [line.split()[1] for line in lines("Containerfile") if line.startswith("FROM ")]
    for name in FILES:
        text = (ROOT / name).read_text(encoding="utf-8")
        found += re.findall(r"(?:image: |FROM )(\S+)", text)
    return found


def lines(name: str) -> list[str]:
    return (ROOT / name).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("image", images())
def test_an_image_has_its_registry_and_a_version(image: str) -> None:
    assert image.startswith("docker.io/")
    assert re.search(r":[^/]*\d", image) or image.endswith(("-slim", "-bookworm"))
    assert not image.endswith(":latest")


@pytest.mark.parametrize("file", FILES)
def test_services_are_whole(file: str) -> None:
    named = services(file)
    for name, service in named.items():
        assert service.get("image") or service.get("build"), name
        assert service["restart"] == ("no" if name in BY_HAND else "unless-stopped")
        assert set(service.get("depends_on", ())) <= set(named)
        assert not service.get("privileged")
        settings = [key for key in service.get("environment", ()) if key.startswith("MEDRAG_")]
        assert set(settings) <= set(SiteSettings.model_fields)
        command = service.get("command", [])
        if "manage.py" in command:
            assert command[command.index("manage.py") + 1] in get_commands()


@pytest.mark.parametrize("file", FILES)
def test_no_secret_stands_in_a_file(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    for name, value in re.findall(r"(\w*(?:PASSWORD|SECRET|KEY)\w*): +(\S.*)", text):
        assert value.strip('"}').startswith("${"), name
    asked = set(re.findall(r"\$\{([A-Z_]+)", text))
    assert {name for name in asked if name.startswith("MEDRAG_")} - set(
        SiteSettings.model_fields
    ) <= OUTSIDE


def test_web_and_workers_have_the_same_settings() -> None:
    named = services("compose.scaled.yaml")
    assert named["web"]["environment"] == named["worker"]["environment"]
    assert named["web"]["environment"]["MEDRAG_PREPARED_STATEMENTS"] == "false"


def test_the_image_has_the_folders_of_volumes() -> None:
    """A volume takes its owner from them; without one, root would own it."""
    made = next(line for line in lines("Containerfile") if "chown -R medrag /data" in line)
    volumes = {
        volume.partition(":")[2]
        for name in FILES
        for service in ("web", "backup")
        for volume in services(name)[service]["volumes"]
    }
    assert {"/data", "/data/keys", "/data/audit", "/backups"} == volumes
    assert volumes <= set(made.split())


def test_an_image_is_built_of_the_same_files_by_docker_and_podman() -> None:
    left_out = lines(".dockerignore")
    assert left_out == lines(".containerignore")
    assert {".git", ".venv", "var", ".env", "medrag.env"} <= set(left_out)


@pytest.mark.parametrize("file", FILES)
def test_settings_of_a_file_reach_all_that_is_ours_and_the_owner_only_what_needs_it(
    file: str,
) -> None:
    ours = {name: each for name, each in services(file).items() if "dockerfile" in str(each)}
    assert set(ours) >= {"web", "worker", "migrate", "backup"}
    for name, service in ours.items():
        if name == "pool":
            continue
        assert [each["path"] for each in service["env_file"]] == ["medrag.env"], name
        has_owner = "DATABASE_OWNER_URL" in service["environment"]
        assert has_owner == (name in BY_HAND), name


def test_the_application_has_a_key_of_its_own_and_the_proxy_keeps_its_certificates() -> None:
    named = services("compose.scaled.yaml")
    for name, service in named.items():
        root = [key for key in map(str, service.get("environment", ())) if "FILES_ROOT" in key]
        assert not root or name == "bucket", name
    assert named["files"]["environment"]["MINIO_ROOT_USER"] == "${FILES_ROOT_USER:?}"
    assert [volume.partition(":")[2] for volume in named["proxy"]["volumes"]] == ["/data"]


def test_the_image_runs_as_nobody_special() -> None:
    users = [line for line in lines("Containerfile") if line.startswith("USER ")]
    assert users == ["USER medrag"]
