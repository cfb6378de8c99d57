"""Test tokens of a provider whose clock is off, and those that don't tell the groups."""

import time
from typing import Any

import jwt
import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from medrag_site.groups import CLINICIANS, REVIEWERS
from tests.chat.sign_in.hospital import failures, is_in, names_of, sign_in
from tests.chat.sign_in.provider import Provider


@pytest.mark.parametrize("claim", ["iat", "nbf"])
@pytest.mark.parametrize("ahead_s", [2, 50])
def test_a_clock_that_is_a_little_ahead_lets_in(
    hospital: Provider, client: Client, claim: str, ahead_s: int
) -> None:
    hospital.wrong = {claim: int(time.time()) + ahead_s}
    assert sign_in(hospital, client).status_code == 302
    assert is_in(client)


OFF: dict[str, dict[str, int]] = {
    "ahead": {"iat": 600},
    "ahead, by when it begins": {"nbf": 600},
    "behind": {"iat": -600, "exp": -300},
}


@pytest.mark.parametrize("off", OFF.values(), ids=OFF)
def test_clocks_that_differ_are_told_with_both_times(
    hospital: Provider, client: Client, off: dict[str, int], caplog: pytest.LogCaptureFixture
) -> None:
    now = int(time.time())
    hospital.wrong = {name: now + by_s for name, by_s in off.items()}
    refused = sign_in(hospital, client)
    assert refused.status_code == 503
    page = refused.content.decode()
    there = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(now + next(iter(off.values()))))
    assert "differ by 10 minutes" in page and f"there {there}" in page
    assert "try again in a minute" not in page
    assert "the clocks differ by 10 min" in caplog.text
    assert [one["reason"] for one in failures()] == ["clocks differ"]
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("named", "status"), [({}, 302), ({"alg": "RS512"}, 503), ({"use": "enc"}, 503)]
)
def test_the_key_says_by_which_algorithm_it_verifies(
    hospital: Provider, client: Client, named: dict[str, str], status: int
) -> None:
    public = jwt.algorithms.RSAAlgorithm.to_jwk(hospital.published.public_key(), as_dict=True)
    hospital.keys = [{**public, "kid": "1", **named}]  # the token says RS256
    assert sign_in(hospital, client).status_code == status
    assert is_in(client) is (status == 302)


UNTOLD: dict[str, dict[str, Any]] = {
    "no claim": {},
    "too many, by Entra": {
        "_claim_names": {"groups": "src1"},
        "_claim_sources": {"src1": {"endpoint": "https://graph.example/groups"}},
    },
    "too many, by Entra's flag": {"hasgroups": True},
}


@pytest.mark.parametrize("claims", UNTOLD.values(), ids=UNTOLD)
def test_groups_that_are_not_told_stay_and_it_is_said(
    hospital: Provider, client: Client, claims: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    sign_in(hospital, Client())
    account = User.objects.get()
    account.groups.add(Group.objects.get(name=REVIEWERS))
    hospital.wrong = {"groups": None, **claims}
    assert sign_in(hospital, client).status_code == 302
    assert names_of(account) == {CLINICIANS, REVIEWERS}
    assert "did not say in which groups you are" in client.get("/conversations/").content.decode()
    assert "did not say" not in client.get("/conversations/").content.decode(), "once"
    assert f"Groups of user:{account.pk} stay" in caplog.text
    hospital.wrong = {"groups": []}
    assert sign_in(hospital, Client()).status_code == 403
    assert names_of(account) == {REVIEWERS}, "an empty list takes them"


def test_who_is_new_and_whose_groups_are_not_told_stays_out(
    hospital: Provider, client: Client
) -> None:
    hospital.wrong = {"groups": None, "hasgroups": True}
    refused = sign_in(hospital, client)
    assert (refused.status_code, is_in(client)) == (403, False)
    assert b"did not say in which groups you are" in refused.content
    assert not User.objects.exists()
    assert [one["reason"] for one in failures()] == ["groups not told"]
