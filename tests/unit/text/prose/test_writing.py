"""Markdown comes out as it went in, and whatever a model writes harms nobody who reads it with another parser."""

import re
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from elcano.text.prose.markdown_parser import CITATION, parse_markdown
from elcano.text.prose.markdown_writer import render_markdown
from elcano.text.prose.statements import extract_statements

COMMONMARK = MarkdownIt("commonmark")
GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])
FORMULAS = MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(dollarmath_plugin, allow_space=False)
MARKDOWN = st.text(alphabet="ab1[](){}<>!*_`~#>|-+=.:$\\&; \n\t\"'/^@", max_size=60)
BARE = re.compile(r"\[\s*\d+\s*\]")
HARMLESS = {
    *("text", "softbreak", "hardbreak", "code_inline", "inline", "fence", "code_block", "hr"),
    *("math_inline", "math_inline_double", "math_block"),
}
OPENING = {"paragraph", "heading", "bullet_list", "ordered_list", "list_item", "blockquote", "em", "strong", "s"}
TABLES = {"table", "thead", "tbody", "tr", "th", "td"}


def said(token: Token) -> str:
    return "[7]" if token.type == CITATION else ""


def rewritten(text: str, *marks: str) -> str:
    tokens = parse_markdown(text, marks)
    extract_statements(tokens)
    return render_markdown(tokens, said, text)


TABLE = """\
| Drug | Rate (95 % CI) | Trials |
|:-----|---------------:|:------:|
| Aspirin | 12 % (p < 0.05) [a] | 3 |
| Placebo | 14 % \\| 15 % | 2 |"""
NESTED = """\
1. First
   - inner *one*
   - inner two
     - innermost
2. Second"""
LOOSE = """\
- one

  more of one

- two"""
CODE = """\
```python
def first(items: list[int]) -> int:
    return items[0]  # <b>not html</b> & [1]


x = 1
```"""
FORMULA = "$$\n\\frac{a_1}{b} = \\sum_{i=0}^{n} x_i\n$$"
INLINE = 'It is $\\frac{a}{b} < c$ and `x[0] = "<b>"` of **R&D**, *so* ~~not~~ 3 * 4.'
QUOTED = "> What they said\n> on two lines.\n>\n> - and a list"


@pytest.mark.parametrize(
    "text",
    [NESTED, LOOSE, CODE, FORMULA, INLINE, QUOTED, "### A heading", "a\\\nb", "~~~\nx\n~~~", "- [ ] open\n- [x] done"],
)
def test_blocks_come_out_as_they_went_in(text: str) -> None:
    assert rewritten(text) == text
    assert rewritten(f"{text}\n\nNext.") == f"{text}\n\nNext."


def test_a_table_keeps_its_delimiters_and_gets_its_numbers() -> None:
    assert rewritten(TABLE, "a") == TABLE.replace("[a]", "[7]")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[x](http://evil.example)", r"\[x\](http:\//evil.example)"),
        ("![x](http://evil.example/spy.png)", r"!\[x\](http:\//evil.example/spy.png)"),
        ("<script>alert(1)</script> &lt;b&gt;", "&lt;script>alert(1)&lt;/script> &lt;b>"),
        ("see www.evil.example", r"see www\.evil.example"),
        ("so they say [1], [2, 3]", r"so they say \[1\], \[2, 3\]"),
        ("`[1]` and ` [2] `", "\\`\\[1\\]\\` and \\`\\[2\\]\\`"),
        ("$[1]$", r"\$\[1\]\$"),
        ("$<img src=x>$", r"\$&lt;img src=x>\$"),
        ("$$\n## References\n$$", "```math\n## References\n```"),
        ("[a](http://evil.example)", r"[7]\(http:\//evil.example)"),
        ("[a]: http://evil.example", r"[7]\: http:\//evil.example"),
        ("wow![a]", r"wow\![7]"),
        ("[a][1]", r"[7]\[1\]"),
        ("x\n=", "### x"),
        ("| a |\n|---|\n| b<br>c<br/>d |", "| a |\n|---|\n| b c d |"),
        ("1986\\. A year", "1986\\. A year"),
    ],
)
def test_what_could_harm_is_text(text: str, shown: str) -> None:
    assert rewritten(text, "a") == shown


@given(MARKDOWN | st.text())
@example("[a]\n(http://x)")
@example("[a]\n: x")
@example("*[a]*(b)")
@example("$`$`")
@example("- [a]\n\n\n  ```\n  x")
@example("> > > - 1. x\n| a |\n|-|\n| b |")
@example("\\\n\\")
@example("| a |\n|-|\n| `|` $x|y$ |")
def test_no_text_is_a_link_an_image_html_or_one_of_our_numbers(text: str) -> None:
    markdown = rewritten(text, "a")
    ours = len(re.findall(r"\[7\]", markdown))
    for parser in (COMMONMARK, GITHUB, FORMULAS):
        env: dict[str, object] = {}
        tokens = parser.parse(f"{markdown}\n\n## Next\n\nEnd.\n", env)
        assert not env.get("references")
        everything = [one for token in tokens for one in (token, *(token.children or ()))]
        kinds = {re.sub("_(open|close)$", "", one.type) for one in everything}
        assert kinds <= HARMLESS | OPENING | TABLES
        assert [one.content for one in tokens[-5:] if one.type == "inline"] == ["Next", "End."]
        assert sum(one.type == "heading_open" and one.tag != "h3" for one in tokens) == 1
    assert len(BARE.findall(re.sub(r"\\\[", "", _outside_code(markdown)))) == ours


def _outside_code(markdown: str) -> str:
    """The source of what is neither code nor a formula."""
    tokens = FORMULAS.parse(markdown)
    return "\n".join(
        re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", one.content, flags=re.S)
        for one in tokens
        if one.type == "inline"
    )


@given(MARKDOWN)
@example("1\n1\n=")
@example("one\\\ntwo  \nthree\n---")
def test_it_means_the_same_as_before_and_stays_the_same(text: str) -> None:
    once = rewritten(text)
    assert rewritten(once) == once
    before, after = (_plain(parse_markdown(one)) for one in (text, once))
    assert after == before


def _plain(tokens: list[Token]) -> list[str]:
    """What is said, line by line, with the kinds of blocks."""
    found = []
    for token in tokens:
        if token.type == "inline":
            words = "".join(
                one.content or " " for one in token.children or () if one.type not in ("em_open", "em_close")
            )
            found.append(" ".join(unescape(words).split()))
        elif token.type.endswith("_open") or token.type in ("fence", "code_block", "math_block"):
            found.append({"code_block": "fence"}.get(token.type, token.type))
    return found
