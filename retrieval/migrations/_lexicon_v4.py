"""What wards write in a hurry, written for this project. Staff edit the table.

One form, one sense: what is short for two things (cef, nitro, TTO) is left out.
"""

from core.language.en.medicines.brands import BRANDS

SHORT = """
bicarb = bicarbonate
coamox = co-amoxiclav
FRIII = fixed rate intravenous insulin infusion
VRIII = variable rate intravenous insulin infusion
hyperK = hyperkalaemia
hypoK = hypokalaemia
IPC = intermittent pneumatic compression
nec fasc = necrotising fasciitis
neb = nebuliser
nebs = nebuliser
obs = observations
plts = platelets
pyelo = pyelonephritis
TED stockings = anti-embolism stockings
TEDs = anti-embolism stockings
"""

# Found exactly as written.
CAPITALS = """
BM = blood glucose
BMs = blood glucose
HD = haemodialysis
"""


def rows() -> list[dict[str, str]]:
    """Every entry as the fields of the model, with the brands that were added since."""
    brands = [
        {"short": brand, "words": words, "match": "any", "kind": "lay"}
        for brand, words in BRANDS.items()
    ]
    return brands + [
        {"short": short, "words": words, "match": match, "kind": "abbreviation"}
        for text, match in ((SHORT, "any"), (CAPITALS, "capitals"))
        for short, words in (line.split(" = ") for line in text.strip().splitlines())
    ]
