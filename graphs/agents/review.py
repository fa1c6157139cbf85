"""The agents of the kernel: the reviewer of drafts, and the reviser of blocks that the review doubts.

The reviewer reads each statement of a draft against its quotes, and says what these support. It is called in batches,
within the call of the agent that wrote the draft. It sees no passage but the quotes and their context: what a reader is
shown as support has to be support. The writer then fixes, once, the blocks that do not hold.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Final, Literal

from elcano.graphs.agents.definition import AgentDefinition, Part, Question
from elcano.graphs.agents.envelope import EvidenceItem, Loaded, TaskEnvelope
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.report.report import Citation
from elcano.graphs.text import ensure_list, format_count

MOST_REASON_CHARACTERS: Final = 300
NOTHING_BEFORE: Final = "-"


class ReviewedStatement(Frozen):
    """One statement as the reviewer is shown it."""

    id: int
    statement: str
    context: str = ""
    """For a table cell: its row and its column."""
    before: str = ""
    """The sentence before it in the report; a prompt has it where it is not the statement that is shown before it."""
    inferred: bool = False
    """Whether it declares itself a conclusion from its quotes."""
    unmarked: bool = False
    """Whether it cites nothing; its quotes are those of the text around it, which a prompt shows there alone."""
    works: tuple[str, ...] = ()
    """Titles of the works that are quoted; a prompt has them once, under short names."""
    quotes: tuple[str, ...] = ()
    quote_context: tuple[str, ...] = ()
    """For each of `quotes` the sentence that precedes it if it begins with `it`, `this` and the like, or how its
    sentence begins if it is a part; empty if neither. Without any of them none."""
    cells: tuple[str, ...] = ()
    """Cells of quoted tables with a figure of the statement, or in a column that it names: `row; column: text`."""


class ReviewedQuote(Frozen):
    """A quote of a table's cells."""

    cells: str = ""
    """The numbers of the cells that cite it, as `2-7, 9`."""
    quote: str
    work: str = ""
    """The title of the work that is quoted."""
    context: str = ""
    """The sentence that precedes a quote that begins with `it`, `this` and the like; of the first row that is quoted of
    a table whose columns are not known, what precedes it, which has the heads."""
    places: tuple[str, ...] = ()
    """Cells of the quoted table that have a figure of these cells: `row; column: text`."""


class ReviewedTable(Frozen):
    """A table of the report as the reviewer is shown it."""

    id: int
    table: str
    """In Markdown; `{7}` stands before the words of the cell with the number 7."""
    before: str = ""
    """The sentence or caption above it."""
    inferred: str = ""
    """The numbers of cells that declare themselves conclusions from their quotes."""
    quotes: tuple[ReviewedQuote, ...] = ()


class ReviewerInput(AgentInput):
    """A batch of statements and tables."""

    statements: tuple[ReviewedStatement, ...] = ()
    tables: tuple[ReviewedTable, ...] = ()


class StatementVerdict(Frozen):
    """The verdict on one statement, table or cell by its quotes."""

    id: int
    support: Literal["supported", "partly", "not_supported"]
    reason: str = ""


class ReviewVerdicts(Frozen):
    """The verdicts on a batch, each statement, table or doubted cell once."""

    verdicts: tuple[StatementVerdict, ...] = ()


REVIEW_INSTRUCTIONS: Final = """\
You check whether the words that each statement of a report quotes from its sources support it.

- `supported`: a careful reader of the quotes agrees with all of the statement. `partly`: they support one part of it \
and not another. `not_supported`: they are about something else, say the opposite, or leave it open.
- Judge by the quotes alone, not by what you know. The question, the sentence `before` (left out: the statement \
above) and the `context` of a cell (row and column) tell what “it”, “both” or a bare figure refers to; `works` (titles \
in `given.works`) and `quote_context` (the words before each of `quotes`) what a quote is about.
- Look at directions (rose, fell), negations, certainty (may, does), who and how many were studied, and what was \
compared with what. Saying it in other words, less of it or more carefully is fine; going further than the quotes is \
not.
- A footnote number glued to a word (“GPT-43” for “GPT-4”) or a missing space, as PDFs have them, is no difference.

The task is a JSON envelope. Give one verdict for each statement and table, by its number; if it is not `supported`, \
say what is missing or wrong in a few words, in the language of the statement.
"""
OF_CELLS: Final = """
- `cells` are those of the quoted table that matter, as `row; column: text`. A figure of another row or column than \
the statement means is `not_supported`, though the quote has it.
"""
OF_TABLES: Final = """
- `tables` are tables of the report; `{7}` stands before the words of cell 7. Each of `quotes` has the `cells` that \
cite it, its `work`, its `places` in a table of the source, as `row; column: text`, and as `context` what precedes it \
there, such as the heads of columns. Check each cell against its row and its column. `supported` for a table says that \
all numbered cells hold but those with a verdict of their own: give one, by its number, for each that does not.
"""
OF_INFERENCES: Final = """
- A statement that is `inferred` is supported if it follows from its quotes as a careful reader would conclude.
"""
OF_UNMARKED: Final = """
- A statement that is `unmarked` cites nothing; its quotes are those of the statements around it. It is `supported` if \
it only introduces or connects, says that nothing was found, or repeats what they say; a fact about the subject that \
they do not have is `not_supported`.
"""


def _has_field(name: str) -> Callable[[TaskEnvelope], bool]:
    """Whether a statement or table of a task has the field."""

    def applies(task: TaskEnvelope) -> bool:
        shown = (*ensure_list(task.given.get("statements")), *ensure_list(task.given.get("tables")))
        return any(isinstance(one, dict) and name in one for one in shown)

    return applies


def build_review_task(given: ReviewerInput, loaded: Loaded) -> TaskEnvelope:
    """The question, the statements and the tables."""
    quoted = {quote for one in given.statements if not one.unmarked for quote in one.quotes}
    shown = list(given.statements[:1])
    for above, one in pairwise(given.statements):
        before = "" if one.before == above.statement else one.before or NOTHING_BEFORE
        shown.append(one.model_copy(update={"before": before}))
    repeated = {"quotes": (), "works": (), "quote_context": ()}
    shown = [one.model_copy(update=repeated) if one.unmarked and quoted >= {*one.quotes} else one for one in shown]
    titles = dict.fromkeys(
        (
            *(title for one in shown for title in one.works),
            *(quote.work for one in given.tables for quote in one.quotes if quote.work),
        )
    )
    names = {title: f"w{number}" for number, title in enumerate(titles, start=1)} | {"": ""}
    shown = [one.model_copy(update={"works": tuple(names[title] for title in one.works)}) for one in shown]
    data: JsonObject = {
        "works": {names[title]: title for title in titles},
        "statements": [one.model_dump(mode="json", exclude_defaults=True) for one in shown],
    }
    if given.tables:
        tables = [
            one.model_copy(
                update={"quotes": tuple(each.model_copy(update={"work": names[each.work]}) for each in one.quotes)}
            )
            for one in given.tables
        ]
        data["tables"] = [one.model_dump(mode="json", exclude_defaults=True) for one in tables]
    return loaded.envelope("reviewer", given).model_copy(update={"given": data})


def summarize_verdicts(output: JsonObject) -> tuple[str, JsonObject]:
    """Count the statements that hold."""
    verdicts = [one for one in ensure_list(output.get("verdicts")) if isinstance(one, dict)]
    held = sum(one.get("support") == "supported" for one in verdicts)
    return f"{held} of {format_count(len(verdicts), 'statement')} are supported", {
        "supported": held,
        "read": len(verdicts),
    }


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="reviewer",
    description="Reads each statement against the words that it quotes.",
    asks=Question(
        instructions=REVIEW_INSTRUCTIONS,
        request="Say of each statement and table in this task envelope whether its quotes support it.",
        answer=ReviewVerdicts,
        shown=build_review_task,
        passages=False,
        rules="",
        parts=(
            Part(OF_CELLS, _has_field("cells")),
            Part(OF_TABLES, lambda task: "tables" in task.given),
            Part(OF_INFERENCES, _has_field("inferred")),
            Part(OF_UNMARKED, _has_field("unmarked")),
        ),
    ),
    input=ReviewerInput,
    output=ReviewVerdicts,
    starts="synthesizing",
    completes="synthesizing",
    output_tokens=1_500,
    begins=lambda given: f"reviewing {format_count(len(ensure_list(given.get('statements'))), 'statement')}",
    summary=summarize_verdicts,
)


class DoubtedBlock(Frozen):
    """One block of the draft, with the faults that the review found in it."""

    id: int
    text: str
    citations: tuple[Citation, ...] = ()
    """Citations of its faulty sentences, their evidence by key."""
    faults: tuple[str, ...] = ()


class ReviserInput(AgentInput):
    """The blocks that are to be mended, and the passages that they cite."""

    blocks: tuple[DoubtedBlock, ...] = ()
    passages: tuple[EvidenceItem, ...] = ()


class RevisedBlock(Frozen):
    """One block, mended."""

    id: int
    text: str = ""
    citations: tuple[Citation, ...] = ()


class Revision(Frozen):
    """The blocks that were mended; one that is not named stays as it is."""

    blocks: tuple[RevisedBlock, ...] = ()


REVISION_INSTRUCTIONS: Final = """\
Mend the blocks of a report that you wrote, given in a JSON envelope with their `faults`, and with the citations and \
passages of their faulty sentences. For each fault quote the words that support the sentence, say less, or leave the \
sentence out. Keep every sentence without a fault as it is, with its marks, and add only what a fault asks for. A \
block without a text is new: write what its fault asks for. Answer with these blocks alone, each under its number; if \
every sentence of a block has to go, its text is empty.

- The text is Markdown. Behind every sentence, list item and table cell that says what a passage says stands the mark \
of its citation: `Both trials agree [a, b].`; behind what you conclude: `[from a, b]`. It covers no other sentence. A \
sentence without a mark states no fact about the subject.
- A citation has its mark, the key of a passage and words copied from its `text` letter by letter; a mark for which \
you give none keeps the one that it has. Where a fault names the nearest words of a passage, quote those if they say \
what the sentence says. Of longer passages `text` has the sentences closest to the blocks, joined by “[…]”.

Write in the language of the block; quotations stay in that of the passage.
"""


def build_revision_task(given: ReviserInput, loaded: Loaded) -> TaskEnvelope:
    """The blocks and the passages."""
    data: JsonObject = {"blocks": [one.model_dump(mode="json", exclude_defaults=True) for one in given.blocks]}
    return loaded.envelope("reviser", given).model_copy(update={"given": data, "evidence": given.passages})


REVISION: Final = Question(
    instructions=REVISION_INSTRUCTIONS,
    request="Mend the blocks in this task envelope.",
    answer=Revision,
    shown=build_revision_task,
    rules="",
)
