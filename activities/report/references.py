"""The reference list of a report, and what is known of the works in it: authors, notices, location, who reported them.

A document of which nothing is known beside its title is shown by its places alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from elcano.activities.report.markdown import escape_markdown, render_link, render_locator
from elcano.activities.report.work_merge import MergedWork, list_joining_names, merge_accounts, merge_works
from elcano.graphs.report.report import CitedText, Reference
from elcano.graphs.report.works import (
    Work,
    canonicalize_page_url,
    describe_work_flags,
    format_authors,
    format_identifier,
    format_reference_warning,
    format_venue,
    list_work_identifiers,
    resolve_work_url,
)
from elcano.graphs.text import format_utc_day, shorten_text
from elcano.storage.evidence import Evidence

QUOTE_CHARACTERS: Final = 400
"""Maximum length of a quote below its reference; the report's data have the whole."""
LICENCE_CHARACTERS: Final = 80
"""Room for a name and an address; some ask that both be shown."""


def render_references(
    references: Sequence[Reference],
    heading: str = "References",
    quotes: Mapping[int, Sequence[tuple[str, str]]] | None = None,
    day: str = "",
) -> list[str]:
    """The list under its heading; nothing if there is none.

    Behind a number that is missing the sign behind numbers changes: Markdown would count on.

    Args:
        references: one for each number.
        heading: in the language of the report.
        quotes: by number the words that the report quotes, each with the place that it is quoted from.
        day: when the report says above that everything was retrieved; only other days are told with a reference.
    """
    lines: list[str] = []
    last, sign = 0, "."
    for reference in references:
        if lines and reference.number != last + 1:
            sign = ")" if sign == "." else "."
        last = reference.number
        quoted = (quotes or {}).get(reference.number, ())
        below = len({place for place, _ in quoted}) > 1
        lines.append(f"{reference.number}{sign} {_render_reference(reference, below=below, day=day)}")
        indent = " " * len(f"{reference.number}{sign} ")
        lines += (f"{indent}- {one}" for one in _render_quotes(quoted))
    return [f"## {heading}", "\n".join(lines)] if lines else []


def _render_quotes(quotes: Iterable[tuple[str, str]]) -> Iterable[str]:
    """Each place with what is quoted from it, without quotes that are a part of another one.

    The place is left out where there is one alone.
    """
    by_place: dict[str, dict[str, None]] = {}
    for place, quote in quotes:
        by_place.setdefault(place, {})[" ".join(quote.split())] = None
    for place, quoted in by_place.items():
        whole = (one for one in quoted if not any(one in other for other in quoted if other != one))
        said = [f"“{escape_markdown(shorten_text(one, QUOTE_CHARACTERS))}”" for one in whole]
        if len(by_place) > 1:
            yield f"{render_locator(place)}: {'; '.join(said)}" if place else "; ".join(said)
        else:
            yield from said


def list_retraction_warnings(references: Iterable[Reference]) -> tuple[str, ...]:
    """A sentence for every reference that was retracted or withdrawn, or that its publisher has doubts of."""
    told = (format_reference_warning(reference.number, reference.title, reference.work) for reference in references)
    return tuple(filter(None, told))


def render_work_flag(words: str) -> str:
    """Format a warning about a work, to be put in front of it; empty if there is none."""
    return f"**{escape_markdown(words)}** " if words else ""


def _render_reference(reference: Reference, *, below: bool, day: str) -> str:
    """One entry; `below`: the places that are cited stand below it, with what is quoted from each."""
    if reference.work is not None:
        return _render_work(reference, reference.work, day)
    if below:
        return f"**{escape_markdown(reference.title)}** — {escape_markdown(reference.source)}"
    if len(reference.locators) == 1:
        return f"{render_link(reference.title, reference.locators[0])} — {escape_markdown(reference.source)}"
    places = "; ".join(map(render_locator, reference.locators))
    return f"**{escape_markdown(reference.title)}** — {escape_markdown(reference.source)}: {places}"


def _render_work(reference: Reference, work: Work, day: str) -> str:
    by = format_authors(work.authors)
    year = f"({work.year})" if work.year else ""
    head = escape_markdown(" ".join(filter(None, (by, year))))
    address = resolve_work_url(work)
    title = render_link(reference.title, address)
    names = list_work_identifiers(work)
    shown = {_normalize_address(address), *(_normalize_address(where) for _, where in names)}
    places = [render_locator(one) for one in reference.locators if one and _normalize_address(one) not in shown]
    preprints = [render_link(*format_identifier(name)) for name in reference.preprints]
    parts = [
        f"{head}. " if head else "",
        f"{title}. ",
        f"{escape_markdown(where)}. " if (where := format_venue(work)) else "",
        f"{', '.join(render_link(*name) for name in names)}. " if names else "",
        f"There is a preprint of it: {', '.join(preprints)}. " if preprints else "",
        f"Cited from: {'; '.join(places)}. " if places else "",
        f"Licence: {escape_markdown(shorten_text(work.licence, LICENCE_CHARACTERS))}. " if work.licence else "",
        f"— {_render_retrievals(reference, day)}",
    ]
    return render_work_flag(describe_work_flags(work)) + "".join(parts)


def _render_retrievals(reference: Reference, day: str) -> str:
    """Return the sources of the cited text, with dates of retrieval but `day`, and others that report the work."""
    cited = {text.source: text.retrieved for text in reference.texts}
    told = {one.source: one.retrieved_at for one in reference.told_by}
    days = ((source, on or format_utc_day(told.get(source, 0.0))) for source, on in cited.items())
    own = ", ".join(f"{source}, retrieved {on}" if on not in ("", day) else source for source, on in days)
    others = ", ".join(source for source in told if source and source not in cited)
    return escape_markdown(f"{own}; also found by {others}" if others else own)


def _normalize_address(address: str) -> str:
    """An address without what makes no difference to where it leads."""
    if not address.startswith(("https://", "http://")):
        return address
    try:
        return canonicalize_page_url(address).partition("://")[2].removesuffix("/")
    except ValueError:  # its port is none
        return address


NO_HASH: Final = ""
LEAST_TITLE_WORDS: Final = 4
"""Minimum length of a title that marks documents as parts of one work; many share a shorter one, such as
`Introduction`."""


class Works:
    """The works of a run.

    Args:
        evidence: its passages.
        accounts: what was told of works beside these.
    """

    def __init__(self, evidence: Iterable[Evidence], accounts: Iterable[Work] = ()) -> None:
        told = [passage.work for passage in evidence if passage.work is not None]
        self._by_name = {
            name: one
            for one in merge_works([*told, *accounts])
            for account in one.accounts
            for name in list_joining_names(account)
        }

    def of(self, passage: Evidence) -> MergedWork | None:
        """The work that `passage` is of; None if nothing is known of it."""
        if passage.work is None:
            return None
        return next((self._by_name[name] for name in list_joining_names(passage.work)), None) or merge_accounts(
            [passage.work]
        )

    def key(self, passage: Evidence) -> tuple[str, str]:
        """What tells its reference apart from others: the work, or the document and its content hash."""
        known = self.of(passage)
        named = known.work.identifiers.document if known else ""
        return (named, NO_HASH) if named else (passage.document, passage.content_hash)

    def group(self, passage: Evidence) -> tuple[str, str]:
        """What documents of one work have in common: the work; else title and source, if the title tells enough."""
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


def select_related_accounts(known: Iterable[Work], others: Iterable[Work]) -> tuple[Work, ...]:
    """Those of `others` that tell of a work that one of `known` is of, in one order; none that is known anyway."""
    own = list(known)
    told = {_dump_without_time(work) for work in own}
    names = {name for work in own for name in list_joining_names(work)}
    return tuple(
        account
        for one in merge_works([*own, *others])
        if any(name in names for account in one.accounts for name in list_joining_names(account))
        for account in one.accounts
        if _dump_without_time(account) not in told
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
