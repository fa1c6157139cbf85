"""What every language has to say: the headings and sentences of a report that are neither a writer's nor a source's."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Phrases:
    """The words of one language. A `{name}` is filled in by `format`, and each of its kind has to be there."""

    asked: str
    """Before the question."""
    partial: str
    """That the run ended early, with `{reason}`."""
    incomplete: str
    """That the run went its whole way and something is missing, with `{reason}`."""
    endings: Mapping[str, str]
    """Why a report is partial, by the kind of its run's ending; those of early ends follow `because`."""
    warning: str
    quoted: str
    """That the report consists of quotations alone."""
    written: str
    """By which `{models}`, and what was checked."""
    unread: str
    """That no reviewer read it, and what code compared."""
    unnamed: str
    """In the place of a model without a name."""
    not_answered: str
    """That no sentence was found that may be quoted: whether the sources answer it nobody knows."""
    no_result: str
    """The same of a question to databases."""
    key_findings: str
    limitations: str
    related: str
    nearest: str
    nearest_told: str
    """Below that heading: that they may not answer the question."""
    disputed: str
    strength: str
    conclusion: str
    unverified: str
    warnings: str
    what_was_searched: str
    sources: str
    """With `{names}`."""
    searched_for: str
    """With `{queries}`."""
    searched_on: str
    """With `{day}`."""
    searched_from: str
    """With `{first}` and `{last}`."""
    retrieved_on: str
    retrieved_from: str
    references: str
    section_missing: str
    """With `{reason}`."""
    section_unanswered: str
    section_ended: str
    """With `{reason}`."""
    further: str
    """Heading of quotations beside the first ones."""
    nothing_holds: str
    """That nothing holds enough of the question."""
    nothing_found: str
    silent: str
    """Before the words that nothing mentions."""
    unspoken_part: str
    """Before a part of the question that nothing speaks to."""
    unquoted_part: str
    """Before one of which passages were found and nothing is quoted."""
    other_language: str
    """That what was found is in another language than the question, and no words are translated."""
    unknown_language: str
    """That words of the question's language were compared as they are written."""
    analysis: str
    """Heading of what statistics made of numbers."""
    verdicts: Mapping[str, str]
    """On a hypothesis, by the kind of verdict."""
    comma: str = ", "
    """Between words that are listed."""
    stop: str = "."
    """Ends a sentence."""
