"""Elements of a page that no one sees, or that are struck out, are taken out of its tree.

What counts is what a browser shows: attributes and inline styles that hide, rules of the page's own style sheets for
one class or id, and classes that frameworks hide. A closed `<details>` is kept, since a click shows it.
"""

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

_CANDIDATES: Final = (
    ":is([hidden], [style], [class], [id], [aria-hidden=true], template, noscript, style, del, s, strike, dialog,"
    " script:not([type='application/ld+json']))"
)
"""`:is` gives each element once, a plain list once for each selector that it matches."""
_NEVER_SHOWN: Final = frozenset({"template", "noscript", "style", "script", "del", "s", "strike"})
_WHOLE_PAGE: Final = frozenset({"html", "body"})
"""A page that is hidden as a whole is shown by its scripts in the end."""
_HIDING: Final = re.compile(
    r"(?:^|[;{\s])(?:"
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0?\.?0*\s*(?:%|;|!|$)"
    r"|font-size\s*:\s*(?:0*\.?0+(?![.\d])|[01](?:\.\d{1,3})?(?:px|pt)|0?\.\d{1,3}(?:px|pt))|color\s*:\s*transparent"
    r"|text-decoration(?:-line)?\s*:[^;]{0,60}line-through"
    r"|clip-path\s*:\s*inset\(\s*(?:50|100)%|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]"
    r"|text-indent\s*:\s*-\d{3,}|(?:left|right|top)\s*:\s*-\d{4,}px"
    r")",
    re.IGNORECASE,
)
_NO_SIZE: Final = re.compile(r"(?:^|[;\s])(?:max-)?(?:width|height)\s*:\s*[01](?:px)?\s*(?:;|!|$)", re.IGNORECASE)
_CLIPPED: Final = re.compile(r"overflow\s*:\s*hidden", re.IGNORECASE)
_COLOUR: Final = re.compile(
    r"(?:^|[;\s])(background(?:-color)?|color)\s*:\s*(#[0-9a-f]{3,6}|[a-z]{3,20})\b", re.IGNORECASE
)
_HIDDEN_CLASSES: Final = frozenset(
    "sr-only visually-hidden visuallyhidden visually_hidden screen-reader-text screenreader-text screen-reader-only "
    "sr_only u-visually-hidden u-hiddenvisually element-invisible element-hidden hide-visually assistive-text "
    "accessibly-hidden a11y-hidden offscreen is-visually-hidden usa-sr-only govuk-visually-hidden cdk-visually-hidden "
    "mw-editsection MathJax_Preview".lower().split()
)
_MAYBE_HIDDEN_CLASSES: Final = frozenset({"d-none", "hidden", "is-hidden", "hide"})
_SHOWN_ELSEWHERE: Final = re.compile(
    r"(?:^|\s)(?:\w{2,8}:|d-(?:\w{2,3}-)?)(?:block|flex|grid|inline|table)", re.IGNORECASE
)
"""Classes of frameworks that show an element on screens of some size."""
_INLINE: Final = frozenset(
    [
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "cite",
        "code",
        "data",
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
        "sub",
        "sup",
        "time",
        "u",
        "var",
    ]
)
_ICON: Final = re.compile(
    r"(?:^|[\s_-])(?:icons?|fa|fas|far|fab|glyphicons?|anchor|octicon|headerlink)(?:$|[\s_-])", re.I
)
_BRACE: Final = re.compile("[{}]")
_NAME: Final = re.compile(r"[.#][\w-]{1,80}")
_SIMPLE: Final = re.compile(r"(?:[a-z][a-z0-9]{0,9})?([.#][\w-]{1,80})", re.IGNORECASE)
_SHEET_CHARACTERS: Final = 200_000
"""Length of style sheets that is searched for rules that hide; real pages carry less, and what hides comes early."""
_COMMENT: Final = re.compile(r"/\*[^*]{0,5000}\*/", re.DOTALL)


_IN_HEADINGS: Final = ", ".join(f"h{level} a[href]" for level in range(1, 7))
_PERMALINKS: Final = frozenset({"#", "\u00b6", "\u00a7", "\U0001f517", "\uf0c1"})
"""Links next to a heading that show on hovering and lead to it."""


def remove_unseen(tree: LexborHTMLParser, root: LexborNode, *, scripted: bool = False) -> None:
    """Take out of the tree what a browser does not show below `root`, and what is struck out.

    Args:
        tree: the page.
        root: the element to search.
        scripted: leave what style sheets hide until a script has run, and what is there for browsers without scripts.
    """
    hidden = frozenset() if scripted else _list_hidden_names(tree)
    marks = [node for node in root.css(_IN_HEADINGS) if node.text().strip() in _PERMALINKS]
    for mark in reversed(marks):
        mark.decompose()
    unseen = [
        node for node in root.css(_CANDIDATES) if not (scripted and node.tag == "noscript") and _is_unseen(node, hidden)
    ]
    # In the order of the page outer elements come first: backwards, none is touched after it was freed with another.
    for node in reversed(unseen):
        node.decompose()


def _is_unseen(node: LexborNode, hidden: frozenset[str]) -> bool:
    tag = node.tag or ""
    if tag in _WHOLE_PAGE:
        return False
    if tag in _NEVER_SHOWN:
        return True
    attributes = node.attributes
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    if tag == "dialog" and "open" not in attributes:
        return True
    if (style := attributes.get("style")) and _hides(style):
        return True
    classes = attributes.get("class") or ""
    if attributes.get("aria-hidden") == "true" and _is_hidden_from_all(tag, classes):
        return True
    names = classes.lower().split()
    if not _HIDDEN_CLASSES.isdisjoint(names):
        return True
    if not _MAYBE_HIDDEN_CLASSES.isdisjoint(names) and not _SHOWN_ELSEWHERE.search(classes):
        return True
    if not hidden:
        return False
    return f"#{attributes.get('id')}" in hidden or any(f".{name}" in hidden for name in classes.split())


def _is_hidden_from_all(tag: str, classes: str) -> bool:
    """Whether an element that is hidden from screen readers is hidden from eyes as well.

    Within a line it is there to be seen, as the figure that another element spells out. A block of this kind is a menu
    or a window that a script shows.
    """
    return tag not in _INLINE or _ICON.search(classes) is not None


def _hides(style: str) -> bool:
    if _HIDING.search(style) or (_CLIPPED.search(style) and _NO_SIZE.search(style)):
        return True
    colours = {name.lower()[:5]: value.lower() for name, value in _COLOUR.findall(style)}
    return len(colours) == 2 and len(set(colours.values())) == 1


def _list_hidden_names(tree: LexborHTMLParser) -> frozenset[str]:
    """The classes and ids, with their mark, that a rule of the page hides and none shows again."""
    hidden: set[str] = set()
    left = _SHEET_CHARACTERS
    for sheet in tree.css("style"):
        media = sheet.attributes.get("media") or ""
        if left <= 0 or media.lower() not in ("", "all", "screen"):
            continue
        rules = sheet.text()[:left]
        left -= len(rules)
        for name, hides in _parse_rules(rules):
            if hides:
                hidden.add(name)
            else:
                hidden.discard(name)
    return frozenset(hidden)


def _parse_rules(sheet: str) -> Iterator[tuple[str, bool]]:
    """The classes and ids that rules name alone, and whether they hide them; rules for media are passed over."""
    for selectors, declarations in _split_rules(_COMMENT.sub(" ", sheet)):
        hides = _hides(declarations)
        if not hides and "display" not in declarations:
            continue
        for selector in selectors.split(","):
            if not hides:  # whatever shows one of this name under some condition: a script, a state
                yield from ((name, False) for name in _NAME.findall(selector))
            elif simple := _SIMPLE.fullmatch(selector.strip()):
                yield simple[1], True


def _split_rules(sheet: str) -> Iterator[tuple[str, str]]:
    """The selectors and declarations of the rules that are in no other one."""
    depth = start = 0
    selectors = ""
    for brace in _BRACE.finditer(sheet):
        between = sheet[start : brace.start()]
        start = brace.end()
        if brace[0] == "{":
            selectors = between.rpartition(";")[2] if depth == 0 else ""
            depth += 1
        else:
            if depth == 1 and selectors and not selectors.lstrip().startswith("@"):
                yield selectors, between
            depth = max(depth - 1, 0)
