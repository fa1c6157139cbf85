"""What cannot be seen, or cannot be read back, is refused by its name."""

import httpx
import pytest


@pytest.mark.parametrize("sign", ["\u202e", "\u202d", "\u2066", "\x1b"])
@pytest.mark.parametrize("field", ["question", "background", "instructions"])
async def test_a_sign_that_orders_a_text_anew_is_refused(api: httpx.AsyncClient, field: str, sign: str) -> None:
    answer = await api.post("/v1/runs", json={"question": "Why?", field: f"Is {sign}gnp.exe safe?"})
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["field"]) == (422, field)
    assert fault["message"] == f"has the control character U+{ord(sign):04X} at position 3; remove it"


async def test_right_to_left_text_and_its_marks_are_taken(api: httpx.AsyncClient) -> None:
    hebrew = "\u05de\u05d4 \u05d6\u05d4 (HTTP\u200f)?"
    answer = await api.post("/v1/runs", json={"question": hebrew, "mode": "iterative"})
    assert (answer.status_code, answer.json()["question"]) == (201, hebrew)


async def test_an_agent_that_could_not_be_read_back_is_refused(api: httpx.AsyncClient) -> None:
    output = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
    answer = await api.post("/v1/agents", json={"name": "schema", "instructions": "Say a.", "output": output})
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["field"]) == (422, "/name")
    assert "'schema' is a path of this API" in fault["message"]
