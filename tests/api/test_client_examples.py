"""The TypeScript programs of `docs/clients` use only what the OpenAPI document has; no TypeScript is run for that."""

import re
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

CLIENTS = Path(__file__).parents[2] / "docs" / "clients"
USED = (
    r"\b[a-z]+(?:_[a-z]+)+\b",  # TypeScript's own names have no underscores
    r"\b(?:event|run)\.(\w+)",
    r'"(\w+)" in event',
    r'"([a-z]+-[a-z-]+)":',
    r'"(\w+)"(?=, "|\])',
)
"""What is a field, a parameter or the type of an event wherever it stands in a program."""


def list_words(part: object) -> set[str]:
    """Every name and text in a part of the document that is a property, a parameter or one of some possible values."""
    if isinstance(part, list):
        return set().union(*map(list_words, part))
    if not isinstance(part, dict):
        return set()
    own = {*part.get("properties", ()), *part.get("enum", ())} | ({part["name"]} if "in" in part else set())
    return own.union(*map(list_words, part.values()))


@pytest.mark.parametrize("name", ["hey-api.ts", "openapi-fetch.ts"])
async def test_a_program_uses_what_there_is(app: FastAPI, name: str) -> None:
    document: dict[str, Any] = app.openapi()
    program = (CLIENTS / name).read_text(encoding="utf-8")
    used = {word for pattern in USED for word in re.findall(pattern, program)}
    assert used >= {"run_id", "seq", "message", "plan_proposed", "complete", "idempotency-key"}
    known = list_words(document) | {"schemas", *document["components"]["schemas"]}
    assert used - known == set()
    (body,) = re.findall(r"body: \{(.*)\}", program)
    assert set(re.findall(r"(\w+)(?:,|:)", body)) <= set(document["components"]["schemas"]["RunRequest"]["properties"])


async def test_the_operations_of_the_programs_are_there(app: FastAPI) -> None:
    document: dict[str, Any] = app.openapi()
    ids = {operation["operationId"] for methods in document["paths"].values() for operation in methods.values()}
    (imported,) = re.findall(
        r'import \{ (.*) \} from "./elcano";', (CLIENTS / "hey-api.ts").read_text(encoding="utf-8")
    )
    assert {re.sub("[A-Z]", lambda one: f"_{one[0].lower()}", word) for word in imported.split(", ")} <= ids
    calls = re.findall(r'api\.([A-Z]+)\("([^"]+)"', (CLIENTS / "openapi-fetch.ts").read_text(encoding="utf-8"))
    assert len(calls) == 4
    assert [call for call in calls if call[0].lower() not in document["paths"].get(call[1], {})] == []
