"""The writer agent: a report in Markdown, each statement with the literal words that support it.

It cites by the short keys of its prompt, which are turned back when its draft is stored. It numbers nothing.
"""

from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Part, Question, has_wishes
from elcano.graphs.agents.envelope import Loaded, Needs, PastIteration, TaskEnvelope
from elcano.graphs.agents.prompt_texts import MARKS, WISHES
from elcano.graphs.agents.writing import ReportProse, summarize_draft
from elcano.graphs.state.state import DraftRef
from elcano.subjects.research.agents.loop_context import WriterInput, build_research_task, needs_of, passages_of

INSTRUCTIONS: Final = f"""\
You write the report of a piece of research for the person who asked, from the passages in `evidence` alone.

{MARKS}\
- A citation names a passage by its key and quotes words of its `text` that support what stands before its mark: \
copied letter by letter, one run of words, a sentence or less, nothing added, left out or corrected. Together the \
quotes of a sentence must say all of it: give it a second mark where one does not suffice. Every quote is looked up; \
one that is not found is shown to the reader as unsupported.
- Say only what a passage supports, with its figures, dates and conditions. A “because”, a “most” and an “only” have \
to be in its words too.
- Where passages disagree, say so, cite both, and say which of them you would go by and why. Each of the envelope's \
`contradictions` is answered so in one paragraph or list item that cites both sides, in `disputed` or where its matter \
stands.

The introduction answers the question at once; what it concludes or sums up has marks, as anything else has. Key \
findings are a list of two to five, the most important first. Sections, each under a plain heading, give what stands \
behind them. In one sentence each, explain from the passages the methods and terms that the answer turns on: what is \
compared or recommended, how it works and what it is for.

State each result in full once; elsewhere refer to it in a few words. Leave out every part that would only repeat: key \
findings if the introduction says all of it, a section that only repeats a finding, `disputed` if nothing is, \
`strength` and `conclusion` if they add nothing. Unless `instructions` wish otherwise, a plain question is answered in \
200 to 500 words, and no answer takes more words than its content needs.

Cover what each of the envelope's `criteria` asks for, as far as passages give it. Limitations say, in sentences, \
which criteria are not met and what else the passages leave open. Put the keys of passages worth reading that you did \
not cite into `related`.

If the passages do not answer the question, set `answered` to false, say in the limitations what is missing, and name \
the nearest passages in `related`. That is a good report; a guess is not.
"""


OF_SECTION: Final = """\
What you write is the section of a larger report that has the `title` in the envelope: answer its question, and leave \
to the other sections what is not part of it.
"""


def list_needs(given: WriterInput) -> Needs:
    """All passages that may be cited."""
    return needs_of(given, searched=given.sources)


def build_task(given: WriterInput, loaded: Loaded) -> TaskEnvelope:
    """The question, all passages that fit, what the research made of them, and what the reader wants of the form."""
    task = build_research_task("writer", given, loaded)
    return task.model_copy(
        update={
            "instructions": given.instructions,
            "form": given.form or "open",
            "title": given.title,
            "conversation": tuple(filter(_says_something, map(_keep_notes, task.conversation))),
        }
    )


def _keep_notes(turn: PastIteration) -> PastIteration:
    """What was made of a turn, by its judge if it had one; without, what it was after too."""
    if turn.judgement:
        return PastIteration(number=turn.number, judgement=turn.judgement)
    return turn.model_copy(update={"searches": ()})


def _says_something(turn: PastIteration) -> bool:
    return bool(turn.judgement or turn.thought or turn.gaps)


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="writer",
    description="Writes the report, each statement with the words that support it.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Write the report for the question in this task envelope.",
        answer=ReportProse,
        shown=build_task,
        parts=(Part(OF_SECTION, lambda task: bool(task.title)), Part(WISHES, has_wishes)),
    ),
    input=WriterInput,
    output=DraftRef,
    starts="synthesizing",
    completes="synthesizing",
    output_tokens=4_000,
    evidence_tokens=24_000,
    manner="report",
    needs=list_needs,
    begins=lambda given: f"writing a report from {passages_of(given)}",
    summary=summarize_draft,
)
