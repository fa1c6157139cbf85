"""A quote is found whatever became of its typesetting, at its place in the stored text, and never if a word differs."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.text.support.folded_text import fold_text
from elcano.text.support.quotes import QuoteIndex

TEXT = (
    "# Results\n\nThe \u201cquick\u201d fox\u2014a *very* **bold** one\u2014didn\u2019t jump; see "
    "[the docs](https://x.org/a_(b)) and `code`.\n\n- item one is 5\u00a0%\n- it was 10\u00b2 m and rose by "
    "12.5 % (n = 12 ).\n> It goes on \u2026 with \ufb01ne of\ufb01ce infor\u00admation.\n\n"
    "Das sind \uff12\uff10 Prozent \u2212 nicht \u22127 Grad. "
    "Call `__init__` with snake_case or 2*3. "
    "\u4e2d\u6587 \u6587\u672c\u6709 5 \u4e2a\u5b57\u3002 Cafe\u0301 &amp; bar, p&lt;0.05."
)
SEARCHED = QuoteIndex.of(TEXT)


def found(quote: str) -> str | None:
    place = SEARCHED.find(quote)
    return None if place is None else TEXT[slice(*place)]


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ('The "quick" fox - a very bold one', "The \u201cquick\u201d fox\u2014a *very* **bold** one"),
        ("the quick fox", "The \u201cquick\u201d fox"),
        ("didn't jump; see the docs and code", "didn\u2019t jump; see [the docs](https://x.org/a_(b)) and `code"),
        ("\u201citem one is 5 %.\u201d", "item one is 5\u00a0%"),
        ("5% - it was", None),
        ("It was 10\u00b2 m and rose by 12.5% (n = 12).", "it was 10\u00b2 m and rose by 12.5 % (n = 12 )."),
        ("with fine office information", "with \ufb01ne of\ufb01ce infor\u00admation"),
        ("Das sind 20 Prozent", "Das sind \uff12\uff10 Prozent"),
        ("nicht -7 Grad", "nicht \u22127 Grad"),
        ("it goes on ... with fine", "It goes on \u2026 with \ufb01ne"),
        ("the quick fox \u2026 see the docs", TEXT[TEXT.index("The") : TEXT.index("](")]),
        ("item one [...] rose by 12.5 %", "item one is 5\u00a0%\n- it was 10\u00b2 m and rose by 12.5 %"),
        ("\u4e2d\u6587\u6587\u672c\u67095\u4e2a\u5b57", "\u4e2d\u6587 \u6587\u672c\u6709 5 \u4e2a\u5b57"),
        ("Caf\u00e9 & bar, p < 0.05", "Cafe\u0301 &amp; bar, p&lt;0.05"),
    ],
)
def test_typesetting_may_differ(quote: str, there: str | None) -> None:
    assert found(quote) == there


@pytest.mark.parametrize("quote", ["[the docs](https://x.org/a_(b)) and `code`", "*very* **bold** one", "`__init__`"])
def test_what_is_quoted_with_its_marks_is_found_with_them(quote: str) -> None:
    assert found(quote) == quote


@pytest.mark.parametrize(
    "quote",
    [
        "",
        " \n ",
        "\u2026",
        "...",
        "!?",
        "the slow fox",
        "uick fox",  # within a word
        "item on",
        "rose by 12",  # within a number
        "2.5 % (n",
        "5 % (n = 12)",
        "was 102 m",  # another number
        "7 Grad",  # without its sign
        "Call init with",
        "Call 23",
        "or 23.",
        "0.05",  # without its sign of comparison
        "see the docs \u2026 The quick fox",  # in another order
        "fox \u2026 docs",  # single words
        "The quick fox \u2026 ",
        "The quick fox didn't jump",
        "THE QUICK FOX",
        "https://x.org/a_(b)",
    ],
)
def test_words_and_numbers_may_not(quote: str) -> None:
    if quote == "The quick fox \u2026 ":  # an ellipsis at the edge leaves nothing out
        assert found(quote) == "The \u201cquick\u201d fox"
    else:
        assert found(quote) is None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("it costs 12'000 francs", "it costs 12"),
        ("it costs 12'000 francs", "000 francs"),
        ("it costs 12,000 euros", "it costs 12"),
        ("it costs 12,000 euros", "000 euros"),
        ("it is 0.75 m", "it is 0"),
        ("it is 0.75 m", "75 m"),
        ("it was \u22645 mg", "5 mg"),
        ("it was -5 mg", "5 mg"),
    ],
)
def test_a_quote_neither_begins_nor_ends_within_a_number(text: str, quote: str) -> None:
    assert QuoteIndex.of(text).find(text) == (0, len(text))
    assert QuoteIndex.of(text).find(quote) is None


WORDS = st.text(
    alphabet="abA1\u00e9\u4e2d \n\u00a0-\u2013.*_`[]()#>|\u2026'\u201c\u00ad\ufb01e\u0301%&;/\\", max_size=60
)


@given(WORDS, st.data())
def test_places_in_the_text_are_exact(text: str, data: st.DataObject) -> None:
    folded = fold_text(text)
    if not folded.text:
        return
    start = data.draw(st.integers(0, len(folded.text) - 1))
    end = data.draw(st.integers(start + 1, len(folded.text)))
    begin, close = folded.span(start, end)
    assert 0 <= begin <= close <= len(text)
    assert folded.span(0, end)[1] == close
    assert folded.span(start, len(folded.text))[0] == begin


@given(WORDS, WORDS)
def test_what_is_found_says_the_words_of_the_quote(text: str, quote: str) -> None:
    place = QuoteIndex.of(text).find(quote)
    if place is None:
        return
    there = re.findall(r"[^\W_]+", fold_text(text).text.casefold())
    said = re.findall(r"[^\W_]+", fold_text(quote).text.casefold())
    assert set(said) <= set(there) or "\u4e2d" in quote + text  # its script does not part words
    assert text[slice(*place)].strip()


@given(st.lists(st.sampled_from(["Aspirin", "lowered", "12", "the", "rate"]), min_size=1, max_size=12), st.data())
def test_every_run_of_words_is_found_where_it_stands(words: list[str], data: st.DataObject) -> None:
    gaps = st.sampled_from([" ", "\n", "\u00a0", "  ", " **", "** "])
    text = "".join(word + data.draw(gaps) for word in words)
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    quote = " ".join(words[start:end])
    place = QuoteIndex.of(text).find(quote)
    assert place is not None
    assert fold_text(text[slice(*place)]).text.strip() == quote


HOSTILE = (
    "[a](b",
    "_a ",
    "**",
    "-",
    " \n",
    "a\u0301",
    "|",
    ".",
    "&amp",
    "<b ",
    "[[a",
    "\\",
    "![a](/(",
    "'",
    "\n> ",
    "\ue103a",
    "ab\ue103 ",
)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_texts_end(hostile: str) -> None:
    searched = QuoteIndex.of(hostile * 20_000)
    assert searched.find("ab " * 500 + "x") is None
    assert searched.find("no such words " * 100) is None


def test_words_that_stand_everywhere_within_others_end_as_not_found() -> None:
    assert QuoteIndex.of("abab" * 20_000).find("ab" * 500) is None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("It fell [12] and rose.", "It fell [12]and rose"),
        ("It fell[12]and rose.", "It fell [12] and rose"),
        ("It fell [ 12 ] and rose.", "It fell [12] and rose"),
        ("It fell \\[12\\] and rose.", "It fell [12] and rose"),
        ("It [fell](https://a.example/b) [12] and rose.", "It fell [12] and rose"),
        ("It fell \\(twice\\) and rose.", "It fell (twice) and rose"),
    ],
)
def test_spaces_beside_brackets_tell_nothing(text: str, quote: str) -> None:
    assert QuoteIndex.of(text).find(quote) == (0, len(text) - 1)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("It fell [12] 5 times.", "It fell [125] times"),
        ("It fell [12] -5 points.", "It fell [12]5 points"),
        ("See [docs](https://a.example/b) now.", "Seedocs now"),
    ],
)
def test_without_spaces_beside_brackets_no_words_or_numbers_join(text: str, quote: str) -> None:
    assert QuoteIndex.of(text).find(quote) is None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("It has 2⁶⁴ states in all.", "It has 2⁶⁴ states"),
        ("It has 2⁶⁴ states in all.", "It has 2^64 states"),
        ("It has 2⁶⁴ states in all.", "It has 2^{64} states"),
        ("It has 2^64 states in all.", "It has 2⁶⁴ states"),
        ("At 10⁻³ mol of CO₂ it stops.", "At 10^-3 mol of CO2 it stops"),
        ("HbA₁c fell by half.", "HbA1c fell by half"),
    ],
)
def test_exponents_and_indices_are_found_as_they_are_typed(text: str, quote: str) -> None:
    place = QuoteIndex.of(text).find(quote)
    assert place is not None
    assert text.startswith(text[slice(*place)])


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("It has 2⁶⁴ states.", "It has 264 states"),
        ("It has 2⁶⁴ states.", "It has 2"),
        ("It has 2^64 states.", "It has 2"),
        ("It has 2^64 states.", "64 states"),
        ("The area is 20 m² in all.", "The area is 20 m"),
        ("About log₁₀2 of it.", "About log102 of it"),
    ],
)
def test_an_exponent_is_no_digit_of_its_base_and_no_quote_ends_before_it(text: str, quote: str) -> None:
    assert QuoteIndex.of(text).find(quote) is None


@pytest.mark.parametrize(
    ("text", "quote", "there"),
    [
        ("It has a full phononic bandgap11. It is wide.", "a full phononic bandgap", "a full phononic bandgap"),
        ("It uses waves8,9 of sound.", "It uses waves", "It uses waves"),
        ("Built on Llama2 and more.", "Built on Llama", None),
        ("It emits CO2 at night.", "It emits CO", None),
        ("It gave mass500 in all.", "It gave mass", None),
        ("The gene12a is known.", "The gene", None),
    ],
)
def test_a_footnote_number_glued_to_the_last_word_may_be_left_off(text: str, quote: str, there: str | None) -> None:
    place = QuoteIndex.of(text).find(quote)
    assert (text[slice(*place)] if place else None) == there


@pytest.mark.parametrize(
    ("text", "quote", "there"),
    [
        ("Dose | 45.2 | 48.8 | 0.09\u1d43\n", "45.2 | 48.8 | 0.09", "45.2 | 48.8 | 0.09"),
        ("Dose | 45.2 | 0.01\u1d47\u1da0\n", "45.2 | 0.01", "45.2 | 0.01"),
        ("Dose | 0.09\u1d43 | 0.01", "Dose | 0.09", "Dose | 0.09"),
        ("Dose | 0.09\u1d43 rise | 0.01", "Dose | 0.09", None),
        ("All patients\u1d9c were men.", "All patients", None),
        ("It needs 2\u1d48 samples.", "needs 2", None),
        ("Au 19\u1d49 si\u00e8cle.", "Au 19", None),
        ("Au 19\u1d49\u00a0si\u00e8cle |", "Au 19", None),
        ("Dose | 45.2 | 0.09\u1d4d |", "45.2 | 0.09", None),  # grams
        ("Dose | 0.0001\u1d49\n", "Dose | 0.000", None),
        ("It is 2\u207f of them.", "It is 2", None),  # a power
        ("It is 3 \u00d7 10\u1d47 of them.", "It is 3 \u00d7 10", None),
        ("It is x\u1d43 of them.", "It is x", None),
        ("Dose | 45.2 | 0.01\u1d47%\n", "45.2 | 0.01", None),
        ("Dose | 45.2 | 0.09a\n", "45.2 | 0.09", None),  # not raised: it may be a unit
    ],
)
def test_the_raised_letter_of_a_note_may_be_left_off(text: str, quote: str, there: str | None) -> None:
    place = QuoteIndex.of(text).find(quote)
    assert (text[slice(*place)] if place else None) == there


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("It treats the lan- guage model as a box.", "treats the language model", True),
        ("It treats the lan- guage model as a box.", "treats the lan- guage model", True),
        ("It is a well-\nknown model.", "a well-known model", True),
        ("Long- and short-term effects.", "Long- and short-term effects", True),
        ("Long- and short-term effects.", "Long and short-term effects", False),
        ("Of 12- 14 models.", "Of 1214 models", False),
    ],
)
def test_a_word_that_a_line_broke_may_be_whole(text: str, quote: str, found: bool) -> None:
    place = QuoteIndex.of(text).find(quote)
    assert (place is not None) == found
    if place is not None:
        assert text.find(text[slice(*place)]) == place[0]
        assert text[slice(*place)].split()[-1] == quote.split()[-1]


# As PDFium reads a page whose sentences are placed without spaces between them.
GLUED = (
    "Cooling is hard for levitated nanoparticles.In contrast,the earlier work of 12 3-inch wafers took 0.5 K. "
    "It was asymptomatic, ineffective and notable."
)


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        (
            "levitated nanoparticles. In contrast, the earlier work",
            "levitated nanoparticles.In contrast,the earlier work",
        ),
        ("In contrast, the earlier work", "In contrast,the earlier work"),
        ("was a symptomatic", None),
        ("in effective and notable", None),
        ("and not able", None),
        ("hardfor levitated nanoparticles", None),
        ("particles. In contrast", None),  # begins within a word of the text
        ("levitated nanoparticles. I", None),
        ("levitated nanoparticle. In contrast", None),
        ("earlier 123-inch wafers", None),
        ("earlier 1 23-inch wafers", None),
        ("took 0. 5 K", None),
    ],
)
def test_spaces_that_a_pdf_lost_behind_marks_may_be_there(quote: str, there: str | None) -> None:
    place = QuoteIndex.of(GLUED).find(quote)
    assert (None if place is None else GLUED[slice(*place)]) == there
