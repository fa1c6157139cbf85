"""Renders untrusted text as Markdown that stays what it is: one line, no HTML, no links or images of its own.

And the list of references of a report: a document of which nothing is known besides its title is shown by its places.

No `[` leaves this file bare, but for that of a link whose text is bold. So in a report, a number in bare brackets is
always one that code gave. Markup of CommonMark and GitHub is disarmed by backslashes, HTML by entities, because
careless renderers overlook backslashes.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote

from elcano.graphs.report.report import Reference
from elcano.graphs.report.works import (
    Work,
    canonicalize_page_url,
    describe_work_flags,
    format_authors,
    format_identifier,
    format_reference_warning,
    format_venue,
    list_work_identifiers,
    resolve_work_url,
)
from elcano.graphs.text import format_utc_day, shorten_text
from elcano.text.words import on_one_line

_MARKUP: Final = re.compile(r"[\\`*\[\]~|$]|(?<![^\W_])_|_(?![^\W_])")  # `_` within a word is no markup
_BLOCK: Final = re.compile(r">|[-+*](?=\s|$)|#{1,6}(?=\s|$)|[-=]{2,}|~{3,}|(?:[-*_] ?){3,}$")
"""Beginnings of lines that are lists, headings, rules or fences."""
_LIST_NUMBER: Final = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_INLINE: Final = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<code>(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<loose>`+|[\\\[\]&<])"
)
_NOT_IN_CODE: Final = frozenset("[]&<")
_LOOSE: Final = frozenset("\\`[]&<")
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;"}
_IN_ADDRESS: Final = "%!#$&'()*+,/:;=?@~"


def escape_markdown(text: str) -> str:
    """`text` on one line, shown exactly as it reads: none of it is markup."""
    escaped = _MARKUP.sub(r"\\\g<0>", on_one_line(text))
    return _escape_line_start("".join(_ENTITIES.get(character, character) for character in escaped))


def sanitize_markdown(text: str) -> str:
    """`text` on one line, with its emphasis and code, but without links, images, HTML or marks like our citations.

    Code that has brackets or HTML in it is shown with its backticks.
    """
    return _escape_line_start(_INLINE.sub(_escape_match, on_one_line(text)))


def render_link(title: str, locator: str) -> str:
    """`title` as a link if `locator` is a web address, else both as text."""
    shown = f"**{escape_markdown(title) or 'untitled'}**"
    if _is_web(locator):
        return f"[{shown}]({_quote_link_target(locator)})"
    return f"{shown} ({escape_markdown(locator)})" if locator else shown


def render_locator(locator: str) -> str:
    """A locator alone: a link if it is a web address, else text."""
    return (
        f"[**{escape_markdown(locator)}**]({_quote_link_target(locator)})"
        if _is_web(locator)
        else escape_markdown(locator)
    )


def _is_web(locator: str) -> bool:
    return locator.startswith(("http://", "https://"))


def _quote_link_target(address: str) -> str:
    return f"<{quote(address, safe=_IN_ADDRESS)}>"


def _escape_line_start(line: str) -> str:
    """`line` as what a line may begin with."""
    if _BLOCK.match(line):
        return "\\" + line
    return _LIST_NUMBER.sub(r"\1\\\2", line) if _LIST_NUMBER.match(line) else line


def _escape_match(found: re.Match[str]) -> str:
    if found["code"] and _NOT_IN_CODE.isdisjoint(found[0]):
        return found[0]
    return "".join(
        _ENTITIES.get(one, "\\" + one) if found["escaped"] or one in _LOOSE else one
        for one in found["escaped"] or found[0]
    )


def render_bullets(heading: str, items: Iterable[str]) -> list[str]:
    """A heading with a bullet for each item, which are Markdown; nothing if there is none."""
    bullets = [f"- {item}" for item in items]
    return [f"## {heading}", "\n".join(bullets)] if bullets else []


def render_table(head: Sequence[str], rows: Iterable[Sequence[str]], rule: Sequence[str] = ()) -> str:
    """A table of cells that are Markdown; `rule` aligns its columns."""
    lines = [head, rule or ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def render_number(number: int, marks: Mapping[int, str]) -> str:
    """The number of a reference in brackets, with what has to be known of one that does not stand."""
    return f"[{number}, {marks[number]}]" if number in marks else f"[{number}]"


QUOTE_CHARACTERS: Final = 400
"""Maximum length of a quote below its reference; the report's data have the whole."""
LICENCE_CHARACTERS: Final = 80
"""Room for a name and an address; some ask that both be shown."""


class QuotedWords(NamedTuple):
    """Words that a report quotes."""

    place: str
    """Place of the quotes: the locator of their passage, or of their own page."""
    words: str
    remark: str = ""
    """Remark on them for readers, such as that OCR read them; without parentheses."""


def render_references(
    references: Sequence[Reference],
    heading: str = "References",
    quotes: Mapping[int, Sequence[QuotedWords]] | None = None,
    day: str = "",
) -> list[str]:
    """The list under its heading; nothing if there is none.

    Behind a number that is missing the sign behind numbers changes: Markdown would count on.

    Args:
        references: one for each number.
        heading: in the language of the report.
        quotes: by number the words that the report quotes, in the order in which they are shown.
        day: when the report says above that everything was retrieved; only other days are shown with a reference.
    """
    lines: list[str] = []
    last, sign = 0, "."
    for reference in references:
        if lines and reference.number != last + 1:
            sign = ")" if sign == "." else "."
        last = reference.number
        quoted = (quotes or {}).get(reference.number, ())
        below = len({one.place for one in quoted}) > 1
        lines.append(f"{reference.number}{sign} {_render_reference(reference, below=below, day=day)}")
        indent = " " * len(f"{reference.number}{sign} ")
        lines += (f"{indent}- {one}" for one in _render_quotes(quoted))
    return [f"## {heading}", "\n".join(lines)] if lines else []


def _render_quotes(quotes: Iterable[QuotedWords]) -> Iterable[str]:
    """Each place with what is quoted from it, without quotes that are a part of another one.

    The place is left out where there is one alone.
    """
    by_place: dict[str, dict[str, str]] = {}
    for place, words, remark in quotes:
        by_place.setdefault(place, {}).setdefault(" ".join(words.split()), remark)
    for place, quoted in by_place.items():
        whole = (one for one in quoted if not any(one in other for other in quoted if other != one))
        said = [
            f"“{escape_markdown(shorten_text(one, QUOTE_CHARACTERS))}”"
            + (f" ({escape_markdown(quoted[one])})" if quoted[one] else "")
            for one in whole
        ]
        if len(by_place) > 1:
            yield f"{render_locator(place)}: {'; '.join(said)}" if place else "; ".join(said)
        else:
            yield from said


def list_retraction_warnings(references: Iterable[Reference]) -> tuple[str, ...]:
    """A sentence for every reference that was retracted or withdrawn, or that its publisher has doubts of."""
    warnings = (format_reference_warning(reference.number, reference.title, reference.work) for reference in references)
    return tuple(filter(None, warnings))


def render_work_flag(words: str) -> str:
    """Format a warning about a work, to be put in front of it; empty if there is none."""
    return f"**{escape_markdown(words)}** " if words else ""


def _render_reference(reference: Reference, *, below: bool, day: str) -> str:
    """One entry; `below`: the places that are cited stand below it, with what is quoted from each."""
    if reference.work is not None:
        return _render_work(reference, reference.work, day, below=below)
    if below:
        return f"**{escape_markdown(reference.title)}** — {escape_markdown(reference.source)}"
    if len(reference.locators) == 1:
        return f"{render_link(reference.title, reference.locators[0])} — {escape_markdown(reference.source)}"
    places = "; ".join(map(render_locator, reference.locators))
    return f"**{escape_markdown(reference.title)}** — {escape_markdown(reference.source)}: {places}"


def _render_work(reference: Reference, work: Work, day: str, *, below: bool) -> str:
    by = format_authors(work.authors)
    year = f"({work.year})" if work.year else ""
    head = escape_markdown(" ".join(filter(None, (by, year))))
    address = resolve_work_url(work)
    title = render_link(reference.title, address)
    names = list_work_identifiers(work)
    shown = {_normalize_address(address), *(_normalize_address(where) for _, where in names)}
    places = [render_locator(one) for one in reference.locators if one and _normalize_address(one) not in shown]
    preprints = [render_link(*format_identifier(name)) for name in reference.preprints]
    parts = [
        f"{head}. " if head else "",
        f"{title}. ",
        f"{escape_markdown(where)}. " if (where := format_venue(work)) else "",
        f"{', '.join(render_link(*name) for name in names)}. " if names else "",
        f"There is a preprint of it: {', '.join(preprints)}. " if preprints else "",
        f"Cited from: {'; '.join(places)}. " if places and not below else "",
        f"Licence: {escape_markdown(shorten_text(work.licence, LICENCE_CHARACTERS))}. " if work.licence else "",
        f"— {_render_retrievals(reference, day)}",
    ]
    return render_work_flag(describe_work_flags(work)) + "".join(parts)


def _render_retrievals(reference: Reference, day: str) -> str:
    """Return the sources of the cited text, with dates of retrieval but `day`, and others that report the work."""
    cited = {text.source: text.retrieved for text in reference.texts}
    days_read = {one.source: one.retrieved_at for one in reference.described_by}
    days = ((source, on or format_utc_day(days_read.get(source, 0.0))) for source, on in cited.items())
    own = ", ".join(f"{source}, retrieved {on}" if on not in ("", day) else source for source, on in days)
    others = ", ".join(source for source in days_read if source and source not in cited)
    return escape_markdown(f"{own}; also found by {others}" if others else own)


def _normalize_address(address: str) -> str:
    """An address without what makes no difference to where it leads."""
    if not address.startswith(("https://", "http://")):
        return address
    try:
        return canonicalize_page_url(address).partition("://")[2].removesuffix("/")
    except ValueError:  # its port is none
        return address
