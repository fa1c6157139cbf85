"""Turns a run's findings into nodes and edges, from its report and from the passages of the run and its sections.

A statement becomes a claim only by a citation that held when it was checked; what a report could not prove is nothing
that is known. Its edges say how well its quotes support it. A document is called by the best name of its work, as
the report's reference list merges what sources say of it.

Finds entities in a sentence by spelling alone: symbols, as genes and drugs in trials have them, and names.

A rule that errs on the side of too little: a word that begins a sentence is no name by that, and a title in which every
word is capitalised has none. No model is asked, and none is pretended.

A run that ends is taken into the graph of its tenant before it is archived, so clients that learn of its end find there
what it found. Doing it again gives the same graph, so an attempt that was cut off anywhere is finished by the next one;
what the run left there before is replaced in the same step. A graph that cannot be written never keeps a run from
ending, for the archive has all that it holds: the reason is kept with the run.
"""

import asyncio
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from elcano.activities.calls.retry_classification import safe_text
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import ArchivedRun
from elcano.graphs.report.report import CheckedCitation, Report, Statement, Support
from elcano.graphs.report.works import Work, parse_nct
from elcano.storage.evidence import Evidence
from elcano.storage.health import store_trouble
from elcano.storage.store import TenantStore
from elcano.subjects.knowledge.graph import (
    EdgeKind,
    KnowledgeEdge,
    KnowledgeNode,
    NoKnowledge,
    build_knowledge_edge,
    build_knowledge_node,
)
from elcano.subjects.knowledge.knowledge_store import get_graph

MOST: Final = 12
"""Entities of one text."""

_SYMBOL: Final = re.compile(r"(?<![\w-])(?=[\w-]*[A-Z][\w-]*[A-Z0-9])[A-Z][A-Za-z]?[A-Z0-9]+(?:-[A-Z0-9]+)*(?![\w-])")
"""`TP53`, `BRCA1`, `IL-6`, `COVID-19`, `HbA1`: two signs and more, the first and another one a capital or a digit."""
_WORD: Final = re.compile(r"[^\W\d_][\w'\u2019.-]*[^\W_]|[^\W\d_]")
_NUMERAL: Final = re.compile(r"[IVXLC]+")
_PLAIN_WORDS: Final = (
    "AND OR NOT THE FOR WITH FROM TO IN ON OF BY NO YES VS CI HR RR SD SE OK ID US UK EU AI IT PDF URL DOI "
    "PMID ISBN BACKGROUND METHODS RESULTS CONCLUSION CONCLUSIONS OBJECTIVE"
)
_PLAIN: Final = frozenset(_PLAIN_WORDS.split())
"""Signs in capitals that name nothing by themselves."""
_BETWEEN: Final = frozenset({"of", "de", "del", "la", "van", "von", "der", "du", "da", "di", "al", "bin", "ibn"})
_LONGEST: Final = 80
_OPENING: Final = " (\"'\u201c\u2018\u00ab"
"""Characters allowed between the end of a sentence and the first word of the next one."""


class ReadTables(BaseModel):
    """Which tables of a database a result was read from: what the metadata of its evidence say under `read`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    database: str = Field(min_length=1)
    """The name that the operator gave it."""
    tables: tuple[str, ...] = ()
    """As the schema calls them."""
    columns: tuple[str, ...] = ()
    """`table.column`, of those tables."""


def find_entities(text: str, *, names: bool = True) -> tuple[str, ...]:
    """The symbols and, if `names`, the names of two words and more in a text, each once, in its order."""
    found = {match.start(): match.group() for match in _SYMBOL.finditer(text) if _is_telling_symbol(match.group())}
    if names:
        for start, name in _find_capitalised_names(text):
            found.setdefault(start, name)
    kept = dict.fromkeys(name for _, name in sorted(found.items()) if len(name) <= _LONGEST)
    return tuple(kept)[:MOST]


def _is_telling_symbol(symbol: str) -> bool:
    return len(symbol) > 1 and symbol not in _PLAIN and not _NUMERAL.fullmatch(symbol)


def _find_capitalised_names(text: str) -> list[tuple[int, str]]:
    """Capitalised words in a row, with particles between them; the first word of a sentence does not begin one."""
    words = list(_WORD.finditer(text))
    capital = [_is_capitalised(match.group()) for match in words]
    long = [is_capital for match, is_capital in zip(words, capital, strict=True) if len(match.group()) > 3]
    if len(long) > 4 and sum(long) > 0.85 * len(long):
        return []
    found, row = [], list[re.Match[str]]()
    for match, is_capital in zip(words, capital, strict=True):
        apart = bool(row) and text[row[-1].end() : match.start()] != " "
        if apart or not (is_capital or (row and match.group() in _BETWEEN)):
            found += _as_name(text, row)
            row = []
        begins = is_capital and (bool(row) or not _begins_a_sentence(text, match.start()))
        if begins or (row and match.group() in _BETWEEN):
            row.append(match)
    return found + _as_name(text, row)


def _as_name(text: str, row: list[re.Match[str]]) -> list[tuple[int, str]]:
    while row and row[-1].group() in _BETWEEN:
        row = row[:-1]
    return [(row[0].start(), text[row[0].start() : row[-1].end()])] if len(row) > 1 else []


def _is_capitalised(word: str) -> bool:
    return len(word) > 1 and word[0].isupper() and word[1:] != word[1:].upper()


def _begins_a_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(_OPENING)
    return not before or before[-1] in ".!?:\n"


AUTHORS: Final = 20
"""Maximum number of authors of one document; a paper of hundreds would connect everybody."""
SUBJECTS: Final = 20
"""Subject headings and keywords of one document."""
CLAIMS: Final = 2_000
"""Maximum number of claims of one report."""


@dataclass
class KnowledgeGatherer:
    """Nodes and edges by their ids."""

    run: str
    nodes: dict[str, KnowledgeNode] = field(default_factory=dict)
    edges: dict[str, KnowledgeEdge] = field(default_factory=dict)

    def add(self, one: KnowledgeNode) -> str:
        """Takes a node in, unless it is there, and gives its id."""
        return self.nodes.setdefault(one.id, one).id

    def connect(
        self, kind: EdgeKind, start: str, end: str, *, evidence: str = "", support: Support = "unchecked"
    ) -> None:
        """Takes an edge of the run in, unless it is there."""
        one = build_knowledge_edge(kind, start, end, self.run, evidence=evidence, support=support)
        self.edges.setdefault(one.id, one)


def gather_run_knowledge(run: ArchivedRun, report: Report | None, evidence: Sequence[Evidence]) -> KnowledgeGatherer:
    """All that a run leaves in the graph.

    Args:
        run: Which one; it is no branch.
        report: None: it has none.
        evidence: What it and its branches found.
    """
    found = KnowledgeGatherer(run.run_id)
    asked = found.add(build_knowledge_node("run", run.run_id, run.question))
    works = _index_works_by_name(report)
    documents = dict[str, str]()
    for passage in evidence:
        documents[passage.id] = _add_document_node(found, passage, works)
        found.connect("found", asked, documents[passage.id], evidence=passage.id)
        _add_read_tables(found, asked, passage)
    by_id = {passage.id: passage for passage in evidence}
    for statement in _list_report_statements(report)[:CLAIMS]:
        _add_claim_node(found, asked, statement, documents, by_id)
    return found


def _index_works_by_name(report: Report | None) -> dict[str, Work]:
    """By each of its names the work that a reference is of."""
    references = report.references if report is not None else ()
    return {name: one.work for one in references if one.work is not None for name in one.work.identifiers.names}


def _add_document_node(found: KnowledgeGatherer, passage: Evidence, works: Mapping[str, Work]) -> str:
    """Add the node of the document that a passage is from, with its authors and subjects, and return its id."""
    known = passage.work
    names = known.identifiers.names if known is not None else ()
    work = next((works[name] for name in names if name in works), known)
    key = (work.identifiers.document if work is not None else "") or passage.document
    is_trial = work is not None and work.kind == "trial" and bool(work.identifiers.nct)
    url = (work.url if work is not None else "") or (passage.locator if "://" in passage.locator else "")
    year = work.year if work is not None else None
    title = (work.title if work is not None else "") or passage.title
    described = build_knowledge_node("trial" if is_trial else "document", key, title, url=url, year=year)
    new = described.id not in found.nodes
    id = found.add(described)
    if new:
        for author in (work.authors if work is not None else ())[:AUTHORS]:
            if name := " ".join(author.split()):
                found.connect("written_by", id, found.add(build_knowledge_node("author", name.casefold(), name)))
        subjects = dict.fromkeys((*_iter_subject_headings(passage.metadata), *find_entities(title, names=False)))
        for subject in tuple(subjects)[:SUBJECTS]:
            found.connect("mentions", id, _add_entity_node(found, subject), evidence=passage.id)
        for number in () if is_trial else _list_reported_trials(work, passage.metadata):
            found.connect(
                "reports", id, found.add(build_knowledge_node("trial", f"nct:{number}", number)), evidence=passage.id
            )
    return id


def _add_claim_node(
    found: KnowledgeGatherer,
    asked: str,
    statement: Statement,
    documents: Mapping[str, str],
    passages: Mapping[str, Evidence],
) -> None:
    cited = [one.evidence for one in statement.citations if one.verdict == "verified" and one.evidence in documents]
    text = " ".join(statement.text.split())
    if not cited or not text:
        return
    id = found.add(build_knowledge_node("claim", text, text, text=text))
    found.connect("stated", asked, id, support=statement.support)
    for passage in dict.fromkeys(cited):
        found.connect("cites", id, documents[passage], evidence=passage, support=statement.support)
    subjects = (subject for passage in cited for subject in _iter_subject_headings(passages[passage].metadata))
    spoken_of = (subject for subject in subjects if f" {subject.casefold()} " in f" {_strip_punctuation(text)} ")
    for name in dict.fromkeys((*find_entities(text), *spoken_of)):
        found.connect("mentions", id, _add_entity_node(found, name), evidence=cited[0])


def _add_entity_node(found: KnowledgeGatherer, name: str) -> str:
    return found.add(build_knowledge_node("entity", name.casefold(), name))


def _strip_punctuation(text: str) -> str:
    return "".join(sign if sign.isalnum() or sign == "-" else " " for sign in text.casefold())


def _list_report_statements(report: Report | None) -> list[Statement]:
    """Statements of a report; of one without parts, each claim with its citations."""
    if report is None:
        return []
    if report.parts:
        return [one for part in report.parts for block in part.blocks for one in block.statements]
    of_claim: dict[str, list[CheckedCitation]] = {}
    for citation in report.citations:
        of_claim.setdefault(citation.claim, []).append(citation)
    return [Statement(text=text, kind="fact", citations=tuple(some)) for text, some in of_claim.items()]


def _iter_subject_headings(metadata: JsonObject) -> Iterator[str]:
    """Yield subject headings (MeSH: `*` before a main one, a qualifier behind a slash) and keywords from a source."""
    for key in ("mesh", "keywords"):
        for one in _iter_string_items(metadata.get(key)):
            if name := " ".join(one.removeprefix("*").partition("/")[0].split()):
                yield name[:100]


def _list_reported_trials(work: Work | None, metadata: JsonObject) -> tuple[str, ...]:
    """Numbers of the trials that a paper reports."""
    trials = (work.identifiers.nct if work is not None else "", *_iter_string_items(metadata.get("trials")))
    return tuple(dict.fromkeys(number for one in trials if (number := parse_nct(one))))[:SUBJECTS]


def _add_read_tables(found: KnowledgeGatherer, asked: str, passage: Evidence) -> None:
    """The tables that a result was read from, as its metadata say."""
    if (listed := passage.metadata.get("read")) is None:
        return
    try:
        read = ReadTables.model_validate(listed)
    except ValidationError:  # metadata of another kind
        return
    for name in read.tables:
        table = found.add(build_knowledge_node("table", f"{read.database}.{name}", f"{read.database}.{name}"))
        found.connect("read", asked, table, evidence=passage.id)
        for column in (one for one in read.columns if one.startswith(f"{name}.")):
            key = f"{read.database}.{column}"
            found.connect("has", table, found.add(build_knowledge_node("column", key, key)), evidence=passage.id)


def _iter_string_items(value: object) -> Iterable[str]:
    return (one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


SECONDS: Final = 300
"""Seconds that the end of a run may wait for its part of the graph, which is a fraction of what archiving it may
take."""
PASSAGES: Final = 5_000
"""Maximum number of passages of one run, in the order of finding."""

_log = logging.getLogger("knowledge")


async def update_knowledge(store: TenantStore, run: ArchivedRun) -> str:
    """Takes a run into the graph; a section is taken in with its run.

    Returns:
        Why that could not be done; empty if it was, or if there is no graph.
    """
    if run.branch_of is not None or isinstance(get_graph(store), NoKnowledge):
        return ""
    try:
        async with asyncio.timeout(SECONDS):
            await _update_from_run(store, run)
    except TimeoutError:
        return _log_failed_update(run, f"writing its part took more than {SECONDS} s")
    except Exception as error:
        return _log_failed_update(run, store_trouble(error) or safe_text(f"{type(error).__name__}: {error}"))
    return ""


def _log_failed_update(run: ArchivedRun, why: str) -> str:
    _log.warning("the knowledge graph has nothing new of run %s: %s", run.run_id, why)
    return why


async def _update_from_run(store: TenantStore, run: ArchivedRun) -> None:
    kept = await store.artifacts.get(run.report.artifact, of=run.run_id) if run.report is not None else None
    report = await asyncio.to_thread(Report.model_validate_json, kept) if kept is not None else None
    evidence = await store.evidence.of_run(run.run_id, limit=PASSAGES)
    found = await asyncio.to_thread(gather_run_knowledge, run, report, evidence)
    # It may have been reset or resumed, or tried before.
    await get_graph(store).upsert(list(found.nodes.values()), list(found.edges.values()), replacing=run.run_id)
