"""SQL by rules: the question as a query, or why it is none.

The same question over the same schema always gives the same query.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final

from elcano.activities.offline.sql.building import DIALECTS, built
from elcano.activities.offline.sql.form import Unread
from elcano.activities.offline.sql.items import items, merged
from elcano.activities.offline.sql.links import Links
from elcano.activities.offline.sql.moments import NoToday, moments
from elcano.activities.offline.sql.names import Names
from elcano.activities.offline.sql.proportions import resolved
from elcano.activities.offline.sql.reading import wish, without_method
from elcano.activities.offline.sql.zones import zone_choices
from elcano.activities.text.languages import language_of
from elcano.graphs.data.query import SqlQuery
from elcano.graphs.data.schema import DatabaseSchema

LONGEST: Final = 2_000
"""Characters of a question that is read by rules."""


@dataclass(frozen=True)
class Refused:
    """Why there is no query, in sentences, and the words that were not read."""

    reason: str
    unread: tuple[str, ...] = ()


def query_for(question: str, schema: DatabaseSchema, today: date | None = None) -> SqlQuery | Refused:
    """The query that answers a question, with its reasons and choices, or why there is none."""
    if not question.strip():
        return Refused("There is no question.")
    if len(question) > LONGEST:
        return Refused(f"Rules read questions of at most {LONGEST:,} characters.")
    if not any(table.columns for table in schema.tables):
        return Refused("The database has no table that could be asked.")
    names = Names(schema)
    try:
        asked, spoken = moments(without_method(question), today)
    except NoToday as error:
        return Refused(f"`{error}` depends on the day of the question, which was not given.")
    except ValueError as error:
        return Refused(f"A day in the question is in no calendar: {error}.")
    row = merged(items(asked, spoken, names))
    if unread := tuple(dict.fromkeys(one.text for one in row if one.kind == "unread")):
        told = ", ".join(f"`{one}`" for one in unread[:12])
        return Refused(f"{_foreign(question)}Nothing in the database or in the rules is called {told}.", unread)
    links = Links(names)
    try:
        form = resolved(wish(row), names, links)
        tree = built(form, names, links, schema.dialect)
    except Unread as error:
        text = str(error)
        return Refused(f"{text[:1].upper()}{text[1:]}.")
    return SqlQuery(
        database=schema.database,
        dialect=schema.dialect,
        sql=tree.sql(dialect=DIALECTS[schema.dialect]),
        reasons=tuple(form.reasons),
        choices=(*form.choices, *zone_choices(form)),
    )


def _foreign(question: str) -> str:
    """A word on the language, if the question is in another one than the rules."""
    language = language_of(question)
    return "" if language == "en" else "Rules read English questions alone. "
