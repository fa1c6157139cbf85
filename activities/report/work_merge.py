"""Works from accounts of sources, merged: accounts that share an identifier, also by way of others, are of one work.

Nothing is thrown away: a merged work keeps every account of it, and all that is said of it is computed from the set of
these. So the order in which sources answer does not matter, nor how often they do, nor what was put together first.

Without a common identifier works stay apart, also of the same title, year and first author: a conference paper and its
journal version, a protocol and its results, the parts of a series and a correction look alike so, and to take two
studies for one loses evidence, while to list one study twice does not.

A trial's number joins only records of the trial itself: papers name the trial that they report, and two papers of one
trial are two. The same holds for the address of a page.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, get_args

from elcano.activities.report.book_chapters import drop_book_dois
from elcano.graphs.frozen import Frozen
from elcano.graphs.report.report import CitedText
from elcano.graphs.report.works import Flag, Identifiers, Provenance, Work, is_preprint
from elcano.graphs.text import format_utc_day
from elcano.graphs.trust import WorkKind
from elcano.storage.evidence import Evidence

BELIEVED: Final = (
    *("pubmed", "crossref", "europe-pmc", "clinical-trials", "openalex", "semantic-scholar"),
    *("arxiv", "biorxiv", "medrxiv", "wikipedia"),
)
"""Sources by precedence where they disagree: indexed by people, then from publishers, then gathered by programs. Other
sources follow, by name."""

_PUBLISHED: Final[frozenset[WorkKind]] = frozenset({"article", "review", "book"})
_DATE: Final = re.compile(r"\d{4}(?:-\d\d){0,2}")
_STAYING: Final[frozenset[Flag]] = frozenset({"retracted", "concern", "corrected", "withdrawn"})
_OF_THE_MOMENT: Final[frozenset[Flag]] = frozenset({"no_results", "unknown_status"})
_FLAGS: Final[tuple[Flag, ...]] = get_args(Flag)


class MergedWork(Frozen):
    """One work, merged from all its accounts."""

    work: Work
    """Each field from who is believed first; see `merge_accounts`."""
    described_by: tuple[Provenance, ...] = ()
    """Each source once, who is believed first before the others."""
    also: tuple[str, ...] = ()
    """Its other names, as `doi:...`, that are not among the identifiers of `work`."""
    preprints: tuple[str, ...] = ()
    """For a published work with a preprint: the preprint's identifiers."""
    accounts: tuple[Work, ...] = ()
    """All accounts, in one order; a source that repeats itself is here once, with the last time."""


def merge_works(works: Iterable[Work]) -> tuple[MergedWork, ...]:
    """Every work that `works` are accounts of, once, in an order that depends on nothing but what they say.

    An account without any identifier stays for itself.
    """
    accounts = _each_once(drop_book_dois(list(works)))
    groups = _group_accounts(accounts)
    return tuple(sorted((merge_accounts(group) for group in groups), key=_build_sort_key))


def list_joining_names(work: Work) -> tuple[str, ...]:
    """The names by which an account is joined with others."""
    papers = work.identifiers.model_copy(update={"nct": "", "url": ""}).names
    return papers or work.identifiers.names


def merge_accounts(group: Iterable[Work]) -> MergedWork:
    """One work of all accounts of it.

    - Accounts of what was published go before those of a preprint, and these say nothing of the publication: not where
      it appeared, not when. Among equals, `BELIEVED` decides.
    - Authors: the longest list. Date: the most exact one of the year that is believed. Citations: the most.
    - Flags: once reported, a retraction, a withdrawal, doubts and an erratum stay. `preprint` falls where something was
      published, `abstract_only` where someone had more. What a trial lacks is as it was reported last.
    - Designs and notices: all of them, each once.

    Raises:
        ValueError: there is no account.
    """
    accounts = sorted(_each_once(group), key=_rank_account)
    if not accounts:
        raise ValueError("a work needs an account of it")
    published = any(map(is_published, accounts))
    leading = [one for one in accounts if not (published and is_preprint(one))]
    year, date = _choose_date(leading)
    identifiers = _merge_identifiers(leading, accounts)
    own = set(identifiers.names)
    work = Work(
        title=_find_first_text(one.title for one in accounts),
        authors=_find_longest_authors(leading) or _find_longest_authors(accounts),
        year=year,
        published=date,
        venue=_find_first_text(one.venue for one in leading),
        issns=_merge_texts(one.issns for one in leading),
        volume=_find_first_text(one.volume for one in leading),
        issue=_find_first_text(one.issue for one in leading),
        pages=_find_first_text(one.pages for one in leading),
        publisher=_find_first_text(one.publisher for one in leading),
        kind=next((one.kind for one in leading if one.kind != "other"), "other"),
        design=_merge_texts(one.design for one in accounts),
        identifiers=identifiers,
        url=_find_first_text(one.url for one in leading),
        language=_find_first_text(one.language for one in accounts),
        flags=_merge_flags(accounts, published=published),
        notices=_merge_texts(one.notices for one in accounts),
        cited_by=max((one.cited_by for one in accounts if one.cited_by is not None), default=None),
        licence=_find_first_text(one.licence for one in leading),
        source=accounts[0].source,
        retrieved_at=max(one.retrieved_at for one in accounts),
    )
    return MergedWork(
        work=work,
        described_by=_merge_provenance(accounts),
        also=tuple(name for name in _merge_texts(one.identifiers.names for one in accounts) if name not in own),
        preprints=_list_preprint_names(accounts) if published else (),
        accounts=tuple(sorted(accounts, key=_dump_work)),
    )


def is_published(work: Work) -> bool:
    """Whether an account is of something published: a paper or book with a name that no preprint server gave."""
    names = work.identifiers
    return not is_preprint(work) and work.kind in _PUBLISHED and bool(names.doi or names.pmid or names.pmcid)


def _each_once(works: Iterable[Work]) -> list[Work]:
    """Drop duplicate accounts: of those that differ only in their time, the last one stays."""
    last: dict[str, Work] = {}
    for work in works:
        key = _dump_without_time(work)
        if key not in last or last[key].retrieved_at < work.retrieved_at:
            last[key] = work
    return list(last.values())


def _group_accounts(accounts: Sequence[Work]) -> list[list[Work]]:
    """The accounts in groups that share names; without recursion, since chains may be long."""
    parent = list(range(len(accounts)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    first: dict[str, int] = {}
    for place, account in enumerate(accounts):
        for name in list_joining_names(account):
            parent[root(place)] = root(first.setdefault(name, place))
    groups: dict[int, list[Work]] = {}
    for place, account in enumerate(accounts):
        groups.setdefault(root(place), []).append(account)
    return list(groups.values())


def _rank_account(work: Work) -> tuple[int, int, str, str]:
    rank = 0 if is_published(work) else 2 if is_preprint(work) else 1
    believed = BELIEVED.index(work.source) if work.source in BELIEVED else len(BELIEVED)
    return rank, believed, work.source, _dump_work(work)


def _dump_work(work: Work) -> str:
    return work.model_dump_json()


def _build_sort_key(one: MergedWork) -> tuple[str, ...]:
    return (one.work.identifiers.document, *map(_dump_work, one.accounts))


def _choose_date(leading: Sequence[Work]) -> tuple[int | None, str]:
    """The year that is believed, and the most exact date within it."""
    year = next((one.year for one in leading if one.year is not None), None)
    dates = [one.published for one in leading if _DATE.fullmatch(one.published)]
    if year is None and dates:
        found = int(dates[0][:4])
        year = found if 1000 <= found <= 2999 else None
    return year, max((date for date in dates if date.startswith(str(year))), key=len, default="")


def _merge_identifiers(leading: Sequence[Work], accounts: Sequence[Work]) -> Identifiers:
    """Return the first identifier of each kind; arXiv's number may be of the preprint, and leads to the same work."""
    found = {
        kind: _find_first_text(getattr(one.identifiers, kind) for one in leading) for kind in Identifiers.model_fields
    }
    return Identifiers(**found | {"arxiv": _find_first_text(one.identifiers.arxiv for one in accounts)})


def _list_preprint_names(accounts: Iterable[Work]) -> tuple[str, ...]:
    """List the names that only the preprint has, and its number at arXiv also where others name it."""
    of_published = {name for one in accounts if is_published(one) for name in one.identifiers.names}
    names = _merge_texts(one.identifiers.names for one in accounts if is_preprint(one))
    return tuple(name for name in names if name not in of_published or name.startswith("arxiv:"))


def _merge_flags(accounts: Sequence[Work], *, published: bool) -> tuple[Flag, ...]:
    every = {flag for one in accounts for flag in one.flags}
    flags = every & _STAYING
    if not published and any(map(is_preprint, accounts)):
        flags |= {"preprint"}
    if all("abstract_only" in one.flags for one in accounts):
        flags |= {"abstract_only"}
    trials = [one for one in accounts if one.kind == "trial"] or accounts
    flags |= {*max(trials, key=lambda one: (one.retrieved_at, _dump_work(one))).flags} & _OF_THE_MOMENT
    return tuple(flag for flag in _FLAGS if flag in flags)


def _merge_provenance(accounts: Sequence[Work]) -> tuple[Provenance, ...]:
    """In the order of the accounts."""
    last: dict[str, float] = {}
    for one in accounts:
        last[one.source] = max(one.retrieved_at, last.get(one.source, one.retrieved_at))
    return tuple(Provenance(source=source, retrieved_at=at) for source, at in last.items())


def _find_first_text(values: Iterable[str]) -> str:
    """The first that is not empty."""
    return next(filter(None, values), "")


def _find_longest_authors(accounts: Iterable[Work]) -> tuple[str, ...]:
    return max((one.authors for one in accounts), key=len, default=())


def _merge_texts(lists: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """All that is in any of them, each once however its letters are set."""
    seen: dict[str, str] = {}
    for text in (text for texts in lists for text in texts):
        seen.setdefault(text.casefold(), text)
    return tuple(seen.values())


NO_HASH: Final = ""
LEAST_TITLE_WORDS: Final = 4
"""Minimum length of a title that marks documents as parts of one work; many share a shorter one, such as
`Introduction`."""


class Works:
    """The works of a run.

    Args:
        evidence: its passages.
        accounts: accounts of works besides these.
    """

    def __init__(self, evidence: Iterable[Evidence], accounts: Iterable[Work] = ()) -> None:
        given = list(evidence)
        every = [*(passage.work for passage in given if passage.work is not None), *accounts]
        self._apart = {one: other for one, other in zip(every, drop_book_dois(every), strict=True) if one is not other}
        self._by_name = {
            name: one for one in merge_works(every) for account in one.accounts for name in list_joining_names(account)
        }
        self._copy_of = _find_copies(given, self._name)

    def of(self, passage: Evidence) -> MergedWork | None:
        """The work that `passage` is of; None if nothing is known of it."""
        if passage.work is None:
            return None
        work = self._apart.get(passage.work, passage.work)
        return next((self._by_name[name] for name in list_joining_names(work)), None) or merge_accounts([work])

    def key(self, passage: Evidence) -> tuple[str, str]:
        """Return the identity of its reference: the work, or the document and its content hash.

        Pages and documents with one text are one, whatever their addresses: a text that four sites carry is no four
        that agree, and a list that was uploaded twice is one set of works.
        """
        name = self._name(passage)
        while name in self._copy_of:
            name = self._copy_of[name]
        return name

    def _name(self, passage: Evidence) -> tuple[str, str]:
        known = self.of(passage)
        named = known.work.identifiers.document if known else ""
        return (named, NO_HASH) if named else (passage.document, passage.content_hash)

    def group(self, passage: Evidence) -> tuple[str, str]:
        """Return the identity of a work's documents: the work; else title and source, if the title tells enough."""
        key, known = self.key(passage), self.of(passage)
        section = passage.heading.rpartition(" > ")[2]
        title = passage.title.removesuffix(f" > {section}") if section else passage.title
        if key[1] == NO_HASH or len(title.split()) < LEAST_TITLE_WORDS:
            return key
        said = f"{known.work.authors} {known.work.year}" if known else ""
        return (f"{passage.source}: {' '.join(title.split()).casefold()}", said)

    def document(self, passage: Evidence) -> str:
        """The canonical id of what the passage is of: that of its work, or of its document."""
        return self.key(passage)[0]


COPIED_CHARACTERS: Final = 200
"""Length from which a text alone says that it is the same; shorter ones, such as titles, are of one work only if title,
authors and year are the same too."""


def _find_copies(
    passages: Sequence[Evidence], name_of: Callable[[Evidence], tuple[str, str]]
) -> dict[tuple[str, str], tuple[str, str]]:
    """For each name of a page or document whose text another one has, the first name of these by the alphabet."""
    names: dict[tuple[object, ...], set[tuple[str, str]]] = {}
    for passage in passages:
        name = name_of(passage)
        if name[1] == NO_HASH and not name[0].startswith("url:"):
            continue  # papers are distinguished by their identifiers
        work = passage.work or Work(title=passage.title)
        about = () if len(passage.text) >= COPIED_CHARACTERS else (work.title.casefold(), work.authors, work.year)
        names.setdefault((passage.content_hash, passage.start, *about), set()).add(name)
    return {name: min(same) for same in names.values() for name in sorted(same)[1:]}


def select_related_accounts(known: Iterable[Work], others: Iterable[Work]) -> tuple[Work, ...]:
    """Select `others` about works that one of `known` is of, in one order; none that is known anyway."""
    own = list(known)
    dumped = {_dump_without_time(work) for work in own}
    names = {name for work in own for name in list_joining_names(work)}
    return tuple(
        account
        for one in merge_works([*own, *others])
        if any(name in names for account in one.accounts for name in list_joining_names(account))
        for account in one.accounts
        if _dump_without_time(account) not in dumped
    )


def _dump_without_time(work: Work) -> str:
    return work.model_copy(update={"retrieved_at": 0.0}).model_dump_json()


def list_cited_texts(passages: Iterable[Evidence]) -> Iterable[CitedText]:
    """Each text of a reference once, in the order of first citing."""
    by_text: dict[tuple[str, str], list[Evidence]] = {}
    for passage in passages:
        by_text.setdefault((passage.document, passage.content_hash), []).append(passage)
    for (document, content_hash), cited in by_text.items():
        yield CitedText(
            content_hash=content_hash,
            document=document,
            source=cited[0].source,
            locators=tuple(dict.fromkeys(passage.locator for passage in cited)),
            retrieved=format_utc_day(max(passage.retrieved_at for passage in cited)),
        )
