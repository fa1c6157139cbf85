"""Schemas: counts, values, guessed keys, hashes, and which tables a question is shown."""

from pathlib import Path

import pytest

from elcano.activities.child_processes import Stop
from elcano.graphs.errors import SourceRefused
from elcano.subjects.data.data_answer import QueryFault
from elcano.subjects.data.databases.database import Database, schema_hash, with_guessed_keys
from elcano.subjects.data.databases.engine import Files, Limits
from elcano.subjects.data.databases.question_context import MOST_COLUMNS, select_schema_context
from elcano.subjects.data.databases.values import kind_of
from elcano.subjects.data.tables import ColumnSchema, DatabaseSchema, Kind, TableSchema


def table(name: str, *columns: str, kind: Kind = "integer", key: str = "") -> TableSchema:
    made = tuple(ColumnSchema(name=column, type="x", kind=kind) for column in columns)
    return TableSchema(name=name, columns=made, primary_key=(key,) if key else ())


async def test_values_are_counted_alike_in_every_engine(shop: Database) -> None:
    schema = await shop.schema()
    tables = {table.name: table for table in schema.tables}
    assert set(tables) == {"customers", "orders", "shipments", "spending"}
    assert tables["spending"].kind == "view"
    assert (tables["orders"].rows, tables["orders"].estimated) == (3, False)
    columns = {column.name: column for column in tables["orders"].columns}
    assert (columns["customer_id"].distinct, columns["customer_id"].samples) == (2, ("1", "3"))
    assert float(columns["total"].lowest or 0) == 1.25
    assert (columns["placed"].highest or "").startswith("2024-03-04")
    assert columns["note"].samples == ("", "a,b")
    assert {column.name: column.kind for column in tables["customers"].columns} == {
        "id": "integer",
        "name": "text",
        "größe": "decimal",
        "born": "date",
    }
    (declared,) = tables["orders"].foreign_keys
    assert (declared.columns, declared.table, declared.referred, declared.declared) == (
        ("customer_id",),
        "customers",
        ("id",),
        True,
    )
    (guessed,) = tables["shipments"].foreign_keys
    assert (guessed.columns, guessed.table, guessed.declared) == (("order_id",), "orders", False)
    assert await shop.schema() is schema


def test_keys_are_guessed_by_names_and_kinds_and_never_between_two() -> None:
    people, firms = table("people", "id", key="id"), table("companies", "companyId", "name", key="companyId")
    deals = table("deals", "id", "company_id", "person_id", "peopleid", "valid", key="id")
    found = with_guessed_keys([people, firms, deals])[2].foreign_keys
    assert [(key.columns, key.table, key.declared) for key in found] == [
        (("company_id",), "companies", False),
        (("peopleid",), "people", False),
    ]
    assert not with_guessed_keys([people, table("t", "people_id", kind="text")])[1].foreign_keys
    twice = [table("a.people", "id", key="id"), table("b.people", "id", key="id"), table("t", "people_id")]
    assert not with_guessed_keys(twice)[2].foreign_keys


def test_the_hash_is_of_names_types_and_keys_alone() -> None:
    one = table("t", "a", "b", key="a")
    known = one.model_copy(update={"rows": 5, "comment": "x"})
    assert schema_hash((one,)) == schema_hash((known,))
    assert schema_hash((one,)) != schema_hash((table("t", "a", "c", key="a"),))
    assert schema_hash((one,)) != schema_hash((table("t", "a", "b"),))


def test_a_question_is_shown_its_tables_and_those_that_they_refer_to() -> None:
    flight = table("flight", "flight_id", "from_airport", "departureTime")
    airport = TableSchema(
        name="airport", columns=(ColumnSchema(name="city", kind="text", samples=("Boston", "Denver")),)
    )
    airport_key = flight.model_copy(
        update={
            "foreign_keys": with_guessed_keys([table("airport", "id", key="id"), table("x", "airport_id")])[
                1
            ].foreign_keys
        }
    )
    others = [table(f"filler_{at}", *(f"column_{at}_{number}" for number in range(5))) for at in range(500)]
    schema = DatabaseSchema(database="d", dialect="sqlite", tables=(*others, airport_key, airport), hash="h")
    by_name = select_schema_context(schema, "When do flights depart?", 3)
    assert [one.name for one in by_name.found.tables] == ["flight", "airport"]
    assert (by_name.whole, by_name.matched, len(by_name.others), by_name.found.hash) == (False, True, 200, "h")
    by_value = select_schema_context(schema, "how many are in BOSTON", 3)
    assert [one.name for one in by_value.found.tables] == ["airport"]
    by_nothing = select_schema_context(schema, 'zebra" OR * NEAR(', 3)
    assert (by_nothing.matched, len(by_nothing.found.tables)) == (False, 3)
    small = DatabaseSchema(database="d", dialect="sqlite", tables=(flight, airport))
    assert select_schema_context(small, "Boston", 1).whole


def test_a_folder_of_files_is_a_database_and_follows_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "Tabellen"
    folder.mkdir()
    (folder / "Umsätze 2024.csv").write_text("Monat,Betrag\n2024-01-31,10.5\n2024-02-29,\n", encoding="utf-8")
    (folder / "notes.md").write_text("no table")
    shop = Files("tables", folder, tmp_path / "copies")
    (found,) = shop.structure(Stop())
    assert (found.name, [column.kind for column in found.columns]) == ("Umsätze_2024", ["date", "decimal"])
    (folder / "more.tsv").write_text("a\tb\n1\tx\n")
    (counted,) = shop.run(["SELECT count(*) FROM more"], Limits(), Stop())
    assert not isinstance(counted, QueryFault)
    assert counted.rows == ((1,),)
    assert len(list((tmp_path / "copies").iterdir())) == 1
    (folder / "bad.parquet").write_text("this is none")
    with pytest.raises(SourceRefused, match=r"bad\.parquet") as raised:
        shop.structure(Stop())
    assert str(tmp_path) not in str(raised.value)
    with pytest.raises(SourceRefused, match="no file of these kinds"):
        Files("empty", tmp_path, tmp_path / "copies").structure(Stop())


def test_hundreds_of_columns_and_long_values_stay_within_what_a_state_can_carry() -> None:
    def wide(name: str, columns: int) -> TableSchema:
        made = (ColumnSchema(name=f"c{at}", kind="text", samples=("v" * 80,) * 8) for at in range(columns))
        return TableSchema(name=name, columns=tuple(made))

    schema = DatabaseSchema(database="d", dialect="duckdb", tables=tuple(wide(f"t{at}", 500) for at in range(30)))
    shown = select_schema_context(schema, "What is in t7 and in t8?", 20)
    assert [one.name for one in shown.found.tables] == ["t7", "t8"]
    assert not shown.whole
    assert "t9" in shown.others
    assert len(shown.model_dump_json()) < 400_000
    many = select_schema_context(schema, "anything else", 20)
    assert sum(len(one.columns) for one in many.found.tables) == MOST_COLUMNS
    (one,) = select_schema_context(schema.model_copy(update={"tables": (wide("t", 5_000),)}), "t", 8).found.tables
    assert (len(one.columns), one.comment) == (MOST_COLUMNS, "(Its other 3,000 columns are not shown.)")


@pytest.mark.parametrize(
    ("type_name", "kind"),
    [
        ("ENUM('void', 'paid')", "text"),
        ('"integer"', "other"),
        ("public.integer", "other"),
        ("INTEGER[]", "other"),
        ("INTEGER[3]", "other"),
        ("STRUCT(at TIMESTAMP, paid BOOLEAN)", "other"),
        ("MAP(VARCHAR, INTEGER)", "other"),
        ("POINT", "other"),
        ("INTERVAL", "other"),
        ("interval_of_dates", "other"),
        ("HUGEINT", "integer"),
        ("UNSIGNED BIG INT", "integer"),
        ("DOUBLE PRECISION", "decimal"),
        ("NUMERIC(10, 2)", "decimal"),
        ("character varying(20)", "text"),
        ("TIMESTAMP(3) WITH TIME ZONE", "timestamp"),
        ("TIMESTAMP_NS", "timestamp"),
        ("time without time zone", "time"),
        ("jsonb", "json"),
        ("", "other"),
    ],
)
def test_a_kind_comes_from_the_type_and_from_no_word_within_it(type_name: str, kind: str) -> None:
    assert kind_of(type_name) == kind
