"""The fixed words of reports in Dutch."""

from typing import Final

from elcano.activities.phrases.wording import Phrases

PHRASES: Final = Phrases(
    asked="Gevraagd:",
    partial="**Gedeeltelijk:** de uitvoering eindigde vroegtijdig: {reason}.",
    incomplete="**Gedeeltelijk:** {reason}.",
    endings={
        "stopped": "ze werd gestopt",
        "time": "haar tijd was op",
        "tokens": "haar tokenbudget was op",
        "cost": "haar kostenbudget was op",
        "iterations": "al haar iteraties waren gebruikt",
        "steps": "al haar stappen waren gebruikt",
        "stalled": "verdere zoekopdrachten vonden niets nieuws",
        "node_failed": "een stap mislukte",
        "provider": "een aanbieder kon niet antwoorden",
        "sections": "niet elke sectie is volledig",
        "sources": "de zoekopdracht was onvolledig",
        "parts": "een deel van wat werd gevraagd ontbreekt",
    },
    warning="**Waarschuwing:**",
    quoted="Dit rapport bestaat uit letterlijke citaten; er is geen taalmodel gebruikt om het te schrijven.",
    written="Geschreven door {models}; elke verwijzing is door code opgezocht.",
    unread=(
        "Geen beoordelaar heeft het gelezen: het programma vergeleek de cijfers, namen en woorden van de"
        " uitspraken met wat zij citeren."
    ),
    unnamed="een model zonder naam",
    not_answered="Er is geen zin gevonden die als antwoord op deze vraag kan worden geciteerd.",
    no_result="Geen enkele zoekopdracht gaf een resultaat dat deze vraag beantwoordt.",
    key_findings="Belangrijkste bevindingen",
    limitations="Beperkingen",
    related="Verwante passages",
    nearest="Dichtstbijzijnde passages",
    nearest_told="Het zijn de dichtstbijzijnde die zijn gevonden; of zij de vraag beantwoorden, is niet gezegd.",
    disputed="Wat omstreden is",
    strength="Hoe sterk het bewijs is",
    conclusion="Conclusie",
    unverified="Wat niet kon worden bevestigd",
    warnings="Waarschuwingen",
    what_was_searched="Wat is doorzocht",
    sources="Bronnen: {names}.",
    searched_for="Gezocht naar: {queries}.",
    searched_on="Gezocht op {day}.",
    searched_from="Gezocht van {first} tot {last}.",
    retrieved_on="Opgehaald op {day}.",
    retrieved_from="Opgehaald van {first} tot {last}.",
    references="Verwijzingen",
    section_missing="**Deze sectie ontbreekt:** {reason}",
    section_unanswered="Er is geen zin gevonden die als antwoord op dit onderdeel kan worden geciteerd.",
    section_ended="Het onderzoek voor deze sectie eindigde vroegtijdig: {reason}.",
    further="Verdere passages",
    nothing_holds="Niets van wat is gevonden bevat genoeg van de vraag om als antwoord te worden geciteerd.",
    nothing_found="In de doorzochte bronnen is niets gevonden.",
    silent="Geen gevonden passage vermeldt: ",
    unspoken_part="Geen gevonden passage bevat genoeg van dit deel van de vraag om het te beantwoorden: ",
    unquoted_part=(
        "Over dit deel van de vraag zijn passages gevonden, maar niets daaruit wordt als antwoord geciteerd: "
    ),
    other_language=(
        "Of de bronnen deze vraag beantwoorden, is niet te zeggen: wat is gevonden, is in een "
        "andere taal dan de vraag, en zonder taalmodel wordt niets vertaald."
    ),
    unknown_language=(
        "De woordvormen van de taal van deze vraag zijn hier niet bekend: woorden zijn "
        "vergeleken zoals ze geschreven zijn."
    ),
    analysis="Statistische analyse",
    verdicts={"supported": "Ondersteund", "refuted": "Weerlegd", "inconclusive": "Niet doorslaggevend"},
)
