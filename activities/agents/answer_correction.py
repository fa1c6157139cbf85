"""Asks a model once, in the same conversation, to correct unsupported parts of its answer.

Code is sure of that without another call: what an agent's definition finds in an answer for the state, or a plugin's
writer in its draft. It is a turn of the conversation, not a retry, and only taken if what is left allows it; if it ends
in nothing, the first answer counts, which was paid for.

A quote that is word for word in another passage that its writer was shown is cited from there, before anyone is
asked. A quote that is nowhere is reported to the writer, with the nearest words of any passage that it was shown.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final, TypeVar

from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.exceptions import FallbackExceptionGroup

from elcano.activities.agents.answer_drafts import map_citations
from elcano.activities.agents.prompt_parts import FURTHER_TRIES, build_question_agent
from elcano.activities.calls.answer import Answer
from elcano.activities.calls.attempt import Attempt
from elcano.activities.report.checked_draft import CheckedDraft, cited_ids
from elcano.activities.report.citation_check import check_citations, locate_quote
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.errors import AnswerUnusable, BudgetExhausted
from elcano.graphs.frozen import Frozen
from elcano.graphs.report.report import Citation, Claim, DraftSection, ReportDraft
from elcano.graphs.state.budget import Estimate
from elcano.graphs.text import shorten_text
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import TenantStore
from elcano.text.prose.markdown_parser import mark_of

RETURNED: Final = "Some of your answer cannot be used. Give the whole answer again, with this put right:"

Output = TypeVar("Output", bound=Frozen)


async def ask_with_correction(
    attempt: Attempt,
    question: Question[Output],
    task: TaskEnvelope,
    order: Sequence[str],
    find_faults: Callable[[RunContext[object], Output], Awaitable[Sequence[str]]],
    notice: str,
    tries: int = FURTHER_TRIES,
) -> Answer[Output]:
    """Ask `question`, and report to the model once what is unsupported in its answer so that it can correct it.

    Args:
        attempt: by which it is asked.
        question: what is asked.
        task: what is shown.
        order: keys of the passages in `task`, those that matter most first.
        find_faults: the faults of an answer, in sentences for the model.
        notice: the sentence above them.
        tries: an answer in the wrong form that was corrected so often is taken as it is.

    Raises:
        BudgetExhausted: before there was any answer; as for other faults, see `Attempt.ask`.
    """
    first: list[Output] = []

    async def held(context: RunContext[object], output: Output) -> Output:
        attempt.readable(context.messages)
        if first or context.retry >= tries or not can_afford_correction(attempt, context):
            return output
        if faults := await find_faults(context, output):
            first.append(output)
            raise ModelRetry("\n- ".join((notice, *faults)))
        return output

    asked: Agent[object, Output] = Agent(
        name=task.kind,
        output_type=question.answer_for(task),
        instructions=question.instructions_for(task),
        retries=FURTHER_TRIES,
    )
    asked.output_validator(held)
    try:
        return await attempt.ask(asked, question.request, task, order)
    except (BudgetExhausted, AnswerUnusable, FallbackExceptionGroup):
        if not first:
            raise
        attempt.credit(attempt.model, quoted=False)
        return Answer(first[0], model=attempt.model, quoted=False, task=task)


def can_afford_correction(attempt: Attempt, context: RunContext[object]) -> bool:
    """Whether as much again as the conversation took so far, and its answer once more, may still be used."""
    used = attempt.count(context.messages)
    again = Estimate(tokens=2 * used.tokens, cost_microusd=2 * used.cost_microusd)
    return attempt.left.less(used).refuses(again) is None


async def ask_agent_with_correction(
    attempt: Attempt,
    agent: AgentDefinition,
    given: Frozen,
    task: TaskEnvelope,
    order: Sequence[str],
    ids: Mapping[str, str],
) -> Answer[Any]:
    """Ask an agent whose answer the state holds, given its input and evidence ids by key; see `ask_with_correction`."""
    check = agent.faults
    if check is None:
        return await attempt.ask(build_question_agent(agent.asks, task), agent.asks.request, task, order)

    async def find_faults(_: RunContext[object], output: Frozen) -> Sequence[str]:
        return check(output, given, ids)

    return await ask_with_correction(attempt, agent.asks, task, order, find_faults, RETURNED)


LEAST_WORDS: Final = 3
"""Minimum words of a quote that is moved: fewer occur in many passages."""
LEAST_LIKENESS: Final = 0.4
"""The share of a quote's words that the nearest words have, in order; below it they would teach nothing."""
SHORT_WORD: Final = 3
"""Latin letters of a word that tells nothing by itself."""
MOST_WINDOWS: Final = 20
SLACK_WORDS: Final = 2
"""Words that may be added or left out before the quote fits."""
QUOTE_CHARACTERS: Final = 200
_WORD: Final = re.compile(r"\S+")


async def checked_draft(store: TenantStore, draft: ReportDraft, asked: str) -> CheckedDraft:
    """`draft`, citing by ids, with its citations looked up in the stored texts."""
    evidence = await store.evidence.get(cited_ids(draft))
    texts = await store.evidence.texts(evidence)
    return await asyncio.to_thread(check_citations, draft, evidence, texts, (), asked)


async def move_quotes(store: TenantStore, draft: ReportDraft, shown: Iterable[str]) -> ReportDraft:
    """`draft`, citing by ids, with each quote cited from a passage that has it, if one of `shown` does."""
    cited = [one for claim in draft.claims for one in claim.citations]
    own = await store.evidence.get(list(dict.fromkeys(one.evidence for one in cited)))
    if not await asyncio.to_thread(_find_misplaced, cited, own, await store.evidence.texts(own)):
        return draft
    others = await store.evidence.get(list(dict.fromkeys((*(one.id for one in own), *shown))))
    return await asyncio.to_thread(_move_quotes, draft, others, await store.evidence.texts(others))


def _find_misplaced(
    cited: Iterable[Citation], passages: Sequence[Evidence], texts: Mapping[str, StoredText]
) -> list[Citation]:
    known = {one.id: one for one in passages}
    return [
        one
        for one in cited
        if (passage := known.get(one.evidence)) is None
        or locate_quote(one.quote, passage, texts[passage.content_hash].text) is None
    ]


def _move_quotes(draft: ReportDraft, passages: Sequence[Evidence], texts: Mapping[str, StoredText]) -> ReportDraft:
    cited = dict.fromkeys(one for claim in draft.claims for one in claim.citations)
    homes: dict[Citation, Citation] = {}
    documents = {one.id: one.document for one in passages}
    for one in _find_misplaced(cited, passages, texts):
        if len(one.quote.split()) < LEAST_WORDS:
            continue
        meant = documents.get(one.evidence)
        nearest_first = sorted(passages, key=lambda passage: passage.document != meant)
        home = next((p for p in nearest_first if locate_quote(one.quote, p, texts[p.content_hash].text)), None)
        if home is not None:
            homes[one] = one.model_copy(update={"evidence": home.id})
    if not homes:
        return draft
    return map_citations(draft, lambda cited: homes.get(cited, cited))


def draft_of_claims(claims: tuple[Claim, ...]) -> ReportDraft:
    """Some claims as a draft of their own, so that they can be checked."""
    return ReportDraft(title="-", sections=(DraftSection(heading="-", claims=claims),))


@dataclass(frozen=True)
class NearestWords:
    """The words that are most like a quote that is nowhere."""

    passage: str
    """The id of the passage that has them."""
    words: str
    """As they stand there; empty if none are like it."""
    likeness: float = 0.0


def find_nearest_words_of_each(
    failed: Iterable[Citation], passages: Mapping[str, Evidence]
) -> dict[Citation, NearestWords]:
    """For each citation that does not hold the nearest words of any of `passages`; those of its own win a tie."""
    found: dict[Citation, NearestWords] = {}
    for cited in dict.fromkeys(failed):
        own_first = sorted(passages.values(), key=lambda passage: passage.id != cited.evidence)
        near = (NearestWords(one.id, *find_nearest_words(cited.quote, one.text)) for one in own_first)
        found[cited] = max(near, key=lambda one: one.likeness, default=NearestWords(cited.evidence, ""))
    return found


def describe_quote_fault(cited: Citation, nearest: NearestWords, keys: Mapping[str, str], *, known: bool) -> str:
    """Say of a citation that does not hold what its writer can do about it.

    Args:
        cited: the citation.
        nearest: the words that are most like it.
        keys: of the passages, by id.
        known: whether its passage exists.
    """
    mark = f" [{mark_of(cited.mark)}]" if mark_of(cited.mark) else ""
    quote = shorten_text(cited.quote, QUOTE_CHARACTERS)
    fault = (
        f"The quote{mark} “{quote}” does not stand in its passage."
        if known
        else f"No passage has the key that the citation{mark} names, and none has its quote “{quote}”."
    )
    if not nearest.words:
        return f"{fault} No passage has words like it."
    where = "there" if nearest.passage == cited.evidence else f"in {keys[nearest.passage]}"
    return f"{fault} The nearest words are {where}: “{nearest.words}”"


def find_nearest_words(quote: str, text: str) -> tuple[str, float]:
    """The words of `text` that are nearest to `quote`, as they stand there, and how like they are; empty if not at all.

    How like they are is the share of the quote's words that they have, in order; words as short as `the` do not count,
    which any two sentences share.
    """
    wanted = [_normalize_word(word) for word in quote.split()]
    telling = [len(word) > SHORT_WORD or not word.isascii() or any(map(str.isdigit, word)) for word in wanted]
    places = [found.span() for found in _WORD.finditer(text)]
    there = [_normalize_word(text[begin:end]) for begin, end in places]
    at: dict[str, list[int]] = {}
    for place, word in enumerate(there):
        at.setdefault(word, []).append(place)
    votes = Counter(place - number for number, word in enumerate(wanted) for place in at.get(word, ()))
    best, likeness = (0, 0), 0.0
    for offset, _ in votes.most_common(MOST_WINDOWS):
        begin, end = max(0, offset - SLACK_WORDS), min(len(there), offset + len(wanted) + SLACK_WORDS)
        matcher = SequenceMatcher(None, there[begin:end], wanted, autojunk=False)
        shared = [one for one in matcher.get_matching_blocks() if one.size]
        same = sum(sum(telling[one.b : one.b + one.size]) for one in shared)
        if (share := same / max(1, sum(telling))) > likeness:
            # what the quote has in front of the first and behind the last word that both have is shown too
            first = begin + shared[0].a - shared[0].b
            last = begin + shared[-1].a + len(wanted) - shared[-1].b
            best, likeness = (max(0, first), min(len(there), last)), share
    if likeness < LEAST_LIKENESS:
        return "", 0.0
    return " ".join(text[places[best[0]][0] : places[best[1] - 1][1]].split()), likeness


def _normalize_word(word: str) -> str:
    return re.sub(r"\W+", "", word).casefold() or word
