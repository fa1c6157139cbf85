"""The headings and sentences of a report that code writes, in the language of its question.

`Phrases` has them in English, a catalogue of gettext next to this file (`de.po`) in each other language. What a
language lacks is said in English, never left out; that is so of warnings and of what services answer.

Reasons that code gives for a doubt are kept in English, for models and programs, and translated where they are shown.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final

from elcano.text.languages import language_of, languages_of, text_language

CATALOGUES: Final = Path(__file__).parent
_ENDINGS: Final[Mapping[str, str]] = {
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
}
_VERDICTS: Final[Mapping[str, str]] = {"supported": "Supported", "refuted": "Refuted", "inconclusive": "Inconclusive"}


@dataclass(frozen=True)
class Phrases:
    """The words of one language. A `{name}` is filled in by `format`, and each of its kind has to be there."""

    asked: str = "Asked:"
    partial: str = "**Partial:** the run ended early, because {reason}."
    incomplete: str = "**Partial:** {reason}."
    """Says that the run was complete and something is missing, with `{reason}`."""
    endings: Mapping[str, str] = field(default_factory=lambda: _ENDINGS)
    """Why a report is partial, by the kind of its run's ending; those of early ends follow `because`."""
    warning: str = "**Warning:**"
    quoted: str = "This report consists of literal quotations; no language model was used to write it."
    written: str = "Written by {models}; every citation was looked up by code."
    """Says that `{models}` wrote it, and what was checked."""
    unread: str = (
        "No model reviewed it; code compared the figures, names and words of its statements with their quotes."
    )
    """Says that no reviewer read it, and what code compared."""
    unnamed: str = "an unnamed model"
    not_answered: str = "No sentence was found that can be quoted as an answer to this question."
    """Says that no quotable sentence was found: whether the sources answer it is unknown."""
    silent_passages: str = "The passages found do not answer this question."
    no_result: str = "No query returned a result that answers this question."
    key_findings: str = "Key findings"
    limitations: str = "Limitations"
    related: str = "Related passages"
    nearest: str = "Nearest passages"
    nearest_passages: str = "These are the nearest passages found; they may not answer the question."
    disputed: str = "What is disputed"
    strength: str = "How strong the evidence is"
    conclusion: str = "Conclusion"
    unverified: str = "What could not be verified"
    warnings: str = "Warnings"
    what_was_searched: str = "What was searched"
    sources: str = "Sources: {names}."
    searched_for: str = "Searched for: {queries}."
    searched_on: str = "Searched on {day}."
    searched_from: str = "Searched from {first} to {last}."
    retrieved_on: str = "Retrieved on {day}."
    retrieved_from: str = "Retrieved from {first} to {last}."
    references: str = "References"
    section_missing: str = "**This section is missing:** {reason}"
    section_unanswered: str = "No sentence was found that can be quoted as an answer to this section."
    section_ended: str = "The research on this section ended early: {reason}."
    further: str = "Further passages"
    nothing_holds: str = "Nothing found shares enough with the question to be quoted as its answer."
    nothing_found: str = "Nothing was found in the sources searched."
    silent: str = "No passage found mentions: {words}."
    unspoken_part: str = "No passage found says enough about this part of the question to answer it: {part}."
    """With a `{part}` of the question that nothing speaks to."""
    unquoted_part: str = (
        "Passages on this part of the question were found, but nothing in them is quoted as its answer: {part}."
    )
    """With a `{part}` of which passages were found and nothing is quoted."""
    other_language: str = (
        "Whether the sources answer this is unknown: what was found is in another language than the question, "
        "and without a language model nothing is translated."
    )
    unknown_language: str = (
        "Word forms of this question's language are not known here, so words were compared as written."
    )
    analysis: str = "Statistical analysis"
    verdicts: Mapping[str, str] = field(default_factory=lambda: _VERDICTS)
    """On a hypothesis, by the kind of verdict."""
    missing: str = "Missing: {sections}."
    """Which `{sections}` have no text, each with the reason."""
    nothing_to_quote: str = "no sentence was found that can be quoted as its answer"
    nothing_used: str = "nothing in its draft was used"
    never_given: str = "the passage it cites was never given to the writer"
    not_there: str = "the words it quotes are not in the passage it cites"
    uncited: str = "it cites nothing"
    figure_unquoted: str = "“{said}” is in none of the words it quotes"
    """Why a statement is doubted, as are those that follow: reasons are kept in English, and shown in these words."""
    figure_otherwise: str = "“{said}” is “{there}” in the words it quotes"
    figure_unquoted_around: str = "“{said}” is in none of the words that are quoted around it"
    figure_otherwise_around: str = "“{said}” is “{there}” in the words that are quoted around it"
    figure_misplaced: str = "“{said}” stands under “{there}” in the table it quotes"
    figure_underived: str = "“{said}” neither stands in what it is inferred from nor follows from figures there"
    name_unquoted: str = "“{said}” is named in none of the words it quotes"
    in_passage: str = "the passage says it, the words it quotes do not"
    fact_uncited: str = "it states something and cites nothing: {reason}"
    grounds_fail: str = "it rests on what does not hold: {reason}"
    unsaid: str = "the words it quotes do not say it"
    words_unquoted: str = "its quotes do not mention what it says ({words})"
    denied: str = "one of it and the words it quotes denies what the other says"
    opposite: str = "the words it quotes say the opposite direction"
    cited_work: str = "Cited work: {title}."
    cited_words: str = "Quoted: “{words}”"
    ocr: str = "read by OCR, {percent} % sure"
    """Behind a quote that was read from a picture: how sure, in `{percent}`."""
    table_cell: str = "in the table: {names}"
    """Behind a quote that is a cell: what names its row and its column, joined by `comma`."""
    quotes_in_place: str = "Where the quotes stand"
    page: str = "page {page}"
    read_one: str = (
        "Of {total} statement with citations, {supported} supported by its quotes, "
        "{partly} in part{beyond}, {refused} not{rest}."
    )
    """Counts of supported statements if one cites, with `{beyond}` and `{rest}` of the next two."""
    read_many: str = (
        "Of {total} statements with citations, {supported} supported by their quotes, "
        "{partly} in part{beyond}, {refused} not{rest}."
    )
    read_beyond: str = ", {count} in the passage but not in the quote"
    unread_rest: str = ", {count} not read"
    partly_supported: str = "(partly supported)"
    passage_supported: str = "(in the passage, not in the quote)"
    not_supported: str = "(not supported)"
    not_verified: str = "(not verified)"
    inferred_from: str = "(inferred from {numbers})"
    inferred: str = "(inferred)"
    """Behind an inference whose grounds do not hold."""
    follows: str = "Follows the run {run}: {question}"
    mode_choice: str = "Mode {mode}, which chose {chosen}. {reason}"
    """Which mode was `{chosen}` by one that chooses, and the `{reason}`."""
    gaps: str = "What is missing"
    forecast: str = "How it was forecast"
    result: str = "Result"
    results: str = "Results"
    result_of: str = "Result {number}: {database}"
    no_row: str = "No row."
    one_row: str = "{count} row."
    many_rows: str = "{count} rows."
    query: str = "The query to {database} ({dialect}), {stamp}:"
    query_stamp: str = "query {hash}, read at {at}"
    because: str = "Because: {reason}"
    chosen: str = "**Chosen:** {reason}"
    numbers_one: str = "Of {total} number: {counts}."
    numbers_many: str = "Of {total} numbers: {counts}."
    proven: str = "{count} recomputed from result cells"
    given: str = "{count} given in the question or its context"
    quoted_numbers: str = "{count} quoted"
    named_numbers: str = "{count} in names"
    doubtful_numbers: str = "**{count} not verified**"
    no_doubtful_numbers: str = "none unverified"
    reference: str = "Reference"
    study: str = "Study"
    as_reported: str = "As reported"
    interval: str = "{measure} [95 % interval]"
    weight: str = "Weight"
    apart: str = "Not pooled together"
    left_out: str = "Left out"
    records: str = "Records"
    comma: str = ", "
    """Between words that are listed."""


ENGLISH: Final = Phrases()


@cache
def get_phrases(language: str) -> Phrases:
    """The fixed words of reports in `language`, by its ISO 639-1 code; the English ones where there are no others."""
    catalogue = {file.stem: file for file in CATALOGUES.glob("*.po")}.get(language)
    if catalogue is None:
        return ENGLISH
    from babel.messages.pofile import read_po  # reports in English do without

    with catalogue.open("rb") as opened:
        translations = {str(message.id): str(message.string) for message in read_po(opened) if message.string}

    def translate(english: str) -> str:
        return translations.get(english, english)

    one_text = {each.name: translate(each.default) for each in fields(Phrases) if isinstance(each.default, str)}
    return replace(
        ENGLISH,
        **one_text,
        endings={kind: translate(text) for kind, text in ENGLISH.endings.items()},
        verdicts={kind: translate(text) for kind, text in ENGLISH.verdicts.items()},
    )


LOOKED_AT: Final = 30
"""Passages that show which languages to expect of a question."""


def choose_phrases(question: str, passages: Iterable[str], rewritten: str = "") -> Phrases:
    """The fixed words of a report on `question`: those of its language, detected with the help of what was found.

    `rewritten`: the text of a report that was changed by words, perhaps into another language.
    """
    if rewritten:
        return get_phrases(text_language(rewritten))
    return get_phrases(language_of(question, languages_of(list(islice(passages, LOOKED_AT)))))


_BETWEEN: Final = "; "
"""Between several reasons for one doubt."""
_WRITTEN_BY_CODE: Final = (
    *("never_given", "not_there", "uncited", "figure_unquoted", "figure_otherwise", "figure_unquoted_around"),
    *("figure_otherwise_around", "figure_misplaced", "figure_underived", "name_unquoted", "in_passage", "fact_uncited"),
    *("grounds_fail", "unsaid", "words_unquoted", "denied", "opposite"),
)
_USED_UP: Final = frozenset({"time", "tokens", "cost", "iterations", "steps", "stalled"})
"""The kinds of early ends that say enough by themselves."""


def describe_early_end(kind: str, detail: str, words: Phrases) -> str:
    """Return why a section ended early: in `words` where the kind of its end says all, else the reported `detail`."""
    return detail if words is ENGLISH or kind not in _USED_UP else words.endings[kind]


def translate_reason(reason: str, words: Phrases) -> str:
    """`reason` in `words`, as far as code wrote it; what a reviewer wrote stays as it is."""
    if words is ENGLISH:
        return reason
    return _BETWEEN.join(_translate_one(one, words) for one in reason.split(_BETWEEN))


def _translate_one(reason: str, words: Phrases) -> str:
    for name, pattern in _compile_patterns().items():
        if found := pattern.fullmatch(reason):
            filled = {
                key: _translate_one(said, words) if key == "reason" else said for key, said in found.groupdict().items()
            }
            own: str = getattr(words, name)
            return own.format(**filled)
    return reason


@cache
def _compile_patterns() -> Mapping[str, re.Pattern[str]]:
    return {
        name: re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(getattr(ENGLISH, name))), re.DOTALL)
        for name in _WRITTEN_BY_CODE
    }
