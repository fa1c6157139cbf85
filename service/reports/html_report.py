"""A report as one self-contained page of HTML, made of its Markdown, so that both say the same.

Numbers lead to their references, show the words that they stand for when pointed at, and references lead to their
addresses; no other link is left. The page has no script and loads
nothing: its policy allows its own style and no more. What is not on the list of tags and attributes is taken out.

How the page of a report looks: dark and light as its reader has it, and black on white on paper.
"""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape
from itertools import pairwise
from typing import Any, Final
from xml.etree import ElementTree

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.dollarmath import dollarmath_plugin

from elcano.graphs.report.report import Report
from elcano.service.reports.numbered_statements import keep_letters
from elcano.service.reports.statement_spans import StatementIndex, add_statement_spans
from elcano.text.prose.markdown_parser import use_unspaced_emphasis
from elcano.text.tex_formulas import BARE_DIGIT

STYLE: Final = """
:root{color-scheme:light dark;--text:#1c2024;--quiet:#5b646d;--line:#d7dce0;--ground:#fff;--shade:#f5f7f8;
--link:#0b5cad}
@media (prefers-color-scheme:dark){:root{--text:#e4e7ea;--quiet:#9aa4ad;--line:#3a4148;--ground:#15181b;--shade:#1f2429;
--link:#7db7f2}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:17px/1.6 Charter,Georgia,Cambria,serif}
main{max-width:46rem;margin:0 auto;padding:2.5rem 1.25rem 5rem;overflow-wrap:break-word}
h1,h2,h3{line-height:1.25;font-family:system-ui,sans-serif}
h1{font-size:1.9rem;margin:0 0 1.25rem}
h2{font-size:1.35rem;margin:2.5rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--line)}
h3{font-size:1.1rem;margin:1.75rem 0 .5rem}
a{color:var(--link)}
a.number{text-decoration:none;font-size:.85em}
li:target{background:var(--shade);outline:2px solid var(--link);outline-offset:3px}
blockquote{margin:1.25rem 0;padding:.1rem 1rem;border-left:3px solid var(--line);color:var(--quiet)}
table{display:block;overflow-x:auto;border-collapse:collapse;margin:1.25rem 0;font-size:.93em}
th,td{border:1px solid var(--line);padding:.4rem .65rem;text-align:start;vertical-align:top}
th{background:var(--shade)}
figure{margin:1.5rem 0}
figcaption{font:.9rem/1.5 system-ui,sans-serif;color:var(--quiet)}
figure img{display:block;max-width:100%;height:auto;border:1px solid var(--line)}
mark{background:#ffe08a;color:#1c2024}
svg{display:block;width:100%;height:auto;margin:1.25rem 0}
.left{text-align:left}.right{text-align:right}.center{text-align:center}
pre{overflow-x:auto;background:var(--shade);padding:.85rem 1rem;border-radius:4px}
code{font:.88em/1.5 ui-monospace,Menlo,Consolas,monospace}
:not(pre)>code{background:var(--shade);padding:.1em .3em;border-radius:3px}
.math.block{display:block;overflow-x:auto;margin:1.25rem 0}
hr{border:0;border-top:1px solid var(--line);margin:2rem 0}
@media print{:root{color-scheme:light;--text:#000;--quiet:#333;--line:#999;--ground:#fff;--shade:#f3f3f3;--link:#000}
body{font-size:11pt}main{max-width:none;padding:0}h1,h2,h3{break-after:avoid}
pre,table,blockquote,li,figure{break-inside:avoid}table{display:table}pre{white-space:pre-wrap}
a[href^=http]::after{content:" (" attr(href) ")";font-size:.85em;overflow-wrap:anywhere}}
"""


POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'; "
    "base-uri 'none'; form-action 'none'"
)
"""Content Security Policy of the page: only its own style."""
WITH_PICTURES: Final = f"{POLICY}; img-src data:"
"""The same of a page with pictures of pages in it."""
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""The headers of the page."""
QUOTES_CHARACTERS: Final = 1_200
"""Maximum length of the quotes that a number shows on hover."""
FORMULA_CHARACTERS: Final = 5_000
"""A longer formula is shown as it was written."""

_CITATION: Final = "reference_number"
_KNOWN: Final = "numbers"
_QUOTES: Final = "quotes"
_AS_THE_LIBRARY_WRITES: Final = (
    (re.compile(r"\\(begin|end)\{(?:aligned|split|gathered)\}"), r"\\\1{align*}"),
    (re.compile(r"\\(arg|sgn)(?![A-Za-z])"), r"\\operatorname{\1}"),
    BARE_DIGIT,
)
"""Common TeX that latex2mathml does not know, as what it does know."""
_NAMESPACE: Final = "{http://www.w3.org/1998/Math/MathML}"
_NUMBER: Final = re.compile(r"\[(\d{1,6})(, [^\[\]\n]{1,80})?\](?!\()")
_PICTURES: Final = "pictures"
_PICTURE: Final = re.compile(r"!\[(?P<title>(?:\\.|[^\[\]\\\n]){1,1000})\]\((?P<path>[\w/.-]{1,100})\)", re.ASCII)
_ESCAPED: Final = re.compile(r"\\(.)")
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}")
_ALIGNED: Final = re.compile(r"text-align:(left|right|center)")
_MATHML: Final = frozenset(
    {
        *("math", "menclose", "merror", "mfenced", "mfrac", "mi", "mlabeledtr", "mn", "mo", "mover", "mpadded"),
        *("mphantom", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable"),
        *("mtd", "mtext", "mtr", "munder", "munderover", "mmultiscripts", "mprescripts", "none"),
    }
)
_OF_MATHML: Final = frozenset(
    {
        *("accent", "accentunder", "columnalign", "columnlines", "columnspacing", "depth", "display"),
        *("displaystyle", "fence", "form", "height", "largeop", "linethickness", "lspace", "mathvariant"),
        *("maxsize", "minsize", "movablelimits", "notation", "rowlines", "rowspacing", "rspace", "scriptlevel"),
        *("separator", "stretchy", "symmetric", "voffset", "width"),
    }
)
_PAINT: Final = ("fill", "stroke", "stroke-width", "opacity")
_OF_SVG: Final[dict[str, frozenset[str]]] = {
    "svg": frozenset({"viewBox", "role", "aria-labelledby", "font-family", "font-size", "fill", "stroke"}),
    "title": frozenset({"id"}),
    "desc": frozenset({"id"}),
    "g": frozenset({"transform", *_PAINT}),
    "path": frozenset({"transform", "d", *_PAINT}),
    "rect": frozenset({"transform", "x", "y", "width", "height", *_PAINT}),
    "text": frozenset({"transform", "x", "y", "text-anchor", "font-family", "font-size", "font-weight", *_PAINT}),
    "line": frozenset({"transform", "x1", "y1", "x2", "y2", "stroke-dasharray", *_PAINT}),
    "polygon": frozenset({"points"}),
}
"""All that a plot or a chart consists of; everything else, scripts and styles first, is taken out."""
_TAGS: Final = frozenset(
    {
        *("a", "blockquote", "br", "code", "details", "div", "em", "h1", "h2", "h3", "hr", "li", "ol", "p", "pre", "s"),
        *("span", "strong", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul"),
    }
)
_ATTRIBUTES: Final[dict[str, set[str]]] = {
    "a": {"href", "class", "title"},
    "code": {"class"},
    "div": {"class"},
    "li": {"id"},
    "ol": {"start"},
    "span": {"class", "id"},
    "td": {"class"},
    "th": {"class"},
    **{tag: set(_OF_MATHML) for tag in _MATHML},
}


def render_report_page(report: Report, pictures: Mapping[str, str | None] | None = None, appendix: str = "") -> str:
    """The page of `report`.

    Args:
        report: what it shows.
        pictures: its pictures (SVG that code drew) by their paths; None: the title replaces it.
        appendix: HTML that code made, below the references, perhaps with pictures as data.
    """
    numbers = frozenset(reference.number for reference in report.references)
    statements = StatementIndex(report)
    env: dict[str, object] = {
        _KNOWN: numbers,
        _PICTURES: dict(pictures or {}),
        _QUOTES: statements,
    }
    tokens = _MARKDOWN.parse(report.markdown, env)
    add_statement_spans(tokens, statements.find, _CITATION)
    _fold_queries(tokens)
    _set_alignment_classes(tokens)
    if numbers:
        _add_reference_anchors(tokens)
    import nh3

    body = nh3.clean(
        _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, env),
        tags=set(_TAGS | _MATHML | _OF_SVG.keys()),
        attributes={**_ATTRIBUTES, **{tag: set(named) for tag, named in _OF_SVG.items()}},
        attribute_filter=_keep_safe_link,
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer nofollow",
        strip_comments=True,
    )
    language = f' lang="{report.language}"' if _LANGUAGE.fullmatch(report.language) else ""
    return (
        f'<!DOCTYPE html>\n<html{language}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(WITH_PICTURES if appendix else POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f'<body dir="auto">\n<main>\n{body}{appendix}</main>\n</body>\n</html>\n'
    )


def _parse_reference_number(state: StateInline, silent: bool) -> bool:
    """Markdown rule for the number of a reference in bare brackets, which only code writes."""
    found = _NUMBER.match(state.src, state.pos, state.posMax)
    if found is None or int(found[1]) not in state.env.get(_KNOWN, ()):
        return False
    if not silent:
        token = state.push(_CITATION, "a", 0)
        token.content = found[0]
        token.meta = {"number": int(found[1]), "quotes": _find_quotes(state, int(found[1]))}
    state.pos = found.end()
    return True


def _find_quotes(state: StateInline, number: int) -> str:
    """Return the quotes that a number represents: those of the statement before it, else those of its block."""
    statements = state.env[_QUOTES].find(state.src) if _QUOTES in state.env else ()
    cited = [one for one in statements if any(quote.number == number for quote in one.statement.citations)]
    before = keep_letters(_NUMBER.sub("", state.src[: state.pos]))
    ends = [one for one in cited if before.endswith(one.letters)]
    quotes = dict.fromkeys(
        (quote.quote, quote.printed_page)
        for one in ends[-1:] or cited
        for quote in one.statement.citations
        if quote.number == number
    )
    text = "\n".join(
        f"\u201c{' '.join(quote.split())}\u201d{f' (p. {page})' if page else ''}" for quote, page in quotes
    )
    return text if len(text) <= QUOTES_CHARACTERS else f"{text[: QUOTES_CHARACTERS - 1]}\u2026"


def _fold_queries(tokens: list[Token]) -> None:
    """The list of what was searched for, which is above the references, is folded under the words before it."""
    headings = [place for place, one in enumerate(tokens) if one.type == "heading_open" and one.level == 0]
    for begin, end in list(pairwise((*headings, len(tokens))))[-3:]:
        lists = [at for at in range(begin, end) if tokens[at].type == "bullet_list_open" and tokens[at].level == 0]
        if not lists or lists[0] - begin < 4 or not tokens[lists[0] - 2].content.endswith((":", "\uff1a")):
            continue
        opening, closing = tokens[lists[0] - 3], tokens[lists[0] - 1]
        opening.tag = closing.tag = "summary"
        ending = next(at for at in range(lists[0], end) if tokens[at].type == "bullet_list_close")
        tokens.insert(ending + 1, Token("details_close", "details", -1, block=True))
        tokens.insert(lists[0] - 3, Token("details_open", "details", 1, block=True))
        return


def _shown_number(
    renderer: RendererProtocol, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    token = tokens[at]
    shown = escape(token.content.replace("\\", ""))
    quotes = escape(token.meta["quotes"])
    title = f' title="{quotes}"' if quotes else ""
    return f'<a class="number" href="#reference-{token.meta["number"]}"{title}>{shown}</a>'


def _parse_picture(state: StateInline, silent: bool) -> bool:
    """The rule: a picture that code drew, which is in the page itself, or its title where there is none."""
    found = _PICTURE.match(state.src, state.pos, state.posMax)
    if found is None or found["path"] not in state.env[_PICTURES]:
        return False
    if not silent:
        token = state.push(_PICTURES, "svg", 0)
        token.content = found["title"]
        token.meta = {"path": found["path"]}
    state.pos = found.end()
    return True


def _shown_picture(
    renderer: RendererProtocol, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    token = tokens[at]
    drawn: str | None = env[_PICTURES][token.meta["path"]]
    return drawn or f"<em>{escape(_ESCAPED.sub(lambda one: one[1], token.content))}</em>"


def _render_mathml(source: str, options: dict[str, Any]) -> str:
    """A formula as MathML; as it was written, in code, if it is none that can be read."""
    written = f"<code>{escape(source)}</code>"
    if len(source) > FORMULA_CHARACTERS:
        return written
    from latex2mathml.converter import convert

    known = source.strip()
    for pattern, replacement in _AS_THE_LIBRARY_WRITES:
        known = pattern.sub(replacement, known)
    try:
        tree = ElementTree.fromstring(convert(known, display="block" if options["display_mode"] else "inline"))
    except Exception:  # its errors have no base of their own, and what a model wrote may break it anywhere
        return written
    for element in tree.iter():
        element.tag = element.tag.removeprefix(_NAMESPACE)
        if element.tag == "mtext":
            element.text = _ESCAPED.sub(lambda one: one[1], element.text or "")
        elif element.text == "~":  # what it makes of `\sim`
            element.tag, element.text = "mo", "\N{TILDE OPERATOR}"
    if any(one.tag not in _MATHML or (one.text or "").startswith("\\") for one in tree.iter()):
        return written
    return ElementTree.tostring(tree, encoding="unicode")  # texts within it are not escaped before this


def _set_alignment_classes(tokens: Sequence[Token]) -> None:
    """Columns are aligned by classes: the policy allows no styles of elements."""
    for token in tokens:
        style = token.attrs.pop("style", None)
        if style is not None and (found := _ALIGNED.fullmatch(str(style))):
            token.attrSet("class", found[1])


def _add_reference_anchors(tokens: Sequence[Token]) -> None:
    """The items of the lists under the last heading, the references, can be led to by their numbers."""
    headings = [place for place, one in enumerate(tokens) if one.type == "heading_open" and one.level == 0]
    for token in tokens[headings[-1] :] if headings else ():
        if token.type == "list_item_open" and token.level == 1:
            token.attrSet("id", f"reference-{token.info}")


def _keep_safe_link(tag: str, attribute: str, value: str) -> str | None:
    """An attribute, if it is no link that leads nowhere: to an empty address, or to one within the site."""
    leads = attribute != "href" or value.startswith(("#reference-", "https://", "http://"))
    return value if leads else None


def _build_page_parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False})
    made.enable(["table", "strikethrough"])
    made.disable(["reference", "html_block", "html_inline", "autolink", "image"])
    made.use(dollarmath_plugin, allow_space=False, allow_labels=False, double_inline=True, renderer=_render_mathml)
    made.inline.ruler.before("link", _CITATION, _parse_reference_number)
    made.inline.ruler.before("link", _PICTURES, _parse_picture)
    use_unspaced_emphasis(made)
    made.add_render_rule(_CITATION, _shown_number)
    made.add_render_rule(_PICTURES, _shown_picture)
    made.parse(
        "*a*", {_PICTURES: {}}
    )  # it makes its rules ready at its first use, and threads that meet there miss some
    return made


_MARKDOWN: Final = _build_page_parser()
