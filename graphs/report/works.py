"""A work (paper, trial, page): its metadata, and the identifiers by which other sources know it.

Sources say what they know and leave the rest empty. Identifiers are kept in one spelling, so that two sources that mean
the same work name it alike.

The text of a reference to it says its authors, its standing, and where its identifiers lead: plain text, which the code
that renders it escapes for its output format.
"""

import re
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from pydantic import Field

from elcano.graphs.frozen import Epoch, Frozen
from elcano.graphs.text import shorten_text
from elcano.graphs.trust import WorkKind

Flag: TypeAlias = Literal[
    "preprint", "retracted", "concern", "corrected", "withdrawn", "no_results", "unknown_status", "abstract_only"
]
"""Flags for readers. `preprint`: not peer reviewed. `retracted`, `withdrawn`: no longer valid. `concern`: its
publisher has doubts. `corrected`: there is an erratum. `no_results`, `unknown_status`: trials only. `abstract_only`:
only its abstract was read."""

_DOI: Final = re.compile(r"10\.\d{4,9}/\S+")
_DIGITS: Final = re.compile(r"\d{1,10}")
_PMCID: Final = re.compile(r"(?:PMC)?(\d{1,10})(?:\.\d+)?", re.IGNORECASE)
_NCT: Final = re.compile(r"NCT\d{8}", re.IGNORECASE)
_ARXIV: Final = re.compile(r"(\d{4}\.\d{4,5}|[a-z][a-z.-]*(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?")
_PREPRINT_DOI: Final = re.compile(
    r"10\.(?:48550/arxiv|1101/\d{4}\.\d\d\.\d\d\.\d|1101/\d{6}$|64898/|21203/|20944/preprints|26434/|31234/|31219/|2139/ssrn"
    r"|36227/|22541/)"
)
"""DOIs that servers of preprints give: arXiv, bioRxiv and medRxiv (old and new), Research Square, Preprints.org,
ChemRxiv, PsyArXiv, OSF, SSRN, TechRxiv, Authorea."""
_TRACKING: Final = re.compile(r"utm_\w+|fbclid|gclid|mc_cid|mc_eid|ref_src|igshid", re.IGNORECASE)
_PORTS: Final = {"http": 80, "https": 443}


class Identifiers(Frozen):
    """The names of a work, each in its one spelling; empty where unknown."""

    pmid: str = ""
    """Digits."""
    pmcid: str = ""
    """`PMC` and digits."""
    doi: str = ""
    """Lower case, without `https://doi.org/`."""
    arxiv: str = ""
    """Without `arXiv:` and without a version."""
    nct: str = ""
    """`NCT` and eight digits."""
    url: str = ""
    """The address of a page, normalized; empty for works with one of the other identifiers."""

    @property
    def names(self) -> tuple[str, ...]:
        """All of them as `kind:name`; works that share one are the same."""
        return tuple(f"{kind}:{name}" for kind, name in self if name)

    @property
    def document(self) -> str:
        """Return the identifier that represents the work; empty if there is none.

        `doi:...` takes precedence over `pmid:...`, `pmcid:...`, `arxiv:...`, `nct:...` and `url:...`.
        """
        named = dict(self)
        order = ("doi", "pmid", "pmcid", "arxiv", "nct", "url")
        return next((f"{kind}:{named[kind]}" for kind in order if named[kind]), "")


class Work(Frozen):
    """One work, as one source describes it."""

    title: str = ""
    authors: tuple[str, ...] = ()
    """`Family, Given` as far as known, or the name of a group, in the order of the work."""
    year: int | None = Field(default=None, ge=1000, le=2999)
    published: str = ""
    """`2024`, `2024-05` or `2024-05-17`, as exactly as it is known."""
    venue: str = ""
    """The journal, book, registry or site."""
    issns: tuple[str, ...] = Field(default=(), exclude_if=lambda issns: not issns)
    """ISSNs of its journal, print and electronic, as `1234-567X`."""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    kind: WorkKind = "other"
    design: tuple[str, ...] = ()
    """The kind of study, in its source's words: `Randomized Controlled Trial`, `Meta-Analysis`, `PHASE3`."""
    identifiers: Identifiers = Identifiers()
    url: str = ""
    """The address at which readers find it."""
    language: str = ""
    """The language, as `en`."""
    flags: tuple[Flag, ...] = ()
    notices: tuple[str, ...] = ()
    """The reason for each flag, in a sentence: the retraction and where it is published."""
    cited_by: int | None = Field(default=None, ge=0)
    licence: str = ""
    source: str = ""
    """The name of the source that says so."""
    retrieved_at: Epoch = 0.0
    """Seconds since the epoch."""


def is_preprint(work: Work) -> bool:
    """Whether an account is of a preprint, by its flag, its kind, or who gave its DOI."""
    given = bool(_PREPRINT_DOI.match(work.identifiers.doi))
    return given or "preprint" in work.flags or work.kind == "preprint"


class Provenance(Frozen):
    """The source of a work's data, and the time it was retrieved."""

    source: str
    retrieved_at: Epoch = 0.0
    """Seconds since the epoch; the last time."""


def parse_doi(text: str) -> str:
    """The DOI in `text` in its one spelling; empty if there is none."""
    found = _DOI.search(unquote(text).strip())
    doi = found.group().rstrip(_BEHIND_DOI).lower() if found else ""
    while doi.endswith(")") and doi.count("(") < doi.count(")"):  # `10.1130/2009.2460(12)` keeps its own
        doi = doi[:-1].rstrip(_BEHIND_DOI)
    return doi


_BEHIND_DOI: Final = ".,;>]\"'"


def parse_pmid(text: str) -> str:
    """The PMID that `text` is, as digits; empty if it is none."""
    plain = text.strip().removeprefix("PMID:").strip()
    return plain if _DIGITS.fullmatch(plain) else ""


def parse_pmcid(text: str) -> str:
    """The PMCID that `text` is, as `PMC123`; empty if it is none."""
    found = _PMCID.fullmatch(text.strip())
    return f"PMC{found.group(1)}" if found else ""


def parse_nct(text: str) -> str:
    """The ClinicalTrials.gov number in `text`; empty if there is none."""
    found = _NCT.search(text)
    return found.group().upper() if found else ""


def parse_arxiv_id(text: str) -> str:
    """The arXiv id that ends `text` (an id, an address, an arXiv DOI), without its version; empty if there is none."""
    tail = re.sub(r"(?i)^.*(?:arxiv\.org/(?:abs|pdf)/|arxiv[:.])", "", text.strip()).removesuffix(".pdf")
    found = _ARXIV.fullmatch(tail)
    return found.group(1) if found else ""


def canonicalize_page_url(url: str) -> str:
    """The address of a page in its one spelling.

    Lower-case host without its standard port, no fragment, parameters sorted and without those that only track.
    """
    parts = urlsplit(url.strip())
    host = (parts.hostname or "").lower()
    port = "" if parts.port in (None, _PORTS.get(parts.scheme)) else f":{parts.port}"
    kept = sorted(pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.fullmatch(pair[0]))
    shown = f"[{host}]" if ":" in host else host
    return urlunsplit((parts.scheme.lower(), shown + port, parts.path or "/", urlencode(kept), ""))


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
    labels = "; ".join(words for flag, words in FLAGS.items() if flag in work.flags)
    notices = " ".join(_format_notice(notice) for notice in work.notices[:MOST_NOTICES] if notice.strip())
    return ": ".join(filter(None, (labels, notices))) if labels else f"Notice: {notices}" if notices else ""


def find_citation_mark(work: Work | None) -> str:
    """Return the mark that follows the number wherever the work is cited, such as `retracted`; empty if it is valid."""
    flags = work.flags if work else ()
    return next((short for flag, (short, _) in _MARKS.items() if flag in flags), "")


def format_reference_warning(number: int, title: str, work: Work | None) -> str:
    """Return a sentence that the reference `number` is not valid, or is in doubt; empty if it is valid."""
    flags = work.flags if work else ()
    found = [words for flag, (_, words) in _MARKS.items() if flag in flags]
    return f"Reference {number} (“{shorten_text(_on_one_line(title), 120)}”) {' and '.join(found)}." if found else ""


def summarize_work(work: Work) -> str:
    """A work in a few words, for who reads a passage of it: date, kind and design, and what has to be known."""
    kind = _KINDS.get(work.kind, work.kind)
    labels = [words for flag, words in FLAGS.items() if flag in work.flags]
    design = (shorten_text(_on_one_line(one), DESIGN_CHARACTERS) for one in work.design[:2])
    date = _on_one_line(work.published)[:DATE_CHARACTERS] or str(work.year or "")
    return shorten_text(", ".join(filter(None, (date, kind, *labels, *design))), ABOUT_CHARACTERS)


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
    family, *given = (part.strip() for part in _on_one_line(name).split(",", 2))
    initials = [format_initials(given[0]), *given[1:]] if given else []  # a suffix as `Jr.` stays
    return shorten_text(" ".join(filter(None, (family, *initials))), 100)


def _format_notice(notice: str) -> str:
    text = shorten_text(_on_one_line(notice), NOTICE_CHARACTERS)
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
