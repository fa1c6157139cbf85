"""Beside what repeats a subject most a search finds where the page on it begins."""

import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from elcano.activities.passages.search import best_passages, load_indexed_texts
from elcano.activities.passages.weak_passages import is_byline, is_list_of_works, stubs_last
from elcano.subjects.documents.parser import Parser
from elcano.subjects.documents.passage_index import Index
from elcano.subjects.documents.source import sync_index
from tests.unit.subjects.documents.collections import Shelf

GENERAL = "The boiler keeps water hot, and everything on board hangs on it. " * 13
SPECIAL = "A boiler has boiler plates, boiler tubes and a boiler door, and each boiler is its own boiler. " * 9
OTHERS = {f"{name}.md": f"# {name}\n\nThe {name} has a boiler of its own. ".encode() * 3 for name in ("deck", "hull")}


def found(tmp_path: Path, query: str, limit: int, **pages: str) -> list[str]:
    return listed(tmp_path, query, limit, pages)


def listed(tmp_path: Path, query: str, limit: int, pages: Mapping[str, str], *, readmes: bool = False) -> list[str]:
    index = Index(tmp_path / "index.sqlite")
    shelf = Shelf({**{f"{name}.md": text.encode() for name, text in pages.items()}, **OTHERS})
    sync_index(shelf, index, Parser(), threading.Event())
    with index.reading() as database:
        hits = best_passages(database, query, limit, readmes=readmes)
        documents = load_indexed_texts(database, (hit.document for hit in hits))
        return [documents[hit.document].text[hit.passage.start : hit.passage.end] for hit in hits]


def test_the_opening_of_a_section_comes_with_what_led_to_it(tmp_path: Path) -> None:
    passages = found(tmp_path, "boilers", 3, engine=f"# Boilers\n\n{GENERAL}\n\n{SPECIAL}")
    assert passages[0].startswith("A boiler has")
    assert passages[1].startswith("The boiler keeps water hot")
    assert len(passages) == 3


def test_a_section_on_something_else_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert len(found(tmp_path / "a", "tubes", 6, engine=f"# Engines\n\n{GENERAL}\n\n{SPECIAL}")) == 1
    assert len(found(tmp_path / "b", "tubes", 6, engine=f"# Tubes\n\n{GENERAL}\n\n{SPECIAL}")) == 2


def test_no_more_is_found_than_was_asked_for(tmp_path: Path) -> None:
    pages = {f"page{number}": f"# Boilers {number}\n\n{GENERAL}\n\n{SPECIAL}" for number in range(4)}
    for limit in (1, 2, 3, 8):
        passages = found(tmp_path, "boilers", limit, **pages)
        assert len(passages) == len(set(passages)) <= limit


def test_a_line_below_a_heading_that_is_no_sentence_comes_last(tmp_path: Path) -> None:
    index = Index(tmp_path / "index.sqlite")
    pages = {
        "see.md": "# Boilers\n\nboilers, boilers",
        "told.md": "# Boilers\n\nBoilers are hot.",
        "bare.md": "boilers",
    }
    sync_index(Shelf({name: text.encode() for name, text in pages.items()}), index, Parser(), threading.Event())
    with index.reading() as database:
        hits = best_passages(database, "boilers", 9)
        documents = load_indexed_texts(database, (hit.document for hit in hits))
        last = [documents[hit.document].key for hit in stubs_last(database, hits)]
    assert last[-1] == "see.md"
    assert sorted(last[:2]) == ["bare.md", "told.md"]


BEGINNING = "The steamer is a ship that carries mail and letters over the ocean, whatever the weather may be."
TENDER = "# Tender\n\nA tender is a boat.\n\n## Coal\n\nThe tender brings coal."


def steamer(times: int) -> str:
    """A readme that speaks of coal so many times, and not where it begins."""
    on_coal = "\n\n".join(
        f"## Coal {number}\n\nThe steamer burns coal {number} and {number}." for number in range(times)
    )
    return f"Logo\n\n# The steamer\n\n{BEGINNING}\n\n{on_coal}"


@pytest.mark.parametrize(
    ("query", "times", "begun"),
    [("steamer coal", 2, True), ("coal", 2, False), ("tender coal", 2, False), ("coal", 3, True)],
)
def test_a_readme_that_is_searched_for_says_what_its_subject_is(
    query: str, times: int, begun: bool, tmp_path: Path
) -> None:
    passages = listed(tmp_path, query, times + 1, {"steamer": steamer(times), "tender": TENDER}, readmes=True)
    assert (BEGINNING in passages) is begun
    assert any("The tender brings coal" in one for one in passages)
    assert any("The steamer burns coal" in one for one in passages)
    assert len(passages) == len(set(passages)) == times + 1


def test_the_only_passage_that_was_found_of_a_readme_stays(tmp_path: Path) -> None:
    (only,) = listed(tmp_path, "tender brings", 1, {"tender": TENDER}, readmes=True)
    assert "The tender brings coal" in only


def test_lists_of_references_and_numbers_of_figures_give_way_to_text(tmp_path: Path) -> None:
    pages = {
        "a": "# Ladders\n\n## References\n\nRoe A. Cracks in ladders of ships, cracks in ladders. Ladders. 1999.\n",
        "b": "# Ships\n\nEvery spring cracks are found in ladders, and many more in ropes and in the masts of ships.\n",
        "c": "# Git\n\n## References\n\nCracks in references to ladders are found by a check of the whole store.\n",
        "d": "cracks ladders 0 20 40 60 80 100 120 140 160 180 200 220 240 260 280 300 320 340 360 380 400 420 440",
    }
    assert {text[:5] for text in found(tmp_path, "cracks ladders", 2, **pages)} == {"Every", "Crack"}
    assert len(found(tmp_path, "cracks ladders", 4, **pages)) == 4


BYLINE = "J. Rieser, M. Ciampini, N. Kiesel et al., 2022."
DOWNLOADED = "Downloaded from https://journals.example.org/journal/ladders on 12 May 2023 by 192.0.2.201."
SUPPLEMENT = "Supplementary data on ladders are available at Ladders online."
WORKS = "Roe A, Doe B. 1999. Cracks in ladders of ships. J Ships 3:1-9. Poe C, Low D, Fox E. 2003. Ladders. Sea 7:2-5."


@pytest.mark.parametrize(
    ("query", "said", "other"),
    [
        ("rieser ciampini kiesel", BYLINE, "Rieser and Ciampini cooled a particle, and Kiesel measured how it moved."),
        ("journals ladders", DOWNLOADED, "Most journals on ladders are read by those who climb them every day."),
        ("cracks ladders ships", f"{'Sea. ' * 700}\n\n{WORKS}", "Cracks are found in ladders of ships every spring."),
        ("ladders data", SUPPLEMENT, "Data on ladders are kept by those who climb them every day."),
        ("cracks ladders", "[12] J. Roe, Cracks in ladders of ships, J. Ships 4 (2001) 12-18.", "Cracks end ladders."),
        ("time survival", "Time (h) 0 12 24 36 48 60 72 Survival (%) 0 20 40 60 80 100", "Survival takes time at sea."),
    ],
)
def test_bylines_notes_works_and_axes_take_no_place_while_others_exist(
    query: str, said: str, other: str, tmp_path: Path
) -> None:
    pages = {"paper": said, "about": f"{other} {'It says more on that. ' * 12}"}
    assert found(tmp_path, query, 1, **pages)[0].startswith(other)
    assert len(found(tmp_path, query, 9, **pages)) > 1


@pytest.mark.parametrize(
    "text",
    [
        "Hepatitis B, Hepatitis C.",
        "E. coli grows fast.",
        "World War I, World War II",
        "Paris, Berlin, Rome",
        "Vitamin C. Vitamin D.",
        "J. Rieser showed that cavities cool.",
        "Downloads from the server are kept.",
        "2. In 2019 the harbour was closed, and J. Roe had all of its ladders brought to the yard to be looked at.",
        "A. Smith (2019) and B. Jones (2020) found that C. elegans and D. melanogaster live longer with less food.",
    ],
)
def test_what_says_something_is_no_byline_and_no_list_of_works(text: str) -> None:
    assert not is_byline(text)
    assert not is_list_of_works(text)


def test_two_documents_with_openings_leave_places_for_others(tmp_path: Path) -> None:
    special = "A boiler {part}, boiler plates, boiler tubes, and each boiler is a boiler. " * 9
    long = {
        name: "\n\n".join([f"# Boilers {name}", name + GENERAL, *(special.format(part=name + one) for one in "abcde")])
        for name in ("one", "two")
    }
    others = {f"other{number}": f"# Ship {number}\n\nThis boiler, boiler {number}, is new. " * 3 for number in range(4)}
    passages = found(tmp_path, "boilers", 8, **long, **others)
    assert len(passages) == 8
    assert sum("plates" in text or "hangs on it" in text for text in passages) <= 6
    assert sum("hangs on it" in text for text in passages) == 2, "the openings are there"


def test_long_documents_that_fill_the_first_pool_leave_places_for_others(tmp_path: Path) -> None:
    words = [f"boiler boiler boiler number {number} of the fleet. " * 12 for number in range(40)]
    long = {name: f"# Fleet {name}\n\n" + "\n\n".join(f"{name} {one}" for one in words) for name in ("one", "two")}
    passages = found(tmp_path, "boiler", 8, **long)
    assert len(passages) == 8
    assert any("deck" in text for text in passages)
    assert any("hull" in text for text in passages)
