import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.plugins.documents import parser as parsing
from elcano.plugins.documents.file_formats import parse_document
from elcano.plugins.documents.parser import IN_PROCESS_BYTES, Parser
from tests.unit.plugins.documents.files import pdf, word


@pytest.fixture
def parser() -> Iterator[Parser]:
    with Parser() as parser:
        yield parser


def fake(code: str) -> tuple[str, ...]:
    """A child that reads one request and then runs `code`."""
    read = "import json, os, sys, time; n, s = json.loads(sys.stdin.buffer.readline()); sys.stdin.buffer.read(s); "
    return (sys.executable, "-c", read + code)


def test_the_child_answers_what_parsing_here_would(parser: Parser) -> None:
    for name, content in (("a.pdf", pdf([["One."], ["Two."]])), ("a.docx", word()), ("a.html", b"<h1>A</h1><p>b")):
        assert parser.parse(name, content) == parse_document(name, content)


def test_the_child_is_found_wherever_a_program_is_started(tmp_path: Path) -> None:
    program = (
        "from elcano.plugins.documents.parser import Parser\n"
        "with Parser() as parser: print(parser.parse('a.html', b'<p>read').text)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "read\n"


def test_a_bad_file_leaves_the_child_at_work(parser: Parser) -> None:
    with pytest.raises(FileSkipped, match="not a readable PDF"):
        parser.parse("a.pdf", b"garbage")
    assert parser.parse("a.html", b"<p>still here").text == "still here"


def test_small_files_of_our_own_formats_need_no_child() -> None:
    with Parser(command=("no such program",)) as parser:
        assert parser.parse("a.md", b"text").text == "text"
        with pytest.raises(FileNotFoundError):
            parser.parse("a.md", b"x" * (IN_PROCESS_BYTES + 1))


def test_a_page_that_becomes_millions_of_elements_costs_one_file(parser: Parser) -> None:
    hostile = f"<p>{''.join(f'<b id={number}>' for number in range(3_000))}</p>{'<p>x</p>' * 3_000}"
    with pytest.raises(FileSkipped, match=r"took more of the processor|needs more memory|its parser failed"):
        parser.parse("a.html", hostile.encode())
    assert parser.parse("a.html", b"<p>still here").text == "still here"


def test_a_crash_costs_one_file() -> None:
    with Parser(command=fake("os.abort()")) as parser:
        for _ in range(2):
            with pytest.raises(FileSkipped, match="took its parser down"):
                parser.parse("a.pdf", b"x" * 100_000)


def test_a_child_that_ends_before_it_reads_costs_one_file() -> None:
    with Parser(command=(sys.executable, "-c", "")) as parser, pytest.raises(FileSkipped, match="took its parser down"):
        parser.parse("a.pdf", b"x" * 1_000_000)


def test_a_hang_is_ended() -> None:
    with (
        Parser(parse_seconds=0.3, command=fake("time.sleep(600)")) as parser,
        pytest.raises(FileSkipped, match=r"took longer than 0\.3 s"),
    ):
        parser.parse("a.pdf", b"x")


def test_a_page_that_takes_its_library_minutes_is_ended() -> None:
    with Parser(parse_seconds=6.0) as parser:
        with pytest.raises(FileSkipped, match="took longer than 6 s"):
            parser.parse("a.html", b"<div>" * 200_000)
        assert parser.parse("a.html", b"<p>next").text == "next"


@pytest.mark.parametrize("answer", ["[]", "{}", '{\\"title\\": 1}'])
def test_an_answer_that_makes_no_sense_costs_one_file(answer: str) -> None:
    command = fake(f'print("{answer}", flush=True); time.sleep(600)')
    with Parser(command=command) as parser, pytest.raises(FileSkipped, match="no answer that can be understood"):
        parser.parse("a.pdf", b"x")


def test_stopping_from_another_thread_ends_a_parse() -> None:
    parser = Parser(command=fake("time.sleep(600)"))
    failures: list[Exception] = []

    def read() -> None:
        try:
            parser.parse("a.pdf", b"x")
        except FileSkipped as error:
            failures.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    while thread.is_alive():
        parser.stop()
        time.sleep(0.05)
    thread.join()
    assert len(failures) == 1


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MemoryError(), "reading it needs more memory than it may take"),
        (RecursionError("deep"), "its parser failed (RecursionError)"),
    ],
)
def test_a_parser_that_fails_names_its_error(monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str) -> None:
    def failing(name: str, content: bytes) -> None:
        raise error

    monkeypatch.setattr(parsing, "parse_document", failing)
    assert parsing._answer_parse_request("a.pdf", b"") == {"skipped": reason}
