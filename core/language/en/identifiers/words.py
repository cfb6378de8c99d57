"""Words that help to tell names from other words. Pure; the lists are our own.

`NOT_NAMES` are words that are no name even after a title or "patient", `GIVEN` are common given
names that are not medical words, `EPONYMS` are words for things named after somebody.
"""

from __future__ import annotations

NOT_NAMES = frozenset(
    """
    a about abuse acad according account acid action activation active activity acute adhd
    adherence adjusted admission admitted adult adults adverse advice advised african after
    again against age aged aids aki allergic allergy alone already also although always
    alzheimer am american among an and anemia anfang angio angiogram another any approach april
    are area arm art arthrogram arthrography as asian aspirin assessed assessment assistance
    association asthma at august autism awaiting back baseline be because become been before
    being below benefit best better between biol black bleeding blood bmi both bp brain breast
    british but by called came can cancer cannot cardiac cardiology care case cases catheter
    caucasian cause caused causes cdc cell center centered central centre centred change changes
    charter child children choice cholangiography cholangiopancreatography christian chronic ckd
    class cleanse clin clinic clinical coil combination committed community complaining complex
    compliance concern condition conditional conditions confirmed consent consult contin
    continued contrast control controlled copd could counselling covid crohn ct currently daily
    das data day days death december decision declaration delivery demographics denies
    depression der describes despite develop developed develops diabetes diabetic diagnosed
    diagnosis dialysis did die died diet different discharge disease doctor does doktor dose
    doses dosing down dr drug drugs due during dvt each early ecg education eeg effect
    elastography eligibility emergency encounter ende engagement english enterography european
    even every evidence examination excellence expectations experience experienced experiences
    experiencing factor factors failure family fda february feedback feels female fetal fever
    first flow focused follow following for form found french friday from function gate general
    generated gets getting gland global goals gordon group guide guided guideline guidelines had
    has hat have having he head health healthcare heart heparin her high him his hispanic
    history hiv home hospital how hypertension i icu if ii iii im image imagery images imaging
    immediately impression in include infection information informed initially injury inpatient
    inr insulin insurance intensive intern into involvement is issue issues ist it its itu iv
    january jewish july june just key kidney known laboratory last late left leg level levels
    life like list literature liver living low lung lupus madam male management march mass may
    means measure measures med medical medication medications medicine mental metformin mild
    miss mit mitral mitte model moderate monday monitoring more morphine most mr mra mrcp mri
    mrs ms much multiple muslim must my nach name navigator need needing needs negative neither
    neuro neurol neurology never new next nhs nice no node non none nor normal not november now
    ntprobnp nurse obese october of off ohne old on once oncol one only opioid or oral order
    other our out outcome outcomes outpatient over pain parameters parkinson part patient
    patientin patients pe people per perfusion period persistent pet plan please population
    portal positive post preference preferences pregnancy pregnant presented presenting presents
    previous primary prior prof professor prognosis program protein protocol questionnaire race
    range rankin rating reaction received receives receiving record recovery reduce referral
    referred refused refusing regarding registry regulator relapsing related renal report
    reported reports represents requires requiring research response responsibilities rest rheum
    rheumatic risk role safe safety said same satisfaction saturday scale scan scans scheduled
    score scores screening second secondary seen self september sequence severe severity she
    should shows side signal signals simulator since sir skin so society some spanish specific
    spect spectroscopy spine stable stage started starting status still stroke study subjective
    subjects such suffering sunday support surg surgery survival switch symptoms syndrome system
    taken takes taking team temporal test tested testing than that the their them then therapy
    there these they third this those though three thursday time to today tolerance tolerating
    too total transfer transplant trauma treated treatment treatments trial trials tuesday tumor
    tumour two tylenol type ulcer und under undergoing until up urine urography us use used
    using usually uti v vaccine valve venography very view visit vitamin von vs waiting want
    wants warfarin was we wednesday weight well were what when where whether which while white
    who whose why will wish with within without woman women would year years yesterday you young
    your
    """.split()
)

# Words of `NOT_NAMES` that are surnames after a title.
SURNAMES = frozenset(
    """
    an bell best black brown case centre child crohn day do down early english french gordon
    guide he high home just king last left liver long low march may muslim neuro nurse order
    page parkinson person race rest self side so spanish stage still white will wish you young
    """.split()
)

# Words that are no surname even after `Mr`, `Mrs`, `Ms` or `Mister`.
NEVER_NAMES = frozenset("and or imaging image images scan scans mri angio dr prof with".split())

# Particles inside a name: kept only if the name continues after them.
PARTICLES = frozenset(
    "van von de der den del della di da dos das du la le bin ibn al el ter ten zu af st".split()
)

GIVEN = frozenset(
    """
    aaron abdul abdullah abigail adam ahmed aisha alan albert alejandro alex alexandra alfie ali
    alice alison amanda amelia amit amy ana andrea andrew angela anita ann anna anne annie
    anthony antonio archie arthur asha ava barbara beatrice ben benjamin beth betty brandon
    brenda brian callum cameron carlos carmen caroline catherine charlie charlotte chloe chris
    christine christopher claire clara colin connor craig cynthia daniel danielle darren david
    deborah denise dennis derek diana diane dmitri donald donna dorothy douglas dylan edward
    eleanor elena eleni elizabeth ella ellie emily emma eric erin ethan eva evelyn fatima fiona
    florence francesca francis frank fred freddie gareth gary george georgia gerald geraldine
    giovanni gloria graham greg gregory hannah harold harriet harry hassan heather helen henry
    hiroshi holly howard hussein ian ibrahim ingrid isaac isabel isabella isla jack jackie jacob
    jacqueline jake james jamie jan jane janet janice jasmine jason jean jeffrey jennifer jenny
    jeremy jessica jill jim joan joanna joanne joe john johnny jonathan jose joseph josh joshua
    joyce juan judith judy julia julian julie karen karl kate katherine kathleen katie kayleigh
    keith kelly kenneth kevin khadija kim kimberly kumar kyle larry laura lauren laurence lee
    leo leon leonard leslie liam linda lisa logan louise lucas lucy luis luke lynn malcolm
    manuel margaret maria marie mario marion marjorie martha martin mary matthew maureen megan
    mehmet mei melanie melissa mia michael michelle miguel mike mohamed mohammad mohammed mohan
    molly monica muhammad nancy naomi natalie natasha nathan neil nicholas nicola nicole nigel
    noah noor norma olga oliver olivia omar oscar pamela patricia patrick paul paula pauline
    pedro peter philip phoebe poppy priya rachel rahul raj rajesh ralph raymond rebecca richard
    riley robert roger ronald rosemary roy ruth ryan sally sam samantha samuel sandra sara sarah
    scott sean sebastian sergei sharon sheila shirley simon sofia sophia sophie stacey stanley
    stefan stella stephanie stephen steve steven stuart sunita susan suzanne sylvia tanya teresa
    terry theo theresa thomas tim timothy tina toby tom tommy tony tracey tracy tyler valerie
    vanessa vera veronica vijay vincent virginia vivian vladimir walter wendy william yasmin
    yusuf zachary zoe
    """.split()
)

EPONYMS = (
    "syndromes?|signs?|diseases?|tests?|palsy|palsies|criteria|criterion|scores?|scales?|index|"
    "disorders?|phenomenon|triad|law|classification|staging|method|manoeuv(?:re|er)|maneuver|"
    "procedure|operation|fractures?|reflex|murmur|cyst|tumou?rs?|carcinoma|sarcoma|lymphoma|"
    "an(?:ae|e)mia|dystrophy|deformity|malformation|anomaly|contracture|thyroiditis|ataxia|chorea|"
    "dementia|neuropathy|neuroma|hernia|nodes?|spots?|stain|formula|equation|rules?|grading|"
    "encephalopathy|virus|bacillus|tube|catheter|needle|forceps|clamp|splint|position|regimen|"
    "protocol|hallucinations?|esophagus|oesophagus|paralysis|lung|gland|reaction|effect|"
    "wort|hospital|university|institute|foundation|trust|clinic|trial|study|et al"
)

# Given name and surname of people, or two surnames, that things are named after.
NAMED_AFTER = frozenset(
    """
    austin-flint charles-bonnet george-washington graham-steell jean-martin jean-piaget
    john-cunningham john-hopkins john-radcliffe lee-silverman marie-unna martin-gruber
    mary-walker paul-bunnell
    """.split()
)
