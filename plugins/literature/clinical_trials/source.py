"""ClinicalTrials.gov as a source: studies of the registry, in passages on their questions, plans and findings.

A search is one request, and a second one if nothing matches all words of a plain query. A query that is a study's
number returns that study; an old number leads to the current one.
"""

import asyncio
import re
from typing import Final

from elcano.activities.sources.http.fetching import Answer
from elcano.plugins.literature.clinical_trials.studies import Page, Study, build_trial_record
from elcano.plugins.literature.literature_source import FoundWorks, LiteratureSource
from elcano.plugins.literature.search_queries import SentQuery, prepare_query
from elcano.plugins.literature.service_answers import parse_readable_items

MOST_STUDIES: Final = 10
"""Studies per search: each is cut into many passages, and one with results may have a megabyte."""
_NUMBER: Final = re.compile(r"\s*(NCT\d{8})\s*", re.IGNORECASE)
_MISSING: Final = 404


class ClinicalTrials(LiteratureSource):
    """The registry of the National Library of Medicine."""

    base = "https://clinicaltrials.gov/api/v2/"
    parameters = {"format": "json"}
    ranks_passages = True

    def prepare_query(self, query: str) -> SentQuery:
        """Return the number of a study, or the words as for any service."""
        number = _NUMBER.fullmatch(query)
        return SentQuery(number[1].upper()) if number else prepare_query(query)

    async def find_works(self, query: str, limit: int) -> FoundWorks:
        """Return the studies that the registry ranks best, or the one with this number."""
        if _NUMBER.fullmatch(query):
            answer = await self.fetch(f"studies/{query}", {}, accepted=(_MISSING,))
            if answer.status == _MISSING:
                return FoundWorks(warnings=(f"{self.name}: there is no study {query}",))
            return await asyncio.to_thread(self._parse_study, answer, query)
        params = {"query.term": query, "pageSize": str(min(limit, MOST_STUDIES))}
        return await asyncio.to_thread(self._parse_page, await self.fetch("studies", params))

    def _parse_study(self, answer: Answer, asked: str) -> FoundWorks:
        study = self.parse_json(answer, Study)
        number = study.protocol.identification.nctId
        moved = (f"{self.name}: {asked} is now {number}",) if number.upper() != asked else ()
        return FoundWorks([build_trial_record(study)], warnings=moved)

    def _parse_page(self, answer: Answer) -> FoundWorks:
        studies, unread = parse_readable_items(Study, self.parse_json(answer, Page).studies)
        return FoundWorks([build_trial_record(study) for study in studies], unread)
