"""Pairs of names of outcomes and groups: what differs by one small word, and what differs in form alone."""

from typing import Final

OTHERS: Final = """
time-of-death | time-to-death
rate-of-rise | rate-of-fall
vitamin-A-level | vitamin-level
EGFR-del-19 response | EGFR-19 response
17p-del-patients survival | 17p-patients survival
wild-del-mutant | wild-mutant
en-de-BLEU | en-BLEU
response | no response
on-pump surgery | off-pump surgery
vitamin A | vitamin
vitamin A intake | vitamin D intake
vitamin a | vitamin
type 1 diabetes | type 2 diabetes
grade 3 toxicity | grade 4 toxicity
with stent | without stent
at least one relapse | at most one relapse
pain at rest | pain on rest
death or stroke | death and stroke
in complete remission | incomplete remission
fatal stroke | non-fatal stroke
symptomatic embolism | asymptomatic embolism
hypoglycaemia | hyperglycaemia
bleeding before surgery | bleeding after surgery
bleeding within 30 days | bleeding beyond 30 days
less than 50 % stenosis | more than 50 % stenosis
stenosis ≥ 50 % | stenosis < 50 %
no. of relapses | no relapses
medical errors | medication errors
margin position | positive margin
HER2+ tumours | HER2- tumours
interferon alpha | interferon beta
factor V deficiency | factor X deficiency
high dose | higher dose
pain without nausea | nausea without pain
grade 3 rash at week 4 | grade 4 rash at week 3
all deaths | deaths
never smokers | ever smokers
in-hospital death | out-of-hospital death
death | death from any cause
mortality | mortality under treatment
heparin before aspirin | aspirin before heparin
NO levels | no levels
ALL relapse | all relapse
AED use | ED use
event-free survival | event survival
switch from warfarin to apixaban | switch from apixaban to warfarin
aspirin and clopidogrel | aspirin or clopidogrel
PD-L1 ≥ 1 % | PD-L1 < 1 %
weeks 4-12 | weeks 4-8
dose of 0.5 mg | dose of 5 mg
dose 10⁶ | dose 10⁹
stage IIIA | stage IIIB
treatment | no treatment
on treatment | off treatment
Ansprechen | kein Ansprechen
mit Stent | ohne Stent
mit Fieber | ohne Fieber
Vitamin B | Vitamin C
Typ-1-Diabetes | Typ-2-Diabetes
Tod oder Schlaganfall | Tod und Schlaganfall
Blutung vor der Operation | Blutung nach der Operation
mindestens ein Rückfall | höchstens ein Rückfall
weniger als 3 Rückfälle | mehr als 3 Rückfälle
tödlicher Infarkt | nicht tödlicher Infarkt
Schmerzen in Ruhe | Schmerzen ohne Ruhe
Lebensqualität | Leberqualität
große Blutung | größere Blutung
niemals Raucher | Raucher
Übelkeit mit Erbrechen | Übelkeit ohne Erbrechen
unter Therapie | nach Therapie
Hepatitis A | Hepatitis B
keine Komplikation | eine Komplikation
Grad III | Grad IV
innerhalb von 30 Tagen | nach 30 Tagen
réponse | pas de réponse
avec récidive | sans récidive
récidive | jamais de récidive
vitamine D | vitamine E
diabète de type 1 | diabète de type 2
décès ou infarctus | décès et infarctus
avant l'opération | après l'opération
au moins une rechute | au plus une rechute
moins de 3 rechutes | plus de 3 rechutes
infarctus mortel | infarctus non mortel
douleur au repos | douleur sans repos
saignement sous traitement | saignement hors traitement
décès à 30 jours | décès à 90 jours
ni douleur ni fièvre | douleur fièvre
hépatite B | hépatite C
dans l'hôpital | hors de l'hôpital
respuesta | sin respuesta
con dolor | sin dolor
recaída | no recaída
vitamina A | vitamina B
diabetes tipo 1 | diabetes tipo 2
muerte o ictus | muerte y ictus
antes de la cirugía | después de la cirugía
al menos una recaída | como máximo una recaída
menos de 3 recaídas | más de 3 recaídas
infarto mortal | infarto no mortal
dos episodios | episodios
nº de eventos | no eventos
años libres | anos libres
fuera del hospital | dentro del hospital
nunca fumadores | fumadores
bajo tratamiento | sin tratamiento
con recidiva | senza recidiva
prima dell'intervento | dopo l'intervento
risposta | nessuna risposta
com dor | sem dor
antes da cirurgia | depois da cirurgia
met pijn | zonder pijn
dood of beroerte | dood en beroerte
voor de operatie | na de operatie
geen respons | respons
反应 | 无反应
术前疼痛 | 术后疼痛
反応あり | 反応なし
維生素A | 維生素
반응 있음 | 반응 없음
ปวด | ไม่ปวด
"""
"""Never pooled."""
SAME: Final = """
quality-of-life | quality of life
length-of-stay | length of the stay
İNME | inme
kan bas\u0131nc\u0131 | KAN BASINCI
объём сердца | объем сердца
haemorrhage | hemorrhage
Tumour response | tumor responses
anaemia | anemia
diarrhoea | diarrhea
ischaemic stroke | ischemic stroke
oesophageal cancer | esophageal cancers
hospitalisation | hospitalizations
behavioural change | behavioral changes
catheterisation | catheterization
labour pain | labor pain
leukaemia | leukemia
paediatric patients | pediatric patients
counselling | counseling
sulphonylurea | sulfonylurea
fibre intake | fiber intake
NAUSEA AND VOMITING | nausea and vomiting
nausea & vomiting | vomiting and nausea
follow-up | followup
follow-up time | time of follow up
length of hospital stay | hospital stay length
the length of stay | length of stay
quality of life | life quality
use of a stent | use of stents
non-fatal stroke | nonfatal stroke
non fatal stroke | non-fatal strokes
re-admission | readmission
on-pump surgery | on pump surgery
in-hospital death | in hospital deaths
health-care costs | healthcare cost
30-day mortality | mortality at 30 days
six-month survival | 6-month survival
one-year survival | 1-year survival
type II diabetes | type 2 diabetes
TNF-\u03b1 | TNF-alpha
β-blocker | beta-blockers
IL-6 | IL 6
diagnosis | diagnoses
metastasis | metastases
biopsy | biopsies
deaths | mortality
Crohn's disease | Crohn disease
patients' satisfaction | patient satisfaction
mortality, all-cause | all cause mortality
loss of weight | weight loss
X-ray | Xray
drop-outs | dropout
1,000 mg | 1000 mg
twelve weeks | 12 weeks
0.5 mg aspirin | aspirin 0·5 mg
stenosis >= 50 % | stenosis ≥ 50%
vitamin A | Vitamin A
Todesfall | Todesfälle
schwere Blutung | schwere Blutungen
Wundinfektion | Wundinfektionen
Krankenhaus | Krankenhäuser
die Dauer des Aufenthalts | Dauer der Aufenthalte
Schlaganfall-Rate | Schlaganfallrate
30-Tage-Mortalität | 30-Tage Mortalität
Übelkeit und Erbrechen | Erbrechen und Übelkeit
Rückfall | RÜCKFALL
ein Rückfall | Rückfälle
das Risiko eines Infarkts | Risiko des Infarktes
Fußschmerz | Fussschmerz
Herz-Kreislauf-Tod | Herzkreislauftod
Typ-2-Diabetes | Typ 2 Diabetes
Lebensqualität der Patienten | die Lebensqualität von Patienten
Komplikation | Komplikationen
Lebensqualitaet | Lebensqualität
Sturz | Stürze
Re-Infarkt | Reinfarkt
Vitamin-D-Mangel | Vitamin D-Mangel
Zeit ohne Schmerzen | die Zeit ohne Schmerzen
décès | le décès
récidive | récidives
hémorragie grave | hémorragies graves
insuffisance rénale | insuffisances rénales
l'infarctus du myocarde | infarctus de myocarde
risque de décès | Risque du décès
hôpital | hôpitaux
durée du séjour | la durée de séjour
accident vasculaire cérébral | ACCIDENT VASCULAIRE CÉRÉBRAL
nausées et vomissements | vomissements et nausées
qualité de la vie | qualité de vie
une rechute | rechutes
ré-hospitalisation | réhospitalisation
œdème | oedème
effet indésirable | effets indésirables
post-opératoire | postopératoire
douleur sans fièvre | la douleur sans fièvre
muerte | las muertes
recaída | recaídas
infección urinaria | infecciones urinarias
hemorragia grave | hemorragias graves
el infarto de miocardio | infarto del miocardio
calidad de la vida | calidad de vida
náuseas y vómitos | vómitos y náuseas
duración de la estancia | la duración de estancia
cicatriz | cicatrices
una recaída | recaída
re-ingreso | reingreso
efecto adverso | efectos adversos
mortalidad a los 30 días | mortalidad a 30 días
Dolor Abdominal | dolor abdominal
infezione grave | infezioni gravi
la recidiva | recidive
l'ictus | ictus
infecção urinária | infecções urinárias
hospital | hospitais
a dor | dores
bloeding | bloedingen
de kwaliteit van het leven | kwaliteit van leven
生活の質 | 生活質
术后的疼痛 | 术后疼痛
คุณภาพของชีวิต | คุณภาพชีวิต
"""
"""Pooled."""


def list_pairs(written: str) -> list[tuple[str, str]]:
    """The pairs of a text, one a line."""
    pairs = [line.split(" | ") for line in written.splitlines() if line]
    return [(one, other) for one, other in pairs]
