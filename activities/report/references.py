"""Renders the reference list of a report: authors, notices, location, and which sources reported each work and when.

A document of which nothing is known beside its title is shown by its places alone.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from elcano.activities.report.markdown import link, place, plain
from elcano.graphs.references import wording
from elcano.graphs.references.days import day
from elcano.graphs.shortening import shortened
from elcano.graphs.values.report import Reference
from elcano.graphs.values.works import Work, page

LICENCE_CHARACTERS: Final = 80
"""Room for a name and an address; some ask that both be shown."""


def listed(references: Sequence[Reference], heading: str = "References") -> list[str]:
    """The list under its heading; nothing if there is none."""
    lines = [f"{reference.number}. {_reference(reference)}" for reference in references]
    return [f"## {heading}", "\n".join(lines)] if lines else []


def standing(references: Iterable[Reference]) -> tuple[str, ...]:
    """A sentence for every reference that was retracted or withdrawn, or that its publisher has doubts of."""
    told = (wording.warning(reference.number, reference.title, reference.work) for reference in references)
    return tuple(filter(None, told))


def flagged(words: str) -> str:
    """Format a warning about a work, to be put in front of it; empty if there is none."""
    return f"**{plain(words)}** " if words else ""


def _reference(reference: Reference) -> str:
    if reference.work is not None:
        return _work(reference, reference.work)
    if len(reference.locators) == 1:
        return f"{link(reference.title, reference.locators[0])} — {plain(reference.source)}"
    places = "; ".join(map(place, reference.locators))
    return f"**{plain(reference.title)}** — {plain(reference.source)}: {places}"


def _work(reference: Reference, work: Work) -> str:
    by = wording.authors(work.authors)
    year = f"({work.year})" if work.year else ""
    head = plain(" ".join(filter(None, (by, year))))
    address = wording.address(work)
    title = link(reference.title, address)
    names = wording.names(work)
    shown = {_bare(address), *(_bare(where) for _, where in names)}
    places = [place(one) for one in reference.locators if one and _bare(one) not in shown]
    preprints = [link(*wording.named(name)) for name in reference.preprints]
    parts = [
        f"{head}. " if head else "",
        f"{title}. ",
        f"{plain(where)}. " if (where := wording.place(work)) else "",
        f"{', '.join(link(*name) for name in names)}. " if names else "",
        f"There is a preprint of it: {', '.join(preprints)}. " if preprints else "",
        f"Cited from: {'; '.join(places)}. " if places else "",
        f"Licence: {plain(shortened(work.licence, LICENCE_CHARACTERS))}. " if work.licence else "",
        f"— {_told(reference)}",
    ]
    return flagged(wording.flags(work)) + "".join(parts)


def _told(reference: Reference) -> str:
    """Return the sources whose text is cited, with retrieval dates, and the other sources that report the work."""
    cited = {text.source: text.retrieved for text in reference.texts}
    told = {one.source: one.retrieved_at for one in reference.told_by}
    days = ((source, on or day(told.get(source, 0.0))) for source, on in cited.items())
    own = ", ".join(f"{source}, retrieved {on}" if on else source for source, on in days)
    others = ", ".join(source for source in told if source and source not in cited)
    return plain(f"{own}; also told of by {others}" if others else own)


def _bare(address: str) -> str:
    """An address without what makes no difference to where it leads."""
    if not address.startswith(("https://", "http://")):
        return address
    try:
        return page(address).partition("://")[2].removesuffix("/")
    except ValueError:  # its port is none
        return address
