"""The long writer agent: writes the sections of a report one after the other, and then what stands above them.

It has two tasks, a call for each section and one for the summary. It cites by keys, as the writer does.
"""

from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Part, Question, has_wishes
from elcano.graphs.agents.digests import digest_passage, digest_text, list_word_beginnings
from elcano.graphs.agents.envelope import EvidenceItem, Loaded, OutlineItem, SectionItem, TaskEnvelope
from elcano.graphs.agents.prompt_texts import CITING, GIVEN_MARKS, WISHES, ShownForm
from elcano.graphs.agents.writing import (
    SectionText,
    Summary,
    SynthesisInput,
    needs_of,
    sections_of,
    select_cited_passages,
    select_fitting_claims,
    share_marks,
    strip_marks,
    summarize_draft,
)
from elcano.graphs.report.report import Claim
from elcano.graphs.rules import CHARACTERS_PER_TOKEN, SO_FAR_TOKENS, SUMMARY_TOKENS
from elcano.graphs.state.state import DraftRef

SECTION: Final = "long_writer_section"
SUMMARY: Final = "long_writer_summary"
WHOLE_REPORT_FORMS: Final = frozenset(("overview", "review"))
"""They ask for parts, as what is settled and disputed, for which a section of 400 words has no room."""
MOST_DIGESTS: Final = 2
"""Passages of other sections that the writer of a section is shown in brief, the best first, besides those that its
criteria and contradictions name."""
WRITTEN_CHARACTERS: Final = 500
"""Characters of an earlier section that another writer is shown: the sentences that it is likeliest to repeat."""
MOST_UNCITED: Final = 20
"""As many passages that the text leaves aside are named."""


SECTION_INSTRUCTIONS: Final = f"""\
You write one section of a long report on `question`: the one in `sections`, from the passages in `evidence`. \
`outline` lists all sections; `written` has those before it, in brief.

- Answer the section's key question, in `outline`, first, then give what stands behind it, in an order that is easy to \
follow. Leave out what does not serve it, what `written` says already, and what belongs to later sections.
- Cover what each of its `criteria` asks for, as far as passages give it; `evidence` of a criterion names those that \
do. Answer each of its `contradictions` in one paragraph or list item that cites both sides: which you would go by and \
why, or that it is open. Its `notes` are remarks of its research, and cannot be cited.
- Explain from the passages, in one sentence each, the methods and terms that the section turns on.
- Unless `instructions` wish otherwise, write 200 to 400 words, fewer if the passages say little, one sentence if \
they say nothing on the key question.
- “[…]” stands for what is left out of `written` and of passages.

{CITING}
"""

OWN_FORM: Final = """
The form described above the envelope is that of this section.
"""
OWN_WISHES: Final = """
The envelope's `instructions` are wishes of the person who asked, meant for this section. They decide its length, \
readers, tone and form. They do not change how you cite: a section of one paragraph has marks too.
"""

DRAFTED: Final = f"""
The section's `claims` are a draft of it. Keep every finding of it that its passages support, mend what it says \
otherwise than they do, and add what else they say on the key question.
{GIVEN_MARKS}"""
GOING_ON: Final = """
`part` says that you write a part of the section; the parts before it are in `written`. Go on from there, without a \
new beginning.
"""

SUMMARY_INSTRUCTIONS: Final = """\
You finish a long report. Its sections are in `written`; of a section that is missing it is said why.

- The introduction answers the question at once, from all sections together. Key findings are a list of two to six, \
the most important first, that the introduction does not give. Where sections bear on each other, say what follows \
from both and cite both. Say what is disputed and how strong the evidence is, and conclude; leave out each of these \
parts if it would only repeat.
- Limitations say, in sentences and each thing once, what the report as a whole leaves open: parts of the question \
that nothing answers, criteria that are not met, disagreements, weak evidence, what sections say is missing. Missing \
sections are listed elsewhere.
- Set `answered` to false if the sections do not answer the question.

The text is Markdown: paragraphs, lists, tables; no headings, links, images or HTML.
- Put behind every sentence, list item and table cell the marks of the statements of `written` that it repeats, as \
they are there: `Both trials agree [e5.1, e8.2].`; behind what you conclude from them: `[from e5.1, e8.2]`. There are \
no other marks, and no list of references.
- A sentence without a mark only introduces what follows; it states no fact about the subject, however well known.
- Say only what the marked statements say, with their figures, dates and conditions, and do not smooth over \
disagreements.
"""

OF_REPORT: Final = """
The form described above the envelope is that of the whole report: repeat no table or list that a section has.
"""
LEFT_ASIDE: Final = """
`uncited` lists passages that the research of a section cites and its text does not. Where one of them bears on the \
answer, say among the limitations what was left aside.
"""


def shown_section(given: SynthesisInput, loaded: Loaded) -> TaskEnvelope:
    """The section with its passages, the plan, and the report so far, its end first; of other sections a digest."""
    so_far = select_fitting_claims(tuple(_digest_written(one, loaded) for one in loaded.written), SO_FAR_TOKENS)
    passages = _digest_passages_of_others(loaded, _select_section_passages(loaded))
    cited = select_cited_passages((loaded.section,), loaded.drafts.shown.items)
    texts = {item.key for item in passages}
    return loaded.envelope(SECTION, given).model_copy(
        update={
            "instructions": _choose_section_wishes(given, loaded),
            "form": _choose_section_form(loaded),
            "sections": (loaded.section if loaded.offline else loaded.section.model_copy(update={"key_question": ""}),),
            "written": so_far,
            "outline": _build_outline(loaded),
            "evidence": (*passages, *(item for item in cited if item.key not in texts)),
        }
    )


def _digest_written(section: SectionItem, loaded: Loaded) -> SectionItem:
    """A written section, without marks and citations, as the writer of another is shown it.

    Earlier parts of the same section stay whole.
    """
    texts = list(map(strip_marks, section.claims))
    if section.title != loaded.section.title and not loaded.offline:
        asked = f"{loaded.section.title} {_list_asked(loaded.section)}"
        texts = [digest_text("\n".join(texts), asked, WRITTEN_CHARACTERS)] if texts else []
    claims = tuple(Claim(text=text) for text in texts)
    return SectionItem(title=section.title, claims=claims, left_out=section.left_out, missing=section.missing)


def _list_asked(section: SectionItem) -> str:
    """The question and the criteria of a section."""
    return " ".join((section.key_question, *(one.text for one in section.criteria)))


def keep_what_is_open(section: SectionItem) -> SectionItem:
    """A written section as it is shown to the writer of the summary: its text, criteria that are not met, open ends."""
    unmet = tuple(criterion for criterion in section.criteria if criterion.met is False)
    return section.model_copy(update={"key_question": "", "criteria": unmet, "notes": (), "contradictions": ()})


def _choose_section_form(loaded: Loaded) -> ShownForm:
    """The form that was planned for the section, unless it is that of a whole report."""
    form: ShownForm = loaded.drafts.forms[loaded.place] if loaded.place < len(loaded.drafts.forms) else ""
    return "" if form in WHOLE_REPORT_FORMS else form


def _choose_section_wishes(given: SynthesisInput, loaded: Loaded) -> str:
    """Return the instructions for the section: its own part of them, or all, marked as meant for the whole report."""
    parts, wishes = len(loaded.drafts.sections), loaded.drafts.wishes
    own = wishes[loaded.place] if loaded.place < len(wishes) else ""
    if own or parts < 2 or not given.instructions:
        return own or given.instructions
    return f"Of the whole report, of which this is one of {parts} sections: {given.instructions}"


def _select_section_passages(loaded: Loaded) -> tuple[EvidenceItem, ...]:
    """Return the section's passages whose whole texts fit into their room; those that its draft cites come first."""
    room = loaded.passages_room * CHARACTERS_PER_TOKEN
    chosen: list[EvidenceItem] = []
    for item in loaded.drafts.passages[loaded.place] if loaded.place < len(loaded.drafts.passages) else ():
        if len(item.text) <= room:
            chosen.append(item)
            room -= len(item.text)
    return tuple(chosen)


def _digest_passages_of_others(loaded: Loaded, passages: tuple[EvidenceItem, ...]) -> tuple[EvidenceItem, ...]:
    """`passages`, with digests of those that another section is shown whole; all whole if there is a draft.

    A passage is shown whole to one section: of those whose criteria name it to the one of which a criterion names it
    foremost, else to the one of whose words it has the most.
    """
    if loaded.section.claims or loaded.offline:
        return passages
    asked = _list_asked(loaded.section)
    homes, needed = _find_homes(loaded), _rank_needed_keys(loaded.section)
    shown, room = list[EvidenceItem](), MOST_DIGESTS
    for item in passages:
        if homes.get(item.key, loaded.place) == loaded.place:
            shown.append(item)
        elif item.key in needed or room:
            room -= item.key not in needed
            shown.append(digest_passage(item, asked))
    return tuple(shown)


def _find_homes(loaded: Loaded) -> dict[str, int]:
    """The place of the section to which each passage is shown whole, by its key."""
    ranks = list[tuple[bool, float, int, int, str]]()
    for place, (section, items) in enumerate(zip(loaded.drafts.sections, loaded.drafts.passages, strict=False)):
        if section.missing:
            continue
        words, needed = frozenset(list_word_beginnings(_list_asked(section))), _rank_needed_keys(section)
        for rank, item in enumerate(items):
            shared = 0.0 if item.key in needed else _count_shared(item, words) / max(1, len(words))
            ranks.append((item.key not in needed, needed.get(item.key, -shared), rank, place, item.key))
    return {key: place for *_, place, key in sorted(ranks, reverse=True)}


def _rank_needed_keys(section: SectionItem) -> dict[str, int]:
    """Keys of the passages that the criteria and the contradictions of a section name, with their best place there."""
    ranks = {key: 0 for one in section.contradictions for key in one.evidence}
    for criterion in section.criteria:
        for place, key in enumerate(criterion.evidence):
            ranks[key] = min(place, ranks.get(key, place))
    return ranks


def _count_shared(item: EvidenceItem, words: frozenset[str]) -> int:
    """How many of `words`, as stems, a passage has."""
    return len(words.intersection(list_word_beginnings(f"{item.title} {item.text}")))


def _build_outline(loaded: Loaded) -> tuple[OutlineItem, ...]:
    """List all sections."""
    return tuple(
        OutlineItem(
            title=section.title,
            key_question=section.key_question,
            missing=bool(section.missing),
        )
        for section in loaded.drafts.sections
    )


def list_uncited_passages(loaded: Loaded) -> tuple[EvidenceItem, ...]:
    """The passages that drafts cite and the written sections do not."""
    kept = {item.key for item in select_cited_passages(loaded.written, loaded.drafts.shown.items)}
    return tuple(
        item
        for item in select_cited_passages(loaded.drafts.sections, loaded.drafts.shown.items)
        if item.key not in kept
    )


def shown_summary(given: SynthesisInput, loaded: Loaded) -> TaskEnvelope:
    """Build the envelope of the summary: the finished sections as far as they fit, and those that are missing.

    Statements have the marks of their citations, without quotes; of cited works it is shown what is known of them.
    """
    room = SUMMARY_TOKENS if loaded.room is None else min(SUMMARY_TOKENS, loaded.room)
    shared, _ = share_marks(map(keep_what_is_open, loaded.written))
    whole = select_fitting_claims(shared, room)
    cited = select_cited_passages(loaded.written, loaded.drafts.shown.items)
    quoted = select_cited_passages(whole, cited)
    return loaded.envelope(SUMMARY, given).model_copy(
        update={
            "instructions": given.instructions,
            "form": given.form,
            "written": whole,
            "uncited": list_uncited_passages(loaded)[:MOST_UNCITED],
            "evidence": tuple(item for item in cited if item.about or item in quoted),
        }
    )


LONG_WRITER: Final[AgentDefinition] = AgentDefinition(
    name="long_writer",
    description="Joins the sections, writing one after the other with the report so far in view.",
    asks=Question(
        instructions=SECTION_INSTRUCTIONS,
        request="Write the section that is in `sections` of this task envelope.",
        answer=SectionText,
        shown=shown_section,
        parts=(
            Part(OWN_FORM, lambda task: bool(task.form)),
            Part(OWN_WISHES, has_wishes),
            Part(DRAFTED, lambda task: any(one.claims for one in task.sections)),
            Part(GOING_ON, lambda task: any(one.part for one in task.sections)),
        ),
    ),
    closing=Question(
        instructions=SUMMARY_INSTRUCTIONS,
        request="Write the introduction, key findings, conclusion and limitations of the report in this task envelope.",
        answer=Summary,
        shown=shown_summary,
        ranks=False,
        parts=(
            Part(OF_REPORT, lambda task: bool(task.form)),
            Part(LEFT_ASIDE, lambda task: bool(task.uncited)),
            Part(WISHES, has_wishes),
        ),
    ),
    input=SynthesisInput,
    output=DraftRef,
    starts="synthesizing",
    completes="synthesizing",
    output_tokens=1_500,
    evidence_tokens=24_000,
    manner="by_section",
    needs=needs_of,
    begins=lambda given: f"joining {sections_of(given)}, one after the other",
    summary=summarize_draft,
)
