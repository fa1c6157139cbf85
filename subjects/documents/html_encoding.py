"""The characters of a page: by byte order mark, as UTF-8 where that is plain, by header, by its own declaration.

A declaration often is a template's and not the page's. Text in another encoding is next to never valid UTF-8, so bytes
that are, are. Browsers read several encodings as larger ones than their names say, and pages rely on it.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Final

from elcano.activities.passages.document import decode_text

_DECLARED: Final = (
    re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w:.-]{1,40})", re.IGNORECASE),
    re.compile(rb"^\s*<\?xml[^>]{0,200}encoding\s*=\s*[\"']([\w:.-]{1,40})", re.IGNORECASE),
)
_DECLARED_WITHIN: Final = 4_096
"""Bytes searched for a declaration; browsers search the first 1,024, and pages rely on more."""
_MEANT: Final = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
}
"""The encodings that the WHATWG's Encoding Standard uses for a name, in Python's names."""
_LABELS: Final = {"x-sjis": "cp932", "windows-31j": "cp932", "x-gbk": "gb18030", "windows-949": "cp949"}
"""Names that browsers know and Python does not."""
_OF_PAGES: Final = re.compile(
    r"utf-8|utf-16(?:-[lb]e)?|cp125\d|iso8859-\d{1,2}|koi8-[ru]|cp866|cp874|mac-(?:roman|cyrillic)|cp932|euc_jp|"
    r"iso2022_jp|gb18030|hz|big5hkscs|cp949"
)
"""Python's names of the encodings that browsers read; Python also has codecs that no page uses, such as `idna`."""
_TOLERATED: Final = 0.005
"""Share of characters that may be broken in a page that otherwise uses the encoding that it names."""
_BEYOND_ASCII: Final = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")
_PLAIN_SEQUENCES: Final = 3
"""Number of characters of several bytes from which on valid UTF-8 is no chance: one or two can be a word of Chinese in
GBK, and three pass by chance in one of some thousand texts."""
_NUL_SHARE: Final = 0.02
"""Share of NUL bytes up to which they are dirt, which browsers pass over, and not a sign of a binary file."""


def decode_html(content: bytes, declared: str = "") -> str:
    """Decode a page.

    Args:
        content: the bytes of a page.
        declared: the charset of its header; empty if there is none.

    Raises:
        FileSkipped: it is no text.
    """
    content = _without_nuls(content)
    names = list(dict.fromkeys(_list_named_encodings(content, declared)))
    if "utf-8" not in names and _is_plain_utf8(content):
        names.insert(0, "utf-8")
    elif names and names[0] != "utf-8" and _is_plain_utf8(content):
        names.sort(key=lambda name: name != "utf-8")
    for name in names:
        try:
            content.decode(name)
        except UnicodeDecodeError:
            continue
        return decode_text(content, name)
    for name in names:
        text = content.decode(name, "replace")
        if text.count("\ufffd") <= len(text) * _TOLERATED:
            return text
    return decode_text(content)


def _without_nuls(content: bytes) -> bytes:
    """The bytes without a few NULs in them; text of two or four bytes a character is full of them, and stays."""
    count = content.count(b"\0")
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE))
    return content.replace(b"\0", b"") if 0 < count <= len(content) * _NUL_SHARE and not marked else content


def _is_plain_utf8(content: bytes) -> bool:
    count = 0
    for _ in _BEYOND_ASCII.finditer(content):
        count += 1
        if count == _PLAIN_SEQUENCES:
            break
    if count < _PLAIN_SEQUENCES:
        return False
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _list_named_encodings(content: bytes, declared: str) -> Iterator[str]:
    """List the encodings that are named for a page, the header's first."""
    if name := _resolve_codec_name(declared):
        yield name
    for pattern in _DECLARED:
        found = pattern.search(content, 0, _DECLARED_WITHIN)
        # What is said in ASCII is not said in UTF-16, whatever it says.
        if (
            found
            and (name := _resolve_codec_name(found[1].decode("ascii", "replace")))
            and not name.startswith("utf-16")
        ):
            yield name


def _resolve_codec_name(label: str) -> str:
    """Return Python's name of an encoding of pages; empty if it is none."""
    plain = label.strip().strip("\"'").lower()
    try:
        known = _LABELS.get(plain) or codecs.lookup(plain).name
    except (LookupError, ValueError):  # ValueError: a name with a null character
        return ""
    name = _MEANT.get(known, known)
    return name if _OF_PAGES.fullmatch(name) else ""
