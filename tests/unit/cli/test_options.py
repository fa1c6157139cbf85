"""`--model`, for all agents and for single ones."""

import json

import pytest
import typer

from elcano.cli.exit_codes import Exit
from elcano.cli.options import parse_models
from tests.unit.cli.scripted import Server, finished, run, script_a_run, stream


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (None, ""),
        ([], ""),
        (["offline"], "offline"),
        ([" openai:gpt-5.1, offline "], "openai:gpt-5.1, offline"),
        (["writer=offline"], {"default": "", "by_agent": {"writer": "offline"}}),
        (
            ["openai:a", "writer=vllm:b,offline", "long_writer=offline"],
            {"default": "openai:a", "by_agent": {"writer": "vllm:b,offline", "long_writer": "offline"}},
        ),
        (["ollama:a=b"], "ollama:a=b"),
        (["writer=ollama:a=b"], {"default": "", "by_agent": {"writer": "ollama:a=b"}}),
    ],
)
def test_what_is_asked(said: list[str] | None, asked: object) -> None:
    assert parse_models(said) == asked


@pytest.mark.parametrize(
    "said", [["a:b", "c:d"], ["writer=a:b", "writer=c:d"], [""], ["writer="], ["writer=  "], [" "]]
)
def test_what_cannot_be_meant_is_refused(said: list[str]) -> None:
    with pytest.raises(typer.BadParameter, match=r"names no model|can have one list"):
        parse_models(said)


def test_it_is_sent(server: Server) -> None:
    script_a_run(server, stream(finished()))
    assert run("ask", "Why?", "--model", "offline", "--model", "writer=openai:a") == Exit.OK
    assert json.loads(server.asked[0][2])["model"] == {"default": "offline", "by_agent": {"writer": "openai:a"}}


def test_a_second_one_for_all_is_bad_input(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ask", "Why?", "--model", "offline", "--model", "openai:a") == Exit.BAD_INPUT
    assert "one list of models" in capsys.readouterr().err
    assert server.asked == []
