"""Fragments of JATS and HTML say what a reader would see, whatever their form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.report.work_standing import WorkStanding
from elcano.graphs.report.works import Work
from elcano.subjects.literature.literature_source import keep_fitting_records
from elcano.subjects.literature.service_fields import (
    MOST_CHARACTERS,
    flatten_markup,
    normalize_licence_name,
    parse_markup_blocks,
)
from elcano.subjects.literature.work_records import Record


def shown(fragment: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parse_markup_blocks(fragment)]


def test_sections_become_headings_and_paragraphs() -> None:
    fragment = (
        "<jats:title>ABSTRACT:</jats:title>\n <jats:sec><jats:title>Aim</jats:title><jats:p>One "
        "<jats:bold>two</jats:bold></jats:p><jats:p/></jats:sec><p>Three<br>four</p>"
        "<jats:list><jats:list-item>five</jats:list-item></jats:list>"
    )
    assert shown(fragment) == [
        ("heading", "Aim"),
        ("text", "One two"),
        ("text", "Three"),
        ("text", "four"),
        ("text", "five"),
    ]
    assert shown("<jats:title>Abstract</jats:title>") == []
    assert shown("Abstract") == [("text", "Abstract")]


@pytest.mark.parametrize(
    ("fragment", "text"),
    [
        ("p<0.05, values <LOD were >5, a<b", "p<0.05, values <LOD were >5, a<b"),
        ("10<sup>6</sup> CO<sub>2</sub> the 5<sup>th</sup>", "10⁶ CO₂ the 5th"),
        ("10<mml:msup><mml:mn>2</mml:mn><mml:mn>6</mml:mn></mml:msup>", "102⁶"),
        ("&lt;p&gt;Ten &lt;i&gt;in vivo&lt;/i&gt; at 10&lt;sup&gt;6&lt;/sup&gt;&lt;/p&gt;", "Ten in vivo at 10⁶"),
        ("in<jats:italic>MLH1</jats:italic>variants, <i>p</i>-value", "in MLH1 variants, p-value"),
        ("&lt;b&gt; &amp;amp; &nbsp;x &unheard;", "<b> &amp; x &unheard;"),
        ("a<!-- no -->b <![CDATA[c]]> <?no no?>d", "a b c d"),
        ("<script>alert(1)</script>a<style>x</style>", "a"),
        ("E <jats:alternatives><jats:tex-math>\\E</jats:tex-math><mml:math><mml:mi>m</mml:mi></mml:math>", "E m"),
        ("<jats:tex-math>E=m</jats:tex-math>", "E=m"),
        ("cut <jats:italic>off", "cut off"),
        ("</p></p>closed<a href='x'>twice</a>", "closedtwice"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_what_a_reader_sees(fragment: str, text: str) -> None:
    assert flatten_markup(fragment) == text


@pytest.mark.parametrize(
    "fragment", ["<b>" * 30_000 + "x", "<a " * 20_000, "<" * 50_000, "<!--" * 15_000, "<sup>" * 9_000, "&#x0;&#xD800;x"]
)
def test_damage_ends(fragment: str) -> None:
    assert len(flatten_markup(fragment)) <= 4 * MOST_CHARACTERS


@given(st.text("<>/=&;\"' absup!-[]", max_size=80))
def test_any_fragment_has_blocks_that_are_not_empty(fragment: str) -> None:
    assert all(block.text == " ".join(block.text.split()) != "" for block in parse_markup_blocks(fragment))


@pytest.mark.parametrize(
    ("title", "flags"),
    [
        ("RETRACTED: Whales", ("retracted",)),
        ("[Retracted] Whales", ("retracted",)),
        ("RETRACTED ARTICLE: Whales", ("retracted",)),
        ("REMOVED: Whales", ("retracted",)),
        ("Withdrawn - Whales", ("withdrawn",)),
        ("WITHDRAWN: Whales", ("withdrawn",)),
        ("Retraction: Whales", ()),
        ("Retracted whales: a study", ()),
        ("Why papers are retracted: whales", ()),
        ("Withdrawn-like behaviour", ()),
        ("", ()),
    ],
)
def test_what_a_title_says(title: str, flags: tuple[str, ...]) -> None:
    standing = WorkStanding()
    standing.add_title(title)
    assert tuple(standing.flags) == flags
    assert len(standing.notices) == len(flags)


@pytest.mark.parametrize(
    ("given_", "name"),
    [
        ("https://creativecommons.org/licenses/by/4.0/", "CC BY 4.0"),
        ("http://creativecommons.org/licenses/by-nc-nd/3.0/igo/", "CC BY-NC-ND 3.0"),
        ("https://creativecommons.org/publicdomain/zero/1.0/legalcode", "CC0 1.0"),
        ("cc-by-sa", "CC BY-SA"),
        ("cc0", "cc0"),
        ("https://www.elsevier.com/tdm/userlicense/1.0/", "https://www.elsevier.com/tdm/userlicense/1.0/"),
        ("", ""),
    ],
)
def test_licences(given_: str, name: str) -> None:
    assert normalize_licence_name(given_) == name


def test_works_are_kept_by_the_words_they_share() -> None:
    works = [Record(Work(title=title)) for title in ("Singing whales", "Blue whales", "Ships")]
    assert keep_fitting_records("the singing of the whale", works) == (works[:2], 1)
    assert keep_fitting_records("whales that sing under ships in winter storms at night", works) == (works[:1], 2)
    assert keep_fitting_records("?!", works) == (works, 0)
    assert keep_fitting_records("鲸鱼", works) == ([], 3)
