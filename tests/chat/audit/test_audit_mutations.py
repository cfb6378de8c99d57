"""Test that every one of hundreds of random single changes to a signed chain is found."""

import random
from collections.abc import Callable

from chat.audit.heads import sign_head
from chat.audit.verify import verify_chain
from tests.chat.audit.audit_tools import record_events, rewrite_from, tampered

ROWS, MUTATIONS = 30, 400
COLUMNS = ("actor", "action", "subject", "payload")


def test_every_random_mutation_is_found(
    own_database: str, record_property: Callable[[str, object], None]
) -> None:
    record_events(ROWS - 1)  # the last row records the signing
    sign_head()
    chance = random.Random(11)
    missed = []
    for _ in range(MUTATIONS):
        statement = chance.choice(MAKERS)(chance)
        if not _is_found(statement):
            missed.append(statement)
    record_property("changes", MUTATIONS)
    assert missed == []
    assert verify_chain().ok


def _is_found(statement: str) -> bool:
    with tampered(statement):
        return not verify_chain(using="owner").ok


def _edit(chance: random.Random) -> str:
    column, seq = chance.choice(COLUMNS), chance.randint(1, ROWS)
    place = chance.randint(0, 4)
    change = f"overlay({column} placing '{chance.choice('~Zé')}' from {place + 1} for 1)"
    return f"UPDATE chat_auditevent SET {column} = {change} WHERE seq = {seq}"


def _bit(chance: random.Random) -> str:
    column, seq = chance.choice(("hash", "prev_hash")), chance.randint(1, ROWS)
    bit = chance.randrange(256)
    flip = f"set_bit({column}, {bit}, 1 - get_bit({column}, {bit}))"
    return f"UPDATE chat_auditevent SET {column} = {flip} WHERE seq = {seq}"


def _time(chance: random.Random) -> str:
    shift = chance.choice(("1 us", "-1 us", "1 hour", "-1 year"))
    seq = chance.randint(1, ROWS)
    return f"UPDATE chat_auditevent SET at = at + interval '{shift}' WHERE seq = {seq}"


def _delete(chance: random.Random) -> str:
    return f"DELETE FROM chat_auditevent WHERE seq = {chance.randint(1, ROWS)}"


def _renumber(chance: random.Random) -> str:
    seq, new = chance.randint(1, ROWS), chance.randint(ROWS + 1, ROWS + 5)
    return f"UPDATE chat_auditevent SET seq = {new} WHERE seq = {seq}"


def _swap(chance: random.Random) -> str:
    first, second = chance.sample(range(1, ROWS + 1), 2)
    return f"""
        UPDATE chat_auditevent SET seq = 1000 WHERE seq = {first};
        UPDATE chat_auditevent SET seq = {first} WHERE seq = {second};
        UPDATE chat_auditevent SET seq = {second} WHERE seq = 1000
    """


def _insert(chance: random.Random) -> str:
    return f"""
        INSERT INTO chat_auditevent
        SELECT {chance.choice((0, ROWS + 1))}, at, actor, action, subject, payload,
            sha256(prev_hash), sha256(hash)
        FROM chat_auditevent WHERE seq = {chance.randint(1, ROWS)}
    """


def _cut(chance: random.Random) -> str:
    last = chance.randint(1, ROWS - 1)
    return f"""
        DELETE FROM chat_auditevent WHERE seq > {last};
        UPDATE chat_audithead SET seq = {last},
            hash = (SELECT hash FROM chat_auditevent WHERE seq = {last})
    """


def _rewrite(chance: random.Random) -> str:
    return rewrite_from(chance.randint(1, ROWS))


MAKERS: list[Callable[[random.Random], str]] = [
    _edit, _bit, _time, _delete, _renumber, _swap, _insert, _cut, _rewrite,
]  # fmt: skip
