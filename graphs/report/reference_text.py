"""The text of a reference to a work: its authors, its standing, and where its identifiers lead.

Plain text from any source: the code that renders it escapes it for its output format.
"""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from elcano.graphs.report.works import Flag, Work, WorkKind
from elcano.graphs.text import shorten_text

MOST_AUTHORS: Final = 6
"""Number of authors before `et al.`, as in the Vancouver style."""
MOST_NOTICES: Final = 5
NOTICE_CHARACTERS: Final = 300
DATE_CHARACTERS: Final = 10
"""The length of a day."""
DESIGN_CHARACTERS: Final = 40
ABOUT_CHARACTERS: Final = 240
"""All flags together have room in it."""

FLAGS: Final[dict[Flag, str]] = {
    "retracted": "RETRACTED",
    "withdrawn": "WITHDRAWN",
    "concern": "EXPRESSION OF CONCERN",
    "corrected": "Corrected since",
    "preprint": "Preprint, not peer reviewed",
    "no_results": "No results posted",
    "unknown_status": "Status unknown",
    "abstract_only": "Only its abstract was read",
}
"""The gravest first."""
_MARKS: Final[dict[Flag, tuple[str, str]]] = {
    "retracted": ("retracted", "was retracted"),
    "withdrawn": ("withdrawn", "was withdrawn"),
    "concern": ("expression of concern", "is subject to an expression of concern"),
}
_KINDS: Final[dict[WorkKind, str]] = {"other": "", "document": "", "preprint": ""}
_ADDRESSES: Final = {
    "doi": ("doi:", "https://doi.org/"),
    "pmid": ("PMID ", "https://pubmed.ncbi.nlm.nih.gov/"),
    "pmcid": ("", "https://pmc.ncbi.nlm.nih.gov/articles/"),
    "arxiv": ("arXiv:", "https://arxiv.org/abs/"),
    "nct": ("", "https://clinicaltrials.gov/study/"),
    "url": ("", ""),
}
_IN_PATH: Final = "/:;()._-"
_IN_ADDRESS: Final = "%!#$&'()*+,/:;=?@~[]"


def format_authors(names: Sequence[str], most: int = MOST_AUTHORS) -> str:
    """Format authors as `Curie M, Bohr N, et al.`, up to a maximum number."""
    shown = [_shorten_author(name) for name in names[:most]]
    return ", ".join([*filter(None, shown), *(["et al."] if len(names) > most else [])])


def describe_work_flags(work: Work) -> str:
    """Return the warnings that a reader needs first, with their notices; empty if there are none."""
    told = "; ".join(words for flag, words in FLAGS.items() if flag in work.flags)
    notices = " ".join(_format_notice(notice) for notice in work.notices[:MOST_NOTICES] if notice.strip())
    return ": ".join(filter(None, (told, notices))) if told else f"Notice: {notices}" if notices else ""


def find_citation_mark(work: Work | None) -> str:
    """Return the mark that follows the number wherever the work is cited, such as `retracted`; empty if it stands."""
    told = work.flags if work else ()
    return next((short for flag, (short, _) in _MARKS.items() if flag in told), "")


def format_reference_warning(number: int, title: str, work: Work | None) -> str:
    """Return a sentence that the reference `number` does not stand, or is in doubt; empty if it stands."""
    told = work.flags if work else ()
    found = [words for flag, (_, words) in _MARKS.items() if flag in told]
    return f"Reference {number} (“{shorten_text(_on_one_line(title), 120)}”) {' and '.join(found)}." if found else ""


def summarize_work(work: Work) -> str:
    """A work in a few words, for who reads a passage of it: date, kind and design, and what has to be known."""
    kind = _KINDS.get(work.kind, work.kind)
    told = [words for flag, words in FLAGS.items() if flag in work.flags]
    design = (shorten_text(_on_one_line(one), DESIGN_CHARACTERS) for one in work.design[:2])
    date = _on_one_line(work.published)[:DATE_CHARACTERS] or str(work.year or "")
    return shorten_text(", ".join(filter(None, (date, kind, *told, *design))), ABOUT_CHARACTERS)


def format_venue(work: Work) -> str:
    """`Nature 12(3):45-67`, as far as it is known."""
    issue = f"({work.issue})" if work.issue else ""
    pages = f":{work.pages}" if work.pages else ""
    where = f"{work.volume}{issue}{pages}" if work.volume or issue else f"p. {work.pages}" if pages else ""
    return _on_one_line(f"{work.venue} {where}")


def list_work_identifiers(work: Work) -> list[tuple[str, str]]:
    """The identifiers of a work as they are shown, its DOI first, each with where it leads: `("doi:10.1/x", ...)`.

    The address of a page is not among them: it is where the title leads.
    """
    known = dict(work.identifiers)
    return [format_identifier(f"{kind}:{known[kind]}") for kind in _ADDRESSES if kind != "url" and known[kind]]


def format_identifier(name: str) -> tuple[str, str]:
    """Format one identifier, given as `doi:10.1/x`, with its address."""
    kind, _, text = name.partition(":")
    before, address = _ADDRESSES.get(kind, (f"{kind}:", ""))
    return before + text, address + quote(text, safe=_IN_PATH) if address else text


def resolve_work_url(work: Work) -> str:
    """Return the address at which readers find the work; empty if unknown."""
    if work.url.startswith(("https://", "http://")):
        return quote(_on_one_line(work.url), safe=_IN_ADDRESS)
    return next((where for _, where in list_work_identifiers(work)), work.identifiers.url)


def format_initials(given: str) -> str:
    """`Marie Salomea` as `MS`; of a script without capitals the whole name."""
    parts = [part for part in given.replace("-", " ").replace(".", " ").split() if part]
    if not any(part[0].isupper() for part in parts):
        return " ".join(parts)
    return "".join(part if part.isupper() and len(part) <= 3 else part[0] for part in parts)


def _shorten_author(name: str) -> str:
    family, comma, given = _on_one_line(name).partition(",")
    return shorten_text(f"{family.strip()} {format_initials(given)}".strip() if comma else family, 100)


def _format_notice(notice: str) -> str:
    text = shorten_text(_on_one_line(notice), NOTICE_CHARACTERS)
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
