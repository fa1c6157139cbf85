"""The description of an archive: one graph of JSON-LD in which every reference leads to something."""

import json
from collections.abc import Iterator
from typing import Any

from elcano.doors.exports.research_object import describe_archive
from elcano.graphs.records import ArchivedRun
from elcano.graphs.report.works import Identifiers, Work
from tests.unit.service.test_html_report import OIL, report

RUN = ArchivedRun(run_id="run", question="q", mode="deep", status="completed", started_at=1.0, finished_at=60.0)
OUTSIDE = "https://w3id.org/ro/crate/1.1"


def list_links(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if value.keys() == {"@id"}:
            yield value["@id"]
        for inner in value.values():
            yield from list_links(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from list_links(inner)


def test_every_link_leads_to_an_entity_and_no_entity_is_there_twice() -> None:
    paper = OIL.model_copy(update={"number": 2, "work": Work(title="P", identifiers=Identifiers(doi="10.1/a b"))})
    written = report("x", references=(OIL, paper, paper.model_copy(update={"number": 3})))
    given = json.loads(
        describe_archive(RUN, written.model_copy(update={"model": "gpt 5, m, m"}), {"report.md": 9, "chart.svg": 5})
    )
    assert given["@context"] == "https://w3id.org/ro/crate/1.1/context"
    ids = [one["@id"] for one in given["@graph"]]
    assert len(ids) == len(set(ids))
    assert {one for one in list_links(given) if not one.startswith(OUTSIDE)} <= {*ids}
    by_id = {one["@id"]: one for one in given["@graph"]}
    assert by_id["./"]["hasPart"] == [{"@id": "report.md"}, {"@id": "chart.svg"}]
    assert by_id["chart.svg"]["encodingFormat"] == "image/svg+xml"
    assert by_id["./"]["datePublished"] == "1970-01-01T00:01:00+00:00"
    assert "https://doi.org/10.1/a%20b" in ids
    assert by_id["#run"]["instrument"] == [{"@id": "#elcano"}, {"@id": "#model-gpt%205"}, {"@id": "#model-m"}]
