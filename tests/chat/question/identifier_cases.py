"""Invented questions: with identifiers of a patient marked as {kind:text}, and without any."""

import re

from core.language.en.identifiers.types import Identifier, IdentifierKind

_MARKED = re.compile(r"\{(?P<kind>[a-z -]+):(?P<text>[^{}]+)\}")


def unmarked(case: str) -> tuple[str, tuple[Identifier, ...]]:
    """Return the plain text, and the identifiers that are marked in it."""
    parts: list[str] = []
    found: list[Identifier] = []
    position = 0
    for match in _MARKED.finditer(case):
        parts.append(case[position : match.start()])
        start = sum(map(len, parts))
        parts.append(match["text"])
        found.append(Identifier(IdentifierKind(match["kind"]), start, start + len(match["text"])))
        position = match.end()
    return "".join([*parts, case[position:]]), tuple(found)


NAMES = """
{name:Mr Smith} has a potassium of 6.2, what next?
What is the gentamicin dose for {name:Mrs. O'Neill}?
{name:Ms Jane Doe} is allergic to penicillin
{name:Miss Okonkwo} has a UTI in pregnancy
{name:Mr. J. P. van der Berg} with AF: apixaban dose?
{name:Mrs Smith-Jones}'s creatinine clearance is 28
{name:Mr O’Brien} (72 kg) needs enoxaparin
does {name:mr jones} need a statin
warfarin for {name:mrs patel} with INR 8
{name:MR SMITH} HAS SEPSIS, WHICH ANTIBIOTIC?
{name:MRS JONES} potassium 2.8
{name:Mrs Young} has a potassium of 2.9
{name:Mr White} and {name:Mrs Black} share a room
{name:Ms Day} needs a tetanus booster
{name:Mr Best}, INR 8
{name:Mr Long} on dialysis, heparin dose?
Can {name:Master Tom Brown}, aged 4, have ibuprofen?
{name:Sir John Falstone} takes warfarin
{name:Herr Müller} hat Fieber
{name:Frau Weber-Klein} nimmt Marcumar
{name:Señora García} tiene fiebre
{name:Madame Dubois} a de la fièvre
{name:Mr Müller-Lüdenscheidt} on dialysis
{name:Mr Nguyễn Văn An} on rivaroxaban
{name:Mr 王伟} has DKA
{name:Mr Иванов} has DKA
my patient {name:Jane Doe} has asthma
patient {name:John Smith} needs anticoagulation
Patient {name:John Smith} has DKA, fluids?
patient: {name:Priya Raman}, allergic to trimethoprim
pt {name:Olivia Carter} with anaphylaxis
my patient Dr {name:Jane Doe} has asthma
a patient named {name:Oliver}
a boy named {name:Zayden} with croup
a woman called {name:Margaret Hill}, what dose of aspirin?
a man, named {name:Kwame Boateng}, with chest pain
the baby is called {name:Isla}
her name is {name:Abigail}
the patient's name is {name:jane doe}, allergic to penicillin
{name:Mrs Bell} has Bell's palsy
{name:Mr Ng} has DKA
Dr Smith referred {name:Mrs Jones}
Patient's name: {name:Tomasz Kowalski}
surname {name:Featherstone}, hyperkalaemia
my wife {name:Susan} takes methotrexate
my son {name:Liam} swallowed paracetamol
my daughter {name:Amelia Grace} has a fever of 39
baby girl {name:Thompson} has jaundice at 20 hours
{name:John Smith}, 72, with CHF: dose of furosemide?
{name:Margaret Thistlewood} 81F fell at home
{name:SMITH, John} with sepsis
{name:Hannah Frobisher} needs thromboprophylaxis after hip surgery
I'm treating {name:David Lindqvist} for sepsis
a patient called {name:priya} with asthma
patient {name:J. Smith} has hypokalaemia
the patient {name:Wojciech Zielinski} is on warfarin
resident {name:Dorothy Pell} has a pressure ulcer
"""

BIRTHS = """
DOB {date of birth:12/03/1956}, eGFR 40, metformin?
D.O.B. {date of birth:12.03.56} warfarin
dob {date of birth:1956-03-12} warfarin
date of birth {date of birth:3 March 1956}
Date of birth: {date of birth:March 3, 1956}
born on {date of birth:3 March 1956} with AF
born {date of birth:3rd of March 1956} with AF
a baby born at 32 weeks on {date of birth:14/02/2024}
birth date is {date of birth:03-12-1956}
birthday {date of birth:12 July}
DOB {date of birth:12031956}
({date of birth:12/03/1956}, DOB) with sepsis
{name:Mr Smith} ({date of birth:12/03/1956}) with sepsis
{name:Jane Doe}, DOB {date of birth:1/2/80}
Geburtsdatum {date of birth:12.03.1956}
née le {date of birth:3 mars 1956}
fecha de nacimiento: {date of birth:3 de marzo de 1956}
DOB {date of birth:Mar 1956}
"""

CONTACTS = """
call {phone:07700 900123} with the dose
phone {phone:020 7946 0018}
her number is {phone:+44 20 7946 0018}
ring {phone:+1 212 555 0123} after the INR
mobile: {phone:07700900123}
tel. {phone:0161-496-0000}
{phone:(212) 555-0123} wants the potassium result
{phone:(555) 123-4567} asks about warfarin
{phone:212-555-0199} asks about warfarin
{phone:212.555.0199} asks about warfarin
Telefon {phone:0171 1234567}
contact number {phone:5551234567}
cell phone is {phone:212 555 0123}
fax {phone:0131 496 0123}
{phone:+33 1 23 45 67 89} for the results
{phone:+49 171 1234567} for the results
{phone:(020) 7946 0018} for the results
send it to {e-mail:jane.doe@example.com}
{e-mail:john_smith+1@mail.example.co.uk} asked about metformin
e-mail: {e-mail:o'neill@example.org}
{e-mail:JDOE@EXAMPLE.COM}, eGFR 30, metformin?
"""

NUMBERS = """
MRN {record number:123456}, potassium 6.1
MRN{record number:12345678} with sepsis
ID number {record number:12345678}
MRN: {record number:A1234567} with sepsis
MRN#{record number:00123456} with sepsis
medical record number {record number:12-34-56}
hospital number {record number:D1234567} needs heparin
hospital no. {record number:4471233}
patient ID {record number:PX-20391}
Patient number: {record number:2045881}
chart # {record number:889123}
account number {record number:55500123}
encounter no {record number:88123456}
case number {record number:2231904}
NHS number {national number:943 476 5919}
NHS no: {national number:9434765919}
NHS {national number:943-476-5919} with sepsis
{national number:943 476 5919} has sepsis
{national number:9434765919} has sepsis
NHS number {national number:943 476 5918}
SSN {national number:536-90-4399}
{national number:536-90-4399} has diabetes
social security number {national number:536904399}
CHI number {national number:0101501234}
passport number {national number:533401372}
driving licence {national number:MORGA657054SM9IJ}
aadhaar {national number:2341 2341 2346}
codice fiscale {national number:RCCMNL83S18D969H}
{national number:RCCMNL83S18D969H} con febbre
{national number:54362315K} con fiebre
{national number:85.07.30-033.28} met koorts
{national number:390.533.447-05} com febre
{national number:880320-0016} med feber
{national number:131052-308T} ja kuume
{national number:295109912611193} avec fièvre
national insurance number {insurance number:QQ 12 34 56 C}
{insurance number:AB 12 34 56 C} off work
Medicare {insurance number:1EG4-TE5-MK73} in AF
{insurance number:1EG4TE5MK73} in AF
Medicaid number {insurance number:AB12345678}
insurance policy number {insurance number:HX-4471-223}
policy number {insurance number:778812345}
group number {insurance number:55667788}
member ID: {insurance number:W123456789}
subscriber id {insurance number:XYZ123456789}
health card number {insurance number:1234567890}
Versichertennummer {insurance number:A123456789}
"""

ADDRESSES = """
lives at {address:12 High Street}, on warfarin
of {address:221b Baker Street} with COPD
{address:14 Acacia Avenue, London SW1A 1AA} with COPD
{address:4 Privet Drive}, asthma
{address:1600 Harbour Avenue, Springfield, IL 62704} with COPD
{address:12 Elm St} with COPD
{address:Flat 3, 18 Queens Road} with COPD
address: {address:Rose Cottage, Mill Lane, Bath}
postcode {address:M1 1AE} which clinic
zip code {address:62704}, which clinic
lives at {address:27 Station Rd, Leeds LS1 4DY}
{address:P.O. Box 4471}
{address:Hauptstraße 12, 10115 Berlin} mit Fieber
{address:12 rue de la Paix, 75002 Paris} avec fièvre
{address:Calle Mayor 5} con fiebre
{address:12 high street} with COPD
"""

MIXED = """
{name:Mr John Smith}, DOB {date of birth:12/03/1956}, MRN {record number:445566}, 500 mg of what?
{name:Jane Doe}, NHS no {national number:943 476 5919}, tel {phone:07700 900123}, warfarin 5 mg
{name:Mrs Khan} lives at {address:9 Orchard Close}, {e-mail:khan@example.net}, INR 8.1
"""
POSITIVE = [
    line
    for table in (NAMES, BIRTHS, CONTACTS, NUMBERS, ADDRESSES, MIXED)
    for line in table.strip().splitlines()
]

NEGATIVE = """
What is the dose of gentamicin for a 70 kg adult?
amoxicillin 500 mg/5 mL, 10 mL three times daily
10 mg/5 mL oral solution
Give 250-500-1000 mg in steps
potassium 6.2 mmol/L, sodium 128 mmol/L, creatinine 212 µmol/L
blood pressure 120/80, then 118/76 mmHg
INR 2.0-3.0 or 2.5-3.5
Na 140 K 4.1 Cl 102 HCO3 24 urea 5.5 creatinine 80
Hb 98, WCC 12.4, platelets 180, CRP 212
a 93-year-old woman with AF
an adult aged 45 years, 82 kg, 178 cm
72M with chest pain and troponin 450
ISBN 978-0-306-40615-7
ISBN 0-306-40615-2
DOI 10.1056/NEJMoa2034577
PMID 33301246
PMID: 2125550123
PMCID PMC7745181
NCT04368728
trial NCT04280705 of remdesivir
ISRCTN50189673
EudraCT 2020-001113-21
ICD-10 E11.9 and I48.0
ICD-11 5A11
ATC J01CA04
SNOMED CT 9434765919
CAS 50-78-2
LOINC 2160-0
the 2024-01-02 guideline
the guideline of 12/03/2024
seen on 3 March 2024 with fever
last visit 12/03/2024, next 12/06/2024
admitted on 01/02/2024, discharged 05/02/2024
vaccinated on 14 February 2023
children born on or after 1 September 2012
babies born after 1 July 2024 and RSV vaccine
adults born before 1957 and MMR
people born between 1970 and 1990
preterm infants born at 28 weeks
born in 1956
Parkinson disease and metoclopramide
Parkinson's disease
Bell's palsy, prednisolone dose
Crohn's disease flare in pregnancy
Dr Smith's test
what did Dr Jones advise
Prof. Meyer's classification
Lady Windermere syndrome
Lady Windermere's syndrome
Charles Bonnet syndrome
Charles Bonnet hallucinations
Austin Flint murmur
Paul Bunnell test
Lou Gehrig's disease
Guillain-Barré syndrome
Wolff-Parkinson-White
Stevens-Johnson syndrome from lamotrigine
Henoch-Schönlein purpura
St John's wort and warfarin
St. John's wort 300 mg
John Cunningham virus in natalizumab
Alzheimer disease and donepezil
Hashimoto thyroiditis
Wells score 4.5
Glasgow Coma Scale 8
Apgar 7 at 5 minutes
Child-Pugh C and paracetamol
CHA2DS2-VASc 3, HAS-BLED 2
Cockcroft-Gault 28 mL/min
MR imaging of the liver
MR angiography before surgery
MR Enterography or CT?
severe MR and AF
severe MR with EF 30
mr spectroscopy findings
MRS findings in glioma
mRS 0-2 after stroke
mRS score of 3
MS patients and pregnancy
MS Contin 15 mg
MS relapse, methylprednisolone dose
QTc 500 ms After methadone
QTc of 480 ms then
What if I miss a dose of apixaban?
Miss a dose
Will We Miss Cancers Following New Guidelines in Practice?
master gland
Sir, what is the dose of heparin?
Patient Health Questionnaire-9 score of 15
the Patient Global Impression scale
patient controlled analgesia with morphine
Patient Blood Management in surgery
Patient Safety Alert
patient with Marfan syndrome
patient on Warfarin and Amiodarone
patient Warfarin Dose
patient has Graves disease
patients named in the guideline
a drug called Ozempic
a test called Western Blot
a rash called Pityriasis Rosea
a syndrome named after Down
the brand name is Tylenol
trade name: Clexane
my mother has Alzheimer disease
my son has ADHD and takes Ritalin
my son Autism
baby Aspirin for preeclampsia
baby blues
Management of Acute Stroke in Older Adults With Atrial Fibrillation
Treatment of Lupus Nephritis, Class IV
BRCA1, TP53, EGFR L858R and KRAS G12D
HLA-B27, HLA-B*57:01 before abacavir
CYP2C19 *2/*2 and clopidogrel
rs1801133 homozygous
H1N1 and H5N1
vitamin B12 1000 micrograms
B12 5MG daily
T4 3.2, TSH 12
C5-C6 fracture
L4 L5 disc
M1 1AE
S1 5HT receptors
ratio 1:10,000 adrenaline 10 mL
1 in 1,000 adrenaline 0.5 mL
FiO2 0.4, PaO2 60, ratio 150
NNT 25 (95% CI 0.69-0.94)
HR 0.753 (0.750-0.757)
15-20-30 rule
200 400 1000 2000 4000
1000 2000 3000
120 130 140 150
0.5-1.0-2.0 mg/kg
6 Minute Walk test
400 Metre Walk
12 Lead ECG
10 Patients In A Place
5 way stopcock
2 lane swimming
30 St John's wort tablets
the high road to sepsis
give 5 mg @10.30pm
heart rate @ 120 bpm
PD 0332991 in breast cancer
PF-04449913 in AML
lot number 1234567
batch no. AB123456
NDC 0002-8215-01
hospital number of beds 1200
record number of cases in 2019
case 12 of the series
patient number 3
hospital policy number 445566
NHS 111 advice
NHS England 2024 guidance
Medicare Part B 2024
CPR 100-120 compressions a minute
CPR 30:2
address the underlying cause
addresses Heart Failure
lives in Manchester
lives in a nursing home
lives alone, aged 82
calls per day 1200
phone consultation or face to face
texted 3 times
bleep 4321
extension 4321
call 999
call 111
bed 12 bay 3
ward 7, bed 4
CT at 14:30 on 12/03
weight 82 kg, height 178 cm, BMI 25.9
insulin 10 units at 08:00 and 22:00
1,234,567 cells/mm3
WBC 12,000; ANC 500; CD4 200
http://example.org/guideline/2024/9434765919
page 1234, table 5, section 3.2.1
CKD-EPI 2021, KDIGO 2012, NICE NG203
NICE CG191, TA878
in May 2023 and in June 2024
Type 2 Diabetes, 60 years
the antagonist SR141716A (1 and 3 mg/kg)
the MS Association
blood group number of units
group 3 pulmonary hypertension
Mr Marfan syndrome
the St. Vincent Declaration on diabetes
the Robert Koch Institute recommends
Mary Walker phenomenon
Ann Intern Med 2019;170:1-12
named after Tony Epstein and Yvonne Barr
"""
