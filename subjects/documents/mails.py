"""Mails (EML), mailboxes (mbox) and archived web pages (MHTML), with what is attached to them.

Of a text that comes as plain text and as HTML one is read. What is quoted of earlier mails is a note: its words are
those of others. Attachments are read by the readers of their kinds, under a heading with their names, and mails within
mails like these.
"""

import codecs
import email.policy
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from typing import Final

from elcano.activities.passages.document import Block, FileSkipped, Gap, Parsed, decode_text, read_text
from elcano.subjects.documents.authorship import parse_year
from elcano.subjects.documents.html import read_html

MOST_DEPTH: Final = 8
"""Maximum nesting of mails within mails that are read."""
MOST_PARTS: Final = 500
"""Parts of one file that are read, those of mails within it included."""
MOST_MAILS: Final = 2_000
"""Mails of one mailbox that are read."""
_FULL_TEXT: Final = 0.7
"""The plain text of a mail is read if it has this share of the words of its HTML: some only say to look there."""
_HEADERS: Final = ("From", "To", "Cc", "Date")
_HEADER_CHARACTERS: Final = 2_000
_QUOTED: Final = re.compile(r"\s{0,3}>+ ?")
_MAILBOX: Final = re.compile(
    rb"^From (?:[^\r\n]{1,300}\r?\n(?=[!-9;-~]{1,80}:)|\S{1,200} [^\r\n]{0,80}\d\d:\d\d[^\r\n]{0,40}\d{4}\r?\n)",
    re.MULTILINE,
)
"""The line before a mail: headers follow it, or it ends with a date."""
_SPACED_COLON: Final = re.compile(rb"^([!-9;-~]{1,80})[ \t]{1,80}:", re.MULTILINE)
"""RFC 5322, 4.5: programs may no longer write spaces before the colon, and those that read have to take them."""
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n|\r\r|\Z")
_UNMARKED: Final = {
    "utf-16-le": re.compile(rb"(?:[!-~]\0){3,80}:\0"),
    "utf-16-be": re.compile(rb"(?:\0[!-~]){3,80}\0:"),
}
"""The first header of a mail in an encoding of two bytes, without the mark that says so."""
_HTML: Final = ("text/html", "application/xhtml+xml")
_MAILS: Final = ("message/rfc822", "message/global", "message/news")
"""Mails within mails."""
_NOTIFICATIONS: Final = tuple(
    f"message/{one}" for one in ("delivery-status", "disposition-notification", "global-delivery-status")
)
"""Reports of programs, such as that a mail was not delivered: fields alone."""
_ENCRYPTED: Final = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_SIGNATURES: Final = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_ENCODED: Final = ("base64", "quoted-printable", "x-uuencode", "uuencode", "uue", "x-uue")
_PAGE: Final = ("Snapshot-Content-Location", "X-MAF-Information-Version")
"""Headers of programs that archive web pages as mails."""


class _ReadableHeaders(email.policy.Compat32):
    """Takes headers as they are: `default` fails on some that are not as they should be.

    Bytes in them that should be encoded are UTF-8, or of an older program.
    """

    def header_fetch_parse(self, name: str, value: str) -> str:
        if value.isascii():
            return value
        raw = value.encode("utf-8", "surrogateescape")
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return raw.decode("cp1252", "replace")


@dataclass
class _Found:
    """Content read from a file so far."""

    blocks: list[Block] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    parts: int = 0

    def count(self) -> bool:
        """Count a part; returns whether it is to be read."""
        self.parts += 1
        if self.parts == MOST_PARTS + 1:
            self.gaps.append(Gap(f"only the first {MOST_PARTS} parts of it were read"))
        return self.parts <= MOST_PARTS


def read_mail(content: bytes) -> Parsed:
    """Read a mail with its attachments, or an archived page.

    Raises:
        FileSkipped: it is encrypted, or no mail.
    """
    encoding = _find_wide_encoding(content)
    message = _parse_message(content.decode(encoding, "replace").encode("utf-8", "replace") if encoding else content)
    for part in message.walk() if encoding else ():
        transfer = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
        if part.get_param("charset") and transfer not in _ENCODED:  # of the text before it was saved
            part.set_param("charset", "utf-8")
    if not message.keys():
        raise FileSkipped("it is no mail: it has no headers")
    found = _Found()
    if any(name in message for name in _PAGE) or _read_header(message, "From").startswith("<Saved by"):
        return _read_page(message)
    _read_message(message, found, 1)
    sender = getaddresses([_read_header(message, "From")])[:1]
    authors = tuple(" ".join(name.split()) for name, _ in sender if name.strip())
    return Parsed(found.blocks, _read_header(message, "Subject"), authors, _read_year(message), gaps=tuple(found.gaps))


def _find_wide_encoding(content: bytes) -> str:
    """The encoding of a mail that a program of Windows saved as text; empty: it is as it was sent."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return next((encoding for encoding, begin in _UNMARKED.items() if begin.match(content)), "")


def read_mailbox(content: bytes) -> Parsed:
    """Read the mails of a mailbox one after the other.

    Raises:
        FileSkipped: there is none in it.
    """
    starts = [(one.start(), one.end()) for one in _MAILBOX.finditer(content)]
    if not starts:
        raise FileSkipped("it is no mailbox: no line in it begins a mail")
    found = _Found()
    for number, (_, start) in enumerate(starts[:MOST_MAILS]):
        end = starts[number + 1][0] if number + 1 < len(starts) else len(content)
        try:
            _read_message(_parse_message(content[start:end]), found, 1)
        except FileSkipped as error:
            found.gaps.append(Gap(f"mail {number + 1} was left out: {error}"))
    if len(starts) > MOST_MAILS:
        found.gaps.append(Gap(f"{len(starts) - MOST_MAILS:,} more mails were not read: split the mailbox"))
    return Parsed(found.blocks, gaps=tuple(found.gaps))


def _parse_message(content: bytes) -> Message:
    end = _HEAD_END.search(content).start()  # type: ignore[union-attr]  # it matches the end of the file
    content = _SPACED_COLON.sub(rb"\1:", content[:end]) + content[end:]
    return message_from_bytes(content, policy=_ReadableHeaders())


def _read_header(message: Message, name: str) -> str:
    """A header as people read it."""
    return _decode_header(str(message.get(name) or ""))


def _decode_header(raw: str) -> str:
    raw = "".join(raw[:_HEADER_CHARACTERS].splitlines())  # unfolded, or the space before a folded word is lost
    raw = raw.encode("utf-8", "replace").decode("latin-1")  # what is not encoded comes back by its bytes
    parts = []
    for part, charset in email.header.decode_header(raw):
        content = part.encode("latin-1") if isinstance(part, str) else part
        try:
            parts.append(content.decode(charset or "utf-8", "strict"))
        except (UnicodeDecodeError, LookupError):
            parts.append(content.decode("cp1252", "replace"))
    return " ".join("".join(parts).split())


def _read_year(message: Message) -> int:
    try:
        return parsedate_to_datetime(_read_header(message, "Date")).year
    except (ValueError, TypeError, OverflowError):
        return parse_year(_read_header(message, "Date"))


def _read_message(message: Message, found: _Found, depth: int) -> None:
    subject = _read_header(message, "Subject") or "(no subject)"
    found.blocks.append(Block(subject, "heading", depth))
    lines = [f"{name}: {value}" for name in _HEADERS if (value := _read_header(message, name))]
    if lines:
        found.blocks.append(Block("\n".join(lines)))
    attached: list[Message] = []
    for part in _list_body_parts(message, attached, found):
        found.blocks += _read_body(part, depth)
    for part in attached:
        if found.count():
            _read_attachment(part, found, depth)


def _list_body_parts(message: Message, attached: list[Message], found: _Found) -> Iterator[Message]:
    """Yield the texts of a mail; other parts are added to `attached`."""
    pending = [message]
    while pending and found.count():
        part = pending.pop()
        kind = part.get_content_type()
        if kind in _ENCRYPTED and "signed-data" not in str(part.get("Content-Type")):
            raise FileSkipped("it is encrypted: save a copy that is not")
        if kind.startswith("multipart/") and not _list_children(part):  # without the parts that it announces
            kind = _find_bare_kind(part)
            part.set_type(kind)
        if kind == "multipart/alternative":
            pending.append(_choose_alternative(part))
        elif kind in _NOTIFICATIONS:
            yield part
        elif part.is_multipart() and kind not in _MAILS:
            pending.extend(reversed(_list_children(part)))
        elif kind in _SIGNATURES:
            continue
        elif part is not message and (part.get_content_disposition() == "attachment" or kind in _MAILS):
            attached.append(part)
        elif kind in ("text/plain", *_HTML) and not (part is not message and part.get_filename()):
            yield part
        elif part is message or not _is_decoration(part):
            attached.append(part)


def _list_children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [one for one in payload if isinstance(one, Message)] if isinstance(payload, list) else []


def _find_bare_kind(part: Message) -> str:
    """The kind of the content of a part that has no parts: plain text, HTML, or another."""
    from elcano.subjects.documents.file_detection import find_suffix  # it names the readers, of which this is one

    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes) or not payload.strip():
        return "text/plain"
    try:
        found = find_suffix("", payload)
    except FileSkipped:
        return "application/octet-stream"
    return {".html": "text/html", ".txt": "text/plain"}.get(found, "application/octet-stream")


def _choose_alternative(part: Message) -> Message:
    """Plain text if it says what the HTML does: it has no tables that only lay out a page."""
    children = _list_children(part)
    plain = next((one for one in children if one.get_content_type() == "text/plain"), None)
    rich = next((one for one in reversed(children) if one.get_content_type() != "text/plain"), None)
    if plain is None or rich is None:
        return plain or rich or children[0]
    html = next((one for one in rich.walk() if one.get_content_type() in _HTML), None)
    if html is None:
        return plain
    words = sum(len(block.text.split()) for block in _read_html_part(html))
    own = len(_decode_part(plain).split())
    return plain if own and own >= _FULL_TEXT * words else rich


def _is_decoration(part: Message) -> bool:
    """Whether a part belongs to the HTML of a mail, as its pictures do."""
    return part.get_content_maintype() == "image" and "Content-ID" in part


def _decode_part(part: Message) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes) or not payload.strip():
        return ""
    charset = part.get_content_charset()
    try:
        return decode_text(payload, charset if charset not in (None, "us-ascii") else None)
    except FileSkipped:
        return ""


def _read_html_part(part: Message) -> list[Block]:
    text = _decode_part(part)
    return read_html(b"\xef\xbb\xbf" + text.encode("utf-8", "replace")).blocks if text.strip() else []


def _read_body(part: Message, depth: int) -> Iterator[Block]:
    if part.get_content_type() in _HTML:
        for block in _read_html_part(part):
            yield _move_block(block, depth)
        return
    if part.get_content_type() in _NOTIFICATIONS:
        for fields in _list_children(part):
            lines = [f"{name}: {_decode_header(str(value))}" for name, value in fields.items()]
            yield from [Block("\n".join(lines))] if lines else []
            yield from _build_texts(_decode_part(fields).splitlines())
        return
    flowed = str(part.get_param("format", "")).lower() == "flowed"
    own, quoted = list[str](), list[str]()
    for line in [*_decode_part(part).splitlines(), ""]:
        mark = _QUOTED.match(line)
        if quoted and not mark:
            yield from _build_texts(quoted, "note")
            quoted = []
        if mark:
            yield from _build_texts(own)
            own = []
            quoted.append(line[mark.end() :])
        else:
            own.append(line.removeprefix(" ") if flowed else line)
    yield from _build_texts(own)


def _build_texts(lines: list[str], kind: str = "text") -> Iterator[Block]:
    for block in read_text("\n".join(lines).encode()).blocks if any(map(str.strip, lines)) else ():
        yield replace(block, kind="note", level=0) if kind == "note" else replace(block, kind="text", level=0)


def _read_attachment(part: Message, found: _Found, depth: int) -> None:
    if part.get_content_type() in _MAILS:
        children = _list_children(part)
        if depth >= MOST_DEPTH:
            found.gaps.append(Gap(f"mails within mails were read {MOST_DEPTH} deep: save the inner ones by themselves"))
        elif children:
            _read_message(children[0], found, depth + 1)
        return
    # Many programs write the names of files like headers, which the standard does not allow.
    named = _decode_header(part.get_filename() or "")[-200:]
    name = named or f"a part of kind {part.get_content_type()}"
    payload = part.get_payload(decode=True)
    try:
        parsed = _read_file(name, payload if isinstance(payload, bytes) else b"")
    except FileSkipped as error:
        found.gaps.append(Gap(f"{'the attachment ' if named else ''}{name} was not read: {error}", needs=error.needs))
        return
    found.gaps += (gap._replace(reason=f"{name}: {gap.reason}", pages=()) for gap in parsed.gaps)
    if parsed.blocks:
        found.blocks.append(Block(name, "heading", depth + 1, anchor=name))
        found.blocks += (_move_block(block, depth + 1, name) for block in parsed.blocks)


def _read_file(name: str, content: bytes) -> Parsed:
    # These modules name the readers, of which this is one.
    from elcano.subjects.documents.file_detection import name_by_content
    from elcano.subjects.documents.file_formats import read_file

    return read_file(name_by_content(name, content), content)


def _move_block(block: Block, depth: int, name: str = "") -> Block:
    """A block of an attachment as one of the mail, which has no pages."""
    anchor = f"{name}, page {block.page}" if name and block.page else name or block.anchor
    return replace(
        block, page=0, lines=(), paragraph=0, anchor=anchor, level=block.level + depth if block.kind == "heading" else 0
    )


def _read_page(message: Message) -> Parsed:
    """An archived page: the first HTML in it, which the others are parts of."""
    html = next((one for one in message.walk() if one.get_content_type() in _HTML), None)
    if html is None:
        raise FileSkipped("there is no page in it")
    return read_html(b"\xef\xbb\xbf" + _decode_part(html).encode("utf-8", "replace"))
