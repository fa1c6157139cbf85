"""The output of a model that writes: Markdown with marks, and the citations that the marks stand for.

A model sees and fills texts. Whoever quotes word for word and writes nothing of its own, as the extractive model does,
answers with claims in their place, whose citations support them whole; the schema that models see does not show that.
"""

from typing import Any, Final, Self, TypeAlias

from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from elcano.graphs.frozen import Frozen
from elcano.graphs.report.draft import Citation, Claim

Prose: TypeAlias = str | SkipJsonSchema[tuple[Claim, ...]]
"""Markdown with marks; or claims, as they are."""

MOST_CHARACTERS: Final = 400_000
"""Of one text: some 60,000 words, more than any model writes in an answer, and what can be read in a few seconds."""
_CITATIONS: Final = (
    "What the marks stand for, each mark once: `mark` as it stands in the texts, without brackets; `evidence` the key "
    "of a passage; `quote` the literal words of that passage."
)


class _Answer(Frozen):
    """A model's answer, parsed leniently: a null counts as the default of its field."""

    @model_validator(mode="before")
    @classmethod
    def _as_meant(cls, given: Any) -> Any:
        """`given` without nulls, and with claims as its text, as answers had them that are older."""
        if not isinstance(given, dict):
            return given
        renamed = "claims" in given and "text" not in given and "text" in cls.model_fields
        said = {"text" if renamed and name == "claims" else name: value for name, value in given.items()}
        return {name: value for name, value in said.items() if value is not None}

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        """Refuses a text too long for any reader. Not in the schema: some providers want that without bounds."""
        for name in type(self).model_fields:
            text = getattr(self, name)
            if isinstance(text, str) and len(text) > MOST_CHARACTERS:
                raise ValueError(
                    f"`{name}` has {len(text):,} characters, and {MOST_CHARACTERS:,} are taken: write less"
                )
        return self


class SectionProse(_Answer):
    """One section of a report that is written in one answer."""

    heading: str = Field(min_length=1, description="Its heading, in plain words.")
    text: Prose = Field(default="", description="The section in Markdown with marks, without its heading.")


class ReportProse(_Answer):
    """A whole report, written in one answer."""

    title: str = Field(min_length=1)
    introduction: Prose = Field(
        default="", description="A paragraph or two of Markdown with marks: the answer to the question, at once."
    )
    key_findings: Prose = Field(
        default="", description="The few findings that matter most as a Markdown list with marks; may be empty."
    )
    sections: tuple[SectionProse, ...] = ()
    disputed: Prose = Field(default="", description="Where the passages disagree, with marks; empty if nowhere.")
    strength: Prose = Field(default="", description="How strong the evidence is and why, with marks; may be empty.")
    conclusion: Prose = Field(default="", description="What follows for the person who asked, with marks.")
    limitations: tuple[str, ...] = Field(default=(), description="What the passages leave open, in sentences.")
    related: tuple[str, ...] = Field(default=(), description="Keys of passages worth reading that are not cited.")
    answered: bool = Field(default=True, description="False if the passages do not answer the question.")
    citations: tuple[Citation, ...] = Field(default=(), description=_CITATIONS)


class SectionText(_Answer):
    """One section of a long report, written."""

    # It is kept between attempts of its call; one that was kept before texts were Markdown has `claims`.

    text: Prose = Field(default="", description="The section in Markdown with marks, without its heading.")
    citations: tuple[Citation, ...] = Field(default=(), description=_CITATIONS)


class Summary(_Answer):
    """What stands above and below the sections of a long report."""

    introduction: Prose = Field(
        default="", description="A paragraph or two of Markdown with marks: the answer to the question, at once."
    )
    key_findings: Prose = Field(
        default="", description="The few findings that matter most as a Markdown list with marks; may be empty."
    )
    disputed: Prose = Field(default="", description="Where the sections disagree, with marks; empty if nowhere.")
    strength: Prose = Field(default="", description="How strong the evidence is and why, with marks; may be empty.")
    conclusion: Prose = Field(default="", description="What follows for the person who asked, with marks.")
    limitations: tuple[str, ...] = Field(
        default=(), max_length=40, description="What the sections leave open, in sentences."
    )
    answered: bool = Field(default=True, description="False if the sections do not answer the question.")
    citations: tuple[Citation, ...] = Field(default=(), description=_CITATIONS)
