"""Test that the documents name what exists, and that what exists is documented."""

import ast
import re
from argparse import PARSER, ArgumentParser
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from chat.models import Reason
from chat.web.refusals import ADVICE
from medrag_site.configuration import SECTIONS, SiteSettings
from medrag_site.configuration.environment import fields_of, keys_of, written
from medrag_site.configuration.page import COMMAND, PATH, meanings, page

ROOT = Path(__file__).resolve().parent.parent
APPS = ("core", "corpus", "retrieval", "chat", "evaluation", "webhooks", "medrag_site", "bench")
README = ROOT / "README.md"
TOP = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "samples/README.md", "bench/README.md")
DOCUMENTS = [ROOT / name for name in TOP] + sorted((ROOT / "docs").rglob("*.md"))
FOREIGN_COMMANDS = {"makemigrations", "createsuperuser", "check", "migrate"}
# No settings of ours. With one of them we stop the telemetry of RAGAS.
OF_THE_SYSTEM = {
    *("PATH", "XDG_RUNTIME_DIR", "RAGAS_DO_NOT_TRACK"),
    "SSL_CERT_DIR",  # OpenSSL's
}
NAME = re.compile(r"\b(?:MEDRAG|DOCLING)_[A-Z_]*[A-Z]\b")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def everything() -> str:
    return "\n".join(text_of(path) for path in DOCUMENTS)


def configuration_rows() -> dict[str, str]:
    """Return the settings of the README's table with their defaults."""
    section = text_of(README).split("\n## Configuration\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([A-Z_]+)` \|(?: `(.*)`)? \| \S", section, re.MULTILINE)
    assert len(rows) == len(dict(rows)) == section.count("\n| `")
    return dict(rows)


def own_commands() -> dict[str, str]:
    """Return our commands with their apps; an app's `migrate` counts as Django's."""
    found = {name: app for name, app in get_commands().items() if app in APPS}
    return {name: str(app) for name, app in found.items() if name not in FOREIGN_COMMANDS}


def make_targets() -> list[str]:
    return re.findall(r"^([a-z]+):.*## ", text_of(ROOT / "Makefile"), re.MULTILINE)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_document_is_there(path: Path) -> None:
    assert path.is_file()
    assert text_of(path).startswith("# ")


def test_the_readme_shows_some_settings_with_their_defaults() -> None:
    rows = configuration_rows()
    assert "MEDRAG_DATA_DIR" in rows
    for name, said in rows.items():
        field = fields_of(SiteSettings)[name]
        keys = fields_of(kind) if (kind := keys_of(field)) else {}
        told = {key: written(of_key.default) for key, of_key in keys.items()}
        defaults = [f"{key}={text}" for key, text in told.items() if text]
        assert said in (written(field.default), " ".join(defaults)), name


def test_every_setting_that_a_document_names_is_read() -> None:
    for path in DOCUMENTS:
        if path.name != "CHANGELOG.md":  # it tells of old names
            assert not set(NAME.findall(text_of(path))) - set(fields_of(SiteSettings))


def test_no_other_name_stands_in_an_example() -> None:
    for name in ("compose.yaml", "Containerfile", "Makefile"):
        assert not set(NAME.findall(text_of(ROOT / name))) - set(fields_of(SiteSettings)), name


def test_the_environment_is_read_in_one_place() -> None:
    """A name read elsewhere would have no row, no check and no default."""
    elsewhere = {
        f"{path.relative_to(ROOT)}: {name}"
        for app in APPS
        for path in (ROOT / app).rglob("*.py")
        for name in re.findall(r"environ(?:\.get)?[\[(]\s*[\"'](\w+)[\"']", text_of(path))
        if name not in {*fields_of(SiteSettings), *OF_THE_SYSTEM}
    }
    assert not elsewhere


def test_every_setting_and_key_says_what_it_is_for() -> None:
    for section in SECTIONS.values():
        of_keys = [kind for field in section.model_fields.values() if (kind := keys_of(field))]
        for declared in (section, *of_keys):
            assert all(meanings(declared).get(name) for name in fields_of(declared))


def test_the_page_of_settings_is_what_is_declared() -> None:
    assert text_of(PATH) == page(), f"Make it again: {COMMAND}"
    rows = re.findall(r"^\| `([A-Z_]+)` \|", text_of(PATH), re.MULTILINE)
    assert sorted(rows) == sorted(fields_of(SiteSettings))


def test_every_command_of_ours_is_documented() -> None:
    text = text_of(ROOT / "docs" / "commands.md")
    assert not [name for name in own_commands() if f"| `manage.py {name}" not in text]


def test_every_command_that_a_document_names_is_there() -> None:
    named = set(re.findall(r"manage\.py ([a-z_]+)", everything()))
    assert not named - set(get_commands())


def help_of(parser: ArgumentParser) -> str:
    """Return the help of a parser and of its subcommands."""
    choices = [action.choices for action in parser._actions if action.nargs == PARSER]
    below = [help_of(child) for children in choices for child in dict(children or {}).values()]
    return "\n".join([parser.format_help(), *below])


def test_every_option_that_a_document_names_is_there() -> None:
    for name, options in re.findall(r"manage\.py ([a-z_]+)([^`\n|]*)", everything()):
        named = set(re.findall(r"(?<!\w)(--[a-z][a-z-]+)", options))
        parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
        assert not {option for option in named if option not in help_of(parser)}, name


def test_make_targets_and_the_readme_are_the_same() -> None:
    targets = set(make_targets())
    assert targets >= {"help", "run", "test", "check", "bench", "clean"}
    named = set(re.findall(r"^\| `make ([a-z]+)` \|", text_of(README), re.MULTILINE))
    assert named == targets - {"help"}
    assert not set(re.findall(r"`make ([a-z]+)", everything())) - targets


def test_every_target_has_its_place_among_the_phony() -> None:
    phony = re.search(r"^\.PHONY: (.*)$", text_of(ROOT / "Makefile"), re.MULTILINE)
    assert phony is not None
    assert set(phony.group(1).split()) == set(make_targets())


def test_reason_codes_and_documents_are_the_same() -> None:
    readme = text_of(README)
    assert not [reason for reason in Reason.values if f"`{reason}`" not in readme]
    refused = readme.split("\n## What it refuses\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`[A-Z].*?) \| \S", refused, re.MULTILINE)
    rows = [code for cell in cells for code in re.findall(r"`([A-Z_]+)`", cell)]
    assert sorted(rows) == sorted(Reason.values)
    named = set(re.findall(r"`([A-Z]+_[A-Z_]+)`", refused))
    assert not {name for name in named if not name.startswith("MEDRAG_")} - set(Reason.values)
    assert set(ADVICE) == set(Reason)


def test_every_file_that_a_document_names_is_there() -> None:
    pattern = (
        r"`((?:corpus|retrieval|chat|medrag_site|samples|tests|docs|static|templates)/[\w./-]*)`"
    )
    for path in DOCUMENTS:
        for name in re.findall(pattern, text_of(path)):
            assert (ROOT / name).exists(), f"{path.name} names {name}"


def packages() -> list[Path]:
    """Return the packages of the apps and samples, without those that Django names."""
    files = [path for app in (*APPS, "samples") for path in (ROOT / app).rglob("*.py")]
    folders = {path.parent.relative_to(ROOT) for path in files}
    of_django = {"management", "migrations"}
    return sorted(ROOT / path for path in folders if not of_django & {*path.parts})


def test_every_package_says_what_is_in_it() -> None:
    silent = [
        path.relative_to(ROOT).as_posix()
        for path in packages()
        if not ast.get_docstring(ast.parse(text_of(path / "__init__.py")))
    ]
    assert not silent


def test_every_path_that_a_package_names_is_there() -> None:
    """A path begins at the top of the checkout or in the package."""
    for path in packages():
        said = ast.get_docstring(ast.parse(text_of(path / "__init__.py"))) or ""
        for name in re.findall(r"`([\w./-]+(?:\.(?:py|md|po|yaml)|/))`", said):
            assert (ROOT / name).exists() or (path / name).exists(), f"{path} names {name}"


def test_the_page_of_the_architecture_names_what_is_there() -> None:
    """Every app has its row; `management/commands/` and `templatetags/` are in several apps."""
    named = set(re.findall(r"`([a-z_]+/[\w./-]*)`", text_of(ROOT / "docs" / "architecture.md")))
    assert named >= {f"{app}/" for app in APPS}
    for name in named:
        assert (ROOT / name).exists() or any(ROOT.glob(f"*/{name}")), name


def test_every_module_that_a_document_names_is_there() -> None:
    pattern = r"`((?:corpus|retrieval|chat|medrag_site)\.[\w.]+)(?:\(\))?`"
    for path in DOCUMENTS:
        for dotted in re.findall(pattern, text_of(path)):
            assert exists(dotted), f"{path.name} names {dotted}"


def exists(dotted: str) -> bool:
    """Tell whether a module exists, or a name that one defines or spells out, such as a URL's."""
    module, _, name = dotted.rpartition(".")
    whole = ROOT.joinpath(*dotted.split("."))
    file = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    if whole.with_suffix(".py").is_file() or whole.is_dir():
        return True
    if file.is_file():
        return re.search(rf"\b{name}\b", text_of(file)) is not None
    return (ROOT / module.split(".")[0] / f"{name}.py").is_file() or any(
        re.search(rf"^(?:def|class) {name}\b", text_of(path), re.MULTILINE)
        for path in (ROOT / module.split(".")[0]).rglob("*.py")
    )


def test_every_link_leads_somewhere() -> None:
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)\s]+)\)", text_of(path)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            linked = (path.parent / name) if name else path
            assert linked.exists(), f"{path.name} links {target}"
            if anchor:
                headings = re.findall(r"^#+ (.*)$", text_of(linked), re.MULTILINE)
                anchors = {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}
                assert anchor in anchors, f"{path.name} links {target}"


def test_constants_that_documents_name_are_there() -> None:
    sources = "\n".join(text_of(path) for app in APPS for path in (ROOT / app).rglob("*.py"))
    for name in re.findall(r"`([A-Z]+_(?:REVISION|VERSION))`", everything()):
        assert re.search(rf"^{name}\b", sources, re.MULTILINE), name
