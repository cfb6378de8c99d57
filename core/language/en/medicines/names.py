"""Find medicines in a text. Pure.

By the stems for classes in the World Health Organization's list of International Nonproprietary
Names, a short list of common medicines without such a stem, and brands, which give their
ingredients.
"""

from __future__ import annotations

import re
from functools import lru_cache

from core.language.en.medicines.brands import BRANDS
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
_LETTERS = re.compile(r"\b[a-z]+\b", re.IGNORECASE)
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
abatacept acetaminophen acetazolamide acetylcysteine activated-charcoal acyclovir adenosine
adrenaline albumin albuterol alendronate allopurinol amantadine amiloride aminophylline amiodarone
amphetamine amphotericin anastrozole aspirin atropine azathioprine aztreonam baclofen biperiden
bisacodyl bismuth bleomycin bosentan botulinum bromocriptine bumetanide buprenorphine bupropion
buspirone busulfan caffeine calcitonin calcium-acetate calcium-carbonate calcium-chloride
calcium-gluconate calcium-resonium cannabidiol carbamazepine carbimazole carboprost cetirizine
chlorambucil chloramphenicol chlorhexidine chlorphenamine ciclosporin cisplatin citalopram
clarithromycin clobazam clomiphene clonidine clopidogrel clozapine co-amoxiclav co-trimoxazole
codeine colchicine colistin cyclizine cyclophosphamide cyclosporine dabigatran dantrolene dapsone
deferasirox desferrioxamine desmopressin dexmedetomidine dextrose diamorphine diclofenac dicyclomine
digoxin diltiazem dimenhydrinate diphenhydramine dipyridamole disulfiram dobutamine domperidone
donepezil dopamine doxapram droperidol edoxaban entacapone ephedrine epinephrine epoetin ergotamine
escitalopram esmolol estradiol etanercept ethambutol etomidate etoposide ezetimibe fentanyl
fexofenadine filgrastim flecainide flumazenil fluorouracil folic-acid folinic fomepizole
fondaparinux fosfomycin furosemide fusidic gabapentin gefitinib gentamicin glargine glibenclamide
gliclazide glimepiride glipizide glucagon glyceryl glycopyrronium guaifenesin heparin hydralazine
hydroxocobalamin hydroxycarbamide hydroxychloroquine hydroxyurea hyoscine ibuprofen icatibant
imatinib immunoglobulin insulin interferon irinotecan isoniazid isoprenaline isosorbide isotretinoin
ivabradine ketamine ketorolac lactulose lamotrigine leflunomide letrozole leucovorin levetiracetam
levodopa linezolid lithium loperamide loratadine lorazepam magnesium-chloride magnesium-sulfate
mannitol mebendazole mebeverine mefloquine megestrol melatonin melphalan memantine mercaptopurine
mesalazine mesna metaraminol metformin methadone methimazole methotrexate methyldopa methylene-blue
methylphenidate metoclopramide mianserin mifepristone milrinone minoxidil mirtazapine misoprostol
modafinil morphine mupirocin mycophenolate nalbuphine naloxone naltrexone naproxen neostigmine
nicorandil nicotine nitrofurantoin nitroglycerin nitroprusside noradrenaline norepinephrine nystatin
octreotide olanzapine ondansetron orlistat oseltamivir oxcarbazepine oxybutynin oxycodone oxytocin
pamidronate pancuronium paracetamol paraldehyde penicillamine penicillin pentamidine pentoxifylline
permethrin pethidine phenelzine phenobarbital phenobarbitone phentermine phentolamine phenylephrine
phenytoin phytomenadione phytonadione pirfenidone polymyxin potassium-chloride potassium-phosphate
pralidoxime prednisolone primidone probenecid procainamide progesterone promethazine propofol
propylthiouracil protamine prothrombin-complex pseudoephedrine pyrazinamide pyrimethamine quetiapine
quinine raloxifene ranolazine rasburicase remifentanil ribavirin rifabutin rifampicin rifampin
rifaximin riluzole risperidone ropinirole rotigotine salbutamol selegiline senna sertraline
sildenafil sodium-bicarbonate sodium-phosphate sodium-zirconium-cyclosilicate sotalol spironolactone
streptokinase succinylcholine sucralfate sugammadex sulfadiazine sulfasalazine suxamethonium
tamoxifen tamsulosin tapentadol teicoplanin temozolomide terbinafine terbutaline terlipressin
testosterone tetrabenazine thalidomide theophylline thiamine thiopental tigecycline tiotropium
tolterodine topiramate tramadol tranexamic-acid trazodone tretinoin triamcinolone trimetazidine
trimethoprim urea-cream ursodeoxycholic valproate valproic varenicline vasopressin venlafaxine
verapamil vigabatrin vinblastine vincristine  warfarin zidovudine zolpidem zopiclone
zuclopenthixol
argatroban clemastine dimetindene eplerenone esketamine melperone metamizole phenprocoumon
piritramide pivmecillinam tilidine urapidil
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


def drugs(text: str) -> tuple[str, ...]:
    """Return the medicines in lower case, each once, in order; for a brand its ingredients."""
    return distinct(name for _, _, name in drug_places(text))


def drug_places(text: str) -> list[tuple[int, int, str]]:
    """Return `(start, end, name)` of each medicine, in order; of a brand, one per ingredient."""
    typed = [(*match.span(), match.group().lower()) for match in _LETTERS.finditer(text)]
    known = {word: _named_by(word) for word in {word for _, _, word in typed}}
    placed = {start: (end, known[word]) for start, end, word in typed if known[word]}
    placed |= {m.start(): (m.end(), (m.group().lower(),)) for m in _SEVERAL.finditer(text)}
    placed |= {m.start(): (m.end(), ("phytomenadione",)) for m in _VITAMIN_K.finditer(text)}
    return [(start, end, name) for start, (end, names) in sorted(placed.items()) for name in names]


def _named_by(word: str) -> tuple[str, ...]:
    """Return the medicines that a word names: itself, a brand's ingredients, or none."""
    if word in BRANDS and word not in SINGLE_NAMES:
        return _in_brand(word)
    return (word,) if _is_drug(word) else ()


@lru_cache(maxsize=len(BRANDS))
def _in_brand(brand: str) -> tuple[str, ...]:
    return drugs(BRANDS[brand])


def _is_drug(word: str) -> bool:
    if word in SINGLE_NAMES:
        return True
    ending = word[_BEFORE_ENDING:].endswith(_ENDINGS) or _BEGINNING.fullmatch(word)
    return bool(ending) and not _NO_DRUG.fullmatch(word)
