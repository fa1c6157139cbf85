"""Pages of our own for tests, and a site on loopback that serves them."""

from collections.abc import Callable, Mapping
from typing import Final

from elcano.activities.passages.document import FileSkipped
from elcano.settings import Settings
from elcano.subjects.documents.file_processes import answer_or_report_skip
from elcano.subjects.web.extraction import Page, Request, extract_page
from elcano.subjects.web.page_reader import Reader
from tests.loopback import Asked, Reply

HTML: Final = {"Content-Type": "text/html; charset=utf-8"}
PDF: Final = {"Content-Type": "application/pdf"}
ROBOTS: Final = "/robots.txt"
FILLER: Final = (
    "The pilot keeps the log by the lamp and writes down the depth, the wind and the colour of the water every hour. "
    "Nobody on deck may speak to him while he writes, and whoever does so loses his ration of wine for that day."
)


def html(*paragraphs: str, title: str = "A page", head: str = "", body: str = "") -> str:
    """An article with these paragraphs; with its filler it is long enough to be one."""
    parts = "".join(f"<p>{text}</p>" for text in paragraphs)
    heading = f"<h1>{title}</h1>" if title else ""
    return (
        f"<!doctype html><html lang='en-GB'><head><title>{title}</title>{head}</head>"
        f"<body><nav><a href='/menu'>Menu</a></nav><main><article>{heading}{parts}</article></main>{body}</body></html>"
    )


def page(text: str, **more: str) -> Reply:
    """An answer with an article that says `text`."""
    return Reply(html(text, FILLER, **more), headers=HTML)


def serving(pages: Mapping[str, Reply]) -> Callable[[Asked], Reply]:
    """Answers by path; what is not there is 404, as is the robots.txt of most."""

    def answer(asked: Asked) -> Reply:
        return pages.get(asked.path) or Reply("<h1>Not here</h1>", status=404, headers=HTML)

    return answer


def settings(**urls: str) -> Settings:
    """With the addresses of services."""
    return Settings(_env_file=None, service_urls=urls)


class Here(Reader):
    """Takes pages apart in this process, which for a test is quicker than to start another one."""

    def _ask(self, request: Request, content: bytes) -> Page:
        answer = answer_or_report_skip(lambda: extract_page(request, content))
        if answer.found is None:
            raise FileSkipped(answer.skipped)
        return answer.found
