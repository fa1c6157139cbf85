"""A rubric: by what a field of knowledge judges evidence, as data, and what a judge who goes by it has said.

Scores are from 0 to `SCALE`. What a judge says is held against its rubric by code: a score that the rubric does not
have, or that is off the scale, is no score, and what a rubric asks for at least is counted here, not by the judge.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Final, TypeAlias, TypeVar

from pydantic import Field, ValidationInfo, field_validator

from elcano.graphs.frozen import Frozen
from elcano.graphs.text import shorten_text

SCALE: Final = 10
MOST_SCORES: Final = 12
MOST_KINDS: Final = 8
MOST_NAMES: Final = 20
"""Names of one kind, in one answer."""
NAME_CHARACTERS: Final = 200
REASON_CHARACTERS: Final = 600
MOST_PASSAGES: Final = 8

RubricName: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,47}$", examples=["biomedical"])]
Line: TypeAlias = Annotated[str, Field(min_length=1, max_length=600, pattern=r"\S")]


class ScoreKind(Frozen):
    """One thing that is scored from 0 to 10."""

    name: RubricName
    meaning: Line
    """What it measures, and what a low, a middle and a high score mean."""
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


def apply_rubric(
    rubric: Rubric, scores: Iterable[Score], names: Iterable[NamesFound], ids: Mapping[str, str], unscored: str = ""
) -> RubricScores:
    """Check scores and names against `rubric`; `ids` maps the keys of the shown passages to their ids.

    A judge that says why it scores nothing lacks nothing: whether evidence is enough is then judged without the rubric.
    """
    said = list(scores)
    if unscored and not said:
        return RubricScores(rubric=rubric.name, unscored=shorten_text(unscored, REASON_CHARACTERS))
    kept: list[Score] = []
    lacking: list[str] = []
    for kind in rubric.scores:
        given = [one for one in said if _key_from_name(one.name) == kind.name]
        sound = next((one for one in given if 0 <= one.score <= SCALE), None)
        if sound is None:
            off = f"{kind.name} has the score {given[0].score:g}, off the scale of 0 to {SCALE}" if given else ""
            lacking.append(off or f"{kind.name} has no score")
            continue
        kept.append(_by_ids(sound, kind.name, ids))
        if sound.score < kind.least:
            lacking.append(f"{kind.name} has {sound.score:g} of the {kind.least} that it needs")
    total = sum(one.score for one in kept)
    if total < rubric.least_total:
        lacking.append(f"the scores make {total:g} of the {rubric.least_total} that are needed")
    found = _collect_names(rubric.names, list(names))
    counts = {one.kind: len(one.names) for one in found}
    for name in rubric.names:
        if counts.get(name.name, 0) < name.least:
            lacking.append(f"{counts.get(name.name, 0)} of {name.least} {name.name} are named")
    return RubricScores(rubric=rubric.name, scores=tuple(kept), names=found, lacking=tuple(lacking))


def _collect_names(kinds: Sequence[NameKind], said: Sequence[NamesFound]) -> tuple[NamesFound, ...]:
    """Names of the kinds that there are, each once, none empty."""
    found = []
    for kind in kinds:
        all_names = (
            " ".join(name.split()) for one in said if _key_from_name(one.kind) == kind.name for name in one.names
        )
        once: dict[str, str] = {}
        for name in filter(None, all_names):
            once.setdefault(name.casefold(), shorten_text(name, NAME_CHARACTERS))
        if once:
            found.append(NamesFound(kind=kind.name, names=tuple(once.values())[:MOST_NAMES]))
    return tuple(found)


def _by_ids(score: Score, name: str, ids: Mapping[str, str]) -> Score:
    evidence = tuple(dict.fromkeys(ids[key] for key in score.evidence if key in ids))[:MOST_PASSAGES]
    reason = shorten_text(" ".join(score.reason.split()), REASON_CHARACTERS)
    return score.model_copy(update={"name": name, "reason": reason, "evidence": evidence})


def _key_from_name(name: str) -> str:
    """A name as a model may spell it: `Clinical evidence` for `clinical_evidence`."""
    return "_".join(name.casefold().replace("-", " ").replace("_", " ").split())


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
