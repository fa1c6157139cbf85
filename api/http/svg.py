"""Headers of drawings: nothing in them is run, whoever opens them."""

from typing import Final

SVG_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}
