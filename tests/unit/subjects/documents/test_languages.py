"""One index, several languages: each document in the forms of its own, each word searched for in those of all."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from elcano.activities.passages.search import build_fts_expression
from elcano.activities.similarity.similar_passages import score_passages
from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.subjects.documents.local_sources import Folder
from elcano.subjects.documents.source import DocumentsSource
from elcano.text.words import split_words
from tests.unit.subjects.documents.collections import Shelf

HOUSES = {
    "de": "Die alten Häuser am Hafen wurden im Jahr 1889 gebaut und sind seitdem das Wahrzeichen der Stadt Bremen.",
    "es": "Las casas antiguas del puerto fueron construidas en 1889 y desde entonces son el símbolo de la ciudad.",
    "fr": "Les anciennes maisons du port ont été construites en 1889 et elles sont depuis le symbole de la ville.",
    "ru": "Старые дома в гавани были построены в 1889 году и с тех пор являются символом города.",
    "zh": "港口的老房子建于一八八九年，从那以后一直是这座城市的象征。",
    "ja": "港の古い家は一八八九年に建てられ、それ以来この都市の象徴となっています。",
    "ko": "항구의 오래된 집들은 1889년에 지어졌으며 그 이후로 도시의 상징이 되었습니다.",
    "th": "บ้านเก่าที่ท่าเรือสร้างขึ้นในปี 1889 และเป็นสัญลักษณ์ของเมืองตั้งแต่นั้นมา",
    "ar": "بنيت البيوت القديمة في الميناء عام 1889 وهي منذ ذلك الحين رمز المدينة.",
    "hi": "बंदरगाह के पुराने घर 1889 में बनाए गए थे और तब से वे शहर का प्रतीक हैं।",
    "vi": "Những ngôi nhà cổ ở bến cảng được xây dựng vào năm 1889 và từ đó là biểu tượng của thành phố.",
    "en": "The old houses at the harbour were built in 1889 and have been the symbol of the town since then.",
}
QUESTIONS = {
    "de": "Wann wurde das Haus am Hafen gebaut?",
    "es": "¿Cuándo se construyó la casa antigua?",
    "fr": "Quand la maison du port a-t-elle été construite ?",
    "ru": "Когда построили дом в гавани?",
    "zh": "港口的房子是什么时候建的？",
    "ja": "港の家はいつ建てられましたか？",
    "ko": "항구의 오래된 집은 언제 지어졌습니까?",
    "th": "บ้านเก่าที่ท่าเรือสร้างเมื่อไหร่",
    "ar": "متى بنيت البيوت القديمة؟",
    "hi": "पुराने घर कब बनाए गए थे?",
    "vi": "Ngôi nhà cổ được xây dựng khi nào?",
    "en": "When was the harbour house built?",
}


def open_source(documents: dict[str, bytes], tmp_path: Path) -> DocumentsSource:
    return DocumentsSource(
        build_collection_spec("docs"), Shelf({**documents}), tmp_path / "index.sqlite", clock=lambda: 0.0
    )


@pytest.mark.parametrize("language", QUESTIONS)
async def test_a_question_finds_the_text_in_question_language_among_all(language: str, tmp_path: Path) -> None:
    source = open_source({f"{one}.txt": text.encode() for one, text in HOUSES.items()}, tmp_path)
    found = await source.search(QUESTIONS[language], 3)
    assert found.evidence[0].locator.startswith(f"{language}.txt")
    assert found.evidence[0].text == HOUSES[language], "what is found is the text, not its stems"
    assert found.warnings == ()


@pytest.mark.parametrize("language", HOUSES)
async def test_a_document_is_forgotten_with_all_its_words(language: str, tmp_path: Path) -> None:
    shelf = Shelf({"a.txt": HOUSES[language].encode(), "b.txt": b"Nothing of it."})
    clock = [0.0]
    source = DocumentsSource(build_collection_spec("docs"), shelf, tmp_path / "index.sqlite", clock=lambda: clock[0])
    assert (await source.search(QUESTIONS[language], 3)).evidence
    shelf.documents["a.txt"] = b"Something else."
    shelf.versions["a.txt"] += 1
    clock[0] += 3600
    assert not (await source.search(QUESTIONS[language], 3)).evidence
    with closing(sqlite3.connect(tmp_path / "index.sqlite")) as database:
        database.execute("INSERT INTO words (words) VALUES ('integrity-check')")


async def test_a_name_is_found_in_documents_of_another_language(tmp_path: Path) -> None:
    source = open_source({"de.txt": HOUSES["de"].encode(), "en.txt": HOUSES["en"].encode()}, tmp_path)
    assert (await source.search("What is there in Bremen?", 1)).evidence[0].locator.startswith("de.txt")


async def test_words_weigh_in_any_of_their_forms(tmp_path: Path) -> None:
    source = open_source({"de.txt": HOUSES["de"].encode(), "zh.txt": HOUSES["zh"].encode()}, tmp_path)
    weights = await source.term_weights(["haus", "häuser", "港口", "nirgends"])
    assert weights["haus"] == weights["häuser"] == weights["港口"] < weights["nirgends"]


async def test_an_index_of_other_libraries_is_built_anew(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "de.txt").write_text(HOUSES["de"], encoding="utf-8")
    path = tmp_path / "index.sqlite"
    for _ in range(2):
        source = DocumentsSource(build_collection_spec("docs"), Folder(folder, 1_000), path, clock=lambda: 0.0)
        assert (await source.search("Haus", 1)).evidence
        await source.close()
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("SELECT libraries FROM made_with").fetchone() != ("snowballstemmer 0",)
            database.execute("UPDATE made_with SET libraries = 'snowballstemmer 0'")
            database.commit()


@pytest.mark.parametrize(
    "query", ["", "\0", '"', "的", "ก", "\u0301", "*" * 1_000, "NEAR(a b)", "\ud800", "a" * 10_000]
)
async def test_nothing_that_is_asked_breaks_a_search(query: str, tmp_path: Path) -> None:
    source = open_source({f"{one}.txt": text.encode() for one, text in HOUSES.items()}, tmp_path)
    await source.search(query, 3)
    await source.term_weights(split_words(query))


def test_a_word_that_is_the_same_in_two_languages_is_asked_for_once() -> None:
    assert build_fts_expression("Bremen", "de", ("de", "en")) in ('"brem"', '"bremen"', '"brem" OR "bremen"')
    assert build_fts_expression("Hotel", "de", ("de", "nl", "fr")) == '"hotel"'
    assert score_passages("anything", []) == {}
