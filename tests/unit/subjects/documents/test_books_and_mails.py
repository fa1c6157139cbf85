"""Books and mails as documents: chapters in their order, attachments by their readers, mails within mails."""

from base64 import b64encode
from email.message import EmailMessage

import pytest

from elcano.activities.passages.document import FileSkipped, Parsed
from elcano.subjects.documents.books import read_epub
from elcano.subjects.documents.file_formats import parse_document
from elcano.subjects.documents.mails import MOST_DEPTH, read_mail, read_mailbox
from tests.unit.subjects.documents.files import pdf
from tests.unit.subjects.documents.office_files import epub, sheet_xml, workbook

CHAPTER = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><body>{}</body></html>"


def texts(parsed: Parsed) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parsed.blocks]


def test_chapters_are_read_in_their_order_with_the_headings_of_the_table_of_contents() -> None:
    navigation = CHAPTER.format('<nav><a href="text/two.xhtml">Second</a></nav>')
    book = epub(
        {
            "one.xhtml": CHAPTER.format("<h1>First</h1><script>alert(1)</script><p>The <a id='x'/>moon.</p>"),
            "two.xhtml": CHAPTER.format("<p>The sea.</p>"),
        },
        metadata="<dc:title>Tides</dc:title><dc:creator>Ann Roe</dc:creator><dc:creator>Guy Poe</dc:creator>"
        "<dc:date>2019-05-01</dc:date>",
        navigation=navigation,
    )
    parsed = read_epub(book)
    assert texts(parsed) == [("heading", "First"), ("text", "The moon."), ("heading", "Second"), ("text", "The sea.")]
    assert parsed.blocks[0].anchor.startswith("OPS/text/one.xhtml")
    assert (parsed.title, parsed.authors, parsed.year) == ("Tides", ("Ann Roe", "Guy Poe"), 2019)


def test_a_book_with_drm_is_refused_and_garbled_fonts_are_no_drm() -> None:
    def encryption(algorithm: str) -> dict[str, str]:
        method = f"<e:EncryptedData><e:EncryptionMethod Algorithm='{algorithm}'/></e:EncryptedData>"
        return {"META-INF/encryption.xml": f"<encryption xmlns:e='e'>{method}</encryption>"}

    chapters = {"one.xhtml": CHAPTER.format("<p>The moon.</p>")}
    with pytest.raises(FileSkipped, match="it is protected by DRM"):
        read_epub(epub(chapters, parts=encryption("http://www.w3.org/2001/04/xmlenc#aes256-cbc")))
    assert read_epub(epub(chapters, parts=encryption("http://www.idpf.org/2008/embedding"))).blocks


def test_a_missing_chapter_is_named() -> None:
    book = epub({"one.xhtml": CHAPTER.format("<p>The moon.</p>"), "two.xhtml": ""}).replace(
        b"text/two.x", b"text/tw0.x"
    )
    parsed = read_epub(book)
    assert texts(parsed) == [("text", "The moon.")]
    assert "two.xhtml" in parsed.gaps[0].reason


def mail(text: str = "The tide turns.", subject: str = "Tides") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ann Roe <ann@example.org>"
    message["To"] = "guy@example.org"
    message["Subject"] = subject
    message["Date"] = "Mon, 06 Jun 2005 22:21:22 +0200"
    message["MIME-Version"] = "1.0"
    message.set_content(text)
    return message


def test_a_mail_has_its_headers_its_text_and_its_metadata() -> None:
    parsed = read_mail(
        mail("The tide\nturns.\n\nOn Monday Guy wrote:\n> Does it\n> turn?\n", "Gezeiten \u2013 heute").as_bytes()
    )
    assert texts(parsed) == [
        ("heading", "Gezeiten \u2013 heute"),
        ("text", "From: Ann Roe <ann@example.org>\nTo: guy@example.org\nDate: Mon, 06 Jun 2005 22:21:22 +0200"),
        ("text", "The tide turns."),
        ("text", "On Monday Guy wrote:"),
        ("note", "Does it turn?"),
    ]
    assert (parsed.title, parsed.authors, parsed.year) == ("Gezeiten \u2013 heute", ("Ann Roe",), 2005)


def test_a_folded_header_keeps_the_space_before_an_encoded_word() -> None:
    """RFC 2047: white space is left out between encoded words alone."""
    subject = b"=?utf-8?q?Gr=C3=BC=C3=9Fe?= and\n =?iso-8859-1?q?caf=E9?=\n =?iso-8859-1?q?s?="
    assert read_mail(b"Subject: " + subject + b"\n\nHello.\n").title == "Gr\u00fc\u00dfe and caf\u00e9s"


def test_of_a_text_in_two_forms_one_is_read() -> None:
    message = mail("The tide turns at noon.")
    message.add_alternative("<p>The tide <b>turns</b> at noon.</p>", subtype="html")
    assert [text for _, text in texts(read_mail(message.as_bytes()))][2:] == ["The tide turns at noon."]
    message = mail("See the HTML.")
    message.add_alternative("<p>The tide turns at noon, and again at midnight.</p>", subtype="html")
    assert [text for _, text in texts(read_mail(message.as_bytes()))][2:] == [
        "The tide turns at noon, and again at midnight."
    ]


def test_attachments_are_read_by_the_readers_of_their_kinds() -> None:
    message = mail()
    message.add_attachment(pdf([["One."], ["Two."]]), maintype="application", subtype="pdf", filename="report.pdf")
    sheet = workbook({"Costs": sheet_xml([["Site", "Cost"], ["Brest", 340]])})
    message.add_attachment(sheet, maintype="application", subtype="octet-stream", filename="costs.xlsx")
    message.add_attachment(b"GIF89a", maintype="image", subtype="gif", filename="port.gif")
    parsed = read_mail(message.as_bytes())
    assert texts(parsed)[3:] == [
        ("heading", "report.pdf"),
        ("text", "One."),
        ("text", "Two."),
        ("heading", "costs.xlsx"),
        ("heading", "Costs"),
        ("table", "Site | Cost\nBrest | 340"),
    ]
    assert [(block.page, block.anchor) for block in parsed.blocks[4:6]] == [
        (0, "report.pdf, page 1"),
        (0, "report.pdf, page 2"),
    ]
    assert [block.level for block in parsed.blocks if block.kind == "heading"] == [1, 2, 2, 3]
    assert parsed.gaps[0].reason == "the attachment port.gif was not read: it is a picture (GIF): save it as PNG"


def test_an_attachment_whose_name_is_written_like_a_header_is_read_by_its_name() -> None:
    parsed = read_mail(
        b"Subject: Costs\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/octet-stream\n"
        b'Content-Disposition: attachment; filename="=?UTF-8?Q?Co=C3=BBts=2E?= =?UTF-8?Q?csv?="\n\n'
        b"Site,Cost\nBrest,340\n--b--\n"
    )
    assert ("heading", "Co\u00fbts.csv") in texts(parsed)
    assert ("table", "Site | Cost\nBrest | 340") in texts(parsed)


def test_a_part_without_the_parts_that_it_announces_is_text() -> None:
    head = b"Subject: Tides\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n"
    assert texts(read_mail(head + b"The moon.\n"))[1:] == [("text", "The moon.")]
    assert read_mail(head).gaps == ()


@pytest.mark.parametrize(
    ("kind", "content", "shown"),
    [
        ("related", b"<html><body><p>The <b>moon</b>.</p></body></html>", [("text", "The moon.")]),
        ("alternative", b"The moon.\n", [("text", "The moon.")]),
        ("mixed", pdf([["The sea."]]), [("heading", "a part of kind application/octet-stream"), ("text", "The sea.")]),
    ],
)
def test_a_part_without_its_parts_is_read_as_what_it_is(
    kind: str, content: bytes, shown: list[tuple[str, str]]
) -> None:
    head = f"Subject: Tides\nMIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary=b\n\n".encode()
    assert texts(read_mail(head + content))[1:] == shown


def test_an_attachment_without_the_parts_that_it_announces_is_an_attachment() -> None:
    content = (
        b"Subject: Tides\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nThe moon.\n--b\n"
        b"Content-Type: multipart/mixed; boundary=c\nContent-Disposition: attachment; filename=a.pdf\n\n"
        b"%PDF-1.4 no more\n--b--\n"
    )
    parsed = read_mail(content)
    assert texts(parsed)[1:] == [("text", "The moon.")]
    assert parsed.gaps[0].reason.startswith("the attachment a.pdf was not read: ")


def test_a_part_without_a_name_is_no_attachment_by_its_kind() -> None:
    content = (
        b"Subject: Tides\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nThe moon.\n--b\n"
        b"Content-Type: application/x-gauge\n\n\x00\x01\x02\n--b--\n"
    )
    assert (
        read_mail(content).gaps[0].reason == "a part of kind application/x-gauge was not read: it is binary, not text"
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_mail_that_was_saved_as_text_of_windows_is_read(encoding: str) -> None:
    content = "Subject: Gezeiten\nFrom: Ann Roe <ann@example.org>\n\nF\u00fcnf Meter.\n".encode(encoding)
    assert parse_document("tides.eml", content).text.endswith("F\u00fcnf Meter.")


@pytest.mark.parametrize("charset", ["windows-1252", "iso-8859-1", "utf-16", "utf-8"])
def test_a_mail_that_was_saved_anew_is_not_in_the_encoding_that_it_declares(charset: str) -> None:
    head = (
        "Subject: Gr\u00fc\u00dfe =?utf-8?q?=E2=82=AC?=\nMIME-Version: 1.0\n"
        f"Content-Type: text/plain; charset={charset}\n"
    )
    parsed = read_mail(f"{head}\nSch\u00f6ne Gr\u00fc\u00dfe\n".encode("utf-16"))
    assert (parsed.title, parsed.blocks[-1].text) == ("Gr\u00fc\u00dfe \u20ac", "Sch\u00f6ne Gr\u00fc\u00dfe")
    coded = b64encode("Sch\u00f6n".encode(charset)).decode()
    parsed = read_mail(f"{head}Content-Transfer-Encoding: base64\n\n{coded}\n".encode("utf-16"))
    assert parsed.blocks[-1].text == "Sch\u00f6n", "what is encoded is as it was sent"


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_headers_that_are_not_encoded_are_read(encoding: str) -> None:
    content = (
        'Subject: Gr\u00fc\u00dfe\nContent-Disposition: attachment; filename="\u00dc.csv"\n'
        "Content-Type: text/csv\n\na,b\n1,2\n"
    )
    parsed = read_mail(content.encode(encoding))
    assert (parsed.title, texts(parsed)[1]) == ("Gr\u00fc\u00dfe", ("heading", "\u00dc.csv"))


def test_mails_within_mails_are_read_until_they_are_too_deep() -> None:
    inner = mail("The innermost.", "Level 0")
    for level in range(1, MOST_DEPTH + 3):
        outer = mail(f"Text {level}.", f"Level {level}")
        outer.add_attachment(inner)
        inner = outer
    parsed = read_mail(inner.as_bytes())
    headings = [block.level for block in parsed.blocks if block.kind == "heading"]
    assert headings == list(range(1, MOST_DEPTH + 1))
    assert "mails within mails were read 8 deep" in parsed.gaps[0].reason


def test_spaces_before_the_colon_of_a_header_are_read_over() -> None:
    # RFC 5322, 4.5: an obsolete form that programs "MUST accept".
    parsed = read_mail(b"Subject : Tides\r\nFrom\t: Ann Roe <ann@example.org>\r\n\r\nRange : 7 m\r\n")
    assert texts(parsed) == [("heading", "Tides"), ("text", "From: Ann Roe <ann@example.org>"), ("text", "Range : 7 m")]


REPORT = """Subject: Undelivered
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b

It came back.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example.org

Final-Recipient: rfc822; guy@example.org
Status: 5.1.1
Diagnostic-Code: smtp; 550 unknown user
--b
Content-Type: message/rfc822

Subject: Tides

The tide turns.
--b--
"""


def test_the_report_of_a_mail_that_came_back_is_read_with_its_reasons() -> None:
    assert texts(read_mail(REPORT.encode())) == [
        ("heading", "Undelivered"),
        ("text", "It came back."),
        ("text", "Reporting-MTA: dns; mail.example.org"),
        ("text", "Final-Recipient: rfc822; guy@example.org\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 unknown user"),
        ("heading", "Tides"),
        ("text", "The tide turns."),
    ]


def test_an_encrypted_mail_is_refused() -> None:
    content = (
        b"From: a@example.org\nMIME-Version: 1.0\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nxx"
    )
    with pytest.raises(FileSkipped, match="it is encrypted"):
        read_mail(content)


def test_a_mailbox_is_its_mails() -> None:
    one, two = mail("First.", "One").as_bytes(), mail("Second.", "Two").as_bytes()
    content = (
        b"From ann@example.org Mon Jun 01 10:00:00 2009\n"
        + one
        + b"\nFrom ann@example.org Tue Jun 02 10:00:00 2009\n"
        + two
    )
    parsed = read_mailbox(content)
    assert [text for kind, text in texts(parsed) if kind == "heading"] == ["One", "Two"]
    assert [text for _, text in texts(parsed)][2::3] == ["First.", "Second."]


def test_an_archived_page_is_a_page() -> None:
    content = (
        b"From: <Saved by Blink>\nSnapshot-Content-Location: https://example.org/\nMIME-Version: 1.0\n"
        b'Content-Type: multipart/related; boundary="b"\n\n--b\nContent-Type: text/html; charset=utf-8\n\n'
        b"<title>Tides</title><h1>Tides</h1><p>The moon.</p>\n--b--\n"
    )
    assert texts(read_mail(content)) == [("heading", "Tides"), ("text", "The moon.")]
