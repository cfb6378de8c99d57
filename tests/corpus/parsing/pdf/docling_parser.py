"""Run the parser's child with a stand-in for docling's models, which are not to be had here.

It finds a heading, a text and a header on each page of `leaflet`, as docling would.
"""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from docling_core.types.doc.base import BoundingBox, CoordOrigin, Size
from docling_core.types.doc.common.reference import ProvenanceItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.labels import DocItemLabel

from corpus.parsing.pdf import docling_models
from corpus.sandbox.child import main


def convert(path: Path, **options: Any) -> Any:
    made = DoclingDocument(name="leaflet")
    for number, title in enumerate(("1 Dose", "2 Monitoring"), start=1):
        made.add_page(page_no=number, size=Size(width=200, height=120))
        made.add_heading(title, prov=_at(number, 110, 96))
        text = "Give ten milligrams of the drug once daily."
        made.add_text(DocItemLabel.TEXT, text, prov=_at(number, 94, 82))
        table = "Weight Dose 50 kg 20 mg" if number == 1 else "Weight Dose"  # half of it is lost
        made.add_text(DocItemLabel.TEXT, table, prov=_at(number, 52, 18))
    return SimpleNamespace(
        document=made, status=SimpleNamespace(value="success"), confidence=SimpleNamespace(pages={})
    )


def _at(page: int, top: float, bottom: float) -> ProvenanceItem:
    box = BoundingBox(l=8, t=top, r=190, b=bottom, coord_origin=CoordOrigin.BOTTOMLEFT)
    return ProvenanceItem(page_no=page, bbox=box, charspan=(0, 1))


if __name__ == "__main__":
    docling_models._loaded = lambda request: SimpleNamespace(convert=convert)
    sys.exit(main())
