"""Citations of a report at the characters where they stand."""

from elcano.doors.openai_api.output_items import list_annotations, read_approval_id, write_text
from elcano.doors.openai_api.parameters import ChatRequest, ResponseRequest
from elcano.graphs.added_steps import ATTACHED
from elcano.graphs.report.report import Reference, Report
from elcano.graphs.report.works import Work

MARKDOWN = """# On retries \U0001f600 [[**a link**](<https://x.example>)]

> Asked: what of \\[1\\]?

It doubles. [1] [2, retracted] (inferred from [1], [2])

```python
numbers[1] = [2]
```

`[1]` is code, ``a ` [2]`` too, [3] is no reference, and [1](https://x.example) is a link.

- last [2]
"""


def reference(number: int, *locators: str) -> Reference:
    return Reference(
        number=number, document=f"doc-{number}", title=f"T{number}", source="s", locators=locators, content_hash="h"
    )


def test_a_number_is_cited_where_it_stands_and_nowhere_else() -> None:
    report = Report(
        run_id="default-1", question="?", title="T", markdown=MARKDOWN, answered=True, partial=None, model="m",
        references=(reference(1, "https://a.example/1"), reference(2, "notes.md")), citations=(), unverified=(),
    )  # fmt: skip
    found = list_annotations(report, "https://elcano.example/evidence")
    cited = [MARKDOWN[one["start_index"] : one["end_index"]] for one in found]
    assert cited == ["[1]", "[2, retracted]", "[1]", "[2]", "[2]"]
    assert {(one["url"], one["title"]) for one in found if one["title"] == "T1"} == {("https://a.example/1", "T1")}
    assert {one["url"] for one in found if one["title"] == "T2"} == {"https://elcano.example/evidence"}
    doubtful = reference(1, "https://a.example/1").model_copy(update={"work": Work(flags=("retracted",))})
    (first, *_) = list_annotations(report.model_copy(update={"references": (doubtful,)}), "")
    assert first["title"] == "T1 (retracted)"
    assert write_text(report) == MARKDOWN
    filled = report.model_copy(update={"attachments": {ATTACHED: {"answer": {"owner": "né", "year": None}}}})
    assert write_text(filled) == '{"owner": "né", "year": null}'
    assert list_annotations(filled, "") == []


def test_a_schema_is_found_where_each_way_to_ask_has_it() -> None:
    form = {"type": "object", "properties": {"year": {"type": "integer"}}}
    named = {"name": "form", "schema": form}
    asked = ResponseRequest(text={"format": {"type": "json_schema", **named}})
    said = ChatRequest(response_format={"type": "json_schema", "json_schema": named})
    for request in (asked, said):
        assert request.output_schema == form
        assert [*request.find_faults()] == []
    for lacking in ({}, {"format": {"type": "json_schema"}}, {"format": "json"}, {"format": {"type": "json_object"}}):
        assert ResponseRequest(text=lacking).output_schema is None
    assert [one.field for one in ChatRequest(response_format={"type": "json_schema"}).find_faults()] == [
        "response_format"
    ]


def test_an_approval_names_who_asked() -> None:
    assert read_approval_id("mcpr_default-1.0004.x/0003-open_ticket") == ("default-1.0004.x", "0003-open_ticket")
    assert read_approval_id("default-1/plan/7") is None
    assert read_approval_id("mcpr_default-1") is None
