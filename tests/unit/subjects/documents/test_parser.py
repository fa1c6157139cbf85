import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from elcano.activities.child_processes import ChildProcesses
from elcano.activities.passages.document import Document, FileSkipped
from elcano.subjects.documents import file_processes
from elcano.subjects.documents import parser as parsing
from elcano.subjects.documents.file_formats import parse_document
from elcano.subjects.documents.file_processes import FileAnswer
from elcano.subjects.documents.parser import IN_PROCESS_BYTES, Parser, ParseRequest
from tests.unit.subjects.documents.files import pdf, word

MODULE = "tests.unit.subjects.documents.test_parser"
"""As a process imports it."""
Started = Callable[[Callable[..., object]], ChildProcesses[ParseRequest, FileAnswer[Document]]]


def crash(request: ParseRequest) -> FileAnswer[Document]:
    os.abort()


def hang(request: ParseRequest) -> FileAnswer[Document]:
    time.sleep(600)
    return FileAnswer()


def wait(request: ParseRequest) -> FileAnswer[Document]:
    time.sleep(0.6)
    return FileAnswer(skipped="it waited")


def spin(request: ParseRequest) -> FileAnswer[Document]:
    while True:
        pass


def talk_nonsense(request: ParseRequest) -> FileAnswer[dict[str, int]]:
    return FileAnswer(found={"title": 1})


@pytest.fixture
def started() -> Iterator[Started]:
    made: list[ChildProcesses[ParseRequest, FileAnswer[Document]]] = []

    def start(function: Callable[..., object]) -> ChildProcesses[ParseRequest, FileAnswer[Document]]:
        made.append(ChildProcesses(f"{MODULE}:{function.__name__}", FileAnswer[Document]))
        return made[-1]

    yield start
    for one in made:
        one.close()


def test_a_process_answers_what_parsing_here_would() -> None:
    for name, content in (("a.pdf", pdf([["One."], ["Two."]])), ("a.docx", word()), ("a.html", b"<h1>A</h1><p>b")):
        assert Parser().parse(name, content) == parse_document(name, content)


def test_the_process_is_found_wherever_a_program_is_started(tmp_path: Path) -> None:
    program = "from elcano.subjects.documents.parser import Parser\nprint(Parser().parse('a.html', b'<p>read').text)"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "read\n"


def test_a_bad_file_says_what_is_wrong_with_it() -> None:
    with pytest.raises(FileSkipped, match="not a readable PDF"):
        Parser().parse("a.pdf", b"%PDF-1.7 garbage")
    with pytest.raises(FileSkipped, match=r"its name says \.pdf, and its bytes are nothing of the kind"):
        Parser().parse("a.pdf", b"garbage")


def test_a_file_is_read_as_what_its_bytes_are() -> None:
    assert Parser().parse("a.txt", pdf([["One."]])).media_type == "application/pdf"
    assert Parser().parse("page", b"<!doctype html><p>b").text == "b"


def test_small_files_of_our_own_formats_need_no_process(started: Started) -> None:
    parser = Parser(processes=started(crash))
    assert parser.parse("a.md", b"text").text == "text"
    with pytest.raises(FileSkipped, match="took its parser down"):
        parser.parse("a.md", b"x" * (IN_PROCESS_BYTES + 1))


def test_a_page_that_becomes_millions_of_elements_costs_one_file() -> None:
    hostile = f"<p>{''.join(f'<b id={number}>' for number in range(3_000))}</p>{'<p>x</p>' * 3_000}"
    with pytest.raises(FileSkipped, match=r"took its parser down|needs more memory|its parser failed"):
        Parser().parse("a.html", hostile.encode())
    assert Parser().parse("a.html", b"<p>still here").text == "still here"


def test_a_hang_is_ended(started: Started) -> None:
    with pytest.raises(FileSkipped, match=r"took longer than 0\.3 s"):
        Parser(parse_seconds=0.3, processes=started(hang)).parse("a.pdf", b"%PDF-x")


def test_time_in_which_a_process_has_no_processor_does_not_count(started: Started) -> None:
    with pytest.raises(FileSkipped, match="it waited"):
        Parser(parse_seconds=0.3, processes=started(wait)).parse("a.pdf", b"%PDF-x")
    with pytest.raises(FileSkipped, match=r"took longer than 0\.3 s"):
        Parser(parse_seconds=0.3, processes=started(spin)).parse("a.pdf", b"%PDF-x")


def test_a_page_that_takes_its_library_minutes_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_processes, "HTML_SECONDS", 2.0)
    monkeypatch.setattr(file_processes, "HTML_BYTES_PER_SECOND", 500_000)
    parser = Parser()
    with pytest.raises(FileSkipped, match="took longer than 4 s"):
        parser.parse("a.html", b"<div>" * 200_000)
    assert parser.parse("a.html", b"<p>next").text == "next"


def test_an_answer_that_makes_no_sense_costs_one_file(started: Started) -> None:
    with pytest.raises(FileSkipped, match="took its parser down"):
        Parser(processes=started(talk_nonsense)).parse("a.pdf", b"%PDF-x")


def test_stopping_from_another_thread_ends_a_parse(started: Started) -> None:
    parser = Parser(processes=started(hang))
    failures: list[Exception] = []

    def read() -> None:
        try:
            parser.parse("a.pdf", b"%PDF-x")
        except FileSkipped as error:
            failures.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    parser.stop()
    thread.join()
    assert len(failures) == 1


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MemoryError(), "reading it needs more memory than it may take"),
        (RecursionError("deep"), "it is nested too deeply to be read"),
        (ValueError("bad"), "its parser failed (ValueError)"),
    ],
)
def test_a_parser_that_fails_names_its_error(monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str) -> None:
    def failing(name: str, content: bytes) -> None:
        raise error

    monkeypatch.setattr(parsing, "parse_document", failing)
    monkeypatch.setattr(parsing, "limit_reading", lambda html_bytes: None)  # they would be those of this process
    answer = parsing.answer_request(ParseRequest(seconds=1, name="a.pdf", content=b""))
    assert answer == parsing.DocumentAnswer(skipped=reason)
