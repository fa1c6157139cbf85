"""Titles and authors that documents declare in their properties, as far as they can be believed."""

import re
from typing import Final, NamedTuple

from elcano.subjects.documents.authorship import parse_authors
from elcano.text.xml_tree import Element, get_local_name

_NO_TITLE: Final = re.compile(
    r"(?:microsoft )?(?:word|powerpoint|excel|office)(?: \S{1,40})?(?: - .*)?|untitled.{0,10}|no title|title|titel|"
    r"document ?\d{0,4}|dokument ?\d{0,4}|presentation ?\d{0,4}|powerpoint[- ]\S{1,40}|slide \d{1,4}|"
    r".{0,200}\.(?:docx?|docm|dotx?|odt|rtf|pdf|pptx?|xlsx?|tex|wpd|html?|indd|qxd)|\W*|\d*",
    re.IGNORECASE,
)
_NO_AUTHOR: Final = re.compile(
    r"(?:microsoft|ms)[ -]?(?:office|corporation|word)?(?: user)?|(?:windows|office|default|test|local|system) ?user|"
    r".{0,40}(?:administrator|corporation|\buser\b|\badmin\b).{0,40}|python-docx|apache poi|unknown author|"
    r"your name|author name|first ?name last ?name|jane roe",
    re.IGNORECASE,
)
_MOST_CHARACTERS: Final = 300


def choose_title(said: str) -> str:
    """The declared title; empty if it is what a program writes by itself, or the name of a file."""
    title = " ".join(said.split())
    return "" if len(title) > _MOST_CHARACTERS or _NO_TITLE.fullmatch(title) else title


def choose_authors(said: str) -> tuple[str, ...]:
    """The declared authors, without accounts and programs."""
    return tuple(name for name in parse_authors(said[:2_000]) if not _NO_AUTHOR.fullmatch(name))


class Properties(NamedTuple):
    """Properties of a document."""

    title: str = ""
    authors: tuple[str, ...] = ()


def read_properties(root: Element | None) -> Properties:
    """Return the title and the authors that a document declares: who first wrote it, else who saved it last."""
    said = {get_local_name(one): one.text or "" for one in root.iter()} if root is not None else {}
    return Properties(
        choose_title(said.get("title", "")), choose_authors(said.get("initial-creator") or said.get("creator", ""))
    )
