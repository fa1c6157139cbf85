"""Which sentences are quoted: the best for each part, for all of the question, and a result of each study cited.

How well a sentence fits a question are words in common, weighted by how much they tell. In a manual, where many
sentences hold a question's words without answering, most of them must stand in the sentence or above it. Results are
added, not weighed up: an aim shares more words with the question than the result does, and it finds the right study.

Rules that preferred focused headings and neighbouring words changed no figure on PubMedQA and XQuAD, and went.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from elcano.subjects.quoting.passages import Material, Passage, Terms, is_english
from elcano.subjects.quoting.question_parts import find_subject, list_names
from elcano.subjects.quoting.quotable_sentences import Sentence, read_plainly
from elcano.text.stems import list_stems

STUDY_SHARE: Final = 0.4
"""Minimum share of a study's sentences that tell its aim, its methods or figures."""

_HEADED_RESULT: Final = re.compile(
    r"^\W*(?:[\d.]+ )?(?:\w+ )?(?:results?|findings?|conclusions?|interpretation)\b", re.I
)
_AIM: Final = re.compile(
    r"\b(?:aim(?:s|ed)?|purposes?|objectives?|goals?|hypothes\w+|sought|whether|unclear|unknown|controversial)\b"
    r"|\bto (?:\w+ly )?(?:determine|evaluate|assess|investigate|examine|explore|compare|describe|identify|analy[sz]e|"
    r"study|test)\b"
    r"|\b(?:we|study|paper|article|trial|review) (?:investigate[sd]?|examine[sd]?|evaluate[sd]?|assess(?:es|ed)?|"
    r"compare[sd]?|analy[sz]e[sd]?)\b",
    re.IGNORECASE,
)
_METHOD: Final = re.compile(
    r"\b(?:were|was) (?:\w+ly )?(?:randomi[sz]ed|enrolled|recruited|included|selected|collected|measured|assessed|"
    r"evaluated|examined|analy[sz]ed|performed|obtained|recorded|reviewed|used|conducted|studied|assigned|divided)\b"
    r"|\b(?:retrospective|prospective|consecutive|cross-sectional|cohort|questionnaires?|randomi[sz]ed|database)\b",
    re.IGNORECASE,
)
_FIGURES: Final = re.compile(
    r"\d\s?%|\bper ?cent\b|\b[pr]\s?[<=>\u2264\u2265]\s?-?0?\.\d|\b(?:CI|OR|HR|RR|AUC|SD)\b[ :=,]|\u00b1"
    r"|\b\d+(?:\.\d+)? ?(?:vs\.?|versus) ?\d"
)
_FOUND: Final = re.compile(
    r"\bsignifican\w+|\b(?:no|not|without) (?:\w+ ){0,3}(?:differ|associat|correlat|effect|chang|improv|evidence)"
    r"|\b(?:associated|correlated|higher|lower|greater|better|worse|similar|increased|decreased|reduced|improved|found|"
    r"show(?:s|ed|n)|reveal(?:s|ed)|demonstrate[sd]|suggests?|conclude[sd]?|had|there (?:was|were)|than)\b",
    re.IGNORECASE,
)


def measure_results(passage: Passage) -> Iterator[tuple[Sentence, float]]:
    """The sentences of a passage, each with how far it is a result, from about -2 to 4."""
    headed = _is_headed(passage)
    for sentence in passage.sentences:
        yield sentence, 2.0 * headed + measure_wording(sentence.text)


def is_study(passages: Sequence[Passage]) -> bool:
    """Whether the passages of one document report a study: most sentences give aims, methods or figures, all kinds."""
    texts = [one.text for passage in passages for one in passage.sentences]
    figures = sum(_FIGURES.search(text) is not None for text in texts)
    others = sum(_AIM.search(text) is not None or _METHOD.search(text) is not None for text in texts)
    headed = any(map(_is_headed, passages))
    return (headed and figures > 0) or (others > 0 and figures + others >= STUDY_SHARE * len(texts))


def is_aim(text: str) -> bool:
    """Whether `text` says what was wanted to be known, and nothing of what became known."""
    return _AIM.search(text) is not None and measure_wording(text) <= 0


def measure_wording(text: str) -> float:
    """Each sign of a result counts for it, twice at most, and an aim or a method against it."""
    figures, found = min(2, len(_FIGURES.findall(text))), min(2, len(_FOUND.findall(text)))
    return 0.8 * figures + 0.6 * found - 1.2 * bool(_AIM.search(text)) - bool(_METHOD.search(text))


def _is_headed(passage: Passage) -> bool:
    return _HEADED_RESULT.match(passage.item.heading.rpartition(" > ")[2]) is not None


ELSEWHERE: Final = 0.1
"""For a passage without the name that the question is about: it may use the same words of something else."""
SHORT: Final = 3
"""Telling words of a question that a sentence on someone else holds most of."""
HEADED: Final = 0.5
"""A text is a manual if more than this share of its passages is below headings."""
DEFINING: Final = 1.6
"""Factor for a sentence that defines the subject, if the question asks for a definition."""
NAMED: Final = 0.5
"""A subject with a smaller share of the question is taken for something more general."""

_WHOLE_WORKS: Final = re.compile(r"^packages \(|\b(?:articles|preprints|trials)\)$")
"""The sources of readmes and of literature: each is a whole of its own on another thing, no reference."""
_LEANING: Final = re.compile(
    r"^[\W_]*(?:this|that|these|those|its?|they|their|them|he|she|such|however|but|also|then|so|therefore|thus|here|"
    r"there|both|the (?:other|former|latter|same))\b",
    re.IGNORECASE,
)


_DEFINITION_ASKED: Final = re.compile(r"^\W*(?:what (?:is|are|does)\b|how (?:do|does) [^?,;]+ work\b)", re.IGNORECASE)
_DEFINES: Final = re.compile(
    r"^[\W_]*(?P<subject>[^.;:]{1,70}?) (?:\([^()]*\) )?(?:(?:is|are)(?= (?:an?|the|one|any|used|called|\w+ing)\b)"
    r"|means?|refers? to|represents?|provides?|allows?|lets?|consists? of)\b"
)


@dataclass(frozen=True)
class Candidate:
    """A sentence that may be quoted, with the one before it if its meaning depends on that."""

    passage: int
    """Position of the passage in the envelope."""
    start: int
    end: int
    text: str
    stems: frozenset[str]
    score: float
    held: float = 1.0
    """The share of the question that it holds with its title and headings."""

    defining: bool = False
    """It says what the subject of the question is or does."""

    def overlaps(self, other: "Candidate") -> bool:
        """Whether both quote some of the same characters."""
        return self.passage == other.passage and self.start < other.end and other.start < self.end

    def extends(self, other: "Candidate") -> bool:
        """Whether it quotes all of `other` and more."""
        mine, theirs = (self.start, self.end), (other.start, other.end)
        return self.passage == other.passage and mine != theirs and mine[0] <= theirs[0] and theirs[1] <= mine[1]


def score_sentences(given: Material, question: str, terms: Terms) -> list[Candidate]:
    """Every quotable sentence that shares a word with `terms`, scored, best first."""
    names = {one for name in list_names(question) for one in list_stems(name)} if is_english() else set()
    about = names & {find_subject(question, given)}
    found = [
        replace(one, score=one.score * (1.0 if about <= passage.found else ELSEWHERE))
        for number, passage in enumerate(given.passages)
        for one in _score_passage(number, passage, question, terms, names)
    ]
    return sorted(found, key=lambda one: (-one.score, len(one.text), one.passage, one.start))  # Markup is longer.


def is_manual(given: Material) -> bool:
    """Whether most passages are below headings, in texts that treat a subject page by page."""
    headed = sum(bool(one.item.heading.strip()) and not _WHOLE_WORKS.search(one.item.source) for one in given.passages)
    return headed > HEADED * len(given.passages)


def find_beginning(sentence: Sentence, before: Sentence | None) -> int:
    """Find where the quote begins: `This ...` is quoted with the sentence before it in its paragraph."""
    leans = is_english() and _LEANING.match(sentence.text) is not None
    if not leans or before is None or before.block != sentence.block or _LEANING.match(before.text):
        return sentence.start
    return before.start if sentence.start - before.end <= 2 else sentence.start


def _score_passage(number: int, passage: Passage, question: str, terms: Terms, names: set[str]) -> Iterator[Candidate]:
    """The candidates of one passage, in its order."""
    before: Sentence | None = None
    for place, sentence in enumerate(passage.sentences):
        start = find_beginning(sentence, before)
        before = sentence
        if terms.weights.keys().isdisjoint(list_stems(sentence.text)):
            continue
        if len(terms.weights) <= SHORT and _is_on_another(names, passage, place):
            continue
        text = passage.item.text[start : sentence.end]
        own = list_stems(read_plainly(text))
        held = terms.coverage(passage.above.union(own))
        score = (terms.fit(own) + held) / 2 if passage.item.heading else terms.fit(own)
        defining = _is_definition(text, question, terms)
        score *= DEFINING if defining else 1.0
        yield Candidate(number, start, sentence.end, text, frozenset(own), score, held, defining)


def _is_on_another(names: set[str], passage: Passage, place: int) -> bool:
    """Whether a sentence names someone, and neither it nor its headings and neighbours have one of `names`."""
    if not names or names & passage.above or not list_names(passage.sentences[place].text):
        return False
    nearby = passage.sentences[max(0, place - 1) : place + 2]
    return names.isdisjoint(list_stems(passage.item.text[nearby[0].start : nearby[-1].end]))


def _is_definition(text: str, question: str, terms: Terms) -> bool:
    """Whether `text` says what the question is about: only words of the question stand before its verb."""
    match = _DEFINES.match(text) if is_english() and _DEFINITION_ASKED.match(question) else None
    subject = set(list_stems(match["subject"])) if match else set()
    return subject <= terms.weights.keys() and terms.coverage(subject) >= NAMED


KEY_FINDINGS: Final = 3
PER_PASSAGE: Final = 3
NEAR: Final = 0.6
"""A further finding has this share of the best one's score."""
FURTHER: Final = 0.7
STRONG: Final = 0.6
LEADING: Final = 0.1
"""A sentence in a section has this share of the best score for its part and is strong, or at least leads and is in the
document that holds most."""
TWIN: Final = 0.7
"""Two sentences that share this much of the shorter one's telling words say the same."""
MANUAL_HELD: Final = 0.8
"""In a manual a sentence is quoted if it holds this share of the question together with its headings."""


def choose_findings(given: Material, question: str, parts: Sequence[str], floor: float = 0.0) -> list[Candidate]:
    """The best sentence for each part of the question that has several, then the best for all of it."""
    chosen: list[Candidate] = []
    for part in parts[:KEY_FINDINGS]:
        add_best(chosen, score_sentences(given, part, given.terms.of(part)), len(chosen) + 1, floor)
    ranked = score_sentences(given, question, given.terms)
    if is_manual(given):
        ranked = keep_holding(ranked)
    if not chosen:
        add_best(chosen, ranked, 1, floor)
        if any(one.defining for one in chosen):
            ranked = [one for one in ranked if one.defining]
        near = NEAR * max((one.score for one in chosen), default=0.0)
        add_best(chosen, ranked, KEY_FINDINGS, max(floor, near, LEADING))
    return chosen


def keep_holding(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Keep candidates that hold enough of the question for a manual, with what is above them."""
    return [one for one in ranked if one.held >= MANUAL_HELD]


def add_best(chosen: list[Candidate], ranked: Sequence[Candidate], wanted: int, floor: float) -> None:
    """Adds to `chosen` until it has `wanted` sentences: the best that says something new, again and again."""
    for one in ranked:
        if len(chosen) >= wanted or one.score < floor:
            return
        if Counter(other.passage for other in chosen)[one.passage] < PER_PASSAGE and not _is_said(one, chosen):
            chosen[:] = [*(other for other in chosen if not one.extends(other)), one]


def choose_further(
    given: Material, terms: Terms, chosen: Sequence[Candidate], ranked: Sequence[Candidate], wanted: int
) -> list[Candidate]:
    """Choose sentences that say more than `chosen` and nearly as well; nothing that quotes what is quoted already.

    The document that holds most of `terms`, what the part asks about, is trusted further than others: of a question of
    several parts that may be another one for each.
    """
    trusted = given.find_leading_document(terms)
    floor = max(STRONG, FURTHER * max((one.score for one in ranked), default=0.0))
    fresh = [one for one in ranked if not any(one.overlaps(other) for other in chosen)]
    new = list(chosen)
    fit = [one for one in fresh if one.score >= floor or given.passages[one.passage].document == trusted]
    add_best(new, fit, len(new) + wanted, LEADING)
    return [one for one in new if one not in chosen]


def add_results(given: Material, chosen: Sequence[Candidate]) -> list[Candidate]:
    """`chosen` with the best result of each study that it cites, in the place of a sentence that only says an aim."""
    kept: list[Candidate] = []
    for one in chosen:
        result = _find_result(given, given.passages[one.passage].document)
        if result is not None and not any(result.overlaps(other) for other in (*chosen, *kept)):
            kept.append(result)
        if result is None or not is_aim(one.text):
            kept.append(one)
    return kept


def _find_result(given: Material, document: str) -> Candidate | None:
    """The sentence of a study that is a result most clearly; None if it has none."""
    passages = [(number, one) for number, one in enumerate(given.passages) if one.document == document]
    if not is_study([one for _, one in passages]):
        return None
    found: list[Candidate] = []
    for number, passage in passages:
        before = None
        for sentence, measure in measure_results(passage):
            start = find_beginning(sentence, before)
            before = sentence
            text = passage.item.text[start : sentence.end]
            if measure > 0:
                stems = frozenset(list_stems(read_plainly(text)))
                found.append(Candidate(number, start, sentence.end, text, stems, measure))
    return max(found, key=lambda one: one.score, default=None)


def _is_said(one: Candidate, chosen: Sequence[Candidate]) -> bool:
    """Whether a chosen sentence says the same; the longer of two that overlap may take the other's place."""
    return any(
        not one.extends(other)
        if one.overlaps(other)
        else len(one.stems & other.stems) >= TWIN * max(1, min(len(one.stems), len(other.stems)))
        for other in chosen
    )
