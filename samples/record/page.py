"""The record's page: each patient with a launch, and an infobutton beside each medicine."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from html import escape
from urllib.parse import urlencode

from chat.records.resources import OBSERVED, subject_of
from samples.record.resources import Resource

_HEAD = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Ward record (demonstration)</title>
<style>
body { margin: 0; font: 16px/1.4 sans-serif; display: flex; flex-wrap: wrap; background: #eef1f4 }
main { flex: 1 1 17rem; padding: 0 1rem } h1 { font-size: 1.2rem } h2 { font-size: 1rem; margin: 0 }
section { background: #fff; padding: .7rem 1rem; margin-top: .7rem; border-radius: .4rem }
ul { padding-left: 1.2rem; margin: .4rem 0 } li { padding: .2rem 0 }
a { display: inline-block; padding: .2rem .7rem; border: 1px solid; border-radius: 1rem }
iframe { flex: 999 1 24rem; min-width: min(100%, 24rem); height: 100vh; border: 0 }
</style><main><h1>Ward record</h1>
<p>Patients who never lived. <b>i</b> asks about a medicine, <b>Launch</b> opens with the patient.
"""
_FRAME = '</main><iframe name="guidelines" title="Guidelines"></iframe>'


def page(patients: Mapping[str, list[Resource]], *, site: str, issuer: str) -> str:
    """Return the page of patients, by the handles of their launches; its links open its frame."""
    parts, task = [_HEAD], {"taskContext.c.c": "MLREV"}
    for handle, (person, *others) in patients.items():
        parts.append(f'<section id="{handle}"><h2>{escape(person["name"][0]["text"])}</h2><ul>')
        bundle = {"entry": [{"resource": each} for each in others]}
        read = dict.fromkeys(OBSERVED, bundle) | {"patient": person}
        known = subject_of(read, lambda system, code: "", date.today()).parameters
        for each in others:
            if each["resourceType"] == "MedicationRequest":
                name = each["medicationCodeableConcept"]["text"]
                asked = urlencode({"mainSearchCriteria.v.dn": name, **task, **known})
                parts.append(f"<li>{escape(name)} {_link(f'{site}/infobutton?{asked}', 'i')}</li>")
        launch = urlencode({"iss": issuer, "launch": handle})
        parts.append(f"</ul>{_link(f'{site}/launch?{launch}', 'Launch')}</section>")
    return "".join([*parts, _FRAME])


def _link(address: str, text: str) -> str:
    return f'<a href="{escape(address)}" target="guidelines">{text}</a>'
