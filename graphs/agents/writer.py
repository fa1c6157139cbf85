"""The writer agent: a report in Markdown, each statement with the literal words that support it.

It cites by the short keys of its prompt, which are turned back when its draft is stored. It numbers nothing.
"""

from typing import Final

from elcano.graphs.agents.context import ResearchContext, needs_of, passages_of, research
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.drafting import MARKS, drafted
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.loaded import Loaded, Needs
from elcano.graphs.agents.prose import ReportProse
from elcano.graphs.frozen import JsonObject
from elcano.graphs.values.report import DraftRef


class WriterInput(ResearchContext):
    """The writer may use only the evidence it is given here."""

    instructions: str = ""
    """What the person who asked wants of length, tone or form."""
    sources: tuple[str, ...] = ()


INSTRUCTIONS: Final = f"""\
You write the report of a piece of research for the person who asked. You are given the question and the passages \
that were found; they are all you may use.

{MARKS}\
- A citation names a passage by its key and quotes the words in it that support what stands before its mark.
- A quote is copied letter by letter from that passage's text, one run of words, nothing added, left out or \
corrected. Every quote is looked up; one that is not found is shown to the reader as unsupported. Keep quotes short: \
a sentence or less.
- `about` says of which work a passage is. If that is a preprint, say so where it matters; if it was retracted or \
withdrawn, do not rest a claim on it, and where you must mention it say that it was.
- Where passages disagree, say so and cite both. Do not smooth it over.
- Do not claim what no passage supports, however well known it is.

The introduction answers the question itself, at once. Key findings are a list of two to five, the most important \
first; leave them out if the introduction says all of it. Sections, each under a plain heading, give what stands \
behind them; write none that only repeats a key finding. Say what is disputed, how strong the evidence is, and \
conclude. Limitations say, in sentences, what the passages leave open. Put the keys of passages worth reading that you \
did not cite into `related`.

If the passages do not answer the question, set `answered` to false, say in the limitations what is missing, and name \
the nearest passages in `related`. That is a good report; a guess is not.

Follow the envelope's `instructions` on length, tone and form where they do not conflict with these rules. Write in \
the language of the question.
"""


def needs(given: WriterInput) -> Needs:
    """All passages that may be cited."""
    return needs_of(given, searched=given.sources)


def shown(given: WriterInput, loaded: Loaded) -> TaskEnvelope:
    """The question, all passages that fit and what the reader wants of the form."""
    return research("writer", given, loaded).model_copy(update={"instructions": given.instructions})


def begins(given: JsonObject) -> str:
    """What it writes from."""
    return f"a report from {passages_of(given)}"


AGENT: Final = AgentDefinition(
    name="writer",
    description="Writes the report, each statement with the words that support it.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Write the report for the question in this task envelope.",
        answer=ReportProse,
        shown=shown,
    ),
    input=WriterInput,
    output=DraftRef,
    starts="synthesizing",
    completes="synthesizing",
    output_tokens=4_000,
    evidence_tokens=24_000,
    manner="report",
    needs=needs,
    begins=begins,
    summary=drafted,
)
