"""Find medicines in a text. Pure.

By the stems for classes in the World Health Organization's list of International Nonproprietary
Names, a short list of common medicines without such a stem, and published names (`published`).
Brands give their ingredients.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from core.language.en.medicines.brands import BRANDS
from core.language.en.medicines.forms import FORM
from core.language.en.medicines.published import published
from core.language.words import distinct

_STEMS = """
cillin mycin micin kacin floxacin cycline azole prazole nidazole penem bactam fungin conazole pril
prilat sartan olol alol dilol clidinium statin dipine fibrate gliptin gliflozin glutide glitazone
glinide formin parin xaban gatran grel grelor teplase plase mab tinib ciclib limus platin rubicin
taxel bicin tidine prazan setron triptan gepant lukast terol tropium phylline profen coxib oxicam
fenac dronate dronic thiazide semide tizide vaptan azosin asteride afil oxetine traline ipramine
triptyline azepam azolam zolam barbital peridol peridone azine apine piprazole caine curium curonium
flurane fentanil morphone codone nalox naltrexone stigmine tropine sone solone onide nisone
thyroxine gestrel estradiol progesterone testosterone vir vudine citabine trexate trexed parib zomib
lidomide mustine sulfan quine vaquone nacin verine bendazole mectin quantel racetam gabalin
gabatrine toin suximide bamate caserin melteon dopa capone giline ergoline triptyl setine azoline
nidine ergometrine prost prostol tocin relin relix pressin actide calcet calcitol calciferol dazole
""".split()
_ENDINGS = tuple(sorted(set(_STEMS)))
_BEFORE_ENDING = 2  # letters at least
_BETWEEN_TWO = (" ", "-", "\N{HYPHEN}", "\N{NO-BREAK SPACE}")  # words of one name
_LEAST_OF_A_NAME = 3  # letters
_LETTERS = re.compile(r"\b[a-z]+\d{0,2}\b", re.IGNORECASE)
_BEGINNING = re.compile(
    r"cef[a-z]{4,}|cephal(?:exin|othin|oridine)|sul(?:f|ph)a(?!t)[a-z]{4,}|predn[a-z]{4,}"
)
# Words with such an ending that are no medicine, as far as medical text holds them.
_NO_DRUG = re.compile(
    r"april|\w*cholesterol|\w*sterol|(?:cy|myo|somato)statin|ectropium|(?:his|cy)tidine|cocaine|hurricane"
    r"|benzodiazepine|phenothiazine|thiazine|(?:tri|imid|pyr)azole|\w*aminoimidazole|azole"
    r"|adenovir|reservoir|elixir|triumvir|sulfanyl\w*|carbapenem|ghrelin"
    r"|guanidine|\w*benzylguanidine|pseudothalidomide",
    re.IGNORECASE,
)
_NAMED = """
abatacept acamprosate acarbose acetaminophen acetazolamide acetylcysteine activated-charcoal
acyclovir adenosine adrenaline agomelatine albumin albuterol alendronate alfacalcidol alfuzosin
aliskiren allopurinol alprostadil amantadine amiloride aminophylline amiodarone amisulpride
amphetamine amphotericin anastrozole apomorphine apremilast aprepitant argatroban artemether
artesunate ascorbic-acid asparaginase aspirin atropine azathioprine azelastine aztreonam baclofen
balsalazide bempedoic-acid benserazide betahistine bethanechol bicalutamide biperiden bisacodyl
bismuth bivalirudin bleomycin bosentan botulinum brinzolamide bromocriptine bumetanide buprenorphine
bupropion buspirone busulfan caffeine calcitonin calcitriol calcium-acetate calcium-carbonate
calcium-chloride calcium-gluconate calcium-resonium cannabidiol carbamazepine carbimazole
carbocisteine carboprost cetirizine chloral-hydrate chlorambucil chloramphenicol chlordiazepoxide
chlorhexidine chlorphenamine chlorpropamide chlortalidone chlorthalidone cholestyramine ciclosporin
cilostazol cinnarizine cisplatin citalopram cladribine clarithromycin clavulanate clavulanic-acid
clemastine clobazam clobetasol clomiphene clonidine clopidogrel clozapine co-amilofruse co-amilozide
co-amoxiclav co-beneldopa co-careldopa co-codamol co-codaprin co-cyprindiol co-danthramer
co-danthrusate co-dydramol co-fluampicil co-flumactone co-magaldrox co-phenotrope co-simalcite
co-tenidone co-triamterzide co-trimoxazole co-zidocapt cobicistat codeine colchicine colesevelam
colestyramine colistin cyclizine cyclophosphamide cyclosporine cyproheptadine cyproterone cytarabine
dabigatran dabrafenib dalbavancin danaparoid danazol dantrolene dapsone darbepoetin deferasirox
deferiprone desferrioxamine desloratadine desmopressin dexamfetamine dexmedetomidine dexrazoxane
dextrose diamorphine diazoxide diclofenac dicobalt-edetate dicyclomine dienogest digoxin
dihydrocodeine diltiazem dimenhydrinate dimercaprol dimetindene dinoprostone diphenhydramine
diphenoxylate dipyridamole disopyramide disulfiram dobutamine docusate domperidone donepezil
dopamine dornase dorzolamide dosulepin doxapram doxepin doxylamine dronedarone droperidol edoxaban
edrophonium efavirenz eltrombopag emedastine enfuvirtide enoximone entacapone ephedrine epinastine
epinephrine eplerenone epoetin epoprostenol eptifibatide erdosteine ergometrine ergotamine eribulin
erythropoietin escitalopram esketamine eslicarbazepine esmolol estradiol estriol etanercept
ethambutol etomidate etoposide etravirine exemestane exenatide ezetimibe febuxostat fentanyl
ferric-carboxymaltose ferric-derisomaltose ferrous-fumarate ferrous-gluconate ferrous-sulfate
ferrous-sulphate fexofenadine filgrastim fingolimod flavoxate flecainide flucytosine fludarabine
flumazenil fluocinolone fluorouracil flupentixol flutamide fluvoxamine folic-acid folinic fomepizole
fondaparinux fosaprepitant foscarnet fosfomycin fulvestrant furosemide fusidic gabapentin
galantamine gefitinib gemfibrozil gentamicin glatiramer glibenclamide gliclazide glimepiride
glipizide glucagon glyceryl glycopyrronium griseofulvin guaifenesin guanfacine heparin hydralazine
hydroxocobalamin hydroxycarbamide hydroxychloroquine hydroxyurea hydroxyzine hyoscine ibuprofen
icatibant ifosfamide imatinib imiquimod immunoglobulin indapamide indometacin indomethacin indoramin
insulin interferon irinotecan iron-dextran iron-isomaltoside iron-sucrose isocarboxazid isoniazid
isoprenaline isosorbide isotretinoin ispaghula ivabradine ivacaftor ketamine ketorolac ketotifen
lacosamide lactulose lamotrigine lanreotide leflunomide letrozole leucovorin levetiracetam
levocetirizine levodopa levosimendan linezolid liothyronine lisdexamfetamine lithium lofepramine
lofexidine loperamide loratadine lorazepam lurasidone macitentan macrogol magnesium-chloride
magnesium-sulfate mannitol maraviroc mebendazole mebeverine mefenamic-acid mefloquine megestrol
melatonin melperone melphalan memantine menadiol mepacrine meptazinol mercaptamine mercaptopurine
mesalazine mesna metamizole metaraminol metformin methadone methimazole methotrexate methyldopa
methylene-blue methylphenidate metoclopramide metolazone mexiletine mianserin midodrine mifepristone
milnacipran milrinone minoxidil mirabegron mirtazapine misoprostol mitotane mitoxantrone mizolastine
moclobemide modafinil morphine mupirocin mycophenolate nabilone naftidrofuryl nalbuphine nalmefene
naloxegol naloxone naltrexone naproxen nefopam nelarabine neostigmine niclosamide nicorandil
nicotine nicotinic-acid nintedanib nitisinone nitrofurantoin nitroglycerin nitroprusside
noradrenaline norepinephrine norethisterone nystatin obeticholic-acid octreotide ofloxacin
olanzapine ondansetron orlistat orphenadrine oseltamivir oxcarbazepine oxybutynin oxycodone oxytocin
pamidronate pancreatin pancuronium papaveretum paracetamol paraldehyde pasireotide pazopanib
pegfilgrastim peginterferon penicillamine penicillin pentamidine pentazocine pentoxifylline
perampanel permethrin pethidine phenelzine phenobarbital phenobarbitone phenoxybenzamine
phenprocoumon phentermine phentolamine phenylephrine phenytoin pholcodine phytomenadione
phytonadione pilocarpine pimozide pirfenidone piritramide pivmecillinam pizotifen plerixafor
polymyxin potassium-chloride potassium-phosphate pralidoxime pramipexole prednisolone primidone
probenecid procainamide procyclidine progesterone proguanil promethazine propafenone propantheline
propofol propylthiouracil protamine prothrombin-complex prucalopride pseudoephedrine pyrazinamide
pyridoxine pyrimethamine quetiapine quinagolide quinine racecadotril raloxifene ranolazine
rasburicase regorafenib remifentanil ribavirin rifabutin rifampicin rifampin rifapentine rifaximin
rilpivirine riluzole riociguat risperidone roflumilast romiplostim ropinirole rotigotine rufinamide
sacubitril safinamide salbutamol sapropterin selegiline senna sertraline sevelamer sildenafil
simeticone sodium-bicarbonate sodium-phosphate sodium-zirconium-cyclosilicate somatropin sorafenib
sotalol spironolactone stiripentol streptokinase strontium-ranelate succinylcholine sucralfate
sugammadex sulfadiazine sulfasalazine sulindac sulpiride suxamethonium tamoxifen tamsulosin
tapentadol teicoplanin temozolomide terbinafine terbutaline teriflunomide teriparatide terlipressin
testosterone tetrabenazine thalidomide theophylline thiamine thiopental tiagabine tigecycline
tilidine tioguanine tiotropium tirofiban tolbutamide tolterodine topiramate topotecan trabectedin
tramadol tranexamic-acid tranylcypromine trazodone treprostinil tretinoin triamcinolone
trihexyphenidyl trimetazidine trimethoprim tropicamide trospium ulipristal urapidil urea-cream
ursodeoxycholic valproate valproic varenicline vasopressin vemurafenib venlafaxine verapamil
vigabatrin vinblastine vincristine vinorelbine warfarin zidovudine ziprasidone zolpidem zonisamide
zopiclone zuclopenthixol
""".split()
SINGLE_NAMES = frozenset(name for name in _NAMED if "-" not in name)
_SEVERAL = re.compile(
    r"\b(?:{})\b".format(
        "|".join(name.replace("-", r"[-\s]") for name in sorted(_NAMED) if "-" in name)
    ),
    re.IGNORECASE,
)

_VITAMIN_K = re.compile(
    r"\bvit(?:amin)?[-\s]?K1?\b(?![-\s]*(?:antagonist|deficien|dependent))", re.IGNORECASE
)

# Kinds of medicines, which their members are not: bisoprolol is narrower than beta-blockers.
_CLASSES = re.compile(
    r"\b(?:beta[- ]?blockers?|ace[- ]inhibitors?|angiotensin[- ]receptor[- ]blockers?|statins?"
    r"|calcium[- ]channel[- ]blockers?|penicillins|cephalosporins?|macrolides?|quinolones?"
    r"|fluoroquinolones?|tetracyclines|aminoglycosides?|carbapenems?|glycopeptides?|opioids?"
    r"|opiates?|benzodiazepines?|nsaids?|corticosteroids?|steroids?|diuretics?|antihistamines?"
    r"|antifungals?|antivirals?|anticoagulants?|antiplatelets?|antidepressants?|antipsychotics?"
    r"|antiepileptics?|anticonvulsants?|antiemetics?|antacids?|laxatives?|sul(?:f|ph)onylureas?"
    r"|heparins|insulins|nitrates|bisphosphonates?|bronchodilators?|ssris?|snris?|doacs?|noacs?"
    r"|proton[- ]pump[- ]inhibitors?|ppis?|sglt-?2 inhibitors?|thiazides?|barbiturates?"
    r"|vasopressors?|inotropes?)\b",
    re.IGNORECASE,
)


def drug_classes(text: str) -> tuple[str, ...]:
    """Return the classes of medicines in lower case, each once, in order of the text."""
    return distinct(match.group().lower() for match in _CLASSES.finditer(text))


# What medicines are made as, which are no names (`caps`).
_NO_NAMES = frozenset(
    """
    amps caps drops inj nebs patch pens preventer puffs reliever soln supps susp syrup tabs
    """.split()
)

# Acids by their salts, and other names, which are one medicine.
_ACIDS = {
    "nitroglycerin": "glyceryl", "oestrogen": "estrogen",
    "alendronate": "alendronic", "ibandronate": "ibandronic", "zoledronate": "zoledronic",
    "risedronic": "risedronate", "valproic": "valproate", "mycophenolic": "mycophenolate",
}  # fmt: skip

# `cotrimoxazole`, as many write it.
_JOINED = {name.replace("-", ""): name for name in _NAMED if name.startswith("co-")}

# Types of insulin that are named without it.
_INSULINS = frozenset("aspart degludec detemir glargine glulisine isophane lispro".split())

_NEAR = 80  # characters before a name that are looked at
# Where a text can only mean a medicine: before its name, and behind it.
_BEFORE = re.compile(
    r"\b(?:dos(?:es?|ing|age) of|(?:re)?start(?:ed|ing)?|commenc\w+|giv(?:e|es|en|ing)|prescri\w+"
    r"|administ\w+|initiat\w+|titrat\w+|bolus of|infusion of"
    r"|(?:mg|micrograms?|g|units?|ml)(?: of)?)\s+"
    r"(?:(?:oral|iv|im|sc|intravenous|intramuscular|subcutaneous|the|a|some|him|her|them|on"
    r"|patients?)\s+)*$",
    re.IGNORECASE,
)
_HOW = (
    "start|starting|loading|maintenance|maximum|max|initial|first|usual|total|top|bolus|stat|prn|nocte|mane"
    "|correction|infusion|od|bd|tds|qds|qid|tid|daily|weekly|monthly|hourly|oral|iv|im|sc|po|pr|sl|neb"
)
_BEHIND = re.compile(
    rf"(?:\s+(?:\d[\d.]*\s?(?:%|hourly|hrly|weekly|monthly)|(?:week|day) \d+|{_HOW}))*"
    r"\s+(?:dos(?:e|es|ing|age)|max(?:imum)?|units?/kg|(?:per|a|each) (?:day|week)"
    r"|how (?:many|much) (?:units?|mg|mls?|puffs|tab(?:let)?s))\b"
    r"|[\s:(|]*(?:(?:oral|orally|iv|im|sc|po)\s+)?\d[\d.,/ -]*"
    r"(?:mg|mcg|micrograms?|g|units?|iu|ml|mmol)\b(?!\s*/\s*(?:min|d?l|ml)\b)"
    r"|\s+(?:depot|M/?R|SR|XL|XR|CR|LA|retard|tablets?|tabs?|capsules?|caps?|injections?|inj|infusion"
    r"|inhaler|syrup|patch(?:es)?|start(?:ing)? at)\b",
    re.IGNORECASE,
)

_EQUIVALENTS = re.compile(
    r"(?:\s+(?:sodium|base))?[\s-]+(?:dose[\s-]+)?equivalents?\b", re.IGNORECASE
)
_IS_HOW = re.compile(_HOW, re.IGNORECASE)
# Between a word and the medicine that it describes: `give undiluted 8.4% sodium bicarbonate`.
_AMOUNT = re.compile(r"[\s\d.,%]+(?:(?:mg|g|ml|mcg|units?)\s+(?:of\s+)?)?", re.IGNORECASE)


def drugs(text: str) -> tuple[str, ...]:
    """Return the medicines in lower case, each once, in order; for a brand its ingredients."""
    return distinct(name for _, _, name in drug_places(text))


def drugs_told(text: str) -> tuple[str, ...]:
    """Return the medicines of a text, but for those of which it gives only equivalents."""
    return distinct(name for _, _, name in told_places(text))


def told_places(text: str) -> list[tuple[int, int, str]]:
    """Return the places of medicines, without one in whose equivalents another's dose is given.

    `Fosphenytoin 20 mg/kg (phenytoin equivalents)` says nothing of phenytoin.
    """
    places = drug_places(text)
    return [each for each in places if not _EQUIVALENTS.match(text, each[1])] or places


def drug_places(text: str) -> list[tuple[int, int, str]]:
    """Return `(start, end, name)` of each medicine, in order; of a brand, one per ingredient."""
    typed = [(*match.span(), match.group().lower()) for match in _LETTERS.finditer(text)]
    known = {word: _named_by(word) for word in {word for _, _, word in typed}}
    placed = {
        start: (end, known[word])
        for start, end, word in typed
        if known[word] and not text.startswith("-bound", end)  # `albumin-bound paclitaxel`
    }
    for (start, before, word), (behind, end, other) in pairwise(typed):
        if text[before:behind] in _BETWEEN_TWO:
            is_new = start not in placed and behind not in placed
            if names := _named_by_pair(f"{word}{text[before]}{other}", is_new=is_new):
                placed.pop(behind, None)
                placed[start] = (end, names)
    ends = {end for end, _ in placed.values()}
    placed |= {
        start: (end, names)
        for start, end, word in typed
        if start not in placed and (names := _named_in_place(word))
        if start - 1 not in ends or text[start - 1] != " "  # no salt: `lithium citrate`
        if is_medicines_place(text, start, end)
    }
    for match in _SEVERAL.finditer(text):  # `co-trimoxazole`: its last part is no other one
        inside = range(match.start() + 1, match.end())
        placed = {start: each for start, each in placed.items() if start not in inside}
        placed[match.start()] = (match.end(), (match.group().lower(),))
    placed |= {m.start(): (m.end(), ("phytomenadione",)) for m in _VITAMIN_K.finditer(text)}
    return [(start, end, name) for start, (end, names) in sorted(placed.items()) for name in names]


def is_medicines_place(text: str, start: int, end: int) -> bool:
    """Tell whether what stands between two offsets can only be a medicine: `X dose`, `start X`."""
    return bool(_BEHIND.match(text, end) or _BEFORE.search(text[max(0, start - _NEAR) : start]))


def words_in_place(text: str) -> tuple[str, ...]:
    """Return the words that stand where only a medicine can and name none that is known."""
    known = {at for start, end, _ in drug_places(text) for at in range(start, end)}
    return distinct(
        match.group()
        for match in _LETTERS.finditer(text)
        if len(match.group()) >= _LEAST_OF_A_NAME
        and match.group().lower() not in _NO_NAMES
        and not _IS_HOW.fullmatch(match.group())
        and not FORM.fullmatch(match.group())
        and match.start() not in known
        and not _CLASSES.search(match.group())
        and is_medicines_place(text, *match.span())
        and not ((amount := _AMOUNT.match(text, match.end())) and amount.end() in known)
    )


def brand_words(word: str) -> str:
    """Return the ingredients of a brand or another name, in words; empty where there are none."""
    if word in BRANDS:
        return BRANDS[word]
    name = published(word)
    is_other = name is not None and not name.is_ordinary and not _is_drug(word)
    return name.generic if name and is_other and _named_by(word) and name.generic != word else ""


@lru_cache(maxsize=65_536)
def _named_by(word: str) -> tuple[str, ...]:
    """Return the medicines that a word names: itself, a brand's ingredients, or none."""
    if word in BRANDS and word not in SINGLE_NAMES:
        return drugs(BRANDS[word])
    if word in _INSULINS:
        return ("insulin",)
    if _is_drug(word):
        return (_ACIDS.get(word, _JOINED.get(word, word)),)
    name = published(word)
    if name is None or name.is_ordinary or _NO_DRUG.fullmatch(word) or _CLASSES.fullmatch(word):
        return ()
    return _in_generic(name.generic) or ((name.generic,) if name.is_listed else ())


def _named_by_pair(both: str, *, is_new: bool) -> tuple[str, ...]:
    """Return the medicines that two words name together.

    Published names count only if they are `is_new`: neither word is a medicine by itself.
    """
    if both in BRANDS:
        return drugs(BRANDS[both])
    name = published(both) if is_new else None
    return (_in_generic(name.generic) or (name.generic,)) if name else ()


def _named_in_place(word: str) -> tuple[str, ...]:
    """Return the medicines that a word names where it can only be one."""
    name = published(word)
    if name is None or word in _NO_NAMES or _CLASSES.fullmatch(word):
        return ()
    return _in_generic(name.generic) or (name.generic,)


def _in_generic(generic: str) -> tuple[str, ...]:
    """Return the medicines in a generic name: several of a combination."""
    words = [match.group().lower() for match in _LETTERS.finditer(generic)]
    several = {match.group().lower() for match in _SEVERAL.finditer(generic)}
    single = ("insulin" if word in _INSULINS else word for word in words if _is_single(word))
    return distinct([*sorted(several), *single])


def _is_single(word: str) -> bool:
    name = published(word)
    is_itself = name is not None and name.is_listed and name.generic == word
    return _is_drug(word) or word in _INSULINS or (is_itself and not _CLASSES.fullmatch(word))


def _is_drug(word: str) -> bool:
    if word in SINGLE_NAMES:
        return True
    ending = word[_BEFORE_ENDING:].endswith(_ENDINGS) or _BEGINNING.fullmatch(word)
    return bool(ending) and not _NO_DRUG.fullmatch(word)
