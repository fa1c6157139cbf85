"""Abbreviations and ordinal numbers end no sentence, words that begin with a small letter may begin one."""

import pytest

from elcano.activities.text.words import sentence_ends


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
        ("fr", "Il est venu en oct. Ensuite il est parti.", ["Il est venu en oct.", "Ensuite il est parti."]),
    ],
)
def test_what_ends_there_still_ends(language: str, text: str, found: list[str]) -> None:
    assert split(text, language) == found
