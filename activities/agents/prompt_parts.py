"""Builds the parts of a prompt: instructions, passages that fit, sources, drafts, words.

The draft that a team wrote before takes a quarter of the room for passages at most, so that who writes again can still
be shown what was found since.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import PrepareOutputTools
from pydantic_ai.tools import ToolDefinition

from elcano.activities.agents.answer_drafts import cite_anew
from elcano.activities.agents.prompt_passages import fit_passages_to_tokens
from elcano.activities.agents.section_drafts import join_section_drafts
from elcano.activities.sources.base import HasTables, WeighsTerms
from elcano.activities.sources.registry import Sources
from elcano.graphs.agents.definition import AgentDefinition, Answer, Question
from elcano.graphs.agents.envelope import Drafts, Loaded, Needs, OfferedSource, SectionItem, ShownPassages, TaskEnvelope
from elcano.graphs.agents.writing import claim_characters, select_fitting_claims
from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.errors import ActivityFault, BudgetExhausted, InputInvalid
from elcano.graphs.frozen import JsonObject
from elcano.graphs.plugin import import_object
from elcano.graphs.report.report import Citation, ReportDraft
from elcano.graphs.report.works import Work
from elcano.graphs.rules import CHARACTERS_PER_TOKEN, SO_FAR_TOKENS
from elcano.graphs.state.plan import SectionResult
from elcano.storage.evidence import Evidence
from elcano.storage.store import TenantStore
from elcano.text.languages import language_of, use_language
from elcano.text.stems import content_words

SHARE: Final = 0.25
NOT_SHOWN: Final = "not shown"
"""Replaces the key of a passage for which there was no room: its quote remains."""


def fit_last_draft(
    results: Sequence[SectionResult], drafts: Sequence[ReportDraft | None], room: int
) -> tuple[tuple[SectionItem, ...], int]:
    """As much of `drafts` as fits, citing by id, and the tokens that it takes.

    Args:
        results: what the drafts are of, in the same order.
        drafts: those that there are.
        room: tokens for passages and drafts together.
    """
    sections = tuple(
        SectionItem(
            title=result.title,
            key_question=result.key_question,
            claims=draft.claims if draft else (),
            limitations=draft.limitations if draft else (),
        )
        for result, draft in zip(results, drafts, strict=True)
    )
    kept = select_fitting_claims(sections, min(SO_FAR_TOKENS, int(room * SHARE)))
    taken = sum(claim_characters(claim) for section in kept for claim in section.claims)
    return kept, taken // CHARACTERS_PER_TOKEN


def by_keys(sections: Sequence[SectionItem], ids: Mapping[str, str]) -> tuple[SectionItem, ...]:
    """`sections`, citing by the keys of the passages that are shown; `ids` are theirs by key."""
    keys = {id: key for key, id in ids.items()}

    def name(cited: Citation) -> Citation:
        return cited.model_copy(update={"evidence": keys.get(cited.evidence, NOT_SHOWN)})

    return tuple(
        section.model_copy(update={"claims": tuple(cite_anew(claim, name) for claim in section.claims)})
        for section in sections
    )


MOST_PAGES: Final = 20
"""Number of addresses shown to agents that plan searches, the latest found."""


class Loader:
    """Loads stored passages, drafts and available sources in the form that agents are shown."""

    def __init__(self, store: TenantStore, sources: Sources) -> None:
        self._store = store
        self._sources = sources

    async def load(
        self, run_id: str, agent: AgentDefinition, needs: Needs, room: int | None, *, most: int, weighed: bool
    ) -> Loaded:
        """Load the passages and drafts for `agent`; words are `weighed` for the extractive model.

        Args:
            run_id: whose evidence it is.
            agent: who is shown it.
            needs: what it is about.
            room: tokens that passages or drafts may take; None: not limited.
            most: tokens that passages may take where there is no other limit.
            weighed: whether words are.

        Raises:
            BudgetExhausted: who writes from passages could be shown none of those that there are.
            InputInvalid: a draft is not in the store.
        """
        evidence = await self._store.evidence.get(needs.evidence) if agent.evidence_tokens else []
        of_works = any(passage.work is not None for passage in evidence)
        accounts = await self._store.evidence.works_of_run(run_id) if of_works else []
        numbers = await self._store.evidence.numbers_of_run(run_id) if evidence else {}
        shown, before = ShownPassages(), Drafts()
        more: JsonObject = {}
        if not agent.joins:  # of their own, those who join sections read only what the drafts quote
            fit = most if room is None else room
            if needs.sections:
                written = [await self._draft(result) for result in needs.sections]
                sections, taken = fit_last_draft(needs.sections, written, fit)
                fit -= taken
            if agent.loader and needs.more:
                load = import_object(agent.loader, f"the agent {agent.name!r}")
                more = await load(self._store, needs.more, fit if not evidence else fit // 2)
                fit //= 2
            shown = await asyncio.to_thread(
                fit_passages_to_tokens,
                evidence,
                needs.conversation,
                fit,
                accounts,
                numbers=numbers,
                first=needs.first,
                places=weighed,
                digest=needs.digest,
            )
            if needs.sections:
                before = Drafts(sections=by_keys(sections, shown.ids))
        if agent.manner == "report" and evidence and room is not None and not shown.items:
            short = f"the budget of tokens does not allow a report: {room:,} are left for passages, and none fits"
            raise BudgetExhausted("tokens", short)
        tables, unread = await self._tables(needs)
        return Loaded(
            shown=shown,
            room=room,
            sources=tuple(
                OfferedSource(name=one, description=self._sources.describe_purpose(one)) for one in needs.offered
            ),
            drafts=await self._drafts(needs.sections, evidence, accounts, numbers, places=weighed)
            if agent.joins
            else before,
            more=more,
            tables=tables,
            unread=unread,
            saved_questions=await self._saved_questions(needs) if weighed else {},
            term_weights=await self._term_weights(needs.weighed, _list_searched_sources(needs, evidence))
            if weighed
            else {},
            offline=weighed,
            pages=await self._pages(needs),
        )

    async def _tables(self, needs: Needs) -> tuple[dict[str, JsonObject], dict[str, str]]:
        """Load the tables of databases, as names alone, and the errors of those that could not be read."""
        found: dict[str, JsonObject] = {}
        unread: dict[str, str] = {}
        for name in needs.tables:
            try:
                source = self._sources.get(name)
                if isinstance(source, HasTables):
                    found[name] = await source.tables(needs.weighed)
            except ActivityFault as error:
                unread[name] = f"It could not be read: {error}"
        return found, unread

    async def _saved_questions(self, needs: Needs) -> dict[str, tuple[str, ...]]:
        """The saved questions of databases that are like what is asked; those of a file with faults are left out."""
        found: dict[str, tuple[str, ...]] = {}
        for name in needs.tables:
            with suppress(ActivityFault, InputInvalid):
                source = self._sources.get(name)
                if isinstance(source, HasTables):
                    found[name] = await source.saved_questions(needs.weighed)
        return found

    async def _pages(self, needs: Needs) -> tuple[str, ...]:
        if not any(name in SOURCES and SOURCES[name].by_address for name in needs.offered):
            return ()
        found = await self._store.evidence.get(needs.evidence)
        there = dict.fromkeys(one.locator for one in found if one.locator.startswith(("https://", "http://")))
        return tuple(there)[-MOST_PAGES:]

    async def _drafts(
        self,
        results: Sequence[SectionResult],
        evidence: Sequence[Evidence],
        accounts: Sequence[Work],
        numbers: Mapping[str, int],
        *,
        places: bool,
    ) -> Drafts:
        found = [await self._draft(result) for result in results]
        return await asyncio.to_thread(join_section_drafts, results, found, evidence, accounts, numbers, places=places)

    async def _draft(self, result: SectionResult) -> ReportDraft | None:
        if result.draft is None:
            return None
        stored = await self._store.artifacts.get(result.draft)
        if stored is None:
            fault = f"the draft {result.draft!r} of the section {result.title!r} is not in the store"
            raise InputInvalid("sections", f"{fault}; do all workers share one data folder?")
        return ReportDraft.model_validate_json(stored)

    async def _term_weights(self, text: str, names: Iterable[str]) -> dict[str, float]:
        """For each of the words of `text` the highest weight that any source gives it.

        A source that cannot be read is left out: without weights the offline model counts in the passages instead.
        """
        weights: dict[str, float] = {}
        with use_language(language_of(text)):
            asked = content_words(text)
        for name in names:
            try:
                source = self._sources.get(name)
                found = await source.term_weights(asked) if isinstance(source, WeighsTerms) else {}
            except ActivityFault:
                continue
            for word, weight in found.items():
                weights[word] = max(weight, weights.get(word, 0.0))
        return weights


def _list_searched_sources(needs: Needs, evidence: Iterable[Evidence]) -> list[str]:
    """The sources that the run has to do with: those it may search, searched or found something in."""
    searched = (call.source for turn in needs.conversation for call in turn.tool_calls)
    return list(dict.fromkeys([*needs.searched, *searched, *(passage.source for passage in evidence)]))


FURTHER_TRIES: Final = 2
"""Times that a model may correct an answer in the wrong form, in the same conversation."""


def build_question_agent(question: Question[Answer], task: TaskEnvelope) -> Agent[object, Answer]:
    """Return the agent that answers `question`, under the name of the task, with the instructions that apply to it."""
    return _build_cached_agent(task.kind, question.answer_for(task), question.instructions_for(task))


@lru_cache(maxsize=256)
def _build_cached_agent(kind: str, answer: type[Any], instructions: str) -> Agent[object, Any]:
    tidy = PrepareOutputTools(_shorten_schemas)
    return Agent(name=kind, output_type=answer, instructions=instructions, retries=FURTHER_TRIES, capabilities=[tidy])


async def _shorten_schemas(context: RunContext[object], tools: list[ToolDefinition]) -> list[ToolDefinition]:
    """Shorten the schemas of answers: a definition that is used once stands where it is used."""
    return [replace(one, parameters_json_schema=shorten_schema(one.parameters_json_schema)) for one in tools]


def shorten_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Shorten one schema: without titles, defaults, lengths and docstrings, which models need not know.

    A definition that the mapping of a discriminator names stays, since that names it without a `$ref`.
    """
    short = _leave_out_keywords(schema)
    defined: dict[str, Any] = short.get("$defs", {})
    names = Counter(one["$ref"] for one in _iter_schemas(short) if isinstance(one.get("$ref"), str))
    mappings = (one["mapping"] for one in _iter_schemas(short) if isinstance(one.get("mapping"), dict))
    names.update(name for mapping in mappings for name in mapping.values() if isinstance(name, str))
    once = {f"#/$defs/{name}": one for name, one in defined.items() if names[f"#/$defs/{name}"] == 1}
    for one in list(_iter_schemas(short)):
        while isinstance(name := one.get("$ref"), str) and name in once:
            own = {key: value for key, value in one.items() if key != "$ref"}
            one.clear()
            one.update({**once[name], **own})
    kept = {name: one for name, one in defined.items() if f"#/$defs/{name}" not in once}
    return {**({"$defs": kept} if kept else {}), **{name: one for name, one in short.items() if name != "$defs"}}


def _iter_schemas(part: Any) -> Iterator[dict[str, Any]]:
    """All objects of a schema."""
    if isinstance(part, dict):
        yield part
    for one in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _iter_schemas(one)


def _leave_out_keywords(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of `properties`, `$defs` and a discriminator's mapping are names, not keywords."""
    left_out = {"title", "default", "minLength", "maxLength"} | ({"description"} if "properties" in schema else set())
    short: dict[str, Any] = {}
    for name, value in schema.items():
        if name in ("properties", "$defs"):
            short[name] = {key: _leave_out_keywords(one) for key, one in value.items()}
        elif name == "discriminator":
            short[name] = value
        elif name not in left_out:
            each = value if isinstance(value, list) else [value]
            shortened = [_leave_out_keywords(one) if isinstance(one, dict) else one for one in each]
            short[name] = shortened if isinstance(value, list) else shortened[0]
    return short
