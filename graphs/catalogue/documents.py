"""The file suffixes of documents, in lower case; the readers say how each kind is read."""

from typing import Final

DOCUMENT_SUFFIXES: Final = (".txt", ".text", ".md", ".markdown", ".rst", ".html", ".htm", ".xhtml", ".pdf", ".docx")
