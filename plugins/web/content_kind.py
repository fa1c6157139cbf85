"""Classifies a site's response before its content is read: a page, a PDF, or one of the many ways to refuse.

A page that is rejected here is no failure of a search: the reason is reported, and nothing of the response is quoted.
A page's bytes are decoded by byte order mark, by header, by its own declaration, else as documents are decoded.
Browsers read several encodings as larger ones than their names say, and pages rely on it.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from elcano.activities.passages.document import FileSkipped, decode_text
from elcano.activities.sources.http.fetching import Answer
from elcano.graphs.errors import SourceUnavailable

HTML: Final = ".html"
PDF: Final = ".pdf"
_SUFFIXES: Final = {
    "text/html": HTML,
    "application/xhtml+xml": HTML,
    "application/pdf": PDF,
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/x-rst": ".rst",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
}
"""Suffixes by the declared media type; other types are not read."""
_UNSAID: Final = {"", "application/octet-stream", "binary/octet-stream", "application/x-download"}
_REFUSALS: Final = {
    401: "it wants a login",
    402: "it wants to be paid",
    403: "it refuses robots, or wants a login",
    404: "there is no such page",
    407: "it wants a login",
    410: "the page is gone",
    451: "it is withheld for legal reasons",
}
_LATER: Final = {408, 425, 429}
_OF_PDF: Final = re.compile(r"\.pdf$|/doi/(?:e?pdf|pdfdirect)/|^/pdf/\d", re.IGNORECASE)
_PDF_MARK: Final = b"%PDF-"
_MARK_WITHIN: Final = 1_024
"""Number of bytes before its mark that PDF readers tolerate."""
_BOT_HEADERS: Final = (("cf-mitigated", "challenge"), ("x-amzn-waf-action", "captcha"), ("x-datadome", "protected"))


def detect_content_kind(answer: Answer, asked: str) -> str:
    """Return how to read the content: the suffix of its kind, such as `.html`.

    Args:
        answer: the response.
        asked: the requested address, before redirects.

    Raises:
        FileSkipped: it may not be quoted.
        SourceUnavailable: the site cannot answer now.
    """
    _require_status(answer)
    start = answer.content[:_MARK_WITHIN]
    if not answer.content.strip():
        raise FileSkipped("it is empty")
    if _PDF_MARK in start:
        return PDF
    declared = _read_declared_kind(answer, start)
    if declared == PDF:
        raise FileSkipped("it is called a PDF and is none")
    if declared == HTML and (_is_of_pdf(asked) or _is_of_pdf(answer.url)):
        raise FileSkipped("a web page came in place of a PDF")
    if declared == HTML and _leads_home(asked, answer.url):
        raise FileSkipped("its address leads to the front page of the site only")
    return declared


def _require_status(answer: Answer) -> None:
    if any(answer.headers.get(name, "").lower() == value for name, value in _BOT_HEADERS):
        raise FileSkipped("it asks whether a person is there (a bot check)")
    if answer.status in _LATER or answer.status >= 500:
        raise SourceUnavailable(f"it cannot answer now (HTTP {answer.status})")
    if answer.status in _REFUSALS:
        raise FileSkipped(f"{_REFUSALS[answer.status]} (HTTP {answer.status})")
    if answer.status != 200:
        raise FileSkipped(f"it is not answered (HTTP {answer.status})")


def _read_declared_kind(answer: Answer, start: bytes) -> str:
    media = answer.media_type
    if media in _UNSAID:
        return _sniff_content_kind(start)
    if media not in _SUFFIXES:
        raise FileSkipped(f"content of the kind {media[:80]!r} is not read")
    return _SUFFIXES[media]


def _sniff_content_kind(start: bytes) -> str:
    """Guess the kind of content that declares none."""
    head = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<!doctype html", b"<html")) or b"<html" in head or b"<body" in head:
        return HTML
    raise FileSkipped("nothing says of what kind its content is")


def _is_of_pdf(url: str) -> bool:
    return _OF_PDF.search(urlsplit(url).path) is not None


def _leads_home(asked: str, url: str) -> bool:
    """Whether a requested page became the front page, as sites answer for pages that they no longer have."""
    before, after = urlsplit(asked), urlsplit(url)
    deep = before.path.strip("/").count("/") > 0 or bool(before.query)
    return deep and not after.path.strip("/") and not after.query


_SAID: Final = (
    re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w:.-]{1,40})", re.IGNORECASE),
    re.compile(rb"^\s*<\?xml[^>]{0,200}encoding\s*=\s*[\"']([\w:.-]{1,40})", re.IGNORECASE),
)
_SAID_WITHIN: Final = 4_096
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


def text_of(content: bytes, declared: str) -> str:
    """Decode a page.

    Args:
        content: the bytes of a page.
        declared: the charset of its header; empty if there is none.

    Raises:
        FileSkipped: it is no text.
    """
    names = list(dict.fromkeys(_list_named_encodings(content, declared)))
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


def _list_named_encodings(content: bytes, declared: str) -> Iterator[str]:
    """List the encodings that are named for a page, the header's first."""
    if name := _resolve_codec_name(declared):
        yield name
    for pattern in _SAID:
        found = pattern.search(content, 0, _SAID_WITHIN)
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
