"""The fixed words of reports in Spanish."""

from typing import Final

from elcano.activities.phrases.wording import Phrases

PHRASES: Final = Phrases(
    asked="Pregunta:",
    partial="**Parcial:** la ejecución terminó antes de tiempo: {reason}.",
    incomplete="**Parcial:** {reason}.",
    endings={
        "stopped": "se detuvo",
        "time": "se agotó su tiempo",
        "tokens": "se agotó su presupuesto de tokens",
        "cost": "se agotó su presupuesto de costes",
        "iterations": "se usaron todas sus iteraciones",
        "steps": "se usaron todos sus pasos",
        "stalled": "las búsquedas siguientes no encontraron nada nuevo",
        "node_failed": "falló un paso",
        "provider": "un proveedor no pudo responder",
        "sections": "no todas las secciones están completas",
        "sources": "la búsqueda quedó incompleta",
        "parts": "falta una parte de lo que se pidió",
    },
    warning="**Advertencia:**",
    quoted="Este informe consta de citas literales; no se usó ningún modelo de lenguaje para escribirlo.",
    written="Escrito por {models}; cada cita fue comprobada por el programa.",
    unread=(
        "Ningún revisor lo leyó: el programa comparó las cifras, los nombres y las palabras de sus "
        "afirmaciones con lo que citan."
    ),
    unnamed="un modelo sin nombre",
    not_answered="No se encontró ninguna frase que pueda citarse como respuesta a esta pregunta.",
    no_result="Ninguna consulta dio un resultado que responda a esta pregunta.",
    key_findings="Hallazgos principales",
    limitations="Limitaciones",
    related="Pasajes relacionados",
    nearest="Pasajes más cercanos",
    nearest_told="Son los más cercanos que se encontraron; puede que no respondan a la pregunta.",
    disputed="Qué está en discusión",
    strength="Solidez de las pruebas",
    conclusion="Conclusión",
    unverified="Qué no se pudo verificar",
    warnings="Advertencias",
    what_was_searched="Qué se buscó",
    sources="Fuentes: {names}.",
    searched_for="Se buscó: {queries}.",
    searched_on="Búsqueda del {day}.",
    searched_from="Búsquedas del {first} al {last}.",
    retrieved_on="Obtenido el {day}.",
    retrieved_from="Obtenido del {first} al {last}.",
    references="Referencias",
    section_missing="**Falta esta sección:** {reason}",
    section_unanswered="No se encontró ninguna frase que pueda citarse como respuesta a esta sección.",
    section_ended="La investigación de esta sección terminó antes de tiempo: {reason}.",
    further="Otros pasajes",
    nothing_holds="Nada de lo encontrado contiene lo suficiente de la pregunta para citarlo como respuesta.",
    nothing_found="No se encontró nada en las fuentes consultadas.",
    silent="Ningún pasaje encontrado menciona: ",
    unspoken_part="Ningún pasaje encontrado contiene lo suficiente de esta parte de la pregunta para responderla: ",
    unquoted_part=(
        "Se encontraron pasajes sobre esta parte de la pregunta, pero nada de ellos se cita como respuesta: "
    ),
    other_language=(
        "No se puede saber si las fuentes responden a esta pregunta: lo encontrado está en "
        "otro idioma que la pregunta, y sin un modelo de lenguaje no se traduce nada."
    ),
    unknown_language=(
        "Aquí no se conocen las formas de las palabras del idioma de esta pregunta: las "
        "palabras se compararon tal como están escritas."
    ),
    analysis="Análisis estadístico",
    verdicts={"supported": "Respaldada", "refuted": "Refutada", "inconclusive": "No concluyente"},
)
