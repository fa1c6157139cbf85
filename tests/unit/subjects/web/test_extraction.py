"""What is read of a page: its main text, its passages, and what it says of itself."""

import re
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents.file_processes import ask_process
from elcano.subjects.documents.html_blocks import list_parts
from elcano.subjects.web.extraction import MOST_LINKS, PROCESSES, Page, PageRequest, Request, extract_page
from elcano.subjects.web.main_text import find_loose_parts
from tests.loopback import recorded
from tests.unit.subjects.documents.files import pdf
from tests.unit.subjects.web.site import FILLER, html

URL = "https://a.example/b/c"
ENERGY = (
    "<math><semantics><mrow><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></mrow>"
    "<annotation encoding='application/x-tex'>mc^2</annotation></semantics></math>"
)


def taken(markup: str | bytes, **more: str) -> Page:
    return extract_page(Request(".html", URL, **more), markup.encode() if isinstance(markup, str) else markup)


def of_recording(name: str) -> Page:
    body = recorded(f"web_pages/{name}").body
    assert isinstance(body, bytes)
    return taken(body)


@pytest.mark.parametrize(
    ("name", "title", "authors", "published", "site", "has", "lacks"),
    [
        (
            "blog_code.html",
            "Get your Frontend JavaScript Code Covered",
            ("Nicolas Perriault",),
            "2013-09-29",
            "",
            "code coverage might help",
            "Hi, I'm Nicolas",
        ),
        (
            "foundation_news.html",
            "Access to Wikipedia restored in Turkey after more than two and a half years",
            ("Wikimedia Foundation",),
            "2020-01-15",
            "Wikimedia Foundation",
            "We will keep this statement updated",
            "Stay up-to-date on our work.",
        ),
        (
            "news_portal.html",
            "Amnesty. More than 100 protesters killed in Iran unrest",
            (),
            "2019-11-20",
            "PanARMENIAN.Net",
            "snipers have also shot into crowds of people from rooftops",
            "Top stories",
        ),
        ("shift_jis.html", "「注記一覧」記載例文", ("青空文庫",), "", "青空文庫", "字下げ", "\ufffd"),
    ],
)
def test_recorded_pages(
    name: str, title: str, authors: tuple[str, ...], published: str, site: str, has: str, lacks: str
) -> None:
    page = of_recording(name)
    assert (page.document.title, page.authors, page.published, page.site) == (title, authors, published, site)
    assert has in page.document.text
    assert lacks not in page.document.text


def test_rows_of_a_table_stay_together() -> None:
    page = of_recording("table_heavy_wikipedia_list.html")
    row = next(line for line in page.document.text.splitlines() if line.startswith("Groundhog Day | "))
    assert row.startswith("Groundhog Day | 1993 | ")
    assert not row.endswith("|")


def test_passages_are_parts_of_the_text_with_their_headings() -> None:
    page = taken(
        "<!doctype html><title>Voyages</title><main><article><h1>Voyages</h1>"
        f"<h2>Depths <a href='#depths'>#</a></h2><p>{FILLER}</p>"
        f"<h2><a href=#winds>¶</a> Winds</h2><p>{FILLER.replace('pilot', 'boatswain')}</p></article></main>"
    )
    document = page.document
    parts = {passage.heading: document.text[passage.start : passage.end] for passage in document.passages}
    assert parts["Voyages > Depths"] == FILLER
    assert parts["Voyages > Winds"].startswith("The boatswain")


@pytest.mark.parametrize(
    "hidden",
    [
        "<p style='display:none'>SECRET: {0}</p>",
        "<div style='color:red; DISPLAY : none'><p>SECRET: {0}</p></div>",
        "<p style='visibility: hidden'>SECRET: {0}</p>",
        "<p style='font-size:0'>SECRET: {0}</p>",
        "<p hidden>SECRET: {0}</p>",
        "<p aria-hidden='true'>SECRET: {0}</p>",
        "<template><p>SECRET: {0}</p></template>",
        "<script>SECRET: {0}</script>",
        "<!-- SECRET: {0} -->",
    ],
)
def test_what_nobody_sees_is_not_read(hidden: str) -> None:
    others = [FILLER.replace("hour", f"hour of watch {number}") for number in range(8)]
    markup = html(*others).replace("</article>", hidden.format(FILLER) + "</article>")
    text = taken(markup).document.text
    assert "watch 7" in text
    assert "SECRET" not in text


@pytest.mark.parametrize("tag", ["<body hidden>", "<body style='display:none'>", "<body aria-hidden=true>"])
def test_a_page_that_its_scripts_show_is_read(tag: str) -> None:
    assert FILLER in taken(html(FILLER).replace("<body>", tag)).document.text


def test_what_is_hidden_within_what_is_hidden_is_taken_out_once() -> None:
    hidden = "<div hidden><p style='display:none'>A <b aria-hidden=true hidden style='font-size:0'>SECRET</b></p></div>"
    markup = html(FILLER).replace("</article>", hidden * 50 + "</article>")
    assert "SECRET" not in taken(markup).document.text


def test_dates_authors_and_names_are_what_the_markup_says() -> None:
    head = (
        "<meta property='article:published_time' content='2021-03-04T10:00:00Z'><meta name=author content='Ana Díaz'>"
        "<meta property='og:site_name' content='The Log'><link rel=canonical href='/b/c?id=1'><base href='/docs/'>"
    )
    links = "<a href='one'>1</a><a href='one#x'>1</a><a href='mailto:x'>m</a><a rel='nofollow ugc' href='/spam'>s</a>"
    page = taken(html(FILLER, FILLER + " Ever.", head=head, body=f"<footer>© 1999 {links}</footer>"))
    assert (page.published, page.authors, page.site) == ("2021-03-04", ("Ana Díaz",), "The Log")
    assert (page.language, page.canonical) == ("en", "https://a.example/b/c?id=1")
    assert page.links == ("https://a.example/menu", "https://a.example/docs/one")


def test_a_year_in_a_footer_is_no_date_of_the_page() -> None:
    assert taken(html(FILLER, body="<footer>© 2019 The Log. Updated often since 2004.</footer>")).published == ""


def test_a_page_without_a_title_is_called_as_the_search_engine_calls_it() -> None:
    markup = f"<!doctype html><body><p>{FILLER}</p><p>{FILLER} Ever.</p></body>"
    assert taken(markup, title="From the engine").document.title == "From the engine"
    assert taken(markup).document.title == URL


def test_links_are_bounded() -> None:
    links = "".join(f"<a href='/{number}'>x</a>" for number in range(MOST_LINKS + 50))
    assert len(taken(html(FILLER, body=links)).links) == MOST_LINKS


def test_pdf_and_plain_text_are_read_as_documents_are() -> None:
    page = extract_page(Request(".pdf", URL, title="A paper"), pdf([["First page."], ["Second page."]]))
    assert [passage.page for passage in page.document.passages] == [1, 2]
    assert page.document.media_type == "application/pdf"
    assert extract_page(Request(".txt", URL), b"words").document.text == "words"
    assert extract_page(Request(".txt", URL), b"words").document.title == URL
    assert extract_page(Request(".txt", URL, charset="Shift_JIS"), "鯨の話".encode("cp932")).document.text == "鯨の話"
    with pytest.raises(FileSkipped, match="not a readable PDF"):
        extract_page(Request(".pdf", URL), b"%PDF-1.7 and no more")
    with pytest.raises(FileSkipped, match="no text"):
        extract_page(Request(".txt", URL), b" \n ")


def test_a_recorded_pdf_of_one_table() -> None:
    body = recorded("web_pages/table.pdf").body
    assert isinstance(body, bytes)
    page = extract_page(Request(".pdf", URL, title="Background checks"), body)
    assert "Alabama" in page.document.text
    assert page.document.passages[0].page == 1


def test_what_a_process_answers_is_the_page() -> None:
    page, request = taken(html(FILLER)), Request(".html", URL)
    asked = PageRequest(seconds=20, page=request, content=html(FILLER).encode())
    assert ask_process(PROCESSES, asked) == page
    with pytest.raises(FileSkipped, match="there is no text in it"):
        ask_process(PROCESSES, PageRequest(seconds=20, page=request, content=b""))


@given(st.text(alphabet="<>/ abpdivtablehrefscript=\"'&;!-\x00é", max_size=300))
def test_any_markup_is_read_or_left_out(markup: str) -> None:
    try:
        page = taken(f"{markup}<p>{FILLER}</p>")
    except FileSkipped:
        return
    text = page.document.text
    assert all(0 <= passage.start < passage.end <= len(text) for passage in page.document.passages)
    assert sha256(text.encode()).hexdigest()


_NAMES = st.sampled_from(
    [
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "cite",
        "code",
        "dfn",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "label",
        "mark",
        "q",
        "samp",
        "small",
        "span",
        "strong",
        "tt",
        "u",
        "var",
        "wbr",
        "svg",
        "img",
    ]
)
_HOLDING = st.sampled_from(["", " ", "{0}", "{0} ", "<i></i>{0}", "{0} <b>{1}</b>"])
_BETWEEN = st.lists(st.one_of(st.none(), st.tuples(_NAMES, st.sampled_from(["", " class=fa"]), _HOLDING)), max_size=6)
_PROSE = "What is nothing but links leads elsewhere and is no text of the page, so this one says more. " * 2
_SHAPES = (
    f"<p>{_PROSE}{{0}}</p><p>{_PROSE}{{1}}</p>",
    f"<ul><li>{_PROSE}{{0}}</li><li>{_PROSE}{{1}}</li></ul>",
    f"<ol><li>{_PROSE}{{0}}<ul><li>{_PROSE}{{1}}</li></ul></li></ol>",
    "<table><tr><th>{0}</th><th>One</th></tr><tr><td>{1}</td><td>Two</td></tr></table>",
    "<dl><dt>{0}</dt><dd>{1}</dd></dl>",
    f"<blockquote><p>{_PROSE}{{0}}</p><p>{_PROSE}{{1}}</p></blockquote>",
)


def _run(between: list[tuple[str, str, str] | None], first: int) -> tuple[str, list[str]]:
    """Inline elements between words, and the words."""
    told: list[str] = []

    def word() -> str:
        told.append(f"word{first + len(told)}")
        return told[-1]

    parts = [word()]
    for one in between:
        if one is None:
            parts.append(word())
            continue
        name, more, holding = one
        void = name in ("wbr", "img")
        inner = "" if void or name == "svg" else holding.format(*(word() for _ in range(holding.count("{"))))
        parts += [f"<{name}{more}>" if void else f"<{name}{more}>{inner}</{name}>", word()]
    return " ".join(parts), told


@given(st.sampled_from(_SHAPES), _BETWEEN, _BETWEEN)
def test_no_inline_element_costs_a_word(
    shape: str, first: list[tuple[str, str, str] | None], second: list[tuple[str, str, str] | None]
) -> None:
    one, words = _run(first, 1)
    two, more = _run(second, 100)
    markup = html(FILLER).replace("</article>", shape.format(one, two) + f"<p>{FILLER}</p></article>")
    assert re.findall(r"\bword\d+\b", taken(markup).document.text) == [*words, *more]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<ul><li><i class='fa'></i> Works on Linux</li><li>Works on Mac</li></ul>", "- Works on Linux"),
        ("<p>The result was <b></b>not confirmed by anybody.</p>", "The result was not confirmed by anybody."),
        ("<p>It has 2<sup>64</sup> states of CO<sub>2</sub>.</p>", "It has 2⁶⁴ states of CO₂."),
        (
            f"<p>The energy is <span class=katex><span class=katex-mathml>{ENERGY}</span><span class=katex-html "
            "aria-hidden=true>mc2</span></span> here.</p>",
            "The energy is mc² here.",
        ),
        (
            f"<p>The energy is <span class=mwe-math-element><span style='display:none'>{ENERGY}</span><img "
            "aria-hidden=true alt='mc^2'></span> here.</p>",
            "The energy is mc² here.",
        ),
        ("<pre><code>def f():\n    return <span></span>1\n</code></pre>", "def f():\n    return 1"),
        (
            "<table><tr><th>Port</th><th>Range</th></tr><tr><td>Brest</td><td><i></i>7 m</td></tr></table>",
            "Brest | 7 m",
        ),
    ],
)
def test_nothing_is_lost_within_a_block(markup: str, text: str) -> None:
    page = html(FILLER).replace("</article>", f"{markup}<p>{FILLER}</p></article>")
    assert text in taken(page).document.text


def test_text_directly_in_the_element_of_the_paragraphs_around_it_is_read() -> None:
    # "When a ≠ 0, there are two solutions" was read as "When" where a page of formulas ends its paragraphs too early.
    markup = (
        "<div><p>When</p>a ≠ 0, there are two.<p>They are these.</p><a href='/b'>Read this too</a>"
        "<div>By the editors</div><p>So it is.</p></div>"
    )
    body = LexborHTMLParser(markup).body
    assert body is not None
    parts = list_parts(body, whole=True)
    texts = [part.block.text for part in parts]
    chosen = {texts.index(text) for text in ("When", "They are these.", "So it is.")}
    assert [texts[number] for number in find_loose_parts(parts, chosen)] == ["a ≠ 0, there are two."]
