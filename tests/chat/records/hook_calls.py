"""Call the site as a patient's record does by CDS Hooks: signed, each token once."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from django.test import Client
from django.utils import timezone
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

ISSUER = "https://record.example.org/"
AUDIENCE = "https://guidelines.example.org/cds-services"
PATH = "/cds-services"
EC, RSA = ec.generate_private_key(ec.SECP384R1()), rsa.generate_private_key(65537, 2048)
LOINC, RXNORM = "http://loinc.org", "http://www.nlm.nih.gov/research/umls/rxnorm"
NAME = "Featherstonehaugh"  # of the patient, and nowhere else


def settings_file(folder: Path, account: str) -> Path:
    """Write the file of settings and the caller's public keys."""
    keys = [
        ECAlgorithm.to_jwk(EC.public_key(), as_dict=True) | {"kid": "ec", "alg": "ES384"},
        RSAAlgorithm.to_jwk(RSA.public_key(), as_dict=True) | {"kid": "rsa"},
    ]
    (folder / "keys.json").write_text(json.dumps({"keys": keys}))
    path = folder / "hooks.toml"
    path.write_text(
        f'audience = "{AUDIENCE}"\naccount = "{account}"\n'
        f'[[caller]]\nissuer = "{ISSUER}"\nkeys = "{folder}/keys.json"\n'
    )
    return path


def claims(service: str, **other: Any) -> dict[str, Any]:
    now, address = int(time.time()), f"{AUDIENCE}/{service}" if service else AUDIENCE
    said = {"iss": ISSUER, "aud": address, "iat": now, "exp": now + 300, "jti": str(uuid.uuid4())}
    return {name: value for name, value in (said | other).items() if value is not None}


def signed(said: Mapping[str, Any], key: Any = EC, algorithm: str = "ES384", **header: Any) -> str:
    return jwt.encode(dict(said), key, algorithm, headers={"kid": "ec"} | header)


def send(client: Client, service: str, body: Any, *, token: str = "", end: str = "") -> Any:
    content = body if isinstance(body, str | bytes) else json.dumps(body)
    bearer = {"authorization": f"Bearer {token or signed(claims(service))}"}
    path = f"{PATH}/{service}{end}"
    return client.post(path, content, content_type="application/json", headers=bearer)


def cards(client: Client, service: str, body: Any) -> list[dict[str, Any]]:
    response = send(client, service, body)
    assert response.status_code == 200, response.content
    found: list[dict[str, Any]] = response.json()["cards"]
    return found


def call(hook: str, *medicines: str, **prefetch: Any) -> dict[str, Any]:
    """Return a call in which all medicines are selected, for a woman born on 1948-04-02."""
    drafts = [order(f"m{number}", name) for number, name in enumerate(medicines)]
    context: dict[str, Any] = {"userId": "Practitioner/7", "patientId": "p-4711"}
    if hook != "patient-view":
        context["draftOrders"] = bundle(*drafts)
    if hook == "order-select":
        context["selections"] = [f"MedicationRequest/{each['id']}" for each in drafts]
    given = {"patient": patient(), "conditions": None, "allergies": None}
    return {
        "hook": hook,
        "hookInstance": str(uuid.uuid4()),
        "fhirServer": "https://record.example.org/fhir",
        "context": context,
        "prefetch": given | prefetch,
    }


def patient(**other: Any) -> dict[str, Any]:
    name = [{"family": NAME, "given": ["Aurelia"]}]
    number = [{"system": "urn:hospital", "value": "MRN-90210"}]
    return {
        "resourceType": "Patient",
        "id": "p-4711",
        "identifier": number,
        "name": name,
        "gender": "female",
        "birthDate": "1948-04-02",
    } | other


def bundle(*resources: Any) -> dict[str, Any]:
    return {"resourceType": "Bundle", "entry": [{"resource": each} for each in resources]}


def concept(name: str, system: str = "", code: str = "") -> dict[str, Any]:
    return {"coding": [{"system": system, "code": code, "display": name}], "text": name}


def order(pk: str, name: str, **other: Any) -> dict[str, Any]:
    return {
        "resourceType": "MedicationRequest",
        "id": pk,
        "status": "draft",
        "subject": {"reference": "Patient/p-4711", "display": NAME},
        "medicationCodeableConcept": concept(name),
    } | other


def observed(code: str, value: float, unit: str, **other: Any) -> dict[str, Any]:
    return {
        "resourceType": "Observation",
        "status": "final",
        "code": {"coding": [{"system": LOINC, "code": code}]},
        "effectiveDateTime": f"{timezone.localdate()}T08:30:00+00:00",
        "valueQuantity": {"value": value, "unit": unit, "code": unit},
    } | other


def stated(kind: str, name: str, state: str = "active", **other: Any) -> dict[str, Any]:
    said = {"resourceType": kind, "clinicalStatus": concept("", "", state), "code": concept(name)}
    return said | {"subject": {"display": NAME}} | other
