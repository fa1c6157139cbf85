"""Reports without a model in other languages: quoted and worded in them, never refused for lack of a tokenizer."""

import pytest

from elcano.graphs.agents.envelope import EvidenceItem, OfferedSource, TaskEnvelope
from elcano.graphs.report.report import ReportDraft
from elcano.subjects.quoting.planning import plan_searches
from elcano.subjects.quoting.question_parts import split_into_parts
from elcano.subjects.quoting.quotable_sentences import find_sentences
from elcano.subjects.quoting.report_writing import write_report
from elcano.text.languages import use_language
from elcano.text.phrases import get_phrases
from tests.unit.subjects.documents.test_languages import HOUSES, QUESTIONS

BREAD = {
    "en": "Bread is made of flour, water and salt, and it is baked in an oven for about an hour.",
    "zh": "面包由面粉、水和盐制成，在烤箱里烘烤大约一个小时。",
    "ja": "パンは小麦粉と水と塩から作られ、オーブンで約一時間焼かれます。",
    "de": "Brot wird aus Mehl, Wasser und Salz gemacht und etwa eine Stunde im Ofen gebacken.",
}


def written(question: str, *texts: str) -> ReportDraft:
    items = [EvidenceItem(key=f"e{at}", title="", locator=f"{at}.txt", text=text) for at, text in enumerate(texts)]
    return write_report(TaskEnvelope(kind="writer", question=question, evidence=tuple(items)))


@pytest.mark.parametrize("language", QUESTIONS)
def test_the_sentence_that_answers_is_quoted(language: str) -> None:
    draft = written(QUESTIONS[language], BREAD["en"], HOUSES[language])
    assert draft.answered
    assert draft.key_findings[0].text == HOUSES[language]


@pytest.mark.parametrize(("language", "question"), [("de", QUESTIONS["de"]), ("zh", QUESTIONS["zh"])])
def test_what_is_not_answered_is_said_in_the_language_of_the_question(language: str, question: str) -> None:
    draft = written(question, BREAD[language])
    assert not draft.answered
    assert draft.limitations[0] == get_phrases(language).nothing_holds


@pytest.mark.parametrize("language", ["de", "es", "zh", "th"])
def test_of_another_language_it_cannot_be_told_whether_it_answers(language: str) -> None:
    draft = written(QUESTIONS[language], HOUSES["en"], BREAD["en"])
    assert not draft.answered
    assert draft.limitations[0] == get_phrases(language).other_language


def test_a_language_without_a_stemmer_is_said_to_be_compared_as_it_is_written() -> None:
    draft = written("Ngôi nhà cổ nào được xây dựng ở Sài Gòn năm nào?", "Bánh mì được làm từ bột mì, nước và muối.")
    assert not draft.answered
    assert get_phrases("vi").unknown_language in draft.limitations


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("de", "Der Bau begann am 3. Mai 1887 mit Dr. Maier. Er dauerte rund zwei lange Jahre.", 2),
        ("zh", "港口的老房子建于一八八九年。它们一直是这座城市的象征！后来呢？", 2),
        ("hi", "बंदरगाह के पुराने घर 1889 में बनाए गए थे। वे तब से शहर का प्रतीक हैं।", 2),
        ("th", " ".join([HOUSES["th"]] * 12), 8),
    ],
)
def test_sentences_end_as_the_language_ends_them(language: str, text: str, count: int) -> None:
    with use_language(language):
        found = find_sentences(text)
    assert len(found) == count
    assert all(text[one.start : one.end] == one.text for one in found), "they are literal"


def test_a_question_of_several_parts_falls_into_them() -> None:
    for language, question in (
        ("de", "Wie entsteht Brot und warum geht der Teig auf?"),
        ("es", "¿Cómo se hace el pan y por qué sube la masa?"),
        ("fr", "Comment fait-on le pain et pourquoi la pâte lève-t-elle ?"),
        ("zh", "面包是怎么做的，面团为什么会发酵？"),
    ):
        with use_language(language):
            assert len(split_into_parts(question)) == 2, language
    with use_language("pt"):
        assert len(split_into_parts("Quem escreveu isto, do começo ao fim, and what for?")) == 1


@pytest.mark.parametrize("language", QUESTIONS)
def test_what_is_searched_are_the_words_of_the_question(language: str) -> None:
    offered = (OfferedSource(name="docs"),)
    task = TaskEnvelope(kind="tool_selector", question=QUESTIONS[language], gap=QUESTIONS[language], sources=offered)
    queries = [one.query for one in plan_searches(task).tasks]
    assert queries
    if language != "en":
        assert not any("determines" in query for query in queries), "English words of answers find nothing there"
    if language in ("zh", "ja", "th"):
        assert queries[0] == QUESTIONS[language], "pairs of signs are no query for others"
