"""What to look for: a question's parts, the words nothing speaks to yet, and the searches that may close the gap."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from elcano.activities.text.languages import get_current_language
from elcano.activities.text.stems import (
    content_words,
    find_word_root,
    find_word_stem,
    list_stems,
    list_synonyms,
    list_verb_forms,
)
from elcano.activities.text.stopwords import WEIGHTLESS, get_weightless_words, stop_words
from elcano.activities.text.words import is_unspaced, split_words
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.state.state import RELATED
from elcano.plugins.quoting.asking import kind_of
from elcano.plugins.quoting.joints import JOINTS
from elcano.plugins.quoting.language import in_english, in_its_language
from elcano.plugins.quoting.passages import Material
from elcano.plugins.quoting.terms import Terms, weighted
from elcano.plugins.research.agents.tool_selector import AgentSelectionPlan, AgentTask

MOST_PARTS: Final = 5
MOST_TASKS: Final = 8
QUERY_WORDS: Final = 8
QUERY_CHARACTERS: Final = 300
CONTEXT_WORDS: Final = 3
"""Words of a question that are searched for beside those of its context."""
FEW_WORDS: Final = 2
"""A question of no more telling words keeps the others that are no mere grammar: `data types`, `when not to use`."""
NAME_SHARE: Final = 0.4
"""A proper name says what a question is about if it tells this much of what its most telling word does."""

_KEPT: Final = frozenset(["when", "not", "use", "using", "without"])
_ASKING: Final = r"(?:how|what|when|where|which|who|whom|whose|why|is|are|was|were|does|do|did|can|could|should|will)"
_JOINT: Final = re.compile(
    rf"(?:\s*[,;]\s*|\s+)(?:and|or|but)\s+(?={_ASKING}\b)|\s*[,;]\s+(?={_ASKING}\b)", re.IGNORECASE
)
_JOINTS: Final = {**JOINTS, "en": _JOINT}
_EDGES: Final = " ?,;\uff1f\u061f\u00bf\uff0c\u3002"
_COMPARED: Final = re.compile(
    r"\b(?:differ(?:s|ed|ences?|ent)?|distin(?:ctions?|guish(?:es|ed)?)|choos(?:e|ing)|choices?|chose|decid(?:e|ing)|"
    r"comparisons?|trade-?offs?|similarit(?:y|ies)|contrasts?)\b[^?]*?\bbetween\s+(.+)|\bcompare\s+(.+)",
    re.IGNORECASE,
)
"""Only after a word of comparison: a line between two servers compares nothing."""
_VERSUS: Final = re.compile(r"\s+(?:vs\.?|versus)\s+", re.IGNORECASE)
_ENUMERATION: Final = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|with|to)\s+", re.IGNORECASE)
_TAIL: Final = re.compile(r"\s+(?:in|for|when|while|on|of|as|if|under|at|by|regarding|concerning)\s.*$", re.IGNORECASE)
_NAME: Final = re.compile(r"\b[A-Z][\w-]*\b")
_SERIES: Final = re.compile(
    r"\b(?<!\bI )(?<!\bto )(?<!\bwe )(?<!\byou )(?<!\bone )(?<!\bthey )"
    r"[\w.-]+(?:,\s+[\w.-]+)*,?\s+(?:and|or)\s+[\w.-]+",
    re.IGNORECASE,
)
_DONE_TO: Final = re.compile(
    r"\s+(?:an?|the|my|your|its|their|his|her|our|it|them|this|that|these|those|all|every|each)\b", re.IGNORECASE
)
"""After a row it says that the row is of doings: `install and migrate a database`."""
_BETWEEN: Final = re.compile(r",?\s+(?:and|or)\s+|,\s+", re.IGNORECASE)


def sub_questions(question: str, most: int = MOST_PARTS) -> tuple[str, ...]:
    """The parts of a question, each to be answered by itself; a question with one part is its own part."""
    asked = [part.strip() for part in re.findall(r"[^?\uff1f\u061f]+[?\uff1f\u061f]", question)] or [question.strip()]
    joint = _JOINTS.get(get_current_language())
    parts = [part.strip(_EDGES) for whole in asked for part in (joint.split(whole) if joint else [whole])]
    parts = [part for part in parts if content_words(part)]
    if len(parts) == 1:
        parts = compared(parts[0]) or parts
    return tuple(dict.fromkeys(parts))[:most] or (question.strip(),)


def compared(question: str) -> list[str]:
    """The things that a question sets side by side."""
    if not in_english():
        return []
    match = _COMPARED.search(question)
    if match is not None:
        things = _ENUMERATION.split(match[1] or match[2])
    elif _VERSUS.search(question):
        things = _VERSUS.split(question)
    else:
        return []
    things = [_TAIL.sub("", thing).strip(" ?.,") for thing in things]
    things = [thing for thing in things if content_words(thing)]
    return things if len(things) > 1 else []


def series(question: str) -> tuple[str, ...]:
    """The single words that a question names in a row: `handlers, formatters and levels`; a pair of doings is none."""
    for match in _SERIES.finditer(question) if in_english() else ():
        things = _BETWEEN.split(match[0])
        doings = len(things) == 2 and all(thing.endswith("ing") for thing in things)
        doings = doings or _DONE_TO.match(question, match.end()) is not None
        if not doings and WEIGHTLESS.isdisjoint(thing.lower() for thing in things):
            return tuple(things)
    return ()


def anchor(question: str, given: Material) -> str | None:
    """The word that says what the whole question is about: telling, and present in much of what was found.

    A proper name that tells enough goes before any other word.
    """
    present = [one for one in given.terms.weights if _presence(one, given) > 0]
    return max(names(question, given) or present, key=lambda one: _presence(one, given), default=None)


def part_anchor(question: str, part: str, given: Material) -> str | None:
    """What one part is about: the name in it, or what the whole question is about.

    Of things that are set side by side each is about itself.
    """
    if compared(question) or series(question):
        return max(given.terms.of(part).weights, key=lambda one: given.terms.weights[one], default=None)
    named = max(names(part, given), key=lambda one: _presence(one, given), default=None)
    return anchor(question, given) if named is None else named


def names(text: str, given: Material) -> list[str]:
    """The stems of proper names in `text` that occur in what was found; a name that is everywhere tells nothing."""
    weights = given.terms.weights
    least = NAME_SHARE * max(weights.values(), default=0.0)
    written = {match[0] for match in _capitals(text)}
    proper = {name for name in written if not name.isupper()}  # An acronym beside a name is a word like others.
    present = [one for one in weights if weights[one] >= least and _presence(one, given) > 0]
    for group in (proper, written):
        named = {find_word_stem(name.lower()) for name in group}
        if found := [one for one in present if one in named]:
            return found
    return []


def proper_names(text: str) -> set[str]:
    """The words, in lower case, that `text` writes as names: with a capital, not at its beginning, not everywhere."""
    found = [match for match in _capitals(text) if match.start() > 0 and not match[0].isupper()]
    return {match[0].lower() for match in found} if len(found) < len(text.split()) / 2 else set()


def _capitals(text: str) -> list[re.Match[str]]:
    """The words that are written with a capital; none in German, which writes every noun with one."""
    return [] if get_current_language() == "de" else list(_NAME.finditer(text))


def _presence(one: str, given: Material) -> float:
    """How much a word tells, times the share of the passages that hold it; without passages all do."""
    passages = given.passages
    share = sum(one in passage.found for passage in passages) / len(passages) if passages else 1.0
    return given.terms.weights[one] * share


def gaps(question: str, given: Material) -> tuple[str, ...]:
    """The parts of the question that the evidence covers least, each with the words nothing speaks to."""
    open_parts = []
    for part in sub_questions(question):
        terms = given.terms.of(part)
        missing = terms.missing(given.found)
        if missing:
            covered = terms.coverage(given.found)
            open_parts.append((covered, f"{part}: nothing on {', '.join(missing)}" if covered else f"{part}?"))
    return tuple(text for _, text in sorted(open_parts, key=lambda each: each[0]))


@in_its_language
def plan(task: TaskEnvelope) -> AgentSelectionPlan:
    """One search per gap and source, none that was made before; without new words to try, no search at all."""
    made = {(search.source, _key(search.query)) for turn in task.conversation for search in turn.searches}
    begun = any(turn.searches for turn in task.conversation)
    wanted = [task.gap] if begun else [task.question, *sub_questions(task.question)]
    terms = weighted(task.question, task.term_weights, [])
    about = anchor(task.question, Material((), terms))
    tasks: list[AgentTask] = []
    queries = [
        *(_query(text, terms, None if _names_its_subject(text) else about) for text in wanted),
        *(_query(_words_of(text), terms, about) for text in reversed(task.guidance)),
        *(_query(text, terms, None) for text in task.suggested_queries),
        *([] if begun else _wider(task)),
    ]
    sources = [source for source in task.sources if source.name != RELATED]  # it has seen all of that
    for query in dict.fromkeys(queries):
        for source in sources:
            key = (source.name, _key(query))
            if query and key not in made:
                made.add(key)
                tasks.append(AgentTask(source=source.name, query=query, gap=task.gap[:500]))
    return AgentSelectionPlan(tasks=tuple(tasks[:MOST_TASKS]), whole=True)


def unheeded(task: TaskEnvelope) -> tuple[str, ...]:
    """What the person who asked said meanwhile and nobody has searched for yet, the latest first."""
    made = [_key(search.query) for turn in task.conversation for search in turn.searches]
    wanted = ((text, _key(_words_of(text))) for text in reversed(task.guidance))
    return tuple(text for text, key in wanted if key and not any(key <= one for one in made))


def _words_of(said: str) -> str:
    """The telling words of what somebody said, as many as leave room for the question's subject in a search."""
    return " ".join(content_words(said)[: QUERY_WORDS - 1])


def _wider(task: TaskEnvelope) -> list[str]:
    """First searches beside the question's own words: with those of answers to it, in other words, a thing at a time.

    Last come those of the context, the end of the background: for a section the question that it is a part of.
    """
    question = task.question
    own = content_words(question)[:QUERY_WORDS]
    parts, context = sub_questions(question), task.background.rpartition("\n")[2]
    things = series(question) if len(parts) == 1 else ()
    rest = [word for word in own if word not in {thing.lower() for thing in things}]
    others = [one for word in own for one in (*list_synonyms(word), *list_verb_forms(word))]
    about = content_words(context)[:QUERY_WORDS]
    around = sub_questions(context) if about else ()
    queries = [
        *([*content_words(part), *kind_of(part).searched.split()] for part in parts),
        [*rest, *others] if others else [],
        *([thing.lower(), *rest, *kind_of(question).searched.split()] for thing in things),
        [*own[:CONTEXT_WORDS], *about] if about else [],
        *([*content_words(part), *kind_of(part).searched.split()] for part in around),
    ]
    return [" ".join(dict.fromkeys(query))[:QUERY_CHARACTERS] for query in queries if query]


def _names_its_subject(text: str) -> bool:
    """Whether a proper name stands in `text`; the capital of its first word says nothing."""
    return any(match.start() > 0 and content_words(match[0]) for match in _capitals(text))


def next_queries(question: str, given: Material, made: Iterable[str]) -> tuple[str, ...]:
    """Searches for the missing words: all of them together, then each beside the anchor."""
    missing = given.terms.missing(given.found)
    about = anchor(question, given)
    name = given.terms.written[about] if about is not None else ""
    tries = [" ".join(dict.fromkeys([*missing, name])), *(f"{word} {name}" for word in missing)]
    known = {_key(query) for query in made}
    fresh = [" ".join(query.split()) for query in tries if missing and _key(query) not in known]
    return tuple(dict.fromkeys(fresh))[:3]


def _query(text: str, terms: Terms, about: str | None) -> str:
    """The telling words of `text`, and the anchor if it lacks it; where words have no spaces, `text` as it is."""
    if is_unspaced(text):
        return " ".join(text.split())[:QUERY_CHARACTERS]
    chosen: Sequence[str] = content_words(text)[:QUERY_WORDS]
    if 0 < len(chosen) <= FEW_WORDS and ":" not in text:
        chosen = [
            word for word in split_words(text) if word not in stop_words(get_current_language()) or word in _KEPT
        ][:QUERY_WORDS]
    if about is not None and about not in list_stems(text):
        chosen = (terms.written[about], *chosen[: QUERY_WORDS - 1])
    return " ".join(chosen)[:QUERY_CHARACTERS]


def _key(query: str) -> frozenset[str]:
    """Two queries with the same roots find the same passages; other words of one kin find others."""
    return frozenset(
        find_word_root(word) for word in split_words(query) if word not in get_weightless_words(get_current_language())
    )
