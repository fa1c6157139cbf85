"""What is told of a tool that ran once for each item: each in its own sentence, those that failed by their errors."""

from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.lifecycle.event_texts import TOLD, summarize_items
from elcano.subjects.data.tool_specs import summarize_schema


def items(*outputs: JsonObject | None) -> JsonObject:
    listed: list[Json] = [
        {"index": number, "input": {}, "output": output, "error": None if output else "it is away"}
        for number, output in enumerate(outputs)
    ]
    return {"items": listed}


def schema(name: str) -> JsonObject:
    return {"found": {"database": name, "dialect": "sqlite"}, "whole": True}


def test_each_is_told_and_a_single_one_with_its_figures() -> None:
    text, figures = summarize_items("Schema context", summarize_schema, items(schema("größe")))
    assert text == "Read what größe holds: all of its tables."
    assert figures == {"database": "größe", "tables": [], "items": 1, "failed": 0}
    text, figures = summarize_items("Schema context", summarize_schema, items(schema("a"), None))
    assert text == "Read what a holds: all of its tables. Schema context failed: it is away"
    assert figures == {"items": 2, "failed": 1}


def test_of_many_the_first_are_told_and_of_none_that_there_are_none() -> None:
    text, _ = summarize_items(
        "Schema context", summarize_schema, items(*(schema(f"d{number}") for number in range(TOLD + 3)))
    )
    assert text.endswith("And 3 more.")
    assert summarize_items("Noop", None, {"items": []}) == ("Noop: 0 items done", {"items": 0, "failed": 0})
    assert summarize_items("Noop", None, None)[1] == {"items": 0, "failed": 0}
