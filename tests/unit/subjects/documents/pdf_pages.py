"""PDFs whose words stand where a test wants them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

HEBREW = {chr(ord("A") + number): 0x05D0 + number for number in range(26)}
"""The font `hebrew` paints the letters of this alphabet for those of the Latin one."""
FORMULA = {"k": 0x1D458, "p": 0x1D45D, "r": 0x1D70C, "s": 0x221A, "t": 0x2211}
"""And signs of formulas, of which letters have more than sixteen bits, for these."""
_FONTS = {
    "plain": "Helvetica",
    "bold": "Helvetica-Bold",
    "italic": "Times-Italic",
    "roman": "Times-Roman",
    "code": "Courier",
    "hebrew": "Helvetica",
}


@dataclass
class Sheet:
    """A page on which text is painted; places are in points from its top left corner."""

    width: int = 595
    height: int = 842
    rotate: int = 0
    damaged: bool = False
    painted: list[str] = field(default_factory=list)
    annotations: list[str] = field(default_factory=list)

    def write(self, text: str, x: float, y: float, *, size: float = 10, font: str = "plain", turn: int = 0) -> "Sheet":
        """Paint a line with its base line at `y`; `turn` is clockwise."""
        cosine, sine = round(math.cos(math.radians(-turn)), 6), round(math.sin(math.radians(-turn)), 6)
        escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        self.painted.append(
            f"BT /{font} {size} Tf {cosine} {sine} {-sine} {cosine} {x} {self.height - y} Tm ({escaped}) Tj ET"
        )
        return self

    def write_lines(
        self, lines: Iterable[str], x: float, y: float, *, step: float = 12, size: float = 10, font: str = "plain"
    ) -> "Sheet":
        """Paint lines below one another."""
        for number, line in enumerate(lines):
            self.write(line, x, y + number * step, size=size, font=font)
        return self

    def paint(self, content: str) -> "Sheet":
        """Paint anything, in the language of PDF."""
        self.painted.append(content)
        return self

    def annotate(self, annotation: str) -> "Sheet":
        """Put an annotation on the page: its entries, in the language of PDF."""
        self.annotations.append(annotation)
        return self


def make_pdf(sheets: Sequence[Sheet], catalog: str = "", fields: bool = False) -> bytes:
    """The document of these pages; `fields`: their annotations are the fields of a form."""
    objects: list[bytes] = [b"", b""]

    def add(body: str) -> int:
        objects.append(body.encode("latin-1"))
        return len(objects)

    names = []
    for name, base in _FONTS.items():
        unicode = ""
        if name == "hebrew":
            letters = HEBREW | FORMULA
            lines = "\n".join(
                f"<{ord(one):02x}> <{chr(code).encode('utf-16-be').hex()}>" for one, code in letters.items()
            )
            table = (
                "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /H def /CMapType 2 def\n"
                f"1 begincodespacerange <00> <ff> endcodespacerange\n{len(letters)} beginbfchar\n{lines}\nendbfchar\n"
                "endcmap end end"
            )
            unicode = (
                f" /ToUnicode {add(f'<< /Length {len(table)} >>{chr(10)}stream{chr(10)}{table}{chr(10)}endstream')} 0 R"
            )
        encoding = "" if unicode else " /Encoding /WinAnsiEncoding"
        names.append(f"/{name} {add(f'<< /Type /Font /Subtype /Type1 /BaseFont /{base}{encoding}{unicode} >>')} 0 R")
    kids, annotated = [], []
    for sheet in sheets:
        stream = "\n".join(sheet.painted)
        content = add(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        annotations = [add(f"<< /Type /Annot {one} >>") for one in sheet.annotations]
        annotated += annotations
        listed = " ".join(f"{number} 0 R" for number in annotations)
        page = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {sheet.width} {sheet.height}] /Rotate {sheet.rotate} "
            f"/Resources << /Font << {' '.join(names)} >> >> /Contents {content} 0 R /Annots [{listed}] >>"
        )
        kids.append(f"{add('42' if sheet.damaged else page)} 0 R")
    form = ""
    if fields:
        listed = " ".join(f"{number} 0 R" for number in annotated)
        form = f"/AcroForm << /Fields [{listed}] /DA (/plain 10 Tf) >>"
    objects[0] = f"<< /Type /Catalog /Pages 2 0 R {catalog} {form} >>".encode("latin-1")
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>".encode("latin-1")
    return _assemble(objects)


def _assemble(objects: Sequence[bytes]) -> bytes:
    content = b"%PDF-1.7\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return (
        content
        + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF"
        % (
            size,
            table,
            size,
            len(content),
        )
    )


LEFT = [
    "The harbour was dug by hand in the years of",
    "the drought, when no grain came down the river",
    "and the mills stood still. Two hundred families",
    "worked on it for bread and for the promise of",
    "a berth. The first ship that made fast carried",
    "salt and timber, and it sank within the month.",
]
RIGHT = [
    "Nobody raised it, since the council had spent",
    "what it had on the lighthouse, which leaned. A",
    "second basin was begun further to the east and",
    "given up after a winter of storms had filled",
    "it with sand. The quay that is used today was",
    "built upon the wreck of all these attempts.",
]
"""Six lines of a column each; about 210 points wide at size 10."""


def join(lines: Iterable[str]) -> str:
    """The text of lines without hyphens at their ends."""
    return " ".join(lines)
