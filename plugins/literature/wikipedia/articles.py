"""An article as a work: its sections as passages, linked to the revision that was read."""

import re
from collections.abc import Iterator
from typing import Final

from elcano.activities.passages.document import Block
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.works import Identifiers, Work, canonicalize_page_url
from elcano.plugins.literature import fields
from elcano.plugins.literature.wikipedia.api_response import Page
from elcano.plugins.literature.work_records import Record

LICENCE: Final = "CC BY-SA 4.0"
MOST_CHARACTERS: Final = 1_000_000
"""Of one article; the longest of the English edition have some 500,000."""
_HEADING: Final = re.compile(r"(={2,6})\s*(.*?)\s*\1\s*")
_TEX: Final = re.compile(r"\s+\{\\(?:display|text)style (.*)\}\s*")
_INDENTED: Final = re.compile(r" {2,}|\s*$")
_LISTS: Final = """
    references | notes | notes and references | citations | sources | bibliography | further reading | external links |
    see also | einzelnachweise | weblinks | literatur | siehe auch | quellen | notes et références | références |
    liens externes | voir aussi | bibliographie | referencias | enlaces externos | véase también | bibliografía | note |
    collegamenti esterni | voci correlate | bibliografia | referências | ligações externas | примечания | ссылки |
    литература | 参考文献 | 外部链接 | 参见 | 外部リンク | 脚注 | 関連項目
"""
_UNREAD: Final = frozenset(name.strip() for name in _LISTS.split("|"))
"""Sections that only list others' works and pages, as the larger editions call them."""


def build_wikipedia_record(page: Page, edition: str) -> Record:
    """An article. Its permanent address is built here: that of the newest revision may say something else tomorrow."""
    address = page.address or f"https://{edition}.wikipedia.org/?curid={page.id}"
    revision = page.revision
    host = address.partition("://")[2].partition("/")[0]
    work = Work(
        title=page.title,
        authors=("Wikipedia contributors",),
        year=fields.parse_year(page.changed),
        published=page.changed,
        venue=f"Wikipedia ({edition})",
        publisher="Wikimedia Foundation",
        kind="encyclopedia",
        identifiers=Identifiers(url=canonicalize_page_url(address)),
        url=f"https://{host}/w/index.php?oldid={revision}" if revision else address,
        language="en" if edition == "simple" else edition,
        licence=LICENCE,
    )
    metadata: JsonObject = {"page": page.id, "edition": edition, **({"revision": revision} if revision else {})}
    return Record(work, tuple(parse_extract_blocks(page.text)), f"{edition}:{page.id}", metadata, parted=True)


def parse_extract_blocks(text: str) -> Iterator[Block]:
    """The paragraphs of an extract under their headings, without sections that only list others' works."""
    unread = 0
    """The level of the section that is left out; 0: none."""
    for line in _split_extract_paragraphs(text[:MOST_CHARACTERS]):
        heading = _HEADING.fullmatch(line)
        if heading is not None:
            level = len(heading[1]) - 1
            if unread and level > unread:
                continue
            unread = level if heading[2].casefold() in _UNREAD else 0
            if not unread and heading[2]:
                yield Block(heading[2], "heading", level=level)
        elif not unread:
            yield Block(line)


def _split_extract_paragraphs(text: str) -> Iterator[str]:
    """The lines of an extract, none of them empty; a formula is a part of its sentence again.

    An extract breaks the line for each sign of a formula, and then has the whole of it as TeX.
    """
    line = ""
    signs: list[str] = []
    within = False
    """Whether what comes next goes on with the sentence of a formula."""
    for given in text.splitlines():
        if (formula := _TEX.fullmatch(given)) is not None:
            line, within = f"{line} {formula[1]}".strip(), True
            signs.clear()
        elif _INDENTED.match(given) and (line or signs):
            signs.append(given.strip())
        elif given.strip():
            if within and not any(signs) and not given.startswith("="):
                line = f"{line} {given.strip()}"
            else:
                yield from (one for one in (line, *signs) if one)
                line = given.strip()
            signs.clear()
            within = False
    yield from (one for one in (line, *signs) if one)
