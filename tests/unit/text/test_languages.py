"""Which language a text is in: long ones by script and letters, questions with care, names by what is searched."""

from pathlib import Path

import pytest

from elcano.text.languages import is_known, language_of, languages_of, stemmer_of, text_language

TEXTS = {
    "de": "Der Turm wurde im Jahr 1889 für die Weltausstellung gebaut und ist seitdem das Wahrzeichen der Stadt.",
    "es": "La torre fue construida para la exposición universal y desde entonces es el símbolo de la ciudad.",
    "fr": "La tour a été construite pour l'exposition universelle et elle est depuis le symbole de la ville.",
    "it": "La torre fu costruita per l'esposizione universale e da allora è il simbolo della città.",
    "pt": "A torre foi construída para a exposição universal e desde então é o símbolo da cidade.",
    "nl": "De toren werd gebouwd voor de wereldtentoonstelling en is sindsdien het symbool van de stad.",
    "ru": "Башня была построена для всемирной выставки и с тех пор является символом города.",
    "zh": "这座塔是为世界博览会建造的，从那以后一直是这座城市的象征。",
    "ja": "この塔は万国博覧会のために建てられ、それ以来この都市の象徴となっています。",
    "ko": "이 탑은 만국 박람회를 위해 지어졌으며 그 이후로 도시의 상징이 되었습니다.",
    "th": "หอคอยนี้สร้างขึ้นเพื่อนิทรรศการโลกและเป็นสัญลักษณ์ของเมืองตั้งแต่นั้นมา",
    "ar": "بني البرج من أجل المعرض العالمي وهو منذ ذلك الحين رمز المدينة.",
    "hi": "यह मीनार विश्व प्रदर्शनी के लिए बनाई गई थी और तब से यह शहर का प्रतीक है।",
    "en": "The tower was built for the world exhibition and has been the symbol of the city since then.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_text_tells_its_language(language: str) -> None:
    assert text_language(TEXTS[language]) == language
    assert text_language(TEXTS[language] * 200) == language, "of a long text samples are enough"
    assert is_known(language)


def read_passages() -> dict[str, list[str]]:
    """Twelve sentences in each of many languages, which say much the same."""
    found: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / "passages.tsv").read_text(encoding="utf-8").splitlines():
        language, sentence = line.split("\t")
        found.setdefault(language, []).append(sentence)
    return found


def test_twelve_sentences_tell_their_language_also_where_stop_words_are_few_or_not_listed() -> None:
    passages = read_passages()
    assert {"tr", "fi", "hu", "pl", "sv", "nl", "id", "ro", "hr", "sl"} <= passages.keys()
    assert {language: text_language(" ".join(said)) for language, said in passages.items()} == {
        language: language for language in passages
    }


def test_half_as_many_do_so_in_all_but_a_few_places() -> None:
    """Indonesian and Malay, Czech and Slovak, Croatian and Serbian are close."""
    passages = [
        (language, " ".join(said[at : at + 6])) for language, said in read_passages().items() for at in range(7)
    ]
    told = sum(text_language(text) == language for language, text in passages)
    assert told >= 0.98 * len(passages)


@pytest.mark.parametrize(
    "names",
    ["Ahmet Yılmaz, Mehmet Demir, Ayşe Kaya, Fatma Çelik", "Helsinki Tampere Turku Oulu Espoo Vantaa Jyväskylä"],
)
def test_names_alone_are_in_no_language(names: str) -> None:
    assert text_language(names) == "en"


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wer schrieb Faust?", "de"),
        ("¿Quién escribió Fausto?", "es"),
        ("Qui a écrit Faust ?", "fr"),
        ("Chi ha scritto il Faust?", "it"),
        ("Quem escreveu Fausto?", "pt"),
        ("Hoe slaat SQLite gegevens op?", "nl"),
        ("什么是SQLite的WAL模式？", "zh"),
        ("SQLite は何ですか", "ja"),
        ("What is Temporal?", "en"),
    ],
)
def test_a_short_question_tells_its_language(question: str, language: str) -> None:
    assert language_of(question) == language
    assert language_of(question, ("en", language)) == language


@pytest.mark.parametrize("question", ["JMESPath", "f(x) = a.b[c]", "", " ?!", "2026", "\ud800"])
def test_names_and_code_are_in_the_language_that_is_searched_or_in_english(question: str) -> None:
    assert language_of(question, ("de", "en")) == "de"
    assert language_of(question) == "en"


@pytest.mark.parametrize("text", ["", "x = f(y)\nreturn a.b[c]\n" * 20, "1.2 3.4 5.6", "\x00\ufffd", "foo bar baz"])
def test_what_is_in_no_language_is_read_as_english(text: str) -> None:
    assert text_language(text) == "en"


def test_a_japanese_title_is_not_chinese_and_a_chinese_text_may_name_something_in_kana() -> None:
    assert text_language("東京大学の研究") == "ja"
    assert (
        text_language("北京大学研究中心位于中国首都北京市海淀区，是中国最著名的大学之一，成立于一八九八年，" * 3 + "の")
        == "zh"
    )


def test_the_commonest_language_comes_first() -> None:
    assert languages_of([TEXTS["en"], TEXTS["de"], TEXTS["de"]]) == ("de", "en")
    assert languages_of([]) == ()


def test_a_language_without_a_stemmer_is_said_to_be_unknown() -> None:
    assert not is_known("vi")
    assert stemmer_of("vi") == ""
    assert stemmer_of("ru") == "russian"
