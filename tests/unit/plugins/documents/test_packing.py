"""How texts are packed into passages; what orders the text around it anew is in no title and no passage."""

from hypothesis import given
from hypothesis import strategies as st

from elcano.activities.passages.document import Block, Parsed, normalize_text
from elcano.activities.passages.packing import (
    CODE_CHARACTERS,
    TAIL_CHARACTERS,
    TARGET_CHARACTERS,
    assemble_document,
)

TEXTS = st.text(alphabet=st.sampled_from("aé. \n!?\u00adﬁ\r\x00x"), max_size=3_000)
BLOCKS = st.builds(
    Block,
    text=TEXTS,
    kind=st.sampled_from(["text", "text", "code", "heading"]),
    level=st.integers(1, 6),
    page=st.integers(0, 3),
)


@given(st.lists(BLOCKS, max_size=12))
def test_passages_are_ordered_parts_of_the_text_that_leave_nothing_out(blocks: list[Block]) -> None:
    document = assemble_document(Parsed(blocks), "name", "text/plain")
    texts = [document.text[passage.start : passage.end] for passage in document.passages]
    assert all(text == text.strip("\n") and text.strip() for text in texts)
    assert all(len(text) <= max(CODE_CHARACTERS, TARGET_CHARACTERS + TAIL_CHARACTERS) for text in texts)
    ends = [0, *(passage.end for passage in document.passages)]
    assert all(end <= passage.start for end, passage in zip(ends, document.passages, strict=False))
    assert bool(document.passages) == bool(document.text)
    headings = [block for block in blocks if block.kind == "heading"]
    if not headings:
        assert "".join("".join(texts).split()) == "".join(document.text.split())


def test_a_passage_never_crosses_a_heading_or_a_page() -> None:
    blocks = [
        Block("One", "heading", 1),
        Block("first"),
        Block("second"),
        Block("Two", "heading", 2),
        Block("third"),
        Block("fourth", page=2),
        Block("Three", "heading", 1),
        Block("fifth"),
    ]
    document = assemble_document(Parsed(blocks), "name", "text/plain")
    assert [(p.heading, document.text[p.start : p.end]) for p in document.passages] == [
        ("One", "first\n\nsecond"),
        ("One > Two", "third"),
        ("One > Two", "fourth"),
        ("Three", "fifth"),
    ]


def test_short_code_stays_whole_and_long_code_is_cut_between_lines() -> None:
    line = "value = compute(value)  # with a remark\n"
    short, long = line * 40, line * 400
    document = assemble_document(Parsed([Block(short, "code"), Block(long, "code")]), "name", "text/plain")
    texts = [document.text[p.start : p.end] for p in document.passages]
    assert texts[0] == short.rstrip()
    assert len(texts) > 3
    assert all(text.startswith("value") and text.endswith("remark") for text in texts)


def test_the_indentation_of_code_survives_a_cut() -> None:
    code = "\n".join("    indented line number " + "x" * 60 for _ in range(60))
    document = assemble_document(Parsed([Block(code, "code")]), "name", "text/plain")
    assert all(document.text[p.start : p.end].startswith("    indented") for p in document.passages)


def test_text_without_spaces_is_cut_anyway() -> None:
    document = assemble_document(Parsed([Block("x" * 5_000)]), "name", "text/plain")
    assert [p.end - p.start for p in document.passages] == [900, 900, 900, 900, 900, 500]


def test_signs_that_reverse_a_text_are_left_out() -> None:
    hebrew = "\u05e9\u05dc\u05d5\u05dd"
    assert normalize_text(f"invoice\u202efdp.exe \u2066a\u2069 {hebrew}\u200f") == f"invoicefdp.exe a {hebrew}"
