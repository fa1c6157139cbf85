"""What is kept of a work: passages that are parts of their text, under ids that tell apart what differs."""

from hashlib import sha256
from pathlib import Path

import pytest

from elcano.activities.passages.document import Block
from elcano.graphs.report.works import Identifiers, Work
from elcano.storage.store import open_store
from elcano.subjects.literature.literature_source import select_passages, take_first_passages
from elcano.subjects.literature.work_records import (
    FIELD_CHARACTERS,
    MOST_AUTHORS,
    NAME_CHARACTERS,
    ONLY_TITLE,
    TITLE_CHARACTERS,
    WHOLE_CHARACTERS,
    Record,
    WorkRecord,
    build_stored_record,
    with_title_as_text,
)

ABSTRACT = (
    Block("BACKGROUND", kind="heading", level=1),
    Block("Whales sing."),
    Block("RESULTS", kind="heading", level=1),
    Block("They sang for 22 hours."),
)


def record(*blocks: Block, doi: str = "10.1/whales", **more: object) -> Record:
    work = Work.model_validate({"title": "Whale song", "identifiers": Identifiers(doi=doi), **more})
    return Record(work, blocks or ABSTRACT)


def kept(given: Record, source: str = "pubmed", now: float = 5.0) -> WorkRecord:
    found = build_stored_record(source, given, now)
    assert found is not None
    for passage in found.passages:
        assert found.text.text[passage.start : passage.end] == passage.text
        assert passage.content_hash == found.text.content_hash == sha256(found.text.text.encode()).hexdigest()
    return found


def test_an_abstract_is_one_passage_with_its_headings() -> None:
    found = kept(record())
    (passage,) = found.passages
    assert passage.text == "BACKGROUND\n\nWhales sing.\n\nRESULTS\n\nThey sang for 22 hours."
    assert (passage.document, found.text.document) == ("doi:10.1/whales", "doi:10.1/whales")
    assert passage.work is not None
    assert (passage.work.source, passage.work.retrieved_at, passage.retrieved_at) == ("pubmed", 5.0, 5.0)


def test_a_long_or_parted_text_is_cut_at_its_headings() -> None:
    parted = Record(record().work, ABSTRACT, parted=True)
    assert [(one.heading, one.text) for one in kept(parted).passages] == [
        ("BACKGROUND", "Whales sing."),
        ("RESULTS", "They sang for 22 hours."),
    ]
    long = kept(record(*ABSTRACT, Block("A sentence of whales. " * (WHOLE_CHARACTERS // 20))))
    assert len(long.passages) > 2
    assert {one.heading for one in long.passages} == {"BACKGROUND", "RESULTS"}


@pytest.mark.parametrize(
    "given",
    [
        Record(Work(title="Nameless"), ABSTRACT),
        Record(record().work),
        Record(record().work, (Block("RESULTS", kind="heading", level=1), Block(" \n"))),
        Record(record().work, (Block("\u200b\ufeff"),)),
    ],
)
def test_without_a_name_or_a_text_there_is_no_evidence(given: Record) -> None:
    assert build_stored_record("pubmed", given, 0.0) is None


def test_a_work_without_identifiers_goes_by_the_name_its_service_gives_it() -> None:
    found = kept(Record(Work(title="A leaflet"), (Block("Whales sing."),), name="77"))
    assert found.text.document == "pubmed:77"


def test_a_work_that_was_retracted_meanwhile_is_other_evidence() -> None:
    before, after = kept(record()), kept(record(flags=("retracted",), notices=("Retracted in J Whales 2024.",)))
    assert before.text == after.text
    assert before.passages[0].id != after.passages[0].id
    assert kept(record(), source="europe-pmc").passages[0].id != before.passages[0].id


def test_a_title_that_stands_for_a_text_says_so() -> None:
    (passage,) = kept(with_title_as_text(Record(Work(title="Correction.", identifiers=Identifiers(pmid="7"))))).passages
    assert (passage.text, passage.metadata) == ("Correction.", {"read": "title"})
    assert passage.work is not None
    assert passage.work.notices == (ONLY_TITLE,)


async def test_what_no_database_keeps_is_cleaned_and_kept(tmp_path: Path) -> None:
    given = Record(
        Work(title="A\x00 \ud800title\n\n", authors=("Melville,\x00 H.",), identifiers=Identifiers(doi="10.1/a\x00b")),
        (Block("Call me\x00 \udfffIshmael. " + "x" * 50),),
        metadata={"mesh": ["a\x00b", {"c\ud800": 1}]},
    )
    found = kept(given)
    assert found.text.title == "A title"
    async with open_store(tmp_path) as store:
        evidence = store.of("default").evidence
        await evidence.add("run", found.passages, [found.text])
        assert await evidence.of_run("run") == list(found.passages)


def test_three_thousand_authors_and_a_name_without_end() -> None:
    found = kept(record(doi="10.1/" + "x" * 5_000, authors=tuple(f"Author {at}" for at in range(3_000))))
    (passage,) = found.passages
    assert passage.work is not None
    assert len(passage.work.authors) == MOST_AUTHORS
    assert passage.metadata == {"authors": 3_000}
    assert len(passage.document) == NAME_CHARACTERS
    other = kept(record(doi="10.1/y" + "x" * 5_000))
    assert passage.id != other.passages[0].id


def test_a_title_of_a_million_characters_does_not_travel() -> None:
    (passage,) = kept(record(title="whale " * 200_000, venue="v" * 1_000_000)).passages
    assert passage.work is not None
    assert len(passage.title) <= TITLE_CHARACTERS
    assert (len(passage.work.title) <= FIELD_CHARACTERS, len(passage.work.venue)) == (True, FIELD_CHARACTERS)


def test_the_order_of_the_service_is_kept_and_repetitions_are_left_out() -> None:
    works = [kept(record(Block(f"Text {at}"), doi=f"10.1/{at}")) for at in (3, 1, 2, 1)]
    found = take_first_passages([*works, None], 3, ["one was unreadable"])
    assert [one.document for one in found.evidence] == ["doi:10.1/3", "doi:10.1/1", "doi:10.1/2"]
    assert len(found.texts) == 3
    assert [one.score for one in found.evidence] == [1, 1 / 2, 1 / 3]
    assert found.warnings == ("one was unreadable",)
    assert take_first_passages(works, 1).texts == (works[0].text,)


def test_passages_that_fit_come_first_and_few_of_one_work() -> None:
    crowd = Record(record().work, tuple(Block(f"Whales sing. {at} " + "sea " * 300) for at in range(9)))
    other = record(Block("A whale sang once."), doi="10.1/other")
    silent = record(Block("Nothing of the kind."), doi="10.1/silent")
    found = select_passages("whales singing", [kept(silent), kept(crowd), kept(other)], 5)
    assert [one.document for one in found.evidence].count("doi:10.1/whales") == 3
    assert found.evidence[-1].document == "doi:10.1/silent"
    assert [one.document for one in select_passages("?!", [kept(silent), kept(other)], 5).evidence] == [
        "doi:10.1/silent",
        "doi:10.1/other",
    ]
