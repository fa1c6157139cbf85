"""The hypothesizer agent: what may be so, what the passages say for and against it, and which searches would decide."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, TaskEnvelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.state.team import MOST_HYPOTHESES, MOST_PASSAGES, MOST_SEARCHES, STATEMENT_CHARACTERS, Hypothesis
from elcano.graphs.text import ensure_list, format_count, shorten_text
from elcano.subjects.research.agents.loop_context import ResearchContext, build_research_task, needs_of, passages_of
from elcano.subjects.teams.reducers import Hypotheses

QUERY_CHARACTERS: Final = 300
NAMED: Final = 10
"""Unknown keys that are reported; each can have `KEY_CHARACTERS`."""
KEY_CHARACTERS: Final = 60


class HypothesizerInput(ResearchContext):
    """The hypothesizer's input, with the instruction to explain and its earlier hypotheses."""

    instruction: str = ""
    """Empty: the question itself."""
    hypotheses: tuple[Hypothesis, ...] = ()
    """Previous hypotheses; the agent may keep, revise or drop them."""


INSTRUCTIONS: Final = """\
You state hypotheses on a question: what may be so, such that passages can show it to be wrong.

- Two to four, each one sentence, each testable: somebody who looked for it could find that it is not so. They differ \
from one another in what they predict; where only yes and no are possible, state both with the conditions under which \
each would hold.
- Reasoning: the mechanism or grounds, in a sentence or two, and what would be seen if the hypothesis were wrong.
- Supports and contradicts: keys of passages in `evidence` that speak for or against it, and only those that do; a \
passage that merely mentions the subject does neither. Leave out what is not there: most hypotheses have little at \
first. Never make a key up.
- Searches: one to three, each three to eight words as the sought text would use them, whose results would decide \
between the hypotheses; none that the `conversation` has made already.

Follow the `instruction` in `given`. Keep of the earlier `hypotheses` there those that still stand, with what was \
found since, and drop those that passages have refuted.
"""


def build_task(given: HypothesizerInput, loaded: Loaded) -> TaskEnvelope:
    """Build the envelope: the research so far, what to explain, and earlier hypotheses with the keys of passages."""
    keys = {id: key for key, id in loaded.shown.ids.items()}
    earlier: list[Json] = [
        _rename_passages(one, keys).model_dump(mode="json", exclude_defaults=True) for one in given.hypotheses
    ]
    own: JsonObject = {"instruction": given.instruction, "hypotheses": earlier}
    kept = {name: value for name, value in own.items() if value}
    return build_research_task("hypothesizer", given, loaded).model_copy(update={"given": kept})


def find_hypothesis_faults(said: Hypotheses, given: HypothesizerInput, ids: Mapping[str, str]) -> Sequence[str]:
    """Return the mistakes in an answer, for the model to correct."""
    found = []
    if unknown := _list_unknown_keys(said, ids):
        found.append(f"no passage has the key {', '.join(map(repr, unknown))}: name keys of `evidence` alone")
    if len(_clean_hypotheses(said.hypotheses)) < 2:
        found.append("state at least two hypotheses, each with a statement of its own")
    return found


def resolve_answer(said: Hypotheses, given: HypothesizerInput, ids: Mapping[str, str]) -> Hypotheses:
    """Replace the keys of passages by their ids; unknown keys are removed and listed."""
    kept = tuple(_rename_passages(one, ids) for one in _clean_hypotheses(said.hypotheses)[:MOST_HYPOTHESES])
    return Hypotheses(hypotheses=kept, unknown=_list_unknown_keys(said, ids))


def describe_start(given: JsonObject) -> str:
    """Describe the finding that the hypothesizer explains, and from how many passages."""
    text = f": {given['instruction']}" if given.get("instruction") else ""
    return f"weighing what may be so, from {passages_of(given)}{text}"


def summarize_hypotheses(output: JsonObject) -> tuple[str, JsonObject]:
    """Each hypothesis with how many passages are for and against it."""
    said = Hypotheses.model_validate(output)
    statements = [
        f"({number}) {one.statement} [{len(one.supports)} for, {len(one.contradicts)} against]"
        for number, one in enumerate(said.hypotheses, start=1)
    ]
    data: JsonObject = {"hypotheses": ensure_list(output.get("hypotheses"))}
    if said.unknown:
        data["unknown"] = [*said.unknown]
    count = format_count(len(statements), "hypothesis", "hypotheses")
    return f"{count}: {' '.join(statements)}" if statements else "No hypothesis", data


def _clean_hypotheses(hypotheses: Iterable[Hypothesis]) -> tuple[Hypothesis, ...]:
    """Return the hypotheses that have a statement, without duplicates."""
    cut = {
        statement: one.model_copy(update={"statement": statement})
        for one in reversed(tuple(hypotheses))
        if (statement := shorten_text(" ".join(one.statement.split()), STATEMENT_CHARACTERS))
    }
    return tuple(reversed(cut.values()))


def _rename_passages(one: Hypothesis, names: Mapping[str, str]) -> Hypothesis:
    """Rename the passages of a hypothesis, dropping those that have no new name."""
    searches = (shorten_text(" ".join(text.split()), QUERY_CHARACTERS) for text in one.searches)
    return one.model_copy(
        update={
            "reasoning": shorten_text(one.reasoning, STATEMENT_CHARACTERS),
            "supports": _translate_keys(one.supports, names),
            "contradicts": _translate_keys(one.contradicts, names),
            "searches": tuple(dict.fromkeys(filter(None, searches)))[:MOST_SEARCHES],
        }
    )


def _translate_keys(keys: Iterable[str], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names[key] for key in keys if key in names))[:MOST_PASSAGES]


def _list_unknown_keys(said: Hypotheses, ids: Mapping[str, str]) -> tuple[str, ...]:
    named = (key for one in said.hypotheses for key in (*one.supports, *one.contradicts))
    return tuple(dict.fromkeys(key[:KEY_CHARACTERS] for key in named if key not in ids))[:NAMED]


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="hypothesizer",
    description="States testable hypotheses, with what supports and what contradicts each.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="State hypotheses for the research in this task envelope.",
        answer=Hypotheses,
        shown=build_task,
    ),
    input=HypothesizerInput,
    output=Hypotheses,
    starts="hypothesizing",
    completes="hypothesizing",
    output_tokens=900,
    evidence_tokens=8_000,
    needs=needs_of,
    faults=find_hypothesis_faults,
    settled=resolve_answer,
    begins=describe_start,
    summary=summarize_hypotheses,
)
