"""XML that others wrote, parsed by lxml so that a document is limited to its own content.

Nothing else is loaded, no entity is expanded, and a document that declares any is refused. To the
parser, what is nested too deeply or has a single text of many megabytes is no XML.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from lxml import etree

from elcano.graphs.errors import ActivityFault

Element: TypeAlias = etree._Element
"""An lxml element; lxml gives its class no public name."""
Parser = TypeVar("Parser", etree.XMLParser, etree.XMLPullParser)


class XmlUnreadable(ActivityFault):
    """It is no XML, is cut off, or passes a limit of the parser; the text says which."""


class EntitiesDeclared(ActivityFault):
    """It declares entities."""


class _EmptyFiles(etree.Resolver):
    """Resolver that takes every file that a document names, such as its DTD, for empty."""

    def resolve(self, system_url: str | None, public_id: str | None, context: Any) -> Any:
        return self.resolve_empty(context)


def parse_xml(content: bytes) -> Element:
    """Return the root of a document.

    Raises:
        XmlUnreadable: it cannot be parsed.
        EntitiesDeclared: it declares entities.
    """
    try:
        root = etree.fromstring(content, build_parser(etree.XMLParser))
    except etree.XMLSyntaxError as error:
        try:  # an `xml:id` that is repeated is an error, and LibreOffice repeats those of lists
            root = etree.fromstring(content, build_parser(etree.XMLParser, collect_ids=False))
        except etree.XMLSyntaxError:
            raise XmlUnreadable(error.msg) from error
    refuse_entities(root)
    return root


def refuse_entities(root: Element) -> None:
    """Refuse a document that declares entities.

    Raises:
        EntitiesDeclared: it does.
    """
    own = root.getroottree().docinfo.internalDTD
    if own is not None and next(iter(own.iterentities()), None) is not None:
        raise EntitiesDeclared("it declares entities, which are not expanded")


def build_parser(make: Callable[..., Parser], *, collect_ids: bool = True, **options: object) -> Parser:
    """Return a parser with the limits; without IDs, libxml2 loads the DTD that a document names, or fails to."""
    parser = make(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=collect_ids,
        **options,
    )
    parser.resolvers.add(_EmptyFiles())
    return parser


def get_local_name(element: Element) -> str:
    """Return the name of an element without its namespace; empty if the node is no element."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
