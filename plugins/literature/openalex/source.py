"""OpenAlex as a source: one request a search, for works that have an abstract, in the order of the service.

It wants all words of a query in each work. Where nothing has them all, it is asked once more for any of them.

Its key goes into the query of the address, the one place where the service takes it; nothing tells that address to
anybody. A search costs a thousandth of the credit of a day, which is gone after a few without a key: then it says so.
"""

import asyncio
import re
import time
from typing import Any, Final

from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.fetching import Answer, Service
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.plugins.literature import fields
from elcano.plugins.literature.openalex.work_parser import FIELDS, build_openalex_record
from elcano.plugins.literature.passage_selection import take_first_passages
from elcano.plugins.literature.refusals import require_answered
from elcano.plugins.literature.relevance import left_out, on_subject
from elcano.plugins.literature.service_answers import json_of
from elcano.plugins.literature.service_queries import any_was_enough
from elcano.plugins.literature.syntax import is_well_formed_query
from elcano.plugins.literature.widening import any_of
from elcano.plugins.literature.work_records import build_stored_record
from elcano.settings import Settings

BASE: Final = "https://api.openalex.org/"
_SPENT: Final = re.compile(r"(?i)limit|credit|budget|quota|usage|exceeded|too many")
"""How the service says that a day's credit is spent; it sends 403 as well as 429 for that."""
_UNSAID: Final = re.compile(r"[?*~^/\\\\:{}\[\]|&!<>=]+|(?<!\S)[-+]+")
"""What search engines take for wildcards, fields, patterns and ranges, of which the service knows none: a question's
last word would match others, or the query be refused."""
_OPERATORS: Final = re.compile(r"(?<!\S)(?:AND|OR|NOT)(?!\S)")


class OpenAlexSource:
    """Works of all fields, with their abstracts.

    Args:
        spec: what is known of it.
        service: where it is asked.
        key: empty: none.
    """

    def __init__(self, spec: SourceSpec, service: Service, key: str) -> None:
        self._spec = spec
        self._service = service
        self._key = key

    @property
    def spec(self) -> SourceSpec:
        """The source's specification."""
        return self._spec

    async def search(self, query: str, limit: int) -> SearchResults:
        """At most `limit` passages, in the order of the service.

        Raises:
            SourceUnavailable: nobody answered, or something else than works came back.
            SourceBusy: it is down, or the credit of the day is spent.
            SourceRefused: it does not take the query or the key.
        """
        asked = sanitize_openalex_query(query)
        if not any(character.isalnum() for character in asked):
            return SearchResults(warnings=(f"{self._spec.name}: {query!r} has no word to search for",))
        found = await asyncio.to_thread(self._found, await self._asked(asked, limit), limit, "")
        wider = any_of(asked)
        if found.evidence or found.warnings or not wider:
            return found
        return await asyncio.to_thread(self._found, await self._asked(wider, limit), limit, asked)

    async def close(self) -> None:
        """Closes its connections."""
        await self._service.close()

    async def _asked(self, words: str, limit: int) -> Answer:
        params = {
            "search": words,
            "filter": "has_abstract:true",
            "per_page": str(limit),
            "select": ",".join(FIELDS),
            **({"api_key": self._key} if self._key else {}),
        }
        answer = await self._service.ask("works", params=params)
        self._require(answer)
        return answer

    def _found(self, answer: Answer, limit: int, wider_than: str) -> SearchResults:
        """What an answer holds; `wider_than` is the query that found nothing before, if there was one."""
        name = self._spec.name
        works, unread = self._works(answer)
        records = [build_openalex_record(one) for one in works]
        kept, strange = on_subject(wider_than, records) if wider_than else (records, 0)
        now = time.time()
        made = [build_stored_record(name, one, now) for one in kept]
        warnings = left_out(name, unread=unread, strange=strange, silent=made.count(None))
        return take_first_passages(made, limit, [*([any_was_enough(name)] if kept and wider_than else ()), *warnings])

    def _works(self, answer: Answer) -> tuple[list[dict[str, Any]], int]:
        """The works of an answer, and how many others were no works."""
        given = json_of(self._spec.name, answer)
        results = given.get("results") if isinstance(given, dict) else None
        if not isinstance(results, list):
            said = fields.coerce_text(fields.coerce_mapping(given).get("message"))[:200]
            raise SourceUnavailable(f"{self._spec.name}: the answer holds no works" + (f": {said}" if said else ""))
        works = [one for one in results if isinstance(one, dict)]
        return works, len(results) - len(works)

    def _require(self, answer: Answer) -> None:
        name = self._spec.name
        spent = answer.status == 429 or (answer.status == 403 and _SPENT.search(answer.text[:2_000]) is not None)
        remedy = "" if self._key else f"; without {self._spec.key} only a few searches a day are allowed: set it"
        if answer.status == 403 and spent:
            raise SourceBusy(f"{name}: HTTP 403: the credit of the day is spent{remedy}")
        try:
            require_answered(name, answer)
        except SourceBusy as error:
            raise SourceBusy(f"{error}{remedy if spent else ''}", error.retry_after) from None
        except SourceRefused as error:
            raise SourceRefused(f"{error}{remedy if answer.status in (401, 403) else ''}") from None


def sanitize_openalex_query(query: str) -> str:
    """A query as it is sent: on one line, with operators, quotation marks and brackets only if they are whole."""
    asked = " ".join(_UNSAID.sub(" ", query).split())
    if is_well_formed_query(asked):
        return asked
    return " ".join(_OPERATORS.sub(" ", re.sub(r"[\"()]", " ", asked)).split())


def open_source(spec: SourceSpec, settings: Settings) -> OpenAlexSource:
    """OpenAlex with the key of the environment, if there is one."""
    return OpenAlexSource(spec, Service(spec.name, BASE, settings), settings.key(spec.key))
