"""A run that follows another one: the conversation so far, and the passages that it takes over.

The way back goes along what each run says it follows, run by run and only so far: what was deleted meanwhile is where
it ends. A run follows one that has ended, so no run is ever before itself.

Completes a follow-up question that cannot stand alone: searches for it include the words of the previous question.

By rules, for everybody who reads the question reads it so, a tool that searches as well. A question that can stand
alone stays as it is. Whose language is not known here is alone too, unless it has hardly a word.
"""

import asyncio
import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import Final

from stop_words import AVAILABLE_LANGUAGES, get_stop_words

from elcano.graphs.errors import StoreDamaged
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.records import ArchivedRun, RunLog
from elcano.graphs.report.report import Report
from elcano.graphs.run_contracts import FollowedRun
from elcano.graphs.state.state import (
    ANSWER_CHARACTERS,
    MOST_CITED,
    MOST_ENTRIES,
    MOST_EVIDENCE,
    MOST_SQL,
    OLDER_ANSWER_CHARACTERS,
    QUESTION_CHARACTERS,
    SQL_CHARACTERS,
    EvidenceRef,
    HistoryEntry,
    ResearchState,
)
from elcano.graphs.text import shorten_text
from elcano.service.errors import RunForgotten, RunNotFound, RunUnreadable, TemporalUnavailable, WorkerUnavailable
from elcano.service.runs.run_log import read_log
from elcano.service.runs.run_status import current_run
from elcano.service.temporal.client import Temporal
from elcano.storage.store import TenantStore

MOST_WORDS: Final = 12
"""Maximum number of words taken from the previous question."""
WORD_CHARACTERS: Final = 60
_WORD: Final = re.compile(r"[^\W\d_](?:[\w-]|['\u2019](?=\w))*|\d[\w.,%-]*")


def _parse_word_list(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LINKS: Final = _parse_word_list(
    "and or but also then so und oder auch dann et ou mais aussi puis y e o pero también ed ma anche en of maar ook "
    "och men også og i ale lub \u0438 \u0438\u043b\u0438 \u043d\u043e také ve peki de"
)
"""Words with which a question continues another one."""
_OPENINGS: Final = ("what about ", "how about ", "was ist mit ", "wie ist es mit ", "qu'en est-il ", "y qué ", "e per ")
_MEANT: Final = _parse_word_list(
    "it its they them their theirs this these those that he him his she her er sie ihn ihm ihr ihre ihren ihrer diese "
    "dieser dieses diesem diesen davon dafür daran damit il elle ils elles celui celle ceux celles cela ça leur leurs "
    "ello ella ellos ellas eso esto esos estos esas estas su sus esso essa essi loro questo questa questi queste ele "
    "eles elas isso isto hij zij hun deze dit"
)
"""Words that stand for something that was named before."""
_ASKING: Final = _parse_word_list(
    "what which who whom whose when where why how much many about compare compared show tell list give find please "
    "was welche welcher welches wer wann wo warum wie viel viele zeige nenne quel quelle quels quelles qui quand où "
    "pourquoi comment combien qué cuál cuáles quién cuándo dónde cómo cuánto cuántos che quale quali chi quando dove "
    "perché come quanto quanti qual quais quem onde quantos wat welke wanneer waar waarom hoe hoeveel"
)


def in_context(question: str, earlier: str) -> str:
    """`question` with the telling words of `earlier` behind it, if it lacks a subject; else empty.

    A year, or another number, of the question takes the place of those that were asked about before.
    """
    own = _find_words(question)
    stop = _stop_words(f"{earlier} {question}")
    telling = [word for word in own if _is_content_word(word, stop)]
    if not _needs_context(question, own, telling):
        return ""
    known = {word.lower() for word in own}
    numbers = any(_is_number(word) for word in own)
    taken = [
        word[:WORD_CHARACTERS]
        for word in dict.fromkeys(_find_words(earlier))
        if word.lower() not in known and (not numbers if _is_number(word) else _is_content_word(word, stop))
    ][:MOST_WORDS]
    return f"{question} ({' '.join(taken)})" if taken else ""


def _needs_context(question: str, own: list[str], telling: list[str]) -> bool:
    if len(telling) < 2:
        return True
    first = own[0].lower()
    lowered = " ".join(question.lower().split())
    return first in _LINKS or lowered.startswith(_OPENINGS) or any(word.lower() in _MEANT for word in own)


def _find_words(text: str) -> list[str]:
    return [found.group().rstrip(".,-") for found in _WORD.finditer(text)]


def _is_number(word: str) -> bool:
    return word[0].isdigit()


def _is_content_word(word: str, stop: Collection[str]) -> bool:
    """Whether a word says what a question is about."""
    lowered = word.lower()
    return not _is_number(word) and lowered not in stop and lowered not in _ASKING and lowered not in _LINKS


def _stop_words(text: str) -> frozenset[str]:
    """Return the stop words of the language to which most words of `text` belong; none if there is none."""
    words = {word.lower() for word in _find_words(text)}
    best = max(_LANGUAGES, key=lambda language: len(words & _load_stop_words(language)))
    return _load_stop_words(best) if words & _load_stop_words(best) else frozenset()


_LANGUAGES: Final = ("en", *sorted(set(AVAILABLE_LANGUAGES) - {"en"}))
"""English first: it is taken where two fit as well."""


@cache
def _load_stop_words(language: str) -> frozenset[str]:
    return frozenset(get_stop_words(language))


NOT_ANSWERED: Final = "It was not answered."
_DEEPEST: Final = 6
"""Maximum depth at which an output is searched for SQL."""


class CannotFollow(Exception):
    """A run cannot be followed. The text says why, and what to do."""


async def load_followed_run(
    run_id: str, question: str, temporal: Temporal, store: TenantStore, *, most: int = MOST_EVIDENCE
) -> FollowedRun:
    """Return the knowledge that a run with this question takes over from `run_id`, with `most` of its passages.

    A run that failed, or was cancelled, is followed as far as it got; its entry says so.

    Raises:
        CannotFollow: there is no such run (any more) for this tenant, it has not ended, or it is a section.
    """
    try:
        run = await current_run(run_id, temporal, store)
    except RunNotFound:
        text = f"there is no run {run_id!r} to follow: it was deleted, or never was; `GET /v1/runs` lists them"
        raise CannotFollow(text) from None
    if run.branch_of is not None:
        raise CannotFollow(f"{run_id!r} is a section: follow the run that it belongs to, {run.branch_of.run_id!r}")
    if run.status == "running":
        raise CannotFollow(
            f"the run {run_id!r} has not ended: wait for it, or stop it (it then still writes its report)"
        )
    log = await _load_followed_log(run, temporal, store)
    entries: list[HistoryEntry] = []
    report = await _load_followed_report(run, store)
    entries.append(_build_history_entry(run, report, log, ANSWER_CHARACTERS))
    earlier = run
    while earlier.previous_run and len(entries) < MOST_ENTRIES:
        before = await store.runs.get(earlier.previous_run)
        if before is None:
            break
        kept = await _load_followed_log(before, None, store)
        entries.append(
            _build_history_entry(before, await _load_followed_report(before, store), kept, OLDER_ANSWER_CHARACTERS)
        )
        earlier = before
    meant = log.asked.follows.in_context if log is not None and log.asked.follows is not None else ""
    best, left_out = _select_carried_evidence(report, log, most)
    return FollowedRun(
        run_id=run.run_id,
        question=run.question,
        in_context=in_context(question, meant or run.question),
        history=tuple(reversed(entries)),
        evidence=best,
        left_out=left_out,
    )


async def _load_followed_log(run: ArchivedRun, temporal: Temporal | None, store: TenantStore) -> RunLog | None:
    """Read the log of a run; None if there is none, and its question is all that is known."""
    if not run.log:
        return None
    try:
        if temporal is not None:
            return await read_log(run, temporal, store)
        kept = await store.artifacts.get(run.log)
    except (RunUnreadable, RunForgotten, WorkerUnavailable, TemporalUnavailable, StoreDamaged):
        return None
    return None if kept is None else await asyncio.to_thread(RunLog.model_validate_json, kept)


async def _load_followed_report(run: ArchivedRun, store: TenantStore) -> Report | None:
    kept = None if run.report is None else await store.artifacts.get(run.report.artifact)
    return None if kept is None else await asyncio.to_thread(Report.model_validate_json, kept)


def _build_history_entry(run: ArchivedRun, report: Report | None, log: RunLog | None, longest: int) -> HistoryEntry:
    ending = run.ending.detail if run.ending else run.failure.message if run.failure else ""
    return HistoryEntry(
        run_id=run.run_id,
        question=shorten_text(" ".join(run.question.split()), QUESTION_CHARACTERS),
        answer=shorten_text(extract_answer_text(report), longest),
        status=run.status,
        ending=shorten_text(" ".join(ending.split()), QUESTION_CHARACTERS),
        sql=tuple(_list_run_queries(log.run.state))[-MOST_SQL:] if log else (),
        evidence=list_cited_evidence(report)[:MOST_CITED],
        report=run.report.artifact if run.report else "",
    )


def extract_answer_text(report: Report | None, allowed: Collection[str] | None = None) -> str:
    """Return the text of a report in plain words; a note that there is no answer if it has none, or is missing.

    With `allowed`, the ids of the passages that it may be from: only statements that cite nothing but these.
    """
    if report is None:
        return NOT_ANSWERED
    statements = (statement for part in report.parts for block in part.blocks for statement in block.statements)
    said = (
        one.text
        for one in statements
        if allowed is None or (one.citations and all(cited.evidence in allowed for cited in one.citations))
    )
    text = " ".join(" ".join(said).split())
    return text if report.answered else f"{NOT_ANSWERED} {text}".rstrip()


def list_cited_evidence(report: Report | None) -> tuple[str, ...]:
    """Return the ids of the passages that a report cites, each once."""
    found = (one.evidence for one in report.citations) if report else ()
    return tuple(dict.fromkeys(found))


def _select_carried_evidence(
    report: Report | None, log: RunLog | None, most: int
) -> tuple[tuple[EvidenceRef, ...], int]:
    """Return the passages to take over, those cited by the report first, and the number left behind."""
    found = log.run.state.evidence if log else ()
    cited = {id: place for place, id in enumerate(list_cited_evidence(report))}
    best = sorted(found, key=lambda ref: cited.get(ref.id, len(cited)))[:most]
    chosen = {ref.id for ref in best}
    kept = (ref if ref.duplicate_of in chosen else ref.model_copy(update={"duplicate_of": None}) for ref in best)
    return tuple(kept), len(found) - len(best)


def _list_run_queries(state: ResearchState) -> Iterator[str]:
    """The queries of a run that databases answered, each once, the latest last.

    One that failed, or was mended since, answered nothing and misleads the next reader.
    """
    kept = [*state.outputs.values(), *state.values.values()]
    found = dict.fromkeys(sql for one in kept for sql in _find_nested_texts(one, _get_answered_sql, _DEEPEST))
    if not found:  # of a graph of one's own, which need not keep what was asked
        found = dict.fromkeys(sql for one in kept for sql in _find_nested_texts(one, _get_executed_sql, _DEEPEST))
    yield from (shorten_text(sql, SQL_CHARACTERS) for sql in found)


def _get_answered_sql(value: JsonObject) -> str:
    """The query of a `{query, repairs}`, as it was written; empty if `value` is none."""
    query = value.get("query")
    if value.keys() != {"query", "repairs"} or not isinstance(query, dict):
        return ""
    return _get_text_field(query, "sql")


def _get_executed_sql(value: JsonObject) -> str:
    """The query of a `ResultDigest`, as it was run; empty if `value` is none, or no query gave it."""
    return _get_text_field(value, "sql") if _get_text_field(value, "artifact") and "row_count" in value else ""


def _get_text_field(value: JsonObject, name: str) -> str:
    return found if isinstance(found := value.get(name), str) else ""


def _find_nested_texts(value: Json, read: Callable[[JsonObject], str], deep: int) -> Iterator[str]:
    """Yield the result of `read` for each object in `value`; objects with a result are not searched further."""
    if isinstance(value, dict) and (text := read(value)):
        yield text
    elif deep and isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _find_nested_texts(inner, read, deep - 1)
