"""Articles in JATS and TEI, notebooks and LaTeX source as documents."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from elcano.activities.passages.document import FileSkipped, Parsed
from elcano.subjects.documents.jats import read_jats
from elcano.subjects.documents.latex_source import read_latex
from elcano.subjects.documents.notebooks import MOST_MARKUP, OUTPUT_CHARACTERS, read_notebook
from elcano.subjects.documents.tei import read_tei
from elcano.text.xml_tree import parse_xml

JATS = """<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Publishing DTD v1.2//EN" "JATS.dtd">
<article article-type="research-article" xmlns:mml="http://www.w3.org/1998/Math/MathML"><front><article-meta>
<article-id pub-id-type="doi">10.1234/Tides.5</article-id>
<title-group><article-title>Tides of <italic>Brest</italic></article-title></title-group>
<contrib-group>
<contrib contrib-type="author"><name><surname>Roe</surname><given-names>Ann</given-names></name></contrib>
<contrib contrib-type="editor"><name><surname>Poe</surname></name></contrib></contrib-group>
<pub-date pub-type="epub"><year>2020</year></pub-date><pub-date pub-type="ppub"><year>2021</year></pub-date>
<abstract><p>Short.</p></abstract></article-meta></front><body>{body}</body><back>{back}</back></article>"""


def jats(body: str, back: str = "") -> Parsed:
    return read_jats(JATS.replace("{body}", body).replace("{back}", back).encode())


def texts(parsed: Parsed) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parsed.blocks]


def test_an_article_has_its_metadata_and_its_sections() -> None:
    parsed = jats(
        "<sec id='s1'><label>1</label><title>Results</title><p>It\nturns.</p><sec><title>More</title><p>"
        "Yes.</p></sec></sec>"
    )
    assert (parsed.title, parsed.authors, parsed.year, parsed.doi) == (
        "Tides of Brest", ("Roe, Ann",), 2021, "10.1234/tides.5",
    )  # fmt: skip
    assert texts(parsed) == [
        ("heading", "Abstract"), ("text", "Short."), ("heading", "1 Results"), ("text", "It turns."),
        ("heading", "More"),
        ("text", "Yes."),
    ]  # fmt: skip
    assert [block.level for block in parsed.blocks if block.kind == "heading"] == [1, 1, 2]
    assert parsed.blocks[2].anchor == "s1"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("10<sup>6</sup> cells and CO<sub>2</sub>", "10\u2076 cells and CO\u2082"),
        ('in Mexico<sup><xref ref-type="bibr">1</xref>,<xref ref-type="bibr">2</xref></sup> and', "in Mexico and"),
        ('in Mexico<xref ref-type="fn"><sup>a</sup></xref> and', "in Mexico and"),
        ('as shown <xref ref-type="bibr">[1]</xref>.', "as shown [1]."),
        ("5 &mu;g &lt; 6", "5 \u03bcg < 6"),
        ("a <named-content>b</named-content> <styled-content>c</styled-content>", "a b c"),
        (
            "is <inline-formula><mml:math><mml:mfrac><mml:mn>3</mml:mn><mml:mn>4</mml:mn></mml:mfrac></mml:math>"
            "</inline-formula> of",
            "is 3/4 of",
        ),
    ],
)
def test_running_text_says_what_the_article_says(body: str, text: str) -> None:
    assert texts(jats(f"<p>{body}</p>"))[2:] == [("text", text)]


def test_lists_formulas_and_notes_within_a_paragraph_are_blocks_of_their_own() -> None:
    body = (
        "<p>We saw <list list-type='order'><list-item><p>one</p></list-item><list-item><p>two</p></list-item></list>"
        "and<fn><p>A note.</p></fn> then <disp-formula><mml:math><mml:mi>E</mml:mi></mml:math><label>(1)</label>"
        "</disp-formula>holds.</p>"
    )
    assert texts(jats(body))[2:] == [
        ("text", "We saw"), ("list", "1. one\n2. two"), ("text", "and then"), ("formula", "E (1)"), ("text", "holds."),
        ("note", "A note."),
    ]  # fmt: skip


def test_tables_keep_spans_captions_and_notes() -> None:
    body = (
        "<table-wrap id='t1'><label>Table 1</label><caption><p>Ranges</p></caption><table><thead><tr>"
        "<th rowspan='2'>Port</th>"
        "<th colspan='2'>Range</th></tr><tr><th>low</th><th>high</th></tr></thead><tbody><tr><td>Brest</td>"
        "<td>3</td><td>7"
        "</td></tr></tbody></table><table-wrap-foot><fn><p>In metres.</p></fn></table-wrap-foot></table-wrap>"
        "<fig><label>Figure 1</label><caption><p>A port.</p></caption><graphic/></fig>"
    )
    parsed = jats(body)
    assert texts(parsed)[2:] == [
        ("caption", "Table 1. Ranges"),
        ("table", "Port | Range | \n | low | high\nBrest | 3 | 7"),
        ("note", "In metres."),
        ("caption", "Figure 1. A port."),
    ]
    table = parsed.blocks[3]
    assert [(cell.row, cell.column, cell.rows, cell.columns) for cell in table.cells][:2] == [
        (0, 0, 2, 1),
        (0, 1, 1, 2),
    ]
    assert [cell.head for cell in table.cells] == [True] * 4 + [False] * 3


def test_figures_within_a_figure_and_its_source_are_read() -> None:
    inner = "<fig><label>Figure 1-S1</label><caption><p>Neap tides.</p></caption><graphic/></fig>"
    parsed = jats(
        "<fig><label>Figure 1</label><caption><p>Tides.</p></caption><alternatives><graphic/><alt-text>x</alt-text>"
        f"</alternatives><attrib>Source: port of Brest.</attrib><p>{inner}</p></fig><p>After.</p>"
    )
    assert texts(parsed)[2:] == [
        ("caption", "Figure 1. Tides."), ("text", "Source: port of Brest."), ("caption", "Figure 1-S1. Neap tides."),
        ("text", "After."),
    ]  # fmt: skip


def test_what_an_article_says_of_its_data_is_read_and_codes_of_its_publisher_are_not() -> None:
    said = "<meta-name>Data Availability</meta-name><meta-value>Ask the <italic>port</italic>.</meta-value>"
    codes = "<custom-meta><meta-name>stage</meta-name><meta-value>vor-update</meta-value></custom-meta>"
    article = JATS.replace(
        "</article-meta>",
        f"<custom-meta-group>{codes}<custom-meta>{said}</custom-meta></custom-meta-group></article-meta>",
    )
    parsed = read_jats(article.replace("{body}", "<p>It turns.</p>").replace("{back}", "").encode())
    assert texts(parsed)[2:] == [("note", "Data Availability: Ask the port."), ("text", "It turns.")]


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("Data availability", "https://example.org/gauges", True),
        ("Author impact statement", "Tides turn twice a day", True),
        ("Article kind", "Research article", False),
    ],
)
def test_a_statement_is_known_by_its_name_too(name: str, value: str, read: bool) -> None:
    custom = f"<custom-meta><meta-name>{name}</meta-name><meta-value>{value}</meta-value></custom-meta>"
    article = JATS.replace("</article-meta>", f"<custom-meta-group>{custom}</custom-meta-group></article-meta>")
    parsed = read_jats(article.replace("{body}", "<p>It turns.</p>").replace("{back}", "").encode())
    assert (("note", f"{name}: {value}") in texts(parsed)) is read


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("<p>Under award<award-id>R01</award-id>.</p>", ["Under award R01."]),
        (
            "<p>By the<institution-wrap><institution>Port</institution></institution-wrap> of Brest.</p>",
            ["By the Port of Brest."],
        ),
        ("<sec>The <bold>moon</bold> pulls 10<sup>6</sup> m.<p>The sea.</p>The port.</sec>",
         ["The moon pulls 10\u2076 m.", "The sea.", "The port."]),
        ("The <italic>moon</italic>.<p>The sea.</p>", ["The moon.", "The sea."]),
    ],
)  # fmt: skip
def test_pieces_of_a_sentence_of_an_article_stay_together_and_words_apart(body: str, shown: list[str]) -> None:
    assert [text for _, text in texts(jats(body))[2:]] == shown


def test_a_work_that_is_named_in_a_paragraph_is_no_single_word() -> None:
    parsed = jats(
        "<p><element-citation><person-group><name><surname>Roe</surname><given-names>A</given-names></name>"
        "</person-group><year>2019</year><data-title>Tide gauges</data-title><source>Harbour</source>"
        "</element-citation> and <institution-wrap><institution-id>100</institution-id><institution>Port</institution>"
        "</institution-wrap>, Brest<sup>2</sup><bold>A</bold>.</p>"
    )
    assert texts(parsed)[2:] == [("text", "Roe A 2019 Tide gauges Harbour and Port, Brest\u00b2A.")]


def test_references_are_notes_as_they_are_printed() -> None:
    back = (
        "<ref-list><title>References</title><ref><label>1</label><mixed-citation>Roe A. Tides. <source>"
        "Sea</source> 2019."
        "</mixed-citation></ref><ref><element-citation><name><surname>Poe</surname><given-names>G</given-names></name>"
        "<year>2018</year><article-title>Moons</article-title><source>Sky</source><volume>3</volume><fpage>1</fpage>"
        "<lpage>9</lpage></element-citation></ref></ref-list>"
    )
    assert texts(jats("<p>x</p>", back))[3:] == [
        ("heading", "References"),
        ("note", "1 Roe A. Tides. Sea 2019."),
        ("note", "Poe G. (2018). Moons. Sky, 3, 1-9"),
    ]


@pytest.mark.parametrize("apart", ["", " ", ", "])
def test_the_parts_of_a_name_are_apart_whatever_is_between_them(apart: str) -> None:
    name = f"<name><surname>Roe</surname>{apart}<given-names>A</given-names></name>"
    parsed = jats("<p>Text.</p>", f"<ref-list><ref><mixed-citation>{name}. Tides.</mixed-citation></ref></ref-list>")
    assert ("note", f"Roe{apart or ' '}A. Tides.") in texts(parsed)


@pytest.mark.parametrize("place", ["http://dtd.example.org/JATS.dtd", "JATS.dtd"])
def test_an_article_is_read_without_the_dtd_that_it_names(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "JATS.dtd").write_text('<!ENTITY tide "ebb"> <!ATTLIST p content-type CDATA "loaded">')
    written = JATS.replace('"JATS.dtd"', f'"{place}"').replace("{body}", "<p>It turns.</p>").replace("{back}", "")
    assert ("text", "It turns.") in texts(read_jats(written.encode()))
    paragraph = next(parse_xml(written.encode()).iter("p"))
    assert not paragraph.attrib


def test_xml_that_declares_entities_or_is_cut_off_is_refused() -> None:
    with pytest.raises(FileSkipped, match="declares entities"):
        read_jats(b'<!DOCTYPE article [<!ENTITY a "b">]><article><body><p>&a;</p></body></article>')
    with pytest.raises(FileSkipped, match="no XML that can be read"):
        read_jats(JATS.encode()[:600])


@pytest.mark.parametrize(("direction", "shown"), [(", aside", "POLONIUS, aside"), ("Reads.", "POLONIUS: Reads.")])
def test_a_direction_behind_a_speaker_keeps_its_own_mark(direction: str, shown: str) -> None:
    speech = f"<sp><speaker>POLONIUS</speaker><stage>{direction}</stage><p>How say you?</p></sp>"
    parsed = read_tei(f"<TEI><text><body><div>{speech}</div></body></text></TEI>".encode())
    assert [block.text for block in parsed.blocks] == [shown, "How say you?"]


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ('type="gloss"><label>neap</label><item>the lowest tide</item>', "neap: the lowest tide"),
        (
            'type="gloss"><label>neap \u2013</label><item>the lowest</item><item>of all</item>',
            "neap \u2013 the lowest\n- of all",
        ),
        ("><label>(b)</label><item>spring</item><item>autumn</item>", "(b) spring\n- autumn"),
        ('type="ordered"><item>spring</item><item n="4.">autumn</item>', "1. spring\n4. autumn"),
        ('type="gloss"><label>neap</label><item>the lowest</item><label>spring</label>', "neap: the lowest\nspring"),
        ("><label>neap</label>", "neap"),
    ],
)
def test_items_of_tei_keep_the_terms_that_they_explain(content: str, shown: str) -> None:
    (block,) = read_tei(f"<TEI><text><body><list {content}</list></body></text></TEI>".encode()).blocks
    assert (block.kind, block.text) == ("list", shown)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("<div>The moon.<p>The sea.</p>The port.</div>", ["The moon.", "The sea.", "The port."]),
        ("<div>The moon.</div>", ["The moon."]),
        ("<closer>Yours <hi>truly</hi>, <signed>Ann</signed></closer>", ["Yours truly, Ann"]),
        (
            "<div>m<hi rend='sup'>2</hi> and <hi>10</hi><hi rend='sup'>6</hi><p>The sea.</p></div>",
            ["m\u00b2 and 10\u2076", "The sea."],
        ),
        ("<div>The tide<note>A note.</note> <lb/>turns.<p>Yes.</p></div>", ["The tide turns.", "A note.", "Yes."]),
        ("<div><q><p>The moon.</p><p>The sea.</p></q></div>", ["The moon.", "The sea."]),
        ("<div>Thus:<lg><l>The moon</l><l>the sea</l></lg></div>", ["Thus:\nThe moon\nthe sea"]),
        ("<closer>Yours, <signed>Ann</signed><date>1 May</date></closer>", ["Yours, Ann 1 May"]),
        ("<p>By <name>Ann</name><name>Guy</name>son, <date>May</date></p>", ["By Ann Guyson, May"]),
        ("<p><w>The</w><w>tide</w><pc>,</pc> <w part='I'>neap</w><w part='F'>s</w></p>", ["The tide, neaps"]),
        ("<closer>\n<salute>Yours,</salute>\n<signed>Ann</signed>\n</closer>", ["Yours,", "Ann"]),
    ],
)
def test_text_of_tei_that_is_in_no_paragraph_is_read(body: str, shown: list[str]) -> None:
    parsed = read_tei(f"<TEI><text><body>{body}</body></text></TEI>".encode())
    assert [block.text for block in parsed.blocks] == shown


def test_a_reference_of_tei_keeps_what_its_encoders_call_a_note() -> None:
    printed = "<bibl>Roe, <title>Tides</title> <note>(second edition)</note>, 2019.</bibl>"
    packed = "<bibl>A. <title>B</title><note>second edition</note></bibl>"
    parsed = read_tei(f"<TEI><text><body><listBibl>{printed}{packed}</listBibl></body></text></TEI>".encode())
    assert [text for _, text in texts(parsed)[1:]] == ["Roe, Tides (second edition), 2019.", "A. B second edition"]


def test_a_role_and_its_description_are_apart() -> None:
    cast = "<castList><castItem><role>Ann</role><roleDesc>a pilot</roleDesc></castItem></castList>"
    assert texts(read_tei(f"<TEI><text><body>{cast}</body></text></TEI>".encode())) == [("text", "Ann a pilot")]


def test_tei_has_its_metadata_and_what_the_text_is_made_of() -> None:
    parsed = read_tei(
        b"<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><fileDesc><titleStmt><title>Tides</title></titleStmt>"
        b"<sourceDesc><biblStruct><analytic><author><persName><forename>Ann</forename><surname>Roe</surname></persName>"
        b"</author></analytic><monogr><imprint><date when='1999-04-01'/></imprint></monogr><idno type='DOI'>"
        b"10.1234/a</idno>"
        b"</biblStruct></sourceDesc></fileDesc></teiHeader><text><body><div><head n='1'>Ports</head><fw>TIDES 7</fw>"
        b"<p>The ti<lb break='no'/>de<note place='foot' n='1'>A note.</note> of 10<hi rend='superscript'>"
        b"3</hi> <choice>"
        b"<sic>shps</sic><corr>ships</corr></choice>.</p><lg><l>A line</l><l>and one more</l></lg><table>"
        b"<row role='label'>"
        b"<cell>Port</cell><cell cols='2'>Range</cell></row><row><cell>Brest</cell><cell>3</cell><cell>"
        b"7</cell></row></table>"
        b"</div></body></text></TEI>"
    )
    assert (parsed.title, parsed.authors, parsed.year, parsed.doi) == ("Tides", ("Roe, Ann",), 1999, "10.1234/a")
    assert texts(parsed) == [
        ("heading", "1 Ports"),
        ("text", "The tide of 10\u00b3 shps."),
        ("note", "1 A note."),
        ("text", "A line\nand one more"),
        ("table", "Port | Range | \nBrest | 3 | 7"),
    ]


def notebook(*cells: dict[str, object], **metadata: object) -> bytes:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}).encode()


def test_a_notebook_has_its_text_its_code_and_its_outputs() -> None:
    table = "<table><tr><th>port</th><th>range</th></tr><tr><td>Brest</td><td>7</td></tr></table>"
    outputs = [
        {"output_type": "stream", "text": ["10 %\r", "100 %\n", "\x1b[31mdone\x1b[0m\n"]},
        {"output_type": "execute_result", "data": {"text/html": [table], "text/plain": "port range"}},
        {"output_type": "display_data", "data": {"image/png": "aGk=", "text/plain": "<Figure size 640x480>"}},
        {"output_type": "error", "ename": "ValueError", "evalue": "no tide"},
    ]
    parsed = read_notebook(
        notebook(
            {"cell_type": "markdown", "source": ["# Tides\n", "\n", "The *moon*."]},
            {"cell_type": "code", "source": "print(1)", "outputs": outputs},
            authors=[{"name": "Ann Roe"}],
        )
    )
    assert [block.kind for block in parsed.blocks] == ["heading", "text", "code", "code", "table", "code"]
    assert parsed.blocks[3].text == "100 %\ndone\n"
    assert parsed.blocks[4].text == "port | range\nBrest | 7"
    assert parsed.blocks[5].text == "ValueError: no tide"
    assert [block.paragraph for block in parsed.blocks] == [1, 1, 2, 2, 2, 2]
    assert parsed.gaps[0].reason == "1 outputs are pictures, which are not read"
    assert parsed.authors == ("Ann Roe",)


LATEX = r"""\documentclass{article} % a comment
\newcommand{\port}[1]{the port of #1}
\title{Tides \& ports}\author{Ann Roe \and Guy Poe}\date{May 2019}
\begin{document}\maketitle
"""


def latex(body: str) -> list[tuple[str, str]]:
    return texts(read_latex((LATEX + body + "\n\\end{document}").encode()))


def test_an_output_that_is_shown_as_a_page_is_read_and_the_name_of_its_object_is_not() -> None:
    page = f"<h3>Range</h3><img src='data:image/png;base64,{'A' * 100_000}'/><p>7.5 m</p><script>draw()</script>"
    shown = {"text/html": page, "text/plain": "<IPython.core.display.HTML object>"}
    told = {"text/html": "<b>eight</b>", "text/plain": "8"}
    outputs = [{"output_type": "execute_result", "data": data} for data in (shown, told)]
    parsed = read_notebook(notebook({"cell_type": "code", "source": "show()", "outputs": outputs}))
    assert texts(parsed) == [("code", "show()"), ("heading", "Range"), ("text", "7.5 m"), ("code", "8")]


def test_of_a_page_that_is_too_long_the_beginning_is_read_and_the_gap_says_so() -> None:
    named = "<IPython.core.display.HTML object>"
    table = f"<table><tr><td>Brest</td></tr><tr><td>{'b' * 250_000}</td></tr></table>"
    pages = [f"<pre>{'a' * 30_000}</pre>", table, "<!--" + "c" * MOST_MARKUP + "--><p>The sea.</p>"]
    for page in pages:
        output = {
            "output_type": "display_data",
            "data": {"text/html": page, "text/plain": named},
        }
        parsed = read_notebook(notebook({"cell_type": "code", "source": "", "outputs": [output]}))
        assert [gap.reason[:14] for gap in parsed.gaps] == ["1 outputs have"]
        assert sum(len(block.text) for block in parsed.blocks) == (0 if page is pages[2] else OUTPUT_CHARACTERS)
        assert all(cell.end <= len(block.text) for block in parsed.blocks for cell in block.cells)


def test_markdown_that_is_too_long_is_a_gap() -> None:
    output = {"output_type": "display_data", "data": {"text/markdown": "The sea. " * 3_000}}
    assert read_notebook(notebook({"cell_type": "code", "source": "", "outputs": [output]})).gaps


@pytest.mark.parametrize(("version", "text"), [(2, "The moon\npulls."), (3, "The moonpulls.")])
def test_lines_of_notebooks_before_version_3_have_no_ends(version: int, text: str) -> None:
    cell = {"cell_type": "raw", "source": ["The moon", "pulls."]}
    content = json.dumps({"nbformat": version, "worksheets": [{"cells": [cell]}]}).encode()
    assert texts(read_notebook(content)) == [("text", text)]


def test_ends_of_lines_that_an_old_notebook_has_are_not_doubled_and_its_authors_stay_apart() -> None:
    cell = {"cell_type": "raw", "source": ["The moon\n", "\n", "pulls."]}
    old = {"nbformat": 2, "metadata": {"authors": ["Ann", "Bo"]}, "worksheets": [{"cells": [cell]}]}
    parsed = read_notebook(json.dumps(old).encode())
    assert (texts(parsed), parsed.authors) == ([("text", "The moon\n\npulls.")], ("Ann", "Bo"))


def test_a_source_has_its_metadata() -> None:
    parsed = read_latex((LATEX + "Text.\\end{document}").encode())
    assert (parsed.title, parsed.authors, parsed.year) == ("Tides & ports", ("Ann Roe", "Guy Poe"), 2019)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"Visit \port{Brest} \emph{now}, 50\% of it~all. % not this", "Visit the port of Brest now, 50% of it all."),
        (r"G\"odel, Erd\H{o}s, \'{e}t\'e, na\"{\i}ve, \c{c}a, \o re, \ss", "Gödel, Erdős, été, naïve, ça, øre, ß"),
        (r"``Quoted'' --- 1--2 \LaTeX{} \ldots", "\u201cQuoted\u201d \u2014 1\u20132 LaTeX \u2026"),
        (r"The rate is $\frac{3}{4}$ of $10^{6}$.", "The rate is 3/4 of 10\u2076."),
        (r"10\textsuperscript{6} and CO\textsubscript{2}", "10\u2076 and CO\u2082"),
        (r"\num{1.5e3}, \SI{10}{\kilo\metre\per\second}, \qty{5}{mg}", "1.5 \u00d7 10\u00b3, 10 km/s, 5 mg"),
        (r"See \cite{roe2019} and Figure~\ref{fig:a}.", "See [roe2019] and Figure [fig:a]."),
        (r"\href{https://example.org}{A link} \textcolor{red}{stays} \vspace{1cm}\label{x}", "A link stays"),
        (r"uses \XML as its form", r"uses \XML as its form"),
    ],
)
def test_running_text_of_latex_reads_as_it_is_printed(source: str, text: str) -> None:
    assert latex(source) == [("text", text)]


def test_structure_of_latex_becomes_blocks() -> None:
    body = r"""
\begin{abstract}Short.\end{abstract}
\section{Results\footnote{A note.}}
\begin{itemize}\item one \item two \begin{enumerate}\item deep\end{enumerate}\end{itemize}
\begin{table}\caption{Ranges}\begin{tabular}{lcc}\toprule Port & \multicolumn{2}{c}{Range} \\ \midrule
Brest & 3 & 7 \\ \bottomrule\end{tabular}\end{table}
\begin{align}a &= b \label{x} \\ c &= \sqrt{13}\end{align}
\begin{verbatim}
x = 50 % kept
\end{verbatim}
\iffalse never \fi
\begin{tikzpicture}\draw (0,0);\end{tikzpicture}
\subsection*{More}
Last.
"""
    assert latex(body) == [
        ("heading", "Abstract"), ("text", "Short."), ("heading", "Results"), ("note", "A note."),
        ("list", "- one\n- two\n1. deep"), ("caption", "Ranges"), ("table", "Port | Range | \nBrest | 3 | 7"),
        ("formula", "a = b"), ("formula", "c = \u221a13"), ("code", "x = 50 % kept\n"),
        ("heading", "More"), ("text", "Last."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "items"),
    [
        (r"\begin{enumerate}[label=(\alph*), noitemsep]\item x\item y\end{enumerate}", "(a) x\n(b) y"),
        (r"\begin{enumerate}[label={Step \arabic*,},start=3]\item x\end{enumerate}", "Step 3, x"),
        (r"\begin{enumerate}[(i)]\item x\item[*] y\item z\end{enumerate}", "(i) x\n* y\n(ii) z"),
        (r"\begin{enumerate}[{Case} A:]\item x\end{enumerate}", "Case A: x"),
        (r"\begin{enumerate}[noitemsep]\item x\end{enumerate}", "1. x"),
        (
            r"\begin{enumerate}\def\labelenumi{\arabic{enumi})}\setcounter{enumi}{4}\item x"
            r"\begin{enumerate}\item y\end{enumerate}\end{enumerate}",
            "5) x\n(a) y",
        ),
        (
            r"\renewcommand{\labelenumi}{(\roman{enumi})}"
            r"\begin{enumerate}\item x\begin{enumerate}\item y\end{enumerate}\end{enumerate}",
            "(i) x\n(a) y",
        ),
    ],
)
def test_items_of_latex_have_the_numbers_that_are_printed(source: str, items: str) -> None:
    assert latex(source) == [("list", items)]


@pytest.mark.parametrize("command", [r"\index{tide}", r"\indexdef{tide!spring}", r"\sindex[g]{tide}"])
def test_what_a_source_writes_into_its_index_is_no_text(command: str) -> None:
    assert latex(f"The tide{command} is high.") == [("text", "The tide is high.")]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"The drug\sindex{drug} {\em must not} be used.", "The drug must not be used."),
        (r"The drug \sindex{drug}{\em must not} be used.", "The drug must not be used."),
        (r"The drug\index{drug} [5] {\em must not} be used.", "The drug [5] must not be used."),
        (r"The drug\sindex[d]{drug} [5] is used.", "The drug [5] is used."),
        (r"The drug\specialindex{d}{page}{drug} is used.", "The drug is used."),
        (r"Her \hindex{25} {\em is} high.", "Her 25 is high."),
        (r"Her \hindex is 25.", r"Her \hindex is 25."),
        (r"Her \noindent [5] {\em is} high.", "Her [5] is high."),
        (r"Her \makeatletter {\em is} high.", "Her is high."),
        (r"Her \allowdisplaybreaks[1] {\em is} high.", "Her is high."),
    ],
)
def test_what_stands_behind_a_command_is_not_taken_for_its_arguments(source: str, shown: str) -> None:
    assert latex(source) == [("text", shown)]


def test_files_that_a_source_takes_in_are_reported() -> None:
    parsed = read_latex((LATEX + "Text. \\input{chapters/one} \\bibliography{refs}\\end{document}").encode())
    assert [(gap.unread, gap.reason.split(":")[0]) for gap in parsed.gaps] == [
        (True, "it takes in other files, which are not read with it"),
        (False, "its references are in another file, which is not read with it"),
    ]
    with pytest.raises(FileSkipped, match="takes in other files"):
        read_latex(b"\\documentclass{book}\\begin{document}\\include{one}\\end{document}")


@pytest.mark.parametrize(
    ("read", "content"),
    [
        (read_latex, LATEX.encode() + b"\\emph{" * 20_000),
        (read_latex, LATEX.encode() + b"\\begin{itemize}" * 5_000),
        (read_latex, b"\\newcommand{\\a}{\\a\\a\\a}\\begin{document}\\a" + b"$" * 5_001),
        (read_latex, LATEX.encode() + b"\\frac{" * 300 + b"{" * 50_000),
        (read_notebook, b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": 7, "outputs": [3, {}]}, 5]}'),
    ],
)
def test_hostile_sources_end(read: Callable[[bytes], Parsed], content: bytes) -> None:
    read(content)
