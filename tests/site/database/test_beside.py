"""Test further databases on a server: by name on the embedded one, created on one's own."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from psycopg import sql

from medrag_site.configuration.kinds import DatabaseName
from medrag_site.database import roles as databases
from medrag_site.database.postmaster import DatabaseStartError
from medrag_site.database.provisioning import LOCK, ensure_sibling
from tests.databases import superuser
from tests.declared import setting

NAME = "beside_test"


@pytest.fixture
def address(socket_dir: str) -> Iterator[str]:
    """Yield the address of a server, with `{role}` to fill in; drop the database afterwards."""
    yield f"postgresql://{{role}}@/postgres?host={socket_dir}"
    with superuser(socket_dir) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(NAME)))


def aliases(address: str, owner: str) -> dict[str, dict[str, object]]:
    of_app = address.format(role=databases.APPLICATION)
    return databases.external(of_app, address.format(role=owner), of_app, NAME)


def test_it_is_made_once_and_the_application_may_use_what_the_owner_makes(
    address: str, socket_dir: str
) -> None:
    for _ in range(2):
        ensure(address)
    assert_in_order(address, socket_dir)


def test_an_address_without_a_user_is_that_of_the_account(
    address: str, socket_dir: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGUSER", "postgres")
    of_app, owner = address.format(role=databases.APPLICATION), address.format(role="")
    ensure_sibling(databases.external(of_app, owner, of_app, NAME), owner)
    assert_in_order(address, socket_dir)


def ensure(address: str) -> None:
    ensure_sibling(aliases(address, "postgres"), address.format(role="postgres"))


def make_bare(socket_dir: str) -> None:
    """Leave the database as a process does that was killed right after CREATE DATABASE."""
    with superuser(socket_dir) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(NAME)))


def assert_in_order(address: str, socket_dir: str) -> None:
    """Check that the application may read and write the owner's tables, and create none."""
    with superuser(socket_dir, NAME) as owner:
        owner.execute("CREATE TABLE t (v vector(3), n serial)")
    with psycopg.connect(address.format(role=databases.APPLICATION), dbname=NAME) as app:
        app.execute("INSERT INTO t (v) VALUES ('[1,2,3]')")
        assert app.execute("SELECT count(*) FROM t").fetchone() == (1,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            app.execute("CREATE TABLE u (n int)")


def test_what_a_killed_process_left_out_is_made_up_for(address: str, socket_dir: str) -> None:
    make_bare(socket_dir)
    ensure(address)
    assert_in_order(address, socket_dir)


def test_nobody_goes_on_while_another_makes_it(address: str, socket_dir: str) -> None:
    key = [LOCK, NAME]
    with ThreadPoolExecutor(2) as pool, superuser(socket_dir) as other:
        other.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", key)
        make_bare(socket_dir)
        waiting = [pool.submit(ensure, address) for _ in range(2)]
        assert not wait(waiting, timeout=0.5).done
        other.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", key)
        for one in waiting:
            one.result(timeout=30)
    assert_in_order(address, socket_dir)


def test_many_may_start_at_once(address: str, socket_dir: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        for one in [pool.submit(ensure, address) for _ in range(6)]:
            one.result(timeout=30)
    assert_in_order(address, socket_dir)


def test_a_role_without_the_right_is_told_which(address: str, socket_dir: str) -> None:
    with pytest.raises(DatabaseStartError, match="CREATEDB"):
        ensure_sibling(aliases(address, databases.OWNER), address.format(role=databases.OWNER))
    with superuser(socket_dir) as connection:
        query = "SELECT 1 FROM pg_database WHERE datname = %s"
        assert connection.execute(query, [NAME]).fetchone() is None


def test_the_name_takes_the_place_of_the_addresses(address: str) -> None:
    assert {a["NAME"] for a in aliases(address, "postgres").values()} == {NAME}
    assert {a["NAME"] for a in databases.embedded("/s").values()} == {databases.NAME}
    assert {a["NAME"] for a in databases.embedded("/s", NAME).values()} == {NAME}


@pytest.mark.parametrize("name", ["Medrag", "a b", "1a", "a;b", 'a"', "ä", "a" * 64, "a-b"])
def test_a_name_that_would_have_to_be_quoted_stops_the_start(name: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="MEDRAG_DATABASE_NAME must be"):
        setting(DatabaseName, name, name="MEDRAG_DATABASE_NAME")


@pytest.mark.parametrize("name", ["", "evaluation_0a1b2c3d", "a" * 63])
def test_a_name_that_is_right(name: str) -> None:
    assert setting(DatabaseName, name, name="MEDRAG_DATABASE_NAME") == name
