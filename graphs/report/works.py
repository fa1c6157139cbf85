"""A work (paper, trial, page): its metadata, and the identifiers by which other sources know it.

Sources say what they know and leave the rest empty. Identifiers are kept in one spelling, so that two sources that mean
the same work name it alike.
"""

import re
from typing import Final, Literal, TypeAlias
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from pydantic import Field

from elcano.graphs.frozen import Epoch, Frozen

Flag: TypeAlias = Literal[
    "preprint", "retracted", "concern", "corrected", "withdrawn", "no_results", "unknown_status", "abstract_only"
]
"""Flags for readers. `preprint`: not peer reviewed. `retracted`, `withdrawn`: no longer stands. `concern`: its
publisher has doubts. `corrected`: there is an erratum. `no_results`, `unknown_status`: trials only. `abstract_only`:
only its abstract was read."""
WorkKind: TypeAlias = Literal[
    "article", "review", "preprint", "trial", "book", "encyclopedia", "page", "document", "other"
]

_DOI: Final = re.compile(r"10\.\d{4,9}/\S+")
_DIGITS: Final = re.compile(r"\d{1,10}")
_PMCID: Final = re.compile(r"(?:PMC)?(\d{1,10})(?:\.\d+)?", re.IGNORECASE)
_NCT: Final = re.compile(r"NCT\d{8}", re.IGNORECASE)
_ARXIV: Final = re.compile(r"(\d{4}\.\d{4,5}|[a-z][a-z.-]*(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?")
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
        """Return the identifier that stands for the work; empty if there is none.

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


class Provenance(Frozen):
    """The source of a work's data, and the time it was retrieved."""

    source: str
    retrieved_at: Epoch = 0.0
    """Seconds since the epoch; the last time."""


def parse_doi(text: str) -> str:
    """The DOI in `text` in its one spelling; empty if there is none."""
    found = _DOI.search(unquote(text).strip())
    return found.group().rstrip(".,;)>]\"'").lower() if found else ""


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
