"""Brand names and what wards call medicines, written for this project. Staff edit the table.

One form, one sense, as before: what is short for two things (levo, dex, ket, pred, RR, INH) is left out.
"""

from core.language.en.medicines.brands import BRANDS

# Of one state, in both directions.
NAMES = """
febrile neutropenia = neutropenic sepsis
"""

# What is written in notes and on boards; each is no other word.
SHORT = """
amox = amoxicillin
azithro = azithromycin
benpen = benzylpenicillin
ben pen = benzylpenicillin
penicillin G = benzylpenicillin
pen V = phenoxymethylpenicillin
penicillin V = phenoxymethylpenicillin
ceftaz = ceftazidime
cipro = ciprofloxacin
clari = clarithromycin
clarithro = clarithromycin
clinda = clindamycin
cotrim = co-trimoxazole
septrin = co-trimoxazole
cotrimoxazole = co-trimoxazole
coamoxiclav = co-amoxiclav
diclo = diclofenac
doxy = doxycycline
enox = enoxaparin
ery = erythromycin
erythro = erythromycin
fluclox = flucloxacillin
furo = furosemide
hydrocort = hydrocortisone
keta = ketamine
levetir = levetiracetam
lido = lidocaine
loraz = lorazepam
mero = meropenem
metro = metronidazole
metoclop = metoclopramide
midaz = midazolam
mag sulph = magnesium sulfate
mag sulf = magnesium sulfate
MgSO4 = magnesium sulfate
mycophen = mycophenolate
nitrofur = nitrofurantoin
ondans = ondansetron
piptaz = piperacillin tazobactam
salb = salbutamol
sux = suxamethonium
teic = teicoplanin
trimeth = trimethoprim
chorio = chorioamnionitis
sats = oxygen saturation
resp rate = respiratory rate
tachy = tachycardia
brady = bradycardia
prem = preterm
neuts = neutrophils
bloods = blood tests
"""

# Found exactly as written.
CAPITALS = """
BVM = bag valve mask
ESKD = end stage kidney disease
HBIG = hepatitis B immunoglobulin
HELLP = haemolysis elevated liver enzymes low platelets
HFNC = high flow nasal cannula
HTLV = human T lymphotropic virus
IBW = ideal body weight
IVI = intravenous infusion
LSCS = caesarean section
MHP = major haemorrhage protocol
MTCT = mother to child transmission
PMTCT = prevention of mother to child transmission
NKDA = no known drug allergies
NSVT = non sustained ventricular tachycardia
OPAT = outpatient parenteral antimicrobial therapy
PJP = pneumocystis pneumonia
POCT = point of care testing
PUL = pregnancy of unknown location
PRBC = packed red blood cells
SROM = spontaneous rupture of membranes
THR = total hip replacement
TKR = total knee replacement
TLD = tenofovir lamivudine dolutegravir
TPT = tuberculosis preventive therapy
TWOC = trial without catheter
VKA = vitamin K antagonist
XDR = extensively drug resistant
"""


def rows() -> list[dict[str, str]]:
    """Every entry as the fields of the model."""
    parts = (
        (NAMES, "any", "name"),
        (SHORT, "any", "abbreviation"),
        (CAPITALS, "capitals", "abbreviation"),
    )
    brands = [
        {"short": brand, "words": words, "match": "any", "kind": "lay"}
        for brand, words in BRANDS.items()
    ]
    return brands + [
        {"short": short, "words": words, "match": match, "kind": kind}
        for text, match, kind in parts
        for short, words in (line.split(" = ") for line in text.strip().splitlines())
    ]
