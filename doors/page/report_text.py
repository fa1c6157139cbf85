"""The text of a report as its page shows it: in sections that a browser lays out one at a time, with its contents."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from markupsafe import Markup, escape

_MAIN: Final = re.compile(r"<main>\n(.*)</main>", re.DOTALL)
_TITLE: Final = re.compile(r"\A<h1>.*?</h1>\n?", re.DOTALL)
_HEADING: Final = re.compile(r"<h2>(.*?)</h2>", re.DOTALL)
_BEFORE_HEADING: Final = re.compile(r"(?=<h2>)")
_ITEMS: Final = 20
"""Items of a list that a browser lays out at once."""
_LIST: Final = re.compile(r'<(/?)(ul|ol|blockquote|details|table)\b(?:[^>]*?start="(\d+)")?[^>]*>|<li\b')
_OPENING: Final = re.compile(r"<(?:blockquote|details|li|td)[ >]")
_CLOSING: Final = re.compile(r"</(?:blockquote|details|li|td)>")
_TAG: Final = re.compile(r"<[^>]*>")
_ITEM: Final = re.compile(r"<li>(.*?)</li>", re.DOTALL)
_DOUBT: Final = re.compile(
    r'(<span class="statement doubted" id="statement-(\d+)">(?:(?!<span class="statement).)*?)'
    r'\s*<span class="doubt">[(\uff08]([^<]*)[)\uff09]</span>',
    re.DOTALL,
)


_CELL: Final = re.compile(r"<td\b[^>]*>.*?</td>", re.DOTALL)
_DOUBTED: Final = re.compile(r'<span class="statement doubted" id="statement-(\d+)">')


def split_report(page: str, doubts: Mapping[int, str] | None = None) -> tuple[Markup, list[str]]:
    """Return the text of a report's page without its title, and its headings, which are numbered as `part-1`.

    The note on a doubted statement becomes a link to its reasons. A doubted table cell, which has no note, gets a link.

    A browser lays out one section at a time: a part, or so many items of a long list, such as of the references.

    Args:
        page: the page of the report.
        doubts: what links in doubted cells say, by the numbers of their statements.
    """
    found = _MAIN.search(page)
    body = _TITLE.sub("", found[1] if found else "", count=1)
    body = _DOUBT.sub(r'\1<a class="doubt" href="#claim-\2">\3</a>', body)
    body = _CELL.sub(lambda cell: _link_cell(cell[0], doubts or {}), body)
    headings = [_TAG.sub("", heading) for heading in _HEADING.findall(body)]
    numbers = iter(range(1, len(headings) + 1))
    parts = (
        _HEADING.sub(lambda heading: f'<h2 id="part-{next(numbers)}">{heading[1]}</h2>', part)
        for part in _list_parts(body)
        if part.strip()
    )
    body = "".join(f"<section>{_split_lists(part)}</section>" for part in parts)
    return Markup(body), [Markup(one).unescape() for one in headings]


def _link_cell(cell: str, doubts: Mapping[int, str]) -> str:
    """Add to a doubted cell the link to its reasons; inside the statement, where the script looks for its number."""
    doubted = _DOUBTED.search(cell)
    if doubted is None or 'class="doubt"' in cell:
        return cell
    number = int(doubted[1])
    reason = escape(doubts.get(number, "doubted"))
    link = f'<a class="doubt" href="#claim-{number}" title="{reason}">?<span class="unseen"> {reason}</span></a>'
    before, closing, after = cell.rpartition("</span>")
    return f"{before} {link}{closing}{after}"


def _list_parts(body: str) -> list[str]:
    """Split the text at the headings that are not nested in anything."""
    parts = [""]
    within = 0
    for piece in _BEFORE_HEADING.split(body):
        if piece.startswith("<h2>") and not within:
            parts.append(piece)
        else:
            parts[-1] += piece
        within += len(_OPENING.findall(piece)) - len(_CLOSING.findall(piece))
    return parts


def _split_lists(part: str) -> str:
    """A part whose long lists, if they stand in nothing else, go on in sections of their own."""
    split, within = [""], list[str]()
    taken = items = first = 0
    for found in _LIST.finditer(part):
        closes, tag, start = found.groups()
        if closes:
            within.pop()
        elif tag:
            within.append(tag)
            if len(within) == 1:
                items, first = 0, int(start or 1)
        elif len(within) == 1:
            (kind,) = within
            if items and not items % _ITEMS:
                counted = f' start="{first + items}"' if kind == "ol" else ""
                split += [part[taken : found.start()], f"</{kind}></section><section><{kind}{counted}>"]
                taken = found.start()
            items += 1
    return "".join([*split, part[taken:]])


def list_limitations(page: str, language: str) -> Iterator[str]:
    """List what the evidence does not show, as the report's page says it under a heading in its language."""
    from elcano.text.phrases import ENGLISH, get_phrases  # they load what tells languages apart

    names = {get_phrases(language).limitations, ENGLISH.limitations}
    found = _MAIN.search(page)
    for part in _list_parts(found[1] if found else ""):
        heading = _HEADING.match(part)
        if heading and Markup(heading[1]).unescape() in names:
            yield from (Markup(one).striptags() for one in _ITEM.findall(part))
