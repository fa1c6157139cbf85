"""Checks a list of sections before it is researched: it has sections, each with a title and a question of its own."""

from collections.abc import Iterable, Sequence

from elcano.graphs.values.state import SectionPlan


def open_sections(plan: Iterable[SectionPlan]) -> tuple[SectionPlan, ...]:
    """Return the sections of a plan that were not dropped."""
    return tuple(section for section in plan if not section.left_out)


def plan_fault(plan: Sequence[SectionPlan], most: int) -> str | None:
    """Why these sections cannot be researched, of which there may be so many; None if they can."""
    if not plan:
        return "a plan needs at least one section"
    if len(plan) > most:
        return f"there would be {len(plan)} sections, and {most} are allowed (`budget.sections`)"
    if any(not section.title.strip() or not section.key_question.strip() for section in plan):
        return "every section needs a title and a question"
    known = set[str]()
    for section in plan:
        if (name := normalize_title(section.title)) in known:
            return f"two sections would be called {section.title!r}: give each a title of its own"
        known.add(name)
    return None


def normalize_title(title: str) -> str:
    """A title as it is compared: neither case nor white space tell two apart."""
    return " ".join(title.split()).casefold()
