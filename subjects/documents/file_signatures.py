"""The marks by which kinds of files are known, and what to do with those that are not read."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple


class Unread(NamedTuple):
    """A kind of file that is not read."""

    kind: str
    remedy: str = ""
    """Remedy; empty: none."""


class Signature(NamedTuple):
    """Bytes that are at one place in all files of a kind."""

    mark: bytes
    unread: Unread
    offset: int = 0
    binary: bool = False
    """Whether the mark is so short that texts may begin with it: a file without NUL bytes is none of the kind."""


_TRANSCRIPT: Final = "upload its transcript"
_UNPACK: Final = "unpack it"
_LIST: Final = "export it as RIS or BibTeX, and upload that"
_UPLOAD: Final = "upload it: folders hold documents"
_TO_PDF: Final = "save it as PDF"
_TO_XLSX: Final = "save it as XLSX"
_TO_PPTX: Final = "save it as PPTX"
_TO_EPUB: Final = "convert it to EPUB"
_IWORK: Final = Unread("a document of Pages, Numbers or Keynote", "export it as PDF, DOCX, XLSX or PPTX")
_RTF: Final = Unread("RTF", "footnotes of RTF would be lost: save it as DOCX")
_DOC: Final = Unread("a document of the former Word (DOC)", "save it as DOCX")
_XLS: Final = Unread("a workbook of the former Excel (XLS)", _TO_XLSX)
_PPT: Final = Unread("slides of the former PowerPoint (PPT)", _TO_PPTX)
_PUBMED: Final = Unread("a list of works of PubMed", _UPLOAD)
_PUBMED_XML: Final = Unread("a list of works of PubMed in XML", "save it in the format PubMed, and upload that")
_WEB_OF_SCIENCE: Final = Unread("a list of works of Web of Science", _UPLOAD)
_ENDNOTE: Final = Unread("a list of works of EndNote", _UPLOAD)
SCOPUS: Final = Unread("a list of works of Scopus", _UPLOAD)

SIGNATURES: Final = (
    Signature(b"{\\rtf", _RTF),
    Signature(b"GIF8", Unread("a picture (GIF)", "save it as PNG")),
    Signature(b"WEBP", Unread("a picture (WebP)", "save it as PNG"), offset=8),
    Signature(b"8BPS", Unread("a picture (Photoshop)", "save it as PNG")),
    Signature(b"BM", Unread("a picture (BMP)", "save it as PNG"), binary=True),
    Signature(b"AT&TFORM", Unread("a DjVu document", _TO_PDF)),
    Signature(b"%!PS", Unread("a PostScript document", _TO_PDF)),
    Signature(b"\xc5\xd0\xd3\xc6", Unread("a PostScript document", _TO_PDF)),
    Signature(b"\xffWPC", Unread("a document of WordPerfect", "save it as DOCX")),
    Signature(b"BOOKMOBI", Unread("a Kindle book", _TO_EPUB), offset=60),
    Signature(b"TPZ", Unread("a Kindle book", _TO_EPUB), binary=True),
    Signature(b"ITSF", Unread("a compiled help file (CHM)", "convert it to HTML")),
    Signature(b"\x1f\x8b", Unread("a compressed file (gzip)", _UNPACK)),
    Signature(b"BZh", Unread("a compressed file (bzip2)", _UNPACK), binary=True),
    Signature(b"\xfd7zXZ", Unread("a compressed file (xz)", _UNPACK)),
    Signature(b"\x28\xb5\x2f\xfd", Unread("a compressed file (zstd)", _UNPACK)),
    Signature(b"Rar!", Unread("an archive (RAR)", _UNPACK)),
    Signature(b"7z\xbc\xaf", Unread("an archive (7z)", _UNPACK)),
    Signature(b"MSCF", Unread("an archive (CAB)", _UNPACK)),
    Signature(b"ustar", Unread("an archive (tar)", _UNPACK), offset=257),
    Signature(b"ID3", Unread("a sound recording", _TRANSCRIPT)),
    Signature(b"\xff\xfb", Unread("a sound recording", _TRANSCRIPT), binary=True),
    Signature(b"fLaC", Unread("a sound recording", _TRANSCRIPT)),
    Signature(b"WAVE", Unread("a sound recording", _TRANSCRIPT), offset=8),
    Signature(b"OggS", Unread("a recording (Ogg)", _TRANSCRIPT)),
    Signature(b"ftyp", Unread("a video or sound recording", _TRANSCRIPT), offset=4),
    Signature(b"AVI ", Unread("a video", _TRANSCRIPT), offset=8),
    Signature(b"\x1aE\xdf\xa3", Unread("a video", _TRANSCRIPT)),
    Signature(b"\x00\x00\x01\xba", Unread("a video", _TRANSCRIPT)),
    Signature(b"SQLite format 3\0", Unread("an SQLite database", "name it in ELCANO_DATABASES")),
    Signature(b"PAR1", Unread("a Parquet file", "name it in ELCANO_DATABASES"), binary=True),
    Signature(b"\x89HDF", Unread("a data file (HDF5)", "export its tables as CSV")),
    Signature(b"\x7fELF", Unread("a program")),
    Signature(b"MZ", Unread("a program"), binary=True),
    Signature(b"wOF", Unread("a font"), binary=True),
)
PICTURES: Final[Mapping[bytes, str]] = {
    b"\x89PNG\r\n\x1a\n": ".png",
    b"\xff\xd8\xff": ".jpg",
    b"II*\x00": ".tif",
    b"MM\x00*": ".tif",
}

OLE: Final = b"\xd0\xcf\x11\xe0"
"""Signature of Microsoft's compound files."""
OLE_ENTRIES: Final[Mapping[str, Unread]] = {
    "EncryptedPackage": Unread("encrypted", "save a copy without a password"),
    "WordDocument": _DOC,
    "Workbook": _XLS,
    "Book": _XLS,
    "PowerPoint Document": _PPT,
    "__properties_version1.0": Unread("a message of Outlook (MSG)", "save it as EML"),
    "Quill": Unread("a document of Publisher", _TO_PDF),
    "VisioDocument": Unread("a drawing of Visio", _TO_PDF),
}
"""Type of a compound file by a name in its directory. Word's comes last, to be found in workbooks that embed it."""
OLE_OTHER: Final = Unread("a document of the former Microsoft Office", "save it as DOCX, XLSX or PPTX")

PACKAGE_MARKS: Final = (b"PK\x03\x04", b"PK\x05\x06")
PACKAGE_PARTS: Final[Mapping[str, str | Unread]] = {
    "xl/workbook.bin": Unread("a binary workbook of Excel (XLSB)", _TO_XLSX),
    "word/document.xml": ".docx",
    "ppt/presentation.xml": ".pptx",
    "xl/workbook.xml": ".xlsx",
    "meta-inf/container.xml": ".epub",
    "fixeddocseq.fdseq": Unread("an XPS document", _TO_PDF),
    "fixeddocumentsequence.fdseq": Unread("an XPS document", _TO_PDF),
    "index/document.iwa": _IWORK,
    "index.zip": _IWORK,
    "index.apxl": _IWORK,
    "visio/document.xml": Unread("a drawing of Visio", _TO_PDF),
    "meta-inf/manifest.mf": Unread("a Java program"),
    "doc.kml": Unread("a map (KMZ)", "describe it in words"),
}
"""Type of a package by the name of a part in lower case: the suffix of its reader, or that it is not read."""
PACKAGE_FOLDERS: Final[Mapping[str, str | Unread]] = {"word": ".docx", "ppt": ".pptx", "xl": ".xlsx"}
"""The folder that has the parts of an Office document."""
CONTENT_TYPES: Final[Mapping[str, str | Unread]] = {
    "wordprocessingml.document.main": ".docx",
    "wordprocessingml.template.main": ".docx",
    "ms-word.document.macroenabled": ".docx",
    "ms-word.template.macroenabled": ".docx",
    "presentationml.presentation.main": ".pptx",
    "presentationml.slideshow.main": ".pptx",
    "presentationml.template.main": ".pptx",
    "ms-powerpoint.presentation.macroenabled": ".pptx",
    "ms-powerpoint.slideshow.macroenabled": ".pptx",
    "ms-excel.sheet.binary": Unread("a binary workbook of Excel (XLSB)", _TO_XLSX),
    "spreadsheetml.sheet.main": ".xlsx",
    "spreadsheetml.template.main": ".xlsx",
    "ms-excel.sheet.macroenabled": ".xlsx",
    "ms-excel.template.macroenabled": ".xlsx",
    "ms-package.xps-fixeddocumentsequence": Unread("an XPS document", _TO_PDF),
    "oxps-fixeddocumentsequence": Unread("an XPS document", _TO_PDF),
    "ms-visio.drawing": Unread("a drawing of Visio", _TO_PDF),
}
"""Type of an Office document by the content type of its main part in `[Content_Types].xml`, in lower case."""
MIMETYPES: Final[Mapping[str, str | Unread]] = {
    "application/epub+zip": ".epub",
    "application/vnd.oasis.opendocument.text": ".odt",
    "application/vnd.oasis.opendocument.text-template": ".odt",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/vnd.oasis.opendocument.spreadsheet-template": ".ods",
    "application/vnd.oasis.opendocument.presentation": ".odp",
    "application/vnd.oasis.opendocument.presentation-template": ".odp",
    "application/vnd.oasis.opendocument.graphics": Unread("a drawing of LibreOffice (ODG)", _TO_PDF),
    "application/vnd.oasis.opendocument.formula": Unread("a formula of LibreOffice", _TO_PDF),
}
"""Type of a package by its `mimetype` part."""
PACKAGE_SIGNS: Final = frozenset({"[content_types].xml", "mimetype", *PACKAGE_PARTS})
"""Parts that documents have; other ZIP archives are folders of files."""
PACKAGE_OTHER: Final = Unread("a document of an unknown kind", "save it as PDF or DOCX")

XML_ROOTS: Final[Mapping[str, str | Unread]] = {
    "html": ".html",
    "article": ".jats",
    "TEI": ".tei",
    "TEI.2": ".tei",
    "teiCorpus": ".tei",
    "tei": ".tei",
    "svg": Unread("a drawing (SVG)", _TO_PDF),
    "PubmedArticleSet": _PUBMED_XML,
    "PubmedArticle": _PUBMED_XML,
    "MedlineCitationSet": _PUBMED_XML,
    "xml": _ENDNOTE,
    "modsCollection": Unread("a list of works (MODS)", _LIST),
    "mods": Unread("a list of works (MODS)", _LIST),
    "RDF": Unread("a list of works, or other data, in RDF", _LIST),
    "FictionBook": Unread("a FictionBook", _TO_EPUB),
    "book": Unread("a book in XML", "convert it to EPUB or HTML"),
    "wordDocument": Unread("a document of Word as one XML file", "save it as DOCX"),
    "package": Unread("a document of Word as one XML file", "save it as DOCX"),
    "Workbook": Unread("a workbook of Excel as one XML file", _TO_XLSX),
    "document": Unread("a document of LibreOffice as one XML file", "save it as ODT, ODS or PDF"),
    "rss": Unread("a news feed", "save its pages as HTML"),
    "feed": Unread("a news feed", "save its pages as HTML"),
}
"""Type of an XML file by the name of its first element."""
LISTS: Final = (
    (re.compile(rb"PMID ?- \d"), _PUBMED),
    (re.compile(rb"FN [^\r\n]{1,80}\r?\nVR \d"), _WEB_OF_SCIENCE),
    (re.compile(rb"PT\tAU\t"), _WEB_OF_SCIENCE),
    (re.compile(rb"%0 [A-Z][A-Za-z ]{2,40}\r?\n%[A-Z0-9] "), _ENDNOTE),
    (re.compile(rb"TY  ?- [A-Z]{2,8}\s"), Unread("a reading list (RIS)", _UPLOAD)),
    (
        re.compile(rb"@(?:article|book|inproceedings|incollection|misc|phdthesis)\s{0,9}\{[^\s,{}]{1,200},", re.I),
        Unread("a reading list (BibTeX)", _UPLOAD),
    ),
)
"""Beginnings of lists of works. Uploads split those that they read before a reader is chosen here."""
SUFFIXES: Final[Mapping[str, Unread]] = {
    ".rtf": _RTF,
    ".doc": _DOC,
    ".xls": _XLS,
    ".ppt": _PPT,
    ".nbib": _PUBMED,
    ".ciw": _WEB_OF_SCIENCE,
    ".enw": _ENDNOTE,
    ".svg": Unread("a drawing (SVG)", _TO_PDF),
    ".ps": Unread("a PostScript document", _TO_PDF),
    ".eps": Unread("a PostScript document", _TO_PDF),
}
"""Kinds of text that would be read as raw marks, where the bytes are not clear."""
