"""XML that others wrote, parsed by lxml so that a document is limited to its own content.

Nothing else is loaded, no entity is expanded, and a document that declares any is refused. To the
parser, what is nested too deeply or has a single text of many megabytes is no XML.
"""

from typing import TypeAlias

from lxml import etree

from elcano.graphs.errors import ActivityFault

Element: TypeAlias = etree._Element
"""An lxml element; lxml gives its class no public name."""


class XmlUnreadable(ActivityFault):
    """It is no XML, is cut off, or passes a limit of the parser; the text says which."""


class EntitiesDeclared(ActivityFault):
    """It declares entities."""


def parse_xml(content: bytes) -> Element:
    """Return the root of a document.

    Raises:
        XmlUnreadable: it cannot be parsed.
        EntitiesDeclared: it declares entities.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,  # else an `xml:id` that is repeated is an error, and LibreOffice repeats those of lists
    )
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise XmlUnreadable(error.msg) from error
    own = root.getroottree().docinfo.internalDTD
    if own is not None and next(iter(own.iterentities()), None) is not None:
        raise EntitiesDeclared("it declares entities, which are not expanded")
    return root


def get_local_name(element: Element) -> str:
    """Return the name of an element without its namespace; empty if the node is no element."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
