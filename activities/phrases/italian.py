"""The fixed words of reports in Italian."""

from typing import Final

from elcano.activities.phrases.wording import Phrases

PHRASES: Final = Phrases(
    asked="Domanda:",
    partial="**Parziale:** l'esecuzione è terminata in anticipo: {reason}.",
    incomplete="**Parziale:** {reason}.",
    endings={
        "stopped": "è stata fermata",
        "time": "il suo tempo era esaurito",
        "tokens": "il suo budget di token era esaurito",
        "cost": "il suo budget di costi era esaurito",
        "iterations": "tutte le sue iterazioni erano esaurite",
        "steps": "tutti i suoi passi erano esauriti",
        "stalled": "altre ricerche non hanno trovato nulla di nuovo",
        "node_failed": "un passo non è riuscito",
        "provider": "un fornitore non ha potuto rispondere",
        "sections": "non tutte le sezioni sono complete",
        "sources": "la ricerca è incompleta",
        "parts": "manca una parte di quanto richiesto",
    },
    warning="**Avviso:**",
    quoted=(
        "Questo rapporto è composto di citazioni letterali; nessun modello linguistico è stato usato per scriverlo."
    ),
    written="Scritto da {models}; ogni citazione è stata verificata dal programma.",
    unread=(
        "Nessun revisore lo ha letto: il programma ha confrontato le cifre, i nomi e le parole delle sue"
        " affermazioni con ciò che citano."
    ),
    unnamed="un modello senza nome",
    not_answered="Non è stata trovata alcuna frase che si possa citare come risposta a questa domanda.",
    no_result="Nessuna interrogazione ha dato un risultato che risponda a questa domanda.",
    key_findings="Risultati principali",
    limitations="Limiti",
    related="Passi correlati",
    nearest="Passi più vicini",
    nearest_told="Sono i più vicini tra quelli trovati; può darsi che non rispondano alla domanda.",
    disputed="Che cosa è controverso",
    strength="Quanto sono solide le prove",
    conclusion="Conclusione",
    unverified="Che cosa non si è potuto verificare",
    warnings="Avvisi",
    what_was_searched="Che cosa è stato cercato",
    sources="Fonti: {names}.",
    searched_for="Cercato: {queries}.",
    searched_on="Ricerca del {day}.",
    searched_from="Ricerche dal {first} al {last}.",
    retrieved_on="Consultato il {day}.",
    retrieved_from="Consultato dal {first} al {last}.",
    references="Riferimenti",
    section_missing="**Questa sezione manca:** {reason}",
    section_unanswered="Non è stata trovata alcuna frase che si possa citare come risposta a questa sezione.",
    section_ended="La ricerca su questa sezione è terminata in anticipo: {reason}.",
    further="Altri passi",
    nothing_holds=(
        "Nulla di ciò che è stato trovato contiene abbastanza della domanda da essere citato come risposta."
    ),
    nothing_found="Non è stato trovato nulla nelle fonti consultate.",
    silent="Nessun passo trovato menziona: ",
    unspoken_part="Nessun passo trovato contiene abbastanza di questa parte della domanda da rispondervi: ",
    unquoted_part=("Sono stati trovati passi su questa parte della domanda, ma nulla di essi è citato come risposta: "),
    other_language=(
        "Non si può dire se le fonti rispondano a questa domanda: ciò che è stato trovato è "
        "in una lingua diversa da quella della domanda, e senza un modello linguistico nulla "
        "viene tradotto."
    ),
    unknown_language=(
        "Le forme delle parole della lingua di questa domanda qui non sono note: le parole "
        "sono state confrontate così come sono scritte."
    ),
    analysis="Analisi statistica",
    verdicts={"supported": "Sostenuta", "refuted": "Confutata", "inconclusive": "Non conclusiva"},
)
