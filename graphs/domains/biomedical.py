"""The rubric of questions of medicine: DeepCritical's two scores, what they have to reach, and named interventions."""

from typing import Final

from elcano.graphs.values.rubric import NameKind, Rubric, ScoreKind

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
