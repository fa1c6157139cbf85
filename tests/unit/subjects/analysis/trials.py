"""Made-up trials: what they report, in words that a passage could have, and the measurements that fit."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final

from elcano.graphs.report.works import Work
from elcano.storage.evidence import Evidence
from elcano.subjects.analysis.analysis import Analysis, Group, Measurement, Reported, TestedHypothesis
from elcano.subjects.analysis.tool_specs import AnalyzeInput

COUNTS: Final = (
    (12, 45, 20, 44),
    (5, 100, 9, 98),
    (30, 250, 41, 248),
    (3, 30, 2, 31),
    (22, 150, 25, 149),
    (8, 60, 15, 62),
    (14, 120, 13, 119),
    (40, 400, 66, 405),
)
"""Deaths and people with the drug, deaths and people with placebo, of eight trials that never were."""
DRUG_LOWERS_DEATH: Final = TestedHypothesis(
    statement="The drug lowers mortality.", outcome="death", first="drug", second="placebo", expects="lower"
)


def passage(name: str, text: str, work: Work | None = None) -> Evidence:
    content = sha256(text.encode()).hexdigest()
    return Evidence(
        id=f"trials:{name}",
        source="trials",
        document=f"trials:{name}",
        content_hash=content,
        title=f"Trial {name}",
        locator=name,
        text=text,
        start=0,
        end=len(text),
        work=work,
    )


def sentence(a: float, n: float, b: float, m: float) -> str:
    return f"Death occurred in {a:g} of {n:g} patients in the drug group and in {b:g} of {m:g} in the placebo group."


def counts(name: str, a: float, n: float, b: float, m: float, quote: str = "") -> Measurement:
    return Measurement(
        evidence=f"trials:{name}",
        outcome="death",
        reports="counts",
        first=Group(name="drug", events=a, size=n),
        second=Group(name="placebo", events=b, size=m),
        quote=quote or sentence(a, n, b, m),
    )


def estimate(name: str, reports: Reported, value: float, begin: float, end: float, /, **more: object) -> Measurement:
    said = {
        "evidence": f"trials:{name}",
        "outcome": "death",
        "reports": reports,
        "value": value,
        "low": begin,
        "high": end,
        "first": {"name": "drug"},
        "second": {"name": "placebo"},
        "quote": f"{value} (95 % CI {begin} to {end})",
    }
    return Measurement.model_validate({**said, **more})


def pain() -> Iterator[Measurement]:
    """Means of pain on two scales, of four trials that never were."""
    trials = ((32.1, 9.5, 40, 41.0, 10.4, 41), (4.2, 1.6, 55, 5.0, 1.7, 53), (28.5, 11.0, 12, 33.9, 9.2, 11))
    for at, (mean, sd, size, other, spread, many) in enumerate((*trials, (3.9, 1.1, 80, 5.1, 1.4, 78))):
        yield Measurement(
            evidence=f"trials:{at}",
            outcome="pain",
            reports="means",
            unit=("mm", "points")[at % 2],
            first=Group(name="exercise", mean=mean, sd=sd, size=size),
            second=Group(name="usual care", mean=other, sd=spread, size=many),
            quote=f"{mean} (SD {sd}), n = {size}, with exercise and {other} (SD {spread}), n = {many}, with usual care",
        )


def eight() -> tuple[list[Measurement], list[Evidence]]:
    measurements = [counts(str(number), *trial) for number, trial in enumerate(COUNTS)]
    return measurements, [passage(str(number), sentence(*trial)) for number, trial in enumerate(COUNTS)]


def of(measurements: Sequence[Measurement], hypotheses: Sequence[TestedHypothesis] = ()) -> Analysis:
    """The analysis of measurements whose passages say just what they quote."""
    from elcano.subjects.analysis.statistics.meta_analysis import run_meta_analysis

    passages = [passage(one.evidence.removeprefix("trials:"), one.quote) for one in measurements]
    given = AnalyzeInput(question="Q?", hypotheses=tuple(hypotheses), measurements=tuple(measurements))
    return run_meta_analysis(given, passages)
