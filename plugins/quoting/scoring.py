"""How well sentences and passages fit a question: words in common, weighted by how much they tell.

A sentence's score is 0.6 of its own words and 0.4 of its passage's. On XQuAD questions over passages that a search
found, that sum alone chose a sentence with the answer first for 74 % and among five for 95 %; centrality measures
stayed below half of that, and sentence embeddings added one point. In manuals many sentences hold a question's words
without answering, so factors follow: what a sentence adds, how it is worded, where it stands.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from elcano.activities.text.stems import list_stems
from elcano.plugins.quoting.asking import ABILITY, PROCEDURE, Kind, asks_which, denied, kind_of
from elcano.plugins.quoting.facts import Fact, fact_of
from elcano.plugins.quoting.manuals import Asked as Measured
from elcano.plugins.quoting.manuals import (
    are_apart,
    bearing,
    compounded,
    focus,
    held_pairs,
    is_definition,
    is_manual,
)
from elcano.plugins.quoting.naming import is_on_another, names_asked
from elcano.plugins.quoting.passages import Material, Passage
from elcano.plugins.quoting.planning import compared
from elcano.plugins.quoting.sentences import Sentence, readable
from elcano.plugins.quoting.terms import USUAL_LENGTH, Terms, fit_of
from elcano.plugins.quoting.wording import LED, beginning, penalty

SENTENCE_SHARE: Final = 0.6
NEWS: Final = 5
"""Telling words beside the question's that a full answer has; who only repeats the question tells nothing."""
LEAST_NEWS: Final = 0.5
ANSWERING: Final = 1.3
"""For a sentence that is worded as answers to such a question are."""
ELSEWHERE: Final = 0.4
"""For a passage without the subject."""
IN_PASSING: Final = 0.8
"""For a sentence of a passage that names the subject, but neither there nor above it."""
BESIDE: Final = 0.35
"""For a sentence of a section that holds no word of the question which the section is a part of."""
TITLED: Final = 0.2
"""What a title that names all that is asked adds: a page on the subject knows it better than one that touches it."""
LISTED: Final = 1.4
"""For a list with its announcement, where what is possible is asked."""
SUBJECT: Final = 1.15
"""For a sentence that begins with what is asked about: it speaks of that, and others mention it."""

NAMELESS: Final = 0.8
"""How well a sentence fits that says what the subject of its page is without naming it."""
FACT: Final = 1.2
"""For a sentence that holds what a short answer has to: a number, a day or a name."""
NO_FACT: Final = 0.7

_LIST: Final = re.compile(r":\s*\n")
_CHANGE_ASKED: Final = re.compile(
    r"\b(?:changed?|changes|changelog|release[ds]?|version|new|news|added|fix(?:ed|es)?)\b", re.I
)
_DEFINITION_ASKED: Final = re.compile(
    r"^\W*(?:what (?:is|are|does)\b|what should one know about\b|how (?:do|does) [^?,;]+ work\b)", re.IGNORECASE
)
_DEFINES: Final = re.compile(r"^[^.;:]{1,60}?\b(?:is|are) (?:an?|the|used|what|how)\b", re.IGNORECASE)


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
    """The share of the question that it holds with what stands above it."""
    own: float = 1.0
    """The share that it holds by itself."""
    defining: bool = False
    """It says what the subject of the question is or does."""
    together: bool = True
    """Words that the question puts next to each other stand together in it or above it, or it has all and is short."""

    def extends(self, other: "Candidate") -> bool:
        """Whether it quotes all of `other` and more."""
        mine, theirs = (self.start, self.end), (other.start, other.end)
        return self.passage == other.passage and mine != theirs and mine[0] <= theirs[0] and theirs[1] <= mine[1]

    @property
    def place(self) -> tuple[int, int]:
        """For sorting into the order of the sources."""
        return self.passage, self.start


def candidates(given: Material, terms: Terms, question: str, about: str | None, whole: str = "") -> list[Candidate]:
    """Every quotable sentence that shares a word with `terms`, scored, best first.

    `about` is the stem of what the whole question is about: passages without it may use the same words of something
    else, and a sentence that shares nothing but it says nothing on the question.
    """
    kind = kind_of(question, given.context or whole)
    definition = _DEFINITION_ASKED.match(question) is not None
    asked = _Asked(
        terms=terms,
        kind=kind,
        fact=fact_of(question),
        context=frozenset(list_stems(given.context)),
        whole=given.terms,
        about=about,
        definition=definition,
        changes=_CHANGE_ASKED.search(question) is not None,
        measured=Measured(question, terms, kind, definition, bool(compared(question))),
        manual=is_manual(given),
        names=names_asked(question, terms),
    )
    found = [candidate for number, passage in enumerate(given.passages) for candidate in asked.of(number, passage)]
    return sorted(found, key=lambda candidate: (-candidate.score, candidate.place))


@dataclass(frozen=True)
class _Asked:
    terms: Terms
    kind: Kind
    fact: Fact | None
    context: frozenset[str]
    whole: Terms
    about: str | None
    definition: bool
    changes: bool
    measured: Measured
    manual: bool
    names: frozenset[str]

    def of(self, number: int, passage: Passage) -> Iterator[Candidate]:
        """The candidates of one passage, in its order."""
        factor = self._factor(passage)
        before: Sentence | None = None
        for sentence in passage.sentences:
            if not self._may_show(sentence) or is_on_another(self.names, sentence, passage):
                continue
            start, led = beginning(sentence, before)
            before = sentence
            said = passage.item.text[start : sentence.end]
            if self._is_labelled(sentence, start, passage):
                start, led = sentence.label or 0, max(led, LED)
            text = passage.item.text[start : sentence.end]
            plain = readable(text)
            own = list_stems(compounded(plain, self.measured.question) if self.manual else plain)
            near = passage.above.union(own)
            says = self.manual and self.definition and is_definition(sentence, text, passage, self.terms)
            # Who describes a command on its page does not name it again.
            fit = max(self._fit_of(own), NAMELESS if says else 0.0)
            if fit == 0 or not (says or start < sentence.start or self._names(sentence)):
                continue
            context = (1 - SENTENCE_SHARE) * self.whole.coverage(near if self.manual else passage.found)
            score = (
                (SENTENCE_SHARE * fit + context)
                * factor
                * self._near(passage, own)
                * led
                * (1.0 if says else penalty(sentence, said, changes=self.changes, orders=self.kind is PROCEDURE))
            )
            if self.definition and _DEFINES.match(text):
                score *= 1.25
            score *= self._answers(text, own)
            if self.manual:
                score *= bearing(sentence, text, passage, self.measured)
            # All of a section that is called after the question is about it; which of its things is asked for is not.
            about = passage.found if self._is_titled(passage) else near
            held = self.terms.coverage(about), self.terms.coverage(near if says else set(own))
            whole = held[1] == 1.0 and len(own) <= 2 * USUAL_LENGTH and are_apart(self.measured.question)
            together = not self.manual or whole or self._is_together(sentence, start, text, passage)
            yield Candidate(number, start, sentence.end, text, frozenset(own), score, *held, says, together)

    def _is_titled(self, passage: Passage) -> bool:
        whole = self.manual and not asks_which(self.measured.question)
        return whole and focus(passage, self.terms) == 1.0

    def _may_show(self, sentence: Sentence) -> bool:
        """Whether what announces code may be quoted: with it in a manual and to who asks how to do something.

        Without it only in a manual, and to who asks so: there it says by itself what to do.
        """
        if sentence.leads:
            return self.manual and self.kind is PROCEDURE
        return not sentence.coded or self.manual or self.kind is PROCEDURE

    def _names(self, sentence: Sentence) -> bool:
        """Whether a sentence itself has a word of the question, whatever is quoted with it."""
        return any(one in self.terms.weights for one in list_stems(sentence.text))

    def _is_together(self, sentence: Sentence, start: int, text: str, passage: Passage) -> bool:
        """Whether words that are one in the question are so here, and what is quoted is not about something else."""
        if start == sentence.label:
            label = passage.item.text[start:].partition("\n")[0]
            option = label.startswith("-") and label.split()[0] not in self.measured.question
            if option or self.terms.coverage(set(list_stems(label))) == 0:
                return False
        if self.fact is not None and self.fact.certain and not self.fact.held.search(text):
            return False
        return held_pairs(text, passage, self.measured.question) > 0

    def _is_labelled(self, sentence: Sentence, start: int, passage: Passage) -> bool:
        """Whether the label above a sentence has a word of the question that the sentence lacks."""
        if not self.manual or sentence.label is None or sentence.label >= start:
            return False
        above = list_stems(passage.item.text[sentence.label : start])
        return any(one in self.terms.weights for one in set(above).difference(list_stems(sentence.text)))

    def _factor(self, passage: Passage) -> float:
        factor = 1.0 if self.about is None or self.about in passage.found else ELSEWHERE
        factor *= 1 + TITLED * self.terms.coverage(set(list_stems(passage.item.title.split(" > ")[0])))
        return factor * 0.6 if passage.aside and not self.changes else factor

    def _near(self, passage: Passage, own: Sequence[str]) -> float:
        """Lower if neither the sentence nor what stands above it names the subject, but the passage elsewhere."""
        if self.about is None or self.about in own or self.about in passage.above:
            return 1.0
        return IN_PASSING

    def _answers(self, text: str, own: Sequence[str]) -> float:
        """How far a sentence goes beyond naming what is asked: by what it adds, how it is worded and how it begins."""
        news = len(set(own).difference(self.whole.weights))
        if self.terms.coverage(set(own)) == 1.0 and denied(self.measured.question, text):
            news = NEWS  # That it is not so is all that who asks whether it is has to be told.
        factor = LEAST_NEWS + (1 - LEAST_NEWS) * min(1.0, news / NEWS)
        if self.kind.answered.search(text):
            factor *= ANSWERING
        if self.fact is not None and self.fact.held.search(text):
            factor *= FACT
        elif self.fact is not None and self.fact.certain:
            factor *= NO_FACT
        if self.kind is ABILITY and _LIST.search(text):
            factor *= LISTED
        if self.context:
            factor *= min(1.0, BESIDE + len(self.context.intersection(own)) / len(self.context))
        return factor * SUBJECT if own[0] in self.terms.weights else factor

    def _fit_of(self, own: Sequence[str]) -> float:
        fit = fit_of(own, self.terms)
        only_about = {one for one in own if one in self.terms.weights} == {self.about}
        return fit * 0.5 if only_about and len(self.terms.weights) > 1 else fit
