"""What a file is, by its bytes and its name: each is read as what it is, or refused with the remedy."""

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents.file_detection import find_suffix, is_package, name_by_content
from elcano.subjects.documents.file_formats import FORMATS
from tests.unit.subjects.documents.files import pdf, word
from tests.unit.subjects.documents.office_files import epub, package, presentation, sheet_xml, slide_xml, workbook

JATS = (
    b'<?xml version="1.0"?>\n<!DOCTYPE article PUBLIC "-//NLM//DTD JATS v1.2//EN" "a.dtd">\n<article><front/></article>'
)
MAIL = b"Received: from a\r\nFrom: a@example.org\r\nSubject: Tides\r\nMIME-Version: 1.0\r\n\r\nText."
SHEET = workbook({"S": sheet_xml([["a", 1]])})
SLIDES = presentation([slide_xml()])
BOOK = epub({"a.xhtml": "<p>x</p>"})


@pytest.mark.parametrize("suffix", ["", ".txt", ".bin", ".docx", ".md"])
@pytest.mark.parametrize(
    ("content", "found"),
    [
        (pdf([["One."]]), ".pdf"),
        (word(), ".docx"),
        (SHEET, ".xlsx"),
        (SLIDES, ".pptx"),
        (BOOK, ".epub"),
        (package({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": ""}), ".ods"),
        (b"<!DOCTYPE html><p>x", ".html"),
    ],
)
def test_clear_bytes_count_more_than_the_name(suffix: str, content: bytes, found: str) -> None:
    assert find_suffix(suffix, content) == found


@pytest.mark.parametrize(
    ("suffix", "content", "found"),
    [
        (".xml", JATS, ".xml"),
        (".txt", JATS, ".jats"),
        (".xml", b"<TEI xmlns='http://www.tei-c.org/ns/1.0'/>", ".tei"),
        (".txt", MAIL, ".eml"),
        ("", b"From a@example.org Mon Jun 01 10:00:00 2009\n" + MAIL, ".mbox"),
        (".txt", b"% a comment\n\\documentclass[a4paper]{article}\n", ".tex"),
        (".json", b'{"cells": [], "nbformat": 4}', ".ipynb"),
        (".json", b'{"type": "book", "title": "Tides"}', ".csljson"),
        (".json", b'{"port": "Brest"}', ".txt"),
        (".log", b"plain text", ".txt"),
        (".csv", b"site,cost\nBrest,7\n", ".csv"),
        (".xlsm", SHEET, ".xlsm"),
        (".md", b"<p align='center'>A page</p>\n\n# Title", ".md"),
        (".txt", b"From: Ann\nTo: Guy\nDate: today\n\nA memo.", ".txt"),
        (".htm", b"no marks at all", ".htm"),
    ],
)
def test_texts_are_told_by_marks_that_prove_their_kind(suffix: str, content: bytes, found: str) -> None:
    assert find_suffix(suffix, content) == found
    assert found in FORMATS


OLE = b"\xd0\xcf\x11\xe0" + bytes(600)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.rtf", b"{\\rtf1 text}", "it is RTF: footnotes of RTF would be lost: save it as DOCX"),
        ("a.txt", b"{\\rtf1 text}", "it is RTF"),
        ("a.doc", OLE + "WordDocument".encode("utf-16-le"), "save it as DOCX"),
        ("a.xls", OLE + "Workbook".encode("utf-16-le"), "save it as XLSX"),
        ("a.ppt", OLE + "PowerPoint Document".encode("utf-16-le"), "save it as PPTX"),
        ("a.docx", OLE + "EncryptedPackage".encode("utf-16-le"), "it is encrypted: save a copy without a password"),
        ("a.msg", OLE + "__properties_version1.0".encode("utf-16-le"), "save it as EML"),
        ("a.xlsb", package({"xl/workbook.bin": ""}), "save it as XLSX"),
        ("a.odg", package({"mimetype": "application/vnd.oasis.opendocument.graphics"}), "save it as PDF"),
        ("a.pages", package({"Index/Document.iwa": ""}), "export it as PDF"),
        ("a.xps", package({"FixedDocSeq.fdseq": ""}), "it is an XPS document: save it as PDF"),
        ("a.djvu", b"AT&TFORM....DJVM", "save it as PDF"),
        ("a.ps", b"%!PS-Adobe-3.0", "save it as PDF"),
        ("a.mobi", bytes(60) + b"BOOKMOBI", "convert it to EPUB"),
        ("a.gz", b"\x1f\x8b\x08", "unpack it"),
        ("a.tar", bytes(257) + b"ustar", "unpack it"),
        ("a.mp3", b"ID3\x03", "upload its transcript"),
        ("a.mp4", b"\0\0\0\x18ftypmp42", "upload its transcript"),
        ("a.sqlite", b"SQLite format 3\0", "ELCANO_DATABASES"),
        ("a.gif", b"GIF89a", "save it as PNG"),
        ("a.nbib", b"PMID- 123\nTI  - Tides", "it is a list of works of PubMed: upload it"),
        ("a.ciw", b"FN Clarivate Analytics Web of Science\nVR 1.0\n", "it is a list of works of Web of Science"),
        ("scopus.csv", b'"Authors","Title","Year","Source title","EID"\n', "it is a list of works of Scopus"),
        (
            "endnote.xml",
            b'<?xml version="1.0"?><xml><records><record/></records></xml>',
            "it is a list of works of EndNote",
        ),
        ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "it is a drawing"),
        ("a.xml", b"<?xml version='1.0'?><inventory/>", "XML of a kind that is not read (<inventory>)"),
        ("a.fb2", b"<?xml version='1.0'?><FictionBook/>", "convert it to EPUB"),
        ("a.pdf", b"plain text", "its name says .pdf, and its bytes are nothing of the kind"),
        ("a.xlsx", SHEET[: len(SHEET) // 2], "it is a damaged ZIP archive, or a document that is cut off"),
        ("a.txt", b"", "it is empty"),
    ],
)
def test_what_is_not_read_is_refused_by_its_kind_with_the_remedy(name: str, content: bytes, reason: str) -> None:
    with pytest.raises(FileSkipped) as refused:
        name_by_content(name, content)
    assert reason in str(refused.value)


def test_a_name_gets_the_suffix_of_its_reader() -> None:
    assert name_by_content("a/report", pdf([["One."]])) == "report.pdf"
    assert name_by_content("a/REPORT.PDF", pdf([["One."]])) == "REPORT.PDF"
    assert name_by_content("budget.doc", SHEET) == "budget.doc.xlsx"


def test_documents_that_are_archives_are_no_folders_of_files() -> None:
    assert all(map(is_package, (SHEET, SLIDES, BOOK, word())))
    assert not is_package(package({"a.txt": "text", "docs/word.txt": "text"}))
