import io
import zipfile

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.activities.passages.document import Document, FileSkipped, normalize_text
from elcano.subjects.documents.file_formats import FORMATS, parse_document
from elcano.subjects.documents.markdown import read_markdown
from tests.unit.subjects.documents.files import pdf, with_entry, word


def passages(document: Document) -> list[tuple[str, str]]:
    return [(passage.heading, document.text[passage.start : passage.end]) for passage in document.passages]


MARKDOWN = b"""---
title: "The guide"
---
<!-- a comment
over two lines -->
# Install [![badge](https://x/y.svg)](https://x)

Take **the** [wheel](https://example.org/a) and `pip  install *it*`,
then <b>rest</b> &amp; wait.

* one
* two

## From source #

```python
# not a heading
x = 1

y = 2
```

Setext
------

| a | b |
|---|---|
| 1 | 2 |

[wheel]: https://example.org
"""


def test_markdown_becomes_readable_text_under_its_headings() -> None:
    document = parse_document("guide.md", MARKDOWN)
    assert document.title == "The guide"
    assert passages(document) == [
        ("Install", "Take the wheel and `pip  install *it*`, then rest & wait.\n\n* one\n* two"),
        ("Install > From source", "# not a heading\nx = 1\n\ny = 2"),
        ("Install > Setext", "a | b\n1 | 2"),
    ]
    assert [passage.anchor for passage in document.passages] == ["install", "from-source", "setext"]


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        (
            "| A | B |\n|---|:-:|\n| 1 | 2 |\n| 3 |",
            [[("A", True), ("B", True), ("1", False), ("2", False), ("3", False)]],
        ),
        ("Caption\nA | B\n--- | ---\n1 | 2", [[("A", True), ("B", True), ("1", False), ("2", False)]]),
        ("| a | b |\n| c | d |", [[("a", False), ("b", False), ("c", False), ("d", False)]]),
        ("a | b\n\n---\n\n|---|---|\n\nc", []),
        ("a\n|---|\nb | c\n|--|--|\n1 | 2", [[("b", True), ("c", True), ("1", False), ("2", False)]]),
    ],
)
def test_tables_of_markdown_have_cells_under_their_heads(text: str, tables: list[list[tuple[str, bool]]]) -> None:
    blocks = [block for block in read_markdown(text.encode()).blocks if block.kind == "table"]
    read = [[(block.text[c.start : c.end], c.head) for c in block.cells if c.end > c.start] for block in blocks]
    assert read == tables


def test_headings_of_one_name_get_different_anchors() -> None:
    document = parse_document("a.md", b"# Use\none\n# Use\ntwo\n# Use\nthree\n")
    assert [passage.anchor for passage in document.passages] == ["use", "use-1", "use-2"]


@pytest.mark.parametrize("text", [b"[" * 300_000, b"<" * 300_000, b"**a" * 100_000, b"`" * 300_000, b"![" * 100_000])
def test_hostile_markdown_is_read_in_linear_time(text: bytes) -> None:
    """Patterns without bounds would need hours here; the test's own timeout would end it."""
    assert len(parse_document("a.md", b"x " + text).text) > 0


def test_an_unclosed_fence_reads_to_the_end() -> None:
    assert parse_document("a.md", b"before\n\n```\nlast words").text == "before\n\nlast words"


def test_a_comment_that_is_never_closed_loses_one_line_only() -> None:
    assert parse_document("a.md", b"<!-- oops\nstill here").text == "still here"


def test_restructured_text() -> None:
    text = b"""\
=====
Title
=====

.. image:: logo.png
   :alt: logo

Some `link <https://example.org>`_ and a :func:`call`::

   code = 1
   more = 2

Part
----
Words.
"""
    document = parse_document("a.rst", text)
    assert document.title == "Title"
    assert passages(document) == [
        ("Title", "Some link and a `call`::\n\ncode = 1\nmore = 2"),
        ("Title > Part", "Words."),
    ]


def test_plain_text_without_structure_is_named_after_its_file() -> None:
    document = parse_document("sub/notes.txt", b"One line\nflows on.\n\nAnother.\n")
    assert document.title == "notes"
    assert document.text == "One line flows on.\n\nAnother."


def test_a_document_of_headings_only_can_still_be_found() -> None:
    document = parse_document("a.md", b"# One\n## Two\n")
    assert [text for _, text in passages(document)] == ["One", "Two"]


HTML = b"""<!DOCTYPE html><html><head><title>T &amp; t</title><style>x{}</style></head><body>
<nav>skip me</nav><main><section id="intro"><h1>Intro<a class="headerlink" href="#intro">&para;</a></h1>
<p>Hello <b>bold</b>,
world.<br>Second line</p><div hidden>unseen</div><script>var x</script><pre>def f():
    return 1
</pre><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></section>
<h2 id="next">Next</h2><div>loose <span>text</span></div></main><footer>no</footer></body></html>"""


def test_html_keeps_the_main_part_with_anchors_and_code() -> None:
    document = parse_document("page.html", HTML)
    assert document.title == "T & t"
    assert passages(document) == [
        ("Intro", "Hello bold, world.\nSecond line\n\ndef f():\n    return 1\n\na | b\n1 | 2"),
        ("Intro > Next", "loose text"),
    ]
    assert [passage.anchor for passage in document.passages] == ["intro", "next"]


def test_html_of_one_giant_line_is_cut_after_sentences() -> None:
    document = parse_document("a.html", b"<p>" + b"Word one two three. " * 50_000)
    texts = [text for _, text in passages(document)]
    assert max(map(len, texts)) <= 1_150
    assert all(text.endswith(".") for text in texts)


def test_deeply_nested_html_needs_no_recursion() -> None:
    assert parse_document("a.html", b"<div>" * 20_000 + b"deep").text == "deep"


def test_html_follows_the_encoding_that_it_declares() -> None:
    page = '<html><head><meta charset="iso-8859-2"></head><body>Łódź</body>'
    assert parse_document("a.html", page.encode("iso-8859-2")).text == "Łódź"
    assert parse_document("a.html", page.replace("iso-8859-2", "no-such-encoding").encode()).text == "Łódź"


def test_pdf_pages_are_places_and_lines_flow() -> None:
    content = pdf([["The first page says hello to the world and", "everyone in it."], ["Second page."]])
    document = parse_document("a.pdf", content)
    assert passages(document) == [
        ("", "The first page says hello to the world and everyone in it."),
        ("", "Second page."),
    ]
    assert [passage.page for passage in document.passages] == [1, 2]


def test_word_documents() -> None:
    document = parse_document("a.docx", word(title="On tides"))
    assert document.title == "On tides"
    assert passages(document) == [
        ("Tides", "The moon pulls the sea."),
        ("Tides > Spring tides", "They come with the new moon.\n\nPort | Range\nBrest | 7 m"),
    ]
    assert [passage.paragraph for passage in document.passages] == [2, 4]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "latin-1"])
def test_encodings(encoding: str) -> None:
    assert parse_document("a.txt", "Käse für Zoë, schön".encode(encoding)).text == "Käse für Zoë, schön"


def test_text_is_normalised_without_changing_its_meaning() -> None:
    assert normalize_text("e\u0301\u00a0ﬁsh\u00ad \ufeff10²\r\n\x07\ud800") == "é fish 10²\n "


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.txt", b"", "it is empty"),
        ("a.txt", b" \n\t\n", "there is no text in it"),
        ("a.txt", bytes(range(256)) * 10, "it is binary, not text"),
        ("a.txt", b"\x01\x02\x03\x04text", "it is binary, not text"),
        ("a.txt", b"\xff\xfe\x00", "it claims to be UTF-16 and is not"),
        ("a.md", b"\x89PNG\r\n\x1a\n\x00\x00", "it is binary, not text"),
        ("a.html", b"<script>only()</script>", "there is no text in it"),
        ("a.pdf", b"no pdf at all", "it is not a readable PDF: it may be damaged or cut off"),
        ("a.pdf", pdf([["x"]])[:100], "it is not a readable PDF: it may be damaged or cut off"),
        ("a.pdf", pdf([["x"]], encrypted=True), "it is encrypted: save a copy without a password"),
        ("a.pdf", pdf([[]]), "there is no text in it"),
        (
            "a.docx",
            b"no zip",
            "it is not a readable Word document: it may be damaged or cut off",
        ),
        ("a.xyz", b"text", "files of kind '.xyz' cannot be read"),
    ],
)
def test_what_cannot_be_read_says_why(name: str, content: bytes, reason: str) -> None:
    with pytest.raises(FileSkipped) as caught:
        parse_document(name, content)
    assert str(caught.value) == reason


def test_a_part_that_unpacks_to_more_than_two_hundred_times_its_size_is_not_read() -> None:
    bomb = with_entry(word(), "word/footnotes.xml", bytes(40_000_000))
    with pytest.raises(FileSkipped) as caught:
        parse_document("a.docx", bomb)
    assert str(caught.value) == "a part of it would unpack to more than 200 times its size"


def test_a_zip_that_is_no_word_document() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.txt", "hello")
    with pytest.raises(FileSkipped, match="not a readable Word document"):
        parse_document("a.docx", out.getvalue())


@pytest.mark.parametrize("suffix", sorted(FORMATS))
def test_garbage_of_every_kind_is_skipped(suffix: str) -> None:
    with pytest.raises(FileSkipped):
        parse_document(f"a{suffix}", b"\x00\xfe\x01" * 1_000)


MARKUP = st.text(alphabet=st.sampled_from("#=-~`*_[]()<>!|:. \t\n\r\x0c\u2028ax1\ud7ffé&;"), max_size=400)


@given(
    content=st.binary(max_size=400) | MARKUP.map(str.encode), suffix=st.sampled_from([".md", ".rst", ".txt", ".html"])
)
def test_whatever_is_in_a_text_it_is_read_or_skipped(content: bytes, suffix: str) -> None:
    try:
        document = parse_document(f"a{suffix}", content)
    except FileSkipped:
        return
    assert document.text.encode()
    assert all(document.text[start:end].strip() for start, end, *_ in document.passages)


RAISED = "2<sup>64</sup> of CO<sub>2</sub> on the 5<sup>th</sup>"


@pytest.mark.parametrize(("name", "around"), [("a.html", "<p>%s</p>"), ("a.md", "%s")])
def test_exponents_and_indices_stay_what_they_are(name: str, around: str) -> None:
    assert parse_document(name, (around % RAISED).encode()).text == "2⁶⁴ of CO₂ on the 5th"


def test_exponents_of_word_stay_what_they_are() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("2")
    paragraph.add_run("64").font.superscript = True
    paragraph.add_run(" of CO")
    paragraph.add_run("2").font.subscript = True
    out = io.BytesIO()
    document.save(out)
    assert parse_document("a.docx", out.getvalue()).text == "2⁶⁴ of CO₂"


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        (
            "<span class=katex><span class=katex-mathml><math><semantics><mrow><msup><mi>e</mi><mi>x</mi></msup></mrow>"
            "<annotation encoding='application/x-tex'>e^x</annotation></semantics></math></span>"
            "<span class=katex-html aria-hidden=true>ex</span></span>",
            "eˣ",
        ),
        (
            "<span class=mwe-math-element><img aria-hidden=true alt='{\\displaystyle E=mc^{2}}'></span>",
            "E = mc²",
        ),
        ("<math><msup><mn>10</mn><mn>6</mn></msup><mo>+</mo><mfrac><mn>1</mn><mi>y</mi></mfrac></math>", "10⁶ + 1/y"),
    ],
)
def test_formulas_are_parts_of_their_sentences(formula: str, written: str) -> None:
    assert (
        parse_document("a.html", f"<p>It is {formula} where it ends.</p>".encode()).text
        == f"It is {written} where it ends."
    )


def test_a_table_is_cut_between_its_rows_only() -> None:
    rows = "".join(f"<tr><td>Row {row}</td><td>{'words ' * 20}end {row}</td></tr>" for row in range(60))
    document = parse_document("a.html", f"<table><tr><th>Name</th><th>Said</th></tr>{rows}</table>".encode())
    lines = [line for _, text in passages(document) for line in text.splitlines()]
    assert lines == document.text.splitlines()
    assert lines[:1] == ["Name | Said"]
    assert all(line.startswith(f"Row {row} | ") and line.endswith(f"end {row}") for row, line in enumerate(lines[1:]))
