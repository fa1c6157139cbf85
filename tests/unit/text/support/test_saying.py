"""Figures and names of a statement stand in its quotes, in whatever form; one that does not is named in the reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.text.support.figures import extract_figures
from elcano.text.support.missing_facts import Statement, figures_unquoted, names_unquoted
from elcano.text.support.names import extract_names


def explain_unquoted_facts(statement: Statement) -> tuple[str, ...]:
    return (*figures_unquoted(statement), *names_unquoted(statement))


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("Aspirin lowered the rate by 12 %.", "a 12% lower rate"),
        ("It fell by 12 percent.", "sank um 12 Prozent"),
        ("There were 1,234.5 of them.", "es waren 1.234,5"),
        ("Of 10,000 users most stayed.", "of 10 000 users"),
        ("Twelve patients took part.", "12 patients took part"),
        ("It took 12 days.", "It took twelve days."),
        ("Zw\u00f6lf sind nicht genug.", "12 are not enough"),
        ("Some 1.2 million people live there.", "1,200,000 people live there"),
        ("It cost $3.5 billion.", "a cost of US$3,500,000,000"),
        ("There are 12000 of them.", "\u5171\u67091.2\u4e07\u4eba"),
        ("A dose of 0.5 g is usual.", "500 mg are usual"),
        ("It lasted 14 days.", "for two weeks"),
        ("Doses of 5 to 10 mg were given.", "a dose of 5\u201310 mg"),
        ("It grew threefold.", "a 3-fold growth"),
        ("The effect was significant (p < 0.05).", "p<.05"),
        ("It was \u22127 \u00b0C.", "at -7 \u00b0C"),
        ("About 12 % agreed.", "12.3 % agreed"),
        ("It measured 1.2 \u00d7 10^3 cells.", "1.2\u00d710\u00b3 cells"),
        ("A quality of about 10,000 was reached.", "a quality of ~104 in the end"),
        ("The WHO said so in March 2020.", "The World Health Organization said so on 11 March 2020"),
        ("In Germany it is known.", "the German way is known"),
        ("It uses `os.path` and IL-6.", "with os.path, interleukin IL-6"),
        ("Der Hund und die Katze sind nicht im Haus.", "the dog and the cat"),
        ("Nothing of this is a name.", "words"),
        ("The mean change was \u221262 %.", "symptoms were reduced by 62 %"),
        ("Symptoms were reduced by 62 %.", "the mean change was -62 %"),
        ("It lost 62 % of its mass.", "its mass: \u221262 %"),
        ("Die Zahl sank um 12 %.", "Ver\u00e4nderung: \u221212 %"),
        ("It was opened on April 9.", "it was opened on April 9th"),
        ("It was opened on 2011-04-09.", "it was opened on 9 April 2011"),
        ("It was opened on 09.04.2011.", "es wurde am 9. April 2011 er\u00f6ffnet"),
        ("It is of the year 2018\u201319.", "over the 2018-2019 academic year"),
        ("The mass falls with age (Fig. 3, Table 2a).", "the mass falls with age"),
        ("Die Masse sinkt mit dem Alter (Abb. 3).", "die Masse sinkt mit dem Alter"),
        ("The mass falls with age [12, 14].", "the mass falls with age"),
        ("It is at https://example.org/2019/page7?x=3 to be read.", "it is to be read"),
        ("Die Bu\u00dfgelder sind hoch.", "hohe Strafen"),
        (
            "Die Bu\u00dfgelder betragen nach neuer Lesart bisher 20 Millionen Euro.",
            "20 Millionen Euro Strafe sind es",
        ),
        ("Die Stadt verlor 30.000 bis 50.000 Einwohner.", "the city lost 30 to 50 thousand inhabitants"),
        ("Das war im 1. Betriebsjahr so.", "im ersten Jahr des Betriebs war es so"),
        ("Die Pumpe leistet 18,5 MW.", "die Leistung beträgt 18,5 Megawatt"),
        ("Es waren in dem Jahr 54.700 MWh.", "it was 54,700 megawatt-hours"),
        ("Der Wert war in der Gruppe 1.234.", "the value was 1.234"),
        ("Sie kostet 27,4 Mio. Euro.", "it cost 27.4 million euros"),
        ("Elle coûte 3 millions d'euros.", "it cost 3 million euros"),
        ("It was so in the U.S. alone.", "in the United States it was so"),
        ("The U.S. has it.", "the US has it"),
        ("The United States Supreme Court ruled.", "the U.S. Supreme Court ruled"),
        ("She came from Canada.", "the Canadian came"),
        ("He came from Texas.", "the Texan came"),
        ("Above 20 ml/kg/min signs of injury occurred.", "when rates exceeded 20 ml/kg/min, signs occurred"),
        ("At 3 mg/min it held.", "it held at 3 mg per min and no longer"),
        ("A kNN-LM is better.", "our $k$NN-LM is better"),
    ],
)
def test_what_stands_there_in_another_form_is_found(said: str, quoted: str) -> None:
    assert explain_unquoted_facts(Statement(said, (quoted,))) == ()


@pytest.mark.parametrize(
    ("said", "quoted", "reason"),
    [
        ("It fell by 12 %.", "it fell by 13 %", "\u201c12 %\u201d is in none of the words it quotes"),
        ("It fell by 12 %.", "12 fell", ""),
        (
            "Sie kostet 27,4 Mio. Euro.",
            "it cost 27.4 million dollars",
            "“27,4 Mio. Euro” is “27.4 million dollars” in the words it quotes",
        ),
        ("Es waren in dem Jahr 54.700 MWh.", "it was 54.7 of it", "“54.700 MWh” is in none of the words it quotes"),
        ("There were 54,700 of them.", "es waren 54,7", "“54,700” is in none of the words it quotes"),
        ("Das war am 3. Oktober so.", "das war am 4. Oktober so", "“3” is in none of the words it quotes"),
        ("Fewer than 700 changed.", "more than 700 changed", "“< 700” is “> 700” in the words it quotes"),
        ("A dose of 5 mg.", "a dose of 5 g", "\u201c5 mg\u201d is \u201c5 g\u201d in the words it quotes"),
        ("It is 5 km long.", "it is 3.4 miles long", "5 km"),
        ("It was about 5 %.", "it was 5.2 mg", "5 %"),
        ("It rose by 12 percentage points.", "by 12 %", "percentage points"),
        ("It was 1.5 million.", "it was 1.5 billion", "1.5 million"),
        ("It was in 2019.", "it was in 2018", "2019"),
        ("There were twelve.", "there were eleven", "twelve"),
        ("It was 7 degrees.", "it was -7 degrees", "7"),
        ("It eases Crohn-related pain.", "CRP eased", "\u201cCrohn-related\u201d is named in none"),
        ("In adults C-peptide rose.", "CRP rose", "\u201cC-peptide\u201d is named in none"),
        ("A kNN-LM is better.", "our $m$NN-LM is better", "kNN-LM"),
        ("A kNN-LM is better.", "it cost $k$ and LM is better", "kNN-LM"),
        ("A KNN-LM is better.", "our $K$NN-LM is better", "KNN-LM"),
        ("An R2D is better.", "our R$2$D is better", "R2D"),
        ("It is faster than PyTorch.", "it is faster than JAX", "\u201cPyTorch\u201d is named in none"),
        ("As Pfizer said, it works.", "it works", "Pfizer"),
        ("Version 3.11.2 has it.", "version 3.11.3 has it", "3.11.2"),
        ("It calls `close()` first.", "it calls open first", "close()"),
        ("Most live in New York.", "most live in the city of York", "New York"),
        ("The change was \u221262 %.", "symptoms rose by 62 %", "62 %"),
        ("It fell to 7 degrees.", "it was -7 degrees", "7"),
        ("It was 7 degrees.", "it fell: -7 degrees at night", "7"),
        ("It was opened on 2011-05-09.", "it was opened on 9 April 2011", "05"),
        ("It is of the year 2018\u201320.", "over the 2018-2019 academic year", "20"),
        ("The ratio was 0.9 (95 % CI [12, 14]).", "the ratio was 0.9 (95 % CI [12, 15])", "14"),
        ("It ran for 3 years [in fact].", "it ran for 4 years", "3 years"),
        ("The U.S. Senate agreed.", "the Canadian Senate agreed", "U.S"),
        ("Das Werk von Bayer ist in den USA.", "das Werk", "USA"),
    ],
)
def test_what_does_not_is_told(said: str, quoted: str, reason: str) -> None:
    reasons = explain_unquoted_facts(Statement(said, (quoted,)))
    assert reason in " ".join(reasons)
    assert bool(reasons) == bool(reason)


def test_what_the_question_and_titles_say_need_not_be_quoted() -> None:
    said = "In 2019 Smith found that Pfizer sold 12 of them."
    assert len(explain_unquoted_facts(Statement(said, ("they sold twelve",)))) == 3
    assert (
        explain_unquoted_facts(Statement(said, ("they sold twelve",), ("What does Pfizer sell?", "Smith 2019"))) == ()
    )


def test_a_statement_may_count_what_it_cites() -> None:
    assert explain_unquoted_facts(Statement("Three trials agree.", ("it works", "it helps", "it does"))) == ()
    assert explain_unquoted_facts(Statement("Three trials agree.", ("it works",))) != ()


def test_names_of_another_language_are_not_asked_for() -> None:
    said = "Les malades des \u00c9tats-Unis et de la Suisse sont 12."
    assert (
        explain_unquoted_facts(Statement(said, ("there were 12 of the patients in the United States and Switzerland",)))
        == ()
    )


def test_digits_of_names_are_no_figures() -> None:
    assert [one.written for one in extract_figures("IL-6, COVID-19, B12, v2.3, 1st and 3D")] == []
    assert extract_names("with IL-6 and COVID-19") == ["IL-6", "COVID-19"]


@given(st.text(max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    assert isinstance(explain_unquoted_facts(Statement(text, (text,))), tuple)
    explain_unquoted_facts(Statement(text, ()))


@given(st.integers(0, 10**12), st.sampled_from(["", ".", ","]))
def test_every_number_is_found_again_with_or_without_groups(number: int, parted: str) -> None:
    written = f"{number:,}".replace(",", parted) if parted else str(number)
    assert explain_unquoted_facts(Statement(f"there were {written} left", (f"only {number} were left",))) == ()


@pytest.mark.parametrize(
    "hostile",
    [
        *("1," * 20_000, "9" * 50_000, "1e999 " * 5_000, "A" * 50_000, "A.b" * 10_000, "`" * 9_999),
        *("type A " * 10_000, "world war II " * 5_000, "a third of " * 5_000),
    ],
)
def test_hostile_texts_end(hostile: str) -> None:
    for quote in (hostile, hostile[::-1]):
        assert isinstance(explain_unquoted_facts(Statement(hostile, (quote,))), tuple)


@pytest.mark.parametrize(
    ("said", "quote", "reasons"),
    [
        ("ChatGPT, GPT-4 and Claude 2 were tested.", "for ChatGPT2, GPT-43, and Claude 24 we find", 0),
        ("IL-1 rose.", "IL-11, IL-12, and IL-13 rose", 1),
        ("It has Phase 1 only.", "Phase 11, Phase 12 and Phase 13", 1),
        ("There are three ways: scaling, smoothing and binning.", "it is scaled, smoothed or binned", 0),
        ("Three ways (scaling, smoothing, binning) exist.", "it is scaled, smoothed or binned", 0),
        ("There are four ways: scaling, smoothing and binning.", "it is scaled, smoothed or binned", 1),
        ("Four trials ran. They rose: one, another and a third.", "the trials ran", 1),
        ("It fell by 3 points: here, there and elsewhere.", "it fell", 1),
    ],
)
def test_glued_footnotes_and_counts_of_a_list_are_no_faults(said: str, quote: str, reasons: int) -> None:
    assert len(figures_unquoted(Statement(said, (quote,)))) + len(names_unquoted(Statement(said, (quote,)))) == reasons
