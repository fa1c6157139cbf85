"""The work that a file is of."""

from elcano.activities.passages.search import Text
from elcano.graphs.report.works import Identifiers, Work, parse_arxiv_id
from elcano.subjects.documents.first_page import ARXIV_DOI


def build_file_work(text: Text, source: str) -> Work | None:
    """The work that a document is of, or the author and date that it states; None if it states nothing."""
    if text.work:
        return Work.model_validate_json(text.work).model_copy(update={"source": source})
    if not text.authors and not text.year and not text.doi:
        return None
    arxiv = parse_arxiv_id(text.doi) if text.doi.startswith(ARXIV_DOI) else ""
    return Work(
        title=text.title,
        authors=text.authors,
        year=text.year or None,
        kind="document",
        identifiers=Identifiers(doi=text.doi, arxiv=arxiv),
        source=source,
    )
