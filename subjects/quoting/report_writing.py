"""A report in quotations: what the passages say to each part of the question, and nothing of its own.

If no passage holds enough of the question, it says so and names the nearest passages.

Its limitations are words that nothing mentions, and parts that are not answered or not quoted. Every sentence there can
be checked against the passages, and is worded so that it holds literally. A word is reported missing only if neither it
nor a form of it is in any passage, titles and headings included; uninformative words are not mentioned. If a question
has several parts, each is checked separately, over everything that was quoted.

Sections come with each thing said once. What is left to do is to keep them short and to choose the key findings, by a
stricter floor than a section's: a report opens with them.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from elcano.graphs.agents.envelope import EvidenceItem, SectionItem, TaskEnvelope
from elcano.graphs.agents.writing import SectionText, Summary
from elcano.graphs.report.report import Citation, Claim, DraftSection, ReportDraft, heading_for, title_for
from elcano.subjects.quoting.passages import Material, in_question_language, read_material
from elcano.subjects.quoting.planning import BEARING
from elcano.subjects.quoting.question_parts import list_answerable_parts, split_into_parts
from elcano.subjects.quoting.sentence_choice import (
    Candidate,
    add_results,
    choose_findings,
    choose_further,
    is_manual,
    keep_holding,
    score_sentences,
)
from elcano.text.languages import get_current_language, is_known, languages_of
from elcano.text.phrases import get_phrases
from elcano.text.stems import list_stems
from elcano.text.words import is_unspaced, rejoin_pairs

SECTION_CLAIMS: Final = 4
DETAILS: Final = 3
"""Further passages of a question of one part."""
MOST_RELATED: Final = 6
NEAREST_COVERAGE: Final = 0.3
"""The share of the question that a passage holds at least to be named where nothing answers it."""
RELATED_COVERAGE: Final = 0.6
"""The same next to an answer. At 0.3, 57 % of the passages named on XQuAD were of the article that answers, and 69 % on
PubMedQA shared a subject heading with the one that does; at 0.6 all of 13, and 8 of 10."""


@in_question_language
def write_report(task: TaskEnvelope) -> ReportDraft:
    """The draft for `task`, in which every claim is a literal quotation."""
    question, given = task.question, read_material(task)
    parts = split_into_parts(question)
    several = len(parts) > 1
    spoken = list_answerable_parts(question, given)
    key = choose_findings(given, question, spoken if several else ()) if spoken else []
    if not key:
        return ReportDraft(
            title=title_for(question),
            answered=False,
            quoted=True,
            related=_list_nearest(given, NEAREST_COVERAGE),
            limitations=explain_refusal(given),
        )
    key = add_results(given, key)
    sections, used = _write_sections(given, question, spoken, key, several=several)
    return ReportDraft(
        title=title_for(question),
        quoted=True,
        key_findings=tuple(_make_claim(given, chosen) for chosen in key),
        sections=sections,
        related=_list_nearest(given, RELATED_COVERAGE, but={given.passages[one.passage].item.title for one in used}),
        limitations=(*list_open_parts(parts, spoken, [one.text for one in used], given), *list_silence(given)),
    )


def _write_sections(
    given: Material, question: str, parts: Sequence[str], key: Sequence[Candidate], *, several: bool
) -> tuple[tuple[DraftSection, ...], list[Candidate]]:
    """One section a part, of what the key findings do not say already, the best first."""
    used = list(key)
    sections: list[DraftSection] = []
    manual = is_manual(given)
    for part in parts if several or not manual else ():
        terms = given.terms.of(part)
        ranked = score_sentences(given, part, terms)
        kept = keep_holding(ranked) if manual else ranked
        new = choose_further(given, terms, used, kept, SECTION_CLAIMS if several else DETAILS)
        if new:
            used.extend(new)
            heading = _make_heading(part) if several else get_phrases(get_current_language()).further
            sections.append(DraftSection(heading=heading, claims=tuple(_make_claim(given, one) for one in new)))
    return tuple(sections), used


def _make_claim(given: Material, chosen: Candidate) -> Claim:
    key = given.passages[chosen.passage].item.key
    return Claim(text=chosen.text, citations=(Citation(evidence=key, quote=chosen.text),))


def _list_nearest(given: Material, least: float, but: Collection[str] = ()) -> tuple[str, ...]:
    """Keys of the passages that hold the `least` share of the question, best first; one a title, none in `but`."""
    ranked = sorted(given.passages, key=lambda passage: -given.terms.coverage(passage.found))
    by_title: dict[str, str] = {}
    for passage in ranked:
        if given.terms.coverage(passage.found) >= least and passage.item.title not in but:
            by_title.setdefault(passage.item.title, passage.item.key)
    return tuple(by_title.values())[:MOST_RELATED]


def _make_heading(part: str) -> str:
    heading = heading_for(part)
    return heading[0].upper() + heading[1:]


TELLING: Final = 0.35
"""Minimum weight of a word that is reported as missing, as a share of the highest weight."""
QUOTED_PART: Final = 0.6
"""A part counts as quoted if the quotations hold this share of its telling words."""
REPEATED: Final = 0.9
"""A part of which one quotation holds this share of its words is not reported as unanswered."""
MOST_WORDS: Final = 8
"""Words that one sentence names."""
LEAST_SIGNS: Final = 3
"""Minimum characters of a word reported as not mentioned, where words have no spaces: fewer may be the end of one word
and the next."""


def explain_refusal(given: Material) -> tuple[str, ...]:
    """Explain a report without an answer; if no passage is in the question's language, say that it cannot tell."""
    language, phrases = get_current_language(), get_phrases(get_current_language())
    found = languages_of([passage.item.text for passage in given.passages])
    if found and language not in found:
        return (phrases.other_language, *list_silence(given))
    unread = () if is_known(language) else (phrases.unknown_language,)
    return (phrases.nothing_holds, *unread, *list_silence(given))


def list_silence(given: Material) -> tuple[str, ...]:
    """The telling words of the question that nothing mentions, if any."""
    phrases = get_phrases(get_current_language())
    if not given.passages:
        return (phrases.nothing_found,)
    words = _list_unmentioned(given)
    return (phrases.silent.format(words=phrases.comma.join(words)),) if words else ()


def list_open_parts(
    parts: Sequence[str], spoken: Sequence[str], quotes: Sequence[str], given: Material
) -> tuple[str, ...]:
    """A sentence for each of several `parts` that nothing speaks to, or that is `spoken` to and not quoted."""
    phrases = get_phrases(get_current_language())
    said = [frozenset(list_stems(quote)) for quote in quotes]
    sentences: list[str] = []
    for part in parts if len(parts) > 1 else ():
        words = set(list_stems(part))
        # Only of what holds half of a part's words, whatever they tell, can it be said that it is on that part.
        found = any(2 * len(words & passage.found) >= len(words) for passage in given.passages)
        if part in spoken and found:
            if given.terms.of(part).coverage(frozenset().union(*said)) < QUOTED_PART:
                sentences.append(phrases.unquoted_part.format(part=part))
        elif not words or all(len(words & one) < REPEATED * len(words) for one in said):
            sentences.append(phrases.unspoken_part.format(part=part))
    return tuple(sentences)


def _list_unmentioned(given: Material) -> Sequence[str]:
    """Telling words that neither themselves nor by their stem are anywhere in the passages, the most telling first."""
    least = TELLING * max(given.terms.weights.values(), default=0.0)
    missing = [given.terms.written[one] for one in given.terms.absent(given.found) if given.terms.weights[one] >= least]
    words = [word for word in missing if not any(word in passage.lower for passage in given.passages)]
    if any(map(is_unspaced, words)):
        in_order = [word for word in given.terms.written.values() if word in words]
        words = [one for one in rejoin_pairs(in_order) if not is_unspaced(one) or len(one) >= LEAST_SIGNS]
    return words[:MOST_WORDS]


FLOOR: Final = 0.45
"""Below this score a quotation is no key finding, or half of the findings beyond the first ones miss the question."""
BRIEF_CLAIMS: Final = 3
"""Claims a section in a report that is merged in one pass."""


@in_question_language
def write_section(task: TaskEnvelope) -> SectionText:
    """The first claims of the section that bear on the whole question: a draft begins with its answer.

    A section without a draft is quoted from its passages now, without what sections before it say already.
    """
    (section,) = task.sections
    if section.claims:
        return SectionText(text=_keep_bearing(task, section)[:SECTION_CLAIMS])
    texts = tuple(item for item in task.evidence if item.text)
    asked = section.key_question or section.title
    report = write_report(task.model_copy(update={"question": asked, "evidence": texts}))
    drafted = section.model_copy(update={"claims": report.claims})
    said = {claim.text for before in task.written for claim in before.claims}
    new = [claim for claim in _keep_bearing(task, drafted) if claim.text not in said]
    return SectionText(text=tuple(new[:SECTION_CLAIMS]), limitations=report.limitations if report.answered else ())


@in_question_language
def write_summary(task: TaskEnvelope) -> Summary:
    """The quotations that answer the question itself, from whichever section."""
    return Summary(
        key_findings=_choose_claims(task, task.written),
        limitations=_collect_limitations(task.written),
        answered=any(section.claims for section in task.written),
    )


@in_question_language
def proofread_draft(task: TaskEnvelope) -> ReportDraft:
    """Key findings and a few claims a section, none of them twice."""
    findings = _choose_claims(task, task.sections)
    said = {claim.text for claim in findings}
    sections = [
        DraftSection(
            heading=heading_for(section.title),
            claims=tuple(claim for claim in _keep_bearing(task, section) if claim.text not in said)[:BRIEF_CLAIMS],
        )
        for section in task.sections
    ]
    return ReportDraft(
        title=title_for(task.question),
        key_findings=findings,
        sections=tuple(section for section in sections if section.claims),
        limitations=_collect_limitations(task.sections),
        answered=bool(findings) or any(section.claims for section in sections),
        quoted=True,
    )


def _choose_claims(task: TaskEnvelope, sections: Sequence[SectionItem]) -> tuple[Claim, ...]:
    """The claims that answer the whole question best; one for each part of it comes first."""
    by_key: dict[str, list[Claim]] = {}
    for claim in (claim for section in sections for claim in section.claims if claim.citations):
        by_key.setdefault(claim.citations[0].evidence, []).append(claim)
    given = _read_claims(task, {key: "\n\n".join(claim.text for claim in claims) for key, claims in by_key.items()})
    parts = split_into_parts(task.question)
    chosen = choose_findings(given, task.question, parts if len(parts) > 1 else (), FLOOR)
    claims = list(by_key.values())
    return tuple(dict.fromkeys(claim for one in chosen for claim in claims[one.passage] if one.text in claim.text))


def _keep_bearing(task: TaskEnvelope, section: SectionItem) -> tuple[Claim, ...]:
    """The claims of a section that bear on the whole question; all, if the question itself names the section's subject.

    A section's research sees its own question only, and the words of that lead to other subjects too. One without such
    a claim is left out: it would be on something else.
    """
    if set(list_stems(section.title)) <= set(list_stems(task.question)):
        return section.claims
    terms = read_material(task).terms
    return tuple(claim for claim in section.claims if terms.coverage(set(list_stems(claim.text))) >= BEARING)


def _read_claims(task: TaskEnvelope, texts: Mapping[str, str]) -> Material:
    """Texts by the key of what they cite, as passages under its title and headings."""
    items = {item.key: item for item in task.evidence}
    nowhere = EvidenceItem(key="", title="", locator="")
    said = [items.get(key, nowhere).model_copy(update={"key": key, "text": text}) for key, text in texts.items()]
    return read_material(task.model_copy(update={"evidence": tuple(said), "background": ""}))


def _collect_limitations(sections: Sequence[SectionItem]) -> tuple[str, ...]:
    """Collect the limitations of the sections' drafts, each once; missing sections are reported elsewhere."""
    return tuple(dict.fromkeys(one for section in sections if not section.missing for one in section.limitations))
