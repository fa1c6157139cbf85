"""What makes a good report of each form. Planners and writers get it in a paragraph above the task.

Only what the form asks for is said here; how text, tables and citations are written is said once, to whoever writes.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

from elcano.graphs.values.form import ReportForm

ShownForm: TypeAlias = ReportForm | Literal["", "open"]
"""What an envelope says of the form. Empty: the agent has nothing to do with it. `open`: nobody has said which one it
is, so the agent chooses."""

HEADING: Final = "## The form of the report"

FORMS: Final[Mapping[ReportForm, str]] = {
    "plain": "A direct answer: first what was asked, then what it rests on, then what limits it. No more headings "
    "than the answer has parts.",
    "comparison": "A comparison: first which one suits whom, and by what that is decided. One table with a row for "
    "each criterion and a column for each thing compared, every cell a fact of the same kind and unit, and “not "
    "stated” where no passage says. Then, for each difference that matters, what follows from it. The same is asked "
    "of every thing, the weaker ones included.",
    "how_to": "Instructions: first the result and what is needed for it (versions, rights, material). Then numbered "
    "steps in the order in which they are done, one action each, with the command or the figure as the source has "
    "it. Then how one sees that it worked, and what goes wrong most often. What cannot be undone is said before its "
    "step.",
    "overview": "An overview: first what the field is and where it stands, in a paragraph. Then its parts by "
    "subject, not by source, each with its main facts and an example; a table where several things share the same "
    "properties. Then what is settled, what is disputed and what nobody has studied.",
    "yes_no": "A yes-or-no question: the first sentence says yes, no, or that the evidence does not decide it, and "
    "how sure that is. Then the strongest evidence for it, then the strongest against it, then under which "
    "conditions the answer would be another.",
    "review": "A review of studies: first what they find together, with sizes of effects and their ranges. One table "
    "of the studies: design, subjects and their number, what was done, what was measured, result. Then where they "
    "agree, where they differ and why (design, population, dose, time), how strong the whole is, and what is "
    "missing.",
    "timeline": "A course of events: first where things stand now. Then a table or list by date, oldest first, with "
    "the date as exact as the source has it, what happened and who did it. Then what led to what, kept apart from "
    "what only came after. Dates on which sources differ are named as such.",
}


def render_form_guidance(form: ShownForm) -> str:
    """Return the guidance for a form, to go above the task; empty if there is none."""
    if not form:
        return ""
    if form != "open":
        return f"{HEADING}\n\n{FORMS[form]}"
    listed = "\n".join(f"- `{name}`: {FORMS[name]}" for name in get_args(ReportForm))
    return f"{HEADING}\n\nTake the one of these that fits the question; where none does, `plain`.\n\n{listed}"
