"""The analyst agent: reads numbers out of passages, each with the words that it stands in. It computes nothing.

What it proposes is checked by code, number by number, and analyzed by the tool `analyze`.
"""

from collections.abc import Mapping
from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, TaskEnvelope
from elcano.graphs.frozen import JsonObject
from elcano.graphs.text import ensure_list, format_count
from elcano.subjects.analysis.analysis import Extraction, TestedHypothesis
from elcano.subjects.research.agents.loop_context import ResearchContext, build_research_task, needs_of, passages_of


class AnalystInput(ResearchContext):
    """The analyst reads the passages that it is given here."""

    hypotheses: tuple[TestedHypothesis, ...] = ()
    """The hypothesis to test; empty: the analyst derives it from the question."""


INSTRUCTIONS: Final = """\
You read numbers out of passages, so that code can do statistics with them. You compute nothing and judge nothing.

Write down a measurement for each result of a study in `evidence` that bears on the question: an odds, risk or hazard \
ratio, a difference or a correlation with its interval or its exact p-value; events and sizes of two groups \
(`counts`); means, standard deviations and sizes of two groups (`means`).

- `quote` is one run of literal words of that passage, copied letter by letter, that holds every number you give. Each \
number is looked up in the quote, and the quote in the passage; a measurement with one that is not found is left out.
- Give numbers as they are written: nothing rounded, computed, converted or remembered. `12 of 45 (26.7 %)` is 12 \
events, size 45, percent 26.7. An interval from -0.9 to -0.1 keeps its signs.
- `outcome`, the names of the groups and `unit` decide what is pooled: call the same thing by the same words in every \
measurement, and different things by different ones (30-day mortality is not mortality). The `unit` of a score is its \
scale: `points on the BDI`.
- `first` is the group whose treatment is studied, `second` what it is compared with. A ratio or difference says what \
`first` is beside `second`; if a passage has it the other way round, exchange their names, not the numbers.
- One measurement for each study and outcome: the main analysis, the longest follow-up, everybody who was randomized. \
A study that several passages report is measured once.
- A pooled result of a review is no study. A standard error is no standard deviation: leave it out.

`hypotheses` say what is tested, the one that the question asks first: its outcome and groups in the words that you \
use in the measurements, and whether the outcome is expected `lower`, `higher` or merely `different` in the first \
group. If the envelope's `given` has hypotheses, take these over as they are.

If no passage has such numbers, answer with no measurement. That is a good answer; a guess is not.
"""


def build_task(given: AnalystInput, loaded: Loaded) -> TaskEnvelope:
    """Build the envelope: the question, the hypotheses to test and all passages that fit."""
    inputs: JsonObject = {
        "hypotheses": [one.model_dump(mode="json", exclude_defaults=True) for one in given.hypotheses]
    }
    return build_research_task("analyst", given, loaded).model_copy(
        update={"given": inputs if given.hypotheses else {}}
    )


def resolve_answer(said: Extraction, given: AnalystInput, ids: Mapping[str, str]) -> Extraction:
    """Replace passage keys by ids and keep the given hypotheses; a key that was not shown stays as it is."""
    found = (one.model_copy(update={"evidence": ids.get(one.evidence, one.evidence)}) for one in said.measurements)
    return Extraction(hypotheses=given.hypotheses or said.hypotheses, measurements=tuple(found))


def summarize_measurements(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize the number of extracted measurements."""
    found, tested = ensure_list(output.get("measurements")), ensure_list(output.get("hypotheses"))
    text = f"{format_count(len(found), 'measurement')} for {format_count(len(tested), 'hypothesis', 'hypotheses')}"
    return text, {"measurements": len(found), "hypotheses": len(tested)}


AGENT: Final = AgentDefinition(
    name="analyst",
    description="Reads numbers out of passages, each with the words that it stands in.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Read out of the passages in this task envelope the numbers that bear on its question.",
        answer=Extraction,
        shown=build_task,
    ),
    input=AnalystInput,
    output=Extraction,
    starts="analyzing",
    completes="analyzing",
    output_tokens=4_000,
    evidence_tokens=24_000,
    needs=needs_of,
    settled=resolve_answer,
    begins=lambda given: f"reading numbers from {passages_of(given)}",
    summary=summarize_measurements,
)
