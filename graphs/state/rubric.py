"""A rubric: by what a field of knowledge judges evidence, as data, and what a judge who goes by it has said.

Scores are from 0 to `SCALE`. What a judge says is held against its rubric by code: a score that the rubric does not
have, or that is off the scale, is no score, and what a rubric asks for at least is counted, not judged (the agent
`judge`).
"""

from collections.abc import Mapping
from typing import Annotated, Final, TypeAlias, TypeVar

from pydantic import Field, ValidationInfo, field_validator

from elcano.graphs.frozen import Frozen

SCALE: Final = 10
MOST_SCORES: Final = 12
MOST_KINDS: Final = 8
MOST_NAMES: Final = 20
"""Names of one kind, in one answer."""
NAME_CHARACTERS: Final = 200
REASON_CHARACTERS: Final = 600

RubricName: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,47}$", examples=["biomedical"])]
Line: TypeAlias = Annotated[str, Field(min_length=1, max_length=600, pattern=r"\S")]


class ScoreKind(Frozen):
    """One thing that is scored from 0 to 10."""

    name: RubricName
    meaning: Line
    """Meaning of the criterion, and of a low, a middle and a high score."""
    least: int = Field(default=0, ge=0, le=SCALE)
    """The score below which the evidence is not enough."""


class NameKind(Frozen):
    """Things of one kind that the judge is to name, as interventions."""

    name: RubricName
    meaning: Line
    least: int = Field(default=0, ge=0, le=MOST_NAMES)
    """The number of names below which the evidence is not enough."""


Kind = TypeVar("Kind", ScoreKind, NameKind)


class Rubric(Frozen):
    """The rubric by which the judge of one field scores evidence."""

    name: RubricName
    description: Line
    """The questions that it is for: the agent that reads the question chooses by this."""
    scores: tuple[ScoreKind, ...] = Field(default=(), max_length=MOST_SCORES)
    names: tuple[NameKind, ...] = Field(default=(), max_length=MOST_KINDS)
    least_total: int = Field(default=0, ge=0)
    """The sum of scores below which the evidence is not enough."""
    sufficient: str = Field(default="", max_length=1_000)
    """Further conditions for writing a report, in words."""
    instructions: str = Field(default="", max_length=4_000)
    """Further instructions for the judge."""

    @field_validator("scores", "names")
    @classmethod
    def _refuse_twins(cls, kinds: tuple[Kind, ...], field: ValidationInfo) -> tuple[Kind, ...]:
        said = [one.name for one in kinds]
        if twice := sorted({name for name in said if said.count(name) > 1}):
            raise ValueError(f"{field.field_name} have to differ by name; there are several of: {', '.join(twice)}")
        return kinds

    @field_validator("least_total")
    @classmethod
    def _refuse_unreachable_total(cls, total: int, so_far: ValidationInfo) -> int:
        scores = so_far.data.get("scores")
        if scores is not None and total > SCALE * len(scores):
            raise ValueError(f"least_total is {total}, and {len(scores)} scores make at most {SCALE * len(scores)}")
        return total


class OfferedDomain(Frozen):
    """A rubric that can be chosen."""

    name: str
    description: str = ""


class Score(Frozen):
    """A judge's score for one item of its rubric."""

    name: str = Field(max_length=100, description="The name of the score in the rubric.")
    score: float = Field(allow_inf_nan=False, description=f"From 0 to {SCALE}.")
    reason: str = Field(description="Why, in one or two sentences that name passages.")
    evidence: tuple[str, ...] = Field(default=(), description="Keys of the passages that it rests on, the best first.")


class NamesFound(Frozen):
    """The names of one kind that a judge found."""

    kind: str = Field(max_length=100, description="The name of the kind in the rubric.")
    names: tuple[str, ...] = Field(default=(), description="Each as the passages write it.")


class RubricScores(Frozen):
    """A judge's result by its rubric, as far as it is valid."""

    rubric: str
    scores: tuple[Score, ...] = ()
    """The scores of the rubric, in its order."""
    names: tuple[NamesFound, ...] = ()
    unscored: str = ""
    """Why nothing is scored, of a judge that cannot."""
    lacking: tuple[str, ...] = ()
    """Requirements of the rubric that are not met, in words."""


BIOMEDICAL: Final = Rubric(
    name="biomedical",
    description=(
        "Whether, how or for whom an intervention works on a disease or on health: drugs, devices, procedures, "
        "diets, vaccines, their effects, harms and mechanisms."
    ),
    scores=(
        ScoreKind(
            name="mechanism",
            meaning=(
                "How well the way is explained by which the intervention would work. 0 to 3: no way is named, or it "
                "is a guess; 4 to 6: a target or pathway is named, with gaps; 7 to 10: the way from the intervention "
                "to its effect is shown, measured in cells, animals or people."
            ),
        ),
        ScoreKind(
            name="clinical_evidence",
            meaning=(
                "How strong the evidence is in people. 0 to 3: none, case reports, or animals and cells alone; 4 to 6: "
                "observational studies, small or early trials; 7 to 10: large randomised trials, or meta-analyses of "
                "them, that agree."
            ),
        ),
    ),
    names=(
        NameKind(
            name="interventions",
            meaning="The drugs, devices or procedures that a passage itself names and says something of.",
            least=1,
        ),
    ),
    least_total=12,
    sufficient="A passage gives a reason, in terms of mechanism, why an intervention that is named would work.",
    instructions=(
        "Score what the passages show, not what is known otherwise. Evidence against an effect is evidence: a large "
        "trial that finds none scores as high as one that finds one. A preprint or a retracted work does not carry a "
        "high score alone. Say for which patients, dose and outcome the evidence is, where the question names them."
    ),
)
"""The two scores together have to make 12 of 20, with at least one intervention named, as the original judged."""

GENERAL: Final = "general"
"""Names the judge of every field, which goes by no rubric."""

DOMAINS: Final[Mapping[str, Rubric]] = {rubric.name: rubric for rubric in (BIOMEDICAL,)}
"""The built-in ones, by name."""
