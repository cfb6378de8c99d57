"""Words that say nothing by themselves, and words that say the same. Closed lists, pure.

Written for this project. What is not listed has to stand in the quote.
"""

from __future__ import annotations

from chat.verification.wording.stems import stem

# Articles, pronouns, prepositions, auxiliaries: they bind what says something.
FUNCTION = frozenset(
    """
a an the this that these those it its they them their theirs he him his she her hers we us our you
your i me my who whom whose which what where when while whilst how why
is are was were be been being am has have had having do does did done doing will would shall should
may might can could must ought need needs needed let lets
of in on at by for from to into onto upon with within via per as than then so if
about against among amongst around across along between both during each every any all some such
same own other others another either or and but because since although though also too very
there here thus therefore hence however moreover furthermore additionally further meanwhile
plus
whether until till while once again still yet even using despite spite
up down out off over under above below through throughout towards toward
not no nor never none neither cannot without unless except only
following followed follow follows according based regarding concerning including include includes
included namely eg ie e.g i.e etc
case cases way ways order
guideline guidelines guidance document section recommendation recommendations recommend recommends
recommended advise advises advised advisable advice suggest suggests suggested
states stated state says said according
yes answer
if whenever wherever
""".split()
)

# One line, one meaning, in any form of its words.
_SAME = """
give administer prescribe use take receive deliver provide treat get
treatment therapy therapeutic
start begin initiate commence
stop discontinue cease withdraw halt interrupt
continue keep maintain carry
patient person individual people someone anyone
increase raise elevate rise
decrease reduce lower fall drop decline cut
indicate appropriate suitable
require necessary essential
check measure monitor record recheck test assess evaluate examine observe review reassess inspect
repeat again
immediate once
cause lead result due
symptom sign
illness disease disorder condition
help aid assist
doctor physician clinician
kidney renal nephrology
liver hepatic
heart cardiac
lung pulmonary respiratory
brain cerebral
skin cutaneous
begin onset
common frequent often usual generally typically mostly normally
rare uncommon infrequent
call contact telephone phone
consult discuss seek
show demonstrate reveal
large big
quick rapid fast prompt
choose select
happen occur arise
affect involve
consist comprise contain
new recent
allow permit enable
need require
avoid contraindicate
exceed more above over greater
less fewer below under
least minimum
most maximum
additional extra further
also
normal usual
inhale inhaler
nebuliser nebulise
near close
type kind form
several many multiple numerous
request arrange organise book
prevent prevention prophylaxis prophylactic
catheter catheterise catheterisation
purpose aim target goal
mother maternal
neutropenia neutropenic
anaemia anaemic
cirrhosis cirrhotic
epilepsy epileptic
asthma asthmatic
obesity obese
virus viral
bacterium bacterial
drug medicine medication agent
child paediatric
newborn neonate neonatal
elderly geriatric
dose amount
course
operation surgery surgical
birth delivery
urgent emergency
fever febrile pyrexia
first initial
breathless dyspnoea
after afterwards later following
before prior previous
specialist
inherited hereditary
gene genetic
life-threatening
serious severe
injure injury damage
develop development
mean
suspect suspicion
recommend
remain stay
get obtain
pain painful ache
tumor neoplasm
bleed haemorrhage
baby infant
begins
""".strip().splitlines()


def _classes() -> dict[str, str]:
    """Each stem with the name of its meaning; of two lines with one word the first counts."""
    found: dict[str, str] = {}
    for line in _SAME:
        words = [stem(word) for word in line.split()]
        name = next((found[word] for word in words if word in found), f"~{words[0]}")
        for word in words:
            found.setdefault(word, name)
    return found


_CLASSES = _classes()
GIVE = _CLASSES[stem("give")]

# They only say that something is so: a claim may say them where its quote doesn't.
LIGHT = frozenset(
    """
occur occurs occurred occurring happen happens happened arise arises arose means meaning points
pointing reason reasons aim aims aiming
""".split()
)
# Words for numbers, times and units, whose own guards compare them.
COUNTED = frozenset(
    """
one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty
mg g kg mcg microgram micrograms milligram milligrams gram grams kilogram kilograms ng ml mls l
litre litres liter liters millilitre millilitres milliliter milliliters mmol mol micromol µg µmol ug
mmhg kpa iu unit units percent cent degrees degree celsius fahrenheit c f m cm mm m2 dl
second seconds minute minutes min mins hour hours h hr hrs hourly day days daily night nightly
week weeks weekly fortnight month months monthly year years yearly annually
times time od bd tds qds tid qid bid qd prn nocte mane
aged age
""".casefold().split()
)
# Names of columns: a guard of words asks nothing of them, and a number is still bound to them.
LABELS = frozenset("interval intervals frequency duration".split())
# Said of how often: each stands where the quote says so in one of these words or numbers.
HOW_OFTEN = {
    "once": "once one 1 single daily od qd every 24 day immediately",
    "twice": "twice two 2 bd bid 12 hourly",
    "thrice": "thrice three 3 tds tid 8",
    "single": "single one 1 once",
}


def meaning(word: str) -> str:
    """The name of what a word means, or its stem."""
    root = stem(word)
    return _CLASSES.get(root, root)
