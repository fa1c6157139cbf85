import pytest

from elcano.graphs.errors import InputInvalid
from elcano.storage.store import Store
from elcano.subjects.data.answering.consensus import Path, merge_path_tables
from elcano.subjects.data.query_models import ConsensusInput, PathResult
from elcano.subjects.data.tables import ResultTable
from elcano.subjects.data.tools import merge_path_results
from tests.tool_work import work_of
from tests.unit.subjects.data.answering.answering import RUN, digests
from tests.unit.subjects.data.answering.tables import at, proof, prove_numbers, table


def paths(**results: ResultTable) -> list[Path]:
    return [Path(name.strip("y"), one, f"hash-{name}") for name, one in results.items()]


def year(*rows: tuple[object, ...]) -> ResultTable:
    return table([("region", "text"), ("revenue", "decimal")], rows)  # type: ignore[arg-type]


def test_rows_are_merged_by_their_keys_with_difference_and_ratio() -> None:
    found = merge_path_tables(
        paths(y2023=year(("Nord", "100.10"), ("Süd", "50")), y2024=year(("Süd", 75.5), ("Nord", "120.20")))
    )
    names = [column.name for column in found.table.columns]
    assert names == [
        "region",
        "revenue (2023)",
        "revenue (2024)",
        "revenue: 2024 less 2023",
        "revenue: 2024 by 2023",
    ]
    nord, south = found.table.rows
    assert nord[:4] == ("Nord", "100.10", "120.20", "20.10")
    assert south[:5] == ("Süd", "50", 75.5, "25.5", "1.51")
    assert found.disagreements == []
    assert found.table.parents == ("hash-y2023", "hash-y2024")


def test_its_numbers_prove_themselves_on_it() -> None:
    result = merge_path_tables(paths(y2023=year(("Nord", "100")), y2024=year(("Nord", "120")))).table
    named = proof("20 %", "change", at("revenue (2024)", 1), at("revenue (2023)", 1))
    other = proof("1.2 times", "cell", at("revenue: 2024 by 2023", 1))
    verdicts = prove_numbers("It rose by 20 %, 1.2 times as much.", [named, other], [result])
    assert [one.status for one in verdicts] == ["proven", "proven"]


def test_what_a_path_lacks_is_said_and_compared_with_nothing() -> None:
    found = merge_path_tables(paths(y2023=year(("Nord", "1"), ("Ost", "2"), (None, "0")), y2024=year(("Nord", "2"))))
    assert [one.told for one in found.disagreements] == ["2024 has no row for Ost.", "2024 has no row for NULL."]
    assert found.table.rows[1] == ("Ost", "2", None, None, None)
    assert merge_path_tables(paths(y1=year((None, "0")), y2=year((None, "3")))).table.rows == (
        (None, "0", "3", "3", None),
    )


def test_a_key_with_two_values_has_none() -> None:
    found = merge_path_tables(
        paths(
            y2023=year(("Nord", "1"), ("Nord", "2"), ("Süd", "1.0"), ("Süd", 1)), y2024=year(("Nord", "2"), ("Süd", 3))
        )
    )
    assert [(one.kind, one.key, one.told) for one in found.disagreements] == [
        ("key_twice", ("Nord",), "2023 has two values of revenue for Nord: 1 and 2.")
    ]
    assert found.table.rows[0] == ("Nord", None, "2", None, None)


def test_paths_of_one_name_that_differ_disagree() -> None:
    found = merge_path_tables(
        [Path("total", year(("Nord", "1"), ("Süd", "4")), "a"), Path("total", year(("Nord", "2"), ("Süd", "4")), "b")]
    )
    assert [(one.kind, one.told) for one in found.disagreements] == [
        ("two_values", "total has two values of revenue for Nord: 1 and 2.")
    ]
    assert found.table.rows == (("Nord", None), ("Süd", "4"))


def test_words_that_differ_disagree() -> None:
    columns = [("region", "text"), ("head", "text"), ("n", "integer")]
    one, other = (table(columns, [("Nord", head, 1)]) for head in ("Ada", "Bob"))  # type: ignore[arg-type]
    found = merge_path_tables([Path("2023", one, "a"), Path("2024", other, "b")], ["region"])
    assert found.disagreements[0].told == "Of head for Nord: 2023 says Ada; 2024 says Bob."
    assert found.table.rows[0][:2] == ("Nord", None)


def test_one_value_each_is_compared_whatever_it_is_called() -> None:
    one = table([("revenue_2023", "integer")], [(10,)])
    other = table([("revenue_2024", "integer")], [(15,)])
    found = merge_path_tables([Path("2023", one, "a"), Path("2024", other, "b")])
    assert found.table.rows == ((10, 15, "5", "1.5"),)
    assert found.table.columns[0].name == "value (2023)"


def test_a_column_that_names_the_path_is_no_key() -> None:
    columns = [("year", "integer"), ("n", "integer")]
    one, other = table(columns, [(2023, 4)]), table(columns, [(2024, 6)])  # type: ignore[arg-type]
    assert merge_path_tables([Path("2023", one, "a"), Path("2024", other, "b")]).table.rows == ((4, 6, "2", "1.5"),)


def test_a_key_that_a_path_lacks_is_refused_by_name() -> None:
    with pytest.raises(InputInvalid, match="no column 'town' in the result of 2023, 2024"):
        merge_path_tables(paths(y2023=year(("Nord", "1")), y2024=year(("Nord", "2"))), ["town"])


def test_ten_thousand_keys_and_a_cut_path() -> None:
    rows = [(f"k{number}", number) for number in range(10_000)]
    cut = year(*rows).model_copy(update={"truncated": True})
    found = merge_path_tables([Path("a", year(*rows), "a"), Path("b", cut, "b"), Path("c", year(*reversed(rows)), "c")])
    assert len(found.table.rows) == 10_000
    assert found.table.truncated


async def test_a_path_that_was_too_slow_is_a_named_gap(store: Store) -> None:
    (digest,) = await digests(store, year(("Nord", "1")))
    given = ConsensusInput(
        paths=(PathResult(name="2023", result=digest), PathResult(name="2024", gap="it did not end within 15 s."))
    )
    made = await merge_path_results(work_of(store.of("default"), RUN), given)
    assert made.gaps == ("The path '2024' has no result: it did not end within 15 s.",)
    assert (made.result, made.evidence) == (None, ())  # the only result would be shown twice
    assert made.told.startswith("Only the path '2023' has a result, so there is nothing to merge.")
    nothing = await merge_path_results(work_of(store.of("default"), RUN), ConsensusInput(paths=given.paths[1:]))
    assert (nothing.result, nothing.gaps) == (None, made.gaps)
