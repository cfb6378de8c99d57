"""The hospital's directory, as Entra ID and Okta speak SCIM 2.0."""

import json
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from chat.models import AuditEvent
from medrag_site.groups import AUDITORS, CLINICIANS

TOKEN = "token-of-the-directory-7"
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
PATCH = {"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"]}
GROUPS = {"gl-doctors": CLINICIANS, "gl-wards": CLINICIANS, "gl-audit": AUDITORS, "gone": "Gone"}

ENTRA = {
    "schemas": [USER, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
    "externalId": "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
    "userName": "ada@hospital.example",
    "active": True,
    "emails": [{"primary": True, "type": "work", "value": "ada@hospital.example"}],
    "meta": {"resourceType": "User"},
    "name": {"formatted": "Ada Lovelace", "familyName": "Lovelace", "givenName": "Ada"},
    "title": "Consultant",
    "roles": [],
}
OKTA = {
    "schemas": [USER],
    "userName": "ada@hospital.example",
    "name": {"givenName": "Ada", "familyName": "Lovelace"},
    "emails": [{"primary": True, "value": "ada@hospital.example", "type": "work"}],
    "displayName": "Ada Lovelace",
    "locale": "en-US",
    "externalId": "00ujl29u0le5T6Aj10h7",
    "groups": [],
    "password": "1mz050nq",
    "active": True,
}


class Directory(Client):
    """The directory's provisioning service."""

    def __init__(self, token: str = TOKEN, **more: Any) -> None:
        super().__init__(
            SERVER_NAME="localhost",
            enforce_csrf_checks=True,
            raise_request_exception=False,
            headers={"authorization": f"Bearer {token}"},
            **more,
        )

    def send(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        raw = b"" if body is None else json.dumps(body).encode()
        answer = self.generic(method, f"/scim/v2/{path}", raw, "application/scim+json")
        assert not answer.cookies
        if not answer.content:
            return answer.status_code, None
        assert answer["Content-Type"] == "application/scim+json", answer.content
        told = answer.json()
        if answer.status_code >= 400:
            assert (told["schemas"], told["status"]) == ([ERROR], str(answer.status_code))
            assert told["detail"]
        return answer.status_code, told

    def find(self, path: str, asked: str, **more: Any) -> dict[str, Any]:
        answer = self.get(f"/scim/v2/{path}", {"filter": asked, **more})
        assert answer.status_code == 200, answer.content
        told: dict[str, Any] = answer.json()
        return told

    def patch_with(self, path: str, *operations: dict[str, Any]) -> tuple[int, Any]:
        return self.send("PATCH", path, PATCH | {"Operations": list(operations)})

    def group(self, name: str) -> str:
        (found,) = self.find("Groups", f'displayName eq "{name}"')["Resources"]
        return f"Groups/{found['id']}"


def events(*actions: str) -> list[dict[str, Any]]:
    found = AuditEvent.objects.filter(action__in=actions).order_by("seq")
    return [json.loads(event.payload) for event in found]


def names_of(account: User) -> set[str]:
    return set(account.groups.values_list("name", flat=True))


def is_in(client: Client) -> bool:
    return client.get("/conversations/").status_code == 200


def member(pk: int) -> list[dict[str, Any]]:
    return [{"value": str(pk), "$ref": None, "display": "x"}]


Step = Callable[[int], dict[str, Any]]
MEMBERS: dict[str, tuple[Step, Step]] = {
    "Entra": (
        lambda pk: {"op": "Add", "path": "members", "value": member(pk)},
        lambda pk: {"op": "Remove", "path": "members", "value": member(pk)},
    ),
    "Okta": (
        lambda pk: {"op": "add", "path": "members", "value": member(pk)},
        lambda pk: {"op": "remove", "path": f'members[value eq "{pk}"]'},
    ),
    "without a path": (
        lambda pk: {"op": "add", "value": {"members": member(pk)}},
        lambda pk: {"op": "remove", "value": {"members": member(pk)}},
    ),
    "the whole list": (
        lambda pk: {"op": "replace", "path": "members", "value": member(pk)},
        lambda pk: {"op": "replace", "path": "members", "value": []},
    ),
    "all": (
        lambda pk: {"op": "Add", "path": "members", "value": member(pk)},
        lambda pk: {"op": "remove", "path": "members"},
    ),
}
