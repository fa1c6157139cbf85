"""What counts, what is left out and why, what is never pooled, and what becomes of a hypothesis."""

import pytest

from elcano.graphs.report.works import Identifiers, Work
from elcano.subjects.analysis.analysis import Group, Measurement
from elcano.subjects.analysis.tool_specs import AnalyzeInput
from tests.unit.subjects.analysis.trials import (
    COUNTS,
    DRUG_LOWERS_DEATH,
    counts,
    eight,
    estimate,
    of,
    passage,
    sentence,
)


def reason(one: Measurement) -> str:
    """Why it is left out, next to one that counts."""
    found = of([one, counts("sound", 12, 45, 20, 44)])
    (left,) = found.left_out
    assert left.quote == one.quote
    assert found.left_out_count == 1
    return left.reason


def test_a_changed_number_in_one_quote_is_caught_and_left_out() -> None:
    from elcano.subjects.analysis.statistics.meta_analysis import run_meta_analysis

    measurements, passages = eight()
    changed = measurements[2].model_copy(update={"quote": measurements[2].quote.replace("41", "14")})
    changed = changed.model_copy(update={"second": Group(name="placebo", events=14, size=248)})
    given = AnalyzeInput(measurements=(*measurements[:2], changed, *measurements[3:]))
    found = run_meta_analysis(given, passages)
    (left,) = found.left_out
    assert left.evidence == "trials:2"
    assert left.reason == "its quote is not in its passage"
    assert found.pools[0].count == 7
    assert "trials:2" not in found.evidence


def test_a_number_that_is_not_in_its_quote_is_named() -> None:
    quote = sentence(12, 45, 20, 44)
    assert reason(counts("x", 13, 45, 20, 44, quote)) == "the events of group 1 13 is not in its quote"


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (estimate("x", "odds_ratio", 1.45, 1.5, 1.92), "does not contain its estimate 1.45"),
        (estimate("x", "odds_ratio", 1.45, 1.92, 1.1), "its interval is reversed"),
        (estimate("x", "odds_ratio", -1.45, -1.92, -1.1), "is not above 0"),
        (estimate("x", "correlation", 1.45, 1.1, 1.92), "not between -1 and 1"),
        (counts("x", 50, 45, 20, 44), "more events (50) than people (45)"),
        (counts("x", -12, 45, 20, 44), "is not a count"),
        (counts("x", 12.5, 45, 20, 44), "is not a count"),
        (counts("x", 0, 45, 0, 44), "so there is no ratio"),
        (estimate("x", "odds_ratio", 1.45, 1.1, 1.92, p=1.92), "not between 0 and 1"),
        (estimate("x", "odds_ratio", 1.45, 1.1, 1.92, low=None), "one end of its interval is missing"),
        (estimate("x", "odds_ratio", 1.45, 1.1, 1.92, low=None, high=None), "neither an interval nor an exact"),
        (estimate("x", "odds_ratio", 1.45, 1.1, 1.92, outcome=""), "which outcome"),
        (estimate("x", "odds_ratio", 1.45, 1.1, 1.92, first={}, second={}), "what was compared with what"),
        (estimate("x", "odds_ratio", 1.45, 1.1, 1.92, quote="1.45"), "the low 1.1 is not in its quote"),
        (estimate("x", "odds_ratio", 0.267, 0.2, 0.3, quote="26.7 % (95 % CI 20 to 30)"), "0.267 is not in"),
        (
            estimate("x", "odds_ratio", 26.7, 20, 30, quote="26.7 % (CI 20 to 30)"),
            "is a percentage in its quote",
        ),
        (estimate("gone", "odds_ratio", 1.45, 1.1, 1.92, evidence="elsewhere"), "not found in this run"),
    ],
)
def test_what_cannot_be_is_left_out_with_its_reason(one: Measurement, told: str) -> None:
    from elcano.subjects.analysis.statistics.meta_analysis import run_meta_analysis

    passages = [passage("x", one.quote), passage("sound", sentence(12, 45, 20, 44))]
    found = run_meta_analysis(AnalyzeInput(measurements=(one, counts("sound", 12, 45, 20, 44))), passages)
    (left,) = found.left_out
    assert told in left.reason


def test_a_percentage_that_contradicts_its_counts_is_caught() -> None:
    quote = "12 of 45 (36.7 %) with the drug and 20 of 44 with placebo"
    said = counts("x", 12, 45, 20, 44, quote)
    said = said.model_copy(update={"first": said.first.model_copy(update={"percent": 36.7})})
    assert reason(said) == "12 of 45 is 26.7 %, but its quote says 36.7 %"


def test_numbers_are_read_as_their_quote_writes_them() -> None:
    thousands = counts("x", 1_234, 5_000, 1_100, 5_010, "1,234 of 5,000 with the drug, 1100 of 5 010 with placebo")
    comma = estimate("y", "risk_ratio", 0.85, 0.7, 0.99, quote="RR 0,85 (95 % CI 0,70\u20130,99)")
    minus = estimate("z", "mean_difference", -0.5, -0.9, -0.1, quote="MD \u22120.5 (95% CI, \u22120.9 to \u22120.1)")
    assert not of([thousands, comma, minus]).left_out


def test_zero_events_in_one_group_are_corrected_and_said() -> None:
    found = of([counts("x", 0, 45, 4, 44), counts("y", 12, 45, 20, 44)])
    row = next(row for row in found.pools[0].studies if row.evidence == "trials:x")
    assert row.notes == ("0.5 was added to each of its counts because one is zero",)
    assert row.estimate == pytest.approx((0.5 / 46) / (4.5 / 45))


def test_measures_units_and_outcomes_are_never_pooled_with_each_other() -> None:
    measurements = [
        estimate("a", "odds_ratio", 1.45, 1.1, 1.92),
        estimate("b", "hazard_ratio", 0.8, 0.65, 0.98),
        estimate("c", "mean_difference", 2.5, 1.1, 3.9, outcome="weight", unit="kg"),
        estimate("d", "mean_difference", 5.5, 2.4, 8.6, outcome="weight", unit="lb"),
        estimate("e", "odds_ratio", 1.2, 1.05, 1.4, outcome="death within 30 days"),
    ]
    found = of(measurements)
    assert [pool.count for pool in found.pools] == [1] * 5
    told = "\n".join(found.apart)
    assert "hazard ratio (1); odds ratio (1)" in told
    assert "mean difference in kg (1); mean difference in lb (1)" in told
    assert "death: not pooled with death within 30 days, which may be a different outcome" in told


def test_counts_join_what_the_others_report() -> None:
    (pool,) = of([estimate("a", "odds_ratio", 1.45, 1.1, 1.92), counts("b", 12, 45, 20, 44)]).pools
    assert (pool.measure, pool.count) == ("odds_ratio", 2)


def test_a_study_that_two_sources_found_counts_once() -> None:
    from elcano.subjects.analysis.statistics.meta_analysis import run_meta_analysis

    work = Work(title="One trial", identifiers=Identifiers(doi="10.1000/one"))
    quote = sentence(12, 45, 20, 44)
    passages = [passage("a", quote, work), passage("b", quote, work), passage("c", sentence(5, 100, 9, 98))]
    given = AnalyzeInput(
        measurements=(counts("a", 12, 45, 20, 44), counts("b", 12, 45, 20, 44), counts("c", 5, 100, 9, 98))
    )
    found = run_meta_analysis(given, passages)
    assert found.pools[0].count == 2
    assert [one.reason for one in found.left_out] == [
        "another measurement of the same study is already used for this outcome"
    ]
    again = run_meta_analysis(given.model_copy(update={"measurements": given.measurements[::-1]}), passages)
    assert again.pools == found.pools


def test_verdicts_follow_the_interval_and_the_direction() -> None:
    measurements, _ = eight()
    told = {
        expects: of(measurements, [DRUG_LOWERS_DEATH.model_copy(update={"expects": expects})]).tested[0]
        for expects in ("lower", "higher", "different")
    }
    assert {expects: one.verdict for expects, one in told.items()} == {
        "lower": "supported",
        "higher": "refuted",
        "different": "supported",
    }
    assert "risk ratio 0.7" in told["lower"].reason
    assert "8 studies" in told["lower"].reason
    turned = DRUG_LOWERS_DEATH.model_copy(update={"first": "placebo", "second": "drug"})
    assert of(measurements, [turned]).tested[0].verdict == "refuted"


def test_without_enough_studies_or_numbers_nothing_is_decided() -> None:
    one = of([counts("x", 12, 450, 60, 440)], [DRUG_LOWERS_DEATH]).tested[0]
    assert one.verdict == "inconclusive"
    assert "only one study has usable figures" in one.reason
    none = of([], [DRUG_LOWERS_DEATH])
    assert (none.tested[0].verdict, none.tested[0].pool, none.pools) == ("inconclusive", None, ())
    other = of(eight()[0], [DRUG_LOWERS_DEATH.model_copy(update={"outcome": "stroke"})]).tested[0]
    assert (other.verdict, other.pool) == ("inconclusive", None)


def test_an_interval_that_holds_no_effect_decides_nothing() -> None:
    measurements = [counts("a", 20, 100, 21, 100), counts("b", 15, 100, 14, 101)]
    found = of(measurements, [DRUG_LOWERS_DEATH]).tested[0]
    assert found.verdict == "inconclusive"
    assert "includes 1 (no effect)" in found.reason


def test_one_group_alone_is_described_and_decides_nothing() -> None:
    said = [
        Measurement(
            evidence=f"trials:{name}",
            outcome="nausea",
            reports="counts",
            first=Group(name="drug", events=a, size=n),
            quote=f"{a} of {n}",
        )
        for name, a, n in (("a", 12, 45), ("b", 0, 40))
    ]
    found = of(said, [DRUG_LOWERS_DEATH.model_copy(update={"outcome": "nausea"})])
    (pool,) = found.pools
    assert (pool.measure, pool.count, pool.random.p) == ("proportion", 2, None)
    assert 0 < pool.random.low < pool.random.estimate < 12 / 45
    assert found.tested[0].verdict == "inconclusive"


def test_two_thousand_studies_are_pooled_and_the_heaviest_listed() -> None:
    many = [counts(str(at), *COUNTS[at % 8]) for at in range(2_000)]
    found = of(many, [DRUG_LOWERS_DEATH])
    (pool,) = found.pools
    assert (pool.count, len(pool.studies)) == (2_000, 500)
    assert found.tested[0].verdict == "supported"


def test_a_review_is_not_pooled_as_a_study() -> None:
    from elcano.subjects.analysis.statistics.meta_analysis import run_meta_analysis

    measurements, passages = eight()
    work = Work(title="A review of the drug", kind="review", identifiers=Identifiers(doi="10.1/review"))
    passages = [passages[0].model_copy(update={"work": work}), *passages[1:]]
    found = run_meta_analysis(AnalyzeInput(measurements=tuple(measurements)), passages)
    assert found.pools[0].count == 7
    assert [one.reason for one in found.left_out] == ["it is from a review, which is not a study of its own"]
