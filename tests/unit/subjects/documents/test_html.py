"""Pages are read as a browser shows them."""

import pytest

from elcano.activities.passages.document import Block
from elcano.subjects.documents.html import read_html
from elcano.subjects.documents.html_blocks import HEADING_CHARACTERS


def read(markup: str) -> list[Block]:
    return read_html(markup.encode()).blocks


def texts(markup: str) -> list[str]:
    return [block.text for block in read(markup)]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("a<x-word>long</x-word> word", "along word"),
        ("<p>read <blink>it</blink> so", "read it so"),
        ("soft<wbr>ware", "software"),
        ("<q>He said <q>no</q> to it</q>", "\u201cHe said \u2018no\u2019 to it\u201d"),
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>の話", "漢字(かんじ)の話"),
        ("one<br>two", "one\ntwo"),
        ("<s>50</s> <del>45</del> <strike>44</strike> <span style='text-decoration: line-through'>43</span> 40", "40"),
        ("<ins>should not</ins> be used", "should not be used"),
        (
            "<form><p>The terms.</p><label>Name</label><input value=x><select><option>A</select></form>",
            "The terms.\nName",
        ),
        ("<details><summary>More</summary>The details.</details>", "More\nThe details."),
        ("<h2><button>Why?</button></h2><button>Send</button>Because.", "Why?\nBecause."),
        ("<dl><dt>Term<dd>Meaning</dl>", "Term\nMeaning"),
        ("<blockquote>Words<footer>A writer</footer></blockquote><footer>© us</footer>", "Words\nA writer"),
    ],
)
def test_what_a_browser_shows(markup: str, text: str) -> None:
    assert "\n".join(texts(markup)) == text


@pytest.mark.parametrize("main", ["<main>", "<main role=main>", "<main role=main class=wide>", "<div role=main>"])
def test_the_main_part_of_a_page_is_read_alone(main: str) -> None:
    end = f"</{main[1:].split()[0].rstrip('>')}>"
    assert texts(f"<div>We use cookies.</div>{main}<p>The bridge opened in 1934.</p>{end}<div>Share it.</div>") == [
        "The bridge opened in 1934."
    ]


def test_of_two_main_parts_none_is_left_out() -> None:
    assert texts("<main>One.</main><main role=main>Two.</main>") == ["One.", "Two."]


def test_an_element_that_is_hidden_in_several_ways_is_taken_out_once() -> None:
    unseen = "<div hidden id=a class=b style='display: none' aria-hidden=true>no<p hidden id=c class=d>no</p></div>"
    assert texts(f"<p>Before.</p>{unseen * 50}<p>Behind.</p>") == ["Before.", "Behind."]


def test_a_picture_that_is_marked_as_a_formula_in_several_ways_is_one_formula() -> None:
    assert texts("<p>so <img class='tex latex' src=/latex/7.png alt='x^2'> holds</p>") == ["so x² holds"]


def test_components_that_hold_blocks_are_blocks() -> None:
    markup = "<x-card>Title<p>Words of it</p></x-card><x-card>Another<p>Other words</p></x-card>end"
    assert texts(markup) == ["Title", "Words of it", "Another", "Other words", "end"]


@pytest.mark.parametrize(
    "hidden",
    [
        "<p style='opacity:0'>SECRET</p>",
        "<p style='opacity: .0'>SECRET</p>",
        "<p style='visibility:collapse'>SECRET</p>",
        "<p style='font-size:1px'>SECRET</p>",
        "<p style='color:transparent'>SECRET</p>",
        "<p style='color:#fff; background-color:#fff'>SECRET</p>",
        "<p style='position:absolute; left:-10000px'>SECRET</p>",
        "<p style='text-indent:-9999px'>SECRET</p>",
        "<p style='clip: rect(0, 0, 0, 0)'>SECRET</p>",
        "<p style='clip-path: inset(50%)'>SECRET</p>",
        "<p style='height:0;overflow:hidden'>SECRET</p>",
        "<p class='note sr-only'>SECRET</p>",
        "<p class=d-none>SECRET</p>",
        "<noscript>SECRET</noscript>",
        "<dialog>SECRET</dialog>",
        "<style>.a, p.b { display: none }</style><p class='x a'>SECRET</p><p class=b>SECRET</p>",
        "<style>/* x */ #c { position: absolute; left: -9999px }</style><p id=c>SECRET</p>",
        "<p>A <i class='icon icon-home' aria-hidden=true>SECRET</i></p>",
        "<p>Next: <a href=/2 rel=next>SECRET</a>, Up: <a href=/ rel=up>SECRET</a></p>",
        "<nav>SECRET</nav>",
        "<h2>A<a href=#a>¶</a></h2><p><a role=doc-backlink href=#r>SECRET</a></p>",
    ],
)
def test_what_nobody_sees_and_what_leads_elsewhere_is_not_read(hidden: str) -> None:
    assert "SECRET" not in "".join(texts(f"<p>Before.</p>{hidden}<p>After.</p>"))


@pytest.mark.parametrize(
    "shown",
    [
        "<p style='opacity:0.5'>SEEN</p>",
        "<p style='font-size:0.8em'>SEEN</p>",
        "<p style='font-size:10px'>SEEN</p>",
        "<p style='color:#fff; background:#000'>SEEN</p>",
        "<p style='margin-left:-9999'>SEEN</p>",
        "<p class='hidden md:block'>SEEN</p>",
        "<p>It costs <span aria-hidden=true>SEEN</span><span class=sr-only>five dollars</span>.</p>",
        "<style>.tab{display:none}.tab.active{display:block}</style><p class='tab active'>SEEN</p>",
        "<style>@media print {.p{display:none}}</style><p class=p>SEEN</p>",
        "<dialog open>SEEN</dialog>",
    ],
)
def test_what_can_be_seen_is_read(shown: str) -> None:
    assert "SEEN" in "".join(texts(shown))


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<ol start=3><li>a<li value=7>b<li>c</ol>", "3. a\n7. b\n8. c"),
        ("<ol reversed><li>a<li>b</ol>", "2. a\n1. b"),
        ("<ol type=a start=26><li>a<li>b</ol>", "z. a\naa. b"),
        ("<ol type=I start=9><li>a<li>b</ol>", "IX. a\nX. b"),
        ("<ol start=x><li value=''>a</ol>", "1. a"),
        ("<ul><li>a</ul>", "- a"),
    ],
)
def test_lists_are_numbered_as_browsers_number_them(markup: str, text: str) -> None:
    assert "\n".join(texts(markup)) == text


def test_captions_notes_and_asides_are_told_from_the_text() -> None:
    markup = (
        "<p>Text.</p><figure><img src=x><figcaption>Figure 1. A map</figcaption></figure><aside>By the way.</aside>"
        "<table><caption>Table 1. Ports</caption><tr><td>Brest<td>7</tr><tr><td>Cadiz<td>3</tr></table>"
        "<section role=doc-endnotes><ol><li>See there.</ol></section><aside role=note><h3>Mind</h3></aside>"
    )
    assert [(block.kind, block.text) for block in read(markup)] == [
        ("text", "Text."),
        ("caption", "Figure 1. A map"),
        ("note", "By the way."),
        ("caption", "Table 1. Ports"),
        ("table", "Brest | 7\nCadiz | 3"),
        ("note", "1. See there."),
        ("heading", "Mind"),
    ]


def test_a_paragraph_in_large_type_is_text_and_whole() -> None:
    words = " ".join(["word"] * HEADING_CHARACTERS)
    assert [(block.kind, block.text) for block in read(f"<h2>{words}</h2>")] == [("text", words)]


def test_cells_with_paragraphs_and_spans_keep_rows_and_columns() -> None:
    (table,) = read(
        "<table><tr><th rowspan=2><p>Port</p></th><th colspan=2>Depth</th></tr><tr><th>1990</th><th>2000</th></tr>"
        "<tr><td><p>Brest</p></td><td><p>7</p><p>m</p></td><td></td></tr>"
        "<tr hidden><td>no<td>no<td>no</tr><tr><td>Cadiz<td><ul><li>3<li>4</ul><td>5<br>6</tr></table>"
    )
    assert table.text.splitlines() == [
        "Port | Depth | ",
        " | 1990 | 2000",
        "Brest | 7 m | ",
        "Cadiz | 3; 4 | 5 6",
    ]
    told = [(table.text[cell.start : cell.end], *cell[2:]) for cell in table.cells]
    assert told[:5] == [
        ("Port", 0, 0, 2, 1, True),
        ("Depth", 0, 1, 1, 2, True),
        ("1990", 1, 1, 1, 1, True),
        ("2000", 1, 2, 1, 1, True),
        ("Brest", 2, 0, 1, 1, False),
    ]
    assert ("", 2, 2, 1, 1, False) in told


def test_heads_come_first_and_feet_last() -> None:
    (table,) = read(
        "<table><tfoot><tr><td>Sum<td>9</tr></tfoot><tbody><tr><td>a<td>4</tr></tbody>"
        "<thead><tr><td>Name<td>Count</tr></thead></table>"
    )
    assert table.text == "Name | Count\na | 4\nSum | 9"
    assert [cell.head for cell in table.cells] == [True, True, False, False, False, False]


def test_a_table_in_a_cell_stays_in_it() -> None:
    (table,) = read("<table><tr><th>A<th>B</tr><tr><td>x<td><table><tr><td>1<td>2<tr><td>3<td>4</table></tr></table>")
    assert table.text == "A | B\nx | 1, 2; 3, 4"


@pytest.mark.parametrize(
    "markup",
    [
        "<table role=presentation><tr><td>One<td>Two</table>",
        "<table><tr><td>One<p>Two</table>",
        "<table><tr><td>One<tr><td>Two</table>",
        "<table><tr><td><h2>One</h2><td>Two</table>",
        "<table><tr><td><pre>1\n2</pre><td><pre>One</pre><p>Two</table>",
    ],
)
def test_tables_that_lay_a_page_out_are_read_as_text(markup: str) -> None:
    blocks = read(markup)
    assert [block.text for block in blocks][:2] == ["One", "Two"]
    assert all(block.kind != "table" and not block.cells for block in blocks)


@pytest.mark.parametrize("number", ["class=lnum", "class='pagenum x'", "epub:type=pagebreak", "role=doc-pagebreak"])
def test_numbers_in_the_margin_are_no_figures_of_the_sentence(number: str) -> None:
    (block,) = read(f"<p>The ships<span {number}>90</span> went north.</p>")
    assert block.text == "The ships went north."


def test_spans_that_claim_millions_of_cells_take_little_room_and_no_text() -> None:
    rows = 401
    (table,) = read(f"<table>{'<tr><td colspan=1000 rowspan=9>a<td>b' * rows}</table>")
    assert (table.text.count("a"), table.text.count("b")) == (rows, rows)
    assert len(table.text) < 100 * rows


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("It is 3.2<sup>[1]</sup>.", "It is 3.2[1]."),
        ("It is 320<sup><a href='#fn1'>1</a></sup>.", "It is 320[1]."),
        ("It is 320<a href='#fn1'><sup>1</sup></a>.", "It is 320[1]."),
        ("It is 320<a role=doc-noteref href='#fn1'>1</a>.", "It is 320[1]."),
        ("About 10<sup>9</sup>/L.", "About 10⁹/L."),
        ("3<sup>1</sup>/<sub>2</sub> inches", "3 1/2 inches"),
        ("3<span class=frac>1\u20442</span>", "3 1\u20442"),
        (
            "2<span class=sfrac><span class=num>3</span><span class=sr-only>/</span><span class=den>4</span></span>",
            "2 3/4",
        ),
        (
            "<span class='sfrac'><span class='tion'><span class=num>1</span><span class='sr-only'>/</span>"
            "<span class=den>2</span></span></span> cup",
            "1/2 cup",
        ),
        ("<math><mfrac><mn>3</mn><mn>4</mn></mfrac></math> of it", "3/4 of it"),
        ("<m:math><m:msqrt><m:mrow/><m:mn>13</m:mn></m:msqrt></m:math> of it", "√13 of it"),
        ("The <script type='math/tex; mode=display'>\\sqrt[3]{27}</script> of it", "The ∛27 of it"),
        (
            "<span class=MathJax_Preview>x2</span><span class=MathJax>x2</span><script type=math/tex>x^2</script>",
            "x²",
        ),
        (
            "<mjx-container><mjx-math aria-hidden=true>x2</mjx-math><mjx-assistive-mml><math><msup><mi>x</mi><mn>2</mn>"
            "</msup></math></mjx-assistive-mml></mjx-container> of it",
            "x² of it",
        ),
        ("<img class=latex alt='\\frac{3}{4}'> of it", "3/4 of it"),
        ("<img src=/map.png alt='A map'>of it", "of it"),
        ("The cost \\(x^2\\) and $y$ of it", "The cost \\(x^2\\) and $y$ of it"),
    ],
)
def test_no_number_becomes_another_one(markup: str, text: str) -> None:
    assert texts(markup) == [text]


def test_a_declared_encoding_that_is_a_templates_does_not_count() -> None:
    page = "<meta charset=iso-8859-1><p>Où est l'été, déjà là ?"
    assert texts("") == []
    assert [block.text for block in read_html(page.encode()).blocks] == ["Où est l'été, déjà là ?"]


def test_a_few_null_bytes_do_not_make_a_page_binary() -> None:
    page = b"<p>" + b"Words of a page. " * 100 + b"\0" * 22 + b"the end"
    assert read_html(page).blocks[0].text.endswith("the end")


@pytest.mark.parametrize(
    ("head", "reference"),
    [
        (
            '<title>Tides - Journal of Seas</title><meta name="citation_title" content="Tides of Brest">'
            '<meta name="citation_author" content="Roe, Ann"><meta name="citation_author" content="Guy Poe">'
            '<meta name="citation_publication_date" content="2021/03/04"><meta name="citation_doi" '
            'content="doi:10.1234/Tides.5"><meta name="author" content="Seas Publishing House">',
            ("Tides of Brest", ("Roe, Ann", "Guy Poe"), 2021, "10.1234/tides.5"),
        ),
        (
            '<title>Tides</title><meta name="DC.creator" content="Roe, Ann"><meta name="DC.Date" content="2019-05">'
            '<meta name="DC.identifier" content="https://example.org/5">',
            ("Tides", ("Roe, Ann",), 2019, ""),
        ),
        (
            '<title>Tides</title><meta name="author" content="Ann Roe and Guy Poe"><meta property='
            '"article:published_time" content="2020-01-02T03:04:05Z">',
            ("Tides", ("Ann Roe", "Guy Poe"), 2020, ""),
        ),
        ('<title>Tides</title><meta name="author" content="admin">', ("Tides", (), 0, "")),
    ],
)
def test_the_reference_of_a_page_is_what_its_head_declares(
    head: str, reference: tuple[str, tuple[str, ...], int, str]
) -> None:
    """Names of elements as Google Scholar's inclusion guidelines, Dublin Core and the Open Graph protocol have them."""
    parsed = read_html(f"<html><head>{head}</head><body><p>It turns.</p></body></html>".encode())
    assert (parsed.title, parsed.authors, parsed.year, parsed.doi) == reference
