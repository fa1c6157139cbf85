"""Amounts whose words or marks could be read in two ways: they pass on what they say, and on nothing else."""

import pytest

from elcano.text.support.missing_facts import Statement, figures_unquoted

SAME = (
    ("More than ten patients died in the trial.", "Over 10 patients died in the trial."),
    ("No more than ten patients died.", "At most ten patients died."),
    ("The project cost 3,200 million euros.", "El proyecto costó 3.200 millones de euros."),
    ("Die Kosten betrugen 3.200 Millionen Euro.", "The cost was 3.2 billion euros."),
    ("12,500 kg", "12,500 kg"),
    ("The dose was 1,204 mg in the trial.", "| dose | 1,204 mg |"),
    ("Das Gewicht war 12.500 kg.", "The weight was 12,500 kg."),
    ("Deaths halved after the change.", "Deaths fell by 50 % after the change."),
    ("Deaths halved after the change.", "Deaths fell from 40 to 20 after the change."),
    ("Deaths halved after the change.", "Deaths were cut in half."),
    ("Deaths fell by 50 % after the change.", "Deaths halved after the change."),
    ("Deaths doubled after the change.", "Deaths rose by 100 % after the change."),
    ("Die Zahl der Todesfälle hat sich verdoppelt.", "Deaths rose from 20 to 40."),
    ("The man weighed 158 lb.", "The man weighed 11 st 4 lb."),
    ("The man weighed 11 stone 4 pounds.", "The man weighed 71.7 kg."),
    ("Había mil doscientos pacientes.", "There were 1,200 patients."),
    ("Había 2200 pacientes.", "Había dos mil doscientos pacientes."),
    ("Il y avait mille deux cents patients.", "There were 1,200 patients."),
    ("Tausend Menschen starben in der Stadt.", "1,000 people died in the city."),
    ("There were 0 men in the group.", "There were no men in the group."),
    ("Se incluyeron mil doscientas mujeres en el estudio.", "1,200 women took part."),
    ("Murieron tres millones doscientas mil personas en la guerra.", "3.2 million people died."),
    ("C'erano milleduecento pazienti nello studio.", "There were 1,200 patients."),
    ("Er waren duizend tweehonderd patiënten in het onderzoek.", "There were 1,200 patients."),
    ("Deaths fell by half.", "Deaths fell from 40 to 20."),
    ("Les décès ont été réduits de moitié.", "Les décès ont baissé de 50 %."),
    ("He is 5 ft 11 in tall.", "He is 71 inches tall."),
    ("No men died in the group.", "3 men joined the group, and none of them died."),
)
OTHER = (
    ("Fewer than ten patients died in the trial.", "More than ten patients died in the trial."),
    ("No more than ten patients died.", "More than ten patients died."),
    ("Weniger als zehn Patienten starben.", "Mehr als zehn Patienten starben."),
    ("Menos de diez pacientes murieron.", "Más de diez pacientes murieron."),
    ("Moins de dix patients sont morts.", "Plus de dix patients sont morts."),
    ("El coste fue de 3.200 millones de euros.", "El coste fue de 3,2 millones de euros."),
    ("The project cost 3.2 million euros.", "El proyecto costó 3.200 millones de euros."),
    ("12,500 kg", "12.5 kg"),
    ("12.5 kg", "12,500 kg"),
    ("12.500 kg", "12,5 kg"),
    ("The load was 12.5 kg in the test.", "The load was 12,500 kg in the test."),
    ("Das Gewicht war 12.500 kg.", "The weight was 12.5 kg."),
    ("Deaths halved after the change.", "Deaths fell by 30 % after the change."),
    ("Deaths halved after the change.", "Deaths fell from 40 to 30 after the change."),
    ("Deaths doubled after the change.", "Deaths rose by 30 % after the change."),
    ("The man weighed 11 stone 4 pounds.", "The man weighed 11 stone 5 pounds."),
    ("Había mil doscientos pacientes.", "There were 1,300 patients."),
    ("Murieron mil personas en la ciudad.", "2,000 people died in the city."),
    ("There were 0 men in the group.", "There were 3 men in the group."),
    ("Il y avait mille patients dans cette étude.", "There were 1,100 patients."),
    ("C'erano milleduecento pazienti nello studio.", "There were 1,300 patients."),
    ("Deaths were cut in half.", "Deaths fell by 30 %."),
    ("Las muertes se redujeron a la mitad.", "Las muertes bajaron un 30 %."),
    ("He is 5 ft 11 in tall.", "He is 72 inches tall."),
    ("No men died in the group.", "3 men died in the group."),
)


@pytest.mark.parametrize(("said", "there"), SAME)
def test_the_same_amount_is_found(said: str, there: str) -> None:
    assert figures_unquoted(Statement(said, (there,))) == ()


@pytest.mark.parametrize(("said", "there"), OTHER)
def test_another_amount_is_not(said: str, there: str) -> None:
    assert figures_unquoted(Statement(said, (there,)))
