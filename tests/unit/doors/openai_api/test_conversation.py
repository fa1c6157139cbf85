"""What is read of a conversation."""

from typing import Any

from elcano.doors.openai_api.conversation import (
    TRANSCRIPT_CHARACTERS,
    TURN_CHARACTERS,
    format_run_line,
    read_conversation,
)

RUN = "default-01kb1q3yw5v7c8m2n4p6r8t0vx"
Item = dict[str, Any]
ASK: Item = {"role": "user", "content": "Since when?"}


def test_the_last_answer_names_the_run_to_follow_and_no_quoted_line_does() -> None:
    line = format_run_line(RUN, "http://127.0.0.1:8000")
    ask = {"role": "user", "content": "Since when?"}
    said = read_conversation([{"role": "assistant", "content": f"# Report\n\n---\n\n{line}\n"}, ask], "messages")
    assert (said.question, said.named_run) == ("Since when?", RUN)
    assert line not in said.write_transcript()
    quoted = read_conversation([{"role": "assistant", "content": f"{line}\n\nis what it says"}, ask], "messages")
    assert quoted.named_run == ""
    older = [{"role": "assistant", "content": line}, ask, {"role": "assistant", "content": "No."}, ask]
    assert read_conversation(older, "messages").named_run == ""


def test_the_newest_turns_are_kept() -> None:
    turns = [{"role": "user", "content": f"{number} " + "x" * 3_000} for number in range(30)]
    said = read_conversation([{"role": "system", "content": "Be brief."}, *turns], "messages")
    assert said.instructions == ["Be brief."]
    assert said.question.startswith("29 ")
    assert len(said.write_transcript()) <= TRANSCRIPT_CHARACTERS + 200
    assert "User: 28 x" in said.write_transcript()
    assert "User: 1 x" not in said.write_transcript()


MESSAGE = f"msg_{RUN}"


def test_an_item_that_is_only_named_is_the_answer_of_its_run() -> None:
    """As the Vercel AI SDK sends the second turn: every item of the answer before, by its id alone."""
    said = read_conversation(
        [
            ASK,
            {"type": "item_reference", "id": f"rs_{RUN}_0"},
            {"type": "item_reference", "id": f"ws_{RUN}_1"},
            {"id": MESSAGE},
            {"role": "user", "content": [{"type": "input_text", "text": "And why?"}]},
        ],
        "input",
    )
    assert (said.faults, said.question, said.named_run) == ([], "And why?", RUN)
    assert said.write_transcript(RUN) == "", "the run knows what was said before its report"
    for strange in ("msg_68f0c3", "rs_abc", 7):
        (fault,) = read_conversation([{"type": "item_reference", "id": strange}, ASK], "input").faults
        assert fault.field == "input.0.id"


def test_an_answer_that_is_sent_again_whole_names_its_run_by_its_id() -> None:
    report: Item = {
        "id": MESSAGE,
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Yes."}],
    }
    said = read_conversation([ASK, report, {"role": "user", "content": "Why?"}], "input")
    assert said.named_run == RUN
    lookup: list[Item] = [
        {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "It rained."}]},
    ]
    said = read_conversation([ASK, report, *lookup, {"role": "user", "content": "Why?"}], "input")
    assert said.write_transcript(RUN) == "The conversation so far:\n\nTool: (look_up) It rained."


def test_what_tools_of_other_agents_returned_is_background_and_a_handoff_leaves_the_question() -> None:
    responses: list[Item] = [
        ASK,
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "c1", "name": "transfer_to_elcano", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": '{"assistant": "Elcano"}'},
        {"type": "code_interpreter_call", "id": "ci_1", "code": "1"},
    ]
    chat: list[Item] = [
        ASK,
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "transfer_to_elcano", "arguments": "{}"}}
        ]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"assistant": "Elcano"}'},
    ]  # fmt: skip
    for items in (responses, chat):
        said = read_conversation(items, "input")
        assert (said.faults, said.question) == ([], "Since when?")
        assert (
            said.write_transcript() == 'The conversation so far:\n\nTool: (transfer_to_elcano) {"assistant": "Elcano"}'
        )
    ends = [*responses, {"role": "assistant", "content": "Done."}]
    assert [one.field for one in read_conversation(ends, "input").faults] == ["input"]
    (fault,) = read_conversation([{"role": "user", "content": None}], "input").faults
    assert fault.message == "is no text"


def test_a_picture_is_refused_in_the_question_and_passed_over_before_it() -> None:
    picture: Item = {
        "role": "user",
        "content": [{"type": "input_image"}, {"type": "input_text", "text": "What is it?"}],
    }
    answer = {"role": "assistant", "content": "A lock."}
    assert read_conversation([picture, answer, ASK], "input").faults == []
    assert [one.field for one in read_conversation([ASK, answer, picture], "input").faults] == ["input.2.content.0"]


def test_an_approval_counts_until_the_answer_that_came_of_it() -> None:
    asked: Item = {"type": "item_reference", "id": f"mcpr_{RUN}/plan/1"}
    approval: Item = {"type": "mcp_approval_response", "approval_request_id": f"mcpr_{RUN}/plan/1", "approve": True}
    assert len(read_conversation([ASK, asked, approval], "input").approvals) == 1
    said = read_conversation([ASK, asked, approval, {"id": MESSAGE}, ASK], "input")
    assert (said.approvals, said.named_run, said.question) == ([], RUN, "Since when?")


def test_a_conversation_of_two_megabytes_is_read_in_one_pass() -> None:
    """Also one that is made of beginnings of the line that names a run."""
    hostile = f"[Run {RUN}](" * 50_000
    said = read_conversation(
        [
            ASK,
            {"role": "assistant", "content": hostile},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {"name": "read_file"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "x " * 500_000},
            ASK,
        ],
        "messages",
    )
    assert (said.faults, said.named_run) == ([], "")
    assert len(said.write_transcript()) < 2 * TURN_CHARACTERS + 200


def test_types_that_are_none_are_faults_and_no_accidents() -> None:
    for strange in ([1], {"a": 1}, 7, [], {}):
        (fault,) = read_conversation([{"type": strange}, ASK], "input").faults
        assert fault.field.startswith("input.0")
        (fault,) = read_conversation([{"role": "user", "content": [{"type": strange}]}], "input").faults
        assert fault.field == "input.0.content.0"
