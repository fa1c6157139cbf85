"""The page of a report: numbers lead to references, formulas are formulas, and strangers write nothing but text."""

import re
from html.parser import HTMLParser

from hypothesis import example, given
from hypothesis import strategies as st

from elcano.activities.report.markdown import escape_markdown, render_link
from elcano.graphs.report.report import Block, CheckedCitation, Part, Reference, Report, Statement
from elcano.service.reports.html_report import FORMULA_CHARACTERS, HEADERS, POLICY, STYLE, render_report_page

OIL = Reference(
    number=1, document="d", title="Oil", source="docs", locators=("https://example.org/oil",), content_hash="0" * 64
)
LIST = f"## References\n\n1. {render_link('Oil', OIL.locators[0])} — docs\n"
VOID = {"meta", "br", "hr", "link", "img", "input"}


def report(
    markdown: str, *, title: str = "T", language: str = "", references: tuple[Reference, ...] = (OIL,)
) -> Report:
    return Report(
        run_id="run",
        question="q",
        title=title,
        markdown=markdown,
        answered=True,
        partial=None,
        model="m",
        references=references,
        citations=(),
        unverified=(),
        language=language,
    )


def body(markdown: str) -> str:
    return (
        render_report_page(report(f"{markdown}\n\n{LIST}"))
        .partition("<main>\n")[2]
        .partition("<h2>References</h2>")[0]
        .strip()
    )


class Tree(HTMLParser):
    """Reads a page and notes tags, links and tags that do not close as they opened."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links.extend(value or "" for name, value in attrs if name == "href")
        self.ids.extend(value or "" for name, value in attrs if name == "id")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def read(html: str) -> Tree:
    tree = Tree()
    tree.feed(html)
    tree.close()
    return tree


def test_bold_in_scripts_without_spaces_may_stand_next_to_punctuation() -> None:
    assert body("结果是**“增加”**的。") == "<p>结果是<strong>“增加”</strong>的。</p>"


def test_numbers_lead_to_references_and_these_to_their_addresses() -> None:
    tree = read(
        render_report_page(report(f"It fell [1]. So (inferred from [1, retracted]). \\[1\\] [2] `[1]`\n\n{LIST}"))
    )
    assert tree.links == ["#reference-1", "#reference-1", "https://example.org/oil"]
    assert tree.ids == ["reference-1"]
    assert not tree.open
    assert not tree.wrong


def test_tables_code_lists_and_quotations_are_what_they_are() -> None:
    shown = body("| A | B |\n|---|:-:|\n| 1 [1] | 2 |\n\n```python\nx[1] < 3\n```\n\n1. a\n   - b\n\n> q")
    assert '<th class="center">B</th>' in shown
    assert '<pre><code class="language-python">x[1] &lt; 3\n</code></pre>' in shown
    assert re.sub(r"\s", "", shown).endswith("<ol><li>a<ul><li>b</li></ul></li></ol><blockquote><p>q</p></blockquote>")


def test_formulas_are_mathml_or_stay_as_they_were_written() -> None:
    shown = body("$\\frac{a}{b}$\n\n$$\nx < y\n$$")
    assert "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>" in shown
    assert '<math display="block">' in shown
    for source in ("\\frac{", "\\text{<b>x</b>}", "\\text{</math><p>x}", "x" * (FORMULA_CHARACTERS + 1), "{" * 4_000):
        tree = read(render_report_page(report(f"${source}$\n\n{LIST}")))
        assert "math" not in tree.tags
        assert tree.ids == ["reference-1"]
        assert not tree.wrong


def test_what_models_often_write_is_a_formula_and_an_unknown_command_is_shown_as_it_was_written() -> None:
    shown = body(r"$\begin{aligned}a&=b\\c&=d\end{aligned}$ and $\arg\max_x f$ and $x \sim y$ and $\text{a\_b }$")
    assert shown.count("<mtr>") == 2
    assert "<mo>arg</mo>" in shown
    assert "<mo>\N{TILDE OPERATOR}</mo>" in shown
    assert "<mtext>a_b&nbsp;</mtext>" in shown
    assert r"<code>\ce{H2O}</code>" in body(r"$\ce{H2O}$")


def test_the_page_allows_nothing_but_its_style() -> None:
    shown = render_report_page(report("x", title="</title><script>alert(1)</script>", language="de-CH"))
    assert '<html lang="de-CH">' in shown
    assert f"<style>{STYLE}</style>" in shown
    assert "<title>&lt;/title&gt;&lt;script&gt;" in shown
    assert "script-src" not in POLICY
    assert "default-src 'none'" in HEADERS["Content-Security-Policy"]
    assert " lang=" not in render_report_page(report("x", language='"><script>'))


def test_a_report_without_references_has_no_numbers() -> None:
    tree = read(render_report_page(report("It fell [1].\n\n1. one\n", references=())))
    assert (tree.links, tree.ids) == ([], [])


@given(st.text(alphabet="ab1[](){}<>!*_`~#>|-+=.:$\\&; \n\"'/^@x", max_size=80) | st.text())
@example("<script>alert(1)</script>")
@example("[x](javascript:alert(1)) [x](data:text/html,x) ![x](https://example.org/spy.png)")
@example('$\\href{javascript:alert(1)}{x}$ $\\text{<img src=x onerror=alert(1)>}$ $\\class{x" onclick="y}{z}$')
@example("[]() [x](b) [x](/b) [x](<>) [x](#a) [x](?q) [x](//example.org)")
@example("</main></body><style>*{}</style><base href=x><meta http-equiv=refresh>")
def test_no_text_is_a_script_or_loads_anything(text: str) -> None:
    for markdown in (text, escape_markdown(text)):
        tree = read(render_report_page(report(f"{markdown}\n\n## Next\n\n{LIST}")))
        assert not tree.tags & {"script", "img", "iframe", "object", "base", "link", "form", "input", "svg"}
        assert not any(name.startswith("on") or name in ("style", "src") for name in tree.attributes)
        assert all(link.startswith(("#reference-", "https://", "http://")) for link in tree.links)
        assert not tree.wrong


def test_a_number_shows_the_words_that_its_sentence_quotes() -> None:
    def statement(text: str, quote: str) -> Statement:
        cited = CheckedCitation(claim=text, evidence="e", quote=quote, verdict="verified", number=1)
        return Statement(text=text, kind="fact", citations=(cited,))

    markdown = "- Oil is *dear* [1]. Oil burns [1]."
    said = (statement("Oil is dear.", 'it costs "12" <b>euro</b>'), statement("Oil burns.", "oil is burnt"))
    block = Block(kind="list", markdown=markdown, statements=said)
    told = report(f"{markdown}\n\n{LIST}").model_copy(update={"parts": (Part(kind="section", blocks=(block,)),)})
    page = render_report_page(told)
    titles = re.findall(r'class="number" href="#reference-1" title="([^"]*)"', page)
    assert titles == ["“it costs &quot;12&quot; &lt;b&gt;euro&lt;/b&gt;”", "“oil is burnt”"]


def test_what_was_searched_for_is_folded() -> None:
    shown = body("## What was searched\n\nSources: docs.\n\nSearched for:\n\n- “oil”\n- “water”")
    folded = "<details>\n<summary>Searched for:</summary>\n<ul>\n<li>“oil”</li>\n<li>“water”</li>\n</ul>\n</details>"
    assert re.sub(r"\s", "", folded) in re.sub(r"\s", "", shown)
