"""Abbreviations and ordinal numbers end no sentence, words that begin with a small letter may begin one."""

import pytest

from elcano.text.words import sentence_ends


def split(text: str, language: str) -> list[str]:
    ends = sentence_ends(text, language)
    return [text[begin:end].strip() for begin, end in zip([0, *ends], ends, strict=False)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Im 1. Betriebsjahr sank es ggü. Vorjahr inkl. Abwärme auf max. Stufe 2."),
        ("de", "Das galt im 19. und 20. Jahrhundert, auch im frühen 18. Jahrhundert."),
        ("de", "Die Fa. Meier zahlte 5 Tsd. Euro an den sog. Fonds."),
        (
            "es",
            "La bacteria Y. pestis, dicen Jones et al. en su texto, pesa aprox. 5 kg en el siglo II d.C. o así.",
        ),
        ("en", "It took approx. 5 h (Vol. 12, chap. 3, figs. 4 and 5; ed. 2), incl. Vol. Two."),
        ("en", "They show in Ref. [6] by Lee, in Refs. [7–9] and with Eq. (3) and Figs. (2a) and [4] that it holds."),
        ("de", "Das zeigt Abb. [3] von Meier."),
        ("ja", "彼は「行く。」と言った。"),
        ("ja", "「本当か？」って聞いた。"),
        ("pt", "Ver pág. 12, vol. 3, e aprox. 5 kg em out. 2019, cf. Silva."),
        ("it", "Si veda pag. 12, vol. 3, tab. 2."),
        ("nl", "Zie afb. 12, d.w.z. Noord en vol. 3 van jan. 2020."),
        ("pl", "Zob. rys. 5 i tab. 2, t. 3, np. Kraków, ul. Długa, ok. 5 kg."),
        ("tr", "Bkz. Tab. 2, yak. 5 kg, s. 12, Doç. Kaya."),
        ("ru", "См. рис. 5 и табл. 2, ок. 5 кг, т.е. Москва, янв. 2020."),
        ("fi", "Ks. Kuva ja taul. 5, esim. Turku, n. 5 kg."),
        ("id", "Lihat hlm. 12, vol. 3, Jl. Merdeka."),
        ("ro", "Vezi pag. 12, vol. 3, cca. 5 kg."),
        ("hr", "Vidi tab. 2, vol. 3."),
        ("pl", "W 2008 r. w Poznaniu było 20 tys. ludzi, a 3. listopada 5-proc. więcej."),
        ("cs", "Dne 3. listopadu bylo 20 tis. lidí."),
        ("es", "La densidad era de 42,07 hab. / km²."),
        ("en", "They met at 10 a.m. (in the hall) and again at 3 p.m. by the sea."),
        ("de", "Im Jahr 500 v. Chr. Athen zu verlassen, Waren usw. mitzunehmen, war schwer."),
        ("es", "Murió en el 44 a. C. en Roma."),
        ("fr", "Le 3 oct. 2023, M. Dupont et le Dr. Morel ont mesuré env. 5 kg, c.-à-d. peu."),
    ],
)
def test_abbreviations_and_ordinals_end_no_sentence(language: str, text: str) -> None:
    assert split(text, language) == [text]


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("de", "Er blieb bis zum 12. Danach ging er.", ["Er blieb bis zum 12.", "Danach ging er."]),
        ("de", "Es waren 12. Kinder kamen nie.", ["Es waren 12.", "Kinder kamen nie."]),
        ("es", "Lo dicen Jones et al. p53 sube.", ["Lo dicen Jones et al.", "p53 sube."]),
        ("en", "It was in rats. mRNA rose. pH fell.", ["It was in rats.", "mRNA rose.", "pH fell."]),
        ("tr", "Adres Atatürk Sok. Sonra gitti.", ["Adres Atatürk Sok.", "Sonra gitti."]),
        ("de", "Es gab Fisch, Salz usw. Danach kam er.", ["Es gab Fisch, Salz usw.", "Danach kam er."]),
        ("ru", "Там были море и т. д. Это верно.", ["Там были море и т. д.", "Это верно."]),
        ("uk", "Там були море та ін. Це правда.", ["Там були море та ін.", "Це правда."]),
        ("fr", "Il y avait du sel, etc. Ensuite il partit.", ["Il y avait du sel, etc.", "Ensuite il partit."]),
        ("es", "Murió en el 44 a. C. Después hubo guerra.", ["Murió en el 44 a. C.", "Después hubo guerra."]),
        ("cs", "Byla tam sůl apod. Potom odjel.", ["Byla tam sůl apod.", "Potom odjel."]),
        ("en", "It opens at 3 p.m. The hall is full.", ["It opens at 3 p.m.", "The hall is full."]),
        ("en", "It is over. 2. Press the key. 3. Wait.", ["It is over.", "2. Press the key.", "3. Wait."]),
        ("fr", "Il est venu en oct. Ensuite il est parti.", ["Il est venu en oct.", "Ensuite il est parti."]),
    ],
)
def test_what_ends_there_still_ends(language: str, text: str, found: list[str]) -> None:
    assert split(text, language) == found
