"""Parts of an Office Open XML package, found by their relationships, however they are called."""

import posixpath
import re
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import unquote

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents.office.archives import Archive, PartUnreadable
from elcano.text.xml_tree import Element, get_local_name

_MAIN_TYPE: Final = re.compile(r"\.wordprocessingml\.(?:document|template)\.main\+xml|\.ms-word\.\w+\.macroEnabled")
_OTHER_MAIN_TYPE: Final = re.compile(r"\.(spreadsheetml|presentationml)\.")
_OTHER_KINDS: Final = {
    "spreadsheetml": "a workbook: give it the suffix .xlsx",
    "presentationml": "slides: save as PPTX",
}
_USUAL_MAIN: Final = re.compile(r"word/document\d{0,3}\.xml")


class Relationship(NamedTuple):
    """Target of a part's relationship."""

    kind: str
    """The last part of its type, as `footnotes`."""
    target: str
    """The name of a part, or an address if it is external."""
    is_external: bool


class Package:
    """A Word document as a package of parts."""

    def __init__(self, content: bytes) -> None:
        """Open a package.

        Raises:
            FileSkipped: it is none, or has no document in it.
        """
        self.archive = Archive(content, "a Word document")
        self.main = self._find_main()
        try:
            self.document = self.archive.read_xml(self.main)
        except PartUnreadable as error:
            raise FileSkipped(f"it is not a readable Word document: {error}") from error
        self.relationships = self.read_relationships(self.main)

    def read_relationships(self, part: str) -> Mapping[str, Relationship]:
        """The relationships of a part by their ids; none if they cannot be read."""
        folder, _, name = part.rpartition("/")
        try:
            root = self.archive.read_xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        except PartUnreadable:
            return {}
        found: dict[str, Relationship] = {}
        for one in root:
            target, is_external = one.get("Target") or "", one.get("TargetMode") == "External"
            if not is_external:
                target = posixpath.normpath(posixpath.join("/", folder, unquote(target))).lstrip("/")
            kind = (one.get("Type") or "").rpartition("/")[2]
            found[one.get("Id") or f"#{len(found)}"] = Relationship(kind, target, is_external)
        return found

    def read_part(self, kind: str) -> Element | None:
        """The root of the part that has this relationship to the document; None if there is none.

        Raises:
            PartUnreadable: there is one, and it is damaged.
        """
        usual = posixpath.join(posixpath.dirname(self.main), f"{kind}.xml")
        targets = [one.target for one in self.relationships.values() if one.kind == kind and not one.is_external]
        for name in (*targets, usual):
            if name in self.archive:
                return self.archive.read_xml(name)
        return None

    def read_properties(self) -> Element | None:
        """The core properties: title, creator and the like; None if they cannot be read."""
        names = [one.target for one in self.read_relationships("").values() if one.kind == "core-properties"]
        for name in (*names, "docProps/core.xml"):
            try:
                return self.archive.read_xml(name)
            except PartUnreadable:
                continue
        return None

    def _find_main(self) -> str:
        by_relationship = [one.target for one in self.read_relationships("").values() if one.kind == "officeDocument"]
        by_type, others = self._find_by_content_type()
        by_name = sorted(name for name in self.archive.list_names() if _USUAL_MAIN.fullmatch(name))
        candidates = [name for name in (*by_type, *by_relationship, *by_name) if name in self.archive]
        if others and not by_type and not by_name:
            raise FileSkipped(f"it is not a readable Word document: it is {_OTHER_KINDS[others[0]]}")
        if not candidates:
            raise FileSkipped("it is not a readable Word document: it has no document part")
        return candidates[0]

    def _find_by_content_type(self) -> tuple[list[str], list[str]]:
        """The parts declared as the main part of a Word document, and the other applications that are declared."""
        try:
            types = self.archive.read_xml("[Content_Types].xml")
        except PartUnreadable:
            return [], []
        found: list[str] = []
        others: list[str] = []
        for one in types:
            kind = one.get("ContentType") or ""
            if get_local_name(one) == "Override" and _MAIN_TYPE.search(kind):
                found.append((one.get("PartName") or "").lstrip("/"))
            elif kind.endswith("main+xml") and (other := _OTHER_MAIN_TYPE.search(kind)):
                others.append(other[1])
        return found, others
