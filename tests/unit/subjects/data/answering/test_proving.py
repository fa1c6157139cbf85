from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from elcano.subjects.data.answering.number_proofs import GivenNumbers
from elcano.subjects.data.data_answer import CellReference, DataAnswer, NumberProof, Operation
from elcano.subjects.data.report_results import unverified_numbers
from elcano.subjects.data.tables import ResultTable
from elcano.text.written_numbers import find_numbers
from tests.unit.subjects.data.answering.tables import REVENUE, at, proof, prove_numbers, table


def statuses(text: str, *proofs: NumberProof, results: Sequence[ResultTable] = (REVENUE,), **more: object) -> list[str]:
    return [one.status for one in prove_numbers(text, proofs, results, **more)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Revenue was 120,400.50.", proof("120,400.50", "cell", at("revenue", 1))),
        ("Der Umsatz war 120.400,50 €.", proof("120.400,50 €", "cell", at("revenue", 1))),
        ("Le chiffre est 120\u202f400,50 €.", proof("120\u202f400,50 €", "cell", at("revenue", 1))),
        ("Revenue was $120 thousand.", proof("$120 thousand", "cell", at("revenue", 1))),
        ("Revenue was 0.12 million.", proof("0.12 million", "cell", at("revenue", 1))),
        ("Revenue was 1.2e5.", proof("1.2e5", "cell", at("revenue", 1))),
        ("Revenue was 1.204 × 10⁵.", proof("1.204 × 10⁵", "cell", at("revenue", 1))),  # noqa: RUF001
        ("It lost -1,500.", proof("-1,500", "cell", at("revenue", 3))),
        ("A loss of 1,500.", proof("1,500", "cell", at("revenue", 3))),
        ("There were twelve orders.", proof("twelve", "cell", at("orders", 3))),
        ("Together 216,900.75.", proof("216,900.75", "sum", at("revenue", 1, 4))),
        ("Together 218,400.75.", proof("218,400.75", "sum", at("revenue", 1), at("revenue", 2))),
        ("On average 72,300.25.", proof("72,300.25", "mean", at("revenue", 1, 4))),
        ("The least is -1,500.", proof("-1,500", "minimum", at("revenue", 1, 4))),
        ("The most are 1,204.", proof("1,204", "maximum", at("orders", 1, 4))),
        ("22,400.25 more than in the south.", proof("22,400.25", "difference", at("revenue", 1), at("revenue", 2))),
        ("22,400 less.", proof("22,400", "difference", at("revenue", 2), at("revenue", 1))),
        ("1.22 times as many.", proof("1.22 times", "ratio", at("orders", 1), at("orders", 2))),
        ("It had 122 % of the orders.", proof("122 %", "ratio", at("orders", 1), at("orders", 2))),
        ("54.7 % of all orders.", proof("54.7 %", "share", at("orders", 1), at("orders", 1, 4))),
        ("Orders rose by 22 %.", proof("22 %", "change", at("orders", 1), at("orders", 2))),
        ("Orders fell by 18 percent.", proof("18 percent", "change", at("orders", 2), at("orders", 1))),
        ("Die Bestellungen sanken um 18 Prozent.", proof("18 Prozent", "change", at("orders", 2), at("orders", 1))),
        ("Orders changed by -18 %.", proof("-18 %", "change", at("orders", 2), at("orders", 1))),
        ("There are 4 regions.", proof("4", "count", at("region", 1, 4))),
        ("3 have a date.", proof("3", "count", at("day", 1, 4))),
        ("On March 1, 2024 it was best.", proof("March 1, 2024", "cell", at("day", 1))),
        ("Am 1. März 2024 war es gut.", proof("1. März 2024", "cell", at("day", 1))),
        ("In March 2024.", proof("March 2024", "cell", at("day", 1))),
        ("In 2023.", proof("2023", "cell", at("day", 4))),
        ("Along Route 66.", proof("Route 66", "cell", at("note", 1))),
        ("SKU-12 sold.", proof("SKU-12", "cell", at("note", 3))),
        ("The 3rd region.", proof("3rd", "cell", at("region", 3))),
    ],
)
def test_what_follows_from_its_cells_is_proven_in_every_spelling(text: str, named: NumberProof) -> None:
    assert statuses(text, named) == ["proven"]


@pytest.mark.parametrize(
    ("text", "named", "reason"),
    [
        ("Revenue was 120,400.51.", proof("120,400.51", "cell", at("revenue", 1)), "give 120400.5"),
        ("Revenue was 120,400.50.", proof("120,400.50", "cell", at("revenue", 2)), "give 98000.25"),
        ("It was 5.", proof("5", "cell", at("revenue", 4)), "NULL"),
        ("It was 7.", proof("7", "sum", at("note", 4), at("note", 3)), "no number"),
        ("It was 1,204.", proof("1,204", "cell", at("orders", 9)), "has no row 9; it has 4"),
        ("It was 1,204.", proof("1,204", "cell", at("profit", 1)), "no column 'profit'; it has: region, revenue"),
        ("It was 1,204.", proof("1,204", "cell", at("orders", 1, result=2)), "no result 2; there are 1"),
        ("It was 1,204.", proof("1,204", "cell", at("orders", 1), at("orders", 2)), "names one cell"),
        ("It was 1,204.", proof("1,204", "sum"), "names no cell"),
        ("1,204 times.", proof("1,204 times", "ratio", at("orders", 1), at("orders", 4)), "is 0"),
        ("It was 55.", proof("55", "share", at("orders", 1), at("orders", 1, 4)), "do not say percent"),
        ("Orders fell by 22 %.", proof("22 %", "change", at("orders", 1), at("orders", 2)), "other way"),
        ("Orders rose by 18 %.", proof("18 %", "change", at("orders", 2), at("orders", 1)), "other way"),
        ("On March 2, 2024.", proof("March 2, 2024", "cell", at("day", 1)), "says “2024-03-01”"),
        ("From 12 to 1,204.", proof("12 to 1,204", "cell", at("orders", 1)), "hold 2 numbers"),
        ("Along Route 67.", proof("Route 67", "cell", at("note", 1)), "says “Route 66”"),
        ("It made 1,500.", proof("1,500", "cell", at("revenue", 3)), "give -1500"),
        ("It is 2024.", proof("2024", "sum", at("day", 1), at("day", 2)), "a moment"),
    ],
)
def test_what_does_not_follow_says_why(text: str, named: NumberProof, reason: str) -> None:
    *_, last = prove_numbers(text, [named], [REVENUE])
    assert (last.status, reason in last.reason) == ("wrong", True), last


def test_the_same_digits_in_another_cell_prove_nothing() -> None:
    (verdict,) = prove_numbers("There were 987 orders.", [], [REVENUE])
    assert (verdict.status, verdict.reason) == ("unproven", "it names no cell of a result")


@pytest.mark.parametrize("operation", ["sum", "count", "mean", "minimum", "maximum", "share"])
def test_a_result_that_was_cut_proves_no_total(operation: Operation) -> None:
    cut = table([("n", "integer")], [(4,), (4,)], truncated=True)
    words = "100 %" if operation == "share" else "4"
    (verdict,) = prove_numbers(f"It is {words}.", [proof(words, operation, at("n", 1), at("n", 2))], [cut])
    assert verdict.status == "wrong"
    assert "not read to its end" in verdict.reason
    assert statuses("It is 4.", proof("4", "cell", at("n", 2)), results=[cut]) == ["proven"]


def test_what_the_question_says_is_given_and_said_to_be() -> None:
    asked = [GivenNumbers("the question", "Top five regions of 2023 by revenue?")]
    top, year, other = prove_numbers("The top 5 of 2023, in 2024.", [], [REVENUE], given=asked)
    assert [top.status, year.status, other.status] == ["given", "given", "unproven"]
    assert top.reason == "the question says it"


def test_a_proof_counts_before_what_is_given() -> None:
    asked = [GivenNumbers("the question", "Are there 13?")]
    assert statuses("There are 13.", proof("13", "cell", at("orders", 3)), given=asked) == ["wrong"]


def test_documents_prove_what_is_quoted_of_them() -> None:
    assert statuses("Rain fell 12 times, 13 in all.", quotes=["it rained twelve-fold, 13 in all"]) == [
        "quoted",
        "quoted",
    ]


def test_names_with_digits_are_found_where_they_stand() -> None:
    assert statuses("SKU-12 and SKU-13.") == ["named", "unproven"]


def test_of_two_proofs_with_the_same_words_both_have_to_hold() -> None:
    right, other = proof("12", "cell", at("orders", 3)), proof("12", "cell", at("orders", 1))
    assert statuses("12 here and 12 there.", right) == ["proven", "proven"]
    assert statuses("12 here and 12 there.", right, other) == ["wrong", "wrong"]
    nearer = proof("12 there", "cell", at("orders", 1))
    assert statuses("12 here and 12 there.", right, nearer) == ["proven", "wrong"]


def test_rounding_is_half_up_or_half_to_even() -> None:
    halves = table([("n", "decimal")], [("2.5",), (2.665,)])
    for text, row, status in [("2", 1, "proven"), ("3", 1, "proven"), ("4", 1, "wrong"), ("2.67", 2, "proven")]:
        assert statuses(f"It is {text}.", proof(text, "cell", at("n", row)), results=[halves]) == [status]


@pytest.mark.parametrize(
    "text", ["", " ", "no number", "٣٣", "1e999999", "9" * 5000, "1.2.3.4", "%", "- 5 -", "½", "\ud800 5", "(5)" * 300]
)
def test_odd_texts_are_read_all_the_same(text: str) -> None:
    verdicts = prove_numbers(text, [proof("5", "cell", at("orders", 1))], [REVENUE])
    assert all(one.status in ("wrong", "unproven") for one in verdicts)


VALUES = st.decimals(min_value=-(10**9), max_value=10**9, places=2, allow_nan=False)


def rounded_half_up(value: Decimal, places: int) -> Decimal:
    """The other way to round a half, which also proves its number."""
    return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


def shown(value: Decimal, places: int, language: str) -> str:
    said = f"{round(value, places):,.{places}f}"
    return said if language == "en" else said.translate(str.maketrans(",.", ".,"))


def arithmetic(values: Sequence[Decimal], operation: Operation) -> tuple[Decimal, tuple[CellReference, ...]] | None:
    first, second, total = values[0], values[1], sum(values, Decimal(0))
    pair = (at("n", 1), at("n", 2))
    match operation:
        case "cell":
            return first, (at("n", 1),)
        case "sum":
            return total, (at("n", 1, len(values)),)
        case "mean":
            return total / len(values), (at("n", 1, len(values)),)
        case "difference":
            return first - second, pair
        case "ratio":
            return (first / second, pair) if second else None
        case "change":
            return ((first - second) / abs(second) * 100, pair) if second else None
        case "share":
            return (first / total * 100, (at("n", 1), at("n", 1, len(values)))) if total else None
    return None


@given(
    values=st.lists(VALUES, min_size=2, max_size=8),
    operation=st.sampled_from(["cell", "sum", "mean", "difference", "ratio", "change", "share"]),
    places=st.integers(0, 3),
    language=st.sampled_from(["en", "de"]),
    data=st.data(),
)
def test_one_changed_digit_is_found(
    values: list[Decimal], operation: Operation, places: int, language: str, data: st.DataObject
) -> None:
    made = arithmetic(values, operation)
    assume(made is not None and abs(made[0]) < 10**12)
    assert made is not None
    value, cells = made
    words = shown(value, places, language) + (" %" if operation in ("share", "change") else "")
    said = f"The figure is {words} here."
    results = [table([("n", "decimal")], [(str(one),) for one in values])]
    (verdict,) = prove_numbers(said, [NumberProof(text=words, operation=operation, cells=cells)], results)
    assert verdict.status == "proven", verdict
    digits = [place for place, one in enumerate(words) if one.isdigit()]
    place = data.draw(st.sampled_from(digits))
    digit = data.draw(st.sampled_from([one for one in "0123456789" if one != words[place]]))
    changed = words[:place] + digit + words[place + 1 :]
    for named in (words, changed):  # in the prose alone, or by who names the cells as well
        again = prove_numbers(
            said.replace(words, changed), [NumberProof(text=named, operation=operation, cells=cells)], results
        )
        same = {one.value for one in find_numbers(words)[0].readings} & {
            one.value for one in find_numbers(changed)[0].readings
        }
        half = rounded_half_up(value, places) in {one.value for one in find_numbers(changed)[0].readings}
        assert same or half or [one.status for one in again] in (["wrong"], ["unproven"]), (words, changed, again)


@given(st.text(max_size=200), st.text(min_size=1, max_size=30))
def test_any_text_has_a_verdict_for_each_run_of_digits(text: str, words: str) -> None:
    verdicts = prove_numbers(text, [proof(words, "cell", at("orders", 1))], [REVENUE])
    covered = " ".join(one.text for one in verdicts)
    assert {one for one in text if one.isdecimal()} <= set(covered) | set(list_marks(text))


def list_marks(text: str) -> str:
    return "".join(line.strip()[:10] for line in text.splitlines())


def test_a_limit_of_the_query_proves_no_number_of_rows_and_is_said_of_sums() -> None:
    limited = REVENUE.model_copy(update={"limit": 4})
    (counted,) = prove_numbers("There are 4 regions.", [proof("4", "count", at("region", 1, 4))], [limited])
    assert counted.status == "wrong"
    assert "asks for 4 rows at most" in counted.reason
    (added,) = prove_numbers("Together 216,900.75.", [proof("216,900.75", "sum", at("revenue", 1, 4))], [limited])
    assert added.status == "proven"
    assert "first 4 rows" in added.reason
    (single,) = prove_numbers("Revenue was 120,400.50.", [proof("120,400.50", "cell", at("revenue", 1))], [limited])
    assert (single.status, single.reason) == ("proven", "")


def test_a_column_that_counts_rows_several_times_is_never_proven_without_a_word() -> None:
    columns = list(REVENUE.columns)
    columns[1] = columns[1].model_copy(update={"caution": "its join may repeat rows of o", "repeated": "rows of o"})
    doubled = REVENUE.model_copy(update={"columns": tuple(columns)})
    (single,) = prove_numbers("Revenue was 120,400.50.", [proof("120,400.50", "cell", at("revenue", 1))], [doubled])
    assert (single.status, single.reason) == ("proven", "its join may repeat rows of o")
    (added,) = prove_numbers("Together 216,900.75.", [proof("216,900.75", "sum", at("revenue", 1, 4))], [doubled])
    assert added.reason == "its join may repeat rows of o; rows of o"
    answer = DataAnswer(numbers=(single,))
    assert [line.partition(" — ")[2] for line in unverified_numbers(answer, set())] == [
        "its join may repeat rows of o."
    ]
