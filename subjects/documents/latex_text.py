"""Running text of LaTeX as it is printed: formulas on one line, commands and accents as what they show."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from elcano.subjects.documents.latex_commands import (
    ACCENTS,
    CITED,
    DROPPED,
    ENVIRONMENT_ARGUMENTS,
    LAST_SHOWN,
    LAST_SHOWN_ARGUMENTS,
    REFERENCES,
    SILENT,
    SYMBOLS,
    list_symbols,
)
from elcano.subjects.documents.latex_macros import read_argument, read_group, read_option, skip_space
from elcano.subjects.documents.latex_units import format_number, write_unit
from elcano.text.tex_formulas import write_tex
from elcano.text.words import lower_text, raise_text

MOST_DEPTH: Final = 40
"""Maximum nesting of groups that are read: each level costs Python a few stack frames."""
_LENGTH: Final = re.compile(
    r"\s{0,9}=?\s{0,9}(?:to|by)?\s{0,9}-?(?:\d{0,6}\.?\d{1,6}|\d{1,6}\.)\s?(?:true)?(?:pt|em|ex|in|cm|mm|pc|bp|sp|mu)(?![A-Za-z])"
    r"(?:\s{0,9}(?:plus|minus)\s{0,9}-?[\d.]{1,9}\s?[a-z]{2,5}){0,2}|\s{0,9}=\s{0,9}-?\d{1,6}"
)
"""A length behind a command that takes one without braces, as `\\vskip 1cm` does."""
_TOKEN: Final = re.compile(
    r"\\(?:([A-Za-z@]+)\*?[ \t]?|(.))|\$\$|[${}~]|``|''|---?|[ \t\n]+|[^\\${}~`'\-\s]+|.", re.DOTALL
)


def write_inline(text: str, notes: list[str] | None = None, depth: int = 0) -> str:
    """Return running text: formulas on one line, commands as what they show. Notes are added to `notes`."""
    if depth > MOST_DEPTH:
        return text
    parts: list[str] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        assert found is not None  # every character is a token
        at = found.end()
        token = found[0]
        if found[1] is not None or found[2] is not None:
            written, at = _write_command(found[1] or found[2], text, at, notes, depth)
            parts.append(written)
        elif token in ("$", "$$"):
            end = _find_math_end(text, at, token)
            parts.append(write_formula(text[at:end]))
            at = min(end + len(token), len(text))
        elif token not in ("{", "}"):
            parts.append(_WRITTEN.get(token, " " if token.isspace() else token))
    return "".join(parts)


write_formula = lru_cache(10_000)(write_tex)
"""A source repeats many formulas, as `$x$`, and each takes a tenth of a millisecond."""
_WRITTEN: Final = {
    "~": " ",
    "``": "\u201c",
    "''": "\u201d",
    "--": "\u2013",
    "---": "\u2014",
    "`": "\u2018",
    "'": "\u2019",
}


def _find_math_end(text: str, start: int, mark: str) -> int:
    at = start
    while (at := text.find(mark, at)) >= 0:
        if text[at - 1] != "\\":
            return at
        at += 1
    return len(text)


def _write_command(name: str, text: str, at: int, notes: list[str] | None, depth: int) -> tuple[str, int]:
    if name in ("(", "["):
        end = text.find("\\)" if name == "(" else "\\]", at)
        end = len(text) if end < 0 else end
        return write_formula(text[at:end]), min(end + 2, len(text))
    if name in ACCENTS and (
        len(name) > 1 or not name.isalpha() or text[at : at + 1] in ("{", " ") or text[at - 1] == " "
    ):
        argument, end = read_argument(text, at)
        base = write_inline(argument, notes, depth + 1).replace("ı", "i").replace("ȷ", "j")
        return unicodedata.normalize("NFC", base[:1] + ACCENTS[name] + base[1:]) if base else "", end
    if name in SYMBOLS:
        end = at + 2 if text[at : at + 2] == "{}" else at
        return SYMBOLS[name], read_option(text, end)[1] if name == "\\" else end
    if name in DROPPED:
        return "", _skip_arguments(text, at, DROPPED[name])
    if writer := _WRITERS.get(name):
        return writer(text, at, notes, depth)
    if name in ("begin", "end"):
        environment, end = read_group(text, at)
        return " ", _skip_arguments(text, end, ENVIRONMENT_ARGUMENTS.get(environment, 0)) if name == "begin" else end
    if name in REFERENCES or CITED.fullmatch(name):
        return _write_reference(text, at)
    if name in LAST_SHOWN:
        return _write_last(name, text, at, notes, depth)
    return _write_unknown(name, text, at, notes, depth)


def _skip_arguments(text: str, at: int, count: int) -> int:
    while (option := read_option(text, at))[0] is not None:
        at = option[1]
    for _ in range(count):
        at = read_group(text, at)[1]
    return at


def _write_reference(text: str, at: int) -> tuple[str, int]:
    """A reference by its key: its number is not in the file."""
    while (option := read_option(text, at))[0] is not None:
        at = option[1]
    keys, end = read_group(text, at)
    return f"[{', '.join(key.strip() for key in keys.split(','))}]" if keys else "", end


def _write_last(name: str, text: str, at: int, notes: list[str] | None, depth: int) -> tuple[str, int]:
    argument = ""
    for _ in range(LAST_SHOWN_ARGUMENTS.get(name, 2)):
        while (option := read_option(text, at))[0] is not None:
            at = option[1]
        argument, at = read_group(text, at)
        if name == "texorpdfstring":
            return write_inline(argument, notes, depth + 1), read_group(text, at)[1]
    return write_inline(argument, notes, depth + 1), at


def _write_unknown(name: str, text: str, at: int, notes: list[str] | None, depth: int) -> tuple[str, int]:
    """A command that is not known: a symbol, or one that sets its arguments in another way."""
    if symbol := list_symbols().get(name):
        return symbol, at + 2 if text[at : at + 2] == "{}" else at
    if length := _LENGTH.match(text, at):
        return "", length.end()
    if _UNSEEN.fullmatch(name) and (end := _skip_index_entry(text, at)) is not None:
        return "", end
    _, end = read_option(text, at)
    has_group = text[skip_space(text, end) :][:1] == "{"
    if name in SILENT and not _touches(text, at, "["):
        return "", at  # brackets apart from a command without arguments are text
    if has_group or name in SILENT or not name.isalpha():
        return "", end if has_group else at
    return f"\\{name} ", at  # defined elsewhere: a sentence must not read on as if there were nothing


_UNSEEN: Final = re.compile(
    r"(?:[a-z]{0,2}|see|sub|names?|subject|author|person|place|terms?|symbols?|words?)index(?:def|foot|see|symbol)?"
)
"""Commands of a file's own that write into its index: what they are given is not printed there."""


def _skip_index_entry(text: str, at: int) -> int | None:
    """The end of the only group that a command for an index takes, without space before it; None if it is no entry.

    An entry has letters: a command that is given a figure, or nothing, prints it.
    """
    while _touches(text, at, "[") and (option := read_option(text, at))[0] is not None:
        at = option[1]
    entry, end = read_group(text, at) if _touches(text, at, "{") else ("", at)
    return end if any(map(str.isalpha, entry)) else None


def _touches(text: str, at: int, mark: str) -> bool:
    """Whether `mark` follows a command without white space."""
    return text[at : at + 1] == mark and not text[at - 1].isspace()


def _write_note(text: str, at: int, notes: list[str] | None, depth: int) -> tuple[str, int]:
    at = read_option(text, at)[1]
    note, end = read_group(text, at)
    if notes is not None:
        notes.append(write_inline(note, None, depth + 1))
    return "", end


def _write_verb(text: str, at: int, notes: list[str] | None, depth: int) -> tuple[str, int]:
    mark = text[at : at + 1]
    end = text.find(mark, at + 1) if mark else -1
    return (text[at + 1 : end], end + 1) if end > 0 else ("", at)


def _wrap(change: Callable[[str], str]) -> Callable[[str, int, list[str] | None, int], tuple[str, int]]:
    def write(text: str, at: int, notes: list[str] | None, depth: int) -> tuple[str, int]:
        argument, end = read_group(text, at)
        return change(write_inline(argument, notes, depth + 1)), end

    return write


def _write_address(text: str, at: int, notes: list[str] | None, depth: int) -> tuple[str, int]:
    address, end = read_group(text, at)
    return re.sub(r"\\(.)", r"\1", address), end


def _write_number(text: str, at: int, notes: list[str] | None, depth: int) -> tuple[str, int]:
    number, end = read_group(text, read_option(text, at)[1])
    return format_number(number), end


def _write_quantity(text: str, at: int, notes: list[str] | None, depth: int) -> tuple[str, int]:
    number, end = read_group(text, read_option(text, at)[1])
    unit, end = read_group(text, read_option(text, end)[1])
    return f"{format_number(number)} {write_unit(unit)}".strip(), end


def _write_unit(text: str, at: int, notes: list[str] | None, depth: int) -> tuple[str, int]:
    unit, end = read_group(text, read_option(text, at)[1])
    return write_unit(unit), end


_WRITERS: Final[Mapping[str, Callable[[str, int, list[str] | None, int], tuple[str, int]]]] = {
    "footnote": _write_note,
    "footnotetext": _write_note,
    "thanks": _write_note,
    "marginpar": _write_note,
    "sidenote": _write_note,
    "verb": _write_verb,
    "lstinline": _write_verb,
    "textsuperscript": _wrap(raise_text),
    "textsubscript": _wrap(lower_text),
    "ensuremath": lambda text, at, notes, depth: (lambda group: (write_tex(group[0]), group[1]))(read_group(text, at)),
    "enquote": _wrap(lambda text: f"\u201c{text}\u201d"),
    "url": _write_address,
    "path": _write_address,
    "nolinkurl": _write_address,
    "num": _write_number,
    "ang": _wrap(lambda text: f"{text}°"),
    "SI": _write_quantity,
    "qty": _write_quantity,
    "si": _write_unit,
    "unit": _write_unit,
    "ce": _wrap(lambda text: re.sub(r"(?<=[A-Za-z)\]])\d+", lambda found: lower_text(found[0]), text)),
}
