"""How much research a question needs, and which sections: its own parts, then what the first passages are divided into.

Parts of the question come first, and things that it sets in a row are an outline of their own. A heading becomes a
section only if it shares a telling word with the question and stands above sentences that bear on it: sections made of
headings alone drift.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from elcano.activities.text.stems import content_words, list_stems
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.report.draft import heading_for, title_for
from elcano.graphs.text import shorten_text
from elcano.plugins.quoting.choosing_modes import way_of
from elcano.plugins.quoting.language import in_its_language
from elcano.plugins.quoting.passages import Material, Passage, material
from elcano.plugins.quoting.planning import compared, names, part_anchor, series, sub_questions
from elcano.plugins.research.agents.input_parser import ParsedQuery
from elcano.plugins.research.agents.planner import ReportPlan, ReportPlanSection

ENOUGH_SECTIONS: Final = 4
"""Sections beyond this are made of the question's own parts only."""
MOST_ENTITIES: Final = 20
MOST_QUESTIONS: Final = 10
TWIN: Final = 0.6
"""Two titles that share this much of the longer one's telling words name the same section."""
SHARED: Final = 0.2
"""A heading shares a word with the question if that word tells this much of it."""
FOCUSED: Final = 0.5
"""A heading becomes a section if the question has this share of its telling words."""
BEARING: Final = 0.4
"""The share of the whole question that a sentence must hold in a section which the question does not name."""
SUPPORT: Final = 2
"""Sentences with such a share that must stand below a heading for it to be a section."""
CONTEXT_CHARACTERS: Final = 1_000
HEADING_WORDS: Final = 8
"""A longer heading is a sentence or a signature, not a subject."""

_LISTED: Final = re.compile(r"\s*[,;]\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", re.IGNORECASE)
_AFTER_COLON: Final = re.compile(r":\s+([^:?]+)\??\s*$")
_NAME: Final = re.compile(r"\b(?:[A-Z][\w.+-]*|\w+[A-Z]\w*)(?:\s+[A-Z][\w.+-]*)*")
_MARKS: Final = re.compile(r":\w+:(?=`)|[*_`\[]|\]\([^)]*\)|\]|-{2,}|[^\w\s.,:;!?()'\"/&+#-]")
_JOINED_NAMES: Final = re.compile(r"\b[A-Z][\w.+-]*(?:, [A-Z][\w.+-]*)*,? (?:and|or) [A-Z][\w.+-]*")
_REFERS: Final = re.compile(r"\b(?:it|its|they|their|them|this|that|these|those)\b", re.IGNORECASE)
_CHAPTER: Final = re.compile(r"^\W*(?:\d+(?:\.\d+)*|[A-Z])[.)]\s+")
_ADDRESS: Final = re.compile(r"https?://|[<>{}=]|\w\(")
_HOUSEKEEPING: Final = re.compile(
    r"\b(?:contents|contributing|licen[cs]e|changelog|change log|changes|what['\u2019]s new|release notes|history|"
    r"credits|sponsors|acknowledge?ments?|see also|references|footnotes|index|copyright|badges|authors|support|"
    r"community|links|usage|use|development|building|quick ?start|getting started|install(?:ation)?|examples?|"
    r"introduction|basics|features|requirements|dependencies|notes|module contents|prepare|recap|faq)\b"
    r"|\bv?\d+\.\d+\b",
    re.IGNORECASE,
)


@in_its_language
def parse(task: TaskEnvelope) -> ParsedQuery:
    """Deep for a question of several parts, or one whose words ask for breadth; no field, which rules cannot tell."""
    question = " ".join(task.question.split())
    parts = [*sub_questions(question), *_enumerated(question)]
    several = len(parts) > 1
    mode, reason = way_of(task, parts)
    return ParsedQuery(
        original_query=task.question,
        improved_query=question[:2_000],
        research_mode=mode,
        mode_reason=reason,
        key_entities=_entities(question)[:MOST_ENTITIES],
        research_questions=tuple(parts)[:MOST_QUESTIONS] if several else (),
    )


@in_its_language
def outline(task: TaskEnvelope) -> ReportPlan:
    """Sections for the question's parts, filled up with what the passages on its subject are divided into."""
    question = " ".join(task.question.split())
    given = material(task)
    subject = _subject(question, given)
    most = ENOUGH_SECTIONS if task.max_sections is None else task.max_sections
    sections = [
        ReportPlanSection(title=heading_for(title), key_question=key_question[:1_000])
        for title, key_question in dict(_of_question(question, given)).items()
    ][:most]
    parts = [section.title for section in sections if section.key_question != question]
    # Things that a question names are an outline of their own: headings would only take from their sections.
    named = compared(question) or _series(question)
    for heading, field in [] if named else _headings(question, subject, given):
        if len(sections) < min(most, ENOUGH_SECTIONS) and _is_new(heading, parts, sections):
            parts.append(heading)
            sections.append(ReportPlanSection(title=heading_for(heading), key_question=_asked(heading, field)))
    context = shorten_text(f"The whole question: {question}", CONTEXT_CHARACTERS) if len(sections) > 1 else ""
    return ReportPlan(report_title=title_for(question), background_context=context, report_outline=tuple(sections))


def _subject(text: str, given: Material) -> str:
    """The word of `text` that says what it is about: a name that passages hold, or what their titles repeat."""
    passages = given.passages
    above = [set(list_stems(f"{passage.item.title} {passage.item.heading}")) for passage in passages]

    def weight(one: str) -> float:
        held = sum(one in passage.found for passage in passages) + sum(one in titles for titles in above)
        return given.terms.weights[one] * held

    present = [one for one in given.terms.of(text).weights if weight(one) and not _is_done(one, text, given)]
    known = [one for one in names(text, given) if given.terms.written[one] in _proper(text)]
    best = max([one for one in present if one in known] or present, key=weight, default=None)
    return "" if best is None else _as_written(best, text, given)


def _is_done(one: str, text: str, given: Material) -> bool:
    """Whether a word says what is done to something: `killed` of `when a worker is killed`."""
    word = re.escape(given.terms.written[one])
    done = re.search(rf"\b(?:is|are|was|were|be|been|being|gets?|got)\s+{word}\b", text, re.IGNORECASE)
    return done is not None and done[0].endswith(("ed", "en", "wn"))


def _as_written(one: str, question: str, given: Material) -> str:
    word = given.terms.written[one]
    match = re.search(re.escape(word), question, re.IGNORECASE)
    return match[0] if match else word


def _proper(question: str) -> set[str]:
    """Proper names in lower case; acronyms are words like others."""
    return {name.lower() for name in _names(question) if not name.isupper()}


def _names(text: str) -> list[str]:
    return [name for name in _NAME.findall(text) if content_words(name)]


def _of_question(question: str, given: Material) -> Iterator[tuple[str, str]]:
    """Title and key question of each part that the question itself names."""
    listed = _enumerated(question)
    things = compared(question) or ([] if listed else _series(question))
    if things or listed:
        if not things:
            yield _title(question), question
        named = {one for thing in things for one in list_stems(thing)}
        field = [word for word in content_words(question) if named.isdisjoint(list_stems(word))]
        about = ", ".join(field) if things else min(_names(question), key=str.isupper, default="")
        yield from ((_title(thing), _asked(thing, about)) for thing in things or listed)
        return
    first, *others = parts_of(question)
    yield _title(first), f"{first.rstrip('?')}?" if others else question
    about = _subject(first, given)
    for one in others:
        own = _names(one[1:]) or _holds(one, about) or (about.lower() not in _proper(first) and _is_about(one, given))
        prefix = "" if own else f"{_title(about)}: "
        yield _title(one), f"{prefix}{one.rstrip('?')}?"


def _is_about(part: str, given: Material) -> bool:
    """Whether a part has a subject of its own: one that a passage is titled by, and no word that refers to another."""
    if _REFERS.search(part):
        return False
    titled = {one for passage in given.passages for one in list_stems(passage.item.title)}
    return not titled.isdisjoint(list_stems(part))


def _series(question: str) -> list[str]:
    """Things in a row are sections if they are all that the question joins; names are joined in sentences."""
    return [] if len(sub_questions(question)) > 1 or _JOINED_NAMES.search(question) else list(series(question))


def parts_of(question: str) -> list[str]:
    """The parts of a question, one for each of the names or things that it joins."""
    things = compared(question) or _series(question)
    if things:
        named = {one for thing in things for one in list_stems(thing)}
        rest = [word for word in content_words(question) if named.isdisjoint(list_stems(word))]
        return [" ".join([thing, *rest]) for thing in things]
    return [one for part in sub_questions(question, most=MOST_QUESTIONS) for one in _each_name(part)]


def _each_name(part: str) -> list[str]:
    """`read CSV and JSON files` as `read CSV files` and `read JSON files`; the part itself if it joins no names."""
    match = _JOINED_NAMES.search(part)
    if match is None:
        return [part]
    return [part[: match.start()] + name + part[match.end() :] for name in _LISTED.split(match[0])]


def _asked(thing: str, subject: str) -> str:
    """A question about `thing` in which no words but its own and the subject's tell anything."""
    about = thing if _holds(thing, subject) else f"{thing} ({subject})"
    return f"What should one know about {about}?"


def _holds(text: str, subject: str) -> bool:
    return set(list_stems(subject)) <= set(list_stems(text))


def _enumerated(question: str) -> list[str]:
    """The things listed after a colon at the end of a question: `...: workflows, retries and tools?`."""
    match = _AFTER_COLON.search(question)
    things = [thing.strip(" .") for thing in _LISTED.split(match[1])] if match else []
    things = [thing for thing in things if content_words(thing)]
    return things if len(things) > 1 else []


def _headings(question: str, subject: str, given: Material) -> list[tuple[str, str]]:
    """Headings that share a word with the question and have sentences below them that bear on it, best first.

    Each with the subject that its passage is on.
    """
    about = {one for part in sub_questions(question) for one in (part_anchor(question, part, given),)}
    about |= {one for name in _joined_names(question) for one in list_stems(name)}
    ranks: dict[tuple[str, str], float] = {}
    supported: Counter[str] = Counter()
    for passage in given.passages:
        fields = [one for one in given.terms.weights if one in about & passage.found]
        if passage.aside or not fields:
            continue
        field = subject if set(list_stems(subject)) <= passage.found else _as_written(fields[0], question, given)
        bearing = sum(given.terms.coverage(set(list_stems(one.text))) >= BEARING for one in passage.sentences)
        for heading in _path(passage):
            supported[heading] += bearing
            own = given.terms.coverage(set(list_stems(heading)))
            if own >= SHARED and _is_focused(heading, given):
                worth = own + given.terms.coverage(passage.found)
                ranks[heading, field] = max(worth, ranks.get((heading, field), 0.0))
    return sorted((rank for rank in ranks if supported[rank[0]] >= SUPPORT), key=lambda rank: -ranks[rank])


def _is_focused(heading: str, given: Material) -> bool:
    """Whether half of what a heading says is in the question: others stand above one case of many."""
    own = set(list_stems(heading))
    return sum(one in given.terms.weights for one in own) >= FOCUSED * len(own)


def _joined_names(question: str) -> list[str]:
    match = _JOINED_NAMES.search(question)
    return _LISTED.split(match[0]) if match else []


def _path(passage: Passage) -> Iterator[str]:
    """The headings above a passage that name a subject other than that of the whole document, the nearest first."""
    document = set(list_stems(passage.item.title.split(" > ")[0]))
    for heading in reversed(passage.item.heading.split(" > ")):
        plain = " ".join(_MARKS.sub(" ", _CHAPTER.sub("", heading)).split()).strip(" :.#-")
        unfit = len(plain.split()) > HEADING_WORDS or _ADDRESS.search(plain) or _HOUSEKEEPING.search(plain)
        if content_words(plain) and not unfit and not set(list_stems(plain)) <= document:
            yield plain


def _is_new(heading: str, parts: Sequence[str], sections: Sequence[ReportPlanSection]) -> bool:
    """Whether `heading` says a telling word that no other part does, and no section in nearly the same words."""
    taken = {one for part in parts for one in list_stems(part)}
    return not set(list_stems(heading)) <= taken and not any(_same(heading, section.title) for section in sections)


def _same(one: str, other: str) -> bool:
    mine, theirs = set(list_stems(one)), set(list_stems(other))
    return mine == theirs or len(mine & theirs) >= TWIN * max(len(mine), len(theirs))


def _entities(question: str) -> tuple[str, ...]:
    """Proper names first, then the other words that tell something."""
    proper = _names(question)
    held = {one for name in proper for one in list_stems(name)}
    return tuple(
        dict.fromkeys([*proper, *(word for word in content_words(question) if held.isdisjoint(list_stems(word)))])
    )


def _title(text: str) -> str:
    text = text.rstrip(" ?")
    return text[:1].upper() + text[1:]
