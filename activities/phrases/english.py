"""The fixed words of reports in English."""

from typing import Final

from elcano.activities.phrases.wording import Phrases

PHRASES: Final = Phrases(
    asked="Asked:",
    partial="**Partial:** the run ended early, because {reason}.",
    incomplete="**Partial:** {reason}.",
    endings={
        "stopped": "it was stopped",
        "time": "its time was used up",
        "tokens": "its token budget was used up",
        "cost": "its cost budget was used up",
        "iterations": "all its iterations were used",
        "steps": "all its steps were used",
        "stalled": "further searches found nothing new",
        "node_failed": "a step failed",
        "provider": "a provider could not answer",
        "sections": "not every section is complete",
        "sources": "the search was incomplete",
        "parts": "a part of what was asked for is missing",
    },
    warning="**Warning:**",
    quoted="This report consists of literal quotations; no language model was used to write it.",
    written="Written by {models}; every citation was looked up by code.",
    unread="No reviewer read it: code compared the figures, names and words of its statements with what they quote.",
    unnamed="an unnamed model",
    not_answered="No sentence was found that may be quoted as an answer to this question.",
    no_result="No query gave a result that answers this question.",
    key_findings="Key findings",
    limitations="Limitations",
    related="Related passages",
    nearest="Nearest passages",
    nearest_told="They are the nearest that were found; they may not answer the question.",
    disputed="What is disputed",
    strength="How strong the evidence is",
    conclusion="Conclusion",
    unverified="What could not be verified",
    warnings="Warnings",
    what_was_searched="What was searched",
    sources="Sources: {names}.",
    searched_for="Searched for: {queries}.",
    searched_on="Searched on {day}.",
    searched_from="Searched from {first} to {last}.",
    retrieved_on="Retrieved on {day}.",
    retrieved_from="Retrieved from {first} to {last}.",
    references="References",
    section_missing="**This section is missing:** {reason}",
    section_unanswered="No sentence was found that may be quoted as an answer to this section.",
    section_ended="The research on this section ended early: {reason}.",
    further="Further passages",
    nothing_holds="Nothing that was found holds enough of the question to be quoted as its answer.",
    nothing_found="Nothing was found in the sources that were searched.",
    silent="No passage that was found mentions: ",
    unspoken_part="No passage that was found holds enough of this part of the question to answer it: ",
    unquoted_part="Passages on this part of the question were found, but nothing in them is quoted as its answer: ",
    other_language=(
        "Whether the sources answer this cannot be told: what was found is in another "
        "language than the question, and without a language model nothing is translated."
    ),
    unknown_language=(
        "The forms of words of this question's language are not known here: words were compared as they are written."
    ),
    analysis="Statistical analysis",
    verdicts={"supported": "Supported", "refuted": "Refuted", "inconclusive": "Inconclusive"},
)
