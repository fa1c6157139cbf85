"""The evidence that one call of a run reads: an agent's call looks at the same passages and texts several times."""

from collections.abc import Iterable, Sequence

from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.storage.evidence import Evidence, EvidenceStore, StoredText
from elcano.storage.evidence_statements import NUMBERED_PASSAGES
from elcano.storage.sql.dialect import name_run_range, root_of


class EvidenceOfCall(EvidenceStore):
    """The same within one call of a run: what it has read is not read again, since what is kept never changes."""

    def __init__(self, engine: AsyncEngine, tenant: str, run_id: str) -> None:
        super().__init__(engine, tenant)
        self._run_id = run_id
        self._passages: dict[str, Evidence] = {}
        self._numbers: dict[str, int] = {}
        self._texts: dict[str, StoredText] = {}

    async def get(self, ids: Sequence[str]) -> list[Evidence]:
        """See `EvidenceStore.get`."""
        if missing := [id for id in dict.fromkeys(ids) if id not in self._passages]:
            given = {"tenant": self._tenant, "ids": missing, **name_run_range(root_of(self._run_id))}
            for row in await self._fetch_rows(NUMBERED_PASSAGES, given):
                columns = dict(row._mapping)
                if (number := columns.pop("position")) is not None:
                    self._numbers[row.id] = number
                self._passages[row.id] = Evidence.model_validate(columns)
        return [self._passages[id] for id in ids if id in self._passages]

    async def texts(self, evidence: Iterable[Evidence]) -> dict[str, StoredText]:
        """See `EvidenceStore.texts`."""
        wanted = list(evidence)
        self._texts |= await super().texts(one for one in wanted if one.content_hash not in self._texts)
        hashes = {passage.content_hash for passage in wanted}
        return {hash: text for hash, text in self._texts.items() if hash in hashes}

    async def numbers_of_run(self, run_id: str) -> dict[str, int]:
        """The numbers of the passages that this call has read; see `EvidenceStore.numbers_of_run`."""
        return dict(self._numbers) if root_of(run_id) == root_of(self._run_id) else await super().numbers_of_run(run_id)
