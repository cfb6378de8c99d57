"""The closed lists of words by which follow-ups are recognised. Pure."""

from __future__ import annotations

import re

OPENER = re.compile(
    r"\A\W*(?P<opener>(?:(?:and|but|or|so|also|ok|okay|then|now|well|what about|how about|what if"
    r"|same(?: question)? for)\b[\s,]*)+)",
    re.IGNORECASE,
)
BEGINS_OPEN = re.compile(
    r"\A\W*(?:in|for|with|without|during|if|when|at|on|after|before)\b", re.IGNORECASE
)
FUNCTION = frozenset(
    """
    a an the and or but also too then now instead in on over at for with without to of by from
    during if when while after before as is are was were be been being has have had do does did can
    could should would may might must will shall i we you one patient patients someone somebody
    person people woman women man men case cases who whom whose that there not only just about
    what how given using taking takes take use used give level history same question still
    already ever please
    """.split()
)
# A question with one of these is self-contained, even if all else could be a change.
ASKS = frozenset(
    """
    what which how when why where who is are was were do does did can could should would may must
    will has have
    """.split()
)
ATTRIBUTES = frozenset(
    """
    what which how when why where much many often long soon fast quickly late early high low
    dose doses dosage dosing amount maximum minimum max min total daily single usual starting
    initial loading maintenance frequency interval intervals route duration rate target
    threshold limit time times timing day days week weeks hour hours minutes alternative
    alternatives side effects effect adverse contraindications contraindication cautions
    interactions monitoring evidence exceptions exactly treatment symptoms causes diagnosis oral
    iv po im intravenous intramuscular orally intravenously first second third line choice
    options repeat repeated next not more less than
    """.split()
)
# Words that ask for something even alone.
ASKING = frozenset(
    """
    how when why where next dose dosage dosing amount maximum minimum max frequency interval route
    duration rate target threshold alternative alternatives contraindications contraindication
    cautions interactions monitoring exceptions effects treatment symptoms causes diagnosis
    """.split()
)
# With these an organ's impairment is a group of patients, else the topic: `What causes kidney
# disease?`
DOSING = frozenset("dose dosage dosing maximum max interval frequency often much".split())
AMOUNTS = frozenset("amount rate volume much maximum max minimum min loading times".split())
# Asks for an amount of something: of which medicine has to be known.
AMOUNT = re.compile(
    r"\b(?:how much|how many (?:m[lLg]|micrograms|units|tablets|puffs|vials)"
    r"|what (?:dose|rate|volume)"
    r"|(?:dose|rate|volume|infusion rate)\W*\Z)",
    re.IGNORECASE,
)
PRONOUN = re.compile(r"\b(?:it|its|this|that|these|those|they|them|their)\b", re.IGNORECASE)
# Pronouns for a person that the question itself does not name.
SOMEBODY = re.compile(r"\b(?:he|she|him|her|his|hers)\b", re.IGNORECASE)
SOMEONE = re.compile(
    r"\b(?:patients?|pts?|mother|mum|father|dad|wom[ae]n|m[ae]n|boy|girl|child|baby|infant|newborn"
    r"|toddler|teenager|son|daughter|wife|husband|person|people|someone|somebody|adult|lady|gentleman"
    r"|\d+ ?[mf]|(?:year|month|week|day)s?[- ]old|y/?o)\b",
    re.IGNORECASE,
)
# `Is it safe to give ...`, `how long does it take`: `it` refers to nothing.
EXPLETIVE = re.compile(
    r"\bit(?:\s+(?:is|be|was|ever))*\s+(?:\w+ly\s+)?(?:safe|ok|okay|fine|possible|necessary|normal"
    r"|better|best|important|recommended|advisable|appropriate|true|likely|common|time|worth"
    r"|dangerous|harmful|good|bad|useful|permitted|allowed|legal|wise|reasonable|acceptable"
    r"|indicated|unusual|rare|usual)\s+(?:to|that|for|if|when)\b"
    r"|\bit\s+(?:takes?|mean|means|matter|matters)\b|\bthat\s+(?:is|are|was|has|have|can|may)\b",
    re.IGNORECASE,
)
# Words that may come before a pronoun and are no antecedent.
VERBS = frozenset(
    """
    give use take repeat stop start prescribe continue treat monitor check increase reduce
    double mix combine dilute infuse inject administer restart withhold adjust measure diagnose
    prevent manage dissolve crush swallow store change switch avoid test review correct
    """.split()
)
# Nouns after `this` and the like that leave open what is meant.
GENERIC = frozenset(
    """
    drug medicine medication antibiotic dose treatment infusion condition disease patient
    patients combination
    """.split()
)
ALLERGY = frozenset({"allergic", "allergy", "intolerant"})
# Words for a patient, and for what a patient has, takes or weighs.
SUBJECT = frozenset(
    """
    he she hes shes he's she's they they're patient patient's pt mum mother child baby known on
    taking takes allergic allergy intolerant weighs weighing weight aged history has had with
    lives got also
    """.split()
)
STATES = SUBJECT | frozenset(
    """
    is was are been being now already currently and but to of a an the my this her his their no not
    only just from for in at since still kg years year old so if
    """.split()
)
# What says something of the patient, or of a result: `she has a metal valve`, `culture: no growth`.
_PATIENT = r"(?:s?he|they|(?:the |my |her |his )?(?:pt|patient|mum|mother|child|baby))"
DESCRIBES = re.compile(
    rf"\A(?:if )?{_PATIENT}(?:['’]?s|['’]re| is| are| has| have| was| had| takes| weighs| lives)\b"
    r"|\A(?:[a-z]+ )?(?:culture|swab|bloods?|urine|ct|mri|ecg|x-ray|results?|allerg(?:y|ies)):",
    re.IGNORECASE,
)
# What tells a note on the patient from a topic: `plts today 42`, `only sensitive to trimethoprim`.
NOTED = re.compile(
    r"\d|\b(?:now|today|tonight|still|only|sensitive|resistant|normal|abnormal|known|worse|better)\b",
    re.IGNORECASE,
)
# An order about one medicine, for whom and what the conversation said before: `give vit K`.
ORDERS = frozenset("give start use stop continue add withhold restart repeat have take".split())
WITH_ORDERS = frozenset(
    """
    can could should do i we he she they to now still also him her them a the instead dose doses
    next tonights tonight's todays today's another second it ok then
    """.split()
)
# Words that ask for something other than the earlier answer.
OTHERWISE = frozenset("instead else other another alternative alternatives different".split())
OPEN_ENDED = frozenset(
    """
    something anything any one ones option options choice agent drug medicine antibiotic treatment
    dont doesn't don't work works working fails failed help helps
    """.split()
)
MAX_NOTE_WORDS = 4  # of a message in note form, such as `trough 22 today`
MAX_SHORT_FORM = 5  # letters of the short form of a measurement, such as `plt` or `HbA1c`
BARE = frozenset(
    """
    safe ok okay true given used needed necessary right correct apply applies the a an also same
    different be have change contraindicated recommended allowed stopped repeated
    """.split()
)
WHOLE = re.compile(
    r"\A(?:is|are|does|do|would|will)\s+(?:this|that|it)\s+(?:be\s+|also\s+)?(?:the same|true"
    r"|different|apply|change|also|still)\b",
    re.IGNORECASE,
)
OF_DRUG = re.compile(
    r"\b(?:give|given|have it|take|taken|taking|use|used|using|stop|stopped|start|started|safe"
    r"|repeat|repeated|contraindicated|interact\w*|doses?|infus\w+|inject\w*|diluted?|crushed|administ\w+|prescribed?"
    r"|continued?|mixed|side effects|adverse|cautions|orally|intravenously|by mouth|antidote"
    r"|licensed|cost|ok|okay|fine|allowed|suitable)\b",
    re.IGNORECASE,
)
OF_CONDITION = re.compile(
    r"\b(?:treat|treated|treatment|diagnosed?|diagnosis|prevented?|managed?|caused?|causes"
    r"|symptoms|contagious|infectious|recur\w*|resolved?|resolves|severe|dangerous|fatal)\b",
    re.IGNORECASE,
)
OF_PEOPLE = re.compile(
    r"\b(?:they)\s+(?:also\s+)?(?:have|take|receive|eat|drink|drive|need|use)\b",
    re.IGNORECASE,
)
WH = (
    r"(?:what|which|how|when|why|where|who|is|are|was|were|do|does|did|can|could|should|would"
    r"|may|must|will|has|have|the|an?|i|we|you|much|many|often|long|soon|fast|quickly)"
)
ASKED_FIRST = re.compile(rf"\A(?:{WH}\b\s*)+", re.IGNORECASE)
ATTRIBUTE_FIRST = re.compile(
    r"\A(?:(?:maximum|minimum|total|daily|usual|starting|initial|loading|oral|intravenous"
    r"|dose|doses|dosage|dosing|interval|frequency|duration|rate|route|target|threshold|treatment"
    r"|side effects|symptoms|causes|time|timing|window|cautions?|indications?|contraindications?"
    r"|monitoring)\s+)+(?:of|for|to|during|after)\s+(?:the\s+)?",
    re.IGNORECASE,
)
YES_OR_NO = re.compile(
    r"\A(?:is|are|was|were|do|does|did|can|could|should|would|may|must|will|has|have)\b",
    re.IGNORECASE,
)
STATE_OF_LIFE = re.compile(
    r"\b(?:pregnancy|trimesters?|pregnant|breast-?feeding|lactation|labour|infancy|childhood)\Z",
    re.IGNORECASE,
)
DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
COMPOSED = re.compile(r"\A(?P<asked>[A-Za-z0-9 ,'-]{2,60}): (?P<topic>.+)\Z")
