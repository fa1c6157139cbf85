"""What is read of a conversation."""

from elcano.plugins.openai_api.conversation import TRANSCRIPT_CHARACTERS, format_run_line, read_conversation

RUN = "default-01kb1q3yw5v7c8m2n4p6r8t0vx"


def test_the_last_answer_names_the_run_to_follow_and_no_quoted_line_does() -> None:
    line = format_run_line(RUN, "http://127.0.0.1:8000")
    ask = {"role": "user", "content": "Since when?"}
    said = read_conversation([{"role": "assistant", "content": f"# Report\n\n---\n\n{line}\n"}, ask], "messages")
    assert (said.question, said.followed_run) == ("Since when?", RUN)
    assert line not in said.transcript
    quoted = read_conversation([{"role": "assistant", "content": f"{line}\n\nis what it says"}, ask], "messages")
    assert quoted.followed_run == ""
    older = [{"role": "assistant", "content": line}, ask, {"role": "assistant", "content": "No."}, ask]
    assert read_conversation(older, "messages").followed_run == ""


def test_the_newest_turns_are_kept() -> None:
    turns = [{"role": "user", "content": f"{number} " + "x" * 3_000} for number in range(30)]
    said = read_conversation([{"role": "system", "content": "Be brief."}, *turns], "messages")
    assert said.instructions == ["Be brief."]
    assert said.question.startswith("29 ")
    assert len(said.transcript) <= TRANSCRIPT_CHARACTERS + 200
    assert "User: 28 x" in said.transcript
    assert "User: 1 x" not in said.transcript
