"""How a text is shortened, in every room.

`textwrap.shorten` would leave nothing of a text without spaces, as Chinese and long names are, and join its lines.
"""

from typing import Final

ELLIPSIS: Final = "…"


def shorten_text(text: str, most: int) -> str:
    """`text` if it has at most `most` characters; else its beginning with an ellipsis, `most` characters at most.

    It is cut between words where the second half of that has a space, and anywhere where it has none.
    """
    if len(text) <= most:
        return text
    room = most - len(ELLIPSIS)
    space = max(text.rfind(sign, room // 2, room + 1) for sign in " \n\t")
    return text[: space if space > 0 else room].rstrip() + ELLIPSIS
