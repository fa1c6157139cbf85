"""Turns a run's findings into nodes and edges, from its report and from the passages of the run and its sections.

A statement becomes a claim only by a citation that held when it was checked; what a report could not prove is nothing
that is known. How well its quotes support it stands at its edges. A document is called by the best name of its work, as
the report's reference list puts together what sources tell of it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import ValidationError

from elcano.activities.knowledge.entities import find_entities
from elcano.graphs.data.knowledge_graph import (
    EdgeKind,
    KnowledgeEdge,
    KnowledgeNode,
    ReadTables,
    build_knowledge_edge,
    build_knowledge_node,
)
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import ArchivedRun
from elcano.graphs.support import Support
from elcano.graphs.values.report import Report
from elcano.graphs.values.statements import CheckedCitation, Statement
from elcano.graphs.values.work_metadata import Work, parse_nct
from elcano.storage.evidence import Evidence

AUTHORS: Final = 20
"""Of one document; a paper of hundreds connects everybody with everybody."""
SUBJECTS: Final = 20
"""Subject headings and keywords of one document."""
CLAIMS: Final = 2_000
"""Of one report."""


@dataclass
class Gathered:
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


def gather_run_knowledge(run: ArchivedRun, report: Report | None, evidence: Sequence[Evidence]) -> Gathered:
    """All that a run leaves in the graph.

    Args:
        run: Which one; it is no branch.
        report: None: it has none.
        evidence: What it and its branches found.
    """
    found = Gathered(run.run_id)
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


def _add_document_node(found: Gathered, passage: Evidence, works: Mapping[str, Work]) -> str:
    """Add the node of the document that a passage is from, with its authors and subjects, and return its id."""
    told = passage.work
    names = told.identifiers.names if told is not None else ()
    work = next((works[name] for name in names if name in works), told)
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
    found: Gathered, asked: str, statement: Statement, documents: Mapping[str, str], passages: Mapping[str, Evidence]
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


def _add_entity_node(found: Gathered, name: str) -> str:
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
    told = (work.identifiers.nct if work is not None else "", *_iter_string_items(metadata.get("trials")))
    return tuple(dict.fromkeys(number for one in told if (number := parse_nct(one))))[:SUBJECTS]


def _add_read_tables(found: Gathered, asked: str, passage: Evidence) -> None:
    """The tables that a result was read from, as its metadata tell."""
    if (told := passage.metadata.get("read")) is None:
        return
    try:
        read = ReadTables.model_validate(told)
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
