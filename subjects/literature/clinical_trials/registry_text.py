"""Formats the registry's fields as text: its codes as words, its lists as lines."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from elcano.activities.passages.document import Block

_ESCAPED: Final = re.compile(r"\\([^\w\s])")
_PHASE: Final = re.compile(r"phase(\d)")


def format_registry_code(code: str) -> str:
    """Format `NOT_YET_RECRUITING` as `not yet recruiting`, `PHASE2` as `phase 2`, `NA` as `not applicable`."""
    plain = code.strip().replace("_", " ").lower()
    return "not applicable" if plain == "na" else _PHASE.sub(r"phase \1", plain)


def unescape_markdown(text: str) -> str:
    """Remove the backslashes by which the registry escapes Markdown."""
    return _ESCAPED.sub(r"\1", text).strip()


def unescape_to_line(text: str) -> str:
    """Do the same, on one line."""
    return " ".join(unescape_markdown(text).split())


def format_labelled_date(label: str, date: str, kind: str) -> str:
    """Format a date as `completed 2013-01 (actual)`; empty without a date."""
    return f"{label} {date}" + (f" ({format_registry_code(kind)})" if kind else "") if date else ""


def format_labelled_parts(label: str, *parts: str) -> str:
    """Format `Label: parts`; empty without the first part."""
    return f"{label}: {'; '.join(part for part in parts if part)}" if parts[0] else ""


def join_parts(parts: Iterable[str]) -> str:
    """Join the parts that there are."""
    return ", ".join(part for part in parts if part)


def build_heading(text: str, level: int = 1) -> Block:
    """Build a heading."""
    return Block(unescape_to_line(text), kind="heading", level=level)


def split_paragraphs(text: str) -> Iterator[Block]:
    """Split a text into its paragraphs."""
    yield from (Block(part) for part in re.split(r"\n\s*\n", unescape_markdown(text)) if part.strip())


def build_rows_block(lines: Iterable[str]) -> Iterator[Block]:
    """Build a block of lines that are never split: a passage may only end between two of them."""
    if kept := [one for one in lines if one]:
        yield Block("\n".join(kept), kind="code")


def build_section(title: str, blocks: Iterable[Block], level: int = 1) -> Iterator[Block]:
    """Build a section; nothing if it would be empty."""
    if kept := list(blocks):
        yield build_heading(title, level)
        yield from kept
