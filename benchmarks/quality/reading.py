"""What reports without a language model print, sentence by sentence, to be read and marked by a person.

    python -m benchmarks.quality.reading FOLDER QUESTIONS [--mode iterative] [--marks FILE] [--unread]

FOLDER holds a manual (HTML, Markdown, PDF and what else documents may be), QUESTIONS one question a line; empty
lines and those that begin with `#` are left out. Every quotation of every report is printed with a short key, made of
the question and the quotation: the key of one that a later program prints again is the same. The marks are lines of a
key and a word, in any order, and hold nothing of the manual:

- `answer`: it answers the question, or a part of it, to who reads it beside the question alone;
- `related`: it is on the question's subject, is true, and answers nothing that was asked;
- `noise`: it is on something else, or cannot be understood alone;
- `wrong`: who believes it an answer to the question is led astray.

With `--marks` the marks are printed beside the quotations, and their shares at the end; quotations without one are
counted as unread, and `--unread` prints them alone. `manuals/` beside this file has questions for manuals that
Debian packages (git-doc, sqlite3-doc, postgresql-doc, debian-handbook, python3-doc), six that none of them answers
(`elsewhere`), and the marks of one reader. `auto` is `deep` where the offline input parser says so.
"""

import argparse
import asyncio
import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from benchmarks.quality.asking import Library
from benchmarks.quality.sections import answer_in_sections
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.report.report import Claim, ReportDraft
from elcano.storage.evidence import Evidence
from elcano.subjects.quoting.planning import parse_question

MARKS: Final = ("answer", "related", "noise", "wrong")
UNREAD: Final = "unread"
MODES: Final = ("simple", "iterative", "deep", "auto")
KEY_CHARACTERS: Final = 10


def key_of(question: str, quotation: str) -> str:
    """The same for the same words, however they are spaced."""
    words = "\n".join(" ".join(text.split()) for text in (question, quotation))
    return hashlib.sha256(words.encode()).hexdigest()[:KEY_CHARACTERS]


def questions_in(text: str) -> list[str]:
    """The questions of a file, one a line."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def marks_in(text: str) -> dict[str, str]:
    """The marks of a file by the keys of what they mark.

    Raises:
        ValueError: lines that are no key and mark, all of them named; or two marks of one key.
    """
    marks: dict[str, str] = {}
    faults: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        parts = line.partition("#")[0].split()
        if not parts:
            continue
        if len(parts) != 2 or parts[1] not in MARKS:
            faults.append(f"line {number}: write a key and one of {', '.join(MARKS)}, not {line.strip()!r}")
        elif marks.setdefault(*parts) != parts[1]:
            faults.append(f"line {number}: {parts[0]} is marked as {marks[parts[0]]!r} above, here as {parts[1]!r}")
    if faults:
        raise ValueError("\n".join(faults))
    return marks


def tallied(marked: Counter[str]) -> Iterator[str]:
    """Lines of how many quotations have each mark, and which share of those that were read."""
    read = sum(marked[mark] for mark in MARKS)
    for mark in MARKS:
        yield f"{mark:8} {marked[mark]:4}  {marked[mark] / read:6.1%}" if read else f"{mark:8} {marked[mark]:4}"
    yield f"{UNREAD:8} {marked[UNREAD]:4}"


async def read(arguments: argparse.Namespace) -> None:
    """Asks every question and prints what is answered."""
    asked = questions_in(arguments.questions.read_text(encoding="utf-8"))
    marks = marks_in(arguments.marks.read_text(encoding="utf-8")) if arguments.marks else {}
    marked: Counter[str] = Counter()
    refused = 0
    with tempfile.TemporaryDirectory() as work:
        library = Library(arguments.folder, arguments.index or Path(work) / "index.sqlite")
        try:
            for number, question in enumerate(asked, start=1):
                if arguments.only and number not in arguments.only:
                    continue
                draft, passages = await _report(library, question, arguments.mode)
                refused += not draft.answered
                print(f"\n{number}. {question}{'' if draft.answered else '  [not answered]'}")
                for line in _lines(question, draft, passages, marks, marked, arguments.unread):
                    print(line, flush=True)
        finally:
            await library.close()
    print(f"\n{sum(marked.values())} quotations; {refused} questions not answered")
    for line in tallied(marked):
        print(line)


async def _report(library: Library, question: str, mode: str) -> tuple[ReportDraft, Mapping[str, Evidence]]:
    if mode == "auto":
        mode = parse_question(TaskEnvelope(kind="input_parser", question=question)).research_mode
    if mode == "deep":
        return await answer_in_sections(library, question)
    report = await library.answer(question, "simple" if mode == "simple" else "iterative")
    return report.draft, report.passages


def _lines(
    question: str,
    draft: ReportDraft,
    passages: Mapping[str, Evidence],
    marks: Mapping[str, str],
    marked: Counter[str],
    unread: bool,
) -> Iterator[str]:
    parts: list[tuple[str, tuple[Claim, ...]]] = [("Key findings", draft.key_findings)]
    parts += [(section.heading, section.claims) for section in draft.sections]
    for heading, claims in parts:
        if claims or heading != "Key findings":
            yield f"  == {heading}{'' if claims else '  [empty]'}"
        for claim in claims:
            key = key_of(question, claim.text)
            mark = marks.get(key, UNREAD)
            marked[mark] += 1
            if not unread or mark == UNREAD:
                (cited,) = claim.citations
                source = passages[cited.evidence]
                yield f"  {key} {mark if marks else '':8} {claim.text!r}"
                yield f"      <{source.title} | {source.heading}>"
    yield from (f"  -- {said}" for said in draft.limitations)


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.reading", description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder of the manual")
    parser.add_argument("questions", type=Path, help="a file of one question a line")
    parser.add_argument("--mode", default="auto", choices=MODES)
    parser.add_argument("--marks", type=Path, help="a file of lines `KEY MARK`")
    parser.add_argument("--index", type=Path, help="where the index is kept for the next time")
    parser.add_argument("--only", type=int, nargs="*", metavar="N", help="these questions alone, counted from 1")
    parser.add_argument("--unread", action="store_true", help="print only what has no mark")
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        parser.error(f"there is no folder {arguments.folder}")
    try:
        asyncio.run(read(arguments))
    except (OSError, ValueError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
