"""What the sources find is kept by a search as any other: once, by reference, and with what is known of the work."""

import asyncio
import json

import pytest
from temporalio.testing import ActivityEnvironment

from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import ToolActivities
from elcano.graphs.catalogue.tools import SearchOutput
from elcano.graphs.contracts import ToolCall
from elcano.storage.store import Store
from tests.loopback import Asked, Reply, loopback
from tests.unit.subjects.literature.services import opened

pytestmark = pytest.mark.anyio
ABSTRACT = (
    "Humpback whales sing for hours, and all males of a population sing the same song in a season, "
    "while what they sing changes from one year to the next."
)
ARTICLE = (
    "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article><ArticleTitle>Song.</ArticleTitle>"
    f"<Abstract><AbstractText>{ABSTRACT}</AbstractText></Abstract><PublicationTypeList>"
    "<PublicationType>Retracted Publication</PublicationType></PublicationTypeList></Article></MedlineCitation>"
    "</PubmedArticle></PubmedArticleSet>"
)
PAPER = {"paperId": "a1", "title": "Song", "abstract": ABSTRACT, "externalIds": {"PubMed": "7"}}
RESULT = {"id": "7", "source": "MED", "pmid": "7", "title": "Song.", "abstractText": ABSTRACT}
STUDY = {
    "protocolSection": {
        "identificationModule": {"nctId": "NCT00000001", "briefTitle": "Song"},
        "descriptionModule": {"briefSummary": ABSTRACT},
    }
}
ANSWERS = {
    "/esearch.fcgi": json.dumps({"esearchresult": {"idlist": ["7"]}}),
    "/efetch.fcgi": ARTICLE,
    "/search": json.dumps({"resultList": {"result": [RESULT]}}),
    "/studies": json.dumps({"studies": [STUDY]}),
    "/paper/search": json.dumps({"total": 1, "data": [PAPER]}),
}
NAMES = ("semantic-scholar", "pubmed", "europe-pmc", "clinical-trials")


async def searched(tools: ToolActivities, name: str) -> SearchOutput:
    call = ToolCall(
        run_id="run", step=1, node="searching", item=0, tool="search", input={"source": name, "query": "whale song"}
    )
    return SearchOutput.model_validate((await ActivityEnvironment().run(tools.run_tool, call)).output)


async def test_all_four_into_one_store_twice_and_at_once(store: Store) -> None:
    def answering(asked: Asked) -> Reply:
        return Reply(ANSWERS[asked.path])

    with loopback(answering) as service:
        sources = {name: opened(name, service) for name in NAMES}
        tools = ToolActivities(store, Sources(sources))
        first = [await searched(tools, name) for name in NAMES]
        again = await asyncio.gather(*(searched(tools, name) for name in NAMES * 2))
        for source in sources.values():
            await source.close()
    assert [one.evidence[0].document for one in first] == ["pmid:7", "pmid:7", "pmid:7", "nct:NCT00000001"]
    assert list(again) == first * 2
    # One text, told by three services of one work: later ones repeat the first, and each says what it knows.
    original = first[0].evidence[0].id
    assert [one.evidence[0].duplicate_of for one in first] == [None, original, original, original]
    kept = await store.of("default").evidence.of_run("run")
    assert [one.source for one in kept] == list(NAMES)
    assert [one.work.flags for one in kept if one.work] == [
        ("abstract_only",),
        ("retracted", "abstract_only"),
        ("abstract_only",),
        (),
    ]
