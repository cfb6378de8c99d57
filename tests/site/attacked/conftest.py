"""Fixtures of an attacked site."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from medrag_site.database.postmaster import living
from tests.processes import family_of
from tests.site.attacked.live_site import DISK_BYTES, Site
from tests.site.test_demo import few_samples, free_port


@pytest.fixture
def folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    """Make a folder for one site; for the parameter "a small disk", on a tmpfs of its own."""
    made = Path(tempfile.mkdtemp(prefix="medrag-", dir="/tmp"))
    is_disk = getattr(request, "param", "") == "a small disk"
    if is_disk:
        options = f"size={DISK_BYTES},mode=0755"
        mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(made)]
        mounted = subprocess.run(mount, capture_output=True, text=True)
        if mounted.returncode:
            made.rmdir()
            pytest.skip(f"no tmpfs can be mounted here: {mounted.stderr.strip()}")
    made.chmod(0o755)
    yield made
    if is_disk:
        subprocess.run(["umount", "--lazy", str(made)], check=True)
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def site(folder: Path) -> Iterator[Site]:
    made = Site(folder, free_port())
    yield made
    family = family_of(made.process.pid) if made.process else []
    for process in [*family, *filter(None, [living(made.pgdata)])]:
        process.kill()
    psutil.wait_procs(family, timeout=10)
    made.log.unlink(missing_ok=True)


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make the data folder of a demonstration with few samples, once."""
    manifest = few_samples(tmp_path_factory.mktemp("samples") / "few")
    folder = Path(tempfile.mkdtemp(prefix="medrag-", dir="/tmp"))
    few = {
        "MEDRAG_TEST_SAMPLES": str(manifest),
        "DJANGO_SETTINGS_MODULE": "tests.site.few_samples_settings",
    }
    Site(folder, free_port(), settings=few).manage("demo", "--no-serve")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def few(site: Site, demonstration: Path) -> Site:
    """Return a site that is not started yet, with the documents of a demonstration."""
    subprocess.run(["cp", "-a", f"{demonstration}/.", str(site.folder)], check=True)
    return site
