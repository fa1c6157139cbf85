"""Which files are documents, told by their suffix in lower case; how each kind is read is said where it is read."""

from typing import Final

DOCUMENT_SUFFIXES: Final = (".txt", ".text", ".md", ".markdown", ".rst", ".html", ".htm", ".xhtml", ".pdf", ".docx")
