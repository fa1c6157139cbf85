"""A checked draft as the parts of its report: blocks of Markdown with numbers where marks stood, and their statements.

What a writer wrote as Markdown is written again by `prose.writing`; a quotation stands on one line, but for the code
that it ends with. A number says that its words were found. An inference says what it was drawn from; what is
not supported says so where it stands.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markdown_it.token import Token

from elcano.activities.phrases import ENGLISH, Phrases
from elcano.activities.prose.markdown_parser import CITATION, bracket_of, parse_markdown
from elcano.activities.prose.markdown_writer import fence_code, render_markdown
from elcano.activities.prose.statements import LAST, STATEMENT, extract_statements
from elcano.activities.report.checked_draft import CheckedClaim, CheckedDraft
from elcano.activities.report.markdown import render_number, sanitize_markdown
from elcano.graphs.report.report import Block, CheckedCitation, Part, PartKind, Statement, Support

_CODE: Final = re.compile(r"(?P<said>[^\n].*?:)[ \t]*\n\n(?P<code>(?!\s*(?:[-*+\u2022]|\d{1,3}[.)])\s).+)", re.DOTALL)
"""A sentence that announces what stands below it, which is no list."""


def render_parts(checked: CheckedDraft, marks: Mapping[int, str], words: Phrases = ENGLISH) -> tuple[Part, ...]:
    """The parts of the report, in their order; an empty one is left out, but for a section.

    Args:
        checked: the draft.
        marks: what is said behind a number whose work does not stand, as that it was retracted.
        words: the fixed words in the language of the report.
    """
    quoted = checked.draft.quoted
    headings: Mapping[PartKind, str] = {
        "key_findings": words.key_findings,
        "disputed": words.disputed,
        "strength": words.strength,
        "conclusion": words.conclusion,
    }

    def blocks(claims: Iterable[CheckedClaim]) -> tuple[Block, ...]:
        rendered = ((claim, _render_claim(claim, _Marks(marks, words), quoted=quoted)) for claim in claims)
        return tuple(Block(kind=one.kind, markdown=text, statements=one.statements) for one, text in rendered)

    first: list[tuple[PartKind, Sequence[CheckedClaim]]] = [
        ("introduction", checked.introduction),
        ("key_findings", checked.key_findings),
    ]
    last: list[tuple[PartKind, Sequence[CheckedClaim]]] = [
        ("disputed", checked.disputed),
        ("strength", checked.strength),
        ("conclusion", checked.conclusion),
    ]
    before = [
        Part(kind=kind, heading=headings.get(kind, ""), blocks=blocks(claims)) for kind, claims in first if claims
    ]
    sections = [Part(kind="section", heading=one.heading, blocks=blocks(one.claims)) for one in checked.sections]
    after = [Part(kind=kind, heading=headings[kind], blocks=blocks(claims)) for kind, claims in last if claims]
    return (*before, *sections, *after)


@dataclass(frozen=True)
class _Marks:
    """The notes behind statements and their numbers."""

    of_works: Mapping[int, str]
    """Behind a number whose work does not stand."""
    words: Phrases

    def render_support(self, claim: CheckedClaim, number: int) -> str:
        """Return the finding on a statement whose citations hold; empty if it is supported or was not reviewed."""
        statement = claim.statements[number]
        said: Mapping[Support, str] = {
            "partly": self.words.partly_supported,
            "in_passage": self.words.passage_supported,
            "not_supported": self.words.not_supported,
        }
        holds = any(one.verdict == "verified" for one in statement.citations)
        return f" {said[statement.support]}" if holds and statement.support in said else ""


def _render_claim(claim: CheckedClaim, marks: _Marks, *, quoted: bool) -> str:
    unverified = marks.words.not_verified
    if claim.citations and not claim.by_mark and any(one.verdict != "no_citation" for one in claim.citations):
        said, code = _with_code(claim.text) if quoted else (claim.text, "")
        text = f"“{sanitize_markdown(said)}”" if quoted else sanitize_markdown(said)
        numbers = _render_citation_numbers(claim.citations, marks.of_works) or unverified
        numbers += marks.render_support(claim, 0)
        return f"{text} {numbers}" + (f"\n\n{fence_code('', code)}" if code else "")
    tokens = parse_markdown(claim.text, claim.by_mark)
    extract_statements(tokens)
    text = render_markdown(tokens, _Numbering(claim, marks).said, claim.text) or sanitize_markdown(claim.text)
    if any(one.verdict == "no_citation" for one in claim.citations):
        return f"{text} {unverified}" if claim.kind == "paragraph" else f"{text}\n\n{unverified}"
    return text


def _with_code(quotation: str) -> tuple[str, str]:
    """A quotation, and the lines of code or of a table that it ends with: they say nothing on one line."""
    found = _CODE.fullmatch(quotation)
    return (found["said"], found["code"]) if found else (quotation, "")


@dataclass(frozen=True)
class _Numbering:
    """What stands in the place of the marks of one block."""

    claim: CheckedClaim
    marks: _Marks

    def said(self, token: Token) -> str:
        number, words = token.meta[STATEMENT], self.marks.words
        statement = self.claim.statements[number]
        if token.type != CITATION:
            missing = not self.claim.citations or self.claim.by_mark
            return f" {words.not_verified}" if statement.support == "not_supported" and missing else ""
        bracket = bracket_of(token)
        if not token.meta[LAST] and not bracket.inferred and _share_one_number(statement):
            return ""
        cited = [one for mark in bracket.marks for one in self.claim.by_mark[mark]]
        numbers = _render_citation_numbers(cited, self.marks.of_works, ", " if bracket.inferred else " ")
        if bracket.inferred:
            holds = numbers and all(one.verdict == "verified" for one in cited)
            doubted = self.marks.render_support(self.claim, number) if token.meta[LAST] else ""
            inferred = words.inferred_from.format(numbers=numbers)
            return f"{inferred}{doubted}" if holds else f"{words.inferred} {words.not_verified}"
        doubted = self.marks.render_support(self.claim, number) if token.meta[LAST] else ""
        return f"{numbers or words.not_verified}{doubted}"


def _share_one_number(statement: Statement) -> bool:
    """Return whether all that a statement cites holds and has one number, which then stands once, at its last mark."""
    return (
        statement.kind == "fact"
        and all(one.verdict == "verified" for one in statement.citations)
        and len({one.number for one in statement.citations}) == 1
    )


def _render_citation_numbers(citations: Iterable[CheckedCitation], marks: Mapping[int, str], between: str = " ") -> str:
    """The numbers of what holds, each once; behind that of a work that does not stand it says so."""
    numbers = dict.fromkeys(one.number for one in citations if one.number is not None)
    return between.join(render_number(number, marks) for number in numbers)
