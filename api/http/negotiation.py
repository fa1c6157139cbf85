"""Content negotiation: the media types that a client accepts (RFC 9110, 12.5.1), and the requirement to send JSON."""

from collections.abc import Sequence

from fastapi import Request

from elcano.api.http.errors import MediaTypeUnsupported, NotAcceptable


def choose_media_type(accept: str | None, offers: Sequence[str]) -> str:
    """The offer that the client likes best; of two liked equally the first, and the first without a header.

    Raises:
        NotAcceptable: the client accepts none of them.
    """
    ranges = [_parse_media_range(part) for part in (accept or "*/*").split(",") if part.strip()]
    liked = [(max((_rate_offer(offer, *wanted) for wanted in ranges), default=(0, 0.0))[1], offer) for offer in offers]
    quality, best = max(liked, key=lambda pair: pair[0])
    if quality <= 0:
        raise NotAcceptable(f"this is served as {' or '.join(offers)}, not as {accept!r}")
    return best


async def require_json(request: Request) -> None:
    """A dependency of every route: a body is JSON and says so.

    Raises:
        MediaTypeUnsupported: there is a body, and it says that it is something else, or nothing.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type == "application/json" or (media_type.startswith("application/") and media_type.endswith("+json")):
        return
    if await request.body():
        said = f"is sent as {media_type!r}" if media_type else "has no Content-Type"
        raise MediaTypeUnsupported(f"the body {said}; send JSON, with the header `Content-Type: application/json`")


def _parse_media_range(part: str) -> tuple[str, float]:
    """`text/html;q=0.8` as its media range and quality; a quality that is no number counts as 0."""
    media, *parameters = (piece.strip().lower() for piece in part.split(";"))
    quality = next((text[2:] for text in parameters if text.startswith("q=")), "1")
    return media, float(quality) if quality.replace(".", "", 1).isdigit() else 0.0


def _rate_offer(offer: str, media: str, quality: float) -> tuple[int, float]:
    """How precisely a media range names the offer (0: not at all), and how much it is wanted."""
    if media == offer:
        return 3, quality
    if media.endswith("/*") and offer.startswith(media[:-1]):
        return 2, quality
    if media == "*/*":
        return 1, quality
    return 0, 0.0
