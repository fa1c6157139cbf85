"""Fonts of Type 1 whose glyphs are polygons, made by hand: to draw other characters than their names say."""

from collections.abc import Mapping, Sequence

Polygon = Sequence[tuple[int, int]]
"""Corners in thousandths of the size, from the base line."""
Glyph = Sequence[Polygon]

LESS: Glyph = [[(536, 0), (536, 67), (109, 256), (536, 445), (536, 512), (26, 290), (26, 222)]]
EQUALS: Glyph = [[(26, 332), (536, 332), (536, 400), (26, 400)], [(26, 122), (536, 122), (536, 190), (26, 190)]]
PLUS_MINUS: Glyph = [
    [(250, 185), (310, 185), (310, 365), (540, 365), (540, 430), (310, 430)],
    [(250, 185), (310, 430), (310, 645), (250, 645), (250, 430), (10, 430), (10, 365), (250, 365)],
    [(10, 0), (540, 0), (540, 66), (10, 66)],
]
STEPS: Glyph = [[(0, 600), (200, 600), (200, 700), (0, 700)], [(300, 500), (900, 500), (900, 520), (300, 520)]]
LETTER_L: Glyph = [[(20, 0), (540, 0), (540, 80), (120, 80), (120, 718), (20, 718)]]


def write_type1(glyphs: Mapping[str, Glyph], width: int = 600, encoding: Mapping[int, str] | None = None) -> bytes:
    """The PDF objects of a font program: that of a stream, from its glyphs by their names.

    Args:
        glyphs: by their names.
        width: of each.
        encoding: the names of its codes; None: those of Adobe.
    """
    charstrings = b"".join(
        b"/%s %d RD %s ND\n" % (name.encode(), len(code), code)
        for name, code in (
            (name, _encrypt(b"\0\0\0\0" + _write_glyph(glyph, width), 4330))
            for name, glyph in {".notdef": [], **glyphs}.items()
        )
    )
    private = (
        b"dup /Private 8 dict dup begin /RD {string currentfile exch readstring pop} executeonly def\n"
        b"/ND {noaccess def} executeonly def /NP {noaccess put} executeonly def\n"
        b"/BlueValues [] def /MinFeature {16 16} def /password 5839 def /lenIV 4 def\n"
        b"2 index /CharStrings %d dict dup begin\n%send end readonly put noaccess put\n"
        b"dup /FontName get exch definefont pop mark currentfile closefile\n" % (len(glyphs) + 1, charstrings)
    )
    puts = "".join(f"dup {code} /{name} put\n" for code, name in (encoding or {}).items())
    named = f"256 array 0 1 255 {{1 index exch /.notdef put}} for\n{puts}readonly" if encoding else "StandardEncoding"
    clear = (
        b"%%!PS-AdobeFont-1.0: Signs 001.000\n11 dict begin /FontName /Signs def /PaintType 0 def /FontType 1 def\n"
        b"/FontMatrix [0.001 0 0 0.001 0 0] readonly def /Encoding %s def\n"
        b"/FontBBox {-100 -300 1000 1000} readonly def currentdict end\ncurrentfile eexec\n"
    ) % named.encode()
    secret = _encrypt(b"\0\0\0\0" + private, 55665)
    trailer = b"\n" + (b"0" * 64 + b"\n") * 8 + b"cleartomark\n"
    program = clear + secret + trailer
    return b"<< /Length %d /Length1 %d /Length2 %d /Length3 %d >>\nstream\n%s\nendstream" % (
        len(program),
        len(clear),
        len(secret),
        len(trailer),
        program,
    )


def _write_glyph(glyph: Glyph, width: int) -> bytes:
    code = _number(0) + _number(width) + bytes([13])  # hsbw
    x = y = 0
    for polygon in glyph:
        for number, (to_x, to_y) in enumerate(polygon):
            code += _number(to_x - x) + _number(to_y - y) + bytes([5 if number else 21])  # rlineto, rmoveto
            x, y = to_x, to_y
        code += bytes([9])  # closepath
    return code + bytes([14])  # endchar


def _number(value: int) -> bytes:
    if -107 <= value <= 107:
        return bytes([value + 139])
    high, low = divmod(abs(value) - 108, 256)
    return bytes([(247 if value > 0 else 251) + high, low])


def _encrypt(plain: bytes, key: int) -> bytes:
    """What Adobe Type 1 Font Format, section 7.1, calls encryption."""
    cipher = bytearray()
    for byte in plain:
        cipher.append(byte ^ (key >> 8))
        key = ((cipher[-1] + key) * 52845 + 22719) & 0xFFFF
    return bytes(cipher)
