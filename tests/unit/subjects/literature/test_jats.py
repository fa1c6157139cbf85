"""Full texts in JATS: what is read of them, what is not, and what hostile ones cost."""

import pytest

from elcano.subjects.literature.xml import (
    MOST_COLUMNS,
    MOST_ROWS,
    find_article_licence,
    parse_article_body,
    parse_xml_root,
)
from tests.loopback import recorded


def blocks(inner: str) -> list[tuple[str, str]]:
    article = parse_xml_root("x", f"<article>{inner}</article>".encode(), {"article"})
    return [
        (block.kind if block.kind != "heading" else f"h{block.level}", block.text)
        for block in parse_article_body(article)
    ]


def body(inner: str) -> list[tuple[str, str]]:
    return [one for one in blocks(f"<body>{inner}</body>") if one[1]]


def test_sections_lists_and_what_is_not_read() -> None:
    found = blocks(
        "<front><article-meta><abstract><p>Not here.</p></abstract></article-meta></front><body><p>First.</p>"
        "<sec><label>1.</label><title>Methods</title><p>We <italic>listened</italic>.</p><sec><title>Boats</title>"
        "<list><list-item><p>One</p><p>boat</p><list><list-item><p>small</p></list-item></list></list-item></list></sec>"
        "</sec><sec><p>Nameless.</p></sec></body><back><ack><p>Thanks.</p></ack><ref-list><ref>R</ref></ref-list></back>"
    )
    assert [one for one in found if one[1]] == [
        ("text", "First."),
        ("h1", "1. Methods"),
        ("text", "We listened."),
        ("h2", "Boats"),
        ("text", "- One boat"),
        ("text", "- small"),
        ("text", "Nameless."),
    ]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("In Mexico<sup><xref ref-type='bibr'>1</xref>-<xref ref-type='bibr'>3</xref></sup>.", "In Mexico."),
        ("In Mexico<xref ref-type='bibr'><sup>1</sup></xref> and", "In Mexico and"),
        ("At 10<xref ref-type='bibr'>5</xref> sites", "At 10 [5] sites"),
        ("As said [<xref ref-type='bibr'>5</xref>,<xref ref-type='bibr'>6</xref>]", "As said [5,6]"),
        ("By <xref ref-type='bibr'>Melville 1851</xref><sup>2</sup>", "By Melville 1851\N{SUPERSCRIPT TWO}"),
        ("By <xref ref-type='bibr'>Melville<sup>2</sup></xref>", "By Melville\N{SUPERSCRIPT TWO}"),
        ("10<sup>6</sup><sup><xref ref-type='bibr'>7</xref></sup> cells", "10\N{SUPERSCRIPT SIX} cells"),
        ("<xref ref-type='bibr'/>x<sup/>", "x"),
    ],
)
def test_numbers_of_references_are_never_figures(written: str, read: str) -> None:
    assert body(f"<p>{written}</p>") == [("text", read)]


def test_tables_keep_their_columns_and_stand_behind_their_paragraph() -> None:
    found = body(
        "<p>Before<table-wrap><label>Table 1</label><caption><title>Sleep</title><p>Hours.</p></caption><table>"
        "<tr><th rowspan='2'>Group</th><th colspan='2'>Night</th></tr><tr><th>1</th><th>2</th></tr>"
        "<tr><td>Song</td><td>7.5<sup>a</sup></td><td/></tr></table><table-wrap-foot><p>a: p &lt; 0.05</p>"
        "</table-wrap-foot></table-wrap>after.</p><fig><label>Figure 2.</label><caption><p>A whale.</p></caption></fig>"
    )
    assert found == [
        ("text", "Beforeafter."),
        ("text", "Table 1. Sleep Hours."),
        ("code", "Group | Night | Night\nGroup | 1 | 2\nSong | 7.5ᵃ | "),
        ("text", "a: p < 0.05"),
        ("text", "Figure 2. A whale."),
    ]


def test_tables_without_measure_are_bounded() -> None:
    wide = (
        "<tr><td colspan='99999' rowspan='99999'>x</td><td colspan='-1' rowspan='0'>y</td>"
        f"<td colspan='{'9' * 99}'/></tr>"
    )
    ((_, text),) = body(f"<table-wrap><table>{wide}{'<tr/>' * (MOST_ROWS + 5)}</table></table-wrap>")
    lines = text.splitlines()
    assert len(lines) == MOST_ROWS + 1
    assert {len(line.split(" | ")) for line in lines[:-1]} == {MOST_COLUMNS}
    assert lines[-1] == "(Further rows are left out.)"


def test_deep_and_senseless_nesting() -> None:
    deep = 200
    assert body("<sec><title>T</title>" * deep + "<p>x</p>" + "</sec>" * deep)[-1] == ("text", "x")
    assert body("<boxed-text>" * deep + "<p>x<boxed-text><p>y</p></boxed-text></p>" + "</boxed-text>" * deep) == [
        ("text", "x"),
        ("text", "y"),
    ]
    assert body("<p>" * deep + "x" + "</p>" * deep) == [("text", "x")]
    assert body("<title>no</title><statement><p>yes</p></statement><code>x = 1</code>") == [
        ("text", "yes"),
        ("text", "x = 1"),
    ]
    assert blocks("") == []


@pytest.mark.parametrize(
    ("file", "headings", "tables", "licence"),
    [
        ("full_text_short.xml", 0, 0, "https://creativecommons.org/licenses/by/4.0/"),
        ("full_text_two_tables.xml", 15, 3, "https://creativecommons.org/licenses/by/4.0/"),
        ("pmc_archive_public_domain.nxml", 18, 0, "http://creativecommons.org/publicdomain/mark/1.0/"),
    ],
)
def test_recorded_articles(file: str, headings: int, tables: int, licence: str) -> None:
    content = recorded(f"europe_pmc/{file}").body
    assert isinstance(content, bytes)
    article = parse_xml_root("x", content, {"article"})
    found = list(parse_article_body(article))
    assert sum(block.kind == "heading" for block in found) == headings
    assert sum(block.kind == "code" for block in found) == tables
    assert find_article_licence(article) == licence


def test_the_licence_may_be_an_attribute_a_sentence_or_nothing() -> None:
    def licence(inner: str) -> str:
        xml = f"<article><front><article-meta><permissions>{inner}</permissions></article-meta></front></article>"
        return find_article_licence(parse_xml_root("x", xml.encode(), {"article"}))

    assert licence("<license xmlns:x='urn:x' x:href='https://example.org/by'/>") == "https://example.org/by"
    assert licence("<license><license-p>All rights kept.</license-p></license>") == "All rights kept."
    assert licence("") == ""
