"""XML that others wrote, parsed by lxml so that a document is limited to its own content.

Nothing else is loaded, no entity is expanded, and a document that declares any is refused. To the
parser, what is nested too deeply or has a single text of many megabytes is no XML.
"""

from typing import Any, TypeAlias

from lxml import etree

from elcano.graphs.errors import ActivityFault

Element: TypeAlias = etree._Element
"""An lxml element; lxml gives its class no public name."""


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
        root = etree.fromstring(content, _build_parser(collect_ids=True))
    except etree.XMLSyntaxError as error:
        try:  # an `xml:id` that is repeated is an error, and LibreOffice repeats those of lists
            root = etree.fromstring(content, _build_parser(collect_ids=False))
        except etree.XMLSyntaxError:
            raise XmlUnreadable(error.msg) from error
    own = root.getroottree().docinfo.internalDTD
    if own is not None and next(iter(own.iterentities()), None) is not None:
        raise EntitiesDeclared("it declares entities, which are not expanded")
    return root


def _build_parser(*, collect_ids: bool) -> etree.XMLParser:
    """A parser; without IDs, libxml2 loads the DTD that a document names, whatever `load_dtd` says, or fails to."""
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=collect_ids,
    )
    parser.resolvers.add(_EmptyFiles())
    return parser


def get_local_name(element: Element) -> str:
    """Return the name of an element without its namespace; empty if the node is no element."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
