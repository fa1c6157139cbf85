"""Two runs compared: pure, from their logs and what they wrote.

Steps go together that are at the same node in the same iteration, in the order of both runs. Evidence is compared by
its ids, which are canonical: the same passage has the same id in every run.

Which claims of two reports are the same, which were changed, added or removed.

Claims with the same words are paired first, those under the same heading before others. Of those that are left, the
pairs that are most alike are taken one after the other, as long as they share at least half of their words: the measure
is `difflib`'s ratio over words, twice the words that stand in both in the same order by all words of both. What is left
then was added or removed. Reports with more than `MOST_ALIKE` claims that are left on a side are not searched for
alike ones: the pairs would be too many to compare while someone waits.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, TypeAlias

from elcano.graphs.contracts import RunStatus
from elcano.graphs.engine.entries import StepCompleted
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.lifecycle.step_history import Passage, iter_passages
from elcano.graphs.lifecycle.step_rows import StepRow
from elcano.graphs.records import RunLog
from elcano.graphs.report.report import Claim, Reference, Report, ReportDraft
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.budget import usd_from_microusd
from elcano.graphs.state.state import EvidenceRef
from elcano.service.comparison.differences import (
    ClaimBrief,
    ClaimPair,
    Difference,
    EvidenceBrief,
    EvidenceCompared,
    PlanCompared,
    ReferenceBrief,
    ReportCompared,
    RunComparison,
    RunFigures,
    StepBrief,
    StepPair,
    StepsCompared,
)

KEY_FINDINGS: Final = "Key findings"
"""The heading of what a report says first."""
ALIKE: Final = 0.5
"""Minimum similarity of two claims that count as one changed claim."""
MOST_ALIKE: Final = 300

_WORD: Final = re.compile(r"\w+")
_BRACKET: Final = re.compile(r"[ \t]*\[([^\[\]\n]{1,200})\]")


Words: TypeAlias = tuple[str, ...]
Match: TypeAlias = tuple[float, int, int]
"""Similarity of two claims, with their places in `b` and in `a`."""


def claims_of(draft: ReportDraft) -> list[ClaimBrief]:
    """All claims of a draft, in their order, each with its heading."""
    parts = [
        ("Introduction", draft.introduction),
        (KEY_FINDINGS, draft.key_findings),
        *((one.heading, one.claims) for one in draft.sections),
        ("What is disputed", draft.disputed),
        ("Strength of the evidence", draft.strength),
        ("Conclusion", draft.conclusion),
    ]
    return [_build_claim_brief(heading, claim) for heading, claims in parts for claim in claims]


def compare_claims(a: Sequence[ClaimBrief], b: Sequence[ClaimBrief]) -> tuple[tuple[ClaimPair, ...], int]:
    """Claims that are not the same, in the order of `b` and then of `a`; and how many are the same."""
    words_a, words_b = ([tuple(_WORD.findall(claim.text.casefold())) for claim in side] for side in (a, b))
    in_b, in_a = dict[int, tuple[int, float]](), set[int]()

    def pair(matches: Iterable[Match]) -> tuple[dict[int, Words], dict[int, Words]]:
        """Pair claims that have no pair yet, the first matches first; return what is left of `a` and of `b`."""
        for ratio, other, one in matches:
            if other not in in_b and one not in in_a:
                in_b[other] = one, ratio
                in_a.add(one)
        return (
            {place: words for place, words in enumerate(words_a) if place not in in_a},
            {place: words for place, words in enumerate(words_b) if place not in in_b},
        )

    left_a, left_b = pair(
        _match_keys(
            {place: (words, a[place].section) for place, words in enumerate(words_a)},
            {place: (words, b[place].section) for place, words in enumerate(words_b)},
        )
    )
    left_a, left_b = pair(_match_keys(left_a, left_b))
    if max(len(left_a), len(left_b)) <= MOST_ALIKE:
        pair(sorted(_match_similar(left_a, left_b), key=lambda found: (-found[0], *found[1:])))
    changes: list[ClaimPair] = []
    for place, claim in enumerate(b):
        if place not in in_b:
            changes.append(ClaimPair(how="added", a=None, b=claim, similarity=0.0))
        elif a[in_b[place][0]] != claim:
            before, ratio = in_b[place]
            changes.append(ClaimPair(how="changed", a=a[before], b=claim, similarity=round(ratio, 3)))
    gone = [ClaimPair(how="removed", a=one, b=None, similarity=0.0) for at, one in enumerate(a) if at not in in_a]
    return (*changes, *gone), len(b) - len(changes)


def _build_claim_brief(heading: str, claim: Claim) -> ClaimBrief:
    cited = tuple(sorted({citation.evidence for citation in claim.citations}))
    return ClaimBrief(section=heading, text=_strip_citation_marks(claim), evidence=cited)


def _strip_citation_marks(claim: Claim) -> str:
    """Return the text of a claim without its marks: those belong to one draft, and evidence is compared separately."""
    marks = {citation.mark.casefold() for citation in claim.citations if citation.mark}

    def gone(found: re.Match[str]) -> str:
        named = set(_WORD.findall(found[1].casefold())) - {"from", "and"}
        return "" if named and named <= marks else found[0]

    return _BRACKET.sub(gone, claim.text) if marks else claim.text


def _match_keys(a: Mapping[int, Hashable], b: Mapping[int, Hashable]) -> Iterator[Match]:
    """Claims of one key, in the order of both sides."""
    by_key: dict[Hashable, list[int]] = {}
    for place, key in a.items():
        by_key.setdefault(key, []).append(place)
    for place, key in b.items():
        if alike := by_key.get(key):
            yield 1.0, place, alike.pop(0)


def _match_similar(a: Mapping[int, Words], b: Mapping[int, Words]) -> Iterator[Match]:
    """Claims that are alike enough."""
    counts = {place: Counter(words) for place, words in a.items()}
    for place, others in b.items():
        own, matcher = Counter(others), SequenceMatcher(None, (), others, autojunk=False)
        for one, words in a.items():
            both = len(words) + len(others)
            if both and 2 * (own & counts[one]).total() / both >= ALIKE:  # in any order; in the same one it is no more
                matcher.set_seq1(words)
                if (ratio := matcher.ratio()) >= ALIKE:
                    yield ratio, place, one


MOST_EVIDENCE: Final = 1_000
"""Passages that are listed of each kind."""
_ASKED: Final = ("question", "background", "instructions", "mode", "rules")


@dataclass(frozen=True)
class Side:
    """One of two runs that are compared."""

    log: RunLog
    status: RunStatus
    draft: ReportDraft | None = None
    """Draft of its exit node, if that is a writer."""
    report: Report | None = None
    """The report; None also for a section."""


def build_run_comparison(a: Side, b: Side) -> RunComparison:
    """Compare two runs: everything that differs, and what is the same."""
    return RunComparison(
        a=_build_run_figures(a),
        b=_build_run_figures(b),
        notes=tuple(note for name, side in (("a", a), ("b", b)) for note in _list_comparison_notes(name, side)),
        asked=tuple(_compare_requests(a.log, b.log)),
        plan=_compare_plans(a.log, b.log),
        steps=_compare_steps(a, b),
        evidence=_compare_evidence(a.log.run.state.evidence, b.log.run.state.evidence),
        report=_compare_reports(a, b),
    )


def _build_run_figures(side: Side) -> RunFigures:
    run = side.log.run
    return RunFigures(
        run_id=side.log.asked.run_id,
        question=side.log.asked.question,
        status=side.status,
        steps=run.budget.steps,
        iterations=run.budget.iterations,
        evidence=len(run.state.evidence),
        requests=run.budget.used.requests,
        tokens=run.budget.used.tokens,
        cost_usd=usd_from_microusd(run.budget.used.cost_microusd),
        seconds=run.budget.elapsed,
    )


def _list_comparison_notes(name: str, side: Side) -> Iterator[str]:
    if side.status == "running":
        yield f"{name} is still running: it is compared as it is at step {side.log.run.step}"
    elif side.draft is None:
        yield f"{name} wrote no report: its status is {side.status}"


def _compare_requests(a: RunLog, b: RunLog) -> Iterator[Difference]:
    one, other = _flatten_request(a), _flatten_request(b)
    for field in dict.fromkeys((*one, *other)):
        if one.get(field) != other.get(field):
            yield Difference(field=field, a=one.get(field), b=other.get(field))


def _flatten_request(log: RunLog) -> JsonObject:
    """Flatten the request, at first and during the run, by name; graphs, with their branches, by nodes and edges."""
    asked, run = log.asked, log.run
    plain: JsonObject = asked.model_dump(mode="json", include=set(_ASKED))
    steered: JsonObject = run.state.model_dump(mode="json", include={"guidance", "sources"})
    limits: JsonObject = run.budget.limits.model_dump(mode="json")
    by_agent = {f"models.by_agent.{name}": model for name, model in asked.models.by_agent.items()}
    return {
        **{name: plain[name] for name in _ASKED},
        **steered,
        "models.default": asked.models.default,
        **by_agent,
        **{f"limits.{name}": value for name, value in limits.items()},
        **_of_graph("graph", asked.graph),
    }


def _of_graph(place: str, graph: ResearchGraph) -> JsonObject:
    facts: JsonObject = {f"{place}.name": graph.name, f"{place}.entry_node": graph.entry_node}
    facts[f"{place}.exit_nodes"] = list(graph.exit_nodes)
    facts[f"{place}.result"] = dict(graph.result)
    facts |= {f"{place}.nodes.{node.id}": node.model_dump(mode="json") for node in graph.nodes}
    for number, edge in enumerate(graph.edges):
        shape: JsonObject = edge.model_dump(mode="json")
        to = shape.get("to_node") or shape.get("branch")
        name = f"{place}.edges.{edge.from_node}->{to}"
        facts[name if name not in facts else f"{name}#{number}"] = shape
    for name, branch in graph.branches.items():
        facts |= _of_graph(f"{place}.branches.{name}", branch)
    return facts


def _compare_plans(a: RunLog, b: RunLog) -> PlanCompared:
    one, other = ([section.title for section in log.run.state.plan if not section.left_out] for log in (a, b))
    return PlanCompared(
        added=tuple(title for title in other if title not in one),
        removed=tuple(title for title in one if title not in other),
        both=tuple(title for title in one if title in other),
    )


def _compare_steps(a: Side, b: Side) -> StepsCompared:
    one, other = (list(_list_step_outputs(side)) for side in (a, b))
    common = 0
    for first, second in zip(one, other, strict=False):
        if not _is_same_step(first, second):
            break
        common += 1
    return StepsCompared(common=common, pairs=tuple(_pair_steps(one[common:], other[common:])))


def _list_step_outputs(side: Side) -> Iterator[tuple[StepRow, Json]]:
    """The steps with their outputs; what a run knew on the way is let go of."""
    for one in iter_passages(side.log, (), going_on=side.status == "running"):
        if isinstance(one, Passage):
            yield one.row, one.entry.output if isinstance(one.entry, StepCompleted) else None


def _pair_steps(one: Sequence[tuple[StepRow, Json]], other: Sequence[tuple[StepRow, Json]]) -> Iterator[StepPair]:
    keys = [[(row.node, row.iteration) for row, _ in side] for side in (one, other)]
    for tag, i, j, k, m in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        if tag == "equal":
            for first, second in zip(one[i:j], other[k:m], strict=True):
                yield StepPair(
                    a=_build_step_brief(first[0]), b=_build_step_brief(second[0]), same=_is_same_step(first, second)
                )
        else:
            yield from (StepPair(a=_build_step_brief(row), b=None, same=False) for row, _ in one[i:j])
            yield from (StepPair(a=None, b=_build_step_brief(row), same=False) for row, _ in other[k:m])


def _is_same_step(first: tuple[StepRow, Json], second: tuple[StepRow, Json]) -> bool:
    one, other = first[0], second[0]
    here, there = ((row.node, row.kind, row.iteration, row.outcome) for row in (one, other))
    return here == there and first[1] == second[1]


def _build_step_brief(row: StepRow) -> StepBrief:
    return StepBrief.from_record(row, tokens=row.usage.tokens, summary=row.summary or row.reason)


def _compare_evidence(a: Iterable[EvidenceRef], b: Iterable[EvidenceRef]) -> EvidenceCompared:
    one, other = ({ref.id: ref for ref in side} for side in (a, b))
    only_a = [ref for id, ref in one.items() if id not in other]
    only_b = [ref for id, ref in other.items() if id not in one]
    both = [ref for id, ref in one.items() if id in other]
    return EvidenceCompared(
        only_a=_build_evidence_briefs(only_a),
        only_b=_build_evidence_briefs(only_b),
        both=_build_evidence_briefs(both),
        only_a_count=len(only_a),
        only_b_count=len(only_b),
        both_count=len(both),
    )


def _build_evidence_briefs(refs: Sequence[EvidenceRef]) -> tuple[EvidenceBrief, ...]:
    return tuple(EvidenceBrief(id=ref.id, title=ref.title, source=ref.source) for ref in refs[:MOST_EVIDENCE])


def _compare_reports(a: Side, b: Side) -> ReportCompared | None:
    if a.draft is None or b.draft is None:
        return None
    claims, same = compare_claims(claims_of(a.draft), claims_of(b.draft))
    headings = [list(dict.fromkeys(section.heading for section in draft.sections)) for draft in (a.draft, b.draft)]
    cited = [side.report.references if side.report else () for side in (a, b)]
    known = [{name for one in references for name in _list_reference_names(one)} for references in cited]
    return ReportCompared(
        a_title=a.draft.title,
        b_title=b.draft.title,
        a_answered=a.draft.answered,
        b_answered=b.draft.answered,
        a_support=a.report.support if a.report else None,
        b_support=b.report.support if b.report else None,
        sections_added=tuple(heading for heading in headings[1] if heading not in headings[0]),
        sections_removed=tuple(heading for heading in headings[0] if heading not in headings[1]),
        claims=claims,
        claims_same=same,
        references_added=_list_unmatched_references(cited[1], known[0]),
        references_removed=_list_unmatched_references(cited[0], known[1]),
        references_same=len({one.document for one in cited[1] if not known[0].isdisjoint(_list_reference_names(one))}),
    )


def _list_unmatched_references(references: Sequence[Reference], known: Set[str]) -> tuple[ReferenceBrief, ...]:
    """Return the references that have no known name, each document once."""
    return tuple(
        {
            one.document: ReferenceBrief(document=one.document, title=one.title, source=one.source)
            for one in references
            if known.isdisjoint(_list_reference_names(one))
        }.values()
    )


def _list_reference_names(reference: Reference) -> tuple[str, ...]:
    """All that it is called: a run may have found a paper by other names than another one."""
    work = reference.work.identifiers.model_copy(update={"nct": "", "url": ""}).names if reference.work else ()
    return (reference.document, *work, *(name for name in reference.also if not name.startswith(("nct:", "url:"))))
