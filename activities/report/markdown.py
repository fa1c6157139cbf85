"""Renders untrusted text as Markdown that stays what it is: one line, no HTML, no links or images of its own.

No `[` leaves this file bare, but for that of a link whose text is bold. So in a report, a number in bare brackets is
always one that code gave. Markup of CommonMark and GitHub is disarmed by backslashes, HTML by entities, because
careless renderers overlook backslashes.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from urllib.parse import quote

_MARKUP: Final = re.compile(r"[\\`*\[\]~|$]|(?<![^\W_])_|_(?![^\W_])")  # `_` within a word is no markup
_BLOCK: Final = re.compile(r">|[-+*](?=\s|$)|#{1,6}(?=\s|$)|[-=]{2,}|~{3,}|(?:[-*_] ?){3,}$")
"""What makes a line that begins with it a list, a heading, a rule or a fence."""
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
    escaped = _MARKUP.sub(r"\\\g<0>", _one_line(text))
    return _escape_line_start("".join(_ENTITIES.get(character, character) for character in escaped))


def sanitize_markdown(text: str) -> str:
    """`text` on one line, with its emphasis and code, but without links, images, HTML or marks like our citations.

    Code that has brackets or HTML in it is shown with its backticks.
    """
    return _escape_line_start(_INLINE.sub(_escape_match, _one_line(text)))


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


def _one_line(text: str) -> str:
    return " ".join(text.split())


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
