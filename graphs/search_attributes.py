"""The search attributes by which runs and sections are found in Temporal, all names in one table.

A database of Temporal has columns for ten keywords and three of each other type in a namespace. Texts are keywords:
Temporal's PostgreSQL long took the type Text unchanged for a search vector, and refused a question with a colon.
"""

import re
from typing import Final, Literal

from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.budget import usd_from_microusd
from elcano.graphs.text import shorten_text

QUESTION_ATTRIBUTE: Final = "ElcanoQuestion"
SECTION_ATTRIBUTE: Final = "ElcanoSection"
RUN_ATTRIBUTE: Final = "ElcanoRun"
MODE_ATTRIBUTE: Final = "ElcanoMode"
TENANT_ATTRIBUTE: Final = "ElcanoTenant"
STAGE_ATTRIBUTE: Final = "ElcanoStage"
WAITING_ATTRIBUTE: Final = "ElcanoWaiting"
OUTCOME_ATTRIBUTE: Final = "ElcanoOutcome"
TOKENS_ATTRIBUTE: Final = "ElcanoTokens"
COST_ATTRIBUTE: Final = "ElcanoCostUsd"
SEARCH_ATTRIBUTES: Final[dict[str, Literal["Keyword", "Int", "Double"]]] = {
    QUESTION_ATTRIBUTE: "Keyword",  # the beginning of what is asked, of a section of what it asks
    SECTION_ATTRIBUTE: "Keyword",  # the title; of sections alone
    RUN_ATTRIBUTE: "Keyword",  # id of the run that somebody asked for, of its sections too
    MODE_ATTRIBUTE: "Keyword",
    TENANT_ATTRIBUTE: "Keyword",
    STAGE_ATTRIBUTE: "Keyword",  # a `Stage`
    WAITING_ATTRIBUTE: "Keyword",  # a `HoldReason`; only while the run waits
    OUTCOME_ATTRIBUTE: "Keyword",  # a `RunStatus`; once the run has ended
    TOKENS_ATTRIBUTE: "Int",  # used so far: as of the last change of the others, or of a further quarter of the limit
    COST_ATTRIBUTE: "Double",  # the same in US dollars
}
"""The namespace must know all of them, with these types: the worker sees to it."""
QUESTION_CHARACTERS: Final = 600
"""Maximum length of a question in Markdown."""
LABEL_CHARACTERS: Final = 160
"""Maximum length of a question or title. Temporal allows a value 2 KiB, in which the rarest characters take 12 bytes
each, and its databases 255 characters."""

_SIGNS: Final = re.compile(r"([\\`*_\[\]#!|<>~])")


HIDDEN: Final = "(encrypted)"
"""The question and the title of a section if payloads are encrypted: Temporal keeps search attributes in clear."""


def at_start(asked: ResearchInput) -> dict[str, str]:
    """The search attributes, all keywords, with which a run or a section begins: a child inherits none."""
    branch = asked.branch_of
    labels = {
        QUESTION_ATTRIBUTE: HIDDEN if asked.confidential else format_label(asked.question),
        RUN_ATTRIBUTE: branch.run_id if branch else asked.run_id,
        MODE_ATTRIBUTE: asked.mode,
        TENANT_ATTRIBUTE: asked.tenant,
        STAGE_ATTRIBUTE: "researching",
    }
    if branch is None:
        return labels
    return labels | {SECTION_ATTRIBUTE: HIDDEN if asked.confidential else format_label(branch.section)}


def describe_workflow(asked: ResearchInput) -> str:
    """Describe the purpose of a run or section in Markdown, for display in the Temporal UI."""
    limits, branch = asked.limits, asked.branch_of
    money = f", ${usd_from_microusd(limits.cost_microusd):g}" if limits.cost_microusd is not None else ""
    lines = []
    if format_label(asked.question) != asked.question:  # else the workflow's summary has all of it
        lines += [escape_markdown_line(asked.question, QUESTION_CHARACTERS), ""]
    if branch is not None:
        lines.append(
            f"- {escape_markdown_line(branch.part)} **{escape_markdown_line(branch.section)}** of `{branch.run_id}`"
        )
    lines.append(f"- {asked.mode}, at most {limits.tokens:,} tokens{money}, {limits.seconds:g} s")
    lines.append(f"- searches {', '.join(f'`{name}`' for name in asked.sources) or 'nothing'}")
    if asked.address:
        lines.append(f"- [the run in the API]({asked.address}), [its report]({asked.address}/report) once it has ended")
    return "\n".join(lines)


def escape_markdown_line(text: str, most: int = LABEL_CHARACTERS) -> str:
    """Escape a text as one line in which nothing is Markdown."""
    return _SIGNS.sub(r"\\\1", shorten_text(" ".join(text.split()), most))


def format_label(text: str) -> str:
    """Format a text as one line that fits into a search attribute."""
    line = "".join(sign if sign.isprintable() else " " for sign in text)
    return shorten_text(" ".join(line.split()), LABEL_CHARACTERS)
