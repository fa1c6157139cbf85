"""The fixed words of reports in German."""

from typing import Final

from elcano.activities.phrases.wording import Phrases

PHRASES: Final = Phrases(
    asked="Gefragt:",
    partial="**Teilergebnis:** Der Lauf endete vorzeitig: {reason}.",
    incomplete="**Teilergebnis:** {reason}.",
    endings={
        "stopped": "er wurde angehalten",
        "time": "seine Zeit war aufgebraucht",
        "tokens": "sein Token-Budget war aufgebraucht",
        "cost": "sein Kostenbudget war aufgebraucht",
        "iterations": "alle seine Durchgänge waren aufgebraucht",
        "steps": "alle seine Schritte waren aufgebraucht",
        "stalled": "weitere Suchen fanden nichts Neues",
        "node_failed": "ein Schritt schlug fehl",
        "provider": "ein Anbieter konnte nicht antworten",
        "sections": "nicht jeder Abschnitt ist vollständig",
        "sources": "die Suche war unvollständig",
        "parts": "ein Teil dessen, wonach gefragt war, fehlt",
    },
    warning="**Warnung:**",
    quoted="Dieser Bericht besteht aus wörtlichen Zitaten; er wurde ohne Sprachmodell geschrieben.",
    written="Geschrieben von {models}; jede Fundstelle wurde von Programmcode nachgeschlagen.",
    unread=(
        "Kein Prüfer hat ihn gelesen: Programmcode verglich Zahlen, Namen und Wörter seiner Aussagen mit"
        " dem, was sie zitieren."
    ),
    unnamed="einem Modell ohne Namen",
    not_answered="Es wurde kein Satz gefunden, der als Antwort auf diese Frage zitiert werden kann.",
    no_result="Keine Abfrage ergab ein Ergebnis, das diese Frage beantwortet.",
    key_findings="Wichtigste Ergebnisse",
    limitations="Einschränkungen",
    related="Verwandte Stellen",
    nearest="Nächstliegende Stellen",
    nearest_told="Es sind die nächstliegenden, die gefunden wurden; ob sie die Frage beantworten, ist nicht gesagt.",
    disputed="Was umstritten ist",
    strength="Wie belastbar die Belege sind",
    conclusion="Fazit",
    unverified="Was nicht bestätigt werden konnte",
    warnings="Warnungen",
    what_was_searched="Was durchsucht wurde",
    sources="Quellen: {names}.",
    searched_for="Gesucht nach: {queries}.",
    searched_on="Gesucht am {day}.",
    searched_from="Gesucht vom {first} bis zum {last}.",
    retrieved_on="Abgerufen am {day}.",
    retrieved_from="Abgerufen vom {first} bis zum {last}.",
    references="Quellenverzeichnis",
    section_missing="**Dieser Abschnitt fehlt:** {reason}",
    section_unanswered="Es wurde kein Satz gefunden, der als Antwort auf diesen Abschnitt zitiert werden kann.",
    section_ended="Die Recherche zu diesem Abschnitt endete vorzeitig: {reason}.",
    further="Weitere Stellen",
    nothing_holds="Nichts, was gefunden wurde, enthält genug von der Frage, um als Antwort zitiert zu werden.",
    nothing_found="In den durchsuchten Quellen wurde nichts gefunden.",
    silent="Keine gefundene Stelle erwähnt: ",
    unspoken_part="Keine gefundene Stelle enthält genug von diesem Teil der Frage, um ihn zu beantworten: ",
    unquoted_part="Zu diesem Teil der Frage wurden Stellen gefunden, aber nichts daraus wird als Antwort zitiert: ",
    other_language=(
        "Ob die Quellen diese Frage beantworten, lässt sich nicht sagen: Was gefunden wurde, "
        "ist in einer anderen Sprache als die Frage, und ohne Sprachmodell wird nichts "
        "übersetzt."
    ),
    unknown_language=(
        "Die Wortformen der Sprache dieser Frage sind hier nicht bekannt: Die Wörter wurden "
        "so verglichen, wie sie geschrieben sind."
    ),
    analysis="Statistische Auswertung",
    verdicts={"supported": "Gestützt", "refuted": "Widerlegt", "inconclusive": "Nicht entschieden"},
)
