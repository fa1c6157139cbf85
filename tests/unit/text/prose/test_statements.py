"""Sentences, items and cells are statements; a mark belongs to the one that it stands in or behind."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from elcano.text.prose.markdown_parser import parse_markdown
from elcano.text.prose.statements import WrittenStatement, extract_statements
from elcano.text.words import sentence_ends


def statements(text: str) -> list[WrittenStatement]:
    return extract_statements(parse_markdown(text, {"a", "b"}))


def told(text: str) -> list[tuple[str, str]]:
    return [(one.text, " ".join(one.marks)) for one in statements(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It fell [a]. It rose [b].", [("It fell.", "a"), ("It rose.", "b")]),
        ("It fell. [a] It rose. [b]", [("It fell.", "a"), ("It rose.", "b")]),
        ("It fell.[a] It rose.[b]", [("It fell.", "a"), ("It rose.", "b")]),
        ("It fell [a], and rose [b]! Why?", [("It fell, and rose!", "a b"), ("Why?", "")]),
        ("Dr. Smith saw 3.5 % [a]. See Fig. 2 [b].", [("Dr. Smith saw 3.5 %.", "a"), ("See Fig. 2.", "b")]),
        ("**It *fell*. It rose** [a].", [("It fell.", ""), ("It rose.", "a")]),
        ("- **Cost.** It is low. Or not [a].", [("Cost. It is low.", ""), ("Or not.", "a")]),
        ("**Cost.** It fell [a].", [("Cost. It fell.", "a")]),
        ("**Cost.** [a] It fell [b].", [("Cost.", "a"), ("It fell.", "b")]),
        ("Call `a. B()` now. Then $x. Y$ [b].", [("Call a. B() now.", ""), ("Then x. Y.", "b")]),
        ("它下降了[a]。它上升了。[b]真的吗!", [("它下降了。", "a"), ("它上升了。", "b"), ("真的吗!", "")]),
        ("Es fiel bzw. sank am 3. Mai [a]. Dann nicht.", [("Es fiel bzw. sank am 3. Mai.", "a"), ("Dann nicht.", "")]),
        ("9 mg/l [a]. Dr. Keller fand das [b].", [("9 mg/l.", "a"), ("Dr. Keller fand das.", "b")]),
        (
            "It fell in B [a]. p53 rose (or C [b]). Why?",
            [("It fell in B.", "a"), ("p53 rose (or C ).", "b"), ("Why?", "")],
        ),
        ("- It fell [a]\n- It rose. Or not [b].", [("It fell", "a"), ("It rose.", ""), ("Or not.", "b")]),
        ("> It fell. [a]\n> It rose.", [("It fell.", "a"), ("It rose.", "")]),
        ("- **Rise:** it rose.", [("Rise: it rose.", "")]),
        ("**It fell.**", [("It fell.", "")]),
        ("### It fell.", []),
        ("```\nIt fell. [a]\n```", []),
        ("[a] It fell.", [("It fell.", "a")]),
        ("[a]", [("[a]", "a")]),
        ("### It fell [b]", [("It fell", "b")]),
        ("| A [a] |\n|---|\n| [b] |", [("A", "a"), ("[b]", "b")]),
        ("", []),
    ],
)
def test_a_mark_belongs_to_its_sentence(text: str, found: list[tuple[str, str]]) -> None:
    assert told(text) == found


def test_cells_know_their_row_and_column() -> None:
    found = statements("| Drug | Rate |\n|---|---|\n| Aspirin [b] | 12 %. Or 13 % [a] |\n| x | |")
    assert [(one.text, one.context, one.marks) for one in found] == [
        ("Aspirin", "Drug", ("b",)),
        ("12 %. Or 13 %", "Aspirin, Rate", ("a",)),
        ("x", "Drug", ()),
    ]


def test_the_name_of_a_row_is_a_cell_also_without_a_heading_above_it() -> None:
    found = statements("| | HTTPX | Requests |\n|---|---|---|\n| HTTP/2 | yes [a] | not stated |")
    assert [(one.text, one.context) for one in found] == [
        ("HTTP/2", "HTTPX, Requests"),
        ("yes", "HTTP/2, HTTPX"),
        ("not stated", "HTTP/2, Requests"),
    ]


def test_an_inference_says_so() -> None:
    assert [one.inferred for one in statements("It fell [a]. So it works [from a, b]. It [FROM a] too.")] == [
        False,
        True,
        True,
    ]


@given(st.text(), st.sampled_from(["", "en", "de", "zh-Hans", "xx", "-", "th"]))
def test_sentences_are_all_of_the_text(text: str, language: str) -> None:
    ends = sentence_ends(text, language)
    assert ends == sorted(set(ends))
    assert ends[-1] == len(text)


@given(st.text(alphabet="A b.[]a*`$|-#\n>!\u3002", max_size=80))
@example("[a] | [a]\n-|-\n[b] | A. [a] B")
def test_no_mark_is_lost(text: str) -> None:
    tokens = parse_markdown(text, {"a", "b"})
    marks = sum(one.type == "citation" for token in tokens for one in token.children or ())
    found = extract_statements(tokens)
    assert sum(len(one.brackets) for one in found) == marks
    placed = [one.meta for token in tokens for one in token.children or () if one.meta]
    assert all(0 <= meta["statement"] < len(found) for meta in placed)
    assert all(one.text == one.text.strip() for one in found)


def test_long_texts_are_told_apart_as_short_ones_are() -> None:
    """They are looked at in pieces, and no piece ends within a word."""
    sentence = "It goes on for a while, as it did before. "
    text = sentence * 2_000
    ends = sentence_ends(text)
    assert ends[-1] == len(text)
    assert len(ends) < 2_020
    assert sum(end % len(sentence) == 0 for end in ends) >= 1_990
    assert all(text[end - 1].isspace() for end in ends)


@pytest.mark.parametrize("text", ["![" * 100_000, "\u3002" * 50_000, "a" * 50_000])
def test_hostile_texts_end(text: str) -> None:
    ends = sentence_ends(text)
    assert ends[-1] == len(text)
    assert ends == sorted(set(ends))
