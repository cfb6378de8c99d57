"""Other names of one thing, British or international and American, written for this project.

Each counts in both directions. Frozen: staff edit the table. Spellings are rules
(`retrieval.lexicon.spellings`); here stands what no rule may touch. A name that is something else as well
is left out (thyroxine, calciferol, hyoscine), and one with a single letter, which is a unit, too.
"""

NAMES = """
acetylsalicylic acid = aspirin
adrenaline = epinephrine
aciclovir = acyclovir
alimemazine = trimeprazine
amethocaine = tetracaine
amfetamine = amphetamine
amoxycillin = amoxicillin
beclometasone = beclomethasone
bendrofluazide = bendroflumethiazide
benzhexol = trihexyphenidyl
cefalexin = cephalexin
cefazolin = cephazolin
chlorphenamine = chlorpheniramine
ciclosporin = cyclosporin
colestyramine = cholestyramine
co-amoxiclav = amoxicillin clavulanate
co-trimoxazole = trimethoprim sulfamethoxazole
cromoglicate = cromolyn
cyclosporine = ciclosporin
dexamfetamine = dextroamphetamine
desferrioxamine = deferoxamine
dicycloverine = dicyclomine
dosulepin = dothiepin
ergometrine = ergonovine
flupentixol = flupenthixol
frusemide = furosemide
glibenclamide = glyburide
glyceryl trinitrate = nitroglycerin
hydroxycarbamide = hydroxyurea
indometacin = indomethacin
isoprenaline = isoproterenol
lignocaine = lidocaine
mercaptamine = cysteamine
mesalazine = mesalamine
metamizole = dipyrone
methenamine = hexamine
meticillin = methicillin
mitoxantrone = mitozantrone
moxisylyte = thymoxamine
noradrenaline = norepinephrine
orciprenaline = metaproterenol
paracetamol = acetaminophen
pethidine = meperidine
phenobarbitone = phenobarbital
phytomenadione = phytonadione
rifampicin = rifampin
salbutamol = albuterol
suxamethonium = succinylcholine
tetracosactide = cosyntropin
thiopentone = thiopental
torasemide = torsemide
tribavirin = ribavirin
ursodeoxycholic acid = ursodiol
gastro oesophageal = gastroesophageal
grey matter = gray matter
full blood count = complete blood count
"""


def rows() -> list[dict[str, str]]:
    """Every entry as the fields of the model."""
    return [
        {"short": short, "words": words, "match": "any", "kind": "name"}
        for short, words in (line.split(" = ") for line in NAMES.strip().splitlines())
    ]
