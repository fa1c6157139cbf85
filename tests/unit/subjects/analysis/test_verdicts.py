"""A verdict is of the outcome and the groups that were asked for, and names what else there was."""

import pytest

from elcano.subjects.analysis.analysis import Group, Measurement
from tests.unit.subjects.analysis.trials import DRUG_LOWERS_DEATH, counts, eight, estimate, of

LOWERS_STROKE = DRUG_LOWERS_DEATH.model_copy(
    update={"statement": "Aspirin lowers stroke.", "outcome": "stroke", "first": "aspirin"}
)


def ratios(outcome: str, *values: tuple[float, float, float], first: str = "aspirin") -> list[Measurement]:
    groups = {"outcome": outcome, "first": {"name": first}, "second": {"name": "placebo"}}
    return [estimate(f"{outcome}{first}{at}", "risk_ratio", *value, **groups) for at, value in enumerate(values)]


STROKE = ratios("Strokes", (0.8, 0.7, 0.91), (0.82, 0.72, 0.93))
HAEMORRHAGIC = ratios("haemorrhagic stroke", (1.5, 1.2, 1.9), (1.4, 1.1, 1.8), (1.6, 1.2, 2.1))


def test_a_longer_name_does_not_decide() -> None:
    found = of([*STROKE, *HAEMORRHAGIC], [LOWERS_STROKE])
    (judged,) = found.tested
    assert found.pools[0].outcome == "haemorrhagic stroke"
    assert judged.verdict == "supported"
    assert judged.pool == 2
    assert (
        "; not counted, since other words may name another outcome or group: haemorrhagic stroke, aspirin versus "
        "placebo: risk ratio 1.49"
    ) in judged.reason


def test_without_the_outcome_that_was_asked_nothing_is_decided() -> None:
    (judged,) = of(HAEMORRHAGIC, [LOWERS_STROKE]).tested
    assert (judged.verdict, judged.pool) == ("inconclusive", None)
    assert judged.reason.startswith("no usable study reports its outcome for its groups; not counted, since")
    (wider,) = of(STROKE, [LOWERS_STROKE.model_copy(update={"outcome": "stroke within 30 days"})]).tested
    assert (wider.verdict, wider.pool) == ("inconclusive", None)
    assert "Strokes, aspirin versus placebo: risk ratio 0.81" in wider.reason


def test_a_group_with_another_word_does_not_decide() -> None:
    both = ratios("stroke", (0.5, 0.4, 0.6), (0.5, 0.4, 0.6), (0.5, 0.4, 0.6), first="aspirin plus clopidogrel")
    (judged,) = of([*ratios("stroke", (1.1, 0.9, 1.3), (1.0, 0.8, 1.2)), *both], [LOWERS_STROKE]).tested
    assert judged.verdict == "inconclusive"
    assert "stroke, aspirin plus clopidogrel versus placebo: risk ratio 0.50" in judged.reason


def test_a_name_that_was_not_asked_for_fits_all() -> None:
    asked = LOWERS_STROKE.model_copy(update={"second": ""})
    other = [one.model_copy(update={"second": Group(name="heparin")}) for one in HAEMORRHAGIC]
    other = [one.model_copy(update={"outcome": "stroke"}) for one in other]
    (judged,) = of([*STROKE, *other], [asked]).tested
    assert judged.verdict == "refuted"
    assert "; also: Strokes, aspirin versus placebo: risk ratio 0.81" in judged.reason


def test_of_many_pools_three_are_mentioned() -> None:
    other = [one for kind in "abcdef" for one in ratios(f"stroke of kind {kind}", (0.8, 0.7, 0.91))]
    (judged,) = of([*STROKE, *other], [LOWERS_STROKE]).tested
    assert judged.reason.endswith("and 3 more pools")


def test_the_adjusted_interval_is_named_where_it_decides_otherwise() -> None:
    unlike = ratios("stroke", (0.5, 0.4, 0.62), (0.9, 0.8, 1.01), (0.75, 0.6, 0.94))
    (judged,) = of(unlike, [LOWERS_STROKE]).tested
    assert judged.verdict == "supported"
    # As metafor 3.8-1: exp(-1.1220028) to exp(0.4141734) by `rma(yi, sei=sei, method="DL", test="adhoc")`.
    assert "; by the Hartung-Knapp interval, 0.33 to 1.51, it would be inconclusive" in judged.reason
    alike, _ = eight()
    (sure,) = of(alike, [DRUG_LOWERS_DEATH]).tested
    assert (sure.verdict, "Hartung" in sure.reason) == ("supported", False)


@pytest.mark.parametrize(
    "quote",
    [
        "RR 0·82 (95% CI 0·71\u20130·94)",
        "RR 0·82 (95% CI 0·71 to 0·94)",
        "RR 0,82 (IC 95 % 0,71\u20130,94)",
        "RR 0\u066b82 (95% CI 0\u066b71 to 0\u066b94)",
    ],
)
def test_every_decimal_point_is_read(quote: str) -> None:
    found = of([estimate("x", "risk_ratio", 0.82, 0.71, 0.94, quote=quote)])
    assert (found.left_out, found.pools[0].count) == ((), 1)


@pytest.mark.parametrize("minus", ["-", "\u2010", "\u2011", "\u2012", "\u2013", "\u2212"])
def test_every_dash_may_be_a_minus(minus: str) -> None:
    quote = f"MD {minus}0·5 (95% CI {minus}0·9 to {minus}0·1)"
    found = of([estimate("x", "mean_difference", -0.5, -0.9, -0.1, quote=quote)])
    assert (found.left_out, found.pools[0].random.estimate) == ((), -0.5)
    changed = of([estimate("x", "mean_difference", 0.5, 0.1, 0.9, quote=quote)])
    assert "the value 0.5 is not in its quote" in changed.left_out[0].reason


@pytest.mark.parametrize(
    ("events", "quote"),
    [
        (0, "none of 45 with the drug and four of 44 with placebo"),
        (0, "zero of the 45 with the drug and 4 of 44 with placebo"),
        (0, "no patients out of 45 with the drug and four of the 44 with placebo"),
        (1, "one of 45 with the drug and four of 44 with placebo"),
        (1, "one patient of 45 with the drug and four of 44 with placebo"),
        (0, "keiner der 45 Patienten und vier von 44"),
        (1, "einer von 45 Patienten und vier von 44"),
        (0, "aucun des 45 patients et quatre des 44 patients"),
        (0, "ninguno de los 45 pacientes y cuatro de los 44"),
        (0, "nessuno dei 45 pazienti e quattro dei 44"),
        (0, "nenhum dos 45 pacientes e 4 dos 44"),
        (0, "geen van de 45 patiënten en vier van de 44"),
    ],
)
def test_counts_may_be_written_in_words(events: int, quote: str) -> None:
    found = of([counts("x", events, 45, 4, 44, quote)])
    assert (found.left_out, found.pools[0].count) == ((), 1)
    changed = of([counts("x", 7, 45, 4, 44, quote)])
    assert changed.left_out[0].reason == "the events of group 1 7 is not in its quote"


def test_a_hypothesis_that_does_not_say_of_what_it_is_decides_nothing() -> None:
    measurements = [*STROKE, *HAEMORRHAGIC]
    vague = LOWERS_STROKE.model_copy(update={"outcome": "", "statement": "Aspirin is of use."})
    (outcome,) = of(measurements, [vague]).tested
    assert (outcome.verdict, outcome.pool) == ("inconclusive", None)
    assert outcome.reason == "it does not name its outcome, and studies report several"
    other = [*STROKE, *ratios("stroke", (0.5, 0.4, 0.6), first="heparin")]
    (groups,) = of(other, [LOWERS_STROKE.model_copy(update={"first": "", "second": ""})]).tested
    assert groups.reason == "it does not name its groups, and studies report several"
    (only,) = of(STROKE, [LOWERS_STROKE.model_copy(update={"outcome": "", "first": "", "second": ""})]).tested
    assert only.verdict == "supported"


@pytest.mark.parametrize(
    ("statement", "outcome", "verdict"),
    [
        ("Aspirin lowers the risk of a stroke.", "Strokes", "supported"),
        ("Aspirin lowers hemorrhagic strokes.", "haemorrhagic stroke", "refuted"),
    ],
)
def test_the_outcome_may_stand_in_the_statement_alone(statement: str, outcome: str, verdict: str) -> None:
    asked = LOWERS_STROKE.model_copy(update={"outcome": "", "statement": statement})
    (judged,) = of([*STROKE, *HAEMORRHAGIC], [asked]).tested
    assert (judged.hypothesis.outcome, judged.verdict) == (outcome, verdict)


def test_the_outcome_that_was_asked_is_judged_however_many_larger_pools_there_are() -> None:
    others = [
        counts(f"{kind}{at}", 12, 45, 20, 44).model_copy(update={"outcome": f"pain {kind}"})
        for kind in range(30)
        for at in range(3)
    ]
    found = of([*others, *STROKE], [LOWERS_STROKE])
    assert (found.tested[0].verdict, len(found.pools)) == ("supported", 20)
    assert found.pools[found.tested[0].pool - 1 if found.tested[0].pool else 0].outcome == "Strokes"
    assert "11 smaller pools are not listed" in found.apart


@pytest.mark.parametrize(
    ("mean", "sd", "size"),
    [("1", "1e-200", "40"), ("1", "1e200", "40"), ("1e308", "1", "40"), ("1", "1", "1e300")],
)
def test_figures_beyond_all_measure_are_left_out(mean: str, sd: str, size: str) -> None:
    quote = f"{mean} (SD {sd}), n = {size}, and 2 (SD {sd}), n = {size}"
    groups = {
        "first": Group(name="a", mean=float(mean), sd=float(sd), size=float(size)),
        "second": Group(name="b", mean=2, sd=float(sd), size=float(size)),
    }
    one = Measurement(evidence="trials:x", outcome="pain", reports="means", quote=quote, unit="mm")
    both = [one.model_copy(update={**groups, "evidence": f"trials:{unit}", "unit": unit}) for unit in ("mm", "points")]
    for found in (of(both[:1]), of(both)):
        assert {left.reason for left in found.left_out} == {
            "its effect or standard error is not finite, or implausibly large"
        }
