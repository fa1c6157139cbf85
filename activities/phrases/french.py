"""The fixed words of reports in French."""

from typing import Final

from elcano.activities.phrases.wording import Phrases

PHRASES: Final = Phrases(
    asked="Question :",
    partial="**Partiel :** l'exécution s'est terminée plus tôt que prévu : {reason}.",
    incomplete="**Partiel :** {reason}.",
    endings={
        "stopped": "elle a été arrêtée",
        "time": "son temps était épuisé",
        "tokens": "son budget de jetons était épuisé",
        "cost": "son budget de coûts était épuisé",
        "iterations": "toutes ses itérations étaient utilisées",
        "steps": "toutes ses étapes étaient utilisées",
        "stalled": "les recherches suivantes n'ont rien trouvé de nouveau",
        "node_failed": "une étape a échoué",
        "provider": "un fournisseur n'a pas pu répondre",
        "sections": "toutes les sections ne sont pas complètes",
        "sources": "la recherche est incomplète",
        "parts": "une partie de ce qui était demandé manque",
    },
    warning="**Avertissement :**",
    quoted="Ce rapport est composé de citations littérales ; aucun modèle de langage n'a servi à l'écrire.",
    written="Écrit par {models} ; chaque citation a été vérifiée par le programme.",
    unread=(
        "Aucun relecteur ne l’a lu : le programme a comparé les chiffres, les noms et les mots de ses "
        "énoncés avec ce qu’ils citent."
    ),
    unnamed="un modèle sans nom",
    not_answered="Aucune phrase pouvant être citée en réponse à cette question n’a été trouvée.",
    no_result="Aucune requête n’a donné de résultat qui réponde à cette question.",
    key_findings="Principaux résultats",
    limitations="Limites",
    related="Passages apparentés",
    nearest="Passages les plus proches",
    nearest_told="Ce sont les plus proches parmi ceux trouvés ; rien ne dit qu’ils répondent à la question.",
    disputed="Ce qui est contesté",
    strength="Solidité des preuves",
    conclusion="Conclusion",
    unverified="Ce qui n'a pas pu être vérifié",
    warnings="Avertissements",
    what_was_searched="Ce qui a été recherché",
    sources="Sources : {names}.",
    searched_for="Recherches : {queries}.",
    searched_on="Recherche du {day}.",
    searched_from="Recherches du {first} au {last}.",
    retrieved_on="Consulté le {day}.",
    retrieved_from="Consulté du {first} au {last}.",
    references="Références",
    section_missing="**Cette section manque :** {reason}",
    section_unanswered="Aucune phrase pouvant être citée en réponse à cette section n’a été trouvée.",
    section_ended="La recherche sur cette section s'est terminée plus tôt que prévu : {reason}.",
    further="Autres passages",
    nothing_holds="Rien de ce qui a été trouvé ne contient assez de la question pour être cité comme réponse.",
    nothing_found="Rien n'a été trouvé dans les sources consultées.",
    silent="Aucun passage trouvé ne mentionne : ",
    unspoken_part="Aucun passage trouvé ne contient assez de cette partie de la question pour y répondre : ",
    unquoted_part=(
        "Des passages sur cette partie de la question ont été trouvés, mais rien n'en est cité comme réponse : "
    ),
    other_language=(
        "On ne peut pas dire si les sources répondent à cette question : ce qui a été trouvé "
        "est dans une autre langue que la question, et sans modèle de langage rien n'est "
        "traduit."
    ),
    unknown_language=(
        "Les formes des mots de la langue de cette question ne sont pas connues ici : les "
        "mots ont été comparés tels qu'ils sont écrits."
    ),
    analysis="Analyse statistique",
    verdicts={"supported": "Confirmée", "refuted": "Réfutée", "inconclusive": "Non concluante"},
)
