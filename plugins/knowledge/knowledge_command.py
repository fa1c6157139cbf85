"""What the commands about the knowledge graph print: one thing a line, its id last, for the next command."""

import re
import sys
from typing import Any, Final

from elcano.cli.client import Api
from elcano.cli.exits import Exit, Failed
from elcano.cli.printing import format_line, print_json
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.knowledge_graph import NODE_ID
from elcano.graphs.text import shorten_text
from elcano.settings import program_settings

WIDTH: Final = 100
"""Characters of a name on a line."""


def print_knowledge_counts(*, as_json: bool) -> Exit:
    """Prints how many nodes and edges there are."""
    with Api(program_settings().base_url) as api:
        found: dict[str, Any] = api.get("/v1/knowledge")
    if as_json:
        print_json(found)
        return Exit.OK
    if not found["nodes"]:
        _print_line("Nothing is known yet: a run that ends leaves here what it found.")
    for kind in ("nodes", "edges"):
        for name, number in found[kind].items():
            _print_line(f"{kind}  {name:<10}  {number:>9,}")
    return Exit.OK


def print_found_nodes(words: str, kinds: list[str], limit: int, *, as_json: bool) -> Exit:
    """Prints the nodes that words find."""
    with Api(program_settings().base_url) as api:
        found = _search_nodes(api, words, kinds, limit)
    if as_json:
        print_json(found)
        return Exit.OK
    if not found:
        _print_line(f"Nothing is known of {words!r}.")
    for hit in found:
        _print_line(f"{hit['score']:.2f}  {_format_node(hit['node'])}")
    return Exit.OK


def print_node(node: str, limit: int, *, as_json: bool) -> Exit:
    """Prints a node and its neighbours."""
    with Api(program_settings().base_url) as api:
        path = f"/v1/knowledge/nodes/{_find_node_id(api, node)}"
        shown: dict[str, Any] = api.get(path)
        beside: dict[str, Any] = api.get(f"{path}/neighbours", limit=limit)
    if as_json:
        print_json({"node": shown, **beside})
        return Exit.OK
    _print_line(_format_node(shown))
    for told in (shown["text"] if shown["text"] != shown["name"] else "", shown["key"], shown["url"]):
        if told:
            _print_line(f"  {format_line(told)}")
    for one in beside["neighbours"]:
        edge = one["edge"]
        arrow = f"--{edge['kind']}->" if edge["start"] == shown["id"] else f"<-{edge['kind']}--"
        rests = f", passage {edge['evidence']}" if edge["evidence"] else ""
        support = f", {edge['support'].replace('_', ' ')}" if edge["kind"] in ("stated", "cites") else ""
        _print_line(f"  {arrow} {_format_node(one['node'])}\n      from run {edge['run']}{rests}{support}")
    if beside["next"]:
        _print_line(f"  ... and more; `--limit` shows up to 200, and the API pages on after {beside['next']}")
    return Exit.OK


def print_node_paths(start: str, end: str, longest: int, limit: int, *, as_json: bool) -> Exit:
    """Prints the shortest ways from one node to another."""
    with Api(program_settings().base_url) as api:
        ends = {"from": _find_node_id(api, start), "to": _find_node_id(api, end)}
        found: dict[str, Any] = api.get("/v1/knowledge/paths", **ends, longest=longest, limit=limit)
    if as_json:
        print_json(found)
        return Exit.OK
    if not found["paths"]:
        sure = "" if found["complete"] else ", as far as was looked at"
        _print_line(f"No way of at most {longest} steps leads from the one to the other{sure}.")
    for number, path in enumerate(found["paths"], 1):
        _print_line(f"{number}. {_format_node(path['nodes'][0])}")
        for edge, node in zip(path["edges"], path["nodes"][1:], strict=True):
            arrow = f"<-{edge['kind']}--" if edge["start"] == node["id"] else f"--{edge['kind']}->"
            _print_line(f"   {arrow} {_format_node(node)}  (run {edge['run']})")
    return Exit.OK


def print_cypher_rows(query: str, columns: list[str], limit: int, *, as_json: bool) -> Exit:
    """Prints the rows of a query."""
    with Api(program_settings().base_url) as api:
        body: JsonObject = {"query": query, "columns": [*columns], "limit": limit}
        found: dict[str, Any] = api.ask("/v1/knowledge/cypher", body)
    if as_json:
        print_json(found)
        return Exit.OK
    _print_line("\t".join(found["columns"]))
    for row in found["rows"]:
        _print_line("\t".join(format_line(value) for value in row))
    return Exit.OK


def _search_nodes(api: Api, words: str, kinds: list[str], limit: int) -> list[Any]:
    chosen: dict[str, str | int | list[str]] = {"q": words, "limit": limit}
    found: list[Any] = api.get("/v1/knowledge/search", **chosen, **({"kind": kinds} if kinds else {}))
    return found


def _find_node_id(api: Api, named: str) -> str:
    """The id of a node that is named by it or by its key.

    Raises:
        Failed: no node has this key.
    """
    if re.fullmatch(NODE_ID, named):
        return named
    for hit in _search_nodes(api, named, [], 100):
        if hit["node"]["key"] in (named, named.casefold()):
            found: str = hit["node"]["id"]
            return found
    text = f"nothing is known under {format_line(named)!r}: `elcano knowledge search WORDS` lists what is, with ids"
    raise Failed(text, Exit.BAD_INPUT)


def _format_node(node: dict[str, Any]) -> str:
    year = f" ({node['year']})" if node["year"] else ""
    return f"{node['kind']}: {shorten_text(format_line(node['name']), WIDTH)}{year}  {node['id']}"


def _print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
