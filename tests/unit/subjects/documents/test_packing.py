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
from elcano.graphs.report.places import Box, Cell, Line

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
    document = assemble_document(Parsed(list(blocks)), "name", "text/plain")
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
    document = assemble_document(Parsed(list(blocks)), "name", "text/plain")
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


def pack(*blocks: Block) -> list[str]:
    document = assemble_document(Parsed(list(blocks)), "name", "text/plain")
    return [document.text[one.start : one.end] for one in document.passages]


LONG = Block("Ladders are checked for cracks every spring before anybody climbs them. " * 12)
ROWS = [f"Ladder {number} | {number} m | {number % 7} cracks" for number in range(60)]
TABLE = Block("\n".join(["Ladder | Height | Cracks", *ROWS]), "table")


def test_a_table_stays_with_its_caption_and_the_notes_below_it() -> None:
    caption, note = Block("Table 1. Ladders by height", "caption"), Block("Cracks were counted twice.", "note")
    other = Block("Table 2. Ropes", "caption")
    texts = pack(LONG, caption, TABLE, note, LONG, other, Block("Rope | Age", "table"))
    assert texts[1] == f"{caption.text}\n\n{TABLE.text}\n\n{note.text}"
    assert texts[2:] == [f"{LONG.text.strip()}\n\nTable 2. Ropes\n\nRope | Age"]


def test_a_caption_below_a_table_is_that_of_the_table_above_unless_another_follows() -> None:
    below = Block("Table 1: heights of ladders", "caption")
    assert pack(LONG, TABLE, below, LONG)[1] == f"{TABLE.text}\n\n{below.text}"
    above = Block("Table 2: their cracks", "caption")
    first, second = pack(below, TABLE, above, TABLE)
    assert first == f"{below.text}\n\n{TABLE.text}"
    assert second == f"{above.text}\n\n{TABLE.text}"


def test_a_long_table_is_cut_between_rows_and_its_parts_know_the_head() -> None:
    rows = [f"Ladder {number} | {number} m | {number % 7} cracks in the spring" for number in range(400)]
    table = Block("\n".join(["Ladder | Height | Cracks", *rows]), "table")
    document = assemble_document(Parsed([Block("Table 1. Ladders", "caption"), table]), "name", "text/plain")
    first, *rest = document.passages
    assert document.text[first.start : first.end].startswith("Table 1. Ladders\n\nLadder | Height | Cracks\nLadder 0 |")
    assert first.head == ""
    assert {one.head for one in rest} == {"Ladder | Height | Cracks"}
    lines = [line for one in rest for line in document.text[one.start : one.end].splitlines()]
    assert set(lines) < set(rows)


def test_the_head_of_a_table_is_the_rows_that_are_marked() -> None:
    rows = ["Ladder | Height", " | m", *(f"Ladder {number} | {number} and a half" for number in range(400))]
    cells, offset = [], 0
    for number, row in enumerate(rows):
        first, second = row.split(" | ")
        cells.append(Cell(offset, offset + len(first), number, 0, head=True))
        start = offset + len(first) + 3
        cells.append(Cell(start, start + len(second), number, 1, head=number < 2))
        offset += len(row) + 1
    document = assemble_document(Parsed([Block("\n".join(rows), "table", cells=tuple(cells))]), "name", "text/plain")
    assert {one.head for one in document.passages[1:]} == {"Ladder | Height\n | m"}


def test_text_is_cut_after_sentences_and_not_after_initials() -> None:
    text = "Resistance was found in A. baumannii and A. lwoffii by M. J. Smith et al. in 1999, i.e. early. " * 40
    texts = pack(Block(text))
    assert len(texts) > 3
    assert all(one.startswith("Resistance") and one.endswith("early.") for one in texts)


def test_a_list_stays_with_what_announces_it() -> None:
    lead = Block("Before a ladder is used on board, these are looked at by the mate, in this order and without haste:")
    items = Block("\n".join(f"- rung number {number}" for number in range(30)), "list")
    assert pack(LONG, lead, items, LONG)[1].startswith(f"{lead.text}\n\n- rung number 0")


def test_notes_and_comments_are_passages_of_their_own() -> None:
    note, comment = Block("Only in winter.", "note"), Block("Is that so?", "comment")
    assert pack(Block("Ladders are checked."), note, comment, Block("Ropes are replaced.")) == [
        "Ladders are checked.",
        note.text,
        comment.text,
        "Ropes are replaced.",
    ]


def test_a_passage_goes_on_to_the_next_page_with_its_paragraph_only() -> None:
    box = Box(0.1, 0.1, 0.9, 0.2)
    text = "Ladders are checked for cracks and ropes are replaced."
    across = Block(text, page=3, lines=(Line(0, 30, 3, box), Line(31, len(text), 4, box)))
    blocks = [Block("On page three.", page=3), across, Block("On page four.", page=4), Block("On page five.", page=5)]
    document = assemble_document(Parsed(list(blocks)), "name", "application/pdf")
    first, second = document.passages
    assert (first.page, first.last_page, second.page, second.last_page) == (3, 4, 5, 0)
    assert document.text[first.start : first.end].endswith("On page four.")


def test_of_a_long_heading_nothing_is_lost() -> None:
    heading = " ".join(f"word{number}" for number in range(60))
    document = assemble_document(Parsed([Block(heading, "heading", 1), LONG]), "name", "text/plain")
    assert heading in document.text
    assert document.text[document.passages[0].start :].startswith(heading)
    assert len(document.passages[0].heading) <= 200
    assert document.passages[0].heading.removesuffix("…").rstrip() in heading
    assert not document.title.removesuffix("…").endswith("wor")
