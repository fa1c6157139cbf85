"""The writer agent: a report in claims, each with the literal words that support it.

It cites by the short keys of its prompt; `with_canonical_ids` turns them back. It numbers nothing.
"""

from collections.abc import Mapping

from pydantic_ai import Agent

from elcano.activities.agents.envelope import prompt
from elcano.activities.agents.loaded import Loaded
from elcano.graphs.catalogue.agents import WriterInput
from elcano.graphs.values.report import Claim, ReportDraft

INSTRUCTIONS = """\
You write the report of a piece of research for the person who asked. You are given the question and the passages \
that were found; they are all you may use.

The report is made of claims. A claim is a sentence or a short paragraph of Markdown that says one thing.
- Cite every claim. A citation names a passage by its key and quotes the words in it that support the claim.
- A quote is copied letter by letter from that passage's text, one run of words, nothing added, left out or \
corrected. Every quote is looked up; one that is not found is shown to the reader as unsupported. Keep quotes short: \
a sentence or less.
- Do not write keys, numbers in brackets or a list of references into the text; these are made from your citations.
- Where passages disagree, say so and cite both. Do not smooth it over.
- Do not claim what no passage supports, however well known it is.

Key findings answer the question itself, in two to five claims, the most important first. Sections, each under a plain \
heading, give what stands behind them; write none that only repeats a key finding. Limitations say, in sentences, what \
the passages leave open. Put the keys of passages worth reading that you did not cite into `related`.

If the passages do not answer the question, set `answered` to false, say in the limitations what is missing, and name \
the nearest passages in `related`. That is a good report; a guess is not.

Follow the envelope's `instructions` on length, tone and form where they do not conflict with these rules. Write in \
the language of the question. Leave `quoted` false.
"""

agent = Agent(name="writer", output_type=ReportDraft, instructions=INSTRUCTIONS, retries=2)


def show(given: WriterInput, loaded: Loaded) -> str:
    """The user prompt: the question, all passages that fit and what the reader wants of the form."""
    task = loaded.envelope("writer", given)
    task = task.model_copy(update={"instructions": given.instructions})
    return prompt("Write the report for the question in this task envelope.", task)


def with_canonical_ids(draft: ReportDraft, ids: Mapping[str, str]) -> ReportDraft:
    """`draft` with evidence ids for keys. A key that was never given stays, so that the check reports it."""

    def renamed(claim: Claim) -> Claim:
        citations = [
            cited.model_copy(update={"evidence": ids.get(cited.evidence, cited.evidence)}) for cited in claim.citations
        ]
        return claim.model_copy(update={"citations": tuple(citations)})

    sections = [
        section.model_copy(update={"claims": tuple(renamed(claim) for claim in section.claims)})
        for section in draft.sections
    ]
    return draft.model_copy(
        update={
            "key_findings": tuple(renamed(claim) for claim in draft.key_findings),
            "sections": tuple(sections),
            "related": tuple(ids[key] for key in draft.related if key in ids),
        }
    )
