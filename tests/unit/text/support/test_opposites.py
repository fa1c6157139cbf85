"""A sentence of the same words that says the opposite supports nothing; another form of the same sentence does."""

import pytest

from elcano.text.support.missing_facts import Statement
from elcano.text.support.opposites import count_opposites
from elcano.text.support.statement_check import judge_statement

TURNED = """
Most patients completed the trial. | Few patients completed the trial.
The bridge was closed before the storm. | The bridge was closed after the storm.
The ships sailed north from the harbour. | The ships sailed south from the harbour.
The museum opens on Monday. | The museum opens on Tuesday.
The left kidney was removed. | The right kidney was removed.
The study included only women. | The study included only men.
The first trial was stopped early. | The second trial was stopped early.
The vaccine is safe for children. | The vaccine is unsafe for children.
Smokers had a greater risk of stroke. | Non-smokers had a greater risk of stroke.
Hypertension was common in the group. | Hypotension was common in the group.
The parcels arrived in May. | The parcels arrived in June.
Oil imports exceeded exports. | Oil exports exceeded imports.
The lake never freezes in winter. | The lake always freezes in winter.
Alle Proben waren sauber. | Keine der Proben war sauber.
Die Preise stiegen im Sommer. | Die Preise sanken im Sommer.
Die Patienten ohne Diabetes lebten länger. | Die Patienten mit Diabetes lebten länger.
Der Wirkstoff ist für Kinder geeignet. | Der Wirkstoff ist für Kinder ungeeignet.
Les prix ont augmenté en été. | Les prix ont baissé en été.
Le parti a gagné les élections. | Le parti a perdu les élections.
Le musée ouvre le lundi. | Le musée ouvre le mardi.
El puente se construyó antes de la guerra. | El puente se construyó después de la guerra.
All members except Hungary voted for it. | All members including Hungary voted for it.
Only minors are exempt. | Only adults are exempt.
She won in straight sets, 6-4, 6-2. | She lost 6-4, 6-2 in straight sets.
The Senate passed the bill by 52 votes to 48. | The Senate rejected the bill by 52 votes to 48.
The glacier retreated in the last century. | The glacier advanced in the last century.
Interest is compounded quarterly. | Interest is compounded monthly.
The tenant must give notice. | The landlord must give notice.
Зарплата выросла на 10 процентов. | Зарплата снизилась на 10 процентов.
Fiyatlar geçen yıl arttı. | Fiyatlar geçen yıl düştü.
The appeal was dismissed by the court. | The appeal was allowed by the court.
La velocidad máxima es de 120 km/h. | La velocidad mínima es de 120 km/h.
La empresa contrató a más ingenieros. | La empresa contrató a menos ingenieros.
"""
SAME = """
The effect was not significant. | The effect wasn't significant.
The drug is unsafe for children. | The drug is not safe for children.
Prices rose in summer. | In summer, prices increased.
The engine is quieter than its predecessor. | Its predecessor was louder than the engine.
Symptoms were mild in most patients. | Most patients had mild symptoms.
Type 2 diabetes was associated with the gene. | The gene was associated with type II diabetes.
Nur die Kinder wurden geimpft. | Geimpft wurden nur die Kinder.
La prueba fue positiva en la mayoría. | En la mayoría la prueba fue positiva.
"""


def split_pairs(lines: str) -> list[list[str]]:
    return [[part.strip() for part in line.split("|")] for line in lines.strip().split("\n")]


@pytest.mark.parametrize(("said", "quote"), split_pairs(TURNED))
def test_a_word_that_excludes_the_one_of_the_quote_is_an_objection(said: str, quote: str) -> None:
    assert judge_statement(Statement(said, (quote,))).support != "unchecked"
    assert judge_statement(Statement(quote, (said,))).support != "unchecked"


@pytest.mark.parametrize(("said", "quote"), split_pairs(SAME))
def test_another_form_of_a_sentence_is_none(said: str, quote: str) -> None:
    assert judge_statement(Statement(said, (quote,))).support == "unchecked"


def test_a_word_beside_its_opposite_excludes_nothing() -> None:
    assert count_opposites("Sales rose.", "Sales rose in spring and fell in autumn.") == 0
