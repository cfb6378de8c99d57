"""Test that a replay is logged as an event of its own, and not as an answer."""

from chat.ask import turn_ask
from chat.audit.verify import verify_chain
from chat.models import Channel
from chat.replays.replay import turn_replay
from chat.types import AskedQuestion
from tests.corpora import publish


def test_a_replay_leaves_the_log_whole(own_database: str) -> None:
    publish("# Pneumonia\n## Treatment\nGive demonstracillin 500 mg by mouth every 8 hours.")
    turn = turn_ask(
        AskedQuestion("What is the dose of demonstracillin?", user=None, channel=Channel.COMMAND)
    )
    before = verify_chain()
    assert not turn_replay(turn).changed
    after = verify_chain()
    assert before.ok and after.ok
    assert after.rows == before.rows + 1
