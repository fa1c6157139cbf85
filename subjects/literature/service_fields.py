"""Fields of services as they write them: markup as blocks of text; titles, names and dates in the form of `Work`.

Fragments of JATS and HTML are often not well-formed, so they are parsed by the rules of HTML5, which never fail and
know no custom entities. A `<` that begins no whole tag is text: `<LOD` in an abstract hides nothing. The tree is walked
without recursion.
"""

import html
import re
from itertools import accumulate
from typing import Final
from urllib.parse import quote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from elcano.activities.passages.document import Block
from elcano.activities.passages.formulas import strip_math_prefixes, write_formulas

_MONTH_NAMES: Final = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS: Final = {month: at for at, month in enumerate(_MONTH_NAMES.split(), start=1)}
_YEARS: Final = re.compile(r"(?<!\d)([12]\d{3})(?!\d)")
_ISO_DATE: Final = re.compile(r"\s*([12]\d{3})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?!\d)")
_CREATIVE_COMMONS: Final = re.compile(
    r"(?:https?://(?:www\.)?creativecommons\.org/(?:licenses/|publicdomain/)?|cc-)"
    r"(by(?:-nc)?(?:-nd|-sa)?|zero|0|mark)(?![a-z])(?:/(\d\.\d))?.*",
    re.IGNORECASE,
)
_LANGUAGE_CODES: Final = """
eng:en fre:fr fra:fr ger:de deu:de spa:es ita:it por:pt rus:ru jpn:ja chi:zh zho:zh kor:ko pol:pl dut:nl nld:nl swe:sv
dan:da nor:no fin:fi cze:cs ces:cs hun:hu tur:tr gre:el ell:el heb:he ara:ar per:fa fas:fa hrv:hr srp:sr slo:sk slk:sk
slv:sl rum:ro ron:ro bul:bg ukr:uk lit:lt lav:lv est:et ice:is isl:is cat:ca tha:th vie:vi ind:id may:ms msa:ms hin:hi
und: mul: mis: zxx:
"""
"""Library codes (ISO 639-2, both kinds) that have a short one; those that name no language are empty."""
_LANGUAGES: Final = dict(pair.split(":") for pair in _LANGUAGE_CODES.split())


def clean_title(text: str, *, translated: bool = False) -> str:
    """Remove the full stop that libraries put after a title and, if it is `translated`, the brackets around it.

    A bracket that closes within the title belongs to it: `[18F]FDG in lymphoma`.
    """
    plain = " ".join(text.split())
    if translated and plain.startswith("["):
        inner = plain.rstrip(".")
        depths = accumulate((sign == "[") - (sign == "]") for sign in inner)
        closes = next((at for at, depth in enumerate(depths) if depth == 0), len(inner))
        if closes >= len(inner) - 1:
            plain = inner[1:closes].strip()
    return plain.removesuffix(".") if not plain.endswith("..") else plain


def format_author_name(family: str, given: str, suffix: str = "") -> str:
    """Format a name as `Family, Given`, as far as the parts are known."""
    return ", ".join(part for part in (" ".join(f"{family} {suffix}".split()), " ".join(given.split())) if part)


def format_page_range(first: str, last: str) -> str:
    """Format pages as `10-19`, or `10` if there is one page or the last one is unknown."""
    return f"{first}-{last}" if first and last and first != last else first


def format_doi_url(doi: str) -> str:
    """Return the address of a DOI; empty without one."""
    return f"https://doi.org/{quote(doi, safe='/:;().')}" if doi else ""


def format_date(year: object, month: object = "", day: object = "") -> str:
    """Format a date as `2024`, `2024-05` or `2024-05-17`, as exactly as it is known; empty without a year.

    Args:
        year: a number, its digits, or a range as `2023 Nov-2024 Jan`, of which the first year is taken.
        month: a number or an English name.
        day: a number.
    """
    found = _YEARS.search(str(year))
    if found is None:
        return ""
    number = _parse_bounded_number(month, 12) or _MONTHS.get(str(month).strip()[:3].lower(), 0)
    if not number:
        return found[1]
    return f"{found[1]}-{number:02}" + (f"-{days:02}" if (days := _parse_bounded_number(day, 31)) else "")


def parse_iso_date(text: str) -> str:
    """Return the date at the beginning of a text such as `2024-05-17T12:00`, as far as it is valid; else empty."""
    found = _ISO_DATE.match(text)
    return format_date(*(part or "" for part in found.groups())) if found else ""


def parse_year(date: str) -> int | None:
    """Return the year of a date in the form of `format_date`."""
    return int(date[:4]) if date else None


def normalize_language_code(code: str) -> str:
    """Return a language as `en`; an unknown code stays as it is."""
    plain = code.strip().lower()
    return _LANGUAGES.get(plain, plain)


def normalize_licence_name(given: str) -> str:
    """Return the name of a licence, `CC BY 4.0`, if `given` is the address or the code of a known one; else `given`."""
    found = _CREATIVE_COMMONS.fullmatch(given)
    if found is None:
        return given
    kind, version = found[1].lower(), found[2]
    name = {"zero": "CC0", "0": "CC0", "mark": "Public Domain Mark"}.get(kind, f"CC {kind.upper()}")
    return f"{name} {version}" if version else name


def _parse_bounded_number(given: object, most: int) -> int:
    """Parse `given` as a number from 1 to `most`; 0 if it is none."""
    plain = str(given).strip()
    number = int(plain) if plain.isascii() and plain.isdigit() and len(plain) <= 2 else 0
    return number if number <= most else 0


MOST_CHARACTERS: Final = 50_000
"""Length of one fragment; the longest abstracts have some ten thousand."""
_BLOCKS: Final = frozenset(
    {"p", "sec", "title", "list", "list-item", "li", "ul", "ol", "div", "br", "tr", "table", "disp-formula", "body"}
    | {f"h{level}" for level in range(1, 7)}
)
_HEADINGS: Final = frozenset({"title", *(f"h{level}" for level in range(1, 7))})
_SET_APART: Final = frozenset({"italic", "i", "em"})
_UNREAD: Final = frozenset({"script", "style", "template", "annotation", "annotation-xml"})
_ASIDE: Final = re.compile(r"<!--.{0,1000}?-->|<!\[CDATA\[|\]\]>|<\?[^<>]{0,200}\?>", re.DOTALL)
"""Comments, processing instructions, and the marks around literal text."""
_STRAY: Final = re.compile(
    r"<(?!/?[a-z][a-z0-9:-]{0,30}+(?:\s++[\w:-]{1,40}+\s*+=\s*+(?:\"[^\"<>]{0,500}+\"|'[^'<>]{0,500}+'))*+\s*+/?>)",
    re.IGNORECASE,
)
_ESCAPED: Final = re.compile(
    r"&lt;(/?)((?:jats:)?(?:p|i|b|em|strong|italic|bold|sup|sub|sec|title|div|span|u|br|li|ul|ol|h[1-6]))"
    r"(?:\s[^<>&]{0,200})?/?&gt;",
    re.IGNORECASE,
)
"""A tag that was escaped once too often."""
_NO_NAME: Final = re.compile(r"(?i)\W*abstract\W*")


def parse_markup_blocks(fragment: str) -> tuple[Block, ...]:
    """Return the paragraphs and headings of a fragment, without a first heading that only says `Abstract`."""
    read = list(_parse_fragment(fragment[:MOST_CHARACTERS]))
    if read and read[0].kind == "heading" and _NO_NAME.fullmatch(read[0].text):
        del read[0]
    return tuple(read)


def flatten_markup(fragment: str) -> str:
    """Return all text of a fragment, such as a title, on one line."""
    return " ".join(block.text for block in _parse_fragment(fragment[:MOST_CHARACTERS]))


def _parse_fragment(fragment: str) -> list[Block]:
    if "<" not in fragment and "&" not in fragment:
        return [Block(plain)] if (plain := " ".join(fragment.split())) else []
    reading = _Reading()
    escaped = _STRAY.sub("&lt;", _ASIDE.sub(" ", _with_tags(fragment)))
    root = LexborHTMLParser(f"<!doctype html><body>{strip_math_prefixes(escaped)}").body
    if root is not None:
        write_formulas(root)
        _walk_nodes(root, reading)
    reading.end()
    return reading.blocks


def _with_tags(fragment: str) -> str:
    """Return `fragment` with escaped elements that are closed as elements; `x &lt;b&gt; y` stays as it is."""
    closed = {found[2].lower() for found in _ESCAPED.finditer(fragment) if found[1]}
    if not closed:
        return fragment
    return _ESCAPED.sub(lambda tag: html.unescape(tag[0]) if tag[2].lower() in {*closed, "br"} else tag[0], fragment)


class _Reading:
    """The blocks and open headings read so far."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._parts: list[str] = []
        self._kinds: list[str] = []
        """The open headings."""

    def add(self, text: str) -> None:
        self._parts.append(text)

    def enter(self, name: str) -> None:
        if name in _BLOCKS:
            self.end()
        if name in _HEADINGS:
            self._kinds.append(name)

    def leave(self, name: str) -> None:
        if name in _BLOCKS:
            self.end()
        if name in _HEADINGS and self._kinds:
            self._kinds.pop()

    def apart(self, following: str) -> None:
        """Separate two words that only a change of type separates: some publishers lose the space between them."""
        before = self._parts[-1][-1:] if self._parts else ""
        if before.isalnum() and re.match(r"\w\w", following):
            self._parts.append(" ")

    def end(self) -> None:
        text = " ".join("".join(self._parts).split())
        self._parts.clear()
        if not text:
            return
        self.blocks.append(Block(text, "heading", level=1) if self._kinds else Block(text))


def _walk_nodes(root: LexborNode, reading: _Reading) -> None:
    node: LexborNode | None = root.child
    while node is not None:
        if node.is_text_node:
            _add_text_node(node, reading)
        elif node.is_element_node and not _is_skipped_node(node):
            reading.enter(_get_local_name(node))
            if node.child is not None:
                node = node.child
                continue
            reading.leave(_get_local_name(node))
        while node is not None and node.next is None and node.mem_id != root.mem_id:
            node = node.parent
            if node is not None and node.mem_id != root.mem_id:
                reading.leave(_get_local_name(node))
        node = node.next if node is not None and node.mem_id != root.mem_id else None


def _add_text_node(node: LexborNode, reading: _Reading) -> None:
    text = node.text_content or ""
    parent, before = node.parent, node.prev
    if (before is not None and _get_local_name(before) in _SET_APART) or (
        before is None and parent is not None and _get_local_name(parent) in _SET_APART
    ):
        reading.apart(text)
    reading.add(text)


def _is_skipped_node(node: LexborNode) -> bool:
    """Whether a node says nothing, or repeats what another says: TeX next to MathML."""
    parent = node.parent
    name = _get_local_name(node)
    return name in _UNREAD or (name == "tex-math" and parent is not None and _get_local_name(parent) == "alternatives")


def _get_local_name(node: LexborNode) -> str:
    """Return the name of an element without its prefix, such as `jats:` or `mml:`."""
    return (node.tag or "").rpartition(":")[2]
