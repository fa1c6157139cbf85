"""Which mode a question is researched in, which searches to make, and which sections a report has: by its parts.

For the mode, a few words are known of English and German; a question in another language is broad if it has several
parts. To a database a question goes in addition to other sources only if it is a saved question of that database.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.catalogue.sources import DATABASE
from elcano.graphs.mode_choice import PLUGIN_MODES
from elcano.graphs.report.report import heading_for, title_for
from elcano.graphs.state.state import RELATED
from elcano.graphs.text import shorten_text
from elcano.subjects.quoting.passages import Material, Passage, Terms, in_question_language, read_material, weigh_terms
from elcano.subjects.quoting.question_parts import (
    find_subject,
    list_compared,
    list_enumerated,
    list_names,
    split_into_parts,
)
from elcano.subjects.research.agents.input_parser import ParsedQuery
from elcano.subjects.research.agents.planner import ReportPlan, ReportPlanSection
from elcano.subjects.research.agents.tool_selector import MOST_TASKS, AgentSelectionPlan, AgentTask
from elcano.text.languages import get_current_language, get_weightless_words, stop_words
from elcano.text.same_question import is_same_question, list_readings
from elcano.text.stems import (
    content_words,
    find_word_root,
    list_stems,
    list_synonyms,
    list_verb_forms,
)
from elcano.text.words import is_unspaced, split_words

LACKING: Final = ": nothing on "
"""Between a part of the question and its words that no passage has; it is English, so no query has it."""
QUERY_WORDS: Final = 8
QUERY_CHARACTERS: Final = 300
FEW_WORDS: Final = 2
"""A question of no more telling words keeps the others that are no mere grammar: `data types`."""
CONTEXT_WORDS: Final = 3
"""Words of a question that are searched for besides those of its context."""
ENOUGH_SECTIONS: Final = 4
"""Sections beyond this are made of the question's own parts only."""
MOST_QUESTIONS: Final = 10
MOST_ENTITIES: Final = 20
BEARING: Final = 0.4
"""The share of the whole question that a sentence must hold in a section which the question does not name."""
SUPPORT: Final = 2
"""Sentences with such a share that must be below a heading for it to be a section."""
CONTEXT_CHARACTERS: Final = 1_000
HEADING_WORDS: Final = 8
"""A longer heading is a sentence or a signature, not a subject."""

_CHAPTER: Final = re.compile(r"^\W*(?:\d+(?:\.\d+)*|[A-Z])[.)]\s+")
_NO_SUBJECT: Final = re.compile(r"https?://|[<>{}=`*_\[\]]|\w\(")


@in_question_language
def parse_question(task: TaskEnvelope) -> ParsedQuery:
    """The question's parts and names, and the mode by which it is researched; no field, which rules cannot tell."""
    question = " ".join(task.question.split())
    parts = list_enumerated(question) or list(split_into_parts(question))
    mode, reason = choose_mode(task, parts)
    names = list_names(question)
    held = [name.lower() for name in names]
    others = [word for word in content_words(question) if word not in held]
    return ParsedQuery(
        original_query=task.question,
        improved_query=question[:2_000],
        research_mode=mode,
        mode_reason=reason,
        key_entities=tuple(dict.fromkeys([*names, *others]))[:MOST_ENTITIES],
        research_questions=tuple(parts)[:MOST_QUESTIONS] if len(parts) > 1 else (),
    )


@in_question_language
def plan_report(task: TaskEnvelope) -> ReportPlan:
    """Sections for the question's parts; one that has a single part is filled up with the headings that were found."""
    question = " ".join(task.question.split())
    most = ENOUGH_SECTIONS if task.max_sections is None else task.max_sections
    sections = list(dict(_list_asked(question)).items())
    if len(sections) == 1:
        sections += _list_headings(question, read_material(task))[: min(most, ENOUGH_SECTIONS) - 1]
    outline = tuple(
        ReportPlanSection(title=heading_for(title[:1].upper() + title[1:]), key_question=asked[:1_000])
        for title, asked in sections[:most]
    )
    context = shorten_text(f"The whole question: {question}", CONTEXT_CHARACTERS) if len(outline) > 1 else ""
    return ReportPlan(report_title=title_for(question), background_context=context, report_outline=outline)


@in_question_language
def plan_searches(task: TaskEnvelope) -> AgentSelectionPlan:
    """One search per gap and source, none that was made before; without new words to try, no search at all."""
    made = {(search.source, make_query_key(search.query)) for turn in task.conversation for search in turn.searches}
    begun = any(turn.searches for turn in task.conversation)
    terms = weigh_terms(task.question, task.term_weights, [])
    about = find_subject(task.question, Material((), terms))
    wanted = [task.gap.replace(LACKING, ": ")] if begun else [task.question, *split_into_parts(task.question)]
    queries = [
        *(_make_query(text, terms, None if list_names(text) else about) for text in wanted),
        *(_make_query(_pick_said_words(text), terms, about) for text in reversed(task.guidance)),
        *(_make_query(text, terms, None) for text in task.suggested_queries),
        *([] if begun else _list_wider_queries(task, terms)),
    ]
    sources = [source for source in task.sources if source.name != RELATED]  # it has seen all of that
    tasks: list[AgentTask] = []
    for query in dict.fromkeys(queries):
        for source in sources:
            key = (source.name, make_query_key(query))
            if query and key not in made:
                made.add(key)
                tasks.append(AgentTask(source=source.name, query=query))
    return AgentSelectionPlan(tasks=tuple(tasks[:MOST_TASKS]), whole=True)


def list_unheeded(task: TaskEnvelope) -> tuple[str, ...]:
    """List the user's later instructions that were not searched for yet, the latest first."""
    made = [make_query_key(search.query) for turn in task.conversation for search in turn.searches]
    wanted = ((text, make_query_key(_pick_said_words(text))) for text in reversed(task.guidance))
    return tuple(text for text, key in wanted if key and not any(key <= one for one in made))


def list_gaps(question: str, given: Material) -> tuple[str, ...]:
    """The parts of the question that the evidence covers least, each with the words nothing speaks to."""
    gaps: list[tuple[float, str]] = []
    for part in split_into_parts(question):
        terms = given.terms.of(part)
        if missing := terms.missing(given.found):
            covered = terms.coverage(given.found)
            gaps.append((covered, f"{part}{LACKING}{', '.join(missing)}" if covered else f"{part}?"))
    return tuple(text for _, text in sorted(gaps, key=lambda gap: gap[0]))


def suggest_queries(question: str, given: Material, made: Iterable[str]) -> tuple[str, ...]:
    """Searches for the missing words: all of them together, then each with the question's subject."""
    missing = given.terms.missing(given.found)
    about = find_subject(question, given)
    name = given.terms.written[about] if about is not None else ""
    tries = [" ".join(dict.fromkeys([*missing, name])), *(f"{word} {name}" for word in missing)]
    known = {make_query_key(query) for query in made}
    fresh = [" ".join(query.split()) for query in tries if missing and make_query_key(query) not in known]
    return tuple(dict.fromkeys(fresh))[:3]


def make_query_key(query: str) -> frozenset[str]:
    """Two queries with the same roots find the same passages; other words of one kin find others."""
    left_out = get_weightless_words(get_current_language())
    return frozenset(find_word_root(word) for word in split_words(query) if word not in left_out)


def _list_asked(question: str) -> Iterator[tuple[str, str]]:
    """Title and key question of each part that the question itself names."""
    listed, things = list_enumerated(question), list_compared(question)
    if listed or things:
        if listed:
            yield question.rstrip(" ?"), question
        named = {one for thing in things or listed for one in list_stems(thing)}
        field = [word for word in content_words(question) if named.isdisjoint(list_stems(word))]
        names = [name for name in list_names(question) if named.isdisjoint(list_stems(name))]
        about = ", ".join(field if things else names[:1])
        for thing in listed or things:
            yield thing, f"What should one know about {f'{thing} ({about})' if about else thing}?"
        return
    first, *others = split_into_parts(question)
    yield first, f"{first.rstrip('?')}?" if others else question
    subject = next((name for name in list_names(question) if not name.isupper()), "")
    for part in others:
        own = not subject or list_names(part)
        yield (part if own else f"{subject}: {part}"), (f"{part}?" if own else f"{subject}: {part}?")


def _list_headings(question: str, given: Material) -> list[tuple[str, str]]:
    """Headings that share a word with the question and have sentences below them that bear on it, best first."""
    about = find_subject(question, given)
    subject = next((word for word in question.split() if about in list_stems(word)), "").strip(" ?,.")
    supported: Counter[str] = Counter()
    for passage in given.passages:
        if about in passage.found and (heading := _find_heading(passage)):
            bearing = [one for one in passage.sentences if given.terms.coverage(list_stems(one.text)) >= BEARING]
            supported[heading] += len(bearing)
    taken = set(list_stems(question))
    found: list[tuple[str, str]] = []
    for heading, sentences in supported.most_common():
        stems = set(list_stems(heading))
        if sentences >= SUPPORT and stems & set(list_stems(question)) and not stems <= taken:
            taken |= stems
            found.append((heading, f"What should one know about {heading} ({subject})?"))
    return found


def _find_heading(passage: Passage) -> str:
    """The nearest heading above a passage, if it names a subject other than that of the whole document."""
    heading = _CHAPTER.sub("", passage.item.heading.rpartition(" > ")[2]).strip(" :.#-")
    document = set(list_stems(passage.item.title.split(" > ")[0]))
    unfit = len(heading.split()) > HEADING_WORDS or _NO_SUBJECT.search(heading) or set(list_stems(heading)) <= document
    return "" if unfit else heading


def _pick_said_words(said: str) -> str:
    """Pick the telling words of an instruction, as many as leave room for the question's subject in a search."""
    return " ".join(content_words(said)[: QUERY_WORDS - 1])


def _list_wider_queries(task: TaskEnvelope, terms: Terms) -> list[str]:
    """First searches besides the question's own words: in other words, and besides those of its context.

    The context is the end of the background: for a section the question that it is a part of.
    """
    own = content_words(task.question)[:QUERY_WORDS]
    others = [one for word in own for one in (*list_synonyms(word), *list_verb_forms(word))]
    queries = [" ".join([*own, *others])[:QUERY_CHARACTERS]] if others else []
    if context := task.background.rpartition("\n")[2]:
        queries.append(_make_query(f"{' '.join(own[:CONTEXT_WORDS])} {context}", terms, None))
    return queries


def _make_query(text: str, terms: Terms, about: str | None) -> str:
    """The telling words of `text`, and the subject if it lacks it; where words have no spaces, `text` as it is."""
    if is_unspaced(text):
        return " ".join(text.split())[:QUERY_CHARACTERS]
    chosen = list(content_words(text)[:QUERY_WORDS])
    if 0 < len(chosen) <= FEW_WORDS and ":" not in text:
        left_out = stop_words(get_current_language())
        chosen = [word for word in split_words(text) if word not in left_out][:QUERY_WORDS]
    if about is not None and about not in list_stems(text):
        chosen = [terms.written[about], *chosen[: QUERY_WORDS - 1]]
    return " ".join(chosen)[:QUERY_CHARACTERS]


BY_RULES: Final = "Chosen by rules, without a language model:"
FACT_WORDS: Final = 8
"""A question of more telling words has conditions that one search seldom meets."""

_REVIEWS: Final = re.compile(
    r"\b(?:(?:literature|systematic|scoping) review|meta-?analy\w+|review of (?:the )?(?:literature|studies|trials)"
    r"|review (?:the |all )?(?:literature|studies|trials)|(?:literatur|studien)(?:übersicht|überblick|recherche)\w*"
    r"|systematische\w* (?:übersicht|literatur|review)\w*|stand der studien)\b",
    re.IGNORECASE,
)
"""Studies are to be reviewed."""
_BROAD: Final = re.compile(
    r"\b(?:reports?|overviews?|surveys?|reviews?|summar(?:y|ise|ize)|compar(?:e|es|ed|ing|isons?)|analy\w+|comprehensive"
    r"|in depth|detailed|landscape|state of the art|market|differences?|advantages?|trade-?offs?|pros and cons|versus"
    r"|vs|berichte?|überblick|übersicht|vergleich\w*|zusammenfassung|umfassend\w*|ausführlich\w*|unterschiede?n?"
    r"|unterscheide[nt]|vorteile?n?|nachteile?n?|gegenüber)\b",
    re.IGNORECASE,
)
"""A subject as a whole, or things next to each other."""
_FACT: Final = re.compile(
    r"^\W*(?:who|when|where|(?:in )?(?:which|what) (?:year|month|day|date|city|country|version|port)"
    r"|how (?:many|much|old|long|tall|far|high|large|big)"
    r"|what (?:is|was) (?:the |its )?(?:\w+ )?(?:name|number|date|year|capital|price|size|version|default|limit)"
    r"|wer|wann|wo|(?:in )?welche[nmrs]? (?:jahr|monat|tag|datum|stadt|land)"
    r"|wie (?:viele?|alt|lange?|groß|weit|hoch))\b",
    re.IGNORECASE,
)
"""One fact, by the beginning of its question."""
_DEFINITION: Final = re.compile(
    r"^\W*(?:what (?:is|are)|was (?:ist|sind|bedeutet))\s+(?:(?:an?|the|eine?|der|die|das)\s+)?[\w-]+\W*$",
    re.IGNORECASE,
)
"""`What is a meta-analysis?` asks for no meta-analysis."""


def choose_mode(task: TaskEnvelope, parts: Sequence[str]) -> tuple[str, str]:
    """The name of the mode for the question of `task`, and why; `parts` are its own."""
    mode, why = _choose_mode(task, " ".join(task.question.split()), parts)
    return mode, f"{BY_RULES} {why}"


def _choose_mode(task: TaskEnvelope, question: str, parts: Sequence[str]) -> tuple[str, str]:
    given = task.given.get("ways")
    modes: Collection[str] = given.keys() if isinstance(given, dict) else ("iterative", "deep")
    if modes and all(name in PLUGIN_MODES and DATABASE in PLUGIN_MODES[name].kinds for name in modes):
        return next(iter(modes)), "all that is searched are databases."
    if "data" in modes and (database := _find_database(task)):
        return "data", f"it is a saved question of the database {database!r}."
    defines = _DEFINITION.match(question) is not None
    if "literature_review" in modes and not defines and (said := _REVIEWS.search(question)):
        return "literature_review", f"it asks for a review of studies (“{said[0]}”)."
    if len(parts) > 1:
        return "deep", f"it has {len(parts)} parts, each of which can be researched by itself."
    if not defines and (said := _BROAD.search(question)):
        return "deep", f"its words ask for breadth (“{said[0]}”)."
    if "simple" in modes and (said := _FACT.search(question)) and 1 <= len(content_words(question)) <= FACT_WORDS:
        return "simple", f"it asks for one fact (“{said[0].strip()}”)."
    return "iterative", "it has one part, and nothing in its words asks for breadth."


def _find_database(task: TaskEnvelope) -> str:
    """The first of a task's databases that has its question saved; empty: none."""
    saved_by_name = task.given.get("saved_questions")
    for name, saved in saved_by_name.items() if isinstance(saved_by_name, dict) else ():
        questions = [one for one in saved if isinstance(one, str)] if isinstance(saved, list) else []
        if any(is_same_question(one, other) for one in list_readings(task) for other in questions):
            return name
    return ""
