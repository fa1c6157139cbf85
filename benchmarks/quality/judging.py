"""What a program can tell of a report: whether it holds the answer, quotes a result, and is right about itself.

- **The answer is in the report** if one of the gold answers stands in a quotation, both in lower case and with single
  spaces.
- **A result is quoted** if a quotation from the gold abstract begins in a paragraph that its authors labelled as
  results, findings or conclusions. Paragraphs labelled as methods and results at once do not count.
- **A statement about itself** is every sentence of the report that is no quotation: its limitations, and whether it
  says that the question is answered. That no passage mentions a word is false if the word, as it is written or by its
  stem, is in any passage that the writer was given. That a part of the question is not quoted, or not spoken to, is
  false if the quotations hold nine tenths of its stems; that passages on it were found is false if none holds half.
  That it is not answered is false of a report with quotations, and that it is of one without. A sentence of another
  form counts as false: it could not be checked.
"""

from typing import Final

from benchmarks.quality.asking import Answered
from elcano.text.languages import get_current_language, language_of, languages_of, use_language
from elcano.text.phrases import get_phrases
from elcano.text.stems import find_word_stem, list_stems

HELD: Final = 0.9
"""A part of a question of which the quotations hold this share of the stems was quoted, whatever the report says."""
SPOKEN: Final = 0.5
"""A passage speaks to a part of a question if it holds this share of its stems."""


def holds_answer(report: Answered, answers: tuple[str, ...]) -> bool:
    """Whether one of `answers` stands in a quotation."""
    quoted = [_plain(quote) for quote in report.quotes()]
    return any(_plain(answer) in quote for answer in answers for quote in quoted)


def quotes_result(report: Answered, document: str, results: str) -> bool:
    """Whether something quoted of `document` begins in its `results`."""
    paragraphs = [_plain(one) for one in results.split("\n\n") if one]
    return any(_plain(quote)[:60] in one for quote in report.quotes(document) for one in paragraphs)


def false_statements(report: Answered) -> list[str]:
    """The sentences of the report on itself that are not true, or that cannot be checked."""
    said = list(report.draft.limitations)
    with use_language(language_of(report.question, languages_of([one.text for one in report.given]))):
        false = [sentence for sentence in said if not _holds(sentence, report)]
    if report.draft.answered != bool(report.claims):
        false.append(f"answered: {report.draft.answered}")
    return false


def _holds(sentence: str, report: Answered) -> bool:
    own = get_phrases(get_current_language())
    if sentence == own.nothing_holds:
        return not report.claims
    if sentence == own.other_language:
        return not report.claims and get_current_language() not in languages_of([one.text for one in report.given])
    if sentence == own.nothing_found:
        return not report.given
    passages = [f"{one.title}\n{one.heading}\n{one.text}" for one in report.given]
    if words := _find_slot(sentence, own.silent, "{words}"):
        listed = [one.strip() for one in words.split(own.comma.strip())]
        return bool(passages) and not any(_mentions(passage, word) for passage in passages for word in listed)
    if part := _find_slot(sentence, own.unquoted_part, "{part}"):
        quoted = _share(part, "\n".join(report.quotes()))
        return quoted < HELD and any(_share(part, passage) >= SPOKEN for passage in passages)
    if part := _find_slot(sentence, own.unspoken_part, "{part}"):
        return part in report.question and all(_share(part, quote) < HELD for quote in report.quotes())
    return False


def _find_slot(sentence: str, phrase: str, slot: str) -> str:
    """What stands in `sentence` where `phrase` has its slot; empty if it is another sentence."""
    before, _, after = phrase.partition(slot)
    return sentence.removeprefix(before).removesuffix(after) if sentence.startswith(before) else ""


def _mentions(passage: str, word: str) -> bool:
    return word.lower() in passage.lower() or find_word_stem(word.lower()) in list_stems(passage)


def _share(part: str, text: str) -> float:
    wanted = set(list_stems(part))
    return len(wanted.intersection(list_stems(text))) / len(wanted) if wanted else 0.0


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
