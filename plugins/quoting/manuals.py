"""What answers in a manual: in a text that headings divide, where a sentence stands says what it is about.

A manual has a question's words on every page, in options, exceptions and examples. So a sentence is measured by its own
words and those above it, not by its whole passage; a heading that is all about the question lends it weight, and what
holds in one case only, or speaks of names that nobody asked for, loses some. What does not hold enough of the question
is not quoted at all: where nothing answers, a manual has many sentences that look as if.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from elcano.activities.text.stems import list_stems
from elcano.plugins.quoting.asking import ABILITY, PROCEDURE, REASON, Kind
from elcano.plugins.quoting.passages import Material, Passage
from elcano.plugins.quoting.sentences import Sentence
from elcano.plugins.quoting.terms import Terms

HEADED: Final = 0.5
"""A text is a manual if more than this share of its passages stands below headings."""
FOCUSED: Final = 0.6
"""What a heading adds that is made of the question's words alone."""
DEFINING: Final = 1.6
"""For a sentence that says of what is asked about what it is."""
IN_ONE_CASE: Final = 0.7
"""For what begins with a condition, where nobody asked for one."""
UNASKED_NAME: Final = 0.8
"""For each name of a function or an option that the question does not have; no more than so many count."""
MOST_NAMES: Final = 3
INSTRUCTING: Final = 1.2
"""For a sentence that tells what to do, where that is asked for; and for others."""
UNINSTRUCTING: Final = 0.7
LONG: Final = 45
TOO_LONG: Final = 0.75
"""For a sentence of more words: it speaks of several things, and has the question's words among others."""
UNREASONED: Final = 0.7
"""For a sentence without a word of reason where the reason is asked for."""
FIRST: Final = 1.1
"""For the first sentences below a heading: what is general is said before what is special."""
LEAST_TELLING: Final = 0.3
"""A word of the question is a part of its subject if it tells this much of what the most telling one does."""
NAMED: Final = 0.7
"""A name in front of what it is for is that of the subject if it holds this share of the question."""
UNPHRASED: Final = 0.7
PHRASED: Final = 1.3
"""For a sentence in which no words stand together that do so in the question, and for one where all do."""
HALF: Final = 0.5
"""A label with a smaller share of the question's words is that of something else."""
UNCONTRASTED: Final = 0.5
"""For a sentence without a word of contrast, where things are compared."""
FIRST_SENTENCES: Final = 2
OPENING: Final = 1.5
"""The same where the heading is made of the question's words."""
FOREIGN: Final = 0.5
"""For what stands below a label that has no word of the question."""

_NO_REFERENCE: Final = re.compile(r"^packages \(|\b(?:articles|preprints|trials)\)$")
"""The sources of readmes and of literature, as an envelope names them with their kinds."""
_TRANSPARENT: Final = frozenset(
    ["name", "description", "descript", "synopsis", "summari", "overview", "introduct", "note", "discuss", "manual"]
).union(["page", "chapter", "tip", "part", "section"])
"""Stems of headings that say nothing of what is below them: the page's own title does."""
_BESIDE: Final = re.compile(
    r"(?:notes?|options?|examples?|parameters|see also|tips?|caution|warning|history)\W*$", re.IGNORECASE
)
"""Headings below which no general statement stands."""
_GENERAL: Final = re.compile(r"(?:^|> )[\W\d]*(?:name|description|overview|introduction|summary)\W*$", re.IGNORECASE)
"""Headings below which the first sentence says what the page is on."""
_DOES: Final = re.compile(
    r"^(?!This|Its|Was|Has|Does|Always|Unless|Sometimes|Besides|Perhaps|Thus|Plus|Yes)(?:[A-Z][a-z]{2,}s|Use) (?!of\b)"
)
"""As pages begin that say what a command does: `Incorporates changes from ...`."""
_NUMBER: Final = re.compile(r"^\W*(?:(?:chapter|part|appendix|section) )?(?:[A-Z0-9]+(?:\.\d+)*)[.)]\s+", re.IGNORECASE)
_DEFINED: Final = re.compile(
    r"^[\W_]*(?P<subject>[^.;:]{1,70}?) (?:\([^()]*\) )?"
    r"(?:(?:is|are)(?= (?:an?|the|one|any|used|called|simply|what|how|\w+ing)\b)|means?|refers? to|represents?|"
    r"denotes?|stands for|"
    r"provides?|allows?|lets?|consists? of)\b"
)
_CLAUSE: Final = re.compile(
    r"\b(?:will|if|when|that|which|can|may|must|should|not|there|to|by|how|what)\b", re.IGNORECASE
)
_OF_THE_PAGE: Final = re.compile(
    r"^[\W_]*(?:this|the) (?:command|program|function|statement|module|utility|tool|option|parameter|directive)\b"
    r" (?:is|will|can|\w+s\b)",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(r"\([^()]*\)")
_CONTRAST: Final = re.compile(
    r"\b(?:unlike|whereas|while|but|instead|rather|than|alternatives?|avoid|contrast|differ\w*|more|less|only|both|"
    r"prefer\w*|on the other hand|compared|equivalent|similar|without)\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"^[\W_]*(?:if|when|whenever|unless|once|while|although|though|after|before|since|because|however|note|"
    r"for example)\b"
    r"|\b(?:deprecated|historical(?:ly)?|older|prior to|earlier versions?|previous(?:ly)?)\b",
    re.IGNORECASE,
)
_CASE_ASKED: Final = re.compile(r"(?<=\w )(?:when|if|after|before|while|once|unless) (?!to\b)", re.IGNORECASE)
_WISH: Final = re.compile(r"^[\W_]*(?:if|when|whenever) (?:you|one) (?:want|wish|need|would|have)", re.IGNORECASE)
_INSTRUCTS: Final = re.compile(
    r"\byou (?:can|may|must|should|need|could|might|have to|simply|just)\b|\bby \w+ing\b"
    r"|\b(?:use|using|specify|set)\b"
    r"|^[\W_]*(?:to \w+|run|create|add|call|type|execute|invoke|enable|issue|choose|select|install|edit|start|make)\b"
    r"|\b(?:can|may|must|should) be \w+|\bis \w+ed (?:by|with|using|from|through)\b|\bchosen\b",
    re.IGNORECASE,
)
_HYPHEN: Final = re.compile(r"[-_]")
_COMPOUND: Final = re.compile(r"\b[^\W_]+(?:-[^\W_]+)+\b")
_IDENTIFIER: Final = re.compile(
    r"\b\w+(?:_\w+)+\b|\b\w+\(\)|(?<![\w-])--?[a-z][\w-]+|\b\w+[.:]{1,2}\w+(?:[.:]{1,2}\w+)+"
)
_APART: Final = re.compile(
    r"[,;:?!()]|\b(?:do|does|did|is|are|was|were|can|could|may|might|must|should|will|would|has|have|had|in|on|at|by|for|"
    r"from|into|to|with|without|and|or|that|which|who|when|if)\b",
    re.IGNORECASE,
)
"""What stands between words that do not touch."""
_OBJECT_ASKED: Final = re.compile(
    r"\W*(?:which|what|how (?:many|much)) (?P<object>[^?,;]+?) (?:do|does|did) (?P<doing>[^?,;]+)", re.IGNORECASE
)
_REASON: Final = REASON.answered


def instructs(text: str) -> bool:
    """Whether `text` tells what to do."""
    return _INSTRUCTS.search(text) is not None


def is_long(text: str) -> bool:
    """Whether `text` is one long sentence, and no list."""
    return len(text.split()) > LONG and "\n" not in text


@dataclass(frozen=True)
class Asked:
    """What a sentence is measured by."""

    question: str
    terms: Terms
    kind: Kind
    definition: bool
    """It asks what something is or does."""
    comparison: bool
    """It sets things side by side."""


def is_manual(given: Material) -> bool:
    """Whether most of what was found stands below headings, in texts that treat a subject page by page.

    Readmes and papers have headings too, but each is a whole of its own on another thing: they are no reference.
    """
    headed = sum(bool(one.item.heading.strip()) and not _NO_REFERENCE.search(one.item.source) for one in given.passages)
    return headed > HEADED * len(given.passages)


def pairs(question: str) -> set[frozenset[str]]:
    """The telling words of a question that stand next to each other: `detached HEAD`, `hash index`."""
    own = list_stems(question)
    return {frozenset(pair) for pair in pairwise(own) if pair[0] != pair[1]}


def are_apart(question: str) -> bool:
    """Whether no two telling words of a question touch, but for an article: `what does lime do in a kettle`.

    Who did what was asked for, and the doing, touch in the question alone: `which fine did Kettlewright pay`.
    """
    match = _OBJECT_ASKED.match(question)
    if match is not None and len(list_stems(match["object"])) == 1 and len(list_stems(match["doing"])) == 2:
        return True
    return len(list_stems(question)) > 1 and all(len(list_stems(run)) < 2 for run in _APART.split(question))


def compounded(text: str, question: str) -> str:
    """`text`, in which what is joined by a hyphen and is not so in the question is one word."""
    plain = _HYPHEN.sub(" ", question.lower())

    def joined(match: re.Match[str]) -> str:
        return match[0] if _HYPHEN.sub(" ", match[0].lower()) in plain else _HYPHEN.sub("", match[0])

    return _COMPOUND.sub(joined, text)


def held_pairs(text: str, passage: Passage, question: str) -> float:
    """The share of the question's pairs that stand together in a sentence or in what is above it; 1 without pairs.

    What is joined by a hyphen there and not in the question is another word: a single-user mode is no single user.
    """
    wanted = pairs(question)
    said = [
        list_stems(compounded(one, question)) for one in (text, passage.item.title, *passage.item.heading.split(" > "))
    ]
    near = {frozenset(one) for words in said for gap in (1, 2) for one in zip(words, words[gap:], strict=False)}
    return len(wanted & near) / len(wanted) if wanted else 1.0


def phrased(text: str, passage: Passage, question: str) -> float:
    """The factor for the question's words that stand together: apart they are often of something else."""
    return UNPHRASED + (PHRASED - UNPHRASED) * held_pairs(text, passage, question)


def is_headed(one: str, given: Material) -> bool:
    """Whether the stem `one` stands in a heading, a title or a label: what a manual treats is called so somewhere."""
    return any(
        one in passage.above
        or any(
            one in list_stems(passage.item.text[sentence.label : sentence.start])
            for sentence in passage.sentences
            if sentence.label is not None
        )
        for passage in given.passages
    )


def holds_all(given: Material) -> bool:
    """Whether one sentence has every telling word of the question."""
    wanted = set(given.terms.weights)
    return any(wanted <= set(list_stems(one.text)) for passage in given.passages for one in passage.sentences)


def focus(passage: Passage, terms: Terms) -> float:
    """The share of the words of the nearest telling heading that the question has, from 0 to 1."""
    for heading in reversed([passage.item.title.split(" > ")[0], *passage.item.heading.split(" > ")]):
        own = [one for one in list_stems(_NUMBER.sub("", heading)) if not one.isdigit() and one not in _TRANSPARENT]
        if own:
            return sum(one in terms.weights for one in own) / len(own)
    return 0.0


def labelled(label: str, terms: Terms) -> float:
    """What a label means for what stands below it: that is about the label, whatever else it names."""
    if label.startswith("-"):
        return FOREIGN  # An option: what it does is said of it alone.
    own = [one for one in list_stems(_ASIDE.sub("", label)) if not one.isdigit()]
    share = sum(one in terms.weights for one in own) / len(own) if own else HALF
    if share == 1 and terms.coverage(set(own)) >= HALF:
        return OPENING
    return FOREIGN if share < HALF or " " not in label.strip() or "_" in label else 1.0


def defines(text: str, terms: Terms) -> bool:
    """Whether `text` says what the subject of the question is: all its telling words stand before the verb."""
    match = _DEFINED.match(text)
    if match is None or not terms.weights or _CLAUSE.search(match["subject"]):
        return False
    subject = list_stems(match["subject"])
    wanted = _subject(terms)
    return bool(subject) and wanted <= set(subject) and len(subject) <= len(wanted) + (len(wanted) > 1)


def _subject(terms: Terms) -> set[str]:
    """The telling words of a question."""
    most = max(terms.weights.values(), default=0.0)
    return {one for one in terms.weights if terms.weights[one] >= LEAST_TELLING * most}


def is_definition(sentence: Sentence, text: str, passage: Passage, terms: Terms) -> bool:
    """Whether a sentence says what the subject is or does: of itself, or as the first words of its page."""
    if sentence.named:
        name = re.split(r" [-\u2013\u2014] ", sentence.text)[0]
        own = {one for one in list_stems(name) if not one.isdigit()}
        return bool(own) and own <= set(terms.weights) and terms.coverage(own) >= NAMED
    if defines(text, terms):
        return True
    if focus(passage, terms) < 1.0 or _BESIDE.search(passage.item.heading):
        return False
    if sentence.start == passage.sentences[0].start and _GENERAL.search(passage.item.heading):
        return _DOES.match(text) is not None
    wanted = _subject(terms)
    begins = " ".join(text.split()[: len(wanted) + 2])
    first = sentence.start == passage.sentences[0].start and bool(wanted) and wanted <= set(list_stems(begins))
    return _OF_THE_PAGE.match(text) is not None or (first and not _CLAUSE.search(begins))


def bearing(sentence: Sentence, text: str, passage: Passage, asked: Asked) -> float:
    """The factor by which the place and the wording of a sentence change its score."""
    focused = focus(passage, asked.terms)
    factor = (1 + FOCUSED * focused) * phrased(text, passage, asked.question)
    if sentence.start <= passage.sentences[min(FIRST_SENTENCES, len(passage.sentences)) - 1].start:
        opens = focused == 1.0 and not _BESIDE.search(passage.item.heading)
        factor *= 1 + (OPENING - 1) * asked.terms.coverage(passage.above) if opens else FIRST
    if sentence.label is not None:
        factor *= labelled(passage.item.text[sentence.label :].partition("\n")[0], asked.terms)
    if asked.definition and is_definition(sentence, text, passage, asked.terms):
        factor *= DEFINING
    if asked.kind is not ABILITY and _CONDITION.search(sentence.text) and not _CASE_ASKED.search(asked.question):
        factor *= 1.0 if asked.kind is PROCEDURE and _WISH.search(sentence.text) else IN_ONE_CASE
    if asked.kind is PROCEDURE:
        factor *= INSTRUCTING if instructs(sentence.text) else UNINSTRUCTING
    else:
        wanted = asked.question.lower()
        names = {one for one in _IDENTIFIER.findall(sentence.text) if one.lower() not in wanted}
        factor *= UNASKED_NAME ** min(MOST_NAMES, len(names))
    if is_long(sentence.text):
        factor *= TOO_LONG
    if asked.kind is REASON and not _REASON.search(text):
        factor *= UNREASONED
    if asked.comparison and not _CONTRAST.search(text):
        factor *= UNCONTRASTED
    return factor
