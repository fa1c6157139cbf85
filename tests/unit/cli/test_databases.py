"""`elcano databases` lists, checks and describes."""

import json

import pytest

from elcano.cli.exit_codes import Exit
from elcano.graphs.frozen import JsonObject
from tests.unit.cli.scripted import Answer, Server, problem, run

COLUMN: JsonObject = {"comment": "", "samples": [], "distinct": None, "lowest": None, "highest": None, "nullable": True}
ORDERS: JsonObject = {
    "name": "orders",
    "kind": "table",
    "comment": "",
    "rows": 1_200,
    "estimated": True,
    "primary_key": ["id"],
    "columns": [
        {**COLUMN, "name": "id", "type": "INTEGER", "kind": "integer", "lowest": "1", "highest": "1200"},
        {**COLUMN, "name": "customer_id", "type": "INTEGER", "kind": "integer"},
        {**COLUMN, "name": "note", "type": "", "kind": "other", "samples": ["gift"]},
    ],
    "foreign_keys": [{"columns": ["customer_id"], "table": "customers", "referred": ["id"], "declared": False}],
}
SHOP: JsonObject = {"name": "shop", "dialect": "sqlite", "hash": "h", "seconds": 0.2, "tables": [ORDERS]}


def test_they_are_listed(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer("GET /v1/databases", Answer([{"name": "shop", "dialect": "sqlite"}]))
    assert run("databases") == 0
    assert capsys.readouterr().out == "shop  sqlite\n"
    server.answer("GET /v1/databases", Answer([]))
    assert run("databases") == 0
    assert "ELCANO_DATABASES" in capsys.readouterr().out


def test_one_is_described(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer("GET /v1/databases/shop", Answer(SHOP))
    assert run("databases", "describe", "shop") == 0
    assert capsys.readouterr().out.splitlines() == [
        "shop (sqlite): 1 table",
        "",
        "orders (table, about 1,200 rows)",
        "  id           INTEGER; key; 1 to 1200",
        "  customer_id  INTEGER; refers to customers.id (by its name)",
        "  note         other; 'gift'",
    ]
    assert run("databases", "check", "shop", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"name": "shop", "dialect": "sqlite", "tables": 1}


def test_names_of_strangers_do_not_steer_a_terminal(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    odd = {**COLUMN, "name": "a\x1b[2J\nb", "type": "TEXT", "kind": "text", "comment": "x\u202ey"}
    table = {**ORDERS, "name": "t\x1b]0;title\x07", "comment": "one\ntwo", "columns": [odd], "foreign_keys": []}
    server.answer("GET /v1/databases/shop", Answer({**SHOP, "tables": [table]}))
    assert run("databases", "describe", "shop") == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "t\\x1b]0;title\\x07 (table, about 1,200 rows): one two",
        "  a\\x1b[2J b  TEXT; x\\u202ey",
    ]


def test_one_that_does_not_answer_is_a_failure_and_an_unknown_one_bad_input(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = {"type": "urn:elcano:database-unavailable", "title": "The database did not answer", "detail": "it is away"}
    server.answer("GET /v1/databases/shop", Answer(gone, 502, "application/problem+json"))
    assert run("databases", "check", "shop") == Exit.FAILED
    assert "it is away" in capsys.readouterr().err
    server.answer("GET /v1/databases/shp", problem(404, "No such database"))
    assert run("databases", "check", "shp") == Exit.BAD_INPUT
