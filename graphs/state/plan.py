"""The requirements of an answer: its form, its criteria, and the sections that are planned and researched.

The planning agent states the criteria, each checkable; the judge says which are met and by which passages, and unmet
ones are searched for next. Before a run begins it may ask back: each question is a choice or a text, and can be
skipped.
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import not_
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

from pydantic import BeforeValidator, Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.text import shorten_text

ReportForm: TypeAlias = Literal["plain", "comparison", "how_to", "overview", "yes_no", "review", "timeline"]
"""`plain`: a question that needs its answer and no more. Empty, where a field allows it: not specified."""

KNOWN: Final = frozenset(get_args(ReportForm))


def _normalize_form(said: Any) -> Any:
    """The form that a model means, however it spells it; empty, as if it had said nothing, if there is no such one."""
    if said is None:
        return ""
    if not isinstance(said, str):
        return said
    name = "_".join(said.casefold().replace("-", " ").split())
    return name if name in KNOWN else ""


SaidForm: TypeAlias = Annotated[ReportForm | Literal[""], BeforeValidator(_normalize_form)]
"""A form as a model answers it: an answer that is otherwise good is not worth another call for a name."""


MOST_CRITERIA: Final = 4
"""Criteria of one question: more would be a second plan."""
CRITERION_CHARACTERS: Final = 300
MOST_PASSAGES: Final = 8
"""Passages that are named for one criterion."""


class Criterion(Frozen):
    """A requirement on the answer, and whether the evidence meets it."""

    text: str
    """The criterion, such as `names at least two suppliers, with prices`."""
    met: bool | None = None
    """None: not judged yet."""
    evidence: tuple[str, ...] = ()
    """Ids of the passages that meet it, the best first."""


class CriterionVerdict(Frozen):
    """A judge's verdict on one criterion."""

    number: int
    criterion: str = Field(default="", description="Only of one you name.")
    met: bool
    evidence: tuple[str, ...] = Field(default=(), description="The best first.")


def normalize_criteria(texts: Iterable[str]) -> tuple[str, ...]:
    """Criteria as they are kept: each on one line, once, none empty, at most `MOST_CRITERIA`."""
    lines = (shorten_text(" ".join(text.split()), CRITERION_CHARACTERS) for text in texts)
    return tuple(dict.fromkeys(filter(None, lines)))[:MOST_CRITERIA]


def build_unjudged_criteria(texts: Iterable[str]) -> tuple[Criterion, ...]:
    """Criteria of which nothing is known yet."""
    return tuple(Criterion(text=text) for text in normalize_criteria(texts))


def apply_verdicts(criteria: Sequence[Criterion], verdicts: Iterable[CriterionVerdict]) -> tuple[Criterion, ...]:
    """Return `criteria` updated by `verdicts`; if there were none, those that the verdicts name themselves.

    A criterion of which nothing is said stays as it was. Of two verdicts on one the first counts.
    """
    if not criteria:
        named: dict[str, CriterionVerdict] = {}
        for verdict in verdicts:
            for text in normalize_criteria([verdict.criterion]):
                named.setdefault(text, verdict)
        return tuple(_apply_verdict(Criterion(text=text), named[text]) for text in normalize_criteria(named))
    first: dict[int, CriterionVerdict] = {}
    for verdict in verdicts:
        first.setdefault(verdict.number, verdict)
    return tuple(
        _apply_verdict(criterion, first[number]) if number in first else criterion
        for number, criterion in enumerate(criteria, start=1)
    )


def _apply_verdict(criterion: Criterion, verdict: CriterionVerdict) -> Criterion:
    return criterion.model_copy(update={"met": verdict.met, "evidence": verdict.evidence[:MOST_PASSAGES]})


MOST_CONTRADICTIONS: Final = 6
"""Contradictions that one answer of an agent may name."""


class Contradiction(Frozen):
    """Passages that say different things of the same matter."""

    about: str = Field(description="The matter, and what each side says.")
    evidence: tuple[str, ...]


def resolve_contradictions(said: Iterable[Contradiction], ids: Mapping[str, str]) -> tuple[Contradiction, ...]:
    """Keep contradictions of at least two shown passages, each pair of sides once, with `ids` in place of keys."""
    found: dict[frozenset[str], Contradiction] = {}
    for one in said:
        evidence = tuple(dict.fromkeys(ids[key] for key in one.evidence if key in ids))[:MOST_PASSAGES]
        about = shorten_text(" ".join(one.about.split()), CRITERION_CHARACTERS)
        if about and len(evidence) > 1:
            found.setdefault(frozenset(evidence), Contradiction(about=about, evidence=evidence))
    return tuple(found.values())[:MOST_CONTRADICTIONS]


class SectionPlan(Frozen):
    """One section to research."""

    title: str
    key_question: str
    criteria: tuple[str, ...] = ()
    """Checkable criteria for what its research has to find."""
    form: ReportForm | Literal[""] = ""
    wish: str = ""
    """Its part of the wishes for the whole report: its length, its readers; empty: they were not divided."""
    evidence: tuple[str, ...] = Field(default=(), exclude_if=not_)
    """Ids of the passages of the first search that its research begins with; empty: all of them."""
    left_out: bool = False
    """Dropped on request. It keeps its index, so that later sections keep theirs."""


class SectionGap(Frozen):
    """Why a section of the report is missing."""

    reason: str
    type: str = ""
    """The name of the error, for programs."""
    attempts: int = Field(default=0, ge=0)
    """Attempts of its failing call; 0 if it never started."""
    tokens: int = Field(default=0, ge=0)
    cost_microusd: int = Field(default=0, ge=0)


class SectionResult(Frozen):
    """The outcome of one section: its draft and evidence, or the gap that it leaves."""

    title: str
    key_question: str
    draft: str | None = None
    """Artifact hash of the section's `ReportDraft`; None also if no writer ends its branch."""
    unanswered: bool = False
    """Whether its branch came to its end, and nothing that it found answers its question."""
    evidence: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    """The queries that its research made."""
    ending: str = ""
    """Why its research ended early, in words; empty if it did not."""
    ended_by: str = ""
    """The kind of that ending, or of its gap, for programs."""
    tokens: int = 0
    """The usage of its research."""
    wish: str = ""
    """The user's wishes for it, as the plan divided them."""
    form: ReportForm | Literal[""] = Field(default="", exclude_if=lambda form: not form)
    """The form that was planned for it, of a section without a draft."""
    gap: SectionGap | None = None
    criteria: tuple[Criterion, ...] = ()
    """Sections without a draft only: criteria of its answer, and the passages that meet them."""
    notes: tuple[str, ...] = ()
    """Sections without a draft only: thoughts of its last turn on the findings."""
    contradictions: tuple[Contradiction, ...] = Field(default=(), exclude_if=not_)
    """Sections without a draft only: disagreements among its passages."""

    @property
    def to_write(self) -> bool:
        """Whether there is material to write the section from: a draft, or passages."""
        return self.draft is not None or (bool(self.evidence) and not self.unanswered)

    @property
    def incomplete(self) -> bool:
        """Whether something of it is missing: its research ended early, it left a gap, or its writer found no answer.

        A branch without a writer that found nothing has done what it was for.
        """
        unwritten = self.unanswered and self.draft is not None
        return bool(self.ending) or unwritten or self.gap is not None


def open_sections(plan: Iterable[SectionPlan]) -> tuple[SectionPlan, ...]:
    """Return the sections of a plan that were not dropped."""
    return tuple(section for section in plan if not section.left_out)


def plan_fault(plan: Sequence[SectionPlan], most: int) -> str | None:
    """Return why these sections cannot be researched, given their maximum number; None if they can."""
    if not plan:
        return "a plan needs at least one section"
    if len(plan) > most:
        return f"there would be {len(plan)} sections, and {most} are allowed (`budget.sections`)"
    if any(not section.title.strip() or not section.key_question.strip() for section in plan):
        return "every section needs a title and a question"
    known = set[str]()
    for section in plan:
        if (name := normalize_title(section.title)) in known:
            return f"two sections would be called {section.title!r}: give each a title of its own"
        known.add(name)
    return None


def normalize_title(title: str) -> str:
    """A title as it is compared: neither case nor white space matters."""
    return " ".join(title.split()).casefold()


MOST_QUESTIONS: Final = 4
MOST_OPTIONS: Final = 5
QUESTION_CHARACTERS: Final = 300
OPTION_CHARACTERS: Final = 200
ANSWER_CHARACTERS: Final = 1_000


class ClarifyingQuestion(Frozen):
    """One question, and what was answered."""

    id: str
    """`q1`, `q2` and so on."""
    question: str = Field(max_length=QUESTION_CHARACTERS + 1)
    options: tuple[str, ...] = Field(default=(), max_length=MOST_OPTIONS)
    """Two to five answers to choose from, though other words are taken too; none: it is answered in words."""
    recommended: str = ""
    """The one of `options` that is taken if nothing else is known."""
    answer: str | None = None
    """Empty: it was skipped. None: it waits."""


def is_waiting(questions: tuple[ClarifyingQuestion, ...]) -> bool:
    """Whether any of them waits for its answer."""
    return any(one.answer is None for one in questions)
