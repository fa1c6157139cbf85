"""The source of LaTeX before it is read: comments out, macros of the file replaced, and arguments found."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

VERBATIM: Final = "\ue00a"
"""A character for private use, which no source has."""
MOST_MACROS: Final = 2_000
MOST_EXPANDED: Final = 20_000_000
"""Characters that the macros of a file may become: one macro may call another twice, and so on."""
_ROUNDS: Final = 8
"""Maximum passes to replace macros within macros."""
_COMMENT: Final = re.compile(r"(?<!\\)((?:\\\\){0,20})%[^\n]*\n?[ \t]*")
_LEFT_OUT: Final = re.compile(
    r"\\begin\{comment\}.{0,100000}?\\end\{comment\}|\\iffalse\b.{0,100000}?\\fi\b", re.DOTALL
)
_VERBATIM: Final = re.compile(
    r"\\begin\{(verbatim\*?|Verbatim|lstlisting|minted|alltt)\}(.{0,100000}?)\\end\{\1\}", re.DOTALL
)
COMMAND: Final = re.compile(r"\\(?:([A-Za-z@]+)\*?|(.))", re.DOTALL)
_DEFINITION: Final = re.compile(
    r"\\(?:(?:re|provide)?newcommand|providecommand|renewcommand|DeclareRobustCommand)\*?\s{0,9}\{?\s{0,9}\\([A-Za-z@]{1,60})"
    r"\s{0,9}\}?\s{0,9}(?:\[(\d)\])?\s{0,9}(?:\[([^\[\]]{0,200})\])?\s{0,9}(?=\{)"
    r"|\\def\s{0,9}\\([A-Za-z@]{1,60})((?:#\d){0,9})\s{0,9}(?=\{)"
    r"|\\DeclareMathOperator\*?\s{0,9}\{\s{0,9}\\([A-Za-z@]{1,60})\s{0,9}\}\s{0,9}(?=\{)"
)

_LIST_HEAD: Final = re.compile(r"\\begin\{enumerate\}(?:\[[^\[\]]{0,100}\])?\s{0,9}\Z")


class Macro(NamedTuple):
    """A command that a file defines."""

    arguments: int
    default: str | None
    body: str


def prepare_source(text: str) -> tuple[str, list[str]]:
    """Return the text without comments, and what is verbatim in it.

    In the text a number between two `VERBATIM` takes its place.
    """
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(re.sub(r"\A(?:\[[^\]\n]{0,300}\])?(?:\{[^}\n]{0,100}\})?[ \t]*\n", "", found[2]))
        return f"\n\n{VERBATIM}{len(kept) - 1}{VERBATIM}\n\n"

    plain = _VERBATIM.sub(keep, text.replace("\r\n", "\n").replace("\r", "\n").replace(VERBATIM, ""))
    plain = _LEFT_OUT.sub("", _COMMENT.sub(r"\1", plain))
    return plain, kept


def expand_macros(text: str) -> tuple[str, dict[str, str]]:
    """Replace the macros that a file defines by what they are; return the labels too that it gives to all its lists."""
    macros: dict[str, Macro] = {}
    labels: dict[str, str] = {}
    parts: list[str] = []
    last = 0
    for found in _DEFINITION.finditer(text):
        if found.start() < last or len(macros) >= MOST_MACROS:
            continue
        body, end = read_group(text, found.end())
        name = found[1] or found[4] or found[6]
        if name.startswith("labelenum"):
            if _LIST_HEAD.search(text, max(found.start() - 200, 0), found.start()):
                continue  # it holds for the list at whose head it is: see `latex_lists`
            labels[name] = body
        count = int(found[2] or 0) if found[1] else len(found[5] or "") // 2
        macros[name] = Macro(count, found[3], f"\\operatorname{{{body}}}" if found[6] else body)
        parts.append(text[last : found.start()])
        last = end
    plain = "".join([*parts, text[last:]])
    for _ in range(_ROUNDS):
        expanded = _expand_once(plain, macros) if macros else plain
        if expanded == plain or len(expanded) > MOST_EXPANDED:
            break
        plain = expanded
    return plain, labels


def _expand_once(text: str, macros: Mapping[str, Macro]) -> str:
    parts: list[str] = []
    last = length = 0
    for found in COMMAND.finditer(text):
        macro = macros.get(found[1] or "")
        if macro is None or found.start() < last:
            continue
        parts.append(text[last : found.start()])
        end = found.end()
        arguments: list[str] = []
        if macro.arguments and macro.default is not None:
            option, end = read_option(text, end)
            arguments.append(macro.default if option is None else option)
        while len(arguments) < macro.arguments:
            argument, end = read_argument(text, end)
            arguments.append(argument)
        body = _fill_in(macro.body, arguments)
        parts.append(body if not body[-1:].isalpha() or not text[end : end + 1].isalpha() else f"{body} ")
        length += len(body)
        last = end
        if length > MOST_EXPANDED:
            return text
    return "".join([*parts, text[last:]])


def _fill_in(body: str, arguments: list[str]) -> str:
    given = {str(number): argument for number, argument in enumerate(arguments, 1)}
    return re.sub(r"#(\d)", lambda found: given.get(found[1], ""), body)


def read_group(text: str, start: int) -> tuple[str, int]:
    """Return the content of the braces that begin behind `start`, and their end; without braces nothing."""
    at = skip_space(text, start)
    if text[at : at + 1] != "{":
        return "", start
    depth = 0
    for found in _BRACES.finditer(text, at):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if not depth:
            return text[at + 1 : found.start()], found.end()
    return text[at + 1 :], len(text)


_BRACES: Final = re.compile(r"\\.|[{}]", re.DOTALL)


def read_argument(text: str, start: int) -> tuple[str, int]:
    """Return the next argument, in braces or a single character or command, and where it ends."""
    at = skip_space(text, start)
    if text[at : at + 1] == "{":
        return read_group(text, at)
    found = COMMAND.match(text, at)
    end = found.end() if found else min(at + 1, len(text))
    return text[at:end], end


def read_option(text: str, start: int) -> tuple[str | None, int]:
    """Return the content of brackets behind `start`, and their end; None if there are none."""
    at = skip_space(text, start)
    if text[at : at + 1] != "[":
        return None, start
    depth = 0
    for found in _BRACKETS.finditer(text, at, at + 5_000):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if found[0] == "]" and not depth:
            return text[at + 1 : found.start()], found.end()
    return None, start


_BRACKETS: Final = re.compile(r"\\.|[{}\]]", re.DOTALL)


def skip_space(text: str, start: int) -> int:
    """Return where the next argument may begin: a single line feed is a space, two are a paragraph."""
    while start < len(text) and (
        text[start] in " \t" or (text[start] == "\n" and text[start + 1 : start + 2] not in ("\n", " "))
    ):
        start += 1
    return start


def split_top(text: str, separator: str) -> Iterator[str]:
    """Yield the parts of `text` between matches of a pattern that are in no braces and in no environment."""
    depth = last = 0
    for found in re.finditer(
        rf"(?P<open>\\begin\{{[^{{}}]{{0,60}}\}}|\{{)|(?P<close>\\end\{{[^{{}}]{{0,60}}\}}|\}})|(?P<separator>{separator})|\\.",
        text,
        re.DOTALL,
    ):
        if found["open"]:
            depth += 1
        elif found["close"]:
            depth = max(depth - 1, 0)
        elif found["separator"] and not depth:
            yield text[last : found.start()]
            last = found.end()
    yield text[last:]
