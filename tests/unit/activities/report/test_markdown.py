"""Whatever strangers write is shown as they wrote it, by a real Markdown parser, and never as anything of ours."""

import re
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from elcano.activities.report.markdown import escape_markdown, render_link, render_locator, sanitize_markdown

COMMONMARK = MarkdownIt("commonmark")
GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])

MARKUP = st.text(alphabet="ab1.)-+#>*_~`[]()!<>&;\\|=: \t\n\"'/$", max_size=40)
BARE_NUMBER = re.compile(r"(?<!\\)\[\d+\]")


def one_line(text: str) -> str:
    return " ".join(text.split())


@given(MARKUP | st.text())
@example("- a")
@example("1. a")
@example("# a")
@example("===")
@example("* * *")
@example("```")
@example("[1]")
@example("&lt;b&gt;")
@example("<script>alert(1)</script>")
def test_plain_text_is_shown_as_it_reads(text: str) -> None:
    shown = one_line(text).replace("\0", "\ufffd")
    for prefix, before, after in (("", "<p>", "</p>"), ("- ", "<ul>\n<li>", "</li>\n</ul>"), ("x ", "<p>x ", "</p>")):
        html = GITHUB.render(f"{prefix}{escape_markdown(text)}").strip()
        if shown:
            assert unescape(html) == f"{before}{shown}{after}"
            assert re.findall(r"<[^>]*>", html) == re.findall(r"<[^>]*>", f"{before}{after}")


@given(MARKUP)
def test_prose_has_no_more_markup_than_emphasis_and_code(text: str) -> None:
    html = GITHUB.render(sanitize_markdown(text))
    tags = set(re.findall(r"</?([a-z0-9]+)[^>]*>", html))
    assert tags <= {"p", "em", "strong", "code", "s"}
    assert html.count("<p>") <= 1
    assert not BARE_NUMBER.search(sanitize_markdown(text))


@given(MARKUP, MARKUP)
def test_no_text_reaches_into_what_follows(first: str, second: str) -> None:
    for text in (escape_markdown(first), sanitize_markdown(first), render_link(first, second), render_locator(second)):
        html = COMMONMARK.render(f"{text}\n\n## Next\n\nEnd [1]\n")
        assert html.endswith("<h2>Next</h2>\n<p>End [1]</p>\n")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**Bold** and *slanted* `code_here`.", "<strong>Bold</strong> and <em>slanted</em> <code>code_here</code>."),
        ("use `list[int]`", "use `list[int]`"),
        ("![x](http://example.org/spy.png)", "![x](http://example.org/spy.png)"),
        ("so they say [1][2]", "so they say [1][2]"),
        (r"so they say \[1\]", "so they say [1]"),
        ("R&D &#91;1&#93;", "R&amp;D &amp;#91;1&amp;#93;"),
        ("<b>x</b> <!-- y", "&lt;b&gt;x&lt;/b&gt; &lt;!-- y"),
        ("```python", "```python"),
        ("- one\n- two", "- one - two"),
    ],
)
def test_prose_is_disarmed(text: str, html: str) -> None:
    assert COMMONMARK.render(sanitize_markdown(text)) == f"<p>{html}</p>\n"


@pytest.mark.parametrize(
    ("title", "locator", "html"),
    [
        (
            "A [draft]\nof <b>",
            "https://example.org/a b?x=(1)&y=[2]",
            '<a href="https://example.org/a%20b?x=(1)&amp;y=%5B2%5D"><strong>A [draft] of &lt;b&gt;</strong></a>',
        ),
        ("x", "https://example.org/>) <b>", '<a href="https://example.org/%3E)%20%3Cb%3E"><strong>x</strong></a>'),
        ("", "https://example.org/", '<a href="https://example.org/"><strong>untitled</strong></a>'),
        ("Guide", "docs/my_guide.md#intro", "<strong>Guide</strong> (docs/my_guide.md#intro)"),
        ("Guide", "", "<strong>Guide</strong>"),
        ("Guide", "javascript:alert(1)", "<strong>Guide</strong> (javascript:alert(1))"),
    ],
)
def test_links_lead_only_to_web_addresses(title: str, locator: str, html: str) -> None:
    assert COMMONMARK.render(render_link(title, locator)) == f"<p>{html}</p>\n"


def test_a_place_is_a_link_or_its_own_text() -> None:
    assert COMMONMARK.render(render_locator("https://example.org/_x_")) == (
        '<p><a href="https://example.org/_x_"><strong>https://example.org/_x_</strong></a></p>\n'
    )
    assert render_locator("a_b.md, page 3") == "a_b.md, page 3"


def test_a_number_as_a_title_is_no_citation() -> None:
    assert not BARE_NUMBER.search(render_link("1", "https://example.org/"))


def test_code_with_brackets_leaves_the_code_behind_it_whole() -> None:
    text = "[`a`](https://x.example): `b[c]`, which has `d`."
    assert sanitize_markdown(text) == "\\[`a`\\](https://x.example): \\`b\\[c\\]\\`, which has `d`."
