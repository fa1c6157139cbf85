"""Arguments are held against schemas that may be anything: nothing is fetched, nothing hangs, all faults are named."""

import pytest

from elcano.graphs.errors import ToolRefused
from elcano.graphs.frozen import Json, JsonObject
from elcano.subjects.mcp.offered_tools import MOST_FAULTS, argument_faults

ZONE: JsonObject = {
    "type": "object",
    "properties": {"zone": {"type": "string", "pattern": "^[A-Z]"}, "a/b~c": {"type": "integer"}},
    "required": ["zone"],
    "additionalProperties": False,
}


def test_all_faults_have_their_places() -> None:
    faults = argument_faults({"zone": "utc", "a/b~c": "one", "more": 1}, ZONE)
    assert [fault.partition(": ")[0] for fault in faults] == ["/arguments", "/arguments/a~1b~0c", "/arguments/zone"]
    assert argument_faults({}, ZONE) == ["/arguments: 'zone' is a required property"]
    assert argument_faults({"zone": "Ünd so"}, {"properties": {"zone": {"pattern": "^Ü"}}}) == []
    assert argument_faults({"zone": "UTC"}, ZONE) == []


def test_faults_are_bounded() -> None:
    many: JsonObject = {"numbers": ["x" * 10_000] * 1_000}
    faults = argument_faults(many, {"properties": {"numbers": {"items": {"type": "number"}}}})
    assert (len(faults), faults[-1]) == (MOST_FAULTS + 1, "and 950 more")
    assert max(map(len, faults)) < 400


def test_a_pattern_that_takes_for_ever_is_given_up() -> None:
    strings: list[Json] = [f"{'a' * 5_000}{number}!" for number in range(1_000)]
    with pytest.raises(ToolRefused, match="takes over 1 s"):
        argument_faults({"a": strings}, {"properties": {"a": {"items": {"pattern": "^(a|aa)+$|^(a|a?)+$"}}}})


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "file:///etc/passwd"},
        {"$ref": "#/definitions/none"},
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"$id": "http://[", "$ref": "b"},
        {"$ref": "#/$defs/0", "$defs": {str(n): {"allOf": [{"$ref": f"#/$defs/{n + 1}"}] * 3} for n in range(40)}},
        {"type": "nothing"},
        {"properties": 3},
        {"properties": {"a": {"pattern": "("}}},
    ],
)
def test_a_schema_that_is_none_is_said_to_be(schema: dict[str, Json]) -> None:
    with pytest.raises(ToolRefused, match="its schema cannot be used"):
        argument_faults({"a": "x"}, schema)
